"""What the coverage study simulates of decisions: bands and intervals at thresholds."""

from __future__ import annotations

import math
from functools import cache
from itertools import chain, product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from scipy.integrate import quad
from scipy.special import beta, betaincc, expit, logit, ndtr

import properly
from studies.coverage.samples import CLUSTERS, MEMBERS, cluster_labels, in_clusters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]
    Facts: TypeAlias = dict[str, Any]
    Finding: TypeAlias = tuple[Facts, Facts]

BAND_LEVEL, INTERVAL_LEVEL = 0.9, 0.95
THRESHOLDS = (0.05, 0.1, 0.2)
# Event probabilities have a Beta distribution, whose mean is the event rate. One of the rates is
# also a threshold, where it is a toss-up whether acting on all or on nobody is better.
PROBABILITIES = {0.06: (0.6, 9.4), 0.1: (1.0, 9.0), 0.32: (1.6, 3.4)}
MODELS = ("calibrated", "miscalibrated")
# The log-odds of the miscalibrated model: too high, too extreme, and blurred.
SHIFT, SLOPE, BLUR = 0.5, 1.2, 0.5
CASES_AND_CONTROLS, DEPLOYED_AT = 200, 0.1
COSTS, LOSS = (5, 20), 100
OF_INTEREST = (
    "net_benefit",
    "regret",
    "skill",
    "true_positive_rate",
    "precision",
    "standardized_net_benefit",
    "interventions_avoided",
)


class Rates(NamedTuple):
    """How often a population is acted upon: with the event, and without."""

    true: float
    false: float


def decision_facts() -> Iterator[tuple[int, Facts]]:
    """List the samples that decisions are studied on, and how often each is drawn."""
    for rate, model, n in product(PROBABILITIES, MODELS, (200, 1000, 5000)):
        facts = {"sample": "independent", "event_rate": rate, "model": model, "n": n}
        yield 1000 if n == 5000 else 2000, facts
    for rate, forecasts in product((0.06, 0.32), ("unrelated", "constant")):
        facts = {"sample": "clusters", "event_rate": rate, "forecasts": forecasts}
        yield 1000, facts | {"n": CLUSTERS * MEMBERS}
    for model in MODELS:
        facts = {"sample": "case-control", "event_rate": DEPLOYED_AT, "model": model}
        yield 2000, facts | {"n": 2 * CASES_AND_CONTROLS}


def decisions(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask whether bands and intervals at thresholds hold what is true of the population."""
    return SAMPLES[facts["sample"]](facts, rng)


def _probabilities(event_rate: float, n: int, rng: np.random.Generator) -> Numbers:
    a, b = PROBABILITIES[event_rate]
    return rng.beta(a, b, n)


def forecast(model: str, probability: Numbers, rng: np.random.Generator) -> Numbers:
    """Tell the probabilities as they are, or too high, too extreme and blurred."""
    if model == "calibrated":
        return probability
    blur = BLUR * rng.standard_normal(len(probability))
    told: Numbers = expit(SHIFT + SLOPE * logit(probability) + blur)
    return told


@cache
def rates(event_rate: float, model: str, threshold: float) -> Rates:
    """Integrate how often one acts: given the event, its probability has a Beta(a + 1, b)."""
    a, b = PROBABILITIES[event_rate]
    return Rates(_acted(a + 1, b, model, threshold), _acted(a, b + 1, model, threshold))


def _acted(a: float, b: float, model: str, threshold: float) -> float:
    """Find the share of forecasts at the threshold or above if probabilities are Beta(a, b)."""
    if model == "calibrated":
        return float(betaincc(a, b, threshold))

    def at(q: float) -> float:
        return float(ndtr((SHIFT + SLOPE * logit(q) - logit(threshold)) / BLUR))

    found = quad(at, 0, 1, weight="alg", wvar=(a - 1, b - 1), epsabs=1e-12, limit=200)
    return float(found[0] / beta(a, b))


def truths(event_rate: float, model: str, c: float) -> dict[str, float]:
    """Say what is true at a threshold of the population."""
    of_events, of_others = rates(event_rate, model, c)
    true, false = event_rate * of_events, (1 - event_rate) * of_others
    regret = c * false + (1 - c) * (event_rate - true)
    odds = c / (1 - c)
    benefit = true - odds * false
    all_treated = event_rate - odds * (1 - event_rate)
    return {
        "net_benefit": benefit,
        "regret": regret,
        "skill": 1 - regret / min(c * (1 - event_rate), (1 - c) * event_rate),
        "true_positive_rate": of_events,
        "precision": true / (true + false),
        "standardized_net_benefit": benefit / event_rate,
        "interventions_avoided": (benefit - all_treated) / odds,
    }


@cache
def mean_regret(event_rate: float, model: str) -> float:
    """Average regret over all thresholds of the range of costs."""
    low, high = (cost / LOSS for cost in COSTS)
    area = quad(lambda c: truths(event_rate, model, c)["regret"], low, high, epsabs=1e-12)[0]
    return float(area) / (high - low)


def _finding(what: str, level: float, truth: float, found: Any, **about: Any) -> Finding:
    """Ask whether two ends, if there are any, hold the truth, and on which side they miss it."""
    estimate, low, high = (float(x) for x in found)
    given = not (math.isnan(low) or math.isnan(high))
    return {"what": what, **about, "level": level, "truth": truth}, {
        "held": low <= truth <= high if given else None,
        "above": truth > high if given else None,
        "given": given,
        "estimate": estimate,
        "width": high - low,
    }


def independent(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Draw independent cases; if the model is miscalibrated, compare it with the other."""
    rate, model, n = facts["event_rate"], facts["model"], facts["n"]
    q = _probabilities(rate, n, rng)
    y, p = rng.random(n) < q, forecast(model, q, rng)
    t = properly.tally(y, p)
    found = [_decision_band(t, facts), _regret_band(t, facts), _at(t, facts, OF_INTEREST)]
    if model == "miscalibrated":
        found.append(_difference(properly.Cases(y, q), properly.Cases(y, p), rate))
    money = properly.decisions.regret_in_money(
        t, cost=COSTS, loss=LOSS, per=1, level=INTERVAL_LEVEL
    )
    truth, ends = LOSS * mean_regret(rate, model), (money.regret, *money.interval)
    return [*chain(*found), _finding("regret_in_money", INTERVAL_LEVEL, truth, ends)]


def in_groups(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Tell the library of clusters with dependent outcomes, or keep them from it."""
    label, rate = cluster_labels(), facts["event_rate"]
    constant = facts["forecasts"] == "constant"
    p = _probabilities(rate, CLUSTERS if constant else len(label), rng)
    p = p[label] if constant else p
    y = in_clusters(rng) < p
    sources = {True: properly.Cases(y, p, clusters=label), False: properly.Cases(y, p)}
    found = []
    for told, source in sources.items():
        found += _decision_band(source, facts, told=told)
        found += _at(source, facts, ("net_benefit",), told=told)
    return found


def case_control(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Sample as many events as others, and weight them to the rate of the population."""
    a, b = PROBABILITIES[facts["event_rate"]]
    y = np.repeat([True, False], CASES_AND_CONTROLS)
    q = rng.beta(a + y, b + ~y)
    t = properly.tally(y, forecast(facts["model"], q, rng))
    there = properly.counts.with_event_rate(t, facts["event_rate"])
    return [*_decision_band(there, facts), *_at(there, facts, ("net_benefit",))]


SAMPLES = {"independent": independent, "clusters": in_groups, "case-control": case_control}


def _decision_band(source: Any, facts: Facts, **about: Any) -> list[Finding]:
    curve: Any = properly.decision_curve(source, THRESHOLDS, band="confidence", level=BAND_LEVEL)
    ends = zip(curve.net_benefit, curve.band.lower, curve.band.upper, strict=True)
    found = []
    for c, bounds in zip(THRESHOLDS, ends, strict=True):
        truth, here = _truth(facts, c, "net_benefit"), about | _place(facts, c)
        found.append(_finding("decision_curve", BAND_LEVEL, truth, bounds, **here))
    return found


def _regret_band(source: Any, facts: Facts) -> list[Finding]:
    curve: Any = properly.regret_curve(source, band="confidence", level=BAND_LEVEL)
    found = []
    for c in THRESHOLDS:
        bounds, truth = (curve.at(c), *curve.band.at(c)), _truth(facts, c, "regret")
        found.append(_finding("regret_curve", BAND_LEVEL, truth, bounds, **_place(facts, c)))
    return found


def _at(source: Any, facts: Facts, names: Sequence[str], **about: Any) -> list[Finding]:
    """Take the intervals of some numbers at each threshold."""
    found = []
    for c in THRESHOLDS:
        at: Any = properly.at_threshold(source, c, interval=True, level=INTERVAL_LEVEL)
        here = about | _place(facts, c)
        for name in names:
            ends, truth = (getattr(at, name), *at.intervals[name]), _truth(facts, c, name)
            found.append(_finding(name, INTERVAL_LEVEL, truth, ends, **here))
    return found


def _truth(facts: Facts, c: float, name: str) -> float:
    return truths(facts["event_rate"], facts.get("model", "calibrated"), c)[name]


def _place(facts: Facts, c: float) -> Facts:
    """Name a threshold, with the shares of all cases that are acted upon, and missed, there."""
    rate = facts["event_rate"]
    of_events, of_others = rates(rate, facts.get("model", "calibrated"), c)
    acted, missed = rate * of_events + (1 - rate) * of_others, rate * (1 - of_events)
    return {"threshold": c, "acted": acted, "missed": missed}


def _difference(first: Any, second: Any, rate: float) -> list[Finding]:
    """Compare the calibrated model with the other one, case by case."""
    curve: Any = properly.decisions.decision_difference(
        first, second, THRESHOLDS, band="confidence", level=BAND_LEVEL
    )
    ends = zip(curve.net_benefit, curve.band.lower, curve.band.upper, strict=True)
    found = []
    for c, bounds in zip(THRESHOLDS, ends, strict=True):
        one, other = (truths(rate, model, c)["net_benefit"] for model in MODELS)
        about = {"threshold": c}
        found.append(_finding("decision_difference", BAND_LEVEL, one - other, bounds, **about))
    return found
