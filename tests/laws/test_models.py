"""What holds when several models of the same cases are compared."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import properly
from properly.rules import BetaWeighted, Regret

from .oracles import BETA_ROUNDED, ROUNDED, beta, exact_regret, logit, mean_ranks, uniform
from .subjects import Rows, many, models, tally_of, thresholds

if TYPE_CHECKING:
    from properly import Tally

    from .oracles import Costs

PRIORS: list[tuple[Any, Costs]] = [
    ("uniform", uniform),
    ("logit", logit),
    (BetaWeighted(2, 8), beta(2, 8)),
]


def named(drawn: tuple[Rows, ...]) -> dict[str, Tally]:
    return dict(zip("abc", (tally_of(found) for found in drawn), strict=True))


def ranked(drawn: tuple[Rows, ...], c: float) -> list[float]:
    return mean_ranks([exact_regret(found, Fraction(c)) for found in drawn])


@many
@given(drawn=models)
def test_the_ranks_at_a_threshold_are_those_of_the_regrets(drawn: tuple[Rows, ...]) -> None:
    ranks = properly.decisions.rank_by_threshold(named(drawn))
    assert ranks.models == ("a", "b", "c")
    assert (ranks.edges[0], ranks.edges[-1]) == (0, 1)
    expected = [ranked(drawn, float(low + (high - low) / 3)) for low, high in pairwise(ranks.edges)]
    np.testing.assert_array_equal(np.asarray(ranks.rank).T, expected)


@many
@given(drawn=models, prior=st.sampled_from(PRIORS))
def test_the_share_of_the_best_is_its_share_of_the_belief(
    drawn: tuple[Rows, ...], prior: tuple[Any, Costs]
) -> None:
    belief, costs = prior
    ranks = properly.decisions.rank_by_threshold(named(drawn), within=(0.05, 0.9))
    assert (ranks.edges[0], ranks.edges[-1]) == (0.05, 0.9)
    shares = dict.fromkeys("abc", 0.0)
    for low, high in pairwise(ranks.edges.tolist()):
        places = ranked(drawn, low + (high - low) / 3)
        best = [name for name, place in zip("abc", places, strict=True) if place == min(places)]
        for name in best:
            shares[name] += float(sum(costs(Decimal(low), Decimal(high)))) / len(best)
    whole = math.fsum(shares.values())
    expected = {name: share / whole for name, share in shares.items()}
    assert ranks.share_best(belief) == pytest.approx(expected, rel=0, abs=BETA_ROUNDED)


@many
@given(drawn=models, c=thresholds)
def test_differences_of_net_benefit_are_those_of_regret(drawn: tuple[Rows, ...], c: float) -> None:
    first, second = (properly.Cases(found.y, found.p) for found in drawn[:2])
    regrets = [exact_regret(found, Fraction(c)) for found in drawn[:2]]
    expected = -float((regrets[0] - regrets[1]) / (1 - Fraction(c)))
    got = properly.decisions.decision_difference(first, second, [c]).net_benefit
    assert got.tolist() == pytest.approx([expected], rel=0, abs=ROUNDED / (1 - c))


@given(drawn=models)
def test_the_best_over_a_range_has_the_least_mean_regret(drawn: tuple[Rows, ...]) -> None:
    edges = [0.0, 0.05, 0.2, 0.5, 1.0]
    found = properly.decisions.best_by_range(named(drawn), edges=edges, baselines=False)
    for i, low in enumerate(edges):
        for j, high in enumerate(edges):
            if high <= low:
                assert found.best[i, j] == -1
                assert np.isnan(found.margin[i, j])
                continue
            expected = [Regret((low, high))(rows.y, rows.p) for rows in drawn]
            np.testing.assert_allclose(found.mean_regret[:, i, j], expected, rtol=0, atol=1e-14)
            least, second = sorted(expected)[:2]
            assert expected[found.best[i, j]] == pytest.approx(least, rel=0, abs=1e-14)
            assert found.margin[i, j] == pytest.approx(second - least, rel=0, abs=1e-14)
