"""A picture of metrics over the epochs of a training run, and of where each is best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._classes import require_columns
from properly.plots._axes import GREY, TEXT, Ink, Picture, inks, round_steps
from properly.plots._case_plots import DASHES, DOT
from properly.plots._names import legible, number
from reproductions.epochs.history import LARGER, as_larger, best_epochs, pearson, read_history

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes

    from properly.plots._axes import Ends
    from properly.typing import Column
    from reproductions.epochs.history import History

BEST = "best"
# How near dots may be, in shares of all epochs, before one is stacked upon the other; and how high
# a storey is, in shares of the scale.
NEAR, STOREY = 0.03, 0.042


def training(
    history: History,
    ax: Axes | None = None,
    *,
    reference: str | None = None,
    larger: str | Iterable[str] = LARGER,
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
    >>> from reproductions.epochs.picture import training
    >>> history = {"log": [0.9, 0.7, 0.6, 0.8], "macro_f1": [0.2, 0.4, 0.5, 0.6]}
    >>> ax = training(history, reference="macro_f1")
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
    picture = Picture(ax, 6.6, 3.9)
    first = sum(line.get_color() != TEXT for line in picture.curves)
    ink = inks(oriented, None, first, {} if reference is None else {reference: Ink(TEXT, "-")})
    if reference is not None:
        best = best_epochs(oriented[reference], 1)[0]
        mark = "best of the reference"
        picture.ax.axvline(best, color=GREY, gid=mark, zorder=1, **DASHES)
    for name, x in oriented.items():
        label = f"{legible(name)}, epoch {best_epochs(x, 1)[0]}"
        if reference not in (None, name):
            label += f", r = {number(pearson(x, oriented[str(reference)]), 2)}"
        width = 2.4 if name == reference else 1.4
        corners = np.arange(len(x)), scaled(x)
        picture.draw_curve(corners, ink[name], name, linewidth=width, label=label)
    _draw_best(picture.ax, oriented, ink)
    _set_axes(picture)
    picture.name_ends()
    return picture.ax


def scaled(oriented: Column) -> Column:
    """Bring values to the range from 0 to 1; infinite ones have no place there."""
    finite = np.where(np.isfinite(oriented), oriented, np.nan)
    present = finite[~np.isnan(finite)]
    if not present.size or present.min() == present.max():
        return finite * 0 + 0.5
    # Halved, since the difference of huge numbers may be infinite.
    low, high = present.min() / 2, present.max() / 2
    return np.asarray((finite / 2 - low) / (high - low))


def _draw_best(ax: Axes, oriented: Mapping[str, Column], ink: Mapping[str, Ink]) -> None:
    """Put a dot on the best epoch of each metric, or on the dots that are there already."""
    there = [(float(x), float(y)) for x, y in _dots(ax)]
    for name, values in oriented.items():
        epoch = int(best_epochs(values, 1)[0])
        if np.isfinite(values[epoch]):
            height = stacked(epoch, float(scaled(values)[epoch]), there, NEAR * len(values))
            there.append((epoch, height))
            ax.scatter(epoch, height, s=30, color=ink[name].color, gid=BEST, **DOT)


def stacked(epoch: float, height: float, there: Iterable[Ends], near: float) -> float:
    """Return the lowest storey from a height on where a dot touches none of those there."""
    taken = sorted(y for x, y in there if abs(x - epoch) < near)
    for y in taken:
        if abs(y - height) < STOREY / 2:
            height = y + STOREY
    return height


def _dots(ax: Axes) -> Column:
    result = [x.get_offsets() for x in ax.collections if x.get_gid() == BEST]
    return np.concatenate([np.asarray(x, dtype=float) for x in result] or [np.empty((0, 2))])


def _set_axes(picture: Picture) -> None:
    """Name the ends of the scale, which are all that metrics have in common."""
    ax = picture.ax
    ax.set(xlabel="epoch", ylabel="each at its own scale")
    if ax.get_autoscaley_on():
        ax.set_ylim(-0.04, np.max(_dots(ax)[:, 1], initial=1) + 0.05, auto=None)
        ax.set_yticks([0, 1], ["worst", "best"])
    if ax.get_autoscalex_on():
        last = max(float(np.max(line.get_xdata())) for line in picture.curves)
        ax.set_xlim(0, max(last, 1), auto=None)
        ax.xaxis.set_major_locator(round_steps(6, integer=True))
