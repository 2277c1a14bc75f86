"""Squared error."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from properly.rules import Brier, Propriety


def test_a_rule_states_its_facts() -> None:
    rule = Brier()
    assert rule.propriety is rule.propriety_for(2) is rule.propriety_for(7) is Propriety.STRICT
    assert (rule.is_proper, rule.needs_order) == (True, False)
    assert (rule.name, rule.range) == ("brier", (0, 1))
    assert repr(rule) == "Brier()"


@pytest.mark.parametrize(
    ("scale", "factors", "name"),
    [
        ("sum", (1, 1, 1), "brier"),
        ("mean", (1 / 2, 1 / 3, 1 / 10), "brier_mean"),
        ("half", (1 / 2, 1 / 2, 1 / 2), "brier_half"),
    ],
)
def test_a_scale_multiplies_the_sum_over_classes(
    scale: str, factors: tuple[float, ...], name: str
) -> None:
    rule = Brier(scale)  # type: ignore[arg-type]
    assert rule.name == name
    for classes, factor in zip((2, 3, 10), factors, strict=True):
        assert rule.factor(classes) == factor
        assert rule.range_for(classes) == (0, 2 * factor)
        p = np.eye(classes)[[0, 1, 1]]
        np.testing.assert_array_equal(rule.loss([0, 0, 1], p), [0, 2 * factor, 0])


def test_one_event_has_no_scale() -> None:
    for scale in ("sum", "mean", "half"):
        rule = Brier(scale)
        assert rule.loss([0, 1], [0.25, 0.25]).tolist() == [0.0625, 0.5625]
        assert rule.range == (0, 1)


@pytest.mark.parametrize("small", [1e-3, 1e-8, 2.0**-40, 2.0**-52])
def test_a_nearly_certain_forecast_of_classes_is_priced_to_the_last_digit(small: float) -> None:
    row = [1 - 2 * small, small, small]
    exact = [Fraction(x) for x in row]
    for y in range(3):
        wanted = sum((x - (k == y)) ** 2 for k, x in enumerate(exact))
        assert Brier().loss([y], [row])[0] == pytest.approx(float(wanted), rel=1e-15)
