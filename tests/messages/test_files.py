"""Messages about files that nobody can write or read here; all others are in ``files.txt``."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import pytest

from properly.engines import read
from properly.errors import DataError, MissingExtraError


def test_a_file_that_may_not_be_read_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    (folder / "a.csv").write_bytes(b"y\n1\n")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError) as caught:
        read("a.csv")
    assert str(caught.value) == "a file must be readable; 'a.csv' is not: Permission denied"


@pytest.mark.parametrize(
    ("package", "name", "message"),
    [
        (
            "duckdb",
            "a.csv",
            "this needs duckdb, which is not installed\n\nHint: pip install 'properly[app]'",
        ),
        (
            "pyarrow",
            "a.arrow",
            "this needs pyarrow, which is not installed\n\nHint: pip install 'properly[app]'",
        ),
    ],
)
def test_a_package_that_is_not_installed_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, package: str, name: str, message: str
) -> None:
    (folder / name).write_bytes(b"ARROW1")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        read(name)
    assert str(caught.value) == message
