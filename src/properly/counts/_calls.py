"""Calls with outcomes and forecasts, where a function asks for a tally or for cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

from properly._boundary._arrays import as_column, distinct, is_nested
from properly._boundary._classes import column_names, columns_of
from properly._boundary._interrupts import checkpoint
from properly._boundary._libraries import has_rows, to_numpy
from properly._boundary._synonyms import with_argument_hints
from properly.counts._cases import Cases, contenders
from properly.counts._tally import Tally
from properly.errors import ArgumentTypeError, DataError, ProperlyError
from properly.typing import ArrayLike

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)
T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
P = ParamSpec("P")

# What `Cases` takes by name.
COLUMNS = (
    *("weight", "count", "clusters", "strata", "time", "groups"),
    *("labels", "pos_label", "normalize"),
)
ROWS = ("y", "p", "q")


class OutcomeRows(Protocol):
    """A list, an array or a column: what a tally is not."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: Any, /) -> Any: ...


class RowFunction(Protocol[S_contra, P, R_co]):
    """A function of a tally or cases, or of outcomes and forecasts."""

    __name__: str

    @overload
    def __call__(self, source: S_contra, /, *args: P.args, **options: P.kwargs) -> R_co: ...
    @overload
    def __call__(
        self, y: OutcomeRows, p: ArrayLike, *args: Any, **columns_and_options: Any
    ) -> R_co: ...


class PairFunction(Protocol[S_contra, T_contra, P, R_co]):
    """A function of two tallies or cases, or of outcomes and the forecasts of two models."""

    __name__: str

    @overload
    def __call__(
        self, first: S_contra, second: T_contra, /, *args: P.args, **options: P.kwargs
    ) -> R_co: ...
    @overload
    def __call__(
        self, y: OutcomeRows, p: ArrayLike, q: ArrayLike, *args: Any, **columns_and_options: Any
    ) -> R_co: ...


def takes_rows(function: Callable[Concatenate[S, P], R]) -> RowFunction[S, P, R]:
    """Let a function of a tally or cases take outcomes and forecasts in their place.

    What `Cases` takes by name, such as weights, it takes as well, unless that is an option of the
    function itself. Which of both is meant is told by the type of the first argument.
    """
    return cast("RowFunction[S, P, R]", RowCall(function, 1).answering())


def takes_class_rows(function: Callable[Concatenate[S, P], R]) -> RowFunction[S, P, R]:
    """Let a function of cases of classes take outcomes and class probabilities, also of two."""
    return cast("RowFunction[S, P, R]", RowCall(function, 1, two_classes=True).answering())


def takes_models(function: Callable[Concatenate[S, P], R]) -> RowFunction[S, P, R]:
    """Let a function of models by name take outcomes, and forecasts by name."""
    return cast("RowFunction[S, P, R]", RowCall(function, 1, by_name=True).answering())


def takes_two(function: Callable[Concatenate[S, T, P], R]) -> PairFunction[S, T, P, R]:
    """Let a function of two models take outcomes, and the forecasts of both."""
    return cast("PairFunction[S, T, P, R]", RowCall(function, 2).answering())


class RowCall:
    """How a function takes rows: of how many models, by name or not, of two classes or not."""

    def __init__(
        self,
        function: Callable[..., Any],
        models: int,
        *,
        by_name: bool = False,
        two_classes: bool = False,
    ) -> None:
        self.function, self.models = function, models
        self.by_name, self.two_classes = by_name, two_classes
        self.forecasts = "{'name': p, …}" if by_name else "P" if two_classes else "p"

    def answering(self) -> Callable[..., Any]:
        """Return the function that takes both, and says so."""
        function, names = self.function, ROWS[: 1 + self.models]

        @with_argument_hints
        @wraps(function)
        def answer(*args: Any, **options: Any) -> Any:
            checkpoint()
            # By name, or in place; a tally, which is what the library itself passes, goes on.
            for place, name in enumerate(names):
                if name in options:
                    args = (*args[:place], options.pop(name), *args[place:])
            if not args or self.is_source(args[0]):
                return function(*args, **options)
            if not self.has_forecasts(args):
                return self.refused(args, options)
            return function(*self.sources(args, options), **options)

        answer.__doc__ = self.documented()
        return answer

    def is_source(self, x: object) -> bool:
        """Tell outcomes from what the function takes, or refuses, as it stands."""
        if isinstance(x, Mapping | Tally | Cases) or callable(getattr(x, "tally", None)):
            return True
        return isinstance(x, str | bytes) or not (has_rows(x) or _is_frame(x))

    def has_forecasts(self, args: tuple[Any, ...]) -> bool:
        """Tell whether forecasts follow the outcomes; words may be such as ``"treat all"``."""
        forecasts = args[1 : 1 + self.models]
        return len(forecasts) == self.models and all(map(has_rows, forecasts))

    def refused(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Let the function say what it needs, and add the call to write."""
        if _is_frame(args[0]):
            raise self.refusal(*_column_of_frame(args[0]))
        try:
            return self.function(*args, **options)
        except ArgumentTypeError as error:
            raise ArgumentTypeError(_without_hint(error), hint=f"write {self.call()}.") from None

    def sources(self, args: tuple[Any, ...], options: dict[str, Any]) -> list[Any]:
        """Make cases of rows, and let the other arguments follow; take their columns out."""
        y, forecasts = args[0], args[1 : 1 + self.models]
        if _is_frame(y):
            raise self.refusal(*_column_of_frame(y))
        code = self.function.__code__
        own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        columns = {x: options.pop(x) for x in COLUMNS if x in options and x not in own}
        made = [p if isinstance(p, str) else self.cases(y, p, columns) for p in forecasts]
        return [*made, *args[1 + self.models :]]

    def cases(self, y: Any, p: Any, columns: dict[str, Any]) -> Any:
        """Make cases of outcomes and forecasts; whatever cannot be guessed is refused."""
        if self.by_name:
            return contenders(y, p, least=1, **columns)
        if isinstance(p, Mapping):
            message = f"{self.function.__name__} takes one model at a time; got a dict of them"
            name = f"models[{next(iter(p), 'name')!r}]"
            raise self.refusal(message, p=name, also="; properly.evaluate takes several")
        if not self.two_classes and _width(p) == 2:
            raise self.refusal(*_last_column(y, p, columns))
        try:
            return Cases(y, p, **columns)
        except ProperlyError as error:
            call = _mended(y, p, columns)
            if call is None:
                raise
            raise self.refusal(_without_hint(error), *call) from None

    def refusal(
        self, message: str, y: str = "y", p: str = "", option: str = "", also: str = ""
    ) -> DataError:
        """Refuse with the call to write."""
        hint = f"write {self.call(y, p, option)}{also}."
        return DataError(message, hint=hint)

    def call(self, y: str = "y", p: str = "", option: str = "") -> str:
        """Write a call with rows: outcomes, forecasts, and what the function needs besides."""
        import properly

        code, name = self.function.__code__, self.function.__name__
        last = code.co_argcount - len(self.function.__defaults__ or ())
        needed = code.co_varnames[self.models : max(last, self.models)]
        arguments = (y, p or self.forecasts, *ROWS[2 : 1 + self.models], *needed, option)
        door = "" if name in properly.__all__ else f"{self.function.__module__.split('.')[1]}."
        return f"properly.{door}{name}({', '.join(filter(None, arguments))})"

    def documented(self) -> str | None:
        """Say above the parameters that rows will do."""
        text = self.function.__doc__
        said = (
            f"    Outcomes and forecasts will do as well: ``{self.call()}``, with weights,\n"
            "    clusters and what else `properly.Cases` takes by name.\n\n"
        )
        head = "    Parameters\n    ----------\n"
        return None if text is None else text.replace(head, said + head, 1)


def _without_hint(error: ProperlyError) -> str:
    return str(error).partition("\n\nHint: ")[0]


def _is_frame(x: object) -> bool:
    # Asked of the type: of lazy frames, the names themselves are costly.
    return hasattr(type(x), "columns")


def _width(p: object) -> int | None:
    """Count the columns of a table of forecasts."""
    shape = getattr(p, "shape", None)
    if isinstance(shape, tuple):
        return int(shape[1]) if len(shape) == 2 else None
    return len(p[0]) if is_nested(p) else None  # type: ignore[index]


def _column_of_frame(frame: Any) -> tuple[str, str, str]:
    """Say how a frame is taken apart."""
    names = (columns_of(frame) if hasattr(frame, "shape") else None) or ()
    if len(names) == 1:
        return "outcomes are one column, not a frame; got a frame of one", f"y[{names[0]!r}]", ""
    return "outcomes and forecasts are columns; got a frame", "frame['y']", "frame['p']"


def _last_column(y: Any, p: Any, columns: Mapping[str, Any]) -> tuple[str, str, str, str, str]:
    """Say how the event's column of two is passed, which `predict_proba` has last."""
    names = column_names(p)
    one = "p[:, 1]" if names is None else f"p[{names[1]!r}]"
    message = "an event has one column of forecasts; got two, as predict_proba gives them"
    option = "" if {"labels", "pos_label"} & set(columns) else _event_option(y)
    return message, "y", one, option, "; two classes as such are properly.Cases(y, p)"


def _event_option(y: Any) -> str:
    """Name the event of outcomes in words, as the last of them."""
    try:
        labels = distinct(to_numpy(as_column(y, "outcomes")))
    except ProperlyError:
        return ""
    is_clear = len(labels) != 2 or set(labels) <= {0, 1}
    return "" if is_clear else f"pos_label={labels[1]!r}"


def _mended(y: Any, p: Any, columns: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the arguments to write in place of those that were refused; None if in doubt."""
    if _width(y) == 1:
        return "y[:, 0]", ""
    try:
        outcomes, forecasts = (to_numpy(as_column(x, "rows")) for x in (y, p))
    except ProperlyError:
        return None
    numbers = outcomes.dtype.kind == "f" and forecasts.dtype.kind in "biuf"
    if numbers and ((forecasts == 0) | (forecasts == 1)).all():
        return "y", "", "", "; outcomes come first, and these seem to be swapped"
    option = "" if {"labels", "pos_label"} & set(columns) else _event_option(y)
    return ("y", "", option, ", if that is the event") if option else None
