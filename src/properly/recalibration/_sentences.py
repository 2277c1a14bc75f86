"""What is said of a map: whether it helps, by how much, and what it does."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._text import many, percent, printable
from properly.counts._cases import Cases, weights_of
from properly.recalibration._log_odds_maps import LogOddsMap
from properly.recalibration._map_registry import KINDS
from properly.typing import Column

if TYPE_CHECKING:
    from properly.recalibration._choice import Recalibrated
    from properly.recalibration._cross_fit import Gain
    from properly.recalibration._map import Map

# A slope, or a shift of the log odds, that is worth a word.
STEEP, SHIFTED = 0.05, 0.1
# Forecasts that change by this share of the greatest change, or by more, are those it changes most.
MOST = 0.8
# A lower end below this share of the estimate: in simulated samples of 200 and 500 cases with a
# calibration slope of 0.7, estimates of such gains were three times the true ones, or more.
UNCERTAIN = 0.5
DIGITS = 12


def sentences(result: Recalibrated, name: str, score: str, cases: Cases) -> Iterator[str]:
    """Say whether to recalibrate, and what that would save."""
    name, gain, with_it = printable(name), result.gain, kind_in_words(result.chosen)
    if not result.recommended:
        yield _none(result, name, score)
        return
    certain = _certain(result.map, cases)
    if gain.estimate == math.inf:
        count = sum(wrong for wrong, _, _ in certain)
        were = "was" if count == 1 else "were"
        yield f"{many(count, 'certain forecast')} {were} wrong: the {score} is infinite."
        yield f"Any finite map saves infinitely much of it; recalibrate {name} with {with_it}."
    else:
        save = f"would save {saved(gain)} of the {score} on new cases"
        yield f"Recalibrating {name} with {with_it} {save}."
        if gain.interval[0] < UNCERTAIN * gain.estimate:
            yield (
                "Expect less: a map is advised only if its interval lies above zero, so gains this "
                "uncertain are overestimated on average (winner's curse)."
            )
        seeming = _like(gain.in_sample, gain)
        if seeming != _like(gain.estimate, gain):
            yield f"In sample it would seem to save {seeming}."
    points = f"{percent(gain.mean_change, 2).removesuffix(' %')} points on average"
    yield f"Forecasts change by {points}{_what_it_does(result.map, cases)}."
    for count, end, becomes in certain:
        was = "came true" if end == 0 else "did not come true"
        text = f"{many(count, 'forecast')} of exactly {end} {was}"
        yield f"{text}; forecasts of {end} become {percent(becomes, 2)}."


def _none(result: Recalibrated, name: str, score: str) -> str:
    """Say that nothing was found to help, and how much the best map may save at most."""
    best = max(result.gains.values(), key=lambda one: one.estimate, default=result.gain)
    which = kind_in_words(best.map)
    claim = f"No recalibration of {name} was found to help: the best, {which},"
    if len(result.gains) == 1:
        claim = f"Recalibrating {name} with {which} was not found to help: it"
    elif best.interval[0] > 0:
        # That the best of several was taken is what makes it look good.
        claim = f"No recalibration of {name} was found to help: choice included, a map"
        best = result.gain
    save = saved(best)
    if not math.isnan(best.interval[0]):
        _, low, high = texts(best)
        save = f"{low} to {high} ({100 * best.level:g} % interval)"
    return f"{claim} would save {save} of the {score}."


def kind_in_words(kind: str) -> str:
    """Name a map as a sentence would."""
    return KINDS[kind].words if kind in KINDS else f"the map {printable(kind)}"


def folds_in_words(gain: Gain) -> str:
    """Say what a map was judged by: 10 folds of whole clusters."""
    whole = {"cases": "cases", "times": "blocks of time"}.get(gain.design, "whole clusters")
    return f"{many(gain.folds, 'fold')} of {whole}"


def saved(gain: Gain) -> str:
    """Write a gain with its interval, to the digit that the interval leaves uncertain."""
    if math.isnan(gain.interval[0]):
        return f"{gain.estimate:.3g}"
    estimate, low, high = texts(gain)
    return f"{estimate} ({100 * gain.level:g} % interval {low} to {high})"


def texts(gain: Gain, unit: float = 1.0) -> tuple[str, str, str]:
    """Write a gain and both ends of its interval; what is not zero is not written as zero."""
    estimate, low, high = (unit * x for x in (gain.estimate, *gain.interval))
    digits = _decimals(estimate, low, high)
    return _fixed(estimate, digits), _fixed(low, digits), _fixed(high, digits)


def _decimals(estimate: float, low: float, high: float) -> int:
    """Return the decimal of the half width's leading digit, or one more if an end would be 0."""
    digits = _place((high - low) / 2)
    return digits + any(x and round(x, digits) == 0 for x in (estimate, low, high))


def _fixed(x: float, digits: int) -> str:
    if x and round(x, digits) == 0:
        digits = min(_place(abs(x)), DIGITS)
    return f"{x:.{digits}f}" if x else "0"


def _place(size: float) -> int:
    """Return the decimal in which a size has its leading digit."""
    return max(0, -math.floor(math.log10(size))) if size > 0 else 4


def _like(x: float, gain: Gain) -> str:
    """Write a number as exactly as a gain."""
    if not all(map(math.isfinite, (x, *gain.interval))):
        return f"{x:.3g}"
    return _fixed(x, _decimals(gain.estimate, *gain.interval))


def _certain(used: Map, cases: Cases) -> list[tuple[int, int, float]]:
    """Count certain forecasts that were wrong: how many, of 0 or of 1, and what these become."""
    if cases.classes is not None or used.of != "event":
        return []
    weighted = weights_of(cases) > 0
    y, p = (to_numpy(x)[weighted] for x in (cases.y, cases.p))
    becomes = used.mapped(np.array([0.0, 1.0])).tolist()
    counts = (int(np.count_nonzero((p == end) & (y != end))) for end in (0, 1))
    return [
        (count, end, q) for end, (count, q) in enumerate(zip(counts, becomes, strict=True)) if count
    ]


def line_in_words(used: Map) -> str | None:
    """Say in a few words what a line of the log odds does to forecasts; None of other maps."""
    if not isinstance(used, LogOddsMap) or used.of != "event":
        return None
    slope, other, shift = used.coefficients
    if slope != other:
        return None
    words = ["less extreme" if slope < 1 else "more extreme"] * (abs(slope - 1) > STEEP)
    words += ["higher throughout" if shift > 0 else "lower throughout"] * (abs(shift) > SHIFTED)
    return " and ".join(words)


def _what_it_does(used: Map, cases: Cases) -> str:
    """Say what a map does to forecasts: a line in a few words, others where they do most."""
    words = line_in_words(used)
    if words is not None:
        return f" and become {words}" if words else ""
    return "" if used.of != "event" else _where_most(used, to_numpy(cases.p))


def _where_most(used: Map, p: Column) -> str:
    """Name the forecasts that change most: those around the greatest change of all."""
    x = np.unique(p.astype(np.float64))
    x = x[(x > 0) & (x < 1)]
    if not len(x):
        return ""
    change = np.abs(used.mapped(x) - x)
    top, small = int(np.argmax(change)), np.flatnonzero(change < MOST * change.max())
    if not change[top]:
        return ""
    first = small[small < top].max(initial=-1) + 1
    last = small[small > top].min(initial=len(x)) - 1
    low, high = (percent(float(x[k]), 2) for k in (first, last))
    return f", most of all those of {low if low == high else f'{low} to {high}'}"
