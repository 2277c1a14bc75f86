"""The logarithm of the probability of what happened."""

from __future__ import annotations

import math
from decimal import Decimal

import array_api_strict
import numpy as np
import pytest

from properly.rules import Log, Propriety


def test_a_rule_states_its_facts() -> None:
    rule = Log()
    assert rule.propriety is rule.propriety_for(2) is rule.propriety_for(7) is Propriety.STRICT
    assert (rule.is_proper, rule.needs_order) == (True, False)
    assert (rule.name, rule.range) == ("log", (0, math.inf))
    assert rule.range_for(2) == rule.range_for(9) == (0, math.inf)
    assert repr(rule) == "Log()"


def test_the_log_score_is_exact_where_it_is_small() -> None:
    assert Log().loss([0], [1e-20])[0] == 1e-20
    assert Log().loss([1], [1e-310])[0] == pytest.approx(-math.log(1e-310), rel=1e-15)


@pytest.mark.parametrize("small", [1e-300, 5e-324, 1e-17, 0.3])
def test_every_probability_of_a_class_is_priced_to_the_last_digit(small: float) -> None:
    row = [small, 1 - small]
    wanted = float(-Decimal(small).ln())
    assert Log().loss([0], [row])[0] == pytest.approx(wanted, rel=1e-15)
    likely = float(-Decimal(1 - small).ln())
    assert Log().loss([1], [row])[0] == pytest.approx(likely, rel=1e-15)


def test_only_certainty_costs_nothing_and_only_impossibility_is_infinite() -> None:
    p = [[1.0, 0.0], [0.0, 1.0], [-0.0, 1.0], [1 - 2**-53, 2**-53]]
    losses = Log().loss([0, 0, 0, 0], p)
    assert losses.tolist() == [0, math.inf, math.inf, -math.log(1 - 2**-53)]
    # Zero is zero: no minus before it.
    assert not np.signbit(losses).any()
    assert not np.signbit(Log().classwise(np.eye(3))).any()


def test_an_infinite_loss_makes_an_infinite_mean_without_a_warning() -> None:
    p = [[0.0, 1.0], [0.5, 0.5]]
    assert Log()([0, 1], p) == math.inf
    assert Log()([0, 1], p, weight=[1, 3]) == math.inf
    assert Log().expected_loss([0.0, 1.0], [0.0, 1.0]) == 0
    assert Log().expected_loss([0.5, 0.5], [0.0, 1.0]) == math.inf
    assert Log().entropy(p).tolist() == [0, pytest.approx(math.log(2), rel=1e-15)]


def test_certainty_and_impossibility_cost_the_same_in_any_library() -> None:
    # The last row sums to 1 only nearly; nothing is won by that.
    p = [[0.25, 0.75, 0.0], [1.0, 0.0, 0.0], [1 + 2.0**-21, 0.0, 0.0]]
    expected = [[-math.log(0.25), -math.log(0.75), math.inf], *[[0.0, math.inf, math.inf]] * 2]
    for library in (np, array_api_strict):
        found = np.asarray(Log().classwise(library.asarray(p)))
        np.testing.assert_allclose(found, expected, rtol=1e-15)
        assert not np.signbit(found).any()
        np.testing.assert_array_equal(
            np.asarray(Log().loss([1, 0, 0], library.asarray(p))), found[[0, 1, 2], [1, 0, 0]]
        )


def test_only_the_class_that_happened_has_a_slope() -> None:
    p = np.array([[0.5, 0.25, 0.25], [0.0, 0.2, 0.8]])
    expected = [[-2.0, 0.0, 0.0], [0.0, 0.0, -1.25]]
    assert Log().class_slope(np.array([0, 2]), p).tolist() == expected
