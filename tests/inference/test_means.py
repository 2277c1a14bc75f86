"""Means over rows and over counts are the same means, with the same covariance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly import Cases, tally
from properly.inference._averages import average

RNG = np.random.default_rng(17)
N = 120
P = RNG.choice([0.1, 0.3, 0.6, 0.8], N)
Y = RNG.random(N) < P


def test_a_ratio_that_is_the_same_in_all_cases_is_certain() -> None:
    found = average(Cases(Y, P), lambda y, p: np.stack([3 * (p + y), p + y])).ratio()
    assert found[0] == pytest.approx(3)
    assert found[1] == 0


def test_what_did_not_happen_costs_nothing_in_counts() -> None:
    def endless(y: Any, p: Any) -> Any:
        return np.where(y & (p == 0.1), np.inf, p)[None]

    never = Y & (P > 0.1)
    found = average(tally(never, P), endless)
    assert found.infinite == (0, 0.0)
    assert np.isfinite(found.mean).all()
    some = average(tally(np.ones(N, bool), P), endless, few=False)
    assert some.infinite[0] == (P == 0.1).sum()
    assert some.infinite[1] == pytest.approx((P == 0.1).mean())
