"""Runs of the command that are interrupted at random moments: how long each takes to end.

Run as ``python -m tests.interrupted_runs NUMBER [SEED]``; prints what was left behind, and how many
seconds passed, and how many of them a processor was used, from the signal to the end.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

ROWS = 200_000
CLASSES = 10
MODELS = "--outcome y --forecast a --forecast b"
LABELS = ",".join(map(str, range(CLASSES)))
# The heaviest commands, and others that start all kinds of work.
COMMANDS = (
    f"report rows.csv {MODELS} --clusters cluster --output page.html",
    f"report rows.csv {MODELS} --clusters cluster --groups g --recalibrate --output page.html",
    f"report rows.csv {MODELS} --weight w --output page.html",
    f"report rows.csv {MODELS} --time t --output page.html",
    f"report classes.csv --outcome y --forecast p --classes {LABELS} --output page.html",
    f"score rows.csv {MODELS} --clusters cluster --intervals --format json --output s.json",
    f"compare rows.csv {MODELS} --clusters cluster --format json --output c.json",
    f"check rows.csv {MODELS} --clusters cluster",
    f"monitor rows.csv {MODELS} --state state.json",
    "recalibrate fit rows.csv --outcome y --forecast a --clusters cluster --output map.json",
    "leaderboard answers.csv --long question,forecaster,probability,outcome --output board.html",
    "reproduce corp --output figures",
    "audit",
    "demo",
)
# Seconds: moments from the first import to the bands of clusters, as many early as late.
FIRST, LAST = 0.01, 40.0
# Prints a line once signals are handled; before that, Python itself may print a traceback.
START = """
from properly import cli
run = cli._run

def start():
    print(flush=True)
    run()

cli._run = start
cli.main()
"""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Ending(NamedTuple):
    """How a run ended, and when after the signal; None as a code if it had ended before."""

    code: int | None
    seconds: float
    used: float
    printed: str
    left: list[str]


def write_data(folder: Path, rows: int = ROWS) -> None:
    """Write an event with two models, classes, and answers of many forecasters."""
    rng = np.random.default_rng(0)
    cluster = rng.integers(0, rows // 200, rows)
    truth = 1 / (1 + np.exp(-rng.normal(size=rows) - rng.normal(size=rows)[cluster] / 2))
    noise = truth * (1 - truth)
    near = [np.clip(truth + k * noise * rng.normal(size=rows), 1e-4, 1 - 1e-4) for k in (0.1, 0.2)]
    columns = (
        rng.random(rows) < truth,
        *near,
        cluster,
        rng.gamma(2, size=rows),
        cluster % 8,
        np.arange(rows) // 20,
    )
    _write(folder / "rows.csv", "y,a,b,cluster,w,g,t", columns)
    table = rng.dirichlet(np.ones(CLASSES), rows // 2)
    outcome = (table.cumsum(axis=1) < rng.random((rows // 2, 1))).sum(axis=1).clip(0, CLASSES - 1)
    names = ",".join(f"p_{k}" for k in range(CLASSES))
    _write(folder / "classes.csv", f"y,{names}", (outcome, *table.T))
    asked = rng.random((rows // 100, 100)) < 0.5
    question, forecaster = np.nonzero(asked)
    answers = (question, forecaster, rng.random(len(question)), question % 2)
    _write(folder / "answers.csv", "question,forecaster,probability,outcome", answers)


def _write(path: Path, header: str, columns: tuple[np.ndarray, ...]) -> None:
    np.savetxt(path, np.column_stack(columns), "%.6g", delimiter=",", header=header, comments="")


def interrupt(command: str, data: Path, delay: float, number: signal.Signals) -> Ending:
    """Start a command in an empty folder, send it a signal after a while, and wait for its end."""
    with TemporaryDirectory() as work, TemporaryDirectory() as temporary:
        words = [str(data / word) if (data / word).is_file() else word for word in command.split()]
        log = Path(temporary, "log")
        # What runs in the background may ignore Ctrl-C, and so would the command.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        with log.open("wb") as file:
            run = subprocess.Popen(  # noqa: S603
                [sys.executable, "-c", START, *words],
                cwd=work,
                env=os.environ | {"TMPDIR": temporary},
                stdout=subprocess.PIPE,
                stderr=file,
            )
        signal.signal(signal.SIGINT, before)
        assert run.stdout is not None
        run.stdout.read(1)
        time.sleep(delay)
        used = -_used(run.pid)
        os.kill(run.pid, number)
        start = time.monotonic()
        _, status, usage = os.wait4(run.pid, 0)
        seconds = time.monotonic() - start
        run.returncode = os.waitstatus_to_exitcode(status)
        run.stdout.close()
        printed = log.read_text()
        log.unlink()
        left = [str(path) for folder in (work, temporary) for path in Path(folder).rglob("*")]
        # Killed by the signal itself: Python was exiting, and no longer handled it.
        code = run.returncode if used and run.returncode != -number else None
        # All was done, and only the interpreter was left to end.
        if code == 0 and seconds < 1:
            code = None
        return Ending(code, seconds, used + usage.ru_utime + usage.ru_stime, printed, left)


def _used(process: int) -> float:
    """Return the seconds of processor that a process has used; 0 if it has ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (
        0.0 if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    )


def is_quiet(ending: Ending, number: signal.Signals) -> bool:
    """Return whether a run ended with the code of the signal, without a traceback or a file."""
    said = [x for x in ending.printed.splitlines() if x != "Interrupted." and "Warning: " not in x]
    return ending.code == 128 + number and not said and not ending.left


def main(runs: int, seed: int) -> None:
    """Interrupt as many runs, and print the distribution of what they took to end."""
    rng = random.Random(seed)  # noqa: S311
    endings: list[Ending] = []
    with TemporaryDirectory() as name:
        write_data(Path(name))
        while len(endings) < runs:
            command, number = rng.choice(COMMANDS), rng.choice(SIGNALS)
            delay = FIRST * (LAST / FIRST) ** rng.random()
            ending = interrupt(command, Path(name), delay, number)
            if ending.code is None:
                continue
            endings.append(ending)
            if ending.seconds > 2 or not is_quiet(ending, number):
                print(f"{command} after {delay:.2f} s, {number.name}: {ending}", flush=True)  # noqa: T201
    for what in ("seconds", "used"):
        values = [getattr(ending, what) for ending in endings]
        some = np.quantile(values, (0.5, 0.9, 1)).round(2).tolist()
        print(f"{what}: median {some[0]}, 90 % {some[1]}, longest {some[2]}, of {len(values)}")  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
