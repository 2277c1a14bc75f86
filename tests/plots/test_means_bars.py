"""Shares correct beside three means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.plots.subjects import CONTINUOUS, DISCRETE

from properly import plots, tally
from properly.probability import means

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ZERO = means(tally([0, 1, 1], [0.2, 0.0, 0.9]))
THREE = ("decisiveness", "mean_probability", "robustness")
RECORDS = {"one": means(CONTINUOUS), "other": means(DISCRETE), "zero": ZERO}
LONG = {f"model-of-a-long-name-{k}": one for k, one in enumerate(RECORDS.values())}


def marked(ax: Axes, gid: str) -> list[Any]:
    drawn = [line for line in ax.get_lines() if line.get_gid() == gid]
    return [np.asarray(line.get_xydata()).tolist() for line in drawn]


def numbers(ax: Axes) -> list[str]:
    side: Any = ax.child_axes[0]
    horizontal = len(side.get_xticks()) == 0
    labels = side.get_yticklabels() if horizontal else side.get_xticklabels()
    return [label.get_text() for label in labels]


def test_upright_bars_are_shares_correct_with_three_marks_and_a_line_that_joins_them() -> None:
    ax = plots.means_bars(RECORDS)
    heights = [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in ax.patches]  # type: ignore[attr-defined]
    np.testing.assert_allclose(
        heights, [(k, one.correct) for k, one in enumerate(RECORDS.values())], atol=1e-12
    )
    rows = list(enumerate(RECORDS.values()))
    for name in THREE:
        assert marked(ax, name) == [[[k, getattr(one, name)]] for k, one in rows]
    assert marked(ax, "reach") == [[[k, one.robustness], [k, one.decisiveness]] for k, one in rows]
    assert [label.get_text() for label in ax.get_xticklabels()] == list(RECORDS)
    assert ax.get_ylim() == (0, 1)


def test_bars_lie_where_names_are_long_and_the_first_is_on_top() -> None:
    ax = plots.means_bars(LONG)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(LONG)
    assert ax.yaxis_inverted()
    assert ax.get_xlim() == (0, 1)
    widths = [bar.get_width() for bar in ax.patches]  # type: ignore[attr-defined]
    assert widths == [one.correct for one in LONG.values()]
    rows = list(enumerate(LONG.values()))
    for name in THREE:
        assert marked(ax, name) == [[[getattr(one, name), k]] for k, one in rows]
    assert marked(ax, "reach") == [[[one.robustness, k], [one.decisiveness, k]] for k, one in rows]


@pytest.mark.parametrize("records", [RECORDS, LONG])
def test_mean_probabilities_are_printed_beside_the_bars(records: Any) -> None:
    ax = plots.means_bars(records)
    figure = ax.figure
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    assert numbers(ax) == [f"{one.mean_probability:.3f}" for one in records.values()]


def test_a_heading_stands_to_the_left_of_a_row_of_mean_probabilities_and_above_a_column() -> None:
    for horizontal in (False, True):
        ax = plots.means_bars(RECORDS, horizontal=horizontal)
        figure = ax.figure
        assert isinstance(figure, Figure)
        figure.draw_without_rendering()
        (heading,) = ax.texts
        assert heading.get_text() == "mean probability"
        word = heading.get_window_extent()
        side: Any = ax.child_axes[0]
        labels = side.get_yticklabels() if horizontal else side.get_xticklabels()
        first = labels[0].get_window_extent()
        if horizontal:
            assert word.y0 > first.y1
            assert word.x0 == pytest.approx(first.x0, abs=1)
        else:
            assert word.x1 < first.x0
            assert word.y0 == pytest.approx(first.y0, abs=1)
        assert word.x0 > 0
        assert word.x1 < figure.bbox.x1


def test_a_zero_is_drawn_at_zero_and_whole() -> None:
    ax = plots.means_bars({"zero": ZERO})
    assert marked(ax, "mean_probability") == [[[0, 0]]]
    assert marked(ax, "robustness") == [[[0, 0]]]
    assert marked(ax, "reach") == [[[0, 0], [0, ZERO.decisiveness]]]
    assert not any(line.get_clip_on() for line in ax.get_lines())
    # A bar that is alone is not as wide as the picture.
    assert ax.get_xlim() == (-1.5, 1.5)


def test_a_legend_says_what_is_what() -> None:
    said = ["share correct", "decisiveness", "mean probability", "robustness"]
    ax = plots.means_bars(RECORDS)
    figure = ax.figure
    assert isinstance(figure, Figure)
    shown: list[Any] = figure.legends[0].legend_handles[1:]
    assert [handle.get_marker() for handle in shown] == ["^", "D", "v"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == said
    given = Figure().add_subplot()
    assert plots.means_bars(RECORDS, given) is given
    legend = given.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == said
