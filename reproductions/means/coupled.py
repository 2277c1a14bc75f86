"""Coupled Gaussians, normal distributions with heavier or no tails, and Nelson's classes of them.

Classes that are told apart by draws from several of them have posterior probabilities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._arrays import (
    as_column,
    as_floats,
    as_numbers,
    check_forecasts,
    refuse,
)
from properly._boundary._libraries import freeze, infinities, to_numpy
from properly._boundary._options import as_generator, as_number, check_choice, check_whole
from properly._boundary._text import many
from properly._boundary._tolerances import UNIT_SUM
from properly.errors import ArgumentTypeError, DataError
from properly.probability._power_means import check_precision

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from properly.typing import ArrayLike

    Numbers: TypeAlias = NDArray[np.float64]


# Couplings nearer to 0 than this count as 0: a radius times such a number would lose its digits.
TINY = 1e-290
# Up to this coupling, of either sign, the first terms of a series are exact to 2e-17.
SMALL = 1 / 40


@dataclass(frozen=True)
class CoupledGaussian:
    r"""A normal distribution whose tails one number makes heavy or cuts off.

    With coupling :math:`\kappa` and squared scale :math:`\sigma^2` the density at squared radius
    :math:`r^2 = (x - \mu)^2 / \sigma^2` is

    .. math:: \frac{(1 + \kappa r^2)_+^{-(1/\kappa + 1)/2}}{Z \, \sigma}.

    A positive coupling gives Student's t distribution with :math:`1/\kappa` degrees of freedom, 0
    the normal distribution, and a negative one a distribution on :math:`r^2 < 1/|\kappa|`.

    Parameters
    ----------
    location : float
        The centre.
    scale : float
        The *squared* scale.
    coupling : float
        Above -1.

    Notes
    -----
    The squared scale is the variance only if the coupling is 0. The variance is
    :math:`\sigma^2 / (1 - 2\kappa)`, and infinite from :math:`\kappa = 1/2` on.

    With :math:`\nu = 1/\kappa` degrees of freedom the divisor in :math:`d` dimensions is
    :math:`Z = (\pi\nu)^{d/2} \, \Gamma(\nu/2) / \Gamma((\nu + d)/2)`. In steps of two dimensions,

    .. math:: Z_{d} = Z_{d-2} \, \frac{2\pi}{1 + (d - 2)\kappa}, \qquad Z_2 = 2\pi,

    for couplings of either sign; so it is computed, without a difference of large numbers for
    couplings near 0. As extracted from a manuscript, the formula in [1]_ has no minus sign in the
    exponent; it may be there in the article.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286, Equation 14.
       `doi:10.3390/e19060286 <https://doi.org/10.3390/e19060286>`__

    Examples
    --------
    >>> from reproductions.means.coupled import CoupledGaussian
    >>> CoupledGaussian(coupling=0.5).density([0, 1, 10]).round(4)  # Student's t, 2 of freedom
    array([0.3536, 0.1925, 0.001 ])
    >>> CoupledGaussian(coupling=-1 / 3).density([0, 1, 10]).round(4)
    array([0.433 , 0.2887, 0.    ])
    """

    location: float = 0.0
    scale: float = 1.0
    coupling: float = 0.0

    def __post_init__(self) -> None:
        location, scale = as_number(self.location, "location"), as_number(self.scale, "scale")
        if not math.isfinite(location):
            message = f"location must be finite; got {location:g}"
            raise DataError(message)
        if not 0 < scale < math.inf:
            message = f"a scale must be positive and finite; got {scale:g}"
            raise DataError(message)
        for name, value in (("location", location), ("scale", scale)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "coupling", check_coupling(self.coupling))

    def density(self, x: ArrayLike) -> Numbers:
        """Return the density at points."""
        return np.asarray(np.exp(self.log_density(x)))

    def log_density(self, x: ArrayLike) -> Numbers:
        """Return the logarithm of the density at points; minus infinity outside the support."""
        points = to_numpy(as_floats(as_numbers(as_column(x, "x"), "x"))).astype(np.float64)
        if not np.isfinite(points).all():
            refuse(points, ~np.isfinite(points), "x must be finite")
        with infinities():
            r2 = (points - self.location) ** 2 / self.scale
        return log_density_at(r2, self.coupling) - math.log(self.scale) / 2

    def sample(self, n: int, rng: int | np.random.Generator | None = None) -> Numbers:
        r"""Draw independent points.

        With :math:`z` from the normal distribution, a positive coupling divides it by the root of
        :math:`\kappa` times a chi-square number of :math:`1/\kappa` degrees of freedom. A negative
        one puts it at a squared radius of :math:`b/|\kappa|`, where :math:`b` follows
        :math:`\text{Beta}(1/2, 1 + (1/|\kappa| - 1)/2)`. The same seed gives the same :math:`z`
        whatever the coupling.
        """
        n, generator, k = check_whole(n, "n"), as_generator(rng), self.coupling
        z = generator.standard_normal(n)
        with infinities():
            if k > 0:
                z = z / np.sqrt(k * generator.chisquare(1 / k, n))
            elif k < 0:
                b = generator.beta(0.5, 1 - (1 / k + 1) / 2, n)
                z = np.copysign(np.sqrt(b / -k), z)
            x: Numbers = self.location + math.sqrt(self.scale) * z
        if not np.isfinite(x).all():
            message = (
                f"draws must be below {np.finfo(float).max:.2g}; with a coupling of "
                f"{self.coupling:g} some are not"
            )
            raise DataError(message, hint="take a smaller coupling or scale.")
        return x


def log_density_at(r2: Numbers, k: float, d: int = 1) -> Numbers:
    """Return the logarithm of the density of a unit scale in d dimensions, at squared radii."""
    with infinities():
        # Outside the support the logarithm is that of 0.
        fall = r2 if k == 0 else np.log1p(np.maximum(k * r2, -1)) / k
    unit = d / 2 * math.log(2 * math.pi) - float(np.log1p(k * np.arange(d - 2, 0, -2)).sum())
    return np.asarray(-(1 + d * k) / 2 * fall - (unit - _half_step(k) if d % 2 else unit))


def check_coupling(coupling: float, d: int = 1) -> float:
    """Take a coupling that is possible in d dimensions; next to 0 it counts as 0."""
    number = as_number(coupling, "coupling")
    if not -1 / d < number < math.inf:
        least = "-1" if d == 1 else f"-1/{d} in {d} dimensions"
        message = f"a coupling must be finite and above {least}; got {number:g}"
        raise DataError(message)
    return 0.0 if abs(number) < TINY else number


def _half_step(k: float) -> float:
    """Return ln(Gamma(A + 1/2) / Gamma(A)) - ln(A) / 2 for A = 1/(2 |k|), with the sign of k.

    Both halves grow like A ln A, and the difference vanishes: hence the series near k = 0.
    """
    if abs(k) < SMALL:
        terms = (-1 / 4, 1 / 24, -1 / 20, 17 / 112, -31 / 36)
        return sum(term * k ** (2 * i + 1) for i, term in enumerate(terms))
    from scipy.special import gammaln

    A = 1 / (2 * abs(k))
    return math.copysign(1, k) * float(gammaln(A + 0.5) - gammaln(A) - math.log(A) / 2)


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
    >>> from reproductions.means.coupled import CoupledClasses, CoupledGaussian
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
        One per class, two or more.
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

    >>> from reproductions.means.coupled import CoupledClasses, CoupledGaussian
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
        return f"CoupledClasses({len(self)} classes)"

    def posterior(self, x: ArrayLike) -> Posterior:
        """Return the probability of every class at points."""
        return posterior_of(np.stack([f.log_density(x) for f in self.densities], 1), self.priors)

    def sample(
        self, n: int, rng: int | np.random.Generator | None = None
    ) -> tuple[NDArray[np.int64], Numbers]:
        """Draw classes, numbered from 0, and a point of each: independent cases."""
        n, generator = check_whole(n, "n"), as_generator(rng)
        y = generator.choice(len(self), size=n, p=self.priors).astype(np.int64)
        x = np.empty(n)
        for k, density in enumerate(self.densities):
            chosen = y == k
            if chosen.any():
                x[chosen] = density.sample(chosen.sum(), generator)
        return y, x


def posterior_of(log_density: Numbers, priors: Numbers) -> Posterior:
    """Return the probability of every class, given the logarithm of its density at each point."""
    with infinities():
        joint = log_density + np.log(priors)
    most = joint.max(axis=1, keepdims=True)
    undefined = np.isneginf(most)
    # Relative to the likeliest class, nothing overflows and the sum is 1 or more.
    share = np.where(undefined, priors, np.exp(joint - np.where(undefined, 0, most)))
    return Posterior(share / share.sum(axis=1, keepdims=True), int(undefined.sum()))


def _as_densities(densities: Sequence[CoupledGaussian]) -> tuple[CoupledGaussian, ...]:
    """Take two densities or more."""
    try:
        result = tuple(densities)
    except TypeError:
        result = (densities,)  # type: ignore[assignment]
    for k, density in enumerate(result):
        if not isinstance(density, CoupledGaussian):
            message = f"the density of a class must be a CoupledGaussian; class {k} has {density!r}"
            raise ArgumentTypeError(message)
    if len(result) < 2:
        message = f"there must be two classes or more; got {len(result)}"
        raise DataError(message)
    return result


def _as_priors(priors: ArrayLike | None, classes: int) -> Numbers:
    if priors is None:
        return np.full(classes, 1 / classes)
    result: Numbers = np.array(to_numpy(check_forecasts(priors, "priors")), dtype=np.float64)
    if len(result) != classes:
        message = f"one prior a class is needed; got {len(result)} for {classes} classes"
        raise DataError(message)
    if abs(result.sum() - 1) > UNIT_SUM:
        message = f"priors must sum to 1 within {UNIT_SUM:g}; they sum to {result.sum():g}"
        raise DataError(message)
    return np.asarray(result / result.sum())


# The coupling of Student's t distribution with two degrees of freedom.
HEAVY = 0.5
# Where the second class, orange in the paper, is centred; the first, green, is at 0.
ORANGE = 2.0


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """Simulated outcomes and forecasts, and the truth behind them.

    Attributes
    ----------
    y : ndarray of bool
        The outcomes.
    p : ndarray of float
        The forecasts.
    truth : ndarray of float
        The probability with which each outcome was drawn.

    Examples
    --------
    >>> from reproductions.means.coupled import nelson
    >>> nelson(100, rng=1)
    Simulation(100 cases, 100 distinct forecasts)
    """

    y: NDArray[np.bool_]
    p: Numbers
    truth: Numbers

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        """Count the cases."""
        return len(self.p)

    def __repr__(self) -> str:
        distinct = many(len(np.unique(self.p)), "distinct forecast")
        return f"Simulation({many(len(self), 'case')}, {distinct})"


@dataclass(frozen=True, eq=False)
class NelsonCase:
    """Two classes as they are, and as a model takes them to be.

    Attributes
    ----------
    source : CoupledClasses
        What cases are drawn from.
    model : CoupledClasses
        What forecasts are made with.

    Examples
    --------
    >>> from reproductions.means.coupled import NELSON_CASES
    >>> case = NELSON_CASES["variance 2"]
    >>> case.source.densities[1], case.model.densities[1]
    (CoupledGaussian(location=2.0, scale=1.0, coupling=0.5),
     CoupledGaussian(location=2.0, scale=2.0, coupling=0.5))
    """

    source: CoupledClasses
    model: CoupledClasses


def _classes(
    green: float, orange: float, *, location: float = ORANGE, scale: float = 1.0, prior: float = 0.5
) -> CoupledClasses:
    """Couple both classes; what else is said is of the orange one."""
    densities = CoupledGaussian(0.0, 1.0, green), CoupledGaussian(location, scale, orange)
    return CoupledClasses(densities, (1 - prior, prior))


def _wrong_about_orange(coupling: float) -> dict[str, NelsonCase]:
    """Name the models that are wrong about the centre or the spread of the orange class."""
    source = _classes(coupling, coupling)
    models = {
        "mean 1": _classes(coupling, coupling, location=1.0),
        "mean 3": _classes(coupling, coupling, location=3.0),
        "variance 0.5": _classes(coupling, coupling, scale=0.5),
        "variance 2": _classes(coupling, coupling, scale=2.0),
    }
    return {name: NelsonCase(source, model) for name, model in models.items()}


class _CasesByName(dict[str, NelsonCase]):
    """The cases of `nelson`, by name."""  # so that help(NELSON_CASES) does not explain dict


_T, _NORMAL = _classes(HEAVY, HEAVY), _classes(0.0, 0.0)

NELSON_CASES: dict[str, NelsonCase] = _CasesByName(
    {
        "perfect": NelsonCase(_T, _T),
        **_wrong_about_orange(HEAVY),
        "tail over": NelsonCase(_T, _NORMAL),
        "tail over, one class": NelsonCase(_T, _classes(HEAVY, 0.0)),
        "tail under": NelsonCase(_NORMAL, _T),
        "tail under, one class": NelsonCase(_NORMAL, _classes(0.0, HEAVY)),
        "prior 0.8": NelsonCase(_T, _classes(HEAVY, HEAVY, prior=0.8)),
        "gaussian": NelsonCase(_NORMAL, _NORMAL),
        **{f"gaussian, {name}": case for name, case in _wrong_about_orange(0.0).items()},
    }
)


def nelson(
    n: int,
    case: str = "perfect",
    *,
    precision: float | None = 0.01,
    rng: int | np.random.Generator | None = None,
) -> Simulation:
    r"""Draw two classes and a model's forecasts of them, as in Nelson's figures.

    A case is green or orange, equally likely, and shows a number from a coupled Gaussian around 0
    or around 2 with squared scale 1. The forecast is the probability of orange, the event, given
    that number, according to a model that may be wrong.

    Parameters
    ----------
    n : int
        How many cases.
    case : str
        A key of `NELSON_CASES`. The source has coupling 1/2 for both classes; in ``"gaussian"``
        and what begins with it, and in ``"tail under"``, it has coupling 0. The model is

        - ``"perfect"``, ``"gaussian"``: the source itself;
        - ``"mean 1"``, ``"mean 3"``: orange around 1 or 3 instead of 2;
        - ``"variance 0.5"``, ``"variance 2"``: orange with that squared scale instead of 1;
        - ``"tail over"``: both classes with coupling 0; over-confident far out;
        - ``"tail under"``: both classes with coupling 1/2; not confident enough far out;
        - ``"tail over, one class"``, ``"tail under, one class"``: the same of orange alone;
        - ``"prior 0.8"``: orange with probability 0.8 instead of 1/2;
        - ``"gaussian, mean 1"`` and the like: the same errors with coupling 0 throughout.
    precision : float, optional
        Forecasts are moved into [precision, 1 - precision], as in the paper's examples. None:
        they stay as they are.
    rng : int or numpy Generator, optional
        A seed or a source of randomness.

    Returns
    -------
    Simulation
        The truth is the probability of orange given the number, according to the source, and is
        not moved by `precision`.

    Notes
    -----
    The same seed gives the same outcomes and the same truth whatever model is wrong about a source.

    What the paper calls a variance is a squared scale: with coupling 1/2 the variance is infinite.
    The paper announces an error of amplitude without showing one; a prior of 0.8 stands for it. The
    cases that begin with ``"gaussian"`` are added for comparison.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286, Section 5.
       `doi:10.3390/e19060286 <https://doi.org/10.3390/e19060286>`__

    Examples
    --------
    >>> from reproductions.means.coupled import nelson
    >>> s = nelson(1000, "tail over", rng=1)
    >>> s
    Simulation(1,000 cases, 790 distinct forecasts)
    >>> float(s.p.max()), float(s.truth.max().round(2))
    (0.99, 0.88)
    """
    chosen = NELSON_CASES[check_choice(case, tuple(NELSON_CASES), "case")]
    y, x = chosen.source.sample(n, rng)
    truth, p = (side.posterior(x).p[:, 1] for side in (chosen.source, chosen.model))
    return Simulation(y == 1, limit_event(p, precision), truth)


def limit_event(p: Numbers, precision: float | None) -> Numbers:
    """Move probabilities of an event into [precision, 1 - precision]; None moves nothing."""
    least = check_precision(precision, 2)
    return p if least is None else np.clip(p, least, 1 - least)
