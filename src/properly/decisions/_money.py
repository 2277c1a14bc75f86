"""Regret in money: what forecasts cost, given the cost of acting and the loss that it averts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._options import as_number, check_level
from properly._boundary._record import Record
from properly._boundary._tolerances import SAME_FORECAST
from properly.counts._baselines import EVENT_RATE, TREAT_ALL, TREAT_NONE, baselines
from properly.counts._calls import takes_rows
from properly.counts._cases import is_dependent
from properly.counts._scoring import mean_score
from properly.counts._tally import Tally, as_tally
from properly.errors import ArgumentTypeError, DataError
from properly.inference._variance import spread_of_means
from properly.rules import Elementary, Regret
from properly.rules._interval import Amount, Interval

if TYPE_CHECKING:
    from properly.counts._cases import Cases


@dataclass(frozen=True, repr=False)
class Money(Record):
    """What decisions by forecasts cost, beside what simpler ones do.

    All amounts are regrets, what is lost against knowing every outcome beforehand, of `per` cases.

    Attributes
    ----------
    regret : float
        Of acting if the forecast is at the threshold or above.
    treat_all, treat_none, constant : float
        Of acting always, of acting never, and of acting by the event rate alone: whoever's cost is
        low enough acts always, everybody else never.
    saved : float
        What the forecasts save against the best of the three; negative if it would be better to do
        without them.
    interval : pair of floats
        How far off `regret` may be, cut at 0; NaN where nothing can be said.
    threshold : float or Interval
        The cost divided by the loss: the probability from which on acting pays.
    per : float
        The number of cases.
    level : float
        Coverage aimed at by the interval.

    Examples
    --------
    >>> import properly
    >>> t = properly.Tally.from_counts([0.05, 0.3], [900, 100], [20, 30])
    >>> money = properly.decisions.regret_in_money(t, cost=100, loss=1000)
    >>> money
    Money(25,000 lost per 1,000 cases, 20,000 saved)
    >>> money.treat_all, money.treat_none, money.threshold
    (95000.0, 45000.0, 0.1)
    """

    regret: float
    treat_all: float
    treat_none: float
    constant: float
    saved: float
    interval: tuple[float, float]
    threshold: float | Interval
    per: float
    level: float

    def __repr__(self) -> str:
        lost, saved = _readable(self.regret), _readable(self.saved)
        return f"Money({lost} lost per {self.per:,g} cases, {saved} saved)"

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row, with the ends of both ranges."""
        row = asdict(self)
        row["interval_lower"], row["interval_upper"] = row.pop("interval")
        threshold = row.pop("threshold")
        ends = threshold if isinstance(threshold, dict) else {}
        row |= {f"threshold_{end}": ends.get(end, threshold) for end in ("lower", "upper")}
        return {name: [value] for name, value in row.items()}


@takes_rows
def regret_in_money(
    tally: Tally | Cases, *, cost: Amount, loss: float, per: float = 1000, level: float = 0.95
) -> Money:
    r"""Say in money what decisions by these forecasts cost.

    With the cost :math:`C` of acting and the loss :math:`L` that acting averts, one acts if the
    forecast is at least :math:`c = C / L`. Against knowing the outcome this loses, a case,

    .. math:: L\, R(c) = C \cdot \text{FP}(c) + (L - C) \cdot \text{FN}(c),

    with the shares of cases that are acted upon in vain and that are not although they should be.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened.
    cost : float or pair of floats
        What acting costs; or the least and the greatest cost, all between being as likely.
    loss : float
        What acting averts if the event would happen, in the same currency.
    per : float
        How many cases the amounts are for.
    level : float
        Coverage aimed at by the interval.

    Returns
    -------
    Money

    Notes
    -----
    With a pair of costs everyone acts at the threshold of their own cost, and the amount is the
    mean over all costs. The loss must be one number, since the amount is a multiple of it.

    The interval is that of a mean, by Student's t; clusters or times in `Cases` are allowed for. It
    tells how the amount may vary between samples, not how wrong the costs may be. With fewer than
    about 20 events, or non-events, it covers too seldom.

    References
    ----------
    .. [1] A. K. Angström (1922). On the effectivity of weather warnings. Nordisk Statistisk
       Tidskrift 1:394-408.
    .. [2] A. H. Murphy (1977). The value of climatological, categorical and probabilistic forecasts
       in the cost-loss ratio situation. Monthly Weather Review 105:803-816.

    Examples
    --------
    A warning costs 5 to 20 and averts a damage of 100:

    >>> import properly
    >>> t = properly.Tally.from_counts([0.05, 0.3], [900, 100], [20, 30])
    >>> money = properly.decisions.regret_in_money(t, cost=(5, 20), loss=100)
    >>> money.threshold
    Interval(lower=0.05, upper=0.2)
    >>> print(f"{money.regret:.0f}, between {money.interval[0]:.0f} and {money.interval[1]:.0f}")
    2625, between 1847 and 3403
    """
    threshold, t = _threshold(cost, loss), as_tally(tally)
    value = to_numpy(t.value).astype(np.float64)
    if not isinstance(threshold, Interval):
        # A quotient may miss a forecast by its own rounding, as 2.1 / 3 misses 0.7.
        nearest = float(value[np.argmin(np.abs(value - threshold))])
        if abs(nearest - threshold) <= SAME_FORECAST * threshold:
            threshold = nearest
    rule = Regret(threshold) if isinstance(threshold, Interval) else Elementary(threshold)
    cases, level = _check_per(per), check_level(level)
    unit = float(loss) * cases
    regret = unit * mean_score(t, rule)
    others = {name: unit * mean_score(x, rule) for name, x in baselines(t).items()}
    # Independent cases are in the tally already, unless they have weights.
    source = tally if is_dependent(tally) or t.event_squares is not None else t
    prices = (rule.loss_if_event(value)[None], rule.loss_if_none(value)[None])
    half = unit * float(spread_of_means(source, *prices).half_widths(level)[0])
    return Money(
        regret=regret,
        treat_all=others[TREAT_ALL],
        treat_none=others[TREAT_NONE],
        constant=others[EVENT_RATE],
        saved=min(others.values()) - regret,
        interval=(float(np.maximum(regret - half, 0.0)), regret + half),
        threshold=threshold,
        per=cases,
        level=level,
    )


def _readable(amount: float) -> str:
    return f"{amount:,.0f}" if abs(amount) >= 1000 else f"{amount:.4g}"


def _threshold(cost: Amount, loss: float) -> float | Interval:
    """Divide the cost by the loss, which must be one number."""
    if isinstance(loss, Iterable):
        message = f"regret in money needs one loss, by which it is multiplied; got {loss!r}"
        raise ArgumentTypeError(message, hint="give the range to the cost, or call once a loss.")
    loss = as_number(loss, "loss")
    if isinstance(cost, Iterable):
        return Interval.from_costs(cost, loss)
    amount = as_number(cost, "cost")
    if not 0 < amount < loss < math.inf:
        message = (
            "a cost must be more than 0, and less than the loss, which is finite; "
            f"got cost = {cost!r}, loss = {loss:g}"
        )
        raise DataError(message, hint="at a cost of 0 one always acts, at the loss never.")
    return amount / loss


def _check_per(per: float) -> float:
    result = as_number(per, "number of cases")
    if not 0 < result < math.inf:
        message = f"per must be a number of cases greater than 0; got {per!r}"
        raise DataError(message)
    return result
