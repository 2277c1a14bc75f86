"""Scores over thresholds against 40-digit values.

Sources, keys and conventions: ``tests/reference/README.md``.
"""

from __future__ import annotations

import csv
import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import properly
from properly.rules import Bounded, Brier, Elementary, Log, Misclassification

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.rules import BinaryRule

FOLDER = Path(__file__).parent / "reference" / "decision"
TOLERANCE = 1e-12  # absolute: the values are safe to 20 digits, doubles hold about 16
KEYS_PER_TABLE = 65
RANGE = re.compile(r"(?P<stem>\w+)\[(?P<lower>[\d.]+),(?P<upper>[\d.]+)\]")
TERMS = {
    "": "score",
    "_climatology": "uncertainty",
    "_MCB": "miscalibration",
    "_DSC": "discrimination",
}
RULES: dict[str, Callable[[], BinaryRule]] = {"brier": Brier, "log": Log}


def table(name: str, weighting: str) -> dict[str, str]:
    values: dict[str, str] = json.loads((FOLDER / f"{name}.json").read_text())[weighting]
    return values


TABLES = [
    (path.stem, weighting)
    for path in sorted(FOLDER.glob("*.json"))
    for weighting in json.loads(path.read_text())
]
VALUES = [
    pytest.param(name, weighting, key, float(value), id=f"{name}-{weighting}-{key}")
    for name, weighting in TABLES
    for key, value in table(name, weighting).items()
]


@cache
def tally_of(name: str, weighting: str) -> properly.Tally:
    with (FOLDER / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    y = np.array([int(row["y"]) for row in rows])
    p = np.array([float(row["p"]) for row in rows])
    weight = np.array([float(row["w"]) for row in rows]) if weighting == "weighted" else None
    return properly.tally(y, p, weight=weight)


def term(tally: properly.Tally, rule: BinaryRule, suffix: str) -> float:
    """Read one term of the decomposition; ``_pav`` is the score after recalibration."""
    result = properly.decompose(tally, rule)
    if suffix == "_pav":
        return result.uncertainty - result.discrimination
    value: float = getattr(result, TERMS[suffix])
    return value


def compute_over_a_range(tally: properly.Tally, match: re.Match[str]) -> float:
    within = (float(match["lower"]), float(match["upper"]))
    if match["stem"] == "mean_regret":
        return term(tally, Bounded(Brier(), within), "") / 2
    _, family, *suffix = match["stem"].split("_")
    rule = RULES[family]()
    if suffix == ["integral"]:
        return term(tally, Bounded(rule, within, scale="integral"), "")
    return term(tally, Bounded(rule, within), "".join(f"_{word}" for word in suffix))


SINGLE: dict[str, Callable[[properly.Tally], float]] = {
    "sum_weights": lambda tally: float(tally.total),
    "prevalence": lambda tally: float(tally.event_rate),
    "log_loss": lambda tally: term(tally, Log(), ""),
    "accuracy@0.5": lambda tally: 1 - 2 * term(tally, Elementary(0.5), ""),
    # A half at exactly 1/2 is the mean of acting iff p >= 1/2 and acting iff p > 1/2.
    "regret_strict@0.5": lambda tally: (
        term(tally, Misclassification(), "") - term(tally, Elementary(0.5), "")
    ),
}


def compute(tally: properly.Tally, key: str) -> float:
    """Return what the reference calls ``key``, from the rules of the package."""
    if key in SINGLE:
        return SINGLE[key](tally)
    if match := RANGE.fullmatch(key):
        return compute_over_a_range(tally, match)
    if key.startswith("regret@"):
        return term(tally, Elementary(float(key.removeprefix("regret@"))), "")
    family, *suffix = key.split("_")
    return term(tally, RULES[family](), "".join(f"_{word}" for word in suffix))


def test_the_reference_files_are_all_there() -> None:
    assert TABLES == [
        ("calibrated_n300", "unweighted"),
        ("hard01_n200", "unweighted"),
        ("rare_wrong01_n1000", "unweighted"),
        ("ties_n500", "unweighted"),
        ("weights_n250", "unweighted"),
        ("weights_n250", "weighted"),
    ]
    assert {len(table(*where)) for where in TABLES} == {KEYS_PER_TABLE}
    assert len(VALUES) == len(TABLES) * KEYS_PER_TABLE


@pytest.mark.parametrize(("name", "weighting", "key", "expected"), VALUES)
def test_every_value_is_the_exact_one(name: str, weighting: str, key: str, expected: float) -> None:
    got = compute(tally_of(name, weighting), key)
    assert got == pytest.approx(expected, rel=0, abs=TOLERANCE)


@pytest.mark.parametrize("name", ["calibrated_n300", "hard01_n200", "rare_wrong01_n1000"])
def test_misclassification_is_one_minus_accuracy_where_no_forecast_is_one_half(name: str) -> None:
    tally = tally_of(name, "unweighted")
    assert 0.5 not in np.asarray(tally.value)
    errors = 1 - float(table(name, "unweighted")["accuracy@0.5"])
    assert term(tally, Misclassification(), "") == pytest.approx(errors, rel=0, abs=TOLERANCE)
