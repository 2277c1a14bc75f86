"""Reliability diagrams with bins chosen beforehand."""

import numpy as np
from tests.plots.subjects import CONTINUOUS

from properly import plots, tally
from properly.calibration import binned_reliability


def test_points_lie_at_the_mean_forecast_and_the_event_rate_of_each_bin() -> None:
    record = binned_reliability(CONTINUOUS, bins=5)
    ax = plots.binned_reliability(record)
    expected = np.stack([record.mean_forecast, record.event_rate], axis=1)
    np.testing.assert_array_equal(ax.get_lines()[-1].get_xydata(), expected)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("forecast", "event rate")


def test_bars_show_the_weight_of_each_bin() -> None:
    record = binned_reliability(CONTINUOUS, bins=5)
    bars = plots.binned_reliability(record).patches
    np.testing.assert_allclose([bar.get_x() for bar in bars], record.lower)  # type: ignore[attr-defined]
    height = np.array([bar.get_height() for bar in bars])  # type: ignore[attr-defined]
    np.testing.assert_allclose(height, 0.2 * record.weight / record.weight.max())
    pair = {"5 bins": record, "2 bins": binned_reliability(CONTINUOUS, bins=2)}
    assert not plots.binned_reliability(pair).patches


def test_a_bin_of_one_value_has_a_bar_all_the_same() -> None:
    record = binned_reliability(tally([0, 1, 1], [0.2, 0.2, 0.9]), bins=2, scheme="count")
    bars = plots.binned_reliability(record).patches
    assert min(bar.get_width() for bar in bars) > 0  # type: ignore[attr-defined]
