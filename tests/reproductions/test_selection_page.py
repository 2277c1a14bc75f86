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


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("way", SHORT)
def test_every_row_of_table_3_is_that_of_the_numbers(
    data: str, way: str, page: str, numbers: dict[str, Any]
) -> None:
    cells = [told(numbers, data, way, by, "macro_f1") for by in TITLES]
    shown = [f"{100 * x['mean']:.1f} ± {100 * x['standard_deviation']:.0f}" for x in cells]
    assert f"{data} {SHORT[way]} here {' '.join(shown)}" in page


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("way", SHORT)
def test_every_row_of_table_2_is_that_of_the_numbers(
    data: str, way: str, page: str, numbers: dict[str, Any]
) -> None:
    rows = {r["metric"]: r for r in numbers["correlations"] if (r["data"], r["way"]) == (data, way)}
    cells = [rows[name] for name in ("brier", "pbs", "log", "pll", "error")]
    shown = [f"{x['mean']:.3f} ± {x['standard_deviation']:.2f}" for x in cells]
    assert f"{data} {SHORT[way]} here {' '.join(shown)}" in page


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("way", SHORT)
def test_every_row_of_log_loss_and_miscalibration_is_that_of_the_numbers(
    data: str, way: str, page: str, numbers: dict[str, Any]
) -> None:
    pairs = [
        [told(numbers, data, way, by, name)["mean"] for name in ("log", "miscalibration")]
        for by in TITLES
    ]
    shown = [f"{log:.3f} {calibration:.3f}" for log, calibration in pairs]
    assert f"{data} {SHORT[way]} {' '.join(shown)}" in page


def less_pbs(one: dict[str, Any]) -> str:
    """Write a difference in points, half the width of its interval, and whether it is marked."""
    half = (one["interval"][1] - one["interval"][0]) / 2
    mark = "*" if one["adjusted_p_value"] <= 0.05 else ""
    return f"{100 * one['difference']:+.1f} ± {100 * half:.1f}{mark}"


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("way", SHORT)
def test_every_row_of_paired_differences_is_that_of_the_numbers(
    data: str, way: str, page: str, numbers: dict[str, Any]
) -> None:
    cells = [told(numbers, data, way, by, "macro_f1") for by in TITLES if by != "pbs"]
    assert f"{data} {SHORT[way]} {' '.join(map(less_pbs, cells))}" in page


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
