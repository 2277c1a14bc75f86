"""Every model against every other on the page."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.report.chart_subjects import evaluation, rows_of
from tests.report.threshold_subjects import HOSTILE, NAMES

from properly import evaluate
from properly.comparison._pairs import is_significant
from properly.report._contrast_charts import FAINT, OPEN, STRONG, matrix_chart


def test_cells_have_row_minus_column_and_what_is_known_of_the_pair() -> None:
    comparison = evaluation().comparisons["brier"]
    cells = {(row["model"], row["other"]): row for row in rows_of(matrix_chart(evaluation()))}
    assert len(cells) == 4
    for names in (NAMES, NAMES[::-1]):
        pair = comparison[names[0], names[1]]
        cell = cells[names[0], names[1]]
        value = float(cell["text"].replace("−", "-").removesuffix(" ?"))
        assert value == pytest.approx(pair.difference, abs=5e-4)
        assert math.copysign(1, value) == math.copysign(1, pair.difference)
        # The score is named above the chart.
        assert cell["told"] == pair.sentence.replace(" Brier", "")
        assert cell["side"] == ("row" if pair.difference < 0 else "column")


def test_the_diagonal_has_the_scores_and_no_colour() -> None:
    cells = [row for row in rows_of(matrix_chart(evaluation())) if row["model"] == row["other"]]
    for cell in cells:
        score = evaluation().scores[cell["model"]]["brier"].value
        assert float(cell["text"]) == pytest.approx(score, abs=1e-3)
        assert (cell["side"], cell["strength"]) == ("own", 0)


def test_an_interval_that_lacks_zero_is_written_without_zero() -> None:
    rng = np.random.default_rng(16)
    q = rng.beta(2, 2, 300)
    y = (rng.random(300) < q).astype(int)
    models = {
        name: np.clip(q + k * rng.normal(size=300), 0.01, 0.99)
        for name, k in (("a", 0.1), ("b", 0.2), ("c", 0.2))
    }
    e = evaluate(y, models, rng=1)
    rows = {(row["model"], row["other"]): row for row in rows_of(matrix_chart(e))}
    pair = e.comparisons[e.primary]["a", "c"]
    assert is_significant(pair)
    assert abs(pair.simultaneous[1]) < 0.0005
    ends = rows["a", "c"]["interval"].replace("\N{MINUS SIGN}", "-").split(" to ")
    assert all(float(end) < 0 for end in ends)


def test_pale_is_what_cannot_be_told_apart() -> None:
    y = [0, 1] * 30
    forecasts = {
        "plain": [0.2, 0.8] * 30,
        "alike": [0.3, 0.9] * 15 + [0.1, 0.7] * 15,
        "worse": [0.5, 0.6] * 15 + [0.6, 0.5] * 15,
    }
    e = evaluate(y, forecasts, replicates=0, rng=1)
    cells = {(row["model"], row["other"]): row for row in rows_of(matrix_chart(e))}
    open_cell, clear = cells["plain", "alike"], cells["plain", "worse"]
    assert open_cell["text"].endswith(" ?")
    assert open_cell["strength"] == OPEN
    assert "cannot be told apart" in open_cell["told"]
    assert not clear["text"].endswith("?")
    assert FAINT <= clear["strength"] <= STRONG
    assert clear["side"] == "row"
    assert cells["worse", "plain"]["side"] == "column"


def test_infinite_scores_are_as_clear_as_can_be() -> None:
    from properly.rules import Log

    forecasts = {"plain": [0.2, 0.7, 0.4, 0.6], "sure": [1.0, 0.9, 0.1, 0.9], "too": [1.0, 0, 0, 1]}
    e = evaluate([0, 1, 0, 1], forecasts, rules=[Log()], replicates=0, rng=1)
    chart = matrix_chart(e)
    cells = {(row["model"], row["other"]): row for row in rows_of(chart)}
    assert cells["plain", "sure"]["text"] == "−∞"
    assert cells["plain", "sure"]["strength"] == STRONG
    assert cells["sure", "too"]["text"] == "both ∞ ?"
    assert cells["sure", "sure"]["text"] == "∞"
    assert chart is not None
    assert "2 of 3 pairs can be told apart" in chart.alt
    assert math.isnan(e.comparisons["log"]["sure", "too"].difference)


def test_many_pairs_leave_those_with_the_best_model_in_the_table() -> None:
    y = [0, 1] * 30
    forecasts = {f"m{k}": [0.2 + k / 30, 0.8] * 15 + [0.2, 0.7] * 15 for k in range(9)}
    chart = matrix_chart(evaluate(y, forecasts, replicates=0, rng=1))
    assert chart is not None
    assert chart.table is not None
    assert len(rows_of(chart)) == 81
    assert len(chart.table.rows) == 8
    assert all("m0" in row[0] for row in chart.table.rows)
    assert chart.wide


def test_long_names_take_the_whole_page() -> None:
    charts = [
        matrix_chart(
            evaluate([0, 1, 1, 0], {"a": [0.2, 0.7, 0.6, 0.4], b: [0.3] * 4}, replicates=0)
        )
        for b in ("b", "a name " * 12)
    ]
    assert [chart is not None and chart.wide for chart in charts] == [False, True]
    assert HOSTILE in NAMES
