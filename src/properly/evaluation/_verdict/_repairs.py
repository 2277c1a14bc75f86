"""What a verdict says of recalibration: what it would save on new cases, and what not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from properly._boundary._text import listed, percent, printable
from properly.evaluation._phrases import few
from properly.evaluation._verdict._findings import adjusted_tests

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.evaluation._phrases import Words
    from properly.evaluation._repair import Repair

# Of more models of which nothing helps, none has a sentence of its own.
ALONE = 2
PER = 1000


def repairs(evaluation: Any, words: Words) -> Iterator[str]:
    """Say which models recalibration would help, by how much, and how that was found."""
    tried: dict[str, Repair] = evaluation.repairs
    if not tried:
        return
    from properly.recalibration._sentences import folds_in_words

    rest = {name: repair for name, repair in tried.items() if not repair.recommended}
    for name, repair in tried.items():
        if repair.recommended:
            yield " ".join([repair.result.sentence, *_benefit(repair, words)])
        elif len(rest) <= ALONE:
            yield " ".join([repair.result.sentence, *_by_chance(evaluation, name)])
    if len(rest) > ALONE:
        none = "no interval of what it would save lies above zero"
        yield f"No recalibration of {listed(rest)} was found to help: {none}."
    how = next(iter(tried.values())).result.gain
    yield f"Maps were fitted on these cases and judged by {folds_in_words(how)}."


def _benefit(repair: Repair, words: Words) -> Iterator[str]:
    """Say what it would add to the net benefit, at the threshold in the middle."""
    if not repair.net_benefit:
        return
    from properly.recalibration._sentences import texts

    t = sorted(repair.net_benefit)[len(repair.net_benefit) // 2]
    gain = repair.net_benefit[t]
    if gain.estimate == 0 and math.isnan(gain.interval[0]):
        yield f"No forecast crosses {percent(t)}: net benefit there stays as it is."
    elif not math.isnan(gain.interval[0]):
        estimate, low, high = texts(gain, PER)
        sign = "+" if gain.estimate > 0 else ""
        whom = f"{PER:,} {printable(words.cases)}"
        yield f"Net benefit at {percent(t)}: {sign}{estimate} per {whom} ({low} to {high})."


def _by_chance(evaluation: Any, name: str) -> Iterator[str]:
    """Say that the miscalibration in sample is no more than chance, if the test does not reject."""
    tests = adjusted_tests(evaluation)
    if name not in tests or not tests[name].p > 1 - evaluation.level:
        return
    parts = evaluation.parts[name][evaluation.primary]
    if not math.isnan(parts.miscalibration):
        yield (
            f"A miscalibration of {few(parts.miscalibration)}, in sample, is what so many "
            "cases show by chance."
        )
