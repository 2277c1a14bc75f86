"""The reference numbers for recalibration, the data that they belong to, and the maps to fit.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly import recalibration
from tests.reference.held import column, load, values_of
from tests.reference.held import read as read_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tests.reference.held import Rows

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


def read(name: str) -> Rows:
    return read_file(f"recalibration/{name}")


def labels(name: str) -> NDArray[Any]:
    """Return a column of the cases that is no number to compute with."""
    return np.array([row[name] for row in read("cases")])


VALUES = values_of("recalibration")
CLASSES = load("recalibration/classes")
CHECKSUMS = load("recalibration/checksums")


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
