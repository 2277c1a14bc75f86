"""A leaderboard, one row a forecaster: scores, ranks they may have, and how much they answered."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from properly._boundary._notices import import_extra
from properly._boundary._text import many
from properly._boundary._tolerances import SAME_SUM
from properly.comparison._leaderboard_record import Leaderboard
from properly.plots._axes import GREY, PALETTE, SLATE, TEXT, legend_patch, legible, require
from properly.plots._names import names_of, points
from properly.plots._row_axes import (
    SIDE,
    THICK,
    DotLook,
    draw_key,
    draw_value,
    hide_empty,
    key_dot,
    key_line,
    name_rows,
    row_axes,
    say_in_row,
    show_rows,
    show_span,
    write_columns,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from properly.comparison._leaderboard_record import Standing

# Forecasters that are drawn at most; a row below says of how many.
MOST = 40
FIRST, LATER = DotLook(PALETTE[0]), DotLook(GREY)
CROWD, UNRANKED = DotLook(PALETTE[2], "s"), DotLook(GREY, filled=False)
RAW = DotLook(PALETTE[1], "^")
# How far below the middle of its row, and how large in points, the raw mean is marked.
LOWER, MARK = 0.3, 4.0
# How strong the shade of the first tier is, and how much of it each later one has.
SHADE, FADING = 0.2, 0.5
# Points of a bar that is full, and its share of the height of a row.
FULL, HIGH = 44, 0.34


class BoardRows(NamedTuple):
    """The rows of a picture: the best first, and those that are not ranked at the end."""

    board: Leaderboard
    ranked: tuple[Standing, ...]
    apart: tuple[Standing, ...]

    @property
    def rows(self) -> tuple[Standing, ...]:
        """All forecasters that are drawn."""
        return (*self.ranked, *self.apart)


def leaderboard(record: Leaderboard, ax: Axes | None = None) -> Axes:
    """Draw scores of forecasters, ranks they may have, and how much they answered.

    One row is one forecaster, the best on top. The dot is the score that it would have on all
    questions, with its interval; beside its name stand its rank and the ranks that it may have.
    The bar on the right is the share of the questions that it answered. Rows of one tier have one
    shade. A triangle is the mean loss on the questions that were answered, where that misleads: it
    is more than a standard error off, since they were hard or easy. Below the line stand those that
    are not ranked: crowds, and forecasters with few answers.

    Parameters
    ----------
    record : Leaderboard
        From `properly.leaderboard`. Of more than 40 forecasters, the first 40 are drawn.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Whether two are told apart is seen by ranks and tiers, not by whether intervals overlap: those
    who answer the same questions are compared on them, and hard questions are hard for both.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> tournament = properly.datasets.tournament()
    >>> ax = plots.leaderboard(properly.leaderboard(tournament.answers, rng=1))
    >>> ax.get_yticklabels()[0].get_text()
    'Ada'
    """
    shown = _checked(record)
    is_cut = len(record) > MOST
    count, names = len(shown.rows) + is_cut, names_of(x.forecaster for x in shown.rows)
    ranks, answered = _ranks(shown), {"answered": [f"{100 * x.coverage:.0f} %" for x in shown.rows]}
    handles = _key(shown)
    own = ax is None
    if ax is None:
        sides = [max(x, key=len) for x in (names, *({**ranks, **answered}.values()))]
        ax = row_axes(count, [*sides, "m" * 12], len(handles) + 1)
    size = show_rows(ax, count, striped=False)
    write_columns(ax, ranks, size, _name_rows(ax, names, size))
    _draw_shares(ax, shown, write_columns(ax, answered, size))
    _show_scores(ax, shown)
    for row, standing in enumerate(shown.rows):
        _draw_row(ax, row, standing, _look(shown, row), size)
    if is_cut:
        words = f"the first {MOST} of {many(len(record), 'forecaster')} are drawn"
        say_in_row(ax, count - 1, words, size)
    draw_key(ax, handles, own=own)
    return ax


def _checked(record: Leaderboard) -> BoardRows:
    require(record, Leaderboard, "properly.leaderboard(answers)")
    every = record.standings[:MOST]
    ranked = tuple(x for x in every if x.rank is not None)
    apart = (*record.crowd, *every[len(ranked) :])
    return BoardRows(record, ranked, apart)


def _name_rows(ax: Axes, names: Sequence[str], size: float) -> float:
    """Write names beside the ranks, where they begin; return how far they reach in points."""
    name_rows(ax, names, size)
    labels = ax.get_yticklabels()
    # Letters are a little wider or narrower at other resolutions.
    reach = SIDE + 1.05 * max(x.get_window_extent().width for x in labels) * 72 / ax.figure.dpi
    ax.tick_params(axis="y", pad=reach)
    for label in labels:
        label.set_horizontalalignment("left")
    return reach


def _ranks(shown: BoardRows) -> dict[str, list[str]]:
    """Write ranks and tiers; who has none has nothing there."""
    return {
        "rank": ["" if x.rank is None else str(x.rank) for x in shown.rows],
        "may be": [ranks_in_words(x) for x in shown.rows],
        "tier": ["" if x.tier is None else str(x.tier) for x in shown.rows],
    }


def ranks_in_words(standing: Standing) -> str:
    """Write which ranks a forecaster may have: 1 to 4, or 1 alone."""
    if standing.rank_interval is None:
        return ""
    first, last = standing.rank_interval
    return f"{first}" if first == last else f"{first} to {last}"


def misleads(standing: Standing) -> bool:
    """Tell whether the mean of the answered questions is more than a standard error off."""
    # Of who says the same each time, there is no error but that of rounding.
    least = max(standing.standard_error, SAME_SUM * abs(standing.score))
    return abs(standing.selection) > least


def may_be_best(standing: Standing) -> bool:
    """Tell whether no other is shown to be better."""
    return standing.rank_interval is not None and standing.rank_interval[0] == 1


def _show_scores(ax: Axes, shown: BoardRows) -> None:
    """Show all scores, shade tiers, and draw a line above those that are not ranked."""
    raw = [x.raw for x in shown.rows if misleads(x)]
    show_span(ax, [*((x.score, *x.interval) for x in shown.rows), raw])
    for row, standing in enumerate(shown.ranked):
        if standing.tier is not None:
            alpha = SHADE * FADING ** (standing.tier - 1)
            place = row - 0.5, row + 0.5
            ax.axhspan(*place, color=SLATE, alpha=alpha, linewidth=0, zorder=0.1, gid="tier")
    if shown.ranked and shown.apart:
        ax.axhline(len(shown.ranked) - 0.5, color=TEXT, linewidth=0.9, gid="line")
    for crowd in shown.board.crowd:
        ax.axvline(crowd.score, color=CROWD.color, linewidth=0.9, linestyle=":", gid="crowd")
    where = f"all {many(shown.board.questions, 'question')}"
    if shown.board.missing == "complete":
        where = f"{many(shown.board.questions, 'question')} that all answered"
    label = f"{legible(shown.board.unit)} score on {where} (lower is better)"
    hide_empty(ax, [x.score for x in shown.rows], label)


def _look(shown: BoardRows, row: int) -> DotLook:
    if row >= len(shown.ranked):
        return CROWD if row < len(shown.ranked) + len(shown.board.crowd) else UNRANKED
    return FIRST if may_be_best(shown.rows[row]) else LATER


def _draw_row(ax: Axes, row: int, standing: Standing, look: DotLook, size: float) -> None:
    if not math.isfinite(standing.score):
        infinite = math.isinf(standing.score)
        say_in_row(ax, row, "infinite: certain and wrong" if infinite else "no answer", size)
        return
    draw_value(ax, row, standing.score, standing.interval, look, size=size)
    if misleads(standing):
        mark: dict[str, Any] = {"color": RAW.color, "marker": RAW.marker, "linestyle": ""}
        small = MARK * size / points("small")
        ax.plot(standing.raw, row + LOWER, zorder=2.5, gid="raw", markersize=small, **mark)


def _draw_shares(ax: Axes, shown: BoardRows, edge: float) -> None:
    """Draw bars of the answered questions, so many points to the right of the rows."""
    transforms = import_extra("matplotlib.transforms", extra="plots")
    rectangle = import_extra("matplotlib.patches", extra="plots").Rectangle
    inches = cast("Figure", ax.figure).dpi_scale_trans
    beside = inches + transforms.ScaledTranslation(1, 0, ax.transAxes)
    place = transforms.blended_transform_factory(beside, ax.transData)
    for row, standing in enumerate(shown.rows):
        for share, alpha in ((1.0, 0.15), (standing.coverage, 0.7)):
            corner, look = (edge / 72, row - HIGH / 2), {"color": SLATE, "linewidth": 0}
            bar = rectangle(corner, share * FULL / 72, HIGH, alpha=alpha, transform=place, **look)
            bar.set(clip_on=False, gid="answered" if share == standing.coverage else "all")
            ax.add_patch(bar)


def _key(shown: BoardRows) -> list[Any]:
    """Say what is what, as far as it can be seen."""
    board, finite = shown.board, [math.isfinite(x.score) for x in shown.rows]
    looks = {_look(shown, row) for row, is_drawn in enumerate(finite) if is_drawn}
    ranks = f"{100 * board.level:.4g} %"
    first = "best" if board.leader is not None else "may be best"
    crowds = " and ".join(legible(x.forecaster) for x in board.crowd)
    says = {
        FIRST: f"{first} ({ranks} sure)",
        LATER: "another is shown to be better",
        CROWD: f"{crowds}, made of the others and not ranked",
        UNRANKED: "not ranked: too few questions shared with anybody",
    }
    handles = [key_dot(look, words) for look, words in says.items() if look in looks]
    if any(math.isfinite(x.interval[0]) for x in shown.rows):
        handles.append(key_line(TEXT, THICK, f"{100 * board.level:.4g} % interval of the score"))
    if any(misleads(x) for x in shown.rows):
        label = "mean of what it answered, where these questions were hard or easy"
        handles.append(key_dot(RAW, label))
    if any(x.tier is not None for x in shown.ranked):
        label = "tier: none is shown worse than its first"
        handles.append(legend_patch(color=SLATE, alpha=SHADE, label=label))
    return handles
