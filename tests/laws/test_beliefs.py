"""Beliefs about thresholds that are the same belief in other words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly.rules import (
    BetaWeighted,
    Bounded,
    Brier,
    HistogramWeighted,
    Log,
    MissedBenefit,
    PointWeighted,
    Regret,
    Shifted,
)

from .subjects import BELIEFS, BETAS, EDGES, EPS, MASSES, POINTS, both_outcomes, ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly.rules import BinaryRule

CLOSE: dict[str, Any] = {"rtol": 32 * EPS, "atol": 8 * EPS}
Y, P = both_outcomes(np.unique(np.concatenate([np.linspace(0, 1, 65), [0.0166, 1e-12, 0.1, 0.3]])))
DENSITIES: list[BinaryRule] = [
    BetaWeighted(2, 8),
    BetaWeighted(0.5, 0.5),
    Shifted(0.1),
    Shifted(0.1, form="classweighted"),
    MissedBenefit(),
    HistogramWeighted(EDGES, BELIEFS),
    PointWeighted(POINTS, MASSES),
]
cuts = st.lists(st.floats(0.001, 0.999), min_size=3, max_size=3, unique=True).map(sorted)


def losses(rule: BinaryRule) -> NDArray[np.float64]:
    return np.asarray(rule.loss(Y, P))


@pytest.mark.parametrize("rule", DENSITIES, ids=repr)
@given(ends=cuts)
def test_adjacent_ranges_add_up(rule: BinaryRule, ends: list[float]) -> None:
    low, middle, high = ends
    left = losses(Bounded(rule, (low, middle), scale="integral"))
    right = losses(Bounded(rule, (middle, high), scale="integral"))
    whole = losses(Bounded(rule, (low, high), scale="integral"))
    np.testing.assert_allclose(left + right, whole, **CLOSE)


@given(within=ranges)
def test_mean_regret_is_half_the_bounded_brier_score(within: tuple[float, float]) -> None:
    half = losses(Bounded(Brier(), within)) / 2
    np.testing.assert_allclose(losses(Regret(within)), half, **CLOSE)


@given(within=ranges)
def test_mean_regret_over_log_odds_is_the_bounded_log_score(within: tuple[float, float]) -> None:
    over_log_odds = losses(Regret(within, prior="logit"))
    np.testing.assert_allclose(over_log_odds, losses(Bounded(Log(), within)), **CLOSE)


@pytest.mark.parametrize(
    "rule", [BetaWeighted(1, 1), HistogramWeighted([0, 1], [3]), Regret((0, 1))], ids=repr
)
def test_a_uniform_belief_is_half_of_brier(rule: BinaryRule) -> None:
    np.testing.assert_allclose(losses(rule), losses(Brier()) / 2, **CLOSE)


@given(within=ranges)
def test_one_even_bin_is_the_mean_regret_over_it(within: tuple[float, float]) -> None:
    belief = HistogramWeighted(within, [7])
    np.testing.assert_allclose(losses(belief), losses(Regret(within)), **CLOSE)


@pytest.mark.parametrize("form", ["regret", "classweighted", "published"])
def test_without_a_shift_every_form_is_brier(form: Any) -> None:
    np.testing.assert_allclose(losses(Shifted(0.5, form=form)), losses(Brier()), **CLOSE)


@pytest.mark.parametrize(("alpha", "beta"), BETAS)
def test_a_beta_weight_has_the_mass_one_and_its_own_mean(alpha: float, beta: float) -> None:
    rule, ends = BetaWeighted(alpha, beta), (np.float64(0), np.float64(1))
    mean = alpha / (alpha + beta)
    assert float(rule.false_positives(*ends)) == pytest.approx(mean, rel=4 * EPS)
    assert float(rule.false_negatives(*ends)) == pytest.approx(1 - mean, rel=8 * EPS)


@pytest.mark.parametrize(
    ("rule", "mirrored"),
    [
        (BetaWeighted(2, 8), BetaWeighted(8, 2)),
        (BetaWeighted(0.5, 3.5), BetaWeighted(3.5, 0.5)),
        (Shifted(0.125), Shifted(0.875)),
        (Shifted(0.125, form="classweighted"), Shifted(0.875, form="classweighted")),
        (Shifted(0.125, form="published"), Shifted(0.875, form="published")),
    ],
    ids=repr,
)
def test_the_absence_of_the_event_is_an_event_too(rule: BinaryRule, mirrored: BinaryRule) -> None:
    y, p = both_outcomes(np.arange(65) / 64)  # their distance from 1 is exact
    got, expected = np.asarray(rule.loss(y, p)), np.asarray(mirrored.loss(1 - y, 1 - p))
    np.testing.assert_allclose(got, expected, **CLOSE)
