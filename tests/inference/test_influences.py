"""Influences add up to 0, and are the derivatives of their estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from properly.inference._variance import of_auc, of_mean

if TYPE_CHECKING:
    from collections.abc import Callable

RNG = np.random.default_rng(3)
N = 40
LOSS = RNG.random((2, N))[0]
WEIGHT = RNG.gamma(2.0, size=N)
P = np.round(RNG.random(N), 1)
HAPPENED = RNG.random(N) < 0.4

ESTIMATES: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "mean": lambda w: of_mean(LOSS, w),
    "auc": lambda w: of_auc(HAPPENED, P, w),
}


@pytest.mark.parametrize("name", ESTIMATES)
def test_influences_add_up_to_nothing(name: str) -> None:
    assert ESTIMATES[name](WEIGHT)[1].sum() == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("name", ESTIMATES)
def test_an_influence_is_how_an_estimate_changes_with_the_weight_of_a_case(name: str) -> None:
    _, influence = ESTIMATES[name](WEIGHT)
    step = 1e-6
    for i in range(0, N, 7):
        more, less = WEIGHT.copy(), WEIGHT.copy()
        more[i] *= 1 + step
        less[i] *= 1 - step
        slope = (ESTIMATES[name](more)[0] - ESTIMATES[name](less)[0]) / (2 * step)
        assert slope == pytest.approx(influence[i], rel=1e-6, abs=1e-11)


def test_the_area_counts_pairs_and_ties_half() -> None:
    area, _ = of_auc(HAPPENED, P, WEIGHT)
    above = (P[HAPPENED][:, None] > P[~HAPPENED]) + (P[HAPPENED][:, None] == P[~HAPPENED]) / 2
    pairs = np.outer(WEIGHT[HAPPENED], WEIGHT[~HAPPENED])
    assert area == pytest.approx((above * pairs).sum() / pairs.sum(), rel=1e-14)
