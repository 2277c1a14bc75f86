"""Courses of monitors and of training runs."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text
from tests.plots.subjects import figure_of, lines_of, parts_of, texts_of

import properly
from properly.plots import monitor, training
from properly.plots._axes import GREY, NAME, PALETTE, TEXT
from properly.plots._case_plots import STOREY, scaled, stacked

RNG = np.random.default_rng(5)
P = RNG.beta(1, 3, 600)
Y = (RNG.random(600) < P).astype(int)
GROUP = np.repeat(["a", "b", "c"], 200)


def watched(y: Any = Y, p: Any = None, options: dict[str, Any] | None = None, **beside: Any) -> Any:
    watch = properly.Monitor(**(options or {}))
    watch.add(y, {"model": P} if p is None else p, **beside)
    return watch


def names(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def dots(ax: Any) -> list[tuple[float, float]]:
    drawn = parts_of(ax, "alarm")
    return [tuple(np.asarray(dot.get_offsets())[0].tolist()) for dot in drawn]


def test_a_line_is_the_evidence_as_powers_of_ten_from_1_on() -> None:
    watch = watched()
    ax: Any = monitor(watch)
    (line,), (evidence,) = lines_of(ax), watch.evidence
    assert list(line.get_xdata()) == [0, *evidence.times]
    inside = np.clip(evidence.path / math.log(10), *ax.get_ylim())
    np.testing.assert_allclose(line.get_ydata(), [0, *inside], rtol=1e-12)
    assert names(ax) == ["alarm at 20", "model miscalibrated"]
    assert ax.get_xlim() == (0, 600)
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "cases, in the order of their forecasts",
        "evidence",
    )


def test_a_threshold_is_where_an_alarm_is_and_a_dot_marks_it() -> None:
    watch = watched([1] * 40, {"model": [0.2] * 40})
    ax: Any = monitor(watch)
    (alarm,) = watch.alarms
    (threshold,) = lines_of(ax, "threshold")
    assert threshold.get_ydata()[0] == pytest.approx(math.log10(20))
    ((case, height),) = dots(ax)
    assert case == alarm.case == 6
    assert height == pytest.approx(math.log10(alarm.evidence))
    assert names(ax)[1] == "model miscalibrated: alarm after 6 cases"
    # The picture ends a little above what is enough, however much there is.
    assert ax.get_ylim()[1] < 1.1 * 2 * math.log10(20)
    assert lines_of(ax)[0].get_ydata()[-1] == ax.get_ylim()[1]


def test_evidence_without_bound_is_at_the_upper_edge() -> None:
    ax: Any = monitor(watched([1, 0], {"model": [0.0, 0.5]}))
    assert dots(ax) == [(1, ax.get_ylim()[1])]
    assert np.isfinite(lines_of(ax)[0].get_ydata()).all()


def test_models_have_colours_and_comparisons_broken_lines() -> None:
    ax: Any = monitor(watched(p={"a": P, "b": P / 2}, options={"against": "a"}))
    looks = [(line.get_color(), line.get_linestyle()) for line in lines_of(ax)]
    assert looks == [(PALETTE[0], "-"), (PALETTE[1], "-"), (PALETTE[1], "--")]
    assert [x.partition(":")[0] for x in names(ax)] == [
        "alarm at 60",
        "a miscalibrated",
        "b miscalibrated",
        "b beaten at times",
    ]


def test_groups_are_thin_and_grey_unless_they_have_an_alarm() -> None:
    y = np.where(GROUP == "b", RNG.random(600) < 0.9, Y).astype(int)
    ax: Any = monitor(watched(y, groups=GROUP))
    quiet, every = lines_of(ax, "group"), lines_of(ax)
    assert len(quiet) == 1
    assert [to_hex(line.get_color()) for line in every] == [
        GREY.lower(),
        PALETTE[0].lower(),
        PALETTE[0].lower(),
    ]
    assert [line.get_linewidth() for line in every] == [0.8, 1.4, 1.0]
    labels = [line.get_label() for line in every]
    assert labels[0] == "2 claims about groups"
    assert labels[2].startswith("model miscalibrated, group b: alarm after ")
    assert names(ax)[:2] == ["alarm at 40", "alarm in a group at 160"]
    assert len(dots(ax)) == 2


def test_groups_that_came_later_need_more_evidence() -> None:
    watch = watched(groups=GROUP)
    watch.add([1], {"model": [0.5]}, groups=["new"])
    ax: Any = monitor(watch)
    assert names(ax)[1] == "alarm in a group at 160 or more"


def test_after_a_restart_a_line_begins_anew() -> None:
    watch = watched([1] * 30, {"model": [0.1] * 30}, {"run_length": 100})
    ax: Any = monitor(watch)
    cases, height = lines_of(ax)[0].get_data()
    assert len(watch.alarms) > 1
    for alarm in watch.alarms:
        here = height[cases == alarm.case]
        assert here[0] == pytest.approx(math.log10(alarm.evidence))
        assert list(here[1:]) == [0] * len(here[1:])
        assert len(here) >= 2
    assert names(ax)[1] == f"model miscalibrated: {len(watch.alarms)} alarms"


HISTORY = {
    "log": [0.9, 0.5, 0.7, 1.3, 1.7],
    "macro_f1": [0.1, 0.2, 0.3, 0.5, 0.4],
    "error": [0.5, 0.4, 0.3, 0.25, 0.3],
}


def best_dots(ax: Any) -> dict[str, tuple[float, float]]:
    """Return where dots are, by colour."""
    drawn = parts_of(ax, "best")
    return {
        to_hex(np.asarray(dot.get_facecolor())[0]): tuple(np.asarray(dot.get_offsets())[0].tolist())
        for dot in drawn
    }


def test_every_metric_runs_from_its_worst_to_its_best_upwards() -> None:
    ax: Any = training(HISTORY)
    log, f1, error = (line.get_ydata() for line in lines_of(ax))
    np.testing.assert_allclose(log, [8 / 12, 1, 10 / 12, 4 / 12, 0], atol=1e-12)
    np.testing.assert_allclose(f1, [0, 0.25, 0.5, 1, 0.75], atol=1e-12)
    np.testing.assert_allclose(error, [0, 0.4, 0.8, 1, 0.8], atol=1e-12)
    for line in lines_of(ax):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(5))
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["worst", "best"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("epoch", "each at its own scale")


def test_dots_mark_the_best_epochs_and_are_stacked_where_they_would_touch() -> None:
    places = best_dots(training(HISTORY))
    assert places[PALETTE[0].lower()] == (1, 1)
    assert places[PALETTE[1].lower()] == (3, 1)
    assert places[PALETTE[2].lower()] == pytest.approx((3, 1 + STOREY))


def test_a_dot_goes_to_the_lowest_free_storey() -> None:
    there = [(10.0, 1.0), (11.0, 1 + STOREY), (40.0, 1.0)]
    assert stacked(10.5, 1.0, there, 2) == pytest.approx(1 + 2 * STOREY)
    assert stacked(8.5, 1.0, there, 2) == pytest.approx(1 + STOREY)
    assert stacked(30, 1.0, there, 2) == 1
    assert stacked(10, 0.5, there, 2) == 0.5


def test_names_tell_the_best_epoch_and_stand_at_the_ends() -> None:
    ax: Any = training(HISTORY)
    assert texts_of(ax, NAME) == [
        "log, epoch 1",
        "macro_f1, epoch 3",
        "error, epoch 3",
    ]
    assert ax.get_legend() is None
    for text, line in zip(ax.texts, lines_of(ax), strict=True):
        assert text.get_color() == line.get_color()
        assert text.xy == (4, line.get_ydata()[-1])


def test_names_do_not_overlap() -> None:
    ax: Any = training({f"metric {k}": np.arange(20) for k in range(7)})
    figure_of(ax)
    # Of the words alone: the box of an annotation has its arrow in it.
    boxes = sorted((Text.get_window_extent(text) for text in ax.texts), key=lambda box: box.y0)
    for below, above in pairwise(boxes):
        assert below.y1 < above.y0


def test_a_reference_is_black_and_others_tell_how_they_agree_with_it() -> None:
    ax: Any = training(HISTORY, reference="macro_f1")
    assert texts_of(ax, NAME) == [
        "macro_f1, epoch 3",
        "log, epoch 1, r = −.66",
        "error, epoch 3, r = .95",
    ]
    looks = [(line.get_color(), line.get_linewidth()) for line in lines_of(ax)]
    assert looks == [(TEXT, 2.4), (PALETTE[0], 1.4), (PALETTE[1], 1.4)]
    (mark,) = lines_of(ax, "best of the reference")
    assert list(mark.get_xdata()) == [3, 3]
    assert best_dots(ax)[TEXT.lower()] == (3, 1)


def test_the_reference_may_be_a_loss() -> None:
    ax: Any = training(HISTORY, reference="log", larger=("macro_f1",))
    assert texts_of(ax, NAME)[0] == "log, epoch 1"
    (mark,) = lines_of(ax, "best of the reference")
    assert list(mark.get_xdata()) == [1, 1]


def test_infinite_values_leave_gaps_and_no_dot() -> None:
    values = np.array([np.inf, 0.5, np.inf, 0.25])
    np.testing.assert_array_equal(scaled(-values), [np.nan, 0, np.nan, 1])
    ax: Any = training({"log": values, "none": np.full(4, np.inf)})
    assert list(best_dots(ax).values()) == [(3, 1)]
    assert texts_of(ax, NAME) == ["log, epoch 3"]
    assert ax.get_xlim() == (0, 3)


def test_a_correlation_that_is_not_defined_is_said_to_be_so() -> None:
    ax: Any = training({"macro_f1": [0.1, 0.2], "flat": [1, 1]}, reference="macro_f1")
    assert texts_of(ax, NAME) == ["macro_f1, epoch 1", "flat, epoch 0, r = undefined"]
    np.testing.assert_array_equal(lines_of(ax)[1].get_ydata(), [0.5, 0.5])


def test_frames_are_drawn_as_dicts_are_and_names_are_text() -> None:
    ax: Any = training(pl.DataFrame({"$\\alpha$": [2, 1], "_x": [1, 2]}))
    assert texts_of(ax, NAME) == [r"\$\alpha\$, epoch 1", " _x, epoch 0"]
    assert not any(text.get_usetex() for text in ax.texts)
