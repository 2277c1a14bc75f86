"""The same number in several libraries, beside each other."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from studies.conformance.answers import (
    difference,
    imported,
    printed,
    shown,
    table,
    value,
)

CORP = Path(__file__).resolve().parents[2] / "tests" / "reference" / "corp"
DATA = "cont6000betamix"
# What is read from the file that R wrote; R itself is not run.
RELIABILITYDIAG = "reliabilitydiag 0.2.1.9000"
IMPORTS = """
import numpy as np
import pandas as pd
import torch
import properly
from properly.rules import Brier, Log, Misclassification
from sklearn.isotonic import IsotonicRegression
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, cohen_kappa_score, log_loss
from sklearn.metrics import roc_auc_score, zero_one_loss
from torchmetrics.functional import mean_squared_error
from torchmetrics.functional.classification import binary_auroc, binary_calibration_error
from torchmetrics.functional.classification import multiclass_cohen_kappa
from dcurves import dca
from model_diagnostics.scoring import SquaredError, decompose
"""
EVENT = f"""
rows = np.genfromtxt("tests/reference/corp/{DATA}_input.csv.gz", delimiter=",", names=True)
y, p = rows["y"].astype(int), rows["x"]
tally = properly.tally(y, p)
parts, log_parts = (properly.decompose(tally, rule) for rule in (Brier(), Log()))
"""
CLASSES = """
crash = properly.datasets.crash()
grade = crash.severity[crash.severity_known]
table = crash.severity_probabilities[crash.severity_known]
decision = table.argmax(axis=1)
"""
TENSORS = """
P, Y = torch.from_numpy(p), torch.from_numpy(y)
GRADE, DECISION = torch.from_numpy(grade.astype(int)), torch.from_numpy(decision)
"""
CURVE = """
frame = pd.DataFrame({"y": y, "p": p})
curve = dca(data=frame, outcome="y", modelnames=["p"], thresholds=[0.1, 0.4])
"""
DIAGNOSED = "diagnosed = decompose(y, p, scoring_function=SquaredError())"


class Number(NamedTuple):
    """A number, how it is found here, and how by others; of R only what it is called there."""

    what: str
    ours: str
    theirs: tuple[tuple[str, str], ...]
    by_r: str | None = None


BY_DIAGNOSTICS = "diagnosed['{part}'].item()"
NUMBERS = (
    Number(
        "Brier score",
        "Brier()(y, p)",
        (
            ("scikit-learn", "brier_score_loss(y, p)"),
            ("torchmetrics", "mean_squared_error(P, Y.double())"),
        ),
        "brier mean_score",
    ),
    Number("log score", "Log()(y, p)", (("scikit-learn", "log_loss(y, p)"),), "log mean_score"),
    Number(
        "share of mistakes at one half",
        "Misclassification()(y, p)",
        (("scikit-learn", "zero_one_loss(y, p >= 0.5)"),),
        "misclassification mean_score",
    ),
    Number(
        "Brier miscalibration",
        "parts.miscalibration",
        (("model-diagnostics", BY_DIAGNOSTICS.format(part="miscalibration")),),
        "brier mcb",
    ),
    Number(
        "Brier discrimination",
        "parts.discrimination",
        (("model-diagnostics", BY_DIAGNOSTICS.format(part="discrimination")),),
        "brier dsc",
    ),
    Number(
        "Brier uncertainty",
        "parts.uncertainty",
        (("model-diagnostics", BY_DIAGNOSTICS.format(part="uncertainty")),),
        "brier unc",
    ),
    Number("log miscalibration", "log_parts.miscalibration", (), "log mcb"),
    Number("log discrimination", "log_parts.discrimination", (), "log dsc"),
    Number(
        "recalibrated forecasts",
        "properly.reliability(tally).at(p)",
        (("scikit-learn", "IsotonicRegression().fit(p, y).predict(p)"),),
    ),
    Number(
        "event rates in ten bins",
        "properly.calibration.binned_reliability(tally, bins=10).event_rate",
        (("scikit-learn", "calibration_curve(y, p, n_bins=10)[0]"),),
    ),
    Number(
        "calibration error in ten bins",
        "properly.calibration.calibration_error(tally, bins=10).expected",
        (("torchmetrics", "binary_calibration_error(P, Y, n_bins=10)"),),
    ),
    Number(
        "area under the ROC curve",
        "properly.roc_curve(tally).area",
        (
            ("scikit-learn", "roc_auc_score(y, p)"),
            ("torchmetrics", "binary_auroc(P, Y)"),
        ),
    ),
    Number(
        "net benefit at 10 % and 40 %",
        "properly.decision_curve(tally, [0.1, 0.4]).net_benefit",
        (("dcurves", "curve[curve.model == 'p'].net_benefit"),),
    ),
    Number(
        "Brier score of five classes",
        "Brier()(grade, table)",
        (("scikit-learn", "brier_score_loss(grade, table)"),),
    ),
    Number(
        "log score of five classes",
        "Log()(grade, table)",
        (("scikit-learn", "log_loss(grade, table)"),),
    ),
    Number(
        "quadratic kappa of five classes",
        "properly.quadratic_weighted_kappa(grade, decision, classes=5)",
        (
            ("scikit-learn", "cohen_kappa_score(grade, decision, weights='quadratic')"),
            ("torchmetrics", "multiclass_cohen_kappa(DECISION, GRADE, 5, weights='quadratic')"),
        ),
    ),
)


def prepared() -> dict[str, Any]:
    """Import what there is, and read the data."""
    names: dict[str, Any] = {}
    imported(IMPORTS, names)
    for code in (EVENT, CLASSES):
        printed(code, names)
    for library, code in (("torch", TENSORS), ("dca", CURVE), ("decompose", DIAGNOSED)):
        if library in names:
            printed(code, names)
    return names


def numbers() -> str:
    """Compute every number in every library that has it."""
    names, by_r, rows = prepared(), _by_r(), []
    for number in NUMBERS:
        ours = value(number.ours, names)
        if ours is None:
            message = f"our own number is missing: {number.ours}"
            raise RuntimeError(message)
        rows.append([number.what, f"here: `{number.ours}`", shown(ours), ""])
        if number.by_r is not None:
            theirs = np.asarray(by_r[number.by_r])
            told = [shown(theirs), difference(ours, theirs)]
            rows.append(["", f"reliabilitydiag: `{number.by_r}`", *told])
        rows += [_row(library, called, ours, names) for library, called in number.theirs]
    return table(["number", "call", "value", "difference"], rows)


def _row(library: str, called: str, ours: Any, names: dict[str, Any]) -> list[str]:
    theirs = value(called, names)
    told = ["not run", ""] if theirs is None else [shown(theirs), difference(ours, theirs)]
    return ["", f"{library}: `{called}`", *told]


def _by_r() -> dict[str, float]:
    """Read what R found, by rule and part."""
    with (CORP / f"{DATA}_decomposition.csv").open(encoding="utf-8", newline="") as file:
        return {
            f"{row['score']} {part}": float(row[part])
            for row in csv.DictReader(file)
            for part in ("mean_score", "mcb", "dsc", "unc")
        }
