"""Reliability."""

import numpy as np

from properly import reliability, tally


def test_the_curve_is_flat_on_bins_and_ends_where_the_data_end() -> None:
    record = reliability(tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))
    x, rate = record.curve()
    np.testing.assert_array_equal(x, [0.1, 0.1, 0.3, 0.6, 0.9, 0.9])
    np.testing.assert_array_equal(rate, [0, 0, 0.5, 0.5, 1, 1])
    assert len(record.bins) == 3


def test_the_record_is_ready_for_json() -> None:
    record = reliability(tally([0, 1], [0.1, 0.3]))
    assert record.to_dict() == {
        "x_min": [0.1, 0.3],
        "x_max": [0.1, 0.3],
        "weight": [1, 1],
        "event_rate": [0.0, 1.0],
        "all": {"discrete": True, "mean_forecast": 0.2, "event_rate": 0.5},
    }
