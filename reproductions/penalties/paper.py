"""The paper on penalized scores, theorem by theorem, and its simulation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from reproductions.penalties import simulation, ties
from reproductions.penalties.constants import MAKERS, Constants, constants, truths
from reproductions.penalties.crash import Injuries, injuries
from reproductions.penalties.example import MotivatingExample, example
from reproductions.penalties.figures import FIGURES
from reproductions.penalties.scales import Scales, scales
from reproductions.penalties.simulation import Simulation
from reproductions.penalties.ties import Ties
from reproductions.reproduction import Reproduction, Work, streams
from reproductions.tables import prose

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from properly.typing import Progress


class Effort(NamedTuple):
    """How much to simulate: truths for each number of classes, pairs for each scheme."""

    truths: int
    pairs: int


QUICK = Effort(truths=20_000, pairs=100_000)
FULL = Effort(truths=200_000, pairs=2_000_000)
# The example, the constants, two parts on ties, the formulas, the injuries.
PARTS = 6
CELLS = tuple(product(simulation.SCHEMES, simulation.CLASSES))
LEFT_OUT = prose(
    "Figure 3 and Tables 1 to 3, networks trained on nine data sets, are not part of this:",
    "`properly reproduce selection` trains networks on four of them, and shows the error rate by",
    "itself as well, since PBS is the Brier score and an error rate.",
)


@dataclass(frozen=True, eq=False, repr=False)
class PenalizedReproduction(Reproduction):
    """Theorems, formulas and simulations of the paper on penalized scores.

    ``print`` shows all of it beside the paper's numbers and claims.

    Attributes
    ----------
    example : MotivatingExample
        The two forecasts of the introduction, by each rule.
    constants : Constants
        The bounds of the theorems, the paper's penalties and the least ones.
    ties : Ties
        Four treatments of ties, and which of them are proper.
    scales : Scales
        Three scales, signs, and formulas that are misprinted.
    simulation : Simulation
        The simulation of Appendix 8, under stated schemes.
    injuries : Injuries
        What a penalized score is made of, on forecasts that come with this package.

    Examples
    --------
    >>> import reproductions as reproduce
    >>> r = reproduce.penalized()  # doctest: +SKIP
    >>> r.ties.thresholds["PBS"]  # doctest: +SKIP
    0.75
    """

    example: MotivatingExample
    constants: Constants
    ties: Ties
    scales: Scales
    simulation: Simulation
    injuries: Injuries

    def size(self) -> str:
        """Say how many pairs were drawn."""
        return f"{self.simulation.n:,} pairs a scheme"

    def sections(self) -> list[object]:
        """Return all parts, and what is left out."""
        return [*self.parts.values(), LEFT_OUT]


def penalized(
    *,
    full: bool = False,
    output: str | Path | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> PenalizedReproduction:
    r"""Check the theorems and simulations of the paper on penalized scores.

    The paper adds a penalty to the Brier score and to the log loss of a forecast that names a wrong
    class, so that a correct forecast always has the lower loss:

    .. math:: S_\lambda(p, y) = S(p, y) + \lambda\, [y \text{ is not the likeliest class}] .

    Parameters
    ----------
    full : bool
        Draw 200,000 truths for each number of classes and 2,000,000 pairs for each scheme: some
        minutes. Else a tenth and a twentieth of these: some seconds.
    output : str or Path, optional
        A folder for pictures; made if it is not there. Needs the extra ``plots``.
    rng : int or numpy Generator
        A seed or a source of randomness.
    progress : callable, optional
        Called as ``progress(done, total, what)`` after each step.

    Returns
    -------
    PenalizedReproduction
        ``print`` it.

    Notes
    -----
    Where the paper leaves something open, or errs:

    * It does not say what is right when several classes are the likeliest. Its algorithms and its
      code count each of them as right, and then its scores are not proper: a forecaster gains by
      making ties. Shared ties, and any fixed choice among the tied, make them strictly proper.
    * Its penalties suffice and are larger than need be.
    * Its score comes on three scales. In the published package the penalty is c times as heavy.
    * Its simulation draws everything from normal distributions, and no more is said. Here the
      ways to draw are stated; the two printed shares are beside what they give. Figures 4 and 5,
      shares of all comparisons so far, have a curve for each way.

    References
    ----------
    .. [1] R. Ahmadian, M. Ghatee, J. Wahlström (2024). Superior scoring rules for probabilistic
       evaluation of single-label multi-class classification tasks.
       `arXiv:2407.17697 <https://arxiv.org/abs/2407.17697>`__

    Examples
    --------
    >>> import reproductions as reproduce
    >>> print(reproduce.penalized(output="pictures"))  # doctest: +SKIP
    """
    work = Work(output, progress)
    effort = FULL if full else QUICK
    work.plan(PARTS + len(ties.CLASSES) + len(CELLS), FIGURES)
    first, second = streams(rng, 2)
    result = PenalizedReproduction(
        work.after(example(), "introduction"),
        work.after(constants(), "Theorems 1 to 4 and 6"),
        _ties(effort.truths, first, work),
        work.after(scales(), "equations and algorithms"),
        _simulation(effort.pairs, second, work),
        work.after(injuries(), "injuries"),
    )
    return work.draw(result)


def _ties(n: int, rng: np.random.Generator, work: Work) -> Ties:
    """Look at ties; each number of classes has a stream of its own."""
    treatments = work.after(ties.treatments(), "Theorem 5: treatments of ties")
    thresholds = work.after(ties.thresholds(), "Theorem 5: thresholds")
    shares = []
    for c, stream in zip(ties.CLASSES, streams(rng, len(ties.CLASSES)), strict=True):
        q = truths(c, n, stream)
        shares += [ties.share(name, q) for name in MAKERS]
        work.step(f"Theorem 5: ties, c = {c}")
    return Ties(treatments, thresholds, tuple(shares))


def _simulation(n: int, rng: np.random.Generator, work: Work) -> Simulation:
    """Simulate; each scheme and number of classes has a stream of its own."""
    cells = [
        work.after(simulation.compare(scheme, c, n, stream), f"Appendix 8: {scheme}, c = {c}")
        for (scheme, c), stream in zip(CELLS, streams(rng, len(CELLS)), strict=True)
    ]
    return Simulation(tuple(cells), n)
