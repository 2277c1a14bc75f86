"""``properly score``: formats, conditions and exit codes."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from tests.command_line import GRADES, run, write_forecasts

import properly

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

TWO = ("--outcome", "y", "--forecast", "good", "--forecast", "poor")
PARTS = {"score", "miscalibration", "discrimination", "uncertainty", "skill"}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_forecasts(tmp_path_factory.mktemp("score") / "forecasts.csv")


@pytest.fixture(scope="module")
def evaluation(file: Path) -> properly.Evaluation:
    data = properly.read(file)
    models = {name: data[name] for name in ("good", "poor")}
    return properly.evaluate(data["y"], models, task="binary", replicates=0, rng=0)


@pytest.fixture
def quick(evaluation: properly.Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the evaluation that is at hand, rather than evaluate again."""
    monkeypatch.setattr(properly, "evaluate", lambda *_, **__: evaluation)


def score(file: Path, *options: str | Path) -> Result:
    return run("score", file, *TWO, *options)


def test_a_table_is_that_of_the_evaluation(file: Path, evaluation: properly.Evaluation) -> None:
    result = score(file)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{evaluation.table()}\n"


@pytest.mark.skipif(duckdb.__version__ < "2", reason="duckdb 1 loads pandas for any value")
def test_one_model_is_scored_without_what_it_does_not_need(tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    file.write_text("y,p\n" + "0,0.25\n1,0.75\n" * 600, encoding="utf-8")
    others = """scipy narwhals matplotlib jinja2 rich pandas polars pyarrow
        properly.plots properly.report properly.integrations properly.datasets
        properly.comparison._compare properly.comparison._groups properly.comparison._periods
        properly.calibration._reliability_bands
        properly.calibration._calibration_summary properly.calibration._grouping_error
        properly.decisions._dominance properly.decisions._net_benefit properly.decisions._roc
        properly.decisions._retention properly.decisions._hard_decisions
        properly.evaluation._summed_scores properly.probability._mean_intervals"""
    code = (
        "import sys; from properly import cli; "
        f"cli.command()(['score', {str(file)!r}], standalone_mode=False); "
        f"print([m for m in {others.split()} if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603
    assert found.stdout.startswith("1,200 cases")
    assert found.stdout.splitlines()[-1] == "[]"


@pytest.mark.usefixtures("quick")
def test_a_table_in_latex_cites_its_rules_and_parts_in_comments(file: Path) -> None:
    *sources, package = re.findall("^% .*", score(file, "--format", "latex").stdout, re.MULTILINE)
    named = [re.sub(r": .+ (19|20)\d\d;.*", "", source) for source in sources]
    assert named == ["% brier", "% log", "% miscalibration, discrimination"]
    assert package == r"% \usepackage{booktabs}"


def test_json_is_that_of_the_evaluation(file: Path, evaluation: properly.Evaluation) -> None:
    found = json.loads(score(file, "--format", "json").stdout)
    assert found == evaluation.to_dict()
    assert found["data"]["cases"] == 80
    assert list(found["models"]) == ["good", "poor"]
    assert all(
        set(found["models"][m][r]) >= PARTS for m in found["models"] for r in ("brier", "log")
    )


@pytest.mark.usefixtures("quick")
def test_csv_has_the_columns_of_the_frame(file: Path, evaluation: properly.Evaluation) -> None:
    head, *rows = csv.reader(io.StringIO(score(file, "--format", "csv").stdout))
    frame = evaluation.to_frame("polars")
    assert head == frame.columns
    for row, expected in zip(rows, frame.rows(), strict=True):
        assert [_same(*pair) for pair in zip(row, expected, strict=True)] == [True] * len(head)


def _same(text: str, value: Any) -> bool:
    """Tell whether a cell says what the frame holds, to the last digit."""
    if isinstance(value, float) and math.isnan(value):
        return text == ""
    if isinstance(value, float):
        return float(text) == value
    return text == str(value)


def test_csv_with_intervals_has_the_ends_of_the_parts(file: Path) -> None:
    options = ("--rule", "brier", "--intervals", "--replicates", "9", "--seed", "3")
    (row, *_) = csv.DictReader(io.StringIO(score(file, *options, "--format", "csv").stdout))
    data = properly.read(file)
    tally = properly.tally(data["y"], data["good"])
    parts = properly.decompose(tally, properly.rules.Brier(), interval=True, replicates=9, rng=3)
    assert parts.intervals is not None
    low, high = parts.intervals.miscalibration
    assert (float(row["miscalibration_lower"]), float(row["miscalibration_upper"])) == (low, high)
    assert float(row["discrimination_lower"]) <= float(row["discrimination_upper"])


@pytest.mark.usefixtures("quick")
def test_markdown_lists_rules_models_and_baselines(
    file: Path, evaluation: properly.Evaluation
) -> None:
    lines = score(file, "--format", "markdown").stdout.splitlines()
    assert lines[0] == (
        "| rule | model | score | lower | upper | skill | miscalibration | discrimination "
        "| uncertainty |"
    )
    names = ["good", "poor", "(treat all)", "(treat none)", "(event rate)"]
    expected = [(rule, name) for rule in ("brier", "log") for name in names]
    assert [tuple(line.split(" | ")[:2]) for line in lines[2:]] == [
        (f"| {rule}", name) for rule, name in expected
    ]
    told = evaluation.decompositions["good"]["brier"].score
    assert lines[2].startswith(f"| brier | good | {told:.5f} | ")
    assert "| log | (treat none) | ∞ | - | - | -∞ | ∞ | " in "\n".join(lines)


def test_classes_are_scored_in_order(file: Path) -> None:
    options = ("--outcome", "grade", "--forecast", "p", "--classes", ",".join(GRADES), "--ordered")
    found = json.loads(run("score", file, *options, "--format", "json").stdout)
    data = properly.read(file)
    p = [[data[f"p_{grade}"][k] for grade in GRADES] for k in range(80)]
    expected = properly.evaluate(
        data["grade"], {"p": p}, task="ordinal", labels=GRADES, replicates=0, rng=0
    )
    assert found == expected.to_dict()
    table = run("score", file, *options, "--format", "csv").stdout
    assert [line.split(",")[2] for line in table.splitlines()[1:4]] == ["rps", "ranked_log", "log"]


def test_options_reach_the_evaluation_and_nothing_is_drawn_without_being_asked(file: Path) -> None:
    options = ["--rule", "brier", "--rule", "Elementary(0.2)", "--within", "0.1", "0.4"]
    options += ["--clusters", "accident", "--level", "0.8"]
    found = json.loads(score(file, *options, "--format", "json").stdout)
    assert list(found["models"]["good"]) == [
        "regret[0.1,0.4]",
        "brier",
        "elementary[0.2]",
    ]
    about = found["data"]
    assert (about["within"], about["design"], about["level"]) == ([0.1, 0.4], "40 clusters", 0.8)
    assert (about["replicates"], found["calibration_tests"]) == (0, {})
    assert "intervals" not in found["models"]["good"]["brier"]


@pytest.mark.usefixtures("quick")
def test_an_output_is_also_written_if_a_condition_holds(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "scores.json"
    result = score(file, "--format", "json", "--output", target, "--fail-if", "brier>0")
    assert result.exit_code == 3
    assert "models" in json.loads(target.read_text(encoding="utf-8"))
