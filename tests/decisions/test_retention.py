"""Retention: decisions on the cases that are left once the worst are removed."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from properly.decisions import (
    expected_cost,
    quadratic_weighted_kappa,
    rejection_scores,
    retention_curve,
    retention_study,
)
from properly.decisions._removal import numbers_removed
from properly.decisions._retention import ORACLE
from properly.errors import DataError, DataWarning
from properly.rules import RPS, Brier, Log

COST: Any = "expected_cost"
KAPPA: Any = "quadratic_weighted_kappa"
Y, D = [0, 1, 2, 1, 0, 2, 1, 0], [0, 1, 0, 0, 0, 2, 2, 1]
SCORES = [0.1, 0.2, 0.9, 0.3, 0.15, 0.05, 0.6, 0.7]
EIGHTHS = [0.0, 0.125, 0.25, 0.5]


def sample(seed: int, n: int = 200, classes: int = 4) -> tuple[Any, Any, dict[str, Any]]:
    """Draw forecasts, outcomes they know something of, and the losses of three rules."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(classes), n)
    y = (rng.random((n, 1)) > np.cumsum(P, axis=1)[:, :-1]).sum(axis=1)
    rules = {"Brier": Brier(), "log": Log(), "RPS": RPS()}
    return y, P, {name: rule.loss(y, P) for name, rule in rules.items()}


def plain_kappa(y: Any, d: Any) -> float:
    """Compute kappa by its other formula: one minus squared error over that of independence."""
    y, d = np.asarray(y, dtype=float), np.asarray(d, dtype=float)
    chance = float(np.mean((y[:, None] - d[None, :]) ** 2))
    return 1 - float(np.mean((y - d) ** 2)) / chance if chance else math.nan


def plain_cost(y: Any, d: Any) -> float:
    return float(np.mean((np.asarray(y) - np.asarray(d)) ** 2))


# The curve


def test_by_hand() -> None:
    """Costs 0 0 4 1 0 0 1 1; removed in this order: rows 2, 7, 6, 3, which cost 4, 1, 1, 1."""
    curve = retention_curve(SCORES, Y, D, metric=COST, removed=EIGHTHS)
    assert curve.kept.tolist() == [8, 7, 6, 4]
    assert curve.value.tolist() == [7 / 8, 3 / 7, 2 / 6, 0]
    steps = [(7 / 8 + 3 / 7) / 16, (3 / 7 + 1 / 3) / 16, (1 / 3) / 8]
    assert curve.area == pytest.approx(sum(steps) / 0.5, rel=1e-15)
    assert curve.area_percent == pytest.approx(100 * sum(steps), rel=1e-15)
    assert (curve.metric, curve.ties) == (COST, "stable")


def test_the_default_grid_is_whole_percents_up_to_twenty() -> None:
    curve = retention_curve(np.arange(1000), [0, 1] * 500, [0, 1] * 500)
    assert curve.removed.tolist() == [k / 100 for k in range(21)]
    assert curve.kept.tolist() == [1000 - 10 * k for k in range(21)]


@pytest.mark.parametrize("n", [7, 10, 100, 1000, 12345])
def test_shares_are_rounded_down_exactly(n: int) -> None:
    shares = [Fraction(k, 100) for k in range(100)]
    exact = [min(math.floor(share * n), n - 1) for share in shares]
    as_floats = np.array([float(share) for share in shares])
    summed = np.cumsum([0.0] + [0.01] * 99)
    assert numbers_removed(as_floats, n).tolist() == exact
    assert numbers_removed(summed, n).tolist() == exact


def test_a_share_that_rounding_missed_is_the_one_that_was_meant() -> None:
    drifted = [0.0, 0.1 + 0.2, 0.1 * 3, 1 - 0.3]
    assert numbers_removed(np.array(drifted), 10).tolist() == [0, 3, 3, 7]
    curve = retention_curve(SCORES, Y, D, removed=np.array([0, 0.7], dtype=np.float32))
    assert curve.removed.tolist() == [0, 0.7]


def test_one_case_is_kept_whatever_is_removed() -> None:
    curve = retention_curve(SCORES, Y, D, metric=COST, removed=[0, 0.99, 1])
    assert curve.kept.tolist() == [8, 1, 1]
    assert curve.value[1:].tolist() == [0, 0]


def test_of_equal_scores_the_later_row_goes_first() -> None:
    curve = retention_curve([1, 1, 1, 1], [0, 0, 0, 0], [2, 1, 0, 0], metric=COST, removed=[0, 0.5])
    assert curve.value.tolist() == [5 / 4, 5 / 2]
    turned = retention_curve(
        [1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 1, 2], metric=COST, removed=[0, 0.5]
    )
    assert turned.value.tolist() == [5 / 4, 0]


def test_forecasts_are_decided_by_the_likeliest_class_and_the_lowest_of_several() -> None:
    P = [[0.4, 0.4, 0.2], [0.2, 0.4, 0.4], [0, 0, 1]]
    curve = retention_curve([3, 2, 1], [1, 2, 2], P, metric=COST, removed=[0, 0.4])
    assert curve.value.tolist() == [2 / 3, 1 / 2]


def test_infinite_scores_are_removed_first() -> None:
    curve = retention_curve(
        [0, np.inf, -np.inf], [0, 1, 1], [0, 0, 1], metric=COST, removed=[0, 0.4]
    )
    assert curve.value.tolist() == [1 / 3, 0]


def test_labels_name_classes_and_decisions() -> None:
    names = ["low", "mid", "high"]
    named = retention_curve(
        SCORES, [names[k] for k in Y], [names[k] for k in D], removed=EIGHTHS, labels=names
    )
    np.testing.assert_array_equal(
        named.value, retention_curve(SCORES, Y, D, removed=EIGHTHS, labels=3).value
    )


def test_more_classes_than_were_seen_change_nothing() -> None:
    """Weights are distances between classes, so those that never occur do not matter."""
    few, many = (retention_curve(SCORES, Y, D, removed=EIGHTHS, labels=k).value for k in (None, 9))
    np.testing.assert_allclose(few, many, rtol=1e-15)


def test_kappa_keeps_the_weights_of_all_classes() -> None:
    """Without class 1 among the kept, 0 and 2 are still two steps apart."""
    y, d = [1, 0, 0, 2, 2, 1], [2, 0, 2, 2, 2, 0]
    curve = retention_curve([9, 1, 1, 1, 1, 8], y, d, removed=[0, 0.34])
    assert curve.value[1] == pytest.approx(plain_kappa([0, 0, 2, 2], [0, 2, 2, 2]), rel=1e-15)


def test_costs_may_price_a_decision_that_is_no_class() -> None:
    abstain = [[0, 1, 0.25], [1, 0, 0.25]]
    curve = retention_curve(
        [1, 2, 3], [0, 1, 1], [0, 2, 0], metric=COST, cost=abstain, removed=[0, 0.34]
    )
    assert curve.value.tolist() == [1.25 / 3, 0.125]


def test_a_function_may_see_decisions_that_are_no_classes() -> None:
    abstain = [[0, 1, 0.25], [1, 0, 0.25]]

    def referred(_y: Any, d: Any) -> float:
        return float(np.mean(d == 2))

    found = retention_curve(
        [1, 2, 3], [0, 1, 1], [0, 2, 0], metric=referred, cost=abstain, removed=[0, 0.34]
    )
    assert found.value.tolist() == [1 / 3, 1 / 2]


def test_kappa_of_one_class_is_not_a_number_and_neither_is_the_area() -> None:
    curve = retention_curve([1, 2, 3], [0, 0, 1], [0, 0, 0], removed=[0, 0.34])
    assert curve.value[0] == 0
    assert math.isnan(curve.value[1])
    assert math.isnan(curve.area)


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_named_metrics_are_those_of_the_kept_rows(seed: int, n: int) -> None:
    """Ties are many; decisions and costs are compared with what a function sees."""
    rng = np.random.default_rng(seed)
    y, d, scores = (rng.integers(0, k, n) for k in (3, 3, 4))
    grid = np.linspace(0, 0.9, 7)
    for name, function in ((KAPPA, plain_kappa), (COST, plain_cost)):
        named = retention_curve(scores, y, d, metric=name, removed=grid)
        called = retention_curve(scores, y, d, metric=function, removed=grid)
        np.testing.assert_allclose(named.value, called.value, rtol=1e-12, atol=1e-12)
        order = np.lexsort((np.arange(n), scores))
        first = [order[:k] for k in named.kept]
        np.testing.assert_allclose(
            named.value, [function(y[k], d[k]) for k in first], rtol=1e-12, atol=1e-12
        )


def test_all_cases_have_the_kappa_and_cost_of_hard_decisions() -> None:
    y, P, losses = sample(4)
    d = P.argmax(axis=1)
    for cost in ("quadratic", "linear", "zero_one"):
        found = retention_curve(losses["RPS"], y, P, metric=COST, cost=cost)
        expected = expected_cost(y, d, cost, classes=4)
        assert found.value[0] == pytest.approx(expected, rel=1e-14)
    kappa = retention_curve(losses["RPS"], y, P).value[0]
    assert kappa == pytest.approx(quadratic_weighted_kappa(y, d, 4), rel=1e-14)


def test_a_function_sees_class_numbers_in_the_order_of_the_rows() -> None:
    seen = []

    def metric(y: Any, d: Any) -> float:
        seen.append((y.tolist(), d.tolist()))
        return 0.5

    curve = retention_curve(
        [1, 9, 2],
        ["b", "a", "b"],
        ["a", "a", "b"],
        metric=metric,
        removed=[0, 0.34],
        labels=["a", "b"],
    )
    assert seen == [([1, 0, 1], [0, 0, 1]), ([1, 1], [0, 1])]
    assert (curve.metric, curve.area) == ("metric", 0.5)


# Ties


def all_orders(scores: Any) -> list[list[int]]:
    """Return every order of rows in which scores do not fall, whatever ties do."""
    blocks = [np.flatnonzero(scores == s).tolist() for s in np.unique(scores)]
    return [list(chain(*chosen)) for chosen in product(*map(permutations, blocks))]


@pytest.mark.parametrize("seed", range(8))
def test_the_average_over_ties_is_the_mean_over_all_orders(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, d, scores = rng.integers(0, 3, 7), rng.integers(0, 3, 7), rng.integers(0, 3, 7)
    found = retention_curve(
        scores, y, d, metric=COST, ties="average", removed=np.arange(7) / 7, labels=3
    )
    orders = all_orders(scores)
    for k, value in zip(found.kept, found.value, strict=True):
        costs = [plain_cost(y[order[:k]], d[order[:k]]) for order in orders]
        assert value == pytest.approx(np.mean(costs), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("seed", range(4))
def test_the_average_of_kappa_is_that_of_the_mean_table(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, d, scores = rng.integers(0, 3, 6), rng.integers(0, 3, 6), rng.integers(0, 3, 6)
    found = retention_curve(scores, y, d, ties="average", removed=[0, 0.2, 0.35], labels=3)
    orders, place = all_orders(scores), np.arange(3)
    apart = (place[:, None] - place) ** 2
    for k, value in zip(found.kept, found.value, strict=True):
        table = np.zeros((3, 3))
        for order in orders:
            np.add.at(table, (y[order[:k]], d[order[:k]]), 1 / len(orders))
        chance = table.sum(1) @ apart @ table.sum(0) / k
        assert value == pytest.approx(1 - (table * apart).sum() / chance, rel=1e-12)


def test_if_all_scores_are_equal_the_average_cost_stays() -> None:
    found = retention_curve([5] * 8, Y, D, metric=COST, ties="average", removed=EIGHTHS)
    np.testing.assert_allclose(found.value, 7 / 8, rtol=1e-15)


def test_a_mean_table_of_one_class_has_no_kappa() -> None:
    """What is gone in part leaves nothing behind that rounding could make a class of."""
    y, d = [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 1]
    found = retention_curve([0, 0, 0, 1, 1, 1], y, d, ties="average", removed=[0, 0.2, 0.5])
    assert math.isnan(found.value[-1])
    assert not math.isnan(found.value[1])


# Rejection


def test_rejection_scores_are_what_the_forecast_expects_of_itself() -> None:
    P = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]])
    by_hand = [0.5 * 0.5 + 0.75 * 0.25, 0]
    np.testing.assert_allclose(rejection_scores(P, RPS()), np.array(by_hand) / 2, rtol=1e-15)
    np.testing.assert_allclose(
        rejection_scores(P, Log()), [0.5 * math.log(2) + 0.5 * math.log(4), 0], rtol=1e-15
    )
    np.testing.assert_allclose(rejection_scores([0.5, 0.25], Brier()), [0.25, 0.1875], rtol=1e-15)


# The study


def naive_area(scores: Any, values_of: Any, rows: Any, grid: Any) -> float:
    """Sort drawn rows by score and row, compute every point from its rows, and add up."""
    order, n = rows[np.lexsort((rows, scores[rows]))], len(rows)
    values = [values_of(order[: n - math.floor(share * n)]) for share in grid]
    pieces = zip(pairwise(grid), pairwise(values), strict=True)
    area = sum((end - start) * (left + right) / 2 for (start, end), (left, right) in pieces)
    return float(area / (grid[-1] - grid[0]))


# Single cases, and clusters of several sizes whose ids are texts, not in order.
@pytest.mark.parametrize("ids", [None, [f"{7 * k * k % 11:02d}" for k in range(32)]])
@pytest.mark.parametrize("metric", [KAPPA, COST])
def test_replicates_are_areas_of_cases_or_clusters_drawn_with_replacement(
    metric: Any, ids: Any
) -> None:
    rng = np.random.default_rng(5)
    y, d = rng.integers(0, 3, 32), rng.integers(0, 3, 32)
    scores = {"a": rng.integers(0, 6, 32).astype(float), "b": rng.random(32)}
    grid = np.array([0, 0.125, 0.25, 0.5])
    known: dict[str, Any] = {"metric": metric, "removed": grid, "clusters": ids}
    study = retention_study(scores, y, d, replicates=6, rng=11, oracle=False, **known)
    label = np.arange(32) if ids is None else np.array(ids)
    drawn, names = np.random.default_rng(11), np.unique(label)
    assert study.clusters == (None if ids is None else len(names))
    function = plain_kappa if metric == KAPPA else plain_cost

    def values_of(rows: Any) -> float:
        return function(y[rows], d[rows])

    for k in range(6):
        units = names[drawn.integers(0, len(names), len(names))]
        rows = np.concatenate([np.flatnonzero(label == name) for name in units])
        expected = [naive_area(s, values_of, rows, grid) for s in scores.values()]
        np.testing.assert_allclose(study.drawn_areas[k], expected, rtol=1e-12)


def test_summaries_are_those_of_the_replicates() -> None:
    y, P, losses = sample(7)
    study = retention_study(losses, y, P, replicates=30, rng=0, level=0.8)
    assert study.drawn_areas.shape == (30, 4)
    assert list(study.curves) == list(study.areas) == ["Brier", "log", "RPS", ORACLE]
    for name, column in zip(study.areas, study.drawn_areas.T, strict=True):
        estimate = study.areas[name]
        assert estimate.area == study.curves[name].area
        assert estimate.mean == pytest.approx(sum(column) / 30, rel=1e-14)
        spread = math.sqrt(sum((column - estimate.mean) ** 2) / 29)
        assert estimate.standard_deviation == pytest.approx(spread, rel=1e-12)
        ends = np.quantile(column, [0.1, 0.9])
        np.testing.assert_allclose([estimate.lower, estimate.upper], ends, rtol=1e-14)


def test_differences_are_paired() -> None:
    y, P, losses = sample(8)
    study = retention_study(losses, y, P, replicates=20, rng=3)
    assert len(study.differences) == 6
    column = dict(zip(study.areas, study.drawn_areas.T, strict=True))
    for (first, second), found in study.differences.items():
        apart = column[first] - column[second]
        assert found.area == study.areas[first].area - study.areas[second].area
        assert found.mean == pytest.approx(apart.mean(), rel=1e-12)
        assert found.standard_deviation == pytest.approx(apart.std(ddof=1), rel=1e-12)
        ends = np.quantile(apart, [0.025, 0.975])
        np.testing.assert_allclose([found.lower, found.upper], ends, rtol=1e-13)


@examples(15)
@given(st.integers(0, 10**6), st.sampled_from(["quadratic", "linear", "zero_one"]))
def test_nothing_beats_the_hard_cost_in_expected_cost(seed: int, cost: Any) -> None:
    """Nor in any replicate, nor at any share: a theorem, so no tolerance but for rounding."""
    y, P, losses = sample(seed, n=80)
    losses["unsure"] = rejection_scores(P, RPS())
    losses["noise"] = np.random.default_rng(seed).random(80)
    study = retention_study(losses, y, P, metric=COST, cost=cost, replicates=10, rng=seed)
    best = study.drawn_areas[:, -1:]
    assert (best <= study.drawn_areas[:, :-1] + 1e-13).all()
    for curve in study.curves.values():
        assert (study.curves[ORACLE].value <= curve.value + 1e-13).all()


def test_the_oracle_is_the_cost_of_the_decision() -> None:
    cost = [[0, 1, 5], [2, 0, 1], [9, 3, 0]]
    study = retention_study({"s": SCORES}, Y, D, metric=COST, cost=cost, removed=EIGHTHS, rng=1)
    paid = [cost[i][j] for i, j in zip(Y, D, strict=True)]
    alone = retention_curve(paid, Y, D, metric=COST, cost=cost, removed=EIGHTHS)
    assert study.curves[ORACLE].value.tolist() == alone.value.tolist()
    assert alone.value[0] == sum(paid) / 8


def test_the_oracle_has_costs_also_where_kappa_has_none() -> None:
    """The classes are as many as the costs have rows, whichever were seen."""
    cost = [[0, 1, 5, 1], [2, 0, 1, 1], [9, 3, 0, 1], [1, 1, 1, 0]]
    study = retention_study({"s": SCORES}, Y, D, cost=cost, removed=EIGHTHS, rng=1)
    paid = [cost[i][j] for i, j in zip(Y, D, strict=True)]
    expected = retention_curve(paid, Y, D, removed=EIGHTHS).value
    np.testing.assert_allclose(study.curves[ORACLE].value, expected, rtol=1e-15)
    narrow: Any = {"cost": [[0], [1], [2]], "removed": EIGHTHS, "rng": 1}
    assert list(retention_study({"s": SCORES}, Y, D, oracle=False, **narrow).curves) == ["s"]
    with pytest.raises(DataError, match="decisions must be columns of the costs, 0 to 0; row 1"):
        retention_study({"s": SCORES}, Y, D, **narrow)


@pytest.mark.parametrize("metric", [KAPPA, COST])
def test_a_mistake_that_is_cheap_is_warned_of_once(metric: Any) -> None:
    cheap: Any = {"metric": metric, "cost": [[1, 0, 2], [1, 0, 1], [1, 1, 0]], "rng": 1}
    with pytest.warns(DataWarning, match="a mistake should not cost less") as said:
        retention_study({"s": SCORES}, Y, D, removed=EIGHTHS, **cheap)
    assert len(said) == 1


def test_replicates_of_tied_scores_average_too() -> None:
    """All scores equal: removing at random leaves the mean cost of each replicate."""
    study = retention_study(
        {"flat": [1] * 8}, Y, D, metric=COST, ties="average", removed=EIGHTHS, replicates=5, rng=6
    )
    rng = np.random.default_rng(6)
    paid = (np.array(Y) - np.array(D)) ** 2
    means = [paid[rng.integers(0, 8, 8)].mean() for _ in range(5)]
    np.testing.assert_allclose(study.drawn_areas[:, 0], means, rtol=1e-13)


def test_kappa_that_is_undefined_in_a_replicate_leaves_no_interval() -> None:
    """Three cases are often drawn as one and the same."""
    study = retention_study({"s": [1, 2, 3]}, [0, 0, 1], [0, 0, 1], removed=[0, 0.3], rng=1)
    assert study.areas["s"].area == 1
    assert math.isnan(study.areas["s"].mean)
    assert math.isnan(study.areas["s"].lower)


# Bands


def test_bands_are_quantiles_of_the_replicates_at_each_share() -> None:
    """The metric of all cases is linear in them, so its quantiles are known without a curve."""
    y, P, losses = sample(14, n=50)
    study = retention_study(losses, y, P, metric=COST, replicates=40, rng=2, level=0.8)
    rng, paid = np.random.default_rng(2), (y - P.argmax(axis=1)) ** 2
    means = [paid[rng.integers(0, 50, 50)].mean() for _ in range(40)]
    assert list(study.bands) == list(study.curves)
    for name, (lower, upper) in study.bands.items():
        assert lower.shape == upper.shape == study.curves[name].removed.shape
        assert (lower < upper).all()
        ends = lower[0], upper[0]
        np.testing.assert_allclose(ends, np.quantile(means, [0.1, 0.9]), rtol=1e-12)
        with pytest.raises(ValueError, match="read-only"):
            lower[0] = 0


# Records


def test_a_study_is_a_table() -> None:
    study = retention_study({"s": SCORES}, Y, D, metric=COST, removed=EIGHTHS, rng=1)
    assert repr(study) == (
        "RetentionStudy(2 scores, expected_cost with 0 to 50 % removed, 50 replicates)"
    )
    paired = retention_study(
        {"s": SCORES}, Y, D, metric=COST, removed=EIGHTHS, rng=1, clusters=list("aabbccdd")
    )
    assert repr(paired) == repr(study)[:-1] + " of 4 clusters)"
    title, *lines = str(study).splitlines()
    assert title == (
        "Area under expected_cost over the removed share in percent, 0 to 50: "
        "mean ± sd of 50 replicates"
    )
    percent = study.area_percent
    assert [line.split("  ")[0] for line in lines] == ["s", ORACLE]
    for line, name in zip(lines, percent, strict=True):
        estimate = percent[name]
        assert line.endswith(f" {estimate.mean:.2f} ± {estimate.standard_deviation:.2f}")
        assert estimate.mean == pytest.approx(50 * study.areas[name].mean, rel=1e-15)
        assert estimate.upper == pytest.approx(50 * study.areas[name].upper, rel=1e-15)


# What is refused


def test_an_oracle_of_that_name_is_welcome_if_none_is_added() -> None:
    study = retention_study({ORACLE: SCORES}, Y, D, oracle=False, rng=1, metric=COST)
    assert list(study.curves) == [ORACLE]
    assert study.differences == {}
