"""Figure 7: three numbers that the stated parameters do not give."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._record import columns_of, plain
from properly._boundary._text import table
from properly.counts import Tally
from properly.probability import EqualWidth, means
from reproductions.means.coupled import (
    NELSON_CASES,
    CoupledClasses,
    CoupledGaussian,
    NelsonCase,
    nelson,
)
from reproductions.means.population import PRECISION, line
from reproductions.means.reference import FIGURE7
from reproductions.tables import Table, prose, section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


NAMES = ("model", "source", "divergence")
# Cases of samples.
SIZES = (1000, 10_000)
# Bins are as wide as the limit to forecasts, the paper says.
BINS = 100


class Setting(NamedTuple):
    """What the figure may have been made with."""

    separation: float = 2.0
    precision: float = PRECISION
    within: tuple[float, float] | None = None
    one_class: bool = False
    bins: int | None = BINS

    def case(self) -> NelsonCase:
        """Return source and model; the model has normal tails, in both classes or in one."""
        if self.separation == 2:
            return NELSON_CASES["tail over, one class" if self.one_class else "tail over"]
        places = (0.0, self.separation)
        source, model = (
            CoupledClasses(tuple(CoupledGaussian(x, coupling=k) for x in places))
            for k in (0.5, 0.0)
        )
        return NelsonCase(source, model)

    def __str__(self) -> str:
        cut = "" if self.within is None else f", x in [{self.within[0]:g}, {self.within[1]:g}]"
        bins = ", no bins" if self.bins is None else ""
        changed = ", one class" if self.one_class else ""
        return f"{self.separation:g} apart, limit {self.precision:g}{cut}{changed}{bins}"


# As stated, with and without bins, and with the model of one class only.
STATED = (Setting(), Setting(bins=None), Setting(one_class=True, bins=None))
# What can be cut off without a smaller limit: two of the numbers, and not the third.
CUT = tuple(Setting(within=(-reach, 2 + reach)) for reach in (4.75, 7.0))
# The four of about 160 settings that give all three.
MATCHING = (
    *(Setting(precision=0.005, within=(-reach, 2 + reach)) for reach in (4.0, 4.25, 4.5)),
    Setting(separation=2.1),
)


@dataclass(frozen=True)
class Triple:
    """A setting and what it gives.

    Attributes
    ----------
    setting : str
        In words.
    model, source, divergence : float
        Probabilities: the accuracy of the model, that of the source, and their ratio.
    """

    setting: str
    model: float
    source: float
    divergence: float

    @property
    def matches(self) -> bool:
        """Whether all three are the printed ones, rounded to two digits."""
        pairs = zip(NAMES, FIGURE7, strict=True)
        return all(round(getattr(self, name), 2) == printed for name, printed in pairs)


@dataclass(frozen=True)
class Figure7(Table):
    """The three numbers of Figure 7 under several settings, and from samples.

    Attributes
    ----------
    rows : tuple of Triple
        As stated; with positions cut off; and those that match.
    samples : dict of int to tuple of Triple
        Those of samples, with the stated parameters and bins, by how many cases they have.
    """

    rows: tuple[Triple, ...]
    samples: Mapping[int, tuple[Triple, ...]]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a setting or sample."""
        found: dict[str, list[Any]] = plain(
            columns_of([*self.rows, *chain(*self.samples.values())], "matches")
        )
        return found

    def __str__(self) -> str:
        """Print every setting, and that the printed numbers are not pinned down."""
        printed = " / ".join(f"{x:.2f}" for x in FIGURE7)
        matching = sum(row.matches for row in self.rows)
        return section(
            "Figure 7: three numbers that are not pinned down",
            prose(
                f"The paper prints {printed} for a model with normal tails of a source with",
                "coupling 1/2, and states no more. Without chance, in 100 bins of equal width",
                "if not said otherwise:",
            ),
            *self._table(),
            prose(*map(self._of_samples, self.samples)),
            prose(
                "What is stated does not give the printed numbers, with bins or without, nor",
                "with one class, and samples do rarely; in those of 1,000 cases, 100 bins fit",
                "much noise. To cut off positions and nothing else gives two of the three. The",
                f"{matching} settings that give all three are those of some 160 that do, found",
                "by looking for them: a match is weak evidence for any, and the printed triple",
                "is not pinned down. Positions that were cut off, as on a grid, are the",
                "likeliest cause. Compare with the first rows, not with what is printed.",
            ),
        )

    def _of_samples(self, n: int) -> str:
        found = self.samples[n]
        model, source = (float(np.mean([getattr(t, x) for t in found])) for x in NAMES[:2])
        return (
            f"{len(found)} samples of {n:,} cases in the same bins: {model:.3f} and {source:.3f} on"
            f" average, all three as printed in {sum(t.matches for t in found)}."
        )

    def _table(self) -> Iterator[str]:
        rows = [
            [
                row.setting,
                *(f"{x:.4f}" for x in (row.model, row.source, row.divergence)),
                "all three" if row.matches else "no",
            ]
            for row in self.rows
        ]
        yield table(["", "model", "source", "P_div", "as printed"], rows)


def figure7(points: int, count: int, rng: np.random.Generator) -> Figure7:
    """Find the three numbers under every setting, and in some samples of each size."""
    rows = tuple(triple(setting, points) for setting in (*STATED, *CUT, *MATCHING))
    return Figure7(rows, {n: tuple(drawn(n, rng) for _ in range(count)) for n in SIZES})


def triple(setting: Setting, points: int) -> Triple:
    """Find the three numbers under one setting."""
    found = line(setting.case(), points=points, precision=setting.precision, within=setting.within)
    levels = found.levels() if setting.bins is None else np.linspace(0, 1, setting.bins + 1)
    cells = found.cells(levels)
    model, source = found.model().mean_probability, cells.means(*cells.shares()).mean_probability
    return Triple(str(setting), model, source, model / source)


def drawn(n: int, rng: np.random.Generator) -> Triple:
    """Find the three numbers in one sample."""
    sample = nelson(n, "tail over", rng=rng)
    found = means(Tally.from_arrays(sample.y, sample.p), source=EqualWidth(bins=BINS))
    return Triple(
        f"a sample of {n:,}",
        found.mean_probability,
        found.source.mean_probability,
        found.divergence,
    )
