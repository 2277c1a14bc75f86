"""Scores of a cross-validation, pooled and fold by fold, and what may be concluded from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from properly._boundary._arrays import check_column
from properly._boundary._classes import names_of_labels, one_kind
from properly._boundary._libraries import infinities, to_numpy
from properly._boundary._notices import notice
from properly._boundary._record import Record
from properly._boundary._synonyms import with_argument_hints
from properly._boundary._text import many, number, printable, span, table, wrapped
from properly.comparison._differences import is_area
from properly.comparison._pair_tests import Options, compare_models
from properly.comparison._pairs import Comparison
from properly.counts._cases import Cases, Forecasts, contenders, numbered, rows_in_use
from properly.counts._scoring import losses
from properly.errors import ArgumentTypeError, DataError
from properly.inference._averages import Estimate
from properly.inference._variance import of_auc
from properly.rules._rule import Rule, as_rule
from properly.typing import ArrayLike, Column

# Fold scores that are laid out at most.
SHOWN = 10
# Pairs that are told one by one at most.
FEW_PAIRS = 6

POOLED = (
    "Pooled: each case was forecast by a model that had not seen it. The interval is about the "
    "mean score of the method with as many training cases, on the population of the cases: in "
    "simulations of logistic regression with 100 to 150 cases, 95 % intervals cover it in 94 to "
    "97 %. They cover the mean score of these fitted models in 91 %."
)
SPREAD = (
    "Spread: the standard deviation of the folds' scores mixes chance in who was tested with "
    "differences between the fitted models. Folds share their training data, so their scores "
    "depend on one another: the spread is no standard error, and no t-test is made over folds."
)
PAIRS = (
    "In how many folds one model is better than another is in `better`: a description, not a test. "
    "What is tested is their pooled difference, case by case."
)
AREAS = (
    "AUC: pooling compares forecasts of different fitted models with one another, which is right "
    "only if they mean the same on the same scale. The mean over folds does not do so: if the two "
    "differ, trust the mean."
)


@dataclass(frozen=True, eq=False, repr=False)
class FoldScores(Record):
    """What one model scores over all folds together, and in each.

    Attributes
    ----------
    pooled : Estimate
        The mean loss of all cases, each forecast by a model that had not seen it; or the AUC of all
        forecasts together.
    fold_scores : array
        The score in each fold; for the AUC, NaN where all outcomes are alike.
    mean_of_folds : float
        Their mean, in which all folds count alike.
    spread : float
        Their standard deviation. It is not a standard error of anything.
    fold_areas : array or None
        The area under the ROC curve in each fold; None for classes.
    pooled_area, mean_area : float or None
        That of all forecasts together, and the mean of the folds.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> y, p = [0, 1] * 50, [0.2, 0.7, 0.4, 0.9] * 25
    >>> found = properly.by_fold(y, p, [0] * 40 + [1] * 60, rule=Brier())
    >>> found.models["forecast"].fold_scores
    array([0.075, 0.075])
    """

    pooled: Estimate
    fold_scores: Column
    mean_of_folds: float
    spread: float
    fold_areas: Column | None
    pooled_area: float | None
    mean_area: float | None

    def __repr__(self) -> str:
        folds = many(len(self.fold_scores), "fold")
        return f"FoldScores({self.pooled.value:.4g} of all, {self.mean_of_folds:.4g} in {folds})"


@dataclass(frozen=True, eq=False, repr=False)
class Folds(Record):
    """Scores of models in a cross-validation: pooled, and fold by fold.

    Attributes
    ----------
    labels : tuple
        The folds as they were given.
    name : list of str
        The same as text.
    cases : array
        Cases of positive weight in each fold.
    models : dict of FoldScores
        By the names of the models.
    comparison : Comparison or None
        The models compared in pairs on all cases; None for one model.
    pairs : tuple of pairs of str
        The models that were compared.
    fold_differences : array of shape (pairs, folds)
        The score of the first minus that of the second in each fold.
    better, equal : array
        In how many folds the first is better, and in how many both score the same.
    rule : str
        The name of the rule, or ``"auc"``.
    higher_is_better : bool
        Whether a higher score is the better one, as for the AUC.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import Brier
    >>> y, p = [0, 1] * 50, [0.2, 0.7, 0.4, 0.9] * 25
    >>> folds = [0] * 40 + [1] * 60
    >>> properly.by_fold(y, {"model": p, "coin": [0.5] * 100}, folds, rule=Brier())
    Folds(2 models in 2 folds, brier)
    """

    labels: tuple[Any, ...]
    name: list[str]
    cases: Column
    models: dict[str, FoldScores]
    comparison: Comparison | None
    pairs: tuple[tuple[str, str], ...]
    fold_differences: Column
    better: Column
    equal: Column
    rule: str
    higher_is_better: bool

    _derived: ClassVar = ("conclusion",)

    def __len__(self) -> int:
        """Count the folds."""
        return len(self.name)

    def __repr__(self) -> str:
        models = many(len(self.models), "model")
        return f"Folds({models} in {many(len(self), 'fold')}, {self.rule})"

    def __str__(self) -> str:
        """Lay out the scores, the comparisons, and what may be concluded."""
        cases = many(int(self.cases.sum()), "case")
        parts = [f"{self.rule} of {cases} in {many(len(self), 'fold')}", _scores(self)]
        if self.comparison is not None:
            parts.append(str(self.comparison))
        return "\n\n".join([*parts, "\n".join(map(wrapped, conclude(self)))])

    @property
    def conclusion(self) -> str:
        """What may be concluded from these numbers, and what not."""
        return "\n".join(conclude(self))

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers by name, as JSON can hold them, and the conclusion."""
        row = super().to_dict()
        about = {name: row.pop(name) for name in ("rule", "higher_is_better")}
        about["folds"] = row.pop("labels")
        del row["name"]
        return about | row

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a model and fold."""
        folds, cases, count = one_kind(self.labels), self.cases.tolist(), len(self.models)
        return {
            "model": [name for name in self.models for _ in folds],
            "fold": folds * count,
            "cases": cases * count,
            "score": [x for m in self.models.values() for x in m.fold_scores.tolist()],
        }


def _scores(result: Folds) -> str:
    areas = result.rule != "auc" and all(m.fold_areas is not None for m in result.models.values())
    head = ["model", "pooled", "interval", "mean of folds", "spread"]
    head += ["pooled AUC", "mean AUC"] if areas else []
    folds = len(result) if len(result) <= SHOWN else 0
    head += [f"fold {name}" for name in result.name[:folds]]
    rows = [_row(name, model, folds, areas=areas) for name, model in result.models.items()]
    return table(head, rows)


def _row(name: str, model: FoldScores, folds: int, *, areas: bool) -> list[str]:
    numbers = [model.mean_of_folds, model.spread]
    if areas and model.pooled_area is not None and model.mean_area is not None:
        numbers += [model.pooled_area, model.mean_area]
    numbers += model.fold_scores[:folds].tolist()
    pooled = model.pooled
    return [name, number(pooled.value), span(pooled.interval), *map(number, numbers)]


def conclude(folds: Folds) -> list[str]:
    """Say what each number is about, and what it is not."""
    pairs = [PAIRS] if len(folds.pairs) > FEW_PAIRS else _pair_by_pair(folds)
    sentences = [POOLED, SPREAD, *pairs]
    if all(model.fold_areas is not None for model in folds.models.values()):
        sentences.append(AREAS)
    return sentences


def _pair_by_pair(folds: Folds) -> list[str]:
    """Say of each pair in how many folds which model is better."""
    sentences, word = [], "higher" if folds.higher_is_better else "lower"
    for (first, second), better, equal in zip(
        folds.pairs, folds.better.tolist(), folds.equal.tolist(), strict=True
    ):
        same = f", and the same in {equal}" if equal else ""
        sentences.append(
            f"{printable(first)} scores {word}, which is better, than {printable(second)} in "
            f"{better} of {many(len(folds), 'fold')}{same}: a description, not a test. What is "
            "tested is their pooled difference, case by case."
        )
    return sentences


@with_argument_hints
def by_fold(
    y: ArrayLike,
    forecasts: Forecasts,
    folds: ArrayLike,
    *,
    rule: Rule | str = "brier",
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
    rule : Rule, its name, or "auc"
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
    Intervals of pooled scores are about the method with as many training cases, rather than about
    these fitted models: in simulations of logistic regression with 100 to 150 cases, 95 % intervals
    cover the mean score of the method in 94 to 97 % and that of the fitted models in 91 %. That is
    an observation, not a proof: no unbiased estimate of the variance exists from one
    cross-validation [1]_. Models of different folds share most of their training data, so fold
    scores depend on
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
    rule = rule if is_area(rule) else as_rule(rule)
    if not isinstance(rule, Rule) and not is_area(rule):
        message = f'folds are scored by a rule, or by "auc"; got {rule!r}'
        raise ArgumentTypeError(message, hint="write the rule with parentheses, as in Brier().")
    columns: dict[str, Any] = {"weight": weight, "clusters": clusters}
    columns |= {"labels": labels, "pos_label": pos_label, "normalize": normalize}
    models = contenders(y, forecasts, least=1, **columns)
    first = next(iter(models.values()))
    number, names = _sort(first, folds)
    _warn_of_leaks(first, number)
    compared = compare_models(models, Options.of(rule, level, rng))
    scores = {
        name: _score(cases, rule, number, compared.scores[name]) for name, cases in models.items()
    }
    return _gather(number, names, scores, compared)


def _sort(cases: Cases, folds: ArrayLike) -> tuple[Column, list[Any]]:
    """Return the fold of each case of positive weight by its number, and the labels of folds."""
    column = to_numpy(check_column(folds, "folds", cases.p))
    number, labels = numbered(column[rows_in_use(cases).used])
    if len(labels) < 2:
        message = f"a cross-validation has two folds or more; got the single fold {labels[0]!r}"
        hint = "of forecasts of one fitted model, use score_interval or compare."
        raise DataError(message, hint=hint)
    return number, labels


def _warn_of_leaks(cases: Cases, number: Column) -> None:
    """Warn of clusters that were trained on in one fold and tested in another."""
    if cases.clusters is None:
        return
    cluster, names = numbered(to_numpy(cases.clusters)[rows_in_use(cases).used])
    places = np.unique(np.stack([cluster, number]), axis=1)[0]
    split = int((np.bincount(places) > 1).sum())
    if split:
        message = (
            f"{split} of {len(names)} clusters lie in several folds: models were tested on "
            "clusters that they were fitted to, and their scores may be too good"
        )
        notice(message)


def _score(
    cases: Cases, rule: Rule | Literal["auc"], number: Column, pooled: Estimate
) -> FoldScores:
    """Score one model over all folds and in each; the area under the ROC curve goes with it."""
    y, p, weight, _ = rows_in_use(cases)
    area, mean, areas = None, None, None
    if cases.classes is None:
        area, areas = of_auc(y, p, weight)[0], _areas(y, p, weight, number)
        mean = _mean(areas)
    if isinstance(rule, Rule):
        total = np.bincount(number, weight)
        scores = np.bincount(number, weight * losses(cases, rule)) / total
    else:
        scores = np.full(int(number.max()) + 1, np.nan) if areas is None else areas
    known = scores[~np.isnan(scores)]
    deviation = np.nan
    if len(known) > 1 and np.isfinite(known).all():
        with infinities():
            deviation = float(known.std(ddof=1))
    return FoldScores(pooled, scores, _mean(scores), deviation, areas, area, mean)


def _areas(y: Column, p: Column, weight: Column, number: Column) -> Column:
    """Return the area under the ROC curve of each fold; NaN where all outcomes are alike."""
    result = np.full(int(number.max()) + 1, np.nan)
    for k in range(len(result)):
        some = number == k
        if 0 < y[some].sum() < some.sum():
            result[k] = of_auc(y[some], p[some], weight[some])[0]
    return result


def _mean(scores: Column) -> float:
    """Average the folds that have a score."""
    defined = scores[~np.isnan(scores)]
    return float(defined.mean()) if len(defined) else np.nan


def _gather(
    number: Column, labels: list[Any], scores: dict[str, FoldScores], compared: Comparison
) -> Folds:
    """Subtract fold by fold, and count in how many folds a model is better."""
    apart = np.empty((len(compared), len(labels)))
    with infinities():
        for row, (first, second) in zip(apart, compared.pairs, strict=True):
            row[:] = scores[first].fold_scores - scores[second].fold_scores
    return Folds(
        labels=tuple(labels),
        name=names_of_labels(labels),
        cases=np.bincount(number),
        models=scores,
        comparison=compared if compared.pairs else None,
        pairs=compared.pairs,
        fold_differences=apart,
        better=(apart > 0 if compared.higher_is_better else apart < 0).sum(axis=1),
        equal=(apart == 0).sum(axis=1),
        rule=compared.rule,
        higher_is_better=compared.higher_is_better,
    )
