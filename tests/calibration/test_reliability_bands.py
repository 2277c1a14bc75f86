"""Bands of reliability curves: which is made how, and the half widths of large samples."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest
from scipy.stats import beta

import properly
from properly.calibration import _reliability_bands
from properly.calibration._reliability_bands import (
    GRID,
    PIECE,
    _chernoff_density,
    chernoff_half_width,
    chernoff_quantile,
    kernel_density,
)
from properly.calibration._statistics import ForecastSample
from properly.errors import DataError
from properly.inference._variance import effective_total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly.inference import Band

    Floats = NDArray[np.float64]

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

WAYS = [
    ("consistency", "resampling"),
    ("consistency", "discrete"),
    ("consistency", "continuous"),
    ("confidence", "likelihood"),
    ("confidence", "resampling"),
    ("confidence", "discrete"),
    ("confidence", "continuous"),
    ("simultaneous", "cells"),
    ("simultaneous", "ungrouped"),
]

WITH_CLUSTERS = [
    ("consistency", "resampling"),
    ("confidence", "likelihood"),
    ("confidence", "resampling"),
]


def band_of(data: Any, kind: Any, method: Any = "auto", **options: Any) -> Band:
    band = properly.reliability(data, band=kind, method=method, reduction=None, **options).band
    assert band is not None
    return band


def sample(n: int, seed: int = 1) -> tuple[NDArray[np.int64], Floats]:
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(n), 2)
    return (rng.random(n) < p).astype(int), p


def calibrated(n: int, most: float = 1.0) -> tuple[NDArray[np.int64], Floats]:
    rng = np.random.default_rng(1)
    p = most * rng.random(n)
    return (rng.random(n) < p).astype(int), p


def mean_width(band: Band) -> float:
    lower, upper = band.at(np.linspace(0.1, 0.9, 81))
    return float(np.mean(upper - lower))


# What is made by default, and what is refused
def test_without_a_kind_there_is_no_band() -> None:
    assert properly.reliability(properly.tally(*sample(50))).band is None


@pytest.mark.parametrize(
    ("kind", "method"),
    [("consistency", "resampling"), ("confidence", "likelihood"), ("simultaneous", "cells")],
)
def test_the_defaults_of_a_small_sample(kind: str, method: str) -> None:
    band = band_of(properly.tally(*sample(50)), kind, rng=1, replicates=5)
    assert (band.kind, band.method, band.level) == (kind, method, 0.95)


@pytest.mark.parametrize("whole", [False, True], ids=["fractional", "whole"])
@pytest.mark.parametrize(("kind", "method"), WAYS)
@pytest.mark.filterwarnings("ignore:weights are sampling weights")
def test_a_tally_of_weights_is_enough_only_where_nothing_is_drawn(
    kind: str, method: str, whole: bool
) -> None:
    weight = np.random.default_rng(2).gamma(2, size=60)
    cases = properly.Cases(*sample(60), weight=np.ceil(weight) if whole else weight)
    if kind == "simultaneous":
        for data in (cases, cases.tally()):
            with pytest.raises(DataError, match="counts cases; these have weights"):
                band_of(data, kind, method)
    elif method == "resampling":
        assert mean_width(band_of(cases, kind, method, replicates=50, rng=1)) > 0
        with pytest.raises(DataError, match="taken one by one"):
            band_of(cases.tally(), kind, method)
    else:
        of_cases, of_tally = band_of(cases, kind, method), band_of(cases.tally(), kind, method)
        np.testing.assert_array_equal(of_cases.upper, of_tally.upper)


@pytest.mark.parametrize(("kind", "method"), WAYS)
def test_counts_are_copies_and_equal_weights_are_none(kind: str, method: str) -> None:
    (y, p), count = sample(60), np.arange(60) % 4
    options = {"replicates": 50, "rng": 1}
    copies = band_of(
        properly.tally(np.repeat(y, count), np.repeat(p, count)), kind, method, **options
    )
    once = band_of(properly.tally(y, p), kind, method, **options)
    for make in (properly.Cases, properly.tally):
        counted = band_of(make(y, p, count=count), kind, method, **options)
        alike = band_of(make(y, p, weight=np.full(60, 7)), kind, method, **options)
        for found, expected in ((counted, copies), (alike, once)):
            np.testing.assert_array_equal(found.lower, expected.lower)
            np.testing.assert_array_equal(found.upper, expected.upper)


@pytest.mark.parametrize(("kind", "method"), WAYS)
def test_clusters_are_allowed_for_or_refused_but_never_ignored(kind: str, method: str) -> None:
    cases = properly.Cases(*sample(60), clusters=np.arange(60) // 3)
    if (kind, method) in WITH_CLUSTERS:
        assert band_of(cases, kind, method, replicates=20, rng=1).method == method
    else:
        with pytest.raises(DataError, match="takes cases as independent; these have clusters"):
            band_of(cases, kind, method)


@pytest.mark.parametrize(("kind", "method"), WAYS)
def test_the_bands_that_allow_for_clusters_allow_for_time(kind: str, method: str) -> None:
    cases = properly.Cases(*sample(60), time=np.arange(60))
    if (kind, method) in WITH_CLUSTERS:
        found = band_of(cases, kind, method, replicates=20, rng=1).method
        assert found.startswith(method if method == "likelihood" else "dependent draws (rho = ")
    else:
        with pytest.raises(DataError, match="takes cases as independent; these have times"):
            band_of(cases, kind, method)


@pytest.mark.parametrize("digits", [1, 15])
def test_any_number_of_cases_is_resampled_by_default(digits: int) -> None:
    y, p = calibrated(6000)
    p = np.round(p, digits)
    cases = properly.Cases(y, p, clusters=np.arange(6000) // 3)
    for source, method in ((properly.tally(y, p), "auto"), (cases, "auto"), (cases, "corp")):
        band = band_of(source, "consistency", method, replicates=2, rng=1)
        assert band.method == "resampling"


@pytest.mark.parametrize(("digits", "method"), [(1, "discrete"), (15, "continuous")])
def test_many_weighted_cases_have_the_limits_of_large_samples(digits: int, method: str) -> None:
    y, p = calibrated(8000)
    weight = np.random.default_rng(1).uniform(1, 2, 8000)
    cases = properly.Cases(y, np.round(p, digits), weight=weight)
    assert band_of(cases, "consistency").method == method


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["consistency", "confidence"])
def test_draws_in_cells_have_the_bounds_of_all_draws(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    y, p = calibrated(6000, 0.03)
    t, options = properly.tally(y, p), {"replicates": 2000, "rng": 1}
    grouped = band_of(t, kind, "resampling", **options)
    assert len(grouped.x) < 310
    monkeypatch.setattr(_reliability_bands, "DRAWN", 10**9)
    single = band_of(t, kind, "resampling", **options)
    assert len(single.x) == 6000
    # Both are quantiles of random draws, which are this near.
    for end in ("lower", "upper"):
        there = np.interp(grouped.x, single.x, getattr(single, end))
        away = np.abs(getattr(grouped, end) - there)
        width = np.interp(grouped.x, single.x, single.upper - single.lower)
        known = np.isfinite(away) & (width > 0)
        assert np.mean(away[known] / width[known]) < 0.06


# Clusters
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "method"), WITH_CLUSTERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_duplicates_that_are_known_as_such_add_nothing(kind: str, method: str, seed: int) -> None:
    y, p = sample(200, seed)
    copies, clusters = (np.repeat(y, 4), np.repeat(p, 4)), np.repeat(np.arange(200), 4)
    options = {"replicates": 300, "rng": 1}
    once = mean_width(band_of(properly.tally(y, p), kind, method, **options))
    known = mean_width(band_of(properly.Cases(*copies, clusters=clusters), kind, method, **options))
    ignored = mean_width(band_of(properly.tally(*copies), kind, method, **options))
    assert known == pytest.approx(once, rel=0.1)
    assert known > 1.4 * ignored


@pytest.mark.parametrize(("kind", "method"), WITH_CLUSTERS)
def test_clusters_of_one_case_are_no_clusters(kind: str, method: str) -> None:
    y, p = sample(200)
    options = {"replicates": 300, "rng": 1}
    alone = mean_width(
        band_of(properly.Cases(y, p, clusters=np.arange(200)), kind, method, **options)
    )
    plain = mean_width(band_of(properly.tally(y, p), kind, method, **options))
    assert alone == pytest.approx(plain, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "method"), WITH_CLUSTERS)
def test_the_names_and_the_order_of_clusters_do_not_matter(kind: str, method: str) -> None:
    y, p = sample(90)
    number = np.arange(90) // 3
    order = np.random.default_rng(3).permutation(90)
    named = np.array([f"site {k:02d}" for k in number])
    options = {"replicates": 600, "rng": 1}
    plain = band_of(properly.Cases(y, p, clusters=number), kind, method, **options)
    same = band_of(properly.Cases(y, p, clusters=named), kind, method, **options)
    moved = band_of(
        properly.Cases(y[order], p[order], clusters=number[order]), kind, method, **options
    )
    np.testing.assert_array_equal(same.upper, plain.upper)
    # Moved rows may be drawn in another order, but from the same distribution.
    assert mean_width(moved) == pytest.approx(mean_width(plain), rel=0.05)


Column: TypeAlias = np.ndarray[Any, Any]

# From Groeneboom's formula, by quadrature.
QUANTILES = {
    0.75: 0.353308,
    0.90: 0.664235,
    0.95: 0.845081,
    0.975: 0.998181,
    0.99: 1.171534,
    0.995: 1.286659,
    0.9995: 1.603613,
}


@pytest.mark.parametrize("p", QUANTILES)
def test_every_chernoff_quantile_is_right_to_six_digits(p: float) -> None:
    assert chernoff_quantile(1 - p) == pytest.approx(QUANTILES[p], rel=0, abs=1e-6)


def test_chernoffs_distribution_is_symmetric() -> None:
    assert chernoff_quantile(0.5) == pytest.approx(0, abs=1e-9)
    for tail in (0.1, 0.25, 0.4):
        assert chernoff_quantile(1 - tail) == pytest.approx(-chernoff_quantile(tail), abs=1e-9)
    z = np.linspace(0, 2, 21)
    np.testing.assert_allclose(_chernoff_density(z), _chernoff_density(-z), rtol=0, atol=1e-14)


def test_smaller_tails_lie_further_out() -> None:
    tails = [0.5, 0.3, 0.1, 0.05, 0.01, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12]
    found = [chernoff_quantile(tail) for tail in tails]
    assert all(low < high for low, high in pairwise(found))
    assert found[-1] < 4


def test_chernoffs_density_is_one() -> None:
    z = np.linspace(-4, 4, 801)
    # Equal steps are as good as any rule for a smooth density that has died out at both ends.
    share = _chernoff_density(z) * (z[1] - z[0])
    assert share.sum() == pytest.approx(1, abs=1e-10)
    # The variance that Groeneboom and Wellner (2001) give.
    assert share @ z**2 == pytest.approx(0.26355964, abs=1e-8)


# Half widths
def test_a_chernoff_half_width_is_its_formula() -> None:
    mean, density = np.array([0.1, 0.5, 0.9]), np.array([2.0, 0.5, 0.01])
    expected = 0.845081 * (4 * mean * (1 - mean) / (600 * density)) ** (1 / 3)
    got = chernoff_half_width(mean, density, 600, 0.9)
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_eight_times_as_many_cases_halve_a_chernoff_half_width() -> None:
    mean, density = np.linspace(0.1, 0.9, 9), np.ones(9)
    few, many = (chernoff_half_width(mean, density, n, 0.95) for n in (100, 800))
    np.testing.assert_allclose(many, few / 2, rtol=1e-12)


def test_what_is_certain_has_no_width_and_where_nothing_is_known_there_is_no_end_to_it() -> None:
    mean, density = np.array([0.0, 1.0, 0.0, 0.4]), np.array([1.0, 1.0, 0.0, 0.0])
    assert chernoff_half_width(mean, density, 50, 0.9).tolist() == [0, 0, 0, np.inf]


# Cases of equal weight
def test_counts_are_worth_themselves() -> None:
    t = properly.Tally.from_counts([0.2, 0.5], [3, 7], [1, 2])
    assert ForecastSample.of(t).effective.tolist() == [3, 7]
    assert effective_total(t) == 10


def test_weights_are_worth_fewer_cases() -> None:
    t = properly.tally([0, 1, 1, 0], [0.2, 0.2, 0.5, 0.5], weight=[1.5, 0.5, 2.5, 2.5])
    np.testing.assert_allclose(ForecastSample.of(t).effective, [4 / 2.5, 25 / 12.5], rtol=1e-14)
    assert effective_total(t) == pytest.approx(49 / 15, rel=1e-14)
    assert t.weight.tolist() == [2, 5]  # and stay what they are


# The density of forecasts
def beta_kernels(value: Column, weight: Column, cases: float) -> Column:
    """Add up the densities of beta distributions, one a case."""
    b = cases ** (-2 / 5)
    x = GRID[:, None]
    kernels = beta.pdf(value[None, :], x / b + 1, (1 - x) / b + 1)
    return np.asarray(kernels @ weight / weight.sum())


@pytest.mark.parametrize("cases", [1, 50, 4000])
def test_the_density_is_a_mean_of_beta_kernels(cases: int) -> None:
    rng = np.random.default_rng(cases)
    value = np.unique(np.append(rng.beta(0.5, 2, min(cases, 300)), [0.0, 1.0, 1e-12]))
    weight = rng.integers(1, 5, len(value))
    got = kernel_density(value, weight, float(cases))
    np.testing.assert_allclose(got, beta_kernels(value, weight, cases), rtol=1e-10, atol=1e-10)


def test_fractional_weights_weigh() -> None:
    rng = np.random.default_rng(3)
    value, weight = np.sort(rng.random(80)), rng.gamma(1.0, size=80)
    expected = beta_kernels(value, weight, 61.5)
    np.testing.assert_allclose(kernel_density(value, weight, 61.5), expected, rtol=1e-10)
    scaled = kernel_density(value, 7.3 * weight, 61.5)
    np.testing.assert_allclose(scaled, expected, rtol=1e-10)


@pytest.mark.parametrize("certain", [0.0, 1.0])
def test_certain_forecasts_have_a_density_at_their_end_alone(certain: float) -> None:
    got = kernel_density(np.array([certain]), np.array([9]), 9.0)
    here = certain == GRID
    # A beta distribution of 1 and 1 / b + 1 has the density 1 / b + 1 at its end.
    np.testing.assert_allclose(got[here], 9**0.4 + 1, rtol=1e-12)
    assert (got[~here] == 0).all()


def test_the_pieces_of_many_forecasts_add_up() -> None:
    rng = np.random.default_rng(4)
    value, weight = np.sort(rng.random(2 * PIECE + 3)), rng.integers(1, 4, 2 * PIECE + 3)
    parts = [slice(0, 100), slice(100, PIECE + 7), slice(PIECE + 7, None)]
    summed = sum(
        kernel_density(value[part], weight[part], 900.0) * weight[part].sum() for part in parts
    )
    got = kernel_density(value, weight, 900.0)
    np.testing.assert_allclose(got, summed / weight.sum(), rtol=1e-12)


def test_many_forecasts_find_their_density_smoothed_by_the_kernel() -> None:
    value = (np.arange(20000) + 0.5) / 20000
    got = kernel_density(value, 12 * value * (1 - value) ** 2, 20000.0)
    # The mean of this density under a beta distribution follows from moments.
    b = 20000 ** (-2 / 5)
    one, two = GRID / b + 1, (1 - GRID) / b + 1
    total = one + two
    expected = 12 * one * two * (two + 1) / (total * (total + 1) * (total + 2))
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-6)
