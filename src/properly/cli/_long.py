"""Long tables, one row an answer: their options, their columns, and answers made of them."""

from __future__ import annotations

import csv
import re
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import timedelta
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from properly._boundary._text import printable
from properly.cli._columns import (
    TIMES,
    Places,
    Plan,
    as_labels,
    largest_divided,
    read_columns,
    require_other_columns,
    require_sense,
    say,
)
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly import Answers
    from properly.cli._columns import Task
    from properly.engines._files._checks import FileRows
    from properly.engines._files._read import Files

FORM = "question,forecaster,probability,outcome"
SECTION = "Long tables, one row an answer"
# Options of their own, and others that say the same of long tables.
OWN = ("long", "opens", "closes", "resolved", "when", "repeated", "horizon", "only")
SHARED = ("weight", "clusters", "strata", "time", "date_format")
COLUMNS = ("weight", "clusters", "strata", *TIMES)
OUTCOMES = ("classes", "ordered", "event", "percent")
REPEATED = ("refuse", "last", "moments", "mean-loss", "pool")
SPAN = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(w|d|h|min|s)", re.IGNORECASE)
UNITS = {"w": "weeks", "d": "days", "h": "hours", "min": "minutes", "s": "seconds"}


class LongOption(click.Option):
    """An option of long tables, which help has in a section of its own."""

    section = SECTION


def long_options(*left_out: str) -> list[click.Parameter]:
    """Describe the options of long tables, except for what would not be used."""
    return [option for option in _options() if option.name not in left_out]


def _options() -> list[click.Parameter]:
    return [
        LongOption(
            ["--long"],
            metavar="COLUMNS",
            callback=_as_columns,
            help=f"The columns of a long table, such as {FORM}; of classes, as many columns of "
            "probabilities, such as p_a+p_b+p_c.",
        ),
        *(
            LongOption([f"--{name}"], metavar="COLUMN", help=f"Column of {about}.")
            for name, about in {
                "opens": "when questions opened",
                "closes": "when they were to close",
                "resolved": "when their outcome was known",
                "when": "the times that questions are about",
            }.items()
        ),
        LongOption(
            ["--repeated"],
            type=click.Choice(REPEATED),
            default=REPEATED[0],
            show_default=True,
            help="What several forecasts of one question by one forecaster are: the last counts, "
            "each stands until the next, losses are averaged over time, or they are pooled.",
        ),
        LongOption(
            ["--horizon"],
            metavar="SPAN",
            callback=_as_span,
            help="With --repeated last: so long before the question closes, at the latest; a "
            "number, or 10d, 36h beside dates.",
        ),
        LongOption(
            ["--only"],
            metavar="NAME",
            multiple=True,
            help="Forecaster to keep; may be given several times.",
        ),
    ]


def taken_long(options: dict[str, Any], *others: str) -> dict[str, Any] | None:
    """Take out the options of long tables; None if these are none.

    Only these, those of columns and some others go with a long table.
    """
    own = {name: options.pop(name, None) for name in OWN}
    context = click.get_current_context()
    known = {"paths", *OWN, *SHARED, *OUTCOMES, *others}
    for option in context.command.params:
        name = str(option.name)
        source = context.get_parameter_source(name)
        if source is None or source is click.core.ParameterSource.DEFAULT:
            continue
        if own["long"] is None and name in OWN:
            message = f"{option.opts[0]} is about long tables; name their columns by --long {FORM}."
            raise click.UsageError(message)
        if own["long"] is not None and name not in known:
            message = f"{option.opts[0]} does not go with --long, which has one row an answer."
            raise click.UsageError(message)
    return None if own["long"] is None else own


@dataclass(frozen=True, eq=False)
class LongTable:
    """Columns of a long table by role, as `Answers` takes them.

    Attributes
    ----------
    columns : dict of arrays
        By role; None where a value is missing.
    reading : dict
        How they are to be read.
    only : tuple of str
        The forecasters to keep; none for all.
    plan : Plan
        Which columns were taken.
    places : Places
        Where the rows are in the files.
    """

    columns: dict[str, Any]
    reading: dict[str, Any]
    only: tuple[str, ...]
    plan: Plan
    places: Places

    @property
    def task(self) -> Task:
        """What is forecast."""
        return self.plan.task

    def answers(self) -> Answers:
        """Make answers; what is refused is named by its lines."""
        from properly import Answers

        with self.places.naming():
            answers = Answers(**self.columns, **self.reading)
        self._require_use_of_time()
        return answers.keep(self.only) if self.only else answers

    def _require_use_of_time(self) -> None:
        """Refuse times of forecasts that nothing would use: they are no times of questions."""
        users = {"closes", "resolved"} & set(self.plan.roles)
        if "time" in self.plan.roles and self.reading["repeated"] == REPEATED[0] and not users:
            column = quote(printable(self.plan.roles["time"]))
            message = (
                "--time beside --long is when each forecast was made, which only --repeated, "
                "--closes and --resolved use; if it is the time that questions are about, write "
                f"--when {column}."
            )
            raise click.UsageError(message)


def read_long(
    own: Mapping[str, Any], *, paths: tuple[str, ...], raw: bool = False, **options: Any
) -> LongTable:
    """Read the columns of a long table; raw, what cannot be read is left as it is."""
    import numpy as np

    from properly.counts._answer_rows import side_by_side
    from properly.engines._files._read import open_files

    with open_files(paths) as files:
        plan = _planned(files, own, paths=paths, **options)
        rows = read_columns(files, plan)
    masked = {name: np.ma.masked_array(x, rows.missing[name]) for name, x in rows.columns.items()}
    say(largest_divided(plan, masked))
    rows = _read(rows, plan, raw=raw)
    columns = rows.with_gaps(np.arange(len(rows)))
    y, labels, event = _outcomes(columns[plan.outcome], plan, raw=raw)
    taken: dict[str, Any] = {role: columns[name] for role, name in plan.roles.items()}
    forecasts = [columns[name] for name in plan.forecasts]
    p = side_by_side(forecasts) if len(forecasts) > 1 else forecasts[0]
    taken |= {"probability": p, "outcome": y}
    reading = {"labels": labels, "pos_label": event}
    reading |= {name: own[name] for name in ("repeated", "horizon")}
    return LongTable(taken, reading, own["only"] or (), plan, Places.of(rows, "refuse"))


def _planned(
    files: Files,
    own: Mapping[str, Any],
    *,
    paths: tuple[str, ...],
    classes: str | None = None,
    ordered: bool = False,
    event: str | None = None,
    percent: bool = False,
    date_format: str | None = None,
    **roles: str | None,
) -> Plan:
    """Say which columns hold what; nothing is guessed."""
    question, forecaster, probability, outcome = own["long"]
    forecasts = (probability,) if probability in files.names else tuple(probability.split("+"))
    labels = as_labels(classes)
    if labels is not None and len(labels) != len(forecasts):
        message = (
            f"--classes takes a label for each column of probabilities; got {len(labels)} labels "
            f"and {len(forecasts)} columns."
        )
        raise click.UsageError(message)
    of_classes = ("?",) * len(forecasts) if len(forecasts) > 1 else None
    require_sense(labels or of_classes, event, ordered=ordered, normalize=False)
    columns = {"question": question, "forecaster": forecaster}
    more = {**roles, **own}
    columns |= {role: more[role] for role in COLUMNS if more.get(role) is not None}
    if date_format is not None and not set(TIMES) & set(columns):
        message = "--date-format is about times; give their column by --time."
        raise click.UsageError(message)
    files.require([*columns.values(), *forecasts, outcome])
    require_other_columns(outcome, forecasts)
    return Plan(
        outcome=outcome,
        models={"probability": forecasts},
        roles=columns,
        classes=labels or (forecasts if of_classes else None),
        event=event,
        task="binary" if of_classes is None else "ordinal" if ordered else "multiclass",
        normalize=False,
        missing="refuse",
        percent=percent,
        date_format=date_format,
        beside=(),
        show=(),
        guessed=[],
        paths=tuple(paths),
    )


def _read(rows: FileRows, plan: Plan, *, raw: bool) -> FileRows:
    """Read numbers and dates; raw, only what can be read."""
    if not raw:
        rows = rows.with_numbers(plan.numbers)
    for role in TIMES:
        if role in plan.roles:
            with suppress(DataError) if raw and plan.date_format is None else nullcontext():
                rows = rows.with_dates(plan.roles[role], plan.date_format)
    return rows


def _outcomes(y: Any, plan: Plan, *, raw: bool) -> tuple[Any, tuple[Any, ...] | None, object]:
    """Read labels in the way of the outcomes, of which some may be missing."""
    import numpy as np

    from properly._boundary._arrays import missing_values
    from properly.cli._outcome_labels import as_outcomes

    known = ~missing_values(y)
    if not known.any() or (raw and plan.classes is None and plan.event is None):
        return y, None, None
    present = np.array(y[known].tolist())
    present = present.astype(object) if present.dtype.kind == "U" else present
    labels = plan.classes
    if labels is not None and labels == tuple(plan.forecasts):
        labels = _named_after(labels, present, plan.outcome)
    read = as_outcomes(present, plan.outcome, plan.event, labels)
    whole = np.full(len(y), None, dtype=object)
    whole[known] = read.y
    return whole, read.labels, read.event


def _named_after(columns: tuple[str, ...], y: Any, outcome: str) -> tuple[str, ...]:
    """Take the names of columns as labels, or what is left of them after a common beginning."""
    found = {str(label) for label in y.tolist()}
    for start in range(min(map(len, columns))):
        labels = tuple(name[start:] for name in columns)
        if found <= set(labels):
            return labels
        if len({name[start] for name in columns}) > 1:
            break
    message = (
        f"Which class does each column stand for? The outcome {outcome!r} has "
        f"{', '.join(map(repr, sorted(found)[:4]))}{', …' * (len(found) > 4)}; give --classes with "
        "the labels in the order of the columns."
    )
    raise click.UsageError(message)


def _as_columns(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[str, ...] | None:
    """Take four names of columns, separated by commas as in a line of CSV."""
    if value is None:
        return None
    names = tuple(next(csv.reader([value]), ()))
    if len(names) != 4 or "" in names:
        message = f"a long table has four columns, such as {FORM}; got {value!r}."
        raise click.BadParameter(message, ctx, param)
    return names


def _as_span(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> float | timedelta | None:
    """Take a number, or a span of time such as 10d."""
    if value is None:
        return None
    span = SPAN.fullmatch(value.strip())
    if span is not None:
        return timedelta(**{UNITS[span[2].lower()]: float(span[1])})
    with suppress(ValueError):
        return float(value)
    message = f"a horizon is a number, or a span such as 10d, 36h or 90min; got {value!r}."
    raise click.BadParameter(message, ctx, param)
