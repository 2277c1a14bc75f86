"""The numbers that every engine has to find, from arrays, and how two of them are compared."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.sums_of_rows import sum_rows

import properly
from properly.engines._score_sums import COUNTED

from .engines import columns_of, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from properly import Summary, Tally
    from properly.engines._score_sums import ScoreSums
    from properly.rules import Rule

    from .engines import Column

# What a summary knows as exactly as rows do.
AS_EXACT = ("data", "models", "baselines", "comparisons")
CLASSES = {model: [f"{model}{k}" for k in range(3)] for model in "ab"}


@cache
def rows() -> dict[str, Column]:
    """Return the columns of the table that laws are held against."""
    return columns_of(20)


@cache
def table() -> pa.Table:
    return table_of(rows())


def as_numbers(name: str) -> Column:
    """Return forecasts as arrays have them: decimals are the floats next to them."""
    column = rows()[name]
    return column.astype(float) if column.dtype.kind == "O" else column


def option(name: str | None, chosen: Column | slice = slice(None)) -> Any:
    return None if name is None else rows()[name][chosen]


def probabilities(model: str) -> Column:
    return np.column_stack([rows()[name] for name in CLASSES[model]])


def sums_of(
    models: Sequence[str],
    rules: Sequence[Rule],
    weight: str | None = None,
    clusters: str | None = None,
    chosen: Column | slice = slice(None),
) -> ScoreSums:
    """Sum up rows of one event as arrays."""
    return sum_rows(
        tuple(models),
        tuple(rules),
        rows()["bool"][chosen],
        {model: as_numbers(model)[chosen].astype(float) for model in models},
        option(weight, chosen),
        clusters=option(clusters, chosen),
    )


def class_sums(
    models: Sequence[str],
    rules: Sequence[Rule],
    weight: str | None = None,
    clusters: str | None = None,
) -> ScoreSums:
    """Sum up rows of three classes as arrays."""
    return sum_rows(
        tuple(models),
        tuple(rules),
        rows()["grade"],
        {model: probabilities(model) for model in models},
        option(weight),
        classes=3,
        clusters=option(clusters),
    )


def assert_same_tally(found: Tally, expected: Tally, *, exact: bool) -> None:
    """Hold counts against each other: values to the last bit, weights if they are whole."""
    assert_array_equal(found.value, expected.value)
    assert not np.signbit(np.asarray(found.value)).any()
    for name in ("value", "weight", "events"):
        assert getattr(found, name).dtype == getattr(expected, name).dtype, name
    for name in ("weight", "events"):
        tolerance = 0 if exact else 1e-12
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=tolerance, atol=0)


def assert_same_sums(found: ScoreSums, expected: ScoreSums) -> None:
    """Hold sums against each other: how many there are exactly, all else to twelve digits."""
    assert found.totals.keys() == expected.totals.keys()
    assert (found.models, found.rules) == (expected.models, expected.rules)
    assert (found.classes, found.clustered) == (expected.classes, expected.clustered)
    wrong = {
        key: (found.totals[key], total, *map(repr, rules_of(key, expected)))
        for key, total in expected.totals.items()
        if found.totals[key] != pytest.approx(total, rel=0 if key[0] in COUNTED else 1e-12, abs=0)
    }
    assert wrong == {}, wrong


def rules_of(key: tuple[Any, ...], sums: ScoreSums) -> list[Rule]:
    """Return the rule that a sum is of, to name it."""
    return [sums.rules[key[1]]] if len(key) > 2 else []


def leaves(record: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """List what a nested record holds, each beside its path."""
    if isinstance(record, dict):
        for name, part in record.items():
            yield from leaves(part, f"{path}/{name}")
    elif isinstance(record, list | tuple):
        for place, part in enumerate(record):
            yield from leaves(part, f"{path}/{place}")
    else:
        yield path, record


def assert_same_record(found: Any, expected: Any, tolerance: float) -> None:
    """Hold two nested records against each other: words exactly, numbers nearly."""
    one, other = dict(leaves(found)), dict(leaves(expected))
    assert one.keys() == other.keys(), one.keys() ^ other.keys()
    wrong = {
        path: (one[path], leaf)
        for path, leaf in other.items()
        if one[path]
        != (pytest.approx(leaf, rel=tolerance, abs=tolerance) if isinstance(leaf, float) else leaf)
    }
    assert wrong == {}, wrong


def assert_as_exact(found: Any, expected: Any) -> None:
    """Hold what a summary knows against what rows do."""
    one, other = found.to_dict(), expected.to_dict()
    assert (one["data"].pop("summed"), other["data"].pop("summed")) == (True, False)
    for part in AS_EXACT:
        assert_same_record(one[part], other[part], 1e-10)


def assert_counted_classes(found: Summary, model: str, weight: str | None) -> None:
    """Hold the events made of classes, and hard decisions, against those of arrays."""
    y, p, w = rows()["grade"], probabilities(model), option(weight)
    cases = properly.Cases(y, p, weight=w)
    events = {("class", k): event for k, event in enumerate(properly.one_vs_rest(cases).values())}
    events |= {("above", k): event for k, event in enumerate(properly.cumulative(cases).values())}
    assert {view for name, view in found.tallies if name == model} == events.keys()
    for view, event in events.items():
        assert_same_tally(found.tallies[model, view], event.tally(), exact=weight != "part")
    confusion = np.zeros((3, 3))
    np.add.at(confusion, (y, p.argmax(axis=1)), 1 if w is None else w)
    assert_allclose(found.confusion[model], confusion, rtol=1e-12)
