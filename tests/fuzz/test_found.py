"""What fuzzing has found, each as small as it was, with the right answer and no warning."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.command_line import run, write_forecasts

import properly
from properly import probability
from properly.inference._shares import wilson
from properly.rules import Brier

if TYPE_CHECKING:
    from pathlib import Path

FEW: dict[str, Any] = {"replicates": 20, "rng": 1}
RNG = np.random.default_rng(5)
P = RNG.random(200).round(2)
Y = RNG.random(200) < P
WEIGHT = RNG.uniform(0.5, 2, 200)


def test_cases_that_are_lost_beside_heavier_ones_have_no_source() -> None:
    # 1.2e-29 added to 9.9e29 is 9.9e29.
    y, p, weight = [1, 1, 0], [0.1, 0.1, 0.5], [9.9e29, 4.8e-30, 1.2e-29]
    averages = properly.means(y, p, weight=weight)
    assert averages.mean_probability == pytest.approx(0.1, rel=1e-12)
    assert math.isnan(averages.classes["no event"].source.mean_probability)
    assert averages.classes["event"].source.mean_probability == 1


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


SUBNORMAL = np.full(40, 1e-310)
FEW_EVENTS = np.array([0, 0, 0, 1] * 10)


def test_events_that_were_called_next_to_impossible_refute_calibration() -> None:
    found = properly.calibration_test(FEW_EVENTS, SUBNORMAL, statistic="hosmer-lemeshow")
    assert found.p_value == 0


@pytest.mark.parametrize("unit", [1e-29, 1e29])
def test_nothing_depends_on_the_unit_of_weights(unit: float) -> None:
    p, light, heavy = P.clip(0.01, 0.99), WEIGHT, WEIGHT * unit
    for statistic in (None, "cox", "citl", "ks", "spiegelhalter"):
        found, plain = (
            properly.calibration_test(Y, p, weight=w, statistic=statistic, **FEW)
            for w in (heavy, light)
        )
        assert found.statistic == pytest.approx(plain.statistic, rel=1e-9)
        assert found.p_value == pytest.approx(plain.p_value, rel=1e-9)
    numbers = []
    for w in (heavy, light):
        cases = properly.Cases(Y, p, weight=w, groups=np.arange(200) % 2)
        measures = properly.by_group(cases, Brier(), **FEW).measures
        pair = properly.compare(Y, {"p": p, "q": p**2}, rule=Brier(), weight=w, rng=1)["p", "q"]
        line = properly.recalibration.Logistic().fit(Y, p, weight=w)
        numbers.append(
            [
                *(x for name in measures for x in measures[name].p_value),
                *properly.calibration.calibration_curve(Y, p, weight=w, points=5).upper,
                *probability.confidence_test(cases).z.to_dict().values(),
                *(*pair.interval, pair.p_value, line.slope, line.intercept),
                properly.score_interval(cases, Brier()).standard_error,
                properly.inference.auc_interval(cases).standard_error,
            ]
        )
    np.testing.assert_allclose(numbers[0], numbers[1], rtol=1e-7)
