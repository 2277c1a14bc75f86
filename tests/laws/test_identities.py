"""Rules that are the same rule in other words."""

from __future__ import annotations

from decimal import Decimal, localcontext
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly.rules import Bounded, Brier, Elementary, Log, Misclassification, Mixture, Spherical

from .subjects import EPS, RULES, SUBJECTS, Subject, both_outcomes, smooth_points

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.rules import BinaryRule

    Prices = Callable[[Decimal], tuple[Decimal, Decimal]]

Y, P = both_outcomes(np.unique(np.concatenate([np.linspace(0, 1, 101), [0.33333, 0.0166, 1e-12]])))
DENSITIES: list[BinaryRule] = [
    Brier(),
    Log(),
    Spherical(),
    Mixture([(1.0, Brier()), (0.5, Log())]),
]
# Every closed form has been through a handful of operations, each rounded once.
CLOSE: dict[str, Any] = {"rtol": 16 * EPS, "atol": 4 * EPS}


@pytest.mark.parametrize("rule", DENSITIES, ids=repr)
def test_the_integral_over_all_thresholds_is_the_rule_itself(rule: BinaryRule) -> None:
    whole = Bounded(rule, (0, 1), scale="integral")
    np.testing.assert_allclose(whole.loss(Y, P), rule.loss(Y, P), **CLOSE)
    assert whole.propriety is rule.propriety
    assert whole.range == pytest.approx(rule.range, rel=4 * EPS)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_integral_over_all_thresholds_keeps_every_rule(rule: BinaryRule) -> None:
    whole = Bounded(rule, (0, 1), scale="integral")
    np.testing.assert_allclose(whole.loss(Y, P), rule.loss(Y, P), **CLOSE)


def test_misclassification_is_twice_the_regret_at_one_half_but_for_ties() -> None:
    apart = P != 0.5
    np.testing.assert_array_equal(
        Misclassification().loss(Y[apart], P[apart]),
        2 * np.asarray(Elementary(0.5).loss(Y[apart], P[apart])),
    )


@pytest.mark.parametrize("threshold", [0.02, 0.1, 0.3, 0.5, 0.7])
def test_the_elementary_rule_acts_from_its_threshold_on(threshold: float) -> None:
    p = np.array([np.nextafter(threshold, 0), threshold, np.nextafter(threshold, 1)])
    rule = Elementary(threshold)
    np.testing.assert_array_equal(rule.loss(np.zeros(3, int), p), [0, threshold, threshold])
    np.testing.assert_array_equal(rule.loss(np.ones(3, int), p), [1 - threshold, 0, 0])


@pytest.mark.parametrize(("left", "right"), list(pairwise(SUBJECTS)), ids=repr)
def test_a_mixture_is_linear_in_everything(left: Subject, right: Subject) -> None:
    mixture = Mixture([(2.0, left.rule), (0.5, right.rule)])
    y, p = both_outcomes(np.concatenate([smooth_points(left), smooth_points(right)]))

    def mixed(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return 2 * np.asarray(one) + 0.5 * np.asarray(other)

    for method in ("loss_if_event", "loss_if_none", "weight", "entropy"):
        expected = mixed(getattr(left.rule, method)(p), getattr(right.rule, method)(p))
        np.testing.assert_allclose(getattr(mixture, method)(p), expected, **CLOSE)
    z = np.log(p) - np.log1p(-p)
    for method, x in (("loss", p), ("slope", p), ("logit_slope", z)):
        expected = mixed(getattr(left.rule, method)(y, x), getattr(right.rule, method)(y, x))
        np.testing.assert_allclose(getattr(mixture, method)(y, x), expected, **CLOSE)


@pytest.mark.parametrize("rule", DENSITIES, ids=repr)
@given(cuts=st.lists(st.floats(0.001, 0.999), min_size=3, max_size=3, unique=True).map(sorted))
def test_adjacent_ranges_add_up(rule: BinaryRule, cuts: list[float]) -> None:
    low, middle, high = cuts
    left = np.asarray(Bounded(rule, (low, middle), scale="integral").loss(Y, P))
    right = np.asarray(Bounded(rule, (middle, high), scale="integral").loss(Y, P))
    whole = Bounded(rule, (low, high), scale="integral").loss(Y, P)
    np.testing.assert_allclose(left + right, whole, rtol=16 * EPS, atol=8 * EPS)


@pytest.mark.parametrize("rule", DENSITIES, ids=repr)
def test_a_range_of_a_range_is_what_both_share(rule: BinaryRule) -> None:
    inner = Bounded(rule, (0.1, 0.5), scale="integral")
    nested = Bounded(inner, (0.3, 0.9), scale="integral")
    shared = Bounded(rule, (0.3, 0.5), scale="integral")
    np.testing.assert_allclose(nested.loss(Y, P), shared.loss(Y, P), **CLOSE)


def test_a_range_of_a_mixture_is_the_mixture_of_the_ranges() -> None:
    parts: list[tuple[float, BinaryRule]] = [(2.0, Brier()), (0.5, Log()), (3.0, Elementary(0.3))]
    whole = Bounded(Mixture(parts), (0.1, 0.6), scale="integral")
    ranges = [(share, Bounded(rule, (0.1, 0.6), scale="integral")) for share, rule in parts]
    np.testing.assert_allclose(whole.loss(Y, P), Mixture(ranges).loss(Y, P), **CLOSE)


def brier_prices(c: Decimal) -> tuple[Decimal, Decimal]:
    return (1 - c) ** 2, c**2


def log_prices(c: Decimal) -> tuple[Decimal, Decimal]:
    return -c.ln(), -(1 - c).ln()


def spherical_prices(c: Decimal) -> tuple[Decimal, Decimal]:
    norm = (c**2 + (1 - c) ** 2).sqrt()
    return 1 - c / norm, 1 - (1 - c) / norm


def exact_bounded(prices: Prices, y: int, p: float, within: tuple[float, float]) -> Decimal:
    """Return the integral over the range in sixty digits, with the floats taken as they are."""
    low, high = (Decimal(end) for end in within)
    clipped = min(max(Decimal(p), low), high)
    if y == 1:
        return prices(clipped)[0] - prices(high)[0]
    return prices(clipped)[1] - prices(low)[1]


def exact_mass(prices: Prices, within: tuple[float, float]) -> Decimal:
    """Return the mass of the weight, which is the derivative of (if none) - (if event)."""
    (event_low, none_low), (event_high, none_high) = (prices(Decimal(end)) for end in within)
    return (none_high - event_high) - (none_low - event_low)


PRICED = [
    # The mean of Brier divides by b - a, half of the mass of its weight.
    pytest.param(Brier(), brier_prices, 2.0, id="Brier()"),
    pytest.param(Log(), log_prices, 1.0, id="Log()"),
    pytest.param(Spherical(), spherical_prices, 1.0, id="Spherical()"),
]
RANGES = [
    (0.1, 0.1 + 1e-9),
    (0.5, 0.5 + 1e-12),
    (0.999, 0.999 + 1e-9),
    (1e-9, 2e-9),
    (1 - 2e-9, 1 - 1e-9),
    (1e-12, 0.7),
    (0.3, 1 - 1e-12),
    (0.0166, 0.03),
    (0.05, 0.2),
    (0.1, 0.9),
]


@pytest.mark.parametrize("within", RANGES, ids=repr)
@pytest.mark.parametrize(("rule", "prices", "halves"), PRICED)
@pytest.mark.parametrize("scale", ["mean", "integral"])
def test_a_range_however_narrow_keeps_every_digit(
    rule: BinaryRule,
    prices: Prices,
    halves: float,
    within: tuple[float, float],
    scale: Literal["mean", "integral"],
) -> None:
    low, high = within
    inside = [low + share * (high - low) for share in (0.25, 0.5, 0.75)]
    bounded = Bounded(rule, within, scale=scale)
    y, p = both_outcomes(np.array([0.0, low, *inside, high, 1.0]))
    with localcontext() as context:
        context.prec = 60
        divisor = exact_mass(prices, within) / Decimal(halves) if scale == "mean" else Decimal(1)
        expected = [
            float(exact_bounded(prices, int(one), float(forecast), within) / divisor)
            for one, forecast in zip(y, p, strict=True)
        ]
    # Nothing absolute: a narrow range has small integrals, and they must be right too.
    np.testing.assert_allclose(bounded.loss(y, p), expected, rtol=16 * EPS, atol=0)
