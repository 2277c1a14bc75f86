"""Records of decision curves: net benefit as a function of the threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._libraries import freeze
from properly._boundary._record import many, plain, to_frame
from properly.counts._baselines import TREAT_ALL, TREAT_NONE
from properly.decisions._grid import odds
from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from properly._boundary._record import Backend
    from properly.inference._band import Band
    from properly.rules._interval import Interval
    from properly.typing import Column

    Measure: TypeAlias = Callable[[Any], Any]


# Between its thresholds an exact curve bends; so many straight pieces look bent.
PIECES = 1000


class Steps(NamedTuple):
    """A function of the threshold that jumps at some and is straight in the odds between them.

    Net benefit is one, and so are differences of it: between forecasts the shares of true and false
    positives do not change. After the last threshold it falls by `beyond` as the odds rise by 1. If
    that is None, there may be jumps at thresholds that are not known.
    """

    threshold: Column
    value: Column
    right: Column
    beyond: float | None

    def at(self, t: ArrayLike) -> Column:
        """Return the values at any thresholds in [0, 1), NaN outside."""
        beyond = self._beyond()
        t = np.asarray(t, dtype=np.float64)
        inside = (t >= 0) & (t < 1)
        t = np.where(inside, t, 0.0)
        last = len(self.threshold) - 1
        after = np.searchsorted(self.threshold, t)
        before, after = np.maximum(after - 1, 0), np.minimum(after, last)
        start, end, here = (odds(x) for x in (self.threshold[before], self.threshold[after], t))
        share = (here - start) / np.where(end > start, end - start, 1.0)
        value = (1 - share) * self.right[before] + share * self.value[after]
        value = np.where(t == self.threshold[after], self.value[after], value)
        later = self.right[last] - beyond * (here - odds(self.threshold[last]))
        value = np.where(t > self.threshold[last], later, value)
        return np.where(inside, value, np.nan)

    def curve(self) -> tuple[Column, Column]:
        """Return points to draw straight lines between: both limits, and what lies between."""
        if self.beyond is None:
            return self.threshold, self.value
        between = np.setdiff1d(np.arange(1, PIECES) / PIECES, self.threshold)
        t = np.concatenate([np.repeat(self.threshold, 2), between])
        jumps = np.stack([self.value, self.right], axis=1).ravel()
        order = np.argsort(t, kind="stable")
        return t[order], np.concatenate([jumps, self.at(between)])[order]

    def pieces(self, within: Interval) -> tuple[Column, Column, Column]:
        """Return the edges of the pieces in a range, and the limits at both ends of each piece."""
        t, (lower, upper) = self.threshold, (within.lower, within.upper)
        inside = (t > lower) & (t < upper)
        # The value is the limit from the left; at the lower end that from the right is wanted.
        first = self.right[t == lower] if (t == lower).any() else self.at([lower])
        start = np.concatenate([first, self.right[inside]])
        end = np.concatenate([self.value[inside], self.at([upper])])
        return np.concatenate([[lower], t[inside], [upper]]), start, end

    def mean(
        self, within: Interval, forward: Measure, odds_area: Measure, length: Measure
    ) -> float:
        """Integrate over a range, piece by piece, and divide by its length.

        Parameters
        ----------
        within : Interval
            The range of thresholds.
        forward : callable
            Where thresholds stand on the axis along which to integrate.
        odds_area : callable
            The integral of the odds along that axis, from anywhere.
        length : callable
            The function by whose change over the range the integral is divided.
        """
        c, start, end = self.pieces(within)
        steps = np.diff(odds(c))
        # Forecasts a rounding error apart may have the same odds; nothing lies between them.
        rise = np.divide(end - start, steps, where=steps > 0, out=np.zeros_like(start))
        base = start - rise * odds(c[:-1])
        with np.errstate(invalid="ignore"):  # an end may be infinitely far away
            area = base * np.diff(forward(c)) + rise * np.diff(odds_area(c))
            found = np.sum(area) / np.diff(length(c[[0, -1]]))
        return float(found[0])

    def _beyond(self) -> float:
        if self.beyond is None:
            message = "between thresholds that were chosen, net benefit is not known"
            raise DataError(message, hint='ask for thresholds="every", or for those themselves.')
        return self.beyond


def _told(record: DecisionCurve | DecisionDifference) -> str:
    thresholds = many(len(record.threshold), "threshold")
    return f"{type(record).__name__}({'exact, ' * record.exact}at {thresholds})"


def _exactness(record: DecisionCurve | DecisionDifference) -> dict[str, Any]:
    return {"exact": record.exact, "beyond": record.beyond}


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve:
    """Net benefit as a function of the threshold.

    Attributes
    ----------
    threshold : array
        Increasing thresholds t. One acts if and only if the forecast is t or more.
    net_benefit : array
        True positives minus t / (1 - t) times the false positives, as shares of all cases, minus
        the harm.
    right : array
        Its limits just above each threshold, where the forecasts at it are no longer acted upon.
    treat_all, treat_none : array
        Net benefit of acting on all, and on nobody, which is 0.
    event_rate : float
        Share of the cases that had the event: the greatest net benefit there can be.
    harm : float
        What the forecast itself costs.
    band : Band or None
        Bounds, if they were asked for.
    beyond : float or None
        Of an exact curve, the share of all cases that are false positives at each threshold above
        the last: those with a forecast of 1. None if thresholds were chosen.

    Examples
    --------
    >>> import properly
    >>> t = properly.tally([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    >>> curve = properly.decision_curve(t, "every")
    >>> curve
    DecisionCurve(exact, at 5 thresholds)
    >>> curve.threshold, curve.net_benefit.round(3)
    (array([0. , 0.1, 0.3, 0.6, 0.9]), array([ 0.5  ,  0.444,  0.393, -0.125,  0.25 ]))
    >>> curve.at(0.5)
    array(0.)
    """

    threshold: Column
    net_benefit: Column
    right: Column
    treat_all: Column
    treat_none: Column
    event_rate: float
    harm: float = 0.0
    band: Band | None = None
    beyond: float | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        return _told(self)

    @property
    def exact(self) -> bool:
        """Whether the thresholds are all at which the curve may jump, so that nothing is left out.

        Between them it is then a straight line in the odds t / (1 - t).
        """
        return self.beyond is not None

    @property
    def standardized(self) -> Column:
        """Net benefit over the event rate: 1 at best; NaN or infinite without events."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Column = self.net_benefit / np.float64(self.event_rate)
        return found

    @property
    def interventions_avoided(self) -> Column:
        """The gain over acting on all, in actions saved per case; NaN at 0, where they are free."""
        t = np.where(self.threshold > 0, self.threshold, np.nan)
        with np.errstate(over="ignore"):
            found: Column = (self.net_benefit - self.treat_all) * (1 - t) / t
        return found

    def at(self, t: ArrayLike) -> Column:
        """Return net benefit at any thresholds in [0, 1), NaN outside; of an exact curve only.

        Parameters
        ----------
        t : array-like
            Thresholds; at these themselves one acts.
        """
        return self.steps.at(t)

    def curve(self) -> tuple[Column, Column]:
        """Return points to draw straight lines between.

        Of an exact curve, each threshold twice, with its value and its limit from the right, and
        the values at k / 1000 in between. Otherwise the values at the thresholds.
        """
        return self.steps.curve()

    @property
    def steps(self) -> Steps:
        """Net benefit as a function of the threshold."""
        return Steps(self.threshold, self.net_benefit, self.right, self.beyond)

    @property
    def missed(self) -> Steps:
        """What net benefit falls short of the event rate, as a function of the threshold."""
        value, right = (self.event_rate - x for x in (self.net_benefit, self.right))
        return Steps(self.threshold, value, right, None if self.beyond is None else -self.beyond)

    def to_dict(self) -> dict[str, Any]:
        """Return all columns as lists, None where there is no number, and what else is known."""
        known = {"event_rate": self.event_rate, "harm": self.harm}
        found: dict[str, Any] = plain(self._columns()) | known | _exactness(self)
        return found if self.band is None else found | {"band": self.band.to_dict()}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a threshold as a polars, pandas or pyarrow frame."""
        return to_frame(self._columns(), backend)

    def _columns(self) -> dict[str, list[float]]:
        names = ("threshold", "net_benefit", "right", "treat_all", "treat_none")
        made = ("standardized", "interventions_avoided")
        return {name: getattr(self, name).tolist() for name in (*names, *made)}


@dataclass(frozen=True, eq=False, repr=False)
class DecisionDifference:
    """How much more net benefit one forecast has than another, by threshold.

    Attributes
    ----------
    threshold : array
        Increasing thresholds.
    net_benefit : array
        That of the first minus that of the second.
    right : array
        Its limits just above each threshold.
    band : Band or None
        Bounds, if they were asked for.
    beyond : float or None
        Of an exact difference, by how much the first has more false positives than the second at
        each threshold above the last, as a share of all cases. None if thresholds were chosen.

    Examples
    --------
    >>> import properly
    >>> y = [0, 1, 0, 1]
    >>> first = properly.tally(y, [0.1, 0.6, 0.3, 0.9])
    >>> second = properly.tally(y, [0.1, 0.3, 0.6, 0.9])
    >>> found = properly.decisions.decision_difference(first, second, [0.2, 0.5])
    >>> found
    DecisionDifference(at 2 thresholds)
    >>> found.net_benefit
    array([0. , 0.5])
    >>> properly.decisions.decision_difference(first, second, "every").at(0.35)
    array(0.38461538)
    """

    threshold: Column
    net_benefit: Column
    right: Column
    band: Band | None = None
    beyond: float | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        return _told(self)

    @property
    def exact(self) -> bool:
        """Whether the thresholds are all at which the difference may jump."""
        return self.beyond is not None

    def at(self, t: ArrayLike) -> Column:
        """Return the difference at any thresholds in [0, 1), NaN outside; of an exact one only.

        Parameters
        ----------
        t : array-like
            Thresholds; at these themselves one acts.
        """
        return self.steps.at(t)

    def curve(self) -> tuple[Column, Column]:
        """Return points to draw straight lines between, as those of a decision curve."""
        return self.steps.curve()

    @property
    def steps(self) -> Steps:
        """The difference as a function of the threshold."""
        return Steps(self.threshold, self.net_benefit, self.right, self.beyond)

    def to_dict(self) -> dict[str, Any]:
        """Return thresholds and differences as lists, with the band if there is one."""
        found: dict[str, Any] = self._columns() | _exactness(self)
        return found if self.band is None else found | {"band": self.band.to_dict()}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a threshold as a polars, pandas or pyarrow frame."""
        return to_frame(self._columns(), backend)

    def _columns(self) -> dict[str, Any]:
        names = ("threshold", "net_benefit", "right")
        return {name: getattr(self, name).tolist() for name in names}


def without_model(event_rate: float) -> dict[str, DecisionCurve]:
    """Return the curves of acting on all cases, and on none."""
    zero, all_events = np.zeros(1), np.array([event_rate])
    starts = {TREAT_ALL: (all_events, 1 - event_rate), TREAT_NONE: (zero, 0.0)}
    return {
        name: DecisionCurve(zero, start, start, all_events, zero, event_rate, beyond=beyond)
        for name, (start, beyond) in starts.items()
    }
