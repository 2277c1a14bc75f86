"""Figures 3 and 4: bands around a miscalibrated forecast, and the coverage of bands."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._record import columns_of
from properly._boundary._text import table
from properly.calibration import decompose, reliability
from properly.counts import Tally
from properly.errors import DataWarning
from properly.rules import Brier
from reproductions.reliability.niamey import LEVEL
from reproductions.reliability.simulation import DISTRIBUTIONS, corp
from reproductions.tables import Table, heading, section

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from properly.calibration import Decomposition, Reliability
    from properly.calibration._reliability_bands import Method
    from properly.inference._band import Kind


class Setting(NamedTuple):
    """Calibrated forecasts, as in `corp`."""

    distribution: str
    values: int | None
    n: int

    def draw(self, rng: np.random.Generator) -> Tally:
        """Simulate one data set."""
        s = corp(self.n, distribution=self.distribution, values=self.values, rng=rng)
        return Tally.from_arrays(s.y, s.p)

    def __str__(self) -> str:
        return f"{named(self.distribution, self.values)}, n = {self.n}"


def settings(values: Sequence[int | None], sizes: Sequence[int]) -> list[Setting]:
    """List every setting, the sample sizes changing fastest."""
    return [Setting(*chosen) for chosen in product(DISTRIBUTIONS, values, sizes)]


def named(distribution: str, values: int | None) -> str:
    """Name a distribution of forecasts."""
    return f"{distribution}, {'continuous' if values is None else f'k = {values}'}"


VALUES = (10, 20, 50, None)
# Continuous forecasts are averaged within each twentieth first, so that all of [0, 1] counts alike.
CELLS = 20


class Study(NamedTuple):
    """A band to be studied: its name here, its kind and the method asked for."""

    name: str
    kind: Kind
    method: Method


STUDIES = (
    Study("consistency", "consistency", "auto"),
    Study("confidence", "confidence", "resampling"),
    Study("confidence, properly's default", "confidence", "auto"),
)


@dataclass(frozen=True)
class CoverageCell:
    """The coverage of one band in one setting.

    Attributes
    ----------
    band : str
        Which band.
    distribution, values, n
        As in `corp`.
    method : str
        How the bounds were found; several if repetitions differ.
    coverage : float
        Share of the forecasts at which the band holds the estimate (consistency) or the truth
        (confidence).
    error : float
        Its Monte-Carlo standard error.
    """

    band: str
    distribution: str
    values: int | None
    n: int
    method: str
    coverage: float
    error: float

    @property
    def short(self) -> bool:
        """Whether the coverage is below 90 % by more than two standard errors."""
        return self.coverage < LEVEL - 2 * self.error


@dataclass(frozen=True)
class Coverage(Table):
    """The coverage of 90 % bands.

    Attributes
    ----------
    cells : tuple of CoverageCell
        One a band and setting.
    repetitions, replicates : int
        Simulated data sets in each, and random replicates for each band.
    """

    cells: tuple[CoverageCell, ...]
    repetitions: int
    replicates: int

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns, one entry a band and setting."""
        return columns_of(self.cells)

    def __str__(self) -> str:
        """Print a table a band, and what the paper says."""
        parts = [
            heading("Figure 4: coverage of 90 % bands, in per cent"),
            f"{self.repetitions} repetitions, {self.replicates} replicates a band.",
            "± one standard error; ! where the coverage is more than two of them below 90 %;",
            "r resampling, d discrete and c continuous asymptotics, l likelihood.",
            self._shortfall(),
            *(self._table(study) for study in STUDIES),
            "",
            "The paper: generally accurate, or slightly conservative, especially in large samples.",
        ]
        return "\n".join(parts)

    def _shortfall(self) -> str:
        """Say how much is lost to the randomness of the quantiles themselves."""
        # The k-th of B exact draws has k / (B + 1) of their distribution below it, on average.
        held = LEVEL * (self.replicates - 1) / (self.replicates + 1)
        return (
            f"{self.replicates} replicates aim at {100 * held:.1f} %: "
            "so much lies between such quantiles even of exact draws."
        )

    def _table(self, study: Study) -> str:
        cells = [c for c in self.cells if c.band == study.name]
        sizes = sorted({c.n for c in cells})
        found = {(c.distribution, c.values, c.n): c for c in cells}
        rows = [
            [named(d, k), *(_shown(found[d, k, n]) for n in sizes)]
            for d in DISTRIBUTIONS
            for k in VALUES
        ]
        short = sum(c.short for c in cells)
        return (
            f"\n{study.name} (method={study.method!r}); "
            f"not short of 90 % in {len(cells) - short} of {len(cells)} settings\n"
            + table(["setting", *(f"n = {n}" for n in sizes)], rows)
        )


def coverage(
    sizes: Sequence[int],
    repetitions: int,
    replicates: int,
    rng: np.random.Generator,
    step: Callable[[str], None],
) -> Coverage:
    """Simulate every setting of Figure 4."""
    cells: list[CoverageCell] = []
    for setting in settings(VALUES, sizes):
        cells += _cells(setting, repetitions, replicates, rng)
        step(f"Figure 4: {setting}")
    return Coverage(tuple(cells), repetitions, replicates)


def _cells(
    setting: Setting, repetitions: int, replicates: int, rng: np.random.Generator
) -> list[CoverageCell]:
    share = np.empty((len(STUDIES), repetitions))
    methods: list[set[str]] = [set() for _ in STUDIES]
    for i in range(repetitions):
        t = setting.draw(rng)
        for j, study in enumerate(STUDIES):
            record = _banded(t, study, replicates, rng)
            share[j, i] = covered(record, continuous=setting.values is None)
            methods[j].add("" if record.band is None else record.band.method)
    mean, error = share.mean(axis=1), share.std(axis=1, ddof=1) / math.sqrt(repetitions)
    return [
        CoverageCell(study.name, *setting, " or ".join(sorted(m)), float(a), float(e))
        for study, m, a, e in zip(STUDIES, methods, mean, error, strict=True)
    ]


def _banded(t: Tally, study: Study, replicates: int, rng: np.random.Generator) -> Reliability:
    with warnings.catch_warnings():
        # How often the bands of few events cover is the question.
        warnings.simplefilter("ignore", DataWarning)
        return reliability(
            t, band=study.kind, method=study.method, level=LEVEL, replicates=replicates, rng=rng
        )


def covered(record: Reliability, *, continuous: bool) -> float:
    """Return the share of calibrated forecasts at which a band holds what it should.

    Every forecast value counts the same, or every twentieth of [0, 1] if they are continuous.
    Values for which the band says nothing are left out.
    """
    if record.band is None:
        return math.nan
    lower, upper = record.band.at(record.value)
    goal = record.recalibrated if record.band.kind == "consistency" else record.value
    known = np.isfinite(lower) & np.isfinite(upper)
    inside = ((lower <= goal) & (goal <= upper))[known].astype(float)
    if not continuous:
        return float(inside.mean())
    cell = np.minimum((CELLS * record.value[known]).astype(int), CELLS - 1)
    cases = np.bincount(cell, minlength=CELLS)
    hits = np.bincount(cell, inside, minlength=CELLS)
    return float(np.mean(hits[cases > 0] / cases[cases > 0]))


def _shown(cell: CoverageCell) -> str:
    letters = "/".join(name[0] for name in cell.method.split(" or "))
    mark = "!" if cell.short else " "
    return f"{100 * cell.coverage:.1f} ± {100 * cell.error:.1f}{mark} {letters}"


N, DISTINCT = 1024, 10


@dataclass(frozen=True, eq=False)
class Panel:
    """One panel of Figure 3: uniform forecasts x of events with probability sqrt(x).

    Attributes
    ----------
    values : int or None
        Distinct forecasts; None if they are continuous.
    paper : str
        How the paper's band was found.
    record : Reliability
        With a 90 % band.
    decomposition : Decomposition
        Of the Brier score.
    """

    values: int | None
    paper: str
    record: Reliability
    decomposition: Decomposition

    @property
    def inside(self) -> float:
        """Share of the distinct forecasts at which the band holds what it should.

        The estimate if it is a consistency band, the truth if it is a confidence band.
        """
        band = self.record.band
        if band is None:
            return 0.0
        lower, upper = band.at(self.record.value)
        confidence = band.kind == "confidence"
        goal = np.sqrt(self.record.value) if confidence else self.record.recalibrated
        return float(np.mean((lower <= goal) & (goal <= upper)))


# Panel, kind of band, distinct forecasts, our method, the paper's method.
PANELS: tuple[tuple[str, Kind, int | None, Method, str], ...] = (
    ("a", "consistency", DISTINCT, "auto", "discrete"),
    ("b", "confidence", DISTINCT, "resampling", "resampling"),
    ("c", "consistency", None, "auto", "resampling"),
    ("d", "confidence", None, "resampling", "resampling"),
)


def panels(replicates: int, rng: np.random.Generator) -> dict[str, Panel]:
    """Make the four panels; those side by side show the same data."""
    tallies = {}
    for values in (DISTINCT, None):
        s = corp(N, values=values, curve=np.sqrt, rng=rng)
        tallies[values] = Tally.from_arrays(s.y, s.p)
    return {
        name: Panel(
            values,
            paper,
            reliability(
                tallies[values],
                band=kind,
                method=method,
                level=LEVEL,
                replicates=replicates,
                rng=rng,
            ),
            decompose(tallies[values], Brier()),
        )
        for name, kind, values, method, paper in PANELS
    }


def panel_text(panels: Mapping[str, Panel]) -> str:
    """Print the methods beside the paper's, and what the bands hold."""
    rows = [
        [
            f"({name})",
            "continuous" if p.values is None else f"k = {p.values}",
            p.record.band.kind,
            p.record.band.method,
            p.paper,
            f"{100 * p.inside:.0f} %",
            f"{p.decomposition.miscalibration:.3f}",
        ]
        for name, p in panels.items()
        if p.record.band is not None
    ]
    head = ["", "forecasts", "90 % band", "method", "paper's method", "inside", "MCB"]
    return section(
        f"Figure 3: n = {N} forecasts x of events with probability sqrt(x)",
        table(head, rows),
        "Inside: share of the distinct forecasts at which the estimate lies in the consistency",
        "band (few, these forecasts being miscalibrated), or the truth in the confidence band.",
    )
