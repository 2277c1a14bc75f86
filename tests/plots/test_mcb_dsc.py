"""Miscalibration against discrimination."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.plots.subjects import lines_of

from properly import plots
from properly.calibration import Decomposition

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    figure = ax.figure
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    frame = ax.get_window_extent()
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[k + 1 :])
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in boxes)
