"""Comparison of models on the same cases: differences, their standard errors and p-values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from properly._boundary._options import (
    as_generator,
    as_number,
    check_choice,
    check_level,
    check_whole,
)
from properly.comparison._differences import (
    Signs,
    is_area,
    long_run,
    score_areas,
    score_models,
    sign_flip,
)
from properly.comparison._pairs import Comparison
from properly.counts._models import contenders, side_by_side
from properly.counts._scoring import unit_of
from properly.errors import DataError
from properly.inference._auc import logit_interval
from properly.inference._design import Design
from properly.inference._estimate import Estimate
from properly.inference._means import about_design, warn_of_clusters, warn_of_few
from properly.inference._multiplicity import holm, holm_bounds, sup_t_of_pairs
from properly.inference._variance import covariance
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.comparison._differences import Index, Influences, ModelScores
    from properly.counts._cases import Cases
    from properly.counts._models import Forecasts
    from properly.inference._design import Serial
    from properly.rules import Rule
    from properly.typing import ArrayLike, Column


Method: TypeAlias = Literal["auto", "t", "diebold-mariano", "sign-flip"]
Adjust: TypeAlias = Literal["holm", "none"]

# With fewer cases that differ, signs are changed instead of trusting Student's t.
FEW = 20
# A variance this much smaller than those it is the difference of is computed anew.
CANCELLED = 1e-6
ROUNDING = 1e-14
# Changes of sign that are drawn.
REPLICATES = 1999


@dataclass(frozen=True)
class Options:
    """What a comparison is to be made by."""

    rule: Rule | Literal["auc"]
    level: float
    rng: np.random.Generator
    method: Method = "auto"
    horizon: int = 1
    adjust: str = "holm"
    margin: float | None = None
    replicates: int = REPLICATES

    @property
    def by_area(self) -> bool:
        """Whether areas under the ROC curve are compared."""
        return isinstance(self.rule, str)


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scores of models, the pairs to compare, and by what.

    Attributes
    ----------
    pairs : tuple of pairs of int
        The numbers of the models.
    scored : ModelScores
        What the models score.
    options : Options
        What to compare them by.
    """

    pairs: tuple[Index, ...]
    scored: ModelScores
    options: Options

    @cached_property
    def ends(self) -> tuple[Column, Column]:
        """The numbers of the first models, and of the second."""
        first, second = np.array(self.pairs).T.copy()
        return first, second

    @property
    def degrees(self) -> float:
        """Degrees of freedom; DeLong's normal has infinitely many."""
        rows = self.scored.rows
        alone = rows is None or (rows.design.cluster is None and rows.design.time is None)
        return math.inf if self.options.by_area and alone else float(self.scored.spread.degrees)

    def differences(self) -> Column:
        """Subtract the scores; of two infinite ones there is no difference."""
        first, second = self.ends
        with np.errstate(invalid="ignore"):
            result: Column = self.scored.value[first] - self.scored.value[second]
        return result

    def squared_errors(self) -> Column:
        """Return the variances of the differences, from the covariance of the scores."""
        (first, second), c = self.ends, self.scored.spread.covariance
        with np.errstate(invalid="ignore"):
            return np.asarray(c[first, first] + c[second, second] - 2 * c[first, second])


class Margins(NamedTuple):
    """The standard error of each difference, its degrees of freedom, and how it was found."""

    error: Column
    degrees: Column
    methods: list[str]


def margins(pairs: PairScores) -> Margins:
    """Find how far off each difference may be."""
    scored, square = pairs.scored, pairs.squared_errors()
    degrees = np.full(len(square), pairs.degrees)
    methods = ["DeLong" if pairs.options.by_area else "Student's t"] * len(square)
    if scored.paired is not None:
        square = scored.paired.square
    if scored.rows is not None:
        _look_closer(pairs, scored.rows, square, degrees, methods)
    error = np.sqrt(np.maximum(square, 0))
    # What differs by the same amount in all cases varies by rounding alone.
    first, second = (np.abs(scored.value[x]) for x in pairs.ends)
    with np.errstate(invalid="ignore"):
        error[error <= ROUNDING * (first + second)] = 0.0
    return Margins(error, degrees, methods)


def _look_closer(
    pairs: PairScores, rows: Influences, square: Column, degrees: Column, methods: list[str]
) -> None:
    """Find from the cases those variances that the covariance of scores does not tell."""
    options, design = pairs.options, rows.design
    if options.method == "diebold-mariano":
        for k in np.flatnonzero(~np.isnan(square)).tolist():
            run = long_run(design.totals(rows.between(pairs.pairs[k])[None])[0], options.horizon)
            square[k], degrees[k], methods[k] = run.error**2, run.degrees, run.method
        return
    alone = np.diagonal(pairs.scored.spread.covariance)
    # A small difference of large numbers keeps few digits; this way keeps all.
    closer = square < CANCELLED * sum(alone[x] for x in pairs.ends)
    if design.serial == "newey-west-auto":
        closer = ~np.isnan(square)
    for k in np.flatnonzero(closer).tolist():
        square[k] = covariance(rows.between(pairs.pairs[k])[None], design).covariance[0, 0]


def p_values(pairs: PairScores, margin: Margins) -> tuple[Column, Column]:
    """Test every difference against zero, and tell which p-values are bounds.

    Methods are noted where they are others than asked.
    """
    difference, options, scored = pairs.differences(), pairs.options, pairs.scored
    p = student_p(difference, margin.error, margin.degrees, scored.differing)
    timed = scored.rows is not None and scored.rows.design.time is not None
    few = (scored.differing < FEW) & (options.method == "auto") & (not timed)
    is_bound = np.zeros(len(p), dtype=bool)
    flip = (few & (not options.by_area)) | (options.method == "sign-flip")
    for k in np.flatnonzero(flip & (scored.differing > 0) & np.isfinite(difference)).tolist():
        (p[k], is_bound[k]), margin.methods[k] = _of_signs(pairs, k)
    return np.asarray(p), is_bound


def student_p(
    difference: Column, error: Column, degrees: Column | float, differing: Column
) -> Column:
    """Test differences against zero by Student's t; what never differs has a p-value of 1."""
    from scipy.special import stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(degrees, -np.abs(difference / error))
    p[~((degrees > 0) & (error > 0))] = np.nan
    p[(differing == 0) & (difference == 0)] = 1.0
    return np.asarray(p)


def _of_signs(pairs: PairScores, k: int) -> tuple[Signs, str]:
    """Change signs at random; without the cases, bound what that would have given."""
    scored, options = pairs.scored, pairs.options
    if scored.rows is not None:
        apart = scored.rows.losses_apart(pairs.pairs[k], scored.value)
        total = scored.rows.design.totals(apart[None])[0]
        return sign_flip(total, options.replicates, options.rng), "sign flips"
    size = math.nan if scored.paired is None else float(scored.paired.size[k])
    return Signs(float(most_signs(size)), is_bound=True), "sign flips, bounded"


def most_signs(size: Column | float) -> Column:
    r"""Bound the p-value of changes of sign, given only how large a sum is.

    If the sum of terms d is x times the root of the sum of their squares, then at most the share
    :math:`2 c\, \Phi(-|x|)` of all changes of sign make it as large, whatever the terms, with
    :math:`1 / c = 4\, \Phi(-\sqrt 2)` [1]_.

    References
    ----------
    .. [1] V. K. Bentkus, D. Dzindzalieta (2015). A tight Gaussian bound for weighted sums of
       Rademacher random variables. Bernoulli 21:1231-1237. `doi:10.3150/14-BEJ603
       <https://doi.org/10.3150/14-BEJ603>`__
    """
    from scipy.special import ndtr

    return np.asarray(np.minimum(ndtr(-np.abs(size)) / (2 * ndtr(-math.sqrt(2))), 1.0))


def joint_quantile(pairs: PairScores, margin: Margins) -> float:
    """Return how many standard errors the intervals of all pairs must reach to hold at once."""
    errors = np.sqrt(np.maximum(pairs.squared_errors(), 0))
    errors[~(margin.error > 0)] = 0.0
    return sup_t_of_pairs(
        pairs.scored.spread.covariance,
        pairs.ends,
        errors,
        level=pairs.options.level,
        degrees=float(margin.degrees.min()),
        rng=pairs.options.rng,
    )


def ratios(pairs: PairScores) -> tuple[Column, Column]:
    """Divide the scores, and find the standard errors of these ratios; areas have none."""
    (first, second), scored = pairs.ends, pairs.scored
    if pairs.options.by_area:
        return np.full(len(first), np.nan), np.full(len(first), np.nan)
    c = pairs.scored.spread.covariance
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = scored.value[first] / scored.value[second]
        ratio[~np.isfinite(scored.value[first]) | ~np.isfinite(scored.value[second])] = np.nan
        square = c[first, first] - 2 * ratio * c[first, second] + ratio**2 * c[second, second]
        if scored.paired is not None:
            # The same, by the variance of the difference, which keeps all its digits.
            rest = (1 - ratio) * (c[first, first] - ratio * c[second, second])
            square = rest + ratio * scored.paired.square
        return ratio, np.sqrt(np.maximum(square, 0)) / np.abs(scored.value[second])


def equivalence(pairs: PairScores, result: Margins) -> Column:
    """Test whether each difference is as large as the margin, by two one-sided tests."""
    from scipy.special import stdtr

    difference, margin = pairs.differences(), pairs.options.margin
    if margin is None:
        return np.full(len(difference), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = (difference + margin, margin - difference)
        p = np.maximum(*(stdtr(result.degrees, -side / result.error) for side in sides))
    p[~(result.error > 0)] = np.nan
    p[(pairs.scored.differing == 0) & (difference == 0)] = 0.0
    return np.asarray(p)


def compare(
    y: ArrayLike,
    forecasts: Forecasts,
    *others: ArrayLike,
    rule: Rule | Literal["auc"] | None = None,
    weight: ArrayLike | None = None,
    count: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    time: ArrayLike | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator | None = None,
    reference: str | None = None,
    method: Method = "auto",
    horizon: int = 1,
    adjust: Adjust = "holm",
    margin: float | None = None,
    replicates: int = REPLICATES,
    serial: Serial = "cosines",
    labels: Sequence[object] | None = None,
    pos_label: object = None,
    normalize: bool = False,
) -> Comparison:
    r"""Compare models on the same cases, pair by pair.

    Everything rests on the differences of losses :math:`d_i = s_i^A - s_i^B`, case by case. Their
    mean has the influences :math:`w_i (d_i - \bar d) / W`, and these have the variance that the
    design says: of independent cases, clusters, strata, or times, with the formulas and degrees of
    freedom of `properly.score_interval`. The interval is :math:`\bar d \pm t_\nu \sqrt V`.

    Parameters
    ----------
    y : array-like
        Outcomes: booleans, 0 and 1, two labels with `pos_label`; of several classes, their numbers,
        labels with `labels`, or rows with a single 1.
    forecasts : dict of array-like, or data frame
        Probabilities of the event by model, or of the classes, one column each. A frame has one
        column a model. Or the forecasts of the first model.
    *others : array-like
        The forecasts of the other models, one after the other; the rule may be last. Models are
        called after their columns, else ``"model 1"``, ``"model 2"`` and so on.
    rule : Rule or "auc", optional
        What to compare by; unless said otherwise, `Brier`. ``"auc"`` compares areas under the ROC
        curve, as DeLong does.
    weight : array-like, optional
        Weights of a sample that represents some cases more than others; only their ratios matter.
    count : array-like of int, optional
        How many like cases each row stands for.
    clusters, strata : array-like, optional
        Cases of one cluster may depend on one another; so many were drawn from each stratum.
    time : array-like, optional
        Numbers or dates: cases may depend on those shortly before. Cases of one time are added up.
    level : float
        How sure to be.
    rng : int or numpy Generator, optional
        Seed or source of the randomness, for simultaneous intervals and changes of sign.
    reference : str, optional
        Compare every other model with this one, rather than all pairs.
    method : {"auto", "t", "diebold-mariano", "sign-flip"}
        ``"t"``: Student's t of the design. ``"sign-flip"``: models change places at random in each
        case or cluster. ``"diebold-mariano"``: for forecasts `horizon` steps ahead, with the
        correction for small samples; needs `time`. ``"auto"`` is Student's t unless fewer than 20
        cases differ, then sign flips.
    horizon : int
        How many steps ahead forecasts of a series are made, for Diebold and Mariano.
    adjust : {"holm", "none"}
        Whether p-values allow for the number of pairs.
    margin : float, optional
        A difference that does not matter, in units of the score and chosen beforehand. Two
        one-sided tests then say whether models are as good as each other within it.
    replicates : int
        Changes of sign that are drawn.
    serial : {"cosines", "newey-west", "newey-west-auto"}
        How to allow for dependence in time, as in `properly.score_interval`.
    labels : sequence of labels, optional
        What each column of class probabilities stands for, in order.
    pos_label : label, optional
        The label of the event.
    normalize : bool
        Divide rows of class probabilities by their sums.

    Returns
    -------
    Comparison

    Notes
    -----
    **What the interval is about**: these fitted models, on the population that the cases come from.
    That the models would be others had they been trained on other data is not part of it.

    **Overlapping intervals** of two scores say little: the scores are of the same cases, and what
    is hard for one model is hard for the other. The difference is known much better than either.

    **Infinite scores** are not dropped. If one of two scores is infinite so is the difference, and
    there is no p-value; if both are there is no difference either.

    **Many pairs**: p-values are adjusted by Holm's method [5]_. Simultaneous intervals reach
    :math:`c \sqrt V`, with c the quantile of the largest of Student's t variables that are
    correlated as the differences are [6]_. The two need not agree at the border: Holm's method goes
    on once the clearest difference is found.

    **Ratios** of scores, r, have the influences :math:`w_i (s_i^A - r s_i^B) / (W \bar S_B)` and
    intervals on the scale of logarithms.

    **Diebold and Mariano**: forecasts h steps ahead depend on one another for h - 1 steps, so
    :math:`V = (\gamma_0 + 2 \sum_{j < h} \gamma_j) / T`, divided by
    :math:`(T + 1 - 2 h + h (h - 1) / T) / T`, with T - 1 degrees of freedom [1]_ [2]_.

    A difference of net benefit at the threshold t is minus that of `Elementary` over
    :math:`1 - t`, with the same p-value; see `properly.decisions.decision_difference`. The p-value
    of a difference of skills is that of the scores.

    Areas under the ROC curve of nested models, fitted to the same data, are not to be compared in
    this way: the test is degenerate [7]_. Compare their scores on other data.

    Changes of sign are exact if the two models may change places in each case. They do not help if
    differences are skewed: at the 5 % level both tests then reject some 7 % of true hypotheses at
    40 cases.

    References
    ----------
    .. [1] F. X. Diebold, R. S. Mariano (1995). Comparing predictive accuracy. Journal of Business &
       Economic Statistics 13:253-263. `doi:10.1080/07350015.1995.10524599
       <https://doi.org/10.1080/07350015.1995.10524599>`__
    .. [2] D. Harvey, S. Leybourne, P. Newbold (1997). Testing the equality of prediction mean
       squared errors. International Journal of Forecasting 13:281-291.
       `doi:10.1016/S0169-2070(96)00719-4 <https://doi.org/10.1016/S0169-2070(96)00719-4>`__
    .. [3] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (1988). Comparing the areas under two or
       more correlated receiver operating characteristic curves: a nonparametric approach.
       Biometrics 44:837-845. `doi:10.2307/2531595 <https://doi.org/10.2307/2531595>`__
    .. [4] D. J. Schuirmann (1987). A comparison of the two one-sided tests procedure and the power
       approach for assessing the equivalence of average bioavailability. Journal of
       Pharmacokinetics and Biopharmaceutics 15:657-680. `doi:10.1007/BF01068419
       <https://doi.org/10.1007/BF01068419>`__
    .. [5] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6:65-70.
    .. [6] J. L. Montiel Olea, M. Plagborg-Møller (2019). Simultaneous confidence bands: theory,
       implementation, and an application to SVARs. Journal of Applied Econometrics 34:1-17.
       `doi:10.1002/jae.2656 <https://doi.org/10.1002/jae.2656>`__
    .. [7] O. V. Demler, M. J. Pencina, R. B. D'Agostino (2012). Misuse of DeLong test to compare
       AUCs for nested models. Statistics in Medicine 31:2577-2587. `doi:10.1002/sim.5328
       <https://doi.org/10.1002/sim.5328>`__

    Examples
    --------
    Those who were in the same accident make a cluster:

    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> three = {name: crash.forecasts[name] for name in ("logistic", "boosting", "forest")}
    >>> found = properly.compare(crash.died, three, rule=Brier(), clusters=crash.cluster, rng=1)
    >>> print(found)
    logistic is better than boosting by 0.0008323 Brier (95 % interval 0.0002056 to 0.001459).
    logistic is better than forest by 0.007263 Brier (95 % interval 0.005886 to 0.00864).
    boosting is better than forest by 0.006431 Brier (95 % interval 0.005207 to 0.007654).
    <BLANKLINE>
    row minus column     logistic     boosting      forest
    logistic                   -   -0.0008323*  -0.007263*
    boosting           0.0008323*           -   -0.006431*
    forest              0.007263*    0.006431*          -
    >>> found.p_value.round(4)
    array([0.0093, 0.    , 0.    ])

    Two models need no names, and the Brier score is the rule unless another is named:

    >>> y, p, q = crash.died, crash.forecasts["logistic"], crash.forecasts["forest"]
    >>> print(properly.compare(y, p, q))
    model 1 is better than model 2 by 0.007263 Brier (95 % interval 0.005933 to 0.008593).
    """
    if others and (isinstance(others[-1], str) or not hasattr(others[-1], "__len__")):
        others, rule = others[:-1], others[-1]
    rule = Brier() if rule is None else rule
    options = Options(
        rule=rule,
        level=check_level(level),
        horizon=check_whole(horizon, "horizon"),
        method=check_method(method, rule, time, horizon),
        adjust=check_choice(adjust, get_args(Adjust), "adjust"),
        margin=None if margin is None else check_margin(margin),
        replicates=check_whole(replicates, "replicates"),
        rng=as_generator(rng),
    )
    reading: dict[str, Any] = {"labels": labels, "pos_label": pos_label, "normalize": normalize}
    reading |= {"weight": weight, "count": count, "clusters": clusters, "strata": strata}
    reading["time"] = time
    models = contenders(y, side_by_side(forecasts, others), **reading)
    return _compare(models, options, reference, serial)


def compare_cases(
    models: dict[str, Cases],
    rule: Rule | Literal["auc"],
    *,
    level: float,
    rng: int | np.random.Generator | None,
) -> Comparison:
    """Compare models whose cases are checked already, all pairs, as `compare` does."""
    return _compare(models, Options(rule, level, as_generator(rng)))


def _compare(
    models: dict[str, Cases],
    options: Options,
    reference: str | None = None,
    serial: Serial = "cosines",
) -> Comparison:
    """Score the models, pair them, and say what the design allows."""
    pairs, cases = as_pairs(tuple(models), reference), next(iter(models.values()))
    design = Design.of(cases, serial)
    if is_area(options.rule):
        scored = score_areas(models, design, pairs)
    else:
        scored = score_models(models, options.rule, design, pairs)
    warn_of_few(cases)
    warn_of_clusters(design)
    return compared(tuple(models), PairScores(pairs, scored, options), about_design(design))


def check_method(method: Method, rule: object, time: object, horizon: int) -> Method:
    """Take a method that goes with the design."""
    check_choice(method, get_args(Method), "method")
    if method == "diebold-mariano" and time is None:
        message = "the test of Diebold and Mariano is for a series; got no time"
        raise DataError(message, hint="pass time=range(len(y)) if the rows are in order.")
    if method != "diebold-mariano" and horizon != 1:
        message = f"a horizon is for the test of Diebold and Mariano; got horizon={horizon!r}"
        raise DataError(message, hint='pass method="diebold-mariano".')
    if method == "sign-flip" and time is not None:
        message = "changes of sign take cases, or clusters, as independent; these have times"
        raise DataError(message, hint='leave out method="sign-flip".')
    if is_area(rule) and method in ("sign-flip", "diebold-mariano"):
        message = f"areas under the ROC curve are compared as DeLong does; got method={method!r}"
        raise DataError(message, hint="leave out method; areas are no means of losses.")
    return method


def check_margin(margin: float) -> float:
    """Take a margin that is more than nothing."""
    result = as_number(margin, "margin")
    if not 0 < result < math.inf:
        message = f"a margin must be a positive number, in units of the score; got {result:g}"
        raise DataError(message)
    return result


def as_pairs(models: tuple[str, ...], reference: str | None) -> tuple[Index, ...]:
    """Say which models to compare, by their numbers."""
    if reference is None:
        return tuple(combinations(range(len(models)), 2))
    if str(reference) not in models:
        message = f"a reference is the name of a model; got {reference!r}"
        raise DataError(message, hint=f"models: {', '.join(map(repr, models))}.")
    last = models.index(str(reference))
    return tuple((i, last) for i in range(len(models)) if i != last)


def compared(names: tuple[str, ...], pairs: PairScores, about: dict[str, Any]) -> Comparison:
    """Put the comparison of all pairs together."""
    options, difference, result = pairs.options, pairs.differences(), margins(pairs)
    quantile = student_quantiles(result.degrees, options.level)
    together = np.maximum(quantile, joint_quantile(pairs, result))
    p_value, is_bound = p_values(pairs, result)
    adjusts = options.adjust == "holm"
    ratio, ratio_error = ratios(pairs)
    equal = equivalence(pairs, result)
    return Comparison(
        models=names,
        pairs=tuple((names[i], names[j]) for i, j in pairs.pairs),
        difference=difference,
        standard_error=result.error,
        interval=_around(difference, quantile, result.error),
        p_value=p_value,
        adjusted_p_value=holm(p_value) if adjusts else p_value.copy(),
        p_is_bound=is_bound,
        adjusted_p_is_bound=holm_bounds(p_value, is_bound) if adjusts else is_bound.copy(),
        simultaneous=_around(difference, together, result.error),
        differing=pairs.scored.differing,
        ratio=ratio,
        ratio_error=ratio_error,
        ratio_interval=_around_ratio(ratio, quantile, ratio_error),
        equivalence_p_value=equal,
        adjusted_equivalence_p_value=holm(equal) if adjusts else equal.copy(),
        methods=tuple(result.methods),
        scores=_estimates(names, pairs, about),
        degrees=float(result.degrees.min()),
        level=options.level,
        margin=options.margin,
        rule="auc" if isinstance(options.rule, str) else options.rule.name,
        unit="AUC" if isinstance(options.rule, str) else unit_of(options.rule),
        adjust=options.adjust,
        higher_is_better=options.by_area,
        **about,
    )


def student_quantiles(degrees: Column, level: float) -> Column:
    """Return quantiles of Student's t, NaN without a degree of freedom."""
    from scipy.special import stdtrit

    # Pairs mostly have the same degrees of freedom, and a quantile takes its time.
    some, place = np.unique(degrees, return_inverse=True)
    quantile = np.where(some > 0, stdtrit(np.maximum(some, 1), (1 + level) / 2), np.nan)
    return np.asarray(quantile[place])


def _around(middle: Column, quantile: Column, error: Column) -> Column:
    """Reach as many standard errors either side; one end of an infinite difference is known."""
    half = np.where(error > 0, quantile * error, np.nan)
    result = np.stack([middle - half, middle + half], axis=1)
    result[middle == math.inf, 1] = math.inf
    result[middle == -math.inf, 0] = -math.inf
    return result


def _around_ratio(ratio: Column, quantile: Column, error: Column) -> Column:
    """Do the same on the scale of logarithms."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        factor = np.exp(quantile * error / ratio)
        result = np.stack([ratio / factor, ratio * factor], axis=1)
    result[~(error > 0)] = np.nan
    return result


def _estimates(
    names: tuple[str, ...], pairs: PairScores, about: dict[str, Any]
) -> dict[str, Estimate]:
    """Say of each model what it scores, and how far off that may be."""
    level, scored = pairs.options.level, pairs.scored
    quantile = student_quantiles(np.array([pairs.degrees]), level)[0]
    result = {}
    for k, error in enumerate(pairs.scored.spread.errors.tolist()):
        value, (count, share) = float(scored.value[k]), scored.infinite[k]
        if pairs.options.by_area:
            ends, method = logit_interval(value, error, quantile), "DeLong, logit"
        else:
            low, high = _around(np.array([value]), quantile, np.array([error]))[0].tolist()
            ends, method = (low, high), "Student's t"
        result[names[k]] = Estimate(
            value, error, ends, level, pairs.degrees, method, **about,
            infinite_cases=count, infinite_share=share,
        )  # fmt: skip
    return result
