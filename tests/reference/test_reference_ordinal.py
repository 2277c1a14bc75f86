"""Scores of ordered classes against exact fractions and 40-digit values.

Sources, keys and conventions: ``tests/reference/README.md``. Where the package has several rules or
several ways to a number, each of them must find it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.class_routes import entropies, expectations, few_prices, prices

from properly.rules import RPS, Brier, Log, Ranked, RankedLog, Spherical, SquaredAbsoluteRPS
from properly.rules._distance import SquaredMeanError

from .held import floats, load, near, number

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.rules import ClassRule


def require_loss(rules: list[ClassRule], y: int, p: list[float], expected: float) -> None:
    """Compare the loss of one forecast by every route of the first rule, and a few of others."""
    for place, rule in enumerate(rules):
        found = few_prices(rule, y, p) if place else prices(rule, y, p)
        assert found == near(dict.fromkeys(found, expected)), rule


def require_mean(rules: list[ClassRule], data: dict[str, Any], expected: float) -> None:
    """Compare the mean score of a sample in each form that a rule takes."""
    y, P = np.array(data["y"]), np.array(data["P_float"])
    assert [floats(row) for row in data["P"]] == data["P_float"]
    happened = np.eye(P.shape[1])[y]
    labels = [f"grade {letter}" for letter in "zyxw"][: P.shape[1]]
    for rule in rules:
        found = {
            "mean": rule(y, P),
            "lists": rule(data["y"], data["P_float"]),
            "one-hot": rule(happened, P),
            "labels": rule([labels[k] for k in y], P, labels=labels),
            "weights": rule(y, P, weight=np.full(len(y), 3)),
            "losses": float(np.mean(rule.loss(y, P))),
            "classwise": float(np.mean(rule.classwise(P)[np.arange(len(y)), y])),
            "price": float(np.mean(rule.price(y, P))),
            "expected": float(np.mean(rule.expected_loss(happened, P))),
        }
        assert found == near(dict.fromkeys(found, expected)), rule


def require_expected(rule: ClassRule, q: list[float], p: list[float], *costs: Any) -> None:
    """Compare what a truth is expected to cost, and what another report is."""
    for found, expected in zip((entropies(rule, q), expectations(rule, q, p)), costs, strict=True):
        assert found == near(dict.fromkeys(found, number(expected))), rule


def rules_of(key: str, K: int) -> list[ClassRule]:
    """Return every rule whose loss is the number of this name."""
    ones, rising = [1] * (K - 1), range(1, K)
    rules: dict[str, list[ClassRule]] = {
        "rps": [RPS(), Ranked(Brier()), RPS(ones), Ranked([Brier()] * (K - 1))],
        "rps_unnormalised": [
            RPS(normalized=False),
            Ranked(Brier(), normalized=False),
            RPS(ones, normalized=False),
        ],
        "rps_weights_1_to_Km1": [RPS(weights=rising), Ranked(Brier(), weights=rising)],
        "sa_rps": [SquaredAbsoluteRPS(), SquaredAbsoluteRPS("unit")],
        "sa_rps_as_printed": [SquaredAbsoluteRPS("printed")],
        "brier_sum": [Brier(), Brier("sum")],
        "brier_mean": [Brier("mean")],
        "log": [Log()],
        "ordinal_log": [RankedLog(), Ranked(Log()), RankedLog(ones)],
    }
    return rules[key]


# What is no loss of the package, read off a loss that is.
DERIVED: dict[str, tuple[ClassRule, Callable[[float, int], float]]] = {
    "spherical": (Spherical(), lambda loss, _: 1 - loss),
    "expected_abs_distance": (SquaredAbsoluteRPS(), lambda loss, K: (K - 1) * math.sqrt(loss)),
}
LOSSES = (
    "rps",
    "rps_unnormalised",
    "rps_weights_1_to_Km1",
    "sa_rps",
    "sa_rps_as_printed",
    "brier_sum",
    "brier_mean",
    "log",
    "ordinal_log",
)
SCORES = load("ordinal/scores")
PROPRIETY = load("ordinal/sa_rps_propriety")
DATASET = load("ordinal/dataset")
every_score = pytest.mark.parametrize("case", SCORES, ids=lambda case: str(case["id"]))


def test_the_files_hold_what_is_compared() -> None:
    names = {*LOSSES, *DERIVED}
    assert len(SCORES) == 37
    assert all(set(case) == names | {"id", "K", "p", "p_float", "y"} for case in SCORES)
    assert len(PROPRIETY) == 12
    assert set(DATASET["mean"]) == {"rps", "sa_rps", "brier_sum", "log", "ordinal_log"}


@every_score
@pytest.mark.parametrize("key", LOSSES)
def test_the_loss_of_one_forecast(case: dict[str, Any], key: str) -> None:
    p = floats(case["p"])
    assert p == case["p_float"]
    assert len(p) == case["K"]
    require_loss(rules_of(key, case["K"]), case["y"], p, number(case[key]))


@every_score
@pytest.mark.parametrize("key", DERIVED)
def test_numbers_that_are_no_losses(case: dict[str, Any], key: str) -> None:
    rule, read = DERIVED[key]
    for route, loss in prices(rule, case["y"], case["p_float"]).items():
        assert read(loss, case["K"]) == near(number(case[key])), route


@every_score
def test_half_of_brier_is_half_of_the_sum(case: dict[str, Any]) -> None:
    require_loss([Brier("half")], case["y"], case["p_float"], number(case["brier_sum"]) / 2)


@pytest.mark.parametrize("case", PROPRIETY, ids=lambda case: " ".join(case["q"]))
def test_the_best_report_under_sa_rps(case: dict[str, Any]) -> None:
    q, best = floats(case["q"]), floats(case["minimiser"])
    for rule, honest, dishonest in (
        (SquaredAbsoluteRPS(), "honest_expected_sa_rps", "min_expected_sa_rps"),
        (RPS(), "honest_expected_rps", "minimiser_expected_rps"),
    ):
        require_expected(rule, q, best, case[honest], case[dishonest])
    # The least that can be expected is the variance, which is what the mean costs at best.
    least = number(case["min_expected_sa_rps"])
    assert SquaredMeanError().entropy([q])[0] == near(least)
    assert SquaredMeanError().expected_loss(q, best) == near(least)
    assert np.arange(len(q)) @ best == near(float(Fraction(case["mean"])))
    beaten = number(case["honest_expected_sa_rps"]) > least + 1e-12
    assert beaten == (np.count_nonzero(q) > 2)
    assert np.count_nonzero(q) == case["support_size"]


@pytest.mark.parametrize("key", DATASET["mean"])
def test_the_mean_of_a_sample(key: str) -> None:
    require_mean(rules_of(key, DATASET["K"]), DATASET, number(DATASET["mean"][key]))
