"""Local, symmetric, reversible, sensitive to distance, superior: found or refuted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from properly.rules import (
    PBS,
    PLL,
    RPS,
    BetaWeighted,
    Brier,
    ClassRule,
    Elementary,
    Finding,
    Log,
    Misclassification,
    Penalized,
    Propriety,
    QuadraticRPS,
    RankedLog,
    Spherical,
    SquaredAbsoluteRPS,
    SquaredMeanError,
    superior_penalty,
)
from properly.rules._audit import distance_sensitive, local, reversible, superior, symmetric
from properly.rules._counterexamples import Prices

if TYPE_CHECKING:
    from properly.rules import BinaryRule


# local, symmetric, reversible, distance sensitive, superior; for three classes
KNOWN = [
    (Brier(), (False, True, True, False, False)),
    (Log(), (True, True, True, False, False)),
    (Spherical(), (False, True, True, False, False)),
    (Misclassification(), (False, True, True, False, True)),
    (RPS(), (False, False, True, True, False)),
    (RPS(weights=(1, 2)), (False, False, False, True, False)),
    (RankedLog(), (False, False, True, True, False)),
    (SquaredAbsoluteRPS(), (False, False, True, True, False)),
    (SquaredMeanError(), (False, False, True, True, False)),
    (QuadraticRPS(), (False, False, True, True, False)),
    (PBS(), (False, True, True, False, True)),
    (PBS(ties="first"), (False, False, False, False, True)),
    (PLL(ties="any_correct"), (False, True, True, False, True)),
    (Penalized(RPS(), 0.5), (False, False, True, False, True)),
]


@pytest.mark.parametrize(("rule", "facts"), KNOWN, ids=repr)
def test_known_facts_of_three_classes_are_found(rule: ClassRule, facts: tuple[bool, ...]) -> None:
    prices = Prices(rule, 3)
    questions = (local, symmetric, reversible, distance_sensitive, superior)
    assert tuple(question(prices).holds for question in questions) == facts


def test_with_four_classes_the_mean_can_move_away_from_the_outcome() -> None:
    found = distance_sensitive(Prices(SquaredMeanError(), 4))
    assert found.holds is False
    # The mean, 9/4, lies beyond the outcome already; coming nearer from below takes it away.
    assert found.witness == (
        "if class 2 happens, (1/4, 0, 0, 3/4) costs 1/144, and (0, 1/4, 0, 3/4) costs 1/36"
    )
    assert distance_sensitive(Prices(RPS(), 4)).holds


@pytest.mark.parametrize("question", [local, distance_sensitive])
def test_two_classes_are_too_few_for_some_questions(question: Any) -> None:
    found = question(Prices(Brier(), 2))
    assert found.holds is None
    assert str(found).startswith("does not apply: of two classes")


def test_a_witness_can_be_checked_by_hand() -> None:
    assert str(local(Prices(Brier(), 3))) == (
        "no: if class 0 happens, (0, 1, 0) costs 2 and (0, 1/2, 1/2) costs 3/2, "
        "though both give it 0"
    )
    assert str(symmetric(Prices(RPS(), 3))) == (
        "no: (1, 0, 0) costs 1 if class 2 happens, but (0, 1, 0) costs 1/2 if class 2 does"
    )
    assert str(distance_sensitive(Prices(RPS(), 3))) == (
        "yes: if class 2 happens, (1, 0, 0) costs 1, and (0, 1, 0) costs 1/2"
    )
    assert str(distance_sensitive(Prices(Log(), 3))) == (
        "no: it makes no difference which of the wrong classes has probability"
    )
    assert str(superior(Prices(RPS(), 3))) == (
        "no: (1/2, 1/4, 1/4) costs 5/32 if class 0 happens, "
        "but (1/2, 1/4, 1/4) costs 5/32 if class 1 happens"
    )
    assert str(symmetric(Prices(Brier(), 3))) == (
        "yes: exchanging neighbouring classes changed no loss of 153 forecasts"
    )


def test_costs_that_differ_are_not_reversible() -> None:
    found = reversible(Prices(Elementary(0.25), 2))
    assert found == Finding(
        False, "(1, 0) costs 3/4 if class 1 happens, but (0, 1) costs 1/4 if class 0 does"
    )
    assert reversible(Prices(BetaWeighted(3, 3), 2)).holds


@pytest.mark.parametrize("classes", [2, 3, 4, 5])
@pytest.mark.parametrize("rule", [Brier(), Log(), RPS()], ids=repr)
def test_the_smallest_penalty_is_enough_and_less_is_not(rule: ClassRule, classes: int) -> None:
    least = superior_penalty(rule, classes)
    assert superior(Prices(Penalized(rule, least), classes)).holds
    if least > 0:
        assert superior(Prices(Penalized(rule, least - 1e-4), classes)).holds is False


def test_two_classes_need_no_penalty() -> None:
    rules: list[ClassRule | BinaryRule] = [Brier(), Log(), Spherical()]
    assert [superior(Prices(rule, 2)).holds for rule in rules] == [True] * 3


def test_a_constant_price_is_not_superior() -> None:
    class Flat(ClassRule):
        propriety = Propriety.PROPER
        name = "flat"

        def range_for(self, classes: int) -> tuple[float, float]:
            del classes
            return 1.0, 1.0

        def classwise(self, p: Any) -> Any:
            return 0.0 * p + 1.0

    prices = Prices(Flat(), 3)
    assert superior(prices).holds is False
    assert local(prices).holds
    assert distance_sensitive(prices).holds is False


def test_many_classes_are_looked_at_too() -> None:
    assert local(Prices(PLL(), 12)).holds is False
    assert local(Prices(Log(), 12)).holds
    assert distance_sensitive(Prices(RPS(), 12)).holds
    assert superior(Prices(Penalized(RPS(), superior_penalty(RPS(), 12) - 1e-4), 12)).holds is False
