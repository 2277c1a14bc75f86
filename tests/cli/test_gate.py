"""A gate for builds, from the command that a build runs to its exit code."""

from __future__ import annotations

import json
import pkgutil
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.command_line import CASES, GRADES, run, write_forecasts

import properly
from properly.cli import _engine, _score_command
from properly.cli._gate import numbers_of
from properly.rules import Brier

if TYPE_CHECKING:
    from click.testing import Result

GRADED = ("--outcome", "grade", "--forecast", "p", "--classes", ",".join(GRADES), "--ordered")
BRIER = ("--rule", "brier")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_forecasts(tmp_path / "forecasts.csv")


def gate(file: Path, *conditions: str, models: tuple[str, ...] = ("good", "poor")) -> Result:
    named = [word for model in models for word in ("--forecast", model)]
    given = [word for condition in conditions for word in ("--fail-if", condition)]
    return run("score", file, "--outcome", "y", *named, *given)


def store(file: Path, model: str, *options: str) -> Path:
    """Store the result of a model."""
    path = file.with_name(f"{model}.json")
    about = ("--outcome", "y", "--forecast", model, "--format", "json", "--output", path)
    result = run("score", file, *about, *options)
    assert result.exit_code == 0, result.stderr
    return path


@pytest.mark.parametrize(
    "condition", ["accuracy<0.6", "kappa<0.3", "quadratic_kappa<0.3", "macro_f1<0.6", "rps>0.1"]
)
def test_decisions_among_classes_have_numbers_too(condition: str, file: Path) -> None:
    result = run("score", file, *GRADED, "--fail-if", condition)
    assert result.exit_code == 3, result.stderr


def test_accuracy_is_the_share_of_correct_decisions(tmp_path: Path) -> None:
    file = tmp_path / "forecasts.csv"
    # Right, wrong, right, and a forecast of one half, which counts half: 2.5 of 4.
    file.write_text("y,p\n" + "1,0.9\n0,0.6\n0,0.2\n1,0.5\n" * 10, encoding="utf-8")
    result = gate(file, "accuracy<0.9", models=("p",))
    assert (result.exit_code, result.stderr) == (
        3,
        "accuracy<0.9 holds: share of correct decisions (threshold 0.5) of p is 0.625\n",
    )
    assert gate(file, "accuracy<0.6", models=("p",)).exit_code == 0
    about = ("--outcome", "y", "--forecast", "p", "--format", "json")
    means = json.loads(run("score", file, *about).stdout)["means"]["p"]
    assert means["correct"] == 0.625
    assert means["mean_probability"] == pytest.approx((0.9 * 0.4 * 0.8 * 0.5) ** 0.25)
    assert "accuracy" not in means
    result = gate(file, "means.accuracy<0.9", models=("p",))
    assert result.exit_code == 2
    assert "Hint: did you mean 'means.correct'?" in result.stderr


def test_every_number_of_the_json_has_a_name(file: Path) -> None:
    about = ("--outcome", "y", "--forecast", "good", "--intervals", "--format", "json")
    names = list(numbers_of(json.loads(run("score", file, *about).stdout))["good"])
    assert len(names) > 60
    given = [word for name in names for word in ("--fail-if", f"good:{name}>1e300")]
    result = run("score", file, *about, *given, "--allow-missing")
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize(
    "condition", ["breir>0.2", "x:brier>1", "worse-than x", "worse-than baseline"]
)
def test_a_name_is_refused_before_any_work(
    condition: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_score_command, "evaluated", None)
    result = gate(file, condition)
    assert (result.exit_code, result.stdout) == (2, "")


# What takes long, and the conditions that ask for it.
WORK = {
    "line": "properly.calibration._calibration_summary.find_line",
    "distances": "properly.calibration._calibration_summary.find_distances",
    "test": "properly.calibration._calibration_test.combined_test",
    "parts": "properly.evaluation._pipeline.find_intervals",
    "band": "properly.calibration._reliability_bands.find_band",
    "means": "properly.evaluation._pipeline.means",
    "pairs": "properly.comparison._pair_tests.compare_models",
    "thresholds": "properly.decisions.dominance",
    "worst": "properly.evaluation._source.worst_forecasts",
}


@pytest.mark.parametrize(
    ("condition", "work"),
    [
        ("brier.upper > 0", set()),
        ("log.skill.lower > -9", set()),
        ("auc < 0.99", set()),
        ("not-better-than no-model", set()),
        ("means.correct < 0.99", {"means"}),
        ("calibration.slope < 9", {"line"}),
        ("calibration.observed_expected.lower < 9", {"line"}),
        ("calibration.ici > 0", {"line", "distances"}),
        ("calibration.ici.upper_if_calibrated > 0", {"line", "distances"}),
        ("calibration.p-value < 2", {"test"}),
        ("brier.miscalibration.upper > 0", {"parts"}),
        ("worse-than good", {"pairs"}),
    ],
)
def test_a_gate_computes_what_its_conditions_are_about_and_nothing_else(
    condition: str, work: set[str], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = ("--outcome", "y", "--forecast", "good", "--forecast", "poor", "--fail-if", condition)
    # What is printed as JSON has everything.
    expected = run("score", file, *about, "--format", "json")
    done: set[str] = set()

    def watched(name: str, call: Any) -> Any:
        def counted(*args: Any, **options: Any) -> Any:
            done.add(name)
            return call(*args, **options)

        return counted

    def forget(*args: Any, **options: Any) -> Any:
        done.clear()
        return evaluated(*args, **options)

    for name, path in WORK.items():
        monkeypatch.setattr(path, watched(name, pkgutil.resolve_name(path)))
    # Names are looked up in an evaluation of its own.
    evaluated: Any = vars(_score_command)["evaluated"]
    monkeypatch.setattr(_score_command, "evaluated", forget)
    result = run("score", file, *about)
    assert done == work
    assert (result.exit_code, result.stderr) == (expected.exit_code, expected.stderr)


@pytest.mark.parametrize(
    ("condition", "models", "held"),
    [
        ("worse-than good", ("good", "poor"), ["poor"]),
        ("worse-than poor", ("good", "poor"), []),
        ("not-better-than poor", ("good", "poor"), []),
        ("not-better-than good", ("good", "poor"), ["poor"]),
        ("poor worse-than good by log", ("good", "poor"), ["poor"]),
        ("good worse-than poor", ("good", "poor"), []),
        ("not-better-than no-model", ("good", "poor"), ["poor"]),
        ("not-better-than event rate", ("good",), []),
        ("worse-than no-model", ("good", "poor"), []),
        # A column that no option names.
        ("worse-than good", ("poor",), ["poor"]),
        ("not-better-than good", ("poor",), ["poor"]),
        ("worse-than poor", ("good",), []),
    ],
)
def test_a_comparison_holds_beyond_chance(
    condition: str, models: tuple[str, ...], held: list[str], file: Path
) -> None:
    result = gate(file, condition, models=models)
    assert result.exit_code == (3 if held else 0), result.stderr
    assert re.findall(r" holds: .*? of (\w+) ", result.stderr) == held


def test_a_column_to_compare_with_is_said_and_left_out_of_other_conditions(file: Path) -> None:
    result = gate(file, "not-better-than poor", "brier>0.15", models=("good",))
    assert result.stderr == "Took 'poor' to compare with, since a condition names it.\n"
    assert result.exit_code == 0
    assert gate(file, "poor:brier>0.15", "worse-than poor", models=("good",)).exit_code == 3


def test_the_difference_is_that_of_compare(file: Path) -> None:
    data = properly.read(file)
    models = {name: data[name] for name in ("poor", "good")}
    pair = properly.compare(data["y"], models, rule=Brier(), rng=0)["poor", "good"]
    low, high = pair.interval
    assert gate(file, "worse-than good").stderr == (
        f"worse-than good holds: brier of poor minus that of good is {pair.difference:.4g} "
        f"(95 % interval {low:.4g} to {high:.4g})\n"
    )


def test_rows_that_stay_in_the_file_have_a_gate(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_engine, "MOST_ROWS", 10)
    assert gate(file, "good:brier.upper>0.18", "worse-than good", models=("poor",)).exit_code == 3
    assert gate(file, "not-better-than poor", models=("good",)).exit_code == 0
    about = ("--outcome", "y", "--forecast", "good", "--format", "json", "--keep-forecasts")
    result = run("score", file, *about)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: --keep-forecasts needs the rows in memory")


# Stored results


def against(file: Path, model: str, baseline: Path, *options: str) -> Result:
    about = ("--outcome", "y", "--forecast", model, "--baseline", baseline)
    return run("score", file, *about, *options)


def test_the_same_cases_are_compared_case_by_case(file: Path) -> None:
    stored = store(file, "good", "--keep-forecasts")
    data = properly.read(file)
    both = {"poor": data["poor"], "stored": data["good"]}
    expected = properly.compare(data["y"], both, rule=Brier(), rng=0)["poor", "stored"]
    result = against(file, "poor", stored, *BRIER, "--format", "json")
    (pair,) = json.loads(result.stdout)["against"]["pairs"]
    assert pair["difference"] == expected.difference
    assert tuple(pair["interval"]) == expected.interval
    assert pair["verdict"] == "worse"
    table = against(file, "poor", stored)
    assert "the same cases, compared case by case" in " ".join(table.stdout.split())
    assert table.exit_code == 0
    held = against(file, "poor", stored, "--fail-if", "worse-than baseline")
    assert held.exit_code == 3
    assert (
        "worse-than baseline holds: brier of poor minus that of the baseline is 0." in held.stderr
    )
    assert against(file, "good", stored, "--fail-if", "worse-than baseline").exit_code == 0
    assert against(file, "good", stored, "--fail-if", "not-better-than baseline").exit_code == 3


def test_without_forecasts_the_intervals_are_combined(file: Path) -> None:
    stored = store(file, "good")
    result = against(file, "poor", stored, *BRIER, "--format", "json")
    record = json.loads(result.stdout)
    (pair,) = record["against"]["pairs"]
    now = record["models"]["poor"]["brier"]
    then = json.loads(stored.read_text(encoding="utf-8"))["models"]["good"]["brier"]
    half = np.hypot(*((x["interval"][1] - x["interval"][0]) / 2 for x in (now, then)))
    difference = now["score"] - then["score"]
    assert pair["difference"] == pytest.approx(difference)
    assert pair["interval"] == pytest.approx([difference - half, difference + half])
    # Case by case they can be told apart, as the test above says.
    assert pair["verdict"] == "cannot be told"
    assert "no forecasts of these cases" in record["against"]["how"]
    assert against(file, "poor", stored, "--fail-if", "worse-than baseline").exit_code == 0


def test_other_cases_are_independent_samples(file: Path, tmp_path: Path) -> None:
    stored = store(file, "good", "--keep-forecasts")
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    fewer = tmp_path / "fewer.csv"
    fewer.write_text("".join(lines[:-1]), encoding="utf-8")
    result = against(fewer, "poor", stored)
    said = result.stdout.replace("\n  ", " ")
    assert f"compared as independent samples, of {CASES} cases then and {CASES - 1} now" in said
    # As many cases and events in another order are not known to be the same.
    turned = tmp_path / "turned.csv"
    turned.write_text("".join([lines[0], *lines[:0:-1]]), encoding="utf-8")
    result = against(turned, "poor", stored)
    assert "it has no forecasts of these cases" in result.stdout.replace("\n  ", " ")


def test_a_score_that_became_infinite_is_worse(tmp_path: Path) -> None:
    file = tmp_path / "certain.csv"
    rows = "".join(f"{k % 2},{0.3 + 0.4 * (k % 2)},{float(k % 2)}\n" for k in range(60))
    file.write_text(f"y,fair,certain\n{rows}1,0.5,0.0\n", encoding="utf-8")
    log = ("--rule", "log")
    for kept in ((), ("--keep-forecasts",)):
        stored = store(file, "fair", *log, *kept, "--force")
        result = against(file, "certain", stored, *log, "--fail-if", "worse-than baseline")
        assert result.exit_code == 3
        assert "log of certain minus that of the baseline is inf (no interval)" in result.stderr


def test_a_page_is_a_stored_result(file: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    about = ("--outcome", "y", "--forecast", "good", "--replicates", "0", "--output", page)
    assert run("report", file, *about).exit_code == 0
    found = against(file, "poor", page, *BRIER, "--format", "json")
    expected = against(file, "poor", store(file, "good"), *BRIER, "--format", "json")
    ours, theirs = (json.loads(x.stdout)["against"]["pairs"] for x in (found, expected))
    assert ours == theirs


def test_models_are_matched_by_name_and_tables_without_room_stay_as_they_are(file: Path) -> None:
    two = ("--outcome", "y", "--forecast", "good", "--forecast", "poor")
    stored = file.with_name("two.json")
    assert run("score", file, *two, "--format", "json", "--output", stored).exit_code == 0
    result = run("score", file, *two, *BRIER, "--baseline", stored, "--format", "csv")
    assert result.stdout == run("score", file, *two, *BRIER, "--format", "csv").stdout
    assert "poor   brier" in result.stderr
    record = json.loads(run("score", file, *two, "--baseline", stored, "--format", "json").stdout)
    assert {x["model"]: x["stored"] for x in record["against"]["pairs"]} == {
        "good": "good",
        "poor": "poor",
    }


def test_a_stored_result_that_was_changed_is_refused_or_compared_apart(file: Path) -> None:
    stored = store(file, "good", "--keep-forecasts")
    record = json.loads(stored.read_text(encoding="utf-8"))
    some: list[Any] = [{"forecasts": {}, "outcomes": None}, {"forecasts": {"x": [1]}}, None]
    for kept in some:
        stored.write_text(json.dumps(record | {"stored": kept}), encoding="utf-8")
        assert "independent samples" in against(file, "poor", stored).stdout
    for other in ("[]", "3", '{"data": {}, "models": {}}', '{"data": 1, "models": {"a": {}}}'):
        stored.write_text(other, encoding="utf-8")
        assert "must be a stored result" in against(file, "poor", stored).stderr


def test_every_exit_code_is_on_the_page_for_builds() -> None:
    page = (Path(__file__).parents[2] / "docs" / "builds.md").read_text(encoding="utf-8")
    for code in (0, 1, 2, _score_command.FAILS, properly.cli.INTERRUPTED):
        assert f"| {code} |" in page


@pytest.mark.slow
def test_the_page_for_builds_shows_what_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("demo", "--data", "crash.csv").exit_code == 0
    page = (Path(__file__).parents[2] / "docs" / "builds.md").read_text(encoding="utf-8")
    shown = "".join(re.findall(r"```console\n(.*?)```", page, re.DOTALL)).replace("\\\n", " ")
    calls = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", shown, re.MULTILINE)
    assert len(calls) == 6
    code = 0
    for call, words in calls:
        if call == "echo $?":
            assert int(words) == code
            continue
        result = run(*shlex.split(call)[1:])
        code = result.exit_code
        parts = [re.escape(part) for part in words.split("…\n")]
        assert re.fullmatch(r"(.*\n)*".join(parts), result.output), result.output


def test_the_same_forecasts_are_neither_worse_nor_better(file: Path) -> None:
    stored = store(file, "good", "--keep-forecasts")
    assert against(file, "good", stored, "--fail-if", "worse-than baseline").stderr == ""
    result = against(file, "good", stored, "--fail-if", "not-better-than baseline")
    assert result.exit_code == 3
    assert "brier of good minus that of the baseline is 0 (no interval)" in result.stderr


def test_a_column_that_is_called_baseline_is_one_unless_a_result_is_given(tmp_path: Path) -> None:
    file = tmp_path / "named.csv"
    rows = "".join(f"{k % 2},{0.4 + 0.2 * (k % 2)},{0.2 + 0.5 * (k % 2)}\n" for k in range(60))
    file.write_text(f"y,new,baseline\n{rows}1,0.3,0.4\n", encoding="utf-8")
    stored = store(file, "new")
    held = gate(file, "worse-than baseline", models=("new",))
    assert held.exit_code == 3
    assert "Took 'baseline' to compare with" in held.stderr
    result = against(file, "new", stored, "--fail-if", "worse-than baseline")
    assert (result.exit_code, result.stderr) == (0, "")


# What recalibration would save


def write_extreme(path: Path, cases: int = 300) -> Path:
    """Write forecasts of which one model is too extreme, and one as it should be."""
    rng = np.random.default_rng(5)
    odds = rng.normal(-0.3, 1.5, cases)
    y = (rng.random(cases) < 1 / (1 + np.exp(-odds))).astype(int)
    rows = zip(y, 1 / (1 + np.exp(-3 * odds)), 1 / (1 + np.exp(-odds)), strict=True)
    text = "".join(f"{a},{b:.6f},{c:.6f}\n" for a, b, c in rows)
    path.write_text(f"y,extreme,fine\n{text}", encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("gain.lower > 0", 3),
        ("fine:gain.lower > 0", 0),
        ("extreme:gain > 0.01", 3),
        ("extreme:gain > 0.5", 0),
        ("gain.in-sample > 0.01", 3),
        ("gain.mean_change > 0.9", 0),
    ],
)
def test_a_model_that_is_worth_recalibrating_fails(
    condition: str, code: int, tmp_path: Path
) -> None:
    file = write_extreme(tmp_path / "forecasts.csv")
    result = gate(file, condition, models=("extreme", "fine"))
    assert result.exit_code == code, result.stderr
    assert f"{condition} holds: gain" in result.stderr or code == 0
    assert "Recalibrating extreme with" in result.stdout


@pytest.mark.slow
def test_the_gain_is_that_of_a_call_by_the_first_rule(tmp_path: Path) -> None:
    file = write_extreme(tmp_path / "forecasts.csv")
    data = properly.read(file)
    about = ("--outcome", "y", "--forecast", "extreme", "--rule", "log", "--seed", "4")
    given = ("--fail-if", "gain>9", "--format", "json")
    record = json.loads(run("score", file, *about, *given).stdout)
    found = properly.recalibrate(
        data["y"], data["extreme"], rule=properly.rules.Log(), rng=4, name="extreme"
    )
    repair = record["repairs"]["extreme"]
    gain = repair["gain"]
    assert (gain["rule"], gain["estimate"]) == ("log", found.gain.estimate)
    assert (gain["interval"], repair["sentence"]) == ([*found.gain.interval], found.sentence)
    assert list(record["models"]) == ["extreme"]
    numbers = numbers_of(record)["extreme"]
    assert numbers["gain"] == found.gain.estimate
    assert [numbers[f"gain.{end}"] for end in ("lower", "upper")] == [*found.gain.interval]
    assert "gain.folds" not in numbers


def test_nothing_is_recalibrated_that_no_one_asks_for(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("properly.recalibration._choice.recalibrate", None)
    result = gate(file, "brier > 1")
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("ordered", [(), ("--ordered",)])
def test_models_of_classes_have_gains_too(ordered: tuple[str, ...], file: Path) -> None:
    given = (*GRADED[:-1], *ordered, "--normalize", "--fail-if", "gain>9", "--format", "json")
    repair = json.loads(run("score", file, *given).stdout)["repairs"]["p"]
    assert repair["gain"]["rule"] == ("rps" if ordered else "brier")
    assert repair["recommended"] is False


def test_a_sharp_difference_is_seen_between_independent_samples(tmp_path: Path) -> None:
    file = tmp_path / "sharp.csv"
    rows = "".join(f"{k % 2},{0.1 + 0.8 * (k % 2)},{0.9 - 0.8 * (k % 2)}\n" for k in range(80))
    extra = "".join(f"{k % 2},{0.2 + k / 40},{0.2 + k / 40}\n" for k in range(20))
    file.write_text(f"y,good,bad\n{rows}{extra}", encoding="utf-8")
    good, bad = store(file, "good"), store(file, "bad")
    assert against(file, "bad", good, "--fail-if", "worse-than baseline").exit_code == 3
    assert against(file, "good", bad, "--fail-if", "not-better-than baseline").exit_code == 0


def test_clusters_widen_a_comparison_with_a_stored_result(file: Path) -> None:
    stored, data = store(file, "good", "--keep-forecasts"), properly.read(file)
    result = against(file, "poor", stored, *BRIER, "--clusters", "accident", "--format", "json")
    (pair,) = json.loads(result.stdout)["against"]["pairs"]
    both, clusters = {"a": data["poor"], "b": data["good"]}, data["accident"]
    found = properly.compare(data["y"], both, rule=Brier(), clusters=clusters, rng=0)["a", "b"]
    assert tuple(pair["interval"]) == found.interval


def test_grades_are_compared_with_stored_ones(file: Path, tmp_path: Path) -> None:
    stored = tmp_path / "grades.json"
    about = (*GRADED, "--format", "json", "--output", stored, "--keep-forecasts")
    assert run("score", file, *about).exit_code == 0
    result = run("score", file, *GRADED, "--baseline", stored, "--fail-if", "worse-than baseline")
    assert result.exit_code == 0, result.stderr
    assert "the same cases, compared case by case" in " ".join(result.stdout.split())
