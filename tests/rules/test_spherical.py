"""The angle between forecast and outcome."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest

from properly.rules import Propriety, Spherical


def in_many_digits(y: int, row: list[float]) -> float:
    """Return one minus the cosine, from the numbers as they are."""
    with localcontext() as context:
        context.prec = 400
        exact = [Decimal(x) for x in row]
        norm = sum(x * x for x in exact).sqrt()  # type: ignore[union-attr]
        return float(1 - exact[y] / norm)


def test_a_rule_states_its_facts() -> None:
    rule = Spherical()
    assert rule.propriety is rule.propriety_for(2) is rule.propriety_for(7) is Propriety.STRICT
    assert (rule.is_proper, rule.needs_order) == (True, False)
    assert (rule.name, rule.range) == ("spherical", (0, 1))
    assert rule.range_for(2) == rule.range_for(9) == (0, 1)
    assert repr(rule) == "Spherical()"


def test_one_case_costs_what_the_definition_says() -> None:
    p = np.array([0.0, 0.2, 0.5, 1.0])
    np.testing.assert_allclose(
        Spherical().loss([0] * 4, p), 1 - (1 - p) / np.hypot(p, 1 - p), rtol=0, atol=1e-15
    )
    np.testing.assert_allclose(
        Spherical().loss([1] * 4, p), 1 - p / np.hypot(p, 1 - p), rtol=0, atol=1e-15
    )


NEARLY_CERTAIN = [
    [1 - 2e-3, 1e-3, 1e-3],
    [1 - 2e-8, 1e-8, 1e-8],
    [1 - 2.0**-50, 2.0**-50, 0.0],
    [1.0, 1e-17, 3e-20],
    [1.0, 1e-100, 1e-150],
]


@pytest.mark.parametrize("row", NEARLY_CERTAIN, ids=str)
def test_a_nearly_certain_forecast_is_priced_to_the_last_digit(row: list[float]) -> None:
    for y in range(3):
        wanted = in_many_digits(y, row)
        assert wanted > 0
        assert Spherical().loss([y], [row])[0] == pytest.approx(wanted, rel=4e-16)
        # The same for the mean, and for classes in another order.
        assert Spherical()([y], [row]) == pytest.approx(wanted, rel=4e-16)
        assert Spherical().loss([2 - y], [row[::-1]])[0] == pytest.approx(wanted, rel=4e-16)


def test_the_prices_of_every_class_are_rounded_no_worse_than_probabilities_are() -> None:
    p = np.array(NEARLY_CERTAIN)
    wanted = [[in_many_digits(y, row) for y in range(3)] for row in NEARLY_CERTAIN]
    np.testing.assert_allclose(Spherical().classwise(p), wanted, rtol=1e-15, atol=2e-16)
    assert (Spherical().classwise(p) >= 0).all()
    assert (Spherical().entropy(p) >= 0).all()
