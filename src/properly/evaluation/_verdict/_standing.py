"""Who is better than whom, as far as that can be told."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, cast

from properly.comparison._pairs import is_significant
from properly.evaluation._phrases import (
    scope_of,
)

if TYPE_CHECKING:
    from properly.comparison._pairs import Comparison, Pair
    from properly.evaluation._phrases import Scope
    from properly.evaluation._record import Evaluation
    from properly.inference._estimate import Estimate


# So many cases in a row that speak for the same model are no chance.
ENOUGH = 20


@dataclass(frozen=True)
class Standing:
    """Models in the order of the score that counts, and which of them can be told apart.

    Attributes
    ----------
    order : tuple of str
        Models with a finite score, the best first.
    infinite : tuple of str
        The others.
    comparison : Comparison or None
        All pairs of models by that score; None of one model.
    skills : dict of Estimate
        By model: what share of the loss of no model it saves.
    scope : Scope
        What the score looks at, in words.
    level : float
        How sure to be.
    cases : int
        How many cases there are.
    wrong : tuple of str
        Models that were certain of what did not happen, however rarely.
    """

    order: tuple[str, ...]
    infinite: tuple[str, ...]
    comparison: Comparison | None
    skills: dict[str, Estimate]
    scope: Scope
    level: float
    cases: int
    wrong: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """All models, those of infinite scores last."""
        return (*self.order, *self.infinite)

    @cached_property
    def top(self) -> tuple[str, ...]:
        """The best model, and those that it cannot be told apart from."""
        if not self.order:
            return ()
        best, *others = self.order
        return (best, *(name for name in others if not self.beats(best, name)))

    @property
    def beaten(self) -> tuple[str, ...]:
        """The models that each of the top is better than."""
        top = self.top
        others = (name for name in self.order if name not in top)
        return tuple(x for x in others if all(self.beats(name, x) for name in top))

    @property
    def top_is_alike(self) -> bool:
        """Whether no two of the top can be told apart."""
        pairs = combinations(self.top, 2)
        return not any(self.beats(a, b) or self.beats(b, a) for a, b in pairs)

    def pair(self, one: str, other: str) -> Pair:
        """Return the comparison of two models."""
        return cast("Comparison", self.comparison)[one, other]

    def beats(self, one: str, other: str) -> bool:
        """Return whether one model is better than another, adjusted for all pairs."""
        pair = self.pair(one, other)
        if self.is_constant(one, other):
            return pair.difference < 0
        # An infinite difference, or one without a standard error, has nothing to be told by.
        is_lower = pair.standard_error > 0 and -math.inf < pair.difference < 0
        return is_lower and is_significant(pair)

    def is_constant(self, one: str, other: str) -> bool:
        """Tell whether one model is better than another by as much in each of many cases."""
        pair = self.pair(one, other)
        each = pair.standard_error == 0 and pair.differing == self.cases >= ENOUGH
        return each and math.isfinite(pair.difference)

    def is_flawless(self, name: str) -> bool:
        """Tell whether a model made no loss at all."""
        return self.skills[name].value == 1 and self.cases >= ENOUGH

    def is_useful(self, name: str) -> bool:
        """Tell whether a model is better than no model."""
        return self.skills[name].interval[0] > 0 or self.is_flawless(name)

    def is_harmful(self, name: str) -> bool:
        """Tell whether it is worse."""
        return self.skills[name].interval[1] < 0


def standing_of(evaluation: Evaluation) -> Standing:
    """Read from an evaluation who is better than whom."""
    primary = evaluation.primary
    scores = {name: by_rule[primary].value for name, by_rule in evaluation.scores.items()}
    finite = [name for name, score in scores.items() if math.isfinite(score)]
    rule = next(rule for rule in evaluation.rules if rule.name == primary)
    return Standing(
        tuple(sorted(finite, key=scores.__getitem__)),
        tuple(name for name in scores if name not in finite),
        evaluation.comparisons.get(primary),
        {name: by_rule[primary] for name, by_rule in evaluation.skills.items()},
        scope_of(rule, classes=evaluation.task != "binary"),
        evaluation.level,
        evaluation.rows,
        tuple(name for name in scores if _is_wrong(evaluation, name)),
    )


def _is_wrong(evaluation: Evaluation, name: str) -> bool:
    """Tell whether a model was certain of what did not happen."""
    if evaluation.certain is not None:
        return name in evaluation.certain and evaluation.certain[name].wrong > 0
    return any(x.infinite_cases for x in evaluation.scores[name].values())
