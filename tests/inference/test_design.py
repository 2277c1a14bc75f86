"""How cases were sampled, in numbers and in words."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest

from properly import Cases
from properly.errors import DataError
from properly.inference._design import Design
from properly.inference._variance import covariance

Y = [0, 1, 0, 1, 1, 0]
P = [0.1, 0.8, 0.3, 0.6, 0.9, 0.2]


def design(**known: Any) -> Design:
    return Design.of(Cases(Y, P, **known))


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ({}, "6 independent cases"),
        ({"clusters": [1, 1, 2, 2, 3, 3]}, "3 clusters"),
        ({"strata": list("aabbbb")}, "6 independent cases in 2 strata"),
        ({"clusters": list("ppqqrr"), "strata": [1] * 6}, "3 clusters in 1 stratum"),
        ({"time": [1, 2, 3, 3, 4, 5]}, "5 times"),
        ({"weight": [0, 1, 1, 1, 1, 1]}, "5 independent cases"),
        ({"clusters": list("ppqqrr"), "time": [1, 2, 1, 2, 1, 2]}, "3 clusters by 2 times"),
    ],
)
def test_a_design_is_told_in_words(known: dict[str, Any], told: str) -> None:
    assert design(**known).text == told


def test_influences_are_added_up_over_clusters_and_over_times() -> None:
    influence = np.arange(12.0).reshape(2, 6)
    alone = design()
    assert alone.totals(influence) is influence
    for name in ("clusters", "time"):
        found = design(**{name: [1, 2, 1, 2, 3, 3]}).totals(influence)
        np.testing.assert_array_equal(found, [[2, 4, 9], [14, 16, 21]])


def test_strata_are_those_of_clusters() -> None:
    found = design(clusters=[5, 4, 6, 7, 5, 4], strata=list("aabbaa"))
    assert found.stratum_of_units().tolist() == [0, 0, 1, 1]
    assert design(strata=list("aabbaa")).stratum_of_units().tolist() == [0, 0, 1, 1, 0, 0]
    assert design(clusters=[5, 5, 6, 6, 7, 7]).stratum_of_units().tolist() == [0, 0, 0]


def test_a_cluster_in_two_strata_is_refused() -> None:
    told = r"cluster 6 lies in 'b' \(row 2\) and in 'c' \(row 3\)"
    with pytest.raises(DataError, match=told):
        design(clusters=[5, 5, 6, 6, 7, 7], strata=list("aabcaa"))


def test_a_cluster_may_reach_into_another_stratum_with_rows_of_weight_zero() -> None:
    found = design(clusters=[5, 5, 6, 6, 7, 7], strata=list("aabcaa"), weight=[1, 1, 0, 1, 1, 1])
    assert found.text == "3 clusters in 2 strata"


def test_strata_vary_about_their_own_means() -> None:
    influence = np.array([[1.0, 2, 3, 10, 12, 17]])
    found = covariance(influence, design(strata=list("aaabbb")))
    expected = 3 / 2 * (1 + 0 + 1) + 3 / 2 * (9 + 1 + 16)
    assert found.covariance[0, 0] == pytest.approx(expected, rel=1e-14)
    assert found.degrees == 4


def test_dates_of_python_and_with_time_zones_have_an_order() -> None:
    pandas = pytest.importorskip("pandas")
    days = [date(2024, 3, d) for d in (2, 1, 1, 5, 4, 2)]
    zoned = pandas.Series(pandas.to_datetime(days)).dt.tz_localize("UTC")
    for time in (np.array(days, dtype=object), zoned):
        found = design(time=time).time
        assert found is not None
        assert found.tolist() == [1, 0, 0, 3, 2, 1]
