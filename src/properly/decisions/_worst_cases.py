"""The cases with the largest losses under a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._labels import names_of_labels, one_kind
from properly._boundary._libraries import namespace, to_numpy
from properly._boundary._options import check_whole
from properly._boundary._record import Record, many, plain
from properly._boundary._tables import table
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, is_counted, rows_in_use
from properly.counts._scoring import price
from properly.errors import ArgumentTypeError
from properly.rules._class_rule import require_class_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.counts._tally import Tally
    from properly.rules import BinaryRule, ClassRule
    from properly.typing import Column

# The probabilities of more classes than this are too many for a line.
MOST_SHOWN = 10
# Cases to look at first, so that few are left to be put in order.
SAMPLE = 1 << 12


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
        if self.labels is not None:
            names = names_of_labels(self.labels)
            columns["outcome"] = [names[k] for k in self.outcome]
            if len(names) > MOST_SHOWN:
                columns = {name: columns[name] for name in (*self._where(), "loss", "outcome")}
                columns |= self._likeliest(names)
        return columns

    def _likeliest(self, names: Sequence[str]) -> dict[str, list[Any]]:
        rows, top = np.arange(len(self)), np.argmax(self.p, axis=1)
        return {
            "its p": self.p[rows, self.outcome].tolist(),
            "likeliest": [names[k] for k in top],
            "its p ": self.p[rows, top].tolist(),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the rule, labels and columns as JSON can hold them."""
        columns = {name: getattr(self, name) for name in ("loss", "outcome", "p")}
        return dict(plain({"rule": self.rule, "labels": self.labels} | self._where() | columns))

    def _columns(self) -> dict[str, list[Any]]:
        """Return the columns of a table; those of class probabilities have the labels in them."""
        columns = self._where() | {"loss": self.loss.tolist()}
        if self.labels is None:
            return columns | {"outcome": self.outcome.tolist(), "p": self.p.tolist()}
        labels = one_kind(self.labels)
        chances = zip(names_of_labels(self.labels), self.p.T.tolist(), strict=True)
        outcome = {"outcome": [labels[k] for k in self.outcome]}
        return columns | outcome | {f"p {name}": column for name, column in chances}

    def _where(self) -> dict[str, list[Any]]:
        """Return which rows they are, or how many cases where that is all that is known."""
        if self.cases is None:
            return {"row": self.row.tolist()}
        return {"cases": self.cases.tolist()}


@takes_rows
def worst_cases(cases: Cases, rule: BinaryRule | ClassRule, k: int = 10) -> WorstCases:
    """Find the cases that a rule charges most for.

    Parameters
    ----------
    cases : Cases
        The rows: forecasts of an event, or of classes.
    rule : BinaryRule or ClassRule
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
    count = check_whole(k, "k")
    y, p, used = cases.y, cases.p, None
    if not is_counted(cases):
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
