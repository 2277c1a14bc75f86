"""Curves over thresholds: Murphy diagrams, regret, net benefit and its differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from scipy.integrate import quad, trapezoid
from scipy.special import logit
from tests.plots.subjects import CONTINUOUS, DISCRETE, P, Y, legend_of, legend_texts, lines_of

from properly import Interval, plots, tally
from properly.counts import baselines
from properly.decisions import (
    decision_curve,
    decision_difference,
    mean_net_benefit,
    murphy_curve,
    murphy_difference,
    regret_curve,
)
from properly.plots import decision, regret
from properly.plots._axes import PALETTE
from properly.plots._threshold_scale import SCALES, Axis
from properly.rules import Bounded, Log, MissedBenefit, Regret

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from properly import Tally
    from properly.decisions._murphy import Part
    from properly.rules import BinaryRule

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")


def test_the_line_goes_through_both_limits_at_each_threshold() -> None:
    curve = murphy_curve(CONTINUOUS)
    ax = plots.murphy(curve)
    np.testing.assert_array_equal(ax.get_lines()[0].get_xydata(), np.stack(curve.curve(), axis=1))
    assert ax.get_xlim() == (0, 1)
    assert ax.get_ylim()[0] == 0
    assert ax.get_legend() is None


def test_a_band_is_a_ribbon_of_a_curve_that_is_alone() -> None:
    curve = murphy_curve(CONTINUOUS, band="confidence")
    (ribbon,) = plots.murphy(curve).collections
    assert isinstance(ribbon, PolyCollection)
    assert not plots.murphy({"one": curve, "two": curve}).collections


def test_a_difference_has_a_line_at_zero_once() -> None:
    ax = plots.murphy(murphy_difference(CONTINUOUS, DISCRETE))
    plots.murphy(murphy_difference(DISCRETE, CONTINUOUS), ax)
    assert [line.get_gid() for line in ax.get_lines()].count("zero") == 1
    assert ax.get_ylim()[0] < 0
    assert ax.get_ylabel() == "difference in mean elementary score"


@pytest.mark.parametrize("part", ["miscalibration", "discrimination", "uncertainty"])
def test_a_part_is_named(part: Part) -> None:
    assert plots.murphy(murphy_curve(CONTINUOUS, part=part)).get_ylabel() == part
    mixed = {"all": murphy_curve(CONTINUOUS), part: murphy_curve(CONTINUOUS, part=part)}
    assert plots.murphy(mixed).get_ylabel() == "mean elementary score"


def test_regret_is_named() -> None:
    assert plots.murphy(regret_curve(CONTINUOUS)).get_ylabel() == "regret"
    gain = murphy_difference(CONTINUOUS, DISCRETE).on_regret_scale()
    assert plots.murphy(gain).get_ylabel() == "difference in regret"
    part = regret_curve(CONTINUOUS, part="discrimination")
    assert plots.murphy(part).get_ylabel() == "discrimination"
    mixed = {"regret": regret_curve(CONTINUOUS), "twice": murphy_curve(CONTINUOUS)}
    assert plots.murphy(mixed).get_ylabel() == "mean elementary score"


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


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_many_names_stand_beside_the_picture_of_the_caller(layout: Any) -> None:
    figure = Figure(figsize=(10, 3), layout=layout)
    first, second = figure.subplots(1, 2)
    for k in range(10):
        regret({f"model {k}": regret_curve(CONTINUOUS)}, first)
    decision({f"model {k}": decision_curve(CONTINUOUS) for k in range(10)}, second)
    figure.draw_without_rendering()
    for ax, end in ((first, second.get_tightbbox().x0), (second, figure.bbox.x1)):
        box = legend_of(ax).get_window_extent()
        assert ax.get_window_extent().x1 <= box.x0 < box.x1 <= end + 1


def test_parts_and_differences_have_no_grey_lines() -> None:
    assert (
        len(regret(murphy_difference(CONTINUOUS, DISCRETE).on_regret_scale()).get_lines()) == 2
    )  # one at zero
    assert len(regret(regret_curve(CONTINUOUS, part="miscalibration")).get_lines()) == 1
    assert len(regret(regret_curve(CONTINUOUS), baselines=False).get_lines()) == 1


AXES: tuple[Axis, ...] = get_args(Axis)
NET = {
    "one": decision_curve(CONTINUOUS, "every"),
    "two": decision_curve(DISCRETE, "every"),
}

rng = np.random.default_rng(5)
MANY = np.round(rng.beta(1, 4, 400), 2)
HAPPENED = rng.uniform(size=400) < MANY
HARD = np.array([0, 0, 1, 1, 0, 1, 0, 0])
# Ties, weights, certain forecasts that are right and wrong.
SAMPLES: dict[str, tuple[Any, Any, Any]] = {
    "few": (Y, P, None),
    "ties": (HAPPENED, MANY, None),
    "weights": (HAPPENED, MANY, rng.uniform(size=400)),
    "certain": (HARD, np.array([0.0, 1, 1, 0, 0, 1, 0.3, 0.3]), None),
}
# The rule whose mean each area is, and what the area is divided by.
MEANING: dict[Axis, tuple[Callable[[tuple[float, float]], BinaryRule], Callable[[Any], Any]]] = {
    "linear": (lambda ends: Bounded(MissedBenefit(), ends), lambda c: c),
    "quadratic": (Regret, lambda c: c),
    "logarithmic": (lambda ends: Bounded(Log(), ends), logit),
}


def tally_of(sample: str) -> Tally:
    y, p, weight = SAMPLES[sample]
    return tally(y, p, weight=weight)


def data(ax: Axes, which: int = 0) -> Any:
    return np.asarray(ax.get_lines()[which].get_xydata()).T


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("axis", MEANING)
def test_on_each_scale_the_mean_is_that_of_the_rule_to_the_last_digits(
    axis: Axis, sample: str
) -> None:
    record, ends, scale = decision_curve(tally_of(sample), "every"), (0.03, 0.3), SCALES[axis]
    mean = record.missed.mean(Interval(*ends), scale.forward, scale.odds_area, scale.length)
    assert mean == pytest.approx(MEANING[axis][0](ends)(*SAMPLES[sample]), rel=1e-13)


@pytest.mark.parametrize(
    ("axis", "title"),
    [
        ("linear", "mean net benefit,\n1 % to 10 %"),
        ("log-odds", "mean missed benefit\non log-odds,\n1 % to 10 %"),
        ("quadratic", "mean regret,\n1 % to 10 %"),
        ("logarithmic", "bounded log score,\n1 % to 10 %"),
    ],
)
def test_a_legend_says_of_what_it_gives_the_mean(axis: Axis, title: str) -> None:
    ax = decision(NET, within=(0.01, 0.1), axis=axis)
    assert legend_of(ax).get_title().get_text() == title


def test_on_the_linear_axis_the_legend_gives_mean_net_benefit() -> None:
    t = tally_of("ties")
    ax = decision({"mine": decision_curve(t, "every")}, within=(0.05, 0.2))
    means = {"mine": mean_net_benefit(t, (0.05, 0.2))}
    means |= {
        name: mean_net_benefit(baselines(t)[name], (0.05, 0.2))
        for name in ("treat all", "treat none")
    }
    assert means["mine"] > means["treat all"] > means["treat none"] == pytest.approx(0, abs=1e-15)
    labels = [f"{name}  {mean:.4f}".replace(" 0.", " .") for name, mean in means.items()]
    assert legend_texts(ax) == [*labels, "perfect forecasts"]
    harmed = decision(decision_curve(t, "every", harm=0.01), within=(0.05, 0.2))
    assert legend_texts(harmed)[0] == f"{means['mine'] - 0.01:.4f}".removeprefix("0")


def test_on_log_odds_the_mean_is_one_over_log_odds() -> None:
    record, (a, b) = NET["one"], (0.25, 0.28)  # no forecast lies between
    assert not ((record.threshold >= a) & (record.threshold <= b)).any()
    integral, _ = quad(
        lambda x: float(record.event_rate - record.at(1 / (1 + np.exp(-x)))), logit(a), logit(b)
    )
    ax = decision(record, within=(a, b), axis="log-odds")
    width = logit(b) - logit(a)
    scale = SCALES["log-odds"]
    mean = record.missed.mean(Interval(a, b), scale.forward, scale.odds_area, scale.length)
    assert mean == pytest.approx(integral / width, rel=1e-12)
    assert legend_texts(ax)[0] == f"{mean:.4f}".removeprefix("0")


@pytest.mark.parametrize("axis", AXES)
def test_an_exact_curve_jumps_and_bends_as_net_benefit_does(axis: Axis) -> None:
    record = NET["one"]
    ax = decision(record, axis=axis, limits=(0.02, 0.9))
    x, y = data(ax)
    for t, value, right in zip(record.threshold, record.net_benefit, record.right, strict=True):
        if 0.02 < t < 0.9:
            assert y[x == t].tolist() == [value, right]
    scale = SCALES[axis]
    gap = (np.diff(x) > 0) & (x[:-1] >= 0.02) & (x[1:] <= 0.9)
    middle = scale.inverse((scale.forward(x[:-1][gap]) + scale.forward(x[1:][gap])) / 2)
    height = ((y[:-1] + y[1:]) / 2)[gap]
    np.testing.assert_allclose(height, record.at(middle), atol=2e-5)


@pytest.mark.parametrize("axis", AXES)
def test_the_grey_lines_are_acting_on_all_and_on_none(axis: Axis) -> None:
    ax = decision(NET, axis=axis)
    assert legend_texts(ax) == ["one", "two", "treat all", "treat none"]
    constant = decision_curve(baselines(CONTINUOUS)["treat all"], "every")
    x, y = data(ax, 2)
    np.testing.assert_allclose(y, constant.at(x), rtol=1e-9, atol=1e-12)
    assert not data(ax, 3)[1].any()
    assert legend_texts(decision(NET, baselines=False)) == ["one", "two"]


def test_chosen_thresholds_are_joined_by_straight_lines() -> None:
    record = decision_curve(CONTINUOUS, [0.1, 0.25, 0.5])
    ax = decision(record, axis="log-odds")
    np.testing.assert_array_equal(data(ax), [record.threshold, record.net_benefit])
    assert ax.get_xlim() == (0.1, 0.5)
    assert decision(NET["one"]).get_xlim() == (0, 1)
    assert decision(decision_curve(CONTINUOUS, [0.25])).get_xlim() == (0, 1)


def test_a_second_call_keeps_the_axis_and_draws_grey_lines_once() -> None:
    ax = decision({"one": NET["one"]}, axis="quadratic", limits=(0, 0.5))
    height = ax.get_ylim()
    decision({"two": NET["two"]}, ax)
    assert legend_texts(ax) == ["one", "two", "treat all", "treat none"]
    assert ax.get_xlabel() == "threshold (quadratic scale)"
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 0.5), height)
    drawn = lines_of(ax, "curve")
    assert [to_hex(line.get_color()).upper() for line in drawn] == list(PALETTE[:2])


@pytest.mark.parametrize("thresholds", ["every", np.arange(1, 10) / 10])
@pytest.mark.parametrize("axis", AXES)
def test_a_band_of_net_benefit_is_a_ribbon_if_alone(axis: Axis, thresholds: Any) -> None:
    record = decision_curve(CONTINUOUS, thresholds, band="confidence")
    (ribbon,) = decision(record, axis=axis).collections
    assert len(np.asarray(ribbon.get_paths()[0].vertices)) > 10
    assert not decision({"one": record, "two": record}, axis=axis).collections


RNG = np.random.default_rng(5)
RISK = RNG.random(600).round(2)
DIED = RNG.random(600) < RISK
Q = np.clip(RISK + RNG.normal(0, 0.2, 600), 0, 1).round(2)
# With few thresholds there is much between them.
COARSE = (
    tally(DIED, RISK.round(1)),
    tally(DIED, Q.round(1)),
)
EXACT = decision_difference(*COARSE, "every")
FIRST, SECOND = (decision_curve(t, "every") for t in COARSE)


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


def test_the_height_of_a_difference_is_that_in_view() -> None:
    heights = EXACT.at(np.linspace(0.02, 0.25, 20_000))
    assert heights.min() >= 0
    bottom, top = plots.decision_difference(EXACT, limits=(0.02, 0.25)).get_ylim()
    assert bottom == pytest.approx(-0.05 * heights.max(), rel=1e-3)
    assert top == pytest.approx(1.05 * heights.max(), rel=1e-3)
    assert np.abs(EXACT.at(0.999)) > 10 * top
    worse = decision_difference(
        tally(DIED, Q),
        tally(DIED, RISK),
        [0.3, 0.4],
    )
    assert (worse.net_benefit < 0).all()
    assert plots.decision_difference(worse).get_ylim()[1] > 0  # the line at zero is in view


def test_one_threshold_can_be_drawn() -> None:
    ax = plots.decision_difference(
        decision_difference(
            tally(DIED, RISK),
            tally(DIED, Q),
            [0.2],
        )
    )
    assert ax.get_xlim() == (0, 1)
