"""Decision curves on the page."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import vl_convert
from tests.report.threshold_subjects import (
    HOSTILE,
    NAMES,
    evaluation,
    of_one_class,
    require_valid,
    words_beside_data,
)

from properly.report._decision import decision_chart

if TYPE_CHECKING:
    from properly.report._chart import Spec


def rows(spec: Spec) -> dict[str, Any]:
    (values,) = (x["data"]["values"] for x in spec["layer"] if x["data"].get("name") == "curves")
    return {row["model"]: row for row in values}


def test_the_curves_are_those_of_the_library() -> None:
    drawn = rows(decision_chart(evaluation()).spec)
    assert list(drawn) == [*NAMES, "treat all", "treat none"]
    for name, curve in evaluation().decision.items():
        at = drawn[name]["at"]
        np.testing.assert_allclose(drawn[name]["height"][1:], curve.at(at[1:]), rtol=1e-6)
    rate, t = evaluation().event_rate, np.array(drawn["treat all"]["at"])
    benefit = rate - t / (1 - t) * (1 - rate)
    np.testing.assert_allclose(drawn["treat all"]["height"], benefit, rtol=1e-6, atol=1e-9)
    assert set(drawn["treat none"]["height"]) == {0.0}


def test_the_picture_ends_a_little_below_zero() -> None:
    layer = decision_chart(evaluation()).spec["layer"][1]["layer"]
    rate = evaluation().event_rate
    for part in layer[:3]:
        assert part["encoding"]["y"]["scale"]["domain"] == [-0.25 * rate, 1.1 * rate]
        assert part["mark"]["clip"] is True


def test_the_range_is_shaded() -> None:
    shaded = decision_chart(evaluation()).spec["layer"][0]
    assert shaded["data"]["values"] == [{"lower": 0.05, "upper": 0.3}]
    assert shaded["mark"]["type"] == "rect"
    assert "rect" not in str(decision_chart(evaluation(None)).spec)


def test_all_numbers_at_the_threshold_pointed_at_are_listed() -> None:
    spec = decision_chart(evaluation()).spec | {"width": 500}
    (param,) = spec["layer"][-1]["layer"][-1]["params"]
    # The middle of 5 % and 30 %, in ratios, as a round number.
    assert param["value"] == [{"threshold": 0.1}]
    svg = html.unescape(vl_convert.vegalite_to_svg(spec))
    said = re.findall(r">([−\d.]+%?)</text>", svg)
    benefits = [float(curve.at(0.1)) for curve in evaluation().decision.values()]
    assert "10%" in said
    assert {f"{x:.5f}".replace("-", "−") for x in [*benefits, 0.0]} <= set(said)


def test_names_of_models_are_data() -> None:
    chart = decision_chart(evaluation())
    require_valid(chart)
    assert "script" not in words_beside_data(chart.spec)
    assert HOSTILE in rows(chart.spec)


def test_the_numbers_are_told_in_words_and_in_a_table() -> None:
    chart, e = decision_chart(evaluation()), evaluation()
    first = float(e.decision["plain"].at(0.1))
    assert chart.alt.startswith(
        f"Net benefit at a threshold of 10 %, the greatest first: plain {first:.5f}, "
    )
    assert chart.alt.endswith("to treat none 0.")
    assert f"{e.event_rate:.4g}" in chart.lead
    assert chart.table is not None
    shares = (1, 5, 10, 20, 30, 50)
    assert chart.table.head == ("net benefit", *(f"at {share} %" for share in shares))
    assert chart.table.rows[0][3] == f"{first:.5f}"
    assert chart.table.rows[-1] == ("treat none", *["0.00000"] * 6)


@pytest.mark.parametrize("event", [False, True])
def test_all_or_nobody_may_have_the_event(event: bool) -> None:
    chart = decision_chart(of_one_class(event))
    low, high = chart.spec["layer"][-2]["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low < 0 < high
    heights = rows(chart.spec)["plain"]["height"]
    assert np.isfinite(heights).all()
