"""Exact zeros and ones are never NaN, and short floats are what their values say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given

import properly
from properly.rules import Log

from .subjects import RULES, SUBJECTS, Rows, Subject, any_rows, quick_rows

if TYPE_CHECKING:
    from properly.rules import BinaryRule

CORNERS = np.array([0, 0, 1, 1]), np.array([0.0, 1.0, 0.0, 1.0])
short_floats = pytest.mark.parametrize("dtype", [np.float32, np.float16])


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_certain_forecasts_have_a_loss(rule: BinaryRule) -> None:
    losses = np.asarray(rule.loss(*CORNERS))
    assert not np.isnan(losses).any()
    np.testing.assert_array_equal(losses[[0, 3]], 0)
    assert (losses[[1, 2]] > 0).all()


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_certain_forecasts_have_a_slope(rule: BinaryRule) -> None:
    slopes = np.asarray(rule.slope(*CORNERS))
    assert not np.isnan(slopes).any()
    assert (slopes[:2] >= 0).all()
    assert (slopes[2:] <= 0).all()
    assert np.isfinite(slopes[[0, 3]]).all()


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_the_slope_at_the_right_certain_forecast_is_its_limit(subject: Subject) -> None:
    tiny = 1e-16
    y = np.array([0, 1])
    near = np.asarray(subject.rule.slope(y, np.array([tiny, 1 - tiny])))
    at = np.asarray(subject.rule.slope(y, np.array([0.0, 1.0])))
    # The slope changes like the square root of the step at most.
    np.testing.assert_allclose(at, near, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_saturated_logits_have_a_slope(rule: BinaryRule) -> None:
    y, z = np.array([0, 0, 1, 1]), np.array([-800.0, 800.0, -800.0, 800.0])
    assert np.isfinite(rule.logit_slope(y, z)).all()


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_smallest_forecasts_have_a_finite_loss(rule: BinaryRule) -> None:
    tiny, small = 5e-324, 2.2250738585072014e-308
    p = np.array([tiny, small, 1 - 2**-53])
    losses = np.asarray(rule.loss(np.array([1, 1, 0]), p))
    assert np.isfinite(losses).all()
    assert np.isfinite(rule.entropy(p)).all()
    assert not np.isnan(rule.slope(np.array([1, 0, 1]), p)).any()


@short_floats
@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(found=quick_rows)
def test_short_floats_score_as_the_doubles_they_are(
    rule: BinaryRule, dtype: type[np.floating], found: Rows
) -> None:
    short = found.p.astype(dtype)
    wide = short.astype(np.float64)
    losses = np.asarray(rule.loss(found.y, short))
    assert losses.dtype == np.float64
    np.testing.assert_array_equal(losses, rule.loss(found.y, wide))
    assert rule(found.y, short) == rule(found.y, wide)


@short_floats
@given(found=any_rows)
def test_short_floats_count_as_the_doubles_they_are(dtype: type[np.floating], found: Rows) -> None:
    short = found.p.astype(dtype)
    tally = properly.tally(found.y, short, weight=found.weight)
    wide = properly.tally(found.y, short.astype(np.float64), weight=found.weight)
    for column in ("value", "weight", "events"):
        np.testing.assert_array_equal(getattr(tally, column), getattr(wide, column))
    np.testing.assert_array_equal(
        properly.reliability(tally).recalibrated, properly.reliability(wide).recalibrated
    )
    assert properly.decompose(tally, Log()) == properly.decompose(wide, Log())


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.float32])
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_type_of_the_outcomes_never_matters(rule: BinaryRule, dtype: type[np.generic]) -> None:
    y = np.array([0, 1, 0, 1, 1, 0])
    p = np.array([0.0, 0.2, 0.31, 0.31, 0.97, 0.62])
    np.testing.assert_array_equal(rule.loss(y.astype(dtype), p), rule.loss(y, p))
    np.testing.assert_array_equal(rule.slope(y.astype(dtype), p), rule.slope(y, p))
    assert properly.decompose(properly.tally(y.astype(dtype), p), rule) == properly.decompose(
        properly.tally(y, p), rule
    )
