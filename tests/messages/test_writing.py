"""Messages about files that a system does not write; others are in ``writing.txt``."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, NoReturn

import pytest

from properly._boundary._files import require_writable, write_whole
from properly.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "astray").symlink_to("nowhere/report.html")


def test_the_folder_that_a_link_leads_to_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        require_writable("astray", overwrite=True)
    message = f"the folder {tmp_path.resolve() / 'nowhere'} does not exist"
    assert str(caught.value) == f"{message}\n\nHint: make it first, or write elsewhere."


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (
            errno.ENOSPC,
            r"there is no room left on the disk for new\x1b.html; nothing was written",
        ),
        (
            errno.EDQUOT,
            r"there is no room left on the disk for new\x1b.html; nothing was written",
        ),
        (
            errno.EFBIG,
            r"there is no room left on the disk for new\x1b.html; nothing was written",
        ),
        (errno.EACCES, r"cannot write to new\x1b.html: permission denied"),
        (errno.EROFS, r"cannot write to new\x1b.html: read-only file system"),
        (None, r"cannot write to new\x1b.html: it failed"),
    ],
)
def test_messages_of_the_system(
    number: int | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> NoReturn:
        raise OSError if number is None else OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(DataError) as caught:
        write_whole("new\x1b.html", "new")
    assert str(caught.value) == message


def test_message_of_a_folder_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(DataError) as caught:
        require_writable("new.html", overwrite=False)
    assert str(caught.value) == "cannot write to new.html: permission denied"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no disk that is always full")  # noqa: PTH110
def test_message_of_a_disk_that_is_full() -> None:
    with pytest.raises(DataError) as caught:
        write_whole("/dev/full", "new")
    message = "there is no room left on the disk for /dev/full; nothing was written"
    assert str(caught.value) == message
