"""How tests are run: examples of Hypothesis, what is slow, and doors whose framework is missing."""

from __future__ import annotations

import os
from importlib.util import find_spec

from hypothesis import settings

# The same examples in every run, and no clock. Few of them, since a law is drawn for every rule;
# tests of one subject ask for more by ``tests.examples``. `make verify` names the full profile.
settings.register_profile("full", derandomize=True, deadline=None, max_examples=10)
settings.register_profile("dev", settings.get_profile("full"), max_examples=3)
# `make fuzz` seeds each round anew, and prints the seed.
settings.register_profile("fuzz", deadline=None, max_examples=10, database=None)
settings.load_profile("dev")

# Keras asks for TensorFlow unless it is told otherwise.
os.environ.setdefault("KERAS_BACKEND", "torch")
# The framework that a file or a folder of the doors imports; its examples run where that is.
DOORS = {
    "torch": "torch",
    "torch/_kernels.py": "triton",
    "lightning": "lightning",
    "keras": "keras",
    "xgboost.py": "xgboost",
    "lightgbm.py": "lightgbm",
    "mlflow": "mlflow",
}
MISSING = {door: framework for door, framework in DOORS.items() if find_spec(framework) is None}
collect_ignore = [f"src/properly/integrations/{door}" for door in MISSING]


def pytest_report_header() -> list[str]:
    """Say which examples in docstrings are not run."""
    if not MISSING:
        return []
    frameworks = ", ".join(dict.fromkeys(MISSING.values()))
    return [f"examples left out, their frameworks are not installed: {frameworks}"]
