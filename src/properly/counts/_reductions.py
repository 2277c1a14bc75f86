"""Reductions of classes to events, and the plan by which a score of classes adds them up.

`cumulative`, `one_vs_rest` and `top_label` make yes-or-no questions of class probabilities.
`plan_for` finds, for a rule, the questions whose scores add up to its own, and their weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, NoReturn, get_args

from properly._boundary._chunks import sweep
from properly._boundary._classes import names_of_labels
from properly._boundary._libraries import namespace, without_gradient
from properly.counts._calls import takes_class_rows
from properly.counts._cases import Cases, event_among, require_classes
from properly.errors import ArgumentTypeError, DataError, ImproperRuleError
from properly.rules import BinaryRule, Brier, ClassRule, Log, Rule
from properly.rules._dual_rules import at_most_one
from properly.rules._penalty import decide_by_mode
from properly.rules._ranked_probability import CutRule
from properly.typing import Array

ALMOST_ONE = 1 - 2.0**-53
# Decimals that sums of probabilities are rounded to, above and below the limit; see `as_decimals`.
DECIMALS, MORE_DECIMALS, LIMIT, RARE = 1e12, 1e15, 1e-3, 1e-6
View = Literal["cumulative", "one_vs_rest", "top_label"]
VIEWS: tuple[View, ...] = get_args(View)
LIKELIEST = "likeliest class"
OF_LIKELIEST = (
    "the score of the question 'did the likeliest class happen?'; "
    "it judges only the likeliest class, whatever was said of the others"
)
NOT_ONE = "recalibrated classes need not add up to 1"
NO_SUM = "a score of classes can be decomposed if it adds up scores of yes-or-no questions"
EXAMPLE = "reduction='one_vs_rest'"


@takes_class_rows
def cumulative(cases: Cases) -> dict[str, Cases]:
    r"""Ask of each class but the first whether it was this one or higher.

    .. math:: z_k = 1\{y \ge k\}, \quad q_k = \sum_{j \ge k} p_j, \qquad k = 1, \dots, K - 1.

    Parameters
    ----------
    cases : Cases
        Cases of ordered classes, with one column of probabilities a class, the lowest first.

    Returns
    -------
    dict of Cases by question
        One for each of the K - 1 cuts, named after the class above it. Weights, clusters, times
        and groups come along.

    Notes
    -----
    Whatever judges forecasts of one event judges each of these: `properly.decompose`,
    `properly.reliability`, `properly.regret_curve` and all others. The ranked probability score is
    the mean of the Brier scores of the questions.

    Equal decimals stay equal: 0.1 + 0.2 and 0.3 are the same forecast, though their doubles differ.
    So do equal fractions, such as shares of an ensemble: 1/30 + 4/30 and 5/30. Sums are rounded to
    12 decimals, and to 15 below 0.001; sums below a millionth stay as they are.

    Examples
    --------
    >>> import properly
    >>> cases = properly.Cases(
    ...     ["mild", "severe"],
    ...     [[0.7, 0.1, 0.2], [0.1, 0.6, 0.3]],
    ...     labels=["mild", "moderate", "severe"],
    ... )
    >>> questions = properly.cumulative(cases)
    >>> list(questions)
    ['moderate or higher', 'severe']
    >>> questions["moderate or higher"].p
    array([0.3, 0.9])
    >>> questions["moderate or higher"].y
    array([False,  True])
    """
    cases = require_classes(cases)
    names, tails = names_of_cuts(cases.labels or ()), upper_tails(cases.p)
    return {
        name: event_among(cases, cases.y > k, tail)
        for k, (name, tail) in enumerate(zip(names, tails, strict=True))
    }


def names_of_cuts(labels: Sequence[Any]) -> list[str]:
    """Name the cuts after the class above each."""
    *between, highest = names_of_labels(labels)[1:]
    names = [*(f"{name} or higher" for name in between), highest]
    if len(set(names)) < len(names):
        names = [f"class {k} or higher" for k in range(1, len(names) + 1)]
    return names


@takes_class_rows
def one_vs_rest(cases: Cases) -> dict[str, Cases]:
    r"""Ask of each class whether it was this one.

    .. math:: z_k = 1\{y = k\}, \quad q_k = p_k, \qquad k = 0, \dots, K - 1.

    Parameters
    ----------
    cases : Cases
        Cases of classes, with one column of probabilities a class.

    Returns
    -------
    dict of Cases by class
        One for each of the K classes. Weights, clusters, times and groups come along.

    Notes
    -----
    The Brier score of classes is the sum of the Brier scores of the questions. The log score of
    classes is no such sum: it looks only at the class that happened.

    Examples
    --------
    >>> import properly
    >>> cases = properly.Cases([2, 0], [[0.5, 0.25, 0.25], [0.75, 0.25, 0.0]])
    >>> questions = properly.one_vs_rest(cases)
    >>> list(questions)
    ['0', '1', '2']
    >>> questions["2"].y, questions["2"].p
    (array([ True, False]), array([0.25, 0.  ]))
    """
    cases = require_classes(cases)
    return {
        name: event_among(cases, cases.y == k, at_most_one(cases.p[:, k]))
        for k, name in enumerate(names_of_labels(cases.labels or ()))
    }


@takes_class_rows
def top_label(cases: Cases) -> Cases:
    r"""Ask of each case whether its likeliest class happened.

    .. math:: z = 1\{y = \hat y\}, \quad q = p_{\hat y}, \qquad
        \hat y = \operatorname{argmax}_k p_k,

    the class of the lowest number if several are likeliest.

    Parameters
    ----------
    cases : Cases
        Cases of classes, with one column of probabilities a class.

    Returns
    -------
    Cases
        Weights, clusters, times and groups come along.

    Notes
    -----
    Forecasts that are calibrated here are said to have calibrated confidence [1]_. That is little:
    all but the likeliest class of each case are ignored, and whichever class is likeliest, its
    cases are pooled with those of the others.

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger (2017). On calibration of modern neural
       networks. Proceedings of Machine Learning Research 70:1321-1330.
       `arXiv:1706.04599 <https://arxiv.org/abs/1706.04599>`__

    Examples
    --------
    >>> import properly
    >>> cases = properly.Cases([2, 0], [[0.5, 0.25, 0.25], [0.75, 0.25, 0.0]])
    >>> question = properly.top_label(cases)
    >>> question.y, question.p
    (array([False,  True]), array([0.5 , 0.75]))
    """
    cases = require_classes(cases)
    happened = cases.y == decide_by_mode(cases.p)
    return event_among(cases, happened, at_most_one(namespace(cases.p).max(cases.p, axis=1)))


def upper_tails(p: Array) -> list[Array]:
    """Return the probability above each cut, lowest cut first, in double precision."""
    xp = namespace(p)
    pieces = sweep(_tails, without_gradient(p))
    columns = ([tails[:, k] for tails in pieces] for k in range(int(p.shape[1]) - 1))
    return [xp.concat(x) if len(x) > 1 else x[0] for x in columns]


def _tails(p: Array) -> Array:
    xp = namespace(p)
    p = xp.astype(p, xp.float64)
    lower = xp.cumulative_sum(p[:, :-1], axis=1)
    upper = xp.flip(xp.cumulative_sum(xp.flip(p[:, 1:], axis=1), axis=1), axis=1)
    return _above(as_decimals(lower), as_decimals(upper))


def as_decimals(p: Array) -> Array:
    """Round sums of probabilities to 12 decimals, those below 0.001 to 15, so that ties stay ties.

    The doubles nearest to 0.1 and 0.2 do not add up to the one nearest to 0.3, and recalibration
    pools equal forecasts. Sums below a millionth stay as they are: rounding would cost them digits.
    """
    xp = namespace(p)
    scale = xp.where(p >= LIMIT, xp.full_like(p, DECIMALS), xp.full_like(p, MORE_DECIMALS))
    return xp.where(p >= RARE, xp.round(p * scale) / scale, p)


def complement(p: Array) -> Array:
    """Return one minus a probability: of 0.07 the number that 0.93 is read as.

    It is 0 only if the probability is 1.
    """
    xp, rest = namespace(p), 1 - p
    decimal = xp.round(rest * MORE_DECIMALS) / MORE_DECIMALS
    near = (xp.abs(decimal - rest) <= (1 - ALMOST_ONE) * (1 + 2 * p)) & (decimal > 0)
    return xp.where(near, decimal, rest)


def _above(lower: Array, upper: Array) -> Array:
    """Take the probability above a cut from the smaller side, which has more digits.

    So it is exactly 0 or 1 if nothing above or below is possible, although rows sum to 1 only
    nearly; and if something below is possible, however unlikely, it is less than 1.
    """
    xp = namespace(upper)
    likely = complement(lower)
    uncertain = xp.where(likely < 1, likely, xp.full_like(likely, ALMOST_ONE))
    return xp.where(upper <= lower, upper, xp.where(lower > 0, uncertain, likely))


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
        message = f"{NO_SUM}; {rule!r} of classes is no such sum"
        if not isinstance(rule, ClassRule):
            message = (
                f"a rule for one event needs a reduction that says which event; got {rule!r} alone"
            )
        hint = f"name a reduction to judge its questions: decompose(cases, {rule!r}, {EXAMPLE})."
        raise DataError(message, hint=hint)
    return _plan_event(rule, view, classes)


def _plan_cuts(rule: CutRule, view: str, classes: int) -> Plan:
    if view not in ("auto", "cumulative"):
        message = f"a ranked rule adds up cuts, so its reduction is 'cumulative'; got {view!r}"
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
    reason = why if isinstance(rule, Log) else ""
    return f"{total}, not the {rule.name} score of the class{reason}; {NOT_ONE}"


def _refuse(rule: object) -> NoReturn:
    """Refuse what is no rule, what is improper, and what adds up no questions."""
    if not isinstance(rule, Rule):
        message = f"this needs a rule; got {rule!r}"
        raise ArgumentTypeError(message, hint="write the rule with parentheses, as in RPS().")
    hint = f"pass a rule for one event and a reduction: decompose(cases, Brier(), {EXAMPLE})."
    if not rule.is_proper:
        message = f"{NO_SUM}, and only if it is proper; {rule!r} is neither"
        raise ImproperRuleError(message, hint=hint)
    message = f"{NO_SUM}; {rule!r} is no such sum"
    raise DataError(message, hint=hint)


def refuse_reduction(reduction: object) -> None:
    """Refuse to make questions of what is one already."""
    if reduction is not None:
        message = "reduction says which questions to ask of several classes; "
        message += f"these cases have one event, got reduction={reduction!r}"
        raise DataError(message)
