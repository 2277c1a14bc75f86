"""Rules for ordered classes, and the cuts between these."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import array_api_strict
import numpy as np
import pytest

from properly.rules import (
    RPS,
    BinaryRule,
    Bounded,
    Brier,
    Elementary,
    Log,
    Misclassification,
    Propriety,
    Ranked,
    RankedLog,
    Shifted,
    Spherical,
)

STRICT, PROPER, IMPROPER = Propriety.STRICT, Propriety.PROPER, Propriety.IMPROPER

PUBLISHED = Shifted(0.1, form="published")  # an improper rule

MIDDLE = Bounded(Brier(), (0.25, 0.75))


def ranked_log(y: int, row: list[float]) -> float:
    """Return the mean log score of the cuts, from the numbers as they are."""
    with localcontext() as context:
        context.prec = 400
        exact = [Decimal(x) for x in row]
        nothing, mean = Decimal(0), Decimal(0)
        for k in range(len(row) - 1):
            tail = sum(exact[: k + 1] if y <= k else exact[k + 1 :], nothing)
            mean -= (tail / sum(exact, nothing)).ln() / (len(row) - 1)
        return float(mean)


# Facts
@pytest.mark.parametrize(
    ("rule", "propriety"),
    [
        (RPS(), STRICT),
        (RPS([1, 0, 1]), PROPER),
        (RankedLog([1, 1, 1]), STRICT),
        (RankedLog([0, 1, 1]), PROPER),
        (Ranked(Brier()), STRICT),
        (Ranked(Spherical()), STRICT),
        (Ranked(Misclassification()), PROPER),
        (Ranked(MIDDLE), PROPER),
        (Ranked(PUBLISHED), IMPROPER),
        (Ranked([Brier(), Log(), Brier()]), STRICT),
        (Ranked([Brier(), MIDDLE, Log()]), PROPER),
        (Ranked([Brier(), PUBLISHED, Log()]), IMPROPER),
        # An improper rule at a cut without weight does no harm, but the cut is missed.
        (Ranked([Brier(), PUBLISHED, Log()], [1, 0, 1]), PROPER),
        (Ranked([PUBLISHED, PUBLISHED, Log()], [0, 0, 1]), PROPER),
    ],
    ids=repr,
)
def test_it_is_as_proper_as_its_rules_at_cuts_that_count(
    rule: RPS | RankedLog | Ranked, propriety: Propriety
) -> None:
    assert rule.propriety is rule.propriety_for(4) is propriety
    assert rule.is_proper == (propriety is not IMPROPER)
    assert rule.needs_order


@pytest.mark.parametrize("weights", [[1], [2.5]])
def test_of_two_classes_there_is_one_cut(weights: list[float]) -> None:
    for rule in (RPS(weights), RankedLog(weights), Ranked([Brier()], weights)):
        assert rule.propriety_for(2) is STRICT
        assert rule.loss([0, 1], [[1.0, 0.0], [0.0, 1.0]]).tolist() == [0, 0]


def test_names_tell_the_rules() -> None:
    assert Ranked(Elementary(0.2)).name != Ranked(Elementary(0.3)).name
    rules = [Brier(), Log()]
    names = {
        Ranked(Brier()).name,
        Ranked(rules).name,
        Ranked(rules[::-1]).name,
        Ranked(rules, [1, 2]).name,
        Ranked(rules, normalized=False).name,
        RankedLog().name,
        Ranked(Log()).name,
    }
    assert len(names) == 7
    assert all("brier" in Ranked(rule).name for rule in (Brier(), rules))


# Prices
@pytest.mark.parametrize(
    "row",
    [
        [1e-300, 1.0, 1e-300],
        [1e-300, 2e-300, 1.0, 3e-300],
        [5e-324, 1.0, 0.0, 1e-308],
        [1e-17, 1.0 - 2e-16, 1e-16],
        [0.5, 1e-200, 1e-100, 0.5],
        [1e-9] * 9 + [1 - 9e-9],
    ],
    ids=str,
)
def test_the_log_score_of_tiny_tails_keeps_all_digits(row: list[float]) -> None:
    for y, p in enumerate(row):
        if p:
            wanted = ranked_log(y, row)
            assert RankedLog().loss([y], [row])[0] == pytest.approx(wanted, rel=1e-14, abs=2e-16)
            every = RankedLog().classwise(np.array([row]))[0, y]
            assert every == pytest.approx(wanted, rel=1e-14, abs=2e-16)


@pytest.mark.parametrize("classes", [16, 17, 40])
def test_few_and_many_classes_are_added_up_alike(classes: int) -> None:
    """Up to a number of classes sums are formed column by column, beyond it in a table."""
    rng = np.random.default_rng(classes)
    p = rng.dirichlet(np.full(classes, 0.3), 200)
    y = rng.integers(0, classes, 200)
    weights = rng.integers(0, 4, classes - 1) + np.eye(classes - 1)[0]
    off = np.cumsum(p, axis=1)[:, :-1] - (y[:, None] <= np.arange(classes - 1))
    for rule, shares in (
        (RPS(), np.full(classes - 1, 1 / (classes - 1))),
        (RPS(weights), weights / weights.sum()),
        (RPS(weights, normalized=False), weights),
    ):
        wanted = (off**2) @ shares
        np.testing.assert_allclose(rule.loss(y, p), wanted, rtol=1e-12, atol=1e-15)
        strict = rule.loss(array_api_strict.asarray(y), array_api_strict.asarray(p))
        np.testing.assert_allclose(np.asarray(strict), wanted, rtol=1e-12, atol=1e-15)


def test_rows_that_sum_to_a_little_more_than_1_cost_no_less_than_nothing() -> None:
    row = [0.25, 0.25, 0.5 + 4e-7]
    for rule in (RPS(), RankedLog(), Ranked(Brier()), Ranked(Log())):
        for y in range(3):
            exact = rule.loss([y], [[0.25, 0.25, 0.5]])[0]
            loss = rule.loss([y], [row])[0]
            assert loss >= 0
            assert loss == pytest.approx(exact, abs=4e-6)


RULES: list[BinaryRule] = [Log(), Brier(), Spherical(), Elementary(0.3), MIDDLE]


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_each_cut_asks_whether_the_outcome_lies_above(rule: BinaryRule) -> None:
    # "This grade or higher" has the probabilities 1/2 and 1/4.
    p, losses = [[0.5, 0.25, 0.25]] * 3, rule.loss([0, 1], [0.5, 0.5])
    others = rule.loss([0, 1], [0.25, 0.25])
    wanted = [losses[0] + others[0], losses[1] + others[0], losses[1] + others[1]]
    np.testing.assert_allclose(
        Ranked(rule, normalized=False).loss([0, 1, 2], p), wanted, rtol=1e-15
    )


def test_only_what_lies_at_or_below_a_cut_with_no_probability_is_impossible() -> None:
    # Sevenths and tenths do not sum to exactly 1; an upper tail of them is certain nevertheless.
    for steps in (7, 10, 3):
        row = [0.0, 1 / steps, (steps - 2) / steps, 1 / steps]
        assert Ranked(Log()).loss([0], [row])[0] == math.inf
        for y in (1, 2, 3):
            assert math.isfinite(Ranked(Log()).loss([y], [row])[0])
        # And one that is not certain is not called so.
        assert math.isfinite(Ranked(Log()).loss([0], [[1e-20, 0.5, 0.5, 0.0]])[0])


def test_a_cut_without_weight_is_not_asked() -> None:
    p = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]
    assert RankedLog([1, 0]).loss([2, 1], p).tolist() == [pytest.approx(math.log(2)), 0]
    assert RankedLog([0, 1]).loss([2, 1], p).tolist() == [math.inf, pytest.approx(math.log(2))]
    assert Ranked([Log(), Brier()], [0, 1]).loss([0, 0], p).tolist() == [0, 0.25]


@pytest.mark.parametrize("rule", [Log(), Brier(), Spherical()], ids=repr)
def test_every_class_costs_the_same_in_any_library_also_where_one_is_impossible(
    rule: BinaryRule,
) -> None:
    p = np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    found = np.asarray(Ranked(rule).classwise(array_api_strict.asarray(p)))
    np.testing.assert_allclose(found, Ranked(rule).classwise(p), rtol=1e-15)
    if isinstance(rule, Log):
        certain = [[0, math.inf, math.inf], [math.inf, math.inf, 0], [math.inf, 0, math.inf]]
        assert found[1:].tolist() == certain


# Facts
@pytest.mark.parametrize(
    ("rule", "name"),
    [
        (RPS(), "rps"),
        (RPS(normalized=False), "rps_sum"),
        (RPS([1, 2.5]), "rps[1,2.5]"),
        (RPS([1, 2.5], normalized=False), "rps_sum[1,2.5]"),
        (RankedLog(), "ranked_log"),
        (RankedLog([0.1, 3]), "ranked_log[0.1,3]"),
    ],
    ids=repr,
)
def test_a_name_tells_the_weights(rule: RPS, name: str) -> None:
    assert rule.name == name


@pytest.mark.parametrize(
    ("rule", "largest"),
    [
        (RPS(), 1),
        (RPS([1, 0, 3], normalized=False), 4),
        (Ranked(Elementary(0.25)), 0.75),
        (Ranked(Elementary(0.75), normalized=False), 2.25),
        (RankedLog([1, 0, 0]), float("inf")),
    ],
    ids=repr,
)
def test_the_greatest_loss_is_that_of_certainty_at_the_wrong_end(rule: RPS, largest: float) -> None:
    assert rule.range_for(4) == (0, largest)
    worst = rule.loss([0, 3], np.eye(4)[[3, 0]])
    assert max(worst) == largest
