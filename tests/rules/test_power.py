"""The power score: its definition in many digits, its limits, and its relatives."""

from __future__ import annotations

from decimal import Decimal, localcontext
from itertools import combinations

import array_api_strict
import numpy as np
import pytest

from properly.rules import Bounded, Brier, Log, Mixture, Power, Ranked

EPS = float(np.finfo(float).eps)
DIGITS = 400
ALPHAS = [1.01, 1.2, 1.5, 2.0, 2.5, 7.0, 100.0]
EDGES = [0.0, 1e-300, 1e-9, 0.02, 0.3, 0.5, 0.9, 1 - 1e-9, 1.0]
every_alpha = pytest.mark.parametrize("alpha", ALPHAS)


def exact(alpha: float, p: list[Decimal], y: int) -> Decimal:
    """Return the definition."""
    a = Decimal(alpha)
    return sum((x**a for x in p), Decimal(0)) - (a * p[y] ** (a - 1) - 1) / (a - 1)


def exact_event(alpha: float, p: float) -> tuple[Decimal, Decimal]:
    """Return the loss without the event and with it."""
    both = [1 - Decimal(p), Decimal(p)]
    return exact(alpha, both, 0), exact(alpha, both, 1)


@pytest.mark.slow
@every_alpha
def test_the_loss_is_the_definition_to_the_last_digits(alpha: float) -> None:
    with localcontext() as context:
        context.prec = DIGITS
        for p in EDGES:
            wanted = [float(x) for x in exact_event(alpha, p)]
            found = Power(alpha).loss([0, 1], [p, p])
            np.testing.assert_allclose(found, wanted, rtol=100 * EPS, atol=0)


@pytest.mark.slow
@every_alpha
def test_the_cost_between_any_two_thresholds_is_exact(alpha: float) -> None:
    rule = Power(alpha)
    with localcontext() as context:
        context.prec = DIGITS
        for low, high in combinations(EDGES, 2):
            (none_low, event_low), (none_high, event_high) = (
                exact_event(alpha, end) for end in (low, high)
            )
            ends = np.float64(low), np.float64(high)
            wanted = float(none_high - none_low), float(event_low - event_high)
            assert rule.false_positives(*ends) == pytest.approx(wanted[0], rel=2000 * EPS, abs=0)
            assert rule.false_negatives(*ends) == pytest.approx(wanted[1], rel=2000 * EPS, abs=0)


@pytest.mark.slow
@every_alpha
def test_classes_are_priced_by_the_definition(alpha: float) -> None:
    rows = [[0.1, 0.2, 0.3, 0.4], [1 - 2e-8, 1e-8, 1e-8, 0.0], [0.25] * 4, [0.5, 0.5, 0.0, 0.0]]
    rule = Power(alpha)
    for row in rows:
        with localcontext() as context:
            context.prec = DIGITS
            wanted = [float(exact(alpha, [Decimal(x) for x in row], y)) for y in range(4)]
        # What is missing from a sum of 1 is part of the forecast: 1e-8 is known to 1e-16.
        np.testing.assert_allclose(rule.loss([0, 1, 2, 3], [row] * 4), wanted, rtol=1e-7)
        np.testing.assert_allclose(rule.loss([1, 2, 3], [row] * 3), wanted[1:], rtol=100 * EPS)


def test_a_power_of_2_is_the_brier_score_of_classes() -> None:
    rng = np.random.default_rng(1)
    p, y = rng.dirichlet(np.ones(4), 50), rng.integers(0, 4, 50)
    np.testing.assert_allclose(Power(2).loss(y, p), Brier().loss(y, p), rtol=100 * EPS)
    event = rng.integers(0, 2, 50)
    twice = 2 * np.asarray(Brier().loss(event, p[:, 0]))
    np.testing.assert_allclose(Power(2).loss(event, p[:, 0]), twice, rtol=100 * EPS)


def test_towards_a_power_of_1_it_becomes_the_log_score() -> None:
    p = np.array([0.01, 0.2, 0.5, 0.99])
    # It leaves the log score at about the rate of alpha - 1.
    gaps = [
        np.abs(np.asarray(Power(alpha).loss(np.ones(4), p)) + np.log(p)).max()
        for alpha in (1.01, 1.02, 1.04)
    ]
    assert 0 < gaps[0] < gaps[1] < gaps[2] < 0.5
    assert gaps[2] / gaps[0] == pytest.approx(4, rel=0.1)


@every_alpha
def test_the_truth_costs_the_entropy_of_tsallis(alpha: float) -> None:
    truth = np.random.default_rng(2).dirichlet(np.ones(5), 20)
    wanted = (1 - np.sum(truth**alpha, axis=1)) / (alpha - 1)
    np.testing.assert_allclose(Power(alpha).entropy(truth), wanted, rtol=1e-12)


@every_alpha
def test_certainty_costs_nothing_or_all(alpha: float) -> None:
    rule, worst = Power(alpha), alpha / (alpha - 1)
    for library in (np, array_api_strict):
        found = np.asarray(rule.classwise(library.asarray(np.eye(3))))
        np.testing.assert_allclose(found, np.where(np.eye(3) == 1, 0, worst), rtol=4 * EPS)
    np.testing.assert_allclose(
        rule.loss([0, 0, 1, 1], [0.0, 1.0, 0.0, 1.0]), [0, worst, worst, 0], rtol=4 * EPS
    )
    for least, most in (rule.range, rule.range_for(7)):
        assert least == 0
        assert most == pytest.approx(worst, rel=4 * EPS)


@every_alpha
def test_saturated_log_odds_keep_their_price(alpha: float) -> None:
    z = np.array([40.0, 60.0, 300.0])
    with localcontext() as context:
        context.prec = DIGITS
        rest = [1 / (1 + Decimal(x).exp()) for x in z.tolist()]
        wanted = [float(exact(alpha, [q, 1 - q], 1)) for q in rest]
    np.testing.assert_allclose(Power(alpha).logit_loss(np.ones(3), z), wanted, rtol=1e-12)


@every_alpha
def test_slopes_of_logits_are_finite_where_those_of_probabilities_are_not(alpha: float) -> None:
    rule, logits = Power(alpha), np.array([[0.0, -800.0, 1.0]])
    slope = np.asarray(rule.logit_slope([1], logits))
    assert np.isfinite(slope).all()
    assert np.isinf(rule.slope([1], [0.0])[0]) == (alpha < 2)
    # Of two classes the slope is that of the event.
    z = np.array([-2.0, 0.3, 5.0])
    table = np.stack([np.zeros(3), z], axis=1)
    for y in (0, 1):
        outcome = np.full(3, y)
        np.testing.assert_allclose(
            np.asarray(rule.logit_slope(outcome, table))[:, 1],
            rule.logit_slope(outcome, z),
            rtol=1e-12,
        )


@every_alpha
def test_nothing_is_not_a_number(alpha: float) -> None:
    p = np.array([0.0, 5e-324, 1e-300, 1e-17, 0.3, 0.5, 1 - 2**-53, 1.0])
    y, both = np.repeat([0, 1], len(p)), np.tile(p, 2)
    rule = Power(alpha)
    for found in (
        rule.loss(y, both),
        rule.slope(y, both),
        rule.weight(p),
        rule.entropy(p),
        Mixture([(1, rule), (1, Log())]).loss(y, both),
        Bounded(rule, (0.3, 0.3 + 1e-9)).loss(y, both),
        rule.logit_slope(y, np.tile([-1e308, -800.0, -745.2, 0.0, 36.8, 709.8, 800.0, 1e308], 2)),
        Ranked(rule).classwise(np.array([[0.0, 0.4, 0.6], [1.0, 0.0, 0.0]])),
    ):
        assert not np.isnan(found).any()


def test_its_name_tells_the_power() -> None:
    assert Power(1.5).name == "power[1.5]"
    assert repr(Power(2)) == "Power(alpha=2.0)"
