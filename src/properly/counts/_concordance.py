"""Concordance: how often an event had a higher forecast than a non-event."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from properly.typing import Column


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
