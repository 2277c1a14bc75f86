"""Results of models of classes, gathered."""

from __future__ import annotations

import json
import math
from typing import Any

import array_api_strict
import numpy as np
import pandas as pd
import polars as pl
import pytest

import properly
from properly import Cases, Evaluation, rules
from properly.calibration import Decomposition, decompose
from properly.decisions import hard_decisions
from properly.rules._distance import SquaredMeanError

GRADES = ["low", "mid", "high"]
Y = [0, 1, 2]
P = [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [0.25, 0.25, 0.5]]
Q = [[0.75, 0.25, 0.0], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]
RNG = np.random.default_rng(11)
MANY = RNG.dirichlet(np.ones(4), 60)
HAPPENED = np.array([RNG.choice(4, p=row) for row in MANY])
OTHER = RNG.dirichlet(np.ones(4), 60)
WEIGHT = RNG.integers(0, 4, 60)

UNORDERED: list[rules.ClassRule] = [
    rules.Brier(),
    rules.Brier("mean"),
    rules.Brier("half"),
    rules.Log(),
    rules.Spherical(),
    rules.Misclassification(),
    rules.PBS(),
]
ORDERED: list[rules.ClassRule] = [
    rules.RPS(),
    rules.RPS([1, 0, 2]),
    rules.RPS(normalized=False),
    rules.RankedLog(),
    rules.RankedLog([3, 2, 1]),
    rules.Ranked(rules.Bounded(rules.Brier(), (0.1, 0.4))),
    rules.Ranked([rules.Elementary(0.2), rules.Brier(), rules.Log()]),
    SquaredMeanError(),
    rules.QuadraticRPS(),
    rules.SquaredAbsoluteRPS(),
    rules.Ranked(rules.Shifted(0.1, form="published")),
    rules.Penalized(rules.RPS(), penalty=0.5, cost="quadratic"),
]


def evaluate(*given: Any, **options: Any) -> Any:
    return properly.evaluate(*given, **({"replicates": 0} | options))


def evaluated(**options: Any) -> Evaluation:
    models = {"first": MANY, "second": OTHER}
    found = evaluate(HAPPENED, models, **({"task": "ordinal"} | options))
    assert isinstance(found, Evaluation)
    return found


# Every number


@pytest.mark.parametrize("weight", [None, WEIGHT, WEIGHT / 3], ids=["none", "whole", "fractions"])
@pytest.mark.parametrize("rule", [*UNORDERED, *ORDERED], ids=lambda rule: rule.name)
def test_every_number_is_that_of_a_direct_call(rule: rules.ClassRule, weight: Any) -> None:
    e = evaluated(rules=[rule], weight=weight)
    shares = np.bincount(HAPPENED, weight, 4) / (60 if weight is None else weight.sum())
    np.testing.assert_allclose(e.shares, shares, rtol=1e-15)
    constant = rule(HAPPENED, np.tile(shares, (60, 1)), weight)
    for name, p in (("first", MANY), ("second", OTHER)):
        found = e.totals[name][rule.name]
        assert isinstance(found, Decomposition)
        assert found.score == pytest.approx(rule(HAPPENED, p, weight), rel=1e-12)
        assert found.uncertainty == pytest.approx(constant, rel=1e-14)
        skill = properly.skill(HAPPENED, p, rule, weight=weight)
        assert found.skill == pytest.approx(skill, rel=1e-12, abs=1e-14)
    baseline = e.baselines["class shares"][rule.name]
    assert baseline.score == pytest.approx(constant, rel=1e-14)
    assert baseline.skill == 0


DECOMPOSED = [
    rule
    for rule in [*UNORDERED, *ORDERED]
    if isinstance(rule, rules.Brier | rules.RPS | rules.RankedLog | rules.Ranked) and rule.is_proper
]


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["none", "whole"])
@pytest.mark.parametrize("rule", DECOMPOSED, ids=lambda rule: rule.name)
def test_what_adds_up_over_questions_has_parts_that_add_up(
    rule: rules.ClassRule, weight: Any
) -> None:
    e = evaluated(rules=rule, weight=weight)
    for name, p in (("first", MANY), ("second", OTHER)):
        direct = decompose(Cases(HAPPENED, p, weight=weight), rule)
        found, parts = e.totals[name][rule.name], e.decompositions[name][rule.name]
        assert parts.to_dict() == direct.to_dict()
        assert found.miscalibration == parts.miscalibration
        assert found.discrimination == parts.discrimination
        rebuilt = found.miscalibration - found.discrimination + found.uncertainty
        assert found.score == pytest.approx(rebuilt, rel=1e-12)
        assert found.miscalibration >= 0
        assert found.discrimination >= 0


@pytest.mark.parametrize(
    "rule",
    [rule for rule in [*UNORDERED, *ORDERED] if rule not in DECOMPOSED],
    ids=lambda rule: rule.name,
)
def test_other_rules_and_improper_ones_are_scored_but_have_no_parts(rule: rules.ClassRule) -> None:
    e = evaluated(rules=[rule])
    found = e.totals["first"][rule.name]
    assert math.isfinite(found.score)
    assert math.isnan(found.miscalibration)
    assert math.isnan(found.discrimination)
    assert e.decompositions == {"first": {}, "second": {}}
    told = e.to_dict()["models"]["first"][rule.name]
    assert (told["miscalibration"], told["discrimination"]) == (None, None)


@pytest.mark.parametrize(
    ("task", "cost", "rules"),
    [
        ("multiclass", "zero_one", ["brier", "log", "pbs"]),
        ("ordinal", "quadratic", ["rps", "ranked_log", "log"]),
    ],
)
def test_a_task_has_its_rules_and_its_costs(task: str, cost: Any, rules: list[str]) -> None:
    e = evaluated(task=task)
    assert e.task == task
    assert [rule.name for rule in e.rules] == rules
    for name, p in (("first", MANY), ("second", OTHER)):
        direct = hard_decisions(Cases(HAPPENED, p), cost)
        assert e.decisions[name].to_dict() == direct.to_dict()


def test_a_weighted_total_is_said_as_it_is() -> None:
    assert evaluated().total == 60
    whole = evaluated(weight=WEIGHT)
    assert (type(whole.total), whole.total) == (int, WEIGHT.sum())
    broken = evaluated(weight=WEIGHT / 8)
    assert (type(broken.total), broken.total) == (float, WEIGHT.sum() / 8)
    assert broken.about == f"{WEIGHT.sum() / 8:,.2f} cases of 4 ordered classes"
    assert evaluated(task="multiclass").about == "60 cases of 4 classes"


@pytest.mark.parametrize("each", [1000, 0.125])
def test_equal_weights_only_count_the_cases(each: float) -> None:
    for weight, cases in ((np.full(60, each), 60), (np.where(np.arange(60) < 20, 0, each), 40)):
        e = evaluated(weight=weight)
        assert (e.cases, json.dumps(e.total)) == (str(cases), str(cases))


def test_rows_of_weight_0_do_not_count() -> None:
    p = np.vstack([MANY, [1, 0, 0, 0]])
    weight = np.append(np.ones(60), 0.0)
    e = evaluate(np.append(HAPPENED, 3), p, weight=weight, task="ordinal")
    direct = evaluate(HAPPENED, MANY, task="ordinal", weight=np.ones(60))
    assert e.to_dict() == direct.to_dict()


# What goes in


def test_labels_are_kept_in_their_order() -> None:
    text = [GRADES[k] for k in Y]
    e = evaluate(text, {"m": P}, labels=GRADES, task="ordinal", weight=[1, 2, 5])
    assert e.labels == tuple(GRADES)
    assert e.to_dict()["data"] == {
        "cases": 8,
        "task": "ordinal",
        "classes": {"low": 1 / 8, "mid": 2 / 8, "high": 5 / 8},
        "normalized": False,
        "rows": 3,
        "design": "3 independent cases",
        "summed": False,
        "level": 0.95,
        "replicates": 0,
        "seed": None,
    }
    assert e.totals == evaluate(Y, {"m": P}, task="ordinal", weight=[1, 2, 5]).totals


def test_classes_may_be_absent_from_the_sample() -> None:
    e = evaluate(["low", "low", "mid"], P, labels=GRADES, task="ordinal", rules=rules.RPS())
    assert e.shares.tolist() == [2 / 3, 1 / 3, 0]


FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame(P, columns=GRADES),
    "polars": pl.DataFrame(P, schema=GRADES, orient="row"),
    "lists": P,
    "numpy": np.array(P),
}


def test_without_a_task_a_frame_has_a_column_for_each_model() -> None:
    for frame in (pd.DataFrame(P, columns=GRADES), pl.DataFrame(P, schema=GRADES, orient="row")):
        e = evaluate([0, 1, 1], frame)
        assert isinstance(e, properly.Evaluation)
        assert list(e.decompositions) == GRADES


@pytest.mark.parametrize("table", FRAMES.values(), ids=FRAMES)
def test_models_may_be_frames(table: Any) -> None:
    e = evaluate(Y, {"a": table, "b": Q})
    assert e.task == "multiclass"
    assert e.totals == evaluate(Y, {"a": P, "b": Q}).totals


def test_a_table_of_another_library_is_scored_in_it() -> None:
    strict: Any = array_api_strict.asarray(P)
    three = [rules.Log(), rules.Spherical(), rules.PBS()]
    assert str(evaluate(Y, {"m": strict}, rules=three)) == str(evaluate(Y, {"m": P}, rules=three))


def test_rows_are_rescaled_on_request_and_it_is_said() -> None:
    e = evaluate(Y, {"m": 4 * np.array(P)}, normalize=True)
    assert e.normalized
    assert e.to_dict()["data"]["normalized"]
    assert e.totals == evaluate(Y, {"m": P}).totals


# What is refused


# What comes out


WRONG = [[0.0, 0.75, 0.25], [0.0, 0.5, 0.5], [0.25, 0.25, 0.5]]


@pytest.mark.parametrize("task", ["multiclass", "ordinal"])
def test_the_dictionary_is_strict_json_with_infinity_spelled_out(task: Any) -> None:
    e = evaluate(Y, {"right": P, "wrong": WRONG}, task=task)
    told = e.to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    log = told["models"]["wrong"]["log"]
    assert (log["score"], log["skill"]) == ("Infinity", "-Infinity")
    assert told["models"]["right"]["log"]["score"] == math.log(2)
    assert list(told)[:4] == ["data", "models", "baselines", "decisions"]
    assert json.loads(e.to_json()) == told
    assert list(told["baselines"]) == ["class shares"]
    assert list(told["decisions"]) == ["right", "wrong"]


def test_an_infinite_score_has_infinite_parts() -> None:
    found = evaluate(Y, WRONG, task="ordinal").totals["forecast"]["ranked_log"]
    assert (found.score, found.skill, found.miscalibration) == (math.inf, -math.inf, math.inf)
    assert math.isfinite(found.uncertainty)


def test_if_all_outcomes_are_alike_no_skill_can_be_had() -> None:
    e = evaluate([0, 0, 0], P, task="ordinal", rules=rules.RPS())
    found, constant = e.totals["forecast"]["rps"], e.baselines["class shares"]["rps"]
    assert (found.skill, found.uncertainty) == (-math.inf, 0)
    assert math.isnan(constant.skill)
    told = e.to_dict()
    assert told["baselines"]["class shares"]["rps"]["skill"] is None
    assert json.loads(json.dumps(told, allow_nan=False)) == told


PARTS = ("score", "skill", "miscalibration", "discrimination", "uncertainty")


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_a_frame_has_one_row_a_model_or_baseline_and_rule(backend: Any) -> None:
    e = evaluate(Y, {"a": P, "b": Q}, task="ordinal", rules=[rules.RPS(), rules.Log()])
    frame = e.to_frame(backend)
    columns = frame.to_pydict() if backend == "pyarrow" else None
    if columns is None:
        columns = {name: list(frame[name]) for name in frame.columns}
    ends = ["score_lower", "score_upper"]
    assert list(columns) == ["model", "baseline", "rule", *PARTS, *ends]
    assert columns["model"] == ["a", "a", "b", "b", "class shares", "class shares"]
    assert columns["baseline"] == [False] * 4 + [True] * 2
    assert columns["rule"] == ["rps", "log"] * 3
    rows = [*e.totals["a"].values(), *e.totals["b"].values(), *e.baselines["class shares"].values()]
    for name in PARTS:
        # What does not exist may be NaN, or missing where a library knows that.
        found = [math.nan if value is None else float(value) for value in columns[name]]
        np.testing.assert_array_equal(found, [getattr(row, name) for row in rows])
