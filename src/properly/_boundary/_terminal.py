r"""Terminals: what is printed on one cannot move its cursor, ring its bell or turn letters round.

Names of models, columns and files are those of a user. In a pipe or a file they stay as they are;
on a terminal, what it would obey is spelled out:

>>> from properly._boundary._terminal import spelled
>>> print(spelled("a\x1b[2Jb\u202ec"))
a\x1b[2Jb\u202ec
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

STREAMS = ("stdout", "stderr")
# Controls, of which some order letters from right to left; halves of letters; ends of lines.
OBEYED = ("Cc", "Cf", "Cs", "Zl", "Zp")


def spelled(text: str) -> str:
    """Spell out what a terminal would obey; new lines and tabs are meant."""
    if all(line.isprintable() for line in text.split("\n")):
        return text
    return "".join(map(_spelled_letter, text))


def _spelled_letter(letter: str) -> str:
    if letter in "\n\t" or unicodedata.category(letter) not in OBEYED:
        return letter
    code = ord(letter)
    # As Python writes it; but the letters that JSON leaves as they are as JSON can be read.
    return f"\\u{code:04x}" if 0x7F <= code <= 0xFFFF else repr(letter)[1:-1]


class Guarded:
    """A terminal on which text is spelled; all but writing is its own.

    Parameters
    ----------
    terminal : file object
        What is written to.
    """

    def __init__(self, terminal: TextIO) -> None:
        self.terminal = terminal

    def write(self, text: str) -> int:
        """Write a text, spelled out where it must be."""
        self.terminal.write(spelled(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after the other."""
        for line in lines:
            self.write(line)

    def isatty(self) -> bool:
        """Tell that it is a terminal, whatever stands before that."""
        return True

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            # Or click would write bytes past us where it does not trust the encoding.
            raise AttributeError(name)
        return getattr(self.terminal, name)


@contextmanager
def guarded() -> Iterator[None]:
    """Guard the streams of this process where they are terminals."""
    before = {name: getattr(sys, name) for name in STREAMS}
    guard()
    try:
        yield
    finally:
        for name, stream in before.items():
            # Where nobody reads any more click has put a stream that fails in silence.
            if isinstance(getattr(sys, name), Guarded):
                setattr(sys, name, stream)


def guard() -> None:
    """Guard the streams that are terminals, and are not guarded yet."""
    for name in STREAMS:
        stream = getattr(sys, name)
        # While it draws a bar, rich stands before a terminal; older releases do not say so.
        shown = getattr(stream, "rich_proxied_file", stream)
        if shown is not None and not isinstance(stream, Guarded) and shown.isatty():
            setattr(sys, name, Guarded(stream))
