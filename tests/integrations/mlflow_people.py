"""People at risk, as data for MLflow, and a model of them saved as MLflow saves it."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# Nothing goes over a network; this must be said before the import.
os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
WHY = "mlflow is not installed; `make test-integrations` installs it"
with warnings.catch_warnings():
    # It says of its own types, while they are imported, that they could be narrower.
    warnings.filterwarnings("ignore", ".*Any type hint is inferred as AnyType", UserWarning)
    pytest.importorskip("mlflow.pyfunc", reason=WHY)
mlflow = pytest.importorskip("mlflow", reason=WHY)
pd = pytest.importorskip("pandas", reason=WHY)


FACTORS = ["age", "pressure"]
GRADES = ("low", "middle", "high")
QUICK = {"replicates": 0, "figures": False, "report": False}


def people(n: int = 120, seed: int = 0) -> Any:
    """Make up two risk factors, an outcome and weights."""
    rng = np.random.default_rng(seed)
    found = pd.DataFrame(rng.normal(size=(n, 2)), columns=["age", "pressure"])
    chance = 1 / (1 + np.exp(-found.age - 0.5 * found.pressure))
    grade = np.digitize(found.age + rng.normal(size=n), [-0.5, 0.5])
    return found.assign(
        died=(rng.random(n) < chance).astype(int),
        grade=np.asarray(GRADES, dtype=object)[grade],
        weight=rng.integers(1, 4, n).astype(float),
        risk=chance,
        guess=np.full(n, 0.5),
    )


def saved(model: Any, path: Path) -> str:
    """Save a model without asking pip what it needs, and without importing all there is."""
    quick = {"pip_requirements": [], "serialization_format": "cloudpickle"}
    mlflow.sklearn.save_model(model, str(path), **quick)
    return str(path)
