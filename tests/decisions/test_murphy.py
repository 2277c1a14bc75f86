"""Murphy curves and their records, on either scale."""

from __future__ import annotations

import numpy as np
import pytest
from reproductions.reliability.simulation import corp

import properly
from properly import Interval, decompose, murphy_curve, regret_curve, tally
from properly.counts import baselines
from properly.counts._scoring import mean_score
from properly.decisions import MurphyCurve, murphy_difference
from properly.rules import Bounded, Brier, Regret

Y = np.array([0, 0, 1, 0, 1, 1, 0, 1] * 20)

P = np.array([0.1, 0.3, 0.3, 0.6, 0.9, 1.0, 0.0, 0.2] * 20)


T = tally(Y, P)


@pytest.mark.parametrize("part", ["score", "miscalibration", "discrimination", "uncertainty"])
def test_regret_is_half_of_the_murphy_curve(part: str) -> None:
    whole, half = murphy_curve(T, part=part), regret_curve(T, part=part)  # type: ignore[call-overload]
    np.testing.assert_array_equal(half.threshold, whole.threshold)
    np.testing.assert_array_equal(2 * half.left, whole.left)
    np.testing.assert_array_equal(2 * half.right, whole.right)
    assert half.area((0.1, 0.7)) == pytest.approx(whole.area((0.1, 0.7)) / 2, rel=1e-15)
    assert (whole.scale, half.scale) == ("brier", "regret")


def test_the_band_is_halved_too() -> None:
    whole, half = murphy_curve(T, band="confidence").band, regret_curve(T, band="confidence").band
    assert whole is not None
    assert half is not None
    np.testing.assert_array_equal(2 * half.lower, whole.lower)
    np.testing.assert_array_equal(2 * half.upper, whole.upper)


def test_the_mean_height_over_a_range_is_the_mean_regret() -> None:
    for a, b in ((0.05, 0.2), (0.0, 1.0), (0.3, 0.6), (0.31, 0.32)):
        mean = regret_curve(T).area((a, b)) / (b - a)
        assert mean == pytest.approx(mean_score(T, Regret((a, b))), rel=1e-13)


def test_the_baselines_are_straight_lines() -> None:
    t, rate = np.array([0.1, 0.4, 0.7]), T.event_rate
    curves = {name: regret_curve(constant) for name, constant in baselines(T).items()}
    np.testing.assert_allclose(curves["treat all"].at(t), t * (1 - rate), rtol=1e-15)
    np.testing.assert_allclose(curves["treat none"].at(t), (1 - t) * rate, rtol=1e-15)
    least = np.minimum(t * (1 - rate), (1 - t) * rate)
    np.testing.assert_allclose(curves["event rate"].at(t), least, rtol=1e-15)


PARTS = ("score", "miscalibration", "discrimination", "uncertainty")


def drawn(n: int, *, decimals: int = 17, weights: str = "none", seed: int = 1) -> properly.Tally:
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(decimals)
    y = rng.random(n) < np.sqrt(p)
    weight = {"none": None, "whole": rng.integers(1, 9, n), "fractional": rng.exponential(size=n)}
    return tally(y, p, weight=weight[weights])


TALLIES = {
    "continuous": drawn(500),
    "tied, with exact 0 and 1": drawn(300, decimals=1),
    "whole weights": drawn(200, weights="whole"),
    "fractional weights": drawn(200, weights="fractional"),
    "tied fractional weights": drawn(200, decimals=1, weights="fractional"),
    "certain and wrong": tally([0, 1, 1, 0], [0.0, 0.0, 1.0, 1.0]),
    "one case": tally([1], [0.3]),
    "one certain case": tally([1], [0.0]),
    "no events": tally([0, 0, 0], [0.2, 0.4, 0.4]),
    "float32": tally([0, 1, 0, 1], np.array([0.1, 0.3, 0.6, 0.9], dtype=np.float32)),
}

every_tally = pytest.mark.parametrize("t", TALLIES.values(), ids=TALLIES)

every_part = pytest.mark.parametrize("part", PARTS)


def curve_of(t: properly.Tally, part: str) -> MurphyCurve:
    return murphy_curve(t, part=part)  # type: ignore[call-overload, no-any-return]


@every_tally
@every_part
def test_the_area_is_the_part_of_the_brier_score(t: properly.Tally, part: str) -> None:
    expected = getattr(decompose(t, Brier()), part)
    assert curve_of(t, part).area() == pytest.approx(expected, rel=0, abs=1e-12)


@every_tally
@pytest.mark.parametrize("within", [(0, 1), (0.1, 0.4), (0.25, 0.2501), (0, 0.3), (0.6, 1)])
def test_the_area_in_a_range_is_the_bounded_brier_score(
    t: properly.Tally, within: tuple[float, float]
) -> None:
    expected = mean_score(t, Bounded(Brier(), within, scale="integral"))
    curve = murphy_curve(t)
    assert curve.area(within) == pytest.approx(expected, rel=0, abs=1e-12)
    assert curve.area(Interval(*within)) == curve.area(within)


@every_tally
@pytest.mark.parametrize("part", ["miscalibration", "discrimination"])
def test_no_threshold_gains_from_miscalibration_or_loses_by_discrimination(
    t: properly.Tally, part: str
) -> None:
    _, value = curve_of(t, part).curve()
    assert value.min() >= -1e-15


@every_tally
def test_the_parts_add_up_at_every_threshold(t: properly.Tally) -> None:
    at = np.linspace(0, 1, 37)
    score, miscalibration, discrimination, uncertainty = (curve_of(t, p).at(at) for p in PARTS)
    together = miscalibration - discrimination + uncertainty
    np.testing.assert_allclose(together, score, rtol=0, atol=1e-14)


@every_tally
def test_every_limit_is_the_mean_of_the_elementary_scores(t: properly.Tally) -> None:
    curve = murphy_curve(t)
    value, weight, events = (np.asarray(x, dtype=float) for x in (t.value, t.weight, t.events))
    for knot, left, right in zip(curve.threshold, curve.left, curve.right, strict=True):
        for limit, acted in ((left, value >= knot), (right, value > knot)):
            costs = 2 * np.where(acted, knot * (weight - events), (1 - knot) * events)
            assert limit == pytest.approx(costs.sum() / weight.sum(), rel=0, abs=1e-15)


def test_the_curve_jumps_at_knots_and_is_straight_between() -> None:
    curve = murphy_curve(tally([0, 1], [0.25, 0.5]))
    np.testing.assert_array_equal(curve.at([0, 0.125, 0.25, 0.75, 1]), [0, 0.125, 0.25, 0.25, 0])
    np.testing.assert_array_equal(curve.at([-0.1, np.nan, 1.1]), [np.nan] * 3)
    threshold, value = curve.curve()
    np.testing.assert_array_equal(threshold, [0, 0, 0.25, 0.25, 0.5, 0.5, 1, 1])
    np.testing.assert_array_equal(value, [0, 0, 0.25, 0, 0, 0.5, 0, 0])


def test_at_one_the_curve_is_its_limit_from_the_left() -> None:
    curve = murphy_curve(tally([0, 1], [1.0, 0.5]))
    assert curve.left[-1] == curve.at(1.0) == 1.0
    assert curve.right[-1] == 0.0


def test_a_difference_is_that_of_two_curves() -> None:
    data = corp(100, rng=1)
    first, second = tally(data.y, data.p), tally(data.y, np.sqrt(data.p).round(1))
    difference = murphy_difference(first, second)
    at = np.linspace(0, 1, 91)
    expected = murphy_curve(first).at(at) - murphy_curve(second).at(at)
    np.testing.assert_allclose(difference.at(at), expected, rtol=0, atol=1e-15)
    assert set(difference.threshold) == {0, 1, *first.value, *second.value}
    assert difference.part == "difference"
    assert difference.area() == pytest.approx(
        mean_score(first, Brier()) - mean_score(second, Brier()), rel=0, abs=1e-12
    )
