"""The first screen: one row per model, the best first, and what to beware of.

A row says at a glance what a model costs, what that saves, whether its forecasts mean what they
say, and how well it ranks. Pictures are drawn here, in a few lines and a dot, so that they are seen
at once, on paper, and without a script.

The page of a leaderboard has the same: columns, a row each, and cards. A column is described once:
what it is called, how to read it, and the cell of a row. The template draws a cell by its kind, so
that another number takes one more column and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from properly._boundary._text import listed, printable
from properly.calibration._calibration_summary import CalibrationSummary
from properly.calibration._statistics import why_untested
from properly.decisions._grid import round_step, step_decimals
from properly.evaluation._phrases import begun, finished, sure
from properly.evaluation._record import Evaluation
from properly.evaluation._verdict import _verdict as verdicts
from properly.evaluation._verdict._headline import SHORT, ModelStanding, standing_of
from properly.inference._averages import Estimate
from properly.recalibration._choice import kind_in_words
from properly.report._calibration_charts import Frame, frame_of
from properly.report._page_words import AT_MOST, NONE, few, in_words, page_words, percent
from properly.report._vega import TableCell, inks_of
from properly.rules import Bounded, Regret
from properly.rules._parse import between, rule_in_words

# More rows than this are folded.
MOST_ROWS = 10
MOST_CARDS = 3
# Steps of the axis of scores, at most but for one.
MOST_STEPS = 5
# A score so many times that of no model is drawn at the edge.
FAR = 1.5
# Pixels of the small diagram, and points of its curve.
SIDE, INSET, POINTS = 64, 4, 40
# Forecasts that are off by such a factor are plainly wrong; a smaller one is told in per cent.
FACTOR, SMALL_FACTOR = 1.5, 1.2
# A model is worth repairing if so much of its cost is miscalibration, and it ranks about as well as
# the best.
WORTH, AS_WELL = 0.2, 0.03
TIMES = "\N{MULTIPLICATION SIGN}"
# By what decisions about classes are ranked.
RANKED = {"multiclass": "accuracy", "ordinal": "quadratic_kappa"}


class Chip(NamedTuple):
    """What to do with a model, in a word, and in which tone."""

    text: str
    tone: str


class Card(NamedTuple):
    """Something to beware of; where more is said about it."""

    title: str
    text: str
    link: str
    anchor: str
    tone: str = "plain"


def card(kind: str, *parts: str, **numbers: Any) -> Card:
    """Say something to beware of, with numbers and names put in."""
    words, text = page_words()["cards"][kind], in_words("cards", kind, *parts, **numbers)
    return Card(words["title"], text, words["link"], words["anchor"], words.get("tone", "plain"))


def was_or_were(names: Sequence[object]) -> str:
    """Return the verb for one name, or for several."""
    return "was" if len(names) == 1 else "were"


class ScoreDot(NamedTuple):
    """A score and its interval as shares of the width of the axis, and in words."""

    place: float
    lower: float
    upper: float
    words: str
    beyond: str = ""
    """What stands at the end of the axis if the score is not on it."""
    raw: float | None = None
    """Where the mean of the questions that were answered stands, if that misleads."""
    kind: str = "dot"


class Diagnosis(NamedTuple):
    """A small reliability diagram, and what is wrong with forecasts, with the number behind it."""

    text: str
    tone: str
    detail: str = ""
    paths: tuple[str, ...] = ()
    kind: str = "diagnosis"


class ShareBar(NamedTuple):
    """A number, and how much of a bar it fills."""

    number: str
    share: float
    kind: str = "bar"


class ScreenColumn(NamedTuple):
    """A column: what it holds, how to read it, the cell of a row, and its classes of style."""

    key: str
    title: str
    note: str
    cell: Callable[[Any], Any]
    styles: tuple[str, ...] = ("",)

    @property
    def width(self) -> int:
        """How many columns of the table it takes."""
        return len(self.styles)


class ScreenRow(NamedTuple):
    """A model or a forecaster: how its row looks, and its cells by the keys of their columns."""

    name: str
    kind: str
    ink: int | None
    chip: Chip
    cells: dict[str, Any]


class Screen(NamedTuple):
    """All that the first screen shows."""

    columns: Sequence[ScreenColumn]
    rows: list[ScreenRow]
    folded: list[ScreenRow]
    ticks: list[tuple[float, str]]
    marks: list[float]
    """Where dashed lines stand: the score of no model, or of a crowd."""
    cards: list[Card]


def cells_of(columns: Iterable[ScreenColumn], row: Any) -> dict[str, Any]:
    """Return the cells of a row by the keys of their columns."""
    return {column.key: column.cell(row) for column in columns}


class ScoreAxis(NamedTuple):
    """The axis that all scores share, from round number to round number."""

    low: float
    high: float
    step: float

    @classmethod
    def around(cls, least: float, most: float) -> ScoreAxis:
        """Make room for all scores between two of them."""
        step = round_step((most - least) / MOST_STEPS or abs(most) or 1.0)
        first = math.floor(least / step)
        return cls(first * step, max(math.ceil(most / step), first + 1) * step, step)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Where round numbers stand, and what is written there."""
        steps = range(round(self.low / self.step), round(self.high / self.step) + 1)
        digits = step_decimals(self.step)
        return [(self.at(k * self.step), f"{k * self.step:.{digits}f}") for k in steps]

    def holds(self, score: float) -> bool:
        """Return whether a score is on the axis."""
        return self.low <= score <= self.high

    def at(self, score: float) -> float:
        """Return where a score stands, a share of the width; at an end if it is beyond."""
        if not math.isfinite(score):
            return 0.98
        share = (score - self.low) / (self.high - self.low)
        return 0.02 + 0.96 * min(max(share, 0.0), 1.0)

    def places(self, score: float, interval: Iterable[float]) -> tuple[float, float, float]:
        """Return where a score and the ends of its interval stand, if it has one."""
        lower, upper = (self.at(x if math.isfinite(x) else score) for x in interval)
        return self.at(score), lower, upper


USE = Chip("Use", "good")
AMONG_BEST = Chip("Among the best", "good")
WORSE = Chip("Worse", "plain")
NO_BETTER = Chip("No better than no model", "warn")
HARMFUL = Chip("Worse than no model", "bad")
DANGEROUS = Chip("Dangerous", "bad")
UNKNOWN = Chip("Cannot be told", "plain")


def first_screen(evaluation: Evaluation, cases: str, event: str) -> Screen:
    """Lay out a row for each model, the best first, and at most three cards."""
    standing, inks = standing_of(evaluation), inks_of(evaluation)
    # The score of the last baseline, which says the same each time.
    *_, constant = evaluation.baselines.values()
    none = float(constant[evaluation.primary].score)
    axis = score_axis(evaluation, none)
    columns = _columns(evaluation, axis, _diagnoses(evaluation, cases, event))
    rows = [
        ScreenRow(name, "", inks.get(name), _chip(standing, name), cells_of(columns, name))
        for name in standing.models
    ]
    most = len(rows) if len(rows) <= MOST_ROWS + 2 else MOST_ROWS
    # What to beware of, the gravest first.
    cards = [
        *_danger(evaluation, cases, event),
        *_group(evaluation, standing),
        *_repair(evaluation, standing, cases),
        *_unknown(evaluation, standing, cases),
    ]
    ticks, marks = axis.ticks, [axis.at(none)]
    return Screen(columns, rows[:most], rows[most:], ticks, marks, cards[:MOST_CARDS])


def _columns(
    evaluation: Evaluation, axis: ScoreAxis, diagnoses: dict[str, Diagnosis]
) -> tuple[ScreenColumn, ...]:
    """Describe the columns: another number is another one."""
    rule, scores, curves = evaluation.primary, evaluation.scores, evaluation.reliability
    every = [x for name in curves for x in _curves(curves[name])]
    frame = frame_of(every, evaluation.event_rate if evaluation.task == "binary" else 1.0)

    def saved(name: str) -> TableCell:
        # A share, with the interval that says whether it may be none.
        skill = evaluation.skills[name][rule]
        low, high = map(_whole, skill.interval)
        if low == high:
            low, high = (percent(x, 3) for x in skill.interval)
        known = not math.isnan(sum(skill.interval))
        return TableCell(_whole(skill.value), f"{low.removesuffix(' %')} to {high}" * known)

    def meaning(name: str) -> Diagnosis:
        drawn = _curves(curves[name]) if name in curves else []
        return diagnoses[name]._replace(paths=tuple(_path(frame, *x.curve()) for x in drawn))

    asks, both = "Do forecasts mean what they say?", ("of-diagram", "of-finding")
    axes = "observed against forecast" + f", up to {percent(frame.top)}" * (frame.top < 1)
    axes += ", square-root axes" * frame.root
    rank, note = page_words()["rankings"][evaluation.task]
    return (
        ScreenColumn("cost", *_cost_words(evaluation), lambda x: _dot(axis, scores[x][rule])),
        ScreenColumn("saved", "Cost saved", "against no model", saved, ("of-saved",)),
        ScreenColumn("meaning", asks, axes, meaning, both),
        ScreenColumn("ranking", rank, note, partial(_ranking, evaluation), ("of-ranking",)),
    )


def _cost_words(evaluation: Evaluation) -> tuple[str, str]:
    """Say what a score is, and how to read it."""
    rule = next(rule for rule in evaluation.rules if rule.name == evaluation.primary)
    level = sure(evaluation.level)
    if isinstance(rule, Bounded | Regret):
        mean = "mean regret" if isinstance(rule, Regret) else "mean Brier score over them"
        note = f"{mean}, {level}; left is better; dashed: no model"
        return f"Cost of decisions at {between(rule.within)}", note
    return begun(rule_in_words(rule)), f"{level}; left is better; dashed: no model"


def _whole(share: float) -> str:
    """Write whole per cent, unless there is less than one."""
    digits = 1 if abs(share) < 0.095 else 3 if abs(share) >= 0.995 else 2
    return percent(share, digits)


def score_axis(evaluation: Evaluation, none: float) -> ScoreAxis:
    """Begin at 0, and make room for all intervals, unless a model is far worse than none."""
    estimates = [by_rule[evaluation.primary] for by_rule in evaluation.scores.values()]
    highest = [max(x.value, *x.interval) for x in estimates if math.isfinite(x.value)]
    best = min((x.value for x in estimates if math.isfinite(x.value)), default=1.0)
    most = FAR * max(none if math.isfinite(none) else best, best)
    end = max([x for x in (*highest, none) if x <= most], default=most) or 1.0
    step = round_step(end / MOST_STEPS)
    return ScoreAxis(0.0, step * math.ceil(1.02 * end / step), step)


def _dot(axis: ScoreAxis, estimate: Estimate) -> ScoreDot:
    """Place a score and its interval."""
    words = few(estimate.value, 4)
    beyond = "" if estimate.value <= axis.high else f"{words} →"
    if all(map(math.isfinite, estimate.interval)):
        words += f" ({' to '.join(few(x, 4) for x in estimate.interval)})"
    return ScoreDot(*axis.places(estimate.value, estimate.interval), words, beyond)


def _path(frame: Frame, forecast: Any, rate: Any) -> str:
    """Draw the curve of an event, or of a question, in a small diagram."""
    if len(forecast) > POINTS:
        at = frame.at(np.linspace(0, frame.place(forecast[-1]), POINTS)).clip(forecast[0])
        forecast, rate = at, np.interp(at, forecast, rate)
    room = SIDE - 2 * INSET
    x, y = (room * frame.place(column) for column in (forecast, rate))
    height = [f"{SIDE - INSET - b:.1f}" for b in y]
    # Of a level stretch, both ends will do.
    ends = [k for k, b in enumerate(height) if {b} != {*height[max(k - 1, 0) : k + 2]} or not k]
    points = [f"{INSET + x[k]:.1f},{height[k]}" for k in ends]
    return f"M{'L'.join(points)}"


def _curves(curves: Any) -> list[Any]:
    """Return the curve of an event, or those of questions about classes."""
    return [*curves.values()] if isinstance(curves, dict) else [curves]


def _chip(standing: ModelStanding, name: str) -> Chip:
    """Say what to do with a model; that it was certain and wrong outweighs its score."""
    if name in (*standing.wrong, *standing.infinite):
        return DANGEROUS
    if standing.against_none(name) == "harmful":
        return HARMFUL
    if not standing.is_useful(name):
        return UNKNOWN if math.isnan(standing.skills[name].interval[0]) else NO_BETTER
    if name not in standing.top:
        return WORSE
    # Of more models than a headline names, none is advised.
    return USE if len(standing.top) <= SHORT else AMONG_BEST


def _wrong(evaluation: Evaluation, name: str) -> tuple[float, str]:
    """Count the cases for which a model had been certain and wrong, and say how it put that."""
    if evaluation.certain is None:
        return float(max(x.infinite_cases for x in evaluation.scores[name].values())), ""
    counts = evaluation.certain.get(name)
    if counts is None:
        return 0.0, ""
    # Of equal numbers, "impossible" comes last in the alphabet, and is graver.
    return max((counts.never_wrong, "impossible"), (counts.always_wrong, "certain"))


def _whom(count: float, cases: str) -> str:
    """Count cases by a word that is only known in the plural."""
    return f"one of the {cases}" if count == 1 else f"{count:,.4g} {cases}"


def _diagnoses(evaluation: Evaluation, cases: str, event: str) -> dict[str, Diagnosis]:
    """Say of each model what is wrong with its forecasts, the gravest first."""
    tests, found = verdicts.adjusted_tests(evaluation), {}
    for name in evaluation.models:
        summary, test = (evaluation.calibration or {}).get(name), tests.get(name)
        count, called = _wrong(evaluation, name)
        if count:
            what = in_words("diagnoses", "wrong", called or "by_score", event=event)
            detail = printable(f"{_whom(count, cases)}: {what}")
            found[name] = Diagnosis("Certain, and wrong", "bad", detail)
        elif test is None:
            found[name] = Diagnosis("Not tested", "plain")
        elif math.isnan(test.p):
            reason = why_untested(evaluation.calibration_tests[name])
            slope = "" if summary is None else _slope(summary)
            found[name] = Diagnosis("Not tested", "plain", "; ".join(filter(None, (reason, slope))))
        elif test.p > 1 - evaluation.level:
            off = summary is not None and verdicts.is_off(summary)
            slope = _slope(summary) if off and summary is not None else ""
            about = "; ".join(filter(None, (_p(test), slope)))
            found[name] = Diagnosis("No miscalibration shown", "plain" if off else "good", about)
        else:
            found[name] = _miscalibrated(evaluation, summary, test)
    return found


def _p(test: verdicts.Chance) -> str:
    return f"test: p {test.text.replace('<=', AT_MOST)}"


def _miscalibrated(
    evaluation: Evaluation, summary: CalibrationSummary | None, test: verdicts.Chance
) -> Diagnosis:
    """Say in which way forecasts are off: on average, in their spread, or in neither."""
    if summary is None:
        return Diagnosis("Miscalibrated", "warn", _p(test))
    (low, high), ends = summary.observed_expected.interval, summary.slope.interval
    is_large = not 1 / SMALL_FACTOR < summary.observed_expected.value < SMALL_FACTOR
    # A mean that is a little off does not describe forecasts whose slope is off, or unknown.
    if (low > 1 or high < 1) and (is_large or ends[0] <= 1 <= ends[1]):
        return _overall(evaluation, summary, "low" if low > 1 else "high")
    (low, high), detail = ends, _slope(summary)
    if high < 0:
        return Diagnosis("The wrong way round", "bad", detail)
    if high < 1:
        return Diagnosis("Too extreme", "warn", detail)
    if low > 1:
        return Diagnosis("Not extreme enough", "warn", detail)
    return Diagnosis("Miscalibrated", "warn", f"{_p(test)}; see the diagram")


def _slope(summary: CalibrationSummary) -> str:
    slope = summary.slope
    if math.isnan(slope.interval[0]):
        return ""
    return f"slope {few(slope.value, 3)} ({' to '.join(few(x, 3) for x in slope.interval)})"


def _overall(evaluation: Evaluation, summary: CalibrationSummary, side: str) -> Diagnosis:
    """Say by which factor events were expected too often, or too rarely."""
    ratio, rates = summary.observed_expected.value, (summary.mean_forecast, summary.event_rate)
    factor = max(ratio, 1 / ratio if ratio > 0 else math.inf)
    by = f"{few(factor)} {TIMES}" if factor >= SMALL_FACTOR else percent(factor - 1)
    expected, happened = map(percent, rates)
    if evaluation.total == evaluation.rows:
        expected, happened = (f"{x * evaluation.total:,.0f}" for x in rates)
    tone = "bad" if factor >= FACTOR else "warn"
    return Diagnosis(f"{by} too {side}", tone, f"{expected} expected, {happened} happened")


def _ranking(evaluation: Evaluation, name: str) -> ShareBar:
    """Say how well a model ranks, or how often the class it decides for is right."""
    if evaluation.task == "binary":
        area = evaluation.aucs.get(name)
        value = math.nan if area is None else area.value
        share = 2 * value - 1
    else:
        decided = evaluation.decisions[name].argmax
        value = share = getattr(decided, RANKED[evaluation.task])
    if math.isnan(value):
        return ShareBar(NONE, 0.0)
    return ShareBar(f"{value:.3f}", min(max(share, 0.0), 1.0))


def _danger(evaluation: Evaluation, cases: str, event: str) -> Iterator[Card]:
    wrong = {name: _wrong(evaluation, name) for name in evaluation.models}
    guilty = sorted((name for name, x in wrong.items() if x[0]), key=lambda x: -wrong[x][0])
    if not guilty:
        return
    worst, *others = guilty
    count, called = wrong[worst]
    whom = _whom(count, cases)
    parts = [called or "by_score", *["others"] * bool(others)]
    names, was = listed(map(printable, others), 3) if others else "", was_or_were(others)
    yield card("wrong", *parts, worst=worst, whom=whom, event=event, others=names, was=was)


def _group(evaluation: Evaluation, standing: ModelStanding) -> Iterator[Card]:
    """Name the group for which a model that one might use is worst, if it can be shown to be."""
    for name in standing.top:
        split = evaluation.groups.get(name)
        worst = None if split is None else split.worst
        if worst is not None and verdicts.is_worse(worst):
            score = few(evaluation.scores[name][evaluation.primary].value)
            more = few(abs(worst.difference))
            yield card("group", model=name, group=worst.name, more=more, score=score)
            return


def _repair(evaluation: Evaluation, standing: ModelStanding, cases: str) -> Iterator[Card]:
    """Name the model that gains most by recalibration; if that was not tried, one that may."""
    if evaluation.repairs:
        yield from _repaired(evaluation)
        return
    best = max((x.value for x in (evaluation.aucs or {}).values()), default=math.nan)
    for name in reversed(standing.order):
        parts = evaluation.parts[name][evaluation.primary]
        if parts.intervals is None or not evaluation.aucs or name not in evaluation.aucs:
            continue
        miscalibration = parts.intervals.corrected_miscalibration
        share = parts.miscalibration / parts.score if parts.score else 0.0
        if miscalibration >= WORTH * parts.score and evaluation.aucs[name].value >= best - AS_WELL:
            yield card("worth", model=name, cases=cases, share=percent(share))
            return


def _repaired(evaluation: Evaluation) -> Iterator[Card]:
    """Say what the best repair would save on new cases, as a share of the cost."""
    rule, shares = evaluation.primary, {}
    for name, repair in evaluation.repairs.items():
        gain, score = repair.gain(rule), evaluation.scores[name][rule].value
        if repair.recommended and math.isfinite(gain.estimate) and score > 0:
            shares[name] = [x / score for x in (gain.estimate, *gain.interval)]
    if not shares:
        return
    first, *others = sorted(shares, key=lambda name: -shares[name][0])
    share, low, high = map(_whole, shares[first])
    kind, level = kind_in_words(evaluation.repairs[first].kind), sure(evaluation.level)
    numbers = {"share": share, "sure": level, "low": low.removesuffix(" %"), "high": high}
    names = listed(map(printable, others), 3) if others else ""
    parts = ("text", *["others"] * bool(others))
    yield card("repair", *parts, repair=kind, model=first, others=names, **numbers)


def _unknown(evaluation: Evaluation, standing: ModelStanding, cases: str) -> Iterator[Card]:
    """Say what it would take to tell the best from the next, or else what was noted."""
    for number, rival in verdicts.open_pairs(standing):
        yield card("open", number=number, cases=cases, best=standing.top[0], rival=rival)
        return
    if evaluation.notes:
        first, *more = evaluation.notes
        parts = ("text", *["more"] * bool(more))
        yield card("note", *parts, first=finished(first), more=len(more))
