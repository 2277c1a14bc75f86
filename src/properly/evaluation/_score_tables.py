"""Scores by model and rule, to read and as a frame."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

from properly._boundary._frames import to_frame
from properly._boundary._tables import NUMBER, table, width_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from properly._boundary._frames import Backend
    from properly.inference._estimate import Estimate

    # By model and name of the rule, whatever has a score, a skill and parts.
    Scores: TypeAlias = Mapping[str, Mapping[str, Any]]
    Intervals: TypeAlias = Mapping[str, Mapping[str, Estimate]]

# What is printed; the uncertainty is the score of the last baseline.
PRINTED = ("skill", "miscalibration", "discrimination")
FRAMED = ("score", "skill", "miscalibration", "discrimination", "uncertainty")


def frame_of_scores(
    models: Scores, baselines: Scores, intervals: Intervals, backend: Backend | None
) -> Any:
    """Return one row a model, or baseline, and rule; baselines have no interval."""
    rows = [
        (
            name,
            bool(is_baseline),
            rule,
            *(getattr(score, column) for column in FRAMED),
            *_ends(intervals, name, rule, baseline=bool(is_baseline)),
        )
        for is_baseline, found in enumerate((models, baselines))
        for name, by_rule in found.items()
        for rule, score in by_rule.items()
    ]
    names = ("model", "baseline", "rule", *FRAMED, "score_lower", "score_upper")
    return to_frame(dict(zip(names, zip(*rows, strict=True), strict=True)), backend)


def tables_of_scores(models: Scores, baselines: Scores, intervals: Intervals) -> list[str]:
    """Lay out one table a rule, with the models first and the baselines in brackets."""
    width = width_of_names(models, baselines)
    level = next(estimate.level for by_rule in intervals.values() for estimate in by_rule.values())
    return [
        table(
            head_of_scores(rule, level),
            rows_of_scores(models, baselines, intervals, rule),
            least=(width, NUMBER),
        )
        for rule in next(iter(models.values()))
    ]


def head_of_scores(first: str, level: float) -> tuple[str, ...]:
    """Name the columns."""
    return first, "score", f"{100 * level:g} % interval", *PRINTED


def rows_of_scores(
    models: Scores, baselines: Scores, intervals: Intervals, rule: str
) -> list[Sequence[str]]:
    """Write the scores of one rule as text: score, interval, skill and parts."""
    rows: list[Sequence[str]] = []
    for is_baseline, found in enumerate((models, baselines)):
        for name, by_rule in found.items():
            low, high = _ends(intervals, name, rule, baseline=bool(is_baseline))
            told = "-" if math.isnan(low + high) else f"{low:.5f} to {high:.5f}"
            numbers = [written(getattr(by_rule[rule], column)) for column in PRINTED]
            shown = f"({name})" if is_baseline else name
            rows.append((shown, written(by_rule[rule].score), told, *numbers))
    return rows


def written(x: float) -> str:
    """Write a number with five decimals; what does not exist is a dash."""
    return "-" if math.isnan(x) else f"{x:.5f}"


def width_of_names(models: Scores, baselines: Scores) -> int:
    """Return how wide the first column of all tables is."""
    rules = next(iter(models.values()))
    return width_of([*models, *(f"({name})" for name in baselines), *rules])


def _ends(intervals: Intervals, model: str, rule: str, *, baseline: bool) -> tuple[float, float]:
    """Return the interval of a score, if there is one."""
    if baseline:
        return math.nan, math.nan
    return intervals[model][rule].interval
