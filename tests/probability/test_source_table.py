"""Model against source, bin by bin, by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import properly
from properly import Cases, Tally, probability, tally
from properly.counts._reductions import complement
from properly.errors import DataError
from properly.probability._power_means import ThreeMeans, three_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly.probability._means import SourceTable

Y, P = [0, 0, 1, 0, 1, 1], [0.125, 0.25, 0.375, 0.625, 0.75, 0.875]
TWO = probability.EqualCount(bins=2)
TABLE = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.5, 0.5, 0.0], [0.125, 0.25, 0.625]]
HAPPENED = [0, 1, 1, 2]
NAN = [math.nan] * 3


def by_hand(*t: float) -> list[float]:
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


@pytest.mark.parametrize("cases", [tally(Y, P), Cases(Y, P)], ids=["tally", "cases"])
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
        table, [by_hand(0.375), by_hand(0.75, 0.875), by_hand(0.375), by_hand(0.875, 0.75)]
    )
    sizes = [-math.log(0.375) / 6, -math.log(0.75 * 0.875) / 6]
    assert_column(table.size, sizes * 2)
    assert math.fsum(table.size) == pytest.approx(
        -math.log(table.means.mean_probability), rel=1e-14
    )
    assert table.means == properly.means(cases, source=TWO)


def test_isotonic_bins_and_those_in_which_nothing_happened() -> None:
    table = properly.probability.source_table(tally([0, 1, 0, 1], [0.125, 0.25, 0.5, 0.875]))
    assert table.name == ["event"] * 3 + ["no event"] * 3
    assert table.number.tolist() == [0, 1, 2] * 2
    assert table.lower.tolist() == [0.125, 0.25, 0.875, 0.125, 0.5, 0.875]
    assert table.upper.tolist() == [0.125, 0.5, 0.875, 0.125, 0.75, 0.875]
    assert table.happened.tolist() == [0, 1, 1, 0, 1, 1]
    assert table.source.tolist() == [0, 0.5, 1, 0, 0.5, 1]
    assert_averages(table, [NAN, by_hand(0.25), by_hand(0.875), NAN, by_hand(0.5), by_hand(0.875)])
    assert table.size[[0, 3]].tolist() == [0, 0]


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
    assert_averages(table, [NAN, by_hand(0.5), NAN, by_hand(0.5, 0.5), NAN, by_hand(0.625)])
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


@pytest.mark.parametrize("ties", ["together", "split"])
def test_pooled_columns_are_called_all(ties: Any) -> None:
    source = probability.EqualCount(bins=2, pooled=True, ties=ties)
    table = properly.probability.source_table(Cases(HAPPENED, TABLE), source=source)
    assert table.name == ["all", "all"]
    assert table.number.tolist() == [0, 1]
    # In order: 0, 0.125, five times 0.25, four times 0.5 and 0.625.
    weight = [7, 5] if ties == "together" else [6, 6]
    assert table.weight.tolist() == weight
    assert table.lower.tolist() == [0, 0.5 if ties == "together" else 0.25]
    assert table.upper.tolist() == [0.25, 0.625]
    assert table.happened.tolist() == [0, 4]
    assert_column(table.source, [0, 4 / weight[1]])
    assert_averages(table, [NAN, by_hand(0.5, 0.5, 0.5, 0.625)])
    assert list(table.means.classes) == ["0", "1", "2"]
    assert repr(table) == "SourceTable(2 bins, bins of equal count, all classes together)"


def test_weights_count_in_every_column() -> None:
    for weight in ([1, 2, 3, 0, 1, 1], [0.5, 1.0, 1.5, 0.0, 0.5, 0.5]):
        for cases in (Cases(Y, P, weight=weight), tally(Y, P, weight=weight)):
            table = properly.probability.source_table(cases, source=probability.EqualWidth(bins=2))
            a, b, c, _, d, e = weight
            assert table.weight.tolist() == [a + b + c, d + e, d + e, a + b + c]
            assert table.happened.tolist() == [c, d + e, 0, a + b]
            assert_column(table.source, [c / (a + b + c), 1, 0, (a + b) / (a + b + c)])
            assert_averages(
                table,
                [by_hand(0.375), by_hand(0.75, 0.875), NAN, by_hand(0.875, 0.75, 0.75)],
            )
            logs = [c * math.log(0.375), d * math.log(0.75 * 0.875), 0]
            logs.append(a * math.log(0.875) + b * math.log(0.75))
            assert_column(table.size, -np.array(logs) / sum(weight) + 0.0)


def test_split_ties_need_rows() -> None:
    source = probability.EqualCount(bins=2, ties="split")
    table = properly.probability.source_table(
        Cases([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.75]), source=source
    )
    assert table.weight.tolist() == [2, 2, 2, 2]
    assert table.lower.tolist() == [0.5, 0.5, 0.25, 0.5]
    assert table.upper.tolist() == [0.5, 0.75, 0.5, 0.5]
    assert table.source.tolist() == [0.5] * 4
    with pytest.raises(DataError, match="ties are split in the order of the rows, which a tally"):
        properly.probability.source_table(tally([1, 0], [0.5, 0.5]), source=source)


def test_a_precision_moves_forecasts_first() -> None:
    table = properly.probability.source_table(tally(Y, P), source=TWO, precision=0.25)
    assert table.lower.tolist() == [0.25, 0.625, 0.25, 0.625]
    assert table.upper.tolist() == [0.375, 0.75, 0.375, 0.75]
    assert (table.means.precision, table.means.clipped) == (0.25, 2)
    assert_averages(
        table, [by_hand(0.375), by_hand(0.75, 0.75), by_hand(0.375), by_hand(0.75, 0.75)]
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


def test_bins_in_which_nothing_happened_are_left_out() -> None:
    table = properly.probability.source_table(tally([0, 1, 0, 1], [0.125, 0.25, 0.5, 0.875]))
    model, source = table.overall("equal")
    assert source.decisiveness == pytest.approx((0.5 + 1 + 0.5 + 1) / 4, rel=1e-14)
    assert model.decisiveness == pytest.approx((0.25 + 0.875 + 0.5 + 0.875) / 4, rel=1e-14)


# What is told


def test_a_table_of_many_bins_shows_its_ends() -> None:
    t = properly.Tally.from_counts((np.arange(40) + 0.5) / 50, np.full(40, 10), np.arange(40) // 5)
    lines = str(
        properly.probability.source_table(t, source=properly.probability.EqualWidth(bins=50))
    ).splitlines()
    assert len(lines) == 1 + 24 + 1
    assert " ".join(lines[0].split()) == (
        "class forecasts cases happened source mean probability size"
    )
    assert " ".join(lines[1].split()) == "event 0.0100 to 0.0100 10 0 0.0000 - 0.0000"
    assert lines[13].split() == ["…", "56", "more"]
    assert " ".join(lines[-1].split()[:6]) == "no event 0.9900 to 0.9900 10"
