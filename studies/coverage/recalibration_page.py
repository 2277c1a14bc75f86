"""What the page about coverage says of recalibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.coverage.tables import covered, groups, one, pick, shown, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.coverage.tables import Row, Rows

MAPS = {
    "intercept": "intercept",
    "logistic": "logistic",
    "beta": "beta",
    "isotonic": "isotonic",
    "venn_abers": "Venn-Abers",
}
CALIBRATED = ("calibrated", "calibrated, rare")
# Gains are small numbers: they are told in ten-thousandths.
UNIT = 1e4


def gains(n: int) -> Callable[[Rows], str]:
    """Give the coverage of the gain of each map."""

    def make(rows: Rows) -> str:
        chosen = pick(rows, part="recalibration", study="gains", n=n)
        lines = [
            [curve, rule, *(covered(one(pick(group, map=name))) for name in MAPS)]
            for (curve, rule), group in groups(chosen, "curve", "rule").items()
        ]
        return table(["curve", "rule", *MAPS.values()], lines)

    return make


def true_gains(rows: Rows) -> str:
    """Give the true gains in the log score beside their estimates."""
    lines = []
    chosen = pick(rows, part="recalibration", study="gains", rule="log")
    for (curve, n), group in groups(chosen, "curve", "n").items():
        cells = (_both(one(pick(group, map=name))) for name in MAPS)
        lines.append([curve, f"{n:,}", *cells])
    return table(["curve", "cases", *MAPS.values()], lines)


def _both(row: Row | None) -> str:
    if row is None:
        return ""
    return f"{UNIT * row['truth'][0]:.0f} / {UNIT * row['estimate'][0]:.0f}"


def false_claims(rows: Rows) -> str:
    """Say how often a lower end is above zero though forecasts are calibrated."""
    chosen = pick(rows, part="recalibration", study="gains")
    calibrated = [row for row in chosen if row["curve"] in CALIBRATED]
    lines = [
        [curve, f"{n:,}", rule, *(shown(pick(group, map=name)[0]["positive"]) for name in MAPS)]
        for (curve, n, rule), group in groups(calibrated, "curve", "n", "rule").items()
    ]
    return table(["curve", "cases", "rule", *MAPS.values()], lines)


def in_clusters(rows: Rows) -> str:
    """Set folds of whole clusters against folds of single cases."""
    lines = []
    chosen = pick(rows, part="recalibration", study="gains in clusters")
    for (slope, folds, rule), group in groups(chosen, "slope", "folds", "rule").items():
        told = "calibrated" if slope == 1 else "too extreme"
        cells = (covered(one(pick(group, map=name))) for name in MAPS)
        lines.append([told, folds, rule, *cells])
    return table(["forecasts", "folds of", "rule", *MAPS.values()], lines)


def choice(rows: Rows) -> str:
    """Say how often a map is recommended, and what it is worth."""
    header = ["curve", "cases", "rule", "recommended", "before nesting", "harmful", "covered"]
    lines = []
    for row in pick(rows, part="recalibration", study="choice"):
        shares = (shown(row[name]) for name in ("recommended", "before_nesting", "harmful"))
        numbers = (f"{UNIT * row[name][0]:.0f}" for name in ("truth", "own", "nested"))
        lines.append([row["curve"], f"{row['n']:,}", row["rule"], *shares, covered(row), *numbers])
    return table([*header, "true gain", "own estimate", "nested estimate"], lines)


TABLES: dict[str, Callable[[Rows], str]] = {
    "recalibration_200": gains(200),
    "recalibration_1000": gains(1000),
    "recalibration_10000": gains(10_000),
    "recalibration_true": true_gains,
    "recalibration_false": false_claims,
    "recalibration_clusters": in_clusters,
    "recalibration_choice": choice,
}
