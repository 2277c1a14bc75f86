"""Who is better than whom, as far as that can be told.

Which model to use, and how much better it is than the next.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, cast

from properly._boundary._record import printable
from properly.comparison._pairs import told_apart
from properly.evaluation._verdict._findings import against_none
from properly.evaluation._verdict._words import (
    NAMED,
    chance,
    counted,
    digits_apart,
    ends_of,
    few,
    named,
    saved,
    scope_of,
    sure,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.comparison._pairs import Comparison, Pair
    from properly.evaluation._record import Evaluation
    from properly.evaluation._verdict._words import Scope
    from properly.inference._estimate import Estimate


# Names that stand in a headline at most.
SHORT = 3


def headline(found: Standing) -> str:
    """Say in one short sentence what to do."""
    short, without = found.scope.short, found.scope.without
    if len(found.models) == 1:
        return _headline_of_one(found)
    if not found.order:
        return f"{_infinite(found)}: nothing can be told."
    if not any(map(found.is_useful, found.order)):
        return f"No model can be shown to be better than {without}, {short}."
    if len(found.order) == 1:
        return f"{_infinite(found)}; {printable(found.order[0])} has not."
    if all(map(found.is_useful, found.top)) and not found.infinite and _is_advice(found):
        return _use(found) if len(found.top) == 1 else _use_any(found)
    clauses = [_clause(found, short, SHORT), _doubt(found), _better_than(found, SHORT)]
    return f"{'; '.join(clause for clause in [*clauses, _infinite(found)] if clause)}."


def choice(found: Standing) -> str:
    """Say the same with how far off it may be."""
    if len(found.models) == 1:
        return _choice_of_one(found)
    if not found.order:
        return f"{_infinite(found)}: nothing can be told by it."
    if len(found.order) == 1:
        only = printable(found.order[0])
        return f"{_infinite(found)}; {only} has not. By this score, no more can be told."
    clauses = [_by_how_much(found), _better_than(found), _only_best(found), _infinite(found)]
    details = "; ".join(clause for clause in clauses if clause)
    return f"{_clause(found, found.scope.long)}: {details}."


def _headline_of_one(found: Standing) -> str:
    (name,), without, short = found.models, found.scope.without, found.scope.short
    model = printable(name)
    if found.infinite:
        return f"{_infinite(found)}: it was certain of what turned out otherwise."
    if found.is_useful(name):
        return f"{model} is better than {without}, {short}."
    if found.is_harmful(name):
        return f"Better no model: {model} is worse than {without}, {short}."
    return f"It cannot be told whether {model} is better than {without}, {short}."


def _choice_of_one(found: Standing) -> str:
    if found.infinite:
        return f"{_infinite(found)}; {found.scope.without} has a finite one."
    return against_none(found, found.models, f", {found.scope.long}")


def _use(found: Standing) -> str:
    best, scope = printable(found.order[0]), found.scope
    others = _others(found, found.order[1:], SHORT)
    if scope.ranged:
        return f"Use {best} {scope.short}: it is better than {others}."
    return f"Use {best}: {scope.short}, it is better than {others}."


def _is_advice(found: Standing) -> bool:
    """Tell whether one model is best, or a few as good as each other are better than others."""
    alike = len(found.top) <= SHORT and found.top_is_alike and bool(found.beaten)
    return len(found.top) == 1 or alike


def _use_any(found: Standing) -> str:
    *some, last = map(printable, found.top)
    any_of, scope = f"{', '.join(some)} or {last}", found.scope
    where = f"Use {any_of} {scope.short}:" if scope.ranged else f"Use {any_of}: {scope.short},"
    return f"{where} they cannot be told apart, and {_better_than(found, SHORT)}."


def _clause(found: Standing, where: str, most: int = NAMED) -> str:
    """Say which model is best, or which cannot be told apart."""
    best, *tied = found.top
    if not tied:
        return f"{printable(best)} is better than {_others(found, found.order[1:], most)} {where}"
    if not found.top_is_alike:
        return f"{printable(best)} cannot be told apart from {named(tied, most)} {where}"
    if len(found.top) > most and len(found.top) == len(found.models):
        return f"The {counted(len(found.top))} models cannot be told apart {where}"
    return f"{named(found.top, most)} cannot be told apart {where}"


def _doubt(found: Standing) -> str:
    """Say of a model that is better than all others if it may be no better than none."""
    if len(found.top) > 1 or found.is_useful(found.order[0]):
        return ""
    return "whether it is better than no model cannot be told"


def _better_than(found: Standing, most: int = NAMED) -> str:
    """Say which models those at the top are better than, if several are there."""
    top = found.top
    if len(top) == 1:
        return ""
    if found.top_is_alike and found.beaten:
        who = "both" if len(top) == 2 else f"all {counted(len(top))}"
        return f"{who} are better than {_others(found, found.beaten, most)}"
    # The best is better than each that is not of the top, or it would be there.
    rest = [name for name in found.order if name not in top]
    return f"{printable(top[0])} is better than {_others(found, rest, most)}" if rest else ""


def _only_best(found: Standing) -> str:
    """Say which further models the best is better than, though not all of the top are."""
    if not (found.top_is_alike and found.beaten):
        return ""
    rest = [name for name in found.order if name not in (*found.top, *found.beaten)]
    return f"{printable(found.top[0])} is better than {named(rest)} too" if rest else ""


def _others(found: Standing, names: Sequence[str], most: int) -> str:
    """Name some models, but count them if they are many."""
    if len(names) < most:
        return named(names, most)
    if len(found.models) - len(found.top) == len(names):
        return f"the other {counted(len(names))} models"
    return f"{counted(len(names))} other models"


def _infinite(found: Standing) -> str:
    """Name the models of infinite scores."""
    if not found.infinite:
        return ""
    if not found.order and len(found.infinite) > SHORT:
        return f"All {counted(len(found.infinite))} models have an infinite {found.scope.base}"
    have = "has" if len(found.infinite) == 1 else "have"
    return f"{named(found.infinite, SHORT)} {have} an infinite {found.scope.base}"


def _by_how_much(found: Standing) -> str:
    """Say how much better the best is than the next, and between which limits."""
    best, rival = (found.top if len(found.top) > 1 else found.order)[:2]
    pair = found.pair(rival, best)
    if pair.differing == 0 and pair.difference == 0:
        return f"the losses of {named([best, rival])} never differ"
    digits = digits_apart(pair.interval)
    told = f"{_lower(found, best, rival)}, by {few(pair.difference, digits)}"
    if not pair.standard_error > 0:
        return f"{told}, without a standard error"
    told = f"{told} ({_interval(found, pair)})"
    if pair.ratio > 0 and found.beats(best, rival):
        told += f", that is by {saved(1 - 1 / pair.ratio)}"
    return told


def _lower(found: Standing, best: str, rival: str) -> str:
    """Say which score is lower, and than which if that is not plain."""
    several = len(found.top) > 1
    who = f"{printable(best)} has" if several else "it has"
    if len(found.top if several else found.order) == 2:
        return f"{who} the lower {found.scope.score}"
    next_best = ", the next best" if rival == found.order[1] else ""
    return f"{who} a lower {found.scope.score} than {printable(rival)}{next_best}"


def _interval(found: Standing, pair: Pair) -> str:
    """Write the interval that goes with what is said: that of all pairs if only it holds zero."""
    low, high = pair.interval
    if low <= 0 <= high or pair.adjusted_p_value <= 1 - found.level:
        return f"{sure(found.level)} {ends_of(pair.interval)}"
    pairs = 1 if found.comparison is None else len(found.comparison)
    allowing = f", allowing for {counted(pairs)} comparisons" if pairs > 1 else ""
    flips = " by sign flips" if pair.method.startswith("sign flips") else ""
    test = f"p {chance(pair.adjusted_p_value)}{flips}{allowing}"
    if pairs == 1:
        return f"{sure(found.level)} {ends_of(pair.interval)}; {test}"
    return f"{sure(found.level)} for all pairs {ends_of(pair.simultaneous)}; {test}"


@dataclass(frozen=True)
class Standing:
    """Models in the order of the score that counts, and which of them can be told apart.

    Attributes
    ----------
    order : tuple of str
        Models with a finite score, the best first.
    infinite : tuple of str
        The others.
    comparison : Comparison or None
        All pairs of models by that score; None of one model.
    skills : dict of Estimate
        By model: what share of the loss of saying the event rate each time it saves.
    scope : Scope
        What the score looks at, in words.
    level : float
        How sure to be.
    """

    order: tuple[str, ...]
    infinite: tuple[str, ...]
    comparison: Comparison | None
    skills: dict[str, Estimate]
    scope: Scope
    level: float

    @property
    def models(self) -> tuple[str, ...]:
        """All models, those of infinite scores last."""
        return (*self.order, *self.infinite)

    @property
    def top(self) -> tuple[str, ...]:
        """The best model, and those that it cannot be told apart from."""
        if not self.order:
            return ()
        best, *others = self.order
        return (best, *(name for name in others if not self.beats(best, name)))

    @property
    def beaten(self) -> tuple[str, ...]:
        """The models that each of the top is better than."""
        top = self.top
        others = (name for name in self.order if name not in top)
        return tuple(x for x in others if all(self.beats(name, x) for name in top))

    @property
    def top_is_alike(self) -> bool:
        """Whether no two of the top can be told apart."""
        pairs = combinations(self.top, 2)
        return not any(self.beats(a, b) or self.beats(b, a) for a, b in pairs)

    def pair(self, one: str, other: str) -> Pair:
        """Return the comparison of two models."""
        return cast("Comparison", self.comparison)[one, other]

    def beats(self, one: str, other: str) -> bool:
        """Tell whether one model is better than another, allowing for the other pairs."""
        pair = self.pair(one, other)
        # An infinite difference, or one without a standard error, has nothing to be told by.
        known = pair.standard_error > 0 and -math.inf < pair.difference < 0
        return known and told_apart(pair, 1 - self.level)

    def is_useful(self, name: str) -> bool:
        """Tell whether a model is better than saying the event rate each time."""
        return self.skills[name].interval[0] > 0

    def is_harmful(self, name: str) -> bool:
        """Tell whether it is worse."""
        return self.skills[name].interval[1] < 0


def standing_of(evaluation: Evaluation) -> Standing:
    """Read from an evaluation who is better than whom."""
    primary = evaluation.primary
    scores = {name: by_rule[primary].value for name, by_rule in evaluation.scores.items()}
    finite = [name for name, score in scores.items() if math.isfinite(score)]
    rule = next(rule for rule in evaluation.rules if rule.name == primary)
    return Standing(
        tuple(sorted(finite, key=scores.__getitem__)),
        tuple(name for name in scores if name not in finite),
        evaluation.comparisons.get(primary),
        {name: by_rule[primary] for name, by_rule in evaluation.skills.items()},
        scope_of(rule, classes=evaluation.task != "binary"),
        evaluation.level,
    )
