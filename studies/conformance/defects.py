"""Defects that were found in other libraries, each run once more beside ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studies.conformance.answers import asked, code_block, installed, printed, text_block

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.conformance.answers import Answer

IMPORTS = """
import numpy as np
import properly
from properly.errors import DataError
from properly.rules import Brier, Log
"""


@dataclass(frozen=True)
class Defect:
    """What is run, and how to tell from what a peer prints that it still does so.

    Attributes
    ----------
    title, matter : str
        What it is about.
    package : str
        The package, as pip calls it.
    data, theirs, ours : str
        Code: for both, for the peer, for us.
    seen : callable
        Takes the words that the peer printed.
    """

    title: str
    matter: str
    package: str
    data: str
    theirs: str
    ours: str
    seen: Callable[[list[str]], bool]


TENTHS = """
rng = np.random.default_rng(2)
p = np.round(rng.random(1000), 1)
y = (rng.random(1000) < p).astype(int)
orders = [rng.permutation(1000) for _ in range(5)]
"""
SHUFFLED = """
for order in orders:
    parts = properly.decompose(properly.tally(y[order], p[order]), Brier())
    print(f"{parts.miscalibration:.4f}", end=" ")
"""
DEFECTS = (
    Defect(
        "Equal forecasts before isotonic regression",
        "A thousand forecasts of one decimal have many ties. The same rows in five orders are the "
        "same data. These are the Brier miscalibrations that stand in the reliability diagram.",
        "scoringrules",
        TENTHS,
        """
from scoringrules.visualization.reliability import corp_reliability, corp_score_decomposition
for order in orders:
    x, outcome, fitted = corp_reliability(y[order], p[order])
    recalibrated, forecast, _ = corp_score_decomposition(x, outcome, fitted)
    print(f"{forecast - recalibrated:.4f}", end=" ")
""",
        SHUFFLED,
        lambda words: len(set(words)) > 1,
    ),
    Defect(
        "Equal forecasts, once more",
        "The same rows, given as ten draws a case of which so many are 1: the heights of the "
        "calibration curve at the forecast of one half, in the first two orders.",
        "arviz-stats",
        TENTHS,
        """
from arviz_base import from_dict
from arviz_stats.helper_stats import isotonic_fit
for order in orders[:2]:
    draws = (np.arange(10)[:, None] < np.round(10 * p[order])).astype(int)[None]
    groups = {"posterior_predictive": {"y": draws}, "observed_data": {"y": y[order]}}
    x, height = isotonic_fit(from_dict(groups), "y", "posterior_predictive", 0.9)["y"].values[:2]
    print(*np.unique(np.round(height[np.isclose(x, 0.5)], 3)))
""",
        """
for order in orders[:2]:
    curve = properly.reliability(properly.tally(y[order], p[order]))
    print(*np.round(curve.at([0.5]), 3))
""",
        lambda words: len(set(words)) > 1,
    ),
    Defect(
        "A forecast of exactly 1 in a bin of its own",
        "Two forecasts, both in the last of ten bins: the mean forecast is 0.975 and half of the "
        "cases had the event, which makes 0.475.",
        "torchmetrics",
        "p, y = np.array([0.95, 1.0]), np.array([1, 0])",
        """
import torch
from torchmetrics.functional.classification import binary_calibration_error
error = binary_calibration_error(torch.from_numpy(p), torch.from_numpy(y), n_bins=10)
print(f"{error.item():.3f}")
""",
        """
print(f"{properly.calibration.calibration_error(properly.tally(y, p), bins=10).expected:.3f}")
""",
        lambda words: words != ["0.475"],
    ),
    Defect(
        "A forecast a little above 1",
        "A hundred probabilities, and the same with one of them raised to 1.0000001, as rounding "
        "in single precision may do.",
        "torchmetrics",
        """
rng = np.random.default_rng(3)
p = rng.random(100).astype(np.float32)
y = (rng.random(100) < p).astype(int)
above = p.copy()
above[0] = 1.0000001
""",
        """
import torch
from torchmetrics.functional.classification import binary_calibration_error
for forecasts in (p, above):
    error = binary_calibration_error(torch.from_numpy(forecasts), torch.from_numpy(y), n_bins=10)
    print(f"{error.item():.3f}", end=" ")
""",
        """
print(f"{properly.calibration.calibration_error(properly.tally(y, p), bins=10).expected:.3f}")
try:
    properly.tally(y, above)
except DataError as error:
    print(error)
""",
        lambda words: len(words) == 2 and abs(float(words[0]) - float(words[1])) > 0.05,
    ),
    Defect(
        "A scorer that prefers the greater loss",
        "A grid search over two classifiers, logistic regression and one that guesses at random, "
        "on classes that are well apart.",
        "briertools",
        """
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
X, y = make_classification(500, class_sep=2.0, random_state=1)
both = [LogisticRegression(), DummyClassifier(strategy="stratified", random_state=1)]


def chosen(scorer):
    search = GridSearchCV(Pipeline([("model", both[0])]), {"model": both}, scoring=scorer)
    search.fit(X, y)
    for score, model in zip(search.cv_results_["mean_test_score"], both):
        print(f"{type(model).__name__}: {score:.4f}")
    print("chosen:", type(search.best_params_["model"]).__name__)
""",
        """
from briertools.scorers import BrierScorer
chosen(BrierScorer().scorer)
""",
        """
from properly.integrations.sklearn import make_rule_scorer
chosen(make_rule_scorer(Brier()))
""",
        lambda words: words[-1] == "DummyClassifier",
    ),
    Defect(
        "A log score that depends on the floating-point type",
        "A forecast of 0 for an event that happened, in double, single and half precision. That "
        "it is clipped at the precision of its type is by design there.",
        "scikit-learn",
        "y, p = np.array([0, 1]), np.array([0.5, 0.0])",
        """
from sklearn.metrics import log_loss
for kind in (np.float64, np.float32, np.float16):
    print(f"{log_loss(y, p.astype(kind)):.2f}", end=" ")
""",
        """
for kind in (np.float64, np.float32, np.float16):
    print(f"{Log()(y, p.astype(kind)):.2f}", end=" ")
""",
        lambda words: len(set(words)) > 1,
    ),
    Defect(
        "Weights that are taken and not used",
        "The Brier score and its calibration part, without weights and with events that weigh "
        "four times as much.",
        "probmetrics",
        """
rng = np.random.default_rng(4)
p = rng.random(500)
y = (rng.random(500) < p**2).astype(int)
weight = 1.0 + 3 * y
table = np.stack([1 - p, p], axis=1)
""",
        """
import torch
from probmetrics.distributions import CategoricalDirac, CategoricalProbs
from probmetrics.metrics import Metrics
metrics = Metrics.from_names(["brier", "calib-err_brier_isotonic-mix_all"])
pair = CategoricalDirac(torch.from_numpy(y), 2), CategoricalProbs(torch.from_numpy(table))
for weights in (None, torch.from_numpy(weight)):
    print(*(f"{x.item():.4f}" for x in metrics.compute_all(*pair, weights=weights).values()))
""",
        """
for weights in (None, weight):
    parts = properly.decompose(properly.tally(y, p, weight=weights), Brier())
    print(f"{2 * parts.score:.4f} {2 * parts.miscalibration:.4f}")
""",
        lambda words: len(words) == 4 and words[1] == words[3],
    ),
)


def defects() -> str:
    """Run all of them, and write what was printed."""
    return "\n\n".join(map(_section, DEFECTS))


def _section(defect: Defect) -> str:
    names: dict[str, Any] = {}
    printed(IMPORTS, names)
    printed(defect.data, names)
    theirs, ours = asked(defect.theirs, names), printed(defect.ours, names)
    return "\n".join(
        [
            f"### {defect.title}\n\n{defect.matter}\n",
            code_block(defect.data),
            f"\n{installed(defect.package)}:\n",
            code_block(defect.theirs),
            text_block(theirs.text),
            "\nHere:\n",
            code_block(defect.ours),
            text_block(ours),
            f"\n{_verdict(defect, theirs)}",
        ]
    )


def _verdict(defect: Defect, theirs: Answer) -> str:
    """Say by what was printed whether a release still does so."""
    about = installed(defect.package)
    if not theirs.ran:
        return f"*{about} did not run this to its end; what it said stands above.*"
    still = "Still so in" if defect.seen(theirs.text.split()) else "Not so any more in"
    return f"*{still} {about}.*"
