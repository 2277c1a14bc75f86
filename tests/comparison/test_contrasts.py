"""Influences of groups added up, and differences of means of skewed cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, skew

import properly
from properly._boundary._options import as_drawing
from properly.comparison._contrasts import (
    GroupMoments,
    bend,
    contrasts,
    measures_of,
    skewness,
    skewness_on_log_scale,
    straighten,
)
from properly.comparison._groups import amounts_of, split_of_rows
from properly.rules import Brier, Log


@pytest.mark.filterwarnings("ignore:in 1 of 1 group with intervals")
def test_nothing_is_known_of_groups_whose_clusters_have_infinite_losses_on_either_side() -> None:
    y, p = [1, 1, 0, 1] * 20, [0.0, 0.0, 0.2, 0.7] * 20
    pairs, groups = [k // 2 for k in range(80)], ["a", "b"] * 40
    cases = properly.Cases(y, p, clusters=pairs, groups=groups)
    found = properly.by_group(cases, properly.rules.Log(), calibration=False, replicates=5, rng=1)
    assert np.isinf(found.score).all()
    assert np.isnan(found.difference).all()


def test_the_skewness_of_a_mean_falls_with_the_root_of_the_number() -> None:
    x = np.array([0.0, 0.0, 1.0, 2.0, 7.0])
    assert skewness((x - x.mean()) / 5) == pytest.approx(skew(x) / np.sqrt(5))
    assert skewness(np.zeros(3)) == 0


@given(st.floats(-8, 8), st.floats(-1, 1))
def test_what_is_bent_is_straightened(t: float, a: float) -> None:
    back = bend(straighten(np.array([t]), np.array([a])), np.array([a]))
    # Where the cubic is flat, rounding is seen.
    assert back[0] == pytest.approx(t, abs=1e-4)


def test_low_means_of_cases_skewed_to_the_right_are_less_far_off() -> None:
    assert straighten(np.array([-2.0]), np.array([0.3]))[0] == pytest.approx(-2 + 0.4 - 0.72 / 27)


@pytest.mark.parametrize(("rate", "size"), [(0.02, 1000), (0.3, 100), (0.5, 100)])
def test_a_logarithm_of_observed_over_expected_errs_as_often_on_either_side(
    rate: float, size: int
) -> None:
    events = np.arange(1, size)
    chance = binom.pmf(events, size, rate)
    # Variance and third moment of the influences of cases that all have the same forecast.
    variance = 1 / events - 1 / size
    third = 1 / events**2 - 3 / (events * size) + 2 / size**2
    error = np.sqrt(variance)
    t = np.log(events / (size * rate)) / error
    a = skewness_on_log_scale(third / error**3, np.stack([variance, 0 * error]), error)
    straight = straighten(t, a)
    for tail in (straight > 1.96, straight < -1.96):
        assert float(chance[tail].sum()) == pytest.approx(0.025, abs=0.006)


def test_sums_of_groups_have_a_degree_of_freedom_less_than_cases() -> None:
    number = np.arange(60) % 3
    cases = properly.Cases(number == 0, np.linspace(0.1, 0.9, 60), groups=number)
    split = split_of_rows(cases)
    rows, measure = amounts_of(cases, Brier(), None), measures_of(Brier(), None)["score"]
    by_sums, by_rows = (x.add_up(measure, split) for x in (GroupMoments.of(rows, number), rows))
    for one, other in ((by_sums.own, by_rows.own), (by_sums.apart, by_rows.apart)):
        assert one.degrees == other.degrees == 59
        np.testing.assert_allclose(one.covariance, other.covariance, rtol=1e-9, atol=1e-18)


@pytest.mark.parametrize(
    "known",
    [{}, {"weight": np.random.default_rng(4).uniform(0.5, 2.0, 400)}],
    ids=["alike", "weighed"],
)
@pytest.mark.parametrize("rule", [Brier(), Log()], ids=repr)
def test_sums_of_groups_say_what_rows_do(rule: Any, known: dict[str, Any]) -> None:
    rng = np.random.default_rng(4)
    p = np.concatenate([[0.0, 1.0], rng.beta(1, 2, 398).round(2)])
    y, group = rng.random(400) < p, rng.integers(0, 5, 400)
    # One group is priced without end, one does not vary.
    y[np.flatnonzero(group == 1)[0]], p[np.flatnonzero(group == 1)[0]] = True, 0.0
    y[group == 2], p[group == 2] = False, 0.25
    cases = properly.Cases(y, p, groups=group, **known)
    split, rows = split_of_rows(cases), amounts_of(cases, rule, None)
    found, wanted = (
        contrasts(x, measures_of(rule, None), split, as_drawing(0.9, 9, 1))
        for x in (GroupMoments.of(rows, split.number), rows)
    )
    for name, by_rows in wanted.items():
        for column, numbers in by_rows.columns().items():
            if not column.startswith(("adjusted", "simultaneous", "quantile")):
                got = found[name].columns()[column]
                np.testing.assert_allclose(got, numbers, rtol=1e-8, atol=1e-12, err_msg=column)
