"""Pictures of differences in net benefit."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from properly import decision_curve, plots, tally
from properly.decisions import decision_difference
from properly.plots._threshold_scale import SCALES, Axis

RNG = np.random.default_rng(5)
P = RNG.random(600).round(2)
Y = RNG.random(600) < P
Q = np.clip(P + RNG.normal(0, 0.2, 600), 0, 1).round(2)
# With few thresholds there is much between them.
COARSE = tally(Y, P.round(1)), tally(Y, Q.round(1))
EXACT = decision_difference(*COARSE, "every")
FIRST, SECOND = (decision_curve(t, "every") for t in COARSE)
AXES: tuple[Axis, ...] = get_args(Axis)


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


def test_one_threshold_can_be_drawn() -> None:
    ax = plots.decision_difference(decision_difference(tally(Y, P), tally(Y, Q), [0.2]))
    assert ax.get_xlim() == (0, 1)
