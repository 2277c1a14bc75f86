"""``properly demo``: the bundled example as a page and as a file."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import every, run

import properly
from properly import datasets


@pytest.fixture(autouse=True)
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> datasets.Crash:
    """Work in an empty folder with a tenth of the people, and evaluate without draws."""
    crash = every(10, datasets.crash())
    monkeypatch.setattr(datasets, "crash", lambda: crash)
    monkeypatch.chdir(tmp_path)
    return crash


def test_the_data_are_those_of_the_example(few: datasets.Crash) -> None:
    result = run("demo", "--data", "crash.csv")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [path.name for path in Path().iterdir()] == ["crash.csv"]
    rows = list(csv.DictReader(Path("crash.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == len(few)
    assert list(rows[0]) == list(few.to_dict())
    for name, p in few.forecasts.items():
        assert [float(row[name]) for row in rows] == p.tolist()
    assert [row["died"] for row in rows] == [str(int(died)) for died in few.died]
    grades = [*few.severity_labels, ""]
    assert [row["severity"] for row in rows] == [grades[k] for k in few.severity]


def test_the_command_to_try_can_be_run() -> None:
    head, *lines = run("demo", "--data", "crash.csv").stdout.splitlines()
    assert head == "888 people are in crash.csv. Try:"
    command = " ".join(line.strip().removesuffix("\\") for line in lines)
    assert command.startswith("properly report crash.csv --outcome died")
    scored = run(*command.replace("properly report", "score").split())
    assert scored.exit_code == 0
    assert scored.stdout.startswith("888 cases, event rate")


def test_a_tournament_can_be_written_and_ranked() -> None:
    head, *lines = run("demo", "--answers", "tournament.csv").stdout.splitlines()
    assert [path.name for path in Path().iterdir()] == ["tournament.csv"]
    answers = datasets.tournament().answers
    assert head == f"{len(answers):,} answers are in tournament.csv. Try:"
    command = " ".join(line.strip().removesuffix("\\") for line in lines)
    ranked = run(*command.split()[1:], "--format", "json")
    found = [row["score"] for row in json.loads(ranked.stdout)["standings"]]
    assert found == [row.score for row in properly.leaderboard(answers, rng=0)]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Note what pages are made of, and make none; draw nothing."""
    found: list[Any] = []
    evaluate = properly.evaluate

    def quick(*values: Any, **options: Any) -> Any:
        return evaluate(*values, **options, rules=properly.rules.Brier(), replicates=0)

    def write(path: str, evaluation: Any, **words: Any) -> None:
        found.append((path, evaluation, words))

    monkeypatch.setattr(properly, "evaluate", quick)
    monkeypatch.setattr(properly.report, "write", write)
    return found


@pytest.mark.slow
def test_the_example_is_evaluated_and_the_page_written(written: list[Any]) -> None:
    result = run("demo")
    assert result.exit_code == 0
    (path, e, words) = written[0]
    assert path == "report.html"
    assert list(e.decompositions) == [
        *("logistic", "boosting", "balanced_boosting", "forest", "naive_bayes")
    ]
    assert (e.within.lower, e.within.upper, e.seed) == (0.01, 0.1, 0)
    assert "clusters" in e.design
    assert list(e.repairs) == list(e.decompositions)
    verdict = properly.verdict(e, cases="people", event="death")
    assert result.stdout == f"{verdict}\n\n{e.table()}\n\nThe page is in report.html.\n"
    assert words["command"] == "properly demo"
    assert words["overwrite"] is False


@pytest.mark.slow
def test_the_python_makes_the_same_page(written: list[Any]) -> None:
    run("demo", "--output", "it's.html", "--force")
    exec(compile(written[0][2]["python"], "page", "exec"), {})  # noqa: S102
    (path, e, given), (again, same, words) = written
    assert again == path == "it's.html"
    assert same.to_dict() == e.to_dict()
    assert words == {name: given[name] for name in ("title", "cases", "event")}


@pytest.mark.slow
def test_the_page_and_the_data_can_both_be_had(written: list[Any]) -> None:
    result = run("demo", "--output", "page.html", "--data", "crash.csv")
    assert "people are in crash.csv" in result.stdout
    assert result.stdout.endswith("The page is in page.html.\n")
    assert written[0][0] == "page.html"


def test_nothing_is_overwritten_without_force(written: list[Any]) -> None:
    for name in ("report.html", "crash.csv"):
        Path(name).write_text("mine", encoding="utf-8")
    for options in ((), ("--data", "crash.csv")):
        result = run("demo", *options)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "exists already and is not overwritten" in result.stderr
    assert written == []
    assert Path("crash.csv").read_text(encoding="utf-8") == "mine"
    assert run("demo", "--data", "crash.csv", "--force").exit_code == 0
    assert Path("crash.csv").read_text(encoding="utf-8").startswith("died,logistic,")
