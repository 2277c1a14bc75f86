"""``properly score``: scores in many formats, and conditions for pipelines that are to stop."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import click

from properly.cli._baseline import against, keep_forecasts, read_stored
from properly.cli._columns import Chosen
from properly.cli._commands import Described
from properly.cli._engine import Large, engine_options, opened, refuse_without_rows
from properly.cli._formats import FORMATS
from properly.cli._gains import find_gains, honest_names, with_honest_rows
from properly.cli._gate import ConditionType, Gate, names_of, references
from properly.cli._long import long_options, taken_long
from properly.cli._options import (
    FILES,
    evaluated,
    file_options,
    force_option,
    format_option,
    level_option,
    replicates_option,
    rule_option,
    seed_option,
    within_option,
)
from properly.cli._own_scores import own_scores
from properly.cli._running import emit, require_output

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly import Evaluation
    from properly.cli._baseline import Against, Stored
    from properly.cli._gains import Gains
    from properly.cli._gate import Condition, Versus, Vocabulary


PARTS = ("score", "skill", "miscalibration", "discrimination", "uncertainty")
RESAMPLED = ("miscalibration", "discrimination")
NOTHING = (math.nan, math.nan)


def columns_of_scores(evaluation: Evaluation) -> tuple[list[str], list[list[Any]]]:
    """Return the columns of `Evaluation.to_frame`, and the ends of drawn intervals if any."""
    from properly.evaluation._record import score_rows

    rows = list(score_rows(evaluation))
    resampled = RESAMPLED if any(row.parts.intervals is not None for row in rows) else ()
    head = ["model", "baseline", "rule", *PARTS]
    for part in ("score", *resampled):
        head += [f"{part}_lower", f"{part}_upper"]
    cells = [
        [
            *(row.model, row.baseline, row.rule),
            *(float(getattr(row.parts, part)) for part in PARTS),
            *row.interval,
            *(end for part in resampled for end in getattr(row.parts.intervals, part, NOTHING)),
        ]
        for row in rows
    ]
    return head, cells


def cells_of_scores(evaluation: Evaluation) -> tuple[list[str], list[list[Any]]]:
    """Return what a person reads: rule by rule, the baselines in brackets."""
    from properly.evaluation._record import score_rows

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
EXAMPLES = r"""
properly score crash.csv --outcome died --forecast logistic --within 0.01 0.1
properly score crash.csv --outcome died --forecast forest --format json
properly score crash.csv --outcome died --forecast forest \
    --rule brier --fail-if "brier.upper>0.2" --fail-if "worse-than logistic"
properly score crash.csv --outcome died --forecast logistic --format json \
    --keep-forecasts
properly score crash.csv --outcome died --forecast forest --memory 1GB
properly score crash.csv --outcome died --forecast logistic \
    --clusters cluster --recalibrated --fail-if "gain.lower>0"
properly score crash.csv --outcome severity --forecast severity_probability \
    --classes none,possible,nonincapacitating,incapacitating,killed \
    --ordered --missing drop
properly score tournament.csv --rule brier \
    --long question,forecaster,probability,outcome
"""


def score() -> click.Command:
    """Describe ``properly score``."""
    return Described(
        "score",
        callback=_score,
        help=(
            "Score forecasts: mean loss, skill, miscalibration, discrimination and uncertainty by "
            "model and rule, beside forecasts that need no model. Lower scores are better. Exits "
            f"with 3 if a condition given by --fail-if holds or cannot be evaluated. {FILES}"
        ),
        params=[*file_options(), *engine_options(), *_options(), *long_options()],
        examples=EXAMPLES,
    )


def _options() -> list[click.Parameter]:
    return [
        rule_option(),
        within_option(),
        format_option("table", "json", *FORMATS),
        click.Option(
            ["--fail-if", "conditions"],
            type=ConditionType(),
            multiple=True,
            metavar="CONDITION",
            help="Exit with 3 if this holds for a model: [MODEL:]NUMBER and a limit, such as "
            '"brier.upper>0.2", "forest:calibration.slope<0.8" or "auc<0.8"; or [MODEL] '
            'worse-than NAME [by RULE], or not-better-than, such as "worse-than baseline", where '
            "NAME is a model, a column, baseline or no-model; may be given several times.",
        ),
        click.Option(
            ["--allow-missing"],
            is_flag=True,
            help="Let conditions pass that cannot be evaluated, such as a limit on a number that "
            "does not exist.",
        ),
        *_more_options(),
        level_option(),
        replicates_option("Draws for --intervals."),
        seed_option(),
        click.Option(["--output"], metavar="FILE", help="Where to write, rather than print."),
        force_option(),
    ]


def _more_options() -> list[click.Parameter]:
    """Describe what else is scored, stored and compared with."""
    return [
        click.Option(
            ["--baseline"],
            metavar="FILE",
            help="Compare with a stored result: the JSON of this command, or a page of report.",
        ),
        click.Option(
            ["--recalibrated"],
            is_flag=True,
            help="Also score each model as the best map would repair it, by cross-fitting, and say "
            "what that would save: slower.",
        ),
        click.Option(
            ["--keep-forecasts", "keep"],
            is_flag=True,
            help="Store forecasts in JSON, too: as a baseline, it is compared case by case.",
        ),
        click.Option(
            ["--intervals"],
            is_flag=True,
            help="Intervals of the parts, too, in CSV and JSON: slower.",
        ),
    ]


def _score(
    layout: str,
    output: str | None,
    conditions: tuple[Condition | Versus, ...],
    baseline: str | None,
    *,
    force: bool,
    allow_missing: bool,
    intervals: bool,
    replicates: int,
    keep: bool,
    recalibrated: bool,
    **options: Any,
) -> None:
    require_output(output, force=force)
    _require_room(layout, keep=keep)
    stored = None if baseline is None else read_stored(baseline)
    request = {name: options.pop(name) for name in ("rules", "within", "level", "seed")}
    request["rules"] = request["rules"] or None
    own = taken_long(options, "rules", "level", "layout", "output", "force")
    if own is not None:
        given = {name: request[name] for name in ("rules", "level")}
        emit(own_scores(own, layout, **given, **options), output, force=force)
        return
    with opened(beside=references(conditions, is_stored=stored is not None), **options) as chosen:
        _refuse_large(chosen, {"--keep-forecasts": keep, "--recalibrated": recalibrated})
        models = tuple(name for name in chosen.forecasts if name not in chosen.beside)
        honest = honest_names(models, chosen.forecasts) if recalibrated else {}
        others = (*chosen.beside, *honest.values())
        gate = Gate(conditions, models, others, is_stored=stored is not None)
        vocabulary = _require(gate, chosen, stored, request)
        draws = replicates if vocabulary.takes_draws or intervals else 0
        gains, judged = _gains(chosen, models, honest, vocabulary, request)
        evaluation = evaluated(judged, replicates=draws, **request)
    beside = None
    if stored is not None:
        beside = against(stored, evaluation, models, chosen, request["seed"])
    kept = keep_forecasts(chosen) if keep and isinstance(chosen, Chosen) else None
    sections = _sections(gains, beside, kept)
    contrast = None if beside is None else beside.contrast
    failures = list(gate.failures(evaluation, vocabulary, contrast, sections))
    texts = [str(x) for x in (gains, beside) if x is not None]
    emit(_laid_out(evaluation, layout, sections, texts), output, force=force)
    for failure in failures:
        click.echo(str(failure), err=True)
    is_missing = any(failure.is_missing for failure in failures)
    if is_missing and not allow_missing:
        click.echo(MISSING, err=True)
    if allow_missing:
        failures = [failure for failure in failures if not failure.is_missing]
    if failures:
        click.get_current_context().exit(FAILS)


def _require_room(layout: str, *, keep: bool) -> None:
    if keep and layout != "json":
        message = "--keep-forecasts is about --format json, which has room for them."
        raise click.UsageError(message)


def _refuse_large(chosen: Chosen | Large, given: Mapping[str, bool]) -> None:
    """Refuse options that need the rows, if these are elsewhere."""
    for option, is_given in given.items():
        if is_given and isinstance(chosen, Large):
            refuse_without_rows(option, chosen.engine)


def _gains(
    chosen: Chosen | Large,
    models: tuple[str, ...],
    honest: Mapping[str, str],
    vocabulary: Vocabulary,
    request: Mapping[str, Any],
) -> tuple[Gains | None, Chosen | Large]:
    """Find what recalibration would save, and add rows of it, where that is asked for."""
    if not (honest or vocabulary.takes_maps):
        return None, chosen
    _refuse_large(chosen, {"A condition on gain": True})
    if isinstance(chosen, Large):
        return None, chosen
    gains = find_gains(chosen, models, request, is_needed=bool(honest))
    return gains, with_honest_rows(chosen, honest, gains, request["seed"])


def _sections(
    gains: Gains | None, beside: Against | None, kept: dict[str, Any] | None
) -> dict[str, Any]:
    """Return what JSON has besides the evaluation."""
    sections = {} if gains is None else gains.to_dict()
    sections |= {} if beside is None else {"against": beside.to_dict()}
    return sections | ({} if kept is None else {"stored": kept})


def _require(
    gate: Gate, chosen: Chosen | Large, stored: Stored | None, request: Mapping[str, Any]
) -> Vocabulary:
    """Refuse, before the work, what conditions name in vain; tell whether they take draws."""
    from properly.evaluation._evaluate import rules_of_task

    rules = [rule.name for rule in rules_of_task(chosen.task, request["rules"], request["within"])]
    if stored is not None:
        stored.require_like(chosen.task, request["level"], gate.models, rules)
    named = {name: request[name] for name in ("rules", "within")}
    classes = len(chosen.labels or ())
    return gate.require_names(
        rules, lambda draws: names_of(chosen.task, classes, replicates=draws, **named)
    )


def _laid_out(
    evaluation: Evaluation, layout: str, sections: dict[str, Any], texts: list[str]
) -> str:
    if layout == "json":
        record = evaluation.to_dict() | sections
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if layout == "table":
        return "\n\n".join([evaluation.table(), *texts]) + "\n"
    for text in texts:
        # There is no room for another table.
        click.echo(text, err=True)
    rows = columns_of_scores(evaluation) if layout == "csv" else cells_of_scores(evaluation)
    return FORMATS[layout](*rows)
