"""Confidence intervals of means and of ratios of means: score, skill, net benefit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from properly._boundary._classes import check_class_rows, is_table
from properly._boundary._libraries import infinities, namespace, to_library_of, without_gradient
from properly._boundary._notices import notice
from properly._boundary._options import check_choice, check_inside, check_level
from properly._boundary._synonyms import with_argument_hints
from properly.counts._baselines import reference_forecasts
from properly.counts._calls import takes_rows
from properly.counts._cases import Cases, has_classes, require_event, rows_in_use
from properly.counts._isotonic import recalibrate
from properly.counts._scoring import mean_loss, price, share_saved
from properly.counts._tally import Tally, as_tally
from properly.errors import ImproperRuleError
from properly.inference._averages import UNKNOWN, Amounts, Averages, Estimate, Pair, around, average
from properly.inference._design import Serial
from properly.inference._shares import ShareTerm, design_effect, normal, reach, student, variance
from properly.inference._variance import has_design
from properly.rules import BetaWeighted, BinaryRule, Rule
from properly.rules._class_rule import require_class_rule
from properly.rules._combinators import as_prior
from properly.rules._rule import as_rule, require_binary, require_no_labels
from properly.typing import Array, ArrayLike

Prior: TypeAlias = Literal["hand", "severity", "event_rate", "uniform", "logit"] | BinaryRule
PRIORS = ("hand", "severity", "event_rate", "uniform", "logit")


@takes_rows
def score_interval(
    cases: Tally | Cases,
    rule: Rule | str = "brier",
    *,
    level: float = 0.95,
    serial: Serial = "cosines",
) -> Estimate:
    r"""Estimate a mean score with its standard error and confidence interval.

    .. math:: \bar S \pm t_{\nu} \sqrt{V}, \qquad
        V = \sum_{g} \frac{1}{1 - h_g} \Big(\sum_{i \in g} \frac{w_i (s_i - \bar S)}{W}\Big)^2 ,
        \qquad h_g = \sum_{i \in g} \frac{w_i}{W} ,

    over G clusters, with Satterthwaite's degrees of freedom :math:`\nu`, both as Bell and McCaffrey
    have them [4]_. For clusters of equal weight, and for single cases, the factor is
    :math:`G / (G - 1)` and :math:`\nu = G - 1`. With strata, each has a sum with that factor about
    its own mean, as surveys have, and as many degrees of freedom are lost as there are strata.

    Of T times the influences of each are added up to :math:`U_t`; with
    :math:`\nu = \lfloor 0.4\, T^{2/3} \rfloor` the variance is

    .. math:: V = \frac T\nu \sum_{j = 1}^{\nu} L_j^2, \qquad
        L_j = \sqrt{\frac 2T} \sum_t U_t \cos \frac{\pi j (t - 1/2)}T ,

    with :math:`\nu` degrees of freedom [1]_. Only the order of times counts, not how far they are
    apart.

    Clusters that are seen at times, such as stations day by day, are a panel. With
    :math:`V_\text{own}` the sum of the variances of the series of each cluster, its variance is

    .. math:: V = \max(V_\text{clusters} + V_\text{times} - V_\text{own},\;
        V_\text{clusters},\; V_\text{times}) ,

    with the lesser of both degrees of freedom [3]_. It allows for clusters that are lastingly off
    as well as for shocks that all of them share.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened. `Cases` say how they were sampled: weights, clusters,
        strata, time. A tally is one of independent cases.
    rule : Rule or str
        Any rule, for an event or for classes, or its name.
    level : float
        How sure to be.
    serial : {"cosines", "newey-west", "newey-west-auto"}
        How to allow for dependence in time: equally weighted cosines, or autocovariances up to a
        lag, :math:`\lfloor 4 (T / 100)^{2/9} \rfloor`, or one that also goes by the data [2]_. Of
        clusters at times, cosines alone.

    Returns
    -------
    Estimate

    Notes
    -----
    This is the design of a survey: clusters are its primary sampling units, strata those of
    stratified sampling, weights inverse probabilities of being drawn.

    Weights are those of a sample that represents some cases more than others: only their ratios
    matter, and whole ones are weights too. Numbers of like cases are counts: ``count=``. A tally of
    weighted cases does not know how many there were; their effective number takes the place of G.

    The interval is intersected with the rule's range, in which the expected score lies for sure. If
    all losses are equal there is none. If a loss is infinite so is the score, there is no standard
    error, and `infinite_cases` counts such cases; they are never clipped or dropped.

    Student's t covers some per cent less than it says with fewer than about 20 events, or as few
    others, or fewer than 20 clusters of equal size, which is warned of.

    References
    ----------
    .. [1] E. Lazarus, D. J. Lewis, J. H. Stock, M. W. Watson (2018). HAR inference: recommendations
       for practice. Journal of Business & Economic Statistics 36:541-559.
       `doi:10.1080/07350015.2018.1506926 <https://doi.org/10.1080/07350015.2018.1506926>`__
    .. [2] W. K. Newey, K. D. West (1994). Automatic lag selection in covariance matrix estimation.
       Review of Economic Studies 61:631-653. `doi:10.2307/2297912
       <https://doi.org/10.2307/2297912>`__
    .. [3] H. D. Chiang, B. E. Hansen, Y. Sasaki (2022). Standard errors for two-way clustering with
       serially correlated time effects. `doi:10.48550/arXiv.2201.11304
       <https://doi.org/10.48550/arXiv.2201.11304>`__
    .. [4] R. M. Bell, D. F. McCaffrey (2002). Bias reduction in standard errors for linear
       regression with multi-stage samples. Survey Methodology 28:169-181.

    Examples
    --------
    Who was in the same accident is not independent:

    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> alone = properly.Cases(crash.died, crash.forecasts["logistic"])
    >>> together = properly.Cases(crash.died, crash.forecasts["logistic"], clusters=crash.cluster)
    >>> print(properly.score_interval(alone, Brier()))
    0.03302 (95 % interval 0.03001 to 0.03604; 8,879 independent cases)
    >>> print(properly.score_interval(together, Brier()))
    0.03302 (95 % interval 0.02983 to 0.03621; 4,973 clusters)
    """
    level = check_level(level)
    rule = as_rule(rule)
    means = average(cases, _losses(cases, rule), serial)
    return score_of_means(means, level, _range_of(cases, rule))


def score_of_means(result: Averages, level: float, bounds: Pair) -> Estimate:
    """Put an interval around the first mean, within the range of the losses."""
    value, error = float(result.mean[0]), float(result.spread.errors[0])
    ends = around(value, error, student(result.spread.degrees, level))
    return estimate_of(
        result, (value, error), within_range(ends, bounds, value), level, "Student's t"
    )


def _range_of(cases: Tally | Cases, rule: Rule) -> Pair:
    return loss_range(rule, cases.classes if isinstance(cases, Cases) else None)


def loss_range(rule: Rule, classes: int | None) -> Pair:
    """Return the least and the greatest loss; an event is not priced as two classes are."""
    return rule.range_for(classes) if classes else require_binary(rule).range


def within_range(interval: Pair, bounds: Pair, value: float) -> Pair:
    """Intersect an interval with the range of the losses, in which every mean of them lies."""
    (low, high), (least, greatest) = interval, bounds
    # Rounding may take the mean itself beyond an end.
    return max(low, min(least, value)), min(high, max(greatest, value))


@takes_rows
def skill_interval(
    cases: Tally | Cases,
    rule: Rule | str = "brier",
    *,
    reference: float | ArrayLike | None = None,
    level: float = 0.95,
    serial: Serial = "cosines",
) -> Estimate:
    r"""Say how far off a skill may be.

    With :math:`r = \bar S / \bar S_\text{ref}`, of influences
    :math:`w_i (s_i - r s_i^\text{ref}) / (W \bar S_\text{ref})`, it reaches from
    :math:`1 - r e^{t e / r}` to :math:`1 - r e^{-t e / r}`, where :math:`e` is the standard error
    of :math:`r`.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts and what happened.
    rule : Rule or str
        The rule that prices both, or its name.
    reference : float or array-like, optional
        One forecast for all cases, or, with `Cases`, one a case. Without it, the event rate of the
        sample, or the shares of the classes.
    level : float
        How sure to be.
    serial : {"cosines", "newey-west", "newey-west-auto"}
        As in `properly.score_interval`.

    Returns
    -------
    Estimate

    Notes
    -----
    That the event rate is an estimate itself does not matter, but for smaller terms, because a
    proper rule is least at the event rate: its slope there is 0. An improper rule needs a
    `reference`.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> cases = properly.Cases(crash.died, crash.forecasts["logistic"], clusters=crash.cluster)
    >>> print(properly.inference.skill_interval(cases, Brier()))
    0.1752 (95 % interval 0.1446 to 0.2047; 4,973 clusters)
    """
    level = check_level(level)
    return skill_of_means(_beside_reference(cases, as_rule(rule), reference, serial), level)


def score_and_skill(
    cases: Tally | Cases, rule: Rule, reference: ArrayLike | None, level: float
) -> tuple[Estimate, Estimate]:
    """Say how far off both may be; each case is priced once."""
    result = _beside_reference(cases, rule, reference, "cosines")
    return score_of_means(result, level, _range_of(cases, rule)), skill_of_means(result, level)


def _beside_reference(
    cases: Tally | Cases, rule: Rule, reference: float | ArrayLike | None, serial: Serial
) -> Averages:
    """Average the losses of forecasts, and of the reference."""
    own = _losses(cases, rule)
    if reference is None and not rule.is_proper:
        message = (
            f"without a reference, the skill of an improper rule has no interval; got {rule!r}"
        )
        raise ImproperRuleError(message, hint="pass reference=, one forecast for all cases.")
    other = reference_forecasts(cases, reference)
    classes = has_classes(cases)

    def both(y: Array, p: Array) -> Array:
        xp = namespace(p)
        if other.shape != (1,):
            rival = to_library_of(np.broadcast_to(other, p.shape), p)
            rival = price(rule, y, rival, classes=classes)
        else:
            # One forecast for all cases has two prices.
            pair = price(rule, np.array([True, False]), np.repeat(other, 2), classes=False)
            event, none = to_library_of(pair, p)
            if isinstance(p, np.ndarray):
                # In place: these are the longest columns there are.
                rows = np.full((2, len(p)), none)
                rows[1, y] = event
                price(rule, y, p, classes=False, out=rows[0])
                return rows
            rival = xp.where(y, event, none)
        return xp.stack([own(y, p)[0], rival])

    return average(cases, both, serial)


def skill_of_means(result: Averages, level: float) -> Estimate:
    """Put an interval around one less the ratio of the first mean to the second."""
    ratio, error = result.ratio()
    quantile = student(result.spread.degrees, level)
    interval = around_ratio(ratio, error, quantile)
    # An infinite reference leaves nothing to compare with, whatever the forecasts.
    label = "log ratio" if math.isfinite(result.mean[1]) else "the reference has an infinite score"
    return estimate_of(result, (1 - ratio, error), interval, level, label)


@takes_rows
def net_benefit_interval(
    cases: Tally | Cases,
    threshold: float,
    *,
    standardized: bool = False,
    level: float = 0.95,
    serial: Serial = "cosines",
) -> Estimate:
    r"""Say how far off net benefit at a threshold may be.

    Net benefit is the mean of :math:`[p_i \ge t] (y_i - (1 - y_i)\, t / (1 - t))`.

    Parameters
    ----------
    cases : Tally or Cases
        The forecasts of one event and what happened.
    threshold : float
        ``0 < threshold < 1``; a forecast of exactly that is acted upon.
    standardized : bool
        Divide by the event rate, which is then an estimate too.
    level : float
        How sure to be.
    serial : {"cosines", "newey-west", "newey-west-auto"}
        As in `properly.score_interval`.

    Returns
    -------
    Estimate

    Notes
    -----
    The interval is put together from score intervals of the shares of true and of false alarms, as
    those of `properly.at_threshold` are, with as many cases as have the standard error found. With
    some six events among 100 or 200 cases it covers in 95 to 97 % of simulated samples, where
    Student's t covers in 78 to 95 %. Standardized net benefit has Student's t. Where nobody is
    acted upon net benefit is 0 without an interval.

    Examples
    --------
    >>> import properly
    >>> crash = properly.datasets.crash()
    >>> cases = properly.Cases(crash.died, crash.forecasts["logistic"], clusters=crash.cluster)
    >>> print(properly.inference.net_benefit_interval(cases, 0.1))
    0.0191 (95 % interval 0.01565 to 0.02298; 4,973 clusters)
    """
    level = check_level(level)
    t = check_inside(threshold, "threshold")
    if isinstance(cases, Cases):
        require_event(cases)

    def gained(y: Array, p: Array) -> Array:
        xp, (right, wrong) = namespace(p), to_library_of(np.array([1.0, -t / (1 - t)]), p)
        event, acts = xp.astype(y, xp.float64), p >= t
        gain = xp.where(acts, xp.where(y, right, wrong), 0.0)
        return xp.stack([gain, event, xp.where(acts, event, 0.0)])

    result = average(cases, gained, serial)
    value, error = float(result.mean[0]), float(result.spread.errors[0])
    interval, label = UNKNOWN, "score" if _acts(cases, t) else f"no case at or above {t:g}"
    if standardized:
        (value, error), label = result.ratio(), "Student's t" if label == "score" else label
        interval = around(value, error, student(result.spread.degrees, level))
    elif error > 0:
        is_alone = not (isinstance(cases, Cases) and has_design(cases))
        interval = _score_of_alarms(result, t / (1 - t), level, is_alone=is_alone)
    return estimate_of(result, (value, error), interval, level, label)


def _score_of_alarms(result: Averages, odds: float, level: float, *, is_alone: bool) -> Pair:
    """Put score intervals of true and of false alarms together, with the variance found."""
    n, square = result.about["effective_cases"], float(result.spread.covariance[0, 0])
    true = float(result.mean[2])
    false = max((true - float(result.mean[0])) / odds, 0.0)
    terms = ShareTerm(1.0, true, possible=True), ShareTerm(-odds, false, possible=True)
    quantile = normal(level) if is_alone else student(result.spread.degrees, level)
    # What rounding leaves of the variance of independent cases is no effect of their design.
    effect = design_effect(square * (1 - 1 / n) if is_alone else square, variance(*terms, n))
    down, up = reach(*terms, n / effect, quantile)
    value = float(result.mean[0])
    return max(value - float(down), -odds), min(value + float(up), 1.0)


def _losses(cases: Tally | Cases, rule: Rule) -> Amounts:
    """Prepare to price cases, a row for the one mean there is."""
    classes = has_classes(cases)
    checked = require_class_rule(rule) if classes else require_binary(rule)
    return lambda y, p: price(checked, y, p, classes=classes)[None]


def estimate_of(
    averages: Averages, of: Pair, interval: Pair, level: float, method: str
) -> Estimate:
    """Gather what was found; an infinite score has no standard error and no upper end."""
    (value, error), (count, share) = of, averages.infinite
    if share > 0 and not math.isnan(value):
        value, error, interval = math.copysign(math.inf, value), math.nan, (math.nan, math.inf)
        if value < 0:
            interval = (-math.inf, math.nan)
    degrees = averages.spread.degrees
    return Estimate(
        value, error, interval, level, degrees, method, **averages.about,
        infinite_cases=count, infinite_share=share,
    )  # fmt: skip


def around_ratio(ratio: float, error: float, quantile: float) -> Pair:
    """Turn an interval of the logarithm of a ratio into one of a skill."""
    if not error > 0:
        return UNKNOWN
    if ratio == 0:
        return 1 - quantile * error, 1 + quantile * error
    factor = math.exp(min(quantile * error / ratio, 700.0))
    return 1 - ratio * factor, 1 - ratio / factor


def _acts(cases: Tally | Cases, threshold: float) -> bool:
    p = rows_in_use(cases).p if isinstance(cases, Cases) else as_tally(cases).value
    return bool((p >= threshold).any())


@with_argument_hints
def skill(
    y: ArrayLike,
    p: ArrayLike,
    rule: Rule | str = "brier",
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
    rule : Rule or str
        The rule that prices both, or its name.
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
        cases = Cases(rows.y, without_gradient(rows.p), weight=rows.weight)
    else:
        require_no_labels(labels)
        rule, cases = require_binary(rule), Cases(y, p, weight=weight)
    y, p, weight, _ = rows_in_use(cases)
    other = np.broadcast_to(reference_forecasts(cases, reference), p.shape)
    with infinities():
        either = (price(rule, y, x, classes=cases.classes is not None) for x in (p, other))
        return share_saved(*(float(loss @ weight) for loss in either))


@takes_rows
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
        0 if the forecasts do not discriminate at all, 1 if they do perfectly. NaN, with a warning,
        if all outcomes are alike, since nothing could then be discriminated.

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
    >>> round(properly.inference.h_measure(properly.tally(y, p)), 4)
    0.5654
    >>> overconfident = [0.001, 0.002, 0.004, 0.9, 0.99, 0.999]
    >>> round(properly.inference.h_measure(properly.tally(y, overconfident)), 4)
    0.5654
    """
    t = as_tally(tally)
    if not isinstance(prior, BinaryRule):
        check_choice(prior, PRIORS, "prior")
    rate = t.event_rate
    if rate in (0.0, 1.0):
        notice("all outcomes are alike: the H-measure, a share of their uncertainty, is NaN")
        return math.nan
    rule = _rule_of(prior, rate)
    fit = recalibrate(t)
    best = mean_loss(fit.event_rate, fit.weight, fit.events, rule)
    # Recalibration is never worse than a constant; at most rounding says so.
    return max(share_saved(best, mean_loss(*fit.pooled(), rule)), 0.0)


def _rule_of(prior: Prior, rate: float) -> BinaryRule:
    """Make a rule of the name of a prior."""
    if prior in ("uniform", "logit") or isinstance(prior, BinaryRule):
        return as_prior(prior)
    parameters = {"hand": (2, 2), "severity": (2, 1 / rate), "event_rate": (1 + rate, 2 - rate)}
    return BetaWeighted(*parameters[prior])
