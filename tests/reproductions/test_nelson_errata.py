"""Misprints of the paper on means of probabilities, what changes numbers, and remarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from reproductions.means.errata import NelsonErrata, errata
from reproductions.means.population import describe

if TYPE_CHECKING:
    from reproductions.means.population import PopulationCase

CASES = ("perfect", "mean 1", "variance 0.5", "variance 2", "tail over", "prior 0.8")
# Place, as printed, right; what is simulated has a margin.
MISPRINTS: list[tuple[str, float, float, float]] = [
    ("Eq. 10", 2.9545, 1, 1e-4),
    ("Eq. 10", 1.798, 1, 1e-3),
    ("Eq. 12", 256, 1 / 2, 1e-9),
    ("Eq. 14", 0, 0.57735, 1e-5),
    ("Figure 1c", 0.59, 0, 0.01),
    ("Figure 1c", 0, 0.009, 0.003),
    ("Figure 2, caption", 1, 3, 0),
    ("Section 4", 2, 3, 0),
    ("Eq. 18", 2.83, 1 / 2, 0.002),
    ("Below Eq. 19", 90 - 19.4, 19.4, 0.05),
    ("Figure 6, caption", 2, 0.5, 0),
    ("Section 6", 0.613, 0.547, 1e-3),
]
CHANGES: list[tuple[str, float, float, float]] = [
    ("Eq. 17", 0.454193, 0.569717, 1e-6),
    ("Eq. 19", 0.268, 0.700, 0.01),
    ("Eqs. 18, 19", 0.613, 0.892, 0.04),
    ("Section 7", 1, 1.8, 1e-12),
    ("Section 7", 0, 10, 0),
]
# Place, and how every number is quoted and what it is.
REMARKS: list[tuple[str, list[tuple[str, float, float]]]] = [
    (
        "Section 3",
        [
            ("1.00 by the arithmetic", 1, 1e-12),
            # The truth of 0.7 to the power 0.6, as a share.
            ("0.62 by the -2/3", 0.7**0.6 / (0.7**0.6 + 0.3**0.6), 0.005),
            ("0.70 by the geometric", 0.7, 1e-12),
            ("1.040 at -2/3", 1.040, 5e-4),
            ("1.072 at 1", 1.072, 5e-4),
        ],
    ),
    (
        "Eq. 11",
        [
            ("couplings of -0.25 and", -1 / 4, 1e-12),
            ("-0.25 and 1,", 1, 1e-12),
            ("would be -2.", -2, 1e-12),
            ("belong to 0.5 and", 1 / 2, 1e-12),
            ("0.5 and -0.333,", -1 / 3, 1e-12),
            ("-0.333, which are conjugate", -1 / 3, 1e-12),
        ],
    ),
    ("Section 4, step 1", [("-0.019, and", -0.0192, 0.002), ("-0.020 by the", -0.02, 1e-12)]),
    ("Eq. 15", []),
    ("Eqs. 18, 19", []),
    ("Section 5", [("P_div 0.861", 0.8614, 1e-4), ("angle 59.7", 59.7, 0.05)]),
    (
        "Section 7",
        [
            ("too, 59.7 with", 59.7, 0.05),
            ("from 0.687 to", 0.6873, 1e-4),
            ("to 0.645.", 0.6446, 1e-4),
        ],
    ),
    ("Section 7", []),
]
PLACES: dict[str, list[Any]] = {"misprints": MISPRINTS, "changes": CHANGES, "remarks": REMARKS}
NUMBERS = [(group, k) for group in ("misprints", "changes") for k in range(len(PLACES[group]))]


@pytest.fixture(scope="module")
def cases() -> dict[str, PopulationCase]:
    return {name: describe(name, 5001) for name in CASES}


@pytest.fixture(scope="module")
def found(cases: dict[str, PopulationCase]) -> NelsonErrata:
    return errata(cases)


@pytest.mark.parametrize("group", PLACES)
def test_every_place_is_there_in_order(found: NelsonErrata, group: str) -> None:
    assert [row.where for row in getattr(found, group)] == [where for where, *_ in PLACES[group]]


@pytest.mark.parametrize(("group", "k"), NUMBERS)
def test_every_number_is_the_known_one(found: NelsonErrata, group: str, k: int) -> None:
    row, (_, printed, right, margin) = getattr(found, group)[k], PLACES[group][k]
    assert row.printed == pytest.approx(printed, rel=0, abs=margin)
    assert row.right == pytest.approx(right, rel=0, abs=margin)
    # What is printed is not a rounding of what is right.
    assert abs(row.printed - row.right) > 1e-3


@pytest.mark.parametrize("k", range(len(REMARKS)))
def test_every_number_of_a_remark_is_the_known_one_and_is_quoted(
    found: NelsonErrata, k: int
) -> None:
    remark, (_, known) = found.remarks[k], REMARKS[k]
    for number, (quoted, value, margin) in zip(remark.numbers.values(), known, strict=True):
        assert number == pytest.approx(value, rel=0, abs=margin)
        assert quoted in remark.text


def test_every_formula_that_is_corrected_is_shown_to_be_right(found: NelsonErrata) -> None:
    formulas = [row for row in (*found.misprints, *found.changes) if row.value is not None]
    assert [row.where for row in formulas] == [
        *("Eq. 10", "Eq. 10", "Eq. 12", "Eq. 14", "Eq. 18", "Eq. 17")
    ]
    assert all(row.shown for row in formulas)
    assert "In 5 of 5 the corrected formula" in str(found)


def test_isotonic_recalibration_keeps_the_bound_where_bins_do_not(found: NelsonErrata) -> None:
    assert found.changes[-1].what.startswith("samples of 10 with P_div above 1")
    assert "at most 1 in 10 of them" in found.changes[-1].why
