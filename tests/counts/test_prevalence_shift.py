"""Another event rate."""

from __future__ import annotations

import math
from typing import Any

import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from properly import Cases, Tally, decompose, roc_curve, tally
from properly.counts import with_event_rate
from properly.inference._variance import spread_of_means
from properly.rules import BinaryRule, Bounded, Brier, Elementary, Log, Regret

N = 160
RNG = np.random.default_rng(29)
P = (0.05 + 0.9 * RNG.random(N)).round(1)
Y = RNG.random(N) < P
WEIGHT = RNG.exponential(size=N)
COUNT = RNG.integers(0, 4, N)
RULES: list[BinaryRule] = [
    Brier(),
    Log(),
    Elementary(0.2),
    Bounded(Brier(), (0.05, 0.2)),
    Regret((0.1, 0.5)),
]
every_rule = pytest.mark.parametrize("rule", RULES, ids=repr)
SOURCES: dict[str, Tally | Cases] = {
    "counts": tally(Y, P),
    "fractions": tally(Y, P, weight=WEIGHT),
    "rows": Cases(Y, P),
    "weighted rows": Cases(Y, P, weight=WEIGHT),
}
every_source = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
COLUMNS = ("value", "weight", "events", "event_squares", "nonevent_squares")
inner = st.floats(0, 1, exclude_min=True, exclude_max=True)
rates = st.floats(1e-6, 1 - 1e-6)


def counted(x: Tally | Cases) -> Tally:
    return x if isinstance(x, Tally) else x.tally()


def shifted(p: list[float], rate: float, made_for: float) -> list[float]:
    """Shift forecasts of a case with and one without the event."""
    cases = with_event_rate(Cases([0, 1, *[0] * len(p)], [0, 1, *p]), rate, forecasts_for=made_for)
    found: list[float] = cases.p.tolist()[2:]
    return found


# Weights


@every_source
@pytest.mark.parametrize("rate", [1e-6, 0.03, 0.5, 0.97])
def test_the_event_rate_becomes_what_was_asked_for(source: Any, rate: float) -> None:
    found = counted(with_event_rate(source, rate))
    assert found.event_rate == pytest.approx(rate, rel=1e-13)
    assert found.total == pytest.approx(counted(source).total, rel=1e-14)


def test_weights_and_their_squares_are_multiplied() -> None:
    t = Tally.from_counts([0.2, 0.6], [8, 4], [2, 1])
    found = with_event_rate(t, 0.5)
    # 3 of 12: events count 0.5 / 0.25 = 2, the others 0.5 / 0.75 = 2 / 3.
    squares = [8.0, 4.0], [6 * 4 / 9, 3 * 4 / 9]
    expected: list[list[float]] = [[0.2, 0.6], [4 + 4, 2 + 2], [4, 2], *squares]
    for column, numbers in zip(COLUMNS, expected, strict=True):
        np.testing.assert_allclose(getattr(found, column), numbers, rtol=1e-15)


@pytest.mark.parametrize("weight", [None, COUNT, WEIGHT], ids=["no", "whole", "real"])
@pytest.mark.parametrize("count", [None, COUNT], ids=["once", "often"])
@pytest.mark.parametrize("made_for", [None, 0.4])
def test_it_is_the_tally_of_reweighted_rows(
    weight: Any, count: Any, made_for: float | None
) -> None:
    w, often = np.ones(N) if weight is None else weight, np.ones(N) if count is None else count
    rate = np.average(Y, weights=w * often)
    factor = np.where(Y, 0.1 / rate, 0.9 / (1 - rate))
    p = P if made_for is None else expit(logit(P) + logit(0.1) - logit(made_for))
    # Three cases stay three, each of its new weight.
    expected = tally(Y, p, weight=w * factor, count=count)
    assert len(expected) == len(np.unique(p[(w > 0) & (often > 0)]))
    cases = Cases(Y, P, weight=weight, count=count)
    for source in (cases, cases.tally(), tally(Y, P, weight=weight, count=count)):
        found = counted(with_event_rate(source, 0.1, forecasts_for=made_for))
        for column in COLUMNS:
            got, wanted = getattr(found, column), getattr(expected, column)
            np.testing.assert_allclose(got, wanted, rtol=1e-12)


@every_source
@every_rule
def test_the_rate_of_the_sample_changes_nothing(source: Any, rule: BinaryRule) -> None:
    rate = counted(source).event_rate
    found = with_event_rate(source, rate, forecasts_for=rate)
    np.testing.assert_array_equal(counted(found).value, counted(source).value)
    before, after = decompose(source, rule).to_dict(), decompose(found, rule).to_dict()
    assert after == pytest.approx(before, rel=1e-12, abs=1e-14)
    value = counted(source).value
    prices = rule.loss_if_event(value)[None], rule.loss_if_none(value)[None]
    one, other = (spread_of_means(x, *prices).covariance for x in (source, found))
    np.testing.assert_allclose(one, other, rtol=1e-12)


@every_rule
def test_a_case_control_sample_tells_of_the_population(rule: BinaryRule) -> None:
    """All events and one in twelve of the others, at every forecast exactly."""
    value, events, others = [0.02, 0.1, 0.4, 0.8], np.array([1, 4, 9, 6]), np.array([80, 50, 7, 1])
    everybody = Tally.from_counts(value, 12 * others + events, events)
    sample = Tally.from_counts(value, others + events, events)
    found = with_event_rate(sample, everybody.event_rate)
    share = found.weight / found.total
    np.testing.assert_allclose(share, everybody.weight / everybody.total, rtol=1e-14)
    expected = decompose(everybody, rule).to_dict()
    assert decompose(found, rule).to_dict() == pytest.approx(expected, rel=1e-12, abs=1e-15)


@every_source
@pytest.mark.parametrize("made_for", [None, 0.7])
def test_the_roc_curve_stays(source: Any, made_for: float | None) -> None:
    before = roc_curve(source)
    after = roc_curve(with_event_rate(source, 0.02, forecasts_for=made_for))
    for name in ("false_positive_rate", "true_positive_rate"):
        np.testing.assert_allclose(getattr(after, name), getattr(before, name), atol=1e-14)
    assert after.area == pytest.approx(before.area, abs=1e-14)


def test_tallies_of_other_libraries_stay_there() -> None:
    t = tally(Y, P)
    strict = Tally(*(array_api_strict.asarray(np.array(x)) for x in (t.value, t.weight, t.events)))
    for made_for in (None, 0.5):
        found = with_event_rate(strict, 0.1, forecasts_for=made_for)
        expected = with_event_rate(t, 0.1, forecasts_for=made_for)
        for column in COLUMNS:
            assert isinstance(getattr(found, column), type(strict.value))
            np.testing.assert_array_equal(
                np.asarray(getattr(found, column)), getattr(expected, column)
            )
    y, p, weight = (array_api_strict.asarray(x) for x in (Y, P, COUNT))
    rows = with_event_rate(Cases(y, p, weight=weight), 0.1, forecasts_for=0.5)
    assert isinstance(rows.p, type(p))
    assert isinstance(rows.weight, type(p))


# Forecasts


@given(inner, rates, rates)
def test_the_odds_of_a_forecast_are_multiplied(p: float, rate: float, made_for: float) -> None:
    (found,) = shifted([p], rate, made_for)
    odds = rate / (1 - rate) * (1 - made_for) / made_for
    assert found == pytest.approx(p * odds / (p * odds + 1 - p), rel=1e-14, abs=1e-300)


@given(st.lists(inner, min_size=2, max_size=20), rates, rates)
def test_no_two_forecasts_change_places(p: list[float], rate: float, made_for: float) -> None:
    close = sorted({*p, *(math.nextafter(x, 0) for x in p), *(math.nextafter(x, 1) for x in p)})
    found = np.array(shifted(close, rate, made_for))
    assert (np.diff(found) >= 0).all()


@given(inner, rates, rates)
def test_certainty_stays_and_nothing_else_becomes_certain(
    p: float, rate: float, made_for: float
) -> None:
    zero, found, one = shifted([0.0, p, 1.0], rate, made_for)
    assert (zero, one) == (0, 1)
    assert 0 < found < 1


@given(st.floats(0.001, 0.999), rates, rates)
def test_there_and_back(p: float, rate: float, made_for: float) -> None:
    (there,) = shifted([p], rate, made_for)
    # Near 1 a double holds few digits of the distance to it.
    spare = 4e-16 * (p * (1 - p)) / (there * (1 - there))
    assert shifted([there], made_for, rate) == pytest.approx([p], rel=1e-14, abs=spare)


def test_calibrated_forecasts_stay_calibrated_if_they_are_shifted_and_only_then() -> None:
    t = Tally.from_counts([0.25, 0.5, 0.75], [40, 20, 40], [10, 10, 30])
    assert decompose(t, Brier()).miscalibration == 0
    there = with_event_rate(t, 0.05, forecasts_for=0.5)
    assert decompose(there, Brier()).miscalibration == pytest.approx(0, abs=1e-15)
    assert decompose(with_event_rate(t, 0.05), Brier()).miscalibration > 0.1
    for_there = tally(Y, 0.1 * P)
    assert with_event_rate(for_there, 0.05).value.tolist() == for_there.value.tolist()


# Refusals
