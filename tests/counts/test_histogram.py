"""How the forecasts are distributed, and bins that were chosen beforehand."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properly import Cases, Tally, reliability, tally
from properly.counts._histogram import equal_count, equal_rank, equal_width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly.counts._histogram import Histogram

    Floats = NDArray[np.float64]


def outcomes(p: Floats | list[float]) -> NDArray[np.int64]:
    return np.arange(len(p)) % 2


def bars_of(p: Floats | list[float], **options: Any) -> Histogram:
    return reliability(tally(outcomes(p), p), reduction=None, **options).histogram


def freedman_diaconis(p: Floats) -> int:
    """Count the bars of a plain sample: at least five, else as the spread of its middle says."""
    low, high = np.quantile(p, [0.25, 0.75])
    width = 2 * (high - low) / len(p) ** (1 / 3) if high - low >= 1.5e-8 else 1 / 400
    return max(5, round(float(p.max() - p.min()) / float(width)))


@pytest.mark.parametrize("n", [2, 5, 30, 200, 1000])
@pytest.mark.parametrize("shape", [(1, 1), (1, 10), (0.2, 0.3)])
def test_a_continuum_is_cut_as_its_spread_and_number_say(
    n: int, shape: tuple[float, float]
) -> None:
    p = np.random.default_rng(n).beta(*shape, size=n)
    bars = bars_of(p, forecasts="continuous")
    assert len(bars.weight) == freedman_diaconis(p)
    edges = np.append(bars.lower, bars.upper[-1])
    expected = np.linspace(p.min(), p.max(), len(bars.weight) + 1)
    np.testing.assert_allclose(edges, expected, rtol=0, atol=1e-14)
    assert bars.weight.sum() == n


def test_ties_are_counted_as_often_as_they_occur() -> None:
    p = np.round(np.random.default_rng(1).random(400), 2)
    bars = bars_of(p, forecasts="continuous")
    assert len(bars.weight) == freedman_diaconis(p)
    assert bars.weight.sum() == 400


def test_forecasts_that_hardly_spread_get_bars_of_a_four_hundredth() -> None:
    p = np.append(np.full(98, 0.5), [0.2, 0.8])
    bars = bars_of(p, forecasts="continuous")
    assert len(bars.weight) == round(0.6 * 400)
    assert bars.weight.max() == 98


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_every_case_is_in_a_bar(p: list[float]) -> None:
    for kind in ("discrete", "continuous"):
        bars = bars_of(p, forecasts=kind)
        assert bars.weight.sum() == len(p)
        assert (bars.weight >= 0).all()
        assert len(bars.lower) == len(bars.upper) == len(bars.weight)
        assert (bars.lower <= bars.upper).all()
        assert bars.lower[0] <= min(p)
        assert max(p) <= bars.upper[-1]


@pytest.mark.parametrize(
    ("p", "half"),
    [([0.2, 0.7], 0.02), ([0.0, 0.1, 0.5, 1.0], 0.0125), ([0.4], 0.02), ([0.1, 0.11], 0.00125)],
)
def test_a_few_values_have_a_narrow_bar_each(p: list[float], half: float) -> None:
    bars = bars_of(p)
    np.testing.assert_allclose(bars.lower, np.array(p) - half, rtol=0, atol=1e-15)
    np.testing.assert_allclose(bars.upper, np.array(p) + half, rtol=0, atol=1e-15)
    assert bars.weight.tolist() == [1] * len(p)


@pytest.mark.parametrize(
    ("p", "discrete"),
    [
        ([0.4], True),
        ([0.4, 0.4, 0.4], True),
        ([0.1, 0.11], True),
        ([0.0, 0.01 - 1e-9], True),
        ([0.0, 0.01 - 2e-9], False),
        ([0.1, 0.1099], False),
        ([0.1, 0.3, 0.305], False),
    ],
)
def test_forecasts_a_hundredth_apart_are_a_few_values(p: list[float], discrete: bool) -> None:
    assert reliability(tally(outcomes(p), p)).discrete is discrete


def test_the_user_may_know_better() -> None:
    p = [0.1, 0.2, 0.3, 0.3]
    t = tally(outcomes(p), p)
    assert reliability(t).discrete
    assert reliability(t, forecasts="discrete").discrete
    record = reliability(t, forecasts="continuous")
    assert not record.discrete
    assert len(record.histogram.weight) == 5
    close = tally([0, 1], [0.1, 0.101])
    assert not reliability(close).discrete
    assert len(reliability(close, forecasts="discrete").histogram.weight) == 2


def test_weights_are_added_up() -> None:
    cases = Cases([0, 1, 1], [0.2, 0.2, 0.7], weight=[0.5, 0.25, 2.0])
    assert reliability(cases).histogram.weight.tolist() == [0.75, 2.0]
    bars = reliability(cases, forecasts="continuous").histogram
    assert bars.weight.sum() == pytest.approx(2.75, abs=1e-15)


def test_there_are_no_more_bars_than_a_picture_can_show() -> None:
    t = Tally.from_counts([0, 0.5, 0.5 + 3e-8, 1], [1, 500, 500, 1], [0, 250, 250, 1])
    bars = reliability(t, forecasts="continuous").histogram
    assert len(bars.weight) == 400
    assert bars.weight.sum() == 1002


def test_an_edge_belongs_to_the_bin_above_it_and_one_to_the_last() -> None:
    value = np.array([0, 0.24, 0.25, 0.5, 0.75, 0.99, 1])
    np.testing.assert_array_equal(equal_width(value, 4), [0, 0, 1, 2, 3, 3, 3])


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=30),
    st.integers(1, 20),
    st.sampled_from([1, 2**50]),
)
def test_a_forecast_is_where_the_middle_or_the_first_of_its_cases_falls(
    counts: list[int], bins: int, factor: int
) -> None:
    weight, total = np.array(counts) * factor, sum(counts)
    first = [Fraction(sum(counts[:i]), total) for i in range(len(counts))]
    middle = [x + Fraction(n, 2 * total) for x, n in zip(first, counts, strict=True)]
    numbers = {cell: k for k, cell in enumerate(sorted({int(bins * x) for x in middle}))}
    expected = [numbers[int(bins * x)] for x in middle]
    np.testing.assert_array_equal(equal_count(weight, bins), expected)
    np.testing.assert_array_equal(equal_rank(weight, bins), [int(bins * x) for x in first])


def test_ranks_of_counts_beyond_64_bits() -> None:
    np.testing.assert_array_equal(equal_rank(np.full(4, 2**60), 4), [0, 1, 2, 3])
    # One case less, and the last forecast would begin in the bin below.
    weight = np.array([2**61, 2**61 - 1, 2**61 + 1])
    np.testing.assert_array_equal(equal_rank(weight, 3), [0, 1, 1])


@pytest.mark.parametrize("weight", [0.1, 0.3, 0.7, 1 / 3, 2.5])
def test_a_weight_that_all_share_does_not_change_the_bins(weight: float) -> None:
    for n in (8, 9, 10, 20, 60):
        for bins in (2, 4, 5, n):
            found = equal_rank(np.full(n, weight), bins)
            np.testing.assert_array_equal(found, np.arange(n) * bins // n)


@pytest.mark.parametrize("unit", [7, 0.3])
def test_the_unit_of_weights_changes_no_bar(unit: float) -> None:
    rng = np.random.default_rng(12)
    p, weight = rng.beta(2, 5, 300), rng.integers(1, 12, 300)
    one, two = (reliability(tally(p > 0.4, p, weight=x * weight)).histogram for x in (1, unit))
    np.testing.assert_allclose(two.lower, one.lower, rtol=1e-12)
    np.testing.assert_allclose(two.weight, unit * one.weight, rtol=1e-12)
    # As many bars as the effective number of cases suggests, not the sum of the weights.
    often = reliability(tally(p > 0.4, p, count=weight)).histogram
    assert len(one.weight) < len(often.weight)
