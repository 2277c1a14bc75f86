"""Tables with a row for each class as heat maps: confusion, and costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._labels import as_classes
from properly.decisions._confusion import Confusion
from properly.errors import ArgumentTypeError, DataError
from properly.plots._axes import MINUS, ink_on, new_figure, set_as_text, shades
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import (
    columns_for,
    inches,
    name_columns,
    names_of,
    points,
)
from properly.rules._costs import as_matrix
from properly.rules._costs import cost_matrix as check_costs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from properly.rules._costs import Cost

Table: TypeAlias = np.ndarray[Any, Any]

# Inches of a cell: at least for a number, at most for a picture.
NARROW, WIDE = 0.62, 1.1
ROW = 0.5


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
    if not isinstance(record, Confusion):
        message = f"this picture is drawn from a Confusion; got {type(record).__name__}"
        raise ArgumentTypeError(
            message, hint="make one with properly.decisions.confusion(y, d, classes)."
        )
    counts = np.asarray(record.counts, dtype=float)
    total = counts.sum(axis=1, keepdims=True)
    share = np.divide(counts, total, out=np.full_like(counts, np.nan), where=total > 0)
    digits = 0 if np.all(counts == np.round(counts)) or counts.max() >= 1000 else 1
    cells = [
        [f"{count:,.{digits}f}" + (_percent(part) if shares else "") for count, part in pairs]
        for pairs in np.stack([counts, share], axis=-1).tolist()
    ]
    names = names_of(record.labels)
    ax = _draw(ax, share, cells, (names, names))
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
    return _draw(ax, (result - result.min()) / spread, cells, _names(result.shape, labels))


def _costs(matrix: Cost, labels: int | Sequence[object] | None) -> Table:
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


def _draw(
    ax: Axes | None,
    share: Table,
    cells: Sequence[Sequence[str]],
    names: tuple[list[str], list[str]],
) -> Axes:
    """Shade the cells, the first row on top, write into them, and frame right decisions."""
    if ax is None:
        ax = _new_axes(cells, *names)
    high, wide = share.shape
    colors = shades(share)
    borders = (np.arange(count + 1) - 0.5 for count in (wide, high))
    ax.pcolormesh(*borders, colors, edgecolor="white", linewidth=1.2, gid="cells")
    texts = [
        ax.text(
            column,
            row,
            cells[row][column],
            ha="center",
            va="center",
            fontsize="small",
            linespacing=1.3,
            color=ink_on(colors[row, column]),
        )
        for row, column in np.ndindex(high, wide)
    ]
    if high <= wide:
        _frame_diagonal(ax, high)
    ax.set(xlim=(-0.5, wide - 0.5), ylim=(high - 0.5, -0.5), xlabel="decision", ylabel="truth")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_yticks(range(high), names[0], fontsize="small")
    # To TeX, a percent sign is the end of the line.
    set_as_text([*texts, *ax.get_yticklabels(), ax.yaxis.label])
    name_columns(ax, names[1], size="small")
    return ax


def _new_axes(
    cells: Sequence[Sequence[str]], truths: Sequence[str], decisions: Sequence[str]
) -> Axes:
    written = inches((cell for row in cells for cell in row), "small") + 0.1
    step, depth = columns_for(decisions, max(NARROW, written), max(WIDE, written), "small")
    width = 0.7 + inches(truths, "small") + step * len(decisions)
    return new_figure(width, 0.9 + depth + ROW * len(truths) * points() / 10).add_subplot()


def _frame_diagonal(ax: Axes, cells: int) -> None:
    """Frame the right decisions."""
    at, side = np.arange(cells), 0.96
    ax.bar(
        at,
        side,
        side,
        at - side / 2,
        facecolor="none",
        edgecolor="black",
        linewidth=1.2,
        zorder=3,
        gid="right",
    )
