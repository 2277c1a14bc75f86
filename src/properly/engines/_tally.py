"""`tally`: what happened at each forecast, counted of arrays or in an engine."""

from __future__ import annotations

from typing import Any

from properly._boundary._options import check_whole
from properly._boundary._synonyms import with_argument_hints
from properly.counts._tally import Tally
from properly.engines._rows import Rows
from properly.errors import ArgumentTypeError
from properly.typing import ArrayLike, IntoFrame


@with_argument_hints
def tally(
    y_or_frame: ArrayLike | IntoFrame,
    p: ArrayLike | None = None,
    *,
    outcome: str | None = None,
    forecast: str | None = None,
    weight: ArrayLike | str | None = None,
    count: ArrayLike | str | None = None,
    pos_label: object = None,
    cells: int | None = None,
    snap: float | ArrayLike | None = None,
) -> Tally:
    """Count what happened at each distinct forecast.

    Parameters
    ----------
    y_or_frame : array-like or data frame
        Outcomes: booleans, 0 and 1, or two labels of any kind with `pos_label`. Or a frame, with
        the names of its columns: pandas, polars, pyarrow, a duckdb relation, Dask or Spark. Its
        rows are counted by the engine that holds them, and only the counts are fetched.
    p : array-like, optional
        Probabilities of the event, in [0, 1]. Left out with a frame.
    outcome, forecast : str, optional
        Names of the columns of a frame.
    weight : array-like or str, optional
        Sampling weights, or of a frame the name of their column; cases of weight 0 are dropped.
        Only their ratios matter, and a row is one case however much it weighs.
    count : array-like of int or str, optional
        How many like cases each row stands for, or of a frame the name of that column.
    pos_label : label, optional
        The label of the event.
    cells : int, optional
        Group forecasts into so many equally wide cells, each with its mean forecast. Scores are
        then those of the mean forecasts; `grouping_error` says how far off they may be.
    snap : float or array-like, optional
        Move forecasts to the nearest value of a grid before they are pooled: a step such as 0.01,
        or increasing values. A forecast half way goes up.

    Returns
    -------
    Tally
        In the library of `p`, and on its device; of a frame, in numpy.

    Examples
    --------
    >>> import properly
    >>> properly.tally([0, 1, 1, 0], [0.1, 0.4, 0.8, 0.8])
    Tally(4 cases at 3 distinct forecasts, event rate 0.5)
    >>> properly.tally(["no", "yes"], [0.12, 0.97], pos_label="yes", snap=0.1).value
    array([0.1, 1. ])

    A frame, here of polars, is counted where it is; a lazy one is read once:

    >>> import polars as pl
    >>> frame = pl.LazyFrame({"rain": [0, 1, 1, 0], "chance": [0.1, 0.4, 0.8, 0.8]})
    >>> properly.tally(frame, outcome="rain", forecast="chance")
    Tally(4 cases at 3 distinct forecasts, event rate 0.5)
    """
    if p is None:
        from properly.engines._frame_sums import tally_frame

        rows = _in_engine(y_or_frame, outcome, forecast, pos_label, weight=weight, count=count)
        return tally_frame(rows, None if cells is None else check_whole(cells, "cells"), snap)
    if outcome is not None or forecast is not None:
        message = "outcome and forecast name columns of a frame; arrays were given as well"
        raise ArgumentTypeError(message, hint="pass a frame and two names, or two arrays.")
    for what, amount in (("weight", weight), ("count", count)):
        if isinstance(amount, str):
            message = f"{what} names a column of a frame; arrays were given, and {what}={amount!r}"
            raise ArgumentTypeError(message, hint=f"pass the {what}s themselves.")
    counts = Tally.from_arrays(y_or_frame, p, weight, count, pos_label=pos_label, snap=snap)
    return counts if cells is None else counts.group(cells)


def _in_engine(
    frame: IntoFrame,
    outcome: str | None,
    forecast: str | None,
    pos_label: object,
    **amounts: ArrayLike | str | None,
) -> Rows:
    """Take the columns of a frame where they are."""
    from properly.engines._rows import Roles, Rows, as_lazy

    as_lazy(frame)
    if outcome is None or forecast is None:
        message = "a frame needs the names of its columns; got outcome = {!r}, forecast = {!r}"
        raise ArgumentTypeError(message.format(outcome, forecast))
    for what, column in amounts.items():
        if column is not None and not isinstance(column, str):
            message = f"{what} of a frame is the name of a column; got {type(column).__name__}"
            raise ArgumentTypeError(message, hint="or pass tally(y, p), with arrays alone.")
    roles: Any = {"forecasts": {forecast: (forecast,)}, **amounts}
    return Rows.of(frame, Roles(outcome, **roles), pos_label=pos_label)
