"""Rules that add up a price over the cuts between ordered classes."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from properly._boundary._arrays import HUGE
from properly._boundary._labels import check_count
from properly._boundary._libraries import beside, count_up, namespace
from properly._boundary._options import as_number, check_flag
from properly.errors import ArgumentTypeError, DataError
from properly.rules._class_rule import ClassRule
from properly.rules._log_odds import log_cumulate, log_softmax, log_tails
from properly.rules._propriety import Propriety
from properly.rules._rule import in_name, wide

if TYPE_CHECKING:
    from properly.rules._rule import BinaryRule
    from properly.typing import Array


class CutRule(ClassRule):
    """A rule that asks, at each cut between ordered classes, whether the outcome lies above.

    The price of the answers is added up, each with its weight, or averaged. Cut k lies between the
    classes k and k + 1.
    """

    weights: tuple[float, ...] | None
    normalized: bool

    needs_order: ClassVar[bool] = True

    def __init__(self, weights: Iterable[float] | None = None, normalized: bool = True) -> None:
        object.__setattr__(self, "weights", check_cut_weights(weights))
        object.__setattr__(self, "normalized", check_flag(normalized, "normalized"))

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
        found = [getattr(rule, method)(*x) for rule, x in zip(rules, columns, strict=True)]
        return xp.stack(found, axis=1)

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
        found = xp.concat([nothing, above], axis=1) + xp.concat([below, nothing], axis=1)
        return xp.where(p > least, p * p * found, nothing)

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
    found = tuple(as_number(w, "number in weights") for w in weights)
    if not found or not all(0 <= w <= HUGE for w in found) or not any(w > 0 for w in found):
        message = (
            f"weights must be zero or more, at most {HUGE:g}, and not all zero; got {list(found)!r}"
        )
        raise DataError(message)
    return found


def as_strict_as(propriety: Propriety, *, all_cuts: bool) -> Propriety:
    """Return what is left of strictness if some cuts do not count."""
    if propriety is Propriety.STRICT and not all_cuts:
        return Propriety.PROPER
    return propriety


def tails(p: Array) -> tuple[Array, Array]:
    """Return the probabilities up to each cut and above it, each summed from its own end.

    So a tail of impossible classes is exactly 0, and small ones keep their digits. What rounding
    adds to 1 is cut off: the sums of probabilities are not the user's numbers. (`upper_tails` in
    the room `_reductions` asks for more: there, equal decimals must have equal sums.)
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
    found = xp.log(xp.where(some, x, xp.ones_like(x)))
    return xp.where(some, found, xp.full_like(found, -math.inf))


def _ratio(x: Array, over: Array, least: float) -> Array:
    """Divide, or return 0 where there is too little to divide by."""
    xp = namespace(x)
    some = over > least
    return xp.where(some, x / xp.where(some, over, xp.ones_like(over)), xp.zeros_like(x))


def _log_ratio(log_x: Array, over: Array) -> Array:
    """Divide logarithms; return minus infinity where there is nothing to divide by."""
    xp = namespace(log_x)
    some = over > -math.inf
    found = log_x - xp.where(some, over, xp.zeros_like(over))
    return xp.where(some, found, xp.full_like(found, -math.inf))


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
