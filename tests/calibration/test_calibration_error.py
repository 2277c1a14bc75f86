"""Binned calibration errors."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from properly import Cases, Tally, tally, top_label
from properly.calibration import calibration_error

CLASSES = ([0, 2, 1, 1], [[0.5, 0.25, 0.25], [0.0, 0.0, 1.0], [0.5, 0.25, 0.25], [0.2, 0.7, 0.1]])


def drawn(n: int = 300) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(8)
    p = rng.beta(1, 2, n).round(2)
    return rng.random(n) < p**1.3, p, rng.exponential(size=n)


def test_errors_by_hand() -> None:
    # Bins [0.2, 0.3], [0.6] and [0.9, 1]: rates 0, 1 and 1/2, mean forecasts 0.25, 0.6 and 0.95.
    found = calibration_error(tally([0, 0, 1, 0, 1], [0.2, 0.3, 0.6, 0.9, 1.0]), bins=3)
    assert found.expected == pytest.approx((2 * 0.25 + 0.4 + 2 * 0.45) / 5)
    assert found.maximum == pytest.approx(0.45)
    assert found.maximum_cases == 2
    assert found.squared == pytest.approx((2 * 0.25**2 + 0.4**2 + 2 * 0.45**2) / 5)
    # The bin of one case says nothing about chance.
    assert found.debiased == pytest.approx((2 * 0.25**2 + 2 * (0.45**2 - 0.25)) / 5)
    spreads = [math.sqrt(n * x * (1 - x)) for n, x in ((2, 0.25), (1, 0.6), (2, 0.95))]
    assert found.expected_if_calibrated == pytest.approx(math.sqrt(2 / math.pi) * sum(spreads) / 5)
    assert found.classes is None


def test_the_debiased_square_may_be_negative() -> None:
    far = calibration_error(Tally.from_counts([0.5], [100], [90]), bins=5)
    assert far.debiased == pytest.approx(0.16 - 0.09 / 99)
    near = calibration_error(Tally.from_counts([0.5], [100], [50]), bins=5)
    assert near.debiased == pytest.approx(-0.25 / 99)


def test_certainty_is_no_bin_of_its_own() -> None:
    found = calibration_error(tally([1, 0], [0.95, 1.0]), bins=10)
    assert len(found.bins) == 1
    assert found.expected == pytest.approx(0.475)


@pytest.mark.parametrize("weight", [None, [1.0, 2.5, 0.5, 1.0], [2, 1, 3, 3]])
def test_debiased_squares_are_right_on_average(weight: list[float] | None) -> None:
    # All outcomes of four events of probability 0.3, which were forecast with 0.4.
    mean = 0.0
    for y in product([0, 1], repeat=4):
        found = calibration_error(Cases(y, [0.4] * 4, weight=weight))
        mean += found.debiased * 0.3 ** sum(y) * 0.7 ** (4 - sum(y))
    assert mean == pytest.approx(0.1**2, abs=1e-15)


def test_fractions_in_a_tally_have_effective_cases() -> None:
    y, p, weight = drawn()
    cases = Cases(y, p, weight=weight)
    for scheme in ("width", "count"):
        one, other = (calibration_error(x, scheme=scheme) for x in (cases, cases.tally()))
        assert one.debiased == pytest.approx(other.debiased, rel=1e-12)
        assert one.expected_if_calibrated == pytest.approx(other.expected_if_calibrated, rel=1e-12)


def test_what_calibrated_forecasts_have_is_about_right() -> None:
    rng = np.random.default_rng(5)
    p = rng.random(2000)
    found = [calibration_error(tally(rng.random(2000) < p, p)) for _ in range(100)]
    mean = np.mean([record.expected for record in found])
    assert mean == pytest.approx(found[0].expected_if_calibrated, rel=0.05)


def test_of_classes_the_likeliest_alone_is_judged() -> None:
    cases = Cases(*CLASSES)
    found, alone = calibration_error(cases), calibration_error(top_label(cases))
    assert found.classes == 3
    assert found.to_dict() == alone.to_dict() | {"classes": 3}
    assert str(found).startswith(str(alone))
    told = "Of 3 classes the likeliest of each case is judged; the others are ignored."
    assert str(found).endswith(told)


@pytest.mark.parametrize("scheme", ["width", "count"])
@pytest.mark.parametrize("bins", [1, 4, 20])
def test_the_error_on_the_whole_bounds_those_of_bins(bins: int, scheme: Any) -> None:
    y, p, weight = drawn()
    found = calibration_error(Cases(y, p, weight=weight), bins=bins, scheme=scheme)
    gap = np.average(y, weights=weight) - np.average(p, weights=weight)
    assert abs(gap) <= found.expected + 1e-15
    assert found.expected <= found.maximum + 1e-15


def test_what_is_wrong_with_binned_errors_is_told() -> None:
    found = calibration_error(tally([0, 0, 1, 0, 1], [0.2, 0.3, 0.6, 0.9, 1.0]), bins=3)
    first, *rest = str(found).replace("\n  ", " ").splitlines()
    usual = "calibrated forecasts would have about 0.2251."
    assert first == f"Expected calibration error 0.36 in 3 filled bins of equal width; {usual}"
    assert rest == [
        "Greatest error 0.45, in a bin of 2 cases.",
        "Squared error 0.138, 0.006 without its bias.",
        (
            "Chance makes binned errors too large, averaging within bins makes them too small, "
            "and another number of bins makes another number."
        ),
    ]
    assert repr(found) == "CalibrationError(0.36 in 3 filled bins of equal width)"
