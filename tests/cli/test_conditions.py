"""Conditions on scores: what they mean, and of which models they hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly import evaluate
from properly._boundary._text import printable
from properly.cli._gate import (
    OPERATORS,
    VERBS,
    Condition,
    GateContrast,
    Versus,
    numbers_of,
    parse_condition,
)
from properly.cli._score_command import PARTS

if TYPE_CHECKING:
    from properly.cli._gate import Numbers

few = pytest.mark.filterwarnings("ignore:with . :properly.errors.DataWarning")


def parts(rule: str, score: float, **others: float) -> dict[str, float]:
    numbers = dict.fromkeys(PARTS[1:], 0.5) | others
    return {rule: score} | {f"{rule}.{part}": x for part, x in numbers.items()}


NUMBERS: Numbers = {
    "good": {
        **parts("brier", 0.1, skill=0.6),
        **parts("log", 0.3, skill=math.nan),
        **parts("bounded_brier[0.01,0.1]", 0.01, miscalibration=0.002),
        "auc": 0.9,
        "calibration.p_value": 0.5,
    },
    "poor": {
        **parts("brier", 0.25, skill=-0.2),
        **parts("log", math.inf, skill=-math.inf),
        **parts("bounded_brier[0.01,0.1]", 0.02, miscalibration=0.004),
        "auc": 0.6,
        "calibration.p_value": 0.01,
    },
}


def condition_of(text: str) -> Condition:
    condition = parse_condition(text)
    assert isinstance(condition, Condition)
    return condition


def held(text: str, numbers: Numbers = NUMBERS) -> list[str]:
    """Return the models of which a condition holds, one by one."""
    met = []
    for model in numbers:
        found = [x for x in condition_of(text).failures(numbers, [model]) if not x.is_missing]
        met += [model] if any(f" of {printable(model)} is " in str(x) for x in found) else []
    return met


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
        ("calibration.p_value<0.05", ["poor"]),
        ("good: calibration.p-value < 0.9", ["good"]),
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
    condition = condition_of(f"brier {sign} {limit!r}")
    assert (condition.left, condition.sign, condition.limit) == ("brier", sign, limit)
    expected = {">": value > limit, ">=": value >= limit, "<": value < limit, "<=": value <= limit}
    assert condition.is_met_by(value) is expected[sign]


@pytest.mark.parametrize("name", ["a>b", "a:b", "a.skill", "brier", "x<=y:z", "<=", "é\n", ":"])
def test_names_of_models_may_be_anything(name: str) -> None:
    numbers = {name: NUMBERS["poor"], "other": NUMBERS["good"]}
    assert held(f"{name}:brier>0.2", numbers) == [name]
    assert held(f"{name}:brier.skill>0.2", numbers) == []
    assert held("brier>0.2", numbers) == [name]


def test_a_number_is_said_with_enough_digits_to_believe_it() -> None:
    numbers = {"m": parts("brier", 0.20000000000000004)}
    (found,) = condition_of("brier>0.2").failures(numbers)
    assert str(found) == "brier>0.2 holds: brier of m is 0.20000000000000004"


def test_a_name_cannot_command_the_terminal() -> None:
    numbers = {"\x1b[2J": parts("brier", 0.3)}
    (found,) = condition_of("brier>0.2").failures(numbers)
    assert str(found) == r"brier>0.2 holds: brier of \x1b[2J is 0.3"


@few
def test_numbers_are_those_of_the_evaluation() -> None:
    e = evaluate([0, 1, 1, 0], {"m": [0.1, 0.8, 0.4, 0.5]}, replicates=0)
    found = numbers_of(e.to_dict())["m"]
    assert [x for x in found if "." not in x] == ["brier", "log", "auc"]
    assert found["brier"] == pytest.approx((0.01 + 0.04 + 0.36 + 0.25) / 4)
    for rule, decomposition in e.decompositions["m"].items():
        for part in PARTS[1:]:
            assert found[f"{rule}.{part}"] == getattr(decomposition, part)
        ends = found[f"{rule}.lower"], found[f"{rule}.upper"]
        assert (found[rule], ends) == (decomposition.score, e.scores["m"][rule].interval)
        ends = found[f"{rule}.skill.lower"], found[f"{rule}.skill.upper"]
        assert ends == pytest.approx(e.skills["m"][rule].interval, nan_ok=True)
    assert found["auc"] == 0.75
    assert (found["auc.lower"], found["auc.upper"]) == e.aucs["m"].interval


@few
def test_of_a_single_class_the_area_is_not_a_number() -> None:
    e = evaluate([0, 0], [0.1, 0.2], replicates=0)
    numbers = numbers_of(e.to_dict())
    assert held("auc<1", numbers) == []
    (doubt,) = condition_of("auc<1").failures(numbers)
    assert str(doubt) == "auc<1 cannot be evaluated: auc of forecast does not exist"
    assert doubt.is_missing


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("worse-than baseline", (None, "worse-than", "baseline", None)),
        ("not-better-than production", (None, "not-better-than", "production", None)),
        ("forest worse-than logistic by log", ("forest", "worse-than", "logistic", "log")),
        ("a b: worse-than no model", ("a b", "worse-than", "no model", None)),
        ("  x  not-better-than  y z  by  rps ", ("x", "not-better-than", "y z", "rps")),
    ],
)
def test_a_comparison_is_read(text: str, read: tuple[str | None, ...]) -> None:
    found = parse_condition(text)
    assert isinstance(found, Versus)
    assert (found.model, found.verb, found.other, found.rule) == read
    assert found.text == text


@pytest.mark.parametrize(
    ("difference", "interval", "verdict"),
    [
        (0.1, (math.nan, math.nan), "cannot be told"),
        (0.1, (0.05, 0.15), "worse"),
        (-0.1, (-0.15, -0.05), "better"),
        (0.1, (-0.05, 0.25), "cannot be told"),
        (0.0, (0.0, 0.0), "cannot be told"),
        (math.inf, (math.nan, math.nan), "worse"),
        (-math.inf, (math.nan, math.nan), "better"),
        (math.nan, (math.nan, math.nan), "cannot be told"),
    ],
)
def test_worse_and_better_are_beyond_chance(
    difference: float, interval: tuple[float, float], verdict: str
) -> None:
    contrast = GateContrast("", difference, interval, 0.95)
    assert contrast.verdict == verdict
    worse, better = (Versus("", None, verb, "", None) for verb in VERBS)
    assert worse.is_met_by(contrast) == (verdict == "worse")
    assert better.is_met_by(contrast) == (verdict != "better")
    # An infinite difference, or none, needs no interval.
    is_told = math.isinf(difference) or difference == 0
    assert contrast.is_unknown == (math.isnan(sum(interval)) and not is_told)
