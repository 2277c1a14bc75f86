"""Rules for ordered classes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._labels import check_count
from properly._boundary._libraries import beside, count_up, is_numpy, namespace
from properly.errors import DataError
from properly.rules._brier import Brier
from properly.rules._class_rule import ClassRule
from properly.rules._cuts import (
    CutRule,
    add_up,
    as_strict_as,
    is_above,
    lower_tails,
    tails,
)
from properly.rules._log import Log, minus_log
from properly.rules._propriety import Propriety
from properly.rules._rule import BinaryRule, require_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from properly.typing import Array

# Up to so many classes are added up column by column, without a table of sums.
FEW = 16


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

    def price_logit(self, y: Array, logits: Array) -> Array:
        """Price the softmax: a loss that is never infinite has no use for logarithms."""
        return ClassRule.price_logit(self, y, logits)

    def price_logit_slope(self, y: Array, logits: Array) -> Array:
        """Differentiate through the softmax."""
        return ClassRule.price_logit_slope(self, y, logits)

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

    @np.errstate(divide="ignore")
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
        How much each cut matters, K - 1 numbers; all alike unless said otherwise.
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
        rule: BinaryRule | Sequence[BinaryRule],
        weights: Iterable[float] | None = None,
        normalized: bool = True,
    ) -> None:
        if isinstance(rule, list | tuple):
            rule = tuple(require_binary(part) for part in rule)
            _require_some(rule)
        else:
            rule = require_binary(rule)
        super().__init__(weights, normalized)
        object.__setattr__(self, "rule", rule)
        if isinstance(rule, tuple):
            self.require_classes(len(rule) + 1)

    @property
    def propriety(self) -> Propriety:
        """That of the least proper rule; not strict if a cut does not count."""
        found = {rule.propriety for rule in self._counting}
        return as_strict_as(Propriety.least(found), all_cuts=self.has_all_cuts)

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


def _require_some(rules: tuple[BinaryRule, ...]) -> None:
    if not rules:
        message = "there must be at least one rule for the cuts; got none"
        raise DataError(message)
