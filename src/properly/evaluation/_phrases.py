"""Sentences of a verdict, and numbers, names and rules as a sentence would have them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._record import Record
from properly._boundary._text import capitalized, counted, listed, p_text, percent, printable
from properly.rules import BetaWeighted, Bounded, Elementary, Misclassification, Regret, Rule
from properly.rules._parse import between
from properly.rules._registry import SCORE_WORDS

Kind: TypeAlias = Literal[
    "choice", "thresholds", "baseline", "certain", "calibration", "repair", "groups", "unknown"
]
# Letters of a line, and of what stands between brackets in one.
LINE, SHORT_LINE = 88, 70


@dataclass(frozen=True)
class Sentence:
    """Something that is said about models, and what it is about.

    Attributes
    ----------
    kind : str
        ``"choice"``: which model to use. ``"thresholds"``: at which thresholds it is better.
        ``"baseline"``: whether models are better than none. ``"certain"``: what was called
        impossible, and happened. ``"calibration"``: who is miscalibrated, and how. ``"repair"``:
        what recalibration would save. ``"groups"``: for whom a model is worse. ``"unknown"``: what
        cannot be told.
    text : str
        One sentence or a few.

    Examples
    --------
    >>> import properly
    >>> e = properly.evaluate([0, 1, 1, 0], {"model": [0.0, 0.0, 0.5, 0.7]}, replicates=0)
    >>> next(x.text for x in properly.verdict(e).sentences if x.kind == "certain")[:65]
    'For one of the cases, model had called the event impossible, and '
    """

    kind: Kind
    text: str


@dataclass(frozen=True, repr=False)
class Verdict(Record):
    """What an evaluation says, in plain sentences.

    Attributes
    ----------
    headline : str
        What to do, in one short sentence.
    sentences : tuple of Sentence
        All that is to be said, the most important first.

    Examples
    --------
    >>> import properly
    >>> crash = properly.datasets.crash()
    >>> two = {name: crash.forecasts[name] for name in ("logistic", "forest")}
    >>> e = properly.evaluate(crash.died, two, within=(0.01, 0.1), replicates=0, rng=1)
    >>> found = properly.verdict(e, cases="people", event="death")
    >>> found.headline
    'Use logistic for thresholds of 1 % to 10 %: it is better than forest.'
    >>> found
    Verdict('Use logistic for thresholds of 1 % to 10 %: it is better than forest.', 5 sentences)
    """

    headline: str
    sentences: tuple[Sentence, ...]

    def __repr__(self) -> str:
        start = textwrap.shorten(self.headline, SHORT_LINE, placeholder=" ...")
        return f"Verdict({start!r}, {len(self.sentences)} sentences)"

    def __str__(self) -> str:
        """Lay out the headline, and below it one paragraph a sentence."""
        return "\n\n".join(map(_paragraph, [self.headline, *(x.text for x in self.sentences)]))


def _paragraph(text: str) -> str:
    """Break a sentence into lines, but not between a number and its percent sign."""
    joined = text.replace(" %", "\u00a0%")
    filled = textwrap.fill(joined, LINE, break_on_hyphens=False, break_long_words=False)
    return filled.replace("\u00a0%", " %")


# Stretches of thresholds that stand in a sentence at most.
STRETCHES = 3
# Numbers below this are written with an exponent.
TINY = 1e-6
# More digits than these nobody reads.
MOST_DIGITS = 7


class Nouns(NamedTuple):
    """What the cases and the event are called."""

    cases: str
    event: str


def is_weighted(evaluation: Any) -> bool:
    """Tell whether sums of weights are no numbers of cases, even if they are whole."""
    return bool(evaluation.total != evaluation.rows)


class Scope(NamedTuple):
    """What a rule looks at, in words.

    Attributes
    ----------
    short, long : str
        Where it compares models: "for thresholds of 1 % to 10 %".
    ranged : bool
        Whether that narrows down for what a model may be used.
    score : str
        What the score is called: "mean regret over them".
    base : str
        The same, without the range.
    """

    short: str
    long: str
    ranged: bool
    score: str
    base: str


def scope_of(rule: Rule, *, classes: bool) -> Scope:
    """Say what a rule looks at: a range of thresholds, one of them, all, or classes."""
    base = _score_of(rule)
    if classes:
        where = f"by the {base}"
        return Scope(where, where, ranged=False, score=base, base=base)
    if isinstance(rule, Bounded | Regret):
        ends = between(rule.within)
        averaged = "mean " if isinstance(rule, Regret) or rule.scale == "mean" else ""
        score = f"{averaged}{base} over them"
        return Scope(f"for {ends}", f"for decisions at {ends}", ranged=True, score=score, base=base)
    if isinstance(rule, Elementary | Misclassification):
        at = f"at a threshold of {percent(getattr(rule, 'threshold', 0.5))}"
        return Scope(at, f"for decisions {at}", ranged=True, score=base, base=base)
    where = "on average over all thresholds"
    return Scope(where, where, ranged=False, score=base, base=base)


def _score_of(rule: Rule) -> str:
    if isinstance(rule, Bounded):
        return _score_of(rule.rule)
    if isinstance(rule, Regret | Elementary | BetaWeighted):
        return "regret"
    # A name with brackets is for those who type it.
    return SCORE_WORDS.get(rule.name, f"{rule.name.partition('[')[0]} score")


def at_thresholds(stretch: Sequence[tuple[float, float]]) -> str:
    """Write where: at a threshold of 2 %; at thresholds of 2 % to 4 %."""
    alone = len(stretch) == 1 and stretch[0][0] == stretch[0][1]
    return f"at {'a threshold' if alone else 'thresholds'} of {stretches(stretch)}"


def stretches(runs: Sequence[tuple[float, float]]) -> str:
    """Write runs of numbers in percent: 2 %; 2 % to 4 % and 7 %; 2 % to 9 %, in 5 stretches."""
    if len(runs) > STRETCHES:
        ends = f"{percent(runs[0][0])} to {percent(runs[-1][1])}"
        return f"{ends}, in {counted(len(runs))} stretches"
    return listed(percent(a) if a == b else f"{percent(a)} to {percent(b)}" for a, b in runs)


def saved(share: float, digits: int = 2) -> str:
    """Write a share that was found, with few digits, in percent."""
    return f"{few(100 * share, digits)} %"


def digits_apart(numbers: Sequence[float], least: int = 2) -> int:
    """Return how many digits it takes to write numbers that differ differently.

    Of very many cases both ends of an interval may begin with the same digits.
    """
    differ = len({x for x in numbers if math.isfinite(x)})
    for digits in range(least, MOST_DIGITS):
        if len({few(x, digits) for x in numbers if math.isfinite(x)}) == differ:
            return digits
    return MOST_DIGITS


def few(x: float, digits: int = 2) -> str:
    """Write a number with a few digits that say something, or all before the point."""
    if x == 0 or not math.isfinite(x):
        return f"{x + 0.0:g}"
    if abs(x) < TINY:
        return f"{x:.{digits - 1}e}"
    # Of the rounded number: 0.0998 is 0.10, not 0.100.
    power = math.floor(math.log10(abs(float(f"{x:.{digits - 1}e}"))))
    places = max(0, digits - 1 - power)
    return f"{x:,.{places}f}"


def rounded_down(x: float) -> str:
    """Write a large number, two digits and then zeros, none of them too large."""
    step = 10 ** max(len(str(int(x))) - 2, 0)
    return f"{int(x) // step * step:,}"


def runs(x: Any, which: Any) -> list[tuple[float, float]]:
    """Return the first and the last number of each run that is marked."""
    edge = np.flatnonzero(np.diff(np.concatenate([[False], which, [False]])))
    pairs = zip(x[edge[::2]], x[edge[1::2] - 1], strict=True)
    return [(float(first), float(last)) for first, last in pairs]


def chance(p: float, *, is_bound: bool = False) -> str:
    """Write a p-value, with its sign."""
    return p_text(p, is_bound=is_bound, digits=2).removeprefix("p ")


def chances(p_values: Iterable[str]) -> str:
    """Join some p-values, with their signs where these differ."""
    texts = list(p_values)
    if all(x.startswith("=") for x in texts):
        return f"= {listed(x.removeprefix('= ') for x in texts)}"
    return listed([texts[0], *(f"p {x}" for x in texts[1:])])


def times(x: float) -> str:
    """Write how often: never, once, 1,850 times."""
    return {0: "never", 1: "once"}.get(round(x), f"{x:,.0f} times")


def ends_of(interval: tuple[float, float], digits: int | None = None) -> str:
    """Write both ends of an interval, with the digits that tell them apart unless it is said."""
    low, high = (few(end, digits or digits_apart(interval)) for end in interval)
    return f"{low} to {high}"


def sure(level: float) -> str:
    """Write how sure an interval is."""
    return f"{100 * level:g} % interval"


def finished(sentence: str) -> str:
    """Begin a note with a capital letter, and end it with a full stop unless it asks."""
    text = begun(" ".join(map(printable, sentence.split()))).rstrip(".")
    return text if text.endswith("?") else f"{text}."


def begun(text: str, names: Iterable[str] = ()) -> str:
    """Begin with a capital letter; names of models begin as they do."""
    starts = tuple(f"{printable(name)}{end}" for name in names for end in " ,")
    return text if text.startswith(starts) else capitalized(text)
