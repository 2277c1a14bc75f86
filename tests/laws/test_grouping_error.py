"""Whatever the forecasts were before they were grouped, the bounds hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

import properly
from properly.calibration import grouping_error
from properly.rules import Brier, Log, Misclassification, Spherical

from .subjects import RULES, Rows, any_rows, many, quick_rows, tally_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly import Tally
    from properly.rules import BinaryRule

    Floats = NDArray[np.float64]
    Pair = tuple[float, float]

# What sums of a few floats may be off by.
ROUNDING = 1e-12
# For the laws of every rule, each of which is tried on many rows through all of them.
few = examples(4)
cells = st.sampled_from([1, 2, 3, 10, 100])


def assert_within(value: float, ends: Pair) -> None:
    lower, upper = ends
    assert lower <= upper
    assert lower - ROUNDING <= value <= upper + ROUNDING


def assert_parts_within(tally: Tally, number: int, rule: BinaryRule) -> None:
    exact = properly.decompose(tally, rule)
    grouped = tally.group(number)
    found = grouping_error(grouped, rule)
    assert_within(exact.score, found.score)
    assert_within(exact.uncertainty - exact.discrimination, found.calibrated)
    assert_within(exact.miscalibration, found.miscalibration)
    assert_within(exact.discrimination, found.discrimination)
    known = grouping_error(grouped, rule, score=exact.score)
    assert known.score == (exact.score, exact.score)
    assert_within(exact.uncertainty - exact.discrimination, known.calibrated)
    assert_within(exact.miscalibration, known.miscalibration)
    assert_within(exact.discrimination, known.discrimination)
    # What is told of the grouped forecasts lies within as well.
    told = properly.decompose(grouped, rule)
    assert_within(told.score, found.score)
    assert_within(told.miscalibration, found.miscalibration)
    assert told.discrimination == pytest.approx(found.discrimination[0], abs=ROUNDING)


@pytest.mark.parametrize("rule", RULES, ids=repr)
@few
@given(found=quick_rows, number=cells)
def test_the_parts_of_every_proper_score_lie_within(
    rule: BinaryRule, found: Rows, number: int
) -> None:
    assert_parts_within(tally_of(found), number, rule)


@pytest.mark.parametrize("rule", [Brier(), Log(), Misclassification(), Spherical()], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_the_parts_of_more_data_lie_within(rule: BinaryRule, seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = np.concatenate(
        [rng.beta(0.3, 0.5, 400), np.zeros(20), np.ones(20), rng.random(60).round(1)]
    )
    y = rng.random(500) < 0.2 + 0.6 * p
    weight = None if seed == 0 else rng.integers(0, 5, 500) / (1 if seed == 1 else 3)
    for number in (1, 2, 3, 10, 100):
        assert_parts_within(properly.tally(y, p, weight=weight), number, rule)


@pytest.mark.parametrize("rule", RULES, ids=repr)
@few
@given(found=quick_rows)
def test_without_cells_nothing_was_changed(rule: BinaryRule, found: Rows) -> None:
    tally = tally_of(found)
    exact, told = properly.decompose(tally, rule), grouping_error(tally, rule)
    assert told.cells is None
    assert told.score == (exact.score, exact.score)
    for name in ("miscalibration", "discrimination"):
        lower, upper = getattr(told, name)
        assert lower == upper == pytest.approx(getattr(exact, name), abs=1e-15)
    assert (told.regret, told.auc, told.recalibrated) == (0, 0, 0)


def thresholds_of(*tallies: Tally) -> Floats:
    """Return thresholds at forecasts, just above them and half way between."""
    value = np.unique(np.concatenate([np.asarray(t.value) for t in tallies] + [[0.0]]))
    places = [value, np.nextafter(value, 1), (value[1:] + value[:-1]) / 2]
    found = np.unique(np.concatenate(places))
    return found[found < 1]


@many
@given(found=any_rows, number=cells)
def test_curves_are_exact_at_borders_and_within_bounds_between(found: Rows, number: int) -> None:
    tally = tally_of(found)
    grouped = tally.group(number)
    most = grouping_error(grouped).regret
    borders, between = np.arange(number + 1) / number, thresholds_of(tally, grouped)
    exact, told = (properly.regret_curve(t) for t in (tally, grouped))
    np.testing.assert_allclose(told.at(borders), exact.at(borders), rtol=0, atol=ROUNDING)
    assert np.abs(told.at(between) - exact.at(between)).max() <= most + ROUNDING
    benefit = [properly.decision_curve(t, "every").at(between) for t in (tally, grouped)]
    off = (1 - between) * np.abs(benefit[0] - benefit[1])
    assert off.max() <= most + ROUNDING


@many
@given(found=any_rows, number=cells)
def test_the_area_is_within_bounds(found: Rows, number: int) -> None:
    tally = tally_of(found)
    grouped = tally.group(number)
    exact, told = (properly.roc_curve(t).area for t in (tally, grouped))
    most = grouping_error(grouped).auc
    if math.isnan(exact):
        assert math.isnan(told)
        assert most == 0
    else:
        assert abs(exact - told) <= most + ROUNDING


def cells_of(value: Floats, number: int) -> NDArray[np.int64]:
    """Number the cells, in which 0 and 1 are apart."""
    inside = 1 + np.searchsorted(np.arange(1, number) / number, value, side="right")
    return np.where(value == 0, 0, np.where(value == 1, number + 1, inside))


@many
@given(found=any_rows, number=cells)
def test_recalibrated_forecasts_are_within_bounds(found: Rows, number: int) -> None:
    tally = tally_of(found)
    grouped = tally.group(number)
    exact, told = (properly.reliability(t) for t in (tally, grouped))
    weight = np.asarray(tally.weight) / tally.total
    cell = np.searchsorted(cells_of(grouped.value, number), cells_of(tally.value, number))
    square = weight @ (exact.recalibrated - told.recalibrated[cell]) ** 2
    assert square <= grouping_error(grouped).recalibrated ** 2 + ROUNDING
