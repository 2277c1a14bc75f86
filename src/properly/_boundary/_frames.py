"""Results as frames of any library, and small frames of forecasts as arrays."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

from properly.errors import DataError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly.typing import Array, ArrayLike, IntoFrame

Backend = Literal["polars", "pandas", "pyarrow"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)


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
