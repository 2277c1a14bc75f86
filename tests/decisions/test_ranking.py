"""AUC, average precision and their kin."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp
from sklearn.metrics import average_precision_score
from tests.examples import examples

from properly import Cases, Tally, reliability, tally
from properly.counts import with_event_rate
from properly.decisions import ranking

if TYPE_CHECKING:
    from numpy.typing import NDArray

N = 200
RNG = np.random.default_rng(8)
P = RNG.random(N).round(2)
Y = RNG.random(N) < P**2
WEIGHT = RNG.exponential(size=N)
COUNT = RNG.integers(0, 4, N)
WIDE = [(0.0, 1.0), (0.1, 0.6), (0.3, 1.0), (0.0, 0.4)]
RANGES = [*WIDE, (0.25, 0.26), (0.0, 0.07)]
every_weight = pytest.mark.parametrize("weight", [None, COUNT, WEIGHT], ids=["no", "whole", "real"])
every_range = pytest.mark.parametrize("within", RANGES)
rows = st.lists(
    st.tuples(st.integers(0, 8), st.booleans(), st.integers(1, 3)), min_size=1, max_size=25
)


def calibrated(weight: NDArray[Any] | None, cap: int = N) -> Tally:
    """Recalibrate: the forecasts are now the event rates, many of them tied."""
    y, p = Y[:cap], P[:cap]
    fit = reliability(tally(y, p, weight=None if weight is None else weight[:cap]))
    moved = fit.recalibrated[np.searchsorted(fit.value, p).clip(max=len(fit.value) - 1)]
    return tally(y, moved, weight=None if weight is None else weight[:cap])


def by_pairs(
    y: NDArray[Any], p: NDArray[Any], w: NDArray[Any], within: tuple[float, float]
) -> dict[str, float]:
    """Compute everything from the definitions, case by case and pair by pair."""
    event, none, w1, w0 = p[y], p[~y], w[y], w[~y]
    every = w1.sum() * w0.sum()
    wins = ((event[:, None] > none) + (event[:, None] == none) / 2) * w1[:, None] * w0
    inside = [(x >= within[0]) & (x <= within[1]) for x in (event, none, p)]
    regret = np.array(
        [(c * w0 @ (none >= c) + (1 - c) * w1 @ (event < c)) / w.sum() for c in p.tolist()]
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        above, beside = wins[:, inside[1]].sum() / every, wins[inside[0]].sum() / every
        shares = (w0 @ inside[1]) / w0.sum() + (w1 @ inside[0]) / w1.sum()
        return {
            "auc": wins.sum() / every,
            "auc_if_calibrated": 1 - (w @ regret) * w.sum() / (2 * every) if every else math.nan,
            "partial_auc_above": above,
            "partial_auc_beside": beside,
            "balanced_average_accuracy": (above + beside) / shares,
            "regret_at_scores": w @ (regret * inside[2]) / (w @ inside[2]),
        }


# Against the definitions


@examples(100)
@given(rows, st.integers(0, 8), st.integers(1, 8))
def test_counts_agree_with_the_definitions(
    found: list[tuple[int, bool, int]], lower: int, width: int
) -> None:
    step, y, w = (np.array(column) for column in zip(*found, strict=True))
    within = lower / 16, (lower + width) / 16
    got = ranking(tally(y, step / 8, weight=w), within=within)
    expected = by_pairs(y, step / 8, w.astype(float), within)
    for name, value in expected.items():
        assert getattr(got, name) == pytest.approx(value, rel=0, abs=1e-13, nan_ok=True), name


@every_range
def test_weighted_cases_agree_with_the_definitions(within: tuple[float, float]) -> None:
    got = ranking(Cases(Y, P, weight=WEIGHT), within=within)
    for name, value in by_pairs(Y, P, WEIGHT, within).items():
        assert getattr(got, name) == pytest.approx(value, rel=0, abs=1e-13), name


@every_weight
def test_average_precision_is_that_of_scikit_learn(weight: NDArray[Any] | None) -> None:
    got = ranking(tally(Y, P, weight=weight)).average_precision
    expected = average_precision_score(Y, P, sample_weight=weight)
    assert got == pytest.approx(expected, rel=0, abs=1e-14)


# Identities


@every_weight
@pytest.mark.parametrize("cap", [N, 40, 11])
def test_calibrated_forecasts_have_no_gap(weight: NDArray[Any] | None, cap: int) -> None:
    """Hand's identity: the AUC is a mean of the regret at the forecasts themselves."""
    t = calibrated(weight, cap)
    assert len(t) < cap  # there are ties
    got = ranking(t)
    assert got.gap == pytest.approx(0, abs=2e-15)
    assert got.auc > 0.7


@every_weight
@pytest.mark.parametrize("within", WIDE)
def test_parts_of_the_auc_of_calibrated_forecasts_are_regrets(
    weight: NDArray[Any] | None, within: tuple[float, float]
) -> None:
    t = calibrated(weight)
    got = ranking(t, within=within)
    assert got.partial_auc_above is not None
    assert got.partial_auc_beside is not None
    inside = (t.value >= within[0]) & (t.value <= within[1])
    cases, events = t.weight[inside].sum(), t.events[inside].sum()
    pi, share, rate = t.event_rate, cases / t.total, events / cases
    right = share * (pi + (1 - 2 * pi) * rate - got.regret_at_scores)
    parts = got.partial_auc_above + got.partial_auc_beside
    assert pi * (1 - pi) * parts == pytest.approx(right, rel=0, abs=1e-15)
    # The balanced average accuracy, for any event rate.
    shares = events / t.events.sum() + (cases - events) / (t.weight - t.events).sum()
    expected = right / (pi * (1 - pi) * shares)
    assert got.balanced_average_accuracy == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("within", WIDE)
def test_if_half_of_the_cases_have_the_event_it_is_linear_in_the_regret(
    within: tuple[float, float],
) -> None:
    source = calibrated(WEIGHT)
    # Reweighting and shifting alike keeps forecasts calibrated.
    t = with_event_rate(source, 0.5, forecasts_for=source.event_rate)
    got = ranking(t, within=within)
    assert got.regret_at_scores is not None
    expected = 1 - 2 * got.regret_at_scores
    assert got.balanced_average_accuracy == pytest.approx(expected, rel=1e-12)
    assert got.gap == pytest.approx(0, abs=4e-15)


def test_increasing_changes_of_the_forecasts_change_the_gap_alone() -> None:
    before, after = ranking(tally(Y, P)), ranking(tally(Y, P**4))
    for name in ("auc", "auc_skill", "average_precision"):
        assert getattr(after, name) == getattr(before, name)
    assert abs(after.gap - before.gap) > 0.01


def test_both_ends_of_the_range_belong_to_it() -> None:
    t = tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    closed, larger = ranking(t, within=(0.3, 0.6)), ranking(t, within=(0.2, 0.7))
    assert {**asdict(closed), "within": None} == {**asdict(larger), "within": None}
    assert closed.partial_auc_above == 0.25
    # FP(0.3) = 1/4, FP(0.6) = FN(0.6) = 1/4.
    assert closed.regret_at_scores == pytest.approx((0.3 / 4 + 0.6 / 4 + 0.4 / 4) / 2, rel=1e-15)


# The threshold that is best in hindsight


def test_ks_is_the_one_sided_statistic_of_two_samples() -> None:
    got = ranking(tally(Y, P)).kolmogorov_smirnov
    theirs = ks_2samp(P[Y], P[~Y], alternative="less", method="asymp").statistic
    assert got == pytest.approx(theirs, rel=1e-14)
    turned = ranking(tally(Y, 1 - P)).kolmogorov_smirnov
    assert turned == pytest.approx(
        ks_2samp(P[Y], P[~Y], alternative="greater").statistic, rel=1e-14
    )


@given(rows)
def test_no_threshold_errs_less_and_none_tells_the_classes_better_apart(
    drawn: list[tuple[int, bool, int]],
) -> None:
    p, y, w = (np.array(x) for x in zip(*drawn, strict=True))
    got = ranking(tally(y, p / 8, weight=w))
    wrong = [w @ ((p >= at) != y) for at in range(10)]
    assert got.least_error_rate == min(wrong) / w.sum()
    if 0 < y.sum() < len(y):
        rise = [w @ (y & (p >= at)) / (w @ y) - w @ (~y & (p >= at)) / (w @ ~y) for at in range(10)]
        assert got.kolmogorov_smirnov == pytest.approx(max(rise), abs=1e-15)
        assert 0 <= got.kolmogorov_smirnov <= 1


def test_a_curve_below_the_diagonal_has_no_ks() -> None:
    got = ranking(tally([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4]))
    assert (got.kolmogorov_smirnov, got.least_error_rate) == (0, 0.5)


# What is undefined


@pytest.mark.parametrize("happened", [0, 1])
def test_without_one_of_the_classes(happened: int) -> None:
    got = ranking(tally([happened] * 3, [0.2, 0.4, 0.4]), within=(0.3, 0.5))
    undefined = [
        "auc",
        "auc_skill",
        "auc_if_calibrated",
        "gap",
        "kolmogorov_smirnov",
        "partial_auc_above",
        "partial_auc_beside",
    ]
    for name in [*undefined, "balanced_average_accuracy"]:
        assert math.isnan(getattr(got, name)), name
    assert got.least_error_rate == 0
    assert got.average_precision == pytest.approx(1 if happened else math.nan, nan_ok=True)
    assert got.regret_at_scores == pytest.approx(0.6 / 3 if happened else 0.4 * 2 / 3)


def test_without_forecasts_in_the_range() -> None:
    got = ranking(tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]), within=(0.4, 0.5))
    assert (got.partial_auc_above, got.partial_auc_beside) == (0, 0)
    assert got.balanced_average_accuracy is not None
    assert got.regret_at_scores is not None
    assert math.isnan(got.balanced_average_accuracy)
    assert math.isnan(got.regret_at_scores)


# The record
