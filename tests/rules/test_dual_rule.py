"""Rules for one event that price several classes as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import array_api_strict
import numpy as np
import pandas as pd
import pytest

from properly.errors import ArgumentTypeError, DataError
from properly.rules import Brier, Log, Misclassification, Spherical

if TYPE_CHECKING:
    from properly.rules._class_rule import DualRule

# The Brier score of both columns is twice that of the event, unless it is halved.
RULES = [Brier("half"), Log(), Spherical(), Misclassification()]
Y, EVENT = [0, 1, 1, 0], np.array([0.25, 0.75, 0.5, 0.0])
BOTH = np.column_stack([1 - EVENT, EVENT])
WEIGHT = [1, 2, 3, 4]

by_rule = pytest.mark.parametrize("rule", RULES, ids=repr)


@by_rule
def test_two_columns_are_an_event_and_its_absence(rule: DualRule) -> None:
    np.testing.assert_allclose(rule.loss(Y, BOTH), rule.loss(Y, EVENT), rtol=1e-15)
    assert rule(Y, BOTH) == pytest.approx(rule(Y, EVENT), rel=1e-15)
    assert rule(Y, BOTH, WEIGHT) == pytest.approx(rule(Y, EVENT, WEIGHT), rel=1e-15)
    np.testing.assert_allclose(rule.entropy(BOTH), rule.entropy(EVENT), rtol=1e-15)


@by_rule
def test_one_column_is_no_table(rule: DualRule) -> None:
    message = "class probabilities must have at least one row and two columns"
    for call in (rule.loss, rule):
        with pytest.raises(DataError, match=message):
            call(Y, EVENT[:, None])
    with pytest.raises(DataError, match=message):
        rule.entropy(EVENT[:, None])


@by_rule
@pytest.mark.parametrize(
    "make", [np.ndarray.tolist, list, pd.DataFrame, array_api_strict.asarray], ids=range(4)
)
def test_a_table_is_a_table_in_any_clothes(rule: DualRule, make: Any) -> None:
    np.testing.assert_allclose(np.asarray(rule.loss(Y, make(BOTH))), rule.loss(Y, BOTH), rtol=1e-15)
    assert float(rule(Y, make(BOTH))) == pytest.approx(rule(Y, BOTH), rel=1e-15)
    np.testing.assert_allclose(
        np.asarray(rule.entropy(make(BOTH))), rule.entropy(BOTH), rtol=1e-15, atol=1e-16
    )


@by_rule
def test_labels_name_columns_and_an_event_has_none(rule: DualRule) -> None:
    words, labels = ["b", "a", "a", "b"], ["b", "a"]
    np.testing.assert_array_equal(rule.loss(words, BOTH, labels=labels), rule.loss(Y, BOTH))
    assert rule(words, BOTH, labels=labels) == rule(Y, BOTH)
    for call in (rule.loss, rule):
        with pytest.raises(ArgumentTypeError, match="labels name the columns of class prob"):
            call(Y, EVENT, labels=labels)


@pytest.mark.parametrize("rule", [Spherical(), Misclassification()], ids=repr)
def test_losses_of_classes_lie_between_0_and_1_unless_said_otherwise(rule: DualRule) -> None:
    assert rule.range_for(7) == (0.0, 1.0)
    assert rule.loss([0, 1], np.eye(7)[[0, 0]]).tolist() == [0.0, 1.0]
