"""What every result can do: frozen arrays, a dict for JSON, a frame of any library.

`Record` derives all three from the fields of a dataclass. Below it stand the writers it uses, and
the few words with which a number of cases is told.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args

from properly.errors import DataError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from properly.typing import Array, ArrayLike, IntoFrame


Backend = Literal["polars", "pandas", "pyarrow"]
T = TypeVar("T")
BACKENDS: tuple[Backend, ...] = get_args(Backend)
# So many letters of a user's value are shown.
LETTERS = 40


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
        return {name: [value] for name, value in self._row().items()}


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


def columns_of(rows: Iterable[Any], *extra: str) -> dict[str, list[Any]]:
    """Turn rows, dicts or records, into columns; of records also the properties named besides."""
    rows = list(rows)
    if isinstance(rows[0], Mapping):
        return {name: [row[name] for row in rows] for name in rows[0]}
    names = [*(field.name for field in fields(rows[0])), *extra]
    return {name: [getattr(row, name) for row in rows] for name in names}


def count_of_cases(total: float) -> str:
    """Write a number of cases, or their total weight, without a word for what they are."""
    return f"{total:,.2f}" if isinstance(total, float) else f"{total:,}"


def many(total: float, what: str) -> str:
    """Write a number with what it counts: 1 case, 2 cases."""
    return f"{count_of_cases(total)} {what}{'s' * (total != 1)}"


def amount_of(cases: float) -> str:
    """Write a number of cases, or a weight: 1 case, 2 cases, a weight of 0.5."""
    return f"a weight of {cases:,.4g}" if isinstance(cases, float) else many(cases, "case")


def printable(name: str) -> str:
    """Show a name in a terminal without obeying what it may contain."""
    return name if name.isprintable() else repr(name)[1:-1]


def quoted(value: object) -> str:
    """Write a value of the user's as code, so that a terminal does not obey it; not at length."""
    # Imported here, as above.
    import numpy as np

    if isinstance(value, np.datetime64 | np.timedelta64):
        value = str(value)  # as Python's own it may be a mere number
    said = repr(value.item() if isinstance(value, np.generic) else value)
    return said if len(said) <= LETTERS else f"{said[: LETTERS - 1]}…"


# Smaller p-values are not distinguished: their digits depend on the tails of an approximation.
SMALLEST_P = 0.001


def p_text(p: float, *, is_bound: bool = False, digits: int = 3) -> str:
    """Write a p-value; that which no draw reached is at most the bound, which is rounded up.

    >>> p_text(0.0312), p_text(0.0)
    ('p = 0.0312', 'p < 0.001')
    >>> p_text(1 / 1001, is_bound=True)
    'p <= 0.001'
    """
    if not is_bound:
        return f"p < {SMALLEST_P}" if p < SMALLEST_P else f"p = {p:.{digits}g}"
    places = -math.floor(math.log10(p) + 1e-9)
    # Less than a thousandth of the last digit is rounding.
    return f"p <= {math.ceil(round(p * 10**places, 3)) / 10**places:g}"


def percent(share: float, digits: int = 4) -> str:
    """Write a share in percent, never with an exponent; no share below 1 is 100 %.

    >>> percent(0.015), percent(0.996, 2), percent(1, 2)
    ('1.5 %', '99.6 %', '100 %')
    """
    text = f"{100 * share:.{digits}g}"
    while share < 1 and float(text) == 100 and digits < sys.float_info.dig:
        digits += 1
        text = f"{100 * share:.{digits}g}"
    return f"{Decimal(text):f} %" if "e" in text else f"{text} %"
