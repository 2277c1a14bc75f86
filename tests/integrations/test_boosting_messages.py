"""What boosted trees are refused, word for word. No library is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly.errors import ArgumentTypeError, DataError, ImproperRuleError
from properly.integrations._boosting import Objective, Start, mean_score
from properly.integrations._named_rules import one_name
from properly.rules import (
    PBS,
    BinaryRule,
    Bounded,
    Brier,
    Elementary,
    Log,
    Misclassification,
    Propriety,
    Ranked,
)

HERE = Start(event="start inside.", classes="start elsewhere.", missing="look at the start.")


def objective(rule: Any) -> Objective:
    return Objective(rule, HERE)


class Sheet:
    """A data set as libraries have them."""

    def __init__(self, label: Any, weight: Any = None) -> None:
        self.label, self.weight = label, weight

    def get_label(self) -> Any:
        return self.label

    def get_weight(self) -> Any:
        return self.weight


class Steep(BinaryRule):
    """A rule whose author forgot the limit of its weight at certain forecasts."""

    propriety = Propriety.STRICT

    def weight(self, p: Any) -> Any:
        with np.errstate(divide="ignore"):
            return 1 / (1 - p) ** 3

    def logit_weight(self, p: Any, q: Any) -> Any:
        with np.errstate(invalid="ignore"):
            return p * q * self.weight(p)

    def false_positives(self, lower: Any, upper: Any) -> Any:
        raise NotImplementedError

    def false_negatives(self, lower: Any, upper: Any) -> Any:
        raise NotImplementedError

    @property
    def atoms(self) -> tuple[tuple[float, float], ...]:
        return ()


def told(call: Any, error: type[Exception] = DataError) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def test_improper_rules_and_jumps_are_not_trained_on() -> None:
    assert told(lambda: objective(PBS(ties="any_correct")), ImproperRuleError) == (
        "training needs a proper rule; Penalized(rule=Brier(), ties='any_correct') is improper\n\n"
        "Hint: an improper rule teaches forecasts that are false."
    )
    for rule in (PBS(), Misclassification(), Elementary(0.2), Ranked(Elementary(0.2))):
        assert told(lambda rule=rule: objective(rule)) == (
            "training needs a rule without jumps, which gradients do not see; got "
            f"{rule!r}\n\nHint: train with a smooth rule, and stop early by metric(rule)."
        )
    assert told(lambda: objective("brier"), ArgumentTypeError) == (
        "this needs a rule of properly.rules; got 'brier'\n\n"
        "Hint: write the rule with parentheses, as in Brier(); parse_rule reads one from text."
    )


def test_a_start_without_slope_is_refused() -> None:
    rule = Bounded(Brier(), (0.05, 0.2))
    said = (
        "a rule can be learnt only where it has a slope; Bounded(rule=Brier(), within=Interval("
        "lower=0.05, upper=0.2), scale='mean') has none where boosting starts, with 3 forecasts "
    )
    y = np.array([0, 1, 1])
    assert told(lambda: objective(rule)(y, np.zeros(3))) == (said + "at 0.5\n\nHint: start inside.")
    assert told(lambda: objective(rule)(y, np.array([0.0, 1.0, -1.0]))) == (
        said + "between 0.2689 and 0.7311\n\nHint: start inside."
    )
    wide = Ranked(rule)
    assert told(lambda: objective(wide)(y, np.zeros((3, 3)))) == (
        "a rule can be learnt only where it has a slope; "
        f"{wide!r} has none where boosting starts, with 3 forecasts\n\nHint: start elsewhere."
    )


def test_a_training_that_has_learnt_all_there_is_may_go_on() -> None:
    learn = objective(Bounded(Brier(), (0.05, 0.2)))
    y = np.array([0, 1, 1])
    learn(y, np.full(3, -2.0))
    gradient, curvature = learn(y, np.array([-4.0, 1.0, 1.0]))
    assert not gradient.any()
    assert not curvature.any()


def test_margins_without_values_name_the_round() -> None:
    learn = objective(Brier())
    y = np.array([0, 1, 1])
    one, other = Sheet(y), Sheet(y)
    good, bad = np.array([0.0, 0.5, 1.0]), np.array([0.0, np.nan, np.inf])
    said = (
        "margins of boosting round {} must be finite; row 1 is nan (2 such rows)\n\n"
        "Hint: look at the start."
    )
    assert told(lambda: learn(bad, one)) == said.format(0)
    learn(np.zeros(3), one)
    # Data sets take turns, as the folds of a cross-validation do.
    learn(np.zeros(3), other)
    learn(good, one)
    learn(good, other)
    assert told(lambda: learn(bad, one)) == said.format(2)
    learn(np.zeros(3), one)
    assert told(lambda: learn(bad, one)) == said.format(1)
    assert told(lambda: learn(bad, other)) == said.format(2)
    learn(y, good)
    assert told(lambda: learn(y, bad)) == said.format(1)
    table = np.zeros((3, 3))
    table[2, 1] = np.nan
    assert told(lambda: objective(Brier())(y, table)) == (
        "margins of boosting round 0 must be finite; row 2, column 1 is nan\n\n"
        "Hint: look at the start."
    )


def test_labels_out_of_range_are_refused() -> None:
    one = "labels of one event must be 0 or 1; row {}\n\n"
    hint = "Hint: several classes need num_class, and an objective with one column a class."
    for label, found in (([0, 2, 3], "1 is 2 (2 such rows)"), ([0, 1, 0.5], "2 is 0.5")):
        assert told(lambda label=label: objective(Log())(label, np.zeros(3))) == (
            one.format(found) + hint
        )
    assert told(lambda: objective(Log())([0, np.nan, 1], np.zeros(3))) == (
        one.format("1 is nan") + hint
    )
    for label, found in (([0, 1, 3], "2 is 3"), ([-1, 1, 0], "0 is -1"), ([0, 0.5, 1], "1 is 0.5")):
        assert told(lambda label=label: objective(Log())(label, np.zeros((3, 3)))) == (
            f"labels must be class numbers from 0 to 2; row {found}"
        )
    assert told(lambda: objective(Log())([0, np.nan, 1], np.zeros((3, 3)))) == (
        "labels must be class numbers from 0 to 2; row 1 is nan"
    )


def test_shapes_that_do_not_fit_are_refused() -> None:
    said = (
        "there must be one label for each row of margins, which has one column a class; got labels of shape "  # noqa: E501
        "{} and margins of shape {}"
    )
    assert told(lambda: objective(Log())([0, 1], np.zeros(3))) == said.format("(2,)", "(3,)")
    assert told(lambda: objective(Log())([0, 1], np.zeros((2, 1, 1)))) == (
        said.format("(2,)", "(2, 1, 1)")
    )
    assert told(lambda: objective(Log())([], np.zeros(0))) == "boosting needs data; got 0 rows"
    assert told(lambda: objective(Bounded(Brier(), (0, 0.5)))([0, 1], np.zeros((2, 3)))) == (
        "Bounded(rule=Brier(), within=Interval(lower=0.0, upper=0.5), scale='mean') "
        "prices one event, which has one margin a row; got 3\n\n"
        "Hint: Ranked(rule) prices ordered classes; an event is trained without num_class."
    )
    assert told(lambda: objective(Log())([0, 1], np.zeros(2), [1, 2, 3])) == (
        "there must be one weight for each row; got 3 for 2"
    )


def test_slopes_that_are_not_finite_are_refused() -> None:
    assert told(lambda: objective(Steep())([0, 1], np.array([1.0, 40.0]))) == (
        "the slope and the curvature of Steep() must be finite at every margin; row 1 is 40.0\n\n"
        "Hint: a rule of infinite weight replaces the product in logit_weight by its limit."
    )


def test_margins_where_probabilities_are_expected_name_from_logits() -> None:
    for said, where in ((np.array([0.5, 1.5]), "row 1"), (np.array([[0.5, 0.5], [-1, 2]]), None)):
        place = where or "row 1, column 0"
        assert told(lambda said=said: mean_score(Brier(), [0, 1], said, from_logits=False)) == (
            f"with from_logits=False trees must return probabilities; {place} is "
            f"{1.5 if where else -1.0}\n\n"
            "Hint: with a custom objective the trees return margins: pass from_logits=True."
        )


def test_names_of_metrics_are_text() -> None:
    assert one_name(Brier(), None) == "brier"
    assert one_name(Brier(), "mean square") == "mean square"
    for name in ("", 3):
        assert told(lambda name=name: one_name(Brier(), name), ArgumentTypeError) == (
            f"name must be text; got {name!r}"
        )
    forgot: Any = Brier
    assert told(lambda: one_name(forgot, "brier"), ArgumentTypeError) == (
        "this needs a rule of properly.rules; got <class 'properly.rules._brier.Brier'>\n\n"
        "Hint: write the rule with parentheses, as in Brier(); parse_rule reads one from text."
    )
