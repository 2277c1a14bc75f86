"""What the cases of a group add up to, of which only counts and sums are known."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._libraries import to_numpy
from properly.engines._exact import UNIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.counts._tally import Tally
    from properly.engines._exact import ScoreSums
    from properly.rules import BinaryRule

Column: TypeAlias = np.ndarray[Any, Any]

# What differs from a mean by rounding alone does not differ.
ROUNDING = 1e-14


class Known(NamedTuple):
    """What is known of the cases of one group, under one rule.

    The four numbers of a case are 1, its loss, its outcome and its forecast. `total` has their
    weighted sums, `about` the sums of products of two deviations from the group's means, with
    squared weights, and `third` those of three, with cubes. Where the cases at a forecast differ in
    weight, their cubes are taken to add up to the least that they can.
    """

    total: Column
    about: Column
    third: Column

    @property
    def mean(self) -> Column:
        """The weighted means; the first is 1."""
        found: Column = self.total / self.total[0]
        return found


def known_of(sums: ScoreSums, tally: Tally, rule: BinaryRule, model: str) -> Known:
    """Put together what sums say exactly, and what the counts at each forecast add to it."""
    r, j = [repr(x) for x in sums.rules].index(repr(rule)), sums.models.index(model)
    exact = sums.totals
    value, weight = (to_numpy(x).astype(np.float64) for x in (tally.value, tally.weight))
    endless = float(exact["infinite", r, j]) > 0
    loss = math.inf if endless else float(exact["loss", r, j])
    total = np.array([float(exact["weight",]), loss, float(exact["event",]), float(value @ weight)])
    about, third = _counted(tally, rule, total)
    if not endless:
        about[:3, :3] = _exact_about(sums, r, j)
    return Known(total, about, third)


def _counted(tally: Tally, rule: BinaryRule, total: Column) -> tuple[Column, Column]:
    """Add up products of deviations over the forecasts of a tally, both outcomes of each."""
    value, weight, events = (
        to_numpy(x).astype(np.float64) for x in (tally.value, tally.weight, tally.events)
    )
    about, third = np.zeros((4, 4)), np.zeros((4, 4, 4))
    sides = {True: events, False: weight - events}
    squares: dict[bool, Column] = sides
    if tally.event_squares is not None and tally.nonevent_squares is not None:
        squares = {True: to_numpy(tally.event_squares), False: to_numpy(tally.nonevent_squares)}
    # Of an infinite mean nothing is said, but the outcomes and forecasts still are.
    finite = math.isfinite(total[1])
    mean = np.where(np.isfinite(total), total, 0.0) / total[0]
    for happened, cases in sides.items():
        seen = (cases > 0) & (squares[happened] > 0)
        y, square = np.full(int(seen.sum()), happened), squares[happened][seen]
        price = rule.loss_if_event if happened else rule.loss_if_none
        loss = price(value[seen]) if finite else np.zeros(len(y))
        case = np.stack([np.ones(len(y)), loss, y, value[seen]])
        away = case - mean[:, None]
        away[np.abs(away) <= ROUNDING * np.abs(case)] = 0.0
        # What is said of all cases alike is no deviation.
        away[0] = 1.0
        about += (away * square) @ away.T
        scaled = away * (square**2 / cases[seen])
        third += np.einsum("ai,bi,ci->abc", scaled, away, away, optimize=True)
    return about, third


def _exact_about(sums: ScoreSums, r: int, j: int) -> Column:
    """Subtract the means of the loss and of the outcome from exact sums, before any rounding."""
    weight, loss, event = (
        _fraction(sums, *key) for key in (("weight",), ("loss", r, j), ("event",))
    )
    keys = (
        (("weight2",), ("loss_weight", r, j), ("event_weight",)),
        (("loss_weight", r, j), ("loss2", r, j), ("loss_event", r, j)),
        (("event_weight",), ("loss_event", r, j), ("event2",)),
    )
    raw = [[_fraction(sums, *key) for key in row] for row in keys]
    mean = (Fraction(0), loss / weight, event / weight)
    return np.array([[float(_about(raw, mean, a, b)) for b in range(3)] for a in range(3)])


def _about(raw: list[list[Fraction]], mean: Sequence[Fraction], a: int, b: int) -> Fraction:
    """Return the sum of the products of two deviations, of which the first is always 1."""
    return raw[a][b] - mean[a] * raw[0][b] - mean[b] * raw[a][0] + mean[a] * mean[b] * raw[0][0]


def _fraction(sums: ScoreSums, *key: Any) -> Fraction:
    return Fraction(sums.totals[key].scaled, UNIT)
