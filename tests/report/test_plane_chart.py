"""Miscalibration against discrimination on the page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.report.threshold_subjects import (
    NAMES,
    evaluation,
)

from properly import decompose, tally
from properly.calibration import Decomposition
from properly.report._score_parts_charts import plane_chart
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from properly.report._vega import Chart, Spec


def drawn(e: Any) -> Chart:
    chart = plane_chart(e)
    assert chart is not None
    return chart


def points(panel: Spec) -> dict[str, Spec]:
    return {row["model"]: row for row in panel["layer"][-1]["data"]["values"]}


def made(*decompositions: Decomposition) -> Any:
    """Put decompositions by the Brier score together as an evaluation."""
    named = {f"m{k}": {"brier": x} for k, x in enumerate(decompositions)}
    others = {"primary": "brier", "level": 0.95}
    return SimpleNamespace(decompositions=named, rules=(Brier(),), **others)


def test_points_are_those_of_the_decompositions() -> None:
    e = evaluation()
    panels = drawn(e).spec["concat"]
    order = ["regret[0.05,0.3]", "brier", "log"]
    words = ["mean regret at thresholds of 5 % to 30 %", "Brier score", "log score"]
    assert [panel["title"]["text"] for panel in panels] == words
    for rule, panel in zip(order, panels, strict=True):
        assert list(points(panel)) == list(NAMES)
        for name, row in points(panel).items():
            parts = e.decompositions[name][rule]
            assert row["x"] == pytest.approx(parts.miscalibration, rel=1e-4)
            assert row["y"] == pytest.approx(parts.discrimination, rel=1e-4)
            assert row["score"] == pytest.approx(parts.score, rel=1e-4)


def test_a_slanted_line_holds_what_has_its_score() -> None:
    e = evaluation()
    panel = drawn(e).spec["concat"][0]
    uncertainty = e.decompositions["plain"][e.primary].uncertainty
    right, top = (panel["layer"][0]["layer"][0]["encoding"][x]["scale"]["domain"][1] for x in "xy")
    lines = panel["layer"][0]["data"]["values"]
    assert len(lines) >= 3
    for line in lines:
        for x, y in ((line["x"], line["y"]), (line["x2"], line["y2"])):
            score = uncertainty if line["none"] else float(line["label"])
            assert x - y + uncertainty == pytest.approx(score, abs=1e-12)
            assert -1e-12 <= x <= right + 1e-12
            assert -1e-12 <= y <= top + 1e-12
        # It leaves where the picture ends.
        assert line["x2"] == pytest.approx(right) or line["y2"] == pytest.approx(top)
    assert [line["x"] == line["y"] == 0 for line in lines if line["none"]] == [True]


def test_intervals_are_bars() -> None:
    e = evaluation(replicates=9)
    panel = drawn(e).spec["concat"][0]
    bars = panel["layer"][1]["data"]["values"]
    parts = e.decompositions["plain"][e.primary]
    assert parts.intervals is not None
    (across, up) = (bar for bar in bars if bar["model"] == "plain")
    ends = parts.intervals.miscalibration
    assert (across["x"], across["x2"]) == pytest.approx([max(end, 0) for end in ends], rel=1e-4)
    ends = parts.intervals.discrimination
    assert (up["y"], up["y2"]) == pytest.approx([max(end, 0) for end in ends], rel=1e-4)
    assert "Bars are 95 % intervals." in drawn(e).lead
    assert len(drawn(evaluation()).spec["concat"][0]["layer"]) == 2
    assert "Bars" not in drawn(evaluation()).lead


def test_infinite_miscalibration_is_said_and_not_drawn() -> None:
    wrong, right = tally([1, 0, 1], [0.0, 0.5, 0.5]), tally([1, 0, 1], [0.5, 0.4, 0.9])
    rules = Brier(), Log()
    parts = {
        name: {rule.name: decompose(t, rule) for rule in rules}
        for name, t in {"wrong": wrong, "right": right}.items()
    }
    e: Any = SimpleNamespace(decompositions=parts, rules=rules, primary="log", level=0.95)
    chart = drawn(e)
    assert [panel["title"]["text"] for panel in chart.spec["concat"]] == [
        "log score",
        "Brier score",
    ]
    assert list(points(chart.spec["concat"][0])) == ["right"]
    assert chart.lead.endswith("Infinite by the log score, and not drawn: wrong.")
    assert chart.table is not None
    assert chart.table.rows[0][:4] == ("wrong", "log score", "∞", "∞")
    del parts["right"]
    e.rules = (Log(),)
    assert plane_chart(e) is None


def test_the_parts_add_up_in_words() -> None:
    e = made(Decomposition(0.15625, 0.15625, 0.25, 0.25), Decomposition(0.2, 0.0, 0.05, 0.25))
    chart = drawn(e)
    assert chart.alt == (
        "Scores by the Brier score, as uncertainty plus miscalibration minus discrimination, the "
        "best first: "
        "m0 0.1562 = 0.2500 + 0.156 - 0.250; m1 0.2000 = 0.2500 + 0 - 0.0500."
    )
    assert chart.table is not None
    assert chart.table.rows[1] == ("m1", "Brier score", "0.20000", "0.00000", "–", "0.05000", "–")
