"""Points of the simplex in small whole numbers, and what they cost."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly.errors import DataError
from properly.rules import PBS, PLL, Brier, ClassRule, Mixture, Propriety, SquaredAbsoluteRPS
from properly.rules._counterexamples import (
    MOST_CLASSES,
    MOST_POINTS,
    Points,
    Prices,
    all_points,
    as_points,
    edges,
    exact_grids,
    expected,
    far_apart,
    finest,
    fraction,
    in_fractions,
    joined,
    lattice,
    nearest,
    pushed,
    tied_points,
)

REFERENCE = Path(__file__).parents[1] / "reference"


def rows(points: Points) -> list[list[int]]:
    found: list[list[int]] = points.numerator.tolist()
    return found


@pytest.mark.parametrize(("classes", "denominator"), [(2, 24), (3, 12), (4, 8), (5, 6), (30, 2)])
def test_the_grid_is_as_fine_as_all_pairs_allow(classes: int, denominator: int) -> None:
    assert finest(classes) == denominator


@pytest.mark.parametrize(("classes", "denominator"), [(2, 24), (3, 12), (4, 8), (6, 1)])
def test_a_lattice_has_every_multiple_once(classes: int, denominator: int) -> None:
    found = lattice(classes, denominator).p * denominator
    assert len({tuple(row) for row in found.round(9)}) == len(found)
    assert len(found) == math.comb(denominator + classes - 1, classes - 1)
    np.testing.assert_allclose(found, found.round(), atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), denominator)


def test_points_are_in_lowest_terms() -> None:
    found = as_points([[2, 4, 0], [3, 3, 3]])
    assert rows(found) == [[1, 2, 0], [1, 1, 1]]
    assert found.denominator.tolist() == [3, 3]


def test_joined_points_appear_once_with_small_denominators_first() -> None:
    found = joined([as_points([[1, 2], [3, 3]]), as_points([[1, 1], [0, 5], [2, 0], [2, 1]])])
    assert rows(found) == [[1, 0], [0, 1], [1, 1], [2, 1], [1, 2]]


def test_ties_are_of_neighbours_of_both_ends_and_of_all() -> None:
    found = {tuple(row) for row in rows(tied_points(4))}
    ties = {(1, 1, 0, 0), (0, 1, 1, 0), (0, 0, 1, 1), (1, 0, 0, 1), (1, 1, 1, 1)}
    leaning = {(1, 2, 2, 0), (0, 1, 2, 2), (2, 2, 1, 0), (0, 2, 2, 1)}
    assert found == ties | leaning


def test_ends_far_apart_share_alike() -> None:
    found = {tuple(row) for row in rows(far_apart(3))}
    assert found == {(1, 0, 1), (1, 1, 1)}
    assert (1, 0, 1, 1) in {tuple(row) for row in rows(far_apart(4))}
    assert (1, 1, 0, 1) in {tuple(row) for row in rows(far_apart(4))}


def test_a_push_leaves_a_tie_by_a_little() -> None:
    found = pushed(as_points([[1, 1, 0]]), (8,))
    assert [in_fractions(p) for p in found.p] == ["(9/16, 7/16, 0)", "(7/16, 9/16, 0)"]


@pytest.mark.parametrize("classes", [2, 3, 4, 9, MOST_CLASSES])
def test_all_points_are_few_and_hold_what_is_near_a_tie(classes: int) -> None:
    points = all_points(classes)
    assert len(points.p) < 3 * MOST_POINTS
    found = {tuple(row) for row in rows(points)}
    assert (9, 7, *[0] * (classes - 2)) in found
    assert (1,) * classes in found
    assert (points.numerator.sum(axis=1) == points.denominator).all()
    assert (np.diff(points.denominator) >= 0).all()


@pytest.mark.parametrize("classes", [2, 3, 12])
def test_exact_grids_are_not_rounded(classes: int) -> None:
    for denominator, p in exact_grids(classes):
        assert (p * denominator % 1 == 0).all()
        assert (np.cumsum(p, axis=1)[:, -1] == 1).all()


def test_many_classes_still_have_exact_points_of_three() -> None:
    found = dict(exact_grids(12))
    assert list(found) == [1, 2, 8]
    assert (0.5, 0.25, 0.25) in {tuple(row[:3]) for row in found[8]}


def test_an_edge_goes_from_one_class_to_the_next() -> None:
    found = edges(3, steps=2).p
    assert found.tolist() == [
        [1, 0, 0],
        [0.5, 0.5, 0],
        [0, 1, 0],
        [0, 1, 0],
        [0, 0.5, 0.5],
        [0, 0, 1],
    ]


def test_the_largest_remainders_are_rounded_up() -> None:
    found = nearest(np.array([0.62, 0.21, 0.17]), [1, 4, 10])
    assert rows(found) == [[1, 0, 0], [2, 1, 1], [3, 1, 1]]


@given(st.lists(st.integers(0, 50), min_size=2, max_size=6).filter(any), st.integers(1, 200))
def test_rounding_keeps_the_sum_and_is_near(parts: list[int], denominator: int) -> None:
    point = np.array(parts) / sum(parts)
    found = nearest(point, [denominator])
    assert found.p.sum() == pytest.approx(1)
    assert np.abs(found.p[0] - point).max() < 1 / denominator


def test_a_class_that_cannot_happen_costs_nothing() -> None:
    truth = np.array([[1.0, 0.0], [0.5, 0.5]])
    loss = np.array([[2.0, np.inf], [1.0, 3.0]])
    assert expected(truth, loss).tolist() == [[2.0, 1.0], [np.inf, 2.0]]


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
        found = expected(q, Prices(SquaredAbsoluteRPS(), q.shape[1])(np.vstack([q, p])))[0]
        assert found[0] == pytest.approx(number(case["honest_expected_sa_rps"]), abs=1e-12)
        assert found[1] == pytest.approx(number(case["min_expected_sa_rps"]), abs=1e-12)


@pytest.mark.parametrize("ties", ["first", "split", "any_correct", "unique_only"])
def test_expected_losses_are_those_of_the_reference_for_penalties(ties: str) -> None:
    cases = json.loads((REFERENCE / "penalized" / "propriety.json").read_text("utf-8"))
    for case in cases:
        q, p = point(case["q"]), point(case["p"])
        for name, rule in (("pbs", PBS(ties=ties)), ("pll", PLL(ties=ties))):  # type: ignore[arg-type]
            found = expected(q, Prices(rule, q.shape[1])(np.vstack([q, p])))[0]
            said = case["expected"][ties]
            assert found[0] == pytest.approx(number(said[f"{name}_honest"]), abs=1e-12)
            assert found[1] == pytest.approx(number(said[f"{name}_report_p"]), abs=1e-12)


def test_a_rule_for_one_event_prices_the_second_class() -> None:
    found = Prices(Mixture([(1.0, Brier())]), 2)(np.array([[0.75, 0.25]]))
    assert found.tolist() == [[0.0625, 0.5625]]


class Broken(ClassRule):
    propriety = Propriety.STRICT
    name = "broken"

    def __init__(self, value: float) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Broken({self.value})"

    def range_for(self, classes: int) -> tuple[float, float]:
        del classes
        return 0.0, 1.0

    def classwise(self, p: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> object:
        return np.where(p == 1, self.value, 1 - p)


@pytest.mark.parametrize("value", [math.nan, -math.inf])
def test_what_is_not_a_loss_is_refused(value: float) -> None:
    with pytest.raises(DataError) as caught:
        Prices(Broken(value), 3)(np.eye(3))
    assert str(caught.value) == (
        f"a loss must be a number, or infinity; for Broken({value}) the forecast (1, 0, 0) costs "
        f"{value} if class 0 happens"
    )
