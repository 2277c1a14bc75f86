"""Two classes as they are and as a model takes them to be: densities, posteriors, ROC curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from properly import plots
from properly.errors import ArgumentTypeError, DataError
from reproductions.means.coupled import CoupledClasses

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from properly.typing import Column
    from reproductions.means.coupled import CoupledGaussian


# Points of the quadrature for each density, and how many powers of ten of its mass may be left out.
POINTS, LEFT_OUT = 4001, 7
# Beyond this, the hyperbolic sine cannot be written.
FARTHEST = 600.0


def coupled_classes(
    source: CoupledClasses, model: CoupledClasses, *, precision: float | None = None
) -> Figure:
    r"""Draw two classes, a model of them, and the ROC curves it has and expects.

    The four panels are those of `properly.plots.two_classes`.

    Parameters
    ----------
    source : CoupledClasses
        Two classes in one dimension, as they are: for example one of `NELSON_CASES`.
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

    The parameter written scale² is the scale that `CoupledGaussian` takes, which is a
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
    sides = _two_in_one(source, "source"), _two_in_one(model, "model")
    densities = [density for side in sides for density in side.densities]
    x = _quadrature(densities)
    priors = np.concatenate([source.priors, model.priors])
    with np.errstate(divide="ignore"):
        log = [
            one.log_density(x) + np.log(prior) for one, prior in zip(densities, priors, strict=True)
        ]
    columns = zip(*map(_parameters, densities), strict=True)
    parameters = dict(zip(("location", "scale²", "coupling"), columns, strict=True))
    parameters["prior"] = tuple(priors.tolist())
    return plots.two_classes(x, log[:2], log[2:], parameters=parameters, precision=precision)


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


def _quadrature(densities: list[CoupledGaussian]) -> Column:
    """Return points that are close where any density bends, and reach as far as its tails."""
    grids = []
    for density in densities:
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
