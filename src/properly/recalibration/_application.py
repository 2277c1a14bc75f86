"""Forecasts in, forecasts out: numbers, arrays, tensors, series and frames through a map."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from properly._boundary._arrays import (
    as_array,
    as_floats,
    as_numbers,
    check_column,
    check_forecasts,
    refuse_scale,
)
from properly._boundary._chunks import sweep
from properly._boundary._classes import check_probabilities, require_named_in_order
from properly._boundary._libraries import count_true, is_numpy, namespace
from properly._boundary._notices import notice
from properly._boundary._text import printable
from properly.counts._cases import Cases, with_forecasts
from properly.counts._class_rows import rows_of
from properly.engines._files._clusters import require_library
from properly.errors import ArgumentTypeError, DataError
from properly.typing import Array, ArrayLike

if TYPE_CHECKING:
    from properly.recalibration._map import Map


def apply(
    mapping: Map,
    p: ArrayLike,
    *,
    groups: Any = None,
    forecast: str | Sequence[str] | None = None,
    name: str | Sequence[str] | None = None,
) -> Any:
    """Recalibrate whatever holds forecasts, and return the same kind of thing."""
    if isinstance(p, Cases):
        return _of_cases(mapping, p)
    _check_groups(mapping, groups)
    data = nw.from_native(p, pass_through=True, allow_series=True)
    if isinstance(data, nw.DataFrame | nw.LazyFrame):
        return _of_frame(mapping, data, groups, forecast, name)
    if forecast is not None or name is not None:
        message = f"forecast= and name= are for columns of a frame; got {type(p).__name__}"
        raise ArgumentTypeError(message)
    if isinstance(data, nw.Series):
        values = through(mapping, data.to_numpy(), groups)
        return _beside(data, data.name, values).to_native() if values.ndim == 1 else values
    if isinstance(p, np.generic | Real):
        column = np.asarray([p], None if isinstance(p, np.generic) else np.float64)
        made = through(mapping, column, None if groups is None else [groups])[0]
        return made if isinstance(p, np.generic) else float(made)
    return through(mapping, p, groups)


def _of_cases(mapping: Map, cases: Cases) -> Cases:
    """Replace the forecasts of cases; say so if the map was fitted to these very cases."""
    counted = cases.tally() if cases.classes is None else rows_of(cases)
    if mapping.training is not None and mapping.training.is_of(counted):
        notice("this map was fitted to these very cases: scores of its forecasts flatter it")
    groups = cases.groups if mapping.needs_groups else None
    return with_forecasts(cases, through(mapping, cases.p, groups))


def _check_groups(mapping: Map, groups: Any) -> None:
    if mapping.needs_groups is (groups is not None):
        return
    if groups is None:
        message = "this map needs the group of each forecast; got none"
        raise DataError(message, hint="write at(p, groups=column).")
    message = f"this map knows no groups; got groups= for {type(mapping).__name__}"
    raise ArgumentTypeError(message, hint="GroupShift() is a map by group.")


def _beside(data: Any, name: str, values: Array) -> Any:
    """Make a series of numbers that belong to the rows of a frame, or of another series."""
    series = nw.new_series(name, values, backend=data.implementation)
    index = nw.maybe_get_index(data)
    return series if index is None else nw.maybe_set_index(series, index=index)


def _of_frame(mapping: Map, data: Any, groups: Any, forecast: Any, name: Any) -> Any:
    """Give a frame a new column, or as many as there are classes."""
    several = mapping.of == "classes"
    columns = _columns_named(data, forecast, several=several)
    new = _new_names(columns, name)
    if isinstance(data, nw.LazyFrame):
        return _of_lazy_frame(mapping, data, columns[0], new[0])
    if isinstance(groups, str):
        groups = data[groups].to_numpy()
    if several:
        require_named_in_order(tuple(mapping.labels or ()), tuple(columns))
        values = through(mapping, np.stack([data[x].to_numpy() for x in columns], axis=1))
    else:
        values = through(mapping, data[columns[0]].to_numpy(), groups)[:, None]
    made = (_beside(data, x, values[:, k]) for k, x in enumerate(new))
    return data.with_columns(*made).to_native()


def _of_lazy_frame(mapping: Map, data: nw.LazyFrame[Any], forecast: str, name: str) -> Any:
    """Add a column that is computed where the rows are, when they are."""
    if data.implementation.is_dask():
        require_library("properly.recalibration")
        part, native = partial(mapping.at, forecast=forecast, name=name), data.to_native()
        return native.map_partitions(part, meta=part(native._meta))  # noqa: SLF001
    return data.with_columns(mapping.expression(forecast).alias(name)).to_native()


def _columns_named(data: Any, forecast: Any, *, several: bool) -> list[str]:
    """Take the name of the column of forecasts, or of classes a list of names."""
    names = data.collect_schema().names()
    columns: list[Any] = [forecast] if isinstance(forecast, str | None) else list(forecast)
    absent = [x for x in columns if x not in names]
    if not absent and several is not isinstance(forecast, str):
        return columns
    what = f"there is no {absent[0]!r}" if absent else f"got {forecast!r}"
    what = "no column was named" if forecast is None else what
    rule, call = "the name of its column of forecasts", '"p"'
    if several:
        rule, call = "the names of its columns of forecasts, one a class", '["a", "b"]'
    message = f"a frame needs {rule}; {what}"
    listed = ", ".join(printable(x) for x in names[:8])
    raise DataError(message, hint=f"write at(frame, forecast={call}); columns are {listed}.")


def _new_names(columns: list[str], name: str | Sequence[str] | None) -> list[str]:
    if name is None:
        return [f"{column}_recalibrated" for column in columns]
    names = [name] if isinstance(name, str) else list(name)
    if len(names) != len(columns):
        message = f"name must name each new column; got {len(names)} for {len(columns)}"
        raise DataError(message)
    return names


def through(mapping: Map, p: ArrayLike, groups: Any = None) -> Array:
    """Recalibrate an array of any shape and library; computed in double precision."""
    if mapping.of == "classes":
        result = _in_pieces(mapping, _class_rows(mapping, p))
        mapping.inspect_made(result)
        return result
    given = as_array(p, "forecasts")
    if 0 in given.shape:
        return as_floats(as_numbers(given, "forecasts"))
    if given.ndim == 1:
        return _of_column(mapping, check_forecasts(given), groups)
    flat = namespace(given).reshape(_checked_table(given), (-1,))
    result = _of_column(mapping, check_forecasts(flat), groups)
    return namespace(result).reshape(result, tuple(given.shape))


def _of_column(mapping: Any, p: Array, groups: Any) -> Array:
    """Recalibrate checked forecasts, each in its group if the map has some."""
    if groups is None:
        return _in_pieces(mapping, p)
    xp = namespace(p)
    column = check_column(groups, "groups", p)
    by_group = mapping.mapped_by_group(xp.astype(p, xp.float64), column)
    return xp.astype(by_group, p.dtype)


def _class_rows(mapping: Map, p: ArrayLike) -> Array:
    """Check class probabilities, which must have as many columns as the map has classes."""
    checked = check_probabilities(p)
    count = len(mapping.labels or ())
    if checked.shape[1] != count:
        message = f"this map is for {count} classes; got {checked.shape[1]} columns"
        raise DataError(message)
    return checked


def _checked_table(p: Array) -> Array:
    """Refuse what is no forecast in rows and columns, with the place of the first."""
    p = as_floats(as_numbers(p, "forecasts"))
    if p.ndim > 1:
        rows = namespace(p).reshape(p, (p.shape[0], -1))
        outside = ~((rows >= 0) & (rows <= 1))
        if count_true(outside):
            refuse_scale(rows, "forecasts")
    return p


def _in_pieces(mapping: Map, p: Array) -> Array:
    """Go through long columns piece by piece, so that temporary arrays stay small."""
    mapping.inspect(p)
    xp = namespace(p)
    if not is_numpy(p):
        wide = xp.astype(p, xp.float64)
        values = mapping.mapped(wide)
        if getattr(p, "requires_grad", False) and not values.requires_grad:
            # A step, or a constant, has a gradient too: zero.
            values = values + 0 * wide
        return xp.astype(values, p.dtype)
    result = np.empty_like(p)

    def fill(piece: Array, out: Array) -> None:
        out[...] = mapping.mapped(piece.astype(np.float64, copy=False))

    sweep(fill, p, result)
    return result
