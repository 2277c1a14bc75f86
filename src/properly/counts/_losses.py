"""What a rule charges each case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._libraries import to_numpy, without_gradient
from properly.counts._cases import rows_in_use
from properly.rules._class_rule import require_class_rule
from properly.rules._rule import require_binary

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.rules import Rule

Column: TypeAlias = np.ndarray[Any, Any]


def unit_of(rule: Rule) -> str:
    """Say what a score is measured in: the rule as it is written, or else its short name."""
    written = repr(rule).removesuffix("()")
    return written if written.isidentifier() else rule.name


def losses(cases: Cases, rule: Rule) -> Column:
    """Price the cases of positive weight; a rule must be one for an event, or one for classes."""
    y, p, _, _ = rows_in_use(cases)
    return price(rule, y, p, classes=cases.classes is not None)


def price(rule: Rule, y: Column, p: Any, *, classes: bool) -> Column:
    """Price rows that have been checked."""
    p = to_numpy(without_gradient(p)).astype(np.float64, copy=False)
    if classes:
        return np.asarray(require_class_rule(rule).prices(y, p))
    return np.asarray(require_binary(rule).price_event(y, p))
