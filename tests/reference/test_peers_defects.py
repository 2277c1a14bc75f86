"""Defects that other libraries have, each met here as a test that ours does not.

They are those of calibration curves and scores: ties that are not pooled before isotonic
regression, a log loss that depends on the floating-point type, and weights that are dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import properly
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from numpy.typing import NDArray


def tenths(n: int = 1000) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return calibrated forecasts rounded to one decimal: eleven values, many ties."""
    rng = np.random.default_rng(11)
    truth = rng.random(n)
    return (rng.random(n) < truth).astype(np.int64), np.round(truth, 1)


@pytest.mark.parametrize("first", [0, 1])
def test_sorting_ties_by_outcome_changes_nothing(first: int) -> None:
    y, p = tenths()
    order = np.lexsort((y if first == 0 else -y, p))
    expected = properly.reliability(properly.tally(y, p))
    got = properly.reliability(properly.tally(y[order], p[order]))
    np.testing.assert_array_equal(got.recalibrated, expected.recalibrated)
    np.testing.assert_array_equal(got.bins.event_rate, expected.bins.event_rate)


def test_one_forecast_value_has_one_height() -> None:
    y, p = tenths()
    tally = properly.tally(y, p)
    result = properly.reliability(tally)
    assert len(tally) == 11
    assert len(result.recalibrated) == 11
    assert (np.diff(np.asarray(tally.value)) > 0).all()
    # No forecast value lies in two bins.
    assert (np.asarray(result.bins.x_max)[:-1] < np.asarray(result.bins.x_min)[1:]).all()


def test_a_tie_is_one_group_whatever_its_rows_say() -> None:
    # Rows in this order, pooled one by one, would give 0, 0, 1, 1 to one and the same forecast.
    y, p = np.array([0, 0, 1, 1]), np.full(4, 0.5)
    result = properly.reliability(properly.tally(y, p))
    np.testing.assert_array_equal(result.recalibrated, [0.5])
    assert properly.decompose(properly.tally(y, p), Brier()).miscalibration == 0


def test_miscalibration_of_tied_forecasts_is_that_of_their_event_rates() -> None:
    y, p = tenths()
    values = np.unique(p)
    rates = np.array([y[p == value].mean() for value in values])
    shares = np.array([(p == value).mean() for value in values])
    assert (np.diff(rates) > 0).all(), "the sample must have increasing rates"
    expected = float((shares * (values - rates) ** 2).sum())
    got = properly.decompose(properly.tally(y, p), Brier()).miscalibration
    assert got == pytest.approx(expected, rel=0, abs=1e-15)


SHORT = [np.float64, np.float32, np.float16]


@pytest.mark.parametrize("dtype", SHORT)
def test_a_certain_and_wrong_forecast_costs_infinity_in_every_type(
    dtype: type[np.floating],
) -> None:
    y = np.array([0, 1])
    for p in ([0.5, 0.0], [1.0, 0.5]):
        forecasts = np.array(p, dtype=dtype)
        assert Log()(y, forecasts) == np.inf
        assert np.isinf(np.asarray(Log().loss(y, forecasts))).sum() == 1
        result = properly.decompose(properly.tally(y, forecasts), Log())
        assert result.score == np.inf
        assert result.miscalibration == np.inf
        assert np.isfinite([result.discrimination, result.uncertainty]).all()


@pytest.mark.parametrize("dtype", SHORT)
def test_a_finite_log_loss_is_the_same_in_every_type(dtype: type[np.floating]) -> None:
    # All of these are exact in half precision, so there is nothing to round.
    p = np.array([2.0**-24, 2.0**-14, 0.0625, 0.25, 0.5, 0.75, 1 - 2.0**-11])
    y = np.array([1, 0, 1, 0, 1, 0, 0])
    assert np.array_equal(p.astype(dtype), p)
    np.testing.assert_array_equal(Log().loss(y, p.astype(dtype)), Log().loss(y, p))
    assert Log()(y, p.astype(dtype)) == Log()(y, p)


def test_the_log_loss_of_the_smallest_forecast_is_not_clipped() -> None:
    smallest = 5e-324
    got = np.asarray(Log().loss(np.array([1]), np.array([smallest])))[0]
    assert got == pytest.approx(1074 * np.log(2), rel=1e-15)


def weighted_sample() -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    y, p = tenths(400)
    p = np.clip(p, 0.1, 0.9)  # so that the log loss is finite
    # Events and middling forecasts weigh more, so that no term can stay as it was.
    weight = 1 + 2 * y + (np.abs(p - 0.4) < 0.15).astype(int)
    weight[::7] = 0
    return y, p, weight


def test_the_weighted_curve_is_that_of_replicated_rows() -> None:
    y, p, weight = weighted_sample()
    weighted = properly.reliability(properly.tally(y, p, weight=weight))
    replicated = properly.reliability(properly.tally(np.repeat(y, weight), np.repeat(p, weight)))
    unweighted = properly.reliability(properly.tally(y, p))
    for column in ("x_min", "x_max", "weight", "event_rate"):
        np.testing.assert_array_equal(
            getattr(weighted.bins, column), getattr(replicated.bins, column)
        )
    assert not np.array_equal(weighted.recalibrated, unweighted.recalibrated)
