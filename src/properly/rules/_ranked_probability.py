"""Ranked probability scores: rules for ordered classes, added up over cuts.

`CutRule` is their base; `RPS` is the Brier score at each cut, `RankedLog` the log score, and
`Ranked` any rule for one event.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from properly._boundary._arrays import HUGE
from properly._boundary._classes import check_count
from properly._boundary._libraries import beside, count_up, infinities, is_numpy, namespace
from properly._boundary._options import as_number, check_flag
from properly.errors import ArgumentTypeError, DataError
from properly.rules._class_rule import ClassRule
from properly.rules._dual_rules import Brier, Log, minus_log
from properly.rules._log_odds import log_cumulate, log_softmax, log_tails
from properly.rules._rule import BinaryRule, Propriety, in_name, require_binary, wide
from properly.typing import Array

# Up to this many classes are added up column by column, without a table of sums.
FEW = 16


class CutRule(ClassRule):
    """A rule that asks, at each cut between ordered classes, whether the outcome lies above.

    The price of the answers is added up, each with its weight, or averaged. Cut k lies between the
    classes k and k + 1.
    """

    weights: tuple[float, ...] | None
    normalized: bool

    needs_order: ClassVar[bool] = True

    def __init__(self, weights: Iterable[float] | None = None, normalized: bool = True) -> None:
        self._set(weights=check_cut_weights(weights))
        self._set(normalized=check_flag(normalized, "normalized"))

    @abstractmethod
    def sides(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Price the cuts if the outcome lies at or below, and if it lies above.

        Both arguments have one column a cut: the probabilities of the classes up to the cut, and of
        those above it.
        """

    @abstractmethod
    def rules(self, classes: int) -> tuple[BinaryRule, ...]:
        """Return the rule for one event that is asked at each cut."""

    @property
    def propriety(self) -> Propriety:
        """Strict if all weights are positive."""
        return as_strict_as(Propriety.STRICT, all_cuts=self.has_all_cuts)

    @property
    def has_all_cuts(self) -> bool:
        """Whether no cut is left out by a weight of 0."""
        return self.weights is None or min(self.weights) > 0

    @property
    def suffix(self) -> str:
        """What a name says of the weights."""
        listed = "" if self.weights is None else f"[{','.join(map(in_name, self.weights))}]"
        return listed if self.normalized else f"_sum{listed}"

    def shares(self, classes: int) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return what the price of each cut is multiplied by."""
        self.require_classes(classes)
        weights = np.ones(classes - 1) if self.weights is None else np.array(self.weights)
        return weights / math.fsum(weights) if self.normalized else weights

    def require_classes(self, classes: int) -> None:
        """Refuse a number of classes that does not fit the weights."""
        check_count(classes)
        if self.weights is not None and len(self.weights) != classes - 1:
            message = (
                f"weights must have one entry for each cut between classes, {classes - 1} for "
                f"{classes} classes; got {len(self.weights)}"
            )
            raise DataError(message)

    def range_for(self, classes: int) -> tuple[float, float]:
        """Return 0 and the loss of a certain forecast at the wrong end of the scale."""
        shares = self.shares(classes)
        none, one = np.zeros((1, classes - 1)), np.ones((1, classes - 1))
        ends = self.sides(none, one)[0], self.sides(one, none)[1]
        return 0.0, max(float(add_up(x, shares)[0]) for x in ends)

    def price_logit(self, y: Array, logits: Array) -> Array:
        """Price the log-odds of each cut, which no rounding makes infinite."""
        lower, upper = log_tails(log_softmax(logits))
        loss = self._each_cut("price_logit", is_above(y, logits), upper - lower)
        return add_up(loss, self.shares(logits.shape[1]))

    def price_logit_slope(self, y: Array, logits: Array) -> Array:
        """Add up how fast the log-odds of each cut change with a class, times their slopes.

        A class moves the log-odds of a cut below it by its share of the upper tail, and those of a
        cut above it down by its share of the lower tail.
        """
        xp = namespace(logits)
        log_p = log_softmax(logits)
        lower, upper = log_tails(log_p)
        slope = self._each_cut("price_logit_slope", is_above(y, logits), upper - lower)
        slope = weigh(slope, self.shares(logits.shape[1]))
        never = xp.full_like(log_p[:, :1], -math.inf)
        total = xp.zeros_like(log_p)
        # Tails may be too small to divide by, so terms of each sign are added up as logarithms.
        for sign in (1, -1):
            size = _log_of_positive(sign * slope)
            below = log_cumulate(_log_ratio(size, upper))
            above = xp.flip(log_cumulate(xp.flip(_log_ratio(size, lower), axis=1)), axis=1)
            total = total + sign * xp.exp(log_p + xp.concat([never, below], axis=1))
            total = total - sign * xp.exp(log_p + xp.concat([above, never], axis=1))
        return total

    def class_slope(self, y: Array, p: Array) -> Array:
        """Add up, for every class, the slopes of the cuts below it."""
        xp = namespace(p)
        slope = self._each_cut("price_slope", is_above(y, p), tails(p)[1])
        slope = weigh(slope, self.shares(p.shape[1]))
        return xp.concat([xp.zeros_like(slope[:, :1]), xp.cumulative_sum(slope, axis=1)], axis=1)

    def _each_cut(self, method: str, *tables: Array) -> Array:
        """Ask the rule of each cut about its columns; all at once if it is the same rule."""
        xp, shape = namespace(tables[-1]), tuple(tables[-1].shape)
        rules = self.rules(shape[1] + 1)
        if all(rule == rules[0] for rule in rules):
            flat = (xp.reshape(table, (-1,)) for table in tables)
            return xp.reshape(getattr(rules[0], method)(*flat), shape)
        columns = ([table[:, k] for table in tables] for k in range(shape[1]))
        prices = [getattr(rule, method)(*x) for rule, x in zip(rules, columns, strict=True)]
        return xp.stack(prices, axis=1)

    def class_curvature(self, p: Array) -> Array:
        """Add up the curvatures of the cuts, each as it moves with every class.

        A cut between the tails L and U has the curvature ``w(U)``, and a class above it moves U by
        ``p_k L``, one below it by ``-p_k U``.
        """
        xp = namespace(p)
        lower, upper = tails(p)
        weight = self._each_cut("logit_weight", upper, lower)
        weight = weigh(weight, self.shares(p.shape[1]))
        # A tail is at least as large as its classes, so what is so small adds less than itself.
        least = xp.finfo(p.dtype).smallest_normal ** 0.5
        above = xp.cumulative_sum(weight * _ratio(lower, upper, least), axis=1)
        below = weight * _ratio(upper, lower, least)
        below = xp.flip(xp.cumulative_sum(xp.flip(below, axis=1), axis=1), axis=1)
        nothing = xp.zeros_like(p[:, :1])
        total = xp.concat([nothing, above], axis=1) + xp.concat([below, nothing], axis=1)
        return xp.where(p > least, p * p * total, nothing)

    def classwise(self, p: Array) -> Array:
        """Add up, for every class, the cuts at or above it and those below it."""
        xp = namespace(p)
        shares = self.shares(p.shape[1])
        below, above = (weigh(x, shares) for x in self.sides(*tails(p)))
        nothing = xp.zeros_like(p[:, :1])
        from_here = xp.flip(xp.cumulative_sum(xp.flip(below, axis=1), axis=1), axis=1)
        up_to_here = xp.cumulative_sum(above, axis=1)
        return xp.concat([from_here, nothing], axis=1) + xp.concat([nothing, up_to_here], axis=1)


def check_cut_weights(weights: Iterable[float] | None) -> tuple[float, ...] | None:
    """Take one weight a cut: finite, none negative, not all zero."""
    if weights is None:
        return None
    if not isinstance(weights, Iterable):
        message = f"weights are a list of numbers, one for each cut; got {weights!r}"
        raise ArgumentTypeError(message)
    numbers = tuple(as_number(w, "number in weights") for w in weights)
    if not numbers or not all(0 <= w <= HUGE for w in numbers) or not any(w > 0 for w in numbers):
        message = (
            f"weights must be zero or more, at most {HUGE:g}, and not all zero; "
            f"got {list(numbers)!r}"
        )
        raise DataError(message)
    return numbers


def as_strict_as(propriety: Propriety, *, all_cuts: bool) -> Propriety:
    """Return what is left of strictness if some cuts do not count."""
    if propriety is Propriety.STRICT and not all_cuts:
        return Propriety.PROPER
    return propriety


def tails(p: Array) -> tuple[Array, Array]:
    """Return the probabilities up to each cut and above it, each summed from its own end.

    So a tail of impossible classes is exactly 0, and small ones keep their digits. What rounding
    adds to 1 is cut off: the sums of probabilities are not the user's numbers. (`upper_tails` in
    `counts._reductions` asks for more: there, equal decimals must have equal sums.)
    """
    xp = namespace(p)
    return lower_tails(p), xp.flip(lower_tails(xp.flip(p, axis=1)), axis=1)


def lower_tails(p: Array) -> Array:
    """Return the probabilities up to each cut."""
    xp = namespace(p)
    lower = xp.cumulative_sum(wide(p), axis=1)[:, :-1]
    # Not the other way round, which would have no slope where a tail is exactly 1.
    return xp.where(lower > 1, xp.ones_like(lower), lower)


def _log_of_positive(x: Array) -> Array:
    """Take the logarithm of what is positive; of everything else it is that of 0."""
    xp = namespace(x)
    some = x > 0
    log = xp.log(xp.where(some, x, xp.ones_like(x)))
    return xp.where(some, log, xp.full_like(log, -math.inf))


def _ratio(x: Array, over: Array, least: float) -> Array:
    """Divide, or return 0 where there is too little to divide by."""
    xp = namespace(x)
    some = over > least
    return xp.where(some, x / xp.where(some, over, xp.ones_like(over)), xp.zeros_like(x))


def _log_ratio(log_x: Array, over: Array) -> Array:
    """Divide logarithms; return minus infinity where there is nothing to divide by."""
    xp = namespace(log_x)
    some = over > -math.inf
    ratio = log_x - xp.where(some, over, xp.zeros_like(over))
    return xp.where(some, ratio, xp.full_like(ratio, -math.inf))


def is_above(y: Array, p: Array) -> Array:
    """Tell, for each row and cut, whether the outcome lies above the cut."""
    return y[:, None] > count_up(p.shape[1] - 1, y)


def weigh(loss: Array, shares: np.ndarray[Any, Any]) -> Array:
    """Multiply columns by their shares; a cut without weight costs nothing, not even infinity."""
    xp = namespace(loss)
    factors = beside(shares, loss)
    if (shares == 0).any():
        loss = xp.where(factors[None, :] > 0, loss, xp.zeros_like(loss))
    return loss * factors[None, :]


def add_up(loss: Array, shares: np.ndarray[Any, Any]) -> Array:
    """Return the weighted sum over the cuts."""
    return namespace(loss).sum(weigh(loss, shares), axis=1)


@dataclass(frozen=True, init=False, repr=False)
class RPS(CutRule):
    r"""Ranked probability score: squared error of the cumulative probabilities.

    .. math:: S(p, y) = \frac{1}{K - 1} \sum_{k=0}^{K-2} (P_k - 1\{y \le k\})^2, \qquad
        P_k = p_0 + \dots + p_k .

    Parameters
    ----------
    weights : iterable of float, optional
        How much each cut between neighbouring classes matters, K - 1 numbers; all alike unless said
        otherwise.
    normalized : bool
        Divide by the sum of the weights, so that the loss lies between 0 and 1. If not, the sum is
        left as it is.

    Notes
    -----
    At each cut the score asks whether the outcome lies above, and adds up the Brier scores of the
    answers. A forecast of a distant class therefore costs more than one of a neighbour. The
    unnormalised score is the continuous ranked probability score of the class numbers,
    :math:`E|J - y| - \frac12 E|J - J'|` with :math:`J, J'` drawn from the forecast; with the
    weights :math:`v_{k+1} - v_k` it is that of class values :math:`v`.

    For two classes it is half the Brier score of the two columns, which is the Brier score of the
    event. Strictly proper if all weights are positive.

    References
    ----------
    .. [1] E. S. Epstein (1969). A scoring system for probability forecasts of ranked categories.
       Journal of Applied Meteorology 8:985-987.
    .. [2] A. H. Murphy (1971). A note on the ranked probability score. Journal of Applied
       Meteorology 10:155-156.
    .. [3] A. Galdran (2023). Performance metrics for probabilistic ordinal classifiers. MICCAI
       2023, Lecture Notes in Computer Science 14222:357-366.

    Examples
    --------
    One class off costs less than two:

    >>> from properly.rules import RPS
    >>> RPS().loss([0, 0], [[0.25, 0.75, 0.0], [0.25, 0.0, 0.75]])
    array([0.28125, 0.5625 ])
    >>> RPS(weights=[1, 0])([0, 0], [[0.25, 0.75, 0.0], [0.25, 0.0, 0.75]])
    0.5625
    """

    weights: tuple[float, ...] | None = None
    normalized: bool = True

    @property
    def name(self) -> str:
        """A short lower-case name with the weights."""
        return f"rps{self.suffix}"

    def rules(self, classes: int) -> tuple[BinaryRule, ...]:
        """Return `Brier` for each cut."""
        return (Brier(),) * (classes - 1)

    def sides(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Return the squares of the probabilities on the wrong side."""
        return upper * upper, lower * lower

    # A loss that is never infinite has no use for logarithms of tails.
    price_logit = ClassRule.price_logit
    price_logit_slope = ClassRule.price_logit_slope

    def price(self, y: Array, p: Array) -> Array:
        """Add up squared errors, column by column if there are few."""
        shares = self.shares(p.shape[1])
        if not is_numpy(p):
            return self._price_tensor(y, p, shares)
        if p.shape[1] > FEW:
            lower = lower_tails(p)
            off = lower - ~is_above(y, p)
            return add_up(off * off, shares)
        lower, total = np.zeros(p.shape[0]), np.zeros(p.shape[0])
        for k, share in enumerate(shares):
            lower += p[:, k]
            off = lower - (y <= k)
            off *= off
            off *= share
            total += off
        return total

    def _price_tensor(self, y: Array, p: Array, shares: np.ndarray[Any, Any]) -> Array:
        """Add up all columns: the last one, which is no cut, has no weight.

        Tables of one shape are what a compiler makes a single pass of.
        """
        xp = namespace(p)
        lower = xp.cumulative_sum(p, axis=1)
        lower = xp.where(lower > 1, xp.ones_like(lower), lower)
        reached = y[:, None] <= count_up(p.shape[1], y)
        off = lower - xp.astype(reached, p.dtype)
        return xp.sum(off * off * beside(np.append(shares, 0.0), p), axis=1)


@dataclass(frozen=True, init=False, repr=False)
class RankedLog(CutRule):
    r"""Logarithmic score of the cumulative probabilities.

    .. math:: S(p, y) = -\frac{1}{K - 1} \Big[ \sum_{k \ge y} \log P_k
        + \sum_{k < y} \log (1 - P_k) \Big], \qquad P_k = p_0 + \dots + p_k .

    Parameters
    ----------
    weights : iterable of float, optional
        How much each cut between neighbouring classes matters, K - 1 numbers; all alike unless said
        otherwise.
    normalized : bool
        Divide by the sum of the weights. If not, the sum is left as it is.

    Notes
    -----
    At each cut the score asks whether the outcome lies above, and averages the log scores of the
    answers. It is infinite if a cut was called impossible. For two classes it is the log score.
    Strictly proper if all weights are positive.

    Both tails are summed from their own end, so that small ones keep all their digits.

    Examples
    --------
    >>> from properly.rules import RankedLog
    >>> RankedLog().loss([0, 0, 2], [[0.25, 0.75, 0.0], [0.25, 0.0, 0.75], [0.5, 0.5, 0.0]])
    array([0.69314718, 1.38629436,        inf])
    """

    weights: tuple[float, ...] | None = None
    normalized: bool = True

    @property
    def name(self) -> str:
        """A short lower-case name with the weights."""
        return f"ranked_log{self.suffix}"

    def rules(self, classes: int) -> tuple[BinaryRule, ...]:
        """Return `Log` for each cut."""
        return (Log(),) * (classes - 1)

    def sides(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Return minus the logarithms of both tails."""
        return minus_log(lower), minus_log(upper)

    @infinities()
    def price(self, y: Array, p: Array) -> Array:
        """Take the logarithm of the tail in which the outcome lies, at each cut."""
        xp = namespace(p)
        lower, upper = tails(p)
        happened = xp.where(is_above(y, p), upper, lower)
        shares = self.shares(p.shape[1])
        if not self.has_all_cuts:
            # What does not count may be impossible, and an infinite slope times 0 is NaN.
            happened = xp.where(beside(shares, happened) > 0, happened, xp.ones_like(happened))
        return add_up(0.0 - xp.log(happened), shares)


@dataclass(frozen=True, init=False, repr=False)
class Ranked(CutRule):
    r"""A rule for one event, asked at each cut between ordered classes.

    .. math:: S(p, y) = \frac{1}{K - 1} \sum_{k=0}^{K-2} s_k(1 - P_k,\, 1\{y > k\}), \qquad
        P_k = p_0 + \dots + p_k .

    Parameters
    ----------
    rule : BinaryRule or sequence of BinaryRule
        The rule for the event "the outcome lies above the cut", that is, "this grade or higher".
        Of several, each has one cut, from the lowest on.
    weights : iterable of float, optional
        How much each cut between neighbouring classes matters, K - 1 numbers; all alike unless said
        otherwise.
    normalized : bool
        Divide by the sum of the weights. If not, the sum is left as it is.

    Notes
    -----
    ``Ranked(Brier())`` is `RPS`, and ``Ranked(Log())`` is `RankedLog` but for tails so small that
    one minus them is 1, of which the latter keeps all digits. With
    ``Ranked(Bounded(Brier(), (0.05, 0.2)))`` only the thresholds count at which somebody would act
    on "this grade or higher"; with a sequence, each cut has its own.

    As proper as its rules; strictly only if every rule is strict and every weight positive.

    Examples
    --------
    >>> from properly.rules import Bounded, Brier, Ranked
    >>> rule = Ranked([Bounded(Brier(), (0.1, 0.5)), Bounded(Brier(), (0.05, 0.2))])
    >>> rule.loss([0, 1], [[0.75, 0.125, 0.125], [0.75, 0.25, 0.0]])
    array([0.109375, 0.390625])
    """

    rule: BinaryRule | tuple[BinaryRule, ...]
    weights: tuple[float, ...] | None = None
    normalized: bool = True

    def __init__(
        self,
        rule: BinaryRule | str | Sequence[BinaryRule | str],
        weights: Iterable[float] | None = None,
        normalized: bool = True,
    ) -> None:
        if isinstance(rule, list | tuple):
            rule = tuple(require_binary(part) for part in rule)
            if not rule:
                message = "there must be at least one rule for the cuts; got none"
                raise DataError(message)
        else:
            rule = require_binary(rule)
        super().__init__(weights, normalized)
        self._set(rule=rule)
        if isinstance(rule, tuple):
            self.require_classes(len(rule) + 1)

    @property
    def propriety(self) -> Propriety:
        """That of the least proper rule; not strict if a cut does not count."""
        claims = {rule.propriety for rule in self._counting}
        return as_strict_as(Propriety.least(claims), all_cuts=self.has_all_cuts)

    @property
    def differentiable(self) -> bool:
        """Whether all of the rules are; that of a cut that does not count is not asked."""
        return all(rule.differentiable for rule in self._counting)

    @property
    def _counting(self) -> tuple[BinaryRule, ...]:
        """The rules of the cuts that count."""
        if not isinstance(self.rule, tuple):
            return (self.rule,)
        weights = self.weights or (1.0,) * len(self.rule)
        return tuple(rule for rule, w in zip(self.rule, weights, strict=True) if w > 0)

    @property
    def name(self) -> str:
        """The names of the rules, and the weights."""
        rules = self.rule if isinstance(self.rule, tuple) else (self.rule,)
        return f"ranked[{'|'.join(rule.name for rule in rules)}]{self.suffix}"

    def rules(self, classes: int) -> tuple[BinaryRule, ...]:
        """Return the rule of each cut."""
        self.require_classes(classes)
        return self.rule if isinstance(self.rule, tuple) else (self.rule,) * (classes - 1)

    def require_classes(self, classes: int) -> None:
        """Refuse a number of classes that does not fit the weights or the rules."""
        check_count(classes)
        if isinstance(self.rule, tuple) and len(self.rule) != classes - 1:
            message = (
                f"there must be one rule for each cut between classes, {classes - 1} for "
                f"{classes} classes; got {len(self.rule)}"
            )
            raise DataError(message, hint="a single rule, without a list, is asked at every cut.")
        super().require_classes(classes)

    def sides(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Return the prices of the event and of its absence, at each cut."""
        p = _probability_above(lower, upper)
        rules = self.rules(p.shape[1] + 1)
        below = [_without_pole(rule.loss_if_none, p[:, k], 1.0) for k, rule in enumerate(rules)]
        above = [_without_pole(rule.loss_if_event, p[:, k], 0.0) for k, rule in enumerate(rules)]
        return _by_column(below), _by_column(above)

    def price(self, y: Array, p: Array) -> Array:
        """Price each cut on the side of it that happened."""
        above = is_above(y, p)
        chance = _probability_above(*tails(p))
        rules, shares = self.rules(p.shape[1]), self.shares(p.shape[1])
        counting = [k for k, share in enumerate(shares) if share > 0]
        prices = [rules[k].price_event(above[:, k], chance[:, k]) for k in counting]
        return add_up(_by_column(prices), shares[counting])


def _probability_above(lower: Array, upper: Array) -> Array:
    """Return the upper tail; it is exactly 1 if, and only if, nothing up to the cut is possible."""
    xp = namespace(upper)
    one = xp.ones_like(upper)
    below = one - xp.finfo(upper.dtype).eps / 2
    # One minus nothing, rather than one, so that the slope is that of the upper tail.
    return xp.where(lower > 0, xp.where(upper > below, below, upper), one - lower)


def _without_pole(price: Callable[[Array], Array], p: Array, wrong: float) -> Array:
    """Price forecasts; a tensor has the slope 0 where it costs infinity, and no NaN."""
    if is_numpy(p) or math.isfinite(float(price(np.float64(wrong)))):
        return price(p)
    xp = namespace(p)
    fine = p != wrong
    loss = price(xp.where(fine, p, xp.full_like(p, 1 - wrong)))
    return xp.where(fine, loss, xp.full_like(loss, math.inf))


def _by_column(columns: list[Array]) -> Array:
    return namespace(columns[0]).stack(columns, axis=1)
