"""What is particular to each rule."""

from __future__ import annotations

import math

import numpy as np
import pytest

from properly.rules import (
    BinaryRule,
    Bounded,
    Brier,
    Elementary,
    Log,
    Misclassification,
    Mixture,
    Propriety,
    Spherical,
)


@pytest.mark.parametrize(
    ("rule", "propriety", "worst", "name"),
    [
        (Brier(), Propriety.STRICT, 1, "brier"),
        (Log(), Propriety.STRICT, math.inf, "log"),
        (Spherical(), Propriety.STRICT, 1, "spherical"),
        (Misclassification(), Propriety.PROPER, 1, "misclassification"),
        (Elementary(0.2), Propriety.PROPER, 0.8, "elementary[0.2]"),
        (Bounded(Brier(), (0, 0.5)), Propriety.PROPER, 1.5, "bounded_brier[0.0,0.5]"),
        (
            Bounded(Brier(), (0, 1), "integral"),
            Propriety.STRICT,
            1,
            "bounded_brier_integral[0.0,1.0]",
        ),
        (
            Bounded(Elementary(0.2), (0, 1)),
            Propriety.PROPER,
            0.8,
            "bounded_elementary[0.2][0.0,1.0]",
        ),
        (
            Mixture([(2, Brier()), (1, Elementary(0.5))]),
            Propriety.STRICT,
            2.5,
            "mixture[2.0*brier+1.0*elementary[0.5]]",
        ),
        (
            Mixture([(0, Brier()), (1, Elementary(0.5))]),
            Propriety.PROPER,
            0.5,
            "mixture[0.0*brier+1.0*elementary[0.5]]",
        ),
    ],
    ids=repr,
)
def test_a_rule_states_its_facts(
    rule: BinaryRule, propriety: Propriety, worst: float, name: str
) -> None:
    assert rule.propriety is propriety
    assert rule.range == (0, worst)
    assert rule.name == name
    assert rule.is_proper


@pytest.mark.parametrize(
    "rule",
    [Elementary(0.25), Bounded(Log(), (0.1, 0.2), "integral"), Mixture([(1, Brier())])],
    ids=repr,
)
def test_the_repr_is_the_call_that_makes_the_rule(rule: BinaryRule) -> None:
    from properly import Interval

    names = {c.__name__: c for c in (Bounded, Brier, Elementary, Interval, Log, Mixture)}
    again = eval(repr(rule), names)  # noqa: S307
    assert again == rule
    assert hash(again) == hash(rule)


def test_the_log_score_is_exact_where_it_is_small() -> None:
    assert Log().loss([0], [1e-20])[0] == 1e-20
    assert Log().loss([1], [1e-310])[0] == pytest.approx(-math.log(1e-310), rel=1e-15)


def test_point_masses_at_the_ends_of_a_range_are_shared_or_half_open() -> None:
    left, right = (Bounded(Misclassification(), w, "integral") for w in ((0.2, 0.5), (0.5, 0.8)))
    assert left.atoms == right.atoms == ((0.5, 1.0),)
    lower, upper = (Bounded(Elementary(0.5), w, "integral") for w in ((0.2, 0.5), (0.5, 0.8)))
    assert (lower.atoms, upper.atoms) == (((0.5, 1.0),), ())


def test_atoms_of_a_mixture_add_up() -> None:
    rule = Mixture([(2, Elementary(0.5)), (1, Misclassification()), (0, Elementary(0.1))])
    assert rule.atoms == ((0.5, 4.0),)


def test_one_case_costs_what_the_definition_says() -> None:
    p = np.array([0.0, 0.2, 0.5, 1.0])
    np.testing.assert_allclose(Brier().loss([1] * 4, p), (1 - p) ** 2, rtol=1e-15)
    np.testing.assert_allclose(
        Spherical().loss([0] * 4, p), 1 - (1 - p) / np.hypot(p, 1 - p), rtol=0, atol=1e-15
    )


def test_the_mean_is_a_plain_float_and_ignores_rows_of_weight_zero() -> None:
    mean = Log()([1, 0, 1], [0.0, 0.5, 0.5], weight=[0, 1, 2])
    assert type(mean) is float
    assert mean == pytest.approx(math.log(2), rel=1e-15)
