"""What one writes today, and what one writes here: both are run on the same data."""

from __future__ import annotations

from typing import Any, NamedTuple

from studies.conformance.answers import difference, imported, installed, printed, table, value
from studies.conformance.numbers import prepared

IMPORTS = """
from properly.rules import RPS, Bounded
from scoringrules import brier_score, rps_score
from briertools.scorers import BrierScorer, LogLossScorer
from probmetrics.metrics import Metrics
from hmeasure import h_score
"""
DATA = """
two = np.stack([1 - p, p], axis=1)
"""
TENSORS = "TWO = torch.from_numpy(two)"


class Call(NamedTuple):
    """A call, its counterpart, what to mind, and what theirs must be multiplied by."""

    theirs: str
    ours: str
    mind: str = ""
    factor: float = 1.0


SAME = "the same scale"
SWAPPED = "there the forecasts come first"
CALLS: dict[str, tuple[Call, ...]] = {
    "dcurves": (
        Call(
            "curve[curve.model == 'p'].net_benefit",
            "properly.decision_curve(tally, [0.1, 0.4]).net_benefit",
            '`curve` is `dca(data=frame, outcome="y", modelnames=["p"], thresholds=[0.1, 0.4])`',
        ),
    ),
    "model-diagnostics": (
        Call("SquaredError()(y, p)", "Brier()(y, p)", SAME),
        Call(
            "decompose(y, p, scoring_function=SquaredError())['miscalibration'][0]",
            "properly.decompose(tally, Brier()).miscalibration",
            "a tally, of outcomes and forecasts, is made once for all that follows",
        ),
    ),
    "scoringrules": (
        Call(
            "brier_score(y, p)", "Brier().loss(y, p)", "case by case; `Brier()(y, p)` is the mean"
        ),
        Call(
            "rps_score(grade + 1, table).mean()",
            "RPS()(grade, table)",
            "classes count from 1 there, from 0 here; the cuts are added up there, averaged here",
            1 / 4,
        ),
    ),
    "briertools": (
        Call(
            "BrierScorer().score(y, p, threshold_range=(0.1, 0.4))",
            "Bounded(Brier(), (0.1, 0.4), scale='integral')(y, p)",
            "left out, `scale` is the mean over the range",
        ),
        Call(
            "LogLossScorer().score(y, p, threshold_range=(0.1, 0.4))",
            "Bounded(Log(), (0.1, 0.4), scale='integral')(y, p)",
            "likewise",
        ),
    ),
    "hmeasure": (
        Call(
            "h_score(y, p)",
            "properly.inference.h_measure(tally, prior='severity')",
            "the prior there; here Beta(2, 2) unless it is named",
        ),
    ),
    "probmetrics": (
        Call(
            "Metrics.from_names(['brier']).compute_all_from_labels_probs(Y, TWO)['brier']",
            "Brier()(y, two)",
            "the sum over both columns, twice that of the event",
        ),
    ),
}


def calls() -> str:
    """Run both sides of every line."""
    names = prepared()
    imported(IMPORTS, names)
    printed(DATA, names)
    if "torch" in names:
        printed(TENSORS, names)
    return "\n\n".join(_section(library, rows, names) for library, rows in CALLS.items())


def _section(library: str, rows: tuple[Call, ...], names: dict[str, Any]) -> str:
    lines = [[f"`{row.theirs}`", f"`{row.ours}`<br>{row.mind}", apart(row, names)] for row in rows]
    head = ["there", "here", "difference"]
    return f"**{installed(library)}**\n\n{table(head, lines)}"


def apart(row: Call, names: dict[str, Any]) -> str:
    """Say how far two numbers that should be the same are apart."""
    ours, theirs = value(row.ours, names), value(row.theirs, names)
    if ours is None:
        message = f"our own number is missing: {row.ours}"
        raise RuntimeError(message)
    if theirs is None:
        return "not run"
    times = "" if row.factor == 1 else f" from {row.factor:g} times"
    return f"{difference(ours, row.factor * theirs)}{times}"
