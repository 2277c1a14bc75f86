"""Which columns of which files: the options, and the arrays that they choose.

Only what is left out is guessed, and every guess is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np

    Column = np.ndarray[Any, Any]

Task = Literal["binary", "multiclass", "ordinal"]
ROLES = ("weight", "groups", "clusters", "strata", "time")
PLACE = "{}"


@dataclass(frozen=True, eq=False)
class Chosen:
    """What the options choose.

    Attributes
    ----------
    y : array
        Outcomes.
    forecasts : dict of array
        By model: probabilities of the event, or one column a class.
    weight, groups, clusters, strata, time : array or None
        What else is known of the cases.
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
    dropped : str or None
        How many rows were dropped for missing values, in a sentence that has been printed.
    paths : tuple of str
        The files, as they were given.
    """

    y: Column
    forecasts: dict[str, Column]
    weight: Column | None
    groups: Column | None
    clusters: Column | None
    strata: Column | None
    time: Column | None
    labels: tuple[Any, ...] | None
    pos_label: object
    task: Task
    normalize: bool
    names: dict[str, Any]
    guessed: list[str]
    dropped: str | None
    paths: tuple[str, ...]

    @property
    def known(self) -> dict[str, Any]:
        """What else is known of the cases, by the names that evaluate and compare have for it."""
        names = ("weight", "clusters", "strata", "time", "labels", "pos_label", "normalize")
        return {name: getattr(self, name) for name in names}


def file_options() -> list[click.Parameter]:
    """Describe the files and columns that report, score, compare and check share."""
    return [
        click.Argument(
            ["paths"],
            metavar="FILES...",
            nargs=-1,
            required=True,
            type=click.Path(allow_dash=True),
        ),
        _column("--outcome", help="Column of what happened."),
        _column(
            "--forecast",
            multiple=True,
            help="Column of probabilities; may be given several times, for several models. With "
            f"--classes, what columns begin with, or a pattern such as 'p({PLACE})'.",
        ),
        _column("--weight", help="Column of case weights."),
        _column("--groups", "--group", help="Column of groups to evaluate apart."),
        _column("--clusters", "--cluster", help="Column of clusters of dependent cases."),
        _column("--strata", help="Column of strata that cases were drawn from."),
        _column("--time", help="Column of times, numbers or dates."),
        *_outcome_options(),
    ]


def _outcome_options() -> list[click.Parameter]:
    return [
        click.Option(
            ["--classes"],
            metavar="A,B,C",
            help="Labels of classes: --forecast NAME is then NAME_A, NAME_B, NAME_C.",
        ),
        click.Option(["--ordered"], is_flag=True, help="The classes are in order, such as grades."),
        click.Option(["--event"], metavar="LABEL", help="The label of the event."),
        click.Option(
            ["--missing"],
            type=click.Choice(["refuse", "drop"]),
            default="refuse",
            show_default=True,
            help="What to do about rows with a missing value.",
        ),
        click.Option(
            ["--normalize"], is_flag=True, help="Divide rows of class probabilities by their sums."
        ),
    ]


def _column(*names: str, **described: Any) -> click.Option:
    return click.Option([*names, names[0].removeprefix("--")], metavar="COLUMN", **described)


def chosen(
    *,
    paths: tuple[str, ...],
    outcome: str | None = None,
    forecast: tuple[str, ...] = (),
    classes: str | None = None,
    ordered: bool = False,
    event: str | None = None,
    missing: str = "refuse",
    normalize: bool = False,
    **roles: str | None,
) -> Chosen:
    """Read the columns that the options choose, and print what was guessed or dropped."""
    from properly._files import open_files
    from properly.cli._guessing import Guess
    from properly.cli._outcome_labels import as_outcomes

    labels = as_labels(classes)
    require_sense(labels, event, ordered=ordered, normalize=normalize)
    known = {role: column for role in ROLES if (column := roles.get(role)) is not None}
    with open_files(paths) as files:
        models = models_of(forecast, labels)
        given = [*known.values(), *_all(models), *([outcome] if outcome is not None else [])]
        files.require(given)
        guess = Guess(files, given)
        outcome = guess.outcome(binary=labels is None) if outcome is None else outcome
        models = models or guess.models(labels)
        require_other_columns(outcome, _all(models))
        numbers = [*_all(models), *([known["weight"]] if "weight" in known else [])]
        rows = files.read([outcome, *known.values(), *numbers]).with_numbers(numbers)
        columns, dropped = rows.complete(missing)
    if dropped is not None:
        click.echo(f"{dropped[0].upper()}{dropped[1:]}.", err=True)
    event_or_labels = as_outcomes(columns[outcome], outcome, event, labels)
    return Chosen(
        y=event_or_labels.y,
        forecasts=_forecasts(columns, models, labels),
        **{role: columns[known[role]] if role in known else None for role in ROLES},
        labels=event_or_labels.labels,
        pos_label=event_or_labels.event,
        task="binary" if labels is None else "ordinal" if ordered else "multiclass",
        normalize=normalize,
        names={"outcome": outcome, "forecast": models, **known},
        guessed=guess.said,
        dropped=dropped,
        paths=tuple(paths),
    )


def models_of(
    forecast: Iterable[str], labels: tuple[str, ...] | None
) -> dict[str, tuple[str, ...]]:
    """Return the columns of each model that is given: one, or one a class."""
    if labels is None:
        return {name: (name,) for name in forecast}
    columns = {
        given: tuple(_pattern(given).replace(PLACE, label) for label in labels)
        for given in forecast
    }
    short = [_without_place(given) for given in columns]
    # A pattern is a clumsy name, but better than the same name twice.
    names = short if len(set(short)) == len(short) else list(columns)
    return dict(zip(names, columns.values(), strict=True))


def _pattern(given: str) -> str:
    return given if PLACE in given else f"{given}_{PLACE}"


def _without_place(given: str) -> str:
    """Make a name of a pattern: p of p({})."""
    if PLACE not in given:
        return given
    return given.replace(PLACE, "").strip(" _-.:()[]") or given


def _all(models: Mapping[str, Iterable[str]]) -> list[str]:
    return [column for columns in models.values() for column in columns]


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
