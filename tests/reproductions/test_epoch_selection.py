"""What a metric that selects the epoch is worth on test data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from reproductions.epochs.selection import SelectionReport, TrainingRun, selection_report
from scipy.special import stdtrit
from scipy.stats import permutation_test, ttest_1samp

from properly.errors import DataError

EPOCHS = 30


def simulated(seed: int) -> TrainingRun:
    """Train something that gets better, then overfits, with noise."""
    rng = np.random.default_rng(seed)
    epoch = np.arange(EPOCHS)
    log = 1 + 0.002 * (epoch - 10) ** 2 + rng.normal(0, 0.1, EPOCHS)
    error = 0.5 - 0.01 * epoch + rng.normal(0, 0.03, EPOCHS)
    f1 = 0.4 + 0.01 * epoch + rng.normal(0, 0.03, EPOCHS)
    validation = {"log": log, "error": error, "macro_f1": f1}
    test = {"macro_f1": f1 + rng.normal(0, 0.05, EPOCHS), "log": log + rng.normal(0, 0.1, EPOCHS)}
    return TrainingRun(validation, test)


RUNS = [simulated(seed) for seed in range(12)]
BY, TOLD = ("log", "error", "macro_f1"), ("macro_f1", "log")


def report(runs: list[TrainingRun] = RUNS, **known: Any) -> SelectionReport:
    asked: dict[str, Any] = {"by": BY, "report": TOLD, "rng": 1} | known
    return selection_report(runs, **asked)


def differences(found: SelectionReport, way: str, by: str, told: str) -> Any:
    one, other = found[way, by, told], found[way, str(found.baseline), told]
    return np.array(one.values) - np.array(other.values)


def test_a_checkpoint_is_the_best_epoch_on_validation_told_on_test() -> None:
    found = report()
    assert len(found) == 6
    for one in found:
        for run, epoch, value in zip(RUNS, one.epochs, one.values, strict=True):
            curve = run.validation[one.by]
            assert epoch == (curve.argmax() if one.by == "macro_f1" else curve.argmin())
            assert value == run.test[one.report][epoch]
        assert one.mean == pytest.approx(np.mean(one.values))
        assert one.standard_deviation == pytest.approx(np.std(one.values, ddof=1))
        assert math.isnan(one.difference)
        assert one.method == ""


def test_early_stopping_takes_the_best_epoch_before_the_stop() -> None:
    run = TrainingRun(
        {"log": [0.9, 0.5, 0.6, 0.7, 0.1], "macro_f1": [0.1, 0.2, 0.3, 0.4, 0.5]},
        {"macro_f1": [0.0, 0.1, 0.2, 0.3, 0.4]},
    )
    known: Any = {"by": ("log", "macro_f1"), "report": "macro_f1"}
    found = selection_report([run], **known, patience=2)
    assert found["checkpoint", "log", "macro_f1"].epochs == (4,)
    assert found["early stopping", "log", "macro_f1"].epochs == (1,)
    assert found["early stopping", "log", "macro_f1"].values == (0.1,)
    assert found["early stopping", "macro_f1", "macro_f1"].epochs == (4,)
    patient = selection_report([run], **known, patience=3)
    assert patient["early stopping", "log", "macro_f1"].epochs == (4,)


def test_the_interval_of_independent_runs_is_that_of_a_paired_t_test() -> None:
    found = report(baseline="log", level=0.9, patience=4)
    for way in ("checkpoint", "early stopping"):
        for by in ("error", "macro_f1"):
            one = found[way, by, "macro_f1"]
            apart = differences(found, way, by, "macro_f1")
            t = ttest_1samp(apart, 0)
            ends = t.confidence_interval(0.9)
            assert one.difference == pytest.approx(apart.mean())
            assert one.interval == pytest.approx((ends.low, ends.high))
    assert (found.runs, found.units, found.design) == (12, 12, "12 independent runs")


def test_few_runs_are_tested_by_all_changes_of_sign() -> None:
    found = report(RUNS[:6], baseline="log")
    for by in ("error", "macro_f1"):
        apart = differences(found, "checkpoint", by, "macro_f1")
        exact = permutation_test((apart,), np.mean, permutation_type="samples", n_resamples=np.inf)
        one = found["checkpoint", by, "macro_f1"]
        assert one.p_value == pytest.approx(exact.pvalue)
        assert one.method == "sign flips"


def test_many_runs_are_tested_by_student_s_t() -> None:
    runs = [simulated(seed) for seed in range(40)]
    found = report(runs, baseline="log", by=("log", "error"), report="macro_f1")
    one = found["checkpoint", "error", "macro_f1"]
    apart = differences(found, "checkpoint", "error", "macro_f1")
    assert one.p_value == pytest.approx(ttest_1samp(apart, 0).pvalue)
    assert one.method == "Student's t"
    assert "changes of sign" not in str(found)


def test_runs_of_one_seed_count_as_one_unit() -> None:
    seeds = np.repeat(["a", "b", "c"], 4)
    found = report(clusters=seeds, baseline="log")
    assert (found.runs, found.units) == (12, 3)
    assert found.design == "12 runs in 3 independent clusters"
    for by in ("error", "macro_f1"):
        one = found["checkpoint", by, "macro_f1"]
        means = differences(found, "checkpoint", by, "macro_f1").reshape(3, 4).mean(axis=1)
        ends = ttest_1samp(means, 0).confidence_interval()
        assert one.difference == pytest.approx(means.mean())
        assert one.interval == pytest.approx((ends.low, ends.high))
        assert one.p_value >= 0.25


def test_clusters_of_unequal_size_have_the_variance_of_their_sums() -> None:
    number = np.array([0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3])
    found = report(clusters=number, baseline="log")
    one = found["checkpoint", "error", "log"]
    apart = differences(found, "checkpoint", "error", "log")
    total = np.array([(apart - apart.mean())[number == k].sum() / 12 for k in range(4)])
    # Bell and McCaffrey: shares 5/12, 2/12, 3/12 and 2/12 of the cases, 2.67 degrees of freedom.
    share = np.array([5, 2, 3, 2]) / 12
    error = math.sqrt((total**2 / (1 - share)).sum())
    lost = np.outer(share**2 / (1 - share), share**2 / (1 - share))
    np.fill_diagonal(lost, share**2)
    half = stdtrit(1 / lost.sum(), 0.975) * error
    middle = apart.mean()
    assert one.interval == pytest.approx((middle - half, middle + half), rel=1e-8)


def test_one_unit_has_no_interval_and_the_text_says_so() -> None:
    for known in ({"runs": RUNS[:1]}, {"runs": RUNS[:5], "clusters": ["one"] * 5}):
        found = report(baseline="log", **known)
        assert found.units == 1
        for one in found:
            assert np.isnan([*one.interval, one.p_value, one.adjusted_p_value]).all()
            assert math.isnan(one.difference) is (one.by == "log")
        assert str(found).endswith(
            "One independent unit says nothing about chance: "
            "there are no intervals and no p-values."
        )
    assert math.isnan(report(RUNS[:1])["checkpoint", "log", "log"].standard_deviation)


def test_differences_that_are_all_the_same_are_tested_by_signs() -> None:
    run = TrainingRun({"a": [0, 1], "b": [1, 0]}, {"error": [0.5, 0.25]})
    found = selection_report([run] * 30, by=("a", "b"), report="error", baseline="a", rng=1)
    one = found["checkpoint", "b", "error"]
    assert (one.difference, one.method) == (-0.25, "sign flips")
    assert one.p_value == 1 / 2000
    assert np.isnan(one.interval).all()


def test_p_values_are_adjusted_for_all_differences_of_the_report() -> None:
    found = report(baseline="log", patience=5)
    p = np.array([one.p_value for one in found])
    adjusted = np.array([one.adjusted_p_value for one in found])
    assert np.isnan(p).sum() == np.isnan(adjusted).sum() == 4
    known = ~np.isnan(p)
    assert adjusted[known].min() == pytest.approx(min(8 * p[known].min(), 1))
    assert np.all(adjusted[known] >= p[known])


def test_an_infinite_loss_leaves_its_own_numbers_undefined_only() -> None:
    lost = TrainingRun(RUNS[0].validation, RUNS[0].test | {"log": np.full(EPOCHS, np.inf)})
    found = report([lost, *RUNS[1:]], baseline="log")
    one = found["checkpoint", "error", "log"]
    assert one.mean == math.inf
    assert np.isnan([one.standard_deviation, one.difference, *one.interval, one.p_value]).all()
    assert np.isfinite(found["checkpoint", "error", "macro_f1"].interval).all()
    assert "inf" in str(found)


def test_an_infinite_validation_loss_is_not_selected_but_may_be() -> None:
    run = TrainingRun({"log": [np.inf, 0.5, np.inf]}, {"error": [0.1, 0.2, 0.3]})
    (one,) = selection_report([run], by="log", report="error")
    assert one.epochs == (1,)
    run = TrainingRun({"log": [np.inf, np.inf]}, {"error": [0.1, 0.2]})
    (one,) = selection_report([run], by="log", report="error")
    assert one.epochs == (0,)


def test_the_same_seed_gives_the_same_report() -> None:
    runs = [simulated(seed) for seed in range(16)]
    known: dict[str, Any] = {"by": ("log", "error"), "baseline": "log"}
    one, other = (report(runs, **known, rng=3) for _ in range(2))
    assert str(one) == str(other)
    assert 1 / 2000 <= one["checkpoint", "error", "macro_f1"].p_value < 0.05


def test_a_misspelled_direction_is_refused() -> None:
    with pytest.raises(DataError, match="must have the column 'macro_F1'"):
        report(larger="macro_F1")
    # Without a direction F1 would be a loss, and the worst epoch would be selected.
    turned = report(by="macro_f1", report="macro_f1", larger=())
    right = report(by="macro_f1", report="macro_f1")
    assert turned.selections[0].mean < right.selections[0].mean
    assert "macro_f1 on test data (lower is better)" in str(turned)
