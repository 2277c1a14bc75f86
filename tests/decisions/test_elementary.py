"""Elementary scores at every threshold at once."""

from __future__ import annotations

import numpy as np

from properly import tally
from properly.decisions._elementary import (
    curve_of,
    effective,
    knots,
    mistakes,
    on_knots,
    outcomes,
    shares,
    shares_at,
)


def test_knots_are_distinct_and_reach_from_zero_to_one() -> None:
    value = np.array([0.2, 0.5])
    np.testing.assert_array_equal(knots(value), [0, 0.2, 0.5, 1])
    np.testing.assert_array_equal(knots(np.array([0.0, 1.0])), [0, 1])
    np.testing.assert_array_equal(knots(value, np.array([0.5, 0.9])), [0, 0.2, 0.5, 0.9, 1])


def test_a_column_is_zero_where_no_forecast_is() -> None:
    knot = np.array([0, 0.2, 0.5, 0.9, 1])
    amount = np.array([3, 4])
    np.testing.assert_array_equal(on_knots(knot, knot[1:3], amount), [0, 3, 4, 0, 0])
    np.testing.assert_array_equal(on_knots(knot, knot[[1, 3]], amount), [0, 3, 0, 4, 0])


def test_rates_that_rounding_made_equal_are_added_up() -> None:
    knot = np.array([0, 0.2, 1])
    spread = on_knots(knot, np.array([0.2, 0.2]), np.array([3, 4]))
    np.testing.assert_array_equal(spread, [0, 7, 0])


def test_at_its_own_forecast_one_acts_and_just_beyond_one_does_not() -> None:
    wrong = mistakes(np.array([1, 2, 4]), np.array([8, 16, 32]))
    np.testing.assert_array_equal(wrong.in_vain, [[7, 6, 4], [6, 4, 0]])
    np.testing.assert_array_equal(wrong.missed, [[0, 8, 24], [8, 24, 56]])


def test_a_knot_without_forecasts_changes_no_curve() -> None:
    found = outcomes(tally([0, 1, 1], [0.2, 0.2, 0.7]))
    few, more = np.array([0, 0.2, 0.7, 1]), np.array([0, 0.1, 0.2, 0.7, 1])
    np.testing.assert_array_equal(curve_of(more, found)[:, [0, 2, 3, 4]], curve_of(few, found))


def test_as_many_effective_cases_as_cases_of_equal_weight() -> None:
    for weight in (None, [0.1] * 5):
        found = outcomes(tally([0, 1, 1, 0, 1], [0.2, 0.2, 0.7, 0.8, 0.9], weight=weight))
        np.testing.assert_allclose(effective(found.total, found.squares), 5, rtol=1e-14)


def test_shares_are_counted_at_knots_and_anywhere() -> None:
    y, p = [0, 1, 0, 1, 0], [0.2, 0.2, 0.7, 0.8, 0.9]
    for weight in (None, [0.5, 2.5, 1.5, 3.0, 0.25]):
        found = outcomes(tally(y, p, weight=weight))
        assert found.weighted == (weight is not None)
        limits, anywhere = shares(found.value, found), shares_at(found.value, found)
        for both, at in zip(limits, anywhere, strict=True):
            np.testing.assert_allclose(np.atleast_2d(both)[0], at, rtol=1e-14)
        beyond = shares_at(np.array([0.21, 0.95]), found)
        np.testing.assert_allclose(beyond.missed, limits.missed[1, [0, -1]], rtol=1e-14)
        np.testing.assert_allclose(beyond.left, limits.left[1, [0, -1]], rtol=1e-14)


def test_how_heavy_those_are_who_were_misjudged() -> None:
    """Events weigh 1/2 and 3/2, the others 5/2 and 1/2: 9 squared over a weight of 5."""
    found = outcomes(tally([1, 0, 1, 0], [0.2, 0.4, 0.6, 0.8], weight=[0.5, 2.5, 1.5, 0.5]))
    assert (found.total, found.squares) == (5, 9)
    at = shares_at(np.array([0.1, 0.3, 0.7, 0.9]), found)
    mean = 9 / 5
    # At first no event is missed; nobody is left, so it would be as heavy as other events are.
    missed = [2.5 / 2, 0.5, 2.5 / 2, 2.5 / 2]
    np.testing.assert_allclose(at.heavy_missed, np.array(missed) / mean, rtol=1e-14)
    # At last nobody is acted upon in vain, nor at all.
    in_vain = [6.5 / 3, 6.5 / 3, 0.5, 6.5 / 3]
    np.testing.assert_allclose(at.heavy_in_vain, np.array(in_vain) / mean, rtol=1e-14)
    # Of those not acted upon, an event that was not seen may be as heavy as a heavier other.
    few = outcomes(tally([0, 1, 0], [0.1, 0.6, 0.8], weight=[4.5, 0.5, 0.5]))
    heavy = shares_at(np.array([0.5]), few).heavy_missed
    np.testing.assert_allclose(heavy, 4.5 * few.total / few.squares, rtol=1e-14)
