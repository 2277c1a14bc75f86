"""Bands of Murphy curves, against the same sums case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit
from tests.score_oracles import LEVEL, corrected, put_together

from properly import Cases, tally
from properly.decisions import murphy_curve, murphy_difference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from properly.decisions import MurphyCurve
    from properly.inference import Band

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

N, CLUSTERS = 480, 24
RNG = np.random.default_rng(7)
P = RNG.random(N).round(2)
Y = RNG.random(N) < np.sqrt(P)
OTHER = np.clip(P + RNG.normal(0, 0.2, N), 0, 1).round(2)
CLUSTER = RNG.integers(0, CLUSTERS, N)
WEIGHTS = {
    "none": None,
    "whole": RNG.integers(1, 4, N).astype(float),
    "fractional": RNG.exponential(size=N),
}
every_weight = pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)


def elementary(
    p: NDArray[Any], y: NDArray[Any] | int, t: float, *, right: bool = False
) -> NDArray[Any]:
    acted = p > t if right else p >= t
    return 2 * np.where(acted, t * (1 - np.asarray(y)), (1 - t) * np.asarray(y))


def sizes(weight: NDArray[Any] | None) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Weights, their squares, and the effective number of cases."""
    w = np.ones(N) if weight is None else weight
    return w, w**2, w.sum() ** 2 / (w**2).sum()


def too_few(t: float, *, right: bool = False) -> bool:
    """Rows are counted, however much they weigh."""
    differ = np.logical_xor(*(p > t if right else p >= t for p in (P, OTHER)))
    return bool(min((differ & Y).sum(), (differ & ~Y).sum()) < 10)


def interval(loss: NDArray[Any], weight: NDArray[Any] | None) -> tuple[float, float]:
    """Return the mean and half the width of its interval, case by case."""
    w, square, n = sizes(weight)
    mean = (w * loss).sum() / w.sum()
    variance = n / (n - 1) * (square * (loss - mean) ** 2).sum() / w.sum() ** 2
    return mean, stdtrit(n - 1, (1 + LEVEL) / 2) * np.sqrt(variance)


def clustered_interval(
    loss: NDArray[Any], weight: NDArray[Any] | None, cluster: NDArray[Any] = CLUSTER
) -> tuple[float, float]:
    w, _, _ = sizes(weight)
    mean = (w * loss).sum() / w.sum()
    influence = w * (loss - mean) / w.sum()
    totals, size = (
        np.array([x[cluster == g].sum() for g in np.unique(cluster)]) for x in (influence, w)
    )
    factor, degrees = corrected(size)
    return mean, stdtrit(degrees, (1 + LEVEL) / 2) * np.sqrt((factor * totals**2).sum())


def limits(curve: MurphyCurve) -> Iterator[tuple[float, bool, float, float]]:
    """Yield each threshold, whether it is the limit from the right, and the bounds there."""
    assert curve.band is not None
    x, _ = curve.curve()
    np.testing.assert_array_equal(curve.band.x, x)
    sides = np.arange(len(x)) % 2 == 1
    yield from zip(x, sides, curve.band.lower, curve.band.upper, strict=True)


def the_band(curve: MurphyCurve) -> Band:
    assert curve.band is not None
    return curve.band


def score_interval(
    p: NDArray[Any], t: float, weight: NDArray[Any] | None, *, right: bool = False, **more: Any
) -> tuple[float, float]:
    """Put the intervals of both kinds of mistakes together, at one threshold."""
    acted = p > t if right else p >= t
    kinds, alike = (acted & ~Y, ~acted & Y), ((~Y, acted), (Y, ~acted))
    cost = 2 * t, 2 * (1 - t)
    lower, upper = put_together(cost, kinds, alike, weight, **more)
    return max(lower, 0), min(upper, max(cost))


@every_weight
def test_a_confidence_band_is_made_of_two_score_intervals(weight: NDArray[Any] | None) -> None:
    curve = murphy_curve(Cases(Y, P, weight=weight), band="confidence", level=LEVEL)
    for t, right, *bounds in limits(curve):
        expected = score_interval(P, t, weight, right=right)
        assert bounds == pytest.approx(expected, rel=0, abs=1e-12)


@every_weight
def test_a_consistency_band_lies_around_the_calibrated_mean(weight: NDArray[Any] | None) -> None:
    curve = murphy_curve(Cases(Y, P, weight=weight), band="consistency", level=LEVEL)
    w, square, _ = sizes(weight)
    for t, right, lower, upper in limits(curve):
        none, event = (elementary(P, y, t, right=right) for y in (0, 1))
        mean = (w * (P * event + (1 - P) * none)).sum() / w.sum()
        variance = (square * P * (1 - P) * (event - none) ** 2).sum() / w.sum() ** 2
        half = ndtri((1 + LEVEL) / 2) * np.sqrt(variance)
        assert lower == pytest.approx(max(mean - half, 0), rel=0, abs=1e-14)
        assert upper == pytest.approx(mean + half, rel=0, abs=1e-14)


@every_weight
def test_the_band_of_a_difference_is_that_of_pairs(weight: NDArray[Any] | None) -> None:
    pair = (Cases(Y, p, weight=weight) for p in (P, OTHER))
    curve = murphy_difference(*pair, band="confidence", level=LEVEL)
    known = 0
    for t, right, lower, upper in limits(curve):
        if too_few(t, right=right):
            assert np.isnan([lower, upper]).all()
            continue
        loss = elementary(P, Y, t, right=right) - elementary(OTHER, Y, t, right=right)
        mean, half = interval(loss, weight)
        assert lower == pytest.approx(mean - half, rel=0, abs=1e-14)
        assert upper == pytest.approx(mean + half, rel=0, abs=1e-14)
        known += 1
    assert known > 50


@pytest.mark.slow
@every_weight
def test_clusters_are_added_up_before_they_are_squared(weight: NDArray[Any] | None) -> None:
    cases, other = (Cases(Y, p, weight=weight, clusters=CLUSTER) for p in (P, OTHER))
    score = the_band(murphy_curve(cases, band="confidence", level=LEVEL))
    difference = the_band(murphy_difference(cases, other, band="confidence", level=LEVEL))
    np.testing.assert_array_equal(score.x, np.arange(1, 200) / 200)
    with pytest.raises(ValueError, match="read-only"):
        score.x[0] = 0
    for row, t in enumerate(score.x):
        expected = score_interval(P, t, weight, cluster=CLUSTER)
        assert (score.lower[row], score.upper[row]) == pytest.approx(expected, rel=0, abs=1e-12)
        loss = elementary(P, Y, t) - elementary(OTHER, Y, t)
        mean, half = clustered_interval(loss, weight)
        if too_few(t):
            half = np.nan
        got = [difference.lower[row], difference.upper[row]]
        np.testing.assert_allclose(got, [mean - half, mean + half], rtol=0, atol=1e-14)
    assert 50 < np.isfinite(difference.lower).sum() < 199


@every_weight
def test_calibrated_clusters_deviate_from_their_forecasts(weight: NDArray[Any] | None) -> None:
    cases = Cases(Y, P, weight=weight, clusters=CLUSTER)
    band = the_band(murphy_curve(cases, band="consistency", level=LEVEL))
    for row, t in enumerate(band.x):
        expected = P * elementary(P, 1, t) + (1 - P) * elementary(P, 0, t)
        _, half = clustered_interval(elementary(P, Y, t) - expected, weight)
        centre = np.average(expected, weights=weight)
        assert band.lower[row] == pytest.approx(max(centre - half, 0), rel=0, abs=1e-14)
        assert band.upper[row] == pytest.approx(centre + half, rel=0, abs=1e-14)


@pytest.mark.parametrize("clusters", [None, CLUSTER], ids=["alone", "together"])
def test_counts_are_copies(clusters: NDArray[Any] | None) -> None:
    count = np.arange(N) % 4
    of_rows: dict[str, Any] = {} if clusters is None else {"clusters": clusters.repeat(count)}
    known: dict[str, Any] = {} if clusters is None else {"clusters": clusters}
    copied = [Cases(Y.repeat(count), p.repeat(count), **of_rows) for p in (P, OTHER)]
    counted = [Cases(Y, p, count=count, **known) for p in (P, OTHER)]
    pairs = [
        tuple(the_band(murphy_curve(x[0], band="confidence")) for x in (counted, copied)),
        tuple(the_band(murphy_difference(*x, band="confidence")) for x in (counted, copied)),
    ]
    if clusters is None:
        t = tally(Y, P, count=count)
        pairs.append((the_band(murphy_curve(t, band="confidence")), pairs[0][1]))
    for one, other in pairs:
        np.testing.assert_array_equal(one.lower, other.lower)
        np.testing.assert_array_equal(one.upper, other.upper)


def test_one_case_has_no_bounds() -> None:
    band = the_band(murphy_curve(tally([1], [0.3]), band="confidence"))
    assert np.isnan(band.lower).all()
    assert np.isnan(band.upper).all()
