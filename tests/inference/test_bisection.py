"""Halving: where a test begins to refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly.inference._shares import HALVINGS, bisect

ENDS = np.array([0.3, 1 / 3, 0.5, 2**-30, 1 - 2**-40, 1e-15])


def test_each_entry_has_its_own_end_to_the_last_digit() -> None:
    found = bisect(lambda x: x > ENDS, np.zeros(6), np.ones(6))
    assert (found <= ENDS).all()
    np.testing.assert_allclose(found, ENDS, rtol=0, atol=2**-53)


def test_the_way_may_lead_down() -> None:
    found = bisect(lambda x: x < ENDS, np.ones(6), np.zeros(6))
    assert (found >= ENDS).all()
    np.testing.assert_allclose(found, ENDS, rtol=0, atol=2**-53)


@pytest.mark.parametrize(("inside", "outside"), [(0.25, 1.0), (0.25, 0.0), (0.1, 0.7)])
def test_what_is_nowhere_refused_ends_outside(inside: float, outside: float) -> None:
    start, end = np.full(3, inside), np.full(3, outside)
    found = bisect(lambda x: np.zeros(x.shape, dtype=bool), start, end)
    np.testing.assert_array_equal(found, end)


def test_an_end_that_alone_is_refused_is_not_reached() -> None:
    found = bisect(lambda x: x >= 1, np.zeros(1), np.ones(1))
    assert found[0] < 1
    assert found[0] == pytest.approx(1, abs=2**-52)


def test_what_is_refused_everywhere_stays_inside() -> None:
    found = bisect(lambda x: np.ones(x.shape, dtype=bool), np.array([0.2, 0.4]), np.zeros(2))
    np.testing.assert_array_equal(found, [0.2, 0.4])


def test_entries_are_asked_about_together() -> None:
    asked: list[Any] = []

    def refused(x: Any) -> Any:
        asked.append(x.shape)
        return x > 0.5

    bisect(refused, np.zeros(1000), np.ones(1000))
    assert asked == [(1000,)] * (HALVINGS + 1)


def test_what_was_handed_in_is_left_alone() -> None:
    inside, outside = np.zeros(2), np.ones(2)
    bisect(lambda x: x > 0.3, inside, outside)
    assert inside.tolist() == [0, 0]
    assert outside.tolist() == [1, 1]
