"""The classical reliability diagram."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from scipy.stats import binom

from properly import Cases, Tally, tally
from properly.calibration import binned_reliability
from properly.errors import DataError

Scheme = Literal["width", "count"]
SCHEMES: list[Scheme] = ["width", "count"]
BAND: dict[str, Any] = {"band": "consistency", "rng": 1}


def drawn(n: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    p = rng.beta(1, 3, n).round(2)
    return rng.random(n) < p, p, rng.exponential(size=n)


def test_empty_bins_vanish() -> None:
    record = binned_reliability(tally([0, 1, 1], [0.05, 0.31, 1.0]), bins=10)
    np.testing.assert_array_equal(record.lower, [0, 0.3, 0.9])
    np.testing.assert_array_equal(record.upper, [0.1, 0.4, 1])
    np.testing.assert_array_equal(record.weight, [1, 1, 1])
    np.testing.assert_array_equal(record.event_rate, [0, 1, 1])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("weighted", [False, True])
def test_bins_keep_all_cases_events_and_forecasts(scheme: Scheme, weighted: bool) -> None:
    y, p, weight = drawn()
    weight = weight if weighted else np.ones(len(y))
    record = binned_reliability(Cases(y, p, weight=weight), bins=7, scheme=scheme)
    assert record.weight.sum() == pytest.approx(weight.sum())
    assert record.weight @ record.event_rate == pytest.approx(weight @ y)
    assert record.weight @ record.mean_forecast == pytest.approx(weight @ p)


def test_every_bin_of_equal_width_is_its_rows() -> None:
    y, p, _ = drawn()
    record = binned_reliability(tally(y, p), bins=8)
    for row, lower in enumerate(record.lower):
        inside = (p >= lower) & (p < record.upper[row])
        assert record.weight[row] == inside.sum()
        assert record.event_rate[row] == y[inside].mean()
        assert record.mean_forecast[row] == pytest.approx(p[inside].mean(), rel=1e-15)


def test_bins_of_equal_count_end_at_forecasts_and_do_not_overlap() -> None:
    y, p, _ = drawn()
    record = binned_reliability(tally(y, p), bins=8, scheme="count")
    assert {*record.lower, *record.upper} <= set(p)
    assert (record.lower[1:] > record.upper[:-1]).all()
    for row, lower in enumerate(record.lower):
        inside = (p >= lower) & (p <= record.upper[row])
        assert record.weight[row] == inside.sum()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_mean_of_one_forecast_is_that_forecast(scheme: Scheme) -> None:
    t = Tally.from_counts([0.1, 0.7], [3, 7], [1, 2])
    record = binned_reliability(t, bins=2, scheme=scheme)
    np.testing.assert_array_equal(record.mean_forecast, [0.1, 0.7])


# Bands
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_consistency_band_has_the_quantiles_of_calibrated_forecasts(scheme: Scheme) -> None:
    y, p, _ = drawn(60)
    record = binned_reliability(tally(y, p), bins=4, scheme=scheme, **BAND, replicates=40_000)
    assert record.band is not None
    share = record.weight / 60
    for row, mean in enumerate(record.mean_forecast):
        # Cases fall into the bin, and have the event, as in draws with replacement.
        cases = np.arange(1, 61)[:, None]
        filled, events = binom.pmf(cases, 60, share[row]), np.arange(61)
        chance = np.where(events <= cases, binom.pmf(events, cases, mean) * filled, 0.0)
        rate, chance = events / cases, chance / chance.sum()
        for bound, tail in zip((record.band.lower, record.band.upper), (0.025, 0.975), strict=True):
            assert chance[rate < bound[row] - 1e-9].sum() <= tail + 0.004
            assert chance[rate <= bound[row] + 1e-9].sum() >= tail - 0.004


def test_a_consistency_band_allows_for_clusters_and_weights_and_refuses_what_it_cannot() -> None:
    y, p, weight = drawn(200)
    four: dict[str, Any] = {"y": np.repeat(y, 4), "p": np.repeat(p, 4)}
    clusters = np.repeat(np.arange(200), 4)
    ways = {"once": Cases(y, p), "copies": Cases(**four), "weighted": Cases(y, p, weight=weight)}
    ways |= {"known": Cases(**four, clusters=clusters), "alike": Cases(y, p, weight=weight * 0 + 2)}
    ways["split"] = Cases(**four, weight=np.full(800, 0.25), clusters=clusters)
    bands = {name: binned_reliability(x, bins=2, **BAND).band for name, x in ways.items()}
    width = {name: band.upper - band.lower for name, band in bands.items() if band is not None}
    np.testing.assert_allclose(width["known"], width["once"], rtol=0.15)
    np.testing.assert_array_equal(width["split"], width["known"])
    np.testing.assert_array_equal(width["alike"], width["once"])
    # Exponential weights have the variance of half as many cases.
    np.testing.assert_allclose(width["weighted"], 2**0.5 * width["once"], rtol=0.25)
    np.testing.assert_allclose(width["copies"], width["once"] / 2, rtol=0.15)
    with pytest.raises(DataError, match="weighted cases are taken one by one"):
        binned_reliability(ways["weighted"].tally(), **BAND)
    with pytest.raises(DataError, match="band must be 'consistency'; got 'confidence'"):
        binned_reliability(ways["once"], band="confidence")  # type: ignore[call-overload]


@pytest.mark.parametrize("clusters", [None, np.arange(51) // 3])
def test_replicates_without_a_forecast_in_a_bin_are_left_out_there(clusters: object) -> None:
    cases = Cases([0, 1] * 25 + [1], [0.1, 0.9] * 25 + [0.5], clusters=clusters)
    band = binned_reliability(cases, bins=3, **BAND).band
    assert band is not None
    assert (band.lower[1], band.upper[1]) == (0, 1)
    assert (band.upper - band.lower)[[0, 2]].max() < 0.5
