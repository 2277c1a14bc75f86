"""Constant forecasts."""

from __future__ import annotations

import math
from typing import Any

import array_api_strict
import numpy as np
import pytest

from properly import Cases, Tally, decompose, roc_curve, tally
from properly.counts import baselines
from properly.rules import BinaryRule, Bounded, Brier, Elementary, Log, Regret

N = 120
RNG = np.random.default_rng(3)
P = RNG.random(N).round(1)
Y = RNG.random(N) < 0.6 * P
WEIGHT = RNG.exponential(size=N)
RULES = [Brier(), Log(), Elementary(0.3), Regret((0.1, 0.4)), Bounded(Log(), (0.05, 0.5))]
CONSTANTS = {"treat all": 1.0, "treat none": 0.0, "event rate": float(Y.mean())}


def score(t: Tally | Cases, rule: BinaryRule) -> float:
    return decompose(t, rule).score


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("name", CONSTANTS)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["counted", "weighted"])
def test_they_score_as_constant_forecasts_do(name: str, rule: BinaryRule, weight: Any) -> None:
    constant = CONSTANTS | {"event rate": float(np.average(Y, weights=weight))}
    expected = rule(Y, np.full(N, constant[name]), weight=weight)
    found = baselines(Cases(Y, P, weight=weight))[name]
    close = 1e-14 if weight is None else 1e-13
    assert score(found, rule) == pytest.approx(expected, rel=close)


@pytest.mark.parametrize("c", [0.01, 0.2, 0.35, 0.9])
def test_regrets_at_a_threshold_are_those_of_the_notes(c: float) -> None:
    rate = float(Y.mean())
    found = {name: score(x, Elementary(c)) for name, x in baselines(tally(Y, P)).items()}
    expected = {"treat all": c * (1 - rate), "treat none": (1 - c) * rate}
    expected["event rate"] = min(expected.values())
    assert found == pytest.approx(expected, rel=1e-14)


def test_counts_stay_counts() -> None:
    for t in baselines(tally(Y, P)).values():
        assert (t.weight.tolist(), t.events.tolist()) == ([N], [int(Y.sum())])
        assert t.weight.dtype == np.int64
        assert t.event_squares is None


def test_fractions_keep_their_squares() -> None:
    for t in baselines(tally(Y, P, weight=WEIGHT)).values():
        assert t.event_squares is not None
        assert t.nonevent_squares is not None
        assert t.event_squares[0] == pytest.approx((WEIGHT[Y] ** 2).sum(), rel=1e-14)
        assert t.nonevent_squares[0] == pytest.approx((WEIGHT[~Y] ** 2).sum(), rel=1e-14)


def test_forecasts_do_not_matter_nor_how_precise_they_are() -> None:
    one, other = baselines(tally(Y, P.astype(np.float32))), baselines(tally(Y, 1 - P))
    assert list(one) == list(other) == ["treat all", "treat none", "event rate"]
    for name, constant in CONSTANTS.items():
        assert one[name].value.tolist() == other[name].value.tolist() == [constant]


@pytest.mark.parametrize("happened", [0, 1])
def test_of_one_class_the_event_rate_is_certain(happened: int) -> None:
    found = baselines(tally([happened] * 3, [0.2, 0.4, 0.4]))
    assert found["event rate"].value.tolist() == [float(happened)]
    assert score(found["event rate"], Log()) == 0
    assert score(found["treat none" if happened else "treat all"], Log()) == math.inf


def test_what_takes_a_tally_takes_them() -> None:
    for t in baselines(tally(Y, P)).values():
        assert roc_curve(t).area == 0.5
        assert decompose(t, Brier()).discrimination == 0
        assert (t + t).total == 2 * N


def test_they_are_in_the_library_of_the_forecasts() -> None:
    t = tally(Y, P)
    strict = Tally(*(array_api_strict.asarray(np.array(x)) for x in (t.value, t.weight, t.events)))
    for name, found in baselines(strict).items():
        assert isinstance(found.value, type(strict.value))
        assert np.asarray(found.value).tolist() == [CONSTANTS[name]]
        assert found.event_rate == t.event_rate
