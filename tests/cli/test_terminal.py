"""Names that a terminal would obey: spelled out on one, as they are in a pipe or a file."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import threading
import unicodedata
from pathlib import Path

import pytest
from tests.command_line import run, write_forecasts

from properly import cli

pty = pytest.importorskip("pty", reason="there are no such terminals")

# Wipes the screen; rings; turns letters round; C1 codes, as if an escape came before; ends a line.
HOSTILE = ("\x1b[2J", "\x07", "\u202e", "\x9b2J", "\x85", "\u2028", "\x7f")
MODEL = f"go{''.join(HOSTILE)}od"
FILE = f"fore{''.join(HOSTILE)}casts.csv"
COLUMN = f"se{''.join(HOSTILE)}x"
COPY = f"{MODEL} again"
ONE = ("--outcome", "y", "--forecast", MODEL)
TWO = (*ONE, "--forecast", "poor")
QUICK = ("--rule", "brier", "--replicates", "0")
LONG = ("--long", f"accident,{COLUMN},good,y")


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_forecasts(Path("plain.csv"))
    head, *lines = csv.reader(Path("plain.csv").read_text(encoding="utf-8").splitlines())
    renamed = [{"good": MODEL, "sex": COLUMN}.get(name, name) for name in head]
    with Path(FILE).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[*renamed, COPY], *([*line, line[1]] for line in lines)])
    long = [
        f"{i},fore{HOSTILE[k]}caster {k},{(i + k) % 9 / 10},{i % 2}"
        for i in range(20)
        for k in range(3)
    ]
    text = "\n".join([f"accident,{COLUMN},good,y", *long]) + "\n"
    Path(f"long{FILE}").write_text(text, encoding="utf-8", newline="")


def on_a_terminal(*arguments: str) -> tuple[int, str]:
    """Run a command whose streams are a terminal, and return what is seen on that."""
    ours, theirs = pty.openpty()
    seen: list[bytes] = []

    def look() -> None:
        # On Linux it is an error to read on once nobody writes.
        try:
            while piece := os.read(ours, 1 << 16):
                seen.append(piece)
        except OSError:
            pass

    reader = threading.Thread(target=look)
    reader.start()
    status = 0
    with pytest.MonkeyPatch.context() as patch, os.fdopen(theirs, "w", encoding="utf-8") as stream:
        patch.setattr(sys, "argv", ["properly", *arguments])
        patch.setattr(sys, "stdout", stream)
        patch.setattr(sys, "stderr", stream)
        try:
            cli.main()
        except SystemExit as end:
            status = int(end.code or 0)
        assert sys.stdout is stream
    reader.join()
    os.close(ours)
    return status, b"".join(seen).decode().replace("\r\n", "\n")


def obeyed(text: str) -> set[str]:
    """Return what a terminal would obey, less what is meant."""
    found = (letter for letter in text if unicodedata.category(letter)[0] == "C")
    return {*found, *("\u2028" * text.count("\u2028"))} - {"\n"}


COMMANDS = [
    *(("score", FILE, *TWO, *QUICK, "--format", x) for x in ("table", "json", "csv", "markdown")),
    ("score", FILE, *TWO, *QUICK, "--format", "latex"),
    ("score", FILE, *TWO, *QUICK, "--groups", COLUMN),
    *(("compare", FILE, *TWO, "--format", x) for x in ("text", "json", "csv")),
    *(("check", FILE, *ONE, "--forecast", COPY, "--format", x) for x in ("text", "json")),
    *(("leaderboard", f"long{FILE}", *LONG, "--format", x) for x in ("text", "json", "csv")),
    ("recalibrate", "fit", FILE, *ONE, "--map", "logistic", "--always", "--output", f"map{FILE}"),
    ("report", FILE, *TWO, *QUICK, "--output", f"{FILE}.html", "--groups", COLUMN),
    ("demo", "--data", f"crash{FILE}"),
]


@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda x: f"{x[0]} {x[-1]}".encode("unicode_escape")
)
def test_whatever_the_format_a_terminal_sees_names_spelled_out(command: tuple[str, ...]) -> None:
    status, seen = on_a_terminal(*command)
    # The bar moves the cursor, before all else and in its own way.
    said = seen.rpartition("\x1b[2K")[2]
    assert status == 0, seen
    assert said
    assert obeyed(said) == set()
    assert not any(each in seen for each in HOSTILE)
    assert re.search(r"x1b|u001b", said)


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (("score", f"no{FILE}", *TWO), 1),
        (("score", FILE, "--outcome", COLUMN, "--forecast", MODEL), 2),
        (("score", FILE, "--outcome", f"no{MODEL}", "--forecast", MODEL), 1),
        (("score", FILE, *ONE, f"--{MODEL}"), 2),
        (("score", FILE, *ONE, "--format", MODEL), 2),
        (("score", FILE, *ONE, "--rule", MODEL), 2),
        (("score", FILE, *ONE, "--fail-if", f"{MODEL}:brier>0"), 3),
        (("score", FILE, *ONE, "--fail-if", f"no{MODEL}:brier>0"), 2),
        (("report", FILE, *ONE, "--output", f"{FILE}/page.html"), 1),
        ((MODEL,), 2),
    ],
)
def test_what_is_refused_is_spelled_out_too(command: tuple[str, ...], status: int) -> None:
    found, seen = on_a_terminal(*command)
    said = seen.rpartition("\x1b[2K")[2]
    assert (found, obeyed(said)) == (status, set()), seen
    assert not any(each in seen for each in HOSTILE)
    assert re.search(r"x1b|u001b", said)


@pytest.mark.slow
def test_a_pipe_gets_the_names_as_they_are() -> None:
    command = [sys.executable, "-m", "properly", "score", FILE, *TWO, *QUICK, "--format"]
    for layout in ("csv", "json"):
        done = subprocess.run([*command, layout], capture_output=True, check=True, timeout=200)  # noqa: S603
        text = done.stdout.decode()
        names = (
            {row["model"] for row in csv.DictReader(io.StringIO(text, newline=""))}
            if layout == "csv"
            else set(json.loads(text)["models"])
        )
        assert MODEL in names
        assert "\u202e" in text


def test_a_file_gets_what_a_pipe_gets() -> None:
    command = ("score", FILE, *TWO, *QUICK, "--format", "csv")
    status, seen = on_a_terminal(*command, "--output", "scores.csv")
    assert (status, obeyed(seen.rpartition("\x1b[2K")[2])) == (0, set())
    assert Path("scores.csv").read_bytes().decode() == run(*command).stdout
