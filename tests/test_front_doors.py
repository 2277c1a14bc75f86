"""The exported names, exactly."""

import importlib
import subprocess
import sys

import pytest

DOORS = {
    "properly": [
        "Band",
        "BinnedReliability",
        "Bins",
        "CalibrationTest",
        "Cases",
        "Decomposition",
        "Evaluation",
        "Histogram",
        "Interval",
        "PartIntervals",
        "MurphyCurve",
        "MurphyDecomposition",
        "Reliability",
        "RocBand",
        "RocCurve",
        "Tally",
        "binned_reliability",
        "calibration_test",
        "datasets",
        "decompose",
        "errors",
        "evaluate",
        "murphy_curve",
        "murphy_decomposition",
        "murphy_difference",
        "plots",
        "reliability",
        "report",
        "reproduce",
        "roc_curve",
        "rules",
        "simulate",
        "tally",
        "typing",
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
        "mcb_dsc",
        "murphy",
        "reliability",
        "reliability_grid",
        "roc",
        "triptych",
    ],
    "properly.report": ["write"],
    "properly.reproduce": ["CorpReproduction", "corp"],
    "properly.rules": [
        "BinaryRule",
        "Bounded",
        "Brier",
        "Elementary",
        "Log",
        "Misclassification",
        "Mixture",
        "Propriety",
        "Rule",
        "Spherical",
    ],
    "properly.simulate": ["Simulation", "corp"],
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
