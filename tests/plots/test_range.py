"""The range that matters, what needs no model, and how high a picture is."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.plots.subjects import CONTINUOUS, DISCRETE

from properly import Interval, Tally, decision_curve
from properly.errors import DataError
from properly.plots._axes import bands_to_draw, curves, inks
from properly.plots._threshold_axis import (
    SCALES,
    View,
    bend_steps,
    digits_of,
    draw_curves,
    draw_names,
    draw_plain,
    draw_range,
    draw_zero,
    highest,
    name_curves,
    one_event_rate,
    set_height,
    title_of,
)

VIEW = View(SCALES["linear"], 0.0, 1.0)
PLAIN = decision_curve(CONTINUOUS, "every")
COUNTS = Tally.from_counts([0.2, 0.5, 0.8], [90, 70, 40], [15, 38, 33])
BANDED = decision_curve(COUNTS, "every", band="confidence")
LINE = np.array([0.0, 0.5, 1.0]), np.array([0.2, 0.4, -0.1])


def test_models_of_the_same_cases_have_one_event_rate() -> None:
    assert one_event_rate([0.25, 0.25 + 1e-12]) == 0.25
    with pytest.raises(DataError, match=r"have one event rate; got 0.25 to 0.5"):
        one_event_rate([0.5, 0.25])


def test_bands_are_those_asked_for_or_that_of_a_curve_alone() -> None:
    ax = Figure().add_subplot()
    both = {"one": BANDED, "two": BANDED}
    assert list(bands_to_draw(ax, {"one": BANDED}, None)) == ["one"]
    assert bands_to_draw(ax, both, None) == {}
    assert list(bands_to_draw(ax, both, True)) == ["one", "two"]
    assert bands_to_draw(ax, {"one": BANDED}, False) == {}
    assert bands_to_draw(ax, {"one": PLAIN}, True) == {}
    draw_curves(ax, VIEW, {"one": PLAIN}, inks(["one"]), bend_steps, band=None)
    assert bands_to_draw(ax, {"two": BANDED}, None) == {}


def test_models_are_drawn_with_their_bands_whose_edges_come_back() -> None:
    ax = Figure().add_subplot()
    records = {"one": BANDED, "two": PLAIN}
    edges = draw_curves(ax, VIEW, records, inks(records), bend_steps, band=True)
    assert [line.get_label() for line in curves(ax)] == ["one", "two"]
    assert len(ax.collections) == 1
    assert BANDED.band is not None
    for (x, edge), bound in zip(edges, (BANDED.band.lower, BANDED.band.upper), strict=True):
        np.testing.assert_array_equal(x, BANDED.band.x)
        np.testing.assert_array_equal(edge, bound)


def test_a_range_is_shaded_once_and_only_where_it_is_in_view() -> None:
    ax = Figure().add_subplot(xlim=(0, 0.3))
    view = View(SCALES["linear"], 0.0, 0.3)
    for ends in (Interval(0.1, 0.4), Interval(0.1, 0.4), Interval(0.05, 0.1)):
        draw_range(ax, view, ends)
    assert len(ax.patches) == 2
    corner = ax.patches[0].get_extents()
    np.testing.assert_allclose(corner.x1, ax.transData.transform((0.3, 0))[0])


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


def test_a_name_is_followed_by_its_number() -> None:
    ax = Figure().add_subplot()
    records = {"one": PLAIN, "": decision_curve(DISCRETE, "every")}
    draw_curves(ax, VIEW, records, inks(records), bend_steps, band=None)
    name_curves(ax, {"one": 0.25, "": -0.5}, 0, 3)
    draw_names(ax, own=False, title=title_of("mean net benefit", Interval(0.01, 0.1)))
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["one  .250", "−.500"]
    assert legend.get_title().get_text() == "mean net benefit,\n1 % to 10 %"


def test_decimals_tell_values_apart() -> None:
    assert digits_of([]) == 4
    assert digits_of([0.3, -0.00012]) == 4
    assert digits_of([0.00012, 0.00034]) == 6


def test_the_height_is_that_of_what_is_in_view() -> None:
    ax = Figure().add_subplot()
    ax.plot(*LINE, gid="curve")
    assert highest(ax, View(SCALES["linear"], 0.0, 0.25)) == pytest.approx((0.2, 0.3))
    more = np.array([0.0, 1.0]), np.array([0.7, np.nan])
    assert highest(ax, VIEW, [more]) == (-0.1, 0.7)
    set_height(ax, View(SCALES["linear"], 0.0, 0.5))
    assert ax.get_ylim() == pytest.approx((0, 0.42))
    assert ax.get_autoscaley_on()
    draw_zero(ax)
    set_height(ax, View(SCALES["linear"], 0.0, 0.5))
    assert ax.get_ylim() == pytest.approx((-0.02, 0.42))
    set_height(ax, VIEW, [more])
    assert ax.get_ylim() == pytest.approx((-0.14, 0.74))


def test_below_zero_the_height_reaches_up_to_it() -> None:
    ax = Figure().add_subplot()
    ax.plot([0, 1], [-0.4, -0.2], gid="curve")
    set_height(ax, VIEW)
    assert ax.get_ylim() == pytest.approx((-0.42, 0.02))
    owned = Figure().add_subplot(ylim=(-1, 1))
    owned.plot([0, 1], [-0.4, -0.2], gid="curve")
    set_height(owned, VIEW)
    assert owned.get_ylim() == (-1, 1)
