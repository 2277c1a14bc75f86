"""Identities that hold for odd rows: parts add up, neither units of weight nor the order matter."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from tests.examples import examples

import properly
from properly.errors import DataWarning
from properly.rules import Log

from .odd_rows import Odd, odd_rows, rules

# Every public function has a quick test elsewhere.
pytestmark = pytest.mark.slow

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
# Rows that all weigh nothing are refused, and have no parts.
PLAIN = odd_rows(design=False).filter(lambda odd: odd.weight is None or max(odd.weight) > 0)
# Relative to the largest part; sums of a hundred rows lose three digits at most.
ROUNDING = 1e-12


def parts(y: Any, p: Any, rule: Any, weight: Any = None) -> list[float]:
    """Return the score and its three parts."""
    found = properly.decompose(properly.tally(y, p, weight=weight), rule)
    return [found.score, found.miscalibration, found.discrimination, found.uncertainty]


def rounding_of(odd: Odd) -> float:
    """Return how well parts of these rows are known.

    The least share of an outcome is known to a rounding of 1, and with it all that it costs. Of a
    smaller one than that, nothing is.
    """
    shares = np.bincount(np.asarray(odd.y).astype(int), odd.weight, minlength=2)
    least = float(shares.min() / shares.sum()) or 1.0
    rounding = max(ROUNDING, 16 * float(np.finfo(float).eps) / least)
    assume(rounding < 1)
    return rounding


def close(found: list[float], expected: list[float], rounding: float = ROUNDING) -> None:
    """Compare, but for rounding, with the largest that is finite."""
    size = max((abs(x) for x in expected if math.isfinite(x)), default=0.0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=rounding * size)


@examples(40, suppress_health_check=SLOW)
@given(odd=PLAIN, rule=rules)
def test_the_parts_add_up_to_the_score(odd: Odd, rule: Any) -> None:
    rounding = rounding_of(odd)
    score, mcb, dsc, unc = parts(odd.y, odd.p, rule, odd.weight)
    largest = max(x for x in (mcb, dsc, unc) if math.isfinite(x))
    assert min(mcb, dsc, unc) >= -rounding * largest
    if math.isfinite(score):
        # Both sides without a difference, in which what is small beside the parts is lost.
        close([mcb + unc], [score + dsc])
    else:
        assert math.isinf(mcb)


@examples(40, suppress_health_check=SLOW)
@given(odd=PLAIN, rule=rules, power=st.integers(-30, 30))
def test_the_unit_of_weights_never_matters(odd: Odd, rule: Any, power: int) -> None:
    assume(odd.weight is not None)
    weight = np.asarray(odd.weight, dtype=np.float64)
    assume(np.all((weight == 0) | ((weight > 1e-20) & (weight < 1e20))))
    close(parts(odd.y, odd.p, rule, weight * 2.0**power), parts(odd.y, odd.p, rule, weight))


@examples(40, suppress_health_check=SLOW)
@given(odd=PLAIN, rule=rules, seed=st.integers(0, 99))
def test_the_order_of_rows_never_matters(odd: Odd, rule: Any, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(odd))
    columns = [None if x is None else np.asarray(x) for x in (odd.y, odd.p, odd.weight)]
    y, p, weight = (None if x is None else x[order] for x in columns)
    expected = parts(columns[0], columns[1], rule, columns[2])
    close(parts(y, p, rule, weight), expected, rounding_of(odd))


@examples(40, suppress_health_check=SLOW)
@given(odd=PLAIN)
def test_the_accuracy_is_the_log_score(odd: Odd) -> None:
    tally = odd.tally()
    score = properly.decompose(tally, Log()).score
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        mean_probability = properly.means(tally).mean_probability
    assert mean_probability == pytest.approx(math.exp(-score), rel=1e-9)


@examples(40, suppress_health_check=SLOW)
@given(odd=PLAIN)
def test_how_rows_are_handed_over_never_matters(odd: Odd) -> None:
    plain = [None if x is None else np.asarray(x) for x in (odd.y, odd.p, odd.weight)]
    y, p, weight = plain
    tally, expected = odd.tally(), properly.tally(y, p, weight=weight)
    for name in ("value", "weight", "events"):
        np.testing.assert_array_equal(getattr(tally, name), getattr(expected, name))
