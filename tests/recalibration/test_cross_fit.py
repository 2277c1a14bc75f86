"""Folds that cases are dealt into."""

from __future__ import annotations

import numpy as np
import pytest

from properly import Cases, Tally
from properly.errors import DataError
from properly.recalibration import _cross_fit


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
