"""What is printed on a terminal is spelled out where that would obey it."""

from __future__ import annotations

import io
import sys

import click
import pytest

from properly._boundary._progress import RichDisplay
from properly._boundary._terminal import Guarded, guarded, spelled

HOSTILE = "\x1b[2J\x07\u202e\x9b2J\ud800\U000e0001"


class Terminal(io.StringIO):
    """A stream that says that it is a terminal; of letters it knows but a few."""

    encoding = "ascii"

    def isatty(self) -> bool:
        return True


def a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x00\x07\x08\x1b[0m", r"\x00\x07\x08\x1b[0m"),
        ("a\rb\r\n", "a\\rb\\r\n"),
        ("\x7f\x80\x85\x9b\x9f", r"\u007f\u0080\u0085\u009b\u009f"),
        ("\u200e\u202a\u202e\u2066\u2069\ufeff", r"\u200e\u202a\u202e\u2066\u2069\ufeff"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\ud800", r"\ud800"),
        ("\U000e0001", r"\U000e0001"),
        # Letters, spaces and what is meant stay.
        (
            "Größe\t\u00a01\u202f000\n∞ שלום 日本 \\x1b\n",
            "Größe\t\u00a01\u202f000\n∞ שלום 日本 \\x1b\n",
        ),
        ("", ""),
    ],
)
def test_what_a_terminal_obeys_is_spelled_out(text: str, shown: str) -> None:
    assert spelled(text) == shown
    assert spelled(shown) == shown


def test_terminals_are_guarded_and_then_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    with guarded():
        with guarded():
            click.echo(HOSTILE, err=True)
        stream = sys.stderr
        assert isinstance(stream, Guarded)
        assert stream.terminal is terminal
        assert stream.write("é\x07") == 2
        stream.writelines(["a", "\x07"])
    assert sys.stderr is terminal
    assert terminal.getvalue() == "\\x1b[2J\\x07\\u202e\\u009b2J\\ud800\\U000e0001\né\\x07a\\x07"


def test_what_is_no_terminal_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(sys, "stdout", pipe)
    with guarded():
        assert sys.stdout is pipe
        assert sys.stderr is None


def test_what_is_printed_beside_a_bar_is_spelled_out_and_the_bar_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = a_terminal(monkeypatch)
    with guarded():
        display = RichDisplay(force_terminal=True, width=80)
        display.update(1.5, 3, "draws of mo\x9b\u202edel")
        display.progress.refresh()
        click.echo(f"Warning: {HOSTILE}", err=True)
        sys.stderr.flush()
        display.close()
        assert isinstance(sys.stderr, Guarded)
        assert sys.stderr.terminal is terminal
    seen = terminal.getvalue()
    assert r"Warning: \x1b[2J\x07\u202e\u009b2J\ud800\U000e0001" in seen
    assert r"draws of mo\x9b\u202edel" in seen
    assert "\x1b[2K" in seen
    assert not any(each in seen for each in ("\x1b[2J", "\x07", "\u202e", "\x9b"))
