"""Differences between models, pair by pair, as a forest plot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._extras import import_extra
from properly._boundary._plain import many
from properly.comparison._pair import told_apart
from properly.comparison._pairs import Comparison
from properly.errors import ArgumentTypeError
from properly.plots._axes import GREY, PALE, PALETTE, TEXT, ZERO, set_as_text
from properly.plots._fitting import fold, inches, points
from properly.plots._rows import (
    THICK,
    THIN,
    Look,
    draw_dot,
    draw_ends,
    draw_key,
    key_dot,
    key_line,
    name_rows,
    name_rows_right,
    row_axes,
    say_beside,
    say_in_row,
    show_rows,
    show_span,
)
from properly.plots._words import legible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from matplotlib.axes import Axes

    from properly.comparison._pair import Pair

Verdict: TypeAlias = Literal["apart", "alike", "open"]

LOOKS: dict[Verdict, Look] = {
    "apart": Look(PALETTE[0]),
    "alike": Look(PALETTE[2], "s"),
    "open": Look(GREY, filled=False),
}
# The least share of the width on either side of zero, for the words above it.
LEAST_SIDE = 0.27


class Row(NamedTuple):
    """One pair, its names at either side, and what can be said about it."""

    left: str
    right: str
    pair: Pair
    verdict: Verdict
    words: str
    """What to say where there is no interval, or "" ."""


def comparison(found: Comparison, ax: Axes | None = None) -> Axes:
    """Draw which of two models is better, for each pair, and how sure that is.

    One row is one pair. The dot is the difference of the scores, and it leans to the side of the
    better model: the one whose name stands on that side. The thick line is the interval of the
    difference, the thin one holds for all pairs at once. A filled dot tells two models apart,
    allowing for the number of pairs; a hollow one does not; a square says that they are as
    good as each other within the margin, if there is one.

    Parameters
    ----------
    found : Comparison
        From `properly.compare`. Pairs are sorted by the scores of the models, the best on top. If
        all models were compared with a reference, rows have the name of the model only.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The margin of equivalence, if one was given, is a shaded strip around zero. A difference that is
    infinite is not drawn, but said.

    Holm's method is sharper than intervals that hold for all pairs at once: two models may be told
    apart although the thin line reaches zero.

    Of a loss, the difference is that of the left model less that of the right one. Of an area under
    the ROC curve, of which more is better, it is the other way round.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> three = {name: crash.forecasts[name] for name in ("forest", "boosting", "logistic")}
    >>> found = properly.compare(crash.died, three, rule=Brier(), clusters=crash.cluster, rng=1)
    >>> ax = plots.comparison(found)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['logistic', 'logistic', 'boosting']
    """
    require_comparison(found)
    reference = _reference(found)
    rows = _rows(found, reference)
    handles = _key(found, rows)
    own = ax is None
    if ax is None:
        sides = zip(*((row.left, row.right) for row in rows), strict=True)
        ax = row_axes(len(rows), [max(side, key=len) for side in sides], len(handles))
    size = show_rows(ax, len(rows))
    name_rows(ax, [row.left for row in rows], size)
    if reference is None:
        name_rows_right(ax, [row.right for row in rows], size)
    _show_differences(ax, found, rows, reference)
    for k, row in enumerate(rows):
        _draw_row(ax, k, row, size)
    draw_key(ax, handles, own=own)
    return ax


def require_comparison(found: object) -> Comparison:
    """Take a comparison."""
    if not isinstance(found, Comparison):
        message = f"this picture is drawn from a Comparison; got {type(found).__name__}"
        hint = "make one with properly.compare(y, forecasts, rule=rule)."
        raise ArgumentTypeError(message, hint=hint)
    return found


def by_score(found: Comparison) -> list[str]:
    """Sort models by their scores, the best first."""
    sign = -1 if found.higher_is_better else 1
    return sorted(found.models, key=lambda name: sign * found.scores[name].value)


def verdict_on(found: Comparison, pair: Pair) -> Verdict:
    """Say whether two models are told apart, are as good as each other, or neither."""
    alpha = 1 - found.level
    if told_apart(pair, alpha):
        return "apart"
    return "alike" if pair.adjusted_equivalence_p_value <= alpha else "open"


def score_of(found: Comparison) -> str:
    """Name the score."""
    return found.unit if found.rule == "auc" else f"{legible(found.unit)} score"


def _reference(found: Comparison) -> str | None:
    """Return the model with which all others were compared, if that is how it was done."""
    seconds = {second for _, second in found.pairs}
    return seconds.pop() if len(seconds) == 1 and len(found) > 1 else None


def _rows(found: Comparison, reference: str | None) -> list[Row]:
    rank = {name: k for k, name in enumerate(by_score(found))}
    pairs = list(found.pairs)
    if reference is None:
        pairs = [(a, b) if rank[a] < rank[b] else (b, a) for a, b in pairs]
    pairs.sort(key=lambda pair: (rank[pair[0]], rank[pair[1]]))
    return [_row(found, pair, reference) for pair in pairs]


def _row(found: Comparison, names: tuple[str, str], reference: str | None) -> Row:
    """Put the better model, which comes first, on the side to which its difference leans."""
    pair = found[names]
    first, second = map(legible, names)
    turned = reference is None and found.higher_is_better
    left, right = (second, first) if turned else (first, second)
    roles = ("this model", "the reference") if reference else ("left model", "right model")
    words = _words(found, pair, dict(zip(names, roles, strict=True)))
    return Row(left, right if reference is None else "", pair, verdict_on(found, pair), words)


def _words(found: Comparison, pair: Pair, says: dict[str, str]) -> str:
    """Say why there is no interval."""
    if math.isnan(pair.difference):
        return "the scores of both are infinite"
    if math.isinf(pair.difference):
        name = pair.first if pair.difference > 0 else pair.second
        return f"{says[name]}: infinite loss in {many(found.scores[name].infinite_cases, 'case')}"
    if pair.differing == 0:
        return "never differ"
    return "no interval" if math.isnan(pair.interval[0]) else ""


def _draw_row(ax: Axes, k: int, row: Row, size: float) -> None:
    pair = row.pair
    if not math.isfinite(pair.difference):
        say_in_row(ax, k, row.words, size)
        return
    look = LOOKS[row.verdict]
    thick = THICK * size / points("small")
    draw_ends(ax, k, pair.simultaneous, look, gid="simultaneous", width=THIN)
    draw_ends(ax, k, pair.interval, look, gid="interval", width=thick)
    draw_dot(ax, k, pair.difference, look, size)
    if row.words:
        say_beside(ax, k, pair.difference, row.words, size)


def _show_differences(
    ax: Axes, found: Comparison, rows: Sequence[Row], reference: str | None
) -> None:
    """Show all differences, zero, and on either side of it room for words."""
    numbers = [(x.pair.difference, *x.pair.interval, *x.pair.simultaneous) for x in rows]
    strip = () if found.margin is None else (-found.margin, found.margin)
    show_span(ax, [*numbers, strip, [0.0]], LEAST_SIDE)
    if not np.isfinite(found.difference).any():
        ax.set_xticks([])
    ax.axvline(0, color=TEXT, linewidth=0.9, zorder=1.5, gid=ZERO)
    if strip:
        ax.axvspan(*strip, color=PALE, alpha=0.5, linewidth=0, zorder=0.5, gid="margin")
    _name_sides(ax, found, rows, reference)


def _name_sides(ax: Axes, found: Comparison, rows: Sequence[Row], reference: str | None) -> None:
    """Say what is measured, and which side of zero is whose."""
    what = f"difference in {score_of(found)}"
    if reference is None:
        order = "right minus left" if found.higher_is_better else "left minus right"
        alone = len(rows) == 1
        left, right = rows[0][:2] if alone else ("left model", "right model")
        label, words = f"{what}, {order}", (f"{left} better", f"{right} better")
    else:
        name = legible(reference)
        label = f"{what} from {name}"
        words = (f"better than {name}", f"worse than {name}")
        words = words[::-1] if found.higher_is_better else words
    ax.set_xlabel(label)
    set_as_text([ax.xaxis.label])
    _write_sides(ax, words)


def _write_sides(ax: Axes, words: tuple[str, str]) -> None:
    """Write words above either end, in letters that do not meet."""
    room = 0.46 * ax.get_window_extent().width / ax.figure.dpi
    left, right = (fold(word, room, "small") for word in words)
    said = (f"← {left}", f"{right} →")
    size = points("small") * min(1.0, room / inches(said, "small"))
    for place, side, text in zip((0, 1), ("left", "right"), said, strict=True):
        found = ax.annotate(
            text,
            (place, 1),
            (0, 4),
            xycoords="axes fraction",
            textcoords="offset points",
            ha=side,
            va="bottom",
            fontsize=size,
            color=TEXT,
            gid="side",
        )
        set_as_text([found])


def _key(found: Comparison, rows: Sequence[Row]) -> list[Any]:
    """Say what is what, as far as it can be seen."""
    seen = {row.verdict for row in rows if math.isfinite(row.pair.difference)}
    many_pairs = many(len(found), "pair")
    chance = f"{100 * (1 - found.level):.4g} %"
    adjusted = ", each pair by itself" if found.adjust == "none" else f", allowing for {many_pairs}"
    margin = "" if found.margin is None else f"{found.margin:.4g} {score_of(found)}"
    says: dict[Verdict, str] = {
        "apart": f"told apart (at {chance}{adjusted if len(found) > 1 else ''})",
        "alike": f"as good as each other, within {margin}",
        "open": "not told apart",
    }
    handles = [key_dot(LOOKS[verdict], says[verdict]) for verdict in says if verdict in seen]
    level = f"{100 * found.level:.4g} % interval"
    if any(math.isfinite(row.pair.interval[0]) for row in rows):
        handles.append(key_line(TEXT, THICK, level))
        if len(found) > 1:
            handles.append(key_line(TEXT, THIN, f"{level} for all {many_pairs} at once"))
    if margin:
        patches = import_extra("matplotlib.patches", extra="plots")
        label = f"margin: {margin} either way"
        handles.append(patches.Patch(color=PALE, alpha=0.5, linewidth=0, label=label))
    return handles
