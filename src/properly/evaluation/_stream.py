"""Rows summed up without being kept: batch by batch, or inside the engine that holds them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from properly._boundary import _arrays
from properly._boundary._classes import as_labels
from properly._boundary._libraries import to_numpy
from properly._boundary._options import check_choice, check_whole
from properly._boundary._record import Adds
from properly._boundary._synonyms import with_argument_hints
from properly._boundary._text import many
from properly.counts import _cases
from properly.counts._cases import TASKS, Forecasts
from properly.counts._tally import require_one_kind
from properly.engines import _summary
from properly.engines._summary import Summary, plain_labels
from properly.errors import ArgumentTypeError, DataError
from properly.evaluation._evaluate import evaluate, rules_of_frame, rules_of_task
from properly.evaluation._record import Evaluation
from properly.rules import Rule
from properly.rules._interval import Interval
from properly.typing import ArrayLike, Column, IntoFrame, Progress

# Each is summed up for itself; more are hardly groups, and would take memory without end.
MOST_GROUPS = 1000
OPTIONS = ("rules", "within", "pos_label", "cells")
# Batches wait to be summed up together until they have so many rows.
WAITING = 1 << 16


class StreamBatch(NamedTuple):
    """Rows that have been checked; models in the order of the first batch."""

    y: Column
    forecasts: dict[str, Column]
    weight: Column | None = None
    groups: Column | None = None
    times: Column | None = None

    @property
    def kind(self) -> tuple[str | None, bool]:
        """What batches have in common that wait together: how groups are named, and counts."""
        return None if self.groups is None else self.groups.dtype.kind, self.times is None

    def joined(self, others: Sequence[StreamBatch]) -> StreamBatch:
        """Put batches of one kind behind this one."""
        y, models, *known = zip(self, *others, strict=True)
        forecasts = {name: np.concatenate([x[name] for x in models]) for name in models[0]}
        rest = (None if parts[0] is None else np.concatenate(parts) for parts in known)
        return StreamBatch(np.concatenate(y), forecasts, *rest)


class BatchKind(NamedTuple):
    """What the first batch had, and all others must have."""

    models: tuple[str, ...]
    grouped: bool = False
    weighted: bool = False

    def require(self, batch: BatchKind) -> None:
        """Refuse a batch that does not go with the first."""
        if set(batch.models) != set(self.models):
            names = f"{list(batch.models)} after {list(self.models)}"
            message = f"every batch must have the same models; got {names}"
            raise DataError(message)
        if batch.grouped != self.grouped:
            has = self.grouped
            got = "has no groups, those before have" if has else "is the first with groups"
            message = f"groups are given with every batch, or with none; this one {got}"
            raise DataError(message)
        require_one_kind(not self.weighted, not batch.weighted)


class Stream(Adds):
    """Sums up rows that come batch by batch, and keeps none of them for long.

    Make one with `properly.stream`. Which rows come first, and which come together, makes no
    difference to any number. Streams of different rows, as on several machines, add.

    Parameters
    ----------
    rules, within, pos_label, cells
        As in `properly.stream`.

    Examples
    --------
    >>> import properly
    >>> monday, tuesday = properly.stream(), properly.stream()
    >>> monday.add([0, 1], {"a": [0.1, 0.6], "b": [0.3, 0.3]})
    >>> monday.add([1], {"a": [0.8], "b": [0.9]})
    >>> tuesday.add([0, 0], {"a": [0.2, 0.1], "b": [0.6, 0.2]})
    >>> monday + tuesday
    Stream(5 rows, 2 models, 2 rules)
    >>> round(sum([monday, tuesday]).summary().event_rate, 4)
    0.4
    """

    def __init__(self, rules: Any, within: Any, pos_label: object, cells: int | None) -> None:
        self._rules, _, self._within = rules_of_task("binary", rules, within)
        self._pos_label = pos_label
        self._cells = None if cells is None else _check_cells(cells)
        self._labels: tuple[Any, ...] = ()
        self._sum: Summary | None = None
        self._waiting: list[StreamBatch] = []
        self._rows, self._cases = 0, 0
        # What the first batch had, and the groups so far.
        self._first: BatchKind | None = None
        self._groups: frozenset[Any] = frozenset()

    def add(
        self,
        y: ArrayLike,
        forecasts: Forecasts,
        weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        count: ArrayLike | None = None,
    ) -> None:
        """Take in a batch of rows. A batch that is refused changes nothing.

        Parameters
        ----------
        y : array-like
            Outcomes: booleans, 0 and 1, or two labels of any kind if the stream has a `pos_label`.
            A batch may have one of them only.
        forecasts : dict of array-like, data frame, or array-like
            Probabilities of the event, by model, as in `properly.evaluate`; of the same models in
            every batch.
        weight : array-like, optional
            Sampling weights, on one scale: with every batch, or none.
        groups : array-like, optional
            The group of each case, by text, numbers or truth values: with every batch, or none.
        count : array-like of int, optional
            How many like cases each row stands for; in a batch without it, one each.
        """
        options: dict[str, Any] = {"weight": weight, "groups": groups, "pos_label": self._pos_label}
        named = _cases.named_forecasts(forecasts, "binary")
        models = _cases.contenders(y, named, least=1, **options)
        rows = _cases.require_event(next(iter(models.values())))
        kind = BatchKind(tuple(models), groups is not None, weight is not None)
        first = self._first or kind
        first.require(kind)
        times = None if count is None else to_numpy(_arrays.counts_beside(rows.p, count))
        _cases.require_both(rows.weight, times)
        known, labels = self._groups, self._labels
        batch = StreamBatch(
            to_numpy(rows.y),
            {name: to_numpy(models[name].p) for name in first.models},
            None if weight is None else to_numpy(rows.weight),
            None if rows.groups is None else to_numpy(rows.groups),
            times,
        )
        if batch.groups is not None:
            names = plain_labels(_cases.numbered(batch.groups)[1], batch.groups.dtype)
            known = known.union(names)
            require_few_groups(known)
        if self._pos_label is not None:
            outcomes = to_numpy(_arrays.as_column(y, "outcomes"))
            labels = self._joined(_arrays.distinct(outcomes))
        self._take(batch)
        self._labels, self._groups, self._first = labels, known, first

    def _take(self, batch: StreamBatch) -> None:
        """Let a batch wait for others of its kind, until they are many."""
        cases = len(batch.y) if batch.times is None else float(batch.times.sum(dtype=float))
        _arrays.require_countable(self._cases + cases)
        is_alike = not self._waiting or batch.kind == self._waiting[0].kind
        if not is_alike or self._rows + len(batch.y) > WAITING:
            self._sum_up()
        self._waiting.append(batch)
        self._rows += len(batch.y)
        self._cases += int(cases)
        if self._rows >= WAITING:
            self._sum_up()

    def _sum_up(self) -> Summary | None:
        """Sum up what waits; return the sums of all rows so far."""
        if self._waiting:
            batch, *others = self._waiting
            y, forecasts, weight, groups, times = batch.joined(others) if others else batch
            known: dict[str, Any] = {"groups": groups, "times": times, "cells": self._cells}
            part = Summary.of_rows(self._rules, y, forecasts, weight, **known)
            self._sum = part if self._sum is None else self._sum + part
            self._waiting, self._rows = [], 0
        return self._sum

    def merge(self, other: Stream) -> None:
        """Take in all rows of another stream, which stays as it is.

        Parameters
        ----------
        other : Stream
            With the same rules and options, fed with forecasts of the same models.
        """
        if not isinstance(other, Stream):
            message = f"a stream is merged with another one; got {type(other).__name__}"
            raise ArgumentTypeError(message, hint="summaries add: stream.summary() + other.")
        self._require_mergeable(other)
        _arrays.require_countable(self._cases + other._cases)
        labels, groups = self._joined(other._labels), self._groups | other._groups
        require_few_groups(groups)
        self._sum = sum(filter(None, (self._sum_up(), other._sum_up()))) or None
        self._labels, self._groups = labels, groups
        self._first, self._cases = self._first or other._first, self._cases + other._cases

    def summary(self) -> Summary:
        """Return all that was summed up so far."""
        result = self._sum_up()
        if result is None:
            message = "a stream must be fed before it is summed up; there are no rows yet"
            raise DataError(message, hint="write stream.add(y, forecasts).")
        return result

    def evaluate(self, **options: Any) -> Evaluation:
        """Evaluate the models on all rows so far.

        Parameters
        ----------
        **options
            As in `properly.evaluate`: ``level``, ``replicates``, ``rng`` and ``progress``.

        Returns
        -------
        Evaluation
        """
        return evaluate(self.summary(), **{"within": self._within, **options})

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the summary of all rows so far to a file, which `Summary.load` reads.

        Parameters
        ----------
        path : str or path
            The name of the file.

        Returns
        -------
        Path
            Where it was written.
        """
        return self.summary().save(path)

    def __len__(self) -> int:
        """Count the rows of positive weight so far."""
        found = self._sum_up()
        return 0 if found is None else found.rows

    def __bool__(self) -> bool:
        """Say that there is a stream, also before it has rows."""
        return True

    def __add__(self, other: object) -> Stream:
        """Make a stream of the rows of both."""
        if not isinstance(other, Stream):
            return NotImplemented
        self._sum_up()
        both = Stream.__new__(Stream)
        vars(both).update(vars(self) | {"_waiting": []})
        both.merge(other)
        return both

    def __repr__(self) -> str:
        models = () if self._first is None else self._first.models
        sizes = {"row": len(self), "model": len(models), "rule": len(self._rules)}
        return f"Stream({', '.join(many(size, what) for what, size in sizes.items())})"

    def _require_mergeable(self, other: Stream) -> None:
        """Refuse a stream with other options or models."""
        alike = {what: (vars(self)[f"_{what}"], vars(other)[f"_{what}"]) for what in OPTIONS}
        if self._first is not None and other._first is not None:
            alike["models"] = self._first.models, other._first.models
        for what, (own, its) in alike.items():
            # Rules of one's own need not be comparable; what is written is.
            if repr(own) != repr(its):
                message = (
                    f"streams that are merged must have the same {what}; got {own!r} and {its!r}"
                )
                raise DataError(message)

    def _joined(self, outcomes: Iterable[Any]) -> tuple[Any, ...]:
        """Put labels of outcomes to those seen before; refuse a third, as if all came at once."""
        labels = tuple(dict.fromkeys([*self._labels, *outcomes]))
        if len(labels) > len(self._labels):
            every = np.empty(len(labels), dtype=object)
            every[:] = labels
            _arrays.check_outcomes(every, pos_label=self._pos_label)
        return labels


@with_argument_hints
def stream(
    rules: Iterable[Rule | str] | Rule | str | None = None,
    *,
    within: Interval | tuple[float, float] | None = None,
    pos_label: object = None,
    cells: int | None = None,
) -> Stream:
    """Evaluate models of an event on rows that come batch by batch.

    Parameters
    ----------
    rules : rule or iterable of rules, optional
        Unless said otherwise, `Brier` and `Log`.
    within : Interval or pair of floats, optional
        The thresholds that matter: models are judged first by the mean regret over them.
    pos_label : label, optional
        The label of the event.
    cells : int, optional
        Group forecasts into so many equally wide cells, 1,000,000 at most. Left out, forecasts are
        kept as they are until there are more than 1,000,000 distinct ones of a model, or in all
        groups together; then they are grouped into 100,000 cells.

    Returns
    -------
    Stream

    Notes
    -----
    *Exact.* Counts are whole numbers. Sums are floats that agree to a relative 1e-12 in any order
    of rows and any batches, on one machine or on many.

    *Memory* does not grow with the number of rows. Only the sums are kept, and the counts at each
    distinct forecast or in each cell, with the mean of the forecasts in it. Small batches are
    checked when they come, and wait to be summed up together until they have 65,536 rows, or until
    something is asked for.

    Examples
    --------
    >>> import properly
    >>> stream = properly.stream(pos_label="yes")
    >>> stream.add(["no", "no"], [0.1, 0.8])
    >>> stream.add(["yes", "no", "yes"], [0.7, 0.2, 0.4])
    >>> stream
    Stream(5 rows, 1 model, 2 rules)
    >>> e = stream.evaluate(replicates=0)
    >>> print(e.scores["forecast"]["brier"])
    0.228 (95 % interval 0 to 0.5618; 5 independent cases)
    """
    return Stream(rules, within, pos_label, cells)


def _check_cells(cells: object) -> int:
    count, most = check_whole(cells, "cells"), _summary.MOST_DISTINCT
    if count > most:
        message = f"cells must be {most:,} at most, which is as much as is kept; got {count:,}"
        raise DataError(message)
    return count


def require_few_groups(labels: Collection[object]) -> None:
    if len(labels) > MOST_GROUPS:
        message = f"there must be at most {MOST_GROUPS} groups; batches have brought {len(labels)}"
        raise DataError(message, hint="are these the names of single cases?")


@with_argument_hints
def summarize(
    frame: IntoFrame,
    forecasts: str | Sequence[str] | Mapping[str, str | Sequence[str]],
    *,
    outcome: str,
    weight: str | None = None,
    count: str | None = None,
    groups: str | None = None,
    clusters: str | None = None,
    task: Literal["auto", "binary", "multiclass", "ordinal"] = "auto",
    labels: Sequence[object] | None = None,
    pos_label: object = None,
    rules: Iterable[Rule | str] | Rule | str | None = None,
    within: Interval | tuple[float, float] | None = None,
    cells: int | None = None,
    progress: Progress | None = None,
) -> Summary:
    r"""Sum up a frame of any size inside the engine that holds it.

    Parameters
    ----------
    frame : data frame
        pandas, polars (eager or lazy), pyarrow, a duckdb relation, Dask or Spark. It is read by its
        own engine, once for the sums of losses and once for each model; rows are never fetched.
    forecasts : str, list of str, or dict
        The columns of forecasts, one a model; a dict has the column of each model, or the columns
        of the classes in their order.
    outcome : str
        The column of outcomes: booleans, 0 and 1, or two labels with `pos_label`; of classes their
        numbers, or `labels`.
    weight, count, groups, clusters : str, optional
        The columns of sampling weights, of how many like cases each row stands for, of groups to be
        judged apart, and of clusters of cases that depend on one another.
    task : {"auto", "binary", "multiclass", "ordinal"}
        As in `properly.evaluate`; a model with several columns forecasts classes.
    labels : sequence of labels, optional
        What each column of classes stands for; of an event, both labels, the event last.
    pos_label : label, optional
        The label of the event.
    rules, within
        As in `properly.evaluate`. A rule must be one that an engine can compute: all of this
        library but those that need special functions, such as `BetaWeighted`.
    cells : int, optional
        Group forecasts into so many equally wide cells. Left out, up to 1,000,000 distinct
        forecasts are kept as they are, and more are grouped into 100,000 cells.
    progress : callable, optional
        Called as ``progress(done, total, what)`` while the work goes on.

    Returns
    -------
    Summary
        Which `properly.evaluate` judges. Summaries of the parts of a data set add up to that of the
        whole, unless there are clusters.

    Notes
    -----
    Losses are priced case by case inside the engine, by the same formulas as arrays. Each loss is
    cut into a multiple of :math:`2^{-20}`, the sum of which is exact in any order, and a small
    rest, so that 10\ :sup:`9` equal losses do not drift. Scores, their standard errors and the
    differences of models are therefore as exact as those of arrays, grouped into cells or not;
    `grouping_error` bounds what cells may change about miscalibration and curves.

    Examples
    --------
    >>> import polars as pl
    >>> import properly
    >>> frame = pl.LazyFrame({"rain": [0, 1, 1, 0], "new": [0.1, 0.7, 0.8, 0.3], "old": 0.5})
    >>> summary = properly.summarize(frame, ["new", "old"], outcome="rain")
    >>> summary
    Summary(4 rows, 2 models, 2 rules)
    >>> e = properly.evaluate(summary, replicates=0)
    >>> round(e.scores["new"]["brier"].value, 4)
    0.0575
    """
    from properly.engines._frame import Framed  # which takes long to import

    check_choice(task, TASKS, "task")
    if cells is not None:
        check_whole(cells, "cells")
    if not isinstance(outcome, str):
        message = f"outcome is the name of a column of a frame; got {type(outcome).__name__}"
        raise ArgumentTypeError(message, hint="of arrays, properly.stream sums up batches.")
    design = {"weight": weight, "count": count, "groups": groups, "clusters": clusters}
    names = None if labels is None else as_labels(labels)
    framed = Framed.of(
        frame, outcome, forecasts, task=task, design=design, labels=names, pos_label=pos_label
    )
    return framed.summary(rules_of_frame(framed, task, rules, within), cells, progress)
