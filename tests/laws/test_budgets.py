"""What holds for every budget, and for every model of the same cases."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given

import properly

from .subjects import EPS, Rows, many, models, tally_of

if TYPE_CHECKING:
    from collections.abc import Sequence


def order(values: Sequence[float | None]) -> list[float]:
    """Say of each pair which is greater; what differs by rounding alone is equal."""
    known = [value for value in values if value is not None]
    assert len(known) == len(values)
    return [float(np.sign(round(a - b, 11))) for a, b in combinations(known, 2)]


@many
@given(drawn=models)
def test_all_that_is_said_of_a_budget_ranks_models_alike(drawn: tuple[Rows, ...]) -> None:
    tallies = [tally_of(found) for found in drawn]
    for budget in range(1, len(drawn[0].y) + 1):
        for c in (0.01, 0.1, 0.5, 0.9):
            at = [properly.decisions.at_budget(tally, budget, threshold=c) for tally in tallies]
            hits = order([one.true_positives for one in at])
            assert order([one.precision for one in at]) == hits
            assert order([one.recall for one in at]) == hits
            assert order([one.net_benefit for one in at]) == hits
            assert order([one.regret for one in at]) == [-sign for sign in hits]


@many
@given(drawn=models)
def test_a_tie_at_the_border_of_a_budget_is_split_by_expectation(drawn: tuple[Rows, ...]) -> None:
    for found in drawn:
        tally, n = tally_of(found), len(found.y)
        events = int(found.y.sum())
        for budget in range(1, n + 1):
            at = properly.decisions.at_budget(tally, budget, threshold=0.25)
            border = sorted(found.p, reverse=True)[budget - 1]
            above, tied = found.y[found.p > border], found.y[found.p == border]
            hits = int(above.sum()) + Fraction(budget - len(above), len(tied)) * int(tied.sum())
            assert at.border == border
            assert at.border_cases == len(tied)
            assert at.true_positives == pytest.approx(float(hits), rel=8 * EPS)
            assert at.precision == pytest.approx(float(hits / budget), rel=8 * EPS)
            assert at.recall == pytest.approx(float(hits / events), rel=8 * EPS)
            cost = Fraction(1, 4) * (budget - hits) + Fraction(3, 4) * (events - hits)
            assert at.regret == pytest.approx(float(cost / n), rel=8 * EPS, abs=4 * EPS)
            benefit = (hits - (budget - hits) / 3) / n
            assert at.net_benefit == pytest.approx(float(benefit), rel=8 * EPS, abs=4 * EPS)
