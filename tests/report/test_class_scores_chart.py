"""Scores of classes, question by question, as dots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly import evaluate
from properly.report._class_charts import class_scores_chart
from properly.report._page_words import few
from properly.report._vega import Chart, short
from properly.rules import RPS, Log, RankedLog

RNG = np.random.default_rng(12)
P = RNG.dirichlet([1.0, 2.0, 1.5], 120)
Y = np.array([RNG.choice(3, p=row) for row in P])
Q = P**2 / np.sum(P**2, axis=1, keepdims=True)
MODELS = {"<b>sharp</b>": Q, "plain": P}
PARTS = ("score", "miscalibration", "discrimination")


def evaluated(**options: Any) -> Any:
    given: dict[str, Any] = {"task": "ordinal", "replicates": 0} | options
    return evaluate(Y, MODELS, **given)


def drawn(evaluation: Any) -> Chart:
    chart = class_scores_chart(evaluation)
    assert chart is not None
    return chart


@pytest.mark.parametrize(("task", "rule"), [("ordinal", "rps"), ("multiclass", "brier")])
def test_dots_are_the_parts_of_each_question(task: str, rule: str) -> None:
    e = evaluated(task=task)
    chart = drawn(e)
    rows = chart.spec["data"]["values"]
    for name in MODELS:
        dots = [row for row in rows if row["model"] == name]
        parts = e.decompositions[name][rule].values()
        assert [row["question"] for row in dots] == list(range(len(parts)))
        for what in PARTS:
            assert [row[what] for row in dots] == [short(getattr(x, what)) for x in parts]
    questions = {param["name"]: param["value"] for param in chart.spec["params"]}["questions"]
    assert questions == list(e.decompositions["plain"][rule])


def test_the_first_rule_that_adds_up_questions_is_shown() -> None:
    chart = drawn(evaluated(rules=[Log(), RankedLog(), RPS()]))
    assert chart.table is not None
    assert chart.table.head[2] == "ranked log score"
    assert class_scores_chart(evaluated(rules=Log())) is None


def test_the_table_and_the_sentence_say_the_same() -> None:
    e = evaluated()
    chart = drawn(e)
    assert chart.table is not None
    parts = e.decompositions["plain"]["rps"].parts
    assert list(parts) == ["1 or higher", "2"]
    assert [row[1] for row in chart.table.rows] == [*MODELS] * 2
    first = parts["1 or higher"]
    numbers = (first.score, first.skill, first.miscalibration, first.discrimination)
    assert chart.table.rows[1][2:6] == tuple(few(x, 3) for x in numbers)
    worst = max(parts, key=lambda name: parts[name].miscalibration)
    assert f"plain, {worst} ({few(parts[worst].miscalibration)})." in chart.alt


def test_of_many_questions_twelve_are_shown() -> None:
    p = np.random.default_rng(2).dirichlet(np.ones(15), 60)
    y = np.concatenate([np.arange(12).repeat(4), np.zeros(12, dtype=int)])
    chart = drawn(evaluate(y, {"m": p}, task="multiclass", replicates=0))
    questions = {param["name"]: param["value"] for param in chart.spec["params"]}["questions"]
    assert questions == [str(k) for k in range(12)]
    assert chart.lead.endswith("Shown are 12 of 15.")
