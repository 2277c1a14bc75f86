"""Numbers, names and rules as the page writes them."""

from __future__ import annotations

import math

import pytest

from properly import rules
from properly.report._page_words import chance, decimals_for, few, fixed, from_to, percent
from properly.rules._parse import rule_in_words


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.000676, "0.00068"),
        (0.0999, "0.10"),
        (0.099, "0.099"),
        (-0.0123, "−0.012"),
        (1234.5, "1,234"),
        (0, "0"),
        (0.000000001, "0.000000001"),
        (1e-17, "0"),
        (-1e-17, "0"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "–"),
    ],
)
def test_two_digits_that_count_without_an_exponent(x: float, text: str) -> None:
    assert few(x) == text


def test_what_rounds_to_nothing_has_no_sign() -> None:
    assert fixed(-0.00001, 3) == fixed(0.00001, 3, sign=True) == "0.000"
    assert fixed(0.0012, 3, sign=True) == "+0.001"
    assert fixed(-math.inf, 3) == "−∞"


def test_shares_intervals_and_chances() -> None:
    assert percent(0.0418, 3) == "4.18 %"
    assert percent(math.nan) == "–"
    assert from_to((-0.0012, 0.01), 4) == "−0.0012 to 0.0100"
    assert from_to((math.nan, math.inf), 4) == "–"
    assert chance(0.0004) == "< 0.001"
    assert chance(0.04) == "0.040"
    assert chance(math.nan) == "–"


def test_decimals_follow_the_size() -> None:
    assert [decimals_for(x) for x in (12.0, 1.0, 0.02, 0.0, math.inf)] == [0, 1, 3, 4, 4]


RANGE = (0.1, 0.5)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (rules.Brier(), "Brier score"),
        (rules.RPS(), "ranked probability score"),
        (rules.PBS(), "penalized Brier score"),
        (rules.PLL(), "penalized logarithmic loss"),
        (rules.Bounded(rules.Log(), (0.05, 0.125)), "log score at thresholds of 5 % to 12.5 %"),
        (rules.Regret((0.01, 0.1)), "mean regret at thresholds of 1 % to 10 %"),
        (
            rules.Regret((0.01, 0.1), prior="logit"),
            "mean regret at thresholds of 1 % to 10 %, thresholds alike on log-odds",
        ),
        (
            rules.Regret((0.01, 0.1), prior=rules.BetaWeighted(2, 8)),
            "mean regret at thresholds of 1 % to 10 %, thresholds weighted as Beta(2, 8)",
        ),
        (rules.Elementary(0.05), "regret at a threshold of 5 %"),
        (rules.BetaWeighted(2, 8.5), "mean regret, thresholds weighted as Beta(2, 8.5)"),
        (
            rules.Ranked(rules.Bounded(rules.Brier(), (0, 0.5))),
            "ranked Brier score at thresholds of 0 % to 50 %",
        ),
        (
            rules.Regret((0.01, 0.1), prior=rules.Spherical()),
            "Regret(within=Interval(lower=0.01, upper=0.1), prior=Spherical())",
        ),
        (
            rules.Bounded(rules.Log(), (0, 0.1), "integral"),
            "Bounded(rule=Log(), within=Interval(lower=0.0, upper=0.1), scale='integral')",
        ),
    ],
)
def test_a_rule_has_the_words_of_its_users(rule: rules.Rule, words: str) -> None:
    assert rule_in_words(rule) == words
