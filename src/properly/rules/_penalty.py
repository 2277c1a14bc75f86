"""Penalized scores, a rule plus a penalty for the wrong decision, and what decisions cost.

Cost matrices have one row per class and one column per decision. `Penalized`, `PBS` and `PLL`; the
smallest penalty that makes a rule superior; and how ties of several best decisions are priced.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from properly._boundary._arrays import HUGE, as_array, as_numbers, refuse
from properly._boundary._chunks import sweep
from properly._boundary._classes import check_count
from properly._boundary._libraries import beside, count_up, is_numpy, namespace, to_numpy
from properly._boundary._notices import notice
from properly._boundary._options import as_number, check_choice
from properly.errors import DataError
from properly.rules._class_rule import ClassRule, at, require_class_rule
from properly.rules._dual_rules import Brier, Log
from properly.rules._ranked_probability import RPS
from properly.rules._rule import Propriety, in_name, wide
from properly.typing import Array, ArrayLike

NamedCost = Literal["zero_one", "linear", "quadratic"]
NAMED: tuple[NamedCost, ...] = get_args(NamedCost)
Cost: TypeAlias = "NamedCost | ArrayLike"
Matrix: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


def cost_matrix(cost: Cost, classes: int) -> Matrix:
    """Return the cost of each decision if each class happens, checked."""
    if isinstance(cost, str):
        return _by_distance(cost, classes)
    matrix = to_numpy(as_numbers(as_matrix(cost), "costs")).astype(np.float64)
    if matrix.shape[0] != classes:
        message = (
            f"costs must have one row for each of {classes} classes and one column a decision; "
            f"got shape {tuple(matrix.shape)}"
        )
        raise DataError(message)
    if not (np.abs(matrix) <= HUGE).all():
        refuse(matrix, ~(np.abs(matrix) <= HUGE), f"costs must lie between {-HUGE:g} and {HUGE:g}")
    _warn_of_cheap_mistakes(matrix)
    return matrix


def as_matrix(cost: ArrayLike) -> Array:
    """Take a table of costs of any size, its entries unchecked."""
    matrix = as_array(cost, "costs")
    if matrix.ndim != 2 or 0 in matrix.shape:
        message = (
            "costs must be a matrix, one row a class and one column a decision; "
            f"got shape {tuple(matrix.shape)}"
        )
        raise DataError(message)
    return matrix


def expected_costs(p: Array, cost: Matrix) -> Array:
    """Return what each decision would cost on average, if the forecasts were true."""
    return p @ beside(cost, p)


def optimal(p: Array, cost: Matrix) -> Array:
    """Tell which decisions have the least expected cost, up to rounding.

    That is one of the numbers that were handed in, which in single precision are known to seven
    digits, and one of their sums, which grows with the number of classes.
    """
    xp = namespace(p)
    own = float(xp.finfo(p.dtype).eps)
    single = float(np.finfo(np.float32).eps)
    p = xp.astype(p, xp.float64) if is_numpy(p) else xp.astype(p, xp.float32) if own > single else p
    eps = min(own, single) / 2 + cost.shape[0] * float(xp.finfo(p.dtype).eps)
    expected, slack = expected_costs(p, cost), eps * expected_costs(p, np.abs(cost))
    return expected - slack <= xp.min(expected + slack, axis=1, keepdims=True)


def likeliest(p: Array, tolerance: float = 0.0) -> Array:
    """Tell which classes have the largest probability, or one that is hardly smaller."""
    xp = namespace(p)
    return p >= xp.max(p, axis=1, keepdims=True) - tolerance


def first_of(chosen: Array) -> Array:
    """Return the number of the first column that is true in each row."""
    xp = namespace(chosen)
    return xp.argmax(xp.astype(chosen, xp.uint8), axis=1)


def decide_by_cost(p: Array, cost: Matrix) -> Array:
    """Return the decision of least expected cost; of several, the first."""
    if not is_numpy(p):
        return first_of(optimal(p, cost))
    return np.concatenate(sweep(lambda piece: first_of(optimal(piece, cost)), p))


def decide_by_mode(p: Array) -> Array:
    """Return the likeliest class; of several, the first."""
    return namespace(p).argmax(p, axis=1)


def _by_distance(cost: str, classes: int) -> Matrix:
    if cost not in NAMED:
        listed = ", ".join(repr(name) for name in NAMED)
        message = f"costs must be {listed} or a matrix; got {cost!r}"
        raise DataError(message)
    place = np.arange(classes, dtype=np.float64)
    apart = np.abs(place[:, None] - place[None, :])
    if cost == "zero_one":
        return (apart > 0).astype(np.float64)
    return apart if cost == "linear" else apart * apart


def _warn_of_cheap_mistakes(cost: Matrix) -> None:
    """Say if a mistake costs less than the right answer; a matrix may be the wrong way round."""
    if cost.shape[1] < cost.shape[0]:
        return
    right = np.diagonal(cost)[:, None]
    cheaper = np.argwhere(cost[:, : cost.shape[0]] < right)
    if cheaper.size:
        row, column = cheaper[0]
        message = (
            f"a mistake should not cost less than the right answer; if class {row} happens, "
            f"decision {column} costs {cost[row, column]:g}, decision {row} costs "
            f"{cost[row, row]:g}"
        )
        notice(message)


Ties = Literal["split", "first", "any_correct", "unique_only"]
Scale = Literal["sum", "algorithm2", "published_code"]
Named = Literal["paper", "minimal"]
Frozen = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, init=False, repr=False)
class Penalized(ClassRule):
    r"""A rule plus a penalty if the forecast's best decision was wrong.

    .. math:: S_\lambda(p, y) = S(p, y) + \lambda\, Z(p, y), \qquad
        Z(p, y) = 1 - \frac{1\{y \in T\}}{|T|}, \quad T = \operatorname{argmax}_k p_k .

    Parameters
    ----------
    rule : ClassRule
        The rule that is penalized.
    penalty : {"paper", "minimal"} or float
        The penalty :math:`\lambda`. ``"paper"`` is the greatest loss of a correct forecast: (K - 1)
        / K for `Brier`, log K for `Log`. ``"minimal"`` is the smallest that lets every correct
        forecast beat every wrong one, see `superior_penalty`: (K - 2) / (2 K) and log(K / 2). Or
        any number, zero or more.
    ties : {"split", "first", "any_correct", "unique_only"}
        What counts as right if several classes have the largest probability: a share of it for each
        (as above), the first one only, any of them, or none.
    scale : {"sum", "algorithm2", "published_code"}
        For `Brier` only. ``"sum"`` is the formula above, Eq. 4 of the paper; ``"algorithm2"``
        divides it by the number of classes; ``"published_code"`` divides the Brier score and not
        the penalty, which is then K times as heavy.
    cost : {"zero_one", "linear", "quadratic"} or matrix, optional
        What the best decision costs, with a row for each class and a column for each decision:
        the penalty is then :math:`\lambda\, C[y, d^*(p)]` with the decision :math:`d^*` of least
        expected cost. ``ties`` chooses among several best ones: their mean cost, the first one's,
        the least, or the greatest. Zero-one costs unless said otherwise.
    tolerance : float
        Probabilities so little below the largest one count as tied with it. Inside that band the
        rule is not proper.

    Notes
    -----
    The mean is the mean of the rule plus :math:`\lambda` times the error rate: two numbers that one
    had before, added up. A penalty makes correct forecasts beat wrong ones, always (the paper calls
    such a rule superior), and costs no propriety if ties are split, or decided by a fixed order:
    then :math:`Z` is itself a proper score. The published code counts any tied class as right. That
    is improper: a two-class forecaster who believes in 0.7 does better by saying 0.5. To count all
    ties as wrong is improper where the truth is tied.

    References
    ----------
    .. [1] R. Ahmadian, M. Ghatee, J. Wahlström (2024). Superior scoring rules for probabilistic
       evaluation of single-label multi-class classification tasks. `arXiv:2407.17697
       <https://arxiv.org/abs/2407.17697>`__

    Examples
    --------
    The first forecast is right, the second wrong; the Brier score prefers the second:

    >>> from properly.rules import Brier, Penalized
    >>> y, p = [1, 1], [[0.33, 0.34, 0.33], [0.51, 0.49, 0.0]]
    >>> Brier().loss(y, p).round(4)
    array([0.6534, 0.5202])
    >>> Penalized(Brier()).loss(y, p).round(4)
    array([0.6534, 1.1869])
    """

    rule: ClassRule
    penalty: Named | float = "paper"
    ties: Ties = "split"
    scale: Scale = "sum"
    cost: Literal["linear", "quadratic"] | Frozen | None = None
    tolerance: float = 0.0

    def __init__(
        self,
        rule: ClassRule | str,
        penalty: Named | float = "paper",
        ties: Ties = "split",
        scale: Scale = "sum",
        *,
        cost: Cost | None = None,
        tolerance: float = 0.0,
    ) -> None:
        rule = require_class_rule(rule)
        self._set(
            rule=rule,
            penalty=_check_penalty(penalty),
            ties=check_choice(ties, get_args(Ties), "ties"),
            scale=_check_scale(scale, rule),
            cost=_check_cost(cost, penalty),
        )
        self._set(tolerance=_check_tolerance(tolerance, self.cost))
        self.penalty_for(3)

    @property
    def needs_order(self) -> bool:  # type: ignore[override]
        """Whether the order of the classes matters to the rule or to the costs."""
        return self.rule.needs_order or self.cost in ("linear", "quadratic")

    @property
    def differentiable(self) -> bool:
        """Whether there is no penalty: with one, the loss jumps where the best decision changes."""
        return self.penalty == 0 and self.rule.differentiable

    @property
    def propriety(self) -> Propriety:
        """The rule's own, unless ties are all counted as right or all as wrong."""
        keeps = self.ties in ("split", "first") or self.penalty == 0
        return self.rule.propriety if keeps and self.tolerance == 0 else Propriety.IMPROPER

    def propriety_for(self, classes: int) -> Propriety:
        """Return what holds for so many classes; without a penalty, ties do no harm."""
        own = self.rule.propriety_for(classes)
        harmless = self.ties in ("split", "first") and self.tolerance == 0
        return own if harmless or self.penalty_for(classes) == 0 else Propriety.IMPROPER

    @property
    def name(self) -> str:
        """A short lower-case name, with the options that were chosen."""
        short = {"brier": "pbs", "log": "pll"}
        base = short.get(self.rule.name, f"penalized_{self.rule.name}")
        options = [
            "" if self.penalty == "paper" else _shown(self.penalty),
            "" if self.ties == "split" else self.ties,
            "" if self.scale == "sum" else self.scale,
            "" if self.cost is None else _shown(self.cost),
            f"tolerance={in_name(self.tolerance)}" if self.tolerance else "",
        ]
        listed = ",".join(x for x in options if x)
        return f"{base}[{listed}]" if listed else base

    def penalty_for(self, classes: int) -> float:
        """Return the penalty of a wrong decision among so many classes, before it is scaled."""
        check_count(classes)
        if self.penalty == "paper":
            return greatest_if_correct(self.rule, classes)
        if self.penalty == "minimal":
            return superior_penalty(self.rule, classes)
        return float(self.penalty)

    def require_classes(self, classes: int) -> None:
        """Refuse a number of classes that does not fit the rule or the costs."""
        self.rule.require_classes(check_count(classes))
        if isinstance(self.cost, tuple) and len(self.cost) != classes:
            message = f"costs must have one row for each of {classes} classes; got {len(self.cost)}"
            raise DataError(message)

    def range_for(self, classes: int) -> tuple[float, float]:
        """Return bounds of the loss, which are reached if decisions cost zero or one."""
        self.require_classes(classes)
        own, penalty = self._factors(classes)
        least, greatest = self.rule.range_for(classes)
        costs = cost_matrix("zero_one", classes) if self.cost is None else self._matrix(classes)
        lowest, highest = float(costs.min()), float(costs.max())
        return own * least + penalty * lowest, own * greatest + penalty * highest

    def classwise(self, p: Array) -> Array:
        """Return the rule's loss and the penalty for every class."""
        own, penalty = self._factors(p.shape[1])
        return own * self.rule.classwise(p) + penalty * self._decided(p, None)

    def price(self, y: Array, p: Array) -> Array:
        """Return the rule's loss and the penalty for the class that happened."""
        own, penalty = self._factors(p.shape[1])
        return own * self.rule.price(y, p) + penalty * self._decided(p, y)

    def _factors(self, classes: int) -> tuple[float, float]:
        """Return what the rule's loss, and what the cost of the decision, is multiplied by."""
        penalty = self.penalty_for(classes)
        if self.scale == "algorithm2":
            return 1 / classes, penalty / classes
        return (1.0 if self.scale == "sum" else 1 / classes), penalty

    def _decided(self, p: Array, y: Array | None) -> Array:
        """Return what the best decision costs, for the outcomes or under every class."""
        if self.cost is None:
            return mistakes(p, likeliest(p, self.tolerance), y, self.ties)
        cost = self._matrix(p.shape[1])
        table = costs_of(optimal(p, cost), wide(p), cost, self.ties)
        return table if y is None else at(table, y)

    def _matrix(self, classes: int) -> Matrix:
        named = isinstance(self.cost, str)
        return cost_matrix(self.cost, classes) if named else np.array(self.cost)


def PBS(
    penalty: Named | float = "paper",
    ties: Ties = "split",
    scale: Scale = "sum",
    *,
    cost: Cost | None = None,
    tolerance: float = 0.0,
) -> Penalized:
    r"""Penalized Brier score: more by (K - 1) / K if the likeliest class is wrong.

    .. math:: S(p, y) = \sum_k (p_k - 1\{y = k\})^2
        + \frac{K - 1}{K} \Big(1 - \frac{1\{y \in T\}}{|T|}\Big), \quad
        T = \operatorname{argmax}_k p_k .

    Parameters
    ----------
    penalty, ties, scale, cost, tolerance
        As in `Penalized`.

    Returns
    -------
    Penalized
        ``Penalized(Brier())``.

    References
    ----------
    .. [1] R. Ahmadian, M. Ghatee, J. Wahlström (2024). Superior scoring rules for probabilistic
       evaluation of single-label multi-class classification tasks. `arXiv:2407.17697
       <https://arxiv.org/abs/2407.17697>`__

    Examples
    --------
    >>> from properly.rules import PBS
    >>> PBS()([1, 1], [[0.25, 0.5, 0.25], [0.5, 0.5, 0.0]])
    0.6041666666666666
    >>> PBS().propriety, PBS(ties="any_correct").propriety
    (<Propriety.STRICT: 'strictly proper'>, <Propriety.IMPROPER: 'improper'>)
    """
    return Penalized(Brier(), penalty, ties, scale, cost=cost, tolerance=tolerance)


def PLL(
    penalty: Named | float = "paper",
    ties: Ties = "split",
    *,
    cost: Cost | None = None,
    tolerance: float = 0.0,
) -> Penalized:
    r"""Penalized logarithmic loss: more by log K if the likeliest class is wrong.

    .. math:: S(p, y) = -\log p_y
        + \log K \Big(1 - \frac{1\{y \in T\}}{|T|}\Big), \quad T = \operatorname{argmax}_k p_k .

    Parameters
    ----------
    penalty, ties, cost, tolerance
        As in `Penalized`.

    Returns
    -------
    Penalized
        ``Penalized(Log())``.

    References
    ----------
    .. [1] R. Ahmadian, M. Ghatee, J. Wahlström (2024). Superior scoring rules for probabilistic
       evaluation of single-label multi-class classification tasks. `arXiv:2407.17697
       <https://arxiv.org/abs/2407.17697>`__

    Examples
    --------
    >>> from properly.rules import PLL
    >>> PLL().loss([1, 0], [[0.25, 0.5, 0.25], [0.25, 0.5, 0.25]]).round(4)
    array([0.6931, 2.4849])
    """
    return Penalized(Log(), penalty, ties, cost=cost, tolerance=tolerance)


def superior_penalty(rule: ClassRule | str, classes: int) -> float:
    r"""Return the smallest penalty that puts correct forecasts before wrong ones.

    .. math:: \lambda = \sup_{p_y > p_k \text{ for all } k \ne y} S(p, y)
        - \inf_{p_k > p_y \text{ for some } k} S(p, y) .

    Parameters
    ----------
    rule : ClassRule
        `Brier`, `Log`, or `RPS` without weights of its own.
    classes : int
        The number of classes.

    Returns
    -------
    float
        (K - 2) / (2 K) for `Brier`, log(K / 2) for `Log`; 0 for two classes, which need no penalty.

    Notes
    -----
    A forecast is correct here if the class that happened has the largest probability alone, and
    wrong if another class has a larger one. The least loss of a wrong forecast is approached and
    never reached, so the penalty may be just as large as this.

    The greatest loss of a correct forecast is that of the uniform one for `Brier` and `Log`. For
    `RPS` it is the largest loss of a uniform forecast of the lowest class, which happens, and the
    last t: 1/4, 5/18, 1/3, 13/36 … for K = 2, 3, 4, 5 …. The least loss of a wrong one is 1/2,
    log 2, and, for `RPS` with three classes or more, 1 / (5 (K - 1)).

    Examples
    --------
    >>> from properly.rules import RPS, Brier, superior_penalty
    >>> superior_penalty(Brier(), 4)
    0.25
    >>> round(superior_penalty(RPS(), 4) * 15)
    4
    """
    rule = require_class_rule(rule)
    return greatest_if_correct(rule, classes) - least_if_wrong(rule, classes)


def greatest_if_correct(rule: ClassRule, classes: int) -> float:
    """Return the greatest loss of a forecast whose largest probability is that of the outcome."""
    check_count(classes)
    if isinstance(rule, Brier):
        return (classes - 1) / classes * rule.factor(classes)
    if isinstance(rule, Log):
        return math.log(classes)
    scale = _scale_of_rps(rule, classes)
    # Equal probabilities of the first class and of the last t.
    uniform = [
        [1 / (t + 1) if k == 0 or k >= classes - t else 0.0 for k in range(classes)]
        for t in range(classes)
    ]
    return scale * float(RPS().price(np.zeros(classes, dtype=np.int64), np.array(uniform)).max())


def least_if_wrong(rule: ClassRule, classes: int) -> float:
    """Return what the loss of a wrong forecast comes near to, from above."""
    check_count(classes)
    if isinstance(rule, Brier):
        return rule.factor(classes) / 2
    if isinstance(rule, Log):
        return math.log(2)
    least = 1 / 4 if classes == 2 else 1 / (5 * (classes - 1))
    return _scale_of_rps(rule, classes) * least


def _scale_of_rps(rule: ClassRule, classes: int) -> float:
    if isinstance(rule, RPS) and rule.weights is None:
        return 1.0 if rule.normalized else classes - 1.0
    message = f"the penalty is known for Brier, Log and RPS without weights; got {rule!r}"
    require_class_rule(rule)
    raise DataError(message, hint="Penalized(rule, penalty=…) takes any number.")


def mistakes(p: Array, best: Array, y: Array | None, ties: str) -> Array:
    """Return 0 if the best class was right, 1 if not, and a share if it was one of several."""
    xp = namespace(p)
    if ties == "first":
        first = first_of(best)
        right = first == y if y is not None else first[:, None] == count_up(p.shape[1], first)
    else:
        right = best if y is None else at(best, y)
    hit = wide(xp.astype(right, p.dtype))
    if ties in ("first", "any_correct"):
        return 1 - hit
    tied = wide(xp.astype(_count(best), p.dtype))
    share = 1 / tied if ties == "split" else xp.astype(tied == 1, tied.dtype)
    return 1 - hit * (share[:, None] if y is None else share)


def _count(chosen: Array) -> Array:
    if is_numpy(chosen):
        return np.count_nonzero(chosen, axis=1)
    xp = namespace(chosen)
    return xp.sum(xp.astype(chosen, xp.int64), axis=1)


def costs_of(best: Array, p: Array, cost: np.ndarray[Any, Any], ties: str) -> Array:
    """Return, for every class, the cost of the best decision, or what `ties` makes of several."""
    xp = namespace(p)
    matrix = beside(cost, p)
    chosen = xp.astype(best, p.dtype)
    if ties == "first":
        chosen = chosen * xp.astype(xp.cumulative_sum(chosen, axis=1) == 1, p.dtype)
    if ties in ("split", "first"):
        return (chosen @ matrix.T) / xp.sum(chosen, axis=1, keepdims=True)
    worst = ties == "unique_only"
    costs = xp.full_like(p, -math.inf if worst else math.inf)
    for d in range(matrix.shape[1]):
        column = matrix[None, :, d]
        better = column > costs if worst else column < costs
        costs = xp.where(best[:, d, None] & better, column, costs)
    return costs


def _shown(x: object) -> str:
    """Write an option in a name: a number, a word, or the rows of a matrix."""
    if isinstance(x, tuple):
        return "/".join(":".join(in_name(entry) for entry in row) for row in x)
    return in_name(x) if isinstance(x, float) else str(x)


def _check_penalty(penalty: Named | float) -> Named | float:
    if isinstance(penalty, str):
        if penalty in get_args(Named):
            return penalty
        message = f"penalty must be 'paper', 'minimal' or a number; got {penalty!r}"
        raise DataError(message)
    number = as_number(penalty, "penalty")
    if not 0 <= number < math.inf:
        message = f"a penalty must be finite and not negative; got {number!r}"
        raise DataError(message, hint="a negative one would reward mistakes.")
    return number


def _check_scale(scale: str, rule: ClassRule) -> str:
    check_choice(scale, get_args(Scale), "scale")
    if scale != "sum" and rule != Brier():
        message = f"scale {scale!r} is one of published Brier scores; got {rule!r}"
        raise DataError(message)
    return scale


def _check_cost(cost: Cost | None, penalty: Named | float) -> Any:
    """Keep a matrix as rows of numbers, which can be compared; its shape is checked in use."""
    if cost is None or (isinstance(cost, str) and cost == "zero_one"):
        return None
    if isinstance(penalty, str):
        message = f"with costs other than zero_one, penalty must be a number; got {penalty!r}"
        raise DataError(message, hint="what makes a rule superior is known for mistakes alone.")
    if isinstance(cost, str):
        cost_matrix(cost, 2)
        return cost
    table = as_matrix(cost)
    matrix = cost_matrix(table, table.shape[0])
    return tuple(tuple(row) for row in matrix.tolist())


def _check_tolerance(tolerance: float, cost: object) -> float:
    number = as_number(tolerance, "tolerance")
    if not 0 <= number < 1:
        message = f"tolerance must be zero or more and less than 1; got {number!r}"
        raise DataError(message)
    if number and cost is not None:
        message = f"a tolerance is one of probabilities, not of costs; got {number!r} with costs"
        raise DataError(message)
    return number
