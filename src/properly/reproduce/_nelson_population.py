"""Figures 2 to 7 without chance: fifteen models of two classes on a line."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from properly._boundary._record import plain, to_frame
from properly.datasets import NELSON_CASES
from properly.probability._power import POWERS
from properly.reproduce._layout import heading, table
from properly.reproduce._nelson_printed import (
    ANGLES,
    AREAS,
    CLAIMS,
    DIVERGENCES,
    MODEL_MEANS,
    SOURCE_MEANS,
)
from properly.reproduce._nelson_quadrature import Masses, as_predicted, isotonic, line
from properly.reproduce._prose import prose

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from properly._boundary._record import Backend
    from properly.probability._power import ThreeMeans
    from properly.reproduce._nelson_quadrature import Line


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
class PopulationTable:
    """Fifteen models of two classes, of all cases there are.

    Attributes
    ----------
    cases : dict of str to PopulationCase
        By name, as in `properly.datasets.NELSON_CASES`.
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

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a model as a polars, pandas or pyarrow frame."""
        return to_frame(self.to_dict(), backend)

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
        return "\n".join(
            [
                heading("Figures 2 to 7: two classes on a line, without chance"),
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
            ]
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
        divergence=model.accuracy / source.accuracy,
        isotonic_divergence=model.accuracy / pooled.accuracy,
        feature_divergence=model.accuracy / limited.feature().accuracy,
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
