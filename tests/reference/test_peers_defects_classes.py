"""What other libraries get wrong about several classes, each met here as a test that ours passes.

They were found by running dlordinal 2.7.0, expected-cost 1.0, scikit-learn 1.9.1, scoringrules
0.10.0 and superior-scoring-rules 1.0.6.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly.errors import DataError, DataWarning
from properly.rules import (
    PBS,
    PLL,
    RPS,
    Brier,
    Log,
    Misclassification,
    Propriety,
    QuadraticRPS,
    RankedLog,
    Spherical,
    SquaredAbsoluteRPS,
)

if TYPE_CHECKING:
    from properly.rules import ClassRule

Y = [0, 1]
P = [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]
RULES: list[ClassRule] = [
    Brier(),
    Log(),
    Spherical(),
    Misclassification(),
    RPS(),
    RankedLog(),
    SquaredAbsoluteRPS(),
    QuadraticRPS(),
    PBS(),
    PLL(),
]


def named(rule: ClassRule) -> str:
    return rule.name


every_rule = pytest.mark.parametrize("rule", RULES, ids=named)


# Outcomes. Elsewhere a class that does not exist is read as none at all, or costs 1; a fraction is
# truncated, and of forecasts without outcomes nothing is said.


@every_rule
def test_outcomes_may_be_numbers_labels_or_rows_with_a_single_1(rule: ClassRule) -> None:
    # Elsewhere rows only, or numbers from 1.
    expected = rule(Y, P)
    assert math.isfinite(expected)
    labels = ["mild", "moderate", "severe"]
    assert rule([[1, 0, 0], [0, 1, 0]], P) == expected
    assert rule(["mild", "moderate"], P, labels=labels) == expected
    assert rule([1, 2], P, labels=[1, 2, 3]) == expected


# Forecasts. Elsewhere rows are rescaled without a word, or in the caller's own array.


def test_rescaling_is_asked_for_and_remembered_and_leaves_the_original_alone() -> None:
    doubled = 2 * np.array(P)
    found = properly.Cases(Y, doubled, normalize=True)
    assert found.normalized
    assert not properly.Cases(Y, P).normalized
    np.testing.assert_allclose(found.p, P, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(doubled, 2 * np.array(P))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_is_written_into_the_forecasts(dtype: Any) -> None:
    rng = np.random.default_rng(4)
    p = rng.dirichlet(np.ones(3), 50).astype(dtype)
    y, before = rng.integers(0, 3, 50), p.copy()
    p.setflags(write=False)
    losses = [rule.loss(y, p) for rule in RULES]
    assert all(loss.shape == (50,) for loss in losses)
    d = properly.decisions.decide(p, "quadratic")
    properly.decisions.retention_study({"rps": losses[4]}, y, p, replicates=3, rng=1)
    assert properly.expected_cost(y, d, classes=3) > 0
    np.testing.assert_array_equal(p, before)


# The logarithm. Elsewhere it is clipped, at a place that depends on the type: one and the same
# forecast costs 36.04 in double precision and 15.94 in single.


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_was_called_impossible_costs_infinity_in_every_type(dtype: Any) -> None:
    p = np.array([[0, 0.5, 0.5], [0.25, 0.25, 0.5]], dtype=dtype)
    np.testing.assert_array_equal(Log().loss([0, 2], p), [math.inf, math.log(2)])
    assert Log()([0, 2], p) == math.inf
    for ties in ("split", "first", "any_correct", "unique_only"):
        assert PLL(ties=ties)([0, 2], p) == math.inf
    at_cuts = (math.log(4 / 3) + math.log(2)) / 2
    np.testing.assert_allclose(RankedLog().loss([0, 2], p), [math.inf, at_cuts], rtol=1e-15)


@pytest.mark.parametrize("tiny", [1e-9, 1e-20, 1e-300])
def test_what_was_called_nearly_impossible_costs_its_logarithm(tiny: float) -> None:
    p = [[tiny, 1 - tiny, 0.0]]
    assert Log()([0], p) == pytest.approx(-math.log(tiny), rel=1e-15)
    assert PLL()([0], p) == pytest.approx(-math.log(tiny) + math.log(3), rel=1e-15)
    assert RankedLog(normalized=False)([0], p) == pytest.approx(-math.log(tiny), rel=1e-15)


# Ties. Elsewhere a class that shares the largest probability is right, whichever it is.


def test_to_be_undecided_is_not_to_be_right() -> None:
    uniform = [[1 / 3, 1 / 3, 1 / 3]]
    for k in range(3):
        assert Misclassification()([k], uniform) == pytest.approx(2 / 3, abs=1e-15)
        assert PBS()([k], uniform) == pytest.approx(2 / 3 + 2 / 3 * 2 / 3, abs=1e-15)
        assert PLL()([k], uniform) == pytest.approx(math.log(3) * (1 + 2 / 3), abs=1e-15)
        # The published way, by its name.
        assert PBS(ties="any_correct")([k], uniform) == pytest.approx(2 / 3, abs=1e-15)


def test_indecision_does_not_pay() -> None:
    truth, uniform = [0.36, 0.34, 0.30], [1 / 3] * 3
    brier = 1 - sum(q * q for q in truth)
    for rule, honest, undecided in (
        (PBS(), brier + 2 / 3 * 0.64, 2 / 3 + 4 / 9),
        (PBS(ties="any_correct"), brier + 2 / 3 * 0.64, 2 / 3),
    ):
        assert rule.expected_loss(truth, truth) == pytest.approx(honest, abs=1e-15)
        assert rule.expected_loss(truth, uniform) == pytest.approx(undecided, abs=1e-15)
    assert PBS().expected_loss(truth, truth) < PBS().expected_loss(truth, uniform)
    assert PBS().propriety is PLL().propriety is Propriety.STRICT
    assert PBS(ties="any_correct").propriety is Propriety.IMPROPER
    assert PLL(ties="unique_only").propriety is Propriety.IMPROPER


@pytest.mark.parametrize("excess", [1e-9, 1e-12, 1e-15])
@pytest.mark.parametrize("ties", ["split", "first", "any_correct", "unique_only"])
def test_the_least_excess_is_an_error_and_not_a_matter_of_single_precision(
    excess: float, ties: Any
) -> None:
    p = [[0.4, 0.4 + excess, 0.2 - excess]]
    assert np.float32(p[0][0]) == np.float32(p[0][1])
    brier = 0.6**2 + 0.4**2 + 0.2**2
    rule = PBS(ties=ties)
    assert rule([0], p) == pytest.approx(brier + 2 / 3, abs=1e-8)
    assert rule([1], p) == pytest.approx(brier, abs=1e-8)
    assert PLL(ties=ties)([0], p) == pytest.approx(math.log(2.5) + math.log(3), abs=1e-8)
    assert Misclassification()([0], p) == 1


def test_a_tolerance_for_ties_is_asked_for_and_costs_propriety() -> None:
    p = [[0.4, 0.4 + 1e-9, 0.2 - 1e-9]]
    brier = 0.6**2 + 0.4**2 + 0.2**2
    rule = PBS(tolerance=1e-6)
    assert rule([0], p) == pytest.approx(brier + 1 / 3, abs=1e-8)
    assert rule([1], p) == pytest.approx(brier + 1 / 3, abs=1e-8)
    assert rule.propriety is Propriety.IMPROPER


def test_what_is_equal_in_single_precision_is_tied_there_as_given() -> None:
    single = np.array([[0.4, 0.4 + 1e-9, 0.2]], dtype=np.float32)
    assert single[0, 0] == single[0, 1]
    brier = 0.6**2 + 0.4**2 + 0.2**2
    assert PBS()([0], single) == pytest.approx(brier + 1 / 3, abs=1e-6)


# Conventions. Elsewhere the Brier score has the factor 1 for three classes and 1/2 for two, and the
# penalized one adds a penalty on the scale of the sum to squares on that of the mean.


def test_the_brier_scale_does_not_depend_on_the_number_of_classes() -> None:
    event, y = np.array([0.1, 0.5, 0.8]), [0, 1, 1]
    two = np.column_stack([1 - event, event])
    three = np.column_stack([two, np.zeros(3)])
    assert Brier()(y, event) == pytest.approx((0.01 + 0.25 + 0.04) / 3, abs=1e-16)
    assert Brier()(y, two) == pytest.approx(2 * Brier()(y, event), rel=1e-15)
    factors = (Brier(), 2.0, 2.0), (Brier("half"), 1.0, 1.0), (Brier("mean"), 1.0, 2 / 3)
    for rule, of_two, of_three in factors:
        assert rule(y, two) == pytest.approx(of_two * Brier()(y, event), rel=1e-15)
        assert rule(y, three) == pytest.approx(of_three * Brier()(y, event), rel=1e-15)


def test_the_three_published_penalized_brier_scores_are_told_apart() -> None:
    y, p = [0], [[0.25, 0.5, 0.25]]
    brier, penalty = 0.75**2 + 0.5**2 + 0.25**2, 2 / 3
    assert PBS()(y, p) == pytest.approx(brier + penalty, rel=1e-15)
    assert PBS(scale="algorithm2")(y, p) == pytest.approx((brier + penalty) / 3, rel=1e-15)
    assert PBS(scale="published_code")(y, p) == pytest.approx(brier / 3 + penalty, rel=1e-15)
    names = {PBS().name, PBS(scale="algorithm2").name, PBS(scale="published_code").name}
    assert len(names) == 3


# Kappa. Elsewhere the classes that occur are numbered anew, which moves them together.


def test_kappa_keeps_the_distances_of_classes_that_do_not_occur() -> None:
    y, d = [0, 0, 1, 4, 4, 0], [0, 1, 4, 4, 4, 0]
    # The mean of (y - d)^2 is 60/36; its mean under chance is (117 + 125 + 16)/36.
    assert properly.quadratic_weighted_kappa(y, d, 5) == pytest.approx(1 - 60 / 258, rel=1e-15)
    # What becomes of it if 4 is called 2.
    near_y, near_d = ([min(k, 2) for k in x] for x in (y, d))
    assert properly.quadratic_weighted_kappa(near_y, near_d, 5) == pytest.approx(25 / 31, rel=1e-15)
    letter_y, letter_d = (["ABCDE"[k] for k in x] for x in (y, d))
    found = properly.quadratic_weighted_kappa(letter_y, letter_d, list("ABCDE"))
    assert found == properly.quadratic_weighted_kappa(y, d, 5)


def test_kappa_of_the_cases_that_are_kept_does_as_well() -> None:
    y, d = [0, 0, 1, 4, 4, 0, 2, 3], [0, 1, 4, 4, 4, 0, 3, 2]
    scores = [1, 1, 1, 1, 1, 1, 2, 2]
    curve = properly.retention_curve(scores, y, d, removed=[0, 0.25], labels=5)
    assert curve.value[1] == pytest.approx(1 - 60 / 258, rel=1e-15)


def test_where_nothing_can_disagree_kappa_is_undefined_aloud() -> None:
    with pytest.warns(DataWarning, match="0 / 0"):
        assert math.isnan(properly.quadratic_weighted_kappa([1, 1], [1, 1], 3))


# Costs. Elsewhere weights count within the classes but not between them, the default matrix has a
# class too few, and a check for negative costs asks whether True is less than 0.


def test_the_number_of_classes_is_not_guessed_from_what_occurs() -> None:
    with pytest.raises(DataError, match="need the number of classes"):
        properly.expected_cost([0, 1, 2], [2, 1, 1], "zero_one")
    assert properly.expected_cost([0, 1, 2], [2, 1, 1], "zero_one", classes=3) == pytest.approx(
        2 / 3, rel=1e-15
    )


def test_a_mistake_that_pays_is_noticed() -> None:
    with pytest.warns(DataWarning, match="should not cost less than the right answer"):
        found = properly.expected_cost([0, 0, 1], [0, 1, 0], [[0, 1], [-1, 0]])
    assert found == 0


# Folds in which some classes do not occur. Elsewhere an error, or columns that stand for others.

GRADES = ["mild", "moderate", "severe", "fatal"]


def fold() -> tuple[list[str], np.ndarray[Any, Any]]:
    """Return cases of the first and the third class, and forecasts of all four."""
    p = np.random.default_rng(6).dirichlet(np.ones(4), 6)
    return ["mild", "severe", "mild", "severe", "severe", "mild"], p


@every_rule
def test_the_mean_of_folds_is_that_of_all(rule: ClassRule) -> None:
    y, p = fold()
    both, others = [*y, "moderate", "fatal"], [[0.1, 0.4, 0.3, 0.2], [0.25, 0.25, 0.15, 0.35]]
    parts = rule(y, p, labels=GRADES), rule(both[6:], others, labels=GRADES)
    whole = rule(both, np.concatenate([p, others]), labels=GRADES)
    assert whole == pytest.approx((6 * parts[0] + 2 * parts[1]) / 8, rel=1e-14)
    numbers = [GRADES.index(label) for label in y]
    assert rule(numbers, p) == parts[0]


def test_tables_and_views_keep_classes_that_do_not_occur() -> None:
    y, p = fold()
    cases = properly.Cases(y, p, labels=GRADES)
    assert (cases.classes, cases.labels) == (4, tuple(GRADES))
    assert list(properly.one_vs_rest(cases)) == GRADES
    assert list(properly.cumulative(cases)) == [
        *(f"{label} or higher" for label in GRADES[1:-1]),
        GRADES[-1],
    ]
    d = properly.decisions.decide(p, labels=GRADES)
    assert properly.decisions.confusion(y, d, GRADES).counts.shape == (4, 4)
    found = properly.decompose(cases, RPS())
    assert found.score == pytest.approx(RPS()(y, p, labels=GRADES), rel=1e-12)
    # Nobody is worse than severe, which everybody can know.
    assert found[GRADES[-1]].uncertainty == 0
