"""What charts over thresholds have in common: the axis, the grid, what needs no model."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._text import percent
from properly.decisions._grid import round_multiples
from properly.report import _vega as vega
from properly.report._vega import INK

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from properly.decisions._murphy import MurphyCurve
    from properly.decisions._net_benefit import DecisionCurve
    from properly.evaluation._record import Evaluation
    from properly.report._vega import Spec
    from properly.typing import Column

# Steps of 0.01 % below 1 %, where rare events are decided, and of 0.1 % above.
FINE, COARSE, BORDER = 10_000, 1_000, 0.01
EDGES = np.concatenate([np.arange(100) / FINE, np.arange(10, COARSE + 1) / COARSE])
# To draw at, fewer steps will do: 0.5 % from 10 % on. Net benefit has no value at 1.
DRAWN = np.concatenate([EDGES[EDGES <= 0.1], np.arange(21, 199) / 200])
# Small thresholds take more room where the range ends low or events are rare, and very much more
# where it ends very low or they are very rare.
LOW, RARE = (0.3, 0.03), (0.1, 0.01)
# Around a range this share of it is seen on either side, from 0 on if that is near. A view of more
# than so much of all thresholds is none.
MARGIN, NEAR_ZERO, MOST = 0.25, 0.1, 0.8
# Within a range small thresholds take more room if it begins at so small a share of its end.
SMALL_SHARES = (0.05, 0.002)
# A view of a range is drawn at some such number of steps, and has so many ticks, which are at least
# so far apart.
STEPS, MOST_TICKS, APART = 400, 8, 0.06
EVEN_TICKS = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)
TICKS = (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1)
SMALL_TICKS = (0, 0.0001, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 1)
USUAL = (0.01, 0.05, 0.1, 0.2, 0.5)
# What needs no model is grey and dashed.
PLAIN: Spec = {"opacity": 0.55} | INK
DASHED: Spec = PLAIN | {"strokeDash": [5, 3], "strokeWidth": 1.2}
# Words of what needs no model.
PALE: Spec = {"condition": {"test": "datum.baseline", "value": 0.65}, "value": 1}


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


class ThresholdView(NamedTuple):
    """The thresholds that are seen, and the power of them along the axis."""

    lower: float
    upper: float
    power: float

    def place(self, threshold: Any) -> Any:
        """Return how far along the axis a threshold is, from 0 to 1."""
        start, end, here = (x**self.power for x in (self.lower, self.upper, threshold))
        return (here - start) / (end - start)

    def steps(self, most: int) -> list[float]:
        """Return the multiples of a round number that are seen, about so many."""
        return round_multiples(self.lower, self.upper, most)

    def ticks(self) -> list[float]:
        """Return thresholds to name: even steps, or else powers of ten, then 5 and 2 of them."""
        if (self.lower, self.upper) == (0, 1):
            return list({1.0: EVEN_TICKS, 0.5: TICKS}.get(self.power, SMALL_TICKS))
        if self.power == 1:
            return self.steps(MOST_TICKS)
        least = math.floor(math.log10(self.upper)) - 5
        candidates = [float(f"{x}e{k}") for x in (1, 5, 2) for k in range(0, least, -1)]
        result = [0.0] if self.lower == 0 else []
        for t in candidates:
            beside = (abs(self.place(t) - self.place(x)) for x in result)
            if self.lower <= t <= self.upper and min(beside, default=1.0) >= APART:
                result.append(t)
        return sorted(result)


def views(evaluation: Evaluation) -> tuple[ThresholdView, ...]:
    """Return the view of all thresholds and, if it shows much less, that of the range."""
    within, rate = evaluation.within, evaluation.event_rate
    end = 1.0 if within is None else within.upper
    # Where small thresholds matter, they have more room.
    power = 0.5 if end <= LOW[0] or rate < RARE[0] else 1.0
    if end <= LOW[1] or (within is None and rate < RARE[1]):
        power = 0.25
    whole = ThresholdView(0.0, 1.0, power)
    if within is None:
        return (whole,)
    margin = MARGIN * (within.upper - within.lower)
    ends = within.lower - margin, min(within.upper + margin, 1.0)
    lower, upper = (float(f"{x:.6g}") for x in ends)
    lower = 0.0 if lower < NEAR_ZERO * upper else lower
    start = (within.lower or evaluation.event_rate) / within.upper
    power = 0.25 if start < SMALL_SHARES[1] else 0.5 if start < SMALL_SHARES[0] else 1.0
    # A range that six digits do not tell from a point has nothing to zoom to.
    return (whole, ThresholdView(lower, upper, power)) if 0 < upper - lower <= MOST else (whole,)


def by_view(values: Sequence[Any]) -> Any:
    """Write what is the same in all views, or how it depends on the parameter `zoomed`."""
    whole, *within = values
    if within in ([], [whole]):
        return whole
    return {"expr": f"zoomed ? {json.dumps(within[0])} : {json.dumps(whole)}"}


def zoomed(evaluation: Evaluation) -> list[Spec]:
    """Begin with the view of the range, if there is one; the script of the page changes it."""
    return [{"name": "zoomed", "value": True}] if len(views(evaluation)) > 1 else []


def zoom_words(evaluation: Evaluation) -> str:
    """Say which range can be zoomed to."""
    within = evaluation.within
    if within is None or not zoomed(evaluation):
        return ""
    return f"{percent(within.lower)} to {percent(within.upper)}"


def seen(evaluation: Evaluation) -> list[str]:
    """Keep the rows whose threshold is seen."""
    ends = by_view([view[:2] for view in views(evaluation)])
    return [f"inrange(datum.threshold, {ends['expr']})" for _ in zoomed(evaluation)]


def plain_names(
    evaluation: Evaluation,
    place: Spec,
    words: Callable[[Evaluation, ThresholdView], list[Spec]],
    **look: Any,
) -> Spec:
    """Name what needs no model, at places in each view; those of the view that is seen are kept."""
    rows = [
        row | {"zoomed": k > 0}
        for k, view in enumerate(views(evaluation))
        for row in words(evaluation, view)
    ]
    stand = {name: {"expr": f"datum.{name}"} for name in ("align", "dx")}
    steps = ["datum.zoomed == zoomed" for _ in zoomed(evaluation)]
    text = vega.mark("text", **stand, **look, **PLAIN)
    return vega.layer(text, place | {"text": vega.category("model")}, *steps, values=rows)


def drawn_at(evaluation: Evaluation) -> Column:
    """Return thresholds below 1 to draw curves at, more of them where a range is looked at."""
    more = [x for view in views(evaluation)[1:] for x in (*view[:2], *view.steps(STEPS))]
    both = np.union1d(DRAWN, more)
    return both[both < 1]


def heights(curve: MurphyCurve | DecisionCurve, at: Column) -> Column:
    """Return a curve at thresholds from 0 on; a jump at 0 itself would lie on the axis."""
    return np.append(curve.right[0], curve.at(at[1:]))


def threshold_axis(evaluation: Evaluation) -> Spec:
    """Encode thresholds from left to right."""
    axis: Spec = {"title": "threshold", "format": "~%", "grid": False}
    lower, upper, power = map(by_view, zip(*(among := views(evaluation)), strict=True))
    scale = vega.from_to(lower, upper)
    if power != 1:
        scale |= {"type": "sqrt"} if power == 0.5 else {"type": "pow", "exponent": power}
    if power != 1 or len(among) > 1:
        axis["values"] = by_view([view.ticks() for view in among])
        # Left to itself, the axis writes 0.1 % as 0 %.
        axis["format"] = ".4~%"
    return vega.measure("threshold", scale=scale, axis=axis)


def beside(view: ThresholdView, threshold: float) -> dict[str, Any]:
    """Put a word to the left of a steep line, or to the right if there is no room."""
    room = view.place(threshold) > 0.18
    return {"align": "right", "dx": -7} if room else {"align": "left", "dx": 6}


def grid(evaluation: Evaluation, *, closed: bool = False) -> Spec:
    """Name the thresholds that most curves are drawn at, 1 among them if they have a value there.

    Each curve would otherwise repeat them.
    """
    return {"name": "grid", "value": np.append(drawn_at(evaluation), [1.0] * closed).tolist()}


def series(value: Column, threshold: Column | None = None, digits: int = 5) -> dict[str, Any]:
    """Give a curve as a list, and one of its thresholds if they are not the grid.

    The chart unfolds them into rows. Names of models would otherwise be repeated at each of some
    hundred points.
    """
    height = {"height": vega.shortened(value, digits)}
    return height if threshold is None else {"at": threshold.tolist()} | height


def unfolded(value: str) -> list[Spec]:
    """Unfold the lists of `series` into rows with a threshold and a value."""
    at = {"calculate": "datum.at || grid", "as": "at"}
    return [at, vega.unfold("at", "height", to=("threshold", value))]
