"""Differences on the page: groups, and every model against every other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.report.chart_subjects import SMALL, evaluation, made, rows_of
from tests.report.threshold_subjects import NAMES

from properly import evaluate
from properly._boundary._text import printable
from properly.comparison._pairs import is_significant
from properly.report._contrast_charts import (
    FAINT,
    MOST_GROUPS,
    OPEN,
    STRONG,
    TOO_FEW,
    groups_chart,
    matrix_chart,
)

if TYPE_CHECKING:
    from properly.report._vega import Chart


def cells_of(chart: Chart | None) -> dict[tuple[str, str], Any]:
    return {(row["model"], row["other"]): row for row in rows_of(chart)}


def test_dots_and_bars_are_differences_with_simultaneous_intervals() -> None:
    rows = rows_of(groups_chart(evaluation()))
    drawn = 0
    for name, groups in evaluation().groups.items():
        for g, label in enumerate(groups.name):
            (row,) = (
                r for r in rows if r["model"] == name and r["group"].startswith(printable(label))
            )
            if not groups.enough[g]:
                continue
            drawn += 1
            ends = groups.simultaneous[g].tolist()
            numbers = [row["x"], row["lower"], row["upper"]]
            np.testing.assert_allclose(numbers, [groups.difference[g], *ends], rtol=1e-4)
            assert row["sure"] == ("no" if ends[0] <= 0 <= ends[1] else "yes")
            assert row["group"] == f"{label} ({groups.cases[g]})"
    assert drawn == 3


def test_a_small_group_says_so_and_stands_last() -> None:
    rows = [row for row in rows_of(groups_chart(evaluation())) if row["model"] == NAMES[0]]
    (small,) = (row for row in rows if row["group"] == "few\\n<b> (12)")
    assert small["said"] == TOO_FEW
    assert "x" not in small
    assert small["place"] == max(row["place"] for row in rows)
    assert small["interval"] == small["chance"] == "–"
    assert SMALL in evaluation().groups[NAMES[0]].name


def test_of_many_groups_the_largest_are_drawn_and_it_says_so() -> None:
    rng = np.random.default_rng(2)
    label = np.concatenate([np.arange(MOST_GROUPS + 3), rng.integers(MOST_GROUPS, size=900)])
    y, p = rng.random(len(label)) < 0.5, rng.uniform(0.2, 0.8, len(label))
    chart = groups_chart(evaluate(y, {"plain": p}, groups=label, replicates=0, rng=1))
    assert len(rows_of(chart)) == MOST_GROUPS
    assert chart is not None
    assert chart.lead.endswith(f"The {MOST_GROUPS} largest of {MOST_GROUPS + 3} groups are drawn.")
    drawn = {row["group"].split(" ")[0] for row in rows_of(chart)}
    assert not drawn & {"30", "31", "32"}


def test_the_worst_is_named_only_if_it_is_found_to_differ() -> None:
    y, p = [0, 1] * 60, [0.1, 0.9] * 20 + [0.2, 0.8] * 10 + [0.6, 0.4] * 20 + [0.7, 0.3] * 10
    alts = []
    for groups in (["good"] * 60 + ["bad"] * 60, ["good", "good", "bad", "bad"] * 30):
        chart = made(groups_chart, evaluate(y, {"plain": p}, groups=groups, replicates=0, rng=1))
        alts.append(chart.alt)
    assert alts[0].startswith("plain: 2 of 2 groups found to differ from the rest, bad for the")
    assert alts[1] == "plain: 0 of 2 groups found to differ from the rest."


def test_cells_have_row_minus_column_and_what_is_known_of_the_pair() -> None:
    comparison = evaluation().comparisons["brier"]
    cells = cells_of(matrix_chart(evaluation()))
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
    cells = cells_of(matrix_chart(e))
    pair = e.comparisons[e.primary]["a", "c"]
    assert is_significant(pair)
    assert abs(pair.simultaneous[1]) < 0.0005
    ends = cells["a", "c"]["interval"].replace("\N{MINUS SIGN}", "-").split(" to ")
    assert all(float(end) < 0 for end in ends)


def test_pale_is_what_cannot_be_told_apart() -> None:
    y = [0, 1] * 30
    forecasts = {
        "plain": [0.2, 0.8] * 30,
        "alike": [0.3, 0.9] * 15 + [0.1, 0.7] * 15,
        "worse": [0.5, 0.6] * 15 + [0.6, 0.5] * 15,
    }
    e = evaluate(y, forecasts, replicates=0, rng=1)
    cells = cells_of(matrix_chart(e))
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
    cells = cells_of(chart)
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
    chart = made(matrix_chart, evaluate(y, forecasts, replicates=0, rng=1))
    assert len(rows_of(chart)) == 81
    assert len(chart.table.rows) == 8
    assert all("m0" in row[0] for row in chart.table.rows)
    assert chart.wide
