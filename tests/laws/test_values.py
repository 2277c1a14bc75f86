"""Rules are values: equal, hashed, printed, copied and sent elsewhere by what they are made of."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import properly
from properly.rules import HistogramWeighted, PointWeighted, Shifted

from .subjects import RULES, both_outcomes

if TYPE_CHECKING:
    from properly.rules import BinaryRule

# An improper rule obeys no other law, but this one.
VALUES = [*RULES, Shifted(0.2, form="published")]
every = pytest.mark.parametrize("rule", VALUES, ids=repr)
Y, P = both_outcomes(np.linspace(0, 1, 41))


def assert_same_value(found: BinaryRule, rule: BinaryRule) -> None:
    assert type(found) is type(rule)
    assert found == rule
    assert hash(found) == hash(rule)
    assert repr(found) == repr(rule)
    # What a rule keeps besides its parameters takes no part in comparisons, but in prices.
    np.testing.assert_array_equal(found.loss(Y, P), rule.loss(Y, P))
    np.testing.assert_array_equal(found.weight(P), rule.weight(P))


def said(rule: BinaryRule) -> BinaryRule:
    """Make a rule again from what is printed of it."""
    names = {name: getattr(properly.rules, name) for name in properly.rules.__all__}
    names["Interval"] = properly.Interval
    found: BinaryRule = eval(repr(rule), names)  # noqa: S307
    return found


@every
def test_a_copy_of_a_rule_is_the_same_value(rule: BinaryRule) -> None:
    assert_same_value(copy.copy(rule), rule)
    assert_same_value(copy.deepcopy(rule), rule)


@every
def test_the_repr_of_a_rule_is_the_call_that_makes_it(rule: BinaryRule) -> None:
    assert "\n" not in repr(rule)
    assert_same_value(said(rule), rule)


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=8))
def test_weights_divided_by_their_sum_can_be_printed_and_read(weights: list[float]) -> None:
    count = len(weights)
    thresholds = [(k + 1) / (count + 1) for k in range(count)]
    assert said(PointWeighted(thresholds, weights)) == PointWeighted(thresholds, weights)
    edges = [k / count for k in range(count + 1)]
    assert said(HistogramWeighted(edges, weights)) == HistogramWeighted(edges, weights)
