"""Selective answering: error rates and losses of what is kept, and areas over all numbers kept."""

from __future__ import annotations

import math
from itertools import chain, permutations, product
from typing import Any

import numpy as np
import pytest

import properly
from properly import decisions
from properly.decisions import expected_cost
from properly.rules import Brier, Log

ERRORS: Any = "error_rate"
# Its areas are there for these metrics, which types do not tell.
retention_curve: Any = decisions.retention_curve
ALL = np.arange(6) / 6


def answers(seed: int, n: int = 200, step: float = 0.05) -> tuple[Any, Any]:
    """Draw which answers are right, and confidences in steps that say something about it."""
    rng = np.random.default_rng(seed)
    confidence = np.round(rng.beta(4, 1.5, n) / step) * step
    return (rng.random(n) < confidence).astype(int), confidence


def in_every_order(scores: Any, loss: Any, of_kept: Any) -> float:
    """Average over all orders of tied cases, and over all numbers of kept ones: brute force."""
    blocks = [np.flatnonzero(scores == s).tolist() for s in np.unique(scores)]
    orders = [list(chain(*chosen)) for chosen in product(*map(permutations, blocks))]
    n = len(loss)
    return float(np.mean([[of_kept(loss[o[:k]], n) for k in range(1, n + 1)] for o in orders]))


def plain_aurc(scores: Any, loss: Any) -> float:
    return in_every_order(scores, loss, lambda kept, _: kept.mean())


def plain_augrc(scores: Any, loss: Any) -> float:
    return in_every_order(scores, loss, lambda kept, n: kept.sum() / n)


# Areas


@pytest.mark.parametrize("seed", range(10))
def test_areas_are_means_over_all_orders_of_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    right, scores = rng.integers(0, 2, 6), rng.integers(0, 3, 6)
    curve = retention_curve(scores, right, metric=ERRORS)
    loss = 1.0 - right
    assert curve.aurc.value == pytest.approx(plain_aurc(scores, loss), rel=1e-12, abs=1e-15)
    assert curve.augrc.value == pytest.approx(plain_augrc(scores, loss), rel=1e-12, abs=1e-15)
    excess = plain_aurc(scores, loss) - plain_aurc(loss, loss)
    assert curve.excess_aurc.value == pytest.approx(excess, rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_areas_of_a_rule_are_those_of_its_losses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, p = rng.integers(0, 2, 6), rng.integers(1, 4, 6) / 4
    scores = p * (1 - p)
    curve = retention_curve(scores, y, p, metric=Log(), ties="average", removed=ALL)
    loss = Log().loss(y, p)
    assert curve.aurc.value == pytest.approx(plain_aurc(scores, loss), rel=1e-12)
    assert curve.augrc.value == pytest.approx(plain_augrc(scores, loss), rel=1e-12)
    # Every number of kept cases is on this curve, so the area is the mean of it.
    assert curve.aurc.value == pytest.approx(curve.value.mean(), rel=1e-12)
    assert curve.metric == "log"


def test_a_confidence_that_says_nothing_has_the_mean_risk() -> None:
    right, p = answers(1)
    curve = retention_curve(np.zeros(200), right, metric=ERRORS, ties="average")
    assert curve.aurc.value == pytest.approx(1 - right.mean(), rel=1e-13)
    np.testing.assert_allclose(curve.value, 1 - right.mean(), rtol=1e-13)
    brier = retention_curve(np.zeros(200), right, p, metric=Brier())
    assert brier.aurc.value == pytest.approx(Brier()(right, p), rel=1e-13)


def test_the_best_order_has_no_excess() -> None:
    right, _ = answers(2)
    curve = retention_curve(1 - right, right, metric=ERRORS)
    assert curve.excess_aurc.value == 0
    assert curve.excess_aurc.standard_error == 0
    assert math.isnan(curve.excess_aurc.interval[0])


def test_joint_risk_is_that_of_ranking_and_of_accuracy() -> None:
    """In the limit AUGRC = (1 - AUROC) acc (1 - acc) + (1 - acc)² / 2, as its authors show."""
    right, confidence = answers(3, n=200_000, step=0.001)
    wrong = 1 - right.mean()
    auc = properly.roc_curve(properly.tally(right, confidence)).area
    expected = (1 - auc) * wrong * (1 - wrong) + wrong**2 / 2
    found = retention_curve(-confidence, right, metric=ERRORS).augrc.value
    assert found == pytest.approx(expected, rel=1e-4)


# The curve


def test_the_error_rate_is_the_expected_cost_of_mistakes() -> None:
    rng = np.random.default_rng(4)
    P = rng.dirichlet(np.ones(4), 100)
    y, scores = rng.integers(0, 4, 100), -P.max(axis=1)
    found = retention_curve(scores, y, P, metric=ERRORS)
    cost: Any = {"metric": "expected_cost", "cost": "zero_one"}
    np.testing.assert_allclose(found.value, retention_curve(scores, y, P, **cost).value, rtol=1e-13)
    assert found.value[0] == expected_cost(y, P.argmax(axis=1), "zero_one", classes=4)
    decided = retention_curve(scores, y, P.argmax(axis=1), metric=ERRORS)
    alone = retention_curve(scores, y == P.argmax(axis=1), metric=ERRORS)
    for other in (decided, alone):
        np.testing.assert_array_equal(found.value, other.value)
        assert found.aurc == other.aurc


def test_a_rule_of_classes_is_averaged_over_the_kept() -> None:
    rng = np.random.default_rng(5)
    P = rng.dirichlet(np.ones(3), 50)
    names = ["a", "b", "c"]
    y = [names[k] for k in rng.integers(0, 3, 50)]
    scores = rng.permutation(50)
    curve = retention_curve(scores, y, P, metric=Brier(), labels=names, removed=[0, 0.5])
    loss = Brier().loss([names.index(x) for x in y], P)
    assert curve.value == pytest.approx([loss.mean(), loss[scores < 25].mean()], rel=1e-14)


def test_an_infinite_loss_is_in_every_mean_that_keeps_it() -> None:
    y, p, scores = [1, 0, 1, 1], [0.5, 0.5, 0.0, 0.5], [0, 1, 2, 3]
    curve = retention_curve(scores, y, p, metric=Log(), removed=[0, 0.25, 0.5])
    assert curve.value.tolist() == [math.inf, math.inf, math.log(2)]
    assert (curve.aurc.value, curve.augrc.value) == (math.inf, math.inf)
    assert math.isnan(curve.excess_aurc.value)
    assert (curve.aurc.infinite_cases, curve.aurc.infinite_share) == (1, 0.25)
    assert str(curve.aurc) == "inf (1 case of infinite loss; 4 independent cases)"


def test_other_metrics_have_no_such_areas() -> None:
    curve = retention_curve([1, 2, 3], [0, 1, 1], [0, 1, 0])
    assert curve.aurc is curve.excess_aurc is curve.augrc is None
    assert "aurc" not in curve.to_dict()
    told = retention_curve([1, 2, 3], [0, 1, 1], metric=ERRORS).to_dict()
    assert told["aurc"]["value"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3, rel=1e-15)
    assert told["excess_aurc"]["value"] == pytest.approx(11 / 18 - 1 / 9, rel=1e-14)
    assert told["augrc"]["value"] == pytest.approx(1 / 3, rel=1e-15)


# Intervals


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aurc", "excess_aurc", "augrc"])
def test_the_standard_error_is_near_that_of_leaving_cases_out(name: str) -> None:
    right, confidence = answers(7, n=400)

    def value(rows: Any) -> float:
        curve = retention_curve(-confidence[rows], right[rows], metric=ERRORS)
        return float(getattr(curve, name).value)

    n = len(right)
    left = np.array([value(np.arange(n) != k) for k in range(n)])
    jackknife = math.sqrt((n - 1) / n * np.sum((left - left.mean()) ** 2))
    curve = retention_curve(-confidence, right, metric=ERRORS)
    assert getattr(curve, name).standard_error == pytest.approx(jackknife, rel=0.02)


def test_clusters_of_copies_say_no_more_than_one_of_each() -> None:
    """Five answers alike are one answer: the error grows, though never that of a question."""
    right, confidence = answers(8, n=300)
    rows = np.repeat(np.arange(300), 5)
    once = retention_curve(-confidence, right, metric=ERRORS).aurc
    alike = retention_curve(-confidence[rows], right[rows], metric=ERRORS, clusters=rows).aurc
    free = retention_curve(-confidence[rows], right[rows], metric=ERRORS).aurc
    assert alike.standard_error == pytest.approx(once.standard_error, rel=0.02)
    assert free.standard_error == pytest.approx(once.standard_error / math.sqrt(5), rel=0.02)
    assert (alike.design, alike.cases) == ("300 clusters", 1500)


@pytest.mark.slow
def test_the_interval_holds_the_area_about_as_often_as_it_says() -> None:
    """Of 400 samples of 200 answers, 95 % would be 380; the docstring has larger studies."""
    truth = np.mean(
        [
            retention_curve(-confidence, right, metric=ERRORS).aurc.value
            for right, confidence in (answers(seed, n=200_000) for seed in range(5))
        ]
    )
    held: Any = 0
    for seed in range(400):
        right, confidence = answers(1000 + seed)
        lower, upper = retention_curve(-confidence, right, metric=ERRORS).aurc.interval
        held += lower <= truth <= upper
    assert 366 <= held <= 392


def test_errors_have_no_interval_where_there_are_none() -> None:
    curve = retention_curve([1, 2, 3], [1, 1, 1], metric=ERRORS)
    assert curve.aurc.value == curve.aurc.standard_error == 0
    assert math.isnan(curve.aurc.interval[0])
    one = retention_curve([1], [0], metric=ERRORS).aurc
    assert (one.value, one.design) == (1, "1 independent case")
    assert math.isnan(one.standard_error)


# What is refused
