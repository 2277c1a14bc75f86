"""What fuzzing has found, each as small as it was, with the right answer and no warning."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.command_line import run, write_forecasts

import properly
from properly import calibration, probability
from properly.inference._shares import wilson
from properly.rules import Brier, Elementary, Log, Pseudospherical

if TYPE_CHECKING:
    from pathlib import Path

FEW: dict[str, Any] = {"replicates": 20, "rng": 1}
RNG = np.random.default_rng(5)
P = RNG.random(200).round(2)
Y = RNG.random(200) < P
WEIGHT = RNG.uniform(0.5, 2, 200)
GROUPS = np.arange(200) % 2
# Powers of two, so that no weight is rounded.
units = pytest.mark.parametrize("unit", [2.0**-90, 2.0**90])


def test_cases_that_are_lost_beside_heavier_ones_are_counted_by_themselves() -> None:
    # 1.2e-29 added to 9.9e29 is 9.9e29, and yet the event failed to happen.
    y, p, weight = [1, 1, 0], [0.1, 0.1, 0.5], [9.9e29, 4.8e-30, 1.2e-29]
    table = probability.source_table(y, p, weight=weight)
    assert table.name == ["event", "no event"]
    assert table.happened.tolist() == [9.9e29, 1.2e-29]
    np.testing.assert_allclose(table.source, [1.0, 1.2e-29 / 9.9e29], rtol=1e-15)
    assert table.means.classes["no event"].source.mean_probability == pytest.approx(
        1.2e-29 / 9.9e29
    )
    assert table.size.sum() == pytest.approx(-math.log(table.means.mean_probability))


@pytest.mark.parametrize("p", [1e-30, 1e-300, 1e-310, 5e-324])
def test_the_shift_of_tiny_forecasts_is_the_difference_of_log_odds(p: float) -> None:
    y = np.arange(50) < 20
    summary = properly.calibration_summary(y, np.full(50, p), **FEW)
    expected = math.log(20 / 30) - math.log(p)
    assert summary.in_the_large.value == pytest.approx(expected, rel=1e-12)
    assert summary.in_the_large.standard_error == pytest.approx((49 * 0.4 * 0.6) ** -0.5)


def test_an_event_that_was_all_but_impossible_refutes_calibration() -> None:
    y, p = np.array([1, 0, 0, 0]), np.array([1e-310, 0.2, 0.3, 0.4])
    test = properly.calibration_test(y, p, **FEW)
    assert test.p_is_bound
    assert test.replicates is not None
    assert test.p_value == pytest.approx(1 / (test.replicates + 1))
    assert properly.calibration_test(y, p, statistic="ks", **FEW).parts["asymptotic"] < 1


@pytest.mark.parametrize("small", [1e-30, 1e-90])
def test_observed_to_expected_events_have_the_error_of_forecasts_of_any_size(small: float) -> None:
    found, plain = (
        properly.by_group(properly.Cases(Y, P * unit, groups=GROUPS), Brier(), **FEW)
        for unit in (small, 1e-3)
    )
    relative, expected = (
        x.measures["observed_expected"].standard_error / x.measures["observed_expected"].value
        for x in (found, plain)
    )
    np.testing.assert_allclose(relative, expected, rtol=1e-9)


@pytest.mark.slow
@units
@pytest.mark.parametrize("rule", [Brier(), Log(), Elementary(0.3)], ids=repr)
def test_groups_are_compared_in_any_unit_of_weight(rule: Any, unit: float) -> None:
    p = P.clip(0.01, 0.99)
    found, plain = (
        properly.by_group(properly.Cases(Y, p, weight=w, groups=GROUPS), rule, **FEW)
        for w in (WEIGHT * unit, WEIGHT)
    )
    for name, contrast in plain.measures.items():
        np.testing.assert_allclose(found.measures[name].value, contrast.value, rtol=1e-12)
        np.testing.assert_allclose(found.measures[name].p_value, contrast.p_value, rtol=1e-9)


def test_a_light_group_beside_a_heavy_one_has_its_own_error() -> None:
    groups = np.repeat([0, 1], 100)
    unit = np.where(groups, 2.0**90, 2.0**-90)
    found, plain = (
        properly.by_group(properly.Cases(Y, P, weight=w, groups=groups), Brier(), **FEW)
        for w in (WEIGHT * unit, WEIGHT)
    )
    for name, contrast in plain.measures.items():
        error = found.measures[name].standard_error
        np.testing.assert_allclose(error, contrast.standard_error, rtol=1e-9)


@units
@pytest.mark.parametrize("statistic", [None, "cox", "citl", "ks", "spiegelhalter"])
def test_calibration_is_tested_in_any_unit_of_weight(statistic: Any, unit: float) -> None:
    p = P.clip(0.01, 0.99)
    found, plain = (
        properly.calibration_test(Y, p, weight=w, statistic=statistic, **FEW)
        for w in (WEIGHT * unit, WEIGHT)
    )
    assert found.p_value == pytest.approx(plain.p_value, rel=1e-9)
    assert found.statistic == pytest.approx(plain.statistic, rel=1e-9)


@units
def test_curves_and_lines_are_fitted_in_any_unit_of_weight(unit: float) -> None:
    p = P.clip(0.01, 0.99)
    found, plain = (
        calibration.calibration_curve(Y, p, weight=w, points=5) for w in (WEIGHT * unit, WEIGHT)
    )
    np.testing.assert_allclose(found.upper, plain.upper, rtol=1e-9)
    one, other = (
        properly.recalibration.Logistic().fit(Y, p, weight=w) for w in (WEIGHT * unit, WEIGHT)
    )
    assert one.slope == pytest.approx(other.slope, rel=1e-9)


def test_models_that_score_the_same_are_all_in_the_confidence_set() -> None:
    p = np.tile([0.1, 0.3], 15)
    found = properly.comparison.confidence_set(
        np.zeros(30), {"first": p, "turned": p[::-1]}, rule=Brier(), replicates=39, rng=1
    )
    assert set(found.included) == {"first", "turned"}


def test_a_share_of_cases_without_number_is_known() -> None:
    lower, upper = wilson(np.array([0.25]), np.array([1e200]), 1.96)
    assert lower.tolist() == upper.tolist() == [0.25]


@pytest.mark.parametrize("text", ["[" * 20_000 + "]" * 20_000, '{"data": {}, "stored": [1]}', "1"])
def test_a_baseline_that_is_none_is_refused(folder: Path, text: str) -> None:
    rows = write_forecasts(folder / "rows.csv")
    (folder / "odd.json").write_text(text)
    asked = ("--outcome", "y", "--forecast", "good", "--baseline", "odd.json")
    result = run("score", rows, *asked)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: --baseline must be a stored result; 'odd.json' is none")


def test_losses_beyond_what_can_be_squared_are_compared() -> None:
    y, q = np.arange(60) % 2, np.linspace(0.1, 0.9, 60)
    models = {"sure": np.where(y, 1e-310, 0.1), "second": q}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", properly.errors.DataWarning)
        found = properly.compare(y, models, rule=Pseudospherical(-1.0), rng=1)
    assert found["sure", "second"].difference > 1e150


def test_parts_of_losses_without_squares_have_intervals() -> None:
    y, p = np.array([0, 1, 0, 1] * 25), np.array([0.2, 1e-310, 0.3, 0.6] * 25)
    found = properly.decompose(y, p, Pseudospherical(-1.0), interval=True, **FEW)
    assert found.intervals is not None
    low, high = found.intervals.miscalibration
    assert 0 <= low < found.miscalibration < high


def test_groups_whose_losses_have_no_squares_are_not_told_apart() -> None:
    y, p = np.array([0, 1] * 100), np.full(200, 0.5)
    p[1], groups = 1e-320, np.repeat(["a", "b"], 100)
    found = properly.by_group(properly.Cases(y, p, groups=groups), Pseudospherical(-1.0), **FEW)
    score = found.measures["score"]
    assert score.value[0] > 1e150
    assert score.value[1] == pytest.approx(1)
    assert np.isnan(score.p_value).all()


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_share_of_hardly_any_cases_may_be_anything(share: float) -> None:
    # Of weights from 1e-16 to 1e75, this many cases are left.
    for n in (0.0, 1e-300, 1e-170):
        assert wilson(share, n, 1.96) == (0, 1)
    assert wilson(share, np.inf, 1.96) == pytest.approx((share, share), abs=1e-15)


SUBNORMAL = np.full(40, 1e-310)
FEW_EVENTS = np.array([0, 0, 0, 1] * 10)


def test_events_that_were_called_next_to_impossible_refute_calibration() -> None:
    found = properly.calibration_test(FEW_EVENTS, SUBNORMAL, statistic="hosmer-lemeshow")
    assert found.p_value == 0


def test_models_whose_losses_have_no_squares_are_not_told_apart() -> None:
    y, p, q = np.array([0, 1] * 50), np.full(100, 0.5), np.full(100, 1e-320)
    found = properly.compare(y, {"p": p, "q": q, "r": q * 2}, rule=Pseudospherical(-1.0))
    pair = found["q", "p"]
    assert pair.difference > 1e150
    assert np.isnan(pair.p_value)


@pytest.mark.parametrize("method", ["percentile", "basic", "studentized"])
def test_a_bootstrap_of_losses_without_squares_ends(method: Any) -> None:
    y, p = np.array([0, 1] * 50), np.array([0.5] * 99 + [1e-310])
    drawing: dict[str, Any] = {"method": method, "replicates": 39, "rng": 1}
    found = properly.inference.bootstrap(properly.Cases(y, p), Pseudospherical(-1.0), **drawing)
    assert found.value > 1e150
    assert found.standard_error > 1e150
