"""What one repetition of the study of inference found: an interval that holds, or a rejection."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    Facts: TypeAlias = dict[str, Any]
    Finding: TypeAlias = tuple[Facts, Facts]

# Of all intervals, and of all tests.
LEVEL, SIZE = 0.95, 0.05


def interval(what: str, truth: float, ends: Sequence[float], **about: Any) -> Finding:
    """Ask whether an interval holds the truth, and on which side it misses it."""
    low, high = (float(x) for x in ends)
    given = not (math.isnan(low) or math.isnan(high))
    return {"what": what, **about, "level": LEVEL, "truth": truth}, {
        "held": low <= truth <= high if given else None,
        "above": truth > high if given else None,
        "width": high - low,
    }


def rejection(what: str, p_value: float, **about: Any) -> Finding:
    """Ask whether a test rejects; what it says nothing about it does not reject."""
    return {"what": what, **about, "level": SIZE}, {"rejected_at_5": bool(p_value <= SIZE)}


def together(what: str, truth: Any, lower: Any, upper: Any, **about: Any) -> Finding:
    """Ask whether all intervals that there are hold the truth at once."""
    low, high = (np.asarray(x, dtype=float) for x in (lower, upper))
    known = ~(np.isnan(low) | np.isnan(high))
    inside = (low <= truth) & (truth <= high)
    held = bool(inside[known].all()) if known.any() else None
    return {"what": what, **about, "level": LEVEL}, {"held": held, "given": bool(known.any())}
