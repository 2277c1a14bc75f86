"""The parts of a ranked probability score against exact fractions.

Sources, keys and conventions: ``tests/reference/README.md``.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from properly import Cases, decompose
from properly.counts import cumulative
from properly.rules import RPS, Brier, RankedLog

if TYPE_CHECKING:
    from properly.calibration._decomposition import ClassDecomposition

FILE = Path(__file__).parents[1] / "reference" / "ordinal" / "dataset.json"
TOLERANCE = 1e-12  # absolute: the forecasts are dyadic, the values exact
TERMS = {
    "score": "score",
    "MCB": "miscalibration",
    "DSC": "discrimination",
    "UNC": "uncertainty",
}
THRESHOLDS = 3


@cache
def dataset() -> dict[str, Any]:
    values: dict[str, Any] = json.loads(FILE.read_text())
    return values


@cache
def found() -> ClassDecomposition:
    return decompose(cases(), RPS())


def cases() -> Cases:
    return Cases(dataset()["y"], np.array(dataset()["P_float"]))


def exact(value: dict[str, Any]) -> Any:
    return pytest.approx(float(Fraction(value["exact"])), rel=0, abs=TOLERANCE)


def test_every_number_of_the_decomposition_is_compared() -> None:
    values = dataset()["rps_decomposition"]
    assert set(values) == {"per_threshold", "rps"}
    assert len(values["per_threshold"]) == THRESHOLDS == dataset()["K"] - 1
    for terms in (*values["per_threshold"], values["rps"]):
        assert set(terms) == set(TERMS)


def test_the_forecasts_are_those_that_the_values_were_computed_from() -> None:
    fractions = [[float(Fraction(p)) for p in row] for row in dataset()["P"]]
    assert cases().p.tolist() == fractions


@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("k", range(THRESHOLDS))
def test_each_cut_has_the_exact_parts(k: int, term: str) -> None:
    expected = exact(dataset()["rps_decomposition"]["per_threshold"][k][term])
    assert getattr(list(found().values())[k], TERMS[term]) == expected
    question = list(cumulative(cases()).values())[k]
    assert getattr(decompose(question, Brier()), TERMS[term]) == expected


@pytest.mark.parametrize("term", TERMS)
def test_the_mean_over_cuts_has_the_exact_parts(term: str) -> None:
    expected = exact(dataset()["rps_decomposition"]["rps"][term])
    assert getattr(found(), TERMS[term]) == expected
    at_cuts = decompose(cases(), Brier(), reduction="cumulative")
    assert getattr(at_cuts, TERMS[term]) == expected


def test_totals_are_the_mean_scores() -> None:
    mean = dataset()["mean"]
    assert found().score == exact(mean["rps"])
    assert decompose(cases(), Brier()).score == exact(mean["brier_sum"])
    log = pytest.approx(float(mean["ordinal_log"]), rel=0, abs=TOLERANCE)
    assert decompose(cases(), RankedLog()).score == log
