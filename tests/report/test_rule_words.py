"""Rules, in words."""

import pytest

from properly.rules import (
    PBS,
    PLL,
    RPS,
    BetaWeighted,
    Bounded,
    Brier,
    Elementary,
    Log,
    Ranked,
    Regret,
    Rule,
    Spherical,
)
from properly.rules._parse import rule_in_words

RANGE = (0.1, 0.5)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Brier(), "Brier score"),
        (RPS(), "ranked probability score"),
        (PBS(), "penalized Brier score"),
        (PLL(), "penalized logarithmic loss"),
        (Bounded(Log(), (0.05, 0.125)), "log score at thresholds of 5 % to 12.5 %"),
        (Regret((0.01, 0.1)), "mean regret at thresholds of 1 % to 10 %"),
        (
            Regret((0.01, 0.1), prior="logit"),
            "mean regret at thresholds of 1 % to 10 %, thresholds alike on log-odds",
        ),
        (
            Regret((0.01, 0.1), prior=BetaWeighted(2, 8)),
            "mean regret at thresholds of 1 % to 10 %, thresholds weighted as Beta(2, 8)",
        ),
        (Elementary(0.05), "regret at a threshold of 5 %"),
        (BetaWeighted(2, 8.5), "mean regret, thresholds weighted as Beta(2, 8.5)"),
        (Ranked(Bounded(Brier(), (0, 0.5))), "ranked Brier score at thresholds of 0 % to 50 %"),
        (
            Regret((0.01, 0.1), prior=Spherical()),
            "Regret(within=Interval(lower=0.01, upper=0.1), prior=Spherical())",
        ),
        (
            Bounded(Log(), (0, 0.1), "integral"),
            "Bounded(rule=Log(), within=Interval(lower=0.0, upper=0.1), scale='integral')",
        ),
    ],
)
def test_a_rule_has_the_words_of_its_users(rule: Rule, words: str) -> None:
    assert rule_in_words(rule) == words
