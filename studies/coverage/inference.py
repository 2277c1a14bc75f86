"""What the coverage study simulates of inference: intervals of one model's numbers.

Comparisons of models are in ``comparisons.py``, tests of calibration and monitors in
``tests.py``. Intervals are at 95 % and tests at 5 %.
"""

from __future__ import annotations

import warnings
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

import properly
from properly.errors import DataWarning
from properly.rules import RPS, Bounded, Brier, Log
from studies.coverage import populations
from studies.coverage.comparisons import COMPARISONS, comparison_facts, confidence_facts
from studies.coverage.findings import interval, rejection
from studies.coverage.tests import TESTS, test_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from studies.coverage.findings import Facts, Finding

    Study: TypeAlias = Callable[[Facts, np.random.Generator], list[Finding]]

MODEL, THRESHOLD = "miscalibrated", 0.1
RULES = {"Brier": Brier(), "Log": Log(), "Bounded": Bounded(Brier(), (0.05, 0.2))}
TWO = ("Brier", "Log")
CLASS_RULES = {"RPS": RPS(), "Log": Log()}
MEMBERS = 20
# Event rates, numbers of clusters, and whether these have 5 and 35 members in turn.
CLUSTERS = (
    (0.32, 8, False),
    (0.32, 30, False),
    (0.32, 100, False),
    (0.32, 8, True),
    (0.32, 30, True),
    (0.06, 30, False),
    (0.06, 100, False),
)
UNEVEN = (5, 35)
# Clusters of log-normal sizes, twenty cases on average, and the share of a loss's variance that is
# that of its cluster.
UNEQUAL, LOG_SIZE, SHARED = (8, 20, 30, 50), 1.0, 0.36
RHO, TIMES = (0.0, 0.5, 0.8), (100, 500)
SERIAL: tuple[Literal["cosines", "newey-west", "newey-west-auto"], ...] = (
    "cosines",
    "newey-west",
    "newey-west-auto",
)
METHODS = ("percentile", "basic", "studentized")
BOOTSTRAP_REPLICATES = 999


def inference_facts() -> Iterator[tuple[int, Facts]]:
    """List the samples that inference is studied on, and how often each is drawn."""
    for rate, n in ((0.32, 50), *product((0.32, 0.06), (200, 1000))):
        yield 2000, {"study": "scores", "event_rate": rate, "n": n}
    for rate, n in product((0.32, 0.06), (200, 1000)):
        yield 600, {"study": "summary", "event_rate": rate, "n": n}
    for kind, rate, n in product(("unrelated", "events"), (0.32, 0.06), (200, 1000)):
        yield 400, {"study": "weights", "weights": kind, "event_rate": rate, "n": n}
    for rate, clusters, uneven in CLUSTERS:
        facts = {"event_rate": rate, "clusters": clusters, "uneven": uneven}
        times = {8: 800, 30: 600, 100: 400}[clusters]
        yield times, {"study": "clusters", **facts, "n": MEMBERS * clusters}
    shapes = (*(("normal", rho) for rho in RHO), ("skewed", 0.5))
    for (shape, rho), times in product(shapes, TIMES):
        yield 2000, {"study": "series", "losses": shape, "rho": rho, "n": times}
    for rate in (0.32, 0.06):
        yield 400, {"study": "bootstrap", "event_rate": rate, "n": 200}
    yield 1000, {"study": "bootstrap clusters", "event_rate": 0.32, "n": 30 * MEMBERS}
    for rho in (0.0, 0.5):
        yield 400, {"study": "bootstrap blocks", "n": 200, "rho": rho}
    for n in (200, 1000):
        yield 600, {"study": "classes", "n": n}
    yield from comparison_facts()
    yield from test_facts()
    yield from confidence_facts()
    for count in UNEQUAL:
        facts = {"event_rate": 0.32, "clusters": count, "n": MEMBERS * count}
        yield 400, {"study": "unequal clusters", **facts}


def inference(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask whether intervals hold what is true of the population, and tests reject."""
    with warnings.catch_warnings():
        # What is warned of is what is studied.
        warnings.simplefilter("ignore", DataWarning)
        return STUDIES[facts["study"]](facts, rng)


def scores(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Judge all intervals of one model on independent cases."""
    rate = facts["event_rate"]
    y, q = populations.independent(rate, facts["n"], rng)
    cases = properly.Cases(y, populations.forecast(MODEL, q, rng))
    return _of_one_model(cases, rate)


def _of_one_model(cases: Any, rate: float, **about: Any) -> list[Finding]:
    found = [_score(cases, rate, name, **about) for name in RULES]
    for name in TWO:
        rule = RULES[name]
        ends = properly.inference.skill_interval(cases, rule).interval
        truth = populations.true_skill(rate, MODEL, rule)
        found.append(interval("skill", truth, ends, rule=name, **about))
    area = populations.true_area(rate, MODEL)
    for method in ("logit", "wald"):
        ends = properly.inference.auc_interval(cases, method=method).interval
        found.append(interval(f"AUC, {method}", area, ends, **about))
    ends = properly.inference.net_benefit_interval(cases, THRESHOLD).interval
    truth = populations.true_net_benefit(rate, MODEL, THRESHOLD)
    return [*found, interval("net benefit", truth, ends, **about)]


def _score(cases: Any, rate: float, name: str, **about: Any) -> Finding:
    ends = properly.score_interval(cases, RULES[name]).interval
    truth = populations.mean_loss(rate, MODEL, RULES[name])
    return interval("score", truth, ends, rule=name, **about)


def summary(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Judge the intervals of the calibration summary on independent cases."""
    rate = facts["event_rate"]
    y, q = populations.independent(rate, facts["n"], rng)
    return _summary(properly.Cases(y, populations.forecast(MODEL, q, rng)), rate, rng)


def _summary(cases: Any, rate: float, rng: np.random.Generator, **about: Any) -> list[Finding]:
    # The distances, which need replicates, have no intervals; the cheapest curve will do.
    found = properly.calibration_summary(cases, fit="isotonic", replicates=1, rng=rng)
    return [
        interval(name, truth, getattr(found, name).interval, **about)
        for name, truth in populations.true_calibration(rate, MODEL).items()
    ]


def weights(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Weight cases by numbers that have nothing to do with them, or undo how they were sampled."""
    rate: float = facts["event_rate"]
    n: int = facts["n"]
    if facts["weights"] == "unrelated":
        (y, q), weight = populations.independent(rate, n, rng), rng.gamma(1.5, size=n)
    else:
        (y, q), weight = populations.oversampled(rate, n, rng)
    cases = properly.Cases(y, populations.forecast(MODEL, q, rng), weight=weight)
    return [*_of_one_model(cases, rate), *_summary(cases, rate, rng)]


def clusters(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Tell the library of clusters, or keep them from it."""
    rate, label = facts["event_rate"], labels(facts["clusters"], uneven=facts["uneven"])
    y, q = populations.in_clusters(rate, label, rng)
    p = populations.forecast(MODEL, q, rng)
    told = properly.Cases(y, p, clusters=label)
    found = [*_of_one_model(told, rate, told=True), *_summary(told, rate, rng, told=True)]
    return found + _of_one_model(properly.Cases(y, p), rate, told=False)


def unequal_clusters(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Draw clusters of log-normal sizes; judge one model, and two of which neither is better."""
    rate: float = facts["event_rate"]
    count: int = facts["clusters"]
    label = unequal_labels(count, rng)
    y, q = populations.in_clusters(rate, label, rng)
    cases = properly.Cases(y, populations.forecast(MODEL, q, rng), clusters=label)
    shared, own = rng.standard_normal(count)[label], rng.standard_normal(len(label))
    losses = [np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * own, np.zeros(len(label))]
    models = {
        name: populations.off_by(populations.as_losses(loss, "normal"), y)
        for name, loss in zip("ab", losses, strict=True)
    }
    pairs = properly.compare(y, models, rule=Brier(), clusters=label, rng=rng)
    return [
        *_of_one_model(cases, rate, told=True),
        rejection("no difference", pairs.p_value[0], rule="Brier"),
    ]


def unequal_labels(count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Number clusters of log-normal sizes, once per member."""
    size = MEMBERS * np.exp(LOG_SIZE * rng.standard_normal(count) - LOG_SIZE**2 / 2)
    return np.repeat(np.arange(count), np.maximum(np.rint(size), 1).astype(np.intp))


def labels(count: int, *, uneven: bool = False) -> NDArray[np.intp]:
    """Number clusters, once a member."""
    size = np.tile(UNEVEN, count // 2) if uneven else np.full(count, MEMBERS)
    return np.repeat(np.arange(count), size)


def series(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Let losses follow one another, and judge each way to allow for that, and none."""
    cases, alone, truth = _series(facts, facts["losses"], rng)
    found = [("ignored", properly.score_interval(alone, Brier()))]
    found += [(serial, properly.score_interval(cases, Brier(), serial=serial)) for serial in SERIAL]
    return [interval("score", truth, score.interval, method=name) for name, score in found]


def _series(facts: Facts, shape: str, rng: np.random.Generator) -> tuple[Any, Any, float]:
    """Make a series, the same without its times, and say what its mean loss is."""
    times: int = facts["n"]
    loss = populations.as_losses(populations.autoregressive(times, facts["rho"], rng), shape)
    y = rng.random(times) < 0.5
    p = populations.off_by(loss, y)
    truth = populations.SKEWED_LOSS if shape == "skewed" else populations.LOSS
    return properly.Cases(y, p, time=np.arange(times)), properly.Cases(y, p), truth


def bootstrap(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Draw independent cases again: for a mean by three methods, for an area by one."""
    rate = facts["event_rate"]
    y, q = populations.independent(rate, facts["n"], rng)
    cases = properly.Cases(y, populations.forecast(MODEL, q, rng))
    ends = _again(cases, "auc", "percentile", rng)
    area = interval("AUC", populations.true_area(rate, MODEL), ends, method="percentile")
    found = [*_means_again(cases, rate, METHODS, rng), area]
    ends = properly.inference.auc_interval(cases).interval
    return [*found, interval("AUC", populations.true_area(rate, MODEL), ends, method="none")]


def _again(cases: Any, statistic: Any, method: Any, rng: np.random.Generator) -> Any:
    return properly.inference.bootstrap(
        cases, statistic, method=method, replicates=BOOTSTRAP_REPLICATES, rng=rng
    ).interval


def _means_again(
    cases: Any, rate: float, methods: tuple[str, ...], rng: np.random.Generator
) -> list[Finding]:
    truth = populations.mean_loss(rate, MODEL, Log())
    ends = {method: _again(cases, Log(), method, rng) for method in methods}
    ends["none"] = properly.score_interval(cases, Log()).interval
    return [interval("score", truth, found, method=name) for name, found in ends.items()]


def bootstrap_clusters(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    rate, label = facts["event_rate"], labels(facts["n"] // MEMBERS)
    y, q = populations.in_clusters(rate, label, rng)
    cases = properly.Cases(y, populations.forecast(MODEL, q, rng), clusters=label)
    return _means_again(cases, rate, METHODS, rng)


def bootstrap_blocks(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    cases, _, truth = _series(facts, "normal", rng)
    ends = {method: _again(cases, Brier(), method, rng) for method in METHODS[:2]}
    ends["none"] = properly.score_interval(cases, Brier()).interval
    return [interval("score", truth, found, method=name) for name, found in ends.items()]


def classes(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Judge intervals of four classes, ordered ones with RPS, and comparisons of models of them."""
    y, q = populations.of_classes(facts["n"], rng)
    p = populations.class_forecast("blurred", q, rng)
    found: list[Finding] = []
    for name, rule in CLASS_RULES.items():
        ends = properly.score_interval(properly.Cases(y, p), rule).interval
        truth = populations.class_loss("blurred", rule)
        found.append(interval("score", truth, ends, rule=name))
        models = {"a": p, "b": populations.class_forecast("blurred", q, rng), "c": q}
        pairs = properly.compare(y, models, rule=rule, rng=rng)
        found.append(rejection("no difference", pairs["a", "b"].p_value, rule=name))
        apart = truth - populations.class_loss("calibrated", rule)
        found.append(interval("difference", apart, pairs["a", "c"].interval, rule=name))
    return found


STUDIES: dict[str, Study] = {
    "scores": scores,
    "summary": summary,
    "weights": weights,
    "clusters": clusters,
    "unequal clusters": unequal_clusters,
    "series": series,
    "bootstrap": bootstrap,
    "bootstrap clusters": bootstrap_clusters,
    "bootstrap blocks": bootstrap_blocks,
    "classes": classes,
    **COMPARISONS,
    **TESTS,
}
