"""How far off net benefit, and whatever else is made of four shares, may be at thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._cases import is_dependent
from properly._elementary import effective
from properly._grid import odds
from properly._score_interval import Term, reach, student, wilson
from properly._tally import Tally
from properly._variance import Spread, spread_of_means

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly._cases import Cases
    from properly._clusters import Rows
    from properly._grid import Acted

Column: TypeAlias = np.ndarray[Any, Any]
Bounds: TypeAlias = tuple[Column, Column]
Form: TypeAlias = Literal["share", "sum", "ratio", "log ratio"]

# An interval reaches so many half widths below and above the estimate.
EITHER = np.array([-1.0, 1.0])


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
    """Bound net benefit by its standard error, from what was gained in each cluster.

    It is never less than if all actions were in vain, nor more than if all cases were events.
    """
    events = np.bincount(rows.cluster, rows.weight * rows.happened, rows.clusters)
    costs = rows.costs(rows.p, rows.happened, threshold)
    # The costs are on the Brier scale, twice the regret.
    gains = (events - cost / (2 * (1 - t)) for t, cost in zip(threshold, costs, strict=True))
    mean, error = rows.mean_and_error(gains)
    margin = error * student(rows.clusters - 1, level)
    margin[threshold > rows.p.max()] = np.nan
    return np.maximum(mean - margin, -odds(threshold)), np.minimum(mean + margin, 1.0)


class Fourfold(NamedTuple):
    """Cases of four kinds, and the sums of their squared weights.

    Acted upon with the event and without it, then not acted upon with it and without it.
    """

    weight: Column
    squares: Column

    @property
    def cases(self) -> float:
        """The number of cases that equal weights would need to be as precise."""
        return effective(self.weight.sum(), self.squares.sum())

    def tally(self) -> Tally:
        """Give all who are not acted upon one forecast, and all who are another."""
        weight, squares = (x.reshape(2, 2)[::-1] for x in self)
        columns = [weight.sum(axis=1), weight[:, 0], squares[:, 0], squares[:, 1]]
        return Tally._of([np.array([0.0, 1.0]), *columns])  # noqa: SLF001


class Ratio(NamedTuple):
    """What a case of each of the four kinds adds to a numerator and to a denominator.

    It is a share of some of the cases, a sum of two shares of all, or another ratio, which may be
    more nearly normal as a logarithm.
    """

    above: Column
    below: Column
    form: Form

    def of(self, table: Fourfold) -> float:
        """Return the ratio of the two sums."""
        return float(self.above @ table.weight / (self.below @ table.weight))

    def influence(self, table: Fourfold) -> Column:
        """Return how far a case of each kind moves the ratio, as an amount whose mean is 0."""
        away: Column = self.above - self.of(table) * self.below
        away *= table.weight.sum() / (self.below @ table.weight)
        return away


def threshold_intervals(
    source: Tally | Cases, table: Fourfold, acted: Column, ratios: Mapping[str, Ratio], level: float
) -> dict[str, Column]:
    """Bound ratios at one threshold, given which of the distinct forecasts are acted upon."""
    influence = np.stack([ratio.influence(table) for ratio in ratios.values()])
    halves = _spread(source, table, influence, acted).half_widths(level).tolist()
    # Score intervals take cases as independent.
    score = None if is_dependent(source) else level
    return {
        name: _ends(ratio, table, half, score)
        for (name, ratio), half in zip(ratios.items(), halves, strict=True)
    }


def _spread(source: Tally | Cases, table: Fourfold, influence: Column, acted: Column) -> Spread:
    """Find how far the ratios spread; of independent cases, from the four kinds alone."""
    if not is_dependent(source):
        source, acted = table.tally(), np.array([False, True])
    if_event, if_none = (
        np.where(acted, influence[:, [yes]], influence[:, [no]]) for yes, no in ((0, 2), (1, 3))
    )
    return spread_of_means(source, if_event, if_none)


def _ends(ratio: Ratio, table: Fourfold, half: float, score: float | None) -> Column:
    """Bound a ratio by half the width of its interval, or by score intervals of that level."""
    # Not minus zero, which nobody wants to read.
    estimate, least, most = ratio.of(table), ratio.above.min() + 0.0, ratio.above.max()
    ends: Column = estimate + EITHER * half
    if ratio.form == "log ratio":
        # A ratio of losses is skewed; its logarithm is less so.
        return np.asarray(estimate * np.exp(EITHER * half / estimate))
    if ratio.form == "ratio":
        # Where nobody is acted upon, net benefit is 0, or minus the harm, whatever happens.
        return np.minimum(ends, most if table.weight[:2].any() else np.nan)
    if score is not None:
        ends = (_share if ratio.form == "share" else _sum)(ratio, table, score)
    return ends.clip(least, most)


def _share(ratio: Ratio, table: Fourfold, level: float) -> Column:
    """Return Wilson's interval of a share of some of the cases."""
    n = effective(ratio.below @ table.weight, ratio.below @ table.squares)
    return np.array(wilson(ratio.of(table), n, level))


def _sum(ratio: Ratio, table: Fourfold, level: float) -> Column:
    """Bound a sum of two shares of all cases, one of events and one of others.

    Those who count among the events count the same, acted upon or not, and so do the others; what
    counts only if somebody is acted upon, or is not, cannot be more where nobody is.
    """
    somebody = np.repeat([table.weight[:2].any(), table.weight[2:].any()], 2)
    share, counted = table.weight / table.weight.sum(), ratio.above != 0
    terms = [
        Term(
            ratio.above[outcome][np.argmax(counted[outcome])],
            share[outcome] @ counted[outcome],
            (somebody & counted)[outcome].any(),
        )
        for outcome in (slice(0, None, 2), slice(1, None, 2))
    ]
    n, estimate = table.cases, ratio.of(table)
    if n <= 1 or not (terms[0].possible or terms[1].possible):
        return np.full(2, np.nan)
    ends: Column = estimate + EITHER * np.array(reach(terms[0], terms[1], n, level))
    return ends
