"""Regret in money."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from properly import Cases, Interval, Tally, decompose, tally
from properly.counts import baselines
from properly.decisions import regret_in_money
from properly.errors import DataError
from properly.rules import Bounded, Brier, Elementary, Regret

N = 120
RNG = np.random.default_rng(41)
P = RNG.random(N).round(1)
Y = RNG.random(N) < 0.5 * P
WEIGHT = RNG.exponential(size=N)
T = Tally.from_counts([0.05, 0.3], [900, 100], [20, 30])


def test_by_hand_at_one_cost() -> None:
    found = regret_in_money(T, cost=100, loss=1000, per=500)
    # At 0.1 one acts on 100 of 1,000: 70 in vain at 100 each, and 20 are missed at 900 each.
    assert found.regret == pytest.approx(500 * (70 * 100 + 20 * 900) / 1000, rel=1e-14)
    assert found.treat_all == pytest.approx(500 * 950 * 100 / 1000, rel=1e-14)
    assert found.treat_none == pytest.approx(500 * 50 * 900 / 1000, rel=1e-14)
    # The event rate, 5 %, is below the threshold.
    assert found.constant == found.treat_none
    assert found.saved == found.treat_none - found.regret
    assert (found.threshold, found.per, found.level) == (0.1, 500, 0.95)
    amount = np.repeat([100.0, 900.0, 0.0], [70, 20, 910])
    reach = student.ppf(0.975, 999) * amount.std(ddof=1) / math.sqrt(1000)
    expected = found.regret - 500 * reach, found.regret + 500 * reach
    assert found.interval == pytest.approx(expected, rel=1e-12)


def test_by_hand_over_a_range_of_costs() -> None:
    found = regret_in_money(T, cost=(5, 20), loss=100)
    # Over the range the forecast 0.3 acts at the mean cost 12.5, and 0.05 at none.
    assert found.regret == pytest.approx(70 * 12.5 + 20 * 87.5, rel=1e-13)
    assert found.treat_all == pytest.approx(950 * 12.5, rel=1e-13)
    assert found.treat_none == pytest.approx(50 * 87.5, rel=1e-13)
    assert found.threshold == Interval(0.05, 0.2)
    assert found.saved == found.constant - found.regret


def test_the_better_of_acting_always_and_never_is_what_counts() -> None:
    often = Tally.from_counts([0.4, 0.6], [50, 50], [20, 40])
    found = regret_in_money(often, cost=10, loss=100, per=1)
    assert found.treat_all < found.treat_none
    assert found.saved == found.treat_all - found.regret == 0
    wrong = regret_in_money(tally([0, 1], [0.9, 0.1]), cost=50, loss=100)
    assert wrong.saved < 0


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("cost", [30, (10, 60), (0, 200)])
def test_it_is_the_regret_times_the_loss_times_the_cases(weight: Any, cost: Any) -> None:
    t = tally(Y, P, weight=weight)
    found = regret_in_money(t, cost=cost, loss=200, per=7)
    rule = (
        Elementary(cost / 200) if isinstance(cost, int) else Regret((cost[0] / 200, cost[1] / 200))
    )
    assert found.regret == pytest.approx(1400 * decompose(t, rule).score, rel=1e-13)
    if not isinstance(cost, int):
        bounded = Bounded(Brier(), (cost[0] / 200, cost[1] / 200))
        assert found.regret == pytest.approx(700 * decompose(t, bounded).score, rel=1e-12)
    without = (found.treat_all, found.treat_none, found.constant)
    for amount, constant in zip(without, baselines(t).values(), strict=True):
        assert amount == pytest.approx(1400 * decompose(constant, rule).score, rel=1e-13)
    assert found.saved == min(without) - found.regret


@given(st.floats(0.01, 100), st.floats(0.01, 0.99))
def test_a_currency_is_a_unit(unit: float, c: float) -> None:
    one = regret_in_money(T, cost=c, loss=1.0)
    other = regret_in_money(T, cost=unit * c, loss=unit, per=2000)
    # A cost that is not the same share of the loss after rounding may be on the other side of 0.3.
    if other.threshold == one.threshold:
        assert other.regret == pytest.approx(2 * unit * one.regret, rel=1e-12)
        assert other.interval == pytest.approx(tuple(2 * unit * x for x in one.interval), rel=1e-9)


def test_a_narrow_range_of_costs_is_nearly_one_cost() -> None:
    one, many = (regret_in_money(T, cost=cost, loss=100) for cost in (20, (20 - 1e-6, 20 + 1e-6)))
    assert many.regret == pytest.approx(one.regret, rel=1e-7)
    assert many.interval == pytest.approx(one.interval, rel=1e-7)


# Intervals


def test_fractional_weights_are_squared() -> None:
    found = regret_in_money(Cases(Y, P, weight=WEIGHT), cost=35, loss=100, level=0.8)
    amount = np.where(P >= 0.35, 35.0 * ~Y, 65.0 * Y)
    mean = np.average(amount, weights=WEIGHT)
    influence = WEIGHT * (amount - mean) / WEIGHT.sum()
    error = math.sqrt(N / (N - 1) * (influence**2).sum())
    reach = 1000 * student.ppf(0.9, N - 1) * error
    assert found.interval == pytest.approx((1000 * mean - reach, 1000 * mean + reach), rel=1e-10)


def test_clusters_and_times_are_allowed_for() -> None:
    label = np.arange(N) // 4
    amount = np.where(P >= 0.35, 35.0 * ~Y, 65.0 * Y)
    total = np.bincount(label, amount - amount.mean()) / N
    reach = 1000 * student.ppf(0.975, 29) * math.sqrt(30 * total.var(ddof=1))
    clustered = regret_in_money(Cases(Y, P, clusters=label), cost=35, loss=100)
    mean = 1000 * amount.mean()
    assert clustered.interval == pytest.approx((mean - reach, mean + reach), rel=1e-10)
    series, plain = (regret_in_money(Cases(Y, P, time=x), cost=35, loss=100) for x in (label, None))
    assert series.regret == plain.regret
    assert series.interval != plain.interval


def test_what_never_varied_has_no_interval() -> None:
    found = regret_in_money(tally([0, 0, 1], [0.1, 0.2, 0.9]), cost=50, loss=100)
    assert found.regret == 0
    assert np.isnan(found.interval).all()


# The record


# Refusals


@pytest.mark.parametrize(
    ("cost", "loss", "message"),
    [
        (-1, 100, "got cost = -1, loss = 100"),
        (math.nan, 100, "got cost = nan, loss = 100"),
        (120, 100, "got cost = 120, loss = 100"),
        (5, -100, "got cost = 5, loss = -100"),
        (5, math.inf, "got cost = 5, loss = inf"),
        (0, 0, "got cost = 0, loss = 0"),
        (0, 100, "got cost = 0, loss = 100"),
        (100, 100, "got cost = 100, loss = 100"),
    ],
)
def test_one_cost_lies_between_0_and_the_loss(cost: float, loss: float, message: str) -> None:
    rule = "a cost must be more than 0, and less than the loss, which is finite; "
    with pytest.raises(DataError) as caught:
        regret_in_money(T, cost=cost, loss=loss)
    assert str(caught.value).split("\n")[0] == rule + message


def test_a_quotient_that_misses_a_forecast_by_rounding_meets_it() -> None:
    t = tally([0, 1, 0, 1], [0.1, 0.3, 0.7, 0.7])
    assert 2.1 / 3 > 0.7
    found = regret_in_money(t, cost=2.1, loss=3, per=1)
    assert found.threshold == 0.7
    assert found.regret == pytest.approx(3 * decompose(t, Elementary(0.7)).score, rel=1e-14)


def test_the_interval_is_cut_at_zero() -> None:
    found = regret_in_money(tally([0] * 40 + [1], [0.1] * 41), cost=1, loss=5)
    assert found.interval[0] == 0
    assert found.interval[1] > found.regret > 0
