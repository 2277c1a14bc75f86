"""Pictures of regret curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from scipy.integrate import trapezoid
from scipy.special import logit
from tests.plots.subjects import CONTINUOUS, DISCRETE, P, Y, legend_of, legend_texts

from properly import regret_curve, tally
from properly.counts import baselines
from properly.decisions import murphy_difference
from properly.plots import regret
from properly.plots._axes import PALETTE
from properly.rules import Bounded, Log, Regret

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.plots._threshold_scale import Axis

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

WITHIN = (0.1, 0.4)
MODELS = {"one": regret_curve(CONTINUOUS), "two": regret_curve(DISCRETE)}


def title(ax: Axes) -> str:
    return legend_of(ax).get_title().get_text()


def test_on_a_linear_axis_the_line_is_the_curve() -> None:
    curve = regret_curve(CONTINUOUS)
    ax = regret(curve, baselines=False)
    np.testing.assert_array_equal(ax.get_lines()[0].get_xydata(), np.stack(curve.curve(), axis=1))
    assert ax.get_xlim() == (0, 1)
    assert ax.get_ylim()[0] == 0
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("threshold", "regret")
    assert ax.get_legend() is None


def test_on_log_odds_the_line_jumps_where_the_curve_does_and_bends_between() -> None:
    curve = regret_curve(CONTINUOUS)
    ax = regret(curve, axis="log-odds", limits=(0.02, 0.98))
    x, y = np.asarray(ax.get_lines()[0].get_xydata()).T
    for t, left, right in list(zip(curve.threshold, curve.left, curve.right, strict=True))[1:-1]:
        np.testing.assert_array_equal(y[x == t], [left, right])
    # Halfway between two points of the line, on the axis, it is where the curve is.
    gap = np.diff(x) > 0
    middle = 1 / (1 + np.exp(-(logit(x[:-1]) + logit(x[1:])) / 2))
    height = (y[:-1] + y[1:]) / 2
    np.testing.assert_allclose(height[gap], curve.at(middle[gap]), atol=1e-6)


def test_on_log_odds_the_area_below_the_line_is_the_integral_of_the_log_score() -> None:
    ax = regret(regret_curve(CONTINUOUS), axis="log-odds", limits=WITHIN)
    x, y = np.asarray(ax.get_lines()[0].get_xydata()).T
    inside = (x >= WITHIN[0]) & (x <= WITHIN[1])
    area = trapezoid(y[inside], logit(x[inside]))
    exact = Bounded(Log(), WITHIN, scale="integral")(Y, P)
    assert area == pytest.approx(exact, abs=1e-7)


@pytest.mark.parametrize("axis", ["linear", "log-odds"])
def test_the_legend_gives_the_mean_regret_over_the_range(axis: Axis) -> None:
    ax = regret(MODELS, within=WITHIN, axis=axis, baselines=False)
    means = [Regret(WITHIN)(Y, p) for p in (P, np.round(P, 1))]
    assert legend_texts(ax) == [
        f"{n}  {m:.4f}".replace(" 0.", " .") for n, m in zip(MODELS, means, strict=True)
    ]
    assert title(ax) == "mean regret,\n10 % to 40 %"
    (span,) = ax.patches
    np.testing.assert_allclose(span.get_extents().x0, ax.transData.transform((0.1, 0))[0])
    np.testing.assert_allclose(span.get_extents().x1, ax.transData.transform((0.4, 0))[0])


@pytest.mark.parametrize("axis", ["linear", "log-odds"])
def test_the_grey_lines_are_the_regret_of_acting_on_all_and_on_none(axis: Axis) -> None:
    ax = regret(MODELS, axis=axis)
    assert legend_texts(ax) == ["one", "two", "treat all", "treat none"]
    _, _, everyone, nobody = ax.get_lines()
    constant = baselines(CONTINUOUS)
    for line, name in ((everyone, "treat all"), (nobody, "treat none")):
        x, y = np.asarray(line.get_xydata()).T
        inner = (x > 0) & (x < 1)
        np.testing.assert_allclose(y[inner], regret_curve(constant[name]).at(x[inner]), atol=1e-15)


def test_grey_lines_have_their_mean_regret_and_are_drawn_once() -> None:
    ax = regret({"one": MODELS["one"]}, within=WITHIN)
    regret({"two": MODELS["two"]}, ax, within=WITHIN)
    y, none = [0, 1], np.zeros(2)
    means = [Regret(WITHIN)(y, none + 1), Regret(WITHIN)(y, none)]
    assert legend_texts(ax)[2:] == [
        f"treat all  {means[0]:.4f}".replace(" 0.", " ."),
        "treat none  .3750",
    ]
    assert means[1] == pytest.approx(0.375)
    assert len(ax.patches) == 1
    assert len(ax.get_lines()) == 4


def test_the_height_is_that_of_the_thresholds_in_view() -> None:
    curve = regret_curve(CONTINUOUS)
    ax = regret(curve, limits=(0, 0.1), baselines=False)
    seen = curve.at(np.linspace(0, 0.1, 10_001)[:-1]).max()
    assert ax.get_ylim()[1] == pytest.approx(1.05 * seen, rel=1e-3)
    assert regret(curve, Figure().add_subplot(ylim=(0, 3))).get_ylim() == (0, 3)


def test_a_second_curve_makes_room_for_itself_and_keeps_the_axis() -> None:
    low = regret_curve(tally([0, 1], [0.4, 0.6]))
    high = regret_curve(tally([0, 1], [0.9, 0.1]))
    ax = regret(low, axis="log-odds", limits=(0.05, 0.95), baselines=False)
    before = ax.get_ylim()[1]
    regret(high, ax, baselines=False)
    assert ax.get_ylim()[1] > 2 * before
    assert ax.get_xlabel() == "threshold (log-odds scale)"
    assert [to_hex(line.get_color()).upper() for line in ax.get_lines()] == list(PALETTE[:2])
    longest = [np.diff(logit(np.asarray(line.get_xdata()))).max() for line in ax.get_lines()]
    assert longest[0] == pytest.approx(longest[1])


def test_a_single_curve_may_have_a_name() -> None:
    curve = regret_curve(CONTINUOUS)
    assert legend_texts(regret(curve, label="_mine", baselines=False)) == [" _mine"]
    assert regret({"": curve}, baselines=False).get_legend() is None


def test_parts_and_differences_have_no_grey_lines() -> None:
    assert (
        len(regret(murphy_difference(CONTINUOUS, DISCRETE).on_regret_scale()).get_lines()) == 2
    )  # one at zero
    assert len(regret(regret_curve(CONTINUOUS, part="miscalibration")).get_lines()) == 1
    assert len(regret(regret_curve(CONTINUOUS), baselines=False).get_lines()) == 1
