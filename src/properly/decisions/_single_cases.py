"""Single cases: those with the largest losses under a rule, and the steps of one forecast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from properly._boundary import _classes
from properly._boundary._arrays import as_array, as_column, missing_values, with_gaps
from properly._boundary._libraries import namespace, to_numpy
from properly._boundary._options import check_whole
from properly._boundary._record import Record, plain
from properly._boundary._text import many, shortened, table
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, is_plain, rows_in_use
from properly.counts._scoring import price
from properly.counts._tally import Tally
from properly.errors import ArgumentTypeError, DataError
from properly.rules import BinaryRule, Rule
from properly.rules._class_rule import require_class_rule
from properly.rules._rule import as_rule
from properly.typing import ArrayLike, Column

# The probabilities of more classes than this are too many for a line.
MOST_SHOWN = 10
# Cases to look at first, so that few are left to be put in order.
SAMPLE = 1 << 12
# Longer texts that are shown beside a case lose their middle.
LETTERS = 64
# What other columns must not be called.
OWN = ("row", "cases", "loss", "outcome", "p", "likeliest", "its p", "its p ")


@dataclass(frozen=True, eq=False, repr=False)
class WorstCases(Record):
    """Cases with the largest losses, the worst first.

    Attributes
    ----------
    row : array
        Which of the rows they are, counted from 0; empty where only counts are known.
    loss : array
        What the rule charges for each; it may be infinite.
    outcome : array
        What happened: the number of the class, or 1 for the event and 0 for none.
    p : array, one row a case
        The forecasts: one column a class, or one number a case for an event.
    labels : tuple or None
        What the classes are called; None for an event.
    rule : str
        The name of the rule.
    cases : array or None
        Where rows are not known: how many cases had this forecast and this outcome, or their
        weight.
    beside : dict of tuple
        Other columns of these cases that were to be shown, such as the number of the patient; None
        where a value is missing.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> cases = properly.Cases([0, 1, 1, 0], [0.1, 0.3, 0.6, 0.9])
    >>> print(properly.decisions.worst_cases(cases, Brier(), k=2))
    row  brier  outcome    p
      3   0.81        0  0.9
      1   0.49        1  0.3
    """

    row: Column
    loss: Column
    outcome: Column
    p: Column
    labels: tuple[Any, ...] | None
    rule: str
    cases: Column | None = None
    beside: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Count the cases, or the forecasts where only these are known."""
        return int(self.loss.shape[0])

    def __repr__(self) -> str:
        what = many(len(self), "case" if self.cases is None else "forecast")
        return f"WorstCases({what}, {self.rule} {self.loss[-1]:.4g} to {self.loss[0]:.4g})"

    def __str__(self) -> str:
        """Lay out one line a case; of many classes, only what happened and what was likeliest."""
        columns = self.columns()
        texts = (
            [f"{x:.4g}" if isinstance(x, float) else str(x) for x in column]
            for column in columns.values()
        )
        rows = zip(*texts, strict=True)
        return table([self.rule if name == "loss" else name for name in columns], rows, left=0)

    def columns(self) -> dict[str, list[Any]]:
        """Return what is shown of each case; of many classes, only the two that matter."""
        columns = self._columns()
        columns |= {name: [_text(x) for x in values] for name, values in self._given().items()}
        if self.labels is None:
            return columns
        names = _classes.names_of_labels(self.labels)
        columns["outcome"] = [names[k] for k in self.outcome]
        if len(names) <= MOST_SHOWN:
            return columns
        # The probabilities of classes come last.
        rows, top = np.arange(len(self)), np.argmax(self.p, axis=1)
        return dict(list(columns.items())[: -len(names)]) | {
            "its p": self.p[rows, self.outcome].tolist(),
            "likeliest": [names[k] for k in top],
            "its p ": self.p[rows, top].tolist(),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the rule, labels and columns as JSON can hold them."""
        columns = {name: getattr(self, name) for name in ("loss", "outcome", "p")}
        given = {"beside": self.beside} if self.beside else {}
        named = {"rule": self.rule, "labels": self.labels}
        return dict(plain(named | self._where() | given | columns))

    def _columns(self) -> dict[str, list[Any]]:
        """Return the columns of a table; those of class probabilities have the labels in them."""
        given = {name: _one_kind(values) for name, values in self._given().items()}
        columns = self._where() | given | {"loss": self.loss.tolist()}
        if self.labels is None:
            return columns | {"outcome": self.outcome.tolist(), "p": self.p.tolist()}
        labels = _classes.one_kind(self.labels)
        chances = zip(_classes.names_of_labels(self.labels), self.p.T.tolist(), strict=True)
        outcome = {"outcome": [labels[k] for k in self.outcome]}
        return columns | outcome | {f"p {name}": column for name, column in chances}

    def _where(self) -> dict[str, list[Any]]:
        """Return which rows they are, or how many cases where that is all that is known."""
        if self.cases is None:
            return {"row": self.row.tolist()}
        return {"cases": self.cases.tolist()}

    def _given(self) -> dict[str, tuple[Any, ...]]:
        """Return the other columns, under names that differ from ours."""
        ours = {name: name in OWN or name.startswith("p ") for name in self.beside}
        return {f"{name} (given)" if ours[name] else name: x for name, x in self.beside.items()}


def show_beside(worst: WorstCases, columns: Mapping[str, Column]) -> WorstCases:
    """Keep what columns of all rows say of the worst cases."""
    rows = {name: _plain_values(column[worst.row]) for name, column in columns.items()}
    return replace(worst, beside=rows)


def check_shown(columns: Mapping[str, ArrayLike], rows: int) -> dict[str, Column]:
    """Check columns that are to be shown: as many entries as rows, of which some may be missing."""
    checked = {}
    for name, values in columns.items():
        column = to_numpy(as_column(with_gaps(values), f"column {name!r} to show"))
        if len(column) != rows:
            message = (
                f"columns to show must have an entry for each row; {name!r} has {len(column):,} "
                f"for {many(rows, 'row')}"
            )
            raise DataError(message)
        checked[str(name)] = column
    return checked


def _plain_values(column: Column) -> tuple[Any, ...]:
    """Take values as JSON can hold them: dates become text, and what is missing None."""
    gone = missing_values(column)
    if column.dtype.kind in "mM":
        seconds = column.astype(f"{column.dtype.kind}8[s]").astype(str).tolist()
        column = np.array([text.removesuffix("T00:00:00") for text in seconds], dtype=object)
    values = zip(plain(column), gone.tolist(), strict=True)
    return tuple(
        None if missing else shortened(x, LETTERS) if isinstance(x, str) else x
        for x, missing in values
    )


def _one_kind(values: Sequence[Any]) -> list[Any]:
    """Make values fit one column of a frame; those that are missing fit any."""
    if len({type(x) for x in values if x is not None}) <= 1:
        return list(values)
    return [None if x is None else str(x) for x in values]


def _text(value: object) -> str:
    """Write a value as it was given; whole numbers may have become floats among missing ones."""
    if value is None:
        return "-"
    return f"{value:.15g}" if isinstance(value, float) else str(value)


@takes_rows
def worst_cases(cases: Cases, rule: Rule | str = "brier", k: int = 10) -> WorstCases:
    """Find the cases that a rule charges most for.

    Parameters
    ----------
    cases : Cases
        The rows: forecasts of an event, or of classes.
    rule : Rule or str
        What prices each forecast once the outcome is known.
    k : int
        How many cases to list; all of them if there are fewer.

    Returns
    -------
    WorstCases
        The largest loss first; of equal losses, the earlier row. Rows of weight 0 do not count.

    Notes
    -----
    These are the cases to look at by eye. A large loss may come from a wrong outcome, a strange
    case or an overconfident forecast; but some forecasts of 0.1 are followed by the event even if
    they are right. Different rules find different cases, as they fear different mistakes.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Log
    >>> P = [[0.5, 0.25, 0.25], [0.125, 0.125, 0.75], [0.25, 0.5, 0.25]]
    >>> cases = properly.Cases(["low", "low", "high"], P, labels=["low", "mid", "high"])
    >>> worst = properly.decisions.worst_cases(cases, Log(), k=2)
    >>> worst.row, worst.outcome
    (array([1, 2]), array([0, 2]))
    >>> print(worst)
    row    log  outcome  p low  p mid  p high
      1  2.079      low  0.125  0.125    0.75
      2  1.386     high   0.25    0.5    0.25
    """
    if not isinstance(cases, Cases):
        message = f"single cases are found in Cases; got {type(cases).__name__}"
        raise ArgumentTypeError(message, hint="make them by properly.Cases(y, p).")
    count, rule = check_whole(k, "k"), as_rule(rule)
    y, p, used = cases.y, cases.p, None
    if not is_plain(cases):
        y, p, _, used = rows_in_use(cases)
    if cases.classes is None:
        loss = price(rule, y, p, classes=False)
    else:
        loss = require_class_rule(rule).prices(y, p)
    xp, step = namespace(loss), max(1, len(loss) // max(SAMPLE, count))
    # As many of a sample are at least that dear.
    dear = xp.nonzero(loss >= xp.sort(loss[::step])[-count:][0])[0]
    # Turned round, since a stable sort keeps the earlier row first.
    worst = xp.take(dear, xp.argsort(-xp.take(loss, dear), stable=True)[:count])
    loss, y, p = (to_numpy(xp.take(x, worst, axis=0)) for x in (loss, y, p))
    row = to_numpy(worst) if used is None else np.flatnonzero(used)[worst]
    return WorstCases(row, loss, y.astype(np.int64), p, cases.labels, rule.name)


def worst_forecasts(tally: Tally, rule: BinaryRule, k: int = 10) -> WorstCases:
    """Find the forecasts that a rule charges most for, each with its outcome and its cases.

    Which rows they were is not known of counts. Of equal losses the lower forecast comes first, and
    an event before none.
    """
    value, cases, events = (to_numpy(x) for x in (tally.value, tally.weight, tally.events))
    seen = np.concatenate([events, cases - events])
    p, outcome = np.tile(value, 2), np.repeat([1, 0], len(value))
    p, outcome, seen = p[seen > 0], outcome[seen > 0], seen[seen > 0]
    loss = rule.loss(outcome.astype(bool), p)
    worst = np.lexsort((-outcome, p, -loss))[:k]
    no_row = np.zeros(0, dtype=np.int64)
    return WorstCases(no_row, loss[worst], outcome[worst], p[worst], None, rule.name, seen[worst])


@dataclass(frozen=True, eq=False, repr=False)
class CumulativeForecast(Record):
    """One forecast of ordered classes and what happened, both cumulated.

    Attributes
    ----------
    labels : tuple
        What the classes are called; their numbers if they have no names.
    outcome : int
        The number of the class that happened.
    p : array
        The probability of each class.

    Examples
    --------
    >>> import properly
    >>> case = properly.decisions.cumulative_forecast(1, [0.25, 0.25, 0.5])
    >>> case
    CumulativeForecast(class 1 of 0 to 2, RPS 0.1562)
    >>> case.cumulative, case.step
    (array([0.25, 0.5 , 1.  ]), array([0., 1., 1.]))
    """

    labels: tuple[Any, ...]
    outcome: int
    p: Column

    _derived = ("cumulative", "step", "squared", "absolute", "rps", "squared_absolute_rps")
    _series = ("p", "cumulative", "step")

    @property
    def cumulative(self) -> Column:
        """The probability of each class or a lower one."""
        return np.cumsum(self.p)

    @property
    def step(self) -> Column:
        """The same of what happened: 0 below the class, 1 from it on."""
        return (np.arange(len(self.p)) >= self.outcome).astype(np.float64)

    @property
    def absolute(self) -> Column:
        """How far the two are apart at each cut between classes."""
        return np.asarray(np.abs(self.cumulative - self.step)[:-1])

    @property
    def squared(self) -> Column:
        """Squares of these distances."""
        return np.asarray(self.absolute**2)

    @property
    def rps(self) -> float:
        """The ranked probability score: the mean of the squares."""
        return float(self.squared.mean())

    @property
    def squared_absolute_rps(self) -> float:
        """The square of the mean distance, between 0 and 1: a rule that is not proper."""
        return float(self.absolute.mean() ** 2)

    def __repr__(self) -> str:
        place = f"class {self.outcome} of 0 to {len(self.p) - 1}"
        return f"CumulativeForecast({place}, RPS {self.rps:.4g})"

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a class."""
        return {"label": _classes.one_kind(self.labels)} | super()._columns()


def cumulative_forecast(
    y: object, p: ArrayLike, labels: Sequence[object] | None = None
) -> CumulativeForecast:
    r"""Cumulate one forecast of ordered classes, and what happened, over the classes.

    With :math:`P_k = p_0 + \dots + p_k` and :math:`z_k = 1` if :math:`y \le k`, else 0,

    .. math:: \text{RPS} = \frac{1}{K - 1} \sum_{k=0}^{K-2} (P_k - z_k)^2, \qquad
        \text{sa-RPS} = \Bigl( \frac{1}{K - 1} \sum_{k=0}^{K-2} |P_k - z_k| \Bigr)^2 .

    Parameters
    ----------
    y : int or label
        The class that happened: its number, or its label if there are labels.
    p : array-like
        The probability of each class; they sum to 1.
    labels : sequence of labels, optional
        What the classes are called, in order.

    Returns
    -------
    CumulativeForecast
        For a picture, `properly.plots.cumulative_forecast`: RPS squares the height of the area
        between the two step functions, sa-RPS squares the area itself.

    Notes
    -----
    The last cut is left out: everything is at most the highest class. sa-RPS is divided by
    :math:`(K-1)^2`, so that it lies between 0 and 1, and not by :math:`K - 1` as printed [1]_. It
    is improper for three classes or more; see `properly.rules.SquaredAbsoluteRPS`.

    References
    ----------
    .. [1] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. Medical
       Image Computing and Computer Assisted Intervention. `arXiv:2309.08701
       <https://arxiv.org/abs/2309.08701>`__

    Examples
    --------
    >>> import properly
    >>> case = properly.decisions.cumulative_forecast("mild", [0.25, 0.75, 0], ["mild",
    ...     "moderate", "severe"])
    >>> case.squared, case.rps
    (array([0.5625, 0.    ]), 0.28125)
    """
    row = as_array(p, "class probabilities")
    if row.ndim != 1:
        message = f"one forecast is one row of probabilities; got an array of shape {row.shape}"
        raise DataError(message, hint="pick one case, as in P[0].")
    labels = None if labels is None else _classes.as_labels(labels)
    rows = _classes.check_class_rows([y], to_numpy(row)[None], labels=labels, ordered=True)
    chances = rows.p[0].astype(np.float64)
    count = len(chances)
    names = tuple(range(count)) if labels is None else _classes.check_labels(labels, count)
    return CumulativeForecast(names, int(rows.y[0]), chances)
