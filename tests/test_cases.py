"""Checked rows."""

from typing import Any

import numpy as np
import pytest

from properly import Cases, decompose, reliability, tally
from properly._cases import (
    has_clusters,
    has_time,
    is_dependent,
    require_independent,
    require_no_time,
)
from properly.errors import DataError
from properly.rules import Brier


def test_cases_keep_their_columns() -> None:
    c = Cases([0, 1], [0.1, 0.2], weight=[1, 2], clusters=["a", "a"], time=[1, 2], groups=[0, 1])
    assert repr(c) == "Cases(2 rows with weight, clusters, time, groups)"
    assert c.clusters is not None
    assert c.clusters.tolist() == ["a", "a"]
    assert len(c) == 2


def test_the_last_of_two_labels_is_the_event() -> None:
    assert Cases(["a", "b"], [0.1, 0.2], labels=("b", "a")).y.tolist() == [True, False]


def test_an_event_that_never_happened_is_named_by_labels() -> None:
    c = Cases(["none", "none"], [0.1, 0.2], labels=("none", "storm"))
    assert c.tally().event_rate == 0


def test_whatever_takes_a_tally_takes_cases() -> None:
    y, p, weight = [0, 1, 1, 0], [0.1, 0.4, 0.4, 0.8], [1, 2, 1, 3]
    cases, counts = Cases(y, p, weight=weight), tally(y, p, weight=weight)
    assert decompose(cases, Brier()) == decompose(counts, Brier())
    np.testing.assert_array_equal(reliability(cases).recalibrated, reliability(counts).recalibrated)


def test_what_was_checked_stays_as_it_was() -> None:
    y, p = np.array([0, 1]), np.array([0.1, 0.2])
    c = Cases(y, p)
    p[0] = 7.0
    assert c.p.tolist() == [0.1, 0.2]


DESIGNS: dict[str, tuple[Any, bool, bool]] = {
    "a tally": (tally([0, 1], [0.1, 0.2]), False, False),
    "independent": (Cases([0, 1], [0.1, 0.2], groups=[1, 2]), False, False),
    "clusters": (Cases([0, 1], [0.1, 0.2], clusters=[1, 2]), True, False),
    "time": (Cases([0, 1], [0.1, 0.2], time=[1, 2]), False, True),
    "both": (Cases([0, 1], [0.1, 0.2], clusters=[1, 2], time=[1, 2]), True, True),
}


@pytest.mark.parametrize(("source", "clusters", "time"), DESIGNS.values(), ids=DESIGNS)
def test_cases_are_dependent_by_clusters_or_by_time(
    source: Any, clusters: bool, time: bool
) -> None:
    assert has_clusters(source) is clusters
    assert has_time(source) is time
    assert is_dependent(source) is (clusters or time)


def test_dependence_is_refused_by_its_name() -> None:
    for name in ("a tally", "independent"):
        require_independent(DESIGNS[name][0], "this")
    require_no_time(DESIGNS["clusters"][0], "this")
    with pytest.raises(DataError, match="this takes cases as independent; these have clusters"):
        require_independent(DESIGNS["clusters"][0], "this")
    for name in ("time", "both"):
        with pytest.raises(DataError, match="this does not allow for dependence in time"):
            require_independent(DESIGNS[name][0], "this")
