"""``properly compare``: text, JSON and CSV of a comparison."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.command_line import GRADES, run, write_forecasts

import properly
from properly.rules import RPS, Brier, Log

if TYPE_CHECKING:
    from pathlib import Path

TWO = ("--outcome", "y", "--forecast", "good", "--forecast", "poor")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_forecasts(tmp_path_factory.mktemp("compare") / "forecasts.csv")


@pytest.fixture(scope="module")
def data(file: Path) -> dict[str, np.ndarray[Any, Any]]:
    return properly.read(file)


def compared(data: dict[str, Any], rule: Any, **options: Any) -> properly.comparison.Comparison:
    models = {name: data[name] for name in ("good", "poor")}
    return properly.compare(data["y"], models, rule=rule, rng=0, **options)


def test_text_is_that_of_the_comparison(file: Path, data: dict[str, Any]) -> None:
    result = run("compare", file, *TWO)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{compared(data, Brier())}\n"


def test_json_is_that_of_the_comparison(file: Path, data: dict[str, Any]) -> None:
    options = ("--rule", "log", "--clusters", "accident", "--level", "0.9", "--margin", "0.01")
    found = json.loads(run("compare", file, *TWO, *options, "--format", "json").stdout)
    known = {"clusters": data["accident"], "level": 0.9, "margin": 0.01}
    assert found == compared(data, Log(), **known).to_dict()


def test_csv_has_one_row_a_pair(file: Path, data: dict[str, Any]) -> None:
    text = run("compare", file, *TWO, "--rule", "auc", "--format", "csv").stdout
    (row,) = csv.DictReader(io.StringIO(text))
    (pair,) = compared(data, "auc")
    assert (row["first"], row["second"]) == ("good", "poor")
    assert float(row["difference"]) == pair.difference
    assert (float(row["lower"]), float(row["upper"])) == pair.interval
    # Areas have no ratio.
    assert row["ratio"] == ""
    assert row["sentence"] == pair.sentence


def test_a_reference_limits_the_pairs(file: Path) -> None:
    three = ("--outcome", "y", *(x for m in ("good", "poor", "p_low") for x in ("--forecast", m)))
    options = ("--reference", "poor", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(run("compare", file, *three, *options).stdout)))
    assert [(row["first"], row["second"]) for row in rows] == [("good", "poor"), ("p_low", "poor")]


def test_ordered_classes_are_compared_by_rps(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = ["grade," + ",".join(f"{m}_{g}" for m in "ab" for g in GRADES)]
    for k in range(40):
        probabilities = rng.dirichlet([1, 1, 1], 2).tolist()
        rows.append(f"{GRADES[k % 3]},{','.join(str(x) for p in probabilities for x in p)}")
    file = tmp_path / "grades.csv"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    options = ("--outcome", "grade", "--classes", ",".join(GRADES), "--ordered")
    both = ("--forecast", "a", "--forecast", "b")
    found = json.loads(run("compare", file, *options, *both, "--format", "json").stdout)
    data = properly.read(file)
    models = {m: np.column_stack([data[f"{m}_{g}"] for g in GRADES]) for m in "ab"}
    expected = properly.compare(data["grade"], models, rule=RPS(), labels=GRADES, rng=0)
    assert found == expected.to_dict()
