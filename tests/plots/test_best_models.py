"""Which model is best where: differences with a band, maps and ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from tests.plots.subjects import figure_of, key_texts, legend_of, legend_texts, lines_of, parts_of

from properly import Cases, plots, tally
from properly.decisions import best_by_range, dominance, rank_by_threshold
from properly.plots import range_map, threshold_ranks
from properly.plots._axes import GREY, PALETTE, inks
from properly.plots._best_models import BESIDE, GREYS, PALEST
from properly.plots._threshold_scale import PLAIN

if TYPE_CHECKING:
    from matplotlib.axes import Axes


RNG = np.random.default_rng(5)
Q = RNG.uniform(size=2000)
Y = RNG.random(2000) < Q
TRUTH, NOISE = Cases(Y, Q), Cases(Y, RNG.permutation(Q))
DOMINANCE = dominance(TRUTH, NOISE, replicates=99, rng=1)
NAMES = ("truth", "noise")


def line(ax: Axes, gid: str) -> Any:
    (artist,) = lines_of(ax, gid)
    return artist


def sides(ax: Axes) -> list[tuple[str, float]]:
    """Return the words at the right end, and on which side of zero they stand."""
    texts: list[Any] = [text for text in ax.texts if text.get_gid() == "side"]
    return [(text.get_text(), text.xyann[1]) for text in texts]


def test_the_difference_is_a_line_where_it_has_a_band_and_dotted_elsewhere() -> None:
    ax = plots.dominance(DOMINANCE, names=NAMES)
    banded = np.isfinite(DOMINANCE.upper)
    assert 0 < banded.sum() < len(banded)
    solid = line(ax, "curve").get_ydata()
    np.testing.assert_array_equal(solid[banded], DOMINANCE.difference[banded])
    assert np.isnan(solid[~banded]).all()
    np.testing.assert_array_equal(line(ax, "no band").get_ydata(), DOMINANCE.difference)
    assert line(ax, "no band").get_linestyle() == ":"
    assert key_texts(ax) == [
        "truth better",
        "95 % band for all thresholds at once",
        "no band: fewer than 10 events, or non-events, judged differently",
    ]


def test_the_band_has_no_height_where_too_few_cases_differ() -> None:
    ax = plots.dominance(DOMINANCE)
    (band,) = parts_of(ax, "band")
    corners = np.concatenate([np.asarray(path.vertices) for path in band.get_paths()])
    banded = np.isfinite(DOMINANCE.upper)
    assert corners[:, 0].min() == DOMINANCE.threshold[banded][0]
    assert corners[:, 0].max() == DOMINANCE.threshold[banded][-1]
    assert set(DOMINANCE.upper[banded]) <= set(corners[:, 1])
    assert set(DOMINANCE.lower[banded]) <= set(corners[:, 1])


def test_ranges_are_shaded_in_the_colour_of_the_better_model() -> None:
    for record, color, runs in (
        (DOMINANCE, PALETTE[0], DOMINANCE.better),
        (dominance(NOISE, TRUTH, replicates=99, rng=1), PALETTE[1], DOMINANCE.better),
        (DOMINANCE.as_net_benefit(), PALETTE[0], DOMINANCE.better),
    ):
        shaded = parts_of(plots.dominance(record), "better")
        ends = [(x.get_x(), x.get_x() + x.get_width()) for x in shaded]
        np.testing.assert_allclose(ends, runs)
        assert {x.get_facecolor()[:3] for x in shaded} == {to_rgb(color)}


def test_each_name_stands_where_its_model_is_better() -> None:
    assert sides(plots.dominance(DOMINANCE, names=NAMES)) == [
        ("noise\nbetter", 3),
        ("truth\nbetter", -3),
    ]
    ax = plots.dominance(DOMINANCE.as_net_benefit(), names=NAMES)
    assert sides(ax) == [("truth\nbetter", 3), ("noise\nbetter", -3)]
    assert ax.get_ylabel() == "difference in net benefit"
    assert plots.dominance(DOMINANCE.on_regret_scale()).get_ylabel() == "difference in regret"
    assert sides(plots.dominance(DOMINANCE))[1][0] == "first model\nbetter"


def test_zero_has_room_on_both_sides_unless_the_owner_decides() -> None:
    bottom, top = plots.dominance(DOMINANCE).get_ylim()
    assert min(-bottom, top) / (top - bottom) > 0.12
    assert bottom < np.nanmin(DOMINANCE.lower)
    ax = Figure().add_subplot(ylim=(-2, 1), xlim=(0.2, 0.4))
    assert plots.dominance(DOMINANCE, ax) is ax
    assert ax.get_ylim() == (-2, 1)
    assert ax.get_xlim() == (0.2, 0.4)


def test_a_band_at_a_single_threshold_is_a_line_with_a_dot() -> None:
    record = dominance(TRUTH, NOISE, thresholds=[0.001, 0.5, 0.999], replicates=99, rng=1)
    assert np.isfinite(record.upper).tolist() == [False, True, False]
    ax = plots.dominance(record)
    assert np.asarray(line(ax, "alone").get_xydata()).tolist() == [[0.5, record.difference[1]]]
    bars = parts_of(ax, "band")
    assert [[0.5, record.lower[1]], [0.5, record.upper[1]]] in [
        path.vertices.tolist() for bar in bars for path in bar.get_paths()
    ]
    assert len(parts_of(ax, "better")) == 1
    one = dominance(TRUTH, NOISE, thresholds=[0.5], replicates=99, rng=1)
    assert plots.dominance(one).get_xlim() == (0, 1)


def test_names_are_text_and_long_ones_leave_room_to_the_picture() -> None:
    ax = plots.dominance(DOMINANCE, names=("$x$", "</script>"))
    assert [words for words, _ in sides(ax)] == ["</script>\nbetter", "\\$x\\$\nbetter"]
    given = Figure(layout="constrained").add_subplot()
    plots.dominance(DOMINANCE, given, names=("two\nlines", "x" * 60))
    assert [words for words, _ in sides(given)] == [
        "x" * 11 + "…" + "x" * 6 + "\nbetter",
        "two\\nlines\nbetter",
    ]


HALF = [0, 0, 1, 1]
BOLD, SHY = [0.1, 0.6, 0.6, 0.9], [0.1, 0.2, 0.2, 0.9]
EDGES = [0.2, 0.4, 0.5, 0.6]
RANGES = best_by_range(
    {"bold": tally(HALF, BOLD), "shy": tally(HALF, SHY)},
    edges=EDGES,
    baselines=False,
)


def mesh(ax: Axes) -> QuadMesh:
    (artist,) = parts_of(ax, "best")
    assert isinstance(artist, QuadMesh)
    return artist


def tints(ax: Axes) -> Any:
    """Return the colours of the cells, the lower end of the range first."""
    return np.asarray(mesh(ax).get_array()).transpose(1, 0, 2)


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


@pytest.mark.slow
def test_ranges_within_two_standard_errors_are_hatched() -> None:
    cases = {"bold": Cases(HALF, BOLD), "shy": Cases(HALF, SHY)}
    ranges = best_by_range(cases, edges=EDGES)
    assert not parts_of(range_map(replace(ranges, standard_error=None)), "undecided")
    error = np.full((4, 4), np.nan)
    error[0, 1:] = [ranges.margin[0, 1] / 1.9, ranges.margin[0, 2] / 2.1, np.nan]
    error[1:] = 0
    ax = range_map(replace(ranges, standard_error=error))
    figure_of(ax)
    (collection,) = parts_of(ax, "undecided")
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
    assert not parts_of(certain, "undecided")
    assert "margin below 2 standard errors" not in legend_texts(certain)


def test_a_key_says_how_wide_the_widest_margin_is() -> None:
    (key,) = range_map(RANGES).child_axes
    assert [label.get_text() for label in key.get_xticklabels()] == ["0", ".1000"]
    same = best_by_range(
        {"a": tally(HALF, SHY), "b": tally(HALF, SHY)},
        edges=EDGES,
        baselines=False,
    )
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


def test_names_are_text_and_long_ones_stand_beside_the_map() -> None:
    hostile = ("$\\alpha$", "x" * 200)
    models = dict(zip(hostile, (tally(HALF, BOLD), tally(HALF, SHY)), strict=True))
    ranges = best_by_range(models, edges=EDGES, baselines=False)
    ax = range_map(ranges)
    figure_of(ax)
    assert legend_texts(ax) == [r"\$\alpha\$", "x" * 23 + "…" + "x" * 12]
    names = legend_of(ax)
    assert not any(text.get_usetex() for text in names.get_texts())
    box, frame = names.get_window_extent(), ax.get_window_extent()
    assert box.x0 >= frame.x1 - 10
    assert box.x1 <= ax.figure.get_window_extent().x1 + 1
    inside = range_map(RANGES)
    figure_of(inside)
    inner = legend_of(inside)
    assert inner.get_window_extent().x1 <= inside.get_window_extent().x1


TWO = {
    "bold": tally(HALF, [0.1, 0.6, 0.6, 0.9]),
    "shy": tally(HALF, [0.1, 0.2, 0.2, 0.9]),
}
RANKS = rank_by_threshold(TWO)


def names(ax: Axes) -> list[Any]:
    return list(ax.child_axes[0].get_yticklabels())


def test_each_model_is_a_level_at_its_rank_from_change_to_change() -> None:
    bold, shy = lines_of(threshold_ranks(RANKS))
    x, y = np.array(bold.get_data())
    half = BESIDE / 2
    np.testing.assert_array_equal(x[~np.isnan(x)], [0, 0.2, 0.2, 0.5, 0.5, 0.6, 0.6, 1])
    np.testing.assert_allclose(
        y[~np.isnan(y)], np.repeat([1.5 - half, 1, 2, 1.5 - half], 2), rtol=1e-15
    )
    np.testing.assert_array_equal(np.isnan(x), [False, False, True] * 4)
    # Where both share a rank, the second runs beside the first.
    assert np.nanmax(np.abs(np.array(shy.get_data())[1] - (3 - y))) < 1e-15


def test_rank_one_is_on_top_and_every_rank_has_a_tick() -> None:
    ax = threshold_ranks(RANKS)
    bottom, top = ax.get_ylim()
    assert bottom > 2
    assert top < 1
    assert ax.get_yticks().tolist() == [1, 2]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("threshold", "rank by regret")
    assert ax.get_xlim() == (0, 1)


def test_names_stand_at_the_end_in_the_order_of_the_ranks_there() -> None:
    ax = threshold_ranks(rank_by_threshold(TWO, within=(0.3, 0.55)))
    assert [label.get_text() for label in names(ax)] == ["shy", "bold"]
    assert [label.get_color() for label in names(ax)] == [PALETTE[1], PALETTE[0]]
    # An end on a change shows what comes before it.
    ends = rank_by_threshold(TWO, within=(0.1, 0.5))
    assert names(threshold_ranks(ends))[0].get_text() == "bold"


def test_baselines_are_grey_and_leave_the_palette_to_models() -> None:
    ink = inks(["treat all", "a", "event rate", "b"], own=PLAIN)
    assert [ink[name].color for name in ("a", "b")] == list(PALETTE[:2])
    assert ink["treat all"].color == ink["event rate"].color == GREY
    assert ink["treat all"].linestyle != ink["event rate"].linestyle
    assert (
        inks(["treat all", "a"], {"treat all": "#123456"}, own=PLAIN)["treat all"].color
        == "#123456"
    )
    assert inks(["treat all", "a"], "#123456", own=PLAIN)["a"].color == "#123456"
