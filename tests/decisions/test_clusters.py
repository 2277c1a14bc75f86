"""Rows in their clusters, against the same sums case by case."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly import Cases, tally
from properly.decisions._elementary import clustered, rows_of
from properly.errors import DataError
from properly.inference._variance import spread_of_means

N = 60
RNG = np.random.default_rng(11)
P = RNG.random(N).round(1)
Y = RNG.random(N) < P
CLUSTER = RNG.integers(0, 9, N)
WEIGHTS = {
    "none": None,
    "whole": RNG.integers(0, 4, N),
    "fractional": RNG.exponential(size=N) * (np.arange(N) % 5 > 0),
}
every_weight = pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)


@every_weight
def test_rows_of_no_weight_are_left_out_and_the_others_known_by_their_place(weight: Any) -> None:
    rows = rows_of(Cases(Y, P, weight=weight))
    used = np.arange(N) if weight is None else np.flatnonzero(weight)
    np.testing.assert_array_equal(rows.row, used)
    np.testing.assert_array_equal(rows.p, P[used])
    np.testing.assert_array_equal(rows.happened, Y[used])
    np.testing.assert_array_equal(rows.cluster, np.arange(len(used)))
    assert not rows.together


def test_whole_weights_are_counts_and_fractions_are_squared() -> None:
    whole = rows_of(Cases([0, 1], [0.1, 0.2], weight=[3, 1]))
    assert (whole.square.tolist(), whole.number.tolist()) == ([3, 1], [3, 1])
    fractions = rows_of(Cases([0, 1], [0.1, 0.2], weight=[2.5, 1]))
    assert (fractions.square.tolist(), fractions.number.tolist()) == ([6.25, 1], [1, 1])


def test_only_known_clusters_are_clusters() -> None:
    assert clustered(tally(Y, P)) is None
    assert clustered(Cases(Y, P)) is None
    rows = clustered(Cases(Y, P, clusters=CLUSTER))
    assert rows is not None
    assert rows.together
    assert rows.clusters == len(np.unique(CLUSTER))


@every_weight
@pytest.mark.parametrize("clusters", [None, CLUSTER], ids=["alone", "together"])
def test_units_and_factor_make_the_variance_of_a_mean(weight: Any, clusters: Any) -> None:
    rows = rows_of(Cases(Y, P, weight=weight, clusters=clusters))
    w, loss = rows.weight, (rows.p - rows.happened) ** 2
    away = loss - (w * loss).sum() / w.sum()
    sums = np.bincount(rows.cluster, rows.unit * away)
    if clusters is None:
        square = w**2 if np.any(w % 1) else w
        n = w.sum() ** 2 / square.sum()
        variance = (square * away**2).sum() / w.sum() ** 2 * n / (n - 1)
    else:
        totals = [(w * away)[rows.cluster == k].sum() for k in range(rows.clusters)]
        variance = np.sum(np.square(totals)) / w.sum() ** 2 * len(totals) / (len(totals) - 1)
    assert rows.factor * (sums**2).sum() == pytest.approx(variance, rel=1e-12)


@every_weight
def test_means_of_clusters_spread_as_any_mean_does(weight: Any) -> None:
    cases = Cases(Y, P, weight=weight, clusters=CLUSTER)
    rows = rows_of(cases)
    losses = [np.where(rows.happened, 1 - rows.p, rows.p), (rows.p - rows.happened) ** 2]
    sums = (np.bincount(rows.cluster, rows.weight * loss) for loss in losses)
    means, errors = rows.mean_and_error(sums)
    value = np.unique(rows.p)
    spread = spread_of_means(
        cases, np.stack([1 - value, (1 - value) ** 2]), np.stack([value, value**2])
    )
    expected = [np.average(loss, weights=rows.weight) for loss in losses]
    np.testing.assert_allclose(means, expected, rtol=1e-13)
    np.testing.assert_allclose(errors, np.sqrt(np.diagonal(spread.covariance)), rtol=1e-12)


def test_clusters_of_one_case_have_the_usual_error() -> None:
    x = RNG.normal(size=50)
    alone = rows_of(Cases(np.zeros(50), np.zeros(50), clusters=np.arange(50)))
    pairs = rows_of(Cases(np.zeros(100), np.zeros(100), clusters=np.repeat(np.arange(50), 2)))
    for rows, sums in ((alone, x), (pairs, 2 * x)):
        means, errors = rows.mean_and_error([sums])
        assert means[0] == pytest.approx(x.mean(), rel=1e-13)
        assert errors[0] == pytest.approx(x.std(ddof=1) / np.sqrt(50), rel=1e-12)


def test_costs_are_added_up_within_clusters_at_each_threshold() -> None:
    rows = rows_of(Cases(Y, P, weight=WEIGHTS["fractional"], clusters=CLUSTER))
    grid = np.array([0.0, 0.1, 0.35, 0.5, 1.0])
    for t, found in zip(grid, rows.costs(rows.p, rows.happened, grid), strict=True):
        cost = np.where(rows.p >= t, t * (1 - rows.happened), (1 - t) * rows.happened)
        expected = [2 * (rows.weight * cost)[rows.cluster == k].sum() for k in range(rows.clusters)]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("weight", [1, 0.7])
def test_one_case_has_no_factor(weight: float) -> None:
    assert np.isnan(rows_of(Cases([1], [0.3], weight=[weight])).factor)


def test_one_cluster_is_refused() -> None:
    with pytest.raises(DataError, match="only if there are two or more; got one"):
        rows_of(Cases([0, 1], [0.1, 0.2], clusters=[5, 5]))
    with pytest.raises(DataError, match="only if there are two or more; got one"):
        rows_of(Cases([0, 1, 1], [0.1, 0.2, 0.3], clusters=[5, 5, 6], weight=[1, 1, 0]))
