"""Forecasts in, forecasts out: numbers, arrays, tensors, series and frames through a map."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from properly._boundary._arrays import (
    as_array,
    as_floats,
    as_numbers,
    check_forecasts,
    refuse,
    scale_hint,
)
from properly._boundary._chunks import sweep
from properly._boundary._libraries import count_true, is_numpy, namespace, to_numpy
from properly._boundary._record import printable
from properly.errors import ArgumentTypeError, DataError
from properly.recalibration._map import Composition

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
        return _beside(data, data.name, values).to_native() if values.ndim == 1 else values
    if isinstance(p, np.generic):
        return through(mapping, np.asarray(p))[()]
    if isinstance(p, Real):
        return float(through(mapping, np.array([float(p)]))[0])
    return through(mapping, p)


def _beside(data: Any, name: str, values: Array) -> Any:
    """Make a series of numbers that belong to the rows of a frame, or of another series."""
    series = nw.new_series(name, values, backend=data.implementation)
    index = nw.maybe_get_index(data)
    return series if index is None else nw.maybe_set_index(series, index=index)


def _of_frame(mapping: Map, data: Any, forecast: str | None, name: str | None) -> Any:
    names = data.collect_schema().names()
    if forecast is None or forecast not in names:
        listed = ", ".join(printable(x) for x in names[:8])
        what = "no column was named" if forecast is None else f"there is no {forecast!r}"
        message = f"a frame needs the name of its column of forecasts; {what}"
        raise DataError(message, hint=f'write at(frame, forecast="p"); columns are {listed}.')
    name = f"{forecast}_recalibrated" if name is None else name
    if isinstance(data, nw.LazyFrame):
        return _of_lazy_frame(mapping, data, forecast, name)
    values = through(mapping, data[forecast].to_numpy())
    return data.with_columns(_beside(data, name, values)).to_native()


def _of_lazy_frame(mapping: Map, data: nw.LazyFrame[Any], forecast: str, name: str) -> Any:
    """Add a column that is computed where the rows are, when they are."""
    if data.implementation.is_dask():
        part, native = partial(apply, mapping, forecast=forecast, name=name), data.to_native()
        return native.map_partitions(part, meta=part(native._meta))  # noqa: SLF001
    # Step by step: written into one another, expressions would become long.
    for one in mapping.maps if isinstance(mapping, Composition) else (mapping,):
        data = data.with_columns(one.expression(forecast).alias(name))
        forecast = name
    return data.to_native()


def through(mapping: Map, p: ArrayLike) -> Array:
    """Recalibrate an array of any shape and library; computed in double precision."""
    given = as_array(p, "forecasts")
    if mapping.of == "event":
        if 0 in given.shape:
            return as_floats(as_numbers(given, "forecasts"))
        if given.ndim == 1:
            return _in_pieces(mapping, check_forecasts(given))
        flat = namespace(given).reshape(_checked_table(given), (-1,))
        result = _in_pieces(mapping, check_forecasts(flat))
        return namespace(result).reshape(result, tuple(given.shape))
    return _in_pieces(mapping, as_floats(as_numbers(given, "forecasts")))


def _checked_table(p: Array) -> Array:
    """Refuse what is no forecast in rows and columns, with the place of the first."""
    p = as_floats(as_numbers(p, "forecasts"))
    if p.ndim > 1:
        rows = namespace(p).reshape(p, (p.shape[0], -1))
        outside = ~((rows >= 0) & (rows <= 1))
        if count_true(outside):
            host = to_numpy(rows)
            hint = scale_hint(float(host.min()), float(host.max()))
            refuse(rows, outside, "forecasts must be probabilities in [0, 1]", hint)
    return p


def _in_pieces(mapping: Map, p: Array) -> Array:
    """Go through long columns piece by piece, so that temporary arrays stay small."""
    mapping._check(p)  # noqa: SLF001
    xp = namespace(p)
    if not is_numpy(p):
        wide = xp.astype(p, xp.float64)
        values = mapping._at(wide)  # noqa: SLF001
        if getattr(p, "requires_grad", False) and not values.requires_grad:
            # A step, or a constant, has a gradient too: zero.
            values = values + 0 * wide
        return xp.astype(values, p.dtype)
    result = np.empty_like(p)

    def fill(piece: Array, out: Array) -> None:
        out[...] = mapping._at(piece.astype(np.float64, copy=False))  # noqa: SLF001

    sweep(fill, p, result)
    return result
