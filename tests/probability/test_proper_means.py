"""Proper means: of the model, of the source, and their ratio."""

from __future__ import annotations

import csv
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from properly import Cases, Tally, means, probability, reliability, tally
from properly.probability import proper_means
from properly.rules import Log, Misclassification, Pseudospherical

FOLDER = Path(__file__).parents[1] / "reference" / "means"
METRICS = json.loads((FOLDER / "metrics.json").read_text(encoding="utf-8"))
THREE = json.loads((FOLDER / "multiclass_bins.json").read_text(encoding="utf-8"))["three_class_12"]
CLOSE: dict[str, Any] = {"rtol": 0, "atol": 1e-13}
POWERS = [-3, -1, -2 / 3, -1 / 4, 1 / 4, 1 / 2, 0.8, 0.95]
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


@pytest.mark.parametrize("power", [*POWERS, 0.0])
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
        found = divergence(random_set(seed), POWERS)
        assert (found <= 1).all()
        below += int((found < 1 - 1e-9).sum())
    # And hardly ever is it 1.
    assert below > 1400


def test_recalibrated_forecasts_do_not_diverge() -> None:
    fit = reliability(tally(CLASSES == 1, ROWS[:, 1]))
    p = fit.recalibrated[np.searchsorted(fit.value, ROWS[:, 1])]
    np.testing.assert_array_equal(divergence(tally(CLASSES == 1, p), [*POWERS, 1]), 1)


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
        probability.EqualCount(bins=5, ties="split"),
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
        found, apart = proper_means(cases, POWERS, source=source), proper_means(cases, POWERS)
        assert (found.source, found.divergence) == (None, None)
        np.testing.assert_array_equal(found.model, apart.model)
        assert list(found.to_frame("pandas").columns) == ["power", "model"]


def test_a_source_that_rules_out_what_happened_has_no_ratio() -> None:
    class Never(probability.Source):
        def fit(self, tally: Tally) -> probability.Fit:
            none = np.zeros(len(tally))
            return probability.Fit(np.arange(1, len(tally) + 1), tally.weight, tally.events, none)

    t, powers = tally([0, 1], [0.2, 0.7]), [-1, 0, 1 / 2]
    np.testing.assert_allclose(source_of(t, powers, source=Never()), [0, 0, 0.25], rtol=1e-15)
    assert np.isnan(divergence(t, powers, source=Never())).tolist() == [True, True, False]


def test_two_classes_are_an_event() -> None:
    p = ROWS[:, 1]
    table = Cases((CLASSES == 1).astype(int), np.stack([1 - p, p], axis=1), weight=WEIGHT)
    found = proper_means(table, POWERS)
    event = proper_means(Cases(CLASSES == 1, p, weight=WEIGHT), POWERS)
    for name in ("model", "source", "divergence"):
        np.testing.assert_allclose(getattr(found, name), getattr(event, name), rtol=1e-13)


def test_precision_comes_first() -> None:
    cases = tally([0, 1, 1], [0.0, 0.0, 1.0])
    limited = tally([0, 1, 1], [0.01, 0.01, 0.99])
    np.testing.assert_array_equal(
        proper_means(cases, precision=0.01).model, proper_means(limited).model
    )
    assert proper_means(cases).model[:2].tolist() == [0, 0]
