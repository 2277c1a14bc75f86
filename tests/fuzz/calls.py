"""A legal call of every public function, with odd rows and options that are drawn.

A function that has no call here is found by `test_calls.py`. What a call returns is looked at: a
record is printed and written as a dictionary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import properly
from properly import (
    calibration,
    comparison,
    counts,
    datasets,
    decisions,
    engines,
    evaluation,
    inference,
    probability,
    recalibration,
    rules,
)
from properly.rules import RPS, Brier

from .odd_rows import CLASSES, FEW, ODD, chances, class_rules, odd_classes, odd_rows, tables, within
from .odd_rows import rules as any_rule

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Draw = Callable[[Any], Any]
    Call = Callable[[Draw], Any]

CALLS: dict[str, Call] = {}
# Calls that write files are given a folder.
WRITERS: dict[str, Callable[[Draw, Path], Any]] = {}
EVENT, OF_CLASSES = odd_rows(), odd_classes()
# Where a design is refused anyway, or has no part.
PLAIN = odd_rows(design=False)
COSTS = ("zero_one", "linear", "quadratic")


def names(*options: object) -> Any:
    """Draw one of these."""
    return st.sampled_from(options)


def call(name: str) -> Callable[[Call], Call]:
    """Enter a call of a function under its door and name."""

    def enter(function: Call) -> Call:
        CALLS[name] = function
        return function

    return enter


def of_source(draw: Draw) -> Any:
    """Draw cases, or their tally."""
    odd = draw(EVENT)
    return odd.cases() if draw(st.booleans()) else odd.tally()


def of_either(draw: Draw) -> Any:
    """Draw cases of an event or of classes, or a tally, and a rule for them."""
    if draw(st.integers(0, 3)) == 0:
        return draw(OF_CLASSES).cases(), draw(class_rules)
    return of_source(draw), draw(any_rule)


def simply(name: str, function: Callable[..., Any], **options: Any) -> None:
    """Enter a call of a function of a tally or cases, with options that are drawn."""

    def of(draw: Draw) -> Any:
        return function(of_source(draw), **{key: draw(x) for key, x in options.items()})

    CALLS[name] = of


few = {name: st.just(x) for name, x in FEW.items()}
bands = {"band": names(None, "confidence")}
simply(
    "calibration.binned_reliability",
    calibration.binned_reliability,
    bins=names(1, 7),
    band=names(None, "consistency"),
    **few,
)
simply(
    "calibration.calibration_error", calibration.calibration_error, scheme=names("width", "count")
)
simply("calibration.murphy_decomposition", calibration.murphy_decomposition)
simply("calibration.grouping_error", calibration.grouping_error, rule=any_rule)
simply(
    "calibration.calibration_curve",
    calibration.calibration_curve,
    fit=names("spline", "loess", "lowess"),
    points=names(1, 5),
)
simply(
    "calibration.calibration_summary",
    calibration.calibration_summary,
    fit=names("spline", "loess", "isotonic"),
    **few,
)
simply(
    "calibration.calibration_test",
    calibration.calibration_test,
    statistic=names(
        None, "mcb", "score", "cox", "citl", "spiegelhalter", "ks", "kuiper", "hosmer-lemeshow"
    ),
    **few,
)
simply(
    "calibration.reliability",
    calibration.reliability,
    band=names(None, "confidence", "consistency", "simultaneous"),
    **few,
)
simply("counts.baselines", counts.baselines)
simply("counts.with_event_rate", counts.with_event_rate, event_rate=chances)
simply(
    "decisions.at_budget", decisions.at_budget, budget=names(1, 3, 0.5), threshold=names(None, 0.2)
)
simply(
    "decisions.at_threshold",
    decisions.at_threshold,
    threshold=chances,
    harm=names(0.0, 0.01),
    interval=st.booleans(),
)
simply(
    "decisions.decision_curve",
    decisions.decision_curve,
    thresholds=names(None, "every", [0.1, 0.5]),
    **bands,
)
simply("decisions.mean_net_benefit", decisions.mean_net_benefit, within=within)
parts = names("score", "miscalibration", "discrimination", "uncertainty")
simply("decisions.murphy_curve", decisions.murphy_curve, part=parts, **bands)
simply("decisions.regret_curve", decisions.regret_curve, part=parts, **bands)
simply("decisions.predicted_roc_curve", decisions.predicted_roc_curve)
simply("decisions.ranking", decisions.ranking, within=st.none() | within)
simply("decisions.regret_in_money", decisions.regret_in_money, cost=names(1, (1, 5)), loss=names(9))
simply("decisions.roc_curve", decisions.roc_curve, hull=st.booleans(), **bands)
for score in ("auc", "brier_score", "log_loss"):
    simply(f"inference.{score}", getattr(inference, score), interval=st.booleans())
simply("inference.auc_interval", inference.auc_interval, method=names("logit", "wald"))
simply(
    "inference.h_measure",
    inference.h_measure,
    prior=names("hand", "severity", "event_rate", "uniform", "logit") | any_rule,
)
simply("inference.net_benefit_interval", inference.net_benefit_interval, threshold=chances)
simply(
    "inference.bootstrap",
    inference.bootstrap,
    statistic=names("auc") | any_rule,
    method=names("percentile", "basic", "studentized"),
    **few,
)
source = names("isotonic", "equal_count", "equal_width", "neighbours", "kernel")
precision = names(None, None, 0.01)
simply("probability.means", probability.means, source=source, precision=precision)
simply("probability.proper_means", probability.proper_means, source=source, precision=precision)
simply("probability.risk_profile", probability.risk_profile, source=source, precision=precision)
simply("probability.source_table", probability.source_table, source=source, precision=precision)
simply("probability.confidence_test", probability.confidence_test, precision=precision)


@call("calibration.decompose")
def _(draw: Draw) -> Any:
    cases, rule = of_either(draw)
    return calibration.decompose(
        cases, rule, interval=draw(st.booleans()), allow_improper=True, **FEW
    )


@call("inference.score_interval")
def _(draw: Draw) -> Any:
    return inference.score_interval(*of_either(draw))


@call("inference.skill_interval")
def _(draw: Draw) -> Any:
    return inference.skill_interval(*of_either(draw), reference=draw(names(None)))


@call("inference.skill")
def _(draw: Draw) -> Any:
    odd = draw(PLAIN)
    reference = draw(st.none() | chances)
    return inference.skill(odd.y, odd.p, draw(any_rule), reference=reference, **odd.weights)


@call("comparison.by_fold")
def _(draw: Draw) -> Any:
    odd = draw(PLAIN)
    folds, rule = np.arange(len(odd)) % draw(st.integers(1, 4)), draw(names("auc") | any_rule)
    return comparison.by_fold(odd.y, odd.models, folds, rule=rule, rng=1, **odd.weights)


@call("comparison.by_group")
def _(draw: Draw) -> Any:
    odd = draw(EVENT)
    groups = np.arange(len(odd)) % draw(st.integers(1, 3))
    return comparison.by_group(odd.cases(groups=groups), draw(any_rule), **FEW)


@call("comparison.compare")
def _(draw: Draw) -> Any:
    odd, rule = draw(EVENT), draw(names("auc") | any_rule)
    return comparison.compare(odd.y, odd.models, rule=rule, **FEW, **odd.known)


@call("comparison.confidence_set")
def _(draw: Draw) -> Any:
    odd = draw(odd_rows(design=False))
    return comparison.confidence_set(odd.y, odd.models, rule=draw(any_rule), **FEW)


def _answers(draw: Draw) -> properly.Answers:
    odd = draw(PLAIN)
    size = len(odd)
    forecasters = draw(st.integers(1, 3))
    question = np.arange(size) // forecasters
    outcome = np.asarray(odd.y).astype(int)[question]
    frame = pd.DataFrame({"question": question, "forecaster": np.arange(size) % forecasters})
    frame["probability"] = np.asarray(odd.p, dtype=np.float64)
    frame["outcome"] = outcome
    return properly.Answers(frame)


@call("comparison.leaderboard")
def _(draw: Draw) -> Any:
    options = {"relative_skill": draw(st.booleans()), "peer": draw(st.booleans())}
    least, missing = draw(st.integers(1, 3)), draw(names("two-way", "complete"))
    return comparison.leaderboard(_answers(draw), least=least, missing=missing, rng=1, **options)


@call("evaluation.check_answers")
def _(draw: Draw) -> Any:
    odd = draw(PLAIN)
    frame = {"question": range(len(odd)), "forecaster": 1, "probability": odd.p, "outcome": odd.y}
    return evaluation.check_answers(pd.DataFrame(frame))


@call("comparison.over_time")
def _(draw: Draw) -> Any:
    odd = draw(PLAIN)
    time = np.arange(len(odd)) // draw(st.integers(1, 4))
    return comparison.over_time(odd.cases(time=time), draw(any_rule))


@call("evaluation.Monitor")
def _(draw: Draw) -> Any:
    monitor = properly.Monitor(against="first")
    for _ in range(draw(st.integers(1, 2))):
        odd = draw(PLAIN)
        monitor.add(odd.y, odd.models)
    return monitor


for reduction in (counts.cumulative, counts.one_vs_rest, counts.top_label):
    CALLS[f"counts.{reduction.__name__}"] = lambda draw, of=reduction: of(  # type: ignore[misc]
        draw(OF_CLASSES).cases()
    )
sizes = st.integers(1, 30)
CALLS |= {
    "datasets.crash": lambda _: datasets.crash(),
    "datasets.tournament": lambda draw: datasets.tournament(draw(sizes), rng=1),
}


@call("decisions.best_by_range")
def _(draw: Draw) -> Any:
    odd, prior = draw(EVENT), draw(names("uniform", "logit"))
    models = {name: odd.cases(p) for name, p in odd.models.items()}
    return decisions.best_by_range(models, edges=[0.01, 0.1, 0.5, 0.9], prior=prior)


@call("decisions.rank_by_threshold")
def _(draw: Draw) -> Any:
    odd = draw(EVENT)
    models = {name: odd.cases(p) for name, p in odd.models.items()}
    return decisions.rank_by_threshold(models, within=draw(st.none() | within), baselines=True)


def _hard(function: Callable[..., Any]) -> Call:
    def of(draw: Draw) -> Any:
        odd = draw(OF_CLASSES)
        return function(odd.y, odd.d, CLASSES, **odd.weights)

    return of


for measure in ("confusion", "macro_f1", "quadratic_weighted_kappa"):
    CALLS[f"decisions.{measure}"] = _hard(getattr(decisions, measure))
CALLS["decisions.weighted_kappa"] = _hard(decisions.weighted_kappa)


@call("decisions.expected_cost")
def _(draw: Draw) -> Any:
    odd, cost = draw(OF_CLASSES), draw(names(*COSTS))
    options = {"classes": CLASSES, "normalized": draw(st.booleans())} | odd.weights
    return decisions.expected_cost(odd.y, odd.d, cost, **options)


@call("decisions.hard_decisions")
def _(draw: Draw) -> Any:
    return decisions.hard_decisions(draw(OF_CLASSES).cases(), draw(names(*COSTS)))


@call("decisions.cumulative_forecast")
def _(draw: Draw) -> Any:
    return decisions.cumulative_forecast(draw(st.integers(0, CLASSES - 1)), draw(tables(1))[0])


@call("decisions.decide")
def _(draw: Draw) -> Any:
    return decisions.decide(draw(OF_CLASSES).p, draw(names(*COSTS)))


@call("decisions.decision_difference")
def _(draw: Draw) -> Any:
    first, second = draw(EVENT).both()
    other = draw(names(second, "treat all", "treat none"))
    return decisions.decision_difference(first, other, band=draw(names(None, "confidence")))


@call("decisions.dominance")
def _(draw: Draw) -> Any:
    return decisions.dominance(*draw(EVENT).both(), within=draw(st.none() | within), **FEW)


@call("decisions.murphy_difference")
def _(draw: Draw) -> Any:
    band = draw(names(None, "confidence"))
    return decisions.murphy_difference(*draw(EVENT).both(), band=band)


@call("decisions.recommend")
def _(draw: Draw) -> Any:
    return decisions.recommend(
        decisions=draw(names("independent", "budget")),
        threshold=draw(names("fixed", "range", "unknown")),
        task=draw(names("binary", "ordinal", "multiclass")),
        costs=draw(st.booleans()),
    )


@call("decisions.rejection_scores")
def _(draw: Draw) -> Any:
    return decisions.rejection_scores(draw(OF_CLASSES).p, draw(class_rules))


@call("decisions.retention_curve")
def _(draw: Draw) -> Any:
    odd, ties = draw(OF_CLASSES), draw(names("stable", "average"))
    return decisions.retention_curve(odd.p[:, 0], odd.y, odd.p, ties=ties)


@call("decisions.retention_study")
def _(draw: Draw) -> Any:
    odd = draw(OF_CLASSES)
    scores = {"first": odd.p[:, 0], "second": odd.q[:, 0]}
    return decisions.retention_study(scores, odd.y, odd.p, **FEW)


@call("decisions.worst_cases")
def _(draw: Draw) -> Any:
    cases, rule = of_either(draw)
    if isinstance(cases, properly.Tally):
        cases = draw(EVENT).cases()
    return decisions.worst_cases(cases, rule, draw(st.integers(1, 40)))


@call("engines.tally")
def _(draw: Draw) -> Any:
    odd = draw(PLAIN)
    options = {"cells": draw(names(None, 1, 10)), "snap": draw(names(None, None, 0.1))}
    return engines.tally(odd.y, odd.p, **odd.weights, **options)


@call("evaluation.check")
def _(draw: Draw) -> Any:
    odd = draw(PLAIN)
    return evaluation.check(odd.y, odd.models, **odd.weights)


def _evaluated(draw: Draw) -> properly.Evaluation:
    if draw(st.integers(0, 4)) == 0:
        odd = draw(OF_CLASSES)
        models = {"first": odd.p, "second": odd.q}
        return properly.evaluate(odd.y, models, task="ordinal", **odd.weights, **FEW)
    event, chosen = draw(PLAIN), draw(st.none() | within)
    return properly.evaluate(
        event.y, event.models, task="binary", within=chosen, **event.weights, **FEW
    )


CALLS["evaluation.evaluate"] = _evaluated
CALLS["evaluation.verdict"] = lambda draw: evaluation.verdict(_evaluated(draw))


@call("evaluation.stream")
def _(draw: Draw) -> Any:
    stream, odd = evaluation.stream(cells=draw(names(None, 10))), draw(PLAIN)
    weight = None if odd.weight is None else odd.weight
    stream.add(odd.y, odd.models, weight)
    return stream.summary()


@call("evaluation.summarize")
def _(draw: Draw) -> Any:
    odd = draw(PLAIN)
    columns = {"y": odd.y, "first": odd.p, "second": odd.q}
    columns |= {} if odd.weight is None else {"w": odd.weight}
    frame = pd.DataFrame({name: np.asarray(x) for name, x in columns.items()})
    weight = None if odd.weight is None else "w"
    return evaluation.summarize(frame, ["first", "second"], outcome="y", weight=weight)


spread = st.lists(chances, min_size=1, max_size=6)
numbers = st.floats(-20, 20) | names(0.0, 1.0, -1.0, 2.0, 1e-300, -2 / 3)


CALLS["probability.generalized_mean"] = lambda draw: probability.generalized_mean(
    draw(spread), draw(numbers)
)
maps = names(
    *(recalibration.Logistic(), recalibration.Beta(), recalibration.Temperature()),
    *(recalibration.Intercept(), recalibration.Isotonic(), recalibration.VennAbers()),
    recalibration.Identity(),
)


@call("recalibration.cross_fit")
def _(draw: Draw) -> Any:
    return recalibration.cross_fit(draw(EVENT).cases(), draw(maps))


@call("recalibration.recalibrate")
def _(draw: Draw) -> Any:
    cases, chosen = draw(EVENT).cases(), draw(names("auto") | maps)
    result = recalibration.recalibrate(cases, chosen)
    result.map.at(np.array(ODD))
    return result


@call("recalibration.recalibration_gain")
def _(draw: Draw) -> Any:
    return recalibration.recalibration_gain(draw(EVENT).cases(), draw(maps))


@call("recalibration.loads")
def _(draw: Draw) -> Any:
    return recalibration.loads(draw(st.text(max_size=40) | st.binary(max_size=40)))


@call("rules.audit")
def _(draw: Draw) -> Any:
    if draw(st.booleans()):
        return rules.audit(draw(any_rule))
    return rules.audit(draw(class_rules), CLASSES)


PARTS = st.lists(
    names("brier", "log", "rps", "@", ":", "0.3", "1e999", "beta", ",", "-"), max_size=5
).map("".join)
CALLS |= {
    "rules.PBS": lambda draw: rules.PBS(draw(names("paper", 0.3))).loss(*_happened(draw)),
    "rules.PLL": lambda draw: rules.PLL(draw(names("paper", 0.3))).loss(*_happened(draw)),
    "rules.is_superior": lambda draw: rules.is_superior(draw(class_rules), CLASSES),
    "rules.superior_penalty": lambda draw: rules.superior_penalty(
        draw(names(RPS(), Brier())), CLASSES
    ),
    "rules.parse_rule": lambda draw: rules.parse_rule(draw(st.text(max_size=30) | PARTS)),
}


def _happened(draw: Draw) -> tuple[Any, Any]:
    odd = draw(OF_CLASSES)
    return odd.y, odd.p


def writes(name: str) -> Callable[[Any], Any]:
    """Enter a call that writes files into a folder."""

    def enter(function: Any) -> Any:
        WRITERS[name] = function
        return function

    return enter


@writes("engines.read")
def _(draw: Draw, folder: Path) -> Any:
    odd = draw(PLAIN)
    frame = pd.DataFrame({"y": np.asarray(odd.y), "p": np.asarray(odd.p, dtype=np.float64)})
    frame.to_csv(folder / "rows.csv", index=False)
    return engines.read(folder / "rows.csv")


@writes("recalibration.load")
def _(draw: Draw, folder: Path) -> Any:
    odd = draw(PLAIN)
    mapping = draw(maps).fit(odd.cases())
    return recalibration.load(mapping.save(folder / "map.json"))


@writes("report.write")
def _(draw: Draw, folder: Path) -> Any:
    return properly.report.write(folder / "page.html", _evaluated(draw), date="2026-01-01")


@writes("report.figures")
def _(draw: Draw, folder: Path) -> Any:
    return properly.report.figures(folder / "figures", _evaluated(draw))


@writes("report.show")
def _(draw: Draw, folder: Path) -> Any:
    with patch("tempfile.tempdir", str(folder)):
        return properly.report.show(_evaluated(draw), title=str(folder.name))


@writes("report.methods")
def _(draw: Draw, folder: Path) -> Any:  # noqa: ARG001
    return properly.report.methods(_evaluated(draw))
