"""Retention curves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import to_rgba
from tests.plots.subjects import lines_of

from properly import plots
from properly.decisions import retention_curve, retention_study
from properly.decisions._retention import ORACLE
from properly.plots._axes import GREY, PALETTE, RIBBON

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 4, 200)
D = np.clip(Y + RNG.integers(-1, 2, 200), 0, 3)
SCORES = {"good": np.abs(Y - D) + RNG.random(200), "poor": RNG.random(200)}
STUDY = retention_study(SCORES, Y, D, metric="expected_cost", replicates=2, rng=1)
CURVE = STUDY.curves["good"]


def names(ax: Axes) -> list[Any]:
    return [text for text in ax.texts if text.get_gid() == "name at the end"]


def test_lines_are_the_curves_of_the_study_in_percent() -> None:
    ax = plots.retention(STUDY)
    assert [line.get_label() for line in lines_of(ax)] == ["good", "poor", ORACLE]
    for line, curve in zip(lines_of(ax), STUDY.curves.values(), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), 100 * curve.removed)
        np.testing.assert_array_equal(line.get_ydata(), curve.value)
    assert ax.get_xlim() == (0, 20)
    assert ax.get_xlabel() == "cases removed, in percent"
    assert ax.get_ylabel() == "expected cost\n(lower is better)"


def test_the_oracle_is_dashed_and_grey_and_takes_no_colour() -> None:
    oracle_first = {ORACLE: STUDY.curves[ORACLE], "good": CURVE}
    ax = plots.retention(oracle_first)
    plots.retention({"poor": STUDY.curves["poor"]}, ax)
    looks = {line.get_label(): (line.get_color(), line.get_linestyle()) for line in lines_of(ax)}
    assert looks == {ORACLE: (GREY, "--"), "good": (PALETTE[0], "-"), "poor": (PALETTE[1], "-")}


def test_kappa_is_better_the_higher_and_a_function_has_its_name() -> None:
    kappa = retention_curve(SCORES["good"], Y, D)
    assert plots.retention(kappa).get_ylabel() == "quadratic weighted kappa\n(higher is better)"

    def hit_rate(y: Any, d: Any) -> float:
        return float(np.mean(y == d))

    ax = plots.retention(retention_curve(SCORES["good"], Y, D, metric=hit_rate))
    assert ax.get_ylabel() == "hit_rate"
    ax = plots.retention(replace(CURVE, metric="$x$"))
    assert ax.get_ylabel() == r"\$x\$"
    assert not ax.yaxis.label.get_usetex()


def test_names_stand_at_the_ends_in_the_colours_of_the_curves() -> None:
    ax = plots.retention(STUDY)
    assert ax.get_legend() is None
    for text, line in zip(names(ax), lines_of(ax), strict=True):
        assert text.get_text() == line.get_label()
        assert text.get_color() == line.get_color()
        assert text.xy == (20, line.get_ydata()[-1])


def test_a_metric_without_a_value_leaves_a_gap_of_its_own() -> None:
    value = CURVE.value.copy()
    value[:3] = np.nan
    value[-2:] = np.nan
    ax = plots.retention(replace(CURVE, value=value), label="part")
    assert ax.get_xlim() == (0, 20)
    (text,) = names(ax)
    assert text.xy == (100 * CURVE.removed[-3], value[-3])
    nothing = replace(CURVE, value=np.full_like(value, np.nan))
    assert not names(plots.retention(nothing, label="none"))


def test_a_second_curve_makes_room_for_itself_and_all_are_named_anew() -> None:
    long = retention_curve(
        SCORES["poor"], Y, D, metric="expected_cost", removed=np.linspace(0, 0.5, 11)
    )
    ax = plots.retention(CURVE, label="short")
    plots.retention(long, ax, label="long")
    assert ax.get_xlim() == (0, 50)
    assert [text.get_text() for text in names(ax)] == ["short", "long"]


def test_bands_are_drawn_if_asked_for_and_of_two_scores_only() -> None:
    three = retention_study(
        {"a": SCORES["good"], "b": SCORES["poor"], "c": RNG.random(200)}, Y, D, replicates=5, rng=1
    )
    assert not plots.retention(three).collections
    ax = plots.retention(three, band=True)
    ribbons = [item for item in ax.collections if item.get_gid() == "band"]
    assert len(ribbons) == len(ax.collections) == 2
    for ribbon, name, color in zip(ribbons, "ab", PALETTE, strict=False):
        np.testing.assert_array_equal(ribbon.get_facecolor(), [to_rgba(color, RIBBON)])
        lower, upper = three.bands[name]
        corners = {tuple(corner) for corner in np.asarray(ribbon.get_paths()[0].vertices)}
        x = 100 * three.curves[name].removed
        assert set(zip(x, lower, strict=True)) | set(zip(x, upper, strict=True)) <= corners
