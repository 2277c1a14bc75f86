"""Figure 3: the authors' own histories of training, read once more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._record import columns_of, plain
from properly._boundary._text import table
from reproductions.epochs.agreement import metric_agreement
from reproductions.tables import Table, prose, section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from properly.typing import Column
    from reproductions.epochs.agreement import MetricAgreement
    from reproductions.epochs.data import PublishedHistory


SCORES = ("brier", "pbs", "error")
TITLES = {"brier": "Brier", "pbs": "PBS", "error": "error"}
# Columns have nine decimals.
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class HistoryAgain:
    """One history: how well scores agree with F1, and which F1 they select.

    Attributes
    ----------
    name : str
        The set.
    classes : int
        How many classes it has.
    curves : dict of arrays
        By epoch: brier, pbs, error and f1.
    agreement : MetricAgreement
        Of the three losses with F1.
    stored : pair of floats
        The correlations with the Brier score and with PBS that the file has.
    """

    name: str
    classes: int
    curves: dict[str, Column]
    agreement: MetricAgreement
    stored: tuple[float, float]

    @property
    def stored_agree(self) -> bool:
        """Whether the stored correlations are those of the file's own columns."""
        mine = [self.agreement.pearson[name] for name in ("brier", "pbs")]
        return bool(np.allclose(mine, self.stored, rtol=0, atol=ROUNDING))

    def to_dict(self) -> dict[str, Any]:
        """Return one number a column."""
        found = self.agreement
        row: dict[str, Any] = {"data": self.name, "classes": self.classes}
        row |= {f"correlation_{name}": found.pearson[name] for name in SCORES}
        row |= {f"f1_{name}": found.reference_at_best[name] for name in SCORES}
        row |= {"f1_best": found.best_reference, "stored_agree": self.stored_agree}
        row |= {"stored_brier": self.stored[0], "stored_pbs": self.stored[1]}
        return row


@dataclass(frozen=True, eq=False)
class Histories(Table):
    """The histories behind Figure 3, with the error rate that they contain.

    Attributes
    ----------
    rows : tuple of HistoryAgain
        One a set.
    """

    rows: tuple[HistoryAgain, ...]

    def mean_f1(self, by: str) -> float:
        """Average the F1 of the epochs that a score selects, or the best one, over sets."""
        return float(np.mean([row.to_dict()[f"f1_{by}"] for row in self.rows]))

    @property
    def ordered(self) -> int:
        """In how many sets the error rate agrees best with F1, then PBS, then Brier."""
        found = [[row.agreement.pearson[name] for name in SCORES] for row in self.rows]
        return sum(brier < pbs < error for brier, pbs, error in found)

    def to_dict(self) -> dict[str, Any]:
        """Return one list a column."""
        found: dict[str, Any] = plain(columns_of([row.to_dict() for row in self.rows]))
        return found

    def _columns(self) -> Any:
        return columns_of([row.to_dict() for row in self.rows])

    def __str__(self) -> str:
        """Print both tables and what they say."""
        count = len(self.rows)
        head = [
            "data",
            *(f"r {TITLES[x]}" for x in SCORES),
            *(f"F1 {TITLES[x]}" for x in SCORES),
        ]
        mean = ["mean", "", "", "", *(f"{self.mean_f1(x):.3f}" for x in (*SCORES, "best"))]
        return section(
            f"Figure 3: the authors' own histories, {count} of 9, with the error rate",
            prose(
                "r: correlation of F1 with the score, its sign turned, over the epochs. F1: at",
                "the epoch that the score selects, and the best there is. The error rate is in",
                "their columns: (PBS - Brier) c²/(c-1), on the scale of Algorithm 2.",
            ),
            table([*head, "F1 best"], [*map(_line, self.rows), mean]),
            prose(
                "The error rate agrees better with F1 than PBS does, and PBS better than the",
                f"Brier score, in {self.ordered} of {count}. PBS is the Brier score and the",
                "error rate, so what it gains is the error rate's. F1 is that of the figure:",
                "pooled over classes, with probabilities rounded, not macro-F1.",
            ),
            *map(_tell_stored, (row for row in self.rows if not row.stored_agree)),
        )


def histories(published: Mapping[str, PublishedHistory]) -> Histories:
    """Read the error rate out of each history, and see what each score selects."""
    return Histories(tuple(_again(name, one) for name, one in published.items()))


def _again(name: str, one: PublishedHistory) -> HistoryAgain:
    share = (one.classes - 1) / one.classes**2
    error = (one.penalized - one.brier) / share
    curves = {"brier": one.brier, "pbs": one.penalized, "error": error, "f1": one.f1}
    agreement = metric_agreement(curves, "f1", larger=("f1",))
    return HistoryAgain(name, one.classes, curves, agreement, one.stored)


def _line(row: HistoryAgain) -> list[str]:
    found = row.agreement
    correlations = [f"{found.pearson[name]:.3f}" for name in SCORES]
    selected = [f"{found.reference_at_best[name]:.3f}" for name in SCORES]
    return [row.name, *correlations, *selected, f"{found.best_reference:.3f}"]


def _tell_stored(row: HistoryAgain) -> str:
    mine = [row.agreement.pearson[name] for name in ("brier", "pbs")]
    return prose(
        "The correlations stored in the file of {}, {:.3f} and {:.3f}, are not those".format(
            row.name, *row.stored
        ),
        "of its columns, {:.3f} and {:.3f}.".format(*mine),
    )
