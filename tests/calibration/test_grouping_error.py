"""What grouping forecasts into cells can have changed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from properly import Cases, Tally, decompose, regret_curve, roc_curve, tally
from properly.calibration import GroupingError, grouping_error
from properly.counts import with_event_rate
from properly.errors import DataError
from properly.rules import BinaryRule, Brier, Elementary, Log, Misclassification

BELOW_ONE = np.nextafter(1, 0)
BELOW_HALF = np.nextafter(0.5, 0)
# Two cells, in each a non-event and an event.
Y, P = [0, 1, 0, 1], [0.1, 0.3, 0.6, 0.8]


def test_bounds_of_two_cells_by_hand() -> None:
    found = grouping_error(tally(Y, P, cells=2))
    # Non-events at the lower and events at the upper ends, and the reverse.
    lower = (0 + 0.25 + 0.25 + 0) / 4
    upper = (1 + 0.25 + 0.25 + 1) / 4
    assert found.score == pytest.approx((lower, upper), abs=1e-15)
    # Grouped, event rates are a half in both cells. In order 0, 1, 0, 1, the middle two are pooled.
    assert found.calibrated == (0.125, 0.25)
    assert found.discrimination == (0, 0.125)
    assert found.miscalibration == pytest.approx((0, upper - 0.125), abs=1e-15)
    # The mean of the lower cell is 0.2, that of the upper 0.7.
    assert found.regret == pytest.approx(max(1 - 0, 1 - 0.1, 1 * 0.5 + 2 * 0.2) / 4)
    assert found.auc == 2 / (2 * 4)
    assert found.recalibrated == pytest.approx(math.sqrt(0.125))
    assert found.cells == 2


def test_a_known_score_makes_the_miscalibration_known() -> None:
    score = Brier()(Y, P)
    found = grouping_error(tally(Y, P, cells=2), score=score)
    assert found.score == (score, score)
    assert found.miscalibration == (0, score - 0.125)
    # Recalibrated forecasts are no worse than themselves.
    assert found.calibrated == (0.125, score)
    assert found.discrimination == (0.25 - score, 0.125)


@pytest.mark.parametrize("rule", [Brier(), Log(), Misclassification()], ids=repr)
@pytest.mark.parametrize("end", [0, 1])
def test_both_ends_can_be_reached(rule: BinaryRule, end: int) -> None:
    ends = [[0.5, BELOW_ONE], [BELOW_ONE, 0.5]][end]
    cases = tally([0, 1] * 3, ends * 3)
    found = grouping_error(cases.group(2), rule)
    exact = decompose(cases, rule)
    assert exact.score == pytest.approx(found.score[end], rel=1e-15)
    assert exact.discrimination == pytest.approx(found.discrimination[1 - end], abs=1e-15)
    grouped = roc_curve(cases.group(2)).area
    assert abs(roc_curve(cases).area - grouped) == found.auc == 0.5


@pytest.mark.parametrize(
    ("y", "p", "t"),
    [
        # 3 events just below the threshold, a non-event at the upper border moves the mean above.
        ([1, 1, 1, 0], [BELOW_HALF] * 3 + [BELOW_ONE], 0.5),
        # 3 non-events at the threshold, an event at 0 moves the mean below.
        ([0, 0, 0, 1], [0.5] * 3 + [1e-12], 0.5),
    ],
)
def test_the_regret_can_be_so_much_off(y: list[int], p: list[float], t: float) -> None:
    cases = tally(y, p)
    grouped = cases.group(1)
    off = abs(regret_curve(cases).at(t) - regret_curve(grouped).at(t))
    assert off == pytest.approx(grouping_error(grouped).regret, rel=1e-9)


def test_certain_forecasts_are_exact() -> None:
    cases = tally([0, 1, 0, 1, 1], [0, 0, 1, 1, 1], cells=1)
    found = grouping_error(cases, Log())
    parts = decompose(cases, Log())
    assert found.score == found.miscalibration == (math.inf, math.inf)
    assert found.discrimination == (parts.discrimination, parts.discrimination)
    assert (found.regret, found.auc, found.recalibrated) == (0, 0, 0)
    assert "the score is exact, miscalibration and discrimination are known to within 0;" in (
        found.told
    )


@pytest.mark.parametrize("weight", [None, [0.3, 0.7, 1.5]])
def test_a_case_alone_in_its_cell_is_exact(weight: list[float] | None) -> None:
    cases = tally([0, 1, 1], [0.01, 0.35, 0.87], weight=weight)
    found, parts = grouping_error(cases.group(10), Log()), decompose(cases, Log())
    assert found.score == pytest.approx((parts.score, parts.score), rel=1e-15)
    assert found.score[0] == found.score[1]
    assert found.calibrated[0] == found.calibrated[1]
    assert (found.regret, found.auc) == (0, 0)


def test_a_threshold_on_a_border_is_judged_exactly() -> None:
    rng = np.random.default_rng(3)
    p = rng.random(500)
    cases = tally(rng.random(500) < p, p)
    on, between = (grouping_error(cases.group(10), Elementary(t)) for t in (0.3, 0.35))
    exact = decompose(cases, Elementary(0.3))
    assert on.score[0] == on.score[1] == pytest.approx(exact.score, rel=1e-14)
    assert between.score[0] < between.score[1]


@pytest.mark.parametrize(
    ("p", "cells", "lower", "upper"),
    [
        # 100 * 0.29 is rounded to less than 29, and 10 times the float below 0.9 to 9.
        (0.29, 100, 0.29, 0.3),
        (float(np.nextafter(0.9, 0)), 10, 0.8, 0.9),
    ],
)
def test_no_rounding_moves_a_forecast_into_another_cell(
    p: float, cells: int, lower: float, upper: float
) -> None:
    found = grouping_error(tally([0, 1], [p, p], cells=cells))
    assert found.score[0] == pytest.approx((lower**2 + (1 - upper) ** 2) / 2, rel=1e-12)
    assert found.score[1] == pytest.approx((upper**2 + (1 - lower) ** 2) / 2, rel=1e-12)


def test_cases_and_tallies_without_cells_are_exact() -> None:
    for cases in (Cases(Y, P), tally(Y, P)):
        found = grouping_error(cases)
        parts = decompose(cases, Brier())
        assert found.miscalibration == (parts.miscalibration, parts.miscalibration)
        assert found.told == "forecasts were not grouped: all numbers are exact"
        assert repr(found) == "GroupingError(not grouped, exact)"


def test_without_pairs_no_pair_is_unknown() -> None:
    assert grouping_error(tally([1, 1], [0.2, 0.3], cells=1)).auc == 0


def test_grouped_parts_that_add_up_are_bounded_as_the_whole_is() -> None:
    rng = np.random.default_rng(4)
    y, p = rng.integers(0, 2, 60), rng.random(60)
    parts = [tally(y[k::3], p[k::3], cells=10) for k in range(3)]
    added, whole = (
        grouping_error(parts[0] + parts[1] + parts[2]),
        grouping_error(tally(y, p, cells=10)),
    )
    for name, value in vars(whole).items():
        assert getattr(added, name) == pytest.approx(value, rel=1e-12)


def test_the_sentence_rounds_up_and_says_what_is_known() -> None:
    found = GroupingError(
        100_000,
        (0.1, 0.1),
        (0.08, 0.09),
        (0.0, 3.21e-7),
        (0.1, 0.1 + 3.01e-7),
        1.94e-5,
        5.001e-6,
        0.0,
    )
    assert found.told == (
        "forecasts were grouped into 100,000 cells: the score is exact, miscalibration and "
        "discrimination are known to within 3.3e-07; the AUC is off by at most 5.1e-06; curves are "
        "exact at multiples of 1/100,000, and between these the regret is off by at most 2e-05"
    )
    assert repr(found) == (
        "GroupingError(100,000 cells, miscalibration within 3.3e-07, discrimination within 3.1e-07)"
    )
    told = grouping_error(tally(Y, P, cells=1)).told
    assert told.startswith(
        "forecasts were grouped into 1 cell: the score is known to within 1, miscalibration to "
        "within 1, discrimination to within 0.25; "
    )


def test_a_score_may_be_off_by_rounding() -> None:
    cases = tally(Y, P)
    assert grouping_error(cases, score=float(np.float32(Brier()(Y, P)))).cells is None


def test_forecasts_that_were_changed_after_grouping_are_refused() -> None:
    grouped = tally([0, 1, 0, 1], [0.15, 0.25, 0.35, 0.95], cells=10)
    moved = with_event_rate(grouped, 0.01, forecasts_for=0.5)
    with pytest.raises(DataError, match="has one forecast in each; the one from 0 on has more"):
        grouping_error(moved)
    by_hand = Tally([0.1, 0.2], [1, 1], [0, 1], cells=0)
    with pytest.raises(DataError, match="cells must be a whole number"):
        grouping_error(by_hand)
