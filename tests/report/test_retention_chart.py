"""How good decisions are if the least certain cases are referred to somebody else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly import evaluate
from properly.report._class_charts import retention_chart
from properly.report._vega import Chart, short

RNG = np.random.default_rng(12)
P = RNG.dirichlet([1.0, 2.0, 1.5], 120)
Y = np.array([RNG.choice(3, p=row) for row in P])
MODELS = {"<b>": np.roll(P, 1, axis=1), "plain": P}


def evaluated(task: Any = "ordinal", **options: Any) -> Any:
    return evaluate(Y, MODELS, task=task, replicates=0, **options)


def drawn(evaluation: Any) -> Chart:
    chart = retention_chart(evaluation)
    assert chart is not None
    return chart


@pytest.mark.parametrize(
    ("task", "metric", "better"),
    [("ordinal", "quadratic weighted kappa", "higher"), ("multiclass", "error rate", "lower")],
)
def test_points_are_those_of_the_curves(task: str, metric: str, better: str) -> None:
    e = evaluated(task)
    chart = drawn(e)
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
    chart, curve = drawn(e), e.retention["plain"]
    assert chart.table is not None
    shares = ("0 %", "5 %", "10 %", "15 %", "20 %")
    assert chart.table.head == ("error rate", *(f"{share} referred" for share in shares))
    places = (0, 5, 10, 15, 20)
    assert chart.table.rows[1] == ("plain", *(f"{curve.value[k]:.4f}" for k in places))
    assert f"plain from {curve.value[0]:.3f} to {curve.value[-1]:.3f}" in chart.alt
    assert chart.alt.startswith("If 20 % of cases are referred, the error rate of the rest")
