"""Decision curves on the page."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
import vl_convert
from tests.report.threshold_subjects import NAMES, data_of, evaluation, on_grid

from properly import Cases, at_threshold, decision_curve, evaluate, summarize
from properly.report._decision_chart import decision_chart, intervals
from properly.report._threshold_charts import views
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from properly.report._vega import Spec


def rows(spec: Spec) -> dict[str, Any]:
    return {row["model"]: {"at": on_grid(spec)} | row for row in data_of(spec, "curves")}


def lines(spec: Spec) -> list[Spec]:
    """Return the layers of curves, dots and names."""
    (layer,) = (x["layer"] for x in spec["layer"] if x["data"].get("name") == "curves")
    result: list[Spec] = layer
    return result


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


@pytest.mark.slow
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
    assert "95 % interval" in svg
    for found in intervals(evaluation()).values():
        _, low, high = (f"{x:.5f}".replace("-", "−") for x in found[0.1])
        assert f">{low} to {high}</text>" in svg


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
    value, low, high = (f"{x:.5f}" for x in intervals(e)["plain"][0.1])
    assert value == f"{first:.5f}"
    assert chart.table.rows[0][3] == f"{value} ({low} to {high})"
    assert chart.table.rows[-1] == ("treat none", *["0.00000"] * 6)


# Single functions warn of few events.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")
def test_intervals_are_those_of_the_library() -> None:
    rng = np.random.default_rng(5)
    q = rng.beta(1, 6, 300)
    y, clusters, weight = rng.random(300) < q, rng.integers(0, 80, 300), rng.random(300) + 0.5
    for way in ({}, {"clusters": clusters}, {"weight": weight}):
        options: dict[str, Any] = way
        e = evaluate(y, {"m": q}, within=(0.05, 0.3), level=0.9, replicates=0, **options)
        cases = Cases(y, q, **options)
        found = intervals(e)["m"]
        assert len(found) > 25
        at = sorted(found)
        curve = decision_curve(cases, at, band="confidence", level=0.9)
        assert curve.band is not None
        for k, t in enumerate(at):
            alone = at_threshold(cases, t, interval=True, level=0.9)
            expected = (alone.net_benefit, *(alone.intervals or {})["net_benefit"])
            assert found[t] == pytest.approx(expected, abs=1e-9)
            band = curve.net_benefit[k], curve.band.lower[k], curve.band.upper[k]
            assert found[t] == pytest.approx(band, abs=1e-9)
        # The chart has the same, and points at these thresholds.
        spec = decision_chart(e).spec
        (pointed,) = (x["value"] for x in spec["params"] if x["name"] == "pointed_at")
        row = numbers(spec)["m"]
        drawn = {
            t: ends
            for t, *ends in zip(pointed, row["height"], row["low"], row["high"], strict=True)
            if ends[1] is not None
        }
        assert list(drawn) == [t for t in at if t > 0]
        for t, ends in drawn.items():
            assert ends == pytest.approx(found[t], rel=1e-6)


def numbers(spec: Spec) -> dict[str, Any]:
    """Return the numbers of models at the thresholds that one may point at."""
    return {row["model"]: row for row in data_of(spec, "numbers") if not row["baseline"]}


def test_where_nobody_is_acted_upon_there_is_no_interval() -> None:
    rng = np.random.default_rng(8)
    q = rng.beta(1, 6, 400)
    e = evaluate(rng.random(400) < q, {"low": np.round(0.15 * q, 3)}, replicates=0)
    low = numbers(decision_chart(e).spec)["low"]
    nobody = [
        ends for x, *ends in zip(low["height"], low["low"], low["high"], strict=True) if x == 0
    ]
    assert nobody
    assert all(ends == [None, None] for ends in nobody)


def test_one_can_point_where_it_matters() -> None:
    for within in [None, (0.05, 0.3), (0.4, 0.6), (0, 0.05), (0.001, 0.002)]:
        e = evaluation(within)
        (at,) = (x["value"] for x in decision_chart(e).spec["params"] if x["name"] == "pointed_at")
        assert len(at) < 200
        for view in views(e):
            seen = np.array([t for t in at if view.lower <= t <= view.upper])
            assert np.diff(view.place(seen)).max() < 0.1


@pytest.mark.slow
def test_sums_of_clusters_have_no_intervals_and_the_lead_says_so() -> None:
    frame = pd.DataFrame({"y": [0, 1, 0, 1], "a": [0.1, 0.7, 0.3, 0.6], "pair": [1, 1, 2, 2]})
    rules = [Brier(), Log()]
    summed = summarize(frame, "a", outcome="y", rules=rules, clusters="pair")
    chart = decision_chart(evaluate(summed, replicates=0))
    assert chart.lead.endswith(
        "There are no intervals of net benefit: sums do not tell how clusters vary."
    )
    assert "interval" not in str(chart.spec)
    assert chart.table is not None
    assert "to" not in " ".join(chart.table.rows[0])


@pytest.mark.parametrize("time", [None, np.arange(120)], ids=["independent", "over time"])
def test_the_lead_says_whether_time_was_allowed_for(time: Any) -> None:
    rng = np.random.default_rng(1)
    p = rng.random(120)
    chart = decision_chart(evaluate(rng.random(120) < p, p, time=time, replicates=0))
    assert (", allowing for dependence in time" in chart.lead) == (time is not None)
