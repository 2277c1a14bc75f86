"""Monitors of forecasts several steps ahead: valid at any time, and honest about when they are."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from tests.monitors import Column, drawn

from properly import Monitor
from properly.comparison._bets import recalibration_gains

DRAWN = drawn()


def lagged_by_hand(gains: Column, worst: Column, lag: int) -> list[float]:
    """Follow the mean of lag + 1 series by its definition, the last cases at their worst."""
    series, found = lag + 1, []
    for n in range(1, len(gains) + 1):
        total = 0.0
        for k in range(series):
            product = gains[k:n:series].sum(axis=0)
            last = n - 1 - (n - 1 - k) % series
            if k < n and last > n - series:
                product = product + worst[last] - gains[last]
            total += float(np.exp(product).mean())
        found.append(math.log(total / series))
    return found


@pytest.mark.parametrize("lag", [0, 1, 4])
def test_with_a_lag_evidence_is_a_mean_of_series_with_open_cases_at_their_worst(lag: int) -> None:
    y, p = DRAWN.y[:60] == 1, DRAWN.q[:60]
    monitor = Monitor(lag=lag)
    monitor.add(y, p)
    gains, other = recalibration_gains(y, p), recalibration_gains(~y, p)
    expected = lagged_by_hand(gains, np.minimum(gains, other), lag)
    np.testing.assert_allclose(monitor.evidence[0].path, expected, rtol=0, atol=1e-10)


def most_by_chance(lag: int, turns: tuple[int, ...]) -> float:
    """Return the greatest c times the probability that evidence ever reaches c.

    Forecasts are a half. A coin decides as many cases in a row as there are turns, and is turned
    over in those that are 1, which nobody knew when these were forecast.
    """
    greatest = []
    for coins in product((0, 1), repeat=6):
        monitor = Monitor(lag=lag)
        monitor.add([x ^ turn for x in coins for turn in turns], [0.5] * 6 * len(turns))
        greatest.append(math.exp(monitor.evidence[0].log_greatest))
    worlds = len(greatest)
    return max(c * (k + 1) / worlds for k, c in enumerate(sorted(greatest, reverse=True)))


@pytest.mark.parametrize("turns", [(0, 0), (0, 1), (0, 0, 0, 0), (0, 1, 1, 0)])
def test_with_a_lag_evidence_ever_reaches_c_in_at_most_one_of_c(turns: tuple[int, ...]) -> None:
    assert most_by_chance(len(turns) - 1, turns) <= 1 + 1e-12


def test_without_the_lag_it_does_so_more_often() -> None:
    assert most_by_chance(0, (0, 0, 0, 0)) > 2


def test_a_certain_forecast_that_was_wrong_is_an_alarm_at_once_whatever_the_lag() -> None:
    monitor = Monitor(lag=3)
    monitor.add([0, 1], [0.2, 0.0])
    assert [(x.case, x.evidence) for x in monitor.alarms] == [(2, math.inf)]


def test_a_detector_with_a_lag_adds_up_its_series() -> None:
    y, p = DRAWN.y[:40], DRAWN.q[:40]
    lagged, parts = Monitor(lag=1, run_length=1e6), []
    lagged.add(y, p)
    for k in (0, 1):
        part = Monitor(run_length=1e6)
        part.add(y[k::2], p[k::2])
        parts.append(math.expm1(part.evidence[0].log_evidence))
    assert 0.5 * sum(parts) < math.expm1(lagged.evidence[0].log_evidence) <= sum(parts)


def test_what_is_promised_depends_on_when_outcomes_came() -> None:
    monitor = Monitor(lag=1)
    monitor.add([1], [0.5], ids=["a"])
    monitor.add(None, [0.5] * 4, ids=list("bcde"))
    promise = "The probability of a false alarm, ever, is at most 5 % if each forecast is right"
    said = " ".join(str(monitor).split())
    assert said.endswith(f"{promise} given the outcomes of all earlier cases except the last.")
    monitor.add([1, 0], ids=["b", "c"])
    assert monitor.to_dict()["overlap"] == 3
    said = " ".join(str(monitor).split())
    assert "Outcomes came after up to 3 later forecasts. The probability" in said
    assert said.endswith(
        "as with independent cases; otherwise it takes a new state with a lag of 3."
    )
