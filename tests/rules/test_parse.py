"""Rules read from text, and text that is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly.errors import ProperlyError
from properly.rules import (
    PBS,
    PLL,
    RPS,
    BetaWeighted,
    Bounded,
    Brier,
    Elementary,
    Log,
    Misclassification,
    MissedBenefit,
    Mixture,
    Penalized,
    PointWeighted,
    Propriety,
    Ranked,
    RankedLog,
    Regret,
    Rule,
    Spherical,
    SquaredAbsoluteRPS,
    parse_rule,
)
from properly.rules._registry import EXAMPLES


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("brier", Brier()),
        ("Log", Log()),
        (" SPHERICAL\n", Spherical()),
        ("misclassification", Misclassification()),
        ("zero-one", Misclassification()),
        ("rps", RPS()),
        ("ranked-log", RankedLog()),
        ("ranked_log", RankedLog()),
        ("RankedLog", RankedLog()),
        ("sa-rps", SquaredAbsoluteRPS()),
        ("SA_RPS", SquaredAbsoluteRPS()),
        ("squared-absolute-rps", SquaredAbsoluteRPS()),
        ("missed-benefit", MissedBenefit()),
        ("pbs", PBS()),
        ("pll", PLL()),
    ],
)
def test_short_names_stand_for_rules_with_default_settings(text: str, rule: Rule) -> None:
    assert parse_rule(text) == rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Brier()", Brier()),
        ("brier(scale='mean')", Brier(scale="mean")),
        ("PBS(ties='any_correct')", PBS(ties="any_correct")),
        ("Bounded(Brier(), (0.05, 0.2))", Bounded(Brier(), (0.05, 0.2))),
        (
            "Bounded(brier, [+0.05, 0.2], scale='integral')",
            Bounded(Brier(), (0.05, 0.2), "integral"),
        ),
        ("Regret((0.05, 0.2), prior=BetaWeighted(2, 8))", Regret((0.05, 0.2), BetaWeighted(2, 8))),
        (
            "Mixture([(0.5, Brier()), (1, Elementary(0.1))])",
            Mixture([(0.5, Brier()), (1, Elementary(0.1))]),
        ),
        ("PointWeighted((0.1, 0.2), weights=None)", PointWeighted((0.1, 0.2))),
        ("RPS(weights=[1, 2], normalized=False)", RPS(weights=[1, 2], normalized=False)),
        ("Ranked([Brier(), Log()])", Ranked([Brier(), Log()])),
        ("Penalized(RPS(), 0.5, cost='linear')", Penalized(RPS(), 0.5, cost="linear")),
        ("Penalized(Log(), 1, cost=((0, 1), (2, 0)))", Penalized(Log(), 1, cost=((0, 1), (2, 0)))),
    ],
)
def test_calls_are_read_with_their_arguments(text: str, rule: Rule) -> None:
    assert parse_rule(text) == rule


@pytest.mark.parametrize("text", EXAMPLES)
def test_what_a_rule_prints_as_is_read_as_that_rule(text: str) -> None:
    rule = parse_rule(text)
    assert parse_rule(repr(rule)) == rule


words = st.sampled_from(
    ["Brier", "pbs", "(", ")", ",", "=", "-", "0.1", "'a'", "[", "]", "ties", " "]
)


@given(st.text(max_size=60) | st.lists(words, max_size=20).map("".join))
def test_any_text_is_a_rule_or_refused(text: str) -> None:
    try:
        found = parse_rule(text)
    except ProperlyError:
        return
    assert isinstance(found.propriety, Propriety)
