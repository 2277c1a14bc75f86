"""Spells of mistakes, against runs of times counted one by one."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest

from properly import Cases
from properly.decisions._elementary import find_spells, has_few_spells

TIMES = 80
RNG = np.random.default_rng(2)
TIME = RNG.integers(0, TIMES, 3 * TIMES)
TIME[:TIMES] = np.arange(TIMES)
P = RNG.beta(2, 3, len(TIME)).round(2)
Y = RNG.random(len(TIME)) < P
THRESHOLDS = np.array([0.0, 0.01, 0.1, 0.25, 0.5, 0.73, 0.9, 1.0])


def counted(wrong: np.ndarray) -> tuple[int, int]:
    """Count runs of times with a mistake, and these times."""
    at = [bool((wrong & (t == TIME)).any()) for t in range(TIMES)]
    return sum(state for state, _ in groupby(at)), sum(at)


@pytest.mark.parametrize("t", THRESHOLDS)
def test_a_spell_is_a_run_of_times_with_a_mistake(t: float) -> None:
    found = find_spells(Cases(Y, P, time=TIME), np.array([t]))
    for k, wrong in enumerate(((t <= P) & ~Y, (t > P) & Y)):
        spells, times = counted(wrong)
        assert [x[k, 0] for x in found] == [spells, times / TIMES]


def test_a_mistake_made_for_days_on_end_comes_in_few_spells() -> None:
    days = np.arange(200)
    rare = np.where((days > 50) & (days < 80), 0.6, 0.2)
    often = np.where(days % 9 == 0, 0.6, 0.2)
    for p, few in ((rare, True), (often, False)):
        cases = Cases((days % 2 > 0) & (p < 0.5), p, time=days)
        assert has_few_spells(cases, np.array([0.5])).tolist() == [few]


def test_what_cannot_be_done_and_what_is_done_most_days_is_no_rare_mistake() -> None:
    days = np.arange(200)
    cases = Cases(days % 2, np.full(200, 0.5), time=days)
    # Nobody is acted upon above 0.5, and at every other day an event is missed.
    assert not has_few_spells(cases, np.array([0.4, 0.6])).any()
    always = Cases(np.repeat([0, 1], 200), np.full(400, 0.5), time=np.tile(days, 2))
    assert not has_few_spells(always, np.array([0.4, 0.6])).any()
