"""Matrices: confusion, and the difference between any two models."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly.decisions._confusion import Confusion
from properly.plots import _axes, _forest_plots, _names
from properly.plots._axes import NOTHING, PALETTE, Array, Picture, legend_patch, rgb
from properly.plots._evaluation import draws_evaluation
from properly.plots._forest_plots import Verdict, decimals, score_of, verdict_on
from properly.plots._names import LETTER, MINUS, inches, names_of, number, points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from properly.comparison._pairs import Comparison

# Inches of a cell: at least for a number, at most for a picture; of rows of either matrix; and of
# one that has a key.
NARROW, WIDE = 0.62, 1.1
ROW, LOW, LEAST = 0.5, 0.42, 3.6
# Of cells in which the model of the row is better, in which that of the column is, and in which
# they are as good as each other.
ROW_BETTER, COLUMN_BETTER, ALIKE = PALETTE[:3]
# How strong the colour of the least difference is, and of one that is not told apart.
FAINT, STRONG, PALE_SHARE = 0.25, 0.85, 0.08
HATCHED: dict[str, Any] = {"facecolor": "none", "edgecolor": "#C3C8CE", "hatch": "////"}


class Matrix(Picture):
    """A picture of cells, the first row on top, with names of rows and columns.

    Attributes
    ----------
    texts : list of list of str
        What is written into the cells.
    """

    def __init__(
        self,
        ax: Axes | None,
        texts: Sequence[Sequence[str]],
        names: tuple[Sequence[str], Sequence[str]],
        key: int | None = None,
    ) -> None:
        """Make a figure in which all names and numbers fit, and lines of a key if there is one."""
        air, row, around, least = (0.1, ROW, 0.7, 0.0) if key is None else (0.12, LOW, 0.5, LEAST)
        written = inches((text for line in texts for text in line), "small") + air
        narrow, wide = max(NARROW, written), max(WIDE, written)
        step, depth = _names.columns_for(names[1], narrow, wide, "small")
        width = around + inches(names[0], "small") + step * len(names[1])
        height = around + 0.2 + depth + row * len(names[0]) * points() / 10
        super().__init__(ax, max(least, width), height + 1.5 * (key or 0) * points("small") / 72)
        self.texts, self.names = texts, names

    def draw_cells(self, colors: Array) -> None:
        """Colour the cells, and name rows and columns."""
        ax, (high, wide) = self.ax, colors.shape[:2]
        borders = (np.arange(count + 1) - 0.5 for count in (wide, high))
        ax.pcolormesh(*borders, colors, edgecolor="white", linewidth=1.2, gid="cells")
        ax.set(xlim=(-0.5, wide - 0.5), ylim=(high - 0.5, -0.5))
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
        ax.set_yticks(range(high), self.names[0], fontsize="small")
        self.name_columns(self.names[1], size="small")
        _axes.set_as_text([*ax.get_yticklabels(), ax.xaxis.label, ax.yaxis.label])

    def write_cell(self, row: int, column: int, color: Any, **look: Any) -> None:
        """Write into a cell of some colour."""
        look = {"ha": "center", "va": "center", "color": _axes.ink_on(color)} | look
        # To TeX, a percent sign is the end of the line.
        _axes.set_as_text([self.ax.text(column, row, self.texts[row][column], **look)])


@draws_evaluation
def confusion(record: Confusion, ax: Axes | None = None) -> Axes:
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
    _axes.require(record, Confusion, "properly.decisions.confusion(y, d, classes)")
    counts = np.asarray(record.counts, dtype=float)
    total = counts.sum(axis=1, keepdims=True)
    share = np.divide(counts, total, out=np.full_like(counts, np.nan), where=total > 0)
    digits = 0 if np.all(counts == np.round(counts)) or counts.max() >= 1000 else 1
    cells = [
        [f"{count:,.{digits}f}{_percent(part)}" for count, part in pairs]
        for pairs in np.stack([counts, share], axis=-1).tolist()
    ]
    names = names_of(record.labels)
    picture, colors = Matrix(ax, cells, (names, names)), _axes.shades(share)
    picture.draw_cells(colors)
    for row, column in np.ndindex(share.shape):
        picture.write_cell(row, column, colors[row, column], fontsize="small", linespacing=1.3)
    at, side = np.arange(len(names)), 0.96
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": "black", "linewidth": 1.2}
    picture.ax.bar(at, side, side, at - side / 2, zorder=3, gid="right", **look)
    picture.ax.set(xlabel="decision", ylabel="truth (100 % in each row)")
    return picture.ax


def _percent(share: float) -> str:
    """Write a share of a row in percent, if there is any."""
    if not share > 0:
        return ""
    if 0.995 <= share < 1:
        return "\n>99 %"
    return "\n<1 %" if share < 0.005 else f"\n{100 * share:.0f} %"


class PairDifference(NamedTuple):
    """What is written into a cell, which row-minus-column it shows, and how sure that is."""

    text: str
    value: float = math.nan
    verdict: Verdict | None = None
    """None on the diagonal, and where a pair was not compared."""

    @property
    def is_open(self) -> bool:
        """Whether the models are not told apart."""
        return self.verdict == "open" and math.isfinite(self.value)


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
    models = _forest_plots.by_score(_forest_plots.require_comparison(record))
    cells, names = _cells(record, models), names_of(models)
    handles = _matrix_key(record, cells)
    texts = [[cell.text for cell in row] for row in cells]
    picture = Matrix(ax, texts, (names, names), len(handles))
    colors = _colors(cells, higher_is_better=record.higher_is_better)
    picture.draw_cells(colors)
    _write(picture, cells, colors)
    label = f"{score_of(record)}: row minus column,\neach model's own on the diagonal"
    picture.ax.set_xlabel(label)
    picture.draw_key(handles)
    return picture.ax


def _cells(record: Comparison, models: Sequence[str]) -> list[list[PairDifference]]:
    compared = {frozenset(pair) for pair in record.pairs}
    digits = decimals(np.diff(record.interval, axis=1) / 2)

    def cell(row: str, column: str) -> PairDifference:
        if row == column:
            return PairDifference(number(record.scores[row].value, digits))
        if frozenset((row, column)) not in compared:
            return PairDifference("")
        pair = record[row, column]
        text = _signed(pair.difference, digits)
        return PairDifference(text, pair.difference, verdict_on(record, pair))

    return [[cell(row, column) for column in models] for row in models]


def _signed(value: float, digits: int) -> str:
    """Write a difference with its sign, if it has one; two infinite scores have no difference."""
    if math.isnan(value):
        return "both ∞"
    if round(value, digits) == 0:
        return number(0.0, digits) if value else "0"
    printed = number(value, digits)
    return printed if printed.startswith(MINUS) else f"+{printed}"


def _colors(cells: Sequence[Sequence[PairDifference]], *, higher_is_better: bool) -> Array:
    """Mix colours with white: the side tells who is better, the strength by how much."""
    value = np.array([[cell.value for cell in row] for row in cells])
    verdict = np.array([[cell.verdict or "" for cell in row] for row in cells])
    size, alike = np.abs(value), verdict == "alike"
    most = np.max(size, where=np.isfinite(size), initial=0.0) or 1.0
    share = np.sqrt(np.minimum(np.nan_to_num(size), most) / most)
    is_sure = (verdict == "apart") | np.isinf(size)
    strength = np.where(is_sure, FAINT + (STRONG - FAINT) * share, PALE_SHARE)
    strength = np.where(alike, FAINT, strength)[..., None]
    row_better = (value > 0 if higher_is_better else value < 0)[..., None]
    full = np.where(row_better, rgb(ROW_BETTER), rgb(COLUMN_BETTER))
    mixed = 1 - strength * (1 - np.where(alike[..., None], rgb(ALIKE), full))
    nothing = (np.isnan(value) | (value == 0))[..., None]
    result: Array = np.where(nothing, rgb(NOTHING), mixed)
    return result


def _write(picture: Matrix, cells: Sequence[Sequence[PairDifference]], colors: Array) -> None:
    """Write numbers into the cells, in letters that fit, and hatch those that are open."""
    ax, rectangle = picture.ax, _names.from_matplotlib("patches").Rectangle
    longest = max(len(cell.text) for row in cells for cell in row)
    size = min(points("small"), 0.94 * 72 * picture.size[0] / len(cells) / (LETTER * longest))
    for i, j in np.ndindex(len(cells), len(cells)):
        look: dict[str, Any] = {"fontsize": size, "zorder": 2}
        if i == j:
            look["fontweight"] = "bold"
        if cells[i][j].is_open:
            corner = (j - 0.5, i - 0.5)
            ax.add_patch(rectangle(corner, 1, 1, gid="open", zorder=1.5, linewidth=0, **HATCHED))
            # On hatches letters need paper of their own.
            paper = {"boxstyle": "square,pad=0.12", "facecolor": colors[i, j], "linewidth": 0}
            look["bbox"] = paper
        picture.write_cell(i, j, colors[i, j], **look)


def _matrix_key(record: Comparison, cells: Sequence[Sequence[PairDifference]]) -> list[Any]:
    """Say what colours and hatches are, as far as they can be seen."""
    every = [cell for row in cells for cell in row]
    seen = {cell.verdict for cell in every if math.isfinite(cell.value)}
    is_better = any(cell.verdict == "apart" or math.isinf(cell.value) for cell in every)
    margin = 0.0 if record.margin is None else record.margin
    alike = f"as good as each other, within {margin:.4g} {score_of(record)}"
    looks: list[tuple[bool, str, dict[str, Any]]] = [
        (is_better, "model of the row better", {"color": ROW_BETTER, "alpha": STRONG}),
        (is_better, "model of the column better", {"color": COLUMN_BETTER, "alpha": STRONG}),
        ("alike" in seen, alike, {"color": ALIKE, "alpha": FAINT}),
        ("open" in seen, "not told apart", HATCHED | {"linewidth": 0.6}),
    ]
    return [legend_patch(label=label, **look) for is_seen, label, look in looks if is_seen]
