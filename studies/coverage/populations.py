"""Populations of which the truth is known, and samples of them, for the study of inference."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import brentq, root
from scipy.signal import lfilter
from scipy.special import betaincinv, expit, logit, ndtri, softmax

from studies.coverage.decisions import BLUR, PROBABILITIES, SHIFT, SLOPE, truths
from studies.coverage.samples import alike

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly.rules import BinaryRule, ClassRule

    Numbers: TypeAlias = NDArray[np.float64]
    Labels: TypeAlias = NDArray[np.intp]

# How many event probabilities and how many blurs stand for all there are.
GRID, BLURS = 1000, 201
# Of classes: how their probabilities are distributed, and how many cases stand for all.
CONCENTRATION = (3.0, 2.25, 1.5, 0.75)
MANY = 200_000
# Losses that follow one another: their mean, and their standard deviation.
LOSS, SPREAD = 0.25, 0.05
# Losses of which a few are large: their mean, and the standard deviation of their logarithm.
SKEWED_LOSS, LOG_SPREAD = 0.05, 0.6
# Cases without the event are sampled so much more seldom.
SELDOM = 3


class Model(NamedTuple):
    """What a model makes of log-odds: it moves, stretches and blurs them."""

    shift: float
    slope: float
    blur: float


MODELS = {
    "calibrated": Model(0, 1, 0),
    "blurred": Model(0, 1, BLUR),
    "miscalibrated": Model(SHIFT, SLOPE, BLUR),
}


class Grid(NamedTuple):
    """Pairs of an event probability and a forecast, all equally likely."""

    probability: Numbers
    forecast: Numbers


def told(model: str, probability: Numbers, blur: Numbers) -> Numbers:
    """Forecast probabilities as a model does."""
    m = MODELS[model]
    if m == MODELS["calibrated"]:
        return probability
    found: Numbers = expit(m.shift + m.slope * logit(probability) + m.blur * blur)
    return found


def forecast(model: str, probability: Numbers, rng: np.random.Generator) -> Numbers:
    """Forecast probabilities, each blurred anew."""
    return told(model, probability, rng.standard_normal(len(probability)))


@cache
def population(event_rate: float, model: str) -> Grid:
    """Lay out what may happen on a grid of quantiles."""
    a, b = PROBABILITIES[event_rate]
    probability = np.repeat(betaincinv(a, b, (np.arange(GRID) + 0.5) / GRID), BLURS)
    blur = ndtri((np.arange(BLURS) + 0.5) / BLURS)
    # The quantiles in the middle of each piece vary a little less than all that is in the pieces.
    return Grid(probability, told(model, probability, np.tile(blur / blur.std(), GRID)))


@cache
def mean_loss(event_rate: float, model: str, rule: BinaryRule) -> float:
    """Expect a loss."""
    q, p = population(event_rate, model)
    if_event, if_none = (np.asarray(rule.loss(np.full(len(p), y), p)) for y in (True, False))
    return float(np.mean(q * if_event + (1 - q) * if_none))


@cache
def true_skill(event_rate: float, model: str, rule: BinaryRule) -> float:
    """Compare with the event rate, told to all."""
    if_event, if_none = rule.loss([True, False], [event_rate, event_rate])
    reference = event_rate * if_event + (1 - event_rate) * if_none
    return 1 - mean_loss(event_rate, model, rule) / float(reference)


@cache
def true_area(event_rate: float, model: str) -> float:
    """Find how often an event has a higher forecast than another case."""
    q, p = population(event_rate, model)
    q = q[np.argsort(p)]
    below = np.cumsum(1 - q) - (1 - q) / 2
    return float(q @ below / (q.sum() * (1 - q).sum()))


def true_net_benefit(event_rate: float, model: str, threshold: float) -> float:
    return truths(event_rate, model, threshold)["net_benefit"]


@cache
def true_calibration(event_rate: float, model: str) -> dict[str, float]:
    """Find observed over expected, calibration in the large, and the line of recalibration."""
    q, p = population(event_rate, model)
    x = logit(p)

    def score(line: Numbers) -> Numbers:
        away = q - expit(line[0] + line[1] * x)
        return np.array([away.mean(), (away * x).mean()])

    intercept, slope = root(score, [0.0, 1.0], tol=1e-12).x
    large = brentq(lambda a: float((q - expit(a + x)).mean()), -5, 5, xtol=1e-12)
    return {
        "observed_expected": float(q.mean() / p.mean()),
        "in_the_large": float(large),
        "intercept": float(intercept),
        "slope": float(slope),
    }


class Sample(NamedTuple):
    """Outcomes, and the probabilities that they had."""

    y: NDArray[np.bool_]
    probability: Numbers


def independent(event_rate: float, n: int, rng: np.random.Generator) -> Sample:
    q = rng.beta(*PROBABILITIES[event_rate], n)
    return Sample(rng.random(n) < q, q)


def in_clusters(event_rate: float, label: Labels, rng: np.random.Generator) -> Sample:
    """Draw cases that are alike within clusters: in their probabilities, and in their outcomes.

    Each case by itself is one of the population.
    """
    q = betaincinv(*PROBABILITIES[event_rate], alike(label, rng))
    return Sample(alike(label, rng) < q, q)


def oversampled(event_rate: float, n: int, rng: np.random.Generator) -> tuple[Sample, Numbers]:
    """Draw every event but only some of the other cases, which have the weight of all of them."""
    y, q = independent(event_rate, 2 * SELDOM * n, rng)
    kept = np.flatnonzero(y | (rng.random(len(y)) < 1 / SELDOM))[:n]
    return Sample(y[kept], q[kept]), np.where(y[kept], 1.0, SELDOM)


def autoregressive(times: int, rho: float, rng: np.random.Generator) -> Numbers:
    """Draw standard normal numbers of which neighbours have the correlation rho."""
    shock = math.sqrt(1 - rho**2) * rng.standard_normal(times)
    shock[0] = rng.standard_normal()
    found: Numbers = lfilter([1.0], [1.0, -rho], shock)
    return found


def moving_average(times: int, horizon: int, rng: np.random.Generator) -> Numbers:
    """Draw standard normal numbers that depend on those less than some steps before."""
    shock = rng.standard_normal(times + horizon - 1)
    return np.convolve(shock, np.full(horizon, 1 / math.sqrt(horizon)), "valid")


def as_losses(normal: Numbers, shape: str) -> Numbers:
    """Turn standard normal numbers into Brier scores; all but never beyond 0 or 1."""
    if shape == "skewed":
        found = SKEWED_LOSS * np.exp(LOG_SPREAD * normal - LOG_SPREAD**2 / 2)
    else:
        found = LOSS + SPREAD * normal
    return np.clip(found, 0, 1)


def off_by(loss: Numbers, y: NDArray[np.bool_]) -> Numbers:
    """Forecast such that Brier scores are the ones given."""
    return np.where(y, 1 - np.sqrt(loss), np.sqrt(loss))


class ClassSample(NamedTuple):
    """Classes, and the probabilities that they had."""

    y: Labels
    probability: Numbers


def of_classes(n: int, rng: np.random.Generator) -> ClassSample:
    q = rng.dirichlet(CONCENTRATION, n)
    drawn = (rng.random((n, 1)) > q.cumsum(axis=1)).sum(axis=1)
    return ClassSample(np.minimum(drawn, q.shape[1] - 1), q)


def class_forecast(model: str, probability: Numbers, rng: np.random.Generator) -> Numbers:
    """Tell probabilities of classes as they are, or blurred."""
    if model == "calibrated":
        return probability
    blur = BLUR * rng.standard_normal(probability.shape)
    found: Numbers = softmax(np.log(probability) + blur, axis=1)
    return found


@cache
def class_loss(model: str, rule: ClassRule) -> float:
    """Expect a loss, by many cases of which only the forecasts are drawn."""
    rng = np.random.default_rng(1)
    q = of_classes(MANY, rng).probability
    p = class_forecast(model, q, rng)
    each: list[Any] = [q[:, k] * rule.loss(np.full(MANY, k), p) for k in range(q.shape[1])]
    return float(np.sum(each, axis=0).mean())
