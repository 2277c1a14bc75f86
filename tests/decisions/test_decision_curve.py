"""Decision curves, against counts by hand, case by case, and against one threshold at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly import Cases, tally
from properly.counts._scoring import mean_score
from properly.decisions import at_threshold, decision_curve, decision_difference
from properly.rules import Elementary

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

RNG = np.random.default_rng(11)
N = 300
P = RNG.random(N).round(2)
Y = RNG.random(N) < P
OTHER = np.clip(P + RNG.normal(0, 0.2, N), 0, 1).round(2)
WEIGHTS = {
    "none": None,
    "whole": RNG.integers(0, 4, N).astype(float),
    "fractional": RNG.exponential(size=N),
}
every_weight = pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)
ROWS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.875, 1.0])),
    min_size=1,
    max_size=12,
)


def by_cases(t: float, weight: Any, p: Any = P, *, right: bool = False) -> float:
    """Return net benefit from the rows."""
    w = np.ones(N) if weight is None else weight
    acted = p > t if right else p >= t
    return float((w * acted * np.where(Y, 1.0, -t / (1 - t))).sum() / w.sum())


@every_weight
@pytest.mark.parametrize("thresholds", [None, "every", [0.07, 0.29, 0.5, 0.931]])
def test_both_limits_are_those_of_the_rows(weight: Any, thresholds: Any) -> None:
    curve = decision_curve(Cases(Y, P, weight=weight), thresholds)
    for side, values in ((False, curve.net_benefit), (True, curve.right)):
        expected = [by_cases(t, weight, right=side) for t in curve.threshold]
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-14)


@every_weight
def test_a_curve_is_made_of_single_thresholds(weight: Any) -> None:
    t = tally(Y, P, weight=weight)
    curve = decision_curve(t, harm=0.01)
    for row, c in enumerate(curve.threshold):
        found = at_threshold(t, c, harm=0.01)
        assert curve.net_benefit[row] == pytest.approx(found.net_benefit, rel=1e-12, abs=1e-14)
        assert curve.treat_all[row] == pytest.approx(found.treat_all, rel=1e-12, abs=1e-14)
        assert curve.interventions_avoided[row] == pytest.approx(
            found.interventions_avoided, rel=1e-10, abs=1e-12
        )
        assert curve.standardized[row] == pytest.approx(
            found.standardized_net_benefit, rel=1e-12, abs=1e-14
        )
        regret = mean_score(t, Elementary(float(c)))
        expected = t.event_rate - regret / (1 - c) - 0.01
        assert curve.net_benefit[row] == pytest.approx(expected, rel=1e-11, abs=1e-13)


def test_a_harm_is_not_that_of_treating_all() -> None:
    t = tally(Y, P)
    plain, harmed = (decision_curve(t, "every", harm=harm) for harm in (0, 0.1))
    np.testing.assert_array_equal(plain.treat_all, harmed.treat_all)
    np.testing.assert_allclose(harmed.net_benefit, plain.net_benefit - 0.1, atol=1e-15)
    np.testing.assert_allclose(harmed.right, plain.right - 0.1, atol=1e-15)
    at = np.array([0.0, 0.033, 0.5, 0.999])
    np.testing.assert_allclose(harmed.at(at), plain.at(at) - 0.1, atol=1e-14)


# Exact curves


@given(ROWS)
def test_an_exact_curve_knows_every_threshold(rows: list[tuple[bool, float]]) -> None:
    t = tally(*zip(*rows, strict=True))
    curve = decision_curve(t, "every")
    assert curve.exact
    assert curve.threshold[0] == 0
    assert set(curve.threshold) == {0.0} | {p for _, p in rows if p < 1}
    at = np.array([0.0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 0.875, 0.9, 0.999])
    expected = [at_threshold(t, c).net_benefit for c in at]
    np.testing.assert_allclose(curve.at(at), expected, rtol=1e-11, atol=1e-12)


def test_beyond_its_last_threshold_only_certain_forecasts_are_acted_upon() -> None:
    curve = decision_curve(tally([0, 1, 1, 0, 0], [0.2, 0.5, 1.0, 1.0, 1.0]), "every")
    assert curve.threshold.tolist() == [0, 0.2, 0.5]
    assert curve.beyond == 0.4
    assert curve.at(0.9) == pytest.approx(0.2 - 0.4 * 9, rel=1e-14)
    certain = decision_curve(tally([0, 1], [1.0, 1.0]), "every")
    assert certain.threshold.tolist() == [0]
    np.testing.assert_allclose(certain.at([0, 0.5, 0.75]), [0.5, 0, -1], atol=1e-15)


def test_outside_the_unit_interval_there_is_no_net_benefit() -> None:
    curve = decision_curve(tally(Y, P), "every")
    assert np.isnan(curve.at([-0.1, 1.0, 1.5, np.nan])).all()
    assert curve.at(0.3).shape == ()


def test_the_corners_of_an_exact_curve_follow_its_bends() -> None:
    curve = decision_curve(tally([0, 1, 1], [1.0, 1.0, 0.25]), "every")
    x, value = curve.curve()
    assert x.shape == (2 * 2 + 998,)
    assert (np.diff(x) >= 0).all()
    jump = np.flatnonzero(x == 0.25)
    assert jump.size == 2
    np.testing.assert_allclose(value[jump], [2 / 3 - 1 / 9, 1 / 3 - 1 / 9], rtol=1e-14)
    inner = (x != 0.25) & (x > 0)
    np.testing.assert_allclose(value[inner], curve.at(x[inner]), rtol=1e-15)
    assert x[-1] == 0.999


# Rounding


def test_a_grid_that_drifts_meets_its_forecasts() -> None:
    t, drifted = tally(Y, P), np.arange(0.01, 1, 0.01)
    exact, found = decision_curve(t), decision_curve(t, drifted)
    assert (drifted != exact.threshold).any()
    np.testing.assert_allclose(found.net_benefit, exact.net_benefit, rtol=0, atol=1e-13)
    np.testing.assert_allclose(found.right, exact.right, rtol=0, atol=1e-13)
    wrong = [by_cases(x, None) for x in drifted]
    assert np.abs(found.net_benefit - wrong).max() > 0.01


def test_forecasts_that_drift_meet_their_grid() -> None:
    drifted = np.linspace(0.01, 0.99, 99)[(100 * P).astype(int).clip(1, 99) - 1]
    found = decision_curve(tally(Y, np.nextafter(drifted, 0)))
    exact = decision_curve(tally(Y, (100 * P).astype(int).clip(1, 99) / 100))
    np.testing.assert_allclose(found.net_benefit, exact.net_benefit, rtol=0, atol=1e-13)


def test_a_drifting_grid_meets_the_forecasts_of_both_of_two() -> None:
    far, near = tally([0, 1], [0.5, 0.55]), tally([0, 1], [0.3, 0.55])
    for pair in ((far, near), (near, far)):
        found, exact = (decision_difference(*pair, [t]).net_benefit[0] for t in (0.1 + 0.2, 0.3))
        assert found == pytest.approx(exact, rel=1e-12)


# Few cases, one class, wrong arguments


def test_one_class_only() -> None:
    events = decision_curve(tally([1, 1], [0.2, 0.6]), [0.1, 0.5, 0.9])
    assert events.net_benefit.tolist() == [1, 0.5, 0]
    assert events.treat_all.tolist() == [1, 1, 1]
    none = decision_curve(tally([0, 0], [0.2, 0.6]), [0.1, 0.5, 0.9])
    np.testing.assert_allclose(none.net_benefit, [-1 / 9, -0.5, 0], rtol=1e-15)
    assert none.standardized[0] == -np.inf
    assert np.isnan(none.standardized[2])


# Differences


@every_weight
@pytest.mark.parametrize("thresholds", [None, "every"])
def test_a_difference_is_one(weight: Any, thresholds: Any) -> None:
    first, second = (tally(Y, p, weight=weight) for p in (P, OTHER))
    found = decision_difference(first, second, thresholds)
    for side, values in ((False, found.net_benefit), (True, found.right)):
        expected = [
            by_cases(t, weight, right=side) - by_cases(t, weight, OTHER, right=side)
            for t in found.threshold
        ]
        np.testing.assert_allclose(values, expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(("word", "forecast"), [("treat all", 1.0), ("treat none", 0.0)])
def test_what_needs_no_model_can_be_compared_with_by_its_name(word: Any, forecast: float) -> None:
    rng = np.random.default_rng(8)
    p = rng.random(400).round(2)
    y = rng.random(400) < p
    cases = Cases(y, p, clusters=np.arange(400) // 4)
    written = Cases(y, np.full(400, forecast), clusters=np.arange(400) // 4)
    found = decision_difference(cases, word, band="confidence")
    expected = decision_difference(cases, written, band="confidence")
    np.testing.assert_array_equal(found.net_benefit, expected.net_benefit)
    assert found.band is not None
    assert expected.band is not None
    np.testing.assert_array_equal(found.band.lower, expected.band.lower)
    curve = decision_curve(cases)
    rest = curve.treat_all if word == "treat all" else curve.treat_none
    of_tally = decision_difference(cases.tally(), word)
    np.testing.assert_allclose(of_tally.net_benefit, curve.net_benefit - rest, atol=1e-13)
