"""Clusters seen at times: what depends on either is allowed for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import properly
from properly import Cases
from properly.inference import _variance
from properly.inference._design import Design
from properly.inference._variance import by_cosines, covariance
from properly.rules import Brier

# Twelve or fourteen clusters are warned of as few.
pytestmark = pytest.mark.filterwarnings("ignore:with 1[24] clusters")
CLUSTERS, TIMES, ROWS = 12, 40, 3
RNG = np.random.default_rng(5)
CLUSTER, TIME = (x.ravel() for x in np.indices((CLUSTERS, TIMES)))
SHOCK = RNG.normal(size=(ROWS, CLUSTERS))[:, CLUSTER] + RNG.normal(size=(ROWS, TIMES))[:, TIME]
NOISE = RNG.normal(size=(ROWS, CLUSTERS * TIMES))


def centred(rows: Any) -> Any:
    return rows - rows.mean(axis=1, keepdims=True)


WORLDS = {"nothing": centred(NOISE), "both": centred(NOISE + SHOCK)}
every_world = pytest.mark.parametrize("influence", WORLDS.values(), ids=WORLDS)


def panel(cluster: Any = CLUSTER, time: Any = TIME) -> Design:
    return Design(np.ones(len(cluster)), cluster, None, time)


def parts(influence: Any, cluster: Any = CLUSTER, time: Any = TIME) -> tuple[Any, Any, Any]:
    """Find the three variances of one row, each cluster's series by itself."""
    series = np.zeros((cluster.max() + 1, time.max() + 1))
    np.add.at(series, (cluster, time), influence)
    own = sum(by_cosines(row[None])[0][0, 0] for row in series)
    sums = series.sum(axis=1)
    return (
        sums @ sums * len(sums) / (len(sums) - 1),
        by_cosines(series.sum(axis=0)[None])[0][0, 0],
        own,
    )


@every_world
def test_a_variance_is_that_of_clusters_and_times_less_own_series(influence: Any) -> None:
    for row in influence:
        of_clusters, of_times, own = parts(row)
        found = covariance(row[None], panel())
        most = max(of_clusters + of_times - own, of_clusters, of_times)
        assert found.covariance[0, 0] == pytest.approx(most, rel=1e-12)
        assert found.degrees == min(CLUSTERS - 1, int(0.4 * TIMES ** (2 / 3)))


@every_world
def test_a_covariance_has_the_variances_of_its_rows_and_no_negative_direction(
    influence: Any,
) -> None:
    whole = covariance(influence, panel())
    alone = [covariance(row[None], panel()).errors[0] for row in influence]
    assert whole.errors == pytest.approx(alone, rel=1e-12)
    assert np.linalg.eigvalsh(whole.covariance).min() >= -1e-12 * whole.covariance.max()
    assert whole.covariance == pytest.approx(whole.covariance.T, rel=1e-12)


@pytest.mark.parametrize("at_once", [1, 100, 1 << 20])
def test_series_of_clusters_are_added_up_some_at_a_time(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few cells of many times take cosines one by one."""
    rng = np.random.default_rng(3)
    for cells in (50, 3000):
        cluster, time = rng.integers(0, 30, cells), rng.integers(0, 200, cells)
        cluster[:30], time[-200:] = np.arange(30), np.arange(200)[-cells:]
        time = np.unique(time, return_inverse=True)[1]
        influence = centred(rng.normal(size=(2, cells)))
        own = [parts(row, cluster, time)[2] for row in influence]
        design = panel(cluster, time)
        monkeypatch.setattr(_variance, "AT_ONCE", at_once)
        found = _variance._own_series(design.totals(influence), design)
        assert np.diagonal(found) == pytest.approx(own, rel=1e-12)


def test_an_infinite_mean_leaves_the_others_alone() -> None:
    influence = np.vstack([WORLDS["both"], np.full(len(CLUSTER), np.nan)])
    found = covariance(influence, panel()).covariance
    assert found[:3, :3] == pytest.approx(covariance(influence[:3], panel()).covariance, rel=1e-12)
    assert np.isnan(found[3]).all()
    assert np.isnan(found[:, 3]).all()


Y = RNG.random(len(CLUSTER)) < 0.4
P, Q = (np.clip(0.2 + 0.4 * Y + 0.1 * x[: len(Y)], 0.02, 0.98) for x in WORLDS["both"][:2])
KNOWN: dict[str, Any] = {"clusters": CLUSTER, "time": TIME}


def test_a_difference_and_a_ratio_have_influences_of_their_own() -> None:
    found = properly.compare(Y, {"p": P, "q": Q}, rule=Brier(), **KNOWN)
    loss = np.stack([(P - Y) ** 2, (Q - Y) ** 2])
    apart = centred((loss[0] - loss[1])[None]) / len(Y)
    assert found.standard_error == pytest.approx(covariance(apart, panel()).errors, rel=1e-9)
    ratio = loss[0].mean() / loss[1].mean()
    apart = (loss[0] - ratio * loss[1])[None] / loss[1].sum()
    assert found.ratio_error == pytest.approx(covariance(apart, panel()).errors, rel=1e-9)
    assert found.design == "12 clusters by 40 times"
    assert found.degrees == 4


def test_a_skill_has_an_influence_of_its_own() -> None:
    cases = Cases(Y, P, **KNOWN)
    found = properly.inference.skill_interval(cases, Brier(), reference=0.5)
    loss = np.stack([(P - Y) ** 2, np.full(len(Y), 0.25)])
    ratio = loss[0].mean() / 0.25
    error = covariance((loss[0] - ratio * loss[1])[None] / loss[1].sum(), panel()).errors
    assert found.standard_error == pytest.approx(error[0], rel=1e-9)
