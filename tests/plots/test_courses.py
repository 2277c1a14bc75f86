"""Courses of monitors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from tests.plots.subjects import lines_of, parts_of

import properly
from properly.plots import monitor
from properly.plots._axes import GREY, PALETTE

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
