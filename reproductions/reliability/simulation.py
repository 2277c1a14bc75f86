"""The simulated forecasts of the paper on CORP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._arrays import check_forecasts
from properly._boundary._options import as_generator, check_choice, check_whole
from properly.errors import ArgumentTypeError, DataError
from reproductions.means.coupled import Simulation

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]
    Curve: TypeAlias = Callable[[Numbers], Numbers]

DISTRIBUTIONS = ("uniform", "linear", "beta-mixture")
# The mixture has a Beta(1, SHAPE) part of this share; the rest is uniform.
SHAPE, SHARE = 10, 0.75


def corp(
    n: int,
    *,
    distribution: str = "uniform",
    values: int | None = None,
    curve: Curve | None = None,
    rng: int | np.random.Generator | None = None,
) -> Simulation:
    r"""Draw independent forecasts and outcomes as in the paper on CORP.

    Parameters
    ----------
    n : int
        How many cases.
    distribution : {"uniform", "linear", "beta-mixture"}
        The density of the forecasts on [0, 1]: :math:`q(x) = 1`; :math:`q(x) = 0.4 + 1.2 x`; or
        three parts of Beta(1, 10) with one part uniform,
        :math:`q(x) = 7.5 (1 - x)^9 + 0.25`.
    values : int, optional
        Draw one of :math:`k` values instead of any number: :math:`x_j = (2j - 1) / (2k)` for
        :math:`j = 1, \dots, k`, with probabilities proportional to :math:`q(x_j)`.
    curve : callable, optional
        The probability of the event at each forecast, from an array to an array, such as
        `numpy.sqrt`. The forecasts themselves if left out: then they are calibrated.
    rng : int or numpy Generator, optional
        A seed or a source of randomness.

    Returns
    -------
    Simulation

    Notes
    -----
    The same seed gives the same forecasts whatever the `curve`. Continuous forecasts are found by
    inverting the distribution function, the parts of the mixture each by its own.

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan (2021). Stable reliability diagrams for
       probabilistic classifiers. Proceedings of the National Academy of Sciences 118:e2016191118,
       Appendix A. `doi:10.1073/pnas.2016191118 <https://doi.org/10.1073/pnas.2016191118>`__

    Examples
    --------
    >>> import numpy as np
    >>> import properly
    >>> from reproductions.reliability.simulation import corp
    >>> s = corp(1000, distribution="linear", values=4, curve=np.sqrt, rng=1)
    >>> np.unique(s.p)
    array([0.125, 0.375, 0.625, 0.875])
    >>> properly.tally(s.y, s.p)
    Tally(1,000 cases at 4 distinct forecasts, event rate 0.747)
    """
    n = check_whole(n, "n")
    check_choice(distribution, DISTRIBUTIONS, "distribution")
    if curve is not None and not callable(curve):
        message = f"a curve is a function from forecasts to probabilities; got {curve!r}"
        raise ArgumentTypeError(message)
    generator = as_generator(rng)
    if values is None:
        p = _continuous(n, distribution, generator)
    else:
        p = _discrete(n, distribution, check_whole(values, "values"), generator)
    truth = p if curve is None else _truth(curve, p)
    return Simulation(generator.random(n) < truth, p, truth)


def _continuous(n: int, distribution: str, rng: np.random.Generator) -> Numbers:
    u = rng.random(n)
    if distribution == "uniform":
        return u
    if distribution == "linear":
        # The root of 0.6 x^2 + 0.4 x = u, written so that nothing cancels near 0.
        return 2 * u / (0.4 + np.sqrt(0.16 + 2.4 * u))
    beta = -np.expm1(np.log1p(-u) / SHAPE)
    return np.where(rng.random(n) < SHARE, beta, u)


def _discrete(n: int, distribution: str, k: int, rng: np.random.Generator) -> Numbers:
    x = (2 * np.arange(k) + 1) / (2 * k)
    weight = _density(x, distribution)
    return rng.choice(x, size=n, p=weight / weight.sum())


def _density(x: Numbers, distribution: str) -> Numbers:
    if distribution == "uniform":
        return np.ones_like(x)
    if distribution == "linear":
        return 0.4 + 1.2 * x
    return SHARE * SHAPE * (1 - x) ** (SHAPE - 1) + (1 - SHARE)


def _truth(curve: Curve, p: Numbers) -> Numbers:
    truth: Numbers = np.array(
        check_forecasts(curve(p.copy()), "the values of a curve"), dtype=float
    )
    if len(truth) != len(p):
        message = (
            f"a curve must give one probability for each forecast; got {len(truth)} for {len(p)}"
        )
        raise DataError(message)
    return truth
