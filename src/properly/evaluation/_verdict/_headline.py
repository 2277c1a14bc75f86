"""The headline of a verdict: which model to use, and how much better it is than the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from properly._boundary._text import NAMED, counted, listed, printable
from properly.comparison._pairs import interval_name, is_significant
from properly.evaluation._phrases import begun, chance, digits_apart, ends_of, few, saved
from properly.evaluation._verdict._findings import against_none

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.comparison._pairs import Comparison, Pair
    from properly.evaluation._verdict._standing import Standing


# Names that stand in a headline at most.
SHORT = 3


class Headline(NamedTuple):
    """What to do, in a few words, and why."""

    claim: str
    reason: str = ""
    joint: str = ": "

    def __str__(self) -> str:
        return f"{self.claim}{self.joint if self.reason else ''}{self.reason}."


def headline(standing: Standing) -> Headline:
    """Say in one short sentence what to do."""
    short = standing.scope.short
    if len(standing.models) == 1:
        return _headline_of_one(standing)
    if not standing.order:
        return Headline(_infinite(standing), "nothing can be told")
    if not any(map(standing.is_useful, standing.order)):
        return Headline(f"None can be shown to be better than no model, {short}")
    if len(standing.order) == 1:
        return Headline(_infinite(standing), f"{printable(standing.order[0])} has not", "; ")
    if _is_advice(standing):
        return _use(standing) if len(standing.top) == 1 else _use_any(standing)
    reasons = [
        _doubt(standing),
        _better_than(standing, SHORT),
        _infinite(standing),
        _certain(standing.top, standing),
    ]
    return Headline(_clause(standing, short, SHORT), "; ".join(filter(None, reasons)), "; ")


def choice(standing: Standing) -> str:
    """Say the same with how far off it may be."""
    if len(standing.models) == 1:
        return _choice_of_one(standing)
    if not standing.order:
        return f"{_infinite(standing)}: nothing can be told by it."
    if len(standing.order) == 1:
        only = printable(standing.order[0])
        return f"{_infinite(standing)}; {only} has not. By this score, no more can be told."
    clauses = [
        _by_how_much(standing),
        _better_than(standing),
        _only_best(standing),
        _infinite(standing),
    ]
    claim = f"{_clause(standing, standing.scope.long)}."
    more = (f"{begun(clause, standing.models)}." for clause in clauses if clause)
    return " ".join([claim, *more])


def _headline_of_one(standing: Standing) -> Headline:
    (name,), short = standing.models, standing.scope.short
    model = printable(name)
    if standing.infinite:
        return Headline(_infinite(standing), "it was certain of what turned out otherwise")
    if standing.is_flawless(name):
        seen = "make sure that it never saw the outcomes"
        return Headline(f"{model} made no loss at all, {short}", seen)
    if standing.is_useful(name):
        return Headline(f"{model} is better than no model, {short}")
    if standing.is_harmful(name):
        return Headline("Better no model", f"{model} is worse, {short}")
    return Headline(f"It cannot be told whether {model} is better than no model, {short}")


def _choice_of_one(standing: Standing) -> str:
    if standing.infinite:
        return f"{_infinite(standing)}; without a model, it is finite."
    return against_none(standing, standing.models, f", {standing.scope.long}")


def _use(standing: Standing) -> Headline:
    others = _others(standing, standing.order[1:], SHORT)
    return _advice(standing, printable(standing.order[0]), f"it is better than {others}")


def _advice(standing: Standing, which: str, reason: str) -> Headline:
    """Say for what to use a model: for a range of thresholds, or by a score."""
    if standing.scope.ranged:
        return Headline(f"Use {which} {standing.scope.short}", reason)
    return Headline(f"Use {which}", f"{standing.scope.short}, {reason}")


def _is_advice(standing: Standing) -> bool:
    """Tell whether one model is best, or a few are alike; whoever uses them must gain by it.

    A model that was certain and wrong is not advised, however good its score.
    """
    if standing.infinite or not all(map(standing.is_useful, standing.top)):
        return False
    alike = len(standing.top) <= SHORT and standing.top_is_alike
    # What is not of the top is worse than each of them, and not than the best alone.
    settled = len(standing.top) == 1 or bool(standing.beaten) or standing.top == standing.order
    return alike and settled and not {*standing.top} <= {*standing.wrong}


def _use_any(standing: Standing) -> Headline:
    *some, last = (printable(name) for name in standing.top if name not in standing.wrong)
    which = f"{', '.join(some)} or {last}" if some else last
    than_none = f"{_both(standing.top)} are better than no model"
    reason = f"they cannot be told apart, and {_better_than(standing, SHORT) or than_none}"
    also = f"cannot be told apart from {'them' if some else 'it'}, and "
    return _advice(standing, which, _certain(standing.top, standing, also) or reason)


def _certain(names: Sequence[str], standing: Standing, also: str = "") -> str:
    """Name those of some models that were certain and wrong."""
    wrong = [name for name in names if name in standing.wrong]
    be = "was" if len(wrong) == 1 else "were"
    return f"{listed(wrong, SHORT)} {also}{be} certain and wrong" if wrong else ""


def _clause(standing: Standing, where: str, most: int = NAMED) -> str:
    """Say which model is best, or which cannot be told apart."""
    best, *tied = standing.top
    if not tied:
        others = _others(standing, standing.order[1:], most)
        return f"{printable(best)} is better than {others} {where}"
    if not standing.top_is_alike:
        return f"{printable(best)} cannot be told apart from {listed(tied, most)} {where}"
    if len(standing.top) > most and len(standing.top) == len(standing.models):
        return f"The {counted(len(standing.top))} models cannot be told apart {where}"
    return f"{listed(standing.top, most)} cannot be told apart {where}"


def _doubt(standing: Standing) -> str:
    """Say of a model that is better than all others if it may be no better than none."""
    if len(standing.top) > 1 or standing.is_useful(standing.order[0]):
        return ""
    return "whether it is better than no model cannot be told"


def _better_than(standing: Standing, most: int = NAMED) -> str:
    """Say which models those at the top are better than, if several are there."""
    top = standing.top
    if len(top) == 1:
        return ""
    if standing.top_is_alike and standing.beaten:
        return f"{_both(top)} are better than {_others(standing, standing.beaten, most)}"
    # The best is better than each that is not of the top, or it would be there.
    rest = [name for name in standing.order if name not in top]
    return f"{printable(top[0])} is better than {_others(standing, rest, most)}" if rest else ""


def _both(names: Sequence[str]) -> str:
    return "both" if len(names) == 2 else f"all {counted(len(names))}"


def _only_best(standing: Standing) -> str:
    """Say which further models the best is better than, though not all of the top are."""
    if not (standing.top_is_alike and standing.beaten):
        return ""
    rest = [name for name in standing.order if name not in (*standing.top, *standing.beaten)]
    return f"{printable(standing.top[0])} is better than {listed(rest)} too" if rest else ""


def _others(standing: Standing, names: Sequence[str], most: int) -> str:
    """Name some models, but count them if they are many."""
    if len(names) < most:
        return listed(names, most)
    if len(standing.models) - len(standing.top) == len(names):
        return f"the other {counted(len(names))} models"
    return f"{counted(len(names))} other models"


def _infinite(standing: Standing) -> str:
    """Name the models of infinite scores."""
    if not standing.infinite:
        return ""
    if not standing.order and len(standing.infinite) > SHORT:
        return (
            f"All {counted(len(standing.infinite))} models have an infinite {standing.scope.base}"
        )
    have = "has" if len(standing.infinite) == 1 else "have"
    return f"{listed(standing.infinite, SHORT)} {have} an infinite {standing.scope.base}"


def _by_how_much(standing: Standing) -> str:
    """Say how much better the best is than the next, and between which limits."""
    best, rival = (standing.top if len(standing.top) > 1 else standing.order)[:2]
    pair = standing.pair(rival, best)
    if pair.differing == 0 and pair.difference == 0:
        return f"the losses of {listed([best, rival])} never differ"
    digits = digits_apart(pair.simultaneous)
    advantage = f"{_lower(standing, best, rival)}, by {few(pair.difference, digits)}"
    if standing.is_constant(best, rival):
        return f"{advantage} in each case"
    if not pair.standard_error > 0:
        return f"{advantage}, without a standard error"
    advantage = f"{advantage} ({_interval(standing, pair)})"
    if pair.ratio > 0 and standing.beats(best, rival):
        advantage += f", that is by {saved(1 - 1 / pair.ratio)}"
    return advantage


def _lower(standing: Standing, best: str, rival: str) -> str:
    """Say which score is lower, and than which if that is not plain."""
    several = len(standing.top) > 1
    who = f"{printable(best)} has" if several else "it has"
    if len(standing.top if several else standing.order) == 2:
        return f"{who} the lower {standing.scope.score}"
    next_best = ", the next best" if rival == standing.order[1] else ""
    return f"{who} a lower {standing.scope.score} than {printable(rival)}{next_best}"


def _interval(standing: Standing, pair: Pair) -> str:
    """Write the interval that decides, and the test where it is not that of the interval."""
    name = interval_name(cast("Comparison", standing.comparison))
    written = f"{name} {ends_of(pair.simultaneous)}"
    low, high = pair.interval
    if is_significant(pair) or low <= 0 <= high or not pair.method.startswith("sign flips"):
        return written
    p = chance(pair.adjusted_p_value, is_bound=pair.adjusted_p_is_bound)
    return f"{written}; p {p} by sign flips"
