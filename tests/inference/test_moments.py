"""Moments of rows, of counts and of sums are the same."""

from __future__ import annotations

import numpy as np
import pytest

import properly
from properly.inference._design import Design
from properly.inference._moments import Moments
from properly.inference._variance import covariance

RNG = np.random.default_rng(11)
N = 400
P = RNG.choice([0.1, 0.3, 0.6, 0.8], N)
Y = RNG.random(N) < P
AMOUNT = np.stack([(P - Y) ** 2, P, 3 + 1e-3 * RNG.standard_normal(N)])
WEIGHT = RNG.gamma(2.0, size=N)
WHOLE = Moments.from_rows(AMOUNT, WEIGHT)


def assert_same(got: Moments, expected: Moments, rtol: float = 1e-12) -> None:
    np.testing.assert_allclose(got.total, expected.total, rtol=rtol)
    size = np.sqrt(np.diagonal(expected.about))
    np.testing.assert_allclose(got.about, expected.about, rtol=rtol, atol=rtol * size.max())
    np.testing.assert_allclose(got.spread.errors, expected.spread.errors, rtol=rtol)
    assert got.units == expected.units


def test_rows_have_the_covariance_of_their_influences() -> None:
    influence = WEIGHT * (AMOUNT - WHOLE.mean[:, None]) / WEIGHT.sum()
    expected = covariance(influence, Design(WEIGHT))
    np.testing.assert_allclose(WHOLE.spread.covariance, expected.covariance, rtol=1e-9)
    assert WHOLE.spread.degrees == expected.degrees == N - 1


def test_sums_of_an_engine_have_the_same_moments() -> None:
    every = np.vstack([np.ones(N), AMOUNT[:2]])
    sums = Moments.from_sums(every @ WEIGHT, (every * WEIGHT**2) @ every.T, N)
    assert_same(sums, Moments.from_rows(AMOUNT[:2], WEIGHT))


def test_sums_over_clusters_have_the_spread_of_the_design() -> None:
    cluster = RNG.integers(0, 30, N)
    design = Design(WEIGHT, cluster)
    every = np.vstack([np.ones(N), AMOUNT[:2]]) * WEIGHT
    units = np.stack([np.bincount(cluster, row) for row in every])
    products = (units * design.correction.factor) @ units.T
    sums = Moments.from_sums(every.sum(axis=1), products, 30, design.correction)
    influence = WEIGHT * (AMOUNT[:2] - sums.mean[:, None]) / WEIGHT.sum()
    expected = covariance(influence, design)
    np.testing.assert_allclose(sums.spread.covariance, expected.covariance, rtol=1e-11)
    assert sums.spread.degrees == expected.degrees


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_a_tally_has_the_moments_of_its_rows(weight: np.ndarray | None) -> None:
    tally = properly.tally(Y, P, weight=weight)
    sides = [np.stack([(tally.value - y) ** 2, tally.value]) for y in (1, 0)]
    got = Moments.from_tally(tally, *sides)
    expected = Moments.from_rows(AMOUNT[:2], weight)
    np.testing.assert_allclose(got.about, expected.about, rtol=1e-11, atol=1e-12)
    units = N if weight is None else weight.sum() ** 2 / (weight @ weight)
    assert got.units == pytest.approx(units)


def test_an_infinite_amount_leaves_the_others_as_they_are() -> None:
    amount = AMOUNT.copy()
    amount[1, 7] = np.inf
    got = Moments.from_rows(amount, WEIGHT)
    assert got.mean[1] == np.inf
    assert np.isnan(got.spread.errors[1])
    np.testing.assert_allclose(got.spread.errors[[0, 2]], WHOLE.spread.errors[[0, 2]], rtol=1e-12)
