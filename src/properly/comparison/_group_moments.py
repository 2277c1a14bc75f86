"""What the cases of each group add up to: enough for every number that groups are compared by.

Every such number has influences that are linear in what is known of a case: its loss, its outcome
and its forecast. So sums over the cases of each group, of their products up to the third, say all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._infinities import infinities
from properly.comparison._contrasts import GroupSplit, InfluenceSums, contrast_sums
from properly.counts._cases import rows_in_use
from properly.counts._scoring import losses
from properly.inference._moments import Moments, Spread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from properly._boundary._options import Drawing
    from properly.comparison._contrasts import Contrast, Scale
    from properly.counts._cases import Cases
    from properly.rules import BinaryRule
    from properly.typing import Column


def moments_of_rows(cases: Cases, rule: BinaryRule, number: Column, groups: int) -> list[Moments]:
    """Add up the cases of each group, in one pass over all; `number` is the group of each."""
    y, p, weight, _ = rows_in_use(cases)
    amount = np.stack([losses(cases, rule), y, p])
    order = np.argsort(number, kind="stable")
    amount, weight = amount[:, order], weight[order]
    end = np.cumsum(np.bincount(number, minlength=groups)).tolist()
    pieces = (slice(i, j) for i, j in zip([0, *end[:-1]], end, strict=True))
    sums = [Moments.from_rows(amount[:, some], weight[some], third=True) for some in pieces]
    # Of an infinite mean nothing is said, but the outcomes and forecasts still are.
    return [
        replace(x, about=np.nan_to_num(x.about), third=np.nan_to_num(np.asarray(x.third)))
        if np.isinf(x.mean[0])
        else x
        for x in sums
    ]


class GroupNumber(NamedTuple):
    """A number of a selection of cases, and what the four numbers of a case add to it."""

    value: float
    turn: Column


def compare_moments(
    moments: Sequence[Moments], rule: BinaryRule, split: GroupSplit, drawing: Drawing
) -> dict[str, Contrast]:
    """Compare the score, the skill and observed to expected events."""
    measures: dict[str, tuple[Callable[[Column], GroupNumber], Scale]] = {
        "score": (_score, "plain")
    }
    if rule.is_proper:
        measures["skill"] = (lambda total: _skill(total, rule), "share")
    measures["observed_expected"] = (_observed, "log")
    whole = np.sum([x.total for x in moments], axis=0)
    return {
        name: contrast_sums(
            _add_up(of, moments, split),
            split.for_measure(name),
            scale,
            overall=of(whole).value,
            level=drawing.level,
            rng=drawing.rng,
        )
        for name, (of, scale) in measures.items()
    }


def _score(total: Column) -> GroupNumber:
    """Return the mean loss."""
    weight, loss = total[:2]
    return GroupNumber(loss / weight, np.array([-loss / weight, 1, 0, 0]) / weight)


def _skill(total: Column, rule: BinaryRule) -> GroupNumber:
    """Return the share of the loss of saying the selection's own event rate that is saved."""
    weight, loss, events, _ = total
    rate = np.array([min(events / weight, 1.0)])
    if_event = float(rule.loss_if_event(rate)[0]) if events > 0 else 0.0
    if_none = float(rule.loss_if_none(rate)[0]) if events < weight else 0.0
    below = if_event * events + if_none * (weight - events)
    with infinities():
        ratio = np.float64(loss) / below
        turn = np.array([-ratio * if_none, 1, -ratio * (if_event - if_none), 0]) / np.float64(below)
    return GroupNumber(float(1 - ratio), -turn)


def _observed(total: Column) -> GroupNumber:
    """Return the logarithm of events observed to events expected."""
    _, _, events, forecast = total
    with infinities():
        value = np.log(np.float64(events) / np.float64(forecast))
        turn = np.array([0, 0, 1 / np.float64(events), -1 / np.float64(forecast)])
    return GroupNumber(float(value), turn)


# Products that are no doubles leave numbers without an error that could be told.
@infinities()
def _add_up(
    of: Callable[[Column], GroupNumber], moments: Sequence[Moments], split: GroupSplit
) -> InfluenceSums:
    """Add influences up over the cases of each group, and of each rest."""
    groups, every = len(moments), int(split.units.inside.sum())
    totals = np.stack([x.total for x in moments])
    # Not all less these: what is infinite in one group is finite in its rest.
    others = (np.delete(totals, k, axis=0).sum(axis=0) for k in range(groups))
    sides = [list(map(of, totals)), list(map(of, others))]
    value, rest = (np.array([x.value for x in side]) for side in sides)
    inside, outside = (
        _turns(side, scale) for side, scale in zip(sides, _scales(split), strict=True)
    )
    squares, cubes = np.zeros((2, groups)), np.zeros(groups)
    joint = np.zeros((groups, groups))
    for k, group in enumerate(moments):
        # What a case of this group adds to each difference: to its own from inside.
        turn = -outside
        turn[k] = inside[k]
        here = group.products_of(turn)
        cubes += group.cubes_of(turn)
        # A sum of squares is not negative, whatever rounding leaves of it.
        own = np.maximum(np.diagonal(here), 0.0)
        np.fill_diagonal(here, own)
        joint += here
        squares[0, k] = own[k]
        squares[1] += np.where(np.arange(groups) == k, 0.0, own)
    alone = Spread(np.diag(squares[0]), every - 1)
    with infinities():
        skew = np.where(np.diagonal(joint) > 0, cubes / np.diagonal(joint) ** 1.5, 0.0)
    return InfluenceSums(value, rest, alone, Spread(joint, every - 1), squares, skew)


def _turns(side: Sequence[GroupNumber], scale: Column) -> Column:
    """Stack what cases add; NaN where that, or the number itself, is not finite."""
    turns = np.stack([x.turn for x in side])
    known = np.isfinite([x.value for x in side]) & np.isfinite(turns).all(axis=1)
    return np.where(known[:, None], turns, np.nan) * scale[:, None]


def _scales(split: GroupSplit) -> Column:
    """Return what makes the variance of a selection that of its own cases."""
    own = np.stack([split.units.inside, split.units.outside])
    with infinities():
        scale = np.sqrt(own / (own - 1))
    return np.where(own > 1, scale, np.nan)
