"""Coupled Gaussians and the classes made of them, against references and exact distributions.

Seeds are fixed. A distribution is accepted below the Kolmogorov-Smirnov distance that a right
sample exceeds once in a million times, a mean within five standard errors.
"""

from __future__ import annotations

import csv
import math
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from reproductions.means.coupled import CoupledClasses, CoupledGaussian, log_density_at
from reproductions.means.dimensions import log_density
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import kstest, kstwo, multivariate_normal, multivariate_t, norm, t

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

REFERENCE = Path(__file__).parents[1] / "reference" / "means"
N = 20_000
# The distance that a sample of N from the right distribution exceeds with probability 1e-6.
FARTHEST = kstwo.ppf(1 - 1e-6, N)
X = np.array([-30.0, -2.5, -1.0, 0.0, 0.3, 1.7, 4.0, 1000.0])
LOCATION = np.array([1.0, -2.0, 0.5])
SCALE = np.array([[2.0, 0.6, -0.3], [0.6, 1.0, 0.2], [-0.3, 0.2, 0.5]])
POINTS = np.array([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [3.0, -1.0, 4.0], [-50.0, 20.0, 9.0]])


def reference_rows() -> list[dict[str, str]]:
    with (REFERENCE / "coupled_gaussian.csv").open() as file:
        return list(csv.DictReader(file))


def test_densities_and_divisors_are_those_of_the_reference() -> None:
    rows = reference_rows()
    assert len(rows) == 88
    for row in rows:
        d, k = int(row["d"]), float(Fraction(row["kappa"]))
        centre, r2 = log_density_at(np.array([0.0, float(row["mahalanobis2"])]), k, d)
        found = [math.exp(-centre), math.exp(r2)]
        wanted = [float(row["Z_unit_scale"]), float(row["pdf_unit_scale"])]
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=0, err_msg=str(row))


@pytest.mark.parametrize("nu", [0.5, 1, 2, 6.2, 30, 500])
def test_a_positive_coupling_is_students_t(nu: float) -> None:
    law = CoupledGaussian(0.3, 4.0, 1 / nu)
    wanted = t.logpdf(X, nu, loc=0.3, scale=2.0)
    np.testing.assert_allclose(law.log_density(X), wanted, rtol=1e-11, atol=1e-12)
    wanted = multivariate_t.logpdf(POINTS, LOCATION, SCALE, df=nu)
    found = log_density(POINTS, LOCATION, SCALE, 1 / nu)
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)


def test_no_coupling_is_the_normal_distribution() -> None:
    wanted = norm.logpdf(X, 0.3, 2.0)
    np.testing.assert_allclose(CoupledGaussian(0.3, 4.0).log_density(X), wanted, rtol=1e-13)
    wanted = multivariate_normal.logpdf(POINTS, LOCATION, SCALE)
    found = log_density(POINTS, LOCATION, SCALE, 0.0)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def first_order(r2: Numbers, d: int) -> Numbers:
    """Give the derivative of the logarithm of the density by the coupling, at 0."""
    return r2**2 / 4 - d * r2 / 2 + d * (d - 2) / 4


@pytest.mark.parametrize("d", [1, 2, 3, 6, 7])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_coupling_near_0_is_nearly_normal(d: int, sign: int) -> None:
    r2 = d * np.array([0.0, 0.25, 1.0, 4.0])
    normal, slope = log_density_at(r2, 0.0, d), first_order(r2, d)
    for k in (1e-12, 1e-30):
        near = log_density_at(r2, sign * k, d)
        np.testing.assert_allclose(near, normal + sign * k * slope, rtol=1e-14, atol=1e-14)
    # With this coupling rounding leaves eight digits of the slope, and the next order six.
    near = log_density_at(r2, sign * 1e-7, d)
    np.testing.assert_allclose((near - normal) / (sign * 1e-7), slope, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("k", [2.0, 0.5, 0.162, 0.01, 0.0, -0.02, -0.095, -0.3, -0.9])
def test_a_density_of_one_dimension_integrates_to_1(k: float) -> None:
    law = CoupledGaussian(1.0, 4.0, k)
    end = 2 / math.sqrt(-k) if k < 0 else math.inf
    half, _ = quad(lambda x: law.density([1 + x])[0], 0, end, epsabs=1e-10, limit=200)
    assert half == pytest.approx(0.5, abs=1e-7)


def test_the_support_of_a_negative_coupling_ends_where_stated() -> None:
    law = CoupledGaussian(1.0, 4.0, -0.25)  # squared radius below 4, so 4 to either side of 1
    inside = [-2.999999, 4.999999]
    outside = [-3.0, 5.0, -3.1, 1e6, -1e200]
    assert (law.density(inside) > 0).all()
    assert (law.density(outside) == 0).all()
    assert np.isneginf(law.log_density(outside)).all()


# Drawing


def closed_form(x: Numbers) -> Numbers:
    """Integrate the parabola (1 - x^2/3) sqrt(3)/4, the density of coupling -1/3."""
    inside = np.clip(x, -math.sqrt(3), math.sqrt(3))
    return 0.5 + math.sqrt(3) / 4 * (inside - inside**3 / 9)


@pytest.mark.parametrize(
    ("k", "cdf"),
    [
        (0.5, lambda x: t.cdf(x, 2)),
        (2.0, lambda x: t.cdf(x, 0.5)),
        (0.01, lambda x: t.cdf(x, 100)),
        (0.0, norm.cdf),
        (-1 / 3, closed_form),
        (1e-12, norm.cdf),
        (-1e-12, norm.cdf),
    ],
)
def test_draws_of_one_dimension_have_the_distribution(
    k: float, cdf: Callable[[Numbers], Numbers]
) -> None:
    x = CoupledGaussian(3.0, 4.0, k).sample(N, rng=1)
    assert kstest((x - 3) / 2, cdf).statistic < FARTHEST


# Classes


def test_two_normal_classes_make_a_logistic_function() -> None:
    classes = CoupledClasses([CoupledGaussian(0), CoupledGaussian(2)], [0.3, 0.7])
    x = np.linspace(-300, 300, 61)
    found = classes.posterior(x)
    log_odds = 2 * (x - 1) + math.log(0.7 / 0.3)
    np.testing.assert_allclose(found.p[:, 1], expit(log_odds), rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(found.p[:, 0], expit(-log_odds), rtol=1e-11, atol=1e-300)
    assert found.undefined == 0


def test_posteriors_follow_bayes() -> None:
    laws = [CoupledGaussian(k, 1 + k, k / 4) for k in range(3)]
    priors = np.array([0.5, 0.3, 0.2])
    x = np.array([0.0, -2.0, 5.0])
    share = priors * np.stack([law.density(x) for law in laws], axis=1)
    found = CoupledClasses(laws, priors).posterior(x)
    np.testing.assert_allclose(found.p, share / share.sum(axis=1, keepdims=True), rtol=1e-13)
    assert repr(found) == "Posterior(3 points, 3 classes, 0 undefined)"
    assert len(found) == 3


def test_where_no_class_has_density_the_priors_are_given_and_counted() -> None:
    ends = [CoupledGaussian(where, coupling=-0.25) for where in (0.0, 3.0)]  # 2 to either side
    found = CoupledClasses(ends, [0.25, 0.75]).posterior([-5, -1.5, 1.5, 4, 5, 9])
    assert found.undefined == 3
    np.testing.assert_allclose(found.p[:, 1], [0.75, 0, 0.75, 1, 0.75, 0.75], rtol=1e-14)
    # A class that never happens has no say.
    never = CoupledClasses([ends[0], CoupledGaussian(3.0)], [1, 0]).posterior([1.0, 9.0])
    assert never.undefined == 1
    assert np.array_equal(never.p, [[1, 0], [1, 0]])


def test_classes_are_drawn_by_their_priors_and_densities() -> None:
    priors = [0.2, 0.0, 0.8]
    classes = CoupledClasses([CoupledGaussian(5 * k, coupling=0.25) for k in range(3)], priors)
    y, x = classes.sample(N, rng=8)
    assert y.dtype == np.int64
    assert set(y) == {0, 2}
    assert abs((y == 2).mean() - 0.8) < 5 * math.sqrt(0.8 * 0.2 / N)
    for k in (0, 2):
        part = x[y == k]
        assert kstest(part - 5 * k, lambda u: t.cdf(u, 4)).statistic < kstwo.ppf(
            1 - 1e-6, len(part)
        )


def test_posteriors_are_calibrated_for_draws_of_the_same_classes() -> None:
    classes = CoupledClasses([CoupledGaussian(0, 2.0, 0.3), CoupledGaussian(1)])
    y, x = classes.sample(N, rng=9)
    p = classes.posterior(x).p[:, 1]
    tenth = np.minimum((10 * p).astype(int), 9)
    z = np.bincount(tenth, (y == 1) - p) / np.sqrt(np.bincount(tenth, p * (1 - p)))
    assert (np.abs(z) < 5).all()


# Refusals
