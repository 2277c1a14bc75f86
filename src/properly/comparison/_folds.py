"""Scores of a cross-validation: pooled, and fold by fold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._arrays import check_column
from properly._boundary._labels import names_of_labels
from properly._boundary._libraries import to_numpy
from properly._boundary._notice import notice
from properly.comparison._comparison import compare
from properly.comparison._fold_table import Folds, FoldScores
from properly.comparison._scored import is_area
from properly.counts._cases import numbered, rows_in_use
from properly.counts._losses import losses
from properly.counts._models import contenders
from properly.errors import ArgumentTypeError, DataError
from properly.inference._auc import auc_interval
from properly.inference._influences import of_auc
from properly.inference._score_intervals import score_interval
from properly.rules._rule import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.comparison._pairs import Comparison
    from properly.counts._cases import Cases
    from properly.counts._models import Forecasts
    from properly.inference._estimate import Estimate
    from properly.typing import ArrayLike

Column: TypeAlias = np.ndarray[Any, Any]


class Sorted(NamedTuple):
    """The fold of each case of positive weight by its number, and the labels of the folds."""

    number: Column
    labels: list[Any]


def by_fold(
    y: ArrayLike,
    forecasts: Forecasts,
    folds: ArrayLike,
    *,
    rule: Rule | Literal["auc"],
    weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator | None = None,
    labels: Sequence[object] | None = None,
    pos_label: object = None,
    normalize: bool = False,
) -> Folds:
    r"""Score a cross-validation: all cases together, and fold by fold.

    Every case has one forecast, by a model that was fitted without its fold. The pooled score is
    the mean loss of all cases, :math:`\sum w_i s_i / W`, with a standard error as if the fitted
    models were given; fold scores are the same of each fold.

    Parameters
    ----------
    y : array-like
        Outcomes.
    forecasts : dict of array-like, data frame or array-like
        Out-of-fold forecasts by model, as in `properly.compare`; or those of one model.
    folds : array-like
        The fold of each case, in which its forecast was not fitted: labels of any kind.
    rule : Rule or "auc"
        What to score by; ``"auc"`` is the area under the ROC curve.
    weight, clusters : array-like, optional
        As in `properly.compare`. A cluster should lie in one fold; others are warned of.
    level : float
        How sure to be.
    rng : int or numpy Generator, optional
        Seed or source of the randomness, for simultaneous intervals and changes of sign.
    labels : sequence of labels, optional
        What each column of class probabilities stands for.
    pos_label : label, optional
        The label of the event.
    normalize : bool
        Divide rows of class probabilities by their sums.

    Returns
    -------
    Folds

    Notes
    -----
    Pooled numbers describe these fitted models on the population of the cases. As a statement about
    the method that fits them they are too sure of themselves: other training data would have
    given other models, and no unbiased estimate of that variance exists from one cross-validation
    [1]_. Models of different folds share most of their training data, so fold scores depend on
    one another; their spread mixes that with chance in who was tested. There is therefore no t-test
    over folds. In how many folds a model is better is a description.

    Forecasts of different folds come from different models. A mean loss may be pooled, since each
    forecast is a probability and priced by itself; the AUC compares forecasts with one another, so
    that pooling mixes models whose scales may differ [2]_. The mean of the folds' areas is given
    beside it.

    References
    ----------
    .. [1] Y. Bengio, Y. Grandvalet (2004). No unbiased estimator of the variance of K-fold
       cross-validation. Journal of Machine Learning Research 5:1089-1105.
    .. [2] G. Forman, M. Scholz (2010). Apples-to-apples in cross-validation studies: pitfalls in
       classifier performance measurement. ACM SIGKDD Explorations 12:49-57.
       `doi:10.1145/1882471.1882479 <https://doi.org/10.1145/1882471.1882479>`__

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> crash = properly.datasets.crash()
    >>> two = {name: crash.forecasts[name] for name in ("logistic", "forest")}
    >>> folds = crash.cluster % 5
    >>> found = properly.by_fold(
    ...     crash.died, two, folds, rule=Brier(), clusters=crash.cluster, rng=1
    ... )
    >>> found.models["logistic"].fold_scores.round(4)
    array([0.0379, 0.0355, 0.0284, 0.0321, 0.0312])
    >>> print(found.models["logistic"].pooled)
    0.03302 (95 % interval 0.02983 to 0.03621; 4,973 clusters)
    >>> found.pairs, found.better
    ((('logistic', 'forest'),), array([5]))
    """
    if not isinstance(rule, Rule) and not is_area(rule):
        message = f'folds are scored by a rule, or by "auc"; got {rule!r}'
        raise ArgumentTypeError(message, hint="write the rule with parentheses, as in Brier().")
    known: dict[str, Any] = {
        "weight": weight,
        "clusters": clusters,
        "labels": labels,
        "pos_label": pos_label,
    }
    models = contenders(y, forecasts, least=1, normalize=normalize, **known)
    first = next(iter(models.values()))
    placed = _sort(first, folds)
    _warn_of_leaks(first, placed)
    compared = None
    if len(models) > 1:
        compared = compare(
            y, forecasts, rule=rule, level=level, rng=rng, normalize=normalize, **known
        )
    scores = {
        name: _score(
            cases, rule, placed, level, None if compared is None else compared.scores[name]
        )
        for name, cases in models.items()
    }
    return _gather(placed, scores, compared, rule)


def _sort(cases: Cases, folds: ArrayLike) -> Sorted:
    """Check the folds: one a case, and two or more."""
    column = to_numpy(check_column(folds, "folds", cases.p))
    number, labels = numbered(column[rows_in_use(cases).used])
    if len(labels) < 2:
        message = f"a cross-validation has two folds or more; got the single fold {labels[0]!r}"
        hint = "of forecasts of one fitted model, use score_interval or compare."
        raise DataError(message, hint=hint)
    return Sorted(number, labels)


def _warn_of_leaks(cases: Cases, placed: Sorted) -> None:
    """Warn of clusters that were trained on in one fold and tested in another."""
    if cases.clusters is None:
        return
    cluster, names = numbered(to_numpy(cases.clusters)[rows_in_use(cases).used])
    places = np.unique(np.stack([cluster, placed.number]), axis=1)[0]
    split = int((np.bincount(places) > 1).sum())
    if split:
        message = (
            f"{split} of {len(names)} clusters lie in several folds: models were tested on "
            "clusters that they were fitted to, and their scores may be too good"
        )
        notice(message)


def _score(
    cases: Cases,
    rule: Rule | Literal["auc"],
    placed: Sorted,
    level: float,
    pooled: Estimate | None,
) -> FoldScores:
    """Score one model over all folds and in each; the area under the ROC curve goes with it."""
    areas = None if cases.classes is not None else _areas(cases, placed)
    if isinstance(rule, Rule):
        pooled = pooled or score_interval(cases, rule, level=level)
        weight = rows_in_use(cases).weight
        total = np.bincount(placed.number, weight)
        scores = np.bincount(placed.number, weight * losses(cases, rule)) / total
    else:
        pooled = pooled or auc_interval(cases, level=level)
        scores = np.full(len(placed.labels), np.nan) if areas is None else areas
    area, mean = None, None
    if areas is not None:
        y, p, weight, _ = rows_in_use(cases)
        area, mean = of_auc(y, p, weight)[0], _mean(areas)
    return FoldScores(pooled, scores, _mean(scores), _deviation(scores), areas, area, mean)


def _areas(cases: Cases, placed: Sorted) -> Column:
    """Return the area under the ROC curve of each fold; NaN where all outcomes are alike."""
    y, p, weight, _ = rows_in_use(cases)
    found = np.full(len(placed.labels), np.nan)
    for k in range(len(found)):
        some = placed.number == k
        if 0 < y[some].sum() < some.sum():
            found[k] = of_auc(y[some], p[some], weight[some])[0]
    return found


def _mean(scores: Column) -> float:
    """Average the folds that have a score."""
    known = scores[~np.isnan(scores)]
    return float(known.mean()) if len(known) else np.nan


def _deviation(scores: Column) -> float:
    known = scores[~np.isnan(scores)]
    if len(known) < 2 or not np.isfinite(known).all():
        return np.nan
    return float(known.std(ddof=1))


def _gather(
    placed: Sorted,
    scores: dict[str, FoldScores],
    compared: Comparison | None,
    rule: Rule | Literal["auc"],
) -> Folds:
    """Subtract fold by fold, and count in how many folds a model is better."""
    pairs = () if compared is None else compared.pairs
    named = rule.name if isinstance(rule, Rule) else rule
    by_area = named == rule
    apart = np.empty((len(pairs), len(placed.labels)))
    with np.errstate(invalid="ignore"):
        for row, (first, second) in zip(apart, pairs, strict=True):
            row[:] = scores[first].fold_scores - scores[second].fold_scores
    return Folds(
        labels=tuple(placed.labels),
        name=names_of_labels(placed.labels),
        cases=np.bincount(placed.number),
        models=scores,
        comparison=compared,
        pairs=pairs,
        fold_differences=apart,
        better=(apart > 0 if by_area else apart < 0).sum(axis=1),
        equal=(apart == 0).sum(axis=1),
        rule=named,
        higher_is_better=by_area,
    )
