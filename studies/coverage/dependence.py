"""What the coverage study says of forecasts over time: bands and tests of dependent outcomes.

Normal numbers that follow one another decide about outcomes, each of which has the probability that
was forecast. All is asked twice, told of the times and not.
"""

from __future__ import annotations

import warnings
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

import properly
from properly.errors import DataWarning
from properly.inference._dependence import measure
from studies.coverage.findings import rejection
from studies.coverage.populations import autoregressive
from studies.coverage.tables import covered, groups, one, percent, pick, rejected, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from studies.coverage.findings import Facts, Finding
    from studies.coverage.populations import Numbers
    from studies.coverage.tables import Rows

SIZES = {200: 300, 1000: 200}
WORLDS = {
    "persistent": (0.0, 0.5, 0.8, 0.95),
    "one step ahead": (0.8, 0.95),
    "slow regime": (0.97,),
}
# The share of a regime in the variance of what decides about outcomes.
REGIME = 0.4
LEVEL, REPLICATES, TEST_REPLICATES = 0.9, 199, 199
POINTS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
BANDS = {"likelihood": "confidence", "draws": "consistency"}


def time_facts() -> Iterator[tuple[int, Facts]]:
    """List the samples, and how often each is drawn."""
    for forecasts, rhos in WORLDS.items():
        for rho, (n, times) in product(rhos, SIZES.items()):
            yield times, {"forecasts": forecasts, "rho": rho, "n": n}


def draw(facts: Facts, rng: np.random.Generator) -> tuple[Any, Numbers]:
    """Draw outcomes, and forecasts of theirs that are calibrated."""
    n, rho = facts["n"], facts["rho"]
    if facts["forecasts"] == "one step ahead":
        # What is known of the number before is all that there is to know.
        z = autoregressive(n + 1, rho, rng)
        return z[1:] < 0, ndtr(-rho * z[:-1] / np.sqrt(1 - rho**2))
    latent, forecast = (autoregressive(n, rho, rng) for _ in range(2))
    if facts["forecasts"] == "slow regime":
        latent = np.sqrt(REGIME) * latent + np.sqrt(1 - REGIME) * rng.standard_normal(n)
    x = ndtr(forecast)
    return ndtr(latent) < x, x


def dependence(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask bands and tests whether calibrated forecasts are calibrated."""
    y, x = draw(facts, rng)
    told, alone = properly.Cases(y, x, time=np.arange(len(y))), properly.Cases(y, x)
    with warnings.catch_warnings():
        # What is warned of is what is studied.
        warnings.simplefilter("ignore", DataWarning)
        return [*_tests(told, alone, rng), *_bands(told, rng, told=True), *_bands(alone, rng)]


def _tests(
    told: properly.Cases, alone: properly.Cases, rng: np.random.Generator
) -> Iterator[Finding]:
    long = measure(told)
    about, found = rejection("score test", properly.calibration_test(told).p_value, told=True)
    yield about, found | {"warned": long.is_long, "silent": long.is_too_long, "psi": long.psi}
    options: dict[str, Any] = {"replicates": TEST_REPLICATES, "rng": rng}
    plain = properly.calibration_test(alone, statistic="score", replicates=1, rng=1)
    yield rejection("score test", plain.parts["asymptotic"], told=False)
    for cases in (told, alone):
        test = properly.calibration_test(cases, statistic="mcb", **options)
        yield rejection("mcb test", test.p_value, told=cases is told)


def _bands(
    cases: properly.Cases, rng: np.random.Generator, *, told: bool = False
) -> Iterator[Finding]:
    """Ask at some forecasts whether bands hold the diagonal, or the curve of the sample."""
    options: dict[str, Any] = {"level": LEVEL, "replicates": REPLICATES, "rng": rng}
    kinds: Any = BANDS.items()
    for name, kind in kinds:
        curve = properly.reliability(cases, band=kind, **options)
        coverage = np.nan
        if curve.band is not None:
            lower, upper = curve.band.at(POINTS)
            goal = POINTS if kind == "confidence" else curve.at(POINTS)
            known = np.isfinite(lower) & np.isfinite(goal)
            held = ((lower <= goal) & (goal <= upper))[known]
            coverage = float(held.mean()) if len(held) else np.nan
        yield {"what": name, "told": told, "level": LEVEL}, {"coverage": coverage}


def _table(what: str, show: Callable[[Any], str]) -> Callable[[Rows], str]:
    """Set what was told of the times beside what was not."""

    def make(rows: Rows) -> str:
        chosen = pick(rows, part="time")
        header = ["forecasts", "rho"]
        header += [f"{said}, n = {n}" for said in ("told", "not told") for n in SIZES]
        lines = []
        for (forecasts, rho), group in groups(chosen, "forecasts", "rho").items():
            cells = (
                show(one(pick(group, what=what, told=told, n=n)))
                for told in (True, False)
                for n in SIZES
            )
            lines.append([str(forecasts), str(rho), *cells])
        return table(header, lines)

    return make


def warnings_table(rows: Rows) -> str:
    """Show what was measured, and how often the library warned or said nothing."""
    chosen = pick(rows, part="time", what="score test", told=True)
    header = ["forecasts", "rho"]
    header += [f"{said}, n = {n}" for said in ("psi", "warned", "no answer") for n in SIZES]
    lines = []
    for (forecasts, rho), group in groups(chosen, "forecasts", "rho").items():
        cells = [
            f"{row[name][0]:.2f}" if name == "psi" else percent(row[name][0])
            for name in ("psi", "warned", "silent")
            for n in SIZES
            for row in pick(group, n=n)
        ]
        lines.append([str(forecasts), str(rho), *cells])
    return table(header, lines)


TABLES: dict[str, Callable[[Rows], str]] = {
    "time_score": _table("score test", rejected),
    "time_mcb": _table("mcb test", rejected),
    "time_likelihood": _table("likelihood", covered),
    "time_draws": _table("draws", covered),
    "time_warnings": warnings_table,
}
