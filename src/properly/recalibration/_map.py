"""The map: a function from forecasts to better ones, learnt from a tally.

A map is frozen. Its options come first, then what was fitted, which is None before. `fit` returns a
new map; `at` applies it, to whatever holds forecasts. It is saved as plain JSON, with nothing in it
to run.
"""

from __future__ import annotations

import math
import re
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from properly._boundary._files import require, write_whole
from properly._boundary._libraries import count_true, namespace, to_numpy
from properly._boundary._notices import notice
from properly._boundary._options import check_choice, check_inside
from properly._boundary._record import plain, to_frame
from properly._boundary._stored import UPGRADE, StoredKind
from properly._boundary._text import many, printable
from properly.errors import DataError
from properly.recalibration._expression import (
    DIALECTS,
    LinePiece,
    Narwhals,
    SqlLanguage,
    check_column,
    ladder,
    step_pieces,
)
from properly.recalibration._map_registry import KINDS
from properly.recalibration._training import Training, as_event_tally
from properly.rules import Rule, parse_rule
from properly.typing import Array, ArrayLike, Column

if TYPE_CHECKING:
    import os

    import narwhals.stable.v2 as nw

    from properly.counts._cases import Cases

MAPS = StoredKind(
    "map",
    writers="Map.save and Map.dumps write them, and so does properly recalibrate fit.",
    remedy="save the map once more.",
    smaller="fit it to rounded forecasts, or to fewer cases.",
    # A curve of a million knots is a third of it.
    largest=128 * 2**20,
)
# Longer ladders are slow to plan, and longer texts are refused by databases.
MOST_KNOTS = 256
# Tables of smooth maps have rows a hundredth apart.
GRID = 100
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

    range: tuple[float, float] | None = None
    training: Training | None = None
    gain: Mapping[str, Any] | None = None
    notices: tuple[str, ...] = ()

    def fit(self, source: Any, p: ArrayLike | None = None, /, **columns: Any) -> Self:
        """Learn the map from a tally, from cases, or from outcomes and forecasts.

        Parameters
        ----------
        source : Tally, Cases or array-like
            What happened at each forecast, for classes and groups as cases; or outcomes.
        p : array-like of shape (n,) or (n, K), optional
            Forecasts of an event or of classes, if outcomes come first.
        **columns
            What `properly.Cases` takes by name, such as weights, labels and groups.
        """
        return self._fit(self._source(source, p, columns))

    # Takes what `fit` is given.
    _source: ClassVar[Callable[..., Any]] = staticmethod(as_event_tally)

    def _fit(self, source: Any) -> Self:
        """Learn the map from a tally, or from cases if it needs those."""
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
    def kind(self) -> str:
        """The name of the kind, in files and in calls, such as ``"venn_abers"``."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(self).__name__).lower()

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
    # Whether a fit to narrow cells of forecasts is the same but for rounding.
    fits_cells: ClassVar[bool] = False
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

    def __call__(self, p: ArrayLike, **options: Any) -> Any:
        """Recalibrate forecasts, as `at` does."""
        return self.at(p, **options)

    transform = predict = __call__

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

    def require_event(self, what: str) -> None:
        if self.of != "event":
            message = f"{what} needs a map for one event; this one is for {self.of}"
            raise DataError(message)

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
        self._require_fitted()
        pieces = self.pieces()
        if pieces is None:
            self.require_event("a table")
            forecast = np.arange(GRID + 1) / GRID
            forecast = forecast[1:-1] if getattr(self, "certain", "") == "refuse" else forecast
            columns = {"forecast": forecast, "recalibrated": self.mapped(forecast)}
            return to_frame(columns, backend)
        most = np.finfo(np.float64).max
        columns = {
            "forecast": np.array([piece.start for piece in pieces]),
            "recalibrated": np.array([piece.value for piece in pieces]),
            "slope": np.array([min(piece.rise / piece.width, most) for piece in pieces]),
        }
        return to_frame(columns, backend)

    def write(self, x: Any, language: Any) -> Any:
        """Write the map of a term in a language of expressions."""
        pieces = self.pieces()
        if pieces is None:
            message = f"only lines and knots can be written as an expression; got {self!r}"
            raise DataError(message, hint="compute forecasts by at().")
        count = len(self.turns())
        if count > MOST_KNOTS:
            message = f"an expression takes up to {MOST_KNOTS} knots; this map has {count:,}"
            hint = (
                "join map.table(): the last row whose forecast is not above p gives "
                "recalibrated + slope * (p - forecast); or bring the rows into memory, for at()."
            )
            raise DataError(message, hint=hint)
        return language.cases(((x >= 0) & (x <= 1), ladder(pieces, x, language)))

    def pieces(self) -> list[LinePiece] | None:
        """Return the straight lines that the map is made of; None if it is made of others."""
        turns = self.turns()
        return step_pieces(turns, self.mapped) if len(turns) else None

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
        self._require_fitted()
        self.require_event("SQL")
        check_choice(dialect, tuple(DIALECTS), "dialect")
        return str(self._written(column, SqlLanguage(DIALECTS[dialect])).text)

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
        self._require_fitted()
        self.require_event("an expression")
        result: nw.Expr = self._written(column, Narwhals())
        return result

    def _written(self, column: str, language: Narwhals | SqlLanguage) -> Any:
        check_column(column)
        return self.write(language.column(column), language)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> Path:
        """Write the map to a file of JSON, whole or not at all."""
        return write_whole(str(path), self.dumps() + "\n", overwrite=overwrite)

    def dumps(self) -> str:
        """Write the map as JSON; `loads` reads it back to the last digit."""
        self._require_fitted()
        return MAPS.written(self.to_dict())[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the map as JSON can hold it."""
        by_rule = () if getattr(self, "rule", None) is None else ("rule",)
        names = (*self.parameters, *self.options, *by_rule)
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
    """Write columns by name, rules as text that can be read, and all else as `plain` does."""
    if isinstance(value, Rule):
        return repr(parse_rule(repr(value)))
    if hasattr(value, "_asdict"):
        return {name: _as_json(x) for name, x in value._asdict().items()}
    return value.tolist() if isinstance(value, np.ndarray) else plain(value)


def expit(x: Array) -> Array:
    xp = namespace(x)
    power = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, 1 / (1 + power), power / (1 + power))


# What is known of a training, and of a gain, with the types of each.
TRAINING: dict[str, tuple[type, ...]] = {"cases": (int, type(None)), "distinct": (int,)}
TRAINING |= {"weight": (int, float), "effective": (int, float), "sha256": (str,)}
TRAINING |= dict.fromkeys(("events", "mean_forecast"), (int, float, list))
GAIN = {"rule": (str,), "folds": (int,), "design": (str,), "nested": (bool,)}
GAIN |= dict.fromkeys(("estimate", "low", "high"), (float,))


def load(path: str | os.PathLike[str]) -> Map:
    """Read a map that `Map.save` wrote.

    The file is plain JSON and nothing in it is run. A file that was cut or changed is refused by
    its checksum, and a map that no constructor makes is refused in words.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Map
        The map that was saved, to the last digit.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from properly.recalibration import Logistic, load
    >>> with TemporaryDirectory() as folder:
    ...     path = Logistic(intercept=0.1, slope=0.9).save(Path(folder) / "map.json")
    ...     load(path)
    Logistic(intercept=0.1, slope=0.9)
    """
    return MAPS.made(MAPS.read(path)[0], printable(str(path)), map_of, Map.to_dict)


def loads(text: str | bytes) -> Map:
    """Read a map that `Map.dumps` wrote.

    Parameters
    ----------
    text : str or bytes
        JSON, as UTF-8 if it is bytes.

    Returns
    -------
    Map
        The map that was written, to the last digit.

    Examples
    --------
    >>> from properly.recalibration import Logistic, loads
    >>> loads(Logistic(intercept=0.1, slope=0.9).dumps())
    Logistic(intercept=0.1, slope=0.9)
    """
    return MAPS.made(MAPS.parsed(text)[0], "", map_of, Map.to_dict)


def map_of(record: dict[str, Any]) -> Map:
    """Make a map of what `Map.to_dict` returned."""
    kind = record["kind"]
    if kind not in KINDS:
        message = f"a map must be of a kind that is known here; got {reprlib.repr(kind)}"
        raise DataError(message, hint=UPGRADE)
    training, gain, ends = (record[name] for name in ("training", "gain", "range"))
    if training is not None:
        _require_types(training, TRAINING)
        require(re.fullmatch("[0-9a-f]{64}", training["sha256"]))
        known = {name: _decoded(training[name]) for name in TRAINING if name != "sha256"}
        training = Training(**known, _checksum=training["sha256"])
    if gain is not None:
        _require_types(gain, GAIN)
    if ends is not None:
        low, high = ends
        require(type(low) is type(high) is float and 0 <= low <= high <= 1)
    notices = tuple(record["notices"])
    require(all(type(text) is str for text in notices))
    about: dict[str, Any] = {"range": None if ends is None else (low, high), "training": training}
    parameters = {name: _decoded(x) for name, x in record["parameters"].items()}
    if "rule" in parameters:
        parameters["rule"] = parse_rule(parameters["rule"])
    result: Map = KINDS[kind].make(**parameters, **about, gain=gain, notices=notices)
    require(result.is_fitted)
    return result


def _decoded(x: Any) -> Any:
    """Make maps of their records, wherever they are, and tuples of short lists."""
    if isinstance(x, dict):
        if type(x.get("kind")) is str and "parameters" in x:
            return map_of(x)
        return {name: _decoded(value) for name, value in x.items()}
    if isinstance(x, list) and x and isinstance(x[0], dict):
        return tuple(map(_decoded, x))
    return tuple(x) if isinstance(x, list) else x


def _require_types(x: dict[str, Any], types: dict[str, Any]) -> None:
    """Require all names and no other, each of one of its types; lists are of numbers."""
    require(set(x) == set(types))
    for name, value in x.items():
        require(type(value) in types[name])
        require(type(value) is not list or all(type(v) in (int, float) for v in value))
