"""How options are declared and read, those of several commands, and how commands are described."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Callable, Container
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib import import_module
from inspect import getdoc
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import click
from click.shell_completion import CompletionItem

from properly.errors import ProperlyError
from properly.recalibration._map_registry import KINDS, fitted_to

if TYPE_CHECKING:
    from properly import Interval
    from properly.cli._gate import Condition, Versus
    from properly.rules import Rule

ARGUMENTS = "properly.arguments"
# The command that reads what those take that have no option --long.
LONG = "properly leaderboard"
# Options that people type, as other programs call them, and those that do the same here.
INSTEAD = {
    **dict.fromkeys(("--threshold", "--thresholds", "--cutoff", "--range"), "--within"),
    **dict.fromkeys(("--y", "--target", "--truth", "--label", "--outcomes"), "--outcome"),
    **dict.fromkeys(
        ("--p", "--prediction", "--predictions", "--prob", "--probability"), "--forecast"
    ),
    **dict.fromkeys(("--forecasts", "--model", "--models"), "--forecast"),
    **dict.fromkeys(("--pos-label", "--positive"), "--event"),
    **dict.fromkeys(("--metric", "--score", "--loss", "--rules"), "--rule"),
    **dict.fromkeys(("--weights", "--sample-weight"), "--weight"),
    **dict.fromkeys(("--alpha", "--confidence", "--ci"), "--level"),
    **dict.fromkeys(("--bootstrap", "--draws", "--samples"), "--replicates"),
    **dict.fromkeys(("--date", "--dates", "--times"), "--time"),
    **dict.fromkeys(("--out", "--save"), "--output"),
    "--long": LONG,
}
AUTO = "auto"
# Simplest first: for an event, and for classes alone.
EVENT_MAPS = tuple(kind.replace("_", "-") for kind in fitted_to("event"))
CLASS_MAPS = tuple(kind.replace("_", "-") for kind in fitted_to("classes") if kind != "temperature")
PICTURES = ("svg", "png", "pdf")
FORM = "question,forecaster,probability,outcome"
SPAN = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(w|d|h|min|s)", re.IGNORECASE)
UNITS = {"w": "weeks", "d": "days", "h": "hours", "min": "minutes", "s": "seconds"}
# Values of options as people type them: read, or refused as a usage error.


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


# From attributes to click.

WHOLE, INSIDE = click.IntRange(min=0), click.FloatRange(0, 1, min_open=True, max_open=True)
# What stands in help in these places.
IN_HELP = {
    "{FILES}": (
        "FILES are CSV, Parquet, Arrow or JSON lines, compressed or not; patterns such as '*.csv' "
        "are understood, and - is the standard input."
    ),
    "{EVENT_MAPS}": ", ".join(EVENT_MAPS),
    "{CLASS_MAPS}": ", ".join(CLASS_MAPS),
}


class OptionRow(NamedTuple):
    """An option before it has the name of its attribute: names if it has others, and the rest."""

    flags: tuple[str, ...]
    given: dict[str, Any]


def option(value: str = "", *flags: str, **given: Any) -> Any:
    """Declare an option by what its value is called, by its names, and by what click takes.

    Without a value it is a flag; a value A|B is one of these, and one with ... may be given several
    times. Without names it is called as its attribute is.
    """
    metavar = value.removesuffix("...")
    kind: dict[str, Any] = {"metavar": metavar or None, "multiple": metavar != value}
    if "type" not in given:
        if metavar == "RULE":
            kind["type"] = RuleType()
        elif "|" in metavar:
            kind |= {"type": click.Choice(metavar.split("|")), "metavar": None}
        elif not metavar:
            kind["is_flag"] = True
    if given.get("default") is not None:
        kind["show_default"] = True
    return OptionRow(flags, kind | given)


def files(metavar: str = "FILES...", *, required: bool = True) -> click.Argument:
    """Describe the files that a command reads."""
    path = click.Path(allow_dash=True)
    return click.Argument(["paths"], metavar=metavar, nargs=-1, required=required, type=path)


class OptionSet:
    """Options, declared as attributes, with their help in the docstring.

    A docstring has a line about the class, help, a section of options and one of examples. The
    options of bases come first, but for some; an own one of the same name takes the place.
    """

    about = help = examples = ""
    params: ClassVar[dict[str, click.Parameter]] = {}
    own: tuple[str, ...] = ()
    # Those of a group.
    commands: ClassVar[dict[str, type[OptionSet]]] = {}

    def __init_subclass__(cls, section: str = "Options", but: Container[str] = ()) -> None:
        """Read the docstring, and make the parameters."""
        text = getdoc(cls) or ""
        for place, words in IN_HELP.items():
            text = text.replace(place, words)
        text, _, cls.examples = text.partition("\nExamples\n--------\n")
        text, _, listed = text.partition("\nOptions\n-------\n")
        cls.about, _, cls.help = text.partition("\n")
        entries = re.findall(r"^(--.+)\n((?: .+\n?)*)", listed, re.MULTILINE)
        helps = {flag: " ".join(words.split()) for flag, words in entries}
        for name, x in vars(cls).copy().items():
            if isinstance(x, OptionRow):
                flags = x.flags or (f"--{name.replace('_', '-')}",)
                made = click.Option([*flags, name], help=helps.get(flags[0]), **x.given)
                vars(made)["section"] = section
                setattr(cls, name, made)
        own = {name: x for name, x in vars(cls).items() if isinstance(x, click.Parameter)}
        tables = [*(vars(base)["params"] for base in cls.__bases__), own]
        cls.own = tuple(own)
        cls.params = {n: x for table in tables for n, x in table.items() if n not in but}

    @classmethod
    def command(cls, name: str) -> click.Command:
        """Describe a command; the function ``run`` of its module is imported once it is called."""
        if cls.commands:
            return InOrder(cls.commands, name, cls)

        def callback(**options: Any) -> None:
            import_module(f"properly.cli._{name}_command").run(**options)

        params = list(cls.params.values())
        return Described(
            name, callback=callback, help=cls.help, params=params, examples=cls.examples
        )


# Those of several commands.


class EvaluateOptions(OptionSet):
    """Options of commands that evaluate.

    Options
    -------
    --rule
        Rule such as brier, log, rps or "Bounded(Brier(), (0.01, 0.1))"; may be given several
        times. Left out, those that suit the outcome.
    --within
        The thresholds that matter, such as 0.01 0.1, over which models are judged first, by mean
        regret.
    --level
        Confidence level of intervals and pointwise bands.
    --replicates
        Draws for intervals of the parts, bands and tests; 0 leaves them out.
    --seed
        Seed of draws.
    """

    rules = option("RULE...", "--rule")
    within = option("LOWER UPPER", type=float, nargs=2, callback=reading(as_range))
    level = option(type=INSIDE, default=0.95)
    replicates = option(type=WHOLE, default=199)
    rng = option("", "--seed", type=WHOLE, default=0)


class SharedOptions(EvaluateOptions):
    """Options that several commands have, each in a place of its own.

    Options
    -------
    --output
        Where to write, rather than print.
    --force
        Overwrite what is there.
    --format
        How to print.
    --missing
        What to do about rows with a missing value.
    --normalize
        Divide rows of class probabilities by their sums.
    --percent
        Forecasts are in percent, from 0 to 100.
    --event
        The label of the event.
    """

    output = option("FILE")
    force = option()
    layout = option("text|json", "--format", default="text")
    missing = option("refuse|drop", default="refuse")
    normalize = option()
    percent = option()
    event = option("LABEL")


class FileColumns(OptionSet):
    """Which columns of a wide table hold what.

    Options
    -------
    --outcome
        Column of what happened.
    --forecast
        Column of probabilities; may be given several times, for several models. With --classes,
        what columns begin with, or a pattern such as 'p({})'.
    --weight
        Column of sampling weights; a row is one case.
    --count
        Column of how many like cases each row stands for.
    --groups
        Column of groups to evaluate apart.
    --clusters
        Column of clusters: cases in the same cluster may be correlated.
    --strata
        Column of strata: the sample size of each stratum was fixed by design.
    --time
        Column of times: numbers, or dates such as 2024-05-31.
    --date-format
        How dates of --time are written, such as %d.%m.%Y, as strptime has it.
    --classes
        Labels of classes: --forecast NAME is then NAME_A, NAME_B, NAME_C.
    --ordered
        The classes are in order, such as grades.
    """

    paths = files()
    outcome = option("COLUMN")
    forecast = option("COLUMN...")
    weight = option("COLUMN")
    count = option("COLUMN")
    groups = option("COLUMN", "--groups", "--group")
    clusters = option("COLUMN", "--clusters", "--cluster")
    strata = option("COLUMN")
    time = option("COLUMN")
    date_format = option("FORM", callback=reading(as_date_format))
    classes = option("A,B,C")
    ordered = option()
    event = SharedOptions.event
    percent = SharedOptions.percent
    missing = SharedOptions.missing
    normalize = SharedOptions.normalize


class EngineOptions(OptionSet):
    """What works on the files.

    Options
    -------
    --memory
        Memory for reading files, such as 1GB; beyond it, the temporary folder is used.
    --engine
        What works on the files: this machine, or a cluster.
    --scheduler
        Scheduler of Dask, such as tcp://HOST:8786. Left out, this machine works alone.
    --master
        Master of Spark, such as spark://HOST:7077. Left out, this machine works alone.
    """

    memory = option("SIZE", callback=reading(as_size))
    engine = option("duckdb|dask|spark", default="duckdb")
    scheduler = option("ADDRESS")
    master = option("URL")


class LongColumns(OptionSet, section="Long tables, one row per answer"):
    """Which columns of a long table hold what.

    Options
    -------
    --long
        The columns of a long table, such as question,forecaster,probability,outcome; of classes,
        as many columns of probabilities, such as p_a+p_b+p_c.
    --opens
        Column of when questions opened.
    --closes
        Column of when they were to close.
    --resolved
        Column of when their outcome was known.
    --when
        Column of the times that questions are about.
    --repeated
        What several forecasts of one question by one forecaster are: the last counts, each stands
        until the next, losses are averaged over time, or they are pooled.
    --horizon
        With --repeated last: so long before the question closes, at the latest; a number, or 10d,
        36h beside dates.
    --only
        Forecaster to keep; may be given several times.
    """

    long = option("COLUMNS", callback=reading(as_columns))
    opens = option("COLUMN")
    closes = option("COLUMN")
    resolved = option("COLUMN")
    when = option("COLUMN")
    repeated = option("refuse|last|moments|mean-loss|pool", default="refuse")
    horizon = option("SPAN", callback=reading(as_span))
    only = option("NAME...")


# How commands are described: examples below their help, sections of options, near misses.


class Described(click.Command):
    """A command with examples at the end of its help."""

    def __init__(self, *values: Any, examples: str, **named: Any) -> None:
        super().__init__(*values, **named)
        self.examples = examples.strip()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are, so that each can be copied."""
        del ctx
        with formatter.section("Examples"):
            for line in self.examples.splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write options, those of a section of their own below the others."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None and isinstance(option, click.Option):
                sections.setdefault(getattr(option, "section", "Options"), []).append(record)
        if len(sections) == 1:
            # A group writes its commands below.
            super().format_options(ctx, formatter)
            return
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments as they were given."""
        ctx.meta[ARGUMENTS] = tuple(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            option = INSTEAD.get(error.option_name)
            if option is None:
                raise
            known = {name for each in self.params for name in each.opts}
            hint = f" Did you mean {option!r}?" if option in {*known, LONG} else ""
            message = f"No such option {error.option_name!r}.{hint}"
            raise click.NoSuchOption(error.option_name, message, ctx=ctx) from None


class DescribedGroup(Described, click.Group):
    """A group of commands with examples at the end of its help."""


class InOrder(DescribedGroup):
    """Commands in the order of help, each described when it is looked up.

    Parameters
    ----------
    rows : dict of type
        The options of each, by name.
    name : str
        What the group is called.
    own : type
        Its help and examples.
    """

    def __init__(self, rows: dict[str, type[OptionSet]], name: str, own: type[OptionSet]) -> None:
        super().__init__(name, help=own.help, examples=own.examples)
        self.rows = rows

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in their own order."""
        del ctx
        return list(self.rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Describe a command the first time."""
        if cmd_name in self.rows and cmd_name not in self.commands:
            self.add_command(self.rows[cmd_name].command(cmd_name))
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command is about."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, row.about) for name, row in self.rows.items()])


def command_line() -> str:
    """Return the command that runs as it was typed, quoted for a shell."""
    ctx = click.get_current_context()
    return f"{ctx.command_path} {shlex.join(ctx.meta[ARGUMENTS])}".rstrip()
