"""Appendix 8: how often a wrong forecast has the larger Brier score, by how both are drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._frames import to_frame
from properly._plain import plain
from properly.reproduce._layout import heading, table
from properly.reproduce._penalized_laws import normalized
from properly.rules import Brier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from properly._frames import Backend
    from properly.reproduce._penalized_laws import Table

Draw: TypeAlias = "Callable[[np.random.Generator, int, int], Table]"
Fill: TypeAlias = "Callable[[np.random.Generator, tuple[int, int]], Table]"
Hot: TypeAlias = "Callable[[np.random.Generator, int], Table]"

CLASSES = (3, 4, 5, 10, 50)
# What the paper prints, in percent: the wrong forecast gives the truth less, or more.
PRINTED = {"less": 99.996, "more": 63.0}
# A share of fewer comparisons is not shown.
FEW = 30
# After each of so many parts of a simulation it is noted how far it has come.
PARTS = 50


class Scheme(NamedTuple):
    """How forecasts are drawn, and whether all classes are alike in it."""

    draw: Draw
    alike: bool


def _alike(fill: Fill) -> Scheme:
    """Draw all classes alike."""
    return Scheme(lambda rng, n, c: normalized(fill(rng, (n, c))), alike=True)


def _truth_first(hot: Hot, fill: Fill) -> Scheme:
    """Draw the probability of the truth, if it is one, and share the rest among the others."""

    def draw(rng: np.random.Generator, n: int, c: int) -> Table:
        alpha = hot(rng, n)
        alpha = alpha[(alpha > 0) & (alpha < 1), None]
        others = normalized(fill(rng, (len(alpha), c - 1)))
        return np.hstack([alpha, (1 - alpha) * others])

    return Scheme(draw, alike=False)


SCHEMES: dict[str, Scheme] = {
    "Dirichlet(1)": _alike(lambda rng, shape: rng.exponential(size=shape)),
    "U, normalized": _alike(lambda rng, shape: rng.random(shape)),
    "|N|, normalized": _alike(lambda rng, shape: np.abs(rng.normal(size=shape))),
    "softmax of N(0, 1)": _alike(lambda rng, shape: np.exp(rng.normal(size=shape))),
    "softmax of N(0, 9)": _alike(lambda rng, shape: np.exp(rng.normal(scale=3, size=shape))),
    "U, then |N|": _truth_first(
        lambda rng, n: rng.random(n), lambda rng, shape: np.abs(rng.normal(size=shape))
    ),
    "|N|, then U": _truth_first(
        lambda rng, n: np.abs(rng.normal(size=n)), lambda rng, shape: rng.random(shape)
    ),
    "N(0.5, 0.15), then U": _truth_first(
        lambda rng, n: rng.normal(0.5, 0.15, n), lambda rng, shape: rng.random(shape)
    ),
}


class Count(NamedTuple):
    """How often a wrong forecast was compared with a correct one, and had the larger score."""

    wins: int = 0
    compared: int = 0

    def plus(self, won: np.ndarray[Any, np.dtype[np.bool_]]) -> Count:
        """Add comparisons."""
        return Count(self.wins + int(won.sum()), self.compared + len(won))

    @property
    def share(self) -> float:
        """The share; NaN of none."""
        return self.wins / self.compared if self.compared else math.nan

    @property
    def error(self) -> float:
        """The standard error of the share."""
        p = self.share
        return math.sqrt(p * (1 - p) / self.compared) if self.compared else math.nan


@dataclass(frozen=True)
class Comparison:
    """One way to draw forecasts, and number of classes.

    Attributes
    ----------
    scheme : str
        How they are drawn.
    classes : int
        The number of classes.
    less, more : tuple of Count
        Running counts, the last one of all: the wrong forecast gives the truth a lower probability
        than the correct one, and a higher one.
    """

    scheme: str
    classes: int
    less: tuple[Count, ...]
    more: tuple[Count, ...]


@dataclass(frozen=True)
class Simulation:
    """The simulation of Appendix 8, under stated schemes.

    Attributes
    ----------
    cells : tuple of Comparison
        By scheme and number of classes.
    n : int
        Pairs of forecasts drawn for each; those of the wrong kind are then left out.
    """

    cells: tuple[Comparison, ...]
    n: int

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a scheme and number of classes."""
        rows = [
            {"scheme": cell.scheme, "classes": cell.classes}
            | _columns("less", cell.less[-1])
            | _columns("more", cell.more[-1])
            for cell in self.cells
        ]
        return {name: plain([row[name] for row in rows]) for name in rows[0]}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return one row a scheme and number of classes as a polars, pandas or pyarrow frame."""
        return to_frame(self.to_dict(), backend)

    def extremes(self, which: str) -> tuple[float, float]:
        """Return the least and the greatest share, in percent, of all that are shown."""
        counts = [getattr(cell, which)[-1] for cell in self.cells]
        shares = [100 * count.share for count in counts if count.compared >= FEW]
        return min(shares), max(shares)

    def __str__(self) -> str:
        """Print both tables beside the two numbers of the paper."""
        three = [cell.less[-1] for cell in self.cells if cell.classes == 3]
        failed = sum(count.compared - count.wins for count in three)
        compared = sum(count.compared for count in three)
        return "\n".join(
            [
                heading("Appendix 8: how often a wrong forecast has the larger Brier score"),
                "The paper draws all from normal distributions, c included, and does not say how.",
                f"Here: % of comparisons ± one standard error; {self.n:,} pairs drawn for each, of",
                f"which those count whose first is correct and second wrong; -: fewer than {FEW};",
                "100: no exception. U, then |N|: the probability of the truth is uniform, and the",
                "others share the rest in proportion to normal variates without their signs.",
                *self._table("less", 3),
                f"With three classes it is always so, which can be proved: {failed} exceptions in",
                f"{compared:,} comparisons. The log loss is larger always.",
                *self._table("more", 1),
                "The share depends on how forecasts are drawn, and above all on c: 63 % is that of",
                "one choice, and no property of the Brier score. The log loss is larger never.",
                "The paper concludes that the larger score is commonly that of the correct one; by",
                "its own 63 % it is commonly that of the wrong one.",
            ]
        )

    def _table(self, which: str, digits: int) -> Iterator[str]:
        low, high = self.extremes(which)
        yield ""
        yield (
            f"The wrong forecast gives the truth {which}; the paper: {PRINTED[which]:g} %, "
            f"here {low:.{digits}f} to {high:.{digits}f}:"
        )
        rows = []
        for scheme in dict.fromkeys(cell.scheme for cell in self.cells):
            chosen = [cell for cell in self.cells if cell.scheme == scheme]
            rows.append([scheme, *(_cell(getattr(c, which)[-1], digits) for c in chosen)])
        classes = dict.fromkeys(cell.classes for cell in self.cells)
        yield table(["", *(f"c = {c}" for c in classes)], rows)


def compare(scheme: str, classes: int, n: int, rng: np.random.Generator) -> Comparison:
    """Draw pairs, part by part, and count."""
    less, more = [Count()], [Count()]
    for part in np.array_split(np.arange(n), PARTS):
        correct, wrong = pairs(SCHEMES[scheme], len(part), classes, rng)
        won = _brier(wrong) > _brier(correct)
        less.append(less[-1].plus(won[wrong[:, 0] < correct[:, 0]]))
        more.append(more[-1].plus(won[wrong[:, 0] > correct[:, 0]]))
    return Comparison(scheme, classes, tuple(less[1:]), tuple(more[1:]))


def pairs(scheme: Scheme, n: int, c: int, rng: np.random.Generator) -> tuple[Table, Table]:
    """Draw correct and wrong forecasts, the first class being the truth; n of each, or fewer."""
    correct, wrong = scheme.draw(rng, n, c), scheme.draw(rng, n, c)
    correct = _led_by_first(correct) if scheme.alike else correct[np.argmax(correct, axis=1) == 0]
    wrong = wrong[np.argmax(wrong, axis=1) != 0]
    left = min(len(correct), len(wrong))
    return correct[:left], wrong[:left]


def _led_by_first(p: Table) -> Table:
    """Swap the largest probability with the first: if all classes are alike, none need be lost."""
    row, lead = np.arange(len(p)), np.argmax(p, axis=1)
    swapped = p.copy()
    swapped[row, lead] = p[:, 0]
    swapped[:, 0] = p[row, lead]
    return swapped


def _brier(p: Table) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.asarray(Brier().price(np.zeros(len(p), dtype=np.int64), p))


def _columns(which: str, count: Count) -> dict[str, float]:
    found = {"share": count.share, "error": count.error, "compared": count.compared}
    return {f"{which}_{name}": value for name, value in found.items()}


def _cell(count: Count, digits: int) -> str:
    if count.compared < FEW:
        return "-"
    if count.wins == count.compared:
        return "100"
    share = f"{100 * count.share:.{digits}f}"
    # Rounded up, it would read as if there were no exception.
    return "< 100" if float(share) == 100 else f"{share} ± {100 * count.error:.{digits}f}"
