"""Groups of cases of which only counts and sums are known, each against the rest.

Every number that is compared between groups has influences that are linear in what is known of a
case: its loss, its outcome and its forecast. So sums over the cases of each group, of their
products up to the third, say all that `properly.by_group` finds from the rows.

What the cases of a group add up to, of which only counts and sums are known.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._labels import names_of_labels
from properly._boundary._libraries import to_numpy
from properly._boundary._options import as_drawing
from properly._boundary._text import many
from properly.comparison._contrasts import Split, bounded
from properly.comparison._group_moments import ROUNDING, GroupMoments, compare_moments
from properly.comparison._group_variance import Units
from properly.comparison._groups import (
    FOR_CLUSTERS,
    FOR_INTERVAL,
    Counted,
    calibrate_groups,
    count_rarer,
    warn_of_groups,
)
from properly.comparison._groups_record import Groups
from properly.counts._cases import numbered
from properly.counts._scoring import unit_of
from properly.counts._tally import weighed
from properly.errors import DataError
from properly.evaluation._summed_scores import CANCELLED
from properly.inference._design import Design

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from properly.counts._tally import Tally
    from properly.engines._score_sums import ScoreSums
    from properly.engines._summary import Summary
    from properly.rules import BinaryRule
    from properly.typing import Column


def moments_of(sums: ScoreSums, tally: Tally, rule: BinaryRule, model: str) -> GroupMoments:
    """Put together what sums say exactly, and what the counts at each forecast add to it."""
    r, j = [repr(x) for x in sums.rules].index(repr(rule)), sums.models.index(model)
    value, weight = (to_numpy(x).astype(np.float64) for x in (tally.value, tally.weight))
    endless = sums.totals["infinite", r, j] > 0
    loss = math.inf if endless else sums.totals["loss", r, j]
    total = np.array([sums.totals["weight",], loss, sums.totals["event",], float(value @ weight)])
    about, third = _counted(tally, rule, total)
    if not endless:
        about[:3, :3] = _about_means(sums, r, j)
    return GroupMoments(total, about, third)


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


def _about_means(sums: ScoreSums, r: int, j: int) -> Column:
    """Return sums of products of deviations of the loss and of the outcome; the first is 1."""
    keys = (
        (("weight2",), ("loss_weight", r, j), ("event_weight",)),
        (("loss_weight", r, j), ("loss2", r, j), ("loss_event", r, j)),
        (("event_weight",), ("loss_event", r, j), ("event2",)),
    )
    raw = np.array([[sums.totals[key] for key in row] for row in keys])
    mean = np.array([0.0, sums.mean("loss", r, j), sums.mean("event")])
    moved = np.outer(mean, raw[0]) + np.outer(raw[0], mean)
    about: Column = raw - moved + np.outer(mean, mean) * raw[0, 0]
    about[np.abs(about) <= CANCELLED * np.abs(raw)] = 0.0
    return about


def summed_groups(
    summary: Summary,
    model: str,
    rule: BinaryRule,
    *,
    calibration: bool,
    level: float,
    replicates: int,
    rng: int | np.random.Generator,
) -> Groups:
    """Score groups of cases by a rule of the summary, and compare each with the rest."""
    labels = _labels(summary.groups)
    parts = [summary.groups[label] for label in labels]
    drawing = as_drawing(level, replicates, rng)
    tallies = [part.tallies[model] for part in parts]
    weights = [weighed(tally) for tally in tallies]
    counted = _count(parts, labels, weights)
    warn_of_groups(counted, is_event=True)
    split = _split(counted)
    both = zip(parts, weights, strict=True)
    moments = [moments_of(part.sums, tally, rule, model) for part, tally in both]
    total, events, forecast = (np.array([x.total[k] for x in moments]) for k in (0, 2, 3))
    within = calibration and not summary.is_weighted
    return Groups(
        labels=tuple(labels),
        name=names_of_labels(labels),
        cases=counted.cases,
        events=np.array([part.sums.totals["event_rows",] for part in parts]),
        event_rate=events / total,
        mean_forecast=forecast / total,
        measures=bounded(compare_moments(moments, rule, split, drawing), rule.range),
        calibration=calibrate_groups(tallies, rule, split.enough, drawing) if within else None,
        units=split.units.inside,
        enough=split.enough,
        rule=rule.name,
        unit=unit_of(rule),
        design=many(int(counted.cases.sum()), "independent case"),
        level=drawing.level,
        replicates=drawing.replicates,
    )


def _labels(groups: Mapping[Any, Summary]) -> list[Any]:
    """Put the labels in order, if they have one."""
    every = list(groups)
    if len(every) < 2:
        message = f"a group is compared with the rest; got the single group {every[0]!r}"
        raise DataError(message)
    column = np.empty(len(every), dtype=object)
    column[:] = every
    labels: list[Any] = numbered(column)[1]
    return labels


def _count(parts: Sequence[Summary], labels: list[Any], tallies: Sequence[Tally]) -> Counted:
    """Count the cases of positive weight in each group, and the expected rarer outcomes."""
    cases = np.array([part.rows for part in parts])
    sums = np.array([_expected(tally) for tally in tallies])
    return Counted(np.zeros(0, dtype=np.intp), labels, cases, count_rarer(sums[:, 0], sums[:, 1]))


def _expected(tally: Tally) -> tuple[list[float], list[float]]:
    """Add up weights, and their squares, by the probabilities of the event and of none."""
    value, weight = (to_numpy(x).astype(np.float64) for x in (tally.value, tally.weight))
    square = weight
    if tally.event_squares is not None and tally.nonevent_squares is not None:
        square = to_numpy(tally.event_squares) + to_numpy(tally.nonevent_squares)
    weights, squares = ([float(x @ value), float(x @ (1 - value))] for x in (weight, square))
    return weights, squares


def _split(counted: Counted) -> Split:
    """Mark the groups, and the rests, with enough expected outcomes."""
    inside = counted.cases
    outside = inside.sum() - inside
    with np.errstate(divide="ignore"):
        common = np.diag(1 / (inside - 1.0))
    units = Units(inside, outside, np.zeros(len(inside)), common, inside - 1.0, outside - 1.0)
    enough = (counted.rarer >= FOR_INTERVAL) & (np.stack([inside, outside]) >= FOR_CLUSTERS)
    design = Design(np.ones(0))
    return Split(counted.number, design, units, enough[0], enough[1], counted.rarer)
