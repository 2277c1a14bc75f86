"""How far off a score and its parts may be."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import properly
from properly.calibration import _components
from properly.errors import DataWarning
from properly.inference import _cells
from properly.rules import Bounded, Brier, Log, Misclassification, Spherical

pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")

RULES = [
    Brier(),
    Log(),
    Spherical(),
    Misclassification(),
    Bounded(Brier(), (0.1, 0.4)),
    Bounded(Log(), (0.1, 0.4)),
]
PARTS = ("score", "miscalibration", "discrimination", "uncertainty")
# For what holds however few draws are made.
FEW = 50


def sample(n: int, seed: int = 1, *, slope: float = 1.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    p = np.round(rng.uniform(0.02, 0.98, n), 2)
    return (rng.random(n) < 0.5 + slope * (p - 0.5)).astype(int), p


def intervals_of(data: Any, rule: Any = None, **options: Any) -> Any:
    options = {"replicates": 200, "rng": 1} | options
    found = properly.decompose(data, rule or Brier(), interval=True, **options).intervals
    assert found is not None
    return found


def test_there_are_no_intervals_unless_asked_for() -> None:
    t = properly.tally(*sample(50))
    assert properly.decompose(t, Brier()).intervals is None
    plain, told = properly.decompose(t, Brier()), properly.decompose(t, Brier(), interval=True)
    assert [getattr(plain, part) for part in PARTS] == [getattr(told, part) for part in PARTS]


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_interval_of_the_score_is_students(rule: Any) -> None:
    y, p = sample(150)
    losses = np.asarray(rule.loss(y, p))
    half = student.ppf(0.975, 149) * losses.std(ddof=1) / math.sqrt(150)
    expected = (losses.mean() - half, losses.mean() + half)
    assert intervals_of(properly.tally(y, p), rule, replicates=FEW).score == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("events", [15, 48, 75, 76, 120])
def test_the_uncertainty_is_the_entropy_of_the_interval_of_the_event_rate(
    rule: Any, events: int
) -> None:
    y, p = np.arange(150) < events, np.linspace(0.05, 0.95, 150)
    # 149 cases would tell the share as precisely: its variance is divided by n - 1.
    share, square = events / 150, student.ppf(0.95, 149) ** 2 / 149
    low, high = sorted(np.roots([1 + square, -2 * share - square, share**2]).real.tolist())
    entropy = rule.entropy(np.linspace(low, high, 20_001))
    found = intervals_of(properly.tally(y, p), rule, level=0.9, replicates=FEW).uncertainty
    assert found == pytest.approx((entropy[[0, -1]].min(), entropy.max()), rel=2e-5)
    assert found[0] <= float(rule.entropy(np.array([share]))[0]) <= found[1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("slope", [1.0, 0.5, 0.2])
def test_miscalibration_begins_at_zero_unless_the_test_refuses(seed: int, slope: float) -> None:
    for n in (60, 400):
        t = properly.tally(*sample(n, seed, slope=slope))
        found = intervals_of(t, level=0.9, replicates=FEW)
        lower = found.miscalibration[0]
        assert lower == 0 or found.p_value <= 1 - 0.9 + 1e-12


def test_clear_miscalibration_begins_above_zero() -> None:
    found = intervals_of(properly.tally(*sample(3000, slope=0.2)))
    assert (found.p_value, found.p_is_bound) == (1 / 201, True)
    assert found.miscalibration[0] > 0.02
    # The true value: the mean of (.8 (p - .5))^2 over the forecasts.
    _, p = sample(3000)
    truth = float(np.mean((0.8 * (p - 0.5)) ** 2))
    assert found.miscalibration[0] < truth < found.miscalibration[1]


def test_the_test_behind_it_is_the_calibration_test() -> None:
    t = properly.tally(*sample(80, slope=0.6))
    found = intervals_of(t, replicates=4000)
    alone = properly.calibration_test(t, statistic="mcb", replicates=4000, rng=9)
    error = math.sqrt(2 * alone.p_value * (1 - alone.p_value) / 4000)
    assert found.p_value == pytest.approx(alone.p_value, abs=4 * error + 1e-3)
    mean = pytest.approx(alone.mean_if_calibrated, rel=0.05)
    assert found.miscalibration_if_calibrated == mean


@pytest.mark.parametrize("rule", [Log(), Bounded(Log(), (0.0, 0.5), scale="integral")], ids=repr)
def test_an_infinite_score_has_half_an_interval(rule: Any) -> None:
    y, p = sample(60)
    t = properly.tally(np.append(y, 1), np.append(p, 0.0))
    parts, found = properly.decompose(t, rule), intervals_of(t, rule)
    assert parts.score == parts.miscalibration == math.inf
    assert np.isnan(found.score[0])
    assert found.score[1] == math.inf
    assert np.isnan(found.miscalibration[0])
    assert found.miscalibration[1] == math.inf
    assert found.corrected_miscalibration == math.inf
    assert (found.p_value, found.p_is_bound) == (1 / 201, True)
    assert np.isfinite(found.discrimination).all()
    assert math.isfinite(found.corrected_discrimination)
    assert np.isfinite(found.uncertainty).all()
    assert math.isfinite(found.miscalibration_if_calibrated)


def test_certain_forecasts_that_came_true_keep_every_log_score_finite() -> None:
    y, p = sample(60)
    t = properly.tally(np.append(y, [0, 1]), np.append(p, [0.0, 1.0]))
    found = intervals_of(t, Log())
    for part in PARTS:
        assert np.isfinite(getattr(found, part)).all()


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("y", [0, 1])
def test_one_case_says_nothing_about_its_spread(rule: Any, y: int) -> None:
    found = intervals_of(properly.tally([y], [0.3]), rule, replicates=FEW)
    assert np.isnan(found.score).all()
    assert np.isnan(found.uncertainty).all()
    assert 0 < found.p_value <= 1


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("outcome", [0, 1])
def test_one_class_has_no_uncertainty_to_be_estimated(rule: Any, outcome: int) -> None:
    p = np.linspace(0.1, 0.9, 30)
    found = intervals_of(properly.tally(np.full(30, outcome), p), rule, replicates=FEW)
    assert np.isnan(found.uncertainty).all()
    assert found.corrected_discrimination >= 0
    assert np.isfinite(found.miscalibration).all()


# Never having been wrong says nothing about how often one is. The second pair of losses, .2^2 and
# (1 - .8)^2, is equal but for the last digit.
@pytest.mark.parametrize("p", [[0.0, 0.0, 1.0, 1.0], [0.2, 0.2, 0.8, 0.8], [0.3, 0.3, 0.7, 0.7]])
def test_losses_that_do_not_vary_have_no_interval(p: list[float]) -> None:
    assert np.isnan(intervals_of(properly.tally([0, 0, 1, 1], p)).score).all()


def test_a_constant_forecast_discriminates_nothing() -> None:
    y, _ = sample(100)
    found = intervals_of(properly.tally(y, np.full(100, 0.4)))
    assert found.discrimination == (0, 0)
    assert found.corrected_discrimination == 0


def test_a_count_is_as_many_cases_and_equal_weights_are_none() -> None:
    y, p = sample(60)
    once = intervals_of(properly.tally(y, p))
    copies = intervals_of(properly.tally(np.repeat(y, 3), np.repeat(p, 3)))
    for make in (properly.Cases, properly.tally):
        assert asdict(intervals_of(make(y, p, weight=np.full(60, 3)))) == asdict(once)
        assert asdict(intervals_of(make(y, p, count=np.full(60, 3)))) == asdict(copies)


@pytest.mark.parametrize("part", ["score", "uncertainty"])
def test_duplicates_that_are_known_as_such_change_nothing(part: str) -> None:
    y, p = sample(100)
    copies = np.repeat(y, 4), np.repeat(p, 4)
    clusters = np.repeat(np.arange(100), 4)
    once = getattr(intervals_of(properly.tally(y, p)), part)
    known = getattr(intervals_of(properly.Cases(*copies, clusters=clusters)), part)
    ignored = getattr(intervals_of(properly.tally(*copies)), part)
    assert known == pytest.approx(once, abs=1e-12)
    # Four times as many cases: half as wide, but for Student's quantile. An entropy is curved.
    if part == "score":
        assert np.diff(ignored) == pytest.approx(np.diff(known) / 2, rel=0.02)


@pytest.mark.parametrize("part", ["miscalibration", "discrimination"])
def test_duplicates_that_are_known_as_such_have_the_bias_of_single_cases(part: str) -> None:
    y, p = sample(200, slope=0.6)
    copies = np.repeat(y, 4), np.repeat(p, 4)
    told = properly.Cases(*copies, clusters=np.repeat(np.arange(200), 4))
    bias = []
    for data in (properly.tally(y, p), told, properly.tally(*copies)):
        parts = properly.decompose(data, Brier(), interval=True, replicates=200, rng=1)
        corrected = getattr(parts.intervals, f"corrected_{part}")
        assert corrected > 0
        bias.append(getattr(parts, part) - corrected)
    once, known, ignored = bias
    # Two hundred draws of either tell the bias within a tenth or so.
    assert known == pytest.approx(once, rel=0.2)
    assert ignored < 0.6 * once


def test_clusters_that_share_a_forecast_are_not_taken_for_miscalibrated() -> None:
    rng = np.random.default_rng(7)
    g, raw, corrected = np.repeat(np.arange(50), 20), [], []
    for _ in range(12):
        p, common = rng.random(50)[g], rng.random(50)[g]
        # Calibrated, but half of the cases have the fate of their cluster.
        y = np.where(rng.random(1000) < 0.5, common, rng.random(1000)) < p
        parts = properly.decompose(
            properly.Cases(y, p, clusters=g), Brier(), interval=True, replicates=60, rng=rng
        )
        assert parts.intervals is not None
        raw.append(parts.miscalibration)
        corrected.append(parts.intervals.corrected_miscalibration)
    # The bias of independent cases would take off no more than a quarter.
    assert np.mean(corrected) < np.mean(raw) / 2


def test_a_series_of_lasting_errors_has_the_wider_interval() -> None:
    rng = np.random.default_rng(5)
    # Bad times and good times, ten cases each, that the forecasts do not foresee.
    rate = np.repeat(rng.choice([0.05, 0.6], size=30), 10)
    y, p = (rng.random(300) < rate).astype(int), rng.uniform(0.2, 0.4, 300)
    with pytest.warns(DataWarning, match="dependence is long for this series"):
        series = intervals_of(properly.Cases(y, p, time=np.arange(300)))
    ignored = intervals_of(properly.Cases(y, p))
    assert np.diff(series.score) > 1.3 * np.diff(ignored.score)


def test_of_clusters_no_test_takes_part() -> None:
    """The calibration test takes cases as independent, so it may not lift the lower end."""
    rng = np.random.default_rng(4)
    p = np.repeat(rng.random(30), 10)
    cases = properly.Cases(rng.random(300) < p**3, p, clusters=np.arange(300) // 10)
    intervals = properly.decompose(cases, Brier(), interval=True, replicates=50, rng=1).intervals
    assert intervals is not None
    assert math.isnan(intervals.p_value)
    assert intervals.miscalibration[0] == 0
    assert intervals.discrimination[0] > 0


def test_of_a_series_the_test_is_by_dependent_draws() -> None:
    rng = np.random.default_rng(4)
    p = np.repeat(rng.random(30), 10)
    cases = properly.Cases(rng.random(300) < p**3, p, time=np.arange(300))
    found = intervals_of(cases, replicates=1000)
    test = properly.calibration_test(cases, Brier(), statistic="mcb", replicates=1000, rng=1)
    assert found.p_value == test.p_value < 0.05
    assert found.miscalibration[0] > 0
    assert found.miscalibration_if_calibrated == test.mean_if_calibrated


def test_where_dependence_is_too_long_no_test_takes_part() -> None:
    y, p = np.repeat([0, 1, 0, 1, 1, 0], 50), np.tile([0.4, 0.5, 0.6], 100)
    with pytest.warns(DataWarning, match="dependence is too long for this series"):
        found = intervals_of(properly.Cases(y, p, time=np.arange(300)))
    assert math.isnan(found.p_value)
    assert found.miscalibration[0] == 0


# Very many forecasts, in cells


@pytest.fixture
def small_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("CELLS", 60), ("ENDS", 8)):
        monkeypatch.setattr(_cells, name, size)
    monkeypatch.setattr(_components, "MANY", 300)
    monkeypatch.setattr(_components, "NARROW", (150, 20))


@pytest.mark.usefixtures("small_cells")
@pytest.mark.parametrize("rule", [Brier(), Log()], ids=repr)
def test_a_certain_forecast_that_was_wrong_among_very_many(rule: Any) -> None:
    rng = np.random.default_rng(31)
    p = np.append(rng.random(900), [0.0, 1.0])
    y = np.append(rng.random(900) < p[:-2], [True, False])
    parts = properly.decompose(properly.tally(y, p), rule, interval=True, replicates=19, rng=1)
    intervals = parts.intervals
    assert intervals is not None
    is_finite = isinstance(rule, Brier)
    assert math.isfinite(parts.score) == is_finite
    assert math.isfinite(intervals.corrected_miscalibration) == is_finite
    assert math.isfinite(intervals.miscalibration_if_calibrated)
    assert all(map(math.isfinite, intervals.discrimination))


@pytest.mark.parametrize("design", ["counts", "weights", "clusters"])
def test_very_many_forecasts_have_about_the_intervals_of_all_of_them(
    design: str, request: pytest.FixtureRequest
) -> None:
    rng = np.random.default_rng(32)
    p = rng.random(1200)
    designs: dict[str, dict[str, Any]] = {
        "counts": {},
        "weights": {"weight": rng.gamma(4, size=1200)},
        "clusters": {"clusters": np.arange(1200) // 4},
    }
    options = designs[design]
    cases = properly.Cases(rng.random(1200) < p**1.3, p, **options)
    exact = properly.decompose(cases, Brier(), interval=True, replicates=400, rng=1)
    request.getfixturevalue("small_cells")
    parts = properly.decompose(cases, Brier(), interval=True, replicates=400, rng=2)
    assert parts.score == exact.score
    assert parts.miscalibration == exact.miscalibration
    one, other = parts.intervals, exact.intervals
    assert one is not None
    assert other is not None
    assert one.score == pytest.approx(other.score, rel=1e-12)
    assert one.uncertainty == pytest.approx(other.uncertainty, rel=1e-9)
    width = other.miscalibration[1] - other.miscalibration[0]
    assert one.miscalibration == pytest.approx(other.miscalibration, abs=0.1 * width)
    width = other.discrimination[1] - other.discrimination[0]
    assert one.discrimination == pytest.approx(other.discrimination, abs=0.1 * width)
    mean = other.miscalibration_if_calibrated
    assert one.miscalibration_if_calibrated == pytest.approx(mean, rel=0.1)
