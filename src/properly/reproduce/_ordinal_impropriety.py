"""Why sa-RPS is no proper score: an honest forecast loses to one that is too sure of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._record import columns_of, plain, to_frame
from properly.reproduce._layout import heading, table
from properly.reproduce._prose import prose
from properly.rules import RPS, SquaredAbsoluteRPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from properly._boundary._record import Backend
    from properly.rules import ClassRule

TRUTHS: dict[str, tuple[float, ...]] = {
    "two neighbours": (0.3, 0.7, 0),
    "both ends of three": (1 / 2, 0, 1 / 2),
    "uniform on three": (1 / 3, 1 / 3, 1 / 3),
    "both ends of four": (1 / 2, 0, 0, 1 / 2),
    "uniform on five": (1 / 5,) * 5,
    "a peak of five": (0.1, 0.2, 0.4, 0.2, 0.1),
    "skewed on five": (0.5, 0.25, 0.15, 0.07, 0.03),
}


@dataclass(frozen=True)
class Honesty:
    """What honesty costs if forecasts are scored by sa-RPS.

    Attributes
    ----------
    truth, best : tuple of float
        The probabilities of the classes, and a forecast that sa-RPS prefers to all others.
    honest, least : float
        Expected sa-RPS of both.
    spread : float
        Variance of the class number, divided by (K - 1)^2: what the least is by the theorem.
    rps_honest, rps_best : float
        Expected RPS of both.
    """

    truth: tuple[float, ...]
    best: tuple[float, ...]
    honest: float
    least: float
    spread: float
    rps_honest: float
    rps_best: float

    @property
    def cost(self) -> float:
        """By which share honesty is dearer than the best report."""
        return self.honest / self.least - 1


@dataclass(frozen=True)
class Impropriety:
    """Honest and best reports under sa-RPS.

    Attributes
    ----------
    rows : dict of str to Honesty
        By truth.
    """

    rows: dict[str, Honesty]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a truth."""
        columns: dict[str, list[Any]] = plain(columns_of(self.rows.values(), "cost"))
        return {"name": list(self.rows)} | columns

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a truth as a polars, pandas or pyarrow frame."""
        return to_frame(self.to_dict(), backend)

    def __str__(self) -> str:
        """Print what an honest forecast costs, and what is preferred to it."""
        rows = [_tell_honesty(name, row) for name, row in self.rows.items()]
        beaten = sum(row.cost > 1e-9 for row in self.rows.values())
        return "\n".join(
            [
                heading("sa-RPS is improper: it asks for the mean only"),
                prose(
                    "Expected sa-RPS, divided by (K - 1)^2, of the honest forecast and of the",
                    "best; in brackets the expected RPS of both, which honesty minimises.",
                ),
                table(["truth", "honest", "best", "honesty costs", "best forecast"], rows),
                prose(
                    f"Honesty is beaten in {beaten} of {len(rows)}: always if three classes or",
                    "more are possible. If only two are, and these are no neighbours, others do",
                    "as well. No forecast has less than the variance of the class number, divided",
                    "by (K - 1)^2, and that is reached by the two classes around the mean,",
                    "however wide the truth is. The paper lists sa-RPS with the proper scoring",
                    "rules; it is one for two classes only.",
                ),
            ]
        )


def impropriety() -> Impropriety:
    """Compare honest forecasts with those that sa-RPS prefers."""
    return Impropriety({name: honesty(truth) for name, truth in TRUTHS.items()})


def honesty(truth: Sequence[float]) -> Honesty:
    """Compare an honest forecast with the one that sa-RPS prefers."""
    best, rule = around_the_mean(truth), SquaredAbsoluteRPS()
    number = np.arange(len(truth))
    spread = float(np.dot(truth, (number - np.dot(truth, number)) ** 2)) / (len(truth) - 1) ** 2

    def expected(rule: ClassRule, report: Sequence[float]) -> float:
        return float(rule.expected_loss(list(truth), list(report)))

    return Honesty(
        tuple(truth),
        best,
        expected(rule, truth),
        expected(rule, best),
        spread,
        expected(RPS(), truth),
        expected(RPS(), best),
    )


def around_the_mean(truth: Sequence[float]) -> tuple[float, ...]:
    """Return the forecast of the truth's mean that has no other than the two classes around it."""
    # Sums of decimals miss whole numbers by a little; a forecast of 1e-16 would mean nothing.
    mean = round(float(np.dot(truth, np.arange(len(truth)))), 12)
    return tuple(max(0.0, 1 - abs(k - mean)) for k in range(len(truth)))


def _tell_honesty(name: str, row: Honesty) -> list[str]:
    best = " ".join(f"{x:.2f}" for x in row.best)
    both = ((row.honest, row.rps_honest), (row.least, row.rps_best))
    return [name, *(f"{x:.4f} ({rps:.4f})" for x, rps in both), f"{100 * row.cost:.0f} %", best]
