"""Agreement of truth and decision beyond chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from properly._boundary._arrays import as_array, as_numbers, check_length, check_weights
from properly._boundary._labels import as_classes, class_numbers
from properly._boundary._libraries import to_numpy
from properly._boundary._notice import notice
from properly._boundary._options import as_number, check_choice
from properly.counts._pooling import EXACT
from properly.errors import DataError
from properly.rules._costs import cost_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.typing import ArrayLike

Column: TypeAlias = np.ndarray[Any, Any]
Table: TypeAlias = np.ndarray[Any, Any]
NamedDisagreement = Literal["quadratic", "linear"]
Disagreement: TypeAlias = "NamedDisagreement | ArrayLike"


def weighted_kappa(
    y: ArrayLike,
    d: ArrayLike,
    classes: int | Sequence[object],
    disagreement: Disagreement = "quadratic",
    *,
    weight: ArrayLike | None = None,
    undefined: float | None = None,
) -> float:
    r"""Measure how much better than by chance decisions agree with the truth.

    .. math:: \kappa = 1 - \frac{\sum_{ij} w_{ij} O_{ij}}{\sum_{ij} w_{ij} r_i c_j / n} ,

    with :math:`O_{ij}` of :math:`n` cases of class :math:`i` decided as :math:`j`, of which there
    are :math:`r_i` and :math:`c_j` in all, and weights :math:`w_{ij}` of disagreement:
    :math:`|i - j|` (linear) or :math:`(i - j)^2` (quadratic). It is 1 if all agree, 0 for decisions
    that know nothing of the case, and negative for worse ones.

    Parameters
    ----------
    y, d : array-like
        True and decided classes: numbers from 0, or labels.
    classes : int or sequence of labels
        The number of classes, or their labels in order. All of them count, also those that do not
        occur: renumbering those that do would change the weights.
    disagreement : {"quadratic", "linear"} or array-like
        The weights: how much each decision (column) disagrees with each class (row), nothing on
        the diagonal and nothing negative. ``1 - numpy.eye(K)`` makes Cohen's kappa without weights.
    weight : array-like, optional
        Case weights, none negative; cases of weight 0 do not count.
    undefined : float, optional
        What to return where truth and decision are the same class throughout, which is 0 / 0. If
        left out, NaN and a `DataWarning`.

    Returns
    -------
    float

    References
    ----------
    .. [1] J. Cohen (1968). Weighted kappa: nominal scale agreement with provision for scaled
       disagreement or partial credit. Psychological Bulletin 70:213-220.
       `doi:10.1037/h0026256 <https://doi.org/10.1037/h0026256>`__

    Examples
    --------
    >>> import properly
    >>> properly.weighted_kappa([0, 1, 2, 2], [0, 2, 1, 2], 3, "linear")
    0.4285714285714286
    """
    found = _kappa(y, d, classes, disagreement, weight)
    return settled(found, undefined)


def quadratic_weighted_kappa(
    y: ArrayLike,
    d: ArrayLike,
    classes: int | Sequence[object],
    *,
    weight: ArrayLike | None = None,
    undefined: float | None = None,
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
    undefined : float, optional
        What to return where truth and decision are the same class throughout, which is 0 / 0. If
        left out, NaN and a `DataWarning`.

    Returns
    -------
    float

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
    found = _kappa(y, d, classes, "quadratic", weight)
    return settled(found, undefined)


def count_decisions(
    y: ArrayLike, d: ArrayLike, classes: int | Sequence[object], weight: ArrayLike | None
) -> tuple[Table, tuple[Any, ...]]:
    """Check classes and decisions, and count them; return the labels too."""
    count, labels = as_classes(classes)
    known = labels or count
    numbers = class_numbers(y, known), class_numbers(d, known, "decisions")
    return count_pairs(*numbers, (count, count), weight), labels or tuple(range(count))


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
    found = np.bincount(cell, w, size).reshape(shape)
    # Whole numbers are counts, and exact up to there.
    whole = found.sum() < EXACT and bool((w == np.floor(w)).all())
    return found.astype(np.int64) if whole else found


def disagreement_weights(disagreement: Disagreement, classes: int) -> Table:
    """Return how much each decision disagrees with each class, checked."""
    if isinstance(disagreement, str):
        check_choice(disagreement, get_args(NamedDisagreement), "disagreement")
        return cost_matrix("quadratic" if disagreement == "quadratic" else "absolute", classes)
    name = "disagreement weights"
    found = to_numpy(as_numbers(as_array(disagreement, name), name)).astype(np.float64)
    if found.shape != (classes, classes):
        message = (
            f"{name} must have one row and one column for each of {classes} classes; "
            f"got shape {found.shape}"
        )
        raise DataError(message, hint="weights of cases are passed as weight=.")
    bad = ~((found >= 0) & (found < math.inf))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        message = (
            f"{name} must be finite and not negative; "
            f"row {row}, column {column} is {found[row, column]:g}"
        )
        raise DataError(message)
    return _from_zero(found)


def _from_zero(found: Table) -> Table:
    """Require that agreement weighs nothing and some disagreement something; the scale is free."""
    if np.diagonal(found).any():
        row = int(np.flatnonzero(np.diagonal(found))[0])
        message = (
            f"disagreement weights must be 0 on the diagonal; row {row} has {found[row, row]:g}"
        )
        raise DataError(message, hint="for weights of agreement, pass 1 minus them.")
    if not found.any():
        message = "disagreement weights must not all be 0; got nothing else"
        raise DataError(message)
    return np.asarray(found / found.max())


def kappa_of(counts: Table, weights: Table) -> Any:
    """Return one minus disagreement over what chance makes of the same margins; NaN for 0 / 0.

    The last two axes of the counts are classes and decisions; there is one number a table.
    """
    o, table = counts.astype(np.float64), (-2, -1)
    margins = o.sum(axis=-1)[..., :, None] * o.sum(axis=-2)[..., None, :]
    observed, by_chance = ((weights * x).sum(axis=table) for x in (o, margins))
    undefined = np.full(by_chance.shape, np.nan)
    return 1 - np.divide(observed * o.sum(axis=table), by_chance, undefined, where=by_chance > 0)


def settled(kappa: float, undefined: float | None) -> float:
    """Put the value that was asked for, or NaN and a warning, in the place of 0 / 0."""
    instead = None if undefined is None else as_number(undefined, "value of an undefined kappa")
    if not math.isnan(kappa):
        return float(kappa)
    if instead is not None:
        return instead
    message = (
        "kappa is 0 / 0 where chance cannot disagree, as where truth and decision are one class "
        "throughout; NaN is returned, and undefined= replaces it"
    )
    notice(message)
    return math.nan


def _kappa(
    y: ArrayLike,
    d: ArrayLike,
    classes: int | Sequence[object],
    disagreement: Disagreement,
    weight: ArrayLike | None,
) -> Any:
    counts, labels = count_decisions(y, d, classes, weight)
    return kappa_of(counts, disagreement_weights(disagreement, len(labels)))
