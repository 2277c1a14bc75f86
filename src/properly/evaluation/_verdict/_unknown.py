"""What is impossible to tell, and what it would take."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from properly._boundary._plain import printable
from properly.evaluation._verdict._words import finished, listed, rounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.comparison._pairs import Comparison
    from properly.evaluation._verdict._standing import Standing
    from properly.evaluation._verdict._words import Words

# Numbers of cases that nobody will have are not told: so many, and so many times those there are.
OUT_OF_REACH, TIMES = 1e8, 10
# From fewer cases nothing can be guessed of how many it would take.
ENOUGH = 20
# Models that the best is to be told from, the next best first.
RIVALS = 3
POWER = 0.8


def unknown(evaluation: Any, found: Standing, words: Words) -> Iterator[str]:
    """Say what it would take to tell models apart, and what the evaluation warned of."""
    if len(found.order) > 1 and found.comparison is not None:
        yield from _open_pairs(found, found.comparison, words)
    # Few events, few clusters and what could not be had are among the notes.
    yield from map(finished, evaluation.notes)


def _open_pairs(found: Standing, compared: Comparison, words: Words) -> Iterator[str]:
    """Say how many cases would tell the best from those that it cannot be told apart from."""
    best, *tied = found.top[: 1 + RIVALS]
    numbers = [float(x) for x in compared.cases_needed(POWER)]
    needed = dict(zip(compared.pairs, numbers, strict=True))
    told, without = [], []
    most = max(OUT_OF_REACH, TIMES * compared.cases)
    for name in tied if compared.cases >= ENOUGH else ():
        cases = needed.get((best, name), needed.get((name, best), math.nan))
        if compared.cases < cases < most:
            told.append((rounded(cases), printable(name)))
        elif cases >= most and found.pair(best, name).differing > 0:
            without.append(printable(name))
    sure = f"{100 * POWER:g} % of the time"
    if told:
        (number, first), *others = told
        more = [f"{printable(best)} from {first}", *(f"{x} from {name}" for x, name in others)]
        true = "the difference is" if len(told) == 1 else "the differences are"
        start = f"If {true} as large as found, it would take about {number} {words.cases}"
        alone = ", each pair taken by itself" if len(compared) > 1 else ""
        yield f"{start} to tell {listed(more)} {sure}{alone}."
    if without:
        in_reach = f"No number of {words.cases} in reach"
        yield f"{in_reach} would tell {printable(best)} from {listed(without)}."
