"""The paper on CORP, table by table and figure by figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from reproductions.reliability import coverage, efficiency, niamey
from reproductions.reliability.figures import FIGURES
from reproductions.reliability.simulation import DISTRIBUTIONS
from reproductions.reproduction import Reproduction, Work, streams

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import TypeAlias

    import numpy as np

    from properly.counts import Tally
    from properly.typing import Progress

    Diagrams: TypeAlias = Mapping[str, niamey.Diagram]


class Effort(NamedTuple):
    """How much to simulate."""

    sizes: tuple[int, ...]
    coverage: int
    efficiency: int
    replicates: int


# In full, as in the paper: 100 replicates a band is the default of its software.
QUICK = Effort(sizes=(128, 512, 2048), coverage=32, efficiency=50, replicates=100)
FULL = Effort(
    sizes=tuple(2**k for k in range(6, 14)), coverage=1000, efficiency=1000, replicates=100
)
# For bands that are looked at one by one.
REPLICATES = 1000
# What needs the data.
RAIN = ("figure1", "figure2")


@dataclass(frozen=True, eq=False, repr=False)
class CorpReproduction(Reproduction):
    """The tables and figures of the paper on CORP, computed again.

    ``print`` shows all of it beside the paper's numbers and claims.

    Attributes
    ----------
    table2 : Table2 or None
        The Brier score of four forecasts of rain and its parts; None without the data.
    figure1, figure2 : dict of str to Diagram, or None
        Their diagrams, CORP's and those of binning and counting; None without the data.
    figure3 : dict of str to Panel
        Consistency and confidence bands for a miscalibrated forecast, by panel.
    figure4 : Coverage
        Coverage of the bands.
    figure5 : Efficiency
        Mean squared errors of the estimated event rates.

    Examples
    --------
    >>> import reproductions as reproduce
    >>> r = reproduce.corp()  # doctest: +SKIP
    >>> r.figure5.cells[0].error["CORP"]  # doctest: +SKIP
    """

    table2: niamey.Table2 | None
    figure1: Diagrams | None
    figure2: Diagrams | None
    figure3: Mapping[str, coverage.Panel]
    figure4: coverage.Coverage
    figure5: efficiency.Efficiency

    def size(self) -> str:
        """Say whether there were data."""
        return f"{'without' if self.table2 is None else 'with'} the forecasts of rain"

    def sections(self) -> Iterator[object]:
        """Return Table 2 and the figures, or what they need."""
        if self.table2 and self.figure1 and self.figure2:
            yield self.table2
            yield niamey.diagram_text({**self.figure1, **self.figure2})
        else:
            yield niamey.ABSENT
        yield coverage.panel_text(self.figure3)
        yield from (self.figure4, self.figure5)


def corp(
    data: str | Path | None = None,
    *,
    full: bool = False,
    output: str | Path | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> CorpReproduction:
    r"""Compute the tables and figures of the paper on CORP again.

    Parameters
    ----------
    data : str or Path, optional
        The forecasts of rain at Niamey of the R package reliabilitydiag: its file
        ``data/precip_Niamey_2016.rda``, which needs the extra ``rdata``, or a CSV file with the
        columns ``date``, ``Logistic``, ``EMOS``, ``ENS``, ``EPC`` and ``obs``. Table 2 and Figures
        1 and 2 are left out without it.
    full : bool
        Simulate as much as the paper did, 1000 repetitions at eight sample sizes: some hours. Else
        some dozens at three: about a minute.
    output : str or Path, optional
        A folder for one picture a figure; made if it is not there. Needs the extra ``plots``.
    rng : int or numpy Generator
        A seed or a source of randomness.
    progress : callable, optional
        Called as ``progress(done, total, what)`` after each step.

    Returns
    -------
    CorpReproduction
        ``print`` it.

    Notes
    -----
    Where the paper leaves something open or its text and its figures differ:

    * The data have 92 days. The caption of Figure 1 says 86, but Table 2 is that of the 92.
    * Coverage is averaged equally over the forecast values; for continuous forecasts over the
      twentieths of [0, 1].
    * Mean squared errors are averaged over the cases. Quantile-spaced bins lie between 0, the
      empirical quantiles at :math:`j / m` and 1, with :math:`m = \lceil n^\alpha \rceil`; borders
      that coincide are one, and a forecast on a border belongs to the bin below.
    * In Figure 3, discrete forecasts take ten values.

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan (2021). Stable reliability diagrams for
       probabilistic classifiers. Proceedings of the National Academy of Sciences 118:e2016191118.
       `doi:10.1073/pnas.2016191118 <https://doi.org/10.1073/pnas.2016191118>`__

    Examples
    --------
    >>> import reproductions as reproduce
    >>> print(reproduce.corp("niamey.csv", output="pictures"))  # doctest: +SKIP
    """
    effort = FULL if full else QUICK
    rain = None if data is None else niamey.read(data)
    work = Work(output, progress)
    settings = len(DISTRIBUTIONS) * (len(coverage.VALUES) + len(efficiency.VALUES))
    work.plan(
        # The settings, Figure 3, and the data.
        settings * len(effort.sizes) + 1 + (rain is not None),
        {name: make for name, make in FIGURES.items() if rain or name not in RAIN},
    )
    rain_stream, panel_stream, coverage_stream, error_stream = streams(rng, 4)
    result = CorpReproduction(
        *_rain(rain, rain_stream, work),
        work.after(coverage.panels(REPLICATES, panel_stream), "Figure 3"),
        coverage.coverage(
            *(effort.sizes, effort.coverage, effort.replicates), coverage_stream, work.step
        ),
        efficiency.efficiency(effort.sizes, effort.efficiency, error_stream, work.step),
    )
    return work.draw(result)


def _rain(
    tallies: Mapping[str, Tally] | None, rng: np.random.Generator, work: Work
) -> tuple[niamey.Table2 | None, Diagrams | None, Diagrams | None]:
    if tallies is None:
        return None, None, None
    diagrams = niamey.diagrams(tallies, REPLICATES, rng)
    first = {name: diagrams[name] for name in ("ENS", "EPC", "Logistic")}
    work.step("Table 2, Figures 1 and 2")
    return niamey.table2(tallies), first, {"EMOS": diagrams["EMOS"]}
