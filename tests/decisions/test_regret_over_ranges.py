"""Regret over ranges of thresholds, and how far off it may be."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from tests.score_oracles import corrected

from properly import Cases, tally
from properly.counts._scoring import mean_score
from properly.decisions._best_by_range import (
    PricedModel,
    difference_errors,
    over_ranges,
    piece_costs,
    pieces_between,
    sample_of,
)
from properly.decisions._elementary import outcomes, rows_of
from properly.rules import (
    BetaWeighted,
    BinaryRule,
    Bounded,
    Brier,
    Elementary,
    HistogramWeighted,
    Log,
    Misclassification,
    Mixture,
    PointWeighted,
    Spherical,
)

EDGES = np.array([0.05, 0.1, 0.3, 0.35, 0.5, 0.8])
RULES = {
    "uniform": Brier(),
    "logit": Log(),
    "Beta": BetaWeighted(2, 8),
    "histogram": HistogramWeighted([0.2, 0.3, 0.6], [1, 3]),
    "points on edges and off": PointWeighted([0.1, 0.3, 0.42], [1, 2, 3]),
    "one half": Misclassification(),
    "mixture": Mixture([(1, Spherical()), (2, Elementary(0.3))]),
}
every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def drawn(seed: int, n: int = 120, decimals: int = 2) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return y, np.clip(0.3 * y + 0.7 * rng.random((3, n)), 0, 1).round(decimals), rng


@every_rule
@pytest.mark.parametrize("weights", ["none", "whole", "fractional"])
def test_a_piece_costs_what_the_bounded_rule_says(rule: BinaryRule, weights: str) -> None:
    y, (p, *_), rng = drawn(1)
    weight = {"none": None, "whole": rng.integers(0, 4, 120), "fractional": rng.random(120)}
    t = tally(y, p, weight=weight[weights])
    found = piece_costs(pieces_between(EDGES, rule), outcomes(t))
    expected = [mean_score(t, Bounded(rule, (a, b), scale="integral")) for a, b in pairwise(EDGES)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("p", [[0.0, 0.0], [1.0, 1.0], [0.05, 0.8], [0.01, 0.99]])
def test_forecasts_at_and_beyond_the_edges_are_all_right_or_all_wrong(p: list[float]) -> None:
    t = tally([0, 1], p)
    found = piece_costs(pieces_between(EDGES, Brier()), outcomes(t))
    whole = mean_score(t, Bounded(Brier(), (0.05, 0.8), scale="integral"))
    assert found.sum() == pytest.approx(whole, rel=1e-14)


def test_ranges_are_sums_of_pieces() -> None:
    found = over_ranges(np.array([[1.0, np.inf, 4.0, 8.0]]))
    assert found.shape == (5, 5)
    np.testing.assert_array_equal(found[0], [np.nan, 1, np.inf, np.inf, np.inf])
    np.testing.assert_array_equal(found[2], [np.nan, np.nan, np.nan, 4, 12])
    assert np.isnan(found[np.tril_indices(5)]).all()


def spread_by_hand(difference: Any, weight: Any, clusters: Any) -> float:
    """Return the standard error of a weighted mean, from its definition."""
    total = weight.sum()
    away = weight * (difference - np.average(difference, weights=weight)) / total
    if clusters is not None:
        sums, size = (
            np.array([x[clusters == label].sum() for label in np.unique(clusters)])
            for x in (away, weight)
        )
        return float(np.sqrt(np.sum(corrected(size)[0] * sums**2)))
    effective = total**2 / np.sum(weight**2)
    return float(np.sqrt(np.sum(away**2) * effective / (effective - 1)))


def errors_of(
    rule: BinaryRule, y: Any, forecasts: Any, first: int, second: int, **known: Any
) -> Any:
    """Find the standard errors of one difference over all ranges."""
    pieces = pieces_between(EDGES, rule)
    cases = [Cases(y, p, **known) for p in forecasts]
    rivals = [PricedModel(c.p, piece_costs(pieces, outcomes(c.tally()))) for c in cases]
    shape = (len(EDGES), len(EDGES))
    return difference_errors(
        pieces, sample_of(rows_of(cases[0])), rivals, np.full(shape, first), np.full(shape, second)
    )


@pytest.mark.slow
@every_rule
@pytest.mark.parametrize("design", ["independent", "weights", "whole", "clusters", "both"])
def test_errors_are_those_of_differences_row_by_row(rule: BinaryRule, design: str) -> None:
    y, forecasts, rng = drawn(2)
    known: dict[str, Any] = {}
    if design in ("weights", "both"):
        known["weight"] = rng.exponential(size=120)
    if design == "whole":
        known["weight"] = rng.integers(1, 6, 120)
    if design in ("clusters", "both"):
        known["clusters"] = rng.integers(0, 25, 120)
    found = errors_of(rule, y, forecasts, 2, 0, **known)
    for i, j in combinations(range(len(EDGES)), 2):
        bounded = Bounded(rule, (EDGES[i], EDGES[j]), scale="integral")
        difference = bounded.loss(y, forecasts[2]) - bounded.loss(y, forecasts[0])
        weight = known.get("weight", np.ones(120))
        expected = spread_by_hand(difference, weight, known.get("clusters"))
        assert found[i, j] == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_a_count_is_that_many_cases_and_the_scale_of_weights_does_not_matter() -> None:
    y, forecasts, rng = drawn(3)
    number = rng.integers(0, 4, 120)
    once = errors_of(Brier(), y, forecasts, 0, 1, count=number)
    often = errors_of(Brier(), y.repeat(number), forecasts.repeat(number, axis=1), 0, 1)
    np.testing.assert_array_equal(once, often)
    weighted, scaled = (errors_of(Brier(), y, forecasts, 0, 1, weight=number * k) for k in (1, 7))
    np.testing.assert_allclose(weighted, scaled, rtol=1e-12)
    assert np.nanmin(weighted / once) > 1.1


def test_models_may_differ_from_range_to_range() -> None:
    y, forecasts, _ = drawn(5)
    each = {pair: errors_of(Brier(), y, forecasts, *pair) for pair in ((0, 1), (2, 1))}
    pieces = pieces_between(EDGES, Brier())
    rivals = [PricedModel(p, piece_costs(pieces, outcomes(tally(y, p)))) for p in forecasts]
    first = np.full((6, 6), -1)
    second = first.copy()
    first[0, 3], second[0, 3] = 1, 0
    first[1, 4], second[1, 4] = 2, 1
    found = difference_errors(
        pieces, sample_of(rows_of(Cases(y, forecasts[0]))), rivals, first, second
    )
    assert found[0, 3] == pytest.approx(each[0, 1][0, 3], rel=1e-12)
    assert found[1, 4] == pytest.approx(each[2, 1][1, 4], rel=1e-12)
    assert np.isnan(found).sum() == 34


def test_a_single_case_does_not_tell_its_spread() -> None:
    found = errors_of(Brier(), [1], np.array([[0.2], [0.4]]), 0, 1)
    assert np.isnan(found).all()
