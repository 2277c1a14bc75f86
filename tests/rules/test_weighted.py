"""What is particular to rules that are beliefs about thresholds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from properly import rules
from properly.rules._log_odds import BetaDensity


def test_a_point_given_twice_weighs_twice() -> None:
    twice = rules.PointWeighted([0.1, 0.1, 0.2])
    np.testing.assert_allclose(twice.atoms, [(0.1, 2 / 3), (0.2, 1 / 3)])


def test_at_an_edge_between_two_bins_the_weight_is_that_of_the_upper_one() -> None:
    rule = rules.HistogramWeighted([0.1, 0.2, 0.4], [1, 1])
    t = np.array([0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5])
    np.testing.assert_allclose(rule.weight(t), [0, 5, 5, 2.5, 2.5, 2.5, 0])
    np.testing.assert_allclose(rule.slope([0], [0.2]), [0.5])


def test_the_mean_missed_benefit_is_the_event_rate_minus_net_benefit() -> None:
    # One event with forecast 0.3, one non-event with 0.6, at the thresholds from 0.4 to 0.5: the
    # event is missed and the alarm is in vain, so net benefit is minus half the odds.
    y, p, within = [1, 0], [0.3, 0.6], (0.4, 0.5)
    mean_odds = (-0.1 - math.log(0.5 / 0.6)) / 0.1
    missed = rules.Bounded(rules.MissedBenefit(), within)(y, p)
    assert 0.5 - missed == pytest.approx(-mean_odds / 2, rel=1e-14)


def test_a_sharp_belief_about_a_threshold_is_nearly_the_regret_there() -> None:
    sharp, point = rules.BetaWeighted(1e5, 9e5), rules.Elementary(0.1)
    p = np.array([0.0, 0.05, 0.15, 0.9, 1.0])
    y, both = np.repeat([0, 1], 5), np.tile(p, 2)
    np.testing.assert_allclose(sharp.loss(y, both), point.loss(y, both), atol=1e-5)
    assert np.isfinite(np.asarray(sharp.weight(p))).all()


def test_the_mass_of_a_beta_between_scalars_is_a_number() -> None:
    density = BetaDensity(2, 2)
    assert density.mass(0.0, 0.5) == pytest.approx(0.5, rel=1e-15)
    assert density.mass(0.5, 0.5) == 0
