"""Ranges of thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from properly.errors import ArgumentTypeError, DataError

Amount: TypeAlias = float | tuple[float, float]


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of probability thresholds.

    A threshold is the probability above which one acts. With a cost C of acting and a
    loss L where the event meets someone who has not acted, it is C / L.

    Parameters
    ----------
    lower, upper : float
        The ends, ``0 <= lower < upper <= 1``.

    Examples
    --------
    >>> from properly import Interval
    >>> Interval(0.05, 0.2)
    Interval(lower=0.05, upper=0.2)
    >>> Interval.from_odds(1 / 19, 1 / 4)  # one false negative is worth 19 to 4 false positives
    Interval(lower=0.05, upper=0.2)
    >>> Interval.from_costs(cost=(5, 20), loss=100)
    Interval(lower=0.05, upper=0.2)
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        ends = (as_number(self.lower, "lower end"), as_number(self.upper, "upper end"))
        if not 0 <= ends[0] < ends[1] <= 1:
            message = (
                "a range of thresholds needs 0 <= lower < upper <= 1; "
                f"got lower = {ends[0]}, upper = {ends[1]}"
            )
            raise DataError(
                message, hint="for odds use Interval.from_odds, for costs Interval.from_costs."
            )
        object.__setattr__(self, "lower", ends[0])
        object.__setattr__(self, "upper", ends[1])

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
        for name, odds in (("lower", lower), ("upper", upper)):
            if not as_number(odds, f"{name} odds") >= 0:
                message = f"odds must be zero or more; got {name} = {odds}"
                raise DataError(message, hint="odds of 1 to 19 are written 1 / 19.")
        return cls(_from_odds(lower), _from_odds(upper))

    @classmethod
    def from_costs(cls, cost: Amount, loss: Amount) -> Interval:
        """Make the range from the cost C of acting and the loss L that acting averts.

        Parameters
        ----------
        cost, loss : float or pair of floats
            An amount, or the least and the greatest amount thought possible, in the same
            currency. The range runs from the least C / L to the greatest.

        Examples
        --------
        >>> Interval.from_costs(cost=10, loss=(50, 200))
        Interval(lower=0.05, upper=0.2)
        """
        least_cost, greatest_cost = _amounts(cost, "cost")
        least_loss, greatest_loss = _amounts(loss, "loss")
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
        lower, upper = within
    except (TypeError, ValueError):
        message = f"a range of thresholds is an Interval or a pair of numbers; got {within!r}"
        raise ArgumentTypeError(message) from None
    return Interval(lower, upper)


def as_number(value: object, name: str) -> float:
    """Take a number as a float, and refuse anything else by name."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        message = f"the {name} must be a number; got {value!r}"
        raise ArgumentTypeError(message) from None


def _from_odds(odds: float) -> float:
    return 1.0 if math.isinf(odds) else odds / (1 + odds)


def _amounts(amount: Amount, name: str) -> tuple[float, float]:
    low, high = amount if isinstance(amount, tuple | list) else (amount, amount)
    low, high = as_number(low, name), as_number(high, name)
    if not (0 <= low <= high and math.isfinite(high)):
        message = f"a {name} must be zero or more, the smaller amount first; got {amount!r}"
        raise DataError(message)
    return low, high
