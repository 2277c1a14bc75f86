"""Names and numbers: how they are written, that they fit, and where they stand."""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import combinations, pairwise

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text

from properly.plots._axes import APART, Picture, inks
from properly.plots._names import (
    STANDS,
    TURNED,
    Box,
    columns_for,
    digits_for,
    fold,
    inches,
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


def test_a_rare_event_has_more_decimals() -> None:
    assert [digits_for(scale) for scale in (0.25, 0.04, 0.00123, 1e-6, 0)] == [4, 4, 5, 8, 4]


def test_sizes_follow_the_font_of_the_user() -> None:
    with mpl.rc_context({"font.size": 20}):
        assert points() == 20
        assert points("small") == pytest.approx(16.66)
        wide = inches(["abc"])
    with mpl.rc_context({"font.size": 10}):
        assert wide == pytest.approx(2 * inches(["abc"]))
        assert inches(["abc", "one\ntwo three"]) == pytest.approx(9 * 0.6 * 10 / 72)


def test_a_name_is_broken_between_words_only() -> None:
    assert fold("incapacitating or higher", 1.3) == "incapacitating\nor higher"
    assert fold("incapacitating or higher", 9) == "incapacitating or higher"
    assert fold("incapacitating", 0.1) == "incapacitating"
    assert fold("a-b c", 0.3) == "a-b\nc"


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


def test_columns_are_as_wide_as_names_need() -> None:
    assert columns_for(["a", "b"], 0.6, 1.2) == (0.6, 0)
    step, depth = columns_for(["incapacitating or higher", "b"], 0.6, 1.4)
    assert 1.2 < step <= 1.4
    assert depth == pytest.approx(1.2 * points() / 72)  # one more line
    step, depth = columns_for(["Unbreakable" * 3, "b"], 0.6, 1.2)
    assert step == 0.6
    assert depth > 1  # turned, it hangs down


@pytest.mark.parametrize("side", ["bottom", "top"])
@pytest.mark.parametrize(("width", "turned"), [(8, False), (2, True)])
def test_names_are_turned_where_room_is_short(side: str, width: float, *, turned: bool) -> None:
    names = ["none", "incapacitating or higher", "killed"]
    ax = Figure(figsize=(width, 3)).add_subplot(xlim=(-0.5, 2.5))
    Picture(ax).name_columns(names, side=side)  # type: ignore[arg-type]
    ticks = ax.xaxis.get_major_ticks()
    labels = [tick.label1 if side == "bottom" else tick.label2 for tick in ticks]
    assert [label.get_text().replace("\n", " ") for label in labels] == names
    assert {label.get_rotation() for label in labels} == {TURNED if turned else 0}
    assert all(label.get_visible() for label in labels)


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
    picture = Picture(None)
    ax = picture.ax
    ink = inks(f"a score with a rather long name {k}" for k in range(count))
    for k, (name, look) in enumerate(ink.items()):
        picture.draw_curve(([0, 1], [0, 1 + k / 1000]), look, name)
    picture.name_ends()
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
    picture = Picture(ax)
    for k, (name, look) in enumerate(inks(["$low$", "high", "_middle", "top"]).items()):
        picture.draw_curve(([0, 1], [0, [0, 2, 1, 3][k]]), look, name)
    picture.name_ends()
    assert not ax.texts
    legend = ax.get_legend()
    assert legend is not None
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["top", "high", " _middle", r"\$low\$"]
    assert not any(text.get_usetex() for text in legend.get_texts())


def test_without_names_nothing_is_written() -> None:
    ax = Figure().add_subplot()
    picture = Picture(ax)
    picture.draw_curve(([0, 1], [0, 1]), inks([""])[""], "")
    picture.name_ends()
    assert not ax.texts
    assert ax.get_legend() is None


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
