"""Any data frame, in and out; the only file that imports narwhals."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

from properly._nearest import require_columns
from properly._tally import Tally
from properly.errors import ArgumentTypeError, DataError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly.typing import Array, ArrayLike, IntoFrame

Backend = Literal["polars", "pandas", "pyarrow"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)


def tally(
    y_or_frame: ArrayLike | IntoFrame,
    p: ArrayLike | None = None,
    *,
    outcome: str | None = None,
    forecast: str | None = None,
    weight: ArrayLike | str | None = None,
    pos_label: object = None,
    cells: int | None = None,
    snap: float | ArrayLike | None = None,
) -> Tally:
    """Count what happened at each distinct forecast.

    Parameters
    ----------
    y_or_frame : array-like or data frame
        Outcomes: booleans, 0 and 1, or two labels of any kind with `pos_label`. Or a frame of
        any library, eager or lazy, with the names of its columns; these are read into memory.
    p : array-like, optional
        Probabilities of the event, in [0, 1]. Left out with a frame.
    outcome, forecast : str, optional
        Names of the columns of a frame.
    weight : array-like or str, optional
        Case weights, or the name of their column. Whole numbers count as that many cases, exactly;
        cases of weight 0 are dropped.
    pos_label : label, optional
        The label of the event.
    cells : int, optional
        Group forecasts into so many equally wide cells, each with its mean forecast. Scores are
        then those of the mean forecasts.
    snap : float or array-like, optional
        Move forecasts to the nearest value of a grid before they are pooled: a step such as 0.01,
        or increasing values. A forecast half way goes up.

    Returns
    -------
    Tally
        In the library of `p`, and on its device.

    Examples
    --------
    >>> import properly
    >>> properly.tally([0, 1, 1, 0], [0.1, 0.4, 0.8, 0.8])
    Tally(4 cases at 3 distinct forecasts, event rate 0.5)
    >>> properly.tally(["no", "yes"], [0.12, 0.97], pos_label="yes", snap=0.1).value
    array([0.1, 1. ])
    """
    if p is None:
        y_or_frame, p, weight = _columns_of(y_or_frame, outcome, forecast, weight)
    elif outcome is not None or forecast is not None:
        message = "outcome and forecast name columns of a frame; arrays were given as well"
        raise ArgumentTypeError(message, hint="pass a frame and two names, or two arrays.")
    counts = Tally.from_arrays(y_or_frame, p, weight, pos_label=pos_label, snap=snap)
    return counts if cells is None else counts.group(cells)


def as_models(forecasts: IntoFrame | ArrayLike) -> dict[str, Array]:
    """Take the columns of a frame as models, and anything else as one forecast."""
    import narwhals.stable.v2 as nw

    data = nw.from_native(forecasts, pass_through=True)
    if not isinstance(data, nw.DataFrame | nw.LazyFrame):
        return {"forecast": forecasts}
    columns = data.lazy().collect().iter_columns()
    return {column.name: column.to_numpy() for column in columns}


def to_frame(columns: Mapping[str, Any], backend: Backend | None = None) -> Any:
    """Make a frame of columns, in the library that is asked for or the first that is installed."""
    import narwhals.stable.v2 as nw

    installed = [name for name in BACKENDS if find_spec(name)]
    if backend is not None and backend not in BACKENDS:
        message = f"backend must be one of {', '.join(BACKENDS)}; got {backend!r}"
        raise DataError(message)
    if backend not in (None, *installed) or not installed:
        message = f"a frame needs {backend or 'polars, pandas or pyarrow'}, which is not installed"
        raise MissingExtraError(message, hint=f"pip install {backend or 'polars'}")
    return nw.from_dict(dict(columns), backend=backend or installed[0]).to_native()


def library_of(*given: object) -> Backend | None:
    """Name the library of the first frame or series among what was given."""
    homes = (type(x).__module__.partition(".")[0] for x in given)
    return next((name for home in homes for name in BACKENDS if home == name), None)


def _columns_of(
    frame: IntoFrame,
    outcome: str | None,
    forecast: str | None,
    weight: ArrayLike | str | None,
) -> tuple[Array, Array, Array | None]:
    """Take the named columns out of a frame, as numpy arrays."""
    import narwhals.stable.v2 as nw

    data = nw.from_native(frame, pass_through=True)
    if not isinstance(data, nw.DataFrame | nw.LazyFrame):
        message = f"forecasts are missing; got only {type(frame).__name__}"
        raise ArgumentTypeError(
            message, hint="pass tally(y, p), or a frame with outcome= and forecast=."
        )
    if outcome is None or forecast is None:
        message = "a frame needs the names of its columns; got outcome = {!r}, forecast = {!r}"
        raise ArgumentTypeError(message.format(outcome, forecast))
    names = [outcome, forecast, *([weight] if isinstance(weight, str) else [])]
    require_columns(names, data.collect_schema().names())
    chosen = data.select(*dict.fromkeys(names)).lazy().collect()
    columns = [chosen.get_column(name).to_numpy() for name in names]
    return columns[0], columns[1], columns[2] if isinstance(weight, str) else weight
