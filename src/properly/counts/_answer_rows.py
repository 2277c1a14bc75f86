"""A long table of answers as it was handed in: columns by role, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary import _arrays
from properly._boundary._classes import require_columns
from properly._boundary._libraries import to_numpy
from properly._boundary._record import as_frame
from properly._boundary._text import first_of, many, quoted
from properly.counts._cases import Cases, numbered
from properly.errors import ArgumentTypeError, DataError
from properly.typing import Column

# What belongs to the question: one value each.
OF_QUESTION = ("weight", "clusters", "strata", "when", "opens", "closes", "resolved")
# Times that are compared with one another; that of the design is not.
TIMES = ("time", "opens", "closes", "resolved")
NUMBERS = (int, float, np.number)
# An answer, what happened to its question, and when.
REQUIRED = ("question", "forecaster", "probability", "outcome")
ANSWER_COLUMNS = (*REQUIRED, "time", *OF_QUESTION)
# What is told apart by its label alone, and from how many rows on that is left to Arrow.
LABELS = ("question", "forecaster")
LONG = 100_000
# Bits of a number that has no sign.
ROOM = 63


class Coded(NamedTuple):
    """Labels in order, and the number of that of each row."""

    number: Column
    labels: list[Any]


@dataclass(frozen=True, eq=False)
class AnswerRows:
    """Rows as they were handed in, each one answer.

    Attributes
    ----------
    question, forecaster : numpy array
        Their numbers, from 0.
    questions, forecasters : list
        Their labels, by number.
    p : numpy array
        Probabilities of the event or of the classes; NaN where there is no answer.
    y : numpy array
        Whether the event happened, or which class; -1 where that is not known.
    labels : tuple or None
        The labels of the classes; None for an event.
    time : numpy array or None
        When each forecast was made.
    beside : dict of numpy arrays
        What is known of the question, each a value a row.
    """

    question: Column
    forecaster: Column
    questions: list[Any]
    forecasters: list[str]
    p: Column
    y: Column
    labels: tuple[Any, ...] | None
    time: Column | None
    beside: dict[str, Column]

    @cached_property
    def answered(self) -> Column:
        """Whether there is a forecast."""
        return ~np.isnan(self.p if self.p.ndim == 1 else self.p[:, 0])

    @cached_property
    def used(self) -> Column:
        """Whether there is a forecast, and it is known what happened."""
        return np.asarray(self.answered & (self.y >= 0))

    def some(self, kept: Column) -> AnswerRows:
        """Keep some rows; questions and forecasters stay numbered as they are."""
        columns = {name: getattr(self, name)[kept] for name in ("question", "forecaster", "p", "y")}
        time = None if self.time is None else self.time[kept]
        beside = {name: x[kept] for name, x in self.beside.items()}
        return replace(self, **columns, time=time, beside=beside)

    @cached_property
    def pair(self) -> Column:
        """The question and the forecaster of each row, as one number in their order."""
        return self.question * np.intp(len(self.forecasters)) + self.forecaster

    @cached_property
    def in_order(self) -> tuple[Column, Column]:
        """The rows in the order of their questions and forecasters, and the pairs in this order."""
        low, most = len(self.pair).bit_length(), len(self.questions) * len(self.forecasters)
        if low + most.bit_length() > ROOM:
            order = np.argsort(self.pair, kind="stable")
            return order, self.pair[order]
        # Numbers behind which their places ride are sorted faster than places.
        packed = (self.pair << low) | np.arange(len(self.pair))
        packed.sort()
        return packed & ((1 << low) - 1), packed >> low

    @cached_property
    def has_repeats(self) -> bool:
        """Whether somebody answered a question more than once."""
        ordered = self.in_order[1]
        return bool((ordered[1:] == ordered[:-1]).any())

    @cached_property
    def keys(self) -> Column:
        """The number of the question, the forecaster and the time of each row, from 0."""
        key = self.pair
        if self.time is not None:
            key = np.unique(key, return_inverse=True)[1]
            moment = np.unique(self.time, return_inverse=True)[1]
            key = key * (moment.max(initial=0) + 1) + moment
        return np.unique(key, return_inverse=True)[1]


def taken_columns(frame: Any, columns: dict[str, Any]) -> dict[str, Any]:
    """Take columns by their names in a frame, or as they are."""
    given = {k: x for k, x in columns.items() if x is not None}
    if frame is not None:
        return _of_frame(frame, given)
    for role in REQUIRED:
        if role not in given or isinstance(given[role], str):
            message = f"without a frame, {role} must be an array; got {given.get(role)!r}"
            raise ArgumentTypeError(message, hint="write Answers(frame, …) for names of columns.")
    return given


def read_rows(
    taken: dict[str, Any], labels: Sequence[object] | None, pos_label: object
) -> AnswerRows:
    """Check each column by itself."""
    p, y, names = _forecasts(taken["probability"], taken["outcome"], labels, pos_label)
    (question, questions), (forecaster, labels_of) = (
        _numbered(taken[name], name, p) for name in ("question", "forecaster")
    )
    # Forecasters are numbered by their names, compared as text; nothing is stripped.
    place, forecasters = numbered(np.array([str(x) for x in labels_of], dtype=object))
    forecaster = place[forecaster]
    beside = {name: _beside(taken[name], name, p) for name in OF_QUESTION[:-1] if name in taken}
    if "resolved" in taken:
        beside["resolved"] = _moments(_resolutions(taken["resolved"], y), "resolved", p)
    time = _moments(taken["time"], "time", p) if "time" in taken else None
    _require_one_scale({"time": time, **beside})
    return AnswerRows(question, forecaster, questions, forecasters, p, y, names, time, beside)


def _of_frame(frame: Any, columns: dict[str, Any]) -> dict[str, Any]:
    """Take the columns of a frame."""
    data = as_frame(frame)
    if data is None:
        message = f"answers are the rows of a frame; got {type(frame).__name__}"
        hint = "without a frame, write Answers(question=…, forecaster=…, probability=…, outcome=…)."
        raise ArgumentTypeError(message, hint=hint)
    names = {k: [x] if isinstance(x, str) else x for k, x in columns.items()}
    for role, given in names.items():
        several = role == "probability" and isinstance(given, list | tuple)
        if not (several or isinstance(columns[role], str)) or not all(
            isinstance(name, str) for name in given
        ):
            message = (
                f"{role} of a frame is the name of a column; got {type(columns[role]).__name__}"
            )
            raise ArgumentTypeError(message)
    wanted = list(dict.fromkeys(name for given in names.values() for name in given))
    require_columns(wanted, data.collect_schema().names())
    table = data.select(*wanted).collect()
    result = {
        role: (_coded(table[given[0]]) if role in LABELS else table[given[0]].to_numpy())
        for role, given in names.items()
    }
    if len(names["probability"]) > 1:
        result["probability"] = side_by_side(table[k].to_numpy() for k in names["probability"])
    return result


def side_by_side(columns: Iterable[Column]) -> Column:
    """Lay columns side by side; numbers beside text stay numbers."""
    columns = list(columns)
    mixed = any(x.dtype.kind not in "biuf" for x in columns)
    return np.stack([x.astype(object) for x in columns] if mixed else columns, axis=1)


def _numbered(x: Any, name: str, p: Column) -> tuple[Column, list[Any]]:
    """Give labels numbers, in their order."""
    if isinstance(x, Coded):
        return x.number, x.labels
    return numbered(_column(x, name, p))


def _column(x: Any, name: str, p: Column) -> Column:
    """Take a column without gaps, as long as the forecasts."""
    column = to_numpy(_arrays.as_column(x, name))
    _arrays.check_length(column, p, name)
    _arrays.require_present(column, name)
    return column


def _coded(series: Any) -> Any:
    """Let Arrow number the labels of a long column of text or whole numbers, where installed."""
    kind = series.dtype
    is_plain = kind.is_integer() or str(kind).startswith(("String", "Categorical", "Enum"))
    if len(series) < LONG or series.null_count() or not is_plain or find_spec("pyarrow") is None:
        return series.to_numpy()
    from pyarrow.compute import array_sort_indices

    coded = series.to_arrow().dictionary_encode()
    number, labels = coded.indices.to_numpy(), coded.dictionary
    # Of categories, only those in use.
    used = np.flatnonzero(np.bincount(number, minlength=len(labels)))
    order = used[array_sort_indices(labels.take(used)).to_numpy()]
    place = np.empty(len(labels), dtype=np.intp)
    place[order] = np.arange(len(order))
    return Coded(place[number], labels.take(order).to_pylist())


def _forecasts(
    probability: Any, outcome: Any, labels: Sequence[object] | None, pos_label: object
) -> tuple[Column, Column, tuple[Any, ...] | None]:
    """Check the forecasts and outcomes that are there, each in its own row."""
    p: Column = _floats(probability)
    y = to_numpy(_arrays.as_column(_arrays.with_gaps(outcome), "outcomes"))
    _arrays.check_length(y, p, "outcomes")
    gone, unknown = _arrays.missing_values(p), _arrays.missing_values(y)
    if p.ndim == 2:
        some = np.asarray(gone.any(axis=1) & ~gone.all(axis=1))
        if some.any():
            rule = "an answer has the probabilities of all classes, or of none"
            _arrays.refuse(p, gone & some[:, None], rule)
        gone = gone[:, 0]
    if gone.all() or unknown.all():
        what = "a forecast" if gone.all() else "an outcome"
        message = f"answers need {what}; all {len(p)} are missing"
        raise DataError(message)
    # What is missing is filled for the check alone, so that rows keep their numbers.
    filled = p.copy()
    filled[gone] = 1 / p.shape[1] if p.ndim == 2 else 0.5
    known = y.copy()
    known[unknown] = y[np.flatnonzero(~unknown)[0]]
    checked = Cases(_plain(known), filled, labels=labels, pos_label=pos_label)
    result = to_numpy(checked.y).astype(np.int64)
    result[unknown] = -1
    return (
        np.where(gone if p.ndim == 1 else gone[:, None], np.nan, to_numpy(checked.p)),
        result,
        checked.labels,
    )


def _floats(x: Any) -> Column:
    """Read numbers among which some may be missing."""
    values = to_numpy(_arrays.as_array(_arrays.with_gaps(x), "forecasts"))
    if values.dtype.kind in "OUS":
        gone = _arrays.missing_values(values)
        values = values.copy()
        values[gone] = np.nan
        text = np.array([isinstance(item, str | bytes) for item in values.flat])
        if text.any():
            bad = text.reshape(values.shape)
            _arrays.refuse(
                values, bad, "forecasts must be numbers", "convert text to numbers first."
            )
    return values.astype(np.float64)


def _plain(y: Column) -> Column:
    """Make whole numbers of objects and of floats that are whole."""
    if y.dtype.kind == "O" and all(isinstance(x, bool | int | float | np.number) for x in y):
        y = y.astype(np.float64)
    return y.astype(np.int64) if y.dtype.kind == "f" and (y == np.floor(y)).all() else y


def _resolutions(x: Any, y: Column) -> Column:
    """Fill in when questions were resolved that are not resolved yet; these rows are set aside."""
    column = to_numpy(_arrays.as_column(x, "resolved"))
    _arrays.check_length(column, y, "resolved")
    gone = _arrays.missing_values(column)
    if gone.any() and not gone.all():
        column = column.copy()
        column[gone & (y < 0)] = column[np.flatnonzero(~gone)[0]]
    return column


def _beside(x: Any, name: str, p: Column) -> Column:
    if name in ("opens", "closes", "when"):
        return _moments(x, name, p)
    return _column(_arrays.check_weights(x) if name == "weight" else x, name, p)


def _require_one_scale(columns: dict[str, Any]) -> None:
    """Refuse dates beside numbers, which have no order."""
    times = {k: columns[k] for k in TIMES if columns.get(k) is not None}
    dates = [name for name, x in times.items() if x.dtype.kind == "M"]
    numbers = [name for name in times if name not in dates]
    if dates and numbers:
        message = "times of forecasts and questions must all be dates, or all be numbers; "
        message += f"{dates[0]} has dates and {numbers[0]} has numbers"
        raise DataError(message)


def _moments(x: Any, name: str, p: Column) -> Column:
    """Read times: numbers, or dates as numbers of nanoseconds."""
    column = _column(x, name, p)
    if column.dtype.kind == "O" and not any(isinstance(k, NUMBERS) for k in column):
        with suppress(TypeError, ValueError):
            column = np.asarray(column.tolist(), dtype="datetime64[ns]")
    elif column.dtype.kind == "O" and all(isinstance(k, NUMBERS) for k in column):
        column = column.astype(np.float64)
    if column.dtype.kind not in "biufM":
        message = f"{name} must be numbers or dates, which have an order; got {column.dtype}"
        raise DataError(message, hint="text would be put in the order of letters.")
    return column


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
    hint : str
        What to do.
    """

    name: str
    severity: Severity
    where: str
    rule: str
    found: str
    rows: Column
    hint: str

    def refuse(self) -> None:
        """Stop here: the rule, what was found, the first row, and what to do."""
        first, count = int(np.flatnonzero(self.rows)[0]), int(self.rows.sum())
        place = f"row {first}" if count == 1 else f"row {first} is the first of {count:,}"
        message = f"{self.rule}; {self.found} ({place})"
        raise DataError(message, hint=self.hint)


def faults(rows: AnswerRows, repeated: str = "refuse") -> Iterator[Fault]:
    """Look for what contradicts itself, then for what is set aside."""
    checks = [
        *(_repeated_keys(rows) if repeated != "pool" else ()),
        *(_several_answers(rows) if repeated == "refuse" else ()),
        *_contradictory_outcomes(rows),
        *chain.from_iterable(_varying(rows, name) for name in OF_QUESTION if name in rows.beside),
        *chain(_empty_windows(rows), _late(rows), _similar_names(rows)),
        *chain(_set_aside(rows), _one_forecaster(rows)),
    ]
    yield from (fault for fault in checks if fault.rows.any())


def require_sound(rows: AnswerRows, repeated: str) -> None:
    """Refuse the first problem."""
    for fault in faults(rows, repeated):
        if fault.severity == "problem":
            fault.refuse()


def _repeated_keys(rows: AnswerRows) -> Iterator[Fault]:
    count = np.bincount(rows.keys) if rows.has_repeats else np.ones(1)
    if count.max() == 1:
        return
    table = np.column_stack([rows.p, rows.y])
    other = table[np.unique(rows.keys, return_index=True)[1]][rows.keys]
    away = ((table != other) & ~(np.isnan(table) & np.isnan(other))).any(axis=1)
    keys, copies = (int(x[count > 1].sum()) for x in (count > 0, np.bincount(rows.keys, away) == 0))
    what = _ONCE if rows.time is None else f"{_ONCE} at a time"
    found = (
        f"{_counted(keys, 'key', 'is')} there more than once: "
        f"{copies} with identical rows, {keys - copies} with different ones"
    )
    first = "drop copies first" if copies else "say which row counts"
    hint = f'{first}; repeated="pool" averages rows that are members of an ensemble.'
    yield Fault("repeated-key", "problem", "question", what, found, count[rows.keys] > 1, hint)


_ONCE = "a forecaster answers a question once"


def _several_answers(rows: AnswerRows) -> Iterator[Fault]:
    """Find answers that were given again later."""
    if rows.time is None or not rows.has_repeats:
        return
    _, place, count = np.unique(rows.pair, return_inverse=True, return_counts=True)
    found = f"{many(int((count > 1).sum()), 'answer')} changed in the course of time"
    hint = f'repeated="last" (--repeated last) takes the last; {MOMENTS}'
    yield Fault("several-answers", "problem", "time", _ONCE, found, count[place] > 1, hint)


def _several(rows: AnswerRows, value: Column, known: Column) -> Column:
    """Flag the rows of questions with several values, among those whose value is known."""
    first = np.zeros(len(rows.questions), dtype=np.int64)
    first[rows.question[known]] = value[known]
    away = rows.question[known & (value != first[rows.question])]
    return np.asarray(known & np.isin(rows.question, away))


def _contradictory_outcomes(rows: AnswerRows) -> Iterator[Fault]:
    flags = _several(rows, rows.y, rows.y >= 0)
    bad = np.unique(rows.question[flags])
    said = first_of((_with_outcomes(rows, int(k)) for k in bad), count=len(bad))
    found = f"{_counted(len(bad), 'question', 'has')} several: {said}"
    rule, hint = "a question has one outcome", "mend the outcomes of these questions first."
    yield Fault("contradictory-outcome", "problem", "outcome", rule, found, flags, hint)


def _with_outcomes(rows: AnswerRows, question: int) -> str:
    own = rows.y[(rows.question == question) & (rows.y >= 0)]
    value, count = np.unique(own, return_counts=True)
    names = value.tolist() if rows.labels is None else [rows.labels[k] for k in value.tolist()]
    said = (f"{quoted(x)} in {many(n, 'row')}" for x, n in zip(names, count.tolist(), strict=True))
    return f"{quoted(rows.questions[question])} ({', '.join(said)})"


def _varying(rows: AnswerRows, name: str) -> Iterator[Fault]:
    flags = _several(rows, numbered(rows.beside[name])[0], np.ones(len(rows.y), dtype=bool))
    word = {"clusters": "cluster", "strata": "stratum"}.get(name, name)
    what = f"the {word}" if name in ("weight", "clusters", "strata") else f"{word}="
    rule, hint = f"{what} belongs to the question: one value each", "give all rows of a question"
    found = _questions(rows, flags, "has", "several")
    yield Fault(f"varying-{word}", "problem", name, rule, found, flags, f"{hint} the same.")


def _empty_windows(rows: AnswerRows) -> Iterator[Fault]:
    if {"opens", "closes"} <= set(rows.beside):
        empty = ~(rows.beside["closes"] > rows.beside["opens"])
        found = _questions(rows, empty, "does", "not")
        rule, hint = "a question closes after it opens", "mend these times first."
        yield Fault("empty-window", "problem", "closes", rule, found, empty, hint)


def _late(rows: AnswerRows) -> Iterator[Fault]:
    """Find forecasts after the close, or else after the resolution."""
    ends = {"closes": "closes", "resolved": "is resolved"}
    after = {
        when: rows.used & (rows.time > rows.beside[name])
        for name, when in ends.items()
        if rows.time is not None and name in rows.beside
    }
    when, late = next((x for x in after.items() if x[1].any()), ("", np.zeros(0)))
    rule = f"a forecast is made before its question {when}"
    found = f"{_counted(int(late.sum()), 'forecast', 'is')} later"
    hint = "these knew more than a forecast may; drop them first."
    yield Fault("late-forecast", "problem", "time", rule, found, late, hint)


def _similar_names(rows: AnswerRows) -> Iterator[Fault]:
    fold: dict[str, list[str]] = {}
    for name in rows.forecasters:
        fold.setdefault(name.strip().casefold(), []).append(name)
    alike = [names for names in fold.values() if len(names) > 1]
    flags = np.isin(rows.forecasters, list(chain.from_iterable(alike)))[rows.forecaster]
    found = f"{first_of(' and '.join(map(quoted, some)) for some in alike)} are taken as different"
    rule, hint = "names are compared as text", "give one forecaster one name."
    yield Fault("similar-names", "oddity", "forecaster", rule, found, flags, hint)


def _set_aside(rows: AnswerRows) -> Iterator[Fault]:
    unknown = rows.y < 0
    for name, bad, what in (
        ("unresolved", unknown, "outcome"),
        ("missing-forecast", ~rows.answered & ~unknown, "forecast"),
    ):
        found = f"{_counted(int(bad.sum()), 'row', 'has')} no {what}: {_named(rows, bad)}"
        rule, hint = "answers have a forecast and an outcome", "These rows are set aside."
        yield Fault(name, "note", what, rule, found, bad, hint)


def _one_forecaster(rows: AnswerRows) -> Iterator[Fault]:
    answers = rows.question[rows.used]
    if rows.has_repeats:
        answers = np.unique(rows.pair[rows.used]) // len(rows.forecasters)
    alone = np.bincount(answers, minlength=len(rows.questions)) == 1
    flags = rows.used & alone[rows.question]
    found = _questions(rows, flags, "has", "one forecaster")
    rule, hint = "questions compare those who answer them", "They compare nobody."
    yield Fault("one-forecaster", "note", "question", rule, found, flags, hint)


def _counted(count: int, noun: str, verb: str) -> str:
    plural = {"has": "have", "is": "are", "does": "do"}[verb]
    return f"{many(count, noun)} {verb if count == 1 else plural}"


def _questions(rows: AnswerRows, flags: Column, verb: str, what: str) -> str:
    count = len(np.unique(rows.question[flags]))
    return f"{_counted(count, 'question', verb)} {what}: {_named(rows, flags)}"


def _named(rows: AnswerRows, flags: Column) -> str:
    questions = np.unique(rows.question[flags])
    return first_of((quoted(rows.questions[k]) for k in questions), count=len(questions))
