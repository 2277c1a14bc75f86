"""What the coverage study simulates of tests of calibration, and of monitors."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.special import expit, logit

import properly
from properly.comparison._bets import BETS, log_factors, recalibration_gains, relative_gain
from properly.rules import Brier
from studies.coverage import populations
from studies.coverage.findings import rejection, together
from studies.coverage.monitors import greatest_evidence
from studies.coverage.samples import alike

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from studies.coverage.findings import Facts, Finding
    from studies.coverage.populations import Numbers

    Study: TypeAlias = Callable[[Facts, np.random.Generator], list[Finding]]

REPLICATES = 199
MEMBERS = 20
STATISTICS = (
    "combined",
    "mcb",
    "score",
    "cox",
    "spiegelhalter",
    "citl",
    "ks",
    "kuiper",
    "hosmer-lemeshow",
)
CURVES: dict[str, Callable[[Numbers], Numbers]] = {
    "calibrated": lambda x: x,
    "shift 0.25": lambda x: expit(logit(x) + 0.25),
    "slope 0.75": lambda x: expit(0.75 * logit(x)),
    "bump": lambda x: x + 0.12 * np.exp(-(((x - 0.3) / 0.07) ** 2) / 2),
    "shift 0.3": lambda x: expit(logit(x) + 0.3),
    "slope 0.7": lambda x: expit(0.7 * logit(x)),
}
# Steps that are watched, and the first after which an interval is looked at.
STEPS, FIRST = 2000, 50
# Of an interval for one look, at each of which it is read.
NORMAL = 1.96


def test_facts() -> Iterator[tuple[int, Facts]]:
    """List the samples that tests are studied on, and how often each is drawn."""
    for name in ("uniform", "rare"):
        facts = {"distribution": name, "n": 200, "curve": "calibrated"}
        yield 600, {"study": "calibration", **facts}
    for curve in ("shift 0.25", "slope 0.75", "bump"):
        facts = {"distribution": "uniform", "n": 1000, "curve": curve}
        yield 250, {"study": "calibration", **facts}
    for clusters, forecasts in product((8, 20, 50), ("unrelated", "constant")):
        facts = {"clusters": clusters, "forecasts": forecasts, "n": MEMBERS * clusters}
        yield 800, {"study": "calibration in clusters", **facts}
    for name, curve in (
        ("uniform", "calibrated"),
        ("rare", "calibrated"),
        ("uniform", "shift 0.3"),
        ("uniform", "slope 0.7"),
    ):
        times = 1000 if curve == "calibrated" else 400
        facts = {"distribution": name, "n": STEPS, "curve": curve}
        yield times, {"study": "calibration monitor", **facts}
    for better in ("neither", "second"):
        yield 1000, {"study": "comparison monitor", "better": better, "n": STEPS}
    for rate in (0.32, 0.06):
        yield 1000, {"study": "running difference", "event_rate": rate, "n": STEPS}


def _draw(facts: Facts, rng: np.random.Generator) -> tuple[Any, Numbers]:
    n: int = facts["n"]
    x = rng.beta(1, 19, n) if facts["distribution"] == "rare" else rng.random(n)
    return rng.random(n) < CURVES[facts["curve"]](x), x


def calibration(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Test the same forecasts by every statistic."""
    t = properly.tally(*_draw(facts, rng))
    return [
        rejection(name, found.p_value)
        for name in STATISTICS
        for found in [
            properly.calibration_test(t, statistic=name, replicates=REPLICATES, rng=rng)  # type: ignore[call-overload]
        ]
    ]


def calibration_in_clusters(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Test calibrated forecasts whose outcomes depend on one another within clusters."""
    clusters: int = facts["clusters"]
    label = np.repeat(np.arange(clusters), MEMBERS)
    constant = facts["forecasts"] == "constant"
    x = rng.random(clusters)[label] if constant else rng.random(len(label))
    y = alike(label, rng) < x
    cases, alone = properly.Cases(y, x, clusters=label), properly.Cases(y, x)
    return [
        rejection("score", properly.calibration_test(cases).p_value, told=True),
        rejection("cox", properly.calibration_test(cases, statistic="cox").p_value, told=True),
        rejection("cox", properly.calibration_test(alone, statistic="cox").p_value, told=False),
    ]


def calibration_monitor(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask whether the evidence against calibration is ever strong."""
    greatest = greatest_evidence(recalibration_gains(*_draw(facts, rng)))
    return [rejection("ever", math.exp(-greatest))]


def comparison_monitor(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask the same of two forecasts, if the truth is halfway between them, or if it is the second.

    With the Brier score, halfway between them neither is better.
    """
    first, second = rng.random((2, facts["n"]))
    truth = second if facts["better"] == "second" else (first + second) / 2
    y = rng.random(facts["n"]) < truth
    gain = relative_gain(Brier(), y, first, second)
    greatest = greatest_evidence(log_factors(gain[:, np.newaxis], BETS))
    return [rejection("ever", math.exp(-greatest))]


def running_difference(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Ask whether intervals for one look hold at all times."""
    rate = facts["event_rate"]
    y, q = populations.independent(rate, facts["n"], rng)
    p = populations.forecast("miscalibrated", q, rng)
    truth = populations.mean_loss(rate, "miscalibrated", Brier()) - populations.mean_loss(
        rate, "calibrated", Brier()
    )
    d = (p - y) ** 2 - (q - y) ** 2
    n = np.arange(1, len(d) + 1)
    mean = np.cumsum(d) / n
    half = NORMAL * np.sqrt(np.maximum(np.cumsum(d**2) / n - mean**2, 0) / n)
    low, high = (mean - half)[FIRST - 1 :], (mean + half)[FIRST - 1 :]
    return [together("for one look", truth, low, high)]


TESTS: dict[str, Study] = {
    "calibration": calibration,
    "calibration in clusters": calibration_in_clusters,
    "calibration monitor": calibration_monitor,
    "comparison monitor": comparison_monitor,
    "running difference": running_difference,
}
