"""Figure 4: areas and scores."""

from __future__ import annotations

import numpy as np
import pytest
from reproductions.decisions.crash import Rescaled, area, rescaled

import properly
from properly.datasets import crash
from properly.rules import Bounded, Brier, Log


@pytest.fixture(scope="module")
def found() -> Rescaled:
    return rescaled()


def test_each_area_is_a_score(found: Rescaled) -> None:
    data = crash()
    y, p = data.died, data.forecasts["logistic"]
    assert [a.axis for a in found.areas] == ["linear", "quadratic", "logarithmic"]
    scores = [
        properly.tally(y, p).event_rate
        - properly.decisions.mean_net_benefit(properly.tally(y, p), (0.01, 0.1)),
        Bounded(Brier(), (0.01, 0.1))(y, p) / 2,
        Bounded(Log(), (0.01, 0.1))(y, p),
    ]
    assert [a.area for a in found.areas] == pytest.approx(scores, rel=1e-12)
    assert [a.score for a in found.areas] == pytest.approx(scores, rel=1e-12)
    assert all(a.agrees for a in found.areas)


def test_the_area_of_one_step_is_known_by_hand() -> None:
    # All are acted upon up to 0.05, nobody above: what is missed is 3/4 of the odds, then 1/4.
    curve = properly.decision_curve(properly.tally([0, 0, 0, 1], [0.05] * 4), "every")
    half = 0.75 * 0.05**2 / 2 - 0.75 * 0.01**2 / 2
    rest = 0.25 * ((1 - 0.05) ** 2 - (1 - 0.1) ** 2) / 2
    assert area(curve, "quadratic") == pytest.approx((half + rest) / 0.09, rel=1e-12)
    width = np.log(0.1 / 0.9) - np.log(0.01 / 0.99)
    logs = 0.75 * np.log(0.99 / 0.95) + 0.25 * np.log(0.1 / 0.05)
    assert area(curve, "logarithmic") == pytest.approx(logs / width, rel=1e-12)


def test_the_paper_is_off_by_two(found: Rescaled) -> None:
    quadratic = next(a for a in found.areas if a.axis == "quadratic")
    assert found.bounded_brier == pytest.approx(2 * quadratic.area, rel=1e-12)
    assert "2.0000 times the area." in str(found)
