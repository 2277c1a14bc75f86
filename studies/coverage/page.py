"""The page about coverage, written from the numbers of the study and from ``coverage.md.in``."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from string import Template
from typing import TYPE_CHECKING, Any

from studies.coverage import (
    cells_page,
    decisions_page,
    dependence,
    gaps,
    inference_page,
    meanings,
    monitors_page,
    panels,
    rare,
    recalibration_page,
)
from studies.coverage.tables import (
    FORECASTS,
    by_size,
    groups,
    held,
    is_short,
    pick,
    pooled,
    shown,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.coverage.tables import Row, Rows

TEMPLATE = Path(__file__).resolve().parents[2] / "docs" / "coverage.md.in"
BANDS = (
    ("consistency", "auto", "consistency, default"),
    ("consistency", "resampling", "consistency, `resampling`"),
    ("consistency", "discrete", "consistency, `discrete`"),
    ("consistency", "continuous", "consistency, `continuous`"),
    ("confidence", "auto", "confidence, default (`likelihood`)"),
    ("confidence", "resampling", "confidence, `resampling`"),
    ("confidence", "discrete", "confidence, `discrete`"),
    ("confidence", "continuous", "confidence, `continuous`"),
)


def render(found: dict[str, Any]) -> str:
    """Fill the numbers into the template."""
    rows = found["rows"]
    text = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        command=found["command"],
        preliminary=preliminary(found["scale"]),
        versions=", ".join(f"{name} {number}" for name, number in found["versions"].items()),
        replicates=found["replicates"],
        interval_replicates=found["interval_replicates"],
        test_replicates=found["test_replicates"],
        shortfall=f"{between(found['replicates']):.1f}",
        shortfall_of_default=f"{between(1000):.1f}",
        **{f"repeated_{part}": repeated(pick(rows, part=part)) for part in PARTS},
        **{name: make(rows) for name, make in TABLES.items()},
    )
    return text.replace("\n\n\n", "\n\n")


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


def _by_curve(rows: Rows) -> list[Row]:
    return [row for group in groups(rows, "curve").values() for row in group]


def _by_forecasts(rows: Rows) -> list[Row]:
    return [row for values in FORECASTS for row in pick(rows, values=values)]


def glance(rows: Rows) -> str:
    """Give the range over all single settings for each band."""
    chosen = [
        (label, pick(rows, part="pointwise", band=kind, method=method))
        for kind, method, label in BANDS
    ]
    for method in ("cells", "ungrouped"):
        label = f"simultaneous, {'default (`cells`)' if method == 'cells' else '`ungrouped`'}"
        chosen.append((label, pick(rows, part="simultaneous", method=method)))
    lines = []
    for label, of_band in chosen:
        pairs = [row["coverage"] for row in of_band]
        low, high = min(pairs), max(pairs)
        middle = f"{100 * median(p[0] for p in pairs):.1f}"
        few = f"{sum(is_short(p) for p in pairs)} of {len(pairs)}"
        lines.append([label, shown(low), middle, shown(high), few])
    return table(["band", "lowest", "median", "highest", "short of 90 %"], lines)


def shortfalls(rows: Rows) -> str:
    """Say for each pointwise band where it covers less than its level."""
    lines = []
    for kind, method, label in BANDS:
        of_band = pick(rows, part="pointwise", band=kind, method=method)
        lines.append([label, places(of_band, "coverage"), places(of_band, "worst")])
    return table(["band", "on average over the forecasts", "in the worst tenth"], lines)


def places(rows: Rows, measure: str) -> str:
    """Name the curves at which a band is short, how often, and how much at the worst."""
    said = []
    for (curve,), group in groups(rows, "curve").items():
        cells = groups(group, "values", "n")
        pairs = {key: pooled(cell, measure) for key, cell in cells.items()}
        short = {key: pair for key, pair in pairs.items() if pair and is_short(pair)}
        if short:
            values, n = min(short, key=lambda key: short[key])
            least = f"{shown(short[values, n])} ({FORECASTS[values]}, n = {n})"
            said.append(f"{curve}: {len(short)} of {len(pairs)}, lowest {least}")
    return "; ".join(said) or "nowhere"


def consistency(rows: Rows, measure: str = "coverage") -> str:
    of_band = pick(rows, part="pointwise", band="consistency")
    return by_size(_by_forecasts(of_band), {"values": "forecasts", "method": "method"}, measure)


def choices(rows: Rows) -> str:
    """Say which method the default is."""
    of_band = pick(rows, part="pointwise", band="consistency", method="auto")

    def chosen(cell: Rows, _: str) -> str:
        return " or ".join(sorted({f"`{row['chosen']}`" for row in cell}))

    return by_size(_by_forecasts(of_band), {"values": "forecasts"}, show=chosen)


def confidence(rows: Rows, measure: str = "coverage") -> str:
    of_band = pick(rows, part="pointwise", band="confidence", method="auto")
    return by_size(_by_curve(of_band), {"curve": "curve", "values": "forecasts"}, measure)


def along(rows: Rows) -> str:
    """Show where along the forecasts the default confidence band is short."""
    of_band = pick(rows, part="pointwise", band="confidence", method="auto", values=None)
    lines = []
    for (curve,), group in groups(of_band, "curve").items():
        cells = []
        for tenth in range(10):
            here = [row | {"here": row["by_tenth"][tenth]} for row in group]
            pair = pooled(here, "here")
            cells.append(shown(pair, bold=is_short(pair)))
        lines.append([curve, *cells])
    return table(["curve", *(f"{t / 10:.1f} to {(t + 1) / 10:.1f}" for t in range(10))], lines)


def methods(values: int | None) -> Callable[[Rows], str]:
    """Compare the default with the methods of the paper, at uniform forecasts."""

    def make(rows: Rows) -> str:
        facts = {"part": "pointwise", "band": "confidence", "distribution": "uniform"}
        of_band = pick(rows, **facts, values=values)
        return by_size(_by_curve(of_band), {"curve": "curve", "method": "method"})

    return make


def simultaneous(method: str) -> Callable[[Rows], str]:
    def make(rows: Rows) -> str:
        of_band = pick(rows, part="simultaneous", method=method)
        return by_size(_by_curve(of_band), {"curve": "curve", "values": "forecasts"})

    return make


def intervals(component: str) -> Callable[[Rows], str]:
    def make(rows: Rows) -> str:
        header = ["curve", "n", "rule", "true", "mean raw", "mean corrected", "covered, %"]
        lines = []
        for row in _by_curve(pick(rows, part="intervals", component=component)):
            numbers = (row["truth"], row["raw"][0], row["corrected"][0])
            said = [row["curve"], str(row["n"]), row["rule"], *(f"{x:.4f}" for x in numbers)]
            lines.append([*said, held([row])])
        return table(header, lines)

    return make


def sizes(rows: Rows) -> str:
    """Show how often the test rejects calibrated forecasts, in bold where that is too often."""

    def both(cell: Rows, _: str) -> str:
        pairs = {level: pooled(cell, f"rejected_at_{level}") for level in (5, 10)}
        return " / ".join(
            shown(pair, bold=pair is not None and pair[0] > level / 100 + 2 * pair[1])
            for level, pair in pairs.items()
        )

    return by_size(_tests(rows, calibrated=True), _OF_TEST, show=both)


def power(rows: Rows) -> str:
    """Show how often the test rejects forecasts that are not calibrated."""

    def both(cell: Rows, _: str) -> str:
        return " / ".join(shown(pooled(cell, f"rejected_at_{level}")) for level in (5, 10))

    return by_size(_tests(rows, calibrated=False), {"curve": "curve", **_OF_TEST}, show=both)


_OF_TEST = {"forecasts": "forecasts", "rule": "rule"}


def _tests(rows: Rows, *, calibrated: bool) -> list[Row]:
    names = {("uniform", None): "uniform", ("uniform", 10): "10 values"}
    return [
        row | {"forecasts": names.get((row["distribution"], row["values"]), "Beta(1, 19)")}
        for row in pick(rows, part="test")
        if (row["curve"] == "calibrated") == calibrated
    ]


def clusters(rows: Rows) -> str:
    """Set what is said of clusters and what is kept from the bands side by side."""
    lines = []
    names = ("forecasts", "curve", "band")
    for key, group in groups(pick(rows, part="clusters"), *names).items():
        told = [pick(group, told=flag) for flag in (True, False)]
        cells = [held(cell, measure) for measure in ("coverage", "worst") for cell in told]
        lines.append([*key, *cells])
    header = [*names, "told", "not told", "worst tenth, told", "worst tenth, not told"]
    return table(header, lines)


def weights(rows: Rows) -> str:
    lines = [
        [row["curve"], row["band"], held([row]), held([row], "worst")]
        for row in pick(rows, part="weights")
    ]
    return table(["curve", "band", "covered", "worst tenth"], lines)


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
)
TABLES: dict[str, Callable[[Rows], str]] = {
    "glance": glance,
    "shortfalls": shortfalls,
    "choices": choices,
    "consistency": consistency,
    "consistency_worst": lambda rows: consistency(rows, "worst"),
    "confidence": confidence,
    "confidence_worst": lambda rows: confidence(rows, "worst"),
    "along": along,
    "methods_10": methods(10),
    "methods_50": methods(50),
    "methods_continuous": methods(None),
    "cells": simultaneous("cells"),
    "ungrouped": simultaneous("ungrouped"),
    "miscalibration": intervals("miscalibration"),
    "discrimination": intervals("discrimination"),
    "sizes": sizes,
    "power": power,
    "clusters": clusters,
    "weights": weights,
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
}
