"""Rules as metric functions, with the arguments of scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from properly._boundary._classes import ClassRows, is_table
from properly._boundary._options import check_flag
from properly.integrations.sklearn._rows import columns_of_table, judged
from properly.rules import Bounded, Brier, Log, Spherical
from properly.rules._interval import as_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.rules import Rule
    from properly.rules._interval import Interval
    from properly.typing import Array, ArrayLike


def rule_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    rule: Rule,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> float:
    """Return the mean loss of probabilities by any rule: the lower, the better.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        What happened: labels of any kind, or rows with a single 1.
    y_proba : array-like of shape (n,) or (n, K)
        Probabilities of the event, or of all classes, one column each. Rows sum to 1.
    rule : Rule
        From `properly.rules`, or of one's own.
    sample_weight : array-like of shape (n,), optional
        Weights; rows of weight 0 do not count, whatever their loss.
    labels : sequence, optional
        What each column stands for. Left out: the labels in `y_true`, sorted, if they are as many
        as there are columns. A rule that needs an order does not sort words. For one column, both
        labels, the event last.
    pos_label : label, optional
        The event, of two labels. Left out: the last label, and of one column without `labels`,
        outcomes must be 0 and 1 or -1 and 1, of which 1 is the event.

    Returns
    -------
    float
        The mean. For a tensor, a tensor without dimensions that can be differentiated.

    Notes
    -----
    Two columns are one event for rules that price an event, and two classes for all others. For
    rules that do both, these are the same number: the Brier score of two columns is that of the
    event, between 0 and 1, as in scikit-learn; of more columns it is the sum, between 0 and 2.

    Nothing is clipped. A forecast that called impossible what happened has an infinite log loss.

    Examples
    --------
    >>> from properly.integrations.sklearn import rule_loss
    >>> from properly.rules import RPS, Regret
    >>> y_true = ["mild", "severe"]
    >>> grades = ["mild", "moderate", "severe"]
    >>> rule_loss(y_true, [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]], rule=RPS(), labels=grades)
    0.125
    >>> rule_loss(["no", "yes"], [0.2, 0.4], rule=Regret((0.1, 0.5)), pos_label="yes")
    0.0875
    """
    asked, rows = judged(y_true, y_proba, rule, sample_weight, labels=labels, pos_label=pos_label)
    mean: float = asked.mean_price(*rows) if isinstance(rows, ClassRows) else asked(*rows)
    return mean


def score_samples(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    rule: Rule,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> Array:
    """Return the loss of each row by any rule: the lower, the better.

    Parameters
    ----------
    y_true, y_proba, rule, labels, pos_label
        As in `rule_loss`.

    Returns
    -------
    array of shape (n,)
        Infinity is a possible loss; NaN is not.

    Examples
    --------
    >>> from properly.integrations.sklearn import score_samples
    >>> from properly.rules import Brier
    >>> score_samples([0, 1], [[0.75, 0.25], [0.5, 0.5]], rule=Brier())
    array([0.0625, 0.25  ])
    """
    asked, rows = judged(y_true, y_proba, rule, labels=labels, pos_label=pos_label)
    if isinstance(rows, ClassRows):
        return asked.prices(rows.y, rows.p)
    return asked.loss(rows.y, rows.p)


def brier_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
    scale_by_half: bool | Literal["auto"] = "auto",
) -> float:
    """Return the Brier score, the mean squared error, on the scale of scikit-learn.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`.
    scale_by_half : bool or "auto"
        Whether to halve the sum of the squared errors over all classes, which is between 0 and 2.
        ``"auto"``: that of one event and of two classes, not that of several.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly.integrations.sklearn import brier_loss
    >>> brier_loss([0, 1], [0.1, 0.5]), brier_loss([0, 1], [[0.9, 0.1], [0.5, 0.5]])
    (0.13, 0.13)
    >>> brier_loss([0, 1, 2], [[0.5, 0.5, 0.0]] * 3)
    0.8333333333333334
    """
    found = rule_loss(
        y_true,
        y_proba,
        rule=Brier(),
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
    )
    if scale_by_half == "auto":
        return found
    several = is_table(y_proba) and columns_of_table(y_proba) > 2
    if check_flag(scale_by_half, "scale_by_half"):
        return found / 2 if several else found
    return found if several else 2 * found


def log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> float:
    """Return the mean log loss, without clipping.

    It is that of scikit-learn, unless a forecast called impossible what happened: then it is
    infinite, where scikit-learn moves probabilities away from 0 by the precision of their type.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly.integrations.sklearn import log_loss
    >>> round(log_loss([0, 1], [0.5, 0.25]), 6), log_loss([0, 1], [0.5, 0.0])
    (1.039721, inf)
    """
    return rule_loss(
        y_true,
        y_proba,
        rule=Log(),
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
    )


def spherical_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> float:
    """Return the mean spherical loss, one minus the spherical score.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly.integrations.sklearn import spherical_loss
    >>> round(spherical_loss([0, 1], [0.4, 0.2]), 6)
    0.462707
    """
    return rule_loss(
        y_true,
        y_proba,
        rule=Spherical(),
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
    )


def bounded_brier_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    within: Interval | tuple[float, float],
    sample_weight: ArrayLike | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> float:
    """Return the mean Brier score over a range of thresholds, those that matter.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`; one column, or two.
    within : Interval or pair of floats
        The thresholds at which one may act.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly.integrations.sklearn import bounded_brier_loss
    >>> bounded_brier_loss([0, 1], [0.2, 0.75], within=(0.5, 1.0))
    0.0625
    """
    return rule_loss(
        y_true,
        y_proba,
        rule=Bounded(Brier(), as_interval(within)),
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
    )


def bounded_log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    within: Interval | tuple[float, float],
    sample_weight: ArrayLike | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
) -> float:
    """Return the mean log loss over a range of thresholds, those that matter.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`; one column, or two.
    within : Interval or pair of floats
        The thresholds at which one may act, strictly between 0 and 1.

    Returns
    -------
    float

    Examples
    --------
    >>> from properly.integrations.sklearn import bounded_log_loss
    >>> round(bounded_log_loss([0, 1], [0.2, 0.0], within=(0.1, 0.5)), 6)
    0.393046
    """
    return rule_loss(
        y_true,
        y_proba,
        rule=Bounded(Log(), as_interval(within)),
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
    )
