"""Axes of thresholds, and what rules weigh along them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.integrate import quad, trapezoid
from scipy.special import logit
from tests.plots.subjects import legend_texts

from properly import rules
from properly._boundary._text import percent
from properly.decisions._grid import odds
from properly.errors import DataError
from properly.inference import Band
from properly.plots import threshold_weights
from properly.plots._axes import PALETTE
from properly.plots._threshold_scale import (
    APART,
    SCALES,
    TALLEST,
    Axis,
    Thresholds,
    ThresholdSpan,
    bend_band,
    ticks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


AXES: tuple[Axis, ...] = get_args(Axis)
RANGES = [(0.01, 0.1), (0.0166, 0.03), (0.001, 0.999), (0.3, 0.4), (1e-5, 2e-3)]


@pytest.mark.parametrize("axis", AXES)
def test_a_position_leads_back_to_its_threshold(axis: Axis) -> None:
    c = np.array([1e-6, 0.01, 0.3, 0.5, 0.9, 0.999])
    scale = SCALES[axis]
    np.testing.assert_allclose(scale.inverse(scale.forward(c)), c, rtol=1e-9)
    assert np.all(np.diff(scale.forward(c)) > 0)


@pytest.mark.parametrize("axis", AXES)
def test_the_area_under_the_odds_is_their_integral_along_the_axis(axis: Axis) -> None:
    scale, (a, b) = SCALES[axis], (0.05, 0.4)
    integral, _ = quad(lambda x: float(odds(scale.inverse(x))), scale.forward(a), scale.forward(b))
    assert scale.odds_area(b) - scale.odds_area(a) == pytest.approx(integral, rel=1e-12)


@pytest.mark.parametrize("ends", RANGES)
@pytest.mark.parametrize("axis", AXES)
def test_ticks_are_round_in_view_and_apart(axis: Axis, ends: tuple[float, float]) -> None:
    view = ThresholdSpan(SCALES[axis], *ends)
    places = ticks(view)
    assert len(places) >= 3
    assert ends[0] <= places[0] < places[-1] <= ends[1]
    assert np.diff(view.place(np.array(places))).min() >= APART
    assert all(len(f"{100 * t:.6g}") <= 6 for t in places)


def test_ticks_on_log_odds_are_told_in_percent() -> None:
    ax = Figure().add_subplot()
    Thresholds(ax, axis="log-odds", limits=(0.01, 0.1), choices=AXES)
    shown = [label.get_text() for label in ax.get_xticklabels()]
    assert shown == ["1 %", "2 %", "3 %", "5 %", "7 %", "10 %"]
    assert ax.get_xlabel() == "threshold (log-odds scale)"
    assert [percent(t) for t in (0, 0.07, 0.001, 0.0166)] == ["0 %", "7 %", "0.1 %", "1.66 %"]


@pytest.mark.parametrize("axis", AXES)
def test_the_axes_stand_at_the_positions_of_the_scale(axis: Axis) -> None:
    ax = Figure().add_subplot()
    view = Thresholds(ax, axis=axis, limits=(0.02, 0.4), choices=AXES).view
    c = np.array([0.02, 0.1, 0.4])
    pixels = ax.transData.transform(np.stack([c, 0 * c], axis=1))[:, 0]
    share = (pixels - pixels[0]) / (pixels[-1] - pixels[0])
    np.testing.assert_allclose(share, view.place(c), atol=1e-12)


def test_a_second_call_keeps_the_scale_and_the_limits_unless_told() -> None:
    ax = Figure().add_subplot()
    first = Thresholds(ax, axis="log-odds", limits=(0.01, 0.1), choices=AXES).view
    assert Thresholds(ax, axis=None, limits=None, choices=AXES).view == first
    assert Thresholds(ax, axis="linear", limits=None, choices=AXES).view.scale.name == "linear"
    assert ax.get_xscale() == "linear"
    assert ax.get_xlim() == (0.01, 0.1)
    assert Thresholds(ax, axis=None, limits=None, choices=AXES).view.scale.name == "linear"


def test_an_end_at_infinity_is_cut_to_the_forecasts() -> None:
    ax = Figure().add_subplot()
    knots = np.concatenate([[0, 1e-9], np.linspace(0.02, 0.6, 300), [1]])
    view = Thresholds(ax, axis="log-odds", limits=None, choices=AXES, thresholds=[knots]).view
    assert 0.01 < view.lower <= 0.0233  # one forecast of a billionth does not stretch the axis
    assert 0.59 < view.upper < 0.65
    part = Thresholds(ax, axis=None, limits=(0, 0.3), choices=AXES, thresholds=[knots]).view
    assert (part.lower, part.upper) == (view.lower, 0.3)
    low = Thresholds(ax, axis=None, limits=(0, 0.001), choices=AXES, thresholds=[knots]).view
    assert (low.lower, low.upper) == (0.0001, 0.001)


def test_the_owner_of_the_axes_keeps_limits_that_the_scale_has() -> None:
    ax = Figure().add_subplot(xlim=(0.02, 0.3))
    view = Thresholds(ax, axis="logarithmic", limits=None, choices=AXES).view
    assert (view.lower, view.upper) == ax.get_xlim() == (0.02, 0.3)
    ax = Figure().add_subplot(xlim=(-0.1, 0.3))
    assert Thresholds(ax, axis=None, limits=None, choices=AXES).view[1:] == (0, 0.3)
    assert ax.get_xlim() == (-0.1, 0.3)
    view = Thresholds(ax, axis="logarithmic", limits=None, choices=AXES).view
    assert ax.get_xlim() == (view.lower, view.upper) == (0.001, 0.3)


def test_an_axis_that_the_picture_does_not_have_is_refused() -> None:
    with pytest.raises(DataError, match=r"axis must be 'linear' or 'log-odds'; got 'quadratic'"):
        Thresholds(Figure().add_subplot(), axis="quadratic")


def test_a_bent_band_keeps_its_gaps() -> None:
    x = np.array([0.0, 0.1, 0.2, 0.4, 1.0])
    lower = np.array([0.0, 0.1, 0.2, np.nan, -np.inf])
    band = Band(x, lower, lower + 1, "score", 0.9, "confidence")
    assert bend_band(ThresholdSpan(SCALES["linear"], 0.05, 0.8), band) is band
    bent = bend_band(ThresholdSpan(SCALES["log-odds"], 0.05, 0.8), band)
    assert (bent.x[0], bent.x[-1]) == (0.05, 0.8)
    before = bent.x <= 0.2
    np.testing.assert_allclose(bent.lower[before], bent.x[before])
    np.testing.assert_allclose(bent.upper[before], 1 + bent.x[before])
    assert np.isnan(bent.lower[~before]).all()


LINE = np.array([0.0, 0.5, 1.0]), np.array([0.2, 0.4, -0.1])


def test_what_needs_no_model_is_drawn_once_and_does_not_stretch_the_picture() -> None:
    ax = Figure().add_subplot()
    ax.plot(*LINE)
    picture = Thresholds(ax)
    for rate in (0.25, 0.25, 0.5):
        far = np.array([0.0, 1.0]), np.array([0.0, -1e6])
        picture.draw_plain("treat all", far, rate, 0.1, 1)
        picture.draw_zero()
    assert [line.get_label() for line in ax.get_lines()][1::2] == ["treat all  .1"] * 2
    assert len(ax.get_lines()) == 4
    assert ax.get_ylim()[0] > -1


def test_the_height_is_that_of_what_is_in_view() -> None:
    ax = Figure().add_subplot()
    ax.plot(*LINE, gid="curve")
    assert Thresholds(ax, limits=(0, 0.25)).heights() == pytest.approx((0.2, 0.3))
    more = np.array([0.0, 1.0]), np.array([0.7, np.nan])
    half = Thresholds(ax, limits=(0, 0.5))
    half.set_height()
    assert ax.get_ylim() == pytest.approx((0, 0.42))
    assert ax.get_autoscaley_on()
    half.draw_zero()
    half.set_height()
    assert ax.get_ylim() == pytest.approx((-0.02, 0.42))
    whole = Thresholds(ax, limits=(0, 1))
    assert whole.heights([more]) == (-0.1, 0.7)
    whole.set_height([more])
    assert ax.get_ylim() == pytest.approx((-0.14, 0.74))


# Rules of finite weight without point masses, bounded densities all.
DENSITIES: list[rules.BinaryRule] = [
    rules.Brier(),
    rules.Spherical(),
    rules.BetaWeighted(2, 2),
    rules.BetaWeighted(2, 8),
    rules.Shifted(0.1),
    rules.Bounded(rules.Brier(), (0.05, 0.2)),
    rules.Bounded(rules.Log(), (0.05, 0.2)),
    rules.Regret((0.0166, 0.03)),
    rules.HistogramWeighted([0.02, 0.05, 0.1, 0.2], [3, 5, 2]),
    rules.Mixture([(3, rules.Brier()), (1, rules.Bounded(rules.Brier(), (0.3, 0.31)))]),
]


def drawn(ax: Axes, which: int = 0) -> Any:
    x, y = np.asarray(ax.get_lines()[which].get_xydata()).T
    return x, y


def area(x: Any, y: Any, axis: Axis) -> float:
    along = x if axis == "linear" else logit(x)
    return float(trapezoid(np.nan_to_num(y), along))


@pytest.mark.parametrize("rule", DENSITIES, ids=lambda rule: rule.name)
def test_on_log_odds_the_area_is_the_share_of_the_weight_in_view(rule: rules.BinaryRule) -> None:
    x, y = drawn(threshold_weights(rule, axis="log-odds"))
    assert (x[0], x[-1]) == (0.001, 0.999)
    share = rule.mass(0.001, 0.999) / rule.mass(0.0, 1.0)
    assert area(x, y, "log-odds") == pytest.approx(share, abs=1e-2)


def test_densities_on_both_axes_are_those_of_the_formulas() -> None:
    x, y = drawn(threshold_weights(rules.BetaWeighted(2, 2)))
    np.testing.assert_allclose(y, 6 * x * (1 - x), atol=1e-12)
    x, y = drawn(threshold_weights(rules.BetaWeighted(2, 2), axis="log-odds"))
    np.testing.assert_allclose(y, 6 * (x * (1 - x)) ** 2, atol=1e-12)


@pytest.mark.parametrize("axis", ["linear", "log-odds"])
def test_a_jump_is_steep_and_nothing_is_drawn_on_the_ground(axis: Axis) -> None:
    x, y = drawn(threshold_weights(rules.Bounded(rules.Brier(), (0.05, 0.2)), axis=axis))
    seen = np.isfinite(y)
    assert np.all(y[seen][1:-1] > 0)
    assert (y[seen][0], y[seen][-1]) == (0, 0)
    np.testing.assert_allclose(x[seen][[0, 1, -2, -1]], [0.05, 0.05, 0.2, 0.2], rtol=2e-2)


def test_point_masses_are_stems_as_tall_as_their_share() -> None:
    ax = threshold_weights(
        {"accuracy": rules.Misclassification(), "three": rules.PointWeighted([0.1, 0.2], [3, 1])}
    )
    assert legend_texts(ax) == ["accuracy, point mass", "three, point mass"]
    np.testing.assert_array_equal(drawn(ax), [[0.5, 0.5, np.nan], [0, TALLEST, np.nan]])
    x, y = drawn(ax, 1)
    np.testing.assert_array_equal(x, [0.1, 0.1, np.nan, 0.2, 0.2, np.nan])
    np.testing.assert_allclose(y, TALLEST * np.array([0, 0.75, np.nan, 0, 0.25, np.nan]))
    # Heights are shares of the picture, whatever its scale.
    ax.set_ylim(0, 17)
    stem = ax.get_lines()[0]
    assert ax.transAxes.inverted().transform(stem.get_transform().transform((0.5, TALLEST)))[
        1
    ] == pytest.approx(TALLEST)


def test_a_rule_with_both_has_one_name_and_one_colour() -> None:
    ax = threshold_weights(
        {
            "both": rules.Mixture([(1, rules.Brier()), (2, rules.Elementary(0.3))]),
            "log": rules.Log(),
        }
    )
    assert legend_texts(ax) == ["both", "log, not normalised"]
    density, stem, log = ax.get_lines()
    np.testing.assert_allclose(drawn(ax)[1], 0.5)
    assert np.nanmax(np.asarray(stem.get_ydata())) == pytest.approx(TALLEST / 2)
    assert [line.get_color() for line in (density, stem, log)] == [*PALETTE[:1] * 2, PALETTE[1]]
