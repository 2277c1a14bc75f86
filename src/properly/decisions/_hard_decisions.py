"""Hard decisions: made of class probabilities, priced, and judged by their confusion matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._arrays import as_array, check_amounts, check_counts, check_length, refuse
from properly._boundary._classes import as_classes, check_probabilities, class_numbers
from properly._boundary._libraries import to_numpy
from properly._boundary._notices import notice
from properly._boundary._options import check_choice, check_flag
from properly._boundary._record import Record, plain
from properly._boundary._text import many, table
from properly.counts._calls import takes_class_rows
from properly.counts._cases import Cases, require_classes
from properly.decisions._confusion import Confusion, costs_of_classes, count_pairs, kappa_of
from properly.errors import DataError
from properly.rules import _penalty as penalty
from properly.rules._penalty import Cost, NamedCost
from properly.typing import Array, ArrayLike, Column

Table: TypeAlias = np.ndarray[Any, Any]
# How far from one the sum of priors may be.
SLACK = 1e-6


class PricedDecisions(NamedTuple):
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

    the likeliest class under ``"zero_one"``, a median under ``"linear"`` and the class next to
    the mean under ``"quadratic"``. So the likeliest class is not the best answer to an ordinal
    question. It is the default all the same, while `expected_cost` charges
    ``"quadratic"`` costs by default: name the same cost in both.

    Parameters
    ----------
    P : array-like
        Class probabilities: one row a case, one column a class.
    cost : {"zero_one", "linear", "quadratic"} or array-like
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
    matrix = penalty.cost_matrix(cost, int(p.shape[1]))
    names = None if labels is None else _names(labels, matrix.shape[1])
    # As sums of the other probabilities, equal ones might differ by rounding.
    by_mode = isinstance(cost, str) and cost == "zero_one"
    result = penalty.decide_by_mode(p) if by_mode else penalty.decide_by_cost(p, matrix)
    return result if names is None else names[to_numpy(result)]


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
    cost : {"zero_one", "linear", "quadratic"} or array-like
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
    >>> properly.expected_cost(y, d, "linear", classes=3, priors=[0.2, 0.6, 0.2])
    0.5
    >>> abstain = [[0, 1, 1, 0.3], [1, 0, 1, 0.3], [1, 1, 0, 0.3]]
    >>> properly.expected_cost(y, [0, 3, 1, 3], abstain, normalized=True)
    0.5
    """
    check_flag(normalized, "normalized")
    decided = priced(y, d, cost, classes)
    counts = count_pairs(decided.y, decided.d, decided.cost.shape, weight)
    shares = _class_shares(priors, counts.sum(axis=1))
    result = mean_cost(counts, decided.cost, shares)
    return _normalized(result, decided.cost, shares) if normalized else result


def mean_cost(counts: Table, cost: Table, shares: Column) -> float:
    """Average the mean costs of the classes, by their shares; no share, no cases needed."""
    cases = counts.sum(axis=1)
    paid = (counts * cost).sum(axis=1)
    return float(shares @ np.divide(paid, cases, out=np.zeros(len(cases)), where=cases > 0))


def over_constant(result: float, cost: Table, shares: Column) -> float:
    """Divide a mean cost by that of the best constant decision; NaN for 0 / 0 and if it gains."""
    best = float((shares @ cost).min())
    if best > 0:
        return result / best
    return math.copysign(math.inf, result) if best == 0 != result else math.nan


def _normalized(result: float, cost: Table, shares: Column) -> float:
    best = float((shares @ cost).min())
    if best < 0:
        message = f"normalizing needs a best constant decision that costs 0 or more; got {best:g}"
        raise DataError(message, hint="state costs so that the right decision costs 0.")
    ratio = over_constant(result, cost, shares)
    if math.isnan(ratio):
        message = (
            "a normalized cost is 0 / 0 where decisions cost nothing and a constant one would not "
            "either; NaN is returned"
        )
        notice(message)
    return ratio


def priced(
    y: ArrayLike, d: ArrayLike, cost: Cost, classes: int | Sequence[object] | None
) -> PricedDecisions:
    """Give classes and decisions numbers; the latter are columns if costs are not square."""
    if classes is None:
        if isinstance(cost, str):
            message = f"costs by distance need the number of classes; got {cost!r} and no classes"
            raise DataError(message, hint="pass classes=, their number or their labels in order.")
        classes = int(penalty.as_matrix(cost).shape[0])
    count, labels = as_classes(classes)
    matrix = penalty.cost_matrix(cost, count)
    truth, decisions = class_numbers(y, labels or count), matrix.shape[1]
    if decisions == count:
        decided = class_numbers(d, labels or count, "decisions")
    else:
        decided = _columns(d, decisions)
    check_length(decided, truth, "decisions", "outcomes")
    return PricedDecisions(truth, decided, matrix)


def _columns(d: ArrayLike, count: int) -> Column:
    given = to_numpy(as_array(d, "decisions"))
    if given.dtype.kind in "SU":
        rule = f"decisions must be numbers of columns of the costs, 0 to {count - 1}"
        refuse(
            given, np.ones(given.shape, bool), rule, "decide(P, cost) without labels= has numbers."
        )
    result = to_numpy(check_counts(given, "decisions"))
    if (result >= count).any():
        rule = f"decisions must be columns of the costs, 0 to {count - 1}"
        refuse(result, result >= count, rule, "decide(P, cost) makes such decisions.")
    return result


def _class_shares(priors: str | ArrayLike | None, cases: Column) -> Column:
    """Return the share of each class: as in the data, equal, or as given."""
    if priors is None:
        return np.asarray(cases / cases.sum())
    if isinstance(priors, str):
        check_choice(priors, ("uniform",), "priors")
        return np.asarray((cases > 0) / np.count_nonzero(cases))
    result = to_numpy(check_amounts(priors, "priors")).astype(np.float64)
    if len(result) != len(cases):
        message = f"priors must be shares of all {len(cases)} classes; got {len(result)} shares"
        raise DataError(message)
    if abs(result.sum() - 1) > SLACK:
        message = f"priors must sum to one; got a sum of {result.sum():.9g}"
        raise DataError(message, hint="divide them by their sum.")
    unseen = np.flatnonzero((result > 0) & (cases == 0))
    if unseen.size:
        k = int(unseen[0])
        message = (
            f"a class with a prior must have cases; class {k} has prior {result[k]:g} and none"
        )
        raise DataError(message, hint="what decisions cost there is not known from these cases.")
    return result


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


@dataclass(frozen=True, eq=False, repr=False)
class HardScores(Record):
    """What one way to decide comes to.

    What would be 0 / 0 is NaN, without a warning.

    Attributes
    ----------
    confusion : Confusion
        Decisions by what was true.
    accuracy, macro_f1, mean_absolute_error : float
        As of the confusion.
    linear_kappa, quadratic_kappa : float
        Agreement beyond chance; see `weighted_kappa`.
    expected_cost, normalized_cost : float
        Mean cost of the decisions, and the same over that of the best constant decision, NaN if
        that one brings a gain; see `expected_cost`.

    Examples
    --------
    >>> import properly
    >>> cases = properly.Cases([0, 1, 2], [[0.6, 0.4, 0], [0.2, 0.5, 0.3], [0.5, 0, 0.5]])
    >>> properly.decisions.hard_decisions(cases).bayes
    HardScores(accuracy 0.6667, quadratic kappa 0.6667, expected cost 0.3333)
    """

    confusion: Confusion
    accuracy: float
    macro_f1: float
    mean_absolute_error: float
    linear_kappa: float
    quadratic_kappa: float
    expected_cost: float
    normalized_cost: float

    def __repr__(self) -> str:
        return (
            f"HardScores(accuracy {self.accuracy:.4g}, quadratic kappa "
            f"{self.quadratic_kappa:.4g}, expected cost {self.expected_cost:.4g})"
        )

    def numbers(self) -> dict[str, float]:
        """Return all but the confusion, by name."""
        return {name: getattr(self, name) for name in NUMBERS}


NUMBERS = tuple(field.name for field in fields(HardScores) if field.name != "confusion")


@dataclass(frozen=True, eq=False, repr=False)
class HardDecisions(Record):
    """Decisions for the likeliest class, and those of least expected cost.

    Attributes
    ----------
    cost : array
        What decisions cost: one row a class, one column a decision.
    labels : tuple
        The labels of the classes, in order.
    argmax : HardScores
        Deciding for the likeliest class.
    bayes : HardScores
        Deciding for what the forecasts expect to cost least; see `decide`. All numbers are NaN
        where the rows that this takes are not known.
    decision_loss : float
        Expected cost of the former minus that of the latter: what it costs not to look at costs.
        It is negative only if the forecasts mislead; NaN if the latter is not known.

    Examples
    --------
    >>> import properly
    >>> cases = properly.Cases([0, 1, 2], [[0.6, 0.4, 0], [0.2, 0.5, 0.3], [0.5, 0, 0.5]])
    >>> print(properly.decisions.hard_decisions(cases))
    3 cases in 3 classes, decision loss 1.0000
                           argmax     Bayes
    accuracy               0.6667    0.6667
    macro F1               0.5556    0.5556
    mean absolute error    0.6667    0.3333
    linear kappa           0.2500    0.5714
    quadratic kappa        0.0000    0.6667
    expected cost          1.3333    0.3333
    normalized cost        2.0000    0.5000
    """

    cost: Table
    labels: tuple[Any, ...]
    argmax: HardScores
    bayes: HardScores
    decision_loss: float

    def __repr__(self) -> str:
        costs = f"expected cost {self.argmax.expected_cost:.4g} by argmax"
        if "bayes" in self.ways:
            costs += f", {self.bayes.expected_cost:.4g} by Bayes"
        return f"HardDecisions({len(self.labels)} classes, {costs})"

    @property
    def ways(self) -> dict[str, HardScores]:
        """The ways to decide that are known, by name."""
        ways = {"argmax": self.argmax, "bayes": self.bayes}
        return {name: way for name, way in ways.items() if not math.isnan(way.accuracy)}

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them."""
        names = ("labels", "cost", *self.ways, "decision_loss")
        return dict(plain({name: getattr(self, name) for name in names}))

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row a way to decide."""
        ways = {way: scores.numbers() for way, scores in self.ways.items()}
        columns = {name: [scores[name] for scores in ways.values()] for name in NUMBERS}
        return {"decisions": list(ways)} | columns

    def __str__(self) -> str:
        """Lay out a table with a column for each way to decide."""
        head = f"{many(self.argmax.confusion.total, 'case')} in {len(self.labels)} classes"
        ways = [scores.numbers() for scores in self.ways.values()]
        rows = [
            (
                name.replace("_", " ").replace("f1", "F1"),
                *(f"{scores[name]:.4f}" for scores in ways),
            )
            for name in NUMBERS
        ]
        text = table(("", "argmax", "Bayes")[: 1 + len(ways)], rows, least=(0, 8))
        lost = f", decision loss {self.decision_loss:.4f}" if "bayes" in self.ways else ""
        return f"{head}{lost}\n{text}"


def decisions_of_table(confusion: Confusion, cost: NamedCost) -> HardDecisions:
    """Judge decisions for the likeliest class that have been counted.

    At zero-one costs these cost least. What decisions cost least at others is not known.
    """
    labels = confusion.labels
    matrix = penalty.cost_matrix(cost, len(labels))
    argmax = scores_of_table(confusion, matrix)
    if cost == "zero_one":
        return HardDecisions(matrix, labels, argmax, argmax, 0.0)
    nothing = Confusion(np.full(matrix.shape, math.nan), labels)
    return HardDecisions(
        matrix, labels, argmax, HardScores(nothing, *[math.nan] * len(NUMBERS)), math.nan
    )


@takes_class_rows
def hard_decisions(cases: Cases, cost: Cost = "quadratic") -> HardDecisions:
    """Judge class probabilities by the decisions made of them.

    Twice: by the likeliest class, as is commonly done, and by least expected cost.

    Parameters
    ----------
    cases : Cases
        Outcomes and class probabilities. Weights count; clusters and times make no difference.
    cost : {"zero_one", "linear", "quadratic"} or array-like
        What decisions cost: by the distance of classes, or a matrix with a row for each true class
        and a column for each decided one.

    Returns
    -------
    HardDecisions

    See Also
    --------
    decide, expected_cost : For costs with further decisions, such as to abstain.

    Examples
    --------
    >>> import properly
    >>> cases = properly.Cases([0, 1, 2], [[0.6, 0.4, 0], [0.2, 0.5, 0.3], [0.5, 0, 0.5]])
    >>> found = properly.decisions.hard_decisions(cases, "quadratic")
    >>> found
    HardDecisions(3 classes, expected cost 1.333 by argmax, 0.3333 by Bayes)
    >>> found.bayes.confusion.counts
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 1, 0]])
    """
    p, labels = require_classes(cases).p, tuple(cases.labels or ())
    matrix = costs_of_classes(cost, len(labels))
    by_cost = not (isinstance(cost, str) and cost == "zero_one")
    argmax = penalty.decide_by_mode(p)
    bayes = penalty.decide_by_cost(p, matrix) if by_cost else argmax
    y, weight = to_numpy(cases.y), cases.weight
    counts = (count_pairs(y, to_numpy(d), matrix.shape, weight) for d in (argmax, bayes))
    one, other = (scores_of_table(Confusion(x, labels), matrix) for x in counts)
    return HardDecisions(matrix, labels, one, other, one.expected_cost - other.expected_cost)


def scores_of_table(confusion: Confusion, cost: Table) -> HardScores:
    """Judge decisions that have been counted by what was true."""
    shares = confusion.counts.sum(axis=1) / confusion.total
    mean = mean_cost(confusion.counts, cost, shares)
    # A record says NaN where there is nothing to say; only a number alone needs a warning.
    counts, classes = confusion.counts, len(confusion.labels)
    return HardScores(
        confusion=confusion,
        accuracy=confusion.accuracy,
        macro_f1=confusion.macro_f1,
        mean_absolute_error=confusion.mean_absolute_error,
        linear_kappa=float(kappa_of(counts, penalty.cost_matrix("linear", classes))),
        quadratic_kappa=float(kappa_of(counts, penalty.cost_matrix("quadratic", classes))),
        expected_cost=mean,
        normalized_cost=over_constant(mean, cost, shares),
    )
