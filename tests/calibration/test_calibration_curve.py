"""Smooth calibration curves, against other implementations and against direct sums."""

from __future__ import annotations

import numpy as np
import pytest

from properly import Cases, Tally, tally
from properly.calibration import calibration_curve, calibration_summary
from properly.errors import DataError

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

RNG = np.random.RandomState(7)
P = np.round(RNG.beta(2, 5, 200), 3)
Y = RNG.rand(200) < P


def test_loess_is_that_of_cleveland_and_of_r() -> None:
    # skmisc.loess 0.5, which wraps the code of R: span=0.75, degree=2, surface="direct".
    expected = {
        0.004: -0.11476473053609028,
        0.104: 0.1422481490911137,
        0.209: 0.21363070278607169,
        0.302: 0.3207755391867454,
        0.868: 1.0925395544501446,
    }
    found = calibration_curve(tally(Y, P), fit="loess", points=1000)
    at = np.searchsorted(found.forecast, list(expected))
    np.testing.assert_array_equal(found.forecast[at], list(expected))
    np.testing.assert_allclose(found.event_rate[at], list(expected.values()), rtol=1e-11)


@pytest.mark.parametrize(("fit", "degree", "span"), [("lowess", 1, 2 / 3), ("loess", 2, 0.75)])
def test_local_curves_and_their_bands_are_those_of_single_regressions(
    fit: str, degree: int, span: float
) -> None:
    cluster = np.arange(200) // 4
    found = calibration_curve(Cases(Y, P, clusters=cluster), fit=fit, points=1000)  # type: ignore[call-overload]
    fitted = np.interp(P, found.forecast, found.event_rate).clip(0, 1)
    q = int(np.floor(200 * span + 1e-7))
    for k in (0, 17, 80, -1):
        x = found.forecast[k]
        away = np.abs(P - x)
        weight = (1 - np.minimum(away / np.sort(away)[q - 1], 1) ** 3) ** 3
        columns = np.vander(P - x, degree + 1, increasing=True)
        # What each case counts in the constant of the local regression.
        part = np.linalg.solve(columns.T @ (weight[:, None] * columns), (columns.T * weight))[0]
        assert found.event_rate[k] == pytest.approx(part @ Y, rel=1e-9)
        sums = np.bincount(cluster, part * (Y - fitted))
        half = 2.0095752371292397 * np.sqrt(50 / 49 * np.sum(sums**2))  # Student's t, 49 degrees
        assert found.upper[k] - found.event_rate[k] == pytest.approx(half, rel=1e-6)
        assert found.event_rate[k] - found.lower[k] == pytest.approx(half, rel=1e-6)


@pytest.mark.parametrize("fit", ["spline", "lowess", "loess"])
def test_the_curve_is_the_one_behind_ici(fit: str) -> None:
    t = tally(Y, P)
    found = calibration_curve(t, fit=fit, points=1000)  # type: ignore[call-overload]
    away = np.abs(found.event_rate - found.forecast)
    summary = calibration_summary(t, fit=fit, replicates=1, rng=1)  # type: ignore[call-overload]
    assert found.curve == summary.curve
    assert np.average(away, weights=t.weight) == pytest.approx(summary.ici.value, rel=1e-7)


def test_the_band_of_a_spline_stays_inside_and_is_wider_with_clusters_alike() -> None:
    alone = calibration_curve(Cases(Y, P))
    twice = Cases(np.repeat(Y, 2), np.repeat(P, 2), clusters=np.repeat(np.arange(200), 2))
    doubled = calibration_curve(twice)
    np.testing.assert_allclose(doubled.event_rate, alone.event_rate, rtol=1e-6)
    assert ((alone.lower > 0) & (alone.upper < 1)).all()
    assert ((alone.lower < alone.event_rate) & (alone.event_rate < alone.upper)).all()
    # Cases that come twice, known to be pairs, say no more than once.
    np.testing.assert_allclose(doubled.upper, alone.upper, rtol=1e-2)


@pytest.mark.parametrize("fit", ["spline", "loess"])
def test_the_band_holds_the_truth_about_as_often_as_it_says(fit: str) -> None:
    rng = np.random.default_rng(5)
    inside = []
    for _ in range(60):
        p = rng.beta(2, 3, 400)
        found = calibration_curve(tally(rng.random(400) < p, p), fit=fit, points=9)  # type: ignore[call-overload]
        inside.append((found.lower <= found.forecast) & (found.forecast <= found.upper))
    assert 0.88 <= np.mean(inside) <= 0.99


def test_sixty_points_unless_another_number_is_asked_for() -> None:
    p = np.linspace(0.01, 0.99, 199)
    found = calibration_curve(tally(np.arange(199) % 3 == 0, p))
    assert repr(found) == f"CalibrationCurve(60 points of a {found.curve})"


def test_as_many_points_as_asked_for_with_both_ends() -> None:
    found = calibration_curve(tally(Y, P), points=20)
    assert len(found.forecast) == 20
    assert (found.forecast[0], found.forecast[-1]) == (P.min(), P.max())
    assert (np.diff(found.forecast) > 0).all()


def test_certain_forecasts_are_left_out_of_a_spline_alone() -> None:
    t = Tally.from_counts([0.0, 0.2, 0.5, 0.8, 1.0], [30, 60, 60, 60, 30], [0, 10, 35, 45, 30])
    assert calibration_curve(t).forecast.tolist() == [0.2, 0.5, 0.8]
    assert len(calibration_curve(t, fit="lowess").forecast) == 5
    with pytest.raises(DataError, match="a spline needs forecasts that are not exactly 0 or 1"):
        calibration_curve(tally([0, 1], [0.0, 1.0]))


def test_very_many_forecasts_are_fitted_in_cells() -> None:
    rng = np.random.default_rng(3)
    p = rng.random(40_000)
    y = rng.random(40_000) < p
    for fit in ("spline", "loess"):
        found = calibration_curve(tally(y, p), fit=fit)
        np.testing.assert_allclose(found.event_rate, found.forecast, atol=0.04)
        assert (found.upper - found.lower).max() < 0.1


def test_without_events_the_curve_is_zero_and_has_no_band() -> None:
    found = calibration_curve(tally([0, 0, 0, 0], [0.1, 0.2, 0.3, 0.4]))
    assert found.event_rate.tolist() == [0, 0, 0, 0]
    assert np.isnan(found.upper).all()
