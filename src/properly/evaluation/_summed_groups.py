"""Groups of cases of which only counts and sums are known, each against the rest.

Every number that is compared between groups has influences that are linear in what is known of a
case: its loss, its outcome and its forecast. So sums over the cases of each group, of their
products up to the third, say all that `properly.by_group` finds from the rows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._labels import names_of_labels
from properly._boundary._options import as_drawing
from properly._boundary._plain import many
from properly.comparison._contrasts import contrast_sums
from properly.comparison._group_calibration import calibrate_groups
from properly.comparison._group_degrees import Units
from properly.comparison._group_sums import FOR_SKEWNESS, Split, Sums
from properly.comparison._group_table import Groups
from properly.comparison._groups import FOR_CLUSTERS, FOR_INTERVAL, Counted, warn_of_groups
from properly.counts._cases import numbered
from properly.counts._losses import unit_of
from properly.errors import DataError
from properly.evaluation._group_moments import known_of
from properly.evaluation._judged_counts import in_runs, is_weighted, weighed
from properly.inference._design import Design
from properly.inference._variance import Spread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from properly._boundary._options import Drawing
    from properly.comparison._contrasts import Contrast
    from properly.comparison._group_sums import Scale
    from properly.counts._tally import Tally
    from properly.engines._exact import ScoreSums
    from properly.engines._summary import Summary
    from properly.evaluation._group_moments import Known
    from properly.rules import BinaryRule

Column: TypeAlias = np.ndarray[Any, Any]

# Draws of more forecasts, of all groups together, are of runs of neighbours; each group has so many
# at least.
MOST_DRAWN, RUNS, FEWEST = 20_000, 8_000, 2_000


class Measured(NamedTuple):
    """A number of a selection of cases, and what the four numbers of a case add to it."""

    value: float
    turn: Column


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
    counted = _count(parts, labels)
    warn_of_groups(counted, is_event=True)
    split = _split(counted)
    tallies = [weighed(part, model) for part in parts]
    known = [
        known_of(part.sums, tally, rule, model) for part, tally in zip(parts, tallies, strict=True)
    ]
    total, events, forecast = (np.array([x.total[k] for x in known]) for k in (0, 2, 3))
    within = calibration and not is_weighted(summary.sums)
    return Groups(
        labels=tuple(labels),
        name=names_of_labels(labels),
        cases=counted.cases,
        events=np.array([_number(part.sums, "event_rows") for part in parts]),
        event_rate=events / total,
        mean_forecast=forecast / total,
        measures=_measures(known, rule, split, drawing),
        calibration=_calibration(tallies, rule, split.enough, drawing) if within else None,
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
    found: list[Any] = numbered(column)[1]
    return found


def _count(parts: Sequence[Summary], labels: list[Any]) -> Counted:
    """Count the cases of positive weight in each group, and their rarer outcomes."""
    cases = np.array([_number(part.sums, "rows") for part in parts])
    events = np.array([_number(part.sums, "event_rows") for part in parts])
    rest = events.sum() - events, (cases - events).sum() - (cases - events)
    rarer, rarer_rest = np.minimum(events, cases - events), np.minimum(*rest)
    return Counted(np.zeros(0, dtype=np.intp), labels, cases, rarer, rarer_rest)


def _number(sums: ScoreSums, what: str) -> int:
    return int(float(sums.totals[what,]))


def _split(counted: Counted) -> Split:
    """Tell which groups, and which rests, have the outcomes that it takes."""
    inside = counted.cases
    outside = inside.sum() - inside
    units = Units(
        inside, outside, np.zeros_like(inside), np.diag(inside), inside - 1.0, outside - 1.0
    )
    sides = (counted.rarer, inside), (counted.rarer_rest, outside)
    enough = ((rarer >= FOR_INTERVAL) & (count >= FOR_CLUSTERS) for rarer, count in sides)
    return Split(counted.number, Design(np.ones(0)), units, *enough)


def _calibration(
    tallies: Sequence[Tally], rule: BinaryRule, enough: Column, drawing: Drawing
) -> Any:
    most, runs = (max(x // len(tallies), FEWEST) for x in (MOST_DRAWN, RUNS))
    drawn = [in_runs(tally, runs) if len(tally) > most else tally for tally in tallies]
    return calibrate_groups(drawn, rule, enough, drawing)


def _measures(
    known: Sequence[Known], rule: BinaryRule, split: Split, drawing: Drawing
) -> dict[str, Contrast]:
    """Compare the score, the skill and observed to expected events."""
    found: dict[str, tuple[Callable[[Column], Measured], Scale]] = {"score": (_score, "plain")}
    if rule.is_proper:
        found["skill"] = (lambda total: _skill(total, rule), "share")
    found["observed_expected"] = (_observed, "log")
    whole = np.sum([x.total for x in known], axis=0)
    return {
        name: contrast_sums(
            _add_up(of, known, split),
            split,
            scale,
            overall=of(whole).value,
            level=drawing.level,
            rng=drawing.rng,
        )
        for name, (of, scale) in found.items()
    }


def _score(total: Column) -> Measured:
    """Return the mean loss."""
    weight, loss = total[:2]
    return Measured(loss / weight, np.array([-loss / weight, 1, 0, 0]) / weight)


def _skill(total: Column, rule: BinaryRule) -> Measured:
    """Return the share of the loss of saying the selection's own event rate that is saved."""
    weight, loss, events, _ = total
    rate = np.array([min(events / weight, 1.0)])
    if_event = float(rule.loss_if_event(rate)[0]) if events > 0 else 0.0
    if_none = float(rule.loss_if_none(rate)[0]) if events < weight else 0.0
    below = if_event * events + if_none * (weight - events)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.float64(loss) / below
        turn = np.array([-ratio * if_none, 1, -ratio * (if_event - if_none), 0]) / np.float64(below)
    return Measured(float(1 - ratio), -turn)


def _observed(total: Column) -> Measured:
    """Return the logarithm of events observed to events expected."""
    _, _, events, forecast = total
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(np.float64(events) / np.float64(forecast))
        turn = np.array([0, 0, 1 / np.float64(events), -1 / np.float64(forecast)])
    return Measured(float(value), turn)


def _add_up(of: Callable[[Column], Measured], known: Sequence[Known], split: Split) -> Sums:
    """Add influences up over the cases of each group, and of each rest."""
    groups, every = len(known), int(split.units.inside.sum())
    totals = np.stack([x.total for x in known])
    # Not all less these: what is infinite in one group is finite in its rest.
    others = (np.delete(totals, k, axis=0).sum(axis=0) for k in range(groups))
    sides = [list(map(of, totals)), list(map(of, others))]
    value, rest = (np.array([x.value for x in side]) for side in sides)
    inside, outside = (
        _turns(side, scale) for side, scale in zip(sides, _scales(split), strict=True)
    )
    squares, cubes = np.zeros((2, groups)), np.zeros(groups)
    joint = np.zeros((groups, groups))
    for k, group in enumerate(known):
        # What a case of this group adds to each difference: to its own from inside.
        turn = -outside
        turn[k] = inside[k]
        turn = _about_mean(turn, group.mean)
        here = turn @ group.about @ turn.T
        joint += here
        own = np.diagonal(here)
        squares[0, k] = own[k]
        squares[1] += np.where(np.arange(groups) == k, 0.0, own)
        cubes += np.einsum("ga,gb,gc,abc->g", turn, turn, turn, group.third)
    factor = every / max(every - 1, 1)
    alone = Spread(np.diag(squares[0] * factor), every - 1)
    skew = _skewness(cubes, np.diagonal(joint), split)
    return Sums(value, rest, alone, Spread(joint * factor, every - 1), squares, skew)


def _turns(side: Sequence[Measured], scale: Column) -> Column:
    """Stack what cases add; NaN where the number itself is not finite."""
    found = np.stack([x.turn if math.isfinite(x.value) else x.turn * np.nan for x in side])
    return found * scale[:, None]


def _about_mean(turn: Column, mean: Column) -> Column:
    """Write what is linear in the four numbers of a case by their deviations from a mean."""
    found = turn.copy()
    finite = np.where(np.isfinite(mean), mean, 0.0)
    found[:, 0] = turn @ finite
    return found


def _scales(split: Split) -> Column:
    """Return what makes the variance of a selection that of its own cases."""
    own = np.stack([split.units.inside, split.units.outside])
    every = int(split.units.inside.sum())
    with np.errstate(divide="ignore"):
        scale = np.sqrt(own / (own - 1) * (every - 1) / every)
    return np.where(own > 1, scale, np.nan)


def _skewness(cubes: Column, squares: Column, split: Split) -> Column:
    """Return the skewness of each difference; 0 of few cases."""
    few = np.minimum(split.units.inside, split.units.outside) < FOR_SKEWNESS
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(squares > 0, cubes / squares**1.5, 0.0)
    return np.where(few, 0.0, found)
