"""Truths and reports that beat them, or are as good."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from properly.rules._simplex import (
    ROUNDING,
    Points,
    Prices,
    edges,
    expected,
    finest,
    in_fractions,
    joined,
    lattice,
    more,
    nearest,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Flags: TypeAlias = NDArray[np.bool_]

# Local optimisation: so many truths, of this denominator, from so many starts and with so many
# looks at a report each.
TRUTHS = 4
# Losses that differ by less than this share of themselves may differ by rounding.
ALIKE = 1e-6
SIXTIETHS = 60
STARTS = 3
LOOKS = 300
# What an optimiser may add and subtract, in the place of infinity.
HUGE = 1e100
# Denominators to which a report that is a real number is rounded, and how fine it may get.
SMALL = range(1, 1025)
FINE = tuple(2**n for n in range(11, 31))


@dataclass(frozen=True)
class Counterexample:
    """A truth, and another report that costs less, or as much, on average.

    Attributes
    ----------
    truth, report : tuple of float
        Probabilities of the classes: as they are, and as they are reported.
    truth_loss, report_loss : tuple of float
        What saying the one or the other costs, if each of the classes happens.

    Examples
    --------
    >>> import properly
    >>> from properly.rules import SquaredAbsoluteRPS
    >>> found = properly.audit(SquaredAbsoluteRPS(), 3).counterexample
    >>> found.report
    (0.0, 1.0, 0.0)
    >>> found.as_fractions()
    'truth (1/3, 1/3, 1/3), report (0, 1, 0)'
    """

    truth: tuple[float, ...]
    report: tuple[float, ...]
    truth_loss: tuple[float, ...]
    report_loss: tuple[float, ...]

    def as_fractions(self) -> str:
        """Write both as fractions."""
        return f"truth {in_fractions(self.truth)}, report {in_fractions(self.report)}"

    @property
    def is_exact(self) -> bool:
        """Whether both cost the same, or what differs adds up to the same: not by rounding only."""
        pairs = list(zip(self.truth_loss, self.report_loss, strict=True))
        apart = max(abs(a - b) for a, b in pairs if a != b) if any(a != b for a, b in pairs) else 0
        return apart == 0 or apart > ALIKE * max(abs(x) for pair in pairs for x in pair)

    @property
    def expected_truth(self) -> float:
        """What saying the truth costs on average."""
        return _mean(self.truth, self.truth_loss)

    @property
    def expected_report(self) -> float:
        """What the report costs on average."""
        return _mean(self.truth, self.report_loss)


def best_pair(prices: Prices, points: Points) -> Counterexample | None:
    """Return the simplest pair of points of which the second beats the first as the truth."""
    return _simplest_gain(prices, points, points)


def optimised(prices: Prices, rng: np.random.Generator) -> Counterexample | None:
    """Look for the best reports of a few truths, and round what beats the truth."""
    shares = np.ones(prices.classes)
    for truth in rng.dirichlet(shares, TRUTHS):
        q = nearest(truth, [SIXTIETHS]).p[0]
        for start in (q, shares / prices.classes, rng.dirichlet(shares)):
            report = _best_report(prices, q, start)
            if _gains(prices, q[None], report[None]).any():
                return _rounded(prices, q, report) or _pair(prices, q, report)
    return None


def tied(prices: Prices) -> Counterexample | None:
    """Return the simplest pair of points of which the second is as good as the first."""
    # Only points that are well apart: near the truth every report is as good but for rounding.
    points = joined([lattice(prices.classes, finest(prices.classes))])
    loss = prices(points.p)
    costs = expected(points.p, loss)
    honest = np.diagonal(costs)[:, None]
    size = expected(points.p, np.abs(loss))
    close = np.abs(more(honest, costs)) <= ROUNDING * (size + np.diagonal(size)[:, None])
    same = np.eye(len(loss), dtype=bool)
    found = _simplest(close & np.isfinite(costs) & ~same, np.zeros_like(costs), points, points)
    if found is not None:
        return _pair(prices, points.p[found[0]], points.p[found[1]])
    return _priced_alike(prices)


def _priced_alike(prices: Prices) -> Counterexample | None:
    """Return two points close together that cost the same whatever happens."""
    points = edges(prices.classes).p
    loss = prices(points)
    moved = (points[1:] != points[:-1]).any(axis=1)
    alike = np.flatnonzero((loss[1:] == loss[:-1]).all(axis=1) & moved)
    return _pair(prices, points[alike[0]], points[alike[0] + 1]) if len(alike) else None


def _simplest_gain(prices: Prices, truths: Points, reports: Points) -> Counterexample | None:
    """Return the simplest pair of a truth and a report that beats it."""
    gains = _gains(prices, truths.p, reports.p)
    # A truth that costs infinity shows little; it is a last resort.
    told = np.isfinite(gains) & (gains > 0)
    found = _simplest(told if told.any() else gains > 0, gains, truths, reports)
    return None if found is None else _pair(prices, truths.p[found[0]], reports.p[found[1]])


def _gains(prices: Prices, truths: Floats, reports: Floats) -> Floats:
    """Return how much less each report costs than each truth; 0 if that may be rounding."""
    honest, loss = prices(truths), prices(reports)
    sizes = np.abs(np.concatenate([honest, loss]))
    bound = ROUNDING * sizes[np.isfinite(sizes)].max(initial=0.0)
    own = np.sum(truths * np.where(truths > 0, honest, 0.0), axis=1)
    gain = more(own[:, None], expected(truths, loss))
    return np.where(gain > bound, gain, 0.0)


def _simplest(
    chosen: Flags, gain: Floats, truths: Points, reports: Points
) -> tuple[int, int] | None:
    """Return the pair of the smallest denominators, and among these of the largest gain."""
    if not chosen.any():
        return None
    size = truths.denominator[:, None] + reports.denominator[None, :]
    chosen = chosen & (size == size[chosen].min())
    row, column = np.unravel_index(np.argmax(np.where(chosen, gain, -np.inf)), gain.shape)
    return int(row), int(column)


def _best_report(prices: Prices, truth: Floats, start: Floats) -> Floats:
    """Return the report that a simplex search ends at."""
    from scipy.optimize import minimize

    def cost(x: Floats) -> float:
        # Any numbers make a report, without a border at which the search would stop.
        report = np.abs(x)[None] / max(np.abs(x).sum(), 1 / HUGE)
        return min(float(expected(truth[None], prices(report))[0, 0]), HUGE)

    options = {"maxfev": LOOKS, "xatol": 1e-7, "fatol": 0.0}
    x = np.abs(minimize(cost, start, method="Nelder-Mead", options=options).x)
    found: Floats = x / x.sum()
    return found


def _rounded(prices: Prices, truth: Floats, report: Floats) -> Counterexample | None:
    """Round a truth and a report that beats it to the smallest denominators at which it does."""
    for denominator in range(2, SIXTIETHS):
        near = nearest(truth, [denominator])
        found = _simplest_gain(
            prices, near, nearest(_best_report(prices, near.p[0], near.p[0]), SMALL)
        )
        if found is not None:
            return found
    return _simplest_gain(prices, nearest(truth, [SIXTIETHS]), nearest(report, (*SMALL, *FINE)))


def _pair(prices: Prices, truth: Floats, report: Floats) -> Counterexample:
    losses = prices(np.stack([truth, report])).tolist()
    return Counterexample(*(tuple(x) for x in (truth.tolist(), report.tolist(), *losses)))


def _mean(truth: tuple[float, ...], loss: tuple[float, ...]) -> float:
    return math.fsum(q * x for q, x in zip(truth, loss, strict=True) if q > 0)
