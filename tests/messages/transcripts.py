"""Transcripts of what is asked and what is said: ``>>> call``, and below it the words.

A call without words sets the scene for its file; what a call returns as text is its words, too. Names of the public doors are there, as are numpy
as ``np``, pandas as ``pd`` and polars as ``pl``; ``shell`` runs a command beside files that were
written by ``write``, and its words are the exit code and what is printed as an error; those of
``session``, of one command or several, have what is printed as a result below; ``beside``
calls a function in a folder of its own, with some files. ``python -m tests.messages.transcripts``
runs all calls and writes down what is said now; look at the difference before it is committed.
"""

from __future__ import annotations

import math
import re
import shlex
import sys
import warnings
from contextlib import chdir
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
from click import UsageError
from click.testing import Result
from tests.command_line import run

import properly
from properly import errors
from properly.evaluation._checkup._check import Checkup

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
# Formulas of rules, and options of commands, are refused in the words of Python and click.
REFUSALS = (errors.ProperlyError, TypeError, AttributeError, UsageError)
DOORS = "calibration comparison counts datasets decisions engines evaluation inference probability"


class Said(NamedTuple):
    """A call, its words, and the comment above it."""

    file: str
    comment: str
    call: str
    words: str

    def __repr__(self) -> str:
        """Name the test after the words."""
        return self.words.split("\n")[0][:70]


def read(file: str) -> list[Said]:
    """Read a transcript."""
    blocks: list[tuple[list[str], list[str], list[str]]] = []
    comment: list[str] = []
    for line in (HERE / file).read_text(encoding="utf-8").split("\n"):
        if line.startswith(">>> "):
            blocks.append((comment, [line[4:]], []))
            comment = []
        elif line.startswith("... "):
            blocks[-1][1].append(line[4:])
        elif line.startswith("#"):
            comment.append(line)
        else:
            blocks[-1][2].append(line)
    return [Said(file, *("\n".join(part).strip("\n") for part in block)) for block in blocks]


def transcripts() -> dict[str, list[Said]]:
    """Read all transcripts."""
    return {path.name: read(path.name) for path in sorted(HERE.glob("*.txt"))}


@cache
def scene(file: str) -> dict[str, Any]:
    """Return the names that the calls of a transcript know."""
    doors = [properly, *(import_module(f"properly.{door}") for door in ("rules", *DOORS.split()))]
    names = {name: getattr(door, name) for door in doors for name in door.__all__}
    names |= {"math": math, "np": np, "pd": pd, "pl": pl, **_console()}
    for said in read(file):
        if not said.words:
            exec(said.call, names)  # noqa: S102
    return names


def _console() -> dict[str, Any]:
    """Return what runs commands, and what writes files for them; these go with the last command."""
    folder = TemporaryDirectory()

    def write(name: str, text: str) -> Path:
        path = Path(folder.name) / name
        path.write_text(text, encoding="utf-8")
        return path

    def beside(files: dict[str, str | bytes], call: Callable[[], Any]) -> Any:
        with TemporaryDirectory() as own, chdir(own):
            for name, content in files.items():
                data = content if isinstance(content, bytes) else content.encode()
                Path(name).write_bytes(data)
            return call()

    def shell(line: str) -> Result:
        with chdir(folder.name):
            return run(*shlex.split(line))

    def session(*lines: str) -> str:
        results = [shell(line) for line in lines]
        text = "\n\n".join(f"{_printed(x)}\n{x.stdout}".strip() for x in results)
        return re.sub(" +$", "", text, flags=re.MULTILINE)

    return {"write": write, "shell": shell, "session": session, "beside": beside}


def _printed(result: Result) -> str:
    """Return the exit code and what was printed as an error, without how a command is used."""
    text = re.sub(r"\AUsage: .*\n(Try .*\n)?\n?", "", result.stderr)
    return f"exit {result.exit_code}: {text}".rstrip()


def words(said: Said, **more: Any) -> list[str]:
    """Run a call, and return what it warns of and raises, or of its findings the one that is meant.

    More names are of what a call is run with in place of what its transcript has.
    """
    names = scene(said.file) | more
    result, refusals = None, []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", errors.DataWarning)
        try:
            result = eval(said.call, names)  # noqa: S307
        except REFUSALS as error:
            refusals = [error]
    if isinstance(result, Result):
        return [_printed(result)]
    if isinstance(result, str | list):
        return ["\n".join([result] if isinstance(result, str) else result)]
    if isinstance(result, Checkup):
        findings = [
            f"{x.name or x.severity} in {x.where}: {x.what}\n{x.advice}" for x in result.findings
        ]
        return [said.words] if said.words in findings else findings
    spoken = [*(warning.message for warning in caught), *refusals]
    return [f"{type(one).__name__}: {one}" for one in spoken]


def accept(file: str) -> None:
    """Write down what a transcript says now; which of several findings is meant stays."""
    lines: list[str] = []
    for said in read(file):
        now = words(said) if said.words else []
        text = now[0] if len(now) == 1 else said.words
        shown = ">>> " + said.call.replace("\n", "\n... ")
        lines += [*([""] if text and lines else []), *filter(None, (said.comment, shown, text))]
    (HERE / file).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for file in sys.argv[1:] or transcripts():
        accept(file)
