"""Defects of the reference implementation of CORP, each met here as a test that ours passes.

They were found by running reliabilitydiag 0.2.1 and triptych 0.1.3, with the numbers given here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import properly
from properly.rules import Brier, Log, Misclassification

KINDS: list[Any] = ["consistency", "confidence"]


def sample(n: int = 200) -> properly.Tally:
    rng = np.random.default_rng(21)
    p = rng.random(n)
    return properly.tally((rng.random(n) < np.sqrt(p)).astype(int), p)


def band_of(tally: properly.Tally, **options: Any) -> Any:
    band = properly.reliability(tally, **options).band
    assert band is not None
    return band


def test_forecasts_are_snapped_before_they_are_pooled() -> None:
    # Snapped after sorting, the ties are not pooled: 0, .5, .5, 1 for one value, and MCB .215.
    tally = properly.tally([0, 1, 0, 1], [0.21, 0.22, 0.23, 0.24], snap=[0.2, 0.8])
    assert properly.reliability(tally).recalibrated.tolist() == [0.5]
    assert properly.decompose(tally, Brier()).miscalibration == pytest.approx(0.09, abs=1e-15)


def test_snapped_forecasts_have_one_height_a_value() -> None:
    rng = np.random.default_rng(22)
    p = rng.random(500)
    y = (rng.random(500) < p).astype(int)
    record = properly.reliability(properly.tally(y, p, snap=0.1))
    assert len(record.value) == 11
    assert len(record.bins) <= 11
    expected = properly.reliability(properly.tally(y, np.round(p, 1)))
    np.testing.assert_array_equal(record.recalibrated, expected.recalibrated)


@pytest.mark.filterwarnings("ignore:with 16 events")
@pytest.mark.parametrize("kind", KINDS)
def test_a_replicate_of_one_value_says_nothing_about_the_other(kind: Any) -> None:
    # About a third of the replicates never draw the .9. Filled in out of step, the upper bound
    # at .3 becomes 1.
    tally = properly.Tally.from_counts([0.3, 0.9], [49, 1], [15, 1])
    band = band_of(tally, band=kind, method="resampling", level=0.9, replicates=4000, rng=1)
    np.testing.assert_array_equal(band.x, [0.3, 0.9])
    assert band.upper[0] == pytest.approx(0.41, abs=0.015)
    assert band.lower[0] == pytest.approx(0.19, abs=0.025)


def test_the_chance_band_at_the_other_value_is_that_of_its_own_replicates() -> None:
    # One case with a probability of .9, where it was drawn at all.
    tally = properly.Tally.from_counts([0.3, 0.9], [49, 1], [15, 1])
    options = {"method": "resampling", "level": 0.9, "replicates": 4000, "rng": 1}
    band = band_of(tally, band="consistency", **options)
    assert band.upper[1] == 1
    assert 0.2 < band.lower[1] < 0.4


@pytest.mark.parametrize(("step", "discrete"), [(0.01, True), (0.0099, False), (0.02, True)])
def test_hundredths_are_discrete_although_floats_are_a_little_closer(
    step: float, discrete: bool
) -> None:
    value = np.arange(0, 1 + step / 2, step)
    value = np.round(value[value <= 1], 4)
    tally = properly.Tally.from_counts(value, np.full(len(value), 2), np.ones(len(value), int))
    assert properly.reliability(tally).discrete is discrete


def test_the_hundredths_as_anybody_writes_them_are_discrete() -> None:
    for value in (np.arange(101) / 100, np.linspace(0, 1, 101), np.arange(101) * 0.01):
        assert properly.reliability(properly.tally(np.arange(101) % 2, value.clip(0, 1))).discrete


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_a_band_for_a_continuum_carries_the_level_that_was_asked_for(
    kind: Any, level: float
) -> None:
    band = band_of(sample(), band=kind, method="continuous", level=level)
    assert band.level == level
    assert band.to_dict()["level"] == level
    assert f"{100 * level:g} %" in repr(band)


@pytest.mark.parametrize("level", [0.9998, 0.99999])
def test_a_level_close_to_1_has_a_band_for_a_continuum_too(level: float) -> None:
    # A table of quantiles that ends at .9999 leaves the bounds missing beyond.
    band = band_of(sample(), band="consistency", method="continuous", level=level)
    narrower = band_of(sample(), band="consistency", method="continuous", level=0.999)
    assert not np.isnan(band.lower).any()
    assert (band.upper >= narrower.upper).all()
    assert band.upper[5] > narrower.upper[5]


def test_the_log_score_of_a_certain_forecast_is_not_a_number_times_infinity() -> None:
    right = properly.decompose(properly.tally([0, 1, 0, 1], [0.0, 1.0, 0.5, 0.5]), Log())
    assert right.score == pytest.approx(math.log(2) / 2, abs=1e-15)
    assert right.miscalibration == pytest.approx(0, abs=1e-15)
    wrong = properly.decompose(properly.tally([1, 1, 0, 1], [0.0, 1.0, 0.5, 0.5]), Log())
    assert wrong.score == wrong.miscalibration == math.inf
    assert math.isfinite(wrong.discrimination)
    assert math.isfinite(wrong.uncertainty)


@pytest.mark.parametrize("scale", [1, 3, 7, 33, 49, 51])
def test_misclassification_compares_counts_with_one_half_exactly(scale: int) -> None:
    # A bin of which exactly half are events counts one half each, however its mean is rounded.
    weight, events = np.array([6, 4]) * scale, np.array([2, 3]) * scale
    tally = properly.Tally.from_counts([0.3, 0.4], weight, events)
    parts = properly.decompose(tally, Misclassification())
    assert parts.uncertainty == 0.5  # half of all, exactly
    assert parts.discrimination == pytest.approx(0.5 - 0.3, abs=1e-15)
    pooled = properly.Tally.from_counts([0.3, 0.4], np.array([3, 3]) * scale, [2 * scale, scale])
    assert properly.reliability(pooled).recalibrated.tolist() == [0.5, 0.5]
    assert properly.decompose(pooled, Misclassification()).discrimination == 0
