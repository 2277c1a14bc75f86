"""Means of every power of the probability of what happened."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import properly
from properly.probability import EqualCount, confidence_test, means, risk_profile
from properly.probability._power_means import POWERS, mean_of_power

INF = math.inf
SIX = properly.tally([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.4, 0.3, 0.1])

binary = st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=12)
row = st.lists(st.integers(0, 8), min_size=3, max_size=3).filter(any)
classes = st.lists(st.tuples(st.integers(0, 2), row), min_size=1, max_size=10)
powers = st.lists(st.floats(-50, 50), min_size=1, max_size=12, unique=True).map(sorted)


def tally_of(rows: list[tuple[bool, float]]) -> properly.Tally:
    return properly.tally(*zip(*rows, strict=True))


def cases_of(rows: list[tuple[int, list[int]]]) -> properly.Cases:
    y, p = (np.array(x) for x in zip(*rows, strict=True))
    return properly.Cases(y, p / p.sum(axis=1, keepdims=True))


def classes_at_random(n: int, seed: int) -> properly.Cases:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1, 1, 1], n)
    return properly.Cases(rng.integers(0, 3, n), p, weight=rng.gamma(1, size=n))


def test_means_of_a_few_powers_can_be_worked_out_by_hand() -> None:
    # t is 1/2 and 4/5, and the recalibration is certain and right.
    t = properly.tally([0, 1], [0.5, 0.8])
    found = risk_profile(t, [-INF, -2, -1, 0, 1, 2, INF])
    harmonic, square = 2 / (2 + 1.25), math.sqrt((0.25 + 0.64) / 2)
    inverse = 1 / math.sqrt((4 + 1.5625) / 2)
    model = [0.5, inverse, harmonic, math.sqrt(0.4), 0.65, square, 0.8]
    assert found.model == pytest.approx(model, rel=1e-14)
    assert found.source.tolist() == [1.0] * 7
    # (q^(m + 1) + (1 - q)^(m + 1)) / 2, of both forecasts: 1/2 twice, 4/5 and 1/5.
    expected = {
        -INF: 0.2,
        -2: 1 / math.sqrt((4 + 1.25 + 5) / 2),
        -1: 0.5,
        0: math.exp((math.log(0.5) + 0.8 * math.log(0.8) + 0.2 * math.log(0.2)) / 2),
        1: (0.5 + 0.68) / 2,
        2: math.sqrt((0.25 + 0.512 + 0.008) / 2),
        INF: 0.8,
    }
    assert found.power.tolist() == list(expected)
    assert found.expected == pytest.approx(list(expected.values()), rel=1e-14)


@pytest.mark.parametrize("source", ["isotonic", EqualCount(bins=2), "kernel"], ids=repr)
@pytest.mark.parametrize(
    "cases",
    [SIX, properly.tally([1, 0, 0], [0.0, 0.0, 0.6]), classes_at_random(30, 711)],
    ids=["event", "called impossible", "classes"],
)
def test_powers_with_names_agree_with_means_and_with_what_is_expected(
    cases: Any, source: Any
) -> None:
    found = risk_profile(cases, sorted(POWERS.values()), source=source, precision=0.01)
    averages = means(cases, source=source, precision=0.01)
    expected = confidence_test(cases, precision=0.01).expected
    for i, name in enumerate(("robustness", "mean_probability", "decisiveness")):
        assert found.model[i] == pytest.approx(getattr(averages, name), rel=1e-13)
        assert found.source[i] == pytest.approx(getattr(averages.source, name), rel=1e-13)
        assert found.expected[i] == pytest.approx(getattr(expected, name), rel=1e-13)


@given(st.one_of(binary.map(tally_of), classes.map(cases_of)), powers)
def test_all_three_increase_with_the_power(cases: Any, powers: list[float]) -> None:
    found = risk_profile(cases, [-INF, *powers, INF])
    for column in (found.model, found.source, found.expected):
        assert (np.diff(column) >= -1e-12).all()
        assert (column >= 0).all()
        assert (column <= 1 + 1e-12).all()


@given(binary)
def test_the_ends_are_the_least_and_the_greatest_that_happened(
    rows: list[tuple[bool, float]],
) -> None:
    found = risk_profile(tally_of(rows), [-INF, INF])
    t = [p if y else 1 - p for y, p in rows]
    possible = [q for _, p in rows for q in (p, 1 - p) if q > 0]
    assert found.model == pytest.approx([min(t), max(t)], rel=1e-12)
    assert found.expected == pytest.approx([min(possible), max(possible)], rel=1e-12)


@given(binary, st.floats(-20, 20))
def test_each_is_the_mean_of_its_power(rows: list[tuple[bool, float]], power: float) -> None:
    found = risk_profile(tally_of(rows), [power])
    t = np.array([p if y else 1 - p for y, p in rows])
    q = np.array([q for _, p in rows for q in (p, 1 - p) if q > 0])
    assert found.model[0] == pytest.approx(mean_of_power(t, power), rel=1e-12, abs=1e-300)
    assert found.expected[0] == pytest.approx(mean_of_power(q, power, q), rel=1e-12)


@given(classes)
def test_at_minus_one_only_the_number_of_possible_classes_counts(
    rows: list[tuple[int, list[int]]],
) -> None:
    found = risk_profile(cases_of(rows), [-1])
    possible = np.mean([sum(x > 0 for x in shares) for _, shares in rows])
    assert found.expected[0] == pytest.approx(1 / possible, rel=1e-12)


@given(binary, powers)
def test_two_classes_have_the_profile_of_an_event(
    rows: list[tuple[bool, float]], powers: list[float]
) -> None:
    y, p = (np.array(x) for x in zip(*rows, strict=True))
    p = np.round(p * 64) / 64
    event = risk_profile(properly.tally(y, p), powers)
    both = risk_profile(properly.Cases(y, np.stack([1 - p, p], axis=1)), powers)
    for name in ("model", "source", "expected"):
        assert getattr(both, name) == pytest.approx(getattr(event, name), rel=1e-12)


def test_a_calibrated_source_expects_what_it_has() -> None:
    # Recalibrated forecasts are calibrated in the data, so theirs is the mean they expect.
    found = risk_profile(SIX, [-2, -1, 0, 0.5, 3])
    recalibrated = properly.tally([1, 1, 0, 1, 0, 0], [1, 1, 0.5, 0.5, 0, 0])
    again = risk_profile(recalibrated, [-2, -1, 0, 0.5, 3])
    assert again.model == pytest.approx(found.source, rel=1e-14)
    assert again.expected == pytest.approx(found.source, rel=1e-14)


def test_what_was_called_impossible_makes_low_powers_0() -> None:
    found = risk_profile(properly.tally([1, 1], [0.0, 0.5]), [-INF, -2, 0, 1, 2])
    assert found.model.tolist()[:3] == [0, 0, 0]
    assert found.model[3:] == pytest.approx([0.25, math.sqrt(0.125)], rel=1e-14)
    # What is possible is 1 once, and 1/2 twice with half the weight each.
    expected = [0.5, math.sqrt(2 / 5), math.sqrt(0.5), 0.75, math.sqrt(0.625)]
    assert found.expected == pytest.approx(expected, rel=1e-14)


def test_fractional_weights_weigh_all_three() -> None:
    y, p, w = [0, 1, 1, 0, 0], np.array([0.2, 0.3, 0.9, 0.9, 0.4]), np.array([0.5, 2, 1, 1.5, 0])
    found = risk_profile(properly.Cases(y, p, weight=w), [-1.5, 0.5])
    t = np.where(y, p, 1 - p)
    q, v = np.concatenate([p, 1 - p]), np.concatenate([w * p, w * (1 - p)])
    for i, m in enumerate((-1.5, 0.5)):
        assert found.model[i] == pytest.approx(((w @ t**m) / 5) ** (1 / m), rel=1e-13)
        assert found.expected[i] == pytest.approx(((v @ q**m) / 5) ** (1 / m), rel=1e-13)


def test_a_precision_moves_forecasts_first() -> None:
    t, moved = properly.tally([1, 0], [0.0, 0.5]), properly.tally([1, 0], [0.1, 0.5])
    for name in ("model", "source", "expected"):
        limited = getattr(risk_profile(t, [-1, 0, 1], precision=0.1), name)
        assert limited.tolist() == getattr(risk_profile(moved, [-1, 0, 1]), name).tolist()


def test_the_powers_are_close_and_have_those_with_names_among_them() -> None:
    found = risk_profile(SIX)
    assert len(found) == 122
    assert {-3.0, -2 / 3, 0.0, 0.35, 1.0, 3.0} <= set(found.power.tolist())
    assert np.diff(found.power).max() == pytest.approx(0.05)
    assert np.diff(found.power).min() > 0.01


def test_the_coupling_belongs_to_the_power() -> None:
    found = risk_profile(SIX, [-INF, -3, -2, -1.5, -1, -2 / 3, 0, 1, 2, INF]).coupling
    assert found == pytest.approx(
        [math.nan, math.nan, INF, 3, 1, 0.5, 0, -1 / 3, -0.5, -1], rel=1e-14, nan_ok=True
    )


def test_a_table_shows_powers_with_names_and_both_ends() -> None:
    t = properly.tally([0, 1, 1, 0], [0.2, 0.6, 0.9, 0.7])
    told = str(properly.probability.risk_profile(t, [-np.inf, -2 / 3, 0, 0.5, 1, np.inf]))
    assert told.splitlines()[0].split() == ["power", "model", "source", "expected"]
    assert [line.split()[0] for line in told.splitlines()[1:]] == [
        "-inf",
        "-0.6667",
        "0",
        "1",
        "inf",
    ]
    assert "0 mean probability    0.60000" in told
    assert len(str(properly.probability.risk_profile(t)).splitlines()) == 9
