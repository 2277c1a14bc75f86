"""What the coverage study says of clusters by times, and of bands of curves over time.

A mean over stations and days whose numbers share a shock of the day, a lasting effect of the
station, both or neither; and curves of forecasts that are as persistent as the outcomes.
"""

from __future__ import annotations

import math
import warnings
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr, ndtri

import properly
from properly.decisions import dominance
from properly.errors import DataWarning
from properly.inference._design import Design
from properly.inference._variance import covariance
from studies.coverage.findings import interval
from studies.coverage.tables import covered, groups, one, pick, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from studies.coverage.findings import Facts, Finding
    from studies.coverage.tables import Rows

SHAPES = ((30, 200), (10, 200), (50, 60))
# What varies: the day with so much of a correlation from day to day, the station, the own series.
WORLDS: dict[str, dict[str, float]] = {
    "nothing": {},
    "own series, 0.8": {"own": 0.8},
    "lasting station effect": {"station": 0.4},
    "shock of the day": {"day": 0.3, "from_day_to_day": 0.0},
    "days 0.8, own series 0.5": {"day": 0.3, "from_day_to_day": 0.8, "own": 0.5},
    "both": {"day": 0.3, "from_day_to_day": 0.8, "own": 0.5, "station": 0.3},
}
DESIGNS = {
    "independent cases": (),
    "clusters": ("cluster",),
    "times": ("time",),
    "clusters by times": ("cluster", "time"),
}
RHO, SIZES = (0.0, 0.5, 0.8), (200, 1000, 3000)
LEVEL, REPLICATES = 0.9, 199
THRESHOLDS = np.array([0.1, 0.25, 0.5, 0.75])
# The second forecast is of a noisy state, and so too near to one half.
NOISE = 0.7
READINGS = {"time": "told of time", "none": "not told"}


def panel_facts() -> Iterator[tuple[int, Facts]]:
    """List the samples, and how often each is drawn."""
    for world, (clusters, times) in product(WORLDS, SHAPES):
        yield 1000, {"study": "panel", "world": world, "clusters": clusters, "times": times}
    for rho, n in product(RHO, SIZES):
        yield 300, {"study": "curves", "rho": rho, "n": n}


def panels(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask whether intervals and bands hold what is true."""
    with warnings.catch_warnings():
        # What is warned of is what is studied.
        warnings.simplefilter("ignore", DataWarning)
        return _of_mean(facts, rng) if facts["study"] == "panel" else _of_curves(facts, rng)


def persistent(shape: tuple[int, ...], rho: float, rng: np.random.Generator) -> Any:
    """Draw normal numbers with so much of a correlation from one to the next of a row."""
    x = rng.standard_normal(shape)
    for t in range(1, shape[-1]):
        x[..., t] = rho * x[..., t - 1] + math.sqrt(1 - rho**2) * x[..., t]
    return x


def _of_mean(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Draw stations by days with a true mean of 0, and take them for what they are or are not."""
    world, shape = WORLDS[facts["world"]], (facts["clusters"], facts["times"])
    x = persistent(shape, world.get("own", 0.0), rng)
    x += world.get("station", 0.0) * rng.standard_normal((shape[0], 1))
    if "day" in world:
        x += world["day"] * persistent((1, shape[1]), world["from_day_to_day"], rng)
    cluster, time = (index.ravel() for index in np.indices(shape))
    known, influence = {"cluster": cluster, "time": time}, (x.ravel() - x.mean())[None] / x.size
    found = []
    for design, names in DESIGNS.items():
        columns: dict[str, Any] = {name: known[name] for name in names}
        half = covariance(influence, Design(np.ones(x.size), **columns)).half_widths(0.95)[0]
        found.append(interval("mean", 0.0, (x.mean() - half, x.mean() + half), design=design))
    return found


def _of_curves(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Draw calibrated forecasts and outcomes as persistent as they are, and bound curves."""
    rho, n = facts["rho"], facts["n"]
    state, luck, noise = persistent((3, n), rho, rng)
    p, y = ndtr(state), ndtr(luck) < ndtr(state)
    q = ndtr((state + NOISE * noise) / math.sqrt(1 + NOISE**2))
    found: list[Finding] = []
    for reading in READINGS:
        known: dict[str, Any] = {"time": np.arange(n)} if reading == "time" else {}
        first, second = properly.Cases(y, p, **known), properly.Cases(y, q, **known)
        options: dict[str, Any] = {"band": "confidence", "level": LEVEL}
        curve: Any = properly.murphy_curve(first, **options)
        gain: Any = properly.decision_curve(first, THRESHOLDS, **options)
        truth = THRESHOLDS * (1 - THRESHOLDS), (1 - THRESHOLDS) / 2
        found += [
            _at("Murphy curve", truth[0], curve.band.at(THRESHOLDS), reading),
            _at("decision curve", truth[1], (gain.band.lower, gain.band.upper), reading),
            _all(dominance(first, second, level=LEVEL, replicates=REPLICATES, rng=rng), reading),
        ]
    return found


def _at(what: str, truth: Any, ends: Any, reading: str) -> Finding:
    """Say at which of the thresholds a band holds what is true."""
    held = (ends[0] <= truth) & (truth <= ends[1])
    about = {"what": what, "told": reading, "level": LEVEL}
    return about, {"tenths": held.astype(float).tolist()}


def _all(found: Any, reading: str) -> Finding:
    """Ask whether the band of a difference holds at all of its thresholds at once."""
    known = np.isfinite(found.lower)
    truth = np.array([true_difference(t) for t in found.threshold.tolist()])
    inside = (found.lower <= truth) & (truth <= found.upper)
    held = bool(inside[known].all()) if known.any() else None
    return {"what": "dominance", "told": reading, "level": LEVEL}, {"held": held}


@cache
def quadrature() -> tuple[Any, Any]:
    """Return points and weights of the normal distribution."""
    node, weight = np.polynomial.hermite_e.hermegauss(200)
    return node, weight / weight.sum()


@cache
def true_difference(t: float) -> float:
    """Return by how much calibrated forecasts cost less than those of a noisy state."""
    node, weight = quadrature()
    # The noisy forecast is t or more if its state is.
    above = ndtr((node - math.sqrt(1 + NOISE**2) * ndtri(t)) / NOISE)
    x = ndtr(node)
    cost = 2 * weight @ (t * (1 - x) * above + (1 - t) * x * (1 - above))
    return t * (1 - t) - float(cost)


def panel_table(rows: Rows) -> str:
    """Show how often the interval of a mean holds, by what it is told."""
    chosen = pick(rows, part="panels", study="panel")
    lines = []
    for (world,), group in groups(chosen, "world").items():
        cells = []
        for design in DESIGNS:
            each = groups(pick(group, design=design), "clusters", "times").values()
            cells.append(" / ".join(covered(one(x)) for x in each))
        lines.append([world, *cells])
    return table(["world", *DESIGNS], lines)


def curves_table(rows: Rows) -> str:
    """Show how often bands of curves hold, told of time and not."""
    chosen = pick(rows, part="panels", study="curves")
    sizes = sorted({row["n"] for row in chosen})
    header = ["band", "correlation"]
    header += [f"{text}, n = {n}" for text in READINGS.values() for n in sizes]
    lines = []
    for (what, rho), group in groups(chosen, "what", "rho").items():
        cells = (one(pick(group, told=told, n=n)) for told in READINGS for n in sizes)
        lines.append([what, f"{rho:g}", *map(covered, cells)])
    return table(header, sorted(lines, key=lambda line: ORDER.index(line[0])))


ORDER = ("Murphy curve", "decision curve", "dominance")
TABLES: dict[str, Callable[[Rows], str]] = {"panels": panel_table, "curves": curves_table}
