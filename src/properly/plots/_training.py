"""Training runs: metrics over epochs, each at a scale of its own, and where each is best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._labels import require_columns
from properly._boundary._notices import import_extra
from properly.comparison._epochs import LARGER, as_larger, best_epochs, pearson, read_history
from properly.plots._axes import (
    GREY,
    TEXT,
    Color,
    Ink,
    curves,
    draw_curve,
    inks,
    legible,
    number,
    plain_axes,
)
from properly.plots._names import name_ends

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

    from properly.comparison._epochs import History
    from properly.typing import Column


BEST, MARK = "best", "best of the reference"
# How near dots may be, in shares of all epochs, before one is stacked upon the other; and how high
# a storey is, in shares of the scale.
NEAR, STOREY = 0.03, 0.042


def training(
    history: History,
    ax: Axes | None = None,
    *,
    reference: str | None = None,
    larger: str | Iterable[str] = LARGER,
    color: Color | None = None,
) -> Axes:
    """Draw metrics over the epochs of a training run, and mark where each is best.

    Every metric is turned so that upwards is better, and scaled to its own range: its worst epoch
    is at the bottom and its best at the top, where a dot marks it. Metrics whose lines are alike
    and whose dots are close together would select much the same epoch. Dots that would touch are
    stacked.

    Parameters
    ----------
    history : dict of array-like, or data frame
        Values by epoch of each metric. Of a frame, every column is a metric.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    reference : str, optional
        A metric to compare the others with. It is drawn in black, a dashed line goes down from its
        best epoch, and the names of others tell their correlation with it.
    larger : str or sequence of str
        The metrics for which larger is better, the reference among them if it is one. All others
        are losses.
    color : str or dict of str by metric, optional
        Colour of the curves; the next of Okabe and Ito's palette if left out.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Epochs are counted from 0; of equal values the earliest is the best. An infinite loss leaves a
    gap, and a metric that never changes is a line half way up. The correlation r is Pearson's,
    with losses turned round: 1 is agreement.

    Scales of their own make lines comparable, and hide how much a metric changes at all.

    References
    ----------
    .. [1] R. Ahmadian, M. Ghatee, J. Wahlström (2024). Superior scoring rules for probabilistic
       evaluation of single-label multi-class classification tasks. `arXiv:2407.17697
       <https://arxiv.org/abs/2407.17697>`__, figure 3.

    Examples
    --------
    >>> from properly import plots
    >>> history = {"log": [0.9, 0.7, 0.6, 0.8], "macro_f1": [0.2, 0.4, 0.5, 0.6]}
    >>> ax = plots.training(history, reference="macro_f1")
    >>> [text.get_text() for text in ax.texts]
    ['macro_f1, epoch 3', 'log, epoch 2, r = .53']
    """
    values = read_history(history)
    if reference is not None:
        require_columns([reference], list(values), "a history")
    up = as_larger(larger, values)
    # The reference first, and broader: it is seen behind a line that covers it.
    names = sorted(values, key=lambda name: name != reference)
    oriented = {name: values[name] if name in up else -values[name] for name in names}
    own = ax is None
    ax = plain_axes(ax, 6.6, 3.9)
    ink = _inks(ax, oriented, reference, color)
    if reference is not None:
        _mark(ax, best_epochs(oriented[reference], 1)[0])
    for name, x in oriented.items():
        corners = np.arange(len(x)), scaled(x)
        draw_curve(ax, corners, ink[name], "", width=2.4 if name == reference else 1.4)
        curves(ax)[-1].set_label(_named(name, oriented, reference))
    _draw_best(ax, oriented, ink)
    _set_axes(ax)
    name_ends(ax, own=own)
    return ax


def scaled(oriented: Column) -> Column:
    """Bring values to the range from 0 to 1; infinite ones have no place there."""
    finite = np.where(np.isfinite(oriented), oriented, np.nan)
    present = finite[~np.isnan(finite)]
    if not present.size or present.min() == present.max():
        return finite * 0 + 0.5
    # The difference of huge numbers may be infinite.
    size = np.abs(present).max()
    share = present / size
    return np.asarray((finite / size - share.min()) / np.ptp(share))


def _inks(
    ax: Axes, names: Iterable[str], reference: str | None, color: Color | None
) -> dict[str, Ink]:
    """Give each metric an ink of the palette; the reference is black unless a colour is asked."""
    others = [name for name in names if name != reference]
    result = inks(others, color, sum(line.get_color() != TEXT for line in curves(ax)))
    if reference is None:
        return result
    chosen = color.get(reference) if isinstance(color, Mapping) else None
    return result | {reference: Ink(chosen or TEXT, "-")}


def _named(name: str, oriented: Mapping[str, Column], reference: str | None) -> str:
    label = f"{legible(name)}, epoch {best_epochs(oriented[name], 1)[0]}"
    if reference in (None, name):
        return label
    return f"{label}, r = {number(pearson(oriented[name], oriented[str(reference)]), 2)}"


def _mark(ax: Axes, epoch: int) -> None:
    ax.axvline(epoch, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1, gid=MARK)


def _draw_best(ax: Axes, oriented: Mapping[str, Column], ink: Mapping[str, Ink]) -> None:
    """Put a dot on the best epoch of each metric, or on the dots that are there already."""
    there = [(float(x), float(y)) for x, y in _dots(ax)]
    for name, values in oriented.items():
        epoch = int(best_epochs(values, 1)[0])
        if not np.isfinite(values[epoch]):
            continue
        height = stacked(epoch, float(scaled(values)[epoch]), there, NEAR * len(values))
        there.append((epoch, height))
        ax.scatter(
            epoch,
            height,
            s=30,
            color=ink[name].color,
            edgecolor="white",
            linewidth=0.8,
            zorder=3,
            clip_on=False,
            gid=BEST,
        )


def stacked(
    epoch: float, height: float, there: Iterable[tuple[float, float]], near: float
) -> float:
    """Return the lowest storey from a height on where a dot touches none of those there."""
    taken = sorted(y for x, y in there if abs(x - epoch) < near)
    for y in taken:
        if abs(y - height) < STOREY / 2:
            height = y + STOREY
    return height


def _dots(ax: Axes) -> Column:
    result = [x.get_offsets() for x in ax.collections if x.get_gid() == BEST]
    return np.concatenate([np.asarray(x, dtype=float) for x in result] or [np.empty((0, 2))])


def _set_axes(ax: Axes) -> None:
    """Name the ends of the scale, which are all that metrics have in common."""
    ax.set(xlabel="epoch", ylabel="each at its own scale")
    if ax.get_autoscaley_on():
        ax.set_ylim(-0.04, np.max(_dots(ax)[:, 1], initial=1) + 0.05, auto=None)
        ax.set_yticks([0, 1], ["worst", "best"])
    if ax.get_autoscalex_on():
        ticker = import_extra("matplotlib.ticker", extra="plots")
        last = max(float(np.max(line.get_xdata())) for line in curves(ax))
        ax.set_xlim(0, max(last, 1), auto=None)
        ax.xaxis.set_major_locator(ticker.MaxNLocator(nbins=6, steps=[1, 2, 5, 10], integer=True))
