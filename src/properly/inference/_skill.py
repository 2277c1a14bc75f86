"""Skill: how much of what could be gained over a reference was gained."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from properly._boundary._arrays import check_column, check_forecasts, check_rows
from properly._boundary._classes import ClassRows, check_class_rows, check_probabilities, is_table
from properly._boundary._libraries import namespace, to_library_of, to_numpy, without_gradient
from properly._boundary._options import check_choice
from properly.counts._isotonic import recalibrate
from properly.counts._scoring import class_shares, mean_loss, score_of_classes, share_saved
from properly.counts._tally import as_tally
from properly.errors import DataError
from properly.rules import BetaWeighted, BinaryRule
from properly.rules._class_rule import as_rows, require_class_rule, require_no_labels
from properly.rules._regret import as_prior
from properly.rules._rule import require_binary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.counts._cases import Cases
    from properly.counts._tally import Tally
    from properly.rules import ClassRule, Rule
    from properly.typing import Array, ArrayLike

Prior: TypeAlias = Literal["hand", "severity", "event_rate", "uniform", "logit"] | BinaryRule

PRIORS = ("hand", "severity", "event_rate", "uniform", "logit")


def skill(
    y: ArrayLike,
    p: ArrayLike,
    rule: Rule,
    *,
    weight: ArrayLike | None = None,
    reference: float | ArrayLike | None = None,
    labels: Sequence[object] | None = None,
) -> float:
    r"""Compare a mean score with that of a reference.

    .. math:: 1 - \bar S / \bar S_\text{ref} ,

    which is 1 for a perfect forecast, 0 for the reference, and negative for what is worse than it.

    Parameters
    ----------
    y : array-like
        Outcomes: booleans, or 0 and 1. Of several classes, their numbers or labels, or rows with a
        single 1.
    p : array-like of shape (n,) or (n, K)
        Probabilities of the event, or of the classes, one column each.
    rule : BinaryRule or ClassRule
        The rule that prices both.
    weight : array-like, optional
        Case weights; rows of weight 0 do not count.
    reference : float or array-like, optional
        One forecast for all cases, or one a case, such as those of the model in use. Without it,
        the event rate of the sample, or the shares of the classes: the best constant under every
        proper rule.
    labels : sequence, optional
        What each column of class probabilities stands for.

    Returns
    -------
    float
        Never more than 1.

    Notes
    -----
    A reference that never errs, such as the event rate of outcomes that are all alike, has the
    score 0: the skill is then NaN for a forecast that does not err either, else minus infinity.
    A forecast of infinite score has the skill minus infinity, or NaN if the reference is infinite
    too; against an infinite reference every finite score has the skill 1.

    The event rate of the sample is known only afterwards, and a forecaster who knew it would have a
    small advantage; give `reference` a rate from elsewhere if that matters. Skill depends on the
    event rate, so between populations it is compared with care.

    References
    ----------
    .. [1] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528
       <https://arxiv.org/abs/2504.04528>`__

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Bounded, Brier
    >>> y, p = [0, 0, 0, 1], [0.25, 0.0, 0.25, 0.5]
    >>> properly.skill(y, p, Brier())
    0.5
    >>> properly.skill(y, p, Brier(), reference=0.5)
    0.625
    >>> round(properly.skill(y, p, Bounded(Brier(), (0.3, 0.6))), 4)
    0.7273
    >>> from properly.rules import RPS
    >>> properly.skill([0, 1, 2, 0], [[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1], [1, 0, 0]], RPS())
    0.8571428571428572
    """
    if is_table(p):
        rule = require_class_rule(rule)
        rows = check_class_rows(y, p, weight, labels=labels, ordered=rule.needs_order)
        return _skill_of_classes(rows, rule, reference)
    require_no_labels(labels)
    rule = require_binary(rule)
    y, p, weight = check_rows(y, p, weight)
    p, xp = without_gradient(p), namespace(p)
    other = None if reference is None else _reference(reference, p)
    weight = _widened(weight, p)
    events = xp.where(y, weight, xp.zeros_like(weight))
    if other is None:
        other = _constant(float(xp.sum(events)) / float(xp.sum(weight)), p)
    return share_saved(*(mean_loss(x, weight, events, rule) for x in (p, other)))


def _skill_of_classes(rows: ClassRows, rule: ClassRule, reference: Any) -> float:
    """Compare with the shares of the classes, one forecast for all cases, or one a case."""
    y, p = to_numpy(rows.y), to_numpy(without_gradient(rows.p))
    weight = None if rows.weight is None else to_numpy(rows.weight)
    if reference is None:
        other = class_shares(y, weight, p.shape[1])[None]
    else:
        other = to_numpy(check_probabilities(as_rows(reference), name="the reference"))
    if other.shape[1] != p.shape[1] or other.shape[0] not in (1, p.shape[0]):
        message = (
            f"a reference is one row of {p.shape[1]} probabilities, or one for each of "
            f"{p.shape[0]} cases; got shape {other.shape}"
        )
        raise DataError(message)
    return share_saved(*(score_of_classes(rule, y, x, weight) for x in (p, other)))


def h_measure(tally: Tally | Cases, prior: Prior = "hand") -> float:
    r"""Measure what the forecasts could do after perfect recalibration.

    .. math:: H = 1 - \frac{\bar S_C}{\bar S_R} = \frac{\text{DSC}}{\text{UNC}} ,

    with :math:`\bar S_C` the mean regret, over a prior of thresholds, of the isotonically
    recalibrated forecasts and :math:`\bar S_R` that of the constant event rate.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    prior : {"hand", "severity", "event_rate", "uniform", "logit"} or BinaryRule
        Which thresholds matter. With :math:`\pi` the event rate: ``"hand"`` is Beta(2, 2),
        ``"severity"`` is Beta(2, :math:`1 / \pi`), whose mode is :math:`\pi` and which packages
        named after the measure use unless told otherwise, and ``"event_rate"`` is
        Beta(:math:`1 + \pi`, :math:`2 - \pi`). ``"uniform"`` and ``"logit"`` are those of `Regret`.
        Or the weight of any proper rule.

    Returns
    -------
    float
        0 if the forecasts do not discriminate at all, 1 if they do perfectly. NaN if all outcomes
        are alike, since nothing could then be discriminated.

    Notes
    -----
    The thresholds of the H-measure are applied not to the forecasts as they are but to the best
    increasing function of them: the upper hull of the ROC curve. It is the `properly.skill` of the
    *recalibrated* forecasts, not an average of regret that anybody has had. Any increasing change
    of the forecasts leaves it as it is, so it is blind to miscalibration; read it beside the
    miscalibration of `properly.decompose`. The two priors that follow the event rate make values
    from different populations incomparable.

    Only the bins of the recalibration are priced, which are few however many the cases.

    References
    ----------
    .. [1] D. J. Hand (2009). Measuring classifier performance: a coherent alternative to the area
       under the ROC curve. Machine Learning 77:103-123. `doi:10.1007/s10994-009-5119-5
       <https://doi.org/10.1007/s10994-009-5119-5>`__
    .. [2] D. J. Hand, C. Anagnostopoulos (2014). A better Beta for the H measure of classification
       performance. Pattern Recognition Letters 40:41-46. `doi:10.1016/j.patrec.2013.12.011
       <https://doi.org/10.1016/j.patrec.2013.12.011>`__

    Examples
    --------
    >>> import properly
    >>> y = [0, 1, 0, 0, 1, 1]
    >>> p = [0.1, 0.2, 0.4, 0.5, 0.7, 0.8]
    >>> round(properly.h_measure(properly.tally(y, p)), 4)
    0.5654
    >>> overconfident = [0.001, 0.002, 0.004, 0.9, 0.99, 0.999]
    >>> round(properly.h_measure(properly.tally(y, overconfident)), 4)
    0.5654
    """
    t = as_tally(tally)
    if not isinstance(prior, BinaryRule):
        check_choice(prior, PRIORS, "prior")
    rate = t.event_rate
    if rate in (0.0, 1.0):
        return math.nan
    rule = _rule_of(prior, rate)
    fit = recalibrate(t)
    best = mean_loss(fit.event_rate, fit.weight, fit.events, rule)
    # Recalibration is never worse than a constant; at most rounding says so.
    return max(share_saved(best, mean_loss(*fit.pooled(), rule)), 0.0)


def _reference(reference: float | ArrayLike, p: Array) -> Array:
    """Check reference forecasts: a number is that of all cases."""
    single = isinstance(reference, Real) or getattr(reference, "ndim", None) == 0
    found = check_forecasts([float(reference)] if single else reference, "reference forecasts")
    if single:
        return _constant(float(found[0]), p)
    return to_library_of(without_gradient(check_column(found, "reference forecasts", p)), p)


def _constant(forecast: float, p: Array) -> Array:
    """Make the same forecast for all cases."""
    xp = namespace(p)
    return xp.full_like(p, forecast, dtype=xp.float64)


def _widened(weight: Array | None, p: Array) -> Array:
    """Widen weights for their sum; without any, each case counts once."""
    xp = namespace(p)
    if weight is None:
        return xp.ones_like(p, dtype=xp.int64)
    return xp.astype(without_gradient(weight), xp.float64)


def _rule_of(prior: Prior, rate: float) -> BinaryRule:
    """Make a rule of the name of a prior."""
    if prior in ("uniform", "logit") or isinstance(prior, BinaryRule):
        return as_prior(prior)
    parameters = {"hand": (2, 2), "severity": (2, 1 / rate), "event_rate": (1 + rate, 2 - rate)}
    return BetaWeighted(*parameters[prior])
