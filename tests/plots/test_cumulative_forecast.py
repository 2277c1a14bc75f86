"""Cumulative probabilities of a forecast against those of the outcome."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from properly import plots
from properly.decisions import cumulative_forecast

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.decisions._single_cases import CumulativeForecast

NEAR = cumulative_forecast(0, [0.25, 0.75, 0])
FAR = cumulative_forecast(0, [0.25, 0, 0.75])
GRADES = ["none", "possible", "incapacitating", "killed"]
LATE = cumulative_forecast("incapacitating", [0.4, 0.3, 0.2, 0.1], GRADES)


def line(ax: Axes, gid: str) -> Any:
    (artist,) = (x for x in ax.get_lines() if x.get_gid() == gid)
    return artist


def squares(ax: Axes) -> list[Rectangle]:
    return [x for x in ax.patches if isinstance(x, Rectangle) and x.get_gid() == "squares"]


def written(ax: Axes) -> list[str]:
    (upper,) = ax.child_axes
    return [label.get_text() for label in upper.get_xticklabels()]


def caption(ax: Axes) -> str:
    (upper,) = ax.child_axes
    return upper.get_xlabel()


@pytest.mark.parametrize("record", [NEAR, FAR, LATE])
def test_the_steps_are_the_cumulative_probabilities(record: CumulativeForecast) -> None:
    ax = plots.cumulative_forecast(record)
    for gid, steps in {"curve": record.cumulative, "outcome": record.step}.items():
        drawn = line(ax, gid)
        assert drawn.get_drawstyle() == "steps-post"
        np.testing.assert_array_equal(drawn.get_xdata()[1:-1], np.arange(len(record.p)))
        np.testing.assert_array_equal(drawn.get_ydata()[1:-1], steps)
        assert drawn.get_ydata()[0] == 0
        np.testing.assert_allclose(drawn.get_ydata()[-1], 1)


@pytest.mark.parametrize("record", [NEAR, FAR, LATE])
def test_the_dark_share_of_a_column_is_the_squared_difference(record: CumulativeForecast) -> None:
    areas = squares(plots.cumulative_forecast(record))
    np.testing.assert_array_equal(
        [square.get_width() * square.get_height() for square in areas], record.squared
    )
    for k, square in enumerate(areas):
        assert k <= square.get_x() <= square.get_x() + square.get_width() <= k + 1
        between = sorted([record.cumulative[k], record.step[k]])
        ends = [square.get_y(), square.get_y() + square.get_height()]
        np.testing.assert_allclose(ends, between, atol=1e-15)


def test_the_numbers_are_written_and_their_mean_before_them() -> None:
    assert written(plots.cumulative_forecast(NEAR)) == [".5625", ".0000"]
    assert caption(plots.cumulative_forecast(FAR)) == "RPS .5625 is the mean of"
    both = plots.cumulative_forecast(FAR, absolute=True)
    assert caption(both) == "sa-RPS .5625\nRPS .5625 is the mean of"
    assert NEAR.squared_absolute_rps == 0.140625
    assert caption(plots.cumulative_forecast(NEAR, absolute=True)).startswith("sa-RPS .1406\n")


def test_several_have_panels_side_by_side_on_one_scale() -> None:
    axes = plots.cumulative_forecast({"near": NEAR, "far": FAR})
    assert [ax.get_title() for ax in axes] == ["near", "far"]
    figure = axes[0].figure
    figure.draw_without_rendering()
    left, right = (ax.get_window_extent() for ax in axes)
    assert left.x1 < right.x0
    assert (left.y0, left.y1) == (right.y0, right.y1)
    assert left.width == pytest.approx(right.width)
    assert axes[0].get_ylim() == axes[1].get_ylim() == (-0.02, 1.02)
    assert axes[0].get_xlim() == axes[1].get_xlim() == (-0.35, 2.35)
    assert [caption(ax)[:9] for ax in axes] == ["RPS .2812", "RPS .5625"]


def test_a_given_axes_is_drawn_on_and_has_its_legend_where_there_is_room() -> None:
    for record, early in ((NEAR, True), (LATE, False)):
        ax = Figure().add_subplot()
        assert plots.cumulative_forecast(record, ax) is ax
        plots.cumulative_forecast(record, ax)
        ax.figure.draw_without_rendering()  # type: ignore[union-attr]
        legend = ax.get_legend()
        assert legend is not None
        labels = [text.get_text() for text in legend.get_texts()]
        assert labels == ["forecast", "outcome", "difference", "its square"]
        box, frame = legend.get_window_extent(), ax.get_window_extent()
        assert (box.x0 > (frame.x0 + frame.x1) / 2) == early
        assert (box.y0 < (frame.y0 + frame.y1) / 2) == early


@pytest.mark.slow
@pytest.mark.parametrize("size", [8, 10, 16])
def test_a_figure_of_its_own_has_one_legend_below(size: float) -> None:
    with mpl.rc_context({"font.size": size}):
        axes = plots.cumulative_forecast({"near": NEAR, "far": FAR})
        figure = axes[0].figure
        figure.draw_without_rendering()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert box.y1 < axes[0].get_window_extent().y0
    assert figure.bbox.x0 <= box.x0 <= box.x1 <= figure.bbox.x1
    assert all(ax.get_legend() is None for ax in axes)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3, 10])
def test_long_labels_are_whole_and_do_not_touch(classes: int) -> None:
    labels = [f"very long class label no. {k}" for k in range(classes)]
    record = cumulative_forecast(labels[1], np.full(classes, 1 / classes), labels)
    ax = plots.cumulative_forecast(record)
    figure = ax.figure
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    names = ax.get_xticklabels()
    assert [name.get_text().replace("\n", " ") for name in names] == labels
    paper = figure.bbox
    for name in names:
        box = name.get_window_extent()
        assert paper.x0 <= box.x0 <= box.x1 <= paper.x1
        assert paper.y0 <= box.y0
    if names[0].get_rotation() == 0:
        boxes = [name.get_window_extent() for name in names]
        assert all(a.x1 < b.x0 for a, b in pairwise(boxes))
