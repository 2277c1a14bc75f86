"""Class probabilities judged by the decisions that are made of them.

Where a penalty for wrong decisions changes which of two models is better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._record import Record, many, plain
from properly._boundary._tables import table
from properly.counts._cases import require_classes
from properly.decisions._confusion import Confusion, count_pairs
from properly.decisions._hard import mean_cost, over_constant
from properly.decisions._models import require_same_rows
from properly.errors import DataError, ImproperRuleError
from properly.rules import Brier, Misclassification
from properly.rules._class_rule import require_class_rule
from properly.rules._costs import cost_matrix, decide_by_cost, decide_by_mode

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.rules import ClassRule
    from properly.rules._costs import Cost, NamedCost


Table: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class HardScores:
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

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them, with the confusion."""
        return dict(plain(self.numbers() | {"confusion": self.confusion}))


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
        told = (
            f"{len(self.labels)} classes, expected cost {self.argmax.expected_cost:.4g} by argmax"
        )
        if "bayes" in self.ways:
            told += f", {self.bayes.expected_cost:.4g} by Bayes"
        return f"HardDecisions({told})"

    @property
    def ways(self) -> dict[str, HardScores]:
        """The ways to decide that are known, by name."""
        known = not math.isnan(self.bayes.accuracy)
        return {"argmax": self.argmax} | ({"bayes": self.bayes} if known else {})

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
        known = f"{many(self.argmax.confusion.total, 'case')} in {len(self.labels)} classes"
        ways = [scores.numbers() for scores in self.ways.values()]
        rows = [
            (
                name.replace("_", " ").replace("f1", "F1"),
                *(f"{scores[name]:.4f}" for scores in ways),
            )
            for name in NUMBERS
        ]
        told = table(("", "argmax", "Bayes")[: 1 + len(ways)], rows, least=(0, 8))
        lost = f", decision loss {self.decision_loss:.4f}" if "bayes" in self.ways else ""
        return f"{known}{lost}\n{told}"


def decisions_of_table(found: Confusion, cost: NamedCost) -> HardDecisions:
    """Judge decisions for the likeliest class that have been counted.

    At zero-one costs these cost least. What decisions cost least at others is not known.
    """
    labels = found.labels
    matrix = cost_matrix(cost, len(labels))
    argmax = scores_of_table(found, matrix)
    if cost == "zero_one":
        return HardDecisions(matrix, labels, argmax, argmax, 0.0)
    nothing = Confusion(np.full(matrix.shape, math.nan), labels)
    return HardDecisions(
        matrix, labels, argmax, HardScores(nothing, *[math.nan] * len(NUMBERS)), math.nan
    )


def hard_decisions(cases: Cases, cost: Cost = "quadratic") -> HardDecisions:
    """Judge class probabilities by the decisions made of them.

    Twice: by the likeliest class, as is commonly done, and by least expected cost.

    Parameters
    ----------
    cases : Cases
        Outcomes and class probabilities. Weights count; clusters and times make no difference.
    cost : {"zero_one", "absolute", "quadratic"} or array-like
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
    count = len(labels)
    matrix = cost_matrix(cost, count)
    if matrix.shape[1] != count:
        message = (
            f"decisions must be classes to agree with the truth; got costs of {matrix.shape[1]} "
            f"decisions for {count} classes"
        )
        raise DataError(message, hint="expected_cost(y, decide(P, cost), cost) prices any.")
    by_cost = not (isinstance(cost, str) and cost == "zero_one")
    argmax = decide_by_mode(p)
    bayes = decide_by_cost(p, matrix) if by_cost else argmax
    one, other = (_scores(cases, d, matrix, labels) for d in (argmax, bayes))
    return HardDecisions(matrix, labels, one, other, one.expected_cost - other.expected_cost)


def _scores(cases: Cases, d: Any, cost: Table, labels: tuple[Any, ...]) -> HardScores:
    counts = count_pairs(to_numpy(cases.y), to_numpy(d), cost.shape, cases.weight)
    return scores_of_table(Confusion(counts, labels), cost)


def scores_of_table(found: Confusion, cost: Table) -> HardScores:
    """Judge decisions that have been counted by what was true."""
    shares = found.counts.sum(axis=1) / found.total
    mean = mean_cost(found.counts, cost, shares)
    # A record says NaN where there is nothing to say; only a number alone needs a warning.
    nan = math.nan
    return HardScores(
        confusion=found,
        accuracy=found.accuracy,
        macro_f1=found.macro_f1,
        mean_absolute_error=found.mean_absolute_error,
        linear_kappa=found.kappa("linear", undefined=nan),
        quadratic_kappa=found.kappa("quadratic", undefined=nan),
        expected_cost=mean,
        normalized_cost=over_constant(mean, cost, shares),
    )


# Means that differ by less than this share of themselves differ by rounding alone.
ROUNDING = 2.0**-40


def switching_penalty(first: Cases, second: Cases, rule: ClassRule | None = None) -> float | None:
    r"""Find the penalty at which two models change places.

    .. math:: \lambda = \frac{\bar S_2 - \bar S_1}{\bar Z_1 - \bar Z_2} ,

    with the mean scores :math:`\bar S` and the error rates :math:`\bar Z` of both models.

    Parameters
    ----------
    first, second : Cases
        Two models of the same cases, with one column of probabilities a class.
    rule : ClassRule, optional
        The rule without the penalty; `Brier` unless said otherwise.

    Returns
    -------
    float or None
        Below it, the model with the better score is preferred; above it, the one that errs less
        often. None if one model is not worse in either, and so is preferred whatever the penalty.

    Notes
    -----
    A penalized score is the score plus the penalty times the error rate, so it ranks two models by
    a weighted sum. This says at which weight the ranking turns, which no single penalty tells.
    Errors are shared out among classes that tie for the largest probability, as `Misclassification`
    does.

    Examples
    --------
    >>> import properly
    >>> y = [0, 1, 2]
    >>> timid = properly.Cases(y, [[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4]])
    >>> bold = properly.Cases(y, [[1, 0, 0], [0, 1, 0], [0, 0.51, 0.49]])
    >>> round(properly.decisions.switching_penalty(bold, timid), 4)
    1.0998
    """
    models = {"first": require_classes(first), "second": require_classes(second)}
    require_same_rows(models)
    if first.labels != second.labels:
        message = f"models must have the same classes; got {first.labels} and {second.labels}"
        raise DataError(message)
    rules = require_class_rule(Brier() if rule is None else rule), Misclassification()
    if not rules[0].is_proper:
        message = f"only a proper rule chooses between models; {rules[0]!r} is improper"
        raise ImproperRuleError(message)
    scores, errors = (
        [float(r.mean_price(c.y, c.p, c.weight)) for c in models.values()] for r in rules
    )
    gain, loss = scores[1] - scores[0], errors[0] - errors[1]
    # One model is better by the score and worse by its errors if both have the same sign.
    told = abs(gain) > ROUNDING * max(scores) and abs(loss) > ROUNDING * max(errors)
    return gain / loss if told and gain * loss > 0 and math.isfinite(gain) else None
