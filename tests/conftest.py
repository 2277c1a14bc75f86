"""What tests of several packages work with: a folder, and a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
