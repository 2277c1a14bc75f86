"""Reports that beat a truth, and the points of the simplex that are searched for them."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from properly import rules
from properly.rules._counterexamples import (
    Prices,
    _gains,
    all_points,
    best_pair,
    expected,
    fraction,
    in_fractions,
    lattice,
    optimised,
    tied,
)
from properly.rules._distance import SquaredMeanError


def beaten(rule: rules.ClassRule, classes: int, denominator: int) -> int:
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
    assert tuple(beaten(rules.PBS(ties=ties), *grid) for grid in grids) == counts


def test_the_log_score_with_ties_as_correct_beats_more_truths() -> None:
    assert beaten(rules.PLL(ties="any_correct"), 2, 24) == 12


def test_the_simplest_pair_is_the_one_of_small_denominators() -> None:
    found = best_pair(Prices(rules.PBS(ties="any_correct"), 2), all_points(2))
    assert found is not None
    assert found.as_fractions() == "truth (2/3, 1/3), report (1/2, 1/2)"
    # Honest: 2/3 * 2/9 + 1/3 * (8/9 + 1/2); a tie costs 1/2 whatever happens.
    assert found.expected_truth == pytest.approx(11 / 18, rel=1e-15)
    assert found.expected_report == 0.5


def test_rounding_does_not_refute() -> None:
    class Noisy(rules.Elementary):
        """A proper rule whose last digits are wrong."""

        def loss_if_event(self, p: Any) -> Any:
            return super().loss_if_event(p) * (1 + 1e-13 * np.sin(1e6 * p))

    assert best_pair(Prices(Noisy(0.25), 2), all_points(2)) is None


@pytest.mark.slow
def test_a_bias_too_small_for_the_grid_is_found_and_rounded() -> None:
    prices = Prices(rules.Shifted(0.49999, form="published"), 2)
    assert best_pair(prices, all_points(2)) is None
    found = optimised(prices, np.random.default_rng(0))
    assert found is not None
    assert found.expected_truth > found.expected_report
    # Both are quotients of small whole numbers, to the last digit.
    assert all("/" in part for part in found.as_fractions().split(", ") if part[-2:] != "0)")


class Tempered(rules.ClassRule):
    """The Brier score of forecasts made a little sharper."""

    propriety = rules.Propriety.IMPROPER
    name = "tempered"

    def range_for(self, classes: int) -> tuple[float, float]:
        del classes
        return 0.0, 2.0

    def classwise(self, p: Any) -> Any:
        sharper = p**1.001
        return rules.Brier().classwise(sharper / sharper.sum(axis=1, keepdims=True))


def test_several_classes_are_optimised_too() -> None:
    prices = Prices(Tempered(), 3)
    assert best_pair(prices, all_points(3)) is None
    found = optimised(prices, np.random.default_rng(0))
    assert found is not None
    assert found.expected_truth - found.expected_report > 1e-12
    truth, report = np.array(found.truth), np.array(found.report)
    # The best report is less sharp than the truth.
    assert 0 < np.abs(truth - report).max() < 0.01
    assert report.max() < truth.max()


@pytest.mark.slow
@pytest.mark.parametrize("rule", [rules.Brier(), rules.Log(), rules.PBS()])
def test_optimising_a_strictly_proper_rule_finds_nothing(rule: rules.ClassRule) -> None:
    assert optimised(Prices(rule, 3), np.random.default_rng(1)) is None


@pytest.mark.parametrize(
    ("rule", "classes", "said"),
    [
        (rules.Misclassification(), 3, "truth (1/2, 1/2, 0), report (1, 0, 0)"),
        (SquaredMeanError(), 3, "truth (0, 1, 0), report (1/2, 0, 1/2)"),
        (rules.Elementary(0.25), 2, "truth (0, 1), report (1/2, 1/2)"),
    ],
)
def test_the_simplest_tie_is_named(
    rule: rules.ClassRule | rules.BinaryRule, classes: int, said: str
) -> None:
    found = tied(Prices(rule, classes))
    assert found is not None
    assert found.as_fractions() == said
    assert found.expected_truth == pytest.approx(found.expected_report, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    "rule",
    [
        rules.Bounded(rules.Brier(), (0.01, 0.99)),
        rules.HistogramWeighted((0, 0.5, 0.51, 1), (1, 0, 1)),
    ],
    ids=repr,
)
def test_a_tie_between_the_points_of_the_grid_is_found_on_the_edge(rule: rules.BinaryRule) -> None:
    found = tied(Prices(rule, 2))
    assert found is not None
    assert found.truth_loss == found.report_loss
    assert found.truth != found.report


@pytest.mark.parametrize(
    "rule", [rules.Brier(), rules.Log(), rules.HistogramWeighted((0, 0.5, 1), (1, 3))], ids=repr
)
def test_a_strictly_proper_rule_has_no_tie(rule: rules.BinaryRule) -> None:
    assert tied(Prices(rule, 2)) is None


REFERENCE = Path(__file__).parents[1] / "reference"


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (11 / 54, "11/54"),
        (0.1 + 0.2, "3/10"),
        (2.0, "2"),
        (0.0, "0"),
        (-1 / 3, "-1/3"),
        (math.log(3), "1.09861"),
        (math.inf, "infinity"),
        (math.nan, "nan"),
    ],
)
def test_numbers_are_written_as_fractions_if_they_are_some(x: float, said: str) -> None:
    assert fraction(x) == said


def test_a_point_near_a_tie_is_written_to_the_last_digit() -> None:
    assert in_fractions([0.5 + 2**-21, 0.5 - 2**-21]) == "(1048577/2097152, 1048575/2097152)"
    assert in_fractions([math.pi / 4, 0.0]) == "(0.7853981633974483, 0)"


def number(x: object) -> float:
    """Read a number of the reference files."""
    return float(x["float"] if isinstance(x, dict) else str(x))


def point(fractions: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([[float(Fraction(x)) for x in fractions]])


def test_expected_losses_are_those_of_the_reference_for_sa_rps() -> None:
    cases = json.loads((REFERENCE / "ordinal" / "sa_rps_propriety.json").read_text("utf-8"))
    for case in cases:
        q, p = point(case["q"]), point(case["minimiser"])
        found = expected(q, Prices(rules.SquaredAbsoluteRPS(), q.shape[1])(np.vstack([q, p])))[0]
        assert found[0] == pytest.approx(number(case["honest_expected_sa_rps"]), abs=1e-12)
        assert found[1] == pytest.approx(number(case["min_expected_sa_rps"]), abs=1e-12)


@pytest.mark.parametrize("ties", ["first", "split", "any_correct", "unique_only"])
def test_expected_losses_are_those_of_the_reference_for_penalties(ties: str) -> None:
    cases = json.loads((REFERENCE / "penalized" / "propriety.json").read_text("utf-8"))
    for case in cases:
        q, p = point(case["q"]), point(case["p"])
        for name, rule in (("pbs", rules.PBS(ties=ties)), ("pll", rules.PLL(ties=ties))):  # type: ignore[arg-type]
            found = expected(q, Prices(rule, q.shape[1])(np.vstack([q, p])))[0]
            said = case["expected"][ties]
            assert found[0] == pytest.approx(number(said[f"{name}_honest"]), abs=1e-12)
            assert found[1] == pytest.approx(number(said[f"{name}_report_p"]), abs=1e-12)


def test_a_rule_for_one_event_prices_the_second_class() -> None:
    found = Prices(rules.Mixture([(1.0, rules.Brier())]), 2)(np.array([[0.75, 0.25]]))
    assert found.tolist() == [[0.0625, 0.5625]]
