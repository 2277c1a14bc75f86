"""Measure how time and memory grow with the number of rows; print, keep and publish it.

Run with ``make bench``, or ``python benchmarks/sizes.py --help``. It never fails because of a
timing. What is measured stands in `WORKS` below.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

# The benchmarks are not part of the package.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.parquet_files import MODELS, Folder, write_models
from benchmarks.size_words import Run, Sized, size, with_table
from benchmarks.writing import machine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RESULTS = Path(__file__).resolve().parent / "results"
PACKAGES = ("properly", "numpy", "duckdb", "narwhals", "polars", "pandas", "pyarrow")
# So few rows cost nothing: what is measured of them is the start of the interpreter.
NO_ROWS, FIRST, MOST = 1_000, 1_000_000, 100_000_000
# Three forecasts that cannot be packed, and outcomes that can.
BYTES_PER_ROW = 25
# A file has no more rows than these; for more of them, it stands there under several names.
PIECE = 100_000_000
FRAMES = 10_000_000

# A process begins with the high-water mark of the one that started it. So this small one stands
# between the benchmark and the process that is measured.
WATCH = """
import resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run([sys.executable, *sys.argv[1:]], stdout=subprocess.DEVNULL)
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""
POLARS = f"""
import sys, polars, properly
frame = polars.scan_parquet(sys.argv[1])
properly.evaluate(properly.summarize(frame, {list(MODELS)}, outcome="y"), replicates=0)
"""
PANDAS = f"""
import sys, pandas, properly
properly.evaluate(pandas.read_parquet(sys.argv[1]), {list(MODELS)}, outcome="y", replicates=0)
"""


@dataclass(frozen=True)
class Work:
    """What is done with a file, in a process of its own.

    Attributes
    ----------
    name : str
        What stands above its column.
    arguments : tuple of str
        What the interpreter is given; FILE and PAGE stand for paths.
    most, limit : int or None
        The most rows that it is asked of, and the memory that it is told to keep to, in bytes.
    needs : tuple of str
        Modules without which it is left out.
    """

    name: str
    arguments: tuple[str, ...]
    most: int | None = None
    limit: int | None = None
    needs: tuple[str, ...] = ("resource",)

    @property
    def is_installed(self) -> bool:
        """Whether there is all that it needs."""
        return all(find_spec(module) is not None for module in self.needs)

    def command(self, files: Sequence[Path]) -> list[str]:
        """Return the arguments for some files."""
        paths = {"FILE": map(str, files), "PAGE": [str(files[0].with_suffix(".html"))]}
        return [word for argument in self.arguments for word in paths.get(argument, [argument])]


SCORE = ("-m", "properly", "score", "FILE", "--memory", "1GB", "--format", "json")
REPORT = ("-m", "properly", "report", "FILE", "--memory", "1GB", "--within", "0.05", "0.2")
COMMANDS = ("resource", "click", "duckdb")
WORKS = (
    Work("`properly score`", SCORE, limit=1_000_000_000, needs=COMMANDS),
    Work(
        "`properly report`",
        (*REPORT, "--force", "--output", "PAGE"),
        limit=1_000_000_000,
        needs=(*COMMANDS, "jinja2"),
    ),
    Work("polars", ("-c", POLARS, "FILE"), most=FRAMES, needs=("resource", "polars")),
    Work("pandas", ("-c", PANDAS, "FILE"), most=FRAMES, needs=("resource", "pandas", "pyarrow")),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure all sizes as the command line asks; fail only if something that was run failed."""
    options = parse(arguments)
    run = measure_all(options)
    print(run.to_text())
    keep(options.json, json.dumps(asdict(run), indent=2) + "\n")
    if options.markdown:
        page = options.markdown.read_text(encoding="utf-8")
        keep(options.markdown, with_table(page, run.to_markdown()))
    return int(any(found.failed for found in run.found))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    parser = argparse.ArgumentParser(
        description="Measure how time and memory grow with the number of rows."
    )
    add = parser.add_argument
    add("--most", type=float, default=MOST, metavar="N", help=f"rows at most (default: {MOST:,})")
    add("--json", type=Path, default=RESULTS / f"sizes-{now}.json", help="where to write numbers")
    add("--markdown", type=Path, help="a page to write the table into, such as docs/any-size.md")
    return parser.parse_args(arguments)


def measure_all(options: argparse.Namespace) -> Run:
    """Measure every size that there is room for."""
    found: list[Sized] = []
    notes = [
        f"{work.name} was left out: it needs {', '.join(work.needs)}."
        for work in WORKS
        if not work.is_installed
    ]
    for rows in sizes_up_to(options.most):
        folder = Folder()
        if not is_room(folder.path, rows):
            notes.append(f"{rows:,} rows were left out: the disk is too full for them.")
            break
        if rows > PIECE:
            notes.append(f"{rows:,} rows are the same {PIECE:,} rows {rows // PIECE} times.")
        found += measure_size(folder.path, rows)
    command = f"python benchmarks/sizes.py --most {options.most:.0f}"
    versions = {name: version(name) for name in PACKAGES if find_spec(name) is not None}
    return Run(command, tuple(found), tuple(notes), versions, machine() | {"memory": memory()})


def sizes_up_to(most: float) -> Iterator[int]:
    """Return next to nothing, a million, and ten times as many each time."""
    yield NO_ROWS
    rows = FIRST
    while rows <= most:
        yield rows
        rows *= 10


def is_room(folder: Path, rows: int) -> bool:
    """Tell whether a file would take less than a third of what is free."""
    return shutil.disk_usage(folder).free >= 3 * BYTES_PER_ROW * min(rows, PIECE)


def measure_size(folder: Path, rows: int) -> Iterator[Sized]:
    """Write a file, and measure all that is to be done with so many rows."""
    print(f"writing {rows:,} rows", flush=True)
    files = write(folder, rows)
    for work in WORKS:
        if work.is_installed and (work.most is None or rows <= work.most):
            print(f"measuring {work.name.replace('`', '')}, {rows:,} rows", flush=True)
            yield measure(work, files, rows)


def write(folder: Path, rows: int) -> list[Path]:
    """Write a file, and give it as many names as it takes to have all rows."""
    first = folder / "forecasts.parquet"
    write_models(first, min(rows, PIECE))
    others = [folder / f"again-{k}.parquet" for k in range(1, rows // PIECE)]
    for name in others:
        os.link(first, name)
    return [first, *others]


def measure(work: Work, files: Sequence[Path], rows: int) -> Sized:
    """Time one piece of work in a fresh process, and find the most memory that it had."""
    command = [sys.executable, "-c", WATCH, *work.command(files)]
    # Nothing but this package's own commands are run.
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603
    seconds, peak = map(float, done.stdout.split())
    unit = 1 if sys.platform == "darwin" else 1024
    failed = "" if done.returncode == 0 else (done.stderr.splitlines() or ["killed"])[-1]
    took = (sum(file.stat().st_size for file in files), seconds, int(peak * unit))
    return Sized(work.name, rows, *took, work.limit, failed)


def memory() -> str:
    """Return the memory of the machine."""
    return size(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def keep(path: Path, text: str) -> None:
    """Write a file, in a new folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"written: {path}")


if __name__ == "__main__":
    sys.exit(main())
