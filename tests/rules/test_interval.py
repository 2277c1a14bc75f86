"""Ranges of thresholds."""

import math

import pytest

from properly import Interval


def test_ends_become_floats() -> None:
    assert repr(Interval(0, 1)) == "Interval(lower=0.0, upper=1.0)"


def test_odds_and_costs_say_the_same_as_thresholds() -> None:
    assert Interval.from_odds(1 / 19, 1 / 4) == Interval(0.05, 0.2)
    assert Interval.from_costs(cost=(5, 20), loss=100) == Interval(0.05, 0.2)
    assert Interval.from_costs(cost=10, loss=(50, 200)) == Interval(0.05, 0.2)


def test_the_widest_range_of_costs_pairs_the_least_with_the_greatest() -> None:
    assert Interval.from_costs(cost=(5, 10), loss=(50, 100)) == Interval(0.05, 0.2)
    assert Interval.from_costs(fp=(1, 2), fn=(8, 19)) == Interval(0.05, 0.2)


def test_infinite_odds_are_certainty() -> None:
    assert Interval.from_odds(1, math.inf) == Interval(0.5, 1)


@pytest.mark.parametrize(("threshold", "inside"), [(0.05, True), (0.2, True), (0.21, False)])
def test_both_ends_belong_to_the_range(threshold: float, inside: bool) -> None:
    assert (threshold in Interval(0.05, 0.2)) is inside


def test_a_range_is_a_value() -> None:
    assert len({Interval(0.1, 0.2), Interval(0.1, 0.2)}) == 1


def test_false_alarms_make_thresholds_without_rounding_errors() -> None:
    assert Interval.from_false_alarms(9, 99) == Interval(0.01, 0.1)
    assert Interval.from_false_alarms(0, 1) == Interval(0.5, 1)
    assert Interval.from_false_alarms(19, float("inf")) == Interval(0, 0.05)
