"""The axis of thresholds on the page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from properly import Interval
from properly.report._threshold_axis import (
    DRAWN,
    EDGES,
    as_percent,
    beside,
    decimals,
    exponent,
    series,
    threshold_axis,
)


def about(rate: float, within: tuple[float, float] | None = None) -> Any:
    return SimpleNamespace(event_rate=rate, within=within and Interval(*within))


@pytest.mark.parametrize(
    ("rate", "within", "power"),
    [
        (0.4, None, 1),
        (0.4, (0.1, 0.5), 1),
        (0.4, (0.1, 0.3), 0.5),
        (0.09, None, 0.5),
        (0.09, (0.1, 0.5), 0.5),
        (0.005, None, 0.25),
        (0.005, (0.1, 0.5), 0.5),
        (0.4, (0.001, 0.02), 0.25),
    ],
)
def test_small_thresholds_have_room_where_they_matter(
    rate: float, within: tuple[float, float] | None, power: float
) -> None:
    e = about(rate, within)
    assert exponent(e) == power
    scale = threshold_axis(e)["scale"]
    assert scale["domain"] == [0, 1]
    drawn = {"sqrt": 0.5, None: 1}.get(scale.get("type"), scale.get("exponent"))
    assert drawn == power


def test_steps_are_finer_below_one_percent() -> None:
    steps = np.diff(EDGES)
    np.testing.assert_allclose(steps[EDGES[1:] <= 0.01], 0.0001)
    np.testing.assert_allclose(steps[EDGES[1:] > 0.01], 0.001)
    assert len(DRAWN) < 400
    assert (DRAWN[0], DRAWN[-1]) == (0, 0.99)
    assert np.all(np.diff(DRAWN) > 0)


def test_rare_events_have_more_decimals() -> None:
    assert [decimals(about(rate)) for rate in (0.5, 0.0418, 0.001, 0.0)] == [5, 5, 7, 5]


def test_thresholds_are_told_in_percent() -> None:
    assert [as_percent(t) for t in (0, 0.0005, 0.01, 0.125, 1)] == [
        "0 %",
        "0.05 %",
        "1 %",
        "12.5 %",
        "100 %",
    ]


def test_curves_are_written_with_as_many_digits_as_are_seen() -> None:
    columns = series(np.array([0.0, 0.001]), np.array([1 / 3, 0.012345678]))
    assert columns == {"at": [0.0, 0.001], "height": [0.33333, 0.012346]}


def test_a_word_stands_where_there_is_room() -> None:
    assert beside(about(0.04), 0.09)["align"] == "right"
    assert beside(about(0.04), 0.001)["align"] == "left"
