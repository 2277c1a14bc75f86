"""Ranks of models at each threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from properly import tally
from properly.counts import baselines
from properly.decisions import rank_by_threshold
from properly.plots import threshold_ranks
from properly.plots._axes import GREY, PALETTE, inks
from properly.plots._best_models import BESIDE
from properly.plots._threshold_scale import PLAIN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

Y = [0, 0, 1, 1]
TWO = {"bold": tally(Y, [0.1, 0.6, 0.6, 0.9]), "shy": tally(Y, [0.1, 0.2, 0.2, 0.9])}
RANKS = rank_by_threshold(TWO)


def levels(ax: Axes) -> list[Line2D]:
    return [line for line in ax.get_lines() if line.get_gid() == "curve"]


def names(ax: Axes) -> list[Any]:
    return list(ax.child_axes[0].get_yticklabels())


def saved(ax: Axes) -> None:
    assert isinstance(ax.figure, Figure)
    ax.figure.draw_without_rendering()


def test_each_model_is_a_level_at_its_rank_from_change_to_change() -> None:
    bold, shy = levels(threshold_ranks(RANKS))
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
    cut = threshold_ranks(RANKS, limits=(0.1, 0.4))
    assert [label.get_text() for label in names(cut)] == ["bold", "shy"]
    assert cut.get_xlim() == (0.1, 0.4)
    # An end on a change shows what comes before it.
    assert names(threshold_ranks(RANKS, limits=(0.1, 0.5)))[0].get_text() == "bold"


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


def test_on_log_odds_a_level_from_zero_begins_where_the_picture_does() -> None:
    t = tally([0, 0, 1, 1], [0.02, 0.3, 0.3, 0.9])
    ranks = rank_by_threshold({"model": t, **baselines(t)})
    ax = threshold_ranks(ranks, axis="log-odds", limits=(0.01, 0.8))
    saved(ax)
    assert ax.get_xlim() == (0.01, 0.8)
    assert ax.get_xlabel() == "threshold (log-odds scale)"
    for line in levels(ax):
        x = np.asarray(line.get_xdata())
        assert np.nanmin(x) == 0.01
        assert np.nanmax(x) == 0.9
        assert (np.diff(x[~np.isnan(x)]) >= 0).all()
    wide = threshold_ranks(ranks, axis="log-odds", limits=(0.01, 0.95))
    assert {np.nanmax(np.asarray(line.get_xdata())) for line in levels(wide)} == {0.95}
