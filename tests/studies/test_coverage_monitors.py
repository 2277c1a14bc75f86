"""The study of monitors: that it watches as the public monitor does, and what its tables say."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from tests.coverage_scripts import FAR, KEPT, about, parts, script, study

import properly

monitors, monitors_page = script("monitors"), script("monitors_page")
tables = script("tables")
ROWS = [row for row in KEPT["rows"] if row["part"] == "monitors"]

# What is repeated here, and how often.
SHORT: list[tuple[int, dict[str, Any]]] = [
    (20, {"study": "looks", "forecasts": "Beta(2, 2)"}),
    (8, {"study": "designs", "world": "late outcomes"}),
    (8, {"study": "designs", "world": "clusters"}),
    (8, {"study": "designs", "world": "groups"}),
    (8, {"study": "designs", "world": "models"}),
    (8, {"study": "designs", "world": "second model"}),
    (8, {"study": "designs", "world": "equal worth"}),
    (8, {"study": "delays", "shift": 1.0}),
    (8, {"study": "delays", "slope": 1.5}),
    (8, {"study": "detectors", "run_length": 500, "models": 1}),
    (6, {"study": "detectors", "run_length": 500, "models": 2}),
    (6, {"study": "lags", "ahead": 3}),
]


def kept(study_name: str, **facts: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tables.pick(ROWS, study=study_name, **facts)
    assert found
    return found


@pytest.mark.parametrize(
    ("repetitions", "facts"), SHORT, ids=["-".join(map(str, facts.values())) for _, facts in SHORT]
)
def test_a_short_study_finds_what_the_page_says(repetitions: int, facts: dict[str, Any]) -> None:
    chosen = [s for s in parts.settings() if s.part == "monitors"]
    (one,) = (s for s in chosen if facts.items() <= s.facts.items())
    some = [one._replace(repetitions=repetitions)]
    found = json.loads(study.to_json(study.study(some, 1, 2)))["rows"]
    by_facts = {json.dumps(about(row), sort_keys=True): row for row in ROWS}
    assert found
    for row in found:
        same = by_facts[json.dumps(about(row), sort_keys=True)]
        assert row["repetitions"] == repetitions
        for name in {"rejected_at_5", "alarmed"} & row.keys():
            chance = tables.share_error(same[name][0], repetitions)
            assert abs(row[name][0] - same[name][0]) <= FAR * math.hypot(chance, same[name][1])
        if "alarms" in row:
            # The spread of the kept ones is known best.
            chance = same["alarms"][1] * math.sqrt(same["repetitions"] / repetitions)
            apart = abs(row["alarms"][0] - same["alarms"][0])
            assert apart <= FAR * math.hypot(chance, same["alarms"][1])


def test_the_kept_numbers_are_those_of_all_settings() -> None:
    wanted = [s.facts for s in parts.settings() if s.part == "monitors"]
    every = [
        {name: row[name] for name in facts}
        for facts in wanted
        for row in ROWS
        if facts.items() <= row.items()
    ]
    assert len(every) == len(ROWS)
    assert all(facts in every for facts in wanted)


def test_false_alarms_are_as_rare_as_monitors_say() -> None:
    rows = [row for row in kept("looks") if row["what"].startswith("monitor")]
    rows += kept("designs", what="right")
    rows += [r for r in kept("delays", shift=0.0, slope=1.0) if r["mode"] != "detector"]
    assert len(rows) == 14
    for row in rows:
        share, error = row["alarmed" if row["study"] == "delays" else "rejected_at_5"]
        assert share <= 0.05 + 2 * error


def test_looking_rarely_is_not_more_alarming_than_looking_always() -> None:
    for forecasts in monitors.FORECASTS:
        share = {row["what"]: row["rejected_at_5"][0] for row in kept("looks", forecasts=forecasts)}
        assert share["monitor, each batch"] <= share["monitor, each case"]
        # A test for one look, repeated.
        assert share["test, once"] < 0.08
        assert share["test, each case"] > share["test, each batch"] > 0.2


def test_late_outcomes_and_copies_ruin_what_does_not_know_of_them() -> None:
    for world in ("late outcomes", "clusters"):
        (row,) = kept("designs", world=world, what="wrong")
        assert row["rejected_at_5"][0] > 0.5


def test_detectors_raise_no_more_false_alarms_than_they_say() -> None:
    rows = kept("detectors")
    assert len(rows) == 2 * len(monitors.RUN_LENGTHS)
    for row in rows:
        assert not monitors_page.too_many(row)


@pytest.mark.parametrize("mode", monitors.MODES)
def test_greater_shifts_are_found_sooner_and_late_outcomes_add_their_delay(mode: str) -> None:
    def median(**facts: Any) -> float:
        (row,) = kept("delays", mode=mode, **facts)
        middle = row["delay"][1]
        return math.inf if middle is None else float(middle)

    medians = [median(shift=shift, slope=1.0, late=0) for shift in (0.1, 0.2, 0.3, 0.5, 1.0)]
    assert medians == sorted(medians, reverse=True)
    assert median(slope=0.6) < median(slope=0.8)
    late = median(shift=0.5, late=monitors.LATE) - median(shift=0.5, late=0)
    # Medians of two samples of delays.
    assert late == pytest.approx(monitors.LATE, abs=80)


def drawn(seed: int, n: int = 600) -> tuple[Any, Any]:
    """Draw forecasts that are too low, so that there are alarms."""
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 4, n)
    return rng.random(n) < np.minimum(1.6 * p, 1), p


@pytest.mark.parametrize("run_length", [None, 100])
def test_a_batch_is_looked_at_case_by_case(run_length: Any) -> None:
    y, p = drawn(3)
    fast = properly.Monitor(run_length=run_length)
    fast.add(y, p)
    slow = properly.Monitor(run_length=run_length)
    for i in range(len(y)):
        slow.add(y[i : i + 1], p[i : i + 1])
    assert slow.alarms
    assert [x.case for x in fast.alarms] == [x.case for x in slow.alarms]
    assert [x.evidence for x in fast.alarms] == pytest.approx(
        [x.evidence for x in slow.alarms], rel=1e-9
    )
    mine, other = fast.evidence[0], slow.evidence[0]
    assert mine.log_greatest == pytest.approx(other.log_greatest, rel=1e-9)
    assert (mine.cases, mine.events) == (other.cases, other.events)


def test_a_late_alarm_is_raised_when_its_case_and_all_before_are_known() -> None:
    y, p = drawn(7)
    known = monitors.known_at(y, monitors.LATE)
    monitor, ids, now = properly.Monitor(), np.arange(len(y)), 0
    while not monitor.alarms:
        now += 1
        if now <= len(y):
            monitor.add(None, p[now - 1 : now], ids=ids[now - 1 : now])
        told = ids[known == now]
        if len(told):
            monitor.add(y[told].astype(float), ids=told)
    case = monitor.alarms[0].case
    assert now == np.maximum.accumulate(known)[case - 1] > case
