"""Hard decisions: how to make them of class probabilities, and what they are worth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._arrays import as_array, check_amounts, check_counts, check_length, refuse
from properly._boundary._classes import check_probabilities
from properly._boundary._labels import as_classes, class_numbers
from properly._boundary._libraries import to_numpy
from properly._boundary._notices import notice
from properly._boundary._options import check_choice, check_flag
from properly.decisions._confusion import count_pairs
from properly.errors import DataError
from properly.rules._costs import as_matrix, cost_matrix, decide_by_cost, decide_by_mode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.rules._costs import Cost
    from properly.typing import Array, ArrayLike, Column

Table: TypeAlias = np.ndarray[Any, Any]
# How far from one the sum of priors may be.
SLACK = 1e-6


class Priced(NamedTuple):
    """Class and decision of each case, by number, and what each pair of them costs."""

    y: Column
    d: Column
    cost: Table

    def paid(self) -> Column:
        """Return what the decision on each case costs."""
        return np.asarray(self.cost[self.y, self.d])


def decide(P: ArrayLike, cost: Cost = "zero_one", labels: Sequence[object] | None = None) -> Array:
    r"""Make the decisions that class probabilities call for.

    With :math:`C_{jd}` the cost of decision :math:`d` if class :math:`j` happens, the decision is

    .. math:: d^*(p) = \operatorname{argmin}_d \sum_j p_j C_{jd} ,

    the likeliest class under ``"zero_one"``, a median under ``"absolute"`` and the class next to
    the mean under ``"quadratic"``. So the likeliest class is not the best answer to an ordinal
    question. It is the default all the same, while `expected_cost` and `hard_costs` charge
    ``"quadratic"`` costs by default: name the same cost in both.

    Parameters
    ----------
    P : array-like
        Class probabilities: one row a case, one column a class.
    cost : {"zero_one", "absolute", "quadratic"} or array-like
        What decisions cost: by the distance of classes, or a matrix with a row for each class and a
        column for each decision. It may have more columns than rows; the last may be to abstain.
    labels : sequence of labels, optional
        What to call the decisions: a label for each column of the costs.

    Returns
    -------
    array
        The number of each decision, or its label. Of several decisions that cost the same, the
        first is taken; costs that differ by rounding alone are tied.

    Examples
    --------
    >>> import properly
    >>> P = [[0.4, 0.25, 0.35], [0.1, 0.2, 0.7]]
    >>> properly.decisions.decide(P)
    array([0, 2])
    >>> properly.decisions.decide(P, "quadratic", labels=["mild", "moderate", "severe"])
    array(['moderate', 'severe'], dtype='<U8')
    >>> properly.decisions.decide(P, [[0, 1, 1, 0.5], [1, 0, 1, 0.5], [1, 1, 0, 0.5]])
    array([3, 2])
    """
    p = check_probabilities(P)
    matrix = cost_matrix(cost, int(p.shape[1]))
    names = None if labels is None else _names(labels, matrix.shape[1])
    # As sums of the other probabilities, equal ones might differ by rounding.
    by_mode = isinstance(cost, str) and cost == "zero_one"
    found = decide_by_mode(p) if by_mode else decide_by_cost(p, matrix)
    return found if names is None else names[to_numpy(found)]


def hard_costs(
    y: ArrayLike,
    d: ArrayLike,
    cost: Cost = "quadratic",
    *,
    classes: int | Sequence[object] | None = None,
) -> Column:
    """Return what each decision cost.

    Parameters
    ----------
    y, d, cost, classes
        As for `expected_cost`, which is the mean of them.

    Returns
    -------
    array

    Examples
    --------
    >>> import properly
    >>> properly.decisions.hard_costs([0, 1, 2], [2, 1, 1], "quadratic", classes=3)
    array([4., 0., 1.])
    """
    return priced(y, d, cost, classes).paid()


def expected_cost(
    y: ArrayLike,
    d: ArrayLike,
    cost: Cost = "quadratic",
    *,
    classes: int | Sequence[object] | None = None,
    priors: Literal["uniform"] | ArrayLike | None = None,
    normalized: bool = False,
    weight: ArrayLike | None = None,
) -> float:
    r"""Average what decisions cost.

    .. math:: \text{EC} = \sum_{ij} \pi_i R_{ij} C_{ij} , \qquad
        \text{normalized EC} = \frac{\text{EC}}{\min_j \sum_i \pi_i C_{ij}} ,

    with :math:`R_{ij}` the share of the cases of class :math:`i` that were decided as :math:`j`,
    :math:`C_{ij}` what that costs and :math:`\pi_i` the share of class :math:`i`. With the shares
    in the data, EC is the mean of :math:`C_{y d}` over all cases.

    Parameters
    ----------
    y : array-like
        True classes: numbers from 0, or labels.
    d : array-like
        Decided classes, in the same terms; or columns of the costs, by number, if these have not as
        many columns as rows.
    cost : {"zero_one", "absolute", "quadratic"} or array-like
        What decisions cost: by the distance of classes, or a matrix with a row for each class and a
        column for each decision.
    classes : int or sequence of labels, optional
        The number of classes, or their labels in order. May be left out if `cost` is a matrix and
        `y` are numbers.
    priors : array-like or "uniform", optional
        Shares of the classes where decisions are to be made, if not as in the data; ``"uniform"``
        are equal shares of those that occur.
    normalized : bool
        Divide by the cost of the best decision that is the same for all cases: more than 1 is
        worse than not looking.
    weight : array-like, optional
        Case weights, none negative; cases of weight 0 do not count.

    Returns
    -------
    float
        Normalized where the best constant decision costs nothing: infinite, or NaN and a
        `DataWarning` for 0 / 0.

    References
    ----------
    .. [1] L. Ferrer (2022). Analysis and comparison of classification metrics. `arXiv:2209.05355
       <https://arxiv.org/abs/2209.05355>`__

    Examples
    --------
    >>> import properly
    >>> y, d = [0, 0, 1, 2], [0, 1, 1, 0]
    >>> properly.expected_cost(y, d, classes=3)
    1.25
    >>> properly.expected_cost(y, d, "absolute", classes=3, priors=[0.2, 0.6, 0.2])
    0.5
    >>> abstain = [[0, 1, 1, 0.3], [1, 0, 1, 0.3], [1, 1, 0, 0.3]]
    >>> properly.expected_cost(y, [0, 3, 1, 3], abstain, normalized=True)
    0.5
    """
    check_flag(normalized, "normalized")
    known = priced(y, d, cost, classes)
    counts = count_pairs(known.y, known.d, known.cost.shape, weight)
    shares = _class_shares(priors, counts.sum(axis=1))
    found = mean_cost(counts, known.cost, shares)
    return _normalized(found, known.cost, shares) if normalized else found


def mean_cost(counts: Table, cost: Table, shares: Column) -> float:
    """Average the mean costs of the classes, by their shares; no share, no cases needed."""
    cases = counts.sum(axis=1)
    paid = (counts * cost).sum(axis=1)
    return float(shares @ np.divide(paid, cases, out=np.zeros(len(cases)), where=cases > 0))


def over_constant(found: float, cost: Table, shares: Column) -> float:
    """Divide a mean cost by that of the best constant decision; NaN for 0 / 0 and if it gains."""
    best = float((shares @ cost).min())
    if best > 0:
        return found / best
    return math.copysign(math.inf, found) if best == 0 != found else math.nan


def _normalized(found: float, cost: Table, shares: Column) -> float:
    best = float((shares @ cost).min())
    if best < 0:
        message = f"normalizing needs a best constant decision that costs 0 or more; got {best:g}"
        raise DataError(message, hint="state costs so that the right decision costs 0.")
    ratio = over_constant(found, cost, shares)
    if math.isnan(ratio):
        message = (
            "a normalized cost is 0 / 0 where decisions cost nothing and a constant one would not "
            "either; NaN is returned"
        )
        notice(message)
    return ratio


def priced(
    y: ArrayLike, d: ArrayLike, cost: Cost, classes: int | Sequence[object] | None
) -> Priced:
    """Give classes and decisions numbers; the latter are columns if costs are not square."""
    count, labels = as_classes(_rows_of(cost) if classes is None else classes)
    matrix = cost_matrix(cost, count)
    known, decisions = labels or count, matrix.shape[1]
    truth = class_numbers(y, known)
    same = decisions == count
    decided = class_numbers(d, known, "decisions") if same else _columns(d, decisions)
    check_length(decided, truth, "decisions", "outcomes")
    return Priced(truth, decided, matrix)


def _rows_of(cost: Cost) -> int:
    """Count the classes that a matrix of costs knows."""
    if isinstance(cost, str):
        message = f"costs by distance need the number of classes; got {cost!r} and no classes"
        raise DataError(message, hint="pass classes=, their number or their labels in order.")
    return int(as_matrix(cost).shape[0])


def _columns(d: ArrayLike, count: int) -> Column:
    given = to_numpy(as_array(d, "decisions"))
    if given.dtype.kind in "SU":
        rule = f"decisions must be numbers of columns of the costs, 0 to {count - 1}"
        refuse(
            given, np.ones(given.shape, bool), rule, "decide(P, cost) without labels= has numbers."
        )
    found = to_numpy(check_counts(given, "decisions"))
    if (found >= count).any():
        rule = f"decisions must be columns of the costs, 0 to {count - 1}"
        refuse(found, found >= count, rule, "decide(P, cost) makes such decisions.")
    return found


def _class_shares(priors: str | ArrayLike | None, cases: Column) -> Column:
    """Return the share of each class: as in the data, equal, or as given."""
    if priors is None:
        return np.asarray(cases / cases.sum())
    if isinstance(priors, str):
        check_choice(priors, ("uniform",), "priors")
        return np.asarray((cases > 0) / np.count_nonzero(cases))
    found = to_numpy(check_amounts(priors, "priors")).astype(np.float64)
    if len(found) != len(cases):
        message = f"priors must be shares of all {len(cases)} classes; got {len(found)} shares"
        raise DataError(message)
    if abs(found.sum() - 1) > SLACK:
        message = f"priors must sum to one; got a sum of {found.sum():.9g}"
        raise DataError(message, hint="divide them by their sum.")
    unseen = np.flatnonzero((found > 0) & (cases == 0))
    if unseen.size:
        k = int(unseen[0])
        message = f"a class with a prior must have cases; class {k} has prior {found[k]:g} and none"
        raise DataError(message, hint="what decisions cost there is not known from these cases.")
    return found


def _names(labels: Sequence[object], decisions: int) -> Column:
    """Make an array of labels to choose from, without turning numbers among texts into text."""
    count, names = as_classes(labels)
    if names is None or count != decisions:
        message = f"labels must name each of {decisions} decisions; got {labels!r}"
        raise DataError(message)
    one_kind = len({type(name) for name in names}) == 1
    if one_kind and isinstance(names[0], str | int | float):
        return np.array(names)
    return np.fromiter(names, dtype=object, count=count)
