"""Bounds of Murphy curves: from counts, from rows that depend or come in pairs, and by drawing.

Miscalibration and discrimination depend on the recalibration, which is fitted to the outcomes. So
they are too large at each threshold as they are as a whole, and are corrected in the same way: by
what is drawn from two distributions whose true curve is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from properly._boundary._libraries import read_only, to_numpy
from properly.calibration._components import ForecastPrices, increasing_fit
from properly.counts._cases import Cases, require_independent
from properly.counts._isotonic import recalibrate, refit
from properly.counts._tally import as_tally
from properly.decisions._elementary import (
    LIMITS,
    cost_at,
    dependent,
    if_calibrated,
    mean_cost,
    rows_of,
    split_at,
)
from properly.decisions._same_outcomes import require_same_design, require_same_rows
from properly.errors import ArgumentTypeError
from properly.inference._band import pointwise_bounds
from properly.inference._draws import fast_stream, sampler
from properly.inference._shares import design_effect, normal, reach, student, variance
from properly.inference._variance import spread_of_means
from properly.rules import Brier
from properly.typing import Column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from properly._boundary._options import Drawing
    from properly.counts._tally import Tally
    from properly.decisions._elementary import CaseRows, Split
    from properly.inference._draws import Draw, Sampler
    from properly.inference._shares import ShareTerm


Bounds: TypeAlias = tuple[Column, Column, Column]

# Where dependent cases are looked at: only independent ones have a closed form everywhere.
GRID: Column = read_only(np.arange(1, 200) / 200)
# Fewer events or non-events than this, judged differently by two forecasts, carry no bounds.
ENOUGH = 10
# Thresholds times forecasts that are looked at together.
BLOCK = 1 << 21


def confidence_bounds(x: Tally | Cases, split: Split, mean: Column, level: float) -> Bounds:
    """Return thresholds, and bounds there of the population's mean elementary score.

    The costs of clusters, or times, are bounded as if these were fewer, but independent cases.
    """
    rows, counts, error = dependent(x), split.counts, None
    if rows is not None:
        split = split_at(counts, GRID)
        p = np.full_like(rows.p, counts.value[0]) if len(counts.value) == 1 else rows.p
        mean, error = rows.mean_and_error(rows.costs(p, rows.happened, GRID))
    t = split.threshold
    # Where nobody is acted upon, no alarm can be in vain; where all are, no event is missed.
    in_vain = split.term(2 * t, acted=True, event=False)
    missed = split.term(2 - 2 * t, acted=False, event=True)
    down, up = score_margins((in_vain, missed), counts.effective, level, rows, error)
    # No forecasts can cost more, or less.
    most = 2 * np.maximum(t, 1 - t)
    return laid_out(t, np.maximum(mean - down, 0), np.minimum(mean + up, most))


def score_margins(
    terms: tuple[ShareTerm, ShareTerm],
    n: float,
    level: float,
    rows: CaseRows | None,
    error: Column | None,
) -> tuple[Column, Column]:
    """Return how far below and above the sum of two shares its score interval reaches.

    Given the standard error of dependent cases, these count as fewer, but independent ones.
    """
    if rows is None or error is None:
        unknown = np.full_like(terms[0].share, np.nan)
        return reach(*terms, n, normal(level)) if n > 1 else (unknown, unknown)
    quantile = student(rows.degrees, level)
    design = design_effect(error**2, variance(*terms, n))
    down, up = (
        np.where(np.isfinite(design), margin, error * quantile)
        for margin in reach(*terms, n / design, quantile)
    )
    return down, up


def consistency_bounds(x: Tally | Cases, split: Split, level: float) -> Bounds:
    """Return thresholds, and bounds there of the mean elementary score of calibrated forecasts.

    The outcomes of a cluster, or of neighbouring times, may depend on one another even then, so it
    is their deviations from the forecasts that are added up before they are squared.
    """
    from scipy.special import ndtri

    rows = dependent(x)
    if rows is None:
        mean, error = if_calibrated(split)
        return _bounds(split.threshold, mean, error * ndtri((1 + level) / 2), least=0)
    mean, _ = rows.mean_and_error(rows.costs(rows.p, rows.p, GRID))
    surprises = _minus(rows.costs(rows.p, rows.happened, GRID), rows.costs(rows.p, rows.p, GRID))
    _, error = rows.mean_and_error(surprises)
    return _bounds(GRID, mean, error * student(rows.degrees, level), least=0)


def paired_bounds(
    first: Tally | Cases,
    second: Tally | Cases,
    knot: Column,
    mean: Column,
    level: float,
    *,
    grid: Column = GRID,
) -> Bounds:
    """Return thresholds, and bounds there of a mean difference, NaN where too few cases differ.

    Independent cases are looked at on both sides of each knot, others at each point of the grid.
    """
    one, other = _pair(first, second)
    once = np.ones_like(one.weight)
    if one.together:
        costs = _minus(*(rows.costs(rows.p, rows.happened, grid) for rows in (one, other)))
        mean, error = one.mean_and_error(costs)
        knot, margin = grid, error * student(one.degrees, level)
        few = _between(grid, one, other, once).min(axis=0)[0] < ENOUGH
    else:
        spare = float(one.weight.sum() ** 2 / one.square.sum()) - 1
        margin = _paired_error(knot, one, other, mean) * student(spare, level)
        few = _between(knot, one, other, once).min(axis=0) < ENOUGH
    return _bounds(knot, mean, np.where(few, np.nan, margin), least=-np.inf)


def _pair(first: Tally | Cases, second: Tally | Cases) -> tuple[CaseRows, CaseRows]:
    """Take the rows of two forecasts of the same cases."""
    if not (isinstance(first, Cases) and isinstance(second, Cases)):
        got = " and ".join(type(x).__name__ for x in (first, second))
        message = f"the band of a difference needs Cases twice, row by row the same; got {got}"
        raise ArgumentTypeError(message, hint="tallies no longer know which rows belong together.")
    require_same_rows({"first": first, "second": second})
    require_same_design(first, second)
    return rows_of(first), rows_of(second)


def _paired_error(knot: Column, one: CaseRows, other: CaseRows, mean: Column) -> Column:
    """Return the standard error of a mean difference, from its deviations squared.

    A case differs only where the threshold lies between its two forecasts, and by plus or minus
    what a mistake costs there.
    """
    sign = np.sign(one.p - other.p) * (1 - 2 * one.happened)
    in_vain, missed = _between(knot, one, other, one.square)
    none, events = _between(knot, one, other, one.square * sign)
    sums = mean_cost(knot, none, events, 1)
    deviation = 4 * (knot**2 * in_vain + (1 - knot) ** 2 * missed)
    deviation += mean * (float(one.square.sum()) * mean - 2 * sums)
    return np.asarray(np.sqrt(np.maximum(deviation, 0) * one.factor))


def _between(threshold: Column, one: CaseRows, other: CaseRows, amount: Column) -> Column:
    """Add up the non-events, and the events, whose two forecasts have the threshold between."""
    low, high = np.minimum(one.p, other.p), np.maximum(one.p, other.p)
    size = threshold.shape[0] + 1
    sums = np.empty((2, 2, size - 1))
    for row, side in ((1, LIMITS[0]), (0, LIMITS[1])):
        # The first threshold beyond a forecast: from there on, it is no reason to act.
        begin, end = (np.searchsorted(threshold, x, side=side) for x in (low, high))
        for outcome in (0, 1):
            case = one.happened == outcome
            net = np.bincount(begin[case], amount[case], size)
            net -= np.bincount(end[case], amount[case], size)
            sums[outcome, row] = np.cumsum(net)[:-1]
    return sums


def _minus(first: Iterable[Column], second: Iterable[Column]) -> Iterator[Column]:
    return (a - b for a, b in zip(first, second, strict=True))


def _bounds(threshold: Column, mean: Column, margin: Column, least: float) -> Bounds:
    """Lay both limits of each threshold side by side."""
    return laid_out(threshold, np.maximum(mean - margin, least), mean + margin)


def laid_out(threshold: Column, lower: Column, upper: Column) -> Bounds:
    """Repeat thresholds for both limits, and lay these side by side."""
    sides = lower.size // len(threshold)
    return np.repeat(threshold, sides), lower.T.ravel(), upper.T.ravel()


def part_bounds(source: Tally | Cases, part: str, band: str, drawing: Drawing) -> Bounds:
    """Return thresholds, and bounds there of the miscalibration or the discrimination."""
    require_independent(source, f"the band of the {part}")
    draws = sampler(source)
    if band == "consistency":
        stream = fast_stream(drawing.rng)
        drawn = draws.outcomes(draws.value, drawing.replicates, stream)
        return GRID, *pointwise_bounds(_parts(drawn, draws.value, part), drawing.level)
    return GRID, *_corrected(source, draws, part, drawing)


def _corrected(
    source: Tally | Cases, draws: Sampler, part: str, drawing: Drawing
) -> tuple[Column, Column]:
    from scipy.special import ndtri

    t, stream = as_tally(source), fast_stream(drawing.rng)
    fit = recalibrate(t)
    recalibrated, weight = fit.spread(fit.event_rate), to_numpy(t.weight)
    prices = ForecastPrices.at(draws.value, Brier())
    biases, deviation = [], np.zeros(len(GRID))
    for truth in (recalibrated, increasing_fit(t, fit, prices)):
        drawn = _parts(draws.draws(truth, drawing.replicates, stream), draws.value, part)
        biases.append(drawn.mean(axis=0) - _true_part(draws.value, weight, truth, part))
        deviation = drawn.std(axis=0, ddof=1) if len(drawn) > 1 else np.zeros(len(GRID))
    raw = _part(draws.value, weight - to_numpy(t.events), to_numpy(t.events), part)
    error = np.fmax(deviation, _plug_in_error(source, draws.value, recalibrated, part))
    reach = ndtri((1 + drawing.level) / 2) * error
    lower, upper = raw - np.maximum(*biases) - reach, raw - np.minimum(*biases) + reach
    return np.maximum(lower, 0), np.maximum(upper, 0)


def _parts(draws: Iterable[Draw], value: Column, part: str) -> Column:
    """Return the part of each draw at the thresholds of the grid, one row a draw."""
    return np.stack([_part(value, weight - events, events, part) for weight, events in draws])


def _part(value: Column, nonevents: Column, events: Column, part: str) -> Column:
    fit = refit(nonevents + events, events)
    best = cost_at(GRID, fit.event_rate, fit.weight - fit.events, fit.events)
    return _worse(value, nonevents, events, part) - best


def _true_part(value: Column, weight: Column, truth: Column, part: str) -> Column:
    none, events = weight * (1 - truth), weight * truth
    return _worse(value, none, events, part) - cost_at(GRID, truth, none, events)


def _worse(value: Column, nonevents: Column, events: Column, part: str) -> Column:
    """Return what recalibration is compared with: the forecasts, or the constant event rate."""
    if part == "miscalibration":
        return cost_at(GRID, value, nonevents, events)
    none, happened = nonevents.sum(keepdims=True), events.sum(keepdims=True)
    return cost_at(GRID, happened / (none + happened), none, happened)


def _plug_in_error(source: Tally | Cases, value: Column, recalibrated: Column, part: str) -> Column:
    """Return the standard error as if the recalibration were known."""
    worse = value
    if part == "discrimination":
        worse = np.full(len(value), as_tally(source).event_rate)
    block = max(1, BLOCK // len(value))
    result = []
    for start in range(0, len(GRID), block):
        t = GRID[start : start + block, None]
        below, best = worse < t, recalibrated < t
        if_event = 2 * (1 - t) * (below.astype(int) - best)
        if_none = 2 * t * (best.astype(int) - below)
        spread = spread_of_means(source, if_event, if_none)
        result.append(np.sqrt(np.diagonal(spread.covariance)))
    return np.concatenate(result)
