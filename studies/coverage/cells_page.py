"""What the page about coverage says of draws in cells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from studies.coverage.tables import pick, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.coverage.tables import Row, Rows

HEADER = (
    "rule",
    "number",
    "without cells",
    "mean difference",
    "in Monte-Carlo standard deviations",
    "root mean square in these",
)


def cells(slope: float) -> Callable[[Rows], str]:
    """Set numbers by draws in cells against those by draws of all forecasts."""

    def make(rows: Rows) -> str:
        return table(HEADER, [_line(row) for row in pick(rows, part="cells", slope=slope)])

    return make


def _line(row: Row) -> list[str]:
    difference, error = row["difference"]
    line = [row["rule"], row["what"], f"{row['value'][0]:.3g}", f"{difference:+.1e}"]
    deviation = math.sqrt(row["chance"][0])
    if deviation == 0:
        return [*line, "none", "none"]
    root = math.sqrt(row["square"][0])
    # The mean of so many differences can be off by its standard error.
    mean = f"{difference / deviation:+.2f} ± {error / deviation:.2f}"
    return [*line, mean, f"{root / deviation:.2f}"]


def largest(slope: float) -> Callable[[Rows], str]:
    """Give the largest root mean square of a difference."""

    def tell(rows: Rows) -> str:
        known = [r for r in pick(rows, part="cells", slope=slope) if r["chance"][0] > 0]
        return f"{max(math.sqrt(row['square'][0] / row['chance'][0]) for row in known):.2f}"

    return tell


TABLES: dict[str, Callable[[Rows], str]] = {
    "cells_calibrated": cells(1.0),
    "cells_miscalibrated": largest(0.75),
}
