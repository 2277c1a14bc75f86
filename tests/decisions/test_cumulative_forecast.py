"""One forecast of ordered classes beside what happened, cumulated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly.decisions import cumulative_forecast
from properly.rules import RPS, SquaredAbsoluteRPS


def test_by_hand() -> None:
    found = cumulative_forecast(1, [0.25, 0.25, 0.5, 0])
    assert found.outcome == 1
    assert found.labels == (0, 1, 2, 3)
    assert found.p.tolist() == [0.25, 0.25, 0.5, 0]
    assert found.cumulative.tolist() == [0.25, 0.5, 1, 1]
    assert found.step.tolist() == [0, 1, 1, 1]
    assert found.absolute.tolist() == [0.25, 0.5, 0]
    assert found.squared.tolist() == [0.0625, 0.25, 0]
    assert found.rps == pytest.approx(0.3125 / 3, rel=1e-15)
    assert found.squared_absolute_rps == pytest.approx(0.0625, rel=1e-15)


@pytest.mark.parametrize(
    ("p", "rps", "squared_absolute"),
    [
        ([0.25, 0.75, 0], 9 / 32, 9 / 64),
        ([0.25, 0, 0.75], 9 / 16, 9 / 16),
    ],
)
def test_forecasts_of_the_paper(p: list[float], rps: float, squared_absolute: float) -> None:
    """The lowest class happened; the paper prints 1/8 and 1/4, which belong to other forecasts."""
    found = cumulative_forecast(0, p)
    assert (found.rps, found.squared_absolute_rps) == (rps, squared_absolute)


def test_a_symmetric_forecast_and_a_skew_one() -> None:
    """RPS prefers the symmetric one, the square of the area the other: 9/100 and 1/16."""
    symmetric, skew = (cumulative_forecast(1, p) for p in ([0.3, 0.4, 0.3], [0.45, 0.5, 0.05]))
    assert symmetric.rps == pytest.approx(0.09, rel=1e-14)
    assert skew.rps == pytest.approx(0.1025, rel=1e-14)
    assert symmetric.squared_absolute_rps == pytest.approx(0.09, rel=1e-14)
    assert skew.squared_absolute_rps == pytest.approx(0.0625, rel=1e-14)


@given(st.lists(st.integers(0, 64), min_size=2, max_size=9).filter(any), st.integers(0, 8))
def test_the_scores_are_those_of_the_rules(counts: list[int], y: int) -> None:
    p, y = np.array(counts) / sum(counts), min(y, len(counts) - 1)
    found = cumulative_forecast(y, p)
    assert found.rps == pytest.approx(RPS()([y], p[None]), rel=1e-12, abs=1e-15)
    rule = SquaredAbsoluteRPS()
    assert found.squared_absolute_rps == pytest.approx(rule([y], p[None]), rel=1e-12, abs=1e-15)


def test_labels_name_the_class_that_happened() -> None:
    found = cumulative_forecast("mid", [0.5, 0.25, 0.25], labels=["low", "mid", "high"])
    assert (found.outcome, found.labels) == (1, ("low", "mid", "high"))
