"""Our maps are those of other libraries, where both have them; and what goes wrong there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.special import expit, logit

import properly
from properly.recalibration import Beta, Isotonic, Logistic, Temperature, VennAbers
from properly.rules import Log

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = tuple[NDArray[np.int64], NDArray[np.float64]]

pytestmark = pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")

GRID = np.unique([*np.linspace(0.001, 0.999, 333), 0.25, 0.5])
SEEDS = [1, 2, 3]


def peer(name: str) -> Any:
    """Import another library, or skip the test and say why."""
    return pytest.importorskip(
        name, reason=f"{name} is not installed; `make test-peers` installs it"
    )


def sample(seed: int, n: int = 500) -> Rows:
    """Draw forecasts with ties, none certain, whose truth is a line in log-odds."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(0.8, 1.2, n), 3).clip(0.001, 0.999)
    y = (rng.random(n) < expit(0.4 + 0.6 * logit(p))).astype(np.int64)
    return y, p


def with_zeros(seed: int, wrong: int, n: int = 2000) -> Rows:
    """Draw calibrated forecasts, and fifty of exactly 0, some of them wrong."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.01, 0.99, n)
    y = (rng.random(n) < p).astype(np.int64)
    zeros = (np.arange(50) < wrong).astype(np.int64)
    return np.append(y, zeros), np.append(p, np.zeros(50))


def columns(p: Any) -> Any:
    return np.column_stack([1 - p, p])


def log_columns(p: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(columns(p))


def close(got: Any, expected: Any, tolerance: float) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=0, atol=tolerance)


# scikit-learn


@pytest.mark.parametrize("seed", SEEDS)
def test_the_smoothed_line_is_the_sigmoid_of_scikit_learn_on_log_odds(seed: int) -> None:
    calibration = peer("sklearn.calibration")
    y, p = sample(seed)
    theirs = calibration._SigmoidCalibration().fit(logit(p), y)
    ours = Logistic(smooth=True).fit(y, p)
    close([ours.intercept, ours.slope], [-theirs.b_, -theirs.a_], 1e-6)
    close(ours.at(GRID), theirs.predict(logit(GRID)), 1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_raw_blocks_are_those_of_scikit_learn(seed: int) -> None:
    isotonic = peer("sklearn.isotonic")
    y, p = sample(seed)
    theirs = isotonic.IsotonicRegression(out_of_bounds="clip").fit(p, y)
    ours = Isotonic(shrink=0.0, interpolation="flat").fit(y, p)
    # Ours are quotients of counts, rounded once; theirs were averaged step by step.
    np.testing.assert_array_max_ulp(np.asarray(ours.at(p)), theirs.predict(p), 4)
    rates = np.asarray(properly.reliability(y, p).bins.event_rate)
    assert set(np.asarray(ours.at(p)).tolist()) == set(rates.tolist())
    # Between blocks both draw a line, and round in another order.
    close(ours.at(GRID), theirs.predict(GRID), 1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_weighted_raw_blocks_are_those_of_scikit_learn(seed: int) -> None:
    isotonic = peer("sklearn.isotonic")
    y, p = sample(seed)
    weight = np.random.default_rng(seed).gamma(2, 1, len(y))
    theirs = isotonic.IsotonicRegression(out_of_bounds="clip").fit(p, y, sample_weight=weight)
    ours = Isotonic(shrink=0.0, interpolation="flat").fit(y, p, weight=weight)
    close(ours.at(p), theirs.predict(p), 1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_plain_temperature_is_that_of_scikit_learn(seed: int) -> None:
    calibration = peer("sklearn.calibration")
    y, p = sample(seed)
    theirs = calibration._TemperatureScaling().fit(log_columns(p), y)
    assert Temperature(smooth=False).fit(y, p).slope == pytest.approx(theirs.beta_, abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_temperature_of_classes_is_that_of_scikit_learn(seed: int) -> None:
    calibration = peer("sklearn.calibration")
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(4), 400)
    y = (rng.random(400)[:, None] > P.cumsum(axis=1)).sum(axis=1).clip(0, 3)
    theirs = calibration._TemperatureScaling().fit(np.log(P), y)
    ours = Temperature(prior=None).fit(properly.Cases(y, P))
    assert ours.slope == pytest.approx(theirs.beta_, abs=1e-6)


# betacal and venn-abers


def beta_fits(seed: int) -> tuple[Any, Any, Rows]:
    betacal = peer("betacal")
    y, p = sample(seed)
    theirs = betacal.BetaCalibration("abm").fit(p, y)
    ours: Any = Beta(smooth=False).fit(y, p)
    # It drops a coefficient that is negative.
    assert min(ours.a, ours.b) > 0
    return theirs, ours, (y, p)


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_plain_beta_maps_are_those_of_betacal(seed: int) -> None:
    theirs, ours, _ = beta_fits(seed)
    close(ours.at(GRID), theirs.predict(GRID), 1e-4)


@pytest.mark.parametrize("seed", range(1, 13))
def test_plain_beta_maps_are_at_least_as_likely_as_those_of_betacal(seed: int) -> None:
    # Its search ends early: for three of these samples, more than 1e-4 away.
    theirs, ours, (y, p) = beta_fits(seed)
    assert Log()(y, ours.at(p)) <= Log()(y, theirs.predict(p)) + 1e-15
    close(ours.at(GRID), theirs.predict(GRID), 1e-3)


@pytest.mark.parametrize("seed", SEEDS)
def test_venn_abers_pairs_and_merged_values_are_those_of_venn_abers(seed: int) -> None:
    venn_abers = peer("venn_abers")
    y, p = sample(seed)
    package = venn_abers.VennAbers()
    package.fit(columns(p), y)
    x = np.unique(np.concatenate([p, GRID, [0.0, 1.0]]))
    merged, pairs = package.predict_proba(columns(x))
    ours = VennAbers().fit(y, p)
    close(np.column_stack(ours.pair_at(x)), pairs, 1e-15)
    close(ours.at(x), merged[:, 1], 1e-15)


# What goes wrong there, and not here


@pytest.mark.parametrize("seed", SEEDS)
def test_a_sigmoid_of_probabilities_is_another_curve(seed: int) -> None:
    # What scikit-learn fits to a classifier without a decision function.
    calibration = peer("sklearn.calibration")
    y, p = sample(seed, 5000)
    truth = expit(0.4 + 0.6 * logit(GRID))
    theirs = calibration._SigmoidCalibration().fit(p, y).predict(GRID)
    assert np.abs(theirs - truth).max() > 0.1
    assert np.abs(np.asarray(Logistic().fit(y, p).at(GRID)) - truth).max() < 0.05


@pytest.mark.parametrize("seed", SEEDS)
def test_isotonic_values_of_scikit_learn_are_certain_and_ours_are_not(seed: int) -> None:
    isotonic = peer("sklearn.isotonic")
    y, p = sample(seed)
    theirs = isotonic.IsotonicRegression(out_of_bounds="clip").fit(p, y).predict(p)
    assert np.isin(theirs, [0.0, 1.0]).any()
    for kind in (Isotonic(), VennAbers()):
        assert not np.isin(np.asarray(kind.fit(y, p).at(p)), [0.0, 1.0]).any()


@pytest.mark.parametrize("seed", SEEDS)
def test_wrong_zeros_pull_the_temperature_of_scikit_learn_and_not_ours(seed: int) -> None:
    calibration = peer("sklearn.calibration")
    y, p = with_zeros(seed, wrong=5)
    theirs = calibration._TemperatureScaling().fit(columns(p), y).beta_
    assert theirs < 0.85
    assert Temperature(smooth=False).fit(y, p).slope == pytest.approx(1, abs=0.12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("wrong", [1, 3])
def test_wrong_zeros_pull_the_curve_of_betacal_and_not_ours(seed: int, wrong: int) -> None:
    betacal = peer("betacal")
    y, p = with_zeros(seed, wrong, 500)
    without = p > 0
    alone = Beta(smooth=False).fit(y[without], p[without])
    theirs = betacal.BetaCalibration("abm")
    moved = theirs.fit(p, y).predict(GRID) - theirs.fit(p[without], y[without]).predict(GRID)
    assert np.abs(moved).max() > 0.02
    # Below the lowest forecast seen, what forecasts of 0 became is a floor.
    x = GRID[(p[without].min() <= GRID) & (p.max() >= GRID)]
    np.testing.assert_array_equal(Beta(smooth=False).fit(y, p).at(x), alone.at(x))


@pytest.mark.parametrize("seed", SEEDS)
def test_reversed_forecasts_have_a_decreasing_map_there_and_a_constant_one_here(seed: int) -> None:
    betacal = peer("betacal")
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.02, 0.98, 300)
    y = (rng.random(300) < 1 - p).astype(np.int64)
    theirs = betacal.BetaCalibration("abm").fit(p, y)
    assert min(theirs.calibrator_.map_[:2]) < 0
    assert (np.diff(theirs.predict(GRID)) < 0).all()
    ours = Beta().fit(y, p)
    assert (ours.a, ours.b) == (0, 0)
    assert len(set(np.asarray(ours.at(GRID)).tolist())) == 1


def test_venn_abers_rounds_forecasts_on_request_and_we_round_none() -> None:
    venn_abers = peer("venn_abers")
    y, p = sample(1)
    rounded, exact = venn_abers.VennAbers(), venn_abers.VennAbers()
    rounded.fit(columns(p), y, precision=1)
    exact.fit(columns(p), y)
    moved = rounded.predict_proba(columns(p))[0] - exact.predict_proba(columns(p))[0]
    assert np.abs(moved).max() > 0.05
    # Forecasts that differ in the last digit are two.
    close_by = properly.Tally.from_counts([0.3, np.nextafter(0.3, 1)], [50, 50], [10, 40])
    p0, _ = VennAbers().fit(close_by).pair_at(np.asarray(close_by.value))
    assert p0[0] < 0.25
    assert p0[1] > 0.75


def test_counts_are_repeated_rows_here() -> None:
    y, p = sample(1)
    weight = np.where(y == 1, 3, 1)
    plain, weighted = VennAbers().fit(y, p), VennAbers().fit(y, p, count=weight)
    assert (np.asarray(weighted.at(GRID)) > np.asarray(plain.at(GRID))).any()
    again = VennAbers().fit(np.repeat(y, weight), np.repeat(p, weight))
    np.testing.assert_array_equal(weighted.at(GRID), again.at(GRID))
