"""Conditions on scores: what they mean, and of which models they hold."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly import evaluate
from properly.cli._score import (
    OPERATORS,
    PARTS,
    Condition,
    ConditionType,
    numbers_of,
    parse_condition,
)

if TYPE_CHECKING:
    from properly.cli._score import Numbers

few = pytest.mark.filterwarnings("ignore:with . :properly.errors.DataWarning")


def parts(score: float, **others: float) -> dict[str, float]:
    return dict.fromkeys(PARTS, 0.5) | {"score": score} | others


NUMBERS: Numbers = {
    "good": {
        "brier": parts(0.1, skill=0.6),
        "log": parts(0.3, skill=math.nan),
        "bounded_brier[0.01,0.1]": parts(0.01, miscalibration=0.002),
        "auc": {"score": 0.9},
    },
    "poor": {
        "brier": parts(0.25, skill=-0.2),
        "log": parts(math.inf, skill=-math.inf),
        "bounded_brier[0.01,0.1]": parts(0.02, miscalibration=0.004),
        "auc": {"score": 0.6},
    },
}


def held(text: str, numbers: Numbers = NUMBERS) -> list[str]:
    return [found.model for found in parse_condition(text).held(numbers)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("brier>0.2", ["poor"]),
        ("brier > 0.05", ["good", "poor"]),
        ("brier>0.25", []),
        ("brier>=0.25", ["poor"]),
        ("brier<0.1", []),
        ("brier<=0.1", ["good"]),
        ("brier.score>2e-1", ["poor"]),
        ("brier.skill<0", ["poor"]),
        ("  good : brier > 0.05", ["good"]),
        ("good:brier>0.05", ["good"]),
        ("poor: brier.skill < -.1", ["poor"]),
        ("log>1e300", ["poor"]),
        ("log>=inf", ["poor"]),
        ("log.skill<0", ["poor"]),
        ("log.skill>=-inf", ["poor"]),
        ("auc<0.7", ["poor"]),
        ("poor:auc<0.7", ["poor"]),
        ("auc.score>0.8", ["good"]),
        ("bounded_brier[0.01,0.1]>0.015", ["poor"]),
        ("bounded_brier[0.01,0.1].miscalibration>0.001", ["good", "poor"]),
        ("poor:bounded_brier[0.01,0.1].miscalibration<0.001", []),
    ],
)
def test_a_condition_holds_of_these_models(text: str, expected: list[str]) -> None:
    assert held(text) == expected


@pytest.mark.parametrize("sign", OPERATORS)
def test_what_is_not_a_number_never_meets_a_condition(sign: str) -> None:
    assert not Condition("", "", sign, 0.0).is_met_by(math.nan)
    assert held(f"good:log.skill{sign}0") == []


@pytest.mark.parametrize("sign", OPERATORS)
@given(limit=st.floats(allow_nan=False), value=st.floats())
def test_the_text_of_a_condition_says_what_it_means(sign: str, limit: float, value: float) -> None:
    condition = parse_condition(f"brier {sign} {limit!r}")
    assert (condition.left, condition.sign, condition.limit) == ("brier", sign, limit)
    expected = {">": value > limit, ">=": value >= limit, "<": value < limit, "<=": value <= limit}
    assert condition.is_met_by(value) is expected[sign]


@pytest.mark.parametrize("name", ["a>b", "a:b", "a.skill", "brier", "x<=y:z", "<=", "é\n", ":"])
def test_names_of_models_may_be_anything(name: str) -> None:
    numbers = {name: NUMBERS["poor"], "other": NUMBERS["good"]}
    assert held(f"{name}:brier>0.2", numbers) == [name]
    assert held(f"{name}:brier.skill>0.2", numbers) == []
    assert held("brier>0.2", numbers) == [name]


def test_the_longest_name_of_a_model_is_meant() -> None:
    numbers = {"a": NUMBERS["good"], "a:b": NUMBERS["poor"]}
    assert held("a:b:brier>0.2", numbers) == ["a:b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("brier>0.2", "brier>0.2 holds: brier of poor is 0.25"),
        ("poor:brier.skill<0", "poor:brier.skill<0 holds: brier skill of poor is -0.2"),
        ("log>1", "log>1 holds: log of poor is inf"),
        ("auc<0.7", "auc<0.7 holds: auc of poor is 0.6"),
    ],
)
def test_what_holds_is_said_with_the_numbers(text: str, said: str) -> None:
    assert [str(found) for found in parse_condition(text).held(NUMBERS)] == [said]


def test_a_number_is_said_with_enough_digits_to_believe_it() -> None:
    numbers = {"m": {"brier": parts(0.20000000000000004)}}
    (found,) = parse_condition("brier>0.2").held(numbers)
    assert str(found) == "brier>0.2 holds: brier of m is 0.20000000000000004"


def test_a_name_cannot_command_the_terminal() -> None:
    numbers = {"\x1b[2J": {"brier": parts(0.3)}}
    (found,) = parse_condition("brier>0.2").held(numbers)
    assert str(found) == r"brier>0.2 holds: brier of \x1b[2J is 0.3"


@few
def test_numbers_are_those_of_the_evaluation() -> None:
    e = evaluate([0, 1, 1, 0], {"m": [0.1, 0.8, 0.4, 0.5]}, replicates=0)
    found = numbers_of(e)
    assert list(found["m"]) == ["brier", "log", "auc"]
    assert found["m"]["brier"]["score"] == pytest.approx((0.01 + 0.04 + 0.36 + 0.25) / 4)
    for rule, decomposition in e.decompositions["m"].items():
        assert found["m"][rule] == {part: getattr(decomposition, part) for part in PARTS}
    assert found["m"]["auc"] == {"score": 0.75}


@few
def test_of_a_single_class_the_area_is_not_a_number() -> None:
    e = evaluate([0, 0], [0.1, 0.2], replicates=0)
    assert math.isnan(numbers_of(e)["forecast"]["auc"]["score"])
    assert held("auc<1", numbers_of(e)) == []


@few
def test_numbers_of_classes_have_no_area() -> None:
    p = [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [0.25, 0.25, 0.5]]
    e = evaluate([0, 1, 2], p, task="ordinal", replicates=0)
    found = numbers_of(e)["forecast"]
    assert list(found) == ["rps", "ranked_log", "log"]
    assert found["rps"]["score"] == e.totals["forecast"]["rps"].score
    assert math.isnan(found["log"]["miscalibration"])


def test_a_condition_that_was_read_is_not_read_again() -> None:
    condition = parse_condition("brier>0.2")
    assert ConditionType().convert(condition, None, None) is condition


def test_areas_are_looked_up_by_model() -> None:
    # A record that has the fields of an evaluation of an event, and no more.
    e = SimpleNamespace(parts={"m": {}}, aucs={"m": SimpleNamespace(value=0.7)})
    assert numbers_of(e) == {"m": {"auc": {"score": 0.7}}}
