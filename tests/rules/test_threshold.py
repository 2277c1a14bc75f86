"""Rules that look at one threshold, or at the likeliest class."""

from __future__ import annotations

import numpy as np
import pytest

from properly.errors import DataError
from properly.rules import Bounded, Elementary, Misclassification


def test_the_repr_is_the_call_that_makes_the_rule() -> None:
    assert repr(Elementary(0.25)) == "Elementary(threshold=0.25)"
    assert hash(Elementary(0.25)) == hash(Elementary(0.25))
    assert Elementary(0.25) != Elementary(0.5)
    assert repr(Misclassification()) == "Misclassification()"


def test_one_event_makes_two_classes_and_no_more() -> None:
    message = r"Elementary\(threshold=0.5\) prices one event, which makes two classes; got 3"
    with pytest.raises(DataError, match=message):
        Elementary(0.5).range_for(3)
    assert Misclassification().range_for(3) == (0, 1)


def test_point_masses_at_the_ends_of_a_range_are_shared_or_half_open() -> None:
    left, right = (Bounded(Misclassification(), w, "integral") for w in ((0.2, 0.5), (0.5, 0.8)))
    assert left.atoms == right.atoms == ((0.5, 1.0),)
    lower, upper = (Bounded(Elementary(0.5), w, "integral") for w in ((0.2, 0.5), (0.5, 0.8)))
    assert (lower.atoms, upper.atoms) == (((0.5, 1.0),), ())


def test_classes_of_the_largest_probability_share_the_hit() -> None:
    p = np.array([[0.5, 0.25, 0.25], [0.375, 0.375, 0.25]])
    np.testing.assert_array_equal(Misclassification().classwise(p), [[0, 1, 1], [0.5, 0.5, 1]])
    even = np.full((1, 4), 0.25)
    np.testing.assert_array_equal(Misclassification().classwise(even), [[0.75] * 4])
    third = np.full((1, 3), 1 / 3)
    assert Misclassification()([2], third) == pytest.approx(2 / 3, rel=1e-15)


def test_ties_are_ties_to_the_last_digit() -> None:
    nearly = np.nextafter(0.5, 0)
    assert Misclassification().loss([0, 1], [[nearly, 0.5], [nearly, 0.5]]).tolist() == [1, 0]
    assert Misclassification().loss([0, 1], [[0.5, 0.5], [0.5, 0.5]]).tolist() == [0.5, 0.5]


def test_single_precision_is_compared_as_it_is() -> None:
    p = np.array([[1 / 3, 1 / 3, 1 / 3], [0.3, 0.3, 0.4]], dtype=np.float32)
    np.testing.assert_allclose(Misclassification().loss([0, 2], p), [2 / 3, 0], rtol=1e-15)
