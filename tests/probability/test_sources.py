"""Sources: ways to estimate them by hand, rates by plain loops, and what happened beside them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

import properly
from properly import Cases, Tally, tally
from properly.probability import EqualCount, EqualWidth, IsotonicSource, Kernel, Neighbours
from properly.probability._power_means import sums_of_powers
from properly.probability._sources import (
    Fit,
    Source,
    SourceSide,
    as_source,
    nearest,
    questions,
    sides,
    smooth,
    sums_by_class,
)

# Four, two, four and two cases; event rates of 1/4, 1/2, 1/4 and 1.
COUNTS = Tally.from_counts([0.1, 0.2, 0.5, 0.9], [4, 2, 4, 2], [1, 1, 1, 2])
SINGLE = tally([0, 1, 0, 1], [0.1, 0.2, 0.7, 0.9])


def assert_fit(found: Fit, end: Any, weight: Any, events: Any) -> None:
    assert found.end.tolist() == end
    assert found.weight.tolist() == weight
    assert found.events.tolist() == events
    np.testing.assert_array_equal(found.rate, np.array(events) / np.array(weight))


def evenly(n: int, **known: Any) -> Tally:
    """Make as many forecasts, all different and evenly spread."""
    return tally(np.arange(n) % 2, (np.arange(n) + 0.5) / n, **known)


# Bins


def test_the_rest_of_a_share_is_counted_and_that_of_a_rate_subtracted() -> None:
    weight, events = np.array([3, 10**17 + 1, 4]), np.array([1, 10**17, 1])
    rate = np.array([1 / 3, 10**17 / (10**17 + 1), 0.125])
    found = Fit(np.array([1, 2, 3]), weight, events, rate).rest
    # The second rate is 1 but for rounding; the third is not the share of its bin.
    assert rate[1] == 1
    assert found.tolist() == [2 / 3, 1e-17, 0.875]


@pytest.mark.parametrize("name", ["isotonic", "hist", "equal_width", "neighbours", "kernel"])
def test_a_rate_and_its_rest_are_everything(name: str) -> None:
    for t in (COUNTS, SINGLE, tally([0, 1, 1], [0.2, 0.4, 0.4], weight=[0.3, 0.7, 1.1])):
        fit = as_source(name).fit(t)
        np.testing.assert_allclose(fit.rate + fit.rest, 1, rtol=1e-15)
        assert (fit.rest >= 0).all()


@pytest.mark.parametrize(
    ("bins", "end", "weight", "events"),
    [
        (1, [4], [12], [5]),
        (2, [2, 4], [6, 6], [2, 3]),
        (3, [1, 3, 4], [4, 6, 2], [1, 2, 2]),
        # Of more bins, some are empty: a forecast is never split.
        (12, [1, 2, 3, 4], [4, 2, 4, 2], [1, 1, 1, 2]),
        (10**9, [1, 2, 3, 4], [4, 2, 4, 2], [1, 1, 1, 2]),
    ],
)
def test_bins_of_equal_count(bins: int, end: Any, weight: Any, events: Any) -> None:
    assert_fit(EqualCount(bins=bins).fit(COUNTS), end, weight, events)


@pytest.mark.parametrize(
    ("bins", "end", "weight", "events"),
    [
        (1, [4], [12], [5]),
        (2, [2, 4], [6, 6], [2, 3]),
        (4, [2, 3, 4], [6, 4, 2], [2, 1, 2]),
        (10, [1, 2, 3, 4], [4, 2, 4, 2], [1, 1, 1, 2]),
    ],
)
def test_bins_of_equal_width(bins: int, end: Any, weight: Any, events: Any) -> None:
    assert_fit(EqualWidth(bins=bins).fit(COUNTS), end, weight, events)


def test_fractions_fill_bins_too() -> None:
    t = tally([0, 1, 1, 0], [0.1, 0.2, 0.5, 0.9], weight=[0.5, 1.5, 1.25, 0.75])
    assert_fit(EqualCount(bins=2).fit(t), [2, 4], [2, 2], [1.5, 1.25])
    assert_fit(EqualWidth(bins=2).fit(t), [2, 4], [2, 2], [1.5, 1.25])
    assert_fit(IsotonicSource().fit(t), [1, 4], [0.5, 3.5], [0, 2.75])


@pytest.mark.parametrize("kind", [EqualCount, EqualWidth])
def test_pseudo_counts_add_events_and_others_to_each_bin(kind: Any) -> None:
    more, fit = kind(bins=2, pseudo_count=1.5), kind(bins=2).fit(COUNTS)
    found = more.fit(COUNTS)
    np.testing.assert_allclose(found.rate, (fit.events + 1.5) / (fit.weight + 3), rtol=1e-15)
    np.testing.assert_allclose(found.rate + found.rest, 1, rtol=1e-15)
    # They are cases of the average weight.
    whole, half = (tally([0, 1, 1], [0.1, 0.2, 0.9], weight=[w, w, w]) for w in (1, 0.5))
    np.testing.assert_allclose(more.fit(half).rate, more.fit(whole).rate, rtol=1e-15)
    assert properly.means(half, source=more).estimate.endswith(", pseudo-counts of 1.5")


@pytest.mark.parametrize(
    ("n", "bins"), [(1, 1), (2, 1), (3, 1), (4, 2), (8, 2), (15, 2), (16, 3), (27, 3), (1000, 10)]
)
@pytest.mark.parametrize("source", [EqualCount(), EqualWidth()], ids=repr)
def test_there_are_as_many_bins_as_the_cube_root_of_the_cases(
    source: Source, n: int, bins: int
) -> None:
    assert len(source.fit(evenly(n)).end) == bins
    assert source.fit(evenly(n)).weight.sum() == n


@pytest.mark.parametrize("source", [EqualCount(), EqualWidth()], ids=repr)
def test_a_count_is_as_many_cases(source: Source) -> None:
    # Eight forecasts of 125 cases each are a thousand cases: ten bins, of which eight are used.
    assert len(source.fit(evenly(8, count=[125] * 8)).end) == 8
    assert len(source.fit(evenly(8)).end) == 2
    # A weight of 125 is no more than one of 1, and nearly equal weights say as much.
    for weight in ([125] * 8, [125] * 7 + [124]):
        assert len(source.fit(evenly(8, weight=weight)).end) == 2


@pytest.mark.parametrize("source", [EqualCount(), EqualWidth()], ids=repr)
def test_of_fractional_weights_the_effective_number_counts(source: Source) -> None:
    # All alike, they are as many as there are rows; if all but eight hardly weigh, eight.
    assert len(source.fit(evenly(1000, weight=np.full(1000, 0.5))).end) == 10
    assert len(source.fit(evenly(1000, weight=np.full(1000, 1.5))).end) == 10
    heavy = np.full(1000, 1e-9)
    heavy[62::125] = 2.5
    assert len(source.fit(evenly(1000, weight=heavy)).end) == 2


# Neighbours


def test_all_that_are_as_near_are_neighbours() -> None:
    # From 0.5 both others are equally far: three neighbours, though two were asked for.
    found = Neighbours(2).fit(tally([0, 0, 1], [0.25, 0.5, 0.75]))
    np.testing.assert_allclose(found.rate, [0, 1 / 3, 1 / 2], rtol=1e-15)


@pytest.mark.parametrize(("n", "neighbours"), [(1, 1), (4, 3), (16, 8), (81, 27)])
def test_as_many_neighbours_as_three_quarters_of_the_digits(n: int, neighbours: int) -> None:
    t = evenly(n)
    np.testing.assert_array_equal(Neighbours().fit(t).rate, Neighbours(neighbours).fit(t).rate)
    if n > 4:
        others = Neighbours(neighbours + 2).fit(t).rate
        assert (Neighbours().fit(t).rate != others).any()


@pytest.mark.parametrize("neighbours", [None, 1, 5])
def test_neighbours_of_fractional_weight_are_measured_in_cases(neighbours: int | None) -> None:
    plain = Neighbours(neighbours).fit(evenly(16)).rate
    weighted = Neighbours(neighbours).fit(evenly(16, weight=np.full(16, 0.3))).rate
    np.testing.assert_allclose(weighted, plain, rtol=1e-12)


# Kernel


def test_the_bandwidth_falls_with_the_number_of_cases() -> None:
    p, y = np.array([0.1, 0.2, 0.7, 0.9]), [0, 1, 0, 1]
    x = np.log(p / (1 - p))
    bandwidth = 1.06 * x.std(ddof=1) * 4**-0.2
    expected = smooth_by_hand(p, np.ones(4), np.array(y), bandwidth)
    np.testing.assert_allclose(Kernel().fit(SINGLE).rate, expected, rtol=1e-12)
    # A weight that all share changes nothing; a count of ten is ten cases.
    for weight in (0.5, 10):
        thin = tally(y, p, weight=np.full(4, weight))
        np.testing.assert_allclose(Kernel().fit(thin).rate, expected, rtol=1e-12)
    thick = tally(y, p, count=np.full(4, 10))
    narrower = 1.06 * math.sqrt(10 * 3 / 39) * x.std(ddof=1) * 40**-0.2
    expected = smooth_by_hand(p, np.ones(4), np.array(y), narrower)
    np.testing.assert_allclose(Kernel().fit(thick).rate, expected, rtol=1e-12)


# Names and options

NAMES: dict[str, Source] = {
    "isotonic": IsotonicSource(),
    "equal_count": EqualCount(),
    "hist": EqualCount(),
    "equal_width": EqualWidth(),
    "neighbours": Neighbours(),
    "kernel": Kernel(),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_source_has_a_name(name: str) -> None:
    assert as_source(name) == NAMES[name]
    assert as_source(NAMES[name]) is NAMES[name]
    assert not NAMES[name].pooled
    found = properly.means(COUNTS, source=name)
    assert found == properly.means(COUNTS, source=NAMES[name])
    assert found.estimate == NAMES[name].words


Column = np.ndarray[Any, Any]
Table = tuple[Column, Column, Column]


def nearest_by_hand(value: list[Fraction], weight: Column, events: Column, k: float) -> list[float]:
    """Widen the circle around each forecast, one distance after the other."""
    rates = []
    for centre in value:
        for radius in sorted({abs(v - centre) for v in value}):
            near = [j for j, v in enumerate(value) if abs(v - centre) <= radius]
            cases = sum(int(weight[j]) for j in near)
            if cases >= k or len(near) == len(value):
                rates.append(sum(int(events[j]) for j in near) / cases)
                break
    return rates


def smooth_by_hand(value: Column, weight: Column, events: Column, h: float) -> list[float]:
    rates = []
    for a in value:
        above = below = 0.0
        for b, w, e in zip(value, weight, events, strict=True):
            if 0 < a < 1 and 0 < b < 1:
                u = (math.log(a / (1 - a)) - math.log(b / (1 - b))) / h
                kernel = math.exp(-u * u / 2)
            else:
                kernel = float(a == b)
            above += e * kernel
            below += w * kernel
        rates.append(above / below)
    return rates


def around(value: Column, weight: Column, events: Column, h: float | None = None) -> Column:
    """Smooth counts."""
    return smooth(value, weight, events, h, float(weight.sum()))


def table_of(seed: int, rows: int, most: int = 4, *, ends: bool = False) -> Table:
    rng = np.random.default_rng(seed)
    value = np.unique(rng.beta(0.6, 0.9, rows))
    if ends:
        value = np.unique(np.concatenate([[0.0], value, [1.0]]))
    weight = rng.integers(1, most, len(value), endpoint=True)
    return value, weight, rng.binomial(weight, value)


# Nearest


@st.composite
def decimal_tables(draw: st.DrawFn) -> tuple[list[Fraction], Column, Column, int]:
    fortieths = draw(st.sets(st.integers(0, 40), min_size=1, max_size=12))
    value = [Fraction(k, 40) for k in sorted(fortieths)]
    weight = [draw(st.integers(1, 4)) for _ in value]
    events = [draw(st.integers(0, w)) for w in weight]
    return value, np.array(weight), np.array(events), draw(st.integers(1, sum(weight) + 3))


@examples(80)
@given(decimal_tables())
def test_the_nearest_are_those_of_a_widening_circle_with_all_ties_of_decimals(
    drawn: tuple[list[Fraction], Column, Column, int],
) -> None:
    value, weight, events, k = drawn
    rounded = np.array([float(v) for v in value])
    expected = nearest_by_hand(value, weight, events, k)
    np.testing.assert_array_equal(nearest(rounded, weight, events, k), expected)


@pytest.mark.parametrize("more", [0, 1, 10**6])
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_all_cases_give_the_event_rate(more: int, dtype: type) -> None:
    value, weight, events = table_of(2, 200, ends=True)
    rate = nearest(value, weight.astype(dtype), events.astype(dtype), weight.sum() + more)
    np.testing.assert_array_equal(rate, events.sum() / weight.sum())


# Smooth


@pytest.mark.slow
@pytest.mark.parametrize("h", [0.03, 0.4, 3.0, 50.0])
def test_the_kernel_weighs_cases_as_a_plain_loop_does(h: float) -> None:
    value, weight, events = table_of(5, 120, ends=True)
    expected = smooth_by_hand(value, weight, events, h)
    np.testing.assert_allclose(around(value, weight, events, h), expected, rtol=0, atol=1e-13)


def test_the_bandwidth_follows_the_spread_and_the_number_of_cases_between_0_and_1() -> None:
    value, weight, events = table_of(6, 120, ends=True)
    each = np.repeat(value[1:-1], weight[1:-1])
    h = 1.06 * np.std(np.log(each / (1 - each)), ddof=1) * len(each) ** -0.2
    expected = smooth_by_hand(value, weight, events, h)
    np.testing.assert_allclose(around(value, weight, events), expected, rtol=0, atol=1e-13)


def test_weights_of_less_than_one_case_have_a_bandwidth() -> None:
    value, weight, events = np.array([0.2, 0.8]), np.array([0.5, 0.5]), np.array([0.5, 0.0])
    h = 1.06 * math.log(4)  # log-odds of -ln 4 and ln 4, and n = 1
    expected = smooth_by_hand(value, weight, events, h)
    np.testing.assert_allclose(around(value, weight, events), expected, rtol=1e-14)


@pytest.mark.parametrize("h", [1e9, math.inf])
def test_a_wide_kernel_gives_the_event_rate_of_all_but_certain_forecasts(h: float) -> None:
    value, weight, events = table_of(10, 300, ends=True)
    rate = around(value, weight, events, h)
    overall = events[1:-1].sum() / weight[1:-1].sum()
    np.testing.assert_allclose(rate[1:-1], overall, rtol=1e-12)
    np.testing.assert_array_equal(rate[[0, -1]], (events / weight)[[0, -1]])


@pytest.mark.parametrize("h", [0.0, 1e-320, 1e-9])
def test_a_narrow_kernel_gives_each_forecast_its_own_rate(h: float) -> None:
    value, weight, events = table_of(11, 300, ends=True)
    np.testing.assert_allclose(around(value, weight, events, h), events / weight, rtol=1e-14)


@pytest.mark.parametrize("value", [[0.3], [0.0], [1.0], [0.0, 1.0], [0.0, 0.3, 1.0]])
def test_a_single_forecast_between_0_and_1_has_its_own_rate(value: list[float]) -> None:
    weight, events = np.full(len(value), 4), np.array([3, 0, 4])[: len(value)]
    rate = around(np.array(value), weight, events)
    np.testing.assert_allclose(rate, events / weight, rtol=1e-15)


# Both

RATES = [
    pytest.param(lambda v, w, e: nearest(v, w, e, w.sum() ** 0.75), id="nearest"),
    pytest.param(lambda v, w, e: nearest(v, w, e, 3), id="nearest 3"),
    pytest.param(around, id="smooth"),
    pytest.param(lambda v, w, e: around(v, w, e, 0.05), id="smooth 0.05"),
]


@pytest.mark.parametrize("rate", RATES)
def test_counts_are_repeated_rows_in_any_order(rate: Any) -> None:
    rng = np.random.default_rng(12)
    value, weight, events = table_of(12, 200)
    y = np.concatenate([np.arange(w) < e for w, e in zip(weight, events, strict=True)])
    p = np.repeat(value, weight)
    order = rng.permutation(len(p))
    t = tally(y[order], p[order])
    np.testing.assert_array_equal(rate(t.value, t.weight, t.events), rate(value, weight, events))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("grid", [100, 2**20])
def test_what_does_not_happen_is_the_mirror_image(rate: Any, grid: int) -> None:
    rng = np.random.default_rng(13)
    value = np.unique(rng.integers(0, grid, 300, endpoint=True)) / grid
    weight = rng.integers(1, 3, len(value), endpoint=True)
    events = rng.binomial(weight, value)
    mirrored = rate((1 - value)[::-1], weight[::-1], (weight - events)[::-1])
    np.testing.assert_allclose(1 - mirrored[::-1], rate(value, weight, events), rtol=0, atol=1e-13)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("happened", [0, 1])
def test_where_all_is_alike_the_rate_is_exact(rate: Any, happened: int) -> None:
    value, weight, _ = table_of(14, 500)
    fraction = weight * np.random.default_rng(14).random(len(weight))
    for w in (weight, fraction):
        assert (rate(value, w, happened * w) == happened).all()


@pytest.mark.parametrize("rate", RATES)
def test_no_outcome_that_happened_is_impossible_however_light(rate: Any) -> None:
    rng = np.random.default_rng(15)
    value = np.sort(rng.random(600))
    weight = 10.0 ** rng.uniform(-30, 30, len(value))
    happened = rng.random(len(value)) < value
    found = rate(value, weight, weight * happened)
    assert ((found >= 0) & (found <= 1)).all()
    assert (found[happened] > 0).all()
    assert (1 - found[~happened] > 0).all()


Y, P = [0, 1, 0, 1, 1, 0], [0.125, 0.25, 0.25, 0.5, 0.875, 0.875]
THREE = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.5, 0.5, 0.0], [0.125, 0.25, 0.625]]


def counted(values: Any, weight: Any) -> dict[float, float]:
    """Return how often each probability was given."""
    found: dict[float, float] = {}
    for value, w in zip(values.tolist(), weight.tolist(), strict=True):
        found[round(value, 12)] = found.get(round(value, 12), 0) + w
    return found


def of_source(side: SourceSide) -> dict[float, float]:
    return counted(side.p, side.p_weight)


def assert_side(found: SourceSide, name: str, model: dict[float, float], source: Any) -> None:
    """Compare with how often each probability was given."""
    assert found.name == name
    assert counted(found.t, found.weight) == model
    assert of_source(found) == {round(p, 12): weight for p, weight in source.items()}


# An event


@pytest.mark.parametrize("cases", [tally(Y, P), Cases(Y, P)], ids=["tally", "cases"])
def test_an_event_has_two_sides(cases: Tally | Cases) -> None:
    # Recalibrated, the forecasts are 0, 1/2, and 2/3 from 0.5 on.
    event, none = sides(cases, IsotonicSource())
    assert_side(event, "event", {0.25: 1, 0.5: 1, 0.875: 1}, {0.5: 1, 2 / 3: 2})
    assert_side(none, "no event", {0.875: 1, 0.75: 1, 0.125: 1}, {1: 1, 0.5: 1, 1 / 3: 1})


# Classes


def test_one_minus_a_decimal_is_that_decimal() -> None:
    # 1 - 0.07 is a little less than 0.93; the two would not be pooled.
    for cases in (tally([1, 0], [0.07, 0.93]), Cases([1, 0], [0.07, 0.93])):
        (asked,) = questions(cases, IsotonicSource(pooled=True))
        assert asked.tally.value.tolist() == [0.07, 0.93]
        assert questions(cases, IsotonicSource())[1].tally.value.tolist() == [0.07, 0.93]


POOLED = [
    IsotonicSource(pooled=True),
    EqualCount(pooled=True),
    EqualWidth(pooled=True),
    Neighbours(pooled=True),
    Kernel(pooled=True),
]


@pytest.mark.parametrize("fractional", [False, True], ids=["counted", "weighted"])
@pytest.mark.parametrize("source", POOLED, ids=repr)
def test_a_tally_is_pooled_as_its_rows_are(source: Source, fractional: bool) -> None:
    rng = np.random.default_rng(0)
    p = np.repeat([0.125, 0.25, 0.625, 0.75], 25)
    weight = np.where(np.arange(100) % 5 == 0, 0.9, 0.1) if fractional else rng.integers(0, 4, 100)
    cases = Cases(rng.random(100) < p, p, weight=weight)
    one, two = (properly.means(x, source=source) for x in (cases, cases.tally()))
    assert one.source.mean_probability == pytest.approx(two.source.mean_probability, rel=1e-12)
    assert one.source.robustness == pytest.approx(two.source.robustness, rel=1e-12)


# Sums


@pytest.mark.parametrize("weight", [None, [1, 0, 2, 3, 1, 1], [0.5, 0.0, 1.5, 1.0, 0.25, 2.0]])
@pytest.mark.parametrize(
    "source", [IsotonicSource(), EqualCount(2), EqualWidth(3), Neighbours(2), Kernel(1.0)], ids=repr
)
def test_sums_are_those_of_the_sides(source: Source, weight: Any) -> None:
    for cases in (Cases(Y, P, weight=weight), tally(Y, P, weight=weight)):
        added, found = sums_by_class(cases, source), sides(cases, source)
        assert [part.name for part in added] == [side.name for side in found]
        for part, side in zip(added, found, strict=True):
            assert part.model == pytest.approx(sums_of_powers(side.t, side.weight), rel=1e-13)
            assert part.source == pytest.approx(sums_of_powers(side.p, side.p_weight), rel=1e-13)
