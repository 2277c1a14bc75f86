"""Rows that a clock around a call cannot see: imports, commands, memory, in fresh processes."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness import REPORTED_MEMORY, REPORTED_TIME, Row
from benchmarks.parquet_files import Folder
from benchmarks.rows_spine import SPINE, spine
from benchmarks.samples import make_nothing, make_rounded, make_sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.samples import DesignedJob, Job, Sample

ROOT = Path(__file__).resolve().parent.parent

IMPORT = """
import time
start = time.perf_counter()
import {modules}
print(time.perf_counter() - start)
"""

# A small run comes first in both processes: what is imported or started once is no memory of the
# computation.
PEAK = """
import sys
from {module} import {name}
from benchmarks.samples import {make}
{name}({make}(*{before}, 1000))
data = {make}(*{before}, int(sys.argv[2]))
if sys.argv[1] == "compute":
    {name}(data)
"""

# A process begins with the high-water mark of the one that started it. So this small one stands
# between the benchmark, which is large, and the process that is measured.
WATCH = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-c", *sys.argv[1:]], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""

# The time that a process computes, however many others share the machine.
COMPUTING = """
import resource, subprocess, sys
nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
subprocess.run([sys.executable, *sys.argv[1:]], check=True, **nowhere)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime)
"""


def import_seconds(modules: str) -> float:
    """Time an import in a fresh interpreter, its own start left out."""
    return float(_run_python(IMPORT.format(modules=modules)))


def computing_seconds(*arguments: str) -> float:
    """Measure how long a fresh interpreter computes, its own start and end included."""
    return float(_run_python(COMPUTING, *arguments))


def make_csv(cases: int) -> Folder:
    """Write outcomes and forecasts as text, forecasts with six digits."""
    data, folder = make_sample(cases), Folder()
    lines = (f"{y:d},{p:.6f}" for y, p in zip(data.y, data.p, strict=True))
    (folder.path / "forecasts.csv").write_text("\n".join(["y,p", *lines, ""]))
    return folder


def score_csv(folder: Folder) -> float:
    """Measure the command, from its start to its end."""
    file = str(folder.path / "forecasts.csv")
    return computing_seconds("-m", "properly", "score", file, "--outcome", "y", "--forecast", "p")


def traced_peak(compute: Callable[[Any], Any]) -> Callable[[Any], float]:
    """Measure the peak of what Python and numpy allocate while a function runs, in bytes."""

    def peak_of(data: Any) -> float:
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            compute(data)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        return float(peak - before)

    return peak_of


def resident_peak(
    compute: Callable[[Any], Any], make: Callable[..., Any] = make_sample, *before: str
) -> Callable[[Any], float]:
    """Measure how much higher a process that computes peaks than one that makes its data.

    Both processes are fresh, so the function must be one of a module. What makes the data may take
    words before the number of cases.
    """
    names = {"module": compute.__module__, "name": compute.__name__, "make": make.__name__}
    code = PEAK.format(**names, before=before)

    def peak_of(data: Any) -> float:
        cases = str(len(data.y))
        computing, idle = (
            int(_run_python(WATCH, code, work, cases)) for work in ("compute", "nothing")
        )
        unit = 1 if sys.platform == "darwin" else 1024
        return float((computing - idle) * unit)

    return peak_of


def input_bytes(data: Sample | Job | DesignedJob) -> float:
    """Return the memory of the input."""
    return float(data.bytes)


def _run_python(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    # Nothing but this file's own code is run.
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    return done.stdout


ROWS: tuple[Row[Any], ...] = (
    Row(
        "`import properly`, `properly.evaluate`",
        "`import numpy, scipy.optimize`",
        make_nothing,
        lambda _: import_seconds("properly; properly.evaluate"),
        lambda _: import_seconds("numpy, scipy.optimize"),
        target="<= 1.5",
        cases=0,
        quantity=REPORTED_TIME,
    ),
    Row(
        "`properly score` of a CSV file: processor time",
        "a process that runs `import numpy, duckdb`",
        make_csv,
        score_csv,
        lambda _: computing_seconds("-c", "import numpy, duckdb"),
        target="<= 2",
        cases=10_000,
        quantity=REPORTED_TIME,
        needs=("click", "duckdb", "resource"),
    ),
    Row(
        f"{SPINE}: peak memory allocated",
        "memory of the input",
        make_sample,
        traced_peak(spine),
        input_bytes,
        target="<= 4",
        quantity=REPORTED_MEMORY,
    ),
    Row(
        f"{SPINE}, some forecasts tied: peak memory allocated",
        "memory of the input",
        make_rounded,
        traced_peak(spine),
        input_bytes,
        quantity=REPORTED_MEMORY,
    ),
    Row(
        f"{SPINE}: peak memory resident",
        "memory of the input",
        make_sample,
        resident_peak(spine),
        input_bytes,
        target="<= 4",
        quantity=REPORTED_MEMORY,
        needs=("resource",),
    ),
)
