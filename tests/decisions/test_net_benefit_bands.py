"""How far off net benefit may be: against formulas case by case, and against chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit
from tests import score_oracles
from tests.score_oracles import LEVEL, corrected, put_together, spread, wilson

from properly import Cases, Tally, tally
from properly.decisions import AtThreshold, at_threshold, decision_curve, decision_difference

if TYPE_CHECKING:
    from properly.inference import Band

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

N = 400
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
    """Return weights and their squares."""
    return score_oracles.sizes(weight, N)


def alarms(acted: Any) -> tuple[Any, Any]:
    """Return true and false alarms, and whose weights theirs are like if there are none."""
    return (acted & Y, acted & ~Y), ((Y, acted), (~Y, acted))


# Bands of curves


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
            expected = put_together([1, -t / (1 - t)], *alarms(acted), None)
            assert bounds == pytest.approx(expected, rel=0, abs=1e-12)


@every_weight
@pytest.mark.parametrize(
    ("thresholds", "clusters"), [(THRESHOLDS, None), (THRESHOLDS, CLUSTER), ("every", CLUSTER)]
)
def test_a_band_is_made_of_two_score_intervals(weight: Any, thresholds: Any, clusters: Any) -> None:
    cases = Cases(Y, P, weight=weight, clusters=clusters)
    curve = decision_curve(cases, thresholds, band="confidence", level=LEVEL, harm=0.01)
    band, method = the(curve.band), "score" if clusters is None else "clusters"
    assert (band.kind, band.method, band.level) == ("confidence", method, LEVEL)
    grid = np.arange(1, 200) / 200 if isinstance(thresholds, str) else thresholds
    np.testing.assert_array_equal(band.x, grid)
    for row, t in enumerate(grid):
        bounds = band.lower[row], band.upper[row]
        if not (t <= P).any():
            assert np.isnan(bounds).all()
            continue
        expected = put_together([1, -t / (1 - t)], *alarms(t <= P), weight, clusters)
        assert bounds == pytest.approx([x - 0.01 for x in expected], rel=0, abs=1e-12)


@pytest.mark.parametrize("clusters", [None, CLUSTER])
def test_forecasts_that_drift_meet_their_thresholds_in_the_band_too(clusters: Any) -> None:
    drifted, grid = np.nextafter(P, 0), np.arange(1, 100) / 100
    exact, other, mended, moved = (
        Cases(Y, p, clusters=clusters) for p in (P, OTHER, drifted, np.nextafter(OTHER, 0))
    )
    one = the(decision_curve(exact, grid, band="confidence").band)
    two = the(decision_curve(mended, grid, band="confidence").band)
    np.testing.assert_allclose(two.lower, one.lower, rtol=0, atol=1e-13)
    pairs = (
        decision_difference(exact, other, grid, band="confidence"),
        decision_difference(mended, moved, grid, band="confidence"),
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


# Intervals at one threshold


SOURCES = pytest.mark.parametrize("clusters", [None, CLUSTER])


@SOURCES
@every_weight
@pytest.mark.parametrize("c", [0.2, 0.25, 0.5])
def test_shares_have_score_intervals(weight: Any, c: float, clusters: Any) -> None:
    cases = Cases(Y, P, weight=weight, clusters=clusters)
    ends = ends_of(at_threshold(cases, c, interval=True, level=LEVEL))
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
        share = w[counted].sum() / w[among].sum()
        away, quantile = (
            among * (counted - share) * w.sum() / w[among].sum(),
            ndtri((1 + LEVEL) / 2),
        )
        variance = (square * away**2).sum() / w.sum() ** 2
        if clusters is not None:
            quantile = stdtrit(corrected(np.bincount(clusters, w))[1], (1 + LEVEL) / 2)
            variance = max(variance, (spread(away, weight, clusters) / quantile) ** 2)
        expected = wilson(share, share * (1 - share) / variance, quantile)
        assert ends[name] == pytest.approx(expected, rel=0, abs=1e-11), name


@SOURCES
@every_weight
@pytest.mark.parametrize("c", [0.05, 0.25, 0.5])
def test_sums_of_two_shares_are_put_together(weight: Any, c: float, clusters: Any) -> None:
    cases = Cases(Y, P, weight=weight, clusters=clusters)
    ends = ends_of(at_threshold(cases, c, harm=0.02, interval=True, level=LEVEL))
    acted, odds, about = c <= P, c / (1 - c), (weight, clusters)
    benefit = put_together([1, -odds], *alarms(acted), *about)
    assert ends["net_benefit"] == pytest.approx([x - 0.02 for x in benefit], rel=0, abs=1e-12)
    kinds, alike = (~acted & ~Y, ~acted & Y), ((~Y, ~acted), (Y, ~acted))
    saved = [x - 0.02 / odds for x in put_together([1, -1 / odds], kinds, alike, *about)]
    assert ends["interventions_avoided"] == pytest.approx(saved, rel=0, abs=1e-11)
    kinds, alike = (acted & ~Y, ~acted & Y), ((~Y, acted), (Y, ~acted))
    regret = put_together([c, 1 - c], kinds, alike, *about)
    assert ends["regret"] == pytest.approx(regret, rel=0, abs=1e-12)
    expected = put_together([1, -odds], *alarms(acted | True), *about)
    assert ends["treat_all"] == pytest.approx(expected, rel=0, abs=1e-11)


def per_case(
    amounts: tuple[float, float], kinds: Any, outcome: Any, weight: Any, cluster: Any
) -> tuple[float, float]:
    """Bound what is counted per case of an outcome: a share of these, and odds of others."""
    (w, square), (one, other) = sizes(weight), kinds
    total = w[outcome].sum()
    share, others = w[one].sum() / total, w[other].sum() / total
    away = np.array([one - share * outcome, other - others * outcome]) * w.sum() / total
    covariance = (square * away) @ away.T / w.sum() ** 2
    amount, quantile, design = np.array(amounts), ndtri((1 + LEVEL) / 2), 1.0
    if cluster is not None:
        quantile = stdtrit(corrected(np.bincount(cluster, w))[1], (1 + LEVEL) / 2)
        actual = (spread(amount @ away, weight, cluster) / quantile) ** 2
        design = max(actual / (amount @ covariance @ amount), 1)
    part = others / (1 + others)
    sizes_of = (
        share * (1 - share) / covariance[0, 0],
        # The odds of a share move by so much more than the share.
        part * (1 - part) / (covariance[1, 1] * (1 - part) ** 4),
    )
    ends, odds = (
        np.array(wilson(x, n / design, quantile))
        for x, n in zip((share, part), sizes_of, strict=True)
    )
    moves = np.sort([amount[0] * (ends - share), amount[1] * (odds / (1 - odds) - others)])
    r = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]) * np.sign(amount.prod())
    far = np.sqrt(moves[0] ** 2 + moves[1] ** 2 + 2 * r * moves[0] * moves[1])
    estimate = amount @ [share, others]
    return estimate - far[0], estimate + far[1]


@SOURCES
@every_weight
@pytest.mark.parametrize("c", [0.2, 0.25, 0.5])
def test_what_is_lost_per_case_is_a_share_and_odds(weight: Any, c: float, clusters: Any) -> None:
    cases = Cases(Y, P, weight=weight, clusters=clusters)
    found = at_threshold(cases, c, interval=True, level=LEVEL)
    acted, odds, about = c <= P, c / (1 - c), (weight, clusters)
    benefit = per_case((1, -odds), (acted & Y, acted & ~Y), Y, *about)
    assert ends_of(found)["standardized_net_benefit"] == pytest.approx(benefit, rel=1e-9)
    nobody = per_case((1, odds), (~acted & Y, acted & ~Y), Y, *about)
    everyone = per_case((1, 1 / odds), (acted & ~Y, ~acted & Y), ~Y, *about)
    # Lost against the better of the two.
    skill = 1 - np.maximum(nobody, everyone)[::-1]
    assert ends_of(found)["skill"] == pytest.approx(skill, rel=1e-9)


@every_weight
def test_with_a_harm_standardized_net_benefit_has_the_error_of_a_ratio(weight: Any) -> None:
    c, t = 0.25, tally(Y, P, weight=weight)
    found = at_threshold(t, c, harm=0.01, interval=True, level=LEVEL)
    ratio, (w, _) = found.standardized_net_benefit, sizes(weight)
    amount = (c <= P) * np.where(Y, 1, -c / (1 - c)) - 0.01 - ratio * Y
    half = spread(amount * w.sum() / w[Y].sum(), weight)
    expected = [ratio - half, ratio + half]
    assert ends_of(found)["standardized_net_benefit"] == pytest.approx(expected, rel=1e-10)


def test_where_the_event_rate_is_the_threshold_skill_is_against_both() -> None:
    """To act on all and on nobody lose the same; the interval is not that against either."""
    t, c = Tally.from_counts([0.1, 0.4], [50, 50], [5, 15]), 0.2
    ends = ends_of(at_threshold(t, c, interval=True))
    lower, upper = ends["skill"]
    # The standardized net benefit is the skill against nobody.
    nobody = ends["standardized_net_benefit"]
    assert t.event_rate == c
    assert lower == pytest.approx(nobody[0], rel=1e-12)
    assert upper < nobody[1] - 0.05


@pytest.mark.parametrize("clusters", [None, CLUSTER], ids=["times", "panel"])
def test_with_times_net_benefit_is_bounded_as_on_the_curve(clusters: Any) -> None:
    cases, c = Cases(Y, P, time=RNG.permutation(N) // 4, clusters=clusters), 0.25
    assert at_threshold(cases, c) == at_threshold(tally(Y, P), c)
    found = at_threshold(cases, c, interval=True, level=LEVEL)
    band = the(decision_curve(cases, [c], band="confidence", level=LEVEL).band)
    expected = [band.lower[0], band.upper[0]]
    assert ends_of(found)["net_benefit"] == pytest.approx(expected, rel=1e-12)
    alone = ends_of(at_threshold(tally(Y, P), c, interval=True, level=LEVEL))
    assert all(ends != alone[name] for name, ends in ends_of(found).items())


@pytest.mark.parametrize("clusters", [None, np.arange(6)])
def test_standardized_net_benefit_is_cut_at_what_no_forecasts_exceed(clusters: Any) -> None:
    """Of three events two are found, nobody is acted upon in vain."""
    cases = Cases([1, 1, 1, 0, 0, 0], [0.9, 0.9, 0.1, 0.1, 0.1, 0.1], clusters=clusters)
    found = at_threshold(cases, 0.5, harm=0.05, interval=True)
    lower, upper = ends_of(found)["standardized_net_benefit"]
    half = found.standardized_net_benefit - lower
    assert found.standardized_net_benefit == pytest.approx(2 / 3 - 2 * 0.05, rel=1e-14)
    assert found.standardized_net_benefit + half > 1
    assert upper == 0.95
    # Without a harm, it is at most as high as the true positive rate may be.
    ends = ends_of(at_threshold(cases, 0.5, interval=True))
    lower, upper = ends["standardized_net_benefit"]
    if clusters is None:
        assert upper == pytest.approx(ends["true_positive_rate"][1], rel=1e-12)
    assert lower < ends["true_positive_rate"][0]
    assert upper < 1


def test_the_cut_leaves_room_for_an_event_more_frequent_than_here() -> None:
    """Perfect forecasts are worth 1 minus harm over event rate, which 40 cases do not settle."""
    y = np.arange(40) % 2
    found = at_threshold(tally(y, y), 0.5, harm=0.1, interval=True)
    lower, upper = ends_of(found)["standardized_net_benefit"]
    assert found.standardized_net_benefit == pytest.approx(1 - 0.1 / 0.5, rel=1e-14)
    assert lower < 0.8 < upper < 1 - 0.1
    assert upper - 0.8 == pytest.approx(0.8 - lower, rel=1e-12)


def test_net_benefit_of_few_clusters_stays_between_its_least_and_greatest_value() -> None:
    c, odds = 0.2, 0.25
    y, p = np.repeat([1, 0], 4), np.repeat([0.5, 0.5, 0.1, 0.3], 2)
    cases = Cases(y, p, clusters=np.repeat([0, 1], 4))
    found = at_threshold(cases, c, harm=0.1, interval=True)
    ends = ends_of(found)
    assert found.net_benefit == pytest.approx(4 / 8 - odds * 2 / 8 - 0.1, rel=1e-14)
    for name, least, most in (
        ("net_benefit", -odds - 0.1, 1 - 0.1),
        ("treat_all", -odds, 1),
        ("interventions_avoided", -1 / odds - 0.1 / odds, 1 - 0.1 / odds),
    ):
        # Two clusters that differ in all say next to nothing.
        assert least < ends[name][0] < ends[name][1] < most
        assert ends[name][1] - ends[name][0] > 0.8 * (most - least), name
    band = the(decision_curve(cases, [c], harm=0.1, band="confidence", level=0.95).band)
    assert (band.lower[0], band.upper[0]) == pytest.approx(ends["net_benefit"], rel=1e-12)


def test_shares_of_clusters_stay_between_zero_and_one() -> None:
    y, p = np.repeat([0, 0, 0, 1], 2), np.repeat([0.1, 0.1, 0.1, 0.9], 2)
    cases = Cases(y, p, clusters=np.repeat(np.arange(4), 2))
    ends = ends_of(at_threshold(cases, 0.5, interval=True))
    assert 0 < ends["acted"][0] < 0.25 < ends["acted"][1] < 1
    assert ends["acted"] == ends["true_positives"]
    # No mistake was made in any cluster, which says nothing about how many there may be.
    assert np.isnan([*ends["regret"], *ends["precision"], *ends["false_positives"]]).all()


@pytest.mark.parametrize("clusters", [None, np.arange(6) // 2])
def test_where_nobody_is_acted_upon_net_benefit_has_no_interval(clusters: Any) -> None:
    cases = Cases([0, 1, 0, 0, 1, 0], [0.1, 0.2, 0.3, 0.1, 0.2, 0.3], clusters=clusters)
    ends = ends_of(at_threshold(cases, 0.5, harm=0.1, interval=True))
    for name in ("net_benefit", "standardized_net_benefit", "precision"):
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


def weigh(counts: Any, weight: Any) -> Tally:
    """Make a tally of counts of the four kinds, each of its weight."""
    y, p = [1, 0, 1, 0], [0.9, 0.9, 0.01, 0.01]
    return tally(*(np.repeat(x, counts) for x in (y, p)), weight=np.repeat(weight, counts))


def test_a_kind_that_was_not_seen_is_as_heavy_as_the_heavier_of_those_alike() -> None:
    """No event was found: 40 of weight 1/2 were missed, and acted upon are others of weight 3/2."""
    t = weigh([0, 20, 40, 100], [9, 1.5, 0.5, 0.25])
    n = np.array([75.0, 75.0 / 1.5])
    ends = ends_of(at_threshold(t, 0.2, interval=True, level=LEVEL))
    assert ends["true_positives"] == pytest.approx(wilson(0, n[1]), rel=1e-9, abs=1e-12)
    assert ends["true_positive_rate"] == pytest.approx(wilson(0, 20 / 1.5), rel=1e-9, abs=1e-12)
    # All who are acted upon have no event, and their weight says how precisely that is known.
    assert ends["precision"] == pytest.approx(wilson(0, 30 / 1.5), rel=1e-9, abs=1e-12)


@pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")
def test_net_benefit_is_never_less_than_if_all_actions_were_in_vain() -> None:
    cases = Cases(np.zeros(6, bool), [0.2, 0.3, 0.4, 0.5, 0.6, 0.7], clusters=[0, 0, 1, 1, 2, 2])
    band = decision_curve(cases, [0.05, 0.1, 0.15], band="confidence", level=0.999).band
    assert band is not None
    np.testing.assert_allclose(band.lower, [-1 / 19, -1 / 9, -3 / 17], rtol=1e-15)


def test_who_acts_on_all_knows_all_but_the_event_rate() -> None:
    """Then net benefit is a straight line in the event rate, and so are its bounds."""
    curve = decision_curve(tally(Y, P + (1 - P) / 2), [0.2], band="confidence", level=LEVEL)
    assert curve.band is not None
    for bound, rate in zip((curve.band.lower, curve.band.upper), wilson(Y.mean(), N), strict=True):
        assert bound[0] == pytest.approx(rate - (1 - rate) / 4, rel=1e-12)
