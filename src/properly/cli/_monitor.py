"""``properly monitor``: whether a model is still right, run after run, with a state in between."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from properly._boundary._files import together
from properly._boundary._record import plain
from properly._boundary._tables import wrapped
from properly._boundary._text import many, printable
from properly.cli._columns import require_other_columns
from properly.cli._commands import Described
from properly.cli._options import (
    FILES,
    RuleType,
    file_options_but,
    force_option,
    format_option,
    level_option,
)
from properly.cli._running import emit, require_output, require_packages, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly import Monitor
    from properly.cli._batches import Reading
    from properly.evaluation import Added, Alarm
    from properly.recalibration import Map

ALARM = 3
PICTURES = ("svg", "png", "pdf")
COLUMNS = ("outcome", "forecast", "id", "clusters", "groups", "percent")
# Cases between false alarms, on average, of a monitor that restarts.
RUN_LENGTH = 10_000
EXAMPLES = r"""
properly monitor crash.csv --state watch.json --outcome died \
    --forecast logistic
properly monitor crash.csv --state watch.json --outcome died \
    --forecast boosting --forecast logistic --against logistic \
    --clusters cluster --plot watch.svg --format json
properly monitor crash.csv --state watch.json --outcome died \
    --forecast logistic --map map.json --restart-after-alarm 5000
"""


def monitor() -> click.Command:
    """Describe ``properly monitor``."""
    return Described(
        "monitor",
        callback=_monitor,
        help=(
            "Watch a model in production. Reads what is new, adds it to the evidence in the state, "
            "and says whether there is an alarm: whether forecasts are miscalibrated, or something "
            "is better at times. The evidence may be looked at after every case; a false alarm "
            "ever is as rare as --level says, if each forecast is right given the outcomes of all "
            "earlier cases except the last --lag. Without FILES, says how things stand. Exits with "
            "3 on an alarm: one that this run raised or, without --restart-after-alarm, any so "
            "far. What is said of columns and options at the first run holds for later ones, "
            f"where it may be left out. {FILES} Each is a batch."
        ),
        params=[*_file_options(), *_options()],
        examples=EXAMPLES,
    )


def _file_options() -> list[click.Parameter]:
    """Describe files and columns."""
    left_out = ("weight", "count", "strata", "time", "date_format", "classes", "ordered")
    words = {
        "outcome": "Column of what happened; with --id, it may lack some, or all.",
        "forecast": "Column of probabilities; may be given several times, for several models.",
        "groups": "Column of groups to watch, too; they share half of the error rate.",
        "clusters": "Column of clusters of dependent cases, within a file; each counts as a case.",
        "missing": "What to do about rows with a missing value; with --id, outcomes may follow.",
    }
    options = file_options_but(*left_out, "normalize")
    for option in options:
        if isinstance(option, click.Argument):
            option.required, option.metavar = False, "[FILES]..."
        elif option.name in words and isinstance(option, click.Option):
            option.help = words[option.name]
    return options


def _options() -> list[click.Parameter]:
    level = level_option()
    level.default, level.show_default = None, "0.95"
    level.help = "One minus the probability of a false alarm, ever, of all claims together."
    return [
        click.Option(
            ["--state"],
            metavar="FILE",
            required=True,
            help="Where the evidence is kept between runs; begun if it is not there.",
        ),
        click.Option(
            ["--id"],
            metavar="COLUMN",
            help="Column of the names of cases. Outcomes may then follow later, in a file without "
            "forecasts, and no case counts twice. Without it, rows read before are known by a "
            "checksum.",
        ),
        click.Option(
            ["--drop"],
            metavar="ID",
            multiple=True,
            help="A case whose outcome will never be known, for which later ones need not wait; "
            "may be given several times.",
        ),
        *_claims(),
        click.Option(
            ["--lag"],
            type=int,
            metavar="CASES",
            help="How many of the cases just before a case, or clusters, have no outcome yet when "
            "it is forecast: 0 for forecasts one step ahead, which is meant if it is left out, 4 "
            "for five steps ahead.",
        ),
        level,
        format_option("text", "json"),
        click.Option(
            ["--plot"],
            metavar="FILE",
            callback=_as_picture,
            help="Draw the evidence over the cases: an SVG, PNG or PDF file.",
        ),
        click.Option(["--output"], metavar="FILE", help="Where to write, rather than print."),
        force_option(),
    ]


def _claims() -> list[click.Parameter]:
    """Describe what is watched."""
    return [
        click.Option(
            ["--against"],
            metavar="MODEL|NUMBER",
            help="Watch also whether this is better at times than each other model: one of them, "
            "or always the same forecast, such as the event rate.",
        ),
        click.Option(
            ["--rule"],
            type=RuleType(),
            metavar="RULE",
            help="Rule that says what is better, such as brier, which is meant if it is left out.",
        ),
        click.Option(
            ["--map", "maps"],
            metavar="[MODEL=]FILE",
            multiple=True,
            help="Watch forecasts recalibrated by this map; of several models, may be given "
            "several times.",
        ),
        click.Option(
            ["--restart-after-alarm", "run_length"],
            is_flag=False,
            flag_value=str(RUN_LENGTH),
            metavar="CASES",
            callback=_as_run_length,
            help="Begin anew after each alarm. False alarms are then at least so many cases apart "
            f"on average, {RUN_LENGTH} if left out, and --level says nothing.",
        ),
    ]


def _as_picture(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Take a file whose ending says which picture it is."""
    if value is None or value.rpartition(".")[2].lower() in PICTURES:
        return value
    message = f"a picture is called .svg, .png or .pdf; got {value!r}."
    raise click.BadParameter(message, ctx, param)


def _as_run_length(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Take a number of cases; a file behind the option is none."""
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if 1 <= number < float("inf"):
        return number
    message = f"a number of cases, 1 or more, or nothing; got {value!r}. Name files before it."
    raise click.BadParameter(message, ctx, param)


def _monitor(
    state: str,
    paths: tuple[str, ...],
    layout: str,
    output: str | None,
    *,
    plot: str | None,
    force: bool,
    missing: str,
    drop: tuple[str, ...],
    **given: Any,
) -> None:
    from properly.cli._batches import feed, give_up
    from properly.evaluation._monitor._states import alone

    require_packages(["duckdb", *["matplotlib"] * (plot is not None)])
    require_output(output, force=force)
    require_output(plot, force=force)
    require_output(state, force=True)
    with alone(state):
        watching, reading = _begun(state, paths, given)
        before = len(watching.alarms)
        added = list(feed(watching, reading, paths, missing))
        gone = give_up(watching, reading, drop) if drop else None
        new = watching.alarms[before:]
        stands = watching.alarms if watching.options["run_length"] is None else new
        said = _laid_out(watching, layout, added, gone, new)
        if stands and layout == "text":
            said += f"\n{_advice(stands[-1], reading, watching.options)}"
        with together():
            if plot is not None:
                _draw(watching, plot, force=force)
            if output is not None:
                emit(said, output, force=force)
            if paths or drop:
                watching.save(state)
    if output is None:
        emit(said, None)
    if stands:
        click.get_current_context().exit(ALARM)


def _draw(watching: Monitor, path: str, *, force: bool) -> None:
    """Write a picture of the evidence, if there is any."""
    from properly._boundary._files import write_whole
    from properly.report._figures import picture

    if not watching.cases:
        click.echo(f"No case is counted yet; {printable(path)} is not drawn.", err=True)
        return
    kind = path.rpartition(".")[2].lower()
    write_whole(path, picture(watching, kind), overwrite=force)


def _begun(state: str, paths: tuple[str, ...], given: Mapping[str, Any]) -> tuple[Monitor, Reading]:
    """Read a state, or begin one."""
    import properly

    is_new = not Path(state).exists()
    if is_new and not paths:
        message = f"There is no state {printable(state)} yet; name files to begin it with."
        raise click.UsageError(message)
    watching = None if is_new else properly.Monitor.load(state)
    # Which columns are read is known to the command line only.
    stored = None if watching is None else watching._reading  # noqa: SLF001
    reading = _reading(given) if stored is None else _agreed(state, given, stored)
    settings = _settings(given, reading.forecast)
    if watching is None:
        watching = properly.Monitor(**settings)
    else:
        _require_like(state, settings, watching.options)
    watching._reading = plain(asdict(reading))  # noqa: SLF001
    return watching, reading


def _reading(given: Mapping[str, Any]) -> Reading:
    """Take the columns of a first run."""
    from properly.cli._batches import Reading

    if not (given["outcome"] and given["forecast"]):
        message = "A new state needs --outcome COLUMN and --forecast COLUMN."
        raise click.UsageError(message)
    require_other_columns(given["outcome"], given["forecast"])
    return Reading(**{name: given[name] for name in COLUMNS})


def _agreed(state: str, given: Mapping[str, Any], stored: Mapping[str, Any]) -> Reading:
    """Take the columns of the first run; refuse others."""
    from properly.cli._batches import Reading

    known = {**stored, "forecast": tuple(stored["forecast"])}
    for name in COLUMNS:
        value, was = given[name], known[name]
        if name == "forecast":
            value, was = (", ".join(sorted(x)) for x in (value, was))
        if value and value != was:
            raise _other(state, f"--{name}", value, was)
    return Reading(**known)


def _settings(given: Mapping[str, Any], models: tuple[str, ...]) -> dict[str, Any]:
    """Take what is given of the options of a monitor, by their names."""
    against, maps = given["against"], _maps(given["maps"], models)
    settings = {
        "level": given["level"],
        "against": None if against is None else _as_against(against, models),
        "rule": given["rule"],
        "maps": maps or None,
        "run_length": given["run_length"],
        "lag": given["lag"],
        "pos_label": given["event"],
    }
    return {name: value for name, value in settings.items() if value is not None}


def _as_against(text: str, models: tuple[str, ...]) -> str | float:
    """Take a model or a constant forecast."""
    if text in models:
        return text
    try:
        return float(text)
    except ValueError:
        message = f"--against is a model that is watched, or a number; got {text!r}"
        raise unknown(message, text, models) from None


def _maps(given: tuple[str, ...], models: tuple[str, ...]) -> dict[str, Map]:
    """Read maps by model; of one model, its name may be left out."""
    from properly.recalibration import load

    maps: dict[str, Map] = {}
    for text in given:
        # A name may have an equals sign itself.
        named = [name for name in models if text.startswith(f"{name}=")]
        if not named and len(models) > 1:
            message = f"Of several models, write --map MODEL=FILE; got {text!r}."
            raise click.UsageError(message)
        name = max(named, key=len, default=models[0])
        if name in maps:
            message = f"One map a model; got --map for {name!r} again."
            raise click.UsageError(message)
        maps[name] = load(text.removeprefix(f"{name}=") if named else text)
    return maps


def _require_like(state: str, given: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuse options that are others than those of the first run."""
    for name, value in given.items():
        new, old = (_in_words(x) for x in (value, options[name]))
        if new != old:
            option = {"pos_label": "--event", "maps": "--map"}.get(name, f"--{name}")
            option = "--restart-after-alarm" if name == "run_length" else option
            raise _other(state, option, *(("another", "that") if name == "maps" else (new, old)))


def _in_words(value: Any) -> str | None:
    """Write an option so that two that mean the same are the same."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, dict):
        return json.dumps(plain(value), sort_keys=True)
    return repr(value)


def _other(state: str, option: str, new: object, old: object) -> click.UsageError:
    """Refuse an option that is another than that of the first run."""
    shown = printable(state)
    begun = f"{shown} was begun with {printable(str(old))}" if old else f"{shown} was begun without"
    is_new = "is given" if new is True else f"is {printable(str(new))}"
    message = f"{option} {is_new}, but {begun}; leave it out, or begin another state."
    return click.UsageError(message)


def _laid_out(
    watching: Monitor,
    layout: str,
    added: list[tuple[str, Added]],
    gone: int | None,
    new: tuple[Alarm, ...],
) -> str:
    if layout == "json":
        files = [{"file": name, **one._asdict()} for name, one in added]
        record = {"added": files, "given_up": gone or 0, "raised": plain(list(new))}
        record |= watching.to_dict()
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    said = [f"{name}: {one}." for name, one in added]
    if gone is not None:
        said.append(f"{many(gone, 'case')} given up.")
    return "\n".join([*said, *[""] * bool(said), str(watching)]) + "\n"


def _advice(alarm: Alarm, reading: Reading, options: Mapping[str, Any]) -> str:
    """Say what to do about an alarm."""
    against, names = options["against"], [alarm.model]
    if alarm.about == "comparison" and isinstance(against, str):
        names.append(against)
        what, command, last = "compare them on recent cases", "compare", []
    else:
        what = "fit a map to some hundred cases from after the change, and watch it in a new state"
        command, last = "recalibrate fit", ["--output map.json"]
    given = [
        ("--outcome", reading.outcome),
        *(("--forecast", name) for name in names),
        ("--clusters", reading.clusters),
        ("--event", options["pos_label"]),
    ]
    said = [f"{option} {shlex.quote(printable(str(x)))}" for option, x in given if x is not None]
    said += ["--percent"] * reading.percent + last
    return (
        f"{wrapped(f'What to do: {what}.')}\n\n  properly {command} recent.csv {' '.join(said)}\n"
    )
