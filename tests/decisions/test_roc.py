"""ROC curves and their bands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import ndtri

from properly import Cases, Tally, reliability, roc_curve, tally
from properly.counts import with_event_rate
from properly.counts._tally import as_tally
from properly.decisions import predicted_roc_curve, ranking
from properly.decisions._roc import AlarmTable, _design_effect

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly.decisions._roc import RocBand

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

N = 150
RNG = np.random.default_rng(11)
P = RNG.random(N).round(1)
Y = RNG.random(N) < P**2
WEIGHT = RNG.exponential(size=N)
CLUSTER = RNG.integers(0, 30, N)
SOURCES: dict[str, Tally | Cases] = {
    "few values": tally(Y, P),
    "many values": tally(Y, P / 2 + np.arange(N) / 1e4),
    "far more cases than values": Tally.from_counts([0.2, 0.5, 0.9], [80, 90, 30], [20, 40, 25]),
    "fractional weights": Cases(Y, P, weight=WEIGHT),
    "fractional weights, tallied": tally(Y, P, weight=WEIGHT),
    "clusters": Cases(Y, P, clusters=CLUSTER),
    "fractional weights in clusters": Cases(Y, P, weight=WEIGHT, clusters=CLUSTER),
}
every_source = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
raw_and_hull = pytest.mark.parametrize("hull", [False, True])


def concordance(y: NDArray[Any], p: NDArray[Any], weight: NDArray[Any]) -> float:
    """Compare every event with every non-event."""
    event, none, w1, w0 = p[y][:, None], p[~y], weight[y][:, None], weight[~y]
    wins = (event > none) + (event == none) / 2
    return float((wins * w1 * w0).sum() / (w1.sum() * w0.sum()))


@pytest.mark.parametrize("weight", [np.ones(N), RNG.integers(1, 5, N), WEIGHT])
def test_the_area_is_the_share_of_pairs_in_order(weight: NDArray[Any]) -> None:
    area = roc_curve(tally(Y, P, weight=weight)).area
    assert area == pytest.approx(concordance(Y, P, weight), rel=0, abs=1e-14)


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=2, max_size=40))
def test_the_hull_covers_the_curve_and_ends_with_it(rows: list[tuple[int, bool]]) -> None:
    p, y = np.array([row[0] / 9 for row in rows]), np.array([row[1] for row in rows])
    assume(y.any() and not y.all())
    raw, hull = (roc_curve(tally(y, p), hull=hull) for hull in (False, True))
    over = np.interp(raw.false_positive_rate, hull.false_positive_rate, hull.true_positive_rate)
    assert (over >= raw.true_positive_rate - 1e-15).all()
    assert hull.area >= raw.area
    with np.errstate(divide="ignore"):
        slope = np.diff(hull.true_positive_rate) / np.diff(hull.false_positive_rate)
    assert (np.diff(slope[np.isfinite(slope)]) < 0).all()
    points = set(zip(raw.false_positive_rate, raw.true_positive_rate, strict=True))
    assert set(zip(hull.false_positive_rate, hull.true_positive_rate, strict=True)) <= points


@every_source
@raw_and_hull
def test_the_curve_runs_from_corner_to_corner(source: Tally | Cases, hull: bool) -> None:
    curve = roc_curve(source, hull=hull)
    for rate in (curve.false_positive_rate, curve.true_positive_rate):
        assert (rate[0], rate[-1]) == (0, 1)
        assert (np.diff(rate) >= 0).all()
    trapezoids = np.diff(curve.false_positive_rate) * (
        curve.true_positive_rate[1:] + curve.true_positive_rate[:-1]
    )
    assert curve.area == pytest.approx(trapezoids.sum() / 2, rel=0, abs=1e-14)


@pytest.mark.parametrize("happened", [0, 1])
@raw_and_hull
def test_the_rate_of_a_missing_class_is_not_a_number(happened: int, hull: bool) -> None:
    curve = roc_curve(tally([happened] * 3, [0.2, 0.4, 0.4]), hull=hull)
    rates = [curve.false_positive_rate, curve.true_positive_rate]
    assert np.isnan(rates[1 - happened]).all()
    assert not np.isnan(rates[happened]).any()
    assert np.isnan(curve.area)


@raw_and_hull
def test_acting_at_a_threshold_gives_its_point(hull: bool) -> None:
    t = tally(Y, P)
    curve = roc_curve(t, hull=hull)
    p = P
    if hull:
        fit = reliability(t)
        p = fit.recalibrated[np.searchsorted(fit.value, P)]
    for at, false, true in zip(
        curve.threshold, curve.false_positive_rate, curve.true_positive_rate, strict=True
    ):
        assert false == np.mean(p[~Y] >= at)
        assert true == np.mean(p[Y] >= at)


@every_source
def test_precision_is_the_event_rate_of_the_cases_acted_on(source: Tally | Cases) -> None:
    curve, t = roc_curve(source), as_tally(source)
    acted, found = (np.cumsum(x[::-1]) for x in (t.weight, t.events))
    np.testing.assert_allclose(curve.precision[1:], found / acted, rtol=1e-13)
    assert np.isnan(curve.precision[0])
    assert curve.average_precision == pytest.approx(ranking(source).average_precision, rel=1e-13)
    # Its band is that of the curve: at each alarm rate the precision that its ends have.
    band = roc_curve(source, band="confidence").band
    assert band is not None
    x, y, rate = band.upper_false_positive_rate, band.upper_true_positive_rate, curve.event_rate
    expected = rate * y[1:] / band.alarm_rate[1:]
    np.testing.assert_allclose(curve.precision_at(x, y)[1:], expected, rtol=1e-12)


def test_another_event_rate_changes_precision_and_not_the_rates() -> None:
    here = roc_curve(tally(Y, P))
    there = roc_curve(with_event_rate(tally(Y, P), 0.01))
    np.testing.assert_allclose(there.true_positive_rate, here.true_positive_rate, atol=1e-14)
    found, in_vain = 0.01 * here.true_positive_rate, 0.99 * here.false_positive_rate
    expected = found[1:] / (found + in_vain)[1:]
    np.testing.assert_allclose(there.precision[1:], expected, rtol=1e-12)
    nothing = roc_curve(with_event_rate(tally(Y, np.full(N, 0.3)), 0.01))
    assert nothing.average_precision == pytest.approx(0.01, rel=1e-12)


@pytest.mark.parametrize("happened", [0, 1])
def test_without_non_events_precision_is_1_and_without_events_unknown(happened: int) -> None:
    t = tally([happened] * 3, [0.2, 0.4, 0.4])
    np.testing.assert_equal(roc_curve(t).average_precision, ranking(t).average_precision)


# What the forecasts promise


def test_calibrated_forecasts_keep_what_they_promise() -> None:
    value, often = np.arange(11) / 10, np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5])
    # Exactly the predicted share of each has the event, as in a population.
    t = Tally.from_counts(value, 10 * often, np.arange(11) * often)
    actual, predicted = roc_curve(t), predicted_roc_curve(t)
    assert predicted.area == pytest.approx(actual.area, rel=0, abs=1e-15)
    for name in ("false_positive_rate", "true_positive_rate"):
        np.testing.assert_allclose(getattr(predicted, name), getattr(actual, name), atol=1e-15)
    np.testing.assert_array_equal(predicted.threshold, actual.threshold)
    assert (predicted.hull, predicted.band) == (False, None)


@every_source
def test_the_predicted_curve_is_that_of_pairs_and_concave(source: Tally | Cases) -> None:
    curve = predicted_roc_curve(source)
    t = source if isinstance(source, Tally) else source.tally()
    y = np.repeat([True, False], len(t))
    share = np.concatenate([t.weight * t.value, t.weight * (1 - t.value)])
    pairs = concordance(y, np.tile(t.value, 2), share)
    assert curve.area == pytest.approx(pairs, rel=0, abs=1e-14)
    turn = np.diff(curve.true_positive_rate)[:, None] * np.diff(curve.false_positive_rate)
    # Each step is less steep than every one before it.
    assert (np.triu(turn - turn.T) >= -1e-15).all()


def test_forecasts_that_promise_no_event_have_no_predicted_curve() -> None:
    curve = predicted_roc_curve(tally([0, 1], [0.0, 0.0]))
    assert np.isnan(curve.area)
    assert np.isnan(curve.true_positive_rate).all()
    np.testing.assert_array_equal(curve.false_positive_rate, [0, 1])


def band_of(source: Tally | Cases, level: float = 0.9) -> RocBand:
    band = roc_curve(source, band="confidence", level=level).band
    assert band is not None
    return band


def width(band: RocBand) -> float:
    return float(np.mean(band.lower_false_positive_rate - band.upper_false_positive_rate))


@every_source
def test_the_band_lies_along_lines_of_constant_alarm_rate(source: Tally | Cases) -> None:
    band = band_of(source)
    p = as_tally(source).event_rate
    rates = band.to_dict()
    for side in ("lower", "upper"):
        false, true = (np.array(rates[f"{side}_{x}_positive_rate"]) for x in ("false", "true"))
        np.testing.assert_allclose(p * true + (1 - p) * false, band.alarm_rate, atol=1e-14)
        ends = (false[0], true[0], false[-1], true[-1])
        np.testing.assert_allclose(ends, (0, 0, 1, 1), atol=1e-14)
    assert (band.lower_true_positive_rate <= band.upper_true_positive_rate).all()


@every_source
def test_the_band_holds_the_curve_of_the_data_and_grows_with_the_level(
    source: Tally | Cases,
) -> None:
    curve, p = roc_curve(source), as_tally(source).event_rate
    alarm = p * curve.true_positive_rate + (1 - p) * curve.false_positive_rate
    narrow, wide = (band_of(source, level) for level in (0.5, 0.99))
    false = np.interp(narrow.alarm_rate, alarm, curve.false_positive_rate)
    assert (false <= narrow.lower_false_positive_rate + 1e-12).all()
    assert (false >= narrow.upper_false_positive_rate - 1e-12).all()
    assert (wide.lower_false_positive_rate >= narrow.lower_false_positive_rate).all()
    assert (wide.upper_false_positive_rate <= narrow.upper_false_positive_rate).all()


def test_a_bound_is_where_a_score_test_begins_to_refuse() -> None:
    # 12 of 40 cases had the event; of the 10 alarms 3 were in vain.
    t = Tally.from_counts([0.2, 0.8], [30, 10], [5, 7])
    band, z = band_of(t), float(ndtri(0.95))
    row = int(np.flatnonzero(band.alarm_rate == 0.25)[0])

    def excess(in_vain: float) -> float:
        missed = 12 - 10 + in_vain
        acted, left = in_vain * (1 - in_vain / 10), missed * (1 - missed / 30)
        return float((3 - in_vain) ** 2 - z**2 * acted * left / (acted + left))

    upper, lower = brentq(excess, 1e-9, 3, xtol=1e-14), brentq(excess, 3, 9.9, xtol=1e-14)
    assert band.upper_false_positive_rate[row] == pytest.approx(upper / 28, abs=1e-12)
    assert band.lower_false_positive_rate[row] == pytest.approx(lower / 28, abs=1e-12)
    assert band.lower_true_positive_rate[row] == pytest.approx((10 - lower) / 12, abs=1e-12)


def test_a_perfect_curve_still_has_a_band() -> None:
    band = band_of(tally([0] * 20 + [1] * 20, np.arange(40) / 40))
    assert band.lower_true_positive_rate[20] < 0.97
    assert band.upper_true_positive_rate[20] == 1


def test_ones_as_clusters_and_equal_weights_change_nothing_but_the_degrees() -> None:
    plain = band_of(Cases(Y, P))
    rows = band_of(Cases(Y, P, clusters=np.arange(N)))
    for equal in (np.full(N, 0.37), np.full(N, 7)):
        scaled = band_of(Cases(Y, P, weight=equal))
        np.testing.assert_array_equal(scaled.alarm_rate, plain.alarm_rate)
        np.testing.assert_array_equal(
            scaled.lower_false_positive_rate, plain.lower_false_positive_rate
        )
    # 101 alarm rates instead of 151: compare where both are given.
    shared = np.isin(plain.alarm_rate.round(9), rows.alarm_rate.round(9))
    assert shared.sum() > 40
    at = np.searchsorted(rows.alarm_rate, plain.alarm_rate[shared] - 1e-9)
    given = rows.lower_false_positive_rate[at]
    expected = plain.lower_false_positive_rate[shared]
    np.testing.assert_allclose(given, expected, atol=2e-3)


def test_counts_are_copies_and_weights_are_wider() -> None:
    number = 1 + np.arange(N) % 4
    copied = band_of(tally(np.repeat(Y, number), np.repeat(P, number)))
    counted = band_of(tally(Y, P, count=number))
    for name, column in copied._columns().items():
        np.testing.assert_array_equal(getattr(counted, name), column)
    assert width(band_of(tally(Y, P, weight=number))) > 1.3 * width(counted)


def test_a_band_has_501_alarm_rates_at_most_and_as_many_as_cases_allow() -> None:
    few = tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    many = Tally.from_counts([0.2, 0.7], [9000, 9000], [2000, 6000])
    for t, rates in ((few, 5), (many, 501)):
        assert len(band_of(t).alarm_rate) == rates


@pytest.mark.parametrize("happened", [0, 1])
def test_the_band_of_one_class_is_not_a_number(happened: int) -> None:
    assert np.isnan(band_of(tally([happened] * 2, [0.1, 0.3])).outline()).all()


@pytest.mark.parametrize("events", [60, 30])
def test_the_band_does_not_jump_where_there_are_as_many_alarms_as_events(events: int) -> None:
    y, p = np.arange(120) % 120 < events, np.random.default_rng(3).random(120)
    band = band_of(tally(y, p))
    assert events / 120 in band.alarm_rate
    for name in ("lower_true_positive_rate", "upper_true_positive_rate"):
        # One alarm more changes a rate by one event at the most, and the bound not much more.
        assert np.abs(np.diff(getattr(band, name))).max() < 3 / events


def test_the_design_effect_adds_up_cases_one_by_one() -> None:
    rng = np.random.default_rng(4)
    n = 60
    p = np.round(rng.random(n), 1)
    y, w = rng.random(n) < p, np.where(p > 0.5, 3.0, 0.5) * rng.uniform(0.5, 1.5, n)
    total, events = w.sum(), w[y].sum()
    rates = np.array([0.4, 0.6, 0.8])
    # The share of each case that is on the side of the alarms; ties are shared out.
    above = np.array([w[p > x].sum() for x in p])
    at = np.array([w[p == x].sum() for x in p])
    inside = np.clip((rates[:, None] * total - above) / at, 0, 1)
    table = AlarmTable(total, events, rates * total, inside @ (w * ~y))
    expected = []
    for share, in_vain, alarms in zip(inside, table.in_vain, table.alarms, strict=True):
        first, second = 1 - in_vain / alarms, (events - alarms + in_vain) / (total - alarms)
        acted, left = alarms * first * (1 - first), (total - alarms) * second * (1 - second)
        lean = acted / (acted + left)
        amount = share * (1 - lean) * (y - first) - (1 - share) * lean * (y - second)
        expected.append((w**2 @ amount**2) / (w @ amount**2))
    # Cases of one forecast and one outcome are alike to the table, whatever each weighs.
    found = _design_effect(tally(y, p, weight=w), None, table)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("events", [1, 4])
def test_one_case_of_a_kind_is_enough_for_a_band(events: int) -> None:
    y = np.arange(5) < events
    band = roc_curve(tally(y, [0.1, 0.3, 0.5, 0.7, 0.9]), band="confidence").band
    assert band is not None
    for side in ("lower", "upper"):
        for rate in ("false", "true"):
            assert np.isfinite(getattr(band, f"{side}_{rate}_positive_rate")).all()
