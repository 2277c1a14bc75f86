"""How often a monitor raises a false alarm, however outcomes come and cases depend."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from properly import Monitor
from properly.rules import Log

Column = np.ndarray[Any, Any]
LEVEL = 0.9


def most(runs: int, chance: float = 1 - LEVEL) -> float:
    """Return more false alarms than there are, but once in thirty thousand such tests."""
    return runs * chance + 4 * math.sqrt(runs * chance * (1 - chance))


class Cases:
    """Calibrated forecasts, each with copies, of which events are known sooner than others."""

    def __init__(self, rng: np.random.Generator, n: int = 300, copies: int = 3) -> None:
        self.cluster = np.arange(n) // copies
        p = rng.beta(1, 2, n)[self.cluster]
        self.y = (rng.random(n)[self.cluster] < p).astype(int)
        self.p, self.ids = p, np.arange(n)
        self.groups = rng.choice(["north", "south", "west"], n)[self.cluster]
        # Not as good, and never calibrated: half of what is forecast.
        self.models = {"right": p, "worse": p / 2}

    def seen_late(self, **options: Any) -> Monitor:
        """Watch all forecasts; events are known at once, of half of the others nothing ever is."""
        monitor = Monitor(level=LEVEL, **options)
        monitor.add(None, self.p, ids=self.ids, clusters=self.cluster, groups=self.groups)
        known = np.flatnonzero(self.y == 1)
        monitor.add(self.y[known], ids=known)
        known = np.flatnonzero((self.y == 0) & (self.ids < len(self.y) // 2))
        monitor.add(self.y[known], ids=known)
        assert monitor.open > 0
        return monitor


def false_alarms(seed: int, runs: int) -> int:
    rng = np.random.default_rng(seed)
    return sum(bool(Cases(rng).seen_late().alarms) for _ in range(runs))


def better_alarms(seed: int, runs: int) -> int:
    """Count alarms that a worse model, or a constant, is better than the one that is right."""
    rng, found = np.random.default_rng(seed), 0
    for k in range(runs):
        cases = Cases(rng, copies=1)
        monitor = Monitor(level=LEVEL, against=("worse", 0.3)[k % 2], rule=Log())
        monitor.add(cases.y, cases.models, groups=cases.groups)
        found += any(x.model == "right" for x in monitor.alarms)
    return found


def test_alarms_are_as_seldom_as_stated_with_late_outcomes_clusters_and_groups() -> None:
    assert false_alarms(1, 400) <= most(400)


def test_what_is_right_is_seldom_said_to_be_beaten() -> None:
    assert better_alarms(2, 200) <= most(200)


@pytest.mark.slow
def test_of_many_runs_too_alarms_are_as_seldom_as_stated() -> None:
    assert false_alarms(3, 4000) <= most(4000)
    assert better_alarms(4, 2000) <= most(2000)


def every_outcome(p: Column) -> list[tuple[Column, float]]:
    """Return every sequence of outcomes with its probability."""
    sequences = [np.array(y) for y in product([0, 1], repeat=len(p))]
    return [(y, float(np.where(y == 1, p, 1 - p).prod())) for y in sequences]


@pytest.mark.parametrize("options", [{"level": 0.5}, {"level": 0.7, "against": 0.4}], ids=repr)
def test_exactly_over_all_outcomes_no_level_is_exceeded(options: dict[str, Any]) -> None:
    # Six cases with a copy each, in two groups; a third group comes later.
    p = np.array([0.05, 0.4, 0.1, 0.9, 0.02, 0.6])
    groups, cluster = np.array(["a", "b", "a", "b", "a", "c"]), np.repeat(np.arange(6), 2)
    chance, means = 0.0, np.zeros(4)
    for y, probability in every_outcome(p):
        monitor = Monitor(**options)
        for rows in (cluster[:4], cluster[4:]):
            monitor.add(y[rows], p[rows], clusters=rows, groups=groups[rows])
        chance += probability * any(x.about == "calibration" for x in monitor.alarms)
        calibration = [x.evidence for x in monitor.evidence if x.about == "calibration"]
        means += probability * np.array(calibration)
    assert 0 < chance <= 1 - options["level"]
    # All and each of three groups: evidence against what is right is 1 on average.
    np.testing.assert_allclose(means, np.ones(4), rtol=1e-12)


@pytest.mark.parametrize(("run_length", "n"), [(20, 3000), (100, 6000)])
def test_false_alarms_are_as_far_apart_as_stated(run_length: float, n: int) -> None:
    cases = Cases(np.random.default_rng(7), n, copies=1)
    monitor = Monitor(run_length=run_length)
    monitor.add(cases.y, cases.p, groups=cases.groups)
    assert 0 < len(monitor.alarms) <= n / run_length


def test_a_detector_finds_a_change_that_evidence_from_the_start_finds_late() -> None:
    rng = np.random.default_rng(8)
    cases = Cases(rng, 6000, copies=1)
    p = np.where(np.arange(6000) < 5000, cases.p, cases.p**0.6)
    detector, plain = Monitor(run_length=5000), Monitor()
    for monitor in (detector, plain):
        monitor.add(cases.y, p)
    after = [x.case for x in detector.alarms if x.case > 5000]
    assert 5000 < after[0] < 5200
    assert not plain.alarms or plain.alarms[0].case > after[0]
