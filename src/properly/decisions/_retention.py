"""Retention curves: a metric of decisions as the cases with the worst scores are removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from properly._boundary._arrays import as_array, as_floats, as_numbers, check_column, refuse
from properly._boundary._libraries import read_only, to_numpy
from properly._boundary._options import as_drawing, check_flag, check_level
from properly._boundary._record import Record, columns_of, plain
from properly._boundary._text import many, printable
from properly.counts._cases import number_ids
from properly.decisions import _removal as removal
from properly.decisions._grid import check_increasing
from properly.decisions._removal import ERRORS, KAPPA, SHARES, Judged, Metric, Ties
from properly.errors import ArgumentTypeError, DataError
from properly.inference._averages import Estimate
from properly.rules import Rule
from properly.rules._penalty import Cost
from properly.rules._rule import as_rule
from properly.typing import Array, ArrayLike, Column

ORACLE = "oracle (hard cost)"


@dataclass(frozen=True, eq=False, repr=False)
class Retention(Record):
    """A metric of decisions, as the cases with the worst scores are removed.

    Attributes
    ----------
    removed : array
        Shares of the cases that are removed.
    value : array
        The metric of those that are kept.
    kept : array
        How many these are.
    metric : str
        The name of the metric.
    ties : str
        ``"stable"`` or ``"average"``: how cases with equal scores were removed.
    aurc, excess_aurc, augrc : Estimate or None
        Of the error rate and of rules: the mean of the metric over all numbers of kept cases, how
        much that is above the best order, and the mean loss over all cases that kept ones make.

    Examples
    --------
    >>> import properly
    >>> curve = properly.retention_curve(
    ...     [0.1, 0.2, 0.9, 0.3], [0, 1, 2, 1], [0, 1, 0, 0], metric="expected_cost",
    ...     removed=[0, 0.25, 0.5]
    ... )
    >>> curve
    Retention(expected_cost with 0 to 50 % removed, area 0.4792)
    >>> curve.kept, curve.value
    (array([4, 3, 2]), array([1.25      , 0.33333333, 0.        ]))
    """

    removed: Column
    value: Column
    kept: Column
    metric: str
    ties: str
    aurc: Estimate | None = None
    excess_aurc: Estimate | None = None
    augrc: Estimate | None = None

    _derived = ("area", "area_percent")
    _optional = ("aurc", "excess_aurc", "augrc")
    _series = ("removed", "kept", "value")

    @property
    def area(self) -> float:
        """Area under the curve divided by the range of `removed`: a mean of the metric."""
        return area_under(self.removed, self.value)

    @property
    def area_percent(self) -> float:
        """Area under the curve with the removed share in percent, as the paper prints it."""
        return self.area * _width(self.removed)

    def __repr__(self) -> str:
        whole = "" if self.aurc is None else f", AURC {self.aurc.value:.4g}"
        return f"Retention({_text(self)}, area {self.area:.4g}{whole})"


@dataclass(frozen=True)
class AreaEstimate:
    """An area, or the difference of two, and what it is in random replicates.

    Attributes
    ----------
    area : float
        Of the cases themselves.
    mean, standard_deviation : float
        Of the replicates; the squares are divided by one less than their number.
    lower, upper : float
        Quantiles of the replicates: an interval that leaves out equally many on both sides.
    """

    area: float
    mean: float
    standard_deviation: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False, repr=False)
class RetentionStudy(Record):
    """Retention curves of several scores on the same cases and replicates.

    Attributes
    ----------
    curves : dict of Retention by name
        The curve of each score.
    bands : dict of two arrays by name
        For each score, quantiles of the replicates at each removed share, the lower and the upper
        one: between them lie `level` of the values at any one share, not of the whole curves.
    areas : dict of AreaEstimate by name
        The area of each, divided by the range of removed shares.
    differences : dict of AreaEstimate by two names
        For each pair of scores, the area of the first minus that of the second, paired: both are
        computed from the same replicates, so what these have in common cancels.
    drawn_areas : array, one row a replicate, one column a score
        The areas that all means, deviations and intervals are computed from.
    level : float
        Share of the replicates that lie within each interval.
    clusters : int or None
        The number of clusters that were drawn from; None if cases were drawn one by one.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import RPS
    >>> y = [0, 1, 2, 1, 0, 2]
    >>> P = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.5, 0.3, 0.2],
    ...      [0.5, 0.4, 0.1], [0.8, 0.1, 0.1], [0.1, 0.4, 0.5]]
    >>> study = properly.decisions.retention_study({"RPS": RPS().loss(y, P)}, y, P, removed=[0,
    ...     0.5], rng=1)
    >>> study
    RetentionStudy(2 scores, quadratic_weighted_kappa with 0 to 50 % removed, 50 replicates)
    >>> study.differences["RPS", "oracle (hard cost)"].area
    0.0
    """

    curves: dict[str, Retention]
    bands: dict[str, tuple[Column, Column]]
    areas: dict[str, AreaEstimate]
    differences: dict[tuple[str, str], AreaEstimate]
    drawn_areas: Column
    level: float
    clusters: int | None = None

    @property
    def area_percent(self) -> dict[str, AreaEstimate]:
        """The areas with the removed share in percent, as the paper prints them."""
        width = _width(self._any.removed)
        return {
            name: AreaEstimate(*(width * x for x in vars(area).values()))
            for name, area in self.areas.items()
        }

    def __repr__(self) -> str:
        scores = many(len(self.curves), "score")
        whole = "" if self.clusters is None else f" of {many(self.clusters, 'cluster')}"
        return f"RetentionStudy({scores}, {_text(self._any)}, {self._drawn}{whole})"

    def __str__(self) -> str:
        shown = {name: printable(name) for name in self.areas}
        wide = max(len(name) for name in shown.values())
        below = _text(self._any, " over the removed share in percent, {} to {}")
        rows = (
            f"{shown[name]:<{wide}}  {area.mean:8.2f} ± {area.standard_deviation:.2f}"
            for name, area in self.area_percent.items()
        )
        return "\n".join([f"Area under {below}: mean ± sd of {self._drawn}", *rows])

    def to_dict(self) -> dict[str, Any]:
        """Return curves, bands, areas, differences and drawn areas as JSON can hold them."""
        ends = {k: dict(zip(("lower", "upper"), x, strict=True)) for k, x in self.bands.items()}
        pairs = [
            {"first": first, "second": second} | vars(area)
            for (first, second), area in self.differences.items()
        ]
        return dict(plain(self._row() | {"bands": ends, "differences": pairs}))

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a score, with its area."""
        return columns_of({"score": name} | vars(area) for name, area in self.areas.items())

    @property
    def _any(self) -> Retention:
        return next(iter(self.curves.values()))

    @property
    def _drawn(self) -> str:
        return many(len(self.drawn_areas), "replicate")


def area_under(share: Column, value: Column) -> float:
    """Return the mean height of the straight lines through points: their area over the range."""
    area = np.diff(share) @ (value[1:] + value[:-1]) / 2
    return float(area / (share[-1] - share[0]))


def _estimate(area: float, drawn: Column, ends: tuple[float, float]) -> AreaEstimate:
    lower, upper = np.quantile(drawn, ends).tolist()
    return AreaEstimate(area, float(drawn.mean()), float(drawn.std(ddof=1)), lower, upper)


def _width(share: Column) -> float:
    """Return how many percent lie between the least and the greatest removed share."""
    return 100 * float(share[-1] - share[0])


def _text(curve: Retention, between: str = " with {} to {} % removed") -> str:
    """Say of what a curve is, and how much is removed along it."""
    lowest, highest = (f"{100 * share:.4g}" for share in curve.removed[[0, -1]])
    return curve.metric + between.format(lowest, highest)


def retention_curve(
    scores: ArrayLike,
    y: ArrayLike,
    P_or_d: ArrayLike | None = None,
    *,
    metric: Metric = KAPPA,
    removed: ArrayLike | None = None,
    ties: Ties = "stable",
    labels: int | Iterable[object] | None = None,
    cost: Cost = "quadratic",
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Retention:
    r"""Remove the cases with the worst scores and judge the decisions on the rest.

    With :math:`m(r)` the metric of the decisions that are left once the :math:`\lfloor r n \rfloor`
    cases with the highest scores are removed, the area is

    .. math:: \frac{1}{r_R - r_0} \sum_{i=1}^{R} (r_i - r_{i-1}) \frac{m(r_{i-1}) + m(r_i)}{2} .

    Parameters
    ----------
    scores : array-like
        One number a case; the highest are removed first. Infinity is allowed. To keep the most
        confident cases, hand in the confidence with a minus.
    y : array-like
        What happened: class numbers, or labels.
    P_or_d : array-like
        Class probabilities, one row a case and one column a class: decided for is the likeliest
        class, of several the lowest. Or decisions, one a case: classes or, if costs have not as
        many columns as rows, columns of them. They are fixed once, on all cases. For a rule,
        forecasts: class probabilities, or one number a case for one event. Left out for the error
        rate, `y` says which cases were right: 1, and which wrong: 0.
    metric : {"quadratic_weighted_kappa", "expected_cost", "error_rate"}, Rule or callable
        What is computed of the cases that are kept. Of a rule it is the mean loss. A function is
        called with class numbers and decisions, in the order of the rows, and returns a number.
    removed : array-like, optional
        Increasing shares of the cases; 0, 0.01, …, 0.2 if left out. At least one case is kept.
    ties : {"stable", "average"}
        Of equal scores, remove the later row first, or take the mean over all orders: of costs,
        errors and losses exactly, of kappa by the mean confusion table. Not for functions.
    labels : int or list of labels, optional
        The number of classes, or their labels in order. Needed if `y` are labels; else there are
        as many classes as columns or, with decisions, as a matrix of costs has rows or as the
        highest number says.
    cost : {"zero_one", "linear", "quadratic"} or matrix
        What a decision costs, for the expected cost: one row a class, one column a decision.
        Other metrics do not use it.
    clusters : array-like, optional
        An id for each case, the same for cases that are not independent, such as answers to one
        question. For the intervals of `aurc`, `excess_aurc` and `augrc`.
    level : float
        How sure these are to hold the true value.

    Returns
    -------
    Retention

    Notes
    -----
    *Selective answering.* Of losses :math:`l_i`, in the order in which cases are kept, the
    selective risk of k cases is their mean loss, :math:`r_k`. For the error rate and for rules,

    .. math:: \text{AURC} = \frac 1n \sum_{k=1}^n r_k, \qquad
        \text{AUGRC} = \frac 1n \sum_{k=1}^n \frac kn r_k ,

    over all numbers of kept cases, whatever `removed` and `ties` are [2]_ [4]_. Cases of equal
    scores are in random order, and these are the exact means over all orders: a score that says
    nothing has the plain mean loss. The excess is what the AURC is above that of the best order,
    by the losses themselves (E-AURC) [3]_.

    Intervals come from the slopes of these sums in the weight of each case, added up by cluster,
    with Student's t; they are symmetric on the scale of log-odds, of rules on that of logarithms.
    Of 2,000 samples each, those of 95 % held the AURC of the error rate in 93.9 to 94.4 % with 100
    cases, in 93.8 to 94.6 % with 500 and in 94.2 to 95.3 % with 2,000. Confidences were calibrated,
    tied, useless, or of questions with five answers each. Few errors lower it: with about five in
    100 cases it was 89 %, in 500 cases 93 %. The excess is held one or two per cent less often,
    and of 1,000 samples with 100 cases the area of the Brier score in 90 to 95 %. An area of 0 has
    no interval.

    Quadratic weighted kappa always has the weights of all classes, whichever are kept. It is NaN,
    and the area with it, where outcomes and decisions are all one class.

    If the scores are losses, they know the outcomes, and the curve cannot say which score is
    better. The mean cost of the kept cases is least, at every share, if those with the largest
    costs are removed; so the cost itself is the best score there can be for the expected cost,
    and the area says how closely a score ranks cases like the cost of the hard decision. Scores
    that do without outcomes, from `properly.decisions.rejection_scores`, make a curve that can be
    acted on: what remains if cases are referred to somebody else.

    References
    ----------
    .. [1] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. Medical
       Image Computing and Computer Assisted Intervention. `arXiv:2309.08701
       <https://arxiv.org/abs/2309.08701>`__
    .. [2] Y. Ding, J. Liu, J. Xiong, Y. Shi (2020). Revisiting the evaluation of uncertainty
       estimation and its application to explore model complexity-uncertainty trade-off.
       `arXiv:1903.02050 <https://arxiv.org/abs/1903.02050>`__
    .. [3] Y. Geifman, G. Uziel, R. El-Yaniv (2019). Bias-reduced uncertainty estimation for deep
       neural classifiers. International Conference on Learning Representations.
       `arXiv:1805.08206 <https://arxiv.org/abs/1805.08206>`__
    .. [4] J. Traub, T. J. Bungert, C. T. Lüth, M. Baumgartner, K. H. Maier-Hein, L. Maier-Hein,
       P. F. Jaeger (2024). Overcoming common flaws in the evaluation of selective classification
       systems. `arXiv:2407.01032 <https://arxiv.org/abs/2407.01032>`__

    Examples
    --------
    >>> import properly
    >>> scores, y, d = [0.1, 0.2, 0.9, 0.3], [0, 1, 2, 1], [0, 1, 0, 0]
    >>> curve = properly.retention_curve(scores, y, d, removed=[0, 0.25, 0.5])
    >>> curve.value.round(4)
    array([0. , 0.4, 1. ])
    >>> round(curve.area, 4), round(curve.area_percent, 2)
    (0.45, 22.5)

    Answers and how sure they were of themselves:

    >>> right, confidence = [1, 1, 1, 0, 1, 0], [0.9, 0.95, 0.9, 0.7, 0.6, 0.6]
    >>> curve = properly.retention_curve(
    ...     [-c for c in confidence], right, metric="error_rate", removed=[0, 1 / 3, 1 / 2]
    ... )
    >>> curve.value.round(4), round(curve.aurc.value, 4), round(curve.excess_aurc.value, 4)
    (array([0.3333, 0.25  , 0.    ]), 0.1472, 0.0583)
    """
    name = removal.check_metric(metric, ties)
    cases = removal.judged(metric, y, P_or_d, labels, cost)
    ranked, share = _check_scores(scores, cases, "scores"), _shares(removed)
    curve = _retention(name, cases, ranked, share, ties)
    cluster, level = _clusters(clusters, cases), check_level(level)
    if cases.loss is None or not (metric == ERRORS or isinstance(metric, Rule)):
        return curve
    scale = "logit" if metric == ERRORS else "log"
    return replace(curve, **removal.areas_of(cases.loss, ranked, cluster, level=level, scale=scale))


def retention_study(
    scores: Mapping[str, ArrayLike],
    y: ArrayLike,
    P_or_d: ArrayLike | None = None,
    *,
    metric: Metric = KAPPA,
    removed: ArrayLike | None = None,
    replicates: int = 50,
    level: float = 0.95,
    rng: int | np.random.Generator | None = None,
    clusters: ArrayLike | None = None,
    oracle: bool = True,
    ties: Ties = "stable",
    labels: int | Iterable[object] | None = None,
    cost: Cost = "quadratic",
) -> RetentionStudy:
    r"""Compare retention curves of several scores on the same cases.

    Parameters
    ----------
    scores : dict of array-like by name
        The scores of each case; the highest are removed first.
    y, P_or_d, metric, removed, ties, labels, cost
        As in `properly.retention_curve`.
    replicates : int
        How often cases are drawn with replacement, as many as there are; two or more.
    level : float
        Share of the replicates within each interval and, at each removed share, within each band.
    rng : int or numpy Generator, optional
        Seed or source of the randomness; without it, every call draws anew.
    clusters : array-like, optional
        An id for each case, the same for cases that are not independent: images of one patient,
        persons in one accident. Whole clusters are then drawn, as many as there are. Without it,
        cases that are alike count as if each said something new, and deviations come out too
        small.
    oracle : bool
        Add the cost of the decision itself, or the loss of a rule, as a score. Nothing that knows
        the outcomes can beat it if the metric is the mean of it.

    Returns
    -------
    RetentionStudy

    Notes
    -----
    In each replicate the cases are put in order again and the whole curve is computed; the
    decisions stay. Equal scores keep the order of their rows, also those of copies of one case,
    and some copies of a case may be kept while others are removed. If clusters differ in size,
    replicates of them do; the removed share is one of the cases that a replicate has. All scores
    see the same replicates. Means and deviations of two scores that overlap say nothing about
    which is better; the paired differences do.

    What a score that knows the outcomes can win here is said in `properly.retention_curve`: to
    rank cases as the cost of the decision does, and not to be a better score.

    References
    ----------
    .. [1] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. Medical
       Image Computing and Computer Assisted Intervention. `arXiv:2309.08701
       <https://arxiv.org/abs/2309.08701>`__

    Examples
    --------
    >>> import properly
    >>> y, d = [0, 1, 2, 1, 0, 2], [0, 1, 1, 0, 0, 2]
    >>> study = properly.decisions.retention_study(
    ...     {"good": [1, 2, 6, 5, 3, 4], "bad": [6, 5, 1, 2, 4, 3]}, y, d,
    ...     metric="expected_cost", removed=[0, 0.5], rng=1
    ... )
    >>> {name: round(estimate.area, 4) for name, estimate in study.areas.items()}
    {'good': 0.1667, 'bad': 0.5, 'oracle (hard cost)': 0.1667}
    >>> round(study.differences["good", "bad"].area, 4)
    -0.3333
    """
    drawing = as_drawing(level, replicates, rng)
    if drawing.replicates < 2:
        message = f"a standard deviation needs two replicates or more; got {drawing.replicates}"
        raise DataError(message)
    name = removal.check_metric(metric, ties)
    cases = removal.judged(metric, y, P_or_d, labels, cost)
    share = _shares(removed)
    named = _by_name(scores, cases, oracle=check_flag(oracle, "oracle"))
    if oracle:
        named[ORACLE] = cases.costs(cost)
    result = {key: _retention(name, cases, s, share, ties) for key, s in named.items()}
    along = [cases.along(removal.queue_by(s, ties)) for s in named.values()]
    cluster = _clusters(clusters, cases)
    values = np.empty((len(along), drawing.replicates, len(share)))
    for k, copies in enumerate(removal.draw_copies(drawing, len(cases.rows), cluster)):
        gone = removal.numbers_removed(share, int(copies.sum()))
        values[:, k] = [curve(copies, gone) for curve in along]
    area = {key: curve.area for key, curve in result.items()}
    areas_drawn = [[area_under(share, value) for value in each] for each in values]
    drawn = dict(zip(named, np.array(areas_drawn), strict=True))
    ends = (1 - drawing.level) / 2, (1 + drawing.level) / 2
    bands = [tuple(map(read_only, np.quantile(each, ends, axis=0))) for each in values]
    return RetentionStudy(
        curves=result,
        bands=dict(zip(named, bands, strict=True)),
        areas={key: _estimate(area[key], drawn[key], ends) for key in named},
        differences={
            (a, b): _estimate(area[a] - area[b], drawn[a] - drawn[b], ends)
            for a, b in combinations(named, 2)
        },
        drawn_areas=np.column_stack(list(drawn.values())),
        level=drawing.level,
        clusters=None if cluster is None else int(cluster.max()) + 1,
    )


def rejection_scores(P: ArrayLike, rule: Rule | str) -> Array:
    r"""Return the loss that each forecast expects of itself.

    .. math:: H(p) = \sum_k p_k S(p, k),

    the entropy of the rule, for `properly.retention_curve`: large where the forecast is unsure.

    Parameters
    ----------
    P : array-like
        Class probabilities, one row a case and one column a class; or forecasts of one event.
    rule : Rule or str
        A rule for such forecasts.

    Returns
    -------
    array
        One number a case, in the library of `P`.

    Notes
    -----
    No outcomes are used, so that cases can be set aside before anything is known of them; a loss
    would need the outcomes.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import RPS
    >>> P = [[0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0, 1]]
    >>> properly.decisions.rejection_scores(P, RPS())
    array([0.125, 0.25 , 0.   ])
    """
    if isinstance(P, Rule):
        message = f"forecasts come first, then the rule; got {P!r} first"
        raise ArgumentTypeError(message)
    rule = as_rule(rule)
    entropy = getattr(rule, "entropy", None)
    if not isinstance(rule, Rule) or entropy is None:
        message = f"this needs a rule that has an entropy; got {rule!r}"
        raise ArgumentTypeError(message, hint="write the rule with parentheses, as in RPS().")
    return entropy(P)


def _shares(removed: ArrayLike | None) -> Column:
    """Take increasing shares of the cases; k / 100 up to 0.2 if there are none."""
    if removed is None:
        return removal.PERCENT
    given = to_numpy(as_floats(as_numbers(as_array(removed, SHARES), SHARES)))
    if (outside := ~((given >= 0) & (given <= 1))).any():
        hint = "for percentages, divide by 100 first." if given.max() > 1 else None
        refuse(given, outside, f"{SHARES} must lie between 0 and 1", hint)
    return check_increasing(given, SHARES, least=2)


def _check_scores(scores: ArrayLike, cases: Judged, name: str) -> Column:
    result = as_floats(as_numbers(check_column(scores, name, cases.rows, "outcomes"), name))
    return to_numpy(result).astype(np.float64)


def _clusters(clusters: ArrayLike | None, cases: Judged) -> Column | None:
    """Give the clusters of the cases numbers from 0 on."""
    if clusters is None:
        return None
    column = check_column(clusters, "clusters", cases.rows, "outcomes")
    return np.asarray(number_ids(to_numpy(column)))


def _by_name(scores: Mapping[str, ArrayLike], cases: Judged, *, oracle: bool) -> dict[str, Column]:
    """Take scores by their names, which must differ as text, and from the oracle's."""
    if not isinstance(scores, Mapping):
        message = f"scores are given by name, in a dict; got {type(scores).__name__}"
        raise ArgumentTypeError(message, hint="write {'name': scores, ...}.")
    named = {str(name): _check_scores(s, cases, f"scores {name!r}") for name, s in scores.items()}
    if len(named) < max(len(scores), 1):
        message = f"there must be scores, with names that differ as text; got {list(scores)}"
        raise DataError(message)
    if oracle and ORACLE in named:
        message = f"the oracle is added under a name of its own; got scores called {ORACLE!r}"
        raise DataError(message, hint="oracle=False adds none.")
    return named


def _retention(name: str, cases: Judged, scores: Column, share: Column, ties: Ties) -> Retention:
    """Go along the curve of the cases as they are."""
    total = len(cases.rows)
    gone = removal.numbers_removed(share, total)
    value = cases.along(removal.queue_by(scores, ties))(np.ones(total, dtype=np.intp), gone)
    return Retention(share, value, total - gone, name, ties)
