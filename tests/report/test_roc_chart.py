"""ROC curves on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.report.threshold_subjects import (
    NAMES,
    evaluation,
)

from properly.report._discrimination_charts import roc_chart

if TYPE_CHECKING:
    from properly.report._vega import Chart


def drawn() -> Chart:
    chart = roc_chart(evaluation())
    assert chart is not None
    return chart


def test_the_curves_are_those_of_the_library() -> None:
    rows = drawn().spec["layer"][1]["data"]["values"]
    assert [row["model"] for row in rows] == list(NAMES)
    for row in rows:
        curve = evaluation().roc[row["model"]]
        np.testing.assert_allclose(row["fpr"], curve.false_positive_rate, rtol=1e-4)
        np.testing.assert_allclose(row["tpr"], curve.true_positive_rate, rtol=1e-4)
        # At the first point nobody is acted on: no threshold is that high.
        assert row["from"][0] is None
        np.testing.assert_allclose(row["from"][1:], curve.threshold[1:], rtol=1e-4)


def test_areas_are_listed_and_told() -> None:
    e, chart = evaluation(), drawn()
    listed = {row["model"]: row["auc"] for row in chart.spec["layer"][2]["data"]["values"]}
    assert listed == {n: pytest.approx(x.value, rel=1e-4) for n, x in e.aucs.items()}
    best = max(e.aucs.values(), key=lambda x: x.value)
    assert chart.alt.startswith(
        f"Area under the ROC curve, the greatest first: plain {best.value:.3f}, "
    )
    low, high = e.aucs["plain"].interval
    assert chart.table is not None
    assert chart.table.head == ("model", "AUC", "95 % interval")
    assert chart.table.rows[0] == ("plain", f"{best.value:.4f}", f"{low:.4f} to {high:.4f}")
