"""At which thresholds one model is better than another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._plain import printable
from properly.evaluation._verdict._words import at_thresholds, percent, runs, stretches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.decisions._dominance import Dominance
    from properly.evaluation._verdict._standing import Standing
    from properly.evaluation._verdict._words import Words

# A smaller share of the thresholds is not worth a sentence.
NOTABLE = 0.05
Runs = list[tuple[float, float]]


class Bands(NamedTuple):
    """Where the one is better than the other, where it is worse, and where nothing is known."""

    better: Runs
    worse: Runs
    unknown: Runs
    share_unknown: float
    whole: bool
    ends: tuple[float, float]
    level: float


def thresholds(evaluation: Any, found: Standing) -> Iterator[str]:
    """Say where the best is better than the next, and where another is better than the best."""
    if len(found.order) < 2:
        return
    best, rival, *others = found.models
    bands = bands_of(evaluation, best, rival)
    if bands is not None and (bands.better or bands.worse):
        yield _of_two(bands, printable(best), printable(rival))
    for name in others:
        other = bands_of(evaluation, name, best)
        if other is not None and other.better:
            at = at_thresholds(other.better)
            yield f"{printable(name)} is better than {printable(best)} {at}{_confidence(other)}."


def bands_of(evaluation: Any, one: str, other: str) -> Bands | None:
    """Find where the one is better than the other, whichever was the first."""
    known = getattr(evaluation, "dominances", {})
    if (one, other) in known:
        found: Dominance = known[one, other]
        better, worse = found.better, found.worse
    elif (other, one) in known:
        found = known[other, one]
        better, worse = found.worse, found.better
    else:
        return None
    ends = (float(found.threshold[0]), float(found.threshold[-1]))
    lacks = np.isnan(found.upper)
    unknown, share = runs(found.threshold, lacks), float(lacks.mean())
    return Bands(better, worse, unknown, share, [ends] == better, ends, found.level)


def _of_two(bands: Bands, best: str, rival: str) -> str:
    low, high = map(percent, bands.ends)
    if bands.whole:
        every = f"at every threshold that was looked at, from {low} to {high}"
        return f"{best} is better than {rival} {every}{_confidence(bands)}."
    if not bands.better:
        at = at_thresholds(bands.worse)
        return f"{rival} is better than {best} {at}{_confidence(bands)}."
    told = f"{best} is better than {rival} {at_thresholds(bands.better)}"
    if bands.worse:
        return f"{told} and worse at {stretches(bands.worse)}{_confidence(bands)}."
    return f"{told}{_confidence(bands)}; from {low} to {high} it is nowhere shown to be worse."


def _confidence(bands: Bands) -> str:
    return f" ({100 * bands.level:g} % confidence for all thresholds at once)"


def too_few(evaluation: Any, found: Standing, words: Words) -> Iterator[str]:
    """Say at which thresholds too little is known to compare the best with the next."""
    if len(found.order) < 2:
        return
    best, rival = found.order[:2]
    bands = bands_of(evaluation, best, rival)
    differ = found.pair(best, rival).differing > 0
    if bands is not None and differ and bands.share_unknown >= NOTABLE:
        at = at_thresholds(bands.unknown).capitalize()
        if len(bands.unknown) > 1:
            at = (
                f"At {percent(round(bands.share_unknown, 2))} of the thresholds that were looked at"
            )
        if bands.share_unknown == 1:
            at = "At every threshold"
        both = f"{printable(best)} and {printable(rival)}"
        clusters = ", allowing for clusters," if "cluster" in evaluation.design else ""
        told = f"{at}, too few {words.cases} are judged differently by {both}{clusters}"
        yield f"{told} to compare them there."
