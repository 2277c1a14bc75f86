"""Evidence that holds whenever it is looked at: what bets on a claim gain, case by case.

Forecasts are held against recalibrations of them, or against other forecasts. Each factor has a
mean of at most 1 if the claim is wrong, so their product, and a mean of such products, seldom
becomes large.
"""

from __future__ import annotations

import math

import numpy as np

from properly._boundary._libraries import infinities
from properly.errors import ImproperRuleError
from properly.rules import BinaryRule
from properly.rules._rule import require_binary
from properly.typing import Column

# Recalibrations a + b x of the log-odds x that calibrated forecasts are held against: every
# intercept with every slope.
INTERCEPT, SLOPE = (
    grid.ravel()
    for grid in np.meshgrid(np.linspace(-1, 1, 9), [0.5, 0.7, 0.85, 1, 1.2, 1.5, 2], indexing="ij")
)
# Shares of the capital that are bet on the second of two forecasts.
BETS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])


def require_proper(rule: object) -> BinaryRule:
    """Take a rule that says which forecast of an event is better."""
    chosen = require_binary(rule)
    if not chosen.is_proper:
        message = f"only a proper rule says which forecast is better; {chosen!r} is improper"
        raise ImproperRuleError(message)
    return chosen


def recalibration_gains(happened: Column, p: Column) -> Column:
    """Return the logarithm of the likelihood ratio of each recalibration, one row a case."""
    certain = (p == 0) | (p == 1)
    x = np.where(certain, 0.5, p)
    sign = np.where(happened, -1.0, 1.0)
    log_odds = np.log(x) - np.log1p(-x)
    against = sign[:, np.newaxis] * (INTERCEPT + SLOPE * log_odds[:, np.newaxis])
    said = np.where(happened, np.log(x), np.log1p(-x))
    gain: Column = -np.logaddexp(0, against) - said[:, np.newaxis]
    # No recalibration moves certainty, so there is nothing to gain unless it is refuted.
    gain[certain] = np.where(happened == (p == 1), 0.0, np.inf)[certain, np.newaxis]
    return gain


def relative_gain(rule: BinaryRule, happened: Column, first: Column, second: Column) -> Column:
    """Return the loss of the first less that of the second, over what the first can win."""
    favoured = first > second
    with infinities():
        win, loss = (
            np.abs(rule.price_event(y, first) - rule.price_event(y, second))
            for y in (favoured, ~favoured)
        )
        gain = np.where(
            happened == favoured, -1.0, np.divide(loss, win, out=np.zeros_like(win), where=win > 0)
        )
    return np.where((first != second) & (win > 0) & (win < np.inf), gain, 0.0)


def log_factors(gain: Column, bet: Column | float) -> Column:
    """Return the logarithm of the factor by which a bet changes the capital."""
    result: Column = np.log1p(bet * gain)
    return result


def log_mean(sums: Column) -> Column:
    """Return the logarithm of the mean of exponentials, over the last axis."""
    return np.asarray(np.logaddexp.reduce(sums, axis=-1) - math.log(sums.shape[-1]))
