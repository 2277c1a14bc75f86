"""Skill scores and the H-measure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import array_api_strict
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import beta

from properly import decompose, roc_curve, rules, tally
from properly.errors import ArgumentTypeError, DataError
from properly.inference import h_measure, skill
from properly.rules._distance import SquaredMeanError

if TYPE_CHECKING:
    from numpy.typing import NDArray

N = 200
RNG = np.random.default_rng(17)
P = (0.02 + 0.96 * RNG.random(N)).round(2)
Y = RNG.random(N) < P**2
WEIGHT = RNG.exponential(size=N)
RULES: list[rules.BinaryRule] = [
    rules.Brier(),
    rules.Log(),
    rules.Spherical(),
    rules.Misclassification(),
    rules.Elementary(0.2),
    rules.Bounded(rules.Brier(), (0.05, 0.2)),
    rules.Bounded(rules.Log(), (0.3, 0.9)),
    rules.Regret((0.1, 0.5)),
    rules.BetaWeighted(2, 8),
    rules.PointWeighted([0.1, 0.4]),
    rules.HistogramWeighted([0.1, 0.2, 0.6], [1, 3]),
    rules.Shifted(0.1),
    rules.MissedBenefit(),
]
every_rule = pytest.mark.parametrize("rule", RULES, ids=repr)
with_and_without_weights = pytest.mark.parametrize("weight", [None, WEIGHT], ids=["no", "yes"])
Y4, P4 = [0, 0, 0, 1], [0.25, 0.0, 0.25, 0.5]


# Skill


def test_by_hand() -> None:
    assert skill(Y4, P4, rules.Brier()) == 1 - (2 / 16 + 1 / 4) / (3 / 16 + 9 / 16)
    assert skill(Y4, P4, rules.Brier(), reference=0.5) == 1 - (2 / 16 + 1 / 4) / 1
    assert skill(Y4, P4, rules.Brier(), reference=[0, 0.5, 0, 0.5]) == 1 - (2 / 16 + 1 / 4) / (
        1 / 2
    )
    # Rate 3/6 by weight; losses 1/16, 0, 1/16 and 3/4 against 1/4 of each.
    assert skill(Y4, P4, rules.Brier(), weight=[1, 1, 1, 3]) == 1 - (2 / 16 + 3 / 4) / (6 / 4)


@every_rule
@with_and_without_weights
def test_it_follows_from_the_parts_of_the_score(
    rule: rules.BinaryRule, weight: NDArray[Any] | None
) -> None:
    parts = decompose(tally(Y, P, weight=weight), rule)
    gained = (parts.discrimination - parts.miscalibration) / parts.uncertainty
    assert skill(Y, P, rule, weight=weight) == pytest.approx(gained, rel=1e-12, abs=1e-13)


@every_rule
def test_a_number_is_the_same_forecast_for_all(rule: rules.BinaryRule) -> None:
    expected = 1 - rule(Y, P) / rule(Y, np.full(N, 0.31))
    for reference in (0.31, np.float64(0.31), np.array(0.31), np.full(N, 0.31)):
        assert skill(Y, P, rule, reference=reference) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("p", "rule", "reference", "expected"),
    [
        ([0.0, 1.0], rules.Brier(), [0.0, 1.0], math.nan),
        ([0.1, 1.0], rules.Brier(), [0.0, 1.0], -math.inf),
        ([1.0, 1.0], rules.Log(), None, -math.inf),
        ([1.0, 1.0], rules.Log(), [0.0, 1.0], -math.inf),
        ([1.0, 1.0], rules.Log(), 0.0, math.nan),
        ([0.5, 0.5], rules.Log(), 0.0, 1.0),
    ],
)
def test_scores_of_0_and_infinity(
    p: list[float], rule: rules.BinaryRule, reference: Any, expected: float
) -> None:
    assert skill([0, 1], p, rule, reference=reference) == pytest.approx(expected, nan_ok=True)


# Skill of classes

CLASS_RULES: list[rules.ClassRule] = [
    rules.Brier(),
    rules.Brier("mean"),
    rules.Log(),
    rules.Spherical(),
    rules.Misclassification(),
    rules.RPS(),
    rules.RPS([3, 1]),
    rules.RankedLog(),
    rules.Ranked(rules.Bounded(rules.Brier(), (0.05, 0.2))),
    SquaredMeanError(),
    rules.QuadraticRPS(),
    rules.PBS(),
]
every_class_rule = pytest.mark.parametrize("rule", CLASS_RULES, ids=lambda rule: rule.name)
DRAWN = np.random.default_rng(18)
TABLE = DRAWN.dirichlet(np.ones(3), N)
GRADE = np.array([DRAWN.choice(3, p=row) for row in TABLE])
OTHERS = DRAWN.dirichlet(np.full(3, 2.0), N)
Y3, P3 = [0, 1, 2, 0], [[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1], [1, 0, 0]]


def test_of_classes_by_hand() -> None:
    # Shares 1/2, 1/4, 1/4; cumulated 1/2 and 3/4: losses of the shares in thirty-seconds.
    assert skill(Y3, P3, rules.RPS()) == pytest.approx(1 - (1 / 8) / ((5 + 5 + 13 + 5) / 32))
    assert skill(Y3, P3, rules.Brier()) == pytest.approx(1 - (1 / 2) / ((6 + 14 + 14 + 6) / 16))
    third = [1 / 3] * 3
    assert skill(Y3, P3, rules.Brier(), reference=third) == pytest.approx(1 - (1 / 2) / (4 * 2 / 3))
    # With weights the shares are 1/4, 1/2, 1/4.
    weighed = skill(Y3, P3, rules.Brier(), weight=[1, 4, 2, 1])
    assert weighed == pytest.approx(1 - 2 / ((14 * 2 + 6 * 4 + 14 * 2) / 16))


@every_class_rule
@with_and_without_weights
def test_the_constant_class_shares_have_none(
    rule: rules.ClassRule, weight: NDArray[Any] | None
) -> None:
    shares = np.bincount(GRADE, weight, 3) / (N if weight is None else weight.sum())
    constant = np.tile(shares, (N, 1))
    assert skill(GRADE, constant, rule, weight=weight) == pytest.approx(0, abs=1e-14)
    assert skill(GRADE, TABLE, rule, weight=weight, reference=TABLE) == 0
    expected = 1 - rule(GRADE, TABLE, weight) / rule(GRADE, constant, weight)
    assert skill(GRADE, TABLE, rule, weight=weight) == pytest.approx(expected, rel=1e-12)


@every_class_rule
def test_a_row_is_the_same_forecast_for_all(rule: rules.ClassRule) -> None:
    row = [0.5, 0.25, 0.25]
    expected = skill(GRADE, TABLE, rule, reference=np.tile(row, (N, 1)))
    assert expected == pytest.approx(1 - rule(GRADE, TABLE) / rule(GRADE, [row] * N), rel=1e-12)
    forms: list[Any] = [row, tuple(row), [row], np.array(row), np.array([row])]
    forms += [pd.Series(row), pd.DataFrame([row]), array_api_strict.asarray(row)]
    for reference in forms:
        assert skill(GRADE, TABLE, rule, reference=reference) == pytest.approx(expected, rel=1e-13)


@every_class_rule
@with_and_without_weights
def test_a_reference_may_have_a_row_for_each_case(
    rule: rules.ClassRule, weight: NDArray[Any] | None
) -> None:
    expected = 1 - rule(GRADE, TABLE, weight) / rule(GRADE, OTHERS, weight)
    for reference in (OTHERS, OTHERS.tolist(), pd.DataFrame(OTHERS), pl.DataFrame(OTHERS)):
        found = skill(GRADE, TABLE, rule, weight=weight, reference=reference)
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("p", "rule", "reference", "expected"),
    [
        ([[1, 0], [0, 1]], rules.Brier(), [[1, 0], [0, 1]], math.nan),
        ([[0.5, 0.5], [0, 1]], rules.Brier(), [[1, 0], [0, 1]], -math.inf),
        ([[0, 1], [0, 1]], rules.Log(), None, -math.inf),
        ([[0, 1], [0, 1]], rules.Log(), [1, 0], math.nan),
        ([[0.5, 0.5], [0.5, 0.5]], rules.Log(), [1, 0], 1.0),
        ([[0, 1], [0, 1]], rules.RankedLog(), [0.5, 0.5], -math.inf),
    ],
)
def test_scores_of_classes_of_0_and_infinity(
    p: list[list[float]], rule: rules.ClassRule, reference: Any, expected: float
) -> None:
    assert skill([0, 1], p, rule, reference=reference) == pytest.approx(expected, nan_ok=True)


def test_labels_name_the_columns() -> None:
    grades = ["low", "mid", "high"]
    text = [grades[k] for k in Y3]
    assert skill(text, P3, rules.RPS(), labels=grades) == skill(Y3, P3, rules.RPS())
    assert skill(text, P3, rules.RPS(), labels=grades[::-1]) < 0
    # Where no order matters the alphabet will do: high, low, mid.
    assert skill(text, P3, rules.Brier()) == skill(text, P3, rules.Brier(), labels=sorted(grades))
    with pytest.raises(DataError, match="labels"):
        skill(text, P3, rules.RPS())
    with pytest.raises(ArgumentTypeError, match="labels name the columns of class probabilities"):
        skill([0, 1], [0.25, 0.75], rules.Brier(), labels=[0, 1])


# The H-measure

PRIORS: list[Any] = ["hand", "severity", "event_rate", *RULES]
every_prior = pytest.mark.parametrize("prior", PRIORS, ids=str)


@pytest.mark.parametrize("prior", ["hand", "severity", "event_rate"])
@with_and_without_weights
def test_it_is_the_area_under_the_least_regret_of_any_threshold(
    prior: Any, weight: NDArray[Any] | None
) -> None:
    """The definition: at each cost, act from the best threshold on, whatever it is."""
    t = tally(Y, P, weight=weight)
    curve, rate = roc_curve(t), t.event_rate
    parameters = {"hand": (2, 2), "severity": (2, 1 / rate), "event_rate": (1 + rate, 2 - rate)}
    # The least regret is piecewise linear in c; between its kinks Gauss-Legendre is exact enough.
    hull = roc_curve(t, hull=True)
    kink = np.unique(np.append(hull.threshold[1:], [0, rate, 1]))
    node, share = np.polynomial.legendre.leggauss(40)
    c = ((kink[1:] + kink[:-1]) / 2)[:, None] + np.outer(np.diff(kink) / 2, node)
    w = np.outer(np.diff(kink) / 2, share) * beta.pdf(c, *parameters[prior])
    false, missed = (1 - rate) * curve.false_positive_rate, rate * (1 - curve.true_positive_rate)
    least = np.min(c[..., None] * false + (1 - c[..., None]) * missed, axis=-1)
    expected = 1 - (w * least).sum() / (w * np.minimum(c * (1 - rate), (1 - c) * rate)).sum()
    assert h_measure(t, prior) == pytest.approx(expected, abs=1e-10)


@every_prior
@with_and_without_weights
def test_it_is_the_share_of_the_uncertainty_that_is_discriminated(
    prior: Any, weight: NDArray[Any] | None
) -> None:
    t = tally(Y, P, weight=weight)
    rate = t.event_rate
    named = {"hand": (2, 2), "severity": (2, 1 / rate), "event_rate": (1 + rate, 2 - rate)}
    rule = rules.BetaWeighted(*named[prior]) if isinstance(prior, str) else prior
    parts = decompose(t, rule)
    expected = parts.discrimination / parts.uncertainty
    assert h_measure(t, prior) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@every_prior
def test_increasing_changes_of_the_forecasts_do_not_matter(prior: Any) -> None:
    expected = h_measure(tally(Y, P), prior)
    for changed in (P**3, 1 / (1 + np.exp(-50 * (P - 0.9))), np.sqrt(P)):
        assert h_measure(tally(Y, changed), prior) == expected


@every_prior
def test_it_is_1_for_a_perfect_order_and_0_for_none(prior: Any) -> None:
    assert h_measure(tally(Y, 0.4 + 0.1 * Y), prior) == 1
    assert h_measure(tally(Y, np.full(N, 0.7)), prior) == 0
    assert h_measure(tally(Y, 0.5 - 0.1 * Y), prior) == 0


@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=2, max_size=40),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_it_lies_between_0_and_1(rows: list[tuple[int, bool]], ends: tuple[float, float]) -> None:
    lower, upper = sorted(ends)
    assume(upper - lower > 1e-6)
    p, y = (np.array(column) for column in zip(*rows, strict=True))
    assume(y.any() and not y.all())
    assert 0 <= h_measure(tally(y, p / 9), rules.Regret((lower, upper))) <= 1
    assert 0 <= h_measure(tally(y, p / 9), "severity") <= 1
