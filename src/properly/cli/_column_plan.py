"""Which columns of files hold what: as options say, in a wide or a long table, or as is guessed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import click

from properly._boundary._text import first_of
from properly.cli._option_table import FORM
from properly.cli._running import refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from properly.engines._files._read import Files, Shape

Task = Literal["binary", "multiclass", "ordinal"]
Missing = Literal["refuse", "drop", "complete", "pairwise", "two-way"]
# Those that hold times; a long table may have several.
TIMES = ("time", "when", "opens", "closes", "resolved")
ROLES = (
    *("question", "forecaster", "id", "weight", "count", "groups", "clusters", "strata"),
    *TIMES,
)
# Options that a plan has as they are given.
ALSO = ("event", "normalize", "missing", "percent", "date_format", "paths", "own", "show")
# Those that hold numbers, as forecasts do.
AMOUNTS = ("weight", "count")
# Options of long tables, and others that say the same of them.
OWN = ("long", "opens", "closes", "resolved", "when", "repeated", "horizon", "only")
SHARED = (
    *("paths", "weight", "clusters", "strata", "time", "date_format"),
    *("classes", "ordered", "event", "percent"),
)
PLACE = "{}"
OUTCOMES = ("y", "outcome", "target", "label", "event", "y_true", "observed", "obs")
SHOWN = 20
# Among more columns than these nothing is guessed by a look at all their values, which takes long.
MOST_LOOKED_AT = 500
# Guesses are printed beside the results.
note_guess = partial(click.echo, err=True)


@dataclass(frozen=True, eq=False)
class ColumnPlan:
    """Which columns hold what.

    Attributes
    ----------
    outcome : str
        The column of outcomes.
    models : dict of tuple of str
        By model, its column, or one per class; of a long table there is one model.
    roles : dict of str
        By role, the columns of what else is known of the cases.
    classes : tuple of str or None
        The labels of the classes, as text; None for an event.
    task : {"binary", "multiclass", "ordinal"}
        What is forecast.
    event : str or None
        The label of the event, as text.
    normalize : bool
        Whether rows of class probabilities are to be divided by their sums.
    missing : {"refuse", "drop", "complete", "pairwise", "two-way"}
        What to do about rows with a missing value; the last three take forecasts with gaps.
    percent : bool
        Whether forecasts are in percent.
    date_format : str or None
        How times are written, if not in ISO.
    paths : tuple of str
        The files, as they were given.
    own : dict or None
        The options of a long table; None for a wide one.
    show : tuple of str
        Columns to show beside the worst cases.
    beside : tuple of str
        Models that are there to be compared with only.
    """

    outcome: str
    models: dict[str, tuple[str, ...]]
    roles: dict[str, str]
    classes: tuple[str, ...] | None
    task: Task
    event: str | None = None
    normalize: bool = False
    missing: Missing = "refuse"
    percent: bool = False
    date_format: str | None = None
    paths: tuple[str, ...] = ()
    own: Mapping[str, Any] | None = None
    show: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def is_long(self) -> bool:
        """Whether there is one row per answer."""
        return self.own is not None

    @property
    def forecasts(self) -> list[str]:
        """The columns of all forecasts."""
        return [column for columns in self.models.values() for column in columns]

    @property
    def numbers(self) -> list[str]:
        """The columns that must hold numbers."""
        return [*self.forecasts, *(self.roles[role] for role in AMOUNTS if role in self.roles)]

    @property
    def columns(self) -> list[str]:
        """All columns that are needed, each once."""
        return list(dict.fromkeys([self.outcome, *self.roles.values(), *self.numbers]))


def plan_of(
    *,
    outcome: str,
    forecast: tuple[str, ...] = (),
    together: tuple[str, ...] | None = None,
    classes: str | None = None,
    ordered: bool = False,
    **options: Any,
) -> ColumnPlan:
    """Gather what the options say, without a look at the files.

    Columns of probabilities of a long table are given together; several are of classes.
    """
    labels = _labels_of(together, classes)
    _require_sense(labels, options | {"ordered": ordered})
    return ColumnPlan(
        outcome=outcome,
        models=models_of(forecast, labels) if together is None else {"probability": together},
        roles={role: column for role in ROLES if (column := options.get(role)) is not None},
        classes=labels,
        task="binary" if labels is None else "ordinal" if ordered else "multiclass",
        **{name: options[name] for name in ALSO if name in options},
    )


def planned(
    files: Files,
    *,
    outcome: str | None = None,
    any_numbers: bool = False,
    beside: Iterable[str] = (),
    **options: Any,
) -> ColumnPlan:
    """Find the columns of a wide table, guess what options leave out, and print guesses.

    Names beside them are those of more columns of forecasts, where there are such columns.
    """
    plan = plan_of(outcome=outcome or "", **options)
    given = [*plan.roles.values(), *plan.forecasts, *([] if outcome is None else [outcome])]
    given += plan.show
    files.require(given)
    guess = Guess(files, given)
    if outcome is None:
        outcome = guess.outcome(binary=plan.classes is None)
    models = plan.models or guess.models(
        plan.classes, any_numbers=any_numbers, percent=plan.percent
    )
    others = {
        name: columns
        for name, columns in models_of(beside, plan.classes).items()
        if name not in models and set(columns) <= set(files.names)
    }
    for name in others:
        note_guess(f"Took {name!r} to compare with, since a condition names it.")
    plan = replace(plan, outcome=outcome, models=models | others, beside=tuple(others))
    require_other_columns(outcome, plan.forecasts)
    return plan


def planned_long(files: Files, own: Mapping[str, Any], **options: Any) -> ColumnPlan:
    """Find the columns of a long table; nothing is guessed."""
    question, forecaster, probability, outcome = own["long"]
    together = (probability,) if probability in files.names else tuple(probability.split("+"))
    named = {"question": question, "forecaster": forecaster, "outcome": outcome}
    times = {role: own[role] for role in TIMES if role in own}
    plan = plan_of(**options | named | times, together=together, own=own)
    files.require([*plan.roles.values(), *together, outcome])
    require_other_columns(outcome, together)
    return plan


def taken_long(options: dict[str, Any], *others: str) -> dict[str, Any] | None:
    """Take out the options of long tables; None if these are none.

    Only these, those of columns and some others go with a long table.
    """
    own = {name: options.pop(name, None) for name in OWN}
    context = click.get_current_context()
    known = {*OWN, *SHARED, *others}
    for option in context.command.params:
        name = str(option.name)
        source = context.get_parameter_source(name)
        if source is None or source is click.core.ParameterSource.DEFAULT:
            continue
        if own["long"] is None and name in OWN:
            refuse(f"{option.opts[0]} is about long tables; name their columns by --long {FORM}.")
        if own["long"] is not None and name not in known:
            refuse(f"{option.opts[0]} does not go with --long, which has one row per answer.")
    return None if own["long"] is None else own


def models_of(
    forecast: Iterable[str], labels: tuple[str, ...] | None
) -> dict[str, tuple[str, ...]]:
    """Return the columns of each model that is given: one, or one per class."""
    if labels is None:
        return {name: (name,) for name in forecast}
    columns = {}
    for given in forecast:
        pattern = given if PLACE in given else f"{given}_{PLACE}"
        columns[given] = tuple(pattern.replace(PLACE, label) for label in labels)
    short = [_without_place(given) for given in columns]
    # A pattern is a clumsy name, but better than the same name twice.
    names = short if len(set(short)) == len(short) else list(columns)
    return dict(zip(names, columns.values(), strict=True))


def _without_place(given: str) -> str:
    """Make a name of a pattern: p of p({})."""
    if PLACE not in given:
        return given
    return given.replace(PLACE, "").strip(" _-.:()[]") or given


def _labels_of(columns: tuple[str, ...] | None, classes: str | None) -> tuple[str, ...] | None:
    """Read the labels of classes, one for each column of a long table.

    Without labels, such columns stand for them.
    """
    if classes is None:
        return columns if columns is not None and len(columns) > 1 else None
    labels = tuple(label.strip() for label in classes.split(","))
    if len(labels) < 2 or "" in labels or len(set(labels)) < len(labels):
        refuse(f"--classes takes two or more labels, such as none,minor,severe; got {classes!r}.")
    if columns is not None and len(labels) != len(columns):
        refuse(
            f"--classes takes a label for each column of probabilities; got {len(labels)} labels "
            f"and {len(columns)} columns."
        )
    return labels


def _require_sense(labels: tuple[str, ...] | None, options: Mapping[str, Any]) -> None:
    """Refuse options that say something about classes without --classes, and the reverse."""
    if labels is not None and options.get("event") is not None:
        refuse("--event is for one event, --classes for several; give only one of them.")
    for name in ("ordered", "normalize") if labels is None else ():
        if options.get(name):
            refuse(f"--{name} is about classes; give their labels by --classes.")
    has_times = any(options.get(role) is not None for role in TIMES)
    if options.get("date_format") is not None and not has_times:
        refuse("--date-format is about times; give their column by --time.")


def require_other_columns(outcome: str, forecasts: Iterable[str]) -> None:
    """Refuse an outcome that is a forecast, too."""
    if outcome in forecasts:
        refuse(f"The column {outcome!r} cannot be both the outcome and a forecast.")


class Guess:
    """Guesses among the columns that no option names."""

    def __init__(self, files: Files, taken: Iterable[str]) -> None:
        self.files = files
        others = set(taken)
        self.free = [name for name in files.names if name not in others]

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """What the columns are like that no option names."""
        return self.files.shapes(self.free)

    def outcome(self, *, binary: bool) -> str:
        """Take the column that is called like an outcome, or the only one of an event."""
        candidates = [name for name in self.free if name.casefold() in OUTCOMES]
        if not candidates and binary and len(self.free) <= MOST_LOOKED_AT:
            shapes = self.shapes.items()
            candidates = [name for name, x in shapes if x.zero_one and x.least != x.greatest]
        if len(candidates) != 1:
            several = f"{first_of(map(repr, candidates), SHOWN)} could be. " if candidates else ""
            self._refuse(f"Which column is the outcome? {several}Give --outcome COLUMN")
        note_guess(f"Took the column {candidates[0]!r} as the outcome; --outcome chooses another.")
        self.free.remove(candidates[0])
        return candidates[0]

    def models(
        self, labels: tuple[str, ...] | None, *, any_numbers: bool = False, percent: bool = False
    ) -> dict[str, tuple[str, ...]]:
        """Take the columns that can be probabilities, or those that are called by the classes.

        If there are none, columns of any numbers may do, to find out what is wrong with them.
        Percentages look like too many other numbers.
        """
        if labels is not None:
            return self._class_models(labels)
        free = self.free if len(self.free) <= MOST_LOOKED_AT else []
        candidates = [name for name in free if not percent and _is_probability(self.shapes[name])]
        if not candidates and any_numbers:
            candidates = [name for name in free if self.shapes[name].letter in "fi"]
        if not candidates:
            self._refuse("Which column is the forecast? Give --forecast COLUMN")
        columns = "column" if len(candidates) == 1 else "columns"
        forecasts = "the forecast" if len(candidates) == 1 else "forecasts"
        taken = f"Took the {columns} {first_of(map(repr, candidates), SHOWN)} as {forecasts}"
        note_guess(f"{taken}; --forecast chooses others.")
        return {name: (name,) for name in candidates}

    def _class_models(self, labels: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """Take columns called as the classes, or else all NAME of which NAME_CLASS are there."""
        free = set(self.free)
        if free.issuperset(labels):
            columns = first_of(map(repr, labels), SHOWN)
            note_guess(f"Took the columns {columns} as the forecast; --forecast chooses others.")
            return {"forecast": labels}
        last = f"_{labels[0]}"
        starts = [name.removesuffix(last) for name in self.free if name.endswith(last)]
        models = {start: tuple(f"{start}_{label}" for label in labels) for start in starts}
        complete = {start: columns for start, columns in models.items() if free.issuperset(columns)}
        if not complete:
            example = ", ".join(f"NAME_{label}" for label in labels)
            self._refuse(f"Which columns are the forecast? Give --forecast NAME for {example}")
        columns = first_of(map(repr, complete), SHOWN)
        note_guess(f"Took the columns that begin with {columns}; --forecast chooses others.")
        return complete

    def _refuse(self, question: str) -> NoReturn:
        refuse(f"{question}; the columns are {first_of(map(repr, self.files.names), SHOWN)}.")


def _is_probability(column: Shape) -> bool:
    """Tell whether a column has fractions between 0 and 1, and nothing else."""
    if column.letter != "f" or column.least is None or column.greatest is None:
        return False
    return column.least >= 0 and column.greatest <= 1
