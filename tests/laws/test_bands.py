"""What holds for every band, for every method of it, and for all data."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import beta, chi2

import properly
from properly.calibration import _reliability_bands

from .subjects import (
    Rows,
    as_rows,
    counted_rows,
    counts_of,
    exact_blocks,
    fractional_rows,
    seeds,
    tally_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from properly import Cases, Tally
    from properly.inference import Band

    Floats = NDArray[np.float64]

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")


class Way(NamedTuple):
    """A kind of band and a method for it."""

    kind: Literal["consistency", "confidence", "simultaneous"]
    method: Literal["resampling", "discrete", "continuous", "likelihood", "cells", "ungrouped"]

    def __call__(self, data: Tally | Cases, **options: Any) -> Band:
        band = properly.reliability(data, band=self.kind, method=self.method, **options).band
        assert band is not None
        return band

    def __repr__(self) -> str:
        """Name the test after the band."""
        return f"{self.kind}-{self.method}"


ASYMPTOTIC = [
    Way("consistency", "discrete"),
    Way("consistency", "continuous"),
    Way("confidence", "discrete"),
    Way("confidence", "continuous"),
]
LIKELIHOOD = Way("confidence", "likelihood")
SIMULTANEOUS = [Way("simultaneous", "cells"), Way("simultaneous", "ungrouped")]
RANDOM = [Way("consistency", "resampling"), Way("confidence", "resampling")]
POINTWISE = [*ASYMPTOTIC, LIKELIHOOD]
WITHOUT_CHANCE = [*POINTWISE, *SIMULTANEOUS]
EVERY = [*WITHOUT_CHANCE, *RANDOM]
QUICK: dict[str, Any] = {"replicates": 20, "rng": 1}

# Forecasts whose distance from 1 is exact, so that a mirror image has the same ties.
binary_fractions = st.integers(0, 64).map(lambda k: k / 64)
mirrored_rows = st.lists(
    st.tuples(st.integers(0, 1), binary_fractions, st.integers(1, 5)), min_size=1, max_size=25
).map(as_rows)


@pytest.fixture(scope="module", autouse=True)
def _one_quantile_a_level() -> Iterator[None]:
    """Find the quantiles behind the method for a continuum once, not for every example."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            _reliability_bands, "chernoff_quantile", cache(_reliability_bands.chernoff_quantile)
        )
        yield


def every(ways: list[Way]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("way", ways, ids=repr)


def calibrated(seed: int, n: int, weight: bool = False) -> Cases:
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(n), 2)
    drawn = rng.gamma(1.5, size=n) if weight else None
    return properly.Cases((rng.random(n) < p).astype(int), p, weight=drawn)


def assert_same(got: Band, expected: Band, tolerance: float = 0.0) -> None:
    np.testing.assert_allclose(got.x, expected.x, rtol=0, atol=tolerance)
    np.testing.assert_allclose(got.lower, expected.lower, rtol=0, atol=tolerance)
    np.testing.assert_allclose(got.upper, expected.upper, rtol=0, atol=tolerance)


# Shape


@every(EVERY)
@given(found=counted_rows)
def test_every_bound_is_a_probability_at_an_increasing_forecast(way: Way, found: Rows) -> None:
    band = way(counts_of(found), **QUICK)
    assert (np.diff(band.x) > 0).all()
    assert len(band.x) == len(band.lower) == len(band.upper)
    np.testing.assert_array_equal(np.isnan(band.lower), np.isnan(band.upper))
    given_bounds = np.concatenate([band.lower, band.upper])
    given_bounds = given_bounds[~np.isnan(given_bounds)]
    assert ((given_bounds >= 0) & (given_bounds <= 1)).all()


@every([*POINTWISE, *RANDOM])
@given(found=counted_rows)
def test_a_pointwise_lower_bound_is_not_above_the_upper_one(way: Way, found: Rows) -> None:
    band = way(counts_of(found), **QUICK)
    missing = np.isnan(band.lower)
    assert (missing | (band.lower <= band.upper)).all()


@every([way for way in EVERY if way.method != "continuous"])
@given(found=counted_rows)
def test_a_band_reaches_over_the_forecasts_and_misses_none(way: Way, found: Rows) -> None:
    tally = counts_of(found)
    band = way(tally, **QUICK)
    assert (band.x[0], band.x[-1]) == (tally.value[0], tally.value[-1])
    # In so few replicates a rare forecast may never be drawn; all of the data are, elsewhere.
    if way not in RANDOM:
        assert not np.isnan(band.at(np.asarray(tally.value))).any()


@every([Way("consistency", "discrete"), Way("consistency", "continuous")])
@given(found=counted_rows)
def test_a_consistency_band_contains_the_diagonal(way: Way, found: Rows) -> None:
    band = way(counts_of(found))
    assert (band.lower <= band.x).all()
    assert (band.x <= band.upper).all()
    assert band.outside() == []


@pytest.mark.filterwarnings("ignore:weights are sampling weights")
@given(found=st.one_of(counted_rows, fractional_rows))
def test_a_band_by_likelihood_contains_the_curve(found: Rows) -> None:
    record = properly.reliability(tally_of(found), band="confidence", method="likelihood")
    assert record.band is not None
    lower, upper = record.band.at(record.value)
    assert (lower <= record.recalibrated).all()
    assert (record.recalibrated <= upper).all()


@every([LIKELIHOOD, *SIMULTANEOUS])
@given(found=counted_rows)
def test_bounds_of_an_increasing_curve_do_not_decrease(way: Way, found: Rows) -> None:
    tally = counts_of(found)
    # Far out of reach of the rounding of the search for a bound.
    for bound in way(tally).at(np.asarray(tally.value)):
        assert (np.diff(bound) >= -1e-9).all()


@every(SIMULTANEOUS)
@given(found=counted_rows)
def test_a_simultaneous_band_says_something_about_every_forecast(way: Way, found: Rows) -> None:
    band = way(counts_of(found))
    lower, upper = band.at(np.linspace(0, 1, 257))
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) >= 0).all()
    below, above = band.x[0] - 1e-3, band.x[-1] + 1e-3
    if below >= 0:
        assert band.at([below])[0] == 0
    if above <= 1:
        assert band.at([above])[1] == 1


# Exactness, against slow oracles


def clopper_pearson(groups: list[tuple[int, int]], level: float) -> tuple[Floats, Floats]:
    """Search all runs of neighbours, one by one, for the best exact limits."""
    k = len(groups)
    share = (1 - level) / (k * (k + 1))
    lower, upper = np.zeros(k), np.ones(k)
    for first in range(k):
        cases = events = 0
        for last in range(first, k):
            cases, events = cases + groups[last][0], events + groups[last][1]
            if events < cases:
                bound = beta.isf(share, events + 1, cases - events)
                upper[: first + 1] = np.minimum(upper[: first + 1], bound)
            if events > 0:
                bound = beta.ppf(share, events, cases - events + 1)
                lower[last:] = np.maximum(lower[last:], bound)
    return lower, upper


def cell_of(weight: Sequence[int]) -> list[int]:
    """Give each distinct forecast its cell: where the middle of its cases falls, exactly."""
    total, before, cells = sum(weight), 0, []
    count = math.ceil(2 * total ** (2 / 5))
    for cases in weight:
        cells.append(count * (2 * before + cases) // (2 * total))
        before += cases
    return cells


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
@given(found=counted_rows)
def test_a_simultaneous_band_is_the_best_of_all_runs(level: float, found: Rows) -> None:
    tally = counts_of(found)
    counts = list(zip(tally.weight.tolist(), tally.events.tolist(), strict=True))
    lower, upper = clopper_pearson(counts, level)
    got = Way("simultaneous", "ungrouped")(tally, level=level).at(np.asarray(tally.value))
    np.testing.assert_allclose(got[0], lower, rtol=0, atol=1e-9)
    np.testing.assert_allclose(got[1], upper, rtol=0, atol=1e-9)


@given(found=counted_rows)
def test_a_simultaneous_band_of_cells_is_the_best_of_all_runs_of_cells(found: Rows) -> None:
    tally = counts_of(found)
    cells = np.array(cell_of(tally.weight.tolist()))
    value = np.asarray(tally.value)
    groups = [
        (int(tally.weight[cells == cell].sum()), int(tally.events[cells == cell].sum()))
        for cell in np.unique(cells)
    ]
    lower, upper = clopper_pearson(groups, 0.9)
    band = Way("simultaneous", "cells")(tally, level=0.9)
    least = np.array([value[cells == cell].min() for cell in np.unique(cells)])
    greatest = np.array([value[cells == cell].max() for cell in np.unique(cells)])
    np.testing.assert_allclose(band.at(greatest)[0], lower, rtol=0, atol=1e-9)
    np.testing.assert_allclose(band.at(least)[1], upper, rtol=0, atol=1e-9)


def log_likelihood(weight: Floats, events: Floats, rate: Floats) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        happened = np.where(events > 0, events * np.log(rate), 0.0)
        others = np.where(weight > events, (weight - events) * np.log1p(-rate), 0.0)
    return float((happened + others).sum())


def isotonic(weight: Sequence[int], events: Sequence[int]) -> Floats:
    blocks = exact_blocks(weight, events)
    return np.array(
        [float(block.rate) for block in blocks for _ in range(block.first, block.last + 1)]
    )


def likelihood_ratio(tally: Tally, place: int, rate: float) -> float:
    """Twice the log-likelihood that is lost if the curve must pass through one point."""
    weight, events = tally.weight.tolist(), tally.events.tolist()
    left = np.minimum(isotonic(weight[:place], events[:place]), rate)
    right = np.maximum(isotonic(weight[place + 1 :], events[place + 1 :]), rate)
    forced = np.concatenate([left, [rate], right])
    counts = np.asarray(tally.weight, dtype=float), np.asarray(tally.events, dtype=float)
    best = log_likelihood(*counts, isotonic(weight, events))
    return 2 * (best - log_likelihood(*counts, forced))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
@given(found=counted_rows)
def test_a_bound_by_likelihood_is_where_the_ratio_test_begins_to_refuse(
    level: float, found: Rows
) -> None:
    tally = counts_of(found)
    critical = float(chi2.ppf(level, 1))
    bounds = np.stack(LIKELIHOOD(tally, level=level).at(np.asarray(tally.value)))
    for place, pair in enumerate(bounds.T.tolist()):
        for bound, end in zip(pair, (0.0, 1.0), strict=True):
            ratio = likelihood_ratio(tally, place, bound)
            if bound == end:
                assert ratio <= critical + 1e-9
            else:
                assert ratio == pytest.approx(critical, abs=1e-6)


# Weights, order, mirror, level


@every(WITHOUT_CHANCE)
@given(found=counted_rows)
def test_a_count_of_three_is_three_cases(way: Way, found: Rows) -> None:
    copies = [np.repeat(column, found.weight) for column in (found.y, found.p)]
    assert_same(way(counts_of(found)), way(properly.tally(*copies)))


@every(WITHOUT_CHANCE)
@given(found=counted_rows)
def test_cases_and_their_tally_have_one_band(way: Way, found: Rows) -> None:
    cases = properly.Cases(found.y, found.p, count=found.weight)
    assert_same(way(cases), way(counts_of(found)))


@pytest.mark.filterwarnings("ignore:weights are sampling weights")
@every(POINTWISE)
@pytest.mark.parametrize("unit", [0.37, 7])
@given(found=st.one_of(counted_rows, fractional_rows))
def test_the_unit_of_weights_does_not_matter(way: Way, unit: float, found: Rows) -> None:
    scaled = found._replace(weight=found.weight * unit)
    assert_same(way(tally_of(scaled)), way(tally_of(found)), 1e-12)


@every(POINTWISE)
def test_unequal_weights_count_for_fewer_cases(way: Way) -> None:
    weighted = calibrated(5, 400, weight=True)
    assert weighted.weight is not None
    share = float(weighted.weight.sum() ** 2 / (weighted.weight**2).sum()) / 400
    assert share < 0.8
    plain, loaded = way(properly.Cases(weighted.y, weighted.p)), way(weighted)
    x = np.linspace(0.1, 0.9, 81)
    widths = [float(np.mean(np.subtract(*band.at(x)[::-1]))) for band in (plain, loaded)]
    assert widths[1] > 1.03 * widths[0]


@every(WITHOUT_CHANCE)
@given(found=counted_rows, seed=seeds)
def test_the_order_of_the_rows_does_not_matter(way: Way, found: Rows, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(found.y))
    shuffled = Rows(found.y[order], found.p[order], found.weight[order])
    assert_same(way(counts_of(shuffled)), way(counts_of(found)))


@every(RANDOM)
def test_the_order_of_the_rows_does_not_matter_to_chance_either(way: Way) -> None:
    cases = calibrated(6, 60)
    order = np.random.default_rng(7).permutation(60)
    shuffled = properly.tally(cases.y[order], cases.p[order])
    assert_same(way(shuffled, **QUICK), way(cases.tally(), **QUICK))


@every(WITHOUT_CHANCE)
@given(found=mirrored_rows)
def test_a_mirror_image_has_the_mirrored_band(way: Way, found: Rows) -> None:
    tally = counts_of(found)
    if way.method == "cells":  # a forecast half way between two cells belongs to the upper one
        total, count = tally.total, math.ceil(2 * tally.total ** (2 / 5))
        middle = 2 * np.cumsum(tally.weight) - tally.weight
        assume((count * middle % (2 * total) != 0).all())
    x = np.asarray(tally.value)
    image = counts_of(Rows(1 - found.y, 1 - found.p, found.weight))
    lower, upper = way(tally).at(x)
    mirrored_lower, mirrored_upper = way(image).at(1 - x)
    np.testing.assert_allclose(mirrored_lower, 1 - upper, rtol=0, atol=1e-9)
    np.testing.assert_allclose(mirrored_upper, 1 - lower, rtol=0, atol=1e-9)


@every(EVERY)
@given(found=counted_rows)
def test_a_higher_level_has_the_wider_band(way: Way, found: Rows) -> None:
    tally = counts_of(found)
    x = np.concatenate([np.asarray(tally.value), np.linspace(0, 1, 33)])
    bands = [way(tally, level=level, **QUICK).at(x) for level in (0.5, 0.8, 0.9, 0.99)]
    for (lower, upper), (wider_lower, wider_upper) in pairwise(bands):
        missing = np.isnan(lower)
        assert (missing | (wider_lower <= lower + 1e-12)).all()
        assert (missing | (wider_upper >= upper - 1e-12)).all()


# Chance
