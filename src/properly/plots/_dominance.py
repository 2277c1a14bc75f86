"""Two models at all thresholds together: the difference, its band, and where one is better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._notices import import_extra
from properly.decisions._dominance import Dominance
from properly.decisions._murphy_bands import ENOUGH
from properly.errors import ArgumentTypeError, DataError
from properly.plots._axes import (
    CURVE,
    GREY,
    PALETTE,
    RIBBON,
    TEXT,
    legible,
    plain_axes,
    set_as_text,
)
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import fold, inches
from properly.plots._row_axes import draw_key, key_line, span_of
from properly.plots._threshold_axis import draw_zero, show_thresholds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.plots._axes import Limits
    from properly.plots._threshold_axis import Axis
    from properly.typing import Column

Names: TypeAlias = tuple[str, str]

HEIGHT = {
    "brier": "difference in mean elementary score",
    "regret": "difference in regret",
    "net benefit": "difference in net benefit",
}
# Of the ranges in which the first is better, and the second.
COLORS = PALETTE[:2]
SHADE = 0.13
AIR = 0.05
# The least share of the height on either side of zero, for the names beside it.
LEAST_SIDE = 0.13
# The share of the height that a line of its label may take, before a key takes some of it.
LABEL = 0.9
# Letters of a name beside a picture that is not ours to widen.
SHORT = 18


@draws_evaluation
def dominance(
    record: Dominance,
    ax: Axes | None = None,
    *,
    names: Sequence[str] = ("first model", "second model"),
    axis: Axis | None = None,
    limits: Limits | None = None,
) -> Axes:
    r"""Draw the difference of two models over thresholds, with one band for all.

    Where the band lies on one side of zero the model that is named there is better, and these
    thresholds are shaded in its colour. The band holds for all thresholds together, so one may
    look for them. There is none where too few cases are judged differently by the two models: there
    the line is dotted.

    Parameters
    ----------
    record : Dominance
        From `properly.decisions.dominance`; on any of its scales.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Limits that its owner has set stay.
    names : two str
        Names of the first model and of the second.
    axis : {"linear", "log-odds"}, optional
        Even steps in the threshold or in its log-odds, which make room for small thresholds. That
        of the Axes if left out; a new one is linear.
    limits : Interval or pair of float, optional
        The thresholds to show; those that were compared if left out.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Between the thresholds at which the models were compared nothing is claimed; lines join them.

    References
    ----------
    .. [1] W. Ehm, T. Gneiting, A. Jordan, F. Krüger (2016). Of quantiles and expectiles: consistent
       scoring functions, Choquet representations and forecast rankings. Journal of the Royal
       Statistical Society B 78:505-562. `doi:10.1111/rssb.12154 <https://doi.org/10.1111/rssb.12154>`__

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> crash = properly.datasets.crash()
    >>> first, second = (
    ...     properly.Cases(crash.died, crash.forecasts[name], clusters=crash.cluster)
    ...     for name in ("logistic", "forest")
    ... )
    >>> found = properly.decisions.dominance(first, second, within=(0.01, 0.3), rng=1)
    >>> ax = plots.dominance(found, names=("logistic", "forest"))
    >>> [text.get_text() for text in ax.texts]
    ['forest\nbetter', 'logistic\nbetter']
    """
    if not isinstance(record, Dominance):
        message = f"this picture is drawn from a Dominance; got {type(record).__name__}"
        raise ArgumentTypeError(
            message, hint="make one with properly.decisions.dominance(first, second)."
        )
    both = _two(names)
    own = ax is None
    ax = plain_axes(ax, 5.2 + inches(map(legible, both), "small"), 4.6)
    _show(ax, record, axis, limits)
    shaded = _shade_ranges(ax, record)
    _draw_band(ax, record)
    _draw_difference(ax, record)
    draw_zero(ax)
    _set_height(ax, record)
    sides = both if record.scale == "net benefit" else both[::-1]
    _name_sides(ax, [legible(name if own else _shortened(name)) for name in sides])
    draw_key(ax, _key(ax, record, both, shaded), own=own)
    return ax


def _two(names: Sequence[str]) -> Names:
    """Take the names of two models."""
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != 2:
        message = f"names must be those of the first and of the second model; got {names!r}"
        raise DataError(message)
    first, second = map(str, names)
    return first, second


def _shortened(name: str) -> str:
    """Leave out the middle of a name that would take the room from the picture."""
    return name if len(name) <= SHORT else f"{name[: SHORT - 7]}…{name[-6:]}"


def _show(ax: Axes, record: Dominance, axis: Axis | None, limits: Limits | None) -> None:
    ends = float(record.threshold[0]), float(record.threshold[-1])
    show_thresholds(
        ax,
        axis,
        limits,
        choices=("linear", "log-odds"),
        thresholds=[record.threshold],
        usual=ends if ends[0] < ends[1] else (0, 1),
    )
    high = ax.get_window_extent().height / ax.figure.dpi
    ax.set_ylabel(fold(HEIGHT[record.scale], LABEL * high))


def _shade_ranges(ax: Axes, record: Dominance) -> tuple[bool, bool]:
    """Shade where one model is better; tell of both whether they are anywhere."""
    for color, runs in zip(COLORS, (record.better, record.worse), strict=True):
        for first, last in runs:
            # A border of one point, so that a threshold that is alone can be seen.
            ax.axvspan(first, last, color=color, alpha=SHADE, linewidth=1, zorder=0.5, gid="better")
    return bool(record.better), bool(record.worse)


def _draw_band(ax: Axes, record: Dominance) -> None:
    """Draw the band where there is one; where it is one at a single threshold, as a line."""
    x, finite = record.threshold, np.isfinite(record.upper)
    look: dict[str, Any] = {"color": GREY, "gid": "band"}
    ax.fill_between(
        x, record.lower, record.upper, where=finite.tolist(), alpha=2 * RIBBON, linewidth=0, **look
    )
    beside = np.concatenate([[False], finite, [False]])
    alone = finite & ~beside[:-2] & ~beside[2:]
    if alone.any():
        ax.vlines(x[alone], record.lower[alone], record.upper[alone], alpha=2 * RIBBON, **look)
        ax.plot(x[alone], record.difference[alone], ".", color=TEXT, zorder=2.5, gid="alone")


def _draw_difference(ax: Axes, record: Dominance) -> None:
    """Draw the difference: a line where it has a band, dots elsewhere."""
    finite = np.isfinite(record.upper)
    ax.plot(
        record.threshold, record.difference, ":", color=TEXT, linewidth=1, zorder=2, gid="no band"
    )
    solid = np.where(finite, record.difference, np.nan)
    ax.plot(record.threshold, solid, color=TEXT, linewidth=1.6, zorder=2.5, gid=CURVE)


def _set_height(ax: Axes, record: Dominance) -> None:
    """Show the band, the difference and zero, unless the owner of the Axes has decided."""
    if not ax.get_autoscaley_on():
        return
    seen = _in_view(ax, record)
    heights = [x[seen] for x in (record.difference, record.lower, record.upper)]
    least, most = span_of([*heights, [0.0]])
    reach = max(-least, most) * LEAST_SIDE / (1 - LEAST_SIDE)
    least, most = min(least, -reach), max(most, reach)
    air = AIR * (most - least)
    ax.set_ylim(least - air, most + air)


def _in_view(ax: Axes, record: Dominance) -> Column:
    left, right = sorted(ax.get_xlim())
    seen: Column = (record.threshold >= left) & (record.threshold <= right)
    return seen


def _name_sides(ax: Axes, sides: Sequence[str]) -> None:
    """Write at the right end which model is better above zero, and which below."""
    for name, lift, height in zip(sides, (1, -1), ("bottom", "top"), strict=True):
        result = ax.annotate(
            f"{name}\nbetter",
            (1, 0),
            (6, 3 * lift),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="left",
            va=height,
            fontsize="small",
            color=TEXT,
            annotation_clip=False,
            gid="side",
        )
        set_as_text([result])


def _key(ax: Axes, record: Dominance, names: Names, shaded: tuple[bool, bool]) -> list[Any]:
    """Say what is what, as far as it can be seen."""
    patch = import_extra("matplotlib.patches", extra="plots").Patch
    handles = [
        patch(color=color, alpha=2 * SHADE, linewidth=0, label=f"{legible(name)} better")
        for name, color, some in zip(names, COLORS, shaded, strict=True)
        if some
    ]
    finite = np.isfinite(record.upper[_in_view(ax, record)])
    if finite.any():
        said = f"{100 * record.level:.4g} % band for all thresholds at once"
        handles.append(patch(color=GREY, alpha=2 * RIBBON, linewidth=0, label=said))
    if not finite.all():
        said = f"no band: fewer than {ENOUGH} events, or non-events, judged differently"
        handles.append(key_line(TEXT, 1, said, ":"))
    return handles
