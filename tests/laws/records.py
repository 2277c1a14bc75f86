"""Every kind of record that the package returns, by name; the first word is the kind."""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import properly
from properly import probability
from properly.probability._power_means import ThreeMeans
from properly.rules import PBS, RPS, Brier, Log, RankedLog, SquaredAbsoluteRPS

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.decisions._retention import RetentionStudy

Record = Any

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
SERIES = properly.Cases(Y, P, time=np.arange(200))
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


def monitor(**options: Any) -> properly.Monitor:
    """Watch a model that is right, and one that is wrong, in two groups."""
    result = properly.Monitor(against="first", **options)
    result.add(Y, {"first": P, "turned": 1 - P}, groups=GROUP)
    return result


def bare_monitor() -> properly.Monitor:
    """Watch one model that has been refuted, in a case."""
    result = properly.Monitor()
    result.add([1], [0.0])
    return result


def unseen_monitor() -> properly.Monitor:
    """Watch one model of which no outcome is known."""
    result = properly.Monitor()
    result.add(None, [0.5], ids=["a"])
    return result


def class_evaluation(task: Literal["multiclass", "ordinal"]) -> properly.Evaluation:
    models = {"first": TABLE, "second": TABLE[::-1]}
    return properly.evaluate(HAPPENED, models, task=task, weight=np.linspace(0.1, 1, 200))


def study(**options: Any) -> RetentionStudy:
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


def board(**options: Any) -> properly.comparison.Leaderboard:
    return properly.leaderboard(properly.datasets.tournament(40).answers, rng=1, **options)


RECORDS: dict[str, Callable[[], Record]] = {
    "Interval": lambda: properly.Interval(0.05, 0.2),
    "Tally": lambda: TALLY,
    "Tally, weighted": lambda: properly.tally(Y, P, weight=np.linspace(0.1, 1, 200)),
    "Cases": lambda: CLUSTERS,
    "Answers": lambda: properly.datasets.tournament(40).answers,
    "Tournament": lambda: properly.datasets.tournament(40),
    "Leaderboard": board,
    "Leaderboard, all columns": lambda: board(relative_skill=True, peer=True, crowd="mean"),
    "Standing": lambda: board()["Ada"],
    "Standing, all columns": lambda: board(relative_skill=True, peer=True, bounds=True)["Ada"],
    "Summary": streamed,
    "GroupingError": lambda: properly.calibration.grouping_error(TALLY.group(10)),
    "GroupingError, not grouped": lambda: properly.calibration.grouping_error(TALLY),
    "Reliability": lambda: properly.reliability(TALLY),
    "Reliability with a band": lambda: properly.reliability(TALLY, band="confidence"),
    "Reliability, series": lambda: properly.reliability(SERIES, band="confidence"),
    "Reliability, one case": lambda: properly.reliability(properly.tally([1], [0.3])),
    "IsotonicBins": lambda: properly.reliability(TALLY).bins,
    "Histogram": lambda: properly.reliability(OTHERS).histogram,
    "Histogram, discrete": lambda: properly.reliability(TALLY, forecasts="discrete").histogram,
    "Band": lambda: properly.reliability(TALLY, band="consistency", **FEW).band,
    "Band, simultaneous": lambda: properly.reliability(TALLY, band="simultaneous").band,
    "BinnedReliability": lambda: properly.calibration.binned_reliability(TALLY),
    "BinnedReliability, counts": lambda: properly.calibration.binned_reliability(
        TALLY, scheme="count"
    ),
    "BinnedReliability with a band": lambda: properly.calibration.binned_reliability(
        CLUSTERS, band="consistency", **FEW
    ),
    "CalibrationTest": lambda: properly.calibration_test(TALLY, **FEW),
    "CalibrationTest, clusters": lambda: properly.calibration_test(CLUSTERS, statistic="cox"),
    "CalibrationTest, series": lambda: properly.calibration_test(SERIES, Brier(), **FEW),
    "CalibrationTest, asymptotic": lambda: properly.calibration_test(TALLY, statistic="ks", **FEW),
    "CalibrationTest, classes": lambda: properly.calibration_test(NUMBERED, RPS(), **FEW),
    "CalibrationTest, undefined": lambda: properly.calibration_test(
        properly.tally([0, 1], [0.0, 1.0]), statistic="citl"
    ),
    "CalibrationTest, refuted": lambda: properly.calibration_test(
        properly.Cases(Y, SURE.p, clusters=CLUSTERS.clusters)
    ),
    "CalibrationCurve": lambda: properly.calibration.calibration_curve(CLUSTERS, points=5),
    "CalibrationSummary": lambda: properly.calibration_summary(CLUSTERS, **FEW),
    "CalibrationSummary, series": lambda: properly.calibration_summary(SERIES, **FEW),
    "CalibrationSummary, certain": lambda: properly.calibration_summary(
        SURE, fit="isotonic", **FEW
    ),
    "AbsoluteError": lambda: properly.calibration_summary(TALLY, **FEW).ici,
    "CalibrationError": lambda: properly.calibration.calibration_error(TALLY),
    "CalibrationError, classes": lambda: properly.calibration.calibration_error(
        CLASSES, scheme="count"
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
    "Added": lambda: properly.Monitor().add([1, 0], ids=["a", "b"]),
    "Alarm": lambda: monitor().alarms[0],
    "Alarm, infinite": lambda: bare_monitor().alarms[0],
    "Alarm in a group": lambda: next(x for x in monitor().alarms if x.group),
    "Evidence": lambda: monitor().evidence[0],
    "Evidence in a group": lambda: monitor().evidence[-1],
    "Evidence, infinite": lambda: bare_monitor().evidence[0],
    "Evidence, restarts": lambda: monitor(run_length=1000).evidence[1],
    "Evidence without cases": lambda: unseen_monitor().evidence[0],
    "Decomposition": lambda: properly.decompose(TALLY, Brier()),
    "Decomposition with intervals": lambda: properly.decompose(TALLY, Log(), interval=True, **FEW),
    "Decomposition, infinite": lambda: properly.decompose(BARE, Log()),
    "PartIntervals": lambda: properly.decompose(TALLY, Log(), interval=True, **FEW).intervals,
    "MurphyDecomposition": lambda: properly.calibration.murphy_decomposition(TALLY),
    "MurphyCurve": lambda: properly.murphy_curve(TALLY),
    "MurphyCurve with a band": lambda: properly.murphy_curve(TALLY, band="confidence"),
    "MurphyCurve of a part": lambda: properly.murphy_curve(TALLY, part="miscalibration"),
    "MurphyCurve, difference": lambda: properly.decisions.murphy_difference(
        CASES, OTHERS, band="confidence"
    ),
    "MurphyCurve, regret": lambda: properly.regret_curve(TALLY, band="confidence"),
    "MurphyCurve, difference of regret": lambda: properly.decisions.murphy_difference(
        CASES, OTHERS
    ).on_regret_scale(),
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
    "Repair": lambda: properly.evaluate(
        Y, P, within=(0.05, 0.3), recalibrate="auto", **FEW
    ).repairs["forecast"],
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
    "Retention, error_rate": lambda: properly.retention_curve(
        1 - TABLE.max(axis=1), HAPPENED, TABLE, metric="error_rate", clusters=np.arange(200) // 4
    ),
    "Retention, infinite": lambda: properly.retention_curve(
        [1, 2, 3], [0, 0, 1], [0.5, 1.0, 0.5], metric=Log()
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
    "AuditFinding": lambda: properly.audit(Brier(), 3).local,
    "AuditFinding, does not apply": lambda: properly.audit(Brier(), 2).local,
    "ThreeMeans": lambda: ThreeMeans(0.75, 0.5, 0.25),
    "Means": lambda: properly.means(TALLY),
    "Means with intervals": lambda: means(OTHERS, precision=0.05),
    "Means with intervals, dependent": lambda: means(CLASSES),
    "Means with intervals, bins": lambda: means(CASES, source="hist", precision=0.05),
    "Means, pooled": lambda: properly.means(
        NUMBERED, source=probability.IsotonicSource(pooled=True)
    ),
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
    "IsotonicSource": probability.IsotonicSource,
    "EqualCount": lambda: probability.EqualCount(bins=3, pooled=True),
    "EqualWidth": probability.EqualWidth,
    "Neighbours": lambda: probability.Neighbours(5),
    "Kernel": lambda: probability.Kernel(0.5),
    "Crash": properly.datasets.crash,
}
QUESTIONS = ("decisions", "threshold", "task", "costs")
TASKS = ("binary", "ordinal", "multiclass")
ANSWERS = (("independent", "budget"), ("fixed", "range", "unknown"), TASKS, (False, True))
for answers in product(*ANSWERS):
    asked: dict[str, Any] = dict(zip(QUESTIONS, answers, strict=True))
    RECORDS[f"Advice, {answers}"] = partial(properly.recommend, **asked)
