"""What the coverage study simulates of comparisons: of models, of thresholds, of groups."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

import properly
from properly.inference._multiplicity import holm
from properly.rules import Brier, Log
from studies.coverage import populations
from studies.coverage.decisions import truths
from studies.coverage.findings import SIZE, interval, rejection, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from studies.coverage.findings import Facts, Finding
    from studies.coverage.populations import Numbers, Sample

    Study: TypeAlias = Callable[[Facts, np.random.Generator], list[Finding]]

RULES = {"Brier": Brier(), "Log": Log()}
MEMBERS = 20
# Two blurred models, neither of which is better; and one that is.
EQUAL, BETTER = ("first", "second"), "calibrated"
SEVERAL = 5
# Event rates, cases and models of which none is better.
FAMILIES = ((0.32, 200, 3), (0.32, 200, 5), (0.32, 200, 10), (0.32, 1000, 5), (0.06, 1000, 5))
SET_LEVEL = 0.9
HALF = 0.5
# Groups that have nothing to do with the forecasts, and their shares of the cases.
SHARES = (0.4, 0.25, 0.15, 0.1, 0.1)
MEASURES = ("score", "skill", "observed_expected")


def comparison_facts() -> Iterator[tuple[int, Facts]]:
    """List the samples that comparisons are studied on, and how often each is drawn."""
    for rate, n in product((0.32, 0.06), (200, 1000)):
        yield 2000 if n == 200 else 1000, {"study": "pairs", "event_rate": rate, "n": n}
    for clusters in (8, 30, 100):
        facts = {"event_rate": 0.32, "clusters": clusters, "n": MEMBERS * clusters}
        yield {8: 1000, 30: 800, 100: 500}[clusters], {"study": "pairs in clusters", **facts}
    for rho, times in product((0.0, 0.5, 0.8), (100, 500)):
        yield 1000, {"study": "pairs in time", "rho": rho, "n": times}
    for horizon, times in product((1, 4), (50, 200)):
        yield 1000, {"study": "steps ahead", "horizon": horizon, "n": times}
    for shape, n in product(("exchangeable", "skewed"), (15, 40)):
        yield 2000, {"study": "small", "differences": shape, "n": n}
    for rate, n, count in FAMILIES:
        yield 1000, {"study": "several", "event_rate": rate, "n": n, "models": count}
    for count in (3, 5, 10):
        facts = {"event_rate": 0.32, "n": 1000, "models": count}
        yield 1000, {"study": "one of several", **facts}
    for n in (200, 1000):
        yield 2000, {"study": "equivalence", "event_rate": 0.32, "n": n}
    yield from _facts_of_thresholds_and_groups()


def _facts_of_thresholds_and_groups() -> Iterator[tuple[int, Facts]]:
    for rate, n in ((0.32, 200), (0.32, 1000), (0.32, 4000), (0.06, 1000), (0.06, 4000)):
        yield 400, {"study": "dominance", "event_rate": rate, "clusters": None, "n": n}
    for clusters in (30, 100):
        facts = {"event_rate": 0.32, "clusters": clusters, "n": MEMBERS * clusters}
        yield 400, {"study": "dominance", **facts}
    for times, some in ((1000, None), (500, 50)):
        yield times, {"study": "groups", "event_rate": 0.32, "clusters": some, "n": 1000}


def confidence_facts() -> Iterator[tuple[int, Facts]]:
    """List the samples that model confidence sets are studied on."""
    for best, rho in (("all", None), ("one", None), ("all", 0.5)):
        yield 250, {"study": "confidence set", "best": best, "rho": rho, "n": 500}


def _models(sample: Sample, rng: np.random.Generator) -> dict[str, Numbers]:
    blurred = {name: populations.forecast("blurred", sample.probability, rng) for name in EQUAL}
    return blurred | {BETTER: sample.probability}


def _gain(rate: float, rule: Any) -> float:
    """Say by how much the loss of a blurred model is greater."""
    blurred, calibrated = (populations.mean_loss(rate, m, rule) for m in ("blurred", BETTER))
    return blurred - calibrated


def pairs(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Compare two models that are as good as each other, and two that are not."""
    rate = facts["event_rate"]
    sample = populations.independent(rate, facts["n"], rng)
    return _pairs(sample, _models(sample, rng), rate, rng)


def _pairs(
    sample: Sample,
    models: dict[str, Numbers],
    rate: float,
    rng: np.random.Generator,
    **design: Any,
) -> list[Finding]:
    about = {"told": bool(design)}
    found: list[Finding] = []
    equal = {name: models[name] for name in EQUAL}
    unequal = {name: models[name] for name in (EQUAL[0], BETTER)}
    rules: dict[str, Any] = {**RULES, "AUC": "auc"}
    for name, rule in rules.items():
        null = properly.compare(sample.y, equal, rule=rule, rng=rng, **design)
        found.append(rejection("no difference", null.p_value[0], rule=name, **about))
        other = properly.compare(sample.y, unequal, rule=rule, rng=rng, **design)
        truth = _area_gain(rate) if rule == "auc" else _gain(rate, rule)
        found.append(interval("difference", truth, other.interval[0], rule=name, **about))
    return found


def _area_gain(rate: float) -> float:
    return populations.true_area(rate, "blurred") - populations.true_area(rate, BETTER)


def pairs_in_clusters(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Tell the library of clusters, or keep them from it."""
    clusters: int = facts["clusters"]
    rate, label = facts["event_rate"], np.repeat(np.arange(clusters), MEMBERS)
    sample = populations.in_clusters(rate, label, rng)
    models = {BETTER: sample.probability}
    for name in EQUAL:
        # Half of the blur is one of the whole cluster.
        common, own = rng.standard_normal(clusters)[label], rng.standard_normal(len(label))
        blur = np.sqrt(0.5) * (common + own)
        models[name] = populations.told("blurred", sample.probability, blur)
    told = _pairs(sample, models, rate, rng, clusters=label)
    return [*told, *_pairs(sample, models, rate, rng)]


def _off_by(losses: list[Numbers], rng: np.random.Generator) -> tuple[Any, dict[str, Numbers]]:
    """Make outcomes, and models with these Brier scores."""
    y = rng.random(len(losses[0])) < HALF
    return y, {name: populations.off_by(x, y) for name, x in zip(EQUAL, losses, strict=True)}


def pairs_in_time(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Let the losses of two models follow one another; both have the same mean."""
    times = facts["n"]
    normal = (populations.autoregressive(times, facts["rho"], rng) for _ in EQUAL)
    y, models = _off_by([populations.as_losses(x, "normal") for x in normal], rng)
    alone = properly.compare(y, models, rule=Brier(), rng=rng)
    found = [rejection("no difference", alone.p_value[0], method="ignored")]
    for serial in ("cosines", "newey-west"):
        over_time = properly.compare(
            y, models, rule=Brier(), time=np.arange(times), serial=serial, rng=rng
        )
        found.append(rejection("no difference", over_time.p_value[0], method=serial))
    return found


def steps_ahead(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Let losses depend on one another for as many steps as forecasts are made ahead, less one."""
    times, horizon = facts["n"], facts["horizon"]
    normal = (populations.moving_average(times, horizon, rng) for _ in EQUAL)
    y, models = _off_by([populations.as_losses(x, "normal") for x in normal], rng)
    ways: dict[str, Any] = {
        "diebold-mariano": {"method": "diebold-mariano", "horizon": horizon},
        "cosines": {},
    }
    return [
        rejection("no difference", found.p_value[0], method=name)
        for name, way in ways.items()
        for found in [properly.compare(y, models, rule=Brier(), time=np.arange(times), **way)]
    ]


def small(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Compare few cases, of two models that may change places, or one of which has large losses."""
    n: int = facts["n"]
    if facts["differences"] == "exchangeable":
        sample = populations.independent(0.32, n, rng)
        models = _models(sample, rng)
        y, two = sample.y, {name: models[name] for name in EQUAL}
    else:
        skewed = populations.as_losses(rng.standard_normal(n), "skewed")
        y, two = _off_by([np.full(n, populations.SKEWED_LOSS), skewed], rng)
    return [
        rejection("no difference", found.p_value[0], method=method)
        for method in ("t", "sign-flip")
        for found in [properly.compare(y, two, rule=Brier(), method=method, rng=rng)]
    ]


def several(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Compare models that are all as good as one another, each with each."""
    found = _each_with_each(facts, rng, better=False)
    low, high = found.simultaneous.T
    return [
        rejection("any difference, unadjusted", found.p_value.min()),
        rejection("any difference, Holm", holm(found.p_value).min()),
        rejection("any difference, max-t", found.adjusted_p_value.min()),
        together("all differences", 0.0, low, high),
    ]


def one_of_several(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Compare a calibrated model with some that are worse: which share of them is found to be."""
    found = _each_with_each(facts, rng, better=True)
    worse = [first == "0" for first, _ in found.pairs]
    tests = {"Holm": holm(found.p_value), "max-t": found.adjusted_p_value}
    return [
        (
            {"what": "found worse", "method": name, "level": SIZE},
            {"power": (p[worse] <= SIZE).mean()},
        )
        for name, p in tests.items()
    ]


def _each_with_each(
    facts: Facts, rng: np.random.Generator, *, better: bool
) -> properly.comparison.Comparison:
    """Compare blurred models, the first of which may be calibrated."""
    sample = populations.independent(facts["event_rate"], facts["n"], rng)
    models = {
        str(k): populations.forecast("blurred", sample.probability, rng)
        for k in range(facts["models"])
    }
    models |= {"0": sample.probability} if better else {}
    return properly.compare(sample.y, models, rule=Brier(), rng=rng)


def equivalence(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Take two models to be as good as each other within a margin by which they do differ."""
    rate = facts["event_rate"]
    sample = populations.independent(rate, facts["n"], rng)
    models = _models(sample, rng)
    two = {name: models[name] for name in (EQUAL[0], BETTER)}
    found = properly.compare(sample.y, two, rule=Brier(), margin=_gain(rate, Brier()), rng=rng)
    return [rejection("as good as", found.equivalence_p_value[0])]


def dominance(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask whether all of the true difference lies in the band, wherever there is one."""
    rate, clusters = facts["event_rate"], facts["clusters"]
    if clusters is None:
        label, sample = None, populations.independent(rate, facts["n"], rng)
    else:
        label = np.repeat(np.arange(clusters), MEMBERS)
        sample = populations.in_clusters(rate, label, rng)
    two = (sample.probability, populations.forecast("miscalibrated", sample.probability, rng))
    first, second = (properly.Cases(sample.y, p, clusters=label) for p in two)
    band = properly.decisions.dominance(first, second, rng=rng)
    truth = _true_difference(rate, tuple(band.threshold.tolist()))
    known = np.isfinite(band.upper)
    about, measured = together("Murphy difference", truth, band.lower, band.upper)
    quantile = band.quantile if known.any() else np.nan
    return [(about, measured | {"thresholds": float(known.sum()), "quantile": float(quantile)})]


@cache
def _true_difference(rate: float, threshold: tuple[float, ...]) -> Numbers:
    """Subtract mean elementary scores, which are twice the regrets."""
    return np.array(
        [
            2 * (truths(rate, BETTER, t)["regret"] - truths(rate, "miscalibrated", t)["regret"])
            for t in threshold
        ]
    )


def groups(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Divide cases at random, so that no group differs from the rest."""
    rate, n, clusters = facts["event_rate"], facts["n"], facts["clusters"]
    group = rng.choice(len(SHARES), n, p=SHARES)
    label = None if clusters is None else np.repeat(np.arange(clusters), n // clusters)
    if label is None:
        sample = populations.independent(rate, n, rng)
    else:
        sample = populations.in_clusters(rate, label, rng)
    p = populations.forecast("miscalibrated", sample.probability, rng)
    cases = properly.Cases(sample.y, p, groups=group, clusters=label)
    measures = properly.by_group(cases, Brier(), replicates=1, rng=rng).measures
    found: list[Finding] = []
    for name in MEASURES:
        m = measures[name]
        low, high = m.simultaneous.T
        found.append(together("all groups", 0.0, low, high, measure=name))
        least = float(np.nanmin(m.adjusted_p_value))
        found.append(rejection("any group", least, measure=name))
    return found


def confidence_set(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask whether all models that are best are in the set: all five, or the calibrated one."""
    n: int = facts["n"]
    rho: float | None = facts["rho"]
    time = None if rho is None else np.arange(n)
    if rho is None:
        sample = populations.independent(0.32, n, rng)
        y, q = sample.y, sample.probability
        models = {str(k): populations.forecast("blurred", q, rng) for k in range(SEVERAL)}
        if facts["best"] == "one":
            models["0"] = q
    else:
        y = rng.random(n) < HALF
        models = {}
        for k in range(SEVERAL):
            loss = populations.as_losses(populations.autoregressive(n, rho, rng), "normal")
            models[str(k)] = populations.off_by(loss, y)
    found = properly.comparison.confidence_set(
        y, models, rule=Brier(), time=time, level=SET_LEVEL, rng=rng
    )
    best = {"0"} if facts["best"] == "one" else set(models)
    measured = {"held": best <= set(found.included), "models": float(len(found.included))}
    return [({"what": "best", "level": SET_LEVEL}, measured)]


COMPARISONS: dict[str, Study] = {
    "pairs": pairs,
    "pairs in clusters": pairs_in_clusters,
    "pairs in time": pairs_in_time,
    "steps ahead": steps_ahead,
    "small": small,
    "several": several,
    "one of several": one_of_several,
    "equivalence": equivalence,
    "dominance": dominance,
    "groups": groups,
    "confidence set": confidence_set,
}
