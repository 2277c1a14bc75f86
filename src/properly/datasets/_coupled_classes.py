"""Classes that are known by numbers from coupled Gaussians, and what the numbers tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._arrays import check_forecasts
from properly._boundary._libraries import freeze, to_numpy
from properly._boundary._options import as_generator, check_whole
from properly._boundary._plain import many
from properly.datasets._coupled import CoupledGaussian
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from properly.typing import ArrayLike

    Numbers: TypeAlias = NDArray[np.float64]

# How far off 1 priors may sum.
SLACK = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """The probabilities of classes, given a point.

    Attributes
    ----------
    p : ndarray of float
        One row a point, one column a class.
    undefined : int
        At how many points no class has a density above 0. Their rows are the priors.

    Examples
    --------
    >>> from properly.datasets import CoupledClasses, CoupledGaussian
    >>> near, far = CoupledGaussian(0, coupling=-1 / 3), CoupledGaussian(2, coupling=-1 / 3)
    >>> CoupledClasses([near, far]).posterior([-1, 1, 3, 5])
    Posterior(4 points, 2 classes, 1 undefined)
    """

    p: Numbers
    undefined: int

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        """Count the points."""
        return len(self.p)

    def __repr__(self) -> str:
        points, classes = many(len(self), "point"), self.p.shape[1]
        return f"Posterior({points}, {classes} classes, {self.undefined:,} undefined)"


@dataclass(frozen=True, eq=False, repr=False)
class CoupledClasses:
    r"""Classes, each with a prior and a coupled Gaussian.

    By Bayes' theorem class :math:`k` has at :math:`x` the probability

    .. math:: \frac{\pi_k f_k(x)}{\sum_j \pi_j f_j(x)}.

    Parameters
    ----------
    densities : sequence of CoupledGaussian
        One a class, two or more, all of the same dimension.
    priors : array-like, optional
        The probability of each class. Equal if left out.

    Notes
    -----
    Probabilities are computed from the logarithms of densities, so that they are right far out,
    where densities are too small to be written. Where no class has any density, outside the
    support of all, they are 0/0; the prior is reported there, and how often that was.

    Examples
    --------
    Two normal distributions with the same variance make a logistic function.

    >>> from properly.datasets import CoupledClasses, CoupledGaussian
    >>> classes = CoupledClasses([CoupledGaussian(0), CoupledGaussian(2)])
    >>> classes.posterior([0, 1, 100]).p.round(4)
    array([[0.8808, 0.1192],
           [0.5   , 0.5   ],
           [0.    , 1.    ]])

    With heavy tails they return to the priors.

    >>> heavy = CoupledClasses([CoupledGaussian(0, coupling=0.5), CoupledGaussian(2, coupling=0.5)])
    >>> heavy.posterior([0, 1, 100]).p.round(4)
    array([[0.8386, 0.1614],
           [0.5   , 0.5   ],
           [0.4849, 0.5151]])
    """

    densities: Sequence[CoupledGaussian]
    priors: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "densities", _as_densities(self.densities))
        object.__setattr__(self, "priors", _as_priors(self.priors, len(self.densities)))
        freeze(self)

    def __len__(self) -> int:
        """Count the classes."""
        return len(self.densities)

    def __repr__(self) -> str:
        return f"CoupledClasses({len(self)} classes, {self.densities[0].dimension}-D)"

    def posterior(self, x: ArrayLike) -> Posterior:
        """Return the probability of every class at points."""
        with np.errstate(divide="ignore"):
            joint = np.stack([f.log_density(x) for f in self.densities], 1) + np.log(self.priors)
        most = joint.max(axis=1, keepdims=True)
        undefined = np.isneginf(most)
        # Relative to the likeliest class, nothing overflows and the sum is 1 or more.
        share = np.where(undefined, self.priors, np.exp(joint - np.where(undefined, 0, most)))
        return Posterior(share / share.sum(axis=1, keepdims=True), int(undefined.sum()))

    def sample(
        self, n: int, rng: int | np.random.Generator | None = None
    ) -> tuple[NDArray[np.int64], Numbers]:
        """Draw classes, numbered from 0, and a point of each: independent cases."""
        n, generator = check_whole(n, "n"), as_generator(rng)
        y = generator.choice(len(self), size=n, p=self.priors).astype(np.int64)
        x = np.empty((n, self.densities[0].dimension))
        for k, density in enumerate(self.densities):
            chosen = y == k
            if chosen.any():
                x[chosen] = density.sample(chosen.sum(), generator).reshape(-1, x.shape[1])
        return y, x if np.ndim(self.densities[0].location) else x[:, 0]


def _as_densities(densities: Sequence[CoupledGaussian]) -> tuple[CoupledGaussian, ...]:
    """Take two densities or more, of one dimension."""
    try:
        found = tuple(densities)
    except TypeError:
        found = (densities,)  # type: ignore[assignment]
    for k, density in enumerate(found):
        if not isinstance(density, CoupledGaussian):
            message = f"the density of a class must be a CoupledGaussian; class {k} has {density!r}"
            raise ArgumentTypeError(message)
    if len(found) < 2:
        message = f"there must be two classes or more; got {len(found)}"
        raise DataError(message)
    for k, density in enumerate(found):
        if density.dimension != found[0].dimension:
            message = (
                f"all classes must have the same dimension; class 0 has {found[0].dimension}, "
                f"class {k} has {density.dimension}"
            )
            raise DataError(message)
    return found


def _as_priors(priors: ArrayLike | None, classes: int) -> Numbers:
    if priors is None:
        return np.full(classes, 1 / classes)
    found: Numbers = np.array(to_numpy(check_forecasts(priors, "priors")), dtype=np.float64)
    if len(found) != classes:
        message = f"one prior a class is needed; got {len(found)} for {classes} classes"
        raise DataError(message)
    if abs(found.sum() - 1) > SLACK:
        message = f"priors must sum to 1 within {SLACK:g}; they sum to {found.sum():g}"
        raise DataError(message)
    return np.asarray(found / found.sum())
