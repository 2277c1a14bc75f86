"""Calibration of stations by days: clusters and times together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

import properly
from properly.inference._dependence import measure
from properly.rules import Brier

STATIONS, DAYS = 15, 120


def panel(lasting: float, seed: int = 1) -> dict[str, properly.Cases]:
    """Return calibrated forecasts whose stations are lastingly off by chance, told in two ways."""
    rng = np.random.default_rng(seed)
    own, day = rng.standard_normal((1, STATIONS)), rng.standard_normal((DAYS, STATIONS))
    z = np.sqrt(lasting) * own + np.sqrt(1 - lasting) * day
    p = rng.uniform(0.05, 0.95, z.shape)
    y, station = ndtr(z) < p, np.tile(np.arange(STATIONS), DAYS)
    time = np.repeat(np.arange(DAYS), STATIONS)
    columns: Any = y.ravel(), p.ravel()
    return {
        "days": properly.Cases(*columns, time=time),
        "both": properly.Cases(*columns, time=time, clusters=station),
    }


def test_a_station_that_is_lastingly_off_is_seen_by_clusters_alone() -> None:
    found = {name: measure(cases) for name, cases in panel(0.3).items()}
    assert found["days"].psi < 2
    assert found["both"].psi > 5
    assert found["both"].phi > found["days"].phi
    # It is no matter of time, so that nobody is warned of too few times.
    assert found["both"].effective_times == found["days"].effective_times


def test_the_score_test_has_the_degrees_of_the_fewer() -> None:
    test = properly.calibration_test(panel(0.0)["both"])
    cosines = int(0.4 * DAYS ** (2 / 3))
    assert (test.name, test.method) == ("score", "F")
    assert test.degrees == (2, min(STATIONS - 1, cosines) - 1)
    assert test.design == f"{STATIONS} clusters by {DAYS} times"


@pytest.mark.parametrize("statistic", ["mcb", "combined", "cox", "citl", "ks", "kuiper"])
def test_all_tests_that_allow_for_times_allow_for_panels(statistic: Any) -> None:
    cases = panel(0.3)["both"]
    found = properly.calibration_test(cases, statistic=statistic, replicates=99, rng=1)
    assert found.p_value > 0.05


def test_bands_and_intervals_of_a_panel() -> None:
    cases = panel(0.3)
    width = {}
    for name, each in cases.items():
        band = properly.reliability(each, band="confidence").band
        assert band is not None
        width[name] = float((band.upper - band.lower).mean())
    assert width["both"] > 1.1 * width["days"]
    drawn = properly.reliability(cases["both"], band="consistency", replicates=19, rng=1).band
    assert drawn is not None
    assert drawn.method.startswith("dependent draws (rho = 0.")
    parts = properly.decompose(cases["both"], Brier(), interval=True, replicates=99, rng=1)
    assert parts.intervals is not None
    assert parts.intervals.p_value > 0.05
    assert parts.intervals.miscalibration[0] == 0
