"""What people write who come from one library, and what they write here: a page a library."""

from __future__ import annotations

from typing import Any, NamedTuple

from properly.errors import DataError
from studies.conformance.answers import imported, installed, printed, table, value
from studies.conformance.calls import SAME, SWAPPED, Call, apart
from studies.conformance.numbers import prepared

IMPORTS = """
import xarray as xr
from properly import calibration, decisions, inference
from properly.integrations.sklearn import make_rule_scorer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, average_precision_score, confusion_matrix
from sklearn.metrics import d2_brier_score, d2_log_loss_score, f1_score, get_scorer
from sklearn.metrics import precision_recall_curve, precision_score, recall_score, roc_curve
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy
from torchmetrics.functional.classification import binary_accuracy, binary_average_precision
from torchmetrics.functional.classification import binary_precision, binary_recall, binary_roc
from torchmetrics.functional.classification import binary_specificity
from torchmetrics.functional.classification import binary_negative_predictive_value
from torchmetrics.functional.classification import multiclass_accuracy, multiclass_f1_score
from torchmetrics.functional.classification import multiclass_calibration_error
from torchmetrics.functional.classification import multiclass_confusion_matrix
from scores.categorical import probability_of_detection, probability_of_false_detection
from scores.probability import brier_score, isotonic_fit, murphy_score, relative_economic_value
from scores.probability import roc_auc, roc_curve_data
from scores.stats.statistical_tests import diebold_mariano
"""
DATA = """
two = np.stack([1 - p, p], axis=1)
logit = np.log(p) - np.log1p(-p)
w = np.arange(6000) % 3 + 1.0
q, time = p**1.2, np.arange(6000)
"""
MODEL = "model = LogisticRegression().fit(p[:, None], y)"
TENSORS = "Z, TABLE = torch.from_numpy(logit), torch.from_numpy(table)"
ARRAYS = """
F, O = xr.DataArray(p, dims="case"), xr.DataArray(y, dims="case")
D = xr.DataArray([(q - y) ** 2 - (p - y) ** 2], dims=("lead", "time"), coords={"h": ("lead", [3])})
"""


class Differ(NamedTuple):
    """Two calls of the same name that give other numbers, and why."""

    theirs: str
    ours: str
    why: str


class Coming(NamedTuple):
    """The calls of a library in sections, and where its numbers are others."""

    packages: tuple[str, ...]
    sections: dict[str, tuple[Call, ...]]
    differ: tuple[Differ, ...]


SINGLE = "single precision there"
PARTIAL = "inference.auc_interval(tally, false_positive_rates=(0, 0.1)).value"
AT = "properly.at_threshold(tally, 0.2)"
CLASSES = "grade, decision, classes=5"
SKLEARN = Coming(
    ("scikit-learn",),
    {
        "scores": (
            Call("brier_score_loss(y, p)", "Brier()(y, p)", SAME),
            Call("brier_score_loss(y, p, sample_weight=w)", "Brier()(y, p, w)", "weights third"),
            Call("brier_score_loss(grade, table)", "Brier()(grade, table)", "the sum over classes"),
            Call(
                "brier_score_loss(grade, table, scale_by_half=True)",
                "Brier('half')(grade, table)",
                "half of it",
            ),
            Call("log_loss(y, p)", "Log()(y, p)", "nothing is clipped here"),
            Call("log_loss(grade, table)", "Log()(grade, table)", "likewise"),
            Call("d2_brier_score(y, p)", "properly.skill(y, p, Brier())", SAME),
            Call("d2_log_loss_score(y, p)", "properly.skill(y, p, Log())", SAME),
            Call(
                "get_scorer('neg_brier_score')(model, p[:, None], y)",
                "make_rule_scorer(Brier())(model, p[:, None], y)",
                "any rule, and a fold may lack a class",
            ),
        ),
        "ranking": (
            Call("roc_auc_score(y, p)", "properly.roc_curve(tally).area", "ties count as half"),
            Call(
                "roc_curve(y, p, drop_intermediate=False)[1]",
                "properly.roc_curve(tally).true_positive_rate",
                "every step",
            ),
            Call(
                "average_precision_score(y, p)", "decisions.ranking(tally).average_precision", SAME
            ),
            Call(
                "precision_recall_curve(y, p)[0][-2::-1]",
                "properly.roc_curve(tally).precision[1:]",
                "the highest forecast first; none is made up where nobody is above",
            ),
            Call(
                "np.subtract(*roc_curve(y, p)[1::-1]).max()",
                "decisions.ranking(tally).kolmogorov_smirnov",
                "KS",
            ),
        ),
        "calibration": (
            Call(
                "calibration_curve(y, p, n_bins=10)[0]",
                "calibration.binned_reliability(tally, bins=10).event_rate",
                "`properly.reliability(tally)` needs no bins",
            ),
            Call(
                "calibration_curve(y, p, n_bins=10, strategy='quantile')[0]",
                "calibration.binned_reliability(tally, bins=10, scheme='count').event_rate",
                "likewise",
            ),
            Call(
                "IsotonicRegression().fit(p, y).predict(p)",
                "properly.reliability(tally).at(p)",
                "the curve of the reliability diagram",
            ),
        ),
        "decisions": (
            Call("recall_score(y, p >= 0.2)", f"{AT}.true_positive_rate", "with `interval=True`"),
            Call("precision_score(y, p >= 0.2)", f"{AT}.precision", "likewise"),
            Call("accuracy_score(y, p >= 0.2)", f"{AT}.accuracy", "likewise"),
            Call(
                "confusion_matrix(grade, decision, labels=range(5))",
                f"decisions.confusion({CLASSES}).counts",
                "outcomes are rows",
            ),
            Call(
                "f1_score(grade, decision, average='macro')",
                f"decisions.macro_f1({CLASSES})",
                "of hard decisions",
            ),
            Call(
                "cohen_kappa_score(grade, decision, weights='quadratic', labels=range(5))",
                f"properly.quadratic_weighted_kappa({CLASSES})",
                "`confusion(…).kappa_interval()` has an interval",
            ),
            Call(
                "cohen_kappa_score(grade, decision, weights='linear', labels=range(5))",
                f"decisions.weighted_kappa({CLASSES}, cost='linear')",
                "likewise",
            ),
        ),
    },
    (
        Differ(
            "log_loss([0, 1], [0.5, 0.0])",
            "Log()([0, 1], [0.5, 0.0])",
            "there a forecast of 0 is clipped at the precision of its type; here certain and wrong "
            "is infinitely bad",
        ),
        Differ(
            "brier_score_loss(y, two)",
            "Brier()(y, two)",
            "two columns: half of the sum over both there, the sum here, as of more classes",
        ),
        Differ(
            "roc_auc_score(y, p, max_fpr=0.1)",
            PARTIAL,
            "there on a scale on which chance has 0.5 (McClish), here the mean sensitivity over "
            "these false positive rates; times 0.1 it is the partial area",
        ),
        Differ(
            "cohen_kappa_score([0, 3, 3, 0, 1], [0, 3, 1, 1, 1], weights='quadratic')",
            "properly.quadratic_weighted_kappa([0, 3, 3, 0, 1], [0, 3, 1, 1, 1], classes=4)",
            "the third of four classes does not occur; without `labels` they are numbered anew",
        ),
    ),
)
TORCHMETRICS = Coming(
    ("torchmetrics", "torch"),
    {
        "scores and losses": (
            Call("mean_squared_error(P, Y.double())", "Brier()(y, p)", SWAPPED),
            Call(
                "binary_cross_entropy_with_logits(Z, Y.double())",
                "Log().logit_loss(y, logit).mean()",
                "to train with it, `RuleLoss(Log(), from_logits=True)`",
            ),
            Call(
                "cross_entropy(TABLE.log(), GRADE)",
                "Log()(grade, table)",
                "logits there, probabilities here",
            ),
        ),
        "ranking": (
            Call("binary_auroc(P, Y)", "properly.roc_curve(tally).area", SINGLE),
            Call(
                "binary_auroc(Z, Y)",
                "properly.roc_curve(properly.tally(y, 1 / (1 + np.exp(-logit)))).area",
                "values outside [0, 1] are taken for logits there; here you say so",
            ),
            Call(
                "binary_average_precision(P, Y)",
                "decisions.ranking(tally).average_precision",
                SINGLE,
            ),
            Call(
                "binary_roc(P, Y)[1]",
                "properly.roc_curve(tally).true_positive_rate",
                SINGLE,
            ),
        ),
        "calibration": (
            Call(
                "binary_calibration_error(P, Y, n_bins=10)",
                "calibration.calibration_error(tally, bins=10).expected",
                "and what calibrated forecasts would have",
            ),
            Call(
                "binary_calibration_error(P, Y, n_bins=10, norm='l2')",
                "calibration.calibration_error(tally, bins=10).squared ** 0.5",
                "`.debiased` is without what chance adds",
            ),
            Call(
                "binary_calibration_error(P, Y, n_bins=10, norm='max')",
                "calibration.calibration_error(tally, bins=10).maximum",
                "and in how small a bin",
            ),
            Call(
                "multiclass_calibration_error(TABLE, GRADE, 5, n_bins=10)",
                "calibration.calibration_error(properly.top_label(grade, table), bins=10).expected",
                "of the likeliest class; `reduction=` has each class",
            ),
        ),
        "decisions": (
            Call("binary_accuracy(P, Y, threshold=0.2)", f"{AT}.accuracy", SINGLE),
            Call("binary_recall(P, Y, threshold=0.2)", f"{AT}.true_positive_rate", SINGLE),
            Call("binary_precision(P, Y, threshold=0.2)", f"{AT}.precision", SINGLE),
            Call(
                "binary_specificity(P, Y, threshold=0.2)",
                f"1 - {AT}.false_positive_rate",
                SINGLE,
            ),
            Call(
                "binary_negative_predictive_value(P, Y, threshold=0.2)",
                f"{AT}.negative_predictive_value",
                SINGLE,
            ),
            Call(
                "multiclass_accuracy(DECISION, GRADE, 5, average='micro')",
                f"decisions.confusion({CLASSES}).accuracy",
                SINGLE,
            ),
            Call(
                "multiclass_f1_score(DECISION, GRADE, 5, average='macro')",
                f"decisions.macro_f1({CLASSES})",
                SINGLE,
            ),
            Call(
                "multiclass_cohen_kappa(DECISION, GRADE, 5, weights='quadratic')",
                f"properly.quadratic_weighted_kappa({CLASSES})",
                SINGLE,
            ),
            Call(
                "multiclass_confusion_matrix(DECISION, GRADE, 5)",
                f"decisions.confusion({CLASSES}).counts",
                "outcomes are rows",
            ),
        ),
    },
    (
        Differ(
            "binary_calibration_error(torch.tensor([0.95, 1.0]), torch.tensor([1, 0]), n_bins=10)",
            "calibration.calibration_error(properly.tally([1, 0], [0.95, 1]), bins=10).expected",
            "there a forecast of exactly 1 has a bin of its own",
        ),
        Differ(
            "binary_accuracy(torch.tensor([0.5]), torch.tensor([1]))",
            "properly.at_threshold(properly.tally([1], [0.5]), 0.5).accuracy",
            "a forecast exactly at the threshold: not acted on there, acted on here",
        ),
        Differ(
            "mean_squared_error(torch.tensor([1.5]), torch.tensor([1.0]))",
            "Brier()([1], [1.5])",
            "no probability",
        ),
        Differ(
            "binary_auroc(torch.tensor([0.2, 0.3, 1.1]), torch.tensor([0, 1, 1]))",
            "properly.roc_curve(properly.tally([0, 1, 1], [0.2, 0.3, 1.1])).area",
            "one value above 1, and all are taken for logits there; here that is yours to say",
        ),
    ),
)
SCORES = Coming(
    ("scores",),
    {
        "scores": (
            Call("brier_score(F, O)", "Brier()(y, p)", SWAPPED),
            Call("brier_score(F, O, preserve_dims='all')", "Brier().loss(y, p)", "case by case"),
            Call(
                "brier_score(F, O, weights=xr.DataArray(w, dims='case'))",
                "Brier()(y, p, w)",
                SAME,
            ),
            Call(
                "murphy_score(F, O, [0.1, 0.4], functional='expectile', alpha=0.5).total",
                "properly.murphy_curve(tally).at([0.1, 0.4])",
                "here the area under the curve is the Brier score, there a quarter of it",
                4.0,
            ),
        ),
        "ranking": (
            Call("roc_auc(F, O)", "properly.roc_curve(tally).area", "ties count as half"),
            Call(
                "roc_curve_data(F, O, sorted(set(p))).AUC",
                "properly.roc_curve(tally).area",
                "here every threshold is meant unless you say which",
            ),
        ),
        "calibration": (
            Call(
                "isotonic_fit(p, y)['regression_values']",
                "properly.reliability(tally).at(np.unique(p))",
                'bands: `band="consistency"` or `"confidence"`',
            ),
        ),
        "decisions": (
            Call(
                "probability_of_detection(F >= 0.2, O)",
                f"{AT}.true_positive_rate",
                "with `interval=True`",
            ),
            Call(
                "probability_of_false_detection(F >= 0.2, O)",
                f"{AT}.false_positive_rate",
                "likewise",
            ),
            Call(
                "relative_economic_value(F, O, cost_loss_ratios=0.2, "
                "probability_thresholds=0.2).item()",
                f"{AT}.skill",
                "who acts at the ratio of cost to loss",
            ),
        ),
        "comparison": (
            Call(
                "diebold_mariano(D, 'lead', 'h', method='HLN', "
                "statistic_distribution='t').ci_lower.item()",
                "properly.compare(y, {'q': q, 'p': p}, rule=Brier(), time=time, "
                "method='diebold-mariano', horizon=3).interval[0][0]",
                "`D` has the differences of squared errors of `q` and `p`, three steps ahead",
            ),
        ),
    },
    (
        Differ(
            "brier_score(xr.DataArray([0.2, np.nan]), xr.DataArray([0, 1]))",
            "Brier()([0, 1], [0.2, np.nan])",
            "a missing forecast is left out there, without a word",
        ),
        Differ(
            "roc_curve_data(F, O, np.arange(11) / 10).AUC",
            "properly.roc_curve(tally).area",
            "eleven thresholds there: straight lines between them cut corners",
        ),
        Differ(
            "diebold_mariano(D, 'lead', 'h').ci_lower.item()",
            "properly.compare(y, {'q': q, 'p': p}, rule=Brier(), time=time).interval[0][0]",
            "left to themselves: a fitted autocovariance and the normal distribution there, "
            "[cosines and Student's t](comparing.md#dependence) here",
        ),
    ),
)
PAGES = {"from-scikit-learn": SKLEARN, "from-torchmetrics": TORCHMETRICS, "from-scores": SCORES}


def names_of_all() -> dict[str, Any]:
    """Return the data and whatever libraries are there, by the names that the calls use."""
    names = prepared()
    imported(IMPORTS, names)
    printed(DATA, names)
    for library, code in (("LogisticRegression", MODEL), ("torch", TENSORS), ("xr", ARRAYS)):
        if library in names:
            printed(code, names)
    return names


def filled(coming: Coming, names: dict[str, Any]) -> dict[str, str]:
    """Run both sides of every line of a page."""
    rows = []
    for section, calls in coming.sections.items():
        rows.append([f"**{section}**", "", ""])
        rows += [[f"`{c.theirs}`", f"`{c.ours}`<br>{c.mind}", apart(c, names)] for c in calls]
    differ = [
        [f"`{d.theirs}`: {number(d.theirs, names)}", f"`{d.ours}`: {number(d.ours, names)}", d.why]
        for d in coming.differ
    ]
    return {
        "versions": " and ".join(installed(name) for name in coming.packages),
        "calls": table(["there", "here", "difference"], rows),
        "differ": table(["there", "here", "why"], differ),
    }


def number(expression: str, names: dict[str, Any]) -> str:
    """Write what an expression gives to four digits, or that it is refused."""
    try:
        found = value(expression, names)
    except DataError:
        return "refused"
    return "not run" if found is None else ", ".join(f"{x:.4g}" for x in found.reshape(-1))
