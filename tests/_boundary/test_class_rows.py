"""Outcomes of several classes, checked."""

from __future__ import annotations

import datetime as dt
from typing import Any

import array_api_strict
import numpy as np
import pandas as pd
import polars as pl
import pytest

from properly._boundary._classes import check_class_rows
from properly.errors import DataError
from properly.rules import Brier

from .test_classes import GRADES, P, refusal

# Numbers


def numbers(y: Any, **options: Any) -> list[int]:
    found = check_class_rows(y, P, **options).y
    assert found.dtype == np.int64
    return list(found.tolist())


NUMBERS: dict[str, Any] = {
    "list": [2, 0, 1],
    "floats": [2.0, 0.0, 1.0],
    "small": np.array([2, 0, 1], dtype=np.uint8),
    "unsigned": np.array([2, 0, 1], dtype=np.uint64),
    "another byte order": np.array([2, 0, 1], dtype=">i4"),
    "objects": np.array([2, 0, 1], dtype=object),
    "pandas": pd.Series([2, 0, 1], index=[5, 6, 7]),
    "pandas, nullable": pd.Series([2, 0, 1], dtype="Int64"),
    "pandas, categories": pd.Series([2, 0, 1], dtype="category"),
    "polars": pl.Series([2, 0, 1]),
    "masked, nothing hidden": np.ma.masked_array([2, 0, 1]),
    "strict": array_api_strict.asarray([2, 0, 1]),
    "strict, small": array_api_strict.asarray([2, 0, 1], dtype=array_api_strict.uint8),
    "strict, unsigned": array_api_strict.asarray([2, 0, 1], dtype=array_api_strict.uint64),
    "strict, floats": array_api_strict.asarray([2.0, 0.0, 1.0]),
    "one-hot list": [[0, 0, 1], [1, 0, 0], [0, 1, 0]],
    "one-hot floats": np.eye(3)[[2, 0, 1]],
    "one-hot flags": np.eye(3, dtype=bool)[[2, 0, 1]],
    "one-hot pandas": pd.get_dummies(pd.Series(["c", "a", "b"])),
    "one-hot polars": pl.DataFrame(np.eye(3)[[2, 0, 1]]),
    "one-hot strict": array_api_strict.asarray(np.eye(3)[[2, 0, 1]]),
    "one-hot strict flags": array_api_strict.asarray(np.eye(3, dtype=bool)[[2, 0, 1]]),
}


@pytest.mark.parametrize("y", NUMBERS.values(), ids=NUMBERS)
def test_class_numbers_are_taken_from_anything(y: Any) -> None:
    assert numbers(y) == [2, 0, 1]
    assert numbers(y, ordered=True) == [2, 0, 1]
    strict = check_class_rows(y, array_api_strict.asarray(P))
    assert strict.y.dtype == array_api_strict.int64
    assert np.asarray(strict.y).tolist() == [2, 0, 1]


def test_classes_may_be_absent_from_the_sample() -> None:
    assert numbers([0, 0, 0]) == [0, 0, 0]
    assert numbers([2, 2, 2]) == [2, 2, 2]
    assert numbers(["mid", "mid", "mid"], labels=GRADES) == [1, 1, 1]
    assert numbers([[0, 0, 1]] * 3) == [2, 2, 2]


# Labels


class Grade:
    """A label that can be told apart, and nothing else."""


FIRST, SECOND, THIRD = Grade(), Grade(), Grade()
DAYS = [dt.date(2020, 1, day) for day in (3, 1, 2)]
# In the order of the columns; never the alphabet's.
LABELS: dict[str, tuple[Any, Any]] = {
    "text": (["high", "low", "mid"], GRADES),
    "array of text": (np.array(["high", "low", "mid"]), np.array(GRADES)),
    "bytes": ([b"h", b"l", b"m"], [b"l", b"m", b"h"]),
    "whole numbers": ([30, 10, 20], [10, 20, 30]),
    "numbers the other way round": ([0, 2, 1], [2, 1, 0]),
    "fractions": ([0.3, 0.1, 0.2], [0.1, 0.2, 0.3]),
    "single precision": (
        np.array([0.3, 0.1, 0.2], dtype="f4"),
        np.array([0.1, 0.2, 0.3], dtype="f4"),
    ),
    "dates": (DAYS, [DAYS[1], DAYS[2], DAYS[0]]),
    "times": (
        np.array(DAYS, dtype="datetime64[D]"),
        np.array([DAYS[1], DAYS[2], DAYS[0]], dtype="datetime64[D]"),
    ),
    "pandas times": (pd.to_datetime(DAYS), list(pd.to_datetime([DAYS[1], DAYS[2], DAYS[0]]))),
    "pandas times of numpy": (
        pd.to_datetime(DAYS).to_numpy("datetime64[ns]"),
        list(pd.to_datetime([DAYS[1], DAYS[2], DAYS[0]])),
    ),
    "nanoseconds": (
        np.array(DAYS, dtype="datetime64[ns]"),
        np.array([DAYS[1], DAYS[2], DAYS[0]], dtype="datetime64[ns]"),
    ),
    "a nanosecond more": (
        np.array([3, 1, 2]).view("datetime64[ns]"),
        np.array([1, 2, 3]).view("datetime64[ns]"),
    ),
    "several kinds": (["high", 1, 2.5], [1, 2.5, "high"]),
    "things without an order": ([THIRD, FIRST, SECOND], [FIRST, SECOND, THIRD]),
    "a range": ([2, 0, 1], range(3)),
    "a generator": (["high", "low", "mid"], (grade for grade in GRADES)),
    "pandas": (pd.Series(["high", "low", "mid"], index=[7, 8, 9]), pd.Index(GRADES)),
    "pandas text": (pd.Series(["high", "low", "mid"], dtype="string"), GRADES),
    "categories": (
        pd.Categorical(["high", "low", "mid"], categories=["mid", "low", "high"], ordered=True),
        GRADES,
    ),
    "categories of pandas": (pd.Series(["high", "low", "mid"], dtype="category"), GRADES),
    "categories of polars": (pl.Series(["high", "low", "mid"], dtype=pl.Categorical), GRADES),
    "levels of polars": (pl.Series(["high", "low", "mid"], dtype=pl.Enum(GRADES)), GRADES),
    "numbers of another library": (array_api_strict.asarray([30, 10, 20]), [10, 20, 30]),
    "one-hot rows": (np.eye(3)[[2, 0, 1]], GRADES),
}


@pytest.mark.parametrize(("y", "labels"), LABELS.values(), ids=LABELS)
def test_labels_of_every_kind_are_looked_up_in_the_order_given(y: Any, labels: Any) -> None:
    labels = list(labels)
    assert numbers(y, labels=labels) == [2, 0, 1]
    assert numbers(y, labels=labels, ordered=True) == [2, 0, 1]
    strict = check_class_rows(y, array_api_strict.asarray(P), labels=labels)
    assert np.asarray(strict.y).tolist() == [2, 0, 1]


def test_class_numbers_may_stand_beside_labels_that_are_no_numbers() -> None:
    """What a record holds, numbers and labels, can be handed back in."""
    assert numbers([2, 0, 1], labels=GRADES) == [2, 0, 1]
    assert numbers(np.array([2, 0, 1], dtype=np.uint8), labels=GRADES) == [2, 0, 1]
    assert numbers([2, 0, 1], labels=[2, 1, 0]) == [0, 2, 1]
    for y in ([0, 1, 3], [0, -1, 2], [0, 0.5, 1]):
        with pytest.raises(DataError, match="outcomes must be"):
            check_class_rows(y, P, labels=GRADES)
    with pytest.raises(DataError, match="outcomes must be among the labels 1, 'mid', 'high'"):
        check_class_rows([0, 1, 2], P, labels=[1, "mid", "high"])


WITHOUT_LABELS: dict[str, Any] = {
    "text": ["b", "c", "a"],
    "array of text": np.array(["b", "c", "a"]),
    "text of numbers": ["1", "2", "0"],
    "bytes": [b"b", b"c", b"a"],
    "categories": pd.Categorical(["b", "c", "a"]),
    "pandas": pd.Series(["b", "c", "a"], dtype="string"),
    "polars": pl.Series(["b", "c", "a"]),
    "times": np.array(["2020-01-02", "2020-01-03", "2020-01-01"], dtype="datetime64[D]"),
    "pandas times": pd.Series(pd.to_datetime(["2020-01-02", "2020-01-03", "2020-01-01"])),
}


@pytest.mark.parametrize("y", WITHOUT_LABELS.values(), ids=WITHOUT_LABELS)
def test_without_labels_text_is_sorted_where_no_order_matters(y: Any) -> None:
    assert numbers(y) == [1, 2, 0]
    message, hint = refusal(check_class_rows, y, P, ordered=True)
    assert message.startswith("outcomes in words need labels=, in order; got outcomes such as ")
    assert hint == "labels= names the columns; the alphabet knows no grades."


# Weights


def test_weights_come_along() -> None:
    found = check_class_rows([0, 1, 2], P, [1, 0, 2])
    assert found.weight is not None
    assert found.weight.tolist() == [1, 0, 2]
    assert check_class_rows([0, 1, 2], P).weight is None
    strict = check_class_rows([0, 1, 2], array_api_strict.asarray(P), [1, 0, 2])
    assert strict.weight is not None
    assert array_api_strict.sum(strict.weight) == 3


def test_names_of_columns_in_another_order_than_the_labels_are_refused() -> None:
    frame = pd.DataFrame([[0.25, 0.75], [0.5, 0.5]], columns=["well", "ill"])
    assert check_class_rows(["well", "ill"], frame).y.tolist() == [0, 1]
    message, hint = refusal(check_class_rows, ["well"], frame[:1], labels=["ill", "well"])
    assert message == (
        "labels must be in the order of the columns; the columns are ['well', 'ill'], "
        "got ['ill', 'well']"
    )
    assert hint == "write forecasts[labels] to order the columns of a frame."


def test_columns_name_the_classes_only_if_they_name_the_outcomes() -> None:
    p = pd.DataFrame({"b": [0.75, 0.0], "a": [0.25, 1.0]})
    assert Brier()(["b", "a"], p) == Brier()([0, 1], p.to_numpy())
    other = p.rename(columns={"a": "p_a", "b": "p_b"})[["p_a", "p_b"]]
    assert Brier()(["b", "a"], other) == Brier()([1, 0], other.to_numpy())
    objects = pd.Series([0, 1], dtype=object)
    assert Brier()(objects, p) == Brier()([0, 1], p.to_numpy())
