"""Simultaneous bands against an independent program.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.inference_numbers import read, tally_of
from tests.reference.held import assert_near, column

import properly

if TYPE_CHECKING:
    from properly.inference import Band


def band_of(forecast: str, method: Any, alpha: float) -> Band:
    record = properly.reliability(
        tally_of(forecast), band="simultaneous", method=method, level=1 - alpha
    )
    assert record.band is not None
    return record.band


def runs(name: str) -> list[tuple[str, float]]:
    return sorted({(row["forecast"], float(row["alpha"])) for row in read(name)})


def rows_of(name: str, forecast: str, alpha: float) -> list[dict[str, str]]:
    return [
        row for row in read(name) if row["forecast"] == forecast and float(row["alpha"]) == alpha
    ]


def test_the_reference_files_are_all_there() -> None:
    assert runs("bands") == [("edge", 0.1), ("p1", 0.05), ("p1", 0.1), ("p2", 0.1)]
    assert runs("bands_cells") == [("p1", 0.1), ("p2", 0.1)]


@pytest.mark.parametrize(("forecast", "alpha"), runs("bands"))
def test_every_ungrouped_simultaneous_bound_is_the_published_one(
    forecast: str, alpha: float
) -> None:
    rows = rows_of("bands", forecast, alpha)
    tally, band = tally_of(forecast), band_of(forecast, "ungrouped", alpha)
    np.testing.assert_array_equal(tally.weight, column(rows, "n"))
    np.testing.assert_array_equal(tally.events, column(rows, "events"))
    lower, upper = band.at(column(rows, "x"))
    assert_near(lower, column(rows, "lower"), 1e-9)
    assert_near(upper, column(rows, "upper"), 1e-9)


@pytest.mark.parametrize(("forecast", "alpha"), runs("bands_cells"))
def test_every_simultaneous_bound_of_cells_is_the_published_one(
    forecast: str, alpha: float
) -> None:
    rows = rows_of("bands_cells", forecast, alpha)
    x_min, x_max = column(rows, "x_min"), column(rows, "x_max")
    band = band_of(forecast, "cells", alpha)
    upper_at_x_min, lower_at_x_max = band.at(x_min)[1], band.at(x_max)[0]
    assert_near(upper_at_x_min, column(rows, "upper_at_x_min"), 1e-9)
    assert_near(lower_at_x_max, column(rows, "lower_at_x_max"), 1e-9)


@pytest.mark.parametrize(("forecast", "alpha"), runs("bands_cells"))
def test_between_its_points_a_band_of_cells_waits_for_the_next_cell(
    forecast: str, alpha: float
) -> None:
    rows = rows_of("bands_cells", forecast, alpha)
    x_min, x_max = column(rows, "x_min"), column(rows, "x_max")
    x = np.linspace(0, 1, 997)
    lower, upper = band_of(forecast, "cells", alpha).at(x)
    last, following = np.searchsorted(x_max, x, "right"), np.searchsorted(x_min, x, "left")
    expected_lower = np.append(0.0, column(rows, "lower_at_x_max"))[last]
    expected_upper = np.append(column(rows, "upper_at_x_min"), 1.0)[following]
    assert_near(lower, expected_lower, 1e-9)
    assert_near(upper, expected_upper, 1e-9)
