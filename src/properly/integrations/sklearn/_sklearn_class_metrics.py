"""Rules for class probabilities as metric functions, with the arguments of scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properly.integrations.sklearn._sklearn_metrics import rule_loss
from properly.rules import PBS, PLL, RPS, RankedLog

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.typing import ArrayLike


def ranked_probability_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> float:
    """Return the mean ranked probability score of ordered classes, between 0 and 1.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`. Words have no order of their own: `labels` gives it.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly.integrations.sklearn import ranked_probability_loss
    >>> ranked_probability_loss([1, 2, 3], [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]])
    0.16666666666666666
    """
    return rule_loss(
        y_true,
        y_proba,
        rule=RPS(),
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
    )


def ranked_log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> float:
    """Return the mean ranked log loss of ordered classes, which may be infinite.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`. Words have no order of their own: `labels` gives it.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly.integrations.sklearn import ranked_log_loss
    >>> round(ranked_log_loss([1, 3], [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]], labels=[1, 2, 3]), 6)
    0.346574
    """
    return rule_loss(
        y_true,
        y_proba,
        rule=RankedLog(),
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
    )


def penalized_brier_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> float:
    """Return the mean penalized Brier score: a wrong likeliest class costs more.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`; one column a class, also if there are two.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly.integrations.sklearn import penalized_brier_loss
    >>> penalized_brier_loss([0, 1], [[0.75, 0.25], [0.75, 0.25]])
    0.875
    """
    return rule_loss(
        y_true,
        y_proba,
        rule=PBS(),
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
    )


def penalized_log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> float:
    """Return the mean penalized log loss: a wrong likeliest class costs more.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`; one column a class, also if there are two.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly.integrations.sklearn import penalized_log_loss
    >>> round(penalized_log_loss([0, 1], [[0.75, 0.25], [0.75, 0.25]]), 6)
    1.183562
    """
    return rule_loss(
        y_true,
        y_proba,
        rule=PLL(),
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
    )
