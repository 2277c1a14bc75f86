"""Ways to estimate the source, each against what it says by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import properly
from properly import Cases, Tally, tally
from properly.probability import (
    EqualCount,
    EqualWidth,
    Fit,
    IsotonicSource,
    Kernel,
    Neighbours,
    Source,
)
from properly.probability._sources import as_source

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


def kernel_by_hand(p: Any, y: Any, weight: Any, bandwidth: float) -> Any:
    x = np.log(p) - np.log1p(-np.asarray(p))
    K = np.exp(-(((x[:, None] - x) / bandwidth) ** 2) / 2) * np.asarray(weight)
    return K @ np.asarray(y) / K.sum(axis=1)


def test_the_bandwidth_falls_with_the_number_of_cases() -> None:
    p, y = np.array([0.1, 0.2, 0.7, 0.9]), [0, 1, 0, 1]
    x = np.log(p / (1 - p))
    bandwidth = 1.06 * x.std(ddof=1) * 4**-0.2
    expected = kernel_by_hand(p, y, np.ones(4), bandwidth)
    np.testing.assert_allclose(Kernel().fit(SINGLE).rate, expected, rtol=1e-12)
    # A weight that all share changes nothing; a count of ten is ten cases.
    for weight in (0.5, 10):
        thin = tally(y, p, weight=np.full(4, weight))
        np.testing.assert_allclose(Kernel().fit(thin).rate, expected, rtol=1e-12)
    thick = tally(y, p, count=np.full(4, 10))
    narrower = 1.06 * math.sqrt(10 * 3 / 39) * x.std(ddof=1) * 40**-0.2
    np.testing.assert_allclose(
        Kernel().fit(thick).rate, kernel_by_hand(p, y, np.ones(4), narrower), rtol=1e-12
    )


# One's own


class Overall(Source):
    words = "the overall rate"

    def fit(self, tally: Tally) -> Fit:
        weight, events = np.array([tally.total]), np.array([tally.events.sum()])
        return Fit(np.array([len(tally)]), weight, events, events / weight)


class Nameless(Overall):
    words = Source.words


class Together(Overall):
    pooled = True


def test_a_source_of_ones_own() -> None:
    t = tally([0, 1, 1, 1], [0.2, 0.4, 0.7, 0.9])
    for cases in (t, Cases([0, 1, 1, 1], [0.2, 0.4, 0.7, 0.9])):
        found = properly.means(cases, source=Overall())
        assert found.source.decisiveness == pytest.approx(0.75 * 0.75 + 0.25 * 0.25, rel=1e-15)
        mean_probability = 0.75**0.75 * 0.25**0.25
        assert found.source.mean_probability == pytest.approx(mean_probability, rel=1e-15)
        assert found.estimate == "the overall rate"
    assert properly.means(t, source=Nameless()).estimate == "an estimate of one's own"
    table = properly.probability.source_table(t, source=Overall())
    assert table.source.tolist() == [0.75, 0.25]
    assert table.happened.tolist() == [3, 1]


def test_a_source_of_ones_own_for_classes() -> None:
    cases = Cases([0, 0, 1, 2], [[0.5, 0.25, 0.25]] * 4)
    apart = properly.means(cases, source=Overall())
    assert apart.source.decisiveness == pytest.approx((0.5 + 0.5 + 0.25 + 0.25) / 4, rel=1e-15)
    pooled = properly.means(cases, source=Together())
    # Of all twelve probabilities a third came true.
    assert pooled.source.decisiveness == pytest.approx(1 / 3, rel=1e-15)
    assert pooled.estimate == "the overall rate, all classes together"


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
    assert not NAMES[name].splits_ties
    found = properly.means(COUNTS, source=name)
    assert found == properly.means(COUNTS, source=NAMES[name])
    assert found.estimate == NAMES[name].words
