"""What a paper on penalised scores prints, what is right, and which of the two we compute.

The paper: R. Ahmadian, M. Ghatee, J. Wahlström, "Superior scoring rules for probabilistic
evaluation of single-label multi-class classification tasks", arXiv:2407.17697, and its published
code. A test is named after the theorem or the algorithm that it corrects or confirms. Slips of
words, and how the experiments were run, are left out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.laws.class_draws import as_floats, expected_table
from tests.laws.class_oracles import grid

from properly.errors import ProperlyError
from properly.rules import PBS, PLL, Brier, Log, Misclassification, Propriety, superior_penalty

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from properly.rules import ClassRule, Penalized

    Make = Callable[..., Penalized]

CLOSE: dict[str, Any] = {"rel": 0, "abs": 1e-13}
CLASSES = [2, 3, 4, 5, 6, 10]
several = pytest.mark.parametrize("c", CLASSES)
both = pytest.mark.parametrize("make", [PBS, PLL])


def price(rule: ClassRule, y: int, *p: float) -> float:
    return float(rule.loss([y], [p])[0])


def uniform(c: int) -> list[float]:
    return [1 / c] * c


# Ties and propriety: theorem 5 and algorithm 1


def beaten(rule: ClassRule, c: int, steps: int) -> NDArray[np.bool_]:
    """Tell for which truths of a grid some other report of it is better."""
    points = as_floats(grid(c, steps))
    table = expected_table(rule, points, points)
    return np.asarray(table.min(axis=1) < table.diagonal() - 1e-12)


GRIDS = [(2, 24), (3, 12), (4, 8)]


@pytest.mark.parametrize(
    ("grid_of", "pbs", "pll"),
    [((2, 24), 10, 12), ((3, 12), 63, 63), ((4, 8), 130, 130)],
    ids=str,
)
def test_algorithm_1_counting_ties_as_right_is_improper(
    grid_of: tuple[int, int], pbs: int, pll: int
) -> None:
    for make, count in ((PBS, pbs), (PLL, pll)):
        assert int(beaten(make(ties="any_correct"), *grid_of).sum()) == count
        assert make(ties="any_correct").propriety is Propriety.IMPROPER


@both
@pytest.mark.parametrize("grid_of", GRIDS, ids=str)
def test_theorem_5_holds_if_ties_are_split_or_broken(make: Make, grid_of: tuple[int, int]) -> None:
    for ties in ("split", "first"):
        rule = make(ties=ties)
        assert not beaten(rule, *grid_of).any()
        assert rule.propriety is Propriety.STRICT
    # If only a single largest probability can be right, tied truths are the ones that are beaten.
    points = as_floats(grid(*grid_of))
    tied = (points == points.max(axis=1, keepdims=True)).sum(axis=1) > 1
    np.testing.assert_array_equal(beaten(make(ties="unique_only"), *grid_of), tied)
    assert make(ties="unique_only").propriety is Propriety.IMPROPER


def test_algorithm_1_a_report_of_ignorance_beats_the_truth() -> None:
    q, rule = [0.36, 0.34, 0.30], PBS(ties="any_correct")
    assert round(float(rule.entropy([q])[0]), 4) == 1.0915
    assert round(float(rule.expected_loss(q, uniform(3))), 4) == 0.6667
    assert PBS().expected_loss(q, uniform(3)) > PBS().entropy([q])[0]


@both
def test_algorithm_1_pools_the_likeliest_classes(make: Make) -> None:
    """Pooling costs their spread and saves the penalty for all but the first of them."""
    q = np.array([0.3, 0.28, 0.26, 0.16])
    rule, size = make(ties="any_correct"), make().penalty_for(4)
    for t in (2, 3):
        pooled = np.concatenate([np.full(t, q[:t].mean()), q[t:]])
        spread = rule.rule.expected_loss(q, pooled) - rule.rule.entropy(q[None, :])[0]
        if make is PBS:
            assert spread == pytest.approx(float(np.sum((q - pooled) ** 2)), **CLOSE)
        gain = rule.entropy(q[None, :])[0] - rule.expected_loss(q, pooled)
        assert gain == pytest.approx(size * q[1:t].sum() - spread, **CLOSE)
        assert gain > 0


@pytest.mark.parametrize(("make", "threshold"), [(PBS, 0.75), (PLL, 0.7729078047806518)])
def test_algorithm_1_of_two_classes_the_truth_loses_below_a_threshold(
    make: Make, threshold: float
) -> None:
    rule = make(ties="any_correct")
    for largest in np.linspace(0.51, 0.99, 49):
        q = [largest, 1 - largest]
        loses = rule.expected_loss(q, [0.5, 0.5]) < rule.entropy([q])[0] - 1e-12
        assert loses == (largest < threshold - 1e-12)
    if make is PLL:  # the entropy of the truth, in bits, is its largest probability
        bits = float(Log().entropy([[threshold, 1 - threshold]])[0]) / math.log(2)
        assert bits == pytest.approx(threshold, **CLOSE)


@both
@several
def test_algorithm_1_has_no_penalty_for_a_constant_uniform_forecast(make: Make, c: int) -> None:
    y, p = np.arange(c), np.array([uniform(c)] * c)
    rule = make(ties="any_correct")
    assert rule(y, p) == pytest.approx(rule.rule(y, p), **CLOSE)
    honest = make()(y, p) - rule.rule(y, p)
    assert honest == pytest.approx(make().penalty_for(c) * (1 - 1 / c), **CLOSE)


@both
def test_equations_38_and_39_the_penalty_is_part_of_the_entropy(make: Make) -> None:
    rule = make()
    for q in as_floats(grid(3, 6)):
        row = q[None, :]
        apart = float(rule.entropy(row)[0] - rule.rule.entropy(row)[0])
        assert apart == pytest.approx(rule.penalty_for(3) * (1 - q.max()), **CLOSE)
        # Printed: no difference; that is so for certain forecasts only.
        assert (apart > 1e-9) == (q.max() < 1)
    quarters = np.array([[0.5, 0.25, 0.25]])
    wanted = 1 - 0.375 + 2 / 3 * 0.5
    assert PBS().entropy(quarters)[0] == pytest.approx(wanted, **CLOSE)


# Superiority: theorems 1 to 4 and 6


@pytest.mark.parametrize("c", [2, 3, 4, 5])
def test_theorems_1_and_2_hold_as_printed(c: int) -> None:
    points = as_floats(grid(c, {2: 61, 3: 61, 4: 21, 5: 12}[c]))
    top = points.max(axis=1)
    alone = (points == top[:, None]).sum(axis=1) == 1
    right, wrong = (points[:, 0] == top) & alone, points[:, 0] < top
    for rule in (Brier(), Log()):
        losses = np.asarray(rule.classwise(points))[:, 0]
        assert (losses[right].max() >= losses[wrong].min()) == (c > 2)


@pytest.mark.parametrize("c", [2, 3, 4, 5])
def test_theorem_3_has_a_short_proof(c: int) -> None:
    points = as_floats(grid(c, 12 if c < 5 else 10))
    right = points[points[:, 0] == points.max(axis=1)]
    losses = np.asarray(Brier().classwise(right))[:, 0]
    # The sum of squares is at most the largest, so the score is at most one less the largest.
    assert (losses <= 1 - right[:, 0] + 1e-15).all()
    assert losses.max() <= (c - 1) / c + 1e-15
    reached = right[losses > (c - 1) / c - 1e-9]
    np.testing.assert_allclose(reached, np.full((len(reached), c), 1 / c), atol=1e-15)
    assert price(Brier(), 0, *uniform(c)) == pytest.approx((c - 1) / c, **CLOSE)
    assert price(Log(), 0, *uniform(c)) == pytest.approx(math.log(c), **CLOSE)


@several
def test_equations_4_and_5_charge_more_than_they_need(c: int) -> None:
    assert PBS().penalty_for(c) == pytest.approx((c - 1) / c, **CLOSE)
    assert PLL().penalty_for(c) == pytest.approx(math.log(c), **CLOSE)
    assert superior_penalty(Brier(), c) == pytest.approx((c - 2) / (2 * c), **CLOSE)
    assert superior_penalty(Log(), c) == pytest.approx(math.log(c / 2), **CLOSE)
    # The best of the wrong ones is not 0, as the printed penalties take it to be.
    step = 1e-7
    wrong = [0.5 - step, 0.5 + step, *[0.0] * (c - 2)]
    least = price(Brier(), 0, *wrong), price(Log(), 0, *wrong)
    assert least == pytest.approx((0.5, math.log(2)), abs=3e-7)
    assert least > (0.5, math.log(2))
    excess = PBS().penalty_for(c) - superior_penalty(Brier(), c)
    assert excess == pytest.approx(0.5, **CLOSE)
    excess = PLL().penalty_for(c) - superior_penalty(Log(), c)
    assert excess == pytest.approx(math.log(2), **CLOSE)


@several
def test_theorem_6_says_nothing_of_ties_that_are_split(c: int) -> None:
    """What is alone at the top and right beats what is not at the top; a tie is neither."""
    share = (c - 1) / c
    step = 1e-9
    barely = [1 / c + (c - 1) * step, *[1 / c - step] * (c - 1)]
    wrong = [0.5 - step, 0.5 + step, *[0.0] * (c - 2)]
    tie = [0.5, 0.5, *[0.0] * (c - 2)]
    for rule in (PBS(), PLL()):
        assert price(rule, 0, *barely) < price(rule, 0, *wrong)
    assert price(PBS(), 0, *uniform(c)) == pytest.approx(share + share**2, **CLOSE)
    assert price(PBS(), 0, *wrong) == pytest.approx(0.5 + share, abs=1e-8)
    assert (price(PBS(), 0, *uniform(c)) > price(PBS(), 0, *wrong)) == (c >= 4)
    assert price(PBS(), 0, *tie) == pytest.approx((1 + share) / 2, **CLOSE)
    assert price(PBS(), 0, *tie) > price(PBS(), 0, *barely)
    assert (price(PLL(), 0, *tie) < price(PLL(), 0, *barely) - 1e-6) == (c >= 5)


# Scales and signs: algorithms 2 and 3


@pytest.mark.parametrize("c", [2, 3, 4, 5])
def test_algorithm_2_and_the_code_have_other_scales_than_equation_4(c: int) -> None:
    points = as_floats(grid(c, 6))
    y = np.zeros(len(points), dtype=int)
    wrong = np.asarray(Misclassification().loss(y, points))
    squares = np.sum((points - np.eye(c)[0]) ** 2, axis=1)
    for scale, wanted in (
        ("sum", squares + (c - 1) / c * wrong),
        ("algorithm2", squares / c + (c - 1) / c**2 * wrong),
        ("published_code", squares / c + (c - 1) / c * wrong),
    ):
        found = PBS(scale=scale).loss(y, points)  # type: ignore[arg-type]
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14)
    # In the code the penalty is c times as heavy, beside the score, as in equation 4.
    heavy = PBS(penalty=float(c - 1)).loss(y, points)
    found = PBS(scale="published_code").loss(y, points)
    np.testing.assert_allclose(c * np.asarray(found), heavy, rtol=0, atol=1e-13)


ORDERED = [
    ("surely right", (0.98, 0.01, 0.01), -0.02),
    ("barely right", (0.4, 0.3, 0.3), -0.92),
    ("nearly right", (0.45, 0.5, 0.05), 0.30),
    ("surely wrong", (0.01, 0.98, 0.01), -3.51),
]


def test_algorithm_3_has_two_wrong_signs() -> None:
    printed, found = [], []
    for _, p, rounded in ORDERED:
        mistake = math.log(1 / 3) if np.argmax(p) else 0.0
        printed.append(math.log(p[0]) - mistake)
        assert round(printed[-1], 2) == rounded
        found.append(price(PLL(), 0, *p))
        assert found[-1] == pytest.approx(-math.log(p[0]) - mistake, **CLOSE)
    assert found == sorted(found)
    assert printed not in (sorted(printed), sorted(printed, reverse=True))


# Appendix 8


def test_equation_16_counts_one_class_too_many() -> None:
    others, c = np.array([0.2, 0.2, 0.1]), 4
    mean = others.mean()
    variance = float(np.sum((others - mean) ** 2))
    squares = price(Brier(), 0, 0.5, *others) - 0.25
    assert squares == pytest.approx(0.09, **CLOSE)
    assert variance + (c - 1) * mean**2 == pytest.approx(squares, **CLOSE)
    assert round(variance + c * mean**2, 4) == 0.1178  # as printed


def test_section_8_1_an_equal_share_does_not_order_right_and_wrong() -> None:
    right, wrong = (0.3, 0.299, 0.299, 0.102), (0.3, 0.31, 0.195, 0.195)
    assert right[0] == wrong[0]
    assert Misclassification().loss([0, 0], [right, wrong]).tolist() == [0, 1]
    found = price(Brier(), 0, *right), price(Brier(), 0, *wrong)
    assert [round(value, 5) for value in found] == [0.67921, 0.66215]
    # Printed: the wrong one has the larger score. With a penalty it has.
    assert found[0] > found[1]
    assert price(PBS(), 0, *right) < price(PBS(), 0, *wrong)
    assert price(PBS(penalty="minimal"), 0, *right) < price(PBS(penalty="minimal"), 0, *wrong)


def test_section_8_2_of_three_classes_a_smaller_share_is_always_worse() -> None:
    points = as_floats(grid(3, 24))
    top = points.max(axis=1)
    losses = np.asarray(Brier().classwise(points))[:, 0]
    right, wrong = points[:, 0] == top, points[:, 0] < top
    smaller = points[wrong, 0][:, None] < points[right, 0][None, :] - 1e-12
    worse = losses[wrong][:, None] > losses[right][None, :]
    assert worse[smaller].all()
    # Of four it is not: the share that is printed, 99.996 %, is of all numbers of classes.
    right4, wrong4 = (0.301, 0.299, 0.299, 0.101), (0.3, 0.31, 0.195, 0.195)
    assert price(Brier(), 0, *right4) > price(Brier(), 0, *wrong4)


def share_of_worse(c: int, pairs: int = 100_000) -> float:
    """Draw pairs of which the wrong one gives more to what happened; tell how often it is worse."""
    rng = np.random.default_rng(c)
    right, wrong = (-np.sort(-rng.dirichlet(np.ones(c), pairs), axis=1) for _ in range(2))
    wrong[:, :2] = wrong[:, 1::-1]  # what happened was thought the second likeliest
    chosen = wrong[:, 0] > right[:, 0]
    losses = [np.asarray(Brier().classwise(rows[chosen]))[:, 0] for rows in (right, wrong)]
    return float(np.mean(losses[1] > losses[0]))


def test_section_8_3_the_share_is_an_artefact_of_the_number_of_classes() -> None:
    # Printed: 63 %, for no stated number of classes. The standard errors are below 0.015.
    shares = [share_of_worse(c) for c in (3, 5, 10)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.68
    assert shares[2] < 0.5


# The published code


def test_the_readme_has_logarithms_to_base_ten() -> None:
    first, second = (0.33, 0.34, 0.33), (0.51, 0.49, 0.0)
    found = price(Log(), 1, *first), price(Log(), 1, *second)
    assert [round(value, 4) for value in found] == [1.0788, 0.7133]
    assert [round(value / math.log(10), 4) for value in found] == [0.4685, 0.3098]
    # The first is right, the second wrong; the scores say the opposite, the penalised ones do not.
    assert Misclassification().loss([1, 1], [first, second]).tolist() == [0, 1]
    for rule in (Brier(), Log()):
        assert price(rule, 1, *first) > price(rule, 1, *second)
    for penalized in (PBS(), PLL()):
        assert price(penalized, 1, *first) < price(penalized, 1, *second)


def test_the_docstrings_of_the_code_have_wrong_numbers() -> None:
    y, p = [1, 0], [[0.1, 0.8, 0.1], [0.6, 0.3, 0.1]]
    found = PBS(ties="any_correct", scale="published_code")(y, p), PLL(ties="any_correct")(y, p)
    assert [round(value, 5) for value in found] == [0.05333, 0.36698]
    assert found != pytest.approx((0.09333, 0.3677), abs=1e-4)


def test_a_test_of_the_code_calls_a_mistake_right() -> None:
    row = (0.1, 0.35, 0.55)
    assert Misclassification().loss([1], [row])[0] == 1
    assert price(PBS(), 1, *row) - price(Brier(), 1, *row) == pytest.approx(2 / 3, **CLOSE)


def test_the_code_loses_small_differences_to_single_precision() -> None:
    for excess in (1e-9, 1e-7, 2**-52):
        row = [0.5 - excess, 0.5 + excess]
        assert price(PBS(), 0, *row) - price(Brier(), 0, *row) == pytest.approx(0.5, **CLOSE)
    single = np.array([[0.5 - 1e-9, 0.5 + 1e-9]], dtype=np.float32)
    # Numbers that were tied when they came are tied.
    assert PBS().loss([0], single)[0] - Brier().loss([0], single)[0] == pytest.approx(0.25)


def test_the_code_misreads_soft_labels() -> None:
    # One way it never penalises, the other way it penalises what is right.
    for rule in (PBS(), PLL(), Brier(), Log()):
        with pytest.raises(ProperlyError):
            rule.loss([[0.9, 0.1]], [[0.6, 0.4]])
    # Whole numbers, which it refuses, are what it is about.
    assert price(PBS(), 0, 0.6, 0.4) == price(Brier(), 0, 0.6, 0.4)


def test_the_code_clips_what_costs_infinity() -> None:
    clipped = -math.log(1e-7) + math.log(3)
    assert round(-math.log(1e-7), 3) == 16.118
    assert price(PLL(), 1, 1.0, 0.0, 0.0) == math.inf
    assert price(PLL(), 1, 1 - 1e-8, 1e-8, 0.0) > clipped
    # Clipped, a report of certainty would beat the truth.
    q = [1 - 1e-8, 1e-8]
    honest = float(Log().entropy([q])[0])
    assert 1e-8 * -math.log(1e-7) < honest
    assert Log().expected_loss(q, [1.0, 0.0]) == math.inf


def test_section_3_accuracy_is_proper_and_not_strictly() -> None:
    assert Misclassification().propriety is Propriety.PROPER
    for c, steps in GRIDS:
        assert not beaten(Misclassification(), c, steps).any()
    other = Misclassification().expected_loss([0.5, 0.3, 0.2], [[0.9, 0.1, 0.0], [0.5, 0.3, 0.2]])
    assert other[0] == other[1]
