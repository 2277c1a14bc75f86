"""Risk distributions on the page."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly import evaluate
from properly.report._discrimination_charts import risks_chart


def chart(subject: Any) -> Any:
    found = risks_chart(subject)
    assert found is not None
    return found


def test_bars_count_the_forecasts_of_events_and_of_others() -> None:
    rng = np.random.default_rng(1)
    p = np.round(rng.random(500), 3)
    y = rng.random(500) < p
    rows = chart(evaluate(y, p, replicates=0)).spec["data"]["values"]
    assert [row["kind"] for row in rows] == ["event", "other"]
    for row, group in zip(rows, (p[y], p[~y]), strict=True):
        counts, _ = np.histogram(group, np.arange(31) / 30)
        kept = np.flatnonzero(counts)
        assert row["step"] == kept.tolist()
        np.testing.assert_allclose(row["part"], counts[kept] / len(group), rtol=1e-2)


def test_rare_events_have_a_scale_of_roots_and_shares_add_up_to_all() -> None:
    y, p = np.arange(200) % 40 == 0, np.linspace(0, 0.3, 200)
    found = chart(evaluate(y, p, replicates=0))
    assert found.spec["spec"]["layer"][0]["encoding"]["x"]["scale"]["type"] == "sqrt"
    assert "square-root scale" in found.lead
    assert [sum(row["part"]) for row in found.spec["data"]["values"]] == pytest.approx([1, 1], 1e-2)


def test_the_numbers_are_mean_forecasts() -> None:
    y, p = np.array([0, 0, 1, 1]), np.array([0.1, 0.3, 0.4, 0.9])
    found = chart(evaluate(y, {"m": p}, replicates=0))
    assert found.table.rows == [("m", "65.0 %", "20.0 %", "45.0 %")]
    assert found.alt.endswith("all others: m 65 % against 20 %.")
