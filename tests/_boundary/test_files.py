"""Files appear whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from properly._boundary._files import make_folder, require_folder, require_writable, write_whole
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
FAILURES = [FULL, OSError(errno.EIO, "Input/output error"), KeyboardInterrupt(), MemoryError()]
STEPS = ("open", "chmod", "write", "flush", "fsync", "replace")


class Brittle:
    """A file one of whose steps fails, after what came before was done."""

    def __init__(self, file: Any, step: str, failure: BaseException) -> None:
        self.file, self.step, self.failure = file, step, failure

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def fail_at(self, step: str) -> None:
        if step == self.step:
            raise self.failure

    def write(self, data: bytes) -> None:
        # A disk takes some before it is full.
        self.file.write(data[: len(data) // 2] if self.step == "write" else data)
        self.fail_at("write")

    def flush(self) -> None:
        self.file.flush()
        self.fail_at("flush")

    def fileno(self) -> int:
        found: int = self.file.fileno()
        return found


def failing(failure: BaseException) -> Callable[..., NoReturn]:
    def fail(*_: object, **__: object) -> NoReturn:
        raise failure

    return fail


def break_step(monkeypatch: pytest.MonkeyPatch, step: str, failure: BaseException) -> None:
    """Let one step of the writing fail."""
    real = Path.open
    if step == "open":
        monkeypatch.setattr(Path, "open", failing(failure))
    elif step in ("chmod", "replace"):
        monkeypatch.setattr(Path, step, failing(failure))
        # A new file gets its name by a link, where the disk has links.
        monkeypatch.setattr(os, "link", failing(failure))
    elif step == "fsync":
        monkeypatch.setattr(os, step, failing(failure))
    else:
        monkeypatch.setattr(
            Path, "open", lambda path, mode: Brittle(real(path, mode), step, failure)
        )


@pytest.fixture
def modest_umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.mark.parametrize("failure", FAILURES, ids=["full", "broken", "interrupt", "memory"])
@pytest.mark.parametrize("step", STEPS)
def test_whatever_fails_the_old_file_stays_and_nothing_else_does(
    step: str, failure: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(b"old")
    expected = DataError if isinstance(failure, OSError) else type(failure)
    with monkeypatch.context() as patch:
        break_step(patch, step, failure)
        with pytest.raises(expected):
            write_whole(path, "new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("failure", FAILURES, ids=["full", "broken", "interrupt", "memory"])
@pytest.mark.parametrize("step", [step for step in STEPS if step != "chmod"])
def test_whatever_fails_no_new_file_comes_about(
    step: str,
    failure: BaseException,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = DataError if isinstance(failure, OSError) else type(failure)
    with monkeypatch.context() as patch:
        break_step(patch, step, failure)
        with pytest.raises(expected):
            write_whole(tmp_path / "report.html", "new", overwrite=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["Größe\r\n\n\ud800", "Größe\r\n\n\\ud800".encode()])
@pytest.mark.parametrize("overwrite", [True, False])
def test_the_bytes_are_those_that_were_given(
    content: str | bytes,
    overwrite: bool,
    tmp_path: Path,
) -> None:
    path = tmp_path / "ü.txt"
    assert write_whole(str(path), content, overwrite=overwrite) == path
    assert path.read_bytes() == "Größe\r\n\n\\ud800".encode()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("modest_umask")
@pytest.mark.parametrize("overwrite", [True, False])
def test_a_new_file_has_the_permissions_of_any_other(
    overwrite: bool,
    tmp_path: Path,
) -> None:
    path = write_whole(tmp_path / "new", "", overwrite=overwrite)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_file_that_is_replaced_keeps_its_permissions(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("old", encoding="utf-8")
    path.chmod(mode)
    write_whole(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text(encoding="utf-8") == "new"


def test_what_others_may_not_read_they_cannot_read_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o600)
    seen = []
    real = os.fsync

    def look(number: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(number).st_mode))
        real(number)

    monkeypatch.setattr(os, "fsync", look)
    write_whole(path, "new")
    assert seen == [0o600]


def test_the_content_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    path.write_text("old", encoding="utf-8")
    seen: list[tuple[str, bytes]] = []

    def look(_: int) -> None:
        (temporary,) = (name for name in tmp_path.iterdir() if name != path)
        assert temporary.name.startswith(".")
        seen.append((path.read_text(encoding="utf-8"), temporary.read_bytes()))

    monkeypatch.setattr(os, "fsync", look)
    write_whole(path, "new")
    assert seen == [("old", b"new")]


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_link_to_nothing_is_followed(
    overwrite: bool,
    tmp_path: Path,
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    link = tmp_path / "link"
    link.symlink_to(folder / "real")
    assert write_whole(link, "new", overwrite=overwrite) == link
    assert link.is_symlink()
    assert (folder / "real").read_text(encoding="utf-8") == "new"


def test_what_a_link_names_is_replaced(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)
    write_whole(link, "new")
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "new"


def test_of_many_who_write_at_once_one_wins(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    start = threading.Barrier(8)
    won: list[str] = []
    lost: list[str] = []

    def write(name: str) -> None:
        start.wait()
        try:
            write_whole(path, name * 1000, overwrite=False)
            won.append(name)
        except DataError:
            lost.append(name)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert len(lost) == 7
    assert path.read_text(encoding="utf-8") == won[0] * 1000
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_comes_about_after_the_check_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    monkeypatch.setattr(os, "fsync", lambda _: path.write_text("first", encoding="utf-8"))
    with pytest.raises(DataError, match="exists already"):
        write_whole(path, "second", overwrite=False)
    assert path.read_text(encoding="utf-8") == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_is_written_to_and_never_replaced() -> None:
    write_whole(os.devnull, "gone", overwrite=False)
    assert not Path(os.devnull).is_file()


def test_a_pipe_takes_what_is_written(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, "through", overwrite=False)
    reader.join()
    assert read == [b"through"]
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("refused", ["file", "folder"])
def test_a_file_or_a_folder_that_may_not_be_written_to_is_refused(
    refused: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    path.write_text("old", encoding="utf-8")
    closed = path if refused == "file" else tmp_path
    real = os.access
    monkeypatch.setattr(
        os, "access", lambda asked, mode: asked != closed.resolve() and real(asked, mode)
    )
    with pytest.raises(DataError, match="permission denied"):
        require_writable(path, overwrite=True)
    with pytest.raises(DataError, match="permission denied"):
        write_whole(path, "new")
    assert path.read_text(encoding="utf-8") == "old"


def test_a_folder_is_made_once(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    require_folder(folder)
    assert list(tmp_path.iterdir()) == []
    assert make_folder(str(folder)) == folder
    assert make_folder(folder) == folder
    assert folder.is_dir()
