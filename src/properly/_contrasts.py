"""Groups of cases, each against the rest.

A number of a group and the same number of all other cases are two sums of influences over the same
design. So their difference has influences as well, and so have the differences of all groups
together, even if a cluster has cases in several groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._libraries import freeze
from properly._multiplicity import holm, sup_t_quantile
from properly._plain import plain
from properly._shrinkage import Homogeneity, homogeneity, shrink
from properly._variance import Spread, covariance

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from properly._design import Design

Column: TypeAlias = np.ndarray[Any, Any]
Scale: TypeAlias = Literal["plain", "share", "log"]

ROUNDING = 1e-13


class Measure(NamedTuple):
    """A number that any selection of cases has.

    `of` takes which cases are meant, as booleans, and returns the number and the influences of
    these cases; on a log scale, both of the logarithm. A share saved has its interval on the scale
    of the logarithm of what is left.
    """

    of: Callable[[Column], tuple[Any, Column]]
    scale: Scale = "plain"


@dataclass(frozen=True, eq=False, repr=False)
class Contrast:
    """One number of every group, and how it differs from that of the rest.

    Arrays have one entry a group; NaN where a group, or the rest, is too small for an interval, or
    where nothing varied. Ratios such as observed to expected are compared by their logarithms:
    `difference` and what is said about it is one of logarithms, the logarithm of a factor.

    Attributes
    ----------
    value, standard_error : array
        The number, and its standard error.
    interval : array of shape (groups, 2)
        Lower and upper end of its interval.
    rest : array
        The number of all cases outside the group.
    difference, difference_error : array
        Group minus rest, and its standard error.
    difference_interval : array of shape (groups, 2)
        The interval of the difference, taken alone.
    p_value, adjusted_p_value : array
        Of no difference; adjusted by Holm's method, so that one in twenty tables at most has any
        false finding at 0.05.
    simultaneous : array of shape (groups, 2)
        Intervals that hold the true differences of all groups at once.
    shrunk, shrunk_error : array
        The number drawn towards the mean of all groups, the more the less is known of the group,
        and its standard error. To be shown beside the raw number, not in its place.
    homogeneity : Homogeneity
        Whether groups differ at all: `statistic`, `degrees`, `p_value`.
    overall : float
        The number of all cases.
    degrees : float
        Degrees of freedom of the differences.
    quantile : float
        How many standard errors the simultaneous intervals reach.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> died, p = [1, 0, 0] * 40, [0.6, 0.2, 0.3, 0.4, 0.1] * 24
    >>> cases = properly.Cases(died, p, groups=["a"] * 60 + ["b"] * 60)
    >>> skill = properly.by_group(cases, Brier(), replicates=19, rng=1).measures["skill"]
    >>> skill
    Contrast(2 groups)
    >>> bool(skill.difference[0] == -skill.difference[1])
    True
    """

    value: Column
    standard_error: Column
    interval: Column
    rest: Column
    difference: Column
    difference_error: Column
    difference_interval: Column
    p_value: Column
    adjusted_p_value: Column
    simultaneous: Column
    shrunk: Column
    shrunk_error: Column
    homogeneity: Homogeneity
    overall: float
    degrees: float
    quantile: float

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        return f"Contrast({len(self.value)} groups)"

    def columns(self) -> dict[str, list[float]]:
        """Return one column a number, with the ends of intervals in two."""
        return flat({name: x for name, x in vars(self).items() if isinstance(x, np.ndarray)})

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers by name, as JSON can hold them."""
        numbers = {name: getattr(self, name) for name in ("overall", "degrees", "quantile")}
        known = self.columns() | {"homogeneity": self.homogeneity._asdict()} | numbers
        found: dict[str, Any] = plain(known)
        return found


def flat(columns: Mapping[str, Column]) -> dict[str, list[float]]:
    """Make lists of arrays; one of two columns becomes two lists, the lower and the upper end."""
    found: dict[str, list[float]] = {}
    for name, x in columns.items():
        if x.ndim == 1:
            found[name] = x.tolist()
        else:
            found |= {f"{name}_lower": x[:, 0].tolist(), f"{name}_upper": x[:, 1].tolist()}
    return found


class Split(NamedTuple):
    """The group of each case by its number, and how cases were sampled.

    `enough` tells which groups are large enough for an interval, and `enough_rest` after which the
    rest is.
    """

    number: Column
    design: Design
    enough: Column
    enough_rest: Column


def contrast(measure: Measure, split: Split, level: float, rng: np.random.Generator) -> Contrast:
    """Find a number of every group, its difference from the rest, and how far off both may be."""
    groups, scale = len(split.enough), measure.scale
    inside, outside = np.zeros((2, groups, len(split.number)))
    (value, rest), degrees = np.empty((2, groups)), np.empty(groups)
    for g in range(groups):
        member = split.number == g
        for row, numbers, some in ((inside, value, member), (outside, rest, ~member)):
            numbers[g], influence = measure.of(some)
            row[g, some] = _scale(some, split.design) * influence
        degrees[g] = _units(member, split.design) - 1
    own, apart = (_spread(x, split.design) for x in (inside, inside - outside))
    if _is_whole(split.design):
        degrees = np.full(groups, own.degrees)
    # The logarithm of a ratio is nearly normal; what may be few is clusters or times.
    if scale == "log" and not is_dependent(split.design):
        degrees = np.full(groups, np.inf)
    interval = _interval(value, own.errors, degrees, level, scale)
    interval[~split.enough] = np.nan
    with np.errstate(invalid="ignore"):
        difference = value - rest
    return Contrast(
        value=_shown(value, scale),
        standard_error=_slope(value, scale) * own.errors,
        interval=interval,
        rest=_shown(rest, scale),
        difference=difference,
        overall=float(_shown(np.array(measure.of(np.full(len(split.number), True))[0]), scale)),
        **_compare(difference, apart, split.enough & split.enough_rest, level, rng),
        **_together(value, own, split, scale),
    )


def _spread(influence: Column, design: Design) -> Spread:
    """Find the covariance; NaN for what cancels within each cluster, or time, but for rounding."""
    spread = covariance(influence, design)
    lost = spread.errors <= ROUNDING * np.abs(influence).sum(axis=1)
    lost &= influence.any(axis=1)
    joint = np.where(lost[:, None] | lost, np.nan, spread.covariance)
    return Spread(joint, spread.degrees)


def _units(some: Column, design: Design) -> int:
    """Count the selected cases, or the clusters that they come from."""
    return int(some.sum()) if design.cluster is None else len(np.unique(design.cluster[some]))


def _scale(some: Column, design: Design) -> float:
    """Return what makes the variance of a selection that of its own cases, or clusters.

    A variance of n cases has the factor n / (n - 1), with the number of all cases. Of a selection
    others say nothing, so the factor is that of its own number: NaN for a single one. Of strata and
    times all count, with influence 0, since a group need not have two cases in each.
    """
    if _is_whole(design):
        return 1.0
    own, every = _units(some, design), design.units
    return float(np.sqrt(own / (own - 1) * (every - 1) / every)) if own > 1 else np.nan


def _is_whole(design: Design) -> bool:
    """Tell whether a selection of cases is judged by the design of all."""
    return design.stratum is not None or design.time is not None


def _compare(
    difference: Column, spread: Spread, enough: Column, level: float, rng: np.random.Generator
) -> dict[str, Any]:
    """Put intervals around differences, one by one and all at once, and test each."""
    from scipy.special import stdtr

    error, degrees = spread.errors, float(spread.degrees)
    tested = enough & np.isfinite(difference) & (error > 0)
    half, p = np.full((2, len(error)), np.nan)
    half[tested] = spread.half_widths(level)[tested]
    p[tested] = 2 * stdtr(degrees, -np.abs(difference[tested] / error[tested]))
    # Of two groups, each is the rest of the other: that is one comparison, and not two.
    single = len(p) == 2
    together = np.flatnonzero(tested)[: 1 if single else None]
    joint = spread.covariance[np.ix_(together, together)]
    quantile = sup_t_quantile(joint, level, degrees, rng) if len(together) else np.nan
    return {
        "difference_error": error,
        "difference_interval": _around(difference, half),
        "p_value": p,
        "adjusted_p_value": p if single else holm(p),
        "simultaneous": _around(difference, np.where(tested, quantile * error, np.nan)),
        "degrees": degrees,
        "quantile": quantile,
    }


def _together(value: Column, own: Spread, split: Split, scale: Scale) -> dict[str, Any]:
    """Draw the groups together, and test whether they differ; small ones take no part."""
    variance = np.where(split.enough, np.diagonal(own.covariance), np.nan)
    drawn = shrink(value, variance)
    joint, degrees = np.diag(variance), np.inf
    if is_dependent(split.design) or split.design.stratum is not None:
        joint, degrees = own.covariance.copy(), own.degrees
        np.fill_diagonal(joint, variance)
    return {
        "shrunk": _shown(drawn.value, scale),
        "shrunk_error": _slope(drawn.value, scale) * drawn.error,
        "homogeneity": homogeneity(value, joint, degrees),
    }


def _interval(value: Column, error: Column, degrees: Column, level: float, scale: Scale) -> Column:
    from scipy.special import stdtrit

    # Nothing that did not vary, and no single case, tells how far off it may be.
    known = (error > 0) & (degrees > 0) & np.isfinite(value)
    half = np.full(len(value), np.nan)
    half[known] = stdtrit(degrees[known], (1 + level) / 2) * error[known]
    if scale == "log":
        return np.exp(_around(value, half))
    left = 1 - value
    if scale == "plain" or not (left > 0).any():
        return _around(value, half)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.exp(_around(np.zeros(len(left)), half / left))
        ends = 1 - left[:, None] * factor[:, ::-1]
    return np.where(left[:, None] > 0, ends, _around(value, half))


def _around(middle: Column, half: Column) -> Column:
    with np.errstate(invalid="ignore"):
        return np.stack([middle - half, middle + half], axis=1)


def _shown(value: Column, scale: Scale) -> Column:
    return np.exp(value) if scale == "log" else value


def _slope(value: Column, scale: Scale) -> Column:
    """Return what a standard error is multiplied by to be one of the number that is shown."""
    return np.exp(value) if scale == "log" else np.ones(len(value))


def is_dependent(design: Design) -> bool:
    """Tell whether cases come in clusters, or follow one another in time."""
    return design.cluster is not None or design.time is not None
