"""Numbers on a scale whose products are doubles: divided by a power of two, which is exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from properly.typing import Column

# Numbers whose greatest lies between these powers of two have cubes, and sums of cubes, that are
# doubles. Only beyond them are numbers divided, so that those of most users stay as they are.
LEAST, MOST = -128, 128


def exponent_of(numbers: Column) -> int:
    """Return the power of two to divide numbers by before they are multiplied; 0 of most."""
    exponent = int(np.frexp(float(np.max(numbers)))[1])
    return 0 if LEAST <= exponent <= MOST else exponent


def middle_exponent(weight: Column) -> int:
    """Return the same of weights, and the power in the middle where it is not 0."""
    highest = exponent_of(weight)
    return highest and (highest + int(np.frexp(float(weight[weight > 0].min()))[1])) // 2


def product(*columns: Column) -> tuple[Column, int]:
    """Multiply columns, each divided by a power of two; return what they were divided by in all."""
    exponents = [exponent_of(x) for x in columns]
    parts = (divided(x, exponent) for x, exponent in zip(columns, exponents, strict=True))
    return np.prod(list(parts), axis=0), sum(exponents)


def divided(numbers: Column, exponent: int | Column) -> Column:
    """Divide by a power of two, exactly."""
    return np.asarray(np.ldexp(numbers, np.negative(exponent)))


def deviation(rows: Column) -> Column:
    """Return the standard deviation of each row, whose squares may be no doubles."""
    exponent = np.array([exponent_of(np.abs(row)) for row in rows])
    return np.asarray(np.ldexp(divided(rows, exponent[:, None]).std(axis=1, ddof=1), exponent))
