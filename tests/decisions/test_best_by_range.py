"""Which model is best over which range of thresholds."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from tests.score_oracles import corrected

from properly import Cases, rules, tally
from properly.counts import baselines
from properly.counts._scoring import mean_score
from properly.decisions import best_by_range
from properly.errors import DataError

Y = [0, 0, 1, 1]
BOLD, SHY = [0.1, 0.6, 0.6, 0.9], [0.1, 0.2, 0.2, 0.9]
TWO = {"bold": tally(Y, BOLD), "shy": tally(Y, SHY)}
EDGES = [0.05, 0.1, 0.3, 0.35, 0.5, 0.8]
PRIORS = {
    "uniform": "uniform",
    "logit": "logit",
    "Beta": rules.BetaWeighted(2, 8),
    "histogram": rules.HistogramWeighted([0.2, 0.3, 0.6], [1, 3]),
    "points": rules.PointWeighted([0.1, 0.3, 0.42, 0.7], [1, 2, 3, 1]),
    "one half": rules.Misclassification(),
    "mixture": rules.Mixture([(1, rules.Spherical()), (2, rules.Elementary(0.3))]),
}


def drawn(seed: int, n: int = 150) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return y, np.clip(0.3 * y + 0.7 * rng.random((3, n)), 0, 1).round(2), rng


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
@pytest.mark.parametrize("weights", ["none", "whole", "fractional"])
def test_every_value_is_the_mean_of_its_rule(prior: Any, weights: str) -> None:
    y, forecasts, rng = drawn(1)
    weight = {"none": None, "whole": rng.integers(0, 4, 150), "fractional": rng.random(150)}
    models = {str(k): tally(y, p, weight=weight[weights]) for k, p in enumerate(forecasts)}
    found = best_by_range(models, edges=EDGES, prior=prior)
    everyone = {**models, **baselines(models["0"])}
    assert found.models == tuple(everyone)
    for i, j in combinations(range(len(EDGES)), 2):
        within = (EDGES[i], EDGES[j])
        if found.best[i, j] < 0:
            with pytest.raises(DataError, match="a mean needs a prior of positive, finite mass"):
                rules.Regret(within, prior)
            continue
        rule = rules.Regret(within, prior)
        expected = [mean_score(t, rule) for t in everyone.values()]
        np.testing.assert_allclose(found.mean_regret[:, i, j], expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
def test_the_best_has_the_least_and_its_margin_is_to_the_next(prior: Any) -> None:
    y, forecasts, _ = drawn(2)
    models = {str(k): tally(y, p) for k, p in enumerate(forecasts)}
    found = best_by_range(models, edges=EDGES, prior=prior, baselines=False)
    usable = found.best >= 0
    mean = np.sort(found.mean_regret[:, usable], axis=0)
    best, second = (
        np.take_along_axis(found.mean_regret[:, usable], x[usable][None], axis=0)[0]
        for x in (found.best, found.second)
    )
    np.testing.assert_array_equal(best, mean[0])
    np.testing.assert_array_equal(second, mean[1])
    np.testing.assert_array_equal(found.margin[usable], mean[1] - mean[0])
    assert (found.best[usable] != found.second[usable]).all()


def test_ranges_without_mass_or_with_too_much_have_no_winner() -> None:
    found = best_by_range(TWO, edges=[0, 0.2, 0.4, 1], prior="logit")
    assert (found.best >= 0).tolist() == [
        [False, False, False, False],
        [False, False, True, False],
        [False, False, False, False],
        [False, False, False, False],
    ]
    assert (np.isnan(found.margin) == (found.best < 0)).all()
    assert (np.isnan(found.mean_regret) == (found.best < 0)).all()
    nowhere = best_by_range(TWO, edges=[0.5, 0.6], prior=rules.HistogramWeighted([0.1, 0.3], [1]))
    assert nowhere.best.max() == nowhere.second.max() == -1
    assert repr(nowhere) == "RangeMap(5 models over 0 ranges)"


def test_a_tie_goes_to_the_later_model() -> None:
    same = tally(Y, SHY)
    found = best_by_range({"a": same, "b": same}, edges=[0.1, 0.4], baselines=False)
    assert (found.best[0, 1], found.second[0, 1], found.margin[0, 1]) == (1, 0, 0)


def test_a_model_that_treats_none_is_no_better_than_that() -> None:
    timid = tally([0, 0, 0, 1], [0.01, 0.01, 0.02, 0.03])
    found = best_by_range({"timid": timid}, edges=[0.3, 0.5])
    assert found.models[found.best[0, 1]] == "treat none"
    assert found.models[found.second[0, 1]] == "timid"
    assert found.margin[0, 1] == 0


def test_the_event_rate_competes_only_where_it_is_not_another_baseline() -> None:
    poor = tally([0, 0, 0, 1], [0.9, 0.9, 0.9, 0.1])
    found = best_by_range({"poor": poor}, edges=[0.1, 0.2, 0.25, 0.3, 0.6])
    names = np.array(found.models)
    assert names[found.best[0, 1:]].tolist() == [
        "treat all",
        "treat all",
        "event rate",
        "event rate",
    ]
    assert names[found.best[2, 3:]].tolist() == ["treat none", "treat none"]
    # The margin of a baseline is not that over itself under another name.
    assert (found.margin[found.best >= 0] > 1e-3).all()
    assert "event rate" not in names[found.second[found.best >= 0]]


def test_a_point_mass_on_one_side_makes_the_event_rate_a_baseline_again() -> None:
    poor = tally([0, 0, 0, 1], [0.9, 0.9, 0.9, 0.05])
    found = best_by_range({"poor": poor}, edges=[0, 0.5, 1], prior=rules.PointWeighted([0.1]))
    assert found.models[found.best[0, 1]] == "treat all"
    # One missed at 0.9 against three acted upon in vain at 0.1.
    assert found.margin[0, 1] == pytest.approx((0.9 - 3 * 0.1) / 4, rel=1e-14)


def spread_by_hand(difference: Any, weight: Any, clusters: Any) -> float:
    """Return the standard error of a weighted mean, from its definition."""
    total = weight.sum()
    away = weight * (difference - np.average(difference, weights=weight)) / total
    if clusters is not None:
        sums, size = (np.bincount(clusters, x) for x in (away, weight))
        return float(np.sqrt(np.sum(corrected(size)[0] * sums**2)))
    effective = total**2 / np.sum(weight**2)
    return float(np.sqrt(np.sum(away**2) * effective / (effective - 1)))


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
@pytest.mark.parametrize("design", ["independent", "weights", "whole", "clusters", "both"])
def test_errors_are_those_of_paired_differences(prior: Any, design: str) -> None:
    y, forecasts, rng = drawn(3)
    weight, clusters = np.ones(150), None
    if design in ("weights", "both"):
        weight = rng.exponential(size=150)
    if design == "whole":
        weight = rng.integers(1, 6, 150)
    if design in ("clusters", "both"):
        clusters = rng.permutation(np.arange(150) % 25)
    known: dict[str, Any] = {"clusters": clusters}
    if design not in ("independent", "clusters"):
        known["weight"] = weight
    models = {str(k): Cases(y, p, **known) for k, p in enumerate(forecasts)}
    found = best_by_range(models, edges=EDGES, prior=prior)
    assert found.standard_error is not None
    rate = np.average(y, weights=weight)
    constant = {"treat all": 1.0, "treat none": 0.0, "event rate": rate}
    rows = [*forecasts, *(np.full(150, constant[name]) for name in found.models[3:])]
    for i, j in zip(*np.nonzero(found.best >= 0), strict=True):
        rule = rules.Regret((EDGES[i], EDGES[j]), prior)
        best, second = (rule.loss(y, rows[x[i, j]]) for x in (found.best, found.second))
        margin = np.average(second - best, weights=weight)
        assert found.margin[i, j] == pytest.approx(margin, rel=1e-9, abs=1e-14)
        expected = spread_by_hand(second - best, weight, clusters)
        assert found.standard_error[i, j] == pytest.approx(expected, rel=1e-9, abs=1e-15)
    assert np.isnan(found.standard_error[found.best < 0]).all()


def test_a_count_is_that_many_cases_and_the_scale_of_weights_does_not_matter() -> None:
    y, forecasts, rng = drawn(3)
    number = rng.integers(0, 4, 150)

    def errors(times: Any = 1, **known: Any) -> Any:
        models = {
            str(k): Cases(y.repeat(times), p.repeat(times), **known)
            for k, p in enumerate(forecasts)
        }
        return best_by_range(models, edges=EDGES, baselines=False).standard_error

    once = errors(count=number)
    np.testing.assert_array_equal(once, errors(number))
    weighted = errors(weight=number)
    np.testing.assert_allclose(weighted, errors(weight=7 * number), rtol=1e-12)
    assert np.nanmin(weighted / once) > 1.1


def test_the_spread_of_a_single_case_is_unknown() -> None:
    found = best_by_range({"a": Cases([1], [0.2]), "b": Cases([1], [0.4])}, baselines=False)
    assert found.standard_error is not None
    assert np.isnan(found.standard_error).all()


def test_one_tally_among_cases_leaves_no_errors() -> None:
    cases = Cases(Y, BOLD)
    assert best_by_range({"a": cases, "b": cases.tally()}).standard_error is None
    # Nor are its rows, which are not known, compared.
    other = Cases(Y[::-1], BOLD)
    assert best_by_range({"a": cases, "b": other, "c": tally(Y, SHY)}).standard_error is None


def test_one_model_competes_with_the_baselines() -> None:
    found = best_by_range({"model": TWO["bold"]})
    assert found.models == ("model", "treat all", "treat none", "event rate")
    np.testing.assert_array_equal(found.edges, np.arange(51) / 50)
    assert repr(found) == "RangeMap(4 models over 1,275 ranges)"


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (tally([0, 1, 1, 1], SHY), "models are compared on the same cases"),
        (Cases([1, 1, 0, 0], SHY), "in row 0, 'a' and 'b' have the outcomes False and True"),
        (Cases(Y, SHY, clusters=[1, 1, 2, 2]), "only one has clusters"),
        (Cases(Y, SHY, time=[1, 2, 3, 4]), "the standard error of a margin does not allow"),
    ],
)
def test_models_must_have_the_same_cases(other: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        best_by_range({"a": Cases(Y, BOLD), "b": other})
