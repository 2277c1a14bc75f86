"""Two classes as they are and as a model takes them to be: densities, posteriors, ROC curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from properly.counts._pooling import pool
from properly.counts._scoring import concordance
from properly.decisions import RocCurve
from properly.errors import ArgumentTypeError, DataError
from properly.plots import _diagrams
from properly.plots._axes import (
    PALE,
    PALETTE,
    TEXT,
    Ink,
    Picture,
    new_figure,
    open_frame,
    set_as_text,
)
from properly.plots._names import MINUS
from reproductions.means.coupled import CoupledClasses, limit_event

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from properly.typing import Column
    from reproductions.means.coupled import CoupledGaussian


# Green and vermilion: class 0 and class 1.
COLORS = PALETTE[2], PALETTE[1]
# The source lies below, broad and pale, so that a model that equals it can be seen on top.
LOOK: dict[str, dict[str, Any]] = {
    "source": {"linestyle": "-", "linewidth": 3.4, "alpha": 0.42},
    "model": {"linestyle": (0, (4, 2)), "linewidth": 1.5},
}
# Scales beyond the outermost centres that the picture shows.
BEYOND = 5.0
# Points of the quadrature for each density, and how many powers of ten of its mass may be left out.
POINTS, LEFT_OUT = 4001, 7
# Beyond this, the hyperbolic sine cannot be written.
FARTHEST = 600.0


class Compared(NamedTuple):
    """Two classes, as they are and as they are taken to be."""

    source: CoupledClasses
    model: CoupledClasses
    precision: float | None

    def sides(self) -> dict[str, CoupledClasses]:
        """Return both by name."""
        return {"source": self.source, "model": self.model}


def coupled_classes(
    source: CoupledClasses, model: CoupledClasses, *, precision: float | None = None
) -> Figure:
    r"""Draw two classes, a model of them, and the ROC curves it has and expects.

    Four panels: a) the parameters, those of the model in bold where they are not those of the
    source; b) the densities of both classes, solid for the source and dashed for the model; c) the
    probabilities of the classes, which are what the model forecasts; d) ROC curves of class 1.
    The actual curve has the order of the model and the densities of the source. The predicted one
    has the order and the densities of the model: it is what somebody expects who believes in it.

    Parameters
    ----------
    source : CoupledClasses
        Two classes in one dimension, as they are: from `properly.datasets`.
    model : CoupledClasses
        The same two, as they are taken to be.
    precision : float, optional
        Move the probabilities of the model into ``[precision, 1 - precision]``. This makes ties
        where they were nearer to 0 or 1.

    Returns
    -------
    matplotlib Figure

    Notes
    -----
    Areas are computed by the trapezoidal rule at points :math:`\mu + \sigma \sinh u` around each
    of the four densities, out to where less than a ten-millionth of its mass is left.

    The parameter written :math:`\sigma^2` is the scale that `CoupledGaussian` takes, which is a
    squared one.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286. `doi:10.3390/e19060286
       <https://doi.org/10.3390/e19060286>`__, figures 3 and 4.

    Examples
    --------
    >>> from reproductions.means.coupled import NELSON_CASES
    >>> from reproductions.means.coupled_plot import coupled_classes
    >>> case = NELSON_CASES["mean 1"]
    >>> figure = coupled_classes(case.source, case.model)
    >>> [text.get_text() for text in figure.axes[3].get_legend().get_texts()]
    ['actual, AUC .828', 'predicted, AUC .705']
    """
    both = Compared(_two_in_one(source, "source"), _two_in_one(model, "model"), precision)
    posterior = _posteriors(both, _shown(both))
    figure = new_figure(9.6, 7.2)
    table, density, chance, roc = figure.subplots(2, 2).ravel()
    limited = "" if precision is None else f", model limited to {precision:g}"
    posteriors = f"probabilities of the classes{limited}"
    titles = ("parameters", "densities", posteriors, "ROC curves of class 1")
    for letter, title, ax in zip("abcd", titles, (table, density, chance, roc), strict=True):
        open_frame(ax)
        ax.set_title(f"{letter}) {title}", loc="left", fontsize="medium")
    _write_parameters(table, both)
    _draw_densities(density, both)
    _draw_lines(chance, _shown(both), posterior)
    chance.set(ylim=(-0.02, 1.02), ylabel="probability", xlabel="x")
    _draw_roc(roc, both)
    return figure


def _two_in_one(given: object, name: str) -> CoupledClasses:
    """Take two classes."""
    if not isinstance(given, CoupledClasses):
        message = f"{name} must be CoupledClasses; got {type(given).__name__}"
        raise ArgumentTypeError(
            message, hint="make them with reproductions.means.coupled.CoupledClasses."
        )
    if len(given.densities) != 2:
        message = f"this picture is of two classes; {name} has {len(given.densities)}"
        raise DataError(message)
    return given


def _parameters(density: CoupledGaussian) -> tuple[float, float, float]:
    """Return the location, the squared scale and the coupling of a density in one dimension."""
    return density.location, density.scale, density.coupling


def _all_densities(both: Compared) -> list[CoupledGaussian]:
    return [*both.source.densities, *both.model.densities]


def _quadrature(both: Compared) -> Column:
    """Return points that are close where any density bends, and reach as far as its tails."""
    grids = []
    for density in _all_densities(both):
        location, square, coupling = _parameters(density)
        u = np.linspace(-1, 1, POINTS) * _reach(coupling)
        grids.append(location + np.sqrt(square) * np.sinh(u))
    return np.unique(np.concatenate(grids))


def _reach(coupling: float) -> float:
    """Return how far out almost all mass lies, as the inverse hyperbolic sine of the radius."""
    if coupling < 0:
        return float(np.arcsinh(1 / np.sqrt(-coupling)))
    # The mass beyond the radius r falls like (r sqrt(coupling)) ** (-1 / coupling).
    tail = LEFT_OUT * np.log(10) * coupling - np.log(coupling or 1) / 2 + np.log(2)
    return float(np.clip(tail, np.arcsinh(10), FARTHEST))


def _roc_curve(ordered_by: Column, densities: CoupledClasses, x: Column) -> RocCurve:
    """Return the curve of class 1, given the order of all points and what weighs them."""
    width = np.gradient(x)
    columns = [density.density(x) * width for density in densities.densities]
    value, none, events = pool(ordered_by, columns)
    rates = [np.append(0, np.cumsum(mass[::-1])) for mass in (none, events)]
    threshold = np.append(np.inf, expit(value[::-1]))
    false, true = (rate / rate[-1] for rate in rates)
    return RocCurve(false, true, threshold, concordance(none, events), hull=False)


def roc_curves(both: Compared) -> dict[str, RocCurve]:
    """Return the curve that a model has, and the one that it expects to have."""
    x = _quadrature(both)
    with np.errstate(divide="ignore"):
        # The logarithm of the odds tells forecasts apart that are both 1 when rounded.
        none, event = np.log(both.model.posterior(x).p.T)
    order = event - none
    if both.precision is not None:
        most = logit(1 - both.precision)
        order = np.clip(order, -most, most)
    sides = {"actual": both.source, "predicted": both.model}
    return {name: _roc_curve(order, densities, x) for name, densities in sides.items()}


def _shown(both: Compared) -> Column:
    """Return the points that the picture shows: evenly spaced, and closer where it bends."""
    ends = []
    for location, square, _ in map(_parameters, _all_densities(both)):
        ends += [location - BEYOND * np.sqrt(square), location + BEYOND * np.sqrt(square)]
    x = _quadrature(both)
    inside = x[(x > min(ends)) & (x < max(ends))]
    return np.union1d(inside, np.linspace(min(ends), max(ends), 1001))


def _posteriors(both: Compared, x: Column) -> dict[str, Column]:
    """Return the probabilities of both classes, one row a class; the model's within its limits."""
    source, model = (side.posterior(x).p for side in both.sides().values())
    event = limit_event(model[:, 1], both.precision)
    return {"source": source.T, "model": np.stack([1 - event, event])}


def _draw_lines(ax: Axes, x: Column, sides: dict[str, Column]) -> None:
    for name, rows in sides.items():
        for color, y in zip(COLORS, rows, strict=True):
            ax.plot(x, y, color=color, zorder=2.5, gid=name, **LOOK[name])
    ax.set_xlim(x[0], x[-1])


def _draw_densities(ax: Axes, both: Compared) -> None:
    x = _shown(both)
    sides = {
        name: np.stack([density.density(x) for density in side.densities])
        for name, side in both.sides().items()
    }
    _draw_lines(ax, x, sides)
    ax.set(ylabel="density", xlabel="x")
    ax.set_ylim(bottom=0)
    lines = ax.get_lines()
    names = ("class 0, source", "class 1, source", "class 0, model", "class 1, model")
    ax.legend(lines, names, loc="best", frameon=False, fontsize="small")


def _draw_roc(ax: Axes, both: Compared) -> None:
    found = roc_curves(both)
    ink = {"actual": Ink(TEXT, "-"), "predicted": Ink(TEXT, "--")}
    picture = Picture(ax)
    picture.square()
    _diagrams.draw_hits(picture, found, ink)
    for line, (name, curve) in zip(picture.curves, found.items(), strict=True):
        line.set_label(f"{name}, {_diagrams.area(curve)}")
    look = LOOK["source"]
    picture.curves[0].set(linewidth=look["linewidth"], alpha=look["alpha"])
    picture.name_curves("lower right")


def _write_parameters(ax: Axes, both: Compared) -> None:
    """Write a table: for each class what it is, and what it is taken to be."""
    ax.set_axis_off()
    ax.set(xlim=(0, 1), ylim=(0, 1))
    columns = {"location": 0.46, "scale²": 0.63, "coupling": 0.82, "prior": 1.0}
    for name, x in columns.items():
        ax.text(x, 0.86, name, ha="right", va="center", color=TEXT, fontsize="small")
    for k, color in enumerate(COLORS):
        top = 0.72 - 0.36 * k
        ax.axhline(top + 0.08, color=PALE, linewidth=0.8)
        ax.text(0.0, top, f"class {k}", va="center", color=color, fontweight="bold")
        rows = [
            (*_parameters(side.densities[k]), float(side.priors[k]))
            for side in both.sides().values()
        ]
        for side, row, y in zip(LOOK, rows, (top, top - 0.14), strict=True):
            ax.text(0.17, y, side, va="center", color=TEXT)
            for value, other, x in zip(row, rows[0], columns.values(), strict=True):
                weight = "bold" if value != other else "normal"
                ax.text(x, y, _printed(value), ha="right", va="center", fontweight=weight)
    ax.axhline(0.08, color=PALE, linewidth=0.8)
    set_as_text(ax.texts)


def _printed(value: float) -> str:
    return f"{value:.4g}".replace("-", MINUS)
