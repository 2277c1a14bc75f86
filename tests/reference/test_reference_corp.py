"""Reliability diagrams and decompositions against R's reliabilitydiag and triptych.

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
from properly.rules import Brier, Log, Misclassification

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly.rules import BinaryRule

FOLDER = Path(__file__).parents[1] / "reference" / "corp"
TOLERANCE = 1e-12  # absolute: what the source promises for PAV and for decompositions
RULES: dict[str, BinaryRule] = {
    "brier": Brier(),
    "log": Log(),
    "misclassification": Misclassification(),
}
FIELDS = {
    "mean_score": "score",
    "mcb": "miscalibration",
    "dsc": "discrimination",
    "unc": "uncertainty",
}
BIN_COLUMNS = {"n": "weight", "x_min": "x_min", "x_max": "x_max", "CEP_pav": "event_rate"}


def read(name: str) -> list[dict[str, str]]:
    plain, packed = FOLDER / f"{name}.csv", FOLDER / f"{name}.csv.gz"
    text = plain.read_text() if plain.exists() else gzip.decompress(packed.read_bytes()).decode()
    return list(csv.DictReader(text.splitlines()))


def column(rows: list[dict[str, str]], name: str) -> NDArray[np.float64]:
    return np.array([float(row[name]) for row in rows])


def semicolons(text: str) -> NDArray[np.float64]:
    return np.array([float(number) for number in text.split(";")])


@cache
def tally_of(name: str) -> properly.Tally:
    rows = read(f"{name}_input")
    return properly.tally(column(rows, "y").astype(int), column(rows, "x"))


def recalibrated_at(tally: properly.Tally, x: NDArray[np.float64]) -> NDArray[np.float64]:
    place = np.searchsorted(tally.value, x)
    assert np.array_equal(np.asarray(tally.value)[place], x), "a forecast is not in the tally"
    return np.asarray(properly.reliability(tally).recalibrated)[place]


DATA_SETS = sorted(path.name.split("_")[0] for path in FOLDER.glob("*_bins.csv"))
WITH_CASES = [name for name in DATA_SETS if list(FOLDER.glob(f"{name}_cases.csv*"))]
DECOMPOSITIONS = [
    pytest.param(name, row["score"], field, float(row[field]), id=f"{name}-{row['score']}-{field}")
    for name in DATA_SETS
    for row in read(f"{name}_decomposition")
    for field in FIELDS
]
EDGES = {row["name"]: row for row in read("edge_cases")}
EDGE_DECOMPOSITIONS = [
    pytest.param(row, field, id=f"{row['name']}-{row['score']}-{field}")
    for row in read("edge_cases")
    for field in FIELDS
]


def edge_tally(row: dict[str, str]) -> properly.Tally:
    return properly.tally(semicolons(row["y"]).astype(int), semicolons(row["x"]))


def test_the_reference_files_are_all_there() -> None:
    assert DATA_SETS == [
        "cont1024sqrt",
        "cont6000betamix",
        "disc20000k10",
        "ties50a",
        "zeroone120",
    ]
    assert WITH_CASES == ["cont1024sqrt", "ties50a", "zeroone120"]
    assert len(DECOMPOSITIONS) == 5 * 3 * 4
    assert len(EDGES) == 6
    assert len(EDGE_DECOMPOSITIONS) == 6 * 3 * 4


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("wanted", BIN_COLUMNS)
def test_every_bin_is_the_published_one(name: str, wanted: str) -> None:
    expected = column(read(f"{name}_bins"), wanted)
    got = np.asarray(getattr(properly.reliability(tally_of(name)).bins, BIN_COLUMNS[wanted]))
    tolerance = TOLERANCE if wanted == "CEP_pav" else 0.0
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", DATA_SETS)
def test_every_distinct_forecast_gets_the_rate_of_its_bin(name: str) -> None:
    bins = read(f"{name}_bins")
    tally = tally_of(name)
    bin_of = np.searchsorted(column(bins, "x_max"), tally.value)
    assert (column(bins, "x_min")[bin_of] <= tally.value).all()
    np.testing.assert_allclose(
        properly.reliability(tally).recalibrated,
        column(bins, "CEP_pav")[bin_of],
        rtol=0,
        atol=TOLERANCE,
    )


@pytest.mark.parametrize("name", WITH_CASES)
def test_every_case_gets_the_published_recalibrated_probability(name: str) -> None:
    cases = read(f"{name}_cases")
    got = recalibrated_at(tally_of(name), column(cases, "x"))
    np.testing.assert_allclose(got, column(cases, "CEP_pav"), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize(("name", "score", "field", "expected"), DECOMPOSITIONS)
def test_every_term_of_the_decomposition_is_the_published_one(
    name: str, score: str, field: str, expected: float
) -> None:
    result = properly.decompose(tally_of(name), RULES[score])
    assert getattr(result, FIELDS[field]) == pytest.approx(expected, rel=0, abs=TOLERANCE)


@pytest.mark.parametrize(("row", "field"), EDGE_DECOMPOSITIONS)
def test_every_edge_case_decomposes_as_published(row: dict[str, str], field: str) -> None:
    result = properly.decompose(edge_tally(row), RULES[row["score"]])
    expected = pytest.approx(float(row[field]), rel=0, abs=TOLERANCE)
    assert getattr(result, FIELDS[field]) == expected


@pytest.mark.parametrize("name", EDGES)
def test_every_edge_case_has_the_published_bins_and_recalibration(name: str) -> None:
    row = EDGES[name]
    tally = edge_tally(row)
    assert len(properly.reliability(tally).bins.event_rate) == int(row["n_bins"])
    got = recalibrated_at(tally, semicolons(row["x"]))
    np.testing.assert_allclose(got, semicolons(row["cep"]), rtol=0, atol=TOLERANCE)
