"""``properly compare``: whether one model is better than another."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import click

from properly.cli._columns import GAPS
from properly.cli._commands import Described
from properly.cli._engine import Large, engine_options, opened, refuse_without_rows
from properly.cli._formats import as_csv
from properly.cli._long import long_options, read_long, taken_long
from properly.cli._options import (
    FILES,
    RuleType,
    file_options_but,
    force_option,
    format_option,
    level_option,
    over_range,
    seed_option,
    summed,
    within_option,
)
from properly.cli._running import emit, progress_bar, require_output, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly import Interval
    from properly.cli._columns import Chosen
    from properly.comparison import Comparison
    from properly.rules import Rule

EXAMPLES = r"""
properly compare crash.csv --outcome died --forecast logistic \
    --forecast forest
properly compare crash.csv --outcome died --forecast logistic \
    --forecast forest --rule auc --clusters cluster --format csv
properly compare crash.csv --outcome died --forecast logistic \
    --forecast boosting --within 0.01 0.1 --clusters cluster
properly compare crash.csv --outcome died --forecast logistic \
    --forecast boosting --reference logistic --margin 0.001
properly compare tournament.csv --missing pairwise \
    --long question,forecaster,probability,outcome
"""


def compare() -> click.Command:
    """Describe ``properly compare``."""
    return Described(
        "compare",
        callback=_compare,
        help=(
            "Compare models on the same cases, pair by pair: differences of scores with intervals "
            f"and p-values. No model is called better if the interval holds zero. {FILES}"
        ),
        params=[
            *file_options_but("groups", "missing"),
            _missing_option(),
            *engine_options(),
            *_options(),
            *long_options(),
        ],
        examples=EXAMPLES,
    )


def _missing_option() -> click.Option:
    return click.Option(
        ["--missing"],
        type=click.Choice(["refuse", "drop", *GAPS]),
        default="refuse",
        show_default="refuse; with --long, two-way",
        help="What to do about rows with a missing value. Of forecasts that are missing: compare "
        "on the rows that all forecast, each pair on those that both did, or all models by effects "
        "of rows and models.",
    )


def _options() -> list[click.Parameter]:
    return [
        click.Option(
            ["--rule"],
            type=RuleType("auc"),
            metavar="RULE",
            help="Rule to compare by, such as brier or log; auc for areas under the ROC curve. "
            "Left out, brier, or rps for ordered classes; with --within, the mean regret.",
        ),
        within_option(),
        click.Option(
            ["--reference"],
            metavar="MODEL",
            help="Compare every other model with this one, rather than all pairs.",
        ),
        click.Option(
            ["--margin"],
            type=click.FloatRange(min=0, min_open=True),
            help="A difference of scores that does not matter; says whether models are as good as "
            "each other within it.",
        ),
        format_option("text", "json", "csv"),
        level_option(),
        seed_option(),
        click.Option(["--output"], metavar="FILE", help="Where to write, rather than print."),
        force_option(),
    ]


def _compare(
    layout: str,
    output: str | None,
    rule: Rule | Literal["auc"] | None,
    *,
    within: Interval | None,
    force: bool,
    reference: str | None,
    margin: float | None,
    level: float,
    seed: int,
    **options: Any,
) -> None:
    require_output(output, force=force)
    settings: dict[str, Any] = {
        "reference": reference,
        "margin": margin,
        "level": level,
        "rng": seed,
    }
    own = taken_long(options, *(str(x.name) for x in _options() if x.name != "within"), "missing")
    if own is not None:
        settings["missing"] = _of_gaps(options.pop("missing"))
        comparison = _compared_answers(own, options, rule, **settings)
        emit(_laid_out(comparison, layout), output, force=force)
        return
    with opened(**options) as data:
        if reference is not None and reference not in data.forecasts:
            message = f"--reference is a model that is compared; got {reference!r}"
            raise unknown(message, reference, data.forecasts)
        chosen = _over(rule, within, data.task)
        if isinstance(data, Large):
            comparison = _compared_by_sums(data, chosen, **settings)
        else:
            missing = options["missing"] if options["missing"] in GAPS else "refuse"
            comparison = _compared(data, chosen, missing=missing, **settings)
    emit(_laid_out(comparison, layout), output, force=force)


def _of_gaps(given: str) -> str:
    """Say how to allow for gaps in a long table; rows are never dropped for them."""
    context = click.get_current_context()
    if context.get_parameter_source("missing") is click.core.ParameterSource.DEFAULT:
        return "two-way"
    if given not in GAPS:
        message = f"--missing {given} does not go with --long; give {', '.join(GAPS)}."
        raise click.UsageError(message)
    return given


def _compared_answers(
    own: Mapping[str, Any],
    options: dict[str, Any],
    rule: Rule | Literal["auc"] | None,
    **settings: Any,
) -> Comparison:
    """Compare forecasters who answered different questions."""
    import properly

    table = read_long(own, **options)
    answers = table.answers()
    reference = settings["reference"]
    if reference is not None and reference not in answers.forecasters:
        message = f"--reference is a forecaster that is compared; got {reference!r}"
        raise unknown(message, reference, answers.forecasters)
    return properly.compare(answers, rule=_over(rule, None, table.task), **settings)


def _compared(data: Chosen, rule: Rule | Literal["auc"], **settings: Any) -> Comparison:
    import properly

    return properly.compare(data.y, data.forecasts, rule=rule, **settings, **data.arguments)


def _compared_by_sums(
    data: Large,
    rule: Rule | Literal["auc"],
    *,
    reference: str | None,
    margin: float | None,
    **settings: Any,
) -> Comparison:
    """Compare the models of a large file, rule by rule and all pairs."""
    from properly.evaluation._summed_scores import compare_sums

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
    from properly.rules import RPS, Brier, Regret

    if rule is None and within is not None and task not in ("ordinal", "multiclass"):
        return Regret(within)
    rule = rule or (RPS() if task == "ordinal" else Brier())
    if isinstance(rule, str):
        if within is not None:
            message = "--within is about a rule; an area under the ROC curve has no thresholds"
            raise click.UsageError(message)
        return rule
    return over_range(rule, within) or rule


def _laid_out(comparison: Comparison, layout: str) -> str:
    if layout == "text":
        return f"{comparison}\n"
    if layout == "json":
        return json.dumps(comparison.to_dict(), indent=2, allow_nan=False) + "\n"
    from properly.comparison._pairs import flat

    rows = [flat(asdict(pair)) for pair in comparison]
    return as_csv(tuple(rows[0]), [tuple(row.values()) for row in rows])
