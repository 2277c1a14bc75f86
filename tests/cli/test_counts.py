"""--count: how many like cases a row stands for, in every command that takes --weight."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from tests.command_line import run, scored, write_forecasts

from properly.cli import _engine

if TYPE_CHECKING:
    from pathlib import Path

TWO = ("--outcome", "y", "--forecast", "good", "--forecast", "poor")
ONE = TWO[:4]
COUNT = ("--count", "n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write rows with how often they count, and each row so often."""
    home = tmp_path_factory.mktemp("counts")
    data = pd.read_csv(write_forecasts(home / "all.csv"))
    data["n"] = data.index % 4
    data.to_csv(home / "counted.csv", index=False)
    data.loc[data.index.repeat(data["n"])].to_csv(home / "repeated.csv", index=False)
    data.assign(n=data["n"].where(data.index != 5, 2.5)).to_csv(home / "broken.csv", index=False)
    data.assign(n=data["n"] + 0.5).to_csv(home / "fractions.csv", index=False)
    return home


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("score", *TWO),
        ("score", *TWO, "--groups", "sex", "--format", "json"),
        ("score", *TWO, "--clusters", "accident", "--format", "csv"),
        ("score", *ONE, "--rule", "brier", "--fail-if", "gain>9"),
        ("score", "--outcome", "grade", "--forecast", "p", "--classes", "low,mid,high"),
        ("compare", *TWO),
        ("compare", *TWO, "--rule", "auc", "--format", "csv"),
    ],
)
def test_a_count_is_so_many_rows(folder: Path, command: tuple[str, ...]) -> None:
    name, *options = command
    found = run(name, folder / "counted.csv", *options, *COUNT)
    expected = run(name, folder / "repeated.csv", *options)
    assert found.exit_code == expected.exit_code == 0
    assert found.stdout == expected.stdout


def test_a_weight_is_no_count(folder: Path) -> None:
    counted = scored(folder / "counted.csv", *ONE, *COUNT)
    weighted = scored(folder / "counted.csv", *ONE, "--weight", "n")
    assert (counted["data"]["rows"], weighted["data"]["rows"]) == (120, 60)
    scores = [x["models"]["good"]["brier"] for x in (counted, weighted)]
    assert scores[0]["score"] == pytest.approx(scores[1]["score"], rel=1e-12)
    widths = [upper - lower for lower, upper in (x["interval"] for x in scores)]
    assert widths[0] < widths[1]


@pytest.mark.parametrize("command", ["score", "compare", "report"])
def test_counts_are_whole_numbers(folder: Path, command: str, tmp_path: Path) -> None:
    written = ("--output", tmp_path / "x") if command == "report" else ()
    found = run(command, folder / "broken.csv", *TWO, *COUNT, *written)
    assert found.exit_code == 1
    message = "--count must be whole numbers, zero or more; row 5 (line 7 of "
    assert message in found.stderr
    assert "is 2.5" in found.stderr
    assert "Hint: --weight takes fractions." in found.stderr


def test_counts_are_looked_over(folder: Path) -> None:
    found = run("check", folder / "broken.csv", *ONE, *COUNT, "--format", "json")
    record = json.loads(found.stdout)
    assert (found.exit_code, record["is_fine"]) == (1, False)
    problem = record["findings"][0]
    assert (problem["where"], problem["what"]) == ("count", "1 of 80 counts is no whole number")
    assert problem["lines"][0].endswith("broken.csv:7")
    assert problem["advice"].endswith("for sampling weights pass --weight.")
    whole = run("check", folder / "counted.csv", *ONE, "--weight", "n").stdout
    assert "Weights are sampling weights; for numbers of like cases pass --count." in whole


def test_many_cases_are_summed_up_however_few_rows_they_are(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = scored(folder / "counted.csv", *TWO, *COUNT)
    monkeypatch.setattr(_engine, "MOST_ROWS", 100)
    large = scored(folder / "counted.csv", *TWO, *COUNT)
    assert (small["data"]["summed"], large["data"]["summed"]) == (False, True)
    assert large["data"]["rows"] == small["data"]["rows"] == 120
    for model in ("good", "poor"):
        ends = [x["models"][model]["brier"]["interval"] for x in (large, small)]
        assert ends[0] == pytest.approx(ends[1], rel=1e-12)
    # What needs the rows is still done with them.
    timed = scored(folder / "counted.csv", *TWO, *COUNT, "--time", "accident")
    assert timed["data"]["summed"] is False
