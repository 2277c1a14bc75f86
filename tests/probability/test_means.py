"""Averages of the probability that was given to what happened, by hand."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import properly
from properly import Cases, probability, tally
from properly.probability._means import ClassMeans
from properly.probability._power_means import ThreeMeans

Y, P = [0, 1, 0, 1], [0.125, 0.25, 0.5, 0.875]
GIVEN, FITTED = [0.875, 0.25, 0.5, 0.875], [1, 0.5, 0.5, 1]
GRADES = ("none", "mild", "bad")
TABLE = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.5, 0.5, 0.0], [0.125, 0.25, 0.625]]


def by_hand(t: Any) -> ThreeMeans:
    """Average three ways, by the definitions."""
    x = np.asarray(t, dtype=float)
    robustness = float((x ** (-2 / 3)).mean()) ** -1.5
    return ThreeMeans(float(x.mean()), float(np.exp(np.log(x).mean())), robustness)


def approx(expected: ThreeMeans) -> Any:
    return pytest.approx(vars(expected), rel=1e-14)


@pytest.mark.parametrize("cases", [tally(Y, P), Cases(Y, P)], ids=["tally", "cases"])
def test_all_averages_of_four_cases(cases: Any) -> None:
    found = properly.means(cases)
    model, source = by_hand(GIVEN), by_hand(FITTED)
    assert vars(found.model) == approx(model)
    assert (found.decisiveness, found.mean_probability, found.robustness) == tuple(
        vars(found.model).values()
    )
    assert vars(found.source) == approx(source)
    assert found.divergence == pytest.approx(
        model.mean_probability / source.mean_probability, rel=1e-14
    )
    assert vars(found.ratio) == pytest.approx(
        {name: getattr(model, name) / getattr(source, name) for name in vars(model)}, rel=1e-14
    )
    rise, run = (x.decisiveness - x.robustness for x in (model, source))
    assert found.angle == pytest.approx(math.degrees(math.atan2(rise, run)), rel=1e-12)
    # The first and the last are right, the second wrong, the third undecided.
    assert found.correct == 2.5 / 4
    assert (found.precision, found.clipped, found.intervals) == (None, 0, None)
    assert found.estimate == "isotonic recalibration"
    assert list(found.classes) == ["event", "no event"]
    event = found.classes["event"]
    assert isinstance(event, ClassMeans)
    assert event.weight == 2
    assert vars(event.model) == approx(by_hand([0.25, 0.875]))
    assert vars(event.source) == approx(by_hand([0.5, 1]))
    expected = by_hand([0.25, 0.875]).mean_probability / by_hand([0.5, 1]).mean_probability
    assert event.divergence == pytest.approx(expected, rel=1e-14)
    assert vars(found.classes["no event"].model) == approx(by_hand([0.875, 0.5]))


def test_all_averages_of_three_classes() -> None:
    cases = Cases(["none", "mild", "mild", "bad"], TABLE, labels=GRADES)
    found = properly.means(cases)
    assert vars(found.model) == approx(by_hand([0.5, 0.5, 0.5, 0.625]))
    # Class by class; of forecasts of 0.5 for "none" one of two came true.
    assert vars(found.source) == approx(by_hand([0.5, 1, 1, 1]))
    assert list(found.classes) == list(GRADES)
    assert [part.weight for part in found.classes.values()] == [1, 2, 1]
    assert vars(found.classes["none"].source) == approx(by_hand([0.5]))
    assert found.classes["bad"].divergence == pytest.approx(0.625, rel=1e-15)
    # The third row is undecided between two classes, of which one happened.
    assert found.correct == pytest.approx(3.5 / 4, rel=1e-15)
    together = properly.means(cases, source=probability.IsotonicSource(pooled=True))
    assert vars(together.source) == approx(by_hand([0.75, 0.75, 0.75, 1]))
    assert together.estimate == "isotonic recalibration, all classes together"


def test_bins_of_classes_are_separate_or_pooled() -> None:
    cases = Cases([0, 1, 1, 2], TABLE)
    apart = properly.means(cases, source=probability.EqualWidth(bins=2))
    # From 0.5 on, class 0 came true in one of two, class 1 in two of two, class 2 in one of one.
    assert vars(apart.source) == approx(by_hand([1 / 2, 1, 1, 1]))
    together = properly.means(cases, source=probability.EqualWidth(bins=2, pooled=True))
    assert vars(together.source) == approx(by_hand([4 / 5] * 4))
    assert together.estimate == "bins of equal width, all classes together"


@pytest.mark.parametrize("weight", [[3, 1, 0, 2], [1.5, 0.5, 0.0, 1.0]])
def test_weights_count(weight: list[float]) -> None:
    times = 1 if weight[0] == 3 else 2
    repeated = np.repeat(np.arange(4), (np.array(weight) * times).astype(int))
    plain = Cases(np.array(Y)[repeated], np.array(P)[repeated])
    for cases in (Cases(Y, P, weight=weight), tally(Y, P, weight=weight)):
        found, expected = properly.means(cases), properly.means(plain)
        assert vars(found.model) == approx(expected.model)
        assert vars(found.source) == approx(expected.source)
        assert found.correct == pytest.approx(expected.correct, rel=1e-15)
        assert found.classes["event"].weight * times == expected.classes["event"].weight


# The share of correct cases


def test_an_event_that_is_as_likely_as_not_is_half_right() -> None:
    for y in ([0, 0], [1, 1], [0, 1]):
        for cases in (Cases(y, [0.5, 0.5]), tally(y, [0.5, 0.5])):
            assert properly.means(cases).correct == 0.5
    assert properly.means(tally([0, 1], [0.5 - 1e-12, 0.5 + 1e-12])).correct == 1
    assert properly.means(tally([1, 0], [0.5 - 1e-12, 0.5 + 1e-12])).correct == 0


def test_the_likeliest_of_several_classes_share_a_case() -> None:
    p = [[0.25, 0.25, 0.25, 0.25], [0.5, 0.5, 0, 0], [0.375, 0.375, 0.25, 0]]
    assert properly.means(Cases([2, 0, 2], p)).correct == pytest.approx((1 / 4 + 1 / 2) / 3)
    weighted = properly.means(Cases([2, 0, 2], p, weight=[1, 3, 4]))
    assert weighted.correct == pytest.approx((1 / 4 + 3 / 2) / 8)


# Names and order of the classes


def test_classes_come_in_their_order_and_absent_ones_are_left_out() -> None:
    found = properly.means(Cases(["bad", "none", "none", "bad"], TABLE, labels=GRADES))
    assert list(found.classes) == ["none", "bad"]
    assert sum(part.weight for part in found.classes.values()) == 4
    assert list(properly.means(tally([1, 1], [0.5, 0.75])).classes) == ["event"]
    assert list(properly.means(tally([0, 0], [0.5, 0.75])).classes) == ["no event"]


def test_labels_that_read_alike_are_told_apart() -> None:
    y = np.array([1, "1", "1", 2], dtype=object)
    found = properly.means(Cases(y, TABLE, labels=[1, "1", 2]))
    assert list(found.classes) == ["1", "'1'", "2"]
    assert [part.weight for part in found.classes.values()] == [1, 2, 1]
    assert json.loads(json.dumps(found.to_dict()))["classes"]["'1'"]["weight"] == 2


def test_a_class_may_be_called_all() -> None:
    labels = ["all", "some", "none"]
    found = properly.means(Cases(["all", "some", "some", "none"], TABLE, labels=labels))
    assert list(found.classes) == labels
    told = columns_of(found.to_frame("polars"))
    assert told["class"] == ["all", "all", "some", "none"]
    parts = found.classes.values()
    assert told["mean_probability"] == [
        found.mean_probability,
        *(part.model.mean_probability for part in parts),
    ]
    assert told["divergence"] == [found.divergence, *(part.divergence for part in parts)]
    assert told["mean_probability"][0] != told["mean_probability"][1]


# The divergence


def test_forecasts_that_are_their_own_recalibration_have_no_divergence() -> None:
    for counts in ([10, 10, 10], [30, 20, 10]):
        events = [3 * counts[0] // 10, counts[1] // 2, 7 * counts[2] // 10]
        t = properly.Tally.from_counts([0.3, 0.5, 0.7], counts, events)
        assert properly.means(t).divergence == pytest.approx(1, abs=1e-15)
        assert properly.means(t).divergence <= 1


def test_a_share_next_to_one_leaves_a_little_to_its_absence() -> None:
    found = properly.means(properly.Tally.from_counts([0.5], [10**17 + 1], [10**17]))
    assert found.source.mean_probability == pytest.approx(1, rel=1e-14)
    assert found.divergence == pytest.approx(0.5, rel=1e-14)
    none = found.classes["no event"]
    assert none.weight == 1
    assert none.source.mean_probability == pytest.approx(1e-17, rel=1e-13)
    assert none.divergence == pytest.approx(5e16, rel=1e-13)


def test_shares_in_single_precision_are_not_above_their_source() -> None:
    for n in range(2, 12):
        for k in range(n + 1):
            p = np.full(n, k / n, dtype=np.float32)
            for make in (tally, Cases):
                found = properly.means(make([1] * k + [0] * (n - k), p))
                assert found.divergence <= 1
                assert found.divergence == pytest.approx(1, abs=1e-13)


@pytest.mark.parametrize("make", [tally, Cases])
def test_small_forecasts_in_single_precision_keep_their_digits(make: Any) -> None:
    p = np.array([1e-9], dtype=np.float32)
    found = properly.means(make([0], p))
    assert (
        found.mean_probability == properly.means(make([0], p.astype(np.float64))).mean_probability
    )
    assert 1 - found.mean_probability == pytest.approx(1e-9, rel=1e-6)


# What was called impossible


@pytest.mark.parametrize(
    ("weight", "impossible", "told"),
    [
        (None, 2, "2 cases had"),
        ([2, 0, 2, 2], 1, "1 case had"),
        ([1, 0, 2, 3], 1.0, "a weight of 1 had"),
        ([1.5, 0.25, 2, 3], 1.75, "a weight of 1.75 had"),
    ],
)
def test_outcomes_that_were_given_nothing_are_counted(
    weight: Any, impossible: float, told: str
) -> None:
    y, p = [1, 0, 1, 0], np.array([0.0, 1.0, 0.5, 0.25])
    two = Cases(y, np.stack([1 - p, p], axis=1), weight=weight)
    for cases in (tally(y, p, weight=weight), Cases(y, p, weight=weight), two):
        found = properly.means(cases)
        assert found.impossible == impossible
        assert type(found.impossible) is type(impossible)
        assert found.mean_probability == found.robustness == 0
        assert str(found).split("\n")[-1].startswith(told)
        assert properly.means(cases, precision=0.01).impossible == 0
    assert properly.means(tally(Y, P)).impossible == 0


# A limit to precision


def test_moved_cases_are_counted_and_told() -> None:
    found = properly.means(tally([0, 1, 1, 0], [0.001, 0.5, 0.9999, 1]), precision=0.25)
    assert (found.precision, found.clipped) == (0.25, 3)
    assert vars(found.model) == approx(by_hand([0.75, 0.5, 0.75, 0.25]))
    assert str(found).split("\n")[-1] == "3 cases were moved by a precision of 0.25"


def test_a_weight_that_moved_is_no_number_of_cases() -> None:
    y, p = [0, 1, 1, 0], [0.001, 0.5, 0.9999, 1]
    for weight, told in (
        ([0.5, 0.5, 0.75, 1], "a weight of 2.25 was moved by a precision of 0.25"),
        ([0.25, 0.5, 0.25, 0.5], "a weight of 1 was moved by a precision of 0.25"),
        ([1e4, 0.5, 0.125, 1], "a weight of 1e+04 was moved by a precision of 0.25"),
    ):
        for make in (tally, Cases):
            found = properly.means(make(y, p, weight=weight), precision=0.25)
            assert type(found.clipped) is float
            assert str(found).split("\n")[-1] == told


def test_rows_of_the_same_numbers_are_tied_whatever_their_order() -> None:
    rng = np.random.default_rng(0)
    top, y = rng.integers(0, 5, 400), rng.integers(0, 5, 400)
    cases = Cases(y, np.eye(5)[top])
    # Each class was called likely or unlikely: two rates each, or one if they would fall.
    given = np.empty(400)
    for k in range(5):
        likely = top == k
        rate = [(y[of] == k).mean() for of in (~likely, likely)]
        rate = rate if rate[0] <= rate[1] else [(y == k).mean()] * 2
        given[y == k] = np.where(likely, rate[1], rate[0])[y == k]
    found = properly.means(cases, precision=0.05)
    assert found.source.mean_probability == pytest.approx(
        by_hand(given).mean_probability, rel=1e-13
    )
    assert f"{found.source.mean_probability:.5f}" == "0.20107"
    table = properly.probability.source_table(
        cases, precision=0.05, source=probability.EqualCount(bins=10**6)
    )
    assert len(table) == 10
    assert len(set(table.lower.tolist())) == 2


# What is told


def columns_of(frame: Any) -> dict[str, list[Any]]:
    if hasattr(frame, "column_names"):
        return {name: frame[name].to_pylist() for name in frame.column_names}
    return {str(name): list(frame[name]) for name in frame.columns}


def test_the_baseline_is_the_accuracy_of_shares() -> None:
    shares = [0.25, 0.5, 0.5, 0.25]
    found = properly.means(Cases([0, 1, 1, 2], TABLE))
    assert found.baseline == pytest.approx(by_hand(shares).mean_probability, rel=1e-14)
    assert properly.means(tally([1, 1], [0.5, 0.75])).baseline == 1
    weighted = properly.means(tally(Y, P, weight=[3, 1, 0, 2]))
    assert weighted.baseline == pytest.approx(0.5, rel=1e-15)


# Kinds of arrays


@pytest.mark.parametrize(
    "source", ["isotonic", "hist", "kernel", probability.IsotonicSource(pooled=True)]
)
def test_tensors_are_averaged_as_arrays_are(source: Any) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    q, table = (torch.tensor(x, dtype=torch.float64) for x in (P, TABLE))
    for plain, cases in (
        (tally(Y, P), tally(torch.tensor(Y), q)),
        (Cases(Y, P), Cases(torch.tensor(Y), q)),
        (Cases([0, 1, 1, 2], TABLE), Cases(torch.tensor([0, 1, 1, 2]), table)),
    ):
        for precision in (None, 0.2):
            found = properly.means(cases, source=source, precision=precision)
            assert found == properly.means(plain, source=source, precision=precision)
            assert type(found.mean_probability) is float
