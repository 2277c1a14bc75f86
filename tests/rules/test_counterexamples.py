"""Reports that beat a truth: the simplest, the rounded, and ties."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from properly.rules import (
    PBS,
    PLL,
    Bounded,
    Brier,
    ClassRule,
    Counterexample,
    Elementary,
    HistogramWeighted,
    Log,
    Misclassification,
    Propriety,
    Shifted,
    SquaredMeanError,
)
from properly.rules._counterexamples import (
    Points,
    Prices,
    _gains,
    all_points,
    as_points,
    best_pair,
    lattice,
    optimised,
    tied,
)

if TYPE_CHECKING:
    from properly.rules import BinaryRule


def beaten(rule: ClassRule, classes: int, denominator: int) -> int:
    """Count the truths of a grid that some report of the same grid beats."""
    p = lattice(classes, denominator).p
    return int((_gains(Prices(rule, classes), p, p) > 0).any(axis=1).sum())


@pytest.mark.parametrize(
    ("ties", "counts"),
    [
        ("any_correct", (10, 63, 130)),
        ("unique_only", (1, 7, 25)),
        ("split", (0, 0, 0)),
        ("first", (0, 0, 0)),
    ],
)
def test_as_many_truths_are_beaten_as_exact_arithmetic_counts(
    ties: Any, counts: tuple[int, ...]
) -> None:
    grids = ((2, 24), (3, 12), (4, 8))
    assert tuple(beaten(PBS(ties=ties), *grid) for grid in grids) == counts


def test_the_log_score_with_ties_as_correct_beats_more_truths() -> None:
    assert beaten(PLL(ties="any_correct"), 2, 24) == 12


def test_the_simplest_pair_is_the_one_of_small_denominators() -> None:
    found = best_pair(Prices(PBS(ties="any_correct"), 2), all_points(2))
    assert found is not None
    assert found.as_fractions() == "truth (2/3, 1/3), report (1/2, 1/2)"
    # Honest: 2/3 * 2/9 + 1/3 * (8/9 + 1/2); a tie costs 1/2 whatever happens.
    assert found.expected_truth == pytest.approx(11 / 18, rel=1e-15)
    assert found.expected_report == 0.5


def test_of_equally_simple_pairs_the_largest_gap_counts() -> None:
    points = as_points([[1, 1], [2, 1], [1, 2], [3, 2], [9, 7]])
    found = best_pair(Prices(PBS(ties="unique_only"), 2), points)
    assert found is not None
    assert found.as_fractions() == "truth (1/2, 1/2), report (2/3, 1/3)"
    only_near = as_points([[1, 1], [9, 7], [15, 1]])
    near = best_pair(Prices(PBS(ties="unique_only"), 2), only_near)
    assert near is not None
    assert near.report == (9 / 16, 7 / 16)
    assert near.expected_truth - near.expected_report == pytest.approx(1 / 4 - 1 / 128, rel=1e-14)


def test_rounding_does_not_refute() -> None:
    class Noisy(Elementary):
        """A proper rule whose last digits are wrong."""

        def loss_if_event(self, p: Any) -> Any:
            return super().loss_if_event(p) * (1 + 1e-13 * np.sin(1e6 * p))

    assert best_pair(Prices(Noisy(0.25), 2), all_points(2)) is None


def test_a_bias_too_small_for_the_grid_is_found_and_rounded() -> None:
    prices = Prices(Shifted(0.49999, form="published"), 2)
    assert best_pair(prices, all_points(2)) is None
    found = optimised(prices, np.random.default_rng(0))
    assert found is not None
    assert found.expected_truth > found.expected_report
    # Both are quotients of small whole numbers, to the last digit.
    assert all("/" in part for part in found.as_fractions().split(", ") if part[-2:] != "0)")


def test_the_same_draws_find_the_same() -> None:
    prices = Prices(Shifted(0.4999, form="published"), 2)
    first, again = (optimised(prices, np.random.default_rng(0)) for _ in range(2))
    assert first is not None
    assert again == first


class Tempered(ClassRule):
    """The Brier score of forecasts made a little sharper."""

    propriety = Propriety.IMPROPER
    name = "tempered"

    def range_for(self, classes: int) -> tuple[float, float]:
        del classes
        return 0.0, 2.0

    def classwise(self, p: Any) -> Any:
        sharper = p**1.001
        return Brier().classwise(sharper / sharper.sum(axis=1, keepdims=True))


def test_several_classes_are_optimised_too() -> None:
    prices = Prices(Tempered(), 3)
    assert best_pair(prices, all_points(3)) is None
    found = optimised(prices, np.random.default_rng(0))
    assert found is not None
    assert found.expected_truth - found.expected_report > 2**-40
    truth, report = np.array(found.truth), np.array(found.report)
    # The best report is less sharp than the truth.
    assert 0 < np.abs(truth - report).max() < 0.01
    assert report.max() < truth.max()


@pytest.mark.parametrize("rule", [Brier(), Log(), PBS()])
def test_optimising_a_strictly_proper_rule_finds_nothing(rule: ClassRule) -> None:
    assert optimised(Prices(rule, 3), np.random.default_rng(1)) is None


@pytest.mark.parametrize(
    ("rule", "classes", "said"),
    [
        (Misclassification(), 3, "truth (1/2, 1/2, 0), report (1, 0, 0)"),
        (SquaredMeanError(), 3, "truth (0, 1, 0), report (1/2, 0, 1/2)"),
        (Elementary(0.25), 2, "truth (0, 1), report (1/2, 1/2)"),
    ],
)
def test_the_simplest_tie_is_named(rule: ClassRule | BinaryRule, classes: int, said: str) -> None:
    found = tied(Prices(rule, classes))
    assert found is not None
    assert found.as_fractions() == said
    assert found.expected_truth == pytest.approx(found.expected_report, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    "rule",
    [Bounded(Brier(), (0.01, 0.99)), HistogramWeighted((0, 0.5, 0.51, 1), (1, 0, 1))],
    ids=repr,
)
def test_a_tie_between_the_points_of_the_grid_is_found_on_the_edge(rule: BinaryRule) -> None:
    found = tied(Prices(rule, 2))
    assert found is not None
    assert found.truth_loss == found.report_loss
    assert found.truth != found.report


@pytest.mark.parametrize("rule", [Brier(), Log(), HistogramWeighted((0, 0.5, 1), (1, 3))], ids=repr)
def test_a_strictly_proper_rule_has_no_tie(rule: BinaryRule) -> None:
    assert tied(Prices(rule, 2)) is None


def test_infinite_losses_are_kept_where_they_cannot_happen() -> None:
    pair = Counterexample((1.0, 0.0), (0.5, 0.5), (0.0, math.inf), (0.25, 0.25))
    assert (pair.expected_truth, pair.expected_report) == (0.0, 0.25)


def test_both_infinite_is_no_gain() -> None:
    class Endless(ClassRule):
        propriety = Propriety.PROPER
        name = "endless"

        def range_for(self, classes: int) -> tuple[float, float]:
            del classes
            return 0.0, math.inf

        def classwise(self, p: Any) -> Any:
            return np.full(p.shape, np.inf)

    points: Points = lattice(2, 4)
    assert best_pair(Prices(Endless(), 2), points) is None
