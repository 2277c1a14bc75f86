"""Reliability diagrams, also with bins chosen beforehand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from tests.plots.subjects import CONTINUOUS, DISCRETE

from properly import decompose, plots, reliability, tally
from properly.calibration import Decomposition, binned_reliability
from properly.errors import DataError
from properly.inference import Band
from properly.rules import Brier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RECORD = reliability(tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]))


def ribbons(ax: Axes) -> list[PolyCollection]:
    return [c for c in ax.collections if isinstance(c, PolyCollection)]


def test_the_line_goes_through_the_corners_of_the_curve() -> None:
    lines = plots.reliability(RECORD, label="model").get_lines()
    curve = next(line for line in lines if line.get_label() == "model")
    np.testing.assert_array_equal(curve.get_xydata(), np.stack(RECORD.curve(), axis=1))


def test_models_on_one_axes_share_its_diagonal_and_leave_its_limits() -> None:
    ax = Figure().add_subplot(xlim=(0, 0.2))
    for _ in range(2):
        plots.reliability(RECORD, ax)
    assert len([line for line in ax.get_lines() if line.get_gid() == "diagonal"]) == 1
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


def test_only_a_model_that_is_alone_has_a_band_and_a_histogram_unless_asked() -> None:
    record = reliability(CONTINUOUS, band="consistency", rng=1, replicates=20)
    pair = {"one": record, "two": record}
    ax = plots.reliability(record)
    assert len(ribbons(ax)) == 1
    assert ax.patches
    ax = plots.reliability(pair)
    assert not ribbons(ax)
    assert not ax.patches
    ax = plots.reliability(pair, band=True, histogram=True)
    assert len(ribbons(ax)) == 2
    assert len(ax.patches) == 2 * len(record.histogram.weight)
    ax = plots.reliability(record, band=False, histogram=False)
    assert not ribbons(ax)
    assert not ax.patches


def test_several_models_are_named_and_the_legend_avoids_them() -> None:
    low = reliability(tally([1, 1, 0, 1, 1], [0.1, 0.12, 0.13, 0.14, 0.3]))
    ax = plots.reliability({"low": low, "other": low})
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["low", "other"]
    box, frame = legend.get_window_extent(), ax.get_window_extent()
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


def test_titles_of_a_grid_do_not_reach_into_the_next_panel() -> None:
    names = ["nonincapacitating or higher", "a grade with a longer name or higher", "W" * 30]
    axes = plots.reliability_grid(dict.fromkeys(names, RECORD))
    axes[0].figure.draw_without_rendering()
    boxes = [ax.title.get_window_extent() for ax in axes]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    assert [ax.get_title().replace("\n", " ") for ax in axes] == names
    assert axes[0].get_title() == names[0]  # in one line
    assert axes[1].get_title().count("\n") == 1


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
