"""Answers: a long table of who forecast what about which question, with gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._arrays import as_array, check_length, with_gaps
from properly._boundary._classes import nearest
from properly._boundary._libraries import read_only
from properly._boundary._record import as_models
from properly._boundary._text import many
from properly.counts import _answer_rows
from properly.counts._cases import Cases
from properly.counts._repeated_answers import Repeated, Stances, check_repeated, take_stances
from properly.counts._scoring import price
from properly.errors import DataError
from properly.rules import Rule
from properly.typing import ArrayLike, Column, IntoFrame

if TYPE_CHECKING:
    from properly.counts._answer_rows import AnswerRows

    Names = str | ArrayLike | None


class Losses(NamedTuple):
    """Losses of answers, sorted by cell; a cell is a question, or a piece of its time.

    Attributes
    ----------
    cell, forecaster : numpy array
        The numbers of the cell and of the forecaster of each loss.
    loss, weight : numpy array
        The loss, and what it weighs.
    question, level : numpy array
        The number of the question of each cell, and what the cell weighs in a mean over all.
    """

    cell: Column
    forecaster: Column
    loss: Column
    weight: Column
    question: Column
    level: Column

    def in_order(self, order: Column) -> Losses:
        """Put cells in another order."""
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        cell = place[self.cell]
        rows = np.argsort(cell, kind="stable")
        forecaster, loss, weight = (x[rows] for x in (self.forecaster, self.loss, self.weight))
        of_cells = self.question[order], self.level[order]
        return Losses(cell[rows], forecaster, loss, weight, *of_cells)

    def laid_out(self, x: Column, forecasters: int, fill: float = 0.0) -> Column:
        """Lay amounts of answers out, a row a cell and a column a forecaster."""
        result = np.full((len(self.question), forecasters), fill)
        result[self.cell, self.forecaster] = x
        return result

    def answers(self, forecasters: int, some: Column | None = None) -> tuple[Column, Column]:
        """Return forecaster and question of each answer, or of some, once for all its pieces."""
        rows = slice(None) if some is None else some
        who, question = self.forecaster[rows], self.question[self.cell[rows]]
        if (np.diff(self.question) > 0).all():
            # One cell a question, so one loss an answer.
            return who, question
        return _once(who, question, forecasters)

    def of(self, forecasters: Column) -> Losses:
        """Keep some forecasters, who are numbered anew, and the cells that they answered."""
        number = np.full(int(self.forecaster.max()) + 1, -1, dtype=np.intp)
        number[forecasters] = np.arange(len(forecasters))
        kept = number[self.forecaster] >= 0
        cells, cell = np.unique(self.cell[kept], return_inverse=True)
        rows = (self.loss[kept], self.weight[kept])
        columns = (number[self.forecaster[kept]], *rows, self.question[cells], self.level[cells])
        return Losses(cell, *columns)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Answers:
    """Forecasts of questions by forecasters who need not have answered all of them.

    One row an answer: who, which question, what forecast, what happened. Columns are those of a
    frame, by name, or arrays.

    Parameters
    ----------
    frame : data frame, optional
        Of any library; without it, all columns are arrays.
    question, forecaster : str or array-like
        What was asked, and who answered; names of forecasters are compared as text.
    probability : str, list of str, or array-like
        The forecast; of classes, one column each. Where it is missing there is no answer.
    outcome : str or array-like
        What happened to the question: one value each. Where it is missing, rows are set aside.
    time : str or array-like, optional
        When the forecast was made, a number or a date.
    opens, closes, resolved : str or array-like, optional
        When the question opened, when it was to close, and when its outcome was known.
    weight : str or array-like, optional
        The sampling weight of the question.
    clusters, strata, when : str or array-like, optional
        The family of questions it is one of, its stratum, and the time it is about.
    repeated : {"refuse", "last", "moments", "mean-loss", "pool"}
        What several forecasts of one question by one forecaster are. ``"last"`` takes the last of
        them. ``"moments"`` lets each stand until the next and compares forecasters while both
        stand. ``"mean-loss"`` averages losses over the time they stand. ``"pool"`` averages the
        forecasts of the members of an ensemble.
    horizon : number or timedelta, optional
        With ``"last"``: the last that was made so long before `closes`, at the latest.
    labels : sequence of labels, optional
        What each column of class probabilities stands for.
    pos_label : label, optional
        The label of the event.

    Attributes
    ----------
    questions, forecasters : tuple
        Labels of the questions that have an answer and an outcome; names of the forecasters.
    question, forecaster : array
        The number of the question and of the forecaster of each answer.
    p : array
        The forecasts.
    y : array
        What happened to each question.
    weight, clusters, strata, when : array or None
        What else is known of each question.
    labels : tuple or None
        The labels of the classes; None for an event.
    repeated : str
        What several forecasts of one question are.
    set_aside : dict
        How many rows were not used, by reason.
    stances : Stances
        Which forecasts count, and for how long.

    Examples
    --------
    >>> import properly
    >>> answers = properly.Answers(
    ...     question=["rain", "rain", "snow"],
    ...     forecaster=["Ada", "Ben", "Ben"],
    ...     probability=[0.7, 0.4, 0.1],
    ...     outcome=[1, 1, 0],
    ... )
    >>> answers
    Answers(3 answers of 2 forecasters to 2 questions)
    >>> answers.coverage
    {'Ada': 0.5, 'Ben': 1.0}
    >>> answers.cases("Ben")
    Cases(2 rows)
    """

    questions: tuple[Any, ...] = field(init=False)
    forecasters: tuple[str, ...] = field(init=False)
    question: Column = field(init=False)
    forecaster: Column = field(init=False)
    p: Column = field(init=False)
    y: Column = field(init=False)
    weight: Column | None = field(init=False)
    clusters: Column | None = field(init=False)
    strata: Column | None = field(init=False)
    when: Column | None = field(init=False)
    labels: tuple[Any, ...] | None = field(init=False)
    repeated: Repeated = field(init=False)
    set_aside: dict[str, int] = field(init=False)
    stances: Stances = field(init=False)

    def __init__(
        self,
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
    ) -> None:
        given = (question, forecaster, probability, outcome, time)
        beside = (weight, clusters, strata, when, opens, closes, resolved)
        columns = dict(zip(_answer_rows.ANSWER_COLUMNS, (*given, *beside), strict=True))
        rows = _answer_rows.read_rows(_answer_rows.taken_columns(frame, columns), labels, pos_label)
        check_repeated(repeated, horizon, rows)
        _answer_rows.require_sound(rows, repeated)
        self._fill(rows, repeated, horizon)

    def _fill(self, rows: AnswerRows, repeated: Repeated, horizon: Any) -> None:
        """Keep the questions that have an answer and an outcome, and the answers, in order."""
        used = rows.used
        if "weight" in rows.beside:
            used = used & (rows.beside["weight"] > 0)
        if not used.any():
            message = f"no row has both a forecast and an outcome; got {many(len(used), 'row')}"
            raise DataError(message)
        found = take_stances(rows, used, repeated, horizon)
        row = found.row_of_question
        unknown = rows.y < 0
        values: dict[str, Any] = {
            "questions": tuple(map(rows.questions.__getitem__, rows.question[row].tolist())),
            "forecasters": tuple(rows.forecasters),
            "question": found.question,
            "forecaster": found.forecaster,
            "p": found.p,
            "y": rows.y[row].astype(bool) if rows.labels is None else rows.y[row],
            "labels": rows.labels,
            "repeated": repeated,
            "set_aside": {
                "unresolved": int(unknown.sum()),
                "unanswered": int((~rows.answered & ~unknown).sum()),
            }
            | ({} if horizon is None else {"too late": found.too_late}),
            "stances": found,
        }
        for name in ("weight", "clusters", "strata", "when"):
            values[name] = rows.beside[name][row] if name in rows.beside else None
        _set(self, values)

    @classmethod
    def from_wide(
        cls,
        y: ArrayLike,
        forecasts: Mapping[str, ArrayLike] | IntoFrame,
        *,
        question: ArrayLike | None = None,
        labels: Sequence[object] | None = None,
        pos_label: object = None,
        **columns: ArrayLike | None,
    ) -> Answers:
        """Make answers of one row a question, one column a forecaster, with empty cells.

        Parameters
        ----------
        y : array-like
            What happened to each question.
        forecasts : dict of array-like, or data frame
            Forecasts by forecaster, missing where there is no answer; of classes, a table each.
        question : array-like, optional
            Labels of the questions; without them, they are numbered.
        labels, pos_label, **columns : optional
            As in `Answers`, one entry a question.

        Returns
        -------
        Answers

        Examples
        --------
        >>> import properly
        >>> properly.Answers.from_wide([1, 0], {"Ada": [0.7, None], "Ben": [0.4, 0.1]})
        Answers(3 answers of 2 forecasters to 2 questions)
        """
        happened = np.asarray(as_array(with_gaps(y), "outcomes"))
        models = forecasts if isinstance(forecasts, Mapping) else as_models(forecasts)
        tables = {str(k): np.asarray(with_gaps(p), dtype=object) for k, p in models.items()}
        if not tables:
            message = "forecasts of at least one forecaster are needed; got none"
            raise DataError(message)
        for name, p in tables.items():
            check_length(p, happened, f"forecasts of {name!r}", "outcomes")
        size = len(happened)
        again = np.tile(np.arange(size), len(tables))
        known: dict[str, Any] = {
            name: np.asarray(as_array(x, name))[again]
            for name, x in columns.items()
            if x is not None
        }
        number = np.arange(size) if question is None else np.asarray(as_array(question, "question"))
        return cls(
            question=number[again],
            forecaster=np.repeat(np.array(list(tables), dtype=object), size),
            probability=np.concatenate(list(tables.values())),
            outcome=happened[again],
            labels=labels,
            pos_label=pos_label,
            **known,
        )

    @property
    def weights(self) -> Column:
        """The weight of each question; 1 without weights."""
        if self.weight is None:
            return np.ones(len(self.questions))
        return np.asarray(self.weight, dtype=np.float64)

    @property
    def answered(self) -> dict[str, int]:
        """How many questions each forecaster answered."""
        count = np.bincount(self._once[0], minlength=len(self.forecasters))
        return dict(zip(self.forecasters, count.tolist(), strict=True))

    @property
    def coverage(self) -> dict[str, float]:
        """The weight of the questions each forecaster answered, as a share of that of all."""
        (who, question), weight = self._once, self.weights
        share = np.bincount(who, weight[question], len(self.forecasters)) / weight.sum()
        return dict(zip(self.forecasters, share.tolist(), strict=True))

    @property
    def active(self) -> dict[str, float]:
        """For how much of the time of all questions each forecaster had a forecast standing.

        Where forecasts do not stand for a time, this is `coverage`.
        """
        share, weight = self.stances.share, self.weights
        if share is None:
            return self.coverage
        stood = weight[self.question] * share
        total = np.bincount(self.forecaster, stood, len(self.forecasters)) / weight.sum()
        return dict(zip(self.forecasters, total.tolist(), strict=True))

    @property
    def _once(self) -> tuple[Column, Column]:
        """Forecaster and question of each answer, once however often it changed."""
        if self.stances.share is None:
            return self.forecaster, self.question
        return _once(self.forecaster, self.question, len(self.forecasters))

    def losses(self, rule: Rule, *, fair: bool = False) -> Losses:
        """Price all answers.

        Parameters
        ----------
        rule : Rule
            Of an event, or of classes.
        fair : bool
            Of pooled ensembles and the Brier score: what an ensemble of as many members as one
            likes would score.

        Returns
        -------
        Losses
        """
        found, weight = self.stances, self.weights
        happened = self.y[self.question]
        loss = price(rule, happened, self.p, classes=self.labels is not None)
        if fair:
            loss = loss - found.spread_of_members(rule)
        rows, share = weight[self.question], found.share
        if share is not None:
            rows = rows * share
        level = weight[found.question_of_cell]
        if self.repeated == "moments":
            level = level * found.length_of_cell
        result = Losses(found.cell, self.forecaster, loss, rows, found.question_of_cell, level)
        if self.repeated != "mean-loss":
            return result
        return _merged(result)

    def cases(self, forecaster: str) -> Cases:
        """Return the answers of one forecaster as cases, for every other evaluation.

        Those of one family of questions are in one cluster. Different forecasters answered
        different questions: to compare them, see `properly.leaderboard`.
        """
        return self.cases_of(np.flatnonzero(self.forecaster == self._number(forecaster)))

    def shared_rows(self, first: str, second: str) -> tuple[Column, Column]:
        """Find the answers of two forecasters to the questions that both answered, side by side."""
        rows = [np.flatnonzero(self.forecaster == self._number(name)) for name in (first, second)]
        both = np.intersect1d(self.question[rows[0]], self.question[rows[1]])
        one, other = (x[np.isin(self.question[x], both)] for x in rows)
        return one, other

    def keep(self, forecasters: Sequence[str]) -> Answers:
        """Return the answers of some forecasters.

        Examples
        --------
        >>> import properly
        >>> three = {"Ada": [0.7, None], "Ben": [0.4, 0.1], "Cleo": [0.5, 0.2]}
        >>> properly.Answers.from_wide([1, 0], three).keep(["Ada", "Ben"])
        Answers(3 answers of 2 forecasters to 2 questions)
        """
        names = [forecasters] if isinstance(forecasters, str) else forecasters
        numbers = np.array(sorted({self._number(name) for name in names}), dtype=np.intp)
        if not len(numbers):
            message = "keep at least one forecaster; got none"
            raise DataError(message)
        return self._some(np.flatnonzero(np.isin(self.forecaster, numbers)), numbers)

    def complete(self) -> Answers:
        """Return the answers to the questions that all forecasters answered."""
        size = len(self.forecasters)
        cell = self.stances.cell
        pair = np.unique(cell * np.intp(size) + self.forecaster)
        full = np.bincount(pair // size) == size
        if not full.any():
            message = f"no question was answered by all {size} forecasters"
            raise DataError(message, hint='missing="two-way" compares forecasters through others.')
        return self._some(np.flatnonzero(full[cell]), np.arange(size))

    def _some(self, rows: Column, forecasters: Column) -> Answers:
        """Keep some answers, all of some forecasters; questions are numbered anew."""
        questions, question = np.unique(self.question[rows], return_inverse=True)
        result = object.__new__(Answers)
        values = {name: getattr(self, name) for name in Answers.__dataclass_fields__}
        number = np.searchsorted(forecasters, self.forecaster[rows])
        values |= {
            "questions": tuple(self.questions[k] for k in questions.tolist()),
            "forecasters": tuple(self.forecasters[k] for k in forecasters.tolist()),
            "question": question,
            "forecaster": number,
            "p": self.p[rows],
            "stances": self.stances.some(rows)._replace(forecaster=number),
        }
        for name in ("y", "weight", "clusters", "strata", "when"):
            values[name] = None if values[name] is None else values[name][questions]
        _set(result, values)
        return result

    def _number(self, forecaster: str) -> int:
        if str(forecaster) not in self.forecasters:
            near = nearest(str(forecaster), self.forecasters) or list(self.forecasters[:5])
            message = (
                f"there is no forecaster {forecaster!r}; there are {len(self.forecasters)} others"
            )
            raise DataError(message, hint=f"did you mean one of {', '.join(map(repr, near))}?")
        return self.forecasters.index(str(forecaster))

    def cases_of(self, rows: Column) -> Cases:
        """Take some answers as cases."""
        question, share = self.question[rows], self.stances.share
        if not len(rows):
            message = "this forecaster has no answer to a question that is resolved"
            raise DataError(message)
        weight = None if self.weight is None else self.weight[question]
        clusters = None if self.clusters is None else self.clusters[question]
        if share is not None:
            weight = self.weights[question] * share[rows]
            clusters = question if clusters is None else clusters
        return Cases(
            self.y[question],
            self.p[rows],
            weight=weight,
            clusters=clusters,
            strata=None if self.strata is None else self.strata[question],
            time=None if self.when is None else self.when[question],
            labels=self.labels,
        )

    def __len__(self) -> int:
        """Count the answers."""
        return self.stances.forecasts

    def __repr__(self) -> str:
        who = many(len(self.forecasters), "forecaster")
        what = many(len(self.questions), "question")
        return f"Answers({many(len(self), 'answer')} of {who} to {what})"


def answers_of(rows: AnswerRows, repeated: Repeated, horizon: Any = None) -> Answers:
    """Make answers of rows that are known to be sound."""
    answers = object.__new__(Answers)
    answers._fill(rows, repeated, horizon)
    return answers


def _set(answers: Answers, values: Mapping[str, Any]) -> None:
    """Fill the fields of answers, whose arrays are not to be written to."""
    for x in values["stances"]:
        read_only(x)
    for name, value in values.items():
        object.__setattr__(answers, name, read_only(value))


def _once(who: Column, question: Column, forecasters: int) -> tuple[Column, Column]:
    """Keep each pair of forecaster and question once, in the order of questions."""
    pair = np.unique(question * np.intp(forecasters) + who)
    return pair % forecasters, pair // forecasters


def _merged(losses: Losses) -> Losses:
    """Average losses of one forecaster in one cell, with their weights."""
    cell, forecaster = losses.cell, losses.forecaster
    key = cell * np.intp(int(forecaster.max()) + 1) + forecaster
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    total = np.bincount(place, losses.weight)
    mean = np.bincount(place, losses.weight * losses.loss) / total
    return losses._replace(cell=cell[first], forecaster=forecaster[first], loss=mean, weight=total)
