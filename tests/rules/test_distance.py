"""Rules that grow with the square of the distance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly.rules import Propriety, QuadraticRPS, SquaredAbsoluteRPS
from properly.rules._distance import SquaredMeanError

STRICT, PROPER, IMPROPER = Propriety.STRICT, Propriety.PROPER, Propriety.IMPROPER


@pytest.mark.parametrize(
    ("rule", "two", "more", "largest", "name"),
    [
        (SquaredAbsoluteRPS(), STRICT, IMPROPER, (1, 1, 1), "squared_absolute_rps"),
        (
            SquaredAbsoluteRPS("printed"),
            STRICT,
            IMPROPER,
            (1, 2, 4),
            "squared_absolute_rps_printed",
        ),
        (SquaredMeanError(), STRICT, PROPER, (1, 1, 1), "squared_mean_error"),
        (QuadraticRPS(), STRICT, STRICT, (1.1, 1.1, 1.1), "quadratic_rps[0.1]"),
        (QuadraticRPS(2), STRICT, STRICT, (3, 3, 3), "quadratic_rps[2]"),
    ],
    ids=repr,
)
def test_a_rule_states_its_facts(
    rule: Any, two: Propriety, more: Propriety, largest: tuple[float, ...], name: str
) -> None:
    assert rule.propriety is rule.propriety_for(3) is rule.propriety_for(8) is more
    assert rule.propriety_for(2) is two
    assert rule.is_proper == (more is not IMPROPER)
    assert rule.needs_order
    assert rule.name == name
    for classes, worst in zip((2, 3, 5), largest, strict=True):
        assert rule.range_for(classes) == (0, pytest.approx(worst, rel=1e-15))
        ends = rule.loss([0, classes - 1, 0], np.eye(classes)[[-1, 0, 0]])
        np.testing.assert_allclose(ends, [worst, worst, 0], rtol=1e-15)
    assert rule.range == rule.range_for(2)


# sa-RPS


def test_the_square_of_the_mean_distance_by_hand() -> None:
    p = [[0.25, 0.25, 0.5]] * 3
    distances = np.array([1.25, 0.75, 0.75])
    np.testing.assert_array_equal(SquaredAbsoluteRPS().loss([0, 1, 2], p), (distances / 2) ** 2)
    printed = SquaredAbsoluteRPS("printed").loss([0, 1, 2], p)
    np.testing.assert_array_equal(printed, distances**2 / 2)


# The strictly proper substitute
