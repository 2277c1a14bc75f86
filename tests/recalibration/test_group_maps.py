"""Maps by group."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import properly
from properly.errors import DataError, DataWarning
from properly.recalibration import GroupShift, Intercept, Logistic
from properly.recalibration._reduction_maps import variance_between


def grouped(shifts: tuple[float, ...] = (0.0, 1.0, -1.0), each: int = 300) -> properly.Cases:
    """Draw cases of groups whose log odds are shifted."""
    rng = np.random.default_rng(11)
    groups = np.repeat([f"ward {k}" for k in range(len(shifts))], each)
    odds = rng.normal(-0.5, 1.5, len(groups))
    truth = 1 / (1 + np.exp(-(0.2 + 0.8 * odds + np.repeat(shifts, each))))
    p = np.round(1 / (1 + np.exp(-odds)), 3).clip(0.001, 0.999)
    return properly.Cases(rng.random(len(p)) < truth, p, groups=groups)


@pytest.mark.parametrize("intercept", [None, 0.7])
@pytest.mark.parametrize("slope", [None, 2.0])
def test_the_line_for_all_is_that_of_a_group_without_a_shift(
    intercept: float | None, slope: float | None
) -> None:
    shifts = GroupShift(intercept, slope, groups={"north": 0.0, "south": 1.0})
    plain = Logistic(intercept, slope)
    assert shifts.coefficients == plain.coefficients
    north: Any = shifts.for_group("north")
    south: Any = shifts.for_group("south")
    assert north.coefficients == plain.coefficients
    assert south.coefficients.c == plain.coefficients.c + 1


def test_shifts_are_the_intercepts_after_the_line_drawn_towards_none() -> None:
    cases = grouped()
    mapping = GroupShift().fit(cases)
    line = Logistic().fit(cases.tally())
    assert (mapping.intercept, mapping.slope) == (line.intercept, line.slope)
    shift, variance = [], []
    for part in cases.by_group().values():
        q = line.at(part.p)
        own: Any = Intercept().fit(part.y, q)
        mu = own.at(q)
        shift.append(own.intercept)
        variance.append(1 / (mu * (1 - mu)).sum())
    # DerSimonian and Laird, as they wrote it.
    weight = 1 / np.array(variance)
    mean = np.average(shift, weights=weight)
    excess = (weight * (shift - mean) ** 2).sum() - 2
    between = excess / (weight.sum() - (weight**2).sum() / weight.sum())
    assert mapping.between == pytest.approx(between, rel=1e-9)
    drawn = np.array(shift) * between / (between + np.array(variance))
    np.testing.assert_allclose(list(mapping.shifts.values()), drawn, rtol=1e-9)
    assert list(mapping.shifts) == ["ward 0", "ward 1", "ward 2"]


def test_a_group_is_mapped_by_its_line() -> None:
    mapping: Any = GroupShift().fit(grouped())
    p, groups = np.array([0.2, 0.7, 0.4, 0.2]), ["ward 1", "ward 0", "ward 1", "ward 2"]
    expected = [mapping.for_group(g).at(x) for g, x in zip(groups, p, strict=True)]
    np.testing.assert_array_equal(mapping.at(p, groups=groups), expected)
    assert mapping.at(0.2, groups="ward 1") == expected[0]
    shift: Any = mapping.for_group("ward 1")
    assert shift.intercept == mapping.intercept + mapping.shifts["ward 1"]
    np.testing.assert_array_equal(
        mapping.at(np.reshape(p, (2, 2)), groups=groups), np.reshape(expected, (2, 2))
    )


def test_groups_that_do_not_differ_have_one_map() -> None:
    once = grouped(shifts=(0.0,))
    twice = properly.Cases(
        np.tile(once.y, 2), np.tile(once.p, 2), groups=np.repeat([1, 2], len(once))
    )
    with pytest.warns(DataWarning, match="groups differ no more than by chance"):
        mapping = GroupShift().fit(twice)
    assert (mapping.between, mapping.shifts) == (0.0, {"1": 0.0, "2": 0.0})
    assert variance_between(np.array([3.0]), np.array([0.1])) == 0


def test_the_unit_of_weights_does_not_matter_and_counts_are_rows() -> None:
    cases = grouped()
    rng = np.random.default_rng(5)
    weight, times = rng.uniform(0.5, 3, len(cases)), rng.integers(1, 4, len(cases))

    def fit(**columns: Any) -> GroupShift:
        return GroupShift().fit(cases.y, cases.p, groups=cases.groups, **columns)

    for drawn in (weight, times):
        first, second = (fit(weight=unit * drawn) for unit in (1.0, 250.5))
        assert second.between == pytest.approx(first.between, rel=1e-9)
        assert second.shifts == pytest.approx(first.shifts, rel=1e-9)
    y, p, groups = (np.repeat(x, times) for x in (cases.y, cases.p, np.asarray(cases.groups)))
    repeated = GroupShift().fit(y, p, groups=groups)
    assert fit(count=times).shifts == pytest.approx(repeated.shifts, rel=1e-9)


def test_a_group_without_events_is_drawn_if_outcomes_are_smooth() -> None:
    cases = grouped()
    y = np.where(cases.groups == "ward 2", False, cases.y)
    assert np.isfinite(GroupShift().fit(y, cases.p, groups=cases.groups).shifts["ward 2"])
    with pytest.raises(DataError, match="each group needs events and non-events; not so 'ward 2'"):
        GroupShift(smooth=False).fit(y, cases.p, groups=cases.groups)


def test_a_group_that_was_not_seen_is_not_shifted_and_said_once() -> None:
    mapping = GroupShift().fit(grouped())
    with pytest.warns(DataWarning, match="2 forecasts of groups that this map was not") as caught:
        q = mapping.at([0.3, 0.3, 0.3], groups=["x", "ward 1", "y"])
    assert len(caught) == 1
    line = Logistic(mapping.intercept, mapping.slope).at(0.3)
    assert q[0] == q[2] == line != q[1]


def test_certain_forecasts_have_the_same_place_in_all_groups() -> None:
    cases = grouped()
    y = np.concatenate([cases.y, [1, 0, 0, 0]])
    p = np.concatenate([cases.p, [0, 0, 0, 0]])
    groups = np.concatenate([cases.groups, ["ward 0", "ward 1", "ward 1", "sure"]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        mapping, line = GroupShift().fit(y, p, groups=groups), Logistic().fit(y, p)
    q = mapping.at([0.0, 0.0], groups=["ward 0", "ward 1"])
    np.testing.assert_array_equal(q, line.at([0.0, 0.0]))
    assert mapping.shifts["sure"] == 0


def test_groups_are_one_whether_they_are_numbers_or_text() -> None:
    mapping = GroupShift(0.0, 1.0, {"7": 1.0})
    for groups in (["7"], [7], [7.0], np.array([7], dtype=np.int8)):
        assert mapping.at([0.5], groups=groups)[0] == pytest.approx(1 / (1 + np.exp(-1)))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_frame_names_its_column_of_groups(library: Any) -> None:
    mapping = GroupShift(0.0, 1.0, {"a": 1.0, "b": -1.0})
    frame = library({"p": [0.5, 0.5], "ward": ["a", "b"]})
    result = mapping.at(frame, forecast="p", groups="ward")
    expected = mapping.at([0.5, 0.5], groups=["a", "b"])
    np.testing.assert_array_equal(result["p_recalibrated"].to_numpy(), expected)


def test_tensors_by_group_have_gradients() -> None:
    torch = pytest.importorskip("torch")
    cases = grouped()
    fitted = GroupShift().fit(cases)
    tensor = torch.tensor(np.asarray(cases.p), requires_grad=True)
    q = fitted.at(tensor, groups=cases.groups)
    np.testing.assert_allclose(q.detach().numpy(), fitted.at(cases.p, groups=cases.groups))
    q.sum().backward()
    assert bool((tensor.grad > 0).all())


def test_maps_by_group_are_written_and_read() -> None:
    cases = grouped()
    fitted = GroupShift().fit(cases)
    back = properly.recalibration.loads(fitted.dumps())
    assert back.dumps() == fitted.dumps()
    q, again = (x.at(cases.p, groups=cases.groups) for x in (fitted, back))
    np.testing.assert_array_equal(q, again)
    assert fitted.to_dict()["parameters"]["groups"] == fitted.shifts


def test_what_needs_no_groups_is_that_of_one_group() -> None:
    fitted = GroupShift().fit(grouped())
    for ask in (lambda: fitted.threshold(0.5), lambda: fitted.sql("p")):
        with pytest.raises(DataError, match="needs a map without groups"):
            ask()
    assert 0 < fitted.for_group("ward 1").threshold(0.5) < 1


def test_there_is_a_group_for_each_forecast() -> None:
    with pytest.raises(DataError, match="groups and forecasts must be equally long"):
        GroupShift().fit(grouped()).at([0.5], groups=["ward 1", "ward 2"])


def test_maps_by_group_are_judged_with_their_groups() -> None:
    cases = grouped()
    gain = properly.recalibration.recalibration_gain(cases, GroupShift(), folds=5)
    plain = properly.recalibration.recalibration_gain(cases, Logistic(), folds=5)
    assert gain.estimate > plain.estimate > 0
