"""Scores of models and baselines as rows of a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly import ClassEvaluation, Estimate, Evaluation

PARTS = ("score", "skill", "miscalibration", "discrimination", "uncertainty")
RESAMPLED = ("miscalibration", "discrimination")
NOTHING = (math.nan, math.nan)


class Scored(NamedTuple):
    """A model, or a baseline, under one rule."""

    model: str
    is_baseline: bool
    rule: str
    # Has a score, a skill and parts.
    parts: Any
    estimate: Estimate | None

    @property
    def ends(self) -> tuple[float, float]:
        """The interval of the score, if there is one."""
        return NOTHING if self.estimate is None else self.estimate.interval

    def ends_of(self, part: str) -> tuple[float, float]:
        """Return the interval of a part of the score, if one was drawn."""
        intervals = getattr(self.parts, "intervals", None)
        ends: tuple[float, float] = NOTHING if intervals is None else getattr(intervals, part)
        return ends


def columns_of_scores(found: Evaluation | ClassEvaluation) -> tuple[list[str], list[list[Any]]]:
    """Return the columns of `Evaluation.to_frame`, and the ends of drawn intervals if any."""
    rows = list(scored(found))
    drawn = any(getattr(row.parts, "intervals", None) is not None for row in rows)
    resampled = RESAMPLED if drawn else ()
    head = ["model", "baseline", "rule", *PARTS]
    for part in ("score", *resampled):
        head += [f"{part}_lower", f"{part}_upper"]
    cells = [
        [
            *(row.model, row.is_baseline, row.rule),
            *(float(getattr(row.parts, part)) for part in PARTS),
            *row.ends,
            *(end for part in resampled for end in row.ends_of(part)),
        ]
        for row in rows
    ]
    return head, cells


def cells_of_scores(found: Evaluation | ClassEvaluation) -> tuple[list[str], list[list[Any]]]:
    """Return what a person reads: rule by rule, the baselines in brackets."""
    rules = [rule.name for rule in found.rules]
    rows = sorted(scored(found), key=lambda row: rules.index(row.rule))
    head = ["rule", "model", "score", "lower", "upper", *PARTS[1:]]
    cells = [
        [
            row.rule,
            f"({row.model})" if row.is_baseline else row.model,
            float(row.parts.score),
            *row.ends,
            *(float(getattr(row.parts, part)) for part in PARTS[1:]),
        ]
        for row in rows
    ]
    return head, cells


def scored(found: Evaluation | ClassEvaluation) -> Iterator[Scored]:
    """Go through models and rules, then through the baselines."""
    from properly import ClassEvaluation

    models: Any = found.decompositions
    estimates: Any = found.scores
    if isinstance(found, ClassEvaluation):
        models, estimates = found.scores, found.intervals
    for model, by_rule in models.items():
        for rule, parts in by_rule.items():
            yield Scored(model, False, rule, parts, estimates[model][rule])
    for model, constant in found.baselines.items():
        for rule, told in constant.items():
            yield Scored(model, True, rule, told, None)
