"""Forecasts to compare with."""

from __future__ import annotations

import numpy as np
import pytest

from properly import Cases, tally
from properly.counts._baselines import reference_forecasts
from properly.errors import DataError

CASES = Cases([0, 1, 1, 0], [0.1, 0.8, 0.6, 0.3], weight=[1, 3, 0, 4])
CLASSES = Cases([0, 2, 1], [[0.2, 0.3, 0.5]] * 3, weight=[1.0, 3.0, 0.0])


def test_without_one_it_is_what_the_sample_says() -> None:
    assert reference_forecasts(CASES, None).tolist() == [3 / 8]
    assert reference_forecasts(CASES.tally(), None).tolist() == [3 / 8]
    assert reference_forecasts(CLASSES, None).tolist() == [[0.25, 0.0, 0.75]]


def test_one_number_is_for_all_and_a_column_for_those_of_positive_weight() -> None:
    assert reference_forecasts(CASES, 0.5).tolist() == [0.5]
    assert reference_forecasts(CASES, np.array(0.5)).tolist() == [0.5]
    assert reference_forecasts(CASES, [0.1, 0.2, 0.3, 0.4]).tolist() == [0.1, 0.2, 0.4]
    assert reference_forecasts(CLASSES, [0.5, 0.25, 0.25]).tolist() == [[0.5, 0.25, 0.25]]
    rows = np.eye(3)
    np.testing.assert_array_equal(reference_forecasts(CLASSES, rows), rows[:2])


@pytest.mark.parametrize("reference", [[0.5, 0.5], [[1.0, 0, 0], [1.0, 0, 0]]])
def test_other_classes_or_other_cases_are_refused(reference: object) -> None:
    with pytest.raises(DataError, match="one row of 3 probabilities, or one for each of 3 cases"):
        reference_forecasts(CLASSES, reference)


def test_a_tally_takes_one_forecast_only() -> None:
    with pytest.raises(DataError, match="a tally no longer has the rows"):
        reference_forecasts(tally([0, 1], [0.2, 0.7]), [0.5, 0.5])
