"""Maps that are fitted by a rule: their mean loss is the least that there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from tests.recalibration.test_class_maps import sample

from properly.errors import DataError
from properly.recalibration import Beta, Intercept, Logistic, Temperature
from properly.rules import RPS, BetaWeighted, Brier, Log, RankedLog, Regret, Spherical
from properly.typing import Column

Y, P = sample()
WEIGHT = np.random.default_rng(1).uniform(0.2, 2, len(Y))
EVENT = Y == 0


def least_on_grid(loss: Any) -> float:
    """Search all slopes a hundredth apart, and then around the best of them."""
    slopes = np.arange(0.01, 2, 0.01)
    best = slopes[np.argmin([loss(slope) for slope in slopes])]
    ends = (best - 0.01, best + 0.01)
    found = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-9})
    return float(found.x)


@pytest.mark.parametrize("rule", [Brier(), Spherical(), RPS(), RPS([1, 3]), RankedLog()], ids=repr)
def test_a_temperature_of_classes_is_the_best_of_all_slopes(rule: Any) -> None:
    fitted = Temperature(rule=rule, prior=None).fit(Y, P, weight=WEIGHT)
    best = least_on_grid(lambda b: rule(Y, Temperature(b, labels=range(3)).at(P), WEIGHT))
    assert fitted.slope == pytest.approx(best, abs=1e-6)
    assert Temperature(prior=None).fit(Y, P, weight=WEIGHT).slope != pytest.approx(best, abs=1e-3)


RULES = [Brier(), Spherical(), BetaWeighted(2, 3), Regret((0.1, 0.4))]


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("kind", [Intercept, Temperature, Logistic, Beta])
def test_no_line_nearby_has_a_smaller_mean_loss(kind: Any, rule: Any) -> None:
    fitted = kind(rule=rule, smooth=False).fit(EVENT, P[:, 0], weight=WEIGHT)
    best = np.array([getattr(fitted, name) for name in kind.parameters])

    def loss(place: Column) -> float:
        return float(rule(EVENT, kind(*place).at(P[:, 0]), WEIGHT))

    for step in np.random.default_rng(2).normal(0, 1e-3, (20, len(best))):
        assert loss(best) < loss(np.maximum(best + step, 0 if kind is Temperature else -9))
    if kind is Temperature:
        assert fitted.slope == pytest.approx(least_on_grid(lambda b: loss(np.array([b]))), abs=1e-6)


@pytest.mark.parametrize("kind", [Logistic, Temperature])
def test_the_log_score_is_the_likelihood(kind: Any) -> None:
    outcomes = (EVENT, P[:, 0]) if kind is Logistic else (Y, P)
    plain, by_rule = (one.fit(*outcomes).at(outcomes[1]) for one in (kind(), kind(rule=Log())))
    np.testing.assert_array_equal(by_rule, plain)


def test_two_classes_are_an_event_and_its_complement() -> None:
    y, p = sample(classes=2)
    classes = Temperature(rule=Brier(), prior=None).fit(y, p)
    event = Temperature(rule=Brier(), smooth=False)
    for outcomes in ((y, p[:, 1]), (1 - y, p[:, 0])):
        assert event.fit(*outcomes).slope == pytest.approx(classes.slope, abs=1e-7)


def test_the_prior_holds_a_temperature_that_knows_all() -> None:
    fitted = Temperature(rule=RPS()).fit(P.argmax(axis=1), P)
    assert 1 < (fitted.slope or 0) < 10


def test_a_rule_that_cannot_be_read_again_is_not_stored() -> None:
    class Own(Brier):
        """A rule of one's own."""

    with pytest.raises(DataError, match=r"a name of properly\.rules; got 'Own'"):
        Logistic(rule=Own(), intercept=0.0, slope=1.0).dumps()
