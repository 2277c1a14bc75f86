"""What the pages about coverage say of bands of reliability, parts of scores and the test."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

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

    from studies.coverage.tables import Pair, Row, Rows

BANDS = (
    ("consistency", "auto", "consistency, default"),
    ("consistency", "discrete", "consistency, `discrete`"),
    ("consistency", "continuous", "consistency, `continuous`"),
    ("confidence", "auto", "confidence, default (`likelihood`)"),
    ("confidence", "resampling", "confidence, `resampling`"),
    ("confidence", "discrete", "confidence, `discrete`"),
    ("confidence", "continuous", "confidence, `continuous`"),
)


def _by_curve(rows: Rows) -> list[Row]:
    return [row for group in groups(rows, "curve").values() for row in group]


def _by_forecasts(rows: Rows) -> list[Row]:
    return [row for values in FORECASTS for row in pick(rows, values=values)]


def glance(rows: Rows) -> str:
    """Give the range over all single settings for each band, and where it does worst."""
    lines = []
    for kind, method, label in BANDS:
        of_band = pick(rows, part="pointwise", band=kind, method=method)
        lines.append([label, *_range(of_band), *_worst(of_band)])
    for method, name in (("cells", "default (`cells`)"), ("ungrouped", "`ungrouped`")):
        of_band = pick(rows, part="simultaneous", method=method)
        lines.append([f"simultaneous, {name}", *_range(of_band), "", ""])
    header = ["band", "lowest", "median", "highest", "short of 90 %"]
    return table([*header, "in the worst tenth", "namely"], lines)


def _range(rows: Rows) -> list[str]:
    pairs = [row["coverage"] for row in rows]
    middle = f"{100 * median(pair[0] for pair in pairs):.1f}"
    few = f"{sum(is_short(pair) for pair in pairs)} of {len(pairs)}"
    return [shown(min(pairs)), middle, shown(max(pairs)), few]


def _worst(rows: Rows) -> list[str]:
    """Find the combination at whose worst tenth a band is lowest."""
    cells = _pooled_cells(rows, "worst")
    curve, values, n = min(cells, key=lambda key: cells[key])
    pair = cells[curve, values, n]
    return [shown(pair, bold=is_short(pair)), f"{curve}, {FORECASTS[values]}, n = {n}"]


def consistency(rows: Rows) -> str:
    """Show the default, with the method that it chose."""
    return by_size(_consistency(rows, "auto"), {"values": "forecasts", "chosen": "method"})


def consistency_worst(rows: Rows) -> str:
    return by_size(_consistency(rows, "auto"), {"values": "forecasts"}, "worst")


def consistency_published(measure: str) -> Callable[[Rows], str]:
    """Show the methods that are the default nowhere."""

    def make(rows: Rows) -> str:
        chosen = _consistency(rows, "discrete", "continuous")
        return by_size(chosen, {"values": "forecasts", "method": "method"}, measure)

    return make


def _consistency(rows: Rows, *names: str) -> list[Row]:
    of_band = pick(rows, part="pointwise", band="consistency")
    return _by_forecasts([row for row in of_band if row["method"] in names])


def confidence(rows: Rows) -> str:
    return by_size(_confidence(rows), {"curve": "curve", "values": "forecasts"})


def confidence_worst(rows: Rows) -> str:
    """Show the worst tenth for the curves at which the default band is ever short there."""
    chosen = [row for row in _confidence(rows) if row["curve"] in _unkind(rows)]
    return by_size(chosen, {"curve": "curve", "values": "forecasts"}, "worst")


def confidence_kind(rows: Rows) -> str:
    """Give the lowest coverage in the worst tenth of the other curves."""
    kind = [row for row in _confidence(rows) if row["curve"] not in _unkind(rows)]
    return shown(min(_pooled_cells(kind, "worst").values()))


def _confidence(rows: Rows) -> list[Row]:
    return _by_curve(pick(rows, part="pointwise", band="confidence", method="auto"))


def _unkind(rows: Rows) -> set[str]:
    cells = _pooled_cells(_confidence(rows), "worst")
    return {curve for (curve, _, _), pair in cells.items() if is_short(pair)}


def _pooled_cells(rows: Rows, measure: str) -> dict[tuple[Any, ...], Pair]:
    cells = groups(rows, "curve", "values", "n")
    pairs = {key: pooled(cell, measure) for key, cell in cells.items()}
    return {key: pair for key, pair in pairs.items() if pair is not None}


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


def methods(rows: Rows) -> str:
    """Compare the default with the methods of the paper, at continuous and uniform forecasts."""
    facts = {"part": "pointwise", "band": "confidence", "distribution": "uniform", "values": None}
    return by_size(_by_curve(pick(rows, **facts)), {"curve": "curve", "method": "method"})


def simultaneous(rows: Rows) -> str:
    of_band = pick(rows, part="simultaneous", method="cells")
    return by_size(_by_curve(of_band), {"curve": "curve"})


def intervals(component: str) -> Callable[[Rows], str]:
    """Show numbers of the Brier score, and the coverage under both rules."""

    def make(rows: Rows) -> str:
        header = ["curve", "n", "true", "mean raw", "mean corrected", "covered", "covered, log"]
        lines = []
        chosen = _by_curve(pick(rows, part="intervals", component=component))
        for (curve, n), group in groups(chosen, "curve", "n").items():
            brier, log = (pick(group, rule=rule) for rule in ("brier", "log"))
            row = brier[0]
            numbers = (f"{x:.4f}" for x in (row["truth"], row["raw"][0], row["corrected"][0]))
            lines.append([curve, str(n), *numbers, held(brier), held(log)])
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


TABLES: dict[str, Callable[[Rows], str]] = {
    "bands": glance,
    "consistency": consistency,
    "consistency_worst": consistency_worst,
    "consistency_published": consistency_published("coverage"),
    "consistency_published_worst": consistency_published("worst"),
    "confidence": confidence,
    "confidence_worst": confidence_worst,
    "confidence_kind": confidence_kind,
    "along": along,
    "methods": methods,
    "simultaneous": simultaneous,
    "miscalibration": intervals("miscalibration"),
    "discrimination": intervals("discrimination"),
    "sizes": sizes,
    "power": power,
    "clusters": clusters,
    "weights": weights,
}
