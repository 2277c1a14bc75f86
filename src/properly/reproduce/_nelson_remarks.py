"""Remarks on the paper on means of probabilities: what it leaves open, and limits."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from properly.counts._cases import Cases
from properly.probability._information import (
    conjugate_coupling,
    coupling_from_power,
    power_from_coupling,
)
from properly.probability._means import means
from properly.probability._power import ROBUSTNESS, generalized_mean
from properly.probability._sources import EqualCount

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from properly.reproduce._nelson_population import PopulationCase

RUNS = 20
SOME, CLASSES, BINS = 1000, 3, 20
TRUTH = 0.7


@dataclass(frozen=True)
class Remark:
    """What a reader of the paper may want to know, and is no mistake.

    Attributes
    ----------
    where, text : str
        The place in the paper, and the remark.
    numbers : dict of str to float
        Those that the text quotes, by what they are.
    """

    where: str
    text: str
    numbers: Mapping[str, float] = field(default_factory=dict)


def remarks(cases: Mapping[str, PopulationCase]) -> Iterator[Remark]:
    """Make all remarks, in the order of the paper."""
    yield _error_bars(cases)
    yield _couplings()
    yield _separate()
    yield Remark(
        "Eq. 15",
        "The sum runs to N_k and is divided by N_k, which is not defined; N_jk and N*_jk are, "
        "below Eq. 16. As the sum is over true events, N_k is taken for their number, the sum of "
        "N*_jk over classes.",
    )
    yield Remark(
        "Eqs. 18, 19",
        "At m = 0, which is not written out, they are limits: exp of the mean of logarithms, as in "
        "Eq. 15.",
    )
    yield _amplitude(cases["prior 0.8"])
    yield _angle(cases)
    yield Remark(
        "Section 7",
        "The arithmetic mean less its bias is the quadratic score: with t for the probability of "
        "what happened, that is 2t - sum of q^2 over all classes. If forecasts are calibrated, t "
        "and the sum have the same mean.",
    )


def _error_bars(cases: Mapping[str, PopulationCase]) -> Remark:
    best = {m: _best_report(m) for m in (1.0, ROBUSTNESS, 0.0)}
    under, over = cases["mean 1"], cases["tail over"]
    robust = under.model.robustness / under.source.robustness
    decisive = over.model.decisiveness / over.source.decisiveness
    return Remark(
        "Section 3",
        "The arithmetic and the -2/3 mean are error bars there, and are not called proper. Should "
        f"somebody optimise them: if the truth is {TRUTH}, the best report is {best[1.0]:.2f} by "
        f"the arithmetic mean, {best[ROBUSTNESS]:.2f} by the -2/3 mean and {best[0.0]:.2f} by the "
        "geometric one. Nor is a ratio of model to source at these powers a divergence: without "
        f"any bins it is {robust:.3f} at -2/3 for Figure 5a, and {decisive:.3f} at 1 for Figure 7.",
        {
            "best report by the arithmetic mean": best[1.0],
            "best report by the -2/3 mean": best[ROBUSTNESS],
            "best report by the geometric mean": best[0.0],
            "ratio at -2/3, Figure 5a": robust,
            "ratio at 1, Figure 7": decisive,
        },
    )


def _best_report(m: float) -> float:
    """Look for the report of an event that has the highest mean of a power."""
    report = np.linspace(0, 1, 101)
    found = [generalized_mean([q, 1 - q], m, [TRUTH, 1 - TRUTH]) for q in report]
    return float(report[np.argmax(found)])


def _couplings() -> Remark:
    entropy = [coupling_from_power(m, convention="entropy") for m in (ROBUSTNESS, 1)]
    risk = [coupling_from_power(m, convention="risk") for m in (ROBUSTNESS, 1)]
    other = power_from_coupling(conjugate_coupling(entropy[1]), convention="entropy")
    return Remark(
        "Eq. 11",
        "Right for entropies, m = q - 1. What leads from it to the powers -2/3 and 1 is not "
        f"stated. By Eq. 11 they would belong to couplings of {entropy[0]:.3g} and "
        f"{entropy[1]:.3g}, and the conjugate of 1, with -k/(1 + dk), would be {other:.3g}. With "
        f"the opposite sign, m = -2k/(1 + dk), they belong to {risk[0]:.3g} and {risk[1]:.3g}, "
        "which are conjugate. That this is how -2/3 was chosen is inferred.",
        {
            "coupling of -2/3 by Eq. 11": entropy[0],
            "coupling of 1 by Eq. 11": entropy[1],
            "power conjugate to 1 by Eq. 11": other,
            "coupling of -2/3, opposite sign": risk[0],
            "coupling of 1, opposite sign": risk[1],
            "coupling conjugate to that of -2/3, opposite sign": conjugate_coupling(risk[0]),
        },
    )


@cache
def _separate() -> Remark:
    """Bin calibrated forecasts; always the same ones, so once is enough."""
    rng = np.random.default_rng(0)
    found = float(np.mean([_log_divergence(rng) for _ in range(RUNS)]))
    expected = -BINS * (CLASSES - 1) / (2 * SOME)
    return Remark(
        "Section 4, step 1",
        "To sort classes apart is harmless among all cases there are, and of two classes the same "
        "as to sort the event alone. In samples bins fit noise: M classes in B bins each, of n "
        f"cases, have a mean ln P_div of about -B (M - 1) / (2n). {CLASSES} calibrated classes, "
        f"{SOME:,} cases, {BINS} bins: {found:.3f}, and {expected:.3f} by the formula; what "
        "differs within bins adds a little.",
        {"mean ln P_div": found, "by the formula": expected},
    )


def _log_divergence(rng: np.random.Generator) -> float:
    """Draw calibrated forecasts of several classes, and bin each class apart."""
    p = rng.dirichlet(np.ones(CLASSES), SOME)
    y = np.sum(np.cumsum(p, axis=1) < rng.random((SOME, 1)), axis=1)
    return math.log(means(Cases(y, p), source=EqualCount(bins=BINS)).divergence)


def _amplitude(case: PopulationCase) -> Remark:
    return Remark(
        "Section 5",
        "An error of amplitude is announced and not among the figures. Here a model has a prior of "
        f"0.8 instead of 0.5: P_div {case.divergence:.3f}, angle {case.angle:.1f}.",
        {"P_div": case.divergence, "angle": case.angle},
    )


def _angle(cases: Mapping[str, PopulationCase]) -> Remark:
    right, biased = cases["perfect"], cases["prior 0.8"]
    before, after = right.model.decisiveness, biased.model.decisiveness
    return Remark(
        "Section 7",
        "Over-confidence has an angle above 45 degrees, in all figures. The converse has a limit: "
        f"a bias gives such an angle too, {biased.angle:.1f} with the prior of 0.8, and there the "
        f"arithmetic mean does not rise but falls, from {before:.3f} to {after:.3f}.",
        {"angle": biased.angle, "before": before, "after": after},
    )
