"""Appendix 8, under stated schemes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reproductions.penalties import simulation
from reproductions.penalties.simulation import CLASSES, PARTS, SCHEMES, Count, compare, pairs


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("classes", CLASSES)
def test_pairs_are_a_correct_and_a_wrong_forecast(scheme: str, classes: int) -> None:
    correct, wrong = pairs(SCHEMES[scheme], 2000, classes, rng())
    assert correct.shape == wrong.shape
    # Of fifty classes hardly one has more than such a truth, so that there may be no pair at all.
    least = 0 if (scheme, classes) == ("N(0.5, 0.15), then U", 50) else 1
    assert least <= len(correct) <= 2000
    for p in (correct, wrong):
        assert np.allclose(p.sum(axis=1), 1)
        assert p.min(initial=0.0) >= 0
    assert np.all(np.argmax(correct, axis=1) == 0)
    assert np.all(np.argmax(wrong, axis=1) != 0)


def test_no_correct_forecast_is_lost_if_all_classes_are_alike() -> None:
    draw = SCHEMES["Dirichlet(1)"].draw
    before = draw(rng(), 500, 4)
    correct, wrong = pairs(SCHEMES["Dirichlet(1)"], 500, 4, rng())
    assert np.array_equal(np.sort(correct), np.sort(before[: len(correct)]))
    # One in four leads with the first class by chance.
    assert len(wrong) == pytest.approx(375, abs=40)


def test_counts_are_those_of_a_loop() -> None:
    found = compare("|N|, normalized", 4, 3000, rng())
    source = rng()
    less = more = less_won = more_won = 0
    for part in np.array_split(np.arange(3000), PARTS):
        for x, q in zip(*pairs(SCHEMES["|N|, normalized"], len(part), 4, source), strict=True):
            truth = np.array([1.0, 0, 0, 0])
            won = bool(np.sum((q - truth) ** 2) > np.sum((x - truth) ** 2))
            if q[0] < x[0]:
                less, less_won = less + 1, less_won + won
            else:
                more, more_won = more + 1, more_won + won
    assert found.less == (less_won, less)
    assert found.more == (more_won, more)
    assert more > 10
    compared, share = simulation.Simulation((found,), 3000).cumulative("|N|, normalized", "more")
    assert (compared[-1], share[-1] * more) == (more, pytest.approx(more_won))
    assert np.all(np.diff(compared) >= 0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_with_three_classes_less_for_the_truth_is_always_a_larger_score(scheme: str) -> None:
    last = compare(scheme, 3, 5000, rng()).less
    assert last.wins == last.compared > 500


def test_with_more_classes_there_are_exceptions() -> None:
    last = compare("U, normalized", 10, 40_000, rng()).less
    assert 0.998 < last.share < 1


def test_the_share_falls_with_the_number_of_classes_and_63_percent_is_not_special() -> None:
    last = {c: compare("U, normalized", c, 40_000, rng()).more for c in CLASSES}
    shares = [count.share for count in last.values()]
    assert shares == sorted(shares, reverse=True)
    assert abs(last[3].share - 0.63) < 4 * last[3].error
    assert last[50].share + 4 * last[50].error < 0.4


def test_a_share_has_the_error_of_a_share() -> None:
    count = Count().plus(np.array([True, False, True, True]))
    assert count == (3, 4)
    assert count.share == 0.75
    assert count.error == math.sqrt(0.75 * 0.25 / 4)
    assert math.isnan(Count().share)
    assert math.isnan(Count().error)
