"""Coupled Gaussians and the classes made of them, against references and exact distributions.

Seeds are fixed. A distribution is accepted below the Kolmogorov-Smirnov distance that a right
sample exceeds once in a million times, a mean within five standard errors.
"""

from __future__ import annotations

import copy
import csv
import math
import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit, gammaln
from scipy.stats import beta, kstest, kstwo, multivariate_normal, multivariate_t, norm, t

from properly.datasets import CoupledClasses, CoupledGaussian
from properly.errors import ArgumentTypeError, DataError

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
        point = np.zeros((1, d))
        point[0, -1] = math.sqrt(float(row["mahalanobis2"]))
        law = CoupledGaussian(np.zeros(d), coupling=k)
        found = [math.exp(law.log_normalization), float(law.density(point)[0])]
        wanted = [float(row["Z_unit_scale"]), float(row["pdf_unit_scale"])]
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=0, err_msg=str(row))


@pytest.mark.parametrize("nu", [0.5, 1, 2, 6.2, 30, 500])
def test_a_positive_coupling_is_students_t(nu: float) -> None:
    law = CoupledGaussian(0.3, 4.0, 1 / nu)
    wanted = t.logpdf(X, nu, loc=0.3, scale=2.0)
    np.testing.assert_allclose(law.log_density(X), wanted, rtol=1e-11, atol=1e-12)
    both = CoupledGaussian(LOCATION, SCALE, 1 / nu)
    wanted = multivariate_t.logpdf(POINTS, LOCATION, SCALE, df=nu)
    np.testing.assert_allclose(both.log_density(POINTS), wanted, rtol=1e-11, atol=1e-12)


def test_no_coupling_is_the_normal_distribution() -> None:
    wanted = norm.logpdf(X, 0.3, 2.0)
    np.testing.assert_allclose(CoupledGaussian(0.3, 4.0).log_density(X), wanted, rtol=1e-13)
    wanted = multivariate_normal.logpdf(POINTS, LOCATION, SCALE)
    law = CoupledGaussian(LOCATION, SCALE)
    np.testing.assert_allclose(law.log_density(POINTS), wanted, rtol=1e-12)
    assert np.array_equal(law.density(POINTS), np.exp(law.log_density(POINTS)))


def first_order(r2: Numbers, d: int) -> Numbers:
    """Give the derivative of the logarithm of the density by the coupling, at 0."""
    return r2**2 / 4 - d * r2 / 2 + d * (d - 2) / 4


@pytest.mark.parametrize("d", [1, 2, 3, 6, 7])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_coupling_near_0_is_nearly_normal(d: int, sign: int) -> None:
    x = np.outer([0.0, 0.5, 1.0, 2.0], np.ones(d))
    normal = CoupledGaussian(np.zeros(d)).log_density(x)
    slope = first_order((x**2).sum(axis=1), d)
    for k in (1e-12, 1e-30, 1e-300):
        near = CoupledGaussian(np.zeros(d), 1.0, sign * k).log_density(x)
        np.testing.assert_allclose(near, normal + sign * k * slope, rtol=1e-14, atol=1e-14)
    # With this coupling rounding leaves eight digits of the slope, and the next order six.
    near = CoupledGaussian(np.zeros(d), 1.0, sign * 1e-7).log_density(x)
    np.testing.assert_allclose((near - normal) / (sign * 1e-7), slope, rtol=1e-4, atol=1e-6)


@given(st.floats(1e-6, 0.06), st.sampled_from([-1, 1]), st.integers(1, 9))
def test_the_divisor_is_that_of_the_definition(size: float, sign: int, d: int) -> None:
    # The series ends at 1/40, in the middle. What the plain definition loses near 0 is the error
    # of two numbers of the size of its terms.
    k, half = sign * size, d / 2
    law = CoupledGaussian(np.zeros(d), coupling=k)
    if k > 0:
        upper, lower = 1 / (2 * k), (1 / k + d) / 2
    else:
        upper = 1 - (1 / k + d) / 2
        lower = upper + half
    wanted = half * math.log(math.pi / size) + gammaln(upper) - gammaln(lower)
    lost = 1e-15 * (1 + abs(gammaln(lower)) + lower * math.log(1 + lower))
    assert law.log_normalization == pytest.approx(wanted, rel=1e-13, abs=4 * lost)


@pytest.mark.parametrize("k", [2.0, 0.5, 0.162, 0.01, 0.0, -0.02, -0.095, -0.3, -0.9])
def test_a_density_of_one_dimension_integrates_to_1(k: float) -> None:
    law = CoupledGaussian(1.0, 4.0, k)
    end = 2 / math.sqrt(-k) if k < 0 else math.inf
    half, _ = quad(lambda x: law.density([1 + x])[0], 0, end, epsabs=1e-10, limit=200)
    assert half == pytest.approx(0.5, abs=1e-7)


@pytest.mark.parametrize("k", [1.0, 0.162, 0.0, -0.1, -0.3])
def test_a_density_of_three_dimensions_integrates_to_1(k: float) -> None:
    law = CoupledGaussian([0, 0, 0], 1.0, k)
    end = 1 / math.sqrt(-k) if k < 0 else math.inf

    def shell(r: float) -> float:
        return 4 * math.pi * r**2 * float(law.density([[r, 0, 0]])[0])

    mass, _ = quad(shell, 0, end, epsabs=1e-10, limit=200)
    assert mass == pytest.approx(1, abs=1e-7)


def test_the_support_of_a_negative_coupling_ends_where_stated() -> None:
    law = CoupledGaussian(1.0, 4.0, -0.25)  # squared radius below 4, so 4 to either side of 1
    inside = [-2.999999, 4.999999]
    outside = [-3.0, 5.0, -3.1, 1e6, -1e200]
    assert (law.density(inside) > 0).all()
    assert (law.density(outside) == 0).all()
    assert np.isneginf(law.log_density(outside)).all()


def test_far_out_the_logarithm_goes_on_where_the_density_is_0() -> None:
    assert CoupledGaussian().density([60.0])[0] == 0
    found = CoupledGaussian().log_density([60.0])[0]
    assert found == pytest.approx(-1800 - math.log(2 * math.pi) / 2, rel=1e-14)


def test_points_are_numbers_or_rows() -> None:
    one, row = CoupledGaussian(2.0, coupling=0.5), CoupledGaussian([2.0], [[1.0]], 0.5)
    assert one.dimension == row.dimension == 1
    for law in (one, row):
        assert np.array_equal(law.density([0, 3]), law.density([[0], [3]]))
    assert one.sample(5, 1).shape == (5,)
    assert row.sample(5, 1).shape == (5, 1)
    assert np.array_equal(one.sample(5, 1), row.sample(5, 1)[:, 0])
    assert CoupledGaussian([0, 0]).density(np.zeros((4, 2))).shape == (4,)


def test_a_number_as_scale_is_squared_and_the_same_in_all_directions() -> None:
    found = CoupledGaussian(LOCATION, 4.0, 0.2).log_density(POINTS)
    wanted = CoupledGaussian(LOCATION, 4 * np.eye(3), 0.2).log_density(POINTS)
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


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


@pytest.mark.parametrize("k", [0.5, 0.162, 0.0, -0.2, -0.3])
def test_every_direction_of_three_dimensions_has_the_distribution(k: float) -> None:
    x = CoupledGaussian(LOCATION, SCALE, k).sample(N, rng=2)
    for way in (np.array([1.0, 0.0, 0.0]), np.array([1.0, -2.0, 0.5])):
        shadow = (x - LOCATION) @ way / math.sqrt(way @ SCALE @ way)
        assert kstest(shadow, lambda u: shadow_cdf(u, k, 3)).statistic < FARTHEST


def shadow_cdf(u: Numbers, k: float, d: int) -> Numbers:
    """Give the distribution of one coordinate of a unit scale in d dimensions."""
    if k >= 0:
        return np.asarray(t.cdf(u, 1 / k) if k else norm.cdf(u))
    # The squared length is b/|k| and its share along one axis Beta(1/2, (d - 1)/2); the product
    # with b ~ Beta(d/2, a + 1) is Beta(1/2, a + 1 + (d - 1)/2).
    a = -(1 / k + d) / 2
    mass = beta.cdf(np.clip(-k * u**2, 0, 1), 0.5, a + 1 + (d - 1) / 2)
    return np.asarray(0.5 + np.sign(u) * mass / 2)


@pytest.mark.parametrize("k", [0.162, 0.0, -0.095, -0.2])
def test_draws_have_the_covariance(k: float) -> None:
    law = CoupledGaussian(LOCATION, SCALE, k)
    np.testing.assert_allclose(law.covariance, SCALE / (1 - 2 * k), rtol=1e-14)
    x = law.sample(N, rng=3) - LOCATION
    products = x[:, :, None] * x[:, None, :]
    error = products.std(axis=0) / math.sqrt(N)
    assert (np.abs(products.mean(axis=0) - law.covariance) < 5 * error).all()


def test_the_covariance_is_infinite_from_one_half_on() -> None:
    assert CoupledGaussian(0.0, 3.0, 0.25).covariance == 6.0
    assert CoupledGaussian(coupling=0.5).covariance == math.inf
    np.testing.assert_array_equal(
        CoupledGaussian([0, 0], coupling=0.7).covariance,
        [[math.inf, math.nan], [math.nan, math.inf]],
    )


@pytest.mark.parametrize(("k", "d"), [(-0.095, 6), (-0.3, 3), (-0.99, 1)])
def test_no_draw_leaves_the_support(k: float, d: int) -> None:
    law = CoupledGaussian(np.zeros(d), coupling=k)
    x = law.sample(N, rng=4)
    assert (x**2).sum(axis=1).max() < -1 / k
    assert law.density(x).min() > 0


def test_one_chi_square_number_stretches_a_whole_vector() -> None:
    normal, heavy = (CoupledGaussian([0, 0, 0], coupling=k).sample(100, 5) for k in (0, 0.5))
    stretch = heavy / normal
    np.testing.assert_allclose(stretch, stretch[:, :1] * np.ones(3), rtol=1e-12)
    assert len(np.unique(stretch[:, 0])) == 100


def test_a_seed_decides_the_draws() -> None:
    law = CoupledGaussian(coupling=0.5)
    one = law.sample(50, 6)
    assert np.array_equal(one, law.sample(50, np.random.default_rng(6)))
    assert not np.array_equal(one, law.sample(50, 7))
    classes = CoupledClasses([law, CoupledGaussian(2.0)])
    (y, x), (again, there) = classes.sample(50, 6), classes.sample(50, np.random.default_rng(6))
    assert np.array_equal(y, again)
    assert np.array_equal(x, there)


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
    laws = [CoupledGaussian([k, 0], 1 + k, k / 4) for k in range(3)]
    priors = np.array([0.5, 0.3, 0.2])
    x = np.array([[0.0, 0.0], [1.0, -2.0], [5.0, 4.0]])
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
    _, rows = CoupledClasses([CoupledGaussian([0, 0]), CoupledGaussian([1, 1])]).sample(7, 1)
    assert rows.shape == (7, 2)


def test_posteriors_are_calibrated_for_draws_of_the_same_classes() -> None:
    classes = CoupledClasses([CoupledGaussian([0, 0], SCALE[:2, :2], 0.3), CoupledGaussian([1, 1])])
    y, x = classes.sample(N, rng=9)
    p = classes.posterior(x).p[:, 1]
    tenth = np.minimum((10 * p).astype(int), 9)
    z = np.bincount(tenth, (y == 1) - p) / np.sqrt(np.bincount(tenth, p * (1 - p)))
    assert (np.abs(z) < 5).all()


def test_equal_priors_are_the_default() -> None:
    classes = CoupledClasses([CoupledGaussian(k) for k in range(4)])
    assert np.array_equal(classes.priors, [0.25] * 4)
    assert len(classes) == 4


# Records


def test_nothing_in_a_law_can_be_changed() -> None:
    location, scale, priors = LOCATION.copy(), SCALE.copy(), np.array([0.5, 0.5])
    law = CoupledGaussian(location, scale, 0.1)
    classes = CoupledClasses([law, law], priors)
    before = law.log_density(POINTS)
    location[:], scale[:], priors[:] = 9, 9, 9
    assert np.array_equal(law.log_density(POINTS), before)
    assert np.array_equal(classes.priors, [0.5, 0.5])
    found = classes.posterior(POINTS)
    for array in (law.location, law.scale, classes.priors, found.p):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(FrozenInstanceError):
        law.coupling = 0.2  # type: ignore[misc]


def test_laws_say_what_they_are_and_can_be_copied() -> None:
    one, three = CoupledGaussian(2, coupling=0.5), CoupledGaussian(LOCATION, SCALE, -0.1)
    assert repr(one) == "CoupledGaussian(location=2.0, scale=1.0, coupling=0.5)"
    assert repr(three) == "CoupledGaussian(3-D, coupling=-0.1)"
    assert repr(CoupledClasses([one, one])) == "CoupledClasses(2 classes, 1-D)"
    for twin in (copy.deepcopy(three), pickle.loads(pickle.dumps(three))):  # noqa: S301
        assert np.array_equal(twin.density(POINTS), three.density(POINTS))


# Refusals

ONE = CoupledGaussian()
NARROW = [[1.0, 2.0], [2.0, 1.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CoupledGaussian(math.inf), "location must be finite; got inf"),
        (lambda: CoupledGaussian([0, math.nan]), "location must be finite; row 1 is nan"),
        (lambda: CoupledGaussian(scale=0), "a scale must be positive and finite; got 0"),
        (lambda: CoupledGaussian(scale=math.nan), "a scale must be positive and finite; got nan"),
        (
            lambda: CoupledGaussian(scale=np.eye(2)),
            (
                "scale must be a number or, for this location, a 1 by 1 matrix; got an array of "
                "shape (2, 2)\n\nHint: the location, a list of d numbers, decides the dimension."
            ),
        ),
        (
            lambda: CoupledGaussian([0, 0], [1, 2]),
            (
                "scale must be a number or, for this location, a 2 by 2 matrix; got an array of "
                "shape (2,)\n\nHint: the location, a list of d numbers, decides the dimension."
            ),
        ),
        (
            lambda: CoupledGaussian([0, 0], [[1, math.inf], [math.inf, 1]]),
            "scale must be finite; row 0, column 1 is inf (2 such rows)",
        ),
        (
            lambda: CoupledGaussian([0, 0], [[1, 0.5], [0.25, 1]]),
            "a scale matrix must be symmetric; row 0, column 1 is 0.5, and row 1, column 0 is 0.25",
        ),
        (
            lambda: CoupledGaussian([0, 0], NARROW),
            "a scale matrix must be positive definite; its least eigenvalue is -1",
        ),
        (
            lambda: CoupledGaussian(coupling=-1),
            "a coupling must be finite and above -1/1 in 1 dimension; got -1",
        ),
        (
            lambda: CoupledGaussian([0, 0, 0], coupling=-1 / 3),
            "a coupling must be finite and above -1/3 in 3 dimensions; got -0.333333",
        ),
        (
            lambda: CoupledGaussian(coupling=math.nan),
            "a coupling must be finite and above -1/1 in 1 dimension; got nan",
        ),
        (lambda: ONE.density([1.0, math.nan]), "x must be finite; row 1 is nan"),
        (
            lambda: ONE.density([[1, 2]]),
            "x must be a list of numbers; got an array of shape (1, 2)",
        ),
        (
            lambda: CoupledGaussian([0, 0]).density([1, 2]),
            "x must have one row a point and 2 columns; got an array of shape (2,)",
        ),
        (
            lambda: ONE.density(1.0),
            (
                "x must be a list, an array or a column of equal things; got float"
                "\n\nHint: write a single case as a list, and wrap others in list(…)."
            ),
        ),
        (lambda: ONE.sample(0), "n must be a whole number, 1 or more; got 0"),
        (
            lambda: CoupledGaussian(coupling=1000).sample(100, 1),
            (
                "draws must be below 1.8e+308; with a coupling of 1000 some are not"
                "\n\nHint: take a smaller coupling or scale."
            ),
        ),
        (lambda: CoupledClasses([ONE]), "there must be two classes or more; got 1"),
        (
            lambda: CoupledClasses([ONE, CoupledGaussian([0, 0])]),
            "all classes must have the same dimension; class 0 has 1, class 1 has 2",
        ),
        (
            lambda: CoupledClasses([ONE, ONE], [1.0]),
            "one prior a class is needed; got 1 for 2 classes",
        ),
        (
            lambda: CoupledClasses([ONE, ONE], [0.5, 0.6]),
            "priors must sum to 1 within 1e-06; they sum to 1.1",
        ),
        (
            lambda: CoupledClasses([ONE, ONE], [-0.5, 1.5]),
            (
                "priors must be probabilities in [0, 1]; row 0 is -0.5 (2 such rows)"
                "\n\nHint: for logits, apply a sigmoid first."
            ),
        ),
        (
            lambda: CoupledClasses([ONE, ONE]).sample(0),
            "n must be a whole number, 1 or more; got 0",
        ),
    ],
)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises(DataError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CoupledGaussian("here"), "the location must be a number; got 'here'"),
        (lambda: CoupledGaussian(scale=None), "the scale must be a number; got None"),
        (lambda: CoupledGaussian(coupling="t"), "the coupling must be a number; got 't'"),  # type: ignore[arg-type]
        (
            lambda: CoupledClasses([ONE, 2.0]),  # type: ignore[list-item]
            "the density of a class must be a CoupledGaussian; class 1 has 2.0",
        ),
        (
            lambda: CoupledClasses(5),  # type: ignore[arg-type]
            "the density of a class must be a CoupledGaussian; class 0 has 5",
        ),
        (
            lambda: ONE.sample(5, "seed"),  # type: ignore[arg-type]
            "rng must be a whole number, a numpy Generator or None; got 'seed'",
        ),
    ],
)
def test_things_of_the_wrong_kind(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ArgumentTypeError) as caught:
        call()
    assert str(caught.value) == message


def test_rounding_does_not_make_a_scale_matrix_asymmetric() -> None:
    nearly = SCALE.copy()
    nearly[0, 1] *= 1 + 1e-14
    found = CoupledGaussian(LOCATION, nearly, 0.1).density(POINTS)
    np.testing.assert_allclose(found, CoupledGaussian(LOCATION, SCALE, 0.1).density(POINTS))
