"""Long tallies of other libraries are reduced where they are, to the numbers that arrays give.

`array_api_strict` stands for any of them: it refuses whatever the standard does not have.
"""

from __future__ import annotations

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from tests import long_tallies

import properly
from properly import Tally
from properly.counts._device import condense, stays
from properly.counts._histogram import smallest_gap

EVERY = pytest.mark.parametrize("kind", long_tallies.KINDS)
SINGLE_AND_DOUBLE = pytest.mark.parametrize("dtype", ["float32", "float64"])


def both(kind: str, dtype: str, n: int = 5000) -> tuple[Tally, Tally]:
    """Count the same rows of numpy and of another library."""
    y, p = long_tallies.sample(kind, dtype, n)
    other = properly.tally(strict.asarray(y), strict.asarray(p))
    assert stays(other)
    return properly.tally(y, p), other


def test_arrays_and_weights_are_reduced_on_the_host() -> None:
    y, p = long_tallies.sample("tied", "float64")
    assert not stays(properly.tally(y, p))
    weight = strict.asarray(np.linspace(1, 2, len(p)))
    assert not stays(properly.tally(strict.asarray(y), strict.asarray(p), weight=weight))


@EVERY
@SINGLE_AND_DOUBLE
def test_diagrams_and_curves_are_the_same(kind: str, dtype: str) -> None:
    long_tallies.assert_same_diagrams(*both(kind, dtype))
    long_tallies.assert_same_curves(*both(kind, dtype))


def test_a_single_forecast_has_no_gap() -> None:
    assert smallest_gap(both("constant", "float64")[1].value) == np.inf
    assert smallest_gap(both("tied", "float64")[1].value) == pytest.approx(0.1)


@EVERY
@SINGLE_AND_DOUBLE
def test_decision_curves_at_thresholds_need_only_what_lies_near_them(kind: str, dtype: str) -> None:
    long_tallies.assert_same_decisions(*both(kind, dtype))


def test_what_is_fetched_for_a_few_thresholds_is_short() -> None:
    _, t = both("distinct", "float64")
    found = condense(t, np.array([0.05, 0.1, 0.2]))
    assert len(t) == 5000
    assert len(found) < 20
    assert (found.total, found.event_rate) == (t.total, t.event_rate)


def test_areas_of_more_pairs_than_can_be_counted_are_exact() -> None:
    many = np.array([2**33, 2**33, 2**33])
    columns: Any = (np.array([0.1, 0.2, 0.3]), 2 * many, many)
    t = Tally.from_counts(*(strict.asarray(x) for x in columns))
    assert properly.roc_curve(t).area == 0.5
    uneven = (columns[0], 2 * many, np.array([1, 2**32, 2**33]))
    t = Tally.from_counts(*(strict.asarray(x) for x in uneven))
    assert properly.roc_curve(t).area == properly.roc_curve(Tally.from_counts(*uneven)).area
