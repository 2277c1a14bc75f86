"""Random forecasts of classes that are exact in binary, so that no sum of them is rounded."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from tests.examples import examples

from . import class_oracles as exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from properly.rules import ClassRule

    from .class_oracles import Row
    from .class_subjects import ClassSubject

    Floats = NDArray[np.float64]

STEPS = {2: 16, 3: 8, 4: 8, 5: 4}
# For laws repeated for every rule, and for those that are not.
few, many = examples(5), examples(25)


class ClassRows(NamedTuple):
    """Class numbers, class probabilities, weights."""

    y: NDArray[np.int64]
    p: Floats
    weight: NDArray[Any]


seeds = st.integers(0, 2**32 - 1)


def drawn_row(rng: np.random.Generator, classes: int) -> list[int]:
    """Draw sixty-fourths: anything, few classes only, a tie at the top, or certainty."""
    kind = rng.integers(4)
    if kind == 0:
        return list(rng.multinomial(64, rng.dirichlet(np.ones(classes))))
    chosen = rng.permutation(classes)
    if kind == 1:
        few = rng.multinomial(64, np.full(2, 0.5))
        return [
            int(few[list(chosen[:2]).index(k)]) if k in chosen[:2] else 0 for k in range(classes)
        ]
    if kind == 2:
        tied = int(rng.integers(2, min(classes, 4) + 1))
        share = int(rng.integers(64 // (tied + 1) + 1, 64 // tied + 1))
        row = [share if k in chosen[:tied] else 0 for k in range(classes)]
        row[int(chosen[-1])] += 64 - share * tied
        return row
    return [64 * int(k == chosen[0]) for k in range(classes)]


def class_rows(
    seed: int, classes: int, weights: Sequence[float] = (1,), most: int = 12
) -> ClassRows:
    """Draw rows that are exact in binary; at least one case counts."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, most + 1))
    p = np.array([drawn_row(rng, classes) for _ in range(count)]) / 64
    weight = rng.choice(np.array(weights), count)
    weight[0] = weights[-1]
    return ClassRows(rng.integers(0, classes, count), p, weight)


def rows_for(subject: ClassSubject, seed: int, weights: Sequence[float] = (1,)) -> ClassRows:
    """Draw rows of as many classes as the rule can price."""
    return class_rows(seed, subject.classes[seed % len(subject.classes)], weights)


def as_row(p: Sequence[float]) -> Row:
    return tuple(Fraction(float(value)) for value in p)


def as_floats(rows: Sequence[Row]) -> Floats:
    return np.array([[float(value) for value in row] for row in rows])


@cache
def dyadic_grid(classes: int) -> Floats:
    """Return a grid of forecasts that are exact in binary, certain ones and ties among them."""
    grid = as_floats(exact.grid(classes, STEPS[classes]))
    grid.setflags(write=False)
    return grid


def expected_table(rule: ClassRule, truth: Floats, report: Floats) -> Floats:
    """Return expected losses, one row a truth and one column a report; 0 times infinity is 0."""
    losses = np.asarray(rule.classwise(report))
    endless = np.isinf(losses)
    finite = truth @ np.where(endless, 0, losses).T
    return np.where((truth > 0).astype(float) @ endless.T.astype(float) > 0, np.inf, finite)
