"""What charts over thresholds have in common: the axis, the grid, what needs no model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from properly.evaluation._record import Evaluation
    from properly.report._chart import Spec
    from properly.typing import Column

# Steps of 0.01 % below 1 %, where rare events are decided, and of 0.1 % above.
FINE, COARSE, BORDER = 10_000, 1_000, 0.01
EDGES = np.concatenate([np.arange(100) / FINE, np.arange(10, COARSE + 1) / COARSE])
# To draw at, fewer steps will do: 0.5 % from 10 % on. Net benefit has no value at 1.
DRAWN = np.concatenate([EDGES[EDGES <= 0.1], np.arange(21, 199) / 200])
# Small thresholds take more room where the range ends low or events are rare, and very much more
# where it ends very low or they are very rare.
LOW, RARE = (0.3, 0.03), (0.1, 0.01)
TICKS = (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1)
SMALL_TICKS = (0, 0.0001, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 1)
USUAL = (0.01, 0.05, 0.1, 0.2, 0.5)
# What needs no model is grey and dashed.
PLAIN: Spec = {"color": "currentColor", "opacity": 0.55}
DASHED: Spec = PLAIN | {"strokeDash": [5, 3], "strokeWidth": 1.2}


def as_percent(threshold: float) -> str:
    """Write a threshold in as_percent."""
    return f"{100 * threshold:.4g} %"


def looked_up(evaluation: Evaluation) -> tuple[float, ...]:
    """Return thresholds for a table, below 1: round ones, and the ends of the range."""
    within = evaluation.within
    ends = () if within is None else (within.lower, within.upper)
    return tuple(sorted({*USUAL, *(t for t in ends if t < 1)}))


def decimals(evaluation: Evaluation) -> int:
    """Count the decimals that show four digits of what the event rate costs, and at least five."""
    rate = evaluation.event_rate
    most = rate * (1 - rate)
    return max(5, 3 - math.floor(math.log10(most))) if most > 0 else 5


def exponent(evaluation: Evaluation) -> float:
    """Return the power of the threshold along the axis: 1, or less where small ones matter."""
    within, rate = evaluation.within, evaluation.event_rate
    upper = 1.0 if within is None else within.upper
    if upper <= LOW[1] or (within is None and rate < RARE[1]):
        return 0.25
    return 0.5 if upper <= LOW[0] or rate < RARE[0] else 1.0


def threshold_axis(evaluation: Evaluation) -> Spec:
    """Encode thresholds from left to right."""
    axis: Spec = {"title": "threshold", "format": "~%", "grid": False}
    scale: Spec = {"domain": [0, 1], "nice": False}
    power = exponent(evaluation)
    if power < 1:
        scale |= {"type": "sqrt"} if power == 0.5 else {"type": "pow", "exponent": power}
        axis["values"] = list(TICKS if power == 0.5 else SMALL_TICKS)
        # Left to itself, the axis writes 0.1 % as 0 %.
        axis["format"] = "~%" if power == 0.5 else ".2~%"
    return {"field": "threshold", "type": "quantitative", "scale": scale, "axis": axis}


def beside(evaluation: Evaluation, threshold: float) -> dict[str, Any]:
    """Put a word to the left of a steep line, or to the right if there is no room."""
    room = threshold ** exponent(evaluation) > 0.18
    return {"align": "right", "dx": -7} if room else {"align": "left", "dx": 6}


def shaded_range(evaluation: Evaluation) -> list[Spec]:
    """Shade the range of thresholds softly, if there is one."""
    within = evaluation.within
    if within is None:
        return []
    x = threshold_axis(evaluation) | {"field": "lower"}
    ends = {"lower": within.lower, "upper": within.upper}
    mark = {"type": "rect", "color": "currentColor", "opacity": 0.07}
    encoding = {"x": x, "x2": {"field": "upper"}}
    # The script of the page moves it along with the range that is chosen.
    return [{"data": {"name": "range", "values": [ends]}, "mark": mark, "encoding": encoding}]


def series(threshold: Column, value: Column, digits: int = 5) -> dict[str, Any]:
    """Give a curve as two lists, which the chart unfolds into rows.

    Names of models would otherwise be repeated at each of some hundred points.
    """
    short = [float(f"{x:.{digits}g}") for x in value.tolist()]
    return {"at": threshold.tolist(), "height": short}


def unfolded(value: str) -> Spec:
    """Unfold the lists of `series` into rows with a threshold and a value."""
    return {"flatten": ["at", "height"], "as": ["threshold", value]}
