"""Log-odds, and what they stand for before and after rounding."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._libraries import is_numpy, namespace

if TYPE_CHECKING:
    from properly.typing import Array


def both_sides(logit: Array) -> tuple[Array, Array]:
    """Turn log-odds into the probabilities of the event and of its absence, without overflow."""
    xp = namespace(logit)
    positive = logit >= 0
    rare = xp.exp(_minus_size(logit, positive))
    both = 1 + rare
    likely, unlikely = 1 / both, rare / both
    return xp.where(positive, likely, unlikely), xp.where(positive, unlikely, likely)


def softplus(x: Array) -> Array:
    """Return ``log(1 + exp(x))``, which is minus the logarithm of ``sigmoid(-x)``."""
    xp = namespace(x)
    positive = x >= 0
    # Not logaddexp, whose slope at infinity is NaN.
    return xp.where(positive, x, xp.zeros_like(x)) + xp.log1p(xp.exp(_minus_size(x, positive)))


def log_softmax(logits: Array) -> Array:
    """Return the logarithms of class probabilities, one column a class."""
    if hasattr(logits, "log_softmax"):
        return logits.log_softmax(1)  # torch's own is one pass
    xp = namespace(logits)
    below = logits - xp.max(logits, axis=1, keepdims=True)
    return below - xp.log(xp.sum(xp.exp(below), axis=1, keepdims=True))


def softmax(logits: Array) -> Array:
    """Return class probabilities, one column a class."""
    if hasattr(logits, "softmax"):
        return logits.softmax(1)
    xp = namespace(logits)
    share = xp.exp(logits - xp.max(logits, axis=1, keepdims=True))
    return share / xp.sum(share, axis=1, keepdims=True)


def log_tails(log_p: Array) -> tuple[Array, Array]:
    """Return the logarithms of the probabilities up to each cut, and above it."""
    xp = namespace(log_p)
    upper = xp.flip(log_cumulate(xp.flip(log_p, axis=1)), axis=1)
    return log_cumulate(log_p)[:, :-1], upper[:, 1:]


def log_cumulate(x: Array) -> Array:
    """Return logarithms of the cumulative sums of exponentials, along the columns."""
    if is_numpy(x):
        return np.logaddexp.accumulate(x, axis=1)
    xp = namespace(x)
    if hasattr(x, "logcumsumexp"):
        # Minus infinity would make NaN of slopes; what is as small as this adds nothing.
        least = xp.finfo(x.dtype).min
        found = xp.where(x > least, x, xp.full_like(x, least)).logcumsumexp(1)
        return xp.where(found > least / 2, found, xp.full_like(x, -math.inf))
    columns = [x[:, 0]]
    for k in range(1, x.shape[1]):
        columns.append(xp.logaddexp(columns[-1], x[:, k]))
    return xp.stack(columns, axis=1)


def _minus_size(x: Array, positive: Array) -> Array:
    """Return ``-abs(x)``, of which a tensor's slope at 0 is not 0: there a network begins."""
    if is_numpy(x):
        return -np.abs(x)
    return namespace(x).where(positive, -x, x)
