"""What holds for every chart of the page."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.report.chart_subjects import class_evaluation, evaluation, require_good
from tests.report.threshold_subjects import of_one_class

from properly import evaluate
from properly.report._page import SECTIONS, charts_of
from properly.report._vega import drawn_part

if TYPE_CHECKING:
    from properly.evaluation import Evaluation
    from properly.report._vega import Chart


@cache
def repaired() -> Evaluation:
    """Evaluate two models of an event over a range, and whether they can be repaired."""
    rng = np.random.default_rng(3)
    q = rng.beta(1, 3, 300)
    first, second = evaluation().models
    forecasts = {first: np.clip(2 * q, 0, 1), second: q}
    options: dict[str, Any] = {"within": (0.05, 0.3), "recalibrate": "auto", "replicates": 0}
    return evaluate(rng.random(300) < q, forecasts, rng=1, **options)


@cache
def drawn(name: str) -> dict[str, Chart]:
    made = {"event": evaluation, "classes": class_evaluation, "repair": repaired}
    return by_name(drawn_part(made[name]()))


def by_name(evaluation: Evaluation) -> dict[str, Chart]:
    return {chart.name: chart for chart in charts_of(evaluation).values() if chart is not None}


@pytest.mark.parametrize("name", ["event", "classes", "repair"])
def test_it_is_valid_told_in_words_and_names_are_data(name: str) -> None:
    for chart in drawn(name).values():
        require_good(chart)


def test_all_charts_were_looked_at() -> None:
    event, classes = drawn("event").keys() | drawn("repair").keys(), drawn("classes").keys()
    # Savings are drawn only where a repair is advised, and no classes were recalibrated.
    every = [draw for x in SECTIONS for draw in (*x.charts, *x.folded)]
    assert len(event | classes | {"repair-regret", "repair-gains", "evidence"}) == len(every)


def test_what_is_not_known_is_not_drawn() -> None:
    plain = evaluate([0, 1, 1, 0], [0.1, 0.8, 0.7, 0.6], replicates=0)
    assert not by_name(plain).keys() & {
        "groups",
        "time",
        "comparisons",
        "repair-curves",
        "repair-regret",
    }
    unknown = replace(class_evaluation(), reliability={}, retention={}, decompositions={})
    assert not {"reliability", "retention", "class-scores"} & by_name(unknown).keys()


@pytest.mark.parametrize("event", [False, True])
def test_all_or_nobody_may_have_the_event(event: bool) -> None:
    charts = by_name(of_one_class(event=event))
    assert {"regret", "decision", "reliability"} <= charts.keys()
    assert not {"roc", "risks"} & charts.keys()
