"""Cuts between ordered classes."""

from __future__ import annotations

from fractions import Fraction

import array_api_strict
import numpy as np
import pytest

from properly.errors import ArgumentTypeError, DataError, ProperlyError
from properly.rules import RPS, Brier, Elementary, Propriety, Ranked, RankedLog
from properly.rules._ranked_probability import (
    add_up,
    as_strict_as,
    check_cut_weights,
    is_above,
    tails,
    weigh,
)

STRICT, PROPER, IMPROPER = Propriety.STRICT, Propriety.PROPER, Propriety.IMPROPER


# Tails


def test_tails_are_summed_from_their_own_end() -> None:
    tiny = 1e-300
    lower, upper = tails(np.array([[tiny, tiny, 1.0, tiny, tiny]]))
    assert lower.tolist() == [[tiny, 2 * tiny, 1, 1]]
    assert upper.tolist() == [[1, 1, 2 * tiny, tiny]]


def test_a_tail_of_impossible_classes_is_exactly_nothing() -> None:
    # Tenths that do not sum to exactly 1, whichever end one begins at.
    row = [0.0, 0.7, 0.2, 0.1, 0.0]
    lower, upper = tails(np.array([row]))
    assert lower[0, 0] == upper[0, 3] == 0
    for k in range(4):
        low = sum(Fraction(x) for x in row[: k + 1])
        assert lower[0, k] == pytest.approx(float(low), rel=2e-16)


def test_tails_never_exceed_1() -> None:
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.full(30, 0.2), 300).astype(np.float32)
    assert (p.sum(axis=1, dtype=np.float64) > 1).any()
    lower, upper = tails(p)
    assert lower.dtype == upper.dtype == np.float64
    for tail in (lower, upper):
        assert tail.shape == (300, 29)
        assert 0 <= tail.min() <= tail.max() <= 1
    assert (np.diff(lower, axis=1) >= 0).all()
    assert (np.diff(upper, axis=1) <= 0).all()


def test_tails_of_another_library_stay_in_it() -> None:
    p = array_api_strict.asarray([[0.25, 0.25, 0.5]], dtype=array_api_strict.float32)
    for tail, wanted in zip(tails(p), ([[0.25, 0.5]], [[0.75, 0.5]]), strict=True):
        assert tail.dtype == array_api_strict.float32
        assert np.asarray(tail).tolist() == wanted


def test_what_lies_above_a_cut() -> None:
    y, p = np.array([0, 1, 3]), np.full((3, 4), 0.25)
    wanted = [[False, False, False], [True, False, False], [True, True, True]]
    assert is_above(y, p).tolist() == wanted
    strict = is_above(array_api_strict.asarray(y), array_api_strict.asarray(p))
    assert np.asarray(strict).tolist() == wanted


# Weights


def test_a_cut_without_weight_costs_nothing_not_even_infinity() -> None:
    loss = np.array([[1.0, np.inf, 2.0]])
    assert weigh(loss, np.array([1.0, 0.0, 0.5])).tolist() == [[1, 0, 1]]
    assert add_up(loss, np.array([1.0, 0.0, 0.5])).tolist() == [2]
    assert add_up(loss, np.array([1.0, 1.0, 0.5])).tolist() == [np.inf]


@pytest.mark.parametrize(
    ("rule", "shares"),
    [
        (RPS(), [1 / 3] * 3),
        (RPS(normalized=False), [1, 1, 1]),
        (RPS([1, 2, 5]), [1 / 8, 2 / 8, 5 / 8]),
        (RPS([1, 2, 5], normalized=False), [1, 2, 5]),
        (RankedLog([0, 0, 7]), [0, 0, 1]),
        (Ranked(Brier(), [0.5, 0, 0.5]), [0.5, 0, 0.5]),
    ],
    ids=repr,
)
def test_shares_are_the_weights_over_their_sum(rule: RPS, shares: list[float]) -> None:
    np.testing.assert_allclose(rule.shares(4), shares, rtol=1e-15)
    assert rule.has_all_cuts == (min(shares) > 0)


def test_weights_are_kept_as_numbers() -> None:
    for given in ([1, 2], (1, 2), np.array([1, 2]), iter([1, 2]), range(1, 3)):
        found = check_cut_weights(given)
        assert found == (1.0, 2.0)
        assert {type(w) for w in found} == {float}
    assert check_cut_weights(None) is None


@pytest.mark.parametrize(
    "weights",
    [[], [0, 0], [1, -1], [1, float("nan")], [1, float("inf")], [1, 1e101]],
    ids=str,
)
def test_impossible_weights_are_refused(weights: list[float]) -> None:
    for make in (RPS, RankedLog, lambda w: Ranked(Brier(), w)):
        with pytest.raises(DataError, match="weights must be zero or more, at most 1e"):
            make(weights)


@pytest.mark.parametrize("weights", ["12", ["a", "b"], [None, 1], 3, [[1, 2]]], ids=str)
def test_weights_that_are_no_numbers_are_refused(weights: object) -> None:
    with pytest.raises(ProperlyError, match="weights"):
        RPS(weights)  # type: ignore[arg-type]


def test_whether_it_is_normalized_is_true_or_false() -> None:
    assert RPS(normalized=True).normalized is True
    assert RPS(normalized=False).normalized is False
    for other in (1, "yes", None):
        with pytest.raises((ArgumentTypeError, DataError), match="normalized must be True or Fal"):
            RPS(normalized=other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "rule", [RPS([1, 2]), RankedLog([1, 2]), Ranked(Brier(), [1, 2])], ids=repr
)
def test_weights_are_as_many_as_cuts(rule: RPS) -> None:
    p = np.full((2, 4), 0.25)
    message = "weights must have one entry for each cut between classes, 3 for 4 classes; got 2"
    for call in (
        lambda: rule.loss([0, 1], p),
        lambda: rule([0, 1], p),
        lambda: rule.entropy(p),
        lambda: rule.expected_loss(p, p),
        lambda: rule.range_for(4),
        lambda: rule.shares(4),
        lambda: rule.classwise(p),
    ):
        with pytest.raises(DataError) as caught:
            call()
        assert str(caught.value).startswith(message)
    assert rule.range_for(3)[0] == 0


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


def test_names_of_weights_that_differ_differ() -> None:
    close = RPS([1, 1.0000001]), RPS([1, 1.0000002])
    assert close[0] != close[1]
    assert close[0].name != close[1].name


def test_strictness_is_lost_with_a_cut() -> None:
    assert as_strict_as(STRICT, all_cuts=True) is STRICT
    assert as_strict_as(STRICT, all_cuts=False) is PROPER
    assert as_strict_as(PROPER, all_cuts=True) is PROPER
    for every in (True, False):
        assert as_strict_as(IMPROPER, all_cuts=every) is IMPROPER


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
