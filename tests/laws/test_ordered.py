"""What holds for rules of classes in order: cuts, distances, reversals, means and variances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly import rules
from properly.rules._distance import SquaredMeanError

from . import class_oracles as exact
from .class_draws import as_floats, as_row, class_rows, dyadic_grid, many, seeds
from .subjects import EPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

K_MANY = (3, 4, 5)
sizes = st.sampled_from([2, 3, 4, 5])


def same(got: Any, wanted: Any, rounding: float = 16 * EPS) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=rounding, atol=rounding)


def every_outcome(grid: Floats) -> tuple[NDArray[np.int64], Floats]:
    count, classes = grid.shape
    return np.tile(np.arange(classes), count), np.repeat(grid, classes, axis=0)


# Sums over cuts


@many
@given(seed=seeds)
def test_of_two_classes_rps_is_half_of_the_sum_of_brier(seed: int) -> None:
    y, p, _ = class_rows(seed, 2)
    losses = np.asarray(rules.RPS().loss(y, p))
    same(losses, np.asarray(rules.Brier().loss(y, p)) / 2)
    same(losses, rules.Brier("half").loss(y, p))
    same(losses, rules.Brier().loss(y, p[:, 1]))
    same(rules.RankedLog().loss(y, p), rules.Log().loss(y, p))


@many
@given(seed=seeds, classes=sizes)
def test_rps_is_the_mean_distance_less_half_the_spread(seed: int, classes: int) -> None:
    y, p, _ = class_rows(seed, classes)
    wanted = [
        float(exact.distance(as_row(row), int(k)) - exact.spread(as_row(row)) / 2)
        for k, row in zip(y, p, strict=True)
    ]
    same(rules.RPS(normalized=False).loss(y, p), wanted)
    same(np.asarray(rules.RPS().loss(y, p)) * (classes - 1), wanted)


CUTS: list[rules.BinaryRule] = [
    rules.Brier(),
    rules.Log(),
    rules.Spherical(),
    rules.Misclassification(),
    rules.Elementary(0.25),
    rules.Bounded(rules.Brier(), (0.1, 0.4)),
    rules.Bounded(rules.Log(), (0.25, 0.5)),
]


@pytest.mark.parametrize("rule", CUTS, ids=repr)
@pytest.mark.parametrize("weights", [None, [3, 1, 2], [1, 0, 0.5]], ids=str)
@given(seed=seeds)
def test_a_ranked_rule_is_the_sum_of_its_rule_over_the_cuts(
    rule: rules.BinaryRule, weights: list[float] | None, seed: int
) -> None:
    y, p, case_weight = class_rows(seed, 4, (0.5, 1.0))
    size = np.ones(3) if weights is None else np.array(weights)
    total = np.zeros(len(y))
    for k in range(3):
        if size[k]:
            total += size[k] * np.asarray(rule.loss(y > k, p[:, k + 1 :].sum(axis=1)))
    same(rules.Ranked(rule, weights, normalized=False).loss(y, p), total)
    same(rules.Ranked(rule, weights).loss(y, p), total / size.sum())
    mean = float(np.average(total / size.sum(), weights=case_weight))
    same([rules.Ranked(rule, weights)(y, p, case_weight)], [mean])


@given(seed=seeds)
def test_every_cut_may_have_a_rule_of_its_own(seed: int) -> None:
    y, p, _ = class_rows(seed, 4)
    of_cuts = [rules.Elementary(0.25), rules.Log(), rules.Bounded(rules.Brier(), (0.1, 0.4))]
    parts = [
        np.asarray(rule.loss(y > k, p[:, k + 1 :].sum(axis=1))) for k, rule in enumerate(of_cuts)
    ]
    same(rules.Ranked(of_cuts, normalized=False).loss(y, p), np.sum(parts, axis=0))
    same(rules.Ranked(of_cuts).loss(y, p), np.sum(parts, axis=0) / 3)
    same(rules.Ranked(of_cuts, [1, 2, 5]).loss(y, p), (parts[0] + 2 * parts[1] + 5 * parts[2]) / 8)


def test_an_impossible_grade_at_an_end_adds_nothing_to_a_sum_over_cuts() -> None:
    y, p = every_outcome(dyadic_grid(4))
    for rule in (rules.RPS(normalized=False), rules.RankedLog(normalized=False)):
        losses = rule.loss(y, p)
        same(rule.loss(y, np.column_stack([p, 0 * y])), losses)
        same(rule.loss(y + 1, np.column_stack([0 * y, p])), losses)


# Reversal


def test_a_lopsided_rule_is_mirrored_with_its_weights() -> None:
    y, p = every_outcome(dyadic_grid(4))
    for rule, mirror in (
        (rules.RPS([1, 2, 3]), rules.RPS([3, 2, 1])),
        (rules.RankedLog([1, 2, 3]), rules.RankedLog([3, 2, 1])),
        (
            rules.Ranked([rules.Log(), rules.Brier(), rules.Brier()]),
            rules.Ranked([rules.Brier(), rules.Brier(), rules.Log()]),
        ),
    ):
        same(mirror.loss(3 - y, p[:, ::-1]), rule.loss(y, p))


# Means, variances, distances


@pytest.mark.parametrize("classes", K_MANY)
def test_the_variance_is_the_least_expected_sa_rps(classes: int) -> None:
    rule, rows = rules.SquaredAbsoluteRPS(), exact.grid(classes, 4)
    reports = as_floats(rows)
    for q in rows:
        mean, variance = exact.mean_and_variance(q)
        least = float(variance / (classes - 1) ** 2)
        best = as_floats([exact.rounding_of(mean, classes)])
        truth = [float(value) for value in q]
        same(rule.expected_loss(truth, best), [least])
        assert np.min(rule.expected_loss(truth, reports)) >= least - 4 * EPS
        # Three possible classes or more, and honesty is beaten.
        honest = float(rule.entropy([truth])[0])
        assert (honest > least + 1e-9) == (np.count_nonzero(truth) > 2)
        same(SquaredMeanError().entropy([truth]), [least])


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_least_expected_sa_rps_is_exact_for_fractions(classes: int) -> None:
    for q in exact.grid(classes, 6):
        mean, variance = exact.mean_and_variance(q)
        best = exact.rounding_of(mean, classes)
        assert exact.expected(exact.squared_distance, q, best) == variance
        assert exact.expected(exact.squared_distance, q, q) >= variance


@pytest.mark.parametrize("share", [0.1, 0.5, 2.0])
@given(seed=seeds, classes=sizes)
def test_quadratic_rps_is_the_error_of_the_mean_and_a_share_of_rps(
    share: float, seed: int, classes: int
) -> None:
    y, p, _ = class_rows(seed, classes)
    parts = SquaredMeanError().loss(y, p), rules.RPS().loss(y, p)
    same(rules.QuadraticRPS(share).loss(y, p), parts[0] + share * parts[1])
    entropies = SquaredMeanError().entropy(p), rules.RPS().entropy(p)
    same(rules.QuadraticRPS(share).entropy(p), entropies[0] + share * entropies[1])
    assert rules.QuadraticRPS(share).propriety is rules.Propriety.STRICT


SENSITIVE = [
    rules.RPS(),
    rules.RPS([1, 2, 3]),
    rules.RankedLog(),
    rules.Ranked(rules.Spherical()),
    rules.Ranked([rules.Brier(), rules.Log(), rules.Brier()]),
    rules.SquaredAbsoluteRPS(),
]


@pytest.mark.parametrize("rule", SENSITIVE, ids=repr)
def test_what_lies_further_away_costs_more(rule: rules.ClassRule) -> None:
    grid, step = dyadic_grid(4), 1 / 8
    for y in range(4):
        for near, far in ((j, j + s) for s in (-1, 1) for j in range(4) if 0 <= j + s <= 3):
            if abs(far - y) < abs(near - y):
                continue
            movable = grid[grid[:, near] >= step]
            moved = movable + step * (np.eye(4)[far] - np.eye(4)[near])
            before = np.asarray(rule.classwise(movable))[:, y]
            after = np.asarray(rule.classwise(moved))[:, y]
            assert (after[np.isfinite(before)] > before[np.isfinite(before)]).all()
            assert np.isinf(after[np.isinf(before)]).all()


def test_ranked_log_keeps_tiny_probabilities_on_either_side() -> None:
    rows = [[1e-20, 1.0, 0.0], [0.0, 1.0, 1e-20], [5e-324, 0.0, 1.0], [1e-300, 1.0, 1e-300]]
    wanted = np.log([1e-20, 1e-20, 5e-324, 1e-300]) / [-2, -2, -1, -2]
    same(rules.RankedLog().loss([0, 2, 0, 2], rows), wanted)
