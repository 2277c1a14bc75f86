"""A score of classes and what it is made of, question by question."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly import Cases, decompose, reliability, rules, tally
from properly.counts import cumulative, one_vs_rest, top_label
from properly.errors import ImproperRuleError

if TYPE_CHECKING:
    from properly.counts._reductions import View

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

PARTS = ["score", "miscalibration", "discrimination", "uncertainty"]
VIEWS: list[View] = ["cumulative", "one_vs_rest", "top_label"]
EXACT = 1e-12


class Fair(rules.Brier):
    """A rule that is said to be improper, though it is not."""

    propriety = rules.Propriety.IMPROPER


def sample(classes: int = 4, n: int = 60, **columns: Any) -> Cases:
    """Draw forecasts in twentieths, many of them tied, and outcomes that they know a little of."""
    rng = np.random.default_rng(classes)
    p = rng.multinomial(18, rng.dirichlet(np.ones(classes), size=n)) / 20 + 2 / 20 / classes
    y = (rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(0, classes - 1)
    return Cases(y, p, **columns)


def numbers(record: Any) -> list[float]:
    return [getattr(record, name) for name in PARTS]


def close(expected: Any) -> Any:
    return pytest.approx(expected, rel=0, abs=EXACT)


EXACT_RULES: list[rules.Rule] = [
    rules.RPS(),
    rules.RPS(normalized=False),
    rules.RPS(weights=[1, 2, 3]),
    rules.RPS(weights=[0, 2, 0.5], normalized=False),
    rules.RankedLog(),
    rules.RankedLog(weights=[3, 2, 1]),
    rules.Ranked(rules.Elementary(0.31)),
    rules.Ranked(rules.Spherical(), normalized=False),
    rules.Ranked([rules.Brier(), rules.Log(), rules.Elementary(0.25)]),
    rules.Ranked(
        [rules.Brier(), rules.Log(), rules.Spherical()], weights=[0.5, 1, 0.25], normalized=False
    ),
    rules.Brier(),
    rules.Brier(scale="mean"),
    rules.Brier(scale="half"),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rule", EXACT_RULES, ids=repr)
def test_the_total_is_the_score_of_the_rule(rule: Any, weighted: bool) -> None:
    weight = np.random.default_rng(5).random(60) if weighted else None
    cases = sample(weight=weight)
    assert decompose(cases, rule).score == close(rule(cases.y, cases.p, weight))


@given(st.integers(2, 6), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_the_ranked_probability_score_splits_whatever_the_data(
    classes: int, n: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    p = rng.multinomial(10, np.full(classes, 1 / classes), size=n) / 10
    y = rng.integers(classes, size=n)
    record = decompose(Cases(y, p), rules.RPS())
    assert record.score == close(rules.RPS()(y, p))
    assert record.score == close(record.miscalibration - record.discrimination + record.uncertainty)
    assert min(record.miscalibration, record.discrimination) >= 0
    below = np.array([(y <= k).mean() for k in range(classes - 1)])
    assert record.uncertainty == close(float(np.mean(below * (1 - below))))


def test_the_mean_of_two_cuts_by_hand() -> None:
    # Cut 1: forecasts .5, 1, .5 of 0, 1, 1; recalibrated .5, 1, .5. Cut 2: 0, .5, .5 of 0, 1, 0.
    record = decompose(
        Cases([0, 2, 1], [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]]), rules.RPS()
    )
    for part in record.values():
        assert numbers(part) == close([1 / 6, 0.0, 1 / 18, 2 / 9])
    assert numbers(record) == close([1 / 6, 0.0, 1 / 18, 2 / 9])
    assert record.skill == close(0.25)


@pytest.mark.parametrize(("scale", "times"), [("sum", 2), ("mean", 1), ("half", 1)])
def test_two_classes_against_the_rest_are_one_event_twice(scale: Any, times: int) -> None:
    cases = sample(2)
    binary = decompose(tally(cases.y, cases.p[:, 1]), rules.Brier())
    found = decompose(cases, rules.Brier(scale=scale))
    assert numbers(found) == close([times * x for x in numbers(binary)])


@pytest.mark.parametrize("rule", [rules.RPS(), rules.Brier(), rules.RankedLog()], ids=repr)
def test_classes_may_be_absent(rule: Any) -> None:
    y, p = [1, 1, 2, 1], np.array([[0.1, 0.5, 0.2, 0.2], [0.2, 0.4, 0.2, 0.2]] * 2)
    record = decompose(Cases(y, p), rule)
    assert record.score == close(rule(y, p))
    lowest, *_, highest = record.values()
    assert lowest.uncertainty == highest.uncertainty == 0.0
    assert lowest.discrimination == highest.discrimination == 0.0


def test_an_impossible_grade_that_happened_costs_infinity() -> None:
    cases = Cases([0, 1, 2], [[0.0, 0.5, 0.5], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
    record = decompose(cases, rules.RankedLog())
    assert record.score == record.miscalibration == math.inf
    assert math.isfinite(record.discrimination)
    assert math.isfinite(record.uncertainty)
    assert record.skill == -math.inf
    assert record.to_dict()["score"] == "Infinity"


def test_what_was_possible_costs_no_infinity() -> None:
    y, p = [0, 1], [[1e-20, 1.0], [0.5, 0.5]]
    record = decompose(Cases(y, p), rules.RankedLog())
    assert record.score == close((53 + 1) * math.log(2) / 2)
    assert rules.RankedLog()(y, p) == close((20 * math.log(10) + math.log(2)) / 2)


def test_a_cut_without_weight_adds_nothing_even_if_infinite() -> None:
    y, p = [0, 1, 2], [[0.0, 0.5, 0.5], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]
    rule = rules.RankedLog(weights=[0, 1])
    record = decompose(Cases(y, p), rule)
    first, second = record.values()
    assert first.score == math.inf
    assert record.score == second.score == close(rule(y, p))


@pytest.mark.parametrize("view", VIEWS)
def test_each_part_is_the_decomposition_of_its_question(view: View) -> None:
    cases = sample(3, weight=np.arange(1, 61) / 7)
    record = decompose(cases, rules.Log(), reduction=view)
    reduced = {"cumulative": cumulative, "one_vs_rest": one_vs_rest}.get(view)
    questions = {"likeliest class": top_label(cases)} if reduced is None else reduced(cases)
    assert record.reduction == view
    assert record.parts == {name: decompose(c, rules.Log()) for name, c in questions.items()}
    assert list(record) == list(questions)
    assert dict(record) == record.parts


def test_the_brier_score_at_the_cuts_is_the_ranked_probability_score() -> None:
    at_cuts = decompose(sample(), rules.Brier(), reduction="cumulative")
    assert numbers(at_cuts) == close(numbers(decompose(sample(), rules.RPS())))


def test_the_log_scores_of_classes_do_not_add_up_to_the_log_score() -> None:
    cases = sample()
    record = decompose(cases, rules.Log())
    none = [rules.Log()(cases.y == k, cases.p[:, k]) for k in range(4)]
    assert record.score == close(sum(none))
    assert record.score > rules.Log()(cases.y, cases.p) + 0.1


def test_an_improper_rule_for_one_event_can_be_allowed() -> None:
    priced: list[tuple[rules.BinaryRule | rules.Ranked, str]] = [
        (Fair(), "one_vs_rest"),
        (rules.Ranked(Fair()), "cumulative"),
    ]
    for rule, view in priced:
        with pytest.raises(ImproperRuleError, match="only a proper rule can be decomposed"):
            decompose(sample(), rule, reduction=view)  # type: ignore[call-overload]
    allowed = decompose(sample(), rules.Ranked(Fair()), allow_improper=True)
    assert numbers(allowed) == close(numbers(decompose(sample(), rules.RPS())))


def test_intervals_are_those_of_each_question() -> None:
    cases = sample(3, clusters=np.arange(60) // 2)
    record = decompose(cases, rules.RPS(), interval=True, level=0.8, replicates=40, rng=3)
    rng = np.random.default_rng(3)
    for part, question in zip(record.values(), cumulative(cases).values(), strict=True):
        alone = decompose(question, rules.Brier(), interval=True, level=0.8, replicates=40, rng=rng)
        assert part.intervals is not None
        assert part.intervals.level == 0.8
        # Clusters came along: the test of calibration does not take part.
        assert math.isnan(part.intervals.p_value)
        assert part.to_dict() == alone.to_dict()


@pytest.mark.parametrize("view", VIEWS)
def test_reliability_of_each_question(view: View) -> None:
    cases = sample(4)
    found = reliability(cases, reduction=view)
    reduced = {"cumulative": cumulative, "one_vs_rest": one_vs_rest}.get(view)
    questions = {"likeliest class": top_label(cases)} if reduced is None else reduced(cases)
    assert list(found) == list(questions)
    for got, question in zip(found.values(), questions.values(), strict=True):
        expected = reliability(question)
        np.testing.assert_array_equal(got.value, expected.value)
        np.testing.assert_array_equal(got.recalibrated, expected.recalibrated)
        assert got.event_rate == expected.event_rate
        assert got.band is None


def test_bands_are_drawn_from_one_source_of_randomness() -> None:
    cases = sample(3)
    found = reliability(
        cases, reduction="cumulative", band="consistency", level=0.8, replicates=50, rng=4
    )
    rng = np.random.default_rng(4)
    for got, question in zip(found.values(), cumulative(cases).values(), strict=True):
        alone = reliability(question, band="consistency", level=0.8, replicates=50, rng=rng)
        assert got.band is not None
        assert alone.band is not None
        assert got.band.level == 0.8
        np.testing.assert_array_equal(got.band.lower, alone.band.lower)


def test_forecasts_are_drawn_as_they_are_said_to_be() -> None:
    few = reliability(sample(3), reduction="one_vs_rest", forecasts="discrete")
    assert all(r.discrete for r in few.values())
    many = reliability(sample(3), reduction="one_vs_rest", forecasts="continuous")
    assert not any(r.discrete for r in many.values())


def test_each_class_is_asked_about_unless_said_otherwise() -> None:
    curves: Any = reliability(sample(3))
    assert list(curves) == ["0", "1", "2"]
    asked = reliability(sample(3), reduction="one_vs_rest")
    for name, curve in curves.items():
        assert curve.to_dict() == asked[name].to_dict()


def test_the_page_says_where_intervals_are() -> None:
    cases = Cases([0, 2, 1, 0], np.array([[2, 2, 0], [0, 2, 2], [2, 0, 2], [3, 1, 0]]) / 4)
    without, with_them = (
        str(decompose(cases, rules.RPS(), interval=interval, replicates=20, rng=1)).splitlines()
        for interval in (False, True)
    )
    assert with_them == [*without, "to_frame() has the intervals of the parts"]
