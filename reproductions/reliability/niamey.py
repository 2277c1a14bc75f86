"""Rain at Niamey: Table 2 and Figures 1 and 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._text import table
from properly.calibration import binned_reliability, decompose, reliability
from properly.counts import Tally
from properly.rules import Brier
from reproductions.columns import numbers, read_columns
from reproductions.tables import heading

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from properly.calibration import Decomposition, Reliability
    from properly.calibration._reliability import BinnedReliability


# Of the bands in the paper.
LEVEL = 0.9
COLUMNS = ("date", "Logistic", "EMOS", "ENS", "EPC", "obs")
# Table 2 as printed: mean score, MCB, DSC, UNC.
PRINTED = {
    "ENS": ("0.266", "0.066", "0.044", "0.244"),
    "EPC": ("0.234", "0.022", "0.032", "0.244"),
    "EMOS": ("0.232", "0.018", "0.030", "0.244"),
    "Logistic": ("0.206", "0.017", "0.056", "0.244"),
}
# The bins of ENS, a share of 52 ensemble members, that the text names: first, last, event rate.
NAMED_BINS = ((9, 20, "0.125"), (21, 42, "0.481"))
MEMBERS = 52
# How many bins of equal width each forecast is counted in.
COUNTED = {"ENS": (10,), "EPC": (10,), "Logistic": (10,), "EMOS": (9, 10, 11)}
# Cases according to the caption of Figure 1.
CAPTION = 86
ABSENT = """\
Table 2, Figures 1 and 2 are left out: they need the forecasts of rain at Niamey.
The R package reliabilitydiag has them in data/precip_Niamey_2016.rda, which is read as it is with
pip install 'properly[rdata]'; or write them to a CSV file with the columns date, Logistic, EMOS,
ENS, EPC and obs. Name the file:
    properly reproduce corp --data FILE      or      reproductions.corp("FILE")"""


@dataclass(frozen=True)
class Table2:
    """The decomposition of the Brier score of each forecast, beside the printed one.

    Attributes
    ----------
    computed : dict of str to Decomposition
        By forecast.
    """

    computed: Mapping[str, Decomposition]

    @property
    def agrees(self) -> dict[str, tuple[bool, ...]]:
        """Whether each number, at three decimals, is the printed one, by forecast."""
        return {
            name: tuple(a == b for a, b in zip(_rounded(parts), PRINTED[name], strict=True))
            for name, parts in self.computed.items()
        }

    def __str__(self) -> str:
        """Print every number beside the paper's."""
        head = ["forecast", *(f"{part}  paper " for part in ("score", "  MCB", "  DSC", "  UNC"))]
        rows = [
            [
                name,
                *(
                    f"{mine}  {printed}{' ' if same else '!'}"
                    for mine, printed, same in zip(
                        _rounded(parts), PRINTED[name], self.agrees[name], strict=True
                    )
                ),
            ]
            for name, parts in self.computed.items()
        ]
        flags = [same for name in self.computed for same in self.agrees[name]]
        return (
            f"{heading('Table 2: Brier score and its parts')}\n{table(head, rows)}\n"
            f"{sum(flags)} of {len(flags)} numbers agree at the three decimals printed."
        )


@dataclass(frozen=True, eq=False)
class Diagram:
    """One forecast of rain: the CORP diagram, and binning and counting.

    Attributes
    ----------
    corp : Reliability
        With a 90 % consistency band.
    decomposition : Decomposition
        Of the Brier score.
    binned : dict of int to BinnedReliability
        By the number of bins of equal width.
    """

    corp: Reliability
    decomposition: Decomposition
    binned: Mapping[int, BinnedReliability]

    @property
    def cases(self) -> int:
        """Number of forecasts."""
        return int(self.corp.bins.weight.sum())

    @property
    def outside(self) -> int:
        """How many distinct forecasts have an event rate outside of the band."""
        band = self.corp.band
        if band is None:
            return 0
        lower, upper = band.at(self.corp.value)
        rate = self.corp.recalibrated
        return int(((rate < lower) | (rate > upper)).sum())

    def __str__(self) -> str:
        """Print the bins, those of CORP first."""
        bins, band = self.corp.bins, self.corp.band
        columns = zip(bins.x_min, bins.x_max, bins.weight, bins.event_rate, strict=True)
        method = "none" if band is None else band.method
        distinct = f"{self.outside} of {len(self.corp.value)} distinct forecasts outside"
        parts = [
            f"MCB {self.decomposition.miscalibration:.3f}; {distinct} of the band ({method})",
            table(
                ["CORP", "from", "to", "cases", "event rate"],
                [["", f"{a:.4f}", f"{b:.4f}", f"{n:g}", f"{r:.3f}"] for a, b, n, r in columns],
            ),
        ]
        return "\n".join([*parts, *(_counted(m, record) for m, record in self.binned.items())])


def read(path: str | Path) -> dict[str, Tally]:
    """Read forecasts and outcomes, of a CSV file or of R: one tally a forecast."""
    columns = read_columns(path, COLUMNS)
    y = numbers(columns, "obs")
    return {name: Tally.from_arrays(y, numbers(columns, name)) for name in PRINTED}


def table2(tallies: Mapping[str, Tally]) -> Table2:
    """Decompose the Brier score of each forecast."""
    return Table2({name: decompose(t, Brier()) for name, t in tallies.items()})


def diagrams(
    tallies: Mapping[str, Tally], replicates: int, rng: np.random.Generator
) -> dict[str, Diagram]:
    """Make the diagrams of Figures 1 and 2, by forecast."""
    return {
        name: Diagram(
            reliability(t, band="consistency", level=LEVEL, replicates=replicates, rng=rng),
            decompose(t, Brier()),
            {m: binned_reliability(t, bins=m) for m in COUNTED[name]},
        )
        for name, t in tallies.items()
    }


def diagram_text(diagrams: Mapping[str, Diagram]) -> str:
    """Print the diagrams beside what the paper says of them."""
    cases = diagrams["ENS"].cases
    parts = [
        heading("Figures 1 and 2: rain at Niamey, 90 % consistency bands"),
        f"{cases} forecasts; the caption of Figure 1 says {CAPTION}.",
        *(f"\n{name}\n{diagram}" for name, diagram in diagrams.items()),
        "\nBins of ENS that the text names:",
        *(_named(diagrams["ENS"].corp, *claim) for claim in NAMED_BINS),
    ]
    return "\n".join(parts)


def _named(record: Reliability, first: int, last: int, rate: str) -> str:
    """Look for a bin that the paper names."""
    bins = record.bins
    ends = np.stack([bins.x_min, bins.x_max]) * MEMBERS
    same = (np.abs(ends - [[first], [last]]) < 1e-6).all(axis=0)
    found = [f"{r:.3f}" for r in bins.event_rate[same]]
    answer = "the same here" if found == [rate] else f"here: {', '.join(found) or 'no such bin'}"
    return f"  {first}/{MEMBERS} to {last}/{MEMBERS}: {rate}; {answer}"


def _counted(bins: int, record: BinnedReliability) -> str:
    columns = zip(
        record.lower,
        record.upper,
        record.weight,
        record.mean_forecast,
        record.event_rate,
        strict=True,
    )
    return table(
        [f"{bins} bins", "from", "to", "cases", "mean forecast", "event rate"],
        [
            ["", f"{a:.3f}", f"{b:.3f}", f"{n:g}", f"{x:.3f}", f"{r:.3f}"]
            for a, b, n, x, r in columns
        ],
    )


def _rounded(parts: Decomposition) -> tuple[str, ...]:
    numbers = (parts.score, parts.miscalibration, parts.discrimination, parts.uncertainty)
    return tuple(f"{number:.3f}" for number in numbers)
