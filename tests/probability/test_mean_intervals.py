"""Intervals of the averages, and the outcomes drawn again behind them."""

from __future__ import annotations

import math
import warnings
from dataclasses import astuple, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from reproductions.means.coupled import nelson
from scipy.stats import t as student
from tests.score_oracles import corrected

import properly
from properly import Cases, Tally, probability, tally
from properly.errors import DataWarning
from properly.probability import _mean_intervals
from properly.probability._mean_intervals import (
    ClassSimulation,
    TruthSimulation,
    largest_share,
    simulation_of,
)
from properly.probability._power_means import ThreeMeans

if TYPE_CHECKING:
    from properly import Tally
    from properly.probability import Means
    from properly.probability._mean_intervals import MeansIntervals


POWERS = {"decisiveness": 1.0, "mean_probability": 0.0, "robustness": -2 / 3}
N = 120
RNG = np.random.default_rng(20170619)
P = np.round(RNG.uniform(0.1, 0.9, N), 2)
Y = RNG.random(N) < P
TABLE = RNG.dirichlet(np.full(3, 2.0), N)
HAPPENED = np.array([RNG.choice(3, p=row) for row in TABLE])
FRACTIONS, COUNTS = RNG.gamma(2, size=N), RNG.integers(0, 4, N)
CLUSTERS, TIME = RNG.integers(0, 17, N), np.arange(N)
FEW: dict[str, Any] = {"interval": True, "replicates": 20, "rng": 1}

DESIGNS: dict[str, dict[str, Any]] = {
    "independent": {},
    "counted": {"count": COUNTS},
    "whole": {"weight": COUNTS},
    "weighted": {"weight": FRACTIONS},
    "weighted, counted": {"weight": FRACTIONS, "count": COUNTS},
    "clustered": {"clusters": CLUSTERS},
    "clustered, counted": {"clusters": CLUSTERS, "count": COUNTS},
    "clustered, whole": {"clusters": CLUSTERS, "weight": COUNTS},
    "clustered, weighted": {"clusters": CLUSTERS, "weight": FRACTIONS},
}
every_design = pytest.mark.parametrize("design", DESIGNS)


def losses_from(
    truth: str, simulation: TruthSimulation, replicates: int, source: np.random.Generator
) -> np.ndarray[Any, Any]:
    """Draw outcomes as the model says, "p", or as the source does, "fitted"."""
    return simulation.losses(getattr(simulation, truth), replicates, source)


def intervals(cases: Tally | Cases, **options: Any) -> MeansIntervals:
    with warnings.catch_warnings():
        # In few cases one alone may make up much of the robustness.
        warnings.simplefilter("ignore", DataWarning)
        found = properly.means(cases, **(FEW | options)).intervals
    assert found is not None
    return found


def given_to_what_happened(classes: bool) -> Any:
    return TABLE[np.arange(N), HAPPENED] if classes else np.where(Y, P, 1 - P)


def cases_of(classes: bool, known: dict[str, Any]) -> Cases:
    return Cases(HAPPENED, TABLE, **known) if classes else Cases(Y, P, **known)


def log_error(f: Any, weight: Any, clusters: Any) -> tuple[float, float]:
    """Return the standard error of a weighted mean by its influences, and degrees of freedom."""
    influence = weight * (f - np.average(f, weights=weight)) / weight.sum()
    units, size = influence, np.ones(len(influence))
    if clusters is not None:
        units, size = (
            np.array([x[clusters == g].sum() for g in np.unique(clusters)])
            for x in (influence, weight)
        )
    factor, degrees = corrected(size)
    return math.sqrt(float((factor * units**2).sum())), degrees


def errors_by_hand(t: Any, known: dict[str, Any]) -> dict[str, tuple[float, float, float]]:
    """Return each mean, the standard error of its logarithm, and degrees of freedom."""
    weight, clusters = known.get("weight", np.ones(len(t))), known.get("clusters")
    row = np.repeat(np.arange(len(t)), known.get("count", 1))
    row = row[weight[row] > 0]
    t, weight = t[row], weight[row]
    clusters = None if clusters is None else clusters[row]
    found = {}
    for name, power in POWERS.items():
        f = np.log(t) if power == 0 else t**power
        error, degrees = log_error(f, weight, clusters)
        mean = np.average(f, weights=weight)
        size = 1.0 if power == 0 else abs(power) * mean
        average = math.exp(mean) if power == 0 else mean ** (1 / power)
        found[name] = (average, error / size, degrees)
    return found


# Three means


@pytest.mark.slow
@pytest.mark.parametrize("classes", [False, True], ids=["event", "classes"])
@every_design
def test_standard_errors_are_those_of_the_influences(design: str, classes: bool) -> None:
    known = DESIGNS[design]
    cases = cases_of(classes, known)
    found, means = intervals(cases, level=0.9), properly.means(cases)
    for name, (mean, error, degrees) in errors_by_hand(
        given_to_what_happened(classes), known
    ).items():
        assert getattr(means, name) == pytest.approx(mean, rel=1e-12)
        assert getattr(found.standard_errors, name) == pytest.approx(mean * error, rel=1e-10)
        half = float(student.ppf(0.95, degrees)) * error
        ends = mean * math.exp(-half), min(1.0, mean * math.exp(half))
        assert getattr(found, name) == pytest.approx(ends, rel=1e-10)


def test_times_have_the_spread_of_their_first_cosines() -> None:
    t = np.where(Y, P, 1 - P)
    influence = (np.log(t) - np.log(t).mean()) / N
    degrees = math.floor(0.4 * N ** (2 / 3))
    waves = [
        math.sqrt(2 / N) * (influence * np.cos(math.pi * j * (np.arange(N) + 0.5) / N)).sum()
        for j in range(1, degrees + 1)
    ]
    error = math.sqrt(N / degrees * sum(wave**2 for wave in waves))
    found, mean_probability = intervals(Cases(Y, P, time=TIME)), math.exp(np.log(t).mean())
    assert found.standard_errors.mean_probability == pytest.approx(
        mean_probability * error, rel=1e-10
    )
    half = float(student.ppf(0.975, degrees)) * error
    assert found.mean_probability[0] == pytest.approx(mean_probability * math.exp(-half), rel=1e-10)


def test_a_tally_has_the_intervals_of_its_cases() -> None:
    cases = Cases(Y, P, count=COUNTS)
    # The rows of a tally lie elsewhere in memory, so that sums may be rounded in another order.
    one, two = (np.hstack(astuple(intervals(x))) for x in (cases.tally(), cases))
    np.testing.assert_allclose(one.astype(float), two.astype(float), rtol=1e-12)
    for weight in (FRACTIONS, COUNTS):
        weighted = Cases(Y, P, weight=weight)
        assert intervals(weighted.tally(), source="hist").mean_probability == pytest.approx(
            intervals(weighted, source="hist").mean_probability, rel=0.01
        )


def test_intervals_are_of_the_limited_forecasts() -> None:
    moved = np.clip(P, 0.25, 0.75)
    found, expected = intervals(Cases(Y, P), precision=0.25), intervals(Cases(Y, moved))
    assert found == expected
    assert found.mean_probability != intervals(Cases(Y, P)).mean_probability


def test_no_interval_reaches_beyond_one() -> None:
    found = intervals(tally([1, 1, 0], [0.9, 0.99, 0.3]))
    assert found.decisiveness[1] == found.mean_probability[1] == found.robustness[1] == 1
    assert found.decisiveness[0] < 0.9


# The divergence


# How many draws there are, and how many of them are for the bias.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("classes", "replicates", "for_bias"),
    [
        (False, 1, 1),
        (False, 30, 30),
        (False, 250, 200),
        (False, 1010, 202),
        (True, 1, 1),
        (True, 30, 30),
        (True, 205, 200),
    ],
)
def test_what_is_said_of_the_divergence_follows_from_the_draws(
    classes: bool, replicates: int, for_bias: int
) -> None:
    cases = (
        Cases(HAPPENED[:20], TABLE[:20]) if classes else Cases(Y[:20], P[:20], count=COUNTS[:20])
    )
    found = intervals(cases, replicates=replicates, rng=7, level=0.9)
    divergence = properly.means(cases).divergence
    source = np.random.default_rng(7)
    drawn = losses_from("p", simulation_of(cases), replicates, source)
    fitting = losses_from("fitted", simulation_of(cases), for_bias, source)
    tested = drawn
    if replicates < 1000 and not (np.exp(-drawn) <= divergence * (1 + 1e-12)).any():
        more = losses_from("p", simulation_of(cases), 1000 - replicates, source)
        tested = np.append(drawn, more)
    reached = int((np.exp(-tested) <= divergence * (1 + 1e-12)).sum())
    assert found.p_value == pytest.approx((1 + reached) / (1 + len(tested)), rel=1e-15)
    assert found.p_is_bound == (reached == 0)
    assert found.divergence_if_calibrated == pytest.approx(np.exp(-drawn).mean(), rel=1e-12)
    corrected = divergence * math.exp(fitting.mean())
    assert found.corrected_divergence == pytest.approx(corrected, rel=1e-12)
    assert found.replicates == len(tested)
    if replicates == 1:
        assert np.isnan(found.divergence).all()
        return
    degrees = (20 if classes else int(COUNTS[:20].sum())) - 1
    scale = math.hypot(found.log_divergence_error, fitting.std(ddof=1))
    half = float(student.ppf(0.95, degrees)) * scale
    biases = fitting.mean(), drawn.mean()
    ends = [divergence * math.exp(x) for x in (min(biases) - half, max(biases) + half)]
    assert found.divergence == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize("classes", [False, True], ids=["event", "classes"])
def test_the_error_of_the_divergence_is_that_of_paired_logarithms(classes: bool) -> None:
    cases = cases_of(classes, {})
    t = given_to_what_happened(classes)
    if classes:
        columns = [properly.reliability(x) for x in properly.one_vs_rest(cases).values()]
        fitted = np.stack(
            [r.recalibrated[np.searchsorted(r.value, TABLE[:, k])] for k, r in enumerate(columns)],
            axis=1,
        )
        p = fitted[np.arange(N), HAPPENED]
    else:
        curve = properly.reliability(cases)
        p = curve.recalibrated[np.searchsorted(curve.value, P)]
        p = np.where(Y, p, 1 - p)
    error = np.log(t / p).std(ddof=1) / math.sqrt(N)
    assert intervals(cases).log_divergence_error == pytest.approx(error, rel=1e-10)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_numbers() -> None:
    for cases in (Cases(Y, P), Cases(HAPPENED, TABLE)):
        first = intervals(cases, rng=3)
        assert intervals(cases, rng=3) == first
        assert intervals(cases, rng=np.random.default_rng(3)) == first
        other = intervals(cases, rng=4)
        assert other.corrected_divergence != first.corrected_divergence
        # What needs no draws is the same.
        assert other.mean_probability == first.mean_probability
        assert intervals(cases, rng=None).standard_errors == first.standard_errors


@pytest.mark.parametrize(
    "known",
    [{"clusters": CLUSTERS}, {"time": TIME}, {"clusters": CLUSTERS, "time": TIME}],
    ids=["clusters", "time", "panel"],
)
@pytest.mark.parametrize("classes", [False, True], ids=["event", "classes"])
def test_dependent_cases_have_no_test_of_calibration(classes: bool, known: dict[str, Any]) -> None:
    found = intervals(cases_of(classes, known))
    plain = intervals(cases_of(classes, {}))
    assert math.isnan(found.p_value)
    assert not math.isnan(plain.p_value)
    assert len(plain.remarks()) == 2
    # The spread is that of the design, whether or not outcomes can be drawn.
    assert found.log_divergence_error > 0
    assert found.log_divergence_error != plain.log_divergence_error
    if "time" not in known and not classes:
        low, high = found.divergence
        assert low < found.corrected_divergence < high
        assert 0 < found.divergence_if_calibrated < 1
        assert len(found.remarks()) == 1
    else:
        unknown = (found.corrected_divergence, found.divergence_if_calibrated)
        assert np.isnan([*found.divergence, *unknown]).all()
        assert found.remarks() == []


@pytest.mark.parametrize(
    "source",
    [probability.IsotonicSource(pooled=True), "hist", "equal_width", "neighbours", "kernel"],
    ids=str,
)
@pytest.mark.parametrize("classes", [False, True], ids=["event", "classes"])
def test_other_sources_have_intervals_of_the_model_only(source: Any, classes: bool) -> None:
    cases = cases_of(classes, {})
    found, isotonic = intervals(cases, source=source), intervals(cases)
    for name in POWERS:
        assert getattr(found, name) == pytest.approx(getattr(isotonic, name), rel=1e-13)
        one, two = (getattr(x.standard_errors, name) for x in (found, isotonic))
        assert one == pytest.approx(two, rel=1e-13)
    assert found.largest_share == pytest.approx(isotonic.largest_share, rel=1e-13)
    assert found.replicates == 20
    unknown = (found.corrected_divergence, found.log_divergence_error, found.p_value)
    assert np.isnan([*found.divergence, *unknown, found.divergence_if_calibrated]).all()
    assert found.remarks() == []


# Bias


def calibrated_event(seed: int) -> Cases:
    drawn = nelson(100, precision=None, rng=seed)
    return Cases(drawn.y, drawn.p)


def calibrated_classes(seed: int) -> Cases:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(3), 80)
    return Cases([rng.choice(3, p=row) for row in p], p)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "runs"), [(calibrated_event, 25), (calibrated_classes, 15)], ids=["event", "classes"]
)
def test_the_corrected_divergence_of_calibrated_forecasts_is_nearer_to_one(
    draw: Any, runs: int
) -> None:
    raw, corrected, expected = [], [], []
    for seed in range(runs):
        cases = draw(seed)
        found = intervals(cases, replicates=40, rng=seed)
        raw.append(properly.means(cases).divergence)
        corrected.append(found.corrected_divergence)
        expected.append(found.divergence_if_calibrated)
        assert found.corrected_divergence > raw[-1]
    bias, rest = 1 - np.mean(raw), abs(1 - np.mean(corrected))
    assert bias > 0.05
    assert rest < bias / 2
    # It is shown uncapped.
    assert max(corrected) > 1
    # What calibration would lead one to expect is what was found.
    error = float(np.std(raw, ddof=1)) / math.sqrt(runs)
    assert np.mean(expected) == pytest.approx(np.mean(raw), abs=4 * error)


def clustered_event(seed: int) -> dict[str, Any]:
    """Draw calibrated forecasts that clusters share, with outcomes that nearly all agree."""
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(50), 20)
    p = rng.uniform(0.05, 0.95, 50)[clusters]
    own, shared = rng.random(1000), rng.random(50)[clusters]
    y = np.where(rng.random(1000) < 0.9, shared, own) < p
    return {"y": y, "p": p, "clusters": clusters}


def test_the_bias_of_clusters_is_that_of_as_many_cases_as_they_are_worth() -> None:
    corrected, inside, alone = [], [], []
    for seed in range(15):
        data = clustered_event(seed)
        found = intervals(Cases(**data), replicates=60, rng=seed)
        corrected.append(found.corrected_divergence)
        inside.append(found.divergence[0] <= 1 <= found.divergence[1])
        if seed < 3:
            alone.append(intervals(Cases(data["y"], data["p"]), replicates=60, rng=seed))
    assert abs(1 - np.mean(corrected)) < 0.03
    assert sum(inside) >= 13
    # Taken as independent, a thousand cases leave next to no bias, and calibration seems refuted.
    assert all(found.corrected_divergence < 0.95 for found in alone)
    assert all(found.divergence[1] < 1 for found in alone)


# What cannot be said


@pytest.mark.parametrize(
    "cases",
    [
        tally([1, 0, 1], [0.0, 0.25, 0.75]),
        Cases([1, 0, 1], [0.0, 0.25, 0.75]),
        Cases([2, 0, 1], [[0.5, 0.5, 0.0], [0.75, 0.25, 0.0], [0.25, 0.75, 0.0]]),
        Cases([1, 0, 1], [0.0, 0.25, 0.75], clusters=[1, 2, 3]),
    ],
    ids=repr,
)
def test_an_accuracy_of_zero_has_no_upper_end(cases: Any) -> None:
    found = intervals(cases)
    for pair in (found.mean_probability, found.robustness, found.divergence):
        assert pair[0] == 0
        assert math.isnan(pair[1])
    assert found.corrected_divergence == 0
    assert math.isnan(found.log_divergence_error)
    assert math.isnan(found.standard_errors.mean_probability)
    assert math.isnan(found.standard_errors.robustness)
    # 0, 3/4 and 3/4: their mean is 1/2, with a standard error of 1/4.
    assert found.standard_errors.decisiveness == pytest.approx(0.25, rel=1e-12)
    assert found.largest_share == 1
    assert 0 < found.divergence_if_calibrated < 1
    if isinstance(cases, Cases) and cases.clusters is not None:
        assert math.isnan(found.p_value)
    else:
        assert (found.p_value, found.p_is_bound) == (1 / 1001, True)


def test_one_case_says_nothing_of_its_spread() -> None:
    for cases in (tally([1], [0.25]), Cases([0], [[0.25, 0.5, 0.25]])):
        found = intervals(cases)
        assert np.isnan([*found.decisiveness, *found.mean_probability, *found.robustness]).all()
        assert np.isnan(list(vars(found.standard_errors).values())).all()
        assert np.isnan(found.divergence).all()
        assert found.corrected_divergence == pytest.approx(0.25, rel=1e-15)
        assert found.largest_share == 1


def test_forecasts_that_are_certain_and_right_do_not_vary() -> None:
    found = intervals(tally([0, 1, 0], [0, 1, 0]))
    assert found.standard_errors == ThreeMeans(0, 0, 0)
    assert np.isnan([*found.decisiveness, *found.mean_probability, *found.robustness]).all()
    assert found.divergence == (1, 1)
    assert (found.corrected_divergence, found.p_value) == (1, 1)


# What is said in words


def test_one_case_that_rules_the_robustness_is_pointed_out() -> None:
    y, p = np.ones(50), np.append(np.full(49, 0.5), 1e-3)
    share = 100 / (100 + 49 * 0.5 ** (-2 / 3))
    with pytest.warns(DataWarning, match=f"one case alone makes up {share:.0%} of the sum behind"):
        found = properly.means(tally(y, p), **FEW).intervals
    assert found is not None
    assert found.largest_share == pytest.approx(share, rel=1e-12)
    # Nothing is said where it is a tenth or less, or none, or where no interval was asked for.
    assert properly.means(tally([1, 0], [0.0, 0.5]), **FEW).intervals is not None
    assert properly.means(tally(Y, P), **FEW).intervals is not None
    assert properly.means(tally(y, p)).intervals is None


def test_remarks_say_what_the_numbers_are() -> None:
    found = replace(
        intervals(Cases(Y, P)),
        divergence=(0.91, 1.04),
        corrected_divergence=0.97125,
        p_value=0.0321,
        level=0.9,
    )
    assert found.remarks() == [
        "divergence less its bias: 0.9712 (90% interval 0.9100 to 1.0400)",
        "test of calibration: p = 0.032",
    ]
    assert replace(found, p_value=math.nan).remarks() == found.remarks()[:1]
    (first, _) = replace(found, level=0.999).remarks()
    assert first == "divergence less its bias: 0.9712 (99.9% interval 0.9100 to 1.0400)"
    assert replace(found, corrected_divergence=math.nan).remarks() == []


def test_means_print_their_intervals() -> None:
    t = tally([0, 1] * 20, [0.25, 0.75] * 20)
    found: Means = properly.means(t, **FEW)
    lines = str(found).split("\n")
    assert lines[0].split() == ["model", "95%", "interval", "source", "ratio"]
    # Equal probabilities say nothing about their spread.
    assert lines[1].split() == ["decisiveness", "0.7500", "-", "1.0000", "0.7500"]
    assert lines[-2].startswith("divergence less its bias: 0.7500 (95% interval ")
    assert lines[-1] == "test of calibration: p <= 0.001"
    averages: ThreeMeans = found.model
    assert (averages.decisiveness, averages.mean_probability) == pytest.approx(
        (0.75, 0.75), rel=1e-15
    )


CLOSE: dict[str, Any] = {"rel": 1e-12, "abs": 1e-13}
DRAWS = 500


def as_classes(y: Any, p: Any, **known: Any) -> Cases:
    """Write an event as two classes, which makes it another kind of simulation."""
    q = np.asarray(p)
    return Cases(y, np.stack([1 - q, q], axis=1), **known)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def assert_distribution(drawn: Any, losses: dict[float, float]) -> None:
    """Compare with the probability of each loss; frequencies within four standard errors."""
    values = np.array(sorted(losses))
    nearest = np.abs(drawn[:, None] - values).argmin(axis=1)
    assert drawn == pytest.approx(values[nearest], **CLOSE)
    for k, value in enumerate(values):
        share = losses[value]
        error = math.sqrt(share * (1 - share) / len(drawn))
        assert (nearest == k).mean() == pytest.approx(share, abs=4 * error + 1e-12)


EVENTS = [Cases([0, 1], [0.3, 0.3]), tally([0, 1], [0.3, 0.3]), as_classes([0, 1], [0.3, 0.3])]
WEIGHED = [make([0], [0.3], weight=[weight]) for make in (Cases, as_classes) for weight in (2.5, 3)]


@pytest.mark.parametrize("cases", EVENTS, ids=repr)
def test_losses_if_two_cases_are_calibrated(cases: Any) -> None:
    # With k events the source is k / 2, and the loss what 0.3 costs beyond that.
    q = 0.3
    losses = {
        -math.log(1 - q): (1 - q) ** 2,
        -math.log(q * (1 - q)) / 2 - math.log(2): 2 * q * (1 - q),
        -math.log(q): q**2,
    }
    assert_distribution(losses_from("p", simulation_of(cases), DRAWS, rng()), losses)


@pytest.mark.parametrize("cases", EVENTS, ids=repr)
def test_what_two_cases_gain_by_being_fitted_anew(cases: Any) -> None:
    # The source says 1/2; a new fit is certain half of the time, and says the same otherwise.
    assert_distribution(
        losses_from("fitted", simulation_of(cases), DRAWS, rng()), {0.0: 0.5, math.log(2): 0.5}
    )


@pytest.mark.parametrize("cases", WEIGHED, ids=repr)
def test_a_row_is_one_case_whatever_it_weighs(cases: Any) -> None:
    losses = {-math.log(0.7): 0.7, -math.log(0.3): 0.3}
    assert_distribution(losses_from("p", simulation_of(cases), DRAWS, rng()), losses)


@pytest.mark.parametrize("make", [Cases, tally, as_classes])
def test_a_count_is_as_many_cases(make: Any) -> None:
    q, losses = 0.3, {}
    for k in range(5):
        score = -(k * math.log(q) + (4 - k) * math.log(1 - q)) / 4
        entropy = -sum(x * math.log(x) for x in (k / 4, 1 - k / 4) if x)
        losses[score - entropy] = math.comb(4, k) * q**k * (1 - q) ** (4 - k)
    simulation = simulation_of(make([0, 1], [q, q], count=[3, 1]))
    assert_distribution(losses_from("p", simulation, DRAWS, rng()), losses)


def test_three_classes_are_drawn_as_forecast() -> None:
    # One case: the source is certain of what happened, whatever that was.
    p = [0.5, 0.375, 0.125]
    simulation = simulation_of(Cases([1], [p]))
    assert_distribution(losses_from("p", simulation, DRAWS, rng()), {-math.log(x): x for x in p})


def test_classes_are_drawn_from_fits_that_were_divided_by_their_sums() -> None:
    p = np.array([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25], [0.25, 0.25, 0.5]])
    simulation = simulation_of(Cases([0, 1, 2], p))
    assert isinstance(simulation, ClassSimulation)
    fitted = np.array([[1 / 2, 1 / 3, 0], [1 / 2, 1 / 3, 0], [0, 1 / 3, 1]])
    np.testing.assert_allclose(simulation.fitted, fitted, rtol=1e-15)
    truth = fitted / fitted.sum(axis=1, keepdims=True)
    # Fitted by itself to what is expected, the second class has 0.35 in all rows, instead of 0.4,
    # 0.4 and 0.25; the others have what the truth has. That is no gain by fitting.
    from_start = (1.05 * math.log(0.35) - 0.8 * math.log(0.4) - 0.25 * math.log(0.25)) / 3
    losses: dict[float, float] = {}
    for y in product(range(3), repeat=3):
        given = truth[np.arange(3), list(y)]
        if given.all():
            source = properly.means(Cases(y, p)).source.mean_probability
            loss = round(math.log(source) - float(np.log(given).mean()) - from_start, 14)
            losses[loss] = losses.get(loss, 0.0) + float(given.prod())
    assert sum(losses.values()) == pytest.approx(1, rel=1e-12)
    assert_distribution(losses_from("fitted", simulation, DRAWS, rng()), losses)


THREE = [[0.5, 0.25, 0.25]] * 2
CAN_DRAW: list[tuple[Any, bool]] = [
    (tally([0, 1], [0.2, 0.4]), True),
    (Cases([0, 1], [0.2, 0.4]), True),
    (Cases([0, 1], [0.2, 0.4], clusters=[1, 2]), True),
    (Cases([0, 1], [0.2, 0.4], time=[1, 2]), False),
    (Cases([0, 1], THREE), True),
    (Cases([0, 1], THREE, clusters=[1, 2]), False),
    (Cases([0, 1], THREE, time=[1, 2]), False),
]


def test_outcomes_of_a_cluster_agree_as_they_did() -> None:
    # Both clusters agree entirely, and so do those that are drawn: none, two or four events.
    y, p = [1, 1, 0, 0], [0.5] * 4
    simulation = simulation_of(Cases(y, p, clusters=[1, 1, 2, 2]))
    losses = {0.0: 0.5, math.log(2): 0.5}
    assert_distribution(losses_from("p", simulation, DRAWS, rng()), losses)
    assert_distribution(losses_from("fitted", simulation, DRAWS, rng()), losses)
    # Alone, one and three events are as likely as two or none together.
    found = losses_from("fitted", simulation_of(Cases(y, p)), DRAWS, rng())
    one = math.log(2) - (math.log(4) + 3 * math.log(4 / 3)) / 4
    assert_distribution(found, {0.0: 3 / 8, one: 1 / 2, math.log(2): 1 / 8})


def test_whole_clusters_are_drawn() -> None:
    # Fits that are certain leave no dependence to be seen: outcomes are drawn one by one.
    clusters = {1: [0.25, 0.25], 2: [0.75]}
    p = clusters[1] + clusters[2]
    simulation = simulation_of(Cases([0, 0, 1], p, clusters=[1, 1, 2]))
    assert losses_from("fitted", simulation, 20, rng()).tolist() == [0.0] * 20
    losses: dict[float, float] = {}
    for pair in product(clusters, repeat=2):
        q = clusters[pair[0]] + clusters[pair[1]]
        for y in product([0, 1], repeat=len(q)):
            share = math.prod(x if event else 1 - x for event, x in zip(y, q, strict=True)) / 4
            loss = round(-math.log(properly.means(tally(y, q)).divergence), 13)
            losses[loss] = losses.get(loss, 0.0) + share
    assert sum(losses.values()) == pytest.approx(1, rel=1e-12)
    assert len(losses) > 8
    assert_distribution(losses_from("p", simulation, 4 * DRAWS, rng(2)), losses)


def test_no_loss_is_negative() -> None:
    source = rng(3)
    p = source.dirichlet(np.ones(3), 40)
    y = [source.choice(3, p=row) for row in p]
    for cases in (Cases(y, p), Cases(np.array(y) == 1, p[:, 1])):
        simulation = simulation_of(cases)
        assert losses_from("p", simulation, 50, rng()).min() > 0
        # Not each fit alone: those of classes need not add up to 1.
        assert losses_from("fitted", simulation, 50, rng()).mean() > 0


# Spread


def test_two_classes_have_the_spread_of_their_event() -> None:
    source = rng(4)
    p = np.round(source.uniform(0.05, 0.95, 60), 2)
    y = source.random(60) < p
    clusters, times = source.integers(0, 9, 60), np.arange(60)
    weights: list[Any] = [None, source.integers(0, 4, 60), source.gamma(2, size=60)]
    for weight in weights:
        for known in ({}, {"clusters": clusters}, {"time": times}):
            one, two = Cases(y, p, weight=weight, **known), as_classes(y, p, weight=weight, **known)
            for unit in (1.0, 0.3):
                event, classes = simulation_of(one).spread(unit), simulation_of(two).spread(unit)
                np.testing.assert_allclose(event.covariance, classes.covariance, rtol=1e-10)
                assert event.degrees == pytest.approx(classes.degrees, rel=1e-12)
                assert event.covariance.shape == (4, 4)


# The largest share


def share(t: Any, weight: Any = None) -> float:
    """Return the largest power of -2/3, times its weight, as a share of their sum."""
    power = np.asarray(t) ** (-2 / 3) * (1 if weight is None else np.asarray(weight))
    return float(power.max() / power.sum())


def largest(cases: Tally | Cases) -> float:
    return largest_share(cases)


def test_the_largest_share_is_that_of_the_worst_case() -> None:
    y, p = [0, 1, 1], [0.9, 0.9, 0.4]
    for cases in (Cases(y, p), tally(y, p), as_classes(y, p)):
        assert largest(cases) == pytest.approx(share([0.1, 0.9, 0.4]), rel=1e-12)


def test_a_count_is_shared_by_as_many_cases() -> None:
    y, p, count = [0, 1, 1], [0.9, 0.9, 0.4], [3, 1, 0]
    for make in (Cases, tally, as_classes):
        found = largest(make(y, p, count=count))
        assert found == pytest.approx(share([0.1, 0.1, 0.1, 0.9]), rel=1e-12)


@pytest.mark.parametrize("weight", [[0.5, 2.5, 1.0], [3, 1, 2]])
def test_a_weight_is_that_of_one_case(weight: Any) -> None:
    y, p = [0, 1, 1], [0.9, 0.9, 0.4]
    expected = share([0.1, 0.9, 0.4], weight)
    for make in (Cases, as_classes):
        found = largest(make(y, p, weight=weight))
        assert found == pytest.approx(expected, rel=1e-12)


def test_what_was_called_impossible_makes_up_everything() -> None:
    for cases in (Cases([1, 0], [0.0, 0.5]), as_classes([1, 0], [0.0, 0.5])):
        assert largest(cases) == 1


class Almost:
    """A stream of the greatest uniform numbers."""

    def random(self, n: int) -> Any:
        return np.full(n, np.nextafter(1, 0))


def test_rounding_draws_nothing_impossible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_mean_intervals, "fast_stream", lambda _: Almost())
    p = [[0.75, 0.25, 0.0], [0.25, 0.75, 0.0]] * 2
    simulation = simulation_of(properly.Cases([0, 1, 0, 1], p))
    rng = np.random.default_rng(1)
    assert np.isfinite(losses_from("p", simulation, 2, rng)).all()
    assert np.isfinite(losses_from("fitted", simulation, 2, rng)).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_allows_for_what_many_classes_hide_of_the_bias(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(20), 100)
    found = intervals(Cases([rng.choice(20, p=row) for row in p], p), replicates=40, rng=seed)
    # A source that fits five cases a class says too little about what fitting costs.
    assert found.corrected_divergence < 0.9
    assert found.divergence[0] < 1 < found.divergence[1]
