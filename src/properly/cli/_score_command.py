"""``properly score``: scores in many formats, and conditions for pipelines that are to stop."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from properly._boundary._record import ends_apart
from properly._boundary._text import wrapped
from properly.cli._baseline import Stored, against, keep_forecasts, read_stored
from properly.cli._chosen import Chosen
from properly.cli._engine import Large, evaluated, opened, refuse_without_rows
from properly.cli._formats import FORMATS, references_for
from properly.cli._gate import Condition, Failure, Gate, Versus, names_of, references
from properly.cli._option_table import EvaluateOptions
from properly.cli._running import as_json, emit, refuse, require_output
from properly.evaluation._evaluate import rules_of_task
from properly.evaluation._record import BY_MODEL, score_rows
from properly.evaluation._source import only
from properly.rules._registry import sources_of

if TYPE_CHECKING:
    from properly import Evaluation

PARTS = ("score", "skill", "miscalibration", "discrimination", "uncertainty")
PARTS_SOURCE = {"miscalibration, discrimination": ["corp"]}
# What JSON has of an evaluation beside the records of each model.
BESIDE = ("decompositions", "distances", "comparisons", "pairs")
RESAMPLED = ("miscalibration", "discrimination")
NOTHING = (math.nan, math.nan)


def columns_of_scores(evaluation: Evaluation) -> tuple[list[str], list[list[Any]]]:
    """Return the columns of `Evaluation.to_frame`, and the ends of drawn intervals if any."""
    rows = list(score_rows(evaluation))
    resampled = RESAMPLED if any(row.parts.intervals is not None for row in rows) else ()
    records = [
        {"model": row.model, "baseline": row.baseline, "rule": row.rule}
        | {part: float(getattr(row.parts, part)) for part in PARTS}
        | ends_apart({"score": row.interval})
        | ends_apart({part: getattr(row.parts.intervals, part, NOTHING) for part in resampled})
        for row in rows
    ]
    return list(records[0]), [list(record.values()) for record in records]


def cells_of_scores(evaluation: Evaluation) -> tuple[list[str], list[list[Any]]]:
    """Return what a person reads: rule by rule, the baselines in brackets."""
    rules = [rule.name for rule in evaluation.rules]
    rows = sorted(score_rows(evaluation), key=lambda row: rules.index(row.rule))
    head = ["rule", "model", "score", "lower", "upper", *PARTS[1:]]
    cells = [
        [
            row.rule,
            f"({row.model})" if row.baseline else row.model,
            float(row.parts.score),
            *row.interval,
            *(float(getattr(row.parts, part)) for part in PARTS[1:]),
        ]
        for row in rows
    ]
    return head, cells


FAILS = 3
MISSING = (
    "Hint: a condition that cannot be evaluated fails the build; --allow-missing lets it pass."
)


def run(
    layout: str,
    output: str | None,
    *,
    baseline: str | None,
    force: bool,
    allow_missing: bool,
    **options: Any,
) -> None:
    """Score, print or write scores, and exit with 3 if a condition fails."""
    require_output(output, force=force)
    if options["keep"] and layout != "json":
        refuse("--keep-forecasts is about --format json, which has room for them.")
    stored = None if baseline is None else read_stored(baseline)
    request = {name: options.pop(name) for name in EvaluateOptions.params}
    text, failures = _scored(layout, stored, request, **options)
    emit(text, output, force=force)
    for failure in failures:
        click.echo(str(failure), err=True)
    if allow_missing:
        failures = [failure for failure in failures if not failure.is_missing]
    elif any(failure.is_missing for failure in failures):
        click.echo(MISSING, err=True)
    if failures:
        click.get_current_context().exit(FAILS)


def _scored(
    layout: str,
    stored: Stored | None,
    request: dict[str, Any],
    *,
    conditions: tuple[Condition | Versus, ...],
    intervals: bool,
    keep: bool,
    **options: Any,
) -> tuple[str, list[Failure]]:
    """Score one row per case; return what is printed, and the conditions that fail."""
    with opened(beside=references(conditions, is_stored=stored is not None), **options) as chosen:
        beside = chosen.plan.beside
        models = tuple(name for name in chosen.forecasts if name not in beside)
        gate = Gate(conditions, models, beside, is_stored=stored is not None)
        names, fields = _require(gate, chosen, stored, request)
        needs = {"--keep-forecasts": keep, "A condition on gain": "repairs" in fields}
        if isinstance(chosen, Large) and any(needs.values()):
            refuse_without_rows(next(what for what in needs if needs[what]), chosen.engine)
        needed = _draws(layout, fields, request["replicates"], chosen.task, intervals=intervals)
        recalibrate = "auto" if "repairs" in fields else None
        with only(needed) as draws:
            request["replicates"] = draws
            evaluation = evaluated(chosen, recalibrate=recalibrate, **request)
    sections: dict[str, Any] = {}
    texts = [wrapped(repair.result.sentence) for repair in evaluation.repairs.values()]
    contrast = None
    if stored is not None:
        then = against(stored, evaluation, models, chosen, request["rng"])
        sections["against"], contrast = then.to_dict(), then.contrast
        texts.append(str(then))
    if keep and isinstance(chosen, Chosen):
        sections["stored"] = keep_forecasts(chosen)
    failures = list(gate.failures(evaluation, names, contrast))
    return _laid_out(evaluation, layout, sections, texts), failures


def _draws(
    layout: str, needs: dict[str, bool], draws: int, task: str, *, intervals: bool
) -> dict[str, int]:
    """Return the fields that are printed, or that conditions are about, with the draws of each."""
    if layout == "json":
        is_drawn = intervals or any(needs.values())
        needs = needs | dict.fromkeys((*BESIDE, *BY_MODEL[task == "binary"]), is_drawn)
    elif layout == "csv" and intervals:
        needs = needs | {"decompositions": True}
    return {name: takes * draws for name, takes in needs.items()}


def _require(
    gate: Gate, chosen: Chosen | Large, stored: Stored | None, request: Mapping[str, Any]
) -> tuple[Iterable[str], dict[str, bool]]:
    """Refuse, before the work, what conditions name in vain; tell whether they take draws."""
    judges = rules_of_task(chosen.task, request["rules"] or None, request["within"])[0]
    rules = [rule.name for rule in judges]
    if stored is not None:
        stored.require_like(chosen.task, request["level"], gate.models, rules)
    named = {"rules": request["rules"] or None, "within": request["within"]}
    classes = len(chosen.labels or ())
    return gate.require_names(rules, lambda fields: names_of(chosen.task, classes, fields, **named))


def _laid_out(
    evaluation: Evaluation, layout: str, sections: dict[str, Any], texts: list[str]
) -> str:
    if layout == "json":
        return as_json(evaluation.to_dict() | sections)
    if layout == "table":
        return "\n\n".join([evaluation.table(), *texts]) + "\n"
    for text in texts:
        # There is no room for another table.
        click.echo(text, err=True)
    rows = columns_of_scores(evaluation) if layout == "csv" else cells_of_scores(evaluation)
    sources = {rule.name: sources_of(repr(rule)) for rule in evaluation.rules} | PARTS_SOURCE
    return references_for(layout, sources) + FORMATS[layout](*rows)
