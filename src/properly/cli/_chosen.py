"""The columns that options choose, as arrays: of a wide or a long table, or as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from properly._boundary._notices import notice
from properly._boundary._text import printable
from properly.cli._column_plan import TIMES, ColumnPlan, Task, planned, planned_long
from properly.cli._running import refuse
from properly.cli._wording import name_rows
from properly.counts._answer_rows import side_by_side
from properly.engines._files._read import Files, open_files
from properly.errors import DataError, ProperlyError
from properly.evaluation._checkup import _notes
from properly.typing import Column

if TYPE_CHECKING:
    from properly import Answers
    from properly.engines._files._checks import FileRows
    from properly.evaluation._checkup._symptom import Symptom

# Ways to compare models of which each lacks some forecasts.
GAPS = ("complete", "pairwise", "two-way")
# Percentages are of this.
WHOLE = 100
TRUTH = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, eq=False, kw_only=True)
class ColumnChoice:
    """What the options choose, apart from the rows.

    Attributes
    ----------
    plan : ColumnPlan
        Which columns hold what.
    labels : tuple or None
        The labels of the classes, as the outcomes have them; None for an event.
    pos_label : label or None
        The label of the event, as the outcomes have it.
    dropped, percent : str or None
        How many rows were dropped for missing values, and that forecasts were divided by 100, in
        sentences that have been printed.
    follow_up : sequence of Symptom
        Columns that look like follow-up times.
    """

    plan: ColumnPlan
    labels: tuple[Any, ...] | None
    pos_label: object
    dropped: str | None = None
    percent: str | None = None
    follow_up: Sequence[Symptom] = ()

    @property
    def task(self) -> Task:
        """What is forecast."""
        return self.plan.task


@dataclass(frozen=True, eq=False, kw_only=True)
class Chosen(ColumnChoice):
    """What the options choose, with the rows in memory.

    Attributes
    ----------
    y : array
        Outcomes.
    forecasts : dict of array
        By model: probabilities of the event, or one column per class.
    roles : dict of array
        What else is known of the cases.
    show : dict of array
        Columns to show beside the worst cases; None where a value is missing.
    places : Places
        Where the rows are in the files.
    """

    y: Column
    forecasts: dict[str, Column]
    roles: dict[str, Column]
    show: dict[str, Column]
    places: Places

    @property
    def arguments(self) -> dict[str, Any]:
        """What evaluate and compare have by name, without groups; or Answers and check_answers."""
        given = {"labels": self.labels, "pos_label": self.pos_label}
        if (own := self.plan.own) is not None:
            given |= {name: own[name] for name in ("repeated", "horizon")}
            return self.roles | self.forecasts | {"outcome": self.y} | given
        known = {role: x for role, x in self.roles.items() if role != "groups"}
        return known | given | {"normalize": self.plan.normalize}

    def answers(self) -> Answers:
        """Make answers of a long table; what is refused is named by its lines."""
        from properly import Answers

        own, roles = self.plan.own or {}, self.plan.roles
        with self.places.naming():
            answers = Answers(**self.arguments)
        # Times of forecasts that nothing would use are no times of questions.
        is_used = own["repeated"] != "refuse" or {"closes", "resolved"} & set(roles)
        if "time" in roles and not is_used:
            refuse(
                "--time beside --long is when each forecast was made, which only --repeated, "
                "--closes and --resolved use; if it is the time that questions are about, write "
                f"--when {quote(printable(roles['time']))}."
            )
        return answers.keep(own["only"]) if own["only"] else answers


@dataclass(frozen=True, eq=False)
class Places:
    """Where the rows that were not dropped are in their files."""

    rows: FileRows
    kept: Column

    @classmethod
    def of(cls, rows: FileRows, missing: str) -> Places:
        """Find out which rows are kept."""
        gone = rows.incomplete if missing == "drop" else np.zeros(len(rows), dtype=bool)
        # Only the files that the rows are from: columns would take memory.
        return cls(replace(rows, columns={}, missing={}), np.flatnonzero(~gone))

    def lines(self, rows: Iterable[int]) -> list[tuple[str, int]] | None:
        """Give the file and the line of rows; None where that is not sure."""
        return self.rows.lines(self.kept[list(rows)].tolist())

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Say of each row that a refusal names where it is in the files."""
        try:
            yield
        except ProperlyError as error:
            raise type(error)(name_rows(str(error), self._place)) from None

    def _place(self, row: int) -> str:
        """Name the place of a row; a number that is no row of the data stays as it is."""
        return self.rows.place(int(self.kept[row])) if row < len(self.kept) else f"row {row}"


def read_chosen(
    own: Mapping[str, Any] | None = None,
    *,
    paths: tuple[str, ...],
    raw: bool = False,
    **options: Any,
) -> Chosen:
    """Read the columns that the options choose, of a long table if it has options of its own.

    Raw, they are as they are: none is refused for its values.
    """
    with open_files(paths) as files:
        if own is None:
            plan = planned(files, paths=paths, any_numbers=raw, **options)
        else:
            plan = planned_long(files, own, paths=paths, **options)
        return read_rows(files, plan, raw=raw)


def read_rows(files: Files, plan: ColumnPlan, *, raw: bool = False) -> Chosen:
    """Read the columns of a plan into memory, and print what was done with them."""
    rows = _typed(files, plan, raw=raw)
    columns, dropped = _columns(rows, plan, raw=raw)
    say(dropped)
    present = [rows.columns[name][~rows.missing[name]] for name in plan.forecasts]
    largest = [float(x.max()) for x in present if x.dtype.kind == "f" and len(x)]
    percent = divided(max(largest)) if plan.percent and largest else None
    say(percent)
    places = Places.of(rows, plan.missing)
    y, labels, event = _outcomes(columns[plan.outcome], rows, plan, raw=raw)
    chosen = Chosen(
        plan=plan,
        labels=labels,
        pos_label=event,
        dropped=dropped,
        percent=percent,
        y=y,
        forecasts={m: _beside(plan, [columns[c] for c in x]) for m, x in plan.models.items()},
        roles={role: columns[column] for role, column in plan.roles.items()},
        show=files.read(list(dict.fromkeys(plan.show))).with_gaps(places.kept) if plan.show else {},
        places=places,
    )
    if plan.is_long:
        return chosen
    chosen = replace(chosen, follow_up=_follow_up(files, chosen))
    for note in _notes.follow_up_notes(chosen.follow_up) if not raw else ():
        notice(note)
    return chosen


def _typed(files: Files, plan: ColumnPlan, *, raw: bool) -> FileRows:
    """Read numbers and dates, and divide percentages by 100.

    Raw, only what can be read, unless a form of dates is given.
    """
    times = [plan.roles[role] for role in TIMES if role in plan.roles]
    for name in times if plan.date_format is not None else ():
        files.keep_text(name)
    rows = files.read(plan.columns)
    if plan.percent:
        rows = without_percent(rows, plan.forecasts)
    if not raw:
        rows = rows.with_numbers(plan.numbers)
    for name in times:
        with suppress(DataError) if raw and plan.date_format is None else nullcontext():
            rows = rows.with_dates(name, plan.date_format)
    return rows


def _columns(rows: FileRows, plan: ColumnPlan, *, raw: bool) -> tuple[dict[str, Any], str | None]:
    """Fill, mark, refuse or drop what is missing; return columns, and what was dropped."""
    if plan.is_long:
        return rows.with_gaps(np.arange(len(rows))), None
    if raw and plan.missing != "drop":
        masked = {
            name: np.ma.masked_array(x, rows.missing[name]) for name, x in rows.columns.items()
        }
        return masked, None
    if plan.missing not in GAPS:
        columns, dropped = rows.complete(plan.missing)
        return {n: np.ma.masked_array(x, False) if raw else x for n, x in columns.items()}, dropped
    gaps = {name: rows.missing[name] for name in plan.forecasts}
    others = {name: mask for name, mask in rows.missing.items() if name not in gaps}
    columns, _ = replace(rows, missing=others).complete("refuse")
    return columns | {name: np.where(gaps[name], np.nan, columns[name]) for name in gaps}, None


def _beside(plan: ColumnPlan, columns: list[Any]) -> Any:
    """Lay the columns of classes side by side."""
    if plan.classes is None:
        return columns[0]
    if plan.is_long:
        return side_by_side(columns)
    masked = any(isinstance(x, np.ma.MaskedArray) for x in columns)
    return np.ma.column_stack(columns) if masked else np.column_stack(columns)


def _outcomes(
    y: Any, rows: FileRows, plan: ColumnPlan, *, raw: bool
) -> tuple[Any, tuple[Any, ...] | None, object]:
    """Read labels in the way of the outcomes, of which some may be missing."""
    is_gone = rows.missing[plan.outcome]
    if (raw and plan.classes is None and plan.event is None) or is_gone.all():
        return y, None, None
    if not plan.is_long:
        present = y.compressed() if raw else y
        result, labels, event = as_outcomes(present, plan.outcome, plan.event, plan.classes)
        return (y if raw else result), labels, event
    present, texts = rows.columns[plan.outcome][~is_gone], plan.classes
    if texts is not None and texts == tuple(plan.forecasts):
        texts = _named_after(texts, present, plan.outcome)
    known, labels, event = as_outcomes(present, plan.outcome, plan.event, texts)
    result = np.full(len(is_gone), None, dtype=object)
    result[~is_gone] = known
    return result, labels, event


def _named_after(columns: tuple[str, ...], y: Any, outcome: str) -> tuple[str, ...]:
    """Take the names of columns as labels, or what is left of them after a common beginning."""
    found = {str(label) for label in y.tolist()}
    for start in range(min(map(len, columns))):
        labels = tuple(name[start:] for name in columns)
        if found <= set(labels):
            return labels
        if len({name[start] for name in columns}) > 1:
            break
    return refuse(
        f"Which class does each column stand for? The outcome {outcome!r} has "
        f"{', '.join(map(repr, sorted(found)[:4]))}{', …' * (len(found) > 4)}; give --classes with "
        "the labels in the order of the columns."
    )


def _follow_up(files: Files, chosen: Chosen) -> list[Symptom]:
    """Look for follow-up times among the columns that have no other role than time."""
    plan = chosen.plan
    time = plan.roles.get("time", "")
    others = [name for name in files.names if name == time or name not in plan.columns]
    names = _notes.named_like_follow_up(others, plan.outcome) if plan.classes is None else []
    if not names:
        return []
    columns = files.read(names).with_gaps(chosen.places.kept)
    event = chosen.pos_label
    return [*_notes.follow_up_symptoms(plan.outcome, chosen.y, columns, pos_label=event, time=time)]


def without_percent(rows: FileRows, names: Iterable[str]) -> FileRows:
    """Divide percentages by 100; refuse what is none, but for text, which is refused later."""
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


def divided(largest: float) -> str:
    """Say that forecasts were divided by 100, so that one sees if they should not have been."""
    return f"divided the forecasts by 100, as --percent says; the largest is {largest:.4g}"


def say(sentence: str | None) -> None:
    """Print what was done with the rows, if anything was."""
    if sentence is not None:
        click.echo(f"{sentence[0].upper()}{sentence[1:]}.", err=True)


def as_outcomes(
    y: Any,
    column: str,
    event: str | None,
    labels: tuple[str, ...] | None,
    *,
    most: int | None = None,
) -> tuple[Any, tuple[Any, ...] | None, object]:
    """Read labels that were given as text in the way of the outcomes, which may be numbers.

    Returns the outcomes, the labels of classes and that of the event. Distinct outcomes do as well
    as all of them; there may be more than so many.
    """
    if event is None and labels is None:
        _require_zero_one(y, column, most)
        return y, None, None
    if y.dtype.kind == "f" and np.all(y == np.floor(y)) and np.all(np.abs(y) < 2**53):
        y = y.astype(np.int64)
    if labels is not None:
        return y, _read_alike(labels, y), None
    return y, None, _read_alike((str(event),), y)[0]


def _read_alike(texts: tuple[str, ...], y: Any) -> tuple[Any, ...]:
    """Make values of texts as the outcomes are, if that can be done with all of them."""
    kind = y.dtype.kind
    if kind == "b" and all(text.casefold() in TRUTH for text in texts):
        return tuple(TRUTH[text.casefold()] for text in texts)
    if kind in "iu" and all(re.fullmatch(r"[+-]?(0|[1-9]\d*)(\.0*)?", text) for text in texts):
        return tuple(int(text.partition(".")[0]) for text in texts)
    if kind == "f" and all(re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", text) for text in texts):
        return tuple(float(text) for text in texts)
    return texts


def _require_zero_one(y: Any, column: str, most: int | None) -> None:
    """Ask for the label of the event where the outcomes are not 0 and 1."""
    if y.dtype.kind not in "biuO" or (y.dtype.kind != "O" and ((y == 0) | (y == 1)).all()):
        # Dates and fractions are no labels; the library says what is wrong with them.
        return
    labels = sorted({str(value) for value in y.tolist()})
    shown = ", ".join(repr(label) for label in labels[:4])
    if len(labels) > 2:
        count = len(labels) if most is None or len(labels) <= most else f"more than {most:,}"
        refuse(
            f"The outcome {column!r} has {count} labels, {shown}{', …' * (len(labels) > 4)}; "
            "give --classes with the labels that have forecasts, or an outcome with two."
        )
    refuse(
        f"Which label is the event? The outcome {column!r} has {shown}; "
        f"give --event, such as --event {quote(printable(labels[-1]))}."
    )
