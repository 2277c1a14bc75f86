"""Doors of frameworks that are not installed are left out of a run of the tests, and named."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

# Keras asks for TensorFlow unless it is told otherwise.
os.environ.setdefault("KERAS_BACKEND", "torch")
DOORS = Path(__file__).parent / "src" / "properly" / "integrations"
# What is imported when the rooms of a door are.
NEEDED = {
    "torch": ("torch",),
    "torch_kernels": ("torch", "triton"),
    "lightning": ("lightning",),
    "keras": ("keras",),
    "xgboost": ("xgboost",),
    "lightgbm": ("lightgbm",),
    "mlflow": ("mlflow",),
}
MISSING = [name for name, needed in NEEDED.items() if not all(map(find_spec, needed))]
collect_ignore = [
    str(path.relative_to(Path(__file__).parent))
    for name in MISSING
    for path in (DOORS / f"{name}.py", *DOORS.glob(f"_{name}*.py"))
]


def pytest_report_header() -> list[str]:
    """Say which examples in docstrings are not run."""
    if not MISSING:
        return []
    return [f"examples left out, their frameworks are not installed: {', '.join(MISSING)}"]
