"""Do classes come with the probabilities that were forecast."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import pytest

import properly
from properly.rules import RPS, Brier, Log, Spherical

VIEWS: list[Literal["one_vs_rest", "cumulative", "top_label"]] = [
    "one_vs_rest",
    "cumulative",
    "top_label",
]


def draw(rng: np.random.Generator, n: int, **known: Any) -> properly.Cases:
    """Draw calibrated class probabilities, with ties and classes that are impossible."""
    P = rng.multinomial(5, rng.dirichlet(np.ones(3), n)) / 5
    y = np.array([rng.choice(3, p=row) for row in P])
    return properly.Cases(y, P, **known)


def draw_in_cells(monkeypatch: pytest.MonkeyPatch, single: int, cells: int, block: int) -> None:
    """Count draws in cells of so few forecasts, which are not, and take so few cases together."""
    for name, size in {"CELLS": cells, "ENDS": cells // 4}.items():
        monkeypatch.setattr(f"properly.inference._cells.{name}", size)
    monkeypatch.setattr("properly.calibration._components.MANY", single)
    monkeypatch.setattr("properly.calibration._calibration_test.BLOCK", block)


@pytest.mark.slow
@pytest.mark.parametrize("in_cells", [False, True])
@pytest.mark.parametrize("view", VIEWS)
def test_of_calibrated_forecasts_a_tenth_is_refused_at_a_tenth(
    view: Any, in_cells: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if in_cells:
        draw_in_cells(monkeypatch, 4, 4, 10)
    rng = np.random.default_rng(1)
    found = [
        properly.calibration_test(draw(rng, 25), reduction=view, replicates=19, rng=rng).p_value
        for _ in range(60)
    ]
    error = math.sqrt(0.1 * 0.9 / 60)
    assert np.mean(np.array(found) <= 0.1) <= 0.1 + 4 * error
    assert 0.4 < np.mean(found) < 0.7


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("view", VIEWS)
def test_draws_in_cells_tell_what_draws_of_single_forecasts_do(
    view: Any, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(8)
    P = rng.dirichlet(np.ones(3), 1500)
    y = (P.cumsum(axis=1) < rng.random((1500, 1))).sum(axis=1)
    cases = properly.Cases(y, P, weight=rng.gamma(2, size=1500) if weighted else None)
    single = properly.calibration_test(cases, reduction=view, replicates=400, rng=1)
    draw_in_cells(monkeypatch, 1000, 200, 400)
    cells = properly.calibration_test(cases, reduction=view, replicates=400, rng=2)
    assert cells.statistic == pytest.approx(single.statistic, rel=1e-12)
    assert cells.mean_if_calibrated == pytest.approx(single.mean_if_calibrated, rel=0.05)
    error = math.sqrt(2 * single.p_value * (1 - single.p_value) / 400)
    assert cells.p_value == pytest.approx(single.p_value, abs=4 * error + 0.05)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("rule", [Brier(), Brier(scale="half"), Log()], ids=repr)
def test_the_statistic_is_the_miscalibration_of_all_questions(rule: Any, view: Any) -> None:
    cases = draw(np.random.default_rng(2), 60)
    found = properly.calibration_test(cases, rule, reduction=view, replicates=9, rng=1)
    parts = properly.decompose(cases, rule, reduction=view)
    assert found.statistic == pytest.approx(parts.miscalibration, abs=1e-14)
    assert found.miscalibration == found.statistic
    assert (found.name, found.rule, found.method) == ("mcb", rule.name, "Monte Carlo")
    assert (found.replicates, found.design) == (9, "60 independent cases")


def test_a_ranked_rule_asks_its_own_questions() -> None:
    cases = draw(np.random.default_rng(3), 60)
    found = properly.calibration_test(cases, RPS(), replicates=99, rng=1)
    parts = properly.decompose(cases, RPS())
    assert found.statistic == pytest.approx(parts.miscalibration, abs=1e-14)
    cuts = properly.calibration_test(cases, reduction="cumulative", replicates=99, rng=1)
    assert found.p_value == cuts.p_value


def test_any_rule_for_one_event_judges_classes_against_the_rest() -> None:
    cases = draw(np.random.default_rng(3), 60)
    found = properly.calibration_test(cases, Spherical(), replicates=9, rng=1)
    parts = properly.decompose(cases, Spherical(), reduction="one_vs_rest")
    assert found.statistic == pytest.approx(parts.miscalibration, abs=1e-14)


def test_the_mean_under_calibration_is_what_a_multinomial_distribution_says() -> None:
    # One forecast for all: the miscalibration is the squared distance of the class frequencies.
    P = np.tile([0.2, 0.3, 0.5], (40, 1))
    found = properly.calibration_test(properly.Cases([0, 1] * 20, P), replicates=1000, rng=1)
    variance = (0.16 + 0.21 + 0.25) / 40
    assert found.mean_if_calibrated == pytest.approx(variance, rel=5 / math.sqrt(1000))
    assert found.statistic == pytest.approx(0.3**2 + 0.2**2 + 0.5**2, rel=1e-12)
    assert found.p_value == 1 / 1001


def test_two_classes_are_one_event() -> None:
    rng = np.random.default_rng(4)
    p = np.round(rng.random(60), 1)
    y = (rng.random(60) < p**1.5).astype(int)
    classes = properly.calibration_test(
        properly.Cases(y, np.column_stack([1 - p, p])),
        reduction="cumulative",
        replicates=1000,
        rng=1,
    )
    event = properly.calibration_test(properly.Cases(y, p), statistic="mcb", replicates=1000, rng=2)
    assert classes.statistic == pytest.approx(event.statistic, abs=1e-14)
    error = math.sqrt(2 * event.p_value * (1 - event.p_value) / 1000)
    assert classes.p_value == pytest.approx(event.p_value, abs=4 * error)


def test_a_row_is_one_case_whatever_all_rows_weigh() -> None:
    cases = draw(np.random.default_rng(5), 40)
    alone = properly.calibration_test(cases, replicates=200, rng=1)
    assert alone.design == "40 independent cases"
    for weight in (3, 0.1):
        same = properly.Cases(cases.y, cases.p, weight=np.full(40, weight))
        assert properly.calibration_test(same, replicates=200, rng=1) == alone
    uneven = 1 + np.arange(40) % 3
    found, half = (
        properly.calibration_test(
            properly.Cases(cases.y, cases.p, weight=weight), replicates=200, rng=1
        )
        for weight in (uneven, uneven / 2)
    )
    assert found == half
    assert found.design == "40 independent cases"


def test_a_class_that_was_called_impossible_refutes_calibration() -> None:
    cases = draw(np.random.default_rng(7), 40)
    y, P = np.append(cases.y, 0), np.vstack([cases.p, [[0.0, 0.4, 0.6]]])
    for view in VIEWS:
        found = properly.calibration_test(
            properly.Cases(y, P), reduction=view, replicates=99, rng=1
        )
        assert (found.p_value, found.p_is_bound) == (1 / 1001, True)
    log = properly.calibration_test(properly.Cases(y, P), Log(), replicates=99, rng=1)
    assert (log.statistic, log.p_value) == (math.inf, 1 / 1001)
    assert log.mean_if_calibrated is not None
    assert math.isfinite(log.mean_if_calibrated)


@pytest.mark.parametrize("weight", [None, [2, 2, 2], [0.5, 0.1, 0.2]])
def test_certain_classes_that_came_true_are_beyond_reproach(weight: Any) -> None:
    cases = properly.Cases([0, 1, 2], np.eye(3), weight=weight)
    found = properly.calibration_test(cases, replicates=50, rng=1)
    assert (found.statistic, found.p_value, found.mean_if_calibrated) == (0, 1, 0)
