"""The slope is the derivative of the loss, and the loss is the integral of its weight."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, logit

from .subjects import EPS, RULES, SUBJECTS, Subject, both_outcomes, segments, smooth_points

if TYPE_CHECKING:
    from properly.rules import BinaryRule

FAR = 800.0  # exp(800) overflows, and sigmoid(-800) is exactly zero in double precision


def central_difference(
    subject: Subject, price: str, low: float, high: float
) -> tuple[list[float], list[float]]:
    """Differentiate one price inside a segment, with one step of Richardson extrapolation."""
    price_of = getattr(subject.rule, price)
    points = (low + np.array([0.1, 0.3, 0.5, 0.7, 0.9]) * (high - low)).tolist()
    # Wide segments ask for small steps, narrow ones for steps well above the spacing of floats.
    step = (high - low) * (1e-3 if high - low > 1e-3 else 2e-2)
    slopes = []
    for p in points:
        ends = np.array([p - 2 * step, p - step, p + step, p + 2 * step])
        far_low, near_low, near_high, far_high = np.asarray(price_of(ends))
        near = (near_high - near_low) / (ends[2] - ends[1])
        far = (far_high - far_low) / (ends[3] - ends[0])
        slopes.append(float((4 * near - far) / 3))
    return points, slopes


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
@pytest.mark.parametrize(("outcome", "price"), [(0, "loss_if_none"), (1, "loss_if_event")])
def test_the_slope_is_the_derivative_of_the_loss(
    subject: Subject, outcome: int, price: str
) -> None:
    for low, high in segments(subject):
        points, expected = central_difference(subject, price, low, high)
        got = subject.rule.slope(np.full(len(points), outcome), np.array(points))
        # 2e-7: the step to the fourth times the fifth derivative of the log loss at a tenth of
        # its segment; 1e-8 of the price of one, divided by the step, is rounding.
        np.testing.assert_allclose(got, expected, rtol=2e-7, atol=1e-9)


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_the_slope_is_the_error_times_the_weight(subject: Subject) -> None:
    y, p = both_outcomes(smooth_points(subject))
    expected = (p - y) * np.asarray(subject.rule.weight(p))
    np.testing.assert_allclose(subject.rule.slope(y, p), expected, rtol=16 * EPS, atol=0)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_weight_is_nowhere_negative(rule: BinaryRule) -> None:
    weight = np.asarray(rule.weight(np.linspace(0, 1, 257)))
    assert (weight >= 0).all()


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_the_slope_in_the_logit_is_the_chain_rule(subject: Subject) -> None:
    y, p = both_outcomes(smooth_points(subject))
    z = logit(p)
    p = expit(z)
    expected = np.asarray(subject.rule.slope(y, p)) * p * (1 - p)
    # 1e-13: p - 1 and 1 - p lose up to two digits where p is near one.
    np.testing.assert_allclose(subject.rule.logit_slope(y, z), expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_the_slope_in_the_logit_has_its_limit_at_saturated_logits(subject: Subject) -> None:
    low, high = subject.poles
    y = np.array([0, 0, 1, 1])
    z = np.array([-FAR, FAR, -FAR, FAR])
    expected = [0.0, high, -low, 0.0]
    np.testing.assert_allclose(subject.rule.logit_slope(y, z), expected, rtol=4 * EPS, atol=EPS)


def integral(subject: Subject, outcome: int, start: float, stop: float) -> float:
    """Integrate the regret of one outcome over the thresholds from start to stop."""

    def regret(t: float) -> float:
        cost = t if outcome == 0 else 1 - t
        return cost * float(np.asarray(subject.rule.weight(np.array([t])))[0])

    edges = [start, *(b for b in subject.breaks if start < b < stop), stop]
    pieces = pairwise(edges)
    return sum(float(quad(regret, a, b, epsabs=1e-13, epsrel=1e-12)[0]) for a, b in pieces)


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_a_loss_is_the_regret_at_every_threshold_times_its_weight(subject: Subject) -> None:
    points = smooth_points(subject)
    none = np.asarray(subject.rule.loss_if_none(points))
    event = np.asarray(subject.rule.loss_if_event(points))
    for p, price_if_none, price_if_event in zip(points, none, event, strict=True):
        # Acting iff p >= t is wrong without the event for t <= p, and with it for t > p.
        false_alarms = sum(mass * t for t, mass in subject.atoms if t <= p)
        misses = sum(mass * (1 - t) for t, mass in subject.atoms if t > p)
        expected_none = integral(subject, 0, 0.0, p) + false_alarms
        expected_event = integral(subject, 1, p, 1.0) + misses
        # 1e-11: ten times what the quadrature is asked for.
        assert price_if_none == pytest.approx(expected_none, rel=1e-11, abs=1e-12)
        assert price_if_event == pytest.approx(expected_event, rel=1e-11, abs=1e-12)
