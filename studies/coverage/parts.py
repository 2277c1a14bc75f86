"""What the coverage study simulates: its settings, and one repetition of each."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from reproductions.reliability.simulation import corp
from scipy.integrate import quad
from scipy.special import expit, logit

import properly
from properly.rules import Brier, Log
from studies.coverage.cells import cell_facts, cells
from studies.coverage.decisions import decision_facts, decisions
from studies.coverage.dependence import dependence, time_facts
from studies.coverage.designs import design_facts, designs
from studies.coverage.gaps import gap_facts, gaps
from studies.coverage.inference import inference, inference_facts
from studies.coverage.meanings import meaning_facts, meanings
from studies.coverage.monitors import monitor_facts, monitors
from studies.coverage.panels import panel_facts, panels
from studies.coverage.rare import rare, rare_facts
from studies.coverage.recalibration import recalibration, recalibration_facts
from studies.coverage.samples import CLUSTERS, cluster_labels, in_clusters
from studies.coverage.small_groups import group_facts, small_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]
    Curve: TypeAlias = Callable[[Any], Any]
    Facts: TypeAlias = dict[str, Any]
    # What a row of the results is about, and what one repetition found for it.
    Finding: TypeAlias = tuple[Facts, Facts]

LEVEL = 0.9
REPLICATES = 400
INTERVAL_REPLICATES = 200
TEST_REPLICATES = 199
TENTHS = 10

DISTRIBUTIONS = ("uniform", "linear", "beta-mixture")
VALUES = (10, 50, None)
SIZES = (100, 500, 2000, 8000)
RULES = (Brier(), Log())


def line(intercept: float, slope: float) -> Curve:
    """Return a straight line on the log-odds scale."""
    return lambda x: expit(intercept + slope * logit(x))


CURVES: dict[str, Curve] = {
    "calibrated": lambda x: x,
    "square root": np.sqrt,
    "slope 1/2": line(0, 0.5),
    "flat": lambda x: 0 * x + 0.3,
    "rare": lambda x: 0.1 * x**2,
    "step": lambda x: np.where(np.asarray(x) < 0.5, 0.25, 0.75),
    "mild": line(0.1, 0.85),
    "slope 3/4": line(0, 0.75),
    "shift": line(0.25, 1),
}
BAND_CURVES = ("calibrated", "square root", "slope 1/2", "flat", "rare", "step")
INTERVAL_CURVES = ("calibrated", "mild", "slope 1/2", "step")


class Setting(NamedTuple):
    """Something to simulate, and how often."""

    part: str
    repetitions: int
    facts: Facts

    def repeat(self, rng: np.random.Generator) -> list[Finding]:
        """Simulate once; the findings come in the same order every time."""
        return PARTS[self.part](self.facts, rng)


def settings() -> list[Setting]:
    """List everything that is simulated."""
    everywhere = _crossed(DISTRIBUTIONS, VALUES, SIZES, BAND_CURVES)
    few = product((200, 1000, 5000), INTERVAL_CURVES)
    related = product(("unrelated", "constant"), ("calibrated", "slope 1/2"))
    return [
        *(Setting("pointwise", 80, facts) for facts in _pointwise_facts()),
        *(Setting("simultaneous", 100, facts) for facts in everywhere),
        *(Setting("intervals", 60 if n == 5000 else 250, {"n": n, "curve": c}) for n, c in few),
        *(Setting("test", times, facts) for times, facts in _test_facts()),
        *(Setting("clusters", 200, {"forecasts": f, "curve": c}) for f, c in related),
        *(
            Setting("weights", 250, {"n": 1000, "curve": curve})
            for curve in ("calibrated", "slope 1/2", "rare")
        ),
        *(Setting("decisions", times, facts) for times, facts in decision_facts()),
        *(Setting("inference", times, facts) for times, facts in inference_facts()),
        *(Setting("cells", 50, facts) for facts in cell_facts()),
        *(Setting("recalibration", times, facts) for times, facts in recalibration_facts()),
        *(Setting("rare", 100, facts) for facts in rare_facts()),
        *(Setting("meanings", 400, facts) for facts in meaning_facts()),
        *(Setting("time", times, facts) for times, facts in time_facts()),
        *(Setting("panels", times, facts) for times, facts in panel_facts()),
        *(Setting("gaps", 400, facts) for facts in gap_facts()),
        *(Setting("monitors", times, facts) for times, facts in monitor_facts()),
        *(Setting("groups", times, facts) for times, facts in group_facts()),
        *(Setting("designs", 25, facts) for facts in design_facts()),
    ]


def _crossed(*levels: tuple[Any, ...]) -> Iterator[Facts]:
    names = ("distribution", "values", "n", "curve")
    return (dict(zip(names, chosen, strict=True)) for chosen in product(*levels))


def _pointwise_facts() -> Iterator[Facts]:
    for facts in _crossed(DISTRIBUTIONS, VALUES, SIZES, ("calibrated",)):
        yield {"band": "consistency", **facts}
    for facts in _crossed(DISTRIBUTIONS, VALUES, SIZES, BAND_CURVES):
        yield {"band": "confidence", **facts}


def _test_facts() -> Iterator[tuple[int, Facts]]:
    for (name, k), n in product(
        (("uniform", None), ("rare", None), ("uniform", 10)), (50, 200, 1000)
    ):
        yield 500, {"distribution": name, "values": k, "n": n, "curve": "calibrated"}
    for facts in _crossed(("uniform", "rare"), (None,), (200, 1000), ("slope 3/4", "shift")):
        yield 250, facts


def draw(facts: Facts, rng: np.random.Generator) -> properly.Tally:
    """Simulate independent cases."""
    curve, n, name = CURVES[facts["curve"]], facts["n"], facts.get("distribution", "uniform")
    if name == "rare":
        p = rng.beta(1, 19, n)
        return properly.tally(rng.random(n) < curve(p), p)
    s = corp(n, distribution=name, values=facts.get("values"), curve=curve, rng=rng)
    return properly.tally(s.y, s.p)


def pointwise(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Compare pointwise bands of one kind on the same data."""
    t, kind = draw(facts, rng), facts["band"]
    auto = _reliability(t, kind, "auto", rng)
    first = _measure(auto, facts["curve"])
    more = {"by_tenth": first["tenths"], "chosen": auto.band.method}
    found: list[Finding] = [({"method": "auto"}, first | more)]
    for method in _meaningful(facts):
        # The same band need not be found twice.
        record = auto if auto.band.method == method else _reliability(t, kind, method, rng)
        found.append(({"method": method}, _measure(record, facts["curve"])))
    return found


def _reliability(source: Any, kind: Any, method: Any, rng: np.random.Generator) -> Any:
    return properly.reliability(
        source, band=kind, method=method, level=LEVEL, replicates=REPLICATES, rng=rng
    )


def _meaningful(facts: Facts) -> tuple[str, ...]:
    """Name the methods of the paper that are meant for such forecasts."""
    if facts["band"] == "confidence" and facts["distribution"] != "uniform":
        return ()
    few, many = facts["values"] is not None, facts["values"] != 10
    return ("resampling", *["discrete"] * few, *["continuous"] * many)


def _measure(record: Any, curve: str) -> Facts:
    """Say in which share of each tenth of [0, 1] a band holds what it should, and its width."""
    lower, upper = record.band.at(record.value)
    consistent = record.band.kind == "consistency"
    goal = record.recalibrated if consistent else CURVES[curve](record.value)
    known = np.isfinite(lower) & np.isfinite(upper)
    tenth = np.minimum((TENTHS * record.value[known]).astype(int), TENTHS - 1)
    cases = np.bincount(tenth, minlength=TENTHS)
    with np.errstate(invalid="ignore"):
        held, width = (
            np.bincount(tenth, x[known], TENTHS) / cases
            for x in ((lower <= goal) & (goal <= upper), upper - lower)
        )
    return {"tenths": held.tolist(), "width": float(np.nanmean(width))}


def simultaneous(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask whether all of the true curve lies in a simultaneous band."""
    t, curve = draw(facts, rng), CURVES[facts["curve"]]
    small = facts["n"] <= 500 and facts["distribution"] == "uniform"
    found: list[Finding] = []
    for method in ("cells", *["ungrouped"] * small):
        record = _reliability(t, "simultaneous", method, rng)
        # The curve does not fall. The upper bound is constant from behind one of these points up to
        # the next, where the curve is highest; the lower bound from a point to before the next. So
        # a curve that is inside at all of the points is inside everywhere.
        x = np.union1d(record.band.x, record.value)
        lower, upper = record.band.at(x)
        held = bool(((lower <= curve(x)) & (curve(x) <= upper)).all())
        measured = {"held": held, "width": _measure(record, facts["curve"])["width"]}
        found.append(({"method": method}, measured))
    return found


def intervals(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask whether the intervals of miscalibration and discrimination hold the population's."""
    t = draw(facts, rng)
    found: list[Finding] = []
    for rule in RULES:
        parts: Any = properly.decompose(
            t, rule, interval=True, level=LEVEL, replicates=INTERVAL_REPLICATES, rng=rng
        )
        for name, truth in population(facts["curve"], rule).items():
            low, high = getattr(parts.intervals, name)
            about = {"rule": rule.name, "component": name, "truth": truth}
            corrected = getattr(parts.intervals, f"corrected_{name}")
            measured = {"raw": getattr(parts, name), "corrected": corrected}
            found.append((about, measured | {"held": low <= truth <= high}))
    return found


@cache
def population(curve: str, rule: Brier | Log) -> dict[str, float]:
    """Integrate miscalibration and discrimination over uniform forecasts."""
    c = CURVES[curve]

    def mean(f: Curve) -> float:
        # Curves may jump at one half.
        return float(sum(quad(f, a, a + 0.5, epsabs=1e-12, limit=200)[0] for a in (0, 0.5)))

    def price(x: float, q: float) -> float:
        """Expect a loss with the forecast x if the event has probability q."""
        if_event, if_none = rule.loss([True, False], [x, x])
        return float(q * if_event + (1 - q) * if_none)

    best = mean(lambda x: price(c(x), c(x)))
    overall = mean(c)
    # Rounded, so that nothing is 0 but for its last digit.
    return {
        "miscalibration": round(mean(lambda x: price(x, c(x))) - best, 9),
        "discrimination": round(price(overall, overall) - best, 9),
    }


def test(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Test calibration at 5 and at 10 per cent."""
    t = draw(facts, rng)
    found: list[Finding] = []
    for rule in RULES:
        p = properly.calibration_test(
            t, rule, statistic="mcb", replicates=TEST_REPLICATES, rng=rng
        ).p_value
        found.append(
            ({"rule": rule.name}, {"rejected_at_5": p <= 0.05, "rejected_at_10": p <= 0.1})
        )
    return found


def clusters(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Compare bands that are told of clusters with bands that are not."""
    label = cluster_labels()
    constant = facts["forecasts"] == "constant"
    p = rng.random(CLUSTERS)[label] if constant else rng.random(len(label))
    y = in_clusters(rng) < CURVES[facts["curve"]](p)
    sources = {True: properly.Cases(y, p, clusters=label), False: properly.Cases(y, p)}
    return [
        ({"band": band, "method": method, "told": told}, _measure(record, facts["curve"]))
        for band, method in _bands_of_cases(facts)
        for told, source in sources.items()
        for record in [_reliability(source, band, method, rng)]
    ]


def weights(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Give cases fractional weights that have nothing to do with their outcomes."""
    s = corp(facts["n"], curve=CURVES[facts["curve"]], rng=rng)
    cases = properly.Cases(s.y, s.p, weight=rng.gamma(1.5, size=facts["n"]))
    return [
        ({"band": band, "method": method}, _measure(record, facts["curve"]))
        for band, method in _bands_of_cases(facts)
        for record in [_reliability(cases, band, method, rng)]
    ]


def _bands_of_cases(facts: Facts) -> list[tuple[str, str]]:
    """A consistency band promises something of calibrated forecasts only."""
    calibrated = facts["curve"] == "calibrated"
    return [*[("consistency", "resampling")] * calibrated, ("confidence", "likelihood")]


PARTS: dict[str, Callable[[Facts, np.random.Generator], list[Finding]]] = {
    "pointwise": pointwise,
    "simultaneous": simultaneous,
    "intervals": intervals,
    "test": test,
    "clusters": clusters,
    "weights": weights,
    "decisions": decisions,
    "inference": inference,
    "cells": cells,
    "recalibration": recalibration,
    "rare": rare,
    "meanings": meanings,
    "time": dependence,
    "panels": panels,
    "gaps": gaps,
    "monitors": monitors,
    "groups": small_groups,
    "designs": designs,
}
