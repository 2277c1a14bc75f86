"""A leaderboard, one row a forecaster: scores, ranks they may have, and how much they answered."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from properly._boundary._text import many
from properly._boundary._tolerances import SAME_SUM
from properly.comparison._leaderboard_record import Leaderboard, Standing, ranks_in_words
from properly.plots._axes import GREY, PALETTE, SLATE, TEXT, legend_patch, require
from properly.plots._forest_plots import SIDE, THICK, DotLook, RowPicture, key_dot, key_line
from properly.plots._names import from_matplotlib, legible, names_of, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    rows: tuple[Standing, ...]

    def look(self, row: int) -> DotLook:
        """Return the dot of a row."""
        if row >= len(self.ranked):
            return CROWD if row < len(self.ranked) + len(self.board.crowd) else UNRANKED
        return FIRST if may_be_best(self.rows[row]) else LATER


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
    require(record, Leaderboard, "properly.leaderboard(answers)")
    every = record.standings[:MOST]
    ranked = tuple(x for x in every if x.rank is not None)
    shown = BoardRows(record, ranked, (*ranked, *record.crowd, *every[len(ranked) :]))
    is_cut = len(record) > MOST
    answered = {"answered": [f"{100 * x.coverage:.0f} %" for x in shown.rows]}
    # Who has no rank or tier has nothing there.
    ranks = {
        "rank": [str(x.rank or "") for x in shown.rows],
        "may be": [ranks_in_words(x) for x in shown.rows],
        "tier": [str(x.tier or "") for x in shown.rows],
    }
    handles, names = _key(shown), names_of(x.forecaster for x in shown.rows)
    sides = [*ranks.values(), *answered.values(), ["m" * 12]]
    picture = RowPicture(ax, names, sides, len(handles) + 1, more=is_cut, striped=False)
    picture.write_columns(ranks, _align_names(picture))
    _draw_shares(picture, shown, picture.write_columns(answered))
    _show_scores(picture, shown)
    for row, standing in enumerate(shown.rows):
        _draw_row(picture, row, standing, shown.look(row))
    if is_cut:
        words = f"the first {MOST} of {many(len(record), 'forecaster')} are drawn"
        picture.say_in_row(len(names), words)
    picture.draw_key(handles)
    return picture.ax


def _align_names(picture: RowPicture) -> float:
    """Align names beside the ranks, where they begin; return how far they reach in points."""
    labels = picture.ax.get_yticklabels()
    # Letters are a little wider or narrower at other resolutions.
    widest = max(x.get_window_extent().width for x in labels)
    reach = SIDE + 1.05 * widest * 72 / picture.figure.dpi
    picture.ax.tick_params(axis="y", pad=reach)
    for label in labels:
        label.set_horizontalalignment("left")
    return reach


def misleads(standing: Standing) -> bool:
    """Tell whether the mean of the answered questions is more than a standard error off."""
    # Of who says the same each time, there is no error but that of rounding.
    least = max(standing.standard_error, SAME_SUM * abs(standing.score))
    return abs(standing.selection) > least


def may_be_best(standing: Standing) -> bool:
    """Tell whether no other is shown to be better."""
    return standing.rank_interval is not None and standing.rank_interval[0] == 1


def _show_scores(picture: RowPicture, shown: BoardRows) -> None:
    """Show all scores, shade tiers, and draw a line above those that are not ranked."""
    ax, board = picture.ax, shown.board
    raw = [x.raw for x in shown.rows if misleads(x)]
    picture.show_span([*((x.score, *x.interval) for x in shown.rows), raw])
    for row, standing in enumerate(shown.ranked):
        if standing.tier is not None:
            look = {"alpha": SHADE * FADING ** (standing.tier - 1), "linewidth": 0, "zorder": 0.1}
            ax.axhspan(row - 0.5, row + 0.5, color=SLATE, gid="tier", **look)
    if 0 < len(shown.ranked) < len(shown.rows):
        ax.axhline(len(shown.ranked) - 0.5, color=TEXT, linewidth=0.9, gid="line")
    for crowd in board.crowd:
        ax.axvline(crowd.score, color=CROWD.color, linewidth=0.9, linestyle=":", gid="crowd")
    where = f"all {many(board.questions, 'question')}"
    if board.missing == "complete":
        where = f"{many(board.questions, 'question')} that all answered"
    label = f"{legible(board.unit)} score on {where} (lower is better)"
    picture.name_axis(label, [x.score for x in shown.rows])


def _draw_row(picture: RowPicture, row: int, standing: Standing, look: DotLook) -> None:
    if not math.isfinite(standing.score):
        infinite = math.isinf(standing.score)
        picture.say_in_row(row, "infinite: certain and wrong" if infinite else "no answer")
        return
    picture.draw_value(row, standing.score, standing.interval, look)
    if misleads(standing):
        mark: dict[str, Any] = {"color": RAW.color, "marker": RAW.marker, "linestyle": ""}
        small = MARK * picture.letters / points("small")
        picture.ax.plot(standing.raw, row + LOWER, zorder=2.5, gid="raw", markersize=small, **mark)


def _draw_shares(picture: RowPicture, shown: BoardRows, edge: float) -> None:
    """Draw bars of the answered questions, so many points to the right of the rows."""
    ax, transforms = picture.ax, from_matplotlib("transforms")
    rectangle = from_matplotlib("patches").Rectangle
    beside = transforms.ScaledTranslation(1, 0, ax.transAxes)
    across = picture.figure.dpi_scale_trans + beside
    look = {"transform": transforms.blended_transform_factory(across, ax.transData)}
    look |= {"color": SLATE, "linewidth": 0, "clip_on": False}
    for row, standing in enumerate(shown.rows):
        for share, alpha in ((1.0, 0.15), (standing.coverage, 0.7)):
            corner = edge / 72, row - HIGH / 2
            bar = rectangle(corner, share * FULL / 72, HIGH, alpha=alpha, **look)
            bar.set_gid("answered" if share == standing.coverage else "all")
            ax.add_patch(bar)


def _key(shown: BoardRows) -> list[Any]:
    """Say what is what, as far as it can be seen."""
    board, level = shown.board, f"{100 * shown.board.level:.4g} %"
    looks = {shown.look(row) for row, x in enumerate(shown.rows) if math.isfinite(x.score)}
    first = "best" if board.leader is not None else "may be best"
    crowds = " and ".join(legible(x.forecaster) for x in board.crowd)
    says = {
        FIRST: f"{first} ({level} sure)",
        LATER: "another is shown to be better",
        CROWD: f"{crowds}, made of the others and not ranked",
        UNRANKED: "not ranked: too few questions shared with anybody",
    }
    handles = [key_dot(look, words) for look, words in says.items() if look in looks]
    if any(math.isfinite(x.interval[0]) for x in shown.rows):
        handles.append(key_line(TEXT, THICK, f"{level} interval of the score"))
    if any(misleads(x) for x in shown.rows):
        label = "mean of what it answered, where these questions were hard or easy"
        handles.append(key_dot(RAW, label))
    if any(x.tier is not None for x in shown.ranked):
        label = "tier: none is shown worse than its first"
        handles.append(legend_patch(color=SLATE, alpha=SHADE, label=label))
    return handles
