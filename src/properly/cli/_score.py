"""``properly score``: scores in many formats, and conditions for pipelines that are to stop."""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from properly._boundary._record import printable
from properly.cli._commands import Described
from properly.cli._engine import engine_options, opened
from properly.cli._formats import FORMATS
from properly.cli._options import (
    FILES,
    evaluated,
    file_options,
    force_option,
    format_option,
    level_option,
    replicates_option,
    rule_option,
    seed_option,
    within_option,
)
from properly.cli._running import emit, require_output, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from properly import Evaluation


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
    numbers: Numbers = {
        model: {
            rule: {part: float(getattr(parts, part)) for part in PARTS}
            for rule, parts in by_rule.items()
        }
        for model, by_rule in evaluation.parts.items()
    }
    for model in () if evaluation.aucs is None else numbers:
        area = evaluation.aucs.get(model)
        numbers[model]["auc"] = {"score": math.nan if area is None else float(area.value)}
    return numbers


def _resolve(left: str, numbers: Numbers) -> tuple[str | None, str, str]:
    """Find the model, if one is named, the rule and the part."""
    rules = next(iter(numbers.values()))
    pair = _rule_and_part(left, rules)
    if pair is not None:
        return None, *pair
    # The longest first: "a:b" and "a" may both be models.
    for model in sorted(numbers, key=len, reverse=True):
        rest = left.removeprefix(model).lstrip()
        if left.startswith(model) and rest.startswith(":"):
            what = rest[1:].strip()
            pair = _rule_and_part(what, rules)
            if pair is None:
                raise _unknown(what, rules)
            return model, *pair
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


RESAMPLED = ("miscalibration", "discrimination")
NOTHING = (math.nan, math.nan)


def columns_of_scores(evaluation: Evaluation) -> tuple[list[str], list[list[Any]]]:
    """Return the columns of `Evaluation.to_frame`, and the ends of drawn intervals if any."""
    from properly.evaluation._record import score_rows

    rows = list(score_rows(evaluation))
    resampled = RESAMPLED if any(row.parts.intervals is not None for row in rows) else ()
    head = ["model", "baseline", "rule", *PARTS]
    for part in ("score", *resampled):
        head += [f"{part}_lower", f"{part}_upper"]
    cells = [
        [
            *(row.model, row.baseline, row.rule),
            *(float(getattr(row.parts, part)) for part in PARTS),
            *row.interval,
            *(end for part in resampled for end in getattr(row.parts.intervals, part, NOTHING)),
        ]
        for row in rows
    ]
    return head, cells


def cells_of_scores(evaluation: Evaluation) -> tuple[list[str], list[list[Any]]]:
    """Return what a person reads: rule by rule, the baselines in brackets."""
    from properly.evaluation._record import score_rows

    rules = [rule.name for rule in evaluation.rules]
    rows = sorted(score_rows(evaluation), key=lambda row: rules.index(row.rule))
    head = ["rule", "model", "score", "lower", "upper", *PARTS[1:]]
    cells = [
        [
            row.rule,
            f"({row.model})" if row.baseline else row.model,
            float(row.parts.score),
            *row.interval,
            *(float(getattr(row.parts, part)) for part in PARTS[1:]),
        ]
        for row in rows
    ]
    return head, cells


HOLDS = 3
EXAMPLES = r"""
properly score crash.csv --outcome died --forecast logistic --within 0.01 0.1
properly score crash.csv --outcome died --forecast forest --format json
properly score crash.csv --outcome died --forecast forest \
    --rule brier --fail-if "brier>0.2"
properly score crash.csv --outcome died --forecast forest --memory 1GB
properly score crash.csv --outcome severity --forecast severity_probability \
    --classes none,possible,nonincapacitating,incapacitating,killed \
    --ordered --missing drop
"""


def score() -> click.Command:
    """Describe ``properly score``."""
    return Described(
        "score",
        callback=_score,
        help=(
            "Score forecasts: mean loss, skill, miscalibration, discrimination and uncertainty by "
            "model and rule, beside forecasts that need no model. Lower scores are better. Exits "
            f"with 3 if a condition given by --fail-if holds. {FILES}"
        ),
        params=[*file_options(), *engine_options(), *_options()],
        examples=EXAMPLES,
    )


def _options() -> list[click.Parameter]:
    return [
        rule_option(),
        within_option(),
        format_option("table", "json", *FORMATS),
        click.Option(
            ["--fail-if", "conditions"],
            type=ConditionType(),
            multiple=True,
            metavar="CONDITION",
            help="Exit with 3 if this holds of a model: [MODEL:]RULE[.PART] and a limit, such as "
            '"brier>0.2", "forest:log.skill<0" or "auc<0.8"; may be given several times.',
        ),
        click.Option(
            ["--intervals"],
            is_flag=True,
            help="Intervals of the parts, too, in CSV and JSON: slower.",
        ),
        level_option(),
        replicates_option("Draws for --intervals."),
        seed_option(),
        click.Option(["--output"], metavar="FILE", help="Where to write, rather than print."),
        force_option(),
    ]


def _score(
    layout: str,
    output: str | None,
    conditions: tuple[Condition, ...],
    *,
    force: bool,
    intervals: bool,
    replicates: int,
    **options: Any,
) -> None:
    require_output(output, force=force)
    request = {name: options.pop(name) for name in ("rules", "within", "level", "seed")}
    request["rules"] = request["rules"] or None
    with opened(**options) as chosen:
        evaluation = evaluated(chosen, replicates=replicates if intervals else 0, **request)
    # Before anything is printed, since a name in a condition may be unknown.
    numbers = numbers_of(evaluation)
    held = [one for condition in conditions for one in condition.held(numbers)]
    emit(_laid_out(evaluation, layout), output, force=force)
    for one in held:
        click.echo(str(one), err=True)
    if held:
        click.get_current_context().exit(HOLDS)


def _laid_out(evaluation: Evaluation, layout: str) -> str:
    if layout == "table":
        return f"{evaluation.table()}\n"
    if layout == "json":
        return f"{evaluation.to_json()}\n"
    rows = columns_of_scores(evaluation) if layout == "csv" else cells_of_scores(evaluation)
    return FORMATS[layout](*rows)
