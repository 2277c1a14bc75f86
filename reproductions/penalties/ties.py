"""Theorem 5: four treatments of ties, and which of them reward saying what one believes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properly._boundary._record import columns_of
from properly._boundary._text import table
from properly.inference._shares import bisect
from properly.rules._counterexamples import lattice
from reproductions.penalties.constants import MAKERS, pooled, written
from reproductions.tables import Table, heading, prose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reproductions.penalties.constants import Rows


TREATMENTS = {
    "split": "an even share of each tied class is right",
    "first": "the first of the tied classes is chosen",
    "any_correct": "every tied class is right, as in Algorithm 1 and the published code",
    "unique_only": "no tied class is right",
}
# Truths, and reports that beat them under some treatment: a made-up tie, and a tie undone.
PAIRS = {
    "made": ((0.36, 0.34, 0.30), (1 / 3, 1 / 3, 1 / 3)),
    "undone": ((0.4, 0.4, 0.2), (0.41, 0.39, 0.2)),
}
GRIDS = {2: 24, 3: 12, 4: 8}
CLASSES = (2, 3, 4, 5, 10)
ROUNDING = 1e-12


@dataclass(frozen=True)
class Treatment:
    """One treatment of ties: what two truths and the reports against them cost on average.

    Attributes
    ----------
    rule, ties : str
        The rule and the treatment.
    propriety : str
        What the library says of this rule.
    honest, report : dict of str to float
        By pair: the expected loss of the truth itself, and of the report.
    beaten, truths : dict of int to int
        By number of classes: how many truths on a grid some other report on it beats, and how
        many there are.
    """

    rule: str
    ties: str
    propriety: str
    honest: dict[str, float]
    report: dict[str, float]
    beaten: dict[int, int]
    truths: dict[int, int]

    @property
    def refuted(self) -> bool:
        """Whether a report was found that beats the truth."""
        return any(self.beaten.values()) or any(
            self.report[name] < self.honest[name] - ROUNDING for name in PAIRS
        )


@dataclass(frozen=True)
class Share:
    """How many of all truths a tied report beats, if every tied class is right.

    Attributes
    ----------
    rule : str
        The rule.
    classes, n : int
        The number of classes, and of truths drawn evenly from all.
    share : float
        The share of truths that a tie beats.
    """

    rule: str
    classes: int
    n: int
    share: float

    @property
    def error(self) -> float:
        """The standard error of the share."""
        return math.sqrt(self.share * (1 - self.share) / self.n)


@dataclass(frozen=True)
class Ties(Table):
    """Which treatments of ties are proper.

    Attributes
    ----------
    treatments : tuple of Treatment
        By rule and treatment.
    thresholds : dict of str to float
        Two classes, ties right: the even report beats truths whose larger probability is less.
    shares : tuple of Share
        By rule and number of classes.
    """

    treatments: tuple[Treatment, ...]
    thresholds: dict[str, float]
    shares: tuple[Share, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of both tables, and the thresholds."""
        return {
            "treatments": columns_of(self.treatments, "refuted"),
            "thresholds": self.thresholds,
            "shares": columns_of(self.shares, "error"),
        }

    def _columns(self) -> Any:
        return self.to_dict()["shares"]

    def __str__(self) -> str:
        """Print the treatments, the grids, the thresholds and the shares."""
        lines = [heading("Theorem 5: is the honest forecast the best? Four treatments of ties")]
        lines += [f"{name}: {what}" for name, what in TREATMENTS.items()]
        for name, (truth, report) in PAIRS.items():
            lines.append(
                f"A tie {name}: truth {written(truth)}, report {written(report)}; ! if that wins"
            )
        head = ["expected loss", *(f"{pair}: {who}" for pair in PAIRS for who in WHO), "propriety"]
        lines.append(table(head, [_pair_line(row) for row in self.treatments]))
        lines += ["", "Truths on a grid that another report on the grid beats:"]
        head = ["", *(f"c = {c}, steps of 1/{n}" for c, n in GRIDS.items())]
        lines.append(table(head, [_grid_line(row) for row in self.treatments]))
        return "\n".join([*lines, self._told(), "", *self._share_lines()])

    def _told(self) -> str:
        agree = sum(t.refuted == (t.propriety == "improper") for t in self.treatments)
        return prose(
            f"In {agree} of {len(self.treatments)} this agrees with what the library says of the",
            "rule. The paper: both scores are strictly proper. As its Algorithm 1 treats ties,",
            "they are not. If ties are shared, or settled in some fixed way, the penalty is a",
            "proper loss by itself; added to a strictly proper one it leaves that so, however",
            "large it is. If every tied class is right, whoever says 1/c of each is never wrong;",
            "if none is, a tied truth is better told untied.",
        )

    def _share_lines(self) -> list[str]:
        pbs, pll = (self.thresholds[name] for name in MAKERS)
        rows = [
            [
                str(c),
                *(
                    f"{100 * s.share:.2f} ± {100 * s.error:.2f}"
                    for name in MAKERS
                    for s in self.shares
                    if (s.classes, s.rule) == (c, name)
                ),
            ]
            for c in dict.fromkeys(s.classes for s in self.shares)
        ]
        return [
            prose(
                "If every tied class is right: of two classes, the even report beats a truth",
                f"whose larger probability m is below {pbs:.6f} (PBS: 3/4) or {pll:.6f} (PLL:",
                "where m is the entropy in bits).",
            ),
            f"% of {self.shares[0].n:,} truths, drawn evenly from all, that some tie beats then:",
            table(["c", *MAKERS], rows),
        ]


WHO = ("honest", "report")


def treatments() -> tuple[Treatment, ...]:
    """Price the two pairs, and search the grids, under every treatment."""
    grids = {c: lattice(c, n).p for c, n in GRIDS.items()}
    return tuple(_treatment(name, ties, grids) for name in MAKERS for ties in TREATMENTS)


def thresholds() -> dict[str, float]:
    """Find where, of two classes, the even report begins to lose against the truth."""
    return {name: _threshold(make(ties="any_correct")) for name, make in MAKERS.items()}


def share(name: str, q: Rows) -> Share:
    """Count the truths that a tied report beats."""
    beaten = best_tie(name, q) > 1
    return Share(name, q.shape[1], len(q), float(beaten.mean()))


def best_tie(name: str, q: Rows) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return how many classes the best report ties, if every tied class is right; 1 is honest."""
    rule = MAKERS[name](ties="any_correct")
    reports = [rule.expected_loss(q, pooled(q, t)) for t in range(1, q.shape[1] + 1)]
    least = np.array(reports)
    # What a tie gains must be more than rounding.
    least[0] -= ROUNDING
    found: np.ndarray[Any, np.dtype[np.int64]] = np.argmin(least, axis=0) + 1
    return found


def _treatment(name: str, ties: str, grids: Mapping[int, Rows]) -> Treatment:
    rule = MAKERS[name](ties=ties)
    return Treatment(
        name,
        ties,
        rule.propriety.value,
        {pair: float(rule.expected_loss(q, q)) for pair, (q, _) in PAIRS.items()},
        {pair: float(rule.expected_loss(q, p)) for pair, (q, p) in PAIRS.items()},
        {c: _beaten(rule, grid) for c, grid in grids.items()},
        {c: len(grid) for c, grid in grids.items()},
    )


def _beaten(rule: Any, grid: Rows) -> int:
    """Count the truths for which some report costs less than honesty."""
    least = np.array([np.min(rule.expected_loss(q, grid)) for q in grid])
    return int(np.sum(least < np.asarray(rule.entropy(grid)) - ROUNDING))


def _threshold(rule: Any) -> float:
    def loses(m: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        q = np.stack([m, 1 - m], axis=1)
        found: np.ndarray[Any, Any] = rule.expected_loss(q, [0.5, 0.5]) > rule.entropy(q)
        return found

    return float(bisect(loses, np.array([0.6]), np.array([0.9]))[0])


def _pair_line(row: Treatment) -> list[str]:
    cells = []
    for pair in PAIRS:
        honest, report = row.honest[pair], row.report[pair]
        cells += [f"{honest:.4f}", f"{report:.4f}{'!' if report < honest - ROUNDING else ' '}"]
    return [f"{row.rule}, {row.ties}", *cells, row.propriety]


def _grid_line(row: Treatment) -> list[str]:
    return [f"{row.rule}, {row.ties}", *(f"{row.beaten[c]} of {row.truths[c]}" for c in GRIDS)]
