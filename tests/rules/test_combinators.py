"""Rules made of other rules."""

from __future__ import annotations

import numpy as np
import pytest

from properly import Interval
from properly.rules import (
    BetaWeighted,
    BinaryRule,
    Bounded,
    Brier,
    Elementary,
    Log,
    Misclassification,
    Mixture,
)


@pytest.mark.parametrize(
    "rule",
    [Elementary(0.25), Bounded(Log(), (0.1, 0.2), "integral"), Mixture([(1, Brier())])],
    ids=repr,
)
def test_the_repr_is_the_call_that_makes_the_rule(rule: BinaryRule) -> None:
    names = {c.__name__: c for c in (Bounded, Brier, Elementary, Interval, Log, Mixture)}
    again = eval(repr(rule), names)  # noqa: S307
    assert again == rule
    assert hash(again) == hash(rule)


def test_atoms_of_a_mixture_add_up() -> None:
    rule = Mixture([(2, Elementary(0.5)), (1, Misclassification()), (0, Elementary(0.1))])
    assert rule.atoms == ((0.5, 4.0),)


def test_a_range_keeps_the_weight_of_its_rule_inside() -> None:
    # More weight on low thresholds than on high ones: the sides must not be exchanged.
    rule, p = BetaWeighted(2, 5), np.array([0.05, 0.2, 0.6, 0.95])
    inside = Bounded(rule, (0.1, 0.9), "integral").logit_weight(p, 1 - p)
    expected = np.where((p > 0.1) & (p < 0.9), rule.logit_weight(p, 1 - p), 0)
    np.testing.assert_allclose(inside, expected, rtol=1e-14)
    assert not np.allclose(rule.logit_weight(p, 1 - p), rule.logit_weight(1 - p, p))
