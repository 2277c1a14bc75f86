"""Differences between models as a matrix, one row and one column a model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._extras import import_extra
from properly.plots._axes import PALETTE, new_figure, set_as_text
from properly.plots._comparison import by_score, require_comparison, score_of, verdict_on
from properly.plots._fitting import LETTER, columns_for, inches, name_columns, names_of, points
from properly.plots._rows import decimals, draw_key
from properly.plots._shades import NOTHING, ink_on
from properly.plots._words import MINUS, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from properly.comparison._pairs import Comparison
    from properly.plots._comparison import Verdict

Table: TypeAlias = np.ndarray[Any, Any]

# Inches of a cell: at least for a number, at most for a picture.
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


class Cell(NamedTuple):
    """What is written into a cell, which row-minus-column it shows, and how sure that is."""

    text: str
    value: float
    verdict: Verdict | None
    """None on the diagonal, and where a pair was not compared."""


def comparison_matrix(found: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the difference between any two models as a cell of a matrix.

    One row and one column is one model, the best first. A cell has the score of the row less that
    of the column; it is blue where the model of the row is better, and orange where that of the
    column is, the stronger the larger the difference. Cells of models that cannot be told apart,
    allowing for the number of pairs, are pale and hatched. The scores themselves stand on the
    diagonal.

    Parameters
    ----------
    found : Comparison
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
    models = by_score(require_comparison(found))
    cells = _cells(found, models)
    names = names_of(models)
    handles = _key(found, cells)
    own = ax is None
    if ax is None:
        ax = _new_axes(cells, names, len(handles))
    count = len(models)
    colors = _colors(cells, higher_is_better=found.higher_is_better)
    borders = np.arange(count + 1) - 0.5
    ax.pcolormesh(borders, borders, colors, edgecolor="white", linewidth=1.2, gid="cells")
    ax.set(xlim=(-0.5, count - 0.5), ylim=(count - 0.5, -0.5))
    _draw_hatches(ax, cells)
    _write(ax, cells, colors)
    _name(ax, names, found)
    draw_key(ax, handles, own=own)
    return ax


def _cells(found: Comparison, models: Sequence[str]) -> list[list[Cell]]:
    known = {frozenset(pair) for pair in found.pairs}
    half = np.diff(found.interval, axis=1) / 2
    digits = decimals(half)
    return [[_cell(found, (row, column), known, digits) for column in models] for row in models]


def _cell(
    found: Comparison, names: tuple[str, str], known: set[frozenset[str]], digits: int
) -> Cell:
    row, column = names
    if row == column:
        return Cell(number(found.scores[row].value, digits), math.nan, None)
    if frozenset(names) not in known:
        return Cell("", math.nan, None)
    pair = found[names]
    return Cell(_signed(pair.difference, digits), pair.difference, verdict_on(found, pair))


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
    found: Table = np.where(nothing, to_rgb(NOTHING), mixed)
    return found


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
        found = ax.text(
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
        set_as_text([found])


def _name(ax: Axes, names: list[str], found: Comparison) -> None:
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_yticks(range(len(names)), names, fontsize="small")
    set_as_text(ax.get_yticklabels())
    name_columns(ax, names, size="small")
    ax.set_xlabel(f"{score_of(found)}: row minus column,\neach model's own on the diagonal")
    set_as_text([ax.xaxis.label])


def _new_axes(cells: Sequence[Sequence[Cell]], names: Sequence[str], key: int) -> Axes:
    written = inches((cell.text for row in cells for cell in row), "small") + 0.12
    step, depth = columns_for(names, max(NARROW, written), max(WIDE, written), "small")
    width = max(3.6, 0.5 + inches(names, "small") + step * len(names))
    height = 0.7 + depth + ROW * len(names) * points() / 10 + 1.5 * key * points("small") / 72
    return new_figure(width, height).add_subplot()


def _key(found: Comparison, cells: Sequence[Sequence[Cell]]) -> list[Any]:
    """Say what colours and hatches are, as far as they can be seen."""
    patch = import_extra("matplotlib.patches", extra="plots").Patch
    seen = {cell.verdict for row in cells for cell in row if math.isfinite(cell.value)}
    told = any(cell.verdict == "apart" or math.isinf(cell.value) for row in cells for cell in row)
    handles = []
    if told:
        handles.append(patch(color=ROW_BETTER, alpha=STRONG, label="model of the row better"))
        handles.append(patch(color=COLUMN_BETTER, alpha=STRONG, label="model of the column better"))
    if "alike" in seen:
        label = f"as good as each other, within {found.margin:.4g} {score_of(found)}"
        handles.append(patch(color=ALIKE, alpha=FAINT, label=label))
    if "open" in seen:
        handles.append(patch(**_hatched() | {"linewidth": 0.6}, label="not told apart"))
    return handles
