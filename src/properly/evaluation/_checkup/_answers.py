"""A doctor for long tables of answers: what is wrong or odd before forecasters are compared.

Columns are looked at first, then rows, then what shows once forecasters are compared: parts, and
few answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from inspect import signature
from itertools import chain
from typing import Any

import numpy as np

from properly._boundary._classes import as_labels
from properly._boundary._text import capitalized, first_of, many, quoted
from properly.comparison._gaps import shared_questions
from properly.counts import _answer_rows
from properly.counts._answer_rows import AnswerRows, Fault
from properly.counts._answers import Answers, Losses, answers_of
from properly.counts._repeated_answers import Repeated, check_repeated
from properly.errors import DataError
from properly.evaluation._checkup import _checks
from properly.evaluation._checkup._check import Checkup, by_severity
from properly.evaluation._checkup._sheet import Sheet, read_raw
from properly.evaluation._checkup._symptom import Symptom, finding, said
from properly.rules._dual_rules import Brier
from properly.typing import Column, IntoFrame

ROLES = ("question", "forecaster", "outcome", "time", *_answer_rows.OF_QUESTION)
READABLE = tuple(check for check in _checks.COLUMNS if check is not _checks.missing)
# Where there is no forecast, or not yet an outcome, there is no answer; that is no mistake.
MAY_LACK = ("probability", "outcome")
READING = ("repeated", "horizon", "labels", "pos_label")


def check_answers(frame: IntoFrame | None = None, **given: Any) -> Checkup:
    """Look a long table of answers over before forecasters are compared.

    Bad data are never refused here; they are what is looked for. Nothing is changed.

    Parameters
    ----------
    frame : data frame, optional
        The table; without it, all columns are arrays.
    **given
        All else that `properly.Answers` takes: ``question``, ``forecaster``, ``probability``,
        ``outcome`` and further columns, and ``repeated``, ``horizon``, ``labels`` and
        ``pos_label``, by which they are read.

    Returns
    -------
    Checkup

    Notes
    -----
    *Problems* stop every comparison: answers that repeat, questions with two outcomes or weights,
    forecasts made too late, forecasters who share no question, not even through others. *Oddities*
    are forecasters who share few questions, and outcomes that were held to be impossible. *Notes*
    say which rows are set aside.

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
    Checkup(4 rows, 2 questions, 3 forecasters: 1 problem, 1 oddity, 1 note)
    >>> print(found.problems[0])
    repeated-key: a forecaster answers a question once; 1 key is there more than once: 1
      with identical rows, 0 with different ones (rows 1, 2).
      Drop copies first; repeated="pool" averages rows that are members of an ensemble.
    """
    taking = signature(Answers).bind(frame, **given)
    taking.apply_defaults()
    columns = {name: taking.arguments[name] for name in _answer_rows.ANSWER_COLUMNS}
    taken = _answer_rows.taken_columns(frame, columns)
    repeated, horizon, labels, pos_label = (taking.arguments[name] for name in READING)
    sheet = _sheet(taken, labels, pos_label)
    who, asked = (list(map(str, sheet.beside[x].labels)) for x in ("forecaster", "question"))
    read, found = None, tuple(_column_symptoms(sheet))
    if not found:
        try:
            read = _answer_rows.read_rows(taken, labels, pos_label)
        except DataError as error:
            found = (_refused(error, len(sheet.outcome)),)
    if read is not None:
        check_repeated(repeated, horizon, read)
        who, asked = read.forecasters, read.questions
        found = tuple(_row_symptoms(read, repeated, horizon))
    return Checkup(by_severity(found), len(sheet.outcome), tuple(who), len(asked))


def _sheet(taken: dict[str, Any], labels: Sequence[object] | None, pos_label: object) -> Sheet:
    """Lay columns side by side as they were handed in."""
    # Labels that were numbered already are written out.
    coded = {k: x for k, x in taken.items() if isinstance(x, _answer_rows.Coded)}
    plain = taken | {k: np.array(x.labels, dtype=object)[x.number] for k, x in coded.items()}
    raw = {name: read_raw(x, name) for name, x in plain.items() if name in ROLES}
    forecast = read_raw(taken["probability"], "probability")
    task = "multiclass" if forecast.is_table else "binary"
    names = None if labels is None else as_labels(labels)
    return Sheet(raw.pop("outcome"), {"probability": forecast}, task, names, pos_label, raw)


def _column_symptoms(sheet: Sheet) -> Iterator[Symptom]:
    """Find what keeps columns from being read as answers at all."""
    for check in (*READABLE, *_checks.LABELS) if sheet.of_event else READABLE:
        yield from check(sheet)
    for symptom in _checks.missing(sheet):
        if symptom.where not in MAY_LACK:
            yield replace(symptom, advice="Every row says who answered what.")
    for event in sheet.events:
        yield from _checks.scale(event)
    for model in sheet.classes:
        yield from chain.from_iterable(check(model) for check in _checks.TABLES)
    for name, check in (("weight", _checks.bad_weights), ("time", _checks.text_times)):
        if name in sheet.beside and not sheet.beside[name].is_table:
            yield from check(sheet)


def _refused(error: DataError, rows: int) -> Symptom:
    """Say what was refused as it would be refused."""
    what, _, hint = str(error).partition("\n\nHint: ")
    return finding("problem", "rows", rows, what, _sentence(hint) or "Mend this first.")


def _row_symptoms(rows: AnswerRows, repeated: Repeated, horizon: Any) -> Iterator[Symptom]:
    """Find what rows have, then what shows only if forecasters are compared."""
    found = list(_answer_rows.faults(rows, repeated))
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
    what, advice = f"{fault.rule}; {fault.found}", _sentence(fault.hint)
    return finding(fault.severity, fault.where, fault.rows, what, advice, name=fault.name)


def _sentence(hint: str) -> str:
    """Begin with a capital letter, unless an argument comes first."""
    return hint if "=" in hint.partition(" ")[0] else capitalized(hint)


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


# What shows once forecasters are compared

# With fewer questions in common with anybody, a forecaster is not ranked.
LEAST = 10
# So many names are listed.
LISTED = 8
PARTIAL = " Rows with a problem were left out here."


def fitted_symptoms(answers: Answers, rows: AnswerRows, kept: Column) -> Iterator[Symptom]:
    """Compare forecasters by Brier scores, and say what the comparison would rest on."""
    used, more = rows.used & kept, "" if kept.all() else PARTIAL
    yield from _certain(rows, used)
    every = answers.losses(Brier())
    present = np.unique(every.forecaster)
    if len(present) < 2:
        return
    names, losses = [answers.forecasters[k] for k in present.tolist()], every.of(present)
    few = _few(shared_questions(losses, len(names)), names, rows, used)
    for symptom in (*_parts(losses, names, len(used)), *few):
        yield replace(symptom, advice=f"{symptom.advice}{more}")


def _parts(losses: Losses, names: list[str], rows: int) -> Iterator[Symptom]:
    """Find forecasters who share no question, not even through others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # Forecasters come first, and so do those of the first part.
    question = losses.question[losses.cell] + len(names)
    edges = np.ones(len(question)), (losses.forecaster, question)
    size = int(question.max()) + 1
    part = connected_components(coo_array(edges, (size, size)), directed=False)[1][: len(names)]
    count = int(part.max()) + 1
    if count < 2:
        return
    parts = [[names[j] for j in np.flatnonzero(part == k)] for k in range(min(count, LISTED))]
    listed = " | ".join(first_of(map(quoted, part), LISTED) for part in parts)
    words = said("not_connected", count=count, parts=f"{listed}{' | …' * (count > LISTED)}")
    yield finding("problem", "forecaster", rows, *words, name="not-connected")


def _few(shared: Column, names: list[str], rows: AnswerRows, used: Column) -> Iterator[Symptom]:
    """Find forecasters who share few questions with anybody."""
    few = {name: k for name, k in zip(names, shared.tolist(), strict=True) if k < LEAST}
    if few:
        listed = first_of((f"{quoted(name)} ({k})" for name, k in few.items()), LISTED)
        who = f"{many(len(few), 'forecaster')} {'shares' if len(few) == 1 else 'share'}"
        words = said("few_answers", least=LEAST, who=who, listed=listed)
        flags = np.array([name in few for name in rows.forecasters])[rows.forecaster] & used
        yield finding("oddity", "forecaster", flags, *words, name="few-answers")


def _certain(rows: AnswerRows, used: Column) -> Iterator[Symptom]:
    """Find outcomes that were held to be impossible."""
    happened = np.maximum(rows.y, 0)
    if rows.p.ndim == 1:
        given = np.where(happened == 1, rows.p, 1 - rows.p)
    else:
        given = np.take_along_axis(rows.p, happened[:, None], axis=1)[:, 0]
    wrong = used & (given == 0)
    if not wrong.any():
        return
    count = np.bincount(rows.forecaster[wrong], minlength=len(rows.forecasters))
    some = np.flatnonzero(count)
    whose = (f"{quoted(rows.forecasters[j])} ({count[j]})" for j in some.tolist())
    listed = first_of(whose, LISTED, count=len(some))
    words = said("certain_and_wrong", answers=many(int(wrong.sum()), "answer"), listed=listed)
    yield finding("oddity", "probability", wrong, *words, name="certain-and-wrong")
