"""What was decided, by what was true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly import evaluate
from properly.report._class_charts import confusion_chart, hard_table
from properly.report._vega import Chart, short

RNG = np.random.default_rng(12)
P = RNG.dirichlet([1.0, 2.0, 1.5], 120)
Y = np.array([RNG.choice(3, p=row) for row in P])
Q = np.roll(P, 1, axis=1)
MODELS = {"<b>": Q, "plain": P}
LABELS = ["none", "minor", "severe"]


def evaluated(task: Any = "ordinal", **options: Any) -> Any:
    return evaluate(Y, MODELS, task=task, labels=LABELS, replicates=0, **options)


def drawn(evaluation: Any) -> Chart:
    chart = confusion_chart(evaluation)
    assert chart is not None
    return chart


def test_cells_are_counts_and_shares_of_the_true_class() -> None:
    e = evaluated()
    rows = drawn(e).spec["data"]["values"]
    assert len(rows) == 2 * 9
    for panel, name in enumerate(MODELS):
        counts = e.decisions[name].argmax.confusion.counts
        for row in (row for row in rows if row["model"] == name):
            k, d = row["truth"], row["decision"]
            assert row["panel"] == panel
            assert row["cases"] == str(counts[k, d])
            assert row["share"] == short(counts[k, d] / counts[k].sum())


def test_a_class_that_never_happened_has_no_shares_and_weights_are_written_short() -> None:
    e = evaluate([0, 0, 1], P[:3], task="multiclass", weight=[0.25, 0.5, 123456.0], replicates=0)
    rows = drawn(e).spec["data"]["values"]
    assert [row["share"] for row in rows if row["truth"] == 2] == [0, 0, 0]
    assert {row["written"] for row in rows} <= {"", "0.25", "0.5", "0.75", "123k"}
    assert "123k" in {row["written"] for row in rows}


def test_the_sentence_and_the_table_have_the_numbers_of_the_record() -> None:
    e = evaluated()
    chart = drawn(e)
    confusion = e.decisions["plain"].argmax.confusion
    assert f"plain {100 * confusion.accuracy:.1f} %" in chart.alt
    assert chart.table is not None
    right = int(confusion.counts[2, 2])
    was, said = int(confusion.counts[2].sum()), int(confusion.counts[:, 2].sum())
    assert chart.table.rows[-1] == (
        "severe",
        "plain",
        str(was),
        str(said),
        str(right),
        f"{100 * right / was:.1f} %",
        f"{100 * right / said:.1f} %",
    )


def test_more_than_twelve_classes_are_not_drawn() -> None:
    p = np.random.default_rng(2).dirichlet(np.ones(13), 30)
    e = evaluate(np.arange(30) % 13, {"m": p}, task="multiclass", replicates=0)
    assert confusion_chart(e) is None
    assert len(hard_table(e).rows) == 1


def test_hard_metrics_are_those_of_both_ways_to_decide() -> None:
    e = evaluated()
    table = hard_table(e)
    assert table.head == (
        "model",
        "decides for",
        "accuracy",
        "macro F1",
        "mean absolute error",
        "quadratic kappa",
        "mean cost",
    )
    ways = {"likeliest class": "argmax", "least expected cost": "bayes"}
    assert [row[:2] for row in table.rows] == [(name, way) for name in MODELS for way in ways]
    for name, way, *numbers in table.rows:
        scores = getattr(e.decisions[name], ways[way])
        expected = (
            scores.accuracy,
            scores.macro_f1,
            scores.mean_absolute_error,
            scores.quadratic_kappa,
            scores.expected_cost,
        )
        written = [float(x.replace("\N{MINUS SIGN}", "-")) for x in numbers]
        assert written == [pytest.approx(x, abs=5e-5) for x in expected]


def test_without_an_order_there_is_no_distance_and_one_way_to_decide() -> None:
    table = hard_table(evaluated("multiclass"))
    assert table.head == ("model", "decides for", "accuracy", "macro F1", "mean cost")
    assert [row[:2] for row in table.rows] == [(name, "likeliest class") for name in MODELS]
