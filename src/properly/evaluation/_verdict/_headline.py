"""Who is better than whom, and the headline: which model to use, and how much better it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

from properly._boundary._text import NAMED, counted, listed, printable
from properly.comparison import Comparison
from properly.comparison._pairs import Pair, interval_name, is_significant
from properly.evaluation import _phrases as say
from properly.evaluation._phrases import Scope
from properly.evaluation._record import Evaluation
from properly.inference import Estimate

# So many cases in a row that speak for the same model are no chance.
ENOUGH = 20


@dataclass(frozen=True)
class ModelStanding:
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
        By model: what share of the loss of no model it saves.
    scope : Scope
        What the score looks at, in words.
    level : float
        How sure to be.
    cases : int
        How many cases there are.
    wrong : tuple of str
        Models that were certain of what did not happen, however rarely.
    """

    order: tuple[str, ...]
    infinite: tuple[str, ...]
    comparison: Comparison | None
    skills: dict[str, Estimate]
    scope: Scope
    level: float
    cases: int
    wrong: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """All models, those of infinite scores last."""
        return (*self.order, *self.infinite)

    @cached_property
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
        """Return whether one model is better than another, adjusted for all pairs."""
        pair = self.pair(one, other)
        if self.is_constant(one, other):
            return pair.difference < 0
        # An infinite difference, or one without a standard error, has nothing to be told by.
        is_lower = pair.standard_error > 0 and -math.inf < pair.difference < 0
        return is_lower and is_significant(pair)

    def is_constant(self, one: str, other: str) -> bool:
        """Tell whether one model is better than another by as much in each of many cases."""
        pair = self.pair(one, other)
        each = pair.standard_error == 0 and pair.differing == self.cases >= ENOUGH
        return each and math.isfinite(pair.difference)

    def against_none(self, name: str) -> AgainstNone:
        """Return how a model compares with no model."""
        skill = self.skills[name]
        if skill.value == 1 and self.cases >= ENOUGH:
            return "flawless"
        low, high = skill.interval
        lacks = math.isnan(low) or math.isnan(high)
        return "useful" if low > 0 else "harmful" if high < 0 else "unknown" if lacks else "open"

    def is_useful(self, name: str) -> bool:
        """Return whether a model is better than no model."""
        return self.against_none(name) in ("flawless", "useful")


def standing_of(evaluation: Evaluation) -> ModelStanding:
    """Read from an evaluation who is better than whom."""
    primary = evaluation.primary
    scores = {name: by_rule[primary].value for name, by_rule in evaluation.scores.items()}
    finite = [name for name, score in scores.items() if math.isfinite(score)]
    rule = next(rule for rule in evaluation.rules if rule.name == primary)
    return ModelStanding(
        tuple(sorted(finite, key=scores.__getitem__)),
        tuple(name for name in scores if name not in finite),
        evaluation.comparisons.get(primary),
        {name: by_rule[primary] for name, by_rule in evaluation.skills.items()},
        say.scope_of(rule, classes=evaluation.task != "binary"),
        evaluation.level,
        evaluation.rows,
        tuple(name for name in scores if _is_wrong(evaluation, name)),
    )


def _is_wrong(evaluation: Evaluation, name: str) -> bool:
    """Tell whether a model was certain of what did not happen."""
    if evaluation.certain is not None:
        return name in evaluation.certain and evaluation.certain[name].wrong > 0
    return any(x.infinite_cases for x in evaluation.scores[name].values())


AgainstNone: TypeAlias = Literal["flawless", "useful", "harmful", "open", "unknown"]
# In the order in which models are listed.
AGAINST_NONE: tuple[AgainstNone, ...] = get_args(AgainstNone)
# Names that stand in a headline at most.
SHORT = 3


class Headline(NamedTuple):
    """What to do, in a few words, and why."""

    claim: str
    reason: str = ""
    joint: str = ": "

    def __str__(self) -> str:
        return f"{self.claim}{self.joint if self.reason else ''}{self.reason}."


def headline(standing: ModelStanding) -> Headline:
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
        return _use(standing)
    in_doubt = len(standing.top) == 1 and not standing.is_useful(standing.order[0])
    reasons = [
        "whether it is better than no model cannot be told" if in_doubt else "",
        _better_than(standing, SHORT),
        _infinite(standing),
        _certain(standing.top, standing),
    ]
    return Headline(_clause(standing, short, SHORT), "; ".join(filter(None, reasons)), "; ")


def choice(standing: ModelStanding) -> str:
    """Say the same with how far off it may be."""
    if len(standing.models) == 1:
        if standing.infinite:
            return f"{_infinite(standing)}; without a model, it is finite."
        return against_none(standing, standing.models, f", {standing.scope.long}")
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
    more = (f"{say.begun(clause, standing.models)}." for clause in clauses if clause)
    return " ".join([claim, *more])


def _headline_of_one(standing: ModelStanding) -> Headline:
    (name,), short = standing.models, standing.scope.short
    model = printable(name)
    if standing.infinite:
        return Headline(_infinite(standing), "it was certain of what turned out otherwise")
    seen = "make sure that it never saw the outcomes"
    said = {
        "flawless": Headline(f"{model} made no loss at all, {short}", seen),
        "useful": Headline(f"{model} is better than no model, {short}"),
        "harmful": Headline("Better no model", f"{model} is worse, {short}"),
    }
    open_ = Headline(f"It cannot be told whether {model} is better than no model, {short}")
    return said.get(standing.against_none(name), open_)


def _advice(standing: ModelStanding, which: str, reason: str) -> Headline:
    """Say for what to use a model: for a range of thresholds, or by a score."""
    if standing.scope.ranged:
        return Headline(f"Use {which} {standing.scope.short}", reason)
    return Headline(f"Use {which}", f"{standing.scope.short}, {reason}")


def _is_advice(standing: ModelStanding) -> bool:
    """Tell whether one model is best, or a few are alike; whoever uses them must gain by it.

    A model that was certain and wrong is not advised, however good its score.
    """
    if standing.infinite or not all(map(standing.is_useful, standing.top)):
        return False
    alike = len(standing.top) <= SHORT and standing.top_is_alike
    # What is not of the top is worse than each of them, and not than the best alone.
    settled = len(standing.top) == 1 or bool(standing.beaten) or standing.top == standing.order
    return alike and settled and not {*standing.top} <= {*standing.wrong}


def _use(standing: ModelStanding) -> Headline:
    if len(standing.top) == 1:
        others = _others(standing, standing.order[1:], SHORT)
        return _advice(standing, printable(standing.order[0]), f"it is better than {others}")
    *some, last = (printable(name) for name in standing.top if name not in standing.wrong)
    which = f"{', '.join(some)} or {last}" if some else last
    than_none = f"{_both(standing.top)} are better than no model"
    reason = f"they cannot be told apart, and {_better_than(standing, SHORT) or than_none}"
    also = f"cannot be told apart from {'them' if some else 'it'}, and "
    return _advice(standing, which, _certain(standing.top, standing, also) or reason)


def _certain(names: Sequence[str], standing: ModelStanding, also: str = "") -> str:
    """Name those of some models that were certain and wrong."""
    wrong = [name for name in names if name in standing.wrong]
    be = "was" if len(wrong) == 1 else "were"
    return f"{listed(wrong, SHORT)} {also}{be} certain and wrong" if wrong else ""


def _clause(standing: ModelStanding, where: str, most: int = NAMED) -> str:
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


def _better_than(standing: ModelStanding, most: int = NAMED) -> str:
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


def _only_best(standing: ModelStanding) -> str:
    """Say which further models the best is better than, though not all of the top are."""
    if not (standing.top_is_alike and standing.beaten):
        return ""
    rest = [name for name in standing.order if name not in (*standing.top, *standing.beaten)]
    return f"{printable(standing.top[0])} is better than {listed(rest)} too" if rest else ""


def _others(standing: ModelStanding, names: Sequence[str], most: int) -> str:
    """Name some models, but count them if they are many."""
    if len(names) < most:
        return listed(names, most)
    if len(standing.models) - len(standing.top) == len(names):
        return f"the other {counted(len(names))} models"
    return f"{counted(len(names))} other models"


def _infinite(standing: ModelStanding) -> str:
    """Name the models of infinite scores."""
    if not standing.infinite:
        return ""
    if not standing.order and len(standing.infinite) > SHORT:
        return (
            f"All {counted(len(standing.infinite))} models have an infinite {standing.scope.base}"
        )
    have = "has" if len(standing.infinite) == 1 else "have"
    return f"{listed(standing.infinite, SHORT)} {have} an infinite {standing.scope.base}"


def _by_how_much(standing: ModelStanding) -> str:
    """Say how much better the best is than the next, and between which limits."""
    best, rival = (standing.top if len(standing.top) > 1 else standing.order)[:2]
    pair = standing.pair(rival, best)
    if pair.differing == 0 and pair.difference == 0:
        return f"the losses of {listed([best, rival])} never differ"
    digits = say.digits_apart(pair.simultaneous)
    advantage = f"{_lower(standing, best, rival)}, by {say.few(pair.difference, digits)}"
    if standing.is_constant(best, rival):
        return f"{advantage} in each case"
    if not pair.standard_error > 0:
        return f"{advantage}, without a standard error"
    advantage = f"{advantage} ({_interval(standing, pair)})"
    if pair.ratio > 0 and standing.beats(best, rival):
        advantage += f", that is by {say.saved(1 - 1 / pair.ratio)}"
    return advantage


def _lower(standing: ModelStanding, best: str, rival: str) -> str:
    """Say which score is lower, and than which if that is not plain."""
    several = len(standing.top) > 1
    who = f"{printable(best)} has" if several else "it has"
    if len(standing.top if several else standing.order) == 2:
        return f"{who} the lower {standing.scope.score}"
    next_best = ", the next best" if rival == standing.order[1] else ""
    return f"{who} a lower {standing.scope.score} than {printable(rival)}{next_best}"


def _interval(standing: ModelStanding, pair: Pair) -> str:
    """Write the interval that decides, and the test where it is not that of the interval."""
    name = interval_name(cast("Comparison", standing.comparison))
    written = f"{name} {say.ends_of(pair.simultaneous)}"
    low, high = pair.interval
    if is_significant(pair) or low <= 0 <= high or not pair.method.startswith("sign flips"):
        return written
    p = say.chance(pair.adjusted_p_value, is_bound=pair.adjusted_p_is_bound)
    return f"{written}; p {p} by sign flips"


# Greater losses, in percent, are not reported more exactly.
MOST = 1000


def against_none(standing: ModelStanding, names: Sequence[str], where: str = "") -> str:
    """Compare models of one kind, all better, all worse or all open, with none."""
    who, skills = listed(names), [standing.skills[name] for name in names]
    kind, one = standing.against_none(names[0]), len(names) == 1
    be, they, their = ("is", "it", "Its") if one else ("are", "they", "Their")
    if kind == "flawless":
        return f"{who} made no loss at all{where}: make sure that {they} never saw the outcomes."
    if kind == "useful":
        saves = "It saves" if one else "They save"
        return f"{who} {be} better than no model{where}. {saves} {_shares(skills)} of its loss."
    loss = f"{their} loss{'' if one else 'es'}"
    if kind == "harmful":
        higher = f"{loss} {be} higher by {_shares(skills, -1)}"
        return f"{who} {be} worse than no model{where}. {higher}."
    claim = f"It cannot be told whether {who} {be} better than no model{where}"
    if kind == "unknown":
        return f"{claim}. {their} skill{' has' if one else 's have'} no interval."
    level = f"{say.sure(standing.level)}{'' if one else 's'}"
    return f"{claim}. {loss} may be anything {_ranges(skills)} ({level})."


def _ranges(skills: Sequence[Estimate]) -> str:
    """Write between which limits losses may lie; of many, the widest limits of all."""
    ends = [skill.interval for skill in skills]
    if len(ends) > NAMED:
        lows, highs = zip(*ends, strict=True)
        ends = [(min(lows), max(highs))]
    texts = ((_much(-low), say.saved(high)) for low, high in ends)
    return listed(f"from {low} higher to {high} lower" for low, high in texts)


def _much(share: float, digits: int = 2) -> str:
    return f"more than {MOST:,} %" if 100 * share > MOST else say.saved(share, digits)


def _shares(skills: Sequence[Estimate], sign: int = 1) -> str:
    """Write shares with their intervals; of many, only the least and the greatest."""
    values = sorted(sign * skill.value for skill in skills)
    if len(skills) > NAMED:
        return f"{_much(values[0])} to {_much(values[-1])}"
    shares: list[str] = []
    for skill in skills:
        low, high = sorted(sign * end for end in skill.interval)
        digits = say.digits_apart((100 * low, 100 * high))
        value, *ends = (_much(x, digits) for x in (sign * skill.value, low, high))
        level = "" if shares else f"{say.sure(skill.level)} "
        shares.append(f"{value} ({level}{' to '.join(ends)})")
    return listed(shares)
