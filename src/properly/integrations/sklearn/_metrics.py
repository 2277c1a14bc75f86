"""Rules, parts of scores and net benefit as metric functions with the arguments of scikit-learn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, wraps
from inspect import Parameter, signature
from typing import Any, Literal, TypeVar, Unpack

from properly._boundary._classes import ClassRows, is_table
from properly._boundary._options import check_choice, check_flag
from properly.calibration._decomposition import ClassDecomposition, Decomposition, decompose
from properly.calibration._error import calibration_error as binned_error
from properly.decisions._at_threshold import at_threshold
from properly.errors import ArgumentTypeError, DataError
from properly.integrations._named_rules import require_rule
from properly.integrations.sklearn import _rows
from properly.integrations.sklearn._rows import GivenRows, RowColumns
from properly.rules import (
    PBS,
    PLL,
    RPS,
    BinaryRule,
    Bounded,
    Brier,
    Log,
    RankedLog,
    Rule,
    Spherical,
)
from properly.rules._interval import Interval, as_interval
from properly.rules._rule import require_binary
from properly.typing import Array, ArrayLike

BRIER = Brier()
MetricFunction = TypeVar("MetricFunction", bound="Callable[..., float]")


def with_columns(metric: MetricFunction) -> MetricFunction:
    """Show in the signature of a metric function the columns that it takes, and refuse others."""
    *own, _ = signature(metric).parameters.values()
    column = partial(Parameter, kind=Parameter.KEYWORD_ONLY, default=None)
    columns = [
        column(name, annotation=getattr(kind, "__forward_arg__", kind))
        for name, kind in RowColumns.__annotations__.items()
    ]
    shown = signature(metric).replace(parameters=[*own, *columns])

    @wraps(metric)
    def checked(*args: Any, **named: Any) -> Any:
        for name in named.keys() - shown.parameters:
            message = f"{metric.__name__}() got an unexpected keyword argument {name!r}"
            raise ArgumentTypeError(message)
        return metric(*args, **named)

    checked.__signature__ = shown  # type: ignore[attr-defined]
    return checked  # type: ignore[return-value]


@with_columns
def rule_loss(
    y_true: ArrayLike, y_proba: ArrayLike, *, rule: Rule | str, **columns: Unpack[RowColumns]
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
        Sampling weights; rows of weight 0 do not count, whatever their loss.
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
    judge, rows = GivenRows(y_true, y_proba, **columns).judged(rule)
    mean: float = judge.mean_price(*rows) if isinstance(rows, ClassRows) else judge(*rows)
    return mean


def score_samples(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    rule: Rule | str,
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
    judge, rows = GivenRows(y_true, y_proba, None, labels, pos_label).judged(rule)
    if isinstance(rows, ClassRows):
        return judge.prices(rows.y, rows.p)
    return judge.loss(rows.y, rows.p)


@with_columns
def brier_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    scale_by_half: bool | Literal["auto"] = "auto",
    **columns: Unpack[RowColumns],
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
    result = rule_loss(y_true, y_proba, rule=BRIER, **columns)
    if scale_by_half == "auto":
        return result
    several = is_table(y_proba) and _rows.columns_of_table(y_proba) > 2
    if check_flag(scale_by_half, "scale_by_half"):
        return result / 2 if several else result
    return result if several else 2 * result


@with_columns
def log_loss(y_true: ArrayLike, y_proba: ArrayLike, **columns: Unpack[RowColumns]) -> float:
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
    return rule_loss(y_true, y_proba, rule=Log(), **columns)


@with_columns
def spherical_loss(y_true: ArrayLike, y_proba: ArrayLike, **columns: Unpack[RowColumns]) -> float:
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
    return rule_loss(y_true, y_proba, rule=Spherical(), **columns)


@with_columns
def bounded_brier_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    within: Interval | tuple[float, float],
    **columns: Unpack[RowColumns],
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
    return rule_loss(y_true, y_proba, rule=Bounded(Brier(), as_interval(within)), **columns)


@with_columns
def bounded_log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    within: Interval | tuple[float, float],
    **columns: Unpack[RowColumns],
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
    return rule_loss(y_true, y_proba, rule=Bounded(Log(), as_interval(within)), **columns)


@with_columns
def ranked_probability_loss(
    y_true: ArrayLike, y_proba: ArrayLike, **columns: Unpack[RowColumns]
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
    return rule_loss(y_true, y_proba, rule=RPS(), **columns)


@with_columns
def ranked_log_loss(y_true: ArrayLike, y_proba: ArrayLike, **columns: Unpack[RowColumns]) -> float:
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
    return rule_loss(y_true, y_proba, rule=RankedLog(), **columns)


@with_columns
def penalized_brier_loss(
    y_true: ArrayLike, y_proba: ArrayLike, **columns: Unpack[RowColumns]
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
    return rule_loss(y_true, y_proba, rule=PBS(), **columns)


@with_columns
def penalized_log_loss(
    y_true: ArrayLike, y_proba: ArrayLike, **columns: Unpack[RowColumns]
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
    return rule_loss(y_true, y_proba, rule=PLL(), **columns)


@with_columns
def miscalibration(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    rule: Rule | str = BRIER,
    **columns: Unpack[RowColumns],
) -> float:
    """Return what recalibration would save of a score at most: the lower, the better.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`.
    rule : Rule
        A proper rule for one event; of more than two classes, one that
        `properly.decompose` can split.

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
    return _parts(rule, GivenRows(y_true, y_proba, **columns)).miscalibration


@with_columns
def calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    norm: Literal["l1", "l2", "max"] = "l1",
    squared: bool = False,
    n_bins: int = 15,
    strategy: Literal["uniform", "quantile"] = "uniform",
    **columns: Unpack[RowColumns],
) -> float:
    r"""Return a binned calibration error: the lower, the better.

    With the distance :math:`d_b` between event rate and mean forecast of a bin, and its share
    :math:`s_b` of the weight,

    .. math:: \ell_1 = \sum_b s_b d_b, \qquad \ell_2 = \sqrt{\textstyle\sum_b s_b d_b^2}, \qquad
        \max = \max_b d_b .

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, pos_label
        As in `rule_loss`; one column, or two.
    norm : {"l1", "l2", "max"}
        The expected error (ECE), the root of the mean square, or the greatest error (MCE).
    squared : bool
        Leave the root out; for ``norm="l2"`` alone.
    n_bins : int
        How many bins.
    strategy : {"uniform", "quantile"}
        Bins of equal width, or with about equally many cases each.

    Returns
    -------
    float

    Notes
    -----
    Names are those under discussion for a function of scikit-learn [1]_. All of these numbers are
    too large by chance, and depend on the bins; see `properly.calibration.calibration_error`, which
    says by about how much. `miscalibration` needs no bins.

    References
    ----------
    .. [1] `scikit-learn pull request 34261
       <https://github.com/scikit-learn/scikit-learn/pull/34261>`__

    Examples
    --------
    >>> from properly.integrations.sklearn import calibration_error
    >>> y, p = [0, 1, 0, 1, 1, 1], [0.25, 0.25, 0.5, 0.5, 0.75, 0.75]
    >>> round(calibration_error(y, p), 4), calibration_error(y, p, norm="max")
    (0.1667, 0.25)
    """
    check_choice(norm, ("l1", "l2", "max"), "norm")
    check_choice(strategy, ("uniform", "quantile"), "strategy")
    check_flag(squared, "squared")
    if squared and norm != "l2":
        message = f"squared is for norm='l2'; got norm={norm!r}"
        raise DataError(message)
    cases = GivenRows(y_true, y_proba, **columns).cases()
    found = binned_error(cases, bins=n_bins, scheme="width" if strategy == "uniform" else "count")
    if norm == "l2":
        return found.squared if squared else math.sqrt(found.squared)
    return found.expected if norm == "l1" else found.maximum


@with_columns
def discrimination(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    rule: Rule | str = BRIER,
    **columns: Unpack[RowColumns],
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
    return _parts(rule, GivenRows(y_true, y_proba, **columns)).discrimination


@with_columns
def net_benefit(
    y_true: ArrayLike, y_proba: ArrayLike, *, threshold: float, **columns: Unpack[RowColumns]
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
    cases = GivenRows(y_true, y_proba, **columns).cases()
    return at_threshold(cases, threshold).net_benefit


def _parts(rule: Rule | str, given: GivenRows) -> Decomposition | ClassDecomposition:
    """Split the score of one event, or of several classes."""
    rule = require_rule(rule)
    if not is_table(given.p):
        return decompose(given.cases(), require_binary(rule))
    rows, names = given.classes(ordered=_rows.needs_order(rule))
    if len(names) > 2:
        _rows.require_no_event(given.pos_label, len(names))
    elif isinstance(rule, BinaryRule):
        return decompose(
            _rows.as_cases(_rows.event_among(rows, _rows.position(given.pos_label, names))), rule
        )
    return decompose(_rows.as_cases(rows), rule)
