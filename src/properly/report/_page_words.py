"""Numbers, rules and labels as the page writes them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from properly._boundary._text import SMALLEST_P, p_text, read_words
from properly.evaluation._record import Evaluation
from properly.rules._parse import rule_in_words

# Names that a sentence lists at most.
LISTED = 6
MINUS = "\N{MINUS SIGN}"
NONE = "\N{EN DASH}"
AT_MOST = "\N{LESS-THAN OR EQUAL TO}"


def page_words() -> dict[str, Any]:
    """Return the words of the page that hold whatever the numbers."""
    return read_words("properly.report")


def in_words(kind: str, name: str, *parts: str, **numbers: Any) -> str:
    """Return what the page says about something, part by part, with numbers and names put in."""
    words = page_words()[kind][name]
    return " ".join(words[part].format(**numbers) for part in parts or ("text",))


def lead_of(chart: str, *parts: str, **numbers: Any) -> str:
    """Say how to read a chart."""
    return in_words("charts", chart, *(parts or ("lead",)), **numbers)


def score_in_words(evaluation: Evaluation, name: str) -> str:
    """Name the score of one of the rules of an evaluation."""
    return next(rule_in_words(rule) for rule in evaluation.rules if rule.name == name)


def few(x: float, digits: int = 2, *, sign: bool = False) -> str:
    """Write a number with so many significant digits, never with an exponent.

    A number that rounds to nothing at the most decimals is 0.
    """
    if math.isnan(x):
        return NONE
    if math.isinf(x):
        return "∞" if x > 0 else f"{MINUS}∞"
    if x == 0:
        return "0"
    # Rounded first: 0.0999 is as long as 0.10.
    text = fixed(x, decimals_for(float(f"{x:.{digits - 1}e}"), digits), sign=sign)
    return text if text.strip("0.,") else "0"


def fixed(x: float, decimals: int, *, sign: bool = False) -> str:
    """Write a number with so many decimals; what rounds to nothing has no sign."""
    if not math.isfinite(x):
        return few(x)
    text = f"{abs(x):,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        return text
    return f"{MINUS if x < 0 else '+' if sign else ''}{text}"


def percent(x: float, digits: int = 2) -> str:
    """Write a share in per cent."""
    return NONE if math.isnan(x) else f"{few(100 * x, digits)} %"


def chance(p: float, *, is_bound: bool = False) -> str:
    """Write a p-value."""
    if is_bound or p < SMALLEST_P:
        return p_text(p, is_bound=is_bound).removeprefix("p ").replace("<=", AT_MOST)
    return few(p)


def from_to(ends: Iterable[float], decimals: int) -> str:
    """Write both ends of an interval, or a dash if there is none."""
    texts = [fixed(end, decimals) for end in ends]
    return NONE if NONE in texts else " to ".join(texts)


def decimals_for(x: float, digits: int = 2) -> int:
    """Return how many decimals show so many digits of a number."""
    if not math.isfinite(x) or x == 0:
        return 4
    return min(max(digits - 1 - math.floor(math.log10(abs(x))), 0), 9)


def decimals_of_least(amounts: Iterable[float], digits: int = 2) -> int:
    """Return the number of decimals that show `digits` digits of the least positive amount."""
    return decimals_for(min((x for x in amounts if x > 0), default=math.nan), digits)
