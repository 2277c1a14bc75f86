"""Scores as sentences have them: the Brier score, mean regret at thresholds of 1 % to 10 %."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly._boundary._text import percent
from properly.rules._combinators import Bounded, Regret
from properly.rules._ranked_probability import Ranked
from properly.rules._registry import SCORE_WORDS
from properly.rules._rule import Rule
from properly.rules._threshold import BetaWeighted, Elementary

if TYPE_CHECKING:
    from properly.rules._interval import Interval


def rule_in_words(rule: Rule) -> str:
    """Name the score of a rule; a rule without a common name is written as a call."""
    if rule.name in SCORE_WORDS:
        return SCORE_WORDS[rule.name]
    if isinstance(rule, Bounded) and rule.scale == "mean":
        return f"{rule_in_words(rule.rule)} at {_thresholds(rule.within)}"
    if isinstance(rule, Regret) and (how := _weighted(rule.prior)) is not None:
        return f"mean regret at {_thresholds(rule.within)}{how}"
    if isinstance(rule, BetaWeighted | Elementary):
        at = isinstance(rule, Elementary) and f"at a threshold of {percent(rule.threshold)}"
        return f"regret {at}" if at else f"mean regret{_weighted(rule)}"
    if isinstance(rule, Ranked) and rule.normalized and rule.weights is None:
        return f"ranked {rule_in_words(rule.rule)}" if isinstance(rule.rule, Rule) else repr(rule)
    return repr(rule)


def _weighted(prior: object) -> str | None:
    """Say how thresholds are weighted; that all count alike goes without saying."""
    if isinstance(prior, BetaWeighted):
        return f", thresholds weighted as Beta({prior.alpha:g}, {prior.beta:g})"
    named = {"uniform": "", "logit": ", thresholds alike on log-odds"}
    return named.get(prior) if isinstance(prior, str) else None


def _thresholds(within: Interval) -> str:
    return f"thresholds of {percent(within.lower)} to {percent(within.upper)}"
