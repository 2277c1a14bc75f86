"""Messages about the states of monitors in files, word for word; others are in monitor.txt."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, NoReturn

import pytest

from properly import Monitor
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ODD = "watch\n\x1b.json"
SHOWN = "watch\\n\\x1b.json"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Save a state under a name with characters that must not be printed."""
    monkeypatch.chdir(tmp_path)
    monitor = Monitor()
    monitor.add([1, 0], [0.2, 0.3], ids=["a", "b"])
    return monitor.save(ODD)


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(DataError) as caught:
        call()
    return str(caught.value)


def test_two_writers_are_told_so_word_for_word(path: Path) -> None:
    told = f"{SHOWN} exists already and is not overwritten"
    hint = "\n\nHint: read it by Monitor.load, or pass overwrite=True."
    assert refusal(lambda: Monitor().save(path)) == told + hint
    one, other = Monitor.load(path), Monitor.load(path)
    one.add([1], [0.5], ids=["c"])
    one.save(path)
    told = f"the state {SHOWN} was written by another since it was read"
    hint = "\n\nHint: read it again by Monitor.load, and add once more."
    assert refusal(lambda: other.save(path)) == told + hint


def test_what_cannot_be_written_is_said_word_for_word(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monitor = Monitor.load(path)
    told = "the folder no\\nne does not exist\n\nHint: make it first, or write elsewhere."
    assert refusal(lambda: monitor.save("no\nne/watch.json")) == told
    told = ". is a directory\n\nHint: give the name of a file in it."
    assert refusal(lambda: monitor.save(".")) == told
    told = "a\\x00b is no name that a file can have"
    hint = "\n\nHint: leave out characters that cannot be written."
    assert refusal(lambda: monitor.save("a\0b")) == told + hint
    long = "x" * 300
    assert refusal(lambda: monitor.save(long)) == f"cannot write to {long}: file name too long"

    def full(_: int) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    told = f"there is no room left on the disk for {SHOWN}; nothing was written"
    assert refusal(lambda: monitor.save(path)) == told


def test_a_rule_of_ones_own_cannot_be_saved(path: Path) -> None:
    from properly.rules import Brier

    class Own(Brier):
        """A rule that no other process knows."""

    told = "a rule must have a name of properly.rules; got 'Own'"
    hint = "\n\nHint: names are such as Brier, Log, RPS."
    assert refusal(lambda: Monitor(rule=Own()).save(path)) == told + hint
