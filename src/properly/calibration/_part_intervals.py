"""How far off a score and its parts may be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._libraries import to_numpy
from properly.calibration._components import (
    Prices,
    enough_for_bias,
    find_bias,
    if_calibrated,
    increasing_fit,
    p_value,
)
from properly.counts._cases import is_dependent
from properly.counts._tally import as_tally
from properly.inference._draws import sampler
from properly.inference._variance import spread_of_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly._boundary._options import Drawing
    from properly.calibration._components import Correction
    from properly.counts._cases import Cases
    from properly.counts._isotonic import Recalibration
    from properly.counts._tally import Tally
    from properly.inference._variance import Spread
    from properly.rules import BinaryRule

Pair: TypeAlias = tuple[float, float]
Column: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True)
class PartIntervals:
    """How far off a score and its parts may be.

    Attributes
    ----------
    score, miscalibration, discrimination, uncertainty : pair of floats
        Lower and upper end; NaN where nothing can be said. Those of the score and of the
        uncertainty are not cut at the ends of the rule's range.
    corrected_miscalibration, corrected_discrimination : float
        The two parts less their estimated bias. Both are too large as they stand, since the
        recalibration is fitted to the outcomes that it is judged by.
    miscalibration_if_calibrated : float
        The mean miscalibration of independent cases with the same forecasts if they were
        calibrated.
    p_value : float
        Of the calibration test, `properly.calibration_test`, with the same rule; NaN if cases
        have clusters or times, since the test takes them as independent.
    level : float
        Coverage aimed at by each interval.
    replicates : int
        Random draws for the test.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> t = properly.Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
    >>> parts = properly.decompose(t, Brier(), interval=True, rng=1)
    >>> low, high = parts.intervals.score
    >>> print(f"{parts.score:.3f} ({low:.3f} to {high:.3f})")
    0.180 (0.153 to 0.206)
    """

    score: Pair
    miscalibration: Pair
    discrimination: Pair
    uncertainty: Pair
    corrected_miscalibration: float
    corrected_discrimination: float
    miscalibration_if_calibrated: float
    p_value: float
    level: float
    replicates: int


def find_intervals(
    source: Tally | Cases,
    rules: Sequence[BinaryRule],
    fit: Recalibration,
    parts: Sequence[tuple[float, ...]],
    drawing: Drawing,
) -> list[PartIntervals]:
    """Put intervals around scores, their miscalibration, discrimination and uncertainty.

    All rules are asked about the same draws, which takes little longer than for one.
    """
    t, (_, replicates, rng) = as_tally(source), drawing
    # What the test draws is independent. The bias is that of clusters, drawn as a whole; of times,
    # it is that of independent cases.
    each, together = sampler(source, clusters=False), sampler(source)
    prices = [Prices.at(each.value, rule) for rule in rules]
    drawn = if_calibrated(each, prices, replicates, rng)
    recalibrated = fit.spread(fit.event_rate)
    worlds = [(known, increasing_fit(t, fit, known)) for known in prices]
    enough, weight = enough_for_bias(replicates), to_numpy(t.weight)
    biases = find_bias(together, weight, recalibrated, worlds, replicates=enough, rng=rng)
    found = []
    for raw, known, calibrated, bias in zip(parts, prices, drawn, biases, strict=True):
        spread = spread_of_means(source, *_amounts(known, recalibrated, t.event_rate))
        p = math.nan if is_dependent(source) else p_value(raw[1], calibrated, raw[0])
        found.append(_intervals(raw, spread, bias, (p, float(calibrated.mean())), drawing))
    return found


def _intervals(
    raw: tuple[float, ...],
    spread: Spread,
    bias: Correction,
    calibrated: tuple[float, float],
    drawing: Drawing,
) -> PartIntervals:
    """Put intervals around one score and its parts."""
    from scipy.special import ndtri

    level, p = drawing.level, calibrated[0]
    half = spread.half_widths(level)
    error = np.fmax(np.sqrt(np.diagonal(spread.covariance)[1:3]), bias.deviation)
    parts = _around_parts(np.array(raw[1:3]), bias, ndtri((1 + level) / 2) * error)
    # Of dependent cases the test would refuse calibration too often, so it does not take part.
    if not p <= (1 - level) * (1 + 1e-12):
        parts[0] = 0.0, parts[0][1]
    finite = math.isfinite(raw[0])
    return PartIntervals(
        _around(raw[0], half[0]) if finite else (math.nan, math.inf),
        parts[0] if finite else (math.nan, math.inf),
        parts[1],
        _around(raw[3], half[3]),
        max(raw[1] - float(bias.mean[0]), 0.0) if finite else math.inf,
        max(raw[2] - float(bias.mean[1]), 0.0),
        calibrated[1],
        p,
        level,
        drawing.replicates,
    )


def _around(estimate: float, half: float) -> Pair:
    return float(estimate - half), float(estimate + half)


def _around_parts(raw: Column, bias: Correction, reach: Column) -> list[Pair]:
    """Subtract the larger and the smaller bias, reach out from there, and cut at 0."""
    lower = np.maximum(raw - bias.greatest - reach, 0).tolist()
    upper = np.maximum(raw - bias.least + reach, 0).tolist()
    return list(zip(lower, upper, strict=True))


def _amounts(prices: Prices, recalibrated: Column, event_rate: float) -> tuple[Column, Column]:
    """Return what a case adds to the four numbers at each forecast, with an event and without."""
    rule, constant = prices.rule, np.full(len(recalibrated), event_rate)
    found = []
    with np.errstate(divide="ignore", invalid="ignore"):
        for price, score in (
            (rule.loss_if_event, prices.if_event),
            (rule.loss_if_none, prices.if_none),
        ):
            best, overall = price(recalibrated), price(constant)
            found.append(np.stack([score, score - best, overall - best, overall]))
    return found[0], found[1]
