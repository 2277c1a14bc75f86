"""Forecasts of the shapes that counting and long tallies tell apart."""

from __future__ import annotations

from typing import Any

import numpy as np

KINDS = ["distinct", "tied", "heavy", "constant", "certain", "grid"]


def sample(kind: str, dtype: str, n: int = 5000) -> tuple[Any, Any]:
    """Draw outcomes, and forecasts of a kind."""
    rng = np.random.default_rng(3)
    p = rng.random(n) ** 2
    if kind == "tied":
        p = np.round(p, 1)
    elif kind == "heavy":
        p[: n // 2] = 0.25
    elif kind == "constant":
        p[:] = 0.5
    elif kind == "certain":
        p[::7], p[::11] = 0.0, 1.0
    elif kind == "grid":
        p = np.round(p, 2)
    p = p.astype(dtype)
    return rng.random(n) < np.sqrt(p), p
