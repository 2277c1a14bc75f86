"""Reliability diagrams and decompositions against R's reliabilitydiag and triptych.

Sources and columns: ``tests/reference/README.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly.rules import Brier, Log, Misclassification

from .held import EXACT, assert_near, column, diagram, names_of, near, read

if TYPE_CHECKING:
    from .held import Floats

RULES: dict[str, Any] = {
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


def semicolons(text: str) -> Floats:
    return np.array([float(number) for number in text.split(";")])


def recalibrated_at(tally: properly.Tally, x: Floats) -> Floats:
    place = np.searchsorted(tally.value, x)
    assert np.array_equal(np.asarray(tally.value)[place], x), "a forecast is not in the tally"
    return np.asarray(properly.reliability(tally).recalibrated)[place]


DATA_SETS = names_of("corp", "bins")
WITH_CASES = [name for name in names_of("corp", "cases") if name in DATA_SETS]
DECOMPOSITIONS = [
    pytest.param(name, row["score"], field, float(row[field]), id=f"{name}-{row['score']}-{field}")
    for name in DATA_SETS
    for row in read(f"corp/{name}_decomposition")
    for field in FIELDS
]
EDGES = {row["name"]: row for row in read("corp/edge_cases")}
EDGE_DECOMPOSITIONS = [
    pytest.param(row, field, id=f"{row['name']}-{row['score']}-{field}")
    for row in read("corp/edge_cases")
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
    expected = column(read(f"corp/{name}_bins"), wanted)
    got = np.asarray(getattr(properly.reliability(diagram(name)).bins, BIN_COLUMNS[wanted]))
    tolerance = EXACT if wanted == "CEP_pav" else 0.0
    assert_near(got, expected, tolerance)


@pytest.mark.parametrize("name", DATA_SETS)
def test_every_distinct_forecast_gets_the_rate_of_its_bin(name: str) -> None:
    bins = read(f"corp/{name}_bins")
    tally = diagram(name)
    bin_of = np.searchsorted(column(bins, "x_max"), tally.value)
    assert (column(bins, "x_min")[bin_of] <= tally.value).all()
    assert_near(properly.reliability(tally).recalibrated, column(bins, "CEP_pav")[bin_of])


@pytest.mark.parametrize("name", WITH_CASES)
def test_every_case_gets_the_published_recalibrated_probability(name: str) -> None:
    cases = read(f"corp/{name}_cases")
    got = recalibrated_at(diagram(name), column(cases, "x"))
    assert_near(got, column(cases, "CEP_pav"))


@pytest.mark.parametrize(("name", "score", "field", "expected"), DECOMPOSITIONS)
def test_every_term_of_the_decomposition_is_the_published_one(
    name: str, score: str, field: str, expected: float
) -> None:
    result = properly.decompose(diagram(name), RULES[score])
    assert getattr(result, FIELDS[field]) == near(expected)


@pytest.mark.parametrize(("row", "field"), EDGE_DECOMPOSITIONS)
def test_every_edge_case_decomposes_as_published(row: dict[str, str], field: str) -> None:
    result = properly.decompose(edge_tally(row), RULES[row["score"]])
    expected = near(float(row[field]))
    assert getattr(result, FIELDS[field]) == expected


@pytest.mark.parametrize("name", EDGES)
def test_every_edge_case_has_the_published_bins_and_recalibration(name: str) -> None:
    row = EDGES[name]
    tally = edge_tally(row)
    assert len(properly.reliability(tally).bins.event_rate) == int(row["n_bins"])
    got = recalibrated_at(tally, semicolons(row["x"]))
    assert_near(got, semicolons(row["cep"]))
