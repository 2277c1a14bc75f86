"""Slow, exact answers that know nothing of the package: sixty digits, fractions, and counting.

Between two neighbouring forecasts the same cases are wrong, so an integral of regret is a sum of
two shares times two integrals of the weight on thresholds. These are the `Costs` below: c w(c) and
(1 - c) w(c), what false positives and false negatives cost at thresholds above one, up to another.
"""

from __future__ import annotations

from contextlib import contextmanager
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .subjects import EPS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .subjects import Rows

    Costs = Callable[[Decimal, Decimal], tuple[Decimal, Decimal]]

DIGITS = 60
INFINITE = Decimal("inf")
# How closely the package must agree: a handful of operations, each rounded once, and a sum of at
# most 25 losses; the incomplete beta function takes many operations more.
ROUNDED = 64 * EPS
BETA_ROUNDED = 1e-13


@contextmanager
def sixty_digits() -> Iterator[None]:
    with localcontext() as context:
        context.prec = DIGITS
        yield


# Weights on thresholds


def uniform(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    """Weigh every threshold with 1."""
    return (high**2 - low**2) / 2, ((1 - low) ** 2 - (1 - high) ** 2) / 2


def logit(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    """Weigh a threshold c with 1 / (c (1 - c))."""
    positive = ((1 - low) / (1 - high)).ln() if high < 1 else INFINITE
    return positive, (high / low).ln() if low > 0 else INFINITE


def missed_benefit(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    """Weigh a threshold c with 1 / (1 - c)."""
    positive = ((1 - low) / (1 - high)).ln() - (high - low) if high < 1 else INFINITE
    return positive, high - low


def shift(s: Any, mu: Any) -> Any:
    """Move log-odds so that mu becomes one half."""
    return s * (1 - mu) / (s * (1 - mu) + (1 - s) * mu)


def shifted_regret(mu: Any) -> Costs:
    """Weigh thresholds with twice the slope of `shift`."""
    m, k = Decimal(mu), 1 - 2 * Decimal(mu)

    def costs(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        if k == 0:
            return times(2, uniform)(low, high)
        one, other = m + k * low, m + k * high
        scale = 2 * m * (1 - m)
        positive = scale * ((other / one).ln() - m / one + m / other) / k**2
        return positive, scale * (1 / one - 1 / other) / k - positive

    return costs


def shifted_classes(mu: Any) -> Costs:
    """Price shifted forecasts by their squared error, either class divided by its own share."""
    m = Decimal(mu)

    def costs(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        one, other = shift(low, m), shift(high, m)
        negative = ((1 - one) ** 2 - (1 - other) ** 2) / (2 * m)
        return (other**2 - one**2) / (2 * (1 - m)), negative

    return costs


def beta(alpha: float, beta: float) -> Costs:
    a, b = Decimal(alpha), Decimal(beta)

    def costs(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        mass = beta_between(Decimal(0), Decimal(1), a, b)
        return beta_between(low, high, a + 1, b) / mass, beta_between(low, high, a, b + 1) / mass

    return costs


@cache
def beta_between(low: Decimal, high: Decimal, alpha: Decimal, beta: Decimal) -> Decimal:
    half = Decimal("0.5")
    if high <= half:
        return incomplete_beta(high, alpha, beta) - incomplete_beta(low, alpha, beta)
    if low >= half:
        return beta_between(1 - high, 1 - low, beta, alpha)
    return beta_between(low, half, alpha, beta) + beta_between(half, high, alpha, beta)


def incomplete_beta(x: Decimal, alpha: Decimal, beta: Decimal) -> Decimal:
    """Integrate t^(alpha - 1) (1 - t)^(beta - 1) from 0 to x, up to one half, by its series."""
    if x == 0:
        return Decimal()
    term, total, n = Decimal(1), Decimal(), 0
    while abs(term) > Decimal(10) ** (-DIGITS - 5):
        total += term / (alpha + n)
        term *= (n + 1 - beta) * x / (n + 1)
        n += 1
    return total * x**alpha


def points(thresholds: Sequence[float], weights: Sequence[float]) -> Costs:
    total = sum(Decimal(w) for w in weights)

    def costs(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        pairs = [(Decimal(c), Decimal(w)) for c, w in zip(thresholds, weights, strict=True)]
        inside = [(c, w / total) for c, w in pairs if low < c <= high]
        positive = sum((w * c for c, w in inside), Decimal())
        return positive, sum((w * (1 - c) for c, w in inside), Decimal())

    return costs


def histogram(edges: Sequence[float], weights: Sequence[float]) -> Costs:
    total = sum(Decimal(w) for w in weights)
    bins = zip(pairwise(edges), weights, strict=True)
    return summed(*(times(Decimal(w) / total, averaged(uniform, *ends)) for ends, w in bins))


# Weights made of others


def times(factor: Any, costs: Costs) -> Costs:
    def scaled(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        positive, negative = costs(low, high)
        return Decimal(factor) * positive, Decimal(factor) * negative

    return scaled


def summed(*parts: Costs) -> Costs:
    def total(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        found = [part(low, high) for part in parts]
        return sum((x for x, _ in found), Decimal()), sum((x for _, x in found), Decimal())

    return total


def between(costs: Costs, start: Any, end: Any) -> Costs:
    """Keep the weight between two thresholds only."""

    def inside(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
        low, high = max(low, Decimal(start)), min(high, Decimal(end))
        return costs(low, high) if low < high else (Decimal(), Decimal())

    return inside


def averaged(costs: Costs, start: Any, end: Any) -> Costs:
    """Divide the weight between two thresholds by its mass."""
    mass = sum(costs(Decimal(start), Decimal(end)))
    return times(1 / Decimal(mass), between(costs, start, end))


# What forecasts cost


@sixty_digits()
def integral_of_regret(costs: Costs, found: Rows) -> Decimal:
    """Add up the regret over all thresholds, step by step."""
    drawn = zip(*(x.tolist() for x in found), strict=True)
    rows = [(y, Decimal(p), Decimal(w)) for y, p, w in drawn if w > 0]
    total, answer = sum(w for _, _, w in rows), Decimal()
    edges = sorted({Decimal(0), Decimal(1), *(p for _, p, _ in rows)})
    for low, high in pairwise(edges):
        positive, negative = costs(low, high)
        acted_in_vain = sum(w for y, p, w in rows if y == 0 and p > low)
        missed = sum(w for y, p, w in rows if y == 1 and p <= low)
        # A share of 0 is left out, not multiplied: what it is a share of may be infinite.
        answer += acted_in_vain * positive if acted_in_vain else 0
        answer += missed * negative if missed else 0
    return answer / total


def exact_regret(
    found: Rows, cost: Fraction, acted: Callable[[float], bool] | None = None
) -> Fraction:
    """Return the regret of a cost, acting where the forecast reaches it or in any other way."""
    rows = [(y, p, Fraction(w)) for y, p, w in zip(*(x.tolist() for x in found), strict=True)]
    on = [p >= cost if acted is None else acted(p) for _, p, _ in rows]
    in_vain = sum(w for (y, _, w), act in zip(rows, on, strict=True) if act and y == 0)
    missed = sum(w for (y, _, w), act in zip(rows, on, strict=True) if not act and y == 1)
    return (cost * in_vain + (1 - cost) * missed) / sum(w for _, _, w in rows)


def mean_ranks(values: Sequence[Fraction]) -> list[float]:
    """Rank the least first; those that tie share the mean of their ranks."""
    below = [sum(other < one for other in values) for one in values]
    alike = [sum(other == one for other in values) for one in values]
    return [1 + less + (same - 1) / 2 for less, same in zip(below, alike, strict=True)]
