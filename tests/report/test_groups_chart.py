"""Groups on the page."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.report.chart_subjects import SMALL, class_evaluation, evaluation, rows_of
from tests.report.threshold_subjects import NAMES

from properly import evaluate
from properly._boundary._text import printable
from properly.report._contrast_charts import MOST_GROUPS, TOO_FEW, groups_chart


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


def test_hover_tells_skill_and_observed_to_expected() -> None:
    chart = groups_chart(evaluation())
    assert chart is not None
    fields = [part["field"] for part in chart.spec["spec"]["layer"][1]["encoding"]["tooltip"]]
    assert {"skill", "expected", "events", "interval", "chance"} <= set(fields)
    groups = evaluation().groups[NAMES[0]]
    row = next(row for row in rows_of(chart) if row["group"].startswith("left"))
    g = groups.name.index("left")
    assert float(row["expected"]) == pytest.approx(groups.observed_expected[g], rel=5e-3)
    assert float(row["skill"].replace("−", "-")) == pytest.approx(groups.skill[g], rel=0.06)
    of_classes = groups_chart(class_evaluation())
    assert of_classes is not None
    fields = [part["field"] for part in of_classes.spec["spec"]["layer"][1]["encoding"]["tooltip"]]
    assert "expected" not in fields
    assert "says more about" in of_classes.lead


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


def test_alt_counts_what_is_found_to_differ() -> None:
    chart = groups_chart(evaluation())
    assert chart is not None
    groups = evaluation().groups["plain"]
    lower, upper = groups.simultaneous.T
    differ = int(np.sum((lower > 0) | (upper < 0)))
    assert chart.alt.startswith(f"plain: {differ} of 3 groups found to differ from the rest")
    assert math.isnan(lower[groups.name.index(SMALL)])


def test_the_worst_is_named_only_if_it_is_found_to_differ() -> None:
    y, p = [0, 1] * 60, [0.1, 0.9] * 20 + [0.2, 0.8] * 10 + [0.6, 0.4] * 20 + [0.7, 0.3] * 10
    alts = []
    for groups in (["good"] * 60 + ["bad"] * 60, ["good", "good", "bad", "bad"] * 30):
        chart = groups_chart(evaluate(y, {"plain": p}, groups=groups, replicates=0, rng=1))
        assert chart is not None
        alts.append(chart.alt)
    assert alts[0].startswith("plain: 2 of 2 groups found to differ from the rest, bad for the")
    assert alts[1] == "plain: 0 of 2 groups found to differ from the rest."
