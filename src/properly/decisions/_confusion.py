"""Truth against decision: a table of counts, and what is read from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._frames import to_frame
from properly._boundary._labels import names_of_labels, one_kind
from properly._boundary._libraries import freeze
from properly._boundary._plain import many, plain
from properly._boundary._tables import table
from properly.decisions._kappa import count_decisions, disagreement_weights, kappa_of, settled
from properly.rules._costs import cost_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly._boundary._frames import Backend
    from properly.decisions._kappa import Disagreement
    from properly.typing import ArrayLike

Column: TypeAlias = np.ndarray[Any, Any]
Table: TypeAlias = np.ndarray[Any, Any]
NUMBERS = ("accuracy", "error_rate", "macro_f1", "mean_absolute_error")
PER_CLASS = ("recall", "precision", "f1")


@dataclass(frozen=True, eq=False, repr=False)
class Confusion:
    r"""How often each class was decided for, by what was true.

    With :math:`O_{ij}` cases of class :math:`i` decided as :math:`j`, of :math:`n` in all, row sums
    :math:`r_i` and column sums :math:`c_j`: recall is :math:`O_{kk} / r_k`, precision
    :math:`O_{kk} / c_k` and :math:`F_1 = 2 O_{kk} / (r_k + c_k)`. What would be 0 / 0 is NaN.

    Attributes
    ----------
    counts : array
        Cases, or their weight: one row a true class, one column a decision.
    labels : tuple
        The labels of the classes, in order; their numbers if they have none.

    Examples
    --------
    >>> import properly
    >>> table = properly.confusion([0, 0, 1, 2], [0, 1, 1, 1], 3)
    >>> table
    Confusion(4 cases in 3 classes, accuracy 0.5)
    >>> table.recall, table.precision
    (array([0.5, 1. , 0. ]), array([1.        , 0.33333333,        nan]))
    >>> print(properly.confusion(["ill", "well"], ["well", "well"], ["well", "ill"]))
    truth \ decision  well  ill
    well                 1    0
    ill                  1    0
    """

    counts: Table
    labels: tuple[Any, ...]

    def __post_init__(self) -> None:
        freeze(self)

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
        return float((self.counts * cost_matrix("absolute", len(self.labels))).sum()) / self.total

    def kappa(
        self, disagreement: Disagreement = "quadratic", *, undefined: float | None = None
    ) -> float:
        """Return how much better than by chance the decisions agree; see `weighted_kappa`."""
        found = kappa_of(self.counts, disagreement_weights(disagreement, len(self.labels)))
        return settled(found, undefined)

    def to_dict(self) -> dict[str, Any]:
        """Return counts and what is read from them, as JSON can hold them."""
        found = {"labels": self.labels, "counts": self.counts.tolist(), "total": self.total}
        found |= {name: getattr(self, name) for name in NUMBERS}
        found |= {name: getattr(self, name).tolist() for name in PER_CLASS}
        as_json: dict[str, Any] = plain(found)
        return as_json

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a true class and decision as a polars, pandas or pyarrow frame."""
        labels = one_kind(self.labels)
        columns = {
            "truth": [truth for truth in labels for _ in labels],
            "decision": labels * len(labels),
            "count": self.counts.ravel().tolist(),
        }
        return to_frame(columns, backend)

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
    >>> properly.confusion(y, d, grades).counts
    array([[1, 1, 0],
           [0, 0, 0],
           [0, 0, 1]])
    >>> properly.confusion(y, d, grades, weight=[2, 0, 1]).accuracy
    1.0
    """
    return Confusion(*count_decisions(y, d, classes, weight))


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
    >>> properly.macro_f1([0, 0, 1, 1], [0, 1, 1, 1], 3)
    0.7333333333333334
    """
    return confusion(y, d, classes, weight=weight).macro_f1


def mean_absolute_error(
    y: ArrayLike, d: ArrayLike, classes: int | Sequence[object], *, weight: ArrayLike | None = None
) -> float:
    """Average how many classes lie between decision and truth.

    The mean of :math:`|y - d|` over class numbers: neighbouring classes are one step apart,
    whatever their labels.

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

    Examples
    --------
    >>> import properly
    >>> properly.mean_absolute_error(["low", "high"], ["high", "high"], ["low", "middle", "high"])
    1.0
    """
    return confusion(y, d, classes, weight=weight).mean_absolute_error


def _shares(part: Column, whole: Column) -> Column:
    """Divide, with NaN for a share of nothing."""
    found = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=found, where=whole > 0)
    return found
