"""Model against source."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from tests.plots.subjects import figure_of, legend_of, legend_texts

from properly import Cases, plots, tally
from properly.plots._axes import GREY, PALETTE, SLATE
from properly.probability import EqualCount, source_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RNG = np.random.default_rng(3)
P = RNG.random(200)
Y = (RNG.random(200) < 0.2 + 0.6 * P).astype(int)
TABLE = source_table(tally(Y, P), source=EqualCount(bins=5), precision=0.01)
ROWS = RNG.dirichlet(np.ones(10), 300)
TEN = Cases(np.array([RNG.choice(10, p=row) for row in ROWS]), ROWS)
THREE = ("robustness", "mean_probability", "decisiveness")


def marked(ax: Axes, gid: str) -> list[Any]:
    return [item for item in (*ax.get_lines(), *ax.collections) if item.get_gid() == gid]


def points(ax: Axes, gid: str) -> list[Any]:
    return [np.asarray(line.get_xydata()).tolist() for line in marked(ax, gid)]


def said(ax: Axes) -> dict[str, Any]:
    return {text.get_text(): text for text in ax.texts}


def written(ax: Axes) -> list[Any]:
    return [text for text in ax.texts if text.get_gid() == "name"]


def names(ax: Axes) -> list[str]:
    figure = figure_of(ax, drawn=False)
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def test_the_source_is_to_the_right_and_the_model_up() -> None:
    ax = plots.model_source(TABLE)
    assert ax.get_xlabel() == "source: how often it happened"
    assert ax.get_ylabel() == "model: probability given to it"
    assert ax.get_aspect() == 1
    assert ax.get_xlim() == ax.get_ylim() == (-0.02, 1.02)
    (diagonal,) = marked(ax, "diagonal")
    assert points(ax, "diagonal") == [[[0, 0], [1, 1]]]
    assert (diagonal.get_color(), diagonal.get_linestyle()) == (GREY, "--")


def test_bubbles_stand_at_source_and_accuracy_and_have_the_area_of_their_size() -> None:
    ax = plots.model_source(TABLE)
    drawn = marked(ax, "bubbles")
    scale = set()
    for bubbles, name, color in zip(drawn, ("event", "no event"), PALETTE, strict=False):
        here = [k for k, of in enumerate(TABLE.name) if of == name]
        here.sort(key=lambda k: -TABLE.size[k])
        np.testing.assert_array_equal(
            bubbles.get_offsets(),
            np.stack([TABLE.source[here], TABLE.mean_probability[here]], axis=1),
        )
        np.testing.assert_allclose(bubbles.get_facecolor()[0][:3], to_rgb(color))
        assert bubbles.get_facecolor()[0][3] < 0.3
        scale |= set(np.round(bubbles.get_sizes() / TABLE.size[here], 6))
    assert len(drawn) == 2
    assert len(scale) == 1
    behind = min(line.get_zorder() for gid in THREE for line in marked(ax, gid))
    assert all(bubbles.get_zorder() < behind for bubbles in drawn)


def test_bubbles_may_have_the_area_of_the_number_of_events() -> None:
    # The second bin was called impossible, and its event happened once.
    table = source_table(tally([0, 1, 1, 0, 1], [0.1, 0.9, 0.6, 0.4, 0.0]), source=EqualCount(2))
    ax = plots.model_source(table, size="events")
    areas = np.concatenate([bubbles.get_sizes() for bubbles in marked(ax, "bubbles")])
    there = np.sort(table.happened[table.happened > 0])
    np.testing.assert_allclose(np.sort(areas) / areas.max(), there / there.max())
    assert not marked(ax, "infinite")
    (legend,) = figure_of(ax, drawn=False).legends
    assert legend.get_title().get_text() == "bubbles: bins, area by number of true events"


def test_marks_are_the_three_means_of_all_and_of_each_class() -> None:
    ax = plots.model_source(TABLE)
    every: list[Any] = [*TABLE.means.classes.values(), TABLE.means]
    for name in THREE:
        assert points(ax, name) == [
            [[getattr(one.source, name), getattr(one.model, name)]] for one in every
        ]
        small, other, large = marked(ax, name)
        assert [small.get_color(), other.get_color()] == list(PALETTE[:2])
        assert small.get_markersize() < large.get_markersize()
    assert large.get_zorder() > max(small.get_zorder(), other.get_zorder())
    sizes = [marked(ax, name)[-1].get_markersize() for name in THREE]
    assert max(sizes) == sizes[1]
    assert [marked(ax, name)[0].get_marker() for name in THREE] == ["v", "D", "^"]


def test_overall_marks_are_named_with_their_values() -> None:
    ax = plots.model_source(TABLE)
    shown = said(ax)
    for name in THREE:
        text = shown[f"{name.replace('_', ' ')} {getattr(TABLE.means.model, name):.2f}"]
        assert text.xy == (getattr(TABLE.means.source, name), getattr(TABLE.means.model, name))
    assert len(shown) == 4


def test_names_do_not_touch_even_where_all_means_are_equal() -> None:
    ax = plots.model_source(source_table(tally([0, 1], [0.1, 0.9]), source=EqualCount(bins=1)))
    figure_of(ax)
    boxes = [Text.get_window_extent(text) for text in written(ax)]
    for one, other in combinations(boxes, 2):
        assert one.x1 <= other.x0 or other.x1 <= one.x0 or one.y1 <= other.y0 or other.y1 <= one.y0


def test_the_ray_ends_at_one_at_the_height_of_the_divergence_probability() -> None:
    ax = plots.model_source(TABLE)
    height = TABLE.means.divergence
    assert points(ax, "ray") == [[[0, 0], [1, height]]]
    assert said(ax)[f"P_div {height:.3f}"].xy == (1, height)
    # It passes through the mean probability.
    model, source = TABLE.means.mean_probability, TABLE.means.source.mean_probability
    assert model / source == pytest.approx(height)


def test_a_ray_above_one_is_shown_or_cut_off() -> None:
    def with_divergence(value: float) -> Axes:
        return plots.model_source(replace(TABLE, means=replace(TABLE.means, divergence=value)))

    ax = with_divergence(1.1)
    assert points(ax, "ray") == [[[0, 0], [1, 1.1]]]
    assert ax.get_ylim() == pytest.approx((-0.02, 1.12))
    assert marked(ax, "divergence")[0].get_marker() == "o"
    ax = with_divergence(2.0)
    np.testing.assert_allclose(points(ax, "ray")[0][1], [0.625, 1.25])
    assert ax.get_ylim() == pytest.approx((-0.02, 1.27))
    assert marked(ax, "divergence")[0].get_marker() == "^"
    assert "P_div 2.000" in said(ax)


def test_a_mean_probability_of_zero_lies_on_the_axis_and_its_bin_is_a_cross() -> None:
    table = source_table(tally([0, 1, 1, 0, 1], [0.1, 0.9, 0.6, 0.4, 0.0]))
    ax = plots.model_source(table)
    assert points(ax, "ray") == [[[0, 0], [1, 0]]]
    assert points(ax, "mean_probability")[-1][0][1] == 0
    assert {"P_div 0.000", "mean probability 0.00", "robustness 0.00"} <= set(said(ax))
    (cross,) = np.flatnonzero(np.isinf(table.size))
    assert points(ax, "infinite") == [[[table.source[cross], 0]]]
    # Of marks that meet there, the large ones hide no other.
    small, other, large = marked(ax, "mean_probability")
    assert small.get_ydata()[0] == 0 < other.get_ydata()[0]
    assert small.get_zorder() > large.get_zorder() > other.get_zorder()
    drawn = sum(len(bubbles.get_offsets()) for bubbles in marked(ax, "bubbles"))
    assert drawn == np.sum(table.happened > 0) - 1


def test_bins_without_events_and_classes_that_never_happened_are_left_out() -> None:
    p = np.tile([[0.5, 0.3, 0.2], [0.2, 0.6, 0.2]], (4, 1))
    table = source_table(Cases([0, 1] * 4, p), source=EqualCount(bins=2))
    ax = plots.model_source(table)
    drawn = sum(len(bubbles.get_offsets()) for bubbles in marked(ax, "bubbles"))
    assert drawn == np.sum(table.happened > 0) < len(table)
    assert names(ax) == ["0", "1"]


@pytest.mark.slow
def test_the_legend_has_all_classes_and_no_formula() -> None:
    assert names(plots.model_source(source_table(TEN))) == [str(k) for k in range(10)]
    labels = ["$x$", "_y", "two\nlines"]
    p = RNG.dirichlet(np.ones(3), 30)
    table = source_table(Cases(np.arange(30) % 3, p, labels=labels))
    assert names(plots.model_source(table)) == [r"\$x\$", " _y", r"two\nlines"]
    assert not any(text.get_usetex() for text in plots.model_source(table).texts)


def test_pooled_bins_have_a_colour_of_no_class() -> None:
    ax = plots.model_source(source_table(TEN, source=EqualCount(bins=6, pooled=True)))
    (bubbles,) = [item for item in marked(ax, "bubbles") if len(item.get_offsets())]
    np.testing.assert_allclose(bubbles.get_facecolor()[0][:3], to_rgb(SLATE))
    assert names(ax) == [*(str(k) for k in range(10)), "all"]


def test_a_given_axes_is_drawn_on_and_keeps_its_limits() -> None:
    figure = Figure()
    ax = figure.add_subplot(xlim=(0.2, 0.9), ylim=(0.1, 0.8))
    assert plots.model_source(TABLE, ax=ax) is ax
    assert (ax.get_xlim(), ax.get_ylim()) == ((0.2, 0.9), (0.1, 0.8))
    assert legend_texts(ax) == ["event", "no event"]
    assert not figure.legends
    # What lies outside is cut off, but in a whole picture bubbles and marks at its edge are whole.
    assert all(item.get_clip_on() for item in (*ax.get_lines(), *ax.collections))
    whole = plots.model_source(TABLE, figure.add_subplot())
    assert not any(item.get_clip_on() for item in whole.collections)


def test_a_legend_inside_keeps_away_from_the_names() -> None:
    ax = plots.model_source(TABLE, Figure().add_subplot())
    legend = legend_of(ax)
    figure_of(ax)
    box = legend.get_window_extent()
    assert len(written(ax)) == 3
    assert not any(Text.get_window_extent(text).overlaps(box) for text in written(ax))


def test_a_small_picture_has_small_bubbles_and_names_that_do_not_touch() -> None:
    small, large = (
        plots.model_source(TABLE, Figure((side, side)).add_subplot()) for side in (2.5, 6)
    )
    box = small.get_window_extent()
    side = min(box.width, box.height) * 72 / small.figure.dpi
    # Bubbles have their usual area from a side of 230 points on.
    sizes = [marked(ax, "bubbles")[0].get_sizes() for ax in (small, large)]
    np.testing.assert_allclose(sizes[0], sizes[1] * (side / 230) ** 2)
    figure_of(small)
    boxes = [Text.get_window_extent(text) for text in small.texts if text.get_gid() == "name"]
    assert len(boxes) == 3
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[k + 1 :])
