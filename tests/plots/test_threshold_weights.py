"""Pictures of what rules assume about thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.integrate import trapezoid
from scipy.special import logit

from properly.plots import threshold_weights
from properly.plots._axes import PALETTE
from properly.plots._threshold_weights import TALLEST
from properly.rules import (
    BetaWeighted,
    BinaryRule,
    Bounded,
    Brier,
    Elementary,
    HistogramWeighted,
    Log,
    Misclassification,
    MissedBenefit,
    Mixture,
    PointWeighted,
    Regret,
    Shifted,
    Spherical,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.plots._threshold_scale import Axis

# Rules of finite weight without point masses, bounded densities all.
DENSITIES: list[BinaryRule] = [
    Brier(),
    Spherical(),
    BetaWeighted(2, 2),
    BetaWeighted(2, 8),
    Shifted(0.1),
    Bounded(Brier(), (0.05, 0.2)),
    Bounded(Log(), (0.05, 0.2)),
    Regret((0.0166, 0.03)),
    HistogramWeighted([0.02, 0.05, 0.1, 0.2], [3, 5, 2]),
    Mixture([(3, Brier()), (1, Bounded(Brier(), (0.3, 0.31)))]),
]


def drawn(ax: Axes, which: int = 0) -> Any:
    x, y = np.asarray(ax.get_lines()[which].get_xydata()).T
    return x, y


def said(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def area(x: Any, y: Any, axis: Axis) -> float:
    along = x if axis == "linear" else logit(x)
    return float(trapezoid(np.nan_to_num(y), along))


@pytest.mark.slow
@pytest.mark.parametrize("rule", DENSITIES, ids=lambda rule: rule.name)
def test_the_area_is_one(rule: BinaryRule) -> None:
    x, y = drawn(threshold_weights(rule))
    assert area(x, y, "linear") == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("rule", DENSITIES, ids=lambda rule: rule.name)
def test_on_log_odds_the_area_is_the_share_of_the_weight_in_view(rule: BinaryRule) -> None:
    x, y = drawn(threshold_weights(rule, axis="log-odds"))
    assert (x[0], x[-1]) == (0.001, 0.999)
    share = rule.mass(0.001, 0.999) / rule.mass(0.0, 1.0)
    assert area(x, y, "log-odds") == pytest.approx(share, abs=2e-5)


def test_brier_is_level_in_thresholds_and_log_in_log_odds() -> None:
    np.testing.assert_allclose(drawn(threshold_weights(Brier()))[1], 1, rtol=1e-15)
    ax = threshold_weights(Log(), axis="log-odds", limits=(0.01, 0.9))
    np.testing.assert_allclose(drawn(ax)[1], 1 / (logit(0.9) - logit(0.01)), rtol=1e-12)
    assert said(ax) == ["log, not normalised"]


def test_densities_on_both_axes_are_those_of_the_formulas() -> None:
    x, y = drawn(threshold_weights(BetaWeighted(2, 2)))
    np.testing.assert_allclose(y, 6 * x * (1 - x), atol=1e-12)
    x, y = drawn(threshold_weights(BetaWeighted(2, 2), axis="log-odds"))
    np.testing.assert_allclose(y, 6 * (x * (1 - x)) ** 2, atol=1e-12)


@pytest.mark.parametrize("axis", ["linear", "log-odds"])
def test_a_jump_is_upright_and_nothing_is_drawn_on_the_ground(axis: Axis) -> None:
    x, y = drawn(threshold_weights(Bounded(Brier(), (0.05, 0.2)), axis=axis))
    seen = np.isfinite(y)
    assert np.all(y[seen][1:-1] > 0)
    assert (y[seen][0], y[seen][-1]) == (0, 0)
    np.testing.assert_allclose(x[seen][[0, 1, -2, -1]], [0.05, 0.05, 0.2, 0.2], rtol=1e-14)


def test_point_masses_are_stems_as_tall_as_their_share() -> None:
    ax = threshold_weights(
        {"accuracy": Misclassification(), "three": PointWeighted([0.1, 0.2], [3, 1])}
    )
    assert said(ax) == ["accuracy, point mass", "three, point mass"]
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
    ax = threshold_weights({"both": Mixture([(1, Brier()), (2, Elementary(0.3))]), "log": Log()})
    assert said(ax) == ["both", "log, not normalised"]
    density, stem, log = ax.get_lines()
    np.testing.assert_allclose(drawn(ax)[1], 0.5)
    assert np.nanmax(np.asarray(stem.get_ydata())) == pytest.approx(TALLEST / 2)
    assert [line.get_color() for line in (density, stem, log)] == [*PALETTE[:1] * 2, PALETTE[1]]


def test_rules_in_a_list_are_known_by_their_own_names() -> None:
    ax = threshold_weights([Brier(), Bounded(Brier(), (0.05, 0.2)), MissedBenefit()])
    assert said(ax) == ["brier", "bounded_brier[0.05,0.2]", "missed_benefit, not normalised"]
    assert said(threshold_weights(Brier())) == ["brier"]


def test_a_second_call_goes_on_and_makes_room() -> None:
    ax = threshold_weights(Brier(), axis="log-odds")
    before = ax.get_ylim()[1]
    threshold_weights({"narrow": Regret((0.1, 0.12))}, ax)
    assert ax.get_ylim()[1] > 10 * before
    assert ax.get_ylabel() == "weight per unit of log-odds"
    assert said(ax) == ["brier", "narrow"]
    threshold_weights({"flat": Brier()}, ax)
    assert ax.get_ylim()[1] > 10 * before
    fixed = Figure().add_subplot(ylim=(0, 3))
    assert threshold_weights(Regret((0.1, 0.12)), fixed).get_ylim() == (0, 3)
