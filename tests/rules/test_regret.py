"""What is particular to mean regret over a range."""

from __future__ import annotations

import numpy as np
import pytest

from properly.rules import BetaWeighted, BinaryRule, Regret, Shifted


@pytest.mark.parametrize("prior", [BetaWeighted(2, 8), Shifted(0.1), "logit"], ids=repr)
def test_a_mean_regret_never_exceeds_the_greatest_cost_in_the_range(prior: BinaryRule) -> None:
    rule, p = Regret((0.05, 0.2), prior=prior), np.linspace(0, 1, 101)
    assert (np.asarray(rule.loss_if_none(p)) <= 0.2).all()
    assert (np.asarray(rule.loss_if_event(p)) <= 0.95).all()
