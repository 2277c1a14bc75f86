"""The exported names, exactly."""

import importlib
import subprocess
import sys

import pytest

DOORS = {
    "properly": """
        Answers Cases Evaluation Interval Monitor Summary Tally at_threshold auc audit
        brier_score by_fold by_group calibration calibration_curve calibration_error
        calibration_summary calibration_test check compare comparison counts cross_fit
        cumulative datasets decision_curve decisions decompose engines errors evaluate
        evaluation expected_cost generalized_mean inference integrations leaderboard
        log_loss means murphy_curve one_vs_rest over_time plots probability
        quadratic_weighted_kappa read recalibrate recalibration recommend regret_curve
        reliability report retention_curve roc_curve rules score_interval skill stream
        summarize tally top_label verdict
    """,
    "properly.calibration": """
        CalibrationTest Certain Decomposition GroupingError Reliability binned_reliability
        calibration_curve calibration_error calibration_summary calibration_test decompose
        grouping_error murphy_decomposition reliability
    """,
    "properly.comparison": """
        BestEpoch Comparison EarlyStopping Folds Groups Leaderboard by_fold by_group
        compare confidence_set leaderboard over_time
    """,
    "properly.counts": """
        Answers Cases Tally baselines cumulative one_vs_rest top_label with_event_rate
    """,
    "properly.datasets": """
        Crash crash tournament
    """,
    "properly.decisions": """
        AtThreshold Confusion DecisionCurve Dominance Money MurphyCurve Retention RocCurve
        at_budget at_threshold best_by_range confusion cumulative_forecast decide
        decision_curve decision_difference dominance expected_cost hard_decisions macro_f1
        mean_net_benefit murphy_curve murphy_difference
        predicted_roc_curve quadratic_weighted_kappa rank_by_threshold ranking recommend
        regret_curve regret_in_money rejection_scores retention_curve retention_study
        roc_curve weighted_kappa worst_cases
    """,
    "properly.engines": """
        Summary read tally
    """,
    "properly.errors": """
        ArgumentTypeError DataError DataWarning ImproperRuleError MissingExtraError
        ProperlyError
    """,
    "properly.evaluation": """
        Alarm Evaluation Evidence Monitor Repair check check_answers evaluate stream summarize
        verdict
    """,
    "properly.inference": """
        Band Estimate auc auc_interval bootstrap brier_score h_measure log_loss
        net_benefit_interval score_interval skill skill_interval
    """,
    "properly.plots": """
        binned_reliability comparison comparison_matrix confusion
        cumulative_forecast decision decision_difference dominance groups leaderboard mcb_dsc
        means_bars model_source monitor murphy range_map regret reliability reliability_grid
        retention risk_profile roc threshold_ranks threshold_weights triptych two_classes
        worst_cases
    """,
    "properly.probability": """
        EqualCount EqualWidth IsotonicSource Kernel Means Neighbours confidence_test
        generalized_mean means proper_means risk_profile source_table
    """,
    "properly.recalibration": """
        Beta Cuts Dirichlet Gain GroupShift Identity Intercept Isotonic Logistic
        Map OneVsRest PriorShift Recalibrated Temperature Training Vector VennAbers
        cross_fit load loads recalibrate recalibration_gain
    """,
    "properly.report": """
        figures methods show write
    """,
    "properly.rules": """
        Audit BetaWeighted BinaryRule Bounded Brier ClassRule Elementary
        HistogramWeighted Interval Log Misclassification MissedBenefit Mixture PBS PLL Penalized
        PointWeighted Propriety Pseudospherical QuadraticRPS RPS Ranked RankedLog Regret Rule
        Shifted Spherical SquaredAbsoluteRPS  audit is_superior parse_rule
        superior_penalty
    """,
    "properly.typing": """
        Array ArrayLike Column Floats IntoFrame Progress
    """,
}


@pytest.mark.parametrize("door", DOORS)
def test_a_door_exports_exactly_these_names(door: str) -> None:
    module = importlib.import_module(door)
    assert sorted(module.__all__) == sorted(DOORS[door].split())
    assert all(hasattr(module, name) for name in DOORS[door].split())


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("nothing", ""),
        ("__wrapped__", ""),
        ("evalute", "; did you mean properly.evaluate?"),
        ("Briar", "; did you mean properly.rules.Brier?"),
    ],
)
def test_an_unknown_name_is_an_attribute_error(name: str, hint: str) -> None:
    with pytest.raises(AttributeError) as refused:
        getattr(importlib.import_module("properly"), name)
    assert str(refused.value) == f"module 'properly' has no attribute '{name}'{hint}"


@pytest.mark.parametrize(
    ("name", "door"),
    [
        ("Brier", "rules"),
        ("Estimate", "inference"),
        ("at_budget", "decisions"),
        ("crash", "datasets"),
    ],
)
def test_a_name_behind_another_door_is_said_to_be_there(name: str, door: str) -> None:
    message = f"module 'properly' has no attribute '{name}'; it is in properly.{door}"
    with pytest.raises(AttributeError, match=f"^{message}$"):
        getattr(importlib.import_module("properly"), name)


def test_importing_properly_loads_no_optional_and_no_heavy_library() -> None:
    heavy = "matplotlib jinja2 narwhals pandas polars pyarrow duckdb torch sklearn scipy.optimize"
    code = f"import properly, sys; print([m for m in {heavy.split()!r} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603
    assert found.stdout.strip() == "[]"
