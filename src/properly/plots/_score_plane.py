"""Miscalibration against discrimination: scores of several models at a glance.

What a picture shows, in print and on the page, is described by `ScorePlane`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from properly.calibration._decomposition import Decomposition
from properly.decisions._grid import round_step
from properly.plots._axes import GREY, Color, Picture, by_name, inks, require_one
from properly.plots._evaluation import draws_evaluation
from properly.plots._names import digits_for, legible, number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

    from properly.plots._names import Box

LINE = "#C9CCD1"
# Beyond the farthest point, and lines of equal score at most.
AIR, LINES = 1.12, 7


class Isoline(NamedTuple):
    """A line of equal score: its ends, its score, and the decimals that show it."""

    start: tuple[float, float]
    end: tuple[float, float]
    score: float
    digits: int


class ScorePlane(NamedTuple):
    """What a picture shows: from 0 to these, with lines around the score of no skill."""

    right: float
    top: float
    uncertainty: float

    def isolines(self) -> list[Isoline]:
        """Choose round scores, none so near to that of no skill that two labels would collide."""
        least, most = max(self.uncertainty - self.top, 0.0), self.uncertainty + self.right
        step = round_step((most - least) / LINES)
        digits = next(d for d in range(325) if abs(step - round(step, d)) < 1e-3 * step)
        first, last = math.ceil(least / step - 1e-9), math.floor(most / step + 1e-9)
        scores = [k * step for k in range(first, last + 1)]
        apart = [x for x in scores if abs(x - self.uncertainty) > 0.6 * step]
        lines = [self._isoline(x, digits) for x in apart]
        return [*lines, self._isoline(self.uncertainty, digits_for(self.uncertainty))]

    def _isoline(self, score: float, digits: int) -> Isoline:
        height = self.uncertainty - score  # of the line, where the miscalibration is zero
        start, end = max(0.0, -height), min(self.right, self.top - height)
        return Isoline((start, start + height), (end, end + height), score, digits)

    def bars(self, parts: Decomposition) -> list[Box]:
        """Return left, bottom, right and top of the bars across a point, if it has intervals."""
        if parts.intervals is None:
            return []
        x, y = min(parts.miscalibration, self.right), parts.discrimination
        left, right = (min(max(end, 0.0), self.right) for end in parts.intervals.miscalibration)
        bottom, top = (min(max(end, 0.0), self.top) for end in parts.intervals.discrimination)
        bars = [(left, y, right, y), (x, bottom, x, top)]
        return [bar for bar in bars if not any(map(math.isnan, bar))]


def plane_of(models: Iterable[Decomposition]) -> ScorePlane:
    """Make room for all finite points and intervals."""
    models = list(models)
    ends = [x.intervals for x in models if x.intervals is not None]
    right = _farthest([x.miscalibration for x in models] + [x.miscalibration[1] for x in ends])
    top = _farthest([x.discrimination for x in models] + [x.discrimination[1] for x in ends])
    uncertainty = max(x.uncertainty for x in models)
    other = right or top or uncertainty or 1.0
    return ScorePlane(AIR * (right or other), AIR * (top or other), uncertainty)


def _farthest(values: Iterable[float]) -> float:
    return max((value for value in values if math.isfinite(value)), default=0.0)


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
    picture = Picture(ax, 4.9, 4.4)
    uncertainty = (parts.uncertainty for parts in models.values())
    require_one(uncertainty, "uncertainty", relative=True)
    plane = plane_of(models.values())
    picture.ax.set(xlim=(0, plane.right), ylim=(0, plane.top))
    picture.ax.set(xlabel="miscalibration (MCB)", ylabel="discrimination (DSC)")
    _draw_isolines(picture, plane)
    texts = [
        _draw_model(picture, plane, name, models[name], ink.color)
        for name, ink in inks(models, color).items()
    ]
    if picture.own:
        # The layout moves the points, and names follow them.
        picture.figure.draw_without_rendering()
    picture.place_names(texts, [box for parts in models.values() for box in plane.bars(parts)])
    return picture.ax


def _draw_isolines(picture: Picture, plane: ScorePlane) -> None:
    """Draw lines of equal score, with the score where each leaves the picture."""
    above: dict[float, str] = {}
    beside: dict[float, str] = {}
    for line in plane.isolines():
        no_skill = line.score == plane.uncertainty
        color, width = (GREY, 1.2) if no_skill else (LINE, 0.6)
        corners: Any = zip(line.start, line.end, strict=True)
        picture.ax.plot(*corners, zorder=1, gid="isoline", color=color, linewidth=width)
        label = ("UNC " if no_skill else "") + number(line.score, line.digits)
        if line.end[0] < plane.right:
            above[line.end[0]] = label
        else:
            beside[line.end[1]] = label
    look = {"labelsize": "x-small", "labelcolor": GREY, "pad": 2}
    upper = picture.write_side("top", above, **look)
    picture.write_side("right", beside, **look)
    upper.set_xlabel("mean score", fontsize="x-small", color=GREY, loc="left")


def _draw_model(
    picture: Picture, plane: ScorePlane, name: str, parts: Decomposition, color: str
) -> Annotation:
    """Draw one point with its bars, and return its name, which is yet to be placed."""
    ax, infinite = picture.ax, math.isinf(parts.miscalibration)
    x, y = plane.right if infinite else parts.miscalibration, parts.discrimination
    thin: dict[str, Any] = {"color": color, "linewidth": 0.8, "zorder": 2}
    for left, bottom, right, top in plane.bars(parts):
        ax.plot([left, right], [bottom, top], gid="interval", **thin)
        nearest = min(max(x, left), right), min(max(y, bottom), top)
        if nearest != (x, y):
            ax.plot([nearest[0], x], [nearest[1], y], linestyle=":", **thin)
    marker, size = (">", 7) if infinite else ("o", 5.5)
    look: dict[str, Any] = {"color": color, "zorder": 3, "clip_on": False, "gid": "model"}
    ax.plot(x, y, marker=marker, markersize=size, **look)
    paper = {"boxstyle": "square,pad=0.1", "facecolor": "white", "alpha": 0.8, "linewidth": 0}
    said = legible(name) + " (MCB ∞)" * infinite
    return picture.write(said, (x, y), fontsize="small", bbox=paper)
