"""Rows summed up where they are, so that nothing but sums and counts has to fit into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from properly._boundary._labels import as_labels
from properly._boundary._options import check_choice, check_whole
from properly.errors import ArgumentTypeError
from properly.evaluation._asking import rules_of_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from properly.engines._summary import Summary
    from properly.rules import Rule
    from properly.rules._interval import Interval
    from properly.typing import IntoFrame

TASKS = ("auto", "binary", "multiclass", "ordinal")


def summarize(
    frame: IntoFrame,
    forecasts: str | Sequence[str] | Mapping[str, str | Sequence[str]],
    *,
    outcome: str,
    weight: str | None = None,
    groups: str | None = None,
    clusters: str | None = None,
    task: Literal["auto", "binary", "multiclass", "ordinal"] = "auto",
    labels: Sequence[object] | None = None,
    pos_label: object = None,
    rules: Iterable[Rule] | Rule | None = None,
    within: Interval | tuple[float, float] | None = None,
    cells: int | None = None,
    progress: Callable[[int, int, str], None] | None = None,
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
    weight, groups, clusters : str, optional
        The columns of case weights, of groups to be judged apart, and of clusters of cases that
        depend on one another.
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
    from properly.engines._framed import Framed  # which takes long to import

    check_choice(task, TASKS, "task")
    if cells is not None:
        check_whole(cells, "cells")
    if not isinstance(outcome, str):
        message = f"outcome is the name of a column of a frame; got {type(outcome).__name__}"
        raise ArgumentTypeError(message, hint="of arrays, properly.stream sums up batches.")
    known = {"weight": weight, "groups": groups, "clusters": clusters}
    names = None if labels is None else as_labels(labels)
    framed = Framed.of(
        frame, outcome, forecasts, task=task, known=known, labels=names, pos_label=pos_label
    )
    return framed.summary(rules_of_frame(framed, task, rules, within), cells, progress)
