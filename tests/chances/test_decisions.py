"""How often intervals and bands of decisions hold what is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import beta

from properly import Cases, Tally, tally
from properly.counts import with_event_rate
from properly.decisions import AtThreshold, at_threshold, decision_curve

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly.inference import Band

# Intervals and bands of few events warn.
pytestmark = pytest.mark.filterwarnings("ignore:with .* intervals may cover less")


def the(band: Band | None) -> Band:
    assert band is not None
    return band


def ends_of(found: AtThreshold) -> dict[str, tuple[float, float]]:
    assert found.intervals is not None
    return found.intervals


def weigh(counts: Any, weight: Any) -> Tally:
    """Make a tally of counts of the four kinds, each of its weight."""
    y, p = [1, 0, 1, 0], [0.9, 0.9, 0.01, 0.01]
    return tally(*(np.repeat(x, counts) for x in (y, p)), weight=np.repeat(weight, counts))


@pytest.mark.parametrize("t", [0.02, 0.05, 0.2])
def test_a_band_covers_where_events_are_few(t: float) -> None:
    """Forecasts are calibrated, from Beta(1, 15): 19 of 300 cases have the event."""
    rng, held = np.random.default_rng(5), []
    true, false = beta.sf(t, 2, 15) / 16, beta.sf(t, 1, 16) * 15 / 16
    truth = true - false * t / (1 - t)
    for _ in range(400):
        p = rng.beta(1, 15, 300)
        band = the(decision_curve(tally(rng.random(300) < p, p), [t], band="confidence").band)
        held.append(band.lower[0] <= truth <= band.upper[0])
    # 90 %, and four standard errors of a share of 400 below.
    assert 0.84 < np.mean(held) < 0.96


def test_intervals_cover_where_mistakes_are_few() -> None:
    """Of 200 cases 12 have the event; found by 0.75, 0.2 of the others in vain."""
    rng, cells = np.random.default_rng(23), np.array([0.045, 0.188, 0.015, 0.752])
    truth = {
        "regret": 0.1 * 0.188 + 0.9 * 0.015,
        "net_benefit": 0.045 - 0.188 / 9,
        "interventions_avoided": 0.752 - 9 * 0.015,
        "true_positive_rate": 0.75,
        "precision": 0.045 / 0.233,
    }
    held = dict.fromkeys(truth, 0)
    for true, false, missed, spared in rng.multinomial(200, cells, 400):
        t = Tally.from_counts([0, 1], [missed + spared, true + false], [missed, true])
        ends = ends_of(at_threshold(t, 0.1, interval=True, level=0.9))
        for name, value in truth.items():
            held[name] += ends[name][0] <= value <= ends[name][1]
    # 90 % and four standard errors of a share of 400 below; few events come in steps.
    assert all(0.84 < count / 400 < 0.98 for count in held.values()), held


def cover(
    draw: Callable[[], Tally | Cases], c: float, truth: dict[str, float], repeats: int = 300
) -> dict[str, float]:
    """Say how often intervals of 95 % hold what is true."""
    held = dict.fromkeys(truth, 0)
    for _ in range(repeats):
        ends = ends_of(at_threshold(draw(), c, interval=True))
        for name, value in truth.items():
            held[name] += ends[name][0] <= value <= ends[name][1]
    return {name: count / repeats for name, count in held.items()}


def truths(cells: Any, c: float) -> dict[str, float]:
    """Take what is true from the shares of true, false and missed alarms, and of the rest."""
    true, false, missed, _ = cells
    regret, rate = c * false + (1 - c) * missed, true + missed
    return {
        "net_benefit": true - false * c / (1 - c),
        "regret": regret,
        "skill": 1 - regret / min((1 - c) * rate, c * (1 - rate)),
        "standardized_net_benefit": (true - false * c / (1 - c)) / rate,
        "true_positive_rate": true / rate,
        "precision": true / (true + false),
    }


def test_intervals_cover_where_the_event_was_weighted_up() -> None:
    """A hundred events of 10,000 cases, half of them found, are to be a fifth of all."""
    rng = np.random.default_rng(29)

    def draw() -> Tally:
        true, false = rng.binomial([100, 9900], [0.5, 0.05])
        missed, acted = 100 - true, true + false
        t = Tally.from_counts([0.05, 0.5], [10_000 - acted, acted], [missed, true])
        return with_event_rate(t, 0.2)

    truth = truths([0.1, 0.04, 0.1, 0.76], 0.1)
    held = cover(draw, 0.1, truth)
    # The event rate is known here, so that most of them are too wide.
    assert min(held.values()) >= 0.9, held
    # From all cases alone, as many as their weights are worth, the half of it would be 0.0013.
    lower, upper = ends_of(at_threshold(draw(), 0.1, interval=True))["net_benefit"]
    assert 0.025 < upper - lower < 0.07


@pytest.mark.parametrize("kept", [[0.1, 0.1, 1, 1], [0.1, 1, 0.1, 1], [1, 1, 0.1, 0.1]])
def test_intervals_cover_where_weights_make_up_for_sampling(kept: list[float]) -> None:
    """Of 2000 cases one in ten is kept if forecasts are high, if it is an event, or if low."""
    rng, cells = np.random.default_rng(31), np.array([0.16, 0.16, 0.04, 0.64])
    weight = 1.0001 / np.array(kept)
    held = cover(
        lambda: weigh(rng.binomial(rng.multinomial(2000, cells), kept), weight),
        0.15,
        truths(cells, 0.15),
    )
    assert min(held.values()) >= 0.9, held


def test_skill_covers_where_hardly_an_event_is_missed() -> None:
    """Of 64 events in 200 cases one in a hundred is missed, at a cost of 19 false alarms."""
    rng, cells = np.random.default_rng(37), np.array([0.3168, 0.578, 0.0032, 0.102])

    def draw() -> Tally:
        true, false, missed, spared = rng.multinomial(200, cells)
        return Tally.from_counts([0, 1], [missed + spared, true + false], [missed, true])

    held = cover(draw, 0.05, truths(cells, 0.05))
    assert min(held.values()) >= 0.9, held


def test_net_benefit_covers_where_few_clusters_are_acted_upon() -> None:
    """Of 50 clusters, each with a forecast of its own from Beta(0.6, 9.4), about three."""
    rng, label, c = np.random.default_rng(41), np.repeat(np.arange(50), 20), 0.2
    true, false = 0.06 * beta.sf(c, 1.6, 9.4), 0.94 * beta.sf(c, 0.6, 10.4)
    truth, held = true - false / 4, []
    for _ in range(300):
        p = rng.beta(0.6, 9.4, 50)[label]
        cases = Cases(rng.random(1000) < p, p, clusters=label)
        if p.max() >= c:
            lower, upper = ends_of(at_threshold(cases, c, interval=True))["net_benefit"]
            held.append(lower <= truth <= upper)
    assert len(held) > 270
    assert np.mean(held) >= 0.9
