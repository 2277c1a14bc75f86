"""How often tests refuse what is true, and how close corrected estimates come to it."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import properly
from properly.errors import DataWarning
from properly.rules import Brier, Log


def by_miscalibration(
    cases: Any, rule: Any = None, **options: Any
) -> properly.calibration.CalibrationTest:
    return properly.calibration_test(cases, rule, statistic="mcb", **options)


def draw(rng: np.random.Generator, n: int, **known: Any) -> properly.Cases:
    """Draw calibrated forecasts: among others ties, rare events and certain ones."""
    p = np.where(rng.random(n) < 0.5, np.round(rng.random(n), 1), rng.beta(1, 9, n))
    return properly.Cases((rng.random(n) < p).astype(int), p, **known)


@pytest.mark.parametrize(("rule", "sets"), [(Brier(), 200), (Log(), 150)], ids=repr)
def test_of_calibrated_forecasts_a_tenth_is_refused_at_a_tenth(rule: Any, sets: int) -> None:
    rng = np.random.default_rng(101)
    found = [
        by_miscalibration(draw(rng, 40), rule, replicates=99, rng=rng).p_value for _ in range(sets)
    ]
    error = math.sqrt(0.1 * 0.9 / sets)
    assert abs(np.mean(np.array(found) <= 0.1) - 0.1) <= 4 * error


@pytest.mark.parametrize("statistic", ["combined", "score", "kuiper"])
def test_of_weighted_forecasts_too_a_tenth_is_refused(statistic: Any) -> None:
    rng = np.random.default_rng(11)
    found = []
    for _ in range(120):
        p = np.append(rng.beta(1, 5, 20), [0.0, 1.0, 0.5])
        weight = rng.gamma(0.7, size=23)
        cases = properly.Cases(rng.random(23) < p, p, weight=weight)
        test = properly.calibration_test(cases, statistic=statistic, replicates=19, rng=rng)
        found.append(test.p_value)
    error = math.sqrt(0.1 * 0.9 / 120)
    assert abs(np.mean(np.array(found) <= 0.1) - 0.1) <= 4 * error


@pytest.mark.parametrize("fit", ["spline", "isotonic", "lowess"])
def test_calibrated_forecasts_seldom_exceed_the_upper_points(fit: Any) -> None:
    rng, errors = np.random.default_rng(9), ("ici", "e50", "e90", "emax")
    p = np.round(rng.random(100), 2).clip(0.01, 0.99)
    above = []
    for _ in range(60):
        y = rng.random(100) < p
        found = properly.calibration_summary(properly.Cases(y, p), fit=fit, replicates=39, rng=rng)
        above.append(
            [getattr(found, x).value > getattr(found, x).upper_if_calibrated for x in errors]
        )
    share = np.mean(above, axis=0)
    # At most 2 or 3 of 40 exchangeable values are above a quantile of the 39 others.
    assert (share <= 0.075 + 4 * math.sqrt(0.07 * 0.93 / 60)).all()
    assert share.max() > 0


def test_corrected_components_are_closer_to_the_truth_than_raw_ones() -> None:
    rng = np.random.default_rng(6)
    raw, corrected, covered = [], [], 0
    for _ in range(40):
        p = rng.random(200)
        t = properly.tally(rng.random(200) < 0.5 + 0.4 * (p - 0.5), p)
        parts = properly.decompose(t, Brier(), interval=True, level=0.9, replicates=99, rng=rng)
        assert parts.intervals is not None
        raw.append(parts.miscalibration)
        corrected.append(parts.intervals.corrected_miscalibration)
        lower, upper = parts.intervals.miscalibration
        covered += lower <= 0.03 <= upper
    truth = 0.36 / 12  # the mean of (.6 (p - .5))^2
    assert abs(np.mean(corrected) - truth) < abs(np.mean(raw) - truth) / 2
    assert covered >= 30  # nine tenths of 40, less three standard errors


def test_groups_of_few_clusters_are_found_to_differ_no_more_often_than_stated() -> None:
    # Eight groups of five clusters each, all alike but for what clusters have in common.
    cluster, draw = np.repeat(np.arange(40), 10), np.random.default_rng(5)
    found = []
    for _ in range(60):
        x, shared = draw.normal(size=400), 1.5 * draw.normal(size=40)
        p = 1 / (1 + np.exp(-x))
        y = draw.random(400) < 1 / (1 + np.exp(-x - shared[cluster]))
        cases = properly.Cases(y, p, groups=cluster // 5, clusters=cluster)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            score = properly.by_group(cases, Brier(), rng=1, calibration=False).measures["score"]
        lower, upper = score.simultaneous.T
        some = bool(((lower > 0) | (upper < 0)).any())
        found.append(
            (np.nanmin(score.adjusted_p_value) <= 0.05, some, score.homogeneity.p_value <= 0.05)
        )
    # With the degrees of the whole sample it was 14, 14 and 8 of 60.
    assert np.sum(found, axis=0).max() <= 5
