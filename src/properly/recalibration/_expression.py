"""Languages of expressions: narwhals, and SQL of several databases.

A map writes its formula once, for either language. Missing forecasts stay missing. A forecast
outside [0, 1] becomes missing: an expression cannot refuse a row, and must not make a number of it.
So does one of exactly 0 or 1 where the map refuses those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partialmethod
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from properly.counts._prevalence_shift import ALMOST, HARDLY
from properly.errors import ArgumentTypeError, DataError
from properly.typing import Array, Column


class Narwhals:
    """Expressions of narwhals; engines may compute all branches."""

    def column(self, name: str) -> Any:
        """Return a column as doubles."""
        import narwhals.stable.v2 as nw

        return nw.col(name).cast(nw.Float64)

    def inside(self, x: Any) -> Any:
        """Return x where its logarithms are finite, else some number, so that no engine warns."""
        return self.clip(x, HARDLY, ALMOST)

    def cases(self, *branches: tuple[Any, Any], other: Any = None) -> Any:
        """Return the value of the first condition that holds, else the other one, or nothing."""
        import narwhals.stable.v2 as nw

        result = self._literal(other)
        for condition, value in reversed(branches):
            result = nw.when(condition).then(self._literal(value)).otherwise(result)
        return result

    def clip(self, x: Any, low: Any, high: Any) -> Any:
        """Hold x between two values; either may be None."""
        import narwhals.stable.v2 as nw

        # Engines of SQL write x once here, and more often in a clip, which is also nested.
        x = x if low is None else nw.max_horizontal(x, self._literal(low))
        return x if high is None else nw.min_horizontal(x, self._literal(high))

    def _literal(self, value: Any) -> Any:
        """Write a number, or nothing, as a column of doubles."""
        import narwhals.stable.v2 as nw

        return nw.lit(value, nw.Float64) if value is None or isinstance(value, float) else value


class Dialect(NamedTuple):
    """How a database writes names and doubles.

    Attributes
    ----------
    quote, escape : str
        What stands around a name, and before the same sign inside it.
    double : str
        The type of doubles.
    literal : str
        How a number is written that must not be read as a decimal.
    """

    quote: str
    escape: str
    double: str
    literal: str = "{}"

    def quoted(self, name: str) -> str:
        """Write a name, whatever is in it."""
        if self.escape not in (self.quote, ""):
            name = name.replace(self.escape, 2 * self.escape)
        return self.quote + name.replace(self.quote, self.escape + self.quote) + self.quote

    def number(self, value: float | None) -> str:
        """Write a double so that it is read back to the last bit."""
        if value is None:
            return "NULL"
        text = repr(float(value))
        # Without an exponent it would be a decimal.
        text = self.literal.format(text if "e" in text else f"{text}e0")
        return f"({text})" if value < 0 else text


DIALECTS = {
    "duckdb": Dialect('"', '"', "DOUBLE"),
    "postgres": Dialect('"', '"', "DOUBLE PRECISION", "FLOAT8 '{}'"),
    "bigquery": Dialect("`", "\\", "FLOAT64"),
    "snowflake": Dialect('"', '"', "DOUBLE"),
    "spark": Dialect("`", "`", "DOUBLE"),
}


@dataclass(frozen=True, eq=False)
class Sql:
    """A term of SQL, which arithmetic makes longer."""

    text: str
    dialect: Dialect
    __hash__ = object.__hash__

    def written(self, x: Any) -> str:
        """Write another term, or a number."""
        return x.text if isinstance(x, Sql) else self.dialect.number(x)

    def call(self, function: str, *others: Any) -> Sql:
        """Apply a function to this and other terms."""
        return Sql(f"{function}({', '.join(map(self.written, (self, *others)))})", self.dialect)

    def _before(self, sign: str, other: Any) -> Sql:
        return Sql(f"({self.text} {sign} {self.written(other)})", self.dialect)

    def _after(self, sign: str, other: Any) -> Sql:
        return Sql(f"({self.written(other)} {sign} {self.text})", self.dialect)

    __add__, __radd__ = partialmethod(_before, "+"), partialmethod(_after, "+")
    __sub__, __rsub__ = partialmethod(_before, "-"), partialmethod(_after, "-")
    __mul__, __rmul__ = partialmethod(_before, "*"), partialmethod(_after, "*")
    __lt__, __le__ = partialmethod(_before, "<"), partialmethod(_before, "<=")
    __gt__, __ge__ = partialmethod(_before, ">"), partialmethod(_before, ">=")
    __truediv__, __and__ = partialmethod(_before, "/"), partialmethod(_before, "AND")
    __eq__ = partialmethod(_before, "=")
    log, exp = partialmethod(call, "LN"), partialmethod(call, "EXP")


@dataclass(frozen=True)
class SqlLanguage:
    """SQL of a dialect, where a branch is computed only for the rows that take it."""

    dialect: Dialect

    def column(self, name: str) -> Sql:
        """Return a column as doubles."""
        words = self.dialect
        return Sql(f"CAST({words.quoted(name)} AS {words.double})", words)

    def inside(self, x: Sql) -> Sql:
        """Return x: it is used inside a branch."""
        return x

    def cases(self, *branches: tuple[Sql, Any], other: Any = None) -> Sql:
        """Return the value of the first condition that holds, else the other one, or nothing."""
        texts = [f"WHEN {test.text} THEN {test.written(x)}" for test, x in branches]
        if other is not None:
            texts.append(f"ELSE {branches[0][0].written(other)}")
        return Sql(f"CASE {' '.join(texts)} END", self.dialect)

    def clip(self, x: Sql, low: Any, high: Any) -> Sql:
        """Hold x between two values; either may be None."""
        x = x if low is None else x.call("GREATEST", low)
        return x if high is None else x.call("LEAST", high)


def check_column(column: object) -> None:
    """Refuse what cannot be the name of a column."""
    if not isinstance(column, str):
        message = f"a column is named by text; got {type(column).__name__}"
        raise ArgumentTypeError(message)
    if not column or "\0" in column:
        message = f"a column must have a name that a database can hold; got {column!r}"
        raise DataError(message)


class LinePiece(NamedTuple):
    """A straight line that a map follows from one forecast to the next."""

    start: float
    value: float
    rise: float = 0.0
    width: float = 1.0

    def at(self, x: Any) -> Any:
        """Write the line."""
        if self.rise == 0:
            return self.value
        return self.value + self.rise * ((x - self.start) / self.width)


def ladder(pieces: Sequence[LinePiece], x: Any, language: Any) -> Any:
    """Write straight lines, found by halves, as in a search tree."""
    if len(pieces) == 1:
        return pieces[0].at(x)
    middle = len(pieces) // 2
    lower, upper = (ladder(part, x, language) for part in (pieces[:middle], pieces[middle:]))
    return language.cases((x < pieces[middle].start, lower), other=upper)


def straight_pieces(p: Column, q: Column) -> list[LinePiece]:
    """Return straight lines from knot to knot, and constants beyond them."""
    rows = zip(p[:-1], q[:-1], np.diff(q), np.diff(p), strict=True)
    below = [LinePiece(0.0, float(q[0]))] if p[0] > 0 else []
    last = LinePiece(float(p[-1]), float(q[-1]))
    return _joined([*below, *(LinePiece(*map(float, row)) for row in rows), last])


def step_pieces(p: Column, mapped: Callable[[Column], Array]) -> list[LinePiece]:
    """Return the constants of a map that jumps at some forecasts, the first from 0 on."""
    # What holds at a knot may differ from what holds from the next double on.
    start = np.unique(np.concatenate([[0.0], p, np.nextafter(p, 2.0)]))
    start = start[start <= 1]
    pairs = zip(start.tolist(), mapped(start).tolist(), strict=True)
    return _joined([LinePiece(*pair) for pair in pairs])


def _joined(pieces: list[LinePiece]) -> list[LinePiece]:
    """Leave out constants that go on as before."""
    new = (b for a, b in pairwise(pieces) if a.rise or b.rise or a.value != b.value)
    return [pieces[0], *new]
