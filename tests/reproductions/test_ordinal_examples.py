"""The small examples of the paper on ordered classes, by hand."""

from __future__ import annotations

import math

import pytest
from reproductions.grades.examples import Examples, examples


@pytest.fixture(scope="module")
def found() -> Examples:
    return examples()


def test_every_loss_is_the_one_by_hand(found: Examples) -> None:
    assert found.losses["RPS"] == pytest.approx(
        [9 / 32, 9 / 16, 1 / 8, 1 / 4, 0, 1 / 2, 1, 0.09, 41 / 400, 0.085], abs=1e-15
    )
    assert found.losses["sa-RPS"] == pytest.approx(
        [9 / 64, 9 / 16, 1 / 16, 1 / 4, 0, 1 / 4, 1, 9 / 100, 1 / 16, 1 / 16], abs=1e-15
    )
    assert found.losses["by Eq. 7"] == pytest.approx(
        [2 * x for x in found.losses["sa-RPS"]], abs=1e-15
    )
    assert found.losses["Brier"][:2] == pytest.approx([9 / 8, 9 / 8], abs=1e-15)
    assert found.losses["log"][:2] == pytest.approx([math.log(4)] * 2, rel=1e-15)
    # (mean - class)^2 / 4 and a tenth of the RPS.
    assert found.losses["quadratic"][:2] == pytest.approx(
        [(3 / 8) ** 2 + 9 / 320, (6 / 8) ** 2 + 9 / 160], abs=1e-15
    )
    assert found.losses["quadratic"][4:7] == pytest.approx([0, 0.3, 1.1], abs=1e-15)


def test_two_of_the_seven_printed_numbers_are_wrong(found: Examples) -> None:
    assert found.agrees == (False, False, None, None, True, True, True, True, True, None)
    assert "Of the 7 printed numbers 5 are right" in str(found)


def test_the_figures_show_the_same_forecasts(found: Examples) -> None:
    assert [c.outcome for c in (*found.figure1.values(), *found.figure2.values())] == [0, 0, 1, 1]
    assert {c.labels for c in found.figure1.values()} == {(1, 2, 3)}
    first, second = found.figure1.values(), found.figure2.values()
    assert [c.rps for c in first] == pytest.approx([9 / 32, 9 / 16], abs=1e-15)
    assert [c.rps for c in second] == pytest.approx([0.09, 0.1025], abs=1e-15)
    assert [c.squared_absolute_rps for c in second] == pytest.approx([0.09, 0.0625], abs=1e-15)
