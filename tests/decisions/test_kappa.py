"""Agreement beyond chance, by hand, by its laws and by scikit-learn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from properly import decisions
from properly.decisions._confusion import kappa_of
from properly.errors import DataError, DataWarning

if TYPE_CHECKING:
    from collections.abc import Callable

GRADES = ["mild", "moderate", "severe", "fatal"]
NAMED: tuple[Literal["linear", "quadratic"], ...] = ("linear", "quadratic")


@st.composite
def decided(draw: st.DrawFn) -> tuple[Any, Any, int, Any]:
    """Draw some cases of up to six classes, not all of one, and weights, some of them 0."""
    classes = draw(st.integers(2, 6))
    rows = draw(st.integers(2, 30))
    number = st.integers(0, classes - 1)
    y, d = (np.array(draw(st.lists(number, min_size=rows, max_size=rows))) for _ in range(2))
    y[0], y[1] = 0, classes - 1
    weight = draw(st.lists(st.sampled_from([0, 0.5, 1, 2.25, 7]), min_size=rows, max_size=rows))
    return y, d, classes, np.array([1.0, 0.5, *weight[2:]])


def test_kappa_by_hand() -> None:
    y, d = [0, 1, 2, 2], [0, 2, 1, 2]
    # Two of four cases are off by 1. Rows and columns sum to 1, 1, 2: by chance the distances of
    # 0 and 1, of 0 and 2, of 1 and 2, each of them both ways, sum to 2 (1 + 2 * 2 + 2) / 4.
    assert decisions.weighted_kappa(y, d, 3, "linear") == pytest.approx(1 - 2 / (14 / 4), rel=1e-15)
    assert decisions.quadratic_weighted_kappa(y, d, 3) == pytest.approx(1 - 2 / (22 / 4), rel=1e-15)
    assert decisions.weighted_kappa(y, d, 3) == decisions.quadratic_weighted_kappa(y, d, 3)


@given(decided())
def test_one_minus_quadratic_kappa_is_a_ratio_of_squared_distances(case: Any) -> None:
    y, d, classes, weight = case
    mean = [float(np.average(x, weights=weight)) for x in (y, d)]
    variance = [
        float(np.average((x - m) ** 2, weights=weight)) for x, m in zip((y, d), mean, strict=True)
    ]
    by_chance = sum(variance) + (mean[0] - mean[1]) ** 2
    observed = decisions.expected_cost(y, d, "quadratic", classes=classes, weight=weight)
    kappa = decisions.quadratic_weighted_kappa(y, d, classes, weight=weight)
    assert 1 - kappa == pytest.approx(observed / by_chance, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("weights", NAMED)
@given(case=decided())
def test_scikit_learn_agrees_if_it_is_told_the_labels(
    weights: Literal["linear", "quadratic"], case: Any
) -> None:
    y, d, classes, weight = case
    theirs = cohen_kappa_score(y, d, labels=range(classes), weights=weights, sample_weight=weight)
    ours = decisions.weighted_kappa(y, d, classes, weights, weight=weight)
    assert ours == pytest.approx(theirs, rel=0, abs=1e-12)


def test_many_tables_have_the_kappas_of_each_and_nan_for_nothing_over_nothing() -> None:
    rng = np.random.default_rng(3)
    tables, weights = rng.integers(0, 9, (2, 5, 3, 3)), np.array([[0, 1, 5], [2, 0, 1], [9, 3, 0]])
    tables[1, 4] = np.diag([0, 8, 0])
    found = kappa_of(tables, weights)
    assert found.shape == (2, 5)
    for k in np.ndindex(2, 5):
        np.testing.assert_array_equal(found[k], kappa_of(tables[k], weights))
    assert np.isnan(found).nonzero()[0].tolist() == [1]


def test_a_class_that_nobody_saw_keeps_the_others_apart() -> None:
    y, d = [0, 0, 1, 3, 3], [0, 1, 1, 1, 3]
    ours = decisions.quadratic_weighted_kappa(y, d, 4)
    assert ours == pytest.approx(
        cohen_kappa_score(y, d, labels=[0, 1, 2, 3], weights="quadratic"), abs=1e-15
    )
    # Without labels scikit-learn numbers the classes it sees: 3 becomes 2, next to 1.
    assert abs(ours - cohen_kappa_score(y, d, weights="quadratic")) > 0.01


def test_labels_are_classes_in_the_order_given() -> None:
    y = ["mild", "severe", "fatal", "mild", "moderate"]
    d = ["mild", "moderate", "fatal", "severe", "moderate"]
    numbers = [GRADES.index(x) for x in y], [GRADES.index(x) for x in d]
    ours = decisions.quadratic_weighted_kappa(y, d, GRADES)
    assert ours == decisions.quadratic_weighted_kappa(*numbers, 4)
    assert ours == pytest.approx(
        cohen_kappa_score(y, d, labels=GRADES, weights="quadratic"), abs=1e-15
    )
    assert ours != decisions.quadratic_weighted_kappa(y, d, sorted(GRADES))
    assert ours == decisions.quadratic_weighted_kappa(y, d, (label for label in GRADES))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda: decisions.quadratic_weighted_kappa([1, 1], [1, 1], 3),
        lambda: decisions.weighted_kappa(["b", "b"], ["b", "b"], ["a", "b"], "linear"),
        # What is left after the case without weight.
        lambda: decisions.quadratic_weighted_kappa([1, 1, 0], [1, 1, 2], 3, weight=[1, 1, 0]),
    ],
)
def test_kappa_is_undefined_where_chance_cannot_disagree(call: Callable[[], float]) -> None:
    with pytest.warns(DataWarning, match=r"^kappa is 0 / 0 where chance cannot disagree") as said:
        assert math.isnan(call())
    # It points at the line that asked.
    assert [warning.filename for warning in said] == [__file__]


FLEISS = [[44, 5, 1], [7, 20, 3], [9, 5, 6]]


@pytest.mark.parametrize(("power", "cost"), [(0, "zero_one"), (1, "linear"), (2, "quadratic")])
@pytest.mark.parametrize("counts", [FLEISS, [[5, 2], [1, 9]], [[3, 0, 1], [0, 0, 0], [2, 2, 8]]])
def test_the_standard_error_is_that_of_statsmodels(counts: Any, power: int, cost: Any) -> None:
    k = len(counts)
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(float)
    weights = np.where(steps == 0, 0, steps**power)
    theirs = cohens_kappa(np.array(counts), weights=weights)
    table = decisions.Confusion(np.array(counts), tuple(range(k)))
    found = table.kappa_interval(cost)
    assert found.value == pytest.approx(theirs.kappa, rel=1e-12)
    assert found.standard_error == pytest.approx(theirs.std_kappa, rel=1e-12)
    # What is left of one, on the scale of logarithms, with Student's t.
    n, left = np.sum(counts), 1 - theirs.kappa
    step = np.exp(student.ppf(0.975, n - 1) * theirs.std_kappa / left)
    assert found.interval == pytest.approx((1 - left * step, 1 - left / step), rel=1e-11)
    assert found.value == table.kappa(cost) == table.kappa(weights)
    assert (found.cases, found.degrees, found.level) == (n, n - 1, 0.95)


def test_the_standard_error_is_that_of_leaving_cases_out() -> None:
    table = 20 * np.array(FLEISS)
    n = table.sum()
    weights = np.subtract.outer(np.arange(3), np.arange(3)) ** 2
    left = [
        (kappa_of(table - one.reshape(3, 3), weights), times)
        for one, times in zip(np.eye(9, dtype=int), table.ravel(), strict=True)
    ]
    kappas, times = np.array(left).T
    jackknife = math.sqrt((n - 1) / n * times @ (kappas - times @ kappas / n) ** 2)
    found = decisions.Confusion(table, (0, 1, 2)).kappa_interval()
    assert found.standard_error == pytest.approx(jackknife, rel=2e-3)


def test_where_kappa_has_no_interval() -> None:
    agreed = decisions.confusion([0, 1, 1], [0, 1, 1], 2).kappa_interval()
    assert (agreed.value, agreed.standard_error) == (1, 0)
    assert np.isnan(agreed.interval).all()
    alike = decisions.confusion([1, 1], [1, 1], 2).kappa_interval()
    assert np.isnan([alike.value, alike.standard_error, *alike.interval]).all()
    with pytest.raises(DataError) as told:
        decisions.confusion([0, 1], [0, 1], 2, weight=[0.5, 1]).kappa_interval()
    assert str(told.value) == (
        "an interval of kappa needs counts of cases; got weights that are not whole\n\n"
        "Hint: what fractions of cases add up to does not say how many cases there were."
    )
