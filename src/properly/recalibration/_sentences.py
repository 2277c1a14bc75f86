"""What is said of a map: whether it helps, by how much, and what it does."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._text import many, percent, printable
from properly.counts._cases import weights_of
from properly.recalibration._log_odds_maps import LogOddsMap
from properly.recalibration._map_registry import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.counts._cases import Cases
    from properly.recalibration._choice import Recalibrated
    from properly.recalibration._gain import Gain
    from properly.recalibration._map import Map
    from properly.typing import Column

# A slope, or a shift of the log odds, that is worth a word.
STEEP, SHIFTED = 0.05, 0.1
# Forecasts that change by this share of the greatest change, or by more, are those it changes most.
MOST = 0.8
# A lower end below this share of the estimate: in simulated samples of 200 and 500 cases with a
# calibration slope of 0.7, estimates of such gains were three times the true ones, or more.
UNCERTAIN = 0.5
DIGITS = 12


class Answer(NamedTuple):
    """What was found, what the forecasts are called, and what was judged, by what.

    Attributes
    ----------
    result : Recalibrated
        What was found.
    name : str
        What the forecasts are called.
    score : str
        What the score is called.
    cases : Cases
        The cases.
    """

    result: Recalibrated
    name: str
    score: str
    cases: Cases


def sentence_of(answer: Answer) -> str:
    """Say whether to recalibrate, and what that would save."""
    return " ".join(_sentences(answer))


def _sentences(answer: Answer) -> Iterator[str]:
    if not answer.result.recommended:
        yield _none(answer)
        return
    name, gain, with_it = (
        printable(answer.name),
        answer.result.gain,
        kind_in_words(answer.result.chosen),
    )
    if gain.estimate == math.inf:
        count = sum(wrong for wrong, _, _ in _certain(answer))
        were = "was" if count == 1 else "were"
        yield f"{many(count, 'certain forecast')} {were} wrong: the {answer.score} is infinite."
        yield f"Any finite map saves infinitely much of it; recalibrate {name} with {with_it}."
    else:
        save = f"would save {saved(gain)} of the {answer.score} on new cases"
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
    yield f"Forecasts change by {points}{what_it_does(answer)}."
    for count, end, becomes in _certain(answer):
        was = "came true" if end == 0 else "did not come true"
        text = f"{many(count, 'forecast')} of exactly {end} {was}"
        yield f"{text}; forecasts of {end} become {percent(becomes, 2)}."


def _none(answer: Answer) -> str:
    """Say that nothing was found to help, and how much the best map may save at most."""
    name = printable(answer.name)
    best = max(
        answer.result.gains.values(), key=lambda one: one.estimate, default=answer.result.gain
    )
    which = kind_in_words(best.map)
    claim = f"No recalibration of {name} was found to help: the best, {which},"
    if len(answer.result.gains) == 1:
        claim = f"Recalibrating {name} with {which} was not found to help: it"
    elif best.interval[0] > 0:
        # That the best of several was taken is what makes it look good.
        claim = f"No recalibration of {name} was found to help: choice included, a map"
        best = answer.result.gain
    return f"{claim} {_would_save(best)} of the {answer.score}."


def _would_save(gain: Gain) -> str:
    if math.isnan(gain.interval[0]):
        return f"would save {gain.estimate:.3g}"
    _, low, high = texts(gain)
    return f"would save {low} to {high} ({100 * gain.level:g} % interval)"


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
    digits = decimals(estimate, low, high)
    return _fixed(estimate, digits), _fixed(low, digits), _fixed(high, digits)


def decimals(estimate: float, low: float, high: float) -> int:
    """Return the decimal of the half width's leading digit, or one more if an end would be 0."""
    digits = places((high - low) / 2)
    return digits + any(x and round(x, digits) == 0 for x in (estimate, low, high))


def _fixed(x: float, digits: int) -> str:
    if x and round(x, digits) == 0:
        digits = min(places(abs(x)), DIGITS)
    return f"{x:.{digits}f}" if x else "0"


def places(half: float) -> int:
    """Return the decimal in which a half width has its leading digit."""
    return max(0, -math.floor(math.log10(half))) if half > 0 else 4


def _like(x: float, gain: Gain) -> str:
    """Write a number as exactly as a gain."""
    if not all(map(math.isfinite, (x, *gain.interval))):
        return f"{x:.3g}"
    return _fixed(x, decimals(gain.estimate, *gain.interval))


def _certain(answer: Answer) -> list[tuple[int, int, float]]:
    """Count certain forecasts that were wrong: how many, of 0 or of 1, and what these become."""
    cases = answer.cases
    result: list[tuple[int, int, float]] = []
    if cases.classes is not None or answer.result.map.of != "event":
        return result
    y, p = to_numpy(cases.y).astype(bool), to_numpy(cases.p)
    y, p = (x[weights_of(cases) > 0] for x in (y, p))
    for end, wrong in ((0, (p == 0) & y), (1, (p == 1) & ~y)):
        count = int(np.count_nonzero(wrong))
        if count:
            becomes = answer.result.map.mapped(np.array([float(end)]))
            result.append((count, end, float(becomes[0])))
    return result


def what_it_does(answer: Answer) -> str:
    """Say what a map does to forecasts: a line in a few words, others where they do most."""
    used: Any = answer.result.map
    if used.of != "event":
        return ""
    if not isinstance(used, LogOddsMap) or used.coefficients.a != used.coefficients.b:
        return _where_most(used, to_numpy(answer.cases.p))
    slope, _, shift = used.coefficients
    words = []
    if abs(slope - 1) > STEEP:
        words.append("less extreme" if slope < 1 else "more extreme")
    if abs(shift) > SHIFTED:
        words.append("higher throughout" if shift > 0 else "lower throughout")
    return f" and become {' and '.join(words)}" if words else ""


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
