"""The map: a function from forecasts to better ones, learnt from a tally.

A map is frozen. Its options come first, then what was fitted, which is None before. `fit` returns a
new map; `at` applies it, to whatever holds forecasts. It is saved as plain JSON, with nothing in it
to run.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, Self

import numpy as np

from properly._boundary._files import write_whole
from properly._boundary._libraries import count_true, namespace, to_numpy
from properly._boundary._notices import notice
from properly._boundary._options import check_inside
from properly._boundary._record import plain
from properly._boundary._stored import StoredKind
from properly._boundary._text import many
from properly.errors import DataError
from properly.recalibration._training import as_event_tally

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import narwhals.stable.v2 as nw

    from properly.counts._cases import Cases
    from properly.counts._tally import Tally
    from properly.recalibration._training import Training
    from properly.typing import Array, ArrayLike, Column

MAPS = StoredKind(
    "map",
    writers="Map.save and Map.dumps write them, and so does properly recalibrate fit.",
    remedy="save the map once more.",
    smaller="fit it to rounded forecasts, or to fewer cases.",
    # A curve of a million knots is a third of it.
    largest=128 * 2**20,
)
Monotone = Literal["strictly", "weakly", False]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Map(ABC):
    """A function from forecasts to better ones.

    A map of one's own derives from this class and writes ``fit(tally)``, which returns a fitted
    map, and ``mapped(p)``, which gets an array of float64 in [0, 1] and returns as many.

    Attributes
    ----------
    range : pair of floats or None
        The least and the greatest forecast that it was fitted to, certain ones aside.
    training : Training or None
        What it was fitted to.
    gain : dict or None
        What it would save on new cases, if that was found.
    notices : tuple of str
        What is to be noted about the fit.

    Examples
    --------
    A map that leaves no forecast below the rate of all events, and none above:

    >>> from dataclasses import dataclass, replace
    >>> import properly
    >>> @dataclass(frozen=True, eq=False, repr=False)
    ... class Constant(properly.recalibration.Map):
    ...     rate: float = 0.5
    ...     def fit(self, tally):
    ...         return replace(self, rate=tally.event_rate)
    ...     def mapped(self, p):
    ...         return 0 * p + self.rate
    >>> Constant().fit(properly.tally([0, 1, 1, 1], [0.2, 0.3, 0.4, 0.5])).at([0.1, 0.9])
    array([0.75, 0.75])
    """

    kind: ClassVar[str] = ""
    range: tuple[float, float] | None = None
    training: Training | None = None
    gain: Mapping[str, Any] | None = None
    notices: tuple[str, ...] = ()

    def fit(self, source: Any, p: ArrayLike | None = None, /, **columns: Any) -> Self:
        """Learn the map from a tally, from cases, or from outcomes and forecasts.

        Parameters
        ----------
        source : Tally, Cases or array-like
            What happened at each forecast; or outcomes.
        p : array-like, optional
            Forecasts, if outcomes come first.
        **columns
            What `properly.Cases` takes by name, such as weights.
        """
        return self._fit(as_event_tally(source, p, columns))

    def _fit(self, tally: Tally) -> Self:
        """Learn the map from a tally."""
        raise NotImplementedError

    def learnt(self, notes: Iterable[str], **learnt: Any) -> Self:
        """Return the map with what was learnt, and say what is to be noted about that."""
        notices = tuple(notes)
        for text in notices:
            notice(text)
        return replace(self, **learnt, notices=notices, gain=None)

    @abstractmethod
    def mapped(self, p: Array) -> Array:
        """Map checked forecasts, an array of float64."""

    @property
    def of(self) -> str:
        """What it is for: an "event", or "classes"."""
        return "event"

    @property
    def monotone(self) -> Monotone:
        """Whether larger forecasts stay larger: "strictly", "weakly", or not (False)."""
        return "weakly"

    @property
    def labels(self) -> Any:
        """The classes, in the order of the columns; None for an event."""
        return None

    @property
    def is_fitted(self) -> bool:
        """Whether there is anything to apply."""
        return all(getattr(self, name) is not None for name in self.parameters)

    # Whether `fit` needs cases, and a tally will not do.
    needs_rows: ClassVar[bool] = False
    # Whether `at` needs the group of each forecast.
    needs_groups: ClassVar[bool] = False
    # The names of the fields that `fit` fills.
    parameters: ClassVar[tuple[str, ...]] = ()
    # The names of the options that are written beside them.
    options: ClassVar[tuple[str, ...]] = ()

    def at(
        self,
        p: ArrayLike,
        *,
        groups: Any = None,
        forecast: str | Sequence[str] | None = None,
        name: str | Sequence[str] | None = None,
    ) -> Any:
        """Recalibrate forecasts, whatever holds them.

        Parameters
        ----------
        p : float, array-like, series, data frame or Cases
            Forecasts in [0, 1], of classes one column each. Tensors stay on their device and have
            gradients. Cases come back with other forecasts; it is noted if the map was fitted to
            these very cases.
        groups : array-like or str, optional
            The group of each forecast, for maps by group; of a frame, the name of its column.
        forecast : str or list of str, optional
            The column of forecasts, if `p` is a frame; of classes the column of each.
        name : str or list of str, optional
            What to call the new column; unless said otherwise, ``"<forecast>_recalibrated"``.

        Returns
        -------
        float, array, series or data frame
            As many forecasts, of the same kind and shape; a frame gets a new column, or as many as
            there are classes. A lazy frame stays lazy, and what is no forecast becomes missing
            there, as in `expression`.
        """
        from properly.recalibration._application import apply

        self._require_fitted()
        return apply(self, p, groups=groups, forecast=forecast, name=name)

    def mapped_by_group(self, p: Array, groups: Array) -> Array:
        """Map checked forecasts by the group of each."""
        raise NotImplementedError

    def on_cases(self, cases: Cases) -> Array:
        """Map the forecasts of checked cases."""
        return self.mapped(to_numpy(cases.p).astype(np.float64))

    def _require_fitted(self) -> None:
        if not self.is_fitted:
            name = type(self).__name__
            message = f"this map has not been fitted; got {self!r}"
            raise DataError(message, hint=f"write {name}().fit(tally), or .fit(y, p).")

    def inspect(self, p: Array) -> None:
        """Say once what is odd about checked forecasts: how many lie where none were seen."""
        if self.range is None:
            return
        low, high = self.range
        xp = namespace(p)
        # Most forecasts lie where others did, which two numbers tell.
        if xp.min(p) >= low and xp.max(p) <= high:
            return
        outside = ((p < low) & (p > 0)) | ((p > high) & (p < 1))
        count = count_true(outside)
        if count:
            message = (
                f"{many(count, 'forecast')} outside {low:g} to {high:g}, where this map was fitted"
            )
            notice(message)

    def inspect_made(self, q: Array) -> None:  # noqa: B027
        """Say once what is odd about recalibrated forecasts."""

    def threshold(self, t: float) -> float:
        """Return the original forecast at which the recalibrated one reaches a threshold.

        To act where the original forecast is at least this is to act where the recalibrated one is
        at least `t`. A system that only compares with a threshold needs no more than this number.

        Parameters
        ----------
        t : float
            The threshold for recalibrated forecasts.

        Returns
        -------
        float
            The smallest forecast that is mapped to `t` or more; infinity if none is.
        """
        self._require_fitted()
        self.require_event("a threshold")
        t = check_inside(t, "t")
        if self.monotone is False:
            message = "a threshold needs a map that never falls; this one does"
            raise DataError(message, hint="compare the recalibrated forecasts themselves.")

        def is_reached(p: float) -> bool:
            return bool(self.mapped(np.array([p]))[0] >= t)

        if not is_reached(1.0):
            return math.inf
        if is_reached(0.0):
            return 0.0
        # Doubles between 0 and 1 are in the order of their bits: the least is found exactly.
        below, above = (int(np.float64(x).view(np.int64)) for x in (0.0, 1.0))
        while above - below > 1:
            middle = (below + above) // 2
            reached = is_reached(float(np.int64(middle).view(np.float64)))
            below, above = (below, middle) if reached else (middle, above)
        return float(np.int64(above).view(np.float64))

    def inverse(self) -> Map:
        """Return the map that undoes this one, which must be strictly increasing."""
        self._require_fitted()
        self.require_event("an inverse")
        if self.monotone != "strictly":
            raise DataError(self._why_no_inverse(), hint="threshold(t) needs no inverse.")
        return self._inverse()

    def _inverse(self) -> Map:
        return Inverse(map=self)

    def _why_no_inverse(self) -> str:
        if self.monotone is False:
            return "an inverse needs a map that increases strictly; this one falls somewhere"
        return "an inverse needs a map that increases strictly; this one is flat somewhere"

    def require_event(self, what: str) -> None:
        if self.of != "event":
            message = f"{what} needs a map for one event; this one is for {self.of}"
            raise DataError(message)

    def __matmul__(self, first: object) -> Map:
        """Apply another map first, then this one."""
        if not isinstance(first, Map):
            return NotImplemented
        for one in (self, first):
            one._require_fitted()
        if self.of != first.of or self.needs_groups or first.needs_groups:
            message = "maps that follow one another must both be for one event, or for classes, "
            message += f"and know no groups; got {self!r} after {first!r}"
            raise DataError(message)
        joined = self._joined(first)
        return Composition((*first.steps, *self.steps)) if joined is None else joined

    def _joined(self, first: Map) -> Map | None:  # noqa: ARG002
        """Return one map of the same family that does both, if there is one."""
        return None

    @property
    def steps(self) -> tuple[Map, ...]:
        """The maps that are applied one after the other; most are one."""
        return (self,)

    def table(self, backend: Any = None) -> Any:
        """Return the map as a frame of forecasts and what they become, to be joined or drawn.

        Parameters
        ----------
        backend : {"polars", "pandas", "pyarrow"}, optional
            The library of the frame; unless said otherwise, the first that is installed.

        Returns
        -------
        data frame
            Columns ``forecast`` and ``recalibrated``. Of a map with knots there is a column
            ``slope`` as well: a row holds from its forecast up to the next one, with
            ``recalibrated + slope * (p - forecast)``. Other maps are given a hundredth apart.
        """
        from properly.recalibration._expression import table

        self._require_fitted()
        return table(self, backend)

    def write(self, x: Any, language: Any) -> Any:
        """Write the map of a term in a language of expressions."""
        from properly.recalibration._expression import write_pieces

        return write_pieces(self, x, language)

    def pieces(self) -> list[Any] | None:
        """Return the straight lines that the map is made of; None if it is made of others."""
        from properly.recalibration._expression import step_pieces

        return step_pieces(self)

    def turns(self) -> Column:
        """Return the forecasts where the map turns, or jumps."""
        return np.empty(0)

    def sql(self, column: str, *, dialect: str = "duckdb") -> str:
        """Write the map as an expression of SQL.

        NULL stays NULL. A forecast that `at` would refuse, such as one outside [0, 1], becomes
        NULL: an expression cannot refuse a row, and must not make a number of it.

        Parameters
        ----------
        column : str
            The name of the column of forecasts; it is quoted.
        dialect : {"duckdb", "postgres", "bigquery", "snowflake", "spark"}
            Whose SQL.

        Returns
        -------
        str
            An expression that agrees with `at` to 12 digits.
        """
        from properly.recalibration._expression import sql

        self._require_fitted()
        self.require_event("SQL")
        return sql(self, column, dialect)

    def expression(self, column: str) -> nw.Expr:
        """Write the map as an expression of narwhals, which any frame computes.

        Missing forecasts stay missing. A forecast that `at` would refuse, such as one outside
        [0, 1], becomes missing: an expression cannot refuse a row.

        Parameters
        ----------
        column : str
            The name of the column of forecasts.

        Returns
        -------
        narwhals.Expr
            An expression that agrees with `at` to 12 digits.
        """
        from properly.recalibration._expression import expression

        self._require_fitted()
        self.require_event("an expression")
        return expression(self, column)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> Path:
        """Write the map to a file of JSON, whole or not at all."""
        return write_whole(str(path), self.dumps() + "\n", overwrite=overwrite)

    def dumps(self) -> str:
        """Write the map as JSON; `loads` reads it back to the last digit."""
        self._require_fitted()
        return MAPS.written(self.to_dict())[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the map as JSON can hold it."""
        names = (*self.parameters, *self.options)
        return {
            "kind": self.kind,
            "of": self.of,
            "parameters": {name: _as_json(getattr(self, name)) for name in names},
            "range": plain(self.range),
            "monotone": self.monotone,
            "training": plain(self.training),
            "gain": plain(self.gain),
            "notices": list(self.notices),
        }

    def __repr__(self) -> str:
        parts = []
        for item in fields(self):
            value = getattr(self, item.name)
            usual = value is item.default or (type(value) in (str, float) and value == item.default)
            if item.name in Map.__dataclass_fields__ or not item.repr or usual:
                continue
            shown = f"{value:.4g}" if isinstance(value, float) else repr(value)
            parts.append(f"{item.name}={shown}")
        return f"{type(self).__name__}({', '.join(parts)})"


def _as_json(value: Any) -> Any:
    """Write columns by name, and all else as `plain` does."""
    if hasattr(value, "_asdict"):
        return {name: _as_json(x) for name, x in value._asdict().items()}
    return value.tolist() if isinstance(value, np.ndarray) else plain(value)


@dataclass(frozen=True, eq=False, repr=False)
class Composition(Map):
    """Maps one after the other: ``second @ first``.

    Attributes
    ----------
    maps : tuple of Map
        The first is applied first.

    Examples
    --------
    >>> from properly.recalibration import Beta, PriorShift
    >>> PriorShift(0.5, 0.1) @ Beta(1.0, 2.0, 0.0)
    Composition(maps=(Beta(a=1, b=2, c=0), PriorShift(old=0.5, new=0.1)))
    """

    kind: ClassVar[str] = "sequence"
    parameters: ClassVar[tuple[str, ...]] = ("maps",)
    maps: tuple[Map, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "maps", tuple(self.maps))
        if len({(one.of, one.labels) for one in self.maps}) != 1:
            message = (
                f"a sequence must be of maps for an event, or for the same classes; got {self}"
            )
            raise DataError(message)

    def fit(self, source: Any, p: ArrayLike | None = None, /, **columns: Any) -> NoReturn:  # noqa: ARG002
        """Refuse: each map of a sequence is fitted to what the one before it gave."""
        message = "a sequence of maps is not fitted as a whole"
        raise DataError(message, hint="fit the second to first.at(p), then write second @ first.")

    @property
    def steps(self) -> tuple[Map, ...]:
        """The maps that are applied one after the other."""
        return self.maps

    @property
    def is_fitted(self) -> bool:
        """Whether all of them are."""
        return all(one.is_fitted for one in self.maps)

    @property
    def of(self) -> str:
        """What they are for: an "event", or "classes"."""
        return self.maps[0].of

    @property
    def labels(self) -> Any:
        """The classes, in the order of the columns; None for an event."""
        return self.maps[0].labels

    @property
    def monotone(self) -> Monotone:
        """What all of them are."""
        kinds = [one.monotone for one in self.maps]
        return False if False in kinds else "weakly" if "weakly" in kinds else "strictly"

    def mapped(self, p: Array) -> Array:
        for one in self.maps:
            p = one.mapped(p)
        return p

    def inspect(self, p: Array) -> None:
        for one in self.maps:
            one.inspect(p)
            p = one.mapped(p)

    def _inverse(self) -> Map:
        return Composition(tuple(one.inverse() for one in reversed(self.maps)))

    def write(self, x: Any, language: Any) -> Any:
        from properly.recalibration._expression import write_steps

        return write_steps(self, x, language)


# Log odds beyond these are those of the least double, and of the greatest below 1.
LOWEST, HIGHEST = -746.0, 37.0
BISECTIONS = 64


@dataclass(frozen=True, eq=False, repr=False)
class Inverse(Map):
    """The map that undoes another one, found by bisection of the log odds.

    Attributes
    ----------
    map : Map
        What is undone; it must be strictly increasing.
    """

    kind: ClassVar[str] = "inverse"
    parameters: ClassVar[tuple[str, ...]] = ("map",)
    map: Map

    def __post_init__(self) -> None:
        if self.map.monotone != "strictly":
            message = f"what is undone must increase strictly; got {self.map!r}"
            raise DataError(message)

    def fit(self, source: Any, p: ArrayLike | None = None, /, **columns: Any) -> Any:
        """Fit what is undone, and undo it."""
        return self.map.fit(source, p, **columns).inverse()

    @property
    def monotone(self) -> Monotone:
        """As the map that is undone."""
        return self.map.monotone

    def mapped(self, p: Array) -> Array:
        xp = namespace(p)
        low, high = xp.full_like(p, LOWEST), xp.full_like(p, HIGHEST)
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            below = self.map.mapped(expit(middle)) < p
            low, high = xp.where(below, middle, low), xp.where(below, high, middle)
        ends = xp.where(p <= 0, xp.zeros_like(p), xp.ones_like(p))
        return xp.where((p > 0) & (p < 1), expit(high), ends)

    def _inverse(self) -> Map:
        return self.map


def expit(x: Array) -> Array:
    xp = namespace(x)
    power = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, 1 / (1 + power), power / (1 + power))
