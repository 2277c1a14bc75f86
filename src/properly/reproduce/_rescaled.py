"""Figure 4: decision curves on axes that make an area a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._record import columns_of, to_frame
from properly.counts._scoring import mean_score
from properly.counts._tally import Tally
from properly.datasets import crash
from properly.decisions._curve import decision_curve
from properly.reproduce._layout import heading, table
from properly.rules import Bounded, Brier, Log, MissedBenefit, Regret

if TYPE_CHECKING:
    from collections.abc import Callable

    from properly._boundary._record import Backend
    from properly.decisions._net_benefit import DecisionCurve
    from properly.plots._threshold_axis import Axis
    from properly.rules import BinaryRule
    from properly.typing import Column


MODEL = "logistic"
WITHIN = (0.01, 0.1)
# Of each axis: how fast the position moves with the threshold, and the score that the area is.
SLOPES: dict[Axis, Callable[[Column], Column]] = {
    "linear": np.ones_like,
    "quadratic": lambda c: 1 - c,
    "logarithmic": lambda c: 1 / c,
}
SCORES: dict[Axis, tuple[str, BinaryRule]] = {
    "linear": ("event rate less mean net benefit", Bounded(MissedBenefit(), WITHIN)),
    "quadratic": ("mean regret", Regret(WITHIN)),
    "logarithmic": ("bounded log score", Bounded(Log(), WITHIN)),
}
NODES = 16
ROUNDING = 1e-9


@dataclass(frozen=True)
class Area:
    """The area between the event rate and a decision curve, on one axis.

    Attributes
    ----------
    axis : str
        As in `properly.plots.decision`.
    area : float
        The area over the range, per length: of the thresholds, on the logarithmic axis of their
        log-odds.
    what, score : str, float
        The score that it is to be, from the losses of the cases.
    """

    axis: Axis
    area: float
    what: str
    score: float

    @property
    def agrees(self) -> bool:
        """Whether the area is the score."""
        return abs(self.area - self.score) < ROUNDING * self.score


@dataclass(frozen=True, eq=False)
class Rescaled:
    """One decision curve, and its area on three axes.

    Attributes
    ----------
    curve : DecisionCurve
        Of the logistic model of death in car crashes, exact.
    areas : tuple of Area
        Over 1 % to 10 %.
    bounded_brier : float
        What the paper says the area on the quadratic axis is.
    """

    curve: DecisionCurve
    areas: tuple[Area, ...]
    bounded_brier: float

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry an axis."""
        return columns_of(self.areas)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row an axis as a polars, pandas or pyarrow frame."""
        return to_frame(self.to_dict(), backend)

    def __str__(self) -> str:
        """Print each area beside the score that it is to be."""
        rows = [
            [f"{a.axis}: {a.what}", f"{a.area:.9f}", f"{a.score:.9f}{' ' if a.agrees else '!'}"]
            for a in self.areas
        ]
        quadratic = next(a.area for a in self.areas if a.axis == "quadratic")
        return "\n".join(
            [
                heading("Figure 4: area between event rate and decision curve, on three axes"),
                f"The model {MODEL} of death in car crashes, 1 % to 10 %. The area is that of the",
                "curve, piece by piece; the score is a mean of losses, case by case.",
                table(["axis: what the area is", "area", "score "], rows),
                "The paper: on the quadratic axis the area is the bounded Brier score. That is",
                f"{self.bounded_brier:.9f}: {self.bounded_brier / quadratic:.4f} times the area.",
            ]
        )


def rescaled() -> Rescaled:
    """Measure the area of one curve on each axis."""
    data = crash()
    tally = Tally.from_arrays(data.died, data.forecasts[MODEL])
    curve = decision_curve(tally, "every")
    areas = tuple(
        Area(axis, area(curve, axis), what, mean_score(tally, rule))
        for axis, (what, rule) in SCORES.items()
    )
    return Rescaled(curve, areas, mean_score(tally, Bounded(Brier(), WITHIN)))


def area(curve: DecisionCurve, axis: Axis) -> float:
    """Integrate what net benefit falls short of the event rate, between one jump and the next."""
    lower, upper = WITHIN
    inside = (curve.threshold > lower) & (curve.threshold < upper)
    ends = np.concatenate([[lower], curve.threshold[inside], [upper]])
    node, weight = np.polynomial.legendre.leggauss(NODES)
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    c = middle[:, None] + half[:, None] * node
    short = (curve.event_rate - curve.at(c)) * SLOPES[axis](c)
    length = upper - lower
    if axis == "logarithmic":
        length = float(np.log(upper / (1 - upper)) - np.log(lower / (1 - lower)))
    return float(half @ (short @ weight)) / length
