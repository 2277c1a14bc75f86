"""Forecasts of exactly 0 and exactly 1."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

import properly
from properly.calibration import Certain
from properly.calibration._statistics import certainties
from properly.rules import Log


def test_certain_forecasts_are_counted_with_those_that_were_wrong() -> None:
    t = properly.tally([0, 1, 1, 0, 1, 1, 0], [0.0, 0.0, 0.0, 1.0, 1.0, 0.5, 1e-300])
    found = certainties(t)
    assert found == Certain(never=3, never_wrong=2, always=2, always_wrong=1)
    assert found.wrong == 3
    assert isinstance(found.never_wrong, int)


def test_weights_are_added_up() -> None:
    t = properly.tally([0, 1, 0], [0.0, 0.0, 1.0], weight=[0.5, 0.25, 2.0])
    assert certainties(t) == Certain(0.75, 0.25, 2.0, 2.0)


def test_sums_of_whole_weights_are_no_numbers_of_cases() -> None:
    y, p, number = [0, 1, 0], [0.0, 0.0, 1.0], [3, 1, 2]
    weighted, counted = properly.tally(y, p, weight=number), properly.tally(y, p, count=number)
    assert certainties(weighted) == certainties(counted) == Certain(4, 1, 2, 2)
    told = "impossible a weight of 4, 1 wrong; certain a weight of 2, 2 wrong"
    assert repr(certainties(weighted)) == f"Certain({told})"
    assert (
        repr(certainties(counted))
        == "Certain(impossible 4 cases, 1 wrong; certain 2 cases, 2 wrong)"
    )


def test_rounding_of_weights_makes_nothing_wrong() -> None:
    weight = np.random.default_rng(1).uniform(size=1000)
    found = certainties(properly.tally(np.ones(1000), np.ones(1000), weight=weight))
    assert (found.always_wrong, found.wrong) == (0, 0)


def test_none_are_certain() -> None:
    t = properly.tally([0, 1], [5e-324, np.nextafter(1, 0)])
    assert certainties(t) == Certain(0, 0, 0, 0)


def test_grouping_a_tally_loses_no_certain_forecast() -> None:
    t = properly.tally([0, 1, 1, 0], [0.0, 0.001, 0.999, 1.0])
    assert certainties(t.group(2)) == certainties(t) == Certain(1, 0, 1, 1)


@examples(30)
@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.25, 1.0])), min_size=1))
def test_the_log_score_is_infinite_if_and_only_if_a_certain_forecast_was_wrong(
    rows: list[tuple[bool, float]],
) -> None:
    y, p = zip(*rows, strict=True)
    found = certainties(properly.tally(y, p))
    assert math.isinf(Log()(y, p)) == (found.wrong > 0)
    assert (found.never, found.always) == (p.count(0.0), p.count(1.0))
