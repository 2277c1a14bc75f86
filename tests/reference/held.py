"""The held numbers, read from the files of this folder, and how near a number must come to one.

Sources, columns and tolerances: ``tests/reference/README.md``. Values with an id are computed by
the `AREAS` of the tests, functions from nothing to values by their ids, which
``test_reference_values.py`` compares: every id must come from exactly one of them.
"""

from __future__ import annotations

import csv
import gzip
import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pytest

import properly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Rows = list[dict[str, str]]
    Areas = dict[str, Callable[[], dict[str, float]]]

FOLDER = Path(__file__).parent
EXACT = 1e-12  # absolute: what most sources promise
T = TypeVar("T")


def text_of(name: str) -> str:
    """Return the text of a file, which is packed if it is large."""
    plain, packed = FOLDER / name, FOLDER / f"{name}.gz"
    return plain.read_text() if plain.exists() else gzip.decompress(packed.read_bytes()).decode()


@cache
def read(name: str) -> Rows:
    """Return the rows of a CSV file, named without its ending."""
    return list(csv.DictReader(text_of(f"{name}.csv").splitlines()))


@cache
def load(name: str) -> Any:
    """Return what a JSON file holds, named without its ending."""
    return json.loads(text_of(f"{name}.json"))


def names_of(folder: str, ending: str) -> list[str]:
    """Return the data sets of a folder that have a file with this ending."""
    return sorted(path.name.split("_")[0] for path in (FOLDER / folder).glob(f"*_{ending}.csv*"))


def column(rows: Rows, name: str) -> Floats:
    return np.array([float(row[name]) for row in rows])


def values_of(folder: str) -> dict[str, tuple[float, float]]:
    """Return the values of a folder and their tolerances by id."""
    rows = read(f"{folder}/values")
    return {row["id"]: (float(row["value"]), float(row["tolerance"])) for row in rows}


def number(value: Any) -> float:
    """Read a number: an exact fraction beside its nearest double, a fraction, or a decimal."""
    if not isinstance(value, dict):
        return float(Fraction(value)) if "/" in str(value) else float(value)
    exact, nearest = float(Fraction(value["exact"])), float(value["float"])
    assert exact == nearest
    return exact


def floats(row: Iterable[str]) -> list[float]:
    return [float(Fraction(value)) for value in row]


def near(expected: Any, tolerance: float = EXACT) -> Any:
    """Return something equal to what is this near."""
    return pytest.approx(expected, rel=0, abs=tolerance, nan_ok=True)


def assert_near(got: Any, expected: Any, tolerance: float = EXACT) -> None:
    """Compare arrays."""
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance)


def assert_held(found: dict[str, float], values: dict[str, tuple[float, float]]) -> None:
    """Compare values by their ids; tolerances are absolute, and relative above 1."""
    assert found
    held = {
        identity: pytest.approx(value, rel=tolerance, abs=tolerance)
        for identity, (value, tolerance) in values.items()
        if identity in found
    }
    assert found == held


def once(areas: dict[str, Callable[[], T]]) -> dict[str, Callable[[], T]]:
    """Let each area be computed once, for its own test and for the one of what is missing."""
    return {name: cache(area) for name, area in areas.items()}


@cache
def diagram(name: str) -> properly.Tally:
    """Return a data set of the reliability diagrams."""
    rows = read(f"corp/{name}_input")
    return properly.tally(column(rows, "y").astype(int), column(rows, "x"))
