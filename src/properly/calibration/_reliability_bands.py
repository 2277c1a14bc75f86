"""Bands of the reliability curve: which of them, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from properly._boundary._libraries import to_numpy
from properly._boundary._options import check_choice
from properly.calibration._asymptotics import (
    GRID,
    chernoff_half_width,
    effective_cases,
    kernel_density,
    normal_half_width,
)
from properly.calibration._confidence_band import critical_value, likelihood_bounds
from properly.calibration._simultaneous_band import honest_band
from properly.counts._cases import require_no_time
from properly.counts._tally import Tally
from properly.errors import DataError
from properly.inference._band import Band, resampled_bounds
from properly.inference._draws import sampler
from properly.inference._variance import effective_total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly._boundary._options import Drawing
    from properly.counts._cases import Cases
    from properly.counts._isotonic import Recalibration
    from properly.inference._band import Kind

    Floats: TypeAlias = NDArray[np.float64]

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
# Of more forecasts than this, quantiles are found at so many and are straight in between.
POINTS = 1200


@dataclass(frozen=True, eq=False)
class Wanted:
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


def find_band(wanted: Wanted, kind: Kind, method: str) -> Band:
    """Compute the band of a kind that was asked for, or refuse."""
    check_choice(kind, tuple(METHODS), "band")
    check_choice(method, METHODS[kind], f"method of a {kind} band")
    _require_fitting(wanted, kind, method)
    if kind == "simultaneous":
        return _simultaneous(wanted, method)
    if method == "auto":
        method = "likelihood" if kind == "confidence" else automatic(wanted)
    if method == "likelihood":
        return _likelihood(wanted)
    find = {"resampling": _resampling, "discrete": _discrete, "continuous": _continuous}[method]
    x, estimate, lower, upper = find(wanted, kind)
    if kind == "confidence":
        lower, upper = (_bridge_certainty(x, estimate, bound) for bound in (lower, upper))
    replicates = wanted.drawing.replicates if method == "resampling" else None
    return Band(x, lower, upper, method, wanted.drawing.level, kind, replicates)


def automatic(wanted: Wanted) -> str:
    """Choose as the paper does, by the numbers of cases and of distinct forecasts."""
    if wanted.clusters is not None:
        return "resampling"
    cases, forecasts = effective_total(wanted.tally), len(wanted.tally)
    drawable = wanted.tally.event_squares is None or not isinstance(wanted.source, Tally)
    if drawable and cases <= max(1000, min(5000, 50 * forecasts)):
        return "resampling"
    return "discrete" if cases >= 8 * forecasts**2 else "continuous"


def _require_fitting(wanted: Wanted, kind: Kind, method: str) -> None:
    """Refuse what a band cannot allow for."""
    require_no_time(wanted.source, f"a {kind} band")
    if wanted.clusters is not None and (kind == "simultaneous" or method in ASYMPTOTIC):
        named = "a simultaneous band" if kind == "simultaneous" else f"the method {method!r}"
        message = f"{named} takes cases as independent; these have clusters"
        hint = (
            "a consistency band by resampling and a confidence band by likelihood allow for them."
        )
        raise DataError(message, hint=hint)
    if kind == "simultaneous":
        _require_countable(wanted.tally)


def _require_countable(tally: Tally) -> None:
    """Refuse to count what is no longer there to be counted, or too much to be."""
    if tally.event_squares is not None:
        message = "a simultaneous band counts cases; these have fractional weights"
        raise DataError(message, hint="a confidence band by likelihood allows for weights.")
    if tally.cells is not None:
        message = f"a simultaneous band needs every forecast; these are in {tally.cells} cells"
        raise DataError(message, hint="make the tally without cells; the band groups by itself.")
    if tally.total > COUNTABLE:
        message = f"a simultaneous band takes up to {COUNTABLE:g} cases; got {tally.total:g}"
        raise DataError(message)


def _simultaneous(wanted: Wanted, method: str) -> Band:
    weight, events = (to_numpy(x) for x in (wanted.tally.weight, wanted.tally.events))
    return honest_band(
        wanted.value, weight, events, wanted.drawing.level, grouped=method != "ungrouped"
    )


def _resampling(wanted: Wanted, kind: Kind) -> tuple[Floats, Floats, Floats, Floats]:
    value, recalibrated = wanted.value, wanted.recalibrated
    x = value[np.linspace(0, len(value) - 1, min(len(value), POINTS)).round().astype(int)]
    probability = value if kind == "consistency" else recalibrated
    bounds = resampled_bounds(sampler(wanted.source), x, probability, recalibrated, wanted.drawing)
    lower, upper = bounds if len(x) == len(value) else (np.interp(value, x, b) for b in bounds)
    return value, recalibrated, lower, upper


def _discrete(wanted: Wanted, kind: Kind) -> tuple[Floats, Floats, Floats, Floats]:
    x, recalibrated = wanted.value, wanted.recalibrated
    mean = x if kind == "consistency" else recalibrated
    half = normal_half_width(mean, effective_cases(wanted.tally), wanted.drawing.level)
    return x, recalibrated, np.maximum(mean - half, 0), np.minimum(mean + half, 1)


def _continuous(wanted: Wanted, kind: Kind) -> tuple[Floats, Floats, Floats, Floats]:
    value, cases = wanted.value, effective_total(wanted.tally)
    estimate = np.interp(GRID, value, wanted.recalibrated, left=np.nan, right=np.nan)
    mean = GRID if kind == "consistency" else estimate
    density = kernel_density(value, to_numpy(wanted.tally.weight), cases)
    half = chernoff_half_width(mean, density, cases, wanted.drawing.level)
    return GRID, estimate, np.maximum(mean - half, 0), np.minimum(mean + half, 1)


def _bridge_certainty(x: Floats, estimate: Floats, bound: Floats) -> Floats:
    """Replace bounds where the estimate is 0 or 1, and its variance therefore 0.

    Straight lines between the remaining points take their place, the first and the last of which
    always remain.
    """
    kept = ~((estimate == 0) | (estimate == 1))
    kept[[0, -1]] = True
    return np.where(kept, bound, np.interp(x, x[kept], bound[kept]))


def _likelihood(wanted: Wanted) -> Band:
    value, tally = wanted.value, wanted.tally
    row = _spread_rows(value)
    weight, events = (to_numpy(x) for x in (tally.weight, tally.events))
    critical = critical_value(wanted.source, wanted.fit, wanted.drawing.level)
    lower, upper = likelihood_bounds(weight, events, row, critical)
    return Band(value[row], lower, upper, "likelihood", wanted.drawing.level, "confidence")


def _spread_rows(value: Floats) -> Any:
    """Choose enough forecasts to draw a line through: evenly by rank, and evenly by value."""
    by_rank = np.linspace(0, len(value) - 1, min(len(value), 201)).round().astype(int)
    by_value = np.searchsorted(value, GRID).clip(max=len(value) - 1)
    return np.unique(np.concatenate([by_rank, by_value]))
