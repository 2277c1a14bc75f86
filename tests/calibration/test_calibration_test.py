"""Do outcomes come with the probabilities that were forecast, and how that is said."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import properly
from properly.calibration import CalibrationTest
from properly.errors import DataWarning
from properly.rules import Bounded, Brier, Elementary, Log, Misclassification, Spherical

RULES = [Brier(), Log(), Spherical(), Misclassification(), Bounded(Brier(), (0.1, 0.4))]


def by_miscalibration(
    cases: Any, rule: Any = None, **options: Any
) -> properly.calibration.CalibrationTest:
    return properly.calibration_test(cases, rule, statistic="mcb", **options)


def draw(rng: np.random.Generator, n: int, **known: Any) -> properly.Cases:
    """Draw calibrated forecasts: among others ties, rare events and certain ones."""
    p = np.where(rng.random(n) < 0.5, np.round(rng.random(n), 1), rng.beta(1, 9, n))
    return properly.Cases((rng.random(n) < p).astype(int), p, **known)


@pytest.mark.slow
def test_miscalibrated_forecasts_are_mostly_refused() -> None:
    rng = np.random.default_rng(103)
    p = rng.random((50, 300))
    y = rng.random((50, 300)) < 0.5 + 0.4 * (p - 0.5)
    found = [
        by_miscalibration(properly.tally(*rows), replicates=99, rng=rng).p_value
        for rows in zip(y, p, strict=True)
    ]
    assert np.mean(np.array(found) <= 0.1) > 0.9


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_statistic_is_the_miscalibration(rule: Any) -> None:
    cases = draw(np.random.default_rng(104), 60)
    found = by_miscalibration(cases, rule, replicates=9, rng=1)
    # The log score of these may be infinite; the test is not afraid of it.
    assert found.statistic == properly.decompose(cases, rule).miscalibration
    assert found.rule == rule.name
    # At the floor of nine draws, there are a thousand.
    assert found.replicates in (9, 1000)
    rank = found.p_value * (found.replicates + 1)
    assert rank == pytest.approx(round(rank), abs=1e-12)
    assert found.p_is_bound == (round(rank) == 1)
    assert found.replicates == 1000 or found.p_value > 0.1


def test_another_rule_alone_asks_for_its_miscalibration() -> None:
    cases = draw(np.random.default_rng(105), 60)
    alone = properly.calibration_test(cases, Spherical(), replicates=99, rng=1)
    assert alone == by_miscalibration(cases, Spherical(), replicates=99, rng=1)
    assert (alone.name, alone.rule) == ("mcb", "spherical")


def test_the_mean_under_calibration_is_what_a_binomial_distribution_says() -> None:
    # At one distinct forecast the Brier MCB is the squared distance of the event rate.
    t = properly.Tally.from_counts([0.3], [50], [15])
    found = by_miscalibration(t, replicates=5000, rng=1)
    variance = 0.3 * 0.7 / 50
    error = variance * math.sqrt(2 / 5000)
    assert found.mean_if_calibrated == pytest.approx(variance, abs=5 * error)
    assert found.p_value == 1  # nothing is closer than no distance at all


@pytest.mark.parametrize("events", [0, 3, 9, 20])
def test_the_p_value_is_that_of_the_exact_binomial_test(events: int) -> None:
    t = properly.Tally.from_counts([0.3], [20], [events])
    happened = np.arange(21)
    chance = np.array([math.comb(20, o) * 0.3**o * 0.7 ** (20 - o) for o in range(21)])
    exact = chance[np.abs(happened - 6) >= abs(events - 6)].sum()
    reached = by_miscalibration(t, replicates=2000, rng=2).p_value * 2001 - 1
    error = math.sqrt(exact * (1 - exact) / 2000)
    assert reached / 2000 == pytest.approx(exact, abs=5 * error + 1e-10)


def test_draws_that_equal_the_statistic_count_as_reaching_it() -> None:
    # Two outcomes are possible, and both are as far away: every draw is at least as bad.
    t = properly.tally([1], [0.5])
    assert by_miscalibration(t, replicates=999, rng=1).p_value == 1


@pytest.mark.parametrize("rule", [Brier(), Log()], ids=repr)
def test_a_contradicted_certain_forecast_refutes_calibration(rule: Any) -> None:
    rng = np.random.default_rng(106)
    p = np.append(rng.random(50), 0.0)
    y = np.append(rng.random(50) < p[:-1], True)
    found = by_miscalibration(properly.tally(y, p), rule, replicates=99, rng=1)
    if rule == Log():
        assert found.statistic == math.inf
        assert (found.p_value, found.replicates, found.p_is_bound) == (1 / 1001, 1000, True)
    assert found.mean_if_calibrated is not None
    assert math.isfinite(found.mean_if_calibrated)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_certain_forecasts_that_came_true_are_beyond_reproach(rule: Any) -> None:
    found = by_miscalibration(properly.tally([0, 0, 1], [0.0, 0.0, 1.0]), rule, rng=1)
    assert (found.statistic, found.p_value, found.mean_if_calibrated) == (0, 1, 0)


def test_a_bounded_rule_may_see_no_miscalibration_at_all() -> None:
    found = by_miscalibration(properly.tally([0, 1, 1], [0.1, 0.6, 0.7]), Elementary(0.2), rng=1)
    assert (found.statistic, found.p_value) == (0, 1)


def test_equal_weights_are_none_and_counts_are_copies() -> None:
    cases = draw(np.random.default_rng(108), 40)
    three = np.full(40, 3)
    copies = properly.tally(np.repeat(cases.y, 3), np.repeat(cases.p, 3))
    once, threefold = (by_miscalibration(x, rng=1) for x in (cases, copies))
    for make in (properly.Cases, properly.tally):
        assert by_miscalibration(make(cases.y, cases.p, weight=three), rng=1) == once
        assert by_miscalibration(make(cases.y, cases.p, count=three), rng=1) == threefold


WHOLE = "weights are sampling weights; for numbers of like cases pass count="


def test_whole_weights_of_a_tally_are_noted_once_and_others_are_not() -> None:
    cases = draw(np.random.default_rng(109), 40)
    whole = 1 + np.arange(40) % 4
    with pytest.warns(DataWarning) as said:
        properly.calibration_test(
            properly.tally(cases.y, cases.p, weight=whole), statistic="spiegelhalter"
        )
    assert [str(x.message) for x in said] == [WHOLE]
    assert said[0].filename == __file__
    weights = (whole / 2, np.full(40, 3), whole % 2)
    silent: list[dict[str, Any]] = [{"weight": x} for x in weights]
    for known in (*silent, {"count": whole}, {}):
        properly.calibration_test(
            properly.tally(cases.y, cases.p, **known), statistic="spiegelhalter"
        )
    # A row of cases was one case before, whatever its weight.
    properly.calibration_test(properly.Cases(cases.y, cases.p, weight=whole), rng=1)


def test_a_rule_asks_for_draws_of_a_series_too() -> None:
    y, p = np.arange(60) % 2, np.linspace(0.3, 0.7, 60)
    cases = properly.Cases(y, p, time=np.arange(60))
    assert properly.calibration_test(cases, Brier(), replicates=9, rng=1).name == "combined"
    assert properly.calibration_test(cases, Log(), replicates=9, rng=1).name == "mcb"
    assert properly.calibration_test(cases).name == "score"


def test_equal_counts_reach_the_observed_whatever_the_rounding() -> None:
    t = properly.Tally.from_counts([0.5], [10_000], [5001])
    # All but exactly 5000 events are at least as far off; that has the probability .00798, which
    # is more than the four standard errors. Were equal counts missed, p would be .976.
    p = by_miscalibration(t, replicates=4999, rng=1).p_value
    assert p == pytest.approx(0.99202, abs=4 * math.sqrt(0.008 / 4999))


def test_a_rule_that_does_not_look_there_refuses_nothing() -> None:
    t = properly.Tally.from_counts([0.1, 0.3, 0.5], [400, 400, 400], [50, 100, 220])
    test = by_miscalibration(t, Bounded(Brier(), (0.9, 0.99)), replicates=99, rng=1)
    assert (test.statistic, test.p_value, test.mean_if_calibrated) == (0, 1, 0)


COMBINED = CalibrationTest(
    "combined",
    0.02,
    0.03,
    "Monte Carlo",
    parts={"mcb": 0.25, "score": 0.02},
    miscalibration=0.0125,
    mean_if_calibrated=0.01,
    rule="brier",
    replicates=999,
    design="300 independent cases",
)

ROBUST = CalibrationTest("cox", 3.5, 0.044, "F", (2.0, 28.0), design="30 clusters")

ASYMPTOTIC = CalibrationTest(
    "ks", 2.2, 0.05, "Monte Carlo", parts={"asymptotic": 0.055}, replicates=1, design="9 cases"
)


def test_a_record_says_all_in_a_sentence() -> None:
    assert str(COMBINED).replace("\n  ", " ") == (
        "p = 0.03 by the combined test of calibration (Monte Carlo, 999 draws; mcb alone 0.25; "
        "score alone 0.02; miscalibration 0.0125, 0.01 if calibrated; 300 independent cases)"
    )
    assert str(ROBUST).replace("\n  ", " ") == (
        "p = 0.044 by the cox test of calibration (F with 2 and 28 degrees of freedom; 30 clusters)"
    )
    one = CalibrationTest("citl", 4.0, 0.0455, "chi-squared", 1.0, design="9 cases")
    assert str(one).replace("\n  ", " ") == (
        "p = 0.0455 by the citl test of calibration (chi-squared with 1 degree of freedom; 9 cases)"
    )
    assert str(ASYMPTOTIC).replace("\n  ", " ") == (
        "p = 0.05 by the ks test of calibration "
        "(Monte Carlo, 1 draw; asymptotically 0.055; 9 cases)"
    )
