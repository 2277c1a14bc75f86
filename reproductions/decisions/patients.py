"""The simulated patients of Assel et al., and eight tests of their disease."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from properly._boundary._libraries import freeze, read_only
from properly._boundary._options import as_generator, check_choice, check_whole
from properly._boundary._text import many

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

# The tests of Assel et al. that say yes or no: sensitivity and specificity.
VERDICTS = {
    "Highly sensitive": (0.95, 0.5),
    "Assume all positive": (1.0, 0.0),
    "Highly specific": (0.5, 0.95),
    "Assume all negative": (0.0, 1.0),
}


class Process(NamedTuple):
    """How the marker of Assel et al.'s patients becomes a risk, and tests report it.

    The log-odds of a forecast are intercept + marker + shift, a shift for each test. The marker is
    normal with variance 1. Its mean is 0, but `separation` among those who had the event; where
    that is None, the event follows from the marker, with log-odds intercept + marker.
    """

    intercept: float
    separation: float | None
    shifts: dict[str, float]


EVENT_RATE = 0.2
PROCESSES = {
    "paper": Process(
        -0.9,
        0.95,
        {
            "Underestimating risk": -0.285,
            "Well calibrated": 0.0,
            "Overestimating risk": 0.361,
            "Severely underestimating risk": -3.04,
        },
    ),
    "original": Process(
        -1.65,
        None,
        {
            "Well calibrated": 0.0,
            "Overestimating risk": 1.0,
            "Underestimating risk": -1.0,
            "Severely underestimating risk": -2.0,
        },
    ),
}


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedModels:
    """Simulated outcomes, and several forecasts of each.

    Attributes
    ----------
    y : ndarray of bool
        The outcomes.
    forecasts : dict of str to ndarray of float
        The forecasts by model.
    truth : ndarray of float
        The probability of the event, given all that the forecasts were made from.

    Examples
    --------
    >>> from reproductions.decisions.patients import assel
    >>> assel(100, rng=1)
    SimulatedModels(100 cases, 8 models)
    """

    y: NDArray[np.bool_]
    forecasts: dict[str, Numbers]
    truth: Numbers

    def __post_init__(self) -> None:
        freeze(self)
        for p in self.forecasts.values():
            read_only(p)

    def __len__(self) -> int:
        """Count the cases."""
        return len(self.y)

    def __repr__(self) -> str:
        models = many(len(self.forecasts), "model")
        return f"SimulatedModels({many(len(self), 'case')}, {models})"


def assel(
    n: int, *, process: str = "paper", rng: int | np.random.Generator | None = None
) -> SimulatedModels:
    r"""Draw patients and eight tests of one disease, as Assel et al. did.

    Four tests report a risk, from a marker :math:`x`, with log-odds
    :math:`\alpha + x + \delta`: one for each :math:`\delta`. Two are right with given
    probabilities and say yes or no, as forecasts of 1 and 0; one always says yes, one always no.

    Parameters
    ----------
    n : int
        How many patients.
    process : {"paper", "original"}
        ``"paper"``: what the simulation behind [2]_ does. The event has probability 0.2, the
        marker mean 0.95 if it happens and 0 if not, variance 1; :math:`\alpha = -0.9` and
        :math:`\delta = 0, 0.361, -0.285, -3.04`. The test that is called well calibrated is not:
        its mean forecast is 0.359.
        ``"original"``: what fits the published numbers of [1]_. The marker is standard normal, the
        log-odds of the event are :math:`-1.65 + x`; :math:`\alpha = -1.65` and
        :math:`\delta = 0, 1, -1, -2`. The event rate is 0.19996.
    rng : int or numpy Generator, optional
        A seed or a source of randomness.

    Returns
    -------
    SimulatedModels
        Forecasts by the names that the tests have in the papers. The truth is the probability of
        the event given the marker; the two tests that are right or wrong by chance know the
        outcome and not the marker.

    Notes
    -----
    A highly sensitive test has sensitivity 0.95 and specificity 0.5, a highly specific one the
    reverse.

    References
    ----------
    .. [1] M. Assel, D. D. Sjoberg, A. J. Vickers (2017). The Brier score does not evaluate the
       clinical utility of diagnostic tests or prediction models. Diagnostic and Prognostic
       Research 1:19. `doi:10.1186/s41512-017-0020-3 <https://doi.org/10.1186/s41512-017-0020-3>`__
    .. [2] G. Flores, A. Schiff, A. H. Smith, J. A. Fukuyama, A. C. Wilson (2026). A
       consequentialist critique of binary classification evaluation: theory, practice, and tools.
       `arXiv:2504.04528 <https://arxiv.org/abs/2504.04528>`__, Appendix F.

    Examples
    --------
    >>> import properly
    >>> from reproductions.decisions.patients import assel
    >>> s = assel(1000, process="original", rng=1)
    >>> properly.tally(s.y, s.forecasts["Highly sensitive"])
    Tally(1,000 cases at 2 distinct forecasts, event rate 0.19)
    """
    n = check_whole(n, "n")
    chosen = PROCESSES[check_choice(process, tuple(PROCESSES), "process")]
    generator = as_generator(rng)
    y, marker, truth = _patients(n, chosen, generator)
    forecasts = {
        name: expit(chosen.intercept + marker + shift) for name, shift in chosen.shifts.items()
    }
    for name, (sensitivity, specificity) in VERDICTS.items():
        positive = generator.random(n) < np.where(y, sensitivity, 1 - specificity)
        forecasts[name] = positive.astype(np.float64)
    return SimulatedModels(y, forecasts, truth)


def _patients(
    n: int, process: Process, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], Numbers, Numbers]:
    """Draw outcomes and markers, with the probability of the event given the marker."""
    if process.separation is None:
        marker = rng.standard_normal(n)
        truth = expit(process.intercept + marker)
        return rng.random(n) < truth, marker, truth
    y = rng.random(n) < EVENT_RATE
    marker = rng.standard_normal(n) + process.separation * y
    # By Bayes' theorem: the ratio of two normal densities is linear in the marker.
    log_ratio = process.separation * (marker - process.separation / 2)
    return y, marker, expit(np.log(EVENT_RATE / (1 - EVENT_RATE)) + log_ratio)


def expit(x: Numbers) -> Numbers:
    """Turn log-odds into probabilities."""
    result: Numbers = 1 / (1 + np.exp(-x))
    return result
