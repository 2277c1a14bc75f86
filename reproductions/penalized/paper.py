"""The paper on penalized scores, theorem by theorem, and its simulation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._options import as_generator
from reproductions._output import counter, prepare, prose, tell, tracked
from reproductions.penalized import figures as _penalized_figures
from reproductions.penalized import simulation as _penalized_simulation
from reproductions.penalized import ties as _penalized_ties
from reproductions.penalized.constants import MAKERS, constants, truths
from reproductions.penalized.crash import injuries
from reproductions.penalized.example import example
from reproductions.penalized.scales import scales

if TYPE_CHECKING:
    from pathlib import Path

    from properly.typing import Progress
    from reproductions._output import After
    from reproductions.penalized.constants import Constants
    from reproductions.penalized.crash import Injuries
    from reproductions.penalized.example import MotivatingExample
    from reproductions.penalized.scales import Scales
    from reproductions.penalized.simulation import Simulation
    from reproductions.penalized.ties import Ties


class Effort(NamedTuple):
    """How much to simulate: truths for each number of classes, pairs for each scheme."""

    truths: int
    pairs: int


QUICK = Effort(truths=20_000, pairs=100_000)
FULL = Effort(truths=200_000, pairs=2_000_000)
# The example, the constants, two parts on ties, the formulas, the injuries.
PARTS = 6
PICTURES = 2
LEFT_OUT = prose(
    "Figure 3 and Tables 1 to 3, networks trained on nine data sets, are not part of this:",
    "`properly reproduce selection` trains networks on four of them, and shows the error rate by",
    "itself as well, since PBS is the Brier score and an error rate.",
)


@dataclass(frozen=True, eq=False, repr=False)
class PenalizedReproduction:
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
    pictures : tuple of Path
        The pictures that were saved.

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
    pictures: tuple[Path, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of each table."""
        return {name: getattr(self, name).to_dict() for name in _PARTS}

    def __repr__(self) -> str:
        return f"PenalizedReproduction({self.simulation.n:,} pairs a scheme)"

    def __str__(self) -> str:
        """Print everything beside what the paper says."""
        told = [str(getattr(self, name)) for name in _PARTS] + [LEFT_OUT]
        return "\n\n".join(told + [tell(self.pictures)] * bool(self.pictures))


_PARTS = ("example", "constants", "ties", "scales", "simulation", "injuries")


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
      ways to draw are stated; the two printed shares are beside what they give.

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
    folder = None if output is None else prepare(output)
    effort = FULL if full else QUICK
    steps = PARTS + len(_penalized_ties.CLASSES) + len(_cells())
    step = counter(progress, steps + (0 if folder is None else PICTURES))
    after = tracked(step)
    drawn, simulated = _streams(as_generator(rng), 2)
    result = PenalizedReproduction(
        after(example(), "introduction"),
        after(constants(), "Theorems 1 to 4 and 6"),
        _ties(effort.truths, drawn, after),
        after(scales(), "equations and algorithms"),
        _simulation(effort.pairs, simulated, after),
        after(injuries(), "injuries"),
    )
    if folder is None:
        return result
    return replace(result, pictures=_penalized_figures.save(result, folder, step))


def _ties(n: int, rng: np.random.Generator, after: After) -> Ties:
    """Look at ties; each number of classes has a stream of its own."""
    classes = _penalized_ties.CLASSES
    treatments = after(_penalized_ties.treatments(), "Theorem 5: treatments of ties")
    thresholds = after(_penalized_ties.thresholds(), "Theorem 5: thresholds")
    shares = []
    for c, stream in zip(classes, _streams(rng, len(classes)), strict=True):
        q = truths(c, n, stream)
        found = [_penalized_ties.share(name, q) for name in MAKERS]
        shares += after(found, f"Theorem 5: ties, c = {c}")
    return _penalized_ties.Ties(treatments, thresholds, tuple(shares))


def _simulation(n: int, rng: np.random.Generator, after: After) -> Simulation:
    """Simulate; each scheme and number of classes has a stream of its own."""
    cells = [
        after(_penalized_simulation.compare(scheme, c, n, stream), f"Appendix 8: {scheme}, c = {c}")
        for (scheme, c), stream in zip(_cells(), _streams(rng, len(_cells())), strict=True)
    ]
    return _penalized_simulation.Simulation(tuple(cells), n)


def _cells() -> list[tuple[str, int]]:
    return list(product(_penalized_simulation.SCHEMES, _penalized_simulation.CLASSES))


def _streams(rng: np.random.Generator, count: int) -> list[np.random.Generator]:
    """Make sources of randomness of which none depends on how much another one gave."""
    return [np.random.default_rng(seed) for seed in rng.integers(2**63, size=count)]
