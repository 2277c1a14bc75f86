"""Theorems 1 to 4 and 6: the constants, the least penalties, and the order under each tie.

They are searched for among class probabilities that are drawn, at the edge of a tie, or tied.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from properly._boundary._record import columns_of
from properly._boundary._text import table
from properly.rules import PBS, PLL, Brier, Log, superior_penalty
from properly.rules._counterexamples import lattice
from properly.rules._penalty import likeliest
from reproductions.tables import Table, prose, section

if TYPE_CHECKING:
    import numpy.typing as npt


Rows: TypeAlias = "npt.NDArray[np.float64]"
Mask: TypeAlias = "npt.NDArray[np.bool_]"

# How far a law is from the tie beside it.
NUDGE = 1e-6


def at_ties(classes: int) -> Rows:
    """List even laws on the first and on the last few classes, and each with its tie just broken.

    There the extremes are: a convex loss is greatest over correct forecasts at an even law, and
    least over wrong ones beside one.
    """
    even = [np.where(np.arange(classes) < t, 1 / t, 0.0) for t in range(1, classes + 1)]
    step = np.zeros(classes)
    step[:2] = NUDGE, -NUDGE
    found = np.array(even + [law + step for law in even[1:]])
    return np.vstack([found, found[:, ::-1]])


def alone(p: Rows) -> Mask:
    """Tell the class that leads alone, where there is one."""
    lead = likeliest(p)
    found: Mask = lead & (lead.sum(axis=1, keepdims=True) == 1)
    return found


def truths(classes: int, n: int, rng: np.random.Generator) -> Rows:
    """Draw laws, evenly from all there are."""
    return normalized(rng.exponential(size=(n, classes)))


def normalized(x: Any) -> Rows:
    """Divide each row by its sum."""
    found: Rows = x / np.sum(x, axis=1, keepdims=True)
    return found


def pooled(q: Rows, t: int) -> Rows:
    """Replace the t largest probabilities of each row by their mean: the best report with t tied.

    The mean is one float, so that these tie exactly, and it is not below any other probability.
    """
    order = np.argsort(-q, axis=1, kind="stable")[:, :t]
    report = q.copy()
    mean = np.take_along_axis(q, order, axis=1).mean(axis=1, keepdims=True)
    np.put_along_axis(report, order, np.broadcast_to(mean, order.shape), axis=1)
    return report


def written(p: tuple[float, ...]) -> str:
    """Write a law as a person would."""
    return "(" + ", ".join("1/3" if x == 1 / 3 else f"{x:g}" for x in p) + ")"


# Steps of the grid that is searched, by the number of classes.
STEPS = {2: 24, 3: 24, 4: 16, 5: 10, 10: 10}
TIES = ("first", "any_correct", "unique_only", "split")
BASES: dict[str, Any] = {"PBS": Brier(), "PLL": Log()}
MAKERS: dict[str, Any] = {"PBS": PBS, "PLL": PLL}
# A penalty that is so much less than the least one must fail.
LESS = 1e-4
# How near a search comes to a bound that nothing attains.
CLOSE = 1e-5


@dataclass(frozen=True)
class Constant:
    """What separates correct forecasts from wrong ones, for one rule and number of classes.

    Attributes
    ----------
    rule : str
        ``PBS`` or ``PLL``; the losses are those without a penalty.
    classes : int
        The number of classes.
    greatest_correct, least_wrong : float
        The bounds: of the loss of a correct forecast, and of a wrong one.
    found_correct, found_wrong : float
        The greatest and the least loss in the search, ties being correct.
    paper, minimal : float
        The paper's penalty, and the least one.
    paper_suffices, minimal_suffices : bool
        Whether, in the search, every correct forecast has a lower loss than every wrong one.
    less_fails : bool or None
        Whether a little less than the least penalty does not suffice; None if that is below zero.
    """

    rule: str
    classes: int
    greatest_correct: float
    found_correct: float
    least_wrong: float
    found_wrong: float
    paper: float
    minimal: float
    paper_suffices: bool
    minimal_suffices: bool
    less_fails: bool | None

    @property
    def confirmed(self) -> bool:
        """Whether the search agrees with the bounds and the penalties."""
        near = (
            abs(self.found_correct - self.greatest_correct) < CLOSE
            and 0 < self.found_wrong - self.least_wrong < CLOSE
        )
        return (
            near and self.paper_suffices and self.minimal_suffices and self.less_fails is not False
        )


@dataclass(frozen=True)
class Order:
    """Whether one kind of forecast always has a lower loss than another, by number of classes.

    Attributes
    ----------
    rule, ties : str
        The rule, with the paper's penalty, and what it does with ties.
    better, worse : str
        The kinds: ``correct``, ``tied``, ``wrong``.
    holds : dict of int to bool
        By number of classes.
    """

    rule: str
    ties: str
    better: str
    worse: str
    holds: dict[int, bool]


@dataclass(frozen=True)
class Constants(Table):
    """The constants of the theorems, each with a search that could refute it.

    Attributes
    ----------
    rows : tuple of Constant
        By rule and number of classes.
    orders : tuple of Order
        Which forecasts beat which, by treatment of ties.
    searched : dict of int to int
        The number of forecasts in the search, by number of classes.
    """

    rows: tuple[Constant, ...]
    orders: tuple[Order, ...]
    searched: dict[int, int]

    def to_dict(self) -> dict[str, dict[str, list[Any]]]:
        """Return the columns of both tables."""
        return {"rows": columns_of(self.rows, "confirmed"), "orders": columns_of(self.orders)}

    def _columns(self) -> Any:
        return self.to_dict()["rows"]

    def __str__(self) -> str:
        """Print both tables."""
        head = [
            "c",
            "greatest, correct",
            "least, wrong",
            "paper's penalty",
            "least penalty",
            "confirmed",
        ]
        confirmed = sum(row.confirmed for row in self.rows)
        *counts, last = (f"{n:,}" for n in self.searched.values())
        return section(
            "Theorems 1 to 4 and 6: bounds and penalties",
            prose(
                "Loss without penalty: the greatest of a correct forecast, ties included,",
                "which the uniform one alone attains; the least of a wrong one, which none",
                "attains. Their difference is the least penalty that puts every correct",
                "forecast before every wrong one; the paper's exceeds it by 1/2 and ln 2. Two",
                "classes need none.",
            ),
            *(f"{name}\n{table(head, self._lines(name))}" for name in MAKERS),
            prose(
                f"{confirmed} of {len(self.rows)} confirmed by a search among",
                f"{', '.join(counts)} and {last} forecasts: both penalties suffice, and",
                f"{LESS:g} less than the least does not.",
            ),
            "",
            prose(
                "Theorem 6: with the paper's penalty, is every forecast of one kind better",
                "than every one of another? Tied: the class that happened leads, but not",
                "alone. Each other treatment of ties counts these as correct or as wrong.",
            ),
            table(["", *(f"c = {c}" for c in STEPS)], [_order_line(o) for o in self.orders]),
        )

    def _lines(self, name: str) -> list[list[str]]:
        return [
            [
                str(row.classes),
                f"{row.greatest_correct:.6f}",
                f"{row.least_wrong:.6f}",
                f"{row.paper:.6f}",
                f"{row.minimal:.6f}",
                "yes" if row.confirmed else "no",
            ]
            for row in self.rows
            if row.rule == name
        ]


def constants() -> Constants:
    """Search for forecasts that refute the bounds."""
    candidates = {c: np.vstack([lattice(c, n).p, at_ties(c)]) for c, n in STEPS.items()}
    rows = tuple(_constant(name, c, p) for name in MAKERS for c, p in candidates.items())
    orders = tuple(
        Order(name, ties, *pair, {c: _ordered(name, ties, pair, p) for c, p in candidates.items()})
        for name in MAKERS
        for ties in TIES
        for pair in _pairs(ties)
    )
    return Constants(rows, orders, {c: len(p) for c, p in candidates.items()})


def _constant(name: str, c: int, p: Rows) -> Constant:
    """Compare every correct with every wrong forecast, by the extremes of both."""
    base, make, lead = BASES[name], MAKERS[name], likeliest(p)
    losses = np.asarray(base.classwise(p))
    minimal = float(superior_penalty(base, c))
    less = minimal - LESS

    def suffices(penalty: Any) -> bool:
        found = np.asarray(make(penalty=penalty).classwise(p))
        return float(found[alone(p)].max()) < float(found[~lead].min())

    return Constant(
        name,
        c,
        *(1 - 1 / c if name == "PBS" else math.log(c), float(losses[lead].max())),
        *(0.5 if name == "PBS" else math.log(2), float(losses[~lead].min())),
        *(float(make().penalty_for(c)), minimal),
        *(suffices("paper"), suffices("minimal")),
        None if less < 0 else not suffices(less),
    )


def _pairs(ties: str) -> list[tuple[str, str]]:
    """Name the kinds to compare; split ties are a kind of their own."""
    if ties == "split":
        return [("correct", "wrong"), ("correct", "tied"), ("tied", "wrong")]
    return [("correct", "wrong")]


def _ordered(name: str, ties: str, pair: tuple[str, str], p: Rows) -> bool:
    loss = np.asarray(MAKERS[name](ties=ties).classwise(p))
    kinds = _kinds(ties, p)
    better, worse = (loss[kinds[kind]] for kind in pair)
    return float(better.max()) < float(worse.min())


def _kinds(ties: str, p: Rows) -> dict[str, Mask]:
    """Tell which forecasts are correct for which class, as a treatment of ties sees it."""
    lead, only = likeliest(p), alone(p)
    first = np.arange(p.shape[1]) == np.argmax(p, axis=1)[:, None]
    correct = {"first": first, "any_correct": lead, "unique_only": only, "split": only}[ties]
    wrong = ~lead if ties == "split" else ~correct
    return {"correct": correct, "tied": lead & ~only, "wrong": wrong}


def _order_line(order: Order) -> list[str]:
    what = f"{order.rule}, {order.ties}: {order.better} before {order.worse}"
    return [what, *("yes" if holds else "no" for holds in order.holds.values())]
