"""What one writes today, and what one writes here: both are run on the same data."""

from __future__ import annotations

from typing import Any, NamedTuple

from studies.conformance.answers import difference, imported, installed, printed, table, value
from studies.conformance.numbers import RELIABILITYDIAG, prepared

IMPORTS = """
from properly.rules import RPS, Bounded
from properly.integrations.sklearn import make_rule_scorer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import d2_brier_score, get_scorer
from scoringrules import brier_score, rps_score
from briertools.scorers import BrierScorer, LogLossScorer
from probmetrics.metrics import Metrics
from hmeasure import h_score
"""
DATA = """
two = np.stack([1 - p, p], axis=1)
logit = np.log(p) - np.log1p(-p)
"""
MODEL = "model = LogisticRegression().fit(p[:, None], y)"
TENSORS = """
Z, TWO = torch.from_numpy(logit), torch.from_numpy(two)
from torch.nn.functional import binary_cross_entropy_with_logits
"""


class Call(NamedTuple):
    """A call, its counterpart, what to mind, and what theirs must be multiplied by."""

    theirs: str
    ours: str
    mind: str = ""
    factor: float = 1.0


SAME = "the same scale"
SWAPPED = "there the forecasts come first"
CALLS: dict[str, tuple[Call, ...]] = {
    "scikit-learn": (
        Call("brier_score_loss(y, p)", "Brier()(y, p)", SAME),
        Call(
            "brier_score_loss(y, two)",
            "Brier()(y, two)",
            "two columns: there half of the sum over both, here the sum",
            2.0,
        ),
        Call("brier_score_loss(grade, table)", "Brier()(grade, table)", "the sum over classes"),
        Call(
            "brier_score_loss(grade, table, scale_by_half=True)",
            "Brier('half')(grade, table)",
            "half of it",
        ),
        Call("log_loss(y, p)", "Log()(y, p)", "nothing is clipped here"),
        Call("d2_brier_score(y, p)", "properly.skill(y, p, Brier())", SAME),
        Call("roc_auc_score(y, p)", "properly.roc_curve(tally).area", "ties count as half"),
        Call(
            "get_scorer('neg_brier_score')(model, p[:, None], y)",
            "make_rule_scorer(Brier())(model, p[:, None], y)",
            "greater is better; any rule, and a fold may lack a class",
        ),
        Call(
            "cohen_kappa_score(grade, decision, weights='quadratic', labels=range(5))",
            "properly.quadratic_weighted_kappa(grade, decision, classes=5)",
            "classes that do not occur keep their place",
        ),
        Call(
            "calibration_curve(y, p, n_bins=10)[0]",
            "properly.calibration.binned_reliability(tally, bins=10).event_rate",
            "`properly.reliability(tally)` needs no bins",
        ),
    ),
    "torchmetrics": (
        Call("binary_auroc(P, Y)", "properly.roc_curve(tally).area", SWAPPED),
        Call(
            "binary_calibration_error(P, Y, n_bins=10)",
            "properly.calibration.calibration_error(tally, bins=10).expected",
            f"{SWAPPED}, and one of exactly 1 has a bin of its own",
        ),
        Call(
            "binary_auroc(Z, Y)",
            "properly.roc_curve(properly.tally(y, 1 / (1 + np.exp(-logit)))).area",
            "values outside [0, 1] are taken for logits there; here you say so",
        ),
    ),
    "torch": (
        Call(
            "binary_cross_entropy_with_logits(Z, Y.double())",
            "Log().logit_loss(y, logit).mean()",
            f"{SWAPPED}; to train with it, `RuleLoss(Log(), from_logits=True)`",
        ),
    ),
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
# R is not run, so there is no number to compare.
IN_R = (
    ("reliabilitydiag(p, y = y)", "properly.reliability(tally)"),
    ("summary(reliabilitydiag(p, y = y))", "properly.decompose(tally, Brier())"),
    ("autoplot(reliabilitydiag(p, y = y))", "plots.reliability(properly.reliability(tally))"),
)


def calls() -> str:
    """Run both sides of every line."""
    names = prepared()
    imported(IMPORTS, names)
    printed(DATA, names)
    for library, code in (("torch", TENSORS), ("LogisticRegression", MODEL)):
        if library in names:
            printed(code, names)
    found = [_section(library, rows, names) for library, rows in CALLS.items()]
    lines = [[f"`{theirs}`", f"`{ours}`"] for theirs, ours in IN_R]
    found.append(f"**{RELIABILITYDIAG}**, in R, not run here\n\n{table(['there', 'here'], lines)}")
    return "\n\n".join(found)


def _section(library: str, rows: tuple[Call, ...], names: dict[str, Any]) -> str:
    lines = [[f"`{row.theirs}`", f"`{row.ours}`<br>{row.mind}", _apart(row, names)] for row in rows]
    head = ["there", "here", "difference"]
    return f"**{installed(library)}**\n\n{table(head, lines)}"


def _apart(row: Call, names: dict[str, Any]) -> str:
    ours, theirs = value(row.ours, names), value(row.theirs, names)
    if ours is None:
        message = f"our own number is missing: {row.ours}"
        raise RuntimeError(message)
    if theirs is None:
        return "not run"
    times = "" if row.factor == 1 else f" from {row.factor:g} times"
    return f"{difference(ours, row.factor * theirs)}{times}"
