"""ROC curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from properly import Cases, Tally, tally
from properly._roc import RocBand, RocCurve, roc_curve
from properly._tally import as_tally
from properly.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    "clusters": Cases(Y, P, clusters=CLUSTER),
    "fractional weights in clusters": Cases(Y, P, weight=WEIGHT, clusters=CLUSTER),
}
every_source = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
raw_and_hull = pytest.mark.parametrize("hull", [False, True])


def the_band(curve: RocCurve) -> RocBand:
    assert curve.band is not None
    return curve.band


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


def test_there_is_one_point_a_distinct_forecast_and_the_origin() -> None:
    curve = roc_curve(tally([0, 1, 0, 1, 1], [0.2, 0.2, 0.2, 0.6, 0.9]))
    np.testing.assert_array_equal(curve.false_positive_rate, [0, 0, 0, 1])
    np.testing.assert_array_equal(curve.true_positive_rate, [0, 1 / 3, 2 / 3, 1])


@pytest.mark.parametrize("often", [1, 2**29, 2**59 - 1])
def test_the_area_is_exact_however_many_cases_there_are(often: int) -> None:
    weight, events = np.array([9, 3, 3]) * often, np.array([0, 1, 2]) * often
    area = roc_curve(Tally.from_counts([0.1, 0.5, 0.9], weight, events)).area
    assert area == (1 * (2 * 9 + 2) + 2 * (2 * 11 + 1)) / (2 * 12 * 3)


@pytest.mark.parametrize("happened", [0, 1])
@raw_and_hull
def test_the_rate_of_a_missing_class_is_not_a_number(happened: int, hull: bool) -> None:
    curve = roc_curve(tally([happened] * 3, [0.2, 0.4, 0.4]), hull=hull)
    rates = [curve.false_positive_rate, curve.true_positive_rate]
    assert np.isnan(rates[1 - happened]).all()
    assert not np.isnan(rates[happened]).any()
    assert np.isnan(curve.area)


def test_nobody_takes_the_hull_for_the_curve() -> None:
    t = tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    assert repr(roc_curve(t)) == "RocCurve(AUC 0.75)"
    assert repr(roc_curve(t, hull=True)) == "RocCurve(area 0.875 under the hull, not the AUC)"


@every_source
@raw_and_hull
def test_the_band_lies_along_lines_of_constant_alarm_rate(
    source: Tally | Cases, hull: bool
) -> None:
    band = the_band(roc_curve(source, hull=hull, band="confidence", replicates=40, rng=1))
    p = as_tally(source).event_rate
    rates = band.to_dict()
    for side in ("lower", "upper"):
        false, true = (np.array(rates[f"{side}_{x}_positive_rate"]) for x in ("false", "true"))
        np.testing.assert_allclose(p * true + (1 - p) * false, band.alarm_rate, atol=1e-14)
        assert (false[0], true[0], false[-1], true[-1]) == (0, 0, 1, 1)
    assert (band.lower_true_positive_rate <= band.upper_true_positive_rate).all()
    assert band.replicates == 40


@every_source
def test_a_wide_band_holds_the_curve_of_the_data(source: Tally | Cases) -> None:
    curve = roc_curve(source, band="confidence", level=0.999, replicates=300, rng=2)
    band = the_band(curve)
    p = as_tally(source).event_rate
    alarm = p * curve.true_positive_rate + (1 - p) * curve.false_positive_rate
    false = np.interp(band.alarm_rate, alarm, curve.false_positive_rate)
    assert (false <= band.lower_false_positive_rate + 1e-12).all()
    assert (false >= band.upper_false_positive_rate - 1e-12).all()


@every_source
def test_the_band_of_the_hull_lies_above_that_of_the_curve(source: Tally | Cases) -> None:
    raw, hull = (
        the_band(roc_curve(source, hull=hull, band="confidence", replicates=50, rng=2))
        for hull in (False, True)
    )
    for bound in ("lower_true_positive_rate", "upper_true_positive_rate"):
        assert (getattr(hull, bound) >= getattr(raw, bound) - 1e-12).all()
        # Three forecasts in order have a concave curve to begin with.
        differ = (getattr(hull, bound) > getattr(raw, bound) + 1e-3).any()
        assert differ == (len(as_tally(source)) > 3)


def test_counts_and_cases_are_drawn_alike() -> None:
    counts = Tally.from_counts([0.2, 0.5, 0.9], [80, 90, 30], [20, 40, 25])
    p = np.repeat([0.2, 0.2, 0.5, 0.5, 0.9, 0.9], [60, 20, 50, 40, 5, 25])
    y = np.repeat([0, 1, 0, 1, 0, 1], [60, 20, 50, 40, 5, 25])
    one, other = (
        the_band(roc_curve(x, band="confidence", replicates=4000, rng=3))
        for x in (counts, Cases(y, p, clusters=np.arange(len(y))))
    )
    assert np.array_equal(one.alarm_rate, other.alarm_rate)
    difference = one.upper_false_positive_rate - other.upper_false_positive_rate
    assert np.abs(difference).max() < 0.015


def test_clusters_widen_the_band() -> None:
    y, p = np.repeat(Y, 10), np.repeat(P, 10)
    clusters = np.repeat(np.arange(N), 10)
    width = [
        np.mean(band.lower_false_positive_rate - band.upper_false_positive_rate)
        for band in (
            the_band(roc_curve(x, band="confidence", replicates=200, rng=4))
            for x in (Cases(y, p), Cases(y, p, clusters=clusters))
        )
    ]
    assert width[1] == pytest.approx(np.sqrt(10) * width[0], rel=0.15)


def test_the_same_seed_draws_the_same_band() -> None:
    one, other = (the_band(roc_curve(tally(Y, P), band="confidence", rng=5)) for _ in range(2))
    assert one.to_dict() == other.to_dict()


def test_a_band_has_501_alarm_rates_at_most_and_as_many_as_cases_allow() -> None:
    few = tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    many = Tally.from_counts([0.2, 0.7], [9000, 9000], [2000, 6000])
    for t, rates in ((few, 5), (many, 501)):
        assert (
            len(the_band(roc_curve(t, band="confidence", replicates=9, rng=6)).alarm_rate) == rates
        )


def test_replicates_of_one_class_are_left_out() -> None:
    t = tally([0, 1, 0, 0, 0], [0.1, 0.3, 0.6, 0.9, 0.9])
    band = the_band(roc_curve(t, band="confidence", replicates=200, rng=7))
    assert 100 < band.replicates < 150
    assert not np.isnan(band.outline()).any()


def test_one_class_has_no_band() -> None:
    with pytest.raises(DataError, match="got 0 of 20"):
        roc_curve(tally([0, 0], [0.1, 0.3]), band="confidence", replicates=20)


def test_fractional_weights_need_the_rows() -> None:
    with pytest.raises(DataError, match="Cases"):
        roc_curve(tally(Y, P, weight=WEIGHT), band="confidence")


def test_the_outline_is_closed() -> None:
    band = the_band(roc_curve(tally(Y, P), band="confidence", replicates=20, rng=8))
    x, y = band.outline()
    assert len(x) == len(y) == 2 * len(band.alarm_rate)
    assert (x[0], y[0]) == (x[-1], y[-1]) == (0, 0)
    assert repr(band) == f"RocBand(90 % confidence, at {N + 1} alarm rates)"


def test_the_records_are_ready_for_json_and_for_frames() -> None:
    curve = roc_curve(tally([0, 1], [0.25, 0.5]), band="confidence", replicates=30, rng=9)
    columns = {"false_positive_rate": [0.0, 0.0, 1.0], "true_positive_rate": [0.0, 1.0, 1.0]}
    assert curve.to_dict() == columns | {"area": 1.0, "hull": False}
    assert curve.to_frame("pandas").to_dict("list") == columns
    band = the_band(curve)
    assert band.to_dict()["alarm_rate"] == [0.0, 0.5, 1.0]
    assert list(band.to_frame("pandas")) == list(band.to_dict())[:5]
