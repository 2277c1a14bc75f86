"""Results as JSON can hold them, and as a person would write them."""

from __future__ import annotations

import datetime as dt
import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import properly._boundary._text as boundary_text
import properly.evaluation._phrases as verdict_words
import properly.report._page_words as report_words
from properly._boundary._record import columns_of, plain
from properly._boundary._text import SMALLEST_P, count_of_cases, many, p_text, percent, printable


def test_everything_becomes_strict_json() -> None:
    day = dt.date(2024, 1, 2)
    told = plain({"a": [1, 0.5, math.nan], "b": (math.inf, -math.inf), "c": {"d": (None, day)}})
    assert told == {
        "a": [1, 0.5, None],
        "b": ["Infinity", "-Infinity"],
        "c": {"d": [None, "2024-01-02"]},
    }
    assert json.loads(json.dumps(told, allow_nan=False)) == told


@dataclass(frozen=True)
class Row:
    a: int
    b: str

    @property
    def twice(self) -> int:
        return 2 * self.a


def test_rows_become_columns() -> None:
    assert columns_of([{"a": 1, "b": "x"}, {"b": "y", "a": 2}]) == {"a": [1, 2], "b": ["x", "y"]}
    records = (Row(a, b) for a, b in ((1, "x"), (2, "y")))
    assert columns_of(records, "twice") == {"a": [1, 2], "b": ["x", "y"], "twice": [2, 4]}


@pytest.mark.parametrize(
    ("total", "text"),
    [
        (0, "0"),
        (1234567, "1,234,567"),
        (np.int64(2000), "2,000"),
        (1.0, "1.00"),
        (1004.504, "1,004.50"),
        (np.float64(0.5), "0.50"),
    ],
)
def test_counts_have_no_decimals_and_weights_have_two(total: Any, text: str) -> None:
    assert count_of_cases(total) == text


def test_one_is_singular() -> None:
    assert [many(n, "case") for n in (0, 1, 2, 1000)] == [
        "0 cases",
        "1 case",
        "2 cases",
        "1,000 cases",
    ]
    assert many(2.5, "case") == "2.50 cases"


def test_a_name_is_shown_and_not_obeyed() -> None:
    assert printable("model é $x$") == "model é $x$"
    assert printable("\x1b[2J\n") == "\\x1b[2J\\n"


@pytest.mark.parametrize(
    ("p", "is_bound", "text"),
    [
        (0.0, False, "p < 0.001"),
        (1e-300, False, "p < 0.001"),
        (0.00099, False, "p < 0.001"),
        (0.001, False, "p = 0.001"),
        (0.04321, False, "p = 0.0432"),
        (1.0, False, "p = 1"),
        (1 / 1001, True, "p <= 0.001"),
        (1 / 200, True, "p <= 0.005"),
    ],
)
def test_a_small_p_value_is_written_as_a_bound(p: float, is_bound: bool, text: str) -> None:
    assert p_text(p, is_bound=is_bound) == text
    # All packages write the same bounds, beside other words.
    for other in (boundary_text.chance, verdict_words.chance, report_words.chance):
        if is_bound or p < SMALLEST_P:
            expected = text.removeprefix("p ")
            assert other(p, is_bound=is_bound).replace("≤", "<=") == expected


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [
        (0.81, 2, "81 %"),
        (0.995, 2, "99.5 %"),
        (0.999999, 2, "99.9999 %"),
        (1.0, 2, "100 %"),
        (1.5, 2, "150 %"),
        (0.0, 2, "0 %"),
        (0.015, 4, "1.5 %"),
        (1e-7, 4, "0.00001 %"),
    ],
)
def test_a_percentage_has_no_exponent_and_is_100_only_for_all(
    share: float, digits: int, text: str
) -> None:
    assert percent(share, digits) == text
