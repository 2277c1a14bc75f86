"""Coupled Gaussians, normal distributions with heavier or no tails, and Nelson's classes of them.

Classes that are told apart by draws from several of them have posterior probabilities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._arrays import (
    as_array,
    as_column,
    as_floats,
    as_numbers,
    check_forecasts,
    refuse,
)
from properly._boundary._infinities import infinities
from properly._boundary._libraries import freeze, to_numpy
from properly._boundary._options import as_generator, as_number, check_choice, check_whole
from properly._boundary._text import many
from properly._boundary._tolerances import SAME_FORECAST, UNIT_SUM
from properly.errors import ArgumentTypeError, DataError
from properly.probability._power_means import limit_event

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


@dataclass(frozen=True, eq=False, repr=False)
class CoupledGaussian:
    r"""A normal distribution whose tails one number makes heavy or cuts off.

    With scale matrix :math:`\Sigma`, coupling :math:`\kappa` and dimension :math:`d` the density
    at squared radius :math:`r^2 = (x - \mu)' \Sigma^{-1} (x - \mu)` is

    .. math:: \frac{(1 + \kappa r^2)_+^{-(1/\kappa + d)/2}}{Z \, |\Sigma|^{1/2}}.

    A positive coupling gives Student's t distribution with :math:`1/\kappa` degrees of freedom, 0
    the normal distribution, and a negative one a distribution on the ellipsoid
    :math:`r^2 < 1/|\kappa|`.

    Parameters
    ----------
    location : float or array-like
        The centre: a number, or a list of :math:`d` numbers.
    scale : float or array-like
        The scale matrix, :math:`d` by :math:`d`. A number is a *squared* scale, the same in all
        directions.
    coupling : float
        Above :math:`-1/d`.

    Notes
    -----
    The scale matrix is the covariance matrix only if the coupling is 0. The covariance is
    :math:`\Sigma / (1 - 2\kappa)`, and infinite from :math:`\kappa = 1/2` on.

    With :math:`\nu = 1/\kappa` degrees of freedom the divisor is
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
    >>> from properly.datasets import CoupledGaussian
    >>> CoupledGaussian(coupling=0.5).density([0, 1, 10]).round(4)  # Student's t, 2 of freedom
    array([0.3536, 0.1925, 0.001 ])
    >>> CoupledGaussian(coupling=-1 / 3).density([0, 1, 10]).round(4)
    array([0.433 , 0.2887, 0.    ])
    >>> CoupledGaussian([0, 0], [[1, 0.5], [0.5, 1]], 0.25).covariance
    array([[2., 1.],
           [1., 2.]])
    """

    location: Any = 0.0
    scale: Any = 1.0
    coupling: float = 0.0
    # The scale matrix is this lower triangle times its transpose.
    _root: Numbers = field(init=False)

    def __post_init__(self) -> None:
        location = _as_location(self.location)
        scale = _as_scale(self.scale, np.size(location))
        result = {
            "location": location,
            "scale": scale,
            "coupling": _as_coupling(self.coupling, np.size(location)),
            "_root": _root_of(scale, np.size(location)),
        }
        for name, value in result.items():
            object.__setattr__(self, name, value)
        freeze(self)

    def __repr__(self) -> str:
        if isinstance(self.location, float) and isinstance(self.scale, float):
            facts = f"location={self.location}, scale={self.scale}"
        else:
            facts = f"{self.dimension}-D"
        return f"CoupledGaussian({facts}, coupling={self.coupling})"

    @property
    def dimension(self) -> int:
        """How many numbers a draw consists of."""
        return len(self._root)

    @property
    def log_normalization(self) -> float:
        r"""The logarithm of :math:`Z |\Sigma|^{1/2}`, what the density is divided by."""
        unit = _log_normalization(self.coupling, self.dimension)
        return unit + float(np.log(np.diag(self._root)).sum())

    @property
    def covariance(self) -> float | Numbers:
        """A number if the location is one, else a matrix; infinite from a coupling of 1/2 on.

        Covariances are then undefined, NaN, since they are differences of infinite parts.
        """
        if self.coupling < 0.5:
            matrix = self.scale if np.ndim(self.scale) else self.scale * np.eye(self.dimension)
            result = matrix / (1 - 2 * self.coupling)
        else:
            result = np.where(np.eye(self.dimension) == 1, np.inf, np.nan)
        return float(result[0, 0]) if isinstance(self.location, float) else result

    def density(self, x: ArrayLike) -> Numbers:
        """Return the density at points: a list of numbers, or one row a point."""
        return np.asarray(np.exp(self.log_density(x)))

    def log_density(self, x: ArrayLike) -> Numbers:
        """Return the logarithm of the density at points; minus infinity outside the support.

        So it is, too, where the squared radius is beyond the largest number, about 1e308.
        """
        k, d = self.coupling, self.dimension
        with infinities():
            away = np.linalg.solve(self._root, (_as_points(x, d) - self.location).T)
            r2 = (away**2).sum(axis=0)
            # Outside the support the logarithm is that of 0.
            fall = r2 if abs(k) < TINY else np.log1p(np.maximum(k * r2, -1)) / k
        return np.asarray(-(1 + d * k) / 2 * fall - self.log_normalization)

    def sample(self, n: int, rng: int | np.random.Generator | None = None) -> Numbers:
        r"""Draw independent points: an array of numbers, or one row a point if location is a list.

        A normal vector :math:`z` is divided by :math:`\sqrt{\kappa c}` with one chi-square number
        :math:`c` of :math:`1/\kappa` degrees of freedom; for a negative coupling it is brought to
        the squared length :math:`b/|\kappa|`, :math:`b` from a Beta distribution with parameters
        :math:`d/2` and :math:`1 - (1/\kappa + d)/2`. The same seed gives the same :math:`z`
        whatever the coupling.
        """
        n, generator = check_whole(n, "n"), as_generator(rng)
        z = generator.standard_normal((n, self.dimension))
        with infinities():
            stretched = z * _stretch(z, self.coupling, generator)[:, None]
            x: Numbers = self.location + stretched @ self._root.T
        if not np.isfinite(x).all():
            message = (
                f"draws must be below {np.finfo(float).max:.2g}; with a coupling of "
                f"{self.coupling:g} some are not"
            )
            raise DataError(message, hint="take a smaller coupling or scale.")
        return x[:, 0] if isinstance(self.location, float) else x


def _log_normalization(k: float, d: int) -> float:
    """Return ln Z of a unit scale: down to two dimensions or one, in steps of two."""
    result = d / 2 * math.log(2 * math.pi) - float(np.log1p(k * np.arange(d - 2, 0, -2)).sum())
    return result - _half_step(k) if d % 2 else result


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


def _stretch(z: Numbers, k: float, rng: np.random.Generator) -> Numbers:
    """Return what each normal vector is to be multiplied by."""
    n, d = z.shape
    if abs(k) < TINY:
        return np.ones(n)
    if k > 0:
        return np.asarray(1 / np.sqrt(k * rng.chisquare(1 / k, n)))
    b = rng.beta(d / 2, 1 - (1 / k + d) / 2, n)
    return np.asarray(np.sqrt(b / -k) / np.linalg.norm(z, axis=1))


def _as_location(location: Any) -> float | Numbers:
    if not _is_number(location):
        return _finite(as_column(location, "location"), "location")
    number = as_number(location, "location")
    if not math.isfinite(number):
        message = f"location must be finite; got {number:g}"
        raise DataError(message)
    return number


def _as_scale(scale: Any, d: int) -> float | Numbers:
    if not _is_number(scale):
        return _as_scale_matrix(scale, d)
    number = as_number(scale, "scale")
    if not 0 < number < math.inf:
        message = f"a scale must be positive and finite; got {number:g}"
        raise DataError(message)
    return number


def _as_scale_matrix(scale: Any, d: int) -> Numbers:
    matrix = _finite(as_array(scale, "scale"), "scale")
    if matrix.shape != (d, d):
        message = (
            f"scale must be a number or, for this location, a {d} by {d} matrix; got an array of "
            f"shape {matrix.shape}"
        )
        raise DataError(message, hint="the location, a list of d numbers, decides the dimension.")
    size = np.sqrt(np.abs(np.diag(matrix)))
    apart = np.abs(matrix - matrix.T) > SAME_FORECAST * np.outer(size, size)
    if apart.any():
        i, j = np.argwhere(apart)[0]
        message = (
            f"a scale matrix must be symmetric; row {i}, column {j} is {matrix[i, j]:g}, and "
            f"row {j}, column {i} is {matrix[j, i]:g}"
        )
        raise DataError(message)
    return matrix


def _root_of(scale: float | Numbers, d: int) -> Numbers:
    """Return the Cholesky factor, which only a positive definite matrix has."""
    if isinstance(scale, float):
        return math.sqrt(scale) * np.eye(d)
    try:
        return np.asarray(np.linalg.cholesky(scale), dtype=np.float64)
    except np.linalg.LinAlgError:
        least = np.linalg.eigvalsh(scale)[0]
        message = f"a scale matrix must be positive definite; its least eigenvalue is {least:.3g}"
        raise DataError(message) from None


def _as_coupling(coupling: float, d: int) -> float:
    number = as_number(coupling, "coupling")
    if not -1 / d < number < math.inf:
        message = (
            f"a coupling must be finite and above -1/{d} in {many(d, 'dimension')}; got {number:g}"
        )
        raise DataError(message)
    return number


def _as_points(x: ArrayLike, d: int) -> Numbers:
    """Take one row a point; in one dimension a list of numbers will do."""
    points = _finite(as_array(x, "x"), "x")
    if d == 1 and points.ndim == 1:
        return points[:, None]
    if points.ndim != 2 or points.shape[1] != d:
        shape = "be a list of numbers" if d == 1 else f"have one row a point and {d} columns"
        message = f"x must {shape}; got an array of shape {points.shape}"
        raise DataError(message)
    return points


def _is_number(x: Any) -> bool:
    return not isinstance(x, list | tuple) and np.ndim(x) == 0


def _finite(x: Any, name: str) -> Numbers:
    """Copy numbers as double precision, and refuse what is missing or infinite."""
    result = np.array(to_numpy(as_floats(as_numbers(x, name))), dtype=np.float64)
    if not np.isfinite(result).all():
        refuse(result, ~np.isfinite(result), f"{name} must be finite")
    return result


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
        with infinities():
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
    for k, density in enumerate(result):
        if density.dimension != result[0].dimension:
            message = (
                f"all classes must have the same dimension; class 0 has {result[0].dimension}, "
                f"class {k} has {density.dimension}"
            )
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
    >>> from properly import datasets
    >>> datasets.nelson(100, rng=1)
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
    >>> from properly.datasets import NELSON_CASES
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
    >>> from properly import datasets
    >>> s = datasets.nelson(1000, "tail over", rng=1)
    >>> s
    Simulation(1,000 cases, 790 distinct forecasts)
    >>> float(s.p.max()), float(s.truth.max().round(2))
    (0.99, 0.88)
    """
    chosen = NELSON_CASES[check_choice(case, tuple(NELSON_CASES), "case")]
    y, x = chosen.source.sample(n, rng)
    truth, p = (side.posterior(x).p[:, 1] for side in (chosen.source, chosen.model))
    return Simulation(y == 1, limit_event(p, precision), truth)
