"""What holds for every rule whose forecasts are given as log-odds, or before a softmax."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from properly.errors import DataError
from properly.rules import Bounded, Brier, ClassRule, Log, Mixture, Propriety
from properly.rules._log_odds import softmax

from .class_subjects import SUBJECTS as CLASS_SUBJECTS
from .subjects import SUBJECTS

if TYPE_CHECKING:
    from .class_subjects import ClassSubject
    from .subjects import Subject

SMOOTH = [s for s in SUBJECTS if s.rule.differentiable]
SMOOTH_CLASSES = [s for s in CLASS_SUBJECTS if s.rule.differentiable]
TOLD = [s for s in SMOOTH_CLASSES if type(s.rule).class_curvature is not ClassRule.class_curvature]
STEP = 1e-5


def logits_of(subject: Subject) -> np.ndarray[Any, Any]:
    """Return logits on both sides of 0, saturated ones too, none near a jump of the weight."""
    x = np.array([-40.0, -12.0, -3.1, -1.2, -0.4, 0.3, 0.9, 2.2, 3.7, 11.0, 40.0])
    p = 1 / (1 + np.exp(-x))
    apart = [abs(p - b) > 1e-3 for b in subject.breaks]
    return x[np.all(apart, axis=0)] if apart else x


@pytest.mark.parametrize("subject", SMOOTH, ids=repr)
def test_the_slope_of_a_logit_is_what_torch_derives(subject: Subject) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = logits_of(subject)
    for y in (0, 1):
        happened = np.full(len(x), y == 1)
        logit = torch.tensor(x, requires_grad=True)
        subject.rule.price_logit(torch.tensor(happened), logit).sum().backward()
        expected = subject.rule.price_logit_slope(happened, x)
        # By way of the probability, what is left of 1 at the largest logits is lost.
        np.testing.assert_allclose(logit.grad.numpy(), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("subject", CLASS_SUBJECTS, ids=repr)
def test_as_many_classes_are_asked_for_before_a_softmax_as_after_it(subject: ClassSubject) -> None:
    """What is refused as probabilities is refused as logits, in the same words."""
    said = []
    for price in (subject.rule.loss, subject.rule.logit_loss):
        try:
            price([0, 1], np.full((2, 5), 0.2))
        except DataError as error:
            said.append(str(error))
    assert said == said[::-1]
    assert len(said) != 1


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_a_logit_costs_what_its_probability_costs(subject: Subject) -> None:
    x = logits_of(subject)
    x = x[np.abs(x) < 13]
    p = 1 / (1 + np.exp(-x))
    for y in (0, 1):
        got = subject.rule.logit_loss(np.full(len(x), y), x)
        expected = subject.rule.loss(np.full(len(x), y), p)
        # The probability is rounded, and an almost certain one has few digits left.
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("subject", SMOOTH, ids=repr)
def test_the_slope_of_a_logit_is_that_of_its_loss(subject: Subject) -> None:
    x = logits_of(subject)
    for y in (0, 1):
        happened = np.full(len(x), y)
        up, down = (subject.rule.logit_loss(happened, x + s) for s in (STEP, -STEP))
        got = subject.rule.logit_slope(happened, x)
        np.testing.assert_allclose(got, (up - down) / (2 * STEP), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("subject", SMOOTH, ids=repr)
def test_curvature_is_the_mean_growth_of_the_slope(subject: Subject) -> None:
    if subject.propriety is Propriety.IMPROPER:
        pytest.skip("an improper rule has no weight to take a curvature from")
    x = logits_of(subject)
    p = 1 / (1 + np.exp(-x))
    growth = []
    for y in (0, 1):
        happened = np.full(len(x), y)
        up, down = (subject.rule.logit_slope(happened, x + s) for s in (STEP, -STEP))
        growth.append((up - down) / (2 * STEP))
    got = subject.rule.logit_curvature(x)
    expected = p * growth[1] + (1 - p) * growth[0]
    assert (got >= 0).all()
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_a_saturated_logit_is_priced_without_rounding_to_certainty(subject: Subject) -> None:
    x = np.array([-700.0, 700.0])
    for y in (0, 1):
        happened = np.full(2, y)
        loss, slope = subject.rule.logit_loss(happened, x), subject.rule.logit_slope(happened, x)
        assert np.isfinite(loss).all()
        assert np.isfinite(slope).all()
        assert (loss >= 0).all()


def tables(classes: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return rows of logits, the last ones saturated, each with every outcome."""
    rng = np.random.default_rng(classes)
    z = rng.normal(0, 2, (12, classes))
    z[-3:] *= 12
    y = np.repeat(np.arange(classes), len(z))
    return y, np.tile(z, (classes, 1))


@pytest.mark.parametrize("subject", CLASS_SUBJECTS, ids=repr)
def test_logits_of_classes_cost_what_their_softmax_costs(subject: ClassSubject) -> None:
    y, z = tables(subject.classes[-1])
    z = z / np.maximum(1, np.abs(z).max(axis=1, keepdims=True) / 8)
    got = subject.rule.logit_loss(y, z)
    np.testing.assert_allclose(got, subject.rule.loss(y, softmax(z)), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("subject", TOLD, ids=repr)
def test_slopes_of_class_logits_are_those_of_their_loss(subject: ClassSubject) -> None:
    y, z = tables(subject.classes[-1])
    got = subject.rule.logit_slope(y, z)
    assert got.shape == z.shape
    for j in range(z.shape[1]):
        step = np.zeros(z.shape[1])
        step[j] = STEP
        up, down = subject.rule.logit_loss(y, z + step), subject.rule.logit_loss(y, z - step)
        # What a difference of losses loses to rounding.
        lost = 3e-9 + 2e-15 * np.abs(up) / STEP
        assert (
            np.abs(got[:, j] - (up - down) / (2 * STEP)) <= lost + 2e-6 * np.abs(got[:, j])
        ).all()


@pytest.mark.parametrize("subject", TOLD, ids=repr)
def test_curvatures_of_class_logits_are_the_mean_growth_of_their_slopes(
    subject: ClassSubject,
) -> None:
    classes = subject.classes[-1]
    y, z = tables(classes)
    rows = z[: len(z) // classes]
    p = softmax(rows)
    got = subject.rule.logit_curvature(rows)
    assert (got >= 0).all()
    for j in range(classes):
        step = np.zeros(classes)
        step[j] = STEP
        up, down = subject.rule.logit_slope(y, z + step), subject.rule.logit_slope(y, z - step)
        growth = ((up - down)[:, j] / (2 * STEP)).reshape(classes, -1)
        expected = (p.T * growth).sum(axis=0)
        np.testing.assert_allclose(got[:, j], expected, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("subject", TOLD, ids=repr)
def test_saturated_class_logits_have_finite_slopes(subject: ClassSubject) -> None:
    classes = subject.classes[-1]
    z = np.full((classes, classes), -700.0)
    z[:, 0] = 0.0
    y = np.arange(classes)
    for found in (
        subject.rule.logit_loss(y, z),
        subject.rule.logit_slope(y, z),
        subject.rule.logit_curvature(z),
    ):
        assert np.isfinite(found).all()


@pytest.mark.parametrize("subject", TOLD, ids=repr)
def test_an_impossible_class_is_the_limit_of_improbable_ones(subject: ClassSubject) -> None:
    classes = subject.classes[-1]
    z = np.tile(0.3 * np.arange(classes), (2 * classes, 1))
    for k in range(classes):
        z[k, k] = z[classes + k, : k + 1] = -np.inf
    z = z[np.isfinite(z).any(axis=1)]
    almost = np.where(np.isfinite(z), z, -500.0)
    np.testing.assert_allclose(
        subject.rule.logit_curvature(z), subject.rule.logit_curvature(almost), atol=1e-15
    )
    for k in range(classes):
        possible = np.isfinite(z[:, k])
        y = np.full(possible.sum(), k)
        for price in (subject.rule.logit_loss, subject.rule.logit_slope):
            got, expected = price(y, z[possible]), price(y, almost[possible])
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("subject", TOLD, ids=repr)
def test_an_impossible_class_that_happened_makes_no_nan(subject: ClassSubject) -> None:
    classes = subject.classes[-1]
    z = np.full((classes, classes), -np.inf)
    z[:, 0] = 0.0
    y = np.arange(classes)
    assert not np.isnan(subject.rule.logit_slope(y, z)).any()
    largest = subject.rule.range_for(classes)[1]
    assert (subject.rule.logit_loss(y, z).max() == np.inf) == (largest == np.inf)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Log(), 800.0),
        (Mixture([(2.0, Log()), (1.0, Brier())]), 1601.0),
        (Bounded(Log(), (0.0, 0.5), scale="integral"), 800.0 - np.log(2)),
    ],
    ids=repr,
)
def test_a_wrong_logit_beyond_all_probabilities_has_its_price(rule: Any, expected: float) -> None:
    np.testing.assert_allclose(rule.logit_loss([1], [-800.0]), [expected], rtol=1e-15)
