"""The two classes of Nelson's figures, and models that are wrong about them in one way each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from properly._boundary._libraries import freeze
from properly._boundary._options import check_choice
from properly._boundary._text import many
from properly.datasets._coupled import CoupledClasses, CoupledGaussian
from properly.probability._power_means import limit_event

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

# The coupling of Student's t distribution with two degrees of freedom.
HEAVY = 0.5
# Where the second class, orange in the paper, is centred; the first, green, is at 0.
ORANGE = 2.0


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """Simulated outcomes and forecasts, and the truth behind them.

    Attributes
    ----------
    y : ndarray of bool
        The outcomes.
    p : ndarray of float
        The forecasts.
    truth : ndarray of float
        The probability with which each outcome was drawn.

    Examples
    --------
    >>> from properly import datasets
    >>> datasets.nelson(100, rng=1)
    Simulation(100 cases, 100 distinct forecasts)
    """

    y: NDArray[np.bool_]
    p: Numbers
    truth: Numbers

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        """Count the cases."""
        return len(self.p)

    def __repr__(self) -> str:
        distinct = many(len(np.unique(self.p)), "distinct forecast")
        return f"Simulation({many(len(self), 'case')}, {distinct})"


@dataclass(frozen=True, eq=False)
class NelsonCase:
    """Two classes as they are, and as a model takes them to be.

    Attributes
    ----------
    source : CoupledClasses
        What cases are drawn from.
    model : CoupledClasses
        What forecasts are made with.

    Examples
    --------
    >>> from properly.datasets import NELSON_CASES
    >>> case = NELSON_CASES["variance 2"]
    >>> case.source.densities[1], case.model.densities[1]
    (CoupledGaussian(location=2.0, scale=1.0, coupling=0.5),
     CoupledGaussian(location=2.0, scale=2.0, coupling=0.5))
    """

    source: CoupledClasses
    model: CoupledClasses


def _classes(
    green: float, orange: float, *, location: float = ORANGE, scale: float = 1.0, prior: float = 0.5
) -> CoupledClasses:
    """Couple both classes; what else is said is of the orange one."""
    densities = CoupledGaussian(0.0, 1.0, green), CoupledGaussian(location, scale, orange)
    return CoupledClasses(densities, (1 - prior, prior))


def _wrong_about_orange(coupling: float) -> dict[str, NelsonCase]:
    """Name the models that are wrong about the centre or the spread of the orange class."""
    source = _classes(coupling, coupling)
    models = {
        "mean 1": _classes(coupling, coupling, location=1.0),
        "mean 3": _classes(coupling, coupling, location=3.0),
        "variance 0.5": _classes(coupling, coupling, scale=0.5),
        "variance 2": _classes(coupling, coupling, scale=2.0),
    }
    return {name: NelsonCase(source, model) for name, model in models.items()}


class _CasesByName(dict[str, NelsonCase]):
    """The cases of `nelson`, by name."""  # so that help(NELSON_CASES) does not explain dict


_T, _NORMAL = _classes(HEAVY, HEAVY), _classes(0.0, 0.0)

NELSON_CASES: dict[str, NelsonCase] = _CasesByName(
    {
        "perfect": NelsonCase(_T, _T),
        **_wrong_about_orange(HEAVY),
        "tail over": NelsonCase(_T, _NORMAL),
        "tail over, one class": NelsonCase(_T, _classes(HEAVY, 0.0)),
        "tail under": NelsonCase(_NORMAL, _T),
        "tail under, one class": NelsonCase(_NORMAL, _classes(0.0, HEAVY)),
        "prior 0.8": NelsonCase(_T, _classes(HEAVY, HEAVY, prior=0.8)),
        "gaussian": NelsonCase(_NORMAL, _NORMAL),
        **{f"gaussian, {name}": case for name, case in _wrong_about_orange(0.0).items()},
    }
)


def nelson(
    n: int,
    case: str = "perfect",
    *,
    precision: float | None = 0.01,
    rng: int | np.random.Generator | None = None,
) -> Simulation:
    r"""Draw two classes and a model's forecasts of them, as in Nelson's figures.

    A case is green or orange, equally likely, and shows a number from a coupled Gaussian around 0
    or around 2 with squared scale 1. The forecast is the probability of orange, the event, given
    that number, according to a model that may be wrong.

    Parameters
    ----------
    n : int
        How many cases.
    case : str
        A key of `NELSON_CASES`. The source has coupling 1/2 for both classes; in ``"gaussian"``
        and what begins with it, and in ``"tail under"``, it has coupling 0. The model is

        - ``"perfect"``, ``"gaussian"``: the source itself;
        - ``"mean 1"``, ``"mean 3"``: orange around 1 or 3 instead of 2;
        - ``"variance 0.5"``, ``"variance 2"``: orange with that squared scale instead of 1;
        - ``"tail over"``: both classes with coupling 0; over-confident far out;
        - ``"tail under"``: both classes with coupling 1/2; not confident enough far out;
        - ``"tail over, one class"``, ``"tail under, one class"``: the same of orange alone;
        - ``"prior 0.8"``: orange with probability 0.8 instead of 1/2;
        - ``"gaussian, mean 1"`` and the like: the same errors with coupling 0 throughout.
    precision : float, optional
        Forecasts are moved into [precision, 1 - precision], as in the paper's examples. None:
        they stay as they are.
    rng : int or numpy Generator, optional
        A seed or a source of randomness.

    Returns
    -------
    Simulation
        The truth is the probability of orange given the number, according to the source, and is
        not moved by `precision`.

    Notes
    -----
    The same seed gives the same outcomes and the same truth whatever model is wrong about a source.

    What the paper calls a variance is a squared scale: with coupling 1/2 the variance is infinite.
    The paper announces an error of amplitude without showing one; a prior of 0.8 stands for it. The
    cases that begin with ``"gaussian"`` are added for comparison.

    References
    ----------
    .. [1] K. P. Nelson (2017). Assessing probabilistic inference by comparing the generalized mean
       of the model and source probabilities. Entropy 19:286, Section 5.
       `doi:10.3390/e19060286 <https://doi.org/10.3390/e19060286>`__

    Examples
    --------
    >>> from properly import datasets
    >>> s = datasets.nelson(1000, "tail over", rng=1)
    >>> s
    Simulation(1,000 cases, 790 distinct forecasts)
    >>> float(s.p.max()), float(s.truth.max().round(2))
    (0.99, 0.88)
    """
    chosen = NELSON_CASES[check_choice(case, tuple(NELSON_CASES), "case")]
    y, x = chosen.source.sample(n, rng)
    truth, p = (side.posterior(x).p[:, 1] for side in (chosen.source, chosen.model))
    return Simulation(y == 1, limit_event(p, precision), truth)
