"""The example, the constants, ties and formulas, against hand computation."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from reproductions.penalties.constants import Constants, alone, at_ties, constants, pooled, truths
from reproductions.penalties.example import MotivatingExample, example
from reproductions.penalties.scales import Scales, algorithm3, scales
from reproductions.penalties.ties import Share, Ties, best_tie, share, thresholds, treatments

from properly.rules._penalty import likeliest


@pytest.fixture(scope="module")
def bounds() -> Constants:
    return constants()


@pytest.fixture(scope="module")
def ties() -> Ties:
    q = truths(2, 4000, np.random.default_rng(0))
    return Ties(treatments(), thresholds(), (share("PBS", q), share("PLL", q)))


@pytest.fixture(scope="module")
def formulas() -> Scales:
    return scales()


# The introduction


def test_the_losses_of_the_example_by_hand() -> None:
    found = {row.rule: (row.a, row.b) for row in example().rows}
    brier = 0.33**2 + 0.66**2 + 0.33**2, 0.51**2 + 0.51**2
    log = -math.log(0.34), -math.log(0.49)
    assert found == {
        "Brier": pytest.approx(brier),
        "log": pytest.approx(log),
        "PBS": pytest.approx((brier[0], brier[1] + 2 / 3)),
        "PBS, least penalty": pytest.approx((brier[0], brier[1] + 1 / 6)),
        "PLL": pytest.approx((log[0], log[1] + math.log(3))),
        "PLL, least penalty": pytest.approx((log[0], log[1] + math.log(3 / 2))),
    }


def test_a_penalty_turns_the_example_round() -> None:
    found = example()
    assert [row.prefers for row in found.rows] == ["B", "B", "A", "A", "A", "A"]


def test_the_page_of_the_package_takes_logarithms_to_the_base_ten() -> None:
    found = example()
    wanted = -math.log10(0.34), -math.log10(0.49)
    assert (found.base10.a, found.base10.b) == pytest.approx(wanted)
    assert found.readme_is_base10
    assert "These are to the base 10" in str(found)
    natural = MotivatingExample(found.rows, found.rows[1])
    assert "These are not to the base 10" in str(natural)


# The constants


def test_every_bound_is_confirmed(bounds: Constants) -> None:
    assert [row.confirmed for row in bounds.rows] == [True] * 10
    assert "10 of 10 confirmed by a search among 31, 335, 983, 1,019 and 92,416" in str(bounds)


def test_the_constants_are_those_of_the_theorems(bounds: Constants) -> None:
    for row in bounds.rows:
        c = row.classes
        if row.rule == "PBS":
            wanted = (1 - 1 / c, 0.5, 1 - 1 / c, (c - 2) / (2 * c))
        else:
            wanted = (math.log(c), math.log(2), math.log(c), math.log(c / 2))
        found = (row.greatest_correct, row.least_wrong, row.paper, row.minimal)
        assert found == pytest.approx(wanted, abs=1e-12)
        assert row.found_correct == pytest.approx(wanted[0], abs=1e-12)
        assert row.less_fails is (None if c == 2 else True)


def test_each_treatment_of_ties_is_superior_in_its_own_sense(bounds: Constants) -> None:
    for order in bounds.orders:
        if (order.better, order.worse) == ("correct", "wrong"):
            assert set(order.holds.values()) == {True}


@pytest.mark.parametrize(
    ("rule", "better", "worse", "classes"),
    [
        # The uniform forecast costs 1 - 1/c, plus its square; a wrong one nearly 1/2 and 1 - 1/c.
        ("PBS", "tied", "wrong", [2, 3]),
        ("PBS", "correct", "tied", [2, 3, 4, 5, 10]),
        # A tie of two costs ln 2 + ln(c) / 2, a correct forecast at most ln c.
        ("PLL", "correct", "tied", [2, 3, 4]),
        ("PLL", "tied", "wrong", [2]),
    ],
)
def test_shared_ties_are_between_correct_and_wrong_for_few_classes_only(
    bounds: Constants, rule: str, better: str, worse: str, classes: list[int]
) -> None:
    (order,) = (
        o
        for o in bounds.orders
        if (o.rule, o.ties, o.better, o.worse) == (rule, "split", better, worse)
    )
    assert [c for c, holds in order.holds.items() if holds] == classes


def test_laws_at_the_edge_are_laws_beside_a_tie() -> None:
    p = at_ties(3)
    assert np.allclose(p.sum(axis=1), 1)
    assert p.min() == 0
    assert likeliest(p).sum(axis=1).tolist() == [1, 2, 3, 1, 1] * 2
    assert alone(p).any(axis=1).tolist() == [True, False, False, True, True] * 2


# Ties


def test_what_ties_cost_by_hand(ties: Ties) -> None:
    found = {(t.rule, t.ties): t for t in ties.treatments}
    # 1 - |q|^2 and 2/3 of what is not the likeliest.
    honest = 1 - (0.36**2 + 0.34**2 + 0.3**2) + 2 / 3 * 0.64
    for way in ("split", "first", "any_correct", "unique_only"):
        assert found["PBS", way].honest["made"] == pytest.approx(honest)
    report = {way: found["PBS", way].report["made"] for way in ("split", "first", "any_correct")}
    assert report == {
        "split": pytest.approx(2 / 3 + 4 / 9),
        "first": pytest.approx(2 / 3 + 2 / 3 * 0.64),
        "any_correct": pytest.approx(2 / 3),
    }
    tied = 1 - (0.4**2 + 0.4**2 + 0.2**2)
    undone = found["PBS", "unique_only"]
    assert undone.honest["undone"] == pytest.approx(tied + 2 / 3)
    assert undone.report["undone"] == pytest.approx(tied + 2 * 0.01**2 + 2 / 3 * 0.6)


def test_the_truths_on_grids_that_are_beaten(ties: Ties) -> None:
    found = {(t.rule, t.ties): t.beaten for t in ties.treatments}
    assert found == {
        ("PBS", "split"): {2: 0, 3: 0, 4: 0},
        ("PBS", "first"): {2: 0, 3: 0, 4: 0},
        ("PBS", "any_correct"): {2: 10, 3: 63, 4: 130},
        ("PBS", "unique_only"): {2: 1, 3: 7, 4: 25},
        ("PLL", "split"): {2: 0, 3: 0, 4: 0},
        ("PLL", "first"): {2: 0, 3: 0, 4: 0},
        ("PLL", "any_correct"): {2: 12, 3: 63, 4: 130},
        ("PLL", "unique_only"): {2: 1, 3: 7, 4: 25},
    }
    assert ties.treatments[0].truths == {2: 25, 3: 91, 4: 165}


def test_the_search_and_the_library_agree_on_what_is_proper(ties: Ties) -> None:
    assert [t.refuted for t in ties.treatments] == [False, False, True, True] * 2
    assert [t.propriety for t in ties.treatments] == [
        *("strictly proper", "strictly proper", "improper", "improper")
    ] * 2
    assert "In 8 of 8 this agrees" in str(ties)
    wrong = replace(ties.treatments[0], propriety="improper")
    assert "In 0 of 1 this agrees" in str(replace(ties, treatments=(wrong,)))


def test_the_thresholds_of_two_classes(ties: Ties) -> None:
    assert ties.thresholds["PBS"] == pytest.approx(0.75, abs=1e-12)
    # To the digits of an independent computation in forty digits.
    assert ties.thresholds["PLL"] == pytest.approx(0.7729078047806518, abs=1e-12)
    m = ties.thresholds["PLL"]
    assert -m * math.log2(m) - (1 - m) * math.log2(1 - m) == pytest.approx(m, abs=1e-12)


def test_the_shares_of_two_classes_are_the_lengths_below_the_thresholds(ties: Ties) -> None:
    for found in ties.shares:
        exact = 2 * ties.thresholds[found.rule] - 1
        assert abs(found.share - exact) < 4 * found.error
        assert found.error == pytest.approx(math.sqrt(exact * (1 - exact) / 4000), rel=0.05)


def test_the_shares_of_three_classes_are_those_of_a_fine_grid() -> None:
    q = truths(3, 20_000, np.random.default_rng(0))
    # From 4.5 million triangles: 0.77713 and 0.82510.
    for name, exact in (("PBS", 0.77713), ("PLL", 0.82510)):
        found = share(name, q)
        assert abs(found.share - exact) < 4 * found.error


def test_a_tie_is_best_where_the_formula_says_so() -> None:
    q = truths(4, 500, np.random.default_rng(1))
    top = -np.sort(-q, axis=1)
    gains = []
    for t in (2, 3, 4):
        head = top[:, :t]
        loses = np.sum((head - head.mean(axis=1, keepdims=True)) ** 2, axis=1)
        gains.append(0.75 * head[:, 1:].sum(axis=1) - loses)
    wanted = np.where(np.max(gains, axis=0) > 0, np.argmax(gains, axis=0) + 2, 1)
    assert np.array_equal(best_tie("PBS", q), wanted)
    assert set(wanted) == {1, 2, 3, 4}


def test_a_tied_truth_gains_nothing_by_its_own_tie() -> None:
    q = np.array([[0.25, 0.25, 0.25, 0.25], [0.5, 0.5, 0, 0], [0.97, 0.01, 0.01, 0.01]])
    assert best_tie("PBS", q).tolist() == [1, 1, 1]
    assert share("PLL", q) == Share("PLL", 4, 3, 0.0)


def test_pooling_ties_the_largest_and_keeps_the_rest() -> None:
    q = np.array([[0.1, 0.4, 0.2, 0.3]])
    assert pooled(q, 1).tolist() == q.tolist()
    assert pooled(q, 2).tolist() == [[0.1, 0.35, 0.2, 0.35]]
    assert np.unique(pooled(q, 3)[0, 1:]).size == 1
    assert likeliest(pooled(q, 4)).all()


# Equations and algorithms


def test_the_three_scales(formulas: Scales) -> None:
    a, b = 0.6534, 0.5202
    assert [(row.a, row.b) for row in formulas.scales] == [
        pytest.approx((a, b + 2 / 3)),
        pytest.approx((a / 3, b / 3 + 2 / 9)),
        pytest.approx((a / 3, b / 3 + 2 / 3)),
    ]
    assert [row.weight for row in formulas.scales] == pytest.approx([2 / 3, 2 / 3, 2])


def test_algorithm_3_orders_nothing_sensibly(formulas: Scales) -> None:
    wanted = [math.log(0.98), math.log(0.4), math.log(3 * 0.45), math.log(3 * 0.01)]
    assert [row.printed for row in formulas.signs] == pytest.approx(wanted)
    best = formulas.signs[0].forecast
    assert formulas.printed_order[0] != best != formulas.printed_order[-1]
    right = [row.right for row in formulas.signs]
    assert right == sorted(right)
    assert right[-1] == pytest.approx(-math.log(0.01) + math.log(3))


def test_algorithm_3_on_two_rows_is_the_mean_of_both() -> None:
    q, y = np.array([[0.98, 0.01, 0.01], [0.45, 0.5, 0.05]]), np.eye(3)[[0, 0]]
    assert algorithm3(q, y) == pytest.approx((math.log(0.98) + math.log(1.35)) / 2)
    # A tie is not penalized.
    assert algorithm3(np.array([[0.5, 0.5]]), np.eye(2)[:1]) == pytest.approx(math.log(0.5))


def test_every_correction_is_needed_and_right(formulas: Scales) -> None:
    assert [row.where for row in formulas.errata.rows if row.shown] == [
        "Equations 11 to 18",
        "Equations 38 and 39",
        "Algorithm 3",
    ]
    first, second, _ = formulas.errata.rows
    assert (first.value, first.printed) == pytest.approx((0.09, 0.09 + 1 / 36))
    assert (second.value, second.printed) == pytest.approx((0.62 + 1 / 3, 1 - 0.25 - 0.09 - 0.04))


def test_a_wrong_forecast_may_have_the_lower_score_at_equal_probabilities(formulas: Scales) -> None:
    correct = 0.7**2 + 2 * 0.299**2 + 0.102**2
    wrong = 0.7**2 + 0.31**2 + 2 * 0.195**2
    assert formulas.equal == {"correct": pytest.approx(correct), "wrong": pytest.approx(wrong)}
    assert f"has {wrong:.5f}: no." in str(formulas)
    turned = replace(formulas, equal={"correct": wrong, "wrong": correct})
    assert f"has {correct:.5f}: yes." in str(turned)
