"""Rules are values: equal, hashed, printed, copied and sent elsewhere by what they are made of."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import properly
from properly.rules import HistogramWeighted, PointWeighted, Shifted
from properly.rules._distance import SquaredMeanError

from .class_draws import dyadic_grid
from .class_subjects import SUBJECTS
from .subjects import RULES, both_outcomes

if TYPE_CHECKING:
    from properly.rules import BinaryRule, ClassRule

    Rule = BinaryRule | ClassRule

# An improper rule obeys no other law, but this one.
OF_EVENTS: list[Rule] = [*RULES, Shifted(0.2, form="published")]
# A rule, and the number of classes; None for one event.
VALUES: list[tuple[Any, int | None]] = [
    *((rule, None) for rule in OF_EVENTS),
    *((subject.rule, subject.classes[0]) for subject in SUBJECTS),
]
every = pytest.mark.parametrize(("rule", "classes"), VALUES, ids=[repr(x) for x, _ in VALUES])
Y, P = both_outcomes(np.linspace(0, 1, 41))


def assert_same_value(found: Any, rule: Any, classes: int | None) -> None:
    assert type(found) is type(rule)
    assert found == rule
    assert hash(found) == hash(rule)
    assert repr(found) == repr(rule)
    # What a rule keeps besides its parameters takes no part in comparisons, but in prices.
    if classes is None:
        np.testing.assert_array_equal(found.loss(Y, P), rule.loss(Y, P))
        np.testing.assert_array_equal(found.weight(P), rule.weight(P))
    else:
        grid = dyadic_grid(classes)
        np.testing.assert_array_equal(found.classwise(grid), rule.classwise(grid))


def said(rule: Rule) -> Any:
    """Make a rule again from what is printed of it."""
    names = {name: getattr(properly.rules, name) for name in properly.rules.__all__}
    names |= {"Interval": properly.Interval, "SquaredMeanError": SquaredMeanError}
    return eval(repr(rule), names)  # noqa: S307


@every
def test_a_copy_of_a_rule_is_the_same_value(rule: Rule, classes: int | None) -> None:
    assert_same_value(copy.copy(rule), rule, classes)
    assert_same_value(copy.deepcopy(rule), rule, classes)


@every
def test_the_repr_of_a_rule_is_the_call_that_makes_it(rule: Rule, classes: int | None) -> None:
    assert "\n" not in repr(rule)
    assert_same_value(said(rule), rule, classes)


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=8))
def test_weights_divided_by_their_sum_can_be_printed_and_read(weights: list[float]) -> None:
    count = len(weights)
    thresholds = [(k + 1) / (count + 1) for k in range(count)]
    assert said(PointWeighted(thresholds, weights)) == PointWeighted(thresholds, weights)
    edges = [k / count for k in range(count + 1)]
    assert said(HistogramWeighted(edges, weights)) == HistogramWeighted(edges, weights)
