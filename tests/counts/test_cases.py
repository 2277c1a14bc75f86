"""Checked rows."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import array_api_strict
import numpy as np
import pandas as pd
import polars as pl
import pytest

import properly
from properly import Cases, decompose, reliability, tally
from properly.counts import _cases as cases
from properly.errors import DataError
from properly.rules import Brier


def test_the_last_of_two_labels_is_the_event() -> None:
    assert Cases(["a", "b"], [0.1, 0.2], labels=("b", "a")).y.tolist() == [True, False]


def test_whatever_takes_a_tally_takes_cases() -> None:
    y, p, weight = [0, 1, 1, 0], [0.1, 0.4, 0.4, 0.8], [1, 2, 1, 3]
    cases, counts = Cases(y, p, weight=weight), tally(y, p, weight=weight)
    assert decompose(cases, Brier()) == decompose(counts, Brier())
    np.testing.assert_array_equal(reliability(cases).recalibrated, reliability(counts).recalibrated)


DESIGNS: dict[str, tuple[Any, bool, bool]] = {
    "a tally": (tally([0, 1], [0.1, 0.2]), False, False),
    "independent": (Cases([0, 1], [0.1, 0.2], groups=[1, 2]), False, False),
    "clusters": (Cases([0, 1], [0.1, 0.2], clusters=[1, 2]), True, False),
    "time": (Cases([0, 1], [0.1, 0.2], time=[1, 2]), False, True),
    "both": (Cases([0, 1], [0.1, 0.2], clusters=[1, 2], time=[1, 2]), True, True),
}


@pytest.mark.parametrize(("source", "clusters", "time"), DESIGNS.values(), ids=DESIGNS)
def test_cases_are_dependent_by_clusters_or_by_time(
    source: Any, clusters: bool, time: bool
) -> None:
    assert cases.has_clusters(source) is clusters
    assert cases.has_time(source) is time
    assert cases.is_dependent(source) is (clusters or time)


# Classes

GRADES = ("low", "mid", "high")
Y3, P3 = ["high", "low", "mid"], [[0.25, 0.25, 0.5], [0.5, 0.5, 0.0], [0.0, 0.75, 0.25]]
COLUMNS: dict[str, Any] = {"clusters": ["a", "a", "b"], "time": [3, 1, 2], "groups": [1, 1, 0]}


def test_cases_of_classes_are_numbered_in_the_order_of_the_columns() -> None:
    c = Cases(Y3, P3, labels=list(GRADES))
    assert (c.classes, c.labels, c.normalized) == (3, GRADES, False)
    assert c.y.tolist() == [2, 0, 1]
    assert c.y.dtype == np.int64
    assert c.p.tolist() == P3
    assert c.weight is c.clusters is c.time is c.groups is None
    assert len(c) == 3


def test_classes_without_labels_are_called_by_their_numbers() -> None:
    for y in ([2, 0, 1], np.eye(3)[[2, 0, 1]], pd.Series([2, 0, 1], dtype="category")):
        c = Cases(y, P3)
        assert c.labels == (0, 1, 2)
        assert c.y.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    "p",
    [
        np.array(P3),
        pd.DataFrame(P3, columns=list(GRADES)),
        pl.DataFrame(P3, schema=list(GRADES), orient="row"),
        [np.array(row) for row in P3],
    ],
    ids=["numpy", "pandas", "polars", "rows"],
)
def test_frames_are_tables(p: Any) -> None:
    c = Cases([2, 0, 1], p)
    assert type(c.p) is np.ndarray
    assert c.p.tolist() == P3


def test_single_precision_and_other_libraries_are_kept() -> None:
    assert Cases([2, 0, 1], np.array(P3, dtype=np.float32)).p.dtype == np.float32
    c = Cases(Y3, array_api_strict.asarray(P3), labels=GRADES)
    assert c.p.dtype == array_api_strict.float64
    assert np.asarray(c.y).tolist() == [2, 0, 1]


def test_columns_are_kept_beside_classes() -> None:
    c = Cases(Y3, P3, labels=GRADES, weight=[1, 0, 3], **COLUMNS)
    for name, column in COLUMNS.items():
        assert getattr(c, name).tolist() == column
    assert (cases.has_clusters(c), cases.has_time(c)) == (True, True)
    used = cases.rows_in_use(c)
    assert used.y.tolist() == [2, 1]
    assert used.p.tolist() == [P3[0], P3[2]]
    assert used.weight.tolist() == [1, 3]
    assert used.used.tolist() == [True, False, True]
    assert cases.weights_of(Cases(Y3, P3, labels=GRADES)).tolist() == [1, 1, 1]


def test_what_was_checked_of_classes_stays_as_it_was() -> None:
    y, p, weight = np.array([2, 0, 1]), np.array(P3), np.array([1, 2, 3])
    c = Cases(y, p, weight=weight)
    y[0], p[0, 0], weight[0] = 0, 7.0, 9
    assert c.weight is not None
    assert (c.y.tolist(), c.p.tolist(), c.weight.tolist()) == ([2, 0, 1], P3, [1, 2, 3])
    for column in (c.y, c.p, c.weight):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0
    with pytest.raises(FrozenInstanceError):
        c.labels = None  # type: ignore[misc]


def test_rows_are_rescaled_on_request_and_it_is_said() -> None:
    p = [[1, 1, 2], [3, 3, 0], [0, 3, 1]]
    c = Cases(Y3, p, labels=GRADES, normalize=True)
    assert c.normalized
    assert c.p.tolist() == P3
    with pytest.raises(DataError, match="rows of class probabilities must sum to 1"):
        Cases(Y3, p, labels=GRADES)
    with pytest.raises(properly.errors.ProperlyError, match="normalize must be True or False"):
        Cases(Y3, p, labels=GRADES, normalize="yes")  # type: ignore[arg-type]


def same(found: Cases, expected: Cases) -> None:
    for name in ("y", "p", "weight", "clusters", "time", "groups"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert (found.labels, found.classes) == (expected.labels, expected.classes)
    assert found.normalized == expected.normalized


@pytest.mark.parametrize("labels", [None, GRADES, (10, 20, 30), (2, 1, 0)], ids=str)
@pytest.mark.parametrize("normalize", [False, True])
def test_cases_of_classes_can_be_copied_and_sent_elsewhere(labels: Any, normalize: bool) -> None:
    y = [2, 0, 1] if labels is None else [labels[k] for k in (2, 0, 1)]
    scaled = np.array(P3) * (4 if normalize else 1)
    c = Cases(y, scaled, labels=labels, weight=[1, 2, 3], normalize=normalize, **COLUMNS)
    same(pickle.loads(pickle.dumps(c)), c)  # noqa: S301
    same(copy.copy(c), c)
    same(copy.deepcopy(c), c)


def test_clusters_are_numbered_whatever_their_ids_are() -> None:
    assert cases.number_ids(np.array(["b", "a", "b"])).tolist() == [1, 0, 1]
    # Text and numbers have no order, but they can be told apart.
    mixed = np.array(["b", 1, "b", "1", 1], dtype=object)
    assert cases.number_ids(mixed).tolist() == [0, 1, 0, 2, 1]


# Other forecasts of the same cases


@pytest.mark.parametrize("labels", [None, GRADES, (2, 1, 0)], ids=str)
def test_forecasts_are_replaced_and_all_else_is_kept(labels: Any) -> None:
    y = [2, 0, 1] if labels is None else [labels[k] for k in (2, 0, 1)]
    c = Cases(y, P3, labels=labels, weight=[1, 0, 3], **COLUMNS)
    p = np.full((3, 3), 1 / 3)
    other = cases.with_forecasts(c, p)
    assert isinstance(other, Cases)
    np.testing.assert_array_equal(other.p, p)
    assert c.p.tolist() == P3
    same(cases.with_forecasts(other, np.array(P3)), c)
    assert repr(other) == repr(c)


def test_rows_are_split_by_their_group_with_all_that_is_known() -> None:
    cases = Cases(
        [0, 1, 1, 0], [0.1, 0.5, 0.9, 0.3], weight=[1, 2, 3, 4], clusters=[7, 7, 8, 8],
        strata=list("xxyy"), groups=["b", "a", "b", "b"],
    )  # fmt: skip
    found = cases.by_group()
    assert list(found) == ["a", "b"]
    assert found["b"].p.tolist() == [0.1, 0.9, 0.3]
    assert found["b"].weight.tolist() == [1, 3, 4]  # type: ignore[union-attr]
    assert found["b"].clusters.tolist() == [7, 8, 8]  # type: ignore[union-attr]
    assert found["a"].strata.tolist() == ["x"]  # type: ignore[union-attr]
    assert found["a"].tally().event_rate == 1


def test_groups_of_classes_keep_their_labels_of_classes() -> None:
    p = [[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]
    found = Cases(["no", "yes", "no"], p, labels=["no", "yes"], groups=[1, 2, 1]).by_group()
    assert found[1].labels == ("no", "yes")
    assert found[1].p.tolist() == [[0.2, 0.8], [0.9, 0.1]]


@pytest.mark.parametrize("name", Cases.__dataclass_fields__)
def test_no_column_is_replaced_unchecked(name: str) -> None:
    c, column = Cases([1, 0], [0.2, 0.7]), dict[str, Any]([(name, [1, 2])])
    with pytest.raises(
        (TypeError, ValueError), match=f"field {name} is declared with `?init=False"
    ):
        replace(c, **column)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({}, True),
        ({"weight": [2, 2, 2]}, True),
        ({"weight": [0, 2, 2]}, False),
        ({"weight": [1, 2, 2]}, False),
        ({"clusters": [0, 0, 1]}, False),
        ({"time": [0, 1, 2]}, False),
    ],
)
def test_rows_are_cases_as_they_stand_if_nothing_is_said_of_them(
    columns: dict[str, Any], expected: bool
) -> None:
    assert cases.is_plain(Cases([1, 0, 1], [0.2, 0.7, 0.5], **columns)) is expected
