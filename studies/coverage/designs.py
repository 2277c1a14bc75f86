"""What the coverage study says of draws in cells in every design: do draws of all rows agree?

With very many distinct forecasts, draws are counted in cells. Here the same data sets have their
bands, intervals and tests by draws in cells and by draws of all rows. Paired differences are far
sharper than the coverage of either. Data sets are small, so that rows can be drawn often, and have
fewer cells in proportion.
"""

from __future__ import annotations

import math
import warnings
from contextlib import ExitStack
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri, roots_hermitenorm

import properly
from properly.calibration import _components, _curve_fits, _reliability_bands
from properly.errors import DataWarning
from properly.inference import _cells
from properly.rules import Brier
from studies.coverage.populations import autoregressive
from studies.coverage.samples import alike
from studies.coverage.tables import groups, one, pick, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from studies.coverage.findings import Facts, Finding
    from studies.coverage.populations import Numbers
    from studies.coverage.tables import Row, Rows

CASES = 2000
LEVEL, SIZE, REPLICATES = 0.9, 0.05, 99
# The log-odds of forecasts are normal. Those of events are as often these as they are calibrated.
MEAN, DEVIATION, SLOPES = -1.0, 1.2, (1.0, 0.75)
# What cases of one cluster, and days that follow one another, have in common.
SHARED, RHO, DAY_RHO = 0.3, 0.8, 0.4
POINTS = np.array([0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
TEN, FORTY, DAYS = np.arange(CASES) // 10, np.arange(CASES) % 40, np.arange(CASES) // 20
DESIGNS = (
    "independent",
    "weights",
    "clusters of ten",
    "40 large clusters",
    "weights and clusters",
    "distinct times",
    "days of 20 cases",
)
# With fewer cells in proportion to the cube root of the number of cases, as wide as they ever are.
SIZES: dict[Any, dict[str, Any]] = {
    _cells: {"LONG": 0, "CELLS": 192, "ENDS": 24},
    _components: {"MANY": 0, "NARROW": (960, 480)},
    _curve_fits: {"FEW": 0, "SMOOTH": (96, 12)},
    _reliability_bands: {"DRAWN": 0, "CELLS": 192, "ENDS": 24},
}
NEVER: dict[Any, dict[str, Any]] = {
    _cells: {"LONG": math.inf},
    _components: {"MANY": math.inf, "NARROW": (math.inf, 0)},
    _curve_fits: {"FEW": math.inf},
    _reliability_bands: {"DRAWN": math.inf},
}


def design_facts() -> Iterator[Facts]:
    """List the designs, with forecasts that are calibrated and others that are too sure."""
    for design, slope in product(DESIGNS, SLOPES):
        yield {"design": design, "slope": slope}


def draw(design: str, slope: float, rng: np.random.Generator) -> properly.Cases:
    """Draw forecasts and outcomes, each a case of the population, in a design."""
    known: dict[str, Any] = {}
    if "weights" in design:
        known["weight"] = rng.gamma(2, 1, CASES)
    if "clusters" in design:
        known["clusters"] = FORTY if "large" in design else TEN
        uniform, rank = (alike(known["clusters"], rng) for _ in range(2))
    elif design == "distinct times":
        known["time"] = np.arange(CASES)
        uniform, rank = (ndtr(autoregressive(CASES, RHO, rng)) for _ in range(2))
    elif "days" in design:
        known["time"] = DAYS
        own, day = rng.standard_normal(CASES), autoregressive(DAYS[-1] + 1, DAY_RHO, rng)
        uniform = ndtr(math.sqrt(SHARED) * day[DAYS] + math.sqrt(1 - SHARED) * own)
        rank = rng.random(CASES)
    else:
        uniform, rank = rng.random((2, CASES))
    odds = MEAN + DEVIATION * ndtri(rank)
    return properly.Cases(uniform < expit(slope * odds), expit(odds), **known)


@cache
def truths(slope: float) -> dict[str, float]:
    """Return the miscalibration and the discrimination of the population under the Brier score."""
    node, weight = roots_hermitenorm(40)
    odds = MEAN + DEVIATION * node
    x, q = expit(odds), expit(slope * odds)

    def mean(values: Numbers) -> float:
        return float(weight @ values / weight.sum())

    return {
        "miscalibration": mean((x - q) ** 2),
        "discrimination": mean((q - mean(q)) ** 2),
    }


def designs(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Compare draws in cells with those of all rows, on the same data."""
    cases = draw(facts["design"], facts["slope"], rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        grouped, single = (numbers(cases, facts["slope"], way, rng) for way in (SIZES, NEVER))
    return [
        ({"what": what}, {"value": x, "difference": grouped[what] - x})
        for what, x in single.items()
    ]


def numbers(
    cases: properly.Cases, slope: float, way: dict[Any, dict[str, Any]], rng: np.random.Generator
) -> dict[str, float]:
    """Return what bands, intervals and tests say, drawn in one way."""
    options: dict[str, Any] = {"replicates": REPLICATES, "rng": rng}
    with ExitStack() as stack:
        for module, names in way.items():
            stack.enter_context(patch.multiple(module, **names))
        return {
            **_of_bands(cases, slope, options),
            **_of_parts(cases, slope, options),
            **_of_tests(cases, options),
        }


def _of_bands(cases: properly.Cases, slope: float, options: dict[str, Any]) -> dict[str, float]:
    found: dict[str, float] = {}
    kinds: Any = ("consistency", "confidence")
    for kind in kinds:
        curve = properly.reliability(cases, band=kind, method="resampling", level=LEVEL, **options)
        if curve.band is None:
            # Dependence was found too long for the series.
            found |= {f"{kind} band, width": math.nan, f"{kind} band, coverage": math.nan}
            continue
        lower, upper = curve.band.at(POINTS)
        goal = curve.at(POINTS) if kind == "consistency" else expit(slope * logit(POINTS))
        found[f"{kind} band, width"] = float(np.mean(upper - lower))
        found[f"{kind} band, coverage"] = float(np.mean((lower <= goal) & (goal <= upper)))
    return found


def _of_parts(cases: properly.Cases, slope: float, options: dict[str, Any]) -> dict[str, float]:
    parts: Any = properly.decompose(cases, Brier(), interval=True, level=LEVEL, **options)
    intervals, found = parts.intervals, {}
    for part, truth in truths(slope).items():
        low, high = getattr(intervals, part)
        found[f"{part}, corrected"] = getattr(intervals, f"corrected_{part}")
        found |= {f"{part}, lower end": low, f"{part}, upper end": high}
        found[f"{part}, coverage"] = float(low <= truth <= high)
    return found | {
        "mean miscalibration if calibrated": intervals.miscalibration_if_calibrated,
        "p-value of decompose": intervals.p_value,
        "p-value of decompose, below 5 %": rejects(intervals.p_value),
    }


def rejects(p_value: float) -> float:
    """Return 1 if a test rejects, and NaN if nothing was tested."""
    return math.nan if math.isnan(p_value) else float(p_value <= SIZE)


def _of_tests(cases: properly.Cases, options: dict[str, Any]) -> dict[str, float]:
    p = properly.calibration_test(cases, **options).p_value
    ici = properly.calibration_summary(cases, **options).ici
    return {
        "p-value of calibration_test": p,
        "p-value of calibration_test, below 5 %": rejects(p),
        "mean ICI if calibrated": ici.mean_if_calibrated,
        "upper ICI if calibrated": ici.upper_if_calibrated,
    }


SHARES = {
    "consistency band, coverage": "consistency band",
    "confidence band, coverage": "confidence band",
    "miscalibration, coverage": "miscalibration",
    "discrimination, coverage": "discrimination",
    "p-value of calibration_test, below 5 %": "`calibration_test` rejects",
    "p-value of decompose, below 5 %": "`decompose` rejects",
}
RELATIVE = {
    "consistency band, width": "consistency band",
    "confidence band, width": "confidence band",
    "mean miscalibration if calibrated": "miscalibration if calibrated",
    "mean ICI if calibrated": "ICI if calibrated",
    "upper ICI if calibrated": "its 95 % quantile",
}
SCALED = {
    f"{part}, {what}": f"{part}, {what}"
    for part in ("miscalibration", "discrimination")
    for what in ("corrected", "lower end", "upper end")
}


def _table(titles: dict[str, str], show: Callable[[Row], str]) -> Callable[[Rows], str]:
    """Set what cells change, in a column for each number, for all designs."""

    def make(rows: Rows) -> str:
        lines = []
        for (design, slope), some in groups(pick(rows, part="designs"), "design", "slope").items():
            found = [one(pick(some, what=what)) for what in titles]
            lines.append([design, f"{slope:g}", *("" if x is None else show(x) for x in found)])
        return table(["design", "slope", *titles.values()], lines)

    return make


def _difference(row: Row, unit: float, digits: int) -> str:
    """Show a difference, in bold where it is beyond three standard errors."""
    (mean, error), zero = row["difference"], f"{0:.{digits}f}"
    if mean is None:
        return "none"
    if not error:
        return zero
    text = f"{mean / unit:+.{digits}f} ± {error / unit:.{digits}f}"
    return f"**{text}**" if abs(mean) > 3 * error else text


def _share(row: Row) -> str:
    if row["value"][0] is None:
        return "none"
    return f"{100 * row['value'][0]:.1f} ({_difference(row, 0.01, 1)})"


def _relative(row: Row) -> str:
    return "none" if row["value"][0] is None else _difference(row, row["value"][0] / 100, 1)


def _scaled(row: Row) -> str:
    if not row["value"][1]:
        return "none"
    return _difference(row, row["value"][1] * math.sqrt(row["repetitions"]), 2)


TABLES: dict[str, Callable[[Rows], str]] = {
    "design_shares": _table(SHARES, _share),
    "design_widths": _table(RELATIVE, _relative),
    "design_parts": _table(SCALED, _scaled),
}
