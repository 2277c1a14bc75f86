"""Appendix 8: how often a wrong forecast has the larger Brier score, by how both are drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._record import columns_of, plain
from properly._boundary._text import table
from properly.rules import Brier
from reproductions.penalties.constants import normalized
from reproductions.tables import Table, prose, section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reproductions.penalties.constants import Rows


Draw: TypeAlias = "Callable[[np.random.Generator, int, int], Rows]"
Fill: TypeAlias = "Callable[[np.random.Generator, tuple[int, int]], Rows]"
Hot: TypeAlias = "Callable[[np.random.Generator, int], Rows]"

CLASSES = (3, 4, 5, 10, 50)
# What the paper prints, in percent: the wrong forecast gives the truth less, or more.
PRINTED = {"less": 99.996, "more": 63.0}
# A share of fewer comparisons is not shown.
FEW = 30
# All at once, pairs of fifty classes would not fit into memory.
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

    def draw(rng: np.random.Generator, n: int, c: int) -> Rows:
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
    less, more : Count
        The wrong forecast gives the truth a lower probability than the correct one, and a higher
        one.
    running : tuple of (Count, Count)
        Both, after each part of the comparisons.
    """

    scheme: str
    classes: int
    less: Count
    more: Count
    running: tuple[tuple[Count, Count], ...] = ()


@dataclass(frozen=True)
class Simulation(Table):
    """The simulation of Appendix 8, under stated schemes.

    Attributes
    ----------
    cells : tuple of Comparison
        By scheme and number of classes.
    n : int
        Forecasts drawn for each, once for the correct and once for the wrong ones; fewer may be.
    """

    cells: tuple[Comparison, ...]
    n: int

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a scheme and number of classes."""
        found: dict[str, list[Any]] = plain(
            columns_of(
                {
                    "scheme": cell.scheme,
                    "classes": cell.classes,
                    **_columns("less", cell.less),
                    **_columns("more", cell.more),
                }
                for cell in self.cells
            )
        )
        return found

    def cumulative(self, scheme: str, which: str) -> tuple[Rows, Rows]:
        """Return comparisons so far and the share of them that the wrong forecast won, over all c.

        Of Figures 4 and 5, which do not say how often each number of classes was drawn: each alike.
        """
        place = list(PRINTED).index(which)
        cells = [cell.running for cell in self.cells if cell.scheme == scheme]
        counts = np.array([[part[place] for part in running] for running in cells]).sum(axis=0)
        wins, compared = counts[counts[:, 1] > 0].T
        return compared, wins / compared

    def extremes(self, which: str) -> tuple[Count, Count]:
        """Return the counts of the least and of the greatest share of all that are shown."""
        counts = [getattr(cell, which) for cell in self.cells]
        shown = [count for count in counts if count.compared >= FEW]
        return min(shown, key=_share), max(shown, key=_share)

    def __str__(self) -> str:
        """Print both tables beside the two numbers of the paper."""
        three = [cell.less for cell in self.cells if cell.classes == 3]
        failed = sum(count.compared - count.wins for count in three)
        compared = sum(count.compared for count in three)
        return section(
            "Appendix 8: how often a wrong forecast has the larger Brier score",
            prose(
                "The paper draws all from normal distributions, c included, and does not say",
                f"how. Here up to {self.n:,} pairs of a correct and a wrong forecast are",
                "drawn for each cell. Shown is the % of pairs in which the wrong one has the",
                f"larger score, ± one standard error; -: fewer than {FEW} pairs; 100: no",
                "exception. U, then |N|: the probability of the truth is uniform, and the",
                "others share the rest in proportion to normal variates without their signs.",
            ),
            *self._table("less", 3),
            prose(
                f"With three classes it is always so, which can be proved: {failed}",
                f"exceptions in {compared:,} pairs. The wrong one's log loss is always",
                "larger.",
            ),
            *self._table("more", 1),
            prose(
                "The share depends on how forecasts are drawn, and on c: 63 % tells of one",
                "choice, and not of the Brier score. The wrong one's log loss is never",
                "larger. The paper concludes that the larger score is commonly that of the",
                "correct one; by its own 63 % it is commonly that of the wrong one.",
            ),
        )

    def _table(self, which: str, digits: int) -> Iterator[str]:
        low, high = (_percent(count, digits) for count in self.extremes(which))
        yield ""
        yield (
            f"The wrong forecast gives the truth {which}; the paper: {PRINTED[which]:g} %, "
            f"here {low} to {high}:"
        )
        rows = []
        for scheme in dict.fromkeys(cell.scheme for cell in self.cells):
            chosen = [cell for cell in self.cells if cell.scheme == scheme]
            rows.append([scheme, *(_cell(getattr(c, which), digits) for c in chosen)])
        classes = dict.fromkeys(cell.classes for cell in self.cells)
        yield table(["", *(f"c = {c}" for c in classes)], rows)


def compare(scheme: str, classes: int, n: int, rng: np.random.Generator) -> Comparison:
    """Draw pairs, part by part, and count."""
    less, more, running = Count(), Count(), []
    for part in np.array_split(np.arange(n), PARTS):
        correct, wrong = pairs(SCHEMES[scheme], len(part), classes, rng)
        won = _brier(wrong) > _brier(correct)
        less = less.plus(won[wrong[:, 0] < correct[:, 0]])
        more = more.plus(won[wrong[:, 0] > correct[:, 0]])
        running.append((less, more))
    return Comparison(scheme, classes, less, more, tuple(running))


def pairs(scheme: Scheme, n: int, c: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Draw correct and wrong forecasts, the first class being the truth; n of each, or fewer."""
    correct, wrong = scheme.draw(rng, n, c), scheme.draw(rng, n, c)
    correct = _led_by_first(correct) if scheme.alike else correct[np.argmax(correct, axis=1) == 0]
    wrong = wrong[np.argmax(wrong, axis=1) != 0]
    left = min(len(correct), len(wrong))
    return correct[:left], wrong[:left]


def _led_by_first(p: Rows) -> Rows:
    """Swap the largest probability with the first: if all classes are alike, none need be lost."""
    row, lead = np.arange(len(p)), np.argmax(p, axis=1)
    swapped = p.copy()
    swapped[row, lead] = p[:, 0]
    swapped[:, 0] = p[row, lead]
    return swapped


def _brier(p: Rows) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.asarray(Brier().price(np.zeros(len(p), dtype=np.int64), p))


def _columns(which: str, count: Count) -> dict[str, float]:
    found = {"share": count.share, "error": count.error, "compared": count.compared}
    return {f"{which}_{name}": value for name, value in found.items()}


def _share(count: Count) -> float:
    return count.share


def _cell(count: Count, digits: int) -> str:
    if count.compared < FEW:
        return "-"
    share = _percent(count, digits)
    return share if share in ("100", "< 100") else f"{share} ± {100 * count.error:.{digits}f}"


def _percent(count: Count, digits: int) -> str:
    """Write a share, but none as if there were no exception where there is one."""
    if count.wins == count.compared:
        return "100"
    share = f"{100 * count.share:.{digits}f}"
    return "< 100" if float(share) == 100 else share
