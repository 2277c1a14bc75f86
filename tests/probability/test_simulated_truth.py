"""Outcomes drawn again where the truth is known, against all that can happen in small worlds."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import properly
from properly import Cases, Tally, tally
from properly.probability import _mean_intervals
from properly.probability._mean_intervals import ClassSimulation, largest_share, simulation_of

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
    assert_distribution(simulation_of(cases).losses_if_calibrated(DRAWS, rng()), losses)


@pytest.mark.parametrize("cases", EVENTS, ids=repr)
def test_what_two_cases_gain_by_being_fitted_anew(cases: Any) -> None:
    # The source says 1/2; a new fit is certain half of the time, and says the same otherwise.
    assert_distribution(
        simulation_of(cases).losses_by_fitting(DRAWS, rng()), {0.0: 0.5, math.log(2): 0.5}
    )


@pytest.mark.parametrize("cases", WEIGHED, ids=repr)
def test_a_row_is_one_case_whatever_it_weighs(cases: Any) -> None:
    losses = {-math.log(0.7): 0.7, -math.log(0.3): 0.3}
    assert_distribution(simulation_of(cases).losses_if_calibrated(DRAWS, rng()), losses)


@pytest.mark.parametrize("make", [Cases, tally, as_classes])
def test_a_count_is_as_many_cases(make: Any) -> None:
    q, losses = 0.3, {}
    for k in range(5):
        score = -(k * math.log(q) + (4 - k) * math.log(1 - q)) / 4
        entropy = -sum(x * math.log(x) for x in (k / 4, 1 - k / 4) if x)
        losses[score - entropy] = math.comb(4, k) * q**k * (1 - q) ** (4 - k)
    simulation = simulation_of(make([0, 1], [q, q], count=[3, 1]))
    assert_distribution(simulation.losses_if_calibrated(DRAWS, rng()), losses)


def test_three_classes_are_drawn_as_forecast() -> None:
    # One case: the source is certain of what happened, whatever that was.
    p = [0.5, 0.375, 0.125]
    simulation = simulation_of(Cases([1], [p]))
    assert_distribution(simulation.losses_if_calibrated(DRAWS, rng()), {-math.log(x): x for x in p})


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
    assert_distribution(simulation.losses_by_fitting(DRAWS, rng()), losses)


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
    assert_distribution(simulation.losses_if_calibrated(DRAWS, rng()), losses)
    assert_distribution(simulation.losses_by_fitting(DRAWS, rng()), losses)
    # Alone, one and three events are as likely as two or none together.
    found = simulation_of(Cases(y, p)).losses_by_fitting(DRAWS, rng())
    one = math.log(2) - (math.log(4) + 3 * math.log(4 / 3)) / 4
    assert_distribution(found, {0.0: 3 / 8, one: 1 / 2, math.log(2): 1 / 8})


def test_whole_clusters_are_drawn() -> None:
    # Fits that are certain leave no dependence to be seen: outcomes are drawn one by one.
    clusters = {1: [0.25, 0.25], 2: [0.75]}
    p = clusters[1] + clusters[2]
    simulation = simulation_of(Cases([0, 0, 1], p, clusters=[1, 1, 2]))
    assert simulation.losses_by_fitting(20, rng()).tolist() == [0.0] * 20
    losses: dict[float, float] = {}
    for pair in product(clusters, repeat=2):
        q = clusters[pair[0]] + clusters[pair[1]]
        for y in product([0, 1], repeat=len(q)):
            share = math.prod(x if event else 1 - x for event, x in zip(y, q, strict=True)) / 4
            loss = round(-math.log(properly.means(tally(y, q)).divergence), 13)
            losses[loss] = losses.get(loss, 0.0) + share
    assert sum(losses.values()) == pytest.approx(1, rel=1e-12)
    assert len(losses) > 8
    assert_distribution(simulation.losses_if_calibrated(4 * DRAWS, rng(2)), losses)


@pytest.mark.parametrize(
    "weight", [None, [1, 1], [0, 1], [1, 2], [1.0, 2.0], [0.5, 2.0], [1e20, 2e20]]
)
@pytest.mark.parametrize("count", [None, [4, 3]])
def test_a_class_is_drawn_for_each_case_whatever_it_weighs(weight: Any, count: Any) -> None:
    simulation = simulation_of(Cases([0, 1], THREE, weight=weight, count=count))
    assert isinstance(simulation, ClassSimulation)
    used = np.repeat([1, 1] if weight is None else np.sign(weight), count or 1).sum()
    assert len(simulation.weight) == used
    found = simulation.losses_if_calibrated(5, rng())
    assert np.isfinite(found).all()
    for unit in (7, 0.3):
        scaled = None if weight is None else np.multiply(unit, weight)
        other = simulation_of(Cases([0, 1], THREE, weight=scaled, count=count))
        np.testing.assert_allclose(other.losses_if_calibrated(5, rng()), found, rtol=1e-12)


@pytest.mark.parametrize("row", [[0.0, 0.25, 0.75], [0.5, 0.0, 0.5], [0.75, 0.25, 0.0]])
def test_what_is_impossible_is_never_drawn(row: list[float]) -> None:
    impossible = row.index(0.0)
    y = [(impossible + 1) % 3, (impossible + 2) % 3] * 100
    for weight in (None, [1, 3] * 100):
        simulation = simulation_of(Cases(y, [row] * 200, weight=weight))
        assert np.isfinite(simulation.losses_if_calibrated(50, rng())).all()
        assert np.isfinite(simulation.losses_by_fitting(50, rng())).all()


def test_certain_fits_are_certain_to_come_true() -> None:
    for cases in (tally([0, 1], [0.2, 0.8]), as_classes([0, 1], [0.2, 0.8])):
        assert simulation_of(cases).losses_by_fitting(20, rng()).tolist() == [0.0] * 20
    for cases in (tally([0, 1], [0, 1]), as_classes([0, 1], [0, 1])):
        assert simulation_of(cases).losses_if_calibrated(20, rng()).tolist() == [0.0] * 20


def test_no_loss_is_negative() -> None:
    source = rng(3)
    p = source.dirichlet(np.ones(3), 40)
    y = [source.choice(3, p=row) for row in p]
    for cases in (Cases(y, p), Cases(np.array(y) == 1, p[:, 1])):
        simulation = simulation_of(cases)
        assert simulation.losses_if_calibrated(50, rng()).min() > 0
        # Not each fit alone: those of classes need not add up to 1.
        assert simulation.losses_by_fitting(50, rng()).mean() > 0


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
    assert np.isfinite(simulation.losses_if_calibrated(2, rng)).all()
    assert np.isfinite(simulation.losses_by_fitting(2, rng)).all()


def test_fits_of_classes_that_miss_one_are_no_bias_of_many_cases() -> None:
    # Counts so large that little is left to chance: no bias, though rows were rescaled. It would
    # be -0.0076, and draws are about 0.0003 away from none.
    p = np.array([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25], [0.25, 0.25, 0.5]])
    simulation = simulation_of(Cases([0, 1, 2], p, count=[10**5] * 3))
    assert isinstance(simulation, ClassSimulation)
    assert np.abs(simulation.fitted.sum(axis=1) - 1).max() > 0.1
    np.testing.assert_allclose(simulation.losses_by_fitting(5, rng()), 0, rtol=0, atol=1.5e-3)
