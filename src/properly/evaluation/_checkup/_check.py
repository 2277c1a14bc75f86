"""A data doctor: what is wrong or odd about outcomes and forecasts, before they are scored."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from properly._boundary._arrays import event_label
from properly._boundary._classes import as_labels
from properly._boundary._options import check_choice
from properly._boundary._record import Record
from properly._boundary._synonyms import with_argument_hints
from properly._boundary._text import many
from properly.counts._cases import TASKS, Forecasts, named_forecasts
from properly.errors import ArgumentTypeError
from properly.evaluation._checkup import _checks
from properly.evaluation._checkup._notes import named_symptoms
from properly.evaluation._checkup._sheet import RawColumn, Sheet, read_raw
from properly.evaluation._checkup._symptom import SEVERITIES, Symptom
from properly.typing import ArrayLike

PLURAL = {"problem": "problems", "oddity": "oddities", "note": "notes"}


@dataclass(frozen=True, repr=False)
class Checkup(Record):
    """What `properly.check` or `properly.evaluation.check_answers` found.

    ``print(checkup)`` lists it, problems first.

    Attributes
    ----------
    findings : tuple of Symptom
        What is wrong, odd or good to know, problems first.
    rows : int
        Number of outcomes, or of rows of answers.
    models : tuple of str
        Names of the models, or of the forecasters.
    questions : int or None
        Number of the questions; None where these are no answers.

    Examples
    --------
    >>> import properly
    >>> found = properly.check([0, 1, 1], {"percent": [10, 80, 95], "copy": [10, 80, 95]})
    >>> found
    Checkup(3 rows, 2 models: 2 problems, 2 oddities)
    >>> found.is_fine
    False
    >>> [symptom.where for symptom in found.problems]
    ['percent', 'copy']
    """

    findings: tuple[Symptom, ...]
    rows: int
    models: tuple[str, ...]
    questions: int | None = None

    @property
    def is_fine(self) -> bool:
        """Whether there is no problem; there may be oddities and notes."""
        return not self.problems

    @property
    def problems(self) -> tuple[Symptom, ...]:
        """Of what was found, the problems."""
        return self.of("problem")

    def of(self, severity: Literal["problem", "oddity", "note"]) -> tuple[Symptom, ...]:
        """Return what was found of one severity."""
        check_choice(severity, SEVERITIES, "severity")
        return tuple(symptom for symptom in self.findings if symptom.severity == severity)

    def __repr__(self) -> str:
        return f"Checkup({self._counts()})"

    def __str__(self) -> str:
        """List what was found: problems, oddities, notes."""
        parts = [self._counts()]
        for severity in SEVERITIES:
            symptoms = self.of(severity)
            if symptoms:
                items = (f"- {symptom}" for symptom in symptoms)
                parts.append("\n".join([PLURAL[severity].capitalize(), *items]))
        last = "Nothing else was found." if self.findings else "Nothing was found."
        return "\n\n".join([*parts, last if self.is_fine else f"{last} {_AGAIN}"])

    def _row(self) -> dict[str, Any]:
        """Return everything, problems first."""
        asked = {} if self.questions is None else {"questions": self.questions}
        about = {"rows": self.rows, **asked, "models": self.models}
        return about | {"is_fine": self.is_fine, "findings": self.findings}

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row per finding; its rows are text."""
        named = ("name",) if any(symptom.name for symptom in self.findings) else ()
        names = ("severity", "where", "what", "rows", "count", "advice", *named)
        columns = {name: [getattr(symptom, name) for symptom in self.findings] for name in names}
        return columns | {"rows": [", ".join(map(str, x)) for x in columns["rows"]]}

    def _counts(self) -> str:
        """Count what was found."""
        who = many(len(self.models), "model" if self.questions is None else "forecaster")
        asked = "" if self.questions is None else f"{many(self.questions, 'question')}, "
        about = f"{many(self.rows, 'row')}, {asked}{who}"
        counts = {severity: len(self.of(severity)) for severity in SEVERITIES}
        said = [
            f"{count or 'no'} {severity if count == 1 else PLURAL[severity]}"
            for severity, count in counts.items()
            if count or severity == "problem"
        ]
        return f"{about}: {', '.join(said)}"


_AGAIN = "Mend the problems and check again: they may hide others."


@with_argument_hints
def check(
    y: ArrayLike,
    forecasts: Forecasts,
    *,
    weight: ArrayLike | None = None,
    count: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    task: Literal["auto", "binary", "multiclass", "ordinal"] = "auto",
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> Checkup:
    """Look data over before they are scored, and say what is wrong or odd.

    Columns are taken as they are, also with text, None and NaN in them. Bad data are never refused
    here; they are what is looked for. Nothing is changed.

    Parameters
    ----------
    y : array-like
        Outcomes, as for `properly.evaluate`.
    forecasts : dict of array-like, data frame, or array-like
        Forecasts by model, as for `properly.evaluate`.
    weight, count, clusters, groups, time : array-like, optional
        What else is known of each case.
    task : {"auto", "binary", "multiclass", "ordinal"}
        Forecasts of one dimension are of one event, those of two of several classes.
    labels : sequence of labels, optional
        What each column of class probabilities stands for, in order. Of an event, both labels, the
        event last.
    pos_label : label, optional
        The label of the event.

    Returns
    -------
    Checkup

    Notes
    -----
    *Problems* are what scoring refuses (missing values, text, numbers that are no probabilities,
    rows that do not sum to one, labels that are unknown, columns of different lengths) or could not
    answer (one outcome only, a forecast that is the outcome). *Oddities* can be scored, but often
    come from a mistake: an AUC of 1, or below 1/2 by a 99.9 % interval; a mean forecast five
    standard errors and a quarter in odds from the event rate; forecasts of exactly 0 or 1 that were
    wrong; rows or models that repeat; one case with more than 5 % of the weight; times that look
    like follow-up, by their names and numbers. *Notes* say how
    results are to be read.

    What forecasts look like beside outcomes is looked at once they are probabilities: mend
    problems first, then check again.

    Examples
    --------
    >>> import properly
    >>> print(properly.check([0, 1, None, 1], [3, 80, 15, 99]))
    4 rows, 1 model: 2 problems, 1 oddity
    <BLANKLINE>
    Problems
    - outcome: 1 of 4 outcomes is missing (row 2).
      Did follow-up end before the outcome was known (censored)? Then neither dropping those
      rows nor counting them as no event is right; otherwise drop them first, or pass
      missing="drop" as files are read.
    - forecast: 4 of 4 forecasts are above 1, up to 99, as percentages are (rows 0, 1, 2, 3).
      Of percentages, divide by 100 first.
    <BLANKLINE>
    Oddities
    - outcome: there is only 1 non-event (row 0).
      Means can be read, differences between models hardly; intervals, AUC and calibration
      are not to be trusted below 10 non-events.
    <BLANKLINE>
    Nothing else was found. Mend the problems and check again: they may hide others.
    >>> crash = properly.datasets.crash()
    >>> properly.check(crash.died, crash.forecasts).is_fine
    True
    """
    check_choice(task, TASKS, "task")
    models = {name: read_raw(p, name) for name, p in named_forecasts(forecasts, task).items()}
    chosen = _task(task, models)
    names = None if labels is None else as_labels(labels)
    if names is not None and chosen == "binary":
        pos_label = event_label(names, pos_label)
    if not isinstance(pos_label, Hashable):
        message = f"pos_label must be a label such as a number or text; got {pos_label!r}"
        raise ArgumentTypeError(message)
    columns = {"weight": weight, "count": count, "clusters": clusters}
    columns |= {"groups": groups, "time": time}
    beside = {name: read_raw(x, name) for name, x in columns.items() if x is not None}
    sheet = Sheet(read_raw(y, "outcome"), models, chosen, names, pos_label, beside)
    symptoms = [*_symptoms(sheet), *named_symptoms(y, time, pos_label)]
    return Checkup(by_severity(symptoms), len(sheet.outcome), tuple(models))


def by_severity(symptoms: Iterable[Symptom]) -> tuple[Symptom, ...]:
    """Put problems first, and say each thing once."""
    order = {severity: k for k, severity in enumerate(SEVERITIES)}
    return tuple(sorted(dict.fromkeys(symptoms), key=lambda symptom: order[symptom.severity]))


def _symptoms(sheet: Sheet) -> Iterator[Symptom]:
    """Look at columns, outcomes, each model, models beside each other, and rows."""
    yield from _each(_checks.COLUMNS, sheet)
    if sheet.of_event and not sheet.outcome.is_table and sheet.outcome.labels:
        yield from _each(_checks.OUTCOME, sheet)
    for event in sheet.events:
        yield from _each((*_checks.FORECAST, *_checks.FIT), event)
    for classes in sheet.classes:
        yield from _each(_checks.CLASSES, classes)
    yield from _checks.design_symptoms(sheet)


def _each(checks: Iterable[Callable[[Any], Iterable[Symptom]]], subject: Any) -> Iterator[Symptom]:
    return chain.from_iterable(check(subject) for check in checks)


def _task(task: str, models: Mapping[str, RawColumn]) -> str:
    """Tell an event from classes by the first model that can be read."""
    if task != "auto":
        return task
    first = next((x for x in models.values() if len(x)), None)
    return "multiclass" if first is not None and first.is_table else "binary"
