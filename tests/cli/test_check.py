"""``properly check``: bad data are looked at, not refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.command_line import GRADES, run, write_forecasts

import properly

if TYPE_CHECKING:
    from pathlib import Path

BAD = "y,p,q\n0,10,a\n1,80,0.5\n,95,\n1,3,0.2\n"


def test_good_data_have_no_problem(tmp_path: Path) -> None:
    file = write_forecasts(tmp_path / "forecasts.csv")
    result = run("check", file, "--outcome", "y", "--forecast", "good", "--clusters", "accident")
    data = properly.read(file)
    expected = properly.check(data["y"], {"good": data["good"]}, clusters=data["accident"])
    assert expected.is_fine
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{expected}\n"


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    file = tmp_path / "bad.csv"
    file.write_text(BAD, encoding="utf-8")
    return file


def problems(file: Path, *options: str) -> dict[str, Any]:
    result = run("check", file, "--outcome", "y", *options, "--format", "json")
    found: dict[str, Any] = json.loads(result.stdout)
    assert result.exit_code == (0 if found["is_fine"] else 1)
    return found


def test_problems_are_found_in_raw_columns_and_exit_with_1(bad: Path) -> None:
    found = problems(bad, "--forecast", "p", "--forecast", "q")
    assert (found["rows"], found["models"], found["is_fine"]) == (4, ["p", "q"], False)
    said = [
        (finding["where"], finding["what"])
        for finding in found["findings"]
        if finding["severity"] == "problem"
    ]
    assert [where for where, _ in said] == ["outcome", "q", "q", "p"]
    assert "missing" in said[0][1]
    assert "missing" in said[1][1]
    assert "'a'" in said[2][1]
    assert "percentages" in said[3][1]


def test_rows_with_missing_values_are_dropped_if_asked_for(bad: Path) -> None:
    options = ("--outcome", "y", "--forecast", "p", "--missing", "drop")
    result = run("check", bad, *options)
    assert result.stdout.startswith("3 rows, 1 model: 1 problem")
    assert result.stderr == "Dropped 1 of 4 rows for missing values: 1 lacks 'y'.\n"


def test_an_event_is_read_as_the_outcomes_are(tmp_path: Path) -> None:
    file = tmp_path / "words.csv"
    rows = "".join(f"{'yes' if k % 3 else 'no'},{0.3 + 0.3 * (k % 3 > 0)}\n" for k in range(60))
    file.write_text(f"y,p\n{rows}", encoding="utf-8")
    assert not problems(file, "--forecast", "p")["is_fine"]
    assert "'yes'" in json.dumps(problems(file, "--forecast", "p"), ensure_ascii=False)
    data = properly.read(file)
    found = problems(file, "--forecast", "p", "--event", "yes")
    assert found == properly.check(data["y"], {"p": data["p"]}, pos_label="yes").to_dict()


def test_labels_of_classes_are_read_as_the_outcomes_are(tmp_path: Path) -> None:
    file = tmp_path / "grades.csv"
    file.write_text("y,p_1,p_2,p_3\n1,.5,.3,.2\n2,.2,.6,.2\n,.1,.2,.7\n", encoding="utf-8")
    found = problems(file, "--forecast", "p", "--classes", "1,2,3", "--ordered")
    said = [x["what"] for x in found["findings"] if x["severity"] == "problem"]
    assert len(said) == 1
    assert "missing" in said[0]


def test_columns_are_guessed_and_said(tmp_path: Path) -> None:
    file = write_forecasts(tmp_path / "forecasts.csv")
    result = run("check", file, "--classes", ",".join(GRADES), "--outcome", "grade")
    assert result.stderr == "Took the columns that begin with 'p'; --forecast chooses others.\n"
    assert result.stdout.startswith("80 rows, 1 model: ")


def test_what_would_not_be_looked_at_is_no_option() -> None:
    for option in ("--strata", "--normalize"):
        assert option not in run("check", "--help").stdout
    assert "--groups" not in run("compare", "--help").stdout


def test_columns_that_are_no_probabilities_are_looked_at_too(tmp_path: Path) -> None:
    path, name = tmp_path / "percent.csv", "risk_of_death_within_ninety_days_of_admission"
    rows = "\n".join(f"{k % 2},{20 + 30 * (k % 2) + k / 2}" for k in range(40))
    path.write_text(f"died,{name}\n{rows}\n", encoding="utf-8")
    result = run("check", path)
    assert result.exit_code == 1
    # A name is shown whole, however long it is: it may have to be typed.
    assert f"Took the column {name!r} as the forecast" in result.stderr
    assert "percent" in result.stdout


def test_rows_are_named_by_the_lines_of_their_file(bad: Path) -> None:
    result = run("check", bad, "--outcome", "y", "--forecast", "p")
    assert "outcome: 1 of 4 outcomes is missing (line 4)." in result.stdout
    assert "as percentages are (lines 2, 3, 4, 5)." in result.stdout.replace("\n  ", " ")
    (missing, *_) = problems(bad, "--forecast", "p")["findings"]
    assert (missing["rows"], missing["lines"]) == ([2], [f"{bad}:4"])


def test_lines_count_rows_that_were_dropped_and_files(bad: Path) -> None:
    other = bad.with_name("more.csv")
    other.write_text("y,p\n1,0.5\n0,0.25\n", encoding="utf-8")
    both = bad.with_name("both.csv")
    both.write_text("y,p\n,0.5\n0,0.25\n1,7\n", encoding="utf-8")
    options = ("--outcome", "y", "--forecast", "p", "--missing", "drop", "--format", "json")
    result = run("check", other, both, *options)
    (found,) = (x for x in json.loads(result.stdout)["findings"] if x["severity"] == "problem")
    assert (found["rows"], found["lines"]) == ([3], [f"{both}:4"])
    said = run("check", other, both, *options[:-2]).stdout.replace("\n  ", " ")
    assert f"(line 4 of {both})" in said


def test_rows_without_lines_of_their_own_stay_rows(tmp_path: Path) -> None:
    file = tmp_path / "notes.csv"
    file.write_text('y,p,note\n0,0.25,"two\nlines"\n,0.5,one\n', encoding="utf-8")
    result = run("check", file, "--outcome", "y", "--forecast", "p")
    assert "outcome: 1 of 2 outcomes is missing (row 1)." in result.stdout
    assert problems(file, "--forecast", "p")["findings"][0]["lines"] is None


def test_a_row_that_is_spoken_of_is_a_line_too(tmp_path: Path) -> None:
    file = tmp_path / "grades.csv"
    file.write_text("y,p_a,p_b\na,0.5,0.5\nb,0.5,0.75\n", encoding="utf-8")
    result = run("check", file, "--outcome", "y", "--forecast", "p", "--classes", "a,b")
    assert "line 3 sums to 1.25, farthest off (line 3)." in result.stdout.replace("\n  ", " ")
    assert "--normalize. Is a column missing?" in result.stdout.replace("\n  ", " ")
    assert "normalize=True" not in result.stdout


def test_strictly_an_oddity_is_enough(tmp_path: Path) -> None:
    file = tmp_path / "forecasts.csv"
    rows = "".join(f"{k % 2},{0.3 + 0.4 * (k % 2)},{0.2 + 0.3 * (k % 3)}\n" for k in range(60))
    file.write_text(f"y,perfect,p\n{rows}", encoding="utf-8")
    odd = ("check", file, "--outcome", "y", "--forecast", "perfect")
    assert (run(*odd).exit_code, run(*odd, "--strict").exit_code) == (0, 1)
    assert run(*odd, "--strict").stdout == run(*odd).stdout
    fine = ("check", file, "--outcome", "y", "--forecast", "p", "--strict")
    assert run(*fine).exit_code == 0
