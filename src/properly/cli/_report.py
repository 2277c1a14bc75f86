"""``properly report``: from a file of forecasts to a page, and the Python that makes it again."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

import click

from properly._boundary._files import together
from properly._boundary._text import printable
from properly.cli._columns import ROLES, Chosen
from properly.cli._commands import Described, command_line
from properly.cli._engine import engine_options, opened
from properly.cli._long import long_options, taken_long
from properly.cli._options import (
    FILES,
    evaluated,
    file_options,
    force_option,
    level_option,
    replicates_option,
    rule_option,
    seed_option,
    show_option,
    within_option,
)
from properly.cli._running import require_output, require_packages
from properly.recalibration._map_registry import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from properly import Evaluation
    from properly.comparison import Leaderboard


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
    read = ", ".join([repr(list(chosen.paths)), repr(_columns(chosen)), *dropping])
    lines = [
        *(line for line, needed in imports.items() if needed),
        "import properly",
        "",
        f"data = properly.read({read})",
        *([f"# Not shown here, since values are missing: {lacking!r}"] if lacking else []),
        "evaluation = properly.evaluate(",
        f"    data[{chosen.names['outcome']!r}],",
        f"    {_forecasts(chosen)},",
        *(f"    {name}={value}," for name, value in _chosen_options(chosen, settings)),
        ")",
        f"properly.report.write({_call([output], words, state)})",
    ]
    return "\n".join(lines) + "\n"


def _columns(chosen: Chosen) -> list[str]:
    """Name all columns that were read, each once: a row that lacks one of them is dropped."""
    names = chosen.names
    models = [column for columns in names["forecast"].values() for column in columns]
    every = [names["outcome"], *models, *(names[role] for role in ROLES if role in names)]
    every += _whole(chosen)
    return list(dict.fromkeys(every))


def _whole(chosen: Chosen) -> list[str]:
    """Name the columns to show that lack no value: a row that lacks one would be dropped."""
    from properly._boundary._arrays import missing_values

    return [name for name, column in chosen.show.items() if not missing_values(column).any()]


def _forecasts(chosen: Chosen) -> str:
    """Write the forecasts by model."""
    of_classes = chosen.task != "binary"
    percent = "" if chosen.percent is None else " / 100"
    models = []
    for name, columns in chosen.names["forecast"].items():
        arrays = ", ".join(f"data[{column!r}]{percent}" for column in columns)
        models.append(f"{name!r}: {f'np.column_stack([{arrays}])' if of_classes else arrays}")
    return "{" + ", ".join(models) + "}"


def _chosen_options(chosen: Chosen, settings: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Go through the arguments of `evaluate` that are not what they are if left out."""
    if chosen.task != "binary":
        yield "task", repr(chosen.task)
        yield "labels", repr([_plain(label) for label in chosen.labels or ()])
    if chosen.pos_label is not None:
        yield "pos_label", repr(_plain(chosen.pos_label))
    for role in ROLES:
        if role in chosen.names:
            yield role, _column(chosen, role)
    if shown := _whole(chosen):
        yield "show", "{" + ", ".join(f"{name!r}: data[{name!r}]" for name in shown) + "}"
    yield from _about_rules(settings)
    if chosen.normalize:
        yield "normalize", "True"
    for name, argument in (("level", "level"), ("replicates", "replicates"), ("seed", "rng")):
        yield argument, repr(settings[name])


def _about_rules(settings: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Write by what models are judged, and how they are repaired."""
    if settings["rules"]:
        rules = ", ".join(
            f"properly.rules.parse_rule({rule!r})" for rule in map(repr, settings["rules"])
        )
        yield "rules", f"[{rules}]"
    if settings["within"] is not None:
        yield "within", repr((settings["within"].lower, settings["within"].upper))
    if settings["recalibrate"] is not None:
        yield "recalibrate", repr(settings["recalibrate"])


def _has_dates_to_read(chosen: Chosen) -> bool:
    """Tell whether dates are in a form that only `datetime` can be told of."""
    form = chosen.date_format
    return form is not None and not re.fullmatch("%Y-%m(-%d([ T]%H:%M(:%S)?)?)?", form)


def _column(chosen: Chosen, role: str) -> str:
    """Write a column of what else is known of the cases; dates are read in their form."""
    column, form = f"data[{chosen.names[role]!r}]", chosen.date_format
    if role != "time" or chosen.time is None or chosen.time.dtype.kind != "M":
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


FIGURES = ("svg", "png", "pdf")
# Options that go with a long table.
OF_BOARDS = ("rules", "level", "seed", "title", "output", "figures", "figure_formats", "force")
EXAMPLES = r"""
properly report crash.csv --outcome died --forecast logistic \
    --forecast forest --within 0.01 0.1 --clusters cluster \
    --cases people --event-name death
properly report crash.csv --outcome died --forecast boosting \
    --id cluster --show severity --output crash.html
properly report crash.csv --outcome died --forecast boosting \
    --output boosting.html --figures figures --figure-format pdf
properly report crash.csv --outcome died --forecast forest \
    --clusters cluster --recalibrate
properly report tournament.csv --output tournament.html \
    --long question,forecaster,probability,outcome
"""


def report() -> click.Command:
    """Describe ``properly report``."""
    return Described(
        "report",
        callback=_report,
        help=(
            "Write one page about forecasts: a verdict in plain sentences, scores with intervals, "
            "pictures to explore, and the numbers. It is one HTML file that needs nothing else. "
            f"Prints the verdict, and where the page is. {FILES}"
        ),
        params=[*file_options(), *engine_options(), *_options(), *long_options()],
        examples=EXAMPLES,
    )


def _options() -> list[click.Parameter]:
    return [
        rule_option(),
        within_option(),
        show_option(),
        click.Option(
            ["--recalibrate"],
            is_flag=False,
            flag_value="auto",
            metavar="MAP",
            callback=_as_map,
            help="Whether models can be repaired: a section of the page, and sentences. MAP is "
            "auto, which is meant if it is left out, or the name of a map such as logistic.",
        ),
        click.Option(
            ["--monitor", "state"],
            metavar="FILE",
            help="The state of properly monitor: its evidence over time is a section of the page.",
        ),
        *_words(),
        level_option(),
        replicates_option("Draws for intervals of the parts, bands and tests; 0 leaves them out."),
        seed_option(),
        click.Option(
            ["--output"],
            metavar="FILE",
            default="report.html",
            show_default=True,
            help="Where to write the page.",
        ),
        click.Option(
            ["--figures"], metavar="FOLDER", help="Also write figures for a paper into this folder."
        ),
        click.Option(
            ["--figure-format", "figure_formats"],
            type=click.Choice(FIGURES),
            multiple=True,
            default=("svg",),
            show_default=True,
            help="How to write figures; may be given several times.",
        ),
        force_option(),
    ]


def _as_map(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Take the name of a map; what is none is no way to use the command."""
    if value is None or value == "auto":
        return value
    name = value.replace("-", "_")
    known = [kind for kind, one in KINDS.items() if one.tasks]
    if name in known:
        return name
    message = f"there is no map {value!r}; maps are auto, {', '.join(known)}"
    raise click.BadParameter(message, ctx, param)


def _words() -> list[click.Parameter]:
    """Describe the words of the page."""
    return [
        click.Option(["--title"], help="What stands above the page."),
        click.Option(
            ["--cases"],
            default="cases",
            show_default=True,
            help="What the cases are, in the words of the verdict: people, flights.",
        ),
        click.Option(
            ["--event-name"],
            default="the event",
            show_default=True,
            help="What may happen to them, in the words of the verdict: death, a delay.",
        ),
    ]


def _report(
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
    import properly

    packages = {"duckdb": options["engine"] == "duckdb", "jinja2": True, "matplotlib": figures}
    require_packages(name for name, needed in packages.items() if needed)
    require_output(output, force=force)
    _require_figures(figures)
    names = ("rules", "within", "level", "replicates", "seed", "recalibrate")
    settings = {name: options.pop(name) for name in names}
    settings["rules"] = settings["rules"] or None
    own = taken_long(options, *OF_BOARDS)
    watched = None if state is None else properly.Monitor.load(state)
    if own is not None:
        from properly.cli._leaderboard import write_page

        board = _board(own, options, settings)
        with together():
            drawn = _draw(figures, board, figure_formats, force=force)
            write_page(output, board, force=force, title=title)
        click.echo(f"{board}\n\nThe page is in {printable(output)}.")
        _say_drawn(drawn, figures)
        return
    with opened(**options) as data:
        evaluation = evaluated(data, **settings)
    words = {"cases": cases, "event": event_name}
    given = {"title": title, **words}
    # What reads all rows into memory is no way to make this page of a large file again.
    python = python_of(data, settings, output, given, state) if isinstance(data, Chosen) else None
    with together():
        drawn = _draw(figures, evaluation, figure_formats, force=force)
        properly.report.write(
            output,
            evaluation,
            title=title,
            **words,
            monitor=watched,
            command=command_line(),
            python=python,
            date=dt.date.today().isoformat(),  # noqa: DTZ011 - the reader's own day
            overwrite=force,
        )
    click.echo(f"{properly.verdict(evaluation, **words)}\n\nThe page is in {printable(output)}.")
    _say_drawn(drawn, figures)


def _board(
    own: Mapping[str, Any], options: Mapping[str, Any], settings: Mapping[str, Any]
) -> Leaderboard:
    """Rank the forecasters of a long table, by one rule."""
    from properly.cli._leaderboard import board_of

    rules = settings["rules"] or (None,)
    if len(rules) > 1:
        message = f"A board is by one rule; got --rule {len(rules)} times."
        raise click.UsageError(message)
    return board_of(own, options, rule=rules[0], level=settings["level"], rng=settings["seed"])


def _say_drawn(count: int, folder: str | None) -> None:
    if count:
        figures = "figure is" if count == 1 else "figures are"
        click.echo(f"{count} {figures} in {printable(str(folder))}.")


def _require_figures(folder: str | None) -> None:
    from properly._boundary._files import require_folder

    if folder is not None:
        require_folder(folder)


def _draw(
    folder: str | None,
    evaluation: Evaluation | Leaderboard,
    formats: tuple[str, ...],
    *,
    force: bool,
) -> int:
    """Write figures if a folder is given, and count them."""
    import properly

    if folder is None:
        return 0
    return len(properly.report.figures(folder, evaluation, formats=formats, overwrite=force))
