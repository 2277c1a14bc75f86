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
NET_BENEFIT = "net benefit"
# Gains are small numbers: they are told in ten-thousandths.
UNIT = 1e4


def gains(n: int) -> Callable[[Rows], str]:
    """Give the coverage of the gain of each map, under the two scores."""

    def make(rows: Rows) -> str:
        lines = [
            [curve, rule, *(covered(one(pick(group, map=name))) for name in MAPS)]
            for (curve, rule), group in groups(of(rows, n=n), "curve", "rule").items()
            if rule != NET_BENEFIT
        ]
        return table(["curve", "rule", *MAPS.values()], lines)

    return make


def of(rows: Rows, **facts: object) -> list[Row]:
    """Choose rows about gains."""
    return pick(rows, part="recalibration", study="gains", **facts)


def lowest(**facts: object) -> Callable[[Rows], str]:
    """Tell the least coverage, and of which map and curve it is."""

    def tell(rows: Rows) -> str:
        row = min(of(rows, **facts), key=lambda row: row["coverage"])
        return f"{shown(row['coverage'])} % ({MAPS[row['map']]}, {row['curve']})"

    return tell


def true_gains(n: int) -> Callable[[Rows], str]:
    """Give the true gains in the log score beside their estimates."""

    def make(rows: Rows) -> str:
        lines = [
            [curve, *(_both(one(pick(group, map=name))) for name in MAPS)]
            for (curve,), group in groups(of(rows, rule="log", n=n), "curve").items()
        ]
        return table(["curve", *MAPS.values()], lines)

    return make


def _both(row: Row | None) -> str:
    if row is None:
        return ""
    return f"{UNIT * row['truth'][0]:.0f} / {UNIT * row['estimate'][0]:.0f}"


def false_claims(rows: Rows) -> str:
    """Say how often a lower end is above zero though forecasts are calibrated, at the most."""
    calibrated = [row for row in of(rows) if row["curve"] in CALIBRATED]
    lines = []
    for (rule,), group in groups(calibrated, "rule").items():
        of_maps = (pick(group, map=name) for name in MAPS)
        lines.append([rule, *(shown(max(row["positive"] for row in rows)) for rows in of_maps)])
    return table(["rule", *MAPS.values()], lines)


def in_clusters(rows: Rows) -> str:
    """Set folds of whole clusters against folds of single cases."""
    lines = []
    chosen = pick(rows, part="recalibration", study="gains in clusters")
    for (slope, folds, rule), group in groups(chosen, "slope", "folds", "rule").items():
        if rule == NET_BENEFIT:
            continue
        told = "calibrated" if slope == 1 else "too extreme"
        cells = (covered(one(pick(group, map=name))) for name in MAPS)
        lines.append([told, folds, rule, *cells])
    return table(["forecasts", "folds of", "rule", *MAPS.values()], lines)


def choice(rows: Rows) -> str:
    """Say how often a map is recommended, and what it is worth."""
    header = ["curve", "cases", "recommended", "before nesting", "harmful", "covered"]
    lines = []
    for row in pick(rows, part="recalibration", study="choice", rule="log"):
        shares = (shown(row[name]) for name in ("recommended", "before_nesting", "harmful"))
        numbers = (f"{UNIT * row[name][0]:.0f}" for name in ("truth", "own", "nested"))
        lines.append([row["curve"], f"{row['n']:,}", *shares, covered(row), *numbers])
    return table([*header, "true gain", "own estimate", "nested estimate"], lines)


TABLES: dict[str, Callable[[Rows], str]] = {
    "recalibration_200": gains(200),
    "recalibration_1000": gains(1000),
    "recalibration_lowest": lowest(n=10_000),
    "recalibration_net_benefit": lowest(rule=NET_BENEFIT),
    "recalibration_true": true_gains(200),
    "recalibration_false": false_claims,
    "recalibration_clusters": in_clusters,
    "recalibration_choice": choice,
}
