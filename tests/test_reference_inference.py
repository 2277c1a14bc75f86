"""Simultaneous bands, biases, tests and standard errors against independent programs.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import t as student

import properly
from properly._components import Prices, find_bias, if_calibrated, increasing_fit, true_components
from properly._isotonic import recalibrate
from properly._resampling import sampler
from properly._variance import spread_of_means
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from properly import Band
    from properly._components import Correction
    from properly.rules import BinaryRule

    Floats = NDArray[np.float64]

FOLDER = Path(__file__).parent / "reference" / "inference"
RULES: dict[str, BinaryRule] = {"brier": Brier(), "log": Log()}
COMPONENTS = {"mcb": "miscalibration", "dsc": "discrimination"}
SUBJECTS = [(rule, forecast) for rule in RULES for forecast in ("p1", "p2")]
SOURCE_REPLICATES = 20000  # of the biases and of the standard deviations
BIAS_REPLICATES = 1000
TEST_REPLICATES = 4000


def read(name: str) -> list[dict[str, str]]:
    plain, packed = FOLDER / f"{name}.csv", FOLDER / f"{name}.csv.gz"
    text = plain.read_text() if plain.exists() else gzip.decompress(packed.read_bytes()).decode()
    return list(csv.DictReader(text.splitlines()))


def column(rows: list[dict[str, str]], name: str) -> Floats:
    return np.array([float(row[name]) for row in rows])


CASES = read("cases")
VALUES = {row["id"]: (float(row["value"]), float(row["tolerance"])) for row in read("values")}
MONTE_CARLO = {
    row["id"]: (float(row["value"]), float(row["monte_carlo_se"] or "nan"))
    for row in read("monte_carlo")
}


def cases_of(forecast: str, **known: Any) -> properly.Cases:
    return properly.Cases(column(CASES, "y").astype(int), column(CASES, forecast), **known)


@cache
def tally_of(forecast: str) -> properly.Tally:
    if forecast != "edge":
        return cases_of(forecast).tally()
    rows = read("edge")
    return properly.tally(column(rows, "y").astype(int), column(rows, "p"))


@dataclass(frozen=True)
class World:
    """A data set, a rule's prices at its forecasts, and its two fitted truths."""

    tally: properly.Tally
    prices: Prices
    pav: Floats
    linear: Floats

    @property
    def weight(self) -> Floats:
        return np.asarray(self.tally.weight)


@cache
def world_of(rule: str, forecast: str) -> World:
    tally = tally_of(forecast)
    fit = recalibrate(tally)
    prices = Prices.at(np.asarray(tally.value), RULES[rule])
    linear = increasing_fit(tally, fit, prices)
    return World(tally, prices, np.asarray(properly.reliability(tally).recalibrated), linear)


def assert_published(identity: str, got: float) -> None:
    expected, tolerance = VALUES[identity]
    assert got == pytest.approx(expected, rel=tolerance, abs=tolerance), identity


def assert_drawn(identity: str, got: float, own_error: float) -> None:
    expected, error = MONTE_CARLO[identity]
    assert abs(got - expected) <= 4 * np.hypot(error, own_error), identity


# Simultaneous bands


def band_of(forecast: str, method: Any, alpha: float) -> Band:
    record = properly.reliability(
        tally_of(forecast), band="simultaneous", method=method, level=1 - alpha
    )
    assert record.band is not None
    return record.band


def runs(name: str) -> list[tuple[str, float]]:
    return sorted({(row["forecast"], float(row["alpha"])) for row in read(name)})


def rows_of(name: str, forecast: str, alpha: float) -> list[dict[str, str]]:
    return [
        row for row in read(name) if row["forecast"] == forecast and float(row["alpha"]) == alpha
    ]


def test_the_reference_files_are_all_there() -> None:
    assert runs("bands") == [("edge", 0.1), ("p1", 0.05), ("p1", 0.1), ("p2", 0.1)]
    assert runs("bands_cells") == [("p1", 0.1), ("p2", 0.1)]
    assert len(VALUES) == 51
    assert len(MONTE_CARLO) == 60


@pytest.mark.parametrize(("forecast", "alpha"), runs("bands"))
def test_every_ungrouped_simultaneous_bound_is_the_published_one(
    forecast: str, alpha: float
) -> None:
    rows = rows_of("bands", forecast, alpha)
    tally, band = tally_of(forecast), band_of(forecast, "ungrouped", alpha)
    np.testing.assert_array_equal(tally.weight, column(rows, "n"))
    np.testing.assert_array_equal(tally.events, column(rows, "events"))
    lower, upper = band.at(column(rows, "x"))
    np.testing.assert_allclose(lower, column(rows, "lower"), rtol=0, atol=1e-9)
    np.testing.assert_allclose(upper, column(rows, "upper"), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("forecast", "alpha"), runs("bands_cells"))
def test_every_simultaneous_bound_of_cells_is_the_published_one(
    forecast: str, alpha: float
) -> None:
    rows = rows_of("bands_cells", forecast, alpha)
    x_min, x_max = column(rows, "x_min"), column(rows, "x_max")
    band = band_of(forecast, "cells", alpha)
    upper_at_x_min, lower_at_x_max = band.at(x_min)[1], band.at(x_max)[0]
    np.testing.assert_allclose(upper_at_x_min, column(rows, "upper_at_x_min"), rtol=0, atol=1e-9)
    np.testing.assert_allclose(lower_at_x_max, column(rows, "lower_at_x_max"), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("forecast", "alpha"), runs("bands_cells"))
def test_between_its_points_a_band_of_cells_waits_for_the_next_cell(
    forecast: str, alpha: float
) -> None:
    rows = rows_of("bands_cells", forecast, alpha)
    x_min, x_max = column(rows, "x_min"), column(rows, "x_max")
    x = np.linspace(0, 1, 997)
    lower, upper = band_of(forecast, "cells", alpha).at(x)
    last, following = np.searchsorted(x_max, x, "right"), np.searchsorted(x_min, x, "left")
    expected_lower = np.append(0.0, column(rows, "lower_at_x_max"))[last]
    expected_upper = np.append(column(rows, "upper_at_x_min"), 1.0)[following]
    np.testing.assert_allclose(lower, expected_lower, rtol=0, atol=1e-9)
    np.testing.assert_allclose(upper, expected_upper, rtol=0, atol=1e-9)


# Fits, values and standard errors


@pytest.mark.parametrize("forecast", ["p1", "p2"])
def test_every_value_of_both_fitted_truths_is_the_published_one(forecast: str) -> None:
    rows = [row for row in read("recalibration_fits") if row["forecast"] == forecast]
    world = world_of("brier", forecast)
    np.testing.assert_array_equal(world.tally.value, column(rows, "x"))
    np.testing.assert_array_equal(world.tally.weight, column(rows, "n"))
    np.testing.assert_array_equal(world.tally.events, column(rows, "events"))
    np.testing.assert_allclose(world.pav, column(rows, "pav"), rtol=0, atol=1e-9)
    np.testing.assert_allclose(world.linear, column(rows, "linear"), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("rule", "forecast"), SUBJECTS)
@pytest.mark.parametrize("part", COMPONENTS)
def test_every_component_is_the_published_one(part: str, rule: str, forecast: str) -> None:
    found = properly.decompose(tally_of(forecast), RULES[rule])
    assert_published(f"{part}.{rule}.{forecast}", getattr(found, COMPONENTS[part]))


@pytest.mark.parametrize(("rule", "forecast"), SUBJECTS)
@pytest.mark.parametrize("truth", ["pav", "lin"])
def test_every_component_of_a_known_truth_is_the_published_one(
    rule: str, forecast: str, truth: str
) -> None:
    world = world_of(rule, forecast)
    curve = world.pav if truth == "pav" else world.linear
    found = true_components(world.weight, curve, world.prices)
    for part, value in zip(COMPONENTS, found, strict=True):
        assert_published(f"{part}.{rule}.{forecast}.theta_{truth}", value)


@pytest.mark.parametrize(("rule", "forecast"), SUBJECTS)
def test_every_plug_in_standard_error_is_the_published_one(rule: str, forecast: str) -> None:
    tally = tally_of(forecast)
    record = properly.reliability(tally)
    lengths, price = len(tally), RULES[rule]
    losses = []
    for loss in (price.loss_if_event, price.loss_if_none):
        forecasts, fitted = np.asarray(loss(record.value)), np.asarray(loss(record.recalibrated))
        constant = np.repeat(np.asarray(loss(np.array([tally.event_rate]))), lengths)
        # A price of infinity is one that nobody paid: PAV is 0 or 1 only where all agree.
        paid = np.where(np.isfinite(fitted), fitted, 0.0)
        losses.append(np.stack([forecasts - paid, constant - paid]))
    spread = spread_of_means(tally, *losses)
    assert spread.degrees == tally.total - 1
    for part, variance in zip(COMPONENTS, np.diag(spread.covariance), strict=True):
        assert_published(f"{part}.{rule}.{forecast}.se_plugin", float(np.sqrt(variance)))


WEIGHT, CLUSTER = column(CASES, "weight"), column(CASES, "cluster").astype(int)
DESIGNS: dict[str, tuple[dict[str, Any], str, int]] = {
    "se_iid": ({}, "mean", 299),
    "se_weighted": ({"weight": WEIGHT}, "wmean", 299),
    "se_cluster": ({"clusters": CLUSTER}, "mean", 29),
    "se_cluster_weighted": ({"weight": WEIGHT, "clusters": CLUSTER}, "wmean", 29),
    "se_ewc": ({"time": column(CASES, "time")}, "mean", 17),
}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(("short", "rule"), [("b1", "brier"), ("l1", "log")])
def test_every_interval_of_a_mean_score_is_as_wide_as_its_published_standard_error(
    design: str, short: str, rule: str
) -> None:
    known, mean, degrees = DESIGNS[design]
    cases = cases_of("p1", **known)
    found = properly.decompose(cases, RULES[rule], interval=True, replicates=1, rng=0)
    assert found.intervals is not None
    lower, upper = found.intervals.score
    quantile = float(student.ppf(0.975, degrees))
    if design == "se_ewc":
        assert_published(f"{short}.ewc_df", degrees)
    assert_published(f"{short}.{mean}", found.score)
    assert_published(f"{short}.{mean}", (lower + upper) / 2)
    assert_published(f"{short}.{design}", (upper - lower) / 2 / quantile)


def test_the_rows_of_a_series_may_come_in_any_order() -> None:
    order = np.random.default_rng(3).permutation(300)
    y, p, time = (column(CASES, name)[order] for name in ("y", "p1", "time"))
    cases = properly.Cases(y.astype(int), p, time=time)
    found = properly.decompose(cases, Brier(), interval=True, replicates=1, rng=0)
    assert found.intervals is not None
    lower, upper = found.intervals.score
    assert_published("b1.se_ewc", (upper - lower) / 2 / float(student.ppf(0.975, 17)))


def test_the_scores_of_certain_forecasts_are_the_published_ones() -> None:
    brier = properly.decompose(tally_of("edge"), Brier(), interval=True, replicates=1, rng=0)
    assert brier.intervals is not None
    lower, upper = brier.intervals.score
    assert_published("edge.brier", brier.score)
    assert_published("edge.brier.se", (upper - lower) / 2 / float(student.ppf(0.975, 39)))
    assert_published("edge.log_mean", properly.decompose(tally_of("edge"), Log()).score)


# Random draws


@cache
def correction_of(rule: str, forecast: str) -> Correction:
    world = world_of(rule, forecast)
    truths, rng = (world.pav, world.linear), np.random.default_rng(20240601)
    return find_bias(
        sampler(world.tally),
        world.weight,
        truths,
        world.prices,
        replicates=BIAS_REPLICATES,
        rng=rng,
    )


def error_of_bias(identity: str) -> float:
    """Return the error of our smaller number of draws, given that of the source's."""
    return MONTE_CARLO[identity][1] * float(np.sqrt(SOURCE_REPLICATES / BIAS_REPLICATES))


@pytest.mark.parametrize(("rule", "forecast"), SUBJECTS)
@pytest.mark.parametrize("place", [0, 1])
def test_every_bias_and_its_spread_are_the_published_ones(
    rule: str, forecast: str, place: int
) -> None:
    subject = f"{list(COMPONENTS)[place]}.{rule}.{forecast}"
    found = correction_of(rule, forecast)
    pav, linear, spread = (f"{subject}.{name}" for name in ("bias_pav", "bias_lin", "sd_lin"))
    # In all eight, the smaller bias is that of the PAV fit.
    assert_drawn(pav, found.least[place], error_of_bias(pav))
    assert_drawn(linear, found.greatest[place], error_of_bias(linear))
    both = np.hypot(error_of_bias(pav), error_of_bias(linear)) / 2
    halfway = (MONTE_CARLO[pav][0] + MONTE_CARLO[linear][0]) / 2
    source = both * np.sqrt(BIAS_REPLICATES / SOURCE_REPLICATES)
    assert abs(found.mean[place] - halfway) <= 4 * np.hypot(both, source)
    assert_drawn(spread, found.deviation[place], error_of_bias(spread))


@cache
def intervals_of(rule: str, forecast: str) -> Any:
    found = properly.decompose(
        tally_of(forecast),
        RULES[rule],
        interval=True,
        level=0.9,
        replicates=5 * BIAS_REPLICATES,
        rng=20240602,
    )
    return found.intervals


@pytest.mark.parametrize(("rule", "forecast"), SUBJECTS)
@pytest.mark.parametrize("part", COMPONENTS)
def test_every_corrected_component_and_its_interval_are_the_published_ones(
    rule: str, forecast: str, part: str
) -> None:
    subject = f"{part}.{rule}.{forecast}"
    found = intervals_of(rule, forecast)
    bias, spread = error_of_bias(f"{subject}.bias_lin"), error_of_bias(f"{subject}.sd_lin")
    end = float(np.hypot(bias, 1.645 * spread))
    lower, upper = getattr(found, COMPONENTS[part])
    assert_drawn(f"{subject}.corrected", getattr(found, f"corrected_{COMPONENTS[part]}"), bias)
    assert_drawn(f"{subject}.interval90.upper", upper, end)
    if part == "mcb":
        assert lower == MONTE_CARLO[f"{subject}.interval90.lower"][0] == 0
    else:
        assert_drawn(f"{subject}.interval90.lower", lower, end)


@pytest.mark.parametrize(("rule", "forecast"), SUBJECTS)
def test_every_p_value_and_mean_under_calibration_are_the_published_ones(
    rule: str, forecast: str
) -> None:
    subject = f"mcb.{rule}.{forecast}"
    found = properly.calibration_test(
        tally_of(forecast), RULES[rule], replicates=TEST_REPLICATES, rng=20240603
    )
    p, mean = f"{subject}.test_p", f"{subject}.null_mean"
    # The source drew 50000.
    times = float(np.sqrt(50000 / TEST_REPLICATES))
    assert_published(subject, found.statistic)
    assert_drawn(p, found.p_value, MONTE_CARLO[p][1] * times)
    assert_drawn(mean, found.mean_if_calibrated, MONTE_CARLO[mean][1] * times)


@pytest.mark.parametrize(("rule", "forecast"), SUBJECTS)
def test_the_interval_reports_the_same_test(rule: str, forecast: str) -> None:
    subject = f"mcb.{rule}.{forecast}"
    found = intervals_of(rule, forecast)
    times = float(np.sqrt(50000 / found.replicates))
    p, mean = f"{subject}.test_p", f"{subject}.null_mean"
    assert_drawn(p, found.p_value, MONTE_CARLO[p][1] * times)
    assert_drawn(mean, found.miscalibration_if_calibrated, MONTE_CARLO[mean][1] * times)


@pytest.mark.parametrize(("rule", "forecast"), SUBJECTS)
def test_the_largest_twentieth_under_calibration_begins_where_published(
    rule: str, forecast: str
) -> None:
    world = world_of(rule, forecast)
    rng = np.random.default_rng(20240604)
    drawn = if_calibrated(sampler(world.tally), world.prices, TEST_REPLICATES, rng)
    expected = MONTE_CARLO[f"mcb.{rule}.{forecast}.null_q95"][0]
    # The source gives about a hundredth as its error; ours is half of that.
    assert np.quantile(drawn, 0.95) == pytest.approx(expected, rel=0.015)
