"""Which columns of files the options choose, as arrays; only what is left out is guessed."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import click

from properly.cli._wording import name_rows
from properly.errors import DataError, ProperlyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import numpy as np

    from properly.cli._outcome_labels import Outcomes
    from properly.engines._files._checks import FileRows
    from properly.engines._files._read import Files
    from properly.evaluation import Symptom

    Column = np.ndarray[Any, Any]

Task = Literal["binary", "multiclass", "ordinal"]
Missing = Literal["refuse", "drop", "complete", "pairwise", "two-way"]
ROLES = ("weight", "count", "groups", "clusters", "strata", "time")
# Those that hold times; a long table may have several.
TIMES = ("time", "when", "opens", "closes", "resolved")
# Those that hold numbers, as forecasts do.
AMOUNTS = ("weight", "count")
# Ways to compare models of which each lacks some forecasts.
GAPS = ("complete", "pairwise", "two-way")
PLACE = "{}"
# Percentages are of this.
WHOLE = 100


@dataclass(frozen=True, eq=False)
class Plan:
    """Which columns hold what.

    Attributes
    ----------
    outcome : str
        The column of outcomes.
    models : dict of tuple of str
        By model, its column, or one a class.
    roles : dict of str
        By role, the columns of what else is known of the cases.
    classes : tuple of str or None
        The labels of the classes, as text; None for an event.
    event : str or None
        The label of the event, as text.
    missing : {"refuse", "drop", "complete", "pairwise", "two-way"}
        What to do about rows with a missing value; the last three take forecasts with gaps.
    percent : bool
        Whether forecasts are in percent.
    date_format : str or None
        How times are written, if not in ISO.
    beside : tuple of str
        Models that are there to be compared with only.
    show : tuple of str
        Columns to show beside the worst cases.
    task, normalize, guessed, paths
        As in `Choice`.
    """

    outcome: str
    models: dict[str, tuple[str, ...]]
    roles: dict[str, str]
    classes: tuple[str, ...] | None
    event: str | None
    task: Task
    normalize: bool
    missing: Missing
    percent: bool
    date_format: str | None
    beside: tuple[str, ...]
    show: tuple[str, ...]
    guessed: list[str]
    paths: tuple[str, ...]

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


@dataclass(frozen=True, eq=False)
class Choice:
    """What the options choose, apart from the rows.

    Attributes
    ----------
    labels : tuple or None
        The labels of the classes, as the outcomes have them; None for an event.
    pos_label : label or None
        The label of the event, as the outcomes have it.
    task : {"binary", "multiclass", "ordinal"}
        What is forecast.
    normalize : bool
        Whether rows of class probabilities are to be divided by their sums.
    names : dict
        By role, the column that was taken; for ``"forecast"``, a dict of those of each model.
    guessed : list of str
        What was guessed, in sentences that have been printed.
    dropped, percent : str or None
        How many rows were dropped for missing values, and that forecasts were divided by 100, in
        sentences that have been printed.
    doubts : tuple of str
        What looks like a mistake, in sentences that have been printed.
    date_format : str or None
        How times are written, if not in ISO.
    beside : tuple of str
        Models that are there to be compared with only.
    paths : tuple of str
        The files, as they were given.
    """

    labels: tuple[Any, ...] | None
    pos_label: object
    task: Task
    normalize: bool
    names: dict[str, Any]
    guessed: list[str]
    dropped: str | None
    percent: str | None
    doubts: tuple[str, ...]
    date_format: str | None
    beside: tuple[str, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Chosen(Choice):
    """What the options choose, with the rows in memory.

    Attributes
    ----------
    y : array
        Outcomes.
    forecasts : dict of array
        By model: probabilities of the event, or one column a class.
    weight, count, groups, clusters, strata, time : array or None
        What else is known of the cases.
    show : dict of array
        Columns to show beside the worst cases; None where a value is missing.
    places : Places
        Where the rows are in the files.
    """

    y: Column
    forecasts: dict[str, Column]
    weight: Column | None
    count: Column | None
    groups: Column | None
    clusters: Column | None
    strata: Column | None
    time: Column | None
    show: dict[str, Column]
    places: Places

    @property
    def arguments(self) -> dict[str, Any]:
        """What else is known of the cases, by the names that evaluate and compare have for it."""
        names = ("weight", "count", "clusters", "strata", "time", "labels", "pos_label")
        return {name: getattr(self, name) for name in (*names, "normalize")}

    def repeated(self) -> Chosen:
        """Write every row as often as it counts, for what gives each case a forecast of its own."""
        import numpy as np

        from properly._boundary._arrays import check_counts
        from properly.counts._cases import repeated_rows

        if self.count is None:
            return self
        rows = repeated_rows(np.asarray(check_counts(self.count, "count")))
        columns: dict[str, Any] = {
            role: None if (x := getattr(self, role)) is None else x[rows] for role in ("y", *ROLES)
        }
        return replace(
            self,
            **columns | {"count": None},
            forecasts={name: p[rows] for name, p in self.forecasts.items()},
            show={name: x[rows] for name, x in self.show.items()},
            places=replace(self.places, kept=self.places.kept[rows]),
        )


@dataclass(frozen=True, eq=False)
class Places:
    """Where the rows that were not dropped are in their files."""

    rows: FileRows
    kept: Column

    @classmethod
    def of(cls, rows: FileRows, missing: str) -> Places:
        """Find out which rows are kept."""
        import numpy as np

        gone = rows.incomplete if missing == "drop" else np.zeros(len(rows), dtype=bool)
        # Of the rows, only the files that they are from: columns would take memory.
        return cls(replace(rows, columns={}, missing={}), np.flatnonzero(~gone))

    def lines(self, rows: Iterable[int]) -> list[tuple[str, int]] | None:
        """Give the file and the line of rows; None where that is not sure."""
        return self.rows.lines(self.kept[list(rows)].tolist())

    def named(self, text: str) -> str:
        """Say of each row that a text names where it is in the files."""
        return name_rows(text, self._place)

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Say of each row that a refusal names where it is in the files."""
        try:
            yield
        except ProperlyError as error:
            raise type(error)(self.named(str(error))) from None

    def _place(self, row: int) -> str:
        """Name the place of a row; a number that is no row of the data stays as it is."""
        return self.rows.place(int(self.kept[row])) if row < len(self.kept) else f"row {row}"


def chosen(*, paths: tuple[str, ...], **options: Any) -> Chosen:
    """Read the columns that the options choose, and print what was guessed or dropped."""
    from properly.engines._files._read import open_files

    with open_files(paths) as files:
        return read_rows(files, planned(files, paths=paths, **options))


def planned(
    files: Files,
    *,
    outcome: str | None = None,
    any_numbers: bool = False,
    beside: Iterable[str] = (),
    **options: Any,
) -> Plan:
    """Find the columns that the options choose, guess what they leave out, and print guesses.

    Names beside them are those of more columns of forecasts, where there are such columns.
    """
    from properly.cli._guessing import Guess

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
    models |= others
    for name in others:
        guess.say(f"Took {name!r} to compare with, since a condition names it.")
    plan = replace(plan, outcome=outcome, models=models, beside=tuple(others), guessed=guess.said)
    require_other_columns(outcome, plan.forecasts)
    return plan


def plan_of(
    *,
    paths: tuple[str, ...],
    outcome: str,
    forecast: tuple[str, ...] = (),
    classes: str | None = None,
    ordered: bool = False,
    event: str | None = None,
    missing: Missing = "refuse",
    normalize: bool = False,
    percent: bool = False,
    date_format: str | None = None,
    show: tuple[str, ...] = (),
    **roles: str | None,
) -> Plan:
    """Gather what the options say, without a look at the files."""
    labels = as_labels(classes)
    require_sense(labels, event, ordered=ordered, normalize=normalize)
    if date_format is not None and roles.get("time") is None:
        message = "--date-format is about times; give their column by --time."
        raise click.UsageError(message)
    return Plan(
        outcome=outcome,
        models=models_of(forecast, labels),
        roles={role: column for role in ROLES if (column := roles.get(role)) is not None},
        classes=labels,
        event=event,
        task="binary" if labels is None else "ordinal" if ordered else "multiclass",
        normalize=normalize,
        missing=missing,
        percent=percent,
        date_format=date_format,
        beside=(),
        show=tuple(dict.fromkeys(show)),
        guessed=[],
        paths=tuple(paths),
    )


def read_rows(files: Files, plan: Plan) -> Chosen:
    """Read the columns of a plan into memory, and print what was dropped."""
    from properly.cli._outcome_labels import as_outcomes

    rows = read_columns(files, plan).with_numbers(plan.numbers)
    if "time" in plan.roles:
        rows = rows.with_dates(plan.roles["time"], plan.date_format)
    columns, dropped = _with_forecasts(rows, plan)
    say(dropped)
    places = Places.of(rows, plan.missing)
    show = files.read(plan.show).with_gaps(places.kept) if plan.show else {}
    percent = largest_divided(plan, columns)
    say(percent)
    outcomes = as_outcomes(columns[plan.outcome], plan.outcome, plan.event, plan.classes)
    doubts = _doubts(files, plan, outcomes, places.kept)
    others: dict[str, Any] = {
        role: columns[plan.roles[role]] if role in plan.roles else None for role in ROLES
    }
    return Chosen(
        **choice_of(plan, outcomes.labels, outcomes.event, dropped, percent, doubts=doubts),
        y=outcomes.y,
        forecasts=_forecasts(columns, plan.models, plan.classes),
        **others,
        show=show,
        places=places,
    )


def _doubts(files: Files, plan: Plan, outcomes: Outcomes, kept: Column) -> tuple[str, ...]:
    """Warn of columns that look like follow-up time."""
    from properly._boundary._notices import notice
    from properly.evaluation._checkup._follow_up import follow_up_notes

    notes = follow_up_notes(follow_up(files, plan, outcomes.y, outcomes.event, kept))
    for note in notes:
        notice(note)
    return tuple(notes)


def follow_up(files: Files, plan: Plan, y: Any, event: object, kept: Column) -> list[Symptom]:
    """Look for follow-up times among the columns that have no other role than time."""
    from properly.evaluation._checkup._follow_up import follow_up_symptoms, named_like_follow_up

    time = plan.roles.get("time", "")
    others = [name for name in files.names if name == time or name not in plan.columns]
    names = named_like_follow_up(others, plan.outcome) if plan.classes is None else []
    if not names:
        return []
    columns = files.read(names).with_gaps(kept)
    return [*follow_up_symptoms(plan.outcome, y, columns, pos_label=event, time=time)]


def _with_forecasts(rows: FileRows, plan: Plan) -> tuple[dict[str, Column], str | None]:
    """Refuse or drop rows that lack a value; forecasts may lack some where that is allowed for."""
    import numpy as np

    if plan.missing not in GAPS:
        return rows.complete(plan.missing)
    gaps = {name: rows.missing[name] for name in plan.forecasts}
    others = {name: mask for name, mask in rows.missing.items() if name not in gaps}
    columns, _ = replace(rows, missing=others).complete("refuse")
    return columns | {name: np.where(gaps[name], np.nan, columns[name]) for name in gaps}, None


def choice_of(
    plan: Plan,
    labels: tuple[Any, ...] | None,
    event: object,
    dropped: str | None,
    percent: str | None,
    *,
    doubts: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Gather what a `Choice` knows."""
    return {
        "labels": labels,
        "pos_label": event,
        "task": plan.task,
        "normalize": plan.normalize,
        "names": {"outcome": plan.outcome, "forecast": plan.models, **plan.roles},
        "guessed": plan.guessed,
        "dropped": dropped,
        "percent": percent,
        "doubts": doubts,
        "date_format": plan.date_format,
        "beside": plan.beside,
        "paths": plan.paths,
    }


def read_columns(files: Files, plan: Plan) -> FileRows:
    """Read the columns of a plan; percentages that can be divided by 100 are."""
    for role in TIMES if plan.date_format is not None else ():
        if role in plan.roles:
            files.keep_text(plan.roles[role])
    rows = files.read(plan.columns)
    return without_percent(rows, plan.forecasts) if plan.percent else rows


def without_percent(rows: FileRows, names: Iterable[str]) -> FileRows:
    """Divide percentages by 100; refuse what is none, but for text, which is refused later."""
    import numpy as np

    columns = dict(rows.columns)
    for name in names:
        if columns[name].dtype.kind in "iuf":
            outside = ~rows.missing[name] & ~((columns[name] >= 0) & (columns[name] <= WHOLE))
            if outside.any():
                row = int(np.argmax(outside))
                raise no_percentage(name, f"{rows.place(row)} is {columns[name][row]:g}")
            columns[name] = columns[name] / WHOLE
    return replace(rows, columns=columns)


def no_percentage(name: str, first: str) -> DataError:
    """Refuse percentages that are none."""
    message = f"--percent is for forecasts from 0 to 100; of column {name!r}, {first}"
    return DataError(message)


def largest_divided(plan: Plan, columns: Mapping[str, Column]) -> str | None:
    """Say that forecasts were divided by 100, and how large they are now, if they were."""
    numbers = [x for name in plan.forecasts if (x := columns[name]).dtype.kind == "f"]
    if not plan.percent or not numbers:
        return None
    return divided(max(float(x[x >= 0].max()) for x in numbers))


def divided(largest: float) -> str:
    """Say that forecasts were divided by 100, so that one sees if they should not have been."""
    return f"divided the forecasts by 100, as --percent says; the largest is {largest:.4g}"


def say(sentence: str | None) -> None:
    """Print what was done with the rows, if anything was."""
    if sentence is not None:
        click.echo(f"{sentence[0].upper()}{sentence[1:]}.", err=True)


def models_of(
    forecast: Iterable[str], labels: tuple[str, ...] | None
) -> dict[str, tuple[str, ...]]:
    """Return the columns of each model that is given: one, or one a class."""
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


def _forecasts(
    columns: Mapping[str, Column],
    models: Mapping[str, tuple[str, ...]],
    labels: tuple[str, ...] | None,
) -> dict[str, Column]:
    import numpy as np

    if labels is None:
        return {name: columns[column] for name, (column,) in models.items()}
    return {
        name: np.column_stack([columns[column] for column in taken])
        for name, taken in models.items()
    }


def as_labels(classes: str | None) -> tuple[str, ...] | None:
    if classes is None:
        return None
    labels = tuple(label.strip() for label in classes.split(","))
    if len(labels) < 2 or "" in labels or len(set(labels)) < len(labels):
        message = f"--classes takes two or more labels, such as none,minor,severe; got {classes!r}."
        raise click.UsageError(message)
    return labels


def require_sense(
    labels: tuple[str, ...] | None, event: str | None, *, ordered: bool, normalize: bool
) -> None:
    """Refuse options that say something about classes without --classes, and the reverse."""
    if labels is not None and event is not None:
        message = "--event is for one event, --classes for several; give only one of them."
        raise click.UsageError(message)
    for name, given in {"--ordered": ordered, "--normalize": normalize}.items():
        if labels is None and given:
            message = f"{name} is about classes; give their labels by --classes."
            raise click.UsageError(message)


def require_other_columns(outcome: str, forecasts: Iterable[str]) -> None:
    if outcome in forecasts:
        message = f"The column {outcome!r} cannot be both the outcome and a forecast."
        raise click.UsageError(message)
