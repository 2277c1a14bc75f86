"""What a rule for several classes is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import array_api_strict
import numpy as np
import pandas as pd
import polars as pl
import pytest

from properly import rules
from properly._boundary import _chunks
from properly.errors import ArgumentTypeError, DataError
from properly.rules._class_rule import require_class_rule
from properly.rules._distance import SquaredMeanError
from properly.typing import Array

Y, P = [0, 2], [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]]


@dataclass(frozen=True)
class Absolute(rules.ClassRule):
    """All that one has to write of a rule of one's own."""

    propriety: ClassVar[rules.Propriety] = rules.Propriety.IMPROPER
    name: ClassVar[str] = "absolute"

    def classwise(self, p: Array) -> Array:
        return 2 * (1 - p)

    def range_for(self, classes: int) -> tuple[float, float]:
        return 0.0, float(classes)


def test_all_else_follows_from_the_prices_of_every_class() -> None:
    rule = Absolute()
    assert rule.loss(Y, P).tolist() == [1, 1]
    assert rule(Y, P, weight=[3, 1]) == 1
    assert rule.price(np.array(Y), np.array(P)).tolist() == [1, 1]
    assert rule.entropy(P).tolist() == [1.25, 1]
    assert rule.expected_loss([0.5, 0.5, 0], [1, 0, 0]) == 1
    assert rule.range == rule.range_for(2) == (0, 2)
    assert rule.propriety_for(3) is rules.Propriety.IMPROPER
    assert not rule.is_proper
    assert not rule.needs_order
    assert isinstance(rule, rules.Rule)


# Losses


def test_losses_are_in_the_library_of_the_forecasts() -> None:
    for table in (P, np.array(P), pd.DataFrame(P), pl.DataFrame(P, orient="row")):
        losses = rules.Brier().loss(Y, table)
        assert type(losses) is np.ndarray
        assert losses.tolist() == [0.375, 0.5]
    strict = rules.Brier().loss(Y, array_api_strict.asarray(P))
    assert strict.dtype == array_api_strict.float64
    assert np.asarray(strict).tolist() == [0.375, 0.5]


def test_the_mean_of_an_array_is_a_plain_float() -> None:
    for rule in (rules.Brier(), rules.RPS(), rules.PBS(), Absolute()):
        for weight in (None, [1, 2], np.array([0.5, 0.5], dtype=np.float32)):
            assert type(rule(Y, P, weight)) is float
        strict = rule(Y, array_api_strict.asarray(P), array_api_strict.asarray([1.0, 2.0]))
        assert strict.shape == ()
        assert float(strict) == pytest.approx(rule(Y, P, [1, 2]), rel=1e-15)


def test_text_is_sorted_unless_the_rule_needs_an_order() -> None:
    text = ["low", "high", "mid"]
    p = [[0.5, 0.25, 0.25], [0.125, 0.5, 0.375], [0.25, 0.0, 0.75]]
    np.testing.assert_array_equal(rules.Brier().loss(text, p), rules.Brier().loss([1, 0, 2], p))
    for rule in (rules.RPS(), rules.RankedLog(), SquaredMeanError(), rules.QuadraticRPS()):
        with pytest.raises(DataError, match="labels="):
            rule.loss(text, p)
        with pytest.raises(DataError, match="labels="):
            rule(text, p)
        ordered = rule.loss(text, p, labels=["low", "mid", "high"])
        np.testing.assert_array_equal(ordered, rule.loss([0, 2, 1], p))


PIECES: list[rules.ClassRule] = [
    rules.Brier(),
    rules.Log(),
    rules.Spherical(),
    rules.Misclassification(),
    rules.RPS(),
    rules.RPS(list(range(1, 20))),
    rules.RankedLog(),
    rules.Ranked(rules.Bounded(rules.Brier(), (0.1, 0.4))),
    SquaredMeanError(),
    rules.QuadraticRPS(),
    rules.PBS(),
]


# Every rule with a small piece, and two with that of the library.
@pytest.mark.parametrize("rule", PIECES, ids=lambda rule: rule.name)
def test_a_table_of_more_than_a_piece_costs_what_its_halves_cost(
    rule: rules.ClassRule, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_chunks, "TABLE", 2**14)
    assert_halves_cost_the_same(rule, 2**14)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [rules.Brier(), rules.RPS()], ids=lambda rule: rule.name)
def test_a_piece_is_a_table_of_a_million_entries(rule: rules.ClassRule) -> None:
    assert_halves_cost_the_same(rule, 2**20)


def assert_halves_cost_the_same(rule: rules.ClassRule, entries: int) -> None:
    """Tables of more entries are priced in pieces, some of them on other threads."""
    rng = np.random.default_rng(5)
    rows = 3 * (entries // 20) + 1234
    p = rng.dirichlet(np.ones(20), 1000).astype(np.float32)[rng.integers(0, 1000, rows)]
    y, weight = rng.integers(0, 20, rows), rng.integers(0, 3, rows)
    assert p.size > 3 * entries
    losses, entropies = rule.loss(y, p), rule.entropy(p)
    middle = rows // 2 + 1
    for part in (slice(0, middle), slice(middle, rows)):
        np.testing.assert_array_equal(rule.loss(y[part], p[part]), losses[part])
        np.testing.assert_array_equal(rule.entropy(p[part]), entropies[part])
    assert rule(y, p) == pytest.approx(math.fsum(losses) / rows, rel=1e-13)
    weighted = math.fsum(losses * weight) / float(weight.sum())
    assert rule(y, p, weight) == pytest.approx(weighted, rel=1e-13)


# Expectations


def test_one_row_goes_with_every_row_of_the_other() -> None:
    rule, truth = rules.Brier(), [0.5, 0.25, 0.25]
    assert type(rule.expected_loss(truth, truth)) is float
    assert rule.expected_loss(truth, truth) == rule.entropy([truth])[0]
    table = np.array(P)
    one = [rule.expected_loss(truth, row) for row in P]
    np.testing.assert_array_equal(rule.expected_loss(truth, table), one)
    np.testing.assert_array_equal(rule.expected_loss([truth], table), one)
    other = [rule.expected_loss(row, truth) for row in P]
    np.testing.assert_array_equal(rule.expected_loss(table, truth), other)
    np.testing.assert_array_equal(rule.expected_loss(P, P), rule.entropy(P))
    assert rule.expected_loss(pd.Series(truth), tuple(truth)) == rule.entropy([truth])[0]


def test_what_cannot_happen_costs_nothing() -> None:
    assert rules.Log().expected_loss([1, 0, 0], [0.5, 0.5, 0]) == pytest.approx(math.log(2))
    assert rules.Log().expected_loss([0.5, 0, 0.5], [0.5, 0.5, 0]) == math.inf
    assert rules.RankedLog().expected_loss([0, 1, 0], [0, 1, 0]) == 0


# One event and several classes


def test_a_rule_of_classes_is_asked_for_by_name() -> None:
    for rule in (rules.Brier(), rules.RPS(), Absolute()):
        assert require_class_rule(rule) is rule
    with pytest.raises(ArgumentTypeError) as caught:
        require_class_rule(rules.Elementary(0.5))
    assert str(caught.value) == (
        "this needs a rule for class probabilities; got Elementary(threshold=0.5)\n\n"
        "Hint: Ranked(rule) makes one for ordered classes; for others, one_vs_rest makes events."
    )
    assert require_class_rule("brier") == rules.Brier()
    for other in (rules.Brier, None):
        with pytest.raises(ArgumentTypeError, match="write the rule with parentheses"):
            require_class_rule(other)


# Helpers of the rules


@pytest.mark.parametrize(
    "rule",
    [Absolute(), rules.Brier(), rules.RPS(), rules.Log(), rules.Ranked(rules.Log())],
    ids=repr,
)
def test_entropies_stay_in_the_library_of_the_forecasts(rule: rules.ClassRule) -> None:
    found = rule.entropy(array_api_strict.asarray(P))
    assert isinstance(found, array_api_strict._array_object.Array)
    np.testing.assert_allclose(np.asarray(found), rule.entropy(P), rtol=1e-15)
