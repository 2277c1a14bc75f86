"""Fits by the mean loss of a proper rule, which begin where the likelihood is greatest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from properly.errors import DataError
from properly.rules import Log, Rule
from properly.typing import Column


def smooth_rule(rule: object, require: Callable[[object], Rule]) -> Rule | None:
    """Return the rule to minimise, or None for the likelihood, which is that of the log score."""
    if rule is None or rule == Log():
        return None
    checked = require(rule)
    if not (checked.is_proper and checked.differentiable):
        message = f"a map is fitted by a proper rule without jumps; got {rule!r}"
        raise DataError(message, hint="recalibrate(cases, map, rule=rule) judges maps by it.")
    return checked


def fit_by_rule(
    rule: Rule, columns: Column, sides: Any, start: Any, lowest: Any, *, offset: Any, prior: Any
) -> Column:
    """Find the coefficients of log odds, or of logits, with the least mean loss.

    Parameters
    ----------
    rule : Rule
        What is minimised.
    columns : numpy array of shape (m, n) or (m, n, K)
        What each coefficient is multiplied by.
    sides : sequence of pairs of numpy arrays
        Weights, and the outcomes that they belong to.
    start, lowest : sequence of floats
        The coefficients of the likelihood, and the least that there may be.
    offset : numpy array or float
        What is added to the log odds.
    prior : float or None
        The standard deviation of a prior around 1.
    """
    from scipy.optimize import Bounds, minimize

    total, precision = sum(float(weight.sum()) for weight, _ in sides), (prior or np.inf) ** -2.0

    def objective(theta: Column) -> tuple[float, Column]:
        odds, away = np.tensordot(theta, columns, 1) + offset, theta - 1
        value, slope = precision * float(away @ away) / 2, precision * away
        for weight, y in sides:
            value += float(weight @ rule.price_logit(y, odds))
            slopes = (rule.price_logit_slope(y, odds).T * weight).T
            slope = slope + np.tensordot(columns, slopes, odds.ndim)
        return value / total, slope / total

    how: Any = {"bounds": Bounds(lowest), "options": {"gtol": 1e-11, "ftol": 0.0}}
    return np.asarray(minimize(objective, start, method="L-BFGS-B", jac=True, **how).x)
