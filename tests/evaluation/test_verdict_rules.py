"""The rules by which a verdict is said; its sentences are in ``tests/messages/verdict.txt``."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.evaluation.verdict_subjects import (
    BETTER,
    NOTHING,
    OPEN,
    bands,
    calibration,
    changed,
    estimate,
    grouped,
    split,
    standing,
    thresholds,
    too_few,
    unknown,
)

from properly import rules
from properly.evaluation._phrases import digits_apart, ends_of, scope_of
from properly.evaluation._verdict import _verdict

WHERE = "for thresholds of 1 % to 10 %"


def test_the_simultaneous_interval_decides() -> None:
    row = {"p_value": 0.03, "adjusted_p_value": 0.06, "interval": (-0.03, -0.01)}
    found = standing("", "abc", ab=row | {"simultaneous": (-0.041, 0.001)})
    assert found.top == ("a", "b", "c")
    row |= {"method": "sign flips", "simultaneous": (-0.03, 0.0)}
    assert not standing("", "ab", ab=row).beats("a", "b")
    small = {"p_value": 1e-6, "adjusted_p_value": 1e-6}
    for interval in ((-0.05, 0.0), (0.0, 0.05)):
        assert not standing("", "ab", ab=small | {"interval": interval}).beats("a", "b")


@pytest.mark.parametrize(("cases", "is_enough"), [(19, False), (20, True)])
def test_twenty_cases_that_say_the_same_are_enough(cases: int, is_enough: bool) -> None:
    same = {"standard_error": 0.0, "differing": cases, "interval": (math.nan, math.nan)}
    found = replace(standing("", "ab", ab=same), cases=cases)
    assert found.beats("a", "b") is found.is_constant("a", "b") is is_enough
    assert not found.beats("b", "a")
    flawless = replace(found, skills={"a": estimate(1.0, math.nan, math.nan)})
    assert flawless.is_useful("a") is (flawless.against_none("a") == "flawless") is is_enough


def test_a_difference_in_all_cases_but_one_is_not_constant() -> None:
    same = {"standard_error": 0.0, "differing": 399, "interval": (math.nan, math.nan)}
    assert not standing("", "ab", ab=same).is_constant("a", "b")


def test_a_skill_whose_interval_ends_at_zero_shows_nothing() -> None:
    ends = {"a": estimate(0.1, 0.0, 0.2), "b": estimate(-0.1, -0.2, 0.0)}
    found = replace(standing("", "ab"), skills=ends)
    assert not found.is_useful("a")
    assert found.against_none("b") == "open"


def test_nothing_is_said_where_nothing_is_known() -> None:
    assert thresholds() == []
    assert thresholds(ab=bands(*[OPEN] * 10), ac=bands(*[BETTER] * 10)) == []
    alone = standing(models="a")
    assert list(_verdict.thresholds(SimpleNamespace(dominances={}), alone)) == []
    # One threshold in twenty is worth a sentence, one in 21 is not.
    assert too_few(*[OPEN] * 20, NOTHING) == []
    assert too_few(*[NOTHING] * 10, found=standing(ab={"differing": 0})) == []
    assert too_few(*[NOTHING] * 10, found=alone) == []
    assert calibration({}) == []
    assert grouped() == []
    none = changed(split(0.2, (-0.1, 0.3), p=math.nan))
    none.measures["score"].simultaneous[:] = math.nan
    assert grouped(none) == []


def test_what_holds_of_alarms_holds() -> None:
    # One acts if the forecast is at least the threshold.
    for c in (5e-324, 0.01, 0.5, 1 - 2**-53):
        assert rules.Elementary(c)([1], [0.0]) == 1 - c
        assert rules.Elementary(c)([0], [1.0]) == c


def test_numbers_of_cases_are_left_out_where_they_say_nothing() -> None:
    assert unknown(standing("ab", "ab")) == unknown(standing(models="a")) == []
    assert unknown(standing("", "ab", ab={"standard_error": math.nan})) == []
    assert unknown(standing("", "ab", ab={"differing": 0, "standard_error": 0.0})) == []
    few_cases = standing("", "ab")
    assert few_cases.comparison is not None
    for cases, is_told in ((19, False), (20, True)):
        compared_on = replace(few_cases.comparison, cases=cases)
        assert bool(unknown(replace(few_cases, comparison=compared_on))) is is_told


# words


@pytest.mark.parametrize(
    ("rule", "short", "score"),
    [
        (rules.Bounded(rules.Brier(), (0.01, 0.1)), WHERE, "mean Brier score over them"),
        (
            rules.Bounded(rules.Log(), (0.0, 0.1), "integral"),
            "for thresholds of 0 % to 10 %",
            "log score over them",
        ),
        (rules.Regret((0.125, 0.5)), "for thresholds of 12.5 % to 50 %", "mean regret over them"),
        (rules.Elementary(0.05), "at a threshold of 5 %", "regret"),
        (rules.Misclassification(), "at a threshold of 50 %", "misclassification score"),
        (rules.Brier(), "on average over all thresholds", "Brier score"),
        (rules.BetaWeighted(2, 8), "on average over all thresholds", "regret"),
    ],
)
def test_a_rule_says_what_it_looks_at(rule: Any, short: str, score: str) -> None:
    found = scope_of(rule, classes=False)
    assert (found.short, found.score) == (short, score)
    assert found.ranged == ("threshold of" in short or "thresholds of" in short)


def test_a_rule_of_classes_says_its_name() -> None:
    found = scope_of(rules.RPS(), classes=True)
    assert found.short == "by the ranked probability score"


def test_numbers_that_differ_are_written_differently() -> None:
    assert digits_apart((0.1234, 0.1236)) == 3
    assert digits_apart((0.12, 0.34)) == 2
    assert digits_apart((1.0, 1.0001, 1.0015), 3) == 5
    # What is the same stays so, and what is not there is not looked at.
    assert digits_apart((0.5, 0.5, math.nan, math.inf)) == 2
    assert digits_apart((1.0, 1.0 + 1e-15)) == 7
    assert ends_of((0.21641, 0.21648)) == "0.2164 to 0.2165"
    assert ends_of((0.0050, 0.0087)) == "0.0050 to 0.0087"
