"""What the coverage study says of draws in cells: do they agree with draws of all forecasts?

Of very many distinct forecasts, draws are counted in cells. Here the same data are decomposed and
tested with such draws once, and twice with draws of every single forecast. How far the latter two
are apart is the Monte-Carlo error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from scipy.special import expit

import properly
from properly.calibration import _components
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    import numpy as np

    from studies.coverage.findings import Facts, Finding

RULES = (Brier(), Log())
REPLICATES = 199
# More than the 8,192 distinct forecasts above which draws are counted in cells.
CASES = 40_000
SLOPES = (1.0, 0.75)


def cell_facts() -> Iterator[Facts]:
    """List the samples: log-odds of events are these times those of the forecasts."""
    for slope in SLOPES:
        yield {"n": CASES, "slope": slope}


def cells(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Compare draws in cells with those of all forecasts, on the same data."""
    odds = rng.normal(-2, 1.3, facts["n"])
    y = rng.random(facts["n"]) < expit(facts["slope"] * odds)
    t = properly.tally(y, expit(odds))
    found: list[Finding] = []
    for rule in RULES:
        grouped = _numbers(t, rule, rng)
        with without_cells():
            one, other = (_numbers(t, rule, rng) for _ in range(2))
        found += [
            ({"rule": rule.name, "what": what}, compare(value, one[what], other[what]))
            for what, value in grouped.items()
        ]
    return found


def without_cells() -> AbstractContextManager[object]:
    """Let every forecast be drawn by itself: neither wide nor narrow cells."""
    return patch.object(_components, "_starts", lambda *_, **__: None)


def _numbers(t: properly.Tally, rule: Any, rng: np.random.Generator) -> dict[str, float]:
    """Return everything that draws decide about."""
    parts: Any = properly.decompose(t, rule, interval=True, replicates=REPLICATES, rng=rng)
    found = parts.intervals
    ends = {
        f"{part}, {end} end": value
        for part in ("miscalibration", "discrimination")
        for end, value in zip(("lower", "upper"), getattr(found, part), strict=True)
    }
    by_draws = {
        "mean if calibrated": found.miscalibration_if_calibrated,
        **ends,
        "miscalibration, corrected": found.corrected_miscalibration,
        "discrimination, corrected": found.corrected_discrimination,
        "p-value of decompose": found.p_value,
    }
    if isinstance(rule, Brier):
        # By miscalibration and the score statistic at once.
        test = properly.calibration_test(t, rule, replicates=REPLICATES, rng=rng)
        by_draws["p-value of calibration_test"] = test.p_value
    return by_draws


def compare(grouped: float, one: float, other: float) -> Facts:
    """Say how far cells are from two runs without, and how far those are from each other."""
    value = (one + other) / 2
    difference = grouped - value
    return {
        "value": value,
        "difference": difference,
        "square": difference**2,
        "chance": (one - other) ** 2 / 2,
    }
