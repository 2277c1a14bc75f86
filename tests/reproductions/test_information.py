"""Entropies as probabilities and couplings as powers are those of the reference."""

from __future__ import annotations

import csv
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from reproductions.means.information import (
    SIGN,
    conjugate_coupling,
    coupling_from_power,
    cross_entropy_probability,
    divergence_probability,
    entropy_probability,
    log_spread,
    power_from_coupling,
    renyi_entropy,
    tsallis_entropy,
    tsallis_from_coupling,
)

FOLDER = Path(__file__).parents[1] / "reference" / "means"
CLOSE: dict[str, Any] = {"rel": 1e-14, "abs": 1e-15}

with (FOLDER / "power_from_coupling.csv").open(encoding="utf-8") as file:
    COUPLINGS = list(csv.DictReader(file))
PAIRS = json.loads((FOLDER / "entropy_probabilities.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", COUPLINGS, ids=lambda row: f"{row['kappa']} {row['d']}")
def test_couplings_are_those_of_the_reference(row: dict[str, str]) -> None:
    k, d = float(Fraction(row["kappa"])), int(row["d"])
    risk, entropy, order = (float(Fraction(value)) for value in list(row.values())[2:])
    assert power_from_coupling(k, dimension=d) == pytest.approx(risk, **CLOSE)
    found = power_from_coupling(k, dimension=d, convention="entropy")
    assert found == pytest.approx(entropy, **CLOSE)
    assert tsallis_from_coupling(k, dimension=d) == pytest.approx(order, **CLOSE)
    conjugate = conjugate_coupling(k, dimension=d)
    assert conjugate_coupling(conjugate, dimension=d) == pytest.approx(k, rel=1e-12)
    for convention in SIGN:
        power = power_from_coupling(k, dimension=d, convention=convention)  # type: ignore[arg-type]
        back = coupling_from_power(power, dimension=d, convention=convention)  # type: ignore[arg-type]
        assert back == pytest.approx(k, rel=1e-12, abs=1e-16)
    # The numeral, 1 for exponential distributions, is a factor of the power.
    once = power_from_coupling(k, dimension=d, numeral=1)
    assert once == pytest.approx(risk / 2, **CLOSE)
    assert coupling_from_power(once, dimension=d, numeral=1) == pytest.approx(k, rel=1e-12)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: " ".join(pair["p"]))
def test_entropy_probabilities_are_those_of_the_reference(pair: dict[str, Any]) -> None:
    p, q = ([float(value) for value in pair[name]] for name in "pq")
    assert entropy_probability(p) == pytest.approx(float(pair["P_ent"]), **CLOSE)
    assert cross_entropy_probability(p, q) == pytest.approx(float(pair["P_ce"]), **CLOSE)
    assert divergence_probability(p, q) == pytest.approx(float(pair["P_div"]), **CLOSE)


@pytest.mark.parametrize(
    ("order", "power_sum"),
    [(0.5, 0.5**0.5 + 0.25**0.5 + 2 * 0.125**0.5), (2, 0.25 + 0.0625 + 0.03125), (3, 0.14453125)],
)
def test_entropies_by_hand(order: float, power_sum: float) -> None:
    p = [0.5, 0.25, 0.125, 0.125]
    assert renyi_entropy(p, order) == pytest.approx(math.log(power_sum) / (1 - order), **CLOSE)
    assert tsallis_entropy(p, order) == pytest.approx((1 - power_sum) / (order - 1), **CLOSE)
    assert tsallis_entropy(p, 1) == renyi_entropy(p, 1) == pytest.approx(1.75 * math.log(2))


def test_the_spread_of_logarithms() -> None:
    found = log_spread([0.5, 2.0])
    assert found == pytest.approx((0.5, 1.0, 2.0, 2.0))
