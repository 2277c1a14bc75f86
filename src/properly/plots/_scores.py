"""Miscalibration against discrimination: scores of several models at a glance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from properly._boundary._notices import import_extra
from properly.calibration._decomposition import Decomposition
from properly.errors import DataError
from properly.plots._axes import (
    GREY,
    TEXT,
    Color,
    by_name,
    digits_for,
    inks,
    legible,
    number,
    plain_axes,
    set_as_text,
)
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import place_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

ROUNDING = 1e-9
LINE = "#C9CCD1"


class Window(NamedTuple):
    """What the picture shows: from 0 to these, and lines around this score."""

    right: float
    top: float
    uncertainty: float


@draws_evaluation
def mcb_dsc(
    decompositions: Decomposition | Mapping[str, Decomposition],
    ax: Axes | None = None,
    *,
    color: Color | None = None,
) -> Axes:
    """Draw the miscalibration of each model against its discrimination.

    Good models lie high and to the left. Models on one grey line have the same mean score, which is
    written at its end: ``score = MCB - DSC + UNC``. The thicker line through the origin is that of
    the constant event rate (UNC); forecasts below it are worse than that. A triangle on the right
    edge is a model whose miscalibration is infinite.

    Parameters
    ----------
    decompositions : dict of Decomposition by model
        From `properly.decompose`, with one rule and the same cases. Intervals, where there are
        any, are thin bars. They allow for the noise that recalibration fits too; a point that lies
        outside its bar for this reason is joined to it by dots.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. Its limits are set.
    color : str or dict of str by model, optional
        Colour of the points; Okabe and Ito's palette if left out.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan, P. Vogel (2024). Evaluating probabilistic
       classifiers: the triptych. International Journal of Forecasting 40:1101-1122.
       `doi:10.1016/j.ijforecast.2023.09.007 <https://doi.org/10.1016/j.ijforecast.2023.09.007>`__

    Examples
    --------
    >>> import properly
    >>> from properly import plots
    >>> e = properly.evaluate([0, 1, 1], {"good": [0.1, 0.8, 0.7], "poor": [0.5, 0.5, 0.6]})
    >>> ax = plots.mcb_dsc({name: rules["brier"] for name, rules in e.decompositions.items()})
    >>> [text.get_text() for text in ax.texts]
    ['good', 'poor']
    """
    models = by_name(decompositions, Decomposition, "properly.decompose(tally, rule)")
    own = ax is None
    ax = plain_axes(ax, 4.9, 4.4)
    window = _window(models.values())
    ax.set(xlim=(0, window.right), ylim=(0, window.top))
    ax.set(xlabel="miscalibration (MCB)", ylabel="discrimination (DSC)")
    _draw_isolines(ax, window)
    ink = inks(models, color)
    texts = [
        _draw_model(ax, window, legible(name), parts, ink[name].color)
        for name, parts in models.items()
    ]
    if own:
        # The layout moves the points, and names follow them.
        cast("Figure", ax.figure).draw_without_rendering()
    place_names(ax, texts, [box for parts in models.values() for box in _bars(window, parts)])
    return ax


def _window(models: Iterable[Decomposition]) -> Window:
    models = list(models)
    uncertainty = [parts.uncertainty for parts in models]
    least, greatest = min(uncertainty), max(uncertainty)
    if greatest - least > ROUNDING * greatest:
        message = (
            "models are compared on the same cases, which have one uncertainty; "
            f"got {least:.6g} to {greatest:.6g}"
        )
        raise DataError(message, hint="draw the models of each data set on Axes of their own.")
    right = _farthest(parts.miscalibration for parts in models)
    top = _farthest(parts.discrimination for parts in models)
    for parts in models:
        if parts.intervals is not None:
            right = max(right, _farthest(parts.intervals.miscalibration))
            top = max(top, _farthest(parts.intervals.discrimination))
    fallback = right or top or greatest or 1.0
    return Window(1.1 * (right or fallback), 1.1 * (top or fallback), greatest)


def _farthest(values: Iterable[float]) -> float:
    return max((value for value in values if math.isfinite(value)), default=0.0)


def _draw_isolines(ax: Axes, window: Window) -> None:
    """Draw lines of equal score, with the score where each leaves the picture."""
    above: dict[float, str] = {}
    beside: dict[float, str] = {}
    for score, label in {**_pretty_scores(window), **_no_skill(window)}.items():
        height = window.uncertainty - score  # of the line, where the miscalibration is zero
        start, end = max(0.0, -height), min(window.right, window.top - height)
        emphasis = score == window.uncertainty
        ax.plot(
            [start, end],
            [start + height, end + height],
            color=GREY if emphasis else LINE,
            linewidth=1.2 if emphasis else 0.6,
            zorder=1,
            gid="isoline",
        )
        if end < window.right:
            above[end] = label
        else:
            beside[end + height] = label
    _label_ends(ax, above, beside)


def _no_skill(window: Window) -> dict[float, str]:
    digits = digits_for(window.uncertainty)
    return {window.uncertainty: f"UNC {number(window.uncertainty, digits)}"}


def _pretty_scores(window: Window) -> dict[float, str]:
    """Choose round scores, none so near to that of no skill that two labels would collide."""
    ticker = import_extra("matplotlib.ticker", extra="plots")
    locator = ticker.MaxNLocator(nbins=9, steps=[1, 2, 2.5, 5, 10])
    least, greatest = window.uncertainty - window.top, window.uncertainty + window.right
    scores = [float(score) for score in locator.tick_values(least, greatest)]
    step = scores[1] - scores[0]
    exact = (d for d in range(1, 20) if abs(step - round(step, d)) < 1e-3 * step)
    digits = next(exact, digits_for(step))
    return {
        score: number(score, digits)
        for score in scores
        if least < score < greatest
        and abs(score - window.uncertainty) > 0.6 * step
        and score > -1e-9
    }


def _label_ends(ax: Axes, above: Mapping[float, str], beside: Mapping[float, str]) -> None:
    # Axes of their own, so that a title and the layout make room for the labels.
    upper, outer = ax.secondary_xaxis("top"), ax.secondary_yaxis("right")
    upper.set_xticks(list(above), list(above.values()))
    outer.set_yticks(list(beside), list(beside.values()))
    for edge in (upper, outer):
        edge.tick_params(length=0, labelsize="x-small", labelcolor=GREY, pad=2)
        edge.spines[:].set_visible(False)
    upper.set_xlabel("mean score", fontsize="x-small", color=GREY, loc="left")


def _bars(window: Window, parts: Decomposition) -> list[tuple[float, float, float, float]]:
    """Return left, bottom, right and top of the bars across a point, if it has intervals."""
    if parts.intervals is None:
        return []
    x, y = min(parts.miscalibration, window.right), parts.discrimination
    left, right = (min(end, window.right) for end in parts.intervals.miscalibration)
    bottom, top = parts.intervals.discrimination
    return [(left, y, right, y), (x, bottom, x, top)]


def _draw_model(
    ax: Axes, window: Window, name: str, parts: Decomposition, color: str
) -> Annotation:
    """Draw one point with its bars, and return its name, which is yet to be placed."""
    infinite = math.isinf(parts.miscalibration)
    x = window.right if infinite else parts.miscalibration
    y = parts.discrimination
    thin: dict[str, Any] = {"color": color, "linewidth": 0.8, "zorder": 2}
    for left, bottom, right, top in _bars(window, parts):
        ax.plot([left, right], [bottom, top], gid="interval", **thin)
        nearest = min(max(x, left), right), min(max(y, bottom), top)
        if nearest != (x, y):
            ax.plot([nearest[0], x], [nearest[1], y], linestyle=":", **thin)
    ax.plot(
        x,
        y,
        ">" if infinite else "o",
        color=color,
        markersize=7 if infinite else 5.5,
        zorder=3,
        clip_on=False,
        gid="model",
    )
    said = f"{name} (MCB ∞)" if infinite else name
    text = ax.annotate(
        said,
        (x, y),
        (0, 0),
        textcoords="offset points",
        fontsize="small",
        color=TEXT,
        bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "alpha": 0.8, "linewidth": 0},
    )
    set_as_text([text])
    return text
