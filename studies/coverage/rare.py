"""What the coverage study says of rare events: do bands hold where all forecasts are small?"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

import properly
from studies.coverage.tables import by_size, pick

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from studies.coverage.findings import Facts, Finding
    from studies.coverage.tables import Rows

LEVEL, REPLICATES = 0.9, 400
# Shares of the cases below the forecasts at which bands are asked about.
RANKS = np.array([0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95])
SIZES = (500, 2000, 10_000, 50_000)
TIED = np.round(np.linspace(0.001, 0.03, 47), 5)
FORECASTS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "Beta(1, 19)": lambda rng, n: rng.beta(1, 19, n),
    "Beta(1, 99)": lambda rng, n: rng.beta(1, 99, n),
    "0.001 to 0.03": lambda rng, n: rng.uniform(0.001, 0.03, n),
    "47 values from 0.001 to 0.03": lambda rng, n: rng.choice(TIED, n),
}
BANDS = {
    "consistency": "consistency, default",
    "continuous": "consistency, `continuous`",
    "confidence": "confidence, default",
    "simultaneous": "simultaneous, default",
}


def rare_facts() -> Iterator[Facts]:
    """List the samples."""
    for forecasts, n in product(FORECASTS, SIZES):
        yield {"forecasts": forecasts, "n": n}


def rare(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask whether bands of calibrated forecasts hold the curve, or all of it at once."""
    p = FORECASTS[facts["forecasts"]](rng, facts["n"])
    t = properly.tally(rng.random(facts["n"]) < p, p)
    x = np.sort(p)[(RANKS * facts["n"]).astype(int)]
    found: list[Finding] = []
    for band in BANDS:
        kind: Any = "consistency" if band == "continuous" else band
        method: Any = band if band == "continuous" else "auto"
        options: dict[str, Any] = {"level": LEVEL, "replicates": REPLICATES, "rng": rng}
        record = properly.reliability(t, band=kind, method=method, **options)
        found.append(({"band": band}, {"tenths": _held(record, kind, x)}))
    return found


def _held(record: Any, kind: str, x: Any) -> list[float]:
    """Tell at which forecasts the band holds what it should."""
    if kind == "simultaneous":
        every = np.union1d(record.band.x, record.value)
        lower, upper = record.band.at(every)
        return [float(((lower <= every) & (every <= upper)).all())] * len(x)
    lower, upper = record.band.at(x)
    goal = np.interp(x, record.value, record.recalibrated) if kind == "consistency" else x
    return [float(held) for held in (lower <= goal) & (goal <= upper)]


def rare_table(band: str) -> Callable[[Rows], str]:
    """Show how often a band holds, by forecasts and size."""

    def make(rows: Rows) -> str:
        return by_size(pick(rows, part="rare", band=band), {"forecasts": "forecasts"})

    return make


def rare_worst(rows: Rows) -> str:
    """Show the same at the worst of the forecasts, for the default."""
    chosen = pick(rows, part="rare", band="consistency")
    return by_size(chosen, {"forecasts": "forecasts"}, "worst")


TABLES: dict[str, Callable[[Rows], str]] = {
    **{f"rare_{band}": rare_table(band) for band in BANDS},
    "rare_worst": rare_worst,
}
