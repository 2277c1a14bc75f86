"""What is particular to rules that are beliefs about thresholds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import properly
from properly.errors import DataError, ImproperRuleError
from properly.rules import (
    BetaWeighted,
    BinaryRule,
    Bounded,
    Brier,
    Elementary,
    HistogramWeighted,
    Log,
    MissedBenefit,
    Mixture,
    PointWeighted,
    Propriety,
    Regret,
    Shifted,
)
from properly.rules._functions import BetaDensity

P = np.array([0.0, 1e-9, 0.02, 0.05, 0.1, 0.137, 0.2, 0.5, 0.9, 1 - 1e-9, 1.0])
Y = np.repeat([0, 1], len(P))
BOTH = np.tile(P, 2)
EPS = float(np.finfo(np.float64).eps)


@pytest.mark.parametrize(
    ("rule", "propriety", "worst", "name"),
    [
        (BetaWeighted(2, 8), Propriety.STRICT, 0.8, "beta[2.0,8.0]"),
        (MissedBenefit(), Propriety.STRICT, math.inf, "missed_benefit"),
        (Regret((0, 1)), Propriety.STRICT, 0.5, "regret[0.0,1.0]"),
        (Regret((0.1, 0.3)), Propriety.PROPER, 0.8, "regret[0.1,0.3]"),
        (
            Regret((0.25, 0.75), "logit"),
            Propriety.PROPER,
            math.log(3) / (2 * math.log(3)),
            "regret_logit[0.25,0.75]",
        ),
        (
            Regret((0, 1), BetaWeighted(2, 8)),
            Propriety.STRICT,
            0.8,
            "regret_beta[2.0,8.0][0.0,1.0]",
        ),
        (PointWeighted([0.1, 0.2]), Propriety.PROPER, 0.85, "points[0.1:0.5,0.2:0.5]"),
        (
            HistogramWeighted([0.0, 0.5, 1.0], [3, 1]),
            Propriety.STRICT,
            0.625,
            "histogram[0.0,0.5,1.0;0.75,0.25]",
        ),
        (
            HistogramWeighted([0.0, 0.5, 1.0], [1, 0]),
            Propriety.PROPER,
            0.75,
            "histogram[0.0,0.5,1.0;1,0]",
        ),
        (Shifted(0.5), Propriety.STRICT, 1, "shifted[0.5]"),
        (
            Shifted(0.2, "classweighted"),
            Propriety.STRICT,
            2.5,
            "shifted_classweighted[0.2]",
        ),
        (Shifted(0.2, "published"), Propriety.IMPROPER, 1, "shifted_published[0.2]"),
    ],
    ids=repr,
)
def test_a_rule_states_its_facts(
    rule: BinaryRule, propriety: Propriety, worst: float, name: str
) -> None:
    assert rule.propriety is propriety
    assert rule.range == pytest.approx((0, worst), rel=1e-14)
    assert rule.name == name
    assert eval(repr(rule), vars(properly.rules) | {"Interval": properly.Interval}) == rule  # noqa: S307


def test_regret_is_half_of_bounded_brier_and_all_of_bounded_log() -> None:
    for within in ((0.05, 0.2), (0.0166, 0.03), (0.3, 0.3 + 1e-6)):
        half = np.asarray(Bounded(Brier(), within).loss(Y, BOTH)) / 2
        np.testing.assert_allclose(Regret(within).loss(Y, BOTH), half, rtol=8 * EPS)
        logit = Regret(within, prior="logit").loss(Y, BOTH)
        np.testing.assert_allclose(logit, Bounded(Log(), within).loss(Y, BOTH), rtol=8 * EPS)


def test_a_mean_regret_never_exceeds_the_greatest_cost_in_the_range() -> None:
    rule = Regret((0.05, 0.2), prior=BetaWeighted(2, 8))
    assert np.all(np.asarray(rule.loss_if_none(P)) <= 0.2)
    assert np.all(np.asarray(rule.loss_if_event(P)) <= 0.95)


def test_equal_points_are_their_mean_regret() -> None:
    points = [0.05, 0.1, 0.5]
    mean = np.mean([Elementary(t).loss(Y, BOTH) for t in points], axis=0)
    np.testing.assert_allclose(PointWeighted(points).loss(Y, BOTH), mean, rtol=8 * EPS)


def test_a_point_given_twice_weighs_twice() -> None:
    twice = PointWeighted([0.1, 0.1, 0.2])
    np.testing.assert_allclose(twice.atoms, [(0.1, 2 / 3), (0.2, 1 / 3)])


def test_one_bin_is_the_uniform_regret() -> None:
    one = HistogramWeighted([0.05, 0.2], [7])
    np.testing.assert_allclose(one.loss(Y, BOTH), Regret((0.05, 0.2)).loss(Y, BOTH), rtol=8 * EPS)


def test_a_histogram_is_the_mixture_of_the_regrets_over_its_bins() -> None:
    rule = HistogramWeighted([0.02, 0.05, 0.1, 0.2], [3, 5, 2])
    parts = [(0.3, (0.02, 0.05)), (0.5, (0.05, 0.1)), (0.2, (0.1, 0.2))]
    mixture = Mixture([(share, Regret(within)) for share, within in parts])
    np.testing.assert_allclose(rule.loss(Y, BOTH), mixture.loss(Y, BOTH), rtol=16 * EPS)


def test_at_an_edge_between_two_bins_the_weight_is_that_of_the_upper_one() -> None:
    rule = HistogramWeighted([0.1, 0.2, 0.4], [1, 1])
    t = np.array([0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5])
    np.testing.assert_allclose(rule.weight(t), [0, 5, 5, 2.5, 2.5, 2.5, 0])
    np.testing.assert_allclose(rule.slope([0], [0.2]), [0.5])


@pytest.mark.parametrize("form", ["regret", "classweighted", "published"])
def test_every_shifted_form_is_brier_at_one_half(form: Any) -> None:
    rule = Shifted(0.5, form)
    np.testing.assert_allclose(rule.loss(Y, BOTH), Brier().loss(Y, BOTH), rtol=8 * EPS)
    z = np.array([-40.0, -1.0, 0.0, 3.0])
    y = np.array([1, 0, 1, 0])
    np.testing.assert_allclose(
        rule.logit_slope(y, z), Brier().logit_slope(y, z), rtol=16 * EPS, atol=1e-30
    )


def test_a_shifted_rule_hardly_changes_as_mu_goes_through_one_half() -> None:
    middle = np.asarray(Shifted(0.5).loss(Y, BOTH))
    for mu in (0.5 - 1e-9, 0.5 + 1e-9):
        np.testing.assert_allclose(Shifted(mu).loss(Y, BOTH), middle, atol=1e-8)


def test_the_published_form_differentiates_as_it_prices() -> None:
    rule, step = Shifted(0.1, "published"), 1e-6
    p = np.array([0.05, 0.1, 0.4, 0.8])
    for y in (np.zeros(4, int), np.ones(4, int)):
        up, down = (np.asarray(rule.loss(y, p + s)) for s in (step, -step))
        np.testing.assert_allclose(rule.slope(y, p), (up - down) / (2 * step), rtol=1e-8)
        z = np.log(p / (1 - p))
        chain = np.asarray(rule.slope(y, p)) * p * (1 - p)
        np.testing.assert_allclose(rule.logit_slope(y, z), chain, rtol=1e-13)


def test_the_published_form_cannot_be_decomposed_nor_be_a_prior() -> None:
    rule = Shifted(0.1, "published")
    with pytest.raises(ImproperRuleError):
        properly.decompose(properly.tally([0, 1], [0.2, 0.7]), rule)
    with pytest.raises(ImproperRuleError):
        Regret((0.1, 0.2), prior=rule)


def test_the_mean_missed_benefit_is_the_event_rate_minus_net_benefit() -> None:
    # One event with forecast 0.3, one non-event with 0.6, at the thresholds from 0.4 to 0.5: the
    # event is missed and the alarm is in vain, so net benefit is minus half the odds.
    y, p, within = [1, 0], [0.3, 0.6], (0.4, 0.5)
    mean_odds = (-0.1 - math.log(0.5 / 0.6)) / 0.1
    missed = Bounded(MissedBenefit(), within)(y, p)
    assert 0.5 - missed == pytest.approx(-mean_odds / 2, rel=1e-14)


@pytest.mark.parametrize("within", [(0.0, 0.2), (0.5, 1.0), (0.0, 1.0)])
def test_log_odds_have_no_mean_up_to_the_ends(within: tuple[float, float]) -> None:
    with pytest.raises(DataError):
        Regret(within, prior="logit")


@pytest.mark.parametrize("parameters", [(0, 1), (1, -2), (math.inf, 1), (math.nan, 1)])
def test_parameters_of_a_beta_are_positive_and_finite(parameters: tuple[float, float]) -> None:
    with pytest.raises(DataError):
        BetaWeighted(*parameters)


def test_a_sharp_belief_about_a_threshold_is_nearly_the_regret_there() -> None:
    sharp, point = BetaWeighted(1e5, 9e5), Elementary(0.1)
    p = np.array([0.0, 0.05, 0.15, 0.9, 1.0])
    y, both = np.repeat([0, 1], 5), np.tile(p, 2)
    np.testing.assert_allclose(sharp.loss(y, both), point.loss(y, both), atol=1e-5)
    assert np.isfinite(np.asarray(sharp.weight(p))).all()


def test_the_mass_of_a_beta_between_scalars_is_a_number() -> None:
    density = BetaDensity(2, 2)
    assert density.mass(0.0, 0.5) == pytest.approx(0.5, rel=1e-15)
    assert density.mass(0.5, 0.5) == 0
