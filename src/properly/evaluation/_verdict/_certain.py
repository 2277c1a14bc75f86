"""What was called impossible, or certain, and turned out otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from properly._boundary._plain import count_of_cases, printable
from properly.evaluation._verdict._words import SCORES, is_weighted, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.calibration._certain import Certain
    from properly.evaluation._verdict._words import Words

# One acts if the forecast is not below the threshold, which is above 0: never on 0, always on 1.
NEVER = "no threshold above zero, however low, would have raised an alarm"
ALWAYS = "every threshold, however high, would have raised an alarm"


def certain(evaluation: Any, words: Words) -> Iterator[str]:
    """Explain infinite scores with the data's own numbers."""
    weighted = is_weighted(evaluation)
    for name, found in evaluation.certain.items():
        if found.wrong > 0:
            wrong = _wrong(found, printable(name), words, weighted=weighted)
            yield f"{'. '.join(wrong)}. Its log score is infinite."


def certain_of_classes(evaluation: Any, words: Words) -> Iterator[str]:
    """Say which models gave what happened a probability of zero."""
    for name, by_rule in evaluation.intervals.items():
        infinite = {rule: x.infinite_cases for rule, x in by_rule.items() if x.infinite_cases}
        if not infinite:
            continue
        scores = listed(SCORES.get(rule, f"{rule} score") for rule in infinite)
        be = "is" if len(infinite) == 1 else "are"
        whom = f"For {_some(max(infinite.values()), words)}, {printable(name)}"
        yield f"{whom} had called impossible what then happened: its {scores} {be} infinite."


def _wrong(found: Certain, model: str, words: Words, *, weighted: bool) -> Iterator[str]:
    """Say for how many cases a model had been certain, and what follows for decisions."""
    event = words.event
    if found.never_wrong > 0:
        whom = f"For {_some(found.never_wrong, words, weighted=weighted)}, {model}"
        yield f"{whom} had called {event} impossible, and it happened: {NEVER}"
    if found.always_wrong > 0:
        whom = f"For {_some(found.always_wrong, words, weighted=weighted)}, {model}"
        yield f"{whom} had called {event} certain, and it did not happen: {ALWAYS}"


def _some(cases: float, words: Words, *, weighted: bool = False) -> str:
    """Count cases by a word that is only known in the plural; weights count nothing."""
    if weighted or isinstance(cases, float):
        return f"{words.cases} of a total weight of {cases:,.4g}"
    return f"one of the {words.cases}" if cases == 1 else f"{count_of_cases(cases)} {words.cases}"
