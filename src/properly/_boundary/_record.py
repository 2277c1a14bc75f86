"""What every result can do: frozen arrays, a dict for JSON, a frame of any library.

`Record` derives all three from the fields of a dataclass. Below it stand the writers it uses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args

from properly.errors import DataError, MissingExtraError

if TYPE_CHECKING:
    from properly.typing import Array, ArrayLike, IntoFrame


Backend = Literal["polars", "pandas", "pyarrow"]
T = TypeVar("T")
BACKENDS: tuple[Backend, ...] = get_args(Backend)


class Adds:
    """What adds, also with `sum`, which begins with 0."""

    def __radd__(self, other: object) -> Any:
        return self if isinstance(other, int) and other == 0 else NotImplemented


class Record:
    """A frozen dataclass of numbers and arrays, which it writes as a dict and as a frame.

    A subclass is decorated with ``@dataclass(frozen=True, eq=False, repr=False)`` and says below
    what its fields do not say themselves. What is special in one record is overridden there.
    """

    # Properties that are written beside the fields.
    _derived: ClassVar[tuple[str, ...]] = ()
    # Fields that are written last, and left out while they are None.
    _optional: ClassVar[tuple[str, ...]] = ()
    # The arrays of equal length that are the columns of the frame; none: one row of all fields.
    _series: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        # Imported here, since the command line writes words without numbers.
        from properly._boundary._libraries import freeze

        freeze(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them; infinity is a word, NaN is None."""
        record: dict[str, Any] = plain(self._row())
        return record

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return a polars, pandas or pyarrow frame, whichever is installed or asked for."""
        return to_frame(self._columns(), backend)

    def _row(self) -> dict[str, Any]:
        """Return what is written, by name: the series, other fields, the derived, the optional."""
        own = (field.name for field in fields(self))  # type: ignore[arg-type]
        names = dict.fromkeys((*self._series, *own, *self._derived))
        values = {name: getattr(self, name) for name in names if name not in self._optional}
        optional = {name: getattr(self, name) for name in self._optional}
        return values | {name: x for name, x in optional.items() if x is not None}

    def _columns(self) -> dict[str, list[Any]]:
        """Return the columns of the frame."""
        if self._series:
            return {name: getattr(self, name).tolist() for name in self._series}
        return columns_of([self.flat()])

    def flat(self) -> dict[str, Any]:
        """Return all numbers by name, both ends of intervals as numbers of their own."""
        return ends_apart(self._row(), "interval")


class Parts(Record, Mapping[str, T]):
    """A record that is a mapping, from questions about classes to a record of one event each."""

    parts: dict[str, T]
    # Two are the same only if they are one: equal parts may have other weights.
    __eq__, __hash__ = object.__eq__, object.__hash__

    def __getitem__(self, name: str) -> T:
        return self.parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)


def once(owner: object, name: str, make: Callable[[], T]) -> T:
    """Make what follows from a frozen object for whoever asks first, and keep it for the others."""
    known: dict[str, T] = vars(owner)
    if name not in known:
        known[name] = make()
    return known[name]


def as_frame(frame: object) -> Any:
    """Take a frame of any library, without reading it; None if it is none."""
    import narwhals.stable.v2 as nw

    data = nw.from_native(frame, pass_through=True)
    return data.lazy() if isinstance(data, nw.DataFrame | nw.LazyFrame) else None


def as_models(forecasts: IntoFrame | ArrayLike, name: str = "forecast") -> dict[str, Array]:
    """Take the columns of a frame as models, and anything else as one of that name."""
    data = as_frame(forecasts)
    if data is None:
        return {name: forecasts}
    columns = data.collect().iter_columns()
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


def plain(x: Any) -> Any:
    """Write what is not a number as None and infinity as a word, inside lists and dicts too.

    What JSON does not know, such as a date that is the label of a class, becomes text.
    """
    if type(x) in (str, int, bool) or (type(x) is float and math.isfinite(x)):
        return x
    if hasattr(x, "to_dict"):
        return x.to_dict()
    if hasattr(x, "tolist"):
        x = x.tolist()
    if is_dataclass(x) and not isinstance(x, type):
        x = {field.name: getattr(x, field.name) for field in fields(x)}
    if isinstance(x, Mapping):
        return {key: plain(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return [plain(value) for value in x]
    if not isinstance(x, float):
        return x if isinstance(x, str | int | None) else str(x)
    words = {math.inf: "Infinity", -math.inf: "-Infinity"}
    return None if math.isnan(x) else words.get(x, x)


def ends_apart(row: Mapping[str, Any], drop: str = "") -> dict[str, Any]:
    """Write the ends of intervals apart, and arrays as lists.

    An interval is a pair, or an array with a row of two per interval; `drop` is what is left out of
    its name.
    """
    result: dict[str, Any] = {}
    for name, x in row.items():
        dimensions = getattr(x, "ndim", 0)
        if dimensions == 2 or isinstance(x, tuple):
            prefix = name.removesuffix(drop).strip("_")
            ends = x.T.tolist() if dimensions else x
            both = zip(("lower", "upper"), ends, strict=True)
            result |= {f"{prefix}_{end}".strip("_"): value for end, value in both}
        else:
            result[name] = x.tolist() if dimensions else x
    return result


def columns_of(rows: Iterable[Any], *extra: str) -> dict[str, list[Any]]:
    """Turn rows, dicts or records, into columns; of records also the properties named besides."""
    rows = list(rows)
    if isinstance(rows[0], Mapping):
        return {name: [row[name] for row in rows] for name in rows[0]}
    names = [*(field.name for field in fields(rows[0])), *extra]
    return {name: [getattr(row, name) for row in rows] for name in names}
