"""Forecasts of several losses and seeds, judged on the same cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from reproductions.epochs import effects
from reproductions.epochs.data import GRADES
from reproductions.epochs.ordinal_training import MEASURES

import properly
from properly.datasets import crash
from properly.rules import RPS, Bounded, Brier, MissedBenefit

WITHIN = (0.01, 0.1)


def injuries() -> tuple[Any, Any, effects.Truth]:
    data = crash()
    known = data.severity_known
    y, p = data.severity[known], data.severity_probabilities[known]
    return y, p, effects.Truth(y, data.cluster[known])


def deaths() -> tuple[dict[str, Any], effects.Truth]:
    data = crash()
    return data.forecasts, effects.Truth(data.died, data.cluster)


def effect(**changes: Any) -> effects.Effect:
    made: dict[str, Any] = dict.fromkeys(
        ("value", "spread", "difference", "error", "seeds", "pooled"), 0.0
    )
    made |= {"model": "m", "loss": "RPS", "by": "RPS", "measure": "RPS", "better": 0, "runs": 4}
    made |= dict.fromkeys(("pooled_difference", "pooled_error", "p_value"), 0.0)
    return effects.Effect(**(made | changes))


def test_standard_errors_are_those_of_compare() -> None:
    forecasts, truth = deaths()
    rule = Bounded(Brier(), WITHIN)
    one, other = forecasts["boosting"], forecasts["logistic"]
    found = properly.compare(
        truth.y, {"one": one, "other": other}, rule=rule, clusters=truth.clusters, rng=0
    )["one", "other"]
    gaps = rule.loss(truth.y, one) - rule.loss(truth.y, other)
    assert effects.clustered_error(gaps, truth.clusters) == pytest.approx(
        found.standard_error, rel=1e-12
    )
    by_rule = effects.paired(one, other, truth, effects.score(rule))
    by_cases = effects.paired(one, other, truth, effects.Measure(rule.loss))
    assert by_rule == pytest.approx(by_cases, rel=1e-9)
    assert by_rule == (found.difference, found.standard_error, found.p_value)


def test_cases_by_themselves_have_the_usual_standard_error() -> None:
    x = np.random.default_rng(1).normal(size=50)
    assert effects.clustered_error(x, np.arange(50)) == pytest.approx(
        np.std(x, ddof=1) / np.sqrt(50)
    )
    # Twice the same case is one case.
    twice = effects.clustered_error(np.repeat(x, 2), np.repeat(np.arange(50), 2))
    assert twice == pytest.approx(np.std(x, ddof=1) / np.sqrt(50))


def test_more_benefit_is_better_and_has_the_sign_of_benefit() -> None:
    forecasts, truth = deaths()
    one, other = forecasts["logistic"], forecasts["forest"]
    gain, error, p_value = effects.paired(one, other, truth, effects.mean_benefit(WITHIN))
    tallies = [properly.tally(truth.y, p) for p in (one, other)]
    by_hand = [properly.decisions.mean_net_benefit(t, WITHIN) for t in tallies]
    assert gain == pytest.approx(by_hand[0] - by_hand[1])
    assert gain > 4 * error
    assert p_value < 0.001
    cases = effects.mean_benefit(WITHIN).cases(truth.y, one)
    assert cases.mean() == pytest.approx(by_hand[0])
    assert cases == pytest.approx(truth.y - Bounded(MissedBenefit(), WITHIN).loss(truth.y, one))


def test_kappa_is_the_mean_of_its_cases() -> None:
    y, p, _ = injuries()
    d = np.argmax(p, axis=1)
    cases = effects.kappa_cases(y, d, len(GRADES))
    assert cases.mean() == pytest.approx(properly.quadratic_weighted_kappa(y, d, len(GRADES)))


def test_the_variance_of_kappa_is_that_of_resamples() -> None:
    y, p, _ = injuries()
    d, rng = np.argmax(p, axis=1), np.random.default_rng(4)
    drawn = (rng.integers(len(y), size=len(y)) for _ in range(600))
    kappas = [properly.quadratic_weighted_kappa(y[i], d[i], len(GRADES)) for i in drawn]
    error = effects.clustered_error(effects.kappa_cases(y, d, len(GRADES)), np.arange(len(y)))
    assert error == pytest.approx(np.std(kappas), rel=0.1)


def test_miscalibration_is_that_of_the_decomposition() -> None:
    y, p, _ = injuries()
    parts = properly.decompose(properly.Cases(y, p), RPS())
    assert effects.miscalibration_cases(y, p).mean() == pytest.approx(parts.miscalibration)
    # Ties are one forecast: ten different ones would be recalibrated one by one.
    rounded = np.tile([0.2, 0.2, 0.2, 0.2, 0.2], (len(y), 1))
    flat = properly.decompose(properly.Cases(y, rounded), RPS())
    assert effects.miscalibration_cases(y, rounded).mean() == pytest.approx(flat.miscalibration)


def test_costs_and_kappas_are_of_both_decisions() -> None:
    y, p, _ = injuries()
    for way, name in (("zero_one", "likeliest"), ("quadratic", "best")):
        d = properly.decisions.decide(p, way)
        cost = properly.expected_cost(y, d, classes=5)
        assert MEASURES[f"cost, {name}"].cases(y, p).mean() == pytest.approx(cost)
        kappa = properly.quadratic_weighted_kappa(y, d, 5)
        assert MEASURES[f"kappa, {name}"].cases(y, p).mean() == pytest.approx(kappa)
    assert [name for name, m in MEASURES.items() if m.larger] == ["kappa, likeliest", "kappa, best"]


def test_effects_by_hand() -> None:
    forecasts, truth = deaths()
    y, rule = truth.y, Brier()
    usual = np.stack([forecasts["logistic"], forecasts["boosting"]])
    other = np.stack([forecasts["forest"], forecasts["logistic"]])
    told = {"log": usual, "other": other}
    first, second = effects.judged("m", "b", told, truth, {"Brier": effects.score(rule)})
    assert (first.loss, first.difference, first.error, first.better) == ("log", 0, 0, 0)
    assert math.isnan(first.p_value)
    values = [rule(y, p) for p in other]
    gaps = [rule(y, p) - rule(y, q) for p, q in zip(other, usual, strict=True)]
    assert (second.model, second.loss, second.by, second.measure) == ("m", "other", "b", "Brier")
    assert (second.value, second.spread) == pytest.approx((np.mean(values), np.std(values, ddof=1)))
    found = (second.difference, second.seeds)
    assert found == pytest.approx((np.mean(gaps), np.std(gaps, ddof=1)))
    # The forest is worse than the regression, which is better than boosting.
    assert (second.better, second.runs) == (1, 2)
    assert second.pooled == pytest.approx(rule(y, other.mean(axis=0)))
    mean = rule(y, other.mean(axis=0)) - rule(y, usual.mean(axis=0))
    assert second.pooled_difference == pytest.approx(mean)
    averaged = np.mean(
        [rule.loss(y, p) - rule.loss(y, q) for p, q in zip(other, usual, strict=True)], 0
    )
    assert second.error == pytest.approx(effects.clustered_error(averaged, truth.clusters))


def test_forecasts_that_lead_to_the_same_decisions_have_no_p_value() -> None:
    _, p, truth = injuries()
    sharper = p**2 / np.sum(p**2, axis=1, keepdims=True)
    found = effects.paired(sharper, p, truth, MEASURES["cost, likeliest"])
    assert found[:2] == (0, 0)
    assert math.isnan(found[2])


def test_chance_knows_cases_and_seeds() -> None:
    only_cases = effect(difference=0.02, error=0.01)
    assert only_cases.chance == pytest.approx(0.0455, abs=5e-5)
    both = effect(difference=0.02, error=0.006, seeds=0.016)
    assert both.combined == pytest.approx(0.01)
    # Seeds have 0.64 of the variance, and 3 degrees of freedom.
    assert both.chance == pytest.approx(effects.two_sided(2, 3 / 0.64**2))
    assert both.chance > only_cases.chance
    assert math.isnan(effect().chance)


def test_clear_differences_are_counted_by_which_way_is_better() -> None:
    kappa = effects.Measure(effects.kappa_cases, larger=True)  # type: ignore[arg-type]
    measures = {"RPS": effects.score(RPS()), "kappa": kappa}
    clear = {"error": 0.01, "seeds": 0.0}
    found = [
        effect(difference=0.1, **clear),
        effect(difference=-0.1, **clear),
        effect(difference=-0.1, measure="kappa", **clear),
        effect(difference=0.01, **clear),
        effect(),
    ]
    assert effects.counted(found, measures) == (
        "Of 5 differences from the log score, 1 are for the better (RPS, m, RPS) and 2 for the "
        "worse with p < 0.05, of accidents and seeds together; by chance alone there would be 0.2."
    )
    assert effects.counted(found[2:], measures).startswith(
        "Of 3 differences from the log score, 0 are for the better and 1 for the worse with"
    )
