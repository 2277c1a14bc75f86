"""Measure ratios between the library and its peers; print, keep and publish them.

Run with ``make bench``, or ``python benchmarks/run.py --help``. It never fails because of a timing.
A new row goes into the file of its subject, a new file into `ROWS` below.
"""

from __future__ import annotations

import argparse
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The benchmarks are not part of the package.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import (
    rows_answers,
    rows_classes,
    rows_corp,
    rows_decision,
    rows_frames,
    rows_inference,
    rows_jobs,
    rows_means,
    rows_process,
    rows_recalibration,
    rows_report,
    rows_spine,
    rows_training,
)
from benchmarks.harness import measure
from benchmarks.writing import Run, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.harness import Row

RESULTS = Path(__file__).resolve().parent / "results"
ROWS: tuple[Row[Any], ...] = (
    *rows_spine.ROWS,
    *rows_corp.ROWS,
    *rows_decision.ROWS,
    *rows_classes.ROWS,
    *rows_means.ROWS,
    *rows_inference.ROWS,
    *rows_recalibration.ROWS,
    *rows_answers.ROWS,
    *rows_process.ROWS,
    *rows_report.ROWS,
    *rows_frames.ROWS,
    *rows_training.ROWS,
    *rows_jobs.ROWS,
)
QUICK = 100_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark as the command line asks."""
    options = parse(arguments)
    rows = choose(options.only)
    if not rows:
        print(
            f"no row matches {options.only!r}; there are:", *sorted(r.label for r in ROWS), sep="\n"
        )
        return 0
    run = measure_all(rows, options)
    print_table(run.results)
    print(*run.notes, run.verdict, sep="\n")
    keep(options.json, run.to_json())
    if options.markdown:
        keep(options.markdown, run.to_markdown())
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    parser = argparse.ArgumentParser(
        description="Measure ratios between the library and its peers."
    )
    add = parser.add_argument
    add("--rounds", type=int, default=5, help="ratios for each row (default: 5)")
    add(
        "--rows", type=int, metavar="N", help="cases in every row, instead of each row's own number"
    )
    add("--quick", action="store_true", help=f"the same as --rows {QUICK}")
    add("--only", metavar="PATTERN", help="only rows whose name matches, a regular expression")
    add("--json", type=Path, default=RESULTS / f"{now}.json", help="where to write every number")
    add("--markdown", type=Path, help="where to write the page, as in docs/benchmarks/computing.md")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds must be 1 or more")
    if options.quick:
        options.rows = QUICK
    return options


def choose(pattern: str | None) -> tuple[Row[Any], ...]:
    """Return the rows whose name matches, in any case of letters."""
    return tuple(
        row for row in ROWS if pattern is None or re.search(pattern, row.label, re.IGNORECASE)
    )


def measure_all(rows: Sequence[Row[Any]], options: argparse.Namespace) -> Run:
    """Measure each row whose peer is installed."""
    results = []
    for row in rows:
        if not row.missing:
            print(f"measuring {row.label}", flush=True)
            results.append(measure(row, rounds=options.rounds, cases=options.rows))
    left_out = tuple(row for row in rows if row.missing)
    return Run(command_of(options), options.rounds, tuple(results), left_out)


def command_of(options: argparse.Namespace) -> str:
    """Return the command without its paths, which are no business of the reader's."""
    parts = ["python benchmarks/run.py", f"--rounds {options.rounds}"]
    parts += [f"--rows {options.rows}"] if options.rows else []
    parts += [f"--only '{options.only}'"] if options.only else []
    return " ".join(parts)


def keep(path: Path, text: str) -> None:
    """Write a file, in a new folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"written: {path}")


if __name__ == "__main__":
    sys.exit(main())
