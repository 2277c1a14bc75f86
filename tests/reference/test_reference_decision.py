"""Scores over thresholds against 40-digit values.

Sources, keys and conventions: ``tests/reference/README.md``. Where the package has several ways to
a number, each of them is a value of the list that `compute` returns, and all must be right.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pytest

import properly
from properly import rules

from .held import FOLDER, assert_near, column, load, near, read

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


KEYS = {"unweighted": 207, "weighted": 193}  # budgets are counted in cases, without weights
# What the files say of themselves, not of the forecasts; held against the rows below.
DESCRIPTIONS = {"n", "n_distinct_scores"}
TERMS = {
    "": "score",
    "_climatology": "uncertainty",
    "_MCB": "miscalibration",
    "_DSC": "discrimination",
}
RULES: dict[str, Callable[[], rules.BinaryRule]] = {"brier": rules.Brier, "log": rules.Log}
PRIORS: dict[str, Literal["hand", "severity", "event_rate"]] = {
    "2,2": "hand",
    "2,1/pi": "severity",
    "1+pi,2-pi": "event_rate",
}
FORMS: dict[str, Literal["regret", "classweighted", "published"]] = {
    "A_unweighted": "published",
    "B_classweighted": "classweighted",
    "C_regret": "regret",
}
AT_THRESHOLD = {
    "net_benefit": "net_benefit",
    "net_benefit_treat_all": "treat_all",
    "standardized_net_benefit": "standardized_net_benefit",
    "net_intervention_avoided": "interventions_avoided",
    "accuracy": "accuracy",
    "tpr": "true_positive_rate",
    "fpr": "false_positive_rate",
    "regret_skill": "skill",
}
AT_BUDGET = {
    "expected_tp": "true_positives",
    "precision": "precision",
    "recall": "recall",
    "net_benefit": "net_benefit",
    "regret": "regret",
}
RANKING = {
    "pauc_plus": "partial_auc_above",
    "pauc_minus": "partial_auc_beside",
    "balanced_average_accuracy": "balanced_average_accuracy",
    "mean_regret_at_scores": "regret_at_scores",
}


class Sample(NamedTuple):
    """The rows of a file, and their tally."""

    y: NDArray[np.int64]
    p: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    tally: properly.Tally

    @property
    def event_rate(self) -> float:
        return self.tally.event_rate

    def term(self, rule: rules.BinaryRule, suffix: str = "") -> float:
        """Read one term of the decomposition; ``_pav`` is the score after recalibration."""
        if suffix == "_skill":
            return properly.skill(self.y, self.p, rule, weight=self.weight)
        result = properly.decompose(self.tally, rule)
        if suffix == "_pav":
            return result.uncertainty - result.discrimination
        value: float = getattr(result, TERMS[suffix])
        return value

    def mean(self, rule: rules.BinaryRule) -> float:
        """Let the rule itself take the mean, of the rows."""
        return float(rule(self.y, self.p, weight=self.weight))


@cache
def sample_of(name: str, weighting: str) -> Sample:
    rows = read(f"decision/{name}")
    y, p = column(rows, "y").astype(int), column(rows, "p")
    weight = column(rows, "w") if weighting == "weighted" else None
    return Sample(y, p, weight, properly.tally(y, p, weight=weight))


def table(name: str, weighting: str) -> dict[str, str | None]:
    values: dict[str, str | None] = load(f"decision/{name}")[weighting]
    return values


TABLES = [
    (path.stem, weighting)
    for path in sorted((FOLDER / "decision").glob("*.json"))
    for weighting in load(f"decision/{path.stem}")
]
VALUES = [
    # What is undefined there, a share of nothing, is NaN here.
    pytest.param(name, weighting, key, float(value or "nan"), id=f"{name}-{weighting}-{key}")
    for name, weighting in TABLES
    for key, value in table(name, weighting).items()
    if key not in DESCRIPTIONS
]


def ends(match: re.Match[str]) -> tuple[float, float]:
    return float(match["a"]), float(match["b"])


def whole_rule(sample: Sample, match: re.Match[str]) -> list[float]:
    rule = RULES[match["family"]]()
    if match["suffix"] in ("", "_loss"):
        return [sample.term(rule), sample.mean(rule)]
    return [sample.term(rule, match["suffix"])]


def regret(sample: Sample, match: re.Match[str]) -> list[float]:
    c = float(match["c"])
    return [
        sample.term(rules.Elementary(c)),
        sample.mean(rules.PointWeighted([c])),
        properly.at_threshold(sample.tally, c).regret,
        float(properly.regret_curve(sample.tally).at(c)),
    ]


def regret_strict(sample: Sample, match: re.Match[str]) -> list[float]:
    """Act iff p > c: the limit from the right of all that acts iff p >= c."""
    c = float(match["c"])
    right = properly.decision_curve(sample.tally, [c]).right[0]
    curve = properly.regret_curve(sample.tally)
    jumps = curve.threshold == c
    found = [
        (sample.event_rate - float(right)) * (1 - c),
        float(curve.right[jumps][0] if jumps.any() else curve.at(c)),
    ]
    if c == 0.5:
        # A half at exactly 1/2 is the mean of acting iff p >= 1/2 and acting iff p > 1/2.
        found.append(sample.term(rules.Misclassification()) - sample.term(rules.Elementary(0.5)))
    return found


def at_threshold(sample: Sample, match: re.Match[str]) -> list[float]:
    c = float(match["c"])
    field = AT_THRESHOLD[match["field"]]
    found: list[float] = [getattr(properly.at_threshold(sample.tally, c), field)]
    name = "standardized" if field == "standardized_net_benefit" else field
    curve = properly.decision_curve(sample.tally, [c])
    if name in ("net_benefit", "treat_all", "standardized", "interventions_avoided"):
        found.append(float(getattr(curve, name)[0]))
    return found


def bounded(sample: Sample, match: re.Match[str]) -> list[float]:
    within, rule = ends(match), RULES[match["family"]]()
    if match["suffix"] == "_integral":
        found = [sample.term(rules.Bounded(rule, within, scale="integral"))]
        if match["family"] == "brier":
            found.append(2 * properly.regret_curve(sample.tally).area(within))
        return found
    found = [sample.term(rules.Bounded(rule, within), match["suffix"])]
    share = 1 if match["suffix"] == "_skill" else 2
    if match["family"] == "brier":
        found.append(share * sample.term(rules.Regret(within), match["suffix"]))
    else:
        found.append(sample.term(rules.Regret(within, prior="logit"), match["suffix"]))
    return found


def mean_regret(sample: Sample, match: re.Match[str]) -> list[float]:
    within = ends(match)
    curve = properly.regret_curve(sample.tally)
    return [
        sample.term(rules.Regret(within)),
        sample.mean(rules.Regret(within)),
        sample.mean(rules.Regret(within, prior=rules.Brier())),
        sample.term(rules.Bounded(rules.Brier(), within)) / 2,
        curve.area(within) / (within[1] - within[0]),
    ]


def mean_net_benefit(sample: Sample, match: re.Match[str]) -> list[float]:
    within = ends(match)
    return [
        properly.decisions.mean_net_benefit(sample.tally, within),
        sample.event_rate - sample.mean(rules.Bounded(rules.MissedBenefit(), within)),
    ]


def ranking(sample: Sample, match: re.Match[str]) -> list[float]:
    found = properly.decisions.ranking(sample.tally, within=ends(match))
    return [getattr(found, RANKING[match["field"]])]


def beta(sample: Sample, match: re.Match[str]) -> list[float]:
    """Read the parameters, among which are ``1+pi``, ``2-pi`` and ``1/pi``."""
    rate = sample.event_rate
    words = {"1+pi": 1 + rate, "2-pi": 2 - rate, "1/pi": 1 / rate}
    alpha, beta = (words[x] if x in words else float(x) for x in match["parameters"].split(","))
    rule = rules.BetaWeighted(alpha, beta)
    if match["a"] is not None:
        within = ends(match)
        return [
            sample.term(rules.Regret(within, prior=rule)),
            sample.mean(rules.Bounded(rule, within)),
        ]
    if match["stem"] == "beta_mean_regret":
        return [sample.term(rule), sample.mean(rule)]
    if match["stem"] == "beta_skill":
        return [sample.term(rule, "_skill")]
    priors = [rule, PRIORS.get(match["parameters"], rule)]
    return [properly.inference.h_measure(sample.tally, prior) for prior in priors]


def shifted(sample: Sample, match: re.Match[str]) -> list[float]:
    return [sample.mean(rules.Shifted(float(match["mu"]), form=FORMS[match["form"]]))]


def at_budget(sample: Sample, match: re.Match[str]) -> list[float]:
    threshold = None if match["c"] is None else float(match["c"])
    found = properly.decisions.at_budget(sample.tally, int(match["K"]), threshold=threshold)
    return [getattr(found, AT_BUDGET[match["field"]])]


def auc(sample: Sample, match: re.Match[str]) -> list[float]:
    found = properly.decisions.ranking(sample.tally)
    if match["name"] == "hand_auc_from_regret":
        return [found.auc_if_calibrated, found.auc - found.gap]
    return [found.auc, (1 + found.auc_skill) / 2, properly.roc_curve(sample.tally).area]


SUFFIX = r"_(?:skill|climatology|pav|MCB|DSC)"
WITHIN = r"\[(?P<a>[\d.]+),(?P<b>[\d.]+)\]"
WAYS: dict[str, Callable[[Sample, re.Match[str]], list[float]]] = {
    "sum_weights": lambda sample, _: [float(sample.tally.total)],
    "prevalence": lambda sample, _: [sample.event_rate],
    rf"(?P<family>brier|log)(?P<suffix>|_loss|{SUFFIX})": whole_rule,
    r"regret@(?P<c>[\d.]+)": regret,
    r"regret_strict@(?P<c>[\d.]+)": regret_strict,
    rf"(?P<field>{'|'.join(AT_THRESHOLD)})@(?P<c>[\d.]+)": at_threshold,
    rf"bounded_(?P<family>brier|log)(?P<suffix>|_integral|{SUFFIX}){WITHIN}": bounded,
    rf"mean_regret{WITHIN}": mean_regret,
    rf"mean_net_benefit{WITHIN}": mean_net_benefit,
    rf"(?P<field>{'|'.join(RANKING)}){WITHIN}": ranking,
    r"(?P<name>auc|hand_auc_from_regret)": auc,
    rf"(?P<stem>beta_mean_regret|beta_skill|h_measure)\((?P<parameters>.*)\)(?:{WITHIN})?": beta,
    rf"shifted_brier_(?P<form>{'|'.join(FORMS)})\((?P<mu>[\d.]+)\)": shifted,
    rf"(?P<field>{'|'.join(AT_BUDGET)})@K=(?P<K>\d+)(?:,c=(?P<c>[\d.]+))?": at_budget,
}


def compute(sample: Sample, key: str) -> list[float]:
    """Return what the reference calls ``key``, by every way that the package has to it."""
    ways = [(way, re.fullmatch(pattern, key)) for pattern, way in WAYS.items()]
    ((way, match),) = [(way, match) for way, match in ways if match]
    return way(sample, match)


def test_the_reference_files_are_all_there() -> None:
    assert TABLES == [
        ("calibrated_n300", "unweighted"),
        ("hard01_n200", "unweighted"),
        ("rare_wrong01_n1000", "unweighted"),
        ("ties_n500", "unweighted"),
        ("weights_n250", "unweighted"),
        ("weights_n250", "weighted"),
    ]
    for name, weighting in TABLES:
        assert len(table(name, weighting)) == KEYS[weighting]


def test_every_key_but_the_descriptions_is_computed() -> None:
    keys = {key for where in TABLES for key in table(*where)}
    computed = {key for key in keys if any(re.fullmatch(pattern, key) for pattern in WAYS)}
    assert keys - computed == DESCRIPTIONS
    assert len(VALUES) == sum(KEYS[weighting] - len(DESCRIPTIONS) for _, weighting in TABLES)


@pytest.mark.parametrize(("name", "weighting"), TABLES)
def test_the_rows_are_those_that_the_values_were_computed_from(name: str, weighting: str) -> None:
    forecasts, values = sample_of(name, weighting).p, table(name, weighting)
    assert len(forecasts) == int(values["n"] or 0)
    assert len(np.unique(forecasts)) == int(values["n_distinct_scores"] or 0)


@pytest.mark.parametrize(("name", "weighting", "key", "expected"), VALUES)
def test_every_value_is_the_exact_one(name: str, weighting: str, key: str, expected: float) -> None:
    for got in compute(sample_of(name, weighting), key):
        assert got == near(expected)


@pytest.mark.parametrize("name", ["calibrated_n300", "hard01_n200", "rare_wrong01_n1000"])
def test_misclassification_is_one_minus_accuracy_where_no_forecast_is_one_half(name: str) -> None:
    sample = sample_of(name, "unweighted")
    assert 0.5 not in sample.p
    errors = 1 - float(table(name, "unweighted")["accuracy@0.5"] or "nan")
    assert sample.term(rules.Misclassification()) == near(errors)


# Decision curves

CURVES = ["rare_wrong01_n1000", "ties_n500"]
COLUMNS = {
    "tp_rate": "true_positives",
    "fp_rate": "false_positives",
    "net_benefit": "net_benefit",
    "net_benefit_all": "treat_all",
    "net_intervention_avoided": "interventions_avoided",
    "regret": "regret",
}


@cache
def curve_table(name: str) -> dict[str, NDArray[np.float64]]:
    rows = read(f"decision/decision_curve_{name}")
    return {x: column(rows, x) for x in rows[0]}


@pytest.mark.parametrize("name", CURVES)
def test_the_decision_curves_are_all_there(name: str) -> None:
    found = curve_table(name)
    assert set(found) == {"threshold", *COLUMNS}
    np.testing.assert_array_equal(found["threshold"], np.arange(1, 100) / 100)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("name", CURVES)
def test_every_point_of_a_decision_curve_is_the_exact_one(name: str, column: str) -> None:
    tally, found = sample_of(name, "unweighted").tally, curve_table(name)
    got = [getattr(properly.at_threshold(tally, c), COLUMNS[column]) for c in found["threshold"]]
    assert_near(got, found[column])


@pytest.mark.parametrize("name", CURVES)
def test_a_decision_curve_over_the_default_thresholds_is_the_exact_one(name: str) -> None:
    sample, found = sample_of(name, "unweighted"), curve_table(name)
    curve = properly.decision_curve(sample.tally)
    np.testing.assert_array_equal(curve.threshold, found["threshold"])
    for ours, name_of in (
        (curve.net_benefit, "net_benefit"),
        (curve.treat_all, "net_benefit_all"),
        (curve.interventions_avoided, "net_intervention_avoided"),
        ((sample.event_rate - curve.net_benefit) * (1 - curve.threshold), "regret"),
        (curve.standardized * sample.event_rate, "net_benefit"),
    ):
        assert_near(ours, found[name_of])
    np.testing.assert_array_equal(curve.treat_none, 0)


@pytest.mark.parametrize("name", CURVES)
def test_the_exact_decision_curve_goes_through_every_point(name: str) -> None:
    sample, found = sample_of(name, "unweighted"), curve_table(name)
    curve = properly.decision_curve(sample.tally, "every")
    assert curve.exact
    tied = np.isin(found["threshold"], sample.p)
    assert tied.any()
    assert not tied.all()
    between = curve.at(found["threshold"][~tied])
    assert_near(between, found["net_benefit"][~tied])
    knots = np.searchsorted(curve.threshold, found["threshold"][tied])
    np.testing.assert_array_equal(curve.threshold[knots], found["threshold"][tied])
    assert_near(curve.net_benefit[knots], found["net_benefit"][tied])
