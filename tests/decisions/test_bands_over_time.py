"""Bands of curves whose cases follow one another in time, or are clusters at times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import stdtrit
from tests.score_oracles import LEVEL, put_together

import properly
from properly import Cases
from properly.decisions import decision_difference, murphy_difference
from properly.inference._design import Design
from properly.inference._variance import covariance

TIMES, CLUSTERS = 60, 12
N = TIMES * CLUSTERS
RNG = np.random.default_rng(11)
SHOCK = np.convolve(RNG.normal(size=TIMES + 4), np.ones(5), "valid") / 2
TIME, CLUSTER = (x.ravel() for x in np.indices((TIMES, CLUSTERS)))
P = np.clip(RNG.beta(2, 2, N), 0.01, 0.99).round(2)
Y = RNG.normal(size=N) + SHOCK[TIME] < 3 * (P - 0.5)
OTHER = np.clip(P + RNG.normal(0, 0.2, N), 0.01, 0.99).round(2)
KNOWN: dict[str, dict[str, Any]] = {
    "times": {"time": TIME},
    "clusters by times": {"time": TIME, "clusters": CLUSTER},
}
every_design = pytest.mark.parametrize("known", KNOWN.values(), ids=KNOWN)


def error_of(loss: Any, known: dict[str, Any]) -> tuple[float, float]:
    """Return the standard error of a mean loss, and the quantile of Student's t."""
    spread = covariance((loss - loss.mean())[None] / N, Design.of(Cases(Y, P, **known)))
    return float(spread.errors[0]), float(stdtrit(spread.degrees, (1 + LEVEL) / 2))


def elementary(p: Any, y: Any, t: float) -> Any:
    return 2 * np.where(p >= t, t * (1 - y), (1 - t) * y)


def the(band: Any) -> Any:
    assert band is not None
    return band


@every_design
def test_a_murphy_curve_is_bounded_as_if_cases_were_fewer(known: dict[str, Any]) -> None:
    curve = properly.murphy_curve(Cases(Y, P, **known), band="confidence", level=LEVEL)
    band = the(curve.band)
    for t in (0.1, 0.35, 0.5, 0.8):
        acted, row = t <= P, int(np.searchsorted(band.x, t))
        error = error_of(elementary(P, Y, t), known)
        kinds, alike = (acted & ~Y, ~acted & Y), ((~Y, acted), (Y, ~acted))
        expected = put_together((2 * t, 2 * (1 - t)), kinds, alike, None, known=error)
        assert (band.lower[row], band.upper[row]) == pytest.approx(expected, rel=0, abs=1e-12)
    name = next(name for name, other in KNOWN.items() if other == known)
    assert band.method == name


@pytest.mark.slow
@every_design
def test_calibrated_forecasts_are_surprised_as_often_as_times_say(known: dict[str, Any]) -> None:
    band = the(properly.murphy_curve(Cases(Y, P, **known), band="consistency", level=LEVEL).band)
    for row, t in enumerate(band.x):
        expected = P * elementary(P, 1, t) + (1 - P) * elementary(P, 0, t)
        error, quantile = error_of(elementary(P, Y, t) - expected, known)
        ends = max(expected.mean() - quantile * error, 0), expected.mean() + quantile * error
        assert (band.lower[row], band.upper[row]) == pytest.approx(ends, rel=0, abs=1e-12)


@pytest.mark.slow
@every_design
def test_a_difference_has_the_error_of_its_own_influences(known: dict[str, Any]) -> None:
    first, second = (Cases(Y, p, **known) for p in (P, OTHER))
    options: dict[str, Any] = {"band": "confidence", "level": LEVEL}
    band = the(murphy_difference(first, second, **options).band)
    net = the(decision_difference(first, second, band.x, **options).band)
    known_at = np.flatnonzero(np.isfinite(band.lower))
    assert len(known_at) > 50
    for row in known_at:
        t = band.x[row]
        loss = elementary(P, Y, t) - elementary(OTHER, Y, t)
        error, quantile = error_of(loss, known)
        ends = loss.mean() - quantile * error, loss.mean() + quantile * error
        assert (band.lower[row], band.upper[row]) == pytest.approx(ends, rel=0, abs=1e-12)
        scale = -2 * (1 - t)
        got = net.upper[row] * scale, net.lower[row] * scale
        assert got == pytest.approx(ends, rel=0, abs=1e-12)


@every_design
def test_copies_within_a_time_say_nothing_new(known: dict[str, Any]) -> None:
    copies: dict[str, Any] = {name: np.repeat(column, 10) for name, column in known.items()}
    one = the(properly.roc_curve(Cases(Y, P, **known), band="confidence").band)
    cases = Cases(np.repeat(Y, 10), np.repeat(P, 10), **copies)
    many = the(properly.roc_curve(cases, band="confidence").band)
    for name, column in one._columns().items():
        np.testing.assert_allclose(getattr(many, name), column, atol=2e-3)


def test_days_as_clusters_bound_a_roc_curve_about_as_times_that_do_not_depend() -> None:
    order = np.random.default_rng(3).permutation(TIMES)[TIME]
    cases = Cases(Y, P, time=order), Cases(Y, P, clusters=order)
    found, days = (the(properly.roc_curve(x, band="confidence").band) for x in cases)
    np.testing.assert_allclose(
        found.lower_true_positive_rate, days.lower_true_positive_rate, atol=0.06
    )


def test_panels_are_bounded_no_closer_than_clusters_or_times() -> None:
    band = the(
        properly.decision_curve(Cases(Y, P, **KNOWN["clusters by times"]), band="confidence").band
    )
    for known in (KNOWN["times"], {"clusters": CLUSTER}):
        alone = the(properly.decision_curve(Cases(Y, P, **known), band="confidence").band)
        some = np.isfinite(band.upper)
        assert (band.upper[some] >= alone.upper[some] - 1e-12).all()
        assert (band.lower[some] <= alone.lower[some] + 1e-12).all()
