"""Maps where the rows are: as an expression of narwhals, as SQL, and as a table.

A formula is written once, for a `Language`; there are two of them. Missing forecasts stay missing.
A forecast outside [0, 1] becomes missing: an expression cannot refuse a row, and must not make a
number of it. So does one of exactly 0 or 1 where the map refuses those.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from properly._boundary._options import check_choice
from properly._boundary._record import to_frame
from properly.counts._prevalence_shift import ALMOST, HARDLY
from properly.errors import ArgumentTypeError, DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import narwhals.stable.v2 as nw

    from properly._boundary._record import Backend
    from properly.recalibration._isotonic_map import Knots
    from properly.recalibration._log_odds_maps import LogOddsMap
    from properly.recalibration._map import Map

# Longer ladders are slow to plan, and longer texts are refused by databases.
MOST_KNOTS, LONGEST = 256, 1_000_000
# Log odds beyond these are those of the least double, and of the greatest below 1; within them,
# the exponential neither overflows nor vanishes.
LOWEST, HIGHEST = -744.4, 36.5
GRID = 100


def expression(mapping: Map, column: str) -> nw.Expr:
    """Write a map as an expression of narwhals."""
    import narwhals.stable.v2 as nw

    _check_column(column)
    if len(mapping.steps) > 1:
        # Steps are written into one another; the text tells how long that is.
        sql(mapping, column, "duckdb")
    x = nw.col(column).cast(nw.Float64)
    result: nw.Expr = mapping.write(x, Narwhals())
    return result


def sql(mapping: Map, column: str, dialect: str) -> str:
    """Write a map as an expression of SQL."""
    check_choice(dialect, tuple(DIALECTS), "dialect")
    _check_column(column)
    words = DIALECTS[dialect]
    x = Sql(f"CAST({words.quoted(column)} AS {words.double})", words)
    return str(mapping.write(x, SqlLanguage()).text)


def table(mapping: Map, backend: Backend | None) -> Any:
    """Return a map as a frame of forecasts and what they become.

    Of straight lines, each row is the beginning of one; of other maps, rows are a hundredth apart.
    """
    pieces = mapping.pieces()
    if pieces is None:
        mapping.require_event("a table")
        forecast = np.arange(GRID + 1) / GRID
        if getattr(mapping, "certain", None) == "refuse":
            forecast = forecast[1:-1]
        recalibrated = mapping.mapped(forecast)
        return to_frame({"forecast": forecast, "recalibrated": recalibrated}, backend)
    most = np.finfo(np.float64).max
    columns = {
        "forecast": [piece.start for piece in pieces],
        "recalibrated": [piece.value for piece in pieces],
        "slope": [min(piece.rise / piece.width, most) for piece in pieces],
    }
    return to_frame(columns, backend)


def _check_column(column: object) -> None:
    if not isinstance(column, str):
        message = f"a column is named by text; got {type(column).__name__}"
        raise ArgumentTypeError(message)
    if not column or "\0" in column:
        message = f"a column must have a name that a database can hold; got {column!r}"
        raise DataError(message)


# Languages.


class Language(Protocol):
    """What a formula is written in, beside the operators of its terms."""

    def inside(self, x: Any) -> Any:
        """Return x where its logarithms are finite; elsewhere it is not used."""

    def cases(self, *branches: tuple[Any, Any]) -> Any:
        """Return the value of the first condition that holds; missing if none does."""

    def where(self, condition: Any, value: Any, other: Any) -> Any:
        """Return one of two values."""

    def log(self, x: Any) -> Any:
        """Return the logarithm."""

    def exp(self, x: Any) -> Any:
        """Return the exponential."""

    def clip(self, x: Any, low: Any, high: Any) -> Any:
        """Hold x between two values; either may be None."""


class Narwhals:
    """Expressions of narwhals; engines may compute all branches."""

    def inside(self, x: nw.Expr) -> Any:
        """Return x where its logarithms are finite, else some number, so that no engine warns."""
        return self.clip(x, HARDLY, ALMOST)

    def cases(self, *branches: tuple[Any, Any]) -> Any:
        """Return the value of the first condition that holds; missing if none does."""
        import narwhals.stable.v2 as nw

        result: Any = None
        for condition, value in reversed(branches):
            chosen = nw.when(condition).then(_literal(value))
            result = chosen if result is None else chosen.otherwise(result)
        return result

    def where(self, condition: Any, value: Any, other: Any) -> Any:
        """Return one of two values."""
        import narwhals.stable.v2 as nw

        return nw.when(condition).then(_literal(value)).otherwise(_literal(other))

    def log(self, x: Any) -> Any:
        """Return the logarithm."""
        return x.log()

    def exp(self, x: Any) -> Any:
        """Return the exponential."""
        return x.exp()

    def clip(self, x: Any, low: Any, high: Any) -> Any:
        """Hold x between two values; either may be None."""
        import narwhals.stable.v2 as nw

        # Engines of SQL write x once here, and more often in a clip, which is also nested.
        x = x if low is None else nw.max_horizontal(x, _literal(low))
        return x if high is None else nw.min_horizontal(x, _literal(high))


def _literal(value: Any) -> Any:
    """Write a number, or nothing, as a column of doubles."""
    import narwhals.stable.v2 as nw

    if value is None or isinstance(value, float):
        return nw.lit(value, dtype=nw.Float64)
    return value


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

    def _with(self, sign: str, *sides: Any) -> Sql:
        texts = (x.text if isinstance(x, Sql) else self.dialect.number(x) for x in sides)
        return Sql(f"({f' {sign} '.join(texts)})", self.dialect)

    def call(self, function: str, *others: Any) -> Sql:
        """Apply a function to this and other terms."""
        texts = (x.text if isinstance(x, Sql) else self.dialect.number(x) for x in (self, *others))
        return Sql(f"{function}({', '.join(texts)})", self.dialect)

    def __add__(self, other: Any) -> Sql:
        return self._with("+", self, other)

    def __radd__(self, other: Any) -> Sql:
        return self._with("+", other, self)

    def __sub__(self, other: Any) -> Sql:
        return self._with("-", self, other)

    def __rsub__(self, other: Any) -> Sql:
        return self._with("-", other, self)

    def __mul__(self, other: Any) -> Sql:
        return self._with("*", self, other)

    def __rmul__(self, other: Any) -> Sql:
        return self._with("*", other, self)

    def __truediv__(self, other: Any) -> Sql:
        return self._with("/", self, other)

    def __lt__(self, other: Any) -> Sql:
        return self._with("<", self, other)

    def __le__(self, other: Any) -> Sql:
        return self._with("<=", self, other)

    def __gt__(self, other: Any) -> Sql:
        return self._with(">", self, other)

    def __ge__(self, other: Any) -> Sql:
        return self._with(">=", self, other)

    def __eq__(self, other: object) -> Sql:  # type: ignore[override]
        return self._with("=", self, other)

    def __and__(self, other: Any) -> Sql:
        return self._with("AND", self, other)


class SqlLanguage:
    """SQL, where a branch is computed only for the rows that take it."""

    def inside(self, x: Sql) -> Sql:
        """Return x: it is used inside a branch."""
        return x

    def cases(self, *branches: tuple[Any, Any]) -> Sql:
        """Return the value of the first condition that holds; missing if none does."""
        dialect = branches[0][0].dialect
        texts = (f"WHEN {condition.text} THEN {_text(x, dialect)}" for condition, x in branches)
        return Sql(f"CASE {' '.join(texts)} END", dialect)

    def where(self, condition: Sql, value: Any, other: Any) -> Sql:
        """Return one of two values."""
        dialect = condition.dialect
        one, two = (_text(x, dialect) for x in (value, other))
        return Sql(f"CASE WHEN {condition.text} THEN {one} ELSE {two} END", dialect)

    def log(self, x: Sql) -> Sql:
        """Return the logarithm."""
        return x.call("LN")

    def exp(self, x: Sql) -> Sql:
        """Return the exponential."""
        return x.call("EXP")

    def clip(self, x: Sql, low: Any, high: Any) -> Sql:
        """Hold x between two values; either may be None."""
        x = x if low is None else x.call("GREATEST", low)
        return x if high is None else x.call("LEAST", high)


def _text(x: Any, dialect: Dialect) -> str:
    return x.text if isinstance(x, Sql) else dialect.number(x)


# Formulas.


def write_steps(mapping: Map, x: Any, language: Language) -> Any:
    """Write maps one after the other, unless the whole becomes too long."""
    for one in [one for one in mapping.steps if one.kind != "identity"] or mapping.steps[:1]:
        x = one.write(x, language)
        if isinstance(x, Sql) and len(x.text) > LONGEST:
            message = f"an expression takes up to {LONGEST:,} letters; these maps in one need more"
            raise DataError(message, hint="add a column for each map in turn.")
    return x


def write_identity(x: Any, language: Language) -> Any:
    """Write a forecast as it is; there is no negative zero among them."""
    return language.cases(((x >= 0) & (x <= 1), x + 0.0))


def write_pieces(mapping: Map, x: Any, language: Language) -> Any:
    """Write a map of straight lines, of which there must not be too many."""
    pieces = mapping.pieces()
    if pieces is None:
        message = f"only lines and knots can be written as an expression; got {mapping!r}"
        raise DataError(message, hint="compute forecasts by at().")
    count = len(mapping.turns())
    if count > MOST_KNOTS:
        message = f"an expression takes up to {MOST_KNOTS} knots; this map has {count:,}"
        hint = (
            "join map.table(): the last row whose forecast is not above p gives "
            "recalibrated + slope * (p - forecast); or bring the rows into memory, for at()."
        )
        raise DataError(message, hint=hint)
    return language.cases(((x >= 0) & (x <= 1), _ladder(pieces, x, language)))


def write_line(mapping: LogOddsMap, x: Any, language: Language) -> Any:
    """Write a line in the logarithms, with places of their own for 0 and 1."""
    a, b, c = mapping.coefficients
    zero, half, one = mapping.mapped(np.array([0.0, 0.5, 1.0])).tolist()
    if mapping.certain == "refuse":
        zero = one = None
    q: Any = half
    if a > 0 or b > 0:
        some = language.inside(x)
        if a == b:
            eta = c + a * language.log(some / (1.0 - some))
        else:
            up = c + a * language.log(some) if a > 0 else c
            eta = up - b * language.log(1.0 - some) if b > 0 else up
        power = language.exp(language.clip(eta, LOWEST, HIGHEST))
        q = _held(mapping, x, power / (1.0 + power), language)
    return language.cases((x == 0.0, zero), (x == 1.0, one), ((x > 0.0) & (x < 1.0), q))


def _held(mapping: LogOddsMap, x: Any, q: Any, language: Language) -> Any:
    """Hold forecasts beyond those that were seen at what 0, or 1, becomes."""
    if mapping.range is None:
        return q
    (low, high), (zero, one) = mapping.range, mapping.atoms
    floor = None if zero is None else language.where(x < low, zero, 0.0)
    ceiling = None if one is None else language.where(x > high, one, 1.0)
    return q if floor is None and ceiling is None else language.clip(q, floor, ceiling)


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


def _ladder(pieces: Sequence[LinePiece], x: Any, language: Language) -> Any:
    """Find the piece by halves, as in a search tree."""
    if len(pieces) == 1:
        return pieces[0].at(x)
    middle = len(pieces) // 2
    lower, upper = (_ladder(part, x, language) for part in (pieces[:middle], pieces[middle:]))
    return language.where(x < pieces[middle].start, lower, upper)


def straight_pieces(knots: Knots) -> list[LinePiece]:
    """Return straight lines from knot to knot, and constants beyond them."""
    p, q = knots
    rows = zip(p[:-1], q[:-1], np.diff(q), np.diff(p), strict=True)
    below = [LinePiece(0.0, float(q[0]))] if p[0] > 0 else []
    last = LinePiece(float(p[-1]), float(q[-1]))
    return _joined([*below, *(LinePiece(*map(float, row)) for row in rows), last])


def step_pieces(mapping: Map) -> list[LinePiece] | None:
    """Return the constants of a map, the first from 0 on; None if it does not turn anywhere."""
    p = mapping.turns()
    if not len(p):
        return None
    # What holds at a knot may differ from what holds from the next double on.
    start = np.unique(np.concatenate([[0.0], p, np.nextafter(p, 2.0)]))
    start = start[start <= 1]
    values = mapping.mapped(start)
    return _joined([LinePiece(*pair) for pair in zip(start.tolist(), values.tolist(), strict=True)])


def _joined(pieces: list[LinePiece]) -> list[LinePiece]:
    return [pieces[0], *(new for old, new in pairwise(pieces) if _differ(old, new))]


def _differ(old: LinePiece, new: LinePiece) -> bool:
    return new.rise != 0 or old.rise != 0 or new.value != old.value
