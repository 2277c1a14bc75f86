"""Retention curves and their areas against exact fractions.

Source and definitions: ``tests/reference/README.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from properly.decisions import retention_curve, retention_study
from properly.decisions._retention import ORACLE
from properly.rules import RPS, Brier, Log, SquaredAbsoluteRPS

from .held import assert_near, floats, load, near, number

if TYPE_CHECKING:
    from properly.decisions import Retention
    from properly.decisions._removal import Metric

DATA = load("ordinal/dataset")
Y, P, GRID = np.array(DATA["y"]), np.array(DATA["P_float"]), floats(DATA["grid"])
METRICS: dict[str, tuple[Metric, Any]] = {
    "QWK": ("quadratic_weighted_kappa", "quadratic"),
    "EC_abs": ("expected_cost", "linear"),
    "EC_sq": ("expected_cost", "quadratic"),
}
RULES = {"brier": Brier(), "log": Log(), "rps": RPS(), "sa_rps": SquaredAbsoluteRPS()}
COSTS = {"oracle_sq_cost": "quadratic", "oracle_abs_cost": "linear"}
RANKINGS = [*RULES, *COSTS]


def scores_of(ranking: str) -> Any:
    if ranking in RULES:
        return RULES[ranking].loss(Y, P)
    apart = np.abs(np.array(DATA["argmax_first"]) - Y)
    return apart**2 if ranking == "oracle_sq_cost" else apart


def found(ranking: str, metric: str) -> Retention:
    name, cost = METRICS[metric]
    return retention_curve(scores_of(ranking), Y, P, metric=name, removed=GRID, cost=cost)


def test_the_reference_has_the_rankings_and_metrics_that_are_compared() -> None:
    assert list(DATA["retention"]) == RANKINGS
    assert all(list(x["AURSC"]) == list(METRICS) for x in DATA["retention"].values())
    assert len(DATA["y"]) == 40


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("ranking", RANKINGS)
def test_every_point_of_a_curve_is_the_exact_one(ranking: str, metric: str) -> None:
    points, curve = DATA["retention"][ranking]["curve"], found(ranking, metric)
    assert curve.kept.tolist() == [point["n_kept"] for point in points]
    assert curve.removed.tolist() == floats(point["removed"] for point in points)
    exact = [number(point[metric]) for point in points]
    assert_near(curve.value, exact)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("ranking", RANKINGS)
def test_every_area_is_the_exact_one(ranking: str, metric: str) -> None:
    area, curve = DATA["retention"][ranking]["AURSC"][metric], found(ranking, metric)
    exact = {name: number(x) for name, x in area.items()}
    assert set(exact) == {"normalised", "percent_units"}
    assert curve.area == near(exact["normalised"])
    assert curve.area_percent == near(exact["percent_units"])


@pytest.mark.parametrize(
    ("cost", "ranking"), [("quadratic", "oracle_sq_cost"), ("linear", "oracle_abs_cost")]
)
def test_the_oracle_of_a_study_is_that_of_the_reference(cost: Any, ranking: str) -> None:
    study = retention_study(
        {"rps": scores_of("rps")}, Y, P, metric="expected_cost", cost=cost, removed=GRID, rng=1
    )
    metric = "EC_sq" if cost == "quadratic" else "EC_abs"
    area = DATA["retention"][ranking]["AURSC"][metric]
    exact = number(area["normalised"])
    assert study.areas[ORACLE].area == near(exact)
    percent = number(area["percent_units"])
    assert study.area_percent[ORACLE].area == near(percent)
