"""A rule as the objective of boosted trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from properly._boundary._arrays import refuse
from properly.errors import DataError, ImproperRuleError
from properly.integrations._boosting import check_batch, read_batch, slopes
from properly.integrations._named_rules import require_rule
from properly.rules._log_odds import both_sides

if TYPE_CHECKING:
    from properly.integrations._boosting import Floats
    from properly.rules import Rule


class Rounds:
    """Counts the rounds of boosting, for messages only: no library says which one it is."""

    def __init__(self) -> None:
        self._of_data: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._of_arrays = -1

    def count(self, data: Any, *, starts: bool) -> int:
        """Return the number of this round, from 0; several data sets may take turns."""
        before = self._of_arrays if data is None else self._of_data.get(data, -1)
        now = 0 if starts else before + 1
        if data is None:
            self._of_arrays = now
        else:
            self._of_data[data] = now
        return now


@dataclass(frozen=True)
class Start:
    """What a library calls the forecasts that boosting starts from, for hints."""

    event: str
    classes: str
    missing: str


@dataclass(frozen=True, repr=False)
class Objective:
    """The slopes of a rule, in the two ways in which boosting libraries ask for them.

    Called with the margins and the library's data set, or with labels, margins and weights.
    """

    rule: Rule
    start: Start
    _rounds: Rounds = field(default_factory=Rounds, init=False, compare=False)

    def __post_init__(self) -> None:
        check_objective(self.rule)

    def __repr__(self) -> str:
        """Write the call that makes the objective."""
        return f"objective({self.rule!r})"

    def __reduce__(self) -> tuple[type[Objective], tuple[Rule, Start]]:
        """Copy the rule alone: another training counts its own rounds."""
        return Objective, (self.rule, self.start)

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> tuple[Floats, Floats]:
        """Return the gradient and the curvature of each margin, as float32."""
        batch = read_batch(first, second, sample_weight)
        rows = check_batch(self.rule, batch)
        now = self._rounds.count(batch.data, starts=_is_constant(rows.output))
        finite = np.isfinite(rows.output)
        if not finite.all():
            said = f"margins of boosting round {now} must be finite"
            refuse(rows.output, ~finite, said, self.start.missing)
        gradient, curvature = slopes(self.rule, rows)
        if now == 0 and not gradient.any():
            self._refuse_start(rows.output)
        return gradient, curvature

    def _refuse_start(self, margin: Floats) -> None:
        where, hint = "", self.start.classes
        if margin.ndim == 1:
            least, most = both_sides(np.array([margin.min(), margin.max()], np.float64))[0]
            hint = self.start.event
            where = f" at {least:.4g}" if least == most else f" between {least:.4g} and {most:.4g}"
        message = (
            f"a rule can be learnt only where it has a slope; {self.rule!r} has none where "
            f"boosting starts, with {len(margin)} forecasts{where}"
        )
        raise DataError(message, hint=hint)


def _is_constant(margin: Floats) -> bool:
    """Tell whether no tree has told rows apart yet; the ends are looked at first."""
    return bool((margin[-1] == margin[0]).all()) and bool((margin == margin[:1]).all())


def check_objective(rule: object) -> None:
    """Refuse what cannot be learnt from slopes, and what should not be learnt at all."""
    found = require_rule(rule)
    if not found.is_proper:
        message = f"training needs a proper rule; {found!r} is improper"
        raise ImproperRuleError(message, hint="an improper rule teaches forecasts that are false.")
    if not found.differentiable:
        message = f"training needs a rule without jumps, which gradients do not see; got {found!r}"
        raise DataError(message, hint="train with a smooth rule, and stop early by metric(rule).")
