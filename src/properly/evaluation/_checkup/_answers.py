"""A doctor for long tables of answers: what is wrong or odd before forecasters are compared."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._labels import as_labels
from properly.counts._answer_rows import (
    ANSWER_COLUMNS,
    OF_QUESTION,
    Coded,
    faults,
    read_rows,
    taken_columns,
)
from properly.counts._answers import answers_of
from properly.counts._repeated_answers import check_repeated
from properly.errors import DataError
from properly.evaluation._checkup._answer_fit import fitted_symptoms
from properly.evaluation._checkup._check import Checkup, by_severity
from properly.evaluation._checkup._classes import outside_classes, sums, unknown_labels
from properly.evaluation._checkup._columns import (
    bad_weights,
    infinite,
    lengths,
    missing,
    no_rows,
    text,
    text_times,
    unreadable,
    wrong_shape,
)
from properly.evaluation._checkup._event import (
    many_labels,
    scale,
    swapped,
    unknown_event,
    unnamed_event,
)
from properly.evaluation._checkup._sheet import Sheet, read_raw
from properly.evaluation._checkup._symptom import NAMED, Symptom

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from properly.counts._answer_rows import AnswerRows, Fault
    from properly.counts._answers import Names
    from properly.counts._repeated_answers import Repeated
    from properly.typing import Column, IntoFrame

ROLES = ("question", "forecaster", "outcome", "time", *OF_QUESTION)
COLUMNS = (unreadable, wrong_shape, no_rows, lengths, text, infinite)
OUTCOME = (swapped, many_labels, unnamed_event, unknown_event)
CLASSES = (unknown_labels, sums, outside_classes)
# Where there is no forecast, or not yet an outcome, there is no answer; that is no mistake.
MAY_LACK = ("probability", "outcome")


def check_answers(
    frame: IntoFrame | None = None,
    *,
    question: Names = "question",
    forecaster: Names = "forecaster",
    probability: Names | Sequence[str] = "probability",
    outcome: Names = "outcome",
    time: Names = None,
    opens: Names = None,
    closes: Names = None,
    resolved: Names = None,
    weight: Names = None,
    clusters: Names = None,
    strata: Names = None,
    when: Names = None,
    repeated: Repeated = "refuse",
    horizon: Any = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> Checkup:
    """Look a long table of answers over before forecasters are compared.

    Bad data are never refused here; they are what is looked for. Nothing is changed.

    Parameters
    ----------
    frame, question, forecaster, probability, outcome : optional
        The table and its columns, as `properly.Answers` takes them.
    time, opens, closes, resolved, weight, clusters, strata, when : optional
        More columns, as `properly.Answers` takes them.
    repeated, horizon, labels, pos_label : optional
        How they are to be read, as in `properly.Answers`.

    Returns
    -------
    Checkup

    Notes
    -----
    *Problems* stop every comparison: answers that repeat, questions with two outcomes or weights,
    forecasts made too late, forecasters who share no question, not even through others. *Oddities*
    let differences rest on a single question, or on questions that were easier than the others.
    *Notes* say which rows are set aside.

    What needs a comparison is looked for in the rows that have no problem.

    Examples
    --------
    >>> from properly.evaluation import check_answers
    >>> found = check_answers(
    ...     question=["rain", "rain", "rain", "snow"],
    ...     forecaster=["Ada", "Ben", "Ben", "Cleo"],
    ...     probability=[0.7, 0.4, 0.4, 0.1],
    ...     outcome=[1, 1, 1, None],
    ... )
    >>> found
    Checkup(4 rows, 2 questions, 3 forecasters: 1 problem, 2 oddities, 1 note)
    >>> print(found.problems[0])
    repeated-key: a forecaster answers a question once; 1 key is there more than once: 1
      with identical rows, 0 with different ones (rows 1, 2).
      Drop copies first; repeated="pool" averages rows that are members of an ensemble.
    """
    given = (question, forecaster, probability, outcome, time)
    beside = (weight, clusters, strata, when, opens, closes, resolved)
    taken = taken_columns(frame, dict(zip(ANSWER_COLUMNS, (*given, *beside), strict=True)))
    sheet = _sheet(taken, labels, pos_label)
    rows, found = len(sheet.outcome), by_severity(_column_symptoms(sheet))
    if found:
        return Checkup(found, rows, _names(sheet, "forecaster"), len(_names(sheet, "question")))
    try:
        read = read_rows(taken, labels, pos_label)
    except DataError as error:
        found = (_refused(error, rows),)
        return Checkup(found, rows, _names(sheet, "forecaster"), len(_names(sheet, "question")))
    check_repeated(repeated, horizon, read)
    found = by_severity(_row_symptoms(read, repeated, horizon))
    return Checkup(found, rows, tuple(read.forecasters), len(read.questions))


def _sheet(taken: dict[str, Any], labels: Sequence[object] | None, pos_label: object) -> Sheet:
    """Lay columns side by side as they were handed in."""
    raw = {name: read_raw(_uncoded(x), name) for name, x in taken.items() if name in ROLES}
    forecast = read_raw(taken["probability"], "probability")
    task = "multiclass" if forecast.is_table else "binary"
    names = None if labels is None else as_labels(labels)
    return Sheet(raw.pop("outcome"), {"probability": forecast}, task, names, pos_label, raw)


def _uncoded(x: Any) -> Any:
    """Write out labels that were numbered already."""
    return np.array(x.labels, dtype=object)[x.number] if isinstance(x, Coded) else x


def _column_symptoms(sheet: Sheet) -> Iterator[Symptom]:
    """Find what keeps columns from being read as answers at all."""
    for check in (*COLUMNS, *OUTCOME) if sheet.of_event else COLUMNS:
        yield from check(sheet)
    for symptom in missing(sheet):
        if symptom.where not in MAY_LACK:
            yield replace(symptom, advice="Every row says who answered what.")
    for event in sheet.events:
        yield from scale(event)
    for model in sheet.classes:
        yield from chain.from_iterable(check(model) for check in CLASSES)
    for name, check in (("weight", bad_weights), ("time", text_times)):
        if name in sheet.beside and not sheet.beside[name].is_table:
            yield from check(sheet)


def _names(sheet: Sheet, role: str) -> tuple[str, ...]:
    return tuple(map(str, sheet.beside[role].labels))


def _refused(error: DataError, rows: int) -> Symptom:
    """Say what was refused as it would be refused."""
    what, _, hint = str(error).partition("\n\nHint: ")
    return Symptom("problem", "rows", what, (), rows, _sentence(hint) or "Mend this first.")


def _row_symptoms(rows: AnswerRows, repeated: Repeated, horizon: Any) -> Iterator[Symptom]:
    """Find what rows have, then what shows only if forecasters are compared."""
    found = list(faults(rows, repeated))
    yield from map(_as_symptom, found)
    kept = _sound(rows, found)
    if not (rows.used & kept).any():
        return
    try:
        answers = answers_of(rows.some(kept), repeated, horizon)
        yield from fitted_symptoms(answers, rows, kept)
    except DataError as error:
        yield _refused(error, len(rows.y))


def _as_symptom(fault: Fault) -> Symptom:
    rows = np.flatnonzero(fault.rows)
    what, named = f"{fault.rule}; {fault.found}", tuple(rows[:NAMED].tolist())
    advice = _sentence(fault.hint)
    return Symptom(fault.severity, fault.where, what, named, len(rows), advice, fault.name)


def _sentence(hint: str) -> str:
    """Begin with a capital letter, unless an argument comes first."""
    return hint if "=" in hint.partition(" ")[0] else hint[:1].upper() + hint[1:]


def _sound(rows: AnswerRows, found: list[Fault]) -> Column:
    """Leave out what contradicts itself: of a key, the first row is kept, of a question nothing."""
    kept = np.ones(len(rows.y), dtype=bool)
    for fault in found:
        if fault.name == "repeated-key":
            first = np.zeros(len(kept), dtype=bool)
            first[np.unique(rows.keys, return_index=True)[1]] = True
            kept &= first
        elif fault.name in ("contradictory-outcome", "empty-window"):
            kept &= ~np.isin(rows.question, rows.question[fault.rows])
        elif fault.name == "late-forecast":
            kept &= ~fault.rows
    return kept
