"""Names at the right ends of curves."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text

from properly.plots._axes import draw_curve, inks, plain_axes
from properly.plots._names import APART, name_ends, points, spread


@pytest.mark.slow
def test_pictures_load_no_optimizer_before_one_is_drawn() -> None:
    code = "import properly, properly.plots, sys; print('scipy.optimize' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603
    assert run.stdout.split() == ["False"]


@given(st.lists(st.floats(0, 100), min_size=1, max_size=9), st.floats(0.1, 10))
def test_heights_are_apart_in_order_and_inside(height: list[float], gap: float) -> None:
    before = np.array(height)
    after = spread(before, gap, 0, 100)
    order = np.argsort(before, kind="stable")
    assert np.all(np.diff(after[order]) >= gap - 1e-9)
    assert after.min() >= -1e-9
    assert after.max() <= 100 + 1e-9


def test_heights_that_are_apart_stay_and_two_that_touch_share_the_way() -> None:
    np.testing.assert_array_equal(spread(np.array([10.0, 50, 30]), 15, 0, 100), [10, 50, 30])
    np.testing.assert_allclose(spread(np.array([52.0, 50, 10]), 10, 0, 100), [56, 46, 10])
    np.testing.assert_allclose(spread(np.array([99.0, 99]), 10, 0, 100), [90, 100])


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 5, 30])
def test_names_in_a_figure_of_our_own_do_not_touch_and_are_whole(count: int) -> None:
    ax = plain_axes(None)
    ink = inks(f"a score with a rather long name {k}" for k in range(count))
    for k, (name, look) in enumerate(ink.items()):
        draw_curve(ax, ([0, 1], [0, 1 + k / 1000]), look, name)
    name_ends(ax, own=True)
    figure = ax.figure
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    # Without the lines that lead to the names.
    boxes = sorted((Text.get_window_extent(x) for x in ax.texts), key=lambda box: box.y0)
    assert len(boxes) == count
    paper = figure.bbox
    for box in boxes:
        assert box.x1 <= paper.x1
        assert paper.y0 <= box.y0
        assert box.y1 <= paper.y1
    gaps = [above.y0 - below.y0 for below, above in pairwise(boxes)]
    assert min(gaps) > 0.95 * APART * points() * figure.dpi / 72
    assert ax.get_window_extent().width > 150


def test_elsewhere_more_names_than_fit_stand_in_a_legend_by_height() -> None:
    ax = Figure(figsize=(4, 0.6)).add_subplot()
    for k, (name, look) in enumerate(inks(["$low$", "high", "_middle", "top"]).items()):
        draw_curve(ax, ([0, 1], [0, [0, 2, 1, 3][k]]), look, name)
    name_ends(ax, own=False)
    assert not ax.texts
    legend = ax.get_legend()
    assert legend is not None
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["top", "high", " _middle", r"\$low\$"]
    assert not any(text.get_usetex() for text in legend.get_texts())


def test_without_names_nothing_is_written() -> None:
    ax = Figure().add_subplot()
    draw_curve(ax, ([0, 1], [0, 1]), inks([""])[""], "")
    name_ends(ax, own=False)
    assert not ax.texts
    assert ax.get_legend() is None
