"""Budgets: the highest forecasts are acted upon, as many as there is money for."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from properly import Cases, tally
from properly.decisions import at_budget, at_threshold
from properly.errors import DataError

Y = np.array([1, 0, 1, 0, 0])
P = np.array([0.9, 0.6, 0.6, 0.2, 0.1])


def test_by_hand() -> None:
    """Two of five: the highest, and one of the two at 0.6, with one event among them."""
    found = at_budget(tally(Y, P), 2, threshold=0.2)
    assert (found.budget, found.true_positives) == (2.0, 1.5)
    assert (found.precision, found.recall) == (0.75, 0.75)
    assert found.threshold == 0.2
    assert found.net_benefit == pytest.approx((1.5 - 0.5 / 4) / 5, rel=1e-15)
    assert found.regret == pytest.approx((0.2 * 0.5 + 0.8 * 0.5) / 5, rel=1e-15)
    assert (found.border, found.border_cases) == (0.6, 2)


def test_without_a_threshold_nothing_is_priced() -> None:
    found = at_budget(Cases(Y, P), 1)
    assert (found.threshold, found.net_benefit, found.regret) == (None, None, None)
    assert (found.true_positives, found.border, found.border_cases) == (1.0, 0.9, 1)


@pytest.mark.parametrize("budget", [1, 2, 3, 4, 6])
def test_ties_are_an_expectation_over_random_choices(budget: int) -> None:
    y, p = np.array([1, 0, 0, 1, 1, 0, 1]), np.array([0.8, 0.5, 0.5, 0.5, 0.5, 0.5, 0.3])
    higher = int((p > 0.5).sum())
    if higher < budget <= 6:
        tied = np.flatnonzero(p == 0.5)
        choices = [y[list(c)].sum() for c in combinations(tied, budget - higher)]
        expected = y[p > 0.5].sum() + np.mean(choices)
    else:
        expected = y[np.argsort(-p)][:budget].sum()
    assert at_budget(tally(y, p), budget).true_positives == pytest.approx(expected, rel=1e-15)


def test_a_border_that_is_met_exactly_is_the_lowest_forecast_chosen() -> None:
    found = at_budget(tally(Y, P), 3)
    assert (found.border, found.border_cases, found.true_positives) == (0.6, 2, 2.0)


@pytest.mark.parametrize("weight", [None, [2, 0, 1, 3, 1], [0.1, 0.7, 0.3, 0.3, 1.1]])
def test_who_acts_on_all_meets_all_events(weight: Any) -> None:
    t = tally(Y, P, weight=weight)
    found = at_budget(t, t.total)
    w = np.ones(5) if weight is None else np.array(weight)
    assert found.true_positives == pytest.approx((w * Y).sum(), rel=1e-15)
    assert found.recall == pytest.approx(1, rel=1e-15)
    assert found.precision == pytest.approx(t.event_rate, rel=1e-15)


def test_weights_and_counts_share_a_budget_out_as_copies_do() -> None:
    number = np.array([2, 1, 3, 1, 2])
    copied = at_budget(tally(np.repeat(Y, number), np.repeat(P, number)), 4, threshold=0.3)
    assert at_budget(tally(Y, P, count=number), 4, threshold=0.3) == copied
    assert at_budget(tally(Y, P, weight=number), 4, threshold=0.3) == copied


def test_a_budget_that_ends_at_a_threshold_is_that_threshold() -> None:
    rng = np.random.default_rng(3)
    p = rng.random(60).round(1)
    t = tally(rng.random(60) < p, p)
    for c in (0.1, 0.4, 0.7):
        acted = at_threshold(t, c)
        found = at_budget(t, acted.acted * t.total, threshold=c)
        assert found.net_benefit == pytest.approx(acted.net_benefit, rel=1e-12)
        assert found.regret == pytest.approx(acted.regret, rel=1e-12)
        assert found.precision == pytest.approx(acted.precision, rel=1e-12)
        assert found.recall == pytest.approx(acted.true_positive_rate, rel=1e-12)


def test_without_events_there_is_no_recall() -> None:
    found = at_budget(tally([0, 0], [0.2, 0.4]), 1, threshold=0.5)
    assert math.isnan(found.recall)
    assert (found.precision, found.net_benefit, found.regret) == (0.0, -0.5, 0.25)


def test_a_single_case() -> None:
    found = at_budget(tally([1], [0.0]), 1, threshold=0)
    assert (found.true_positives, found.recall, found.border) == (1, 1, 0.0)
    assert (found.net_benefit, found.regret) == (1, 0)


def test_less_than_a_case_is_a_budget_of_weight_only() -> None:
    with pytest.raises(DataError, match=r"a budget is a number of cases, 1 or more; got 0\.5"):
        at_budget(tally([1, 0], [0.5, 0.2]), 0.5)
    for scale in (0.5, 1, 7):
        t = tally([1, 0], [0.5, 0.2], weight=[scale, 3 * scale])
        assert at_budget(t, 0.25).recall == pytest.approx(0.25 / scale)
    with pytest.raises(DataError, match="a budget is a number of cases"):
        at_budget(tally([1, 0], [0.5, 0.2], weight=[0.5, 0.5]), 0.5)


def test_all_of_the_weight_is_a_budget_however_it_was_added_up() -> None:
    weight = np.random.default_rng(3).random(101)
    t = tally(np.arange(101) % 2, np.arange(101) / 100, weight=weight)
    for total in (weight.sum(), weight[::-1].sum(), math.fsum(weight) * (1 + 1e-15)):
        assert at_budget(t, total).recall == pytest.approx(1, rel=1e-12)
