"""Files that are larger than memory: the same numbers, and no rows are read."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet
from tests.command_line import GRADES, run, scored, write_forecasts

from properly.cli import _engine
from properly.engines._files import Files, _clusters, _dask, _spark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

ONE = ("--outcome", "y", "--forecast", "good")
TWO = (*ONE, "--forecast", "poor")
BRIER = ("--rule", "brier")
PARTS = ("score", "skill", "miscalibration", "discrimination", "uncertainty")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the same forecasts in several formats, and in two halves."""
    home = tmp_path_factory.mktemp("sizes")
    table = csv.read_csv(write_forecasts(home / "all.csv"))
    parquet.write_table(table, home / "all.parquet")
    feather.write_feather(table, home / "all.feather")
    (home / "parts").mkdir()
    csv.write_csv(table.slice(0, 30), home / "parts" / "a.csv")
    parquet.write_table(table.slice(30).select(table.column_names[::-1]), home / "parts/b.parquet")
    poor = table["poor"].to_pylist()
    gaps = pa.array([None if k in (3, 50) else x for k, x in enumerate(poor)])
    parquet.write_table(table.set_column(2, "poor", gaps), home / "gaps.parquet")
    return home


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every file for a large one, and fail if rows are read."""

    def read(*_: Any) -> None:
        pytest.fail("rows of a large file were read into memory")

    monkeypatch.setattr(_engine, "MOST_ROWS", 10)
    monkeypatch.setattr(Files, "read", read)


def numbers(found: Mapping[str, Any]) -> dict[tuple[str, ...], Any]:
    """Lay out scores, skills and parts of an evaluation in JSON."""
    told: dict[tuple[str, ...], Any] = {}
    for role in ("models", "baselines"):
        for model, by_rule in found[role].items():
            for rule, parts in by_rule.items():
                told |= {(model, rule, part): parts[part] for part in PARTS if part in parts}
    return told


@pytest.mark.parametrize(
    ("files", "options"),
    [
        ("all.csv", TWO),
        ("all.parquet", (*ONE, *BRIER, "--within", "0.1", "0.4")),
        ("all.feather", (*ONE, *BRIER, "--clusters", "accident", "--level", "0.8")),
        ("parts/*", (*TWO, *BRIER, "--weight", "accident")),
        ("parts/*", (*ONE, *BRIER, "--groups", "sex", "--weight", "p_low")),
        ("all.csv", ("--outcome", "sex", "--event", "m", "--forecast", "good", *BRIER)),
        ("gaps.parquet", (*TWO, *BRIER, "--missing", "drop")),
    ],
)
def test_scores_are_those_of_the_rows(
    folder: Path, files: str, options: tuple[str, ...], request: pytest.FixtureRequest
) -> None:
    small = scored(folder / files, *options)
    request.getfixturevalue("no_rows")
    large = scored(folder / files, *options, "--memory", "200MB")
    near = {name: pytest.approx(x, abs=1e-10) for name, x in numbers(small).items()}
    assert numbers(large) == near
    assert len(near) >= 15
    for name in ("rows", "level", "within", "design"):
        assert large["data"][name] == small["data"][name]
    for name in ("cases", "event_rate"):
        assert large["data"][name] == pytest.approx(small["data"][name], rel=1e-14)
    intervals = [
        [
            estimates[rule]["interval"]
            for estimates in found["models"].values()
            for rule in estimates
        ]
        for found in (large, small)
    ]
    assert intervals[0] == [pytest.approx(ends, abs=1e-10) for ends in intervals[1]]
    for model, groups in small["groups"].items():
        found = large["groups"][model]
        assert found["group"] == groups["group"]
        expected = pytest.approx(groups["measures"]["score"]["value"], abs=1e-10)
        assert found["measures"]["score"]["value"] == expected


def test_scores_of_classes_are_those_of_the_rows(
    folder: Path, request: pytest.FixtureRequest
) -> None:
    graded = ("--outcome", "grade", "--forecast", "p", "--classes", ",".join(GRADES))
    asked = (folder / "all.parquet", *graded, "--ordered", "--rule", "rps")
    small = scored(*asked)
    request.getfixturevalue("no_rows")
    large = scored(*asked)
    near = {name: pytest.approx(x, abs=1e-10) for name, x in numbers(small).items()}
    assert numbers(large) == near
    assert len(near) >= 5


@pytest.mark.usefixtures("no_rows")
def test_what_is_guessed_and_dropped_is_said(folder: Path) -> None:
    options = ("--rule", "brier", "--outcome", "y", "--missing", "drop", "--format", "json")
    result = run("score", folder / "gaps.parquet", *options)
    dropped = "dropped 2 of 80 rows for missing values: 2 lack 'poor'"
    columns = "'good', 'poor', 'p_low', 'p_mid', 'p_high'"
    assert result.stderr.splitlines() == [
        f"Took the columns {columns} as forecasts; --forecast chooses others.",
        f"D{dropped[1:]}.",
    ]
    found = json.loads(result.stdout)
    assert found["data"]["cases"] == 78
    assert dropped in found["notes"]


@pytest.mark.parametrize(
    "options", [(), ("--rule", "log", "--level", "0.9"), ("--clusters", "accident")]
)
def test_a_comparison_is_that_of_the_rows(
    folder: Path, options: tuple[str, ...], request: pytest.FixtureRequest
) -> None:
    asked = ("compare", str(folder / "all.parquet"), *TWO, *options, "--format", "json")
    small = json.loads(run(*asked).stdout)
    request.getfixturevalue("no_rows")
    large = json.loads(run(*asked).stdout)
    (pair,), (expected,) = large["pairs"], small["pairs"]
    for name in ("difference", "interval", "p_value"):
        assert pair[name] == pytest.approx(expected[name], abs=1e-10)
    assert (pair["first"], pair["second"]) == ("good", "poor")
    assert pair["sentence"] == expected["sentence"]


def test_progress_is_that_of_the_sums_and_of_the_evaluation(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int, str]] = []

    @contextmanager
    def bar() -> Iterator[Any]:
        yield lambda *what: told.append(what)

    monkeypatch.setattr(_engine, "MOST_ROWS", 10)
    monkeypatch.setattr("properly.cli._engine.progress_bar", bar)
    scored(folder / "all.parquet", *TWO, *BRIER)
    assert told[0] == (0, 3, "the sums of losses")
    assert [what for _, _, what in told[1:3]] == ["the forecasts of good", "the forecasts of poor"]
    assert all(0 <= done <= total for done, total, _ in told)


@pytest.mark.usefixtures("no_rows")
def test_names_are_data(tmp_path: Path) -> None:
    hostile, other = "p'); DROP TABLE \"x\x1b[31m", "c1"
    lines = "".join(f"{k % 2},{0.3 + 0.4 * (k % 2)},{0.4 + 0.001 * k}\n" for k in range(40))
    file = tmp_path / "it's.csv"
    file.write_text(f'c0,"{hostile.replace(chr(34), chr(34) * 2)}",{other}\n{lines}')
    asked = ("--outcome", "c0", "--forecast", hostile, "--forecast", other, *BRIER)
    found = scored(file, *asked)
    assert list(found["models"]) == [hostile, other]
    assert found["models"][hostile]["brier"]["score"] == pytest.approx(0.09)
    file.write_text(file.read_text().replace("0,0.3,0.4\n", "0,1.5,0.4\n"))
    result = run("score", file, *asked)
    assert result.exit_code == 1
    assert "1 of 40 rows of column" in result.stderr
    assert "\x1b" not in result.stderr


@pytest.mark.parametrize(
    ("module", "option", "engine"), [(_dask, "scheduler", "dask"), (_spark, "master", "spark")]
)
def test_a_cluster_is_given_the_columns_under_plain_names(
    module: Any, option: str, engine: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    @contextmanager
    def open_cluster(paths: Any, columns: Mapping[str, str], **address: Any) -> Iterator[Any]:
        asked.append((paths, columns, address))
        frame = pd.read_parquet(paths[0])[list(columns.values())]
        yield Counted(frame.set_axis(list(columns), axis=1))

    monkeypatch.setattr(module, f"open_{engine}", open_cluster)
    monkeypatch.setattr(_clusters, "translated", lambda _: open_nothing())
    file = str(folder / "gaps.parquet")
    options = (*TWO, "--groups", "sex", "--missing", "drop", "--rule", "brier")
    result = run(
        "score", file, *options, "--engine", engine, f"--{option}", "x", "--format", "json"
    )
    assert result.exit_code == 0, result.stderr
    assert result.stderr == "Dropped 2 of 80 rows for missing values.\n"
    columns = {"c0": "y", "c1": "sex", "c2": "good", "c3": "poor"}
    assert asked == [((file,), columns, {option: "x"})]
    expected = numbers(scored(file, *options))
    assert numbers(json.loads(result.stdout)) == {
        k: pytest.approx(x, abs=1e-10) for k, x in expected.items()
    }


class Counted(pd.DataFrame):  # type: ignore[misc]  # pandas tells no types
    """A frame that counts its rows as Spark does."""

    def count(self) -> int:
        return len(self)

    @property
    def _constructor(self) -> type[Counted]:
        return Counted


@contextmanager
def open_nothing() -> Iterator[None]:
    yield


@pytest.mark.usefixtures("no_rows")
def test_nothing_is_left_in_the_temporary_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    shutil.copy(folder / "all.csv", tmp_path)
    scored(tmp_path / "all.csv", *ONE, *BRIER)
    assert [path.name for path in tmp_path.iterdir()] == ["all.csv"]
