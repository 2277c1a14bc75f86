"""Forecasts kept away from 0 and 1."""

from __future__ import annotations

import math
from typing import Any

import array_api_strict
import numpy as np
import pytest

from properly import Cases, Tally, tally
from properly.errors import ArgumentTypeError, DataError
from properly.probability._power import check_precision, limit, limit_event

Y = [0, 1, 1, 0, 1]
P = [0.0, 0.01, 0.5, 0.99, 1.0]
MOVED = [0.01, 0.01, 0.5, 0.99, 0.99]
ROWS = [[0.98, 0.01, 0.01], [0.6, 0.3, 0.1], [0.0, 0.5, 0.5]]
CLIPPED = np.array([[0.95, 0.05, 0.05], [0.6, 0.3, 0.1], [0.05, 0.5, 0.5]])


def cases_of(x: Tally | Cases, precision: float | None) -> Any:
    return limit(x, precision).cases


@pytest.mark.parametrize("x", [Cases(Y, P), tally(Y, P), Cases([0, 1, 2], ROWS)], ids=repr)
def test_without_a_precision_all_stays_as_it_is(x: Tally | Cases) -> None:
    found = limit(x, None)
    assert found.cases is x
    assert found.clipped == 0


@pytest.mark.parametrize("x", [Cases(Y, P), tally(Y, P), Cases([0, 1, 2], ROWS)], ids=repr)
def test_a_precision_of_zero_moves_nothing(x: Tally | Cases) -> None:
    found = limit(x, 0)
    assert found.clipped == 0
    assert type(found.cases) is type(x)
    name = "p" if isinstance(x, Cases) else "value"
    np.testing.assert_array_equal(getattr(found.cases, name), getattr(x, name))


def test_forecasts_beyond_the_limits_move_to_them_and_those_on_them_stay() -> None:
    found = limit(Cases(Y, P), 0.01)
    assert isinstance(found.cases, Cases)
    assert found.cases.p.tolist() == MOVED
    assert found.cases.y.tolist() == [False, True, True, False, True]
    assert found.clipped == 2


def test_a_tally_pools_what_has_moved_to_one_place() -> None:
    found = limit(tally(Y, P), 0.01)
    assert isinstance(found.cases, Tally)
    assert found.cases.value.tolist() == [0.01, 0.5, 0.99]
    assert found.cases.weight.tolist() == [2, 1, 2]
    assert found.cases.events.tolist() == [1, 1, 1]
    assert found.cases.event_squares is None
    assert found.clipped == 2


def test_a_tally_of_fractions_pools_their_squares() -> None:
    found = limit(tally(Y, P, weight=[0.5, 1.0, 1.0, 1.0, 1.5]), 0.1)
    assert isinstance(found.cases, Tally)
    assert found.cases.value.tolist() == [0.1, 0.5, 0.9]
    assert found.cases.weight.tolist() == [1.5, 1.0, 2.5]
    assert found.cases.event_squares is not None
    assert found.cases.nonevent_squares is not None
    assert found.cases.event_squares.tolist() == [1.0, 1.0, 2.25]
    assert found.cases.nonevent_squares.tolist() == [0.25, 0.0, 1.0]
    assert found.clipped == 4.0


def test_a_tally_that_was_grouped_stays_so() -> None:
    grouped = tally(Y, P, cells=4)
    assert cases_of(grouped, 0.1).cells == 4
    assert cases_of(grouped, None).cells == 4


@pytest.mark.parametrize(
    ("weight", "clipped", "kind"),
    [
        (None, 2, int),
        ([1, 1, 1, 1, 3], 4, int),
        ([2.0, 5.0, 1.0, 1.0, 3.0], 5, int),
        ([0, 1, 1, 1, 3], 3, int),
        ([0.25, 1.0, 1.0, 1.0, 0.5], 0.75, float),
        ([0.0, 0.5, 1.0, 1.0, 0.5], 0.5, float),
    ],
)
def test_cases_are_counted_and_fractions_added_up(weight: Any, clipped: float, kind: type) -> None:
    for x in (Cases(Y, P, weight=weight), tally(Y, P, weight=weight)):
        found = limit(x, 0.01).clipped
        assert found == clipped
        assert type(found) is kind


def test_fractions_that_add_up_to_a_whole_number_are_no_cases() -> None:
    found = limit(tally([0, 1, 1], [0.0, 0.0, 0.5], weight=[0.25, 0.75, 1.0]), 0.1).clipped
    assert found == 1
    assert type(found) is float


def test_a_row_without_weight_moves_but_does_not_count() -> None:
    found = limit(Cases([0, 1], [0.0, 0.5], weight=[0, 1]), 0.2)
    assert isinstance(found.cases, Cases)
    assert found.cases.p.tolist() == [0.2, 0.5]
    assert found.clipped == 0


def test_what_else_is_known_of_the_cases_is_kept() -> None:
    known: dict[str, Any] = {"clusters": ["a", "a", "b"], "time": [3, 1, 2], "groups": [1, 1, 0]}
    found = cases_of(
        Cases([0, 2, 1], ROWS, weight=[1, 2, 3], labels=["x", "y", "z"], **known), 0.05
    )
    for name, column in known.items():
        assert getattr(found, name).tolist() == column
    assert found.weight.tolist() == [1, 2, 3]
    assert found.y.tolist() == [0, 2, 1]
    assert (found.labels, found.classes) == (("x", "y", "z"), 3)


def test_the_original_is_left_alone_and_the_result_cannot_be_written_to() -> None:
    cases = Cases(Y, P)
    found = cases_of(cases, 0.2)
    assert cases.p.tolist() == P
    with pytest.raises(ValueError, match="read-only"):
        found.p[0] = 0.7


# Classes


def test_rows_that_move_are_divided_by_their_sums_and_others_are_not() -> None:
    found = limit(Cases([0, 1, 2], ROWS), 0.05)
    assert isinstance(found.cases, Cases)
    expected = CLIPPED / np.array([[1.05], [1.0], [1.05]])
    np.testing.assert_allclose(found.cases.p, expected, rtol=1e-15)
    assert found.cases.p[1].tolist() == ROWS[1]
    # Two rows have moved, though three of their entries did.
    assert found.clipped == 2


def test_a_row_that_stays_keeps_a_sum_that_is_a_little_off() -> None:
    third = 0.3333333
    found = cases_of(Cases([0, 1], [[third] * 3, [1.0, 0.0, 0.0]]), 0.1)
    assert found.p[0].tolist() == [third] * 3
    np.testing.assert_allclose(found.p[1], np.array([0.9, 0.1, 0.1]) / 1.1, rtol=1e-15)


@pytest.mark.parametrize("classes", [3, 5, 8, 20])
def test_rows_of_the_same_numbers_stay_so_in_any_order(classes: int) -> None:
    rng = np.random.default_rng(classes)
    row = rng.dirichlet(np.full(classes, 0.3))
    order = [rng.permutation(classes) for _ in range(50)]
    found = cases_of(Cases(np.zeros(50, dtype=int), row[np.array(order)]), 0.4 / classes).p
    least = np.sort(found, axis=1)
    np.testing.assert_array_equal(least, np.broadcast_to(least[0], least.shape))
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-15)


def test_weights_of_rows_are_counted_or_added_up() -> None:
    assert limit(Cases([0, 1, 2], ROWS, weight=[2, 7, 3]), 0.05).clipped == 5
    assert limit(Cases([0, 1, 2], ROWS, weight=[0.5, 7, 0.75]), 0.05).clipped == 1.25


def test_two_classes_are_limited_as_an_event_is() -> None:
    p = np.array([0.0, 0.001, 0.3, 0.999])
    two = limit(Cases([0, 1, 1, 0], np.stack([1 - p, p], axis=1)), 0.01)
    one = limit(Cases([0, 1, 1, 0], p), 0.01)
    assert isinstance(two.cases, Cases)
    assert isinstance(one.cases, Cases)
    np.testing.assert_array_equal(two.cases.p[:, 1], one.cases.p)
    assert two.clipped == one.clipped == 3


# Kinds of arrays


def test_single_precision_is_limited_in_double() -> None:
    p = np.array([0.001, 0.25, 0.9999], dtype=np.float32)
    found = limit(Cases([0, 1, 1], p), 0.01)
    assert isinstance(found.cases, Cases)
    assert found.cases.p.dtype == np.float64
    assert found.cases.p.tolist() == [0.01, 0.25, 0.99]
    assert found.clipped == 2
    counted = limit(tally([0, 1, 1], p), 0.01)
    assert isinstance(counted.cases, Tally)
    assert counted.cases.value.tolist() == [0.01, 0.25, 0.99]
    assert counted.clipped == 2


def test_probabilities_alone_are_limited_as_those_of_cases_are() -> None:
    p = np.array([0.0, 0.25, 1.0], dtype=np.float32)
    assert limit_event(p, None) is p
    assert limit_event(p, 0.125).tolist() == [0.125, 0.25, 0.875]
    assert limit_event(p, 0.125).dtype == np.float64


def test_a_tally_in_which_nothing_moves_keeps_its_precision() -> None:
    counted = tally([0, 1], np.array([0.25, 0.75], dtype=np.float32))
    assert limit(counted, 0.01).cases is counted


def test_the_standard_for_arrays_suffices() -> None:
    found = limit(Cases([0, 1, 2], array_api_strict.asarray(ROWS)), 0.05)
    assert isinstance(found.cases, Cases)
    assert isinstance(found.cases.p, type(array_api_strict.asarray(ROWS)))
    expected = cases_of(Cases([0, 1, 2], ROWS), 0.05).p
    np.testing.assert_array_equal(np.asarray(found.cases.p), expected)
    assert found.clipped == 2


@pytest.mark.parametrize("weight", [None, [1, 2, 3, 4, 5], [0.5, 1, 1, 1, 0.25]])
def test_tensors_are_limited_as_arrays_are(weight: Any) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    p = torch.tensor(P, dtype=torch.float64, requires_grad=True)
    given = None if weight is None else torch.tensor(weight)
    for make in (Cases, tally):
        found = limit(make(torch.tensor(Y), p, weight=given), 0.01)
        plain = limit(make(Y, P, weight=weight), 0.01)
        assert found.clipped == plain.clipped
        assert type(found.clipped) is type(plain.clipped)
        name = "p" if isinstance(found.cases, Cases) else "value"
        column = getattr(found.cases, name)
        assert isinstance(column, torch.Tensor)
        assert column.tolist() == getattr(plain.cases, name).tolist()


# Refusals


def test_a_precision_has_no_sign() -> None:
    found = check_precision(-0.0, 2)
    assert found is not None
    assert math.copysign(1, found) == 1
    assert check_precision(None, 2) is None
    assert check_precision(0.25, 2) == 0.25


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_a_precision_must_leave_room_for_the_classes(classes: int) -> None:
    cases = Cases([0], [[1.0] + [0.0] * (classes - 1)])
    almost = 1 / classes - 1e-9
    found = cases_of(cases, almost).p
    assert found.sum() == pytest.approx(1, abs=1e-15)
    assert found.argmax() == 0
    for precision in (1 / classes, 0.6, 1):
        with pytest.raises(DataError, match=f"must be 0 or more and below 1/{classes}, the prob"):
            limit(cases, precision)


@pytest.mark.parametrize("precision", [-0.01, 0.5, 1, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("x", [Cases(Y, P), tally(Y, P)], ids=["cases", "tally"])
def test_an_impossible_precision_is_refused(x: Tally | Cases, precision: float) -> None:
    with pytest.raises(DataError, match="precision must be 0 or more and below 1/2"):
        limit(x, precision)


def test_what_is_no_number_is_refused_as_a_precision() -> None:
    with pytest.raises(ArgumentTypeError, match="the precision must be a number; got '1%'"):
        limit(tally(Y, P), "1%")  # type: ignore[arg-type]


@pytest.mark.parametrize("precision", [None, 0.1])
def test_only_cases_can_be_limited(precision: float | None) -> None:
    with pytest.raises(ArgumentTypeError, match="this needs a Tally or Cases; got list"):
        limit(P, precision)  # type: ignore[arg-type]
