"""Murphy curves and ROC curves against R's triptych.

Sources and columns: ``tests/reference/README.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from properly.decisions import murphy_curve, roc_curve

from .held import assert_near, column, diagram, names_of, near, read

if TYPE_CHECKING:
    from .held import Rows

LIMITS = {"val_left": "left", "val_right": "right"}
RATES = {"far": "false_positive_rate", "hr": "true_positive_rate"}


def roc_rows(name: str, *, hull: bool) -> Rows:
    """Read the points in our order, the highest forecast first."""
    return [row for row in read(f"corp/{name}_roc") if row["concave"] == str(hull).upper()][::-1]


DATA_SETS = names_of("corp", "murphy")


def test_the_reference_files_are_all_there() -> None:
    assert DATA_SETS == ["cont1024sqrt", "ties50a", "zeroone120"]
    assert names_of("corp", "roc") == DATA_SETS


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("limit", LIMITS)
def test_every_limit_of_the_murphy_curve_is_the_published_one(name: str, limit: str) -> None:
    rows = read(f"corp/{name}_murphy")
    curve = murphy_curve(diagram(name))
    np.testing.assert_array_equal(curve.threshold, column(rows, "knot"))
    got = getattr(curve, LIMITS[limit])
    assert_near(got, column(rows, limit))


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("part", ["score", "miscalibration", "discrimination", "uncertainty"])
def test_every_area_is_the_published_part_of_the_brier_score(name: str, part: str) -> None:
    brier = next(row for row in read(f"corp/{name}_decomposition") if row["score"] == "brier")
    columns = {"score": "mean_score", "miscalibration": "mcb", "discrimination": "dsc"}
    expected = float(brier[columns.get(part, "unc")])
    area = murphy_curve(diagram(name), part=part).area()  # type: ignore[call-overload]
    assert area == near(expected)


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("hull", [False, True])
@pytest.mark.parametrize("rate", RATES)
def test_every_point_of_the_roc_curve_is_the_published_one(
    name: str, hull: bool, rate: str
) -> None:
    got = getattr(roc_curve(diagram(name), hull=hull), RATES[rate])
    expected = column(roc_rows(name, hull=hull), rate)
    assert_near(got, expected)


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("hull", [False, True])
def test_every_area_under_a_roc_curve_is_the_published_one(name: str, hull: bool) -> None:
    expected = float(roc_rows(name, hull=hull)[0]["auc"])
    area = roc_curve(diagram(name), hull=hull).area
    assert area == near(expected)
