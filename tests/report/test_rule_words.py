"""Rules, in words."""

import pytest

import properly
from properly.report._words import rule_in_words, score_in_words
from properly.rules import PBS, PLL, RPS, Bounded, Brier, Log, Regret, Rule, Spherical


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
            Bounded(Log(), (0, 0.1), "integral"),
            "Bounded(rule=Log(), within=Interval(lower=0.0, upper=0.1), scale='integral')",
        ),
    ],
)
def test_a_rule_has_the_words_of_its_users(rule: Rule, words: str) -> None:
    assert rule_in_words(rule) == words


def test_a_rule_of_an_evaluation_is_found_by_its_name() -> None:
    e = properly.evaluate([0, 1], [0.2, 0.6], rules=[Brier(), Spherical()], replicates=0)
    assert score_in_words(e, "spherical") == "spherical score"
