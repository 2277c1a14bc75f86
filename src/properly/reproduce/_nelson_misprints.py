"""Misprints in the paper on means of probabilities: each gives another number than is meant."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from properly.counts._tally import Tally
from properly.datasets import CoupledGaussian
from properly.probability._information import log_spread
from properly.probability._power import ROBUSTNESS, generalized_mean
from properly.probability._source_table import source_table
from properly.probability._sources import EqualCount
from properly.reproduce._errata import Erratum, formula
from properly.reproduce._nelson_dimensions import COVARIANCES, study

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from properly.reproduce._nelson_population import PopulationCase
    from properly.typing import Column

HALVES = (0.5, 0.5, 0.5, 0.5)
# One surprise among three near-certainties.
SURPRISE = (0.99, 0.99, 0.99, 0.2)
PRINTED_COUPLING = 0.095
SETS = 60


def misprints(cases: Mapping[str, PopulationCase]) -> Iterator[Erratum]:
    """Compute what follows from the text as extracted, and what is right, in its order."""
    yield from _spreads()
    yield _renyi()
    yield _density()
    yield from _compact()
    yield from _references()
    yield _bins()
    yield from _figures(cases)


def _spreads() -> Iterator[Erratum]:
    log, found = np.log(HALVES), log_spread(SURPRISE)
    inner = float(np.mean(log**2 - log.mean()))
    right = (
        "exp(sd) or exp(-sd), sd the root of (mean of (ln p)^2 - (mean of ln p)^2)",
        log_spread(HALVES).factor,
    )
    what = "fluctuation of four probabilities of 1/2"
    yield formula(
        "Eq. 10",
        f"{what}, root inside",
        1.0,
        ("exp of the root of (mean of (ln p)^2 - mean of ln p)", math.exp(math.sqrt(inner))),
        right,
    )
    sign = (
        f"{right[0]}. The missing square is an error, where the root sits is notation. The ratio "
        "below Eq. 10 is right with exp(-sd), and a product with exp(sd): of 0.99, 0.99, 0.99, 0.2 "
        f"either is {found.upper:.3f}, above 1 as the paper says, and the mean divided by exp(sd) "
        f"is {found.lower:.3f}."
    )
    yield formula(
        "Eq. 10",
        f"{what}, root outside",
        1.0,
        ("root of exp(mean of (ln p)^2 - mean of ln p)", math.sqrt(math.exp(inner))),
        (sign, right[1]),
    )


def _renyi() -> Erratum:
    logs = (math.log(p**ROBUSTNESS / len(HALVES)) for p in HALVES)
    return formula(
        "Eq. 12",
        "mean of power -2/3 of four probabilities of 1/2",
        0.5,
        ("sum of logarithms", math.exp(sum(logs) / ROBUSTNESS)),
        (
            "logarithm of the sum, as in Eq. 13, whose last n is N",
            generalized_mean(HALVES, ROBUSTNESS),
        ),
    )


def _density() -> Erratum:
    def printed(x: Column) -> Column:
        return (1 + x**2 / 2) ** 1.5

    return Erratum(
        "Eq. 14",
        "share of the mass within one scale, coupling 1/2",
        _integral(printed, 1.0) / _integral(printed, 1e4),
        _integral(CoupledGaussian(coupling=0.5).density, 1.0),
        "As extracted, the exponent has no minus sign, and with a positive coupling the density "
        "grows without bound; the share is then of the mass within 10,000 scales. The sign may "
        "have been lost on the way and be there in the article.",
        # Student's t distribution with two degrees of freedom.
        1 / math.sqrt(3),
    )


@cache
def _compact() -> tuple[Erratum, ...]:
    """Fit and try the compact model with both signs; always the same, so once is enough."""
    couplings = (PRINTED_COUPLING, -PRINTED_COUPLING)
    rng = np.random.default_rng(0)
    printed, right = study(COVARIANCES, SETS, rng, couplings, dimensions=(2,))
    why = (
        "As extracted, the coupling is 0.095, which has heavy tails and never gives a 0. It is to "
        "be -0.095, just above -1/10, the least that ten dimensions allow; this sign, too, may be "
        "there in the article."
    )
    return tuple(
        Erratum(
            "Figure 1c",
            f"{what} of the compact model, two dimensions",
            getattr(printed, name),
            getattr(right, name),
            why,
        )
        for what, name in (("accuracy", "accuracy"), ("share of zeros", "zeros"))
    )


def _references() -> Iterator[Erratum]:
    yield Erratum(
        "Figure 2, caption",
        "number of the figure that shows its model and source",
        1,
        3,
        "Figure 1 is about ten dimensions.",
    )
    yield Erratum(
        "Section 4",
        "number of the figure with the panels c) and d)",
        2,
        3,
        "The text refers to panels of Figure 2, which has none; they are those of Figure 3.",
    )


def _bins() -> Erratum:
    half = source_table(Tally.from_counts([0.5], [4], [2]), source=EqualCount(bins=1))
    return formula(
        "Eq. 18",
        "mean of power -2/3 of forecasts of 1/2",
        0.5,
        (
            "the mean over bins of (mean of q^m)^(1/m), to the power 1/m",
            float(np.mean(half.robustness)) ** (1 / ROBUSTNESS),
        ),
        ("that of (mean of q^m), to the power 1/m", half.overall().model.robustness),
    )


def _figures(cases: Mapping[str, PopulationCase]) -> Iterator[Erratum]:
    under, tail = cases["mean 1"], cases["tail over"]
    yield Erratum(
        "Below Eq. 19",
        "angle of the under-confident model of Figure 5a",
        90 - under.angle,
        under.angle,
        "Marks are said to be at (model, source). Text and figures have the source to the right "
        "and the model up, and only so are angles above 45 degrees a sign of over-confidence.",
    )
    angle = {variance: cases[f"variance {variance:g}"].angle for variance in (0.5, 2.0)}
    yield Erratum(
        "Figure 6, caption",
        "variance that is over-confident",
        2.0,
        max(angle, key=lambda variance: angle[variance]),
        f"A slip of b): variance 2 is under-confident, with an angle of {angle[2.0]:.1f}, and that "
        f"of a), 0.5, over-confident, with {angle[0.5]:.1f}. The angles are as the paper has them.",
    )
    yield Erratum(
        "Section 6",
        "accuracy of Figure 7",
        tail.source.accuracy,
        tail.model.accuracy,
        "Said to be measured by the source probability, with p for what the model reports; it is "
        "by the model probability, and p is that of the source, as everywhere else in the paper.",
    )


def _integral(f: Callable[[Column], Column], reach: float) -> float:
    """Integrate from minus to plus a number."""
    node, weight = np.polynomial.legendre.leggauss(60)
    return float(reach * (weight @ f(reach * node)))
