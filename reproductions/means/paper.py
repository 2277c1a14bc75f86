"""The paper on means of probabilities, figure by figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from properly.probability import EqualWidth, IsotonicSource
from reproductions.means.coupled import NELSON_CASES
from reproductions.means.errata import NelsonErrata, errata
from reproductions.means.figure1 import Figure1, Readings, figure1, readings
from reproductions.means.figure7 import Figure7, figure7
from reproductions.means.figures import figures
from reproductions.means.population import PopulationTable, describe
from reproductions.means.reference import READ
from reproductions.means.samples import SampleTable, sample
from reproductions.reproduction import Reproduction, Work, streams
from reproductions.tables import prose

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from properly.typing import Progress


class Effort(NamedTuple):
    """Points of the quadrature, cases of each sample, training sets, samples for Figure 7."""

    points: int
    cases: int
    sets: int
    samples: int


QUICK = Effort(points=50_001, cases=10_000, sets=40, samples=50)
FULL = Effort(points=200_001, cases=100_000, sets=400, samples=500)
# Figure 1 in three readings, Figure 7, the errata.
PARTS = 4
# How the source is estimated in pictures of model against source.
ESTIMATES = {"isotonic": IsotonicSource(), "100 bins of width 0.01": EqualWidth(bins=100)}


@dataclass(frozen=True, eq=False, repr=False)
class NelsonReproduction(Reproduction):
    """The figures of the paper on means of probabilities, computed again.

    ``print`` shows all of it beside the paper's numbers and claims.

    Attributes
    ----------
    figure1 : Figure1
        Three models in two to ten dimensions.
    readings : Readings
        The same, if the paper is read in other ways.
    population : PopulationTable
        Fifteen models of two classes on a line, without chance.
    samples : SampleTable
        The same from samples.
    figure7 : Figure7
        Three printed numbers, and settings that do and do not give them.
    errata : NelsonErrata
        Misprints, with numbers as printed and as meant; what changes numbers; and remarks.

    Examples
    --------
    >>> import reproductions as reproduce
    >>> r = reproduce.nelson()  # doctest: +SKIP
    >>> r.population.cases["tail over"].divergence  # doctest: +SKIP
    """

    figure1: Figure1
    readings: Readings
    population: PopulationTable
    samples: SampleTable
    figure7: Figure7
    errata: NelsonErrata

    def size(self) -> str:
        """Say how much was simulated."""
        return f"{self.figure1.sets:,} training sets, {self.samples.n:,} cases a sample"

    def sections(self) -> list[object]:
        """Return which text was read, and all parts."""
        return [prose(READ), *self.parts.values()]


def nelson(
    *,
    full: bool = False,
    output: str | Path | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> NelsonReproduction:
    r"""Compute the figures of the paper on means of probabilities again.

    Parameters
    ----------
    full : bool
        Take 400 training sets for Figure 1, samples of 100,000 cases and 200,001 points for every
        integral: some minutes. Else 40, 10,000 and 50,001: some seconds.
    output : str or Path, optional
        A folder for one picture a figure; made if it is not there. Needs the extra ``plots``.
    rng : int or numpy Generator
        A seed or a source of randomness.
    progress : callable, optional
        Called as ``progress(done, total, what)`` after each step.

    Returns
    -------
    NelsonReproduction
        ``print`` it.

    Notes
    -----
    Read was a converted author's manuscript, not the typeset article: signs, subscripts and numbers
    of figures may be right there. Where it leaves something open, or is misprinted:

    * Parameters of some figures are in pictures only. Classes are taken to be at 0 and 2, with
      scale 1 and coupling 1/2; an error of amplitude, which is announced and not shown, is a prior
      of 0.8. Every angle is on that side of 45 degrees where the paper has it.
    * With these parameters, the three probabilities of Figure 7 are 0.547, 0.613 and 0.893, and
      not the printed 0.56, 0.62 and 0.90. Some settings give the printed ones; nothing says that
      one of them was used.
    * Figure 1 can be read in several ways. That with one covariance matrix and 25 cases in all is
      nearest to what is printed: 0.63 for the normal model in six dimensions, and 0.69 for the
      heavy-tailed one in eight and ten, though not in six. The compact model is taken to have a
      coupling of -0.095, not of 0.095 as extracted.
    * What a model has given to what happened is compared with what happened *given the forecast*.
      Two positions have the same forecast, and are told apart only by the position itself.
    * Misprints are listed, each with a number that tells what is printed from what is meant. Then
      what changes numbers: other weights of bins, and a divergence that bins may bring above 1.
      Then remarks and limits.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286.
       `doi:10.3390/e19060286 <https://doi.org/10.3390/e19060286>`__

    Examples
    --------
    >>> import reproductions as reproduce
    >>> print(reproduce.nelson(output="pictures"))  # doctest: +SKIP
    """
    work = Work(output, progress)
    effort, cases = FULL if full else QUICK, tuple(NELSON_CASES)
    work.plan(PARTS + 2 * len(cases), figures(ESTIMATES))
    first, second, *sampled, last = streams(rng, len(cases) + 3)
    one = work.after(figure1(effort.sets, first), "Figure 1")
    others = work.after(readings(effort.sets, second), "Figure 1, read in other ways")
    population = {
        name: work.after(describe(name, effort.points), f"Figures 2 to 7, {name}") for name in cases
    }
    samples = {
        name: work.after(sample(name, effort.cases, case, stream), f"sample of {name}")
        for (name, case), stream in zip(population.items(), sampled, strict=True)
    }
    result = NelsonReproduction(
        one,
        others,
        PopulationTable(population, effort.points),
        SampleTable(samples, effort.cases),
        work.after(figure7(effort.points, effort.samples, last), "Figure 7"),
        work.after(errata(population), "errata"),
    )
    return work.draw(result)
