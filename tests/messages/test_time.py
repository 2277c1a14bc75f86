"""Every message about scores over time, word for word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly import Cases, tally
from properly.comparison._periods import over_time
from properly.errors import ArgumentTypeError, DataError, DataWarning
from properly.rules import Brier

N = 600
Y, P = np.arange(N) % 2 == 0, np.linspace(0.1, 0.9, N)
YEAR = np.repeat([2001, 2002, 2003], [150, 200, 250])
DAY = np.datetime64("2020-01-01") + np.arange(N)


def made(**more: Any) -> Cases:
    return Cases(Y, P, **more)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: over_time(tally(Y, P), Brier()),  # type: ignore[arg-type]
            ArgumentTypeError,
            (
                "this needs Cases with times; got Tally\n\n"
                "Hint: write properly.Cases(y, p, time=column)."
            ),
        ),
        (
            lambda: over_time(made(), Brier()),
            DataError,
            (
                "this needs the time of each case; these cases have none\n\n"
                "Hint: write properly.Cases(y, p, time=column)."
            ),
        ),
        (
            lambda: over_time(made(time=YEAR), Brier(), periods=[2002, 2003]),
            DataError,
            (
                "edges of periods must reach around all times; 150 cases of 600 lie outside\n\n"
                "Hint: times reach 2001 to 2003."
            ),
        ),
        (
            lambda: over_time(made(time=np.arange(N)), Brier(), periods=[1, 600]),
            DataError,
            (
                "edges of periods must reach around all times; 1 case of 600 lies outside\n\n"
                "Hint: times reach 0 to 599."
            ),
        ),
        *(
            (
                lambda wrong=wrong: over_time(made(time=DAY), Brier(), periods=wrong),
                DataError,
                f"periods must be a whole number, or two or more edges in order; got {wrong!r}",
            )
            for wrong in ([1, 2], ["2021-01-01", "2020-01-01"], ["a", "b"], ["2020-01-01"], 2.5)
        ),
        (
            lambda: over_time(made(time=YEAR), Brier(), periods=[float("nan"), 3000.0]),
            DataError,
            "periods must be a whole number, or two or more edges in order; got [nan, 3000.0]",
        ),
        (
            lambda: over_time(made(time=YEAR), Brier(), periods=0),
            DataError,
            "periods must be a whole number, 1 or more; got 0",
        ),
    ],
)
def test_what_is_wrong_is_told(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


def test_few_events_in_a_period_are_warned_of() -> None:
    time = np.where(np.arange(N) < 15, 1, 2)
    message = (
        "in 1 of 2 periods there are fewer than 20 events, or non-events: "
        "intervals there may cover a few per cent less than their level"
    )
    with pytest.warns(DataWarning) as caught:
        over_time(made(time=time), Brier())
    assert [str(one.message) for one in caught] == [message]


def test_few_cases_of_classes_in_a_period_are_warned_of() -> None:
    message = (
        "in 1 of 1 period there are fewer than 20 cases: "
        "intervals there may cover a few per cent less than their level"
    )
    y, forecast = np.arange(19) % 3, np.tile([0.5, 0.3, 0.2], (19, 1))
    with pytest.warns(DataWarning) as caught:
        over_time(Cases(y, forecast, time=[1] * 19), Brier())
    assert [str(one.message) for one in caught] == [message]
