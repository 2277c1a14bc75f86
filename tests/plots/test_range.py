"""The range that matters, what needs no model, and how high a picture is."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from properly.errors import DataError
from properly.plots._threshold_scale import (
    SCALES,
    ThresholdSpan,
    draw_plain,
    draw_zero,
    highest,
    one_event_rate,
    set_height,
)

VIEW = ThresholdSpan(SCALES["linear"], 0.0, 1.0)
LINE = np.array([0.0, 0.5, 1.0]), np.array([0.2, 0.4, -0.1])


def test_models_of_the_same_cases_have_one_event_rate() -> None:
    assert one_event_rate([0.25, 0.25 + 1e-12]) == 0.25
    with pytest.raises(DataError, match=r"have one event rate; got 0.25 to 0.5"):
        one_event_rate([0.5, 0.25])


def test_what_needs_no_model_is_drawn_once_and_does_not_stretch_the_picture() -> None:
    ax = Figure().add_subplot()
    far = np.array([0.0, 1.0]), np.array([0.0, -1e6])
    ax.plot(*LINE)
    for rate in (0.25, 0.25, 0.5):
        draw_plain(ax, "treat all", far, rate, "  .1")
    draw_zero(ax)
    draw_zero(ax)
    assert [line.get_label() for line in ax.get_lines()[1:3]] == ["treat all  .1"] * 2
    assert len(ax.get_lines()) == 4
    assert ax.get_ylim()[0] > -1


def test_the_height_is_that_of_what_is_in_view() -> None:
    ax = Figure().add_subplot()
    ax.plot(*LINE, gid="curve")
    assert highest(ax, ThresholdSpan(SCALES["linear"], 0.0, 0.25)) == pytest.approx((0.2, 0.3))
    more = np.array([0.0, 1.0]), np.array([0.7, np.nan])
    assert highest(ax, VIEW, [more]) == (-0.1, 0.7)
    set_height(ax, ThresholdSpan(SCALES["linear"], 0.0, 0.5))
    assert ax.get_ylim() == pytest.approx((0, 0.42))
    assert ax.get_autoscaley_on()
    draw_zero(ax)
    set_height(ax, ThresholdSpan(SCALES["linear"], 0.0, 0.5))
    assert ax.get_ylim() == pytest.approx((-0.02, 0.42))
    set_height(ax, VIEW, [more])
    assert ax.get_ylim() == pytest.approx((-0.14, 0.74))
