"""The parts of a ranked probability score against exact fractions.

Sources, keys and conventions: ``tests/reference/README.md``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from properly import Cases, decompose
from properly.counts import cumulative
from properly.rules import RPS, Brier, RankedLog

from .held import floats, load, near, number

if TYPE_CHECKING:
    from properly.calibration._decomposition import ClassDecomposition

DATASET = load("ordinal/dataset")
TERMS = {
    "score": "score",
    "MCB": "miscalibration",
    "DSC": "discrimination",
    "UNC": "uncertainty",
}
THRESHOLDS = 3


@cache
def found() -> ClassDecomposition:
    return decompose(cases(), RPS())


def cases() -> Cases:
    return Cases(DATASET["y"], np.array(DATASET["P_float"]))


def exact(value: Any) -> Any:
    return near(number(value))


def test_every_number_of_the_decomposition_is_compared() -> None:
    values = DATASET["rps_decomposition"]
    assert set(values) == {"per_threshold", "rps"}
    assert len(values["per_threshold"]) == THRESHOLDS == DATASET["K"] - 1
    for terms in (*values["per_threshold"], values["rps"]):
        assert set(terms) == set(TERMS)


def test_the_forecasts_are_those_that_the_values_were_computed_from() -> None:
    fractions = [floats(row) for row in DATASET["P"]]
    assert cases().p.tolist() == fractions


@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("k", range(THRESHOLDS))
def test_each_cut_has_the_exact_parts(k: int, term: str) -> None:
    expected = exact(DATASET["rps_decomposition"]["per_threshold"][k][term])
    assert getattr(list(found().values())[k], TERMS[term]) == expected
    question = list(cumulative(cases()).values())[k]
    assert getattr(decompose(question, Brier()), TERMS[term]) == expected


@pytest.mark.parametrize("term", TERMS)
def test_the_mean_over_cuts_has_the_exact_parts(term: str) -> None:
    expected = exact(DATASET["rps_decomposition"]["rps"][term])
    assert getattr(found(), TERMS[term]) == expected
    at_cuts = decompose(cases(), Brier(), reduction="cumulative")
    assert getattr(at_cuts, TERMS[term]) == expected


def test_totals_are_the_mean_scores() -> None:
    mean = DATASET["mean"]
    assert found().score == exact(mean["rps"])
    assert decompose(cases(), Brier()).score == exact(mean["brier_sum"])
    assert decompose(cases(), RankedLog()).score == exact(mean["ordinal_log"])
