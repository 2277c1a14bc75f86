"""Long tables, one row per answer, on the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.command_line import run

import properly
from properly.cli._wording import in_options
from properly.evaluation import check_answers
from properly.rules import RPS

REFERENCE = Path(__file__).parents[1] / "reference" / "real_data"
LONG = ("--long", "question,forecaster,probability,outcome")
CLASSES = ("--long", "question,forecaster,p_a+p_b+p_c,outcome")
WINDOWS = ("--time", "time", "--opens", "opens", "--closes", "closes", "--resolved", "resolved")


def file(name: str) -> Path:
    return REFERENCE / f"{name}.csv"


def frame(name: str) -> pd.DataFrame:
    return pd.read_csv(file(name))


def printed(*arguments: str | Path) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def record(*arguments: str | Path) -> Any:
    return json.loads(printed(*arguments, "--format", "json"))


def told(board: properly.comparison.Leaderboard) -> dict[str, Any]:
    """Write a board as the command line does, whose notes speak of options."""
    return board.to_dict() | {"notes": [in_options(note) for note in board.notes]}


def refused(*arguments: str | Path) -> str:
    """Return what is said, without how a command is used."""
    result = run(*arguments)
    assert result.exit_code in (1, 2)
    assert result.stdout == ""
    return result.stderr.partition("Error: ")[2].strip()


# What is wrong.


def test_the_messy_table_is_looked_over_and_its_lines_are_named() -> None:
    result = run("check", file("messy"), *LONG, "--weight", "weight")
    assert result.exit_code == 1
    said = result.stdout.replace("\n  ", " ")
    assert said.startswith("493 rows, 122 questions, 8 forecasters: 4 problems, ")
    assert "1 with identical rows, 1 with different ones (lines 7, 11, 490, 491)." in said
    assert "Drop copies first; --repeated pool averages rows" in said
    assert "2 parts have none: 'A', 'B', 'C', 'D', 'E', 'F' | 'Y', 'Z'." in said


def test_a_check_finds_what_the_library_finds() -> None:
    result = run("check", file("messy"), *LONG, "--weight", "weight", "--format", "json")
    found = json.loads(result.stdout)
    expected = check_answers(frame("messy"), weight="weight").to_dict()
    assert (found["questions"], found["models"]) == (122, list("ABCDEFYZ"))
    for one, other in zip(found["findings"], expected["findings"], strict=True):
        lines = [f"{file('messy')}:{row + 2}" for row in other["rows"]]
        assert one.get("lines", []) == lines
        assert [one[k] for k in ("name", "what", "rows")] == [
            other[k] for k in ("name", "what", "rows")
        ]


@pytest.mark.parametrize("command", ["compare", "leaderboard"])
def test_problems_stop_what_would_be_computed(command: str) -> None:
    assert refused(command, file("messy"), *LONG) == (
        "a forecaster answers a question once; 2 keys are there more than once: 1 with identical "
        f"rows, 1 with different ones (row 5, line 7 of {file('messy')} is the first of 4)\n\n"
        "Hint: drop copies first; --repeated pool averages rows that are members of an ensemble."
    )
    assert refused(command, file("updates"), *LONG, "--time", "time") == (
        "a forecaster answers a question once; 77 answers changed in the course of time "
        f"(row 0, line 2 of {file('updates')} is the first of 234)\n\n"
        "Hint: --repeated last takes the last; with their windows, --repeated moments compares "
        "forecasters while both stand."
    )


def test_parts_that_share_no_question_are_compared_apart(tmp_path: Path) -> None:
    rows = [f"{s}{i},{who},0.{2 + i % 6},{i % 2}" for s in "qz" for i in range(12) for who in "ab"]
    path = tmp_path / "parts.csv"
    lines = (row.replace("z", "Z").replace(",a", ",c") if row[0] == "z" else row for row in rows)
    lines = (row.replace(",b", ",d") if row[0] == "Z" else row for row in lines)
    path.write_text("\n".join([LONG[1], *lines]) + "\n", encoding="utf-8")
    assert refused("leaderboard", path, *LONG).endswith("compare each part by itself: --only NAME.")
    assert printed("leaderboard", path, *LONG, "--only", "c", "--only", "d").startswith(
        "2 forecasters, 12 questions, 24 answers"
    )


# What is computed.


def test_a_board_is_that_of_the_library() -> None:
    options = ("--weight", "weight", "--cluster", "cluster", "--when", "day")
    answers = properly.Answers(frame("long"), weight="weight", clusters="cluster", when="day")
    board = properly.leaderboard(answers, rng=0)
    assert record("leaderboard", file("long"), *LONG, *options) == told(board)
    lines = printed("leaderboard", file("long"), *LONG, *options).splitlines()
    assert lines[: len(board) + 3] == str(board).splitlines()[: len(board) + 3]


def test_the_options_of_a_board_are_those_of_the_library() -> None:
    options: dict[str, Any] = {"reference": "B", "level": 0.9}
    options |= {"least": 80, "relative_skill": True, "baseline": "F", "peer": True, "bounds": True}
    options |= {"crowd": "median", "scaled_to": ("A", 0.25), "missing": "complete"}
    given: list[str] = []
    for name, value in options.items():
        words = {True: [], ("A", 0.25): ["A=0.25"]}.get(value, [str(value)])
        given += [f"--{name.replace('_', '-')}", *words]
    for some in (options, {k: x for k, x in options.items() if k != "missing"}):
        expected = properly.leaderboard(properly.Answers(frame("long")), rng=3, **some)
        words = given if "missing" in some else given[:-2]
        found = record("leaderboard", file("long"), *LONG, *words, "--seed", "3")
        assert found["standings"] == expected.to_dict()["standings"]
        assert found["crowd"] == expected.to_dict()["crowd"]


def test_a_board_as_csv_has_a_row_a_forecaster() -> None:
    text = printed(
        "leaderboard", file("long"), *LONG, "--crowd", "mean", "--peer", "--format", "csv"
    )
    rows = list(csv.DictReader(text.splitlines()))
    board = properly.leaderboard(properly.Answers(frame("long")), crowd="mean", peer=True, rng=0)
    assert [row["forecaster"] for row in rows] == [*(x.forecaster for x in board), "crowd (mean)"]
    assert [float(row["score"]) for row in rows[:-1]] == [x.score for x in board]
    assert rows[-1]["rank"] == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["board.html", "board.svg", "board.png", "board.pdf"])
def test_a_board_is_a_page_or_a_picture_by_the_ending_of_its_file(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    what = "page" if name.endswith("html") else "picture"
    given = ("leaderboard", file("long"), *LONG, "--output", path)
    assert printed(*given) == f"The {what} is in {path}.\n"
    first = path.read_bytes()
    starts = {"html": b"<!doctype html>", "svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    assert first.startswith(starts[name.partition(".")[2]])
    assert "exists already" in refused(*given)
    printed(*given, "--force")
    if what == "picture":
        assert path.read_bytes() == first
    said = f"--format csv is text; {path} is a {what}."
    assert refused(*given, "--force", "--format", "csv") == said


def test_classes_are_called_by_their_columns() -> None:
    answers = properly.Answers(
        frame("classes"), probability=["p_a", "p_b", "p_c"], labels=["a", "b", "c"]
    )
    expected = told(properly.leaderboard(answers, rng=0))
    assert record("leaderboard", file("classes"), *CLASSES) == expected
    named = ("--classes", "a,b,c")
    assert record("leaderboard", file("classes"), *CLASSES, *named) == expected
    ordered = told(properly.leaderboard(answers, rule=RPS(), rng=0))
    assert record("leaderboard", file("classes"), *CLASSES, "--ordered") == ordered
    # In another order of the columns, labels follow.
    turned = ("--long", "question,forecaster,p_c+p_a+p_b,outcome")
    other = record("leaderboard", file("classes"), *turned)
    scores = [[x["score"] for x in board["standings"]] for board in (other, expected)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-12)


def test_classes_whose_columns_say_nothing_need_labels(tmp_path: Path) -> None:
    path = tmp_path / "classes.csv"
    frame("classes").rename(columns={"p_a": "one", "p_b": "two", "p_c": "three"}).to_csv(path)
    given = ("--long", "question,forecaster,one+two+three,outcome")
    assert refused("leaderboard", path, *given) == (
        "Which class does each column stand for? The outcome 'outcome' has 'a', 'b', 'c'; give "
        "--classes with the labels in the order of the columns."
    )
    named = record("leaderboard", path, *given, "--classes", "a,b,c")
    assert named == record("leaderboard", file("classes"), *CLASSES)


@pytest.mark.parametrize(
    ("options", "reading"),
    [
        (("--repeated", "moments"), {"repeated": "moments"}),
        (("--repeated", "mean-loss"), {"repeated": "mean-loss"}),
        (("--repeated", "last", "--horizon", "10"), {"repeated": "last", "horizon": 10.0}),
    ],
)
def test_several_forecasts_of_a_question(options: tuple[str, ...], reading: dict[str, Any]) -> None:
    columns: dict[str, Any] = {name: name for name in ("time", "opens", "closes", "resolved")}
    answers = properly.Answers(frame("updates"), **columns, **reading)
    expected = told(properly.leaderboard(answers, rng=0))
    assert record("leaderboard", file("updates"), *LONG, *WINDOWS, *options) == expected


def dated(path: Path, form: str) -> Path:
    data = frame("updates")
    for name in ("time", "opens", "closes", "resolved"):
        hours = pd.to_timedelta((24 * 10 * data[name]).round() / 10, unit="h")
        data[name] = (pd.Timestamp("2024-01-01") + hours).dt.strftime(form)
    data.to_csv(path, index=False)
    return path


def test_times_may_be_dates_and_a_horizon_a_span(tmp_path: Path) -> None:
    iso = dated(tmp_path / "iso.csv", "%Y-%m-%d %H:%M:%S")
    other = dated(tmp_path / "other.csv", "%d.%m.%Y %H:%M:%S")
    last = ("--repeated", "last", "--horizon", "10d")
    columns: dict[str, Any] = {name: name for name in ("time", "opens", "closes")}
    answers = properly.Answers(frame("updates"), **columns, repeated="last", horizon=10)
    expected = properly.leaderboard(answers, rng=0).to_dict()["standings"]
    given = (*LONG, "--time", "time", "--opens", "opens", "--closes", "closes", *last)
    assert record("leaderboard", iso, *given)["standings"] == expected
    form = ("--date-format", "%d.%m.%Y %H:%M:%S")
    assert record("leaderboard", other, *given, *form)["standings"] == expected
    assert refused("leaderboard", iso, *given[:-1], "10") == (
        "beside dates, a horizon is a timedelta; got 10.0\n\nHint: write --horizon 10d."
    )
    assert refused("leaderboard", file("updates"), *given) == (
        "the horizon must be a number; got datetime.timedelta(days=10)"
    )


def test_questions_that_are_not_resolved_yet_need_no_time_of_it(tmp_path: Path) -> None:
    data = frame("updates").astype({"outcome": "Int64", "resolved": "Int64"})
    open_ones = data.question == "u03"
    data.loc[open_ones, ["outcome", "resolved"]] = pd.NA
    path = tmp_path / "open.csv"
    data.to_csv(path, index=False)
    rest = tmp_path / "rest.csv"
    data[~open_ones].to_csv(rest, index=False)
    given = (*LONG, *WINDOWS, "--repeated", "moments")
    boards = [record("leaderboard", x, *given) for x in (path, rest)]
    assert boards[0]["standings"] == boards[1]["standings"]


@pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")
@pytest.mark.parametrize("missing", ["two-way", "pairwise", "complete"])
def test_forecasters_are_compared_as_by_the_library(missing: Any) -> None:
    answers = properly.Answers(frame("long"))
    expected = properly.compare(answers, missing=missing, rng=0).to_dict()
    assert record("compare", file("long"), *LONG, "--missing", missing) == expected
    if missing == "two-way":
        assert record("compare", file("long"), *LONG) == expected


def test_some_forecasters_are_kept() -> None:
    kept = properly.Answers(frame("long")).keep(["A", "F"])
    only = ("--only", "F", "--only", "A")
    board = told(properly.leaderboard(kept, rng=0))
    assert record("leaderboard", file("long"), *LONG, *only) == board
    found = record("compare", file("long"), *LONG, *only)
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]] == [("A", "F")]


def test_percentages_are_divided(tmp_path: Path) -> None:
    data = frame("long")
    data["probability"] = (100 * data["probability"]).round()
    data.loc[0, "probability"] = None
    path, same = tmp_path / "percent.csv", tmp_path / "same.csv"
    data.to_csv(path, index=False)
    data.assign(probability=data["probability"] / 100).to_csv(same, index=False)
    result = run("leaderboard", path, *LONG, "--percent", "--format", "json")
    said = "Divided the forecasts by 100, as --percent says; the largest is 0.99.\n"
    assert (result.exit_code, result.stderr) == (0, said)
    assert json.loads(result.stdout) == record("leaderboard", same, *LONG)


def test_an_event_is_named_as_outcomes_are(tmp_path: Path) -> None:
    data = frame("long").replace({"outcome": {0: "no", 1: "yes"}})
    path = tmp_path / "words.csv"
    data.to_csv(path, index=False)
    assert refused("leaderboard", path, *LONG).startswith("Which label is the event? The outcome ")
    found = record("leaderboard", path, *LONG, "--event", "yes")
    assert found == record("leaderboard", file("long"), *LONG)
    assert run("check", path, *LONG, "--event", "yes").exit_code == 0
    assert "labels must be 0 and 1" in run("check", path, *LONG).stdout


# What is no way to ask.


def test_models_of_a_wide_table_with_gaps_are_compared(tmp_path: Path) -> None:
    wide = frame("long").pivot_table(index="question", columns="forecaster", values="probability")
    y = frame("long").groupby("question").outcome.first()
    path = tmp_path / "wide.csv"
    wide.assign(y=y).to_csv(path)
    models = [word for name in wide.columns for word in ("--forecast", name)]
    given = ("compare", path, "--outcome", "y", *models)
    assert "values must not be missing" in refused(*given)
    for missing in ("two-way", "pairwise", "complete"):
        expected = record("compare", file("long"), *LONG, "--missing", missing)
        assert record(*given, "--missing", missing)["pairs"] == expected["pairs"]


# Names are data.

WILD = ("</script>", "\x1b[31mred", "=1+1", "{0}", "a,b", "row 3", "--only")


@pytest.fixture
def wild(tmp_path: Path) -> Path:
    path = tmp_path / "wild.csv"
    with path.open("w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(LONG[1].split(","))
        for i in range(20):
            for k, name in enumerate(WILD):
                writer.writerow([f"\x1b]0;q{i}\x07", name, (0.1 + 0.11 * k + 0.01 * i) % 1, i % 2])
    return path


def test_names_are_text_on_a_page(wild: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("leaderboard", wild, *LONG, "--output", page)
    assert (result.exit_code, "\x1b" in result.stdout) == (0, False)
    text = page.read_text(encoding="utf-8")
    assert "\x1b" not in text
    assert "&lt;/script&gt;" in text
    # Every script that begins ends, and none is begun or ended by a name.
    assert text.count("<script") == text.count("</script>")
