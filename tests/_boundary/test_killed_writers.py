"""A run that is killed leaves whole files, and no parts of files if it is told before."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from properly._boundary import _files as files
from properly.errors import DataError

SCRIPT = Path(__file__).parents[1] / "killed_writers.py"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
# What a process does before it kills itself: write a file up to some step.
SUICIDE = """
import os, signal, sys
from pathlib import Path
from properly._boundary._files import write_whole
from properly.cli import orderly

# Tests may run by nohup.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
home, step = (os, "fsync") if sys.argv[2] == "fsync" else (Path, sys.argv[2])
real = getattr(home, step)
def kill(*values, **named):
    if sys.argv[2] == "open":
        real(*values, **named)
    os.kill(os.getpid(), int(sys.argv[1]))
    return real(*values, **named)
setattr(home, step, kill)
with orderly():
    write_whole("report.html", "new")
"""


def seen(folder: Path, *options: str) -> Any:
    run = [sys.executable, str(SCRIPT), str(folder), *options]
    done = subprocess.run(run, capture_output=True, check=True, timeout=200)  # noqa: S603
    return json.loads(done.stdout)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_all(*paths: Path) -> None:
    with files.together():
        for path in paths:
            files.write_whole(path, "new")


def refuse(number: int) -> OSError:
    return OSError(number, os.strerror(number))


@pytest.mark.slow
def test_a_hundred_killed_writers_leave_whole_files(tmp_path: Path) -> None:
    kills = seen(tmp_path, "7", "100")
    assert len(kills) == 100
    assert all(kill["whole"] for kill in kills)
    asked = [kill for kill in kills if kill["signal"] == "SIGTERM"]
    forced = [kill for kill in kills if kill["signal"] == "SIGKILL"]
    assert len(asked) > 30
    assert len(forced) > 30
    # Who is asked to end clears up; who is not leaves parts that nobody takes for whole files.
    assert {kill["status"] for kill in asked} == {143}
    assert {kill["status"] for kill in forced} == {-signal.SIGKILL}
    left = [set(kill["left"]) for kill in kills]
    assert all(name.startswith(".properly-") and name.endswith(".part") for name in left[-1])
    for kill, before, after in zip(kills[1:], left, left[1:], strict=False):
        assert kill["signal"] == "SIGKILL" or after == before


@pytest.mark.parametrize("step", ["open", "chmod", "fsync", "replace", "unlink"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_at_each_step_a_killed_writer_leaves_the_old_file_or_the_new(
    number: signal.Signals, step: str, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    page.write_text("old", encoding="utf-8")
    run = [sys.executable, "-c", SUICIDE, str(int(number)), step]
    done = subprocess.run(run, cwd=tmp_path, check=False, timeout=100)  # noqa: S603
    assert done.returncode == (-number if number is signal.SIGKILL else 128 + number)
    assert page.read_text(encoding="utf-8") == ("new" if step == "unlink" else "old")
    is_left = number is signal.SIGKILL and step != "unlink"
    assert len(names(tmp_path)) == 1 + is_left


def test_what_a_killed_writer_has_left_is_removed_a_day_later(tmp_path: Path) -> None:
    old, new, link, other = (
        tmp_path / f".properly-{name}" for name in ("old.part", "new.part", "link.part", "old.txt")
    )
    for path in (old, new, other):
        path.write_text("left", encoding="utf-8")
    link.symlink_to(other)
    for path in (old, other):
        os.utime(path, (0, 0))
    files.write_whole(tmp_path / "page", "new")
    assert names(tmp_path) == sorted(x.name for x in (new, link, other, tmp_path / "page"))


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Name two files, the first of which is there."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("old", encoding="utf-8")
    return first, second


def test_a_disk_that_is_full_in_the_midst_gets_none_of_the_files(
    two: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def fill(_: int) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise refuse(errno.ENOSPC)

    monkeypatch.setattr(os, "fsync", fill)
    with pytest.raises(DataError) as caught:
        write_all(*two)
    message = f"there is no room left on the disk for {two[1]}; nothing was written"
    assert str(caught.value) == message
    assert two[0].read_text(encoding="utf-8") == "old"
    assert names(tmp_path) == ["first"]


def test_a_file_that_comes_about_meanwhile_stops_all(two: tuple[Path, Path]) -> None:
    first, second = two

    def write() -> None:
        with files.together():
            files.write_whole(first, "new")
            files.write_whole(second, "new", overwrite=False)
            second.write_text("theirs", encoding="utf-8")

    with pytest.raises(DataError, match="second exists already"):
        write()
    assert first.read_text(encoding="utf-8") == "old"
    assert second.read_text(encoding="utf-8") == "theirs"


def test_nothing_has_its_name_before_the_end_and_a_file_that_is_refused_is_left_out(
    two: tuple[Path, Path], tmp_path: Path
) -> None:
    with files.together():
        with files.together():
            files.write_whole(two[1], "new")
        with pytest.raises(DataError, match="first exists already"):
            files.write_whole(two[0], "new", overwrite=False)
        assert not two[1].exists()
    assert [path.read_text(encoding="utf-8") for path in two] == ["old", "new"]
    assert names(tmp_path) == ["first", "second"]


def test_a_folder_that_was_made_goes_with_its_files(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    there.mkdir()

    def write(last: Path) -> None:
        with files.together():
            for folder in (here, there):
                files.write_whole(files.make_folder(folder) / "figure", "new")
            files.write_whole(last, "new")

    with pytest.raises(DataError, match="is a directory"):
        write(tmp_path)
    assert names(tmp_path) == ["there"]
    write(tmp_path / "page")
    assert [names(folder) for folder in (here, there)] == [["figure"], ["figure"]]


def test_a_temporary_folder_goes_at_its_end_after_an_error_and_when_all_is_removed() -> None:
    with files.temporary_folder() as folder:
        (folder / "some").touch()
    assert not folder.exists()
    with pytest.raises(ZeroDivisionError), files.temporary_folder() as folder:
        raise ZeroDivisionError
    assert not folder.exists()
    with files.temporary_folder() as folder:
        files.remove_all()
        assert not folder.exists()
