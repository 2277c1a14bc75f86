"""Figure 3: which forecasts are the worst, by score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly.decisions._worst_cases import worst_cases
from properly.reproduce._layout import heading, table
from properly.reproduce._prose import prose
from properly.rules import RPS, Brier, Log

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly.counts._cases import Cases
    from properly.decisions._worst_cases import WorstCases
    from properly.rules import ClassRule

RULES: dict[str, ClassRule] = {"Brier": Brier(), "log": Log(), "RPS": RPS()}
SHOWN = 3
# Enough for a mean distance to be steady: about one case in ninety.
COUNTED = 100


@dataclass(frozen=True, eq=False)
class Worst:
    """The worst forecasts of injuries by three scores.

    Attributes
    ----------
    cases : dict of str to WorstCases
        The very worst, by score.
    distances : dict of str to float
        Mean distance of the likeliest class from the true one among the worst hundred, by score.
    """

    cases: Mapping[str, WorstCases]
    distances: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the worst cases by score, and the distances."""
        cases = {name: found.to_dict() for name, found in self.cases.items()}
        return {"cases": cases, "distances": dict(self.distances)}

    def __str__(self) -> str:
        """Print the very worst of each score, and how far off the worst hundred are."""
        first = next(iter(self.cases.values()))
        labels = [str(label) for label in first.labels or ()]
        lines = [line for name in self.cases for line in self._lines(name, labels)]
        distances = ", ".join(f"{name} {found:.2f}" for name, found in self.distances.items())
        return "\n".join(
            [
                heading("Figure 3: the worst forecasts of injuries, by score"),
                "Rows are counted from 0 among the persons whose injury is known.",
                table(["", "row", "loss", "happened", *labels], lines),
                prose(
                    "Mean distance of the likeliest class from the true one, among the worst",
                    f"{COUNTED}: {distances}. The worst by RPS are wrong by the most classes, as",
                    "the paper shows on one retinal image a score; Brier and log do not look at",
                    "the distance.",
                ),
            ]
        )

    def _lines(self, name: str, labels: list[str]) -> list[list[str]]:
        found = self.cases[name]
        columns = zip(found.row, found.loss, found.outcome, found.p, strict=True)
        return [
            [f"{name} {k + 1}", str(row), f"{loss:.4f}", labels[y], *(f"{x:.3f}" for x in p)]
            for k, (row, loss, y, p) in enumerate(columns)
        ]


def worst(cases: Cases) -> Worst:
    """List the worst forecasts by three scores, and see how far off they are."""
    return Worst(
        {name: worst_cases(cases, rule, k=SHOWN) for name, rule in RULES.items()},
        {name: _distance(worst_cases(cases, rule, k=COUNTED)) for name, rule in RULES.items()},
    )


def _distance(found: WorstCases) -> float:
    likeliest = np.argmax(np.asarray(found.p), axis=1)
    return float(np.mean(np.abs(likeliest - np.asarray(found.outcome))))
