"""The pages about coverage, written from the numbers of the study and from their templates."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from studies.coverage import (
    bands_page,
    cells_page,
    decisions_page,
    dependence,
    designs,
    front_page,
    gaps,
    inference_page,
    meanings,
    monitors_page,
    panels,
    rare,
    recalibration_page,
    small_groups,
)
from studies.coverage.tables import pick

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.coverage.tables import Rows

DOCS = Path(__file__).resolve().parents[2] / "docs"


def templates() -> dict[str, Template]:
    """Read what the pages are made from, by the paths of the pages below the documentation."""
    files = [DOCS / "coverage.md.in", *sorted((DOCS / "coverage").glob("*.md.in"))]
    return {
        file.relative_to(DOCS).with_suffix("").as_posix(): Template(
            file.read_text(encoding="utf-8")
        )
        for file in files
    }


def render(found: dict[str, Any]) -> dict[str, str]:
    """Fill the numbers into the templates."""
    return {name: fill(template, found) for name, template in templates().items()}


def fill(template: Template, found: dict[str, Any]) -> str:
    """Write one page, of the tables that it asks for."""
    facts = facts_of(found)
    values = {
        name: TABLES[name](found["rows"]) if name in TABLES else facts[name]
        for name in template.get_identifiers()
    }
    return template.substitute(values).replace("\n\n\n", "\n\n")


def facts_of(found: dict[str, Any]) -> dict[str, str]:
    """Say how the numbers came about."""
    return {
        "command": found["command"],
        "preliminary": preliminary(found["scale"]),
        "versions": ", ".join(f"{name} {number}" for name, number in found["versions"].items()),
        "shortfall": f"{between(found['replicates']):.1f}",
        "shortfall_of_default": f"{between(1000):.1f}",
        **{name: str(found[name]) for name in REPLICATES},
        **{f"repeated_{part}": repeated(pick(found["rows"], part=part)) for part in PARTS},
    }


def preliminary(scale: float) -> str:
    if scale >= 1:
        return ""
    return (
        f"\n:::{{note}}\nThese numbers come from a short run, with {100 * scale:.3g} % of the "
        "repetitions that the study is meant to have.\n:::\n"
    )


def between(replicates: int) -> float:
    """Say which share lies between the quantiles of so many exact draws, on average."""
    # The k-th of B exact draws has k / (B + 1) of their distribution below it, on average.
    return 90 * (replicates - 1) / (replicates + 1)


def repeated(rows: Rows) -> str:
    """Say how often settings were repeated."""
    times = sorted({row["repetitions"] for row in rows})
    return f"{times[0]}" if len(times) == 1 else f"{times[0]} to {times[-1]}"


REPLICATES = ("replicates", "interval_replicates", "test_replicates")
PARTS = (
    "pointwise",
    "simultaneous",
    "intervals",
    "test",
    "clusters",
    "weights",
    "decisions",
    "inference",
    "cells",
    "recalibration",
    "rare",
    "meanings",
    "time",
    "panels",
    "gaps",
    "monitors",
    "groups",
    "designs",
)
TABLES: dict[str, Callable[[Rows], str]] = {
    **front_page.TABLES,
    **bands_page.TABLES,
    **decisions_page.TABLES,
    **inference_page.TABLES,
    **cells_page.TABLES,
    **recalibration_page.TABLES,
    **rare.TABLES,
    **meanings.TABLES,
    **dependence.TABLES,
    **panels.TABLES,
    **gaps.TABLES,
    **monitors_page.TABLES,
    **small_groups.TABLES,
    **designs.TABLES,
}
