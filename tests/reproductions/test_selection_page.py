"""The study behind the choice of epochs shows the numbers that are kept beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from reproductions.epochs.text import SHORT, TITLES

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
SETS = ("walking", "older people", "motor", "RSSI")


@pytest.fixture(scope="module")
def page() -> str:
    return " ".join((DOCS / "selection-study.md").read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def numbers() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DOCS / "selection.json").read_text(encoding="utf-8"))
    return found


def told(numbers: dict[str, Any], data: str, way: str, by: str, report: str) -> dict[str, Any]:
    key = (data, way, by, report)
    rows: list[dict[str, Any]] = numbers["selections"]
    return next(r for r in rows if (r["data"], r["way"], r["by"], r["report"]) == key)


def less_pbs(one: dict[str, Any]) -> str:
    """Write a difference in points, half the width of its interval, and whether it is marked."""
    half = (one["interval"][1] - one["interval"][0]) / 2
    mark = "*" if one["adjusted_p_value"] <= 0.05 else ""
    return f"{100 * one['difference']:+.1f} ± {100 * half:.1f}{mark}"


def table_3(numbers: dict[str, Any], data: str, way: str) -> list[str]:
    cells = [told(numbers, data, way, by, "macro_f1") for by in TITLES]
    return [
        "here",
        *(f"{100 * x['mean']:.1f} ± {100 * x['standard_deviation']:.0f}" for x in cells),
    ]


def table_2(numbers: dict[str, Any], data: str, way: str) -> list[str]:
    rows = {r["metric"]: r for r in numbers["correlations"] if (r["data"], r["way"]) == (data, way)}
    cells = [rows[name] for name in ("brier", "pbs", "log", "pll", "error")]
    return ["here", *(f"{x['mean']:.3f} ± {x['standard_deviation']:.2f}" for x in cells)]


def log_loss_and_miscalibration(numbers: dict[str, Any], data: str, way: str) -> list[str]:
    names = ("log", "miscalibration")
    found = (told(numbers, data, way, by, name)["mean"] for by in TITLES for name in names)
    return [f"{mean:.3f}" for mean in found]


def paired_differences(numbers: dict[str, Any], data: str, way: str) -> list[str]:
    return [less_pbs(told(numbers, data, way, by, "macro_f1")) for by in TITLES if by != "pbs"]


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("way", SHORT)
@pytest.mark.parametrize(
    "table", [table_3, table_2, log_loss_and_miscalibration, paired_differences]
)
def test_every_row_of_a_table_is_that_of_the_numbers(
    table: Any, data: str, way: str, page: str, numbers: dict[str, Any]
) -> None:
    assert f"{data} {SHORT[way]} {' '.join(table(numbers, data, way))}" in page


@pytest.mark.parametrize("way", SHORT)
@pytest.mark.parametrize("by", TITLES)
def test_every_row_over_all_sets_is_that_of_the_numbers(
    by: str, way: str, page: str, numbers: dict[str, Any]
) -> None:
    one = told(numbers, "all", way, by, "macro_f1")
    differs = "" if by == "pbs" else f" {less_pbs(one)}"
    shown = f"{one['epoch']:.1f} {100 * one['mean']:.1f}{differs}"
    assert f"{SHORT[way]} {TITLES[by]} {shown}" in page


def test_the_histories_are_those_of_the_numbers(page: str, numbers: dict[str, Any]) -> None:
    found = numbers["histories"]
    columns = [f"correlation_{x}" for x in ("brier", "pbs", "error")]
    columns += [f"f1_{x}" for x in ("brier", "pbs", "error", "best")]
    assert len(found["data"]) == 9
    for i, name in enumerate(found["data"]):
        assert f"{name} {' '.join(f'{found[x][i]:.3f}' for x in columns)}" in page


def test_no_weight_was_lost_on_the_way(numbers: dict[str, Any]) -> None:
    assert numbers["restored"] == 0
