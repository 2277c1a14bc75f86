"""Formulas as printed and as corrected, against counting by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from reproductions.decisions.errata import errata, two_means

if TYPE_CHECKING:
    from reproductions.tables import Errata

# The same cases: forecasts, each twenty times, and their events.
S = np.array([0.05, 0.1, 0.25, 0.5, 0.9])
EVENTS = np.array([1, 2, 5, 10, 18])
OTHERS = 20 - EVENTS


@pytest.fixture(scope="module")
def found() -> Errata:
    return errata()


def regret(c: float, threshold: float | None = None) -> float:
    """Return the cost c of false positives and 1 - c of false negatives, at a threshold."""
    acted = (c if threshold is None else threshold) <= S
    return float(c * OTHERS @ acted + (1 - c) * EVENTS @ ~acted) / 100


def middles(lower: float, upper: float, pieces: int = 2000) -> list[float]:
    return [lower + (upper - lower) * (k + 0.5) / pieces for k in range(pieces)]


def test_every_correction_is_needed_and_right(found: Errata) -> None:
    assert [row.where for row in found.rows if row.shown] == [
        "Theorem 2.4",
        "Theorems 3.3, D.5",
        "Theorems 3.4, D.6",
        "Theorems 3.7, E.2",
        "Definition D.7",
        "Proposition D.8",
        "Theorem D.10",
        "Appendix G",
        "Definition I.9",
        "Theorem I.11",
    ]
    assert len(found.rows) == 10


def test_means_of_regret_are_those_of_a_fine_grid(found: Errata) -> None:
    rows = {row.where: row for row in found.rows}
    # Regret is straight between forecasts, which are borders of the grid: its sums are exact.
    mean = np.mean([regret(c) for c in middles(0, 1)])
    assert rows["Theorem 2.4"].printed == pytest.approx(mean, rel=1e-12)
    assert rows["Theorem 2.4"].value == pytest.approx(2 * mean, rel=1e-12)
    within = np.mean([regret(c) for c in middles(0.1, 0.5)])
    assert rows["Theorems 3.3, D.5"].value == pytest.approx(within, rel=1e-12)
    benefit = np.mean([0.36 - regret(c) / (1 - c) for c in middles(0.1, 0.5)])
    assert rows["Theorems 3.7, E.2"].value == pytest.approx(benefit, abs=1e-6)
    odds = np.exp(middles(math.log(1 / 9), 0))
    logit = np.mean([regret(o / (1 + o)) for o in odds])
    assert rows["Theorems 3.4, D.6"].value == pytest.approx(logit, abs=1e-4)


def test_the_shifted_score_pays_another_cost_than_its_threshold(found: Errata) -> None:
    row = next(row for row in found.rows if row.where == "Theorem D.10")

    def moved(s: float, mu: float) -> float:
        odds = s / (1 - s) * (1 - mu) / mu
        return odds / (1 + odds)

    grid = middles(0, 1, 20_000)
    printed = np.mean([regret(moved(c, 0.1)) for c in grid])
    corrected = 2 * np.mean([regret(c, moved(c, 0.9)) for c in grid])
    assert row.printed == pytest.approx(printed, abs=1e-5)
    assert row.right == pytest.approx(corrected, abs=1e-4)


def test_the_published_score_prefers_another_forecast_than_the_truth(found: Errata) -> None:
    row = next(row for row in found.rows if row.where == "Appendix G")
    # Odds of 0.2 times nine are those of 9 / 13.
    s = 9 / 13
    assert row.printed == pytest.approx(0.2 * (1 - s) ** 2 + 0.8 * s**2, rel=1e-12)
    assert row.right == pytest.approx(0.16, rel=1e-12)


def test_two_verdicts_are_ordered_differently() -> None:
    found = two_means()
    assert found.bounded_brier == pytest.approx({"first": 0.25, "second": 0.27})
    odds = (math.log(9) - 0.8) / 0.8
    assert found.net_benefit == pytest.approx(
        {"first": 0.3 - 0.05 - 0.2 * odds, "second": 0.3 - 0.22 - 0.05 * odds}
    )
    assert found.net_benefit["first"] < found.net_benefit["second"]
    text = str(found)
    assert " 5 false negatives: bounded Brier 0.250, mean NB -0.099" in text
    assert "22 false negatives: bounded Brier 0.270, mean NB -0.007" in text
