"""Comparison of models on the same cases, or where some forecasts are missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from properly._boundary._options import as_number, check_choice, check_whole
from properly._boundary._synonyms import with_argument_hints
from properly.comparison import _pair_tests as pair_tests
from properly.comparison._differences import is_area
from properly.comparison._gaps import answers_of, compare_answers
from properly.comparison._pair_tests import REPLICATES, Adjust, Method, Missing, Options
from properly.counts._answers import Answers
from properly.counts._cases import Forecasts, contenders, side_by_side
from properly.errors import DataError
from properly.rules import Brier, Rule
from properly.rules._rule import as_rule
from properly.typing import ArrayLike

if TYPE_CHECKING:
    import numpy as np

    from properly.comparison._pairs import Comparison
    from properly.inference._design import Serial


@with_argument_hints
def compare(
    y: ArrayLike | Answers,
    forecasts: Forecasts | None = None,
    *others: ArrayLike,
    rule: Rule | str | None = None,
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
    adjust: Adjust = "max-t",
    margin: float | None = None,
    replicates: int = REPLICATES,
    serial: Serial = "cosines",
    labels: Sequence[object] | None = None,
    pos_label: object = None,
    normalize: bool = False,
    missing: Missing = "refuse",
) -> Comparison:
    r"""Compare models on the same cases, pair by pair.

    Everything rests on the differences of losses :math:`d_i = s_i^A - s_i^B`, case by case. Their
    mean has the influences :math:`w_i (d_i - \bar d) / W`, and these have the variance that the
    design says: of independent cases, clusters, strata, or times, with the formulas and degrees of
    freedom of `properly.score_interval`. The interval is :math:`\bar d \pm t_\nu \sqrt V`.

    Parameters
    ----------
    y : array-like, or Answers
        Outcomes: booleans, 0 and 1, two labels with `pos_label`; of several classes, their numbers,
        labels with `labels`, or rows with a single 1. Or all that forecasters answered.
    forecasts : dict of array-like, or data frame
        Probabilities of the event by model, or of the classes, one column each. A frame has one
        column a model. Or the forecasts of the first model.
    *others : array-like
        The forecasts of the other models, one after the other; the rule may be last. Models are
        called after their columns, else ``"model 1"``, ``"model 2"`` and so on.
    rule : Rule, its name, or "auc", optional
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
    adjust : {"max-t", "none"}
        Adjust p-values and simultaneous intervals for the number of pairs, or leave both as those
        of single pairs.
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
    missing : {"refuse", "complete", "pairwise", "two-way"}
        What to do where forecasts are missing: use the cases that all models forecast, those that
        both models of a pair forecast, or all of them, by effects of cases and models as
        `properly.leaderboard` does.

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

    **Many pairs**: the single-step max-t method [5]_ decides. The largest of Student's t variables
    that are correlated as the differences are is drawn [6]_. An adjusted p-value is the probability
    that it reaches the t of the pair; a simultaneous interval reaches :math:`c \sqrt V`, with c its
    quantile. So a model is called better where the simultaneous interval excludes zero, and the
    adjusted p-value is at most 1 - `level` there and nowhere else. Where degrees of freedom differ
    between pairs, c is the quantile of each pair's own t at the level that c has. Tests of
    equivalence within a margin are adjusted by Holm's method [8]_.

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

    Changes of sign are exact if the two models may change places in each case. Where they decide,
    Student's t must reject too, and the simultaneous interval is extended to zero if signs do not
    reject. They do not help if
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
    .. [5] P. H. Westfall, S. S. Young (1993). Resampling-based multiple testing: examples and
       methods for p-value adjustment. Wiley.
    .. [6] J. L. Montiel Olea, M. Plagborg-Møller (2019). Simultaneous confidence bands: theory,
       implementation, and an application to SVARs. Journal of Applied Econometrics 34:1-17.
       `doi:10.1002/jae.2656 <https://doi.org/10.1002/jae.2656>`__
    .. [7] O. V. Demler, M. J. Pencina, R. B. D'Agostino (2012). Misuse of DeLong test to compare
       AUCs for nested models. Statistics in Medicine 31:2577-2587. `doi:10.1002/sim.5328
       <https://doi.org/10.1002/sim.5328>`__
    .. [8] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6:65-70.

    Examples
    --------
    Those who were in the same accident make a cluster:

    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> three = {name: crash.forecasts[name] for name in ("logistic", "boosting", "forest")}
    >>> found = properly.compare(crash.died, three, rule=Brier(), clusters=crash.cluster, rng=1)
    >>> print(found)
    logistic is better than boosting by 0.0008323 Brier
        (95 % simultaneous interval 9.048e-05 to 0.001574).
    logistic is better than forest by 0.007263 Brier
        (95 % simultaneous interval 0.005633 to 0.008893).
    boosting is better than forest by 0.006431 Brier
        (95 % simultaneous interval 0.004983 to 0.007879).
    <BLANKLINE>
    row minus column    logistic     boosting      forest
    logistic                  -   -0.0008323*  -0.007263*
    boosting          0.0008323*           -   -0.006431*
    forest             0.007263*    0.006431*          -
    >>> found.adjusted_p_value.round(3)
    array([0.024, 0.   , 0.   ])

    Two models need no names, and the Brier score is the rule unless another is named:

    >>> y, p, q = crash.died, crash.forecasts["logistic"], crash.forecasts["forest"]
    >>> print(properly.compare(y, p, q))
    model 1 is better than model 2 by 0.007263 Brier (95 % interval 0.005933 to 0.008593).
    """
    if others and (isinstance(others[-1], str) or not hasattr(others[-1], "__len__")):
        others, rule = others[:-1], others[-1]
    rule = Brier() if rule is None else rule if is_area(rule) else as_rule(rule)
    options = Options.of(
        rule,
        level,
        rng,
        horizon=check_whole(horizon, "horizon"),
        method=check_method(method, rule, clusters, time, horizon),
        adjust=check_choice(adjust, get_args(Adjust), "adjust"),
        margin=None if margin is None else check_margin(margin),
        replicates=check_whole(replicates, "replicates"),
    )
    reading: dict[str, Any] = {"labels": labels, "pos_label": pos_label, "normalize": normalize}
    known: dict[str, Any] = {"weight": weight, "count": count, "clusters": clusters}
    known |= {"strata": strata, "time": time}
    check_choice(missing, get_args(Missing), "missing")
    if missing != "refuse" or forecasts is None or isinstance(y, Answers):
        answers = answers_of(y, forecasts, others, reading, known)
        return compare_answers(answers, options, reference, missing, serial)
    models = contenders(y, side_by_side(forecasts, others), **reading, **known)
    return pair_tests.compare_models(models, options, reference, serial)


def check_method(
    method: Method, rule: object, clusters: object, time: object, horizon: int
) -> Method:
    """Take a method that goes with the design."""
    check_choice(method, get_args(Method), "method")
    if method == "diebold-mariano" and time is None:
        message = "the test of Diebold and Mariano is for a series; got no time"
        raise DataError(message, hint="pass time=range(len(y)) if the rows are in order.")
    if method == "diebold-mariano" and clusters is not None:
        message = "the test of Diebold and Mariano is for one series; these cases have clusters"
        raise DataError(message, hint="leave out method: clusters by times are allowed for.")
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
