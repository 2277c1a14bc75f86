"""``properly recalibrate fit``: a map for forecasts, what it would save, and whether to use it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from properly._boundary._text import printable
from properly.cli._columns import PLACE, chosen
from properly.cli._commands import Described
from properly.cli._formats import FORMATS
from properly.cli._map_show import changes_nothing
from properly.cli._options import (
    FILES,
    RuleType,
    file_options_but,
    force_option,
    format_option,
    level_option,
    over_range,
    seed_option,
    within_option,
)
from properly.cli._running import emit, progress_bar, require_output
from properly.cli._wording import in_options
from properly.recalibration._map_registry import fitted_to

if TYPE_CHECKING:
    from properly import Interval
    from properly.cli._columns import Chosen
    from properly.recalibration import Map, Recalibrated
    from properly.rules import Rule

AUTO = "auto"
# Simplest first: for an event, and for classes alone.
EVENT_MAPS = tuple(kind.replace("_", "-") for kind in fitted_to("event"))
CLASS_MAPS = tuple(kind.replace("_", "-") for kind in fitted_to("classes") if kind != "temperature")
EXAMPLES = r"""
properly recalibrate fit crash.csv --outcome died --forecast logistic \
    --clusters cluster --output map.json
properly recalibrate fit crash.csv --outcome died --forecast forest \
    --map logistic --within 0.01 0.1 --output map.json
properly recalibrate fit crash.csv --outcome died --forecast boosting \
    --format csv
"""


class MapName(click.Choice):  # type: ignore[type-arg]  # generic in new versions only
    """The name of a map, with hyphens or underscores."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Take an underscore for a hyphen."""
        return super().convert(value.replace("_", "-"), param, ctx)


def fit() -> click.Command:
    """Describe ``properly recalibrate fit``."""
    return Described(
        "fit",
        callback=_fit,
        short_help="Fit a map, and say what it would save on new cases.",
        help=(
            "Fit a map from forecasts to better ones. Says what each kind of map would save on new "
            "cases, by cross-fitting, and which to use, if any. Without a recommendation the map "
            f"that is written leaves forecasts as they are. {FILES}"
        ),
        params=[*_file_options(), *_options()],
        examples=EXAMPLES,
    )


def _file_options() -> list[click.Parameter]:
    """Describe files and columns; forecasts are those of one model."""
    words = {
        "forecast": "Column of probabilities, of one model. With --classes, what columns begin "
        f"with, or a pattern such as 'p({PLACE})'.",
        "groups": "Column of groups: fits one line, and a shift for each group.",
    }
    options = file_options_but()
    for option in options:
        if option.name in words and isinstance(option, click.Option):
            option.help = words[option.name]
    return options


def _options() -> list[click.Parameter]:
    return [
        click.Option(
            ["--map", "kind"],
            type=MapName([AUTO, *EVENT_MAPS, *CLASS_MAPS]),
            default=AUTO,
            show_default=True,
            metavar="KIND",
            help=f"Kind of map: {', '.join(EVENT_MAPS)}; of classes temperature, "
            f"{', '.join(CLASS_MAPS)}. With auto, the simplest that is nearly as good as the best, "
            "if it helps.",
        ),
        click.Option(
            ["--rule"],
            type=RuleType(),
            metavar="RULE",
            help="Rule to judge by, such as brier. Left out, log, or brier where a certain "
            "forecast was wrong; with --within, the mean regret.",
        ),
        within_option(),
        click.Option(
            ["--folds"],
            type=click.IntRange(min=2),
            show_default="10, or 5 blocks of time",
            help="Parts of the cases, each recalibrated by a map fitted to the others.",
        ),
        click.Option(
            ["--always"], is_flag=True, help="Write the best map even if none is recommended."
        ),
        format_option("text", "json", *FORMATS),
        level_option(),
        seed_option("Seed of folds."),
        click.Option(["--output"], metavar="FILE", help="Where to write the map, as JSON."),
        force_option(),
    ]


def _fit(
    layout: str,
    output: str | None,
    kind: str,
    rule: Rule | None,
    *,
    within: Interval | None,
    folds: int | None,
    always: bool,
    level: float,
    seed: int,
    force: bool,
    **options: Any,
) -> None:
    require_output(output, force=force)
    _require_sense(kind, classes=options["classes"], groups=options["groups"])
    data = chosen(**options)
    judged = {"rule": over_range(rule, within), "within": within, "folds": folds, "level": level}
    result = fitted(data, kind, rng=seed, **judged)
    # What is asked for by name is written in any case.
    use = best_map(result) if always else _of_classes(result.map, result)
    emit(_laid_out(result, use, layout), None)
    if output is not None:
        use.save(output, overwrite=force)
    click.echo(_closing_words(result, use, output), err=layout != "text")


def fitted(data: Chosen, kind: str, **settings: Any) -> Recalibrated:
    """Fit and judge maps for the only model."""
    import properly

    name, groups = _only(data), {}
    use: str | Map = kind.replace("-", "_")
    if data.groups is not None:
        use, groups = properly.recalibration.GroupShift(), {"groups": data.groups}
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
        message = "--groups fits a map of its own kind; leave out --map."
        raise click.UsageError(message)
    if kind in CLASS_MAPS and classes is None:
        message = f"--map {kind} is about classes; give their labels by --classes."
        raise click.UsageError(message)
    if kind in EVENT_MAPS and kind != "temperature" and classes is not None:
        listed = ", ".join(("temperature", *CLASS_MAPS))
        message = f"--map {kind} is for one event; maps for classes are {listed}."
        raise click.UsageError(message)


def _only(data: Chosen) -> str:
    """Return the name of the only model; a map is of one."""
    name, *others = data.forecasts
    if others:
        message = f"A map is of one model; give one --forecast, such as --forecast {name!r}."
        raise click.UsageError(message)
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


def _laid_out(result: Recalibrated, use: Map, layout: str) -> str:
    if layout == "text":
        return "\n\n".join([str(result), *_remarks(result)]) + "\n"
    if layout == "json":
        record = result.to_dict() | {"map": use.to_dict()}
        del record["maps"]
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    head = ["map", "gain", "lower", "upper", "mean_change", "in_sample", "rule", "folds", "design"]
    rows = [
        [name, x.estimate, *x.interval, x.mean_change, x.in_sample, x.rule, x.folds, x.design]
        for name, x in result.gains.items()
    ]
    return FORMATS[layout](head, rows)


def _remarks(result: Recalibrated) -> list[str]:
    """Say how maps were judged, and which could not be."""
    gain = result.gain
    parts = {"cases": "folds", "times": "blocks of time"}
    how = f"{gain.folds} {parts.get(gain.design, 'folds of whole clusters')}"
    said = [f"Fitted to these cases, judged by {how}. Gains are of the {gain.rule} score."]
    said += [
        f"No {name.replace('_', ' ')} map: {in_options(reason)}."
        for name, reason in result.reasons.items()
    ]
    return ["\n".join(said)]
