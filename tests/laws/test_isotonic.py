"""Recalibration by pooling adjacent violators: exact, monotone, and best for every rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

import properly

from .subjects import (
    EPS,
    RULES,
    Block,
    Rows,
    any_rows,
    counted_rows,
    exact_blocks,
    many,
    mean_score,
    quick_counts,
    quick_rows,
    seeds,
    tally_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from properly import Tally
    from properly.rules import BinaryRule

# Few cases a group make many equal rates, so that pooling on equality is met all the time.
small_groups = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    min_size=1,
    max_size=30,
)


def tally_of_groups(weight: Sequence[int], events: Sequence[int]) -> Tally:
    value = np.linspace(0, 1, len(weight) + 2)[1:-1]
    return properly.Tally.from_counts(value, np.array(weight), np.array(events))


def assert_bins_are(tally: Tally, blocks: list[Block]) -> None:
    """Compare bins with exact blocks: ranges and counts exactly, rates to the last digit."""
    result = properly.reliability(tally)
    value = np.asarray(tally.value)
    np.testing.assert_array_equal(result.bins.x_min, [value[block.first] for block in blocks])
    np.testing.assert_array_equal(result.bins.x_max, [value[block.last] for block in blocks])
    np.testing.assert_array_equal(result.bins.weight, [block.weight for block in blocks])
    rates = [float(block.rate) for block in blocks]
    np.testing.assert_array_equal(result.bins.event_rate, rates)
    spread = np.repeat(rates, [block.last - block.first + 1 for block in blocks])
    np.testing.assert_array_equal(result.recalibrated, spread)


@many
@given(found=any_rows)
def test_recalibration_agrees_with_scipy_on_pooled_ties(found: Rows) -> None:
    tally = tally_of(found)
    weight = np.asarray(tally.weight, dtype=float)
    expected = isotonic_regression(np.asarray(tally.events) / weight, weights=weight).x
    got = properly.reliability(tally).recalibrated
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)  # scipy sums in floats


@many
@given(found=any_rows)
def test_bins_partition_the_distinct_forecasts(found: Rows) -> None:
    tally = tally_of(found)
    result = properly.reliability(tally)
    bins, value = result.bins, np.asarray(tally.value)
    assert bins.x_min[0] == value[0]
    assert bins.x_max[-1] == value[-1]
    assert (np.asarray(bins.x_min) <= np.asarray(bins.x_max)).all()
    assert (np.asarray(bins.x_max)[:-1] < np.asarray(bins.x_min)[1:]).all()
    bin_of = np.searchsorted(bins.x_max, value)
    np.testing.assert_array_equal(result.recalibrated, np.asarray(bins.event_rate)[bin_of])
    weight = np.bincount(bin_of, weights=np.asarray(tally.weight, dtype=float))
    np.testing.assert_allclose(bins.weight, weight, rtol=25 * EPS)
    assert result.band is None


@many
@given(found=any_rows)
def test_recalibration_is_monotone_and_stays_in_the_unit_interval(found: Rows) -> None:
    result = properly.reliability(tally_of(found))
    assert (np.diff(np.asarray(result.bins.event_rate)) > 0).all()
    assert (np.diff(np.asarray(result.recalibrated)) >= 0).all()
    assert np.asarray(result.recalibrated).min() >= 0
    assert np.asarray(result.recalibrated).max() <= 1


def recalibrate(found: Rows) -> Rows:
    tally = tally_of(found)
    kept = found.weight > 0
    place = np.searchsorted(tally.value, found.p[kept])
    recalibrated = np.asarray(properly.reliability(tally).recalibrated)[place]
    return Rows(found.y[kept], recalibrated, found.weight[kept])


@many
@given(found=counted_rows)
def test_recalibrating_twice_changes_nothing(found: Rows) -> None:
    tally = tally_of(recalibrate(found))
    np.testing.assert_array_equal(properly.reliability(tally).recalibrated, tally.value)


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(found=quick_counts)
def test_recalibrated_forecasts_have_no_miscalibration(rule: BinaryRule, found: Rows) -> None:
    before = properly.decompose(tally_of(found), rule)
    after = properly.decompose(tally_of(recalibrate(found)), rule)
    assert after.miscalibration == 0
    assert after.discrimination == pytest.approx(before.discrimination, rel=1e-13, abs=8 * EPS)
    assert after.uncertainty == pytest.approx(before.uncertainty, rel=8 * EPS)


def monotone_competitors(tally: Tally, seed: int) -> list[NDArray[np.float64]]:
    """Return other ways to recalibrate that keep the order of the forecasts."""
    rng = np.random.default_rng(seed)
    value, count = np.asarray(tally.value), len(tally)
    best = np.asarray(properly.reliability(tally).recalibrated)
    nudged = np.clip(best + np.sort(rng.normal(scale=0.01, size=count)), 0, 1)
    return [
        value,
        value**2,
        np.sqrt(value),
        np.full(count, rng.random()),
        np.sort(rng.random(count)),
        np.where(value < rng.random(), 0.0, 1.0),
        nudged,
    ]


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(found=quick_rows, seed=seeds)
def test_no_monotone_recalibration_scores_better(rule: BinaryRule, found: Rows, seed: int) -> None:
    tally = tally_of(found)
    best = mean_score(rule, tally, np.asarray(properly.reliability(tally).recalibrated))
    for other in monotone_competitors(tally, seed):
        assert best <= mean_score(rule, tally, other) + 16 * EPS * max(1.0, best)


# Above about 3e9 cases the products of two counts leave 64 bits.
huge_groups = st.lists(
    st.integers(3 * 10**9, 10**12).flatmap(
        lambda n: st.tuples(st.just(n), st.integers(0, 10**6).map(lambda share: n * share // 10**6))
    ),
    min_size=2,
    max_size=12,
)


@pytest.mark.parametrize("drawn", [small_groups, huge_groups], ids=["small", "huge"])
@many
@given(data=st.data())
def test_bins_are_those_of_exact_arithmetic(drawn: Any, data: st.DataObject) -> None:
    weight, events = zip(*data.draw(drawn), strict=True)
    assert_bins_are(tally_of_groups(weight, events), exact_blocks(weight, events))
