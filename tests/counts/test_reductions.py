"""Class probabilities as yes-or-no questions, and which of them a score adds up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly import Cases
from properly.calibration import decompose
from properly.counts import cumulative, one_vs_rest, top_label
from properly.counts._reductions import VIEWS, plan_for, upper_tails
from properly.errors import ImproperRuleError
from properly.rules import (
    PBS,
    PLL,
    RPS,
    Brier,
    Elementary,
    Log,
    Ranked,
    RankedLog,
    Spherical,
    SquaredAbsoluteRPS,
)

if TYPE_CHECKING:
    from properly.rules import Rule

Y = [0, 2, 1, 2]

P = [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [0.25, 0.25, 0.5], [0.125, 0.625, 0.25]]

GRADES = ["low", "middle", "high"]


def percents(classes: int, rows: int, whole: int = 100) -> np.ndarray[Any, Any]:
    """Draw rows of whole numbers that add up to 100, or to another whole."""
    rng = np.random.default_rng(classes)
    return rng.multinomial(whole, rng.dirichlet(np.ones(classes)), size=rows)


def tails_of(parts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Add up whole numbers above each cut."""
    return parts[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]


def test_a_cut_asks_for_this_grade_or_higher() -> None:
    found = cumulative(Cases(Y, P))
    assert list(found) == ["1 or higher", "2"]
    low, high = found.values()
    assert low.y.tolist() == [False, True, True, True]
    assert low.p.tolist() == [0.5, 1.0, 0.75, 0.875]
    assert high.y.tolist() == [False, True, False, True]
    assert high.p.tolist() == [0.25, 0.5, 0.5, 0.25]


def test_each_class_stands_against_the_rest() -> None:
    found = one_vs_rest(Cases(Y, P))
    assert list(found) == ["0", "1", "2"]
    assert [c.y.tolist() for c in found.values()] == [[y == k for y in Y] for k in range(3)]
    assert [c.p.tolist() for c in found.values()] == [[row[k] for row in P] for k in range(3)]


def test_the_likeliest_class_is_the_first_of_several() -> None:
    found = top_label(Cases(Y, P))
    assert found.y.tolist() == [True, False, False, False]
    assert found.p.tolist() == [0.5, 0.5, 0.5, 0.625]
    assert top_label(Cases([1], [[0.2, 0.4, 0.4]])).y.tolist() == [True]
    assert top_label(Cases([2], [[0.2, 0.4, 0.4]])).y.tolist() == [False]


def test_questions_are_named_after_labels() -> None:
    cases = Cases(["low", "high"], P[:2], labels=GRADES)
    assert list(cumulative(cases)) == ["middle or higher", "high"]
    assert list(one_vs_rest(cases)) == GRADES


def test_what_else_is_known_of_cases_comes_along() -> None:
    columns: dict[str, Any] = {
        "weight": [1.0, 0.5, 2.0, 0.0],
        "clusters": ["a", "a", "b", "c"],
        "time": [4, 3, 2, 1],
        "groups": [1, 1, 2, 2],
    }
    cases = Cases(Y, P, **columns)
    questions = [*cumulative(cases).values(), *one_vs_rest(cases).values(), top_label(cases)]
    for question in questions:
        for name, column in columns.items():
            assert getattr(question, name).tolist() == column
        assert question.classes is None


@pytest.mark.parametrize("whole", [3, 7, 30, 365, 1000, 9973])
@pytest.mark.parametrize("classes", [3, 9, 60])
@pytest.mark.parametrize("ends", [1, -1])
def test_equal_fractions_are_equal_forecasts(ends: int, classes: int, whole: int) -> None:
    parts = percents(classes, 300, whole)[:, ::ends]
    for tail, exact in zip(upper_tails(parts / whole), tails_of(parts).T, strict=True):
        np.testing.assert_allclose(tail, exact / whole, rtol=1e-9)
        assert len(set(tail.tolist())) == len(set(exact.tolist()))
        assert (np.diff(tail[np.argsort(exact, kind="stable")]) >= 0).all()


@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
def test_equal_fractions_are_equal_in_any_library(library: str) -> None:
    xp = pytest.importorskip(library, reason=f"{library} is not installed")
    p = percents(5, 1000, 30) / 30
    for tail, expected in zip(upper_tails(xp.asarray(p)), upper_tails(p), strict=True):
        assert np.asarray(tail).tolist() == expected.tolist()


def test_small_probabilities_keep_their_digits() -> None:
    p = np.array([[1.0, 1e-18, 2e-18], [1.0, 3.3e-16, 0.0], [1 - 1e-9, 1e-9 / 3, 2e-9 / 3]])
    first, second = upper_tails(p)
    assert first.tolist() == pytest.approx([3e-18, 3.3e-16, 1e-9], rel=1e-15)
    assert second.tolist() == p[:, 2].tolist()


@pytest.mark.parametrize("classes", [2, 3, 7, 40])
def test_a_sum_moves_no_farther_than_half_of_the_last_decimal(classes: int) -> None:
    p = np.random.default_rng(1).dirichlet(np.full(classes, 0.2), size=500)
    for k, tail in enumerate(upper_tails(p)):
        lower, upper = p[:, : k + 1].sum(axis=1), p[:, k + 1 :].sum(axis=1)
        smaller = np.minimum(lower, upper)
        off = np.where(upper <= lower, np.abs(tail - upper), np.abs(tail - (1 - lower)))
        assert (off <= np.where(smaller >= 1e-3, 5.1e-13, 2e-15)).all()


def test_what_is_possible_is_never_called_impossible() -> None:
    p = np.array([[1e-300, 1.0], [1e-17, 1.0], [1.0, 1e-17], [1.0, 1e-300]])
    assert upper_tails(p)[0].tolist() == [1 - 2**-53, 1 - 2**-53, 1e-17, 1e-300]


@given(st.integers(1, 998), st.integers(-12, 12), st.integers(3, 9), st.sampled_from([999, 1000]))
def test_forecasts_keep_their_order(parts: int, steps: int, classes: int, whole: int) -> None:
    low = parts / whole + steps * math.ulp(parts / whole)
    high = math.nextafter(low, 2)
    p = np.zeros((2, classes))
    p[:, -1] = low, high
    p[:, 0] = 1 - p[:, -1]
    first, second = upper_tails(p)[0].tolist()
    assert first <= second


def test_questions_stay_in_the_library_of_the_forecasts() -> None:
    cases = Cases(strict.asarray(Y), strict.asarray(P, dtype=strict.float64))
    questions = [*cumulative(cases).values(), *one_vs_rest(cases).values(), top_label(cases)]
    plain = Cases(Y, P)
    expected = [*cumulative(plain).values(), *one_vs_rest(plain).values(), top_label(plain)]
    for got, want in zip(questions, expected, strict=True):
        assert isinstance(got.p, type(strict.asarray([0.5])))
        assert np.asarray(got.p).tolist() == want.p.tolist()
        assert np.asarray(got.y).tolist() == want.y.tolist()


CASES = Cases([0, 2, 1], [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]])


def test_each_question_has_its_rule() -> None:
    assert list(plan_for(RPS(), "auto", 4).rules) == [Brier()] * 3
    assert list(plan_for(RankedLog(), "auto", 4).rules) == [Log()] * 3
    assert list(plan_for(Ranked(Spherical()), "auto", 4).rules) == [Spherical()] * 3
    several = [Brier(), Log(), Elementary(0.2)]
    assert list(plan_for(Ranked(several), "cumulative", 4).rules) == several
    assert list(plan_for(Log(), "auto", 4).rules) == [Log()] * 4
    assert list(plan_for(Elementary(0.2), "top_label", 4).rules) == [Elementary(0.2)]


def test_weights_say_how_parts_add_up() -> None:
    def weights(rule: Any, view: Any = "auto") -> list[float]:
        return list(plan_for(rule, view, 4).weights)

    assert weights(RPS()) == pytest.approx([1 / 3] * 3)
    assert weights(RPS(normalized=False)) == [1.0] * 3
    assert weights(RPS(weights=[1, 2, 5])) == pytest.approx([0.125, 0.25, 0.625])
    assert weights(RPS(weights=[1, 2, 5], normalized=False)) == [1.0, 2.0, 5.0]
    assert weights(Brier()) == [1.0] * 4
    assert weights(Brier(scale="mean")) == [0.25] * 4
    assert weights(Brier(scale="half")) == [0.5] * 4
    assert weights(Log()) == [1.0] * 4
    assert weights(Brier(scale="half"), "cumulative") == pytest.approx([1 / 3] * 3)
    assert weights(Brier(scale="half"), "top_label") == [1.0]


GRADE = "the score of the question 'this grade or higher?' at each cut, "

CROSS = "; recalibrated cuts need not fit together into one distribution"

ONE = "; recalibrated classes need not add up to 1"

LIKELIEST = (
    "the score of the question 'did the likeliest class happen?'; it judges only the likeliest "
    "class, whatever was said of the others"
)

OTHERS = "it also judges what was said of the classes that did not happen"

STATEMENTS: list[tuple[Rule, str, str]] = [
    (RPS(), "cumulative", f"{GRADE}averaged{CROSS}"),
    (RankedLog(), "cumulative", f"{GRADE}averaged{CROSS}"),
    (RPS(normalized=False), "cumulative", f"{GRADE}added up{CROSS}"),
    (RPS(weights=[1, 2, 3]), "cumulative", f"{GRADE}averaged with the weights of the rule{CROSS}"),
    (
        RPS(weights=[1, 2, 3], normalized=False),
        "cumulative",
        f"{GRADE}added up with the weights of the rule{CROSS}",
    ),
    (Elementary(0.2), "cumulative", f"{GRADE}averaged{CROSS}"),
    (
        Brier(),
        "auto",
        f"the sum of 4 yes-or-no Brier scores, which is the Brier score of the class{ONE}",
    ),
    (
        Brier(scale="mean"),
        "auto",
        "the sum of 4 yes-or-no Brier scores, divided by 4, which is the Brier score of the class"
        + ONE,
    ),
    (
        Brier(scale="half"),
        "one_vs_rest",
        "the sum of 4 yes-or-no Brier scores, divided by 2, which is the Brier score of the class"
        + ONE,
    ),
    (
        Log(),
        "auto",
        f"the sum of 4 yes-or-no log scores, not the log score of the class: {OTHERS}{ONE}",
    ),
    (
        Spherical(),
        "one_vs_rest",
        f"the sum of 4 yes-or-no spherical scores, not the spherical score of the class{ONE}",
    ),
    (
        Elementary(0.2),
        "one_vs_rest",
        f"the sum of 4 yes-or-no elementary[0.2] scores, one a class{ONE}",
    ),
    (
        Log(),
        "top_label",
        LIKELIEST,
    ),
]


@pytest.mark.parametrize(("rule", "view", "statement"), STATEMENTS, ids=str)
def test_a_sentence_says_what_the_numbers_mean(rule: Any, view: Any, statement: str) -> None:
    plan = plan_for(rule, view, 4)
    assert plan.statement == statement
    assert plan.view == ("one_vs_rest" if view == "auto" else view)


@pytest.mark.parametrize("view", ["auto", *VIEWS])
@pytest.mark.parametrize("allow", [False, True])
@pytest.mark.parametrize(
    "rule", [SquaredAbsoluteRPS(), PBS(ties="any_correct"), PLL(ties="any_correct")], ids=repr
)
def test_an_improper_score_of_classes_is_refused_whatever_is_allowed(
    rule: Any, allow: bool, view: Any
) -> None:
    with pytest.raises(ImproperRuleError, match="is neither"):
        decompose(CASES, rule, reduction=None if view == "auto" else view, allow_improper=allow)
