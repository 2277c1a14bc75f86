"""Multi-digit arithmetic: columns of numbers beyond 64 bits, without rounding.

A number is a column of digits to the base 2**24, the lowest first, so that a table of digits has
one column a number. Sums of rows are sums of digits; what a digit has too much is carried to the
next. Whoever holds a table knows how many of its digits are behind the point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from properly.typing import Column


Digits: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

BITS = 24
BASE = 1 << BITS


def digits_of_counts(x: Column) -> Digits:
    """Write whole numbers, none negative, with as many digits as the largest needs."""
    count = max(-(-int(x.max()).bit_length() // BITS), 1)
    return np.stack([(x >> BITS * k) & (BASE - 1) for k in range(count)])


def digits_of_floats(x: Column, whole: int, behind: int) -> Digits:
    """Write floats, none negative, with digits before and behind the point; what is below is cut.

    The highest digit takes all that is above it.
    """
    digits, rest = [], x
    for place in range(whole - 1, -behind - 1, -1):
        unit = 2.0 ** (BITS * place)
        digit = np.floor(rest / unit)
        rest = rest - digit * unit
        digits.append(digit.astype(np.int64))
    return np.stack(digits[::-1])


def product(one: Digits, other: Digits) -> Digits:
    """Multiply number by number."""
    digits = np.zeros((len(one) + len(other), one.shape[1]), dtype=np.int64)
    for j, digit in enumerate(one):
        digits[j : j + len(other)] += digit * other
    return carried(digits)


def carried(x: Digits) -> Digits:
    """Carry what a digit has too much to the next one; the table is changed."""
    for k in range(len(x) - 1):
        x[k + 1] += x[k] >> BITS
        x[k] &= BASE - 1
    return x


def lengthened(x: Digits, count: int) -> Digits:
    """Put zeros before numbers, up to a number of digits."""
    return np.concatenate([x, np.zeros((count - len(x), x.shape[1]), dtype=np.int64)])


def as_whole_numbers(x: Digits) -> Column:
    """Return Python's whole numbers, in units of the lowest digit."""
    numbers: Column = x[-1].astype(object)
    for digit in x[-2::-1]:
        numbers = numbers * BASE + digit
    return numbers


def over(x: Digits, divisor: Column) -> Column:
    """Divide numbers with four digits behind the point by whole ones, rounded once.

    Digit by digit, as by hand. Quotients are 0, or lie between a billionth and 1. What is left over
    only matters to how they are rounded, and is put into the last place.
    """
    # So many bits are enough for the rest and the next digit.
    if int(divisor.max()) >> (62 - BITS):
        divisor = divisor.astype(object)
    rest, digits = divisor * 0, []
    for digit in x[::-1]:
        rest = rest * BASE + digit
        digits.append(rest // divisor)
        rest -= digits[-1] * divisor
    high, low = (digits[k] * BASE + digits[k + 1] for k in (-4, -2))
    low |= rest > 0
    quotient: Column = high.astype(np.float64) / BASE**2 + low.astype(np.float64) / BASE**4
    return quotient


def as_rounded(x: Digits, behind: int = 0) -> Column:
    """Return floats, right but for rounding."""
    numbers = np.zeros(x.shape[1])
    for k, digit in enumerate(x):
        numbers += digit * 2.0 ** (BITS * (k - behind))
    return numbers
