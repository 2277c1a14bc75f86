"""The axis of thresholds, and regret curves with a range that is dragged."""

from __future__ import annotations

import copy
import html
import json
import re
from base64 import b64decode
from itertools import combinations
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import vl_convert
from tests.report.threshold_subjects import HOSTILE, NAMES, data_of, evaluation, in_view, on_grid

from properly import Interval, regret_curve, stream, tally
from properly._boundary._text import percent
from properly.counts import baselines
from properly.report import _threshold_charts as threshold_charts

if TYPE_CHECKING:
    from properly.decisions import MurphyCurve
    from properly.report._vega import Spec


# The two ends as they are dragged, and as they count.
RANGES = {
    (0.05, 0.3): (0.05, 0.3),
    (0.00312, 0.0987): (0.0031, 0.099),
    (0.4996, 0.5003): (0.5, 0.501),
    (0.99995, 1.3): (0.999, 1),
    (-0.2, 0.00004): (0, 0.0001),
}


def curves() -> dict[tuple[str, bool], MurphyCurve]:
    e = evaluation()
    models = {(name, False): curve for name, curve in e.regret.items()}
    return models | {(name, True): curve for name, curve in e.baseline_regret.items()}


def data(spec: Spec, name: str) -> list[dict[str, Any]]:
    return [{"at": on_grid(spec)} | row for row in data_of(spec, name)]


def ranked(spec: Spec, brush: tuple[float, float] | None) -> tuple[str, dict[str, float]]:
    """Draw the ranking alone, with all digits, and read its head and its rows from the top on."""
    drawn = copy.deepcopy(spec)
    drawn["layer"] = [drawn["layer"][0], *drawn["layer"][-3:]]
    (param,) = drawn["layer"][0]["params"]
    param.pop("value", None)
    if brush is not None:
        param["value"] = {"x": list(brush)}
    text = json.dumps(drawn).replace('"format": ".5f"', '"format": ".17f"')
    svg = vl_convert.vegalite_to_svg(json.loads(text))
    placed = re.findall(r"<text[^>]*translate\((\d+),([\d.]+)\)[^>]*>([^<]*)</text>", svg)
    lines = sorted((float(y), float(x), html.unescape(said)) for x, y, said in placed)
    lines = [
        line
        for line in lines
        if line[1]
        in (threshold_charts.LEFT, threshold_charts.LEFT + threshold_charts.RANKING_WIDTH)
    ]
    (_, _, title), (_, _, over), *rows = lines
    assert title == "Mean regret"
    return over, {rows[k][2]: float(rows[k + 1][2]) for k in range(0, len(rows), 2)}


def shortened(name: str) -> str:
    """Return the part of a name that is sure to be drawn as it is."""
    return name[:8]


def means(ends: tuple[float, float]) -> dict[str, float]:
    values = {name: curve.area(ends) / (ends[1] - ends[0]) for (name, _), curve in curves().items()}
    return dict(sorted(values.items(), key=lambda item: item[1]))


def test_integrals_of_many_thresholds_lose_no_digits() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(100_000)
    curve = regret_curve(tally(rng.random(100_000) < p, p))
    steps = np.diff(threshold_charts.integrals(curve, threshold_charts.EDGES))[::37]
    pairs = zip(threshold_charts.EDGES[:-1][::37], threshold_charts.EDGES[1:][::37], strict=True)
    np.testing.assert_allclose(steps, [curve.area(pair) for pair in pairs], rtol=0, atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize(("dragged", "ends"), RANGES.items())
def test_the_ranking_is_that_of_the_library(
    dragged: tuple[float, float], ends: tuple[float, float]
) -> None:
    over, order = ranked(threshold_charts.regret_chart(evaluation()).spec, dragged)
    assert over == f"thresholds {percent(ends[0])} to {percent(ends[1])}"
    assert sorted(map(shortened, order)) == sorted(map(shortened, means(ends)))
    np.testing.assert_allclose(list(order.values()), list(means(ends).values()), rtol=0, atol=1e-12)


def test_without_a_range_all_thresholds_count() -> None:
    over, ranking = ranked(threshold_charts.regret_chart(evaluation(None)).spec, None)
    assert over == "thresholds 0 % to 100 %"
    np.testing.assert_allclose(list(ranking.values()), list(means((0, 1)).values()), atol=1e-12)


def test_the_brush_begins_with_the_range() -> None:
    (brush,) = threshold_charts.regret_chart(evaluation()).spec["layer"][0]["params"]
    assert brush["name"] == "brush"
    assert brush["value"] == {"x": [0.05, 0.3]}
    (brush,) = threshold_charts.regret_chart(evaluation(None)).spec["layer"][0]["params"]
    assert "value" not in brush


def test_a_script_finds_the_ranking_and_the_signals() -> None:
    vega = vl_convert.vegalite_to_vega(threshold_charts.regret_chart(evaluation()).spec)
    (ranked,) = (x for x in vega["data"] if x["name"] == threshold_charts.RANKING)
    assert ranked["source"] == "areas"
    made = [name for step in ranked["transform"] for name in np.atleast_1d(step.get("as", []))]
    assert {"mean_regret", "rank", "row"} <= set(made)
    signals = {signal["name"] for signal in vega["signals"]}
    assert {"brush_x", "brush_threshold", "lower", "upper", "shown"} <= signals
    (words,) = (mark for mark in vega["marks"] if mark["name"] == "ranking_marks")
    assert "brush_brush" in [mark["name"] for mark in vega["marks"]]
    assert words["type"] == "text"


def test_the_curves_are_those_of_the_library() -> None:
    spec = threshold_charts.regret_chart(evaluation()).spec
    rows = data(spec, "curves")
    assert [row["model"] for row in rows] == list(NAMES)
    for row in rows:
        curve = evaluation().regret[row["model"]]
        t, height = np.array(row["at"]), np.array(row["height"])
        either = np.stack([curve.at(t), curve.at(np.minimum(np.nextafter(t, 2), 1))])
        assert np.abs(either - height).min(axis=0).max() < 1e-5
    # The second has few thresholds, and its jumps are drawn upright.
    curve = evaluation().regret[HOSTILE]
    assert set(curve.threshold.tolist()) <= set(rows[1]["at"])
    assert len(rows[1]["at"]) == len(set(rows[1]["at"])) + len(curve.threshold) - 1
    assert [row["model"] for row in data(spec, "baselines")] == ["treat all", "treat none"]


def test_a_curve_of_many_thresholds_is_drawn_at_few() -> None:
    rng = np.random.default_rng(2)
    p = np.append(rng.random(3000), 0)
    t = tally(np.append(rng.random(3000) < p[:-1], True), p)
    plain = {name: regret_curve(x) for name, x in baselines(t).items()}
    others = {"event_rate": t.event_rate, "within": None, "over_ranges": None, "summed": True}
    e: Any = SimpleNamespace(regret={"m": regret_curve(t)}, baseline_regret=plain, **others)
    (row,) = data(threshold_charts.regret_chart(e).spec, "curves")
    assert len(row["at"]) < 400
    # What a forecast of 0 costs that was wrong is seen at the left end too.
    assert row["height"][0] == pytest.approx(1 / 3001, rel=1e-4)
    np.testing.assert_allclose(row["height"][1:], e.regret["m"].at(row["at"][1:]), rtol=1e-4)


def test_the_view_of_a_range_begins_zoomed_and_ends_above_what_is_seen() -> None:
    for within in [(0.05, 0.3), (0.5, 0.7), (0.01, 0.05)]:
        e = evaluation(within)
        spec = threshold_charts.regret_chart(e).spec
        assert {"name": "zoomed", "value": True} in spec["params"]
        _, view = threshold_charts.views(e)
        at = np.linspace(view.lower, view.upper, 5000)
        none = np.minimum(at * (1 - e.event_rate), (1 - at) * e.event_rate).max()
        highest = max(curve.at(at).max() for curve in e.regret.values())
        scale = spec["layer"][1]["layer"][0]["encoding"]["y"]["scale"]
        top = in_view(scale["domain"], zoomed=True)[1]
        assert top == pytest.approx(1.08 * max(none, min(highest, 2.5 * none)), rel=1e-3)
        # Names stand within what is seen, on their lines.
        for row in (x for x in spec["layer"][2]["data"]["values"] if x["zoomed"]):
            t, everybody = row["threshold"], row["model"] == "treat all"
            assert view.lower <= t <= view.upper
            assert 0 < row["regret"] < top
            cost = t * (1 - e.event_rate) if everybody else (1 - t) * e.event_rate
            assert row["regret"] == pytest.approx(cost)


def test_the_numbers_are_told_in_words_and_in_a_table() -> None:
    chart, e = threshold_charts.regret_chart(evaluation()), evaluation()
    averages = [curve.area((0.05, 0.3)) / 0.25 for curve in curves().values()]
    assert chart.alt.startswith(
        f"Mean regret over thresholds from 5 % to 30 %, the least first: plain {averages[0]:.5f}, "
    )
    assert chart.alt.endswith(f"Without a model, the least is {averages[-1]:.5f} (event rate).")
    assert chart.table is not None
    assert chart.table.head[:4] == (
        "regret",
        "mean, 5 % to 30 %",
        "mean, 0 % to 100 %",
        "at 1 %",
    )
    assert [row[1] for row in chart.table.rows] == [f"{mean:.5f}" for mean in averages]
    assert chart.table.rows[0][4] == f"{float(e.regret['plain'].at(0.05)):.5f}"


def test_the_script_is_handed_what_intervals_and_tiers_are_made_of() -> None:
    e = evaluation()
    handed, over = threshold_charts.regret_chart(e).spec["usermeta"], e.over_ranges
    assert over is not None
    assert handed["headline"] == [0.05, 0.3]
    assert handed["models"] == len(over.models) == len(e.regret)
    errors = np.frombuffer(b64decode(handed["errors"]), "<f4").reshape(over.standard_error.shape)
    np.testing.assert_allclose(errors, over.standard_error, rtol=1e-7)
    chances = np.frombuffer(b64decode(handed["chances"]), "<f4").reshape(over.p_value.shape)
    np.testing.assert_allclose(chances, over.p_value, rtol=1e-7, atol=1e-30)
    assert len(handed["errors"] + handed["chances"]) < 300_000


def test_without_rows_the_page_says_why_there_are_no_intervals() -> None:
    summed = stream()
    summed.add([0, 1, 0, 1], {"a": [0.1, 0.7, 0.3, 0.6]})
    handed = threshold_charts.regret_chart(summed.evaluate(replicates=0)).spec["usermeta"]
    why = "There are no intervals over other ranges of a summary without the rows."
    assert handed == {"headline": [0.0, 1.0], "why": why}


def about(rate: float, within: tuple[float, float] | None = None) -> Any:
    return SimpleNamespace(event_rate=rate, within=within and Interval(*within))


def exponents(scale: dict[str, Any]) -> Any:
    return {"sqrt": 0.5, None: 1}.get(scale.get("type"), scale.get("exponent"))


@pytest.mark.parametrize(
    ("rate", "within", "power"),
    [
        (0.4, None, 1),
        (0.4, (0.1, 0.5), 1),
        (0.4, (0.1, 0.3), 0.5),
        (0.09, None, 0.5),
        (0.09, (0.1, 0.5), 0.5),
        (0.005, None, 0.25),
        (0.005, (0.1, 0.5), 0.5),
        (0.4, (0.001, 0.02), 0.25),
    ],
)
def test_small_thresholds_have_room_where_they_matter(
    rate: float, within: tuple[float, float] | None, power: float
) -> None:
    e = about(rate, within)
    assert threshold_charts.views(e)[0].power == power
    scale = threshold_charts.threshold_axis(e)["scale"]
    assert in_view(scale["domain"], zoomed=False) == [0, 1]
    assert in_view(exponents(scale), zoomed=False) == power


@pytest.mark.parametrize(
    ("rate", "within", "seen"),
    [
        (0.04, (0.01, 0.1), (0, 0.1225, 1)),
        (0.04, (0.4, 0.6), (0.35, 0.65, 1)),
        (0.4, (0.9, 1), (0.875, 1, 1)),
        (0.4, (0.001, 0.002), (0.00075, 0.00225, 1)),
        # From far below its end on, small thresholds need more room.
        (0.004, (0.0005, 0.1), (0, 0.124875, 0.5)),
        (0.4, (0.0001, 0.1), (0, 0.124975, 0.25)),
        (0.004, (0, 0.1), (0, 0.125, 0.5)),
        (0.04, (0, 0.1), (0, 0.125, 1)),
    ],
)
def test_a_range_is_looked_at_with_a_little_on_either_side(
    rate: float, within: tuple[float, float], seen: tuple[float, float, float]
) -> None:
    e = about(rate, within)
    assert threshold_charts.views(e)[1] == seen
    scale = threshold_charts.threshold_axis(e)["scale"]
    assert in_view(scale["domain"], zoomed=True) == list(seen[:2])
    assert in_view(exponents(scale), zoomed=True) == seen[2]
    assert threshold_charts.zoom_words(e) == f"{percent(within[0])} to {percent(within[1])}"


@pytest.mark.parametrize("within", [None, (0, 1), (0.05, 0.8)])
def test_nearly_all_thresholds_are_no_view_of_their_own(
    within: tuple[float, float] | None,
) -> None:
    e = about(0.04, within)
    assert len(threshold_charts.views(e)) == 1
    assert threshold_charts.zoom_words(e) == ""
    assert "expr" not in str(threshold_charts.threshold_axis(e))
    np.testing.assert_array_equal(threshold_charts.drawn_at(e), threshold_charts.DRAWN)


@pytest.mark.parametrize("rate", [0.3, 0.04, 0.001])
def test_ticks_are_round_and_apart(rate: float) -> None:
    ends = [0, 0.0001, 0.0005, 0.003, 0.01, 0.02, 0.1, 0.25, 0.4, 0.55, 0.6, 0.85, 1]
    for lower, upper in combinations(ends, 2):
        for k, view in enumerate(threshold_charts.views(about(rate, (lower, upper)))):
            ticks = np.array(view.ticks())
            assert 4 <= len(ticks) <= 13
            assert ticks.min() >= view.lower
            assert ticks.max() <= view.upper
            assert all(float(f"{t:.3g}") == t for t in ticks)
            assert np.diff(view.place(ticks)).min() >= (0.0599 if k else 0.04)


@pytest.mark.parametrize("within", [(0.4, 0.6), (0.01, 0.1), (0.0005, 0.1), (0.001, 0.002)])
def test_lines_look_smooth_where_a_range_is_looked_at(within: tuple[float, float]) -> None:
    e = about(0.04, within)
    _, view = threshold_charts.views(e)
    at = threshold_charts.drawn_at(e)
    assert set(threshold_charts.DRAWN) < set(at)
    inside = at[(at >= view.lower) & (at <= view.upper)]
    assert (inside[0], inside[-1]) == (view.lower, view.upper)
    # Of 640 pixels, some ten; but next to 0, where a power stretches what is hardly there.
    assert np.diff(view.place(inside))[1:].max() < 0.015
    assert len(at) - len(threshold_charts.DRAWN) <= 400


def test_steps_are_finer_below_one_percent() -> None:
    steps = np.diff(threshold_charts.EDGES)
    np.testing.assert_allclose(steps[threshold_charts.EDGES[1:] <= 0.01], 0.0001)
    np.testing.assert_allclose(steps[threshold_charts.EDGES[1:] > 0.01], 0.001)
    assert len(threshold_charts.DRAWN) < 400
    assert (threshold_charts.DRAWN[0], threshold_charts.DRAWN[-1]) == (0, 0.99)
    assert np.all(np.diff(threshold_charts.DRAWN) > 0)
