"""What holds for every record that the package returns.

A new record joins ``RECORDS`` and is tested by every law; a public one that is missing is missed.
"""

from __future__ import annotations

import copy
import datetime as dt
import importlib
import json
import math
import pickle
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

import properly
from properly import datasets, probability
from properly.rules import PBS, RPS, Brier, Log, RankedLog, Rule, SquaredAbsoluteRPS

if TYPE_CHECKING:
    from collections.abc import Iterator

Record = Any
Law = Callable[[str], None]
# Each beside the kinds of records that it leaves out.
LAWS: list[tuple[Law, tuple[str, ...]]] = []
BACKENDS: tuple[Literal["polars", "pandas", "pyarrow"], ...] = ("polars", "pandas", "pyarrow")

RNG = np.random.default_rng(1)
Y = RNG.random(200) < 0.3
P = np.round(np.where(Y, RNG.beta(3, 4, 200), RNG.beta(2, 6, 200)), 2)
Q = np.clip(P + RNG.normal(0, 0.1, 200), 0, 1)
CASES, OTHERS = properly.Cases(Y, P), properly.Cases(Y, Q)
TALLY = CASES.tally()
FEW: dict[str, Any] = {"replicates": 20, "rng": 1}
# Without events, with certain forecasts that are wrong: what is undefined or infinite.
BARE = properly.tally([0, 0, 0], [0.0, 0.5, 1.0])
CLUSTERS = properly.Cases(Y, P, clusters=np.arange(200) // 4)
# One forecast that is certain, and wrong.
SURE = properly.Cases(Y, np.where(np.arange(200) == Y.argmax(), 0.0, P))
GROUP = np.where(np.arange(200) % 2, "odd", "even")
IN_YEARS = properly.Cases(Y, P, time=np.arange(200) // 100)
FOLD = np.arange(200) % 3
# Grades, one column each.
GRADES = ("none", "mild", "severe")
TABLE = np.round(RNG.dirichlet(np.ones(3), 200), 3)
TABLE[:, 2] = 1 - TABLE[:, 0] - TABLE[:, 1]
TABLE = np.abs(TABLE)
HAPPENED = np.array([RNG.choice(3, p=row / row.sum()) for row in TABLE])
CLASSES = properly.Cases(
    [GRADES[k] for k in HAPPENED], TABLE, labels=GRADES, clusters=np.arange(200) // 4
)
NUMBERED = properly.Cases(HAPPENED, TABLE)
# A certain forecast that is wrong, and a class that never happens.
WRONG = properly.Cases([0, 0, 1], [[0.0, 1.0, 0.0], [0.5, 0.25, 0.25], [0.25, 0.75, 0.0]])


def evaluation() -> properly.Evaluation:
    models = {"first": P, "second": Q}
    return properly.evaluate(Y, models, task="binary", rules=[Brier(), Log()], within=(0.05, 0.3))


def class_evaluation(task: Literal["multiclass", "ordinal"]) -> properly.Evaluation:
    models = {"first": TABLE, "second": TABLE[::-1]}
    return properly.evaluate(HAPPENED, models, task=task, weight=np.linspace(0.1, 1, 200))


def study(**options: Any) -> properly.decisions.RetentionStudy:
    scores = {"rps": RPS().loss(HAPPENED, TABLE), "brier": Brier().loss(HAPPENED, TABLE)}
    return properly.decisions.retention_study(scores, HAPPENED, TABLE, **(FEW | options))


def means(cases: Record, **options: Any) -> properly.probability.Means:
    return properly.means(cases, interval=True, **(FEW | options))


def compared(
    models: dict[str, Any] | None = None, **options: Any
) -> properly.comparison.Comparison:
    models = {"first": P, "second": Q, "third": np.sqrt(P)} if models is None else models
    asked: dict[str, Any] = {"rule": Brier(), "rng": 1} | options
    return properly.compare(Y, models, **asked)


def grouped(groups: Any = None) -> properly.comparison.Groups:
    cases = properly.Cases(Y, P, groups=GROUP if groups is None else groups)
    return properly.by_group(cases, Brier(), **FEW)


def streamed() -> properly.Summary:
    """Sum up two models, with weights and groups, in cells."""
    found = properly.stream(cells=10)
    found.add(Y, {"first": P, "second": Q}, np.arange(1, 201), GROUP)
    return found.summary()


EPOCHS = {"brier": [0.4, 0.2, 0.3], "error": [0.5, 0.3, 0.2], "macro_f1": [0.4, 0.6, 0.7]}


def selected() -> properly.comparison.SelectionReport:
    runs = [
        properly.comparison.TrainingRun(EPOCHS, EPOCHS),
        properly.comparison.TrainingRun(EPOCHS, EPOCHS),
    ]
    return properly.comparison.selection_report(
        runs, by=["brier", "error"], report=["macro_f1"], rng=1
    )


RECORDS: dict[str, Callable[[], Record]] = {
    "MetricAgreement": lambda: properly.comparison.metric_agreement(EPOCHS),
    "TrainingRun": lambda: properly.comparison.TrainingRun(EPOCHS, EPOCHS),
    "SelectionReport": selected,
    "Selection": lambda: selected().selections[0],
    "BlockCrossValidation": lambda: properly.comparison.BlockCrossValidation(10),
    "BlockSplit": lambda: next(iter(properly.comparison.BlockCrossValidation(10).splits(100))),
    "Interval": lambda: properly.Interval(0.05, 0.2),
    "Tally": lambda: TALLY,
    "Tally, weighted": lambda: properly.tally(Y, P, weight=np.linspace(0.1, 1, 200)),
    "Cases": lambda: CLUSTERS,
    "Summary": streamed,
    "GroupingError": lambda: properly.calibration.grouping_error(TALLY.group(10)),
    "GroupingError, not grouped": lambda: properly.calibration.grouping_error(TALLY),
    "Reliability": lambda: properly.reliability(TALLY),
    "Reliability with a band": lambda: properly.reliability(TALLY, band="confidence"),
    "Reliability, one case": lambda: properly.reliability(properly.tally([1], [0.3])),
    "Bins": lambda: properly.reliability(TALLY).bins,
    "Histogram": lambda: properly.reliability(OTHERS).histogram,
    "Histogram, discrete": lambda: properly.reliability(TALLY, forecasts="discrete").histogram,
    "Band": lambda: properly.reliability(TALLY, band="consistency", **FEW).band,
    "Band, simultaneous": lambda: properly.reliability(TALLY, band="simultaneous").band,
    "BinnedReliability": lambda: properly.calibration.binned_reliability(TALLY),
    "BinnedReliability, counts": lambda: properly.calibration.binned_reliability(
        TALLY, scheme="count"
    ),
    "CalibrationTest": lambda: properly.calibration_test(TALLY, **FEW),
    "CalibrationTest, clusters": lambda: properly.calibration_test(CLUSTERS, statistic="cox"),
    "CalibrationTest, asymptotic": lambda: properly.calibration_test(TALLY, statistic="ks", **FEW),
    "CalibrationTest, classes": lambda: properly.calibration_test(NUMBERED, RPS(), **FEW),
    "CalibrationTest, undefined": lambda: properly.calibration_test(SURE, statistic="citl"),
    "CalibrationTest, refuted": lambda: properly.calibration_test(
        properly.Cases(Y, SURE.p, clusters=CLUSTERS.clusters)
    ),
    "CalibrationCurve": lambda: properly.calibration.calibration_curve(CLUSTERS, points=5),
    "CalibrationSummary": lambda: properly.calibration_summary(CLUSTERS, **FEW),
    "CalibrationSummary, certain": lambda: properly.calibration_summary(
        SURE, fit="isotonic", **FEW
    ),
    "ClassCalibrationSummary": lambda: properly.calibration_summary(
        CLASSES, reduction="cumulative", **FEW
    ),
    "AbsoluteError": lambda: properly.calibration_summary(TALLY, **FEW).ici,
    "CalibrationError": lambda: properly.calibration.calibration_error(TALLY),
    "CalibrationError, classes": lambda: properly.calibration.calibration_error(
        CLASSES, scheme="count"
    ),
    "SmoothError": lambda: properly.calibration.smooth_calibration_error(TALLY),
    "SmoothError, classes": lambda: properly.calibration.smooth_calibration_error(
        NUMBERED, scale=0.1
    ),
    "Estimate": lambda: properly.score_interval(CLUSTERS, Brier()),
    "Estimate, infinite": lambda: properly.score_interval(SURE, Log()),
    "Estimate, classes": lambda: properly.inference.skill_interval(CLASSES, RPS()),
    "Estimate without an interval": lambda: properly.inference.auc_interval(
        properly.tally(Y, np.where(Y, 0.9, 0.1))
    ),
    "Estimate, nobody acts": lambda: properly.inference.net_benefit_interval(CASES, 0.999),
    "Comparison": compared,
    "Comparison, one pair": lambda: compared({"first": P, "second": Q}, margin=0.1),
    "Comparison, areas": lambda: compared(rule="auc", clusters=CLUSTERS.clusters),
    "Comparison, infinite": lambda: compared({"sure": SURE.p, "second": Q}, rule=Log()),
    "Comparison, the same": lambda: compared({"first": P, "again": P}),
    "Comparison, series": lambda: compared(time=np.arange(200), method="diebold-mariano"),
    "Pair": lambda: compared()["second", "first"],
    "Pair, infinite": lambda: compared({"sure": SURE.p, "also": SURE.p}, rule=Log())[
        "sure", "also"
    ],
    "Bootstrap": lambda: properly.inference.bootstrap(CLUSTERS, Brier(), rng=1),
    "Bootstrap, infinite": lambda: properly.inference.bootstrap(SURE, Log(), replicates=39, rng=1),
    "Bootstrap, blocks": lambda: properly.inference.bootstrap(
        properly.Cases(Y, P, time=np.arange(200)), "auc", replicates=39, rng=1
    ),
    "Groups": grouped,
    "Groups, classes": lambda: properly.by_group(
        properly.Cases(HAPPENED, TABLE, groups=GROUP), RPS(), **FEW
    ),
    "Groups with a small one": lambda: grouped(groups=np.minimum(np.arange(200) % 101, 2)),
    "GroupCalibration": lambda: grouped().calibration,
    "Contrast": lambda: grouped().measures["skill"],
    "Contrast, small": lambda: grouped(groups=np.minimum(np.arange(200), 2)).measures["score"],
    "WorstGroup": lambda: grouped().worst,
    "Homogeneity": lambda: grouped().homogeneity,
    "Folds": lambda: properly.by_fold(Y, {"first": P, "second": Q}, FOLD, rule=Brier(), rng=1),
    "Folds, one model": lambda: properly.by_fold(Y, P, FOLD, rule="auc"),
    "Folds, classes": lambda: properly.by_fold(HAPPENED, TABLE, FOLD, rule=RPS()),
    "FoldScores": lambda: properly.by_fold(Y, P, FOLD, rule=Brier()).models["forecast"],
    "FoldScores, undefined": lambda: properly.by_fold(Y, P, Y, rule="auc").models["forecast"],
    "Dominance": lambda: properly.decisions.dominance(CASES, OTHERS, **FEW),
    "Certain": lambda: evaluation().certain["first"],
    "OverTime": lambda: properly.over_time(IN_YEARS, Brier()),
    "OverTime of classes": lambda: properly.over_time(
        properly.Cases(HAPPENED, TABLE, time=np.arange(200) // 50), RPS()
    ),
    "Verdict": lambda: properly.verdict(evaluation()),
    "Verdict of classes": lambda: properly.verdict(class_evaluation("ordinal")),
    "Sentence": lambda: properly.verdict(evaluation()).sentences[0],
    "Checkup": lambda: properly.check(Y, {"percent": 100 * P, "fine": Q}),
    "Symptom": lambda: properly.check(Y, {"percent": 100 * P}).findings[0],
    "Dominance without a band": lambda: properly.decisions.dominance(CASES, CASES, **FEW),
    "Dominance, net benefit": lambda: properly.decisions.dominance(
        *(properly.Cases(Y, x, time=np.arange(200)) for x in (P, Q)), **FEW
    ).as_net_benefit(),
    "ConfidenceSet": lambda: properly.comparison.confidence_set(
        Y, {"first": P, "second": Q}, rule=Brier(), **FEW
    ),
    "ConfidenceSet, series": lambda: properly.comparison.confidence_set(
        Y, {"first": P, "again": P, "third": 1 - P}, rule=Brier(), time=np.arange(200), **FEW
    ),
    "CalibrationMonitor": lambda: properly.comparison.CalibrationMonitor().update(Y, P),
    "CalibrationMonitor, infinite": lambda: properly.comparison.CalibrationMonitor().update(
        [1], [0.0]
    ),
    "ComparisonMonitor": lambda: properly.comparison.ComparisonMonitor(Brier()).update(Y, P, Q),
    "ComparisonMonitor, infinite": lambda: properly.comparison.ComparisonMonitor(Log()).update(
        Y, SURE.p, Q
    ),
    "RunningDifference": lambda: properly.comparison.running_difference(
        Y, P, Q, Brier(), tightest=200
    ),
    "RunningDifference, the same": lambda: properly.comparison.running_difference(Y, P, P, Brier()),
    "Decomposition": lambda: properly.decompose(TALLY, Brier()),
    "Decomposition with intervals": lambda: properly.decompose(TALLY, Log(), interval=True, **FEW),
    "Decomposition, infinite": lambda: properly.decompose(BARE, Log()),
    "PartIntervals": lambda: properly.decompose(TALLY, Log(), interval=True, **FEW).intervals,
    "MurphyDecomposition": lambda: properly.calibration.murphy_decomposition(TALLY),
    "MurphyCurve": lambda: properly.murphy_curve(TALLY),
    "MurphyCurve with a band": lambda: properly.murphy_curve(TALLY, band="confidence"),
    "MurphyCurve of a part": lambda: properly.murphy_curve(
        TALLY, part="miscalibration", band="consistency", **FEW
    ),
    "MurphyCurve, difference": lambda: properly.decisions.murphy_difference(
        CASES, OTHERS, band="confidence"
    ),
    "MurphyCurve, regret": lambda: properly.regret_curve(TALLY, band="confidence"),
    "MurphyCurve, difference of regret": lambda: properly.decisions.regret_difference(
        CASES, OTHERS
    ),
    "RocCurve": lambda: properly.roc_curve(TALLY),
    "RocCurve with a band": lambda: properly.roc_curve(TALLY, band="confidence"),
    "RocCurve, hull": lambda: properly.roc_curve(TALLY, hull=True),
    "RocCurve, no events": lambda: properly.roc_curve(BARE),
    "RocBand": lambda: properly.roc_curve(TALLY, band="confidence").band,
    "DecisionCurve": lambda: properly.decision_curve(TALLY),
    "DecisionCurve with a band": lambda: properly.decision_curve(TALLY, band="confidence"),
    "DecisionCurve, exact": lambda: properly.decision_curve(TALLY, "every", harm=0.01),
    "DecisionCurve, exact, with a band": lambda: properly.decision_curve(
        CLUSTERS, "every", band="confidence"
    ),
    "DecisionCurve, no events": lambda: properly.decision_curve(BARE, "every"),
    "DecisionDifference": lambda: properly.decisions.decision_difference(CASES, OTHERS),
    "DecisionDifference with a band": lambda: properly.decisions.decision_difference(
        CASES, OTHERS, band="confidence"
    ),
    "DecisionDifference, exact": lambda: properly.decisions.decision_difference(
        CASES, OTHERS, "every", band="confidence"
    ),
    "AtThreshold": lambda: properly.at_threshold(TALLY, 0.3),
    "AtThreshold with intervals": lambda: properly.at_threshold(TALLY, 1 / 3, interval=True),
    "AtThreshold, no events": lambda: properly.at_threshold(BARE, 0.25, interval=True),
    "AtBudget": lambda: properly.decisions.at_budget(TALLY, 30),
    "AtBudget with a threshold": lambda: properly.decisions.at_budget(TALLY, 30, threshold=1 / 3),
    "AtBudget, no events": lambda: properly.decisions.at_budget(BARE, 2),
    "Money": lambda: properly.decisions.regret_in_money(TALLY, cost=100, loss=1000),
    "Money over a range": lambda: properly.decisions.regret_in_money(
        TALLY, cost=(50, 200), loss=1000
    ),
    "Money, one case": lambda: properly.decisions.regret_in_money(
        properly.tally([1], [0.3]), cost=1, loss=3
    ),
    "Ranking": lambda: properly.decisions.ranking(TALLY),
    "Ranking within": lambda: properly.decisions.ranking(TALLY, within=(0.1, 0.4)),
    "Ranking, no events": lambda: properly.decisions.ranking(BARE, within=(0.6, 0.7)),
    "ThresholdRanks": lambda: properly.decisions.rank_by_threshold(
        {"first": CASES, "second": OTHERS}
    ),
    "RangeMap": lambda: properly.decisions.best_by_range(
        {"first": TALLY, "second": OTHERS.tally()}
    ),
    "RangeMap with standard errors": lambda: properly.decisions.best_by_range(
        {"first": CASES, "second": OTHERS}, edges=[0.01, 0.1, 0.3, 0.9], prior="logit"
    ),
    "Evaluation": evaluation,
    "Cases, classes": lambda: CLASSES,
    "Cases, normalized": lambda: properly.Cases([0, 1], [[1, 3], [2, 2]], normalize=True),
    "Evaluation, classes": lambda: class_evaluation("multiclass"),
    "Evaluation, ordinal": lambda: class_evaluation("ordinal"),
    "Evaluation, infinite": lambda: properly.evaluate(WRONG.y, WRONG.p, task="ordinal"),
    "Decomposition, totals": lambda: class_evaluation("ordinal").totals["first"]["rps"],
    "ClassDecomposition": lambda: properly.decompose(CLASSES, RPS()),
    "ClassDecomposition, one_vs_rest": lambda: properly.decompose(NUMBERED, Brier()),
    "ClassDecomposition, top_label": lambda: properly.decompose(
        NUMBERED, Brier(), reduction="top_label"
    ),
    "ClassDecomposition with intervals": lambda: properly.decompose(
        NUMBERED, RPS(), interval=True, **FEW
    ),
    "ClassDecomposition, infinite": lambda: properly.decompose(WRONG, RankedLog()),
    "Confusion": lambda: properly.decisions.confusion(HAPPENED, TABLE.argmax(axis=1), 3),
    "Confusion, weighted": lambda: properly.decisions.confusion(
        HAPPENED, TABLE.argmax(axis=1), 3, weight=np.linspace(0.1, 1, 200)
    ),
    "Confusion, mixed labels": lambda: properly.decisions.confusion(
        ["a", 1], [1, 1], ["a", 1, 2.5]
    ),
    "HardScores": lambda: properly.decisions.hard_decisions(CLASSES).argmax,
    "HardScores, undefined": lambda: (
        properly.decisions.hard_decisions(properly.Cases([0], [[1, 0]])).bayes
    ),
    "HardDecisions": lambda: properly.decisions.hard_decisions(CLASSES),
    "HardDecisions, undefined": lambda: properly.decisions.hard_decisions(
        properly.Cases([0], [[1, 0]])
    ),
    "Retention": lambda: properly.retention_curve(
        RPS().loss(HAPPENED, TABLE), HAPPENED, TABLE, ties="average"
    ),
    "Retention, undefined": lambda: properly.retention_curve(
        [3, 2, 1, 0], [0, 1, 1, 1], [0, 1, 1, 1], removed=[0, 0.25, 0.5]
    ),
    "AreaEstimate": lambda: study().areas["rps"],
    "AreaEstimate, difference": lambda: study().differences["rps", "brier"],
    "RetentionStudy": study,
    "RetentionStudy, expected_cost": lambda: study(metric="expected_cost", oracle=False),
    "WorstCases": lambda: properly.decisions.worst_cases(CLASSES, RPS(), 5),
    "WorstCases, infinite": lambda: properly.decisions.worst_cases(WRONG, Log(), 3),
    "WorstCases, one event": lambda: properly.decisions.worst_cases(CASES, Brier(), 5),
    "CumulativeForecast": lambda: properly.decisions.cumulative_forecast(
        "mild", [0.25, 0.25, 0.5], GRADES
    ),
    "CumulativeForecast, numbered": lambda: properly.decisions.cumulative_forecast(
        1, [0.25, 0.25, 0.5]
    ),
    "Audit": lambda: properly.audit(RPS(), 3),
    "Audit, refuted": lambda: properly.audit(SquaredAbsoluteRPS(), 3),
    "Audit, one event": lambda: properly.audit(Log()),
    "Audit, ties": lambda: properly.audit(PBS(ties="any_correct"), 2),
    "Counterexample": lambda: properly.audit(SquaredAbsoluteRPS(), 3).counterexample,
    "Finding": lambda: properly.audit(Brier(), 3).local,
    "Finding, does not apply": lambda: properly.audit(Brier(), 2).local,
    "ThreeMeans": lambda: properly.probability.ThreeMeans(0.75, 0.5, 0.25),
    "Means": lambda: properly.means(TALLY),
    "Means with intervals": lambda: means(OTHERS, precision=0.05),
    "Means with intervals, dependent": lambda: means(CLASSES),
    "Means with intervals, bins": lambda: means(CASES, source="hist", precision=0.05),
    "Means, pooled": lambda: properly.means(NUMBERED, source=probability.Isotonic(pooled=True)),
    "Means, zero": lambda: properly.means(BARE),
    "Means, classes, zero": lambda: properly.means(WRONG),
    "ClassMeans": lambda: properly.means(TALLY).classes["event"],
    "ClassMeans, classes": lambda: properly.means(CLASSES).classes["mild"],
    "MeansIntervals": lambda: means(TALLY, precision=0.05).intervals,
    "MeansIntervals, dependent": lambda: means(CLUSTERS, precision=0.05).intervals,
    "SourceTable": lambda: properly.probability.source_table(TALLY),
    "SourceTable, classes": lambda: properly.probability.source_table(CLASSES, source="hist"),
    "SourceTable, pooled": lambda: properly.probability.source_table(
        NUMBERED, source=probability.EqualWidth(pooled=True), precision=0.05
    ),
    "SourceTable, infinite": lambda: properly.probability.source_table(BARE),
    "ConfidenceTest": lambda: properly.probability.confidence_test(TALLY),
    "ConfidenceTest, infinite": lambda: properly.probability.confidence_test(WRONG),
    "ConfidenceTest, undefined": lambda: properly.probability.confidence_test(
        properly.tally([0], [0.5])
    ),
    "RiskProfile": lambda: properly.probability.risk_profile(CLASSES),
    "RiskProfile, infinite powers": lambda: properly.probability.risk_profile(
        BARE, [-math.inf, 0, math.inf]
    ),
    "ProperMeans": lambda: properly.probability.proper_means(TALLY),
    "ProperMeans, classes": lambda: properly.probability.proper_means(NUMBERED, [-1, 0, 1]),
    "LogSpread": lambda: probability.log_spread([0.99, 0.99, 0.99, 0.2]),
    "LogSpread, weighted": lambda: probability.log_spread([1e-300, 1.0], [0.5, 0.25]),
    "Isotonic": probability.Isotonic,
    "EqualCount": lambda: probability.EqualCount(bins=3, pooled=True, ties="split"),
    "EqualWidth": probability.EqualWidth,
    "Neighbours": lambda: probability.Neighbours(5),
    "Kernel": lambda: probability.Kernel(0.5),
    "CoupledGaussian": lambda: datasets.CoupledGaussian(coupling=0.5),
    "CoupledGaussian, compact": lambda: datasets.CoupledGaussian([0, 0, 0], coupling=-0.25),
    "CoupledGaussian, scale matrix": lambda: datasets.CoupledGaussian([0, 0], [[2, 1], [1, 2]]),
    "CoupledClasses": lambda: datasets.NELSON_CASES["prior 0.8"].model,
    "Posterior": lambda: datasets.NELSON_CASES["perfect"].model.posterior([0, 1, 2]),
    "NelsonCase": lambda: datasets.NELSON_CASES["tail over"],
    "Simulation": lambda: datasets.corp(50, rng=1),
    "SimulatedModels": lambda: datasets.assel(50, rng=1),
    "Crash": properly.datasets.crash,
}
QUESTIONS = ("decisions", "threshold", "ordered", "costs")
ANSWERS = (("independent", "budget"), ("fixed", "range", "unknown"), (False, True), (False, True))
for answers in product(*ANSWERS):
    asked: dict[str, Any] = dict(zip(QUESTIONS, answers, strict=True))
    RECORDS[f"Advice, {answers}"] = partial(properly.recommend, **asked)

DOORS = [
    "properly.calibration",
    "properly.comparison",
    "properly.counts",
    "properly.datasets",
    "properly.decisions",
    "properly.engines",
    "properly.evaluation",
    "properly.inference",
    "properly.probability",
    "properly.rules",
]
# Ways to estimate a source.
OPTIONS = {"Isotonic", "EqualCount", "EqualWidth", "Neighbours", "Kernel"}
# What goes in rather than comes out, parts that their whole tells of, and rows of data.
WITHOUT_DICT = OPTIONS | {
    "Interval",
    "Summary",
    "Tally",
    "Cases",
    "PartIntervals",
    "AreaEstimate",
    "Counterexample",
    "Finding",
    "Simulation",
    "SimulatedModels",
    "ClassMeans",
    "MeansIntervals",
    "CoupledGaussian",
    "CoupledClasses",
    "Posterior",
    "NelsonCase",
    "Homogeneity",
    "WorstGroup",
    "Sentence",
    "TrainingRun",
    "Selection",
    "BlockCrossValidation",
    "BlockSplit",
}
# Its dictionary holds columns for a frame of one's own, a row a person.
DATA = {"Crash"}
# Evidence so far, which is watched as it grows.
MONITORS = {"CalibrationMonitor", "ComparisonMonitor"}
# Texts, and parts of a whole whose frame has their columns.
WITHOUT_FRAME = (
    WITHOUT_DICT
    | DATA
    | MONITORS
    | {"Advice", "Audit", "HardScores"}
    | {"Contrast", "FoldScores", "GroupCalibration"}
    | {"Symptom", "Verdict"}
)
# A handful of numbers or words and nothing else: the repr is the call that makes the record.
SAID_IN_FULL = OPTIONS | {
    "Interval",
    "PartIntervals",
    "AbsoluteError",
    "SmoothError",
    "Homogeneity",
    "WorstGroup",
    "Decomposition",
    "MurphyDecomposition",
    "AreaEstimate",
    "Counterexample",
    "Finding",
    "ThreeMeans",
    "ClassMeans",
    "MeansIntervals",
    "Sentence",
    "Symptom",
}
# A field that the dictionary calls otherwise.
SYNONYMS = {("Evaluation", "total"): "cases"}
LONGEST = 100


# A named tuple that a source of one's own returns.
HANDED_IN = {"Fit"}


def is_named_tuple(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def names_in(record: Record) -> list[str]:
    """Name the fields of a record, which may be a named tuple."""
    if is_dataclass(record):
        return [field.name for field in fields(record)]
    return list(record._fields)


@cache
def made(name: str) -> Record:
    return RECORDS[name]()


def law(*left_out: str) -> Callable[[Law], Law]:
    """Hold all records to a law, but those of some kinds."""

    def joined(holds: Law) -> Law:
        LAWS.append((holds, left_out))
        return holds

    return joined


def kind_of(name: str) -> str:
    """Return the kind of a record, which is the first word of its name."""
    return name.replace(",", " ").split(maxsplit=1)[0]


# A test a record, which is made once; the trace of a failure names the law.
@pytest.mark.parametrize("name", RECORDS)
def test_what_holds_for_every_record(name: str) -> None:
    for holds, left_out in LAWS:
        if kind_of(name) not in left_out:
            holds(name)


def public() -> dict[str, type]:
    """Return the records that doors show, and what is handed in."""
    shown = [
        getattr(door, name) for door in map(importlib.import_module, DOORS) for name in door.__all__
    ]
    return {
        kind.__name__: kind
        for kind in shown
        if is_named_tuple(kind) or (is_dataclass(kind) and not issubclass(kind, Rule))  # type: ignore[arg-type]
    }


def test_every_public_record_is_here() -> None:
    assert {kind_of(name) for name in RECORDS} == public().keys() - HANDED_IN


def test_only_those_records_have_no_dictionary_and_no_frame_that_need_none() -> None:
    kinds = {name: kind for name, kind in public().items() if name not in HANDED_IN}
    assert {name for name, kind in kinds.items() if not hasattr(kind, "to_dict")} == WITHOUT_DICT
    assert {name for name, kind in kinds.items() if not hasattr(kind, "to_frame")} == WITHOUT_FRAME


@law()
def a_record_is_of_the_kind_that_it_is_called_by(name: str) -> None:
    assert type(made(name)).__name__ == kind_of(name)


# (a) JSON


@law(*WITHOUT_DICT, *DATA)
def a_dictionary_goes_through_json_unchanged(name: str) -> None:
    told = made(name).to_dict()
    assert told
    assert json.loads(json.dumps(told, allow_nan=False)) == told


@law(*WITHOUT_DICT, *DATA)
def a_dictionary_tells_every_number_text_and_flag(name: str) -> None:
    record = made(name)
    told = {key for key, value in _entries(record.to_dict()) if not isinstance(value, dict | list)}
    plain = {
        SYNONYMS.get((kind_of(name), field), field)
        for field in names_in(record)
        if isinstance(getattr(record, field), bool | int | float | str)
    }
    assert plain - told == set()


def _entries(told: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Go through a dictionary, and those in it."""
    for key, value in told.items():
        yield key, value
        if isinstance(value, dict):
            yield from _entries(value)


DAYS = [dt.date(2024, 1, day) for day in (1, 2, 3)]
DATED = properly.Cases([DAYS[k] for k in HAPPENED], TABLE, labels=DAYS)
ANY_LABELS: dict[str, Callable[[], Record]] = {
    "Confusion": lambda: properly.decisions.confusion(DAYS, DAYS, DAYS),
    "Groups": lambda: grouped([DAYS[k % 2] for k in range(200)]),
    "Folds": lambda: properly.by_fold(Y, P, [DAYS[k] for k in HAPPENED], rule=Brier()),
    "ClassCalibrationSummary": lambda: properly.calibration_summary(
        DATED, reduction="one_vs_rest", **FEW
    ),
    "HardScores": lambda: properly.decisions.hard_decisions(DATED).argmax,
    "HardDecisions": lambda: properly.decisions.hard_decisions(DATED),
    "WorstCases": lambda: properly.decisions.worst_cases(DATED, RPS(), 2),
    "Means": lambda: properly.means(DATED),
    "SourceTable": lambda: properly.probability.source_table(DATED),
    "CumulativeForecast": lambda: properly.decisions.cumulative_forecast(DAYS[0], TABLE[0], DAYS),
    "ClassDecomposition": lambda: properly.decompose(DATED, RPS()),
    "Evaluation": lambda: properly.evaluate(
        [DAYS[k] for k in HAPPENED], TABLE, labels=DAYS, task="ordinal"
    ),
}


@pytest.mark.parametrize("name", ANY_LABELS)
def test_labels_of_any_kind_go_through_json(name: str) -> None:
    text = json.dumps(ANY_LABELS[name]().to_dict(), allow_nan=False)
    assert "2024-01-02" in text


# (b) frames


@law(*WITHOUT_FRAME)
def a_frame_is_of_the_library_that_was_asked_for(name: str) -> None:
    shape = _shape(made(name).to_frame("polars"))
    assert shape[1] >= 1
    for backend in BACKENDS:
        frame = made(name).to_frame(backend)
        assert type(frame).__module__.split(".")[0] == backend
        assert _shape(frame) == shape


@law(*WITHOUT_FRAME)
def a_frame_holds_plain_columns(name: str) -> None:
    frame = made(name).to_frame("polars")
    assert {str(kind).split("(")[0] for kind in frame.dtypes} <= {
        "Float64",
        "Int64",
        "String",
        "Boolean",
        "Null",
    }


def _shape(frame: Any) -> tuple[list[str], int]:
    names = frame.column_names if hasattr(frame, "column_names") else frame.columns
    return [str(name) for name in names], len(frame)


# (c) one line


@law(*SAID_IN_FULL)
def a_record_says_in_one_line_what_it_is(name: str) -> None:
    said = repr(made(name))
    assert "\n" not in said
    assert len(said) <= LONGEST
    assert said.startswith((f"{kind_of(name)}(", f"<{kind_of(name)}"))


@law(*{kind_of(name) for name in RECORDS} - SAID_IN_FULL)
def a_record_of_a_few_numbers_says_them_all(name: str) -> None:
    record, said = made(name), repr(made(name))
    assert "\n" not in said
    for field in names_in(record):
        assert f"{field}={getattr(record, field)!r}" in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("CoupledGaussian", "CoupledGaussian(location=0.0, scale=1.0, coupling=0.5)"),
        ("CoupledGaussian, compact", "CoupledGaussian(3-D, coupling=-0.25)"),
        ("CoupledGaussian, scale matrix", "CoupledGaussian(2-D, coupling=0.0)"),
        ("CoupledClasses", "CoupledClasses(2 classes, 1-D)"),
        ("Posterior", "Posterior(3 points, 2 classes, 0 undefined)"),
        ("LogSpread", "LogSpread(0.3321 to 1.327 around 0.6637)"),
        ("RiskProfile", "RiskProfile(122 powers from -3 to 3)"),
        ("ProperMeans, classes", "ProperMeans(3 powers from -1 to 1)"),
        ("EqualWidth", "EqualWidth(bins=None, pooled=False)"),
    ],
)
def test_a_record_of_the_probability_scale_says_this(name: str, said: str) -> None:
    assert repr(made(name)) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Estimate", "Estimate(0.1743, 95 % interval 0.1463 to 0.2024)"),
        ("Estimate, infinite", "Estimate(inf, no interval)"),
        ("Estimate without an interval", "Estimate(1, no interval)"),
        ("Comparison", "Comparison(3 models, 3 pairs, brier, 200 independent cases)"),
        ("Pair", "Pair(second - first: 0.008793, p = 0.108)"),
        ("Pair, infinite", "Pair(sure - also: nan, p = nan)"),
        ("Bootstrap, infinite", "Bootstrap(inf, no interval)"),
        ("FoldScores", "FoldScores(0.1743 of all, 0.1741 in 3 folds)"),
        ("GroupCalibration", "GroupCalibration(2 groups)"),
        ("Contrast", "Contrast(2 groups)"),
        ("CalibrationTest, undefined", "CalibrationTest(citl: p = nan, chi-squared)"),
        ("ComparisonMonitor, infinite", "ComparisonMonitor(200 cases, E = inf)"),
        ("RunningDifference", "RunningDifference(151 times, 50 to 200 cases)"),
    ],
)
def test_a_record_of_how_sure_we_are_says_this(name: str, said: str) -> None:
    assert repr(made(name)) == said


# (d) nothing can be changed


@law()
def no_array_in_a_record_can_be_written_to(name: str) -> None:
    writeable = [where for where, array in _arrays(made(name)) if array.flags.writeable]
    assert writeable == []


@law()
def no_field_of_a_record_can_be_set(name: str) -> None:
    record = made(name)
    for field in names_in(record):
        with pytest.raises(AttributeError):
            setattr(record, field, None)


@law()
def every_number_outside_of_arrays_is_one_of_pythons_own(name: str) -> None:
    assert [where for where, x in _leaves(made(name)) if isinstance(x, np.generic)] == []


def _leaves(x: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Find all that a record holds that has no parts of its own."""
    parts = _parts(x)
    if not parts:
        yield where, x
    for name, part in parts:
        yield from _leaves(part, f"{where}.{name}".lstrip("."))


def _arrays(x: Any, where: str = "") -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Find all arrays in a record, and in the records, dictionaries and tuples that it holds."""
    if isinstance(x, np.ndarray):
        yield where, x
    for name, part in _parts(x):
        yield from _arrays(part, f"{where}.{name}".lstrip("."))


def _parts(x: Any) -> list[tuple[str, Any]]:
    if is_dataclass(x):
        return [(name, getattr(x, name)) for name in names_in(x)]
    if isinstance(x, Mapping):
        return [(str(name), part) for name, part in x.items()]
    if isinstance(x, list | tuple):
        return [(str(place), part) for place, part in enumerate(x)]
    return []


# (e) copies


@law()
def a_record_can_be_sent_to_another_process(name: str) -> None:
    record = made(name)
    _assert_same(pickle.loads(pickle.dumps(record)), record)  # noqa: S301


@law()
def a_record_can_be_copied(name: str) -> None:
    record = made(name)
    _assert_same(copy.copy(record), record)
    _assert_same(copy.deepcopy(record), record)


def _assert_same(found: Any, expected: Any, where: str = "") -> None:
    assert type(found) is type(expected), where
    if isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(found, expected, err_msg=where, strict=True)
    elif isinstance(expected, float):
        assert found == expected or (math.isnan(found) and math.isnan(expected)), where
    elif parts := _parts(expected):
        others = _parts(found)
        assert [name for name, _ in others] == [name for name, _ in parts], where
        for (name, one), (_, other) in zip(others, parts, strict=True):
            _assert_same(one, other, f"{where}.{name}".lstrip("."))
    else:
        assert found == expected, where
