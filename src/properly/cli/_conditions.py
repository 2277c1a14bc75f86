"""Conditions such as ``brier > 0.2``, for pipelines that are to stop."""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from properly._boundary._plain import printable
from properly.cli._unknown import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
PARTS = ("score", "skill", "miscalibration", "discrimination", "uncertainty")
# The last operator counts: a model may have one in its name.
SHAPE = re.compile(r"(?P<left>.+)(?P<sign>>=|<=|>|<)(?P<number>[^<>=]*)", re.DOTALL)
HOW = 'write [MODEL:]RULE[.PART] and a limit, such as "brier>0.2" or "forest:log.skill<0".'


class Held(NamedTuple):
    """A condition that holds, and of what."""

    condition: Condition
    model: str
    what: str
    value: float

    def __str__(self) -> str:
        """Say it with the numbers, with as many digits as it takes to believe it."""
        short = f"{self.value:.6g}"
        shown = short if self.condition.is_met_by(float(short)) else repr(self.value)
        names = printable(self.condition.text), printable(self.what), printable(self.model)
        return "{} holds: {} of {} is {}".format(*names, shown)


@dataclass(frozen=True)
class Condition:
    """What is not to be: a number beyond a limit.

    Attributes
    ----------
    text : str
        As it was given.
    left : str
        What it is about: ``[MODEL:]RULE[.PART]``.
    sign : str
        ``>``, ``>=``, ``<`` or ``<=``.
    limit : float
        The number on the right.
    """

    text: str
    left: str
    sign: str
    limit: float

    def is_met_by(self, value: float) -> bool:
        """Tell whether a number is beyond the limit; what is not a number is not."""
        return OPERATORS[self.sign](value, self.limit)

    def held(self, numbers: Numbers) -> Iterator[Held]:
        """Go through the models of which it holds."""
        model, rule, part = _resolve(self.left, numbers)
        what = rule if part == "score" else f"{rule} {part}"
        for name in [model] if model is not None else numbers:
            value = numbers[name][rule][part]
            if self.is_met_by(value):
                yield Held(self, name, what, value)


# By model, rule and part.
Numbers = dict[str, dict[str, dict[str, float]]]


class ConditionType(click.ParamType):  # type: ignore[type-arg]  # generic in new versions only
    """A condition as the value of an option."""

    name = "condition"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Condition:
        """Read a condition; its names are looked up once they are known."""
        if isinstance(value, Condition):
            return value
        try:
            return parse_condition(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def parse_condition(text: str) -> Condition:
    """Read ``[MODEL:]RULE[.PART] OP NUMBER``."""
    shape = SHAPE.fullmatch(text)
    if shape is None or not shape["left"].strip():
        message = f"a condition compares with >, >=, < or <=; got {text!r}\n\nHint: {HOW}"
        raise ValueError(message)
    try:
        limit = float(shape["number"])
    except ValueError:
        limit = math.nan
    if math.isnan(limit):
        message = (
            f"the limit of a condition must be a number; got {shape['number'].strip()!r} "
            f"in {text!r}\n\nHint: {HOW}"
        )
        raise ValueError(message)
    return Condition(text, shape["left"].strip(), shape["sign"], limit)


def numbers_of(evaluation: Any) -> Numbers:
    """Lay out what conditions may be about: scores, their parts, and areas under the ROC curve."""
    from properly import ClassEvaluation

    of_classes = isinstance(evaluation, ClassEvaluation)
    found = evaluation.scores if of_classes else evaluation.decompositions
    numbers: Numbers = {
        model: {
            rule: {part: float(getattr(parts, part)) for part in PARTS}
            for rule, parts in by_rule.items()
        }
        for model, by_rule in found.items()
    }
    for model in () if of_classes else numbers:
        area = evaluation.aucs.get(model)
        numbers[model]["auc"] = {"score": math.nan if area is None else float(area.value)}
    return numbers


def _resolve(left: str, numbers: Numbers) -> tuple[str | None, str, str]:
    """Find the model, if one is named, the rule and the part."""
    rules = next(iter(numbers.values()))
    found = _rule_and_part(left, rules)
    if found is not None:
        return None, *found
    # The longest first: "a:b" and "a" may both be models.
    for model in sorted(numbers, key=len, reverse=True):
        rest = left.removeprefix(model).lstrip()
        if left.startswith(model) and rest.startswith(":"):
            what = rest[1:].strip()
            found = _rule_and_part(what, rules)
            if found is None:
                raise _unknown(what, rules)
            return model, *found
    model, colon, _ = left.rpartition(":")
    if colon:
        message = f"a condition is about a model that is scored; got {model.strip()!r}"
        raise unknown(message, model.strip(), numbers)
    raise _unknown(left, rules)


def _rule_and_part(text: str, rules: Mapping[str, Mapping[str, float]]) -> tuple[str, str] | None:
    """Match a whole name first: those of rules hold full stops, too."""
    if text in rules:
        return text, "score"
    rule, _, part = text.rpartition(".")
    return (rule, part) if part in rules.get(rule, ()) else None


def _unknown(text: str, rules: Mapping[str, Mapping[str, float]]) -> click.UsageError:
    rule, _, part = text.rpartition(".")
    if rule in rules:
        message = f"a condition is about a part of a score; got {part!r} of {rule!r}"
        return unknown(message, part, rules[rule])
    message = f"a condition is about a rule that is scored; got {text!r}"
    return unknown(message, text, rules)
