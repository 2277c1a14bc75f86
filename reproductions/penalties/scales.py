"""Formulas and algorithms: three scales of one score, signs, and what is misprinted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._record import columns_of
from properly._boundary._text import table
from properly.rules import PBS, PLL, Brier
from reproductions.penalties.example import TRUTH, A, B
from reproductions.tables import Errata, Table, formula, prose, section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reproductions.penalties.constants import Rows
    from reproductions.tables import Erratum


SCALES: dict[str, Any] = {
    "Equation 4: class sum, (c - 1) / c": PBS(ties="any_correct"),
    "Algorithm 2: class mean, (c - 1) / c^2": PBS(ties="any_correct", scale="algorithm2"),
    "package: class mean, (c - 1) / c": PBS(ties="any_correct", scale="published_code"),
}
# The class that happens is the first.
FORECASTS = {
    "confidently correct": (0.98, 0.01, 0.01),
    "barely correct": (0.40, 0.30, 0.30),
    "barely wrong": (0.45, 0.50, 0.05),
    "confidently wrong": (0.01, 0.98, 0.01),
}
# For the identity of Equations 11 to 18: all classes but the one that happened.
OTHERS = (0.2, 0.2, 0.1)
# For Equations 38 and 39.
TRUE_LAW = (0.5, 0.3, 0.2)
# Section 8.1: the class that happens is the first, with equal probabilities.
CORRECT, WRONG = (0.3, 0.299, 0.299, 0.102), (0.3, 0.31, 0.195, 0.195)


@dataclass(frozen=True)
class ScaleRow:
    """The losses of A and B on one of the published scales.

    Attributes
    ----------
    scale : str
        Where it is from.
    a, b : float
        The losses.
    weight : float
        The penalty, in units of the Brier score that is summed over classes.
    """

    scale: str
    a: float
    b: float
    weight: float


@dataclass(frozen=True)
class SignRow:
    """One forecast by Algorithm 3 as printed, and by Equation 5.

    Attributes
    ----------
    forecast : str
        What it is like.
    printed, right : float
        The two losses.
    """

    forecast: str
    printed: float
    right: float


@dataclass(frozen=True)
class Scales(Table):
    """Three scales, the signs of an algorithm, formulas as printed and as corrected.

    Attributes
    ----------
    scales : tuple of ScaleRow
        The three published versions of one score.
    signs : tuple of SignRow
        Algorithm 3 on four forecasts.
    errata : Errata
        Formulas.
    equal : dict of str to float
        The Brier scores of a correct and a wrong forecast that give the truth equal probabilities.
    """

    scales: tuple[ScaleRow, ...]
    signs: tuple[SignRow, ...]
    errata: Errata
    equal: dict[str, float]

    @property
    def printed_order(self) -> list[str]:
        """The forecasts as Algorithm 3 orders them, from the least value to the greatest."""
        return [row.forecast for row in sorted(self.signs, key=lambda row: row.printed)]

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of each table."""
        return {
            "scales": columns_of(self.scales),
            "signs": columns_of(self.signs),
            "errata": self.errata.to_dict(),
            "equal": self.equal,
        }

    def _columns(self) -> Any:
        return self.errata.to_dict()

    def __str__(self) -> str:
        """Print everything."""
        scales = [[s.scale, f"{s.a:.4f}", f"{s.b:.4f}", f"{s.weight:.4f}"] for s in self.scales]
        signs = [[s.forecast, f"{s.printed:.4f}", f"{s.right:.4f}"] for s in self.signs]
        return section(
            "Equations and algorithms: what is printed, and what is right",
            prose(
                "Three versions of PBS, on A and B of the introduction. Penalty: what it",
                "comes to beside a Brier score that is summed over classes; in the package, c",
                "times as much.",
            ),
            table(["", "A", "B", "penalty"], scales),
            "",
            "Algorithm 3 as printed, without the minus of the log loss; class 0 happens.",
            table(["", "Algorithm 3", "Equation 5"], signs),
            prose(
                f"In its order: {', '.join(self.printed_order)}. Read from either end, the",
                "best is not first. Algorithm 1, line 11, has ones(c) for ones(n).",
            ),
            "",
            self.errata.table(),
            "",
            self._claim(),
        )

    def _claim(self) -> str:
        correct, wrong = self.equal["correct"], self.equal["wrong"]
        equal = prose(
            "Section 8.1: of two forecasts that give the truth equal probabilities, the wrong one",
            f"has the larger Brier score. The correct {CORRECT} has {correct:.5f}, the wrong",
            f"{WRONG} has {wrong:.5f}: {'no' if wrong < correct else 'yes'}.",
        )
        proper = prose(
            "Section 3: accuracy and F-measures are proper scoring rules. Accuracy is, not",
            "strictly; an F-measure is no mean of what single forecasts cost, and so no scoring",
            "rule.",
        )
        return f"{equal}\n{proper}"


def scales() -> Scales:
    """Evaluate every formula and algorithm."""
    brier = Brier().loss([0, 0], [CORRECT, WRONG])
    return Scales(
        tuple(_scale(name, rule) for name, rule in SCALES.items()),
        tuple(_sign(name, p) for name, p in FORECASTS.items()),
        Errata(tuple(_errata())),
        {"correct": float(brier[0]), "wrong": float(brier[1])},
    )


def algorithm3(q: Rows, y: Rows) -> float:
    """Follow Algorithms 1 and 3 as printed, but for ones(n), on one-hot rows of outcomes."""
    n, classes = q.shape
    hot = np.sum(np.where(y == 1, q, y), axis=1)
    container = q - hot[:, None]
    container = np.sum(np.where(container < 0, 0.0, container), axis=1)
    payoff = np.where(container > 0, np.ones(n) * math.log(1 / classes), container)
    # No minus, and a mean before the payoffs are subtracted.
    found = np.mean(np.sum(y * np.log(q), axis=1))
    return float(np.mean(found - payoff))


def _scale(name: str, rule: Any) -> ScaleRow:
    a, b = (float(x) for x in rule.loss([TRUTH, TRUTH], [A, B]))
    plain_a, plain_b = (float(x) for x in Brier().loss([TRUTH, TRUTH], [A, B]))
    # A is not penalized: its loss shows the unit.
    return ScaleRow(name, a, b, b * plain_a / a - plain_b)


def _sign(name: str, p: tuple[float, ...]) -> SignRow:
    y = np.eye(len(p))[:1]
    right = float(PLL(ties="any_correct").loss([0], [p])[0])
    return SignRow(name, algorithm3(np.array([p]), y), right)


def _errata() -> Iterator[Erratum]:
    classes, mean = len(OTHERS) + 1, sum(OTHERS) / len(OTHERS)
    spread = sum((x - mean) ** 2 for x in OTHERS)
    yield formula(
        "Equations 11 to 18",
        f"sum of squares of {OTHERS}",
        sum(x**2 for x in OTHERS),
        ("sum (q - mean)^2 + c mean^2", spread + classes * mean**2),
        ("sum (q - mean)^2 + (c - 1) mean^2", spread + (classes - 1) * mean**2),
    )
    brier = float(Brier().expected_loss(TRUE_LAW, TRUE_LAW))
    penalty = float(PBS().penalty_for(len(TRUE_LAW)))
    yield formula(
        "Equations 38 and 39",
        f"expected PBS of the truth {TRUE_LAW}",
        float(PBS().expected_loss(TRUE_LAW, TRUE_LAW)),
        ("that of the Brier score", brier),
        ("that and penalty x (1 - max)", brier + penalty * (1 - max(TRUE_LAW))),
    )
    p = FORECASTS["confidently wrong"]
    yield formula(
        "Algorithm 3",
        f"PLL of {p}, class 0 being the truth",
        float(PLL().loss([0], [p])[0]),
        ("log q - log(1/c)", algorithm3(np.array([p]), np.eye(3)[:1])),
        ("-log q - log(1/c)", -math.log(p[0]) - math.log(1 / len(p))),
    )
