"""Every test of calibration: of calibrated forecasts, of others, and at the edges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, f, norm

import properly
from properly.calibration._event_tests import TRIALS
from properly.calibration._line import Subject, line_test
from properly.errors import DataError, DataWarning
from properly.rules import Log

DRAWN = ["combined", "mcb", "score", "ks", "kuiper"]

COMPUTED = ["spiegelhalter", "cox", "citl", "hosmer-lemeshow"]


def test_all_of_them_are_tried_here() -> None:
    assert sorted(DRAWN + COMPUTED) == sorted(TRIALS)


def draw(n: int, seed: int = 1, shift: float = 0.0, **known: Any) -> properly.Cases:
    rng = np.random.default_rng(seed)
    p = np.round(rng.uniform(0.02, 0.98, n), 2)
    odds = np.log(p / (1 - p)) + shift
    return properly.Cases((rng.random(n) < 1 / (1 + np.exp(-odds))).astype(int), p, **known)


def test(cases: Any, statistic: Any, **options: Any) -> properly.calibration.CalibrationTest:
    options = {"replicates": 99, "rng": 1} | options
    return properly.calibration_test(cases, statistic=statistic, **options)


test.__test__ = False  # type: ignore[attr-defined]


# calibrated and shifted forecasts


# the combined test
@pytest.mark.parametrize("seed", range(8))
def test_the_combined_test_ranks_the_smaller_of_two_p_values(seed: int) -> None:
    cases = draw(60, seed, shift=0.3)
    found = test(cases, "combined")
    parts = {name: test(cases, name).p_value for name in ("mcb", "score")}
    assert found.parts == parts  # the same seed, so the same draws
    least = min(parts.values())
    assert found.statistic == least
    assert least <= found.p_value <= 2 * least
    assert found.miscalibration == test(cases, "mcb").statistic
    assert found.mean_if_calibrated == test(cases, "mcb").mean_if_calibrated


def test_it_measures_miscalibration_by_any_proper_rule() -> None:
    cases = draw(60)
    found = properly.calibration_test(cases, Log(), statistic="combined", replicates=99, rng=1)
    alone = properly.calibration_test(cases, Log(), statistic="mcb", replicates=99, rng=1)
    assert found.parts["mcb"] == alone.p_value
    assert (found.name, found.rule) == ("combined", "log")


def test_it_is_the_default_of_independent_cases_and_the_score_test_of_clusters() -> None:
    assert properly.calibration_test(draw(60), replicates=9).name == "combined"
    clustered = properly.calibration_test(draw(60, clusters=np.arange(60) // 3))
    assert (clustered.name, clustered.method, clustered.degrees) == ("score", "chi-squared", 2)
    assert (clustered.replicates, clustered.rule) == (None, None)
    left = 20 - clustered.statistic
    assert clustered.p_value == pytest.approx(chi2.sf(clustered.statistic, 2))
    assert clustered.parts == {"F": pytest.approx(f.sf(clustered.statistic * 9 / left, 2, 18))}


@pytest.mark.parametrize("clusters", [5, 6, 7])
def test_with_so_few_clusters_that_hardly_any_p_value_is_small_nothing_is_tested(
    clusters: int,
) -> None:
    y, p = draw(400, shift=3.0).y, draw(400).p
    reason = f"{clusters} clusters are too few for this test"
    with pytest.warns(DataWarning, match=f"^calibration was not tested: {reason}$"):
        found = test(properly.Cases(y, p, clusters=np.arange(400) % clusters), "score")
    assert math.isnan(found.p_value)
    assert found.method == f"none: {reason}"
    assert str(found).startswith(f"no p-value by the score test of calibration ({reason}; ")
    assert found.parts["F"] < 0.05
    # With six the p-value is at least 0.0498, with eight 0.018.
    assert test(properly.Cases(y, p, clusters=np.arange(400) % 8), "score").p_value < 0.02
    wrong = properly.Cases(np.append(y, 1), np.append(p, 0.0), clusters=np.arange(401) % clusters)
    assert test(wrong, "score").p_value == 0


@pytest.mark.parametrize("statistic", TRIALS)
def test_a_tally_of_counts_is_one_of_copies_and_equal_weights_are_none(statistic: str) -> None:
    cases = draw(40)
    counted = properly.tally(cases.y, cases.p, count=np.full(40, 3))
    copies = properly.tally(np.repeat(cases.y, 3), np.repeat(cases.p, 3))
    assert test(counted, statistic) == test(copies, statistic)
    assert test(counted, statistic).design == "120 independent cases"
    weighted = properly.tally(cases.y, cases.p, weight=np.full(40, 3))
    assert test(weighted, statistic) == test(cases.tally(), statistic)


@pytest.mark.parametrize("statistic", [s for s in TRIALS if s != "hosmer-lemeshow"])
def test_whole_weights_are_no_counts(statistic: str) -> None:
    weight = np.random.default_rng(2).integers(1, 4, 60)
    whole, half = (test(draw(60, weight=w), statistic) for w in (weight, weight / 2))
    assert whole == half
    assert whole.design == "60 independent cases"


@pytest.mark.parametrize("statistic", ["cox", "citl"])
def test_a_line_of_weighted_cases_has_no_likelihood_ratio(statistic: str) -> None:
    number, cases = 1 + np.arange(60) % 3, draw(60)
    weighted = test(properly.Cases(cases.y, cases.p, weight=number), statistic)
    counted = test(properly.Cases(cases.y, cases.p, count=number), statistic)
    assert (weighted.method, counted.method) == ("F", "chi-squared")
    copied = properly.Cases(np.repeat(cases.y, number), np.repeat(cases.p, number))
    assert counted == test(copied, statistic)


@pytest.mark.parametrize(
    "known",
    [
        {},
        {"weight": np.full(120, 7.0)},
        {"weight": 1 + np.arange(120) % 2},
        {"clusters": np.arange(120) // 4},
        {"clusters": np.arange(120) // 4, "weight": 1 + np.arange(120) % 2},
    ],
    ids=["nothing", "equal weights", "weights", "clusters", "both"],
)
def test_the_line_is_tested_as_in_the_summary(known: Any) -> None:
    cases = draw(120, shift=0.3, **known)
    cox, citl = test(cases, "cox"), test(cases, "citl")
    found = properly.calibration_summary(cases, replicates=1).tests
    p = (cox.p_value, citl.p_value, cox.parts["slope"])
    expected = (found["joint"], found["in_the_large"], found["slope"])
    assert p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("statistic", ["score", "cox", "citl"])
def test_clusters_that_are_all_alike_leave_no_p_value(statistic: str) -> None:
    p, y = np.tile([0.13, 0.27, 0.61, 0.83, 0.49], 12), np.tile([0, 1, 1, 0, 1], 12)
    found = test(properly.Cases(y, p, clusters=np.repeat(np.arange(12), 5)), statistic)
    assert math.isnan(found.p_value)


def test_strata_of_independent_cases_play_no_part() -> None:
    for statistic in TRIALS:
        assert test(draw(60, strata=np.arange(60) % 2), statistic) == test(draw(60), statistic)


@pytest.mark.parametrize("statistic", ["score", "cox", "citl"])
def test_clusters_of_copies_count_once(statistic: str) -> None:
    # Each case four times: independent, that would be four times the evidence.
    cases = draw(200, shift=0.3)
    y, p = np.repeat(cases.y, 4), np.repeat(cases.p, 4)
    clustered = properly.Cases(y, p, clusters=np.repeat(np.arange(200), 4))
    found, once, naive = (test(x, statistic) for x in (clustered, cases, properly.Cases(y, p)))
    assert found.design == "200 clusters"
    once_p = once.parts.get("asymptotic", once.p_value)
    assert math.log(found.p_value) == pytest.approx(math.log(once_p), rel=0.25)
    assert naive.parts.get("asymptotic", naive.p_value) < 0.1 * found.p_value


@pytest.mark.parametrize("statistic", [None, *TRIALS])
def test_tests_allow_for_dependence_in_time_or_refuse_it(statistic: Any) -> None:
    cases = draw(60, time=np.arange(60))
    if statistic in ("spiegelhalter", "hosmer-lemeshow"):
        with pytest.raises(DataError, match="takes cases as independent; these have times"):
            test(cases, statistic)
        return
    found = test(cases, statistic)
    assert found.name == (statistic or "score")
    assert 0 < found.p_value <= 1
    assert found.design == "60 times"
    assert found.dependence is not None
    by_draws = statistic in ("combined", "mcb", "ks", "kuiper")
    rho = f"dependent draws (rho = {found.dependence.rho:.2f})"
    assert found.method == (rho if by_draws else "F")
    if not by_draws:
        assert found.degrees == ((1, 6) if statistic == "citl" else (2, 5))


@pytest.mark.parametrize("whole", [False, True], ids=["fractional", "whole"])
@pytest.mark.filterwarnings("ignore:weights are sampling weights")
def test_a_tally_of_weights_is_enough_for_one_contrast_alone(whole: bool) -> None:
    weight = np.random.default_rng(2).gamma(1.5, size=60)
    cases = draw(60, weight=np.ceil(weight) if whole else weight)
    found = test(cases.tally(), "spiegelhalter")
    assert found.p_value == test(cases, "spiegelhalter").p_value
    assert found.design.startswith("independent cases worth ")
    for statistic in DRAWN:
        with pytest.raises(DataError, match="a tally has only sums of their weights"):
            test(cases.tally(), statistic)
    with pytest.raises(DataError, match="weighted cases are taken one by one"):
        test(cases.tally(), "cox")
    with pytest.raises(DataError, match="counts cases; these have weights"):
        test(cases, "hosmer-lemeshow")


# certain forecasts
@pytest.mark.parametrize("statistic", DRAWN)
@pytest.mark.parametrize(("y", "p"), [(1, 0.0), (0, 1.0)])
def test_a_contradicted_certain_forecast_has_the_least_p_value(
    statistic: str, y: int, p: float
) -> None:
    cases = draw(40)
    wrong = properly.Cases(np.append(cases.y, y), np.append(cases.p, p))
    found = test(wrong, statistic)
    assert (found.p_value, found.replicates, found.p_is_bound) == (1 / 1001, 1000, True)
    if statistic == "score":
        assert (found.statistic, found.parts["asymptotic"]) == (math.inf, 0)
    if statistic == "combined":
        assert found.parts == {"mcb": 1 / 1001, "score": 1 / 1001}


@pytest.mark.parametrize("statistic", ["combined", "score"])
def test_certain_forecasts_that_came_true_are_left_out_of_the_score(statistic: str) -> None:
    cases = draw(40)
    right = properly.Cases(np.append(cases.y, [0, 1, 1]), np.append(cases.p, [0.0, 1.0, 1.0]))
    found = test(right, statistic)
    assert found.certain == 3
    assert test(cases, statistic).certain == 0
    weighted = properly.Cases(right.y, right.p, weight=np.full(43, 0.5))
    assert test(weighted, statistic).certain == 3


@pytest.mark.parametrize("statistic", [s for s in TRIALS if s not in ("cox", "citl")])
def test_nothing_but_certain_forecasts_that_came_true(statistic: str) -> None:
    found = test(properly.tally([0, 0, 1], [0.0, 0.0, 1.0]), statistic)
    assert found.p_value == 1
    assert found.statistic == (1 if statistic == "combined" else 0)


@pytest.mark.parametrize("known", [{}, {"clusters": np.arange(42) // 4}, {"time": np.arange(42)}])
@pytest.mark.parametrize("statistic", ["cox", "citl"])
def test_a_line_is_tested_without_certain_forecasts(statistic: str, known: Any) -> None:
    cases = draw(40)
    p = np.append(cases.p, [0.0, 1.0])
    found = test(properly.Cases(np.append(cases.y, [0, 1]), p, **known), statistic)
    fewer = {name: column[:40] for name, column in known.items()}
    alone = test(properly.Cases(cases.y, cases.p, **fewer), statistic)
    # Times stay: a step more makes cosines a little different.
    assert found.p_value == pytest.approx(alone.p_value, rel=0.2 if "time" in known else 1e-9)
    assert (found.name, found.certain) == (statistic, 2)
    wrong = test(properly.Cases(np.append(cases.y, [1, 1]), p, **known), statistic)
    assert (wrong.statistic, wrong.p_value) == (math.inf, 0)
    alone = test(properly.Cases([0, 1], [0.0, 1.0]), statistic)
    assert math.isnan(alone.p_value)


def test_clusters_with_certain_forecasts() -> None:
    cases = draw(40)
    clusters = np.append(np.arange(40) // 4, [3, 3])
    y, p = np.append(cases.y, [0, 1]), np.append(cases.p, [0.0, 1.0])
    right = test(properly.Cases(y, p, clusters=clusters), None)
    alone = test(properly.Cases(cases.y, cases.p, clusters=clusters[:40]), None)
    assert right.statistic == pytest.approx(alone.statistic, rel=1e-12)
    assert (right.degrees, right.certain) == (2, 2)
    wrong = test(properly.Cases(np.append(cases.y, [1, 1]), p, clusters=clusters), None)
    assert (wrong.statistic, wrong.p_value) == (math.inf, 0)
    sure = test(properly.Cases([0, 1, 1], [0.0, 1.0, 1.0], clusters=[0, 1, 2]), None)
    assert (sure.statistic, sure.degrees, sure.p_value) == (0, 0, 1)


# one by one
def test_one_forecast_has_no_slope() -> None:
    t = properly.Tally.from_counts([0.2], [50], [18])
    score = test(t, "score")
    assert score.statistic == pytest.approx(8, rel=1e-13)
    assert score.degrees == 1
    assert score.parts["asymptotic"] == pytest.approx(chi2.sf(8, 1), rel=1e-12)
    cox, citl = test(t, "cox"), test(t, "citl")
    assert (cox.statistic, cox.p_value, cox.degrees) == (citl.statistic, citl.p_value, 1)
    assert cox.parts == {}


def test_spiegelhalter_is_normal_and_two_sided() -> None:
    found, mirrored = (
        test(properly.tally(y, [0.1, 0.6]), "spiegelhalter") for y in ([1, 0], [0, 1])
    )
    assert found.p_value == pytest.approx(2 * norm.sf(found.statistic), rel=1e-12)
    assert mirrored.statistic < 0
    assert mirrored.p_value == pytest.approx(2 * norm.cdf(mirrored.statistic), rel=1e-12)


@pytest.mark.filterwarnings("ignore:calibration was not tested")
@pytest.mark.parametrize("known", [{}, {"weight": [0.5, 0.1, 0.2, 0.3]}])
@pytest.mark.parametrize("y", [[0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]])
def test_the_score_test_takes_over_where_data_separate(y: list[int], known: Any) -> None:
    cases = properly.Cases(y, [0.1, 0.2, 0.3, 0.4], **known)
    found = test(cases, "cox")
    assert found == test(cases, "score")
    assert found.name == "score"
    clustered = properly.Cases(y, [0.1, 0.2, 0.3, 0.4], clusters=[0, 1, 2, 2])
    assert test(clustered, "cox") == test(clustered, "score")


def test_training_data_leave_two_degrees_less() -> None:
    cases = draw(200)
    found, own = (test(cases, "hosmer-lemeshow", training=x) for x in (False, True))
    assert found.statistic == own.statistic
    assert (found.degrees, own.degrees) == (10, 8)
    assert own.p_value == pytest.approx(chi2.sf(own.statistic, 8), rel=1e-11)
    assert test(cases, "hosmer-lemeshow", groups=4).degrees == 4
    few = properly.Tally.from_counts([0.2, 0.6], [20, 20], [5, 11])
    assert test(few, "hosmer-lemeshow").degrees == 2
    with pytest.raises(DataError, match="needs 3 groups of different forecasts or more; got 2"):
        test(few, "hosmer-lemeshow", training=True)


def drawn(n: int, seed: int, **known: Any) -> properly.Cases:
    rng = np.random.default_rng(seed)
    p = np.round(rng.uniform(0.05, 0.95, n), 2)
    return properly.Cases((rng.random(n) < p).astype(int), p, **known)


def compared(cases: Any, *, joint: bool = True) -> Any:
    return line_test(Subject.of(cases), joint=joint)


def test_a_shift_of_one_forecast_by_hand() -> None:
    # 18 of 50 where 10 were expected.
    t = properly.Tally.from_counts([0.2], [50], [18])
    ratio = 2 * (18 * math.log(0.36 / 0.2) + 32 * math.log(0.64 / 0.8))
    for joint in (True, False):
        found = compared(t, joint=joint)
        assert found is not None
        assert found.statistic == pytest.approx(ratio, rel=1e-12)
        assert found.degrees == 1
        assert found.p_value == found.in_the_large == pytest.approx(chi2.sf(ratio, 1), rel=1e-11)
        assert math.isnan(found.slope)


def test_two_forecasts_are_fitted_exactly() -> None:
    # Two coefficients for two event rates: the likelihood is that of the rates themselves.
    t = properly.Tally.from_counts([0.2, 0.7], [50, 40], [18, 25])
    ratio = 2 * (18 * math.log(0.36 / 0.2) + 32 * math.log(0.64 / 0.8))
    ratio += 2 * (25 * math.log(0.625 / 0.7) + 15 * math.log(0.375 / 0.3))
    found = compared(t)
    assert found is not None
    assert found.statistic == pytest.approx(ratio, rel=1e-11)
    assert found.degrees == 2
    assert found.p_value == pytest.approx(chi2.sf(ratio, 2), rel=1e-10)


def test_the_ratios_of_level_and_slope_add_up() -> None:
    found = compared(drawn(120, 1))
    level = compared(drawn(120, 1), joint=False)
    assert found.in_the_large == level.p_value
    parts = chi2.isf(found.in_the_large, 1) + chi2.isf(found.slope, 1)
    assert parts == pytest.approx(found.statistic, rel=1e-8)


def test_the_sandwich_of_one_forecast_by_hand() -> None:
    # The intercept moves the rate r: its error is that of a mean, over r (1 - r).
    weight = np.array([1.0, 2.0, 1.5, 0.5, 1.0, 3.0])
    cases = properly.Cases([1, 0, 1, 0, 0, 1], np.full(6, 0.3), weight=weight)
    y = np.array([1, 0, 1, 0, 0, 1.0])
    rate = weight @ y / weight.sum()
    error = math.sqrt(6 / 5 * ((weight * (y - rate)) ** 2).sum()) / weight.sum()
    shift = math.log(rate / (1 - rate)) - math.log(0.3 / 0.7)
    expected = (shift * rate * (1 - rate) / error) ** 2
    found = compared(cases)
    assert found.statistic == pytest.approx(expected, rel=1e-11)
    assert found.degrees == (1, 5)
    assert found.p_value == pytest.approx(f.sf(expected, 1, 5), rel=1e-10)


def test_degrees_of_freedom_are_those_of_clusters() -> None:
    found = compared(drawn(80, 2, clusters=np.arange(80) // 8))
    assert found.degrees == (2, 8)
    assert found.p_value == pytest.approx(f.sf(found.statistic, 2, 8), rel=1e-11)
    strata = compared(drawn(80, 2, clusters=np.arange(80) // 8, strata=np.arange(80) // 40))
    assert strata.degrees == (2, 7)
    two = compared(drawn(80, 2, clusters=np.arange(80) // 40))
    assert math.isnan(two.p_value)
    assert two.degrees == (2, 0)
    assert 0 < two.in_the_large < 1


@pytest.mark.parametrize("y", [[0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0]])
def test_no_line_is_best_where_data_separate(y: list[int]) -> None:
    for weight in (None, [1.0, 2.0, 1.0, 2.0]):
        cases = properly.Cases(y, [0.1, 0.2, 0.3, 0.4], weight=weight)
        assert compared(cases) is None
        assert (compared(cases, joint=False) is None) == (len(set(y)) == 1)
