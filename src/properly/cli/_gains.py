"""What recalibration would save of each model that is scored, and honest rows of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from properly._boundary._record import plain
from properly._boundary._tables import wrapped
from properly._boundary._text import printable
from properly.cli._running import progress_bar
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from properly.cli._chosen import Chosen
    from properly.recalibration import Recalibrated
    from properly.rules import Rule


@dataclass(frozen=True, eq=False)
class ModelGains:
    """What recalibration would save, by model.

    Attributes
    ----------
    results : dict of Recalibrated
        By model.
    reasons : dict of str
        By model, why nothing can be said of it.
    """

    results: Mapping[str, Recalibrated]
    reasons: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as conditions and JSON have them, by model."""
        numbers = {name: _numbers(result) for name, result in self.results.items()}
        numbers |= {name: _absent(why) for name, why in self.reasons.items()}
        record: dict[str, Any] = plain({"gains": numbers})
        return record

    def __str__(self) -> str:
        """Say it of one model after the other."""
        said = [x.sentence for x in self.results.values()]
        said += [f"No map for {printable(name)}: {why}." for name, why in self.reasons.items()]
        return "\n".join(map(wrapped, said))


def _numbers(result: Recalibrated) -> dict[str, Any]:
    """Return the gain; where nothing changes, or all does, its interval is the gain itself."""
    gain = result.gain
    ends = gain.interval if not math.isnan(gain.interval[0]) else (gain.estimate, gain.estimate)
    words = {"map": result.chosen, "recommended": result.recommended, "rule": gain.rule}
    numbers = {"value": gain.estimate, "interval": list(ends)}
    numbers |= {name: getattr(gain, name) for name in ("mean_change", "in_sample", "folds")}
    return words | numbers | {"design": gain.design, "sentence": result.sentence}


def _absent(why: str) -> dict[str, Any]:
    return {"value": None, "interval": [None, None], "reason": why}


def find_gains(
    chosen: Chosen, models: Iterable[str], request: Mapping[str, Any], *, is_needed: bool
) -> ModelGains:
    """Find what recalibration would save; refuse what cannot be judged only if rows need it."""
    import properly

    rule = _first_rule(chosen, request)
    results, reasons = {}, {}
    with progress_bar() as progress:
        for name in models:
            try:
                results[name] = properly.recalibrate(
                    chosen.y,
                    chosen.forecasts[name],
                    rule=rule,
                    level=request["level"],
                    rng=request["rng"],
                    name=name,
                    progress=progress,
                    **chosen.arguments,
                )
            except DataError as error:
                if is_needed:
                    raise
                reasons[name] = str(error).partition("\n")[0]
    return ModelGains(results, reasons)


def _first_rule(chosen: Chosen, request: Mapping[str, Any]) -> Rule | None:
    """Return the rule that models are judged by first, if it can judge a map."""
    from properly.evaluation._evaluate import rules_of_classes, rules_of_event

    rules, within = request["rules"] or None, request["within"]
    rule: Rule
    if chosen.task == "binary":
        rule = rules_of_event(rules, within)[1]
    else:
        rule = rules_of_classes(rules, chosen.task)[0]
    return rule if rule.is_proper else None


def honest_names(models: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Name the rows of recalibrated models; refuse names that are taken."""
    names = {name: f"{name} (recalibrated)" for name in models}
    for name in names.values():
        if name in taken:
            message = f"--recalibrated adds {name!r}, but there is a model of that name already."
            raise click.UsageError(message)
    return names


def with_honest_rows(
    chosen: Chosen, names: Mapping[str, str], gains: ModelGains, seed: int
) -> Chosen:
    """Add forecasts that were each recalibrated by a map fitted without its case."""
    import properly

    chosen, made = chosen.repeated(), {}
    for name, new in names.items():
        result = gains.results[name]
        fitted = result.maps[result.best]
        cases = properly.Cases(chosen.y, chosen.forecasts[name], **chosen.arguments)
        made[new] = properly.cross_fit(cases, fitted, rng=seed).p
    return replace(chosen, forecasts=chosen.forecasts | made)
