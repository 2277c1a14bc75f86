"""Every message about writing files, word for word."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from properly._boundary._files import make_folder, require_folder, require_writable, write_whole
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WRITTEN = "\n\nHint: leave out characters that cannot be written."
FORCE = "\n\nHint: choose another name, or pass overwrite=True (--force on the command line)."


def write_first(path: Any) -> Path:
    return write_whole(path, "", overwrite=False)


def ask_first(path: Any) -> None:
    require_writable(path, overwrite=False)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.html").write_text("old", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "li\x1bnk").symlink_to("report.html")
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "astray").symlink_to("nowhere/report.html")


@pytest.mark.parametrize("refuse", [write_first, ask_first])
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("report.html", f"report.html exists already and is not overwritten{FORCE}"),
        ("li\x1bnk", rf"li\x1bnk exists already and is not overwritten{FORCE}"),
        ("folder", "folder is a directory\n\nHint: give the name of a file in it."),
        ("", ". is a directory\n\nHint: give the name of a file in it."),
        (
            "none/at\n/all.html",
            r"the folder none/at\n does not exist" + "\n\nHint: make it first, or write elsewhere.",
        ),
        ("report.html/page.html", "report.html is a file, not a folder"),
        (
            "a\0b",
            rf"a\x00b is no name that a file can have{WRITTEN}",
        ),
        (
            "a\ud800b",
            rf"a\ud800b is no name that a file can have{WRITTEN}",
        ),
        (
            "round",
            "cannot write to round: too many levels of symbolic links",
        ),
        (f"{'x' * 300}", f"cannot write to {'x' * 300}: file name too long"),
    ],
)
def test_messages_before_anything_is_written(
    refuse: Callable[[Any], object], path: str, message: str
) -> None:
    with pytest.raises(DataError) as caught:
        refuse(path)
    assert str(caught.value) == message


@pytest.mark.parametrize("refuse", [require_folder, make_folder])
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("report.html", "report.html is a file, not a folder"),
        (
            "none/at\n/all",
            r"the folder none/at\n does not exist" + "\n\nHint: make it first, or write elsewhere.",
        ),
        ("x" * 300, f"cannot write to {'x' * 300}: file name too long"),
    ],
)
def test_messages_about_folders(refuse: Callable[[Any], object], path: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        refuse(path)
    assert str(caught.value) == message


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
