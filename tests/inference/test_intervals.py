"""Intervals of scores, skills, areas and net benefit: what they are, and where there are none."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student
from sklearn.metrics import roc_auc_score

import properly
from properly import Cases, roc_curve, score_interval, tally
from properly.errors import DataWarning, ImproperRuleError
from properly.inference import auc_interval, net_benefit_interval, skill_interval
from properly.rules import Brier, Log, Shifted

RNG = np.random.default_rng(11)
N = 200
P = np.round(RNG.uniform(0.02, 0.98, N), 2)
Y = RNG.random(N) < 0.2 + 0.6 * P
WEIGHT = RNG.gamma(2.0, size=N)
CLUSTER = RNG.integers(0, 25, N)


def cases(**known: Any) -> Cases:
    return Cases(Y, P, **known)


def test_of_independent_cases_it_is_student_s_interval_of_a_mean() -> None:
    loss = (P - Y) ** 2
    error = loss.std(ddof=1) / math.sqrt(N)
    half = student.ppf(0.95, N - 1) * error
    for source in (cases(), tally(Y, P)):
        found = score_interval(source, Brier(), level=0.9)
        assert found.value == pytest.approx(loss.mean(), rel=1e-14)
        assert found.standard_error == pytest.approx(error, rel=1e-12)
        assert found.interval == pytest.approx((loss.mean() - half, loss.mean() + half), rel=1e-12)
        assert (found.degrees, found.level, found.cases) == (N - 1, 0.9, N)
        assert found.design == "200 independent cases"


def test_rows_of_whole_weight_are_one_case_each() -> None:
    weight = 1 + np.arange(N) % 6
    loss = Brier().loss(Y, P)
    mean = np.average(loss, weights=weight)
    error = np.sqrt(N / (N - 1) * np.sum((weight * (loss - mean) / weight.sum()) ** 2))
    found = score_interval(Cases(Y, P, weight=weight), Brier())
    assert found.value == pytest.approx(mean, rel=1e-14)
    assert found.standard_error == pytest.approx(error, rel=1e-12)
    assert (found.cases, found.degrees) == (N, N - 1)
    assert found.effective_cases == pytest.approx(weight.sum() ** 2 / (weight @ weight))
    of_tally = score_interval(tally(Y, P, weight=weight), Brier())
    n = found.effective_cases
    factor = np.sqrt(n / (n - 1) * (N - 1) / N)
    assert of_tally.standard_error == pytest.approx(factor * error, rel=1e-12)


def test_an_infinite_score_is_told_and_not_dropped() -> None:
    p = P.copy()
    p[Y.argmax()] = 0.0
    for source in (Cases(Y, p), tally(Y, p)):
        found = score_interval(source, Log())
        assert found.value == math.inf
        assert math.isnan(found.standard_error)
        assert math.isnan(found.interval[0])
        assert found.interval[1] == math.inf
        assert found.infinite_cases == int((Y & (p == 0)).sum()) > 0
        assert found.infinite_share == pytest.approx(found.infinite_cases / N)
        assert "of infinite loss" in str(found)
    skill = skill_interval(Cases(Y, p), Log())
    assert skill.value == -math.inf
    assert skill.interval[0] == -math.inf
    assert score_interval(Cases(Y, p), Brier()).infinite_cases == 0


def test_losses_that_do_not_vary_have_no_interval() -> None:
    found = score_interval(Cases(np.arange(60) % 2, np.full(60, 0.5)), Brier())
    assert found.standard_error == 0
    assert np.isnan(found.interval).all()
    assert str(found) == "0.25 (no interval; 60 independent cases)"


@pytest.mark.parametrize(
    "judge",
    [
        lambda t: properly.decompose(t, Brier(), interval=True, replicates=9, rng=1),
        lambda t: properly.at_threshold(t, 0.1, interval=True),
        lambda t: properly.decision_curve(t, band="confidence"),
        lambda t: properly.murphy_curve(t, band="confidence"),
        lambda t: properly.roc_curve(t, band="confidence"),
        lambda t: properly.reliability(t, band="confidence", rng=1),
        lambda t: properly.calibration.calibration_curve(t, fit="loess"),
    ],
    ids=["parts", "threshold", "decision", "murphy", "roc", "reliability", "smooth"],
)
def test_few_events_are_warned_of_wherever_there_are_intervals_or_bands(judge: Any) -> None:
    y, p = np.arange(60) % 3 == 0, np.arange(1, 61) / 100
    with pytest.warns(DataWarning) as caught:
        judge(tally(y & (np.arange(60) > 2), p))
    message = "with 19 events and 41 cases without it, intervals may cover less than their level"
    assert [str(x.message) for x in caught] == [message]
    judge(tally(y, p))


def test_events_of_different_weight_are_counted_as_fewer() -> None:
    y, p = np.arange(200) < 25, np.linspace(0.01, 0.99, 200)
    whole = np.where(y & (np.arange(200) % 5 == 0), 9, 1)
    # 65 squared over 425.
    told = "with the weight of 9.9 events and 175 cases without it, intervals may cover less"
    for weight in (whole, whole / 8):
        for source in (Cases(y, p, weight=weight), tally(y, p, weight=weight)):
            with pytest.warns(DataWarning, match=told):
                score_interval(source, Brier())
    score_interval(tally(y, p, count=whole), Brier())
    score_interval(tally(y, p, weight=np.where(y, 2, 1)), Brier())


def test_a_skill_has_its_interval_on_the_scale_of_log_ratios() -> None:
    found = skill_interval(cases(clusters=CLUSTER), Brier())
    assert found.value == pytest.approx(properly.skill(Y, P, Brier()), rel=1e-13)
    low, high = (1 - x for x in found.interval[::-1])
    ratio = 1 - found.value
    assert math.sqrt(low * high) == pytest.approx(ratio, rel=1e-12)
    half = student.ppf(0.975, found.degrees) * found.standard_error / ratio
    assert math.log(high / ratio) == pytest.approx(half, rel=1e-12)


def test_a_skill_against_another_model_uses_both_losses() -> None:
    other = np.clip(P + 0.1, 0, 1)
    found = skill_interval(cases(weight=WEIGHT), Brier(), reference=other)
    a, b = (P - Y) ** 2, (other - Y) ** 2
    mean = np.average(b, weights=WEIGHT)
    ratio = np.average(a, weights=WEIGHT) / mean
    influence = WEIGHT * (a - ratio * b) / (WEIGHT.sum() * mean)
    assert found.value == pytest.approx(1 - ratio, rel=1e-12)
    assert found.standard_error == pytest.approx(
        math.sqrt(N / (N - 1) * (influence**2).sum()), rel=1e-10
    )


def test_the_skill_of_the_reference_itself_is_exactly_known() -> None:
    found = skill_interval(Cases(Y, np.full(N, Y.mean())), Brier())
    assert found.value == pytest.approx(0, abs=1e-15)
    assert found.standard_error == 0
    assert np.isnan(found.interval).all()


def test_an_improper_rule_needs_a_reference() -> None:
    rule = Shifted(0.3, form="published")
    with pytest.raises(ImproperRuleError, match="without a reference"):
        skill_interval(cases(), rule)
    assert math.isfinite(skill_interval(cases(), rule, reference=0.4).standard_error)


def test_delong_is_the_covariance_of_placements() -> None:
    events, others = P[Y], P[~Y]
    above = (events[:, None] > others) + (events[:, None] == others) / 2
    error = math.sqrt(
        above.mean(axis=1).var(ddof=1) / len(events) + above.mean(axis=0).var(ddof=1) / len(others)
    )
    for source in (cases(), tally(Y, P)):
        found = auc_interval(source, method="wald")
        assert found.value == pytest.approx(above.mean(), rel=1e-13)
        assert found.standard_error == pytest.approx(error, rel=1e-12)
        half = norm.ppf(0.975) * error
        assert found.interval == pytest.approx((found.value - half, found.value + half), rel=1e-12)


@pytest.mark.filterwarnings("ignore:with 6 events")
def test_few_events_leave_an_area_few_degrees_of_freedom() -> None:
    rng = np.random.default_rng(8)
    y = np.arange(100) < 6
    p = np.round(np.where(y, rng.beta(3, 3, 100), rng.beta(2, 4, 100)), 3)
    higher = (p[y][:, None] > p[~y]) + 0.5 * (p[y][:, None] == p[~y])
    parts = np.array([higher.mean(axis=1).var(ddof=1) / 6, higher.mean(axis=0).var(ddof=1) / 94])
    expected = min(
        x.sum() ** 2 / (x**2 / [5, 93]).sum() for x in (parts, np.array([1 / 6, 1 / 94]))
    )
    found = [auc_interval(x) for x in (Cases(y, p), tally(y, p))]
    rivals = properly.compare(y, {"a": p, "b": p**2 / 2 + 0.1 * y}, rule="auc", rng=1)
    wald = auc_interval(Cases(y, p), method="wald")
    for each in (*found, rivals.scores["a"]):
        assert each.degrees == pytest.approx(expected, rel=1e-10)
        half = student.ppf(0.975, expected) * each.standard_error / (each.value * (1 - each.value))
        middle = math.log(each.value / (1 - each.value))
        assert each.interval == pytest.approx(1 / (1 + np.exp(-middle + half * np.array([1, -1]))))
    assert wald.degrees == math.inf
    assert 5 < expected < 7


def test_a_perfect_area_has_no_interval() -> None:
    y = np.arange(60) % 2
    found = auc_interval(Cases(y, 0.2 + 0.5 * y))
    assert found.value == 1
    assert found.standard_error == 0
    assert np.isnan(found.interval).all()


@pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")
def test_without_events_there_is_no_area() -> None:
    assert math.isnan(auc_interval(tally([0, 0, 0], [0.7, 0.2, 0.1])).value)


RATES = [(0.0, 0.1), (0.2, 0.55), (0.7, 1.0), (0.0, 1.0)]
every_part = pytest.mark.parametrize("rates", RATES)


def height(weight: Any, rates: tuple[float, float], p: Any = P) -> float:
    """Return the mean height of the curve by a fine rule for each of its straight pieces."""
    curve = properly.roc_curve(tally(Y, p, weight=weight))
    x, y = curve.false_positive_rate, curve.true_positive_rate
    cuts = np.unique(np.clip(x, *rates))
    between = (cuts[1:] + cuts[:-1]) / 2
    return float(np.diff(cuts) @ np.interp(between, x, y) / (rates[1] - rates[0]))


@pytest.mark.slow
@every_part
@pytest.mark.parametrize("p", [P, P + np.arange(N) / 1e5], ids=["ties", "none"])
def test_a_part_of_the_curve_is_judged_by_how_cases_move_it(
    rates: tuple[float, float], p: Any
) -> None:
    found = auc_interval(Cases(Y, p, weight=WEIGHT), false_positive_rates=rates)
    assert found.value == pytest.approx(height(WEIGHT, rates, p), rel=1e-13)
    step, influence = 1e-6, []
    for row in range(N):
        up, down = (WEIGHT + side * step * (np.arange(N) == row) for side in (1, -1))
        slope = (height(up, rates, p) - height(down, rates, p)) / (2 * step)
        influence.append(WEIGHT[row] * slope)
    # Influences of either side add up to 0; DeLong's factors are those of two samples.
    moves, sizes = np.array(influence), np.where(Y, Y.sum(), (~Y).sum())
    away = moves - np.where(Y, moves[Y].mean(), moves[~Y].mean())
    error = math.sqrt((away**2 * sizes / (sizes - 1)).sum())
    assert found.standard_error == pytest.approx(error, rel=1e-6)


@pytest.mark.parametrize("most", [0.05, 0.3, 1.0])
def test_a_part_that_begins_at_0_is_that_of_mc_clish(most: float) -> None:
    found = auc_interval(cases(), false_positive_rates=(0, most)).value * most
    least = most**2 / 2
    scaled = (1 + (found - least) / (most - least)) / 2
    assert scaled == pytest.approx(roc_auc_score(Y, P, max_fpr=most), rel=1e-12)


@every_part
def test_parts_of_counts_and_of_rows_agree(rates: tuple[float, float]) -> None:
    one, other = (auc_interval(x, false_positive_rates=rates) for x in (cases(), tally(Y, P)))
    assert one.value == pytest.approx(other.value, rel=1e-13)
    assert one.interval == pytest.approx(other.interval, rel=1e-12)
    weighted = auc_interval(tally(Y, P, weight=WEIGHT), false_positive_rates=rates)
    rows = auc_interval(cases(weight=WEIGHT), false_positive_rates=rates)
    assert weighted.standard_error == pytest.approx(rows.standard_error, rel=0.02)


def test_parts_add_up_to_the_area() -> None:
    cuts = [0, 0.1, 0.35, 0.8, 1]
    parts = [
        (b - a) * auc_interval(cases(), false_positive_rates=(a, b)).value
        for a, b in pairwise(cuts)
    ]
    assert sum(parts) == pytest.approx(auc_interval(cases()).value, rel=1e-13)


@pytest.mark.parametrize("make", [tally, Cases])
@pytest.mark.parametrize("rates", [(0.0, 1.0), (0.9, 1.0), (0.25, 0.6)])
def test_a_part_between_true_positive_rates_is_that_of_the_complement(
    rates: tuple[float, float], make: Any
) -> None:
    one = make(Y, P, weight=WEIGHT)
    found = auc_interval(one, true_positive_rates=rates)
    # Jiang, Metz and Nishikawa: the area to the right of the curve, above a true positive rate.
    curve, (a, b) = roc_curve(one), rates
    cuts = np.unique([a, b, *np.clip(curve.true_positive_rate, a, b)])
    # The curve is straight between two cuts, and jumps at cuts alone.
    middle = (cuts[1:] + cuts[:-1]) / 2
    beside = 1 - np.interp(middle, curve.true_positive_rate, curve.false_positive_rate)
    assert found.value == pytest.approx(np.diff(cuts) @ beside / (b - a), rel=1e-12)
    turned = make(~Y, (1 - P).round(9), weight=WEIGHT)
    other = auc_interval(turned, false_positive_rates=(1 - b, 1 - a))
    assert found.interval == pytest.approx(other.interval, rel=1e-12)
    whole = auc_interval(one, true_positive_rates=(0, 1))
    assert whole.value == pytest.approx(auc_interval(one).value, rel=1e-13)


def test_two_samples_are_compared_as_by_proc() -> None:
    half = np.arange(N) < 80
    parts = [auc_interval(Cases(Y[x], P[x])) for x in (half, ~half)]
    variance = [part.standard_error**2 for part in parts]
    degrees = sum(variance) ** 2 / (variance[0] ** 2 / 79 + variance[1] ** 2 / 119)
    error = math.sqrt(sum(variance))
    step = student.ppf(0.95, degrees) * error
    gap = parts[0].value - parts[1].value
    for make in (Cases, tally):
        one, other = (make(Y[x], P[x]) for x in (half, ~half))
        found = auc_interval(one, against=other, level=0.9)
        assert found.value == pytest.approx(gap, rel=1e-12)
        assert found.standard_error == pytest.approx(error, rel=1e-12)
        assert found.degrees == pytest.approx(degrees, rel=1e-12)
        assert found.interval == pytest.approx((gap - step, gap + step), rel=1e-12)
        assert found.cases == N
        assert found.design == "80 independent cases against 120 independent cases"
        assert auc_interval(other, against=one).value == -found.value


def test_net_benefit_is_a_mean_of_what_was_gained() -> None:
    gain = (P >= 0.2) * (Y - (1 - Y) * 0.25)
    found = net_benefit_interval(cases(), 0.2)
    assert found.value == pytest.approx(gain.mean(), rel=1e-13)
    assert found.standard_error == pytest.approx(gain.std(ddof=1) / math.sqrt(N), rel=1e-12)
    standard = net_benefit_interval(cases(), 0.2, standardized=True)
    assert standard.value == pytest.approx(gain.mean() / Y.mean(), rel=1e-13)
    influence = (gain - standard.value * Y) / (N * Y.mean())
    error = math.sqrt(N / (N - 1) * (influence**2).sum())
    assert standard.standard_error == pytest.approx(error, rel=1e-10)


@pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")
@pytest.mark.parametrize("known", [{}, {"clusters": CLUSTER}, {"time": np.arange(N)}], ids=str)
def test_net_benefit_has_the_score_interval_of_alarms(known: dict[str, Any]) -> None:
    sample = Cases(Y & (np.arange(N) % 8 == 0), P, **known)
    found = net_benefit_interval(sample, 0.2)
    at = properly.at_threshold(sample, 0.2, interval=True)
    assert at.intervals is not None
    assert found.interval == pytest.approx(at.intervals["net_benefit"], rel=1e-9)
    assert found.method == "score"


def test_a_known_event_rate_is_a_design_with_the_outcome_as_stratum() -> None:
    there = properly.counts.with_event_rate(cases(strata=Y), 0.1)
    found = score_interval(there, Brier())
    loss = (P - Y) ** 2
    one, none = loss[Y], loss[~Y]
    expected = math.sqrt(0.01 * one.var(ddof=1) / len(one) + 0.81 * none.var(ddof=1) / len(none))
    assert found.standard_error == pytest.approx(expected, rel=1e-12)


@pytest.mark.filterwarnings("ignore::properly.errors.DataWarning")
def test_no_interval_of_a_score_leaves_the_range_of_the_rule() -> None:
    y, p = np.array([0, 1, 0, 0]), np.array([0.05, 0.6, 0.04, 0.03])
    found = score_interval(Cases(y, p), Brier())
    reach = student.ppf(0.975, 3) * found.standard_error
    assert found.value < reach
    assert found.interval == pytest.approx((0, found.value + reach))
    assert score_interval(Cases(y, 1 - p), Brier()).interval[1] == 1
    # A table of two classes has another scale.
    rows = np.stack([p, 1 - p], axis=1)
    assert score_interval(Cases(y, rows), Brier()).interval[1] == 2
    e = properly.evaluate(y, {"good": p, "bad": 1 - p}, replicates=9, rng=0)
    assert e.scores["good"]["brier"].interval == found.interval
    for name in ("good", "bad"):
        low, high = e.decompositions[name]["brier"].intervals.score
        assert 0 <= low < high <= 1
    times = properly.over_time(
        Cases(np.tile(y, 5), np.tile(p, 5), time=np.arange(20) // 10), Brier()
    )
    assert (times.lower >= 0).all()


@pytest.mark.filterwarnings("ignore:with 59 events")
def test_scores_of_comparisons_and_of_groups_stay_in_the_range_of_the_rule() -> None:
    # One case in 60 costs almost 1, the others almost nothing.
    p = np.full(60, 0.99)
    y = np.arange(60) > 0
    found = properly.compare(y, {"a": p, "b": p - 0.01}, rule=Brier())
    assert found.scores["a"].interval[0] == 0
    mixed, happened = np.tile([0.02, 0.98], 600), np.tile([0, 1], 600)
    happened[0] = 1
    groups = properly.by_group(
        happened, mixed, Brier(), groups=np.arange(1200) // 600, replicates=1
    )
    assert groups.measures["score"].interval[0, 0] == 0
