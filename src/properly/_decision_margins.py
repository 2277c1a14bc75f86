"""How far off net benefit, and whatever else is made of four shares, may be at thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._elementary import effective
from properly._grid import odds
from properly._score_interval import Term, reach, student, wilson
from properly._variance import Spread, spread_of_means

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly._cases import Cases
    from properly._clusters import Rows
    from properly._grid import Acted
    from properly._tally import Tally

Column: TypeAlias = np.ndarray[Any, Any]
Bounds: TypeAlias = tuple[Column, Column]

SHARES = (
    "acted",
    "true_positives",
    "false_positives",
    "accuracy",
    "true_positive_rate",
    "false_positive_rate",
    "precision",
)
# An interval reaches so many half widths below and above the estimate.
EITHER = np.array([-1.0, 1.0])
SUMS = ("regret", "net_benefit", "treat_all", "interventions_avoided")


def share_bounds(acted: Acted, total: float, squares: float, level: float) -> Bounds:
    """Bound the shares of true and of false alarms by score intervals, and put these together.

    True alarms may be few and each worth many false ones, so a standard error from those that were
    found is not to be trusted. Where nobody is acted upon, nothing is learnt about who would be.
    """
    mean, n = acted.benefit(total), effective(total, squares)
    nobody = acted.events + acted.nonevents == 0
    if n <= 1:
        return np.full_like(mean, np.nan), np.full_like(mean, np.nan)
    true, false = (x / total for x in (acted.events, acted.nonevents))
    down, up = reach(
        Term(1.0, true, ~nobody), Term(-odds(acted.threshold), false, ~nobody), n, level
    )
    return np.where(nobody, np.nan, mean - down), np.where(nobody, np.nan, mean + up)


def cluster_bounds(rows: Rows, threshold: Column, level: float) -> Bounds:
    """Bound net benefit by its standard error, from what was gained in each cluster."""
    events = np.bincount(rows.cluster, rows.weight * rows.happened, rows.clusters)
    costs = rows.costs(rows.p, rows.happened, threshold)
    # The costs are on the Brier scale, twice the regret.
    gains = (events - cost / (2 * (1 - t)) for t, cost in zip(threshold, costs, strict=True))
    mean, error = rows.mean_and_error(gains)
    margin = error * student(rows.clusters - 1, level)
    margin[threshold > rows.p.max()] = np.nan
    return mean - margin, mean + margin


class Cells(NamedTuple):
    """Cases of four kinds, and the sums of their squared weights.

    Acted upon with the event and without it, then not acted upon with it and without it.
    """

    weight: Column
    squares: Column

    @property
    def cases(self) -> float:
        """The number of cases that equal weights would need to be as precise."""
        return effective(self.weight.sum(), self.squares.sum())


class Ratio(NamedTuple):
    """What a case of each of the four kinds adds to a numerator and to a denominator."""

    above: Column
    below: Column

    def of(self, cells: Cells) -> float:
        """Return the ratio of the two sums."""
        return float(self.above @ cells.weight / (self.below @ cells.weight))

    def influence(self, cells: Cells) -> Column:
        """Return how far a case of each kind moves the ratio, as an amount whose mean is 0."""
        away: Column = self.above - self.of(cells) * self.below
        away *= cells.weight.sum() / (self.below @ cells.weight)
        return away


def threshold_intervals(
    source: Tally | Cases, cells: Cells, acted: Column, ratios: Mapping[str, Ratio], level: float
) -> dict[str, Column]:
    """Bound ratios at one threshold, given which of the distinct forecasts are acted upon."""
    influence = np.stack([ratio.influence(cells) for ratio in ratios.values()])
    dependent = any(getattr(source, name, None) is not None for name in ("clusters", "time"))
    spread = _spread(source, influence, acted) if dependent else _spread_of_cells(cells, influence)
    half = dict(zip(ratios, spread.half_widths(level).tolist(), strict=True))
    ends = {name: ratio.of(cells) + EITHER * half[name] for name, ratio in ratios.items()}
    if not dependent:
        ends |= {name: _share(ratios[name], cells, level) for name in SHARES}
        ends |= {name: _sum(ratios[name], cells, level) for name in SUMS}
    ends |= {name: ends[name].clip(0, ratios[name].above.max()) for name in (*SHARES, "regret")}
    # A ratio of losses is skewed; its logarithm is less so.
    relative = ratios["relative_regret"].of(cells)
    ends["relative_regret"] = relative * np.exp(EITHER * half["relative_regret"] / relative)
    if not cells.weight[:2].any():
        # Net benefit is 0, or minus the harm, whatever happens.
        ends["standardized_net_benefit"] = np.full(2, np.nan)
    return ends


def _spread(source: Tally | Cases, influence: Column, acted: Column) -> Spread:
    """Allow for clusters or times, from the four amounts of each distinct forecast."""
    if_event, if_none = (
        np.where(acted, influence[:, [yes]], influence[:, [no]]) for yes, no in ((0, 2), (1, 3))
    )
    return spread_of_means(source, if_event, if_none)


def _spread_of_cells(cells: Cells, influence: Column) -> Spread:
    """Square the deviations of independent cases, of which there are four kinds."""
    influence = np.where(cells.squares > 0, influence, 0.0)
    summed = (cells.squares * influence) @ influence.T / cells.weight.sum() ** 2
    n = cells.cases
    return Spread(summed * n / (n - 1) if n > 1 else summed * np.nan, n - 1)


def _share(ratio: Ratio, cells: Cells, level: float) -> Column:
    """Return Wilson's interval of a share of some of the cases."""
    weight, squares = (ratio.below @ x for x in cells)
    return np.array(wilson(ratio.of(cells), weight**2 / squares, level))


def _sum(ratio: Ratio, cells: Cells, level: float) -> Column:
    """Bound a sum of two shares of all cases, one of events and one of others."""
    rows = np.repeat([cells.weight[:2].any(), cells.weight[2:].any()], 2)
    share, counted = cells.weight / cells.weight.sum(), ratio.above != 0
    terms = [
        Term(
            ratio.above[kind][np.argmax(counted[kind])],
            share[kind] @ counted[kind],
            (rows & counted)[kind].any(),
        )
        for kind in (slice(0, None, 2), slice(1, None, 2))
    ]
    n, estimate = cells.cases, ratio.of(cells)
    if n <= 1 or not (terms[0].possible or terms[1].possible):
        return np.full(2, np.nan)
    ends: Column = estimate + EITHER * np.array(reach(terms[0], terms[1], n, level))
    return ends
