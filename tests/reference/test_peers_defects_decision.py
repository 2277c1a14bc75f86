"""Defects of libraries about decisions, each met here as a test that ours passes.

They were found by running briertools 0.0.4, dcurves 1.1.7 and hmeasure 0.1.6.
"""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import properly
from properly.errors import DataError
from properly.rules import Bounded, Brier, Log, MissedBenefit, Regret

Y, P = [0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]
HUNDREDTHS = np.arange(1, 100) / 100
WITHIN = (0.1, 0.5)


def tally() -> properly.Tally:
    return properly.tally(Y, P)


CHECKS = """
import properly
for y, p in (([0, 1], [0.1, float("nan")]), ([-1, 1], [0.1, 0.3]), ([0, 1], [0.1, 1.3])):
    try:
        properly.tally(y, p)
    except properly.errors.DataError as error:
        print(str(error).splitlines()[0])
"""


def test_checks_do_not_vanish_where_assertions_do() -> None:
    # Nothing but the lines above is run.
    command = [sys.executable, "-O", "-c", CHECKS]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    assert done.stdout.splitlines() == [
        "forecasts must be probabilities in [0, 1]; row 1 is nan",
        "outcomes must be 0 and 1, or False and True; found -1 and 1",
        "forecasts must be probabilities in [0, 1]; row 1 is 1.3",
    ]


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_thresholds_come_in_any_sequence(kind: Any) -> None:
    found = properly.decision_curve(tally(), kind([0.2, 0.5])).net_benefit
    np.testing.assert_allclose(found, [2 / 4 - 1 / 4 * 1 / 4, 1 / 4 - 1 / 4], atol=1e-16)


# Outcomes that are all alike: elsewhere a division by zero.


def test_without_events_acting_only_costs() -> None:
    none = properly.tally([0, 0, 0], [0.2, 0.5, 0.7])
    curve = properly.decision_curve(none, [0.1, 0.5, 0.6])
    np.testing.assert_allclose(curve.net_benefit, [-1 / 9, -2 / 3, -1 / 2], atol=1e-15)
    np.testing.assert_allclose(curve.treat_all, [-1 / 9, -1, -3 / 2], atol=1e-15)
    np.testing.assert_allclose(curve.interventions_avoided, [0, 1 / 3, 2 / 3], atol=1e-15)
    with pytest.warns(properly.errors.DataWarning, match="all outcomes are alike"):
        assert math.isnan(properly.inference.h_measure(none))
    assert properly.at_threshold(none, 0.5).regret == pytest.approx(1 / 3, abs=1e-15)


def test_with_nothing_but_events_acting_finds_them() -> None:
    only = properly.tally([1, 1, 1], [0.2, 0.5, 0.7])
    curve = properly.decision_curve(only, [0.1, 0.5, 0.6])
    np.testing.assert_allclose(curve.net_benefit, [1, 2 / 3, 1 / 3], atol=1e-15)
    assert curve.treat_all.tolist() == [1, 1, 1]
    with pytest.warns(properly.errors.DataWarning, match="all outcomes are alike"):
        assert math.isnan(properly.inference.h_measure(only))
    assert properly.at_threshold(only, 0.5).true_positive_rate == pytest.approx(2 / 3, abs=1e-15)


@pytest.mark.parametrize("name", ["all", "none", "threshold", "model", "y"])
def test_a_model_may_have_any_name(name: str) -> None:
    other = properly.tally(Y, [0.2, 0.2, 0.7, 0.7])
    plain = properly.decisions.rank_by_threshold({"mine": tally(), "other": other})
    named = properly.decisions.rank_by_threshold({name: tally(), "other": other})
    np.testing.assert_array_equal(named.rank, plain.rank)
    assert named.share_best()[name] == plain.share_best()["mine"] == pytest.approx(0.75)
    ranges = properly.decisions.best_by_range({name: tally(), "other": other}, edges=[0.1, 0.4])
    assert ranges.models == (name, "other", "treat all", "treat none", "event rate")
    without = properly.decisions.best_by_range({"mine": tally(), "other": other}, edges=[0.1, 0.4])
    np.testing.assert_array_equal(ranges.mean_regret, without.mean_regret)


# Float drift: numpy.arange(0.01, 1, 0.01) misses some of the numbers that are written 0.01, 0.02...


def decimals(n: int = 2000) -> properly.Tally:
    rng = np.random.default_rng(31)
    p = rng.integers(1, 100, n) / 100
    return properly.tally((rng.random(n) < p).astype(int), p)


def test_thresholds_that_drifted_meet_their_forecasts() -> None:
    drifted = np.arange(0.01, 1, 0.01)
    assert int((drifted != HUNDREDTHS).sum()) > 20
    expected = properly.decision_curve(decimals(), HUNDREDTHS).net_benefit
    found = properly.decision_curve(decimals(), drifted).net_benefit
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)


def test_one_threshold_drifts_as_well() -> None:
    found = properly.at_threshold(decimals(), 0.1 + 0.2).acted
    assert found == properly.at_threshold(decimals(), 0.3).acted


def test_the_exact_curve_needs_no_grid() -> None:
    # On a grid of a thousand points the steps of a curve are slopes.
    curve = properly.decision_curve(tally(), "every")
    assert curve.threshold.tolist() == [0.0, 0.1, 0.3, 0.6, 0.9]
    assert curve.at(0.3) == curve.net_benefit[2]
    assert curve.at(np.nextafter(0.3, 1)) == pytest.approx(curve.right[2], abs=1e-15)
    assert curve.net_benefit[2] - curve.right[2] == 0.25


# Recalibration: elsewhere refused for forecasts that are constant or point the wrong way.

RULES = [Brier(), Log(), Bounded(Brier(), WITHIN), Bounded(Log(), WITHIN), Regret(WITHIN)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_constant_forecast_discriminates_nothing(rule: Any) -> None:
    for constant in (0.5, 0.2):
        found = properly.decompose(properly.tally(Y, [constant] * 4), rule)
        assert found.discrimination == 0
        assert found.score == rule(Y, [constant] * 4)
        assert found.uncertainty == pytest.approx(rule(Y, [0.5] * 4), rel=1e-15)
        assert (found.miscalibration > 0) == (constant == 0.2)
    assert properly.inference.h_measure(properly.tally(Y, [0.2] * 4)) == 0


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_forecast_that_points_the_wrong_way_is_all_miscalibration(rule: Any) -> None:
    wrong = [0.9, 0.3, 0.6, 0.1]
    found = properly.decompose(properly.tally(Y, wrong), rule)
    assert found.discrimination == 0
    assert found.uncertainty == pytest.approx(rule(Y, [0.5] * 4), rel=1e-15)
    expected = rule(Y, wrong) - rule(Y, [0.5] * 4)
    assert expected > 0.05
    assert found.miscalibration == pytest.approx(expected, abs=1e-15)
    assert properly.inference.h_measure(properly.tally(Y, wrong)) == 0


# Scores.


def test_the_log_score_of_a_tiny_forecast_is_finite() -> None:
    # Formed from 1 - |y - p|, it is infinite.
    for rule in (Log(), Bounded(Log(), (0, 1), scale="integral")):
        assert rule([1], [1e-20]) == pytest.approx(20 * math.log(10), rel=1e-15)
        assert rule([0], [1e-20]) == pytest.approx(1e-20, rel=1e-15)


def test_mean_net_benefit_is_not_the_brier_score() -> None:
    # Elsewhere both are 0.1, and 0.07 over a range.
    y, p = [0, 1, 1], [0.1, 0.5, 0.8]
    assert Brier()(y, p) == pytest.approx(0.1, abs=1e-16)
    found = properly.decisions.mean_net_benefit(properly.tally(y, p), (0.1, 0.6))
    # Two of three are found up to 0.5, and one of three up to 0.6; none in vain above 0.1.
    assert found == pytest.approx((2 / 3 * 0.4 + 1 / 3 * 0.1) / 0.5, abs=1e-15)
    assert found == pytest.approx(2 / 3 - Bounded(MissedBenefit(), (0.1, 0.6))(y, p), abs=1e-15)


def test_a_mean_over_a_range_and_an_integral_say_which_they_are() -> None:
    mean, integral = (Bounded(Brier(), WITHIN, scale=s)(Y, P) for s in ("mean", "integral"))
    assert integral == pytest.approx(0.4 * mean, rel=1e-15)
    assert Regret(WITHIN)(Y, P) == pytest.approx(mean / 2, rel=1e-15)


def test_the_h_measure_takes_lists_and_weights_and_says_what_a_prior_is() -> None:
    twice = properly.tally(Y, P, weight=[1, 2, 1, 1])
    rows = properly.tally([*Y, 1], [*P, 0.3])
    assert properly.inference.h_measure(twice) == properly.inference.h_measure(rows)
    with pytest.raises(
        DataError,
        match="'uniform' or 'logit'; got 0",
    ):
        properly.inference.h_measure(tally(), prior=0)  # type: ignore[call-overload]
