"""The study of monitors: that it watches as the public monitor does, and what its tables say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.coverage_scripts import script, study

import properly

monitors, monitors_page = script("monitors"), script("monitors_page")


def drawn(seed: int, n: int = 600) -> tuple[Any, Any]:
    """Draw forecasts that are too low, so that there are alarms."""
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 4, n)
    return rng.random(n) < np.minimum(1.6 * p, 1), p


@pytest.mark.parametrize("run_length", [None, 100])
def test_watching_in_batches_without_times_is_watching_case_by_case(run_length: Any) -> None:
    y, p = drawn(3)
    fast = monitors.fed(properly.Monitor(run_length=run_length), y, {"forecast": p})
    slow = properly.Monitor(run_length=run_length)
    for i in range(len(y)):
        slow.add(y[i : i + 1], p[i : i + 1])
    assert slow.alarms
    assert [(x.case, x.evidence) for x in fast.alarms] == [
        (x.case, pytest.approx(x.evidence, rel=1e-9)) for x in slow.alarms
    ]
    mine, other = fast.evidence[0], slow.evidence[0]
    assert mine.log_greatest == pytest.approx(other.log_greatest, rel=1e-9)
    assert (mine.cases, mine.events) == (other.cases, other.events)


def test_all_groups_are_there_from_the_first_batch_on() -> None:
    y, p = drawn(4)
    groups = np.arange(len(y)) % monitors.GROUPS
    some = monitors.fed(properly.Monitor(), y, {"forecast": p}, groups=groups)
    whole = properly.Monitor()
    whole.add(y, p, groups=groups)
    assert [x.threshold for x in some.evidence] == [x.threshold for x in whole.evidence]
    assert len(some.evidence) == 1 + monitors.GROUPS


def test_clusters_are_not_cut_by_batches() -> None:
    y, p = drawn(5)
    label = np.arange(len(y)) // monitors.COPIES
    some = monitors.fed(properly.Monitor(), y, {"forecast": p}, clusters=label)
    whole = properly.Monitor()
    whole.add(y, p, clusters=label)
    assert [x.log_greatest for x in some.evidence] == pytest.approx(
        [x.log_greatest for x in whole.evidence], rel=1e-9
    )


def test_batches_are_all_cases_once() -> None:
    for n in (1, 20, 21, 100, 101, 2200):
        cut = list(monitors.batches(n))
        assert [i for rows in cut for i in range(rows.start, rows.stop)] == list(range(n))


def test_late_outcomes_are_counted_in_the_order_of_forecasts() -> None:
    y, p = drawn(6)
    late, direct = properly.Monitor(), properly.Monitor()
    monitors.feed_late(late, y, p)
    direct.add(y, p)
    assert (late.cases, late.open, late.early) == (len(y), 0, 0)
    assert [x.case for x in late.alarms] == [x.case for x in direct.alarms] != []


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


def test_forecasts_that_know_less_are_calibrated_as_well() -> None:
    y, models = monitors.nested(200_000, np.random.default_rng(1), 3)
    assert list(models) == ["informed", "less informed", "event rate"]
    scores = []
    for p in models.values():
        for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 1)):
            inside = (low <= p) & (p < high)
            error = math.sqrt(max((p * (1 - p))[inside].sum(), 1))
            assert abs((y - p)[inside].sum()) < 4 * error
        scores.append(float(((p - y) ** 2).mean()))
    assert scores == sorted(scores)


def test_a_delay_that_never_ends_is_none_and_one_that_says_nothing_is_left_out() -> None:
    values = [4.0, math.inf, 1.0, math.nan, 3.0]
    found = study.reduce("delay", values)
    assert found == {"delay": [1.0, 3.0, 4.0], "alarmed": study.share([True, True, True, False])}
    never = study.reduce("delay", [math.inf] * 3)
    assert never == {"delay": [None] * 3, "alarmed": study.share([False] * 3)}


def test_an_alarm_before_the_shift_says_nothing_about_it() -> None:
    y, p = drawn(8)
    monitor = properly.Monitor()
    first = monitors.first_alarm(monitor, y, p, 0)
    assert first == monitor.alarms[0].case
    assert monitors.first_alarm(properly.Monitor(), y, p, int(first)) == math.inf


def test_delays_are_shown_by_quartiles_and_the_share_of_alarms() -> None:
    row = {"delay": [120.0, 1234.0, None], "alarmed": [0.7312, 0.01]}
    assert monitors_page.waited(row) == "1,234 (120 to > 5,000); 73 %"
    none = {"delay": [None] * 3, "alarmed": [0.0, 0.01]}
    assert monitors_page.waited(none) == "> 5,000; 0 %"
    assert monitors_page.change(0.0, 1.0, 0) == "as forecast"
    assert monitors_page.change(0.5, 1.0, 200) == "plus 0.5, non-events known 200 cases later"
    assert monitors_page.change(0.0, 0.8, 0) == "times 0.8"


def test_too_many_false_alarms_are_bold() -> None:
    row = {"alarms": [10.0, 0.5], "cases": 5000, "run_length": 500}
    assert monitors_page.between(row) == "500 ± 25"
    assert monitors_page.between(row | {"alarms": [12.5, 1.0]}) == "**400 ± 32**"
    assert monitors_page.between(row | {"alarms": [0.0, 0.0]}) == "none"
