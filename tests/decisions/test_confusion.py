"""Counts of decisions by what was true, by hand, by their laws and by scikit-learn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    f1_score,
    precision_score,
    recall_score,
)
from sklearn.metrics import mean_absolute_error as theirs_absolute

from properly.decisions import confusion, expected_cost, macro_f1
from properly.errors import DataWarning

GRADES = ["mild", "moderate", "severe"]
Y, D = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 0]


@st.composite
def decided(draw: st.DrawFn) -> tuple[Any, Any, int, Any]:
    """Draw some cases of up to six classes, of which many may be missing, and weights."""
    classes = draw(st.integers(2, 6))
    rows = draw(st.integers(1, 12))
    number = st.integers(0, classes - 1)
    y, d = (np.array(draw(st.lists(number, min_size=rows, max_size=rows))) for _ in range(2))
    weight = draw(st.lists(st.sampled_from([0, 0.5, 1, 2.25]), min_size=rows, max_size=rows))
    return y, d, classes, np.array([1.0, *weight[1:]])


def test_counts_and_what_is_read_from_them_by_hand() -> None:
    table = confusion(Y, D, 4)
    assert table.counts.tolist() == [[2, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    assert table.counts.dtype == np.int64
    assert table.labels == (0, 1, 2, 3)
    assert table.total == 6
    assert isinstance(table.total, int)
    assert table.accuracy == table.error_rate == 0.5
    np.testing.assert_array_equal(table.recall, [2 / 3, 1 / 2, 0, math.nan])
    np.testing.assert_array_equal(table.precision, [2 / 3, 1 / 2, 0, math.nan])
    np.testing.assert_array_equal(table.f1, [4 / 6, 2 / 4, 0, math.nan])
    # The fourth class has neither cases nor decisions.
    assert table.macro_f1 == pytest.approx((2 / 3 + 1 / 2) / 3, rel=1e-15)
    assert table.mean_absolute_error == pytest.approx((1 + 1 + 2) / 6, rel=1e-15)


def test_a_class_without_cases_and_one_without_decisions() -> None:
    table = confusion([0, 0, 1], [0, 2, 2], 3)
    np.testing.assert_array_equal(table.recall, [0.5, 0, math.nan])
    np.testing.assert_array_equal(table.precision, [1, math.nan, 0])
    # F1 of both is 0 and not undefined: they count in the mean.
    np.testing.assert_array_equal(table.f1, [2 / 3, 0, 0])
    assert table.macro_f1 == pytest.approx(2 / 9, rel=1e-15)


@given(decided())
def test_scikit_learn_counts_the_same(case: Any) -> None:
    y, d, classes, weight = case
    labels = range(classes)
    np.testing.assert_array_equal(
        confusion(y, d, classes).counts, confusion_matrix(y, d, labels=labels)
    )
    weighted = confusion(y, d, classes, weight=weight)
    np.testing.assert_allclose(
        weighted.counts, confusion_matrix(y, d, labels=labels, sample_weight=weight), rtol=1e-15
    )
    theirs = accuracy_score(y, d, sample_weight=weight)
    assert weighted.accuracy == pytest.approx(theirs, rel=1e-14)
    assert weighted.error_rate == pytest.approx(1 - theirs, rel=0, abs=1e-15)


@given(decided())
def test_scikit_learn_has_the_same_shares_where_there_are_any(case: Any) -> None:
    y, d, classes, weight = case
    table = confusion(y, d, classes, weight=weight)
    for ours, score in (
        (table.recall, recall_score),
        (table.precision, precision_score),
        (table.f1, f1_score),
    ):
        theirs = score(
            y, d, labels=range(classes), average=None, sample_weight=weight, zero_division=math.nan
        )
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)


def test_told_the_labels_scikit_learn_counts_a_class_that_is_nowhere_as_zero() -> None:
    y, d = [0, 0, 1, 1], [0, 1, 1, 1]
    ours = macro_f1(y, d, 3)
    theirs = f1_score(y, d, labels=[0, 1, 2], average="macro", zero_division=0)
    assert theirs == pytest.approx(ours * 2 / 3, rel=1e-15)
    assert ours == pytest.approx(f1_score(y, d, average="macro"), rel=1e-15)


def test_text_labels_are_counted_in_the_order_given() -> None:
    y, d = ["severe", "mild", "mild"], ["moderate", "mild", "severe"]
    table = confusion(y, d, GRADES)
    assert table.labels == ("mild", "moderate", "severe")
    np.testing.assert_array_equal(table.counts, confusion_matrix(y, d, labels=GRADES))
    assert table.counts.tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0]]
    assert macro_f1(y, d, GRADES) == pytest.approx(f1_score(y, d, average="macro"), rel=1e-15)
    assert confusion(y, d, GRADES).mean_absolute_error == 1
    # The alphabet would put mild, severe, moderate otherwise.
    assert confusion(y, d, ["moderate", "mild", "severe"]).mean_absolute_error == 1
    assert confusion(y, d, ["mild", "severe", "moderate"]).mean_absolute_error == 2 / 3


def test_steps_are_between_classes_and_not_between_the_numbers_they_are_called() -> None:
    assert confusion([10, 50], [50, 50], [10, 50, 90]).mean_absolute_error == 0.5


@given(decided())
def test_errors_of_grades_are_means_over_the_classes_that_occur(case: Any) -> None:
    y, d, classes, weight = case
    table = confusion(y, d, classes, weight=weight)
    y, d = np.asarray(y), np.asarray(d)
    w = np.ones(len(y)) if weight is None else np.asarray(weight, float)
    some = [k for k in range(classes) if w[y == k].sum() > 0]
    own = [theirs_absolute(y[y == k], d[y == k], sample_weight=w[y == k]) for k in some]
    assert table.absolute_errors[some] == pytest.approx(own, rel=1e-13)
    assert np.isnan(np.delete(table.absolute_errors, some)).all()
    assert table.macro_absolute_error == pytest.approx(np.mean(own), rel=1e-13)
    assert table.greatest_absolute_error == pytest.approx(max(own), rel=1e-13)
    # AMAE is what decisions cost by distance where all classes are equally common.
    equal = expected_cost(y, d, "linear", classes=classes, weight=weight, priors="uniform")
    assert table.macro_absolute_error == pytest.approx(equal, rel=1e-13)
    near = np.average(np.abs(y - d) <= 1, weights=w)
    assert table.accuracy_within_one == pytest.approx(near, rel=1e-13)
    assert table.accuracy <= table.accuracy_within_one <= 1


def test_an_undefined_kappa_of_a_table_points_at_the_line_that_asked() -> None:
    table = confusion([1, 1], [1, 1], 2)
    with pytest.warns(DataWarning, match="kappa is 0 / 0") as said:
        assert math.isnan(table.kappa())
    assert said[0].filename == __file__


@pytest.mark.parametrize("weight", [[2, 0, 1], [2.0, 0.0, 1.0], np.array([2, 0, 1], np.float32)])
def test_whole_weights_are_added_up_exactly(weight: Any) -> None:
    table = confusion([0, 1, 1], [0, 0, 1], 2, weight=weight)
    assert table.counts.tolist() == [[2, 0], [0, 1]]
    assert table.counts.dtype == np.int64
    assert table.total == 3


def test_the_record_as_text() -> None:
    assert repr(confusion(Y, D, 3)) == "Confusion(6 cases in 3 classes, accuracy 0.5)"
    weighted = confusion(Y, D, 3, weight=[0.5, 1, 1, 1, 1, 1000])
    assert repr(weighted) == "Confusion(1,004.50 cases in 3 classes, accuracy 0.002489)"
    assert str(weighted).splitlines()[1:] == [
        "0                  1.5  1  0",
        "1                    0  1  1",
        "2                 1000  0  0",
    ]
    names = ["no", "a long name of a class"]
    many = confusion(names, ["no", "no"], names, weight=[1234, 5])
    assert str(many).splitlines() == [
        "truth \\ decision           no  a long name of a class",
        "no                      1,234                       0",
        "a long name of a class      5                       0",
    ]


def test_labels_that_read_alike_are_told_apart() -> None:
    table = confusion([1, "1"], ["1", "1"], [1, "1"])
    assert str(table).splitlines() == [
        "truth \\ decision  1  '1'",
        "1                 0    1",
        "'1'               0    1",
    ]
    assert table.to_frame("polars")["truth"].to_list() == ["1", "1", "'1'", "'1'"]
