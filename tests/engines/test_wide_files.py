"""Of a file of thousands of columns, no more is asked than of one with only those needed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import duckdb
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest
from tests.command_line import run

from properly import read
from properly.engines._files._read import open_files

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 40
WIDE = 2_000
NEEDED: dict[str, list[Any]] = {
    "y": [k % 3 % 2 for k in range(ROWS)],
    "p": [(k * 7 % ROWS + 0.5) / ROWS for k in range(ROWS)],
    "q": [(k * 11 % ROWS + 0.5) / ROWS for k in range(ROWS)],
}
# All that is said of other columns of text: that they are there.
DECLARED = re.compile(r"columns = \{[^}]*\}")


def write_csv(path: Path, columns: dict[str, list[Any]]) -> None:
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_json(path: Path, columns: dict[str, list[Any]]) -> None:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


WRITERS: dict[str, Callable[[Path, dict[str, list[Any]]], None]] = {
    "csv": write_csv,
    "parquet": lambda path, columns: pq.write_table(pa.table(columns), path),
    "arrow": lambda path, columns: pf.write_feather(pa.table(columns), str(path)),
    "jsonl": write_json,
}


class Recording:
    """A connection that keeps what it is asked."""

    def __init__(self, connection: Any, queries: list[str]) -> None:
        self.connection, self.queries = connection, queries

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def execute(self, query: str, *values: Any) -> Any:
        self.queries.append(query)
        return self.connection.execute(query, *values)

    def sql(self, query: str) -> Any:
        self.queries.append(query)
        return self.connection.sql(query)


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keep what duckdb is asked."""
    kept: list[str] = []
    real = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda **options: Recording(real(**options), kept))
    return kept


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(kind: str, count: int) -> str:
    """Write a file of that many columns, the needed ones first."""
    others = {f"x{i}": [0.25] * ROWS for i in range(count - len(NEEDED))}
    path = Path(f"{count}.{kind}")
    WRITERS[kind](path, NEEDED | others)
    return str(path)


def asked(queries: list[str], work: Callable[[], object]) -> list[str]:
    queries.clear()
    work()
    return [DECLARED.sub("", query) for query in queries]


@pytest.mark.parametrize("kind", WRITERS)
def test_what_is_read_of_a_wide_file_is_what_is_read_of_a_narrow_one(
    kind: str, queries: list[str]
) -> None:

    def work(path: str) -> list[str]:
        return asked(queries, lambda: read(path, ["y", "q"]))

    paths = [written(kind, count) for count in (len(NEEDED), WIDE)]
    narrow, wide = map(work, paths)
    assert narrow
    assert wide == narrow
    assert {name: x.tolist() for name, x in read(paths[1], ["y", "q"]).items()} == {
        name: NEEDED[name] for name in ("y", "q")
    }


def test_columns_are_found_at_their_places() -> None:
    others = {f"x{i}": [0.25] * ROWS for i in range(WIDE)}
    for kind, write in WRITERS.items():
        path = Path(f"last.{kind}")
        write(path, {**others, "y": NEEDED["y"], "Y": [1] * ROWS, "p": NEEDED["p"]})
        names = ["p", "x7", "y"]
        assert {name: x.tolist() for name, x in read(path, names).items()} == {
            "p": NEEDED["p"],
            "x7": others["x7"],
            "y": NEEDED["y"],
        }


@pytest.mark.parametrize(("most", "counted"), [(ROWS, 0), (4, 1), (3, 1)])
def test_rows_are_counted_only_where_the_size_leaves_it_open(
    most: int, counted: int, queries: list[str]
) -> None:
    path = Path("a.csv")
    path.write_text("a,b\n" + ",\n" * 3 + "0.123456789,1\n", encoding="utf-8")
    with open_files(path) as files:
        queries.clear()
        assert files.exceed(most) == (most < 4)
        assert len(queries) == counted


@pytest.mark.parametrize(
    ("option", "question"),
    [
        (("--forecast", "p"), "Which column is the outcome? Give --outcome COLUMN"),
        (("--outcome", "z"), "Which column is the forecast? Give --forecast COLUMN"),
    ],
)
def test_nothing_is_guessed_by_a_look_at_thousands_of_columns(
    option: tuple[str, str], question: str, queries: list[str]
) -> None:
    others = {f"x{i}": [0.25] * ROWS for i in range(WIDE)}
    write_csv(Path("a.csv"), {"p": NEEDED["p"], "z": NEEDED["y"], **others})
    result = run("check", "a.csv", *option)
    shown = ", ".join(repr(name) for name in ("p", "z", *(f"x{i}" for i in range(18))))
    assert result.exit_code == 2
    assert result.stderr.endswith(
        f"Error: {question}; the columns are {shown}, … ({WIDE + 2:,} in all).\n"
    )
    assert not any("read_csv" in query for query in queries)
