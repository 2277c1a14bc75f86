"""The mean difference of two forecasts, followed case by case."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from properly.comparison import running_difference
from properly.errors import ArgumentTypeError, DataError
from properly.rules import RPS, Brier, Log

Column = np.ndarray[Any, Any]


def drawn(n: int = 400, seed: int = 3) -> tuple[Column, Column, Column]:
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return rng.random(n) < p, p, np.clip(p + rng.normal(scale=0.2, size=n), 0.02, 0.98)


def test_intervals_by_hand() -> None:
    y, first, second = drawn(120)
    found = running_difference(y, first, second, Brier(), level=0.9, tightest=100)
    difference = Brier().loss(y, first) - Brier().loss(y, second)
    assert found.cases.tolist() == list(range(50, 121))
    rho = (2 * math.log(10) + math.log(1 + 2 * math.log(10))) / 100
    for n in (50, 83, 120):
        mean, spread = difference[:n].mean(), difference[:n].std(ddof=1)
        share = 2 * (n * rho + 1) / (n**2 * rho) * math.log(math.sqrt(n * rho + 1) / 0.1)
        assert found.mean[n - 50] == pytest.approx(mean, abs=1e-14)
        assert found.upper[n - 50] == pytest.approx(mean + spread * math.sqrt(share), rel=1e-11)
        assert found.lower[n - 50] == pytest.approx(mean - spread * math.sqrt(share), rel=1e-11)


def test_what_comes_later_does_not_change_what_was_said() -> None:
    y, first, second = drawn()
    whole = running_difference(y, first, second, Log())
    part = running_difference(y[:150], first[:150], second[:150], Log())
    for name in ("mean", "lower", "upper"):
        np.testing.assert_allclose(getattr(whole, name)[:101], getattr(part, name), rtol=1e-10)


def test_intervals_are_tightest_where_they_were_asked_to_be() -> None:
    rows = drawn()
    choices = (20, 100, 200, 2000)
    widths = [
        (found.upper - found.lower)[[0, 50, 150, 350]]
        for found in (running_difference(*rows, Brier(), tightest=m) for m in choices)
    ]
    # At 100 and at 200 cases, the best of these choices is that number.
    assert np.argmin(widths, axis=0).tolist()[1:3] == [1, 2]


def test_intervals_for_all_times_are_wider_than_for_one() -> None:
    y, first, second = drawn()
    found = running_difference(y, first, second, Brier(), tightest=400)
    difference = Brier().loss(y, first) - Brier().loss(y, second)
    single = 1.96 * difference.std(ddof=1) / math.sqrt(400)
    assert 1.3 < (found.upper[-1] - found.mean[-1]) / single < 1.8


def test_the_truth_is_seldom_left_out_at_any_time() -> None:
    # Both forecasts are as far off on either side, so the true difference is 0 throughout.
    rng, missed = np.random.default_rng(4), 0
    for _ in range(200):
        p = rng.uniform(0.2, 0.8, 1000)
        off = rng.choice([-0.15, 0.15], 1000)
        found = running_difference(rng.random(1000) < p, p + off, p - off, Brier(), level=0.9)
        missed += found.decided_after is not None
    assert missed <= 20


def test_a_clear_difference_is_found_in_time() -> None:
    y, first, _ = drawn(2000)
    found = running_difference(y, first, np.full(2000, 0.5), Brier())
    assert found.decided_after == 145
    row = found.decided_after - 50
    assert found.upper[row] < 0
    assert (found.upper[:row] >= 0).all()
    assert (
        str(found)
        .replace("\n  ", " ")
        .endswith(f"which first left out 0 after {found.decided_after}).")
    )


def test_classes_are_followed_too() -> None:
    rng = np.random.default_rng(5)
    first, second = (rng.dirichlet([1, 1, 1], 80) for _ in range(2))
    y = rng.integers(0, 3, 80)
    found = running_difference(y, first, second, RPS())
    assert found.mean[-1] == pytest.approx(RPS()(y, first) - RPS()(y, second), abs=1e-15)
    assert found.rule == RPS().name


def test_nothing_is_said_before_anything_varied() -> None:
    y, first = np.zeros(80), np.full(80, 0.3)
    second = np.full(80, 0.1)
    second[60] = 0.2
    found = running_difference(y, first, second, Brier())
    np.testing.assert_array_equal(np.isnan(found.lower), found.cases <= 60)
    np.testing.assert_allclose(found.mean[0], 0.08)
    assert found.to_dict()["upper"][0] is None
    never = running_difference(y, first, first, Brier())
    assert np.isnan(never.upper).all()
    assert never.decided_after is None
    told = str(never).replace("\n  ", " ")
    assert told == "After 80 cases the brier losses of the two forecasts never differ."


def test_differences_that_vary_by_rounding_alone_have_no_interval() -> None:
    y = np.tile([0, 1], 30)
    found = running_difference(y, np.full(60, 0.5), np.where(y, 0.7, 0.3), Brier())
    assert np.isnan(found.lower).all()
    assert found.decided_after is None
    assert str(found).replace("\n  ", " ") == (
        "After 60 cases the brier losses of the two forecasts always differ by 0.16, which leaves "
        "no interval."
    )


def test_the_record_is_ready_for_json_and_for_frames() -> None:
    found = running_difference(*drawn(60), Brier(), level=0.9, tightest=30)
    told = found.to_dict()
    assert list(told) == ["cases", "mean", "lower", "upper", "level", "tightest", "rule"]
    assert (told["level"], told["tightest"], told["rule"]) == (0.9, 30, "brier")
    assert told["cases"] == list(range(50, 61))
    frame = found.to_frame("pandas")
    assert frame["lower"].tolist() == found.lower.tolist()
    assert len(found) == len(frame) == 11
    assert repr(found) == "RunningDifference(11 times, 50 to 60 cases)"
    with pytest.raises(ValueError, match="read-only"):
        found.mean[0] = 0


def test_what_cannot_be_followed_is_refused() -> None:
    y, first, second = drawn(60)
    with pytest.raises(DataError, match="intervals for all times need 50 cases or more; got 49"):
        running_difference(y[:49], first[:49], second[:49], Brier())
    impossible = np.where(np.arange(60) == 7, ~y, first)
    with pytest.raises(DataError, match=r"losses must be finite .*; row 7 is inf"):
        running_difference(y, first, impossible, Log())
    with pytest.raises(ArgumentTypeError, match="rule for the probability of one event"):
        running_difference(y, first, second, RPS())
    with pytest.raises(DataError, match="tightest must be a whole number, 1 or more; got 0"):
        running_difference(y, first, second, Brier(), tightest=0)
    with pytest.raises(DataError, match="must be equally long"):
        running_difference(y, first, second[:59], Brier())
