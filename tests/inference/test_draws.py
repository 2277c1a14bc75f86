"""Random tallies: are they as random as they say, and no more."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import pytest
from scipy import stats

import properly
from properly.errors import DataError
from properly.inference import _cells
from properly.inference._cells import RandomCells, cell_starts, in_cells
from properly.inference._draws import Counts, DrawnRows, fast_stream, sampler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from properly.inference._cells import Draw
    from properly.inference._draws import Sampler

Column: TypeAlias = np.ndarray[Any, Any]

REPLICATES = 3000
# Of a Monte-Carlo mean or variance; several hundred of them are compared here.
STANDARD_ERRORS = 5
ROUNDING = 1e-9

# Each is drawn in its own way; all have a forecast of 0 and one of 1, where nothing is random.
COUNTS = {
    "many cases a forecast": Counts(
        np.array([0.0, 0.2, 0.5, 0.9, 1.0]), np.array([30, 40, 20, 25, 1])
    ),
    "few cases a forecast": Counts(
        np.array([0.0, 0.1, 0.35, 0.5, 0.8, 0.99, 1.0]), np.array([1, 3, 2, 6, 1, 4, 2])
    ),
    "one case a forecast": Counts(np.linspace(0, 1, 11) ** 2, np.ones(11, dtype=np.int64)),
}
every_count = pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)


def stacked(draws: Iterable[Draw]) -> tuple[Column, Column]:
    weight, events = zip(*draws, strict=True)
    return np.stack(weight), np.stack(events)


def by_draws(counts: Counts, probability: Column, seed: int) -> tuple[Column, Column]:
    return stacked(counts.draws(probability, REPLICATES, np.random.default_rng(seed)))


def by_sequences(counts: Counts, probability: Column, seed: int) -> tuple[Column, Column]:
    """Count what was drawn in order; the batches are of different sizes."""
    forecasts, rng = len(counts.value), np.random.default_rng(seed)
    found = []
    for forecast, happened in counts.sequences(probability, [REPLICATES - 1500, 1000, 500], rng):
        for row, events in zip(forecast, happened[:, 1:-1], strict=True):
            counted = np.bincount(2 * row + events, minlength=2 * forecasts)
            found.append(counted.reshape(forecasts, 2).T)
    none, events = np.stack(found, axis=1)
    return none + events, events


WAYS = {"counts": by_draws, "sequences": by_sequences}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def assert_moments(drawn: Column, mean: Any, variance: Any) -> None:
    """Compare the mean and the variance of columns, within standard errors of both."""
    error = np.sqrt(np.asarray(variance) / len(drawn))
    assert (abs(drawn.mean(axis=0) - mean) <= STANDARD_ERRORS * error + ROUNDING).all()
    squares = (drawn - mean) ** 2
    error = squares.std(axis=0) / math.sqrt(len(drawn))
    assert (abs(squares.mean(axis=0) - variance) <= STANDARD_ERRORS * error + ROUNDING).all()


# Counts


@every_way
@every_count
def test_every_count_is_binomial(counts: Counts, way: Callable[..., Any]) -> None:
    weight, _ = way(counts, counts.value, 1)
    total = counts.weight.sum()
    assert (weight.sum(axis=1) == total).all()
    assert_moments(weight, counts.weight, counts.weight * (1 - counts.weight / total))
    # The cases up to a forecast, whose variance holds all covariances of neighbours.
    before = np.cumsum(counts.weight)
    assert_moments(np.cumsum(weight, axis=1), before, before * (1 - before / total))


@every_way
@every_count
def test_every_number_of_events_is_binomial(counts: Counts, way: Callable[..., Any]) -> None:
    probability = counts.value**1.5  # not the forecasts themselves, which are not asked for
    weight, events = way(counts, probability, 2)
    assert ((events >= 0) & (events <= weight)).all()
    total, mean = counts.weight.sum(), counts.weight * probability
    assert_moments(events, mean, mean * (1 - mean / total))
    assert_moments(events.sum(axis=1), mean.sum(), mean.sum() * (1 - mean.sum() / total))


@every_way
@every_count
def test_events_come_with_their_probability_among_the_cases_drawn(
    counts: Counts, way: Callable[..., Any]
) -> None:
    weight, events = way(counts, counts.value, 3)
    surplus = events - weight * counts.value
    assert_moments(surplus, 0, counts.weight * counts.value * (1 - counts.value))
    covariance = (surplus * (weight - counts.weight)).mean(axis=0)
    error = np.std(surplus * (weight - counts.weight), axis=0) / math.sqrt(REPLICATES)
    assert (abs(covariance) <= STANDARD_ERRORS * error + ROUNDING).all()


@every_count
def test_sequences_are_in_order_with_the_events_first(counts: Counts) -> None:
    drawn = next(counts.sequences(counts.value, [50], np.random.default_rng(5)))
    total = counts.weight.sum()
    assert drawn.forecast.shape == (50, total)
    assert drawn.happened.shape == (50, total + 2)
    assert drawn.happened[:, 0].all()
    assert not drawn.happened[:, -1].any()
    assert (np.diff(2 * drawn.forecast - drawn.happened[:, 1:-1]) >= 0).all()


@every_count
def test_only_the_seed_decides_on_sequences_not_how_they_are_batched(counts: Counts) -> None:
    def drawn(batches: list[int], seed: int) -> list[Column]:
        found = counts.sequences(counts.value, batches, np.random.default_rng(seed))
        # Copied, since the memory of a batch is used again.
        copies = [(s.forecast.copy(), s.happened.copy()) for s in found]
        return [np.concatenate(column) for column in zip(*copies, strict=True)]

    first, again, other = (drawn([3, 4, 3], seed) for seed in (6, 6, 7))
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_array_equal(first[1], again[1])
    assert not np.array_equal(first[0], other[0])
    for batches in ([10], [1, 9], [4, 3, 3]):
        np.testing.assert_array_equal(drawn(batches, 6)[0], first[0])
        np.testing.assert_array_equal(drawn(batches, 6)[1], first[1])


class LastGapIsZero:
    """A source of randomness whose last gap is 0, as one in some millions of 24 bits is."""

    def standard_exponential(self, out: Column, dtype: Any) -> None:
        assert out.dtype == dtype
        out[:] = 1
        out[:, -1] = 0


@pytest.mark.parametrize("weight", [[2, 2], [1, 1], [1, 1, 1]])
def test_no_place_lies_past_the_last_forecast(weight: list[int]) -> None:
    counts = Counts(np.linspace(0.5, 1, len(weight)), np.array(weight))
    rng = cast("np.random.Generator", LastGapIsZero())
    forecast, happened = next(counts.sequences(counts.value, [1], rng))
    assert forecast.max() == len(weight) - 1
    assert happened[0, -2]  # the last forecast is certain


class AllAreZero:
    """A source of randomness that draws 0, as one in 2**53 is."""

    def random(self, size: int) -> Column:
        return np.zeros(size)


def test_what_cannot_happen_is_never_drawn() -> None:
    cases = properly.Cases([0, 1, 0, 1], [0.2, 0.2, 0.6, 0.6], weight=[0.5, 1.5, 1, 2])
    rng = cast("np.random.Generator", AllAreZero())
    draw = next(iter(rows_of(cases).outcomes(np.array([0.0, 0.5]), 1, rng)))
    assert draw.events.tolist() == [0, 3]


@every_count
def test_drawing_outcomes_alone_keeps_the_forecasts(counts: Counts) -> None:
    probability = np.sqrt(counts.value)
    drawn = counts.outcomes(probability, REPLICATES, np.random.default_rng(8))
    weight, events = stacked(drawn)
    assert (weight == counts.weight).all()
    mean = counts.weight * probability
    assert_moments(events, mean, mean * (1 - probability))
    assert_moments(events.sum(axis=1), mean.sum(), (mean * (1 - probability)).sum())


# Rows

CLUSTERS, SIZE = 120, 4


def clustered(seed: int, dependence: float) -> properly.Cases:
    """Draw calibrated cases of which two of a cluster share their chance that often."""
    rng = np.random.default_rng(seed)
    cases = CLUSTERS * SIZE
    p = rng.choice([0.0, 0.2, 0.5, 0.6, 1.0], p=[0.05, 0.3, 0.3, 0.3, 0.05], size=cases)
    cluster = np.repeat(np.arange(CLUSTERS), SIZE)
    own, common = rng.random(cases), rng.random(CLUSTERS)[cluster]
    y = np.where(rng.random(cases) < math.sqrt(dependence), common, own) < p
    order = rng.permutation(cases)
    return properly.Cases(y[order], p[order], clusters=cluster[order])


def weighted(seed: int, **known: Any) -> properly.Cases:
    rng = np.random.default_rng(seed)
    p = rng.choice([0.0, 0.2, 0.5, 0.7, 1.0], size=60)
    return properly.Cases(rng.random(60) < p, p, weight=rng.gamma(1.5, size=60), **known)


def rows_of(cases: properly.Cases) -> DrawnRows:
    found = sampler(cases)
    assert isinstance(found, DrawnRows)
    return found


def recalibrated(cases: properly.Cases) -> Column:
    return np.asarray(properly.reliability(cases.tally()).recalibrated)


def pairs_within(rows: DrawnRows) -> list[tuple[int, int]]:
    """List all pairs of cases in the same cluster."""
    assert rows.start is not None
    found = []
    for first, stop in zip(rows.start[:-1], rows.start[1:], strict=True):
        found += list(combinations(range(int(first), int(stop)), 2))
    return found


def dependence_of(rows: DrawnRows, fitted: Column) -> float:
    """Find how often pairs share their chance, pair by pair."""
    assert rows.start is not None
    found = most = 0.0
    for i, j in pairs_within(rows):
        a, b = fitted[rows.cell[i]], fitted[rows.cell[j]]
        found += (rows.happened[i] - a) * (rows.happened[j] - b)
        # What is left in a bin adds up to 0: cases of the same one seem to balance.
        found += a * (1 - a) / np.sum(fitted[rows.cell] == a) if a == b else 0.0
        most += min(a, b) - a * b
    clusters, bins = len(rows.start) - 1, len(np.unique(fitted))
    return float(found / most) / max(1 - 1 / clusters - 2 * bins / len(rows.cell), 0.5)


def moments_of(
    rows: DrawnRows, amount: Column, probability: Column, shared: float
) -> tuple[float, float]:
    """Return mean and variance of the events drawn, each case counted with its amount.

    A draw is a sum of independent clusters; what one adds has a mean and a variance of its own, the
    latter from its cases and, if they share their chance, from its pairs.
    """
    clusters = len(rows.cell) if rows.start is None else len(rows.start) - 1
    starts = np.arange(clusters) if rows.start is None else rows.start[:-1]
    p = probability[rows.cell]
    means = np.add.reduceat(amount * p, starts)
    inside = (amount**2 * p * (1 - p)).sum()
    for i, j in pairs_within(rows) if shared else []:
        inside += 2 * shared * amount[i] * amount[j] * (min(p[i], p[j]) - p[i] * p[j])
    return float(means.sum()), float(inside + (means**2).sum() - means.sum() ** 2 / clusters)


def assert_drawn_rows(rows: DrawnRows, probability: Column, fitted: Column, shared: float) -> None:
    """Compare weight and events at each forecast, and all events, with their exact moments."""
    rng = np.random.default_rng(9)
    weight, events = stacked(rows.draws(probability, REPLICATES, rng, fitted))
    assert ((events >= 0) & (events <= weight)).all()
    for forecast in range(len(rows.value)):
        amount = rows.weight * (rows.cell == forecast)
        assert_moments(weight[:, forecast], *moments_of(rows, amount, np.ones(5), 0))
        assert_moments(events[:, forecast], *moments_of(rows, amount, probability, shared))
    assert_moments(events.sum(axis=1), *moments_of(rows, rows.weight, probability, shared))


def test_weighted_cases_are_drawn_as_often_as_others_and_take_their_weight_along() -> None:
    cases = weighted(10)
    rows = rows_of(cases)
    assert rows.start is None
    assert_drawn_rows(rows, np.sqrt(rows.value), recalibrated(cases), 0)


@pytest.mark.slow
@pytest.mark.parametrize("dependence", [0.0, 0.4, 1.0])
def test_whole_clusters_are_drawn_and_their_outcomes_agree_as_in_the_data(
    dependence: float,
) -> None:
    cases = clustered(11, dependence)
    rows, fitted = rows_of(cases), recalibrated(cases)
    shared = min(max(dependence_of(rows, fitted), 0), 1)
    # 720 pairs tell it with a standard error of .08 at most.
    assert shared == pytest.approx(dependence, abs=0.2)
    assert_drawn_rows(rows, rows.value, fitted, shared)


@pytest.mark.parametrize("clusters", [4, 8, 20, 60])
@pytest.mark.parametrize("seed", range(3))
def test_dependence_is_that_of_all_pairs_and_of_what_the_bins_hide(
    clusters: int, seed: int
) -> None:
    cases = weighted(seed, clusters=np.arange(60) % clusters)
    rows, fitted = rows_of(cases), recalibrated(cases)
    assert rows.start is not None
    got = rows._dependence(fitted[rows.cell], np.diff(rows.start))
    expected = dependence_of(rows, fitted) if clusters < 60 else 0  # no pairs, no dependence
    assert got == pytest.approx(min(max(expected, 0), 1), abs=1e-12)


# All of them

CERTAIN = np.array([0.0, 0.0, 0.3, 0.6, 1.0, 1.0, 1.0])
HAPPENED = np.array([0, 0, 1, 0, 1, 1, 1])
SAMPLERS: dict[str, Sampler] = {
    **COUNTS,
    "weights": rows_of(properly.Cases(HAPPENED, CERTAIN, weight=np.linspace(0.1, 0.7, 7))),
    "clusters": rows_of(properly.Cases(HAPPENED, CERTAIN, clusters=[1, 2, 1, 1, 2, 1, 2])),
    "both": rows_of(
        properly.Cases(
            HAPPENED, CERTAIN, weight=np.linspace(0.1, 0.7, 7), clusters=[1, 2, 1, 1, 2, 1, 2]
        )
    ),
}
every_sampler = pytest.mark.parametrize("draws", SAMPLERS.values(), ids=SAMPLERS)


@every_sampler
def test_what_is_certain_is_never_contradicted(draws: Sampler) -> None:
    rng = np.random.default_rng(19)
    # Fitted rates that leave the outcomes of a cluster dependent on one another.
    fitted = np.full(len(draws.value), 0.6)
    drawn = [
        *draws.draws(draws.value, 200, rng),
        *draws.draws(draws.value, 200, rng, fitted),
        *draws.outcomes(draws.value, 200, rng),
    ]
    weight, events = stacked(drawn)
    assert (events[:, 0] == 0).all()
    assert (events[:, -1] == weight[:, -1]).all()
    assert (weight[:, [0, -1]].sum(axis=0) > 0).all()


def test_a_stream_of_its_own_depends_on_where_the_generator_stands() -> None:
    rng = np.random.default_rng(23)
    first, following = fast_stream(rng).random(5), fast_stream(rng).random(5)
    assert not np.array_equal(first, following)
    rng = np.random.default_rng(23)
    stream = fast_stream(rng)
    rng.random(100)  # what is drawn elsewhere does not disturb it
    np.testing.assert_array_equal(stream.random(5), first)
    np.testing.assert_array_equal(fast_stream(np.random.default_rng(23)).random(5), first)


# Getting ready


def test_only_what_counts_cannot_tell_is_drawn_row_by_row() -> None:
    y, p, clusters = [0, 1, 1, 0], [0.2, 0.2, 0.6, 0.6], [1, 1, 2, 2]
    counted = sampler(properly.Cases(y, p, count=[1, 2, 3, 0]))
    assert isinstance(counted, Counts)
    assert counted.value.tolist() == [0.2, 0.6]
    assert counted.weight.tolist() == [3, 3]
    assert isinstance(sampler(properly.tally(y, p)), Counts)
    assert isinstance(sampler(properly.Cases(y, p, clusters=clusters)), DrawnRows)
    assert isinstance(sampler(properly.Cases(y, p, clusters=clusters), clusters=False), Counts)
    for equal in (0.5, 7):
        assert isinstance(sampler(properly.Cases(y, p, weight=[equal] * 4)), Counts)
    for weight in ([0.5, 1, 1, 1], [1, 2, 3, 0]):
        weighted = properly.Cases(y, p, weight=weight)
        drawn = sampler(weighted)
        assert isinstance(drawn, DrawnRows)
        assert drawn.weight.tolist() == [x for x in weight if x]
        with pytest.raises(DataError, match="taken one by one"):
            sampler(weighted.tally())


# Cells of very many forecasts


@pytest.mark.parametrize("shape", [1.0, 6.0], ids=["even", "rare"])
def test_cells_hold_neighbours_and_both_ends_stay_as_they_are(shape: float) -> None:
    rng = np.random.default_rng(13)
    p, weight = rng.random(40_000) ** shape, rng.integers(1, 4, 40_000)
    p[:2] = 0.0, 1.0
    t = properly.Tally.from_counts(p, weight, rng.binomial(weight, p))
    start = cell_starts(t.value, t.weight)
    assert start is not None
    cells, ends = in_cells(t, start), _cells.ENDS
    assert len(cells) == len(start) <= _cells.CELLS + 2 * ends
    assert (cells.total, cells.event_rate) == (t.total, t.event_rate)
    assert cells.weight @ cells.value == pytest.approx(t.weight @ t.value, rel=1e-12)
    assert (np.diff(cells.value) > 0).all()
    for end in (slice(ends), slice(-ends, None)):
        assert (cells.value[end] == t.value[end]).all()
        assert (cells.weight[end] == t.weight[end]).all()
    # Equal parts of the cases and of their variance together, but for one forecast more.
    inner = slice(ends + 1, -ends - 1)
    variance = t.weight * t.value * (1 - t.value)
    share = t.weight / t.weight.sum() + variance / variance.sum()
    assert np.add.reduceat(share, start)[inner].max() <= 2 / _cells.CELLS + share.max()


def test_cells_are_drawn_with_the_means_and_variances_of_their_cases() -> None:
    count = np.array([400, 300, 50])
    cells = RandomCells(np.array([0.1, 0.5, 0.9]), count, count)
    truth = np.array([0.0, 0.25, 1.0])
    weight, events = stacked(cells.draws(truth, REPLICATES, np.random.default_rng(3)))
    for drawn, mean in (
        (events, count * truth),
        (weight - events, count * (1 - truth)),
    ):
        error = STANDARD_ERRORS * np.sqrt(mean / REPLICATES)
        assert (np.abs(drawn.mean(axis=0) - mean) <= error).all()
        spread = np.abs(drawn.var(axis=0, ddof=1) - mean)
        assert (spread <= STANDARD_ERRORS * np.sqrt((2 * mean**2 + mean) / REPLICATES)).all()


@pytest.mark.parametrize(
    ("cases", "probability"),
    [(7, 0.5), (39, 0.02), (41, 0.5), (350, 0.03), (4000, 0.991), (10**8, 0.2)],
)
def test_counts_of_cells_have_their_distribution_functions(cases: int, probability: float) -> None:
    count = np.array([cases, 3])
    cells = RandomCells(np.array([0.1, 0.9]), count, count)
    rng, truth, mean = np.random.default_rng(5), np.array([probability, 1.0]), cases * probability
    outcomes = np.stack([x.events for x in cells.outcomes(truth, 100_000, rng)])
    assert (outcomes[:, 1] == 3).all()
    events = np.concatenate([x for _, x in cells.tables(truth, 100_000, rng)])
    binomial, poisson = stats.binom(cases, probability), stats.poisson(mean)
    for drawn, expected in (outcomes[:, 0], binomial), (events[:, 0], poisson):
        number = np.unique(np.rint(mean + expected.std() * np.linspace(-4, 4, 65)))
        upto = np.searchsorted(np.sort(drawn), number, side="right") / len(drawn)
        exact = expected.cdf(number)
        # What chance does to the draws, and how far a skewed normal number may be off.
        error = 4 * np.sqrt(exact * (1 - exact) / len(drawn))
        error += 0.02 / expected.var() * (expected.var() >= _cells.WIDE)
        assert (np.abs(upto - exact) <= error + 1e-12).all()
