"""What is particular to mean regret over a range."""

from __future__ import annotations

import numpy as np
import pytest

from properly.rules import BetaWeighted, BinaryRule, Propriety, Regret, Shifted


@pytest.mark.parametrize(
    ("rule", "propriety", "worst", "name"),
    [
        (Regret((0, 1)), Propriety.STRICT, 0.5, "regret[0.0,1.0]"),
        (Regret((0.1, 0.3)), Propriety.PROPER, 0.8, "regret[0.1,0.3]"),
        # Half the log-odds from 0.25 to 0.75 lie below one half.
        (Regret((0.25, 0.75), "logit"), Propriety.PROPER, 0.5, "regret_logit[0.25,0.75]"),
        (
            Regret((0, 1), BetaWeighted(2, 8)),
            Propriety.STRICT,
            0.8,
            "regret_beta[2.0,8.0][0.0,1.0]",
        ),
    ],
    ids=repr,
)
def test_a_mean_regret_states_its_facts(
    rule: BinaryRule, propriety: Propriety, worst: float, name: str
) -> None:
    assert rule.propriety is propriety
    assert rule.range == pytest.approx((0, worst), rel=1e-14)
    assert rule.name == name


@pytest.mark.parametrize("prior", [BetaWeighted(2, 8), Shifted(0.1), "logit"], ids=repr)
def test_a_mean_regret_never_exceeds_the_greatest_cost_in_the_range(prior: BinaryRule) -> None:
    rule, p = Regret((0.05, 0.2), prior=prior), np.linspace(0, 1, 101)
    assert (np.asarray(rule.loss_if_none(p)) <= 0.2).all()
    assert (np.asarray(rule.loss_if_event(p)) <= 0.95).all()
