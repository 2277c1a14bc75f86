"""The exported names, exactly."""

import importlib
import subprocess
import sys

import pytest

DOORS = {
    "properly": [
        "Advice",
        "AtBudget",
        "AtThreshold",
        "Band",
        "BinnedReliability",
        "Bins",
        "CalibrationTest",
        "Cases",
        "DecisionCurve",
        "DecisionDifference",
        "Decomposition",
        "Evaluation",
        "Histogram",
        "Interval",
        "Money",
        "MurphyCurve",
        "MurphyDecomposition",
        "PartIntervals",
        "RangeMap",
        "Ranking",
        "Reliability",
        "RocBand",
        "RocCurve",
        "Tally",
        "ThresholdRanks",
        "at_budget",
        "at_threshold",
        "baselines",
        "best_by_range",
        "binned_reliability",
        "calibration_test",
        "datasets",
        "decision_curve",
        "decision_difference",
        "decompose",
        "errors",
        "evaluate",
        "h_measure",
        "mean_net_benefit",
        "murphy_curve",
        "murphy_decomposition",
        "murphy_difference",
        "plots",
        "rank_by_threshold",
        "ranking",
        "recommend",
        "regret_curve",
        "regret_difference",
        "regret_in_money",
        "reliability",
        "report",
        "reproduce",
        "roc_curve",
        "rules",
        "simulate",
        "skill",
        "tally",
        "typing",
        "with_event_rate",
    ],
    "properly.cli": ["command", "main"],
    "properly.datasets": ["Crash", "crash"],
    "properly.errors": [
        "ArgumentTypeError",
        "DataError",
        "ImproperRuleError",
        "MissingExtraError",
        "ProperlyError",
    ],
    "properly.plots": [
        "binned_reliability",
        "decision",
        "decision_difference",
        "mcb_dsc",
        "murphy",
        "range_map",
        "regret",
        "reliability",
        "reliability_grid",
        "roc",
        "threshold_ranks",
        "threshold_weights",
        "triptych",
    ],
    "properly.report": ["write"],
    "properly.reproduce": [
        "ConsequentialistReproduction",
        "CorpReproduction",
        "consequentialist",
        "corp",
    ],
    "properly.rules": [
        "BetaWeighted",
        "BinaryRule",
        "Bounded",
        "Brier",
        "Elementary",
        "HistogramWeighted",
        "Log",
        "Misclassification",
        "MissedBenefit",
        "Mixture",
        "PointWeighted",
        "Propriety",
        "Regret",
        "Rule",
        "Shifted",
        "Spherical",
    ],
    "properly.simulate": [
        "SimulatedModels",
        "Simulation",
        "assel",
        "corp",
    ],
    "properly.typing": ["Array", "ArrayLike", "IntoFrame"],
}


@pytest.mark.parametrize("door", DOORS)
def test_a_door_exports_exactly_these_names(door: str) -> None:
    module = importlib.import_module(door)
    assert sorted(module.__all__) == sorted(DOORS[door])
    assert all(hasattr(module, name) for name in DOORS[door])


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'properly' has no attribute 'nothing'"):
        importlib.import_module("properly").nothing  # noqa: B018


def test_importing_properly_loads_no_optional_and_no_heavy_library() -> None:
    heavy = "matplotlib jinja2 narwhals pandas polars pyarrow duckdb torch sklearn scipy.optimize"
    code = f"import properly, sys; print([m for m in {heavy.split()!r} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603
    assert found.stdout.strip() == "[]"
