"""Maps of groups: one line and a shrunk shift each, or a map each; and groups that are missing."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from tests.recalibration_numbers import cases_of, column, fitted, labels, quiet, read

import properly
from properly import recalibration
from properly.errors import DataError, DataWarning
from properly.recalibration import GroupShift, Logistic, Separate

pytestmark = quiet


def grouped(**columns: Any) -> properly.Cases:
    return cases_of("cases", groups=labels("group"), **columns)


def test_groups_are_needed_where_a_map_has_them() -> None:
    for kind in (GroupShift(), Separate(Logistic())):
        with pytest.raises(DataError, match="group"):
            kind.fit(cases_of("cases"))


def test_a_group_that_was_never_seen_is_not_shifted_and_told_of_once() -> None:
    fit = GroupShift().fit(grouped())
    common = fitted("cases", "logistic")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        q = fit.at(np.array([0.3, 0.3, 0.6]), groups=["new", "a", "new"])
    words = [str(w.message) for w in told if issubclass(w.category, DataWarning)]
    assert len(words) == 1
    assert "new" in words[0] or "2" in words[0]
    np.testing.assert_allclose(np.asarray(q)[[0, 2]], common.at(np.array([0.3, 0.6])), atol=1e-12)
    assert q[1] > q[0]


def test_groups_that_do_not_differ_have_the_common_map() -> None:
    cases = cases_of("cases", groups=np.arange(400) % 2)
    fit = GroupShift().fit(cases)
    if fit.between == 0:
        assert set(fit.shifts.values()) == {0.0}
        assert fit.notices
    same = properly.Cases(
        np.tile(np.asarray(cases.y).astype(int), 2),
        np.tile(np.asarray(cases.p), 2),
        groups=np.repeat(["u", "v"], 400),
    )
    fit = GroupShift().fit(same)
    assert fit.between == 0
    assert set(fit.shifts.values()) == {0.0}
    assert fit.notices


def test_a_group_without_events_is_shifted_a_finite_way() -> None:
    groups = labels("group")
    y = np.where(groups == "c", 0, column(read("cases"), "y")).astype(int)
    fit = GroupShift().fit(properly.Cases(y, column(read("cases"), "p"), groups=groups))
    assert all(math.isfinite(shift) for shift in fit.shifts.values())
    assert fit.shifts["c"] < 0


def test_separate_maps_need_ten_of_either_outcome_in_each_group() -> None:
    groups = np.array(["a"] * 390 + ["small"] * 10)
    with pytest.raises(DataError, match="small"):
        Separate(Logistic()).fit(cases_of("cases", groups=groups))
    fit = Separate(Logistic()).fit(grouped())
    own = labels("group") == "b"
    rows = read("cases")
    alone = Logistic().fit(column(rows, "y").astype(int)[own], column(rows, "p")[own])
    p = np.array([0.2, 0.7])
    np.testing.assert_array_equal(fit.at(p, groups=["b", "b"]), alone.at(p))


@pytest.mark.parametrize("kind", [GroupShift(), Separate(Logistic())], ids=repr)
def test_maps_of_groups_travel(kind: Any) -> None:
    fit = kind.fit(grouped())
    back = recalibration.loads(fit.dumps())
    assert back.dumps() == fit.dumps()
    p, groups = np.linspace(0.1, 0.9, 9), list("abcabcabc")
    np.testing.assert_array_equal(back.at(p, groups=groups), fit.at(p, groups=groups))
