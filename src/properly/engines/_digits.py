"""Multi-digit arithmetic: columns of numbers too long for 64 bits, without rounding.

A number is a column of digits to the base 2**24, the lowest first, so that a table of digits has
one column a number. Sums of rows are sums of digits; what a digit has too much is carried to the
next. Whoever holds a table knows how many of its digits are behind the point. Columns of counts are
put into cells, multiplied and added up in this way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._arrays import MOST, require_countable
from properly.counts._pooling import EXACT, run_ends
from properly.engines._exact import Total

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.typing import Column


Digits: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

BITS = 24
BASE = 1 << BITS
# Digits of a count, of a forecast that is not in the first cell, and so of their product; of a
# square. Counts add up to less than 2**63.
WHOLE, BEHIND = 3, 4
MOMENT, SQUARE = WHOLE + BEHIND, 2 * WHOLE


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


def as_rounded(x: Digits, behind: int = 0) -> Column:
    """Return floats, right but for rounding."""
    numbers = np.zeros(x.shape[1])
    for k, digit in enumerate(x):
        numbers += digit * 2.0 ** (BITS * (k - behind))
    return numbers


def cell_of(p: Column, cells: int) -> Column:
    """Return the number of each forecast's cell: 1 and the number of borders that it reaches."""
    near = np.floor(p * cells)
    # Rounding may have carried the product over a border, which belongs to the cell above it.
    near -= p < near / cells
    near += p >= (near + 1) / cells
    inside = near.astype(np.int64) + 1
    return np.where(p == 0, 0, np.where(p == 1, cells + 1, inside))


def as_exact(weight: Column) -> Column:
    """Make int64 of whole numbers, whatever others there may be, and float64 of others."""
    total = float(weight.sum(dtype=np.float64))
    whole = weight.dtype.kind in "iu"
    if whole:
        require_countable(total)
    else:
        # Each for itself, so that it does not matter which rows come together.
        whole = bool((weight == np.floor(weight)).all()) and weight.max() < EXACT and total < MOST
    return weight.astype(np.int64 if whole else np.float64)


def moments_of(p: Column, weight: Column) -> Digits:
    """Multiply forecasts, 0 or such as are not in the first cell, by whole weights."""
    digits = product(digits_of_counts(weight), digits_of_floats(p, 0, BEHIND))
    return lengthened(digits, MOMENT)


def squares_of(weight: Column, y: Column) -> list[Column]:
    """Square weights, of events and of the others."""
    if weight.dtype.kind == "f":
        return [weight * weight * y, weight * weight * ~y]
    digits = digits_of_counts(weight)
    square = lengthened(product(digits, digits), SQUARE)
    return [square * y, square * ~y]


def small_moment(p: Column, weight: Column) -> Total:
    """Add up weights times forecasts that may be as small as can be."""
    if not len(p):
        return Total()
    # Numbers of 27 bits, times digits of 24, are doubles without rounding.
    leading = (p.view(np.int64) & ~((1 << 27) - 1)).view(np.float64)
    total = Total()
    for k, digit in enumerate(digits_of_counts(weight)):
        part = Total.of(leading * digit) + Total.of((p - leading) * digit)
        total += Total(part.scaled << BITS * k)
    return total


def together(one: Sequence[Column | None], other: Sequence[Column | None]) -> list[Any]:
    """Add columns to columns, of which the first are places in order."""
    # A stable sort goes through two columns that are in order once.
    both = np.sort(np.concatenate([one[0], other[0]]), kind="stable")
    place = both[run_ends(both)]
    at = [np.searchsorted(place, x[0]) for x in (one, other)]  # type: ignore[arg-type]
    return [place, *(_spread(x, at, len(place)) for x in zip(one[1:], other[1:], strict=True))]


def _spread(columns: tuple[Column | None, ...], at: Sequence[Column], size: int) -> Column | None:
    """Add up a column and another one, each at its places."""
    one, other = columns
    if one is None or other is None:
        return None
    if one.shape[-1] == size:
        sums = one.copy()
    else:
        sums = np.zeros((*one.shape[:-1], size), dtype=one.dtype)
        sums[..., at[0]] = one
    sums[..., at[1]] += other
    return carried(sums) if one.ndim == 2 else sums


def added_up(place: Column, columns: Sequence[Column | None]) -> list[Any]:
    """Put rows in order and add them up where places are equal."""
    if (place[1:] < place[:-1]).any():
        order = np.argsort(place, kind="stable")
        place = place[order]
        columns = [None if x is None else x[..., order] for x in columns]
    last = run_ends(place)
    first = np.concatenate([[0], last[:-1] + 1])
    return [place[last], *(None if x is None else _sums(x, first) for x in columns)]


def _sums(x: Column, first: Column) -> Column:
    """Add up runs of numbers, or of digits."""
    sums: Digits = np.add.reduceat(x, first, axis=-1)
    return carried(sums) if x.ndim == 2 else sums
