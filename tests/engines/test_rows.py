"""What rows of a frame are asked before they are counted."""

from __future__ import annotations

import math
from types import SimpleNamespace

import narwhals.stable.v2 as nw
import polars as pl

from properly._boundary._arrays import HUGE, TINY
from properly.engines._rows import (
    WHOLE,
    Rows,
    floor,
    is_sound_count,
    is_sound_forecast,
    is_sound_weight,
)


def asked(expression: nw.Expr, **column: list[float]) -> list[float]:
    """Ask a frame of one column."""
    frame = nw.from_native(pl.DataFrame(column))
    return frame.select(expression.alias("x"))["x"].to_list()


def test_forecasts_are_probabilities_with_both_ends() -> None:
    p = [0.0, 1.0, 0.5, math.nextafter(1, 2), -5e-324]
    assert asked(is_sound_forecast("p"), p=p) == [1, 1, 1, 0, 0]


def test_weights_are_zero_or_not_too_small_and_not_too_large() -> None:
    w = [0.0, TINY, HUGE, math.nextafter(TINY, 0), math.nextafter(HUGE, math.inf), -1.0]
    assert asked(is_sound_weight(), w=w) == [1, 1, 1, 0, 0, 0]


def test_counts_are_whole_numbers_from_zero() -> None:
    k = [0.0, 3.0, 2.5, -1.0, float(WHOLE), math.nextafter(float(WHOLE), 0)]
    assert asked(is_sound_count(), k=k) == [1, 1, 0, 0, 0, 1]


def test_what_no_whole_number_holds_is_rounded_to_zero() -> None:
    x = [2.5, -2.5, 0.0, 1e30, -1e30]
    assert asked(floor(nw.col("x")), x=x) == [2.0, -3.0, 0.0, 0.0, 0.0]


def test_outcomes_that_are_true_or_false_are_labelled_so_or_by_one_and_zero() -> None:
    rows = SimpleNamespace(kind=nw.Boolean())
    for label, expected in ((1, [1, 0]), (True, [1, 0]), (0, [0, 1]), (False, [0, 1]), (2, [0, 0])):
        assert asked(Rows.is_label(rows, label), y=[True, False]) == expected  # type: ignore[arg-type]
