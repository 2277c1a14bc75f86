"""What the page about coverage says of decisions."""

from __future__ import annotations

import math
from statistics import NormalDist, mean
from typing import TYPE_CHECKING

from studies.coverage.samples import CLUSTERS
from studies.coverage.tables import covered, groups, is_short, one, percent, pick, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.coverage.tables import Row, Rows

# Bands and intervals of one model, in the order of the table.
OF_ONE_MODEL = {
    "decision_curve": "`decision_curve`",
    "regret_curve": "`regret_curve`",
    "net_benefit": "net benefit",
    "regret": "regret",
    "interventions_avoided": "interventions avoided",
    "standardized_net_benefit": "standardized net benefit",
    "skill": "skill",
    "true_positive_rate": "true positive rate",
    "precision": "precision",
    "regret_in_money": "`regret_in_money`",
}
SIZES = (200, 1000, 5000)
# What is listed is short of its level by more than this, and by more than two standard errors more.
MUCH = 0.01
# Bands that fewer data sets have are not judged.
RARE = 0.02


def independent(rows: Rows) -> list[Row]:
    return pick(rows, part="decisions", sample="independent")


def least(rows: Rows) -> Row:
    """Find the setting that is covered most seldom."""
    return min(rows, key=lambda row: row["coverage"])


def overview(rows: Rows) -> str:
    """Give for each band and interval the mean over all settings, and the lowest of them."""
    lines = []
    for what, label in OF_ONE_MODEL.items():
        of_one = pick(independent(rows), what=what)
        cells = []
        for n in SIZES:
            group = pick(of_one, n=n)
            average = mean(row["coverage"][0] for row in group)
            cells.append(f"{100 * average:.1f} ({covered(least(group))})")
        lines.append([label, f"{100 * of_one[0]['level']:.0f} %", *cells])
    return table(["band or interval", "level", *(f"n = {n}" for n in SIZES)], lines)


def shortfalls(rows: Rows) -> str:
    """List where bands and intervals are much too short, with what there is to learn from."""
    lines = []
    for what, label in OF_ONE_MODEL.items():
        of_one = pick(independent(rows), what=what)
        for key, group in groups(of_one, "event_rate", "model", "threshold").items():
            if any(is_short(row["coverage"], row["level"] - MUCH) for row in group):
                cells = (covered(one(pick(group, n=n))) for n in SIZES)
                lines.append([label, *place(*key), *events(group[0]), *cells])
    header = ["interval", "event rate", "model", "threshold", "found", "missed"]
    return table([*header, *(f"n = {n}" for n in SIZES)], lines)


def place(event_rate: float, model: str, threshold: float | None) -> list[str]:
    told = "0.05 to 0.2" if threshold is None else f"{threshold:g}"
    return [percent(event_rate), model, told]


def events(row: Row) -> list[str]:
    """Say how many events in 1000 cases are acted upon, and how many are not."""
    if "missed" not in row:
        return ["", ""]
    return [f"{1000 * x:.1f}" for x in (row["event_rate"] - row["missed"], row["missed"])]


def compared(rows: Rows) -> str:
    """Show the bands of differences, and how often there was one."""
    lines = []
    of_pairs = pick(independent(rows), what="decision_difference")
    for (rate, threshold), group in groups(of_pairs, "event_rate", "threshold").items():
        cells = []
        for n in SIZES:
            row = pick(group, n=n)[0]
            given = row["given"][0]
            # A share of a few data sets would say nothing.
            rare = "hardly any" if given else "none"
            cells.append(rare if given < RARE else f"{covered(row)} ({percent(given)})")
        lines.append([percent(rate), f"{threshold:g}", *cells])
    return table(["event rate", "threshold", *(f"n = {n}" for n in SIZES)], lines)


def clusters(rows: Rows) -> str:
    """Set what is told of clusters and what is kept from the library side by side."""
    lines = []
    chosen = pick(rows, part="decisions", sample="clusters")
    for key, group in groups(chosen, "event_rate", "forecasts", "threshold").items():
        rate, forecasts, threshold = key
        constant = forecasts == "constant"
        acted = f"{CLUSTERS * group[0]['acted']:.1f} clusters" if constant else "in most clusters"
        cells = (
            covered(one(pick(group, what=what, told=told)))
            for what in ("decision_curve", "net_benefit")
            for told in (True, False)
        )
        lines.append([percent(rate), forecasts, f"{threshold:g}", acted, *cells])
    header = ["event rate", "forecasts", "threshold", "acted upon"]
    of_what = ("band, told", "band, not told", "interval, told", "interval, not told")
    return table([*header, *of_what], lines)


def deployed(rows: Rows) -> str:
    """Show what becomes of samples that are weighted to another event rate."""
    chosen = pick(rows, part="decisions", sample="case-control")
    lines = []
    for (model, threshold), group in groups(chosen, "model", "threshold").items():
        cells = []
        for what in ("decision_curve", "net_benefit"):
            row = pick(group, what=what)[0]
            cells += [covered(row), f"{too_wide(row):.1f}"]
        lines.append([model, f"{threshold:g}", *cells])
    header = ["model", "threshold", "band, 90 %", "times as wide", "interval, 95 %"]
    return table([*header, "times as wide"], lines)


def too_wide(row: Row) -> float:
    """Divide the mean width by that of an interval made of the true spread of the estimate."""
    spread = row["estimate"][1] * math.sqrt(row["repetitions"])
    return float(row["width"][0] / (2 * NormalDist().inv_cdf((1 + row["level"]) / 2) * spread))


def lowest(what: str, sample: str = "independent", **facts: object) -> Callable[[Rows], str]:
    """Say how seldom something is covered at the worst, and where that is."""

    def tell(rows: Rows) -> str:
        row = least(pick(rows, part="decisions", sample=sample, what=what, **facts))
        at = f", threshold {row['threshold']:g}" if "threshold" in row else ""
        where = f"event rate {percent(row['event_rate'])}{at}, n = {row['n']}"
        return f"{100 * row['coverage'][0]:.0f} % ({where})"

    return tell


def range_of_widths(rows: Rows) -> str:
    chosen = pick(rows, part="decisions", sample="case-control")
    found = sorted(too_wide(row) for row in chosen)
    return f"{found[0]:.1f} to {found[-1]:.1f}"


def settings_of_each(rows: Rows) -> str:
    return str(len(pick(independent(rows), what="skill", n=SIZES[0])))


TABLES: dict[str, Callable[[Rows], str]] = {
    "decisions": overview,
    "decisions_short": shortfalls,
    "decisions_compared": compared,
    "decisions_clusters": clusters,
    "decisions_deployed": deployed,
    "decisions_settings": settings_of_each,
    "least_skill_toss_up": lowest("skill", event_rate=0.1, threshold=0.1),
    "least_share": lowest("true_positive_rate"),
    "least_money": lowest("regret_in_money"),
    "least_told": lowest("net_benefit", "clusters", told=True),
    "least_told_band": lowest("decision_curve", "clusters", told=True),
    "too_wide": range_of_widths,
}
