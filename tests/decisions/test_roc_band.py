"""Bands of ROC curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtri

from properly import Cases, Tally, roc_curve, tally
from properly.counts._tally import as_tally

if TYPE_CHECKING:
    from properly.decisions import RocBand

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


def test_ones_as_clusters_and_equal_fractions_change_nothing_but_the_degrees() -> None:
    plain = band_of(Cases(Y, P))
    rows = band_of(Cases(Y, P, clusters=np.arange(N)))
    scaled = band_of(Cases(Y, P, weight=np.full(N, 0.37)))
    # 101 alarm rates instead of 151: compare where both are given.
    shared = np.isin(plain.alarm_rate.round(9), rows.alarm_rate.round(9))
    assert shared.sum() > 40
    at = np.searchsorted(rows.alarm_rate, plain.alarm_rate[shared] - 1e-9)
    for found, more in ((rows, N / (N - 1)), (scaled, 1)):
        given = found.lower_false_positive_rate[at]
        expected = plain.lower_false_positive_rate[shared]
        np.testing.assert_allclose(given, expected, atol=1e-10 if more == 1 else 2e-3)


def test_scaling_fractional_weights_changes_nothing() -> None:
    one, other = (band_of(tally(Y, P, weight=k * WEIGHT)) for k in (1, 1000))
    np.testing.assert_allclose(
        one.lower_false_positive_rate, other.lower_false_positive_rate, atol=1e-12
    )


def test_clusters_of_copies_are_as_wide_as_the_originals() -> None:
    y, p, clusters = (np.repeat(x, 10) for x in (Y, P, np.arange(N)))
    alone, told = (
        band_of(Cases(Y, P, clusters=np.arange(N))),
        band_of(Cases(y, p, clusters=clusters)),
    )
    for name, column in alone._columns().items():
        np.testing.assert_allclose(getattr(told, name), column, atol=2e-3)
    assert width(band_of(Cases(y, p))) < 0.4 * width(told)


def test_a_band_has_501_alarm_rates_at_most_and_as_many_as_cases_allow() -> None:
    few = tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    many = Tally.from_counts([0.2, 0.7], [9000, 9000], [2000, 6000])
    for t, rates in ((few, 5), (many, 501)):
        assert len(band_of(t).alarm_rate) == rates


@pytest.mark.parametrize("happened", [0, 1])
def test_the_band_of_one_class_is_not_a_number(happened: int) -> None:
    assert np.isnan(band_of(tally([happened] * 2, [0.1, 0.3])).outline()).all()


def test_the_outline_is_closed() -> None:
    band = band_of(tally(Y, P))
    x, y = band.outline()
    assert len(x) == len(y) == 2 * len(band.alarm_rate)
    assert (x[0], y[0]) == (x[-1], y[-1]) == (0, 0)
    assert repr(band) == f"RocBand(90 % confidence, at {N + 1} alarm rates)"
    assert band.to_dict()["alarm_rate"][:2] == [0.0, 1 / N]
    assert list(band.to_frame("pandas")) == list(band.to_dict())[:5]


@pytest.mark.parametrize("events", [60, 30])
def test_the_band_does_not_jump_where_there_are_as_many_alarms_as_events(events: int) -> None:
    y, p = np.arange(120) % 120 < events, np.random.default_rng(3).random(120)
    band = band_of(tally(y, p))
    assert events / 120 in band.alarm_rate
    for name in ("lower_true_positive_rate", "upper_true_positive_rate"):
        # One alarm more changes a rate by one event at the most, and the bound not much more.
        assert np.abs(np.diff(getattr(band, name))).max() < 3 / events
