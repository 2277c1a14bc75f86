"""Results as a table for the terminal, as JSON, and as the page of the documentation."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.harness import Result, Row

PACKAGES = (
    "properly",
    "numpy",
    "scipy",
    "scikit-learn",
    "model-diagnostics",
    "pandas",
    "duckdb",
    "narwhals",
    "dcurves",
    "hmeasure",
    "dlordinal",
    "torch",
    "xgboost",
    "lightgbm",
)
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "computing.md.in"
HEADER = ("what", "against", "cases", "ratio", "spread", "target", "holds")


@dataclass(frozen=True)
class Run:
    """Everything that one run of the benchmark found.

    Attributes
    ----------
    command : str
        What to type for the same run.
    rounds : int
        How many ratios were formed for each row.
    results : tuple of Result
        One a row.
    left_out : tuple of Row
        Rows whose peer is not installed.
    """

    command: str
    rounds: int
    results: tuple[Result, ...]
    left_out: tuple[Row[Any], ...] = ()

    @property
    def notes(self) -> list[str]:
        """Sentences about rows that were left out, or measured at another size than theirs."""
        lines = [
            f"Left out, since {', '.join(row.missing)} is not installed: {row.label}."
            for row in self.left_out
        ]
        if any(result.cases != result.row.cases for result in self.results):
            lines.append("Targets are meant for each row's own number of cases, not for this one.")
        return lines

    @property
    def verdict(self) -> str:
        """Say how many targets hold, and name those that do not."""
        held = [result for result in self.results if result.holds is not None]
        failed = [result.row.label for result in held if not result.holds]
        lines = [f"{len(held) - len(failed)} of {len(held)} targets hold"]
        return "\n".join([*lines, *(f"does not hold: {label}" for label in failed)])

    def to_json(self) -> str:
        """Return every number, the versions and the kind of machine."""
        found = {
            "command": self.command,
            "versions": versions(),
            "machine": machine(),
            "rounds": self.rounds,
            "rows": [result.to_dict() for result in self.results],
            "left_out": [row.label for row in self.left_out],
        }
        return json.dumps(found, indent=2) + "\n"

    def to_markdown(self) -> str:
        """Return the page for the documentation."""
        names = ", ".join(f"{name} {number}" for name, number in versions().items())
        text = Template(PAGE.read_text(encoding="utf-8")).substitute(
            command=self.command,
            table=markdown_table([cells(result) for result in self.results]),
            notes="".join(f"\n{line}\n" for line in self.notes),
            versions=names,
            machine=machine_words(machine()),
            rounds=f"{self.rounds} rounds",
        )
        return text.replace("\n\n\n", "\n\n")


def versions() -> dict[str, str]:
    """Return the versions of Python and of every package that is installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """Return the kind of machine and what it had to do, and nothing that would name it."""
    return {
        "cores": os.cpu_count(),
        "arch": platform.machine(),
        "system": platform.system(),
        "processor": processor(),
        "blas": blas(),
        "load": [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None,
    }


def processor() -> str:
    """Return what the processor calls itself, as far as the system tells."""
    about = Path("/proc/cpuinfo")
    lines = about.read_text(encoding="utf-8").splitlines() if about.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def blas() -> list[str]:
    """Return the kind of each BLAS that is loaded, with its kernels and its threads."""
    if find_spec("threadpoolctl") is None:
        return []
    from threadpoolctl import threadpool_info

    return [
        f"{pool['internal_api']} {pool['version']}, {pool.get('architecture', 'one kernel')}, "
        f"{pool['num_threads']} threads"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    ]


def machine_words(kind: dict[str, Any]) -> str:
    """Return the kind of machine in words."""
    load = " and ".join(f"{x:.1f}" for x in kind["load"][::2]) if kind["load"] else "unknown"
    return "; ".join(
        (
            f"{kind['cores']} cores, {kind['arch']}, {kind['system']}",
            f"processor {kind['processor']}",
            *(f"BLAS {each}" for each in kind["blas"]),
            f"load over the last 1 and 15 minutes {load}",
        )
    )


def cells(result: Result) -> tuple[str, ...]:
    """Return one line of the table."""
    low, high = result.spread
    faster = " times faster" if result.row.is_times_faster else ""
    return (
        result.row.name,
        result.row.against,
        f"{result.cases:,}" if result.cases else "",
        f"{result.median:.3g}{faster}",
        f"{low:.3g} to {high:.3g}",
        result.row.target or "",
        {True: "yes", False: "no", None: ""}[result.holds],
    )


def markdown_table(lines: Sequence[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    ruler = tuple("---" for _ in HEADER)
    escaped = (tuple(cell.replace("|", r"\|") for cell in line) for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in (HEADER, ruler, *escaped)) + "\n"


def text_table(lines: Sequence[tuple[str, ...]]) -> str:
    """Return a table in plain text."""
    plain = [_without_markup(line) for line in (HEADER, *lines)]
    widths = [max(map(len, column)) for column in zip(*plain, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in plain
    )


def print_table(results: Sequence[Result]) -> None:
    """Print results with rich where it is installed, else as plain text."""
    lines = [cells(result) for result in results]
    if find_spec("rich") is None:
        print(text_table(lines))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(show_lines=True)
    for title in HEADER:
        table.add_column(title, overflow="fold")
    for line in lines:
        table.add_row(*_without_markup(line), style="red" if line[-1] == "no" else None)
    Console(markup=False, highlight=False).print(table)


def _without_markup(line: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(cell.replace("`", "") for cell in line)
