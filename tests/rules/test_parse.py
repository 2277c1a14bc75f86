"""Rules read from text, and text that is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly import rules
from properly.errors import ProperlyError
from properly.rules._registry import EXAMPLES


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("brier", rules.Brier()),
        ("Log", rules.Log()),
        (" SPHERICAL\n", rules.Spherical()),
        ("misclassification", rules.Misclassification()),
        ("zero-one", rules.Misclassification()),
        ("rps", rules.RPS()),
        ("ranked-log", rules.RankedLog()),
        ("ranked_log", rules.RankedLog()),
        ("RankedLog", rules.RankedLog()),
        ("sa-rps", rules.SquaredAbsoluteRPS()),
        ("SA_RPS", rules.SquaredAbsoluteRPS()),
        ("squared-absolute-rps", rules.SquaredAbsoluteRPS()),
        ("missed-benefit", rules.MissedBenefit()),
        ("pbs", rules.PBS()),
        ("pll", rules.PLL()),
    ],
)
def test_short_names_stand_for_rules_with_default_settings(text: str, rule: rules.Rule) -> None:
    assert rules.parse_rule(text) == rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Brier()", rules.Brier()),
        ("brier(scale='mean')", rules.Brier(scale="mean")),
        ("PBS(ties='any_correct')", rules.PBS(ties="any_correct")),
        ("Bounded(Brier(), (0.05, 0.2))", rules.Bounded(rules.Brier(), (0.05, 0.2))),
        (
            "Bounded(brier, [+0.05, 0.2], scale='integral')",
            rules.Bounded(rules.Brier(), (0.05, 0.2), "integral"),
        ),
        (
            "Regret((0.05, 0.2), prior=BetaWeighted(2, 8))",
            rules.Regret((0.05, 0.2), rules.BetaWeighted(2, 8)),
        ),
        (
            "Mixture([(0.5, Brier()), (1, Elementary(0.1))])",
            rules.Mixture([(0.5, rules.Brier()), (1, rules.Elementary(0.1))]),
        ),
        ("PointWeighted((0.1, 0.2), weights=None)", rules.PointWeighted((0.1, 0.2))),
        ("RPS(weights=[1, 2], normalized=False)", rules.RPS(weights=[1, 2], normalized=False)),
        ("Ranked([Brier(), Log()])", rules.Ranked([rules.Brier(), rules.Log()])),
        ("Penalized(RPS(), 0.5, cost='linear')", rules.Penalized(rules.RPS(), 0.5, cost="linear")),
        (
            "Penalized(Log(), 1, cost=((0, 1), (2, 0)))",
            rules.Penalized(rules.Log(), 1, cost=((0, 1), (2, 0))),
        ),
    ],
)
def test_calls_are_read_with_their_arguments(text: str, rule: rules.Rule) -> None:
    assert rules.parse_rule(text) == rule


@pytest.mark.parametrize("text", EXAMPLES)
def test_what_a_rule_prints_as_is_read_as_that_rule(text: str) -> None:
    rule = rules.parse_rule(text)
    assert rules.parse_rule(repr(rule)) == rule


words = st.sampled_from(
    ["Brier", "pbs", "(", ")", ",", "=", "-", "0.1", "'a'", "[", "]", "ties", " "]
)


@given(st.text(max_size=60) | st.lists(words, max_size=20).map("".join))
def test_any_text_is_a_rule_or_refused(text: str) -> None:
    try:
        found = rules.parse_rule(text)
    except ProperlyError:
        return
    assert isinstance(found.propriety, rules.Propriety)
