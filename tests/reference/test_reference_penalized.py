"""Penalised scores against exact fractions and 40-digit values.

Sources, keys and conventions: ``tests/reference/README.md``. Where the package has several rules or
several ways to a number, each of them must find it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

from properly.rules import PBS, PLL, Brier, Log, Misclassification, Penalized, superior_penalty

from .held import floats, load, near, number
from .test_reference_ordinal import require_expected, require_loss, require_mean

if TYPE_CHECKING:
    from properly.rules import ClassRule

Ties = Literal["first", "split", "any_correct", "unique_only"]
TIES: tuple[Ties, ...] = ("first", "split", "any_correct", "unique_only")
KEYS = (
    "pbs",
    "pbs_algorithm2_scale",
    "pbs_published_code_scale",
    "pbs_minimal_penalty",
    "pll",
    "pll_minimal_penalty",
)


def rules_of(key: str, ties: Ties, c: int) -> list[ClassRule]:
    """Return every rule whose loss is the number of this name."""
    ln, share = float(np.log(c)), (c - 1) / c
    minimal = (c - 2) / (2 * c), float(np.log(c / 2))
    zero_one = 1 - np.eye(c)
    rules: dict[str, list[ClassRule]] = {
        "pbs": [
            PBS(ties=ties),
            Penalized(Brier(), ties=ties),
            PBS(penalty=share, ties=ties),
            Penalized(Brier(), ties=ties, cost="zero_one"),
            Penalized(Brier(), penalty=share, ties=ties, cost=zero_one),
        ],
        "pbs_algorithm2_scale": [PBS(ties=ties, scale="algorithm2")],
        "pbs_published_code_scale": [PBS(ties=ties, scale="published_code")],
        "pbs_minimal_penalty": [
            PBS(penalty="minimal", ties=ties),
            PBS(penalty=minimal[0], ties=ties),
        ],
        "pll": [
            PLL(ties=ties),
            Penalized(Log(), ties=ties),
            PLL(penalty=ln, ties=ties),
            Penalized(Log(), ties=ties, cost="zero_one"),
        ],
        "pll_minimal_penalty": [
            PLL(penalty="minimal", ties=ties),
            PLL(penalty=minimal[1], ties=ties),
        ],
    }
    return rules[key]


SCORES = load("penalized/scores")
PROPRIETY = load("penalized/propriety")
DATASET = load("penalized/dataset")
THRESHOLDS = load("penalized/thresholds")
every_score = pytest.mark.parametrize("case", SCORES, ids=lambda case: str(case["id"]))
every_tie = pytest.mark.parametrize("ties", TIES)


def test_the_files_hold_what_is_compared() -> None:
    assert len(SCORES) == 34
    for case in SCORES:
        assert set(case) == {"id", "c", "p", "p_float", "y", "brier_sum", "log", "conventions"}
        assert set(case["conventions"]) == set(TIES)
        assert all(set(found) == {"zero_one", *KEYS} for found in case["conventions"].values())
    assert len(PROPRIETY) == 18
    assert set(DATASET["conventions"]) == set(TIES)
    assert list(THRESHOLDS["superior"]) == ["2", "3", "4", "5", "10"]


@every_score
@every_tie
@pytest.mark.parametrize("key", KEYS)
def test_the_loss_of_one_forecast(case: dict[str, Any], ties: Ties, key: str) -> None:
    p = floats(case["p"])
    assert p == case["p_float"]
    expected = number(case["conventions"][ties][key])
    require_loss(rules_of(key, ties, case["c"]), case["y"], p, expected)


@every_score
def test_the_loss_without_a_penalty(case: dict[str, Any]) -> None:
    for key, plain in (("brier_sum", Brier()), ("log", Log())):
        for rule in (plain, Penalized(plain, penalty=0)):
            require_loss([rule], case["y"], case["p_float"], number(case[key]))


@every_score
@every_tie
def test_the_mistake_of_one_forecast(case: dict[str, Any], ties: Ties) -> None:
    expected = number(case["conventions"][ties]["zero_one"])
    without = number(case["brier_sum"])
    y, p = case["y"], case["p_float"]
    require_loss([PBS(penalty=1, ties=ties)], y, p, without + expected)
    if ties == "split":
        require_loss([Misclassification()], y, p, expected)


@pytest.mark.parametrize("place", range(18))
@every_tie
@pytest.mark.parametrize("name", ["pbs", "pll"])
def test_what_reports_are_expected_to_cost(place: int, ties: Ties, name: str) -> None:
    case = PROPRIETY[place]
    q, p = floats(case["q"]), floats(case["p"])
    expected = case["expected"][ties]
    assert set(expected) == {
        f"{score}_{end}" for score in ("pbs", "pll") for end in ("report_p", "honest")
    } | {"honest_beaten_pbs", "honest_beaten_pll"}
    for rule in rules_of(name, ties, len(q)):
        require_expected(rule, q, p, expected[f"{name}_honest"], expected[f"{name}_report_p"])
        beaten = float(rule.expected_loss(q, p)) < float(rule.expected_loss(q, q)) - 1e-12
        assert beaten == expected[f"honest_beaten_{name}"]
        assert rule.is_proper or ties in {"any_correct", "unique_only"}


@every_tie
def test_the_mean_of_a_sample(ties: Ties) -> None:
    y, P, c = np.array(DATASET["y"]), np.array(DATASET["P_float"]), DATASET["c"]
    wanted = DATASET["conventions"][ties]
    assert set(wanted) == {"error", "pbs", "pll"}
    brier, log, error = (number(x) for x in (DATASET["brier_sum"], DATASET["log"], wanted["error"]))
    assert PBS(penalty=1, ties=ties)(y, P) - brier == near(error)
    assert Brier()(y, P) == near(brier)
    assert Log()(y, P) == near(log)
    for name in ("pbs", "pll"):
        require_mean(rules_of(name, ties, c), DATASET, number(wanted[name]))
    if ties == "split":
        assert Misclassification()(y, P) == near(error)


@pytest.mark.parametrize(
    ("rule", "key"),
    [
        (PBS(ties="any_correct"), "pbs_binary_threshold"),
        (PLL(ties="any_correct"), "pll_binary_threshold"),
    ],
    ids=["pbs", "pll"],
)
def test_where_a_uniform_report_beats_the_truth_of_two_classes(rule: ClassRule, key: str) -> None:
    threshold = number(THRESHOLDS[key])

    def gain(largest: float) -> float:
        q = [largest, 1 - largest]
        return float(rule.entropy([q])[0]) - float(rule.expected_loss(q, [0.5, 0.5]))

    assert gain(threshold) == near(0)
    for below in (0.5 + 1e-9, 0.6, threshold - 1e-6):
        assert gain(below) > 0
    for above in (threshold + 1e-6, 0.9, 1):
        assert gain(above) < 0
    assert gain(0.5) == 0


@pytest.mark.parametrize("c", [2, 3, 4, 5, 10])
def test_penalties_that_make_a_rule_superior(c: int) -> None:
    wanted = {key: number(value) for key, value in THRESHOLDS["superior"][str(c)].items()}
    uniform, half = np.full((1, c), 1 / c), np.array([[0.5, 0.5, *[0] * (c - 2)]])
    found = {
        "sup_brier_correct": Brier().loss([0], uniform)[0],
        "inf_brier_wrong": Brier().loss([0], half)[0],
        "minimal_pbs_penalty": superior_penalty(Brier(), c),
        "paper_pbs_penalty": PBS().penalty_for(c),
        "minimal_pll_penalty": superior_penalty(Log(), c),
        "paper_pll_penalty": PLL().penalty_for(c),
    }
    assert found == near(wanted)
    assert PBS(penalty="minimal").penalty_for(c) == superior_penalty(Brier(), c)
    assert PLL(penalty="minimal").penalty_for(c) == superior_penalty(Log(), c)
    assert Log().loss([0], uniform)[0] == near(wanted["paper_pll_penalty"])
