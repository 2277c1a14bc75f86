"""Model against source on the page."""

from __future__ import annotations

import pytest
from tests.report.chart_subjects import evaluation, rows_of
from tests.report.threshold_subjects import NAMES

from properly import evaluate
from properly.report._score_parts_charts import source_chart


def test_marks_are_the_three_means_of_model_and_source() -> None:
    rows = [row for row in rows_of(source_chart(evaluation())) if "mean" in row]
    assert len(rows) == 12
    for row in rows:
        record = evaluation().means[row["model"]]
        of = record.model if row["whose"] == "model" else record.source
        assert row["x"] == pytest.approx(getattr(of, row["mean"].replace(" ", "_")), rel=1e-4)
        assert row["own"] == pytest.approx(
            getattr(record.model, row["mean"].replace(" ", "_")), rel=1e-4
        )
        assert row["source"] == pytest.approx(
            getattr(record.source, row["mean"].replace(" ", "_")), rel=1e-4
        )


def test_models_are_in_the_order_of_their_mean_probability() -> None:
    records = evaluation().means
    place = {row["model"]: row["place"] for row in rows_of(source_chart(evaluation()))}
    better, worse = sorted(NAMES, key=lambda name: -records[name].mean_probability)
    assert (place[better], place[worse]) == (0, 1)


def test_a_mean_probability_of_0_is_explained_in_its_row() -> None:
    e = evaluate([0, 1, 1, 0], {"plain": [0.1, 0.0, 0.7, 0.2]}, replicates=0)
    chart = source_chart(e)
    said = [row["said"] for row in rows_of(chart) if "said" in row]
    assert said == ["0: called impossible what happened in 1 case"]
    assert chart is not None
    assert "plain 0 % where its source has " in chart.alt


def test_the_axis_leaves_out_what_is_empty() -> None:
    chart = source_chart(evaluation())
    assert chart is not None
    low, high = chart.spec["layer"][-1]["encoding"]["x"]["scale"]["domain"]
    least = min(row["x"] for row in rows_of(chart))
    assert high == 1
    assert low <= least
    assert low > least - 0.2 or low == 0


def test_the_table_has_the_factors_of_the_accuracy() -> None:
    chart = source_chart(evaluation())
    assert chart is not None
    assert chart.table is not None
    record = evaluation().means["plain"]
    row = chart.table.rows[0]
    assert row[0] == "plain"
    assert row[2] == f"{100 * record.mean_probability:.1f} %"
    assert float(row[-1]) == pytest.approx(record.divergence, rel=5e-3)
