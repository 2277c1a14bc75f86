"""A stored result, of ``properly score --format json`` or of a page, to compare with."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from properly._boundary._record import plain
from properly._boundary._text import many, printable, table, wrapped
from properly.cli._chosen import Chosen
from properly.cli._gate import STORED, GateContrast, Numbers, contrast_of_pair, in_words, numbers_of
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from properly import Evaluation
    from properly.cli._engine import Large
    from properly.comparison._pairs import Pair
    from properly.rules import Rule

# The numbers of a page are in an element of it.
PAGE = re.compile(r'<script type="application/json" id="numbers">(.*?)</script>', re.DOTALL)
SAME = ("cases", "rows", "event_rate", "events", "classes")


@dataclass(frozen=True, eq=False)
class Stored:
    """A stored result.

    Attributes
    ----------
    path : str
        Where it is.
    data : dict
        What is known of its cases.
    numbers : dict of dict
        By model and name.
    forecasts : dict
        By model, if they were kept; else empty.
    outcomes : str or None
        A digest of the outcomes that they were of.
    """

    path: str
    data: dict[str, Any]
    numbers: Numbers
    forecasts: dict[str, Any]
    outcomes: str | None

    def require_like(
        self, task: str, level: float, models: Iterable[str], rules: Sequence[str]
    ) -> None:
        """Refuse a result of another task, at another level, or of other models or rules."""
        theirs, sure = self.data["task"], self.data["level"]
        if theirs != task:
            message = f"a stored result must be of {task} outcomes; that of {self.name} is {theirs}"
            raise DataError(message)
        if sure != level:
            message = f"a stored result must be at the same level; that of {self.name} is {sure}"
            raise DataError(message, hint=f"give --level {sure}.")
        for other in map(self.model_of, models):
            if not any(rule in self.numbers[other] for rule in rules):
                none = f"{self.name} has no {', '.join(rules)}"
                message = f"a stored result must have a rule that is scored; {none}"
                raise DataError(message)

    def model_of(self, model: str) -> str:
        """Find the model to compare with: of the same name, or the only one."""
        if model in self.numbers:
            return model
        if len(self.numbers) > 1:
            listed = ", ".join(map(repr, self.numbers))
            message = f"a stored result must have the model {model!r}, or one only; got {listed}"
            raise DataError(message)
        return next(iter(self.numbers))

    @property
    def name(self) -> str:
        """The path in quotes."""
        return printable(repr(self.path))


def keep_forecasts(chosen: Chosen) -> dict[str, Any]:
    """Return what a later run needs to compare case by case."""
    forecasts = {name: p.tolist() for name, p in chosen.forecasts.items()}
    return {"forecasts": forecasts, "outcomes": digest_of(chosen)}


def digest_of(chosen: Chosen) -> str:
    """Write outcomes, in the order of the rows, in a few letters."""
    text = "\n".join(map(str, [chosen.labels, chosen.pos_label, *chosen.y.tolist()]))
    return blake2b(text.encode(), digest_size=16).hexdigest()


def read_stored(path: str) -> Stored:
    """Read a stored result; refuse what is none of ours."""
    # Imported here and below, since help needs no numpy.
    from properly._boundary._files import ODD, Damaged

    text = Path(path).read_text(encoding="utf-8", errors="replace")
    page = PAGE.search(text)
    try:
        return _stored(path, json.loads(text if page is None else page[1]))
    except (*ODD, RecursionError, Damaged):
        message = f"--baseline must be a stored result; {printable(repr(path))} is none"
        hint = "store one by properly score FILES --format json --output FILE."
        raise DataError(message, hint=hint) from None


def _stored(path: str, record: dict[str, Any]) -> Stored:
    """Take what is needed out of a result, each of the kind that we write."""
    from properly._boundary._files import require

    data, numbers, kept = dict(record["data"]), numbers_of(record), record.get("stored") or {}
    require(numbers and type(data["task"]) is str)
    require(type(data["level"]) is float and type(data["cases"]) in (int, float))
    forecasts, outcomes = kept.get("forecasts", {}), kept.get("outcomes")
    require(isinstance(forecasts, dict) and isinstance(outcomes, str | None))
    return Stored(path, data, numbers, forecasts, outcomes)


@dataclass(frozen=True, eq=False)
class AgainstStored:
    """A result beside a stored one.

    Attributes
    ----------
    stored : Stored
        What to compare with.
    how : str
        How it is compared, in a sentence.
    contrasts : dict
        A `GateContrast` by model and name of the rule.
    numbers : dict of dict
        Those of the result, by model and name.
    """

    stored: Stored
    how: str
    contrasts: dict[tuple[str, str], GateContrast]
    numbers: Numbers

    def contrast(self, model: str, rule: str) -> GateContrast:
        """Return the contrast of a model by a rule."""
        if (model, rule) not in self.contrasts:
            message = f"a stored result must have the rule {rule}; {self.stored.name} has it not"
            raise DataError(message)
        return self.contrasts[model, rule]

    def __str__(self) -> str:
        """Lay out a table, and say how it was compared."""
        rows = []
        for (model, rule), contrast in self.contrasts.items():
            now = self.numbers[model][rule]
            then = self.stored.numbers[self.stored.model_of(model)][rule]
            low, high = contrast.interval
            ends = "-" if math.isnan(low + high) else f"{low:.5f} to {high:.5f}"
            numbers = (f"{x:.5f}" for x in (now, then, contrast.difference))
            rows.append((model, rule, *numbers, ends, contrast.verdict))
        level = next(iter(self.contrasts.values())).level
        head = ("model", "rule", "score", "stored", "difference", f"{100 * level:g} % interval", "")
        about = wrapped(f"against {self.stored.name}: {self.how}")
        return f"{about}\n\n{table(head, rows, left=2)}"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        pairs = [
            {"model": model, "rule": rule, "stored": self.stored.model_of(model)}
            | {"difference": x.difference, "interval": x.interval, "verdict": x.verdict}
            for (model, rule), x in self.contrasts.items()
        ]
        record: dict[str, Any] = plain({"file": self.stored.path, "how": self.how, "pairs": pairs})
        return record


def against(
    stored: Stored, evaluation: Evaluation, models: Iterable[str], chosen: Chosen | Large, seed: int
) -> AgainstStored:
    """Compare models with stored ones: case by case if the cases are the same, else apart."""
    record = evaluation.to_dict()
    numbers, level = numbers_of(record), evaluation.level
    is_same = all(record["data"].get(name) == stored.data.get(name) for name in SAME)
    paired = chosen if is_same and isinstance(chosen, Chosen) and stored.forecasts else None
    paired = None if paired is None or digest_of(paired) != stored.outcomes else paired
    contrasts = {}
    for model in models:
        other = stored.model_of(model)
        for rule in evaluation.rules:
            if rule.name not in stored.numbers[other]:
                continue
            if paired is not None and other in stored.forecasts:
                pair = _pair(paired, model, stored.forecasts[other], rule, level=level, rng=seed)
                contrasts[model, rule.name] = contrast_of_pair(pair, rule.name, level)
            else:
                now, then = numbers[model], stored.numbers[other]
                contrasts[model, rule.name] = _apart(model, rule.name, now, then, level)
    how = _how(stored, evaluation, is_same=is_same, is_paired=paired is not None)
    return AgainstStored(stored, how, contrasts, numbers)


def _how(stored: Stored, evaluation: Evaluation, *, is_same: bool, is_paired: bool) -> str:
    if is_paired:
        return "the same cases, compared case by case"
    if is_same:
        return (
            "compared as independent samples, since it has no forecasts of these cases, which "
            "--keep-forecasts stores; a difference must be larger to be seen"
        )
    then = many(stored.data["cases"], "case")
    return (
        f"compared as independent samples, of {then} then and {evaluation.cases} now; that other "
        "cases are easier or harder counts as a difference, too"
    )


def _pair(chosen: Chosen, model: str, forecast: Any, rule: Rule, **options: Any) -> Pair:
    import properly

    other = f"the {STORED}"
    both = {model: chosen.forecasts[model], other: forecast}
    found = properly.compare(chosen.y, both, rule=rule, **options, **chosen.arguments)
    return found[model, other]


def _apart(
    model: str, rule: str, now: Mapping[str, float], then: Mapping[str, float], level: float
) -> GateContrast:
    """Combine the intervals of two independent scores.

    Zou and Donner (2008), https://doi.org/10.1002/sim.3095.
    """
    (x, low, high), (y, below, above) = (
        [numbers.get(name, math.nan) for name in (rule, f"{rule}.lower", f"{rule}.upper")]
        for numbers in (now, then)
    )
    difference = x - y
    interval = (
        difference - math.hypot(x - low, above - y),
        difference + math.hypot(high - x, y - below),
    )
    what = f"{rule} of {printable(model)} minus that of the {STORED}"
    return GateContrast(in_words(what, difference, interval, level), difference, interval, level)
