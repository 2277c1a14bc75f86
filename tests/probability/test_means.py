"""Averages of the probability that was given to what happened, overall and bin by bin."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly import Cases, Tally, probability, tally
from properly.counts._reductions import complement
from properly.probability._means import ClassMeans
from properly.probability._power_means import ThreeMeans, three_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.probability._means import SourceTable


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


SIX_Y, SIX_P = [0, 0, 1, 0, 1, 1], [0.125, 0.25, 0.375, 0.625, 0.75, 0.875]
TWO = probability.EqualCount(bins=2)
HAPPENED = [0, 1, 1, 2]
NAN = [math.nan] * 3


def three(*t: float) -> list[float]:
    x = np.array(t)
    return [x.mean(), np.exp(np.log(x).mean()), float((x ** (-2 / 3)).mean()) ** -1.5]


def mean_of_power(values: Sequence[float], weight: Sequence[float], power: float) -> float:
    x, w = np.array(values), np.array(weight) / sum(weight)
    return float(np.exp(w @ np.log(x)) if power == 0 else (w @ x**power) ** (1 / power))


def assert_column(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found, dtype=float), expected, rtol=1e-14, atol=1e-15)


def assert_averages(table: SourceTable, expected: list[list[float]]) -> None:
    found = np.stack([table.decisiveness, table.mean_probability, table.robustness], axis=1)
    assert_column(found, expected)


@pytest.mark.parametrize(
    "cases",
    [tally(SIX_Y, SIX_P), Cases(SIX_Y, SIX_P)],
    ids=["tally", "cases"],
)
def test_an_event_in_two_bins(cases: Tally | Cases) -> None:
    table = properly.probability.source_table(cases, source=TWO)
    assert table.name == ["event", "event", "no event", "no event"]
    assert table.number.tolist() == [0, 1, 0, 1]
    assert table.lower.tolist() == [0.125, 0.625, 0.125, 0.625]
    assert table.upper.tolist() == [0.375, 0.875, 0.375, 0.875]
    assert table.weight.tolist() == [3, 3, 3, 3]
    assert table.happened.tolist() == [1, 2, 1, 2]
    assert_column(table.source, [1 / 3, 2 / 3, 1 / 3, 2 / 3])
    assert_averages(
        table,
        [
            three(0.375),
            three(0.75, 0.875),
            three(0.375),
            three(0.875, 0.75),
        ],
    )
    sizes = [-math.log(0.375) / 6, -math.log(0.75 * 0.875) / 6]
    assert_column(table.size, sizes * 2)
    assert math.fsum(table.size) == pytest.approx(
        -math.log(table.means.mean_probability), rel=1e-14
    )
    assert table.means == properly.means(cases, source=TWO)


def test_three_classes_each_by_itself() -> None:
    cases = Cases([("x", "y", "z")[k] for k in HAPPENED], TABLE, labels=["x", "y", "z"])
    table = properly.probability.source_table(cases)
    # By class: below 0.5 and from there on; the last class only at 0.625.
    assert table.name == ["x", "x", "y", "y", "z", "z"]
    assert table.number.tolist() == [0, 1] * 3
    assert table.lower.tolist() == [0.125, 0.5, 0.25, 0.5, 0.0, 0.625]
    assert table.upper.tolist() == [0.25, 0.5, 0.25, 0.5, 0.25, 0.625]
    assert table.weight.tolist() == [2, 2, 2, 2, 3, 1]
    assert table.happened.tolist() == [0, 1, 0, 2, 0, 1]
    assert table.source.tolist() == [0, 0.5, 0, 1, 0, 1]
    assert_averages(
        table,
        [
            NAN,
            three(0.5),
            NAN,
            three(0.5, 0.5),
            NAN,
            three(0.625),
        ],
    )
    assert_column(table.size, [0, math.log(2) / 4, 0, math.log(2) / 2, 0, -math.log(0.625) / 4])
    assert repr(table) == "SourceTable(6 bins, isotonic recalibration)"
    assert len(table) == 6


@pytest.mark.parametrize("weighted", [False, True], ids=["counts", "fractions"])
@pytest.mark.parametrize(
    "source",
    ["isotonic", "hist", probability.EqualWidth(bins=7), probability.EqualWidth(bins=10**6)],
    ids=str,
)
def test_the_means_of_every_bin_are_those_of_its_cases(source: Any, weighted: bool) -> None:
    rng = np.random.default_rng(5)
    p = rng.choice([0.0, 1.0, *rng.uniform(0, 1, 40)], 300)
    y = (rng.random(300) < 0.4).astype(int)
    weight = rng.gamma(2, size=300) if weighted else rng.integers(1, 4, 300)
    table = properly.probability.source_table(Cases(y, p, weight=weight), source=source)
    nothing = 0
    for row, name in enumerate(table.name):
        given, happened = (p, y == 1) if name == "event" else (complement(p), y == 0)
        of = happened & (given >= table.lower[row]) & (given <= table.upper[row])
        found = [
            getattr(table, name)[row] for name in ("decisiveness", "mean_probability", "robustness")
        ]
        if not of.any():
            assert np.isnan(found).all()
            continue
        expected = three_means(given[of], weight[of])
        assert found == pytest.approx(list(vars(expected).values()), rel=1e-12)
        nothing += expected.mean_probability == 0
    # In the lowest bin of either side something happened that was called impossible.
    assert nothing == 2
    assert set(table.name) == {"event", "no event"}


def test_pooled_columns_are_called_all() -> None:
    source = probability.EqualCount(bins=2, pooled=True)
    table = properly.probability.source_table(Cases(HAPPENED, TABLE), source=source)
    assert table.name == ["all", "all"]
    assert table.number.tolist() == [0, 1]
    # In order: 0, 0.125, five times 0.25, four times 0.5 and 0.625.
    assert table.weight.tolist() == [7, 5]
    assert table.lower.tolist() == [0, 0.5]
    assert table.upper.tolist() == [0.25, 0.625]
    assert table.happened.tolist() == [0, 4]
    assert_column(table.source, [0, 4 / 5])
    assert_averages(table, [NAN, three(0.5, 0.5, 0.5, 0.625)])
    assert list(table.means.classes) == ["0", "1", "2"]
    assert repr(table) == "SourceTable(2 bins, bins of equal count, all classes together)"


def test_a_precision_moves_forecasts_first() -> None:
    table = properly.probability.source_table(tally(SIX_Y, SIX_P), source=TWO, precision=0.25)
    assert table.lower.tolist() == [0.25, 0.625, 0.25, 0.625]
    assert table.upper.tolist() == [0.375, 0.75, 0.375, 0.75]
    assert (table.means.precision, table.means.clipped) == (0.25, 2)
    assert_averages(
        table,
        [
            three(0.375),
            three(0.75, 0.75),
            three(0.375),
            three(0.75, 0.75),
        ],
    )


def test_what_was_called_impossible_has_infinite_size() -> None:
    table = properly.probability.source_table(
        tally([1, 0], [0.0, 0.5]), source=probability.EqualWidth(bins=2)
    )
    assert table.name == ["event", "event", "no event", "no event"]
    assert table.size[0] == math.inf
    assert (table.mean_probability[0], table.robustness[0], table.decisiveness[0]) == (0, 0, 0)
    assert table.means.mean_probability == 0
    assert table.overall("true").model == ThreeMeans(0.25, 0, 0)
    assert table.overall("equal").model == ThreeMeans(0.25, 0, 0)


# All bins together


def test_bins_are_weighed_by_what_happened_in_them_or_all_alike() -> None:
    # Three and one of four cases, at forecasts that are all different.
    p = [0.125, 0.25, 0.375, 0.4375, 0.625, 0.75, 0.8125, 0.875]
    y = [0, 0, 0, 1, 0, 1, 1, 1]
    table = properly.probability.source_table(tally(y, p), source=TWO)
    happened, source = [1, 3, 1, 3], [0.25, 0.75, 0.25, 0.75]
    assert table.happened.tolist() == happened
    for weights, by in (("true", happened), ("equal", [1, 1, 1, 1])):
        model, behind = table.overall(weights)  # type: ignore[arg-type]
        for name, power in {"decisiveness": 1, "mean_probability": 0, "robustness": -2 / 3}.items():
            bins = getattr(table, name).tolist()
            expected = mean_of_power(bins, by, power)
            assert getattr(model, name) == pytest.approx(expected, rel=1e-13)
            expected = mean_of_power(source, by, power)
            assert getattr(behind, name) == pytest.approx(expected, rel=1e-13)
    assert table.overall() == table.overall("true")
    means = properly.means(tally(y, p), source=TWO)
    assert table.overall().model.robustness == pytest.approx(means.robustness, rel=1e-13)
    assert table.overall().source.mean_probability == pytest.approx(
        means.source.mean_probability, rel=1e-13
    )
    # Weighed alike, bins in which it happens rarely count too much.
    assert table.overall("equal").source.mean_probability == pytest.approx(
        math.sqrt(3) / 4, rel=1e-13
    )
    assert table.overall("equal").source.mean_probability < means.source.mean_probability


# What is told


def test_a_table_of_many_bins_shows_its_ends() -> None:
    t = properly.Tally.from_counts((np.arange(40) + 0.5) / 50, np.full(40, 10), np.arange(40) // 5)
    lines = str(
        properly.probability.source_table(t, source=properly.probability.EqualWidth(bins=50))
    ).splitlines()
    # Of bins that are too narrow, a note says so: ten cases in each of forty.
    assert lines[-2:] == [
        "80 of 80 bins hold fewer cases than their class has bins: a rate of n cases moves in",
        "  steps of 1/n, wider than such bins.",
    ]
    lines = lines[:-2]
    assert len(lines) == 1 + 24 + 1
    assert " ".join(lines[0].split()) == (
        "class forecasts cases happened source mean probability size"
    )
    assert " ".join(lines[1].split()) == "event 0.0100 to 0.0100 10 0 0.0000 - 0.0000"
    assert lines[13].split() == ["…", "56", "more"]
    assert " ".join(lines[-1].split()[:6]) == "no event 0.9900 to 0.9900 10"


@pytest.mark.parametrize("function", [properly.means, probability.source_table])
def test_a_group_has_the_record_of_its_cases(function: Any) -> None:
    label = ["a", "all", "a", "all", "a", "all", "empty"]
    cases = Cases([*SIX_Y, 1], [*SIX_P, 0.5], groups=label, weight=[1, 2, 1, 1, 3, 1, 0])
    options: dict[str, Any] = {"source": TWO, "precision": 0.2}
    found = function(cases, **options, by_group=True)
    parts = {name: cases.by_group()[name] for name in ("a", "all")}
    assert list(found.groups) == list(parts)
    alone = {name: function(part, **options) for name, part in parts.items()}
    for name, one in alone.items():
        assert found.groups[name].to_dict() == one.to_dict()
        assert f"\n\n{name}\n{one}" in str(found)
    # All cases come first, with the same numbers as without groups.
    whole = function(cases, **options)
    assert {**found.to_dict(), "groups": None} == {**whole.to_dict(), "groups": None}
    frame = found.to_frame("pandas").drop(columns="group")
    rows = [one.to_frame("pandas") for one in (whole, *alone.values())]
    assert str(frame.to_numpy().tolist()) == str(np.concatenate(rows).tolist())


def test_groups_draw_after_all_cases() -> None:
    options: dict[str, Any] = {"interval": True, "replicates": 50, "rng": 1}
    y, p = SIX_Y * 20, SIX_P * 20
    found = properly.means(y, p, groups=list("aabbab") * 20, by_group=True, **options)
    assert found.intervals == properly.means(y, p, **options).intervals
