"""``properly compare``: whether one model is better than another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import click

import properly
from properly._boundary._record import ends_apart
from properly.cli._chosen import GAPS, read_chosen
from properly.cli._column_plan import taken_long
from properly.cli._command_table import CompareCommand
from properly.cli._engine import Large, opened, refuse_without_rows, summed
from properly.cli._formats import as_csv
from properly.cli._running import (
    as_json,
    emit,
    over_range,
    progress_bar,
    refuse,
    refuse_unknown,
    require_output,
)
from properly.evaluation._summed_scores import compare_sums
from properly.rules import RPS, Brier, Regret, Rule

if TYPE_CHECKING:
    from properly import Interval
    from properly.comparison import Comparison


def run(
    layout: str,
    output: str | None,
    *,
    force: bool,
    within: Interval | None,
    missing: str,
    **options: Any,
) -> None:
    """Compare models, and print or write the differences."""
    require_output(output, force=force)
    settings = {name: options.pop(name) for name in CompareCommand.own if name in options}
    own = taken_long(options, *settings, "layout", "output", "force", "missing")
    if own is not None:
        comparison = _compared_answers(own, options, missing=_of_gaps(missing), **settings)
    else:
        with opened(missing=missing, **options) as data:
            _require_reference(settings["reference"], "model", data.forecasts)
            settings["rule"] = _over(settings["rule"], within, data.task)
            if isinstance(data, Large):
                comparison = _compared_by_sums(data, **settings)
            else:
                settings |= {"missing": missing if missing in GAPS else "refuse"}
                comparison = properly.compare(data.y, data.forecasts, **settings, **data.arguments)
    emit(_laid_out(comparison, layout), output, force=force)


def _require_reference(name: str | None, what: str, choices: Collection[str]) -> None:
    if name is not None and name not in choices:
        refuse_unknown(f"--reference is a {what} that is compared; got {name!r}", name, choices)


def _of_gaps(given: str) -> str:
    """Say how to allow for gaps in a long table; rows are never dropped for them."""
    context = click.get_current_context()
    if context.get_parameter_source("missing") is click.core.ParameterSource.DEFAULT:
        return "two-way"
    if given not in GAPS:
        refuse(f"--missing {given} does not go with --long; give {', '.join(GAPS)}.")
    return given


def _compared_answers(
    own: Mapping[str, Any],
    options: Mapping[str, Any],
    rule: Rule | Literal["auc"] | None,
    **settings: Any,
) -> Comparison:
    """Compare forecasters who answered different questions."""
    long = read_chosen(own, **options)
    answers = long.answers()
    _require_reference(settings["reference"], "forecaster", answers.forecasters)
    return properly.compare(answers, rule=_over(rule, None, long.task), **settings)


def _compared_by_sums(
    data: Large,
    rule: Rule | Literal["auc"],
    *,
    reference: str | None,
    margin: float | None,
    **settings: Any,
) -> Comparison:
    """Compare the models of a large file, rule by rule and all pairs."""
    if isinstance(rule, str):
        refuse_without_rows("--rule auc", data.engine)
    for option, value in {"--reference": reference, "--margin": margin}.items():
        if value is not None:
            refuse_without_rows(option, data.engine)
    with progress_bar() as progress:
        summary = summed(data, [rule], progress)
    return compare_sums(summary.sums, rule, **settings)


def _over(
    rule: Rule | Literal["auc"] | None, within: Interval | None, task: str
) -> Rule | Literal["auc"]:
    """Look at a range of thresholds only, if there is one and the rule has thresholds."""
    if rule is None and within is not None and task not in ("ordinal", "multiclass"):
        return Regret(within)
    rule = rule or (RPS() if task == "ordinal" else Brier())
    if isinstance(rule, str):
        if within is not None:
            refuse("--within is about a rule; an area under the ROC curve has no thresholds")
        return rule
    return over_range(rule, within) or rule


def _laid_out(comparison: Comparison, layout: str) -> str:
    if layout == "text":
        return f"{comparison}\n"
    if layout == "json":
        return as_json(comparison.to_dict())
    rows = [ends_apart(asdict(pair), "interval") for pair in comparison]
    return as_csv(tuple(rows[0]), [tuple(row.values()) for row in rows])
