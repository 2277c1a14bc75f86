"""Was what happened as probable as the forecasts themselves expect."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import astuple
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import properly
from properly.probability import confidence_test
from properly.probability._power_means import POWERS, ConfidenceTest, ThreeMeans

FOLDER = Path(__file__).parents[1] / "reference" / "means"
# Absolute: of a z that is 0 the reference, of 60 digits, has a residue of 1e-61; doubles have more.
TOLERANCE = 1e-12
METRICS: dict[str, Any] = json.loads((FOLDER / "metrics.json").read_text())
CLASSES: dict[str, Any] = json.loads((FOLDER / "multiclass_bins.json").read_text())
WHAT, THAN, HOW = "what happened was", "probable than the forecasts expect", "5 % level, Holm"
NAN = ThreeMeans(math.nan, math.nan, math.nan)


@cache
def rows_of(name: str) -> tuple[list[int], list[float], list[float]]:
    with (FOLDER / "inputs.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["dataset"] == name]
    return tuple(  # type: ignore[return-value]
        [kind(row[key]) for row in rows] for key, kind in (("y", int), ("q", float), ("w", float))
    )


def two_classes(y: Any, q: Any, **known: Any) -> properly.Cases:
    """Write forecasts of an event as probabilities of two classes."""
    return properly.Cases(y, np.stack([1 - np.asarray(q), q], axis=1), **known)


def routes(y: Any, q: Any, weight: Any = None) -> list[Any]:
    cases = properly.Cases(y, q, weight=weight)
    return [cases, cases.tally(), two_classes(y, q, weight=weight)]


def given_as(found: dict[str, str]) -> list[float]:
    return [float(found[name]) for name in POWERS]


def agree(found: ThreeMeans, other: Any) -> None:
    assert astuple(found) == pytest.approx(tuple(other), abs=TOLERANCE, nan_ok=True)


@pytest.mark.parametrize("name", METRICS)
def test_expected_and_observed_means_have_the_digits_of_the_reference(name: str) -> None:
    known = METRICS[name]
    for cases in routes(*rows_of(name)):
        found = confidence_test(cases, precision=float(known["q_lim"]))
        agree(found.expected, given_as(known["self_expected"]))
        agree(found.observed, given_as(known["model"]))


@pytest.mark.parametrize("name", [name for name, x in METRICS.items() if "calibration_z" in x])
def test_z_has_the_digits_of_the_reference(name: str) -> None:
    known = METRICS[name]
    for cases in routes(*rows_of(name)):
        found = confidence_test(cases, precision=float(known["q_lim"]))
        agree(found.z, given_as(known["calibration_z"]))


@pytest.mark.parametrize("name", CLASSES)
def test_expected_means_of_classes_have_the_digits_of_the_reference(name: str) -> None:
    known = CLASSES[name]
    cases = properly.Cases(known["y"], np.array(known["Q"], dtype=float))
    found = confidence_test(cases)
    agree(found.expected, given_as(known["self_expected"]))
    agree(found.observed, given_as(known["model"]))


def test_z_of_classes_is_what_the_formula_says() -> None:
    rng = np.random.default_rng(701)
    p, y = rng.dirichlet([0.5, 1, 2, 1], 60), rng.integers(0, 4, 60)
    found = confidence_test(properly.Cases(y, p))
    for name, power in POWERS.items():
        f = np.log(p) if power == 0 else p**power
        mean = (p * f).sum(axis=1)
        variance = (p * (f - mean[:, None]) ** 2).sum()
        z = (f[np.arange(60), y] - mean).sum() / math.sqrt(variance)
        assert getattr(found.z, name) == pytest.approx(-z if power < 0 else z, rel=1e-12)


def test_long_tables_are_summed_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(706)
    cases = properly.Cases(rng.integers(0, 3, 50), rng.dirichlet([1, 1, 1], 50))
    whole = confidence_test(cases)
    monkeypatch.setattr("properly._boundary._chunks.TABLE", 12)
    agree(confidence_test(cases).z, astuple(whole.z))


def test_the_p_value_is_two_sided_and_normal() -> None:
    found = confidence_test(properly.tally(*rows_of("calibrated20")[:2]))
    assert astuple(found.p_value) == pytest.approx(2 * norm.sf(np.abs(astuple(found.z))), rel=1e-12)


def test_z_of_decisiveness_is_that_of_spiegelhalter_turned() -> None:
    rng = np.random.default_rng(702)
    p, y = rng.random(80), rng.integers(0, 2, 80)
    z = ((y - p) * (1 - 2 * p)).sum() / np.sqrt(((1 - 2 * p) ** 2 * p * (1 - p)).sum())
    assert confidence_test(properly.tally(y, p)).z.decisiveness == pytest.approx(-z, rel=1e-12)


@given(
    st.lists(
        st.tuples(st.booleans(), st.floats(0.001, 0.999), st.integers(1, 5)),
        min_size=1,
        max_size=12,
    )
)
def test_counts_are_cases_and_weights_only_weigh(rows: list[tuple[bool, float, int]]) -> None:
    y, p, n = (np.array(x) for x in zip(*rows, strict=True))
    repeated = confidence_test(properly.tally(np.repeat(y, n), np.repeat(p, n)))
    for cases in (properly.tally(y, p, count=n), properly.Cases(y, p, count=n)):
        found = confidence_test(cases)
        agree(found.expected, astuple(repeated.expected))
        assert astuple(found.z) == pytest.approx(astuple(repeated.z), abs=1e-9, nan_ok=True)
    for once, seven in zip(routes(y, p, n), routes(y, p, 7 * n), strict=True):
        found, scaled = confidence_test(once), confidence_test(seven)
        agree(found.expected, astuple(repeated.expected))
        agree(found.observed, astuple(repeated.observed))
        assert astuple(scaled.z) == pytest.approx(astuple(found.z), abs=1e-9, nan_ok=True)


def test_fractional_weights_enter_the_variance_as_squares() -> None:
    rng = np.random.default_rng(703)
    p, y, w = rng.random(50), rng.integers(0, 2, 50), rng.gamma(0.7, size=50)
    t = np.where(y, p, 1 - p)
    entropy = p * np.log(p) + (1 - p) * np.log(1 - p)
    variance = p * (1 - p) * np.log(p / (1 - p)) ** 2
    z = (w * (np.log(t) - entropy)).sum() / math.sqrt((w**2 * variance).sum())
    for cases in routes(y, p, w):
        found = confidence_test(cases)
        assert found.z.mean_probability == pytest.approx(z, rel=1e-12)
        assert found.expected.mean_probability == pytest.approx(
            np.exp((w * entropy).sum() / w.sum())
        )


@pytest.mark.parametrize(
    "cases",
    [
        properly.tally([0, 1, 1], [0.5, 0.5, 0.5]),
        properly.tally([0, 1], [np.nextafter(0.5, 0), np.nextafter(0.5, 1)]),
        properly.tally([0, 1, 1], [0.0, 1.0, 0.5]),
        properly.Cases([0, 2, 1], [[1 / 3, 1 / 3, 1 - 2 / 3]] * 3),
        properly.Cases([0, 1], [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]),
    ],
    ids=["even", "even but for rounding", "certain and right", "a third each", "among possible"],
)
def test_where_chance_has_no_say_there_is_no_z(cases: Any) -> None:
    found = confidence_test(cases)
    agree(found.z, astuple(NAN))
    agree(found.p_value, astuple(NAN))
    agree(found.adjusted, astuple(NAN))
    agree(found.observed, astuple(found.expected))
    assert found.verdict == (
        "cannot be told: forecasts that were certain and right, or even, say nothing"
    )


# What happened was less probable than expected by 1 - 0.12 - 0.08, and by 0.5 + 0.08.
@pytest.mark.parametrize(
    ("cases", "z"),
    [
        (properly.tally([0, 1], [1.0, 1.0]), -math.inf),
        (properly.tally([1, 1, 0], [0.0, 0.7, 0.4]), -0.8 / math.sqrt(0.0336 + 0.0096)),
        (
            properly.Cases([2, 1], [[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]]),
            -0.58 / math.sqrt(0.0156),
        ),
    ],
    ids=["all certain", "one certain", "classes"],
)
def test_what_was_called_impossible_and_happened_refutes_calibration(cases: Any, z: float) -> None:
    found = confidence_test(cases)
    assert found.z.mean_probability == found.z.robustness == -math.inf
    assert found.p_value.mean_probability == found.p_value.robustness == 0
    assert found.z.decisiveness == pytest.approx(z, rel=1e-12)
    assert found.impossible == 1
    assert found.observed.mean_probability == found.observed.robustness == 0
    assert min(astuple(found.expected)) > 0
    assert found.verdict == (
        "calibration is refuted: 1 case had an outcome that was called impossible; "
        "a precision tests the others"
    )


def test_the_weight_of_what_was_called_impossible_is_told() -> None:
    heavy = confidence_test(properly.Cases([1, 0, 0], [0.0, 1.0, 0.3], weight=[3, 2, 1]))
    assert heavy.impossible == heavy.to_dict()["impossible"] == 5
    assert heavy.verdict.startswith("calibration is refuted: a weight of 5 had")
    often = confidence_test(properly.Cases([1, 0, 0], [0.0, 1.0, 0.3], count=[3, 2, 1]))
    assert often.verdict.startswith("calibration is refuted: 5 cases had")
    light = confidence_test(properly.Cases([1, 0], [0.0, 0.3], weight=[0.5, 1.0]))
    assert light.impossible == 0.5
    assert light.verdict.startswith("calibration is refuted: a weight of 0.5 had")
    none = confidence_test(properly.Cases([1, 0], [0.0, 0.3]), precision=0.01)
    assert none.impossible == 0
    assert max(abs(x) for x in astuple(none.z)) < math.inf


def test_what_was_all_but_impossible_needs_no_division_by_0() -> None:
    # Alone in the sums but for rounding: t^(-2/3) is 1e200, and its variance 1e-300 * 1e400.
    finite = confidence_test(properly.tally([1, 0], [1e-300, 0.3]))
    assert finite.z.robustness == pytest.approx(-1e150, rel=1e-9)


def test_certain_forecasts_that_came_true_change_no_z() -> None:
    y, p, _ = rows_of("six")
    agree(
        confidence_test(properly.tally([*y, 0, 1], [*p, 0.0, 1.0])).z,
        astuple(confidence_test(properly.tally(y, p)).z),
    )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=15), st.integers(0, 2**15))
def test_what_is_expected_needs_no_outcomes(p: list[float], outcomes: int) -> None:
    y = [outcomes >> i & 1 for i in range(len(p))]
    first = confidence_test(properly.tally(y, p)).expected
    agree(confidence_test(properly.tally([0] * len(p), p)).expected, astuple(first))
    assert first.robustness <= first.mean_probability + TOLERANCE
    assert first.mean_probability <= first.decisiveness + TOLERANCE


def draw(rng: np.random.Generator, sharpness: float, n: int = 200) -> properly.Tally:
    """Draw outcomes of forecasts, and multiply the log-odds of the forecasts."""
    logit = rng.normal(0, 1.5, n)
    y = rng.random(n) < 1 / (1 + np.exp(-logit))
    return properly.tally(y, 1 / (1 + np.exp(-sharpness * logit)))


def test_of_calibrated_forecasts_a_twentieth_is_refused() -> None:
    rng = np.random.default_rng(704)
    found = [confidence_test(draw(rng, 1)) for _ in range(400)]
    share = np.mean([np.array(astuple(test.p_value)) <= 0.05 for test in found], axis=0)
    assert (np.abs(share - 0.05) <= 3 * math.sqrt(0.05 * 0.95 / 400)).all()
    # Holm's method keeps the level for all three together.
    told = np.mean([not test.verdict.startswith("no sign") for test in found])
    assert 0 < told <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)


@pytest.mark.parametrize(
    ("sharpness", "sign", "word"),
    [(2.0, -1, "over-confident or biased: "), (0.4, 1, "under-confident or biased to even odds: ")],
    ids=["over-confident", "under-confident"],
)
def test_the_sign_tells_the_direction(sharpness: float, sign: int, word: str) -> None:
    rng = np.random.default_rng(705)
    found = [confidence_test(draw(rng, sharpness)) for _ in range(50)]
    assert (sign * np.array([astuple(test.z) for test in found]) > 0).mean() > 0.98
    assert np.mean([test.verdict.startswith(word) for test in found]) > 0.9


def test_bias_looks_like_either() -> None:
    # Events come at 0.6, and at 0.05: both forecasts are biased, neither is over-confident.
    wrong_side = confidence_test(properly.Tally.from_counts([0.4], [400], [240]))
    too_even = confidence_test(properly.Tally.from_counts([0.4], [400], [20]))
    assert wrong_side.verdict.startswith("over-confident or biased: ")
    assert too_even.verdict.startswith("under-confident or biased to even odds: ")


def test_a_precision_makes_calibrated_forecasts_less_extreme_than_they_should_be() -> None:
    value = np.array([0.002, 0.2, 0.8, 0.998])
    t = properly.Tally.from_counts(value, [1000] * 4, np.round(1000 * value).astype(int))
    agree(confidence_test(t).z, [0, 0, 0])
    limited = confidence_test(t, precision=0.01).z
    assert 0 < limited.decisiveness < limited.mean_probability < limited.robustness


def record(z: tuple[float, float, float], p: tuple[float, float, float]) -> ConfidenceTest:
    means = ThreeMeans(0.7, 0.6, 0.5)
    return ConfidenceTest(means, means, ThreeMeans(*z), ThreeMeans(*p))


def test_the_p_values_are_adjusted_in_the_order_of_their_size() -> None:
    assert astuple(record((1, -2, 3), (0.3, 0.02, 0.01)).adjusted) == (0.3, 0.04, 0.03)
    # Never in another order than before, nor above 1.
    assert astuple(record((1, 1, 1), (0.4, 0.4, 0.5)).adjusted) == pytest.approx((1, 1, 1))
    assert astuple(record((1, 2, 2), (0.06, 0.04, 0.03)).adjusted) == (0.09, 0.09, 0.09)


@pytest.mark.parametrize(
    ("z", "p", "verdict"),
    [
        ((-1, -2, -2), (0.3, 0.03, 0.02), "no sign of over- or under-confidence at the 5 % level"),
        (
            (-1, -2, -3),
            (0.3, 0.02, 0.01),
            f"over-confident or biased: {WHAT} less {THAN} (mean probability, robustness; {HOW})",
        ),
        (
            (3, -1, 1),
            (0.01, 0.3, 0.4),
            f"under-confident or biased to even odds: {WHAT} more {THAN} (decisiveness; {HOW})",
        ),
        (
            (3, 1, -3),
            (0.01, 0.4, 0.01),
            f"miscalibrated: {WHAT} less {THAN} by robustness, but more by decisiveness",
        ),
    ],
    ids=["neither", "less", "more", "both"],
)
def test_the_verdict_is_in_words(z: Any, p: Any, verdict: str) -> None:
    assert record(z, p).verdict == verdict
