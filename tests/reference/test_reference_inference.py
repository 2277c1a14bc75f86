"""Simultaneous bands against an independent program, and that no reference number was left out.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.inference_numbers import MONTE_CARLO, VALUES, column, read, tally_of

import properly

from . import test_reference_inference_calibration as calibration
from . import test_reference_inference_comparison as comparison
from . import test_reference_inference_parts as parts
from . import test_reference_inference_scores as scores

if TYPE_CHECKING:
    from properly.inference import Band

TABLES = (scores, comparison, parts, calibration)


# Simultaneous bands


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
    assert len(VALUES) == 345
    assert len(MONTE_CARLO) == 64


def test_every_published_value_is_computed_and_no_other() -> None:
    found = [set(area()) for table in TABLES for area in table.AREAS.values()]
    assert set.union(*found) == set(VALUES)
    assert sum(map(len, found)) == len(VALUES)


def test_every_published_draw_is_repeated_and_no_other() -> None:
    found = [set(area()) for table in (parts, calibration) for area in table.DRAWN.values()]
    assert set.union(*found) == set(MONTE_CARLO)
    assert sum(map(len, found)) == len(MONTE_CARLO)


@pytest.mark.parametrize(("forecast", "alpha"), runs("bands"))
def test_every_ungrouped_simultaneous_bound_is_the_published_one(
    forecast: str, alpha: float
) -> None:
    rows = rows_of("bands", forecast, alpha)
    tally, band = tally_of(forecast), band_of(forecast, "ungrouped", alpha)
    np.testing.assert_array_equal(tally.weight, column(rows, "n"))
    np.testing.assert_array_equal(tally.events, column(rows, "events"))
    lower, upper = band.at(column(rows, "x"))
    np.testing.assert_allclose(lower, column(rows, "lower"), rtol=0, atol=1e-9)
    np.testing.assert_allclose(upper, column(rows, "upper"), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("forecast", "alpha"), runs("bands_cells"))
def test_every_simultaneous_bound_of_cells_is_the_published_one(
    forecast: str, alpha: float
) -> None:
    rows = rows_of("bands_cells", forecast, alpha)
    x_min, x_max = column(rows, "x_min"), column(rows, "x_max")
    band = band_of(forecast, "cells", alpha)
    upper_at_x_min, lower_at_x_max = band.at(x_min)[1], band.at(x_max)[0]
    np.testing.assert_allclose(upper_at_x_min, column(rows, "upper_at_x_min"), rtol=0, atol=1e-9)
    np.testing.assert_allclose(lower_at_x_max, column(rows, "lower_at_x_max"), rtol=0, atol=1e-9)


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
    np.testing.assert_allclose(lower, expected_lower, rtol=0, atol=1e-9)
    np.testing.assert_allclose(upper, expected_upper, rtol=0, atol=1e-9)
