"""Class probabilities and class labels, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import array_api_strict
import numpy as np
import pandas as pd
import polars as pl
import pytest

from properly._boundary._classes import (
    as_classes,
    check_probabilities,
    class_numbers,
    is_table,
    one_kind,
    row_sums,
)
from properly.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

P = [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [0.25, 0.25, 0.5]]
GRADES = ["low", "mid", "high"]


def refusal(function: Any, *arguments: Any, **options: Any) -> tuple[str, str | None]:
    """Return what was said on refusal: the message, and the hint if there is one."""
    with pytest.raises(DataError) as caught:
        function(*arguments, **options)
    message, _, hint = str(caught.value).partition("\n\nHint: ")
    return message, hint or None


# Tables


TABLES: dict[str, Any] = {
    "lists": P,
    "tuples": tuple(map(tuple, P)),
    "rows of numpy": [np.array(row) for row in P],
    "rows of pandas": [pd.Series(row) for row in P],
    "numpy": np.array(P),
    "pandas": pd.DataFrame(P, columns=GRADES),
    "pandas, nullable": pd.DataFrame(P).convert_dtypes(),
    "polars": pl.DataFrame(P, schema=GRADES, orient="row"),
    "polars, single": pl.DataFrame(P, schema=GRADES, orient="row").cast(pl.Float32),
    "pyarrow": pl.DataFrame(P, schema=GRADES, orient="row").to_arrow(),
    "masked, nothing hidden": np.ma.masked_array(P),
    "objects": np.array(P, dtype=object),
    "columns in order of memory": np.asfortranarray(P),
    "another byte order": np.array(P, dtype=">f8"),
    "long double": np.array(P, dtype=np.longdouble),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_class_probabilities_are_taken_from_anything_with_rows_and_columns(table: Any) -> None:
    assert is_table(table)
    found = check_probabilities(table)
    assert type(found) is np.ndarray
    assert found.dtype in (np.float32, np.float64)
    np.testing.assert_array_equal(found, P)


@pytest.mark.parametrize(
    "p",
    [
        [0.5, 0.25],
        (0.5, 0.25),
        [],
        np.array([0.5]),
        np.zeros((2, 2, 2)),
        pd.Series([0.5]),
        pl.Series([0.5]),
        0.5,
        None,
    ],
    ids=repr,
)
def test_what_has_no_two_dimensions_is_no_table(p: Any) -> None:
    assert not is_table(p)


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [
        (np.float16, np.float32),
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.longdouble, np.float64),
        (np.int8, np.float64),
        (np.uint64, np.float64),
        (np.bool_, np.float64),
    ],
)
def test_single_and_double_precision_are_kept(dtype: DTypeLike, kept: DTypeLike) -> None:
    assert check_probabilities(np.eye(3, dtype=dtype)).dtype == kept


def test_a_tensor_stays_in_its_library_and_type() -> None:
    for dtype in (array_api_strict.float32, array_api_strict.float64):
        p = array_api_strict.asarray(P, dtype=dtype)
        assert check_probabilities(p) is p
    whole = check_probabilities(array_api_strict.asarray([[1, 0], [0, 1]]))
    assert whole.dtype == array_api_strict.float64


def test_hints_guess_how_numbers_came_about() -> None:
    hints = {
        "logits": [[0.3, -1.2], [2.0, 1.0]],
        "percentages": [[50, 50], [20, 80]],
        "one dimension": [[0.5], [0.25]],
    }
    for word, p in hints.items():
        hint = refusal(check_probabilities, p)[1]
        assert hint is not None
        assert word in hint
    # A hair below 0 is the rounding of something else.
    assert refusal(check_probabilities, [[1.0, -1e-12]])[1] is None


SLACK: list[tuple[Any, str, float]] = [
    (np, "float16", 2.0**-5),
    (np, "float32", 2.0**-11.5),
    (np, "float64", 1e-6),
    (array_api_strict, "float32", 2.0**-11.5),
    (array_api_strict, "float64", 1e-6),
]


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(("library", "dtype", "slack"), SLACK)
def test_rows_may_be_off_by_the_root_of_the_precision(
    library: Any, dtype: str, slack: float, sign: int
) -> None:
    kind = getattr(library, dtype)
    good = library.asarray([[0.5, 0.5], [0.5, 0.5 + sign * 0.97 * slack]], dtype=kind)
    bad = library.asarray([[0.5, 0.5], [0.5, 0.5 + sign * 1.03 * slack]], dtype=kind)
    assert check_probabilities(good).shape == (2, 2)
    message, _ = refusal(check_probabilities, bad)
    assert message.startswith(
        f"rows of class probabilities must sum to 1 within {slack:.2g}; row 1 sums to "
    )


def test_many_columns_are_added_up_as_well_as_few() -> None:
    rng = np.random.default_rng(3)
    for columns in (2, 16, 17, 300):
        p = rng.dirichlet(np.ones(columns), 50)
        np.testing.assert_allclose(row_sums(p), 1, rtol=1e-14)
        np.testing.assert_array_equal(check_probabilities(p), p)
        narrow = check_probabilities(p.astype(np.float32))
        assert narrow.dtype == np.float32
        strict = row_sums(array_api_strict.asarray(p))
        np.testing.assert_allclose(np.asarray(strict), row_sums(p), rtol=1e-14)


# Rescaled rows


def test_rows_are_rescaled_on_request() -> None:
    p = np.array([[1, 3], [2, 2], [0, 7]])
    np.testing.assert_array_equal(
        check_probabilities(p, normalize=True), [[0.25, 0.75], [0.5, 0.5], [0, 1]]
    )
    assert p.tolist() == [[1, 3], [2, 2], [0, 7]]


# Classes without probabilities


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        (3, (3, None)),
        (np.int64(2), (2, None)),
        (np.array(4), (4, None)),
        (["a", "b"], (2, ("a", "b"))),
        (np.array(["a", "b"]), (2, ("a", "b"))),
        (range(3), (3, (0, 1, 2))),
        (("b", 1, None), (3, ("b", 1, None))),
        (pd.Index(["a", "b"]), (2, ("a", "b"))),
    ],
)
def test_classes_are_a_number_or_labels(classes: Any, expected: Any) -> None:
    assert as_classes(classes) == expected


def test_class_numbers_of_numbers_and_of_labels() -> None:
    for y, classes in (
        ([2, 0, 1], 3),
        (np.array([2.0, 0.0, 1.0]), 3),
        (array_api_strict.asarray([2, 0, 1]), 3),
        (["high", "low", "mid"], GRADES),
        (pd.Series(["high", "low", "mid"], dtype="category"), GRADES),
        ([30, 10, 20], [10, 20, 30]),
    ):
        found: NDArray[np.int64] = class_numbers(y, classes)
        assert type(found) is np.ndarray
        assert found.dtype == np.int64
        assert found.tolist() == [2, 0, 1]


def test_labels_of_several_kinds_are_text_in_a_column() -> None:
    assert one_kind((1, 2)) == [1, 2]
    assert one_kind(["a", "b"]) == ["a", "b"]
    assert one_kind((1, "a")) == ["1", "a"]
    assert one_kind([1, 2.5]) == ["1", "2.5"]
    assert one_kind((1, "1")) == ["1", "'1'"]
