"""``properly recalibrate fit``: a map for forecasts, what it would save, and whether to use it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

import properly
from properly._boundary._text import printable
from properly.cli._chosen import Chosen, read_chosen
from properly.cli._formats import FORMATS, references_for
from properly.cli._option_table import AUTO, CLASS_MAPS, EVENT_MAPS
from properly.cli._running import as_json, emit, over_range, progress_bar, refuse, require_output
from properly.cli._show_command import changes_nothing
from properly.cli._wording import in_options
from properly.rules import Rule
from properly.rules._registry import sources_of

if TYPE_CHECKING:
    from properly import Interval
    from properly.recalibration import Map, Recalibrated


def run(
    layout: str,
    output: str | None,
    kind: str,
    rule: Rule | None,
    *,
    within: Interval | None,
    always: bool,
    force: bool,
    folds: int | None,
    level: float,
    rng: int,
    **options: Any,
) -> None:
    require_output(output, force=force)
    _require_sense(kind, classes=options["classes"], groups=options["groups"])
    data = read_chosen(**options)
    judged = {"folds": folds, "level": level, "rng": rng}
    rule = over_range(rule, within)
    result = fitted(data, kind, rule=rule, within=within, **judged)
    # What is asked for by name is written in any case.
    use = best_map(result) if always else _of_classes(result.map, result)
    emit(_laid_out(result, use, layout, rule))
    if output is not None:
        use.save(output, overwrite=force)
    click.echo(_closing_words(result, use, output), err=layout != "text")


def fitted(data: Chosen, kind: str, **settings: Any) -> Recalibrated:
    """Fit and judge maps for the only model."""
    name, groups = _only(data), {}
    use: str | Map = kind.replace("-", "_")
    if "groups" in data.roles:
        use, groups = properly.recalibration.GroupShift(), {"groups": data.roles["groups"]}
    with progress_bar() as progress, data.places.naming():
        return properly.recalibrate(
            data.y,
            data.forecasts[name],
            use,
            **data.arguments,
            **groups,
            **settings,
            name=name,
            progress=progress,
        )


def _require_sense(kind: str, *, classes: str | None, groups: str | None) -> None:
    """Refuse, before files are read, a map of another kind than the forecasts."""
    if groups is not None and kind != AUTO:
        refuse("--groups fits a map of its own kind; leave out --map.")
    if kind in CLASS_MAPS and classes is None:
        refuse(f"--map {kind} is about classes; give their labels by --classes.")
    if kind in EVENT_MAPS and kind != "temperature" and classes is not None:
        listed = ", ".join(("temperature", *CLASS_MAPS))
        refuse(f"--map {kind} is for one event; maps for classes are {listed}.")


def _only(data: Chosen) -> str:
    """Return the name of the only model; a map is of one."""
    name, *others = data.forecasts
    if others:
        refuse(f"A map is of one model; give one --forecast, such as --forecast {name!r}.")
    return name


def _of_classes(use: Map, result: Recalibrated) -> Map:
    """Write what changes nothing as a map for classes, if it is of these."""
    temperature = result.maps.get("temperature")
    if use.kind != "identity" or temperature is None or temperature.of != "classes":
        return use
    return replace(temperature, slope=1.0, gain=result.gain.stored(), notices=())  # type: ignore[call-arg]


def best_map(result: Recalibrated) -> Map:
    """Return the map that was chosen, or else that which would save most."""
    if result.recommended or not result.gains:
        return result.map
    return replace(result.maps[result.best], gain=result.gains[result.best].stored())


def _closing_words(result: Recalibrated, use: Map, output: str | None) -> str:
    """Say where the map is, and that it changes nothing or is not recommended."""
    if output is None:
        return "No file was written; --output FILE stores the map."
    where = f"The map is in {printable(output)}"
    if changes_nothing(use):
        return (
            f"{where}: it leaves forecasts as they are, since no map is recommended. --always "
            "writes the best one, --map another."
        )
    return f"{where}." if result.recommended else f"{where}, although it is not recommended."


def _laid_out(result: Recalibrated, use: Map, layout: str, rule: Rule | None) -> str:
    if layout == "text":
        return f"{result}\n\n{_remarks(result)}\n"
    if layout == "json":
        record = result.to_dict() | {"map": use.to_dict()}
        del record["maps"]
        return as_json(record)
    head = ["map", "gain", "lower", "upper", "mean_change", "in_sample", "rule", "folds", "design"]
    rows = [
        [name, x.estimate, *x.interval, x.mean_change, x.in_sample, x.rule, x.folds, x.design]
        for name, x in result.gains.items()
    ]
    sources = {"rule": sources_of(repr(rule or result.gain.rule)), "gain": ["folds", "overlap"]}
    return references_for(layout, sources) + FORMATS[layout](head, rows)


def _remarks(result: Recalibrated) -> str:
    """Say how maps were judged, and which could not be."""
    gain = result.gain
    parts = {"cases": "folds", "times": "blocks of time"}
    how = f"{gain.folds} {parts.get(gain.design, 'folds of whole clusters')}"
    said = [f"Fitted to these cases, judged by {how}. Gains are of the {gain.rule} score."]
    said += [
        f"No {name.replace('_', ' ')} map: {in_options(reason)}."
        for name, reason in result.reasons.items()
    ]
    return "\n".join(said)
