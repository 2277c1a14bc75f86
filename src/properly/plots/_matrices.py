"""Matrices: confusion, costs, and the difference between any two models."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._labels import as_classes
from properly._boundary._notices import import_extra
from properly.decisions._confusion import Confusion
from properly.errors import DataError
from properly.plots._axes import (
    MINUS,
    NOTHING,
    PALETTE,
    ink_on,
    legend_patch,
    new_figure,
    number,
    require,
    set_as_text,
    shades,
)
from properly.plots._evaluation import draws_evaluation
from properly.plots._forest_plots import by_score, require_comparison, score_of, verdict_on
from properly.plots._names import LETTER, columns_for, inches, name_columns, names_of, points
from properly.plots._row_axes import decimals, draw_key
from properly.rules._costs import as_matrix
from properly.rules._costs import cost_matrix as check_costs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from properly.comparison._pairs import Comparison
    from properly.plots._forest_plots import Verdict
    from properly.rules._costs import Cost

Colors: TypeAlias = np.ndarray[Any, Any]

# Inches of a cell: at least for a number, at most for a picture; and of rows of either matrix.
NARROW, WIDE = 0.62, 1.1
ROW, COMPARISON_ROW = 0.5, 0.42
# Of cells in which the model of the row is better, in which that of the column is, and in which
# they are as good as each other.
ROW_BETTER, COLUMN_BETTER, ALIKE = PALETTE[:3]
# How strong the colour of the least difference is, and of one that is not told apart.
FAINT, STRONG, PALE_SHARE = 0.25, 0.85, 0.08
HATCHED: dict[str, Any] = {
    "facecolor": "none",
    "edgecolor": "#C3C8CE",
    "hatch": "////",
    "linewidth": 0,
}


@draws_evaluation
def confusion(record: Confusion, ax: Axes | None = None, *, shares: bool = True) -> Axes:
    r"""Draw how often each class was decided for, by what was true.

    One row is one true class, the first on top. The number in a cell is the number of cases, or
    their weight; below it, and as its shade, stands their share of the row, so that a rare class
    can be seen as well as a common one. Right decisions are framed. A class without cases has no
    shares, and is grey.

    Parameters
    ----------
    record : Confusion
        From `properly.decisions.confusion`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.
    shares : bool
        Whether to write the shares below the numbers.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> ax = plots.confusion(properly.decisions.confusion([0, 0, 1, 2], [0, 1, 1, 1], 3))
    >>> [text.get_text() for text in ax.texts[:3]]
    ['1\n50 %', '1\n50 %', '0']
    """
    require(record, Confusion, "properly.decisions.confusion(y, d, classes)")
    counts = np.asarray(record.counts, dtype=float)
    total = counts.sum(axis=1, keepdims=True)
    share = np.divide(counts, total, out=np.full_like(counts, np.nan), where=total > 0)
    digits = 0 if np.all(counts == np.round(counts)) or counts.max() >= 1000 else 1
    cells = [
        [f"{count:,.{digits}f}" + (_percent(part) if shares else "") for count, part in pairs]
        for pairs in np.stack([counts, share], axis=-1).tolist()
    ]
    names = names_of(record.labels)
    ax = _draw_shares(ax, share, cells, (names, names))
    if shares:
        ax.set_ylabel("truth (100 % in each row)")
    return ax


def cost_matrix(
    matrix: Cost, labels: int | Sequence[object] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw what each decision costs, by what is true.

    One row is one true class, the first on top, and one column one decision. The higher the cost,
    the darker the cell; the least cost of all is white. The cell of the right decision is framed.

    Parameters
    ----------
    matrix : array or {"zero_one", "absolute", "quadratic"}
        Costs, one row a class and one column a decision. There may be more decisions than classes,
        such as to abstain. A cost by name needs `labels`.
    labels : int or sequence, optional
        The labels of the classes, in order, or their number; labels of further decisions follow.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from properly import plots
    >>> ax = plots.cost_matrix("quadratic", ["mild", "moderate", "severe"])
    >>> [text.get_text() for text in ax.texts[:3]]
    ['0', '1', '4']
    """
    result = _costs(matrix, labels)
    spread = float(np.ptp(result)) or 1.0
    cells = [[f"{cost:.4g}".replace("-", MINUS) for cost in row] for row in result.tolist()]
    names = _names(result.shape, labels)
    return _draw_shares(ax, (result - result.min()) / spread, cells, names)


def _costs(matrix: Cost, labels: int | Sequence[object] | None) -> Colors:
    """Return costs that were checked."""
    if not isinstance(matrix, str):
        return check_costs(matrix, int(as_matrix(matrix).shape[0]))
    if labels is None:
        message = f"a cost by name needs the labels of the classes; got {matrix!r} alone"
        raise DataError(message, hint="pass labels=, or the number of classes.")
    return check_costs(matrix, as_classes(labels)[0])


def _names(
    shape: tuple[int, ...], labels: int | Sequence[object] | None
) -> tuple[list[str], list[str]]:
    """Name each class and each decision, by numbers where there are no labels."""
    classes, decisions = shape
    count, named = (classes, None) if labels is None else as_classes(labels)
    most = max(classes, decisions)
    if count not in (classes, most):
        message = f"labels must name each of {classes} classes or of {most} decisions; got {count}"
        raise DataError(message)
    names = names_of([*(named or ()), *range(len(named or ()), most)])
    # Fewer decisions than classes are something else than classes.
    return names[:classes], names if decisions >= classes else names_of(range(decisions))


def _percent(share: float) -> str:
    """Write a share of a row in percent, if there is any."""
    if not share > 0:
        return ""
    if 0.995 <= share < 1:
        return "\n>99 %"
    return "\n<1 %" if share < 0.005 else f"\n{100 * share:.0f} %"


def _draw_shares(
    ax: Axes | None,
    share: Colors,
    cells: Sequence[Sequence[str]],
    names: tuple[list[str], list[str]],
) -> Axes:
    """Shade the cells, the first row on top, write into them, and frame right decisions."""
    if ax is None:
        ax = _new_axes(cells, *names, air=0.1, row=ROW)
    high, wide = share.shape
    colors = shades(share)
    _draw_cells(ax, colors, names)
    for row, column in np.ndindex(high, wide):
        look = {"linespacing": 1.3, "color": ink_on(colors[row, column])}
        _write_cell(ax, (row, column), cells[row][column], fontsize="small", **look)
    if high <= wide:
        _frame_diagonal(ax, high)
    ax.set(xlabel="decision", ylabel="truth")
    set_as_text([ax.yaxis.label])
    return ax


def _draw_cells(ax: Axes, colors: Colors, names: tuple[Sequence[str], Sequence[str]]) -> None:
    """Colour the cells, the first row on top, and name rows and columns."""
    high, wide = colors.shape[:2]
    borders = (np.arange(count + 1) - 0.5 for count in (wide, high))
    ax.pcolormesh(*borders, colors, edgecolor="white", linewidth=1.2, gid="cells")
    ax.set(xlim=(-0.5, wide - 0.5), ylim=(high - 0.5, -0.5))
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_yticks(range(high), names[0], fontsize="small")
    set_as_text(ax.get_yticklabels())
    name_columns(ax, names[1], size="small")


def _write_cell(ax: Axes, cell: tuple[int, int], text: str, **look: Any) -> None:
    # To TeX, a percent sign is the end of the line.
    set_as_text([ax.text(cell[1], cell[0], text, ha="center", va="center", **look)])


def _new_axes(
    cells: Sequence[Sequence[str]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    air: float,
    row: float,
    least: float = 0.0,
    more: float = 0.0,
) -> Axes:
    """Make a figure in which all names and numbers fit."""
    written = inches((cell for line in cells for cell in line), "small") + air
    step, depth = columns_for(columns, max(NARROW, written), max(WIDE, written), "small")
    width = 0.7 - 0.2 * (least > 0) + inches(rows, "small") + step * len(columns)
    height = 0.9 - 0.2 * (least > 0) + depth + row * len(rows) * points() / 10 + more
    return new_figure(max(least, width), height).add_subplot()


def _frame_diagonal(ax: Axes, cells: int) -> None:
    """Frame the right decisions."""
    at, side = np.arange(cells), 0.96
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": "black", "linewidth": 1.2}
    ax.bar(at, side, side, at - side / 2, zorder=3, gid="right", **look)


class PairDifference(NamedTuple):
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
        texts = [[cell.text for cell in row] for row in cells]
        key = 1.5 * len(handles) * points("small") / 72
        look = {"air": 0.12, "row": COMPARISON_ROW, "least": 3.6, "more": key}
        ax = _new_axes(texts, names, names, **look)
    colors = _colors(cells, higher_is_better=record.higher_is_better)
    _draw_cells(ax, colors, (names, names))
    _draw_hatches(ax, cells)
    _write(ax, cells, colors)
    ax.set_xlabel(f"{score_of(record)}: row minus column,\neach model's own on the diagonal")
    set_as_text([ax.xaxis.label])
    draw_key(ax, handles, own=own)
    return ax


def _cells(record: Comparison, models: Sequence[str]) -> list[list[PairDifference]]:
    compared = {frozenset(pair) for pair in record.pairs}
    half = np.diff(record.interval, axis=1) / 2
    digits = decimals(half)
    return [[_cell(record, (row, column), compared, digits) for column in models] for row in models]


def _cell(
    record: Comparison, names: tuple[str, str], compared: set[frozenset[str]], digits: int
) -> PairDifference:
    row, column = names
    if row == column:
        return PairDifference(number(record.scores[row].value, digits), math.nan, None)
    if frozenset(names) not in compared:
        return PairDifference("", math.nan, None)
    pair = record[names]
    text = _signed(pair.difference, digits)
    return PairDifference(text, pair.difference, verdict_on(record, pair))


def _signed(value: float, digits: int) -> str:
    """Write a difference with its sign, if it has one; two infinite scores have no difference."""
    if math.isnan(value):
        return "both ∞"
    if round(value, digits) == 0:
        return number(0.0, digits) if value else "0"
    printed = number(value, digits)
    return printed if printed.startswith(MINUS) else f"+{printed}"


def _colors(cells: Sequence[Sequence[PairDifference]], *, higher_is_better: bool) -> Colors:
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
    result: Colors = np.where(nothing, to_rgb(NOTHING), mixed)
    return result


def _draw_hatches(ax: Axes, cells: Sequence[Sequence[PairDifference]]) -> None:
    """Hatch the cells of models that are not told apart."""
    patches = import_extra("matplotlib.patches", extra="plots")
    for i, j in np.ndindex(len(cells), len(cells)):
        if _is_open(cells[i][j]):
            corner = (j - 0.5, i - 0.5)
            ax.add_patch(patches.Rectangle(corner, 1, 1, gid="open", zorder=1.5, **HATCHED))


def _is_open(cell: PairDifference) -> bool:
    return cell.verdict == "open" and math.isfinite(cell.value)


def _write(ax: Axes, cells: Sequence[Sequence[PairDifference]], colors: Colors) -> None:
    """Write numbers into the cells, in letters that fit."""
    longest = max(len(cell.text) for row in cells for cell in row)
    wide = ax.get_window_extent().width * 72 / ax.figure.dpi / len(cells)
    size = min(points("small"), 0.94 * wide / (LETTER * longest))
    for i, j in np.ndindex(len(cells), len(cells)):
        look: dict[str, Any] = {"color": ink_on(colors[i, j]), "fontsize": size, "zorder": 2}
        if i == j:
            look["fontweight"] = "bold"
        if _is_open(cells[i][j]):
            # On hatches letters need paper of their own.
            paper = {"boxstyle": "square,pad=0.12", "facecolor": colors[i, j], "linewidth": 0}
            look["bbox"] = paper
        _write_cell(ax, (i, j), cells[i][j].text, **look)


def _matrix_key(record: Comparison, cells: Sequence[Sequence[PairDifference]]) -> list[Any]:
    """Say what colours and hatches are, as far as they can be seen."""
    seen = {cell.verdict for row in cells for cell in row if math.isfinite(cell.value)}
    has_color = any(
        cell.verdict == "apart" or math.isinf(cell.value) for row in cells for cell in row
    )
    handles = []
    if has_color:
        sides = {"row": ROW_BETTER, "column": COLUMN_BETTER}
        handles += [
            legend_patch(color=color, alpha=STRONG, label=f"model of the {side} better")
            for side, color in sides.items()
        ]
    if "alike" in seen:
        label = f"as good as each other, within {record.margin:.4g} {score_of(record)}"
        handles.append(legend_patch(color=ALIKE, alpha=FAINT, label=label))
    if "open" in seen:
        handles.append(legend_patch(**HATCHED | {"linewidth": 0.6}, label="not told apart"))
    return handles
