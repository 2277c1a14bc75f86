"""Random counts: many draws of many binomial or Poisson numbers, each with its own mean.

A general routine prepares for each number anew. Here the distribution functions are tabulated once
and turned around; a guide leads each uniform number to about the right place. Where tables would be
long, numbers are as good as normal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.typing import Column

    # By what the logarithm of the chance of a number differs from that of the next, in tables.
    Step = Callable[[Column, Column], Column]
    # Draws the numbers at some places, rows of them.
    Exact = Callable[[np.random.Generator, Column, tuple[int, int]], Column]


# Tables reach so many standard deviations to either side, and so many numbers beyond. What is left
# out has a chance below a billionth of a thousandth.
REACH = 7
BEYOND = 10
# Entries of a guide.
GUIDE = 128
# Numbers of such a variance are nearly normal, and 0 is far; fewer draws are not worth tables.
WIDE = 10
MANY = 32


@dataclass(frozen=True, eq=False)
class Tables:
    """Distribution functions, one after the other.

    Attributes
    ----------
    least : numpy array
        The least number of each table.
    start : numpy array
        Where the tables begin.
    upto : numpy array
        The chance of each number or less; at the end of each table infinity, so that it ends.
    guide : numpy array
        The first place that a uniform number in each of 128 equal parts may lead to.
    """

    least: Column
    start: Column
    upto: Column
    guide: Column

    @classmethod
    def of(cls, mean: Column, deviation: Column, most: Column | float, step: Step) -> Tables:
        """Tabulate distributions; one that does not vary has its mean alone."""
        half = np.where(deviation > 0, np.ceil(REACH * deviation) + BEYOND, 0.0)
        least = np.rint(np.maximum(mean - half, 0.0)).astype(np.int64)
        size = np.rint(np.minimum(mean + half, most)).astype(np.int64) - least + 1
        start = np.cumsum(size) - size
        last, table = start + size - 1, np.repeat(np.arange(len(size)), size)
        number = np.arange(len(table)) + (least - start)[table]
        steps = np.append(0.0, step(number, table)[:-1])
        steps[start] = 0.0
        chance = np.cumsum(steps)
        chance -= np.maximum.reduceat(chance, start)[table]
        np.exp(chance, out=chance)
        upto = np.cumsum(chance)
        upto -= (upto - chance)[start][table]
        upto /= upto[last][table]
        part = np.minimum(np.ceil(upto * GUIDE), GUIDE).astype(np.int64)
        below = np.bincount(table * (GUIDE + 1) + part, minlength=(GUIDE + 1) * len(size))
        guide = np.cumsum(below.reshape(-1, GUIDE + 1)[:, :GUIDE], axis=1) + start[:, None]
        upto[last] = np.inf
        return cls(least, start, upto, np.minimum(guide, last[:, None]).ravel())

    def draw(self, rows: int, rng: np.random.Generator) -> Column:
        """Draw so many rows of numbers, one a table."""
        uniform = rng.random((rows, len(self.start)))
        place = (uniform * GUIDE).astype(np.int64)
        place += GUIDE * np.arange(len(self.start))
        place = self.guide.take(place)
        flat, number = uniform.ravel(), place.ravel()
        left = np.flatnonzero(flat >= self.upto.take(number))
        while left.size:
            number[left] += 1
            left = left[flat[left] >= self.upto[number[left]]]
        place -= self.start - self.least
        return place


class Numbers:
    """Random counts; those that vary widely are normal ones, skewed and rounded.

    Rounding adds a twelfth to their variance. Of the others, many draws are taken from tables, few
    by a general routine.
    """

    def __init__(
        self, moments: tuple[Column, Column, Column], most: Column, step: Step, exact: Exact
    ) -> None:
        mean, variance, third = moments
        self.wide, self.step, self.exact = variance >= WIDE, step, exact
        self.narrow = np.flatnonzero(~self.wide)
        self.columns = mean[self.narrow], np.sqrt(variance[self.narrow]), most[self.narrow]
        self.mean, self.most, spread = (x[self.wide] for x in (mean, most, variance))
        self.deviation, self.bend = np.sqrt(spread - 1 / 12), third[self.wide] / spread / 6

    @cached_property
    def tables(self) -> Tables:
        """The distributions that are tabulated."""
        return Tables.of(*self.columns, lambda number, k: self.step(number, self.narrow[k]))

    def draw(self, rows: int, rng: np.random.Generator) -> Column:
        """Draw so many rows of numbers."""
        result = np.empty((rows, len(self.wide)), dtype=np.int64)
        if rows < MANY:
            # In this order, since the routine prepares for a number that differs from the last.
            shape = len(self.narrow), rows
            result[:, self.narrow] = self.exact(rng, self.narrow[:, None], shape).T
        elif len(self.narrow):
            result[:, self.narrow] = self.tables.draw(rows, rng)
        normal = rng.standard_normal((rows, len(self.mean)), dtype=np.float32)
        number = normal * self.deviation
        np.multiply(normal, normal, out=normal)
        normal -= 1
        number += normal * self.bend
        number += self.mean
        np.rint(number, out=number)
        result[:, self.wide] = np.clip(number, 0.0, self.most, out=number)
        return result


def binomials(cases: Column, probability: Column) -> Numbers:
    """Get ready to draw how many events happen; of what is certain there is only one number."""
    mean = cases * probability
    variance = mean * (1 - probability)
    with np.errstate(divide="ignore"):
        odds = np.log(probability) - np.log1p(-probability)

    def step(number: Column, place: Column) -> Column:
        # After the last number of a table there is no other.
        with np.errstate(divide="ignore", invalid="ignore"):
            result: Column = np.log((cases[place] - number) / (number + 1)) + odds[place]
        return result

    def exact(rng: np.random.Generator, place: Column, shape: tuple[int, int]) -> Column:
        return rng.binomial(cases[place], probability[place], shape)

    moments = mean, variance, variance * (1 - 2 * probability)
    return Numbers(moments, cases, step, exact)


def poisson(mean: Column) -> Numbers:
    """Get ready to draw Poisson numbers."""
    log = np.log(mean, out=np.zeros(len(mean)), where=mean > 0)

    def step(number: Column, place: Column) -> Column:
        result: Column = log[place] - np.log(number + 1)
        return result

    def exact(rng: np.random.Generator, place: Column, shape: tuple[int, int]) -> Column:
        return rng.poisson(mean[place], shape)

    return Numbers((mean, mean, mean), np.full(len(mean), np.inf), step, exact)
