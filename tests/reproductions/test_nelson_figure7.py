"""Three printed numbers, and what does and does not give them."""

from __future__ import annotations

import numpy as np
import pytest
from reproductions.means import figure7
from reproductions.means.coupled import nelson

import properly
from properly.probability import EqualWidth

KNOWN = [
    (0.5587, 0.6176, 0.9045),
    (0.5569, 0.6174, 0.9021),
    (0.5553, 0.6171, 0.8999),
    (0.5561, 0.6207, 0.8960),
]
POINTS = 20_001


@pytest.fixture(scope="module")
def found() -> figure7.Figure7:
    return figure7.figure7(POINTS, 3, np.random.default_rng(1))


def numbers(row: figure7.Triple) -> tuple[float, float, float]:
    return row.model, row.source, row.divergence


def test_what_is_stated_does_not_give_what_is_printed(found: figure7.Figure7) -> None:
    binned, free, one = found.rows[: len(figure7.STATED)]
    assert numbers(free) == pytest.approx((0.5468, 0.6126, 0.8925), rel=0, abs=1e-4)
    assert numbers(one) == pytest.approx((0.5432, 0.6000, 0.9053), rel=0, abs=1e-4)
    assert binned.model == free.model
    # Bins lose something.
    assert free.source - 5e-4 < binned.source < free.source
    assert not any(row.matches for row in (binned, free, one))


def test_to_cut_off_positions_gives_two_of_three(found: figure7.Figure7) -> None:
    for row in found.rows[len(figure7.STATED) : -len(figure7.MATCHING)]:
        assert [round(x, 2) for x in numbers(row)] == [0.56, 0.62, 0.91]
        assert not row.matches
    assert len(figure7.CUT) == 2


@pytest.mark.parametrize(("setting", "known"), list(zip(figure7.MATCHING, KNOWN, strict=True)))
def test_four_settings_give_all_three(
    found: figure7.Figure7, setting: figure7.Setting, known: tuple[float, float, float]
) -> None:
    (row,) = (row for row in found.rows if row.setting == str(setting))
    assert numbers(row) == pytest.approx(known, rel=0, abs=6e-5)
    assert row.matches


def test_a_match_is_of_two_digits_of_all_three() -> None:
    assert figure7.Triple("", 0.555001, 0.6249, 0.8951).matches
    for other in ((0.5549, 0.62, 0.9), (0.56, 0.6251, 0.9), (0.56, 0.62, 0.9051)):
        assert not figure7.Triple("", *other).matches


def test_another_distance_is_another_case() -> None:
    case = figure7.Setting(separation=2.1).case()
    assert [density.location for density in case.source.densities] == [0, 2.1]
    assert [density.coupling for density in case.source.densities] == [0.5, 0.5]
    assert [density.coupling for density in case.model.densities] == [0, 0]
    same = figure7.triple(figure7.Setting(separation=2.0, bins=None), 5001)
    apart = figure7.triple(figure7.Setting(separation=2.0 + 1e-9, bins=None), 5001)
    assert numbers(apart) == pytest.approx(numbers(same), rel=1e-6)


def test_samples_are_binned_as_stated() -> None:
    one = figure7.drawn(500, np.random.default_rng(5))
    sample = nelson(500, "tail over", rng=np.random.default_rng(5))
    means = properly.means(properly.tally(sample.y, sample.p), source=EqualWidth(bins=100))
    assert numbers(one) == (means.mean_probability, means.source.mean_probability, means.divergence)
