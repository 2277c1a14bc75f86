"""Numbers of the paper on means of probabilities, as printed and as they are."""

from __future__ import annotations

import json
import math

import pytest

from properly.reproduce._errata import Errata, Erratum
from properly.reproduce._nelson_errata import errata
from properly.reproduce._nelson_population import describe

CASES = ("perfect", "mean 1", "variance 0.5", "variance 2", "tail over", "prior 0.8")
# Place, as printed, right; what is simulated has a margin.
ROWS: list[tuple[str, float, float, float]] = [
    ("Eq. 10", 1.798, 1, 1e-3),
    ("Below Eq. 10", 0.332, 1.327, 1e-3),
    ("Eq. 11", -1 / 4, 1 / 2, 1e-12),
    ("Eq. 11", 1, -1 / 3, 1e-12),
    ("Eq. 11", -2, -2 / 3, 1e-12),
    ("Eq. 12", 256, 1 / 2, 1e-9),
    ("Eq. 14", 0, 0.57735, 1e-5),
    ("Figure 1c", 0.59, 0, 0.01),
    ("Figure 1c", 0, 0.009, 0.003),
    ("Eq. 15", 1 / 4, 1 / 2, 1e-12),
    ("Eq. 17", -0.454193, 0.569717, 1e-6),
    ("Eq. 18", 2.83, 1 / 2, 0.002),
    ("Eqs. 18, 19", math.nan, 0.8**0.75 * 0.2**0.25, 1e-12),
    ("Figure 2, caption", 1, 3, 0),
    ("Section 4", 2, 3, 0),
    ("Section 4, step 1", 0, -0.0192, 0.002),
    ("Eq. 19", 0.268, 0.700, 0.01),
    ("Eqs. 18, 19", 0.613, 0.892, 0.04),
    ("Below Eq. 19", 90 - 19.4, 19.4, 0.05),
    ("Section 5", 0, 1, 0),
    ("Figure 6, caption", 37.8, 53.9, 0.05),
    ("Section 6", 0.613, 0.547, 1e-3),
    ("Section 7", 1, 1.8, 1e-12),
    ("Section 7", 1, 0, 0),
    ("Section 7", 0.687, 0.645, 1e-3),
    ("Section 7", 1, 0.7, 1e-12),
]


@pytest.fixture(scope="module")
def found() -> Errata:
    return errata({name: describe(name, 5001) for name in CASES})


def test_every_place_is_there_in_order(found: Errata) -> None:
    assert [row.where for row in found.rows] == [where for where, *_ in ROWS]


@pytest.mark.parametrize("k", range(len(ROWS)))
def test_every_number_is_the_known_one(found: Errata, k: int) -> None:
    row, (_, printed, right, margin) = found.rows[k], ROWS[k]
    assert row.printed == pytest.approx(printed, rel=0, abs=margin, nan_ok=True)
    assert row.right == pytest.approx(right, rel=0, abs=margin)
    # What is printed is not a rounding of what is right.
    assert not abs(row.printed - row.right) < 1e-3


def test_every_formula_that_is_corrected_is_shown_to_be_right(found: Errata) -> None:
    formulas = [row for row in found.rows if row.value is not None]
    assert len(formulas) == 10
    assert all(row.shown for row in formulas)
    assert "In 10 of 10 the corrected formula" in str(found)


def test_isotonic_recalibration_keeps_the_bound_where_bins_do_not(found: Errata) -> None:
    (row,) = (row for row in found.rows if row.what.startswith("share of samples"))
    assert "at most 1 in 10 of them" in row.why


def test_every_row_is_told_with_its_reason_and_fits(found: Errata) -> None:
    lines = str(found).splitlines()
    assert max(len(line) for line in lines) <= 100
    text = " ".join(" ".join(lines).split())
    for row in found.rows:
        assert f"{row.where}: {row.what}" in text
        assert " ".join(row.why.split()) in text


def test_columns_can_be_written_as_json(found: Errata) -> None:
    columns = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert columns["printed"][12] is None
    assert len(columns["why"]) == len(ROWS)
    assert isinstance(found.rows[0], Erratum)
