"""Which yes-or-no questions a score of classes adds up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from properly import Cases
from properly.calibration import decompose
from properly.counts._reductions import VIEWS, ask, plan_for
from properly.errors import ArgumentTypeError, DataError, ImproperRuleError
from properly.rules import (
    PBS,
    PLL,
    RPS,
    Brier,
    Elementary,
    Log,
    Misclassification,
    QuadraticRPS,
    Ranked,
    RankedLog,
    Spherical,
    SquaredAbsoluteRPS,
    SquaredMeanError,
)

if TYPE_CHECKING:
    from properly.rules import Rule

CASES = Cases([0, 2, 1], [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]])


def test_views_have_names_for_their_questions() -> None:
    assert list(ask(CASES, "cumulative")) == ["1 or higher", "2"]
    assert list(ask(CASES, "one_vs_rest")) == ["0", "1", "2"]
    assert list(ask(CASES, "top_label")) == ["likeliest class"]


def test_each_question_has_its_rule() -> None:
    assert list(plan_for(RPS(), "auto", 4).rules) == [Brier()] * 3
    assert list(plan_for(RankedLog(), "auto", 4).rules) == [Log()] * 3
    assert list(plan_for(Ranked(Spherical()), "auto", 4).rules) == [Spherical()] * 3
    several = [Brier(), Log(), Elementary(0.2)]
    assert list(plan_for(Ranked(several), "cumulative", 4).rules) == several
    assert list(plan_for(Log(), "auto", 4).rules) == [Log()] * 4
    assert list(plan_for(Elementary(0.2), "top_label", 4).rules) == [Elementary(0.2)]


def test_weights_say_how_parts_add_up() -> None:
    def weights(rule: Any, view: Any = "auto") -> list[float]:
        return list(plan_for(rule, view, 4).weights)

    assert weights(RPS()) == pytest.approx([1 / 3] * 3)
    assert weights(RPS(normalized=False)) == [1.0] * 3
    assert weights(RPS(weights=[1, 2, 5])) == pytest.approx([0.125, 0.25, 0.625])
    assert weights(RPS(weights=[1, 2, 5], normalized=False)) == [1.0, 2.0, 5.0]
    assert weights(Brier()) == [1.0] * 4
    assert weights(Brier(scale="mean")) == [0.25] * 4
    assert weights(Brier(scale="half")) == [0.5] * 4
    assert weights(Log()) == [1.0] * 4
    assert weights(Brier(scale="half"), "cumulative") == pytest.approx([1 / 3] * 3)
    assert weights(Brier(scale="half"), "top_label") == [1.0]


GRADE = "the score of the question 'this grade or higher?' at each cut, "
CROSS = "; recalibrated cuts need not fit together into one distribution"
ONE = "; recalibrated classes need not add up to 1"
LIKELIEST = (
    "the score of the question 'did the likeliest class happen?'; it judges only the likeliest "
    "class, whatever was said of the others"
)
OTHERS = "it also judges what was said of the classes that did not happen"
STATEMENTS: list[tuple[Rule, str, str]] = [
    (RPS(), "cumulative", f"{GRADE}averaged{CROSS}"),
    (RankedLog(), "cumulative", f"{GRADE}averaged{CROSS}"),
    (RPS(normalized=False), "cumulative", f"{GRADE}added up{CROSS}"),
    (RPS(weights=[1, 2, 3]), "cumulative", f"{GRADE}averaged with the weights of the rule{CROSS}"),
    (
        RPS(weights=[1, 2, 3], normalized=False),
        "cumulative",
        f"{GRADE}added up with the weights of the rule{CROSS}",
    ),
    (Elementary(0.2), "cumulative", f"{GRADE}averaged{CROSS}"),
    (
        Brier(),
        "auto",
        f"the sum of 4 yes-or-no Brier scores, which is the Brier score of the class{ONE}",
    ),
    (
        Brier(scale="mean"),
        "auto",
        "the sum of 4 yes-or-no Brier scores, divided by 4, which is the Brier score of the class"
        + ONE,
    ),
    (
        Brier(scale="half"),
        "one_vs_rest",
        "the sum of 4 yes-or-no Brier scores, divided by 2, which is the Brier score of the class"
        + ONE,
    ),
    (
        Log(),
        "auto",
        f"the sum of 4 yes-or-no log scores, not the log score of the class: {OTHERS}{ONE}",
    ),
    (
        Spherical(),
        "one_vs_rest",
        f"the sum of 4 yes-or-no spherical scores, not the spherical score of the class{ONE}",
    ),
    (
        Elementary(0.2),
        "one_vs_rest",
        f"the sum of 4 yes-or-no elementary[0.2] scores, one a class{ONE}",
    ),
    (
        Log(),
        "top_label",
        LIKELIEST,
    ),
]


@pytest.mark.parametrize(("rule", "view", "statement"), STATEMENTS, ids=str)
def test_a_sentence_says_what_the_numbers_mean(rule: Any, view: Any, statement: str) -> None:
    plan = plan_for(rule, view, 4)
    assert plan.statement == statement
    assert plan.view == ("one_vs_rest" if view == "auto" else view)


@pytest.mark.parametrize("view", ["auto", *VIEWS])
@pytest.mark.parametrize("allow", [False, True])
@pytest.mark.parametrize(
    "rule", [SquaredAbsoluteRPS(), PBS(ties="any_correct"), PLL(ties="any_correct")], ids=repr
)
def test_an_improper_score_of_classes_is_refused_whatever_is_allowed(
    rule: Any, allow: bool, view: Any
) -> None:
    with pytest.raises(ImproperRuleError, match="is neither"):
        decompose(CASES, rule, reduction=None if view == "auto" else view, allow_improper=allow)


@pytest.mark.parametrize("rule", [PBS(), PLL(), SquaredMeanError(), QuadraticRPS()], ids=repr)
def test_what_adds_up_no_questions_is_refused(rule: Any) -> None:
    with pytest.raises(DataError, match=r"is no such sum\s+Hint: pass a rule for one event") as e:
        plan_for(rule, "auto", 4)
    assert not isinstance(e.value, ImproperRuleError)


@pytest.mark.parametrize("rule", [Spherical(), Misclassification()], ids=repr)
def test_a_score_that_is_no_sum_needs_a_view(rule: Any) -> None:
    with pytest.raises(DataError, match=r"is no such sum\s+Hint: name a reduction"):
        plan_for(rule, "auto", 4)


def test_a_rule_for_one_event_needs_to_be_told_which() -> None:
    with pytest.raises(DataError, match="needs a reduction that says which event"):
        plan_for(Elementary(0.2), "auto", 4)


@pytest.mark.parametrize("view", ["one_vs_rest", "top_label"])
def test_a_ranked_rule_has_one_view_only(view: Any) -> None:
    with pytest.raises(DataError, match="its reduction is 'cumulative'; got '"):
        plan_for(RPS(), view, 4)


@pytest.mark.parametrize("rule", [Brier, RPS, "rps", None])
def test_what_is_no_rule_is_refused(rule: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="this needs a rule; got"):
        plan_for(rule, "auto", 4)
