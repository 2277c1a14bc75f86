"""How far off the parts of a Murphy curve may be, found by drawing.

Miscalibration and discrimination depend on the recalibration, which is fitted to the outcomes. So
they are too large at each threshold as they are as a whole, and are corrected in the same way: by
what is drawn in two worlds whose true curve is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._libraries import to_numpy
from properly.calibration._components import Prices, increasing_fit
from properly.counts._cases import require_independent
from properly.counts._isotonic import recalibrate, refit
from properly.counts._tally import as_tally
from properly.decisions._elementary import cost_at
from properly.decisions._margins import GRID
from properly.inference._band import pointwise_bounds
from properly.inference._draws import fast_stream, sampler
from properly.inference._variance import spread_of_means
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from properly._boundary._options import Drawing
    from properly.counts._cases import Cases
    from properly.counts._tally import Tally
    from properly.decisions._margins import Bounds
    from properly.inference._draws import Draw, Sampler

Column: TypeAlias = np.ndarray[Any, Any]

# Thresholds times forecasts that are looked at together.
BLOCK = 1 << 21


def part_bounds(
    source: Tally | Cases,
    part: str,
    band: str,
    drawing: Drawing,
) -> Bounds:
    """Return thresholds, and bounds there of the miscalibration or the discrimination."""
    require_independent(source, f"the band of the {part}")
    draws = sampler(source)
    if band == "consistency":
        stream = fast_stream(drawing.rng)
        drawn = draws.outcomes(draws.value, drawing.replicates, stream)
        return GRID, *pointwise_bounds(_parts(drawn, draws.value, part), drawing.level)
    return GRID, *_corrected(source, draws, part, drawing)


def _corrected(
    source: Tally | Cases,
    draws: Sampler,
    part: str,
    drawing: Drawing,
) -> tuple[Column, Column]:
    from scipy.special import ndtri

    t, stream = as_tally(source), fast_stream(drawing.rng)
    fit = recalibrate(t)
    recalibrated, weight = fit.spread(fit.event_rate), to_numpy(t.weight)
    prices = Prices.at(draws.value, Brier())
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
    found = []
    for start in range(0, len(GRID), block):
        t = GRID[start : start + block, None]
        below, best = worse < t, recalibrated < t
        if_event = 2 * (1 - t) * (below.astype(int) - best)
        if_none = 2 * t * (best.astype(int) - below)
        spread = spread_of_means(source, if_event, if_none)
        found.append(np.sqrt(np.diagonal(spread.covariance)))
    return np.concatenate(found)
