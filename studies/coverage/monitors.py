"""What the coverage study says of monitors: false alarms, delays, and cases between false alarms.

Every number is that of the public `properly.Monitor`, which looks at each case of a batch.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.signal import lfilter
from scipy.special import expit, logit, ndtr

import properly
from properly.comparison._bets import log_mean, recalibration_gains
from studies.coverage.findings import LEVEL, SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from studies.coverage.findings import Facts, Finding
    from studies.coverage.parts import Numbers

    Study: TypeAlias = Callable[[Facts, np.random.Generator], list[Finding]]

FORECASTS = {"Beta(1, 4)": (1, 4), "Beta(2, 2)": (2, 2), "rare, Beta(1, 49)": (1, 49)}
CASES, BATCH = 2000, 100
# Looks of a test for one look, and the first case after which there are any.
NORMAL, FIRST = 1.96, 50
LATE, COPIES, GROUPS = 200, 5, 4
# Forecasts that know more are spread about those that know less as a beta of so many cases.
SPREAD = 20
WORLDS = ("late outcomes", "clusters", "groups", "models", "second model", "equal worth")
# By how much the true log-odds are moved, and by what they are multiplied; at first not at all.
SHIFTS = ((0.0, 1.0), (0.1, 1.0), (0.2, 1.0), (0.3, 1.0), (0.5, 1.0), (1.0, 1.0))
SLOPES = ((0.0, 0.8), (0.0, 0.6), (0.0, 1.5))
BEFORE, AFTER, WATCH_LENGTH = 1000, 5000, 10_000
MODES = ("begun at the shift", "begun before", "detector")
# Run lengths of detectors, how many cases each is watched for, and how often.
RUN_LENGTHS = {500: (5000, 80), 2000: (20_000, 40), 10_000: (40_000, 30)}
# The weather of the guide about forecasts over time: its correlation from one day to the next, the
# threshold of rain, days without an error, and by how much forecasts are then too low.
CARRY, RAIN, DAYS, TOO_LOW = 0.8, 0.5, 1000, 0.5
AHEAD = (1, 2, 3, 5)


def monitor_facts() -> Iterator[tuple[int, Facts]]:
    """List what is watched, and how often."""
    for forecasts in FORECASTS:
        yield 1000, {"study": "looks", "forecasts": forecasts}
    for world in WORLDS:
        yield 1000, {"study": "designs", "world": world}
    for shift, slope in (*SHIFTS, *SLOPES):
        yield 200, {"study": "delays", "shift": shift, "slope": slope, "late": 0}
    yield 200, {"study": "delays", "shift": 0.5, "slope": 1.0, "late": LATE}
    for models in (1, 2):
        for length, (_, times) in RUN_LENGTHS.items():
            yield times, {"study": "detectors", "run_length": length, "models": models}
    for ahead in AHEAD:
        yield 400, {"study": "lags", "ahead": ahead}


def monitors(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Watch forecasts once."""
    return STUDIES[facts["study"]](facts, rng)


def batches(n: int, size: int) -> Iterator[slice]:
    """Cut cases into batches."""
    return (slice(begin, min(begin + size, n)) for begin in range(0, n, size))


def alarmed(what: str, alarm: object) -> Finding:
    """Say whether there was an alarm, which would be a false one."""
    return {"what": what, "level": SIZE}, {"rejected_at_5": bool(alarm)}


def looks(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Look at calibrated forecasts after each case, and after each batch; test them as often."""
    p = rng.beta(*FORECASTS[facts["forecasts"]], CASES)
    y = rng.random(CASES) < p
    monitor, read = properly.Monitor(level=LEVEL), []
    for rows in batches(CASES, BATCH):
        monitor.add(y[rows], p[rows])
        evidence = monitor.evidence[0]
        read.append(evidence.log_evidence >= evidence.log_threshold)
    beyond = np.abs(np.cumsum(y - p)) > NORMAL * np.sqrt(np.cumsum(p * (1 - p)))
    return [
        alarmed("monitor, each case", monitor.alarms),
        alarmed("monitor, each batch", any(read)),
        alarmed("test, each case", beyond[FIRST - 1 :].any()),
        alarmed("test, each batch", beyond[BATCH - 1 :: BATCH].any()),
        alarmed("test, once", beyond[-1]),
    ]


def designs(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Watch forecasts with which nothing is wrong, rightly and wrongly."""
    world = facts["world"]
    if world == "late outcomes":
        return _late(rng)
    if world == "clusters":
        return _clusters(rng)
    if world == "equal worth":
        return _equal_worth(rng)
    y, models = nested(CASES, rng, {"models": 3, "second model": 2}.get(world, 1))
    against = "less informed" if world == "second model" else None
    groups = np.arange(CASES) % GROUPS if world == "groups" else None
    monitor = properly.Monitor(level=LEVEL, against=against)
    monitor.add(y, models, groups=groups)
    return [alarmed("right", monitor.alarms), alarmed("wrong", _unshared(monitor.evidence))]


def nested(n: int, rng: np.random.Generator, count: int) -> tuple[Any, dict[str, Any]]:
    """Draw outcomes, and so many calibrated forecasts of which each knows less than the former."""
    less = rng.beta(1, 4, n)
    more = rng.beta(SPREAD * less, SPREAD * (1 - less))
    known = {"informed": more, "less informed": less, "event rate": np.full(n, 0.2)}
    return rng.random(n) < more, dict(list(known.items())[:count])


def _unshared(evidence: Any) -> bool:
    """Tell whether any claim would be an alarm if each had all of the error rate."""
    return any(x.log_greatest >= -math.log(1 - LEVEL) for x in evidence)


def _late(rng: np.random.Generator) -> list[Finding]:
    """Let events be known at once, and their absence later."""
    y, models = nested(CASES, rng, 1)
    monitor, p = properly.Monitor(level=LEVEL), models["informed"]
    feed_late(monitor, y, p)
    # Of those that become known at one time, the earlier forecast comes first.
    order = np.argsort(known_at(y, LATE), kind="stable")
    naive = greatest_evidence(recalibration_gains(y[order], p[order])) >= -math.log(1 - LEVEL)
    return [alarmed("right", monitor.alarms), alarmed("wrong", naive)]


def greatest_evidence(gains: Numbers) -> float:
    """Return the greatest logarithm of the evidence after any case, given what bets gain."""
    return max(0.0, float(log_mean(np.cumsum(gains, axis=0)).max()))


def known_at(y: Any, late: int) -> Any:
    """Return after how many forecasts each outcome is known, if events are known at once."""
    return np.arange(1, len(y) + 1) + np.where(y, 0, late)


def feed_late(monitor: properly.Monitor, y: Any, p: Numbers) -> None:
    """Feed forecasts with the events among them, and the others when they are known."""
    ids, known, now = np.arange(len(y)), known_at(y, LATE), 0
    for rows in batches(len(y) + LATE, BATCH):
        here = ids[rows]
        if len(here):
            monitor.add(np.where(y[here], 1.0, np.nan), p[here], ids=here)
        passed = ids[~y & (now < known) & (known <= rows.stop)]
        if len(passed):
            monitor.add(np.zeros(len(passed)), ids=passed)
        now = rows.stop


def _clusters(rng: np.random.Generator) -> list[Finding]:
    """Copy each case, and say so or not."""
    y, models = nested(CASES // COPIES, rng, 1)
    label = np.repeat(np.arange(len(y)), COPIES)
    told, ignored = properly.Monitor(level=LEVEL), properly.Monitor(level=LEVEL)
    told.add(y[label], models["informed"][label], clusters=label)
    ignored.add(y[label], models["informed"][label])
    return [alarmed("right", told.alarms), alarmed("wrong", ignored.alarms)]


def _equal_worth(rng: np.random.Generator) -> list[Finding]:
    """Compare two forecasts with the truth halfway between, so that their Brier scores are equal.

    Neither is calibrated then, so only alarms of the comparison are false.
    """
    first, second = rng.beta(1, 4, (2, CASES))
    y = rng.random(CASES) < (first + second) / 2
    monitor = properly.Monitor(level=LEVEL, against="second")
    monitor.add(y, {"first": first, "second": second})
    compared = [x for x in monitor.evidence if x.about == "comparison"]
    false = [x for x in monitor.alarms if x.about == "comparison"]
    return [alarmed("right", false), alarmed("wrong", _unshared(compared))]


def delays(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Shift calibrated forecasts after some cases, and wait for an alarm."""
    p = rng.beta(1, 4, BEFORE + AFTER)
    shifted = expit(facts["shift"] + facts["slope"] * logit(p))
    y = rng.random(len(p)) < np.where(np.arange(len(p)) < BEFORE, p, shifted)
    # A case counts when it and all before it are known.
    counted = np.maximum.accumulate(known_at(y, facts["late"]))
    found = []
    for mode in MODES:
        skip = BEFORE if mode == "begun at the shift" else 0
        length = WATCH_LENGTH if mode == "detector" else None
        monitor = properly.Monitor(level=LEVEL, run_length=length)
        case = skip + first_alarm(monitor, y[skip:], p[skip:], BEFORE - skip)
        if math.isfinite(case):
            case = counted[int(case) - 1] - BEFORE
        elif monitor.alarms and mode != "detector":
            # A test that raised an alarm before the shift says nothing about it.
            case = math.nan
        found.append(({"mode": mode}, {"delay": float(case)}))
    return found


def first_alarm(monitor: properly.Monitor, y: Any, p: Numbers, after: int) -> float:
    """Return the case of the first alarm after some cases; infinity if there is none."""
    for rows in batches(len(y), BATCH):
        monitor.add(y[rows], p[rows])
        later = [x.case for x in monitor.alarms if x.case > after]
        if later:
            return float(later[0])
    return math.inf


def detectors(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Count false alarms of a monitor that restarts."""
    cases, _ = RUN_LENGTHS[facts["run_length"]]
    y, models = nested(cases, rng, facts["models"])
    monitor = properly.Monitor(run_length=facts["run_length"])
    monitor.add(y, models)
    # All that alarm at one time are one restart.
    alarms = len({x.case for x in monitor.alarms})
    return [({"cases": cases}, {"alarms": float(alarms)})]


def lags(facts: Facts, rng: np.random.Generator) -> list[Finding]:
    """Watch calibrated forecasts some days ahead with their lag and without, then wrong ones."""
    lag = facts["ahead"] - 1
    rain, p = weather(AFTER, facts["ahead"], rng)
    found = []
    for what, known in (("lag", lag), ("no lag", 0)):
        monitor = properly.Monitor(level=LEVEL, lag=known)
        monitor.add(rain[:DAYS], p[:DAYS])
        found.append(alarmed(what, monitor.alarms))
    monitor = properly.Monitor(level=LEVEL, lag=lag)
    delay = first_alarm(monitor, rain, expit(logit(p) - TOO_LOW), 0)
    return [*found, ({"mode": "too low"}, {"delay": delay})]


def weather(days: int, ahead: int, rng: np.random.Generator) -> tuple[Any, Numbers]:
    """Draw days of weather that lasts, and forecast rain with all that is known days ahead."""
    noise = math.sqrt(1 - CARRY**2) * rng.standard_normal(days + ahead)
    state, known = lfilter([1], [1, -CARRY], noise), CARRY**ahead
    p = ndtr((known * state[:-ahead] - RAIN) / math.sqrt(1 - known**2))
    return state[ahead:] > RAIN, p


STUDIES: dict[str, Study] = {
    "looks": looks,
    "designs": designs,
    "delays": delays,
    "detectors": detectors,
    "lags": lags,
}
