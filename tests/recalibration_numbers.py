"""The reference numbers for recalibration, the data that they belong to, and the maps to fit.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

import csv
import gzip
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly import recalibration

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FOLDER = Path(__file__).parent / "reference" / "recalibration"
# `weighted` is `cases` with its weights.
DATA = ("cases", "weighted", "certain", "few", "separated", "reversed", "bent")
MAPS = {
    "intercept": recalibration.Intercept,
    "temperature": recalibration.Temperature,
    "logistic": recalibration.Logistic,
    "beta": recalibration.Beta,
    "isotonic": recalibration.Isotonic,
    "venn_abers": recalibration.VennAbers,
}
# Few events, certain forecasts and separation are told of; tests of numbers do not ask for that.
quiet = pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")


def text_of(name: str) -> str:
    plain, packed = FOLDER / name, FOLDER / f"{name}.gz"
    return plain.read_text() if plain.exists() else gzip.decompress(packed.read_bytes()).decode()


@cache
def read(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text_of(f"{name}.csv").splitlines()))


def column(rows: list[dict[str, str]], name: str) -> Floats:
    return np.array([float(row[name]) for row in rows])


def labels(name: str) -> NDArray[Any]:
    """Return a column of the cases that is no number to compute with."""
    return np.array([row[name] for row in read("cases")])


VALUES = {row["id"]: (float(row["value"]), float(row["tolerance"])) for row in read("values")}
CLASSES = json.loads(text_of("classes.json"))
CHECKSUMS = json.loads(text_of("checksums.json"))


def cases_of(data: str, **columns: Any) -> properly.Cases:
    rows = read("cases" if data == "weighted" else data)
    if data == "weighted":
        columns["weight"] = column(rows, "weight")
    return properly.Cases(column(rows, "y").astype(int), column(rows, "p"), **columns)


@cache
def tally_of(data: str) -> properly.Tally:
    return cases_of(data).tally()


@cache
def class_cases() -> properly.Cases:
    rows = read("classes")
    P = np.column_stack([column(rows, f"p{k}") for k in range(4)])
    return properly.Cases(column(rows, "y").astype(int), P / P.sum(axis=1, keepdims=True))


@cache
def fitted(data: str, name: str, smooth: bool = True) -> Any:
    """Fit a map to the tally of a data set."""
    options = {} if smooth else {"smooth": False}
    return MAPS[name](**options).fit(tally_of(data))


def assert_close(got: object, expected: object, tolerance: float) -> None:
    """Allow so much absolutely, and relatively of what is above 1."""
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    assert got.shape == expected.shape
    allowed = tolerance * np.maximum(1, np.abs(expected))
    assert np.all(np.abs(got - expected) <= allowed), (got, expected)
