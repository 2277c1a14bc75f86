"""What came out of training on activities, in tables and sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._text import many, table
from reproductions.epochs.data import KINDS
from reproductions.epochs.reference import COLUMNS, TABLE2, TABLE3
from reproductions.tables import heading, prose, section

if TYPE_CHECKING:
    from reproductions.epochs.networks import Training
    from reproductions.epochs.selection import Selection


TITLES = {
    "brier": "Brier",
    "pbs": "PBS",
    "log": "log",
    "pll": "PLL",
    "error": "error",
    "macro_f1": "macro-F1",
}
WORDS = TITLES | {"log": "the log loss", "error": "the error rate"}
SHORT = {"early stopping": "ES", "checkpoint": "CP"}
LEVEL = 0.05
# Of each pair, the second is what the first is held against.
PAIRS = (("pbs", "brier"), ("pll", "log"), ("error", "pbs"), ("error", "pll"), ("macro_f1", "pbs"))


def tell_training(found: Training) -> str:
    """Tell how networks were trained, and both tables beside those of the paper."""
    splits = len({run.split for run in found.runs})
    counted = ", ".join(
        [many(found.seeds, "seed"), many(splits, "split"), f"{found.epochs} epochs"]
    )
    return "\n\n".join(
        [
            f"{heading(f'{len(found.runs)} networks trained: {counted}')}\n{_tell_data()}",
            _table2(found),
            _table3(found),
            _differences(found),
            _price(found),
            _overall(found),
            _conclusion(found),
        ]
    )


def _tell_data() -> str:
    windows = "; ".join(
        f"{name} {kind.seconds:g} s, {kind.window} rows" for name, kind in KINDS.items()
    )
    return prose(
        f"Windows as in Table 1: {windows}; three quarters overlap. Rows a second come from the",
        "columns of time, on average, and for motors from 3,000 rows a minute; the paper does not",
        "say. Of RSSI one column is used, since both are the same. Each series is cut into ten",
        "blocks: two to validate on, three to test on, the rest to train on, with a window's gap",
        "between and no window across an edge. Every run has a fresh network, Nadam and the",
        "cross-entropy as its loss; windows are standardized by those trained on.",
        "ES: early stopping, patience 10. CP: checkpointing, the best of all epochs.",
    )


def _table2(found: Training) -> str:
    """Lay out correlations, each set and way here and as printed."""
    metrics = (*COLUMNS, "error")
    rows = []
    for name in found.reports:
        for way, short in SHORT.items():
            cells = [found.correlations[name, way, metric] for metric in metrics]
            here = [_spread(x.mean, x.standard_deviation, 3, 2) for x in cells]
            printed = [_spread(*x, 3, 2) for x in TABLE2[name][way]]
            rows += [[name, short, "here", *here], ["", "", "paper", *printed, ""]]
    undefined = sum(x.undefined for x in found.correlations.values())
    left_out = f" Not defined in {undefined} cases, as one of the two never changed."
    return section(
        "Table 2: correlation with macro-F1 over epochs, on validation data",
        table(["data", "", "", *(TITLES[x] for x in metrics)], rows, left=3),
        prose(
            "Mean ± standard deviation over runs; losses are turned round, so that 1 is",
            "agreement. ES: up to where training by that score would have stopped. The paper's",
            f"F1 is another one: pooled, of rounded probabilities.{left_out * bool(undefined)}",
        ),
    )


def _table3(found: Training) -> str:
    """Lay out the test macro-F1 of selected epochs, each set and way here and as printed."""
    rows = []
    for name, report in found.reports.items():
        for way, short in SHORT.items():
            cells = [report[way, metric, "macro_f1"] for metric in TITLES]
            here = [_spread(100 * x.mean, 100 * x.standard_deviation, 1, 0) for x in cells]
            printed = dict(zip(COLUMNS, TABLE3[name][way], strict=True))
            theirs = [_printed_f1(printed.get(metric)) for metric in TITLES]
            rows += [[name, short, "here", *here], ["", "", "paper", *theirs]]
    best = ", ".join(f"{name} {100 * x:.1f}" for name, x in found.best_f1.items())
    return section(
        "Table 3: macro-F1 on test data, in percent, at the selected epoch",
        table(["data", "", "", *TITLES.values()], rows, left=3),
        prose(
            "Mean ± standard deviation over runs, in points; the paper prints shares. Networks",
            "and windows differ from the paper's, so compare columns, not rows. The weights of",
            "every selected epoch were put back and judged again: no test metric changed by",
            f"more than {found.restored:.3g}. The best test epochs, which nothing can select:",
            f"{best}.",
        ),
    )


def _differences(found: Training) -> str:
    others = [name for name in TITLES if name != "pbs"]
    rows = [
        [name, short, *(_apart(report[way, other, "macro_f1"], 100, 1) for other in others)]
        for name, report in found.reports.items()
        for way, short in SHORT.items()
    ]
    head = ["data", "", *(f"{TITLES[name]} - PBS" for name in others)]
    return section(
        "Table 3, paired: macro-F1 on test data, less that of the epochs PBS selects",
        table(head, rows, left=2),
        prose(_tell_intervals(found)),
    )


def _price(found: Training) -> str:
    """Lay out log loss and miscalibration of the same epochs."""
    rows = []
    for name, report in found.reports.items():
        for way, short in SHORT.items():
            told = [
                [report[way, by, what].mean for what in ("log", "miscalibration")] for by in TITLES
            ]
            rows.append(
                [name, short, *(f"{log:.3f} {calibration:.3f}" for log, calibration in told)]
            )
    return section(
        "Log loss and miscalibration on test data, at the same epochs",
        table(["data", "", *TITLES.values()], rows, left=2),
        prose(
            "Means over runs; less is better for both. Miscalibration is that of the likeliest",
            "class: what its Brier score would gain by recalibration.",
        ),
    )


def _overall(found: Training) -> str:
    """Lay out what each selector is worth over all sets, in three ways."""
    rows = []
    for way, short in SHORT.items():
        for name, title in TITLES.items():
            f1, log, calibration = (
                found.overall[way, name, told] for told in ("macro_f1", "log", "miscalibration")
            )
            rows.append(
                [
                    *(short, title, f"{np.mean(f1.epochs):.1f}", f"{100 * f1.mean:.1f}"),
                    *(_apart(f1, 100, 1), f"{log.mean:.3f}", _apart(log, 1, 3)),
                    *(f"{calibration.mean:.4f}", _apart(calibration, 1, 4)),
                ]
            )
    head = ["", "by", "epoch", "macro-F1", "- PBS", "log loss", "- PBS", "miscal.", "- PBS"]
    return section(
        "All sets: what the selected epochs are worth on test data", table(head, rows, left=2)
    )


def _conclusion(found: Training) -> str:
    lines = []
    for first, second in PAIRS:
        higher, same, lower = found.compared(first, second)
        lines.append(
            f"{WORDS[first]} against {WORDS[second]}, higher in {higher} of "
            f"{higher + same + lower}, the same in {same}, lower in {lower}"
        )
    rows = len(found.reports) * len(SHORT)
    ordered = [found.ordered(*scores) for scores in (("brier", "pbs"), ("log", "pll"))]
    return "\n".join(
        [
            prose(
                "In Table 2 the error rate agrees better with macro-F1 than PBS does, and PBS",
                f"better than Brier, in {ordered[0]} of {rows} rows; so it is with PLL and the log",
                f"loss in {ordered[1]} of {rows}.",
            ),
            prose(f"In Table 3, selected by: {'; '.join(lines)}."),
            prose(
                "PBS is the Brier score and (c-1)/c times the error rate, PLL the log loss and log",
                "c times it: what they select differs from what the unpenalized score selects only",
                "as far as the error rate says so.",
            ),
        ]
    )


def _tell_intervals(found: Training) -> str:
    if found.overall.units < 2:
        return "One seed says nothing about chance: there are no intervals."
    level = f"{100 * found.overall.level:g} %"
    return (
        f"± half the width of a {level} interval over {found.overall.units} seeds; splits of one "
        "seed are not independent. It is about the chance in training, on these data and splits. "
        "Without ±: the same in every run. * adjusted p-value of at most 0.05."
    )


def _apart(one: Selection, scale: float, digits: int) -> str:
    """Write a difference, with half the width of its interval."""
    if math.isnan(one.difference):
        return ""
    told = f"{scale * one.difference:+.{digits}f}"
    half = scale * (one.interval[1] - one.interval[0]) / 2
    if math.isnan(half):
        return told
    return f"{told} ± {half:.{digits}f}{'*' if one.adjusted_p_value <= LEVEL else ' '}"


def _spread(mean: float, spread: float, digits: int, fewer: int) -> str:
    if math.isnan(mean):
        return "-"
    told = f"{mean:.{digits}f}"
    return told if math.isnan(spread) else f"{told} ± {spread:.{fewer}f}"


def _printed_f1(cell: tuple[float, float] | None) -> str:
    return "" if cell is None else _spread(cell[0], 100 * cell[1], 2, 0)
