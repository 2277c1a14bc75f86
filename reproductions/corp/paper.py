"""The paper on CORP, table by table and figure by figure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._options import as_generator
from properly.datasets._corp import DISTRIBUTIONS
from reproductions._output import counter, prepare, tell
from reproductions.corp import coverage as _coverage
from reproductions.corp import coverage as _miscalibrated
from reproductions.corp import efficiency as _efficiency
from reproductions.corp import figures as _figures
from reproductions.corp import niamey as _niamey

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import TypeAlias

    from properly.counts._tally import Tally
    from properly.typing import Progress

    _Diagrams: TypeAlias = Mapping[str, _niamey.Diagram]


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


@dataclass(frozen=True, eq=False, repr=False)
class CorpReproduction:
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
    pictures : tuple of Path
        The pictures that were saved.

    Examples
    --------
    >>> import reproductions as reproduce
    >>> r = reproduce.corp()  # doctest: +SKIP
    >>> r.figure5.cells[0].error["CORP"]  # doctest: +SKIP
    """

    table2: _niamey.Table2 | None
    figure1: Mapping[str, _niamey.Diagram] | None
    figure2: Mapping[str, _niamey.Diagram] | None
    figure3: Mapping[str, _miscalibrated.Panel]
    figure4: _coverage.Coverage
    figure5: _efficiency.Efficiency
    pictures: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        data = "without" if self.table2 is None else "with"
        return f"CorpReproduction({data} the forecasts of rain)"

    def __str__(self) -> str:
        """Print everything beside what the paper says."""
        parts = [_niamey.ABSENT]
        if self.table2 and self.figure1 and self.figure2:
            parts = [str(self.table2), _niamey.tell({**self.figure1, **self.figure2})]
        parts += [_miscalibrated.tell(self.figure3), str(self.figure4), str(self.figure5)]
        if self.pictures:
            parts.append(tell(self.pictures))
        return "\n\n".join(parts)


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
        A CSV file of the forecasts of rain at Niamey, with the columns ``date``, ``Logistic``,
        ``EMOS``, ``ENS``, ``EPC`` and ``obs``: the data set ``precip_Niamey_2016`` of the R
        package reliabilitydiag. Table 2 and Figures 1 and 2 are left out without it.
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
    rain = None if data is None else _niamey.read(data)
    folder = None if output is None else prepare(output)
    # Each part has a stream of its own, so that leaving one out does not change the others.
    streams = [np.random.default_rng(seed) for seed in as_generator(rng).integers(2**63, size=4)]
    step = counter(progress, _count(effort, rain, folder))
    table2, figure1, figure2 = _rain(rain, streams[0], step)
    panels = _miscalibrated.panels(REPLICATES, streams[1])
    step("Figure 3")
    result = CorpReproduction(
        table2,
        figure1,
        figure2,
        panels,
        _coverage.coverage(effort.sizes, effort.coverage, effort.replicates, streams[2], step),
        _efficiency.efficiency(effort.sizes, effort.efficiency, streams[3], step),
    )
    return (
        result if folder is None else replace(result, pictures=_figures.save(result, folder, step))
    )


def _rain(
    tallies: Mapping[str, Tally] | None, rng: np.random.Generator, step: Callable[[str], None]
) -> tuple[_niamey.Table2 | None, _Diagrams | None, _Diagrams | None]:
    if tallies is None:
        return None, None, None
    found = _niamey.diagrams(tallies, REPLICATES, rng)
    first = {name: found[name] for name in ("ENS", "EPC", "Logistic")}
    step("Table 2, Figures 1 and 2")
    return _niamey.table2(tallies), first, {"EMOS": found["EMOS"]}


def _count(effort: Effort, data: object, folder: object) -> int:
    """Count the steps: the settings, Figure 3, the data, and the pictures."""
    settings = len(_coverage.VALUES) + len(_efficiency.VALUES)
    simulated = len(DISTRIBUTIONS) * settings * len(effort.sizes) + 1
    pictures = 0 if folder is None else 3 if data is None else 5
    return simulated + (data is not None) + pictures
