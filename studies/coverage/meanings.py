"""What the coverage study says of whole weights, and of reading them wrongly.

Each case has a whole weight that says nothing about its outcome. The same numbers are read as
sampling weights, which they are, and as numbers of like cases, which they are not.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

import properly
from properly.errors import DataWarning
from properly.rules import Brier
from studies.coverage.findings import interval, rejection
from studies.coverage.tables import covered, groups, pick, rejected, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from studies.coverage.findings import Facts, Finding
    from studies.coverage.tables import Rows

SIZES = (200, 1000)
# Of whole weights from 1 on: their mean is about 2.8, that of their squares 4.6 times as much.
CHANCE, LARGEST = 0.35, 12
READINGS = ("weight", "count")
BAND_LEVEL, TENTHS, REPLICATES = 0.9, 10, 199
# The mean of p (1 - p) for uniform and calibrated forecasts.
TRUTH = 1 / 6


def meaning_facts() -> Iterator[Facts]:
    """List the samples, of calibrated and uniform forecasts."""
    for n in SIZES:
        yield {"n": n}


def whole_weights(n: int, rng: np.random.Generator) -> Any:
    """Draw whole weights, few of them large."""
    return np.minimum(rng.geometric(CHANCE, n), LARGEST)


def meanings(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Read the same whole numbers as weights and as counts, on the same data."""
    n: int = facts["n"]
    p = rng.random(n)
    y, numbers = rng.random(n) < p, whole_weights(n, rng)
    with warnings.catch_warnings():
        # What is warned of is what is studied.
        warnings.simplefilter("ignore", DataWarning)
        return [
            finding
            for reading in READINGS
            for finding in _read(properly.Cases(y, p, **{reading: numbers}), reading, rng)
        ]


def _read(cases: properly.Cases, reading: str, rng: np.random.Generator) -> list[Finding]:
    """Ask the band, the interval of the Brier score and the score test."""
    ends = properly.score_interval(cases, Brier()).interval
    test = properly.calibration_test(cases, statistic="score", replicates=REPLICATES, rng=rng)
    return [
        ({"what": "likelihood band", "read_as": reading, "level": BAND_LEVEL}, _band(cases)),
        interval("Brier score", TRUTH, ends, read_as=reading),
        rejection("score test", test.p_value, read_as=reading),
    ]


def _band(cases: properly.Cases) -> Facts:
    """Say in which share of each tenth of [0, 1] the band holds the diagonal, and its width."""
    found: Any = properly.reliability(
        cases, band="confidence", method="likelihood", level=BAND_LEVEL
    )
    # At the middle of a hundred equal steps, however many cases there are at a forecast.
    x = (np.arange(10 * TENTHS) + 0.5) / (10 * TENTHS)
    lower, upper = (np.reshape(ends, (TENTHS, -1)) for ends in found.band.at(x))
    x = x.reshape(TENTHS, -1)
    known = np.isfinite(lower) & np.isfinite(upper)
    held = np.where(known, (lower <= x) & (x <= upper), np.nan)
    width = np.where(known, upper - lower, np.nan)
    return {"tenths": _means(held).tolist(), "width": float(np.nanmean(width))}


def _means(x: Any) -> Any:
    """Average rows over what is known; NaN where nothing is."""
    known = np.isfinite(x)
    with np.errstate(invalid="ignore"):
        return np.where(known, x, 0).sum(axis=1) / known.sum(axis=1)


def meanings_table(rows: Rows) -> str:
    """Set both readings side by side."""
    chosen = pick(rows, part="meanings")
    sizes = sorted({row["n"] for row in chosen})
    header = ["", *(f"as {reading}s, n = {n}" for reading in READINGS for n in sizes)]
    lines = []
    for (what,), group in groups(chosen, "what").items():
        shown = rejected if "rejected_at_5" in group[0] else covered
        cells = (pick(group, read_as=reading, n=n)[0] for reading in READINGS for n in sizes)
        lines.append([what, *map(shown, cells)])
    return table(header, lines)


TABLES: dict[str, Callable[[Rows], str]] = {"meanings": meanings_table}
