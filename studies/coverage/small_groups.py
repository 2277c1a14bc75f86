"""What the coverage study says of groups with few events, or in clusters, none of which differs.

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
from studies.coverage import populations
from studies.coverage.findings import rejection
from studies.coverage.inference import unequal_labels
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
# Numbers of clusters of log-normal sizes, and what each of four groups is a part of.
CLUSTERS, GROUPS = (20, 50), 4
PARTS_OF = {"within": "every cluster", "whole": "whole clusters"}
RATE = 0.32
MEASURES = {"observed_expected": "observed over expected", "score": "score", "skill": "skill"}


def group_facts() -> Iterator[tuple[int, Facts]]:
    """List the groups, and how often they are drawn."""
    for expected in SIZES:
        yield 500, {"expected": expected, "forecasts": "calibrated"}
    for expected in ("35", "100"):
        yield 500, {"expected": expected, "forecasts": "too extreme"}
    for count in CLUSTERS:
        for split in PARTS_OF:
            yield 500, {"clusters": count, "split": split}


def small_groups(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Compare groups that do not differ."""
    cases = _in_clusters(facts, rng) if "clusters" in facts else _independent(facts, rng)
    with warnings.catch_warnings():
        # Few events and clusters are what is studied.
        warnings.simplefilter("ignore", DataWarning)
        result = properly.by_group(cases, Brier(), calibration=False, replicates=1, rng=rng)
    found: list[Finding] = []
    for name in MEASURES:
        p = result.measures[name].adjusted_p_value
        tested = p[~np.isnan(p)]
        about, measured = rejection("any group", float(tested.min(initial=1.0)), measure=name)
        found.append((about, measured | {"tested": float(len(tested))}))
    return found


def _independent(facts: Facts, rng: np.random.Generator) -> properly.Cases:
    size = SIZES[facts["expected"]]
    odds: Any = MEAN + SPREAD * rng.normal(size=size.sum())
    y = rng.random(len(odds)) < expit(odds)
    slope, shift = EXTREME if facts["forecasts"] == "too extreme" else (1.0, 0.0)
    label = np.repeat(np.arange(len(size)), size)
    return properly.Cases(y, expit(slope * odds + shift), groups=label)


def _in_clusters(facts: Facts, rng: np.random.Generator) -> properly.Cases:
    label = unequal_labels(facts["clusters"], rng)
    y, q = populations.in_clusters(RATE, label, rng)
    if facts["split"] == "whole":
        group = (rng.permutation(facts["clusters"]) % GROUPS)[label]
    else:
        group = rng.integers(GROUPS, size=len(label))
    return properly.Cases(y, q, groups=group, clusters=label)


def groups_table(rows: Rows) -> str:
    """Set the measures side by side."""
    chosen = [row for row in pick(rows, part="groups") if "expected" in row]
    lines = [
        [str(len(SIZES[key[0]])), *key, *_cells(same)]
        for key, same in groups(chosen, "expected", "forecasts").items()
    ]
    return table(["groups", "events expected in each", "forecasts", *MEASURES.values()], lines)


def clusters_table(rows: Rows) -> str:
    """Set the measures of groups in clusters side by side."""
    chosen = [row for row in pick(rows, part="groups") if "clusters" in row]
    lines = [
        [str(count), PARTS_OF[split], *_cells(same)]
        for (count, split), same in groups(chosen, "clusters", "split").items()
    ]
    return table(["clusters", "each group is a part of", *MEASURES.values()], lines)


def _cells(rows: Rows) -> list[str]:
    """Write how often groups are called different by each measure, and how many were tested."""
    cells = []
    for name in MEASURES:
        row = one(pick(rows, measure=name))
        tested = 0.0 if row is None else row["tested"][0]
        cells.append(f"{rejected(row)} ({tested:.0f})" if tested else "not tested")
    return cells


TABLES = {"small_groups": groups_table, "clustered_groups": clusters_table}
