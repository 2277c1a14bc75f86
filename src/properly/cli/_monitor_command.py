"""``properly monitor``: whether a model is still right, run after run, with a state in between."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import properly
from properly._boundary._files import together, write_whole
from properly._boundary._record import plain
from properly._boundary._tables import wrapped
from properly._boundary._text import many, printable
from properly.cli._batches import BatchColumns, feed, give_up
from properly.cli._column_plan import require_other_columns
from properly.cli._running import as_json, emit, require_output, require_packages, unknown
from properly.evaluation._monitor._states import alone
from properly.recalibration import load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly import Monitor
    from properly.evaluation import Alarm
    from properly.evaluation._monitor._claims import Added
    from properly.recalibration import Map

ALARM = 3
COLUMNS = ("outcome", "forecast", "id", "clusters", "groups", "percent")


def run(
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
    from properly.report._figures import picture

    if not watching.cases:
        click.echo(f"No case is counted yet; {printable(path)} is not drawn.", err=True)
        return
    kind = path.rpartition(".")[2].lower()
    write_whole(path, picture(watching, kind), overwrite=force)


def _begun(
    state: str, paths: tuple[str, ...], given: Mapping[str, Any]
) -> tuple[Monitor, BatchColumns]:
    """Read a state, or begin one."""
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


def _reading(given: Mapping[str, Any]) -> BatchColumns:
    """Take the columns of a first run."""
    if not (given["outcome"] and given["forecast"]):
        message = "A new state needs --outcome COLUMN and --forecast COLUMN."
        raise click.UsageError(message)
    require_other_columns(given["outcome"], given["forecast"])
    return BatchColumns(**{name: given[name] for name in COLUMNS})


def _agreed(state: str, given: Mapping[str, Any], stored: Mapping[str, Any]) -> BatchColumns:
    """Take the columns of the first run; refuse others."""
    known = {**stored, "forecast": tuple(stored["forecast"])}
    for name in COLUMNS:
        value, was = given[name], known[name]
        if name == "forecast":
            value, was = (", ".join(sorted(x)) for x in (value, was))
        if value and value != was:
            raise _other(state, f"--{name}", value, was)
    return BatchColumns(**known)


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
        return as_json(record)
    said = [f"{name}: {one}." for name, one in added]
    if gone is not None:
        said.append(f"{many(gone, 'case')} given up.")
    return "\n".join([*said, *[""] * bool(said), str(watching)]) + "\n"


def _advice(alarm: Alarm, reading: BatchColumns, options: Mapping[str, Any]) -> str:
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
