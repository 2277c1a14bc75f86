"""Reliability."""

import numpy as np

from properly import reliability, tally


def test_the_curve_is_flat_on_bins_and_ends_where_the_data_end() -> None:
    record = reliability(tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))
    x, rate = record.curve()
    np.testing.assert_array_equal(x, [0.1, 0.1, 0.3, 0.6, 0.9, 0.9])
    np.testing.assert_array_equal(rate, [0, 0, 0.5, 0.5, 1, 1])
    assert len(record.bins) == 3
