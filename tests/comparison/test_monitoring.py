"""Evidence that may be looked at after every case."""

from __future__ import annotations

import json
import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from properly.comparison import CalibrationMonitor, ComparisonMonitor, _monitoring
from properly.comparison._monitoring import log_factors, recalibration_gains, relative_gain
from properly.errors import ArgumentTypeError, DataError, ImproperRuleError
from properly.rules import Bounded, Brier, Elementary, Log, Propriety, Spherical

Column = np.ndarray[Any, Any]

FORECASTS = np.array([0.1, 0.35, 0.5, 0.9, 0.2, 0.75])
RIVALS = np.array([0.3, 0.15, 0.8, 0.6, 0.25, 0.75])


class Cheat(Brier):
    """A rule that is said to be improper."""

    propriety = Propriety.IMPROPER


def drawn(n: int = 200) -> tuple[Column, Column, Column]:
    rng = np.random.default_rng(2)
    p = rng.random(n)
    return rng.random(n) < p, p, np.clip(p + rng.normal(scale=0.1, size=n), 0.01, 0.99)


def all_outcomes(probability: Column) -> list[tuple[Column, float]]:
    """Every sequence of outcomes with its probability."""
    sequences = [np.array(y) for y in product([False, True], repeat=len(probability))]
    return [(y, float(np.where(y, probability, 1 - probability).prod())) for y in sequences]


def by_hand(y: Column, p: Column) -> float:
    products = []
    for a in np.linspace(-1, 1, 9):
        for b in (0.5, 0.7, 0.85, 1, 1.2, 1.5, 2):
            q = 1 / (1 + math.exp(-a) * ((1 - p) / p) ** b)
            products.append(np.where(y, q / p, (1 - q) / (1 - p)).prod())
    return float(np.mean(products))


def test_evidence_is_the_mean_likelihood_ratio_of_recalibrations() -> None:
    y, p, _ = drawn(30)
    found = CalibrationMonitor().update(y, p)
    assert found.e_value == pytest.approx(by_hand(y, p), rel=1e-12)
    assert found.log_e == pytest.approx(math.log(by_hand(y, p)), abs=1e-12)
    assert found.cases == 30


def test_without_cases_there_is_no_evidence() -> None:
    for monitor in (CalibrationMonitor(), ComparisonMonitor(Brier())):
        assert (monitor.cases, monitor.log_e, monitor.e_value) == (0, 0, 1)
        assert (monitor.log_max, monitor.p_value) == (0, 1)
        assert not monitor.rejects(0.01)


def test_evidence_against_calibrated_forecasts_is_one_on_average() -> None:
    mean = sum(
        chance * CalibrationMonitor().update(y, FORECASTS).e_value
        for y, chance in all_outcomes(FORECASTS)
    )
    assert mean == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("level", [0.5, 0.7, 0.9])
def test_calibrated_forecasts_are_seldom_rejected_at_any_time(level: float) -> None:
    # Exactly, over all outcomes, with a look after every case.
    p = np.array([0.1, 0.35, 0.5, 0.9, 0.2, 0.75, 0.02, 0.6])
    chance = sum(
        chance for y, chance in all_outcomes(p) if CalibrationMonitor().update(y, p).rejects(level)
    )
    assert 0 < chance <= 1 - level


@pytest.mark.parametrize("rule", [Brier(), Log(), Spherical(), Bounded(Brier(), (0.2, 0.7))])
def test_evidence_for_a_forecast_that_is_no_better_is_at_most_one_on_average(rule: Any) -> None:
    def mean(truth: Column) -> float:
        monitor = ComparisonMonitor(rule)
        return sum(
            chance * monitor.update(y, FORECASTS, RIVALS).e_value
            for y, chance in all_outcomes(truth)
        )

    # The first is right; both are equally good; the second is right.
    loss = [rule.loss([y] * 6, p) for y in (1, 0) for p in (FORECASTS, RIVALS)]
    odds = (loss[2] - loss[3]) - (loss[0] - loss[1])
    level = np.divide(loss[2] - loss[3], odds, out=FORECASTS.copy(), where=odds != 0)
    assert mean(FORECASTS) < 1
    assert mean(level) == pytest.approx(1, rel=1e-12)
    assert mean(RIVALS) > 1


def test_a_fixed_bet_by_hand() -> None:
    # Brier losses 0.36 and 0.16 if it happens; the first wins 0.16 - 0.04 = 0.12 if it does not.
    first, second = np.array([0.2, 0.2]), np.array([0.4, 0.4])
    gain = relative_gain(Brier(), np.array([True, False]), first + 0.2, second + 0.2)
    np.testing.assert_allclose(gain, [0.2 / 0.2, -1])
    gain = relative_gain(Brier(), np.array([True, False]), first, second)
    np.testing.assert_allclose(gain, [0.28 / 0.12, -1])
    np.testing.assert_allclose(np.exp(log_factors(gain, 0.5)), [1 + 0.14 / 0.12, 0.5])


def test_evidence_of_a_comparison_is_a_mean_over_bets() -> None:
    y, first, second = drawn(40)
    gain = relative_gain(Brier(), y, first, second)
    bets = [np.prod(1 + bet * gain) for bet in (0.1, 0.3, 0.5, 0.7, 0.9)]
    found = ComparisonMonitor(Brier()).update(y, first, second)
    assert found.e_value == pytest.approx(np.mean(bets), rel=1e-12)


def monitors() -> list[Any]:
    # The evidence of both rises, and falls again.
    y, p, other = drawn()
    early = np.arange(len(y)) < 60
    first, second = np.where(early, other, p), np.where(early, p, other)
    return [(CalibrationMonitor(), (y, p)), (ComparisonMonitor(Log()), (y, first, second))]


@pytest.mark.parametrize(("monitor", "columns"), monitors())
def test_parts_make_the_whole(monitor: Any, columns: tuple[Column, ...]) -> None:
    whole = monitor.update(*columns)
    first, second = (
        tuple(column[part] for column in columns) for part in (slice(70), slice(70, None))
    )
    on = monitor.update(*first).update(*second)
    merged = monitor.update(*second) + monitor.update(*first)
    for found in (on, merged):
        np.testing.assert_allclose(found.sums, whole.sums, rtol=1e-11, atol=1e-11)
        assert found.cases == whole.cases == 200
        assert found.log_e == pytest.approx(whole.log_e, abs=1e-11)
    # The path is known within and between updates, but not across monitors that are added.
    assert on.log_max == pytest.approx(whole.log_max, abs=1e-11)
    assert merged.log_max == max(0, merged.log_e)
    assert whole.log_max > merged.log_max


@pytest.mark.parametrize(("monitor", "columns"), monitors())
def test_the_greatest_evidence_is_that_after_any_case(
    monitor: Any, columns: tuple[Column, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    single, path = monitor, [0.0]
    for row in range(len(columns[0])):
        single = single.update(*(column[row : row + 1] for column in columns))
        path.append(single.log_e)
    monkeypatch.setattr(_monitoring, "BLOCK", 7)
    found = monitor.update(*columns)
    assert max(path) > 0.1
    assert found.log_max == pytest.approx(max(path), abs=1e-11)
    assert single.log_max == pytest.approx(max(path), abs=1e-11)
    assert found.log_e == pytest.approx(path[-1], abs=1e-11)
    assert found.p_value == math.exp(-found.log_max)


def test_monitors_add_up_also_by_sum() -> None:
    y, p, _ = drawn()
    seen = CalibrationMonitor().update(y, p)
    assert sum([seen]) is seen
    assert CalibrationMonitor() + seen is seen
    assert seen + CalibrationMonitor() is seen
    three = sum([seen, seen, seen], CalibrationMonitor())
    np.testing.assert_allclose(three.sums, 3 * seen.sums)
    with pytest.raises(TypeError, match="unsupported operand"):
        seen + ComparisonMonitor(Brier())
    with pytest.raises(TypeError, match="unsupported operand"):
        1 + seen


def test_a_monitor_never_changes() -> None:
    start = CalibrationMonitor()
    start.update([1, 0], [0.25, 0.5])
    assert start.cases == 0
    assert not start.sums.any()
    with pytest.raises(ValueError, match="read-only"):
        start.sums[0] = 1


def test_an_event_that_was_called_impossible_is_evidence_without_end() -> None:
    for y, p in ((1, 0.0), (0, 1.0)):
        found = CalibrationMonitor().update([0, y], [0.5, p])
        assert (found.log_e, found.e_value, found.p_value) == (math.inf, math.inf, 0)
        assert found.rejects(0.999999)
        # Nothing makes up for it.
        assert found.update([0] * 50, [0.5] * 50).log_e == math.inf
        assert (found + CalibrationMonitor().update([0], [0.5])).log_max == math.inf


def test_certainty_that_is_right_is_no_evidence() -> None:
    found = CalibrationMonitor().update([0, 1, 0], [0.0, 1.0, 0.0])
    assert found.cases == 3
    assert found.e_value == 1


def test_gains_are_finite_next_to_certainty() -> None:
    p = np.array([5e-324, 1e-300, 1 - 2**-53])
    for happened in (False, True):
        gain = recalibration_gains(np.full(3, happened), p)
        assert gain.shape == (3, 63)
        assert np.isfinite(gain).all()


def test_levels_are_reached_at_one_over_what_is_left() -> None:
    y, p = [1] * 6, [0.2] * 6
    found = CalibrationMonitor().update(y, p)
    level = 1 - 1 / found.e_value
    assert found.rejects(level - 1e-9)
    assert not found.rejects(level + 1e-9)
    # What has been rejected stays rejected, though later cases speak for the forecasts.
    later = found.update([0, 0, 0, 0, 1] * 60, [0.2] * 300)
    assert later.e_value < 1
    assert later.rejects(level - 1e-9)


def test_infinite_losses_in_a_comparison() -> None:
    monitor = ComparisonMonitor(Log())
    # Only the first called the event impossible, and it happened.
    assert monitor.update([1], [0.0], [0.2]).e_value == math.inf
    # If it does not, the bet is lost.
    assert monitor.update([0], [0.0], [0.2]).e_value == pytest.approx(0.5)
    # Against a certain forecast there is nothing to be gained, so nothing is bet.
    for y in (0, 1):
        assert monitor.update([y] * 2, [0.2, 0.0], [0.0, 1.0]).e_value == 1


def test_equal_losses_are_no_evidence() -> None:
    same = ComparisonMonitor(Log()).update([0, 1, 1], [0.0, 0.3, 1.0], [0.0, 0.3, 1.0])
    assert (same.e_value, same.cases) == (1, 3)
    outside = ComparisonMonitor(Elementary(0.5)).update([0, 1], [0.1, 0.7], [0.2, 0.9])
    assert outside.e_value == 1


def test_a_monitor_can_be_kept_as_json() -> None:
    y, p, other = drawn()
    found = CalibrationMonitor().update(y, p)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["e_value"] == found.e_value
    again = CalibrationMonitor(sums=told["sums"], cases=told["cases"], log_max=told["log_max"])
    assert again.to_dict() == found.to_dict()
    endless = CalibrationMonitor().update([1], [0.0]).to_dict()
    assert endless["log_e"] == "Infinity"
    state = {name: endless[name] for name in ("sums", "cases", "log_max")}
    assert CalibrationMonitor(**state).to_dict() == endless
    compared = ComparisonMonitor(Brier()).update(y, p, other)
    state = {name: compared.to_dict()[name] for name in ("sums", "cases", "log_max")}
    assert ComparisonMonitor(Brier(), **state).to_dict() == compared.to_dict()


def test_monitors_are_told() -> None:
    found = ComparisonMonitor(Brier()).update([1], [0.4], [0.6])
    assert repr(found) == "ComparisonMonitor(1 case, E = 1.5)"
    assert str(found) == (
        "1 case: evidence 1.5 that the second forecast is better at times (p = 0.667 at any time)."
    )


def test_monitors_of_parts_may_be_begun_again_from_numpy_and_json() -> None:
    found = CalibrationMonitor().update([1, 1], [0.2, 0.3])
    state: Any = {"sums": np.array(found.sums), "cases": np.int64(2)}
    again = CalibrationMonitor(**state, log_max=np.float64(found.log_max))
    assert again.to_dict() == found.to_dict()
    assert type(again.cases) is int


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"cases": -3}, "cases of a monitor must be a whole number, 0 or more; got -3"),
        ({"cases": "x"}, "cases of a monitor must be a whole number, 0 or more; got 'x'"),
        ({"cases": 1.5}, "must be a whole number, 0 or more; got 1.5"),
        ({"log_max": -5}, "log_max must be a number, 0 or more; got -5"),
        ({"log_max": math.nan}, "log_max of a monitor must be numbers, and not NaN; got nan"),
        ({"log_max": "x"}, "log_max of a monitor must be numbers, and not NaN; got 'x'"),
        ({"log_max": [1.0]}, r"log_max must be a number, 0 or more; got \[1.0\]"),
        ({"sums": "abc"}, "sums of a monitor must be numbers, and not NaN; got 'abc'"),
        ({"sums": [math.nan] * 63}, r"sums of a monitor must be numbers, and not NaN; got \[nan"),
        ({"sums": [None] * 63}, "sums of a monitor must be numbers, and not NaN"),
        ({"cases": 0, "sums": [1.0] * 63}, "has seen no cases has no evidence"),
        ({"cases": 0, "log_max": 1.0}, "has seen no cases has no evidence"),
    ],
    ids=str,
)
def test_a_broken_state_is_refused(state: dict[str, Any], message: str) -> None:
    sound: dict[str, Any] = {"sums": [0.0] * 63, "cases": 4, "log_max": 0.5}
    assert CalibrationMonitor(**sound).cases == 4
    with pytest.raises(DataError, match=message):
        CalibrationMonitor(**(sound | state))


def test_what_cannot_be_monitored_is_refused() -> None:
    with pytest.raises(DataError, match="a CalibrationMonitor has 63 sums; got 2"):
        CalibrationMonitor(sums=[0.0, 0.0])
    with pytest.raises(ImproperRuleError, match="only a proper rule says which forecast is better"):
        ComparisonMonitor(Cheat())
    with pytest.raises(ArgumentTypeError, match="rule for the probability of one event"):
        ComparisonMonitor("brier")  # type: ignore[arg-type]
    brier, log = (ComparisonMonitor(rule).update([1], [0.4], [0.6]) for rule in (Brier(), Log()))
    with pytest.raises(DataError, match=r"must have one rule; got Brier\(\) and Log\(\)"):
        brier + log
    with pytest.raises(DataError, match="must be equally long; got 1 and 2"):
        brier.update([1], [0.4], [0.6, 0.5])
    with pytest.raises(DataError, match="a level must lie between 0 and 1"):
        brier.rejects(1)
