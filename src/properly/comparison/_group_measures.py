"""Numbers that are compared between groups: the score, its skill, and observed to expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly.comparison._group_sums import Measure
from properly.counts._cases import rows_in_use
from properly.counts._losses import losses, price
from properly.counts._reference import reference_forecasts
from properly.counts._scoring import class_shares
from properly.inference._influences import of_mean, of_ratio

if TYPE_CHECKING:
    from properly.counts._cases import Cases
    from properly.rules import Rule
    from properly.typing import ArrayLike

Column: TypeAlias = np.ndarray[Any, Any]


def score_measure(cases: Cases, rule: Rule) -> Measure:
    """Return the mean score of any selection."""
    loss, weight = losses(cases, rule), rows_in_use(cases).weight
    return Measure(lambda some: of_mean(loss[some], weight[some]))


def skill_measure(cases: Cases, rule: Rule, reference: Column | None) -> Measure:
    """Return the skill of any selection, against a reference or the selection's own event rate.

    `reference` is what the reference costs each case. The event rate is estimated as well, but
    under a proper rule that adds nothing at first order.
    """
    loss, (y, _, weight, _) = losses(cases, rule), rows_in_use(cases)

    def of(some: Column) -> tuple[Any, Column]:
        w = weight[some]
        other = _own_rate(rule, y[some], w, cases.classes) if reference is None else reference[some]
        ratio, influence = of_ratio(loss[some], other, w)
        return 1 - ratio, -influence

    return Measure(of, scale="share")


def reference_losses(cases: Cases, rule: Rule, reference: float | ArrayLike) -> Column:
    """Price a reference: one forecast for all cases, or one for each."""
    y, p, _, _ = rows_in_use(cases)
    rival = np.broadcast_to(reference_forecasts(cases, reference), p.shape)
    return price(rule, y, rival, classes=cases.classes is not None)


def observed_measure(cases: Cases) -> Measure:
    """Return the logarithm of events observed to events expected, of any selection."""
    y, p, weight, _ = rows_in_use(cases)
    happened, p = y.astype(np.float64), p.astype(np.float64)

    def of(some: Column) -> tuple[Any, Column]:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio, influence = of_ratio(happened[some], p[some], weight[some])
            return float(np.log(ratio)), influence / ratio

    return Measure(of, scale="log")


def _own_rate(rule: Rule, y: Column, weight: Column, classes: int | None) -> Column:
    """Price the event rate, or the shares of the classes, as a forecast for every case."""
    if classes is None:
        constant = np.full(len(y), y @ weight / weight.sum())
        return price(rule, y, constant, classes=False)
    shares = class_shares(y, weight, classes)
    return price(rule, y, np.broadcast_to(shares, (len(y), classes)), classes=True)
