"""The bootstrap: its draws, what is told of them, and what is refused."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.inference_numbers import CLUSTER, P1, STRATUM, TIME, WEIGHT, Y

import properly
from properly import Cases, Tally
from properly.errors import DataWarning
from properly.inference import bootstrap
from properly.inference._bootstrap import Mean
from properly.inference._design import Design
from properly.inference._replicates import sample_of
from properly.inference._variance import covariance, of_auc, of_mean
from properly.rules import RPS, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from properly.rules import Rule

    Floats = NDArray[np.float64]

DESIGNS: dict[str, dict[str, Any]] = {
    "cases": {},
    "weights": {"weight": WEIGHT},
    "whole weights, some 0": {"weight": np.arange(300) % 4},
    "clusters": {"clusters": CLUSTER},
    "weighted clusters in strata": {"weight": WEIGHT, "clusters": CLUSTER, "strata": STRATUM},
    "strata": {"strata": STRATUM},
    "panel": {"time": np.asarray(TIME) // 3, "weight": WEIGHT},
}
design = pytest.mark.parametrize("known", DESIGNS.values(), ids=DESIGNS)


def score(rule: Rule) -> Callable[[Any], float]:
    return lambda cases: float(rule(cases.y, cases.p, cases.weight))


def area(cases: Any) -> float:
    """Count pairs one by one."""
    if isinstance(cases, Tally):
        y, p = np.repeat([True, False], len(cases)), np.tile(cases.value, 2)
        weight = np.concatenate([cases.events, cases.weight - cases.events])
    else:
        y, p, weight = cases.y, cases.p, cases.weight
    higher = np.sign(p[y][:, None] - p[~y]) / 2 + 0.5
    return float(weight[y] @ higher @ weight[~y] / weight[y].sum() / weight[~y].sum())


def blocks(known: dict[str, Any]) -> float | None:
    return 2.5 if "time" in known else None


# Draws


def test_the_draws_are_those_of_all_possible_samples() -> None:
    y, p, weight = [0, 1, 1, 0], [0.2, 0.9, 0.4, 0.5], np.array([1.0, 2.0, 0.5, 3.0])
    loss = Brier().loss(y, p)
    every = np.array(list(product(range(4), repeat=4)))
    possible = (weight * loss)[every].sum(axis=1) / weight[every].sum(axis=1)
    found = bootstrap(Cases(y, p, weight=weight), Brier(), replicates=40_000, rng=3)
    nearest = np.abs(found.draws[:, None] - np.unique(possible.round(12))).min(axis=1)
    assert nearest.max() < 1e-11
    error = possible.std() / math.sqrt(found.replicates)
    assert abs(found.draws.mean() - possible.mean()) <= 4 * error
    assert found.bias == pytest.approx(possible.mean() - found.value, abs=4 * error)
    assert found.standard_error == pytest.approx(possible.std(), rel=0.02)
    assert found.value == pytest.approx(weight @ loss / weight.sum(), abs=1e-15)


@design
@pytest.mark.parametrize("rule", [Brier(), Log()], ids=repr)
def test_a_rule_and_its_mean_as_a_function_give_the_same_draws(
    known: dict[str, Any], rule: Rule
) -> None:
    cases = Cases(Y, P1, **known)
    both = [
        bootstrap(cases, x, replicates=60, rng=5, block_length=blocks(known))
        for x in (rule, score(rule))
    ]
    np.testing.assert_allclose(both[0].draws, both[1].draws, rtol=1e-12)
    assert both[0].value == pytest.approx(both[1].value, rel=1e-13)
    assert len(np.unique(both[0].draws)) > 50


@design
def test_the_area_and_pairs_counted_one_by_one_give_the_same_draws(known: dict[str, Any]) -> None:
    cases = Cases(Y, np.round(P1, 1), **known)
    both = [
        bootstrap(cases, x, replicates=60, rng=5, block_length=blocks(known)) for x in ("auc", area)
    ]
    np.testing.assert_allclose(both[0].draws, both[1].draws, rtol=1e-12)
    assert both[0].value == pytest.approx(both[1].value, rel=1e-13)


@pytest.mark.parametrize("digits", [1, 4])
def test_a_tally_is_drawn_case_by_case_too(digits: int) -> None:
    tally = properly.tally(Y, np.round(P1, digits))

    def mean(t: Tally) -> float:
        loss = t.events * (1 - t.value) ** 2 + (t.weight - t.events) * t.value**2
        return float(loss.sum() / t.weight.sum())

    routes: list[tuple[Any, Any]] = [(Brier(), mean), ("auc", area)]
    for fast, slow in routes:
        both = [bootstrap(tally, x, replicates=60, rng=5) for x in (fast, slow)]
        np.testing.assert_allclose(both[0].draws, both[1].draws, rtol=1e-12)
        assert both[0].value == pytest.approx(both[1].value, rel=1e-13)
    rows = bootstrap(Cases(Y, np.round(P1, digits)), Brier(), replicates=9999, rng=1)
    found = bootstrap(tally, Brier(), replicates=9999, rng=1)
    assert found.standard_error == pytest.approx(rows.standard_error, rel=0.04)
    assert found.design == rows.design == "300 independent cases"


@pytest.mark.parametrize("rule", [RPS(), Log(), Brier()], ids=repr)
def test_classes_have_draws_too(rule: Rule) -> None:
    rng = np.random.default_rng(2)
    p = rng.dirichlet([1, 1, 1], 60)
    cases = Cases(rng.integers(0, 3, 60), p, clusters=np.arange(60) // 2)
    both = [bootstrap(cases, x, replicates=60, rng=5) for x in (rule, score(rule))]
    np.testing.assert_allclose(both[0].draws, both[1].draws, rtol=1e-12)
    assert both[0].design == "30 clusters"


def test_a_function_sees_all_that_is_known_of_the_cases_and_weights_in_their_library() -> None:
    xp = pytest.importorskip("array_api_strict")
    seen: list[Any] = []
    cases = Cases(xp.asarray(Y == 1), xp.asarray(P1), clusters=CLUSTER, groups=STRATUM)
    bootstrap(cases, lambda c: seen.append(c) or 1.0, replicates=39, rng=1)  # type: ignore[func-returns-value]
    assert len(seen) == 40
    for replicate in seen:
        assert type(replicate.weight) is type(cases.p)
        assert replicate.p is cases.p
        np.testing.assert_array_equal(replicate.clusters, CLUSTER)
        assert int(xp.max(replicate.weight)) <= 30
    np.testing.assert_array_equal(seen[0].weight, 1)
    drawn = np.array([np.asarray(x.weight) for x in seen])
    for cluster in range(30):
        assert (drawn[:, cluster == CLUSTER].std(axis=1) == 0).all()


# How far draws spread


@pytest.mark.parametrize("name", ["clusters", "weighted clusters in strata", "strata", "weights"])
def test_the_standard_error_is_close_to_the_linearised_one(name: str) -> None:
    cases = Cases(Y, P1, **DESIGNS[name])
    sampled = Design.of(cases)
    # The draws have the variance with G, not G - 1, in the denominator, in each stratum.
    units = 30 if sampled.cluster is not None else 300
    strata = 1 if sampled.stratum is None else len(set(STRATUM))
    shrink = math.sqrt(1 - strata / units)
    influences = {
        Brier(): of_mean(Brier().loss(Y, P1), sampled.weight)[1],
        "auc": of_auc(Y == 1, P1, sampled.weight)[1],
    }
    for statistic, influence in influences.items():
        expected = float(covariance(influence[None], sampled).errors[0])
        found = bootstrap(cases, statistic, rng=1)  # type: ignore[call-overload]
        assert found.standard_error == pytest.approx(shrink * expected, rel=0.08)


def test_blocks_spread_as_the_stationary_bootstrap_says() -> None:
    """Compare with the variance of its mean, which is known from circular autocovariances."""
    loss = Brier().loss(Y, P1)[np.argsort(TIME)]
    away, times = loss - loss.mean(), len(loss)
    circular = np.array([away @ np.roll(away, -k) for k in range(times)]) / times
    for length in (1.0, 4.0, 25.0):
        k = np.arange(1, times)
        weighted = (1 - k / times) * (1 - 1 / length) ** k
        variance = (circular[0] + 2 * weighted @ circular[1:]) / times
        cases = Cases(Y, P1, time=TIME)
        found = bootstrap(cases, Brier(), block_length=length, replicates=9999, rng=2)
        assert found.standard_error == pytest.approx(math.sqrt(variance), rel=0.03)
        assert (found.kind, found.block_length) == ("blocks", length)


# Intervals


@pytest.mark.parametrize("known", [{}, DESIGNS["clusters"], {"weight": WEIGHT}])
def test_percentile_and_basic_intervals_mirror_one_another(known: dict[str, Any]) -> None:
    cases = Cases(Y, P1, **known)
    percentile, basic = (
        bootstrap(cases, Log(), method=method, level=0.9, rng=4)
        for method in ("percentile", "basic")
    )
    draws = np.sort(percentile.draws)
    assert percentile.interval == (draws[99], draws[-100])
    lower, upper = percentile.interval
    assert basic.interval == (2 * basic.value - upper, 2 * basic.value - lower)
    np.testing.assert_array_equal(basic.draws, percentile.draws)


def repeated(cases: Cases, count: NDArray[np.int64], unit: NDArray[np.int64]) -> Cases:
    """Write out what was drawn, row by row; a cluster that was drawn twice becomes two."""
    rows, cluster = [], []
    for number in range(len(count)):
        for copy in range(count[number]):
            row = np.flatnonzero(unit == number)
            rows.append(row)
            cluster.append(np.full(len(row), 1000 * number + copy))
    row = np.concatenate(rows)
    strata = None if cases.strata is None else cases.strata[row]
    weight = None if cases.weight is None else cases.weight[row]
    return Cases(
        cases.y[row], cases.p[row], weight=weight, clusters=np.concatenate(cluster), strata=strata
    )


@pytest.mark.parametrize("name", ["cases", "weights", "clusters", "weighted clusters in strata"])
def test_standard_errors_of_replicates_are_those_of_the_rows_written_out(name: str) -> None:
    cases = Cases(Y, P1, **DESIGNS[name])
    sample = sample_of(cases)
    mean = Mean.of(sample, Log())
    (counts,) = sample.counts(None, 5, np.random.default_rng(3))
    for count, found, pivot in zip(counts, mean.errors(counts), mean.pivots(counts), strict=True):
        rows = repeated(cases, count, sample.unit)
        # Replicates have the factor G / (G - 1), as clusters within strata have.
        sampled = Design.of(rows)
        if sampled.cluster is not None and sampled.stratum is None:
            sampled = sampled.stratified(np.zeros(len(rows), dtype=np.intp))
        middle, influence = of_mean(Log().loss(rows.y, rows.p), sampled.weight)
        expected = float(covariance(influence[None], sampled).errors[0])
        assert found == pytest.approx(expected, rel=1e-10)
        assert pivot == pytest.approx((middle - mean.value) / expected, rel=1e-9)


def test_a_studentized_interval_is_that_of_students_own_statistic() -> None:
    loss = Log().loss(Y, P1)
    found = bootstrap(Cases(Y, P1), Log(), method="studentized", rng=6)
    sample = sample_of(Cases(Y, P1))
    counts = np.concatenate(list(sample.counts(None, 1999, np.random.default_rng(6))))
    t = []
    for count in counts:
        drawn = np.repeat(loss, count)
        t.append((drawn.mean() - loss.mean()) / (drawn.std(ddof=1) / math.sqrt(300)))
    error = loss.std(ddof=1) / math.sqrt(300)
    low, high = np.sort(t)[[49, -50]]
    expected = loss.mean() - high * error, loss.mean() - low * error
    assert found.interval == pytest.approx(expected, rel=1e-10)


def test_a_tally_is_studentized_like_its_cases() -> None:
    tally = Tally.from_counts([0.2, 0.7], [60, 40], [10, 30])
    sample = sample_of(tally)
    mean = Mean.of(sample, Brier())
    loss = np.repeat(Brier().loss([1, 0, 1, 0], [0.2, 0.2, 0.7, 0.7]), [10, 50, 30, 10])
    expected = loss.std(ddof=1) / 10
    assert mean.errors(sample.number[None]) == pytest.approx([expected], rel=1e-12)
    lower, upper = bootstrap(tally, Brier(), method="studentized", rng=1).interval
    assert lower < loss.mean() - 1.5 * expected < loss.mean() + 1.5 * expected < upper


@pytest.mark.parametrize("method", ["percentile", "basic", "studentized"])
def test_an_infinite_score_has_no_interval_and_no_draw_is_dropped(method: Any) -> None:
    y, p = [0, 1, 1, 0, 1], [0.2, 0.7, 0.0, 0.4, 0.6]
    cases = Cases(y, p, weight=[1.0, 2.0, 0.5, 1.0, 1.0])
    found = bootstrap(cases, Log(), method=method, replicates=200, rng=1)
    assert (found.value, found.infinite_cases) == (math.inf, 1)
    assert math.isnan(found.standard_error)
    assert math.isnan(found.bias)
    assert math.isnan(found.interval[0])
    assert found.interval[1] == math.inf
    same = bootstrap(cases, score(Log()), replicates=200, rng=1)
    np.testing.assert_allclose(found.draws, same.draws, rtol=1e-12)
    assert 100 < np.isinf(found.draws).sum() == np.isinf(same.draws).sum() < 200
    share = np.isinf(found.draws).sum() / 200
    assert str(found).startswith(f"inf (no interval: infinite in {100 * share:.0f} % of 200 ")
    assert same.interval[1] == math.inf


@pytest.mark.parametrize("method", ["percentile", "basic", "studentized"])
def test_losses_that_do_not_vary_have_no_interval(method: Any) -> None:
    found = bootstrap(Cases([0, 1] * 15, [0.1, 0.9] * 15), Brier(), method=method, rng=1)
    assert (found.standard_error, found.bias) == (0, 0)
    assert np.isnan(found.interval).all()
    assert str(found) == "0.01 (no interval; 30 independent cases)"


def test_an_area_without_events_is_undefined_and_counts_as_beyond_either_end() -> None:
    y, p = np.arange(12) < 2, np.linspace(0.9, 0.1, 12)
    message = r"the statistic is undefined in \d+ of 1,999 replicates, which count as lying beyond"
    with pytest.warns(DataWarning, match=message):
        found = bootstrap(Cases(y, p), "auc", rng=1)
    share = (10 / 12) ** 12
    error = math.sqrt(share * (1 - share) / 1999)
    assert np.isnan(found.draws).mean() == pytest.approx(share, abs=4 * error)
    assert found.interval == (-math.inf, math.inf)
    assert math.isnan(found.standard_error)
    kept = bootstrap(Cases(y, p, strata=y), lambda c: c.weight[:2].sum(), replicates=50, rng=1)
    np.testing.assert_array_equal(kept.draws, 2)
    assert bootstrap(Cases(y, p[::-1] * y, strata=y), "auc", rng=1).draws.min() >= 0


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_a_function_may_be_infinite(value: float) -> None:
    found = bootstrap(Cases(Y, P1), lambda _: value, replicates=39, rng=1)
    ends = (-math.inf, math.nan) if value < 0 else (math.nan, math.inf)
    np.testing.assert_array_equal(found.interval, ends)


# Records


# What is refused


def test_counts_are_drawn_as_cases_and_weights_as_rows() -> None:
    number = 1 + np.arange(300) % 5
    counted, copied, weighted, scaled = (
        bootstrap(x, Brier(), replicates=200, rng=1)
        for x in (
            Cases(Y, P1, count=number),
            Cases(np.repeat(Y, number), np.repeat(P1, number)),
            Cases(Y, P1, weight=number),
            Cases(Y, P1, weight=number / 4),
        )
    )
    np.testing.assert_array_equal(counted.draws, copied.draws)
    np.testing.assert_allclose(weighted.draws, scaled.draws, rtol=1e-13)
    assert weighted.value == pytest.approx(counted.value, rel=1e-14)
    assert weighted.standard_error > 1.3 * counted.standard_error
