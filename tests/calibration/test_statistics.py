"""What tests of calibration measure, by hand, and how it is distributed."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, f, norm, t

import properly
from properly.calibration._event_tests import (
    combine,
    hosmer_lemeshow,
    path_of,
    range_tail,
    reach_tail,
    spiegelhalter,
)
from properly.calibration._statistics import (
    ForecastSample,
    clustered_score,
    score_axes,
    score_statistic,
)


def sample_of(y: Any, p: Any, weight: Any = None) -> ForecastSample:
    return ForecastSample.of(properly.tally(y, p, weight=weight))


def drawn(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    p = np.round(rng.uniform(0.02, 0.98, n), 2)
    return (rng.random(n) < p).astype(int), p


def rao(y: Any, p: Any, weight: Any = 1.0) -> float:
    """Write the score statistic with matrices, as it is defined."""
    Z = np.column_stack([np.ones(len(p)), np.log(p / (1 - p))])
    score = Z.T @ (weight * (y - p))
    information = (Z * (weight**2 * p * (1 - p))[:, None]).T @ Z
    return float(score @ np.linalg.solve(information, score))


# the score statistic


def test_the_score_statistic_is_that_of_its_definition() -> None:
    y, p = drawn(60, 1)
    sample = sample_of(y, p)
    axes = score_axes(sample)
    assert len(axes) == 2
    assert score_statistic(axes, sample.excess) == pytest.approx(rao(y, p), rel=1e-12)


def test_fractional_weights_are_squared_in_the_variance() -> None:
    y, p = drawn(60, 2)
    weight = np.random.default_rng(3).gamma(1.5, size=60)
    sample = sample_of(y, p, weight)
    found = score_statistic(score_axes(sample), sample.excess)
    assert found == pytest.approx(rao(y, p, weight), rel=1e-12)
    ten = sample_of(y, p, 10 * weight)
    assert score_statistic(score_axes(ten), ten.excess) == pytest.approx(found, rel=1e-12)


def test_one_forecast_has_no_slope() -> None:
    sample = ForecastSample.of(properly.Tally.from_counts([0.2], [50], [18]))
    axes = score_axes(sample)
    assert len(axes) == 1
    # 8 more than 10, and a variance of 8.
    assert score_statistic(axes, sample.excess) == pytest.approx(8, rel=1e-14)


def test_certain_forecasts_have_no_part_in_it() -> None:
    y, p = drawn(40, 4)
    with_certain = sample_of(np.append(y, [0, 1, 1]), np.append(p, [0.0, 1.0, 1.0]))
    found = score_statistic(score_axes(with_certain), with_certain.excess)
    assert found == pytest.approx(rao(y, p), rel=1e-12)
    assert not with_certain.is_refuted
    assert with_certain.is_uncertain.tolist() == [False, *[True] * len(np.unique(p)), False]
    sure = sample_of([0, 1], [0.0, 1.0])
    assert score_axes(sure).shape == (0, 2)
    assert score_statistic(score_axes(sure), sure.excess) == 0


@pytest.mark.parametrize(
    ("y", "p", "refuted"),
    [(1, 0.0, True), (0, 1.0, True), (0, 0.0, False), (1, 1.0, False), (1, 5e-324, False)],
)
def test_only_a_contradicted_certain_forecast_refutes(y: int, p: float, refuted: bool) -> None:
    assert sample_of([y, 0], [p, 0.5]).is_refuted == refuted


# clusters


def test_the_clustered_score_is_that_of_its_definition() -> None:
    y, p = drawn(90, 5)
    rng = np.random.default_rng(6)
    weight, cluster = rng.gamma(1.5, size=90), rng.integers(0, 12, 90)
    Z = np.column_stack([np.ones(90), np.log(p / (1 - p))]) * (weight * (y - p))[:, None]
    totals = np.stack([Z[cluster == g].sum(axis=0) for g in range(12)])
    total = totals.sum(axis=0)
    expected = total @ np.linalg.solve(totals.T @ totals, total)
    found = clustered_score(p, y, weight, cluster)
    assert found == pytest.approx((expected, 2, 12), rel=1e-11)
    # Hotelling's test of the mean of the sums.
    mean, spread = total / 12, np.cov(totals.T)
    square = 12 * mean @ np.linalg.solve(spread, mean)
    assert found.p_value == pytest.approx(f.sf(square * 10 / (2 * 11), 2, 10), rel=1e-10)
    assert found.asymptotic == pytest.approx(chi2.sf(expected, 2), rel=1e-11)


def test_one_forecast_in_clusters_has_no_slope() -> None:
    y, cluster = np.array([1, 1, 0, 0]), np.array([0, 0, 1, 1])
    # Sums of 1.5 and -.5: (1.5 - .5)^2 / (1.5^2 + .5^2).
    found = clustered_score(np.full(4, 0.25), y, np.ones(4), cluster)
    assert found == pytest.approx((1 / 2.5, 1, 2), rel=1e-14)
    # The mean is half of its standard error, and there is one degree of freedom.
    assert found.p_value == pytest.approx(2 * t.sf(0.5, 1), rel=1e-13)


def test_clusters_in_which_everything_cancels_say_nothing() -> None:
    y, cluster = np.array([1, 0, 1, 0]), np.array([0, 0, 1, 1])
    found = clustered_score(np.full(4, 0.5), y, np.ones(4), cluster)
    assert found == (0, 0, 2)
    assert math.isnan(found.p_value)
    sure = np.array([0.0, 1.0, 0.0, 1.0])
    found = clustered_score(sure, sure, np.ones(4), cluster)
    assert found == (0, 0, 0)
    assert found.p_value == 1


def test_what_cancels_within_clusters_but_for_rounding_is_nothing() -> None:
    # .3 times .9 less three times .9 times .1, which is not 0 to a computer.
    y, weight, cluster = [1, 0, 0, 0], [0.3, 0.9, 0.9, 0.9], np.repeat(np.arange(5), 4)
    found = clustered_score(np.full(20, 0.1), np.tile(y, 5), np.tile(weight, 5), cluster)
    assert found == (0, 0, 5)


def test_clusters_that_are_all_alike_say_nothing_about_how_they_vary() -> None:
    p, y = np.tile([0.13, 0.27, 0.61], 12), np.tile([0, 1, 1], 12)
    found = clustered_score(p, y, np.ones(36), np.repeat(np.arange(12), 3))
    assert found.statistic == pytest.approx(12)
    assert math.isnan(found.p_value)


def test_clusters_of_certain_forecasts_alone_do_not_count() -> None:
    y, p = drawn(60, 5)
    cluster = np.arange(60) // 6
    more = [np.append(x, [last] * 3) for x, last in ((p, 0.0), (y, 0), (cluster, 10))]
    found = clustered_score(more[0], more[1], np.ones(63), more[2])
    assert found == clustered_score(p, y, np.ones(60), cluster)


# Spiegelhalter's


def test_spiegelhalter_by_hand() -> None:
    # Excess .9 and -.6, slopes .8 and -.2: (.72 + .12) / sqrt(.64 * .09 + .04 * .24).
    found = spiegelhalter(sample_of([1, 0], [0.1, 0.6]))
    assert found == pytest.approx(0.84 / math.sqrt(0.0576 + 0.0096), rel=1e-14)


def test_spiegelhalter_sees_nothing_at_one_half() -> None:
    assert spiegelhalter(sample_of([1, 1, 1], [0.5, 0.5, 0.5])) == 0
    assert spiegelhalter(sample_of([1, 1], [0.0, 0.5])) == math.inf
    assert spiegelhalter(sample_of([0, 1], [1.0, 0.5])) == math.inf


def test_spiegelhalter_of_many_is_as_of_copies() -> None:
    y, p = drawn(30, 7)
    once = spiegelhalter(sample_of(y, p))
    counted = spiegelhalter(ForecastSample.of(properly.tally(y, p, count=np.full(30, 4))))
    assert counted == pytest.approx(2 * once, rel=1e-12)
    assert spiegelhalter(sample_of(y, p, np.full(30, 4))) == once


# paths


def test_a_path_by_hand() -> None:
    # Excess -.2, then .6 + .6 at one forecast, then -.9: sums -.2, 1, .1, over 4.
    sample = sample_of([0, 1, 1, 0], [0.2, 0.4, 0.4, 0.9])
    found = path_of(sample.excess, 4)
    assert found == pytest.approx((1 / 4, 1.2 / 4), abs=1e-15)


def test_the_path_starts_at_0() -> None:
    # Sums .8 and 1.2 never come back: the range counts from 0.
    found = path_of(sample_of([1, 1], [0.2, 0.6]).excess, 2)
    assert found == pytest.approx((0.6, 0.6), rel=1e-14)


@pytest.mark.parametrize(("tail", "five_per_cent"), [(reach_tail, 2.2414), (range_tail, 2.4977)])
def test_the_five_per_cent_points_are_the_known_ones(tail: Any, five_per_cent: float) -> None:
    assert tail(five_per_cent) == pytest.approx(0.05, abs=1e-5)


def test_the_two_series_for_the_reach_agree() -> None:
    below, above = reach_tail(math.nextafter(1, 0)), reach_tail(1)
    assert below == pytest.approx(above, abs=1e-14)


@pytest.mark.parametrize("tail", [reach_tail, range_tail])
def test_tails_fall_from_one_to_zero(tail: Any) -> None:
    found = [tail(a) for a in np.linspace(0, 12, 200)]
    assert found[0] == 1
    assert all(0 <= b <= a + 1e-13 for a, b in pairwise(found))
    assert tail(math.inf) == 0


def test_far_tails_keep_their_digits() -> None:
    # One term is left: two sides, and by reflection twice the chance of ending beyond.
    assert reach_tail(10) == pytest.approx(4 * norm.sf(10), rel=1e-12)
    assert range_tail(10) == pytest.approx(8 * norm.sf(10), rel=1e-12)


# Hosmer and Lemeshow's


def test_hosmer_lemeshow_by_hand() -> None:
    # The median of .1, .2, .3, .4 is .25: two groups with 1 of .3 and 1 of .7 expected.
    found = hosmer_lemeshow(sample_of([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]), 2)
    expected = 0.7**2 / (0.3 * 0.85) + 0.3**2 / (0.7 * 0.65)
    assert found == pytest.approx((expected, 2), rel=1e-13)


@pytest.mark.parametrize("groups", [3, 7, 10])
@pytest.mark.parametrize("n", [40, 71, 200])
def test_groups_are_those_between_type_7_quantiles(n: int, groups: int) -> None:
    y, p = drawn(n, n)
    ordered = [Fraction(str(x)) for x in np.sort(p)]
    edges = []
    for k in range(groups + 1):
        place = Fraction(k * (n - 1), groups)
        low = math.floor(place)
        high = ordered[min(low + 1, n - 1)]
        edges.append(ordered[low] + (high - ordered[low]) * (place - low))
    edges = sorted(set(edges))
    label = [max(sum(Fraction(str(x)) > e for e in edges), 1) for x in p]
    total = 0.0
    for group in set(label):
        rows = np.array(label) == group
        expected = p[rows].sum()
        total += (y[rows].sum() - expected) ** 2 / (expected * (1 - expected / rows.sum()))
    found = hosmer_lemeshow(sample_of(y, p), groups)
    assert found == pytest.approx((total, len(set(label))), rel=1e-10)


def test_groups_of_certain_forecasts_add_nothing_or_everything() -> None:
    y, p = [0, 0, 0, 1, 1, 1], [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    assert hosmer_lemeshow(sample_of(y, p), 2) == (0, 2)
    wrong, groups = hosmer_lemeshow(sample_of([1, *y[1:]], p), 2)
    assert (wrong, groups) == (math.inf, 2)


def test_one_forecast_makes_one_group() -> None:
    found = hosmer_lemeshow(ForecastSample.of(properly.Tally.from_counts([0.2], [50], [18])), 10)
    assert found == pytest.approx((8, 1), rel=1e-13)


# ranks


def test_two_tests_are_combined_by_hand() -> None:
    first = np.array([5.0, 1.0, 2.0, 9.0])
    second = np.array([1.0, 4.0, 2.0, 3.0])
    # Ranks 2, 4, 3, 1 and 4, 1, 3, 2; the smaller ones 2, 1, 3, 1: three of four are at most 2.
    assert combine(first, second, (0.0, 0.0)) == (3 / 4, 2 / 4, 4 / 4)


def test_ties_but_for_rounding_are_ties() -> None:
    first = np.array([1.0, 1.0 - 1e-13, 1.0 + 1e-13])
    assert combine(first, np.zeros(3), (1e-12, 1e-12)) == (1, 1, 1)


def test_the_combined_rank_of_equals_is_uniform() -> None:
    # All rows alike: each of them is, as the observed one, ranked as often at 1 as at 10.
    rng = np.random.default_rng(8)
    first, second = rng.normal(size=(2, 200))
    found = sorted(
        combine(np.roll(first, k), np.roll(second, k), (0.0, 0.0))[0] for k in range(200)
    )
    for level in (0.05, 0.1, 0.5):
        assert np.mean(np.array(found) <= level) <= level
        assert np.mean(np.array(found) <= level) >= level - 0.02
