"""Reliability diagrams, ROC curves, the triptych, and parts of scores in a plane."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from tests.plots.subjects import CONTINUOUS, DISCRETE, figure_of, legend_of, legend_texts, lines_of

from properly import decompose, plots, reliability, tally
from properly.calibration import Decomposition, binned_reliability
from properly.counts._histogram import Histogram
from properly.decisions import murphy_curve, roc_curve
from properly.errors import DataError
from properly.inference import Band
from properly.rules import Brier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")


RECORD = reliability(tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))


def ribbons(ax: Axes) -> list[PolyCollection]:
    return [c for c in ax.collections if isinstance(c, PolyCollection)]


def test_the_line_goes_through_the_corners_of_the_curve() -> None:
    lines = plots.reliability({"model": RECORD}).get_lines()
    curve = next(line for line in lines if line.get_label() == "model")
    np.testing.assert_array_equal(curve.get_xydata(), np.stack(RECORD.curve(), axis=1))


def test_models_on_one_axes_share_its_diagonal_and_leave_its_limits() -> None:
    ax = Figure().add_subplot(xlim=(0, 0.2))
    for _ in range(2):
        plots.reliability(RECORD, ax)
    assert len(lines_of(ax, "diagonal")) == 1
    assert ax.get_xlim() == (0, 0.2)


def test_discrete_forecasts_are_dots_and_others_segments() -> None:
    record = reliability(DISCRETE)
    ax = plots.reliability(record)
    np.testing.assert_array_equal(ax.get_lines()[-1].get_xdata(), record.value)
    np.testing.assert_array_equal(ax.get_lines()[-1].get_ydata(), record.recalibrated)
    assert not ax.collections
    record = reliability(CONTINUOUS)
    (segments,) = plots.reliability(record).collections
    assert isinstance(segments, LineCollection)
    assert len(segments.get_segments()) == len(record.bins)


@pytest.mark.parametrize("limits", [(0, 1), (0, 0.2)])
def test_the_tallest_bar_has_a_fifth_of_the_height(limits: tuple[float, float]) -> None:
    record = reliability(CONTINUOUS)
    ax = plots.reliability(record, limits=limits)
    height = [bar.get_height() for bar in ax.patches]  # type: ignore[attr-defined]
    np.testing.assert_allclose(
        height, 0.2 * record.histogram.weight / record.histogram.weight.max()
    )
    # In shares of the picture, whatever part of the axis it shows.
    bottom, top = ax.patches[int(np.argmax(height))].get_window_extent().intervaly
    np.testing.assert_allclose(top - bottom, 0.2 * ax.get_window_extent().height)


def test_a_band_is_a_ribbon_along_its_outline() -> None:
    band = Band(
        np.array([0.1, 0.5, 0.9]), np.zeros(3), np.ones(3), "cells", 0.9, "simultaneous", None, True
    )
    ax = plots.reliability(replace(RECORD, band=band))
    (ribbon,) = ribbons(ax)
    corners = np.asarray(ribbon.get_paths()[0].vertices).tolist()
    x, lower, upper = band.outline()
    for bound in (lower, upper):
        assert all([a, b] in corners for a, b in zip(x, bound, strict=True))
    assert ribbon.get_label() == "90 % simultaneous band"


def test_only_a_model_that_is_alone_has_a_band_and_a_histogram() -> None:
    record = reliability(CONTINUOUS, band="consistency", rng=1, replicates=20)
    pair = {"one": record, "two": record}
    ax = plots.reliability(record)
    assert len(ribbons(ax)) == 1
    assert ax.patches
    ax = plots.reliability(pair)
    assert not ribbons(ax)
    assert not ax.patches
    ax = plots.reliability(pair, histogram=True)
    assert len(ax.patches) == 2 * len(record.histogram.weight)
    assert not plots.reliability(record, histogram=False).patches


@pytest.mark.parametrize(
    ("weight", "height", "named"),
    [
        ([1, 1000], [2, 2000], ["1,000 cases", "100", "10", "1"]),
        ([10**6, 0], [2 * 10**6, 1], ["1,000,000 cases", "10,000", "100", "1"]),
        ([0.05, 0.05], [2, 2], []),
    ],
)
def test_bars_are_logarithmic_from_half_a_case(weight: Any, height: Any, named: Any) -> None:
    bars = Histogram(np.array([0.1, 0.2]), np.array([0.2, 0.3]), np.array(weight))
    ax = plots.reliability(replace(RECORD, histogram=bars), histogram="log")
    shown = [bar.get_height() for bar in ax.patches]  # type: ignore[attr-defined]
    np.testing.assert_allclose(shown, 0.2 * np.log(height) / np.log(max(height)))
    assert [text.get_text() for text in ax.texts] == named
    decades = [float(name.split()[0].replace(",", "")) for name in named]
    up = [text.xy[1] for text in ax.texts]  # type: ignore[attr-defined]
    np.testing.assert_allclose(up, 0.2 * np.log(2 * np.array(decades)) / np.log(max(height)))


def test_discrimination_is_seen_from_the_event_rate_and_not_from_the_diagonal() -> None:
    record = reliability(CONTINUOUS, band="consistency", rng=1, replicates=20)
    ax = plots.reliability(record, part="discrimination")
    assert not ribbons(ax)
    levels = [line.get_ydata() for line in ax.get_lines() if line.get_linestyle() == "--"]
    np.testing.assert_array_equal(levels, [[record.event_rate] * 2])
    (stems,) = (c for c in ax.collections if c.get_transform() == ax.get_yaxis_transform())
    (start, y), (end, _) = np.moveaxis(np.array(stems.get_segments()), 0, 2)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(y, record.bins.event_rate)
    np.testing.assert_allclose(end - start, 0.2 * record.bins.weight / record.bins.weight.max())
    sides = [text for child in ax.child_axes for text in child.get_xticklabels()]
    assert "mean .441" in [text.get_text() for text in sides]
    confident = replace(record, band=replace(record.band, kind="confidence"))  # type: ignore[type-var]
    assert ribbons(plots.reliability(confident, part="discrimination"))
    pair = plots.reliability({"one": record, "two": record}, part="discrimination")
    assert not pair.child_axes
    grid = plots.reliability_grid({"one": record, "two": record}, part="discrimination")
    assert [len(one.child_axes) for one in grid] == [2, 2]
    wrong: list[dict[str, Any]] = [{"part": "score"}, {"histogram": "linear"}]
    for option in wrong:
        with pytest.raises(DataError, match=f"{next(iter(option))} must be"):
            plots.reliability(record, **option)


def test_several_models_are_named_and_the_legend_avoids_them() -> None:
    low = reliability(tally([1, 1, 0, 1, 1], [0.1, 0.12, 0.13, 0.14, 0.3]))
    ax = plots.reliability({"low": low, "other": low})
    assert legend_texts(ax) == ["low", "other"]
    box, frame = legend_of(ax).get_window_extent(), ax.get_window_extent()
    assert box.x0 > (frame.x0 + frame.x1) / 2  # lower right: these curves lie in the upper left


def test_the_parts_of_the_score_are_printed() -> None:
    ax = plots.reliability(RECORD, decomposition=Decomposition(0.3, 0.1, 0.05, 0.25))
    assert [text.get_text() for text in ax.texts] == ["MCB\nDSC\nUNC", ".1000\n.0500\n.2500"]
    ax = plots.reliability(RECORD, decomposition=Decomposition(np.inf, np.inf, 0.05, 0.25))
    assert ax.texts[1].get_text() == "∞\n.0500\n.2500"
    with pytest.raises(DataError, match="one decomposition belongs to one curve; got 2 curves"):
        plots.reliability({"a": RECORD, "b": RECORD}, decomposition=decompose(DISCRETE, Brier()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("models", "columns", "rows"),
    [(1, None, 1), (3, None, 1), (4, None, 2), (5, None, 2), (3, 1, 3)],
)
def test_a_grid_has_one_diagram_a_model(models: int, columns: int | None, rows: int) -> None:
    records = {f"${k}": RECORD for k in range(models)}
    parts = {"$0": decompose(DISCRETE, Brier())}
    axes = plots.reliability_grid(records, decompositions=parts, columns=columns, limits=(0, 0.5))
    assert [ax.get_title() for ax in axes] == [rf"\${k}" for k in range(models)]
    assert [len(ax.texts) for ax in axes] == [2] + [0] * (models - 1)
    assert {ax.get_xlim() for ax in axes} == {axes[0].get_xlim()} == {(-0.01, 0.51)}
    figure = axes[0].figure
    assert len(figure.axes) == models
    figure.draw_without_rendering()
    boxes = np.array([ax.get_window_extent().bounds for ax in axes])
    np.testing.assert_allclose(boxes[:, 2:], boxes[0, 2], rtol=1e-6)
    assert len(np.unique(boxes[:, 1].round(3))) == rows


def test_points_lie_at_the_mean_forecast_and_the_event_rate_of_each_bin() -> None:
    record = binned_reliability(CONTINUOUS, bins=5)
    ax = plots.binned_reliability(record)
    expected = np.stack([record.mean_forecast, record.event_rate], axis=1)
    np.testing.assert_array_equal(ax.get_lines()[-1].get_xydata(), expected)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("forecast", "event rate")


def test_bars_show_the_weight_of_each_bin() -> None:
    record = binned_reliability(CONTINUOUS, bins=5)
    bars = plots.binned_reliability(record).patches
    np.testing.assert_allclose([bar.get_x() for bar in bars], record.lower)  # type: ignore[attr-defined]
    height = np.array([bar.get_height() for bar in bars])  # type: ignore[attr-defined]
    np.testing.assert_allclose(height, 0.2 * record.weight / record.weight.max())
    pair = {"5 bins": record, "2 bins": binned_reliability(CONTINUOUS, bins=2)}
    assert not plots.binned_reliability(pair).patches


def test_a_band_of_bins_is_a_bar_per_bin_of_a_record_that_is_alone() -> None:
    record = binned_reliability(CONTINUOUS, bins=5, band="consistency", replicates=20, rng=1)
    assert record.band is not None
    (bars,) = plots.binned_reliability(record).collections
    assert isinstance(bars, LineCollection)
    expected = [record.band.lower, record.band.upper]
    np.testing.assert_array_equal(np.array(bars.get_segments())[:, :, 1].T, expected)
    assert not plots.binned_reliability({"one": record, "two": record}).collections


def test_the_line_is_the_curve_in_a_square() -> None:
    curve = roc_curve(CONTINUOUS)
    ax = plots.roc(curve)
    (line,) = lines_of(ax)
    np.testing.assert_array_equal(line.get_xdata(), curve.false_positive_rate)
    np.testing.assert_array_equal(line.get_ydata(), curve.true_positive_rate)
    assert ax.get_aspect() == 1


def test_the_legend_says_of_which_curve_the_area_is() -> None:
    raw, hull = roc_curve(CONTINUOUS), roc_curve(CONTINUOUS, hull=True)
    areas = [f"{curve.area:.3f}"[1:] for curve in (raw, hull)]
    shown = legend_texts(plots.roc({"raw": raw, "$": hull}))
    assert shown == [f"raw, AUC {areas[0]}", rf"\$, hull area {areas[1]}"]
    assert legend_texts(plots.roc(raw)) == [f"AUC {areas[0]}"]


def test_a_band_is_a_polygon_of_a_curve_that_is_alone() -> None:
    curve = roc_curve(CONTINUOUS, band="confidence")
    assert curve.band is not None
    (polygon,) = plots.roc(curve).patches
    assert isinstance(polygon, Polygon)
    np.testing.assert_array_equal(polygon.get_xy(), np.stack(curve.band.outline(), axis=1))
    assert not plots.roc({"one": curve, "two": curve}).patches


def test_precision_against_recall_has_steps_a_band_and_the_event_rate() -> None:
    curve = roc_curve(CONTINUOUS, band="confidence")
    ax = plots.roc(curve, precision_recall=True)
    (line,) = lines_of(ax)
    assert line.get_drawstyle() == "steps-pre"
    np.testing.assert_array_equal(line.get_ydata(), curve.precision)
    said = f"average precision {curve.average_precision:.3f}".replace(" 0", " ")
    assert legend_texts(ax) == [said]
    (polygon,) = ax.patches
    assert np.isfinite(polygon.get_path().vertices).all()
    assert any(np.allclose(x.get_ydata(), CONTINUOUS.event_rate) for x in ax.lines)


TALLIES = {"_first": CONTINUOUS, "$second$": DISCRETE}


def colors(ax: Axes) -> list[object]:
    return [line.get_color() for line in lines_of(ax)]


def test_a_model_has_one_colour_in_all_panels_and_there_is_one_legend() -> None:
    left, middle, right = plots.triptych(
        {name: murphy_curve(t) for name, t in TALLIES.items()},
        {name: reliability(t) for name, t in reversed(TALLIES.items())},
        {name: roc_curve(t) for name, t in TALLIES.items()},
    )
    assert colors(left) == colors(middle)[::-1] == colors(right)
    figure = figure_of(left, drawn=False)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [" _first", r"\$second\$"]
    areas = legend_of(right)
    assert [text.get_text()[:4] for text in areas.get_texts()] == ["AUC ", "AUC "]
    assert left.get_legend() is middle.get_legend() is None


def test_panels_are_square_and_nothing_is_cut_off() -> None:
    axes = plots.triptych(
        {"m" * 200: murphy_curve(CONTINUOUS)},
        {"m" * 200: reliability(CONTINUOUS)},
        {"m" * 200: roc_curve(CONTINUOUS)},
    )
    figure = figure_of(axes[0])
    for ax in axes:
        box = ax.get_window_extent()
        assert abs(box.width - box.height) < 0.5
        around = ax.get_tightbbox()
        assert around is not None
        assert around.y1 <= figure.bbox.y1
    assert axes[0].get_xlim() == (0, 1)
    assert axes[2].get_xlim() == (-0.02, 1.02)


UNC = 0.25


def parts(miscalibration: float, discrimination: float) -> Decomposition:
    score = miscalibration - discrimination + UNC
    return Decomposition(score, miscalibration, discrimination, UNC)


GOOD, POOR = parts(0.01, 0.08), parts(0.04, 0.02)


def edges(ax: Axes) -> list[str]:
    upper, outer = cast("Any", ax.child_axes)
    return [t.get_text() for t in (*upper.get_xticklabels(), *outer.get_yticklabels())]


def test_points_lie_at_miscalibration_and_discrimination() -> None:
    ax = plots.mcb_dsc({"good": GOOD, "poor": POOR})
    points = [(line.get_xdata(), line.get_ydata()) for line in lines_of(ax, "model")]
    np.testing.assert_array_equal(points, [[[0.01], [0.08]], [[0.04], [0.02]]])
    assert [text.get_text() for text in ax.texts] == ["good", "poor"]
    np.testing.assert_allclose([ax.get_xlim(), ax.get_ylim()], [(0, 0.0448), (0, 0.0896)])


def test_lines_of_equal_score_have_slope_one_and_their_score_at_the_end() -> None:
    ax = plots.mcb_dsc({"good": GOOD, "poor": POOR})
    lines = lines_of(ax, "isoline")
    data = [np.asarray(line.get_xydata()) for line in lines]
    for (x, y), (end, top) in data:
        np.testing.assert_allclose(top - y, end - x)
    scores = sorted(round(UNC + x - y, 12) for (x, y), _ in data)
    labels = edges(ax)
    assert len(labels) == len(lines)
    assert "UNC .2500" in labels
    assert sorted(float(label) for label in labels if label[0] == ".") == [
        score for score in scores if score != UNC
    ]
    # The line of no skill starts at the origin and stands out.
    (origin,) = [line for line, (start, _) in zip(lines, data, strict=True) if not start.any()]
    assert origin.get_linewidth() == max(line.get_linewidth() for line in lines)


def test_an_infinite_miscalibration_is_a_triangle_on_the_edge() -> None:
    ax = plots.mcb_dsc({"good": GOOD, "sure": parts(math.inf, 0.05)})
    point = lines_of(ax, "model")[1]
    assert point.get_marker() == ">"
    assert np.asarray(point.get_xydata()).tolist() == [[ax.get_xlim()[1], 0.05]]
    assert ax.texts[1].get_text() == "sure (MCB ∞)"
    assert ax.get_xlim()[1] == pytest.approx(0.0112)
    lone = plots.mcb_dsc(parts(math.inf, 0.05))
    assert lone.get_xlim() == lone.get_ylim()


@pytest.mark.slow
def test_intervals_are_bars_across_the_point_and_inside_the_picture() -> None:
    interval: Any = SimpleNamespace(miscalibration=(0.005, 0.02), discrimination=(0.06, 0.1))
    endless: Any = SimpleNamespace(miscalibration=(0.03, math.inf), discrimination=(0.01, 0.03))
    models = {"good": replace(GOOD, intervals=interval), "poor": replace(POOR, intervals=endless)}
    ax = plots.mcb_dsc(models)
    bars = [np.asarray(line.get_xydata()).tolist() for line in lines_of(ax, "interval")]
    assert bars[:2] == [[[0.005, 0.08], [0.02, 0.08]], [[0.01, 0.06], [0.01, 0.1]]]
    assert bars[2] == [[0.03, 0.02], [ax.get_xlim()[1], 0.02]]
    assert ax.get_ylim()[1] == pytest.approx(0.112)


def test_a_point_outside_its_interval_is_joined_to_it() -> None:
    interval: Any = SimpleNamespace(miscalibration=(0, 0.006), discrimination=(0.06, 0.1))
    ax = plots.mcb_dsc({"good": replace(GOOD, intervals=interval)})
    (dots,) = [line for line in ax.get_lines() if line.get_linestyle() == ":"]
    assert np.asarray(dots.get_xydata()).tolist() == [[0.006, 0.08], [0.01, 0.08]]


def test_names_of_near_points_do_not_overlap() -> None:
    models = {f"model number {k}": parts(0.02 + 0.0005 * k, 0.05 + 0.0005 * k) for k in range(4)}
    ax = plots.mcb_dsc(models | {"far": parts(0.05, 0.09)})
    figure_of(ax)
    boxes = [text.get_window_extent() for text in ax.texts]
    frame = ax.get_window_extent()
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[k + 1 :])
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in boxes)
