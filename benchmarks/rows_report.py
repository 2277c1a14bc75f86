"""The command line: how soon help appears, and how long a page takes, in fresh processes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.harness import REPORTED_TIME, Row
from benchmarks.samples import SEED, make_nothing

import properly

CASES = 100_000


class Files(NamedTuple):
    """Outcomes, three forecasts, and a file of both."""

    y: np.ndarray[Any, np.dtype[np.bool_]]
    p: dict[str, np.ndarray[Any, np.dtype[np.float64]]]
    path: Path


def make_file(cases: int) -> Files:
    """Write outcomes and the forecasts of three models, one calibrated, as CSV."""
    rng = np.random.default_rng(SEED)
    odds = rng.normal(-2, 1.5, cases)
    y = rng.random(cases) < 1 / (1 + np.exp(-odds))
    forms = {"right": odds, "sharp": 1.4 * odds, "vague": 0.6 * odds - 0.5}
    p = {name: 1 / (1 + np.exp(-x - rng.normal(0, 0.3, cases))) for name, x in forms.items()}
    path = Path(tempfile.mkdtemp()) / "forecasts.csv"
    columns = np.column_stack([y, *p.values()])
    np.savetxt(path, columns, delimiter=",", header=",".join(["y", *p]), comments="")
    return Files(y, p, path)


def report(data: Files) -> float:
    """Time the command that makes a page of the file, its start and its reading included."""
    output = data.path.with_suffix(".html")
    names = [word for name in data.p for word in ("--forecast", name)]
    options = ["--outcome", "y", *names, "--within", "0.05", "0.2"]
    return command_seconds(
        "-m", "properly", "report", str(data.path), *options, "--force", "--output", str(output)
    )


def evaluate(data: Files) -> float:
    """Time the evaluation alone."""
    start = time.perf_counter()
    properly.evaluate(data.y, data.p, within=(0.05, 0.2), rng=0)
    return time.perf_counter() - start


def command_seconds(*command: str) -> float:
    """Time Python with these arguments, its start included."""
    start = time.perf_counter()
    # Nothing but this package's own commands are run.
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    return time.perf_counter() - start


ROWS: tuple[Row[Any], ...] = (
    Row(
        "`properly --help`, a fresh process",
        '`python -c "import click"`',
        make_nothing,
        lambda _: command_seconds("-m", "properly", "--help"),
        lambda _: command_seconds("-c", "import click"),
        target="<= 1.6",
        cases=0,
        quantity=REPORTED_TIME,
        needs=("click",),
    ),
    Row(
        "`properly report`, three models, from a CSV file to a page, a fresh process",
        "`evaluate` alone",
        make_file,
        report,
        evaluate,
        target="<= 3",
        cases=CASES,
        quantity=REPORTED_TIME,
        needs=("click", "duckdb", "jinja2"),
    ),
)
