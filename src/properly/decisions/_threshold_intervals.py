"""Intervals at thresholds: of net benefit, and of other ratios of true and false positives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._interrupts import checked
from properly.counts._cases import Cases, is_dependent
from properly.counts._tally import Tally
from properly.decisions._elementary import CaseRows, Split, rows_of
from properly.decisions._grid import odds
from properly.inference import _shares
from properly.inference._design import Design
from properly.inference._moments import Moments, Spread
from properly.inference._shares import ShareTerm, wilson
from properly.inference._variance import spread_of_totals
from properly.typing import Column

Form: TypeAlias = Literal["share", "sum", "ratio", "log ratio"]

# An interval reaches so many half widths below and above the estimate.
EITHER = np.array([[-1.0], [1.0]])
# A sum this much smaller than what was added up is what rounding left.
CANCELLED = 1e-14
# So many kinds of cases can be put together.
TWO = 2
# Which of the four kinds have the event.
EVENT = np.array([[True], [False], [True], [False]])


def over_kinds(x: Column) -> Column:
    """Add up the four kinds one after the other, the same for one threshold as for many."""
    return np.asarray(x[0] + x[1] + x[2] + x[3])


class Fourfold(NamedTuple):
    """Cases of four kinds at each threshold, and the sums of their squared weights.

    Acted upon with the event and without it, then not acted upon with it and without it: a row a
    kind, a column a threshold.
    """

    weight: Column
    squares: Column

    @classmethod
    def of(cls, split: Split) -> Fourfold:
        """Count, and square, who is acted upon, and who is left: the events first."""
        both = (split.counts.events, split.counts.nonevents), split.counts[:2:-1]
        sums = (
            np.concatenate([add_up(x) for add_up in (split.acted, split.left) for x in columns])
            for columns in both
        )
        return cls(*(x.astype(np.float64) for x in sums))

    @property
    def cases(self) -> Column:
        """The number of cases that equal weights would need to be as precise."""
        return np.asarray(over_kinds(self.weight) ** 2 / over_kinds(self.squares))

    @property
    def some(self) -> Column:
        """Whether anybody is acted upon, or is not, for each kind."""
        return np.repeat(self.weight.reshape(2, 2, -1).any(axis=1), 2, axis=0)

    def heavy(self, kinds: Column) -> Column:
        """Return squared weight over weight of some kinds.

        Without a case, they might be as heavy as those with the same outcome, or as those of the
        same action; the heavier of the two is on the safe side.
        """
        if (self.squares == self.weight).all():
            return np.ones(self.weight.shape[1])
        table = np.broadcast_to(kinds, self.weight.shape).reshape(2, 2, -1)
        alike = np.tile(table.any(axis=0), (2, 1)), np.repeat(table.any(axis=1), 2, axis=0)
        own, *others = (
            over_kinds(self.squares * x) / over_kinds(self.weight * x) for x in (kinds, *alike)
        )
        return np.nan_to_num(np.where(np.isnan(own), np.fmax(*others), own), nan=1.0)

    def share(self, counted: Column, among: Column) -> tuple[Column, Column]:
        """Return a share of some kinds, and its own number of cases."""
        kinds = counted & among, ~counted & among
        inside, outside = (over_kinds(self.weight * x) for x in kinds)
        spread = self.heavy(kinds[0]) * outside + self.heavy(kinds[1]) * inside
        return inside / (inside + outside), (inside + outside) ** 2 / spread


class Ratio(NamedTuple):
    """What a case of each of the four kinds adds to a numerator and to a denominator.

    It is a share of some of the cases, a sum of two shares of all, or another ratio, which may be
    more nearly normal as a logarithm. Columns are thresholds, or a single one for all of them.
    """

    above: Column
    below: Column
    form: Form

    def of(self, table: Fourfold) -> Column:
        """Return the ratio of the two sums."""
        below = over_kinds(self.below * table.weight)
        return np.asarray(over_kinds(self.above * table.weight) / below)

    @property
    def is_scored(self) -> bool:
        """Whether it is made of shares of one or two kinds; a harm counts for all four."""
        kinds = int(np.count_nonzero(self.above, axis=0).max())
        return self.form in ("share", "sum") or kinds <= TWO

    @property
    def limits(self) -> tuple[Any, Any]:
        """The least and the greatest value there can be."""
        # Not minus zero, which nobody wants to read.
        least, most = self.above.min(axis=0) + 0.0, self.above.max(axis=0)
        by_form = {"ratio": (-np.inf, most), "log ratio": (0.0, np.inf)}
        return by_form.get(self.form, (least, most))

    def influence(self, table: Fourfold) -> Column:
        """Return how far a case of each kind moves the ratio, as an amount whose mean is 0."""
        away: Column = self.above - self.of(table) * self.below
        away = np.where(np.abs(away) <= CANCELLED * np.abs(self.above), 0.0, away)
        return away * (over_kinds(table.weight) / over_kinds(self.below * table.weight))


class Score(NamedTuple):
    """What score intervals take: a quantile, and how many cases tell as much as one alone would."""

    quantile: Any
    design: Any

    def wilson(self, share: Column, cases: Column) -> Column:
        """Return both ends of the interval of a share."""
        return np.array(wilson(share, cases / self.design, self.quantile))


def threshold_intervals(
    source: CaseRows | None, table: Fourfold, c: Column, ratios: Mapping[str, Ratio], level: float
) -> dict[str, Column]:
    """Bound ratios at thresholds c, given the cases of the four kinds there: two rows of ends."""
    if source is None and all(ratio.is_scored for ratio in ratios.values()):
        alone = Score(_shares.normal(level), 1.0)
        return {name: _ends(ratio, table, np.nan, alone) for name, ratio in ratios.items()}
    influence = np.stack([ratio.influence(table) for ratio in ratios.values()])
    halves, quantiles, designs = [], [], []
    for k, at in enumerate(checked(c.tolist())):
        amounts = influence[:, :, k]
        spread = _spread(source, table, amounts, (k, at))
        halves.append(spread.half_widths(level))
        # A ratio of variances: dependent cases say as much as fewer independent ones.
        alone = np.square(amounts) @ table.squares[:, k] / table.weight[:, k].sum() ** 2
        effect = _shares.design_effect(np.diagonal(spread.covariance), alone)
        designs.append(np.ones(len(alone)) if source is None else effect)
        quantiles.append(
            _shares.normal(level) if source is None else _shares.student(spread.degrees, level)
        )
    quantile = np.array(quantiles)
    parts = zip(ratios.items(), np.stack(halves, axis=1), np.stack(designs, axis=1), strict=True)
    return {
        name: _ends(ratio, table, half, Score(quantile, effect))
        for (name, ratio), half, effect in parts
    }


def sampled(source: Tally | Cases) -> CaseRows | None:
    """Take the rows of dependent cases once; of independent ones, the four kinds are enough."""
    if not (isinstance(source, Cases) and is_dependent(source)):
        return None
    rows, design = rows_of(source), Design.of(source)
    return rows._replace(design=design, unit=np.asarray(design.unit))


def _spread(
    rows: CaseRows | None, table: Fourfold, influence: Column, at: tuple[int, float]
) -> Spread:
    """Find how far the ratios spread at one threshold, given its place among all."""
    k, c = at
    if rows is None:
        return Moments.from_kinds(influence, table.weight[:, k], table.squares[:, k]).spread
    # From what units weigh in the four kinds, as these stand in a table: no number for each row.
    place = 4 * rows.unit + 2 * (rows.p < c) + (rows.happened == 0)
    weight = (
        np.bincount(place, rows.weight, 4 * rows.design.units).reshape(-1, 4).T / rows.weight.sum()
    )
    spread, degrees = spread_of_totals(weight, rows.design)
    joint, most = (x @ y @ x.T for x, y in ((influence, spread), (abs(influence), abs(spread))))
    if rows.design.is_panel:
        joint = spread_of_totals(influence @ weight, rows.design).covariance
    # What cancels within units but for rounding does not vary.
    return Spread(np.where(np.abs(joint) <= CANCELLED * most, 0.0, joint), degrees)


def _ends(ratio: Ratio, table: Fourfold, half: Any, score: Score) -> Column:
    """Bound a ratio by score intervals, or else by half the width of its interval."""
    estimate = ratio.of(table)
    if ratio.form == "log ratio":
        # A ratio of losses is skewed; its logarithm is less so.
        ends = estimate * np.exp(EITHER * half / estimate)
    else:
        # Where nobody is acted upon, net benefit is 0, or minus the harm, whatever happens.
        varies = (ratio.form != "ratio") | table.weight[:2].any(axis=0)
        ends = estimate + EITHER * np.where(varies, half, np.nan)
    if ratio.is_scored:
        scored = {"share": _share, "sum": _sum}.get(ratio.form, _relative)(ratio, table, score)
        ends = np.where(np.isnan(score.design), ends, scored)
    return np.asarray(ends.clip(*ratio.limits))


def _share(ratio: Ratio, table: Fourfold, score: Score) -> Column:
    """Return Wilson's interval of a share of some of the cases."""
    return score.wilson(*table.share(ratio.above > 0, ratio.below > 0))


def _sum(ratio: Ratio, table: Fourfold, score: Score) -> Column:
    """Bound a sum of two shares of all cases, one of events and one of others.

    Those who count among the events count the same, acted upon or not, and so do the others; what
    counts only if somebody is acted upon, or is not, cannot be more where nobody is.
    """
    one, other = (_term(ratio, table, outcome) for outcome in (EVENT, ~EVENT))
    varies = (table.cases > 1) & (one.possible | other.possible)
    margins = np.array(_shares.reach(one, other, table.cases / score.design, score.quantile))
    return np.asarray(ratio.of(table) + EITHER * np.where(varies, margins, np.nan))


def _term(ratio: Ratio, table: Fourfold, outcome: Column) -> ShareTerm:
    """Return what the cases of one outcome add to a sum."""
    counted = outcome & (ratio.above != 0)
    # An amount of zero, which counts nobody, has no share either.
    acted, left = ratio.above[outcome[:, 0]]
    heavy = table.heavy(counted) / table.heavy(EVENT | ~EVENT)
    share = over_kinds(table.weight * counted) / over_kinds(table.weight)
    amount = np.where(acted != 0, acted, left)
    return ShareTerm(amount, share, (table.some & counted).any(axis=0), heavy)


def _relative(ratio: Ratio, table: Fourfold, score: Score) -> Column:
    """Bound what is lost, or gained, per case of one outcome.

    Of those with this outcome it is a share. Of the others it is their number over that of the
    former, the odds of a share of both. The distances to the ends of the two add up as standard
    deviations do.
    """
    among, counted = ratio.below > 0, ratio.above != 0
    inside, outside = counted & among, counted & ~among
    share, n = table.share(inside, among)
    part, both = table.share(outside, among | outside)
    # Where all are acted upon, or nobody is, those with the outcome are so for certain.
    ends = np.where(table.some.all(axis=0), score.wilson(share, n), share)
    others = np.where((table.some & outside).any(axis=0), score.wilson(part, both), part)
    one, other = (
        over_kinds(ratio.above * kinds) / ratio.below.max(axis=0) for kinds in (inside, outside)
    )
    moved = np.sort(one * (ends - share), axis=0)
    others = np.sort(other * (odds(others) - part / (1 - part)), axis=0)
    away = _shares.together(moved, others, _correlation(ratio, table))
    varies = (table.cases > 1) & away.any(axis=0)
    return np.asarray(ratio.of(table) + EITHER * np.where(varies, away, np.nan))


def _correlation(ratio: Ratio, table: Fourfold) -> Column:
    """Correlate the part of such a ratio with the outcome and the part without it, by influence.

    It is 0 but for weights that differ between those with the outcome who count and who do not.
    """
    among = ratio.below > 0
    parts = [Ratio(np.where(x, ratio.above, 0.0), ratio.below, "ratio") for x in (among, ~among)]
    one, other = (part.influence(table) for part in parts)
    products = [
        over_kinds(table.squares * (a * b)) for a, b in ((one, other), (one, one), (other, other))
    ]
    alike = np.nan_to_num(products[0] / np.sqrt(products[1] * products[2]))
    return np.asarray(alike.clip(-1, 1))
