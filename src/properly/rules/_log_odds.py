"""Log-odds, softmax and Beta integrals, computed without cancellation or overflow.

What the closed forms of rules share: probabilities and cumulative sums of log-odds and logits, the
series of ``atanh``, and the density and mass of a Beta distribution.
"""

from __future__ import annotations

import math
from typing import Any

import array_api_compat as compat
import numpy as np

from properly._boundary._libraries import (
    infinities,
    is_numpy,
    namespace,
    to_numpy,
    without_gradient,
)
from properly.typing import Array

# Terms of the series of atanh that are enough for arguments up to SMALL.
TERMS = 12
SMALL = 0.2
# Where a Beta density changes by less than this share, its integral is a sum over a few nodes.
NEARLY_FLAT = 0.25
NODES = 8
# No power of a probability greater than this is taken at once.
STEEP = 20


def atanh_excess(r: Array) -> Array:
    """Return ``(atanh(r) - r) / r**2`` for small r by its series."""
    square, series = r * r, namespace(r).zeros_like(r)
    for power in range(2 * TERMS + 1, 2, -2):
        series = series * square + 1 / power
    return r * series


class BetaDensity:
    """A Beta distribution of thresholds: its density, and its mass between two of them."""

    def __init__(self, alpha: float, beta: float) -> None:
        self.alpha, self.beta = alpha, beta
        self.mean, self.rest = alpha / (alpha + beta), beta / (alpha + beta)
        self.at_mean = math.exp(
            (alpha - 1) * math.log(self.mean)
            + (beta - 1) * math.log(self.rest)
            + math.lgamma(alpha + beta)
            - math.lgamma(alpha)
            - math.lgamma(beta)
        )

    @infinities()
    def density(self, p: Array) -> Array:
        """Return the density."""
        return self._density(p, 1 - p)

    def relative(self, p: Array, q: Array, alpha: float, beta: float) -> Array:
        """Return ``p**alpha * q**beta``, divided by its value at the mean."""
        # Large powers are taken in steps, since one factor may overflow where the other vanishes.
        steps = math.ceil(max(abs(alpha), abs(beta), 1) / STEEP)
        step = (p / self.mean) ** (alpha / steps) * (q / self.rest) ** (beta / steps)
        return step**steps

    def _density(self, p: Array, q: Array) -> Array:
        return self.at_mean * self.relative(p, q, self.alpha - 1, self.beta - 1)

    def mass(self, lower: Array | float, upper: Array | float) -> Array:
        """Return the mass between two thresholds, as an array that can be differentiated."""
        like = next((x for x in (lower, upper) if not isinstance(x, int | float)), None)
        if like is None or is_numpy(like) or isinstance(like, np.generic):
            return self._mass(lower, upper)
        xp = namespace(like)
        ends = [x if isinstance(x, int | float) else to_numpy(x) for x in (lower, upper)]
        mass = xp.asarray(self._mass(*ends), dtype=like.dtype, device=compat.device(like))
        # The library has no incomplete beta function; its derivative is the density.
        return mass + self._anchor(upper, xp) - self._anchor(lower, xp)

    def _anchor(self, p: Array | float, xp: Any) -> Array | float:
        """Return zero, with the density as its derivative."""
        if isinstance(p, int | float):
            return 0.0
        still = without_gradient(p)
        slope = self.density(still)
        return (p - still) * xp.where(xp.isfinite(slope), slope, xp.zeros_like(slope))

    def _mass(self, lower: Any, upper: Any) -> Any:
        """Subtract in the nearer tail, or both tails from 1; add up what is nearly flat."""
        below, above = np.asarray(upper <= self.mean), np.asarray(lower >= self.mean)
        start, end = self._tail(above, lower), self._tail(~below, upper)
        mass = np.array(np.where(below, end - start, np.where(above, start - end, 1 - start - end)))
        with infinities():
            width, middle = upper - lower, (lower + upper) / 2
            rest = ((1 - lower) + (1 - upper)) / 2
            change = max(self.alpha, 1) * (width / middle) + max(self.beta, 1) * (width / rest)
        # A forecast outside of a range is moved to its end, and leaves nothing.
        mass[np.broadcast_to(width == 0, mass.shape)] = 0.0
        flat = np.broadcast_to((change < NEARLY_FLAT) & (width > 0), mass.shape)
        if flat.any():
            chosen = (np.broadcast_to(x, mass.shape)[flat] for x in (width / 2, middle, rest))
            mass[flat] = self._sum_over_nodes(*chosen)
        return mass[()]

    def _tail(self, above: Any, p: Any) -> Any:
        """Return the mass above or below a threshold, whichever is asked for."""
        from scipy.special import betainc

        if np.ndim(p) == 0:
            either = betainc(self.beta, self.alpha, 1 - p), betainc(self.alpha, self.beta, p)
            return np.where(above, *either)
        first, second = (
            np.where(above, *x) for x in ((self.beta, self.alpha), (self.alpha, self.beta))
        )
        return betainc(first, second, np.where(above, 1 - p, p))

    def _sum_over_nodes(self, half: Any, middle: Any, rest: Any) -> Any:
        """Integrate by Gauss and Legendre's nodes: exact to rounding if nearly flat."""
        node, share = np.polynomial.legendre.leggauss(NODES)
        total = sum(
            s * self._density(middle + half * x, rest - half * x)
            for x, s in zip(node, share, strict=True)
        )
        return half * total


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
        logs = xp.where(x > least, x, xp.full_like(x, least)).logcumsumexp(1)
        return xp.where(logs > least / 2, logs, xp.full_like(x, -math.inf))
    columns = [x[:, 0]]
    for k in range(1, x.shape[1]):
        columns.append(xp.logaddexp(columns[-1], x[:, k]))
    return xp.stack(columns, axis=1)


def _minus_size(x: Array, positive: Array) -> Array:
    """Return ``-abs(x)``, of which a tensor's slope at 0 is not 0: there a network begins."""
    if is_numpy(x):
        return -np.abs(x)
    return namespace(x).where(positive, -x, x)
