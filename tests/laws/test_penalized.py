"""What holds for penalised rules: a score plus a price of the decision, and proper."""

from __future__ import annotations

import math
from itertools import permutations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly.rules import (
    PBS,
    PLL,
    RPS,
    Brier,
    Log,
    Misclassification,
    Penalized,
    Propriety,
    RankedLog,
    Spherical,
    SquaredAbsoluteRPS,
)

from .class_draws import class_rows, dyadic_grid, expected_table, many, seeds
from .subjects import EPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly.rules import ClassRule

    Floats = NDArray[np.float64]

Ties = Literal["split", "first", "any_correct", "unique_only"]
TIES: tuple[Ties, ...] = ("split", "first", "any_correct", "unique_only")
BASES: list[ClassRule] = [Brier(), Log(), Spherical(), RPS(), RankedLog(), SquaredAbsoluteRPS()]
sizes = st.sampled_from([2, 3, 4, 5])


def same(got: Any, wanted: Any, rounding: float = 8 * EPS) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=rounding, atol=rounding)


# A sum of two


@pytest.mark.parametrize("rule", BASES, ids=repr)
@pytest.mark.parametrize("penalty", [0.25, 1, 3.5])
@given(seed=seeds, classes=sizes)
def test_a_split_penalty_is_a_share_of_the_zero_one_loss(
    rule: ClassRule, penalty: float, seed: int, classes: int
) -> None:
    y, p, weight = class_rows(seed, classes, (0.5, 1.0))
    tied = p == p.max(axis=1, keepdims=True)
    right = tied[np.arange(len(y)), y] / tied.sum(axis=1)
    penalized = Penalized(rule, penalty=penalty)
    same(penalized.loss(y, p), rule.loss(y, p) + penalty * (1 - right))
    same(penalized.loss(y, p), rule.loss(y, p) + penalty * Misclassification().loss(y, p))
    error = Misclassification()(y, p, weight)
    same([penalized(y, p, weight)], [rule(y, p, weight) + penalty * error])
    same(penalized.entropy(p), rule.entropy(p) + penalty * (1 - p.max(axis=1)))


@pytest.mark.parametrize("classes", [2, 3, 4, 5, 10])
def test_on_data_a_penalised_score_is_the_score_and_a_share_of_the_error_rate(
    classes: int,
) -> None:
    rng = np.random.default_rng(classes)
    y, p = rng.integers(0, classes, 200), rng.dirichlet(np.ones(classes), 200)
    error = float(np.mean(np.argmax(p, axis=1) != y))  # no two entries of a row are equal
    for ties in TIES:
        same([PBS(ties=ties)(y, p)], [Brier()(y, p) + (1 - 1 / classes) * error])
        same([PLL(ties=ties)(y, p)], [Log()(y, p) + math.log(classes) * error])


@many
@given(seed=seeds, classes=sizes)
def test_conventions_differ_at_ties_only_and_in_this_order(seed: int, classes: int) -> None:
    y, p, _ = class_rows(seed, classes)
    wrong = {ties: Penalized(Brier(), 1, ties).loss(y, p) - Brier().loss(y, p) for ties in TIES}
    first = np.argmax(p, axis=1) != y
    same(wrong["first"], first, 16 * EPS)
    assert (wrong["any_correct"] <= wrong["split"] + 8 * EPS).all()
    assert (wrong["split"] <= wrong["unique_only"] + 8 * EPS).all()
    alone = (p == p.max(axis=1, keepdims=True)).sum(axis=1) == 1
    for found in wrong.values():
        same(found[alone], first[alone], 16 * EPS)


@pytest.mark.parametrize("rule", [PBS(), PLL()], ids=repr)
@pytest.mark.parametrize("classes", [3, 4])
def test_classes_can_be_renamed_if_ties_are_split(rule: Penalized, classes: int) -> None:
    grid = dyadic_grid(classes)
    first = Penalized(rule.rule, ties="first")
    differ = False
    for order in permutations(range(classes)):
        moved = list(order)
        same(rule.classwise(grid[:, moved]), rule.classwise(grid)[:, moved])
        found, before = first.classwise(grid[:, moved]), first.classwise(grid)[:, moved]
        differ = differ or not np.allclose(found, before)
    assert differ


@pytest.mark.parametrize("rule", BASES, ids=repr)
@pytest.mark.parametrize("ties", TIES)
def test_without_a_penalty_the_rule_is_what_it_was(rule: ClassRule, ties: Ties) -> None:
    plain = Penalized(rule, penalty=0, ties=ties)
    for classes in (2, 3, 4):
        grid = dyadic_grid(classes)
        np.testing.assert_array_equal(plain.classwise(grid), rule.classwise(grid))
        assert plain.penalty_for(classes) == 0
        assert plain.propriety_for(classes) is rule.propriety_for(classes)
        assert plain.range_for(classes) == rule.range_for(classes)
    assert plain.propriety is rule.propriety


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("classes", [2, 3, 4, 5])
def test_published_scales(ties: Ties, classes: int) -> None:
    grid = dyadic_grid(classes)
    brier, whole = Brier().classwise(grid), PBS(ties=ties).classwise(grid)
    same(PBS(ties=ties, scale="algorithm2").classwise(grid), whole / classes)
    wanted = brier / classes + (whole - brier)
    same(PBS(ties=ties, scale="published_code").classwise(grid), wanted)
    # The penalty of the code is that of the paper, times the number of classes.
    heavy = PBS(penalty=float(classes - 1), ties=ties, scale="algorithm2").classwise(grid)
    same(PBS(ties=ties, scale="published_code").classwise(grid), heavy)


def test_a_tolerance_widens_ties() -> None:
    rows = np.array([[0.5, 0.48, 0.02], [0.5, 0.4, 0.1]])
    for ties, costs in (("split", 0.5), ("first", 0), ("any_correct", 0), ("unique_only", 1)):
        rule = Penalized(Brier(), 1, ties, tolerance=0.05)  # type: ignore[arg-type]
        extra = np.asarray(rule.classwise(rows) - Brier().classwise(rows))
        second = 1 if ties == "first" else costs
        same(extra, [[costs, second, 1], [0, 1, 1]], 1e-15)


# Costs


@st.composite
def cost_matrices(draw: st.DrawFn) -> list[list[float]]:
    """Draw whole costs of three classes; the right answer is free, and one may abstain."""
    wrong = st.integers(1, 8).map(float)
    costs = [[0.0 if i == j else draw(wrong) for j in range(3)] for i in range(3)]
    if draw(st.booleans()):
        abstain = draw(st.sampled_from([0.5, 1.0, 2.0]))
        return [[*row, abstain] for row in costs]
    return costs


@pytest.mark.parametrize("ties", ["split", "first"])
@pytest.mark.parametrize("rule", [Brier(), Log(), RPS()], ids=repr)
@given(costs=cost_matrices(), penalty=st.sampled_from([0.125, 1, 5]))
def test_any_costs_of_decisions_keep_a_strict_rule_strict(
    rule: ClassRule, ties: Ties, costs: list[list[float]], penalty: float
) -> None:
    penalized = Penalized(rule, penalty, ties, cost=costs)
    grid = dyadic_grid(3)
    excess = expected_table(penalized, grid, grid)
    excess = excess - excess.diagonal()[:, None]
    assert excess[~np.eye(len(grid), dtype=bool)].min() > 1e-4
    assert penalized.propriety_for(3) is Propriety.STRICT


@pytest.mark.parametrize("ties", TIES)
@given(costs=cost_matrices(), seed=seeds)
def test_the_price_of_a_decision_is_that_of_the_best_one(
    ties: Ties, costs: list[list[float]], seed: int
) -> None:
    y, p, _ = class_rows(seed, 3)
    matrix = np.array(costs)
    decided = p @ matrix
    best = decided == decided.min(axis=1, keepdims=True)
    paid = matrix[y]
    wanted = {
        "split": np.sum(paid * best, axis=1) / best.sum(axis=1),
        "first": paid[np.arange(len(y)), np.argmax(best, axis=1)],
        "any_correct": np.where(best, paid, np.inf).min(axis=1),
        "unique_only": np.where(best, paid, -np.inf).max(axis=1),
    }[ties]
    extra = Penalized(Brier(), 1, ties, cost=costs).loss(y, p) - Brier().loss(y, p)
    same(extra, wanted, 32 * EPS)


# What is refused
