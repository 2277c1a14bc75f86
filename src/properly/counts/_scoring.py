"""Mean scores: a rule applied to a tally, to cases or to class probabilities; and concordance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from properly._boundary._chunks import sweep
from properly._boundary._libraries import namespace, to_numpy, without_gradient
from properly.counts._cases import Cases, rows_in_use
from properly.counts._pooling import is_one_each
from properly.counts._tally import Tally
from properly.rules import BinaryRule, ClassRule, Rule
from properly.rules._class_rule import require_class_rule
from properly.rules._rule import paid, require_binary
from properly.typing import Array, Column, Floats


def unit_of(rule: Rule) -> str:
    """Say what a score is measured in: the rule as it is written, or else its short name."""
    written = repr(rule).removesuffix("()")
    return written if written.isidentifier() else rule.name


def losses(cases: Cases, rule: Rule) -> Column:
    """Price the cases of positive weight; a rule must be one for an event, or one for classes."""
    y, p, _, _ = rows_in_use(cases)
    return price(rule, y, p, classes=cases.classes is not None)


def price(rule: Rule, y: Column, p: Any, *, classes: bool, out: Column | None = None) -> Column:
    """Price rows that have been checked, on the device of the forecasts; in `out` if given."""
    p = without_gradient(p)
    if classes:
        p = to_numpy(p).astype(np.float64, copy=False)
        return np.asarray(require_class_rule(rule).prices(y, p))
    xp, of_event = namespace(p), require_binary(rule)
    loss: Column = xp.empty_like(p, dtype=xp.float64) if out is None else out

    def fill(y: Column, p: Column, out: Column) -> None:
        out[...] = of_event.price_event(y, xp.astype(p, xp.float64, copy=False))

    sweep(fill, y, p, loss)
    return loss


def mean_score(tally: Tally, rule: BinaryRule) -> float:
    """Return the mean loss of all cases in a tally."""
    return mean_loss(tally.value, tally.weight, tally.events, rule)


def mean_loss(value: Array, weight: Array, events: Array, rule: BinaryRule) -> float:
    """Return the mean loss, given how many cases and events there were at each forecast."""

    def total_loss(value: Array, weight: Array, events: Array) -> float:
        sides = (rule.loss_if_event, events), (rule.loss_if_none, weight - events)
        one_each = is_one_each(weight)
        return sum(paid(price, value, n > 0, None if one_each else n) for price, n in sides)

    total = float(namespace(weight).sum(weight))
    return math.fsum(sweep(total_loss, value, weight, events)) / total


def class_shares(y: Array, weight: Array | None, classes: int) -> Floats:
    """Return how often each class happened, given class numbers."""
    weights = None if weight is None else to_numpy(weight)
    counts = np.bincount(to_numpy(y), weights, classes)
    shares: Floats = counts / counts.sum()
    return shares


def score_of_classes(rule: ClassRule, y: Array, p: Floats, weight: Array | None) -> float:
    """Return the mean loss of class probabilities: one row for all cases, or one a case."""
    rows = np.broadcast_to(p, (int(y.shape[0]), p.shape[-1]))
    return float(rule.mean_price(to_numpy(y), rows, None if weight is None else to_numpy(weight)))


def share_saved(score: float, reference: float) -> float:
    """Return one minus the ratio of two scores, also where one is 0 or infinite."""
    if reference == 0:
        return math.nan if score == 0 else -math.inf
    if math.isinf(score):
        return math.nan if math.isinf(reference) else -math.inf
    return 1 - score / reference


# Sums below this are exact in int64.
EXACT = 2**63


def concordance(nonevents: Column, events: Column, among: Column | None = None) -> float:
    r"""Return the share of pairs whose event has the higher forecast, ties counted half.

    With all cases it is the area under the ROC curve, trapezoid by trapezoid:

    .. math:: \text{AUC} = \frac1{N_0 N_1} \sum_j o_j \Big(\sum_{i < j} m_i + \frac{m_j}2\Big),

    with :math:`m_j` non-events and :math:`o_j` events at the j-th lowest forecast.

    Parameters
    ----------
    nonevents, events : numpy array
        The pairs to be counted, at increasing forecasts.
    among : numpy array, optional
        Non-events and events of all pairs, a row each, if only some of them are to be counted. The
        share is then one of all pairs: that strip of the area which the counted ones make up.

    Notes
    -----
    Whole numbers are added up exactly and divided once. NaN if there are no pairs.

    Examples
    --------
    >>> import numpy as np
    >>> nonevents, events = np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1])
    >>> concordance(nonevents, events)
    0.75
    >>> lower = np.array([True, True, False, False])
    >>> concordance(nonevents * lower, events, among=np.stack([nonevents, events]))
    0.5
    """
    every = (nonevents, events) if among is None else among
    rectangle = 2 * every[0].sum().item() * every[1].sum().item()
    if rectangle == 0:
        return np.nan
    whole = np.issubdtype(nonevents.dtype, np.integer)
    if whole and rectangle >= EXACT:
        nonevents, events = nonevents.astype(object), events.astype(object)
    below = np.cumsum(nonevents) - nonevents
    # One division, rounded once: of whole numbers if these are counts.
    twice = events @ (2 * below + nonevents)
    return min(float((int(twice) if whole else twice) / rectangle), 1.0)
