"""Elementary scores at every threshold at once, of cases and of clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly import Cases, tally
from properly.decisions._elementary import (
    curve_of,
    dependent,
    effective,
    knots,
    mistakes,
    on_knots,
    outcomes,
    rows_of,
    shares,
    shares_at,
)
from properly.inference._variance import spread_of_means


def test_knots_are_distinct_and_reach_from_zero_to_one() -> None:
    value = np.array([0.2, 0.5])
    np.testing.assert_array_equal(knots(value), [0, 0.2, 0.5, 1])
    np.testing.assert_array_equal(knots(np.array([0.0, 1.0])), [0, 1])
    np.testing.assert_array_equal(knots(value, np.array([0.5, 0.9])), [0, 0.2, 0.5, 0.9, 1])


def test_a_column_is_zero_where_no_forecast_is() -> None:
    knot = np.array([0, 0.2, 0.5, 0.9, 1])
    amount = np.array([3, 4])
    np.testing.assert_array_equal(on_knots(knot, knot[1:3], amount), [0, 3, 4, 0, 0])
    np.testing.assert_array_equal(on_knots(knot, knot[[1, 3]], amount), [0, 3, 0, 4, 0])


def test_at_its_own_forecast_one_acts_and_just_beyond_one_does_not() -> None:
    wrong = mistakes(np.array([1, 2, 4]), np.array([8, 16, 32]))
    np.testing.assert_array_equal(wrong.in_vain, [[7, 6, 4], [6, 4, 0]])
    np.testing.assert_array_equal(wrong.missed, [[0, 8, 24], [8, 24, 56]])


def test_a_knot_without_forecasts_changes_no_curve() -> None:
    found = outcomes(tally([0, 1, 1], [0.2, 0.2, 0.7]))
    few, more = np.array([0, 0.2, 0.7, 1]), np.array([0, 0.1, 0.2, 0.7, 1])
    np.testing.assert_array_equal(curve_of(more, found)[:, [0, 2, 3, 4]], curve_of(few, found))


def test_as_many_effective_cases_as_cases_of_equal_weight() -> None:
    for weight in (None, [0.1] * 5):
        found = outcomes(tally([0, 1, 1, 0, 1], [0.2, 0.2, 0.7, 0.8, 0.9], weight=weight))
        np.testing.assert_allclose(effective(found.total, found.squares), 5, rtol=1e-14)


def test_shares_are_counted_at_knots_and_anywhere() -> None:
    y, p = [0, 1, 0, 1, 0], [0.2, 0.2, 0.7, 0.8, 0.9]
    for weight in (None, [0.5, 2.5, 1.5, 3.0, 0.25]):
        found = outcomes(tally(y, p, weight=weight))
        assert found.weighted == (weight is not None)
        limits, anywhere = shares(found.value, found), shares_at(found.value, found)
        for both, at in zip(limits, anywhere, strict=True):
            np.testing.assert_allclose(np.atleast_2d(both)[0], at, rtol=1e-14)
        beyond = shares_at(np.array([0.21, 0.95]), found)
        np.testing.assert_allclose(beyond.missed, limits.missed[1, [0, -1]], rtol=1e-14)
        np.testing.assert_allclose(beyond.left, limits.left[1, [0, -1]], rtol=1e-14)


def test_how_heavy_those_are_who_were_misjudged() -> None:
    """Events weigh 1/2 and 3/2, the others 5/2 and 1/2: 9 squared over a weight of 5."""
    found = outcomes(tally([1, 0, 1, 0], [0.2, 0.4, 0.6, 0.8], weight=[0.5, 2.5, 1.5, 0.5]))
    assert (found.total, found.squares) == (5, 9)
    at = shares_at(np.array([0.1, 0.3, 0.7, 0.9]), found)
    mean = 9 / 5
    # At first no event is missed; nobody is left, so it would be as heavy as other events are.
    missed = [2.5 / 2, 0.5, 2.5 / 2, 2.5 / 2]
    np.testing.assert_allclose(at.heavy_missed, np.array(missed) / mean, rtol=1e-14)
    # At last nobody is acted upon in vain, nor at all.
    in_vain = [6.5 / 3, 6.5 / 3, 0.5, 6.5 / 3]
    np.testing.assert_allclose(at.heavy_in_vain, np.array(in_vain) / mean, rtol=1e-14)
    # Of those not acted upon, an event that was not seen may be as heavy as a heavier other.
    few = outcomes(tally([0, 1, 0], [0.1, 0.6, 0.8], weight=[4.5, 0.5, 0.5]))
    heavy = shares_at(np.array([0.5]), few).heavy_missed
    np.testing.assert_allclose(heavy, 4.5 * few.total / few.squares, rtol=1e-14)


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
    np.testing.assert_array_equal(rows.unit, np.arange(len(used)))
    assert not rows.together


def test_weights_are_squared_and_counts_are_rows() -> None:
    for weight in ([3, 1], [2.5, 1]):
        rows = rows_of(Cases([0, 1], [0.1, 0.2], weight=weight))
        assert (rows.weight.tolist(), rows.square.tolist()) == (weight, [weight[0] ** 2, 1])
    counted = rows_of(Cases([0, 1], [0.1, 0.2], count=[3, 1]))
    assert (counted.p.tolist(), counted.square.tolist()) == ([0.1, 0.1, 0.1, 0.2], [1, 1, 1, 1])


def test_only_known_clusters_are_clusters() -> None:
    assert dependent(tally(Y, P)) is None
    assert dependent(Cases(Y, P)) is None
    rows = dependent(Cases(Y, P, clusters=CLUSTER))
    assert rows is not None
    assert rows.together
    assert rows.units == len(np.unique(CLUSTER))


@every_weight
@pytest.mark.parametrize("clusters", [None, CLUSTER], ids=["alone", "together"])
def test_weights_and_factor_make_the_variance_of_a_mean(weight: Any, clusters: Any) -> None:
    rows = rows_of(Cases(Y, P, weight=weight, clusters=clusters))
    w, loss = rows.weight, (rows.p - rows.happened) ** 2
    away = loss - (w * loss).sum() / w.sum()
    sums = np.bincount(rows.unit, rows.weight * away)
    if clusters is None:
        n = w.sum() ** 2 / (w**2).sum()
        variance = (w**2 * away**2).sum() / w.sum() ** 2 * n / (n - 1)
    else:
        # Without the correction, which is one factor per cluster.
        totals = [(w * away)[rows.unit == k].sum() for k in range(rows.units)]
        variance = np.sum(np.square(totals)) / w.sum() ** 2
    assert rows.factor * (sums**2).sum() == pytest.approx(variance, rel=1e-12)


@every_weight
def test_means_of_clusters_spread_as_any_mean_does(weight: Any) -> None:
    cases = Cases(Y, P, weight=weight, clusters=CLUSTER)
    rows = rows_of(cases)
    losses = [np.where(rows.happened, 1 - rows.p, rows.p), (rows.p - rows.happened) ** 2]
    sums = (np.bincount(rows.unit, rows.weight * loss) for loss in losses)
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
        expected = [2 * (rows.weight * cost)[rows.unit == k].sum() for k in range(rows.units)]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("weight", [1, 0.7])
def test_one_case_has_no_factor(weight: float) -> None:
    assert np.isnan(rows_of(Cases([1], [0.3], weight=[weight])).factor)
