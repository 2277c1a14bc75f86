"""Decompositions and reliability of classes under the names that `evaluation` calls them by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from properly.calibration import _decomposition
from properly.calibration._decomposition import ClassDecomposition, decompose
from properly.calibration._reliability import reliability
from properly.counts._cases import require_classes

if TYPE_CHECKING:
    from properly.calibration._decomposition import Decomposition
    from properly.calibration._reliability import Reliability
    from properly.counts._cases import Cases
    from properly.counts._reductions import Plan, View
    from properly.rules import Rule

__all__ = ["ClassDecomposition", "add_parts", "class_reliability", "decompose_classes"]


def decompose_classes(
    cases: Cases, rule: Rule, *, view: View | Literal["auto"] = "auto", **options: Any
) -> ClassDecomposition:
    """Split a mean score of classes into parts, question by question."""
    own: Any = None if view == "auto" else view
    return decompose(require_classes(cases), rule, reduction=own, **options)


def class_reliability(
    cases: Cases, *, view: View = "cumulative", **options: Any
) -> dict[str, Reliability]:
    """Estimate how often each answer is yes after each forecast of it."""
    return reliability(require_classes(cases), reduction=view, **options)


def add_parts(
    plan: Plan, rule: Rule, names: tuple[str, ...], parts: tuple[Decomposition, ...]
) -> ClassDecomposition:
    """Add up the parts of the questions, with the weights that they have."""
    return _decomposition.add_parts(plan, rule, dict(zip(names, parts, strict=True)))
