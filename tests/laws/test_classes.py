"""What holds for every rule of classes: means, weights, labels, ranges, expectations, prices."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given

from properly.rules import ClassRule

from . import class_oracles as exact
from .class_draws import ClassRows, as_row, dyadic_grid, expected_table, few, rows_for, seeds
from .class_subjects import IMPROPER, PROPER, STRICT, SUBJECTS, ClassSubject
from .subjects import EPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

every = pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
# A handful of operations, each rounded once; logarithms of quotients lose a digit more.
ROUNDED = 64 * EPS
COUNTS, FRACTIONS = (0, 1, 2, 5), (0.0, 0.1, 1.0, 2.5)


def exact_losses(subject: ClassSubject, found: ClassRows) -> list[exact.Exact]:
    return [subject.price(as_row(p), int(y)) for y, p in zip(found.y, found.p, strict=True)]


def close(wanted: Sequence[float] | Floats, got: object, rounding: float = ROUNDED) -> None:
    np.testing.assert_allclose(np.asarray(got), wanted, rtol=rounding, atol=rounding)


@every
def test_a_rule_states_its_facts(subject: ClassSubject) -> None:
    rule = subject.rule
    assert isinstance(rule, ClassRule)
    assert rule.propriety is subject.propriety
    for classes in subject.classes:
        assert rule.propriety_for(classes) is subject.propriety_for(classes)
    assert rule.is_proper == (subject.propriety is not IMPROPER)
    assert rule.needs_order is subject.ordered


@every
@few
@given(seed=seeds)
def test_losses_are_exact(subject: ClassSubject, seed: int) -> None:
    found = rows_for(subject, seed)
    wanted = [float(value) for value in exact_losses(subject, found)]
    close(wanted, subject.rule.loss(found.y, found.p))


@every
@few
@given(seed=seeds)
def test_a_loss_is_one_of_the_prices_of_its_forecast(subject: ClassSubject, seed: int) -> None:
    found = rows_for(subject, seed)
    losses = subject.rule.loss(found.y, found.p)
    table = subject.rule.classwise(found.p)
    assert table.shape == found.p.shape
    close(losses, table[np.arange(len(found.y)), found.y], 4 * EPS)
    np.testing.assert_array_equal(subject.rule.price(found.y, found.p), losses)


@every
@few
@given(seed=seeds)
def test_the_call_is_the_mean_of_the_losses(subject: ClassSubject, seed: int) -> None:
    for weights in (COUNTS, FRACTIONS):
        found = rows_for(subject, seed, weights)
        losses = exact_losses(subject, found)
        for weight in (None, found.weight):
            sizes = [Fraction(1 if weight is None else float(w)) for w in found.weight]
            total = sum(sizes, exact.ZERO)
            mean = float(exact.weighted_sum(losses, [w / total for w in sizes]))
            close([mean], [subject.rule(found.y, found.p, weight=weight)])


@every
@few
@given(seed=seeds)
def test_a_weight_of_w_is_w_copies(subject: ClassSubject, seed: int) -> None:
    y, p, weight = rows_for(subject, seed, COUNTS)
    copies = np.repeat(np.arange(len(y)), weight)
    close([subject.rule(y[copies], p[copies])], [subject.rule(y, p, weight=weight)], 16 * EPS)


@every
def test_rows_without_weight_do_not_count(subject: ClassSubject) -> None:
    for classes in subject.classes:
        likely = dyadic_grid(classes)[[1, 2]]
        counted = subject.rule([0, 0], likely)
        assert 0 <= counted < 1
        # Certain and wrong: infinitely dear under some rules.
        y, wrong = [0, classes - 1], np.eye(classes)[[classes - 1, 0]]
        worst = float(np.max(subject.rule.loss(y, wrong)))
        assert worst == pytest.approx(subject.rule.range_for(classes)[1], rel=4 * EPS)
        both = np.concatenate([likely, wrong])
        assert subject.rule([0, 0, *y], both, weight=[1, 1, 0, 0]) == counted


@every
@few
@given(seed=seeds)
def test_the_order_of_cases_does_not_matter(subject: ClassSubject, seed: int) -> None:
    y, p, weight = rows_for(subject, seed, FRACTIONS)
    order = np.random.default_rng(seed).permutation(len(y))
    losses = subject.rule.loss(y, p)
    np.testing.assert_array_equal(subject.rule.loss(y[order], p[order]), losses[order])
    means = subject.rule(y, p, weight=weight), subject.rule(y[order], p[order], weight[order])
    close([means[0]], [means[1]], 16 * EPS)


def renamed(subject: ClassSubject, found: ClassRows, order: Sequence[int]) -> Floats:
    """Put the columns and the labels into another order."""
    labels = np.array(list("cebad"))[: found.p.shape[1]]
    moved = list(order)
    return np.asarray(
        subject.rule.loss(labels[found.y], found.p[:, moved], labels=list(labels[moved]))
    )


@every
def test_classes_can_be_renamed_only_under_symmetric_rules(subject: ClassSubject) -> None:
    for classes in subject.classes:
        grid = dyadic_grid(classes)
        y = np.tile(np.arange(classes), len(grid))
        found = ClassRows(y, np.repeat(grid, classes, axis=0), y)
        losses = np.asarray(subject.rule.loss(found.y, found.p))
        orders = list(permutations(range(classes)))[: 1 + 5 * (classes > 2)]
        same = [np.allclose(renamed(subject, found, order), losses, 1e-14) for order in orders]
        assert same[0]
        # Of two classes the order is a matter of direction only.
        assert classes == 2 or all(same) == subject.symmetric


@every
def test_losses_lie_in_their_range_and_reach_its_ends(subject: ClassSubject) -> None:
    for classes in subject.classes:
        lowest, highest = subject.rule.range_for(classes)
        assert lowest == 0
        assert highest == pytest.approx(subject.largest(classes), rel=4 * EPS)
        losses = np.asarray(subject.rule.classwise(dyadic_grid(classes)))
        assert losses.min() == 0
        assert losses.max() == pytest.approx(highest, rel=4 * EPS)


@every
def test_a_right_certain_forecast_costs_nothing(subject: ClassSubject) -> None:
    for classes in subject.classes:
        certain = np.eye(classes)
        np.testing.assert_array_equal(subject.rule.loss(np.arange(classes), certain), 0)
        np.testing.assert_array_equal(subject.rule.entropy(certain), 0)


@every
@few
@given(seed=seeds)
def test_expected_losses_are_exact(subject: ClassSubject, seed: int) -> None:
    found = rows_for(subject, seed)
    truths = found.p[np.random.default_rng(seed).permutation(len(found.y))]
    wanted = [
        float(exact.expected(subject.price, as_row(q), as_row(p)))
        for q, p in zip(truths, found.p, strict=True)
    ]
    close(wanted, subject.rule.expected_loss(truths, found.p))
    one = [float(subject.rule.expected_loss(q, p)) for q, p in zip(truths, found.p, strict=True)]
    close(wanted, one)
    close(
        [float(exact.expected(subject.price, as_row(truths[0]), as_row(p))) for p in found.p],
        subject.rule.expected_loss(truths[0], found.p),
    )


@every
def test_honesty_is_the_best_report_as_far_as_the_rule_is_proper(subject: ClassSubject) -> None:
    for classes in subject.classes:
        grid = dyadic_grid(classes)
        table = expected_table(subject.rule, grid, grid)
        honest = table.diagonal()
        excess = table - honest[:, None]
        others = excess[~np.eye(len(grid), dtype=bool)]
        propriety = subject.propriety_for(classes)
        if propriety is IMPROPER:
            assert others.min() < -1e-3
        else:
            assert others.min() >= -16 * EPS * max(1.0, float(honest.max()))
        # Only a strict rule has no other report that is as good.
        assert (others.min() > 1e-4) == (propriety is STRICT)
        assert propriety is not PROPER or abs(others.min()) < 1e-14


@every
@few
@given(seed=seeds)
def test_no_drawn_report_beats_the_truth(subject: ClassSubject, seed: int) -> None:
    classes = subject.classes[seed % len(subject.classes)]
    if subject.propriety_for(classes) is IMPROPER:
        return
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(classes, 0.5))
    near = np.abs(truth + rng.normal(0, 0.01, (20, classes)))
    reports = np.concatenate([rng.dirichlet(np.ones(classes), 20), near / near.sum(1)[:, None]])
    excess = subject.rule.expected_loss(truth, reports) - subject.rule.entropy(truth[None, :])
    assert excess.min() >= -32 * EPS * max(1.0, subject.largest(2))
    assert subject.propriety_for(classes) is PROPER or excess.min() > 0
