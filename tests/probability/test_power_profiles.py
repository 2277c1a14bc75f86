"""Proper means and risk profiles."""

from __future__ import annotations

import csv
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import properly
from properly import Cases, Tally, probability, reliability, tally
from properly.probability import EqualCount, confidence_test, means, proper_means, risk_profile
from properly.probability._power_means import POWERS, mean_of_power
from properly.rules import Log, Misclassification, Pseudospherical

FOLDER = Path(__file__).parents[1] / "reference" / "means"
METRICS = json.loads((FOLDER / "metrics.json").read_text(encoding="utf-8"))
THREE = json.loads((FOLDER / "multiclass_bins.json").read_text(encoding="utf-8"))["three_class_12"]
CLOSE: dict[str, Any] = {"rtol": 0, "atol": 1e-13}
PROPER = [-3, -1, -2 / 3, -1 / 4, 1 / 4, 1 / 2, 0.8, 0.95]
RNG = np.random.default_rng(31)
ROWS = RNG.dirichlet(np.ones(4), 80)
CLASSES = RNG.integers(0, 4, 80)
WEIGHT = RNG.choice([0.0, 0.5, 1.0, 2.5], 80)


def divergence(*args: Any, **options: Any) -> Any:
    """Return what there is if there is one event."""
    found = proper_means(*args, **options).divergence
    assert found is not None
    return found


def source_of(*args: Any, **options: Any) -> Any:
    found = proper_means(*args, **options).source
    assert found is not None
    return found


def reference(name: str) -> Cases:
    with (FOLDER / "inputs.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["dataset"] == name]
    y, q, w = (np.array([float(row[key]) for row in rows]) for key in ("y", "q", "w"))
    return Cases(y.astype(int), q, weight=w)


def columns(block: dict[str, str]) -> tuple[list[float], list[float]]:
    """Return powers, written as fractions, and the numbers that belong to them."""
    return [float(Fraction(power)) for power in block], [float(value) for value in block.values()]


# Against 25 digits


@pytest.mark.parametrize("name", METRICS)
def test_proper_means_of_an_event_are_those_of_the_reference(name: str) -> None:
    cases, numbers = reference(name), METRICS[name]
    powers, model = columns(numbers["proper_mean_model"])
    same, source = columns(numbers["proper_mean_source_isotonic"])
    assert powers == same == [-2 / 3, 0, 0.5]
    for data in (cases, cases.tally()):
        limit = float(numbers["q_lim"])
        found = proper_means(data, precision=limit)
        np.testing.assert_array_equal(found.power, powers)
        np.testing.assert_allclose(found.model, model, **CLOSE)
        np.testing.assert_allclose(source_of(data, precision=limit), source, **CLOSE)
        ratio = np.array(model) / np.array(source)
        np.testing.assert_allclose(divergence(data, precision=limit), ratio, rtol=1e-12)


def test_proper_means_of_classes_are_those_of_the_reference() -> None:
    rows = np.array([[float(x) for x in row] for row in THREE["Q"]])
    powers, model = columns(THREE["proper_mean"])
    found = proper_means(Cases(THREE["y"], rows), powers)
    np.testing.assert_allclose(found.model, model, **CLOSE)
    mean_probability = proper_means(Cases(THREE["y"], rows), [0]).model
    np.testing.assert_allclose(
        mean_probability, [float(THREE["model"]["mean_probability"])], **CLOSE
    )


# Laws


def rule_mean(power: float, y: Any, p: Any, weight: Any = None) -> float:
    """Return the mean that a mean loss stands for."""
    loss = Pseudospherical(power)(y, p, weight)
    return math.exp(-loss if power == 0 else math.log1p(-power * loss) / power)


@pytest.mark.parametrize("power", [*PROPER, 0.0])
def test_a_proper_mean_is_a_mean_loss_on_another_scale(power: float) -> None:
    for y, p in ((CLASSES == 1, ROWS[:, 1]), (CLASSES, ROWS)):
        for weight in (None, WEIGHT):
            found = proper_means(Cases(y, p, weight=weight), [power]).model[0]
            assert found == pytest.approx(rule_mean(power, y, p, weight), rel=1e-13)
    fit = reliability(tally(CLASSES == 1, ROWS[:, 1], weight=WEIGHT))
    used = WEIGHT > 0
    p = fit.recalibrated[np.searchsorted(fit.value, ROWS[used, 1])]
    source = source_of(tally(CLASSES == 1, ROWS[:, 1], weight=WEIGHT), [power])
    wanted = rule_mean(power, CLASSES[used] == 1, p, WEIGHT[used])
    assert source[0] == pytest.approx(wanted, rel=1e-13)


def random_set(seed: int) -> Tally:
    """Draw forecasts that are coarse or fine, good or bad, weighted or not."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    shape = rng.uniform(0.2, 2, 2)
    p = rng.beta(shape[0], shape[1], n)
    p = p.round(int(rng.integers(1, 4))) if seed % 2 else p
    y = rng.random(n) < (rng.random(n) if seed % 3 == 0 else np.sqrt(p))
    weight = (None, rng.integers(1, 4, n), rng.exponential(size=n))[seed % 5 % 3]
    return tally(y, p, weight=weight)


@pytest.mark.slow
def test_no_divergence_is_above_1() -> None:
    below = 0
    for seed in range(200):
        found = divergence(random_set(seed), PROPER)
        assert (found <= 1).all()
        below += int((found < 1 - 1e-9).sum())
    # And hardly ever is it 1.
    assert below > 1400


def test_recalibrated_forecasts_do_not_diverge() -> None:
    fit = reliability(tally(CLASSES == 1, ROWS[:, 1]))
    p = fit.recalibrated[np.searchsorted(fit.value, ROWS[:, 1])]
    np.testing.assert_array_equal(divergence(tally(CLASSES == 1, p), [*PROPER, 1]), 1)


def test_at_power_0_it_is_the_accuracy() -> None:
    for y, p in ((CLASSES == 1, ROWS[:, 1]), (CLASSES, ROWS)):
        cases = Cases(y, p, weight=WEIGHT)
        found, known = proper_means(cases, [0]), means(cases)
        assert found.model[0] == pytest.approx(known.mean_probability, rel=1e-14)
        assert found.model[0] == pytest.approx(math.exp(-Log()(y, p, WEIGHT)), rel=1e-14)
    event = Cases(CLASSES == 1, ROWS[:, 1], weight=WEIGHT)
    known = means(event)
    assert source_of(event, [0])[0] == pytest.approx(known.source.mean_probability, rel=1e-14)
    assert divergence(event, [0])[0] == pytest.approx(known.divergence, rel=1e-14)


def test_at_power_1_it_is_the_share_that_was_classified_correctly() -> None:
    # Right, wrong, a tie of two, a tie of three, and a tie that the outcome is not part of.
    p = [[0.6, 0.3, 0.1], [0.6, 0.3, 0.1], [0.4, 0.4, 0.2], [1 / 3] * 3, [0.5, 0.5, 0.0]]
    y, weight = [0, 2, 1, 0, 2], [1, 2, 3, 4, 5]
    share = (1 + 3 / 2 + 4 / 3) / 15
    found = proper_means(Cases(y, p, weight=weight), [1]).model[0]
    assert found == pytest.approx(share, rel=1e-15)
    assert found == pytest.approx(1 - Misclassification()(y, p, weight), rel=1e-15)
    near = proper_means(Cases(y, p, weight=weight), [1 - 1e-9]).model[0]
    assert near == pytest.approx(share, rel=1e-7)
    event = proper_means(tally([1, 0, 1, 0], [0.5, 0.2, 0.4, 0.7]), [1])
    assert event.model[0] == pytest.approx((0.5 + 1) / 4, rel=1e-15)
    assert proper_means(tally([0, 1], [0.9, 0.1]), [1]).model[0] == 0


def test_means_may_fall_with_the_power() -> None:
    # 0.2 is given to what happens, and the roots, or squares, of 0.2 and 0.8 are as 1 to 2, or 16.
    found = proper_means(tally([1], [0.2]), [-1, 0, 1 / 2, 1])
    np.testing.assert_allclose(found.model, [1 / 3, 1 / 5, 1 / 17, 0], rtol=1e-14)


# What raw means reward, and these do not

TRUTH = np.array([0.7, 0.2, 0.1])


def population(report: Any, power: float) -> float:
    """Return the proper mean of a report, if classes happen as the truth says."""
    cases = Cases([0, 1, 2], np.tile(report, (3, 1)), weight=TRUTH)
    return float(proper_means(cases, [power]).model[0])


@pytest.mark.parametrize("power", [-3, -2 / 3, 0, 1 / 2, 0.8])
def test_no_report_beats_the_truth(power: float) -> None:
    best = population(TRUTH, power)
    reports = np.random.default_rng(1).dirichlet(np.ones(3), 100)
    near = np.abs(TRUTH + np.random.default_rng(2).normal(0, 1e-3, (20, 3)))
    for report in (*reports, *(near / near.sum(axis=1, keepdims=True))):
        assert population(report, power) < best


def test_a_raw_mean_over_that_of_the_source_is_no_divergence() -> None:
    # Every forecast is hedged: 0.8 happens 9 times of 10, 0.2 once.
    t = Tally.from_counts([0.2, 0.8], [10, 10], [1, 9])
    assert means(t).ratio.robustness > 1
    assert means(t).ratio.mean_probability < 1
    assert (divergence(t) < 1).all()


# Sources, classes and limits


def test_bins_may_lead_to_a_ratio_above_1() -> None:
    t = tally([0, 1], [0.1, 0.9])
    one = probability.EqualCount(bins=1)
    np.testing.assert_allclose(source_of(t, [0, 1 / 2], source=one), [0.5, 0.5], rtol=1e-15)
    wanted = [1.8, 2 * 0.81 / 0.82]
    np.testing.assert_allclose(divergence(t, [0, 1 / 2], source=one), wanted, rtol=1e-14)
    np.testing.assert_allclose(divergence(t, [0, 1 / 2], source="hist"), wanted, rtol=1e-14)


@pytest.mark.parametrize(
    "source",
    [
        probability.EqualCount(bins=5),
        "kernel",
        "neighbours",
    ],
    ids=str,
)
def test_every_source_is_that_of_the_means(source: Any) -> None:
    # Sixty-fourths and their complements are floats, so that ties are ties.
    cases = Cases(CLASSES == 1, (ROWS[:, 1] * 64).round() / 64)
    wanted = means(cases, source=source).source.mean_probability
    assert source_of(cases, [0], source=source)[0] == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize(
    "source",
    [probability.IsotonicSource(pooled=True), probability.EqualWidth(bins=3, pooled=True)],
    ids=str,
)
def test_pooled_columns_have_no_source(source: Any) -> None:
    p = ROWS[:, 1]
    table = Cases((CLASSES == 1).astype(int), np.stack([1 - p, p], axis=1), weight=WEIGHT)
    for cases in (Cases(CLASSES == 1, p, weight=WEIGHT), table, Cases(CLASSES, ROWS)):
        found, apart = (
            proper_means(cases, PROPER, source=source),
            proper_means(cases, PROPER),
        )
        assert (found.source, found.divergence) == (None, None)
        np.testing.assert_array_equal(found.model, apart.model)
        assert list(found.to_frame("pandas").columns) == ["power", "model"]


def test_two_classes_are_an_event() -> None:
    p = ROWS[:, 1]
    table = Cases((CLASSES == 1).astype(int), np.stack([1 - p, p], axis=1), weight=WEIGHT)
    found = proper_means(table, PROPER)
    event = proper_means(Cases(CLASSES == 1, p, weight=WEIGHT), PROPER)
    for name in ("model", "source", "divergence"):
        np.testing.assert_allclose(getattr(found, name), getattr(event, name), rtol=1e-13)


def test_precision_comes_first() -> None:
    cases = tally([0, 1, 1], [0.0, 0.0, 1.0])
    limited = tally([0, 1, 1], [0.01, 0.01, 0.99])
    np.testing.assert_array_equal(
        proper_means(cases, precision=0.01).model, proper_means(limited).model
    )
    assert proper_means(cases).model[:2].tolist() == [0, 0]


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
