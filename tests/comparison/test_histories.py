"""Metrics by epoch, however they are handed in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from properly.comparison._epochs import LARGER, as_larger, as_names, read_history
from properly.errors import DataError

VALUES = {"log": [0.9, 0.5, 0.7], "macro_f1": [0.25, 0.5, 1.0]}


@pytest.mark.parametrize(
    "make", [dict, pl.DataFrame, pl.LazyFrame, pd.DataFrame, pa.table], ids=lambda x: x.__name__
)
def test_dicts_and_frames_say_the_same(make: Any) -> None:
    found = read_history(make(VALUES))
    assert list(found) == list(VALUES)
    for name, x in found.items():
        np.testing.assert_array_equal(x, VALUES[name])
        assert x.dtype == np.float64


@pytest.mark.parametrize(
    "values", [(1, 0, 1), np.array([1, 0, 1], dtype=np.float32), [True, False, True]]
)
def test_numbers_of_any_kind_become_floats(values: Any) -> None:
    (x,) = read_history({"error": values}).values()
    assert x.dtype == np.float64
    assert x.tolist() == [1.0, 0.0, 1.0]


def test_what_was_read_cannot_be_changed_and_changes_nothing() -> None:
    given = np.array([1.0, 2.0])
    (x,) = read_history({"log": given}).values()
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 3
    given[0] = 5
    assert x.tolist() == [1.0, 2.0]


def test_infinity_is_a_value() -> None:
    (x,) = read_history({"log": [np.inf, 1.0]}).values()
    assert x.tolist() == [np.inf, 1.0]


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


@pytest.mark.parametrize(
    "values",
    [[0.1, None], [0.1, float("nan")], [0.1, pd.NA], pd.Series([0.1, None], dtype="Float64")],
)
def test_a_value_that_is_missing_is_refused_whatever_says_so(values: Any) -> None:
    with pytest.raises(DataError, match=r"values of .log. in a history .* that of epoch 1 is"):
        read_history({"log": values})
