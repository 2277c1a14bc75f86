"""A gate for builds: conditions that are not to hold, on numbers and on differences.

A condition is read before any work, and its names are looked up as soon as the models are known.
What can be named is what an evaluation writes as JSON: names are paths in it, such as
``calibration.slope.lower``.
"""

from __future__ import annotations

import math
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

import click

from properly._boundary._text import printable
from properly.cli._running import refuse

if TYPE_CHECKING:
    from properly import Evaluation
    from properly.cli._column_plan import Task

# By model and name.
Numbers: TypeAlias = dict[str, dict[str, float]]

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
# The last operator counts: a model may have one in its name.
LIMIT = re.compile(r"(?P<left>.+)(?P<sign>>=|<=|>|<)(?P<number>[^<>=]*)", re.DOTALL)
VERBS = ("worse-than", "not-better-than")
VERSUS = re.compile(
    rf"((?P<model>.*\S)\s+)?(?P<verb>{'|'.join(VERBS)})\s+(?P<other>.*?\S)(\s+by\s+(?P<rule>\S+))?\s*",
    re.DOTALL,
)
GRAMMAR = (
    'write [MODEL:]NUMBER and a limit, such as "brier>0.2", "forest:log.skill<0" or '
    '"brier.upper>0.04"; or [MODEL] worse-than NAME [by RULE], or not-better-than, such as '
    '"worse-than baseline".'
)
# Where numbers are in the JSON of an evaluation, and what their names begin with.
SECTIONS = {
    "models": "",
    "aucs": "auc",
    "calibration": "calibration",
    "calibration_tests": "calibration",
    "decisions": "",
    "retention": "retention",
    "means": "means",
    "certain": "certain",
}
# A distance in a calibration summary; what stands below it takes draws.
DISTANCE = re.compile(r"^calibration[.](?:ici|e50|e90|emax)\b(.*)")
# What is found only if a condition names it, or if it is asked for.
GAINS = ("gain", "gain.lower", "gain.upper", "gain.mean_change", "gain.in_sample")
# What stands in the same place as what holds it, and what is no result.
TRANSPARENT = ("value", "score", "argmax", "intervals")
LEFT_OUT = (
    *("confusion", "classes", "level", "degrees", "cases", "effective_cases", "replicates"),
    "folds",
)
# An estimate that does not exist has the reason as its method.
NO_METHOD = "none: "
# Decisions about one event are those at a threshold of one half; classes have an accuracy.
CORRECT = "means.correct"
ALIASES = {"kappa": "quadratic_kappa", "accuracy": CORRECT}
ENDS = ("lower", "upper")
# What to compare with is called so where it needs no model.
NO_MODEL = ("no-model", "no model", "event rate", "class shares")
STORED = "baseline"


class Failure(NamedTuple):
    """A condition that holds for a model, or that cannot be evaluated, and the numbers."""

    condition: Condition | Versus
    reason: str
    is_missing: bool = False

    def __str__(self) -> str:
        """Write the condition and the reason."""
        verb = "cannot be evaluated" if self.is_missing else "holds"
        return f"{printable(self.condition.text)} {verb}: {self.reason}"


@dataclass(frozen=True)
class Condition:
    """What is not to be: a number beyond a limit.

    Attributes
    ----------
    text : str
        As it was given.
    left : str
        What it is about: ``[MODEL:]NUMBER``.
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
        """Return whether a number is beyond the limit; NaN never is."""
        return OPERATORS[self.sign](value, self.limit)

    def failures(
        self,
        numbers: Numbers,
        models: Iterable[str] | None = None,
        names: Iterable[str] = (),
        reasons: Mapping[tuple[str, str], str] | None = None,
    ) -> Iterator[Failure]:
        """Yield the models for which it holds, or cannot be evaluated.

        A condition without a model is about `models`, or about all. Some of the `names` may have
        no number; `reasons` say why, by model and by the beginning of a name.
        """
        model, what = _resolve(self.left, list(numbers), [*names, *_all_names(numbers)])
        for name in [model] if model is not None else models or numbers:
            value = numbers[name].get(what, math.nan)
            about = f"{_in_words(what)} of {printable(name)}"
            if math.isnan(value):
                known = (reasons or {}).items()
                why = [
                    f" ({x})"
                    for (of, start), x in known
                    if of == name and f"{what}.".startswith(f"{start}.")
                ]
                yield Failure(self, f"{about} does not exist{''.join(why[:1])}", is_missing=True)
            elif self.is_met_by(value):
                short = f"{value:.6g}"
                # With as many digits as it takes to believe it.
                shown = short if self.is_met_by(float(short)) else repr(value)
                yield Failure(self, f"{about} is {shown}")


def _in_words(name: str) -> str:
    """Write the name of a number; a full stop before a digit belongs to the name of a rule."""
    if name == CORRECT:
        return "share of correct decisions (threshold 0.5)"
    return printable(re.sub(r"[.](?=[a-z])", " ", name))


@dataclass(frozen=True)
class Versus:
    """What is not to be: a model that is worse than another, or not better, beyond chance.

    Attributes
    ----------
    text : str
        As it was given.
    model : str or None
        The model that it is about; None for each.
    verb : {"worse-than", "not-better-than"}
        Worse and better are what an interval of the difference says that leaves out zero.
    other : str
        A model, a column, ``baseline`` for a stored result, or ``no-model``.
    rule : str or None
        The name of the rule; None for the first.
    """

    text: str
    model: str | None
    verb: str
    other: str
    rule: str | None

    def is_met_by(self, contrast: GateContrast) -> bool:
        """Tell whether a difference is the one that is not to be."""
        return contrast.is_worse if self.verb == VERBS[0] else not contrast.is_better


class GateContrast(NamedTuple):
    """By how much the score of a model is above another; a loss, so more is worse."""

    said: str
    difference: float
    interval: tuple[float, float]
    level: float

    @property
    def is_worse(self) -> bool:
        """Whether the model is significantly worse; an infinite difference needs no interval."""
        return self.difference == math.inf or self.interval[0] > 0

    @property
    def is_better(self) -> bool:
        """Whether the model is significantly better."""
        return self.difference == -math.inf or self.interval[1] < 0

    @property
    def is_unknown(self) -> bool:
        """Whether there is a difference of which nothing can be said."""
        is_said = self.difference == 0 or math.isinf(self.difference)
        return math.isnan(sum(self.interval)) and not is_said

    @property
    def verdict(self) -> str:
        """The difference in a word."""
        return "worse" if self.is_worse else "better" if self.is_better else "cannot be told"


def in_words(
    what: str, value: float, interval: tuple[float, float], level: float, kind: str = "interval"
) -> str:
    """Say a number with its interval, if it has one."""
    low, high = interval
    ends = f"{100 * level:g} % {kind} {low:.4g} to {high:.4g}"
    return f"{what} is {value:.4g} ({'no interval' if math.isnan(low + high) else ends})"


def parse_condition(text: str) -> Condition | Versus:
    """Read ``[MODEL:]NUMBER OP LIMIT``, or ``[MODEL] VERB OTHER [by RULE]``."""
    versus = VERSUS.fullmatch(text.strip())
    if versus is not None:
        model = versus["model"] and versus["model"].rstrip(" :")
        return Versus(text, model or None, versus["verb"], versus["other"], versus["rule"])
    shape = LIMIT.fullmatch(text)
    if shape is None or not shape["left"].strip():
        signs = f"{', '.join(list(OPERATORS)[:-1])} or {list(OPERATORS)[-1]}"
        message = (
            f"a condition compares with {signs}, or says {' or '.join(VERBS)}; got {text!r}"
            f"\n\nHint: {GRAMMAR}"
        )
        raise ValueError(message)
    try:
        limit = float(shape["number"])
    except ValueError:
        limit = math.nan
    if math.isnan(limit):
        message = (
            f"the limit of a condition must be a number; got {shape['number'].strip()!r} "
            f"in {text!r}\n\nHint: {GRAMMAR}"
        )
        raise ValueError(message)
    return Condition(text, shape["left"].strip(), shape["sign"], limit)


def numbers_of(record: Mapping[str, Any], sections: Iterable[str] = SECTIONS) -> Numbers:
    """Lay out what conditions may be about: by model, all numbers that it has in JSON."""
    numbers: Numbers = {model: {} for model in record["models"]}
    for section in sections:
        for model, value in (record.get(section) or {}).items():
            numbers[model].update(_leaves(value, SECTIONS[section]))
    for model, repair in record.get("repairs", {}).items():
        gain = repair["gain"]
        low, high = gain["interval"]
        # Where nothing changes, or all does, the ends are the gain itself.
        ends = (gain["estimate"],) * 2 if low is None else (low, high)
        values = (gain["estimate"], *ends, gain["mean_change"], gain["in_sample"])
        for name, value in zip(GAINS, values, strict=True):
            numbers[model].update(_leaves(value, name))
    return numbers


def _leaves(value: Any, name: str) -> Iterator[tuple[str, float]]:
    """Go through the numbers below a name; the ends of an interval are its lower and upper.

    In JSON infinity is a word, and what does not exist is null.
    """
    if isinstance(value, dict):
        for key, below in value.items():
            if key in LEFT_OUT:
                continue
            path = name if key in TRANSPARENT else f"{name}.{key}".removeprefix(".")
            if key == "intervals":
                # They stand under the names of what they are of.
                pairs = (below or {}).items()
                below = {f"{k}_interval" if isinstance(x, list) else k: x for k, x in pairs}  # noqa: PLW2901
            yield from _leaves(below, path)
    elif isinstance(value, list):
        if name.endswith("interval"):
            path = name.removesuffix("interval").rstrip("._")
            for end, number in zip(ENDS, value, strict=True):
                yield from _leaves(number, f"{path}.{end}")
    elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield name, math.nan if value is None else float(value)
    elif str(value).endswith("Infinity"):
        yield name, float(value)


def reasons_of(record: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Return why numbers do not exist, by model and by the beginning of their names."""
    reasons = {
        (model, path): reason
        for section, name in SECTIONS.items()
        for model, value in (record.get(section) or {}).items()
        for path, reason in _reasons(value, name)
    }
    for model in record["models"]:
        start = f"repairs of {printable(model)}: "
        for note in record["notes"]:
            if note.startswith(start):
                reasons[model, "gain"] = note.removeprefix(start)
    return reasons


def _reasons(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """Yield the reasons below a name: an estimate without a method has one in its place."""
    for key, below in value.items() if isinstance(value, dict) else ():
        if isinstance(below, str) and (key == "reason" or below.startswith(NO_METHOD)):
            yield name, below.removeprefix(NO_METHOD)
        yield from _reasons(below, f"{name}.{key}".removeprefix("."))


def names_of(
    task: Task, classes: int, fields: dict[str, int] | None, **request: Any
) -> dict[str, str]:
    """Name all numbers that an evaluation by some rules has, and the fields that they are of.

    Only some fields are evaluated, with a number of draws each; or all, without draws.

    It is one of a few made-up cases.
    """
    import numpy as np

    import properly
    from properly.evaluation._source import only

    few = 24
    if task == "binary":
        y, p = np.arange(few) % 2, np.linspace(0.2, 0.8, few)
    else:
        y, p = np.arange(few) % classes, np.full((few, classes), 1 / classes)
    with warnings.catch_warnings(), only(fields) as draws:
        warnings.simplefilter("ignore")
        made_up = properly.evaluate(y, {"model": p}, task=task, rng=0, replicates=draws, **request)
    record, sections = made_up.to_dict(), {x: x for x in SECTIONS} | {"models": "decompositions"}
    by_field = {of: numbers_of(record, [x]) for x, of in sections.items()}
    return {name: field for field, numbers in by_field.items() for name in _all_names(numbers)}


def _all_names(numbers: Numbers) -> list[str]:
    return list(dict.fromkeys(name for of_model in numbers.values() for name in of_model))


def _resolve(left: str, models: Sequence[str], names: Iterable[str]) -> tuple[str | None, str]:
    """Find the model, if one is named, and the number."""
    what = _name(left, names)
    if what is not None:
        return None, what
    # The longest first: "a:b" and "a" may both be models.
    for model in sorted(models, key=len, reverse=True):
        rest = left.removeprefix(model).lstrip()
        if left.startswith(model) and rest.startswith(":"):
            what = _name(rest[1:].strip(), names)
            return model, what or _refuse("number that is printed", rest[1:].strip(), names)
    model, colon, _ = left.rpartition(":")
    if colon:
        _refuse("model that is scored", model.strip(), models)
    return _refuse("number that is printed", left, names)


def _name(text: str, names: Iterable[str]) -> str | None:
    """Match a name as it is, by what else it is called, or with a hyphen for an underscore."""
    spellings = (text, ALIASES.get(text), text.removesuffix(".score"), text.replace("-", "_"))
    known = set(names)
    return next((each for each in spellings if each in known), None)


def _refuse(what: str, name: str, choices: Iterable[str]) -> NoReturn:
    """Name what is near, or some of what there is, and show the grammar."""
    from properly._boundary._classes import nearest

    known = list(choices)
    near = nearest(name, known)[:1] or [x for x in known if x.endswith(f".{name}")]
    # One of each kind: a full stop before a digit is one of the name of a rule.
    kinds: dict[str, str] = {}
    for each in known:
        kinds.setdefault(re.split(r"[.](?=[a-z])", each)[0], each)
    listed = ", ".join(map(repr, kinds.values()))
    first = f"did you mean {near[0]!r}?" if near else f"known: {listed}."
    how = f"{GRAMMAR[0].upper()}{GRAMMAR[1:]}"
    refuse(f"a condition is about a {what}; got {name!r}\n\nHint: {first} {how}")


def references(conditions: Iterable[Condition | Versus], *, is_stored: bool) -> tuple[str, ...]:
    """Name what models are to be compared with, which may be columns."""
    others = (*NO_MODEL, STORED) if is_stored else NO_MODEL
    named = [x.other for x in conditions if isinstance(x, Versus) and x.other not in others]
    return tuple(dict.fromkeys(named))


@dataclass(frozen=True)
class Gate:
    """Conditions on models whose names are known, before they are evaluated.

    Attributes
    ----------
    conditions : tuple of Condition or Versus
        What is not to be.
    models : tuple of str
        The models that conditions are about if they name none.
    others : tuple of str
        Models that are there to be compared with only.
    is_stored : bool
        Whether there is a stored result to compare with.
    """

    conditions: tuple[Condition | Versus, ...]
    models: tuple[str, ...]
    others: tuple[str, ...]
    is_stored: bool

    def require_names(
        self, rules: Sequence[str], names: Callable[[dict[str, int] | None], dict[str, str]]
    ) -> tuple[Iterable[str], dict[str, bool]]:
        """Refuse names that are unknown; return the others.

        Return as well the fields that conditions are about, and whether each takes draws. Names are
        looked up without draws first, then in a calibration summary, then with draws.
        """
        models, fields, drawn = (*self.models, *self.others), dict[str, bool](), set[str]()
        limits = [x for x in self.conditions if isinstance(x, Condition)]
        known = names(None) | dict.fromkeys(GAINS, "repairs") if limits else {}
        more = [{"decompositions": 1, "calibration_tests": 1}, {"calibration": 1}]
        for condition in self.conditions:
            if isinstance(condition, Versus):
                self._require_versus(condition, rules)
                if condition.other in models:
                    fields["comparisons"] = False
                continue
            while more:
                with suppress(click.UsageError):
                    _resolve(condition.left, models, known)
                    break
                found = names(more.pop())
                drawn = set() if more else found.keys() - known.keys()
                known |= found
            _, what = _resolve(condition.left, models, known)
            # There is no calibration summary without draws, which only distances take.
            needs = [(known[what], what in drawn or known[what] == "calibration")]
            needs += [("distances", below != "") for below in DISTANCE.findall(what)]
            fields |= {field: takes or fields.get(field, False) for field, takes in needs}
        return known, fields

    def _require_versus(self, versus: Versus, rules: Sequence[str]) -> None:
        models = (*self.models, *self.others)
        if versus.model is not None and versus.model not in models:
            _refuse("model that is scored", versus.model, models)
        if versus.rule is not None and versus.rule not in rules:
            _refuse("rule that is scored", versus.rule, rules)
        if versus.other == STORED and self.is_stored:
            return
        if versus.other == STORED and STORED not in models:
            refuse(f"--fail-if names a {STORED}; give the stored result by --baseline FILE.")
        if versus.other not in (*models, *NO_MODEL):
            _refuse("model, a column or no-model", versus.other, (*models, NO_MODEL[0]))
        if versus.other == versus.model or models == (versus.other,):
            refuse(f"a model is compared with another one; got {versus.text!r}")

    def failures(
        self,
        evaluation: Evaluation,
        names: Iterable[str],
        stored: Callable[[str, str], GateContrast] | None,
    ) -> Iterator[Failure]:
        """Yield the conditions that hold or cannot be evaluated.

        A stored result gives the contrast of a model by a rule.
        """
        record = evaluation.to_dict()
        numbers, reasons = numbers_of(record), reasons_of(record)
        for condition in self.conditions:
            if isinstance(condition, Condition):
                yield from condition.failures(numbers, self.models, names, reasons)
                continue
            for name in self.models if condition.model is None else (condition.model,):
                if name == condition.other:
                    continue
                rule = condition.rule or evaluation.primary
                contrast = (
                    stored(name, rule)
                    if stored is not None and condition.other == STORED
                    else contrast_of(evaluation, name, condition.other, rule)
                )
                if condition.is_met_by(contrast):
                    yield Failure(condition, contrast.said)
                elif contrast.is_unknown:
                    yield Failure(condition, contrast.said, is_missing=True)


def contrast_of(evaluation: Evaluation, model: str, other: str, rule: str) -> GateContrast:
    """Compare a model with another on the same cases, or with what needs no model."""
    level = evaluation.level
    if other not in evaluation.models:
        skill = evaluation.skills[model][rule]
        low, high = skill.interval
        said = in_words(f"{rule} skill of {printable(model)}", skill.value, (low, high), level)
        return GateContrast(said, -skill.value, (-high, -low), level)
    return contrast_of_pair(evaluation.comparisons[rule][model, other], rule, level)


def contrast_of_pair(pair: Any, rule: str, level: float) -> GateContrast:
    """Return the difference of two models on the same cases, adjusted for all pairs."""
    what = f"{rule} of {printable(pair.first)} minus that of {printable(pair.second)}"
    # The two are equal if no other models were compared.
    kind = "interval" if pair.simultaneous == pair.interval else "simultaneous interval"
    said = in_words(what, pair.difference, pair.simultaneous, level, kind)
    return GateContrast(said, pair.difference, pair.simultaneous, level)
