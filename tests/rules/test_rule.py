"""What a rule is."""

from __future__ import annotations

from typing import Any

import pytest

from properly.rules import Brier, Log
from properly.rules._rule import as_rules

BOTH = (Brier(), Log())


@pytest.mark.parametrize(
    "rules", [list(BOTH), BOTH, iter(BOTH), dict.fromkeys(BOTH), (x for x in BOTH)]
)
def test_rules_are_taken_from_anything_that_lists_them(rules: Any) -> None:
    assert as_rules(rules) == BOTH


@pytest.mark.parametrize("one", [Brier(), Brier, 3])
def test_anything_else_is_one_rule(one: Any) -> None:
    assert as_rules(one) == (one,)


def test_names_of_rules_are_read() -> None:
    assert as_rules("brier") == (Brier(),)
    assert as_rules(["brier", Log()]) == (Brier(), Log())
