"""The classical reliability diagram."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from properly import Cases, Tally, tally
from properly.calibration import binned_reliability

Scheme = Literal["width", "count"]
SCHEMES: list[Scheme] = ["width", "count"]


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
