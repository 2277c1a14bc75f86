"""Evidence that may be looked at after every case."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.monitors import against_calibration, for_the_second

from properly.comparison._bets import (
    log_factors,
    recalibration_gains,
    relative_gain,
    require_proper,
)
from properly.errors import ArgumentTypeError, ImproperRuleError
from properly.rules import Bounded, Brier, Log, Propriety, Spherical

Column = np.ndarray[Any, Any]

FORECASTS = np.array([0.1, 0.35, 0.5, 0.9, 0.2, 0.75])
RIVALS = np.array([0.3, 0.15, 0.8, 0.6, 0.25, 0.75])


class Cheat(Brier):
    """A rule that is said to be improper."""

    propriety = Propriety.IMPROPER


def drawn(n: int) -> tuple[Column, Column, Column]:
    rng = np.random.default_rng(2)
    p = rng.random(n)
    return rng.random(n) < p, p, np.clip(p + rng.normal(scale=0.1, size=n), 0.01, 0.99)


def all_outcomes(probability: Column) -> list[tuple[Column, float]]:
    """Every sequence of outcomes with its probability."""
    sequences = [np.array(y) for y in product([False, True], repeat=len(probability))]
    return [(y, float(np.where(y, probability, 1 - probability).prod())) for y in sequences]


def by_hand(y: Column, p: Column) -> float:
    products = []
    for a in np.linspace(-1, 1, 9):
        for b in (0.5, 0.7, 0.85, 1, 1.2, 1.5, 2):
            q = 1 / (1 + math.exp(-a) * ((1 - p) / p) ** b)
            products.append(np.where(y, q / p, (1 - q) / (1 - p)).prod())
    return float(np.mean(products))


def test_evidence_is_the_mean_likelihood_ratio_of_recalibrations() -> None:
    y, p, _ = drawn(30)
    assert against_calibration(y, p).last == pytest.approx(math.log(by_hand(y, p)), abs=1e-12)


def test_evidence_against_calibrated_forecasts_is_one_on_average() -> None:
    mean = sum(
        chance * math.exp(against_calibration(y, FORECASTS).last)
        for y, chance in all_outcomes(FORECASTS)
    )
    assert mean == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("level", [0.5, 0.7, 0.9])
def test_calibrated_forecasts_are_seldom_rejected_at_any_time(level: float) -> None:
    # Exactly, over all outcomes, with a look after every case.
    p = np.array([0.1, 0.35, 0.5, 0.9, 0.2, 0.75, 0.02, 0.6])
    chance = sum(
        chance for y, chance in all_outcomes(p) if against_calibration(y, p).rejects(level)
    )
    assert 0 < chance <= 1 - level


@pytest.mark.parametrize("rule", [Brier(), Log(), Spherical(), Bounded(Brier(), (0.2, 0.7))])
def test_evidence_for_a_forecast_that_is_no_better_is_at_most_one_on_average(rule: Any) -> None:
    def mean(truth: Column) -> float:
        return sum(
            chance * math.exp(for_the_second(rule, y, FORECASTS, RIVALS).last)
            for y, chance in all_outcomes(truth)
        )

    # The first is right; both are equally good; the second is right.
    loss = [rule.loss([y] * 6, p) for y in (1, 0) for p in (FORECASTS, RIVALS)]
    odds = (loss[2] - loss[3]) - (loss[0] - loss[1])
    level = np.divide(loss[2] - loss[3], odds, out=FORECASTS.copy(), where=odds != 0)
    assert mean(FORECASTS) < 1
    assert mean(level) == pytest.approx(1, rel=1e-12)
    assert mean(RIVALS) > 1


def test_a_fixed_bet_by_hand() -> None:
    # Brier losses 0.36 and 0.16 if it happens; the first wins 0.16 - 0.04 = 0.12 if it does not.
    first, second = np.array([0.2, 0.2]), np.array([0.4, 0.4])
    gain = relative_gain(Brier(), np.array([True, False]), first + 0.2, second + 0.2)
    np.testing.assert_allclose(gain, [0.2 / 0.2, -1])
    gain = relative_gain(Brier(), np.array([True, False]), first, second)
    np.testing.assert_allclose(gain, [0.28 / 0.12, -1])
    np.testing.assert_allclose(np.exp(log_factors(gain, 0.5)), [1 + 0.14 / 0.12, 0.5])


def test_evidence_of_a_comparison_is_a_mean_over_bets() -> None:
    y, first, second = drawn(40)
    gain = relative_gain(Brier(), y, first, second)
    bets = [np.prod(1 + bet * gain) for bet in (0.1, 0.3, 0.5, 0.7, 0.9)]
    found = for_the_second(Brier(), y, first, second)
    assert found.last == pytest.approx(math.log(np.mean(bets)), rel=1e-12)


def test_only_certainty_that_is_wrong_is_evidence_and_without_end() -> None:
    assert against_calibration([0, 1, 0], [0.0, 1.0, 0.0]) == (0, 0)
    for y, p in ((1, 0.0), (0, 1.0)):
        assert against_calibration([0, y, 0], [0.5, p, 0.5]) == (math.inf, math.inf)


def test_gains_are_finite_next_to_certainty() -> None:
    p = np.array([5e-324, 1e-300, 1 - 2**-53])
    for happened in (False, True):
        gain = recalibration_gains(np.full(3, happened), p)
        assert gain.shape == (3, 63)
        assert np.isfinite(gain).all()


def test_infinite_losses_in_a_comparison() -> None:
    # Only the first called the event impossible, and it happened.
    assert for_the_second(Log(), [1], [0.0], [0.2]).last == math.inf
    # If it does not, the bet is lost.
    assert for_the_second(Log(), [0], [0.0], [0.2]).last == pytest.approx(math.log(0.5))
    # Against a certain forecast there is nothing to be gained, so nothing is bet.
    for y in (0, 1):
        assert for_the_second(Log(), [y] * 2, [0.2, 0.0], [0.0, 1.0]).last == 0


def test_only_a_proper_rule_says_what_is_better() -> None:
    with pytest.raises(ImproperRuleError, match="only a proper rule says which forecast is better"):
        require_proper(Cheat())
    with pytest.raises(ArgumentTypeError, match="rule for the probability of one event"):
        require_proper(Brier)
