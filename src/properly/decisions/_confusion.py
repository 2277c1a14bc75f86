"""Confusion matrices: counts of decisions by what was true, and agreement beyond chance (kappa)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from properly._boundary._arrays import check_length, check_weights
from properly._boundary._classes import as_classes, class_numbers, names_of_labels, one_kind
from properly._boundary._libraries import to_numpy
from properly._boundary._notices import notice
from properly._boundary._options import check_level
from properly._boundary._record import Record
from properly._boundary._text import many, table
from properly.counts._pooling import EXACT
from properly.errors import DataError
from properly.inference._averages import Estimate
from properly.inference._intervals import around_ratio
from properly.inference._shares import student
from properly.rules._penalty import Cost, cost_matrix
from properly.typing import ArrayLike, Column

Table: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(Record):
    r"""How often each class was decided for, by what was true.

    With :math:`O_{ij}` cases of class :math:`i` decided as :math:`j`, of :math:`n` in all, row sums
    :math:`r_i` and column sums :math:`c_j`: recall is :math:`O_{kk} / r_k`, precision
    :math:`O_{kk} / c_k` and :math:`F_1 = 2 O_{kk} / (r_k + c_k)`. What would be 0 / 0 is NaN.

    If classes are grades, the mean absolute error of one class is
    :math:`\sum_j |k - j|\, O_{kj} / r_k`. Over the classes that occur, however many cases each has,
    their mean is AMAE [1]_ and their greatest MMAE [2]_.

    Attributes
    ----------
    counts : array
        Cases, or their weight: one row a true class, one column a decision.
    labels : tuple
        The labels of the classes, in order; their numbers if they have none.

    References
    ----------
    .. [1] S. Baccianella, A. Esuli, F. Sebastiani (2009). Evaluation measures for ordinal
       regression. Intelligent Systems Design and Applications, 283-287. `doi:10.1109/ISDA.2009.230
       <https://doi.org/10.1109/ISDA.2009.230>`__
    .. [2] M. Cruz-Ramírez, C. Hervás-Martínez, J. Sánchez-Monedero, P. A. Gutiérrez (2014). Metrics
       to guide a multi-objective evolutionary algorithm for ordinal classification. Neurocomputing
       135:21-31. `doi:10.1016/j.neucom.2013.05.058
       <https://doi.org/10.1016/j.neucom.2013.05.058>`__

    Examples
    --------
    >>> import properly
    >>> table = properly.decisions.confusion([0, 0, 1, 2], [0, 1, 1, 0], 3)
    >>> table
    Confusion(4 cases in 3 classes, accuracy 0.5)
    >>> table.recall, table.precision
    (array([0.5, 1. , 0. ]), array([0.5, 0.5, nan]))
    >>> table.absolute_errors, table.macro_absolute_error, table.accuracy_within_one
    (array([0.5, 0. , 2. ]), 0.8333333333333334, 0.75)
    >>> print(properly.decisions.confusion(["ill", "well"], ["well", "well"], ["well", "ill"]))
    truth \ decision  well  ill
    well                 1    0
    ill                  1    0
    """

    counts: Table
    labels: tuple[Any, ...]

    _derived = (
        *("total", "accuracy", "error_rate", "macro_f1", "mean_absolute_error"),
        *("recall", "precision", "f1"),
        *("accuracy_within_one", "absolute_errors"),
        *("macro_absolute_error", "greatest_absolute_error"),
    )

    @property
    def total(self) -> int | float:
        """The number of cases, or their total weight."""
        total: int | float = self.counts.sum().item()
        return total

    @property
    def accuracy(self) -> float:
        """Share of cases decided as what they were."""
        return float(np.trace(self.counts)) / self.total

    @property
    def error_rate(self) -> float:
        """Share of cases decided as something else."""
        return float(self.counts[~np.eye(len(self.labels), dtype=bool)].sum()) / self.total

    @property
    def recall(self) -> Column:
        """Share of the cases of each class that were decided as it."""
        return _shares(np.diag(self.counts), self.counts.sum(axis=1))

    @property
    def precision(self) -> Column:
        """Share of the decisions for each class that were right."""
        return _shares(np.diag(self.counts), self.counts.sum(axis=0))

    @property
    def f1(self) -> Column:
        """Harmonic mean of recall and precision of each class."""
        both = self.counts.sum(axis=0) + self.counts.sum(axis=1)
        return _shares(2 * np.diag(self.counts), both)

    @property
    def macro_f1(self) -> float:
        """Mean of F1 over classes, but for those with neither cases nor decisions."""
        return float(np.nanmean(self.f1))

    @property
    def mean_absolute_error(self) -> float:
        """Mean distance of the decided class from the true one, in steps between classes."""
        return float((self.counts * cost_matrix("linear", len(self.labels))).sum()) / self.total

    @property
    def accuracy_within_one(self) -> float:
        """Share of cases decided as what they were, or as a class next to it."""
        near = cost_matrix("linear", len(self.labels)) <= 1
        return float(self.counts[near].sum()) / self.total

    @property
    def absolute_errors(self) -> Column:
        """Mean absolute error of the cases of each class."""
        steps = (self.counts * cost_matrix("linear", len(self.labels))).sum(axis=1)
        return _shares(steps, self.counts.sum(axis=1))

    @property
    def macro_absolute_error(self) -> float:
        """Mean of the absolute errors over the classes that occur (AMAE)."""
        return float(np.nanmean(self.absolute_errors))

    @property
    def greatest_absolute_error(self) -> float:
        """The mean absolute error of the class that is decided worst (MMAE)."""
        return float(np.nanmax(self.absolute_errors))

    def kappa(self, cost: Cost = "quadratic") -> float:
        """Return how much better than by chance the decisions agree; see `weighted_kappa`."""
        kappa = float(kappa_of(self.counts, costs_of_classes(cost, len(self.labels))))
        if math.isnan(kappa):
            message = (
                "kappa is 0 / 0 where chance cannot disagree, as where truth and decision are one "
                "class throughout; NaN is returned"
            )
            notice(message)
        return kappa

    def kappa_interval(self, cost: Cost = "quadratic", *, level: float = 0.95) -> Estimate:
        r"""Say how far off kappa may be.

        With disagreements :math:`q_o` observed and :math:`q_e` by chance, and shares
        :math:`p_{ij}` of cases, a case of class :math:`i` decided as :math:`j` has the influence

        .. math:: u_{ij} = \frac{q_o}{q_e^2} \Big( \sum_l w_{il}\, p_{\cdot l} +
            \sum_k w_{kj}\, p_{k \cdot} \Big) - \frac{w_{ij}}{q_e} - \frac{q_o}{q_e} ,

        and the variance is :math:`\sum p_{ij} u_{ij}^2 / n` [1]_. Since kappa is one less the ratio
        :math:`q_o / q_e`, its interval is symmetric on the scale of the logarithm of that ratio,
        with the quantile of Student's t with n - 1 degrees of freedom.

        Parameters
        ----------
        cost : {"zero_one", "linear", "quadratic"} or array-like
            As in `weighted_kappa`.
        level : float
            How sure to be.

        Returns
        -------
        Estimate
            Complete agreement has the standard error 0 and no interval, and a kappa of 0 / 0 is
            NaN.

        Notes
        -----
        In simulated tables of 50 cases in two to five classes, intervals of 95 % cover in 93 to
        96 %, and in 83 to 90 % if a class has five cases or fewer.

        References
        ----------
        .. [1] J. L. Fleiss, J. Cohen, B. S. Everitt (1969). Large sample standard errors of kappa
           and weighted kappa. Psychological Bulletin 72:323-327. `doi:10.1037/h0028106
           <https://doi.org/10.1037/h0028106>`__

        Examples
        --------
        >>> import properly
        >>> y, d = [0, 0, 1, 1, 1, 2, 2, 2] * 10, [0, 1, 1, 1, 2, 2, 2, 0] * 10
        >>> print(properly.decisions.confusion(y, d, 3).kappa_interval("linear"))
        0.4074 (95 % interval 0.1978 to 0.5622; 80 independent cases)
        """
        level = check_level(level)
        if self.counts.dtype.kind != "i":
            message = "an interval of kappa needs counts of cases; got weights that are not whole"
            hint = "what fractions of cases add up to does not say how many cases there were."
            raise DataError(message, hint=hint)
        weights = costs_of_classes(cost, len(self.labels))
        kappa, error = float(kappa_of(self.counts, weights)), kappa_error(self.counts, weights)
        degrees = float(self.total - 1)
        return Estimate(
            kappa,
            error,
            around_ratio(1 - kappa, error, student(degrees, level)),
            level,
            degrees,
            method="Fleiss, Cohen and Everitt, log ratio",
            design=many(self.total, "independent case"),
            cases=int(self.total),
            effective_cases=float(self.total),
        )

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a true class and decision."""
        labels = one_kind(self.labels)
        return {
            "truth": [truth for truth in labels for _ in labels],
            "decision": labels * len(labels),
            "count": self.counts.ravel().tolist(),
        }

    def __repr__(self) -> str:
        cases = f"{many(self.total, 'case')} in {len(self.labels)} classes"
        return f"Confusion({cases}, accuracy {self.accuracy:.4g})"

    def __str__(self) -> str:
        """Lay out the counts, one row a true class."""
        names = names_of_labels(self.labels)
        form = ",d" if self.counts.dtype.kind == "i" else ".4g"
        rows = [
            [name, *(format(x, form) for x in row)]
            for name, row in zip(names, self.counts.tolist(), strict=True)
        ]
        return table(["truth \\ decision", *names], rows)


def confusion(
    y: ArrayLike, d: ArrayLike, classes: int | Sequence[object], *, weight: ArrayLike | None = None
) -> Confusion:
    """Count decisions by what was true.

    Parameters
    ----------
    y : array-like
        True classes: numbers from 0, or labels.
    d : array-like
        Decided classes, in the same terms.
    classes : int or sequence of labels
        The number of classes, or their labels in order. It is not guessed from the data: a class
        that nobody saw is a class all the same, and the distances of others depend on it.
    weight : array-like, optional
        Case weights, none negative. Whole numbers count as that many cases; cases of weight 0 do
        not count.

    Returns
    -------
    Confusion

    Examples
    --------
    >>> import properly
    >>> grades = ["mild", "moderate", "severe"]
    >>> y, d = ["mild", "mild", "severe"], ["mild", "moderate", "severe"]
    >>> properly.decisions.confusion(y, d, grades).counts
    array([[1, 1, 0],
           [0, 0, 0],
           [0, 0, 1]])
    >>> properly.decisions.confusion(y, d, grades, weight=[2, 0, 1]).accuracy
    1.0
    """
    count, labels = as_classes(classes)
    truth, decided = (
        class_numbers(y, labels or count),
        class_numbers(d, labels or count, "decisions"),
    )
    counts = count_pairs(truth, decided, (count, count), weight)
    return Confusion(counts, labels or tuple(range(count)))


def macro_f1(
    y: ArrayLike, d: ArrayLike, classes: int | Sequence[object], *, weight: ArrayLike | None = None
) -> float:
    r"""Average the F1 score over classes.

    .. math:: \frac{1}{m} \sum_k \frac{2 O_{kk}}{r_k + c_k}

    with :math:`O_{kk}` cases of class :math:`k` decided as such, of :math:`r_k` cases and
    :math:`c_k` decisions, over the :math:`m` classes that have either.

    Parameters
    ----------
    y, d : array-like
        True and decided classes: numbers from 0, or labels.
    classes : int or sequence of labels
        The number of classes, or their labels in order.
    weight : array-like, optional
        Case weights, none negative; cases of weight 0 do not count.

    Returns
    -------
    float

    Notes
    -----
    A class with neither cases nor decisions is left out, as scikit-learn does unless it is told
    the labels; told them, it counts such a class as 0. F1 is not a mean over cases, hence no
    scoring rule: what is best for a case depends on all the others.

    Examples
    --------
    >>> import properly
    >>> properly.decisions.macro_f1([0, 0, 1, 1], [0, 1, 1, 1], 3)
    0.7333333333333334
    """
    return confusion(y, d, classes, weight=weight).macro_f1


def weighted_kappa(
    y: ArrayLike,
    d: ArrayLike,
    classes: int | Sequence[object],
    cost: Cost = "quadratic",
    *,
    weight: ArrayLike | None = None,
) -> float:
    r"""Measure how much better than by chance decisions agree with the truth.

    .. math:: \kappa = 1 - \frac{\sum_{ij} C_{ij} O_{ij}}{\sum_{ij} C_{ij} r_i c_j / n} ,

    with :math:`O_{ij}` of :math:`n` cases of class :math:`i` decided as :math:`j`, of which there
    are :math:`r_i` and :math:`c_j` in all, and the costs :math:`C_{ij}` of `expected_cost`, which
    are the weights of disagreement: one less the cost of the decisions over what they would cost
    if they were dealt out at random. It is 1 if all agree, 0 for decisions that know nothing of the
    case, and negative for worse ones.

    Parameters
    ----------
    y, d : array-like
        True and decided classes: numbers from 0, or labels.
    classes : int or sequence of labels
        The number of classes, or their labels in order. All of them count, also those that do not
        occur: renumbering those that do would change the weights.
    cost : {"zero_one", "linear", "quadratic"} or array-like
        How much each decision disagrees with each class, as for `expected_cost`: 1 for any mistake
        (Cohen's unweighted kappa), :math:`|i - j|`, :math:`(i - j)^2`, or a square matrix.
    weight : array-like, optional
        Case weights, none negative; cases of weight 0 do not count.

    Returns
    -------
    float
        NaN, with a `DataWarning`, where truth and decision are the same class throughout, which is
        0 / 0.

    References
    ----------
    .. [1] J. Cohen (1968). Weighted kappa: nominal scale agreement with provision for scaled
       disagreement or partial credit. Psychological Bulletin 70:213-220.
       `doi:10.1037/h0026256 <https://doi.org/10.1037/h0026256>`__

    Examples
    --------
    >>> import properly
    >>> properly.decisions.weighted_kappa([0, 1, 2, 2], [0, 2, 1, 2], 3, "linear")
    0.4285714285714286
    """
    return confusion(y, d, classes, weight=weight).kappa(cost)


def quadratic_weighted_kappa(
    y: ArrayLike, d: ArrayLike, classes: int | Sequence[object], *, weight: ArrayLike | None = None
) -> float:
    r"""Measure agreement beyond chance, disagreement squared.

    The quadratic form of `weighted_kappa`. It is one minus a ratio of squared distances between
    truth and decision: those of the same case, over those of two cases drawn at random,

    .. math:: 1 - \kappa = \frac{\frac{1}{n} \sum (y - d)^2}
        {\operatorname{Var} y + \operatorname{Var} d + (\bar y - \bar d)^2} ,

    with variances divided by :math:`n`. The numerator is the `expected_cost` of quadratic costs.

    Parameters
    ----------
    y, d : array-like
        True and decided classes: numbers from 0, or labels.
    classes : int or sequence of labels
        The number of classes, or their labels in order.
    weight : array-like, optional
        Case weights, none negative; cases of weight 0 do not count.

    Returns
    -------
    float
        NaN, with a `DataWarning`, where truth and decision are the same class throughout, which is
        0 / 0.

    Notes
    -----
    The denominator depends on who is in the sample: kappa is no mean over cases, and does not
    compare between data sets of different spread. It also grows with the spread of the decisions,
    so that those of least quadratic cost need not have the greatest kappa.

    Examples
    --------
    >>> import properly
    >>> grades = ["mild", "moderate", "severe"]
    >>> y = ["mild", "moderate", "severe", "severe"]
    >>> d = ["mild", "severe", "moderate", "severe"]
    >>> properly.quadratic_weighted_kappa(y, d, grades)
    0.6363636363636364
    """
    return weighted_kappa(y, d, classes, "quadratic", weight=weight)


def count_pairs(
    y: Column, d: Column, shape: tuple[int, int], weight: ArrayLike | None = None
) -> Table:
    """Count, or weigh, the cases of each class and decision, given by number."""
    check_length(d, y, "decisions", "outcomes")
    cell, size = y * shape[1] + d, shape[0] * shape[1]
    if weight is None:
        return np.bincount(cell, minlength=size).astype(np.int64).reshape(shape)
    w = to_numpy(check_weights(weight))
    check_length(w, y, "weights", "outcomes")
    result = np.bincount(cell, w, size).reshape(shape)
    # Whole numbers are added up exactly up to there, whatever they mean.
    whole = result.sum() < EXACT and bool((w == np.floor(w)).all())
    return result.astype(np.int64) if whole else result


def costs_of_classes(cost: Cost, classes: int) -> Table:
    """Return what it costs to decide for each class if each class happens."""
    matrix = cost_matrix(cost, classes)
    if matrix.shape[1] != classes:
        message = (
            f"decisions must be classes to agree with the truth; got costs of {matrix.shape[1]} "
            f"decisions for {classes} classes"
        )
        raise DataError(message, hint="expected_cost(y, decide(P, cost), cost) prices any.")
    return matrix


def kappa_of(counts: Table, weights: Table) -> Any:
    """Return one minus disagreement over what chance makes of the same margins; NaN for 0 / 0.

    The last two axes of the counts are classes and decisions; there is one number a table.
    """
    o, table = counts.astype(np.float64), (-2, -1)
    margins = o.sum(axis=-1)[..., :, None] * o.sum(axis=-2)[..., None, :]
    observed, by_chance = ((weights * x).sum(axis=table) for x in (o, margins))
    undefined = np.full(by_chance.shape, np.nan)
    return 1 - np.divide(observed * o.sum(axis=table), by_chance, undefined, where=by_chance > 0)


def kappa_error(counts: Table, weights: Table) -> float:
    """Return the standard error of kappa in large samples; NaN where kappa is 0 / 0."""
    n = int(counts.sum())
    shares = counts / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, by_chance = (weights * shares).sum(), rows @ weights @ columns
    if not by_chance > 0:
        return math.nan
    ratio = observed / by_chance
    margins = (weights @ columns)[:, None] + rows @ weights
    influence = (ratio * margins - weights) / by_chance - ratio
    return math.sqrt(float((shares * influence**2).sum()) / n)


def _shares(part: Column, whole: Column) -> Column:
    """Divide, with NaN for a share of nothing."""
    result = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=result, where=whole > 0)
    return result
