"""Rules, in the words of those who have not met them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly.report._threshold_axis import as_percent
from properly.rules import Bounded, Regret

if TYPE_CHECKING:
    from properly.evaluation._class_evaluation import ClassEvaluation
    from properly.evaluation._event_evaluation import Evaluation
    from properly.rules import Rule
    from properly.rules._interval import Interval

SCORES = {
    "brier": "Brier score",
    "log": "log score",
    "spherical": "spherical score",
    "rps": "ranked probability score",
    "ranked_log": "ranked log score",
    "pbs": "penalized Brier score",
    "pll": "penalized log score",
}


def rule_in_words(rule: Rule) -> str:
    """Name the score of a rule; a rule without a common name is written as a call."""
    if isinstance(rule, Bounded) and rule.scale == "mean":
        return f"{rule_in_words(rule.rule)} at {_thresholds(rule.within)}"
    if isinstance(rule, Regret) and rule.prior == "uniform":
        return f"mean regret at {_thresholds(rule.within)}"
    return SCORES.get(rule.name, repr(rule))


def score_in_words(evaluation: Evaluation | ClassEvaluation, name: str) -> str:
    """Name the score of one of the rules of an evaluation."""
    return next(rule_in_words(rule) for rule in evaluation.rules if rule.name == name)


def _thresholds(within: Interval) -> str:
    return f"thresholds of {as_percent(within.lower)} to {as_percent(within.upper)}"
