"""Both sides of the benchmarks of the training loop run, and what is meant to agree agrees."""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# The benchmarks are not part of the package.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
ROWS = importlib.import_module("benchmarks.rows_training").ROWS
sys.path.pop(0)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.label)
def test_both_sides_of_every_row_run(row: Any) -> None:
    if row.missing:
        pytest.skip(f"not installed: {', '.join(row.missing)}; `make test-integrations` does")
    data = row.make(2000)
    ours, peer = row.ours(data), row.peer(data)
    assert math.isfinite(ours)
    if row.tolerance is not None:
        np.testing.assert_allclose(ours, peer, rtol=row.tolerance)
