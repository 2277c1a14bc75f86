"""Two classes on a line: all cases there are, by quadrature.

A forecast is a function of the position, and two positions or more may have the same one. What
happens at a forecast is then a matter of all of them together; it is found from how much of each
class lies between two forecasts, on every piece of the line on which the forecast rises or falls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly.counts._concordance import concordance
from properly.counts._isotonic import recalibrate
from properly.counts._tally import Tally
from properly.probability._power import three_means

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.datasets import CoupledClasses, NelsonCase
    from properly.probability._power import ThreeMeans
    from properly.typing import Column


POINTS = 200_001
# Positions are 1 + sinh(u), u up to this: 4 million scales to both sides.
REACH = 16.0
# Forecasts are grouped into so many cells of equal mass; what is lost by it is of second order.
CELLS = 4000
PRECISION = 0.01


class Masses(NamedTuple):
    """How much of the second class, the event, and of the first is where."""

    event: Column
    none: Column

    @property
    def total(self) -> Column:
        """All that is there."""
        return self.event + self.none

    def shares(self) -> tuple[Column, Column]:
        """Return how often the event happens there, and how often it does not."""
        return self.event / self.total, self.none / self.total

    def means(self, event: Column, none: Column) -> ThreeMeans:
        """Return the means of what happened, from the probabilities of the event and of none."""
        t, weight = np.concatenate([event, none]), np.concatenate(self)
        there = weight > 0
        return three_means(t[there], weight[there])


@dataclass(frozen=True, eq=False)
class Line:
    """All cases on a line.

    Attributes
    ----------
    x : numpy array
        Positions.
    width : numpy array
        How much of the line each of them stands for.
    masses : Masses
        How much of each class is at each of them; all together are 1.
    forecast : numpy array
        The probability of the event there, by the model.
    truth : tuple of numpy array
        Those of the event and of none, as they are.
    """

    x: Column
    width: Column
    masses: Masses
    forecast: Column
    truth: tuple[Column, Column]

    def model(self) -> ThreeMeans:
        """Return the means of what the model gave to what happened."""
        return self.masses.means(self.forecast, 1 - self.forecast)

    def feature(self) -> ThreeMeans:
        """Return the means of what happened given the position, the most that can be known."""
        return self.masses.means(*self.truth)

    def auc(self) -> float:
        """Return how often an event has a higher forecast than another case."""
        return concordance(*reversed(self.cells(self.levels())))

    def levels(self, cells: int = CELLS) -> Column:
        """Return forecasts with equal masses between them, but for those that many cases have."""
        q, total = self.forecast, self.masses.total
        order = np.argsort(q, kind="stable")
        mass = np.cumsum(total[order])
        between = np.interp(np.linspace(0, mass[-1], cells + 1), mass, q[order])
        return np.unique(np.concatenate([[q.min(), q.max()], between]))

    def cells(self, levels: Column) -> Masses:
        """Add up masses between levels; cells without any are left out."""
        event, none = (self._between(levels, mass) for mass in self.masses)
        there = event + none > 0
        return Masses(event[there], none[there])

    def _between(self, levels: Column, mass: Column) -> Column:
        """Add up the masses of pieces on which the forecast rises, falls or stays."""
        # The first and the last point stand for half a step.
        step = (mass[1:] + mass[:-1]) / 2
        step[[0, -1]] += mass[[0, -1]] / 2
        found = np.zeros(len(levels) - 1)
        for start, end in _pieces(self.forecast):
            q, below = self.forecast[start : end + 1], np.append(0, np.cumsum(step[start:end]))
            if q[0] == q[-1]:
                cell = np.searchsorted(levels, q[0], side="right") - 1
                found[min(cell, len(found) - 1)] += below[-1]
            elif q[0] < q[-1]:
                found += np.diff(np.interp(levels, q, below))
            else:
                found -= np.diff(np.interp(levels, q[::-1], below[::-1]))
        return found


def line(
    case: NelsonCase,
    *,
    points: int = POINTS,
    precision: float = PRECISION,
    within: tuple[float, float] | None = None,
) -> Line:
    """Lay out a case, all of it or what is within two positions."""
    low, high = (-REACH, REACH) if within is None else np.arcsinh(np.array(within) - 1)
    u, step = np.linspace(low, high, points, retstep=True)
    x, width = 1 + np.sinh(u), np.cosh(u) * step
    width[[0, -1]] /= 2
    forecast = case.model.posterior(x).p[:, 1].clip(precision, 1 - precision)
    # One less the other would lose what is almost impossible.
    none, event = case.source.posterior(x).p.T
    return Line(x, width, _masses(case.source, x, width), forecast, (event, none))


def as_predicted(found: Line, model: CoupledClasses) -> Line:
    """Lay out the cases that there would be if the model were right."""
    return replace(found, masses=_masses(model, found.x, found.width))


def _masses(classes: CoupledClasses, x: Column, width: Column) -> Masses:
    """Return how much of each class is at positions that stand for some width."""
    none, event = (
        prior * density.density(x) * width
        for prior, density in zip(classes.priors, classes.densities, strict=True)
    )
    whole = float(np.sum(none + event))
    return Masses(event / whole, none / whole)


def isotonic(cells: Masses) -> Column:
    """Return the best increasing recalibration of forecasts, cell by cell."""
    event, none = cells
    # The forecasts themselves do not matter, only their order.
    value = np.arange(1, len(event) + 1) / (len(event) + 1)
    fit = recalibrate(Tally(value, event + none, event, event**2, none**2))
    return fit.spread(fit.event_rate)


def _pieces(q: Column) -> Iterator[tuple[int, int]]:
    """Find where forecasts begin and end to rise, to fall or to stay."""
    turn = np.nonzero(np.diff(np.sign(np.diff(q))))[0] + 1
    edges = [0, *turn.tolist(), len(q) - 1]
    yield from pairwise(edges)
