"""The axis of thresholds on the page."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.report.threshold_subjects import in_view

from properly import Interval
from properly._boundary._text import percent
from properly.report._threshold_charts import (
    DRAWN,
    EDGES,
    drawn_at,
    threshold_axis,
    views,
    zoom_words,
)


def about(rate: float, within: tuple[float, float] | None = None) -> Any:
    return SimpleNamespace(event_rate=rate, within=within and Interval(*within))


def exponents(scale: dict[str, Any]) -> Any:
    return {"sqrt": 0.5, None: 1}.get(scale.get("type"), scale.get("exponent"))


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
    assert views(e)[0].power == power
    scale = threshold_axis(e)["scale"]
    assert in_view(scale["domain"], zoomed=False) == [0, 1]
    assert in_view(exponents(scale), zoomed=False) == power


@pytest.mark.parametrize(
    ("rate", "within", "seen"),
    [
        (0.04, (0.01, 0.1), (0, 0.1225, 1)),
        (0.04, (0.4, 0.6), (0.35, 0.65, 1)),
        (0.4, (0.9, 1), (0.875, 1, 1)),
        (0.4, (0.001, 0.002), (0.00075, 0.00225, 1)),
        # From far below its end on, small thresholds need more room.
        (0.004, (0.0005, 0.1), (0, 0.124875, 0.5)),
        (0.4, (0.0001, 0.1), (0, 0.124975, 0.25)),
        (0.004, (0, 0.1), (0, 0.125, 0.5)),
        (0.04, (0, 0.1), (0, 0.125, 1)),
    ],
)
def test_a_range_is_looked_at_with_a_little_on_either_side(
    rate: float, within: tuple[float, float], seen: tuple[float, float, float]
) -> None:
    e = about(rate, within)
    assert views(e)[1] == seen
    scale = threshold_axis(e)["scale"]
    assert in_view(scale["domain"], zoomed=True) == list(seen[:2])
    assert in_view(exponents(scale), zoomed=True) == seen[2]
    assert zoom_words(e) == f"{percent(within[0])} to {percent(within[1])}"


@pytest.mark.parametrize("within", [None, (0, 1), (0.05, 0.8)])
def test_nearly_all_thresholds_are_no_view_of_their_own(
    within: tuple[float, float] | None,
) -> None:
    e = about(0.04, within)
    assert len(views(e)) == 1
    assert zoom_words(e) == ""
    assert "expr" not in str(threshold_axis(e))
    np.testing.assert_array_equal(drawn_at(e), DRAWN)


@pytest.mark.parametrize("rate", [0.3, 0.04, 0.001])
def test_ticks_are_round_and_apart(rate: float) -> None:
    ends = [0, 0.0001, 0.0005, 0.003, 0.01, 0.02, 0.1, 0.25, 0.4, 0.55, 0.6, 0.85, 1]
    for lower, upper in combinations(ends, 2):
        for k, view in enumerate(views(about(rate, (lower, upper)))):
            ticks = np.array(view.ticks())
            assert 4 <= len(ticks) <= 13
            assert ticks.min() >= view.lower
            assert ticks.max() <= view.upper
            assert all(float(f"{t:.3g}") == t for t in ticks)
            assert np.diff(view.place(ticks)).min() >= (0.0599 if k else 0.04)


@pytest.mark.parametrize("within", [(0.4, 0.6), (0.01, 0.1), (0.0005, 0.1), (0.001, 0.002)])
def test_lines_look_smooth_where_a_range_is_looked_at(within: tuple[float, float]) -> None:
    e = about(0.04, within)
    _, view = views(e)
    at = drawn_at(e)
    assert set(DRAWN) < set(at)
    inside = at[(at >= view.lower) & (at <= view.upper)]
    assert (inside[0], inside[-1]) == (view.lower, view.upper)
    # Of 640 pixels, some ten; but next to 0, where a power stretches what is hardly there.
    assert np.diff(view.place(inside))[1:].max() < 0.015
    assert len(at) - len(DRAWN) <= 400


def test_steps_are_finer_below_one_percent() -> None:
    steps = np.diff(EDGES)
    np.testing.assert_allclose(steps[EDGES[1:] <= 0.01], 0.0001)
    np.testing.assert_allclose(steps[EDGES[1:] > 0.01], 0.001)
    assert len(DRAWN) < 400
    assert (DRAWN[0], DRAWN[-1]) == (0, 0.99)
    assert np.all(np.diff(DRAWN) > 0)
