"""Charts of classes: a panel per question, scores, what was decided, and what was referred."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.report.chart_subjects import made

from properly import evaluate
from properly.report import _class_charts as class_charts
from properly.report._calibration_charts import reliability_chart
from properly.report._page_words import few
from properly.report._vega import Chart, short
from properly.rules import RPS, Log, RankedLog

RNG = np.random.default_rng(12)
P = RNG.dirichlet([1.0, 2.0, 1.5], 120)
Y = np.array([RNG.choice(3, p=row) for row in P])
Q = P**2 / np.sum(P**2, axis=1, keepdims=True)
MODELS = {"<b>sharp</b>": Q, "plain": P}
LABELS = ["none", "minor", "severe"]
PARTS = ("score", "miscalibration", "discrimination")


@cache
def evaluated(task: Any = "ordinal", replicates: int = 0, rules: Any = None) -> Any:
    options: dict[str, Any] = {"labels": LABELS, "rng": 1, "rules": rules}
    return evaluate(Y, MODELS, task=task, replicates=replicates, **options)


ORDINAL = evaluated(replicates=9)


def params_of(chart: Chart) -> dict[str, Any]:
    return {param["name"]: param["value"] for param in chart.spec["params"]}


def rows(chart: Chart, kind: str, **where: Any) -> list[dict[str, Any]]:
    fields = where | {"kind": kind}
    return [row for row in chart.spec["data"]["values"] if fields.items() <= row.items()]


def test_bins_are_those_of_the_records() -> None:
    chart = made(reliability_chart, ORDINAL)
    for name, by_question in ORDINAL.reliability.items():
        for k, record in enumerate(by_question.values()):
            bin_rows = rows(chart, "bin", model=name, question=k)
            bins = record.bins
            columns = {"x": bins.x_min, "x2": bins.x_max, "y": bins.event_rate}
            for field, column in columns.items():
                assert [row[field] for row in bin_rows] == [short(x) for x in column]
            assert [row["cases"] for row in bin_rows] == [str(n) for n in bins.weight]


def test_bands_lie_where_there_are_forecasts_and_are_those_of_the_records() -> None:
    chart = made(reliability_chart, ORDINAL)
    record = ORDINAL.reliability["plain"]["severe"]
    band = rows(chart, "band", model="plain", question=1)
    x = np.array([row["x"] for row in band])
    assert (x[0], x[-1]) == (short(record.value[0]), short(record.value[-1]))
    lower, upper = record.band.at(np.clip(x, record.value[0], record.value[-1]))
    assert [row["y"] for row in band] == pytest.approx(lower, abs=1e-4)
    assert [row["y2"] for row in band] == pytest.approx(np.minimum(upper, 1), abs=1e-4)


def test_a_panel_says_what_recalibration_would_save() -> None:
    chart = made(reliability_chart, ORDINAL)
    (note,) = rows(chart, "note", model="<b>sharp</b>", question=0)
    part = ORDINAL.decompositions["<b>sharp</b>"]["rps"]["minor or higher"]
    assert note["note"] == f"MCB {few(part.miscalibration)} · DSC {few(part.discrimination)}"
    assert chart.table.rows[0][:2] == ("minor or higher", "<b>sharp</b>")
    assert chart.table.rows[0][4] == few(part.miscalibration, 3)


def test_questions_are_cuts_if_there_is_an_order_and_else_classes() -> None:
    chart = made(reliability_chart, ORDINAL)
    params = params_of(chart)
    assert params == {"shown": [*MODELS], "questions": ["minor or higher", "severe"]}
    assert "this class or a higher one" in chart.lead
    chart = made(reliability_chart, evaluated("multiclass"))
    params = params_of(chart)
    assert params["questions"] == LABELS
    assert "higher one" not in chart.lead


@pytest.mark.parametrize(("task", "rule"), [("ordinal", "rps"), ("multiclass", "brier")])
def test_dots_are_the_parts_of_each_question(task: str, rule: str) -> None:
    e = evaluated(task=task)
    chart = made(class_charts.class_scores_chart, e)
    rows = chart.spec["data"]["values"]
    for name in MODELS:
        dots = [row for row in rows if row["model"] == name]
        parts = e.decompositions[name][rule].values()
        assert [row["question"] for row in dots] == list(range(len(parts)))
        for what in PARTS:
            assert [row[what] for row in dots] == [short(getattr(x, what)) for x in parts]
    questions = params_of(chart)["questions"]
    assert questions == list(e.decompositions["plain"][rule])


def test_the_first_rule_that_adds_up_questions_is_shown() -> None:
    chart = made(class_charts.class_scores_chart, evaluated(rules=(Log(), RankedLog(), RPS())))
    assert chart.table.head[2] == "ranked log score"
    assert class_charts.class_scores_chart(evaluated(rules=Log())) is None


def test_the_table_and_the_sentence_say_the_same() -> None:
    e = evaluated()
    chart = made(class_charts.class_scores_chart, e)
    parts = e.decompositions["plain"]["rps"].parts
    assert list(parts) == ["minor or higher", "severe"]
    assert [row[1] for row in chart.table.rows] == [*MODELS] * 2
    first = parts["minor or higher"]
    numbers = (first.score, first.skill, first.miscalibration, first.discrimination)
    assert chart.table.rows[1][2:6] == tuple(few(x, 3) for x in numbers)
    worst = max(parts, key=lambda name: parts[name].miscalibration)
    assert f"plain, {worst} ({few(parts[worst].miscalibration)})." in chart.alt


def test_of_many_questions_twelve_are_shown() -> None:
    p = np.random.default_rng(2).dirichlet(np.ones(15), 60)
    y = np.concatenate([np.arange(12).repeat(4), np.zeros(12, dtype=int)])
    chart = made(
        class_charts.class_scores_chart, evaluate(y, {"m": p}, task="multiclass", replicates=0)
    )
    questions = params_of(chart)["questions"]
    assert questions == [str(k) for k in range(12)]
    assert chart.lead.endswith("Shown are 12 of 15.")


def test_cells_are_counts_and_shares_of_the_true_class() -> None:
    e = evaluated()
    rows = made(class_charts.confusion_chart, e).spec["data"]["values"]
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
    rows = made(class_charts.confusion_chart, e).spec["data"]["values"]
    assert [row["share"] for row in rows if row["truth"] == 2] == [0, 0, 0]
    assert {row["written"] for row in rows} <= {"", "0.25", "0.5", "0.75", "123k"}
    assert "123k" in {row["written"] for row in rows}


def test_the_sentence_and_the_table_have_the_numbers_of_the_record() -> None:
    e = evaluated()
    chart = made(class_charts.confusion_chart, e)
    confusion = e.decisions["plain"].argmax.confusion
    assert f"plain {100 * confusion.accuracy:.1f} %" in chart.alt
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
    assert class_charts.confusion_chart(e) is None
    assert len(class_charts.hard_table(e).rows) == 1


@pytest.mark.parametrize(("task", "ordered"), [("ordinal", True), ("multiclass", False)])
def test_hard_metrics_are_those_of_each_way_to_decide(task: str, ordered: bool) -> None:
    e = evaluated(task)
    table = class_charts.hard_table(e)
    columns = [x for x in class_charts.NUMBERS if ordered or x not in class_charts.NEED_ORDER]
    assert table.head == ("model", "decides for", *(class_charts.NUMBERS[x] for x in columns))
    ways = {"likeliest class": "argmax"} | ({"least expected cost": "bayes"} if ordered else {})
    assert [row[:2] for row in table.rows] == [(name, way) for name in MODELS for way in ways]
    for name, way, *numbers in table.rows:
        expected = [getattr(getattr(e.decisions[name], ways[way]), x) for x in columns]
        written = [float(x.replace("\N{MINUS SIGN}", "-")) for x in numbers]
        assert written == [pytest.approx(x, abs=5e-5) for x in expected]


@pytest.mark.parametrize(
    ("task", "metric", "better"),
    [("ordinal", "quadratic weighted kappa", "higher"), ("multiclass", "error rate", "lower")],
)
def test_points_are_those_of_the_curves(task: str, metric: str, better: str) -> None:
    e = evaluated(task)
    chart = made(class_charts.retention_chart, e)
    rows = chart.spec["data"]["values"]
    for name, curve in e.retention.items():
        points = [row for row in rows if row["model"] == name]
        assert [row["removed"] for row in points] == curve.removed.tolist()
        assert [row["value"] for row in points] == [short(x) for x in curve.value]
        assert [row["kept"] for row in points] == curve.kept.tolist()
    assert chart.spec["encoding"]["y"]["title"] == metric
    assert f"the {metric} of the decisions that are left; {better} is better" in chart.lead


def test_the_table_and_the_sentence_have_the_ends() -> None:
    e = evaluated("multiclass")
    chart, curve = made(class_charts.retention_chart, e), e.retention["plain"]
    shares = ("0 %", "5 %", "10 %", "15 %", "20 %")
    assert chart.table.head == ("error rate", *(f"{share} referred" for share in shares))
    places = (0, 5, 10, 15, 20)
    assert chart.table.rows[1] == ("plain", *(f"{curve.value[k]:.4f}" for k in places))
    assert f"plain from {curve.value[0]:.3f} to {curve.value[-1]:.3f}" in chart.alt
    assert chart.alt.startswith("If 20 % of cases are referred, the error rate of the rest")
