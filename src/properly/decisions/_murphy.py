"""A Murphy curve: what forecasts cost at every threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from properly._boundary._frames import to_frame
from properly._boundary._libraries import freeze
from properly.rules._interval import as_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from properly._boundary._frames import Backend
    from properly.inference._band import Band
    from properly.rules._interval import Interval

Column: TypeAlias = np.ndarray[Any, Any]
Scale: TypeAlias = Literal["brier", "regret"]


@dataclass(frozen=True, eq=False, repr=False)
class MurphyCurve:
    """The mean elementary score, or a part of it, as a function of the threshold.

    The curve is straight between its thresholds and jumps at them; nothing is left out.

    Attributes
    ----------
    threshold : array
        Where the curve may jump or bend, from 0 to 1.
    left, right : array
        Its limits there. From the left, it is the value at the threshold itself.
    part : str
        ``"score"``, ``"miscalibration"``, ``"discrimination"``, ``"uncertainty"``, or
        ``"difference"`` of two scores.
    band : Band or None
        Bounds at each limit, if they were asked for.
    scale : str
        ``"brier"``, on which the area under the curve is the Brier score, or ``"regret"``, half of
        it, on which the height is the regret.
    event_rate : float or None
        Share of the cases that had the event; None for a difference.

    Examples
    --------
    >>> import properly
    >>> curve = properly.murphy_curve(properly.tally([0, 1], [0.25, 0.5]))
    >>> curve
    MurphyCurve(score at 4 thresholds, area 0.1562)
    >>> curve.threshold, curve.left, curve.right
    (array([0.  , 0.25, 0.5 , 1.  ]), array([0.  , 0.25, 0.  , 0.  ]), array([0. , 0. , 0.5, 0. ]))
    """

    threshold: Column
    left: Column
    right: Column
    part: str
    band: Band | None = None
    scale: Scale = "brier"
    event_rate: float | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        what = self.part if self.scale == "brier" else f"{self.part}, regret scale,"
        return f"MurphyCurve({what} at {len(self.threshold):,} thresholds, area {self.area():.4g})"

    def on_regret_scale(self) -> MurphyCurve:
        """Return the same curve at half its height, which is regret."""
        if self.scale == "regret":
            return self
        band = self.band
        if band is not None:
            band = replace(band, lower=band.lower / 2, upper=band.upper / 2)
        return replace(self, left=self.left / 2, right=self.right / 2, band=band, scale="regret")

    def at(self, t: ArrayLike) -> Column:
        """Return the curve at any thresholds, the limit from the left; NaN outside of [0, 1].

        Parameters
        ----------
        t : array-like
            Thresholds in [0, 1]; a forecast of exactly t is acted upon there.
        """
        t = np.asarray(t, dtype=np.float64)
        # At 0 there is nothing to the left, and no forecast is below.
        piece = np.searchsorted(self.threshold, t, side="left") - 1
        return np.where(t == 0, self.left[0], self._between(t, piece))

    def area(self, within: Interval | tuple[float, float] | None = None) -> float:
        """Return the exact area under the curve.

        Parameters
        ----------
        within : Interval or pair of floats, optional
            The thresholds that matter; all of them if left out. The area under the score curve is
            then the mean of ``Bounded(Brier(), within, scale="integral")``, or half of it on the
            regret scale.

        Examples
        --------
        >>> import properly
        >>> from properly.rules import Bounded, Brier
        >>> curve = properly.murphy_curve(properly.tally([0, 1], [0.25, 0.5]))
        >>> curve.area(), Brier()([0, 1], [0.25, 0.5])
        (0.15625, 0.15625)
        >>> curve.area((0.5, 0.75))
        0.09375
        """
        if within is None:
            return _trapezoids(self.threshold, self.right[:-1], self.left[1:])
        ends = as_interval(within)
        inside = (self.threshold > ends.lower) & (self.threshold < ends.upper)
        t = np.concatenate([[ends.lower], self.threshold[inside], [ends.upper]])
        after = np.searchsorted(self.threshold, ends.lower, side="right") - 1
        first = self._between(np.float64(ends.lower), after)
        start = np.append(first, self.right[inside])
        return _trapezoids(t, start, np.append(self.left[inside], self.at(ends.upper)))

    def curve(self) -> tuple[Column, Column]:
        """Return the corners of the curve: each threshold twice, with both of its limits."""
        return np.repeat(self.threshold, 2), _alternate(self.left, self.right)

    def to_dict(self) -> dict[str, Any]:
        """Return thresholds and limits as lists, and what they are limits of."""
        known = {"part": self.part, "scale": self.scale, "event_rate": self.event_rate}
        found = self._columns() | known
        return found if self.band is None else found | {"band": self.band.to_dict()}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a threshold as a polars, pandas or pyarrow frame."""
        return to_frame(self._columns(), backend)

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name).tolist() for name in ("threshold", "left", "right")}

    def _between(self, t: Any, piece: Any) -> Column:
        """Go along the straight pieces of the curve."""
        piece = np.clip(piece, 0, len(self.threshold) - 2)
        start, end = self.threshold[piece], self.threshold[piece + 1]
        share = (t - start) / (end - start)
        value = (1 - share) * self.right[piece] + share * self.left[piece + 1]
        return np.where((t >= 0) & (t <= 1), value, np.nan)


def _alternate(left: Column, right: Column) -> Column:
    return np.stack([left, right], axis=1).ravel()


def _trapezoids(t: Column, start: Column, end: Column) -> float:
    return float(np.sum(np.diff(t) * (start + end))) / 2
