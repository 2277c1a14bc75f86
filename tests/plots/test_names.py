"""Names and numbers as pictures print them, and letters on shades."""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from tests.plots.subjects import figure_of, legend_of, legend_texts

from properly.plots._axes import APART, DEEP, NOTHING, Picture, class_colors, ink_on, inks, shades
from properly.plots._names import (
    STANDS,
    Box,
    label_places,
    legible,
    number,
    points,
    spread,
    title_lines,
)

FRAME = (0.0, 0.0, 300.0, 260.0)
SIZE = (48.8, 12.0)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("logistic", "logistic"),
        ("$x$", r"\$x\$"),
        ("_hidden", " _hidden"),
        ("two\nlines", r"two\nlines"),
        ("a" * 30 + "b" * 30, "a" * 23 + "…" + "b" * 12),
    ],
)
def test_a_name_is_written_as_it_is(name: str, shown: str) -> None:
    assert legible(name) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.01234, ".0123"),
        (0, ".0000"),
        (-0.5, "−.5000"),
        (12.5, "12.5000"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "undefined"),
    ],
)
def test_a_number_is_written_as_journals_do(value: float, shown: str) -> None:
    assert number(value) == shown


def test_a_title_is_folded_or_smaller_but_not_wider_than_its_panel() -> None:
    for name in (
        "possible or higher",
        "a name of very many rather short words",
        "x" * 60,
        "W" * 40,
    ):
        ax = Figure(figsize=(8, 3)).add_subplot()
        Picture(ax).draw_title(name, 2.0)
        width = ax.title.get_window_extent().width / ax.figure.dpi
        assert width <= 2
        assert ax.get_title().count("\n") + 1 == title_lines([name], 2.0)
    assert title_lines(["a b", "x" * 60], 2.0) == 1
    assert title_lines(["short", "a name of very many rather short words"], 2.0) == 2


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


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 5, 30])
def test_names_in_a_figure_of_our_own_do_not_touch_and_are_whole(count: int) -> None:
    picture = Picture(None)
    ax = picture.ax
    ink = inks(f"a score with a rather long name {k}" for k in range(count))
    for k, (name, look) in enumerate(ink.items()):
        picture.draw_curve(([0, 1], [0, 1 + k / 1000]), look, name)
    picture.name_ends()
    figure = figure_of(ax)
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
    picture = Picture(ax)
    for k, (name, look) in enumerate(inks(["$low$", "high", "_middle", "top"]).items()):
        picture.draw_curve(([0, 1], [0, [0, 2, 1, 3][k]]), look, name)
    picture.name_ends()
    assert not ax.texts
    labels = legend_texts(ax)
    assert labels == ["top", "high", " _middle", r"\$low\$"]
    assert not any(text.get_usetex() for text in legend_of(ax).get_texts())


def overlap(one: Box, other: Box) -> bool:
    return all(max(one[k], other[k]) < min(one[k + 2], other[k + 2]) for k in (0, 1))


def test_a_name_stands_to_the_right_unless_the_frame_ends() -> None:
    assert label_places([(150, 100)], [SIZE], FRAME) == [STANDS[0]]
    (place,) = label_places([(290, 100)], [SIZE], FRAME)
    assert place.align == "right"


def test_names_of_points_close_together_do_not_overlap_and_keep_their_order() -> None:
    points = [(10.0, 60.0), (12.0, 53.0), (9.0, 75.0)]
    places = label_places(points, [SIZE] * 3, FRAME)
    boxes = [place.box(point, SIZE) for point, place in zip(points, places, strict=True)]
    assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
    assert boxes[1][1] < boxes[0][1] < boxes[2][1]


def test_a_name_avoids_a_bar() -> None:
    bar = (150.0, 99.0, 220.0, 101.0)
    (place,) = label_places([(150, 100)], [SIZE], FRAME, [bar])
    assert not overlap(place.box((150, 100), SIZE), bar)


WHITE, BLACK = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)


def luminance(rgb: Any) -> float:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_shades_go_from_white_to_the_deepest_and_nothing_is_grey() -> None:
    colors = shades([0, 1, np.nan])
    np.testing.assert_allclose(colors, [WHITE, to_rgb(DEEP), to_rgb(NOTHING)], atol=1e-15)
    ramp = [luminance(color) for color in shades(np.linspace(0, 1, 21))]
    assert np.all(np.diff(ramp) < 0)


@pytest.mark.parametrize("classes", [2, 3, 5, 10])
def test_the_order_of_classes_can_be_seen_without_colours(classes: int) -> None:
    light = np.array([luminance(color) for color in class_colors(classes)])
    assert np.all(np.diff(light) < 0)
    # As perceived, which goes with the cube root, all steps are alike and none is small.
    steps = -np.diff(np.cbrt(light))
    assert steps.min() > 0.5 * steps.max()
    assert steps.sum() > 0.5
    assert light[0] < 0.8  # can be told from paper


@pytest.mark.parametrize("share", np.linspace(0, 1, 11))
def test_letters_have_the_greater_contrast(share: float) -> None:
    color = shades(share)
    lightness = luminance(color)
    contrast = {"black": (lightness + 0.05) / 0.05, "white": 1.05 / (lightness + 0.05)}
    assert contrast[ink_on(color)] == max(contrast.values()) >= 4.5
