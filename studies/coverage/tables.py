"""Shares and tables of the page about coverage."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Row: TypeAlias = dict[str, Any]
    Rows: TypeAlias = Sequence[Row]
    Pair: TypeAlias = tuple[float, float]

# Parts in which a repetition either holds or does not.
WHOLE = ("simultaneous", "intervals", "test")
FORECASTS = {10: "10 values", 50: "50 values", None: "continuous"}


def pick(rows: Rows, **facts: Any) -> list[Row]:
    """Choose rows by what they are about."""
    return [row for row in rows if all(row.get(name) == value for name, value in facts.items())]


def of_inference(rows: Rows, study: str, **facts: Any) -> list[Row]:
    """Choose rows of one study of inference."""
    return pick(rows, part="inference", study=study, **facts)


def groups(rows: Rows, *names: str) -> dict[tuple[Any, ...], list[Row]]:
    """Sort rows into groups, in order of appearance."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row.get(name) for name in names), []).append(row)
    return found


def pooled(rows: Rows, measure: str) -> Pair | None:
    """Average over settings, each counting the same, with the standard error of the average."""
    pairs = [row[measure] for row in rows if None not in row[measure]]
    if not pairs:
        return None
    # Exact, so that a tie is rounded alike by every version of Python.
    average = math.fsum(estimate for estimate, _ in pairs) / len(pairs)
    if rows[0]["part"] in WHOLE and measure != "width":
        return average, share_error(average, sum(row["repetitions"] for row in rows))
    return average, math.hypot(*(error for _, error in pairs)) / len(pairs)


def share_error(share: float, n: int) -> float:
    towards_half = (share * n + 1) / (n + 2)
    return math.sqrt(towards_half * (1 - towards_half) / n)


def is_short(pair: Pair | None, level: float = 0.9) -> bool:
    """Tell whether a share is below its level by more than two of its standard errors."""
    return pair is not None and pair[0] < level - 2 * pair[1]


def shown(pair: Pair | None, *, bold: bool = False) -> str:
    if pair is None:
        return "none"
    text = f"{100 * pair[0]:.1f} ± {100 * pair[1]:.1f}"
    return f"**{text}**" if bold else text


def held(rows: Rows, measure: str = "coverage") -> str:
    """Show coverage, in bold where it is short, with the mean width where there is one."""
    pair = pooled(rows, measure)
    width = pooled(rows, "width") if measure == "coverage" and "width" in rows[0] else None
    beside = "" if width is None else f" ({width[0]:.2f})"
    return shown(pair, bold=is_short(pair)) + beside


def covered(row: Row | None) -> str:
    """Show the coverage of a single setting, in bold where it is short."""
    if row is None or None in row["coverage"]:
        return "none"
    return shown(row["coverage"], bold=is_short(row["coverage"], row["level"]))


def rejected(row: Row | None) -> str:
    """Show how often a true hypothesis is rejected, in bold where that is too often."""
    if row is None:
        return "none"
    share, error = row["rejected_at_5"]
    return shown((share, error), bold=share > row["level"] + 2 * error)


def one(rows: Rows) -> Row | None:
    return rows[0] if rows else None


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Lay out a table in Markdown."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *lines))


def by_size(
    rows: Rows, titles: dict[str, str], measure: str = "coverage", show: Callable[..., str] = held
) -> str:
    """Make a table with a line for each group of settings and a column for each sample size."""
    sizes = sorted({row["n"] for row in rows})
    lines = []
    for names, group in groups(rows, *titles).items():
        cells = (pick(group, n=n) for n in sizes)
        said = [word(name, value) for name, value in zip(titles, names, strict=True)]
        lines.append([*said, *(show(cell, measure) if cell else "" for cell in cells)])
    return table([*titles.values(), *(f"n = {n}" for n in sizes)], lines)


def word(name: str, value: Any) -> str:
    """Put a fact into a word."""
    if name == "values":
        return FORECASTS[value]
    return f"`{value}`" if name in ("method", "chosen") and value != "auto" else str(value)
