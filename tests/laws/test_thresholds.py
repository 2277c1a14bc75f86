"""What holds at every threshold, and over every range of them, whatever the forecasts."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import properly
from properly.rules import Elementary

from .oracles import (
    BETA_ROUNDED,
    ROUNDED,
    between,
    exact_regret,
    integral_of_regret,
    missed_benefit,
)
from .subjects import EPS, Rows, many, quick_rows, ranges, tally_of, thresholds


def recalibrated(found: Rows) -> Rows:
    """Replace forecasts by their recalibrated values; cases without weight are left out."""
    tally = tally_of(found)
    fitted, used = np.asarray(properly.reliability(tally).recalibrated), found.weight > 0
    place = np.searchsorted(tally.value, found.p[used])
    return Rows(found.y[used], fitted[place], found.weight[used])


def least_regret(found: Rows, cost: float) -> float:
    """Try every threshold that makes a difference."""
    return float(
        min(
            exact_regret(found, Fraction(cost), lambda p, t=threshold: p >= t)  # type: ignore[misc]
            for threshold in (*np.unique(found.p).tolist(), 2.0)
        )
    )


@many
@given(found=quick_rows, c=thresholds)
def test_every_way_to_the_regret_at_a_threshold_is_exact(found: Rows, c: float) -> None:
    tally = tally_of(found)
    close = pytest.approx(float(exact_regret(found, Fraction(c))), rel=ROUNDED, abs=4 * EPS)
    assert properly.at_threshold(tally, c).regret == close
    assert Elementary(c)(found.y, found.p, weight=found.weight) == close
    assert float(properly.regret_curve(tally).at(c)) == close


@many
@given(found=quick_rows, c=thresholds)
def test_every_way_to_the_net_benefit_at_a_threshold_is_exact(found: Rows, c: float) -> None:
    tally, rounding = tally_of(found), ROUNDED / (1 - c)
    benefit = tally.event_rate - float(exact_regret(found, Fraction(c))) / (1 - c)
    close = pytest.approx(benefit, rel=0, abs=rounding)
    assert properly.at_threshold(tally, c).net_benefit == close
    curve = properly.decision_curve(tally, [c])
    assert curve.net_benefit[0] == close
    assert float(properly.decision_curve(tally, "every").at(c)) == close
    above = tally.event_rate - float(exact_regret(found, Fraction(c), lambda p: p > c)) / (1 - c)
    assert curve.right[0] == pytest.approx(above, rel=0, abs=rounding)


@many
@given(found=quick_rows, c=thresholds)
def test_no_threshold_beats_the_cost_after_recalibration(found: Rows, c: float) -> None:
    honest = recalibrated(found)
    # The cost itself, or an event rate of the recalibrated forecasts, at which there are ties.
    for cost in (c, *(float(rate) for rate in np.unique(honest.p) if 0 < rate < 1)):
        regret = properly.at_threshold(tally_of(honest), cost).regret
        assert regret <= least_regret(honest, cost) + 4 * EPS


@many
@given(found=quick_rows, c=thresholds)
def test_recalibration_is_as_good_as_the_best_threshold(found: Rows, c: float) -> None:
    parts = properly.decompose(tally_of(found), Elementary(c))
    # Both choose the best place to begin to act; for a cost, that is all there is to choose.
    after = parts.uncertainty - parts.discrimination
    assert after == pytest.approx(least_regret(found, c), rel=ROUNDED, abs=16 * EPS)


@many
@given(found=quick_rows, within=ranges)
def test_mean_net_benefit_is_the_mean_of_net_benefit(
    found: Rows, within: tuple[float, float]
) -> None:
    missed = integral_of_regret(between(missed_benefit, *within), found)
    tally, length = tally_of(found), Decimal(within[1]) - Decimal(within[0])
    expected = tally.event_rate - float(missed / length)
    got = properly.decisions.mean_net_benefit(tally, within)
    assert got == pytest.approx(expected, rel=0, abs=ROUNDED / (1 - within[1]))


@many
@given(found=quick_rows)
def test_after_recalibration_the_ranking_says_what_the_regret_says(found: Rows) -> None:
    tally = tally_of(found)
    assume(0 < tally.event_rate < 1)
    ranking = properly.decisions.ranking(tally_of(recalibrated(found)))
    assert ranking.gap == pytest.approx(0, abs=ROUNDED)
    assert ranking.auc_if_calibrated == pytest.approx(
        properly.roc_curve(tally, hull=True).area, abs=ROUNDED
    )


@many
@given(found=quick_rows, prior=st.sampled_from(["hand", "severity", "event_rate"]))
def test_the_h_measure_sees_only_the_order_of_forecasts(found: Rows, prior: Any) -> None:
    tally = tally_of(found)
    assume(0 < tally.event_rate < 1)
    order_kept = np.searchsorted(tally.value, found.p) / (len(tally) + 1)
    h = properly.inference.h_measure(tally, prior)
    assert -ROUNDED <= h <= 1
    other = tally_of(Rows(found.y, order_kept, found.weight))
    assert properly.inference.h_measure(other, prior) == pytest.approx(h, rel=0, abs=BETA_ROUNDED)
