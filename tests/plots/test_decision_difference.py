"""Pictures of differences in net benefit."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from properly import Cases, decision_curve, plots, tally
from properly.decisions import decision_difference
from properly.errors import ArgumentTypeError
from properly.plots._axes import PALETTE
from properly.plots._threshold_axis import SCALES, Axis

RNG = np.random.default_rng(5)
P = RNG.random(600).round(2)
Y = RNG.random(600) < P
Q = np.clip(P + RNG.normal(0, 0.2, 600), 0, 1).round(2)
PAIR = Cases(Y, P), Cases(Y, Q)
GAIN = decision_difference(*PAIR, band="confidence")
# With few thresholds there is much between them.
COARSE = tally(Y, P.round(1)), tally(Y, Q.round(1))
EXACT = decision_difference(*COARSE, "every")
FIRST, SECOND = (decision_curve(t, "every") for t in COARSE)
AXES: tuple[Axis, ...] = get_args(Axis)


def test_chosen_thresholds_are_joined_by_straight_lines() -> None:
    ax = plots.decision_difference(GAIN)
    x, y = np.asarray(ax.get_lines()[0].get_xydata()).T
    np.testing.assert_array_equal(x, GAIN.threshold)
    np.testing.assert_array_equal(y, GAIN.net_benefit)
    assert ax.get_xlim() == (0.01, 0.99)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("threshold", "difference in net benefit")
    assert ax.get_legend() is None


@pytest.mark.parametrize("axis", AXES)
def test_an_exact_line_is_at_the_difference_of_two_curves(axis: Axis) -> None:
    ax = plots.decision_difference(EXACT, axis=axis, limits=(0.02, 0.9))
    x, y = np.asarray(ax.get_lines()[0].get_xydata()).T
    c = np.random.default_rng(9).uniform(0.02, 0.9, 50)
    forward = SCALES[axis].forward
    finite = np.isfinite(y)
    height = np.interp(forward(c), forward(x[finite]), y[finite])
    np.testing.assert_allclose(height, FIRST.at(c) - SECOND.at(c), rtol=0, atol=1e-5)
    for t, value, right in zip(EXACT.threshold, EXACT.net_benefit, EXACT.right, strict=True):
        if 0.02 < t < 0.9:
            assert y[x == t].tolist() == [value, right]


def test_the_height_is_that_of_the_thresholds_in_view() -> None:
    heights = EXACT.at(np.linspace(0.02, 0.25, 20_000))
    assert heights.min() >= 0
    bottom, top = plots.decision_difference(EXACT, limits=(0.02, 0.25)).get_ylim()
    assert bottom == pytest.approx(-0.05 * heights.max(), rel=1e-3)
    assert top == pytest.approx(1.05 * heights.max(), rel=1e-3)
    assert np.abs(EXACT.at(0.999)) > 10 * top
    worse = decision_difference(tally(Y, Q), tally(Y, P), [0.3, 0.4])
    assert (worse.net_benefit < 0).all()
    assert plots.decision_difference(worse).get_ylim()[1] > 0  # the line at zero is in view


def test_the_line_at_zero_is_drawn_once() -> None:
    ax = plots.decision_difference({"first": GAIN})
    plots.decision_difference({"second": decision_difference(PAIR[1], PAIR[0])}, ax)
    assert len(ax.get_lines()) == 3
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["first", "second"]
    colors = [
        line.get_color() for line in ax.get_lines() if line.get_label() in ("first", "second")
    ]
    assert colors == list(PALETTE[:2])


def test_a_band_is_a_ribbon_of_a_curve_that_is_alone() -> None:
    assert len(plots.decision_difference(GAIN).collections) == 1
    assert len(plots.decision_difference(GAIN, band=False).collections) == 0
    assert len(plots.decision_difference({"a": GAIN, "b": GAIN}).collections) == 0
    assert len(plots.decision_difference({"a": GAIN, "b": GAIN}, band=True).collections) == 2


@pytest.mark.parametrize("axis", AXES)
def test_every_axis_can_be_had(axis: Axis) -> None:
    ax = plots.decision_difference(EXACT, axis=axis, limits=(0.02, 0.3))
    assert ax.get_xlim() == pytest.approx((0.02, 0.3))


def test_one_threshold_can_be_drawn() -> None:
    ax = plots.decision_difference(decision_difference(tally(Y, P), tally(Y, Q), [0.2]))
    assert ax.get_xlim() == (0, 1)


def test_something_else_is_refused() -> None:
    with pytest.raises(ArgumentTypeError):
        plots.decision_difference(tally(Y, P))  # type: ignore[arg-type]
