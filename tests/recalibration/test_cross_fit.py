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
