"""Maps of every kind that can be stored or written as an expression."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np

import properly
from properly import recalibration
from properly.rules import RPS, Brier

LINES = (
    recalibration.Intercept,
    recalibration.Temperature,
    recalibration.Logistic,
    recalibration.Beta,
)


def outcomes(count: int = 300, *, certain: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Draw forecasts with ties, some of them exactly 0 and 1, and what happened."""
    rng = np.random.default_rng(11)
    p = rng.beta(0.4, 0.6, 4 * count).round(2)
    p = p[:count] if certain else p[(p > 0) & (p < 1)][:count]
    y = (rng.random(count) < 0.03 + 0.9 * p**1.3).astype(int)
    return y, p


@cache
def fitted() -> dict[str, recalibration.Map]:
    """Fit maps, with and without forecasts of exactly 0 and 1."""
    y, p = outcomes()
    weight = np.random.default_rng(2).random(len(y)) + 0.5
    inside = outcomes(certain=False)
    maps: dict[str, recalibration.Map] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", properly.errors.DataWarning)
        for line in LINES:
            name = line.__name__
            maps[name] = line().fit(y, p, weight=weight)
            maps[f"{name} inside"] = line().fit(*inside)
            maps[f"{name} keep"] = line(certain="keep", smooth=False).fit(y, p)
            maps[f"{name} by a rule"] = line(rule=Brier()).fit(y, p)
        for way in ("linear", "flat"):
            for shrink in (0, 1):
                maps[f"Isotonic {way} {shrink}"] = recalibration.Isotonic(way, shrink).fit(y, p)
            maps[f"Isotonic {way} inside"] = recalibration.Isotonic(way).fit(*inside)
        for merge in ("log", "brier"):
            maps[f"VennAbers {merge}"] = recalibration.VennAbers(merge).fit(y, p)
            maps[f"VennAbers {merge} inside"] = recalibration.VennAbers(merge).fit(*inside)
        maps["one forecast"] = recalibration.Isotonic().fit(y[:50], np.full(50, 0.3))
        separated = recalibration.Logistic().fit([0] * 20 + [1] * 20, np.arange(1, 41) / 41)
    return {**maps, "separated": separated}


@cache
def given() -> dict[str, recalibration.Map]:
    """Make maps of known coefficients, some of them extreme."""
    return {
        "Identity": recalibration.Identity(),
        "PriorShift": recalibration.PriorShift(0.5, 0.01),
        "PriorShift far": recalibration.PriorShift(1e-9, 0.99),
        "refuse": recalibration.Logistic(intercept=0.1, slope=0.4, certain="refuse"),
        "constant": recalibration.Logistic(intercept=-1.0, slope=0.0),
        "steep": recalibration.Logistic(intercept=3.0, slope=50.0),
        "a = 0": recalibration.Beta(a=0.0, b=2.0, c=-1.0),
        "b = 0": recalibration.Beta(a=1.5, b=0.0, c=0.3),
        "Beta steep": recalibration.Beta(a=30.0, b=0.1, c=5.0),
        "far down": recalibration.Intercept(intercept=-800.0),
        "far up": recalibration.Intercept(intercept=800.0),
    }


@cache
def of_classes() -> dict[str, recalibration.Map]:
    """Fit maps for classes."""
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.ones(3), 400)
    y = np.array(["low", "mid", "high"])[(rng.random((400, 1)) > p.cumsum(axis=1)).sum(axis=1)]
    cases = properly.Cases(y, p, labels=["low", "mid", "high"])
    kinds: dict[str, recalibration.Map] = {
        "Temperature of classes": recalibration.Temperature(),
        "Vector": recalibration.Vector(),
        "Vector without prior": recalibration.Vector(prior=None),
        "Dirichlet": recalibration.Dirichlet(prior=0.5),
        "Temperature by a rule": recalibration.Temperature(rule=RPS([1, 2])),
        "OneVsRest": recalibration.OneVsRest(recalibration.Isotonic()),
        "Cuts": recalibration.Cuts(recalibration.Logistic()),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", properly.errors.DataWarning)
        maps = {name: kind.fit(cases) for name, kind in kinds.items()}
    maps["Vector of numbers"] = recalibration.Vector([1.0, 2.0], [0.0, -0.1], labels=[3, 1.5])
    return maps


def knots_of(mapping: recalibration.Map) -> list[float]:
    """Return the forecasts where something may change."""
    places: set[float] = set()
    for one in getattr(mapping, "maps", ()) or (mapping,):
        places.update(one.range or ())
        knots = getattr(one, "knots", None)
        places.update([] if knots is None else knots.p.tolist())
    return sorted(places)


def forecasts(mapping: recalibration.Map) -> np.ndarray:
    """Return forecasts that may go wrong: ends, subnormal numbers, knots and their neighbours."""
    small = [5e-324, 2e-320, 1e-310, 2.3e-308, 1e-300, 1e-100, 1e-20, 1e-17, 1e-10]
    large = [1 - 2**-53, 1 - 2**-52, 1 - 1e-12]
    knots = np.array(knots_of(mapping))
    near = np.concatenate([knots, np.nextafter(knots, 0), np.nextafter(knots, 1)])
    ends = [0.0, 1.0] if getattr(mapping, "certain", None) != "refuse" else []
    inside = np.concatenate([small, large, np.arange(1, 100) / 100, near])
    inside = inside[(inside > 0) & (inside < 1)]
    return np.unique(np.concatenate([ends, inside]))
