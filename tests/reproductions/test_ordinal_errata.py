"""Numbers of the paper on ordered classes, as printed and as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from reproductions.grades.examples import errata

import properly
from properly.datasets import crash
from properly.rules import RPS

if TYPE_CHECKING:
    from reproductions.tables import Errata


@pytest.fixture(scope="module")
def found() -> Errata:
    return errata()


def test_every_number_is_the_one_by_hand(found: Errata) -> None:
    rows = [(row.where, row.printed, row.right) for row in found.rows if row.where != "Section 1"]
    assert [where for where, *_ in rows] == [
        "Abstract",
        "Abstract",
        "Below Eq. 1",
        "Below Eq. 3",
        "Below Eq. 4",
        "Below Eq. 4",
        "Below Eq. 4",
        "Above Eq. 6",
        "Eq. 7",
        "Eq. 7",
        "Eq. 7",
        "Section 3.1",
        "Section 3.3",
    ]
    printed = [4, 3, 0.96, 0, 1 / 8, 1 / 4, 0.18, 1.5, 2, 4, 1.02, 11 / 54, 17.83]
    right = [2, 2, 0.8, 0.75, 9 / 32, 9 / 16, 0.09, 1, 1, 1, 1.01, 1 / 6, 17.84]
    assert [row[1] for row in rows] == pytest.approx(printed, rel=1e-12)
    assert [row[2] for row in rows] == pytest.approx(right, rel=1e-12)


def test_a_score_is_not_two_of_its_three_parts(found: Errata) -> None:
    (row,) = (row for row in found.rows if row.where == "Section 1")
    data = crash()
    known = data.severity_known
    score = RPS()(data.severity[known], data.severity_probabilities[known])
    assert row.right == pytest.approx(float(score), rel=1e-12)
    assert row.printed < 0
    cases = properly.Cases(data.severity[known], data.severity_probabilities[known])
    shares = [float((cases.y > k).mean()) for k in range(4)]
    uncertainty = sum(q * (1 - q) for q in shares) / 4
    assert row.right - row.printed == pytest.approx(uncertainty, rel=1e-12)
