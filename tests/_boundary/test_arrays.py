"""The customs house."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from properly._boundary import _arrays as arrays
from properly.rules import Propriety

Y, P, W = [0, 1, 1], [0.25, 0.5, 1.0], [1.0, 0.5, 0.0]

COLUMNS: dict[str, Any] = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "pandas": pd.Series,
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunks": lambda x: pa.chunked_array([x[:1], x[1:]]),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
def test_every_kind_of_column_gives_the_same_rows(column: Any) -> None:
    rows = arrays.check_rows(column(Y), column(P), column(W))
    assert rows.y.tolist() == [False, True, True]
    assert rows.p.tolist() == P
    assert rows.weight is not None
    assert rows.weight.tolist() == W


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
def test_every_kind_of_column_can_hold_labels(column: Any) -> None:
    y = arrays.check_outcomes(column(["dead", "alive", "dead"]), pos_label="dead")
    assert y.tolist() == [True, False, True]


@pytest.mark.parametrize(
    "y",
    [
        [False, True, True],
        np.array([0, 1, 1], dtype=np.uint8),
        np.array([0.0, 1.0, 1.0], dtype=np.float32),
        np.array([0, 1, 1], dtype=object),
        np.array([False, True, 1], dtype=object),
        pd.Series([0, 1, 1], dtype="Int64"),
        pd.Series(["0", "1", "1"], dtype="category").astype(int),
    ],
    ids=repr,
)
def test_zero_one_outcomes_of_any_type_need_no_label(y: Any) -> None:
    assert arrays.check_outcomes(y).tolist() == [False, True, True]


def test_a_label_that_is_not_there_is_fine_where_there_is_only_one() -> None:
    assert arrays.check_outcomes(["alive", "alive"], pos_label="dead").tolist() == [False, False]
    assert arrays.check_outcomes(["dead", "dead"], pos_label="dead").tolist() == [True, True]
    assert arrays.check_outcomes([0, 0], pos_label=1).tolist() == [False, False]


def test_a_pos_label_can_turn_zero_and_one_around() -> None:
    assert arrays.check_outcomes([0, 1], pos_label=0).tolist() == [True, False]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.float16, np.float32),
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.longdouble, np.float64),
        (">f8", np.float64),
        (np.int64, np.float64),
        (bool, np.float64),
        (object, np.float64),
    ],
)
def test_forecasts_keep_the_type_they_can_be_counted_in(given: Any, kept: Any) -> None:
    p = arrays.check_forecasts(np.array([0, 1, 1]).astype(given))
    assert p.dtype == np.dtype(kept)
    assert p.dtype.isnative
    assert p.tolist() == [0, 1, 1]


def test_numbers_of_other_kinds_are_numbers() -> None:
    assert arrays.check_forecasts([Decimal("0.5"), 1]).tolist() == [0.5, 1]


def test_a_negative_zero_becomes_zero() -> None:
    assert not np.signbit(arrays.check_forecasts(np.array([-0.0, 0.5]))).any()


def test_a_masked_array_without_masked_values_is_an_array() -> None:
    assert arrays.check_forecasts(np.ma.MaskedArray([0.1, 0.2], False)).tolist() == [0.1, 0.2]


def test_the_input_is_never_written_to() -> None:
    p = np.array([-0.0, 0.25])
    p.flags.writeable = False
    arrays.check_rows([0, 1], p, np.array([1.0, 0.0]))
    assert np.signbit(p[0])


def test_weights_may_be_whole_numbers_or_flags() -> None:
    assert arrays.check_weights([True, False]).dtype == np.int64
    assert arrays.check_weights(np.array([1, 2], dtype=np.int32)).dtype == np.int32


def test_a_column_may_hold_anything_that_is_not_missing() -> None:
    dates = np.array(["2001-01-01", "2002-01-01"], dtype="datetime64[D]")
    assert arrays.check_column(dates, "time", np.zeros(2)) is dates
    assert arrays.check_column(["a", "b"], "groups", np.zeros(2)).tolist() == ["a", "b"]


def test_numpy_scalars_among_objects_are_numbers() -> None:
    y = np.array([np.int64(0), np.int64(1)], dtype=object)
    assert arrays.check_outcomes(y).tolist() == [False, True]
    assert arrays.check_forecasts(np.array([np.float64(0.5)], dtype=object)).tolist() == [0.5]


def test_numbers_and_texts_in_one_list_stay_apart() -> None:
    assert arrays.check_outcomes([1, "1"], pos_label="1").tolist() == [False, True]


def test_labels_may_be_dates_and_members_of_an_enumeration() -> None:
    days = np.array(["2001-01-01", "2001-01-02"], dtype="datetime64[ns]")
    assert arrays.check_outcomes(days, pos_label=days[1]).tolist() == [False, True]
    fates = list(Propriety)[:2]
    assert arrays.check_outcomes(fates, pos_label=fates[0]).tolist() == [True, False]
