"""Retention curves and their areas against exact fractions.

Source and definitions: ``tests/reference/README.md``.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from properly.decisions import retention_curve, retention_study
from properly.decisions._retention import ORACLE
from properly.rules import RPS, Brier, Log, SquaredAbsoluteRPS

if TYPE_CHECKING:
    from properly.decisions import Retention
    from properly.decisions._removal import Metric

FILE = Path(__file__).parents[1] / "reference" / "ordinal" / "dataset.json"
TOLERANCE = 1e-12
METRICS: dict[str, tuple[Metric, Any]] = {
    "QWK": ("quadratic_weighted_kappa", "quadratic"),
    "EC_abs": ("expected_cost", "absolute"),
    "EC_sq": ("expected_cost", "quadratic"),
}
RULES = {"brier": Brier(), "log": Log(), "rps": RPS(), "sa_rps": SquaredAbsoluteRPS()}
COSTS = {"oracle_sq_cost": "quadratic", "oracle_abs_cost": "absolute"}
RANKINGS = [*RULES, *COSTS]


@cache
def data() -> Any:
    return json.loads(FILE.read_text())


@cache
def rows() -> tuple[Any, Any]:
    return np.array(data()["y"]), np.array(data()["P_float"])


def scores_of(ranking: str) -> Any:
    y, P = rows()
    if ranking in RULES:
        return RULES[ranking].loss(y, P)
    apart = np.abs(np.array(data()["argmax_first"]) - y)
    return apart**2 if ranking == "oracle_sq_cost" else apart


def found(ranking: str, metric: str) -> Retention:
    y, P = rows()
    name, cost = METRICS[metric]
    grid = [float(Fraction(share)) for share in data()["grid"]]
    return retention_curve(scores_of(ranking), y, P, metric=name, removed=grid, cost=cost)


def test_the_reference_has_the_rankings_and_metrics_that_are_compared() -> None:
    assert list(data()["retention"]) == RANKINGS
    assert all(list(x["AURSC"]) == list(METRICS) for x in data()["retention"].values())
    assert len(data()["y"]) == 40


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("ranking", RANKINGS)
def test_every_point_of_a_curve_is_the_exact_one(ranking: str, metric: str) -> None:
    points, curve = data()["retention"][ranking]["curve"], found(ranking, metric)
    assert curve.kept.tolist() == [point["n_kept"] for point in points]
    assert curve.removed.tolist() == [float(Fraction(point["removed"])) for point in points]
    exact = [float(Fraction(point[metric]["exact"])) for point in points]
    np.testing.assert_allclose(curve.value, exact, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("ranking", RANKINGS)
def test_every_area_is_the_exact_one(ranking: str, metric: str) -> None:
    area, curve = data()["retention"][ranking]["AURSC"][metric], found(ranking, metric)
    exact = {name: float(Fraction(x["exact"])) for name, x in area.items()}
    assert set(exact) == {"normalised", "percent_units"}
    assert curve.area == pytest.approx(exact["normalised"], rel=0, abs=TOLERANCE)
    assert curve.area_percent == pytest.approx(exact["percent_units"], rel=0, abs=TOLERANCE)


@pytest.mark.parametrize(
    ("cost", "ranking"), [("quadratic", "oracle_sq_cost"), ("absolute", "oracle_abs_cost")]
)
def test_the_oracle_of_a_study_is_that_of_the_reference(cost: Any, ranking: str) -> None:
    y, P = rows()
    grid = [float(Fraction(share)) for share in data()["grid"]]
    study = retention_study(
        {"rps": scores_of("rps")}, y, P, metric="expected_cost", cost=cost, removed=grid, rng=1
    )
    metric = "EC_sq" if cost == "quadratic" else "EC_abs"
    area = data()["retention"][ranking]["AURSC"][metric]
    exact = float(Fraction(area["normalised"]["exact"]))
    assert study.areas[ORACLE].area == pytest.approx(exact, rel=0, abs=TOLERANCE)
    percent = float(Fraction(area["percent_units"]["exact"]))
    assert study.area_percent[ORACLE].area == pytest.approx(percent, rel=0, abs=TOLERANCE)
