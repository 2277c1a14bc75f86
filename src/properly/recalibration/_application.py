"""Forecasts in, forecasts out: numbers, arrays, tensors, series and frames through a map."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from properly._boundary._arrays import as_array, as_floats, as_numbers, check_forecasts
from properly._boundary._chunks import sweep
from properly._boundary._libraries import is_numpy, namespace
from properly._boundary._record import printable
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from properly.recalibration._map import Map
    from properly.typing import Array, ArrayLike


def apply(mapping: Map, p: ArrayLike, *, forecast: str | None, name: str | None) -> Any:
    """Recalibrate whatever holds forecasts, and return the same kind of thing."""
    data = nw.from_native(p, pass_through=True, allow_series=True)
    if isinstance(data, nw.DataFrame | nw.LazyFrame):
        return _of_frame(mapping, data, forecast, name)
    if forecast is not None or name is not None:
        message = f"forecast= and name= are for columns of a frame; got {type(p).__name__}"
        raise ArgumentTypeError(message)
    if isinstance(data, nw.Series):
        values = through(mapping, data.to_numpy())
        return (
            nw.new_series(data.name, values, backend=data.implementation).to_native()
            if values.ndim == 1
            else values
        )
    if isinstance(p, Real):
        return float(through(mapping, np.array([float(p)]))[0])
    return through(mapping, p)


def _of_frame(mapping: Map, data: Any, forecast: str | None, name: str | None) -> Any:
    names = data.collect_schema().names()
    if forecast is None or forecast not in names:
        listed = ", ".join(printable(x) for x in names[:8])
        what = "no column was named" if forecast is None else f"there is no {forecast!r}"
        message = f"a frame needs the name of its column of forecasts; {what}"
        raise DataError(message, hint=f'write at(frame, forecast="p"); columns are {listed}.')
    name = f"{forecast}_recalibrated" if name is None else name
    if isinstance(data, nw.LazyFrame):
        return data.with_columns(mapping.expression(forecast).alias(name)).to_native()
    values = through(mapping, data[forecast].to_numpy())
    column = nw.new_series(name, values, backend=data.implementation)
    return data.with_columns(column).to_native()


def through(mapping: Map, p: ArrayLike) -> Array:
    """Recalibrate an array of any shape and library; computed in double precision."""
    given = as_array(p, "forecasts")
    if mapping.of == "event":
        shape = tuple(given.shape)
        flat = given if given.ndim == 1 else namespace(given).reshape(given, (-1,))
        p = check_forecasts(flat)
        result = _in_pieces(mapping, p)
        return result if len(shape) == 1 else namespace(result).reshape(result, shape)
    return _in_pieces(mapping, as_floats(as_numbers(given, "forecasts")))


def _in_pieces(mapping: Map, p: Array) -> Array:
    """Go through long columns piece by piece, so that temporary arrays stay small."""
    mapping._check(p)  # noqa: SLF001
    xp = namespace(p)
    if not is_numpy(p):
        return xp.astype(mapping._at(xp.astype(p, xp.float64)), p.dtype)  # noqa: SLF001
    result = np.empty_like(p)

    def fill(piece: Array, out: Array) -> None:
        out[...] = mapping._at(piece.astype(np.float64, copy=False))  # noqa: SLF001

    sweep(fill, p, result)
    return result
