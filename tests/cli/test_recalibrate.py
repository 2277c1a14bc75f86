"""``properly recalibrate``: from a file of forecasts to a map, and from the map to better ones."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest
from tests.command_line import GRADES, run, write_forecasts

import properly
from properly.cli._option_table import CLASS_MAPS, EVENT_MAPS
from properly.recalibration import Identity, Isotonic, Logistic, VennAbers, load

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

CASES = 400
EVENT = ("--outcome", "y", "--forecast", "p")


def write_model(path: Path, *, slope: float = 0.4, name: str = "p") -> Path:
    """Write forecasts whose log odds are so many times too small, or too large."""
    rng = np.random.default_rng(12)
    odds = rng.normal(-0.5, 2.0, CASES)
    y = (rng.random(CASES) < 1 / (1 + np.exp(-slope * odds))).astype(int)
    p = (1 / (1 + np.exp(-odds))).round(4)
    out = io.StringIO(newline="")
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["y", name, "ward", "day"])
    rows.writerows(zip(y, p, np.arange(CASES) // 4, np.arange(CASES) // 10, strict=True))
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of forecasts that are too extreme."""
    return write_model(tmp_path_factory.mktemp("recalibrate") / "forecasts.csv")


@pytest.fixture(scope="module")
def stored(file: Path) -> Path:
    """Return a map that was fitted to them."""
    path = file.with_name("map.json")
    result = run("recalibrate", "fit", file, *EVENT, "--map", "logistic", "--output", path)
    assert result.exit_code == 0, result.stderr
    return path


def fit(file: Path, *options: str | Path) -> Result:
    return run("recalibrate", "fit", file, *EVENT, *options)


def apply(file: Path, stored: Path, *options: str | Path) -> Result:
    return run("recalibrate", "apply", file, "--map", stored, "--forecast", "p", *options)


# fit


def test_a_map_is_fitted_judged_and_written(file: Path, tmp_path: Path) -> None:
    result = fit(file, "--output", tmp_path / "map.json", "--clusters", "ward")
    assert (result.exit_code, result.stderr) == (0, "")
    data = properly.read(file)
    expected = properly.recalibrate(data["y"], data["p"], clusters=data["ward"], name="p")
    assert expected.recommended
    assert result.stdout.startswith(f"{expected}\n\n")
    assert result.stdout.endswith(f"The map is in {tmp_path / 'map.json'}.\n")
    assert "judged by 10 folds of whole clusters. Gains are of the log score." in result.stdout
    written = load(tmp_path / "map.json")
    assert written.to_dict() == expected.map.to_dict()
    assert written.gain is not None
    assert written.gain["nested"] is True


def test_times_are_judged_by_blocks(file: Path) -> None:
    result = fit(file, "--time", "day", "--map", "beta")
    assert "judged by 5 blocks of time" in result.stdout
    assert result.stdout.endswith("No file was written; --output FILE stores the map.\n")


def test_without_a_recommendation_forecasts_stay_as_they_are(tmp_path: Path) -> None:
    file = write_model(tmp_path / "good.csv", slope=1.0)
    path = tmp_path / "map.json"
    result = fit(file, "--output", path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "No recalibration of p was found to help" in result.stdout
    assert result.stdout.endswith(
        f"The map is in {path}: it leaves forecasts as they are, since no map is recommended. "
        "--always writes the best one, --map another.\n"
    )
    assert isinstance(load(path), Identity)
    assert "forecasts stay as they are" in run("recalibrate", "show", path).stdout


@pytest.mark.parametrize("options", [("--always",), ("--map", "isotonic")])
def test_a_map_may_be_asked_for_although_none_is_recommended(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    file = write_model(tmp_path / "good.csv", slope=1.0)
    result = fit(file, "--output", tmp_path / "map.json", *options)
    assert result.exit_code == 0
    assert result.stdout.endswith(", although it is not recommended.\n")
    written = load(tmp_path / "map.json")
    assert not isinstance(written, Identity)
    assert written.gain is not None
    assert written.gain["low"] < 0


@pytest.mark.parametrize("spelling", ["venn-abers", "venn_abers"])
def test_a_name_may_have_hyphens_or_underscores(file: Path, tmp_path: Path, spelling: str) -> None:
    assert fit(file, "--map", spelling, "--output", tmp_path / "map.json").exit_code == 0
    assert isinstance(load(tmp_path / "map.json"), VennAbers)


def test_the_rule_and_the_range_are_what_is_judged_by(file: Path) -> None:
    data = properly.read(file)

    def rule_of(*options: str) -> Any:
        record = json.loads(fit(file, "--map", "logistic", "--format", "json", *options).stdout)
        return record["gain"]["rule"], record["gain"]["estimate"]

    gain = properly.recalibration.recalibration_gain
    found = gain(data["y"], data["p"], Logistic(), within=(0.1, 0.3))
    assert rule_of("--within", "0.1", "0.3") == (found.rule, pytest.approx(found.estimate))
    rule = properly.rules.Bounded(properly.rules.Brier(), (0.1, 0.3))
    found = gain(data["y"], data["p"], Logistic(), rule=rule)
    limited = ("--rule", "brier", "--within", "0.1", "0.3")
    assert rule_of(*limited) == (found.rule, pytest.approx(found.estimate))


def test_weights_folds_level_and_seed_reach_the_work(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}
    recalibrate = properly.recalibrate

    def note(*values: Any, **options: Any) -> Any:
        asked.update(options)
        return recalibrate(*values, **options)

    monkeypatch.setattr(properly, "recalibrate", note)
    given = ("--folds", "4", "--level", "0.9", "--seed", "7", "--weight", "day", "--map", "beta")
    file = file.with_name("weights.csv")
    write_model(file)
    assert fit(file, *given).exit_code == 0
    assert (asked["folds"], asked["level"], asked["rng"]) == (4, 0.9, 7)
    assert asked["weight"].tolist() == (np.arange(CASES) // 10).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["csv", "markdown", "latex"])
def test_tables_of_maps_have_other_formats(file: Path, layout: str) -> None:
    result = fit(file, "--format", layout)
    data = properly.read(file)
    expected = properly.recalibrate(data["y"], data["p"])
    assert result.stderr == "No file was written; --output FILE stores the map.\n"
    if layout != "csv":
        assert f"{expected.gains['beta'].estimate:.5f}" in result.stdout
        return
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["map"] for row in rows] == list(expected.gains)
    assert [float(row["gain"]) for row in rows] == [x.estimate for x in expected.gains.values()]


def test_json_has_the_map_that_is_written(file: Path, tmp_path: Path) -> None:
    result = fit(file, "--format", "json", "--output", tmp_path / "map.json")
    record = json.loads(result.stdout)
    assert record["map"] == load(tmp_path / "map.json").to_dict()
    assert (record["recommended"], "maps" in record) == (True, False)
    assert result.stderr == f"The map is in {tmp_path / 'map.json'}.\n"


def test_why_a_map_could_not_be_fitted_is_said(tmp_path: Path) -> None:
    file = tmp_path / "two.csv"
    file.write_text("y,p\n" + "0,0.2\n0,0.2\n1,0.2\n0,0.6\n1,0.6\n" * 30, encoding="utf-8")
    assert "No beta map: " in fit(file).stdout


# fit, then apply: the same as SQL


def selected(expression: str, file: Path) -> Any:
    """Let duckdb work an expression out."""
    query = f"SELECT {expression} AS q FROM read_csv('{file}', delim=',')"  # noqa: S608
    return duckdb.execute(query).fetchnumpy()["q"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", EVENT_MAPS)
def test_a_file_a_call_and_a_database_agree(kind: str, file: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "map.json", tmp_path / "new.csv"
    assert fit(file, "--map", kind, "--output", path).exit_code == 0
    assert apply(file, path, "--output", out).exit_code == 0
    sql = apply(file, path, "--sql", "duckdb")
    assert (sql.exit_code, sql.stderr) == (0, "")
    rows = properly.read(out)
    expected = load(path).at(rows["p"])
    assert rows["p_recalibrated"].tolist() == expected.tolist()
    np.testing.assert_allclose(selected(sql.stdout, file), expected, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ['say "p"', "a,b", "p'; DROP TABLE x; --", "Ω {x}", "p\tq"])
def test_names_of_columns_are_data(name: str, tmp_path: Path) -> None:
    file, path, out = (tmp_path / x for x in ("in.csv", "map.json", "out.csv"))
    write_model(file, name=name)
    given = ("--outcome", "y", "--forecast", name)
    assert run("recalibrate", "fit", file, *given, "--output", path).exit_code == 0
    options = ("--map", path, "--forecast", name)
    result = run("recalibrate", "apply", file, *options, "--output", out, "--as", f"{name} new")
    assert (result.exit_code, result.stderr.count("\n")) == (0, 1)
    assert all(letter.isprintable() or letter == "\n" for letter in result.stdout)
    rows = properly.read(out)
    assert list(rows) == ["y", name, "ward", "day", f"{name} new"]
    sql = run("recalibrate", "apply", *options, "--sql", "duckdb").stdout
    np.testing.assert_allclose(selected(sql, file), rows[f"{name} new"], rtol=1e-12)


# Classes


def write_classes(path: Path) -> Path:
    """Write forecasts of three grades that are too sure."""
    rng = np.random.default_rng(3)
    p = rng.dirichlet([2, 2, 1], CASES)
    grade = [GRADES[rng.choice(3, p=row)] for row in p]
    sure = p**2 / (p**2).sum(axis=1, keepdims=True)
    rows = [f"{a},{','.join(map(repr, row))}" for a, row in zip(grade, sure.tolist(), strict=True)]
    path.write_text("\n".join(["grade,p_low,p_mid,p_high", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLASS_MAPS)
def test_maps_for_classes_read_and_write_a_column_a_class(kind: str, tmp_path: Path) -> None:
    file, path, out = (tmp_path / x for x in ("in.csv", "map.json", "out.csv"))
    write_classes(file)
    graded = ("--outcome", "grade", "--forecast", "p", "--classes", ",".join(GRADES))
    result = run("recalibrate", "fit", file, *graded, "--map", kind, "--output", path)
    assert result.exit_code == 0, result.stderr
    result = apply(file, path, "--output", out)
    assert (result.exit_code, FLATTERS in result.stderr) == (0, True)
    rows = properly.read(out)
    assert list(rows)[4:] == [f"p_recalibrated_{grade}" for grade in GRADES]
    p, q = (
        np.column_stack([rows[f"{name}_{grade}"] for grade in GRADES])
        for name in ("p", "p_recalibrated")
    )
    np.testing.assert_allclose(q, load(path).at(p), rtol=1e-15)
    again = ("--forecast", "p_recalibrated", "--classes", ",".join(GRADES), "--outcome", "grade")
    assert run("score", out, *again).exit_code == 0
    shown = " ".join(run("recalibrate", "show", path).stdout.split())
    assert "for the classes low, mid, high. " in shown
    assert "Fitted to 400 cases: " in shown


@pytest.mark.slow
def test_classes_that_need_no_map_have_one_that_changes_nothing(tmp_path: Path) -> None:
    file = write_forecasts(tmp_path / "in.csv")
    path, out = tmp_path / "map.json", tmp_path / "out.csv"
    graded = ("--outcome", "grade", "--forecast", "p", "--classes", ",".join(GRADES), "--normalize")
    result = run("recalibrate", "fit", file, *graded, "--output", path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "it leaves forecasts as they are, since no map is recommended" in result.stdout
    shown = run("recalibrate", "show", path).stdout
    assert shown.startswith("No map, for the classes low, mid, high: forecasts stay as they are.")
    assert apply(file, path, "--output", out, "--normalize").exit_code == 0
    rows = properly.read(out)
    p, q = (
        np.column_stack([rows[f"{name}_{grade}"] for grade in GRADES])
        for name in ("p", "p_recalibrated")
    )
    np.testing.assert_allclose(q, p / p.sum(axis=1, keepdims=True), rtol=1e-14)


def test_rows_of_classes_may_be_divided_by_their_sums(tmp_path: Path) -> None:
    file, path, out = (tmp_path / x for x in ("in.csv", "map.json", "out.csv"))
    file.write_text("low,mid,high\n1,1,2\n", encoding="utf-8")
    half, none = (0.5,) * len(GRADES), (0.0,) * len(GRADES)
    properly.recalibration.Vector(scale=half, shift=none, labels=GRADES).save(path)
    given = ("--map", path, "--forecast", "{}", "--as", "q({})", "--output", out)
    refused = run("recalibrate", "apply", file, *given)
    assert refused.exit_code == 1
    assert f"row 0 (line 2 of {file})" in refused.stderr
    assert run("recalibrate", "apply", file, *given, "--normalize").exit_code == 0
    rows = properly.read(out)
    q = [rows[f"q({grade})"][0] for grade in GRADES]
    np.testing.assert_allclose(q, load(path).at(np.array([[0.25, 0.25, 0.5]]))[0], rtol=1e-15)


# Groups


def write_groups(path: Path, names: tuple[str, ...] = ("007", "8", "x,y")) -> Path:
    """Write forecasts that are too low in one group, and too high in another."""
    rng = np.random.default_rng(6)
    odds, group = rng.normal(-0.5, 1.0, CASES), np.arange(CASES) % 3
    truth = odds + np.array([-1.5, 0.0, 1.5])[group]
    y = (rng.random(CASES) < 1 / (1 + np.exp(-truth))).astype(int)
    out = io.StringIO(newline="")
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["y", "p", "site"])
    p = (1 / (1 + np.exp(-odds))).tolist()
    rows.writerows(zip(y, p, [names[k] for k in group], strict=True))
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


@pytest.mark.parametrize("names", [("007", "8", "x,y"), ("1", "2", "3"), ("1.50", "2.0", "-3")])
def test_groups_have_shifts_of_their_own(
    names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from properly.cli import _column_writer

    file, path, out = (tmp_path / x for x in ("in.csv", "map.json", "out.csv"))
    write_groups(file, names)
    result = fit(file, "--groups", "site", "--output", path)
    assert (result.exit_code, result.stderr) == (0, "")
    monkeypatch.setattr(_column_writer, "LINES", 7)
    result = apply(file, path, "--groups", "site", "--output", out)
    assert result.exit_code == 0, result.stderr
    # Every group is known, however its label is written.
    assert [line for line in result.stderr.splitlines() if FLATTERS not in line] == []
    data = properly.read(out)
    expected = load(path).at(data["p"], groups=data["site"])
    assert data["p_recalibrated"].tolist() == expected.tolist()
    shown = run("recalibrate", "show", path).stdout
    assert "shifted for each group" in " ".join(shown.split())
    assert "\ngroup shift of the log odds\n" in re.sub(" +", " ", shown)


def test_groups_that_were_not_seen_are_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from properly.cli import _column_writer

    file, path, out = (tmp_path / x for x in ("in.csv", "map.json", "out.csv"))
    assert fit(write_groups(file), "--groups", "site", "--output", path).exit_code == 0
    new = tmp_path / "new.csv"
    rows = ["p,site", "0.5,new", "", "0.5,8", "0.4,older", ",8", "0.3,", "0.2,new"]
    new.write_text("\n".join(rows) + "\n", encoding="utf-8")
    monkeypatch.setattr(_column_writer, "LINES", 2)
    refused = apply(new, path, "--groups", "site", "--output", out)
    assert f"row 3 of {new} lacks 'p'" in refused.stderr
    result = apply(new, path, "--groups", "site", "--output", out, "--missing", "keep")
    assert (result.exit_code, result.stderr.count("Warning")) == (0, 1)
    assert "Warning: 3 forecasts of groups that this map was not fitted to" in result.stderr
    lines = out.read_text(encoding="utf-8").splitlines()
    assert [lines[k] for k in (2, 5, 6)] == ["", ",8,", "0.3,,"]


@pytest.mark.parametrize("options", [("--map", "beta"), ("--sql", "duckdb")])
def test_what_groups_do_not_go_with_is_refused(
    options: tuple[str, ...], file: Path, stored: Path
) -> None:
    run_it = fit(file, "--groups", "ward", *options) if "--map" in options else None
    result = run_it or apply(file, stored, "--groups", "ward", *options)
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_map_says_whether_it_has_groups(file: Path, stored: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    result = apply(file, stored, "--output", out, "--groups", "ward")
    assert (result.exit_code, "this one does not" in result.stderr) == (2, True)
    by_group = properly.recalibration.GroupShift(0.0, 1.0, {"a": 0.5}).save(tmp_path / "g.json")
    result = apply(file, by_group, "--output", out)
    assert (result.exit_code, "give the column of groups by --groups" in result.stderr) == (2, True)
    result = apply(file, stored, "--output", out, "--normalize")
    assert (result.exit_code, "--normalize is about classes" in result.stderr) == (2, True)


# apply


HOSTILE = (
    "\ufeffid,p,note,when,empty\r\n"
    '007,0.25,"say ""hi"", he said",2024-05-01,\r\n'
    "\r\n"
    '008,.5,"two\r\nlines",01.05.2024,NA\r\n'
    '1e3, 0.75 ,,"  kept ",""\r\n'
    "+9,1e-2,x,2024-05-01T10:00Z,0.10"
)


def test_other_cells_stay_as_they_are_written(stored: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "in.csv", tmp_path / "out.csv"
    file.write_bytes(HOSTILE.encode())
    result = apply(file, stored, "--output", out, "--as", "q, new")
    assert result.exit_code == 0, result.stderr
    q = [repr(float(x)) for x in load(stored).at(np.array([0.25, 0.5, 0.75, 1e-2]))]
    cells = iter(['"q, new"', q[0], q[1], q[2], q[3]])
    expected = re.sub(
        r"(?<=empty)|(?<=-01,)(?=\r)|(?<=NA)|(?<=,\"\")(?=\r)|(?<=0\.10)$",
        lambda _: f",{next(cells)}",
        HOSTILE,
    )
    assert out.read_bytes().decode() == expected


def test_rows_come_in_pieces(
    file: Path, stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from properly.cli import _column_writer

    whole, parts = tmp_path / "whole.csv", tmp_path / "parts.csv"
    assert apply(file, stored, "--output", whole).exit_code == 0
    monkeypatch.setattr(_column_writer, "LINES", 7)
    result = apply(file, stored, "--output", parts)
    assert whole.read_bytes() == parts.read_bytes()
    # What is odd is said once, not by piece.
    assert result.stderr.count("Warning") == 1


def test_missing_forecasts_are_refused_with_their_line(stored: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "in.csv", tmp_path / "out.csv"
    file.write_text("p,note\n0.5,a b\nNA,x\n0.25,\n", encoding="utf-8")
    result = apply(file, stored, "--output", out)
    assert (result.exit_code, result.stdout, out.exists()) == (1, "", False)
    assert result.stderr == (
        f"Error: forecasts must not be missing; row 1 (line 3 of {file}) lacks 'p'\n\n"
        "Hint: --missing keep leaves the new one empty, too.\n"
    )
    assert apply(file, stored, "--output", out, "--missing", "keep").exit_code == 0
    assert out.read_text(encoding="utf-8").splitlines()[2] == "NA,x,"


def test_percentages_stay_percentages(file: Path, stored: Path, tmp_path: Path) -> None:
    data = properly.read(file)
    percent, out = tmp_path / "percent.csv", tmp_path / "out.csv"
    lines = ["p", *(repr(100 * x) for x in data["p"].tolist())]
    percent.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert apply(percent, stored, "--output", out, "--percent").exit_code == 0
    found = properly.read(out)["p_recalibrated"]
    np.testing.assert_allclose(found, 100 * load(stored).at(data["p"]), rtol=1e-12)
    beyond = apply(percent, stored, "--output", tmp_path / "x.csv")
    assert "--percent" in beyond.stderr
    percent.write_text("p\n12\n101\n", encoding="utf-8")
    beyond = apply(percent, stored, "--output", tmp_path / "x.csv", "--percent")
    assert f"of column 'p', row 1 (line 3 of {percent}) is 101" in beyond.stderr


FLATTERS = "Warning: these forecasts are those that the map was fitted to; scores of them will"


def test_the_cases_that_a_map_was_fitted_to_are_noticed(
    file: Path, stored: Path, tmp_path: Path
) -> None:
    assert FLATTERS in apply(file, stored, "--output", tmp_path / "same.csv").stderr
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    shuffled = tmp_path / "shuffled.csv"
    shuffled.write_text("".join([lines[0], *reversed(lines[1:])]), encoding="utf-8")
    assert FLATTERS in apply(shuffled, stored, "--output", tmp_path / "a.csv").stderr
    fewer = tmp_path / "fewer.csv"
    fewer.write_text("".join(lines[:-1]), encoding="utf-8")
    assert FLATTERS not in apply(fewer, stored, "--output", tmp_path / "b.csv").stderr
    other = tmp_path / "other.csv"
    other.write_text("".join([*lines[:-1], "0,0.123,9,9\n"]), encoding="utf-8")
    assert FLATTERS not in apply(other, stored, "--output", tmp_path / "c.csv").stderr


def test_forecasts_where_none_were_seen_are_counted_once(stored: Path, tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    file.write_text("p\n0\n1e-9\n0.5\n0.99999\n1\n1\n", encoding="utf-8")
    result = apply(file, stored, "--output", tmp_path / "out.csv")
    assert "Warning: 2 forecasts outside " in result.stderr
    assert "Warning: 3 forecasts of exactly 0 or 1" in result.stderr


def test_a_file_may_be_replaced_by_itself(file: Path, stored: Path, tmp_path: Path) -> None:
    same = tmp_path / "same.csv"
    same.write_bytes(file.read_bytes())
    assert apply(same, stored, "--output", same).exit_code == 1
    assert same.read_bytes() == file.read_bytes()
    assert apply(same, stored, "--output", same, "--force").exit_code == 0
    assert list(properly.read(same)) == ["y", "p", "ward", "day", "p_recalibrated"]


def test_what_goes_wrong_half_way_leaves_what_was_there(stored: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "in.csv", tmp_path / "out.csv"
    file.write_text("p\n" + "0.5\n" * 70_000 + "2\n", encoding="utf-8")
    out.write_text("old", encoding="utf-8")
    result = apply(file, stored, "--output", out, "--force")
    assert f"row 70000 (line 70002 of {file}) is 2.0" in result.stderr
    assert out.read_text(encoding="utf-8") == "old"
    assert sorted(x.name for x in tmp_path.iterdir()) == ["in.csv", "out.csv"]


def test_sql_needs_no_file_and_quotes_its_column(stored: Path) -> None:
    given = ("--map", stored, "--forecast", 'a"b', "--sql", "postgres")
    result = run("recalibrate", "apply", *given)
    assert (result.exit_code, result.stdout) == (
        0,
        load(stored).sql('a"b', dialect="postgres") + "\n",
    )


# show


def test_a_map_is_shown(stored: Path) -> None:
    result = run("recalibrate", "show", stored)
    assert (result.exit_code, result.stderr) == (0, "")
    use = load(stored)
    assert use.training is not None
    text = " ".join(result.stdout.split())
    assert text.startswith("A logistic map, for one event. Forecasts become less extreme")
    assert f"Fitted to 400 cases, {use.training.events:g} of them with the event" in text
    assert "of the log score on new cases, judged by 10 folds of cases." in text
    assert "It increases strictly: the order of forecasts, and the AUC, stay." in text
    assert f"0.5 {use.threshold(0.5):.6g} " in text


def test_thresholds_may_be_asked_for(stored: Path, tmp_path: Path) -> None:
    given = ("--threshold", "0.25", "--threshold", "0.01", "--format", "json")
    record = json.loads(run("recalibrate", "show", stored, *given).stdout)
    use = load(stored)
    assert record["thresholds"] == [
        {"recalibrated": t, "original": use.threshold(t)} for t in (0.01, 0.25)
    ]
    assert {key: value for key, value in record.items() if key != "thresholds"} == use.to_dict()
    data = properly.read(stored.with_name("forecasts.csv"))
    path = Isotonic().fit(data["y"], data["p"]).save(tmp_path / "isotonic.json")
    shown = run("recalibrate", "show", path, "--threshold", "0.999").stdout
    assert "0.999            never" in shown
    assert "forecasts become ties" in " ".join(shown.split())


def test_notices_of_the_fit_are_shown(tmp_path: Path) -> None:
    y = [0] * 40 + [1] * 7
    p = np.linspace(0.05, 0.6, 47)
    with pytest.warns(properly.errors.DataWarning):
        Logistic().fit(y, p).save(tmp_path / "few.json")
    assert "\nNote: only 7 events" in run("recalibrate", "show", tmp_path / "few.json").stdout


DAMAGED = [
    "",
    "{",
    "[]",
    "null",
    '{"format": "properly-map"}',
    '{"format": "properly-map", "version": 99, "kind": "logistic"}',
    "\x1b[31m",
]


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_map_is_refused_by_every_command(text: str, file: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "map.json", tmp_path / "out.csv"
    path.write_text(text, encoding="utf-8")
    for result in (
        run("recalibrate", "show", path),
        apply(file, path, "--output", out),
        apply(file, path, "--sql", "duckdb"),
    ):
        assert (result.exit_code, result.stdout, out.exists()) == (1, "", False)
        assert result.stderr.startswith("Error: ")
        assert "\x1b" not in result.stderr


# Refusals of fit


@pytest.mark.skipif(duckdb.__version__ < "2", reason="duckdb 1 loads pandas for any value")
def test_a_map_is_applied_without_what_it_does_not_need(stored: Path, tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    file.write_text("p\n0.25\n0.5\n", encoding="utf-8")
    given = ["recalibrate", "apply", str(file), "--map", str(stored), "--forecast", "p"]
    given += ["--output", str(tmp_path / "out.csv")]
    code = (
        f"import sys; from properly import cli; cli.command()({given}, standalone_mode=False); "
        "print([m for m in ('pandas', 'polars', 'scipy.optimize', 'sklearn', 'matplotlib', "
        "'pyarrow') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603
    assert found.stdout.splitlines()[-1] == "[]"
