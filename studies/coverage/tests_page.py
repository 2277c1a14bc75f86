"""What the page about coverage says of tests of calibration, and of monitors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.coverage.tables import (
    covered,
    groups,
    one,
    percent,
    pick,
    rejected,
    shown,
    table,
)
from studies.coverage.tables import of_inference as of

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.coverage.tables import Rows


def calibration(rows: Rows) -> str:
    """Show sizes of all tests of calibration, in bold where too large, and then their power."""
    chosen = of(rows, "calibration")
    columns = groups(chosen, "distribution", "curve", "n")
    lines = []
    for (what,), group in groups(chosen, "what").items():
        cells = []
        for name, curve, n in columns:
            row = pick(group, distribution=name, curve=curve, n=n)[0]
            share = row["rejected_at_5"]
            cells.append(rejected(row) if curve == "calibrated" else shown(share))
        lines.append([f"`{what}`", *cells])
    titles = (
        f"{name}, n = {n}" if curve == "calibrated" else f"{curve}, n = {n}"
        for name, curve, n in columns
    )
    return table(["statistic", *titles], lines)


def calibration_in_clusters(rows: Rows) -> str:
    lines = []
    chosen = of(rows, "calibration in clusters")
    for (forecasts, count), group in groups(chosen, "forecasts", "clusters").items():
        ways = (("score", True), ("cox", True), ("cox", False))
        cells = (rejected(one(pick(group, what=what, told=told))) for what, told in ways)
        lines.append([forecasts, str(count), *cells])
    header = ["forecasts", "clusters", "`score` (default)", "`cox`"]
    return table([*header, "`cox`, not told of clusters"], lines)


def monitors(rows: Rows) -> str:
    lines = []
    for row in of(rows, "calibration monitor"):
        null = row["curve"] == "calibrated"
        share = rejected(row) if null else shown(row["rejected_at_5"])
        about = "calibrated" if null else f"true log-odds: {row['curve']}"
        lines.append(["calibration", f"{row['distribution']}, {about}", share])
    for row in of(rows, "comparison monitor"):
        null = row["better"] == "neither"
        share = rejected(row) if null else shown(row["rejected_at_5"])
        lines.append(["comparison", f"{row['better']} is better", share])
    return table(["evidence", "forecasts", "ever rejected"], lines)


def running(rows: Rows) -> str:
    lines = []
    for (rate,), group in groups(of(rows, "running difference"), "event_rate").items():
        lines.append([percent(rate), covered(one(group))])
    return table(["event rate", "interval for one look"], lines)


TABLES: dict[str, Callable[[Rows], str]] = {
    "inference_calibration": calibration,
    "inference_calibration_in_clusters": calibration_in_clusters,
    "inference_monitors": monitors,
    "inference_running": running,
}
