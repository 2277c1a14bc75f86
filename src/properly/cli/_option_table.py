"""All options of all commands, in one table, and the parameters of click that are made of it."""

from __future__ import annotations

import csv
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from properly.errors import ProperlyError
from properly.recalibration._map_registry import KINDS, fitted_to

if TYPE_CHECKING:
    from collections.abc import Callable, Container

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
FILES = (
    "FILES are CSV, Parquet, Arrow or JSON lines, compressed or not; patterns such as '*.csv' are "
    "understood, and - is the standard input."
)
# Sections of options. An option is a line: its names, then, unless it is a flag, what its value is
# called (A|B: one of these; with ... it may be given several times), then maybe "= DEFAULT",
# "~ WORDS for the default" and "-> NAME", which is its name in Python if that is another. Below
# stands its help; without help it is the option of [evaluate] or [shared].
TABLE = """
[evaluate]
--rule RULE... -> rules
    Rule such as brier, log, rps or "Bounded(Brier(), (0.01, 0.1))"; may be given several times.
    Left out, those that suit the outcome.
--within LOWER UPPER
    The thresholds that matter, such as 0.01 0.1, over which models are judged first, by mean
    regret.
--level = 0.95
    Confidence level of intervals and pointwise bands.
--replicates = 199
    Draws for intervals of the parts, bands and tests; 0 leaves them out.
--seed = 0 -> rng
    Seed of draws.

[shared]
--output FILE
    Where to write, rather than print.
--force
    Overwrite what is there.
--format text|json = text -> layout
    How to print.
--missing refuse|drop = refuse
    What to do about rows with a missing value.
--normalize
    Divide rows of class probabilities by their sums.
--percent
    Forecasts are in percent, from 0 to 100.
--event LABEL
    The label of the event.

[files]
--outcome COLUMN
    Column of what happened.
--forecast COLUMN...
    Column of probabilities; may be given several times, for several models. With --classes, what
    columns begin with, or a pattern such as 'p({})'.
--weight COLUMN
    Column of sampling weights; a row is one case.
--count COLUMN
    Column of how many like cases each row stands for.
--groups --group COLUMN
    Column of groups to evaluate apart.
--clusters --cluster COLUMN
    Column of clusters: cases in the same cluster may be correlated.
--strata COLUMN
    Column of strata: the sample size of each stratum was fixed by design.
--time COLUMN
    Column of times: numbers, or dates such as 2024-05-31.
--date-format FORM
    How dates of --time are written, such as %d.%m.%Y, as strptime has it.
--classes A,B,C
    Labels of classes: --forecast NAME is then NAME_A, NAME_B, NAME_C.
--ordered
    The classes are in order, such as grades.
--event
--percent
--missing
--normalize

[engine]
--memory SIZE
    Memory for reading files, such as 1GB; beyond it, the temporary folder is used.
--engine duckdb|dask|spark = duckdb
    What works on the files: this machine, or a cluster.
--scheduler ADDRESS
    Scheduler of Dask, such as tcp://HOST:8786. Left out, this machine works alone.
--master URL
    Master of Spark, such as spark://HOST:7077. Left out, this machine works alone.

[long]
--long COLUMNS
    The columns of a long table, such as question,forecaster,probability,outcome; of classes, as
    many columns of probabilities, such as p_a+p_b+p_c.
--opens COLUMN
    Column of when questions opened.
--closes COLUMN
    Column of when they were to close.
--resolved COLUMN
    Column of when their outcome was known.
--when COLUMN
    Column of the times that questions are about.
--repeated refuse|last|moments|mean-loss|pool = refuse
    What several forecasts of one question by one forecaster are: the last counts, each stands
    until the next, losses are averaged over time, or they are pooled.
--horizon SPAN
    With --repeated last: so long before the question closes, at the latest; a number, or 10d, 36h
    beside dates.
--only NAME...
    Forecaster to keep; may be given several times.

[score]
--rule
--within
--format table|json|csv|markdown|latex = table -> layout
    How to print.
--fail-if CONDITION... -> conditions
    Exit with 3 if this holds for a model: [MODEL:]NUMBER and a limit, such as "brier.upper>0.2",
    "forest:calibration.slope<0.8" or "auc<0.8"; or [MODEL] worse-than NAME [by RULE], or
    not-better-than, such as "worse-than baseline", where NAME is a model, a column, baseline or
    no-model; may be given several times.
--allow-missing
    Let conditions pass that cannot be evaluated, such as a limit on a number that does not exist.
--baseline FILE
    Compare with a stored result: the JSON of this command, or a page of report.
--recalibrated
    Also score each model as the best map would repair it, by cross-fitting, and say what that
    would save: slower.
--keep-forecasts -> keep
    Store forecasts in JSON, too: as a baseline, it is compared case by case.
--intervals
    Intervals of the parts, too, in CSV and JSON: slower.
--level
--replicates = 199
    Draws for --intervals.
--seed
--output
--force

[report]
--rule
--within
--show --id COLUMN...
    Column to show beside the worst cases, such as the patient's number; may be given several
    times.
--recalibrate MAP
    Whether models can be repaired: a section of the page, and sentences. MAP is auto, which is
    meant if it is left out, or the name of a map such as logistic.
--monitor FILE -> state
    The state of properly monitor: its evidence over time is a section of the page.
--title TEXT
    What stands above the page.
--cases TEXT = cases
    What the cases are, in the words of the verdict: people, flights.
--event-name TEXT = the event
    What may happen to them, in the words of the verdict: death, a delay.
--level
--replicates
--seed
--output FILE = report.html
    Where to write the page.
--figures FOLDER
    Also write figures for a paper into this folder.
--figure-format svg|png|pdf... = svg -> figure_formats
    How to write figures; may be given several times.
--force

[compare]
--rule RULE
    Rule to compare by, such as brier or log; auc for areas under the ROC curve. Left out, brier,
    or rps for ordered classes; with --within, the mean regret.
--within
--reference MODEL
    Compare every other model with this one, rather than all pairs.
--margin
    A difference of scores that does not matter; says whether models are as good as each other
    within it.
--format text|json|csv = text -> layout
    How to print.
--level
--seed
--output
--force

[gaps]
--missing refuse|drop|complete|pairwise|two-way = refuse ~ refuse; with --long, two-way
    What to do about rows with a missing value. Of forecasts that are missing: compare on the rows
    that all forecast, each pair on those that both did, or all models by effects of rows and
    models.

[check]
--format
--strict
    Exit with 1 for an oddity, too.

[board]
--rule RULE
    Rule to score by, such as brier or log. Left out, brier, or rps for ordered classes.
--reference NAME
    Forecaster to whom differences are, rather than to the leader.
--missing two-way|complete = two-way
    How to allow for gaps: by effects of questions and forecasters, or by the questions that all
    answered.
--ranks joint|each = joint
    Whether intervals of ranks hold for all at once, or each by itself.
--least = 10
    Who shares fewer questions with others is listed, not ranked.
--level
--seed
--relative-skill
    Add ratios of losses on common questions, averaged over pairs.
--baseline NAME
    Forecaster to whom relative skill is relative.
--peer
    Add peer and baseline scores, as platforms have them.
--crowd mean|median|log-odds
    Add a forecaster made of all of them, which is not ranked.
--scaled-to NAME=VALUE
    Add a constant to all scores, so that this forecaster has this one.
--bounds
    Add scores with missing losses as low, and as high, as can be.
--fair
    With --repeated pool: Brier scores as large ensembles would have them.

[leaderboard]
--format text|json|csv = text -> layout
    How to print.
--output FILE
    Where to write, rather than print: a page if it ends in .html, a picture if in .svg, .png or
    .pdf.
--force

[batches]
--outcome COLUMN
    Column of what happened; with --id, it may lack some, or all.
--forecast COLUMN...
    Column of probabilities; may be given several times, for several models.
--groups --group COLUMN
    Column of groups to watch, too; they share half of the error rate.
--clusters --cluster COLUMN
    Column of clusters of correlated cases, within a file; each counts as a case.
--event
--percent
--missing refuse|drop = refuse
    What to do about rows with a missing value; with --id, outcomes may follow.
--id COLUMN
    Column of the names of cases. Outcomes may then follow later, in a file without forecasts, and
    no case counts twice. Without it, rows read before are known by a checksum.

[monitor]
--state FILE
    Where the evidence is kept between runs; begun if it is not there.
--drop ID...
    A case whose outcome will never be known, for which later ones need not wait; may be given
    several times.
--against MODEL|NUMBER
    Watch also whether this is better at times than each other model: one of them, or always the
    same forecast, such as the event rate.
--rule RULE
    Rule that says what is better, such as brier, which is meant if it is left out.
--map [MODEL=]FILE... -> maps
    Watch forecasts recalibrated by this map; of several models, may be given several times.
--restart-after-alarm CASES -> run_length
    Begin anew after each alarm. False alarms are then at least so many cases apart on average,
    10000 if left out, and --level says nothing.
--lag CASES
    How many of the cases just before a case, or clusters, have no outcome yet when it is
    forecast: 0 for forecasts one step ahead, which is meant if it is left out, 4 for five steps
    ahead.
--level ~ 0.95
    One minus the probability of a false alarm, ever, of all claims together.
--format
--plot FILE
    Draw the evidence over the cases: an SVG, PNG or PDF file.
--output
--force

[fit columns]
--forecast COLUMN...
    Column of probabilities, of one model. With --classes, what columns begin with, or a pattern
    such as 'p({})'.
--groups --group COLUMN
    Column of groups: fits one line, and a shift for each group.

[fit]
--map KIND = auto -> kind
    Kind of map: EVENT_MAPS; of classes temperature, CLASS_MAPS. With auto, the
    simplest that is nearly as good as the best, if it helps.
--rule RULE
    Rule to judge by, such as brier. Left out, log, or brier where a certain forecast was wrong;
    with --within, the mean regret.
--within
--folds ~ 10, or 5 blocks of time
    Parts of the cases, each recalibrated by a map fitted to the others.
--always
    Write the best map even if none is recommended.
--format text|json|csv|markdown|latex = text -> layout
    How to print.
--level
--seed = 0 -> rng
    Seed of folds.
--output FILE
    Where to write the map, as JSON.
--force

[apply]
--map FILE -> stored
    The map, as JSON.
--forecast COLUMN
    Column of probabilities. For classes, what columns begin with, or a pattern such as 'p({})'.
--as COLUMN ~ COLUMN_recalibrated -> name
    What to call the new column; for classes, what new columns begin with.
--groups --group COLUMN
    Column of groups, for a map that differs by group.
--percent
--normalize
--missing refuse|keep = refuse
    What to do about rows without a forecast: keep leaves the new one empty.
--sql duckdb|postgres|bigquery|snowflake|spark -> dialect
    Print the map as an expression of SQL, and write nothing.
--output FILE
    Where to write the rows.
--force

[show]
--threshold NUMBER... -> thresholds
    Threshold of recalibrated forecasts; may be given several times.
--format

[recommend]
--decisions independent|budget
    Each case on its own, or only so many can be acted on.
--threshold fixed|range|unknown
    What is known of the risk at which one begins to act, or of the budget.
--ordered/--no-ordered
    Grades instead of an event.
--costs/--no-costs
    The cost of acting and the loss of a missed event are known in money.
--format text|json = text -> layout
    A page and a call, or JSON.

[audit]
--classes
    Number of classes; if left out, 2 for a rule that prices one event, else 3.
--format text|json = text -> layout
    Sentences or a table, or JSON.
--seed

[demo]
--output FILE ~ report.html
    Where to write the page.
--data FILE
    Where to write the data, as CSV.
--answers FILE
    Where to write a tournament, as CSV.
--force
"""

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


# From the table to click.

HEAD = re.compile(
    r"(?P<names>--\S+( --\S+)*)( (?P<value>(?![=~]|->).+?))?( = (?P<default>.+?))?"
    r"( ~ (?P<shown>.+?))?( -> (?P<python>\w+))?"
)
LONG = "Long tables, one row per answer"
WHOLE, INSIDE = click.IntRange(min=0), click.FloatRange(0, 1, min_open=True, max_open=True)
# What the table does not say, by the name of an option, alone or behind that of its section.
MORE: dict[str, dict[str, Any]] = {
    "--within": {"type": float, "nargs": 2, "callback": reading(as_range)},
    "--level": {"type": INSIDE},
    "--replicates": {"type": WHOLE},
    "--seed": {"type": WHOLE},
    "--least": {"type": WHOLE},
    "--lag": {"type": int},
    "--folds": {"type": click.IntRange(min=2)},
    "--margin": {"type": click.FloatRange(min=0, min_open=True)},
    "--memory": {"callback": reading(as_size)},
    "--date-format": {"callback": reading(as_date_format)},
    "--long": {"callback": reading(as_columns)},
    "--horizon": {"callback": reading(as_span)},
    "--fail-if": {"callback": reading(as_condition)},
    "--scaled-to": {"callback": reading(as_scale)},
    "--plot": {"callback": reading(as_picture)},
    "--recalibrate": {
        "is_flag": False,
        "flag_value": "auto",
        "callback": reading(as_map),
    },
    "--restart-after-alarm": {
        "is_flag": False,
        "flag_value": "10000",
        "callback": reading(as_run_length),
    },
    "--against": {"type": str},
    "compare --rule": {"type": RuleType("auc")},
    "monitor --state": {"required": True},
    "fit --map": {"type": MapName()},
    "apply --map": {"required": True},
    "apply --forecast": {"required": True},
    "recommend --ordered/--no-ordered": {"default": None},
    "recommend --costs/--no-costs": {"default": None},
    "show --threshold": {"type": INSIDE},
    "audit --classes": {"type": click.IntRange(min=2)},
    **{f"demo --{name}": {"type": click.Path(dir_okay=False)} for name in ("output", "data")},
    "demo --answers": {"type": click.Path(dir_okay=False)},
}


class OptionRow(NamedTuple):
    """A row of the table: the line of an option, and its help."""

    section: str
    line: str
    help: str

    @property
    def flag(self) -> str:
        """The first name of the option."""
        return self.line.split()[0]


@cache
def _table() -> dict[str, list[OptionRow]]:
    """Read the table, by section."""
    table: dict[str, list[OptionRow]] = {}
    named = TABLE.replace("EVENT_MAPS", ", ".join(EVENT_MAPS))
    named = named.replace("CLASS_MAPS", ", ".join(CLASS_MAPS))
    for section, text in re.findall(r"^\[(.+)\]\n((?:.+\n)+)", named, re.MULTILINE):
        heads = re.findall(r"^(--.+)\n((?: .+\n)*)", text, re.MULTILINE)
        table[section] = [
            OptionRow(section, line, " ".join(about.split())) for line, about in heads
        ]
    shared = {row.flag: row for row in (*table["evaluate"], *table["shared"])}
    return {
        section: [row if row.help else shared[row.flag] for row in rows]
        for section, rows in table.items()
    }


def options(*sections: str, but: Container[str] = ()) -> list[click.Parameter]:
    """Make the options of sections, except for some by their names; a later one replaces another.

    An option that an earlier section has, too, stays in its place there.
    """
    rows = {row.flag: row for section in sections for row in _table()[section]}
    return [_option(row) for flag, row in rows.items() if flag not in but]


def arguments(section: str, *also: str) -> list[str]:
    """Return the names in Python of the options that a section has, and others have as well."""
    others = [{row.flag for row in _table()[other]} for other in also]
    rows = [row for row in _table()[section] if all(row.flag in flags for flags in others)]
    return [str(_option(row).name) for row in rows]


def files(metavar: str = "FILES...", *, required: bool = True) -> click.Argument:
    """Describe the files that a command reads."""
    path = click.Path(allow_dash=True)
    return click.Argument(["paths"], metavar=metavar, nargs=-1, required=required, type=path)


def _option(row: OptionRow) -> click.Option:
    head = HEAD.fullmatch(row.line)
    assert head is not None  # noqa: S101 - a mistake in the table
    value, default = head["value"] or "", head["default"]
    is_multiple, metavar = value.endswith("..."), value.removesuffix("...") or None
    given: dict[str, Any] = {"help": row.help, "multiple": is_multiple, "metavar": metavar}
    if default is not None:
        given |= {"default": (default,) if is_multiple else default, "show_default": True}
    if head["shown"] is not None:
        given["show_default"] = head["shown"]
    more = MORE.get(f"{row.section} {row.flag}", MORE.get(row.flag, {}))
    given |= _kind(metavar, more)
    names = [*head["names"].split(), *([head["python"]] if head["python"] else [])]
    option = click.Option(names, **given | more)
    if row.section == "long":
        option.section = LONG  # type: ignore[attr-defined]
    return option


def _kind(metavar: str | None, more: dict[str, Any]) -> dict[str, Any]:
    """Say what the value of an option is, where the name of the value says it."""
    if metavar == "RULE":
        return {"type": RuleType()}
    if metavar is None and "type" not in more:
        return {"is_flag": True}
    if metavar is not None and "|" in metavar and "type" not in more:
        return {"type": click.Choice(metavar.split("|")), "metavar": None}
    return {}
