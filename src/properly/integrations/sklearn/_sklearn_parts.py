"""What a score is made of, and what acting on forecasts is worth, as metric functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from properly._boundary._classes import is_table
from properly.calibration._class_decomposition import decompose_classes
from properly.calibration._decomposition import decompose
from properly.counts._cases import Cases
from properly.decisions._thresholds import at_threshold
from properly.integrations._named_rules import require_rule
from properly.integrations.sklearn._rows import (
    event_among,
    position,
    require_no_event,
    rows_of_classes,
    rows_of_event,
)
from properly.rules import BinaryRule, Brier, ClassRule
from properly.rules._rule import require_binary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.calibration._class_decomposition import ClassDecomposition
    from properly.calibration._decomposition import Decomposition
    from properly.rules import Rule
    from properly.typing import ArrayLike

BRIER = Brier()


def miscalibration(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    rule: Rule = BRIER,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> float:
    """Return what recalibration would save of a score: the lower, the better.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`.
    rule : Rule
        A proper rule for one event; of more than two classes, one that `properly.decompose_classes`
        can split.

    Returns
    -------
    float
        Zero or more. Of several classes, the sum over questions, each recalibrated on its own.

    Examples
    --------
    >>> from properly.integrations.sklearn import miscalibration
    >>> miscalibration([0, 1, 0, 1], [0.25, 0.25, 0.75, 0.75])
    0.0625
    """
    return _parts(
        y_true, y_proba, rule, sample_weight, labels=labels, pos_label=pos_label
    ).miscalibration


def discrimination(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    rule: Rule = BRIER,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> float:
    """Return what recalibrated forecasts save against a constant; more is better.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`.
    rule : Rule
        As in `miscalibration`.

    Returns
    -------
    float
        Zero or more. Of several classes, the sum over questions, each recalibrated on its own.

    Examples
    --------
    >>> from properly.integrations.sklearn import discrimination
    >>> discrimination([0, 1, 0, 1], [0.25, 0.75, 0.25, 0.75])
    0.25
    """
    return _parts(
        y_true, y_proba, rule, sample_weight, labels=labels, pos_label=pos_label
    ).discrimination


def net_benefit(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    threshold: float,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> float:
    r"""Return the net benefit of acting at a threshold; more is better.

    .. math:: \text{NB}(t) = \text{TP} - \frac{t}{1 - t} \text{FP},

    with shares of all cases. One acts if and only if the forecast is t or more.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`; one column, or two.
    threshold : float
        The probability at which one begins to act, ``0 <= t < 1``.

    Returns
    -------
    float
        At most the event rate; that of acting on nobody is 0.

    Examples
    --------
    >>> from properly.integrations.sklearn import net_benefit
    >>> net_benefit([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9], threshold=0.2)
    0.4375
    """
    event = rows_of_event(y_true, y_proba, sample_weight, labels=labels, pos_label=pos_label)
    return at_threshold(Cases(event.y, event.p, weight=event.weight), threshold).net_benefit


def _parts(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    rule: Rule,
    sample_weight: ArrayLike | None,
    *,
    labels: Sequence[object] | None,
    pos_label: object,
) -> Decomposition | ClassDecomposition:
    """Split the score of one event, or of several classes."""
    require_rule(rule)
    rows: Any
    if not is_table(y_proba):
        rows = rows_of_event(y_true, y_proba, sample_weight, labels=labels, pos_label=pos_label)
        return decompose(Cases(rows.y, rows.p, weight=rows.weight), require_binary(rule))
    ordered = isinstance(rule, ClassRule) and rule.needs_order
    rows, names = rows_of_classes(y_true, y_proba, sample_weight, labels=labels, ordered=ordered)
    if len(names) > 2:
        require_no_event(pos_label, len(names))
    elif isinstance(rule, BinaryRule):
        event = event_among(rows, position(pos_label, names))
        return decompose(Cases(event.y, event.p, weight=event.weight), rule)
    return decompose_classes(Cases(rows.y, rows.p, weight=rows.weight), rule)
