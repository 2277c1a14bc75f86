"""What is wrong with a long table of answers, or good to know: said once, refused or listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._text import first_of, many, quoted
from properly.counts._answer_rows import OF_QUESTION
from properly.counts._cases import numbered
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.counts._answer_rows import AnswerRows
    from properly.typing import Column

Severity: TypeAlias = Literal["problem", "oddity", "note"]
MOMENTS = 'with their windows, repeated="moments" compares forecasters while both stand.'


class Fault(NamedTuple):
    """Something found in a table of answers.

    Attributes
    ----------
    name : str
        What it is called.
    severity : {"problem", "oddity", "note"}
        Of a problem, nothing is compared.
    where : str
        The role of the column.
    rule, found : str
        What should be, and what is.
    rows : numpy array
        Which rows are concerned.
    number : int
        How many of what `found` counts.
    hint : str
        What to do.
    """

    name: str
    severity: Severity
    where: str
    rule: str
    found: str
    rows: Column
    number: int
    hint: str

    def refuse(self) -> None:
        """Stop here: the rule, what was found, the first row, and what to do."""
        first, count = int(np.flatnonzero(self.rows)[0]), int(self.rows.sum())
        place = f"row {first}" if count == 1 else f"row {first} is the first of {count:,}"
        message = f"{self.rule}; {self.found} ({place})"
        raise DataError(message, hint=self.hint)


def faults(rows: AnswerRows, repeated: str = "refuse") -> Iterator[Fault]:
    """Look for what contradicts itself, then for what is set aside."""
    if repeated != "pool":
        yield from _repeated_keys(rows)
    if repeated == "refuse":
        yield from _several_answers(rows)
    yield from _contradictory_outcomes(rows)
    for name in OF_QUESTION:
        yield from _varying(rows, name)
    yield from _empty_windows(rows)
    yield from _late(rows)
    yield from _similar_names(rows)
    yield from _set_aside(rows)
    yield from _one_forecaster(rows)


def require_sound(rows: AnswerRows, repeated: str) -> None:
    """Refuse the first problem."""
    for fault in faults(rows, repeated):
        if fault.severity == "problem":
            fault.refuse()


def _repeated_keys(rows: AnswerRows) -> Iterator[Fault]:
    if not rows.has_repeats:
        return
    count = np.bincount(rows.keys)
    often = count[rows.keys] > 1
    if not often.any():
        return
    same = _are_alike(rows)
    keys = int((count > 1).sum())
    copies = int(same[count > 1].sum())
    timed = rows.time is not None
    what = "a forecaster answers a question once at a time" if timed else _ONCE
    found = (
        f"{many(keys, 'key')} {'is' if keys == 1 else 'are'} there more than once: "
        f"{copies} with identical rows, {keys - copies} with different ones"
    )
    first = "drop copies first" if copies else "say which row counts"
    hint = f'{first}; repeated="pool" averages rows that are members of an ensemble.'
    yield Fault("repeated-key", "problem", "question", what, found, often, keys, hint)


_ONCE = "a forecaster answers a question once"


def _are_alike(rows: AnswerRows) -> Column:
    """Tell of each key whether all its rows say the same."""
    table = np.column_stack([rows.p, rows.y])
    first = np.unique(rows.keys, return_index=True)[1]
    other = table[first[rows.keys]]
    away = ((table != other) & ~(np.isnan(table) & np.isnan(other))).any(axis=1)
    return np.asarray(np.bincount(rows.keys, away) == 0)


def _several_answers(rows: AnswerRows) -> Iterator[Fault]:
    """Find answers that were changed in the course of time."""
    if rows.time is None or not rows.has_repeats:
        return
    _, place, count = np.unique(rows.pair, return_inverse=True, return_counts=True)
    often = count[place] > 1
    if often.any():
        found = f"{many(int((count > 1).sum()), 'answer')} changed in the course of time"
        hint = f'repeated="last" (--repeated last) takes the last; {MOMENTS}'
        number = int((count > 1).sum())
        yield Fault("several-answers", "problem", "time", _ONCE, found, often, number, hint)


def _contradictory_outcomes(rows: AnswerRows) -> Iterator[Fault]:
    known = rows.y >= 0
    some = np.zeros(len(rows.questions), dtype=np.int64)
    some[rows.question[known]] = rows.y[known]
    away = known & (rows.y != some[rows.question])
    if not away.any():
        return
    bad = np.zeros(len(rows.questions), dtype=bool)
    bad[rows.question[away]] = True
    said = (_with_outcomes(rows, int(k)) for k in np.flatnonzero(bad))
    count = int(bad.sum())
    found = f"{many(count, 'question')} {_has(count)} several: {first_of(said, count=count)}"
    rule, hint = "a question has one outcome", "mend the outcomes of these questions first."
    flags = bad[rows.question] & known
    yield Fault("contradictory-outcome", "problem", "outcome", rule, found, flags, count, hint)


def _with_outcomes(rows: AnswerRows, question: int) -> str:
    own = rows.y[(rows.question == question) & (rows.y >= 0)]
    value, count = np.unique(own, return_counts=True)
    names = value.tolist() if rows.labels is None else [rows.labels[k] for k in value.tolist()]
    said = (f"{quoted(x)} in {many(n, 'row')}" for x, n in zip(names, count.tolist(), strict=True))
    return f"{quoted(rows.questions[question])} ({', '.join(said)})"


def _varying(rows: AnswerRows, name: str) -> Iterator[Fault]:
    if name not in rows.beside:
        return
    value = numbered(rows.beside[name])[0]
    first = np.zeros(len(rows.questions), dtype=np.intp)
    first[rows.question[::-1]] = value[::-1]
    away = value != first[rows.question]
    bad = np.unique(rows.question[away])
    if not len(bad):
        return
    word = {"clusters": "cluster", "strata": "stratum"}.get(name, name)
    what = f"the {word}" if name in ("weight", "clusters", "strata") else f"{word}="
    rule = f"{what} belongs to the question: one value each"
    found = f"{many(len(bad), 'question')} {_has(len(bad))} several: {_named(rows, bad)}"
    hint = "give all rows of a question the same."
    flags = np.isin(rows.question, bad)
    yield Fault(f"varying-{word}", "problem", name, rule, found, flags, len(bad), hint)


def _empty_windows(rows: AnswerRows) -> Iterator[Fault]:
    if not {"opens", "closes"} <= set(rows.beside):
        return
    empty = ~(rows.beside["closes"] > rows.beside["opens"])
    questions = np.unique(rows.question[empty])
    count = len(questions)
    if count:
        rule = "a question closes after it opens"
        do = "does" if count == 1 else "do"
        found = f"{many(count, 'question')} {do} not: {_named(rows, questions)}"
        hint = "mend these times first."
        yield Fault("empty-window", "problem", "closes", rule, found, empty, count, hint)


def _late(rows: AnswerRows) -> Iterator[Fault]:
    for name in ("closes", "resolved"):
        if rows.time is None or name not in rows.beside:
            continue
        late = rows.used & (rows.time > rows.beside[name])
        count = int(late.sum())
        if count:
            when = "closes" if name == "closes" else "is resolved"
            rule = f"a forecast is made before its question {when}"
            found = f"{many(count, 'forecast')} {'is' if count == 1 else 'are'} later"
            hint = "these knew more than a forecast may; drop them first."
            yield Fault("late-forecast", "problem", "time", rule, found, late, count, hint)
            return


def _similar_names(rows: AnswerRows) -> Iterator[Fault]:
    fold: dict[str, list[str]] = {}
    for name in rows.forecasters:
        fold.setdefault(name.strip().casefold(), []).append(name)
    alike = [names for names in fold.values() if len(names) > 1]
    if alike:
        names = {name for some in alike for name in some}
        flags = np.array([name in names for name in rows.forecasters])[rows.forecaster]
        said = first_of(" and ".join(map(quoted, some)) for some in alike)
        found = f"{said} are taken as different"
        rule, hint = "names are compared as text", "give one forecaster one name."
        yield Fault("similar-names", "oddity", "forecaster", rule, found, flags, len(alike), hint)


def _set_aside(rows: AnswerRows) -> Iterator[Fault]:
    unknown = rows.y < 0
    for name, bad, what in (
        ("unresolved", unknown, "outcome"),
        ("missing-forecast", ~rows.answered & ~unknown, "forecast"),
    ):
        if bad.any():
            questions = np.unique(rows.question[bad])
            count = int(bad.sum())
            found = f"{many(count, 'row')} {_has(count)} no {what}: {_named(rows, questions)}"
            rule, hint = "answers have a forecast and an outcome", "These rows are set aside."
            yield Fault(name, "note", what, rule, found, bad, count, hint)


def _one_forecaster(rows: AnswerRows) -> Iterator[Fault]:
    if rows.has_repeats:
        answers = np.unique(rows.pair[rows.used]) // len(rows.forecasters)
    else:
        answers = rows.question[rows.used]
    alone = np.bincount(answers) == 1
    questions = np.flatnonzero(alone)
    if len(questions):
        count = len(questions)
        found = f"{many(count, 'question')} {_has(count)} one forecaster: {_named(rows, questions)}"
        rule, hint = "questions compare those who answer them", "They compare nobody."
        flags = rows.used & np.isin(rows.question, questions)
        yield Fault("one-forecaster", "note", "question", rule, found, flags, count, hint)


def _has(count: int) -> str:
    return "has" if count == 1 else "have"


def _named(rows: AnswerRows, questions: Column) -> str:
    return first_of((quoted(rows.questions[k]) for k in questions), count=len(questions))
