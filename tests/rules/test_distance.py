"""Rules that grow with the square of the distance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from properly.errors import DataError, ProperlyError
from properly.rules import RPS, Propriety, QuadraticRPS, SquaredAbsoluteRPS, SquaredMeanError

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
        (
            SquaredMeanError(normalized=False),
            STRICT,
            PROPER,
            (1, 4, 16),
            "squared_mean_error_sum",
        ),
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


@pytest.mark.parametrize("classes", [1, 0, 2.5])
def test_counts_of_classes_are_checked(classes: Any) -> None:
    for rule in (SquaredAbsoluteRPS(), SquaredMeanError()):
        with pytest.raises(
            DataError,
            match=r"(at least two classes|classes must be a whole number); got",
        ):
            rule.propriety_for(classes)
    for other in (QuadraticRPS(), SquaredMeanError(), SquaredAbsoluteRPS()):
        with pytest.raises(
            DataError,
            match=r"(at least two classes|classes must be a whole number); got",
        ):
            other.range_for(classes)


# sa-RPS


def test_the_square_of_the_mean_distance_by_hand() -> None:
    p = [[0.25, 0.25, 0.5]] * 3
    distances = np.array([1.25, 0.75, 0.75])
    np.testing.assert_array_equal(SquaredAbsoluteRPS().loss([0, 1, 2], p), (distances / 2) ** 2)
    printed = SquaredAbsoluteRPS("printed").loss([0, 1, 2], p)
    np.testing.assert_array_equal(printed, distances**2 / 2)


def test_another_normalization_is_refused() -> None:
    with pytest.raises(DataError, match="normalization must be 'unit' or 'printed'; got 'paper'"):
        SquaredAbsoluteRPS("paper")  # type: ignore[arg-type]


# Squared error of the mean


def test_class_values_are_taken_as_they_are() -> None:
    rule = SquaredMeanError([0, 1, 10])
    assert rule.values == (0.0, 1.0, 10.0)
    assert rule.name == "squared_mean_error[0,1,10]"
    assert rule.loss([0, 1, 2], np.eye(3)).tolist() == [0, 0, 0]
    np.testing.assert_allclose(rule.loss([0, 1], [[0.5, 0, 0.5]] * 2), [0.25, 0.16], rtol=1e-15)
    plain = SquaredMeanError([0, 1, 10], normalized=False)
    np.testing.assert_allclose(plain.loss([0, 1], [[0.5, 0, 0.5]] * 2), [25, 16], rtol=1e-15)
    assert plain.name == "squared_mean_error_sum[0,1,10]"
    assert plain.range_for(3) == (0, 100)


def test_values_shifted_and_stretched_change_nothing_if_normalized() -> None:
    p = np.random.default_rng(4).dirichlet(np.ones(3), 40)
    y = np.arange(40) % 3
    usual = SquaredMeanError([0, 1, 3]).loss(y, p)
    np.testing.assert_allclose(SquaredMeanError([-5, -3, 1]).loss(y, p), usual, rtol=1e-12)


@pytest.mark.parametrize(
    "values",
    [[], [1], [0, 0, 1], [0, 2, 1], [0, math.nan, 1], [0, 1, math.inf], [-math.inf, 0, 1]],
    ids=str,
)
def test_impossible_values_are_refused(values: list[float]) -> None:
    with pytest.raises(DataError, match="values of classes must be two or more, finite and incr"):
        SquaredMeanError(values)


@pytest.mark.parametrize("values", [["a", "b"], [None, 1], 3, "01"], ids=str)
def test_values_that_are_no_numbers_are_refused(values: Any) -> None:
    with pytest.raises(ProperlyError, match="values"):
        SquaredMeanError(values)


def test_values_are_as_many_as_classes() -> None:
    rule, p = SquaredMeanError([0, 1, 10]), np.full((1, 4), 0.25)
    for call in (
        lambda: rule.loss([0], p),
        lambda: rule([0], p),
        lambda: rule.entropy(p),
        lambda: rule.range_for(4),
    ):
        with pytest.raises(DataError, match="must be one value for each of 4 classes; got 3"):
            call()


# The strictly proper substitute


def test_a_share_is_positive_and_finite() -> None:
    for share in (0, -0.1, math.inf, math.nan):
        with pytest.raises(DataError, match="share must be positive and finite; got"):
            QuadraticRPS(share)
    for other in ("0.1", None, [0.1]):
        with pytest.raises(ProperlyError, match="share"):
            QuadraticRPS(other)  # type: ignore[arg-type]
    assert QuadraticRPS(np.float32(0.5)).share == 0.5  # type: ignore[arg-type]
    assert QuadraticRPS(1) == QuadraticRPS(1.0)


def test_names_of_shares_that_differ_differ() -> None:
    close = QuadraticRPS(0.1), QuadraticRPS(0.1 + 1e-9)
    assert close[0] != close[1]
    assert close[0].name != close[1].name


def test_the_sum_of_both_parts() -> None:
    p = np.random.default_rng(4).dirichlet(np.ones(4), 40)
    y = np.arange(40) % 4
    wanted = SquaredMeanError().classwise(p) + 0.3 * RPS().classwise(p)
    np.testing.assert_array_equal(QuadraticRPS(0.3).classwise(p), wanted)
    mean = SquaredMeanError()(y, p) + 0.3 * RPS()(y, p)
    assert QuadraticRPS(0.3)(y, p) == pytest.approx(mean, rel=1e-14)


def test_logits_of_other_classes_than_the_values_are_refused() -> None:
    rule = SquaredMeanError([0, 1, 10])
    y, logits = [0, 1], [[0.5, 1.0], [0.0, 2.0]]
    for ask in (rule.logit_loss, rule.logit_slope):
        with pytest.raises(DataError, match="one value for each of 2 classes; got 3"):
            ask(y, logits)
