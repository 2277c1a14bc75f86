"""The gain of a map and the choice among maps: intervals by kind of rule, what is handed back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t as student
from tests.recalibration_numbers import MAPS, cases_of, labels, quiet

import properly
from properly.recalibration import (
    Dirichlet,
    Isotonic,
    Logistic,
    Temperature,
    VennAbers,
    recalibration_gain,
)
from properly.rules import (
    Bounded,
    Brier,
    Elementary,
    Log,
    Misclassification,
    Mixture,
    PointWeighted,
    Regret,
    Spherical,
)

pytestmark = quiet

SMOOTH: list[Any] = [Brier(), Log(), Spherical(), Regret((0.1, 0.4)), Bounded(Log(), (0.1, 0.6))]
# A point mass on thresholds makes few cases decide.
JUMPS: list[Any] = [
    Elementary(0.2),
    Misclassification(),
    PointWeighted([0.1, 0.3], [1, 2]),
    Mixture([(1.0, Brier()), (0.5, Elementary(0.2))]),
]


def sample(slope: float, n: int = 1500, seed: int = 4) -> properly.Cases:
    """Draw forecasts that are calibrated if the slope is 1, and too extreme if it is less."""
    rng = np.random.default_rng(seed)
    p = rng.beta(0.6, 0.8, n).clip(0.001, 0.999)
    return properly.Cases((rng.random(n) < expit(slope * logit(p))).astype(int), p)


def ratio(gain: Any) -> tuple[float, float]:
    """Return the lengths of both arms, in standard errors times Student's quantile."""
    unit = gain.standard_error * student.ppf((1 + gain.level) / 2, gain.degrees)
    low, high = gain.interval
    return (gain.estimate - low) / unit, (high - gain.estimate) / unit


@pytest.mark.slow
@pytest.mark.parametrize("folds", [2, 5, 10])
@pytest.mark.parametrize("rule", SMOOTH, ids=repr)
def test_upwards_the_interval_is_wider_by_the_folds_that_were_used(rule: Any, folds: int) -> None:
    gain = recalibration_gain(cases_of("cases"), Logistic(), rule=rule, folds=folds)
    assert gain.folds == folds
    wide = math.sqrt(1 + folds / (folds - 1))
    assert ratio(gain) == pytest.approx((1, wide), rel=1e-9)


@pytest.mark.parametrize("rule", JUMPS, ids=repr)
def test_rules_with_point_masses_are_wide_on_both_sides(rule: Any) -> None:
    gain = recalibration_gain(cases_of("cases"), Logistic(), rule=rule)
    wide = math.sqrt(1 + 10 / 9)
    assert ratio(gain) == pytest.approx((wide, wide), rel=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.99])
def test_the_level_moves_the_interval_and_nothing_else(level: float) -> None:
    cases = cases_of("cases")
    plain = recalibration_gain(cases, Logistic(), rule=Brier())
    other = recalibration_gain(cases, Logistic(), rule=Brier(), level=level)
    assert (other.estimate, other.standard_error) == (plain.estimate, plain.standard_error)
    assert other.level == level
    assert ratio(other) == pytest.approx((1, math.sqrt(1 + 10 / 9)), rel=1e-9)


@pytest.mark.parametrize("name", MAPS)
def test_in_sample_a_map_seems_to_save_more(name: str) -> None:
    cases = cases_of("cases", clusters=labels("cluster"))
    gain = recalibration_gain(cases, MAPS[name](), rule=Brier())
    fit = MAPS[name]().fit(cases)
    saved = Brier()(cases.y, cases.p) - Brier()(cases.y, fit.at(cases.p))
    assert gain.in_sample == pytest.approx(saved, abs=1e-12)
    assert gain.in_sample > gain.estimate


def test_the_default_rule_is_the_log_score() -> None:
    cases = cases_of("cases")
    log = recalibration_gain(cases, Logistic(), rule=Log())
    assert recalibration_gain(cases, Logistic()).estimate == log.estimate


def test_the_seed_draws_the_folds() -> None:
    cases = cases_of("cases")
    first, again, other = (recalibration_gain(cases, Isotonic(), rng=seed) for seed in (0, 0, 1))
    assert first.estimate == again.estimate
    assert first.estimate != other.estimate


@pytest.mark.parametrize("folds", [0, 1, -3, 2.5, "many"])
def test_folds_that_are_none_are_refused(folds: Any) -> None:
    with pytest.raises(properly.errors.ProperlyError):
        recalibration_gain(cases_of("cases"), Logistic(), folds=folds)


def test_labels_of_folds_are_one_a_case_and_more_than_one() -> None:
    cases = cases_of("cases")
    for folds in (np.zeros(400), np.arange(399) % 5):
        with pytest.raises(properly.errors.DataError):
            recalibration_gain(cases, Logistic(), folds=folds)


# The choice


def test_overconfident_forecasts_are_repaired() -> None:
    cases = sample(0.5)
    choice = properly.recalibrate(cases, "auto")
    assert choice.recommended
    assert choice.chosen in choice.gains
    assert choice.gain.nested
    assert choice.gain.interval[0] > 0
    # The map handed back is fitted to all cases.
    names = {"intercept": "intercept", "logistic": "logistic", "beta": "beta"}
    alone = MAPS[names[choice.chosen]]().fit(cases)
    x = np.linspace(0.01, 0.99, 99)
    np.testing.assert_array_equal(choice.map.at(x), alone.at(x))
    assert "would save" in choice.sentence
    assert "95 % interval" in choice.sentence


def test_calibrated_forecasts_are_left_alone() -> None:
    choice = properly.recalibrate(sample(1.0), "auto")
    assert not choice.recommended
    assert choice.sentence.startswith("No recalibration")
    for gain in choice.gains.values():
        assert not gain.nested


@pytest.mark.slow
@pytest.mark.parametrize(("rarest", "count"), [(4, 1), (5, 4)])
def test_maps_of_many_parameters_are_tried_with_five_cases_of_each_class(
    rarest: int, count: int
) -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], [40, 30, rarest])
    p = rng.dirichlet(np.ones(3), len(y))
    choice = properly.recalibrate(properly.Cases(y, p), "auto")
    assert len(choice.gains) == count


def test_few_cases_that_gain_unclearly_are_left_alone() -> None:
    choice = properly.recalibrate(sample(0.85, n=150), "auto")
    assert not choice.recommended


def test_a_choice_by_another_rule_says_which() -> None:
    choice = properly.recalibrate(sample(0.5), "auto", rule=Brier())
    assert choice.recommended
    assert "Brier" in choice.sentence


def test_one_map_by_name_or_as_it_is() -> None:
    cases = sample(0.5)
    x = np.linspace(0.01, 0.99, 99)
    expected = VennAbers().fit(cases).at(x)
    np.testing.assert_array_equal(properly.recalibrate(cases, VennAbers()).map.at(x), expected)


def test_cross_fitted_forecasts_are_cases_like_others() -> None:
    cases = cases_of("cases", clusters=labels("cluster"), groups=labels("group"))
    crossed = properly.cross_fit(cases, Isotonic())
    assert isinstance(crossed, properly.Cases)
    np.testing.assert_array_equal(crossed.y, cases.y)
    np.testing.assert_array_equal(crossed.clusters, cases.clusters)
    np.testing.assert_array_equal(crossed.groups, cases.groups)
    assert properly.score_interval(crossed, Brier()).value < Brier()(cases.y, cases.p)
    assert len(properly.decision_curve(crossed.tally()).threshold) > 0


@pytest.mark.slow
def test_one_certain_error_makes_any_finite_map_save_infinitely_much() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(600).round(2)
    y = rng.random(600) < p
    # All zeros are right but the first: most folds see no error, and leave forecasts alone.
    p[:30], y[:30] = 0.0, np.arange(30) == 0
    choice = properly.recalibrate(y, p, rule=Log())
    assert choice.recommended
    assert choice.gain.estimate == math.inf
    assert choice.sentence.startswith("1 certain forecast was wrong: the log score is infinite. ")
    assert choice.map.gain is None
    assert properly.recalibrate(y, p).gain.rule == "brier"


def test_a_map_that_cannot_be_fitted_leaves_the_choice_to_the_others() -> None:
    # Two kinds of rows are too few for a matrix without a prior.
    rng = np.random.default_rng(1)
    kind = np.arange(90) % 2
    p = np.array([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]])[kind]
    y = np.where(rng.random(90) < 0.5, 2 * kind, rng.integers(0, 3, 90))
    alone, beside = (
        properly.recalibrate(y, p, map=maps, rng=1)
        for maps in ([Temperature()], [Temperature(), Dirichlet(prior=None)])
    )
    assert list(beside.gains) == ["temperature"]
    assert beside.gains["temperature"].estimate == alone.gains["temperature"].estimate
