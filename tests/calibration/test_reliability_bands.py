"""Which band is made how, of which data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly.inference import Band

    Floats = NDArray[np.float64]

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
METHODS = sorted({method for _, method in WAYS})


def band_of(data: Any, kind: Any, method: Any = "auto", **options: Any) -> Band:
    band = properly.reliability(data, band=kind, method=method, reduction=None, **options).band
    assert band is not None
    return band


def sample(n: int, seed: int = 1) -> tuple[NDArray[np.int64], Floats]:
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(n), 2)
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
    assert (band.kind, band.method, band.level) == (kind, method, 0.9)


@pytest.mark.parametrize("kind", ["consistency", "confidence", "simultaneous"])
def test_a_method_of_another_kind_is_refused(kind: str) -> None:
    known = {method for other, method in WAYS if other == kind}
    for method in {*METHODS, "bootstrap"} - known:
        with pytest.raises(DataError, match=f"method of a {kind} band must be 'auto'"):
            band_of(properly.tally([0, 1], [0.2, 0.7]), kind, method)


def test_a_kind_that_does_not_exist_is_refused() -> None:
    with pytest.raises(DataError, match="band must be 'consistency', 'confidence' or"):
        band_of(properly.tally([0, 1], [0.2, 0.7]), "bayesian")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"level": 1.0}, DataError),
        ({"level": 90}, DataError),
        ({"replicates": 0}, DataError),
        ({"replicates": 10.5}, DataError),
        ({"rng": "seed"}, ArgumentTypeError),
    ],
)
def test_options_are_checked_whatever_the_band(options: Any, error: type[Exception]) -> None:
    for kind, method in WAYS:
        with pytest.raises(error):
            band_of(properly.tally([0, 1], [0.2, 0.7]), kind, method, **options)


@pytest.mark.parametrize(("kind", "method"), WAYS)
def test_a_tally_of_fractional_weights_is_enough_only_where_nothing_is_drawn(
    kind: str, method: str
) -> None:
    rng = np.random.default_rng(2)
    cases = properly.Cases(*sample(60), weight=rng.gamma(2, size=60))
    if kind == "simultaneous":
        for data in (cases, cases.tally()):
            with pytest.raises(DataError, match="counts cases; these have fractional weights"):
                band_of(data, kind, method)
    elif method == "resampling":
        assert mean_width(band_of(cases, kind, method, replicates=50, rng=1)) > 0
        with pytest.raises(DataError, match="drawn one by one"):
            band_of(cases.tally(), kind, method)
    else:
        of_cases, of_tally = band_of(cases, kind, method), band_of(cases.tally(), kind, method)
        np.testing.assert_array_equal(of_cases.upper, of_tally.upper)


@pytest.mark.parametrize(("kind", "method"), WAYS)
def test_clusters_are_allowed_for_or_refused_but_never_ignored(kind: str, method: str) -> None:
    cases = properly.Cases(*sample(60), clusters=np.arange(60) // 3)
    if (kind, method) in WITH_CLUSTERS:
        assert band_of(cases, kind, method, replicates=20, rng=1).method == method
    else:
        with pytest.raises(DataError, match="takes cases as independent; these have clusters"):
            band_of(cases, kind, method)


@pytest.mark.parametrize(("kind", "method"), WAYS)
def test_no_band_allows_for_time(kind: str, method: str) -> None:
    cases = properly.Cases(*sample(60), time=np.arange(60))
    with pytest.raises(DataError, match="band does not allow for dependence in time"):
        band_of(cases, kind, method)


def test_many_cases_in_clusters_are_resampled_by_default() -> None:
    y, p = sample(6000)
    t = properly.tally(y, np.round(p, 1))
    cases = properly.Cases(y, np.round(p, 1), clusters=np.arange(6000) // 3)
    assert band_of(t, "consistency").method == "discrete"
    assert band_of(cases, "consistency", replicates=2, rng=1).method == "resampling"


# Clusters


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
