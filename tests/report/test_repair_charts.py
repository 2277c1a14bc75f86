"""Can it be repaired? What the page shows of recalibration."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from tests.report.chart_subjects import made

import properly
from properly import Evaluation
from properly.recalibration import Vector
from properly.report._calibration_charts import curves_chart, gains_chart, savings_chart
from properly.report._page import page

N = 600
HOSTILE = "</script><script>alert(1)</script>"


def evaluated(**options: Any) -> Evaluation:
    rng = np.random.default_rng(3)
    z = rng.normal(-1, 1.2, N)
    y = rng.random(N) < 1 / (1 + np.exp(-z))
    lines = {"sharp": (1, 0), HOSTILE: (1, 1.5)}
    models = {name: 1 / (1 + np.exp(-a * z - b)) for name, (a, b) in lines.items()}
    given: dict[str, Any] = {"within": (0.1, 0.4), "replicates": 9, "rng": 1} | options
    return properly.evaluate(y, models, **given)


@pytest.fixture(scope="module")
def repaired() -> Evaluation:
    return evaluated(recalibrate="auto")


@pytest.mark.slow
def test_only_advised_repairs_have_savings(repaired: Evaluation) -> None:
    chart = made(savings_chart, repaired)
    assert {row["model"] for row in chart.spec["data"]["values"]} == {HOSTILE}
    assert "band holds" in chart.lead
    assert savings_chart(evaluated()) is None
    assert curves_chart(evaluated()) is None


def test_the_table_says_what_to_do(repaired: Evaluation) -> None:
    chart = made(curves_chart, repaired)
    advice = {row[0]: row[1] for row in chart.below.rows}
    assert advice["sharp"] == "leave as it is"
    assert advice[HOSTILE].number == "repair"
    assert chart.below.head[-3:] == tuple(f"net benefit at {t} %" for t in (10, 20, 40))
    assert chart.table.title == "All maps, before the choice"
    assert len(chart.table.rows) == sum(len(x.result.gains) for x in repaired.repairs.values())


@pytest.mark.slow
def test_the_first_screen_has_the_honest_number(repaired: Evaluation) -> None:
    text = page(repaired)
    assert "Can be repaired" in text
    assert "less on new cases" in text
    assert "at most" not in text.partition("</ul>")[0]
    plain = page(evaluated())
    assert re.search(r"Recalibrating would save \d+\N{NO-BREAK SPACE}% of its cost at most", plain)


def test_of_classes_gains_are_drawn_without_curves() -> None:
    rng = np.random.default_rng(4)
    q = rng.dirichlet([2, 3, 4], 300)
    y = np.array([rng.choice(3, p=row) for row in q])
    bold = q**3 / (q**3).sum(axis=1, keepdims=True)
    e = properly.evaluate(
        y, {"bold": bold}, task="multiclass", recalibrate=Vector(), replicates=0, rng=1
    )
    repair, chart = e.repairs["bold"], gains_chart(e)
    assert repair.recommended
    assert repair.difference is None
    assert repair.before is None
    assert repair.net_benefit == {}
    assert chart is not None
    (row,) = chart.spec["data"]["values"]
    assert row["x"] == pytest.approx(repair.result.gain.estimate, rel=1e-4)
    text = page(e)
    assert text.count('<section id="repair"') == 1
    assert "Can be repaired" in text
    assert gains_chart(evaluated()) is None
