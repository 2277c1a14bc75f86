"""A leaderboard, one row a forecaster."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.boards import board, mixed_board
from tests.plots.subjects import ends_of, key_texts, texts_of

from properly import plots
from properly.plots._axes import GREY, PALETTE
from properly.plots._board_plot import FULL, MOST, misleads

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.comparison import Leaderboard


def shades(ax: Axes) -> list[float]:
    return [x.get_alpha() or 0.0 for x in ax.patches if x.get_gid() == "tier"]


def test_one_row_a_forecaster_with_score_ranks_and_answers() -> None:
    record = board(6)
    ax = plots.leaderboard(record)
    names = [x.forecaster for x in record]
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    assert ends_of(ax, "value") == {k: [x.score] for k, x in enumerate(record)}
    assert ends_of(ax, "interval") == {k: list(x.interval) for k, x in enumerate(record)}
    assert texts_of(ax, "rank") == ["1", "2", "3", "4", "5", "6", "rank"]
    first, last = record.standings[0].rank_interval or (0, 0)
    assert texts_of(ax, "may be")[0] == (f"{first} to {last}" if first < last else str(first))
    assert texts_of(ax, "tier")[:-1] == [str(x.tier) for x in record]
    assert texts_of(ax, "answered")[:-1] == [f"{100 * x.coverage:.0f} %" for x in record]
    assert ax.get_xlabel() == "Brier score on all 120 questions (lower is better)"
    assert ax.yaxis_inverted()


def test_bars_are_as_long_as_the_share_of_the_questions() -> None:
    record = board(6)
    ax = plots.leaderboard(record)
    bars: dict[str, list[Any]] = {
        gid: [x for x in ax.patches if x.get_gid() == gid] for gid in ("answered", "all")
    }
    shares = [72 * x.get_width() / FULL for x in bars["answered"]]
    assert shares == pytest.approx([x.coverage for x in record])
    assert {72 * x.get_width() for x in bars["all"]} == {FULL}


def test_a_tier_has_one_shade_and_the_first_is_the_deepest() -> None:
    record = board(6)
    drawn = shades(plots.leaderboard(record))
    shade = {x.tier or 0: alpha for x, alpha in zip(record, drawn, strict=True)}
    assert [shade[x.tier or 0] for x in record] == drawn
    assert len(shade) >= 2
    assert [shade[tier] for tier in sorted(shade)] == sorted(set(drawn), reverse=True)


def test_raw_means_are_marked_where_they_mislead() -> None:
    record = board(6)
    off = [k for k, x in enumerate(record) if misleads(x)]
    assert 0 < len(off) < 6
    ax = plots.leaderboard(record)
    marks = ends_of(ax, "raw")
    assert [int(row) for row in marks] == off
    assert list(marks.values()) == [[record.standings[k].raw] for k in off]
    said = "mean of what it answered, where these questions were hard or easy"
    assert said in key_texts(ax)
    none = [replace(x, raw=x.score, selection=0.0) for x in record]
    ax = plots.leaderboard(replace(record, standings=tuple(none)))
    assert not ends_of(ax, "raw")
    assert said not in key_texts(ax)


def test_rounding_does_not_mislead() -> None:
    constant = replace(board(2).standings[0], score=0.25, standard_error=1e-17)
    assert not misleads(replace(constant, raw=0.25, selection=8e-17))
    assert misleads(replace(constant, raw=0.26, selection=0.01))
    assert not misleads(replace(constant, selection=np.nan, standard_error=np.nan))


def colors(ax: Axes) -> list[Any]:
    drawn: list[Any] = [line for line in ax.get_lines() if line.get_gid() == "value"]
    return [line.get_color() for line in drawn]


def led(record: Leaderboard, ranks: tuple[tuple[int, int], ...]) -> Leaderboard:
    rows = zip(record.standings, ranks, strict=True)
    return replace(record, standings=tuple(replace(x, rank_interval=y) for x, y in rows))


def test_best_is_said_only_of_one_whose_rank_can_be_no_other() -> None:
    two = board(2)
    ax = plots.leaderboard(led(two, ((1, 1), (2, 2))))
    assert key_texts(ax)[:2] == ["best (95 % sure)", "another is shown to be better"]
    assert colors(ax) == [PALETTE[0], GREY]
    ax = plots.leaderboard(led(two, ((1, 2), (1, 2))))
    assert key_texts(ax)[0] == "may be best (95 % sure)"
    assert colors(ax) == [PALETTE[0], PALETTE[0]]


def test_who_is_not_ranked_stands_below_a_line() -> None:
    record = mixed_board()
    ax = plots.leaderboard(record)
    ranked = len(record.ranked)
    assert [label.get_text() for label in ax.get_yticklabels()][ranked:] == [
        "crowd (mean)",
        "seldom",
    ]
    assert list(ends_of(ax, "line")) == [ranked - 0.5]
    assert texts_of(ax, "rank")[ranked:] == ["", "", "rank"]
    assert ends_of(ax, "crowd") == {0.0: [record.crowd[0].score] * 2}
    assert "crowd (mean), made of the others and not ranked" in key_texts(ax)
    assert "not ranked: too few questions shared with anybody" in key_texts(ax)


def test_an_infinite_score_is_said() -> None:
    record = mixed_board()
    ax = plots.leaderboard(record)
    assert texts_of(ax, "words") == ["infinite: certain and wrong"]
    row = [x.forecaster for x in record.ranked].index("sure")
    assert row == len(record.ranked) - 1
    assert row not in ends_of(ax, "value")
    absent = replace(record.standings[-1], score=np.nan, interval=(np.nan, np.nan))
    ax = plots.leaderboard(replace(record, standings=(*record.standings[:-1], absent)))
    assert texts_of(ax, "words") == ["infinite: certain and wrong", "no answer"]


@pytest.mark.slow
def test_of_many_the_first_are_drawn_and_the_others_counted() -> None:
    record = board(3)
    many = tuple(replace(record.standings[0], forecaster=f"f{k}") for k in range(300))
    ax = plots.leaderboard(replace(record, standings=many))
    assert len(ends_of(ax, "value")) == MOST
    assert texts_of(ax, "words") == ["the first 40 of 300 forecasters are drawn"]
    assert ax.get_ylim() == (MOST + 0.5, -0.5)
    ax = plots.leaderboard(replace(record, standings=many[:MOST]))
    assert texts_of(ax, "words") == []


def test_names_do_not_reach_into_ranks_or_rows() -> None:
    ax = plots.leaderboard(board(4, names=("x" * 80, "W" * 36, "a", "b")))
    figure: Any = ax.figure
    figure.draw_without_rendering()
    names = [label.get_window_extent() for label in ax.get_yticklabels()]
    tiers = [text.get_window_extent() for text in ax.texts if text.get_gid() == "tier"]
    assert max(x.x1 for x in names) < ax.get_window_extent().x0
    assert max(x.x1 for x in tiers) < min(x.x0 for x in names)


def test_questions_that_all_answered_are_called_so() -> None:
    ax = plots.leaderboard(replace(board(3), missing="complete", questions=7))
    assert ax.get_xlabel() == "Brier score on 7 questions that all answered (lower is better)"
