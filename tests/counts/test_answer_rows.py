"""Columns of long tables as they come: rows of classes, open questions, labels of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from properly import Answers, errors
from properly.counts import _answer_rows
from properly.evaluation import check_answers

SQUARE = [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.3, 0.5]]


def test_lists_of_class_probabilities_are_rows() -> None:
    columns: dict[str, Any] = {"question": list("abc"), "forecaster": ["A"] * 3}
    rows = Answers(**columns, probability=SQUARE, outcome=[0, 1, 2])
    assert rows.p.tolist() == SQUARE
    names = ["x", "y", "z"]
    frame = pd.DataFrame(SQUARE, columns=names).assign(**columns, outcome=[0, 1, 2])
    assert Answers(frame, probability=names).p.tolist() == SQUARE
    assert check_answers(**columns, probability=SQUARE, outcome=[0, 1, 2]).is_fine


def test_open_questions_need_no_resolution_and_others_do() -> None:
    columns: dict[str, Any] = {"question": ["a", "b"], "forecaster": ["A", "A"]}
    columns |= {"probability": [0.5, 0.25], "time": [1, 2]}
    answers = Answers(**columns, outcome=[1, None], resolved=[5, None])
    assert answers.questions == ("a",)
    with pytest.raises(errors.DataError, match="resolved must not be missing; row 1 is None"):
        Answers(**columns, outcome=[1, 0], resolved=[5, None])


def test_families_may_be_called_by_labels_of_several_kinds() -> None:
    columns: dict[str, Any] = {"question": ["a", "b", "b"], "forecaster": ["A", "A", "B"]}
    columns |= {"probability": [0.5, 0.25, 0.5], "outcome": [1, 0, 0]}
    families = np.array([1, "x", "x"], dtype=object)
    assert Answers(**columns, clusters=families).clusters.tolist() == [1, "x"]  # type: ignore[union-attr]
    with pytest.raises(errors.DataError, match="the cluster belongs to the question"):
        Answers(**columns, clusters=np.array([1, "x", 2], dtype=object))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_long_columns_are_numbered_alike(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data: dict[str, Any] = {
        "question": ["b", "a", "b", "a"],
        "forecaster": ["Z", "Z", "A", "A"],
        "probability": [0.5, 0.25, 0.5, 0.75],
        "outcome": [1, 0, 1, 0],
    }
    expected = Answers(make(data))
    monkeypatch.setattr(_answer_rows, "LONG", 2)
    found = Answers(make(data))
    assert (found.questions, found.forecasters) == (expected.questions, expected.forecasters)
    assert found.p.tolist() == expected.p.tolist()
    assert str(check_answers(make(data))) == str(check_answers(**data))
    gap = make(data | {"question": ["b", None, "b", "a"]})
    with pytest.raises(errors.DataError, match="question must not be missing; row 1 is"):
        Answers(gap)
    assert check_answers(gap).problems[0].what == "1 of 4 values is missing"
