"""Murphy curves and ROC curves against R's triptych.

Sources and columns: ``tests/reference/README.md``.
"""

from __future__ import annotations

import csv
import gzip
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import properly
from properly.decisions import murphy_curve, roc_curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER = Path(__file__).parents[1] / "reference" / "corp"
TOLERANCE = 1e-12  # absolute: what the source promises for Murphy and ROC curves
LIMITS = {"val_left": "left", "val_right": "right"}
RATES = {"far": "false_positive_rate", "hr": "true_positive_rate"}


def read(name: str) -> list[dict[str, str]]:
    plain, packed = FOLDER / f"{name}.csv", FOLDER / f"{name}.csv.gz"
    text = plain.read_text() if plain.exists() else gzip.decompress(packed.read_bytes()).decode()
    return list(csv.DictReader(text.splitlines()))


def column(rows: list[dict[str, str]], name: str) -> NDArray[np.float64]:
    return np.array([float(row[name]) for row in rows])


@cache
def tally_of(name: str) -> properly.Tally:
    rows = read(f"{name}_input")
    return properly.tally(column(rows, "y").astype(int), column(rows, "x"))


def roc_rows(name: str, *, hull: bool) -> list[dict[str, str]]:
    """Read the points in our order, the highest forecast first."""
    return [row for row in read(f"{name}_roc") if row["concave"] == str(hull).upper()][::-1]


DATA_SETS = sorted(path.name.split("_")[0] for path in FOLDER.glob("*_murphy.csv*"))


def test_the_reference_files_are_all_there() -> None:
    assert DATA_SETS == ["cont1024sqrt", "ties50a", "zeroone120"]
    assert sorted(path.name.split("_")[0] for path in FOLDER.glob("*_roc.csv*")) == DATA_SETS


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("limit", LIMITS)
def test_every_limit_of_the_murphy_curve_is_the_published_one(name: str, limit: str) -> None:
    rows = read(f"{name}_murphy")
    curve = murphy_curve(tally_of(name))
    np.testing.assert_array_equal(curve.threshold, column(rows, "knot"))
    got = getattr(curve, LIMITS[limit])
    np.testing.assert_allclose(got, column(rows, limit), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("part", ["score", "miscalibration", "discrimination", "uncertainty"])
def test_every_area_is_the_published_part_of_the_brier_score(name: str, part: str) -> None:
    brier = next(row for row in read(f"{name}_decomposition") if row["score"] == "brier")
    columns = {"score": "mean_score", "miscalibration": "mcb", "discrimination": "dsc"}
    expected = float(brier[columns.get(part, "unc")])
    area = murphy_curve(tally_of(name), part=part).area()  # type: ignore[call-overload]
    assert area == pytest.approx(expected, rel=0, abs=TOLERANCE)


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("hull", [False, True])
@pytest.mark.parametrize("rate", RATES)
def test_every_point_of_the_roc_curve_is_the_published_one(
    name: str, hull: bool, rate: str
) -> None:
    got = getattr(roc_curve(tally_of(name), hull=hull), RATES[rate])
    expected = column(roc_rows(name, hull=hull), rate)
    np.testing.assert_allclose(got, expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("hull", [False, True])
def test_every_area_under_a_roc_curve_is_the_published_one(name: str, hull: bool) -> None:
    expected = float(roc_rows(name, hull=hull)[0]["auc"])
    area = roc_curve(tally_of(name), hull=hull).area
    assert area == pytest.approx(expected, rel=0, abs=TOLERANCE)
