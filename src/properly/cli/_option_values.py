"""Values of options as people type them: read, or refused as a usage error."""

from __future__ import annotations

import csv
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from properly.errors import ProperlyError
from properly.recalibration._map_registry import KINDS, fitted_to

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly import Interval
    from properly.cli._gate import Condition, Versus
    from properly.rules import Rule

AUTO = "auto"
# Simplest first: for an event, and for classes alone.
EVENT_MAPS = tuple(kind.replace("_", "-") for kind in fitted_to("event"))
CLASS_MAPS = tuple(kind.replace("_", "-") for kind in fitted_to("classes") if kind != "temperature")
PICTURES = ("svg", "png", "pdf")
FORM = "question,forecaster,probability,outcome"
SPAN = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(w|d|h|min|s)", re.IGNORECASE)
UNITS = {"w": "weeks", "d": "days", "h": "hours", "min": "minutes", "s": "seconds"}


class RuleType(click.ParamType):  # type: ignore[type-arg]  # generic in new versions only
    """A rule such as ``brier`` or ``"Bounded(Brier(), (0.05, 0.2))"``, or one more word."""

    name = "rule"

    def __init__(self, *words: str) -> None:
        self.words = words

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Rule | str:
        """Read a rule; a text that is not one is a usage error."""
        from properly.rules import parse_rule

        if not isinstance(value, str) or value in self.words:
            rule: Rule | str = value
            return rule
        try:
            return parse_rule(value)
        except ProperlyError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the names of rules that need no numbers."""
        from properly.rules._registry import SHORT_NAMES

        del ctx, param
        names = (*SHORT_NAMES, *self.words)
        return [CompletionItem(name) for name in names if name.startswith(incomplete.lower())]


class MapName(click.Choice):  # type: ignore[type-arg]  # generic in new versions only
    """The name of a map, with hyphens or underscores."""

    def __init__(self) -> None:
        super().__init__([AUTO, *EVENT_MAPS, *CLASS_MAPS])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Take an underscore for a hyphen."""
        return super().convert(value.replace("_", "-"), param, ctx)


def reading(parse: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a callback that reads a value, or each of several; a refusal is a usage error."""

    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        try:
            if param.multiple:
                return tuple(map(parse, value))
            return None if value is None else parse(value)
        except ValueError as error:
            raise click.BadParameter(str(error), ctx, param) from None

    return callback


def as_range(ends: tuple[float, float]) -> Interval:
    """Take two ends as a range of thresholds."""
    from properly import Interval

    return Interval(*ends)


def as_condition(text: str) -> Condition | Versus:
    """Read a condition of a build; its names are looked up once they are known."""
    from properly.cli._gate import parse_condition

    return parse_condition(text)


def as_size(text: str) -> str:
    """Take a size of memory."""
    from properly.engines._files._read import as_size as check

    check(text)
    return text


def as_date_format(form: str) -> str:
    """Take a form of dates that can be written and read."""
    written = datetime(2001, 12, 31, tzinfo=UTC).strftime(form)
    with suppress(ValueError):
        datetime.strptime(written, form)  # noqa: DTZ007
        if written != form:
            return form
    message = f"a form of dates is such as %d.%m.%Y, for 31.12.2001; got {form!r}."
    raise ValueError(message)


def as_columns(text: str) -> tuple[str, ...]:
    """Take four names of columns, separated by commas as in a line of CSV."""
    names = tuple(next(csv.reader([text]), ()))
    if len(names) != 4 or "" in names:
        message = f"a long table has four columns, such as {FORM}; got {text!r}."
        raise ValueError(message)
    return names


def as_span(text: str) -> float | timedelta:
    """Take a number, or a span of time such as 10d."""
    span = SPAN.fullmatch(text.strip())
    if span is not None:
        return timedelta(**{UNITS[span[2].lower()]: float(span[1])})
    with suppress(ValueError):
        return float(text)
    message = f"a horizon is a number, or a span such as 10d, 36h or 90min; got {text!r}."
    raise ValueError(message)


def as_scale(text: str) -> tuple[str, float]:
    """Take a forecaster and a score; a name may have an equals sign itself."""
    name, _, number = text.rpartition("=")
    with suppress(ValueError):
        return name, float(number)
    message = f"a forecaster and its score are such as 'always half=0.25'; got {text!r}."
    raise ValueError(message)


def as_picture(path: str) -> str:
    """Take a file whose ending says which picture it is."""
    if path.rpartition(".")[2].lower() in PICTURES:
        return path
    message = f"a picture is called .svg, .png or .pdf; got {path!r}."
    raise ValueError(message)


def as_run_length(text: str) -> float:
    """Take a number of cases; a file that follows the option is not one."""
    with suppress(ValueError):
        if 1 <= float(text) < float("inf"):
            return float(text)
    message = f"a number of cases, 1 or more, or nothing; got {text!r}. Name files before it."
    raise ValueError(message)


def as_map(text: str) -> str:
    """Take the name of a map, or auto."""
    name = text.replace("-", "_")
    known = [AUTO, *(kind for kind, one in KINDS.items() if one.tasks)]
    if name in known:
        return name
    message = f"there is no map {text!r}; maps are {', '.join(known)}"
    raise ValueError(message)
