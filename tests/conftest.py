"""What tests of several packages work with, and the sample of parameters of the quick run."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

# Tests of these packages repeat one claim for many rules, maps, engines or numbers: `make test`
# tries this many of them, `make verify` all.
SAMPLED = (
    *("calibration", "comparison", "counts", "decisions", "engines", "inference", "laws"),
    *("probability", "recalibration", "rules"),
)
SAMPLE = 6
# The quick run leaves these out.
LONG = ("chances", "reference", "reproductions", "studies")
# Each of these is one record, tried by no other test.
WHOLE = "test_records.py"

ROOT = Path(__file__).parents[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the parameters of a test as slow, save a sample that differs from test to test."""
    tests = defaultdict(list)
    for item in items:
        if set(LONG).intersection(item.path.relative_to(ROOT).parts):
            item.add_marker("slow")
        if item.path.parent.name in SAMPLED and item.path.name != WHOLE:
            tests[item.nodeid.partition("[")[0]].append(item)
    for test, tried in tests.items():
        step = -(-len(tried) // SAMPLE)
        for position, item in enumerate(tried, crc32(test.encode())):
            if position % step:
                item.add_marker("slow")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of one's own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def database() -> Iterator[Any]:
    import duckdb

    with duckdb.connect() as shared:
        yield shared


@pytest.fixture
def one_database(database: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files by one database: to open one takes longer than to read a small file."""
    monkeypatch.setattr("duckdb.connect", lambda **_: database.cursor())
