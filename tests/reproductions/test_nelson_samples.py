"""Two classes on a line, from samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from reproductions.means.coupled import nelson
from reproductions.means.population import describe
from reproductions.means.samples import sample

import properly
from properly.probability._power_means import POWERS

if TYPE_CHECKING:
    from reproductions.means.samples import SampleCase

N = 2000


@pytest.fixture(scope="module")
def found() -> SampleCase:
    return sample("tail over", N, describe("tail over", 2001), np.random.default_rng(8))


def test_a_sample_is_averaged_as_a_user_would(found: SampleCase) -> None:
    drawn = nelson(N, "tail over", rng=np.random.default_rng(8))
    t = np.where(drawn.y, drawn.p, 1 - drawn.p)
    assert found.means.decisiveness == pytest.approx(t.mean(), rel=1e-12)
    assert found.means.mean_probability == pytest.approx(np.exp(np.log(t).mean()), rel=1e-12)
    tally = properly.tally(drawn.y, drawn.p)
    assert found.means.divergence == properly.means(tally).divergence
    assert found.auc == properly.roc_curve(tally).area
    assert found.predicted_auc == properly.decisions.predicted_roc_curve(tally).area


def test_means_are_off_by_few_of_their_standard_errors(found: SampleCase) -> None:
    drawn = nelson(N, "tail over", rng=np.random.default_rng(8))
    log = np.log(np.where(drawn.y, drawn.p, 1 - drawn.p))
    error = found.means.mean_probability * log.std(ddof=1) / np.sqrt(N)
    off = found.off()
    wanted = (found.means.mean_probability - found.population.model.mean_probability) / error
    assert off["mean_probability"] == pytest.approx(wanted, rel=1e-3)
    assert list(off) == list(POWERS)
    assert max(abs(z) for z in off.values()) < 3


def test_an_isotonic_source_fits_noise_and_the_correction_undoes_it() -> None:
    case = sample("perfect", N, describe("perfect", 20_001), np.random.default_rng(2))
    columns = case.columns()
    assert columns["divergence"] < columns["corrected_divergence"]
    assert columns["corrected_divergence"] == pytest.approx(1, abs=0.006)
    assert columns["divergence_population"] == pytest.approx(1, abs=1e-6)
    assert columns["divergence"] < 0.995
