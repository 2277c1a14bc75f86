"""Labels of groups: plain, in one order, and the same whichever comes first."""

from __future__ import annotations

import datetime as dt

import numpy as np

from properly.engines._summary import in_order, joined, plain_labels


def test_labels_of_numpy_become_those_of_python() -> None:
    found = plain_labels([np.int64(3), np.float64(-0.0), np.bool_(True), np.str_("b"), "a"])
    assert [type(x) for x in found] == [int, float, bool, str, str]
    assert str(found) == "[3, 0.0, True, 'b', 'a']"


def test_numbers_come_before_text() -> None:
    parts = dict.fromkeys(["b", 2, "a", 1.5, True])
    assert list(in_order(parts)) == [True, 1.5, 2, "a", "b"]
    dates = dict.fromkeys([dt.date(2024, 2, 1), dt.date(2024, 1, 1)])
    assert list(in_order(dates)) == sorted(dates)


def test_parts_of_equal_labels_are_added() -> None:
    one, other = {"a": 1, True: 3}, {"a": 10, 1: 20, "b": 30}
    for found in (joined(one, other), joined(other, one)):
        assert found == {1: 23, "a": 11, "b": 30}
        assert [type(x) for x in found] == [int, str, str]
