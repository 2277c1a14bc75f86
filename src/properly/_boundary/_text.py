"""Numbers, names and lists as text: one way to write each.

Only the standard library is imported, since the command line writes text before it loads numbers.
"""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from properly.typing import Column

# Longer values of the user's are cut.
LETTERS = 40
# More names than these are not read.
NAMED = 5
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def count_of_cases(total: float) -> str:
    """Write a number of cases, or their total weight, without a word for what they are."""
    return f"{total:,.2f}" if isinstance(total, float) else f"{total:,}"


def many(total: float, what: str) -> str:
    """Write a number with what it counts: 1 case, 2 cases."""
    return f"{count_of_cases(total)} {what}{'s' * (total != 1)}"


def amount_of(cases: float) -> str:
    """Write a number of cases, or a weight: 1 case, 2 cases, a weight of 0.5."""
    return f"a weight of {cases:,.4g}" if isinstance(cases, float) else many(cases, "case")


def printable(name: str) -> str:
    """Show a name in a terminal without obeying what it may contain."""
    return name if name.isprintable() else repr(name)[1:-1]


def quoted(value: object) -> str:
    """Write a value of the user's as code, so that a terminal does not obey it; not at length."""
    # Imported here, since the command line writes text without numbers.
    import numpy as np

    if isinstance(value, np.datetime64 | np.timedelta64):
        value = str(value)  # as Python's own it may be a mere number
    said = repr(value.item() if isinstance(value, np.generic) else value)
    return said if len(said) <= LETTERS else f"{said[: LETTERS - 1]}…"


# Smaller p-values are not distinguished: their digits depend on the tails of an approximation.
SMALLEST_P = 0.001


def p_text(p: float, *, is_bound: bool = False, digits: int = 3) -> str:
    """Write a p-value; that which no draw reached is at most the bound, which is rounded up.

    >>> p_text(0.0312), p_text(0.0)
    ('p = 0.0312', 'p < 0.001')
    >>> p_text(1 / 1001, is_bound=True)
    'p <= 0.001'
    """
    if not is_bound:
        return f"p < {SMALLEST_P}" if p < SMALLEST_P else f"p = {p:.{digits}g}"
    places = -math.floor(math.log10(p) + 1e-9)
    # Less than a thousandth of the last digit is rounding.
    return f"p <= {math.ceil(round(p * 10**places, 3)) / 10**places:g}"


def number(x: float, form: str = ".4f") -> str:
    """Write a number of a table; NaN is a dash."""
    return "-" if math.isnan(x) else f"{x:{form}}"


def numbers(x: Column, form: str = ".4f") -> list[str]:
    """Write each of several numbers."""
    return [number(value, form) for value in x.tolist()]


def chance(p: float, *, is_bound: bool = False) -> str:
    """Write a p-value."""
    if is_bound or p < SMALLEST_P:
        return p_text(p, is_bound=is_bound).removeprefix("p ")
    return number(p, ".3f")


def ranges(ends: Column, form: str = ".4f") -> list[str]:
    """Write the two ends of each of several intervals."""
    pairs = zip(numbers(ends[:, 0], form), numbers(ends[:, 1], form), strict=True)
    return ["-" if low == high == "-" else f"{low} to {high}" for low, high in pairs]


def percent(share: float, digits: int = 4) -> str:
    """Write a share in percent, never with an exponent; no share below 1 is 100 %.

    >>> percent(0.015), percent(0.996, 2), percent(1, 2)
    ('1.5 %', '99.6 %', '100 %')
    """
    text = f"{100 * share:.{digits}g}"
    while share < 1 and float(text) == 100 and digits < sys.float_info.dig:
        digits += 1
        text = f"{100 * share:.{digits}g}"
    return f"{Decimal(text):f} %" if "e" in text else f"{text} %"


def counted(number: int) -> str:
    """Write a small number as a word.

    >>> counted(3), counted(1200)
    ('three', '1,200')
    """
    return WORDS[number] if number < len(WORDS) else f"{number:,}"


def listed(names: Iterable[str], most: int = NAMED) -> str:
    """Join names in a sentence: all, or the first and how many others there are.

    >>> listed(["a", "b", "c"]), listed("abcdefg", most=3)
    ('a, b and c', 'a, b and five others')
    """
    every = [printable(name) for name in names]
    if len(every) > most:
        every = [*every[: most - 1], f"{counted(len(every) - most + 1)} others"]
    *some, last = every
    return f"{', '.join(some)} and {last}" if some else last


def first_of(texts: Iterable[str], most: int = NAMED, *, count: int | None = None) -> str:
    """List texts after a colon: all, or the first and how many there are.

    With a count, no more of them are made than are shown.

    >>> first_of(["'a'", "'b'"]), first_of("abcdefg", most=2)
    ("'a', 'b'", 'a, b, … (7 in all)')
    """
    if count is None:
        texts = list(texts)
        count = len(texts)
    more = f", … ({count:,} in all)" if count > most else ""
    return ", ".join(islice(texts, most)) + more
