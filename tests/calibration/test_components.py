"""Miscalibration and discrimination of random tallies, of known truths, and their bias."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest

import properly
from properly._boundary._options import as_drawing
from properly.calibration import _components as components
from properly.calibration._decomposition import decompose_by, find_intervals
from properly.counts._isotonic import recalibrate
from properly.inference._cells import Draw
from properly.rules import Bounded, Brier, Elementary, Log, Spherical

if TYPE_CHECKING:
    from properly.rules import BinaryRule

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

Column: TypeAlias = np.ndarray[Any, Any]

RULES = [Brier(), Log(), Spherical(), Elementary(0.3), Bounded(Brier(), (0.1, 0.4))]
every_rule = pytest.mark.parametrize("rule", RULES, ids=repr)
VALUE = np.array([0.0, 0.1, 0.3, 0.6, 0.9, 1.0])


def prices(rule: BinaryRule, value: Column = VALUE) -> components.ForecastPrices:
    return components.ForecastPrices.at(value, rule)


# Components of draws


@every_rule
def test_the_components_of_draws_are_those_of_their_tallies(rule: BinaryRule) -> None:
    rng = np.random.default_rng(1)
    draws = []
    for _ in range(30):  # some forecasts are not drawn, some certain ones are contradicted
        weight = rng.integers(0, 4, len(VALUE))
        weight[rng.integers(len(VALUE))] += 1
        draws.append(Draw(weight, rng.binomial(weight, 0.1 + 0.8 * VALUE)))
    found = components.components(draws, prices(rule))
    assert found.shape == (2, 30)
    for (weight, events), got in zip(draws, found.T, strict=True):
        parts = properly.decompose(properly.Tally.from_counts(VALUE, weight, events), rule)
        expected = [parts.miscalibration, parts.discrimination]
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


# Known truths


@every_rule
def test_a_calibrated_world_has_no_miscalibration_and_a_constant_one_no_discrimination(
    rule: BinaryRule,
) -> None:
    weight = np.array([1, 2, 3, 4, 5, 6])
    assert components.true_components(weight, VALUE, prices(rule))[0] == pytest.approx(0, abs=1e-15)
    same = components.true_components(weight, np.full(6, 0.3), prices(rule))
    assert same[1] == pytest.approx(0, abs=1e-15)
    if rule == Log():  # and the certain forecasts are wrong there
        assert same[0] == math.inf


# The test of calibration


@pytest.mark.parametrize(
    ("observed", "expected"),
    [
        (4.0, 1 / 6),  # nothing reaches it but itself
        (3.0, 2 / 6),
        (2.0, 4 / 6),  # equal ones reach it
        (2.0 * (1 + 1e-13), 4 / 6),  # and those that are equal but for rounding
        (2.0 * (1 + 1e-11), 2 / 6),
        (0.0, 1.0),
        (math.inf, 1 / 6),
    ],
)
def test_a_p_value_counts_the_draws_that_reach_the_observed_and_itself(
    observed: float, expected: float
) -> None:
    draws = np.array([2.0, 0.0, 3.0, 1.0, 2.0])
    assert components.p_value(observed, draws, score=2.0) == pytest.approx(expected)


def test_miscalibration_under_calibration_is_drawn_at_the_same_forecasts() -> None:
    # One forecast: the Brier miscalibration is the squared distance of a binomial rate.
    t = properly.Tally.from_counts([0.25], [4], [0])
    drawn = components.NullDraws(t, [Brier()], np.random.default_rng(2)).miscalibration(
        Brier(), 500
    )
    assert set(np.round(drawn, 12)) == {0.0, 0.0625, 0.25, 0.5625}
    share = np.mean(np.isclose(drawn, 0.0625))
    expected = 0.75**4 + 6 * 0.25**2 * 0.75**2  # none or two events
    assert share == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 500))


# The strictly increasing truth


def fit_of(t: properly.Tally, rule: BinaryRule) -> Column:
    return components.increasing_fit(t, recalibrate(t), prices(rule, np.asarray(t.value)))


def test_half_an_event_and_half_a_non_event_are_added_to_each_bin() -> None:
    # Bins: .1 and .2 with 1 event of 4, .5 with 2 of 4, .8 with 3 of 3.
    t = properly.Tally.from_counts([0.1, 0.2, 0.5, 0.8], [1, 3, 4, 3], [1, 0, 2, 3])
    low, middle, high = 1.5 / 5, 2.5 / 5, 3.5 / 4
    # The first bin's mean forecast is .175: constant below, straight to .5 above.
    near = low + (0.2 - 0.175) / (0.5 - 0.175) * (middle - low)
    np.testing.assert_allclose(fit_of(t, Brier()), [low, near, middle, high], rtol=1e-14)


def test_between_bins_the_curve_strictly_increases_inside_0_and_1() -> None:
    # Bins of three neighbours each, whose rates fall within a bin and rise from bin to bin.
    value, weight = np.linspace(0, 1, 30), np.full(30, 50)
    events = np.repeat(np.arange(10), 3) * 5 + np.tile([3, 2, 1], 10)
    t = properly.Tally.from_counts(value, weight, events)
    assert recalibrate(t).end.tolist() == list(range(3, 31, 3))
    curve = fit_of(t, Brier())
    assert ((curve > 0) & (curve < 1)).all()
    # From the middle of the first bin to that of the last, and constant beyond.
    assert (np.diff(curve[1:-1]) > 0).all()
    assert (curve[0], curve[-1]) == pytest.approx((curve[1], curve[-2]), rel=1e-14)
    np.testing.assert_allclose(curve[1::3], (3 * events[1::3] + 0.5) / 151, rtol=1e-14)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("most", [1, 40])
def test_the_curve_never_falls_and_never_reaches_0_or_1(most: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    value, weight = np.sort(rng.random(60)), rng.integers(1, most + 1, 60)
    t = properly.Tally.from_counts(value, weight, rng.binomial(weight, value))
    curve = fit_of(t, Brier())
    assert ((curve > 0) & (curve < 1)).all()
    assert (np.diff(curve) >= 0).all()
    assert len(np.unique(curve)) > len(recalibrate(t).end)


def test_a_small_bin_below_a_large_one_must_not_lie_above_it() -> None:
    # Half of two and 1.5 of 101 would fall; the larger is kept for both.
    t = properly.Tally.from_counts([0.1, 0.2, 0.6], [1, 100, 10], [0, 1, 5])
    np.testing.assert_allclose(fit_of(t, Brier()), [0.25, 0.25, 0.5], rtol=1e-14)


def test_a_certain_forecast_is_taken_at_its_word_if_it_would_cost_infinity() -> None:
    t = properly.Tally.from_counts([0.0, 0.2, 0.7, 1.0], [9, 10, 10, 4], [0, 2, 7, 4])
    brier, log = fit_of(t, Brier()), fit_of(t, Log())
    assert (brier[0], brier[-1]) == (0.5 / 10, 4.5 / 5)
    assert (log[0], log[-1]) == (0, 1)
    np.testing.assert_array_equal(log[1:-1], brier[1:-1])


def test_a_certain_forecast_that_was_wrong_is_not_taken_at_its_word() -> None:
    t = properly.Tally.from_counts([0.0, 0.2, 0.7, 1.0], [9, 10, 10, 4], [1, 2, 7, 3])
    np.testing.assert_array_equal(fit_of(t, Log()), fit_of(t, Brier()))


def test_weights_count_as_the_cases_that_they_are_worth() -> None:
    # Weights of 2.5 and .5 at one forecast: 9 / 6.5 cases, of which 5/6 had the event.
    t = properly.tally([1, 0], [0.3, 0.3], weight=[2.5, 0.5])
    cases = 9 / 6.5
    expected = (cases * 2.5 / 3 + 0.5) / (cases + 1)
    np.testing.assert_allclose(fit_of(t, Brier()), [expected], rtol=1e-14)
    whole, half = (
        properly.tally([0, 1, 0, 1], [0.2, 0.2, 0.7, 0.7], weight=w) for w in (None, [0.5] * 4)
    )
    np.testing.assert_allclose(fit_of(half, Brier()), fit_of(whole, Brier()), rtol=1e-14)


# The bias


def test_the_bias_is_what_draws_have_in_excess_of_their_world() -> None:
    # At one forecast the miscalibration exceeds its true value by the variance of the rate, and
    # nothing discriminates.
    t = properly.Tally.from_counts([0.3], [40], [20])
    truths = np.array([0.5]), np.array([0.2])
    (found,) = components.find_bias(
        components.Worlds.of(t),
        truths[0],
        [(prices(Brier(), t.value), truths[1])],
        replicates=1500,
        rng=np.random.default_rng(3),
    )
    excess = [0.5 * 0.5 / 40, 0.2 * 0.8 / 40]
    # The squared distance of the rate varies mostly through 2 * distance * error.
    error = 2 * 0.2 * math.sqrt(0.25 / 40 / 1500)
    assert found.greatest[0] == pytest.approx(excess[0], abs=4 * error)
    assert found.least[0] == pytest.approx(excess[1], abs=4 * error)
    assert found.mean[0] == pytest.approx((found.least[0] + found.greatest[0]) / 2, abs=1e-15)
    assert found.deviation[0] == pytest.approx(2 * 0.1 * math.sqrt(0.16 / 40), rel=0.1)
    np.testing.assert_allclose([found.least[1], found.greatest[1]], 0, rtol=0, atol=1e-15)


def test_clusters_that_share_forecast_and_outcome_have_the_bias_of_as_many_cases() -> None:
    # Forty clusters of five cases, all alike: the rate varies as that of forty cases.
    y = np.repeat([True, False], 100)
    cases = properly.Cases(y, np.full(200, 0.3), clusters=np.arange(200) // 5)
    (found,) = components.find_bias(
        components.Worlds.of(cases),
        np.array([0.5]),
        [(prices(Brier(), np.array([0.3])), np.array([0.2]))],
        replicates=1500,
        rng=np.random.default_rng(3),
    )
    error = 2 * 0.2 * math.sqrt(0.25 / 40 / 1500)
    assert found.greatest[0] == pytest.approx(0.25 / 40, abs=4 * error)
    assert found.least[0] == pytest.approx(0.16 / 40, abs=4 * error)
    assert found.deviation[0] == pytest.approx(2 * 0.1 * math.sqrt(0.16 / 40), rel=0.1)


def test_where_a_certain_forecast_was_wrong_the_bias_is_unknown_for_miscalibration_alone() -> None:
    t = properly.Tally.from_counts(VALUE, [50] * 6, [10, 11, 15, 30, 45, 50])
    truth = np.array([0.2, 0.22, 0.3, 0.6, 0.9, 1.0])
    (found,) = components.find_bias(
        components.Worlds.of(t),
        truth,
        [(prices(Log()), truth)],
        replicates=20,
        rng=np.random.default_rng(5),
    )
    assert np.isnan(found.mean[0])
    assert np.isfinite([found.least[1], found.greatest[1], found.deviation[1]]).all()


def test_several_rules_are_told_the_same_as_each_alone() -> None:
    t = properly.Tally.from_counts(VALUE, [50] * 6, [0, 11, 15, 30, 45, 50])
    rules = [Brier(), Log(), Brier()]
    parts = decompose_by(t, rules)
    together = find_intervals(t, rules, parts, as_drawing(0.9, 40, 7))
    for rule, part, around in zip(rules, parts, together, strict=True):
        found = replace(part, intervals=around)
        alone = properly.decompose(t, rule, interval=True, level=0.9, replicates=40, rng=7)
        assert (found.score, found.miscalibration) == (alone.score, alone.miscalibration)
        if rule == Brier():
            assert found.intervals == alone.intervals
        # The smoother world of Log differs at certain forecasts, and is drawn after that of Brier.
        assert found.intervals is not None
        assert alone.intervals is not None
        assert found.intervals.p_value == alone.intervals.p_value


@pytest.mark.parametrize("number", [9, 21, 50])
def test_shares_that_add_up_to_a_little_more_than_one_are_no_rate_above_one(number: int) -> None:
    found = components.true_components(
        np.ones(number), np.ones(number), prices(Brier(), np.full(number, 0.5))
    )
    assert found == pytest.approx((0.25, 0.0), abs=1e-12)


def test_miscalibration_has_an_interval_if_the_event_happened_each_time() -> None:
    p = np.linspace(0.01, 0.99, 50)
    found = properly.decompose(properly.tally([1] * 50, p), Brier(), interval=True, rng=1)
    assert found.discrimination == 0.0
    assert found.intervals is not None
    assert 0 < found.intervals.miscalibration[0] < found.intervals.miscalibration[1]
