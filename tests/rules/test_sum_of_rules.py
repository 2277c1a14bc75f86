"""Rules that are weighted sums of others leave every price to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from properly.rules import BetaWeighted, BinaryRule, PointWeighted, Regret, Shifted

if TYPE_CHECKING:
    from properly.rules._combinators import SumOfRules

SUMS = [
    PointWeighted([0.1, 0.2]),
    Regret((0.05, 0.2), prior=BetaWeighted(2, 8)),
    Shifted(0.1),
    Shifted(0.1, form="classweighted"),
    Shifted(0.1, form="published"),
]


@pytest.mark.parametrize("rule", SUMS, ids=repr)
def test_a_sum_passes_on_whatever_its_rules_do_in_their_own_way(rule: SumOfRules) -> None:
    # A method left to the base class would answer from the other methods, not as the rule does.
    public = {name for name in dir(BinaryRule) if not name.startswith("_")}
    others = {type(part) for _, part in rule.terms}
    own_way = {
        name
        for name in public
        if any(_defined(other, name) != _defined(BinaryRule, name) for other in others)
    }
    left_out = {
        name for name in own_way if _defined(type(rule), name) == _defined(BinaryRule, name)
    }
    assert {"weight", "false_positives", "false_negatives"} <= own_way
    assert left_out == set()


def _defined(kind: type, name: str) -> object:
    return next(vars(base)[name] for base in kind.__mro__ if name in vars(base))
