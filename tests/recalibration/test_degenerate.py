"""Data that a map has to refuse or to tell of: separated, reversed, certain, few, grouped."""

from __future__ import annotations

import json
import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit
from tests.recalibration_numbers import MAPS, cases_of, fitted, labels, quiet, read, tally_of
from tests.reference.held import column

import properly
from properly import recalibration
from properly.errors import DataError, DataWarning
from properly.recalibration import (
    Beta,
    Cuts,
    Dirichlet,
    Intercept,
    Isotonic,
    Logistic,
    OneVsRest,
    Temperature,
    Vector,
    VennAbers,
)
from properly.rules import Brier, Log

pytestmark = quiet

LINES = ("intercept", "temperature", "logistic", "beta")
SLOPES = ("temperature", "logistic", "beta")
BY_RANK = ("isotonic", "venn_abers")
all_maps = pytest.mark.parametrize("name", MAPS)
lines = pytest.mark.parametrize("name", LINES)


def coefficients(fit: Any) -> list[float]:
    names = ("intercept", "slope", "a", "b", "c")
    return [getattr(fit, name) for name in names if getattr(fit, name, None) is not None]


def says(fit: Any, words: str) -> bool:
    return any(words in text for text in fit.notices)


def values_of(record: Any, key: str) -> list[Any]:
    """Find the values of a key anywhere in a record that was read."""
    if isinstance(record, list):
        return [value for part in record for value in values_of(part, key)]
    if not isinstance(record, dict):
        return []
    own = [record[key]] if key in record else []
    return own + [value for part in record.values() for value in values_of(part, key)]


# Separated


def test_a_plain_temperature_of_separated_cases_is_fitted_if_the_threshold_is_not_a_half() -> None:
    # Log odds that are scaled stay on their side of 0: above 1/2 others are wrong, and that costs.
    cases = cases_of("separated")
    y, p = cases.y, cases.p
    assert p[y].min() > p[~y].max() > 0.5

    def loss(slope: float) -> float:
        odds = slope * (np.log(p) - np.log1p(-p))
        return float(np.logaddexp(0, np.where(y, -odds, odds)).sum())

    best = minimize_scalar(loss, bounds=(0, 20), method="bounded", options={"xatol": 1e-10})
    fit = fitted("separated", "temperature", smooth=False)
    assert fit.slope == pytest.approx(best.x, abs=1e-6)
    assert says(fit, "threshold")


@pytest.mark.parametrize("name", ["logistic", "beta"])
def test_a_plain_line_of_separated_cases_is_refused(name: str) -> None:
    message = "no finite line fits best: some threshold tells all events from all others"
    with pytest.raises(DataError, match=message) as refusal:
        fitted("separated", name, smooth=False)
    assert "smooth=True" in str(refusal.value).partition("Hint:")[2]


@pytest.mark.parametrize("name", SLOPES)
def test_a_smooth_line_of_separated_cases_is_fitted_and_says_so(name: str) -> None:
    fit = fitted("separated", name)
    assert np.isfinite(coefficients(fit)).all()
    assert says(fit, "threshold")
    assert values_of(json.loads(fit.dumps()), "separated") == [True]
    back = recalibration.loads(fit.dumps())
    assert values_of(json.loads(back.dumps()), "separated") == [True]


def test_separation_is_not_claimed_of_cases_that_overlap() -> None:
    record = json.loads(fitted("cases", "logistic").dumps())
    assert True not in values_of(record, "separated")
    assert not fitted("cases", "logistic").notices


@pytest.mark.parametrize("name", SLOPES)
def test_a_threshold_that_some_cases_share_separates_too(name: str) -> None:
    # Both outcomes at the border: the best plain line is still a wall there.
    y, p = [0, 0, 0, 1, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.5, 0.9]
    with pytest.raises(DataError, match="no finite line fits best"):
        MAPS[name](smooth=False).fit(y, p)
    assert np.isfinite(coefficients(MAPS[name]().fit(y, p))).all()


# Outcomes of one kind


@all_maps
@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("outcome", [0, 1])
def test_outcomes_of_one_kind_are_refused(name: str, smooth: bool, outcome: int) -> None:
    options = {"smooth": smooth} if name in LINES else {}
    message = (
        "a map needs events and non-events; got no events"
        if outcome == 0
        else ("a map needs events and non-events; got")
    )
    with pytest.raises(DataError, match=message):
        MAPS[name](**options).fit(np.full(30, outcome), np.linspace(0.1, 0.9, 30))


# Few forecasts, few events


def test_two_distinct_forecasts_are_a_line_and_no_beta() -> None:
    tally = properly.Tally.from_counts([0.2, 0.6], [40, 40], [10, 22])
    line = Logistic(smooth=False).fit(tally)
    np.testing.assert_allclose(line.at(np.array([0.2, 0.6])), [0.25, 0.55], rtol=0, atol=1e-9)
    for smooth in (True, False):
        with pytest.raises(DataError, match="three coefficients"):
            Beta(smooth=smooth).fit(tally)


def test_forecasts_of_0_and_1_do_not_count_as_distinct_to_a_slope() -> None:
    tally = properly.Tally.from_counts([0.0, 0.4, 1.0], [20, 30, 20], [1, 14, 19])
    assert Intercept(smooth=False).fit(tally).at(0.4) == pytest.approx(14 / 30)
    for kind in (Temperature(), Logistic(), Beta()):
        with pytest.raises(DataError, match="one distinct forecast has no slope"):
            kind.fit(tally)


@lines
def test_few_events_make_mostly_noise(name: str) -> None:
    assert says(fitted("few", name), "only 4 events: the map is mostly noise")
    few = tally_of("few")
    other = properly.Tally.from_counts(
        (1 - np.asarray(few.value))[::-1],
        np.asarray(few.weight)[::-1],
        (np.asarray(few.weight) - np.asarray(few.events))[::-1],
    )
    assert says(MAPS[name]().fit(other), "only 4 non-events: the map is mostly noise")


def test_under_twenty_events_are_told_of_and_twenty_are_not() -> None:
    value, weight = [0.2, 0.4, 0.6, 0.8], [100, 100, 100, 100]
    assert Logistic().fit(properly.Tally.from_counts(value, weight, [2, 3, 5, 8])).notices
    assert not Logistic().fit(properly.Tally.from_counts(value, weight, [2, 4, 6, 9])).notices


def test_few_events_leave_few_maps_to_choose_from() -> None:
    choice = properly.recalibrate(cases_of("few"), "auto")
    assert set(choice.gains) <= {"none", "identity", "intercept", "logistic"}
    assert {"intercept", "logistic"} <= set(choice.gains)
    assert not choice.recommended


def test_a_gain_needs_two_folds_of_the_rarer_outcome() -> None:
    y = np.repeat([0, 1], [57, 3])
    p = np.linspace(0.05, 0.9, 60)
    with pytest.raises(DataError):
        recalibration.recalibration_gain(properly.Cases(y, p), Intercept())
    four = recalibration.recalibration_gain(cases_of("few"), Intercept())
    assert four.folds == 2


# Far off


@pytest.mark.parametrize("centre", [-7.0, -3.5, 3.5, 7.0])
@pytest.mark.parametrize("spread", [0.0, 0.01, 0.4, 1.5])
@pytest.mark.parametrize("smooth", [True, False])
def test_sure_and_mostly_wrong_forecasts_are_moved_all_the_way(
    centre: float, spread: float, smooth: bool
) -> None:
    # From there, the first of Newton's steps leads far beyond the best place.
    rng = np.random.default_rng(8)
    p = expit(rng.normal(centre, spread, 120))
    rare = np.arange(120) % 10 == 0
    y = (rare if centre > 0 else ~rare).astype(int)
    events, others = int(y.sum()), 120 - int(y.sum())
    target = y.mean()
    if smooth:
        target = (events * (events + 1) / (events + 2) + others / (others + 2)) / 120
    fit = Intercept(smooth=smooth).fit(y, p)
    assert np.asarray(fit.at(p)).mean() == pytest.approx(target, abs=1e-9)


def test_calibration_in_the_large_of_sure_and_wrong_forecasts_is_that_intercept() -> None:
    y, p = [1] + [0] * 9, [0.99] * 9 + [0.98]
    fit: Any = Intercept(smooth=False).fit(y, p)
    assert np.asarray(fit.at(p)).mean() == pytest.approx(0.1, abs=1e-9)
    summary = properly.calibration_summary(y, p)
    assert summary.in_the_large.value == pytest.approx(fit.intercept, abs=1e-9)


# Constraints


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("name", ["temperature", "logistic"])
def test_reversed_forecasts_have_no_increasing_line(name: str, smooth: bool) -> None:
    fit = fitted("reversed", name, smooth)
    assert fit.slope == 0
    assert not np.signbit(fit.slope)
    words = (
        "forecasts rank cases the wrong way round: no increasing line is better than the event rate"
    )
    assert says(fit, words)
    q = np.asarray(fit.at(np.linspace(0, 1, 11)))
    assert (q == q[0]).all()
    assert fit.monotone != "strictly"


def test_a_plain_line_of_reversed_forecasts_is_the_event_rate() -> None:
    tally = tally_of("reversed")
    for name in ("logistic", "beta"):
        assert fitted("reversed", name, smooth=False).at(0.3) == pytest.approx(tally.event_rate)


def likelihood(tally: Any, a: float, b: float, c: float) -> float:
    p, w, o = (np.asarray(x, float) for x in (tally.value, tally.weight, tally.events))
    eta = c + a * np.log(p) - b * np.log1p(-p)
    return float(o @ eta - w @ np.logaddexp(0, eta))


@pytest.mark.parametrize("data", ["reversed", "bent", "cases", "few"])
def test_no_beta_map_in_its_bounds_fits_better(data: str) -> None:
    tally, fit = tally_of(data), fitted(data, "beta", smooth=False)
    assert min(fit.a, fit.b) >= 0
    best = likelihood(tally, fit.a, fit.b, fit.c)
    steps = (-1e-3, 0.0, 1e-3)
    for da in steps:
        for db in steps:
            for dc in steps:
                a, b = max(fit.a + da, 0.0), max(fit.b + db, 0.0)
                assert likelihood(tally, a, b, fit.c + dc) <= best + 1e-12


def test_a_bent_curve_has_one_coefficient_at_its_bound() -> None:
    fit = fitted("bent", "beta")
    assert fit.b == 0
    assert fit.a > 0
    assert fit.monotone == "strictly"
    assert (np.diff(fit.at(np.linspace(0, 1, 101))) > 0).all()


# Forecasts of exactly 0 and 1


def ends(data: str = "certain") -> tuple[float, float]:
    p = column(read(data), "p")
    inside = p[(p > 0) & (p < 1)]
    return float(inside.min()), float(inside.max())


@lines
@pytest.mark.parametrize("smooth", [True, False])
def test_certain_forecasts_are_no_part_of_the_fit(name: str, smooth: bool) -> None:
    rows = read("certain")
    y, p = column(rows, "y").astype(int), column(rows, "p")
    inside = (p > 0) & (p < 1)
    alone = MAPS[name](smooth=smooth).fit(y[inside], p[inside])
    assert coefficients(fitted("certain", name, smooth)) == coefficients(alone)


@lines
@pytest.mark.parametrize("weighted", [False, True])
def test_certain_forecasts_have_a_place_of_their_own(name: str, weighted: bool) -> None:
    rows = read("certain")
    y, p = column(rows, "y").astype(int), column(rows, "p")
    w = np.random.default_rng(1).gamma(2, 1, len(y)) if weighted else np.ones(len(y))
    fit = MAPS[name]().fit(y, p, weight=w if weighted else None)
    for end, near in zip((0.0, 1.0), ends(), strict=True):
        own = p == end
        n, rate = w[own].sum() ** 2 / (w[own] ** 2).sum(), np.average(y[own], weights=w[own])
        expected = (n * rate + fit.at(near)) / (n + 1)
        assert fit.at(end) == pytest.approx(expected, abs=1e-12)


@lines
def test_what_certain_forecasts_become_bounds_those_beyond_the_range(name: str) -> None:
    fit, (low, high) = fitted("certain", name), ends()
    keep = MAPS[name](certain="keep").fit(tally_of("certain"))
    below, above = np.array([1e-12, 1e-4, 0.01, 0.04]), np.array([0.96, 0.99, 1 - 1e-9])
    assert (below < low).all()
    assert (above > high).all()
    np.testing.assert_array_equal(fit.at(below), np.maximum(keep.at(below), fit.at(0.0)))
    np.testing.assert_array_equal(fit.at(above), np.minimum(keep.at(above), fit.at(1.0)))
    # Inside of it they are no bound.
    inside = np.linspace(low, high, 50)
    np.testing.assert_array_equal(fit.at(inside), keep.at(inside))


@lines
def test_kept_certain_forecasts_stay_what_they_are(name: str) -> None:
    fit = MAPS[name](certain="keep").fit(tally_of("certain"))
    assert fit.at([0.0, 1.0]).tolist() == [0.0, 1.0]


@lines
@pytest.mark.parametrize("data", ["cases", "certain"])
def test_certain_forecasts_can_be_refused(name: str, data: str) -> None:
    with pytest.raises(DataError, match=r"exactly 0|exactly 1|certain"):
        MAPS[name](certain="refuse").fit(tally_of(data)).at([0.2, 0.0, 0.4, 1.0])


@lines
def test_a_refusal_of_certain_forecasts_says_where_and_how_many(name: str) -> None:
    fit = MAPS[name](certain="refuse").fit(tally_of("cases"))
    np.testing.assert_array_equal(fit.at([0.2, 0.4]), fitted("cases", name).at([0.2, 0.4]))
    with pytest.raises(DataError, match=r"row 1\b") as refusal:
        fit.at([0.2, 0.0, 0.4, 1.0, 1.0])
    assert "3" in str(refusal.value)


@lines
def test_certain_forecasts_that_were_never_seen_go_to_the_limit_with_one_notice(name: str) -> None:
    fit = fitted("cases", name)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        q = fit.at(np.array([0.0, 0.3, 1.0, 0.0]))
    assert [q[0], q[2], q[3]] == [0.0, 1.0, 0.0]
    words = [str(w.message) for w in told if issubclass(w.category, DataWarning)]
    assert len(words) == 1
    assert "3" in words[0]


def test_forecasts_in_the_range_are_not_told_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted("cases", "logistic").at(np.array([0.1, 0.5]))


@all_maps
def test_forecasts_out_of_the_range_are_told_of_once(name: str) -> None:
    fit = fitted("cases", name)
    assert tuple(fit.range) == (0.02, 0.97)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fit.at(np.array([0.001, 0.005, 0.3, 0.99]))
    words = [str(w.message) for w in told if issubclass(w.category, DataWarning)]
    assert len(words) == 1
    assert "3" in words[0]


def test_beta_without_its_first_slope_has_another_limit() -> None:
    fit = fitted("few", "beta")
    assert fit.a == 0
    assert fit.at(0.0) == pytest.approx(expit(fit.c), abs=1e-15)
    assert fit.at(1.0) == 1
    keep = Beta(a=0.0, b=1.5, c=-1.0, certain="keep")
    assert keep.at(0.0) == pytest.approx(expit(-1.0), abs=1e-15)
    other = Beta(a=1.5, b=0.0, c=-1.0)
    assert (other.at(0.0), other.at(1.0)) == (0.0, pytest.approx(expit(-1.0), abs=1e-15))


@lines
@pytest.mark.parametrize("end", [0, 1])
def test_certain_forecasts_that_are_worse_than_others_break_the_order(name: str, end: int) -> None:
    value, events = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0], [1, 5, 12, 21, 27, 35, 39]
    events[-end] = 10 if end else 30
    fit = MAPS[name]().fit(properly.Tally.from_counts(value, [40] * 7, events))
    assert fit.monotone is False
    often, others = ("less", "highest") if end else ("more", "lowest")
    assert says(fit, f"of exactly {end} came true {often} often than the {others} others")
    assert fit.at(1.0) < fit.at(0.9) if end else fit.at(0.0) > fit.at(0.1)


def test_certain_forecasts_alone_are_for_maps_by_rank() -> None:
    tally = properly.Tally.from_counts([0.0, 1.0], [50, 50], [4, 43])
    for name in LINES:
        with pytest.raises(DataError, match=r"certain|exactly 0"):
            MAPS[name]().fit(tally)
    fit: Any = Isotonic().fit(tally)
    p, q = fit.knots
    assert list(p) == [0.0, 1.0]
    np.testing.assert_allclose(q, [(4 + 0.47) / 51, (43 + 0.47) / 51], rtol=0, atol=1e-15)
    p0, p1 = VennAbers().fit(tally).pair_at(np.array([0.0, 1.0]))
    np.testing.assert_allclose(p0, [4 / 51, 43 / 51], rtol=0, atol=1e-15)
    np.testing.assert_allclose(p1, [5 / 51, 44 / 51], rtol=0, atol=1e-15)


@lines
def test_the_smallest_forecasts_are_moved_like_others(name: str) -> None:
    q = fitted("cases", name).at(np.array([1e-200, 1e-100, 1e-17, 1 - 2**-53]))
    assert (q > 0).all()
    assert (np.diff(q) > 0).all()


# Isotonic, raw


def test_raw_blocks_may_be_certain_and_say_so() -> None:
    fit = Isotonic(shrink=0.0, interpolation="flat").fit(tally_of("separated"))
    assert fit.at([0.01, 0.99]).tolist() == [0.0, 1.0]
    assert fit.notices
    back = recalibration.loads(fit.dumps())
    assert back.at([0.01, 0.99]).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("rates", [(0.0, 0.5), (0.5, 1.0), (-0.1, 0.5), (math.nan, 0.5)])
def test_rates_of_a_shift_lie_between_0_and_1(rates: tuple[float, float]) -> None:
    with pytest.raises(DataError):
        recalibration.PriorShift(*rates)


# Grouped tallies


@pytest.mark.parametrize("name", BY_RANK)
def test_coarse_cells_are_refused_by_maps_by_rank(name: str) -> None:
    with pytest.raises(DataError, match=r"group|cell"):
        MAPS[name]().fit(tally_of("cases").group(4))
    MAPS[name]().fit(tally_of("cases").group(1_000_000))


@lines
def test_lines_of_cells_are_fitted_and_told_of(name: str) -> None:
    fit = MAPS[name]().fit(tally_of("cases").group(4))
    assert says(fit, "cell") or says(fit, "group")


# Gains


def test_a_finite_map_of_infinite_forecasts_gains_infinitely_much() -> None:
    gain = recalibration.recalibration_gain(cases_of("certain"), Logistic(), rule=Log())
    assert gain.estimate == math.inf
    assert all(math.isnan(limit) for limit in gain.interval)
    brier = recalibration.recalibration_gain(cases_of("certain"), Logistic(), rule=Brier())
    assert math.isfinite(brier.estimate)
    assert brier.interval[0] < brier.estimate < brier.interval[1]


def test_infinite_before_and_after_is_no_number() -> None:
    kept = Logistic(certain="keep")
    gain = recalibration.recalibration_gain(cases_of("certain"), kept, rule=Log())
    assert math.isnan(gain.estimate)


def test_a_map_that_is_certain_and_wrong_loses_infinitely_much() -> None:
    raw = Isotonic(shrink=0.0, interpolation="flat")
    y = np.tile([0, 0, 0, 1, 0, 1, 1, 1], 8)
    p = np.tile([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], 8)
    y[0] = 1
    fold = np.arange(64) // 8
    gain = recalibration.recalibration_gain(properly.Cases(y, p), raw, rule=Log(), folds=fold)
    assert gain.estimate == -math.inf


def test_cases_with_clusters_are_folded_by_whole_clusters() -> None:
    cluster = labels("cluster")
    cases = cases_of("cases", clusters=cluster)
    first = properly.cross_fit(cases, Logistic(), folds=10)
    again = properly.cross_fit(cases, Logistic(), folds=10)
    np.testing.assert_array_equal(first.p, again.p)
    folds = np.asarray(first.folds)
    assert len(set(folds.tolist())) == 10
    for name in set(cluster.tolist()):
        assert len(set(folds[cluster == name].tolist())) == 1
    other = properly.cross_fit(cases, Logistic(), folds=10, rng=1)
    assert (np.asarray(other.p) != np.asarray(first.p)).any()


def test_there_are_no_more_folds_than_clusters() -> None:
    cluster = np.arange(400) % 4
    gain = recalibration.recalibration_gain(cases_of("cases", clusters=cluster), Logistic())
    assert gain.folds == 4


def test_blocks_of_time_are_contiguous_and_ties_stay_together() -> None:
    time = np.arange(400) // 2
    crossed = properly.cross_fit(cases_of("cases", time=time), Logistic(), folds=5)
    folds = np.asarray(crossed.folds)
    assert (np.diff(folds[::2]) >= 0).all() or (np.diff(folds[::2]) <= 0).all()
    np.testing.assert_array_equal(folds[::2], folds[1::2])


# Classes


def class_rows(seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(3), 200)
    y = (rng.random(200)[:, None] > P.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    return y, P


@pytest.mark.parametrize("kind", [Vector(), Dirichlet()], ids=repr)
def test_a_class_that_never_happens_keeps_its_prior_and_is_named(kind: Any) -> None:
    y, P = class_rows()
    P[:, 2] = 1e-4
    P /= P.sum(axis=1, keepdims=True)
    names = ["rain", "snow", "hail"]
    fit = kind.fit(properly.Cases(np.where(y == 2, 0, y), P, labels=names))
    assert says(fit, "hail")
    assert np.isfinite(np.asarray(fit.at(P))).all()
    assert -0.1 < fit.shift[2] < 0
    own = fit.scale[2] if isinstance(kind, Vector) else fit.matrix[2][2]
    assert own == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize("kind", [Vector(prior=None), Dirichlet(prior=None)], ids=repr)
def test_without_a_prior_an_absent_class_is_refused(kind: Any) -> None:
    y, P = class_rows()
    with pytest.raises(DataError):
        kind.fit(properly.Cases(np.where(y == 2, 0, y), P))


def test_rows_that_called_what_happened_impossible_are_counted() -> None:
    y, P = class_rows()
    for row in (3, 5, 8):
        P[row] = np.where(np.arange(3) == y[row], 0, 0.5)
    message = "3 rows had called what happened impossible: no temperature repairs that"
    fit = Temperature().fit(properly.Cases(y, P))
    assert says(fit, message)
    kept = np.setdiff1d(np.arange(len(y)), [3, 5, 8])
    assert fit.slope == pytest.approx(Temperature().fit(properly.Cases(y[kept], P[kept])).slope)
    q = np.asarray(fit.at(P))
    assert (q[[3, 5, 8], y[[3, 5, 8]]] == 0).all()


def test_reversed_classes_have_no_temperature() -> None:
    _, P = class_rows()
    turned = (1 / P) / (1 / P).sum(axis=1, keepdims=True)
    chance = np.random.default_rng(1).random(200)[:, None]
    y = (chance > turned.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    fit = Temperature(prior=None).fit(properly.Cases(y, P))
    assert fit.slope == 0
    assert fit.notices


def test_a_scale_that_falls_is_flagged() -> None:
    rng = np.random.default_rng(2)
    P = rng.dirichlet(np.ones(3), 400)
    y = (rng.random(400)[:, None] > P[:, [1, 0, 2]].cumsum(axis=1)).sum(axis=1).clip(0, 2)
    fit = Vector().fit(properly.Cases(y, P))
    assert min(fit.scale) < 0
    assert fit.monotone is False


def test_an_event_map_refuses_classes_and_a_class_map_an_event() -> None:
    y, P = class_rows()
    for kind in (Logistic(), Isotonic(), VennAbers()):
        with pytest.raises((DataError, properly.errors.ArgumentTypeError), match="class"):
            kind.fit(properly.Cases(y, P))
    for other in (Vector(), Dirichlet(), OneVsRest(Isotonic()), Cuts(Logistic())):
        with pytest.raises((DataError, properly.errors.ArgumentTypeError), match="class"):
            other.fit(cases_of("cases"))


def test_few_cases_of_classes_leave_only_a_temperature() -> None:
    y, P = class_rows()
    choice = properly.recalibrate(properly.Cases(y[:14], P[:14]), "auto")
    assert set(choice.gains) <= {"none", "identity", "temperature"}


@pytest.mark.parametrize("seed", range(20))
def test_pairs_of_fractional_weights_are_probabilities_however_sums_are_rounded(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, weight = np.arange(1, 41) / 41, rng.gamma(1.5, size=40)
    y = p + rng.normal(0, 0.2, 40) > 0.5
    fitted = VennAbers().fit(y, p, weight=weight)
    assert fitted.knots is not None
    _, p0, p1 = fitted.knots
    assert p0.min() >= 0
    assert p1.max() <= 1
    assert (p0 <= p1).all()
    assert recalibration.loads(fitted.dumps()).dumps() == fitted.dumps()
