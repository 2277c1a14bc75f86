"""Figure 3: two bands around a forecast that is too low."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from properly.calibration._decomposition import decompose
from properly.calibration._reliability import reliability
from properly.counts._tally import Tally
from properly.datasets import corp
from properly.reproduce._layout import heading, table
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly.calibration._bands import Method
    from properly.calibration._decomposition import Decomposition
    from properly.calibration._reliability import Reliability
    from properly.inference._band import Kind

N, DISTINCT = 1024, 10


@dataclass(frozen=True, eq=False)
class Panel:
    """One panel of Figure 3: uniform forecasts x of events with probability sqrt(x).

    Attributes
    ----------
    values : int or None
        Distinct forecasts; None if they are continuous.
    paper : str
        How the paper's band was found.
    record : Reliability
        With a 90 % band.
    decomposition : Decomposition
        Of the Brier score.
    """

    values: int | None
    paper: str
    record: Reliability
    decomposition: Decomposition

    @property
    def inside(self) -> float:
        """Share of the distinct forecasts at which the band holds what it should.

        The estimate if it is a consistency band, the truth if it is a confidence band.
        """
        band = self.record.band
        if band is None:
            return 0.0
        lower, upper = band.at(self.record.value)
        confidence = band.kind == "confidence"
        goal = np.sqrt(self.record.value) if confidence else self.record.recalibrated
        return float(np.mean((lower <= goal) & (goal <= upper)))


# Panel, kind of band, distinct forecasts, our method, the paper's method.
PANELS: tuple[tuple[str, Kind, int | None, Method, str], ...] = (
    ("a", "consistency", DISTINCT, "auto", "discrete"),
    ("b", "confidence", DISTINCT, "resampling", "resampling"),
    ("c", "consistency", None, "auto", "resampling"),
    ("d", "confidence", None, "resampling", "resampling"),
)


def panels(replicates: int, rng: np.random.Generator) -> dict[str, Panel]:
    """Make the four panels; those side by side show the same data."""
    tallies = {}
    for values in (DISTINCT, None):
        s = corp(N, values=values, curve=np.sqrt, rng=rng)
        tallies[values] = Tally.from_arrays(s.y, s.p)
    return {
        name: Panel(
            values,
            paper,
            reliability(tallies[values], band=kind, method=method, replicates=replicates, rng=rng),
            decompose(tallies[values], Brier()),
        )
        for name, kind, values, method, paper in PANELS
    }


def tell(panels: Mapping[str, Panel]) -> str:
    """Print the methods beside the paper's, and what the bands hold."""
    rows = [
        [
            f"({name})",
            "continuous" if p.values is None else f"k = {p.values}",
            p.record.band.kind,
            p.record.band.method,
            p.paper,
            f"{100 * p.inside:.0f} %",
            f"{p.decomposition.miscalibration:.3f}",
        ]
        for name, p in panels.items()
        if p.record.band is not None
    ]
    head = ["", "forecasts", "90 % band", "method", "paper's method", "inside", "MCB"]
    return "\n".join(
        [
            heading(f"Figure 3: n = {N} forecasts x of events with probability sqrt(x)"),
            table(head, rows),
            "Inside: share of the distinct forecasts at which the estimate lies in the consistency",
            "band (few, these forecasts being miscalibrated), or the truth in the confidence band.",
        ]
    )
