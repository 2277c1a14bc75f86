"""Several forecasts of one question by one forecaster: which counts, and for how long."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._options import as_number, check_choice
from properly.counts._answer_rows import AnswerRows
from properly.errors import DataError
from properly.rules import Rule
from properly.rules._dual_rules import Brier
from properly.typing import Column

Repeated: TypeAlias = Literal["refuse", "last", "moments", "mean-loss", "pool"]
STANDING = ("moments", "mean-loss")
WINDOW = ("opens", "closes")


class Stances(NamedTuple):
    """Forecasts that count, sorted by question, piece of time and forecaster.

    Attributes
    ----------
    question, forecaster, cell : numpy array
        Numbers, from 0; a cell is a question, or a piece of its time.
    p : numpy array
        The forecasts.
    share : numpy array or None
        How long each stands, as a share of the time its question was to be open.
    question_of_cell, length_of_cell : numpy array
        The question of each cell, and its length as such a share.
    members : numpy array or None
        How many forecasts were pooled.
    row_of_question : numpy array
        A row of the table for each question.
    too_late : int
        Forecasts that were made after the horizon.
    spread : numpy array or None
        Sums of squared distances of what was pooled from its mean.
    forecast : numpy array or None
        The number of each forecast, where it stands in several pieces of time.
    """

    question: Column
    forecaster: Column
    cell: Column
    p: Column
    share: Column | None
    question_of_cell: Column
    length_of_cell: Column
    members: Column | None
    row_of_question: Column
    too_late: int = 0
    spread: Column | None = None
    forecast: Column | None = None

    def some(self, rows: Column) -> Stances:
        """Keep some of the forecasts; questions and cells are numbered anew."""
        question = np.unique(self.question[rows], return_inverse=True)[1]
        cells, cell = np.unique(self.cell[rows], return_inverse=True)
        first = np.searchsorted(cell, np.arange(len(cells)))
        names = ("forecaster", "p", "share", "members", "spread", "forecast")
        known = {name: getattr(self, name) for name in names}
        columns: dict[str, Any] = {k: None if x is None else x[rows] for k, x in known.items()}
        return self._replace(
            question=question,
            cell=cell,
            question_of_cell=question[first],
            length_of_cell=self.length_of_cell[cells],
            row_of_question=np.unique(self.question[rows]),
            **columns,
        )

    @property
    def forecasts(self) -> int:
        """How many forecasts there are, each once however many pieces of time it stands in."""
        return len(self.question if self.forecast is None else np.unique(self.forecast))

    def spread_of_members(self, rule: Rule) -> Column:
        """Return by how much a small ensemble scores worse than a large one of the same kind."""
        if self.members is None or type(rule) is not Brier or self.p.ndim > 1:
            message = "fair scores are Brier scores of pooled ensembles; these are not"
            hint = 'make Answers with repeated="pool", of an event, and score them by Brier().'
            raise DataError(message, hint=hint)
        if (self.members < 2).any():
            message = "fair scores need at least two members of each ensemble; got one"
            raise DataError(message)
        # The variance of their mean: of members that say yes or no, p (1 - p) / (members - 1).
        return np.asarray(self.spread / (self.members * (self.members - 1)))


def check_repeated(repeated: str, horizon: Any, rows: AnswerRows) -> None:
    """Refuse a way to count forecasts for which columns are missing."""
    check_choice(repeated, get_args(Repeated), "repeated")
    needed: tuple[str, ...] = {
        "last": ("closes",) if horizon is not None else (),
        "moments": ("opens", "closes"),
        "mean-loss": ("opens", "closes"),
    }.get(repeated, ())
    if repeated in ("last", *STANDING) and rows.time is None:
        message = f"repeated={repeated!r} needs the time of each forecast; there is none"
        raise DataError(message, hint="name its column by time= (--time).")
    for name in needed:
        if name not in rows.beside:
            message = f"repeated={repeated!r} needs to know when each question {name}"
            far = "a horizon counted back from the resolution is known only afterwards"
            hint = far if horizon is not None else f"name its column by {name}="
            raise DataError(message, hint=f"{hint}.")
    if horizon is not None and repeated != "last":
        message = f'a horizon goes with repeated="last"; got repeated={repeated!r}'
        raise DataError(message)


def take_stances(rows: AnswerRows, used: Column, repeated: Repeated, horizon: Any) -> Stances:
    """Take the forecasts that count, in the order of questions and forecasters."""
    row, late = np.flatnonzero(used), 0
    if repeated == "last" and horizon is not None:
        limit = rows.beside["closes"][row] - _span(horizon, rows.beside["closes"])
        soon = rows.time[row] <= limit  # type: ignore[index]
        row, late = row[soon], int((~soon).sum())
        if not len(row):
            message = f"no forecast was made {horizon!r} or longer before its question closes"
            raise DataError(message)
    if rows.time is not None:
        row = row[np.lexsort((rows.time[row], rows.pair[row]))]
        key = rows.pair[row]
    else:
        row, key = rows.in_order
        if not used.all():
            row, key = row[used[row]], key[used[row]]
    if repeated in STANDING:
        return _standing(rows, row, repeated)
    last = np.append(key[1:] != key[:-1], True)
    if repeated == "pool":
        first = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
        members = np.diff(first, append=len(row))
        total = np.add.reduceat(rows.p[row], first)
        p = total / (members if total.ndim == 1 else members[:, None])
        away = rows.p[row] - np.repeat(p, members, axis=0)
        spread = np.add.reduceat(away**2, first)
    else:
        members, spread, p = None, None, rows.p[row[last]]
    kept, (question, forecaster) = row[last], divmod(key[last], len(rows.forecasters))
    question, number = _renumbered(question)
    ones = np.ones(len(number))
    cells = np.arange(len(number))
    places = (question, forecaster, question, p)
    return Stances(*places, None, cells, ones, members, kept[number], late, spread)


def _renumbered(question: Column) -> tuple[Column, Column]:
    """Give questions, which are in order, numbers from 0, and return the first place of each."""
    new = np.append(True, question[1:] != question[:-1])
    return np.cumsum(new) - 1, np.flatnonzero(new)


def _span(horizon: Any, moment: Column) -> Any:
    """Take a horizon as a number, or as a span of time beside dates."""
    if moment.dtype.kind != "M":
        span: Any = as_number(horizon, "horizon")
    elif isinstance(horizon, dt.timedelta | np.timedelta64):
        span = np.timedelta64(horizon)
    else:
        message = f"beside dates, a horizon is a timedelta; got {horizon!r}"
        raise DataError(message, hint="write datetime.timedelta(days=10).")
    if not span >= span * 0:
        message = f"a horizon must be zero or more; got {horizon!r}"
        raise DataError(message)
    return span


class Span(NamedTuple):
    """Rows of forecasts, from when to when each stands, and how long its question was to be open.

    Questions are numbered anew.
    """

    row: Column
    question: Column
    forecaster: Column
    begin: Column
    end: Column
    length: Column


def _standing(rows: AnswerRows, row: Column, repeated: str) -> Stances:
    """Let each forecast stand until the next of the same forecaster, or the resolution."""
    span = _span_of(rows, row)
    if not len(span.row):
        message = "no forecast stood for any time before its question was resolved"
        raise DataError(message)
    question, first = _renumbered(span.question)
    span = span._replace(question=question)
    if repeated == "moments":
        return _in_pieces(rows, span, span.row[first])
    share = (span.end - span.begin) / span.length
    cells, ones = np.arange(len(first)), np.ones(len(first))
    places = (question, span.forecaster, question, rows.p[span.row], share)
    return Stances(*places, cells, ones, None, span.row[first])


def _span_of(rows: AnswerRows, row: Column) -> Span:
    """Say from when to when forecasts stand; one made when all is over never stood."""
    question, forecaster = rows.question[row], rows.forecaster[row]
    times: Any = rows.time
    begin, opens, closes = (_as_number(x[row]) for x in (times, *map(rows.beside.get, WINDOW)))
    over = closes
    if "resolved" in rows.beside:
        over = np.minimum(closes, _as_number(rows.beside["resolved"][row]))
    begin = np.maximum(begin, opens)
    same = (question[1:] == question[:-1]) & (forecaster[1:] == forecaster[:-1])
    end = np.append(np.where(same, begin[1:], over[:-1]), over[-1])
    columns = (row, question, forecaster, begin, end, closes - opens)
    return Span(*(x[end > begin] for x in columns))


def _as_number(moment: Any) -> Column:
    """Take times as numbers."""
    if moment.dtype.kind == "M":
        moment = moment.astype("datetime64[ns]").astype(np.int64)
    return np.asarray(moment, dtype=np.float64)


def _in_pieces(rows: AnswerRows, span: Span, row_of_question: Column) -> Stances:
    """Cut each question wherever anybody begins or changes; a forecast stands in some pieces."""
    moments, moment = np.unique(np.concatenate([span.begin, span.end]), return_inverse=True)
    key = np.tile(span.question, 2) * np.intp(len(moments)) + moment
    edges, place = np.unique(key, return_inverse=True)
    first, last = np.split(place, 2)
    # A forecast stands from one edge of its question to a later one: in each piece between.
    count = last - first
    again = np.repeat(np.arange(len(count)), count)
    piece = np.arange(len(again)) - np.repeat(np.cumsum(count) - count, count) + first[again]
    value = moments[edges % len(moments)]
    share = (value[piece + 1] - value[piece]) / span.length[again]
    cells, cell = np.unique(piece, return_inverse=True)
    order = np.lexsort((span.forecaster[again], cell))
    again, cell, share = again[order], cell[order], share[order]
    start = np.searchsorted(cell, np.arange(len(cells)))
    question = span.question[again]
    places = (question, span.forecaster[again], cell, rows.p[span.row[again]], share)
    of_cells = (question[start], share[start], None, row_of_question)
    return Stances(*places, *of_cells, forecast=again)
