"""Records of retention curves and of the areas under them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._frames import to_frame
from properly._boundary._libraries import freeze, read_only
from properly._boundary._plain import columns_of, many, plain, printable

if TYPE_CHECKING:
    from properly._boundary._frames import Backend

Column: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Retention:
    """A metric of decisions, as the cases with the worst scores are removed.

    Attributes
    ----------
    removed : array
        Shares of the cases that are removed.
    value : array
        The metric of those that are kept.
    kept : array
        How many these are.
    metric : str
        The name of the metric.
    ties : str
        ``"stable"`` or ``"average"``: how cases with equal scores were removed.

    Examples
    --------
    >>> import properly
    >>> curve = properly.retention_curve(
    ...     [0.1, 0.2, 0.9, 0.3], [0, 1, 2, 1], [0, 1, 0, 0], metric="expected_cost",
    ...     removed=[0, 0.25, 0.5]
    ... )
    >>> curve
    Retention(expected_cost with 0 to 50 % removed, area 0.4792)
    >>> curve.kept, curve.value
    (array([4, 3, 2]), array([1.25      , 0.33333333, 0.        ]))
    """

    removed: Column
    value: Column
    kept: Column
    metric: str
    ties: str

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def area(self) -> float:
        """Area under the curve divided by the range of `removed`: a mean of the metric."""
        return area_under(self.removed, self.value)

    @property
    def area_percent(self) -> float:
        """Area under the curve with the removed share in percent, as the paper prints it."""
        return self.area * _width(self.removed)

    def __repr__(self) -> str:
        return f"Retention({_told(self)}, area {self.area:.4g})"

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as lists, its areas, and what was computed."""
        known = {"area": self.area, "area_percent": self.area_percent}
        words = {"metric": self.metric, "ties": self.ties}
        found: dict[str, Any] = plain(self._columns() | known | words)
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a removed share as a polars, pandas or pyarrow frame."""
        return to_frame(self._columns(), backend)

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name).tolist() for name in ("removed", "kept", "value")}


@dataclass(frozen=True)
class AreaEstimate:
    """An area, or the difference of two, and what it is in random replicates.

    Attributes
    ----------
    area : float
        Of the cases themselves.
    mean, standard_deviation : float
        Of the replicates; the squares are divided by one less than their number.
    lower, upper : float
        Quantiles of the replicates: an interval that leaves out equally many on both sides.

    Examples
    --------
    >>> from properly import AreaEstimate
    >>> AreaEstimate(area=0.5, mean=0.51, standard_deviation=0.02, lower=0.47, upper=0.55)
    AreaEstimate(area=0.5, mean=0.51, standard_deviation=0.02, lower=0.47, upper=0.55)
    """

    area: float
    mean: float
    standard_deviation: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False, repr=False)
class RetentionStudy:
    """Retention curves of several scores on the same cases and replicates.

    Attributes
    ----------
    curves : dict of Retention by name
        The curve of each score.
    bands : dict of two arrays by name
        For each score, quantiles of the replicates at each removed share, the lower and the upper
        one: between them lie `level` of the values at any one share, not of the whole curves.
    areas : dict of AreaEstimate by name
        The area of each, divided by the range of removed shares.
    differences : dict of AreaEstimate by two names
        For each pair of scores, the area of the first minus that of the second, paired: both are
        computed from the same replicates, so what these have in common cancels.
    drawn_areas : array, one row a replicate, one column a score
        The areas that all means, deviations and intervals are computed from.
    level : float
        Share of the replicates that lie within each interval.
    clusters : int or None
        The number of clusters that were drawn from; None if cases were drawn one by one.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import RPS
    >>> y = [0, 1, 2, 1, 0, 2]
    >>> P = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.5, 0.3, 0.2],
    ...      [0.5, 0.4, 0.1], [0.8, 0.1, 0.1], [0.1, 0.4, 0.5]]
    >>> study = properly.retention_study({"RPS": RPS().loss(y, P)}, y, P, removed=[0, 0.5], rng=1)
    >>> study
    RetentionStudy(2 scores, quadratic_weighted_kappa with 0 to 50 % removed, 50 replicates)
    >>> study.differences["RPS", "oracle (hard cost)"].area
    0.0
    """

    curves: dict[str, Retention]
    bands: dict[str, tuple[Column, Column]]
    areas: dict[str, AreaEstimate]
    differences: dict[tuple[str, str], AreaEstimate]
    drawn_areas: Column
    level: float
    clusters: int | None = None

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def area_percent(self) -> dict[str, AreaEstimate]:
        """The areas with the removed share in percent, as the paper prints them."""
        width = _width(self._any.removed)
        scaled = (
            AreaEstimate(*(width * x for x in asdict(area).values()))
            for area in self.areas.values()
        )
        return dict(zip(self.areas, scaled, strict=True))

    def __repr__(self) -> str:
        scores = many(len(self.curves), "score")
        whole = "" if self.clusters is None else f" of {many(self.clusters, 'cluster')}"
        return f"RetentionStudy({scores}, {_told(self._any)}, {self._drawn}{whole})"

    def __str__(self) -> str:
        shown = {name: printable(name) for name in self.areas}
        wide = max(len(name) for name in shown.values())
        lowest, highest = _percents(self._any)
        below = f"{self._any.metric} over the removed share in percent, {lowest} to {highest}"
        rows = (
            f"{shown[name]:<{wide}}  {area.mean:8.2f} ± {area.standard_deviation:.2f}"
            for name, area in self.area_percent.items()
        )
        return "\n".join([f"Area under {below}: mean ± sd of {self._drawn}", *rows])

    def to_dict(self) -> dict[str, Any]:
        """Return curves, bands, areas, differences and drawn areas as JSON can hold them."""
        found: dict[str, Any] = plain(
            {
                "level": self.level,
                "clusters": self.clusters,
                "curves": {name: curve.to_dict() for name, curve in self.curves.items()},
                "bands": {
                    name: {"lower": lower.tolist(), "upper": upper.tolist()}
                    for name, (lower, upper) in self.bands.items()
                },
                "areas": {name: asdict(area) for name, area in self.areas.items()},
                "differences": [
                    {"first": first, "second": second} | asdict(area)
                    for (first, second), area in self.differences.items()
                ],
                "drawn_areas": self.drawn_areas.tolist(),
            }
        )
        return found

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a score, with its area, as a polars, pandas or pyarrow frame."""
        rows = [{"score": name} | asdict(area) for name, area in self.areas.items()]
        return to_frame(columns_of(rows), backend)

    @property
    def _any(self) -> Retention:
        return next(iter(self.curves.values()))

    @property
    def _drawn(self) -> str:
        return many(len(self.drawn_areas), "replicate")


def area_under(share: Column, value: Column) -> float:
    """Return the mean height of the straight lines through points: their area over the range."""
    area = np.diff(share) @ (value[1:] + value[:-1]) / 2
    return float(area / (share[-1] - share[0]))


def study_of(
    curves: dict[str, Retention], values: Column, level: float, clusters: int | None
) -> RetentionStudy:
    """Say how far off areas and their differences may be, given the curves of the replicates.

    The values are those of each replicate, score and removed share, in this order of axes.
    """
    area = {name: curve.area for name, curve in curves.items()}
    drawn, bands = {}, {}
    for (name, curve), found in zip(curves.items(), values.swapaxes(0, 1), strict=True):
        drawn[name] = np.array([area_under(curve.removed, value) for value in found])
        lower, upper = np.quantile(found, _ends(level), axis=0)
        bands[name] = (read_only(lower), read_only(upper))
    areas = {name: _estimate(area[name], drawn[name], level) for name in curves}
    differences = {
        (a, b): _estimate(area[a] - area[b], drawn[a] - drawn[b], level)
        for a, b in combinations(curves, 2)
    }
    columns = np.column_stack(list(drawn.values()))
    return RetentionStudy(curves, bands, areas, differences, columns, level, clusters)


def _estimate(area: float, drawn: Column, level: float) -> AreaEstimate:
    lower, upper = np.quantile(drawn, _ends(level)).tolist()
    return AreaEstimate(area, float(drawn.mean()), float(drawn.std(ddof=1)), lower, upper)


def _ends(level: float) -> tuple[float, float]:
    """Leave out equally many on both sides."""
    return (1 - level) / 2, (1 + level) / 2


def _width(share: Column) -> float:
    """Return how many percent lie between the least and the greatest removed share."""
    return 100 * float(share[-1] - share[0])


def _percents(curve: Retention) -> tuple[str, str]:
    """Write the least and the greatest removed share in percent."""
    lowest, highest = (f"{100 * share:.4g}" for share in curve.removed[[0, -1]])
    return lowest, highest


def _told(curve: Retention) -> str:
    lowest, highest = _percents(curve)
    return f"{curve.metric} with {lowest} to {highest} % removed"
