"""Metrics by epoch however they are handed in, and the picture of a training run."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text
from reproductions.epochs.history import LARGER, as_larger, as_names, read_history
from reproductions.epochs.picture import STOREY, scaled, stacked, training
from tests.plots.subjects import figure_of, lines_of, parts_of, texts_of

from properly.errors import DataError
from properly.plots._axes import NAME, PALETTE, TEXT

NUMBERS = {"log": [0.9, 0.5, 0.7], "macro_f1": [0.25, 0.5, 1.0]}


@pytest.mark.parametrize(
    "make", [dict, pl.DataFrame, pl.LazyFrame, pd.DataFrame, pa.table], ids=lambda x: x.__name__
)
def test_dicts_and_frames_say_the_same(make: Any) -> None:
    found = read_history(make(NUMBERS))
    assert list(found) == list(NUMBERS)
    for name, x in found.items():
        np.testing.assert_array_equal(x, NUMBERS[name])
        assert x.dtype == np.float64


def test_a_single_name_is_not_taken_letter_by_letter() -> None:
    assert as_names("log", "by") == ("log",)
    assert as_names(["log", "error"], "by") == ("log", "error")
    assert as_larger("log", ["log", "o"]) == ("log",)


def test_only_what_is_assumed_may_be_absent() -> None:
    assert as_larger(LARGER, ["log"]) == ()
    assert as_larger((), ["log"]) == ()
    assert as_larger(LARGER, ["log", "macro_f1"]) == LARGER
    with pytest.raises(DataError, match="must have the column 'macro_F1'"):
        as_larger(["macro_F1"], ["log", "macro_f1"])


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
