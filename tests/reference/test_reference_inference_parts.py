"""Miscalibration and discrimination with their biases and tests, against independent programs.

Sources, columns and tolerances: ``tests/reference/README.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import t as student
from tests.inference_numbers import (
    DESIGNS,
    MONTE_CARLO,
    RULES,
    SUBJECTS,
    assert_drawn,
    assert_published,
    cases_of,
    read,
    tally_of,
)
from tests.reference.held import assert_near, column, once

import properly
from properly.calibration import _components as components
from properly.counts._isotonic import recalibrate
from properly.inference._variance import spread_of_means
from properly.rules import Brier, Log

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tests.inference_numbers import Drawn
    from tests.reference.held import Areas

    Floats = NDArray[np.float64]

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

COMPONENTS = {"mcb": "miscalibration", "dsc": "discrimination"}
SOURCE_REPLICATES = 20000  # of the biases and of the standard deviations
SOURCE_TESTS = 50000
BIAS_REPLICATES = 1000
TEST_REPLICATES = 4000


@dataclass(frozen=True)
class World:
    """A data set, a rule's prices at its forecasts, and its two fitted truths."""

    tally: properly.Tally
    prices: components.ForecastPrices
    pav: Floats
    linear: Floats

    @property
    def weight(self) -> Floats:
        return np.asarray(self.tally.weight)


@cache
def world_of(rule: str, forecast: str) -> World:
    tally = tally_of(forecast)
    fit = recalibrate(tally)
    prices = components.ForecastPrices.at(np.asarray(tally.value), RULES[rule])
    linear = components.increasing_fit(tally, fit, prices)
    return World(tally, prices, np.asarray(properly.reliability(tally).recalibrated), linear)


# Values and standard errors


def of_components(rule: str, forecast: str) -> dict[str, float]:
    found = properly.decompose(tally_of(forecast), RULES[rule])
    return {f"{part}.{rule}.{forecast}": getattr(found, COMPONENTS[part]) for part in COMPONENTS}


def of_known_truths(rule: str, forecast: str) -> dict[str, float]:
    world = world_of(rule, forecast)
    found: dict[str, float] = {}
    for truth, curve in (("pav", world.pav), ("lin", world.linear)):
        values = components.true_components(world.weight, curve, world.prices)
        for part, value in zip(COMPONENTS, values, strict=True):
            found[f"{part}.{rule}.{forecast}.theta_{truth}"] = value
    return found


def of_plug_in_errors(rule: str, forecast: str) -> dict[str, float]:
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
    errors = np.sqrt(np.diag(spread.covariance))
    names = [f"{part}.{rule}.{forecast}.se_plugin" for part in COMPONENTS]
    return dict(zip(names, errors.tolist(), strict=True))


KINDS = {"parts": of_components, "truths": of_known_truths, "errors": of_plug_in_errors}
AREAS: Areas = once(
    {
        f"{name} {rule} {forecast}": partial(kind, rule, forecast)
        for name, kind in KINDS.items()
        for rule, forecast in SUBJECTS
    }
)


@pytest.mark.parametrize("forecast", ["p1", "p2"])
def test_every_value_of_both_fitted_truths_is_the_published_one(forecast: str) -> None:
    rows = [row for row in read("recalibration_fits") if row["forecast"] == forecast]
    world = world_of("brier", forecast)
    np.testing.assert_array_equal(world.tally.value, column(rows, "x"))
    np.testing.assert_array_equal(world.tally.weight, column(rows, "n"))
    np.testing.assert_array_equal(world.tally.events, column(rows, "events"))
    assert_near(world.pav, column(rows, "pav"), 1e-9)
    assert_near(world.linear, column(rows, "linear"), 1e-9)


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
    assert_published(f"{short}.{mean}", found.score)
    assert_published(f"{short}.{mean}", (lower + upper) / 2)
    assert_published(f"{short}.{design}", (upper - lower) / 2 / float(student.ppf(0.975, degrees)))


def test_the_scores_of_certain_forecasts_are_the_published_ones() -> None:
    brier = properly.decompose(tally_of("edge"), Brier(), interval=True, replicates=1, rng=0)
    assert brier.intervals is not None
    lower, upper = brier.intervals.score
    assert_published("edge.brier", brier.score)
    assert_published("edge.brier.se", (upper - lower) / 2 / float(student.ppf(0.975, 39)))
    assert_published("edge.log_mean", properly.decompose(tally_of("edge"), Log()).score)


# Biases and corrected components


@cache
def correction_of(rule: str, forecast: str) -> components.BiasCorrection:
    world = world_of(rule, forecast)
    (found,) = components.find_bias(
        components.Worlds.of(world.tally),
        world.pav,
        [(world.prices, world.linear)],
        replicates=BIAS_REPLICATES,
        rng=np.random.default_rng(20240601),
    )
    return found


def error_of_bias(identity: str) -> float:
    """Return the error of our smaller number of draws, given that of the source's."""
    return MONTE_CARLO[identity][1] * float(np.sqrt(SOURCE_REPLICATES / BIAS_REPLICATES))


def of_biases(rule: str, forecast: str) -> dict[str, tuple[float, float]]:
    """Find both biases and the spread; in all eight, the smaller one is that of the PAV fit."""
    correction = correction_of(rule, forecast)
    found: dict[str, float] = {}
    for place, part in enumerate(COMPONENTS):
        subject = f"{part}.{rule}.{forecast}"
        found[f"{subject}.bias_pav"] = correction.least[place]
        found[f"{subject}.bias_lin"] = correction.greatest[place]
        found[f"{subject}.sd_lin"] = correction.deviation[place]
    return {identity: (value, error_of_bias(identity)) for identity, value in found.items()}


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


def of_corrected_parts(rule: str, forecast: str) -> dict[str, tuple[float, float]]:
    intervals = intervals_of(rule, forecast)
    found: dict[str, tuple[float, float]] = {}
    for part, name in COMPONENTS.items():
        subject = f"{part}.{rule}.{forecast}"
        bias, spread = error_of_bias(f"{subject}.bias_lin"), error_of_bias(f"{subject}.sd_lin")
        end = float(np.hypot(bias, 1.645 * spread))
        lower, upper = getattr(intervals, name)
        found[f"{subject}.corrected"] = (getattr(intervals, f"corrected_{name}"), bias)
        found[f"{subject}.interval90.lower"] = (lower, end)
        found[f"{subject}.interval90.upper"] = (upper, end)
    return found


# Calibrated worlds


def error_of_test(identity: str, replicates: int) -> float:
    return MONTE_CARLO[identity][1] * float(np.sqrt(SOURCE_TESTS / replicates))


def of_calibrated_worlds(rule: str, forecast: str) -> dict[str, tuple[float, float]]:
    subject, world = f"mcb.{rule}.{forecast}", world_of(rule, forecast)
    found = properly.calibration_test(
        tally_of(forecast), RULES[rule], statistic="mcb", replicates=TEST_REPLICATES, rng=20240603
    )
    assert_published(subject, found.statistic)
    assert found.mean_if_calibrated is not None
    rng = np.random.default_rng(20240604)
    null = components.NullDraws(world.tally, [RULES[rule]], rng)
    drawn = null.miscalibration(RULES[rule], TEST_REPLICATES)
    p, mean = f"{subject}.test_p", f"{subject}.null_mean"
    return {
        p: (found.p_value, error_of_test(p, TEST_REPLICATES)),
        mean: (found.mean_if_calibrated, error_of_test(mean, TEST_REPLICATES)),
        f"{subject}.null_q95": (float(np.quantile(drawn, 0.95)), np.nan),
    }


DRAWS = {
    "biases": of_biases,
    "corrected": of_corrected_parts,
    "calibrated": of_calibrated_worlds,
}
DRAWN: Drawn = once(
    {
        f"{name} {rule} {forecast}": partial(kind, rule, forecast)
        for name, kind in DRAWS.items()
        for rule, forecast in SUBJECTS
    }
)


@pytest.mark.parametrize(("rule", "forecast"), SUBJECTS)
@pytest.mark.parametrize("place", [0, 1])
def test_the_mean_bias_lies_half_way(rule: str, forecast: str, place: int) -> None:
    subject = f"{list(COMPONENTS)[place]}.{rule}.{forecast}"
    pav, linear = f"{subject}.bias_pav", f"{subject}.bias_lin"
    both = np.hypot(error_of_bias(pav), error_of_bias(linear)) / 2
    halfway = (MONTE_CARLO[pav][0] + MONTE_CARLO[linear][0]) / 2
    source = both * np.sqrt(BIAS_REPLICATES / SOURCE_REPLICATES)
    found = correction_of(rule, forecast).mean[place]
    assert abs(found - halfway) <= 4 * np.hypot(both, source)


@pytest.mark.parametrize(("rule", "forecast"), SUBJECTS)
def test_an_interval_of_miscalibration_begins_at_zero_unless_refused(
    rule: str, forecast: str
) -> None:
    published = MONTE_CARLO[f"mcb.{rule}.{forecast}.interval90.lower"][0]
    assert intervals_of(rule, forecast).miscalibration[0] == published == 0


@pytest.mark.parametrize(("rule", "forecast"), SUBJECTS)
def test_the_interval_reports_the_same_test(rule: str, forecast: str) -> None:
    subject, found = f"mcb.{rule}.{forecast}", intervals_of(rule, forecast)
    p, mean = f"{subject}.test_p", f"{subject}.null_mean"
    assert_drawn(p, found.p_value, error_of_test(p, found.replicates))
    assert_drawn(mean, found.miscalibration_if_calibrated, error_of_test(mean, found.replicates))
