"""Records to draw, and every picture that takes them by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from properly import decompose, reliability, tally
from properly.calibration import binned_reliability
from properly.decisions import murphy_curve, roc_curve
from properly.plots import binned_reliability as draw_binned
from properly.plots import mcb_dsc, murphy, roc
from properly.plots import reliability as draw_reliability
from properly.plots import risk_profile as draw_risk_profile
from properly.probability import risk_profile
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from properly import Tally

Y = np.array([0, 0, 1, 0, 1, 0, 1, 1, 0, 1])
P = np.array([0.05, 0.051, 0.2, 0.3, 0.3, 0.45, 0.6, 0.7, 0.81, 0.95])
CONTINUOUS = tally(Y, P)
DISCRETE = tally(Y, np.round(P, 1))
ONE_CASE = tally([1], [0.25])

# What is computed, and what draws it.
PICTURES: dict[str, tuple[Callable[[Tally], Any], Callable[..., Axes]]] = {
    "reliability": (reliability, draw_reliability),
    "binned_reliability": (binned_reliability, draw_binned),
    "murphy": (murphy_curve, murphy),
    "roc": (roc_curve, roc),
    "risk_profile": (risk_profile, draw_risk_profile),
    "mcb_dsc": (lambda t: decompose(t, Brier()), mcb_dsc),
}
