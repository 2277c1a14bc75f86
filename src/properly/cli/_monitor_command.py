"""``properly monitor``: whether a model is still right, run after run, with a state in between."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

import properly
from properly._boundary._classes import require_columns
from properly._boundary._files import together, write_whole
from properly._boundary._record import plain
from properly._boundary._text import many, printable, wrapped
from properly.cli import _running as running
from properly.cli._chosen import Places, as_outcomes, say, without_percent
from properly.cli._column_plan import require_other_columns
from properly.cli._running import refuse, refuse_unknown
from properly.engines._files._read import Files, open_files
from properly.errors import DataError
from properly.evaluation._monitor._claims import Added
from properly.evaluation._monitor._monitor import alone
from properly.recalibration import Map, load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from properly import Monitor
    from properly.engines._files._checks import FileRows
    from properly.evaluation import Alarm
    from properly.typing import Column

ALARM = 3
# Options that are not called as what they set.
FLAGS = {"pos_label": "--event", "maps": "--map", "run_length": "--restart-after-alarm"}
COLUMNS = ("outcome", "forecast", "id", "clusters", "groups", "percent")
# Whole numbers that went through a column of floats.
FLOATED = re.compile(r"(-?[0-9]+)\.0+")


@dataclass(frozen=True)
class BatchColumns:
    """Which columns of a file hold what.

    Attributes
    ----------
    outcome : str
        The column of outcomes.
    forecast : tuple of str
        Those of forecasts, by which models are called.
    id, clusters, groups : str or None
        Those of what else is known of the cases.
    percent : bool
        Whether forecasts are in percent.
    """

    outcome: str
    forecast: tuple[str, ...]
    id: str | None = None
    clusters: str | None = None
    groups: str | None = None
    percent: bool = False

    def of(self, files: Files) -> BatchColumns:
        """Leave out what a file need not have; refuse one that lacks what it must have."""
        names = set(files.names)
        has_forecasts = bool(names & set(self.forecast))
        has_outcome = self.outcome in names
        beside = [x for x in (self.clusters, self.groups) if x is not None]
        needed = [] if self.id is None else [self.id]
        if self.id is None or has_forecasts or not has_outcome:
            needed += [*self.forecast, *beside]
        if self.id is None:
            needed.append(self.outcome)
        require_columns(needed, files.names, f"the file {printable(files.tables[0].file.name)}")
        kept = replace(self, outcome=self.outcome if has_outcome else "")
        return kept if has_forecasts else replace(kept, forecast=(), clusters=None, groups=None)

    @property
    def columns(self) -> list[str]:
        """All columns that are read, each once."""
        several = (self.id, self.outcome, *self.forecast, self.clusters, self.groups)
        return list(dict.fromkeys(name for name in several if name))


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
    running.require_packages(["duckdb", *["matplotlib"] * (plot is not None)])
    running.require_output(output, force=force)
    running.require_output(plot, force=force)
    running.require_output(state, force=True)
    with alone(state):
        watching, reading = _begun(state, paths, given)
        before = len(watching.alarms)
        added = list(feed(watching, reading, paths, missing))
        gone = None
        if drop and reading.id is None:
            message = "cases are given up by their ids; this state has none"
            raise DataError(message, hint="begin a state with --id COLUMN.")
        if drop:
            gone = watching.drop(list(dict.fromkeys(map(_plain, drop))))
        new = watching.alarms[before:]
        stands = watching.alarms if watching.options["run_length"] is None else new
        said = _laid_out(watching, layout, added, gone, new)
        if stands and layout == "text":
            said += f"\n{_advice(stands[-1], reading, watching.options)}"
        with together():
            if plot is not None:
                _draw(watching, plot, force=force)
            if output is not None:
                running.emit(said, output, force=force)
            if paths or drop:
                watching._write(Path(state))  # noqa: SLF001
    if output is None:
        running.emit(said, None)
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
        refuse(f"There is no state {printable(state)} yet; name files to begin it with.")
    watching = None if is_new else properly.Monitor.load(state)
    # Which columns are read is known to the command line only.
    stored = None if watching is None else watching._reading  # noqa: SLF001
    columns = {name: given[name] for name in COLUMNS}
    if stored is not None:
        named = {name: column for name, column in columns.items() if column}
        _require_same(state, named, stored)
        columns = stored | {"forecast": tuple(stored["forecast"])}
    elif not (columns["outcome"] and columns["forecast"]):
        refuse("A new state needs --outcome COLUMN and --forecast COLUMN.")
    else:
        require_other_columns(columns["outcome"], columns["forecast"])
    reading = BatchColumns(**columns)
    settings = _settings(given, reading.forecast)
    if watching is None:
        watching = properly.Monitor(**settings)
    else:
        _require_same(state, settings, watching.options)
    watching._reading = plain(asdict(reading))  # noqa: SLF001
    return watching, reading


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
        said = f"--against is a model that is watched, or a number; got {text!r}"
        refuse_unknown(said, text, models)


def _maps(given: tuple[str, ...], models: tuple[str, ...]) -> dict[str, Map]:
    """Read maps by model; of one model, its name may be left out."""
    maps: dict[str, Map] = {}
    for text in given:
        # A name may have an equals sign itself.
        named = [name for name in models if text.startswith(f"{name}=")]
        if not named and len(models) > 1:
            refuse(f"Of several models, write --map MODEL=FILE; got {text!r}.")
        name = max(named, key=len, default=models[0])
        if name in maps:
            refuse(f"One map a model; got --map for {name!r} again.")
        maps[name] = load(text.removeprefix(f"{name}=") if named else text)
    return maps


def _require_same(state: str, given: Mapping[str, Any], first: Mapping[str, Any]) -> None:
    """Refuse options that are others than those of the first run."""
    for name, value in given.items():
        new, old = _in_words(value), _in_words(first[name])
        if new == old:
            continue
        if name == "maps":
            new, old = "another", "that"
        is_new = "is given" if value is True else f"is {printable(str(new))}"
        begun = f"{printable(state)} was begun with{f' {printable(old)}' if old else 'out'}"
        option = FLAGS.get(name, f"--{name}")
        refuse(f"{option} {is_new}, but {begun}; leave it out, or begin another state.")


def _in_words(value: Any) -> str | None:
    """Write an option so that two that mean the same are the same; None if it is not given."""
    if value is None or value is False or isinstance(value, str):
        return value or None
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, list | tuple):
        return ", ".join(sorted(value))
    return json.dumps(plain(value), sort_keys=True) if isinstance(value, dict) else repr(value)


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
        return running.as_json(record)
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


def feed(
    monitor: Monitor, reading: BatchColumns, paths: Sequence[str], missing: str
) -> Iterator[tuple[str, Added]]:
    """Add files in turn, each a batch; name each with what became of its rows."""
    for path in paths:
        with open_files(path) as files:
            for table in files.tables:
                one = replace(files, tables=(table,))
                yield printable(table.file.name), _add(monitor, reading.of(one), one, missing)


def _add(monitor: Monitor, reading: BatchColumns, files: Files, missing: str) -> Added:
    if not files.count():
        return Added()
    # What is 12e4 in one file must not be 120000 in another, where all ids look like numbers.
    for name in (reading.id, reading.groups):
        if name is not None:
            files.keep_text(name)
    rows = files.read(reading.columns)
    if reading.percent:
        rows = without_percent(rows, reading.forecast)
    rows = rows.with_numbers(reading.forecast)
    columns, places = _without_gaps(rows, reading, missing)
    y = None
    if reading.outcome:
        gone = rows.missing[reading.outcome][places.kept]
        y = _outcomes(columns[reading.outcome], gone, reading.outcome, monitor.options["pos_label"])
    labels = {
        "ids": _labels(columns, reading.id),
        "clusters": None if reading.clusters is None else columns[reading.clusters],
        "groups": _labels(columns, reading.groups),
    }
    forecasts = {name: columns[name] for name in reading.forecast} or None
    with places.naming():
        return monitor.add(y, forecasts, **labels, once=reading.id is None)


def _without_gaps(
    rows: FileRows, reading: BatchColumns, missing: str
) -> tuple[dict[str, Column], Places]:
    """Refuse or drop rows that lack a value; outcomes may lack one, and follow by their ids."""
    may_lack = () if missing == "drop" and reading.id is None else (reading.outcome,)
    others = {name: gone for name, gone in rows.missing.items() if name not in may_lack}
    needed = replace(rows, missing=others)
    columns, dropped = needed.complete(missing)
    say(dropped)
    return columns, Places.of(needed, missing)


def _outcomes(y: Column, gone: Column, column: str, event: object) -> Column:
    """Read outcomes; None where there is none yet."""
    result = np.full(len(y), None, object)
    text = None if event is None else str(event)
    if gone.all():
        return result
    values, _, label = as_outcomes(y[~gone], column, text, None)
    known = values.tolist()
    if isinstance(event, str):
        # The state holds the label as text, whatever outcomes are.
        known = [event if x == label else str(x) for x in known]
    result[~gone] = known
    return result if gone.any() else np.array(known)


def _labels(columns: dict[str, Column], name: str | None) -> Column | None:
    """Return a column of names as text, those that are whole numbers without a point."""
    if name is None:
        return None
    result = np.empty(len(columns[name]), object)
    result[:] = [_plain(str(x)) for x in columns[name].tolist()]
    return result


def _plain(text: str) -> str:
    text = text.strip()
    return match[1] if (match := FLOATED.fullmatch(text)) else text
