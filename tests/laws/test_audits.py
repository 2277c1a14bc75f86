"""Every rule is what it claims to be, as far as a search for better reports can tell."""

from __future__ import annotations

import inspect

import pytest

from properly import rules
from properly.rules import BinaryRule, ClassRule, Propriety, Rule, audit, parse_rule
from properly.rules._registry import EXAMPLES


def test_the_library_that_is_audited_has_every_rule() -> None:
    public = {getattr(rules, name) for name in rules.__all__}
    kinds = {thing for thing in public if isinstance(thing, type) and issubclass(thing, Rule)}
    concrete = {kind for kind in kinds if not inspect.isabstract(kind)}
    assert {type(parse_rule(text)) for text in EXAMPLES} == concrete


CLAIMS = [
    (text, classes)
    for text in EXAMPLES
    for classes in ((2, 3) if isinstance(parse_rule(text), ClassRule) else (2,))
    # These weights are for three classes.
    if (text, classes) != ("RPS(weights=[1, 1])", 2)
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "classes"), CLAIMS)
def test_every_rule_is_what_it_claims_to_be(text: str, classes: int) -> None:
    rule = parse_rule(text)
    assert isinstance(rule, BinaryRule | ClassRule)
    found = audit(rule, classes)
    assert found.propriety is rule.propriety_for(classes)
    assert found.agreement == "agrees"
    refuted = found.propriety is Propriety.IMPROPER
    assert found.verdict == ("refuted" if refuted else "not refuted by this search")


@pytest.mark.slow
@pytest.mark.parametrize("text", ["brier", "rps", "ranked-log", "PBS()", "PLL(ties='first')"])
def test_some_rules_are_what_they_claim_to_be_for_four_classes(text: str) -> None:
    rule = parse_rule(text)
    assert isinstance(rule, ClassRule)
    assert audit(rule, 4).propriety is rule.propriety_for(4)
