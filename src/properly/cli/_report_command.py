"""``properly report``: from a file of forecasts to a page, and the Python that makes it again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import click

import properly
from properly import Interval
from properly._boundary._arrays import missing_values
from properly._boundary._files import require_folder, together
from properly._boundary._text import printable
from properly.cli._chosen import Chosen
from properly.cli._engine import evaluated, opened
from properly.cli._leaderboard_command import write_page
from properly.cli._option_table import EvaluateOptions
from properly.cli._running import require_output, require_packages


def python_of(
    chosen: Chosen,
    settings: Mapping[str, Any],
    output: str,
    words: Mapping[str, Any],
    state: str | None = None,
) -> str:
    """Write the calls that read the same columns, evaluate them and write the page.

    Names of files and columns are data: they stand as Python writes them, in quotes.
    """
    imports = {
        "from datetime import datetime\n": _has_dates_to_read(chosen),
        "import numpy as np": chosen.task != "binary" or _has_dates_to_read(chosen),
    }
    dropping = [] if chosen.dropped is None else ["missing='drop'"]
    lacking = [name for name in chosen.show if name not in _whole(chosen)]
    read = ", ".join([repr(list(chosen.plan.paths)), repr(_columns(chosen)), *dropping])
    lines = [
        *(line for line, needed in imports.items() if needed),
        "import properly",
        "",
        f"data = properly.read({read})",
        *([f"# Not shown here, since values are missing: {lacking!r}"] if lacking else []),
        "evaluation = properly.evaluate(",
        f"    data[{chosen.plan.outcome!r}],",
        f"    {_forecasts(chosen)},",
        *(f"    {name}={value}," for name, value in _chosen_options(chosen, settings)),
        ")",
        f"properly.report.write({_call([output], words, state)})",
    ]
    return "\n".join(lines) + "\n"


def _columns(chosen: Chosen) -> list[str]:
    """Name all columns that were read, each once: a row that lacks one of them is dropped."""
    plan = chosen.plan
    every = [plan.outcome, *plan.forecasts, *plan.roles.values(), *_whole(chosen)]
    return list(dict.fromkeys(every))


def _whole(chosen: Chosen) -> list[str]:
    """Name the columns to show that lack no value: a row that lacks one would be dropped."""
    return [name for name, column in chosen.show.items() if not missing_values(column).any()]


def _forecasts(chosen: Chosen) -> str:
    """Write the forecasts by model."""
    percent = "" if chosen.percent is None else " / 100"
    models = []
    for name, columns in chosen.plan.models.items():
        arrays = ", ".join(f"data[{column!r}]{percent}" for column in columns)
        is_event = chosen.task == "binary"
        models.append(f"{name!r}: {arrays if is_event else f'np.column_stack([{arrays}])'}")
    return "{" + ", ".join(models) + "}"


def _chosen_options(chosen: Chosen, settings: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Go through the arguments of `evaluate` that are not what they are if left out."""
    if chosen.task != "binary":
        yield "task", repr(chosen.task)
        yield "labels", repr([_plain(label) for label in chosen.labels or ()])
    if chosen.pos_label is not None:
        yield "pos_label", repr(_plain(chosen.pos_label))
    for role in chosen.roles:
        yield role, _column(chosen, role)
    if shown := _whole(chosen):
        yield "show", "{" + ", ".join(f"{name!r}: data[{name!r}]" for name in shown) + "}"
    if chosen.plan.normalize:
        yield "normalize", "True"
    for name, value in settings.items():
        if value not in (None, ()):
            yield name, _written(value)


def _written(value: Any) -> str:
    """Write the value of an option as Python: rules as text that is read, a range as a tuple."""
    if isinstance(value, Interval):
        return repr((value.lower, value.upper))
    if isinstance(value, tuple):
        return f"[{', '.join(f'properly.rules.parse_rule({repr(rule)!r})' for rule in value)}]"
    return repr(value)


def _has_dates_to_read(chosen: Chosen) -> bool:
    """Return whether dates are in a form that only `datetime` reads."""
    form = chosen.plan.date_format
    return form is not None and not re.fullmatch("%Y-%m(-%d([ T]%H:%M(:%S)?)?)?", form)


def _column(chosen: Chosen, role: str) -> str:
    """Write a column of what else is known of the cases; dates are read in their form."""
    column, form = f"data[{chosen.plan.roles[role]!r}]", chosen.plan.date_format
    if role != "time" or chosen.roles["time"].dtype.kind != "M":
        return column
    if not _has_dates_to_read(chosen):
        return f"{column}.astype('datetime64[us]')"
    dates = f"[datetime.strptime(str(x), {form!r}) for x in {column}]"
    return f"np.array({dates}, dtype='datetime64[us]')"


def _call(values: Iterable[str], words: Mapping[str, Any], state: str | None) -> str:
    given = [f"{name}={word!r}" for name, word in words.items() if word is not None]
    given += [] if state is None else [f"monitor=properly.Monitor.load({state!r})"]
    return ", ".join([*map(repr, values), "evaluation", *given])


def _plain(label: Any) -> Any:
    """Return a label as Python writes it, not as numpy does."""
    return label.item() if hasattr(label, "item") else label


def run(
    output: str,
    figures: str | None,
    figure_formats: tuple[str, ...],
    *,
    force: bool,
    title: str | None,
    cases: str,
    event_name: str,
    state: str | None,
    **options: Any,
) -> None:
    """Evaluate, write the page and figures, and print the verdict."""
    _require(output, figures, options["engine"], force=force)
    names = (*EvaluateOptions.params, "recalibrate")
    settings = {name: options.pop(name) for name in names}
    watched = None if state is None else properly.Monitor.load(state)
    words = {"cases": cases, "event": event_name}
    page: dict[str, Any] = {"title": title, **words}
    with opened(**options) as data:
        result = evaluated(data, **settings)
    if isinstance(data, Chosen):
        # Reading all rows into memory would not make this page of a large file again.
        page |= {"python": python_of(data, settings, output, page, state)}
    page |= {"monitor": watched}
    with together():
        drawn = 0
        if figures is not None:
            made = properly.report.figures(figures, result, formats=figure_formats, overwrite=force)
            drawn = len(made)
        write_page(output, result, force=force, **page)
    click.echo(f"{properly.verdict(result, **words)}\n\nThe page is in {printable(output)}.")
    if drawn:
        click.echo(
            f"{drawn} figure{' is' if drawn == 1 else 's are'} in {printable(str(figures))}."
        )


def _require(output: str, figures: str | None, engine: str, *, force: bool) -> None:
    """Refuse, before long work, what could not be written after it."""
    packages = {"duckdb": engine == "duckdb", "jinja2": True, "matplotlib": figures}
    require_packages(name for name, needed in packages.items() if needed)
    require_output(output, force=force)
    if figures is not None:
        require_folder(figures)
