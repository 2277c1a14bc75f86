"""Every rule is proper, as it says; its losses, its entropy and its range fit together."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import strategies as st

from properly.rules import BinaryRule, Propriety

from .subjects import (
    EPS,
    RULES,
    SUBJECTS,
    Subject,
    both_outcomes,
    expected_loss,
    segments,
    smooth_points,
)

probabilities = st.floats(0.0, 1.0)
STRICT = [subject for subject in SUBJECTS if subject.propriety is Propriety.STRICT]
PROPER = [subject for subject in SUBJECTS if subject.propriety is Propriety.PROPER]


def grid(subject: Subject) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return a grid of probabilities with the breaks, their neighbours, and what lies between."""
    breaks = np.array(subject.breaks)
    points = [np.linspace(0, 1, 65), breaks, smooth_points(subject)]
    points += [np.nextafter(breaks, 0), np.nextafter(breaks, 1)]
    return np.unique(np.concatenate(points))


def rounding(size: float) -> float:
    """Return what two sums of two rounded products of this size may differ by."""
    return 8 * EPS * max(1.0, size)


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_a_rule_states_its_propriety(subject: Subject) -> None:
    assert subject.rule.propriety is subject.propriety
    assert subject.rule.is_proper


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_no_forecast_beats_the_true_probability(subject: Subject) -> None:
    points = grid(subject)
    table = expected_loss(subject.rule, points, points)
    honest = table.diagonal()
    assert np.isfinite(honest).all()
    assert (table >= honest[:, None] - rounding(honest.max())).all()


@pytest.mark.parametrize("subject", STRICT, ids=repr)
def test_under_a_strict_rule_only_the_true_probability_is_best(subject: Subject) -> None:
    points = grid(subject)
    table = expected_loss(subject.rule, points, points)
    excess = table - table.diagonal()[:, None]
    apart = np.abs(points[:, None] - points[None, :]) >= 1 / 128
    # Of third order, for rules whose weight vanishes at an end.
    assert excess[apart].min() >= 0.1 / 128**3


@pytest.mark.parametrize("subject", PROPER, ids=repr)
def test_a_rule_that_is_proper_only_has_another_best_forecast(subject: Subject) -> None:
    points = grid(subject)
    table = expected_loss(subject.rule, points, points)
    apart = np.abs(points[:, None] - points[None, :]) >= 1 / 128
    excess = table - table.diagonal()[:, None]
    assert np.abs(excess[apart]).min() <= 2 * EPS


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_entropy_is_the_expected_loss_of_the_truth(subject: Subject) -> None:
    points = grid(subject)
    honest = expected_loss(subject.rule, points, points).diagonal()
    np.testing.assert_allclose(subject.rule.entropy(points), honest, rtol=8 * EPS, atol=2 * EPS)


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_entropy_bends_nowhere_upwards(subject: Subject) -> None:
    for low, high in [(0.0, 1.0), *segments(subject)]:
        values = np.asarray(subject.rule.entropy(np.linspace(low, high, 65)))
        bend = values[2:] - 2 * values[1:-1] + values[:-2]
        assert bend.max() <= rounding(values.max())


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_a_right_certain_forecast_costs_nothing(rule: BinaryRule) -> None:
    assert rule.loss_if_event(np.array([1.0])) == 0
    assert rule.loss_if_none(np.array([0.0])) == 0
    np.testing.assert_array_equal(rule.loss(np.array([0, 1]), np.array([0.0, 1.0])), [0, 0])
    np.testing.assert_array_equal(rule.entropy(np.array([0.0, 1.0])), [0, 0])


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_the_range_ends_at_the_wrong_certain_forecasts(subject: Subject) -> None:
    rule = subject.rule
    lowest, highest = rule.range
    wrong = np.asarray(rule.loss(np.array([0, 1]), np.array([1.0, 0.0])))
    assert lowest == 0
    assert highest == pytest.approx(wrong.max(), rel=4 * EPS)
    losses = np.asarray(rule.loss(*both_outcomes(grid(subject))))
    assert losses.min() == 0
    assert losses.max() <= highest * (1 + 4 * EPS)


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_losses_fall_as_the_forecast_nears_what_happened(subject: Subject) -> None:
    points = grid(subject)
    event = np.asarray(subject.rule.loss_if_event(points))
    none = np.asarray(subject.rule.loss_if_none(points))
    # Infinite only at the ends, where a difference of infinities is not taken.
    slack = rounding(float(event[1:].max()))
    assert (event[1:] <= event[:-1] + slack).all()
    assert (none[:-1] <= none[1:] + slack).all()


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_atoms_are_the_point_masses_of_the_weight(subject: Subject) -> None:
    masses: dict[float, float] = defaultdict(float)
    for threshold, mass in subject.rule.atoms:
        masses[threshold] += mass
    assert dict(masses) == pytest.approx(dict(subject.atoms), rel=4 * EPS)
