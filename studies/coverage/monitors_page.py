"""The tables of the page about coverage that are about monitors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.coverage.monitors import AFTER, MODES
from studies.coverage.tables import groups, one, pick, rejected, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.coverage.tables import Row, Rows

LOOKS = {
    "monitor, each case": "`Monitor`, after each case",
    "monitor, each batch": "`Monitor`, after each 100",
    "test, each case": "z-test, after each case",
    "test, each batch": "z-test, after each 100",
    "test, once": "z-test, once",
}
# What is watched, and how it would be watched wrongly.
DESIGNS = {
    "late outcomes": ("events known at once, others 200 cases later", "in the order of outcomes"),
    "clusters": ("clusters of 5 copies", "clusters are not told"),
    "groups": ("4 groups", "5 % for each claim"),
    "models": ("3 models", "5 % for each claim"),
    "second model": ("a model against one that knows less", "5 % for each claim"),
    "equal worth": ("a model against one as good, the comparison alone", "5 % for each claim"),
}


def of(rows: Rows, study: str, **facts: object) -> list[Row]:
    """Choose rows of one study of monitors."""
    return pick(rows, part="monitors", study=study, **facts)


def looks(rows: Rows) -> str:
    """Show how often calibrated forecasts ever raise an alarm, by how they are looked at."""
    lines = [
        [forecasts, *(rejected(one(pick(group, what=what))) for what in LOOKS)]
        for (forecasts,), group in groups(of(rows, "looks"), "forecasts").items()
    ]
    return table(["forecasts", *LOOKS.values()], lines)


def designs(rows: Rows) -> str:
    """Set monitors that are told what there is beside those that are not."""
    lines = []
    for (world,), group in groups(of(rows, "designs"), "world").items():
        watched, wrong = DESIGNS[world]
        cells = (rejected(one(pick(group, what=what))) for what in ("right", "wrong"))
        lines.append([watched, *cells, wrong])
    return table(["what is watched", "`Monitor`", "wrongly", "namely"], lines)


def delays(rows: Rows) -> str:
    """Show medians of delays, and how many alarms there were at all."""
    lines = []
    for key, group in groups(of(rows, "delays"), "shift", "slope", "late").items():
        cells = (waited(one(pick(group, mode=mode))) for mode in MODES)
        lines.append([change(*key), *cells])
    return table(["true log-odds", *MODES], lines)


def change(shift: float, slope: float, late: int) -> str:
    """Say what happens to the true log-odds."""
    text = f"times {slope:g}" if slope != 1 else f"plus {shift:g}" if shift else "as forecast"
    return f"{text}, non-events known {late} cases later" if late else text


def waited(row: Row | None) -> str:
    """Show quartiles of a delay, and the share of alarms."""
    if row is None:
        return "none"
    low, middle, high = (f"{x:,.0f}" if x is not None else f"> {AFTER:,}" for x in row["delay"])
    share = f"{100 * row['alarmed'][0]:.0f} %"
    if row["delay"][0] is None:
        return f"{middle}; {share}"
    return f"{middle} ({low} to {high}); {share}"


def detectors(rows: Rows) -> str:
    """Show the mean number of cases between false alarms, in bold where there are too few."""
    chosen = of(rows, "detectors")
    counts = sorted({row["models"] for row in chosen})
    lines = []
    for (length,), group in groups(chosen, "run_length").items():
        cells = (between(one(pick(group, models=count))) for count in counts)
        lines.append([f"{length:,}", *cells])
    return table(["`run_length`", *(f"{n} model{'s' * (n > 1)}" for n in counts)], lines)


def lags(rows: Rows) -> str:
    """Set monitors that know the lag beside those that do not, and show what it costs."""
    lines = []
    for (ahead,), group in groups(of(rows, "lags"), "ahead").items():
        cells = [rejected(one(pick(group, what=what))) for what in ("lag", "no lag")]
        lines.append([str(ahead), str(ahead - 1), *cells, waited(one(pick(group, mode="too low")))])
    head = ["days ahead", "`lag`", "false alarms", "with `lag=0`", "cases until a true alarm"]
    return table(head, lines)


def between(row: Row | None) -> str:
    """Show how many cases lie between alarms, from how many alarms there were."""
    if row is None or not row["alarms"][0]:
        return "none"
    alarms, error = row["alarms"]
    cases = row["cases"] / alarms
    text = f"{cases:,.0f} ± {cases * error / alarms:,.0f}"
    return f"**{text}**" if too_many(row) else text


def too_many(row: Row) -> bool:
    """Tell whether there were more alarms than there may be, by more than two standard errors."""
    alarms, error = row["alarms"]
    return bool(alarms > row["cases"] / row["run_length"] + 2 * error)


TABLES: dict[str, Callable[[Rows], str]] = {
    "monitors_looks": looks,
    "monitors_designs": designs,
    "monitors_delays": delays,
    "monitors_detectors": detectors,
    "monitors_lags": lags,
}
