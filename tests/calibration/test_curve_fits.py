"""Curves of what happened: spline, isotonic, lowess."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logit, xlog1py, xlogy
from tests.inference_numbers import assert_published, tally_of

from properly.calibration._curve_fits import (
    Loess,
    Lowess,
    Spline,
    find_curves,
    fit_or_limit,
    quantiles,
    spline_columns,
)

KINDS: tuple[Any, ...] = ("spline", "isotonic", "lowess")
NAMES = {"spline": "rcs5", "isotonic": "isotonic", "lowess": "lowess"}


def columns_of(forecast: str) -> tuple[Any, Any, Any]:
    tally = tally_of(forecast)
    value, weight, events = (np.asarray(x) for x in (tally.value, tally.weight, tally.events))
    return value, weight.astype(float), events.astype(float)


def draw(n: int, seed: int = 1) -> tuple[Any, Any, Any]:
    """Draw distinct forecasts, counts and events."""
    rng = np.random.default_rng(seed)
    value = np.sort(rng.beta(1, 3, n))
    weight = rng.integers(1, 4, n).astype(float)
    return value, weight, rng.binomial(weight.astype(int), value).astype(float)


@pytest.mark.parametrize("forecast", ["p1", "p2"])
@pytest.mark.parametrize("kind", KINDS)
def test_distances_from_curves_are_the_published_ones(kind: Any, forecast: str) -> None:
    value, weight, events = columns_of(forecast)
    curve = find_curves(kind, value, weight, counted=True).at(events[None])[0]
    away = np.abs(curve - value)
    median, most = quantiles(away, weight, (0.5, 0.9), counted=True)
    found = {"ici": away @ weight / weight.sum(), "e50": median, "e90": most, "emax": away.max()}
    for name, x in found.items():
        assert_published(f"{name}.{NAMES[kind]}.{forecast}", x)


@pytest.mark.parametrize("forecast", ["p1", "p2"])
def test_knots_are_the_published_ones(forecast: str) -> None:
    value, weight, _ = columns_of(forecast)
    knots = Spline.of(value, weight, counted=True).knots
    for j, knot in enumerate(knots, start=1):
        assert_published(f"rcs5.knot{j}.{forecast}", knot)
    assert len(knots) == 5


# Quantiles


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 4)), min_size=1, max_size=12),
    st.floats(0, 1),
)
def test_quantiles_of_counts_are_those_of_the_cases(
    rows: list[tuple[int, int]], share: float
) -> None:
    x, count = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    cases = np.repeat(x, count.astype(int))
    found = quantiles(x, count, (share,), counted=True)
    assert found == pytest.approx(np.quantile(cases, [share]), abs=1e-12)


def test_quantiles_of_weights_have_at_least_the_share_at_or_below() -> None:
    x, weight = np.array([3.0, 1.0, 2.0]), np.array([0.5, 0.2, 0.3])
    assert quantiles(x, weight, (0.2, 0.21, 0.5, 0.51, 1), counted=False).tolist() == [
        1,
        2,
        2,
        3,
        3,
    ]
    scaled = quantiles(x, 7 * weight, (0.2, 0.5), counted=False)
    assert scaled.tolist() == [1, 2]


# The spline


def test_the_spline_is_straight_beyond_its_knots_and_smooth_at_them() -> None:
    knots = np.array([-2.0, -1.0, 0.0, 0.5, 2.0])
    beyond = np.array([-5.0, -4.0, -3.0, 3.0, 4.0, 5.0])
    columns = spline_columns(beyond, knots)
    bend = columns[[0, 3]] - 2 * columns[[1, 4]] + columns[[2, 5]]
    np.testing.assert_allclose(bend, 0, atol=1e-12)
    step = 1e-4
    for knot in knots:
        near = spline_columns(knot + step * np.arange(-2, 3), knots)
        second = near[:-2] - 2 * near[1:-1] + near[2:]
        np.testing.assert_allclose(np.diff(second, axis=0) / step**2, 0, atol=1e-3)


def test_a_spline_maximises_the_likelihood() -> None:
    value, weight, events = draw(200)
    spline = Spline.of(value, weight, counted=True)
    Z = spline_columns(logit(value), spline.knots)

    def loss(b: Any) -> tuple[float, Any]:
        odds = Z @ b
        price = weight @ np.logaddexp(0, odds) - events @ odds
        return float(price), Z.T @ (weight * expit(odds) - events)

    best = minimize(loss, np.zeros(5), jac=True, method="BFGS", options={"gtol": 1e-9})
    found = spline.at(events[None])[0]
    np.testing.assert_allclose(found, expit(Z @ best.x), atol=1e-7)
    np.testing.assert_allclose(Z.T @ (weight * found - events), 0, atol=1e-9)


def test_many_splines_are_those_fitted_one_by_one() -> None:
    value, weight, _ = draw(60)
    rng = np.random.default_rng(2)
    spline = Spline.of(value, weight, counted=True)
    events = rng.binomial(weight.astype(int), value, (40, 60)).astype(float)
    events[0] = 0
    alone = [fit_or_limit(spline.axes, row / weight, weight, logit(value)) for row in events]
    np.testing.assert_allclose(spline.at(events), alone, atol=1e-8)
    assert not spline.at(events)[0].any()


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([0.3], "constant"),
        ([0.3, 0.6], "line of the log odds"),
        ([0.1, 0.3, 0.6], "restricted cubic spline of the log odds with 3 knots"),
        ([0.1, 0.3, 0.5, 0.6, 0.9], "restricted cubic spline of the log odds with 5 knots"),
    ],
)
def test_few_forecasts_have_few_knots_and_are_met_if_they_can_be(
    values: list[float], told: str
) -> None:
    value, weight = np.array(values), np.full(len(values), 20.0)
    events = np.arange(4.0, 4 + len(values))
    spline = Spline.of(value, weight, counted=True)
    assert spline.words == told
    np.testing.assert_allclose(spline.at(events[None])[0], events / 20, atol=1e-9)


def test_separated_outcomes_have_the_limits_of_fitted_probabilities() -> None:
    value = np.linspace(0.05, 0.95, 19)
    weight, events = np.full(19, 2.0), np.where(value > 0.5, 2.0, 0.0)
    events[9] = 1
    found = Spline.of(value, weight, counted=True).at(events[None])[0]
    np.testing.assert_allclose(found, events / 2, atol=1e-9)


def test_rows_that_a_line_tells_apart_are_certain_and_the_others_fitted() -> None:
    Z = np.array([[1.0, 0, 0], [1, 1, 0], [1, 2, 0], [1, 0, 1], [1, 3, 1]])
    y = np.array([0.2, 0.5, 0.6, 0, 0])
    weight, none = np.full(5, 10.0), np.zeros(5)
    found = fit_or_limit(Z, y, weight, none)
    assert found[3:].tolist() == [0, 0]
    np.testing.assert_allclose(found[:3], fit_or_limit(Z[:3, :2], y[:3], weight[:3], none[:3]))
    assert weight @ (found - y) == pytest.approx(0, abs=1e-9)
    sides = np.array([[-1.0], [1]])
    apart = fit_or_limit(sides, np.array([0.0, 1]), weight[:2], none[:2])
    assert apart.tolist() == [0, 1]


def test_random_outcomes_of_rare_events_include_separated_ones() -> None:
    rng = np.random.default_rng(5)
    value, weight = np.sort(rng.beta(1, 15, 120)), np.ones(120)
    spline = Spline.of(value, weight, counted=True)
    events = (rng.random((60, 120)) < value).astype(float)
    found = spline.at(events)
    # Each fit has as many events as happened, and as much of their log odds.
    Z = spline_columns(logit(value), spline.knots)
    np.testing.assert_allclose((found - events) @ Z, 0, atol=1e-6)
    assert (found == 0).any(axis=1).any()


@pytest.mark.parametrize("kind", ["steep", "rare", "ends", "clustered"])
def test_rough_splines_of_outcomes_that_nearly_separate_are_maxima_or_their_limits(
    kind: str,
) -> None:
    rng = np.random.default_rng(11)
    value = np.sort(
        {
            "steep": expit(7 * rng.normal(size=150)),
            "rare": rng.beta(1, 20, 150),
            "ends": np.clip(rng.beta(0.05, 0.05, 150), 1e-12, 1 - 1e-12),
            "clustered": expit(np.r_[rng.normal(-9, 1, 75), 6 + rng.normal(size=75)]),
        }[kind]
    )
    value, weight = np.unique(value, return_counts=True)
    spline = Spline.of(value, weight.astype(float), counted=True)
    events = rng.binomial(weight, value, (16, len(value))).astype(float)
    single = [fit_or_limit(spline.axes, row / weight, weight, logit(value)) for row in events]
    assert np.isin(single, (0, 1)).any()
    found, wanted = spline.at(events, rough=True), np.array(single)

    def likelihood(curve: Any) -> Any:
        return (xlogy(events, curve) + xlog1py(weight - events, -curve)).sum(axis=1)

    gain = likelihood(found) - likelihood(wanted)
    away, by = (np.abs(curve - value) @ weight / weight.sum() for curve in (found, wanted))
    assert (gain > -1e-6).all()
    np.testing.assert_allclose(away[gain < 1e-6], by[gain < 1e-6], atol=1e-6)
    assert (gain < 1e-6).mean() > 0.5


# Lowess


def test_lowess_is_a_weighted_line_at_every_forecast() -> None:
    rng = np.random.default_rng(3)
    p = np.round(rng.beta(1, 3, 200), 2)
    y = (rng.random(200) < p).astype(float)
    value, row = np.unique(p, return_inverse=True)
    weight, events = np.bincount(row).astype(float), np.bincount(row, y)
    found = Lowess.of(value, weight, counted=True).at(events[None])[0]
    for x, fitted in zip(value, found, strict=True):
        distance = np.abs(p - x)
        width = np.sort(distance)[int(2 / 3 * 200) - 1]
        near = np.maximum(1 - (distance / width) ** 3, 0) ** 3
        # Its weights multiply residuals, so their squares are those of a weighted line.
        _, height = np.polyfit(p - x, y, 1, w=np.sqrt(near))
        assert fitted == pytest.approx(height, abs=1e-10)


def test_a_window_without_width_holds_its_own_cases_only() -> None:
    value, weight = np.array([0.2, 0.4, 0.9]), np.array([1.0, 8.0, 1.0])
    found = Lowess.of(value, weight, counted=True)
    assert found.width.tolist() == pytest.approx([0.2, 0.0, 0.5])
    assert found.at(np.array([[1.0, 2.0, 1.0]]))[0, 1] == 0.25


@pytest.mark.parametrize("kind", [Lowess, Loess])
def test_what_is_outside_a_window_counts_nothing_however_far_it_is(kind: Any) -> None:
    weight, events = np.array([15.0, 10, 10, 5]), np.array([[3.0, 5, 6, 4]])
    found, wanted = (
        kind.of(np.array([0.0, unit, 3 * unit, 1]), weight, counted=True).at(events)[0]
        for unit in (1e-310, 1e-300)
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_windows_are_the_narrowest_that_hold_two_thirds_of_the_cases() -> None:
    value, weight, _ = draw(60)
    cases = np.repeat(value, weight.astype(int))
    nearest = np.sort(np.abs(cases - value[:, None]), axis=1)
    expected = nearest[:, int(2 / 3 * len(cases) + 1e-7) - 1]
    np.testing.assert_allclose(Lowess.of(value, weight, counted=True).width, expected, atol=1e-15)


@pytest.mark.parametrize(
    ("value", "width"), [([0.1, 0.9], [0.8, 0.8]), ([0.1, 0.4, 0.9], [0.3, 0.3, 0.5])]
)
def test_windows_hold_two_cases_at_least(value: list[float], width: list[float]) -> None:
    found = Lowess.of(np.array(value), np.ones(len(value)), counted=True)
    np.testing.assert_allclose(found.width, width, rtol=1e-12)


def test_rough_lowess_of_many_forecasts_is_close() -> None:
    value, weight, events = draw(1500)
    curves = Lowess.of(value, weight, counted=True)
    exact, rough = curves.at(events[None])[0], curves.at(events[None], rough=True)[0]
    away = np.abs(exact - value)
    assert 0 < np.abs(rough - exact).max() < 0.01 * away.max()
    assert np.abs(rough - value).mean() == pytest.approx(away.mean(), rel=1e-4)
    few = Lowess.of(value[:900], weight[:900], counted=True)
    assert np.array_equal(few.at(events[None, :900]), few.at(events[None, :900], rough=True))


# Weights


def test_a_spline_of_outcomes_that_forecasts_tell_apart_is_a_step() -> None:
    value, weight = np.linspace(0.02, 0.98, 49), np.full(49, 4.0)
    spline = Spline.of(value, weight, counted=True)
    events = np.where(value > 0.5, 4.0, 0.0)
    np.testing.assert_allclose(spline.curve_of(value, weight, events), value > 0.5, atol=1e-12)
