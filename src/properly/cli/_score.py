"""``properly score``: scores in many formats, and a verdict for pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from properly.cli._conditions import ConditionType, numbers_of
from properly.cli._described import Described
from properly.cli._engine import engine_options, opened
from properly.cli._evaluating import (
    FILES,
    evaluated,
    force_option,
    format_option,
    level_option,
    replicates_option,
    rule_option,
    seed_option,
    within_option,
)
from properly.cli._file_options import file_options
from properly.cli._formats import FORMATS
from properly.cli._output import emit, require_output
from properly.cli._score_rows import cells_of_scores, columns_of_scores

if TYPE_CHECKING:
    from properly import ClassEvaluation, Evaluation
    from properly.cli._conditions import Condition

HOLDS = 3
EXAMPLES = r"""
properly score crash.csv --outcome died --forecast logistic --within 0.01 0.1
properly score crash.csv --outcome died --forecast forest --format json
properly score crash.csv --outcome died --forecast forest \
    --rule brier --fail-if "brier>0.2"
properly score crash.csv --outcome died --forecast forest --memory 1GB
properly score crash.csv --outcome severity --forecast severity_probability \
    --classes none,possible,nonincapacitating,incapacitating,killed \
    --ordered --missing drop
"""


def score() -> click.Command:
    """Describe ``properly score``."""
    return Described(
        "score",
        callback=_score,
        help=(
            "Score forecasts: mean loss, skill, miscalibration, discrimination and uncertainty by "
            "model and rule, beside forecasts that need no model. Lower scores are better. Exits "
            f"with 3 if a condition given by --fail-if holds. {FILES}"
        ),
        params=[*file_options(), *engine_options(), *_options()],
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
            help="Exit with 3 if this holds of a model: [MODEL:]RULE[.PART] and a limit, such as "
            '"brier>0.2", "forest:log.skill<0" or "auc<0.8"; may be given several times.',
        ),
        click.Option(
            ["--intervals"],
            is_flag=True,
            help="Intervals of the parts, too, in CSV and JSON: slower.",
        ),
        level_option(),
        replicates_option("Draws for --intervals."),
        seed_option(),
        click.Option(["--output"], metavar="FILE", help="Where to write, rather than print."),
        force_option(),
    ]


def _score(
    layout: str,
    output: str | None,
    conditions: tuple[Condition, ...],
    *,
    force: bool,
    intervals: bool,
    replicates: int,
    **options: Any,
) -> None:
    require_output(output, force=force)
    asked = {name: options.pop(name) for name in ("rules", "within", "level", "seed")}
    asked["rules"] = asked["rules"] or None
    with opened(**options) as chosen:
        found = evaluated(chosen, replicates=replicates if intervals else 0, **asked)
    # Before anything is printed, since a name in a condition may be unknown.
    numbers = numbers_of(found)
    held = [one for condition in conditions for one in condition.held(numbers)]
    emit(_laid_out(found, layout), output, force=force)
    for one in held:
        click.echo(str(one), err=True)
    if held:
        click.get_current_context().exit(HOLDS)


def _laid_out(found: Evaluation | ClassEvaluation, layout: str) -> str:
    if layout == "table":
        return f"{found}\n"
    if layout == "json":
        return f"{found.to_json()}\n"
    rows = columns_of_scores(found) if layout == "csv" else cells_of_scores(found)
    return FORMATS[layout](*rows)
