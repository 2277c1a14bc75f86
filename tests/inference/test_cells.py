"""Draws in cells: with the means and variances of cases that are drawn one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest

import properly
from properly.counts._isotonic import recalibrate
from properly.inference._cells import (
    ClusteredCells,
    RandomCells,
    TimedCells,
    agreement,
    cell_starts,
)
from properly.inference._draws import sampler

if TYPE_CHECKING:
    from collections.abc import Iterable

    from properly.inference._cells import Draw

Column: TypeAlias = np.ndarray[Any, Any]

CASES, REPLICATES = 3000, 1500
# Cells, and single forecasts at either end.
SIZES = (40, 8)
# Of a Monte-Carlo mean or variance; some sixty of them are compared at a time.
STANDARD_ERRORS = 4.5
KINDS = {
    "weights": RandomCells,
    "small clusters": ClusteredCells,
    "large clusters": ClusteredCells,
    "clusters with weights": ClusteredCells,
    "times": TimedCells,
    "days": TimedCells,
}


def cases_of(kind: str) -> properly.Cases:
    known: dict[str, Any] = {}
    rng, row = np.random.default_rng(4), np.arange(CASES)
    if kind in ("weights", "clusters with weights"):
        known["weight"] = rng.gamma(2, size=CASES)
    unit = {"large clusters": row % 150, "times": row // 4, "days": row // 20}.get(kind, row // 6)
    shift = rng.normal(size=unit.max() + 1)
    if "clusters" in kind:
        known["clusters"] = unit
    if kind in ("times", "days"):
        known["time"] = row if kind == "times" else unit
    shift *= 0.0 if kind == "weights" else 0.7
    odds = rng.normal(-1, 1.2, CASES)
    happened = rng.random(CASES) < 1 / (1 + np.exp(-odds - shift[unit]))
    return properly.Cases(happened, 1 / (1 + np.exp(-odds)), **known)


def moments(draws: Iterable[Draw], start: Column | None, value: Column) -> tuple[Column, Column]:
    """Return cases, and events beyond those expected, of each draw in cells; of events also all."""
    weight, events = (np.stack(x) for x in zip(*draws, strict=True))
    cells, excess = (np.broadcast_to(x, events.shape) for x in (weight, events - weight * value))
    if start is not None:
        cells, excess = (np.add.reduceat(x, start, axis=1) for x in (cells, excess))
    return cells, np.column_stack([excess, excess.sum(axis=1)])


@pytest.mark.parametrize("kind", KINDS)
def test_draws_in_cells_have_the_moments_of_draws_of_rows(kind: str) -> None:
    cases, rng = cases_of(kind), np.random.default_rng(1)
    tally = cases.tally()
    start = cell_starts(tally.value, tally.weight, SIZES, 1)
    assert start is not None
    rows, cells = sampler(cases), sampler(cases, start=start)
    assert type(cells) is KINDS[kind]
    fit = recalibrate(tally)
    fitted = fit.spread(fit.event_rate)
    rough = np.add.reduceat(np.asarray(tally.weight) * fitted, start) / cells.total
    by_rows = rows.draws(rows.value, REPLICATES, rng, fitted)
    by_cells = cells.draws(cells.value, REPLICATES, rng, rough)
    one = moments(by_rows, start, rows.value)
    other = moments(by_cells, None, cells.value)
    for exact, drawn in zip(one, other, strict=True):
        variance = exact.var(axis=0)
        error = np.sqrt((variance + drawn.var(axis=0)) / REPLICATES)
        away = np.abs(drawn.mean(axis=0) - exact.mean(axis=0))
        assert (away <= STANDARD_ERRORS * error + 1e-6 * exact.mean(axis=0)).all()
        # Effective cases are whole ones, and what units share is spread over their cells.
        fourth = ((exact - exact.mean(axis=0)) ** 4).mean(axis=0) - variance**2
        error = STANDARD_ERRORS * np.sqrt(2 * fourth / REPLICATES) + 0.15 * variance
        assert (np.abs(drawn.var(axis=0) - variance) <= error).all()


@pytest.mark.parametrize("kind", ["clusters with weights", "large clusters", "days"])
def test_very_many_units_are_drawn_as_few_are(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = cases_of(kind)
    start = cell_starts(cases.tally().value, cases.tally().weight, SIZES, 1)
    found = []
    for many in (1 << 15, 60):
        monkeypatch.setattr("properly.inference._cells.CLUSTERS", many)
        monkeypatch.setattr("properly.inference._draws.TIMES", many)
        vars(cases).pop("_kinds", None)
        cells = sampler(cases, start=start)
        rng, truth = np.random.default_rng(8), np.full(len(cells.value), 0.3)
        excess = moments(cells.draws(truth, REPLICATES, rng, truth), None, truth)[1][:, -1]
        found.append((excess.mean(), excess.std()))
    (mean, deviation), (other, scatter) = found
    assert abs(other - mean) < STANDARD_ERRORS * deviation * np.sqrt(2 / REPLICATES)
    assert abs(scatter / deviation - 1) < STANDARD_ERRORS / np.sqrt(REPLICATES)


@pytest.mark.parametrize("cases", [[1000, 4000], [2, 3000], [1, 3]])
def test_cells_may_all_be_large_or_small(cases: list[int]) -> None:
    forecast, number = np.array([0.3, 0.6]), np.array(cases)
    cells = RandomCells(forecast, number, number)
    rng = np.random.default_rng(3)
    drawn = np.array([x.events for x in cells.outcomes(forecast, REPLICATES, rng)])
    resampled = np.array([x.events for x in cells.draws(forecast, REPLICATES, rng)])
    mean = number * forecast
    for events, variance in ((drawn, mean * (1 - forecast)), (resampled, mean)):
        error = STANDARD_ERRORS * np.sqrt(variance / REPLICATES)
        assert (np.abs(events.mean(axis=0) - mean) < error).all()
        assert events.var(axis=0) == pytest.approx(variance, rel=0.2)


def test_events_are_no_more_than_cases_and_certain_ones_stay() -> None:
    for kind in KINDS:
        cases = cases_of(kind)
        tally = cases.tally()
        start = cell_starts(tally.value, tally.weight, SIZES, 1)
        draws = sampler(cases, start=start)
        truth = draws.value.copy()
        truth[:3], truth[-3:] = 0.0, 1.0
        for draw in draws.draws(truth, 50, np.random.default_rng(2), truth):
            assert ((draw.events >= 0) & (draw.events <= draw.weight)).all()
            assert (draw.events[:3] == 0).all()
            np.testing.assert_allclose(draw.events[-3:], draw.weight[-3:], rtol=1e-12)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.9])
def test_outcomes_agree_as_a_bivariate_normal_distribution_says(rho: float) -> None:
    from scipy.stats import multivariate_normal, norm

    both = multivariate_normal(np.zeros(2), [[1, rho], [rho, 1]])
    for t in (0.02, 0.3, 0.5):
        expected = (both.cdf(np.full(2, norm.ppf(t))) - t * t) / (t * (1 - t))
        assert agreement(np.array([t, 1 - t]), rho) == pytest.approx(expected, abs=1e-6)
    assert agreement(np.array([0.0, 1.0]), rho).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("clusters", "each"), [(60, 150), (900, 10)])
def test_the_correlation_in_clusters_is_found_whatever_the_bins_hide(
    clusters: int, each: int
) -> None:
    from scipy.special import ndtr, ndtri

    found, rho = [], 0.3
    for seed in range(12):
        rng, cluster = np.random.default_rng(seed), np.repeat(np.arange(clusters), each)
        p = ndtr(rng.normal(-1, 0.8, len(cluster)))
        number = np.sqrt(rho) * rng.normal(size=clusters)[cluster]
        number += np.sqrt(1 - rho) * rng.normal(size=len(p))
        cases = properly.Cases(number < ndtri(p), p, clusters=cluster)
        tally = cases.tally()
        start = cell_starts(tally.value, tally.weight, (200, 20), 1)
        assert start is not None
        draws, fit = sampler(cases, start=start), recalibrate(tally)
        assert isinstance(draws, ClusteredCells)
        fitted = np.add.reduceat(fit.spread(fit.event_rate), start)
        found.append(draws.correlation(fitted / draws.total))
    assert np.mean(found) == pytest.approx(rho, abs=0.05)
