"""Pictures of decision curves."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
from matplotlib.colors import to_hex
from scipy.integrate import quad
from scipy.special import logit
from tests.plots.subjects import CONTINUOUS, DISCRETE, P, Y, legend_of, legend_texts

from properly import Interval, tally
from properly.counts import baselines
from properly.decisions import decision_curve, mean_net_benefit
from properly.plots import decision, regret
from properly.plots._axes import PALETTE
from properly.plots._threshold_scale import SCALES, Axis
from properly.rules import Bounded, Log, MissedBenefit, Regret

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from properly import Tally
    from properly.rules import BinaryRule

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

AXES: tuple[Axis, ...] = get_args(Axis)
MODELS = {"one": decision_curve(CONTINUOUS, "every"), "two": decision_curve(DISCRETE, "every")}

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


def shaded_area(ax: Axes) -> float:
    """Measure the polygon that is drawn, where the axis has it."""
    (polygon,) = (artist for artist in ax.collections if artist.get_gid() == "missed")
    x, y = np.asarray(polygon.get_paths()[0].vertices).T
    x = ax.xaxis.get_transform().transform(x)
    return float(abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2)


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
    ax = decision(MODELS, within=(0.01, 0.1), axis=axis)
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
    record, (a, b) = MODELS["one"], (0.25, 0.28)  # no forecast lies between
    assert not ((record.threshold >= a) & (record.threshold <= b)).any()
    integral, _ = quad(
        lambda x: float(record.event_rate - record.at(1 / (1 + np.exp(-x)))), logit(a), logit(b)
    )
    ax = decision(record, within=(a, b), axis="log-odds")
    width = logit(b) - logit(a)
    assert shaded_area(ax) == pytest.approx(integral, abs=1e-7)
    scale = SCALES["log-odds"]
    mean = record.missed.mean(Interval(a, b), scale.forward, scale.odds_area, scale.length)
    assert mean == pytest.approx(integral / width, rel=1e-12)
    assert legend_texts(ax)[0] == f"{mean:.4f}".removeprefix("0")


def test_regret_and_net_benefit_are_drawn_with_the_same_words() -> None:
    words = ["within", "axis", "baselines", "band", "color", "label", "limits"]
    for picture in (decision, regret):
        assert list(signature(picture).parameters) == ["curve", "ax", *words]


@pytest.mark.parametrize("axis", AXES)
def test_an_exact_curve_jumps_and_bends_as_net_benefit_does(axis: Axis) -> None:
    record = MODELS["one"]
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
    ax = decision(MODELS, axis=axis)
    assert legend_texts(ax) == ["one", "two", "treat all", "treat none"]
    constant = decision_curve(baselines(CONTINUOUS)["treat all"], "every")
    x, y = data(ax, 2)
    np.testing.assert_allclose(y, constant.at(x), rtol=1e-9, atol=1e-12)
    assert not data(ax, 3)[1].any()
    assert legend_texts(decision(MODELS, baselines=False)) == ["one", "two"]


def test_chosen_thresholds_are_joined_by_straight_lines() -> None:
    record = decision_curve(CONTINUOUS, [0.1, 0.25, 0.5])
    ax = decision(record, axis="log-odds")
    np.testing.assert_array_equal(data(ax), [record.threshold, record.net_benefit])
    assert ax.get_xlim() == (0.1, 0.5)
    assert decision(MODELS["one"]).get_xlim() == (0, 1)
    assert decision(decision_curve(CONTINUOUS, [0.25])).get_xlim() == (0, 1)


def test_a_second_call_keeps_the_axis_and_draws_grey_lines_once() -> None:
    ax = decision({"one": MODELS["one"]}, axis="quadratic", limits=(0, 0.5))
    height = ax.get_ylim()
    decision({"two": MODELS["two"]}, ax)
    assert legend_texts(ax) == ["one", "two", "treat all", "treat none"]
    assert ax.get_xlabel() == "threshold (quadratic scale)"
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 0.5), height)
    drawn = [line for line in ax.get_lines() if line.get_gid() == "curve"]
    assert [to_hex(line.get_color()).upper() for line in drawn] == list(PALETTE[:2])


@pytest.mark.parametrize("thresholds", ["every", np.arange(1, 10) / 10])
@pytest.mark.parametrize("axis", AXES)
def test_a_band_is_a_ribbon_of_a_curve_that_is_alone(axis: Axis, thresholds: Any) -> None:
    record = decision_curve(CONTINUOUS, thresholds, band="confidence")
    (ribbon,) = decision(record, axis=axis).collections
    assert len(np.asarray(ribbon.get_paths()[0].vertices)) > 10
    assert not decision({"one": record, "two": record}, axis=axis).collections
    assert len(decision({"one": record, "two": record}, band=True).collections) == 2
