"""What is misprinted in the paper on means of probabilities, and what is right."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from properly._means import means
from properly._power_means import ROBUSTNESS, generalized_mean
from properly._source_table import source_table
from properly._tally import Tally
from properly.information import conjugate_coupling, coupling_from_power, log_spread
from properly.information import power_from_coupling as power_of
from properly.reproduce._errata import Errata, Erratum, formula
from properly.reproduce._nelson_claims import claims
from properly.reproduce._nelson_dimensions import COVARIANCES, study
from properly.simulate import CoupledGaussian
from properly.sources import EqualCount, EqualWidth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from properly.reproduce._nelson_population import PopulationCase
    from properly.reproduce._nelson_quadrature import Column

HALVES = (0.5, 0.5, 0.5, 0.5)
# One surprise among three near-certainties.
SURPRISE = (0.99, 0.99, 0.99, 0.2)
PRINTED_COUPLING = 0.095
SETS = 60


def errata(cases: Mapping[str, PopulationCase]) -> Errata:
    """Compute every number that is corrected, some of them from all cases there are."""
    makers = (_spreads, _powers, _density, _compact, _bins)
    return Errata((*(row for make in makers for row in make()), *claims(cases)))


def _spreads() -> Iterator[Erratum]:
    log = np.log(HALVES)
    yield formula(
        "Eq. 10",
        "fluctuation of four probabilities of 1/2",
        1.0,
        (
            "root of exp(mean of (ln p)^2 - mean of ln p)",
            math.exp(np.mean(log**2 - log.mean())) ** 0.5,
        ),
        ("exp of the root of (mean of (ln p)^2 - (mean of ln p)^2)", log_spread(HALVES).factor),
    )
    found, log = log_spread(SURPRISE), np.log(SURPRISE)
    yield formula(
        "Below Eq. 10",
        "exp(-(H - sd)) of 0.99, 0.99, 0.99, 0.2",
        math.exp(log.mean() + log.std()),
        ("the mean divided by the fluctuation", found.centre / found.factor),
        ("the mean times the fluctuation, which may exceed 1", found.upper),
    )


def _powers() -> Iterator[Erratum]:
    reasons = {
        ROBUSTNESS: "With m = 2k/(1 + dk) heavy tails would belong to means that forgive small "
        "probabilities; the sign is to be the opposite.",
        1.0: "With the opposite sign, the powers -2/3 and 1 belong to the couplings 1/2 and -1/3, "
        "which are conjugate. The paper does not derive -2/3; that this is how is inferred.",
    }
    for m, why in reasons.items():
        yield Erratum(
            "Eq. 11",
            f"coupling of the mean of power {m:.2g}, one dimension",
            coupling_from_power(m, convention="entropy"),
            coupling_from_power(m, convention="risk"),
            why,
        )
    yield Erratum(
        "Eq. 11",
        "power that is conjugate to that of the arithmetic mean",
        power_of(
            conjugate_coupling(coupling_from_power(1, convention="entropy")), convention="entropy"
        ),
        power_of(conjugate_coupling(coupling_from_power(1))),
        "Conjugate is -k/(1 + dk). With the opposite sign it is the power that the paper uses.",
        ROBUSTNESS,
    )
    n = len(HALVES)
    yield formula(
        "Eq. 12",
        "mean of power -2/3 of four probabilities of 1/2",
        0.5,
        (
            "sum of logarithms",
            math.exp(sum(math.log(p**ROBUSTNESS / n) / ROBUSTNESS for p in HALVES)),
        ),
        (
            "logarithm of the sum, as in Eq. 13, whose last n is N",
            generalized_mean(HALVES, ROBUSTNESS),
        ),
    )


def _density() -> Iterator[Erratum]:
    def printed(x: Column) -> Column:
        return (1 + x**2 / 2) ** 1.5

    yield Erratum(
        "Eq. 14",
        "share of the mass within one scale, coupling 1/2",
        _integral(printed, 1.0) / _integral(printed, 1e4),
        _integral(CoupledGaussian(coupling=0.5).density, 1.0),
        "The exponent lacks its minus sign: with a positive coupling the density grows without "
        "bound and cannot be normalised. As printed, the share is of the mass within 10,000 "
        "scales; the text of the paper at hand may have lost the sign.",
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
        "A coupling of 0.095 has heavy tails and never gives a 0. It is to be -0.095, which is "
        "just above -1/10, the least that ten dimensions allow."
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


def _bins() -> Iterator[Erratum]:
    half = source_table(Tally.from_counts([0.5], [4], [2]), source=EqualCount(bins=1))
    yield formula(
        "Eq. 15",
        "arithmetic mean in a bin: four forecasts of 1/2, two of them true",
        0.5,
        ("divided by all cases of the bin", 0.5 * float(half.happened[0]) / float(half.weight[0])),
        ("divided by the true ones, as in Eq. 17", float(half.decisiveness[0])),
    )
    few = source_table(Tally.from_counts([0.2, 0.8], [3, 1], [1, 1]), source=EqualWidth(bins=2))
    there = few.happened > 0
    share, log = few.source[there] / few.source.sum(), np.log(few.accuracy[there])
    yield formula(
        "Eq. 17",
        "sum of all sizes, bins of three cases and of one",
        -math.log(few.means.accuracy),
        ("by the share of true events in a bin, and negative", float(share @ log)),
        ("by their number, so that they sum to -ln of the accuracy", float(few.size.sum())),
    )
    yield formula(
        "Eq. 18",
        "mean of power -2/3 of forecasts of 1/2",
        0.5,
        (
            "the power of a bin is undone, and once more",
            float(np.mean(half.robustness)) ** (1 / ROBUSTNESS),
        ),
        ("it is taken again before bins are averaged", half.overall().model.robustness),
    )
    yield formula(
        "Eqs. 18, 19",
        "the accuracy, m = 0, in bins of three cases and of one",
        means(Tally.from_counts([0.2, 0.8], [3, 1], [1, 1])).accuracy,
        ("the root of power 1/0", math.nan),
        ("the limit, exp of the mean of logarithms", few.overall().model.accuracy),
    )


def _integral(f: Callable[[Column], Column], reach: float) -> float:
    """Integrate from minus to plus a number."""
    node, weight = np.polynomial.legendre.leggauss(60)
    return float(reach * (weight @ f(reach * node)))
