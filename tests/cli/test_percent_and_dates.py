"""Forecasts in percent, and dates in any form, from the file to the result."""

from __future__ import annotations

import json
import sys
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from tests.command_line import CASES, GRADES, run, scored, write_forecasts

import properly
from properly.cli import _engine

if TYPE_CHECKING:
    from pathlib import Path

FIRST = date(2023, 12, 1)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Write forecasts beside the same in percent, and days in several forms."""
    path = write_forecasts(tmp_path / "forecasts.csv")
    table = pl.read_csv(path)
    names = ("good", *(f"p_{grade}" for grade in GRADES))
    days = [FIRST + timedelta(days=k // 4) for k in range(CASES)]
    table.with_columns(
        *((pl.col(name) * 100).round(1).alias(f"percent_{name}") for name in names),
        pl.Series("iso", days),
        pl.Series("german", [f"{day:%d.%m.%Y}" for day in days]),
        pl.Series("whole", [f"{day:%Y%m%d}" for day in days]),
        pl.Series("swapped", [f"{day:%Y-%d-%m}" for day in days]),
        pl.Series("month", [f"{day:%Y-%m}" for day in days]),
        pl.Series("zoned", [f"{day:%d.%m.%Y} 00:30 +0100" for day in days]),
    ).write_csv(path)
    return path


def test_percentages_score_as_their_hundredths_do(file: Path) -> None:
    whole = scored(file, "--outcome", "y", "--forecast", "percent_good", "--percent")
    plain = scored(file, "--outcome", "y", "--forecast", "good")
    said = "divided the forecasts by 100, as --percent says; the largest is "
    assert whole["notes"][-1].startswith(said)
    (percent,), (expected,) = (x["models"].values() for x in (whole, plain))
    assert percent["brier"]["score"] == pytest.approx(expected["brier"]["score"], rel=1e-12)


def test_percentages_of_classes_and_of_whole_numbers(file: Path) -> None:
    about = ("--outcome", "grade", "--classes", ",".join(GRADES))
    whole = scored(file, *about, "--forecast", "percent_p", "--percent")
    plain = scored(file, *about, "--forecast", "p")
    ours, expected = (x["models"] for x in (whole, plain))
    assert ours["percent_p"]["log"]["score"] == pytest.approx(expected["p"]["log"]["score"])
    whole_numbers = file.with_name("whole.csv")
    whole_numbers.write_text("y,p\n" + "0,7\n1,64\n" * 20, encoding="utf-8")
    found = scored(whole_numbers, "--outcome", "y", "--forecast", "p", "--percent")
    assert found["models"]["p"]["brier"]["score"] == pytest.approx((0.07**2 + 0.36**2) / 2)


def test_percentages_of_rows_that_stay_in_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = (file, "--outcome", "y", "--forecast", "percent_good", "--percent")
    expected = scored(*about)
    monkeypatch.setattr(_engine, "MOST_ROWS", 10)
    found = scored(*about)
    assert found["data"]["summed"]
    score = found["models"]["percent_good"]["brier"]["score"]
    assert score == pytest.approx(expected["models"]["percent_good"]["brier"]["score"], rel=1e-12)
    assert [x for x in found["notes"] if "--percent" in x] == expected["notes"][-1:]
    refused = run("score", file, "--outcome", "y", "--forecast", "percent_good", "--percent")
    assert refused.exit_code == 0
    beyond = file.with_name("beyond.csv")
    beyond.write_text("y,p\n" + "0,7\n1,164\n" * 20, encoding="utf-8")
    refused = run("score", beyond, "--outcome", "y", "--forecast", "p", "--percent")
    assert refused.exit_code == 1
    assert refused.stderr == (
        "Error: --percent is for forecasts from 0 to 100; of column 'p', one is 164\n"
    )


def test_the_page_says_so_and_its_python_divides(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    about = ("--outcome", "y", "--forecast", "percent_good", "--percent", "--replicates", "0")
    times = ("--time", "german", "--date-format", "%d.%m.%Y")
    made = run("report", file, *about, *times, "--output", "page.html")
    assert made.exit_code == 0, made.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "as --percent says" in page
    assert "data[&#39;percent_good&#39;] / 100" in page
    assert "datetime.strptime(str(x), &#39;%d.%m.%Y&#39;)" in page


@pytest.mark.parametrize(
    ("column", "form"),
    [("german", "%d.%m.%Y"), ("whole", "%Y%m%d"), ("iso", "%Y-%m-%d"), ("iso", ""), ("month", "")],
)
def test_the_python_of_the_page_makes_the_same_evaluation(
    column: str, form: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[tuple[properly.Evaluation, str | None]] = []

    def write(_: str, evaluation: properly.Evaluation, **words: Any) -> None:
        written.append((evaluation, words.get("python")))

    monkeypatch.setattr(properly.report, "write", write)
    monkeypatch.chdir(file.parent)
    about = ("--outcome", "y", "--forecast", "percent_good", "--percent", "--replicates", "0")
    given = ("--date-format", form) if form else ()
    made = run("report", file, *about, "--time", column, *given)
    assert made.exit_code == 0, made.stderr
    ((_, python),) = written
    assert python is not None
    exec(python, {})  # noqa: S102
    ours, theirs = (evaluation.to_dict() for evaluation, _ in written)
    assert ours["over_time"]
    assert (ours["models"], ours["over_time"]) == (theirs["models"], theirs["over_time"])


@pytest.mark.parametrize(
    ("column", "form"),
    [
        ("german", "%d.%m.%Y"),
        ("whole", "%Y%m%d"),
        ("swapped", "%Y-%d-%m"),
        ("iso", "%Y-%m-%d"),
        ("iso", None),
    ],
)
def test_dates_in_a_form_are_those_in_iso(column: str, form: str | None, file: Path) -> None:
    about = (file, "--outcome", "y", "--forecast", "good")
    expected = scored(*about, "--time", "iso")
    given = () if form is None else ("--date-format", form)
    found = scored(*about, "--time", column, *given)
    assert found["over_time"] == expected["over_time"]
    assert found["models"] == expected["models"]
    checked = run("check", *about, "--time", column, *given)
    assert checked.exit_code == 0, checked.stdout


def test_months_are_dates_and_zones_are_heeded(file: Path) -> None:
    about = (file, "--outcome", "y", "--forecast", "good")
    assert scored(*about, "--time", "month")["over_time"]
    zoned = scored(*about, "--time", "zoned", "--date-format", "%d.%m.%Y %H:%M %z")
    first = json.dumps(zoned["over_time"])
    # Half past midnight, an hour ahead of Greenwich, is the day before.
    assert "2023-11-30T23:30" in first


@pytest.mark.parametrize("package", ["duckdb", "jinja2"])
def test_a_page_asks_at_once_for_all_that_it_needs(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(properly, "evaluate", None)
    # There is no such file, which would be said next.
    result = run("report", tmp_path / "none.csv")
    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: this needs {package}, which is not installed\n\n"
        "Hint: pip install 'properly[app]'\n"
    )
