"""Bands of the reliability curve: consistency, confidence and simultaneous.

`find_band` chooses the method. Two use the large-sample distribution of isotonic estimates. With
few distinct forecasts the estimate at each of them is in the limit that of its own cases alone, and
normal. With forecasts from a density it converges at the rate of a cube root, to the distribution
of Chernoff: that of the place at which two-sided Brownian motion minus a parabola is highest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from properly._boundary._chunks import sweep
from properly._boundary._libraries import to_numpy
from properly._boundary._options import check_choice
from properly.calibration._likelihood_band import critical_value, likelihood_bounds
from properly.calibration._simultaneous_band import honest_band
from properly.counts._cases import has_time
from properly.counts._tally import Tally
from properly.errors import DataError
from properly.inference._band import Band, resampled_bounds
from properly.inference._dependence import measure
from properly.inference._draws import cell_starts, sampler
from properly.inference._variance import effective_total

if TYPE_CHECKING:
    from properly._boundary._options import Drawing
    from properly.counts._cases import Cases
    from properly.counts._isotonic import Recalibration
    from properly.inference._band import Kind
    from properly.inference._dependence import Dependence
    from properly.typing import Column, Floats


GRID = np.arange(101) / 100
# Rows of a piece of the kernel sums: with a hundred columns of doubles it stays in the cache.
PIECE = 1 << 11
# Cells of more forecasts than these, all of the same width.
NARROW = 1 << 15
Method: TypeAlias = Literal[
    "auto", "resampling", "discrete", "continuous", "likelihood", "cells", "ungrouped"
]
METHODS: dict[Kind, tuple[str, ...]] = {
    "consistency": ("auto", "resampling", "discrete", "continuous"),
    "confidence": ("auto", "likelihood", "resampling", "discrete", "continuous"),
    "simultaneous": ("auto", "cells", "ungrouped"),
}
ASYMPTOTIC = ("discrete", "continuous")
# Beyond so many cases the tails of binomial distributions are no longer computed well.
COUNTABLE = 10**13
# An ungrouped band takes the square of these: of so many, up to ten seconds.
UNGROUPED = 15_000
# Of more forecasts than this, quantiles are found at so many and are straight in between.
POINTS = 1200
# More forecasts than this are drawn in cells, so many for up to so many cases, and single forecasts
# at either end.
DRAWN = 5000
CELLS, ENDS, MANY = 1 << 10, 1 << 7, 10**6


def normal_half_width(mean: Column, cases: Column, level: float) -> Column:
    """Return the half width of a normal interval for event rates from so many cases each."""
    from scipy.special import ndtri

    width: Column = -ndtri((1 - level) / 2) * np.sqrt(mean * (1 - mean) / cases)
    return width


def chernoff_half_width(mean: Column, density: Column, cases: float, level: float) -> Column:
    """Return the half width of an interval for an isotonic estimate where its curve has slope 1."""
    variance = mean * (1 - mean)
    # Far from all forecasts the density may be 0: anything between 0 and 1 is possible there.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scale = np.where(variance > 0, np.cbrt(4 * variance / (cases * density)), 0.0)
    width: Column = chernoff_quantile((1 - level) / 2) * scale
    return width


def effective_cases(tally: Tally) -> Column:
    """Return how many cases of equal weight would say as much at each distinct forecast."""
    weight: Column = to_numpy(tally.weight).astype(np.float64)
    if tally.event_squares is None or tally.nonevent_squares is None:
        return weight
    weight **= 2
    weight /= to_numpy(tally.event_squares) + to_numpy(tally.nonevent_squares)
    return weight


def kernel_density(value: Column, weight: Column, cases: float) -> Column:
    r"""Estimate the density of forecasts at 0, 0.01, …, 1 with Chen's first beta kernel.

    .. math:: \hat f(x) = \frac1n \sum_i \mathrm{Beta}(x_i;\; x / b + 1,\; (1 - x) / b + 1),
        \qquad b = n^{-2/5}.

    It is not rescaled to integrate to one. Very many forecasts are taken in cells far narrower
    than a kernel, at their mean, which changes less than a ten-thousandth of it.
    """
    from scipy.special import betaln

    if len(value) > NARROW:
        start = np.flatnonzero(np.diff(np.floor(value * (NARROW / 2)), prepend=-1))
        total, moment = (np.add.reduceat(x, start) for x in (weight, weight * value))
        value, weight = moment / total, total

    b = cases ** (-2 / 5)
    powers = np.stack([GRID / b, (1 - GRID) / b])
    constant = betaln(powers[0] + 1, powers[1] + 1)

    def add_up(value: Column, weight: Column) -> Column:
        total = np.zeros(len(GRID))
        for start in range(0, len(value), PIECE):
            x, w = value[start : start + PIECE], weight[start : start + PIECE]
            with np.errstate(divide="ignore"):
                logs = np.stack([np.log(x), np.log1p(-x)])
            # At the ends of the grid one power is 0, and 0 * log(0) must count as 0. Logarithms
            # may be infinite, which a matrix product would multiply by the zeros of its padding.
            inner = np.multiply.outer(logs[0], powers[0, 1:-1])
            inner += np.multiply.outer(logs[1], powers[1, 1:-1])
            inner -= constant[1:-1]
            total[1:-1] += w @ np.exp(inner, out=inner)
            total[0] += w @ np.exp(logs[1] * powers[1, 0] - constant[0])
            total[-1] += w @ np.exp(logs[0] * powers[0, -1] - constant[-1])
        return total

    columns = value.astype(np.float64, copy=False), weight.astype(np.float64, copy=False)
    density: Column = np.sum(sweep(add_up, *columns), axis=0) / weight.sum()
    return density


def chernoff_quantile(tail: float) -> float:
    r"""Return the point that Chernoff's distribution exceeds with a given probability, up to 1/2.

    Its density is :math:`g(z)\, g(-z) / 2`, where :math:`g` has the Fourier transform
    :math:`2^{1/3} / \mathrm{Ai}(2^{-1/3} i s)` (Groeneboom 1989). Both the sum over :math:`s` and
    the polynomial through the density converge at once, so the quantile is right to nine digits.
    """
    from numpy.polynomial import Chebyshev
    from scipy.optimize import brentq

    # Nothing that a level can ask for lies above 4.
    below: Any = Chebyshev.interpolate(_chernoff_density, 100, domain=[-1, 4]).integ(lbnd=4)
    return float(brentq(lambda z: below(z) + tail, -1, 4, xtol=1e-12))


def _chernoff_density(z: Column) -> Column:
    from scipy.special import airy

    step = 0.1
    s = np.arange(0, 40, step)
    transform = 2 ** (1 / 3) / airy(2 ** (-1 / 3) * 1j * s)[0] * step / np.pi
    transform[0] /= 2
    angle = np.outer(z, s)
    even = np.sum(np.cos(angle) * transform.real, axis=1)
    odd = np.sum(np.sin(angle) * transform.imag, axis=1)
    # g(z) is their sum and g(-z) their difference.
    density: Column = (even**2 - odd**2) / 2
    return density


@dataclass(frozen=True, eq=False)
class Request:
    """A band that was asked for, and all that it is made from."""

    source: Tally | Cases
    tally: Tally
    fit: Recalibration
    drawing: Drawing

    @property
    def value(self) -> Floats:
        """The distinct forecasts."""
        return to_numpy(self.tally.value).astype(np.float64)

    @property
    def recalibrated(self) -> Floats:
        """The recalibrated probability of each distinct forecast."""
        return self.fit.spread(self.fit.event_rate)

    @property
    def clusters(self) -> Any:
        """The cluster of each case, if there are any."""
        return None if isinstance(self.source, Tally) else self.source.clusters

    @cached_property
    def dependence(self) -> Dependence | None:
        """How much cases depend on one another in time, if they have times."""
        return measure(self.source) if has_time(self.source) else None


def find_band(request: Request, kind: Kind, method: str) -> Band | None:
    """Compute the band of a kind that was asked for, or refuse; none if dependence is too long."""
    check_choice(kind, tuple(METHODS), "band")
    check_choice(method, METHODS[kind], f"method of a {kind} band")
    _require_fitting(request, kind, method)
    if request.dependence is not None and request.dependence.warn():
        return None
    if kind == "simultaneous":
        return _simultaneous(request, method)
    if method == "auto":
        method = "likelihood" if kind == "confidence" else automatic(request)
    if method == "likelihood":
        return _likelihood(request)
    find = {"resampling": _resampling, "discrete": _discrete, "continuous": _continuous}[method]
    x, estimate, lower, upper = find(request, kind)
    if kind == "confidence":
        lower, upper = (_bridge_certainty(x, estimate, bound) for bound in (lower, upper))
    replicates = request.drawing.replicates if method == "resampling" else None
    if request.dependence is not None:
        method = request.dependence.draws
    return Band(x, lower, upper, method, request.drawing.level, kind, replicates)


def automatic(request: Request) -> str:
    """Draw wherever that takes seconds; of many weighted cases, choose as the paper does.

    The paper draws up to 5,000 cases, for the sake of time. The limits for large samples that it
    has for more need forecasts spread over [0, 1], and many events at each of them.
    """
    is_grouped = request.clusters is not None or has_time(request.source)
    if is_grouped or request.tally.event_squares is None:
        return "resampling"
    cases, forecasts = effective_total(request.tally), len(request.tally)
    drawable = not isinstance(request.source, Tally)
    if drawable and cases <= max(1000, min(DRAWN, 50 * forecasts)):
        return "resampling"
    return "discrete" if cases >= 8 * forecasts**2 else "continuous"


def _require_fitting(request: Request, kind: Kind, method: str) -> None:
    """Refuse what a band cannot allow for."""
    named = "a simultaneous band" if kind == "simultaneous" else f"the method {method!r}"
    takes_independent = kind == "simultaneous" or method in ASYMPTOTIC
    if has_time(request.source) and takes_independent:
        message = f"{named} takes cases as independent; these have times"
        hint = (
            "a consistency band by resampling and a confidence band by likelihood allow for them; "
            "or keep every m-th time, far enough apart, without time=."
        )
        raise DataError(message, hint=hint)
    if request.clusters is not None and takes_independent:
        message = f"{named} takes cases as independent; these have clusters"
        hint = (
            "a consistency band by resampling and a confidence band by likelihood allow for them."
        )
        raise DataError(message, hint=hint)
    if kind == "simultaneous":
        _require_countable(request.tally)
    if method == "ungrouped" and len(request.tally) > UNGROUPED:
        message = (
            f"an ungrouped band looks at all runs of forecasts, for up to {UNGROUPED:,} distinct "
            f"ones; got {len(request.tally):,}"
        )
        hint = "method='cells' holds as surely, is narrower, and takes any number."
        raise DataError(message, hint=hint)


def _require_countable(tally: Tally) -> None:
    """Refuse to count what is no longer there to be counted, or too much to be."""
    if tally.event_squares is not None:
        message = "a simultaneous band counts cases; these have weights"
        hint = (
            "for numbers of like cases pass count=; "
            "a confidence band by likelihood allows for weights."
        )
        raise DataError(message, hint=hint)
    if tally.cells is not None:
        message = f"a simultaneous band needs every forecast; these are in {tally.cells} cells"
        raise DataError(message, hint="make the tally without cells; the band groups by itself.")
    if tally.total > COUNTABLE:
        message = f"a simultaneous band takes up to {COUNTABLE:g} cases; got {tally.total:g}"
        raise DataError(message)


def _simultaneous(request: Request, method: str) -> Band:
    weight, events = (to_numpy(x) for x in (request.tally.weight, request.tally.events))
    return honest_band(
        request.value, weight, events, request.drawing.level, grouped=method != "ungrouped"
    )


def _resampling(request: Request, kind: Kind) -> tuple[Floats, Floats, Floats, Floats]:
    value, recalibrated = request.value, request.recalibrated
    is_grouped = request.clusters is not None and not has_time(request.source)
    if len(value) > DRAWN and not is_grouped and request.tally.event_squares is None:
        return _resampling_in_cells(request, kind)
    x = value[np.linspace(0, len(value) - 1, min(len(value), POINTS)).round().astype(int)]
    probability = value if kind == "consistency" else recalibrated
    bounds = resampled_bounds(
        sampler(request.source), x, probability, recalibrated, request.drawing
    )
    lower, upper = bounds if len(x) == len(value) else (np.interp(value, x, b) for b in bounds)
    return value, recalibrated, lower, upper


def _resampling_in_cells(request: Request, kind: Kind) -> tuple[Floats, Floats, Floats, Floats]:
    """Draw very many forecasts in cells far narrower than what one bound is drawn from."""
    value, weight, fitted = request.value, to_numpy(request.tally.weight), request.recalibrated
    # An isotonic estimate looks about it as far as the cube root of the number of cases says.
    size = round(CELLS * max(1.0, float(request.tally.total) / MANY) ** (1 / 3))
    start = cell_starts(value, weight, (size, ENDS), DRAWN)
    draws = sampler(request.source if has_time(request.source) else request.tally, start=start)
    if start is not None:
        fitted = np.add.reduceat(weight * fitted, start) / draws.total
    probability = draws.value if kind == "consistency" else fitted
    row = _spread_rows(draws.value)
    x = draws.value[row]
    lower, upper = resampled_bounds(draws, x, probability, fitted, request.drawing)
    return x, fitted[row], lower, upper


def _discrete(request: Request, kind: Kind) -> tuple[Floats, Floats, Floats, Floats]:
    x, recalibrated = request.value, request.recalibrated
    mean = x if kind == "consistency" else recalibrated
    half = normal_half_width(mean, effective_cases(request.tally), request.drawing.level)
    return x, recalibrated, np.maximum(mean - half, 0), np.minimum(mean + half, 1)


def _continuous(request: Request, kind: Kind) -> tuple[Floats, Floats, Floats, Floats]:
    value, cases = request.value, effective_total(request.tally)
    estimate = np.interp(GRID, value, request.recalibrated, left=np.nan, right=np.nan)
    mean = GRID if kind == "consistency" else estimate
    density = kernel_density(value, to_numpy(request.tally.weight), cases)
    half = chernoff_half_width(mean, density, cases, request.drawing.level)
    return GRID, estimate, np.maximum(mean - half, 0), np.minimum(mean + half, 1)


def _bridge_certainty(x: Floats, estimate: Floats, bound: Floats) -> Floats:
    """Replace bounds where the estimate is 0 or 1, and its variance therefore 0.

    Straight lines between the remaining points take their place, the first and the last of which
    always remain.
    """
    kept = ~((estimate == 0) | (estimate == 1))
    kept[[0, -1]] = True
    return np.where(kept, bound, np.interp(x, x[kept], bound[kept]))


def _likelihood(request: Request) -> Band:
    value, tally = request.value, request.tally
    row = _spread_rows(value)
    weight, events = (to_numpy(x) for x in (tally.weight, tally.events))
    level, dependence = request.drawing.level, request.dependence
    critical = critical_value(request.source, request.fit, level, dependence)
    lower, upper = likelihood_bounds(weight, events, row, critical)
    return Band(value[row], lower, upper, "likelihood", level, "confidence")


def _spread_rows(value: Floats) -> Any:
    """Choose enough forecasts to draw a line through: evenly by rank, and evenly by value."""
    by_rank = np.linspace(0, len(value) - 1, min(len(value), 201)).round().astype(int)
    by_value = np.searchsorted(value, GRID).clip(max=len(value) - 1)
    return np.unique(np.concatenate([by_rank, by_value]))
