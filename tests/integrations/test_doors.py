"""Each door to a framework exports what its page lists, and says what it needs."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "integrations.md"
SKLEARN = """
DecisionDisplay MurphyDisplay RecalibratedClassifier ReliabilityDisplay
RocDisplay bounded_brier_loss bounded_log_loss brier_loss calibration_error
discrimination log_loss make_rule_scorer miscalibration net_benefit
penalized_brier_loss penalized_log_loss ranked_log_loss ranked_probability_loss
rule_loss rule_scorers score_samples spherical_loss
"""
NAMES = {
    "sklearn": SKLEARN.split(),
    "torch": ["DecompositionMetric", "RuleLoss", "TallyMetric"],
    "lightning": ["ReliabilityCallback", "ScoreCallback"],
    "keras": ["RuleMetric", "ValidationScores"],
    "xgboost": ["metric", "objective"],
    "lightgbm": ["metric", "objective"],
    "mlflow": ["ProperlyEvaluator", "log_evaluation"],
}
PUBLIC = [(door, name) for door, names in NAMES.items() for name in names]


def open_door(door: str) -> Any:
    if find_spec(door) is None:
        pytest.skip(f"{door} is not installed; `make test-integrations` installs it")
    return importlib.import_module(f"properly.integrations.{door}")


@pytest.mark.parametrize("door", NAMES)
def test_a_door_exports_exactly_these_names(door: str) -> None:
    assert sorted(open_door(door).__all__) == NAMES[door]


@pytest.mark.parametrize("door", NAMES)
def test_the_page_lists_every_name_of_a_door(door: str) -> None:
    page, name = PAGE.read_text(encoding="utf-8"), rf"~properly\.integrations\.{door}\.(\w+)"
    listed = re.findall(rf"^   {name}$", page, re.MULTILINE)
    assert sorted(listed) == NAMES[door]


@pytest.mark.parametrize(("door", "name"), PUBLIC)
def test_every_public_name_has_a_short_first_line_and_an_example(door: str, name: str) -> None:
    text = inspect.getdoc(getattr(open_door(door), name)) or ""
    first = text.partition("\n")[0]
    assert 0 < len(first) < 80
    assert first.endswith(".")
    assert "Examples\n--------\n" in text
    assert "\n>>> " in text


@pytest.mark.parametrize("door", NAMES)
def test_a_door_whose_framework_is_missing_says_how_to_install_it(door: str) -> None:
    script = f"import sys; sys.modules[{door!r}] = None; import properly.integrations.{door}"
    found = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    expected = (
        f"properly.errors.MissingExtraError: this needs {door}, which is not installed\n\n"
        f"Hint: pip install 'properly[{door}]'\n"
    )
    assert found.stderr.endswith(expected)
