"""What is particular to the Brier score with a shifted weight."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly.rules import Brier, Shifted

EPS = float(np.finfo(np.float64).eps)


@pytest.mark.parametrize("form", ["regret", "classweighted", "published"])
def test_without_a_shift_every_form_has_the_slope_of_brier(form: Any) -> None:
    z, y = np.array([-40.0, -1.0, 0.0, 3.0]), np.array([1, 0, 1, 0])
    expected = Brier().logit_slope(y, z)
    got = Shifted(0.5, form).logit_slope(y, z)
    np.testing.assert_allclose(got, expected, rtol=16 * EPS, atol=1e-30)


def test_the_published_form_differentiates_as_it_prices() -> None:
    rule, step = Shifted(0.1, "published"), 1e-6
    p = np.array([0.05, 0.1, 0.4, 0.8])
    for y in (np.zeros(4, int), np.ones(4, int)):
        up, down = (np.asarray(rule.loss(y, p + s)) for s in (step, -step))
        np.testing.assert_allclose(rule.slope(y, p), (up - down) / (2 * step), rtol=1e-8)
        z = np.log(p / (1 - p))
        chain = np.asarray(rule.slope(y, p)) * p * (1 - p)
        np.testing.assert_allclose(rule.logit_slope(y, z), chain, rtol=1e-13)


def test_the_weight_of_the_published_form_is_what_both_mistakes_cost() -> None:
    rule, p = Shifted(0.1, "published"), np.array([0.05, 0.1, 0.4, 0.8])
    ones, zeros = np.ones(4, int), np.zeros(4, int)
    both = np.asarray(rule.slope(zeros, p)) - np.asarray(rule.slope(ones, p))
    np.testing.assert_allclose(rule.weight(p), both, rtol=1e-14)
