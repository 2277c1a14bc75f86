"""A rule with a tally, or with classes, makes a number."""

from __future__ import annotations

import math

import array_api_strict
import numpy as np
import pytest

from properly import tally
from properly.counts._scoring import class_shares, mean_score, score_of_classes, share_saved
from properly.rules import RPS, Brier, Log

Y = np.array([0, 2, 2, 0])
WEIGHT = np.array([1.0, 0.5, 0.5, 2.0])


def test_the_mean_score_of_a_tally_is_that_of_its_cases() -> None:
    y, p = [0, 1, 1], [0.25, 0.25, 0.5]
    assert mean_score(tally(y, p), Brier()) == Brier()(y, p) == (0.0625 + 0.5625 + 0.25) / 3


def test_shares_of_classes_by_hand() -> None:
    assert class_shares(Y, None, 4).tolist() == [0.5, 0, 0.5, 0]
    assert class_shares(Y, WEIGHT, 3).tolist() == [0.75, 0, 0.25]
    strict = [array_api_strict.asarray(x) for x in (Y, WEIGHT)]
    assert class_shares(strict[0], strict[1], 3).tolist() == [0.75, 0, 0.25]


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["none", "weights"])
def test_one_row_of_classes_is_the_forecast_of_all_cases(weight: np.ndarray | None) -> None:
    row = np.array([0.5, 0.25, 0.25])
    for rule in (RPS(), Brier(), Log()):
        expected = rule(Y, np.tile(row, (4, 1)), weight)
        for forecast in (row, row[None]):
            found = score_of_classes(rule, Y, forecast, weight)
            assert type(found) is float
            assert found == expected


def test_a_row_a_case_is_what_it_is() -> None:
    p = np.eye(3)[[0, 2, 1, 0]]
    assert score_of_classes(RPS(), Y, p, None) == 0.125


@pytest.mark.parametrize(
    ("score", "reference", "share"),
    [
        (1.0, 4.0, 0.75),
        (0.0, 2.0, 1.0),
        (1.0, 0.0, -math.inf),
        (0.0, 0.0, math.nan),
        (math.inf, 1.0, -math.inf),
        (1.0, math.inf, 1.0),
        (math.inf, math.inf, math.nan),
    ],
)
def test_shares_that_are_saved(score: float, reference: float, share: float) -> None:
    np.testing.assert_equal(share_saved(score, reference), share)
