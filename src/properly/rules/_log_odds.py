"""Log-odds, and what they stand for before and after rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from properly._libraries import is_numpy, namespace

if TYPE_CHECKING:
    from properly.typing import Array


def both_sides(logit: Array) -> tuple[Array, Array]:
    """Turn log-odds into the probabilities of the event and of its absence, without overflow."""
    xp = namespace(logit)
    rare = xp.exp(-xp.abs(logit))
    both, positive = 1 + rare, logit >= 0
    likely, unlikely = 1 / both, rare / both
    return xp.where(positive, likely, unlikely), xp.where(positive, unlikely, likely)


def softplus(x: Array) -> Array:
    """Return ``log(1 + exp(x))``, which is minus the logarithm of ``sigmoid(-x)``."""
    xp = namespace(x)
    return xp.logaddexp(x, xp.zeros_like(x))


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
    if hasattr(x, "logcumsumexp"):
        return x.logcumsumexp(1)
    xp = namespace(x)
    columns = [x[:, 0]]
    for k in range(1, x.shape[1]):
        columns.append(xp.logaddexp(columns[-1], x[:, k]))
    return xp.stack(columns, axis=1)
