"""What the coverage study says of groups with few events, none of which differs from the rest.

Forecasts are calibrated, or too extreme everywhere alike. The skill differs between groups if their
forecasts differ, so all groups draw from one population. Tests are adjusted for all groups.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

import properly
from properly.errors import DataWarning
from properly.rules import Brier
from studies.coverage.findings import rejection
from studies.coverage.tables import groups, one, pick, rejected, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.coverage.findings import Facts, Finding
    from studies.coverage.tables import Rows

# Cases per group, of which 6.1 % have the event, by the expected events of a group.
SIZES: dict[str, Any] = {
    "20": np.full(20, 326),
    "2 to 45": np.linspace(33, 734, 20).astype(int),
    "35": np.full(10, 571),
    "100": np.full(10, 1631),
}
MEAN, SPREAD = -3.0, 0.8
# Log-odds of forecasts that are too extreme: times this, and plus that.
EXTREME = (1.4, 1.1)
MEASURES = {"observed_expected": "observed over expected", "score": "score", "skill": "skill"}


def group_facts() -> Iterator[tuple[int, Facts]]:
    """List the groups, and how often they are drawn."""
    for expected in SIZES:
        yield 500, {"expected": expected, "forecasts": "calibrated"}
    for expected in ("35", "100"):
        yield 500, {"expected": expected, "forecasts": "too extreme"}


def small_groups(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Compare groups that do not differ."""
    size = SIZES[facts["expected"]]
    odds: Any = MEAN + SPREAD * rng.normal(size=size.sum())
    y = rng.random(len(odds)) < expit(odds)
    slope, shift = EXTREME if facts["forecasts"] == "too extreme" else (1.0, 0.0)
    label = np.repeat(np.arange(len(size)), size)
    cases = properly.Cases(y, expit(slope * odds + shift), groups=label)
    with warnings.catch_warnings():
        # Few events are what is studied.
        warnings.simplefilter("ignore", DataWarning)
        result = properly.by_group(cases, Brier(), calibration=False, replicates=1, rng=rng)
    found: list[Finding] = []
    for name in MEASURES:
        p = result.measures[name].adjusted_p_value
        tested = p[~np.isnan(p)]
        about, measured = rejection("any group", float(tested.min(initial=1.0)), measure=name)
        found.append((about, measured | {"tested": float(len(tested))}))
    return found


def groups_table(rows: Rows) -> str:
    """Set the measures side by side."""
    lines = []
    for key, chosen in groups(pick(rows, part="groups"), "expected", "forecasts").items():
        cells = []
        for name in MEASURES:
            row = one(pick(chosen, measure=name))
            tested = 0.0 if row is None else row["tested"][0]
            cells.append(f"{rejected(row)} ({tested:.0f})" if tested else "not tested")
        lines.append([str(len(SIZES[key[0]])), *key, *cells])
    return table(["groups", "events expected in each", "forecasts", *MEASURES.values()], lines)


TABLES = {"small_groups": groups_table}
