"""Rules of classes read class probabilities from any array, and an event as two classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import array_api_strict as xp
import numpy as np
import pytest
from hypothesis import given

from properly.errors import ProperlyError
from properly.rules import Brier, Log, Misclassification, Spherical

from .class_draws import class_rows, dyadic_grid, few, rows_for, seeds
from .class_subjects import SUBJECTS, ClassSubject
from .subjects import EPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly.rules import ClassRule

    Floats = NDArray[np.float64]

every = pytest.mark.parametrize("subject", SUBJECTS, ids=repr)


def sample(subject: ClassSubject, classes: int | None = None) -> tuple[NDArray[np.int64], Floats]:
    """Return every forecast of a grid with every outcome."""
    count = subject.classes[0] if classes is None else classes
    grid = dyadic_grid(count)
    return np.tile(np.arange(count), len(grid)), np.repeat(grid, count, axis=0)


# Arrays


@every
@few
@given(seed=seeds)
def test_single_precision_is_priced_as_the_same_numbers_in_double(
    subject: ClassSubject, seed: int
) -> None:
    y, _, weight = rows_for(subject, seed, (0.5, 1.0))
    rng = np.random.default_rng(seed)
    classes = subject.classes[seed % len(subject.classes)]
    narrow = rng.dirichlet(np.ones(classes), len(y)).astype(np.float32)
    wide = narrow.astype(np.float64)
    losses = subject.rule.loss(y, narrow)
    assert losses.dtype == np.float64
    np.testing.assert_array_equal(losses, subject.rule.loss(y, wide))
    np.testing.assert_array_equal(subject.rule.entropy(narrow), subject.rule.entropy(wide))
    assert subject.rule(y, narrow) == subject.rule(y, wide)
    mean = subject.rule(y, narrow, weight.astype(np.float32))
    assert mean == subject.rule(y, wide, weight)


def layouts(y: NDArray[np.int64], p: Floats) -> list[tuple[Any, Any]]:
    """Return the same rows in other places of memory, none of which may be written to."""
    count, classes = p.shape
    spaced = np.zeros((2 * count, 3 * classes))
    spaced[::2, 1::3] = p
    backwards = np.ascontiguousarray(p[::-1, ::-1])
    frozen = p.copy()
    pairs: list[tuple[Any, Any]] = [
        (y, np.asfortranarray(p)),
        (np.repeat(y, 2)[::2], spaced[::2, 1::3]),
        (y[::-1].copy()[::-1], backwards[::-1, ::-1]),
        (y.astype(np.uint8), frozen),
        (y.astype(">i4"), p.astype(">f8")),
    ]
    for outcome, table in pairs:
        outcome.setflags(write=False)
        table.setflags(write=False)
    return pairs


@every
def test_the_layout_of_arrays_does_not_matter(subject: ClassSubject) -> None:
    for classes in subject.classes:
        y, p = sample(subject, classes)
        before = p.copy()
        losses, mean = subject.rule.loss(y, p), subject.rule(y, p)
        table, entropy = subject.rule.classwise(p), subject.rule.entropy(p)
        for outcome, rows in layouts(y, p):
            np.testing.assert_array_equal(subject.rule.loss(outcome, rows), losses)
            np.testing.assert_array_equal(subject.rule.classwise(rows), table)
            np.testing.assert_array_equal(subject.rule.entropy(rows), entropy)
            assert subject.rule(outcome, rows) == pytest.approx(mean, rel=4 * EPS)
        np.testing.assert_array_equal(p, before)


@every
def test_lists_of_lists_are_read(subject: ClassSubject) -> None:
    y, p = sample(subject)
    losses = subject.rule.loss(y, p)
    for rows in (p.tolist(), tuple(map(tuple, p)), list(p)):
        np.testing.assert_array_equal(subject.rule.loss(y.tolist(), rows), losses)
        assert subject.rule(tuple(y), rows) == subject.rule(y, p)


@every
def test_prices_need_nothing_but_the_array_standard(subject: ClassSubject) -> None:
    for classes in subject.classes:
        y, p = sample(subject, classes)
        outcome, rows = xp.asarray(y), xp.asarray(p)
        for ours, numpys in (
            (subject.rule.loss(outcome, rows), subject.rule.loss(y, p)),
            (subject.rule.classwise(rows), subject.rule.classwise(p)),
            (subject.rule.entropy(rows), subject.rule.entropy(p)),
        ):
            assert isinstance(ours, type(rows))
            np.testing.assert_allclose(np.asarray(ours), numpys, rtol=16 * EPS, atol=4 * EPS)
        mean = subject.rule(y, p)
        assert float(subject.rule(outcome, rows)) == pytest.approx(mean, rel=16 * EPS)


# One event, or two classes


@pytest.mark.parametrize(
    ("rule", "factor"),
    [
        (Brier(), 2),
        (Brier("half"), 1),
        (Brier("mean"), 1),
        (Log(), 1),
        (Spherical(), 1),
        (Misclassification(), 1),
    ],
    ids=repr,
)
@few
@given(seed=seeds)
def test_two_classes_are_an_event_and_its_absence(
    rule: Brier | Log | Spherical | Misclassification, factor: float, seed: int
) -> None:
    y, p, weight = class_rows(seed, 2, (0.5, 2.0))
    event = np.asarray(rule.loss(y, p[:, 1]))
    # A row of probabilities is about one event, a table about classes.
    np.testing.assert_allclose(rule.loss(y, p), factor * event, rtol=8 * EPS, atol=4 * EPS)
    assert rule(y, p, weight) == pytest.approx(factor * rule(y, p[:, 1], weight), rel=8 * EPS)
    entropy = factor * np.asarray(rule.entropy(p[:, 1]))
    np.testing.assert_allclose(rule.entropy(p), entropy, rtol=8 * EPS, atol=4 * EPS)
    assert rule.range_for(2) == pytest.approx((0, factor * rule.range[1]))


@pytest.mark.parametrize("rule", [s.rule for s in SUBJECTS if s.classes in {(3,), (4,)}], ids=repr)
def test_rules_made_for_a_number_of_classes_refuse_others(rule: ClassRule) -> None:
    with pytest.raises(ProperlyError):
        rule.loss([0, 1], np.full((2, 6), 1 / 6))
