"""`Interval`, a range of probability thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from properly._boundary._options import as_number
from properly.errors import ArgumentTypeError, DataError

Amount: TypeAlias = float | Iterable[float]


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of probability thresholds.

    A threshold is the probability at which one begins to act. With a cost C of acting and a loss L
    where the event meets someone who has not acted, it is C / L.

    Parameters
    ----------
    lower, upper : float
        The ends, ``0 <= lower < upper <= 1``.

    Examples
    --------
    >>> from properly import Interval
    >>> Interval(0.05, 0.2)
    Interval(lower=0.05, upper=0.2)
    >>> Interval.from_odds(1 / 19, 1 / 4)  # a false negative is as bad as 19 to 4 false positives
    Interval(lower=0.05, upper=0.2)
    >>> Interval.from_costs(cost=(5, 20), loss=100)
    Interval(lower=0.05, upper=0.2)
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        lower, upper = as_number(self.lower, "lower end"), as_number(self.upper, "upper end")
        if not 0 <= lower < upper <= 1:
            message = (
                "a range of thresholds needs 0 <= lower < upper <= 1; "
                f"got lower = {lower}, upper = {upper}"
            )
            raise DataError(message, hint=_hint(lower, upper))
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    @classmethod
    def from_odds(cls, lower: float, upper: float) -> Interval:
        """Make the range from odds: odds of o mean a threshold of o / (1 + o).

        Parameters
        ----------
        lower, upper : float
            Odds, zero or more; infinity means a threshold of 1.

        Examples
        --------
        >>> Interval.from_odds(0, 1)
        Interval(lower=0.0, upper=0.5)
        """
        ends = []
        for name, value in (("lower", lower), ("upper", upper)):
            odds = as_number(value, f"{name} odds")
            if not odds >= 0:
                message = f"odds must be zero or more; got {name} = {odds}"
                raise DataError(message, hint="odds of 1 to 19 are written 1 / 19.")
            ends.append(1.0 if math.isinf(odds) else odds / (1 + odds))
        return cls(*ends)

    @classmethod
    def from_false_alarms(cls, least: float, most: float) -> Interval:
        """Make the range from how many false alarms are as bad as one missed event.

        Parameters
        ----------
        least, most : float
            Numbers of false alarms, zero or more; n of them mean a threshold of 1 / (1 + n).

        Examples
        --------
        >>> Interval.from_false_alarms(9, 99)
        Interval(lower=0.01, upper=0.1)
        """
        numbers = as_number(least, "least number"), as_number(most, "greatest number")
        if not (0 <= numbers[0] < numbers[1]):
            message = (
                "numbers of false alarms must be zero or more, and the smaller comes first; "
                f"got {numbers[0]:g} and {numbers[1]:g}"
            )
            swapped = 0 <= numbers[1] < numbers[0]
            hint = f"write ({numbers[1]:g}, {numbers[0]:g})." if swapped else None
            raise DataError(message, hint=hint)
        return cls(1 / (1 + numbers[1]), 1 / (1 + numbers[0]))

    @classmethod
    def from_costs(
        cls,
        cost: Amount | None = None,
        loss: Amount | None = None,
        *,
        fp: Amount | None = None,
        fn: Amount | None = None,
    ) -> Interval:
        """Make the range from the cost C of acting and the loss L that acting averts.

        Parameters
        ----------
        cost, loss : float or pair of floats
            An amount, or the least and the greatest amount thought possible, in the same
            currency. The range runs from the least C / L to the greatest.
        fp, fn : float or pair of floats, optional
            In place of these, what a false positive and a false negative cost more than the right
            decision does: C is that of the former, and L that of both.

        Examples
        --------
        >>> Interval.from_costs(cost=10, loss=(50, 200))
        Interval(lower=0.05, upper=0.2)
        >>> Interval.from_costs(fp=1, fn=(4, 19))
        Interval(lower=0.05, upper=0.2)
        """
        if fp is not None and fn is not None and cost is None and loss is None:
            positive, negative = _amounts(fp, "fp"), _amounts(fn, "fn")
            ends = zip(positive, reversed(negative), strict=True)
            if not positive[0] + negative[0] > 0:
                message = f"a mistake must cost more than nothing; got fp = {fp!r}, fn = {fn!r}"
                raise DataError(message)
            return cls(*(x / (x + y) for x, y in ends))
        if cost is None or loss is None or fp is not None or fn is not None:
            message = "costs are those of acting, cost= and loss=, or of mistakes, fp= and fn="
            raise ArgumentTypeError(message)
        least_cost, greatest_cost = _amounts(cost, "cost")
        least_loss, greatest_loss = _amounts(loss, "loss")
        if not greatest_cost <= least_loss:
            message = f"a cost must not exceed the loss; got cost = {cost!r}, loss = {loss!r}"
            raise DataError(
                message, hint="acting that costs more than it averts is never worth it."
            )
        if least_loss == 0:
            message = f"a loss must be greater than zero; got {loss!r}"
            raise DataError(message, hint="without a loss there is nothing to act for.")
        return cls(least_cost / greatest_loss, greatest_cost / least_loss)

    def __contains__(self, threshold: float) -> bool:
        return self.lower <= threshold <= self.upper


def as_interval(within: Interval | tuple[float, float]) -> Interval:
    """Take an interval as it is and a pair of numbers as its ends."""
    if isinstance(within, Interval):
        return within
    try:
        lower, upper = _pair(within)
    except (TypeError, ValueError):
        message = f"a range of thresholds is an Interval or a pair of numbers; got {within!r}"
        raise ArgumentTypeError(message) from None
    return Interval(lower, upper)


def _hint(lower: float, upper: float) -> str:
    if lower == upper:
        return f"a single threshold is a rule of its own, Elementary({lower})."
    if 0 <= upper < lower <= 1:
        return "the smaller end comes first."
    if 0 <= lower < upper and 1 < upper <= 100:
        return f"write ({lower / 100:g}, {upper / 100:g}) for {lower:g} to {upper:g} %."
    return "for odds use Interval.from_odds, for costs Interval.from_costs."


def _pair(value: Iterable[float]) -> tuple[float, float]:
    if isinstance(value, str | bytes | set | frozenset | dict):
        raise TypeError
    first, second = value
    return first, second


def _amounts(amount: Amount, name: str) -> tuple[float, float]:
    """Read an amount, or the least and the greatest one."""
    if isinstance(amount, Iterable):
        try:
            low, high = (as_number(end, name) for end in _pair(amount))
        except (TypeError, ValueError):
            message = f"a {name} is a number or a pair of numbers; got {amount!r}"
            raise ArgumentTypeError(message) from None
    else:
        low = high = as_number(amount, name)
    if not (0 <= low <= high and math.isfinite(high)):
        message = f"a {name} must be zero or more, the smaller amount first; got {amount!r}"
        raise DataError(message)
    return low, high
