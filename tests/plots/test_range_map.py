"""Which model is best over which range, as a map."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from scipy.special import expit
from tests.plots.subjects import legend_texts

from properly import Cases, tally
from properly.decisions import best_by_range
from properly.plots import range_map
from properly.plots._axes import PALETTE
from properly.plots._best_models import GREYS, PALEST

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Y = [0, 0, 1, 1]
BOLD, SHY = [0.1, 0.6, 0.6, 0.9], [0.1, 0.2, 0.2, 0.9]
EDGES = [0.2, 0.4, 0.5, 0.6]
RANGES = best_by_range({"bold": tally(Y, BOLD), "shy": tally(Y, SHY)}, edges=EDGES, baselines=False)


def mesh(ax: Axes) -> QuadMesh:
    (artist,) = (x for x in ax.collections if x.get_gid() == "best")
    assert isinstance(artist, QuadMesh)
    return artist


def tints(ax: Axes) -> Any:
    """Return the colours of the cells, the lower end of the range first."""
    return np.asarray(mesh(ax).get_array()).transpose(1, 0, 2)


def hatched(ax: Axes) -> list[Any]:
    return [x for x in ax.collections if x.get_gid() == "undecided"]


def saved(ax: Axes) -> None:
    assert isinstance(ax.figure, Figure)
    ax.figure.draw_without_rendering()


def test_a_cell_has_the_colour_of_the_best_and_the_tint_of_its_margin() -> None:
    cells = tints(range_map(RANGES))
    widest = np.nanmax(RANGES.margin)
    for i in range(4):
        for j in range(4):
            if j <= i:
                assert cells[i, j, 3] == 0
                continue
            strength = PALEST + (1 - PALEST) * np.sqrt(RANGES.margin[i, j] / widest)
            full = np.array(to_rgb(PALETTE[RANGES.best[i, j]]))
            np.testing.assert_allclose(cells[i, j], [*(1 - strength * (1 - full)), 1], rtol=1e-12)
    # The widest margin has the colour of the legend itself.
    assert widest == RANGES.margin[0, 1]
    np.testing.assert_allclose(cells[0, 1, :3], to_rgb(PALETTE[0]), rtol=1e-12)


def test_a_cell_lies_around_its_pair_of_edges() -> None:
    corners = np.asarray(mesh(range_map(RANGES)).get_coordinates())
    np.testing.assert_allclose(corners[0, :, 0], [0.1, 0.3, 0.45, 0.55, 0.65], rtol=1e-12)
    np.testing.assert_allclose(corners[:, 0, 1], corners[0, :, 0])


def test_on_log_odds_borders_are_half_way_in_log_odds() -> None:
    edges = np.concatenate([[0], expit([-3.0, -2, -1, 0]), [1]])
    ranges = best_by_range({"a": tally(Y, BOLD), "b": tally(Y, SHY)}, edges=edges, prior="logit")
    ax = range_map(ranges, axis="log-odds")
    saved(ax)
    corners = np.asarray(mesh(ax).get_coordinates())
    # The edges at 0 and 1 are infinitely far away.
    expected = expit([-3.5, -2.5, -1.5, -0.5, 0.5])
    np.testing.assert_allclose(corners[0, :, 0], expected, rtol=1e-12)
    assert ax.get_xlim() == ax.get_ylim()
    assert ax.get_ylabel() == "upper end of the range (log-odds scale)"


@pytest.mark.slow
def test_ranges_within_two_standard_errors_are_hatched() -> None:
    cases = {"bold": Cases(Y, BOLD), "shy": Cases(Y, SHY)}
    ranges = best_by_range(cases, edges=EDGES)
    assert not hatched(range_map(replace(ranges, standard_error=None)))
    error = np.full((4, 4), np.nan)
    error[0, 1:] = [ranges.margin[0, 1] / 1.9, ranges.margin[0, 2] / 2.1, np.nan]
    error[1:] = 0
    ax = range_map(replace(ranges, standard_error=error))
    saved(ax)
    (collection,) = hatched(ax)
    borders = np.asarray(mesh(ax).get_coordinates())[0, :, 0]
    centres = [path.vertices[:4].mean(axis=0) for path in collection.get_paths()]
    drawn = np.zeros((4, 4), dtype=bool)
    drawn[tuple(np.searchsorted(borders, np.transpose(centres)) - 1)] = True
    tied = ranges.margin == 0
    expected = tied.copy()
    expected[0, 1:] = [True, False, True]
    np.testing.assert_array_equal(drawn, expected)
    assert legend_texts(ax)[-1] == "margin below 2 standard errors"
    certain = range_map(replace(ranges, standard_error=np.full((4, 4), -1.0)))
    assert not hatched(certain)
    assert "margin below 2 standard errors" not in legend_texts(certain)


def test_only_winners_in_view_are_named() -> None:
    assert legend_texts(range_map(RANGES)) == ["bold", "shy"]
    ax = range_map(RANGES, limits=(0.2, 0.5))
    assert legend_texts(ax) == ["bold"]
    assert (ax.get_xlim(), ax.get_ylim()) == ((0.2, 0.5), (0.2, 0.5))
    assert tints(ax).shape == (3, 3, 4)


def test_a_key_says_how_wide_the_widest_margin_is() -> None:
    (key,) = range_map(RANGES).child_axes
    assert [label.get_text() for label in key.get_xticklabels()] == ["0", ".1000"]
    same = best_by_range({"a": tally(Y, SHY), "b": tally(Y, SHY)}, edges=EDGES, baselines=False)
    ax = range_map(same)
    assert not ax.child_axes
    assert tints(ax)[0, 1, 3] == 1


def test_baselines_have_colours_of_their_own() -> None:
    poor = tally([0, 0, 0, 1], [0.9, 0.9, 0.9, 0.05])
    ranges = best_by_range({"poor": poor}, edges=[0.1, 0.2, 0.3, 0.6])
    ax = range_map(ranges)
    handles = ax.get_legend().legend_handles  # type: ignore[union-attr]
    drawn = {
        name: handle.get_facecolor()[:3]
        for name, handle in zip(legend_texts(ax), handles, strict=True)
    }
    assert drawn == {name: to_rgb(color) for name, color in GREYS.items()}
    chosen = range_map(ranges, color={"treat none": "#123456"})
    handle = chosen.get_legend().legend_handles[1]  # type: ignore[union-attr]
    assert handle.get_facecolor()[:3] == to_rgb("#123456")  # type: ignore[union-attr]


def test_names_are_text_and_long_ones_stand_beside_the_map() -> None:
    hostile = ("$\\alpha$", "x" * 200)
    models = dict(zip(hostile, (tally(Y, BOLD), tally(Y, SHY)), strict=True))
    ranges = best_by_range(models, edges=EDGES, baselines=False)
    ax = range_map(ranges)
    saved(ax)
    assert legend_texts(ax) == [r"\$\alpha\$", "x" * 23 + "…" + "x" * 12]
    names = ax.get_legend()
    assert names is not None
    assert not any(text.get_usetex() for text in names.get_texts())
    box, frame = names.get_window_extent(), ax.get_window_extent()
    assert box.x0 >= frame.x1 - 10
    assert box.x1 <= ax.figure.get_window_extent().x1 + 1
    inside = range_map(RANGES)
    saved(inside)
    inner = inside.get_legend()
    assert inner is not None
    assert inner.get_window_extent().x1 <= inside.get_window_extent().x1
