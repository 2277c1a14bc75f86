"""Which models are miscalibrated, and how."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._plain import printable
from properly.evaluation._verdict._words import (
    NAMED,
    chance,
    chances,
    counted,
    digits_apart,
    few,
    is_weighted,
    named,
    percent,
    sure,
    times,
)
from properly.inference._multiplicity import holm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.calibration._calibration_table import CalibrationSummary
    from properly.evaluation._verdict._words import Words

# Numbers of expected events below this are told with a fraction.
FEW = 10


def calibration(evaluation: Any, words: Words) -> Iterator[str]:
    """Say which models are miscalibrated and how, and of which that cannot be shown."""
    tests, alpha = evaluation.calibration_tests, 1 - evaluation.level
    adjusted = holm(np.array([test.p_value for test in tests.values()], dtype=float))
    p_values = dict(zip(tests, adjusted.tolist(), strict=True))
    shown = {name: p for name, p in p_values.items() if p <= alpha}
    known = getattr(evaluation, "calibration", {})
    for name, p in shown.items():
        if name in known:
            told = f"{printable(name)} is miscalibrated ({_chances([p], len(tests))})"
            yield f"{told}{_how(evaluation, name, words)}."
    # Of classes, no number says in a word in which way.
    rest = {name: p for name, p in shown.items() if name not in known}
    if rest:
        be = "is" if len(rest) == 1 else "are"
        yield f"{named(rest)} {be} miscalibrated ({_chances([*rest.values()], len(tests))})."
    yield from _not_shown({name: p for name, p in p_values.items() if p > alpha}, len(tests))
    yield from _untested(evaluation, p_values)


def _not_shown(p_values: dict[str, float], tests: int) -> Iterator[str]:
    """Name the models of which no miscalibration can be shown, and no more."""
    if p_values:
        they = "it is" if len(p_values) == 1 else "they are"
        chances = _chances([*p_values.values()], tests)
        told = f"No miscalibration can be shown for {named(p_values)} ({chances})"
        yield f"{told}, which is not to say that {they} calibrated."


def _chances(p_values: list[float], tests: int) -> str:
    """Write p-values, of many only the extremes, and what they allow for."""
    several = f", adjusted for {counted(tests)} models" if tests > 1 else ""
    if len(p_values) > NAMED:
        least, most = chance(min(p_values)), chance(max(p_values))
        return f"p {least} to {most.removeprefix('= ')}{several}"
    return f"p {chances(p_values)}{several}"


def _how(evaluation: Any, name: str, words: Words) -> str:
    """Say in which way forecasts are off, as far as intervals tell."""
    summary = evaluation.calibration[name]
    # Of cases with weights there are shares, and no numbers.
    total = math.nan if is_weighted(evaluation) else evaluation.total
    ways = [*_overall(summary, total, words), *_spread(summary)]
    if not ways:
        return _curve(summary)
    return f": its forecasts are {'; and '.join(ways)}"


def _overall(summary: CalibrationSummary, total: float, words: Words) -> Iterator[str]:
    """Say whether forecasts are too high or too low on average, with the numbers."""
    ratio = summary.observed_expected
    low, high = ratio.interval
    expected, observed = _often(summary, total, words)
    told = f"expecting {words.event} {expected} where it happened {observed}"
    level = sure(ratio.level)
    if low > 1:
        often, around = _factor(ratio.value, (low, high))
        yield f"too low overall, {told}, {often} as expected ({level} {around})"
    elif high < 1 and low > 0:
        often, around = _factor(1 / ratio.value, (1 / high, 1 / low))
        yield f"too high overall, {told}, {often} ({level} {around})"
    elif high < 1:
        yield f"too high overall, {told}"


def _factor(value: float, ends: tuple[float, float]) -> tuple[str, str]:
    """Write a factor, and its interval, with the digits that tell them from 1."""
    digits = digits_apart((1.0, *ends), 3)
    return f"{few(value, digits)} times as often", " to ".join(few(end, digits) for end in ends)


def _often(summary: CalibrationSummary, total: float, words: Words) -> tuple[str, str]:
    """Write how often the event was expected and happened; with weights, as shares."""
    rates = summary.mean_forecast, summary.event_rate
    if math.isnan(total):
        said, happened = (percent(float(f"{rate:.2g}")) for rate in rates)
        return f"in {said} of {words.cases}", f"in {happened}"
    expected, observed = (rate * total for rate in rates)
    counted_exactly = times(expected) if expected >= FEW else f"{few(expected)} times"
    return counted_exactly, times(observed)


def _spread(summary: CalibrationSummary) -> Iterator[str]:
    """Say whether forecasts are too extreme, or not extreme enough."""
    low, high = summary.slope.interval
    digits = digits_apart((1.0, low, high), 3)
    value, ends = few(summary.slope.value, digits), f"{few(low, digits)} to {few(high, digits)}"
    slope = f"slope {value}, {sure(summary.slope.level)} {ends}"
    if high < 0:
        yield f"the wrong way round, higher where it happened less often ({slope})"
    elif high < 1:
        yield f"too extreme, the high ones too high and the low ones too low ({slope})"
    if low > 1:
        yield f"not extreme enough ({slope})"


def _curve(summary: CalibrationSummary) -> str:
    """Say that nothing simple can be said, and why there is no slope if there is none."""
    if not math.isnan(summary.slope.value):
        return ", in a way that neither its mean nor its slope shows; see its reliability diagram"
    # A band that holds at each point is left somewhere by most curves, and so no evidence.
    why = "forecasts of exactly 0 or 1 have no log-odds, and so no slope"
    return f", in a way that its mean does not show ({why}); see its reliability diagram"


def _untested(evaluation: Any, p_values: dict[str, float]) -> Iterator[str]:
    """Say which models could not be tested, and whether draws were too few to show anything."""
    missing = [name for name, p in p_values.items() if math.isnan(p)]
    if missing:
        yield f"The calibration of {named(missing)} could not be tested."
    tests = evaluation.calibration_tests.values()
    draws = [test.replicates for test in tests if test.method == "Monte Carlo"]
    if draws and len(p_values) / (1 + min(draws)) > 1 - evaluation.level:
        be = "draw is" if min(draws) == 1 else "draws are"
        few_draws = f"{min(draws):,} random {be} too few to show miscalibration"
        yield f"{few_draws} of {counted(len(p_values))} models; take more."
