"""Forecasts of the shapes that counting and long tallies tell apart, and what holds of tallies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly

if TYPE_CHECKING:
    from properly import Tally

KINDS = ["distinct", "tied", "heavy", "constant", "certain", "grid"]


def sample(kind: str, dtype: str, n: int = 5000) -> tuple[Any, Any]:
    """Draw outcomes, and forecasts of a kind."""
    rng = np.random.default_rng(3)
    p = rng.random(n) ** 2
    if kind == "tied":
        p = np.round(p, 1)
    elif kind == "heavy":
        p[: n // 2] = 0.25
    elif kind == "constant":
        p[:] = 0.5
    elif kind == "certain":
        p[::7], p[::11] = 0.0, 1.0
    elif kind == "grid":
        p = np.round(p, 2)
    p = p.astype(dtype)
    return rng.random(n) < np.sqrt(p), p


def assert_same_diagrams(expected: Tally, got: Tally) -> None:
    """Hold bins and bars of numpy's and of another library's tally against each other."""
    one, other = properly.reliability(expected), properly.reliability(got)
    assert other.discrete == one.discrete
    assert other.mean_forecast == pytest.approx(one.mean_forecast, rel=1e-14)
    for name in ("lower", "upper", "weight"):
        np.testing.assert_array_equal(getattr(other.histogram, name), getattr(one.histogram, name))
    np.testing.assert_array_equal(other.recalibrated, one.recalibrated)
    np.testing.assert_array_equal(other.bins.x_min, one.bins.x_min)
    np.testing.assert_array_equal(other.bins.x_max, one.bins.x_max)


def assert_same_curves(expected: Tally, got: Tally) -> None:
    """Hold curves against each other, to the last bit."""
    for make, names in (
        (properly.murphy_curve, ("threshold", "left", "right")),
        (properly.regret_curve, ("threshold", "left", "right")),
        (properly.roc_curve, ("false_positive_rate", "true_positive_rate", "threshold", "area")),
    ):
        one, other = make(got), make(expected)
        for name in names:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def assert_same_decisions(expected: Tally, got: Tally) -> None:
    """Hold decision curves against each other, which need only what lies near thresholds."""
    for thresholds in (None, [0.05, 0.1, 0.2], [0.25]):
        one, other = (
            properly.decision_curve(t, thresholds, band="confidence") for t in (got, expected)
        )
        np.testing.assert_array_equal(one.net_benefit, other.net_benefit)
        np.testing.assert_array_equal(one.right, other.right)
        assert one.band is not None
        assert other.band is not None
        np.testing.assert_array_equal(one.band.lower, other.band.lower)
