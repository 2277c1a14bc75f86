"""How well models rank, and what their scores are made of."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.report.chart_subjects import evaluation, made, rows_of
from tests.report.threshold_subjects import NAMES
from tests.report.threshold_subjects import evaluation as over_range

from properly import decompose, evaluate, tally
from properly.calibration import Decomposition
from properly.report._score_charts import plane_chart, risks_chart, roc_chart, source_chart
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from properly.report._vega import Spec


def test_roc_curves_are_those_of_the_library() -> None:
    rows = made(roc_chart, over_range()).spec["layer"][1]["data"]["values"]
    assert [row["model"] for row in rows] == list(NAMES)
    for row in rows:
        curve = over_range().roc[row["model"]]
        np.testing.assert_allclose(row["fpr"], curve.false_positive_rate, rtol=1e-4)
        np.testing.assert_allclose(row["tpr"], curve.true_positive_rate, rtol=1e-4)
        # At the first point nobody is acted on: no threshold is that high.
        assert row["from"][0] is None
        np.testing.assert_allclose(row["from"][1:], curve.threshold[1:], rtol=1e-4)


def test_areas_are_listed_and_told() -> None:
    e, chart = over_range(), made(roc_chart, over_range())
    listed = {row["model"]: row["auc"] for row in chart.spec["layer"][2]["data"]["values"]}
    assert listed == {n: pytest.approx(x.value, rel=1e-4) for n, x in e.aucs.items()}
    best = max(e.aucs.values(), key=lambda x: x.value)
    assert chart.alt.startswith(
        f"Area under the ROC curve, the greatest first: plain {best.value:.3f}, "
    )
    low, high = e.aucs["plain"].interval
    assert chart.table.head == ("model", "AUC", "95 % interval")
    assert chart.table.rows[0] == ("plain", f"{best.value:.4f}", f"{low:.4f} to {high:.4f}")


def test_bars_count_the_forecasts_of_events_and_of_others() -> None:
    rng = np.random.default_rng(1)
    p = np.round(rng.random(500), 3)
    y = rng.random(500) < p
    rows = made(risks_chart, evaluate(y, p, replicates=0)).spec["data"]["values"]
    assert [row["kind"] for row in rows] == ["event", "other"]
    for row, group in zip(rows, (p[y], p[~y]), strict=True):
        counts, _ = np.histogram(group, np.arange(31) / 30)
        kept = np.flatnonzero(counts)
        assert row["step"] == kept.tolist()
        np.testing.assert_allclose(row["part"], counts[kept] / len(group), rtol=1e-2)


def test_rare_events_have_a_scale_of_roots_and_shares_add_up_to_all() -> None:
    y, p = np.arange(200) % 40 == 0, np.linspace(0, 0.3, 200)
    found = made(risks_chart, evaluate(y, p, replicates=0))
    assert found.spec["spec"]["layer"][0]["encoding"]["x"]["scale"]["type"] == "sqrt"
    assert "square-root scale" in found.lead
    assert [sum(row["part"]) for row in found.spec["data"]["values"]] == pytest.approx([1, 1], 1e-2)


def test_the_numbers_are_mean_forecasts() -> None:
    y, p = np.array([0, 0, 1, 1]), np.array([0.1, 0.3, 0.4, 0.9])
    found = made(risks_chart, evaluate(y, {"m": p}, replicates=0))
    assert found.table.rows == [("m", "65.0 %", "20.0 %", "45.0 %")]
    assert found.alt.endswith("all others: m 65 % against 20 %.")


def points(panel: Spec) -> dict[str, Spec]:
    return {row["model"]: row for row in panel["layer"][-1]["data"]["values"]}


def of_parts(*decompositions: Decomposition) -> Any:
    """Put decompositions by the Brier score together as an evaluation."""
    named = {f"m{k}": {"brier": x} for k, x in enumerate(decompositions)}
    others = {"primary": "brier", "level": 0.95}
    return SimpleNamespace(decompositions=named, rules=(Brier(),), **others)


def test_points_are_those_of_the_decompositions() -> None:
    e = over_range()
    panels = made(plane_chart, e).spec["concat"]
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
    e = over_range()
    panel = made(plane_chart, e).spec["concat"][0]
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
    e = over_range(replicates=9)
    panel = made(plane_chart, e).spec["concat"][0]
    bars = panel["layer"][1]["data"]["values"]
    parts = e.decompositions["plain"][e.primary]
    assert parts.intervals is not None
    (across, up) = (bar for bar in bars if bar["model"] == "plain")
    ends = parts.intervals.miscalibration
    assert (across["x"], across["x2"]) == pytest.approx([max(end, 0) for end in ends], rel=1e-4)
    ends = parts.intervals.discrimination
    assert (up["y"], up["y2"]) == pytest.approx([max(end, 0) for end in ends], rel=1e-4)
    assert "Bars are 95 % intervals." in made(plane_chart, e).lead
    assert len(made(plane_chart, over_range()).spec["concat"][0]["layer"]) == 2
    assert "Bars" not in made(plane_chart, over_range()).lead


def test_infinite_miscalibration_is_said_and_not_drawn() -> None:
    wrong, right = tally([1, 0, 1], [0.0, 0.5, 0.5]), tally([1, 0, 1], [0.5, 0.4, 0.9])
    rules = Brier(), Log()
    parts = {
        name: {rule.name: decompose(t, rule) for rule in rules}
        for name, t in {"wrong": wrong, "right": right}.items()
    }
    e: Any = SimpleNamespace(decompositions=parts, rules=rules, primary="log", level=0.95)
    chart = made(plane_chart, e)
    assert [panel["title"]["text"] for panel in chart.spec["concat"]] == [
        "log score",
        "Brier score",
    ]
    assert list(points(chart.spec["concat"][0])) == ["right"]
    assert chart.lead.endswith("Infinite by the log score, and not drawn: wrong.")
    assert chart.table.rows[0][:4] == ("wrong", "log score", "∞", "∞")
    del parts["right"]
    e.rules = (Log(),)
    assert plane_chart(e) is None


def test_the_parts_add_up_in_words() -> None:
    e = of_parts(Decomposition(0.15625, 0.15625, 0.25, 0.25), Decomposition(0.2, 0.0, 0.05, 0.25))
    chart = made(plane_chart, e)
    assert chart.alt == (
        "Scores by the Brier score, as uncertainty plus miscalibration minus discrimination, the "
        "best first: "
        "m0 0.1562 = 0.2500 + 0.156 - 0.250; m1 0.2000 = 0.2500 + 0 - 0.0500."
    )
    assert chart.table.rows[1] == ("m1", "Brier score", "0.20000", "0.00000", "–", "0.05000", "–")


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


def test_the_table_has_the_factors_of_the_accuracy() -> None:
    chart = made(source_chart, evaluation())
    record = evaluation().means["plain"]
    row = chart.table.rows[0]
    assert row[0] == "plain"
    assert row[2] == f"{100 * record.mean_probability:.1f} %"
    assert float(row[-1]) == pytest.approx(record.divergence, rel=5e-3)
