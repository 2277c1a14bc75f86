"""What is said of a map: whether it helps, by how much, and what it does."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from properly._boundary._record import printable
from properly.recalibration._log_odds_maps import LogOddsMap

if TYPE_CHECKING:
    from properly.recalibration._gain import Gain
    from properly.recalibration._map import Map

# What maps are called in sentences.
NAMES = {
    "intercept": "a shift of the log odds",
    "temperature": "a temperature",
    "logistic": "a logistic map",
    "beta": "a beta map",
    "isotonic": "an isotonic map",
    "venn_abers": "a Venn-Abers map",
    "vector": "vector scaling",
    "dirichlet": "a Dirichlet map",
    "one_vs_rest": "an isotonic map of each class",
    "cuts": "a map of each cut",
}
# A slope, or a shift of the log odds, that is worth a word.
STEEP, SHIFTED = 0.05, 0.1


def sentence_of(
    name: str,
    kind: str,
    gain: Gain,
    gains: dict[str, Gain],
    used: Map,
    *,
    recommended: bool,
) -> str:
    """Say whether to recalibrate, and what that would save."""
    name = printable(name)
    if recommended and gain.estimate == math.inf:
        return f"Recalibrate {name} with {NAMES.get(kind, kind)}: {_certain(gain)}."
    if recommended:
        points = 100 * gain.mean_change
        return (
            f"Recalibrating {name} with {NAMES.get(kind, kind)} would save {saved(gain)} of the "
            f"{gain.rule} score on new cases; it changes forecasts by {points:.2g} points on "
            f"average.{what_it_does(used)}"
        )
    best = max(gains.values(), key=lambda one: one.estimate, default=gain)
    return (
        f"No recalibration of {name} was found to help: the best, {NAMES.get(best.map, best.map)}, "
        f"would save {saved(best)} of the {best.rule} score. Leave the forecasts as they are."
    )


def saved(gain: Gain) -> str:
    """Write a gain with its interval, to the digit that the interval leaves uncertain."""
    low, high = gain.interval
    if math.isnan(low):
        return f"{gain.estimate:.3g}"
    digits = places((high - low) / 2)
    numbers = (f"{x:.{digits}f}" for x in (gain.estimate, low, high))
    estimate, lower, upper = ("0" if float(x) == 0 else x for x in numbers)
    return f"{estimate} ({100 * gain.level:g} % interval {lower} to {upper})"


def places(half: float) -> int:
    """Return the decimal in which a half width has its leading digit."""
    return max(0, -math.floor(math.log10(half))) if half > 0 else 4


def _certain(gain: Gain) -> str:
    return f"certain and wrong forecasts make the {gain.rule} score infinite, a finite map does not"


def what_it_does(used: Map) -> str:
    """Say what a line does to forecasts."""
    if not isinstance(used, LogOddsMap):
        return ""
    a, b, c = used.coefficients
    if a != b:
        return ""
    words = []
    if abs(a - 1) > STEEP:
        words.append("less extreme" if a < 1 else "more extreme")
    if abs(c) > SHIFTED:
        words.append("higher throughout" if c > 0 else "lower throughout")
    return f" Forecasts become {' and '.join(words)}." if words else ""
