"""What is found out about models of classes, against the functions that find it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import properly
from properly import Cases, Evaluation, evaluate
from properly.comparison import over_time
from properly.errors import DataWarning
from properly.rules import RPS, Brier, Log, RankedLog, SquaredAbsoluteRPS

RNG = np.random.default_rng(5)
P = RNG.dirichlet([1.0, 2.0, 1.5], 150)
Y = np.array([RNG.choice(3, p=row) for row in P])
Q = np.sqrt(P) / np.sqrt(P).sum(axis=1, keepdims=True)
MODELS = {"first": P, "second": Q}
KNOWN: dict[str, Any] = {
    "weight": RNG.random(150),
    "clusters": np.arange(150) // 3,
    "groups": np.repeat(["a", "b", "c"], 50),
    "time": np.arange(150) // 5,
}
CRASH = properly.datasets.crash()
ROWS = CRASH.severity_known
GRADES = CRASH.severity_labels
HURT = CRASH.severity[ROWS]
LOGISTIC = CRASH.severity_probabilities[ROWS]
SHARPENED = LOGISTIC**2 / np.sum(LOGISTIC**2, axis=1, keepdims=True)
ACCIDENT, BELT = CRASH.cluster[ROWS], CRASH.seatbelt[ROWS]


def of_classes(task: Any = "ordinal", **options: Any) -> Evaluation:
    found = evaluate(Y, MODELS, **({"task": task, "rng": 1, "replicates": 0} | options))
    assert isinstance(found, Evaluation)
    return found


def noted(message: str, task: Any = "ordinal", **options: Any) -> Evaluation:
    """Evaluate, and find a message among the notes."""
    found = of_classes(task, **options)
    assert message in found.notes
    return found


def of_crash() -> Evaluation:
    return evaluate(
        HURT,
        {"logistic": LOGISTIC, "sharpened": SHARPENED},
        task="ordinal",
        labels=GRADES,
        clusters=ACCIDENT,
        groups=BELT,
        rng=1,
        replicates=2,
    )


# Injuries in crashes


@pytest.mark.slow
def test_injuries_are_evaluated_by_the_functions_that_stand_alone() -> None:
    e = of_crash()
    forecasts = {"logistic": LOGISTIC, "sharpened": SHARPENED}
    for name, p in forecasts.items():
        cases = Cases(HURT, p, labels=GRADES, clusters=ACCIDENT, groups=BELT)
        for rule in (RPS(), RankedLog(), Log()):
            alone = properly.score_interval(cases, rule)
            estimate = e.scores[name][rule.name]
            assert estimate.standard_error == pytest.approx(alone.standard_error, rel=1e-12)
            assert estimate.interval == pytest.approx(alone.interval, rel=1e-12)
            assert e.skills[name][rule.name] == properly.inference.skill_interval(cases, rule)
            score = e.scores[name][rule.name].value
            assert score == pytest.approx(e.totals[name][rule.name].score, rel=1e-12)
        direct = properly.by_group(cases, RPS(), rng=1, replicates=2)
        assert e.groups[name].to_dict() == direct.to_dict()
        assert e.worst[name].to_dict() == properly.decisions.worst_cases(cases, Log()).to_dict()
    compared: dict[str, Any] = {"labels": GRADES, "clusters": ACCIDENT, "rng": 1}
    for rule in (RPS(), RankedLog(), Log()):
        comparison = properly.compare(HURT, forecasts, rule=rule, **compared)
        assert e.comparisons[rule.name].to_dict() == comparison.to_dict()


# Curves and tests


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "view"), [("ordinal", "cumulative"), ("multiclass", "one_vs_rest")]
)
def test_curves_bands_and_tests_are_those_of_the_questions_of_a_task(task: Any, view: Any) -> None:
    e = of_classes(task, replicates=19)
    for name, p in MODELS.items():
        cases = Cases(Y, p)
        drawn: dict[str, Any] = {"replicates": 19, "rng": 1}
        curves = properly.reliability(cases, reduction=view, band="consistency", **drawn)
        assert list(e.reliability[name]) == list(curves)
        for question, curve in curves.items():
            found = e.reliability[name][question]
            assert found.to_dict() == curve.to_dict()
            assert found.band is not None
            assert found.band.level == 0.95
        test = properly.calibration_test(cases, statistic="mcb", reduction=view, **drawn)
        assert e.calibration_tests[name] == test
    assert e.notes == ()


def test_without_draws_there_are_curves_but_no_bands_and_no_tests() -> None:
    e = of_classes(replicates=0)
    bands = [curve.band for by in e.reliability.values() for curve in by.values()]
    assert bands == [None] * 4
    assert (e.calibration_tests, e.replicates, e.notes) == ({}, 0, ())
    direct = properly.reliability(Cases(Y, P), reduction="cumulative")
    assert e.reliability["first"]["2"].to_dict() == direct["2"].to_dict()


def test_uncertain_cases_are_referred_by_what_a_forecast_expects_of_itself() -> None:
    e = of_classes()
    for name, p in MODELS.items():
        scores = properly.decisions.rejection_scores(p, RPS())
        direct = properly.retention_curve(scores, Y, p, ties="average")
        assert e.retention[name].to_dict() == direct.to_dict()
        assert e.retention[name].value[0] == e.decisions[name].argmax.quadratic_kappa
    e = of_classes("multiclass")
    for name, p in MODELS.items():
        direct = properly.retention_curve(
            properly.decisions.rejection_scores(p, Brier()),
            Y,
            p,
            metric="expected_cost",
            cost="zero_one",
            ties="average",
        )
        assert e.retention[name].to_dict() == direct.to_dict()
        error = 1 - e.decisions[name].argmax.accuracy
        assert e.retention[name].value[0] == pytest.approx(error, rel=1e-12)


def test_nothing_depends_on_the_order_of_the_rows() -> None:
    rounded = np.round(4 * P) / 4
    rounded[:, 0] = 1 - rounded[:, 1:].sum(axis=1)
    kept = (rounded >= 0).all(axis=1)
    y, p = Y[kept], rounded[kept]
    turned = evaluate(y[::-1], {"m": p[::-1]}, task="ordinal", replicates=0)
    found = evaluate(y, {"m": p}, task="ordinal", replicates=0)
    np.testing.assert_allclose(found.retention["m"].value, turned.retention["m"].value, rtol=1e-12)
    assert found.totals["m"]["rps"].score == pytest.approx(turned.totals["m"]["rps"].score)


def test_the_worst_cases_go_by_the_log_score_if_it_is_asked_for() -> None:
    assert of_classes(rules=[RPS(), Log()]).worst["first"].rule == "log"
    assert of_classes(rules=[RPS(), RankedLog()]).worst["first"].rule == "rps"


# Designs


def test_intervals_allow_for_weights_and_what_takes_no_weights_is_left_out() -> None:
    told = "there are no retention curves of cases with weights"
    e = noted(told, weight=KNOWN["weight"])
    cases = Cases(Y, P, weight=KNOWN["weight"])
    assert e.scores["first"]["rps"] == properly.score_interval(cases, RPS())
    assert e.retention == {}
    alike = of_classes(weight=np.full(150, 2.5))
    assert alike.retention["first"].to_dict() == of_classes().retention["first"].to_dict()


def test_clusters_are_allowed_for_where_that_is_known_how_to_do() -> None:
    why = "the test takes cases as independent, and these have clusters"
    e = noted(f"calibration is not tested: {why}", replicates=9, clusters=KNOWN["clusters"])
    assert (e.design, e.calibration_tests) == ("50 clusters", {})
    cases = Cases(Y, P, clusters=KNOWN["clusters"])
    direct = properly.reliability(
        cases, reduction="cumulative", band="consistency", replicates=9, rng=1
    )
    assert e.reliability["first"]["2"].to_dict() == direct["2"].to_dict()


def test_many_times_are_a_series_and_also_periods() -> None:
    why = "the test does not allow for dependence in time"
    e = noted(f"calibration is not tested: {why}", replicates=9, time=KNOWN["time"])
    assert e.design == "30 times"
    cases = Cases(Y, P, time=KNOWN["time"])
    drawn = properly.reliability(
        cases, reduction="cumulative", band="consistency", replicates=9, rng=1
    )
    assert e.reliability["first"]["2"].to_dict() == drawn["2"].to_dict()
    assert e.scores["first"]["rps"] == properly.score_interval(cases, RPS())
    with pytest.warns(DataWarning, match="in 12 of 12 periods"):
        direct = over_time(cases, RPS())
    assert e.over_time["first"].to_dict() == direct.to_dict()


def test_clusters_and_strata_come_before_times() -> None:
    e = of_classes(time=np.repeat([1, 2], 75), clusters=KNOWN["clusters"])
    assert e.design == "50 clusters"
    assert len(e.over_time["first"]) == 2
    e = of_classes(time=np.repeat([1, 2], 75), strata=np.repeat(["x", "y"], 75))
    assert e.design == "150 independent cases in 2 strata"


# Rules, cases and classes that are out of the ordinary


def test_the_skill_by_an_improper_rule_has_no_interval() -> None:
    e = of_classes(rules=[SquaredAbsoluteRPS()])
    skill = e.skills["first"]["squared_absolute_rps"]
    score = e.totals["first"]["squared_absolute_rps"]
    assert skill.value == pytest.approx(score.skill, rel=1e-12)
    assert math.isnan(skill.standard_error)
    assert all(math.isnan(end) for end in skill.interval)


def test_an_infinite_score_has_no_upper_end_and_its_cases_are_counted() -> None:
    sure = np.eye(3)[(Y + (np.arange(150) < 4)) % 3]
    e = evaluate(Y, {"sure": sure}, task="multiclass", replicates=9, rng=1)
    told = e.to_dict()["models"]["sure"]["log"]
    assert (told["score"], told["interval"]) == ("Infinity", [None, "Infinity"])
    assert told["infinite_cases"] == 4
    test = e.calibration_tests["sure"]
    assert (test.p_value, test.p_is_bound) == (1 / 1001, True)


@pytest.mark.parametrize("task", ["ordinal", "multiclass"])
def test_of_many_classes_a_few_questions_are_looked_at(task: Any) -> None:
    p = np.random.default_rng(2).dirichlet(np.ones(101), 40)
    y = np.arange(40) % 20
    e = evaluate(y, {"m": p}, task=task, replicates=9, rng=1)
    assert len(e.reliability["m"]) == 12
    assert all(curve.band is None for curve in e.reliability["m"].values())
    assert (e.calibration_tests, e.retention) == ({}, {})
    some = "for 12 questions only, those whose answers vary most, and without bands"
    assert e.notes == (
        f"of 101 classes, reliability is found {some}",
        "there are no retention curves of more than 100 classes",
        "calibration is not tested: there are more than 12 classes",
    )
    # Of 20 classes that happened twice, the first come first; of cuts, those in the middle.
    first = "4 or higher" if task == "ordinal" else "0"
    assert next(iter(e.reliability["m"])) == first
    decided = e.to_dict()["decisions"]["m"]
    assert list(decided) == ["argmax", "bayes", "decision_loss"]
    assert "confusion" not in decided["argmax"]


# Draws and steps


def test_progress_is_told_step_by_step() -> None:
    steps: list[tuple[int, int, str]] = []
    of_classes(rules=[RPS(), Log()], progress=lambda *step: steps.append(step))
    total = steps[0][1]
    assert [done for done, _, _ in steps] == list(range(total))
    assert {of for _, of, _ in steps} == {total}
    assert (steps[0][2], steps[-1][2]) == ("scores of first", "comparison by log")
    assert sum(what.endswith("of second") for _, _, what in steps) == 3
