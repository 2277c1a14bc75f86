"""Two forecasts at all thresholds together."""

from __future__ import annotations

import csv
import gzip
import math
import tracemalloc
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from scipy.stats import t as student

import properly
from properly.decisions import Dominance, dominance
from properly.inference._design import Design
from properly.inference._variance import covariance

Column: TypeAlias = np.ndarray[Any, Any]

FOLDER = Path(__file__).parents[1] / "reference" / "inference"
GRID = np.arange(1, 200) / 200


def sample(n: int, seed: int = 1) -> tuple[Column, Column, Column]:
    """Draw outcomes, a good forecast of two decimals, and one that is somewhat worse."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(size=n)
    noisy = np.clip(q + rng.normal(0, 0.4, n), 0, 1)
    return rng.random(n) < q, np.round(q, 2), noisy


def pair(n: int, seed: int = 1, **known: Any) -> tuple[properly.Cases, properly.Cases]:
    y, p, q = sample(n, seed)
    return properly.Cases(y, p, **known), properly.Cases(y, q, **known)


def designs(n: int) -> dict[str, dict[str, Any]]:
    rng = np.random.default_rng(2)
    cluster = rng.permutation(np.arange(n) // 5)
    return {
        "independent": {},
        "weights": {"weight": rng.gamma(1.5, size=n)},
        "clusters": {"clusters": cluster},
        "strata": {"strata": np.arange(n) % 3},
        "all but time": {
            "weight": rng.gamma(1.5, size=n),
            "clusters": cluster,
            "strata": cluster % 4,
        },
        "times": {"time": rng.permutation(n)},
        "times of several": {"weight": rng.gamma(1.5, size=n), "time": cluster},
        "clusters by times": {"clusters": cluster % 40, "time": rng.permutation(n) // 6},
    }


def excess(y: Column, p: Column, q: Column, threshold: Column) -> Column:
    """Return by how much the first forecast of each case costs more at each threshold."""
    act = (p[:, None] >= threshold).astype(int) - (q[:, None] >= threshold)
    return np.asarray(np.where(y[:, None], -2 * (1 - threshold), 2 * threshold) * act)


def made(lower: Any, upper: Any, **known: Any) -> Dominance:
    """Make a record of a band at as many thresholds: .1, .2, …"""
    low, high = np.array(lower, dtype=float), np.array(upper, dtype=float)
    fields: dict[str, Any] = {
        "threshold": np.arange(1, len(low) + 1) / 10,
        "difference": (low + high) / 2,
        "standard_error": (high - low) / 4,
        "lower": low,
        "upper": high,
        "quantile": 2.0,
        "level": 0.95,
        "degrees": 99,
        "replicates": 999,
        "design": "100 independent cases",
        "within": properly.Interval(0, 1),
    }
    return Dominance(**(fields | known))


# The difference and its error


@pytest.mark.parametrize("name", designs(300))
def test_the_standard_error_is_that_of_the_design(name: str) -> None:
    known = designs(300)[name]
    first, second = pair(300, **known)
    found = dominance(first, second, rng=1)
    design, (y, p, q) = Design.of(first), sample(300)
    share = design.weight / design.weight.sum()
    away = excess(y, p, q, GRID)
    mean = share @ away
    spread = covariance((share[:, None] * (away - mean)).T, design)
    np.testing.assert_allclose(found.difference, mean, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(found.threshold, GRID)
    some = np.isfinite(found.standard_error)
    assert some.sum() > 50
    np.testing.assert_allclose(found.standard_error[some], spread.errors[some], rtol=1e-12)
    assert (found.degrees, found.design) == (spread.degrees, design.text)
    half = found.quantile * found.standard_error
    np.testing.assert_array_equal(found.upper, found.difference + half)
    np.testing.assert_array_equal(found.lower, found.difference - half)


def test_differences_and_errors_are_those_of_an_independent_program() -> None:
    text = gzip.decompress((FOLDER / "cases.csv.gz").read_bytes()).decode()
    rows = list(csv.DictReader(text.splitlines()))
    values = csv.DictReader((FOLDER / "values.csv").read_text().splitlines())
    known = {row["id"]: float(row["value"]) for row in values if row["id"].startswith("murphy_")}
    y, p, q = (np.array([float(row[name]) for row in rows]) for name in ("y", "p1", "p2"))
    first, second = properly.Cases(y, p), properly.Cases(y, q)
    found = dominance(first, second, thresholds=[0.25, 0.1, 0.5], rng=1)
    for i, t in enumerate(("0.1", "0.25", "0.5")):
        assert found.difference[i] == pytest.approx(known[f"murphy_diff@{t}"], abs=1e-14)
        if t != "0.1":  # where too few cases are judged differently
            assert found.standard_error[i] == pytest.approx(known[f"murphy_diff@{t}.se"], abs=1e-14)
    assert np.isnan(found.standard_error[0])


def test_at_a_single_threshold_the_band_is_students() -> None:
    first, second = pair(300)
    found = dominance(first, second, thresholds=[0.4], level=0.9, rng=1)
    y, p, q = sample(300)
    losses = excess(y, p, q, np.array([0.4]))[:, 0]
    half = student.ppf(0.95, 299) * losses.std(ddof=1) / math.sqrt(300)
    assert found.upper[0] == pytest.approx(losses.mean() + half, abs=1e-14)
    assert found.lower[0] == pytest.approx(losses.mean() - half, abs=1e-14)


def test_the_quantile_lies_between_that_of_one_threshold_and_bonferronis() -> None:
    first, second = pair(400)
    one = student.ppf(0.975, 399)
    found = dominance(first, second, thresholds=[0.1, 0.5, 0.9], rng=1, replicates=20_000)
    most = student.ppf(1 - 0.025 / 3, 399)
    # Thresholds far apart are hardly correlated, so Bonferroni's quantile is almost reached.
    assert one < found.quantile < most + 0.03
    assert found.quantile > most - 0.1
    # Neighbours are judged almost alike.
    near = dominance(first, second, thresholds=[0.5, 0.5001], rng=1, replicates=20_000)
    assert one <= near.quantile < one + 0.1


def test_the_band_holds_at_all_thresholds_at_once() -> None:
    rng, held, each, thresholds = np.random.default_rng(3), 0, 0, np.arange(1, 20) / 20
    for _ in range(40):
        q = rng.uniform(size=400)
        shift = 0.5 * q + 0.25
        first, second = (properly.Cases(rng.random(400) < q, p) for p in (q, shift))
        second = properly.Cases(first.y, shift)
        found = dominance(first, second, thresholds=thresholds, level=0.9, rng=rng)
        # Between q and 1/4 + q/2 lie thresholds below 1/2 from 2 t - 1/2 to t, and above likewise.
        ends = np.sort(np.clip([2 * thresholds - 0.5, thresholds], 0, 1), axis=0)
        truth = -np.abs((ends[1] - thresholds) ** 2 - (ends[0] - thresholds) ** 2)
        some = np.isfinite(found.upper)
        away = np.abs(found.difference - truth)[some] / found.standard_error[some]
        held += int(away.max() <= found.quantile)
        each += int(away.max() <= student.ppf(0.95, 399))
    assert held >= 30  # nine tenths of 40, less three standard errors
    assert each < 30  # as bands for single thresholds do not


# Where there is a band


def judged_differently(events: int, nonevents: int, copies: int = 1) -> tuple[Column, Column]:
    """Forecast .3 and .7 for so many, and the same for two hundred others."""
    y = np.concatenate([np.ones(events), np.zeros(nonevents), np.tile([0, 1], 100)])
    p = np.concatenate([np.full(events + nonevents, 0.7), np.full(200, 0.9)])
    return np.repeat(y, copies), np.repeat(p, copies)


@pytest.mark.parametrize(
    ("events", "nonevents", "band"), [(10, 10, True), (9, 50, False), (50, 9, False)]
)
def test_ten_events_and_ten_non_events_must_be_judged_differently(
    events: int, nonevents: int, band: bool
) -> None:
    y, p = judged_differently(events, nonevents)
    first, second = properly.Cases(y, p), properly.Cases(y, np.where(p == 0.7, 0.3, p))
    found = dominance(first, second, thresholds=[0.2, 0.3, 0.31, 0.7, 0.71], rng=1)
    # One acts at the forecast itself: at .3 both do, at .7 only the first.
    for column in (found.standard_error, found.lower, found.upper):
        assert np.isfinite(column).tolist() == [False, False, band, band, False]
    assert found.difference[[0, 1, 4]].tolist() == [0, 0, 0]
    assert math.isfinite(found.quantile) == band


@pytest.mark.parametrize(("sizes", "band"), [([5] * 10, True), ([4] * 9 + [14], False)])
def test_cases_of_a_cluster_count_as_equal_clusters_would(sizes: list[int], band: bool) -> None:
    # 50 events in ten equal clusters are ten; the others are 50^2 / (9 * 16 + 196) = 7.4.
    y, p = judged_differently(50, 50)
    label = np.repeat(np.arange(10), sizes)
    clusters = np.concatenate([label, label, np.arange(200) + 10])
    first, second = (
        properly.Cases(y, x, clusters=clusters) for x in (p, np.where(p == 0.7, 0.3, p))
    )
    found = dominance(first, second, thresholds=[0.4], rng=1)
    assert math.isfinite(found.upper[0]) == band


def test_what_never_varies_has_no_band() -> None:
    # At 1/2 the first is always right and the second always wrong, at the same price.
    y = np.tile([0, 1], 50)
    first, second = properly.Cases(y, 0.2 + 0.6 * y), properly.Cases(y, 0.8 - 0.6 * y)
    found = dominance(first, second, thresholds=[0.4, 0.5], rng=1)
    assert found.difference[1] == -1
    assert np.isnan(found.upper[1])
    assert found.upper[0] < 0
    assert not found.dominates


def test_without_any_band_nothing_is_said() -> None:
    first, second = pair(15)
    found = dominance(first, second, rng=1)
    assert math.isnan(found.quantile)
    assert (found.better, found.worse, found.dominates) == ([], [], False)
    assert found.verdict == (
        "nothing can be said: at no threshold are 10 events and 10 non-events judged differently"
    )
    told = str(found).replace("\n  ", " ")
    assert told == f"{found.verdict} (no 95 % simultaneous band; 15 independent cases)"


def test_forecasts_that_never_differ_are_told_so() -> None:
    first, _ = pair(60)
    found = dominance(first, first, rng=1, replicates=19)
    assert not found.difference.any()
    assert not found.dominates
    assert str(found).replace("\n  ", " ") == (
        "the scores of the two never differ (no 95 % simultaneous band; 60 independent cases)"
    )


# Designs


def test_a_cluster_of_one_case_is_a_case() -> None:
    names = np.random.default_rng(5).permutation(300)
    plain, alone = dominance(*pair(300), rng=1), dominance(*pair(300, clusters=names), rng=1)
    np.testing.assert_array_equal(alone.lower, plain.lower)
    assert alone.design == "300 clusters"


@pytest.mark.slow
def test_with_times_the_factors_are_those_of_cosines() -> None:
    """Draw the sums of cosines with random factors, and compare how far the greatest reaches."""
    times, replicates = 400, 40_000
    order = np.random.default_rng(7).permutation(times)
    found = dominance(*pair(times, time=order), level=0.9, replicates=replicates, rng=1)
    y, p, q = sample(times)
    away = np.empty((times, len(GRID)))
    away[order] = excess(y, p, q, GRID)
    some = np.isfinite(found.standard_error)
    away = (away - away.mean(axis=0))[:, some] / times
    count = int(0.4 * times ** (2 / 3))
    assert found.degrees == count
    rng = np.random.default_rng(3)
    cosine = np.cos(np.pi * np.outer(np.arange(1, count + 1), np.arange(times) + 0.5) / times)
    waves = math.sqrt(2 / times) * cosine @ away
    drawn = rng.standard_normal((replicates, count)) @ waves * math.sqrt(times / count)
    drawn /= np.sqrt(rng.chisquare(count, (replicates, 1)) / count)
    greatest = (np.abs(drawn) / found.standard_error[some]).max(axis=1)
    assert found.quantile == pytest.approx(float(np.quantile(greatest, 0.9)), rel=0.01)


# Thresholds


def test_thresholds_are_a_grid_of_halves_of_hundredths_unless_the_range_is_short() -> None:
    first, second = pair(300)
    np.testing.assert_array_equal(dominance(first, second, rng=1).threshold, GRID)
    wide = dominance(first, second, within=(0.07, 0.8), rng=1).threshold
    np.testing.assert_array_equal(wide, GRID[(GRID >= 0.07) & (GRID <= 0.8)])
    short = dominance(first, second, within=(0.05, 0.25), rng=1)
    assert short.threshold.tolist() == [(50 + 2 * k) / 1000 for k in range(101)]
    assert short.within == properly.Interval(0.05, 0.25)
    odd = dominance(first, second, within=(1 / 3, 1 / 2), rng=1).threshold
    assert (odd[0], odd[-1], len(odd)) == (1 / 3, 1 / 2, 101)


def test_no_threshold_is_0_or_1() -> None:
    first, second = pair(300)
    assert dominance(first, second, within=(0, 0.1), rng=1).threshold[0] == 0.001
    assert dominance(first, second, within=(0.9, 1), rng=1).threshold[-1] == 0.999


def test_thresholds_of_ones_own_are_put_in_order_and_kept_if_inside() -> None:
    found = dominance(*pair(300), thresholds=[0.5, 0.3, 0.5, 0.9], within=(0.1, 0.6), rng=1)
    assert found.threshold.tolist() == [0.3, 0.5]


# What is said


@pytest.mark.parametrize(
    ("lower", "upper", "verdict"),
    [
        (
            [-3, -3, -1, -1],
            [-1, -1, 1, 1],
            "the first is better at thresholds 0.1 to 0.2 and nowhere shown worse",
        ),
        (
            [-1, 1, -1, 1],
            [1, 3, 1, 3],
            "the second is better at thresholds 0.2 and 0.4 and nowhere shown worse",
        ),
        (
            [-1, 1, -1],
            [1, 3, 1],
            "the second is better at the threshold 0.2 and nowhere shown worse",
        ),
        (
            [-3, -1, 1, 1, -1, 1],
            [-1, 1, 3, 3, 1, 2],
            "the first is better at the threshold 0.1 and worse at thresholds 0.3 to 0.4 and 0.6",
        ),
        ([-1, -1], [1, 1], "neither is shown to be better at any threshold"),
        ([-3, -3, -2], [-1, -1, 0], "the first dominates at thresholds 0.1 to 0.3"),
        ([0, 2], [3, 3], "the second dominates at thresholds 0.1 to 0.2"),
        (
            [-3, math.nan, -3],
            [-1, math.nan, -1],
            "the first is better at thresholds 0.1 and 0.3 and nowhere shown worse",
        ),
    ],
)
def test_the_verdict_says_no_more_than_the_band_shows(
    lower: list[float], upper: list[float], verdict: str
) -> None:
    found = made(lower, upper)
    assert found.verdict == verdict
    assert repr(found) == f"Dominance({verdict})"
    assert found.dominates == verdict.startswith("the first dominates")
    assert found.is_dominated == verdict.startswith("the second dominates")
    # More net benefit is better, and the verdict the same.
    other = found.as_net_benefit()
    assert (other.verdict, other.better, other.worse) == (verdict, found.better, found.worse)
    assert (other.dominates, other.is_dominated) == (found.dominates, found.is_dominated)


def test_the_print_tells_level_thresholds_quantile_and_design() -> None:
    found = made([-3, math.nan], [-1, math.nan])
    assert str(found).replace("\n  ", " ") == (
        "the first is better at the threshold 0.1 and nowhere shown worse (95 % simultaneous band "
        "at 1 of 2 thresholds, 2 standard errors; 100 independent cases)"
    )


def test_net_benefit_and_regret_are_those_of_acting() -> None:
    first, second = pair(300)
    found = dominance(first, second, rng=1)
    y, p, q = sample(300)
    act = (p[:, None] >= GRID).astype(int) - (q[:, None] >= GRID)
    benefit = (act * np.where(y[:, None], 1, -GRID / (1 - GRID))).mean(axis=0)
    net = found.as_net_benefit()
    np.testing.assert_allclose(net.difference, benefit, rtol=0, atol=1e-14)
    assert net.scale == "net benefit"
    regret = (act * np.where(y[:, None], -(1 - GRID), GRID)).mean(axis=0)
    half = found.on_regret_scale()
    np.testing.assert_allclose(half.difference, regret, rtol=0, atol=1e-14)
    for other in (net, half, net.on_regret_scale(), half.as_net_benefit()):
        band = other.quantile * other.standard_error
        np.testing.assert_allclose(other.upper, other.difference + band, rtol=0, atol=1e-14)
        np.testing.assert_allclose(other.lower, other.difference - band, rtol=0, atol=1e-14)
    np.testing.assert_allclose(net.on_regret_scale().lower, half.lower, rtol=1e-12)


# Refusals


def test_memory_does_not_grow_with_cases_times_thresholds() -> None:
    first, second = pair(100_000)
    tracemalloc.start()
    dominance(first, second, rng=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000 * 199 * 8 / 3
