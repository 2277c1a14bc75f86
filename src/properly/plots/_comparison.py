"""Differences between models, pair by pair: as a forest plot, and as a matrix."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._notices import import_extra
from properly._boundary._text import many
from properly.comparison._pairs import Comparison, is_significant
from properly.errors import ArgumentTypeError
from properly.plots._axes import (
    GREY,
    MINUS,
    NOTHING,
    PALE,
    PALETTE,
    TEXT,
    ZERO,
    ink_on,
    legible,
    new_figure,
    number,
    set_as_text,
)
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import LETTER, columns_for, fold, inches, name_columns, names_of, points
from properly.plots._rows import (
    THICK,
    THIN,
    Look,
    decimals,
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from properly.comparison._pairs import Pair


Verdict: TypeAlias = Literal["apart", "alike", "open"]
Table: TypeAlias = np.ndarray[Any, Any]

LOOKS: dict[Verdict, Look] = {
    "apart": Look(PALETTE[0]),
    "alike": Look(PALETTE[2], "s"),
    "open": Look(GREY, filled=False),
}
# The least share of the width on either side of zero, for the words above it.
LEAST_SIDE = 0.27
# Inches of a cell of the matrix: at least for a number, at most for a picture.
NARROW, WIDE = 0.62, 1.1
ROW = 0.42
# Of cells in which the model of the row is better, and in which that of the column is.
ROW_BETTER, COLUMN_BETTER = PALETTE[0], PALETTE[1]
# And of those in which they are as good as each other.
ALIKE = PALETTE[2]
# How strong the colour of the least difference is, and of one that is not told apart.
FAINT, STRONG, PALE_SHARE = 0.25, 0.85, 0.08
HATCH = "////"
HATCHES = "#C3C8CE"


class Row(NamedTuple):
    """One pair, its names at either side, and what can be said about it."""

    left: str
    right: str
    pair: Pair
    verdict: Verdict
    words: str
    """What to say where there is no interval, or "" ."""


@draws_evaluation
def comparison(record: Comparison, ax: Axes | None = None) -> Axes:
    """Draw which of two models is better, for each pair, and how sure that is.

    One row is one pair. The dot is the difference of the scores, and it leans to the side of the
    better model: the one whose name stands on that side. The thick line is the interval of the
    difference, the thin one holds simultaneously for all pairs. A dot is filled if the thin line
    excludes zero, and hollow if not; a square marks models that are as good as each other within
    the margin, if there is one.

    Parameters
    ----------
    record : Comparison
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
    require_comparison(record)
    reference = _reference(record)
    rows = _rows(record, reference)
    handles = _key(record, rows)
    own = ax is None
    if ax is None:
        sides = zip(*((row.left, row.right) for row in rows), strict=True)
        ax = row_axes(len(rows), [max(side, key=len) for side in sides], len(handles))
    size = show_rows(ax, len(rows))
    name_rows(ax, [row.left for row in rows], size)
    if reference is None:
        name_rows_right(ax, [row.right for row in rows], size)
    _show_differences(ax, record, rows, reference)
    for k, row in enumerate(rows):
        _draw_row(ax, k, row, size)
    draw_key(ax, handles, own=own)
    return ax


def require_comparison(record: object) -> Comparison:
    """Take a comparison."""
    if not isinstance(record, Comparison):
        message = f"this picture is drawn from a Comparison; got {type(record).__name__}"
        hint = "make one with properly.compare(y, forecasts, rule=rule)."
        raise ArgumentTypeError(message, hint=hint)
    return record


def by_score(record: Comparison) -> list[str]:
    """Sort models by their scores, the best first."""
    sign = -1 if record.higher_is_better else 1
    return sorted(record.models, key=lambda name: sign * record.scores[name].value)


def verdict_on(record: Comparison, pair: Pair) -> Verdict:
    """Say whether two models are told apart, are as good as each other, or neither."""
    if is_significant(pair):
        return "apart"
    return "alike" if pair.adjusted_equivalence_p_value <= 1 - record.level else "open"


def score_of(record: Comparison) -> str:
    """Name the score."""
    return record.unit if record.rule == "auc" else f"{legible(record.unit)} score"


def _reference(record: Comparison) -> str | None:
    """Return the model with which all others were compared, if that is how it was done."""
    seconds = {second for _, second in record.pairs}
    return seconds.pop() if len(seconds) == 1 and len(record) > 1 else None


def _rows(record: Comparison, reference: str | None) -> list[Row]:
    rank = {name: k for k, name in enumerate(by_score(record))}
    pairs = list(record.pairs)
    if reference is None:
        pairs = [(a, b) if rank[a] < rank[b] else (b, a) for a, b in pairs]
    pairs.sort(key=lambda pair: (rank[pair[0]], rank[pair[1]]))
    return [_row(record, pair, reference) for pair in pairs]


def _row(record: Comparison, names: tuple[str, str], reference: str | None) -> Row:
    """Put the better model, which comes first, on the side to which its difference leans."""
    pair = record[names]
    first, second = map(legible, names)
    turned = reference is None and record.higher_is_better
    left, right = (second, first) if turned else (first, second)
    roles = ("this model", "the reference") if reference else ("left model", "right model")
    words = _words(record, pair, dict(zip(names, roles, strict=True)))
    return Row(left, right if reference is None else "", pair, verdict_on(record, pair), words)


def _words(record: Comparison, pair: Pair, says: dict[str, str]) -> str:
    """Say why there is no interval."""
    if math.isnan(pair.difference):
        return "the scores of both are infinite"
    if math.isinf(pair.difference):
        name = pair.first if pair.difference > 0 else pair.second
        return f"{says[name]}: infinite loss in {many(record.scores[name].infinite_cases, 'case')}"
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
    ax: Axes, record: Comparison, rows: Sequence[Row], reference: str | None
) -> None:
    """Show all differences, zero, and on either side of it room for words."""
    numbers = [(x.pair.difference, *x.pair.interval, *x.pair.simultaneous) for x in rows]
    strip = () if record.margin is None else (-record.margin, record.margin)
    show_span(ax, [*numbers, strip, [0.0]], LEAST_SIDE)
    if not np.isfinite(record.difference).any():
        ax.set_xticks([])
    ax.axvline(0, color=TEXT, linewidth=0.9, zorder=1.5, gid=ZERO)
    if strip:
        ax.axvspan(*strip, color=PALE, alpha=0.5, linewidth=0, zorder=0.5, gid="margin")
    _name_sides(ax, record, rows, reference)


def _name_sides(ax: Axes, record: Comparison, rows: Sequence[Row], reference: str | None) -> None:
    """Say what is measured, and which side of zero is whose."""
    what = f"difference in {score_of(record)}"
    if reference is None:
        order = "right minus left" if record.higher_is_better else "left minus right"
        alone = len(rows) == 1
        left, right = rows[0][:2] if alone else ("left model", "right model")
        label, words = f"{what}, {order}", (f"{left} better", f"{right} better")
    else:
        name = legible(reference)
        label = f"{what} from {name}"
        words = (f"better than {name}", f"worse than {name}")
        words = words[::-1] if record.higher_is_better else words
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
        result = ax.annotate(
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
        set_as_text([result])


def _key(record: Comparison, rows: Sequence[Row]) -> list[Any]:
    """Say what is what, as far as it can be seen."""
    seen = {row.verdict for row in rows if math.isfinite(row.pair.difference)}
    many_pairs = many(len(record), "pair")
    chance = f"{100 * (1 - record.level):.4g} %"
    adjusted = (
        ", each pair by itself" if record.adjust == "none" else f", allowing for {many_pairs}"
    )
    margin = "" if record.margin is None else f"{record.margin:.4g} {score_of(record)}"
    says: dict[Verdict, str] = {
        "apart": f"told apart (at {chance}{adjusted if len(record) > 1 else ''})",
        "alike": f"as good as each other, within {margin}",
        "open": "not told apart",
    }
    handles = [key_dot(LOOKS[verdict], says[verdict]) for verdict in says if verdict in seen]
    level = f"{100 * record.level:.4g} % interval"
    if any(math.isfinite(row.pair.interval[0]) for row in rows):
        handles.append(key_line(TEXT, THICK, level))
        if len(record) > 1 and record.adjust != "none":
            handles.append(key_line(TEXT, THIN, f"{level} for all {many_pairs} at once"))
    if margin:
        patches = import_extra("matplotlib.patches", extra="plots")
        label = f"margin: {margin} either way"
        handles.append(patches.Patch(color=PALE, alpha=0.5, linewidth=0, label=label))
    return handles


class Cell(NamedTuple):
    """What is written into a cell, which row-minus-column it shows, and how sure that is."""

    text: str
    value: float
    verdict: Verdict | None
    """None on the diagonal, and where a pair was not compared."""


@draws_evaluation
def comparison_matrix(record: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the difference between any two models as a cell of a matrix.

    One row and one column is one model, the best first. A cell has the score of the row less that
    of the column; it is blue where the model of the row is better, and orange where that of the
    column is, the stronger the larger the difference. Cells of models that cannot be told apart,
    allowing for the number of pairs, are pale and hatched. The scores themselves stand on the
    diagonal.

    Parameters
    ----------
    record : Comparison
        From `properly.compare`. Up to about fifteen models stay legible.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The colour goes with the root of the difference, so that small ones can be seen beside large
    ones. Pairs that were not compared, as those without the reference, are empty.

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> two = {name: crash.forecasts[name] for name in ("forest", "logistic")}
    >>> found = properly.compare(crash.died, two, rule=Brier(), clusters=crash.cluster)
    >>> ax = plots.comparison_matrix(found)
    >>> [text.get_text() for text in ax.texts[2:]]
    ['+.0073', '.0403']
    """
    models = by_score(require_comparison(record))
    cells = _cells(record, models)
    names = names_of(models)
    handles = _matrix_key(record, cells)
    own = ax is None
    if ax is None:
        ax = _new_axes(cells, names, len(handles))
    count = len(models)
    colors = _colors(cells, higher_is_better=record.higher_is_better)
    borders = np.arange(count + 1) - 0.5
    ax.pcolormesh(borders, borders, colors, edgecolor="white", linewidth=1.2, gid="cells")
    ax.set(xlim=(-0.5, count - 0.5), ylim=(count - 0.5, -0.5))
    _draw_hatches(ax, cells)
    _write(ax, cells, colors)
    _name(ax, names, record)
    draw_key(ax, handles, own=own)
    return ax


def _cells(record: Comparison, models: Sequence[str]) -> list[list[Cell]]:
    compared = {frozenset(pair) for pair in record.pairs}
    half = np.diff(record.interval, axis=1) / 2
    digits = decimals(half)
    return [[_cell(record, (row, column), compared, digits) for column in models] for row in models]


def _cell(
    record: Comparison, names: tuple[str, str], compared: set[frozenset[str]], digits: int
) -> Cell:
    row, column = names
    if row == column:
        return Cell(number(record.scores[row].value, digits), math.nan, None)
    if frozenset(names) not in compared:
        return Cell("", math.nan, None)
    pair = record[names]
    return Cell(_signed(pair.difference, digits), pair.difference, verdict_on(record, pair))


def _signed(value: float, digits: int) -> str:
    """Write a difference with its sign, if it has one; two infinite scores have no difference."""
    if math.isnan(value):
        return "both ∞"
    if round(value, digits) == 0:
        return number(0.0, digits) if value else "0"
    printed = number(value, digits)
    return printed if printed.startswith(MINUS) else f"+{printed}"


def _colors(cells: Sequence[Sequence[Cell]], *, higher_is_better: bool) -> Table:
    """Mix colours with white: the side tells who is better, the strength by how much."""
    to_rgb = import_extra("matplotlib.colors", extra="plots").to_rgb
    value = np.array([[cell.value for cell in row] for row in cells])
    sure, alike = (
        np.array([[cell.verdict == verdict for cell in row] for row in cells])
        for verdict in ("apart", "alike")
    )
    size = np.abs(value)
    most = np.max(size, where=np.isfinite(size), initial=0.0) or 1.0
    share = np.sqrt(np.minimum(np.nan_to_num(size), most) / most)
    strength = np.where(sure | np.isinf(size), FAINT + (STRONG - FAINT) * share, PALE_SHARE)
    strength = np.where(alike, FAINT, strength)[..., None]
    row_better = (value > 0 if higher_is_better else value < 0)[..., None]
    full = np.where(row_better, to_rgb(ROW_BETTER), to_rgb(COLUMN_BETTER))
    mixed = 1 - strength * (1 - np.where(alike[..., None], to_rgb(ALIKE), full))
    nothing = (np.isnan(value) | (value == 0))[..., None]
    result: Table = np.where(nothing, to_rgb(NOTHING), mixed)
    return result


def _draw_hatches(ax: Axes, cells: Sequence[Sequence[Cell]]) -> None:
    """Hatch the cells of models that are not told apart."""
    patches = import_extra("matplotlib.patches", extra="plots")
    for i, j in np.ndindex(len(cells), len(cells)):
        if _is_open(cells[i][j]):
            ax.add_patch(
                patches.Rectangle((j - 0.5, i - 0.5), 1, 1, gid="open", zorder=1.5, **_hatched())
            )


def _is_open(cell: Cell) -> bool:
    return cell.verdict == "open" and math.isfinite(cell.value)


def _hatched() -> dict[str, Any]:
    return {"facecolor": "none", "edgecolor": HATCHES, "hatch": HATCH, "linewidth": 0}


def _write(ax: Axes, cells: Sequence[Sequence[Cell]], colors: Table) -> None:
    """Write numbers into the cells, in letters that fit."""
    longest = max(len(cell.text) for row in cells for cell in row)
    wide = ax.get_window_extent().width * 72 / ax.figure.dpi / len(cells)
    size = min(points("small"), 0.94 * wide / (LETTER * longest))
    for i, j in np.ndindex(len(cells), len(cells)):
        paper: dict[str, Any] = {"boxstyle": "square,pad=0.12", "facecolor": colors[i, j]}
        result = ax.text(
            j,
            i,
            cells[i][j].text,
            ha="center",
            va="center",
            fontsize=size,
            fontweight="bold" if i == j else "normal",
            color=ink_on(colors[i, j]),
            # On hatches letters need paper of their own.
            bbox=paper | {"linewidth": 0} if _is_open(cells[i][j]) else None,
            zorder=2,
        )
        set_as_text([result])


def _name(ax: Axes, names: list[str], record: Comparison) -> None:
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_yticks(range(len(names)), names, fontsize="small")
    set_as_text(ax.get_yticklabels())
    name_columns(ax, names, size="small")
    ax.set_xlabel(f"{score_of(record)}: row minus column,\neach model's own on the diagonal")
    set_as_text([ax.xaxis.label])


def _new_axes(cells: Sequence[Sequence[Cell]], names: Sequence[str], key: int) -> Axes:
    written = inches((cell.text for row in cells for cell in row), "small") + 0.12
    step, depth = columns_for(names, max(NARROW, written), max(WIDE, written), "small")
    width = max(3.6, 0.5 + inches(names, "small") + step * len(names))
    height = 0.7 + depth + ROW * len(names) * points() / 10 + 1.5 * key * points("small") / 72
    return new_figure(width, height).add_subplot()


def _matrix_key(record: Comparison, cells: Sequence[Sequence[Cell]]) -> list[Any]:
    """Say what colours and hatches are, as far as they can be seen."""
    patch = import_extra("matplotlib.patches", extra="plots").Patch
    seen = {cell.verdict for row in cells for cell in row if math.isfinite(cell.value)}
    has_color = any(
        cell.verdict == "apart" or math.isinf(cell.value) for row in cells for cell in row
    )
    handles = []
    if has_color:
        handles.append(patch(color=ROW_BETTER, alpha=STRONG, label="model of the row better"))
        handles.append(patch(color=COLUMN_BETTER, alpha=STRONG, label="model of the column better"))
    if "alike" in seen:
        label = f"as good as each other, within {record.margin:.4g} {score_of(record)}"
        handles.append(patch(color=ALIKE, alpha=FAINT, label=label))
    if "open" in seen:
        handles.append(patch(**_hatched() | {"linewidth": 0.6}, label="not told apart"))
    return handles
