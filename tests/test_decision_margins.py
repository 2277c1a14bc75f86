"""How far off net benefit may be: against formulas case by case, and against chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit
from scipy.stats import beta

from properly import Cases, Tally, tally
from properly._curves import murphy_curve, murphy_difference
from properly._decision import decision_curve, decision_difference
from properly._thresholds import AtThreshold, at_threshold
from properly._variance import spread_of_means
from properly.errors import DataError

if TYPE_CHECKING:
    from properly._bands import Band

N, LEVEL = 400, 0.8
RNG = np.random.default_rng(17)
P = RNG.beta(1, 3, N).round(2)
Y = RNG.random(N) < P
OTHER = np.clip(P + RNG.normal(0, 0.2, N), 0, 0.9).round(2)
CLUSTER = RNG.integers(0, 25, N)
WEIGHTS = {
    "none": None,
    "whole": RNG.integers(1, 4, N).astype(float),
    "fractional": RNG.exponential(size=N),
}
every_weight = pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)
THRESHOLDS = np.array([0.0, 0.05, 0.1, 0.25, 0.5, 0.99])


def the(band: Band | None) -> Band:
    assert band is not None
    return band


def ends_of(found: AtThreshold) -> dict[str, tuple[float, float]]:
    assert found.intervals is not None
    return found.intervals


def sizes(weight: Any) -> tuple[Any, Any]:
    """Return weights and their squares; whole numbers are counts."""
    w = np.ones(N) if weight is None else weight
    return w, w if np.all(w == np.floor(w)) else w**2


def wilson(share: float, n: float) -> tuple[float, float]:
    """Solve for the two values that a score test does not refuse."""
    z2 = ndtri((1 + LEVEL) / 2) ** 2
    lower, upper = np.sort(np.roots([n + z2, -2 * n * share - z2, n * share**2]).real)
    return lower, upper


def sum_of_shares(amounts: list[float], kinds: list[Any], weight: Any) -> tuple[float, float]:
    """Put the intervals of two shares together, each the share of one kind of cases."""
    w, square = sizes(weight)
    n = w.sum() ** 2 / square.sum()
    share = [(w * kind).sum() / w.sum() for kind in kinds]
    r = -np.sqrt(share[0] * share[1] / ((1 - share[0]) * (1 - share[1])))
    r *= np.sign(amounts[0] * amounts[1])
    down, up = [], []
    for amount, x in zip(amounts, share, strict=True):
        ends = sorted(amount * (end - x) for end in wilson(x, n))
        down.append(-ends[0])
        up.append(ends[1])
    mean = amounts[0] * share[0] + amounts[1] * share[1]
    lower, upper = (np.sqrt(a * a + b * b + 2 * r * a * b) for a, b in (down, up))
    return mean - lower, mean + upper


def spread(amount: Any, weight: Any, cluster: Any = None) -> float:
    """Return half the width of the interval of a mean, of cases or of clusters."""
    w, square = sizes(weight)
    away = amount - (w * amount).sum() / w.sum()
    if cluster is None:
        n = w.sum() ** 2 / square.sum()
        variance = (square * away**2).sum() / w.sum() ** 2
    else:
        totals = np.bincount(cluster, w * away) / w.sum()
        n, variance = len(totals), (totals**2).sum()
    return float(stdtrit(n - 1, (1 + LEVEL) / 2) * np.sqrt(variance * n / (n - 1)))


# Bands of curves


@every_weight
def test_a_band_is_made_of_two_score_intervals(weight: Any) -> None:
    curve = decision_curve(tally(Y, P, weight=weight), THRESHOLDS, band="confidence", level=LEVEL)
    band = the(curve.band)
    assert (band.kind, band.method, band.level) == ("confidence", "score", LEVEL)
    np.testing.assert_array_equal(band.x, THRESHOLDS)
    for t, *bounds in zip(band.x[:-1], band.lower, band.upper, strict=False):
        kinds = [(t <= P) & Y, (t <= P) & ~Y]
        expected = sum_of_shares([1, -t / (1 - t)], kinds, weight)
        assert bounds == pytest.approx(expected, rel=0, abs=1e-12)
    assert np.isnan([band.lower[-1], band.upper[-1]]).all()


def test_an_exact_curve_has_bounds_on_both_sides_of_a_threshold() -> None:
    curve = decision_curve(tally(Y, P), "every", band="confidence", level=LEVEL)
    band = the(curve.band)
    np.testing.assert_array_equal(band.x, np.repeat(curve.threshold, 2))
    for row, t in enumerate(curve.threshold):
        for side, acted in enumerate((t <= P, t < P)):
            bounds = band.lower[2 * row + side], band.upper[2 * row + side]
            if not acted.any():
                assert np.isnan(bounds).all()
                continue
            expected = sum_of_shares([1, -t / (1 - t)], [acted & Y, acted & ~Y], None)
            assert bounds == pytest.approx(expected, rel=0, abs=1e-12)


def test_who_acts_on_all_knows_all_but_the_event_rate() -> None:
    """Then net benefit is a straight line in the event rate, and so are its bounds."""
    t = 0.2
    band = the(decision_curve(tally(Y, P + (1 - P) / 2), [t], band="confidence", level=LEVEL).band)
    for bound, rate in zip((band.lower, band.upper), wilson(Y.mean(), N), strict=True):
        assert bound[0] == pytest.approx(rate - (1 - rate) * t / (1 - t), rel=1e-12)


def test_a_harm_moves_the_band() -> None:
    plain, harmed = (
        the(decision_curve(tally(Y, P), band="confidence", harm=harm).band) for harm in (0, 0.05)
    )
    np.testing.assert_allclose(harmed.lower, plain.lower - 0.05, rtol=0, atol=1e-15)
    np.testing.assert_allclose(harmed.upper, plain.upper - 0.05, rtol=0, atol=1e-15)


@pytest.mark.parametrize("t", [0.02, 0.05, 0.2])
def test_a_band_covers_where_events_are_few(t: float) -> None:
    """Forecasts are calibrated, from Beta(1, 15): 19 of 300 cases have the event."""
    rng, held = np.random.default_rng(5), []
    true, false = beta.sf(t, 2, 15) / 16, beta.sf(t, 1, 16) * 15 / 16
    truth = true - false * t / (1 - t)
    for _ in range(400):
        p = rng.beta(1, 15, 300)
        band = the(decision_curve(tally(rng.random(300) < p, p), [t], band="confidence").band)
        held.append(band.lower[0] <= truth <= band.upper[0])
    # 90 %, and four standard errors of a share of 400 below.
    assert 0.84 < np.mean(held) < 0.96


@every_weight
@pytest.mark.parametrize("thresholds", [THRESHOLDS, "every"])
def test_clusters_are_added_up_before_they_are_squared(weight: Any, thresholds: Any) -> None:
    cases = Cases(Y, P, weight=weight, clusters=CLUSTER)
    curve = decision_curve(cases, thresholds, band="confidence", level=LEVEL, harm=0.01)
    band = the(curve.band)
    assert band.method == "clusters"
    grid = np.arange(1, 200) / 200 if isinstance(thresholds, str) else thresholds
    np.testing.assert_array_equal(band.x, grid)
    w, _ = sizes(weight)
    for row, t in enumerate(grid):
        gain = (t <= P) * np.where(Y, 1, -t / (1 - t))
        half = spread(gain, weight, CLUSTER) if (t <= P).any() else np.nan
        mean = (w * gain).sum() / w.sum() - 0.01
        got = [band.lower[row], band.upper[row]]
        np.testing.assert_allclose(got, [mean - half, mean + half], rtol=1e-10, atol=1e-12)


def test_times_have_no_band() -> None:
    with pytest.raises(DataError, match="the band of a decision curve does not allow for"):
        decision_curve(Cases(Y, P, time=np.arange(N)), band="confidence")


@pytest.mark.parametrize("clusters", [None, CLUSTER])
def test_a_tolerance_holds_for_the_band_too(clusters: Any) -> None:
    drifted, grid = np.nextafter(P, 0), np.arange(1, 100) / 100
    exact, other, mended, moved = (
        Cases(Y, p, clusters=clusters) for p in (P, OTHER, drifted, np.nextafter(OTHER, 0))
    )
    one = the(decision_curve(exact, grid, band="confidence").band)
    two = the(decision_curve(mended, grid, band="confidence", tolerance=1e-9).band)
    np.testing.assert_allclose(two.lower, one.lower, rtol=0, atol=1e-13)
    pairs = (
        decision_difference(exact, other, grid, band="confidence"),
        decision_difference(mended, moved, grid, band="confidence", tolerance=1e-9),
    )
    bounds = [the(pair.band).upper for pair in pairs]
    assert np.isfinite(bounds[0]).sum() > 20
    np.testing.assert_allclose(bounds[1], bounds[0], rtol=1e-11, atol=1e-13)


# Bands of differences


@every_weight
@pytest.mark.parametrize("clusters", [None, CLUSTER])
def test_pairs_are_judged_together(weight: Any, clusters: Any) -> None:
    first, second = (Cases(Y, p, weight=weight, clusters=clusters) for p in (P, OTHER))
    grid = np.arange(1, 60) / 100
    found = decision_difference(first, second, grid, band="confidence", level=LEVEL)
    band, known = the(found.band), 0
    np.testing.assert_array_equal(band.x, grid)
    assert band.method == ("normal" if clusters is None else "clusters")
    w, square = sizes(weight)
    number = w if np.array_equal(w, square) else np.ones(N)
    for row, t in enumerate(grid):
        gain = np.where(Y, 1, -t / (1 - t)) * ((t <= P) * 1.0 - (t <= OTHER))
        differ = (t <= P) != (t <= OTHER)
        got = [band.lower[row], band.upper[row]]
        if min(number[differ & Y].sum(), number[differ & ~Y].sum()) < 10:
            assert np.isnan(got).all()
            continue
        mean, half = (w * gain).sum() / w.sum(), spread(gain, weight, clusters)
        np.testing.assert_allclose(got, [mean - half, mean + half], rtol=1e-10, atol=1e-13)
        known += 1
    assert known > 15


def test_the_exact_difference_has_the_band_of_the_regret_turned_round() -> None:
    for clusters in (None, CLUSTER):
        first, second = (Cases(Y, p, clusters=clusters) for p in (P, OTHER))
        band = the(decision_difference(first, second, "every", band="confidence").band)
        murphy = the(murphy_difference(first, second, band="confidence").band)
        rows = murphy.x < 1
        np.testing.assert_array_equal(band.x, murphy.x[rows])
        scale = 2 * (1 - band.x)
        np.testing.assert_allclose(band.lower, -murphy.upper[rows] / scale, rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(band.upper, -murphy.lower[rows] / scale, rtol=1e-10, atol=1e-13)


# Intervals at one threshold


@every_weight
@pytest.mark.parametrize("c", [0.05, 0.25, 0.5])
def test_shares_have_score_intervals(weight: Any, c: float) -> None:
    ends = ends_of(at_threshold(tally(Y, P, weight=weight), c, interval=True, level=LEVEL))
    w, square = sizes(weight)
    acted = c <= P
    kinds: dict[str, tuple[Any, Any]] = {
        "acted": (acted, acted | True),
        "true_positives": (acted & Y, acted | True),
        "false_positives": (acted & ~Y, acted | True),
        "accuracy": (acted == Y, acted | True),
        "true_positive_rate": (acted & Y, Y),
        "false_positive_rate": (acted & ~Y, ~Y),
        "precision": (acted & Y, acted),
    }
    for name, (counted, among) in kinds.items():
        n = w[among].sum() ** 2 / square[among].sum()
        expected = wilson(w[counted].sum() / w[among].sum(), n)
        assert ends[name] == pytest.approx(expected, rel=0, abs=1e-11), name


@every_weight
@pytest.mark.parametrize("c", [0.05, 0.25, 0.5])
def test_sums_of_two_shares_are_put_together(weight: Any, c: float) -> None:
    found = at_threshold(tally(Y, P, weight=weight), c, harm=0.02, interval=True, level=LEVEL)
    ends, acted, odds = ends_of(found), c <= P, c / (1 - c)
    benefit = sum_of_shares([1, -odds], [acted & Y, acted & ~Y], weight)
    assert ends["net_benefit"] == pytest.approx([x - 0.02 for x in benefit], rel=0, abs=1e-12)
    saved = sum_of_shares([1, -1 / odds], [~acted & ~Y, ~acted & Y], weight)
    saved = saved[0] - 0.02 / odds, saved[1] - 0.02 / odds
    assert ends["interventions_avoided"] == pytest.approx(saved, rel=0, abs=1e-11)
    regret = sum_of_shares([c, 1 - c], [acted & ~Y, ~acted & Y], weight)
    assert ends["regret"] == pytest.approx(regret, rel=0, abs=1e-12)
    w, square = sizes(weight)
    rates = wilson((w * Y).sum() / w.sum(), w.sum() ** 2 / square.sum())
    expected = [rate - odds * (1 - rate) for rate in rates]
    assert ends["treat_all"] == pytest.approx(expected, rel=0, abs=1e-11)


def test_the_interval_of_regret_is_half_that_of_the_murphy_curve() -> None:
    t = tally(Y, P)
    curve = murphy_curve(t, band="confidence", level=LEVEL)
    for row, c in enumerate(curve.threshold[:-1]):
        got = ends_of(at_threshold(t, c, interval=True, level=LEVEL))["regret"]
        both = the(curve.band).lower[2 * row] / 2, the(curve.band).upper[2 * row] / 2
        if c > 0:
            assert got == pytest.approx(both, rel=0, abs=1e-13)


def ratio_amounts(c: float, harm: float, rate: float, w: Any) -> dict[str, tuple[float, Any]]:
    """Return ratios and what each case adds to them, by the delta method."""
    acted = c <= P
    benefit = acted * np.where(Y, 1, -c / (1 - c)) - harm
    regret = np.where(Y, (1 - c) * ~acted, c * acted)
    constant = np.where(Y, 0, c) if rate >= c else np.where(Y, 1 - c, 0)
    found = {}
    for name, above, below in (
        ("standardized_net_benefit", benefit, Y * 1.0),
        ("skill", regret, constant),
        ("precision", acted * Y, acted * 1.0),
        ("true_positive_rate", acted * Y, Y * 1.0),
    ):
        ratio = (w * above).sum() / (w * below).sum()
        found[name] = ratio, (above - ratio * below) * w.sum() / (w * below).sum()
    return found


@every_weight
@pytest.mark.parametrize("c", [0.05, 0.5])
def test_ratios_have_the_standard_error_of_ratios(weight: Any, c: float) -> None:
    t = tally(Y, P, weight=weight)
    ends = ends_of(at_threshold(t, c, harm=0.01, interval=True, level=LEVEL))
    w, _ = sizes(weight)
    amounts = ratio_amounts(c, 0.01, t.event_rate, w)
    ratio, amount = amounts["standardized_net_benefit"]
    half = spread(amount, weight)
    got = ends["standardized_net_benefit"]
    assert got == pytest.approx([ratio - half, ratio + half], rel=1e-10)
    ratio, amount = amounts["skill"]
    factor = np.exp(spread(amount, weight) / ratio)
    assert ends["skill"] == pytest.approx([1 - ratio * factor, 1 - ratio / factor], rel=1e-10)


@every_weight
def test_with_clusters_all_intervals_come_from_their_sums(weight: Any) -> None:
    c, cases = 0.25, Cases(Y, P, weight=weight, clusters=CLUSTER)
    ends = ends_of(at_threshold(cases, c, interval=True, level=LEVEL))
    w, _ = sizes(weight)
    acted, odds = c <= P, c / (1 - c)
    means = {
        "acted": acted * 1.0,
        "accuracy": (acted == Y) * 1.0,
        "regret": np.where(Y, (1 - c) * ~acted, c * acted),
        "net_benefit": acted * np.where(Y, 1, -odds),
        "treat_all": np.where(Y, 1, -odds),
        "interventions_avoided": ~acted * np.where(Y, -1 / odds, 1),
    }
    amounts = {name: ((w * x).sum() / w.sum(), x) for name, x in means.items()}
    amounts |= ratio_amounts(c, 0, (w * Y).sum() / w.sum(), w)
    ratio, amount = amounts.pop("skill")
    factor = np.exp(spread(amount, weight, CLUSTER) / ratio)
    assert ends["skill"] == pytest.approx([1 - ratio * factor, 1 - ratio / factor], rel=1e-10)
    for name, (mean, amount) in amounts.items():
        half = spread(amount, weight, CLUSTER)
        assert ends[name] == pytest.approx([mean - half, mean + half], rel=1e-10), name


def test_with_times_net_benefit_has_the_interval_of_a_mean_over_time() -> None:
    cases, c = Cases(Y, P, time=RNG.permutation(N)), 0.25
    found = at_threshold(cases, c, interval=True, level=LEVEL)
    value = np.unique(P)
    acted = (value >= c) * 1.0
    half = spread_of_means(cases, acted[None], -acted[None] * c / (1 - c)).half_widths(LEVEL)[0]
    expected = [found.net_benefit - half, found.net_benefit + half]
    assert ends_of(found)["net_benefit"] == pytest.approx(expected, rel=1e-12)
    assert half != pytest.approx(spread((c <= P) * np.where(Y, 1, -c / (1 - c)), None), rel=0.001)


def test_clusters_and_times_together_are_refused() -> None:
    cases = Cases(Y, P, clusters=CLUSTER, time=np.arange(N))
    assert at_threshold(cases, 0.25) == at_threshold(tally(Y, P), 0.25)
    with pytest.raises(DataError, match="clusters or for times; these cases have both"):
        at_threshold(cases, 0.25, interval=True)


@pytest.mark.parametrize("harm", [0, 0.05])
@pytest.mark.parametrize("clusters", [None, np.arange(6)])
def test_standardized_net_benefit_is_cut_at_what_no_forecasts_exceed(
    harm: float, clusters: Any
) -> None:
    """Of three events two are found, nobody is acted upon in vain."""
    cases = Cases([1, 1, 1, 0, 0, 0], [0.9, 0.9, 0.1, 0.1, 0.1, 0.1], clusters=clusters)
    found = at_threshold(cases, 0.5, harm=harm, interval=True)
    lower, upper = ends_of(found)["standardized_net_benefit"]
    half = found.standardized_net_benefit - lower
    assert found.standardized_net_benefit == pytest.approx(2 / 3 - 2 * harm, rel=1e-14)
    assert found.standardized_net_benefit + half > 1
    assert upper == 1 - harm


def test_the_cut_leaves_room_for_an_event_more_frequent_than_here() -> None:
    """Perfect forecasts are worth 1 minus harm over event rate, which 40 cases do not settle."""
    y = np.arange(40) % 2
    found = at_threshold(tally(y, y), 0.5, harm=0.1, interval=True)
    lower, upper = ends_of(found)["standardized_net_benefit"]
    assert found.standardized_net_benefit == pytest.approx(1 - 0.1 / 0.5, rel=1e-14)
    assert lower < 0.8 < upper < 1 - 0.1
    assert upper - 0.8 == pytest.approx(0.8 - lower, rel=1e-12)


def test_net_benefit_of_few_clusters_is_cut_at_its_least_and_greatest_value() -> None:
    c, odds = 0.2, 0.25
    y, p = np.repeat([1, 0], 4), np.repeat([0.5, 0.5, 0.1, 0.3], 2)
    cases = Cases(y, p, clusters=np.repeat([0, 1], 4))
    found = at_threshold(cases, c, harm=0.1, interval=True)
    ends = ends_of(found)
    assert found.net_benefit == pytest.approx(4 / 8 - odds * 2 / 8 - 0.1, rel=1e-14)
    assert ends["net_benefit"] == pytest.approx((-odds - 0.1, 1 - 0.1), rel=1e-14)
    assert ends["treat_all"] == pytest.approx((-odds, 1), rel=1e-14)
    assert ends["interventions_avoided"][1] == pytest.approx(1 - 0.1 / odds, rel=1e-14)
    band = the(decision_curve(cases, [c], harm=0.1, band="confidence", level=0.95).band)
    assert (band.lower[0], band.upper[0]) == pytest.approx(ends["net_benefit"], rel=1e-14)


def test_shares_of_clusters_stay_between_zero_and_one() -> None:
    y, p = np.repeat([0, 0, 0, 1], 2), np.repeat([0.1, 0.1, 0.1, 0.9], 2)
    cases = Cases(y, p, clusters=np.repeat(np.arange(4), 2))
    ends = ends_of(at_threshold(cases, 0.5, interval=True))
    assert ends["acted"][0] == ends["true_positives"][0] == 0
    assert 0 < ends["acted"][1] <= 1
    # No mistake was made in any cluster, which says nothing about how many there may be.
    assert np.isnan([*ends["regret"], *ends["precision"], *ends["false_positives"]]).all()


@pytest.mark.parametrize("clusters", [None, np.arange(6) // 2])
def test_where_nobody_is_acted_upon_net_benefit_has_no_interval(clusters: Any) -> None:
    cases = Cases([0, 1, 0, 0, 1, 0], [0.1, 0.2, 0.3, 0.1, 0.2, 0.3], clusters=clusters)
    ends = ends_of(at_threshold(cases, 0.5, harm=0.1, interval=True))
    for name in ("net_benefit", "standardized_net_benefit", "precision", "skill"):
        assert np.isnan(ends[name]).all(), name
    assert np.isfinite(ends["interventions_avoided"]).all()
    band = the(decision_curve(cases, [0.25, 0.5], band="confidence").band)
    assert np.isfinite(band.lower[0])
    assert np.isnan([band.lower[1], band.upper[1]]).all()


@pytest.mark.parametrize("clusters", [None, np.arange(6) // 2])
def test_where_all_are_acted_upon_none_is_avoided(clusters: Any) -> None:
    cases = Cases([0, 1, 0, 0, 1, 1], [0.7, 0.8, 0.9, 0.7, 0.8, 0.9], clusters=clusters)
    ends = ends_of(at_threshold(cases, 0.5, interval=True))
    assert np.isnan(ends["interventions_avoided"]).all()
    assert ends["net_benefit"] == pytest.approx(ends["treat_all"], rel=1e-12)


def test_intervals_cover_where_mistakes_are_few() -> None:
    """Of 200 cases 12 have the event; found by 0.75, 0.2 of the others in vain."""
    rng, cells = np.random.default_rng(23), np.array([0.045, 0.188, 0.015, 0.752])
    truth = {
        "regret": 0.1 * 0.188 + 0.9 * 0.015,
        "net_benefit": 0.045 - 0.188 / 9,
        "interventions_avoided": 0.752 - 9 * 0.015,
        "true_positive_rate": 0.75,
        "precision": 0.045 / 0.233,
    }
    held = dict.fromkeys(truth, 0)
    for true, false, missed, spared in rng.multinomial(200, cells, 400):
        t = Tally.from_counts([0, 1], [missed + spared, true + false], [missed, true])
        ends = ends_of(at_threshold(t, 0.1, interval=True, level=0.9))
        for name, value in truth.items():
            held[name] += ends[name][0] <= value <= ends[name][1]
    # 90 % and four standard errors of a share of 400 below; few events come in steps.
    assert all(0.84 < count / 400 < 0.98 for count in held.values()), held
