"""Reliability diagrams on the page, and repairs: before and after, what that saves, and advice."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.report.chart_subjects import evaluation, made, rows_of
from tests.report.threshold_subjects import HOSTILE, NAMES

import properly
from properly import Evaluation, evaluate
from properly._boundary._text import printable
from properly.recalibration import Vector
from properly.report._calibration_charts import (
    curves_chart,
    gains_chart,
    reliability_chart,
    savings_chart,
)
from properly.report._page import page

SMOOTH = ("forecast", "event_rate", "lower", "upper")


def of_kind(rows: list[dict[str, Any]], kind: str, model: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["kind"] == kind and row["model"] == model]


def test_curves_and_smooth_lines_with_their_bands_are_those_of_the_records() -> None:
    rows = rows_of(reliability_chart(evaluation()))
    fields = dict(zip(("at", "height", "low", "high"), SMOOTH, strict=True))
    for name, record in evaluation().reliability.items():
        curve = of_kind(rows, "curve", name)
        for key, column in zip("xy", record.curve(), strict=True):
            np.testing.assert_allclose([row[key] for row in curve], column, rtol=1e-4)
        (line,) = of_kind(rows, "smooth", name)
        for key, field in fields.items():
            np.testing.assert_allclose(
                line[key], getattr(evaluation().smooth[name], field), rtol=1e-4
            )


def test_hover_tells_range_cases_and_event_rate_of_each_bin() -> None:
    rows = rows_of(reliability_chart(evaluation()))
    for name, record in evaluation().reliability.items():
        bins = of_kind(rows, "bin", name)
        assert [row["cases"] for row in bins] == [f"{n:,}" for n in record.bins.weight]
        np.testing.assert_allclose([row["y"] for row in bins], record.bins.event_rate, rtol=1e-4)
        first, last = record.bins.x_min[0], record.bins.x_max[0]
        assert bins[0]["range"].startswith(f"{100 * first:.3g}"[:4])
        assert (" to " in bins[0]["range"]) == (first < last)


@pytest.mark.parametrize("rare", [True, False])
def test_bars_hold_all_cases_and_stand_within_the_panel(rare: bool) -> None:
    rows = rows_of(reliability_chart(evaluation(rare)))
    for name in NAMES:
        bars = of_kind(rows, "bar", name)
        assert sum(int(row["cases"].replace(",", "")) for row in bars) == 300
        ends = [(row["x"], row["x2"]) for row in bars]
        assert all(0 <= low < high <= 1 for low, high in ends)
        if not evaluation(rare).reliability[name].discrete:
            assert all(one[1] <= two[0] + 1e-4 for one, two in pairwise(ends))


def test_rare_events_are_looked_at_on_the_scale_of_roots() -> None:
    for rare in (True, False):
        chart = made(reliability_chart, evaluation(rare))
        x, y = (chart.spec["spec"]["encoding"][axis] for axis in "xy")
        assert x["scale"] == y["scale"]
        assert (x["scale"].get("type") == "sqrt") == rare == (evaluation(rare).event_rate < 0.1)
        assert chart.spec["spec"]["width"] == chart.spec["spec"]["height"]


def test_the_band_is_drawn_where_there_are_forecasts() -> None:
    rng = np.random.default_rng(1)
    p = rng.uniform(0.2, 0.7, 100)
    counts = properly.tally(rng.random(100) < p, p)
    records = {
        method: properly.reliability(
            counts, band="consistency", method=method, replicates=50, rng=1
        )
        for method in ("resampling", "continuous")
    }
    for record in records.values():
        whole = replace(evaluation(False), reliability={NAMES[0]: record})
        rows = of_kind(rows_of(reliability_chart(whole)), "band", NAMES[0])
        assert rows[0]["x"] == pytest.approx(p.min(), rel=1e-4)
        assert rows[-1]["x"] == pytest.approx(p.max(), rel=1e-4)
        assert record.band is not None
        inside = (record.band.x > p.min()) & (record.band.x < p.max())
        for field, bound in (("y", record.band.lower), ("y2", record.band.upper)):
            np.testing.assert_allclose([r[field] for r in rows[1:-1]], bound[inside], rtol=1e-4)
    assert not of_kind(rows_of(reliability_chart(evaluation())), "band", NAMES[0])


def test_a_panel_is_headed_by_its_name_and_the_parts_of_the_first_rule() -> None:
    subject = evaluation()
    chart = made(reliability_chart, subject)
    names = next(x["value"] for x in chart.spec["params"] if x["name"] == "names")
    assert names == ["plain", printable(HOSTILE)]
    assert not any(c in names[1] for c in "\n\u202e")
    (note,) = of_kind(rows_of(chart), "note", HOSTILE)
    numbers = [float(x) for x in re.findall(r"[\d.]+", note["note"])]
    parts = subject.decompositions[HOSTILE]["brier"]
    np.testing.assert_allclose(numbers, [parts.miscalibration, parts.discrimination], rtol=0.06)


def test_parts_that_the_table_of_scores_corrects_are_called_uncorrected() -> None:
    for replicates in (0, 9):
        e = evaluate([0, 1] * 30, {"m": [0.3, 0.6] * 30}, replicates=replicates, rng=1)
        chart = made(reliability_chart, e)
        assert chart.table is not None
        (note,) = (row["note"] for row in rows_of(chart) if "note" in row)
        told = (note, chart.alt.lower(), *chart.table.head[-2:])
        assert ["uncorrected" in words for words in told] == [replicates > 0] * 4
        assert ("has them corrected" in chart.lead) == (replicates > 0)


def test_alt_and_table_tell_the_numbers() -> None:
    chart = made(reliability_chart, evaluation())
    assert chart.alt.startswith(f"The event happened in {100 * evaluation().event_rate:.2g} % of")
    assert "Miscalibration (Brier score) is least for " in chart.alt
    assert [row[0] for row in chart.table.rows] == list(NAMES)
    single = made(reliability_chart, evaluation(models=1))
    assert "least" not in single.alt


def test_bands_that_allow_for_time_say_so() -> None:
    rng = np.random.default_rng(1)
    p = rng.uniform(0.1, 0.9, 120)
    y, said = rng.random(120) < p, "Bands allow for dependence in time"
    days: Any = {"time": np.arange(120), "replicates": 9, "rng": 1}
    for known, told in ((days, True), (days | {"replicates": 0}, False), ({"rng": 1}, False)):
        chart = made(reliability_chart, evaluate(y, p, **known))
        assert (said in chart.lead) == told


N = 600
SCRIPT = "</script><script>alert(1)</script>"


def evaluated(**options: Any) -> Evaluation:
    rng = np.random.default_rng(3)
    z = rng.normal(-1, 1.2, N)
    y = rng.random(N) < 1 / (1 + np.exp(-z))
    lines = {"sharp": (1, 0), SCRIPT: (1, 1.5)}
    models = {name: 1 / (1 + np.exp(-a * z - b)) for name, (a, b) in lines.items()}
    given: dict[str, Any] = {"within": (0.1, 0.4), "replicates": 9, "rng": 1} | options
    return properly.evaluate(y, models, **given)


@pytest.fixture(scope="module")
def repaired() -> Evaluation:
    return evaluated(recalibrate="auto")


@pytest.mark.slow
def test_only_advised_repairs_have_savings(repaired: Evaluation) -> None:
    chart = made(savings_chart, repaired)
    assert {row["model"] for row in chart.spec["data"]["values"]} == {SCRIPT}
    assert "band holds" in chart.lead
    assert savings_chart(evaluated()) is None
    assert curves_chart(evaluated()) is None


def test_the_table_says_what_to_do(repaired: Evaluation) -> None:
    chart = made(curves_chart, repaired)
    advice = {row[0]: row[1] for row in chart.below.rows}
    assert advice["sharp"] == "leave as it is"
    assert advice[SCRIPT].number == "repair"
    assert chart.below.head[-3:] == tuple(f"net benefit at {t} %" for t in (10, 20, 40))
    assert chart.table.title == "All maps, before the choice"
    assert len(chart.table.rows) == sum(len(x.result.gains) for x in repaired.repairs.values())


@pytest.mark.slow
def test_the_first_screen_has_the_honest_number(repaired: Evaluation) -> None:
    text = page(repaired)
    assert "Can be repaired" in text
    assert "less on new cases" in text
    assert "at most" not in text.partition("</ul>")[0]
    plain = page(evaluated())
    assert re.search(r"Recalibrating would save \d+\N{NO-BREAK SPACE}% of its cost at most", plain)


def test_of_classes_gains_are_drawn_without_curves() -> None:
    rng = np.random.default_rng(4)
    q = rng.dirichlet([2, 3, 4], 300)
    y = np.array([rng.choice(3, p=row) for row in q])
    bold = q**3 / (q**3).sum(axis=1, keepdims=True)
    e = properly.evaluate(
        y, {"bold": bold}, task="multiclass", recalibrate=Vector(), replicates=0, rng=1
    )
    repair, chart = e.repairs["bold"], gains_chart(e)
    assert repair.recommended
    assert repair.difference is None
    assert repair.before is None
    assert repair.net_benefit == {}
    assert chart is not None
    (row,) = chart.spec["data"]["values"]
    assert row["x"] == pytest.approx(repair.result.gain.estimate, rel=1e-4)
    text = page(e)
    assert text.count('<section id="repair"') == 1
    assert "Can be repaired" in text
    assert gains_chart(evaluated()) is None
