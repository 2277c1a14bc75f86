"""Which yes-or-no questions a score of classes adds up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn, get_args

from properly.counts._reductions import cumulative, one_vs_rest, top_label
from properly.errors import ArgumentTypeError, DataError, ImproperRuleError
from properly.rules import BinaryRule, Brier, ClassRule, Log, Rule
from properly.rules._cuts import CutRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.counts._cases import Cases

View = Literal["cumulative", "one_vs_rest", "top_label"]
VIEWS: tuple[View, ...] = get_args(View)

LIKELIEST = "likeliest class"
OF_LIKELIEST = (
    "the score of the question 'did the likeliest class happen?'; "
    "it judges only the likeliest class, whatever was said of the others"
)
NOT_ONE = "recalibrated classes need not add up to 1"
NO_SUM = "a score of classes can be decomposed if it adds up scores of yes-or-no questions"
EXAMPLE = "view='one_vs_rest'"


def ask(cases: Cases, view: View) -> dict[str, Cases]:
    """Make the questions of a view, by name."""
    if view == "top_label":
        return {LIKELIEST: top_label(cases)}
    return cumulative(cases) if view == "cumulative" else one_vs_rest(cases)


class Plan(NamedTuple):
    """Which questions to ask, what rule to judge each by, how to add up, and what that means."""

    view: View
    rules: Sequence[BinaryRule]
    weights: Sequence[float]
    statement: str


def plan_for(rule: object, view: str, classes: int) -> Plan:
    """Find the questions whose scores add up to that of the rule."""
    if isinstance(rule, CutRule):
        return _plan_cuts(rule, view, classes)
    if not isinstance(rule, BinaryRule):
        _refuse(rule)
    if view == "auto" and not isinstance(rule, Brier | Log):
        _refuse_without_view(rule)
    return _plan_event(rule, view, classes)


def _plan_cuts(rule: CutRule, view: str, classes: int) -> Plan:
    if view not in ("auto", "cumulative"):
        message = f"a ranked rule adds up cuts, so its view is 'cumulative'; got view={view!r}"
        hint = "pass a rule for one event, such as Brier(), to ask other questions."
        raise DataError(message, hint=hint)
    how = "averaged" if rule.normalized else "added up"
    weighted = "" if rule.weights is None else " with the weights of the rule"
    shares = rule.shares(classes).tolist()
    return Plan("cumulative", rule.rules(classes), shares, _of_cuts(how + weighted))


def _plan_event(rule: BinaryRule, view: str, classes: int) -> Plan:
    if view == "top_label":
        return Plan("top_label", [rule], [1.0], OF_LIKELIEST)
    if view == "cumulative":
        cuts = classes - 1
        return Plan("cumulative", [rule] * cuts, [1 / cuts] * cuts, _of_cuts("averaged"))
    weight = rule.factor(classes) if isinstance(rule, Brier) else 1.0
    statement = _of_classes(rule, classes)
    return Plan("one_vs_rest", [rule] * classes, [weight] * classes, statement)


def _of_cuts(how: str) -> str:
    return (
        f"the score of the question 'this grade or higher?' at each cut, {how}; "
        "recalibrated cuts need not fit together into one distribution"
    )


def _of_classes(rule: BinaryRule, classes: int) -> str:
    """Say whether the sum over the classes is the score of the class; for Brier alone it is."""
    if isinstance(rule, Brier):
        over = {"sum": "", "mean": f", divided by {classes}", "half": ", divided by 2"}
        total = f"the sum of {classes} yes-or-no Brier scores{over[rule.scale]}"
        return f"{total}, which is the Brier score of the class; {NOT_ONE}"
    total = f"the sum of {classes} yes-or-no {rule.name} scores"
    if not isinstance(rule, ClassRule):
        return f"{total}, one a class; {NOT_ONE}"
    why = ": it also judges what was said of the classes that did not happen"
    known = why if isinstance(rule, Log) else ""
    return f"{total}, not the {rule.name} score of the class{known}; {NOT_ONE}"


def _refuse_without_view(rule: BinaryRule) -> NoReturn:
    if isinstance(rule, ClassRule):
        message = f"{NO_SUM}; {rule!r} of classes is no such sum"
    else:
        message = f"a rule for one event needs a view that says which event; got {rule!r} alone"
    hint = f"name a view to judge its questions: decompose_classes(cases, {rule!r}, {EXAMPLE})."
    raise DataError(message, hint=hint)


def _refuse(rule: object) -> NoReturn:
    """Refuse what is no rule, what is improper, and what adds up no questions."""
    if not isinstance(rule, Rule):
        message = f"this needs a rule; got {rule!r}"
        raise ArgumentTypeError(message, hint="write the rule with parentheses, as in RPS().")
    hint = f"pass a rule for one event and a view: decompose_classes(cases, Brier(), {EXAMPLE})."
    if not rule.is_proper:
        message = f"{NO_SUM}, and only if it is proper; {rule!r} is neither"
        raise ImproperRuleError(message, hint=hint)
    message = f"{NO_SUM}; {rule!r} is no such sum"
    raise DataError(message, hint=hint)
