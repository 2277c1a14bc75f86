"""Folds that cases are dealt into."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properly import Cases, Tally, cross_fit, recalibrate
from properly.errors import DataError
from properly.recalibration import Logistic, _cross_fit


@pytest.mark.parametrize("many", [1 << 17, 3])
def test_clusters_are_dealt_into_folds_whole(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Of very many clusters each fold gets as many; of few, about as many cases.
    monkeypatch.setattr(_cross_fit, "MANY_CLUSTERS", many)
    cluster = np.repeat(np.arange(12), 5)
    cases = Cases(cluster % 2 == 1, np.full(60, 0.5), clusters=cluster)
    split = _cross_fit._by_cluster(cases, 4, np.random.default_rng(1))
    assert split.folds == 4
    assert np.bincount(split.fold).tolist() == [15, 15, 15, 15]
    assert all(len(set(split.fold[cluster == k].tolist())) == 1 for k in range(12))


def test_the_cases_of_a_large_tally_are_not_written_out() -> None:
    large = Tally.from_counts([0.2, 0.6], [10**8, 1], [10**7, 1])
    with pytest.raises(DataError, match="this tally has weights or is too large"):
        _cross_fit.as_rows(large)


@pytest.mark.parametrize("horizon", [1, 4])
def test_forward_folds_are_forecast_from_what_was_known_before(horizon: int) -> None:
    rng = np.random.default_rng(3)
    time = np.repeat(np.arange(100), 3)
    p = rng.uniform(0.05, 0.95, 300)
    cases = Cases(rng.random(300) < p**2, p, time=rng.permutation(time))
    time = np.asarray(cases.time)
    split = _cross_fit.Folding(folds=4, scheme="forward", horizon=horizon).of(cases, rng)
    # The first block is only learnt from.
    assert split.folds == 3
    np.testing.assert_array_equal(split.fold, time // 25 - 1)
    for k in range(3):
        known = time <= 25 * (k + 1) - horizon
        np.testing.assert_array_equal(split.training(k), known)
    _, rows = split.judged(cases)
    np.testing.assert_array_equal(rows, np.flatnonzero(time >= 25))


@pytest.mark.parametrize("design", ["alone", "weight", "clusters"])
def test_cells_choose_the_same_map_and_hardly_move_lines(
    design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    p = rng.beta(1, 4, 30_000)
    p[:2000] = 0.0
    y = rng.random(30_000) < np.where(p == 0, 0.01, p**1.3)
    columns: dict[str, Any] = {
        "weight": rng.integers(0, 4, 30_000),
        "time": np.arange(30_000) // 100,
    }
    columns["clusters"] = columns["time"]
    cases = Cases(y, p, **{k: x for k, x in columns.items() if k == design})
    results = []
    for cells in (1 << 13, 1 << 30):
        monkeypatch.setattr(_cross_fit, "CELLS", cells)
        results.append((recalibrate(cases), cross_fit(cases, Logistic()).p))
    (coarse, near), (fine, exact) = results
    assert coarse.chosen == fine.chosen
    assert coarse.map.to_dict()["parameters"] == fine.map.to_dict()["parameters"]
    np.testing.assert_allclose(near, exact, rtol=1e-4)
    for name, gain in {"": coarse.gain, **coarse.gains}.items():
        other = {"": fine.gain, **fine.gains}[name]
        assert gain.estimate == pytest.approx(other.estimate, abs=1e-3 * other.standard_error)


@pytest.mark.parametrize("weighted", [False, True])
def test_cells_of_forecasts_keep_all_cases_and_their_order(weighted: bool) -> None:
    rng = np.random.default_rng(6)
    p = np.append(rng.random(40_000), [0.0] * 50)
    cases = Cases(rng.random(len(p)) < p, p, weight=rng.random(len(p)) if weighted else None)
    rows = _cross_fit.SortedRows.of(cases)
    tally, exact = rows.in_cells(np.arange(len(p))), cases.tally()
    assert 4096 < len(tally) < 25_000
    assert (np.diff(tally.value) > 0).all()
    assert (tally.value[0], tally.weight[0]) == (0, exact.weight[0])
    for ours, theirs in zip(
        (tally.weight, tally.events), (exact.weight, exact.events), strict=True
    ):
        assert ours.sum() == pytest.approx(theirs.sum(), rel=1e-12)
