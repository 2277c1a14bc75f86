"""What rules for one event say of themselves."""

from __future__ import annotations

import math

import pytest

from properly.rules import Propriety, parse_rule

FACTS: dict[Propriety, dict[str, tuple[str, float]]] = {
    Propriety.STRICT: {
        "Bounded(Brier(), (0, 1), 'integral')": ("bounded_brier_integral[0.0,1.0]", 1),
        "Mixture([(2, Brier()), (1, Elementary(0.5))])": (
            "mixture[2.0*brier+1.0*elementary[0.5]]",
            2.5,
        ),
        "Regret((0, 1))": ("regret[0.0,1.0]", 0.5),
        "Regret((0, 1), BetaWeighted(2, 8))": ("regret_beta[2.0,8.0][0.0,1.0]", 0.8),
        "Shifted(0.5)": ("shifted[0.5]", 1),
        "Shifted(0.2, 'classweighted')": ("shifted_classweighted[0.2]", 2.5),
        "BetaWeighted(2, 8)": ("beta[2.0,8.0]", 0.8),
        "MissedBenefit()": ("missed_benefit", math.inf),
        "HistogramWeighted([0.0, 0.5, 1.0], [3, 1])": ("histogram[0.0,0.5,1.0;0.75,0.25]", 0.625),
    },
    Propriety.PROPER: {
        "Misclassification()": ("misclassification", 1),
        "Elementary(0.2)": ("elementary[0.2]", 0.8),
        "Elementary(0.75)": ("elementary[0.75]", 0.75),
        "Bounded(Brier(), (0, 0.5))": ("bounded_brier[0.0,0.5]", 1.5),
        "Bounded(Elementary(0.2), (0, 1))": ("bounded_elementary[0.2][0.0,1.0]", 0.8),
        "Mixture([(0, Brier()), (1, Elementary(0.5))])": (
            "mixture[0.0*brier+1.0*elementary[0.5]]",
            0.5,
        ),
        "Regret((0.1, 0.3))": ("regret[0.1,0.3]", 0.8),
        # Half the log-odds from 0.25 to 0.75 lie below one half.
        "Regret((0.25, 0.75), 'logit')": ("regret_logit[0.25,0.75]", 0.5),
        "PointWeighted([0.1, 0.2])": ("points[0.1:0.5,0.2:0.5]", 0.85),
        "HistogramWeighted([0.0, 0.5, 1.0], [1, 0])": ("histogram[0.0,0.5,1.0;1,0]", 0.75),
    },
    Propriety.IMPROPER: {"Shifted(0.2, 'published')": ("shifted_published[0.2]", 1)},
}
# The worst of these is a sum that is rounded.
ROUNDED = {"regret_logit[0.25,0.75]": 1e-14, "points[0.1:0.5,0.2:0.5]": 1e-14}


@pytest.mark.parametrize(
    ("text", "propriety"), [(text, kind) for kind, texts in FACTS.items() for text in texts]
)
def test_a_rule_states_its_facts(text: str, propriety: Propriety) -> None:
    rule, (name, worst) = parse_rule(text), FACTS[propriety][text]
    assert rule.propriety is rule.propriety_for(2) is propriety
    assert rule.is_proper is (propriety is not Propriety.IMPROPER)
    assert rule.name == name
    expected = pytest.approx((0, worst), rel=ROUNDED.get(name, 0), abs=0)
    assert rule.range == rule.range_for(2) == expected
