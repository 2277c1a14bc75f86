"""Scores in consecutive periods of time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

import properly
from properly.comparison import over_time
from properly.comparison._periods import cut
from properly.errors import DataWarning
from properly.inference._design import number_times
from properly.rules import RPS, Brier, Log

N = 600
rng = np.random.default_rng(20240501)
P = rng.uniform(0.1, 0.9, N)
Y = rng.random(N) < P
YEAR = np.repeat([2001, 2002, 2003], [150, 200, 250])
DAY = np.datetime64("2020-01-01") + np.arange(N)


def made(**more: Any) -> properly.Cases:
    return properly.Cases(Y, P, **more)


def some(part: Any, **columns: Any) -> properly.Cases:
    return properly.Cases(Y[part], P[part], **{k: v[part] for k, v in columns.items()})


def test_few_times_are_periods_by_themselves() -> None:
    found = over_time(made(time=YEAR), Brier())
    assert found.start.tolist() == found.end.tolist() == [2001, 2002, 2003]
    assert found.cases.tolist() == [150, 200, 250]
    assert found.events is not None
    assert found.events.tolist() == [int(Y[year == YEAR].sum()) for year in (2001, 2002, 2003)]
    assert found.name == ["2001", "2002", "2003"]


def test_each_period_is_scored_as_if_it_were_alone() -> None:
    found = over_time(made(time=YEAR), Brier(), level=0.9)
    for k, year in enumerate((2001, 2002, 2003)):
        alone = properly.score_interval(some(year == YEAR), Brier(), level=0.9)
        assert found.score[k] == pytest.approx(alone.value, rel=1e-14)
        assert (found.lower[k], found.upper[k]) == pytest.approx(alone.interval, rel=1e-13)


def test_clusters_may_come_with_times_and_decide_about_the_interval() -> None:
    cluster = np.arange(N) // 3
    found = over_time(made(time=YEAR, clusters=cluster), Brier())
    assert found.design == "clusters"
    for k, year in enumerate((2001, 2002, 2003)):
        alone = properly.score_interval(some(year == YEAR, clusters=cluster), Brier())
        assert (found.lower[k], found.upper[k]) == pytest.approx(alone.interval, rel=1e-13)


def test_many_times_in_a_period_are_allowed_to_depend_on_one_another() -> None:
    found = over_time(made(time=DAY), Brier(), periods=3)
    assert found.design == "times"
    alone = properly.score_interval(some(slice(200, 400), time=DAY), Brier())
    assert (found.lower[1], found.upper[1]) == pytest.approx(alone.interval, rel=1e-13)


def test_a_short_period_among_long_ones_has_a_score_and_no_interval() -> None:
    time = np.minimum(np.arange(N), 405)
    found = over_time(made(time=time), Brier(), periods=3)
    assert found.design == "times"
    assert np.isfinite(found.score).all()
    assert np.isnan(found.lower).tolist() == np.isnan(found.upper).tolist() == [False, False, True]


def test_many_times_make_twelve_periods_of_about_equal_numbers_of_cases() -> None:
    with pytest.warns(DataWarning, match=r"^in \d+ of 12 periods there are fewer than 20 events"):
        found = over_time(made(time=DAY), Brier())
    assert found.cases.tolist() == [50] * 12
    assert found.name[0] == "2020-01-01 to 2020-02-19"


def test_below_ten_cases_a_period_is_only_counted() -> None:
    time = np.where(np.arange(N) < 9, 1, 2)
    found = over_time(made(time=time), Brier())
    assert found.cases.tolist() == [9, 591]
    assert found.event_rate is not None
    assert found.mean_forecast is not None
    for column in (found.score, found.lower, found.upper, found.event_rate, found.mean_forecast):
        assert np.isnan(column).tolist() == [True, False]


def test_an_infinite_score_is_infinite_without_a_lower_end() -> None:
    p = P.copy()
    p[0], y = 0.0, Y.copy()
    y[0] = True
    found = over_time(properly.Cases(y, p, time=YEAR), Log())
    assert np.isinf(found.score).tolist() == [True, False, False]
    assert np.isnan(found.lower[0])
    assert found.upper[0] == np.inf


def test_classes_have_scores_and_no_event() -> None:
    forecast = np.stack([P / 2, P / 2, 1 - P], axis=1)
    cases = properly.Cases(np.arange(N) % 3, forecast, time=YEAR)
    found = over_time(cases, RPS())
    loss = RPS().loss(np.arange(N) % 3, forecast)
    assert found.score[1] == pytest.approx(float(np.mean(loss[YEAR == 2002])))
    assert found.events is found.event_rate is found.mean_forecast is None
    assert "events" not in found.to_dict()
    assert "event rate" not in str(found)


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=120), st.one_of(st.none(), st.integers(1, 50))
)
@examples(60)
def test_periods_are_in_order_hold_whole_times_and_are_no_more_than_asked(
    times: list[int], most: int | None
) -> None:
    time = np.array(times)
    start, end, number = cut(time, number_times(time), most)
    assert (start <= end).all()
    assert (end[:-1] < start[1:]).all()
    assert ((start[number] <= time) & (time <= end[number])).all()
    assert set(number.tolist()) == set(range(len(start)))
    limit = most or (24 if len(set(times)) <= 24 else 12)
    assert len(start) <= limit
    if len(set(times)) <= limit:
        assert len(start) == len(set(times))


def test_the_table_is_read_as_it_is_meant() -> None:
    y, p = [0, 1] * 20 + [0] * 5, [0.25, 0.75] * 20 + [0.5] * 5
    found = over_time(properly.Cases(y, p, time=[1.5] * 20 + [2.5] * 20 + [3.5] * 5), Brier())
    assert str(found).splitlines() == [
        "period  cases  events  event rate  mean forecast   Brier  95 % interval",
        "1.5        20      10      0.5000         0.5000  0.0625              -",
        "2.5        20      10      0.5000         0.5000  0.0625              -",
        "3.5         5       0           -              -       -              -",
        "",
        "Student's t; cases of a period are taken as independent, since most periods have fewer",
        "  than 20 times.",
    ]
    assert repr(found) == "OverTime(3 periods, brier)"
    assert len(found) == 3
