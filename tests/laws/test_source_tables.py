"""Sources in bins: where a forecast belongs, and tables that add up to the means."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

import properly
from properly import probability

from .mean_oracles import (
    CLOSE,
    any_classes,
    cases_of,
    counted_classes,
    every_binned_source,
    every_class_source,
    few,
    precisions,
    require_alike,
    three,
    three_by_hand,
)
from .subjects import EPS, Rows, counts_of, quick_counts, quick_rows, tally_of

if TYPE_CHECKING:
    from .class_draws import ClassRows


def surprise(mean_probability: float) -> float:
    return math.inf if mean_probability == 0 else -math.log(mean_probability)


def require_table_agrees(cases: Any, source: Any, precision: float | None) -> None:
    table = properly.probability.source_table(cases, source=source, precision=precision)
    means = properly.means(cases, source=source, precision=precision)
    require_alike(table.means, means)
    model, p = table.overall("true")
    assert three(model) == pytest.approx(three(means), **CLOSE)
    assert three(p) == pytest.approx(three(means.source), **CLOSE)
    total = surprise(means.mean_probability)
    assert math.fsum(table.size) == pytest.approx(total, rel=1e-13, abs=1e-13)
    rate = np.asarray(table.happened) / np.asarray(table.weight)
    assert np.asarray(table.source) == pytest.approx(rate, rel=0, abs=4 * EPS)
    assert (np.isnan(table.mean_probability) == (np.asarray(table.happened) == 0)).all()


@every_class_source
@few
@given(found=quick_rows, classes=any_classes, precision=precisions)
def test_the_table_of_a_source_adds_up_to_the_means(
    source: Any, found: Rows, classes: ClassRows, precision: float | None
) -> None:
    for cases in (tally_of(found), cases_of(classes)):
        require_table_agrees(cases, source, precision)


@every_binned_source
@few
@given(found=counted_classes)
def test_the_rows_of_a_table_hold_each_case_once_a_class(source: Any, found: ClassRows) -> None:
    cases = properly.Cases(found.y, found.p, count=found.weight)
    table = properly.probability.source_table(cases, source=source)
    total = int(found.weight.sum())
    for k in range(found.p.shape[1]):
        rows = [row for row, name in enumerate(table.name) if name == str(k)]
        assert sum(table.weight[row] for row in rows) == total
        assert sum(table.happened[row] for row in rows) == found.weight[found.y == k].sum()
        assert [table.number[row] for row in rows] == list(range(len(rows)))
        assert all(table.lower[row] <= table.upper[row] for row in rows)


@given(found=quick_counts, bins=st.sampled_from([1, 2, 3, 7, None]))
@examples(60)
def test_a_tied_forecast_belongs_where_its_first_case_falls(found: Rows, bins: int | None) -> None:
    tally = counts_of(found)
    weight, events = (np.asarray(x) for x in (tally.weight, tally.events))
    n = int(weight.sum())
    count = max(1, round(n ** (1 / 3))) if bins is None else bins
    member = (np.cumsum(weight) - weight) * count // n
    rate = np.array([events[member == k].sum() / weight[member == k].sum() for k in member])
    p, w = np.append(rate, 1 - rate), np.append(events, weight - events)
    source = properly.means(tally, source=probability.EqualCount(bins=bins)).source
    assert three(source) == three_by_hand(p, w)
