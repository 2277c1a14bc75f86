"""Which model is best at which threshold."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit
from scipy.stats import beta
from tests.examples import examples
from tests.laws.oracles import exact_regret, mean_ranks
from tests.laws.subjects import Rows

from properly import Cases, Interval, Tally, murphy_curve, tally
from properly.counts import baselines
from properly.decisions import rank_by_threshold
from properly.rules import BetaWeighted, Elementary, PointWeighted

if TYPE_CHECKING:
    from properly.decisions._best_by_threshold import ThresholdRanks

Y = [0, 0, 1, 1]
BOLD, SHY = [0.1, 0.6, 0.6, 0.9], [0.1, 0.2, 0.2, 0.9]
TWO = {"bold": tally(Y, BOLD), "shy": tally(Y, SHY)}


def assert_ranks_are_exact(
    found: ThresholdRanks, y: Any, forecasts: list[Any], weight: Any = None
) -> None:
    """Compare with the definition inside every piece, but at no round number.

    Two models may be equal at a single threshold, and remain in the same order on both sides of it.
    """
    columns = [Rows(*map(np.array, (y, p, weight or [1] * len(y)))) for p in forecasts]
    for k, (lower, upper) in enumerate(pairwise(found.edges)):
        a, b = Fraction(float(lower)), Fraction(float(upper))
        for share in (Fraction(1, 1009), Fraction(499, 997), Fraction(1008, 1009)):
            c = a + share * (b - a)
            expected = mean_ranks([exact_regret(rows, c) for rows in columns])
            assert found.rank[:, k].tolist() == expected, float(c)


@st.composite
def samples(draw: st.DrawFn) -> tuple[list[int], list[list[float]], list[int]]:
    n = draw(st.integers(2, 12))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    tenths = st.integers(0, 10).map(lambda k: k / 10)
    column = st.lists(tenths, min_size=n, max_size=n)
    forecasts = draw(st.lists(column, min_size=2, max_size=5))
    return y, forecasts, draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))


def models_of(y: Any, forecasts: list[Any], weight: Any = None) -> dict[str, Tally | Cases]:
    return {str(k): tally(y, p, weight=weight) for k, p in enumerate(forecasts)}


def test_two_lines_cross_where_their_mistakes_cost_the_same() -> None:
    found = rank_by_threshold(TWO)
    assert found.models == ("bold", "shy")
    assert found.edges.tolist() == [0, 0.2, 0.5, 0.6, 1]
    assert found.rank.tolist() == [[1.5, 1, 2, 1.5], [1.5, 2, 1, 1.5]]
    assert found.within == Interval(0, 1)


def test_a_crossing_is_the_quotient_of_whole_numbers() -> None:
    y = [0, 0, 1]
    # Between the forecasts: two acted upon in vain against one missed, so 2 c = 1 - c.
    found = rank_by_threshold({"bold": tally(y, [0.8, 0.8, 0.8]), "shy": tally(y, [0.1, 0.1, 0.1])})
    assert found.edges.tolist() == [0, 0.1, 1 / 3, 0.8, 1]
    assert found.rank[0].tolist() == [1.5, 1, 2, 1.5]


@examples(60)
@given(samples())
def test_ranks_are_those_of_the_definition_on_pieces_as_long_as_they_can_be(
    sample: tuple[list[int], list[list[float]], list[int]],
) -> None:
    y, forecasts, weight = sample
    found = rank_by_threshold(models_of(y, forecasts))
    assert_ranks_are_exact(found, y, forecasts)
    assert found.edges[[0, -1]].tolist() == [0, 1]
    assert (np.diff(found.edges) > 0).all()
    assert (found.rank[:, 1:] != found.rank[:, :-1]).any(axis=0).all()
    weighted = rank_by_threshold(models_of(y, forecasts, weight))
    assert_ranks_are_exact(weighted, y, forecasts, weight)


@examples(60)
@given(samples())
def test_fractional_weights_rank_as_whole_ones_do(
    sample: tuple[list[int], list[list[float]], list[int]],
) -> None:
    """Tenths are not exact, and their sums depend on the order; ties must not."""
    y, forecasts, weight = sample
    whole = rank_by_threshold(models_of(y, forecasts, weight))
    tenths = rank_by_threshold(models_of(y, forecasts, np.array(weight) / 10))
    np.testing.assert_allclose(tenths.edges, whole.edges, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(tenths.rank, whole.rank)


def test_many_forecasts_rank_as_their_murphy_curves_do() -> None:
    rng = np.random.default_rng(5)
    y = rng.random(400) < 0.3
    models = {
        f"model {k}": tally(y, np.clip(0.3 * y + 0.7 * rng.random(400), 0, 1)) for k in range(4)
    }
    found = rank_by_threshold(models)
    at = rng.random(2000)
    height = np.stack([murphy_curve(t).at(at) for t in models.values()])
    rank = found.rank[:, np.searchsorted(found.edges, at) - 1]
    lowest = np.take_along_axis(height, np.argsort(rank, axis=0), axis=0)
    assert (np.diff(lowest, axis=0) >= -1e-15).all()
    assert found.rank.shape[1] > 100


def test_equal_models_share_the_mean_of_their_ranks() -> None:
    same = tally(Y, SHY)
    found = rank_by_threshold({"a": same, "b": same, "c": Cases(Y, SHY)})
    assert found.edges.tolist() == [0, 1]
    assert found.rank.tolist() == [[2.0]] * 3
    assert repr(found) == "ThresholdRanks(3 models on 1 piece of (0, 1))"


def test_within_cuts_the_pieces_and_nothing_else() -> None:
    found = rank_by_threshold(TWO, within=(0.3, 0.55))
    assert found.edges.tolist() == [0.3, 0.5, 0.55]
    assert found.rank.tolist() == [[1, 2], [2, 1]]
    assert found.within == Interval(0.3, 0.55)
    # An end on a forecast looks to the inside of the range.
    assert rank_by_threshold(TWO, within=(0.2, 0.5)).rank.tolist() == [[1], [2]]
    assert rank_by_threshold(TWO, within=Interval(0.6, 1)).rank.tolist() == [[1.5], [1.5]]


def test_the_event_rate_is_the_better_of_all_and_none() -> None:
    t = tally([0, 0, 0, 1], [0.1, 0.2, 0.2, 0.9])
    found = rank_by_threshold(baselines(t))
    assert found.edges.tolist() == [0, 0.25, 1]
    assert found.rank.tolist() == [[1.5, 3], [3, 1.5], [1.5, 1.5]]


@pytest.mark.parametrize("make", [tally, Cases])
def test_baselines_are_ranked_after_the_models(make: Any) -> None:
    models = {"bold": make(Y, BOLD), "shy": make(Y, SHY)}
    found = rank_by_threshold(models, baselines=True)
    written_out = rank_by_threshold({**models, **baselines(models["bold"])})
    assert found.models == ("bold", "shy", "treat all", "treat none", "event rate")
    assert found.models == written_out.models
    np.testing.assert_array_equal(found.edges, written_out.edges)
    np.testing.assert_array_equal(found.rank, written_out.rank)


def test_shares_of_thresholds_add_up_and_ties_are_split() -> None:
    found = rank_by_threshold(TWO)
    share = found.share_best()
    assert share["bold"] == pytest.approx(0.1 + 0.3 + 0.2, abs=1e-15)
    assert share["shy"] == pytest.approx(0.1 + 0.1 + 0.2, abs=1e-15)


def test_a_prior_weighs_the_thresholds() -> None:
    found = rank_by_threshold(TWO, within=(0.2, 0.6))
    length = logit([0.2, 0.5, 0.6])
    assert found.share_best("logit")["bold"] == pytest.approx(
        (length[1] - length[0]) / (length[2] - length[0]), rel=1e-14
    )
    mass = beta(2, 8).cdf([0.2, 0.5, 0.6])
    assert found.share_best(BetaWeighted(2, 8))["shy"] == pytest.approx(
        (mass[2] - mass[1]) / (mass[2] - mass[0]), rel=1e-12
    )


def test_a_point_mass_counts_where_its_threshold_acts() -> None:
    found = rank_by_threshold(TWO)
    # At 0.6 itself the forecasts of 0.6 still act; above they do not.
    assert found.share_best(Elementary(0.6)) == {"bold": 0, "shy": 1}
    assert found.share_best(Elementary(0.61)) == {"bold": 0.5, "shy": 0.5}
    assert found.share_best(PointWeighted([0.3, 0.55], [3, 1])) == pytest.approx(
        {"bold": 0.75, "shy": 0.25}, rel=1e-15
    )


def test_rounding_of_weights_does_not_make_other_outcomes() -> None:
    weight = [0.1, 0.2, 0.3]
    models = {
        "a": tally(Y[1:], SHY[1:], weight=weight),
        "b": tally(Y[1:], [0.5] * 3, weight=weight),
    }
    assert rank_by_threshold(models).models == ("a", "b")
