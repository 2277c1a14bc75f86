"""Score = miscalibration - discrimination + uncertainty, for every rule and every tally."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given

import properly

from .subjects import EPS, RULES, Rows, mean_score, quick_rows, tally_of

if TYPE_CHECKING:
    from properly.rules import BinaryRule


def mean_of_losses(rule: BinaryRule, found: Rows) -> float:
    """Average the losses of the rows that weigh something; the others may be infinite."""
    kept = found.weight > 0
    losses = np.asarray(rule.loss(found.y[kept], found.p[kept]))
    return math.fsum(losses * found.weight[kept]) / math.fsum(found.weight[kept])


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(found=quick_rows)
def test_the_score_of_a_tally_is_the_mean_of_the_losses(rule: BinaryRule, found: Rows) -> None:
    expected = pytest.approx(mean_of_losses(rule, found), rel=32 * EPS, abs=0)
    assert properly.decompose(tally_of(found), rule).score == expected
    assert rule(found.y, found.p, weight=found.weight) == expected
    # Without weights every row counts once.
    plain = found._replace(weight=np.ones(len(found.y)))
    expected = pytest.approx(mean_of_losses(rule, plain), rel=32 * EPS, abs=0)
    assert rule(found.y, found.p) == expected
    assert properly.decompose(properly.tally(found.y, found.p), rule).score == expected


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(found=quick_rows)
def test_the_terms_add_up_to_the_score(rule: BinaryRule, found: Rows) -> None:
    cases = properly.Cases(found.y, found.p, weight=found.weight)
    result = properly.decompose(tally_of(found), rule)
    assert properly.decompose(cases, rule) == result
    together = result.miscalibration - result.discrimination + result.uncertainty
    # Infinity matches infinity; otherwise the rounding of two additions.
    scale = max(1.0, result.uncertainty)
    assert together == pytest.approx(result.score, rel=4 * EPS, abs=4 * EPS * scale)


@pytest.mark.parametrize("rule", RULES, ids=repr)
@given(found=quick_rows)
def test_discrimination_is_what_recalibration_gains_over_the_event_rate(
    rule: BinaryRule, found: Rows
) -> None:
    tally = tally_of(found)
    result = properly.decompose(tally, rule)
    best = mean_score(rule, tally, np.asarray(properly.reliability(tally).recalibrated))
    scale = 16 * EPS * max(1.0, result.uncertainty)
    assert result.uncertainty - result.discrimination == pytest.approx(best, rel=0, abs=scale)
    if math.isfinite(result.score):
        gap = result.score - best
        assert result.miscalibration == pytest.approx(gap, rel=16 * EPS, abs=scale)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_an_infinite_score_is_infinite_miscalibration_and_nothing_else(rule: BinaryRule) -> None:
    y, p = np.array([1, 0, 1, 0]), np.array([0.0, 1.0, 0.4, 0.6])
    result = properly.decompose(properly.tally(y, p), rule)
    assert math.isinf(result.score) == math.isinf(rule.range[1])
    assert math.isinf(result.miscalibration) == math.isinf(rule.range[1])
    assert math.isfinite(result.discrimination)
    assert math.isfinite(result.uncertainty)
