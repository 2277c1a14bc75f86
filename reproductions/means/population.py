"""Figures 2 to 7 without chance: fifteen models of two classes on a line.

All cases there are, by quadrature. A forecast is a function of the position, and two positions or
more may have the same one. What happens at a forecast is then a matter of all of them together; it
is found from how much of each class lies between two forecasts, on every piece of the line on which
the forecast rises or falls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._record import plain
from properly._boundary._text import table
from properly.counts import Tally
from properly.counts._isotonic import recalibrate
from properly.counts._scoring import concordance
from properly.probability._power_means import POWERS, three_means
from reproductions.means.coupled import NELSON_CASES
from reproductions.means.reference import (
    ANGLES,
    AREAS,
    CLAIMS,
    DIVERGENCES,
    MODEL_MEANS,
    SOURCE_MEANS,
)
from reproductions.tables import Table, prose, section

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from properly.probability._power_means import ThreeMeans
    from properly.typing import Column
    from reproductions.means.coupled import CoupledClasses, NelsonCase


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


@dataclass(frozen=True)
class PopulationCase:
    """A model of all cases there are.

    Attributes
    ----------
    model : ThreeMeans
        Of the probabilities that the model gives to what happens.
    source, isotonic : ThreeMeans
        Of what happens, given the model's forecast; and of its best increasing recalibration.
    divergence, isotonic_divergence, feature_divergence : float
        The accuracy of the model divided by that of the source, of the recalibration, and of what
        happens given the position.
    angle, isotonic_angle : float
        Of the three marks, in degrees.
    auc, predicted_auc : float
        The area under the ROC curve of the model's forecasts, without a limit to them; among the
        cases there are, and among those that there would be if the model were right.
    limited_auc, weighed_auc : float
        The same with a limit; the latter with each case an event with the weight of its forecast,
        which is what a sample has.
    """

    model: ThreeMeans
    source: ThreeMeans
    isotonic: ThreeMeans
    divergence: float
    isotonic_divergence: float
    feature_divergence: float
    angle: float
    isotonic_angle: float
    auc: float
    predicted_auc: float
    limited_auc: float
    weighed_auc: float

    def columns(self) -> dict[str, float]:
        """Return every number by name."""
        means = {
            f"{kind}_{name}": getattr(getattr(self, kind), name)
            for kind in ("model", "source", "isotonic")
            for name in POWERS
        }
        rest = {name: value for name, value in vars(self).items() if isinstance(value, float)}
        return means | rest


@dataclass(frozen=True)
class PopulationTable(Table):
    """Fifteen models of two classes, of all cases there are.

    Attributes
    ----------
    cases : dict of str to PopulationCase
        By name, as in `reproductions.means.coupled.NELSON_CASES`.
    points : int
        Positions of the quadrature.
    """

    cases: Mapping[str, PopulationCase]
    points: int

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a model."""
        rows = {name: case.columns() for name, case in self.cases.items()}
        names = next(iter(rows.values()))
        found = {name: [row[name] for row in rows.values()] for name in names}
        columns: dict[str, list[Any]] = plain({"case": list(rows)} | found)
        return columns

    def apart(self) -> dict[str, float]:
        """Return the largest differences from what was found before, by what they are of."""
        pairs = [pair for name in self.cases for pair in _pairs(self.cases[name], name)]
        kinds = dict.fromkeys(kind for kind, *_ in pairs)
        return {kind: max(abs(a - b) for other, a, b in pairs if other == kind) for kind in kinds}

    def as_claimed(self) -> bool:
        """Tell whether every angle is on that side of 45 degrees where the paper has it."""
        return all(
            _side(self.cases[name].angle) == claim.angle
            for name, claim in CLAIMS.items()
            if name in self.cases
        )

    def __str__(self) -> str:
        """Print both tables, and what the paper says."""
        verdict = "does" if self.as_claimed() else "does not"
        return section(
            "Figures 2 to 7: two classes on a line, without chance",
            prose(
                "Classes are at 0 and 2, with scale 1, coupling 1/2 and equal priors; the",
                "forecast of the second is limited to [0.01, 0.99]. A name says what the model",
                "of the second class has instead; tail over: both models have coupling 0; tail",
                "under: so has the source, and the models have 1/2; gaussian: all have 0.",
                f"By quadrature at {self.points:,} positions. Source: given the forecast.",
            ),
            *self._means(),
            "",
            *self._rest(),
            prose(
                "P_div is the accuracy of the model, divided by that of the source given the",
                "forecast, of the isotonic recalibration of the forecast, and of the source",
                f"given the position. Each angle {verdict} lie on that side of 45 degrees",
                "where the paper has it. The predicted area is that of cases drawn from the",
                "model; weighed: each case is an event with the weight of its forecast, with",
                "the limit, which is what a sample allows and is another number.",
            ),
            self._agreement(),
        )

    def _means(self) -> Iterator[str]:
        head = ["", "Figure", *("Dec", "Acc", "Rob"), *("source: Dec", "Acc", "Rob")]
        yield table(
            head,
            [
                [name, _figure(name), *_three(case.model), *_three(case.source)]
                for name, case in self.cases.items()
            ],
        )

    def _rest(self) -> Iterator[str]:
        head = ["", "P_div", "isotonic", "feature", "angle", "paper"]
        yield table(
            [*head, "AUC", "predicted", "weighed"],
            [
                [
                    name,
                    *_four((case.divergence, case.isotonic_divergence, case.feature_divergence)),
                    f"{case.angle:.1f}",
                    CLAIMS[name].angle if name in CLAIMS else "-",
                    *_four((case.auc, case.predicted_auc, case.weighed_auc)),
                ]
                for name, case in self.cases.items()
            ],
        )

    def _agreement(self) -> str:
        apart = ", ".join(f"{kind} {most:.1g}" for kind, most in self.apart().items())
        return prose(
            "Largest differences from reference values, computed independently, with four digits",
            f"and angles with one: {apart}.",
        )


def describe(name: str, points: int) -> PopulationCase:
    """Find the numbers of one model."""
    case = NELSON_CASES[name]
    limited, free = line(case, points=points), line(case, points=points, precision=0)
    cells = limited.cells(limited.levels())
    model, source = limited.model(), cells.means(*cells.shares())
    recalibrated = isotonic(cells)
    pooled = cells.means(recalibrated, 1 - recalibrated)
    return PopulationCase(
        model,
        source,
        pooled,
        divergence=model.mean_probability / source.mean_probability,
        isotonic_divergence=model.mean_probability / pooled.mean_probability,
        feature_divergence=model.mean_probability / limited.feature().mean_probability,
        angle=angle(model, source),
        isotonic_angle=angle(model, pooled),
        auc=free.auc(),
        predicted_auc=as_predicted(free, case.model).auc(),
        limited_auc=limited.auc(),
        weighed_auc=_weighed(limited).auc(),
    )


def angle(model: ThreeMeans, source: ThreeMeans) -> float:
    """Return the direction of the three marks, in degrees."""
    rise, run = (x.decisiveness - x.robustness for x in (model, source))
    return math.degrees(math.atan2(rise, run))


def _weighed(found: Line) -> Line:
    """Make each case an event with the weight of its forecast."""
    total, q = found.masses.total, found.forecast
    return replace(found, masses=Masses(total * q, total * (1 - q)))


def _pairs(case: PopulationCase, name: str) -> Iterator[tuple[str, float, float]]:
    """Pair numbers with those that were found before, of some cases fewer than of others."""
    divergences = (case.divergence, case.isotonic_divergence, case.feature_divergence)
    before: dict[str, tuple[Sequence[float], Mapping[str, tuple[float, ...]]]] = {
        "means of models": (_values(case.model), MODEL_MEANS),
        "of sources": (_values(case.source), SOURCE_MEANS),
        "P_div": (divergences, DIVERGENCES),
        "angles": ((case.angle,), ANGLES),
        "AUC": ((case.auc, case.predicted_auc), AREAS),
    }
    for kind, (found, known) in before.items():
        yield from ((kind, a, b) for a, b in zip(found, known.get(name, ()), strict=False))


def _side(degrees: float) -> str:
    if round(degrees, 1) == 45:
        return "= 45"
    return "> 45" if degrees > 45 else "< 45"


def _figure(name: str) -> str:
    return CLAIMS[name].figure if name in CLAIMS else "-"


def _values(means: ThreeMeans) -> list[float]:
    return [getattr(means, name) for name in POWERS]


def _three(means: ThreeMeans) -> list[str]:
    return _four(_values(means))


def _four(values: Iterable[float]) -> list[str]:
    return [f"{x:.4f}" for x in values]
