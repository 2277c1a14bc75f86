"""How well forecasts are calibrated within each of several groups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._libraries import to_numpy
from properly.calibration._decomposition import decompose
from properly.calibration._line import Subject, find_line
from properly.calibration._test import calibration_test
from properly.comparison._groups_record import GroupCalibration
from properly.counts._cases import has_time, numbered, relative_weights, rows_in_use
from properly.counts._tally import Tally
from properly.inference._design import TIMES
from properly.inference._multiplicity import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly._boundary._options import Drawing
    from properly.counts._cases import Cases
    from properly.rules import BinaryRule
    from properly.typing import Array, Column


# Fewer events, or non-events, leave a slope too uncertain to be worth printing.
FOR_SLOPE = 20
# Of fewer cases miscalibration is nearly all bias.
FOR_MISCALIBRATION = 200


def calibrate_groups(
    groups: Sequence[Tally | Cases], rule: BinaryRule, enough: Column, drawing: Drawing
) -> GroupCalibration:
    """Find slope, corrected miscalibration and the calibration test of each group.

    Weights of rows are taken as relative: a row is a case, however much it weighs. Tallies are of
    independent cases that were counted.
    """
    count = len(groups)
    slope, miscalibration = np.full((2, count, 3), np.nan)
    p = np.full(count, np.nan)
    for g, group in enumerate(groups):
        cases = group if isinstance(group, Tally) else relative_weights(group)
        if not enough[g] or not _stands_alone(cases):
            continue
        events, others = _outcomes(cases)
        if min(events, others) >= FOR_SLOPE:
            slope[g] = _slope(cases, drawing.level)
        if rule.is_proper and events + others >= FOR_MISCALIBRATION:
            miscalibration[g] = _miscalibration(cases, rule, drawing)
        if not has_time(cases):
            _, replicates, rng = drawing
            p[g] = calibration_test(cases, replicates=replicates, rng=rng).p_value
    return GroupCalibration(
        slope[:, 0], slope[:, 1:], miscalibration[:, 0], miscalibration[:, 1:], p, holm(p)
    )


def _outcomes(cases: Tally | Cases) -> tuple[int, int]:
    """Count the cases with the event, and those without."""
    if isinstance(cases, Tally):
        events = int(to_numpy(cases.events).sum())
        return events, int(cases.total) - events
    y = rows_in_use(cases).y
    return int(y.sum()), int((~y).sum())


def _slope(cases: Tally | Cases, level: float) -> tuple[float, float, float]:
    found = find_line(Subject.of(cases), level).slope
    return found.value, *found.interval


def _miscalibration(
    cases: Tally | Cases, rule: BinaryRule, drawing: Drawing
) -> tuple[float, float, float]:
    level, replicates, rng = drawing
    parts = decompose(cases, rule, interval=True, level=level, replicates=replicates, rng=rng)
    found = parts.intervals
    if found is None:
        return math.nan, math.nan, math.nan
    return found.corrected_miscalibration, *found.miscalibration


def _stands_alone(cases: Tally | Cases) -> bool:
    """Tell whether a group has the times, or the clusters of each stratum, to vary."""
    if isinstance(cases, Tally):
        return True
    used = rows_in_use(cases).used
    if cases.time is not None:
        return len(np.unique(to_numpy(cases.time)[used])) >= TIMES
    if cases.clusters is None and cases.strata is None:
        return True
    units = np.arange(used.sum()) if cases.clusters is None else _ids(cases.clusters, used)
    strata = np.zeros(len(units)) if cases.strata is None else _ids(cases.strata, used)
    pairs = np.unique(np.stack([strata, units]), axis=1)
    return int(np.unique(pairs[0], return_counts=True)[1].min()) > 1


def _ids(column: Array, used: Column) -> Column:
    found: Column = numbered(to_numpy(column)[used])[0]
    return found
