"""Pictures of differences in net benefit."""

from __future__ import annotations

import numpy as np
import pytest

from properly import Cases, decision_difference, plots, tally
from properly.errors import ArgumentTypeError
from properly.plots._axes import PALETTE

RNG = np.random.default_rng(5)
P = RNG.random(600).round(2)
Y = RNG.random(600) < P
Q = np.clip(P + RNG.normal(0, 0.2, 600), 0, 1).round(2)
PAIR = Cases(Y, P), Cases(Y, Q)
GAIN = decision_difference(*PAIR, band="confidence")


def test_the_line_has_both_limits_of_every_threshold() -> None:
    ax = plots.decision_difference(GAIN)
    x, y = np.asarray(ax.get_lines()[0].get_xydata()).T
    np.testing.assert_array_equal(x[::2], GAIN.threshold)
    np.testing.assert_array_equal(y[::2], GAIN.net_benefit)
    np.testing.assert_array_equal(y[1::2], GAIN.right)
    assert ax.get_xlim() == (0.01, 0.99)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("threshold", "difference in net benefit")
    assert ax.get_legend() is None


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


@pytest.mark.parametrize("axis", ["linear", "log-odds", "quadratic", "logarithmic"])
def test_every_axis_can_be_had(axis: str) -> None:
    exact = decision_difference(tally(Y, P), tally(Y, Q), "every")
    ax = plots.decision_difference(exact, axis=axis, limits=(0.02, 0.3))  # type: ignore[arg-type]
    assert ax.get_xlim() == pytest.approx((0.02, 0.3))


def test_one_threshold_can_be_drawn() -> None:
    ax = plots.decision_difference(decision_difference(tally(Y, P), tally(Y, Q), [0.2]))
    assert ax.get_xlim() == (0, 1)


def test_something_else_is_refused() -> None:
    with pytest.raises(ArgumentTypeError):
        plots.decision_difference(tally(Y, P))  # type: ignore[arg-type]
