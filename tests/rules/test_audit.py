"""The search for reports that beat the truth, and for other properties: found or refuted."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from properly import rules
from properly.rules._audit import (
    AuditFinding,
    distance_sensitive,
    local,
    reversible,
    superior,
    symmetric,
)
from properly.rules._counterexamples import Prices
from properly.rules._distance import SquaredMeanError


def pair(found: rules.Audit) -> str:
    assert found.counterexample is not None
    return found.counterexample.as_fractions()


def test_the_squared_absolute_score_prefers_certainty() -> None:
    found = rules.audit(rules.SquaredAbsoluteRPS(), 3)
    assert found.verdict == "refuted"
    assert pair(found) == "truth (1/3, 1/3, 1/3), report (0, 1, 0)"
    assert found.expected_truth == pytest.approx(11 / 54, rel=1e-15)
    assert found.expected_report == pytest.approx(1 / 6, rel=1e-15)
    assert found.gap == pytest.approx(1 / 27, rel=1e-14)
    assert rules.audit(rules.SquaredAbsoluteRPS(), 2).propriety is rules.Propriety.STRICT


@pytest.mark.parametrize("make", [rules.PBS, rules.PLL])
@pytest.mark.parametrize("ties", ["any_correct", "unique_only"])
@pytest.mark.parametrize("classes", [2, 3])
def test_counting_all_ties_alike_is_refuted_in_small_numbers(
    make: Any, ties: str, classes: int
) -> None:
    found = rules.audit(make(ties=ties), classes)
    zeros = ", 0" * (classes - 2)
    known = {
        "any_correct": f"truth (2/3, 1/3{zeros}), report (1/2, 1/2{zeros})",
        "unique_only": f"truth (1/2, 1/2{zeros}), report (2/3, 1/3{zeros})",
    }
    assert pair(found) == known[ties]


@pytest.mark.parametrize(("penalty", "away"), [(0.02, "1/18"), (1e-3, "1/128"), (1e-5, "1/2048")])
def test_a_small_penalty_on_ties_is_refuted_near_the_tie(penalty: float, away: str) -> None:
    found = rules.audit(rules.PBS(penalty=penalty, ties="unique_only"), 2)
    share = Fraction(away)
    half = Fraction(1, 2)
    assert pair(found) == f"truth (1/2, 1/2), report ({half + share}, {half - share})"
    # A report so far away costs twice the square more, and saves half the penalty.
    assert found.gap == pytest.approx(penalty / 2 - 2 * float(share) ** 2, rel=1e-9)


def test_the_published_shift_is_refuted() -> None:
    found = rules.audit(rules.Shifted(0.1, form="published"))
    assert found.classes == 2
    assert found.verdict == "refuted"
    assert found.agreement == "agrees"
    assert found.gap > 0


def test_a_false_claim_is_refuted() -> None:
    class Boast(rules.SquaredAbsoluteRPS):
        propriety = rules.Propriety.STRICT

        def propriety_for(self, classes: int) -> rules.Propriety:
            del classes
            return rules.Propriety.STRICT

    assert rules.audit(Boast(), 3).agreement == "refuted"
    assert "The rule says that it is strictly proper; the search: refuted." in str(
        rules.audit(Boast())
    )


@pytest.mark.parametrize(("smallest", "chance"), [(1e-3, "1/2000"), (1e-7, "1/20000000")])
def test_a_clipped_logarithm_is_refuted_near_certainty(smallest: float, chance: str) -> None:
    class Clipped(rules.Log):
        def classwise(self, p: Any) -> Any:
            return -np.log(np.maximum(p, smallest))

    for classes in (2, 3, 5):
        found = rules.audit(Clipped(), classes)
        assert found.agreement == "refuted"
        assert found.counterexample is not None
        assert chance in found.counterexample.as_fractions()


def test_a_truth_of_finite_cost_is_shown_if_there_is_one() -> None:
    class Smoothed(rules.Log):
        def classwise(self, p: Any) -> Any:
            loss = super().classwise(p)
            return 0.9 * loss + 0.1 * loss.mean(axis=1, keepdims=True)

    found = rules.audit(Smoothed(), 3)
    assert found.agreement == "refuted"
    assert np.isfinite(found.gap)
    assert found.counterexample is not None
    assert all(x > 0 for x in found.counterexample.truth)


@pytest.mark.slow
def test_a_tie_refutes_strictness_unless_it_may_be_rounding() -> None:
    assert rules.audit(rules.BetaWeighted(1, 20)).agreement == "not confirmed"

    class Boast(rules.Misclassification):
        propriety = rules.Propriety.STRICT

    class Modest(rules.Brier):
        propriety = rules.Propriety.PROPER

    found = rules.audit(Boast(), 3)
    assert (found.verdict, found.agreement) == ("not refuted by this search", "refuted")
    assert found.propriety is rules.Propriety.PROPER
    assert rules.audit(Modest(), 3).agreement == "not confirmed"


def test_the_page_reads_as_sums_to_be_checked() -> None:
    lines = str(rules.audit(rules.SquaredAbsoluteRPS(), 3)).splitlines()
    assert lines[:6] == [
        "SquaredAbsoluteRPS() for 3 classes: refuted.",
        "Let the truth be (1/3, 1/3, 1/3).",
        "Saying so costs 1/4, 1/9, 1/4 if class 0, 1, 2 happens; on average 11/54 = 0.203704.",
        "Reporting (0, 1, 0) costs 1/4, 0, 1/4 if class 0, 1, 2 happens; on average 1/6 =",
        "  0.166667.",
        "So the report costs 1/27 = 0.037037 less than the truth.",
    ]
    assert lines[6] == "The rule says that it is improper; the search: agrees."
    assert lines[-1] == "Searched 427 truths and as many reports, all with all."


def test_a_page_without_a_counterexample_names_a_tie_or_says_that_there_is_none() -> None:
    tie = str(rules.audit(rules.Misclassification(), 2))
    assert "Let the truth be (1/2, 1/2)." in tie
    assert "So another report is as good as the truth, and none is better." in tie
    none = str(rules.audit(rules.Log(), 2))
    assert "No other report was found to be as good as the truth." in none
    assert none.endswith("and the best reports of 4 truths\n  from 3 starts each.")
    assert "proved" not in tie + none


def test_the_record_is_short_and_fits_into_json() -> None:
    found = rules.audit(rules.PLL(ties="any_correct"), 2)
    assert repr(found) == "Audit(pll[any_correct] for 2 classes: refuted)"
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["propriety"] == data["claim"] == "improper"
    assert data["agreement"] == "agrees"
    assert data["rule"] == repr(found.rule)
    assert data["counterexample"]["truth"] == [2 / 3, 1 / 3]
    assert data["counterexample"]["report_loss"] == pytest.approx([np.log(2)] * 2)
    assert data["superior"] == {"holds": True, "witness": found.superior.witness}
    assert set(data) == {*vars(found), "agreement"}


@pytest.mark.parametrize(
    ("rule", "classes", "found"),
    [
        (rules.Brier(), 2, True),
        (rules.Brier(), 3, False),
        (rules.Log(), 3, False),
        (rules.PBS(), 3, True),
        (rules.PLL(), 5, True),
    ],
)
def test_superiority_is_told(rule: rules.ClassRule, classes: int, found: bool) -> None:
    assert rules.is_superior(rule, classes) is found


# local, symmetric, reversible, distance sensitive, superior; for three classes
KNOWN = [
    (rules.Brier(), (False, True, True, False, False)),
    (rules.Log(), (True, True, True, False, False)),
    (rules.Spherical(), (False, True, True, False, False)),
    (rules.Misclassification(), (False, True, True, False, True)),
    (rules.RPS(), (False, False, True, True, False)),
    (rules.RPS(weights=(1, 2)), (False, False, False, True, False)),
    (rules.RankedLog(), (False, False, True, True, False)),
    (rules.SquaredAbsoluteRPS(), (False, False, True, True, False)),
    (SquaredMeanError(), (False, False, True, True, False)),
    (rules.QuadraticRPS(), (False, False, True, True, False)),
    (rules.PBS(), (False, True, True, False, True)),
    (rules.PBS(ties="first"), (False, False, False, False, True)),
    (rules.PLL(ties="any_correct"), (False, True, True, False, True)),
    (rules.Penalized(rules.RPS(), 0.5), (False, False, True, False, True)),
]


@pytest.mark.parametrize(("rule", "facts"), KNOWN, ids=repr)
def test_known_facts_of_three_classes_are_found(
    rule: rules.ClassRule, facts: tuple[bool, ...]
) -> None:
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
    assert distance_sensitive(Prices(rules.RPS(), 4)).holds


@pytest.mark.parametrize("question", [local, distance_sensitive])
def test_two_classes_are_too_few_for_some_questions(question: Any) -> None:
    found = question(Prices(rules.Brier(), 2))
    assert found.holds is None
    assert str(found).startswith("does not apply: of two classes")


def test_a_witness_can_be_checked_by_hand() -> None:
    assert str(local(Prices(rules.Brier(), 3))) == (
        "no: if class 0 happens, (0, 1, 0) costs 2 and (0, 1/2, 1/2) costs 3/2, "
        "though both give it 0"
    )
    assert str(symmetric(Prices(rules.RPS(), 3))) == (
        "no: (1, 0, 0) costs 1 if class 2 happens, but (0, 1, 0) costs 1/2 if class 2 does"
    )
    assert str(distance_sensitive(Prices(rules.RPS(), 3))) == (
        "yes: if class 2 happens, (1, 0, 0) costs 1, and (0, 1, 0) costs 1/2"
    )
    assert str(distance_sensitive(Prices(rules.Log(), 3))) == (
        "no: it makes no difference which of the wrong classes has probability"
    )
    assert str(superior(Prices(rules.RPS(), 3))) == (
        "no: (1/2, 1/4, 1/4) costs 5/32 if class 0 happens, "
        "but (1/2, 1/4, 1/4) costs 5/32 if class 1 happens"
    )
    assert str(symmetric(Prices(rules.Brier(), 3))) == (
        "yes: exchanging neighbouring classes changed no loss of 153 forecasts"
    )


def test_costs_that_differ_are_not_reversible() -> None:
    found = reversible(Prices(rules.Elementary(0.25), 2))
    assert found == AuditFinding(
        False, "(1, 0) costs 3/4 if class 1 happens, but (0, 1) costs 1/4 if class 0 does"
    )
    assert reversible(Prices(rules.BetaWeighted(3, 3), 2)).holds


@pytest.mark.parametrize("classes", [2, 3, 4, 5])
@pytest.mark.parametrize("rule", [rules.Brier(), rules.Log(), rules.RPS()], ids=repr)
def test_the_smallest_penalty_is_enough_and_less_is_not(
    rule: rules.ClassRule, classes: int
) -> None:
    least = rules.superior_penalty(rule, classes)
    assert superior(Prices(rules.Penalized(rule, least), classes)).holds
    if least > 0:
        assert superior(Prices(rules.Penalized(rule, least - 1e-4), classes)).holds is False
