"""Cases: retention, the worst ones, and forecasts step by step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from tests.plots.subjects import figure_of, lines_of, parts_of

from properly import Cases, plots, tally
from properly.decisions import cumulative_forecast, retention_curve, retention_study, worst_cases
from properly.decisions._retention import ORACLE
from properly.decisions._single_cases import worst_forecasts
from properly.plots._axes import GREY, NAME, PALETTE, RIBBON
from properly.rules import RPS, Brier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from properly.decisions._single_cases import CumulativeForecast


NEAR = cumulative_forecast(0, [0.25, 0.75, 0])
FAR = cumulative_forecast(0, [0.25, 0, 0.75])
GRADES = ["none", "possible", "incapacitating", "killed"]
LATE = cumulative_forecast("incapacitating", [0.4, 0.3, 0.2, 0.1], GRADES)


def line(ax: Axes, gid: str) -> Any:
    (artist,) = lines_of(ax, gid)
    return artist


def squares(ax: Axes) -> list[Rectangle]:
    return [x for x in ax.patches if isinstance(x, Rectangle) and x.get_gid() == "squares"]


def written(ax: Axes) -> list[str]:
    (upper,) = ax.child_axes
    return [label.get_text() for label in upper.get_xticklabels()]


def caption(ax: Axes) -> str:
    (upper,) = ax.child_axes
    return upper.get_xlabel()


@pytest.mark.parametrize("record", [NEAR, FAR, LATE])
def test_the_steps_are_the_cumulative_probabilities(record: CumulativeForecast) -> None:
    ax = plots.cumulative_forecast(record)
    for gid, steps in {"curve": record.cumulative, "outcome": record.step}.items():
        drawn = line(ax, gid)
        assert drawn.get_drawstyle() == "steps-post"
        np.testing.assert_array_equal(drawn.get_xdata()[1:-1], np.arange(len(record.p)))
        np.testing.assert_array_equal(drawn.get_ydata()[1:-1], steps)
        assert drawn.get_ydata()[0] == 0
        np.testing.assert_allclose(drawn.get_ydata()[-1], 1)


@pytest.mark.parametrize("record", [NEAR, FAR, LATE])
def test_the_dark_share_of_a_column_is_the_squared_difference(record: CumulativeForecast) -> None:
    areas = squares(plots.cumulative_forecast(record))
    np.testing.assert_array_equal(
        [square.get_width() * square.get_height() for square in areas], record.squared
    )
    for k, square in enumerate(areas):
        assert k <= square.get_x() <= square.get_x() + square.get_width() <= k + 1
        between = sorted([record.cumulative[k], record.step[k]])
        ends = [square.get_y(), square.get_y() + square.get_height()]
        np.testing.assert_allclose(ends, between, atol=1e-15)


def test_the_numbers_are_written_and_their_mean_before_them() -> None:
    assert written(plots.cumulative_forecast(NEAR)) == [".5625", ".0000"]
    assert caption(plots.cumulative_forecast(FAR)) == "RPS .5625 is the mean of"


def test_several_have_panels_side_by_side_on_one_scale() -> None:
    axes = plots.cumulative_forecast({"near": NEAR, "far": FAR})
    assert [ax.get_title() for ax in axes] == ["near", "far"]
    figure_of(axes[0])
    left, right = (ax.get_window_extent() for ax in axes)
    assert left.x1 < right.x0
    assert (left.y0, left.y1) == (right.y0, right.y1)
    assert left.width == pytest.approx(right.width)
    assert axes[0].get_ylim() == axes[1].get_ylim() == (-0.02, 1.02)
    assert axes[0].get_xlim() == axes[1].get_xlim() == (-0.35, 2.35)
    assert [caption(ax)[:9] for ax in axes] == ["RPS .2812", "RPS .5625"]


def test_a_given_axes_is_drawn_on_and_has_its_legend_where_there_is_room() -> None:
    for record, early in ((NEAR, True), (LATE, False)):
        ax = Figure().add_subplot()
        assert plots.cumulative_forecast(record, ax) is ax
        plots.cumulative_forecast(record, ax)
        figure_of(ax)
        legend = ax.get_legend()
        assert legend is not None
        labels = [text.get_text() for text in legend.get_texts()]
        assert labels == ["forecast", "outcome", "difference", "its square"]
        box, frame = legend.get_window_extent(), ax.get_window_extent()
        assert (box.x0 > (frame.x0 + frame.x1) / 2) == early
        assert (box.y0 < (frame.y0 + frame.y1) / 2) == early


RNG = np.random.default_rng(5)
Y = RNG.integers(0, 4, 200)
D = np.clip(Y + RNG.integers(-1, 2, 200), 0, 3)
SCORES = {"good": np.abs(Y - D) + RNG.random(200), "poor": RNG.random(200)}
STUDY = retention_study(SCORES, Y, D, metric="expected_cost", replicates=2, rng=1)
CURVE = STUDY.curves["good"]


def names(ax: Axes) -> list[Any]:
    return [text for text in ax.texts if text.get_gid() == NAME]


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
    ax = plots.retention({"part": replace(CURVE, value=value)})
    assert ax.get_xlim() == (0, 20)
    (text,) = names(ax)
    assert text.xy == (100 * CURVE.removed[-3], value[-3])
    nothing = replace(CURVE, value=np.full_like(value, np.nan))
    assert not names(plots.retention({"none": nothing}))


def test_a_curve_that_a_later_one_covers_is_wider() -> None:
    near, far = (replace(CURVE, value=CURVE.value + x * np.ptp(CURVE.value)) for x in (0.005, 0.2))
    ax = plots.retention({"covered": CURVE, "near": near, "far": far})
    assert [line.get_linewidth() for line in lines_of(ax)] == [4, 1.6, 1.6]


def test_a_second_curve_makes_room_for_itself_and_all_are_named_anew() -> None:
    long = retention_curve(
        SCORES["poor"], Y, D, metric="expected_cost", removed=np.linspace(0, 0.5, 11)
    )
    ax = plots.retention({"short": CURVE})
    plots.retention({"long": long}, ax)
    assert ax.get_xlim() == (0, 50)
    assert [text.get_text() for text in names(ax)] == ["short", "long"]


def test_bands_are_drawn_if_asked_for_and_of_two_scores_only() -> None:
    three = retention_study(
        {"a": SCORES["good"], "b": SCORES["poor"], "c": RNG.random(200)}, Y, D, replicates=5, rng=1
    )
    assert not plots.retention(three).collections
    ax = plots.retention(three, band=True)
    ribbons = parts_of(ax, "band")
    assert len(ribbons) == len(ax.collections) == 2
    for ribbon, name, color in zip(ribbons, "ab", PALETTE, strict=False):
        np.testing.assert_array_equal(ribbon.get_facecolor(), [to_rgba(color, RIBBON)])
        lower, upper = three.bands[name]
        corners = {tuple(corner) for corner in np.asarray(ribbon.get_paths()[0].vertices)}
        x = 100 * three.curves[name].removed
        assert set(zip(x, lower, strict=True)) | set(zip(x, upper, strict=True)) <= corners


STAGES = ("none", "early", "significant")
P = np.array([[0.8, 0.1, 0.1], [1, 0, 0], [0.2, 0.5, 0.3], [0.004, 0.001, 0.995]])
CASES = Cases([STAGES[k] for k in (0, 2, 1, 0)], P, labels=STAGES)
WORST = worst_cases(CASES, RPS(), k=3)


def bars(ax: Axes) -> Any:
    """Return the bars of the probabilities, one row a case and one column a class."""
    drawn = [bar for bar in ax.patches if bar.get_gid() != "outcome"]
    rows = round(ax.get_ylim()[0] + 0.5)
    return np.array(drawn, dtype=object).reshape(-1, rows).T


def losses(ax: Axes) -> list[str]:
    (side,) = ax.child_axes
    return [label.get_text() for label in side.get_yticklabels()]


def test_bars_are_as_long_as_the_probabilities() -> None:
    drawn = bars(plots.worst_cases(WORST))
    assert drawn.shape == (3, 3)
    for row, column in np.ndindex(3, 3):
        bar = drawn[row, column]
        assert bar.get_width() == pytest.approx(WORST.p[row, column], abs=1e-15)
        assert bar.get_x() == column - 0.5
        assert bar.get_y() + bar.get_height() / 2 == pytest.approx(row)


def test_the_worst_is_on_top_and_its_loss_is_written() -> None:
    ax = plots.worst_cases(WORST)
    assert WORST.row.tolist() == [1, 3, 2]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["row 1", "row 3", "row 2"]
    assert losses(ax) == ["1.0000", ".9910", ".0650"]
    bottom, top = ax.get_ylim()
    assert bottom > top  # row 0 is the uppermost
    assert ax.texts[-1].get_text() == "loss (rps)"


def test_what_happened_is_framed() -> None:
    drawn = parts_of(plots.worst_cases(WORST), "outcome")
    middle = [(x.get_x() + x.get_width() / 2, x.get_y() + x.get_height() / 2) for x in drawn]
    np.testing.assert_allclose(middle, [(2, 0), (0, 1), (1, 2)])
    assert all(frame.get_facecolor()[3] == 0 for frame in drawn)


def test_numbers_are_not_rounded_to_certainty() -> None:
    ax = plots.worst_cases(WORST)
    shown = np.array([text.get_text() for text in ax.texts[:9]]).reshape(3, 3).T
    assert shown.tolist() == [["1", "0", "0"], ["<.01", "<.01", ">.99"], [".20", ".50", ".30"]]


def test_an_event_has_two_columns() -> None:
    worst = worst_cases(Cases([0, 1, 1], [0.1, 0.3, 0.6]), Brier(), k=2)
    ax = plots.worst_cases(worst)
    drawn = bars(ax)
    widths = [[bar.get_width() for bar in row] for row in drawn]
    np.testing.assert_allclose(widths, [[0.7, 0.3], [0.4, 0.6]])
    assert [label.get_text() for label in ax.get_xticklabels() if label.get_visible()] == [
        "no event",
        "event",
    ]
    assert [frame.get_x() + frame.get_width() / 2 for frame in parts_of(ax, "outcome")] == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("labels", [None, "very long class label no. {}", "Unbreakable{}" * 2])
def test_ten_classes_and_ten_cases_are_whole_and_apart(labels: str | None) -> None:
    rng = np.random.default_rng(2)
    p, y = rng.dirichlet(np.full(10, 0.3), 40), rng.integers(0, 10, 40)
    named = None if labels is None else [labels.format(k, k) for k in range(10)]
    cases = Cases(y if named is None else [named[k] for k in y], p, labels=named)
    ax = plots.worst_cases(worst_cases(cases, RPS()))
    figure = figure_of(ax)
    paper = figure.bbox
    heads = [label for label in ax.get_xticklabels() if label.get_visible()]
    for text in [*ax.texts, *heads, *ax.get_yticklabels(), ax.xaxis.label]:
        box = text.get_window_extent()
        assert paper.x0 <= box.x0 <= box.x1 <= paper.x1
        assert paper.y0 <= box.y0 <= box.y1 <= paper.y1
    numbers = [text.get_window_extent() for text in ax.texts[:-1]]
    step = ax.get_window_extent().width / 10
    assert max(box.width for box in numbers) < step / 2
    assert not any(box.overlaps(other) for box in numbers for other in numbers if box is not other)


def test_of_counts_how_many_cases_there_were_stands_beside() -> None:
    ax = plots.worst_cases(worst_forecasts(tally([1, 1, 0], [0.2, 0.2, 0.7]), Brier()))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["2 cases", "1 case"]
